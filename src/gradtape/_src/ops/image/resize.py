"""Resizes images; each method consists of weighted sums along rows and along columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from gradtape._src.base.dispatch import implements
from gradtape._src.base.dtypes import float32
from gradtape._src.base.errors import OutOfRangeError
from gradtape._src.base.export import export, raw_op
from gradtape._src.compute.jax_modules import EXACT, jnp
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.recorder import active_tapes
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid, shown_shape
from gradtape._src.declare.attributes import takes
from gradtape._src.declare.general import general, shape_of
from gradtape._src.declare.graph_operations import New, deferrable, has_symbols, result_by
from gradtape._src.declare.registered import opaque
from gradtape._src.declare.structural import reshape_p
from gradtape._src.declare.unknown_sizes import Size, UnknownRank
from gradtape._src.ops.array.gather import gather_p
from gradtape._src.ops.array.joining import stack
from gradtape._src.ops.elementwise.casting import cast_p
from gradtape._src.ops.elementwise.identities import stop_gradient_p
from gradtape._src.ops.image.adjust import pad_to_bounding_box
from gradtape._src.ops.image.picture_shapes import whole
from gradtape._src.ops.linalg.einsum import einsum_p
from gradtape._src.ops.types.ragged_tensor import RaggedTensor

Weights = Any  # an array


@export("image.ResizeMethod")
class ResizeMethod:
    """The methods of `resize`."""

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"


def _triangle(x: Weights) -> Weights:
    return np.maximum(0, 1 - x)


def cubic(x: Weights, slope: float = -0.5) -> Weights:
    """Returns Keys' cubic at distances from its center; `slope` is its slope at a distance of 1."""
    near = ((slope + 2) * x - (slope + 3)) * x * x + 1
    far = slope * (((x - 5) * x + 8) * x - 4)
    return np.where(x < 1, near, np.where(x < 2, far, 0))


def _mitchell(x: Weights) -> Weights:
    near = ((7 * x - 12) * x * x + 16 / 3) / 6
    far = (((-7 / 3 * x + 12) * x - 20) * x + 32 / 3) / 6
    return np.where(x < 1, near, np.where(x < 2, far, 0))


def _lanczos(radius: float) -> Callable[[Weights], Weights]:
    return lambda x: np.where(x < radius, np.sinc(x) * np.sinc(x / radius), 0)


def _gaussian(x: Weights) -> Weights:
    return np.where(x < 1.5, np.exp(-2 * x * x), 0)


_FILTERS: dict[str, tuple[Callable[[Any], Any], float]] = {
    "bilinear": (_triangle, 1),
    "bicubic": (cubic, 2),
    "lanczos3": (_lanczos(3.0), 3),
    "lanczos5": (_lanczos(5.0), 5),
    "gaussian": (_gaussian, 1.5),
    "mitchellcubic": (_mitchell, 2),
}


def _linear_weights(n: int, m: int) -> Weights:
    """Returns the weights from n to m pixels, each interpolated between the two nearest."""
    at = (np.arange(m) + 0.5) * (n / m) - 0.5
    low = np.floor(at).astype(int)
    part = at - low
    weights = np.zeros((m, n))
    rows = np.arange(m)
    np.add.at(weights, (rows, np.clip(low, 0, n - 1)), 1 - part)
    np.add.at(weights, (rows, np.clip(low + 1, 0, n - 1)), part)
    return weights


def _cubic_weights(n: int, m: int) -> Weights:
    """Returns the weights of Keys' cubic from n to m pixels, from a table of 1024 steps."""
    at = (np.arange(m) + 0.5) * (n / m) - 0.5
    low = np.floor(at).astype(int)
    part = np.rint((at - low) * 1024) / 1024
    places = low[:, None] + np.arange(-1, 3)
    values = cubic(np.abs(np.arange(-1, 3) - part[:, None]))
    values = np.where((places >= 0) & (places < n), values, 0)
    return _spread(places, values, n)


def _spread(places: Weights, values: Weights, n: int) -> Weights:
    """Returns the weights at given positions as rows of a matrix that sum to one."""
    values = values / values.sum(1, keepdims=True)
    weights = np.zeros((len(places), n))
    np.add.at(weights, (np.arange(len(places))[:, None], np.clip(places, 0, n - 1)), values)
    return weights


def _kernel_weights(n: int, m: int, method: str, antialias: bool) -> Weights:
    """Returns the weights from n to m pixels of a kernel, stretched if `antialias` is set."""
    kernel, radius = _FILTERS[method]
    step = n / m
    stretch = max(step, 1.0) if antialias else 1.0
    at = (np.arange(m) + 0.5) * step
    places = np.arange(n)[None, :] + 0.5
    distance = np.abs(places - at[:, None]) / stretch
    weights = np.where(distance <= radius, kernel(distance), 0)
    return weights / weights.sum(1, keepdims=True)


def _area_weights(n: int, m: int) -> Weights:
    """Returns the weights from n to m pixels, each the mean of the pixels that it covers."""
    step = n / m
    edges = np.arange(m + 1) * step
    left, right = edges[:-1, None], edges[1:, None]
    start = np.arange(n)[None, :]
    return np.clip(np.minimum(right, start + 1) - np.maximum(left, start), 0, None) / step


@lru_cache(256)
def _weights(n: int, m: int, method: str, antialias: bool, dtype: str) -> Weights:
    if method == "area":
        made = _area_weights(n, m)
    elif method == "bilinear" and not antialias:
        made = _linear_weights(n, m)
    elif method == "bicubic" and not antialias:
        made = _cubic_weights(n, m)
    else:
        made = _kernel_weights(n, m, method, antialias)
    return made.astype(dtype)


def _weights_later(*, n: int, m: int, method: str, antialias: bool, dtype: str) -> Weights:
    return _weights(n, m, method, antialias, dtype)


_weights_p = general("ResizeWeights", _weights_later, xla=_weights_later)
"""This handles lengths that are known only when a graph runs."""


def weighted(x: Any, rows: Any, columns: Any) -> Tensor:
    """Applies weights to the rows and columns of images (batch, height, width, channels)."""
    x = einsum_p(rows, x, spec=("ih", "bhwc", "biwc"))
    return einsum_p(columns, x, spec=("jw", "biwc", "bijc"))


def area_weights(n: int, m: int) -> Weights:
    """Returns the weights from n to m pixels, each the mean of the pixels that it covers."""
    return _weights(n, m, "area", False, "float32")


def _resize_area(x: Any, *, size: tuple[int, int]) -> Any:
    rows, columns = (area_weights(n, m) for n, m in zip(x.shape[1:3], size, strict=True))
    return weighted(x, rows, columns)


def _resize_area_xla(x: Any, *, size: tuple[int, int]) -> Any:
    rows, columns = (area_weights(n, m) for n, m in zip(x.shape[1:3], size, strict=True))
    return jnp.einsum("ih,bhwc,jw->bijc", rows, x, columns, precision=EXACT)


_resize_area_p = opaque("ResizeArea", _resize_area, xla=_resize_area_xla)


def _nearest(x: Any, size: tuple[int, int]) -> Any:
    for axis, m in zip((1, 2), size, strict=True):
        n = x._value.shape[axis]
        at = _places_p(n=n, m=m) if type(n) is Size else Tensor(_places(n=n, m=m))
        x = gather_p(x, at, axis=axis, batch_dims=0)
    return x


def _places(*, n: int, m: int) -> Any:
    """Returns the index of the nearest of n pixels to each of m pixels."""
    return np.minimum(np.floor((np.arange(m) + 0.5) * (n / m)), n - 1).astype(np.int32)


_places_p = general("ResizePlaces", _places, xla=_places)
"""This handles lengths that are known only when a graph runs."""


@export("image.resize")
@takes(antialias="bool")
@deferrable
def resize(
    images: Any,
    size: Any,
    method: str = "bilinear",
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Tensor:
    """Resizes images.

    Args:
      images: A tensor of shape (height, width, channels), or of a batch of them.
      size: The new height and width.
      method: One of `ResizeMethod`.
      preserve_aspect_ratio: Whether to keep the aspect ratio, so that the result fits into `size`.
      antialias: Whether to smooth images that become smaller.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (..., new height, new width, channels), float32, or the dtype of `images` if
      the method is "nearest".

    Raises:
      ValueError: The rank, `size` or `method` is malformed.
      LookupError: When the gradient of the method "area" is computed, which TensorFlow does not
        define.

    >>> tf.image.resize([[[0.0], [4.0]]], (1, 4)).numpy()[0, :, 0]
    array([0., 1., 3., 4.], dtype=float32)
    """
    x = tensor(images)
    if x._value.ndim not in (3, 4):
        raise ValueError("'images' must have either 3 or 4 dimensions.")
    target = size_of(size)
    if method not in {"nearest", "area", *_FILTERS}:
        raise ValueError(f"Resize method is not implemented: {method}")
    single = x._value.ndim == 3
    if single:
        x = reshape_p(x, shape=(1, *x._value.shape))
    own = x._value.shape[1:3]
    if any(n < 1 for n in (*own, *target)):
        raise invalid(
            f"resize: the image and `size` must have at least one row and one column: the image "
            f"has shape {shown_shape(own)} and `size` is {shown_shape(target)} [Op:Resize]"
        )
    if preserve_aspect_ratio:
        target = fitted(own, target)
    if method == "nearest":
        x = _nearest(x, target)
    else:
        x = _smooth(cast_p(x, dtype=np.dtype(np.float32)), own, target, method, antialias)
    if single:
        x = reshape_p(x, shape=x._value.shape[1:])
    return x


@implements(resize, images=RaggedTensor)
def _resize_ragged(
    images: RaggedTensor,
    size: Any,
    method: str = "bilinear",
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Tensor:
    """Resizes each image of a ragged batch."""
    if len(images.shape) != 4:
        raise ValueError("tf.image.resize: images.shape.rank must be 4 if images is ragged.")
    each = [image.to_tensor() if isinstance(image, RaggedTensor) else image for image in images]
    made = [resize(image, size, method, preserve_aspect_ratio, antialias) for image in each]
    if len({image.shape for image in made}) > 1:
        raise ValueError(
            "tf.image.resize: ragged images must be resized to one size, got "
            f"{[image.shape.as_list() for image in made]}: call it without preserve_aspect_ratio"
        )
    channels = images.shape[-1]
    return stack(made) if made else Tensor(np.zeros((0, *size_of(size), channels or 0), np.float32))


def size_of(size: Any) -> tuple[int, int]:
    """Returns a height and width as numbers; raises ValueError for any other shape."""
    value = np.asarray(tensor(size)._value)
    if value.shape != (2,):
        raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
    return int(value[0]), int(value[1])


def fitted(own: Sequence[int], target: Sequence[int]) -> tuple[int, int]:
    """Returns the largest size within `target` that has the aspect ratio of `own`."""
    scale = min(target[0] / own[0], target[1] / own[1])
    return round(own[0] * scale), round(own[1] * scale)


def _smooth(x: Any, own: Any, target: tuple[int, int], method: str, antialias: bool) -> Any:
    if method == "area":
        return _resize_area_p(x, size=target)
    how = {"method": method, "antialias": bool(antialias), "dtype": "float32"}
    rows, columns = (
        _weights_p(n=n, m=m, **how) if type(n) is Size else Tensor(_weights(n, m, **how))
        for n, m in zip(own, target, strict=True)
    )
    return weighted(x, rows, columns)


def _padded(
    new: New, image: Any, target_height: Any, target_width: Any, *_: Any, **__: Any
) -> Tensor:
    """Returns the result of `resize_with_pad`; images of unknown rank are single images."""
    shape = shape_of(tensor(image))
    lead = () if type(shape) is UnknownRank else shape[:-3]
    channels = None if type(shape) is UnknownRank else shape[-1]
    size = [None if has_symbols(n) else int(n) for n in (target_height, target_width)]
    return new([*lead, *size, channels], np.dtype(np.float32))


@export("image.resize_with_pad")
@takes(antialias="bool")
@deferrable
@result_by(_padded)
def resize_with_pad(
    image: Any,
    target_height: Any,
    target_width: Any,
    method: str = "bilinear",
    antialias: bool = False,
) -> Tensor:
    """Resizes images to fit into a size, keeps their aspect ratio, and pads them with zeros.

    Args:
      image: A tensor of shape (height, width, channels), or of a batch of them.
      target_height: The height of the result.
      target_width: The width of the result.
      method: One of `ResizeMethod`.
      antialias: Whether to smooth images that become smaller.

    Returns:
      A tensor of shape (..., target_height, target_width, channels).

    Raises:
      ValueError: The rank, a size or `method` is malformed.

    >>> tf.image.resize_with_pad(tf.ones((2, 4, 1)), 4, 4).shape
    TensorShape([4, 4, 1])
    """
    x = tensor(image)
    if x._value.ndim not in (3, 4):
        raise ValueError("'image' must have either 3 or 4 dimensions.")
    rows, columns = whole("target_height", target_height), whole("target_width", target_width)
    height, width = x._value.shape[-3:-1]
    ratio = max(height / rows, width / columns)
    fit = (int(np.floor(height / ratio)), int(np.floor(width / ratio)))
    x = resize(x, fit, method, antialias=antialias)
    top, left = max(0, (rows - fit[0]) // 2), max(0, (columns - fit[1]) // 2)
    return pad_to_bounding_box(x, top, left, rows, columns)


@export("image.crop_and_resize")
@raw_op("CropAndResize", box_ind="box_indices")
def crop_and_resize(
    image: Any,
    boxes: Any,
    box_indices: Any,
    crop_size: Any,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
    name: str | None = None,
) -> Tensor:
    """Crops boxes from images and resizes them to one size; differentiable in images and boxes.

    Args:
      image: A tensor of shape (batch, height, width, channels).
      boxes: A tensor of shape (n, 4): y1, x1, y2, x2, where 0 and 1 are the image's edges.
      box_indices: A tensor of shape (n,): the index of each box's image.
      crop_size: The height and width of the results.
      method: "bilinear" or "nearest".
      extrapolation_value: The value where a box exceeds the image.
      name: Accepted for compatibility.

    Returns:
      A float32 tensor of shape (n, crop height, crop width, channels).

    Raises:
      ValueError: `crop_size` or `method` is malformed, or `boxes` has another dtype than float32.
      OutOfRangeError: `box_indices` contains an index that is out of range.
    """
    if method not in ("bilinear", "nearest"):
        raise ValueError(f"method must be 'bilinear' or 'nearest', got {method!r}")
    x = cast_p(tensor(image), dtype=np.dtype(np.float32))
    size = size_of(crop_size)
    given = convert_to_tensor(boxes, float32)
    corners = np.asarray(given._value, np.float64)
    if corners.ndim != 2 or corners.shape[1] != 4 or min(x._value.shape[1:3], default=0) < 1:
        raise invalid(
            f"crop_and_resize: `boxes` must have shape (n, 4) and `image` must not be empty, got "
            f"boxes of shape {shown_shape(corners.shape)} and an image of shape "
            f"{shown_shape(x._value.shape)} [Op:CropAndResize]"
        )
    sides = [
        _box_weights(x._value.shape[1 + k], size[k], corners[:, k], corners[:, k + 2], method)
        for k in range(2)
    ]
    cut = gather_p(x, _checked_box_indices(box_indices, x._value.shape[0]), axis=0, batch_dims=0)
    (_, inside_rows), (_, inside_columns) = sides
    rows, columns = (Tensor(weights) for weights, _ in sides)
    if active_tapes() is not None and method == "bilinear":
        rows = _moving_weights(rows, given[:, 0], given[:, 2])
        columns = _moving_weights(columns, given[:, 1], given[:, 3])
    cut = einsum_p(rows, cut, spec=("bih", "bhwc", "biwc"))
    cut = einsum_p(columns, cut, spec=("bjw", "biwc", "bijc"))
    if extrapolation_value:
        outside = ~(inside_rows[:, :, None] & inside_columns[:, None, :])
        cut = cut + Tensor((outside[..., None] * extrapolation_value).astype(np.float32))
    return cut


def _moving_weights(weights: Tensor, low: Tensor, high: Tensor) -> Tensor:
    """Returns the weights with their derivatives with respect to the edges of the boxes.

    A position between two pixels moves weight from the pixel before it to the one after it.
    """
    values = np.asarray(weights._value)
    m, n = values.shape[1:]
    part = np.arange(m) / (m - 1) if m > 1 else np.full(1, 0.5)
    before, after = (((n - 1) * p).astype(np.float32) for p in (1 - part, part))
    at = low[:, None] * Tensor(before) + high[:, None] * Tensor(after)
    first = (values > 0).argmax(-1)
    between = (values > 0).sum(-1) == 2
    places = np.arange(n)
    slope = (places == first[..., None] + 1).astype(np.float32) - (places == first[..., None])
    slope = Tensor((slope * between[..., None]).astype(np.float32))
    return weights + slope * (at - stop_gradient_p(at))[..., None]


def _checked_box_indices(indices: Any, count: int) -> Tensor:
    """Returns the index of the image that each box is cut from, checked if the values are known."""
    places = tensor(indices)
    known = places._value
    if isinstance(known, np.ndarray) and not ((known >= 0) & (known < count)).all():
        raise OutOfRangeError(
            None,
            None,
            f"box_index has values outside [0, batch_size): `box_indices` are {known.tolist()} "
            f"for {count} images [Op:CropAndResize]",
        )
    return places


def _box_weights(
    n: int, m: int, low: Weights, high: Weights, method: str
) -> tuple[Weights, Weights]:
    """Returns the weights of n pixels at m positions between each box's edges, and a mask."""
    if m > 1:
        at = low[:, None] * (n - 1) + np.arange(m) * ((high - low) * (n - 1) / (m - 1))[:, None]
    else:
        at = 0.5 * (low + high)[:, None] * (n - 1)
    inside = (at >= 0) & (at <= n - 1)
    places = np.arange(n)
    if method == "nearest":
        weights = (np.floor(at + 0.5)[..., None] == places).astype(np.float64)
    else:
        weights = np.maximum(0, 1 - np.abs(at[..., None] - places))
    return (weights * inside[..., None]).astype(np.float32), inside
