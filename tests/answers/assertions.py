"""Assertions of two arguments of every kind: whether they hold, or what they raise."""

from typing import Any

import numpy as np

NAMES = ("equal", "none_equal", "less", "less_equal", "greater", "greater_equal", "near")


def operands(tf: Any) -> dict[str, Any]:
    """Values by name."""
    return {
        "float": tf.constant([1.0, 2.0]),
        "double": tf.constant([1.0, 2.0], tf.float64),
        "integer": tf.constant([1, 2]),
        "long": tf.constant([1, 2], tf.int64),
        "truth": tf.constant([True, False]),
        "text": tf.constant(["a", "b"]),
        "complex": tf.constant([1 + 2j, 3]),
        "nan": tf.constant([float("nan"), 1.0]),
        "matrix": tf.constant([[1.0, 2.0], [1.0, 2.0]]),
        "three": tf.constant([1.0, 2.0, 3.0]),
        "empty": tf.constant([], tf.float32),
        "variable": tf.Variable([1.0, 2.0]),
        "numbers": [1.0, 2.0],
        "number": 1,
        "array": np.array([1.0, 2.0]),
        "none": None,
        "word": "a",
    }


def answers(tf: Any) -> dict[str, str]:
    """Returns the outcome of each assertion, by its name and those of the operands."""
    found = {}
    values = operands(tf)
    for name in NAMES:
        check = getattr(tf.debugging, f"assert_{name}")
        for x in values:
            for y in values:
                try:
                    answer = repr(check(values[x], values[y]))
                except Exception as error:  # noqa: BLE001 (any is an answer)
                    answer = f"raises {type(error).__name__}"
                found[f"{name} {x} {y}"] = answer
    return found


# Where ours differs, by a pattern of "question: theirs, ours: ours"; and why.
DIFFERENCES = {
    r".*: raises AttributeError, ours: raises InvalidArgumentError": (
        "TensorFlow fails where it should print the texts that differ"
    ),
}
