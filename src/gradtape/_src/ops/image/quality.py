"""Measures on images: edges, variation, and the similarity of two images."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape._src.base.export import export
from gradtape._src.core.convert import tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.structural import pad_p, reduce_sum_p, reshape_p, slice_p
from gradtape._src.declare.unknown_sizes import is_unknown, may_be_equal
from gradtape._src.ops.array.joining import concat
from gradtape._src.ops.array.padding import pad
from gradtape._src.ops.array.tensor_shapes import shape as shape_tensor
from gradtape._src.ops.elementwise.arithmetic import abs as absolute
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.exponential import log_p
from gradtape._src.ops.elementwise.powers import pow_p, rsqrt_p, sqrt_p
from gradtape._src.ops.elementwise.selection import maximum_p
from gradtape._src.ops.image.adjust import convert_image_dtype, need_image, need_pixels
from gradtape._src.ops.nn.activations import relu
from gradtape._src.ops.nn.convolution import depthwise_conv2d
from gradtape._src.ops.nn.pooling import avg_pool2d
from gradtape._src.ops.reduce.reductions import reduce_mean, reduce_mean_p, reduce_prod


def _differences(x: Any, axis: int) -> Any:
    """Returns the differences of neighbouring pixels along an axis, counted from the end."""
    shape = x._value.shape
    rank = len(shape)
    begin, end = [0] * rank, list(shape)
    begin[axis], end[axis] = 1, shape[axis] - 1
    later = slice_p(x, begin=tuple(begin), end=shape)
    return later - slice_p(x, begin=(0,) * rank, end=tuple(end))


@export("image.total_variation")
def total_variation(images: Any, name: str | None = None) -> Tensor:
    """Returns the sum of the absolute differences of neighbouring pixels.

    Args:
      images: A tensor of shape (height, width, channels), or of a batch of them.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape () or (batch,).

    Raises:
      ValueError: The rank is not supported.

    >>> tf.image.total_variation([[[1.0], [3.0]], [[1.0], [3.0]]]).numpy()
    np.float32(4.0)
    """
    x = tensor(images)
    need_image(x, 3, 4)
    parts = [absolute(_differences(x, axis)) for axis in (-3, -2)]
    rows, columns = (reduce_sum_p(part, axis=(-3, -2, -1), keepdims=False) for part in parts)
    return rows + columns


@export("image.image_gradients")
def image_gradients(image: Any) -> tuple[Tensor, Tensor]:
    """Returns the differences of neighbouring pixels, with zeros in the last row or column.

    Args:
      image: A tensor of shape (batch, height, width, channels).

    Returns:
      `dy` and `dx`, of the shape of `image`.

    Raises:
      ValueError: The rank is not supported.
    """
    x = tensor(image)
    if x._value.ndim != 4:
        raise ValueError(
            f"image_gradients expects a 4D tensor [batch_size, h, w, d], not {x.shape}."
        )
    dy = pad_p(_differences(x, -3), before=(0, 0, 0, 0), after=(0, 1, 0, 0))
    dx = pad_p(_differences(x, -2), before=(0, 0, 0, 0), after=(0, 0, 1, 0))
    return dy, dx


_SOBEL = np.array([[-1.0, -2, -1], [0, 0, 0], [1, 2, 1]])


@export("image.sobel_edges")
def sobel_edges(image: Any) -> Tensor:
    """Returns Sobel's edge maps.

    Args:
      image: A tensor of shape (batch, height, width, channels), float32 or float64.

    Returns:
      A tensor of shape (batch, height, width, channels, 2): dy and dx.

    Raises:
      InvalidArgumentError: The rank is not supported.

    >>> tf.image.sobel_edges(tf.ones((1, 4, 4, 1))).shape
    TensorShape([1, 4, 4, 1, 2])
    """
    x = tensor(image)
    if x._value.ndim != 4:
        raise invalid(f"sobel_edges: images have four axes, got shape {x.shape} [Op:MirrorPad]")
    shape = x._value.shape
    kernels = np.stack([_SOBEL, _SOBEL.T], -1)[:, :, None, :]
    kernels = np.repeat(kernels, shape[-1], 2).astype(x._value.dtype)
    framed = pad(x, [[0, 0], [1, 1], [1, 1], [0, 0]], mode="REFLECT")
    out = depthwise_conv2d(framed, Tensor(kernels), [1, 1, 1, 1], "VALID")
    return reshape_p(out, shape=(*shape, 2))


@export("image.per_image_standardization")
def per_image_standardization(image: Any) -> Tensor:
    """Shifts and scales each image to mean 0 and standard deviation 1.

    Args:
      image: A tensor of shape (..., height, width, channels).

    Returns:
      A float32 tensor of the same shape.

    Raises:
      ValueError: The rank is below three.

    >>> tf.image.per_image_standardization([[[1.0], [3.0]]]).numpy()[0, :, 0]
    array([-1.,  1.], dtype=float32)
    """
    x = tensor(image)
    need_image(x, 3)
    need_pixels(x, "per_image_standardization")
    x = cast(x, "float32")
    axes = (-3, -2, -1)
    centered = x - reduce_mean_p(x, axis=axes, keepdims=True)
    deviation = sqrt_p(reduce_mean_p(centered * centered, axis=axes, keepdims=True))
    sizes = shape_of(x)[-3:]
    if is_unknown(sizes):
        least = rsqrt_p(cast(reduce_prod(shape_tensor(x)[-3:]), x.dtype))
    else:
        least = Tensor(x._value.dtype.type(1 / np.sqrt(np.prod(sizes))))
    return centered / maximum_p(deviation, least)


def _pair(a: Any, b: Any, max_val: Any) -> tuple[Tensor, Tensor, Any]:
    """Converts two images and the range of their values to float32."""
    x, y = tensor(a), tensor(b)
    top = cast(max_val, x.dtype)
    kind = np.float32
    return (
        convert_image_dtype(x, kind),
        convert_image_dtype(y, kind),
        convert_image_dtype(top, kind),
    )


def _need_equal_images(x: Tensor, y: Tensor) -> None:
    own, other = shape_of(x), shape_of(y)
    if min(len(own), len(other)) < 3 or not may_be_equal(own[-3:], other[-3:]):
        raise ValueError(f"Images of shapes {own} and {other} can't be compared")
    pairs = zip(reversed(own[:-3]), reversed(other[:-3]), strict=False)
    if not all(m == 1 or n == 1 or may_be_equal((m,), (n,)) for m, n in pairs):
        raise ValueError(f"Images of shapes {own} and {other} can't be compared")


@export("image.psnr")
def psnr(a: Any, b: Any, max_val: Any, name: str | None = None) -> Tensor:
    """Returns the peak signal-to-noise ratio of two images, in decibels.

    Args:
      a: A tensor of shape (..., height, width, channels).
      b: A tensor of the same shape.
      max_val: The range of the values, such as 255 or 1.0.
      name: Accepted for compatibility.

    Returns:
      A float32 tensor of shape (...).

    Raises:
      InvalidArgumentError: The shapes do not broadcast, or the rank is below three.
      ValueError: The images differ in their shapes.
    """
    x, y, top = _pair(a, b, max_val)
    off = x - y  # which refuses shapes first, by InvalidArgumentError
    error = reduce_mean(off * off, [-3, -2, -1])
    _need_equal_images(x, y)
    return (20 * log_p(top) - 10 * log_p(error)) / np.float32(np.log(10))


def _window(size: int, sigma: float, channels: int) -> Tensor:
    at = np.arange(size) - (size - 1) / 2
    line = np.exp(-0.5 * (at / sigma) ** 2)
    square = np.outer(line, line)
    square = (square / square.sum()).astype(np.float32)
    return Tensor(np.repeat(square[:, :, None, None], channels, 2))


def _compared(
    x: Any, y: Any, top: Any, size: int, sigma: float, k1: float, k2: float
) -> tuple[Any, Any]:
    """Compares brightness and contrast at each position, for each channel."""
    window = _window(size, sigma, x._value.shape[-1])

    def smooth(v: Any) -> Any:
        return depthwise_conv2d(v, window, [1, 1, 1, 1], "VALID")

    c1, c2 = (k1 * top) ** 2, (k2 * top) ** 2
    mean_x, mean_y = smooth(x), smooth(y)
    product, squares = mean_x * mean_y * 2, mean_x * mean_x + mean_y * mean_y
    brightness = (product + c1) / (squares + c1)
    cross, own = smooth(x * y) * 2, smooth(x * x + y * y)
    return brightness, (cross - product + c2) / (own - squares + c2)


@export("image.ssim")
def ssim(
    img1: Any,
    img2: Any,
    max_val: Any,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
    return_index_map: bool = False,
) -> Tensor:
    """Returns the structural similarity of two images.

    Wang, Bovik, Sheikh and Simoncelli, "Image quality assessment: from error visibility to
    structural similarity" (2004).

    Args:
      img1: A tensor of shape (..., height, width, channels).
      img2: A tensor of the same shape.
      max_val: The range of the values, such as 255 or 1.0.
      filter_size: The size of the Gaussian window.
      filter_sigma: The standard deviation of the Gaussian window.
      k1: The constant that stabilizes the comparison of brightness.
      k2: The constant that stabilizes the comparison of contrast.
      return_index_map: Whether to return the measure at each pixel.

    Returns:
      A float32 tensor of shape (...), or (..., height, width) for the map.

    Raises:
      InvalidArgumentError: An image is smaller than the window.
      ValueError: The images have fewer than three axes, or their shapes differ.
    """
    x, y, top = _pair(img1, img2, max_val)
    _need_equal_images(x, y)
    need_image(x, 3)
    *lead, height, width, channels = x._value.shape
    if min(height, width) < filter_size:
        raise invalid(
            f"ssim: images must be at least filter_size, {filter_size}, high and wide, got "
            f"{height} x {width}"
        )
    batch = math.prod(lead)
    x, y = (reshape_p(v, shape=(batch, height, width, channels)) for v in (x, y))
    brightness, contrast = _compared(x, y, top, filter_size, filter_sigma, k1, k2)
    measure = reduce_mean_p(brightness * contrast, axis=(-1,), keepdims=False)
    if not return_index_map:
        return reshape_p(reduce_mean_p(measure, axis=(-2, -1), keepdims=False), shape=tuple(lead))
    return reshape_p(measure, shape=(*lead, *measure._value.shape[1:]))


_SCALES = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)


def _halved(x: Any) -> Any:
    """Returns an image of half the size; odd edges are repeated."""
    height, width = x._value.shape[1:3]
    if is_unknown((height, width)):
        even = shape_tensor(x) // 2 * 2
        rows = concat([x, x[:, even[1] :]], 1)
        x = concat([rows, rows[:, :, even[2] :]], 2)
    elif height % 2 or width % 2:
        x = pad(x, [[0, 0], [0, height % 2], [0, width % 2], [0, 0]], mode="SYMMETRIC")
    return avg_pool2d(x, 2, 2, "VALID")


@export("image.ssim_multiscale")
def ssim_multiscale(
    img1: Any,
    img2: Any,
    max_val: Any,
    power_factors: Any = _SCALES,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
) -> Tensor:
    """Returns the structural similarity of two images over several scales, each half the previous.

    Wang, Simoncelli and Bovik, "Multiscale structural similarity for image quality assessment"
    (2003).

    Args:
      img1: A tensor of shape (..., height, width, channels).
      img2: A tensor of the same shape.
      max_val: The range of the values, such as 255 or 1.0.
      power_factors: A weight for each scale.
      filter_size: The size of the Gaussian window.
      filter_sigma: The standard deviation of the Gaussian window.
      k1: The constant that stabilizes the comparison of brightness.
      k2: The constant that stabilizes the comparison of contrast.

    Returns:
      A float32 tensor of shape (...).

    Raises:
      ValueError: The rank of an image is too low.
      InvalidArgumentError: An image is smaller than the window at the last scale.
    """
    x, y, top = _pair(img1, img2, max_val)
    _need_equal_images(x, y)
    need_image(x, 3)
    *lead, height, width, channels = x._value.shape
    batch = math.prod(lead)
    x, y = (reshape_p(v, shape=(batch, height, width, channels)) for v in (x, y))
    out: Any = None
    powers = cast(tensor(power_factors), np.float32)
    count = len(power_factors)
    for k in range(count):
        if k:
            x, y = _halved(x), _halved(y)
        sides = x._value.shape[1:3]
        if not is_unknown(sides) and min(sides) < filter_size:
            raise invalid(
                f"ssim_multiscale: an image of {height} x {width} is smaller than the window of "
                f"{filter_size} at scale {k + 1} of {count} (give fewer "
                f"`power_factors` or a smaller `filter_size`)"
            )
        brightness, contrast = _compared(x, y, top, filter_size, filter_sigma, k1, k2)
        measure = brightness * contrast if k == count - 1 else contrast
        mean = relu(reduce_mean_p(measure, axis=(-3, -2), keepdims=False))
        part = pow_p(mean, powers[k])
        out = part if out is None else out * part
    return reshape_p(reduce_mean_p(out, axis=(-1,), keepdims=False), shape=tuple(lead))
