"""Rules for operations on ragged and sparse tensors, which are single operations in graphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape._src.graph.nested.whole_calls import Parts
from gradtape._src.graphdef_export.call_rules import splits_of, value_of
from gradtape._src.graphdef_export.nodes import Value, dtype_name
from gradtape._src.graphdef_export.parts import Part
from gradtape._src.graphdef_export.rules import CALLS, call_rule
from gradtape._src.ops.array.gather import gather
from gradtape._src.ops.nn.embedding import embedding_lookup_sparse
from gradtape._src.ops.ragged.construction import range_ as ragged_range
from gradtape._src.ops.reduce import extremes, reductions
from gradtape._src.ops.sparse import algebra, functions, sets
from gradtape._src.ops.types import ragged_rows
from gradtape._src.ops.types.ragged_tensor import RaggedTensor
from gradtape._src.ops.types.ragged_to_tensor import padded, rows_of_sparse
from gradtape._src.ops.types.sparse_tensor import SparseTensor


def parts_of(p: Part, x: Any, kind: type) -> list[Value]:
    """Returns the components of a ragged or sparse argument.

    Raises:
      UnimplementedError: The argument is not a composite tensor of this kind.
    """
    if not isinstance(x, Parts) or not isinstance(x.like, kind):
        raise p.unknown(f"it takes no {kind.__name__} here")
    return [value_of(p, part) for part in x.values]


def element(p: Part, x: Value, place: int) -> Value:
    """Returns an element of a vector; a negative index counts from the end."""
    first, last = p.const([place], "int32"), p.const([place + 1], "int32")
    one = p.const([1], "int32")
    open_end = {"end_mask": 1} if place == -1 else {}
    made: Value = p.op("StridedSlice", x, first, last, one, shrink_axis_mask=1, **open_end)
    return made


def rows(p: Part, x: Value, first: int | None, last: int | None) -> Value:
    """Returns a range of rows of a value."""
    masks = {"begin_mask": int(first is None), "end_mask": int(last is None)}
    ends = (p.const([n or 0], "int32") for n in (first, last))
    made: Value = p.op("StridedSlice", x, *ends, p.const([1], "int32"), **masks)
    return made


def lengths_of(p: Part, splits: Value) -> Value:
    """Returns the lengths of rows."""
    made: Value = p.op("Sub", rows(p, splits, 1, None), rows(p, splits, None, -1))
    return made


def column(p: Part, places: Value, number: int) -> Value:
    """Returns a column of a matrix."""
    made: Value = p.op(
        "StridedSlice",
        places,
        p.const([0, number], "int32"),
        p.const([0, number + 1], "int32"),
        p.const([1, 1], "int32"),
        begin_mask=1,
        end_mask=1,
        shrink_axis_mask=2,
    )
    return made


# Row splits and row indices.


@call_rule(ragged_rows.lengths_of_rows)
def _lengths(p: Part, splits: Any) -> Any:
    return lengths_of(p, value_of(p, splits))


@call_rule(ragged_rows.row_ids)
def _row_ids(p: Part, splits: Any, **_: Any) -> Any:
    return row_numbers(p, value_of(p, splits))


def row_numbers(p: Part, splits: Value) -> Value:
    """Returns the row index of each value."""
    total = element(p, splits, -1)
    numbers = p.op("Range", p.like(0, splits), total, p.like(1, splits))
    first = p.const(0, "int32")
    pairs = [p.op("ExpandDims", x, first) for x in (rows(p, splits, 1, None), numbers)]
    found = p.op("UpperBound", *pairs, out_type=splits.dtype)
    made: Value = p.op("Squeeze", found, squeeze_dims=[0])
    return made


@call_rule(ragged_rows.splits_of_lengths)
def _of_lengths(p: Part, row_lengths: Any) -> Any:
    lengths = value_of(p, row_lengths)
    return with_zero(p, p.op("Cumsum", lengths, p.const(0, "int32")))


def with_zero(p: Part, ends: Value) -> Value:
    """Returns row splits, given the end of each row."""
    zero = p.const(np.zeros(1), ends.dtype)
    made: Value = p.op("ConcatV2", [zero, ends], p.const(0, "int32"))
    return made


@call_rule(ragged_rows.splits_of_starts)
def _of_starts(p: Part, row_starts: Any, count: Any) -> Any:
    starts = value_of(p, row_starts)
    last = p.op("Reshape", p.cast(value_of(p, count), starts.dtype), p.const([1], "int32"))
    return p.op("ConcatV2", [starts, last], p.const(0, "int32"))


@call_rule(ragged_rows.splits_of_limits)
def _of_limits(p: Part, row_limits: Any) -> Any:
    return with_zero(p, value_of(p, row_limits))


@call_rule(ragged_rows.splits_of_ids)
def _of_ids(p: Part, value_rowids: Any, nrows: Any, **_: Any) -> Any:
    ids = value_of(p, value_rowids)
    if nrows is None:
        last = p.op(
            "Max",
            p.op("ConcatV2", [p.const([-1], ids.dtype), ids], p.const(0, "int32")),
            p.const([0], "int32"),
        )
        nrows = p.op("AddV2", last, p.like(1, ids))
    return splits_of(p, ids, value_of(p, nrows), ids.dtype)


# Ragged tensors.


@call_rule(padded)
def _padded(p: Part, x: Any, default_value: Any, shape: Any) -> Any:
    values, *splits = parts_of(p, x, RaggedTensor)
    default = p.like(b"" if values.dtype == "string" else 0, values)
    if default_value is not None:
        default = value_of(p, default_value, values.dtype)
    wanted = p.const(-1, "int64")
    if shape is not None:
        sizes = getattr(shape, "as_list", lambda: list(shape))()
        wanted = p.const([-1 if n is None else n for n in sizes], "int64")
    kinds = ["ROW_SPLITS"] * len(splits)
    return p.op("RaggedTensorToTensor", wanted, values, default, splits, row_partition_types=kinds)


@call_rule(ragged_range)
def _range(p: Part, starts: Any, limits: Any, deltas: Any, dtype: Any, **given: Any) -> Any:
    if limits is None:
        starts, limits = 0, starts
    kind = p.outputs[0].np_dtype.name
    ends = [
        value_of(p, np.asarray(x) if np.isscalar(x) else x, kind) for x in (starts, limits, deltas)
    ]
    splits = p.outputs[1].np_dtype.name
    made = p.op("RaggedRange", *ends, Tsplits=splits)
    return made[::-1]


@call_rule(gather)
def _gathered(p: Part, params: Any, indices: Any, axis: Any, batch_dims: Any, **_: Any) -> Any:
    if not isinstance(params, Parts) and not isinstance(indices, Parts):  # the rank is unknown
        at, along = value_of(p, indices), value_of(p, axis or batch_dims or 0, "int32")
        return p.op("GatherV2", value_of(p, params), at, along, batch_dims=batch_dims or 0)
    if batch_dims or axis not in (None, 0) or isinstance(indices, Parts):
        raise p.unknown("a ragged tensor can be gathered only along its first axis")
    values, *splits = parts_of(p, params, RaggedTensor)
    at = value_of(p, indices)
    if len(at.shape or ()) != 1:
        raise p.unknown("a ragged tensor can be gathered only by a vector of indices")
    found, inner = p.op("RaggedGather", splits, values, at, OUTPUT_RAGGED_RANK=len(splits))
    return [inner, *found]


_SEGMENTS = {
    reductions.reduce_sum: ("UnsortedSegmentSum", "Sum"),
    reductions.reduce_prod: ("UnsortedSegmentProd", "Prod"),
    extremes.reduce_max: ("UnsortedSegmentMax", "Max"),
    extremes.reduce_min: ("UnsortedSegmentMin", "Min"),
    reductions.reduce_mean: ("UnsortedSegmentSum", "Mean"),
}


def _reduces(function: Any, segments: str, whole: str) -> None:
    @call_rule(function)
    def reduce(p: Part, input_tensor: Any, axis: Any, keepdims: Any, **_: Any) -> Any:
        if not isinstance(input_tensor, Parts):  # the rank is unknown
            return CALLS[whole](p, input_tensor=input_tensor, axis=axis, keepdims=keepdims)
        values, *splits = parts_of(p, input_tensor, RaggedTensor)
        rank = len(splits)
        places = range(len(values.shape or ()))
        if axis is None:
            return p.op(whole, values, p.const([*places], "int32"), keep_dims=bool(keepdims))
        axes = np.ravel(getattr(axis, "_value", axis))
        if len(axes) != 1:
            raise p.unknown("a reduction along several axes of a ragged tensor")
        at = int(axes[0])
        at += len(places) + rank if at < 0 else 0
        if at > rank:
            made = p.op(whole, values, p.const([at - rank], "int32"), keep_dims=bool(keepdims))
            return [made, *splits]
        if at < rank or keepdims:
            raise p.unknown("a reduction along this axis of a ragged tensor")
        ids = row_numbers(p, splits[-1])
        lengths = lengths_of(p, splits[-1])
        made = p.op(segments, values, ids, element(p, p.op("Shape", lengths), 0))
        if whole == "Mean":
            shape = p.const([-1] + [1] * (len(places) - 1), "int32")
            made = p.op("RealDiv", made, p.op("Reshape", p.cast(lengths, values.dtype), shape))
        return [made, *splits[:-1]] if rank > 1 else made


for _function, _names in _SEGMENTS.items():
    _reduces(_function, *_names)


@call_rule(RaggedTensor.__getitem__.__wrapped__)  # type: ignore[attr-defined]
def _item(p: Part, key: Any, **given: Any) -> Any:
    values, *splits = parts_of(p, given["self"], RaggedTensor)
    keys = key if isinstance(key, tuple) else (key,)
    whole = slice(None)
    if len(splits) > 1 or not all(map(_is_plain, keys)):
        raise p.unknown("this part of a ragged tensor")
    if isinstance(keys[0], int) and len(keys) == 1:
        ends = [element(p, rows(p, splits[0], *at), keys[0]) for at in ((None, -1), (1, None))]
        each = p.op("Range", *ends, p.like(1, splits[0]))
        return p.op("GatherV2", values, each, p.const(0, "int32"))
    starts, stops = rows(p, splits[0], None, -1), rows(p, splits[0], 1, None)
    first, second = [*keys, whole][:2]
    if len(keys) > 2 or not isinstance(first, slice) or not isinstance(second, slice):
        raise p.unknown("this part of a ragged tensor")
    starts, stops = (rows(p, x, first.start, first.stop) for x in (starts, stops))
    if second != whole:
        low, high = (_bound(p, n, starts, stops) for n in (second.start or 0, second.stop))
        starts, stops = low, p.op("Maximum", low, high)
    found, each = p.op("RaggedRange", starts, stops, p.like(1, starts), Tsplits=splits[0].dtype)
    return [p.op("GatherV2", values, each, p.const(0, "int32")), found]


def _is_plain(key: Any) -> bool:
    """Whether a key is a number, or a slice of step 1."""
    if isinstance(key, slice):
        return key.step in (None, 1) and all(
            n is None or isinstance(n, int) for n in (key.start, key.stop)
        )
    return isinstance(key, int)


def _bound(p: Part, n: int | None, starts: Value, stops: Value) -> Value:
    """Returns an index in each row, clipped to the row."""
    if n is None:
        return stops
    moved = p.op("AddV2", starts if n >= 0 else stops, p.like(n, starts))
    inside: Value = p.op("Minimum", p.op("Maximum", moved, starts), stops)
    return inside


_OPERATORS = {"add": "AddV2", "sub": "Sub", "mul": "Mul", "truediv": "RealDiv"}


def _operates(name: str, operation: str, reflected: bool) -> None:
    @call_rule(name)
    def operate(p: Part, other: Any, **given: Any) -> Any:
        """Applies the operation to the values, since both operands have rows of equal lengths."""
        values, *splits = parts_of(p, given["self"], RaggedTensor)
        if isinstance(other, Parts):
            y = parts_of(p, other, RaggedTensor)[0]
        else:
            y = value_of(p, other, values.dtype)
            if y.shape is None or len(y.shape) > 0:
                raise p.unknown("a ragged tensor with a tensor that has axes")
        pair = (y, values) if reflected else (values, y)
        return [p.op(operation, *pair), *splits]


for _name, _operation in _OPERATORS.items():
    _operates(f"__{_name}__", _operation, False)
    _operates(f"__r{_name}__", _operation, True)


@call_rule("RaggedTensorToSparse")
def _to_sparse(p: Part, **given: Any) -> Any:
    if "rt_nested_splits" in given:
        splits = [value_of(p, x) for x in given["rt_nested_splits"]]
        return p.op("RaggedTensorToSparse", splits, value_of(p, given["rt_dense_values"]))
    (x,) = given.values()
    values, *splits = parts_of(p, x, RaggedTensor)
    return p.op("RaggedTensorToSparse", splits, values)


@call_rule(rows_of_sparse)
def _rows_of_sparse(p: Part, x: Any, dtype: Any) -> Any:
    places, values, shape = parts_of(p, x, SparseTensor)
    masks = {"begin_mask": 1, "end_mask": 1, "shrink_axis_mask": 2}
    ends = [p.const(n, "int32") for n in ([0, 0], [0, 1], [1, 1])]
    ids = p.op("StridedSlice", places, *ends, **masks)
    return [values, splits_of(p, ids, element(p, shape, 0), dtype.name)]


# Sparse tensors.


@call_rule(algebra.retain)
def _retained(p: Part, sp_input: Any, to_retain: Any) -> Any:
    places, values, shape = parts_of(p, sp_input, SparseTensor)
    flags = p.op("Reshape", value_of(p, to_retain, "bool"), p.const([-1], "int32"))
    where = p.op("Where", flags)
    kept = p.op("Squeeze", where, squeeze_dims=[1])
    zero = p.const(0, "int32")
    return [p.op("GatherV2", x, kept, zero) for x in (places, values)] + [shape]


_EXCHANGED = {"a-b": "b-a", "b-a": "a-b"}
_SETS = {sets.intersection: "intersection", sets.union: "union", sets.difference: "a-b"}


def _combines(function: Any, operation: str) -> None:
    @call_rule(function)
    def combine(p: Part, a: Any, b: Any, aminusb: bool = True, **_: Any) -> Any:
        of_a, of_b = isinstance(a, Parts), isinstance(b, Parts)
        kind = operation if aminusb else "b-a"
        if of_a and not of_b:  # TensorFlow's operation takes the sparse tensor last
            a, b, kind = b, a, _EXCHANGED.get(kind, kind)
        dtype = dtype_name(p.outputs[1].np_dtype)
        sets_of_a = parts_of(p, a, SparseTensor) if of_a and of_b else [value_of(p, a, dtype)]
        sets_of_b = parts_of(p, b, SparseTensor) if of_a or of_b else [value_of(p, b, dtype)]
        name = f"{'Sparse' if of_a and of_b else 'Dense'}To{'Sparse' if of_a or of_b else 'Dense'}"
        return p.op(f"{name}SetOperation", *sets_of_a, *sets_of_b, set_operation=kind)


for _of_sets, _set_operation in _SETS.items():
    _combines(_of_sets, _set_operation)


@call_rule(sets.size)
def _set_size(p: Part, a: Any, validate_indices: Any, **_: Any) -> Any:
    parts = parts_of(p, a, SparseTensor)
    return p.op("SetSize", *parts, validate_indices=bool(validate_indices))


@call_rule(functions.split)
def _split(p: Part, sp_input: Any, num_split: Any, axis: Any, **_: Any) -> Any:
    parts, at = parts_of(p, sp_input, SparseTensor), value_of(p, axis, "int64")
    found = p.op("SparseSplit", at, *parts, num_split=int(num_split))
    return [part for one in zip(*found, strict=True) for part in one]


@call_rule(algebra.from_dense)
def _from_dense(p: Part, tensor: Any, **_: Any) -> Any:
    x = value_of(p, tensor)
    zero = p.like(b"" if x.dtype == "string" else 0, x)
    places = p.op("Where", p.op("NotEqual", x, zero))
    return [places, p.op("GatherNd", x, places), p.op("Shape", x, out_type="int64")]


@call_rule(algebra.to_dense)
def _to_dense(p: Part, sp_input: Any, default_value: Any, validate_indices: Any, **_: Any) -> Any:
    places, values, shape = parts_of(p, sp_input, SparseTensor)
    default = p.like(b"" if values.dtype == "string" else 0, values)
    if default_value is not None:
        default = value_of(p, default_value, values.dtype)
    return p.op(
        "SparseToDense", places, shape, values, default, validate_indices=bool(validate_indices)
    )


@call_rule(algebra.sparse_dense_matmul)
def _product(p: Part, sp_a: Any, b: Any, adjoint_a: Any, adjoint_b: Any, **_: Any) -> Any:
    places, values, shape = parts_of(p, sp_a, SparseTensor)
    return p.op(
        "SparseTensorDenseMatMul",
        places,
        values,
        shape,
        value_of(p, b),
        adjoint_a=bool(adjoint_a),
        adjoint_b=bool(adjoint_b),
    )


@call_rule(algebra.add)
def _sum(p: Part, a: Any, b: Any, threshold: Any) -> Any:
    if isinstance(a, Parts) and isinstance(b, Parts):
        parts = [*parts_of(p, a, SparseTensor), *parts_of(p, b, SparseTensor)]
        kind = parts[1].dtype.replace("complex64", "float32").replace("complex128", "float64")
        return p.op("SparseAdd", *parts, p.const(np.asarray(threshold), kind))
    sparse, dense = (a, b) if isinstance(a, Parts) else (b, a)
    return p.op("SparseTensorDenseAdd", *parts_of(p, sparse, SparseTensor), value_of(p, dense))


def _reduced(function: Any, name: str) -> None:
    @call_rule(function)
    def reduce(
        p: Part, sp_input: Any, axis: Any, keepdims: Any, output_is_sparse: Any, **_: Any
    ) -> Any:
        parts = parts_of(p, sp_input, SparseTensor)
        rank = (parts[0].shape or (0, 0))[1]
        axes = range(rank) if axis is None else np.ravel(np.asarray(getattr(axis, "_value", axis)))
        kind = name + "Sparse" if output_is_sparse else name
        return p.op(kind, *parts, p.const([*axes], "int32"), keep_dims=bool(keepdims))


_reduced(algebra.reduce_sum, "SparseReduceSum")
_reduced(functions.reduce_max, "SparseReduceMax")


@call_rule(functions.slice_)
def _sliced(p: Part, sp_input: Any, start: Any, size: Any, **_: Any) -> Any:
    parts = parts_of(p, sp_input, SparseTensor)
    return p.op(
        "SparseSlice",
        *parts,
        value_of(p, np.asarray(start), "int64"),
        value_of(p, np.asarray(size), "int64"),
    )


@call_rule(algebra.concat)
def _joined(p: Part, axis: Any, sp_inputs: Any, expand_nonconcat_dims: Any, **_: Any) -> Any:
    if expand_nonconcat_dims:
        raise p.unknown("concatenation with expand_nonconcat_dims=True")
    parts = [parts_of(p, x, SparseTensor) for x in sp_inputs]
    places, values, shapes = (list(group) for group in zip(*parts, strict=True))
    return p.op("SparseConcat", places, values, shapes, concat_dim=int(axis))


@call_rule(algebra.transpose)
def _transposed(p: Part, sp_input: Any, perm: Any, **_: Any) -> Any:
    places, values, shape = parts_of(p, sp_input, SparseTensor)
    rank = (places.shape or (0, 0))[1]
    order = p.const([*(range(rank)[::-1] if perm is None else np.ravel(perm))], "int32")
    zero, one = p.const(0, "int32"), p.const(1, "int32")
    moved, lengths = p.op("GatherV2", places, order, one), p.op("GatherV2", shape, order, zero)
    return [*p.op("SparseReorder", moved, values, lengths), lengths]


@call_rule(algebra.reorder)
def _reordered(p: Part, sp_input: Any, **_: Any) -> Any:
    places, values, shape = parts_of(p, sp_input, SparseTensor)
    return [*p.op("SparseReorder", places, values, shape), shape]


@call_rule(algebra.reshape)
def _reshaped(p: Part, sp_input: Any, shape: Any, **_: Any) -> Any:
    places, values, before = parts_of(p, sp_input, SparseTensor)
    wanted = value_of(p, shape if isinstance(shape, Value) else np.asarray(shape), "int64")
    moved, after = p.op("SparseReshape", places, before, wanted)
    return [moved, values, after]


@call_rule(functions.fill_empty_rows)
def _filled(p: Part, sp_input: Any, default_value: Any, **_: Any) -> Any:
    places, values, shape = parts_of(p, sp_input, SparseTensor)
    default = value_of(p, default_value, values.dtype)
    found = p.op("SparseFillEmptyRows", places, values, shape, default)
    return [found[0], found[1], shape, found[2]]


@call_rule(functions.softmax)
def _softmax(p: Part, sp_input: Any, **_: Any) -> Any:
    places, values, shape = parts_of(p, sp_input, SparseTensor)
    return [places, p.op("SparseSoftmax", places, values, shape), shape]


_COMBINED = {"sum": "SparseSegmentSum", "mean": "SparseSegmentMean", "sqrtn": "SparseSegmentSqrtN"}


@call_rule(embedding_lookup_sparse)
def _embedded(
    p: Part, params: Any, sp_ids: Any, sp_weights: Any, combiner: Any, max_norm: Any, **_: Any
) -> Any:
    if max_norm is not None or (isinstance(params, Sequence) and len(params) != 1):
        raise p.unknown("an embedding in several parts, or with `max_norm`")
    table = value_of(p, params[0] if isinstance(params, Sequence) else params)
    places, ids, _shape = parts_of(p, sp_ids, SparseTensor)
    segments = p.cast(column(p, places, 0), "int32")
    combiner = combiner or "mean"
    if sp_weights is None:
        return p.op(_COMBINED[combiner], table, ids, segments)
    weights = p.cast(parts_of(p, sp_weights, SparseTensor)[1], table.dtype)
    found = p.op("GatherV2", table, ids, p.const(0, "int32"))
    flat = p.op("Reshape", weights, p.const([-1] + [1] * (table.rank - 1), "int32"))
    whole = p.op("SegmentSum", p.op("Mul", found, flat), segments)
    if combiner == "sum":
        return whole
    by = p.op("SegmentSum", flat if combiner == "mean" else p.op("Square", flat), segments)
    return p.op("DivNoNan", whole, by if combiner == "mean" else p.op("Sqrt", by))
