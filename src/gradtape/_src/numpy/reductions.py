"""`tf.experimental.numpy`: sums, means, extremes, orders."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, overload

import numpy as np

from gradtape._src.base.dtypes import as_dtype
from gradtape._src.base.export import export
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid
from gradtape._src.numpy.arrays import array, asarray, default, floating, promoted, zeros_like
from gradtape._src.numpy.elementwise import isclose, isnan
from gradtape._src.ops.array import shaping, sorting
from gradtape._src.ops.elementwise import selection
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.reduce import cumulative, extremes, reductions

Axis = Any


def _wide(a: Tensor) -> Any:
    """What sums and products of whole numbers are taken in: 64 bits, as in NumPy."""
    kind = a._value.dtype
    if kind.kind in "bi" and kind.itemsize < 8:
        return cast(a, default(np.int64))
    if kind.kind == "u" and kind.itemsize < 8:
        return cast(a, "uint64")
    return a


def _kept(keepdims: Any) -> bool:
    return bool(keepdims)


@export("experimental.numpy.sum")
def sum(a: Any, axis: Axis = None, dtype: Any = None, keepdims: bool | None = None) -> Tensor:
    """The sum over axes; of whole numbers in 64 bits unless another dtype is asked for."""
    a = asarray(a) if dtype is None else array(a, dtype)
    return reductions.reduce_sum(_wide(a) if dtype is None else a, axis, _kept(keepdims))


@export("experimental.numpy.prod")
def prod(a: Any, axis: Axis = None, dtype: Any = None, keepdims: bool | None = None) -> Tensor:
    """The product over axes; of whole numbers in 64 bits unless another dtype is asked for."""
    a = asarray(a) if dtype is None else array(a, dtype)
    return reductions.reduce_prod(_wide(a) if dtype is None else a, axis, _kept(keepdims))


def _no_out(out: Any) -> None:
    if out is not None:
        raise ValueError("`out` must be None: a tensor never changes")


@export("experimental.numpy.mean")
def mean(
    a: Any, axis: Axis = None, dtype: Any = None, out: Any = None, keepdims: bool | None = None
) -> Tensor:
    """The mean over axes, of integers in float64.

    Raises:
      ValueError: `out` is given.
    """
    _no_out(out)
    a = floating(a) if dtype is None else array(a, dtype)
    return reductions.reduce_mean(a, axis, _kept(keepdims))


@export("experimental.numpy.var")
def var(
    a: Any,
    axis: Axis = None,
    dtype: Any = None,
    out: Any = None,
    ddof: int = 0,
    keepdims: bool | None = None,
) -> Tensor:
    """The variance over axes, of integers in float64.

    Args:
      a: The numbers.
      axis: The axes, None for all.
      dtype: What to compute in.
      out: Must be None.
      ddof: What is taken from the count that the squares' sum is divided by.
      keepdims: Whether the axes stay, of length 1.

    Raises:
      ValueError: `out` is given.
    """
    _no_out(out)
    x = floating(a) if dtype is None else array(a, dtype)
    made = reductions.reduce_variance(x, axis, _kept(keepdims))
    if not ddof:
        return made
    count: int = x._value.size // max(made._value.size, 1)
    return made * (count / (count - ddof))


@export("experimental.numpy.std")
def std(a: Any, axis: Axis = None, keepdims: bool | None = None) -> Tensor:
    """The standard deviation over axes, of integers in float64."""
    return reductions.reduce_std(floating(a), axis, _kept(keepdims))


def _extreme(run: Callable[..., Any], truth: Callable[..., Any]) -> Callable[..., Tensor]:
    def function(a: Any, axis: Axis = None, keepdims: bool | None = None) -> Tensor:
        a = asarray(a)
        chosen = truth if a.dtype.name == "bool" else run
        out: Tensor = chosen(a, axis, _kept(keepdims))
        return out

    return function


_largest = _extreme(extremes.reduce_max, reductions.reduce_any)
_smallest = _extreme(extremes.reduce_min, reductions.reduce_all)


@export("experimental.numpy.max")
def max(a: Any, axis: Axis = None, keepdims: bool | None = None) -> Tensor:
    """The largest value over axes."""
    return _largest(a, axis, keepdims)


@export("experimental.numpy.min")
def min(a: Any, axis: Axis = None, keepdims: bool | None = None) -> Tensor:
    """The smallest value over axes."""
    return _smallest(a, axis, keepdims)


@export("experimental.numpy.amax")
def amax(a: Any, axis: Axis = None, out: Any = None, keepdims: bool | None = None) -> Tensor:
    """The largest value over axes; ValueError if `out` is given."""
    _no_out(out)
    return _largest(a, axis, keepdims)


@export("experimental.numpy.amin")
def amin(a: Any, axis: Axis = None, out: Any = None, keepdims: bool | None = None) -> Tensor:
    """The smallest value over axes; ValueError if `out` is given."""
    _no_out(out)
    return _smallest(a, axis, keepdims)


@export("experimental.numpy.ptp")
def ptp(a: Any, axis: Axis = None, keepdims: bool | None = None) -> Tensor:
    """The largest value less the smallest."""
    return _largest(a, axis, keepdims) - _smallest(a, axis, keepdims)


@export("experimental.numpy.any")
def any(a: Any, axis: Axis = None, keepdims: bool | None = None) -> Tensor:
    """Whether some element over axes is not zero."""
    return reductions.reduce_any(array(a, "bool"), axis, _kept(keepdims))


@export("experimental.numpy.all")
def all(a: Any, axis: Axis = None, keepdims: bool | None = None) -> Tensor:
    """Whether every element over axes is not zero."""
    return reductions.reduce_all(array(a, "bool"), axis, _kept(keepdims))


@export("experimental.numpy.count_nonzero")
def count_nonzero(a: Any, axis: Axis = None) -> Tensor:
    """How many elements over axes are not zero."""
    return reductions.reduce_sum(cast(array(a, "bool"), default(np.int64)), axis)


def _flat(a: Any, axis: Axis) -> tuple[Tensor, int]:
    """An array and the axis to work along: the one axis of the flat array where it is None."""
    a = asarray(a)
    return (shaping.reshape(a, (-1,)), 0) if axis is None else (a, axis)


@export("experimental.numpy.argmax")
def argmax(a: Any, axis: Axis = None) -> Tensor:
    """Where the largest value is, along an axis or in the flat array."""
    flat, place = _flat(a, axis)
    return extremes.argmax(flat, place, output_type=default(np.int64))


@export("experimental.numpy.argmin")
def argmin(a: Any, axis: Axis = None) -> Tensor:
    """Where the smallest value is, along an axis or in the flat array."""
    flat, place = _flat(a, axis)
    return extremes.argmin(flat, place, output_type=default(np.int64))


def _signed(x: Tensor) -> Tensor:
    """What is summed up or multiplied as one goes: unsigned integers with a sign."""
    unsigned = x.dtype.is_unsigned
    kind = default(np.promote_types(x.dtype.np_dtype, np.int64)) if unsigned else None
    return _wide(x) if kind is None else cast(x, kind)


@export("experimental.numpy.cumsum")
def cumsum(a: Any, axis: Axis = None, dtype: Any = None) -> Tensor:
    """Running sums along an axis, or of the flat array."""
    flat, place = _flat(a if dtype is None else array(a, dtype), axis)
    return cumulative.cumsum(_signed(flat) if dtype is None else flat, place)


@export("experimental.numpy.cumprod")
def cumprod(a: Any, axis: Axis = None, dtype: Any = None) -> Tensor:
    """Running products along an axis, or of the flat array."""
    flat, place = _flat(a if dtype is None else array(a, dtype), axis)
    return cumulative.cumprod(_signed(flat) if dtype is None else flat, place)


def _order(kind: str, order: Any) -> bool:
    if kind not in ("quicksort", "stable", "mergesort", "heapsort"):
        raise ValueError(f"Invalid value for argument `kind`: {kind!r}")
    if order is not None:
        raise ValueError("Only `order=None` is supported: a tensor has no fields.")
    return kind in ("stable", "mergesort")


@export("experimental.numpy.sort")
def sort(a: Any, axis: int | None = -1, kind: str = "quicksort", order: Any = None) -> Tensor:
    """The values along an axis in ascending order.

    Args:
      a: The values.
      axis: The axis, None for the flat array.
      kind: quicksort, mergesort, heapsort or stable: the result is the same.
      order: Must be None.

    Raises:
      ValueError: Another kind, or an order of fields.
    """
    _order(kind, order)
    return sorting.sort(*_flat(a, axis))


@export("experimental.numpy.argsort")
def argsort(a: Any, axis: int | None = -1, kind: str = "quicksort", order: Any = None) -> Tensor:
    """The places of the values along an axis, in ascending order of the values; see `sort`."""
    stable = _order(kind, order)
    places = sorting.argsort(*_flat(a, axis), stable=stable)
    return cast(places, default(np.int64))


@export("experimental.numpy.nansum")
def nansum(a: Any, axis: Axis = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    """The sum of what is a number."""
    a = array(a, dtype)
    return sum(selection.where(isnan(a), zeros_like(a), a), axis, dtype, keepdims)


@export("experimental.numpy.nanprod")
def nanprod(a: Any, axis: Axis = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    """The product of what is a number."""
    a = array(a, dtype)
    return prod(selection.where(isnan(a), array(1, a.dtype), a), axis, dtype, keepdims)


@export("experimental.numpy.nanmean")
def nanmean(a: Any, axis: Axis = None, dtype: Any = None, keepdims: bool | None = None) -> Tensor:
    """The mean of what is a number."""
    a = array(a, dtype)
    if not a.dtype.is_floating:
        return mean(a, axis, keepdims=keepdims)
    missing = isnan(a)
    total = reductions.reduce_sum(selection.where(missing, zeros_like(a), a), axis, _kept(keepdims))
    return total / reductions.reduce_sum(cast(~missing, a.dtype), axis, _kept(keepdims))


@overload
def average(
    a: Any, axis: int | None = None, weights: Any = None, returned: Literal[False] = False
) -> Tensor: ...
@overload
def average(
    a: Any, axis: int | None = None, weights: Any = None, returned: bool = False
) -> Tensor | tuple[Tensor, Tensor]: ...
@export("experimental.numpy.average")
def average(
    a: Any, axis: int | None = None, weights: Any = None, returned: bool = False
) -> Tensor | tuple[Tensor, Tensor]:
    """The weighted mean along an axis or over all.

    Args:
      a: The values.
      axis: The axis, None for all elements.
      weights: Of the shape of `a`, or a vector along the axis.
      returned: Whether to return the sum of the weights, too.

    Raises:
      InvalidArgumentError: Weights of another shape, without an axis.
    """
    if weights is None:
        made = mean(a, axis)
        count = asarray(a)._value.size / np.maximum(made._value.size, 1)
        return (made, zeros_like(made) + count) if returned else made
    a, weights = promoted(a, weights, floating=True)
    if a.ndim != weights.ndim:
        if axis is None:
            raise invalid("Axis must be specified when shapes of `a` and weights differ.")
        lengths = [1] * a.ndim
        lengths[axis] = -1
        weights = shaping.reshape(weights, lengths)
    total = reductions.reduce_sum(weights + zeros_like(a), axis)
    made = reductions.reduce_sum(a * weights, axis) / total
    return (made, total) if returned else made


@export("experimental.numpy.allclose")
def allclose(
    a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Tensor:
    """Whether all elements are close; see `isclose`."""
    return all(isclose(a, b, rtol, atol, equal_nan))


@export("experimental.numpy.array_equal")
def array_equal(a1: Any, a2: Any) -> Tensor:
    """Whether two arrays have one shape and equal elements."""
    a1, a2 = promoted(a1, a2)
    if a1._value.shape != a2._value.shape:
        return array(False)
    return reductions.reduce_all(a1 == a2)


@export("experimental.numpy.nonzero")
def nonzero(a: Any) -> list[Tensor]:
    """The positions of what is not zero, one vector for each axis."""
    found = np.nonzero(np.atleast_1d(asarray(a)._numpy()))
    return [cast(array(axis), as_dtype(default(np.int64))) for axis in found]
