"""The shapes and dtypes of the results of functions that read and write pictures, for graphs."""

from __future__ import annotations

from typing import Any

from gradtape._src.base.dtypes import as_dtype, int32, string, uint8
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.graph_operations import New, has_symbols


def picture(
    new: New, contents: Any, channels: int = 0, dtype: Any = uint8, *_: Any, **__: Any
) -> Tensor:
    """Returns a picture of unknown size."""
    return new([None, None, channels or None], as_dtype(dtype))


def frames(
    new: New, contents: Any, channels: int = 0, dtype: Any = uint8, *_: Any, **__: Any
) -> Tensor:
    """Returns an unknown number of pictures of unknown size."""
    return new([None, None, None, channels or None], as_dtype(dtype))


def photo(new: New, contents: Any, channels: int = 0, *_: Any, **__: Any) -> Tensor:
    """Returns a picture of unknown size with 8 bits for each sample."""
    return new([None, None, channels or None], uint8)


def part_of_photo(
    new: New, contents: Any, crop_window: Any, channels: int = 0, *_: Any, **__: Any
) -> Tensor:
    """Returns a part of a picture, whose size is that of the window."""
    window = convert_to_tensor(crop_window, int32)
    size = [None, None] if has_symbols(window) else window._value[2:].tolist()
    return new([*size, channels or None], uint8)


def any_picture(
    new: New,
    contents: Any,
    channels: int | None = None,
    dtype: Any = uint8,
    name: str | None = None,
    expand_animations: bool = True,
) -> Tensor:
    """Returns a picture from a file of unknown format."""
    if expand_animations:  # the result may have an axis for several pictures
        return new(None, as_dtype(dtype))
    return picture(new, contents, channels or 0, dtype)


def files(new: New, image: Any, *_: Any, **__: Any) -> Tensor:
    """Returns a string for each picture."""
    return new(shape_of(convert_to_tensor(image))[:-3], string)


def jpeg_shape(new: New, contents: Any, output_type: Any = int32, *_: Any, **__: Any) -> Tensor:
    """Returns the height, width and channels."""
    return new([3], as_dtype(output_type))


def whole(what: str, value: Any) -> int:
    """Returns an argument that is an integer, or a tensor that holds one.

    Args:
      what: The name of the argument.
      value: The argument.

    Raises:
      TypeError: The argument is neither.
    """
    try:
        return int(value)
    except (TypeError, ValueError):
        raise TypeError(f"{what} must be an integer, got {value!r}") from None
