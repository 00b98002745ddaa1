"""Random changes of images, with and without an explicit seed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gradtape._src.base.dtypes import float32, int32
from gradtape._src.base.errors import About
from gradtape._src.base.export import export
from gradtape._src.core.convert import tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import are_direct, input_of, invalid, sizes
from gradtape._src.declare.attributes import takes
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.named_results import named

if TYPE_CHECKING:
    from gradtape._src.declare.named_results import DistortedBox
from gradtape._src.declare.structural import reshape_p, slice_p
from gradtape._src.declare.unknown_sizes import is_unknown
from gradtape._src.ops.array.tensor_shapes import shape as shape_tensor
from gradtape._src.ops.elementwise.selection import where
from gradtape._src.ops.image.adjust import (
    adjust_brightness,
    adjust_contrast,
    flip_left_right,
    flip_up_down,
    need_image,
    need_pixels,
)
from gradtape._src.ops.image.color import adjust_hue, adjust_saturation
from gradtape._src.ops.random.distributions import own_seed, uniform
from gradtape._src.ops.random.stateless import engine_of, stateless_uniform

Draw = Callable[[Any, Any, Any], Any]
"""`(shape, low, high) -> uniform numbers`."""


def _by(seed: Any) -> Draw:
    return lambda shape, low, high: uniform(shape, low, high, seed=seed)


def _stateless(seed: Any) -> Draw:
    return lambda shape, low, high: stateless_uniform(shape, seed, low, high)


def _change(max_delta: float, most: float | None = None) -> float:
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    if most is not None and max_delta > most:
        raise ValueError(f"max_delta must be <= {most}.")
    return max_delta


def _range(lower: float, upper: float) -> None:
    if upper <= lower:
        raise ValueError("upper must be > lower.")
    if lower < 0:
        raise ValueError("lower must be non-negative.")


@export("image.random_brightness")
def random_brightness(image: Any, max_delta: float, seed: Any = None) -> Tensor:
    """Applies `adjust_brightness` with a random number in [-max_delta, max_delta).

    Args:
      image: An image or a batch of them.
      max_delta: The greatest change, not negative.
      seed: A seed; see tf.random.set_seed.

    Returns:
      A tensor of the shape and dtype of `image`.

    Raises:
      ValueError: `max_delta` is negative.
    """
    delta = _change(max_delta)
    return adjust_brightness(image, _by(seed)([], -delta, delta))


@export("image.stateless_random_brightness")
def stateless_random_brightness(image: Any, max_delta: float, seed: Any) -> Tensor:
    """Adjusts the brightness by a number in [-max_delta, max_delta) that depends only on a seed.

    Args:
      image: An image or a batch of them.
      max_delta: The greatest change, not negative.
      seed: Two integers that determine the random numbers.

    Returns:
      A tensor of the shape and dtype of `image`.

    Raises:
      ValueError: `seed` does not have shape (2,).
    """
    delta = _change(max_delta)
    return adjust_brightness(image, _stateless(seed)([], -delta, delta))


@export("image.random_contrast")
def random_contrast(image: Any, lower: float, upper: float, seed: Any = None) -> Tensor:
    """Applies `adjust_contrast` with a random factor in [lower, upper).

    Args:
      image: An image or a batch of them.
      lower: The least factor, not negative.
      upper: The exclusive upper bound of the factors.
      seed: A seed; see tf.random.set_seed.

    Returns:
      A tensor of the shape and dtype of `image`.

    Raises:
      ValueError: `lower` is negative or not less than `upper`.
    """
    _range(lower, upper)
    return adjust_contrast(image, _by(seed)([], lower, upper))


@export("image.stateless_random_contrast")
def stateless_random_contrast(image: Any, lower: float, upper: float, seed: Any) -> Tensor:
    """Adjusts the contrast by a factor in [lower, upper) that depends only on a seed.

    Args:
      image: An image or a batch of them.
      lower: The least factor, not negative.
      upper: The exclusive upper bound of the factors.
      seed: Two integers that determine the random numbers.

    Returns:
      A tensor of the shape and dtype of `image`.

    Raises:
      ValueError: `seed` does not have shape (2,).
    """
    _range(lower, upper)
    return adjust_contrast(image, _stateless(seed)([], lower, upper))


@export("image.random_hue")
def random_hue(image: Any, max_delta: float, seed: Any = None) -> Tensor:
    """Applies `adjust_hue` with a random number in [-max_delta, max_delta).

    Args:
      image: An RGB image or a batch of them.
      max_delta: The greatest change, in [0, 0.5].
      seed: A seed; see tf.random.set_seed.

    Returns:
      A tensor of the shape and dtype of `image`.

    Raises:
      ValueError: `max_delta` is not in [0, 0.5].
    """
    delta = _change(max_delta, 0.5)
    return adjust_hue(image, _by(seed)([], -delta, delta))


@export("image.stateless_random_hue")
def stateless_random_hue(image: Any, max_delta: float, seed: Any) -> Tensor:
    """Adjusts the hue by a number in [-max_delta, max_delta) that depends only on a seed.

    Args:
      image: An RGB image or a batch of them.
      max_delta: The greatest change, in [0, 0.5].
      seed: Two integers that determine the random numbers.

    Returns:
      A tensor of the shape and dtype of `image`.

    Raises:
      ValueError: `seed` does not have shape (2,).
    """
    delta = _change(max_delta, 0.5)
    return adjust_hue(image, _stateless(seed)([], -delta, delta))


@export("image.random_saturation")
def random_saturation(image: Any, lower: float, upper: float, seed: Any = None) -> Tensor:
    """Applies `adjust_saturation` with a random factor in [lower, upper).

    Args:
      image: An RGB image or a batch of them.
      lower: The least factor, not negative.
      upper: The exclusive upper bound of the factors.
      seed: A seed; see tf.random.set_seed.

    Returns:
      A tensor of the shape and dtype of `image`.

    Raises:
      ValueError: `lower` is negative or not less than `upper`.
    """
    _range(lower, upper)
    return adjust_saturation(image, _by(seed)([], lower, upper))


@export("image.stateless_random_saturation")
def stateless_random_saturation(image: Any, lower: float, upper: float, seed: Any = None) -> Tensor:
    """Adjusts the saturation by a factor in [lower, upper) that depends only on a seed.

    Args:
      image: An RGB image or a batch of them.
      lower: The least factor, not negative.
      upper: The exclusive upper bound of the factors.
      seed: Two integers that determine the random numbers.

    Returns:
      A tensor of the shape and dtype of `image`.

    Raises:
      ValueError: `seed` does not have shape (2,).
    """
    _range(lower, upper)
    return adjust_saturation(image, _stateless(seed)([], lower, upper))


def _flipped(image: Any, flip: Callable[[Any], Tensor], draw: Draw) -> Tensor:
    """Mirrors each image independently, or leaves it unchanged."""
    x = tensor(image)
    need_image(x, 3, 4)
    need_pixels(x, flip.__name__)
    shape = shape_of(x)
    decide = draw((*shape[:1], 1, 1, 1) if len(shape) == 4 else [], 0.0, 1.0) < 0.5
    return where(decide, flip(x), x)


@export("image.random_flip_left_right")
def random_flip_left_right(image: Any, seed: Any = None) -> Tensor:
    """Mirrors images horizontally at random; each image of a batch independently.

    Args:
      image: A tensor of shape (height, width, channels), or of a batch of them.
      seed: A seed; see tf.random.set_seed.

    Returns:
      A tensor of the shape and dtype of `image`.

    Raises:
      ValueError: The rank is neither 3 nor 4.
    """
    return _flipped(image, flip_left_right, _by(seed))


@export("image.stateless_random_flip_left_right")
def stateless_random_flip_left_right(image: Any, seed: Any) -> Tensor:
    """Mirrors images horizontally, depending only on a seed; each image of a batch independently.

    Args:
      image: A tensor of shape (height, width, channels), or of a batch of them.
      seed: Two integers that determine the random numbers.

    Returns:
      A tensor of the shape and dtype of `image`.

    Raises:
      ValueError: `seed` does not have shape (2,).
    """
    return _flipped(image, flip_left_right, _stateless(seed))


@export("image.random_flip_up_down")
def random_flip_up_down(image: Any, seed: Any = None) -> Tensor:
    """Mirrors images vertically at random; each image of a batch independently.

    Args:
      image: A tensor of shape (height, width, channels), or of a batch of them.
      seed: A seed; see tf.random.set_seed.

    Returns:
      A tensor of the shape and dtype of `image`.

    Raises:
      ValueError: The rank is neither 3 nor 4.
    """
    return _flipped(image, flip_up_down, _by(seed))


@export("image.stateless_random_flip_up_down")
def stateless_random_flip_up_down(image: Any, seed: Any) -> Tensor:
    """Mirrors images vertically, depending only on a seed; each image of a batch independently.

    Args:
      image: A tensor of shape (height, width, channels), or of a batch of them.
      seed: Two integers that determine the random numbers.

    Returns:
      A tensor of the shape and dtype of `image`.

    Raises:
      ValueError: `seed` does not have shape (2,).
    """
    return _flipped(image, flip_up_down, _stateless(seed))


def _size_of_crop(x: Tensor, size: Any) -> tuple[int, ...]:
    """Returns the size of a slice of a tensor.

    Raises:
      InvalidArgumentError: The tensor is smaller than the slice.
    """
    shape, wanted = shape_of(x), sizes(size, "random_crop", "size")
    known = [(n, m) for n, m in zip(wanted, shape, strict=False) if not is_unknown((m,))]
    if len(wanted) != len(shape) or any(n > m for n, m in known):
        raise invalid(f"Need value.shape >= size, got {list(shape)} and {list(wanted)}")
    return wanted


def _cropped(value: Any, size: Any, engine: np.random.Generator) -> Tensor:
    x = tensor(value)
    shape, wanted = shape_of(x), _size_of_crop(x, size)
    begin = tuple(int(engine.integers(m - n + 1)) for n, m in zip(wanted, shape, strict=True))
    end = tuple(b + n for b, n in zip(begin, wanted, strict=True))
    return slice_p(x, begin=begin, end=end)


@export("image.random_crop")
def random_crop(value: Any, size: Any, seed: Any = None, name: str | None = None) -> Tensor:
    """Returns a slice of a given size at a random position.

    Args:
      value: A tensor.
      size: The size of the slice along each axis.
      seed: A seed; see tf.random.set_seed.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape `size` and of the dtype of `value`.

    Raises:
      InvalidArgumentError: The tensor is smaller than the slice.
    """
    return _cropped(value, size, np.random.default_rng(own_seed(seed)))


@export("image.stateless_random_crop")
def stateless_random_crop(value: Any, size: Any, seed: Any, name: str | None = None) -> Tensor:
    """Returns a slice of a given size at a random position that depends only on a seed.

    Args:
      value: A tensor.
      size: The size of the slice along each axis.
      seed: Two integers that determine the position.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape `size` and of the dtype of `value`.

    Raises:
      ValueError: `seed` does not have shape (2,).
      InvalidArgumentError: `value` is smaller than the slice.
    """
    x = tensor(value)
    wanted = _size_of_crop(x, size)
    drawn = stateless_uniform((len(wanted),), seed, 0, int32.max, int32)
    begin = drawn % (shape_tensor(x) - wanted + 1)
    part = x[tuple(slice(begin[i], begin[i] + n) for i, n in enumerate(wanted))]
    return reshape_p(part, shape=wanted)


def _distorted(
    image_size: Any,
    bounding_boxes: Any,
    engine: np.random.Generator,
    min_object_covered: Any,
    aspect_ratio_range: Any,
    area_range: Any,
    max_attempts: Any,
    use_image: Any,
) -> tuple[Tensor, Tensor, Tensor]:
    op = "SampleDistortedBoundingBoxV2"
    shape = np.asarray(tensor(image_size)._numpy())
    if shape.shape != (3,):
        raise invalid(f"image_size must have 3 elements, got shape {list(shape.shape)} [Op:{op}]")
    height, width = (int(n) for n in shape[:2])
    boxes = np.asarray(
        input_of(op, 1, bounding_boxes, float32, direct=are_direct(image_size))._numpy()
    )
    if boxes.ndim != 3 or boxes.shape[-1] != 4:
        raise invalid(f"bounding_boxes must have shape (batch, n, 4), got {boxes.shape} [Op:{op}]")
    boxes = boxes.reshape(-1, 4).astype(np.float64)
    if not len(boxes):
        if not use_image:
            raise invalid(
                "No bounding boxes provided as input. One must enable use_image_if_no_bounding_"
                "boxes if you wish to not provide any bounding boxes. "
                f"[Op:{op}]",
                About.VALUES,
            )
        boxes = np.array([[0.0, 0.0, 1.0, 1.0]])
    covered = float(input_of(op, 2, min_object_covered, float32)._numpy())
    ratios = (0.75, 1.33) if aspect_ratio_range is None else tuple(aspect_ratio_range)
    areas = (0.05, 1.0) if area_range is None else tuple(area_range)
    pixels = boxes * [height, width, height, width]
    top, left, bottom, right = 0, 0, height, width
    for _ in range(int(max_attempts or 100)):
        area, ratio = engine.uniform(*areas) * height * width, engine.uniform(*ratios)
        rows, columns = round(float(np.sqrt(area / ratio))), round(float(np.sqrt(area * ratio)))
        if not 0 < rows <= height or not 0 < columns <= width:
            continue
        y, x = int(engine.integers(height - rows + 1)), int(engine.integers(width - columns + 1))
        low = np.maximum(pixels[:, :2], [y, x])
        high = np.minimum(pixels[:, 2:], [y + rows, x + columns])
        shared = np.maximum(high - low, 0).prod(-1)
        whole = (pixels[:, 2:] - pixels[:, :2]).prod(-1)
        if (shared >= covered * whole).any():
            top, left, bottom, right = y, x, y + rows, x + columns
            break
    kind = shape.dtype
    box = np.array([[[top / height, left / width, bottom / height, right / width]]], np.float32)
    return (
        Tensor(np.array([top, left, 0], kind)),
        Tensor(np.array([bottom - top, right - left, -1], kind)),
        Tensor(box),
    )


@export("image.sample_distorted_bounding_box")
@takes(
    aspect_ratio_range="list(float)",
    area_range="list(float)",
    max_attempts="int",
    use_image_if_no_bounding_boxes="bool",
)
def sample_distorted_bounding_box(
    image_size: Any,
    bounding_boxes: Any,
    seed: Any = 0,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: Any = None,
    use_image_if_no_bounding_boxes: Any = None,
    name: str | None = None,
) -> DistortedBox:
    """Returns a random box in an image that covers enough of at least one of the given boxes.

    Args:
      image_size: The image's height, width and channels.
      bounding_boxes: A float tensor of shape (batch, n, 4): y1, x1, y2, x2 as fractions of the
        image.
      seed: A seed; 0 stands for a random one.
      min_object_covered: The minimum fraction of a given box that the drawn box must cover.
      aspect_ratio_range: The minimum and maximum of width / height.
      area_range: The minimum and maximum fraction of the image.
      max_attempts: The number of attempts before the whole image is taken. Defaults to 100.
      use_image_if_no_bounding_boxes: Whether the whole image is used as the box if no boxes are
        given.
      name: Accepted for compatibility.

    Returns:
      `begin` and `size` for tf.slice, and the box for `draw_bounding_boxes`.

    Raises:
      InvalidArgumentError: `bounding_boxes` is empty.
    """
    found = _distorted(
        image_size,
        bounding_boxes,
        np.random.default_rng(own_seed(seed or None)),
        min_object_covered,
        aspect_ratio_range,
        area_range,
        max_attempts,
        use_image_if_no_bounding_boxes,
    )
    out: DistortedBox = named("SampleDistortedBoundingBoxV2", found)
    return out


@export("image.stateless_sample_distorted_bounding_box")
@takes(
    aspect_ratio_range="list(float)",
    area_range="list(float)",
    max_attempts="int",
    use_image_if_no_bounding_boxes="bool",
)
def stateless_sample_distorted_bounding_box(
    image_size: Any,
    bounding_boxes: Any,
    seed: Any,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: Any = None,
    use_image_if_no_bounding_boxes: Any = None,
    name: str | None = None,
) -> DistortedBox:
    """Returns a random box that covers enough of a given one and depends only on a seed.

    Args:
      image_size: The image's height, width and channels.
      bounding_boxes: A float tensor of shape (batch, n, 4): y1, x1, y2, x2 as fractions of the
        image.
      seed: Two integers that determine the random numbers.
      min_object_covered: The minimum fraction of a given box that the drawn box must cover.
      aspect_ratio_range: The minimum and maximum of width / height.
      area_range: The minimum and maximum fraction of the image.
      max_attempts: The number of attempts before the whole image is taken. Defaults to 100.
      use_image_if_no_bounding_boxes: Whether the whole image is used as the box if no boxes are
        given.
      name: Accepted for compatibility.

    Returns:
      `begin` and `size` for tf.slice, and the box for `draw_bounding_boxes`.

    Raises:
      ValueError: `seed` does not have shape (2,).
      InvalidArgumentError: `bounding_boxes` is empty.
    """
    found = _distorted(
        image_size,
        bounding_boxes,
        engine_of(seed),
        min_object_covered,
        aspect_ratio_range,
        area_range,
        max_attempts,
        use_image_if_no_bounding_boxes,
    )
    out: DistortedBox = named("StatelessSampleDistortedBoundingBox", found)
    return out
