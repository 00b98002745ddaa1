"""Rules for functions that graphs call as a whole, since result shapes depend on values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape._src.base.export import RAW_OPS, RawOp
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.graph_operations import Described
from gradtape._src.graph.ir.whole_calls import Call
from gradtape._src.graphdef.file_kernels import ADAPTED
from gradtape._src.graphdef.op_definitions import (
    Argument,
    Attribute,
    is_defined,
    op_definition,
)
from gradtape._src.graphdef_export.array_rules import sliced
from gradtape._src.graphdef_export.nodes import Value, dtype_name
from gradtape._src.graphdef_export.parts import Part
from gradtape._src.graphdef_export.rules import CALLS, RULES, call_rule, rule
from gradtape._src.raw import modules as _modules  # noqa: F401 (fills RAW_OPS)


@rule("Structured")
def _called(p: Part, *xs: Value, of: Any) -> Any:
    if not isinstance(of, Call):
        raise p.unknown(f"{type(of).__name__} of an operation as a whole is not exported")
    assert p.node is not None
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
    made = CALLS.get(function) or CALLS.get(name)
    try:
        if made is not None:
            return made(p, **arguments)
        op = _raw_operation(name, function, arguments)
        if op is None or not is_defined(op.name):
            raise p.unknown()
        return _by_names(p, op, arguments)
    except (KeyError, TypeError, ValueError) as error:  # arguments of another function
        raise p.unknown(f"its arguments say otherwise than TensorFlow's ({error})") from None


def _raw_operation(name: str, function: Any, arguments: dict[str, Any]) -> RawOp | None:
    """Returns the raw operation of a call, by its name or by the function that implements it.

    If a function implements several, the one that takes the most arguments is chosen.
    """
    found = RAW_OPS.get(name) or ADAPTED.get(name)
    if found is not None:
        return found
    served = [op for op in RAW_OPS.values() if op.function is function and is_defined(op.name)]
    inputs = {
        op.name: [arguments.get(_parameter(op, x)) for x in op_definition(op.name).inputs]
        for op in served
    }
    fitting = [op for op in served if all(x is not None for x in inputs[op.name])]
    return max(fitting, key=lambda op: len(inputs[op.name]), default=None)


def _by_place(p: Part, name: str, xs: Sequence[Value], attributes: dict[str, Any]) -> Any:
    """Adds an operation with tensors in order, and additional inputs by name."""
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
            inputs.append([told(p, y) for y in x])
        else:  # a value that is not a tensor gets the dtype of the other inputs
            inputs.append(told(p, x) if _has_dtype(x) else x)
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
    if isinstance(x, (list, tuple)):
        return any(isinstance(n, Value) for n in x)
    return hasattr(x, "dtype") or isinstance(x, Value)


def _parameter(op: RawOp, of: Argument | Attribute) -> str:
    """Returns the function's parameter for an input or attribute."""
    name = of.python_name or of.name
    return op.renamed.get(name, name)


def told(p: Part, x: Any, dtype: Any = None) -> Value:
    """Converts an argument to a value."""
    if isinstance(x, Value):
        return x if dtype is None else p.cast(x, dtype)
    if isinstance(x, (list, tuple)) and any(isinstance(n, Value) for n in x):
        made: Value = p.op("Pack", [told(p, n, dtype or "int32") for n in x])
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


@call_rule("Sum", "Mean", "Max", "Min", "Prod")
def _reduced(p: Part, axis: Any, keepdims: Any, name: Any = None, **arguments: Any) -> Any:
    """Returns a reduction of a value, whose rank may be unknown."""
    assert p.node is not None
    (x,) = [told(p, y) for y in arguments.values()]
    if axis is None:
        zero, one = p.const(0, "int32"), p.const(1, "int32")
        along = p.op("Range", zero, p.op("Rank", x), one)
    else:
        along = told(p, axis, "int32")
    return p.op(p.node.primitive.name, x, along, keep_dims=bool(keepdims))


@call_rule("LengthsOf")
def _of_lengths(p: Part, x: Any) -> Any:
    shape = p.op("Reshape", p.cast(told(p, x), "int32"), p.const([-1], "int32"))
    return p.op("BroadcastTo", p.const(False, "bool"), shape)


@call_rule("StridedSlice")
def _strided_slice(p: Part, **arguments: Any) -> Any:
    """Returns a slice with bounds that are computed, or the number of rows."""
    if "parts" in arguments:
        key = arguments["parts"].filled(arguments["positions"])
        return sliced(p, told(p, arguments["x"]), key=key)
    return _rows_of(p, **arguments)


def _rows_of(p: Part, values: Any, dtype: Any) -> Any:
    shape = p.op("Shape", told(p, values), out_type=dtype.name)
    one = p.const([1], "int32")
    return p.op("StridedSlice", shape, p.const([0], "int32"), one, one, shrink_axis_mask=1)


@call_rule("RaggedSplits")
def _splits(p: Part, splits: Any, **_: Any) -> Any:
    return p.op("Identity", told(p, splits))
