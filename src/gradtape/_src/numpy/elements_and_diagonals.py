"""Indexing, padding, differences and diagonals of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.errors import About
from gradtape._src.base.export import export
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import integers, invalid
from gradtape._src.numpy.arrays import array, asarray
from gradtape._src.numpy.reductions import sum as total
from gradtape._src.numpy.shapes import moveaxis, ravel
from gradtape._src.ops.array import gather, padding, shaping, slicing
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.linalg.diagonals import diag as matrix_diag


@export("experimental.numpy.pad")
def pad(array: Any, pad_width: Any, mode: str, **kwargs: Any) -> Tensor:
    """Pads an array.

    Args:
      array: The array.
      pad_width: The numbers of elements to add before and after, for all axes or for each axis.
      mode: "constant", "reflect" or "symmetric".
      **kwargs: `constant_values`, one number.

    Returns:
      A tensor.

    Raises:
      ValueError: `mode` is not supported.
    """
    if mode not in ("constant", "reflect", "symmetric"):
        raise ValueError(f"Unsupported padding mode: {mode}")
    array = asarray(array)
    widths = np.broadcast_to(integers(pad_width, "Pad", "pad_width"), (array.ndim, 2))
    return padding.pad(array, widths, mode, kwargs.get("constant_values", 0))


@export("experimental.numpy.take")
def take(
    a: Any, indices: Any, axis: int | None = None, out: Any = None, mode: str = "clip"
) -> Tensor:
    """Returns the elements at indices along an axis, or of the flat array.

    Args:
      a: The array.
      indices: The indices of the elements.
      axis: The axis, None for the flat array.
      out: Must be None.
      mode: The treatment of indices outside of the array: "clip" takes the nearest index in the
        array, and "wrap" takes the index modulo the length.

    Returns:
      A tensor.

    Raises:
      ValueError: `mode` is not supported, or `out` is given.
    """
    if out is not None or mode not in ("clip", "wrap"):
        raise ValueError(f"`out` must be None and `mode` 'clip' or 'wrap', got {out} and {mode!r}")
    a, places = asarray(a), asarray(indices)
    a = ravel(a) if axis is None else a
    length = a._value.shape[axis or 0]
    values = places._numpy()
    inside = values % length if mode == "wrap" else np.clip(values, -length, length - 1)
    return gather.gather(a, array(inside % length), axis=axis or 0)


@export("experimental.numpy.take_along_axis")
def take_along_axis(arr: Any, indices: Any, axis: int | None) -> Tensor:
    """Returns elements along an axis, with separate indices for each position on the other axes.

    Args:
      arr: The array.
      indices: The indices along the axis, with as many axes as the array.
      axis: The axis, None for the flat array.

    Returns:
      A tensor of the shape of `indices`.
    """
    arr, indices = asarray(arr), asarray(indices)
    if axis is None:
        return gather.gather(ravel(arr), ravel(indices))
    if indices.ndim != arr.ndim:
        raise invalid(f"Incompatible shapes: {arr.shape} vs. {indices.shape} [take_along_axis]")
    axis %= arr.ndim
    others = [
        n if k == axis else max(n, m)
        for k, (n, m) in enumerate(zip(indices._value.shape, arr._value.shape, strict=True))
    ]
    lengths = [
        m if k == axis else n for k, (n, m) in enumerate(zip(others, arr.shape, strict=True))
    ]
    arr = moveaxis(shaping.broadcast_to(arr, lengths), axis, -1)
    places = moveaxis(shaping.broadcast_to(indices, others), axis, -1)
    places = array(places._numpy() % arr._value.shape[-1])
    return moveaxis(gather.gather(arr, places, batch_dims=arr.ndim - 1), -1, axis)


@export("experimental.numpy.compress")
def compress(condition: Any, a: Any, axis: int | None = None) -> Tensor:
    """Takes the elements along an axis whose condition is true; missing conditions are False.

    Args:
      condition: A vector of truth values.
      a: An array.
      axis: The axis. By default the array is flattened first.

    Returns:
      A tensor.
    """
    a, chosen = asarray(a), asarray(condition)
    if chosen.ndim != 1:
        raise ValueError("condition must be a 1-d array.")
    a = ravel(a) if axis is None or not a.ndim else a
    place = 0 if axis is None else axis
    if not isinstance(place, int):
        raise TypeError(f"tf.experimental.numpy.compress: `axis` must be an integer, got {axis!r}")
    rest = [(0, max(0, a._value.shape[place] - len(chosen)))]
    return slicing.boolean_mask(a, padding.pad(cast(chosen, "bool"), rest), axis=place)


@export("experimental.numpy.diff")
def diff(a: Any, n: int = 1, axis: int = -1) -> Tensor:
    """Computes the differences of neighboring elements along an axis.

    Args:
      a: An array or array-like object.
      n: The number of times to take differences.
      axis: The axis.

    Returns:
      A tensor, shorter by `n` along the axis.

    Raises:
      ValueError: There is no such axis.
    """
    x = asarray(a)
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f"`axis` {axis} is out of bounds for an array of rank {x.ndim}")
    for _ in range(n):
        low = [slice(None)] * x.ndim
        high = low.copy()
        low[axis], high[axis] = slice(None, -1), slice(1, None)
        first, second = x[tuple(low)], x[tuple(high)]
        x = second != first if x.dtype.name == "bool" else second - first
    return x


@export("experimental.numpy.diag")
def diag(v: Any, k: int = 0) -> Tensor:
    """Makes a matrix with a vector on its diagonal, or takes the diagonal of a matrix.

    Args:
      v: A vector or a matrix.
      k: The number of the diagonal, 0 for the main one.

    Returns:
      A tensor.

    Raises:
      InvalidArgumentError: `v` is neither a vector nor a matrix.
    """
    v = asarray(v)
    if v.ndim not in (1, 2):
        raise invalid("Input to diag must be 1d or 2d only.", About.VALUES)
    return matrix_diag(v, k=k) if v.ndim == 1 else diagonal(v, k)


@export("experimental.numpy.diagflat")
def diagflat(v: Any, k: int = 0) -> Tensor:
    """Makes a matrix with all elements of an array on its diagonal.

    Args:
      v: An array.
      k: The number of the diagonal, 0 for the main one.

    Returns:
      A tensor with two axes.
    """
    return diag(ravel(v), k)


@export("experimental.numpy.diagonal")
def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """Takes the diagonals of the matrices that lie along two axes.

    Args:
      a: An array or array-like object.
      offset: The number of the diagonal, 0 for the main one.
      axis1: The axis of the rows.
      axis2: The axis of the columns.

    Returns:
      A tensor with the diagonals along its last axis.
    """
    a = moveaxis(a, (axis1, axis2), (-2, -1))
    rows, columns = a._value.shape[-2:]
    places = np.arange(rows * columns).reshape(rows, columns).diagonal(offset)
    flat = shaping.reshape(a, (*a._value.shape[:-2], rows * columns))
    return gather.gather(flat, array(places), axis=-1)


@export("experimental.numpy.trace")
def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Tensor:
    """Computes the sum of a diagonal.

    Args:
      a: An array or array-like object.
      offset: The number of the diagonal, 0 for the main one.
      axis1: The axis of the rows.
      axis2: The axis of the columns.
      dtype: The dtype of the result.

    Returns:
      A tensor without the two axes.
    """
    x = diagonal(a, offset, axis1, axis2)
    rank = x.ndim + 1
    matrices = not offset and (axis1 % rank, axis2 % rank) == (rank - 2, rank - 1)
    kept = dtype is None and matrices and not x.dtype.is_bool  # like tf.linalg.trace
    kind = x.dtype if kept else dtype
    return total(x, -1, kind)


@export("experimental.numpy.ix_")
def ix_(*args: Any) -> list[Tensor]:
    """Reshapes vectors to separate axes, so that they broadcast to a grid.

    Args:
      *args: The vectors.

    Returns:
      A list of tensors.

    Raises:
      ValueError: An argument is not a vector.
    """
    made = []
    for k, arg in enumerate(args):
        x = asarray(arg)
        if x.ndim != 1:
            raise ValueError("Arguments must be 1-d")
        x = array(np.flatnonzero(x._numpy())) if x.dtype.name == "bool" else x
        lengths = [1] * len(args)
        lengths[k] = -1
        made.append(shaping.reshape(x, lengths))
    return made
