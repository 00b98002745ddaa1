"""Rules for functions of sparse and ragged tensors whose sizes depend on values."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.files import serialized
from gradtape._src.graph.nested.whole_calls import Parts
from gradtape._src.graphdef_export.call_rules import splits_of, value_of
from gradtape._src.graphdef_export.composite_rules import (
    lengths_of,
    parts_of,
    row_numbers,
    with_zero,
)
from gradtape._src.graphdef_export.nodes import Value, dtype_name
from gradtape._src.graphdef_export.parts import Part
from gradtape._src.graphdef_export.rules import call_rule
from gradtape._src.ops.ragged.construction import boolean_mask, segment_ids_to_row_splits, stack
from gradtape._src.ops.sparse import algebra, functions
from gradtape._src.ops.types.ragged_tensor import RaggedTensor
from gradtape._src.ops.types.sparse_tensor import SparseTensor
from gradtape._src.text import sparse_cross


def _compared(function: Any, operation: str) -> None:
    @call_rule(function)
    def compare(p: Part, sp_a: Any, sp_b: Any, **_: Any) -> Any:
        a, b = parts_of(p, sp_a, SparseTensor), parts_of(p, sp_b, SparseTensor)
        return [*p.op(operation, *a, *b), a[2]]


_compared(algebra.maximum, "SparseSparseMaximum")
_compared(algebra.minimum, "SparseSparseMinimum")


@call_rule(serialized.serialize_sparse)
def _serialized(p: Part, sp_input: Any, **_: Any) -> Any:
    return p.op("SerializeSparse", *parts_of(p, sp_input, SparseTensor))


@call_rule(serialized.serialize_many_sparse)
def _serialized_slices(p: Part, sp_input: Any, **_: Any) -> Any:
    return p.op("SerializeManySparse", *parts_of(p, sp_input, SparseTensor))


@call_rule(functions.to_indicator)
def _indicator(p: Part, sp_input: Any, vocab_size: Any, **_: Any) -> Any:
    places, ids, shape = parts_of(p, sp_input, SparseTensor)
    last = (places.shape or (0, 0))[1] - 1
    sizes = p.op("Slice", shape, p.const([0], "int32"), p.const([last], "int32"))
    rows = p.op("Slice", places, p.const([0, 0], "int32"), p.const([-1, last], "int32"))
    columns = p.op("ExpandDims", p.cast(ids, "int64"), p.const(1, "int32"))
    count = p.op("ExpandDims", value_of(p, vocab_size, "int64"), p.const(0, "int32"))
    at = p.op("ConcatV2", [rows, columns], p.const(1, "int32"))
    size = p.op("ConcatV2", [sizes, count], p.const(0, "int32"))
    bits = p.const(True, "bool"), p.const(False, "bool")
    return p.op("SparseToDense", at, size, *bits, validate_indices=False)


@call_rule(functions.bincount)
def _counted(
    p: Part,
    values: Any,
    weights: Any,
    axis: Any,
    minlength: Any,
    maxlength: Any,
    binary_output: bool,
    **_: Any,
) -> Any:
    how: dict[str, Any] = {"binary_output": bool(binary_output), "minlength": -1, "maxlength": -1}
    for limit, given in (("minlength", minlength), ("maxlength", maxlength)):
        if given is not None:
            how[limit] = int(given)
    is_sparse = isinstance(values, Parts)
    parts = parts_of(p, values, SparseTensor) if is_sparse else [value_of(p, values)]
    if axis != -1:
        if is_sparse:
            parts = [parts[1]]
        parts = [p.op("Reshape", parts[0], p.const([-1], "int32"))]
    kind = dtype_name(p.outputs[1].np_dtype)
    if weights is None:
        each = p.const(np.zeros(0), kind)
    elif isinstance(weights, Parts):
        each = parts_of(p, weights, SparseTensor)[1]
    else:
        each = value_of(p, weights)
        each = p.op("Reshape", each, p.const([-1], "int32")) if axis != -1 else each
    operation = "SparseCountSparseOutput" if len(parts) == 3 else "DenseCountSparseOutput"
    return p.op(operation, *parts, each, **how)


@call_rule(sparse_cross.cross)
def _crossed(p: Part, inputs: Any, separator: Any, **_: Any) -> Any:
    between = p.const("_X_" if separator is None else separator, "string")
    return p.op("SparseCrossV2", *_columns(p, inputs), between)


@call_rule(sparse_cross.cross_hashed)
def _hashed(p: Part, inputs: Any, num_buckets: Any, hash_key: Any, **_: Any) -> Any:
    columns = _columns(p, inputs)
    texts = any(x.dtype == "string" for x in (*columns[1], *columns[3]))
    key = sparse_cross.HASH_KEY if hash_key is None else int(hash_key)
    return p.op(
        "SparseCross",
        *columns,
        hashed_output=True,
        num_buckets=int(num_buckets),
        hash_key=key,
        out_type="int64",
        internal_type="string" if texts else "int64",
    )


def _columns(p: Part, inputs: Any) -> list[list[Value]]:
    """Returns the parts of the sparse matrices, and the dense ones, as strings or int64."""
    sparse = [parts_of(p, x, SparseTensor) for x in inputs if isinstance(x, Parts)]
    dense = [value_of(p, x) for x in inputs if not isinstance(x, Parts)]
    places, values, shapes = ([x[i] for x in sparse] for i in range(3))
    sides = [[_key(p, x) for x in side] for side in (values, dense)]
    return [places, sides[0], shapes, sides[1]]


def _key(p: Part, x: Value) -> Value:
    return x if x.dtype == "string" else p.cast(x, "int64")


@call_rule(stack)
def _stacked(p: Part, values: Any, axis: Any, **_: Any) -> Any:
    rows = [value_of(p, x) for x in values if not isinstance(x, Parts)]
    if axis != 0 or len(rows) != len(values) or any(x.rank != rows[0].rank for x in rows):
        raise p.unknown("only tensors of one rank can be stacked if lengths are unknown")
    zero, one = p.const([0], "int32"), p.const([1], "int32")
    shapes = [p.op("Shape", x, out_type="int32") for x in rows]
    made = []
    for level, splits in enumerate(p.outputs[1:]):
        first, last = p.const([level], "int32"), p.const([level + 1], "int32")
        lengths = []
        for shape in shapes:
            outer = p.op("Prod", p.op("Slice", shape, zero, first), zero, keep_dims=True)
            own = p.op("StridedSlice", shape, first, last, one, shrink_axis_mask=1)
            lengths.append(p.op("Fill", outer, own))
        ends = p.op("Cumsum", _joined(p, lengths), 0)
        made.append(p.cast(with_zero(p, ends), dtype_name(splits.np_dtype)))
    depth = p.const([len(made)], "int32")
    flat = []
    for x, shape in zip(rows, shapes, strict=True):
        rest = p.op("StridedSlice", shape, depth, zero, one, end_mask=1)
        flat.append(p.op("Reshape", x, p.op("ConcatV2", [p.const([-1], "int32"), rest], 0)))
    return [_joined(p, flat), *made]


def _joined(p: Part, parts: list[Value]) -> Value:
    """Returns the rows of all parts."""
    made: Value = p.op("ConcatV2", parts, 0) if len(parts) > 1 else parts[0]
    return made


@call_rule(algebra.retain)
def _retained(p: Part, sp_input: Any, to_retain: Any) -> Any:
    places, values, shape = parts_of(p, sp_input, SparseTensor)
    kept = p.op("Where", value_of(p, to_retain))
    kept = p.op("Squeeze", kept, squeeze_dims=[1])
    return [*(p.op("GatherV2", x, kept, 0) for x in (places, values)), shape]


@call_rule(algebra.expand_dims)
def _expanded(p: Part, sp_input: Any, axis: Any, **_: Any) -> Any:
    places, values, shape = parts_of(p, sp_input, SparseTensor)
    rank = p.outputs[0].shape[1] - 1
    at = (-1 if axis is None else int(axis)) % (rank + 1)
    sides = p.const([at, rank - at], "int32")
    before, after = p.op("SplitV", places, sides, 1, num_split=2)
    whole = p.op("Shape", places, out_type="int32")
    count = p.op("Slice", whole, p.const([0], "int32"), p.const([1], "int32"))
    column = p.op("Fill", p.op("ConcatV2", [count, p.const([1], "int32")], 0), p.const(0, "int64"))
    first, last = p.op("SplitV", shape, sides, 0, num_split=2)
    made = p.op("ConcatV2", [before, column, after], 1)
    return [made, values, p.op("ConcatV2", [first, p.const([1], "int64"), last], 0)]


@call_rule(functions.reset_shape)
def _reset(p: Part, sp_input: Any, new_shape: Any) -> Any:
    places, values, _ = parts_of(p, sp_input, SparseTensor)
    if new_shape is not None:
        return [places, values, value_of(p, new_shape, "int64")]
    most = p.op("Max", places, p.const([0], "int32"))  # the lowest number if there are no elements
    least = p.op("Maximum", p.op("AddV2", most, p.const(1, "int64")), p.const(0, "int64"))
    return [places, values, least]


@call_rule(boolean_mask)
def _masked(p: Part, data: Any, mask: Any, **_: Any) -> Any:
    if isinstance(data, Parts) != isinstance(mask, Parts):
        raise p.unknown("a mask of another kind than the data")
    if isinstance(data, Parts):
        values, *splits = parts_of(p, data, RaggedTensor)
        flags = parts_of(p, mask, RaggedTensor)[0]
        if len(splits) > 1 or flags.rank != 1:
            raise p.unknown("a mask of several ragged axes")
        lengths = lengths_of(p, splits[0])
        ids = row_numbers(p, splits[0])
        count = p.op("Size", lengths, out_type="int32")
        kept = p.op("UnsortedSegmentSum", p.cast(flags, lengths.dtype), ids, count)
    else:
        x, m = value_of(p, data), value_of(p, mask)
        if m.rank != 2:
            raise p.unknown("a mask that is neither a vector nor a matrix")
        shape, one = p.op("Shape", x, out_type="int32"), p.const([2], "int32")
        rest = p.op("Slice", shape, one, p.const([-1], "int32"))
        flat = p.op("ConcatV2", [p.const([-1], "int32"), rest], p.const(0, "int32"))
        values, flags = p.op("Reshape", x, flat), p.op("Reshape", m, p.const([-1], "int32"))
        kept = p.op("Sum", p.cast(m, "int64"), p.const([1], "int32"))
    places = p.op("Squeeze", p.op("Where", flags), squeeze_dims=[1])
    chosen = p.op("GatherV2", values, places, p.const(0, "int32"))
    return [chosen, with_zero(p, p.op("Cumsum", kept, p.const(0, "int32")))]


@call_rule(segment_ids_to_row_splits)
def _splits_of_ids(p: Part, segment_ids: Any, num_segments: Any, **_: Any) -> Any:
    ids = value_of(p, segment_ids)
    if num_segments is None:
        ends = p.op("ConcatV2", [p.const([-1], ids.dtype), ids], p.const(0, "int32"))
        count = p.op("AddV2", p.op("Max", ends, p.const([0], "int32")), p.like(1, ids))
    else:
        count = value_of(p, num_segments)
    return splits_of(p, ids, count, dtype_name(p.outputs[0].np_dtype))
