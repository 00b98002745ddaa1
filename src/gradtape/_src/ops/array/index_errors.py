"""The errors of indices that do not fit a tensor's shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradtape._src.base.errors import About, InvalidArgumentError
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid, shown_shape
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.graph_operations import New, run_whole
from gradtape._src.declare.unknown_sizes import UnknownRank, has_sizes, is_unknown


def unsuitable(x: Tensor, key: Any) -> InvalidArgumentError | ValueError | None:
    """Returns TensorFlow's error for a key that does not fit the shape, or None if the key fits."""
    return None if type(x._value.shape) is UnknownRank else _unfit(x._value.shape, key)


def _unfit(shape: tuple[int, ...], key: Any) -> InvalidArgumentError | ValueError | None:
    items = key if type(key) is tuple else (key,)
    if sum(item is Ellipsis for item in items) > 1:
        return invalid("Multiple ellipses in slice spec not allowed [Op:StridedSlice]")
    axes = [item for item in items if item is not None and item is not Ellipsis]
    if not shape and axes:
        return invalid(
            "Attempting to slice scalar input. [Op:StridedSlice] (a scalar has no axis to index)"
        )
    if len(axes) > len(shape):
        return invalid(
            f"Index out of range using input dim {len(shape)}; input has only {len(shape)} dims "
            f"[Op:StridedSlice] (index of a tensor of shape {shown_shape(shape)})"
        )
    axis = 0
    for item in items:
        if item is Ellipsis:
            axis += len(shape) - len(axes)
        elif type(item) is int:
            if not -shape[axis] <= item < shape[axis]:
                at = item if item >= 0 else item + shape[axis]
                return invalid(
                    f"slice index {at} of dimension {axis} out of bounds. [Op:StridedSlice] "
                    f"(the tensor's shape is {shown_shape(shape)})"
                )
            axis += 1
        elif item is not None:
            if item.step == 0:
                return invalid(f"strides[{axis}] must be non-zero [Op:StridedSlice]")
            axis += 1
    return None


def outside(starts: Sequence[Any], lengths: Sequence[Any], shape: Sequence[Any]) -> str:
    """Returns a message about a block that isn't inside of a tensor, or ""."""
    for axis, (b, n, full) in enumerate(zip(starts, lengths, shape, strict=True)):
        if not 0 <= b <= full:
            return f"Expected begin[{axis}] in [0, {full}], but got {b} [Op:Slice]"
        if not 0 <= n <= full - b:
            return f"Expected size[{axis}] in [0, {full - b}], but got {n} [Op:Slice]"
    return ""


def failing_block(x: Tensor, message: str, lengths: Sequence[Any]) -> Tensor:
    """Raises InvalidArgumentError with a message; in a graph, when it runs.

    TensorFlow, too, infers the shape of the block, and finds only in a run that it's outside. But
    if a length is negative, there is no shape.
    """
    if any(n < 0 for n in lengths) and not is_unknown(shape_of(x)):
        raise invalid(f"{message} (a length is negative)")
    return failing("Slice", x, message, lengths)


def failing(name: str, x: Tensor, message: str, shape: Sequence[Any]) -> Tensor:
    """Raises InvalidArgumentError with a message; in a graph, when it runs.

    Args:
      name: TensorFlow's name of the operation, which infers shapes without the check.
      x: An input.
      message: The message.
      shape: The shape that the result would have; its dtype is that of the input.
    """
    if is_unknown(shape_of(x)) or has_sizes([*shape]):
        raise invalid(message, About.VALUES)

    def fail(_: Tensor) -> Tensor:
        raise invalid(message, About.VALUES)

    def made(new: New, *_: Any) -> Tensor:
        return new([int(n) for n in shape], x.dtype)

    return run_whole(name, made, fail, x)
