"""Means, variances, and normalization by them, on NumPy's arrays, with few passes over memory.

A pass over a large array takes two to three times as long as its product with a vector by BLAS. So
sums are products, and deviations from the mean are not computed where the mean is small: the sum of
`g * (x - mean)` is that of `g * x` less `mean` times that of `g`. Two layouts are written out:
matrices whose rows have a mean each (layer normalization), and those whose columns have one (batch
normalization). Short rows are laid side by side, since NumPy's loops over them are slow.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from gradtape._src.compute.axis_sums import LARGE, add, ones
from gradtape._src.compute.raw_value import RawValue

_WIDE = 1024  # the length from which rows are not laid side by side
_LONGEST = 8192  # the longest row of which the sum of squares is one product
_SHARE = 4  # the largest square of a mean, in variances, of which a difference loses no digits

# Means and variances.


def moments(x: Any, axis: tuple[int, ...]) -> tuple[Any, Any]:
    """Returns the mean and the variance along negative, ascending axes, which stay, of length one.

    Args:
      x: A value of float32 or float64.
      axis: The axes.
    """
    n = prod([x.shape[a] for a in axis])
    share = x.dtype.type(1 / n if n else np.nan)
    mean: Any = add(x, axis, True) * share
    if _is_large(x) and (axis == (-1,) or axis == tuple(range(-x.ndim, -1))):
        variance = _mean_of_squares(x, axis, mean.shape, share)
        center = mean * mean
        variance -= center
        if (center <= _SHARE * variance).all():
            return mean, variance
        return mean, _mean_of_squares(x - mean, axis, mean.shape, share)
    deviation = x - mean
    deviation *= deviation
    return mean, add(deviation, axis, True) * share


def _is_large(x: Any) -> bool:
    return type(x) is np.ndarray and x.size >= LARGE and x.flags.c_contiguous and x.ndim > 1


def _mean_of_squares(x: Any, axis: tuple[int, ...], shape: tuple[int, ...], share: Any) -> Any:
    n = x.shape[-1]
    if axis != (-1,):
        rows = _side_by_side(x)
        return (_folded(np.einsum("ij,ij->j", rows, rows), n) * share).reshape(shape)
    if n > _LONGEST:
        return add(x * x, axis, True) * share
    rows = x.reshape(-1, n)
    return (np.vecdot(rows, rows) * share).reshape(shape)


def _side_by_side(x: Any) -> Any:
    """Returns a matrix, each row of which is one row of `x` or several."""
    n = x.shape[-1]
    count = x.size // n
    copies = 1
    while n * copies < _WIDE and count % (2 * copies) == 0:
        copies *= 2
    return x.reshape(-1, n * copies)


def _folded(sums: Any, n: int) -> Any:
    """Returns the sums for n columns from those for rows that are side by side."""
    return sums if len(sums) == n else np.add.reduce(sums.reshape(-1, n), 0)


def _column_sums(rows: Any, n: int) -> Any:
    return _folded(ones(len(rows), rows.dtype.char).dot(rows), n)


def moments_vjp(g: Sequence[Any], x: Any, mean: Any, axis: tuple[int, ...]) -> RawValue:
    """Returns the cotangent of `x`.

    Args:
      g: The cotangents of the mean and the variance, which keep the axes.
      x: The value.
      mean: The mean, which keeps the axes.
      axis: The axes along which it was taken.
    """
    n = prod([x.shape[a] for a in axis])
    factor = g[1] * x.dtype.type(2 / n if n else np.nan)
    share = g[0] * x.dtype.type(1 / n if n else np.nan)
    out: RawValue = _scaled(x, factor, share - mean * factor)
    return out


def _scaled(x: Any, factor: Any, shift: Any) -> Any:
    """Returns `x * factor + shift`."""
    n = _columns(x, (factor, shift))
    if n:
        rows = _side_by_side(x)
        out = rows * _tiled(factor, rows)
        out += _tiled(shift, rows)
        return out.reshape(x.shape)
    out = x * factor
    if type(out) is np.ndarray and np.broadcast(out, shift).shape == out.shape:
        out += shift
        return out
    return out + shift


def _tiled(vector: Any, rows: Any) -> Any:
    """Returns a vector, repeated to the length of a row."""
    return np.tile(vector.reshape(-1), rows.shape[1] // vector.size)


def _columns(x: Any, given: Sequence[Any]) -> int:
    """Returns the number of columns of a large `x` if all others have a number for each; else 0."""
    if not _is_large(x):
        return 0
    n = x.shape[-1]
    return n if all(v.size == n == (v.shape or (0,))[-1] for v in given) else 0


# Values minus their mean, divided by their deviation.


def normalized(
    x: Any, mean: Any, variance: Any, scale: Any, offset: Any, epsilon: float
) -> RawValue:
    """Returns `(x - mean) / sqrt(variance + epsilon) * scale + offset`.

    Args:
      x: A value of float32 or float64, as are all others; they broadcast.
      mean: The mean.
      variance: The variance.
      scale: The factor, or None.
      offset: The summand, or None.
      epsilon: The number that is added to the variance.
    """
    inverse = _inverse(variance, epsilon)
    if _is_layer(x, mean, variance, scale, offset):
        n = x.shape[-1]
        out: RawValue = _outer(inverse, scale).reshape(x.shape)
        out *= x
        rows = np.stack([(mean * inverse).reshape(-1), np.ones(x.size // n, x.dtype)], 1)
        columns = np.stack([-scale.reshape(-1), np.zeros(n, x.dtype)])
        if offset is not None:
            columns[1] = offset.reshape(-1)
        out += rows.dot(columns).reshape(x.shape)
        return out
    if scale is not None and np.broadcast(inverse, scale).size > max(inverse.size, scale.size):
        out = (x - mean) * inverse * scale  # keeps more digits than a difference of products
        return out if offset is None else out + offset
    factor = inverse if scale is None else inverse * scale
    shift = -mean * factor if offset is None else offset - mean * factor
    whole: RawValue = _scaled(x, factor, shift)
    return whole


def _outer(x: Any, y: Any, out: Any = None) -> Any:
    """Returns the outer product of two vectors, for which BLAS takes half of NumPy's time."""
    return np.dot(x.reshape(-1, 1), y.reshape(1, -1), out)


def _inverse(variance: Any, epsilon: float) -> Any:
    return 1 / np.sqrt(variance + variance.dtype.type(epsilon))


def _is_layer(x: Any, mean: Any, variance: Any, scale: Any, offset: Any) -> bool:
    """Whether rows have a small mean and a variance each, and columns a scale (and an offset)."""
    if scale is None or not _columns(x, [scale, scale if offset is None else offset]):
        return False
    each = (*x.shape[:-1], 1)
    return (
        mean.shape == variance.shape == each
        and x.shape[-1] > 1
        and bool((mean * mean <= _SHARE * variance).all())
    )


def normalized_vjp(
    g: Any, x: Any, mean: Any, variance: Any, scale: Any, offset: Any, epsilon: float
) -> list[Any]:
    """Returns the cotangents of `x`, the mean, the variance, the scale and the offset.

    They have the shapes of what they are for; those of None are None. See `normalized`.
    """
    inverse = _inverse(variance, epsilon)
    if _is_layer(x, mean, variance, scale, offset):
        return _of_layer(g, x, mean, inverse, scale, offset)
    given = [v for v in (mean, variance, scale, offset) if v is not None]
    if _columns(x, given) and (mean * mean <= _SHARE * variance).all():
        return _of_batch(g, x, mean, inverse, scale, offset)
    factor = inverse if scale is None else inverse * scale
    to_x = g * factor
    deviation = x - mean
    product = to_x * deviation
    return [
        _summed(to_x, x),
        _summed(-to_x, mean),
        _summed(product * (inverse * inverse * -0.5).astype(x.dtype), variance),
        None if scale is None else _summed(g * (deviation * inverse), scale),
        None if offset is None else _summed(g, offset),
    ]


def _of_layer(g: Any, x: Any, mean: Any, inverse: Any, scale: Any, offset: Any) -> list[Any]:
    n = x.shape[-1]
    of_g, vector = g.reshape(-1, n), scale.reshape(-1)
    rows = x.reshape(-1, n) * of_g
    of_rows = of_g.dot(vector).reshape(mean.shape)  # sums of g * scale
    of_products = rows.dot(vector).reshape(mean.shape)
    of_products -= mean * of_rows  # sums of g * scale * (x - mean)
    to_scale = inverse.reshape(-1).dot(rows)
    to_scale -= (mean * inverse).reshape(-1).dot(of_g)
    to_x = _outer(inverse, scale, rows)
    to_x *= of_g
    return [
        to_x.reshape(x.shape),
        -inverse * of_rows,
        inverse * inverse * inverse * of_products * x.dtype.type(-0.5),
        to_scale.reshape(scale.shape),
        None if offset is None else _column_sums(of_g, n).reshape(offset.shape),
    ]


def _of_batch(g: Any, x: Any, mean: Any, inverse: Any, scale: Any, offset: Any) -> list[Any]:
    n = x.shape[-1]
    rows, of_g = _side_by_side(x), _side_by_side(g)
    products = rows * of_g
    total = _column_sums(of_g, n)
    deviations = _column_sums(products, n) - mean.reshape(-1) * total
    factor = inverse.reshape(-1)
    to_variance = factor * factor * factor * deviations * x.dtype.type(-0.5)
    to_scale = None if scale is None else (deviations * factor).reshape(scale.shape)
    if scale is not None:
        factor = factor * scale.reshape(-1)
        to_variance *= scale.reshape(-1)
    return [
        np.multiply(of_g, _tiled(factor, rows), products).reshape(x.shape),
        (-factor * total).reshape(mean.shape),
        to_variance.reshape(inverse.shape),
        to_scale,
        None if offset is None else total.reshape(offset.shape),
    ]


def _summed(g: Any, like: Any) -> Any:
    """Returns the sum of a cotangent over the axes along which a value was broadcast."""
    if g.shape == like.shape:
        return g
    own = (1,) * (g.ndim - like.ndim) + like.shape
    axis = tuple([i - g.ndim for i, (n, m) in enumerate(zip(g.shape, own, strict=True)) if n != m])
    out: Any = add(g, axis, True)
    return out.reshape(like.shape)[()]
