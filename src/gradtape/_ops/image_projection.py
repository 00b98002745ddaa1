"""Images seen through projective transforms."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._base.dtypes import float32, int32
from gradtape._core.convert import convert_to_tensor, tensor
from gradtape._core.tensor import Tensor
from gradtape._ops.arguments import invalid, shown_shape
from gradtape._ops.families import general

Array = np.ndarray[Any, Any]

FILL_MODES = ("REFLECT", "WRAP", "CONSTANT", "NEAREST")
INTERPOLATIONS = ("NEAREST", "BILINEAR")


def _within(at: Array, n: int, mode: str) -> Any:
    """Places along an axis of n pixels, those outside brought back by the fill mode."""
    if mode == "CONSTANT":
        return at
    if mode == "NEAREST" or n <= 1:
        return np.clip(at, 0, n - 1)
    if mode == "REFLECT":
        period = np.float32(2 * n)
        at = np.fmod(at, period)
        below = np.where(at < -n, at + period, -at - 1)
        at = np.where(at < 0, below, np.where(at >= n, period - at - 1, at))
    else:
        turns = np.trunc(at / np.float32(n - 1))
        at = np.where(at < 0, at - n * (turns - 1), np.where(at > n - 1, at - n * turns, at))
    return np.clip(at, 0, n - 1)


def _mapped(transforms: Array, rows: int, columns: int) -> tuple[Array, Array, Array]:
    """Where each pixel of the results comes from: (batch, rows, columns), and which come at all."""
    x = np.arange(columns, dtype=np.float32)
    y = np.arange(rows, dtype=np.float32)[:, None]
    a = transforms.astype(np.float32)[:, :, None, None]
    scale = a[:, 6] * x + a[:, 7] * y + 1
    there = scale != 0
    scale = np.where(there, scale, 1)
    at_x = (a[:, 0] * x + a[:, 1] * y + a[:, 2]) / scale
    at_y = (a[:, 3] * x + a[:, 4] * y + a[:, 5]) / scale
    return at_x, at_y, there


def _project(
    images: Any,
    transforms: Any,
    fill_value: Any,
    *,
    output_shape: tuple[int, int],
    interpolation: str,
    fill_mode: str,
) -> Any:
    batch, height, width = images.shape[:3]
    at_x, at_y, there = _mapped(transforms, *output_shape)
    at_x, at_y = _within(at_x, width, fill_mode), _within(at_y, height, fill_mode)
    fill = fill_value.astype(images.dtype)
    which = np.arange(batch)[:, None, None]

    def read(row: Array, column: Array) -> Any:
        inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
        row = np.where(inside, row, 0).astype(np.intp)
        column = np.where(inside, column, 0).astype(np.intp)
        return np.where(inside[..., None], images[which, row, column], fill)

    if interpolation == "NEAREST":
        out = read(_rounded(at_y), _rounded(at_x))
    else:
        top, left = np.floor(at_y), np.floor(at_x)
        down, right = (at_y - top)[..., None], (at_x - left)[..., None]
        upper = (1 - right) * read(top, left) + right * read(top, left + 1)
        lower = (1 - right) * read(top + 1, left) + right * read(top + 1, left + 1)
        out = (1 - down) * upper + down * lower
    return np.where(there[..., None], out, fill).astype(images.dtype)


def _rounded(x: Array) -> Any:
    """The nearest whole number, halves away from zero."""
    return np.trunc(x + np.copysign(np.float32(0.5), x))


def _inverted(transforms: Any) -> Any:
    count = transforms.shape[0]
    matrices = np.concatenate([transforms, np.ones((count, 1), transforms.dtype)], 1)
    back = np.linalg.inv(matrices.reshape(count, 3, 3)).reshape(count, 9)
    return (back / back[:, 8:])[:, :8].astype(transforms.dtype)


invert_p = general("InvertProjectiveTransform", _inverted)
"""The transform that leads back; not a TensorFlow operation of its own."""


def _pull(g: Any, transforms: Any, images_shape: Any, interpolation: Any, fill_mode: Any) -> Any:
    """TensorFlow's gradient: the cotangent seen through the inverse transform."""
    nothing = np.float32(0)
    return image_projective_transform_p(
        g,
        invert_p(transforms),
        nothing,
        output_shape=tuple(images_shape[1:3]),
        interpolation=interpolation,
        fill_mode=fill_mode,
    )


image_projective_transform_p = general("ImageProjectiveTransformV3", _project, {"images": _pull})


def image_projective_transform(
    images: Any,
    transforms: Any,
    output_shape: Any,
    fill_value: Any = 0.0,
    interpolation: str = "BILINEAR",
    fill_mode: str = "CONSTANT",
    name: str | None = None,
) -> Tensor:
    """Moves each pixel's place by a projective transform, and looks up the image there.

    The pixel (x, y) of a result comes from ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k) of
    its image, where k = c0 x + c1 y + 1. Differentiable in the images; as in TensorFlow, the
    gradient is seen through the inverse transform, which is the derivative's transpose only for
    transforms that keep the distances between pixels.

    Args:
      images: A tensor of shape (batch, height, width, channels).
      transforms: A float32 tensor of shape (batch, 8) or (1, 8): a0, a1, a2, b0, b1, b2, c0, c1.
      output_shape: The height and width of the results.
      fill_value: What stands outside of an image with "CONSTANT".
      interpolation: "NEAREST" or "BILINEAR".
      fill_mode: "REFLECT", "WRAP", "CONSTANT" or "NEAREST".
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (batch, *output_shape, channels).

    Raises:
      InvalidArgumentError: A shape does not fit, or a mode is unknown.
    """
    x, moves = tensor(images), convert_to_tensor(transforms, float32)
    op = "[Op:ImageProjectiveTransformV3]"
    if x._value.ndim != 4:
        raise invalid(f"Input images must have rank 4, got shape {x.shape} {op}")
    if moves._value.ndim != 2 or moves.shape[1] != 8 or moves.shape[0] not in (1, x.shape[0]):
        raise invalid(
            f"Input transform should be num_images x 8 or 1 x 8, got shape {moves.shape} for "
            f"{x.shape[0]} images {op}"
        )
    size = np.asarray(convert_to_tensor(output_shape, int32)._numpy())
    if size.shape != (2,):
        raise invalid(f"output shape must have two elements{shown_shape(size.shape)} {op}")
    if (size <= 0).any():
        raise invalid(f"output dimensions must be positive, got {size.tolist()} {op}")
    for what, value, known in (
        ("interpolation", interpolation, INTERPOLATIONS),
        ("fill_mode", fill_mode, FILL_MODES),
    ):
        if value not in known:
            raise invalid(f"{what} must be one of {', '.join(known)}, got {value!r} {op}")
    return image_projective_transform_p(  # type: ignore[no-any-return]
        x,
        moves,
        convert_to_tensor(fill_value, float32),
        output_shape=(int(size[0]), int(size[1])),
        interpolation=interpolation,
        fill_mode=fill_mode,
    )
