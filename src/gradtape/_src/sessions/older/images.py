"""Images with TensorFlow 1's names and arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.image import boxes as drawn
from gradtape._src.ops.image import random_changes, raw_resize
from gradtape._src.ops.image import resize as resizing
from gradtape._src.ops.nn.image_patches import extract_patches
from gradtape._src.sessions.older.arguments import either

if TYPE_CHECKING:
    from gradtape._src.declare.named_results import DistortedBox

_METHODS = ("bilinear", "nearest", "bicubic", "area")
_RESIZE = (
    raw_resize.resize_bilinear,
    raw_resize.resize_nearest_neighbor,
    raw_resize.resize_bicubic,
    raw_resize.resize_area,
)


def _known(size: Any) -> list[int] | None:
    """Returns a size that is given as Python numbers, or None for a tensor."""
    return [int(n) for n in size] if isinstance(size, (list, tuple)) else None


def _kernel(method: int | str) -> Callable[..., Tensor]:
    """Returns the operation that resizes by a method; raises ValueError if it is unknown."""
    kind = _METHODS.index(method) if method in _METHODS else method
    if kind not in range(len(_RESIZE)):
        raise ValueError(f"Resize method is not implemented: {method}")
    return _RESIZE[int(kind)]


@export("compat.v1.image.resize_bilinear")
def resize_bilinear(
    images: Any,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """Resizes images by bilinear interpolation.

    Args:
      images: Images of shape (batch, height, width, channels).
      size: The new height and width.
      align_corners: Whether the centers of the corner pixels stay in their places.
      name: The operation's name.
      half_pixel_centers: Whether pixels are sampled at their centers.

    Returns:
      Images of type float32.
    """
    return raw_resize.resize_bilinear(images, size, align_corners, half_pixel_centers, name)


@export("compat.v1.image.resize_nearest_neighbor")
def resize_nearest_neighbor(
    images: Any,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """Resizes images by taking the nearest pixels.

    Args:
      images: Images of shape (batch, height, width, channels).
      size: The new height and width.
      align_corners: Whether the centers of the corner pixels stay in their places.
      name: The operation's name.
      half_pixel_centers: Whether pixels are sampled at their centers.

    Returns:
      Images of the same type.
    """
    return raw_resize.resize_nearest_neighbor(images, size, align_corners, half_pixel_centers, name)


@export("compat.v1.image.resize_bicubic")
def resize_bicubic(
    images: Any,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """Resizes images by bicubic interpolation.

    Args:
      images: Images of shape (batch, height, width, channels).
      size: The new height and width.
      align_corners: Whether the centers of the corner pixels stay in their places.
      name: The operation's name.
      half_pixel_centers: Whether pixels are sampled at their centers.

    Returns:
      Images of type float32.
    """
    return raw_resize.resize_bicubic(images, size, align_corners, half_pixel_centers, name)


@export("compat.v1.image.resize_area")
def resize_area(
    images: Any, size: Any, align_corners: bool = False, name: str | None = None
) -> Tensor:
    """Resizes images by averages of areas.

    Args:
      images: Images of shape (batch, height, width, channels).
      size: The new height and width.
      align_corners: Whether the centers of the corner pixels stay in their places.
      name: The operation's name.

    Returns:
      Images of type float32.
    """
    return raw_resize.resize_area(images, size, align_corners, name)


@export("compat.v1.image.resize")
def resize(
    images: Any,
    size: Any,
    method: int | str = 0,
    align_corners: bool = False,
    preserve_aspect_ratio: bool = False,
    name: str | None = None,
) -> Tensor:
    """Resizes images; pixels are sampled at their corners, as TensorFlow 1 did.

    Args:
      images: Images of shape (batch, height, width, channels) or (height, width, channels).
      size: The new height and width.
      method: 0 or "bilinear", 1 or "nearest", 2 or "bicubic", 3 or "area".
      align_corners: Whether the centers of the corner pixels stay in their places.
      preserve_aspect_ratio: Whether the ratio of height to width is kept; `size` is then the
        maximum size.
      name: The operation's name.

    Returns:
      Images, of type float32 unless the size is unchanged or the method is "nearest".

    Raises:
      ValueError: The number of axes is not 3 or 4, or `method` is unknown.
    """
    x = convert_to_tensor(images)
    single = x.shape.rank == 3
    if single:
        x = x[None]
    if x.shape.rank != 4:
        raise ValueError("'images' must have either 3 or 4 dimensions.")
    kernel = _kernel(method)
    new = size
    if preserve_aspect_ratio:
        height, width = (int(n) for n in x.shape[1:3])
        new = list(resizing.fitted((height, width), resizing.size_of(size)))
    if list(x.shape[1:3]) == _known(new):
        return convert_to_tensor(images)
    found = kernel(x, new, align_corners)
    return found[0] if single else found


@export("compat.v1.image.crop_and_resize")
def crop_and_resize(
    image: Any,
    boxes: Any,
    box_ind: Any = None,
    crop_size: Any = None,
    method: str = "bilinear",
    extrapolation_value: float = 0,
    name: str | None = None,
    box_indices: Any = None,
) -> Tensor:
    """Cuts boxes out of images, and resizes them.

    Args:
      image: Images of shape (batch, height, width, channels).
      boxes: The boxes, of shape (boxes, 4): y1, x1, y2, x2 as fractions of the image's height and
        width.
      box_ind: The old name of `box_indices`.
      crop_size: The height and width of the results.
      method: "bilinear" or "nearest".
      extrapolation_value: The value outside of the image.
      name: The operation's name.
      box_indices: The index of the image that each box is cut out of.

    Returns:
      Images of shape (boxes, height, width, channels).
    """
    places = either(box_indices, box_ind, "box_indices", "box_ind")
    options = method, extrapolation_value, name
    return resizing.crop_and_resize(image, boxes, places, crop_size, *options)


@export("compat.v1.extract_image_patches")
def extract_image_patches(
    images: Any,
    ksizes: Any = None,
    strides: Any = None,
    rates: Any = None,
    padding: str | None = None,
    name: str | None = None,
    sizes: Any = None,
) -> Tensor:
    """Cuts images into patches.

    Args:
      images: Images of shape (batch, height, width, channels).
      ksizes: The old name of `sizes`.
      strides: The step between patches along each axis, in pixels.
      rates: The step between the pixels of a patch along each axis.
      padding: "SAME" or "VALID".
      name: The operation's name.
      sizes: The length of a patch along each axis.

    Returns:
      A tensor whose last axis holds the values of a patch.
    """
    lengths = either(sizes, ksizes, "sizes", "ksizes")
    return extract_patches(images, lengths, strides, rates, padding, name)


@export("compat.v1.image.ResizeMethod")
class ResizeMethod:
    """The numbers of the methods of `resize`."""

    BILINEAR, NEAREST_NEIGHBOR, BICUBIC, AREA = range(4)


@export("compat.v1.image.draw_bounding_boxes")
def draw_bounding_boxes(
    images: Any, boxes: Any, name: str | None = None, colors: Any = None
) -> Tensor:
    """Draws boxes on images.

    Args:
      images: A tensor of shape (batch, height, width, channels).
      boxes: The relative coordinates of the boxes of each image: top, left, bottom, right.
      name: The operation's name.
      colors: The colors, which are used in turn. Defaults to ten different ones.

    Returns:
      The images with boxes.
    """
    return drawn.draw_bounding_boxes(images, boxes, colors, name)


@export("compat.v1.image.extract_glimpse")
def extract_glimpse(
    input: Any,
    size: Any,
    offsets: Any,
    centered: bool = True,
    normalized: bool = True,
    uniform_noise: bool = True,
    name: str | None = None,
) -> Tensor:
    """Cuts a window out of each image; parts outside of the image are filled with noise.

    Args:
      input: A tensor of shape (batch, height, width, channels).
      size: The height and width of the windows.
      offsets: The place of each window.
      centered: Whether places count from the center of the image.
      normalized: Whether places are relative to the size of the image.
      uniform_noise: Whether the noise is uniform; otherwise it is normal.
      name: The operation's name.

    Returns:
      The windows.
    """
    noise = "uniform" if uniform_noise else "gaussian"
    return drawn.extract_glimpse(input, size, offsets, centered, normalized, noise, name)


@export("compat.v1.image.sample_distorted_bounding_box")
def sample_distorted_bounding_box(
    image_size: Any,
    bounding_boxes: Any,
    seed: int | None = None,
    seed2: int | None = None,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> DistortedBox:
    """Draws a random part of an image that covers enough of one of the boxes.

    Args:
      image_size: The height, width and number of channels of the image.
      bounding_boxes: The relative coordinates of boxes, of shape (batch, boxes, 4).
      seed: The seed.
      seed2: A second seed.
      min_object_covered: The fraction of a box that must be covered.
      aspect_ratio_range: The range of the ratio of width and height.
      area_range: The range of the fraction of the image's area.
      max_attempts: The number of attempts before the whole image is returned.
      use_image_if_no_bounding_boxes: Whether the whole image counts as a box if no box is given.
      name: The operation's name.

    Returns:
      The start and size of the part, for `tf.slice`, and its box, for `draw_bounding_boxes`.
    """
    return random_changes.sample_distorted_bounding_box(
        image_size,
        bounding_boxes,
        seed or seed2 or 0,
        min_object_covered,
        aspect_ratio_range,
        area_range,
        max_attempts,
        use_image_if_no_bounding_boxes,
        name,
    )
