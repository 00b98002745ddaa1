"""The pictures in an image file, decoded by Pillow."""

from __future__ import annotations

import io
from types import ModuleType
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import DType, uint8, uint16
from gradtape._src.base.errors import About, InvalidArgumentError
from gradtape._src.declare.arguments import invalid, shown_shape
from gradtape._src.files import png
from gradtape._src.files.damaged_input import SIGNS, explained
from gradtape._src.text.values import texts

Array = np.ndarray[Any, Any]
_MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}
ANIMATED = ("GIF", "WEBP")
_MOST_PIXELS = {"PNG": 8 * 1100, "JPEG": 4096, "GIF": 4096, "BMP": 256}
"""The maximum number of pixels per byte of a file: PNG has at least a bit per pixel, compressed by
up to a thousand."""
_FEW_PIXELS = 1 << 22  # the number of pixels that is always allowed
_MOST_OF_ALL_FRAMES = 1 << 29  # the maximum number of pixels of an animation
_KINDS = (
    (b"\xff\xd8\xff", "JPEG"),
    (png.SIGNATURE, "PNG"),
    (b"GIF8", "GIF"),
    (b"BM", "BMP"),
)


def pillow() -> ModuleType:
    """Returns Pillow's module of images.

    Raises:
      ModuleNotFoundError: Pillow is not installed.
    """
    try:
        from PIL import Image
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            'Images in files are read and written by Pillow, which is not installed: pip install "'
            'gradtape[image]"',
            name="PIL",
        ) from None
    module: ModuleType = Image
    return module


def _bombs(module: ModuleType) -> tuple[type[Exception], type[Exception]]:
    """Returns the classes of the error and of the warning that Pillow raises for large pictures."""
    return module.DecompressionBombError, module.DecompressionBombWarning


class ImageFile:
    """The content of an image file, with its name in messages."""

    def __init__(self, contents: Any, op: str) -> None:
        held = texts(contents, "DecodeImage")._value
        if held.ndim:
            raise invalid(
                f"`contents` must be scalar but got shape{shown_shape(held.shape)} [Op:{op}]"
            )
        self.data: bytes = held.item()
        self.op = op
        if not self.data:
            raise invalid(f"Input is empty. [Op:{op}]", About.VALUES)
        found = [kind for start, kind in _KINDS if self.data.startswith(start)]
        if self.data[:4] == b"RIFF" and self.data[8:12] == b"WEBP":
            found = ["WEBP"]
        if not found:
            raise invalid(
                f"Unknown image file format. One of JPEG, PNG, GIF, BMP, WebP required. [Op:{op}]",
                About.VALUES,
            )
        self.kind = found[0]

    def damaged(self, error: Exception) -> InvalidArgumentError | ValueError:
        """Returns the error for data that is not an image after all."""
        if self.kind == "JPEG":
            message = "jpeg::Uncompress failed. Invalid JPEG data or crop window."
        else:
            message = f"Invalid {self.kind} data, size {len(self.data)}"
        return invalid(f"{message} [Op:{self.op}] ({explained(error)})", About.VALUES)

    def check_channels(self, channels: int) -> None:
        """Raises InvalidArgumentError for channels that the kind of file lacks."""
        if channels not in (0, 1, 3, 4):
            message = f"`channels` must be 0, 1, 3 or 4 but got {channels}"
        elif self.kind == "JPEG" and channels == 4:
            message = "JPEG does not support 4 channels"
        elif self.kind == "GIF" and channels not in (0, 3):
            message = f"channels must be 0 or 3 for GIF, got {channels}"
        elif self.kind == "BMP" and channels == 1:
            message = f"`channels` must be 0, 3 or 4 for BMP, but got {channels}"
        elif self.kind == "WEBP" and channels == 1:
            message = "WebP only supports 3 or 4 channels"
        else:
            return
        raise invalid(f"{message} [Op:{self.op}]", About.VALUES)

    def frames(self, channels: int, ratio: int = 1, only_first: bool = False) -> Array:
        """Returns the pictures in the file, of shape (frames, height, width, channels)."""
        if self.kind == "PNG" and png.is_of_16_bits(self.data):
            try:
                return _with_channels(png.decoded(self.data), channels)[None]
            except SIGNS as error:
                raise self.damaged(error) from None
        image_module = pillow()
        try:
            with image_module.open(io.BytesIO(self.data), formats=[self.kind]) as image:
                self._check_size(image)
                if self.kind in ANIMATED:
                    mode = "RGB" if self.kind == "GIF" else image.mode
                    if channels not in (0, len(mode)):
                        raise invalid(
                            f"Number of channels requested does not match input [Op:{self.op}] "
                            f"(the file has {len(mode)} channels, `channels` is {channels})",
                            About.VALUES,
                        )
                    count = 1 if only_first else getattr(image, "n_frames", 1)
                    return np.stack([_frame(image, place, mode) for place in range(count)])
                return self._single(image, channels, ratio)[None]
        except InvalidArgumentError:
            raise
        except (OSError, *SIGNS, *_bombs(image_module)) as error:
            raise self.damaged(error) from None

    def jpeg_shape(self) -> tuple[int, int, int]:
        """Returns the height, width and channels that a JPEG header states."""
        module = pillow()
        try:
            with module.open(io.BytesIO(self.data), formats=["JPEG"]) as image:
                return image.height, image.width, len(image.getbands())
        except (OSError, *SIGNS, *_bombs(module)) as error:
            raise self.damaged(error) from None

    def _check_size(self, image: Any) -> None:
        """Raises ValueError if the header states a size that the file is too small for."""
        pixels = image.width * image.height
        densest = _MOST_PIXELS.get(self.kind)
        if densest is not None and pixels > max(_FEW_PIXELS, densest * len(self.data)):
            raise ValueError(
                f"the header states {image.width} x {image.height} pixels, which {len(self.data)} "
                "bytes can't hold"
            )
        if self.kind in ANIMATED and pixels * getattr(image, "n_frames", 1) > _MOST_OF_ALL_FRAMES:
            raise ValueError(
                f"{image.n_frames} frames of {image.width} x {image.height} pixels exceed the limit"
            )

    def _single(self, image: Any, channels: int, ratio: int) -> Array:
        if self.kind == "JPEG":
            size = tuple(-(-n // ratio) for n in image.size)
            below = tuple(max(1, n // ratio) for n in image.size)
            image.draft("L" if channels == 1 or image.mode == "L" else "RGB", below)
            if image.size != size:
                image = image.resize(size)
        if image.mode == "P":
            image = image.convert("RGBA" if "transparency" in image.info else "RGB")
        elif image.mode == "1":
            image = image.convert("L")
        elif image.mode not in _MODES.values():
            image = image.convert("RGB")
        found = np.asarray(image)
        return _with_channels(found[..., None] if found.ndim == 2 else found, channels)


def _frame(image: Any, place: int, mode: str) -> Array:
    image.seek(place)
    return np.asarray(image.convert(mode))


def _with_channels(image: Array, channels: int) -> Array:
    """Returns an image with 1, 3 or 4 channels; 0 for as many as it has."""
    has = image.shape[-1]
    if channels in (0, has):
        return image
    opaque = np.full((*image.shape[:-1], 1), np.iinfo(image.dtype).max, image.dtype)
    alpha = image[..., -1:] if has in (2, 4) else opaque
    color = image[..., :-1] if has in (2, 4) else image
    if channels == 1:
        if color.shape[-1] == 1:
            return color
        weights = np.array([9798, 19235, 3735], np.uint32)  # in units of 1/2¹⁵, like libpng
        return (color @ weights >> 15).astype(image.dtype)[..., None]
    if color.shape[-1] == 1:
        color = np.repeat(color, 3, axis=-1)
    return color if channels == 3 else np.concatenate([color, alpha], axis=-1)


def as_type(image: Array, dtype: DType, file: ImageFile) -> Array:
    """Returns an image with samples of another type."""
    kind = file.kind
    if kind == "WEBP" and dtype is not uint8:
        raise invalid(f"WebP only supports uint8 for dtype [Op:{file.op}]")
    if dtype is uint8:
        return (image >> 8).astype(np.uint8) if image.dtype == np.uint16 else image
    if dtype is uint16:
        if image.dtype == np.uint16:
            return image
        return image.astype(np.uint16) * np.uint16(257 if kind == "PNG" else 256)
    if image.dtype == np.uint16:
        return image.astype(np.float32) * np.float32(1 / 65535)
    return image.astype(np.float32) * np.float32(1 / 255)
