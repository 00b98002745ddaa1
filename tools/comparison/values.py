"""Arguments and results of calls, described by plain data.

A description is a dictionary whose `k` is the kind of value: an array in some form, a Python value,
a dtype, a function, a structure, or the result of another call. Both processes build their
arguments from the same descriptions.
"""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

Spec = dict[str, Any]
Record = list[Any]
MOST_ELEMENTS = 2000  # the maximum number of elements of a recorded array
DATASET_ELEMENTS = 6
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "double": lambda tf: lambda x, *rest: tf.nest.map_structure(lambda t: t + t, x),
    "add": lambda tf: lambda x, y: tf.nest.map_structure(lambda s, t: s + t, x, y),
    "constant": lambda tf: lambda *rest: tf.constant([1.0, 2.0]),
    "true": lambda tf: lambda *rest: tf.constant([True])[0],
    "double_list": lambda tf: lambda x, *rest: [x + x],
    "pair": lambda tf: lambda state, x: (state + x, x),
    "slices": lambda tf: lambda x: tf.data.Dataset.from_tensor_slices(x),
    "same": lambda tf: lambda x: x,
    "length": lambda tf: lambda x: tf.shape(x)[0],
    "parity": lambda tf: lambda x: x % 2,
    "parity_32": lambda tf: lambda x: tf.cast(x % 2, tf.int32),
    "batches": lambda tf: lambda key, rows: rows.batch(2),
    "three": lambda tf: lambda: iter([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]),
    "below": lambda tf: lambda x, *rest: tf.reduce_sum(tf.nest.flatten(x)[0]) < 20,
}


def array(
    dtype: str = "float32",
    shape: tuple[int, ...] = (2, 3),
    fill: str = "normal",
    form: str = "tensor",
    seed: int = 0,
) -> Spec:
    """Describes an array."""
    return {
        "k": "array",
        "dtype": dtype,
        "shape": list(shape),
        "fill": fill,
        "form": form,
        "seed": seed,
    }


def plain(value: object) -> Spec:
    """Describes a value that Python can write and read."""
    return {"k": "plain", "v": repr(value)}


def dtype_of(name: str) -> Spec:
    """Describes one of TensorFlow's dtypes."""
    return {"k": "dtype", "v": name}


def function(name: str) -> Spec:
    """Describes a function of the table above."""
    return {"k": "function", "v": name}


def sequence(items: list[Spec], kind: str = "list") -> Spec:
    """Describes a list or tuple."""
    return {"k": kind, "v": items}


def mapping(items: dict[str, Spec]) -> Spec:
    """Describes a dictionary."""
    return {"k": "dict", "v": items}


def made_by(path: str, *args: Spec, **words: Spec) -> Spec:
    """Describes the result of a call of a public function or class."""
    return {"k": "call", "path": path, "args": list(args), "words": words}


def _numbers(spec: Spec) -> np.ndarray:
    """Draws the elements of an array, exactly representable in 16 bits."""
    shape, fill = tuple(spec["shape"]), spec["fill"]
    if fill.startswith("number "):
        return np.full(shape, float(fill.removeprefix("number ")))
    random = np.random.RandomState(1 + spec["seed"] + 31 * len(shape))
    if fill == "spd":
        size = shape[-1] if shape else 1
        half = random.randint(-4, 5, (*shape[:-2], size, size)) / 4
        return np.asarray(half @ np.swapaxes(half, -1, -2) + 2 * np.eye(size))
    if fill == "lower":
        return np.asarray(np.tril(random.randint(1, 9, shape) / 4) if len(shape) > 1 else 1.0)
    if fill == "positive":
        return np.asarray(random.randint(1, 16, shape) / 16)
    if fill == "counting":
        return np.asarray(np.arange(int(np.prod(shape))).reshape(shape))
    if fill == "sorted":
        return np.asarray(np.sort(random.randint(0, 3, shape), axis=-1) if shape else 1)
    if fill == "index":
        return np.asarray(random.randint(0, 2, shape))
    if fill == "special":
        choices = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5])
        return np.asarray(choices[random.randint(0, len(choices), shape)])
    return np.asarray(random.randint(-16, 17, shape) / 8)


def elements(spec: Spec) -> np.ndarray:
    """Returns the NumPy array of a description, with its dtype."""
    name, shape = spec["dtype"], tuple(spec["shape"])
    numbers = _numbers(spec)
    if name == "string":
        words = np.array([b"abc", b"", b"b c", b"1.5", b"\xc3\xa4"], object)
        flat = np.array([words[int(abs(n) * 8) % 5] for n in numbers.ravel()], object)
        return np.asarray(flat.reshape(shape))
    if name == "bool":
        return np.asarray(numbers > 0)
    if name.startswith(("int", "uint")):
        whole = np.nan_to_num(numbers, posinf=0, neginf=0)
        if spec["fill"] == "normal":
            whole = np.trunc(whole * 2)
        return np.asarray(np.abs(whole) if name[0] == "u" else whole).astype(name)
    if name.startswith("complex"):
        other = _numbers({**spec, "seed": spec["seed"] + 7})
        return np.asarray(numbers + (1j * other if spec["fill"] == "normal" else 0)).astype(name)
    if name == "bfloat16":
        import ml_dtypes

        return np.asarray(numbers.astype(ml_dtypes.bfloat16))
    return np.asarray(numbers.astype(name))


def _in_form(tf: Any, spec: Spec) -> Any:
    made, form = elements(spec), spec["form"]
    if form == "numpy":
        return made
    if form == "list":
        return made.tolist() if made.dtype.name != "bfloat16" else made.astype("f4").tolist()
    tensor = tf.constant(made, dtype=spec["dtype"])
    if form in {"variable", "handle"}:
        return tf.Variable(tensor)
    if form == "sparse":
        return tf.sparse.from_dense(tensor)
    if form == "ragged":
        lengths = [(i * 2 + 1) % (made.shape[1] + 1) for i in range(made.shape[0])]
        rows = tf.reshape(tensor, (made.shape[0] * made.shape[1], *made.shape[2:]))
        return tf.RaggedTensor.from_row_lengths(rows[: sum(lengths)], lengths)
    return tensor


def build(tf: Any, spec: Spec, sources: list[Any], changed: list[Any]) -> Any:
    """Makes an argument.

    Values that a gradient can be computed for are added to `sources`, and variables that are given
    by their handles to `changed`.
    """
    kind, value = spec["k"], spec.get("v")
    if kind == "array":
        made = _in_form(tf, spec)
        if spec["form"] == "handle":
            changed.append(made)
            return made.handle
        if spec["dtype"].startswith(("float", "bfloat", "complex")) and spec["form"] in {
            "tensor",
            "variable",
        }:
            sources.append(made)
        return made
    if kind == "plain":
        return ast.literal_eval(str(value))
    if kind == "dtype":
        return getattr(tf, str(value))
    if kind == "function":
        return FUNCTIONS[str(value)](tf)
    if kind == "path":
        return found(tf, str(value))
    if kind == "call":
        args = [build(tf, part, sources, changed) for part in spec["args"]]
        words = {name: build(tf, part, sources, changed) for name, part in spec["words"].items()}
        return found(tf, spec["path"])(*args, **words)
    if kind == "dict":
        return {name: build(tf, part, sources, changed) for name, part in spec["v"].items()}
    sequences: dict[str, Callable[[Any], Any]] = {"tuple": tuple, "iterator": iter}
    return sequences.get(kind, list)([build(tf, part, sources, changed) for part in spec["v"]])


def found(tf: Any, path: str) -> Any:
    """Returns the object `tf.<path>`.

    Raises:
      AttributeError: There is no such name.
    """
    try:
        return reduce(getattr, path.split("."), tf)
    except AttributeError:
        module, _, name = path.rpartition(".")
        try:
            return getattr(importlib.import_module(f"{tf.__name__}.{module}"), name)
        except ImportError:
            raise AttributeError(path) from None


def _array_record(kind: str, dtype: str, made: Any) -> Record:
    made = np.asarray(made)
    if made.size > MOST_ELEMENTS:
        return [kind, dtype, list(made.shape), made.ravel()[:MOST_ELEMENTS].astype("S").size]
    if made.dtype.kind == "c":
        data: Any = [[float(v.real), float(v.imag)] for v in made.ravel().astype(complex)]
    elif made.dtype.kind in "OSU":
        words = made.ravel().tolist()
        data = [w.decode("latin1") if isinstance(w, bytes) else repr(w) for w in words]
    elif made.dtype.kind in "biu":
        data = [int(v) for v in made.ravel().tolist()]
    else:
        data = [float(v) for v in made.ravel().astype("f8").tolist()]
    return [kind, dtype, list(made.shape), data]


def _tensor_record(tf: Any, value: Any) -> Record | None:
    if isinstance(value, tf.Variable):
        return ["Variable", value.dtype.name, *_array_record("", "", value.numpy())[2:]]
    if isinstance(value, tf.RaggedTensor):
        splits = [_record(tf, part) for part in value.nested_row_splits]
        return ["RaggedTensor", repr(value.shape), splits, _record(tf, value.flat_values)]
    if isinstance(value, tf.SparseTensor):
        parts = (value.indices, value.values, value.dense_shape)
        return ["SparseTensor", *[_record(tf, part) for part in parts]]
    if isinstance(value, tf.IndexedSlices):
        return ["IndexedSlices", _record(tf, tf.convert_to_tensor(value))]
    if isinstance(value, tf.TensorArray):
        return ["TensorArray", _record(tf, value.stack())]
    if isinstance(value, tf.Tensor):
        if value.dtype.name in {"variant", "resource"}:
            return ["Tensor", value.dtype.name, list(value.shape), []]
        return _array_record("Tensor", value.dtype.name, value.numpy())
    if isinstance(value, tf.data.Dataset):
        items = [_record(tf, item) for item in value.take(DATASET_ELEMENTS)]
        return ["Dataset", repr(value.element_spec), items]
    return None


def _record(tf: Any, value: Any, depth: int = 0) -> Record:
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        if isinstance(value, float) and type(value) is float:
            return ["float", value]
        return [type(value).__name__, repr(value)]
    if (record := _tensor_record(tf, value)) is not None:
        return record
    if isinstance(value, (np.ndarray, np.generic)):
        return _array_record("array", np.asarray(value).dtype.name, value)
    if isinstance(value, (list, tuple)) and depth < 8:
        kind = "namedtuple" if hasattr(value, "_fields") else type(value).__name__
        fields = list(getattr(value, "_fields", []))
        return [kind, fields, [_record(tf, item, depth + 1) for item in value]]
    if isinstance(value, dict) and depth < 8:
        return ["dict", sorted((repr(k), _record(tf, v, depth + 1)) for k, v in value.items())]
    if isinstance(value, (tf.DType, tf.TensorShape, tf.TypeSpec, type, np.dtype)):
        return ["text", repr(value)]
    return ["object", type(value).__name__]


def record(tf: Any, value: Any) -> Record:
    """Describes the result of a call by plain data."""
    return _record(tf, value)
