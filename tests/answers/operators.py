"""Every operator between values of every class: the result's class, dtype and values."""

import operator
from typing import Any

import numpy as np

BINARY = {
    **{f"{n}": getattr(operator, n) for n in ("add", "sub", "mul", "truediv", "floordiv", "mod")},
    **{f"{n}": getattr(operator, n) for n in ("pow", "matmul", "lt", "le", "gt", "ge", "eq", "ne")},
    **{n: getattr(operator, f"{n}_") for n in ("and", "or")},
    "xor": operator.xor,
    "lshift": operator.lshift,
    "divmod": divmod,
    "iadd": operator.iadd,
    "imul": operator.imul,
    "ifloordiv": operator.ifloordiv,
    "imod": operator.imod,
}
UNARY = {
    **{n: getattr(operator, n) for n in ("neg", "pos", "abs", "invert", "index")},
    **{f.__name__: f for f in (bool, len, int, float, complex)},
    "hash": lambda x: type(hash(x)).__name__,
    "iter": lambda x: len(list(x)),
    "reversed": lambda x: len(list(reversed(x))),
    "same": lambda x: operator.eq(x, x),
    "key": lambda x: {x: 1}[x],
    "member": lambda x: x in [None, x],
    "assign": lambda x: operator.setitem(x, 0, 1),
    "newaxis": lambda x: x[None],
    "true": lambda x: x[True],
}


def operands(tf: Any) -> dict[str, Any]:
    """Values by name."""

    class Pair(tf.experimental.ExtensionType):
        a: tf.Tensor
        b: int

    return {
        "tensor": tf.constant([1.0, 2.0]),
        "integers": tf.constant([1, 2]),
        "truths": tf.constant([True, False]),
        "texts": tf.constant(["a", "b"]),
        "scalar": tf.constant(2.0),
        "column": tf.constant([[1.0], [2.0]]),
        "three": tf.constant([1.0, 2.0, 3.0]),
        "variable": tf.Variable([1.0, 2.0]),
        "ragged": tf.ragged.constant([[1.0, 2.0], [3.0]]),
        "ragged-integers": tf.ragged.constant([[1, 2], [3]]),
        "ragged-truths": tf.ragged.constant([[True, False], [True]]),
        "ragged-other": tf.ragged.constant([[1.0], [2.0, 3.0]]),
        "ragged-deep": tf.ragged.constant([[[1.0], [2.0, 3.0]], []]),
        "sparse": tf.sparse.from_dense([[1.0, 0.0], [0.0, 2.0]]),
        "slices": tf.IndexedSlices(
            tf.constant([[1.0, 2.0]]), tf.constant([0]), tf.constant([2, 2])
        ),
        "array": tf.TensorArray(tf.float32, 2).unstack([1.0, 2.0]),
        "extension": Pair(tf.constant([1.0, 2.0]), 3),
        "none": None,
        "int": 2,
        "float": 2.0,
        "bool": True,
        "str": "a",
        "list": [1.0, 2.0],
        "rows": [[1.0, 2.0], [3.0]],
        "object": object(),
        "ndarray": np.array([1.0, 2.0]),
        "number": np.float32(2),
        "dict": {},
        "shape": tf.TensorShape([2]),
        "dtype": tf.float32,
    }


OURS = 17  # the first so many are values of classes of ours


def shown(tf: Any, x: Any) -> str:
    """A result in few words."""
    if isinstance(x, tf.RaggedTensor):
        return f"ragged {x.dtype.name} {x.to_list()}"
    if isinstance(x, (tf.SparseTensor, tf.IndexedSlices)):
        return f"{type(x).__name__} {x.dtype.name} {x.values.numpy().tolist()}"
    if isinstance(x, tf.Tensor):
        return f"tensor {x.dtype.name} {np.asarray(x.numpy()).tolist()}"
    if isinstance(x, (bool, int, float, complex, str, type(None))):
        return repr(x)
    return type(x).__name__.replace("ResourceVariable", "Variable")


def answers(tf: Any) -> dict[str, str]:
    """Results and exceptions by operator and operands."""
    found = {}
    values = operands(tf)

    def ask(question: str, run: Any, *names: str) -> None:
        fresh = operands(tf) if names[0] == "variable" else values
        try:
            found[question] = shown(tf, run(*[fresh[name] for name in names]))
        except Exception as error:  # noqa: BLE001 (any is an answer)
            found[question] = f"raises {type(error).__name__}"

    for i, x in enumerate(values):
        for name, run in UNARY.items() if i < OURS else ():
            ask(f"{name} {x}", run, x)
        for j, y in enumerate(values):
            for name, run in BINARY.items() if min(i, j) < OURS else ():
                if name[0] != "i" or x == "variable":
                    ask(f"{x} {name} {y}", run, x, y)
    return found


# Where ours differs, by a pattern of "question: theirs, ours: ours"; and why.
DIFFERENCES = {
    r"(len|reversed) variable: raises TypeError, ours: 2": "variables have a length, as arrays",
    r"\S+ \w+ \S+: raises (ValueError|TypeError|InvalidArgumentError|UnimplementedError), "
    r"ours: raises (ValueError|TypeError|InvalidArgumentError)": (
        "an error in both; TensorFlow's type for what can't be converted varies by operator"
    ),
    r"\S+ (or|mul) \S+: raises AttributeError, ours: raises .*": (
        "ours says what can't be converted, TensorFlow that __ror__ or __rmul__ is missing"
    ),
    r"variable (eq|ne) ragged.*": "TensorFlow refuses variables here alone; ours compares",
    r"(ndarray|number) \w+ ragged.*": "ours takes an array as a tensor; TensorFlow makes it rows",
    r"ndarray mul sparse.*|truths truediv (ndarray|number).*": "likewise with numpy's operator",
    r"sparse truediv slices.*": "ours takes slices as a tensor here as elsewhere",
    r"(ragged-truths mul \S+|\S+ mul ragged-truths): .*": "ours is that of tensors of truth values",
    r"(\S+ mul truths|truths mul \S+): .*": "ours casts no numbers to truth values silently",
}
