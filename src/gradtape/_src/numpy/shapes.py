"""`tf.experimental.numpy`: shapes, joining, splitting, selection and products of arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, overload

import numpy as np

from gradtape._src.base.export import export
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import axis_index, integer, integers, scalar, sizes
from gradtape._src.numpy.arrays import asarray, listed, promoted
from gradtape._src.ops.array import joining, roll_reverse, shaping
from gradtape._src.ops.elementwise.casting import cast


@export("experimental.numpy.reshape")
def reshape(a: Any, newshape: Any, order: str = "C") -> Tensor:
    """Returns the elements in another shape.

    Args:
      a: The array.
      newshape: The shape; one length may be -1.
      order: "C" if the last index changes fastest, "F" if the first index does.

    Returns:
      A tensor of the elements of `a`.

    Raises:
      ValueError: `order` is neither "C" nor "F".
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
    """Flattens an array to one axis.

    Args:
      a: An array or array-like object.

    Returns:
      A vector.
    """
    return shaping.reshape(asarray(a), (-1,))


@export("experimental.numpy.flatten")
def flatten(a: Any, order: str = "C") -> Tensor:
    """Flattens an array to one axis.

    Args:
      a: The array.
      order: "C" if the last index changes fastest, "F" if the first index does.

    Returns:
      A vector.

    Raises:
      ValueError: `order` is neither "C" nor "F".
    """
    return reshape(a, -1, order)


@export("experimental.numpy.transpose")
def transpose(a: Any, axes: Any = None) -> Tensor:
    """Permutes the axes.

    Args:
      a: An array or array-like object.
      axes: The axes in their new order. Defaults to the reverse order.

    Returns:
      A tensor.
    """
    return shaping.transpose(asarray(a), axes)


@export("experimental.numpy.swapaxes")
def swapaxes(a: Any, axis1: int, axis2: int) -> Tensor:
    """Exchanges two axes.

    Args:
      a: An array or array-like object.
      axis1: An axis.
      axis2: The axis with which it is exchanged.

    Returns:
      A tensor.
    """
    a = asarray(a)
    order = list(range(a.ndim))
    message = "axis {axis} is out of range for an array of rank {rank}"
    i, j = (axis_index(scalar(n, "axes"), a.ndim, "swapaxes", message) for n in (axis1, axis2))
    order[i], order[j] = order[j], order[i]
    return shaping.transpose(a, order)


@export("experimental.numpy.moveaxis")
def moveaxis(a: Any, source: Any, destination: Any) -> Tensor:
    """Moves axes to other positions; the other axes keep their order.

    Args:
      a: An array or array-like object.
      source: The axes to move.
      destination: The destination axes.

    Returns:
      A tensor.

    Raises:
      ValueError: The numbers of source and destination axes differ.
    """
    a = asarray(a)
    message = "axis {axis} is out of range for an array of rank {rank}"
    source, destination = (
        [axis_index(n, a.ndim, "moveaxis", message) for n in np.atleast_1d(integers(axes, "axes"))]
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
    """Removes axes of length one.

    Args:
      a: An array or array-like object.
      axis: The axes to remove. Defaults to all of length one.

    Returns:
      A tensor.
    """
    return shaping.squeeze(asarray(a), axis)


@export("experimental.numpy.expand_dims")
def expand_dims(a: Any, axis: Any) -> Tensor:
    """Adds an axis of length one.

    Args:
      a: An array or array-like object.
      axis: The position of the new axis in the result.

    Returns:
      A tensor.
    """
    return shaping.expand_dims(asarray(a), axis)


@export("experimental.numpy.broadcast_to")
def broadcast_to(array: Any, shape: Any) -> Tensor:
    """Broadcasts an array to a shape.

    Args:
      array: An array or array-like object.
      shape: The shape.

    Returns:
      A tensor of shape `shape`.
    """
    return shaping.broadcast_to(asarray(array), sizes(shape, "BroadcastTo"))


@export("experimental.numpy.broadcast_arrays")
def broadcast_arrays(*args: Any, **kwargs: Any) -> list[Tensor]:
    """Broadcasts arrays to their common shape.

    Args:
      *args: Arrays.
      **kwargs: `subok`, which must be False.

    Returns:
      A list of tensors of one shape.

    Raises:
      ValueError: `subok` is True, which tensors do not support.
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
    """Gives arrays at least one axis.

    Args:
      *arys: Arrays.

    Returns:
      A tensor, or a list of them for several arrays.
    """
    return _at_least(lambda x: x._value.shape or (1,), arys)


@overload
def atleast_2d(ary: Any, /) -> Tensor: ...
@overload
def atleast_2d(*arys: Any) -> Tensor | list[Tensor]: ...
@export("experimental.numpy.atleast_2d")
def atleast_2d(*arys: Any) -> Tensor | list[Tensor]:
    """Gives arrays at least two axes.

    Args:
      *arys: Arrays.

    Returns:
      A tensor, or a list of them for several arrays.
    """
    return _at_least(lambda x: (1,) * (2 - x.ndim) + x._value.shape, arys)


@overload
def atleast_3d(ary: Any, /) -> Tensor: ...
@overload
def atleast_3d(*arys: Any) -> Tensor | list[Tensor]: ...
@export("experimental.numpy.atleast_3d")
def atleast_3d(*arys: Any) -> Tensor | list[Tensor]:
    """Gives arrays at least three axes.

    Args:
      *arys: Arrays.

    Returns:
      A tensor, or a list of them for several arrays.
    """

    def axes(x: Tensor) -> tuple[int, ...]:
        shape: tuple[int, ...] = x._value.shape
        shape = shape if x.ndim > 1 else (1, *(shape or (1,)))
        return shape if len(shape) > 2 else (*shape, 1)

    return _at_least(axes, arys)


@export("experimental.numpy.concatenate")
def concatenate(arys: Any, axis: Any = 0) -> Tensor:
    """Joins arrays along an axis; an array that is not in a list is returned unchanged.

    Args:
      arys: A sequence of arrays.
      axis: The axis. None flattens the arrays first.

    Returns:
      A tensor.
    """
    arrays = promoted(*(arys if isinstance(arys, (list, tuple)) else [arys]))
    if axis is None:
        return joining.concat([ravel(x) for x in arrays], 0)
    if isinstance(axis, (list, tuple)):
        raise ValueError(f"Shape ({len(axis)},) must have rank 0 (`axis` is an integer)")
    place = integer(axis, "concatenate")
    return arrays[0] if len(arrays) == 1 else joining.concat(arrays, place)


@export("experimental.numpy.stack")
def stack(arrays: Any, axis: int = 0) -> Tensor:
    """Stacks arrays along a new axis.

    Args:
      arrays: A sequence of arrays, or one array, whose rows are taken.
      axis: The position of the new axis.

    Returns:
      A tensor.
    """
    return joining.stack(promoted(*listed(arrays)), axis)


@export("experimental.numpy.hstack")
def hstack(tup: Any) -> Tensor:
    """Joins arrays horizontally: along the second axis, or vectors along their only axis.

    Args:
      tup: A sequence of arrays.

    Returns:
      A tensor.
    """
    arrays = [atleast_1d(x) for x in listed(tup)]
    return concatenate(arrays, 0 if arrays[0].ndim == 1 else 1)


@export("experimental.numpy.vstack")
def vstack(tup: Any) -> Tensor:
    """Joins arrays vertically: along the first axis, with vectors as rows.

    Args:
      tup: A sequence of arrays.

    Returns:
      A tensor.
    """
    return concatenate([atleast_2d(x) for x in listed(tup)], 0)


@export("experimental.numpy.dstack")
def dstack(tup: Any) -> Tensor:
    """Joins arrays in depth: along the third axis.

    Args:
      tup: A sequence of arrays.

    Returns:
      A tensor.
    """
    return concatenate([atleast_3d(x) for x in listed(tup)], 2)


@export("experimental.numpy.append")
def append(arr: Any, values: Any, axis: int | None = None) -> Tensor:
    """Appends values to an array.

    Args:
      arr: An array.
      values: The values to append.
      axis: The axis. By default, both arrays are flattened first.

    Returns:
      A tensor.
    """
    if axis is None:
        return concatenate([ravel(arr), ravel(values)])
    return concatenate([arr, values], axis)


@export("experimental.numpy.split")
def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Tensor]:
    """Returns the parts of an array along an axis.

    Args:
      ary: The array.
      indices_or_sections: The number of equal parts, or the starts of all parts but the first.
      axis: The axis.

    Returns:
      A list of tensors.
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
    """Splits an array along the first axis.

    Args:
      ary: The array.
      indices_or_sections: The number of equal parts, or the starts of all parts but the first.

    Returns:
      A list of tensors.
    """
    return split(ary, indices_or_sections, 0)


@export("experimental.numpy.hsplit")
def hsplit(ary: Any, indices_or_sections: Any) -> list[Tensor]:
    """Splits an array along the second axis, or a vector along its only one.

    Args:
      ary: The array.
      indices_or_sections: The number of equal parts, or the starts of all parts but the first.

    Returns:
      A list of tensors.
    """
    return split(ary, indices_or_sections, 1 if asarray(ary).ndim > 1 else 0)


@export("experimental.numpy.dsplit")
def dsplit(ary: Any, indices_or_sections: Any) -> list[Tensor]:
    """Splits an array along the third axis.

    Args:
      ary: The array.
      indices_or_sections: The number of equal parts, or the starts of all parts but the first.

    Returns:
      A list of tensors.
    """
    return split(ary, indices_or_sections, 2)


@export("experimental.numpy.flip")
def flip(m: Any, axis: Any = None) -> Tensor:
    """Reverses the order of the elements along axes.

    Args:
      m: An array.
      axis: The axes. Defaults to all of them.

    Returns:
      A tensor of the shape of `m`.
    """
    m = asarray(m)
    axes = range(m.ndim) if axis is None else np.atleast_1d(integers(axis, "Reverse")).tolist()
    return roll_reverse.reverse(m, list(axes))


@export("experimental.numpy.flipud")
def flipud(m: Any) -> Tensor:
    """Reverses the order of the rows.

    Args:
      m: An array.

    Returns:
      A tensor of the shape of `m`.
    """
    return flip(m, 0)


@export("experimental.numpy.fliplr")
def fliplr(m: Any) -> Tensor:
    """Reverses the order of the columns.

    Args:
      m: An array.

    Returns:
      A tensor of the shape of `m`.
    """
    return flip(m, 1)


@export("experimental.numpy.rot90")
def rot90(m: Any, k: int = 1, axes: Any = (0, 1)) -> Tensor:
    """Rotates an array by multiples of 90 degrees, from the first of two axes towards the second.

    Args:
      m: An array.
      k: The number of quarter turns.
      axes: The two axes.

    Returns:
      A tensor.
    """
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
    """Shifts elements along axes; elements beyond the end reappear at the beginning.

    Args:
      a: An array or array-like object.
      shift: The shift, one number or one for each axis.
      axis: The axes. By default, the flattened array is shifted.

    Returns:
      A tensor of the shape of `a`.
    """
    a = asarray(a)
    if axis is None:
        return shaping.reshape(roll_reverse.roll(ravel(a), shift, 0), a._value.shape)
    return roll_reverse.roll(a, shift, axis)


@export("experimental.numpy.repeat")
def repeat(a: Any, repeats: Any, axis: int | None = None) -> Tensor:
    """Repeats each element along an axis.

    Args:
      a: An array or array-like object.
      repeats: The number of repetitions, one number or one for each element.
      axis: The axis. By default the array is flattened first.

    Returns:
      A tensor.
    """
    a = asarray(a)
    return shaping.repeat(ravel(a) if axis is None else a, repeats, axis or 0)


@export("experimental.numpy.tile")
def tile(a: Any, reps: Any) -> Tensor:
    """Repeats a whole array along its axes.

    Args:
      a: An array or array-like object.
      reps: The number of repetitions along each axis.

    Returns:
      A tensor.
    """
    a, given = asarray(a), asarray(reps)
    times = tuple(cast(given, "int32")._numpy().reshape(-1).tolist())
    rank = max(a.ndim, len(times))
    a = shaping.reshape(a, (1,) * (rank - a.ndim) + a._value.shape)
    return shaping.tile(a, (1,) * (rank - len(times)) + times)
