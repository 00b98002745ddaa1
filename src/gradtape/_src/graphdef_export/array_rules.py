"""Rules for operations that move elements: shapes, slices, rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape._src.declare.unknown_sizes import Size
from gradtape._src.graphdef_export.elementwise_rules import full, mask
from gradtape._src.graphdef_export.nodes import Value, dtype_name
from gradtape._src.graphdef_export.parts import Part
from gradtape._src.graphdef_export.rules import rule


def out_shape(p: Part, i: int = 0) -> Any:
    """Returns the output shape of the operation that is being exported."""
    return p.outputs[i].shape


def along(rank: int, axis: int) -> int:
    """Returns an axis counted from the start."""
    return axis % rank if rank else 0


@rule("Reshape")
def _reshape(p: Part, x: Value, *, shape: Any) -> Any:
    sizes = [-1 if type(n) is Size else n for n in shape]
    if sizes.count(-1) == 1 and 0 not in sizes:  # with a 0, -1 is ambiguous
        return p.op("Reshape", x, p.const(np.array(sizes, np.int32), "int32"))
    return p.op("Reshape", x, p.ints(shape))


@rule("GrowRows")
def _grow(p: Part, rows: Value, places: Value) -> Any:
    flat = p.op("Reshape", integer(p, places), p.const([-1], "int32"))
    last = p.cast(p.op("Max", flat, p.const([0], "int32")), "int32")
    count = p.op("AddV2", p.op("Maximum", last, p.like(-1, last)), p.like(1, last))
    missing = p.op("Sub", count, p.length_of(rows))
    nothing = p.const(0, "int32")
    first = p.op("Pack", [nothing, p.op("Maximum", missing, nothing)])
    others = [p.const([0, 0], "int32")] * (rows.rank - 1)
    return p.op("Pad", rows, p.op("Pack", [first, *others]))


@rule("SumTo")
def _sum_to(p: Part, g: Value, *, shape: Any) -> Any:
    wanted = p.ints(shape)
    axes, _ = p.op("BroadcastGradientArgs", wanted, p.op("Shape", g))
    return p.op("Reshape", p.op("Sum", g, axes, keep_dims=False), wanted)


@rule("BroadcastTo")
def _broadcast_to(p: Part, x: Value, *, shape: Any) -> Any:
    return p.op("BroadcastTo", x, p.ints(shape))


@rule("Transpose")
def _transpose(p: Part, x: Value, *, perm: Any) -> Any:
    return p.op("Transpose", x, p.const(np.array(perm, np.int32), "int32"))


@rule("Slice")
def _slice(p: Part, x: Value, *, begin: Any, end: Any) -> Any:
    rest = x.rank - len(begin)
    sizes = [e - b for b, e in zip(begin, end, strict=True)]
    return p.op("Slice", x, p.ints([*begin, *[0] * rest]), p.ints([*sizes, *[-1] * rest]))


def paddings(p: Part, before: Sequence[Any], after: Sequence[Any]) -> Value:
    """Returns the padding before and after each axis, as a matrix."""
    flat = [n for pair in zip(before, after, strict=True) for n in pair]
    if not any(type(n) is Size for n in flat):
        return p.const(np.array(flat, np.int32).reshape(-1, 2), "int32")
    return p.reshaped(p.ints(flat), (len(before), 2))


@rule("Pad")
def _pad(p: Part, x: Value, *, before: Any, after: Any) -> Any:
    return p.op("Pad", x, paddings(p, before, after))


@rule("PadV2")
def _pad_with(p: Part, x: Value, value: Value, *, before: Any, after: Any) -> Any:
    return p.op("PadV2", x, paddings(p, before, after), value)


@rule("Pack")
def _pack(p: Part, *xs: Value) -> Any:
    return p.op("Pack", list(xs))


@rule("Unpack")
def _unpack(p: Part, x: Value) -> Any:
    return p.op("Unpack", x, num=len(p.outputs), T=x.dtype)


@rule("ConcatV2")
def _concat(p: Part, *xs: Value, axis: int) -> Any:
    if len(xs) == 1:
        return p.op("Identity", xs[0])
    return p.op("ConcatV2", list(xs), p.const(axis, "int32"))


@rule("SplitV")
def _split(p: Part, x: Value, *, lengths: Any, axis: int) -> Any:
    sizes, at = p.ints(lengths), p.const(along(x.rank, axis), "int32")
    return p.op("SplitV", x, sizes, at, num_split=len(lengths))


@rule("Tile")
def _tile(p: Part, x: Value, *, multiples: Any) -> Any:
    return p.op("Tile", x, p.ints(multiples))


@rule("ReverseV2")
def _reverse(p: Part, x: Value, *, axis: Any) -> Any:
    axes = [axis] if isinstance(axis, int) else list(axis)
    return p.op("ReverseV2", x, p.const(np.array(axes, np.int32), "int32"))


@rule("Roll")
def _roll(p: Part, x: Value, *, shift: Any, axis: Any) -> Any:
    axes = np.array([along(x.rank, a) for a in axis], np.int32)
    return p.op("Roll", x, p.ints(shift), p.const(axes, "int32"))


@rule("Shape")
def _shape(p: Part, x: Value, *, kind: Any) -> Any:
    return p.op("Shape", x, out_type=dtype_name(kind))


@rule("Size")
def _size(p: Part, x: Value, *, kind: Any) -> Any:
    return p.op("Size", x, out_type=dtype_name(kind))


@rule("Where")
def _where(p: Part, condition: Value) -> Any:
    return p.op("Where", condition)


@rule("OneHot")
def _one_hot(p: Part, indices: Value, on: Value, off: Value, *, depth: Any, axis: int) -> Any:
    place = axis if axis == -1 else along(indices.rank + 1, axis)
    if indices.dtype not in ("uint8", "int8", "int32", "int64"):
        indices = p.cast(indices, "int64")
    return p.op("OneHot", indices, p.number(depth), on, off, axis=place)


class _Sparse:
    """The bounds and masks of TensorFlow's slice operation."""

    def __init__(self) -> None:
        self.begin: list[Any] = []
        self.end: list[Any] = []
        self.strides: list[Any] = []
        self.masks = dict.fromkeys(("begin", "end", "ellipsis", "new_axis", "shrink_axis"), 0)

    def add(self, part: Any) -> None:
        """Adds one part of a key, such as an index or a slice."""
        bit = 1 << len(self.begin)
        begin: Any = 0
        end: Any = 0
        step: Any = 1
        if part is None:
            self.masks["new_axis"] |= bit
        elif part is Ellipsis:
            self.masks["ellipsis"] |= bit
        elif isinstance(part, slice):
            bounds: Any = part
            step = 1 if bounds.step is None else bounds.step
            begin, end = bounds.start, bounds.stop
            for name, bound in (("begin", begin), ("end", end)):
                self.masks[name] |= bit if bound is None else 0
        else:
            begin, end = part, part + 1
            self.masks["shrink_axis"] |= bit
            if type(part) is not Size and part == -1:
                self.masks["end"] |= bit
        self.begin.append(0 if begin is None else begin)
        self.end.append(0 if end is None else end)
        self.strides.append(step)

    def bounds(self, p: Part) -> list[Value]:
        """Returns the bounds as inputs of the operation."""
        return [p.ints(numbers) for numbers in (self.begin, self.end, self.strides)]

    def attributes(self) -> dict[str, int]:
        """Returns the attributes of the operation."""
        return {f"{name}_mask": value for name, value in self.masks.items()}


def _sparse(key: Any) -> _Sparse:
    found = _Sparse()
    for part in key if type(key) is tuple else (key,):
        found.add(part)
    return found


@rule("StridedSlice")
def sliced(p: Part, x: Value, *, key: Any) -> Value:
    """Returns a slice, whose bounds may be computed."""
    found = _sparse(key)
    taken: Value = p.op("StridedSlice", x, *found.bounds(p), **found.attributes())
    return taken


@rule("StridedSliceGrad")
def _strided_slice_grad(p: Part, g: Value, *, key: Any, shape: Any) -> Any:
    found = _sparse(key)
    return p.op("StridedSliceGrad", p.ints(shape), *found.bounds(p), g, **found.attributes())


def integer(p: Part, x: Value) -> Value:
    """Casts indices to a dtype that TensorFlow's operations support."""
    return x if x.dtype in ("int32", "int64") else p.cast(x, "int32")


@rule("GatherV2")
def _gather(p: Part, x: Value, indices: Value, *, axis: int, batch_dims: int) -> Any:
    at = p.const(axis, "int32")
    return p.op("GatherV2", x, integer(p, indices), at, batch_dims=batch_dims)


@rule("ResourceGather")
def _look_up(p: Part, x: Value, indices: Value) -> Any:
    return p.op("GatherV2", x, integer(p, indices), p.const(0, "int32"))


@rule("GatherOrZero")
def rows_or_zero(p: Part, table: Value, indices: Value) -> Value:
    """Takes rows of a table, with zeros for negative indices."""
    indices = integer(p, indices)
    inside = p.op("Maximum", indices, 0)
    rows = p.op("GatherV2", table, inside, p.const(0, "int32"))
    kept = p.op("GreaterEqual", indices, 0)
    ones = [1] * (table.rank - 1)
    spread = p.reshaped(kept, [*(indices.shape or ()), *ones]) if ones else kept
    chosen: Value = p.op("SelectV2", spread, rows, p.like(0, rows))
    return chosen


@rule("OffsetRows")
def _offset_rows(p: Part, indices: Value, *, count: Any) -> Any:
    assert indices.shape is not None
    steps = p.op("Range", p.const(0, "int32"), p.number(indices.shape[-2]), p.const(1, "int32"))
    base = p.cast(p.op("Mul", steps, p.number(count)), indices.dtype)
    moved = p.op("AddV2", indices, p.reshaped(base, (-1, 1)))
    return p.op("SelectV2", p.op("Less", indices, 0), p.like(-1, indices), moved)


@rule("UnsortedSegmentSum")
def _segment_sum(p: Part, values: Value, indices: Value, *, count: Any) -> Any:
    return p.op("UnsortedSegmentSum", values, integer(p, indices), p.number(count))


@rule("UnsortedSegmentMax", "UnsortedSegmentMin", "UnsortedSegmentProd")
def _segment(p: Part, x: Value, ids: Value, *, n: Any, empty: float | None) -> Any:
    assert p.node is not None
    ids = integer(p, ids)
    out = p.op(p.node.primitive.name, x, ids, p.number(n))
    if empty is None:
        return out
    ones = full(p, ids.shape or (), 1, "int32")
    seen = p.op("Greater", p.op("UnsortedSegmentSum", ones, ids, p.number(n)), 0)
    seen = p.reshaped(seen, [n, *[1] * (x.rank - 1)])
    return p.op("SelectV2", seen, out, p.like(empty, out))


def _rows(p: Part, rows: Value) -> Any:
    return p.op("ExpandDims", integer(p, rows), p.const(-1, "int32"))


@rule("TensorScatterUpdate", "TensorScatterMax", "TensorScatterMin")
def _scatter_rows(p: Part, x: Value, rows: Value, updates: Value) -> Any:
    assert p.node is not None
    return p.op(p.node.primitive.name, x, _rows(p, rows), updates)


@rule("ResourceScatter")
def _edit_rows(p: Part, x: Value, values: Value, *keys: Value, combine: str) -> Any:
    if len(keys) == 1:
        places = _rows(p, keys[0])
    else:
        places = p.op("Pack", [integer(p, k) for k in keys], axis=-1)
    lead = keys[0].shape or ()
    assert x.shape is not None
    values = p.op("BroadcastTo", values, p.ints([*lead, *x.shape[len(keys) :]]))
    return p.op(_COMBINED[combine], x, places, values)


_COMBINED = {
    "update": "TensorScatterUpdate",
    "add": "TensorScatterAdd",
    "subtract": "TensorScatterSub",
    "min": "TensorScatterMin",
    "max": "TensorScatterMax",
}


@rule("RavelIndices")
def _ravel(p: Part, indices: Value, *, shape: Any, op: str) -> Any:
    if len(shape) == 1:
        return p.op("Squeeze", indices, squeeze_dims=[-1])
    steps = [_product(shape[i + 1 :]) for i in range(len(shape))]
    weighted = p.op("Mul", p.cast(indices, "int64"), p.ints(steps, "int64"))
    return p.op("Sum", weighted, p.const([-1], "int32"))


def _product(numbers: Sequence[Any]) -> Any:
    out: Any = 1
    for n in numbers:
        out = out * n
    return out


@rule("Order")
def _order(p: Part, x: Value, *, k: Any, descending: bool, dtype: Any) -> Any:
    """Sorts stably, since TensorFlow's top_k returns equal elements in order."""
    if not descending:
        x = _negated(p, x)
    _, places = p.op("TopKV2", x, p.number(k), index_type=_index(dtype), Tk="int32")
    return p.cast(places, dtype)


def _negated(p: Part, x: Value) -> Any:
    if x.dtype.startswith(("uint", "bool")):
        return p.op("Sub", p.like(np.iinfo(x.dtype).max, x), x)
    if x.dtype.startswith("int"):  # -1 - x, since the negated least integer would overflow
        return p.op("Sub", p.like(-1, x), x)
    return p.op("Neg", x)


def _index(dtype: Any) -> str:
    name = dtype_name(dtype)
    return name if name in ("int16", "int32", "int64") else "int32"


@rule("SearchSorted")
def _search(p: Part, sequence: Value, values: Value, *, side: str, dtype: Any) -> Any:
    rows, asked = (p.reshaped(v, (-1, (v.shape or ())[-1])) for v in (sequence, values))
    kind = "LowerBound" if side == "left" else "UpperBound"
    found = p.op(kind, rows, asked, out_type=dtype_name(dtype))
    return p.reshaped(found, values.shape or ())


@rule("InTopKV2")
def _in_top_k(p: Part, predictions: Value, targets: Value, k: Value) -> Any:
    return p.op("InTopKV2", predictions, targets, p.cast(k, targets.dtype))


@rule("TakeLabels")
def _take_labels(p: Part, x: Value, labels: Value) -> Any:
    rank = labels.rank
    return p.op("GatherV2", x, integer(p, labels), p.const(rank, "int32"), batch_dims=rank)


def _at_labels(p: Part, labels: Value, depth: Any, v: Value) -> Any:
    labels = integer(p, labels)
    hot = p.op("OneHot", labels, p.number(depth), p.like(1, v), p.like(0, v))
    return p.op("Mul", hot, p.op("ExpandDims", v, p.const(-1, "int32")))


@rule("PutLabels")
def _put_labels(p: Part, v: Value, labels: Value, *, depth: Any) -> Any:
    return _at_labels(p, labels, depth, v)


@rule("SubtractAtLabels")
def _subtract_at_labels(p: Part, x: Value, v: Value, labels: Value) -> Any:
    assert x.shape is not None
    return p.op("Sub", x, _at_labels(p, labels, x.shape[-1], v))


@rule("TieShares")
def _tie_shares(p: Part, x: Value, out: Value, *, axis: Any) -> Any:
    hit = mask(p, "Equal", x, out)
    return p.op(
        "RealDiv", hit, p.op("Sum", hit, p.const(np.array(axis, np.int32), "int32"), keep_dims=True)
    )
