"""`tf.experimental.numpy`: shapes, joining and splitting, picking, and products of arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, overload

import numpy as np

from gradtape._src.base.export import export
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import integers, sizes
from gradtape._src.numpy.arrays import array, asarray, listed, ones, promoted
from gradtape._src.numpy.elementwise import conj
from gradtape._src.numpy.reductions import sum as total
from gradtape._src.ops.array import gather, joining, padding, roll_reverse, shaping
from gradtape._src.ops.linalg import einsum as einsums
from gradtape._src.ops.linalg import matmul, matrix_functions
from gradtape._src.ops.linalg.diagonals import diag as matrix_diag


@export("experimental.numpy.reshape")
def reshape(a: Any, newshape: Any, order: str = "C") -> Tensor:
    """The elements in another shape.

    Args:
      a: The array.
      newshape: The shape; one length may be -1.
      order: "C", the last index first, or "F", the first.

    Raises:
      ValueError: Another order.
    """
    a = asarray(a)
    lengths = sizes(newshape, "Reshape", "newshape")
    if order == "C":
        return shaping.reshape(a, lengths)
    if order != "F":
        raise ValueError(f"Unsupported order argument {order}")
    return shaping.transpose(shaping.reshape(shaping.transpose(a), lengths[::-1]))


@export("experimental.numpy.ravel")
def ravel(a: Any) -> Tensor:
    """The elements along one axis."""
    return shaping.reshape(asarray(a), (-1,))


@export("experimental.numpy.flatten")
def flatten(a: Any, order: str = "C") -> Tensor:
    """The elements along one axis; see `reshape`."""
    return reshape(a, -1, order)


@export("experimental.numpy.transpose")
def transpose(a: Any, axes: Any = None) -> Tensor:
    """The axes in another order, by default reversed."""
    return shaping.transpose(asarray(a), axes)


@export("experimental.numpy.swapaxes")
def swapaxes(a: Any, axis1: int, axis2: int) -> Tensor:
    """Two axes interchanged."""
    a = asarray(a)
    order = list(range(a.ndim))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return shaping.transpose(a, order)


@export("experimental.numpy.moveaxis")
def moveaxis(a: Any, source: Any, destination: Any) -> Tensor:
    """Axes moved to other places, the rest in their order.

    Raises:
      ValueError: Not as many places as axes.
    """
    a = asarray(a)
    source, destination = (
        [int(n) % a.ndim for n in np.atleast_1d(integers(axes, "Transpose"))]
        for axes in (source, destination)
    )
    if len(source) != len(destination):
        raise ValueError("The lengths of source and destination must equal")
    order = [n for n in range(a.ndim) if n not in source]
    for place, axis in sorted(zip(destination, source, strict=True)):
        order.insert(place, axis)
    return shaping.transpose(a, order)


@export("experimental.numpy.squeeze")
def squeeze(a: Any, axis: Any = None) -> Tensor:
    """The array without axes of length 1."""
    return shaping.squeeze(asarray(a), axis)


@export("experimental.numpy.expand_dims")
def expand_dims(a: Any, axis: Any) -> Tensor:
    """The array with a new axis of length 1."""
    return shaping.expand_dims(asarray(a), axis)


@export("experimental.numpy.broadcast_to")
def broadcast_to(array: Any, shape: Any) -> Tensor:
    """The array repeated to a shape."""
    return shaping.broadcast_to(asarray(array), sizes(shape, "BroadcastTo"))


@export("experimental.numpy.broadcast_arrays")
def broadcast_arrays(*args: Any, **kwargs: Any) -> list[Tensor]:
    """The arrays repeated to the shape that they have together.

    Raises:
      ValueError: `subok` is asked for: a tensor has no subclasses.
    """
    if kwargs.pop("subok", False) or kwargs:
        raise ValueError(f"Unknown keyword argument: {kwargs or 'subok'}")
    arrays = [asarray(arg) for arg in args]
    together = np.broadcast_shapes(*(x._value.shape for x in arrays))
    return [shaping.broadcast_to(x, together) for x in arrays]


def _at_least(axes: Callable[[Tensor], tuple[int, ...]], arys: Any) -> Tensor | list[Tensor]:
    made = [shaping.reshape(x, axes(x)) for x in map(asarray, arys)]
    return made[0] if len(made) == 1 else made


@overload
def atleast_1d(ary: Any, /) -> Tensor: ...
@overload
def atleast_1d(*arys: Any) -> Tensor | list[Tensor]: ...
@export("experimental.numpy.atleast_1d")
def atleast_1d(*arys: Any) -> Tensor | list[Tensor]:
    """The arrays with one axis at least; a list of them unless it is one."""
    return _at_least(lambda x: x._value.shape or (1,), arys)


@overload
def atleast_2d(ary: Any, /) -> Tensor: ...
@overload
def atleast_2d(*arys: Any) -> Tensor | list[Tensor]: ...
@export("experimental.numpy.atleast_2d")
def atleast_2d(*arys: Any) -> Tensor | list[Tensor]:
    """The arrays with two axes at least; a list of them unless it is one."""
    return _at_least(lambda x: (1,) * (2 - x.ndim) + x._value.shape, arys)


@overload
def atleast_3d(ary: Any, /) -> Tensor: ...
@overload
def atleast_3d(*arys: Any) -> Tensor | list[Tensor]: ...
@export("experimental.numpy.atleast_3d")
def atleast_3d(*arys: Any) -> Tensor | list[Tensor]:
    """The arrays with three axes at least; a list of them unless it is one."""

    def axes(x: Tensor) -> tuple[int, ...]:
        shape: tuple[int, ...] = x._value.shape
        shape = shape if x.ndim > 1 else (1, *(shape or (1,)))
        return shape if len(shape) > 2 else (*shape, 1)

    return _at_least(axes, arys)


@export("experimental.numpy.concatenate")
def concatenate(arys: Any, axis: int | None = 0) -> Tensor:
    """The arrays one after the other along an axis; flat ones if it is None."""
    arrays = promoted(*listed(arys))
    if axis is None:
        return joining.concat([ravel(x) for x in arrays], 0)
    return joining.concat(arrays, axis)


@export("experimental.numpy.stack")
def stack(arrays: Any, axis: int = 0) -> Tensor:
    """The arrays along a new axis."""
    return joining.stack(promoted(*listed(arrays)), axis)


@export("experimental.numpy.hstack")
def hstack(tup: Any) -> Tensor:
    """The arrays side by side: along the second axis, or the first of vectors."""
    arrays = [atleast_1d(x) for x in listed(tup)]
    return concatenate(arrays, 0 if arrays[0].ndim == 1 else 1)


@export("experimental.numpy.vstack")
def vstack(tup: Any) -> Tensor:
    """The arrays below one another: along the first axis, vectors as rows."""
    return concatenate([atleast_2d(x) for x in listed(tup)], 0)


@export("experimental.numpy.dstack")
def dstack(tup: Any) -> Tensor:
    """The arrays behind one another: along the third axis."""
    return concatenate([atleast_3d(x) for x in listed(tup)], 2)


@export("experimental.numpy.append")
def append(arr: Any, values: Any, axis: int | None = None) -> Tensor:
    """An array and another one after it."""
    return concatenate([arr, asarray(values)], axis)


@export("experimental.numpy.split")
def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Tensor]:
    """The parts of an array along an axis.

    Args:
      ary: The array.
      indices_or_sections: How many equal parts, or where the later parts begin.
      axis: The axis.
    """
    ary = asarray(ary)
    given = integers(indices_or_sections, "Split", "indices_or_sections")
    if not given.ndim:
        return joining.split(ary, int(given), axis)
    ends = np.clip(given, 0, ary._value.shape[axis])
    lengths = np.diff(np.concatenate([[0], ends, [ary._value.shape[axis]]]))
    return joining.split(ary, lengths, axis)


@export("experimental.numpy.vsplit")
def vsplit(ary: Any, indices_or_sections: Any) -> list[Tensor]:
    """The parts along the first axis; see `split`."""
    return split(ary, indices_or_sections, 0)


@export("experimental.numpy.hsplit")
def hsplit(ary: Any, indices_or_sections: Any) -> list[Tensor]:
    """The parts along the second axis, or the first of a vector; see `split`."""
    return split(ary, indices_or_sections, 1 if asarray(ary).ndim > 1 else 0)


@export("experimental.numpy.dsplit")
def dsplit(ary: Any, indices_or_sections: Any) -> list[Tensor]:
    """The parts along the third axis; see `split`."""
    return split(ary, indices_or_sections, 2)


@export("experimental.numpy.flip")
def flip(m: Any, axis: Any = None) -> Tensor:
    """The elements along axes the other way round."""
    m = asarray(m)
    axes = range(m.ndim) if axis is None else np.atleast_1d(integers(axis, "Reverse")).tolist()
    return roll_reverse.reverse(m, list(axes))


@export("experimental.numpy.flipud")
def flipud(m: Any) -> Tensor:
    """The rows the other way round."""
    return flip(m, 0)


@export("experimental.numpy.fliplr")
def fliplr(m: Any) -> Tensor:
    """The columns the other way round."""
    return flip(m, 1)


@export("experimental.numpy.rot90")
def rot90(m: Any, k: int = 1, axes: Any = (0, 1)) -> Tensor:
    """A quarter turn, k times, from the first of two axes towards the second."""
    first, second = axes
    if k % 4 == 0:
        return asarray(m)
    if k % 4 == 2:
        return flip(m, (first, second))
    if k % 4 == 1:
        return swapaxes(flip(m, second), first, second)
    return flip(swapaxes(m, first, second), second)


@export("experimental.numpy.roll")
def roll(a: Any, shift: Any, axis: Any = None) -> Tensor:
    """The elements shifted round along axes, or in the flat array."""
    a = asarray(a)
    if axis is None:
        return shaping.reshape(roll_reverse.roll(ravel(a), shift, 0), a._value.shape)
    return roll_reverse.roll(a, shift, axis)


@export("experimental.numpy.repeat")
def repeat(a: Any, repeats: Any, axis: int | None = None) -> Tensor:
    """Each element several times along an axis, or in the flat array."""
    a = asarray(a)
    return shaping.repeat(ravel(a) if axis is None else a, repeats, axis or 0)


@export("experimental.numpy.tile")
def tile(a: Any, reps: Any) -> Tensor:
    """The whole array several times along its axes."""
    a, times = asarray(a), sizes(reps, "Tile", "reps")
    rank = max(a.ndim, len(times))
    a = shaping.reshape(a, (1,) * (rank - a.ndim) + a._value.shape)
    return shaping.tile(a, (1,) * (rank - len(times)) + times)


@export("experimental.numpy.pad")
def pad(array: Any, pad_width: Any, mode: str, **kwargs: Any) -> Tensor:
    """The array with a border.

    Args:
      array: The array.
      pad_width: How much before and after, for all axes or for each.
      mode: "constant", "reflect" or "symmetric".
      **kwargs: `constant_values`, one number.

    Raises:
      ValueError: Another mode.
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
    """The elements in some places along an axis, or of the flat array.

    Args:
      a: The array.
      indices: The places.
      axis: The axis, None for the flat array.
      out: Must be None.
      mode: For places outside: "clip", the nearest that is inside, or "wrap".

    Raises:
      ValueError: Another mode, or `out` is given.
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
    """For each place along the other axes, the elements in that place's own places.

    Args:
      arr: The array.
      indices: The places along the axis, of the array's rank.
      axis: The axis, None for the flat array.
    """
    arr, indices = asarray(arr), asarray(indices)
    if axis is None:
        return gather.gather(ravel(arr), ravel(indices))
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
    """The elements along an axis, or of the flat array, where the condition holds."""
    a = asarray(a)
    a = ravel(a) if axis is None else a
    return take(a, np.flatnonzero(asarray(condition)._numpy()), axis or 0)


@export("experimental.numpy.diff")
def diff(a: Any, n: int = 1, axis: int = -1) -> Tensor:
    """Differences of neighbours along an axis, n times."""
    x = asarray(a)
    for _ in range(n):
        low = [slice(None)] * x.ndim
        high = low.copy()
        low[axis], high[axis] = slice(None, -1), slice(1, None)
        first, second = x[tuple(low)], x[tuple(high)]
        x = second != first if x.dtype.name == "bool" else second - first
    return x


@export("experimental.numpy.diag")
def diag(v: Any, k: int = 0) -> Tensor:
    """A matrix with a vector on its k-th diagonal, or the k-th diagonal of a matrix.

    Raises:
      ValueError: Another rank.
    """
    v = asarray(v)
    if v.ndim not in (1, 2):
        raise ValueError("Input to diag must be 1d or 2d only.")
    return matrix_diag(v, k=k) if v.ndim == 1 else diagonal(v, k)


@export("experimental.numpy.diagflat")
def diagflat(v: Any, k: int = 0) -> Tensor:
    """A matrix with all elements on its k-th diagonal."""
    return diag(ravel(v), k)


@export("experimental.numpy.diagonal")
def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """The diagonal of the matrices that two axes make, along the last axis."""
    a = moveaxis(a, (axis1, axis2), (-2, -1))
    rows, columns = a._value.shape[-2:]
    places = np.arange(rows * columns).reshape(rows, columns).diagonal(offset)
    flat = shaping.reshape(a, (*a._value.shape[:-2], rows * columns))
    return gather.gather(flat, array(places), axis=-1)


@export("experimental.numpy.trace")
def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Tensor:
    """The sum of a diagonal; see `diagonal`."""
    x = diagonal(a, offset, axis1, axis2)
    kind = x.dtype if dtype is None and not x.dtype.is_bool else dtype
    return total(x, -1, kind)


@export("experimental.numpy.ix_")
def ix_(*args: Any) -> list[Tensor]:
    """The vectors, each along an axis of its own.

    Raises:
      ValueError: One of them is no vector.
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


@export("experimental.numpy.matmul")
def matmul_(x1: Any, x2: Any) -> Tensor:
    """The product of matrices, vectors counting as rows and columns."""
    x1, x2 = promoted(x1, x2)
    if x1.ndim == 1 and x2.ndim == 1:
        return matmul.tensordot(x1, x2, 1)
    if x1.ndim == 1:
        return shaping.squeeze(matmul.matmul(shaping.expand_dims(x1, 0), x2), -2)
    if x2.ndim == 1:
        return shaping.squeeze(matmul.matmul(x1, shaping.expand_dims(x2, -1)), -1)
    return matmul.matmul(x1, x2)


@export("experimental.numpy.tensordot")
def tensordot(a: Any, b: Any, axes: Any = 2) -> Tensor:
    """The sum of products over axes of both."""
    a, b = promoted(a, b)
    return matmul.tensordot(a, b, axes)


@export("experimental.numpy.dot")
def dot(a: Any, b: Any) -> Tensor:
    """The sum of products over the last axis of one and the last but one of the other."""
    x, y = promoted(a, b)
    if not x.ndim or not y.ndim:
        return x * y
    return matmul.tensordot(x, y, ([-1], [-1 if y.ndim == 1 else -2]))


@export("experimental.numpy.inner")
def inner(a: Any, b: Any) -> Tensor:
    """The sum of products over the last axis of both."""
    a, b = promoted(a, b)
    return a * b if not a.ndim or not b.ndim else matmul.tensordot(a, b, ([-1], [-1]))


@export("experimental.numpy.outer")
def outer(a: Any, b: Any) -> Tensor:
    """The products of each element with each."""
    a, b = promoted(a, b)
    return shaping.reshape(a, (-1, 1)) * shaping.reshape(b, (-1,))


@export("experimental.numpy.vdot")
def vdot(a: Any, b: Any) -> Tensor:
    """The sum of products of all elements, the first conjugated."""
    a, b = promoted(a, b)
    return matmul.tensordot(ravel(conj(a) if a.dtype.is_complex else a), ravel(b), 1)


@export("experimental.numpy.kron")
def kron(a: Any, b: Any) -> Tensor:
    """The Kronecker product of two arrays."""
    a, b = promoted(a, b)
    rank = max(a.ndim, b.ndim)
    first = (1,) * (rank - a.ndim) + a._value.shape
    second = (1,) * (rank - b.ndim) + b._value.shape
    a = shaping.reshape(a, [n for m in first for n in (m, 1)])
    b = shaping.reshape(b, [n for m in second for n in (1, m)])
    return shaping.reshape(a * b, [m * n for m, n in zip(first, second, strict=True)])


@export("experimental.numpy.cross")
def cross(
    a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> Tensor:
    """The cross product of vectors of 2 or 3 numbers; of two of 2, the third number alone.

    Args:
      a: Vectors.
      b: Vectors.
      axisa: The axis of the vectors' numbers in `a`.
      axisb: That in `b`.
      axisc: That of the result.
      axis: All three of them.
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = promoted(a, b)
    a, b = moveaxis(a, axisa, -1), moveaxis(b, axisb, -1)
    flat = a._value.shape[-1] == b._value.shape[-1] == 2
    zeros = [(0, 0)]
    a, b = (padding.pad(x, zeros * (x.ndim - 1) + [(0, 3 - x._value.shape[-1])]) for x in (a, b))
    a, b = broadcast_arrays(a, b)
    made = matrix_functions.cross(a, b)
    return made[..., 2] if flat else moveaxis(made, -1, axisc)


@export("experimental.numpy.einsum")
def einsum(subscripts: str, *operands: Any, **kwargs: Any) -> Tensor:
    """Einstein's sums.

    Args:
      subscripts: Such as "ij,jk->ik".
      *operands: The arrays.
      **kwargs: `optimize`, and `casting`, which must be "safe".

    Raises:
      ValueError: Another casting.
    """
    if kwargs.pop("casting", "safe") != "safe":
        raise ValueError("casting other than 'safe' is not supported.")
    kwargs.pop("optimize", None)
    return einsums.einsum(subscripts, *promoted(*operands), **kwargs)


@export("experimental.numpy.vander")
def vander(x: Any, N: int | None = None, increasing: bool = False) -> Tensor:
    """The powers of numbers, of each in a row.

    Args:
      x: A vector.
      N: How many powers; None for as many as numbers.
      increasing: Whether they rise from the left.
    """
    x = asarray(x)
    count = len(x) if N is None else N
    rising = ones((len(x), 1), x.dtype)
    columns = [rising[:, 0]]
    for _ in range(1, count):
        columns.append(columns[-1] * x)
    columns = columns[:count] if increasing else columns[:count][::-1]
    return joining.stack(columns, 1) if columns else rising[:, :0]


@export("experimental.numpy.polyval")
def polyval(p: Any, x: Any) -> Tensor:
    """The value of a polynomial whose coefficients are given from the highest power on."""
    coefficients, at = promoted(p, x)
    made = at * 0
    for coefficient in joining.unstack(coefficients):
        made = made * at + coefficient
    return made
