"""`tf.experimental.numpy`: sums, means, extreme values and sorting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, overload

import numpy as np

from gradtape._src.base.dtypes import as_dtype
from gradtape._src.base.export import export
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import integer, invalid
from gradtape._src.numpy.arrays import array, asarray, default, floating, promoted, zeros_like
from gradtape._src.numpy.elementwise import isclose, isnan
from gradtape._src.ops.array import shaping, sorting
from gradtape._src.ops.elementwise import selection
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.reduce import cumulative, extremes, reductions

Axis = Any


def _as_64_bits(a: Tensor) -> Any:
    """Converts integers to 64 bits, in which NumPy computes sums and products."""
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
    """Computes the sum over axes; by default, integers are added in 64 bits.

    Args:
      a: An array or array-like object.
      axis: The axes to reduce. Defaults to all of them.
      dtype: The dtype of the result, in which the elements are added or multiplied.
      keepdims: Whether the reduced axes are kept, with length one.

    Returns:
      A tensor.

    >>> tf.experimental.numpy.sum([[1, 2], [3, 4]], axis=0).numpy()
    array([4, 6])
    """
    a = asarray(a) if dtype is None else array(a, dtype)
    return reductions.reduce_sum(_as_64_bits(a) if dtype is None else a, axis, _kept(keepdims))


@export("experimental.numpy.prod")
def prod(a: Any, axis: Axis = None, dtype: Any = None, keepdims: bool | None = None) -> Tensor:
    """Computes the product over axes; by default, integers are multiplied in 64 bits.

    Args:
      a: An array or array-like object.
      axis: The axes to reduce. Defaults to all of them.
      dtype: The dtype of the result, in which the elements are added or multiplied.
      keepdims: Whether the reduced axes are kept, with length one.

    Returns:
      A tensor.
    """
    a = asarray(a) if dtype is None else array(a, dtype)
    return reductions.reduce_prod(_as_64_bits(a) if dtype is None else a, axis, _kept(keepdims))


def _no_out(out: Any) -> None:
    if out is not None:
        raise ValueError("`out` must be None: a tensor never changes")


@export("experimental.numpy.mean")
def mean(
    a: Any, axis: Axis = None, dtype: Any = None, out: Any = None, keepdims: bool | None = None
) -> Tensor:
    """Computes the mean over axes; the mean of integers is computed in float64.

    Args:
      a: An array or array-like object.
      axis: The axes to reduce. Defaults to all of them.
      dtype: The dtype of the result.
      out: Must be None, since a tensor cannot be written into.
      keepdims: Whether the reduced axes are kept, with length one.

    Returns:
      A tensor.

    Raises:
      ValueError: `out` is given.

    >>> tf.experimental.numpy.mean([[1, 2], [3, 4]], axis=0).numpy()
    array([2., 3.])
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
    """Returns the variance over axes; the variance of integers is computed in float64.

    Args:
      a: The numbers.
      axis: The axes, None for all.
      dtype: The dtype of the computation.
      out: Must be None.
      ddof: The divisor is the number of elements minus `ddof`.
      keepdims: Whether the reduced axes are kept, with length 1.

    Returns:
      A tensor.

    Raises:
      ValueError: `out` is given.
    """
    _no_out(out)
    x = floating(a) if dtype is None else array(a, dtype)
    made = reductions.reduce_variance(x, axis, _kept(keepdims))
    if dtype is not None:
        made = cast(made, x.dtype)
    if not ddof:
        return made
    count: int = x._value.size // max(made._value.size, 1)
    return made * (count / (count - ddof))


@export("experimental.numpy.std")
def std(a: Any, axis: Axis = None, keepdims: bool | None = None) -> Tensor:
    """Computes the standard deviation over axes, which is computed in float64 for integers.

    Args:
      a: An array or array-like object.
      axis: The axes to reduce. Defaults to all of them.
      keepdims: Whether the reduced axes are kept, with length one.

    Returns:
      A tensor.
    """
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
    """Returns the largest value over axes.

    Args:
      a: An array or array-like object.
      axis: The axes to reduce. Defaults to all of them.
      keepdims: Whether the reduced axes are kept, with length one.

    Returns:
      A tensor of the dtype of `a`.
    """
    return _largest(a, axis, keepdims)


@export("experimental.numpy.min")
def min(a: Any, axis: Axis = None, keepdims: bool | None = None) -> Tensor:
    """Returns the smallest value over axes.

    Args:
      a: An array or array-like object.
      axis: The axes to reduce. Defaults to all of them.
      keepdims: Whether the reduced axes are kept, with length one.

    Returns:
      A tensor of the dtype of `a`.
    """
    return _smallest(a, axis, keepdims)


@export("experimental.numpy.amax")
def amax(a: Any, axis: Axis = None, out: Any = None, keepdims: bool | None = None) -> Tensor:
    """Returns the largest value over axes.

    Args:
      a: An array or array-like object.
      axis: The axes to reduce. Defaults to all of them.
      out: Must be None, since a tensor cannot be written into.
      keepdims: Whether the reduced axes are kept, with length one.

    Returns:
      A tensor of the dtype of `a`.

    Raises:
      ValueError: `out` is given.
    """
    _no_out(out)
    return _largest(a, axis, keepdims)


@export("experimental.numpy.amin")
def amin(a: Any, axis: Axis = None, out: Any = None, keepdims: bool | None = None) -> Tensor:
    """Returns the smallest value over axes.

    Args:
      a: An array or array-like object.
      axis: The axes to reduce. Defaults to all of them.
      out: Must be None, since a tensor cannot be written into.
      keepdims: Whether the reduced axes are kept, with length one.

    Returns:
      A tensor of the dtype of `a`.

    Raises:
      ValueError: `out` is given.
    """
    _no_out(out)
    return _smallest(a, axis, keepdims)


@export("experimental.numpy.ptp")
def ptp(a: Any, axis: Axis = None, keepdims: bool | None = None) -> Tensor:
    """Returns the largest value minus the smallest value over axes.

    Args:
      a: An array or array-like object.
      axis: The axes to reduce. Defaults to all of them.
      keepdims: Whether the reduced axes are kept, with length one.

    Returns:
      A tensor of the dtype of `a`.
    """
    return _largest(a, axis, keepdims) - _smallest(a, axis, keepdims)


@export("experimental.numpy.any")
def any(a: Any, axis: Axis = None, keepdims: bool | None = None) -> Tensor:
    """Tests whether any element along axes is not zero.

    Args:
      a: An array or array-like object.
      axis: The axes to reduce. Defaults to all of them.
      keepdims: Whether the reduced axes are kept, with length one.

    Returns:
      A bool tensor.
    """
    return reductions.reduce_any(array(a, "bool"), axis, _kept(keepdims))


@export("experimental.numpy.all")
def all(a: Any, axis: Axis = None, keepdims: bool | None = None) -> Tensor:
    """Tests whether all elements along axes are not zero.

    Args:
      a: An array or array-like object.
      axis: The axes to reduce. Defaults to all of them.
      keepdims: Whether the reduced axes are kept, with length one.

    Returns:
      A bool tensor.
    """
    return reductions.reduce_all(array(a, "bool"), axis, _kept(keepdims))


@export("experimental.numpy.count_nonzero")
def count_nonzero(a: Any, axis: Axis = None) -> Tensor:
    """Counts the nonzero elements over axes.

    Args:
      a: An array or array-like object.
      axis: The axes to reduce. Defaults to all of them.

    Returns:
      An integer tensor.
    """
    return reductions.reduce_sum(cast(array(a, "bool"), default(np.int64)), axis)


def _flat(a: Any, axis: Axis) -> tuple[Tensor, int]:
    """Returns an array and the axis to work along; for None, the flat array and its one axis."""
    a = asarray(a)
    return (shaping.reshape(a, (-1,)), 0) if axis is None else (a, axis)


@export("experimental.numpy.argmax")
def argmax(a: Any, axis: Axis = None) -> Tensor:
    """Returns the index of the largest value.

    Args:
      a: An array or array-like object.
      axis: The axis. By default, the index in the flattened array is returned.

    Returns:
      An integer tensor.
    """
    flat, place = _flat(a, axis)
    return extremes.argmax(flat, place, output_type=default(np.int64))


@export("experimental.numpy.argmin")
def argmin(a: Any, axis: Axis = None) -> Tensor:
    """Returns the index of the smallest value.

    Args:
      a: An array or array-like object.
      axis: The axis. By default, the index in the flattened array is returned.

    Returns:
      An integer tensor.
    """
    flat, place = _flat(a, axis)
    return extremes.argmin(flat, place, output_type=default(np.int64))


def _signed(x: Tensor) -> Tensor:
    """Converts unsigned integers to signed ones, for cumulative sums and products."""
    unsigned = x.dtype.is_unsigned
    kind = default(np.promote_types(x.dtype.np_dtype, np.int64)) if unsigned else None
    return _as_64_bits(x) if kind is None else cast(x, kind)


def _one_axis(axis: Axis, op: str) -> int | None:
    return None if axis is None else integer(axis, op)


@export("experimental.numpy.cumsum")
def cumsum(a: Any, axis: Axis = None, dtype: Any = None) -> Tensor:
    """Computes running sums.

    Args:
      a: An array or array-like object.
      axis: The axis. By default the array is flattened first.
      dtype: The dtype of the result.

    Returns:
      A tensor.

    >>> tf.experimental.numpy.cumsum([1, 2, 3]).numpy()
    array([1, 3, 6])
    """
    flat, place = _flat(a if dtype is None else array(a, dtype), _one_axis(axis, "cumsum"))
    return cumulative.cumsum(_signed(flat) if dtype is None else flat, place)


@export("experimental.numpy.cumprod")
def cumprod(a: Any, axis: Axis = None, dtype: Any = None) -> Tensor:
    """Computes running products.

    Args:
      a: An array or array-like object.
      axis: The axis. By default the array is flattened first.
      dtype: The dtype of the result.

    Returns:
      A tensor.
    """
    flat, place = _flat(a if dtype is None else array(a, dtype), _one_axis(axis, "cumprod"))
    return cumulative.cumprod(_signed(flat) if dtype is None else flat, place)


def _order(kind: str, order: Any) -> bool:
    if kind not in ("quicksort", "stable", "mergesort", "heapsort"):
        raise ValueError(f"Invalid value for argument `kind`: {kind!r}")
    if order is not None:
        raise ValueError("Only `order=None` is supported: a tensor has no fields.")
    return kind in ("stable", "mergesort")


@export("experimental.numpy.sort")
def sort(a: Any, axis: int | None = -1, kind: str = "quicksort", order: Any = None) -> Tensor:
    """Returns the values along an axis in ascending order.

    Args:
      a: The values.
      axis: The axis, None for the flat array.
      kind: "quicksort", "mergesort", "heapsort" or "stable", which all give the same result.
      order: Must be None.

    Returns:
      A tensor of the dtype of `a`.

    Raises:
      ValueError: `kind` is unknown, or `order` is given.
    """
    _order(kind, order)
    return sorting.sort(*_flat(a, axis))


@export("experimental.numpy.argsort")
def argsort(a: Any, axis: int | None = -1, kind: str = "quicksort", order: Any = None) -> Tensor:
    """Returns the indices that sort the values along an axis in ascending order.

    Args:
      a: The values.
      axis: The axis, None for the flat array.
      kind: "quicksort", "mergesort", "heapsort" or "stable", which all give the same result.
      order: Must be None.

    Returns:
      An integer tensor.

    Raises:
      ValueError: `kind` is unknown, or `order` is given.
    """
    stable = _order(kind, order)
    a = array(a)
    if a.dtype.is_complex:
        raise TypeError(f"argsort takes real numbers, got {a.dtype.name}")
    a, axis = (a, axis) if a.ndim else (shaping.reshape(a, (1,)), -1)
    places = sorting.argsort(*_flat(a, axis), stable=stable)
    return cast(places, default(np.int64))


@export("experimental.numpy.nansum")
def nansum(a: Any, axis: Axis = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    """Computes the sum of the elements that are not NaN.

    Args:
      a: An array or array-like object.
      axis: The axes to reduce. Defaults to all of them.
      dtype: The dtype of the result, in which the elements are added or multiplied.
      keepdims: Whether the reduced axes are kept, with length one.

    Returns:
      A tensor.
    """
    a = array(a, dtype)
    return sum(selection.where(isnan(a), zeros_like(a), a), axis, dtype, keepdims)


@export("experimental.numpy.nanprod")
def nanprod(a: Any, axis: Axis = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    """Computes the product of the elements that are not NaN.

    Args:
      a: An array or array-like object.
      axis: The axes to reduce. Defaults to all of them.
      dtype: The dtype of the result, in which the elements are added or multiplied.
      keepdims: Whether the reduced axes are kept, with length one.

    Returns:
      A tensor.
    """
    a = array(a, dtype)
    return prod(selection.where(isnan(a), array(1, a.dtype), a), axis, dtype, keepdims)


@export("experimental.numpy.nanmean")
def nanmean(a: Any, axis: Axis = None, dtype: Any = None, keepdims: bool | None = None) -> Tensor:
    """Computes the mean of the elements that are not NaN.

    Args:
      a: An array or array-like object.
      axis: The axes to reduce. Defaults to all of them.
      dtype: The dtype of the result.
      keepdims: Whether the reduced axes are kept, with length one.

    Returns:
      A tensor.
    """
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
    """Returns the weighted mean along an axis, or of all elements.

    Args:
      a: The values.
      axis: The axis, None for all elements.
      weights: The weights, in the shape of `a` or as a vector along the axis.
      returned: Whether to return the sum of the weights, too.

    Returns:
      A tensor; with `returned`, a pair of the mean and the sum of the weights.

    Raises:
      InvalidArgumentError: The shape of `weights` differs from that of `a`, and `axis` is not
        given.
      ValueError: `axis` is not an integer.
    """
    if axis is not None and not isinstance(axis, int):
        raise ValueError(f"Argument `axis` must be an integer. Received axis={axis}")
    if weights is None:
        made = mean(a, axis)
        count = asarray(a)._value.size / np.maximum(made._value.size, 1)
        return (made, zeros_like(made) + count) if returned else made
    a, weights = promoted(a, weights, floating=True)
    if a.ndim != weights.ndim and weights.ndim:
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
    """Tests whether all elements of two arrays are close.

    Args:
      a: An array or array-like object.
      b: An array that broadcasts against `a`.
      rtol: The relative tolerance.
      atol: The absolute tolerance.
      equal_nan: Whether NaN is close to NaN.

    Returns:
      A scalar bool tensor.
    """
    return all(isclose(a, b, rtol, atol, equal_nan))


@export("experimental.numpy.array_equal")
def array_equal(a1: Any, a2: Any) -> Tensor:
    """Tests whether two arrays have the same shape and equal elements.

    Args:
      a1: An array or array-like object.
      a2: A second array.

    Returns:
      A scalar bool tensor.
    """
    a1, a2 = promoted(a1, a2)
    if a1._value.shape != a2._value.shape:
        return array(False)
    return reductions.reduce_all(a1 == a2)


@export("experimental.numpy.nonzero")
def nonzero(a: Any) -> list[Tensor]:
    """Returns the indices of the elements that are not zero.

    Args:
      a: An array or array-like object.

    Returns:
      A list with a vector of indices for each axis.
    """
    found = np.nonzero(np.atleast_1d(asarray(a)._numpy()))
    return [cast(array(axis), as_dtype(default(np.int64))) for axis in found]
