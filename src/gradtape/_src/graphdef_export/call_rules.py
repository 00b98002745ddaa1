"""Rules for functions that are single operations in graphs: their shapes depend on values."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape._src.base.export import RAW_OPS, RawOp
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.graph_operations import Described
from gradtape._src.graph.nested.structured import Gradient
from gradtape._src.graph.nested.whole_calls import Call
from gradtape._src.graphdef.file_kernels import ADAPTED
from gradtape._src.graphdef_export.array_rules import rows_or_zero, sliced
from gradtape._src.graphdef_export.nodes import Value, dtype_name
from gradtape._src.graphdef_export.parts import Part
from gradtape._src.graphdef_export.rules import CALLS, GRADIENTS, RULES, call_rule, rule
from gradtape._src.ops.array import creation, joining
from gradtape._src.ops.array.padding import space_to_batch
from gradtape._src.ops.array.slicing import strided_slice
from gradtape._src.ops.linalg.einsum import einsum
from gradtape._src.ops.nn.clipping_by_norm import clip_by_norm
from gradtape._src.ops.nn.isotonic_regression import isotonic_regression
from gradtape._src.ops.nn.morphology import dilation2d, erosion2d
from gradtape._src.ops.nn.window_geometry import per_axis
from gradtape._src.ops.reduce import segment
from gradtape._src.ops.signal import windows
from gradtape._src.raw import modules as _modules  # noqa: F401 (fills RAW_OPS)
from gradtape._src.raw.op_definitions import (
    Argument,
    Attribute,
    is_defined,
    op_definition,
)


@rule("Structured")
def _called(p: Part, *xs: Value, of: Any) -> Any:
    assert p.node is not None
    if isinstance(of, Gradient) and isinstance(of.of, Call):
        return _gradient(p, p.node.primitive.name, xs, of)
    if not isinstance(of, Call):
        raise p.unknown(f"{type(of).__name__} of an operation as a whole is not exported")
    if of.primitive is not None and (rule_of_it := RULES.get(of.primitive.name)) is not None:
        given, named = of.arguments_for(list(xs))
        return rule_of_it(p, *given, **named)
    name, function = p.node.primitive.name, of.function
    if isinstance(function, Described):
        if name in CALLS:
            return CALLS[name](p, *xs, **function.attributes)
        if not is_defined(name):
            raise p.unknown()
        return _by_place(p, name, xs, function.attributes)
    arguments = of.bound(list(xs))
    made = CALLS.get(inspect.unwrap(function)) or CALLS.get(name)
    try:
        if made is not None:
            return made(p, **arguments)
        op = _raw_operation(name, function, arguments)
        if op is None or not is_defined(op.name):
            raise p.unknown()
        return _by_names(p, op, arguments)
    except (KeyError, TypeError, ValueError) as error:  # the arguments do not fit the raw operation
        raise p.unknown(f"its arguments differ from TensorFlow's ({error})") from None


def _gradient(p: Part, name: str, xs: Sequence[Value], of: Any) -> Any:
    """Adds the gradient of an operation of unknown rank, or of a function that has a program."""
    dy, called, inputs = xs[-1], of.of, xs[: of.count]
    if not isinstance(called.function, Described):
        add = GRADIENTS.get(inspect.unwrap(called.function))
        if add is not None:
            return add(p, xs, of)
    if of.wanted != (0,):
        raise p.unknown("Gradient of an operation as a whole is not exported")
    is_function = called.primitive is None
    named = called.bound(inputs) if is_function else called.arguments_for(inputs)[1]
    shape = p.op("Shape", xs[0])
    made: Value
    if name == "EnsureShape":
        made = dy
    elif name in {"Reshape", "Squeeze", "ExpandDims"}:
        made = p.op("Reshape", dy, shape)
    elif name == "UnsortedSegmentSum" and dy.shape is not None and xs[1].shape is not None:
        made = rows_or_zero(p, dy, xs[1])
    elif name == "Sum" and "axis" in named and (named["axis"] is None or named.get("keepdims")):
        made = p.op("BroadcastTo", dy, shape)
    elif name == "Tile" and "multiples" in named:
        count = p.cast(value_of(p, named["multiples"]), "int32")
        parts = p.op("Reshape", p.op("Pack", [count, shape], axis=1), p.const([-1], "int32"))
        zero, two = p.const(0, "int32"), p.const(2, "int32")
        places = p.op("Range", zero, p.op("Size", parts), two)
        made = p.op("Sum", p.op("Reshape", dy, parts), places)
    else:
        raise p.unknown("Gradient of an operation as a whole is not exported")
    return made


def _raw_operation(name: str, function: Any, arguments: dict[str, Any]) -> RawOp | None:
    """Returns the raw operation of a call, by its name or by the function that implements it.

    If a function implements several, the one that takes the most arguments is chosen.
    """
    found = RAW_OPS.get(name) or ADAPTED.get(name)
    if found is not None:
        return found
    plain = inspect.unwrap(function)
    served = [
        op
        for op in RAW_OPS.values()
        if inspect.unwrap(op.function) is plain and is_defined(op.name)
    ]
    inputs = {
        op.name: [arguments.get(_parameter(op, x)) for x in op_definition(op.name).inputs]
        for op in served
    }
    fitting = [op for op in served if all(x is not None for x in inputs[op.name])]
    return max(fitting, key=lambda op: len(inputs[op.name]), default=None)


def _by_place(p: Part, name: str, xs: Sequence[Value], attributes: dict[str, Any]) -> Any:
    """Adds an operation, given the tensors by position and all other inputs by name."""
    definition, following = op_definition(name), iter(xs)
    inputs: list[Any] = []
    for argument in definition.inputs:
        if argument.name in attributes:
            inputs.append(attributes[argument.name])
            continue
        found = list(following) if argument.is_list else next(following, None)
        if found is None:
            raise p.unknown(f"it has no {argument.name} for TensorFlow's {name}")
        inputs.append(found)
    taken = {argument.name for argument in definition.inputs}
    return p.op(name, *inputs, **{k: v for k, v in attributes.items() if k not in taken})


def _by_names(p: Part, op: RawOp, arguments: dict[str, Any]) -> Any:
    """Adds an operation whose inputs and attributes are the function's arguments."""
    definition = op_definition(op.name)
    inputs: list[Any] = []
    for argument in definition.inputs:
        x = arguments[_parameter(op, argument)]
        if argument.is_list:
            inputs.append([value_of(p, y) for y in x])
        else:  # a value that is not a tensor gets the dtype of the other inputs
            inputs.append(value_of(p, x) if _has_dtype(x) else x)
    attributes = {}
    for attribute in definition.attributes.values():
        x = arguments.get(_parameter(op, attribute))
        if x is not None:
            attributes[attribute.name] = x
    add = p.effect if definition.stateful else p.op
    made = add(op.name, *inputs, **attributes)
    outs = made if isinstance(made, tuple) else [made]
    return [y for out in outs for y in (out if isinstance(out, list) else [out])]


def _has_dtype(x: Any) -> bool:
    """Whether an argument is or contains a tensor."""
    return hasattr(x, "dtype") or isinstance(x, Value) or _first_value(x) is not None


def _first_value(x: Any) -> Value | None:
    """Returns the first value of the graph in a list or tuple, or None."""
    if not isinstance(x, (list, tuple)):
        return None
    found = (n if isinstance(n, Value) else _first_value(n) for n in x)
    return next((n for n in found if n is not None), None)


def _parameter(op: RawOp, of: Argument | Attribute) -> str:
    """Returns the name of the parameter for an input or attribute of an operation."""
    name = of.python_name or of.name
    return op.renamed.get(name, name)


def value_of(p: Part, x: Any, dtype: Any = None) -> Value:
    """Converts an argument to a value of the graph."""
    if isinstance(x, Value):
        return x if dtype is None else p.cast(x, dtype)
    inner = _first_value(x)
    if inner is not None:
        made: Value = p.op("Pack", [value_of(p, n, dtype or inner.dtype) for n in x])
        return made
    value = np.asarray(x._value if type(x) is Tensor else x)
    return p.const(value, "string" if value.dtype.kind in "US" else dtype or value.dtype)


def splits_of(p: Part, ids: Value, count: Value, dtype: str) -> Value:
    """Returns row splits, given the row index of each value.

    Args:
      p: The part that is being built.
      ids: A non-decreasing vector.
      count: The number of rows.
      dtype: The dtype of the splits.
    """
    last = p.op("AddV2", p.cast(count, ids.dtype), p.like(1, ids))
    wanted = p.op("Range", p.like(0, ids), last, p.like(1, ids))
    first = p.const(0, "int32")
    pairs = (p.op("ExpandDims", x, first) for x in (ids, wanted))
    found = p.op("LowerBound", *pairs, out_type=dtype)
    made: Value = p.op("Squeeze", found, squeeze_dims=[0])
    return made


@call_rule("Range")
def _range(p: Part, start: Any, limit: Any, delta: Any, **_: Any) -> Any:
    kind = dtype_name(p.outputs[0].np_dtype)
    if limit is None:
        start, limit = 0, start
    return p.op("Range", *[value_of(p, x, kind) for x in (start, limit, delta)])


@call_rule("SequenceMask")
def _mask(p: Part, lengths: Any, maxlen: Any, **_: Any) -> Any:
    lengths = value_of(p, lengths)
    flat = p.op("Reshape", lengths, p.const([-1], "int32"))
    most = p.op("Max", flat, p.const([0], "int32")) if maxlen is None else value_of(p, maxlen)
    row = p.op("Range", p.like(0, lengths), p.cast(most, lengths.dtype), p.like(1, lengths))
    made = p.op("Less", row, p.op("ExpandDims", lengths, p.const(-1, "int32")))
    return p.cast(made, dtype_name(p.outputs[0].np_dtype))


@call_rule("Repeat")
def _repeat(p: Part, input: Any, repeats: Any, axis: Any, **_: Any) -> Any:
    x = value_of(p, input)
    if axis is None:
        x, axis = p.op("Reshape", x, p.const([-1], "int32")), 0
    counts = value_of(p, repeats, "int64")
    ends = p.op("Cumsum", counts, p.const(0, "int32"))
    total = p.op("Sum", counts, p.const([0], "int32"))
    steps = p.op("Range", p.const(0, "int64"), total, p.const(1, "int64"))
    one = p.const(0, "int32")
    rows = p.op("UpperBound", p.op("ExpandDims", ends, one), p.op("ExpandDims", steps, one))
    rows = p.op("Squeeze", rows, squeeze_dims=[0])
    return p.op("GatherV2", x, rows, p.const(int(axis), "int32"))


@call_rule("DenseBincount")
def _bincount(p: Part, arr: Any, weights: Any, axis: Any, **given: Any) -> Any:
    x, by_rows = value_of(p, arr), axis == -1
    x = x if by_rows and len(x.shape or ()) == 2 else p.op("Reshape", x, p.const([-1], "int32"))
    kind = dtype_name(p.outputs[0].np_dtype)
    each = p.const(np.zeros(0), kind)
    if weights is not None:
        each = value_of(p, weights, kind)
        each = each if by_rows else p.op("Reshape", each, p.const([-1], "int32"))
    flat = p.op("Reshape", x, p.const([-1], "int32"))
    flat = p.op("ConcatV2", [p.const([-1], x.dtype), flat], p.const(0, "int32"))
    size = p.op("AddV2", p.op("Max", flat, p.const([0], "int32")), p.like(1, x))
    for bound, operation in (("minlength", "Maximum"), ("maxlength", "Minimum")):
        if given[bound] is not None:
            size = p.op(operation, size, value_of(p, given[bound], x.dtype))
    return p.op("DenseBincount", x, size, each, binary_output=bool(given["binary_output"]))


@call_rule(segment.unsorted_segment_mean, segment.unsorted_segment_sqrt_n)
def _segment_means(p: Part, data: Any, segment_ids: Any, num_segments: Any, **_: Any) -> Any:
    assert p.node is not None
    x, ids, count = value_of(p, data), value_of(p, segment_ids), value_of(p, num_segments, "int32")
    whole = p.op("UnsortedSegmentSum", x, ids, count)
    by = p.op("UnsortedSegmentSum", p.op("OnesLike", x), ids, count)
    by = p.op("Maximum", by, p.like(1, by))
    is_mean = p.node.primitive.name == "unsorted_segment_mean"
    return p.op("RealDiv", whole, by if is_mean else p.op("Sqrt", by))


@call_rule(joining.split)
def _split(p: Part, value: Any, num_or_size_splits: Any, axis: Any, num: Any, **_: Any) -> Any:
    x, at = value_of(p, value), value_of(p, axis, "int32")
    if isinstance(num_or_size_splits, int):
        return p.op("Split", at, x, num_split=num_or_size_splits)
    sizes = value_of(p, num_or_size_splits, "int64")
    return p.op("SplitV", x, sizes, at, num_split=len(p.outputs))


@call_rule(einsum)
def _einsum(p: Part, equation: str, inputs: Any, **_: Any) -> Any:
    """Contracts the operands from left to right."""
    left, arrow, out = equation.replace(" ", "").partition("->")
    labels, values = left.split(","), [value_of(p, x) for x in inputs]
    if not arrow or len(values) < 3:
        return p.op("Einsum", values, equation=equation.replace(" ", ""))
    kept, x = labels[0], values[0]
    for i, (own, y) in enumerate(zip(labels[1:], values[1:], strict=True), start=2):
        needed = set("".join([*labels[i:], out]))
        both = "".join(dict.fromkeys((kept + own).replace("...", "")))
        rest = "".join([c for c in both if c in needed])
        rest = "..." + rest if "." in kept + own else rest
        rest = out if i == len(values) else rest
        x = p.op("Einsum", [x, y], equation=f"{kept},{own}->{rest}")
        kept = rest
    return x


@call_rule("BiasAdd")
def _bias_add(p: Part, value: Any, bias: Any, data_format: Any, **_: Any) -> Any:
    layout = "NCHW" if (data_format or "").upper().startswith("NC") else "NHWC"
    return p.op("BiasAdd", value_of(p, value), value_of(p, bias), data_format=layout)


@call_rule("LinSpace", creation.linspace)
def _linspace(p: Part, start: Any, stop: Any, num: Any, **_: Any) -> Any:
    kind = dtype_name(p.outputs[0].np_dtype)
    ends = [value_of(p, x, kind) for x in (start, stop)]
    if any(x.shape is None or len(x.shape) > 0 for x in ends):
        raise p.unknown("numbers between ends that have axes")
    return p.op("LinSpace", *ends, value_of(p, num, "int32"))


@call_rule(creation.ones)
def _ones(p: Part, shape: Any, dtype: Any, **_: Any) -> Any:
    return p.op("Fill", value_of(p, shape), p.const(1, dtype_name(dtype)))


@call_rule("OneHot")
def _one_hot(
    p: Part, indices: Any, depth: Any, on_value: Any, off_value: Any, axis: Any, **_: Any
) -> Any:
    kind = dtype_name(p.outputs[0].np_dtype)
    on = value_of(p, 1 if on_value is None else on_value, kind)
    off = value_of(p, 0 if off_value is None else off_value, kind)
    places, n = value_of(p, indices), value_of(p, depth, "int32")
    return p.op("OneHot", places, n, on, off, axis=-1 if axis is None else axis)


@call_rule(creation.eye)
def _eye(p: Part, num_rows: Any, num_columns: Any, batch_shape: Any, **_: Any) -> Any:
    if batch_shape is not None:
        raise p.unknown("a batch of identity matrices of unknown size")
    sizes = (num_rows, num_rows if num_columns is None else num_columns)
    zero, one = p.const(0, "int32"), p.const(1, "int32")
    numbers = [p.op("Range", zero, value_of(p, n, "int32"), one) for n in sizes]
    found = p.op("Equal", p.op("ExpandDims", numbers[0], one), numbers[1])
    return p.cast(found, dtype_name(p.outputs[0].np_dtype))


@call_rule("MirrorPad")
def _pad(p: Part, tensor: Any, paddings: Any, mode: str, constant_values: Any, **_: Any) -> Any:
    x = value_of(p, tensor)
    pairs = paddings
    if not isinstance(pairs, Value):
        rows = [value_of(p, pair, "int32") for pair in np.asarray(pairs, object).tolist()]
        pairs = p.op("Pack", rows)
    if mode.upper() != "CONSTANT":
        return p.op("MirrorPad", x, pairs, mode=mode.upper())
    return p.op("PadV2", x, pairs, value_of(p, constant_values, x.dtype))


@call_rule(clip_by_norm)
def _clip_by_norm(p: Part, t: Any, clip_norm: Any, axes: Any, **_: Any) -> Any:
    x = value_of(p, t)
    limit = value_of(p, clip_norm, x.dtype)
    if axes is None:
        axes = p.op("Range", p.const(0, "int32"), p.op("Rank", x), p.const(1, "int32"))
    along = value_of(p, axes, "int32")
    norm = p.op("Sqrt", p.op("Sum", p.op("Square", x), along, keep_dims=True))
    return p.op("RealDiv", p.op("Mul", x, limit), p.op("Maximum", norm, limit))


@call_rule(space_to_batch)
def _space_to_batch(p: Part, input: Any, block_shape: Any, paddings: Any, **_: Any) -> Any:
    sizes = [value_of(p, np.asarray(x), "int32") for x in (block_shape, paddings)]
    return p.op("SpaceToBatchND", value_of(p, input), *sizes)


@call_rule(isotonic_regression)
def _fit(p: Part, inputs: Any, decreasing: bool, axis: int) -> Any:
    x = value_of(p, inputs)
    order = list(range(x.rank))
    order[axis], order[-1] = order[-1], order[axis]
    moved = p.transposed(x, order)
    shape = p.op("Shape", moved)
    last = p.const([x.rank - 1], "int32"), p.const([-1], "int32")
    rows = p.op("ConcatV2", [last[1], p.op("Slice", shape, *last)], p.const(0, "int32"))
    flat = p.op("Reshape", moved if decreasing else p.op("Neg", moved), rows)
    fit, segments = p.op("IsotonicRegression", flat, output_dtype=x.dtype)
    fit = fit if decreasing else p.op("Neg", fit)
    return [p.transposed(p.op("Reshape", y, shape), order) for y in (fit, segments)]


@call_rule(dilation2d)
def _dilated(
    p: Part, input: Any, filters: Any, strides: Any, padding: str, dilations: Any, **_: Any
) -> Any:
    steps, rates = (
        [1, *per_axis(x, 2, False, name), 1]
        for x, name in ((strides, "strides"), (dilations, "dilations"))
    )
    how = {"strides": steps, "rates": rates, "padding": padding}
    return p.op("Dilation2D", value_of(p, input), value_of(p, filters), **how)


@call_rule(erosion2d)
def _eroded(p: Part, value: Any, filters: Any, **how: Any) -> Any:
    back = p.op("ReverseV2", value_of(p, filters), p.const([0, 1], "int32"))
    return p.op("Neg", _dilated(p, p.op("Neg", value_of(p, value)), back, **how))


@call_rule("Imag")
def _imaginary(p: Part, input: Any, **_: Any) -> Any:
    x = value_of(p, input)
    if not x.dtype.startswith("complex"):
        return p.op("ZerosLike", x)
    return p.op("Imag", x, Tout=dtype_name(p.outputs[0].np_dtype))


@rule("FramePlaces")
def _frames(p: Part, *, frames: Any, step: Any, length: Any) -> Any:
    zero, one = p.const(0, "int64"), p.const(1, "int64")
    starts, inside = (p.op("Range", zero, p.number(n, "int64"), one) for n in (frames, length))
    starts = p.op("Mul", starts, p.number(step, "int64"))
    return p.op("AddV2", p.op("ExpandDims", starts, p.const(-1, "int32")), inside)


@call_rule("Unique", "UniqueWithCounts")
def _unique(p: Part, x: Any, out_idx: Any, **_: Any) -> Any:
    assert p.node is not None
    return p.op(p.node.primitive.name, value_of(p, x), out_idx=dtype_name(out_idx))


@call_rule("EnsureShape")
def _ensured(p: Part, x: Any, shape: Any) -> Any:
    known = None if shape.rank is None else shape.as_list()
    return p.op("EnsureShape", value_of(p, x), shape=known)


@call_rule("Sum", "Mean", "Max", "Min", "Prod")
def _reduced(p: Part, axis: Any, keepdims: Any, name: Any = None, **arguments: Any) -> Any:
    """Returns a reduction of a value, whose rank may be unknown."""
    assert p.node is not None
    (x,) = [value_of(p, y) for y in arguments.values()]
    if axis is None:
        zero, one = p.const(0, "int32"), p.const(1, "int32")
        along = p.op("Range", zero, p.op("Rank", x), one)
    else:
        along = value_of(p, axis, "int32")
    return p.op(p.node.primitive.name, x, along, keep_dims=bool(keepdims))


@call_rule("LengthsOf")
def _of_lengths(p: Part, x: Any) -> Any:
    shape = p.op("Reshape", p.cast(value_of(p, x), "int32"), p.const([-1], "int32"))
    return p.op("BroadcastTo", p.const(False, "bool"), shape)


@call_rule("StridedSlice")
def _strided_slice(p: Part, **arguments: Any) -> Any:
    """Returns a slice whose bounds are computed, or the number of rows in it."""
    if "parts" in arguments:
        key = arguments["parts"].filled(arguments["positions"])
        return sliced(p, value_of(p, arguments["x"]), key=key)
    return _rows_of(p, **arguments)


@call_rule(strided_slice)
def _slice_of_vectors(
    p: Part, input_: Any, begin: Any, end: Any, strides: Any, var: Any, name: Any, **masks: int
) -> Any:
    ends = [value_of(p, n, "int32") for n in (begin, end)]
    steps = p.op("OnesLike", ends[0]) if strides is None else value_of(p, strides, "int32")
    given = {mask: n for mask, n in masks.items() if n}
    return p.op("StridedSlice", value_of(p, input_), *ends, steps, **given)


@call_rule(windows.hann_window, windows.hamming_window)
def _raised_cosine(p: Part, window_length: Any, periodic: Any, dtype: Any, **_: Any) -> Any:
    assert p.node is not None
    a = 0.5 if p.node.primitive.name == "hann_window" else 0.54
    n, one = value_of(p, window_length, "int32"), p.const(1, "int32")
    odd = p.op("FloorMod", n, p.const(2, "int32")) if periodic else one
    period = p.op("Maximum", p.op("Sub", n, odd), one)
    places = p.op("Range", p.const(0, "int32"), n, one)
    turns = p.op("RealDiv", *[p.cast(x, "float64") for x in (places, period)])
    waves = p.op("Cos", p.op("Mul", turns, p.const(2 * np.pi, "float64")))
    found = p.op("Sub", p.const(a, "float64"), p.op("Mul", waves, p.const(1 - a, "float64")))
    alone = p.op("OnesLike", found)  # a window of one element is 1
    kept = p.op("SelectV2", p.op("Equal", n, one), alone, found)
    return p.cast(kept, dtype_name(p.outputs[0].np_dtype))


@call_rule(windows.vorbis_window)
def _vorbis(p: Part, window_length: Any, **_: Any) -> Any:
    n = value_of(p, window_length, "int32")
    places = p.cast(p.op("Range", p.const(0, "int32"), n, p.const(1, "int32")), "float64")
    middle = p.op("AddV2", places, p.const(0.5, "float64"))
    angle = p.op("RealDiv", middle, p.cast(n, "float64"))
    inner = p.op("Sin", p.op("Mul", angle, p.const(np.pi, "float64")))
    squared = p.op("Mul", p.op("Square", inner), p.const(np.pi / 2, "float64"))
    return p.cast(p.op("Sin", squared), dtype_name(p.outputs[0].np_dtype))


def _rows_of(p: Part, values: Any, dtype: Any) -> Any:
    shape = p.op("Shape", value_of(p, values), out_type=dtype.name)
    one = p.const([1], "int32")
    return p.op("StridedSlice", shape, p.const([0], "int32"), one, one, shrink_axis_mask=1)


@call_rule("RaggedSplits")
def _splits(p: Part, splits: Any, **_: Any) -> Any:
    return p.op("Identity", value_of(p, splits))
