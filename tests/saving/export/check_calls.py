"""Saves the calls of `saving.saved_calls`, and runs them again in TensorFlow.

    python -m saving.export.check_calls FOLDER    # where TensorFlow is

The command prints a line for each call that has other results there.
"""

from __future__ import annotations

import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np


def save(folder: Path) -> list[str]:
    """Saves each call that can be saved, with its results on two sets of values.

    Returns:
      The paths of the functions.
    """
    from saving.saved_calls import is_random, paths, working

    import gradtape as tf

    calls = {}
    for i, path in enumerate(paths()):
        call = None if is_random(path) else working(path)
        if call is None:
            continue
        module = tf.Module()
        module.f = call.function()
        try:
            tf.saved_model.save(module, folder / str(i))
        except (tf.errors.UnimplementedError, ValueError, TypeError):
            continue  # `saving.test_saved_calls` lists them.
        runs = [(values, call.results(*values)) for values in (call.values(0), call.values(11))]
        calls[path] = str(i), [([*map(_parts, xs)], ys) for xs, ys in runs if ys is not None]
    (folder / "calls").write_bytes(pickle.dumps(calls))
    return [*calls]


def _parts(x: Any) -> tuple[str, list[Any]]:
    """Returns the name of a tensor's type, and its components as NumPy arrays."""
    from gradtape import nest

    return type(x).__name__, [y.numpy() for y in nest.flatten(x, expand_composites=True)]


def _tensor(tf: Any, kind: str, parts: list[Any]) -> Any:
    if kind == "SparseTensor":
        return tf.SparseTensor(*parts)
    if kind == "RaggedTensor":
        return tf.RaggedTensor.from_nested_row_splits(parts[0], parts[1:])
    return tf.constant(parts[0])


def _equal(x: Any, y: Any) -> bool:
    if x.shape != y.shape:
        return False
    if x.dtype.kind in "OSU":
        return bool(x.tolist() == y.tolist())
    a, b = x.astype(complex), y.astype(complex)
    return bool(np.allclose(a, b, rtol=1e-4, atol=1e-5, equal_nan=True))


def _fault(tf: Any, folder: Path, runs: list[Any]) -> str | None:
    function = tf.saved_model.load(str(folder)).f
    for given, wanted in runs:
        found = function(*[_tensor(tf, *x) for x in given])
        leaves = tf.nest.flatten(found, expand_composites=True)
        flat = [y.numpy() for y in leaves if y is not None]
        pairs = zip(flat, wanted, strict=True)
        if not all(_equal(np.asarray(x), y) for x, y in pairs):
            return "has other values"
    return None


def main() -> None:
    """Runs the calls in TensorFlow, and prints the faults."""
    import tensorflow as tf

    folder = Path(sys.argv[1])
    calls = pickle.loads((folder / "calls").read_bytes())
    for path, (name, runs) in calls.items():
        try:
            fault = _fault(tf, folder / name, runs)
        except Exception as error:  # noqa: BLE001 (TensorFlow's errors are of many types)
            fault = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
        if fault is not None:
            print("call", path, fault, flush=True)
    print("calls", len(calls))


if __name__ == "__main__":
    main()
