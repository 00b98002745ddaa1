"""Calls of public functions, saved as functions of their arrays, and run again on other values."""

import sys
from itertools import islice
from pathlib import Path

import numpy as np

import gradtape as tf

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
try:
    from comparison.calls import SELF, _bases, parameters
    from comparison.jobs import called
    from comparison.values import build, found
finally:
    sys.path.pop(0)

FORMS = ("tensor", "ragged", "sparse")
MOST_TRIALS = 60


class Saved:
    """One call: a path below `tf`, and descriptions of the arguments."""

    def __init__(self, path, arguments):
        self.path, self.arguments = path, arguments
        self.places = [
            (name, place) for name, spec in arguments.items() for place in _arrays(spec, ())
        ]
        kinds = {p.kind for p in parameters(tf, path)}
        self.by_name = any(kind.name == "KEYWORD_ONLY" for kind in kinds)

    def values(self, seed):
        """The arrays, of the same shapes for each seed."""
        found = []
        for name, place in self.places:
            spec = _inner(self.arguments[name], place)
            found.append(build(tf, {**spec, "seed": spec["seed"] + seed}, [], []))
        return found

    def call(self, *arrays):
        """Calls the function with such arrays."""
        given = dict(zip(self.places, arrays, strict=True))
        made = {name: _filled(spec, (name, ()), given) for name, spec in self.arguments.items()}
        if SELF in made:
            function = getattr(made.pop(SELF), self.path.rpartition(".")[2])
        else:
            function = found(tf, self.path)
        return function(**made) if self.by_name else function(*made.values())

    def results(self, *arrays):
        """The leaves of the result as NumPy arrays; None if the call fails."""
        try:
            return leaves(self.call(*arrays))
        except Exception:  # noqa: BLE001 (the arguments are guesses)
            return None

    def function(self):
        """The call as a `tf.function` of arrays of which only the last axis has a known length."""
        specs = [_unknown(tf.type_spec_from_value(x)) for x in self.values(0)]
        return tf.function(self.call, input_signature=specs)


def _unknown(spec):
    if not isinstance(spec, tf.TensorSpec):
        return spec
    shape = [None] * len(spec.shape)
    if len(shape) > 1:
        shape[-1] = spec.shape[-1]
    return tf.TensorSpec(shape, spec.dtype)


def _arrays(spec, place):
    if spec["k"] == "array" and spec["form"] in FORMS:
        yield place
    elif spec["k"] in {"list", "tuple"}:
        for i, part in enumerate(spec["v"]):
            yield from _arrays(part, (*place, i))


def _inner(spec, place):
    for i in place:
        spec = spec["v"][i]
    return spec


def _filled(spec, key, given):
    if key in given:
        return given[key]
    if spec["k"] in {"list", "tuple"}:
        name, place = key
        parts = [_filled(part, (name, (*place, i)), given) for i, part in enumerate(spec["v"])]
        return tuple(parts) if spec["k"] == "tuple" else parts
    return build(tf, spec, [], [])


def leaves(value):
    """The tensors in a result as NumPy arrays."""
    flat = tf.nest.flatten(value, expand_composites=True)
    return [np.asarray(x.numpy()) for x in flat if isinstance(x, tf.Tensor)]


def equal(one, other):
    """Whether two lists of arrays are equal, up to rounding."""
    if len(one) != len(other) or any(x.shape != y.shape for x, y in zip(one, other, strict=True)):
        return False
    for x, y in zip(one, other, strict=True):
        if x.dtype.kind in "OSU":
            same = x.tolist() == y.tolist()
        else:
            a, b = x.astype(complex), y.astype(complex)
            same = np.allclose(a, b, rtol=1e-4, atol=1e-5, equal_nan=True)
        if not same:
            return False
    return True


def sparse(rows, dtype):
    """A sparse tensor of the elements that are neither zero nor empty."""
    return tf.sparse.from_dense(np.array(rows, dtype))


def check_saved_function(function, specs, examples, folder):
    """Saves and loads a function, and compares its results, and the shapes that it declares."""
    module = tf.Module()
    module.f = tf.function(function, input_signature=specs)
    tf.saved_model.save(module, folder)
    loaded = tf.saved_model.load(folder)
    outputs = module.f.get_concrete_function().structured_outputs
    for example in examples:
        given = [
            x if isinstance(x, tf.SparseTensor) else tf.constant(x, spec.dtype)
            for x, spec in zip(example, specs, strict=True)
        ]
        value = function(*given)
        assert equal(leaves(module.f(*given)), leaves(value))
        assert equal(leaves(loaded.f(*given)), leaves(value))
        assert _fit(outputs, value)


def _array(shape, fill="normal", dtype="float32", seed=0):
    return {"k": "array", "dtype": dtype, "shape": shape, "fill": fill, "form": "tensor"} | {
        "seed": seed
    }


def _list(*arrays):
    return {"k": "list", "v": [{**x, "seed": i} for i, x in enumerate(arrays)]}


def _plain(code):
    return {"k": "plain", "v": code}


_SAMPLED = {
    "weights": _array([5, 3]),
    "biases": _array([5]),
    "labels": _array([2, 1], "index", "int64"),
    "inputs": _array([2, 3]),
    "num_sampled": _plain("3"),
    "num_classes": _plain("5"),
    "num_true": _plain("1"),
    "sampled_values": _list(
        _array([3], "index", "int64"), _array([2, 1], "positive"), _array([3], "positive")
    ),
    "remove_accidental_hits": _plain("True"),
}
ROWS = _array([2, 3])
_QUANTIZED = {
    "input": ROWS,
    "input_min": _plain("[-1.0, -2.0, -1.5]"),
    "input_max": _plain("[1.0, 1.5, 2.0]"),
    "signed_input": _plain("True"),
    "num_bits": _plain("5"),
    "range_given": _plain("True"),
    "round_mode": _plain("'HALF_TO_EVEN'"),
    "name": _plain("None"),
    "narrow_range": _plain("False"),
    "axis": _plain("1"),
}
OWN = {
    "add_n": {"inputs": _list(ROWS, ROWS)},
    "math.accumulate_n": {"inputs": _list(ROWS, ROWS)},
    "math.add_n": {"inputs": _list(ROWS, ROWS)},
    "dynamic_stitch": {
        "indices": _list(*[_array([2], "index", "int32")] * 2),
        "data": _list(ROWS, ROWS),
    },
    "identity_n": {"input": _list(ROWS, _array([4]))},
    "nn.depthwise_conv2d": {
        "input": _array([2, 6, 6, 3]),
        "filter": _array([2, 2, 3, 2]),
        "strides": _plain("[1, 2, 2, 1]"),
        "padding": _plain("'SAME'"),
    },
    "nn.fractional_avg_pool": {
        "value": _array([2, 6, 6, 3]),
        "pooling_ratio": _plain("[1.0, 1.5, 1.5, 1.0]"),
        "pseudo_random": _plain("True"),
        "overlapping": _plain("True"),
        "seed": _plain("3"),
    },
    "nn.nce_loss": _SAMPLED,
    "nn.sampled_softmax_loss": _SAMPLED,
    "quantization.quantize_and_dequantize": _QUANTIZED,
    "quantization.quantize_and_dequantize_v2": _QUANTIZED,
    "shape_n": {"input": _list(ROWS, _array([4]))},
    "strings.join": {"inputs": _list(*[_array([3], dtype="string")] * 2)},
    "unstack": {"value": ROWS, "num": _plain("2")},
}
"""The arguments of functions whose first guess TensorFlow refuses for unknown sizes."""


def working(path):
    """The first guess of arguments with arrays that a function takes; None without one."""
    guesses = [OWN[path]] if path in OWN else _bases(path, parameters(tf, path))
    for arguments in islice(guesses, MOST_TRIALS):
        try:
            made = Saved(path, arguments)
        except Exception:  # noqa: BLE001 (likewise)
            continue
        if made.places and made.results(*made.values(0)):
            return made
    return None


def paths():
    """The functions that are called, without raw operations."""
    skipped = ("raw_ops.", "data.", "errors.", "compat.", "experimental.", "nest.", "debugging.")
    return [
        path
        for path in sorted(called())
        if not path.startswith(skipped) and not any(part[0].isupper() for part in path.split("."))
    ]


def is_random(path):
    """Whether the results of a function differ from call to call."""
    if path in {"image.extract_glimpse", "nn.dropout"}:
        return True
    return ".random_" in path or (path.startswith("random.") and "stateless" not in path)


def _reason(message):
    """Returns the reason why a function is not saved, without the names in it."""
    known = ("has no such operation", "differ from TensorFlow's")
    return next((text for text in known if text in message), "is not exported")


def fault(saved, folder):
    """Saves and loads a call, and runs it on two sets of values; returns the fault, or None."""
    values, others = saved.values(0), saved.values(11)
    wanted, then = saved.results(*values), saved.results(*others)
    module = tf.Module()
    module.f = saved.function()
    try:
        concrete = module.f.get_concrete_function()
        tf.saved_model.save(module, folder)
    except tf.errors.UnimplementedError as error:
        return _reason(error.message)
    except (ValueError, TypeError):
        return "needs a length that is known"
    loaded = tf.saved_model.load(folder)
    for given, right in ((values, wanted), (others, then)):
        if right is None:
            continue
        got = leaves(loaded.f(*given))
        if not equal(got, right):
            frozen = given is others and equal(got, wanted)
            return "does not depend on its arguments" if frozen else "has other values"
        if not _fit(concrete.structured_outputs, saved.call(*given)):
            return "declares other shapes"
    return None


def _fit(specs, value):
    """Whether the shapes that a function declares are those of its result."""
    pairs = zip(*(tf.nest.flatten(x, expand_composites=True) for x in (specs, value)), strict=True)
    return all(x.shape.is_compatible_with(y.shape) for x, y in pairs if isinstance(y, tf.Tensor))
