"""Loads the models of `*models.py` in TensorFlow, and compares to 1e-6 what it makes of them.

    python tests/saving/export/check_with_tensorflow.py write DIRECTORY    # where gradtape is
    python tests/saving/export/check_with_tensorflow.py check DIRECTORY    # where TensorFlow is

The first command saves the models, with their results, their gradients and what three steps of
gradient descent lead to. The second one runs, differentiates and trains them in TensorFlow, saves
them there once more, and exits with 1 if anything differs.
"""

from __future__ import annotations

import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np

TOLERANCE = 1e-6
STEPS = 3
RATE = 0.01


def ran(tf: Any, module: Any, inputs: list[Any]) -> dict[str, Any]:
    """Returns a model's results, gradients, and variables after some steps of training.

    Args:
      tf: TensorFlow or gradtape.
      module: The model.
      inputs: The arguments of its function.
    """
    found: dict[str, Any] = {}
    variables = [v for v in module.v if v.dtype.is_floating]
    xs = [tensor(tf, x) for x in inputs]
    flat = tf.nest.flatten(xs, expand_composites=True)
    sources = [x for x in flat if x.dtype.is_floating]
    for turn in range(STEPS):
        with tf.GradientTape() as tape:
            tape.watch(sources)
            outs = tf.nest.flatten(module.f(*xs), expand_composites=True)
            floats = [y for y in outs if y.dtype.is_floating]
            loss = tf.add_n([tf.reduce_sum(y * y) for y in floats]) if floats else tf.zeros([])
        grads = tape.gradient(loss, [*sources, *variables], unconnected_gradients="zero")
        grads = [tf.convert_to_tensor(g) for g in grads]
        found |= {f"out{turn}_{i}": y.numpy() for i, y in enumerate(outs)}
        found |= {f"gradient{turn}_{i}": g.numpy() for i, g in enumerate(grads)}
        for variable, g in zip(variables, grads[len(sources) :], strict=True):
            variable.assign_sub(RATE * g)
    if hasattr(module, "train"):
        found |= {f"loss{i}": module.train(*xs).numpy() for i in range(STEPS)}
    return found | {f"variable{i}": v.numpy() for i, v in enumerate(variables)}


def tensor(tf: Any, x: Any) -> Any:
    """An input, made with TensorFlow or gradtape."""
    if not isinstance(x, dict):
        return tf.constant(x)
    if "rows" in x:
        return tf.ragged.constant(x["rows"], x["dtype"], row_splits_dtype="int64")
    return tf.SparseTensor(x["places"], x["values"], x["shape"])


def write(directory: Path) -> None:
    """Saves the models and what they give."""
    import keras_models
    import models
    import structured_models

    import gradtape as tf

    all_models = models.MODELS | structured_models.MODELS | keras_models.MODELS
    for name, make in all_models.items():
        module, inputs = make()
        given = [x if type(x).__module__ != structured_models.__name__ else vars(x) for x in inputs]
        tf.saved_model.save(module, directory / name, signatures=module.f)
        recorded = pickle.dumps((given, ran(tf, module, given)))
        (directory / name / "recorded").write_bytes(recorded)
    print(f"{len(all_models)} models in {directory}")


def different(found: dict[str, Any], wanted: Any) -> str:
    """The first result that differs; empty if none does."""
    for key in wanted:
        want, have = np.asarray(wanted[key]), np.asarray(found[key])
        want, have = (x.astype(object) if x.dtype.kind == "S" else x for x in (want, have))
        if have.dtype != want.dtype or have.shape != want.shape:
            return f"{key}: {have.dtype} {have.shape} instead of {want.dtype} {want.shape}"
        if want.dtype == object and have.tolist() != want.tolist():
            return f"{key}: {have} instead of {want}"
        if want.dtype != object and not np.allclose(have, want, TOLERANCE, TOLERANCE):
            return f"{key}: {np.abs(have - want).max()} apart"
    return ""


def check(directory: Path) -> int:
    """Compares what TensorFlow makes of the models; returns how many differ."""
    import tensorflow as tf

    wrong = 0
    paths = sorted(path.parent for path in directory.glob("*/recorded"))
    for path in paths:
        inputs, recorded = pickle.loads((path / "recorded").read_bytes())
        try:
            module = tf.saved_model.load(path)
            served = module.signatures["serving_default"]
            tf.saved_model.save(module, str(directory / "again" / path.name), signatures=served)
            problem = different(ran(tf, module, inputs), recorded)
        except Exception as error:  # noqa: BLE001 (all are counted)
            problem = f"{type(error).__name__}: {error}"[:2000]
        wrong += bool(problem)
        print(f"{path.name}: {problem or 'equal'}")
    print(f"{len(paths)} models, {wrong} differ")
    return wrong


if __name__ == "__main__":
    action, target = sys.argv[1], Path(sys.argv[2])
    sys.exit(write(target) if action == "write" else min(check(target), 1))
