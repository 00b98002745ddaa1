"""Projective transforms of images."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.dtypes import float32, int32
from gradtape._src.base.errors import About
from gradtape._src.base.export import raw_op
from gradtape._src.compute.jax_modules import jnp
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid, shown_shape
from gradtape._src.declare.general import general

Array = np.ndarray[Any, Any]

FILL_MODES = ("REFLECT", "WRAP", "CONSTANT", "NEAREST")
INTERPOLATIONS = ("NEAREST", "BILINEAR")


def _within(xp: Any, at: Any, n: int, mode: str) -> Any:
    """Returns positions along an axis of n pixels, wrapped according to the fill mode."""
    if mode == "CONSTANT":
        return at
    if mode == "NEAREST" or n <= 1:
        return xp.clip(at, 0, n - 1)
    if mode == "REFLECT":
        period = np.float32(2 * n)
        at = xp.fmod(at, period)
        below = xp.where(at < -n, at + period, -at - 1)
        at = xp.where(at < 0, below, xp.where(at >= n, period - at - 1, at))
    else:
        turns = xp.trunc(at / np.float32(n - 1))
        at = xp.where(at < 0, at - n * (turns - 1), xp.where(at > n - 1, at - n * turns, at))
    return xp.clip(at, 0, n - 1)


def _mapped(xp: Any, transforms: Any, rows: int, columns: int) -> tuple[Any, Any, Any]:
    """Maps each pixel of the results to an index into the images, with a mask of valid ones."""
    x = np.arange(columns, dtype=np.float32)
    y = np.arange(rows, dtype=np.float32)[:, None]
    a = transforms.astype(np.float32)[:, :, None, None]
    scale = a[:, 6] * x + a[:, 7] * y + 1
    there = scale != 0
    scale = xp.where(there, scale, 1)
    at_x = (a[:, 0] * x + a[:, 1] * y + a[:, 2]) / scale
    at_y = (a[:, 3] * x + a[:, 4] * y + a[:, 5]) / scale
    return at_x, at_y, there


def _project(
    xp: Any,
    images: Any,
    transforms: Any,
    fill_value: Any,
    *,
    output_shape: tuple[int, int],
    interpolation: str,
    fill_mode: str,
) -> Any:
    """Transforms images. `xp` is `numpy` or `jax.numpy`."""
    batch, height, width = images.shape[:3]
    images = xp.asarray(images)
    at_x, at_y, there = _mapped(xp, transforms, *output_shape)
    at_x, at_y = _within(xp, at_x, width, fill_mode), _within(xp, at_y, height, fill_mode)
    fill = fill_value.astype(images.dtype)
    which = np.arange(batch)[:, None, None]

    def read(row: Any, column: Any) -> Any:
        inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
        row = xp.where(inside, row, 0).astype(np.intp)
        column = xp.where(inside, column, 0).astype(np.intp)
        return xp.where(inside[..., None], images[which, row, column], fill)

    if interpolation == "NEAREST":
        out = read(_rounded(xp, at_y), _rounded(xp, at_x))
    else:
        top, left = xp.floor(at_y), xp.floor(at_x)
        down, right = (at_y - top)[..., None], (at_x - left)[..., None]
        upper = (1 - right) * read(top, left) + right * read(top, left + 1)
        lower = (1 - right) * read(top + 1, left) + right * read(top + 1, left + 1)
        out = (1 - down) * upper + down * lower
    return xp.where(there[..., None], out, fill).astype(images.dtype)


def _rounded(xp: Any, x: Any) -> Any:
    """Rounds to the nearest integer; halves are rounded away from zero."""
    return xp.trunc(x + xp.copysign(np.float32(0.5), x))


def _inverted(xp: Any, transforms: Any) -> Any:
    """Returns the inverse transforms."""
    count = transforms.shape[0]
    matrices = xp.concatenate([transforms, np.ones((count, 1), transforms.dtype)], 1)
    back = xp.linalg.inv(matrices.reshape(count, 3, 3)).reshape(count, 9)
    return (back / back[:, 8:])[:, :8].astype(transforms.dtype)


invert_p = general(
    "InvertProjectiveTransform", lambda x: _inverted(np, x), xla=lambda x: _inverted(jnp, x)
)
"""TensorFlow has no such operation; it uses ImageProjectiveTransformV3."""


def _vjp(g: Any, transforms: Any, images_shape: Any, interpolation: Any, fill_mode: Any) -> Any:
    """Returns TensorFlow's gradient: the cotangent, transformed by the inverse."""
    nothing = np.float32(0)
    return image_projective_transform_p(
        g,
        invert_p(transforms),
        nothing,
        output_shape=tuple(images_shape[1:3]),
        interpolation=interpolation,
        fill_mode=fill_mode,
    )


image_projective_transform_p = general(
    "ImageProjectiveTransformV3",
    lambda images, transforms, fill_value, **how: _project(
        np, images, transforms, fill_value, **how
    ),
    {"images": _vjp},
    xla=lambda *xs, **how: _project(jnp, *xs, **how),
)


@raw_op("ImageProjectiveTransformV3")
def image_projective_transform(
    images: Any,
    transforms: Any,
    output_shape: Any,
    fill_value: Any = 0.0,
    interpolation: str = "BILINEAR",
    fill_mode: str = "CONSTANT",
    name: str | None = None,
) -> Tensor:
    """Transforms images by projective transforms.

    The pixel (x, y) of a result comes from ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k) of its
    image, where k = c0 x + c1 y + 1. Differentiable in the images; as in TensorFlow, the gradient
    is transformed by the inverse, which is the correct derivative only for transforms that preserve
    distances between pixels.

    Args:
      images: A tensor of shape (batch, height, width, channels).
      transforms: A float32 tensor of shape (batch, 8) or (1, 8): a0, a1, a2, b0, b1, b2, c0, c1.
      output_shape: The height and width of the results.
      fill_value: The value outside of an image, for `fill_mode="CONSTANT"`.
      interpolation: "NEAREST" or "BILINEAR".
      fill_mode: "REFLECT", "WRAP", "CONSTANT" or "NEAREST".
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (batch, *output_shape, channels).

    Raises:
      InvalidArgumentError: A shape is not valid, or a mode is unknown.

    >>> image = tf.reshape(tf.range(4.0), (1, 2, 2, 1))
    >>> shift = [[1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0]]  # one pixel to the left
    >>> moved = tf.raw_ops.ImageProjectiveTransformV3(
    ...     images=image,
    ...     transforms=shift,
    ...     output_shape=[2, 2],
    ...     fill_value=0.0,
    ...     interpolation="NEAREST",
    ... )
    >>> moved.numpy().ravel()
    array([1., 0., 3., 0.], dtype=float32)
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
            raise invalid(
                f"{what} must be one of {', '.join(known)}, got {value!r} {op}", About.VALUES
            )
    return image_projective_transform_p(
        x,
        moves,
        convert_to_tensor(fill_value, float32),
        output_shape=(int(size[0]), int(size[1])),
        interpolation=interpolation,
        fill_mode=fill_mode,
    )
