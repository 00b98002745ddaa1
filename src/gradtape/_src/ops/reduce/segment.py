"""Reductions of the rows that have the same segment id."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import dtype_of
from gradtape._src.base.errors import About
from gradtape._src.base.export import export, raw_op
from gradtape._src.compute.axis_sums import wider
from gradtape._src.compute.jax_modules import jnp
from gradtape._src.core.convert import tensor
from gradtape._src.core.primitive import Bound
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import integer, invalid, shown_shape
from gradtape._src.declare.general import NUMERIC, REAL, dtype_of_value, general, shape_of
from gradtape._src.declare.graph_operations import New, deferrable, has_symbols, run_whole
from gradtape._src.declare.structural import (
    broadcast_to_p,
    conjugate,
    count,
    pad_p,
    reshape_p,
    slice_p,
    with_axis,
)
from gradtape._src.declare.traits import Pattern, Traits
from gradtape._src.declare.xla_kernels import dropped
from gradtape._src.ops.array.gather import gather_p, index_tensor
from gradtape._src.ops.array.row_sums import add_rows_p, offset_p, rows_or_zero_p
from gradtape._src.ops.array.scatter import same_p
from gradtape._src.ops.array.sorting import order_p
from gradtape._src.ops.elementwise.casting import cast_p, widened
from gradtape._src.ops.elementwise.comparison import greater_equal_p
from gradtape._src.ops.elementwise.division import truncatediv
from gradtape._src.ops.elementwise.selection import zero_of
from gradtape._src.ops.reduce.cumulative import recurrence_p, shift_p

# Rows with a negative id are dropped.


def _combine(ufunc: Any, initial: Any) -> Any:
    """Returns a kernel that reduces the rows of each segment."""

    def kernel(x: Any, ids: Any, *, n: int, empty: float | None) -> Any:
        start = initial(x.dtype)
        out = np.full((n, *x.shape[1:]), start, x.dtype)
        kept = ids >= 0
        ids, x = (ids, x) if np.all(kept) else (ids[kept], x[kept])
        ufunc.at(out, ids, x)
        if empty is not None:
            missing = np.ones(n, bool)
            missing[ids] = False
            out[missing] = empty
        return out

    return kernel


def _combine_xla(method: str, initial: Any) -> Any:
    def kernel(x: Any, ids: Any, *, n: int, empty: float | None) -> Any:
        at = dropped(ids, n)
        out = jnp.full((n, *x.shape[1:]), initial(x.dtype), x.dtype)
        out = getattr(out.at[at], method)(x, mode="drop")
        if empty is not None:
            seen = jnp.zeros(n, np.bool_).at[at].set(True, mode="drop")
            seen = seen.reshape(n, *(1,) * (x.ndim - 1))
            out = jnp.where(seen, out, x.dtype.type(empty))
        return out

    return kernel


def _combine_batch(run: Any) -> Any:
    def batch(size: int, batched: Any, inputs: Any, params: Any) -> Any:
        x, ids = with_axis(size, batched, inputs)
        n, k, rest = params["n"], shape_of(ids)[1], shape_of(x)[2:]
        flat = reshape_p(offset_p(ids, count=n), shape=(size * k,))
        x = reshape_p(x, shape=(size * k, *rest))
        out = run(x, flat, n=size * n, empty=params["empty"])
        return reshape_p(out, shape=(size, n, *rest))

    return batch


def _extreme_share(x: Any, ids: Any, out: Any, n: int) -> Any:
    """Returns 1 / k for the k rows of a segment that equal its extreme, and 0 for others."""
    hit = same_p(x, rows_or_zero_p(out, ids))
    total = rows_or_zero_p(add_rows_p(hit, ids, count=n), ids)
    return hit / atleast_one_p(total)


atleast_one_p = general(
    "AtLeastOne",
    lambda x: np.maximum(x, x.dtype.type(1)),
    batching="leading",
    xla=lambda x: jnp.maximum(x, x.dtype.type(1)),
    traits=Traits(pattern=Pattern.ELEMENTWISE),
)


def _extreme(name: str, ufunc: Any, which: str) -> Any:
    def initial(dtype: Any) -> Any:
        known = dtype_of(np.empty(0, dtype))
        return known.min if which == "min" else known.max

    run: Bound = general(
        name,
        _combine(ufunc, initial),
        {"x": lambda g, x, ids, out, n: rows_or_zero_p(g, ids) * _extreme_share(x, ids, out, n)},
        jvps={
            "x": lambda t, x, ids, out, n: add_rows_p(
                t * _extreme_share(x, ids, out, n), ids, count=n
            )
        },
        batching=_combine_batch(lambda *args, **params: run(*args, **params)),
        dtypes=REAL,
        same=slice(1),
        xla=_combine_xla("max" if which == "min" else "min", initial),
    )
    return run


segment_max_p = _extreme("UnsortedSegmentMax", np.maximum, "min")
segment_min_p = _extreme("UnsortedSegmentMin", np.minimum, "max")


def _others(x: Any, ids: Any, *, n: int) -> Any:
    """Returns for each row the product of the other rows of its segment, without division."""
    if wider(x.dtype) is not x.dtype:
        return _others(x.astype(wider(x.dtype)), ids, n=n).astype(x.dtype)
    out = np.ones_like(x)
    order = np.argsort(ids, kind="stable")
    for segment in np.split(order, np.flatnonzero(np.diff(ids[order])) + 1):
        if segment.size and ids[segment[0]] >= 0:
            rows = x[segment]
            ones = np.ones_like(rows[:1])
            before = np.cumprod(np.concatenate([ones, rows[:-1]]), 0)
            after = np.cumprod(np.concatenate([ones, rows[:0:-1]]), 0)[::-1]
            out[segment] = before * after
        elif segment.size:
            out[segment] = 0
    return out


def _others_xla(x: Any, ids: Any, *, n: int) -> Any:
    """Returns for each row the product of the other rows of its segment, by comparing all pairs."""
    same = (ids[:, None] == ids[None, :]) & ~np.eye(x.shape[0], dtype=np.bool_)
    same = same.reshape(*same.shape, *(1,) * (x.ndim - 1))
    out = jnp.prod(jnp.where(same, x[None], x.dtype.type(1)), axis=1).astype(x.dtype)
    kept = (ids >= 0).reshape(-1, *(1,) * (x.ndim - 1))
    return jnp.where(kept, out, jnp.zeros_like(out))


def _others_vjp(g: Any, x: Any, ids: Any, n: int) -> Any:
    """Returns the vjp of the products of the rows before and after, each a linear recurrence."""
    k, *rest = shape_of(x)
    if k < 2:
        return x * 0
    column, axis = (k, *(1,) * len(rest)), -1 - len(rest)
    dtype = dtype_of_value(x)
    order = order_p(ids, k=k, descending=False, dtype=np.dtype(np.int64))
    back = order_p(order, k=k, descending=False, dtype=np.dtype(np.int64))
    sorted_ids = _at(ids, order)
    again = same_p(
        slice_p(sorted_ids, begin=(1,), end=(k,)), slice_p(sorted_ids, begin=(0,), end=(k - 1,))
    )
    again = cast_p(again, dtype=dtype)
    kept = reshape_p(cast_p(greater_equal_p(ids, zero_of(ids)), dtype=dtype), shape=column)
    x, g = _at(x, order), _at(g * kept, order)
    found = None
    products = [_product(x, again, axis, column, reverse=reverse) for reverse in (False, True)]
    for (links, product), (_, other) in (products, products[::-1]):
        part = _product_vjp(g * conjugate(other), x, links, product, axis)
        found = part if found is None else found + part
    return _at(found, back)


def _at(x: Any, rows: Any) -> Any:
    return gather_p(x, rows, axis=0, batch_dims=0)


def _product(x: Any, again: Any, axis: int, column: Any, *, reverse: bool) -> Any:
    """Returns the product of the rows before (or after) each row in its segment, and the links."""
    links = reshape_p(pad_p(again, before=(1 - reverse,), after=(int(reverse),)), shape=column)
    start = broadcast_to_p(1 - links, shape=shape_of(x))
    factors = links * shift_p(x, axis=axis, reverse=reverse)
    return (links, reverse), recurrence_p(factors, start, axis=axis, reverse=reverse)


def _product_vjp(g: Any, x: Any, links: Any, product: Any, axis: int) -> Any:
    """Returns the vjp of the product with respect to `x`."""
    links, reverse = links
    factors = links * shift_p(x, axis=axis, reverse=reverse)
    behind = shift_p(conjugate(factors), axis=axis, reverse=not reverse)
    carried = recurrence_p(behind, g, axis=axis, reverse=not reverse)
    before = shift_p(product, axis=axis, reverse=reverse)
    return shift_p(carried * conjugate(before) * links, axis=axis, reverse=not reverse)


def _others_batch(size: int, batched: Any, inputs: Any, params: Any) -> Any:
    x, ids = with_axis(size, batched, inputs)
    n, (k, *rest) = params["n"], shape_of(x)[1:]
    flat = reshape_p(offset_p(ids, count=n), shape=(size * k,))
    out = segment_others_p(reshape_p(x, shape=(size * k, *rest)), flat, n=size * n)
    return reshape_p(out, shape=(size, k, *rest))


segment_others_p: Bound = general(
    "SegmentOthers", _others, {"x": _others_vjp}, batching=_others_batch, xla=_others_xla
)

segment_prod_p: Bound = general(
    "UnsortedSegmentProd",
    _combine(np.multiply, lambda dtype: 1),
    {"x": lambda g, x, ids, n: rows_or_zero_p(g, ids) * conjugate(segment_others_p(x, ids, n=n))},
    jvps={"x": lambda t, x, ids, n: add_rows_p(t * segment_others_p(x, ids, n=n), ids, count=n)},
    batching=_combine_batch(lambda *args, **params: segment_prod_p(*args, **params)),
    dtypes=NUMERIC,
    same=slice(1),
    xla=_combine_xla("multiply", lambda dtype: 1),
)


def _counted_later(
    name: str, function: Callable[..., Tensor], data: Any, segment_ids: Any, num_segments: Tensor
) -> Tensor:
    """Reduces segments as one operation of a graph, if only a run determines their number."""
    x, ids = tensor(data), index_tensor(segment_ids, name)

    def result(new: New, *_: Tensor) -> Tensor:
        return new([None, *shape_of(x)[len(shape_of(ids)) :]], dtype_of_value(x._value))

    return run_whole(name, result, function, x, ids, num_segments)


def _unsorted(data: Any, segment_ids: Any, num_segments: Any, op: str) -> tuple[Any, Any, int]:
    """Returns the data as rows, an id for each row, and the number of segments."""
    x, ids = tensor(data), index_tensor(segment_ids, op)
    n = integer(num_segments, op, "num_segments")
    shape, lead = shape_of(x), shape_of(ids)
    if shape[: len(lead)] != lead:
        raise invalid(
            f"data.shape = {shown_shape(shape)} does not start with segment_ids.shape = "
            f"{shown_shape(lead)} [Op:{op}]"
        )
    if n < 0:
        raise invalid(f"Input num_segments == {n} must not be negative. [Op:{op}]")
    if isinstance(ids._value, (np.ndarray, np.generic)) and np.any(np.greater_equal(ids._value, n)):
        at = np.argwhere(np.asarray(ids._value) >= n)[0]
        raise invalid(
            f"segment_ids{shown_shape(at)} = {np.asarray(ids._value)[tuple(at)]} is out of range "
            f"[0, {n}) [Op:{op}]",
            About.VALUES,
        )
    k = count(lead)
    return reshape_p(x, shape=(k, *shape[len(lead) :])), reshape_p(ids, shape=(k,)), n


def _sorted(data: Any, segment_ids: Any, op: str) -> tuple[Any, Any, int]:
    """Returns the rows, their ids in ascending order, and the number of segments."""
    x, ids = tensor(data), index_tensor(segment_ids, op)
    value = ids._numpy()
    if np.ndim(value) != 1:
        raise invalid(f"segment_ids should be a vector. [Op:{op}]")
    if not len(shape_of(x)) or len(value) != shape_of(x)[0]:
        raise invalid(f"segment_ids should be the same size as dimension 0 of input. [Op:{op}]")
    if len(value) and value[0] < 0:
        raise invalid(f"segment ids must be >= 0 [Op:{op}]", About.VALUES)
    if np.any(np.diff(value) < 0):
        raise invalid(
            f"segment ids are not increasing [Op:{op}] "
            "(sort them, or use tf.math.unsorted_segment)",
            About.VALUES,
        )
    return x, ids, int(value[-1]) + 1 if len(value) else 0


def _sizes(x: Any, ids: Any, n: int, root: bool = False) -> Any:
    """Returns the length of each segment, at least 1, in a shape that broadcasts to the sums."""
    dtype = dtype_of_value(x)
    k = shape_of(ids)[0]
    total = atleast_one_p(add_rows_p(Tensor(np.ones(k, dtype)), ids, count=n))
    total = reshape_p(total, shape=(n, *(1,) * (len(shape_of(x)) - 1)))
    return Tensor(np.sqrt(total._value)) if root else total


def _mean_of_rows(x: Any, ids: Any, n: int, root: bool = False) -> Any:
    """Returns sums divided by the segments' sizes or by the square roots of the sizes.

    16-bit floats, which can't represent all sizes, are converted to float32.
    """
    y = widened(x)
    mean = add_rows_p(y, ids, count=n) / _sizes(y, ids, n, root)
    return mean if y is x else cast_p(mean, dtype=dtype_of_value(x))


@export("math.unsorted_segment_sum")
@raw_op("UnsortedSegmentSum")
def unsorted_segment_sum(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """Computes the sum of the rows of each segment.

    Args:
      data: A tensor.
      segment_ids: Integers in [0, num_segments), or negative to drop a row; their shape is a prefix
        of the shape of `data`.
      num_segments: The number of segments.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape `(num_segments,) + data.shape[segment_ids.ndim:]`.

    Raises:
      InvalidArgumentError: The shapes are incompatible, or an id is too great.

    >>> tf.math.unsorted_segment_sum([1, 2, 3, 4], [0, 1, 0, 2], 3).numpy()
    array([4, 2, 4], dtype=int32)
    """
    if type(num_segments) is Tensor and has_symbols(num_segments):
        return _counted_later(
            "UnsortedSegmentSum", unsorted_segment_sum, data, segment_ids, num_segments
        )
    x, ids, n = _unsorted(data, segment_ids, num_segments, "UnsortedSegmentSum")
    return add_rows_p(x, ids, count=n)


@export("math.unsorted_segment_mean")
def unsorted_segment_mean(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """Computes the mean of each segment's rows, or 0 without rows; see `unsorted_segment_sum`.

    Args:
      data: A tensor.
      segment_ids: The number of the segment of each row, int32 or int64, whose shape is a prefix of
        the shape of `data`. Rows with a negative number are ignored.
      num_segments: The number of segments.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape `(num_segments, *data.shape[segment_ids.ndim:])` and of the dtype of `data`.
    """
    if type(num_segments) is Tensor and has_symbols(num_segments):
        return _counted_later(
            "UnsortedSegmentMean", unsorted_segment_mean, data, segment_ids, num_segments
        )
    x, ids, n = _unsorted(data, segment_ids, num_segments, "UnsortedSegmentMean")
    out: Tensor = _mean_of_rows(x, ids, n)
    return out


@export("math.unsorted_segment_sqrt_n")
def unsorted_segment_sqrt_n(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """Divides each segment's sum by the square root of its size; see `unsorted_segment_sum`.

    Args:
      data: A tensor.
      segment_ids: The number of the segment of each row, int32 or int64, whose shape is a prefix of
        the shape of `data`. Rows with a negative number are ignored.
      num_segments: The number of segments.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape `(num_segments, *data.shape[segment_ids.ndim:])` and of the dtype of `data`.
    """
    if type(num_segments) is Tensor and has_symbols(num_segments):
        return _counted_later(
            "UnsortedSegmentSqrtN", unsorted_segment_sqrt_n, data, segment_ids, num_segments
        )
    x, ids, n = _unsorted(data, segment_ids, num_segments, "UnsortedSegmentSqrtN")
    if not (x.dtype.is_floating or x.dtype.is_complex):
        raise invalid(
            f"Value for attr 'T' of {x.dtype.name} is not in the list of allowed values: bfloat16, "
            "half, float, double, complex64, complex128 [Op:Sqrt]",
            About.DTYPES,
        )
    out: Tensor = _mean_of_rows(x, ids, n, root=True)
    return out


@export("math.unsorted_segment_max")
@raw_op("UnsortedSegmentMax")
def unsorted_segment_max(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """Computes each segment's maximum, or the lowest number without rows.

    See `unsorted_segment_sum`.

    Equal greatest elements share the gradient evenly.

    Args:
      data: A tensor.
      segment_ids: The number of the segment of each row, int32 or int64, whose shape is a prefix of
        the shape of `data`. Rows with a negative number are ignored.
      num_segments: The number of segments.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape `(num_segments, *data.shape[segment_ids.ndim:])` and of the dtype of `data`.

    >>> tf.math.unsorted_segment_max([1, 2, 3, 4], [0, 1, 0, 1], 2).numpy()
    array([3, 4], dtype=int32)
    """
    if type(num_segments) is Tensor and has_symbols(num_segments):
        return _counted_later(
            "UnsortedSegmentMax", unsorted_segment_max, data, segment_ids, num_segments
        )
    x, ids, n = _unsorted(data, segment_ids, num_segments, "UnsortedSegmentMax")
    out: Tensor = segment_max_p(x, ids, n=n, empty=None)
    return out


@export("math.unsorted_segment_min")
@raw_op("UnsortedSegmentMin")
def unsorted_segment_min(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """Computes each segment's minimum, or the highest number without rows.

    See `unsorted_segment_max`.

    Args:
      data: A tensor.
      segment_ids: The number of the segment of each row, int32 or int64, whose shape is a prefix of
        the shape of `data`. Rows with a negative number are ignored.
      num_segments: The number of segments.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape `(num_segments, *data.shape[segment_ids.ndim:])` and of the dtype of `data`.

    >>> tf.math.unsorted_segment_min([1, 2, 3, 4], [0, 1, 0, 1], 2).numpy()
    array([1, 2], dtype=int32)
    """
    if type(num_segments) is Tensor and has_symbols(num_segments):
        return _counted_later(
            "UnsortedSegmentMin", unsorted_segment_min, data, segment_ids, num_segments
        )
    x, ids, n = _unsorted(data, segment_ids, num_segments, "UnsortedSegmentMin")
    out: Tensor = segment_min_p(x, ids, n=n, empty=None)
    return out


@export("math.unsorted_segment_prod")
@raw_op("UnsortedSegmentProd")
def unsorted_segment_prod(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """Computes the product of each segment's rows, or 1 without rows; see `unsorted_segment_sum`.

    Args:
      data: A tensor.
      segment_ids: The number of the segment of each row, int32 or int64, whose shape is a prefix of
        the shape of `data`. Rows with a negative number are ignored.
      num_segments: The number of segments.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape `(num_segments, *data.shape[segment_ids.ndim:])` and of the dtype of `data`.

    >>> tf.math.unsorted_segment_prod([1, 2, 3, 4], [0, 1, 0, 1], 2).numpy()
    array([3, 8], dtype=int32)
    """
    if type(num_segments) is Tensor and has_symbols(num_segments):
        return _counted_later(
            "UnsortedSegmentProd", unsorted_segment_prod, data, segment_ids, num_segments
        )
    x, ids, n = _unsorted(data, segment_ids, num_segments, "UnsortedSegmentProd")
    return segment_prod_p(x, ids, n=n, empty=None)


@export("math.segment_sum")
@raw_op("SegmentSum")
@deferrable
def segment_sum(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """Computes the sum of the rows of each segment, for ids that ascend.

    Args:
      data: A tensor.
      segment_ids: An ascending integer vector as long as the first axis.
      name: Accepted for compatibility.

    Returns:
      A tensor with one row for each number up to the last id.

    Raises:
      InvalidArgumentError: The ids are not in ascending order, are negative, or the numbers of ids
        and rows differ.

    >>> tf.math.segment_sum([[1, 2], [3, 4], [5, 6]], [0, 0, 1]).numpy()
    array([[4, 6],
           [5, 6]], dtype=int32)
    """
    x, ids, n = _sorted(data, segment_ids, "SegmentSum")
    return add_rows_p(x, ids, count=n)


@export("math.segment_mean")
@raw_op("SegmentMean")
@deferrable
def segment_mean(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """Computes the mean of each segment's rows, or 0 without rows; see `segment_sum`.

    Args:
      data: A tensor of numbers.
      segment_ids: The number of the segment of each row: a sorted vector of int32 or int64.
      name: Accepted for compatibility.

    Returns:
      A tensor of the dtype of `data` with a row for each segment; zeros for a segment without rows.
    """
    x, ids, n = _sorted(data, segment_ids, "SegmentMean")
    if x.dtype.is_integer:
        return truncatediv(add_rows_p(x, ids, count=n), _sizes(x, ids, n))
    out: Tensor = _mean_of_rows(x, ids, n)
    return out


@export("math.segment_max")
@raw_op("SegmentMax")
@deferrable
def segment_max(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """Computes the maximum of each segment's rows, or 0 without rows; see `segment_sum`.

    Args:
      data: A tensor of numbers.
      segment_ids: The number of the segment of each row: a sorted vector of int32 or int64.
      name: Accepted for compatibility.

    Returns:
      A tensor of the dtype of `data` with a row for each segment; zeros for a segment without rows.

    >>> tf.math.segment_max([[1, 4], [3, 2], [5, 6]], [0, 0, 1]).numpy()
    array([[3, 4],
           [5, 6]], dtype=int32)
    """
    x, ids, n = _sorted(data, segment_ids, "SegmentMax")
    out: Tensor = segment_max_p(x, ids, n=n, empty=0)
    return out


@export("math.segment_min")
@raw_op("SegmentMin")
@deferrable
def segment_min(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """Computes the minimum of each segment's rows, or 0 without rows; see `segment_sum`.

    Args:
      data: A tensor of numbers.
      segment_ids: The number of the segment of each row: a sorted vector of int32 or int64.
      name: Accepted for compatibility.

    Returns:
      A tensor of the dtype of `data` with a row for each segment; zeros for a segment without rows.

    >>> tf.math.segment_min([[1, 4], [3, 2], [5, 6]], [0, 0, 1]).numpy()
    array([[1, 2],
           [5, 6]], dtype=int32)
    """
    x, ids, n = _sorted(data, segment_ids, "SegmentMin")
    out: Tensor = segment_min_p(x, ids, n=n, empty=0)
    return out


@export("math.segment_prod")
@raw_op("SegmentProd")
@deferrable
def segment_prod(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """Computes the product of each segment's rows, or 1 without rows; see `segment_sum`.

    Args:
      data: A tensor of numbers.
      segment_ids: The number of the segment of each row: a sorted vector of int32 or int64.
      name: Accepted for compatibility.

    Returns:
      A tensor of the dtype of `data` with a row for each segment; ones for a segment without rows.

    >>> tf.math.segment_prod([[1, 4], [3, 2], [5, 6]], [0, 0, 1]).numpy()
    array([[3, 8],
           [5, 6]], dtype=int32)
    """
    x, ids, n = _sorted(data, segment_ids, "SegmentProd")
    return segment_prod_p(x, ids, n=n, empty=None)
