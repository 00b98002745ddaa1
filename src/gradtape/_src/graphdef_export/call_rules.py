"""Rules for calls of whole functions: operations whose results' lengths depend on values."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.export import RAW_OPS
from gradtape._src.core.tensor import Tensor
from gradtape._src.graph.ir.whole_calls import Call
from gradtape._src.graphdef.op_definitions import is_defined, op_definition
from gradtape._src.graphdef_export.nodes import Value, dtype_name
from gradtape._src.graphdef_export.parts import Part
from gradtape._src.graphdef_export.rules import CALLS, call_rule, rule


@rule("Structured")
def _called(p: Part, *xs: Value, of: Any) -> Any:
    if not isinstance(of, Call):
        raise p.unknown(f"{type(of).__name__} is no call")
    assert p.node is not None
    name = p.node.primitive.name
    arguments = of.bound(list(xs))
    if name in CALLS:
        return CALLS[name](p, **arguments)
    if name in RAW_OPS and is_defined(name):
        return _by_names(p, name, arguments)
    raise p.unknown()


def _by_names(p: Part, name: str, arguments: dict[str, Any]) -> Any:
    """An operation whose inputs and attributes are the function's, by the names of its mark."""
    definition, renamed = op_definition(name), RAW_OPS[name].renamed
    inputs = []
    for argument in definition.inputs:
        x = arguments[renamed.get(argument.name, argument.name)]
        inputs.append([told(p, y) for y in x] if argument.is_list else told(p, x))
    attributes = {}
    for attribute in definition.attributes:
        x = arguments.get(renamed.get(attribute, attribute))
        if x is not None:
            attributes[attribute] = x
    return p.op(name, *inputs, **attributes)


def told(p: Part, x: Any, dtype: Any = None) -> Value:
    """An argument as a value."""
    if isinstance(x, Value):
        return x if dtype is None else p.cast(x, dtype)
    value = np.asarray(x._value if type(x) is Tensor else x)
    return p.const(value, "string" if value.dtype.kind in "US" else dtype or value.dtype)


@call_rule("Range")
def _range(p: Part, start: Any, limit: Any, delta: Any, **_: Any) -> Any:
    kind = dtype_name(p.outputs[0].np_dtype)
    if limit is None:
        start, limit = 0, start
    return p.op("Range", *[told(p, x, kind) for x in (start, limit, delta)])


@call_rule("SequenceMask")
def _mask(p: Part, lengths: Any, maxlen: Any, **_: Any) -> Any:
    lengths = told(p, lengths)
    flat = p.op("Reshape", lengths, p.const([-1], "int32"))
    most = p.op("Max", flat, p.const([0], "int32")) if maxlen is None else told(p, maxlen)
    row = p.op("Range", p.like(0, lengths), p.cast(most, lengths.dtype), p.like(1, lengths))
    made = p.op("Less", row, p.op("ExpandDims", lengths, p.const(-1, "int32")))
    return p.cast(made, dtype_name(p.outputs[0].np_dtype))


@call_rule("Repeat")
def _repeat(p: Part, input: Any, repeats: Any, axis: Any, **_: Any) -> Any:
    x = told(p, input)
    if axis is None:
        x, axis = p.op("Reshape", x, p.const([-1], "int32")), 0
    counts = told(p, repeats, "int64")
    ends = p.op("Cumsum", counts, p.const(0, "int32"))
    total = p.op("Sum", counts, p.const([0], "int32"))
    steps = p.op("Range", p.const(0, "int64"), total, p.const(1, "int64"))
    one = p.const(0, "int32")
    rows = p.op("UpperBound", p.op("ExpandDims", ends, one), p.op("ExpandDims", steps, one))
    rows = p.op("Squeeze", rows, squeeze_dims=[0])
    return p.op("GatherV2", x, rows, p.const(int(axis), "int32"))


@call_rule("Unique", "UniqueWithCounts")
def _unique(p: Part, x: Any, out_idx: Any, **_: Any) -> Any:
    assert p.node is not None
    return p.op(p.node.primitive.name, told(p, x), out_idx=dtype_name(out_idx))


@call_rule("EnsureShape")
def _ensured(p: Part, x: Any, shape: Any) -> Any:
    known = None if shape.rank is None else shape.as_list()
    return p.op("EnsureShape", told(p, x), shape=known)


@call_rule("StridedSlice")
def _rows_of(p: Part, values: Any, dtype: Any) -> Any:
    """The number of rows."""
    shape = p.op("Shape", told(p, values), out_type=dtype.name)
    one = p.const([1], "int32")
    return p.op("StridedSlice", shape, p.const([0], "int32"), one, one, shrink_axis_mask=1)


@call_rule("RaggedSplits")
def _splits(p: Part, splits: Any, **_: Any) -> Any:
    return p.op("Identity", told(p, splits))
