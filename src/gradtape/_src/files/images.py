"""Images in files: PNG, JPEG, GIF, BMP and WebP, through Pillow."""

from __future__ import annotations

import io
from types import ModuleType
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import DType, as_dtype, c_name, float32, int32, string, uint8, uint16
from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid, shown_shape
from gradtape._src.declare.graph_operations import graph_operation, of_shape
from gradtape._src.files import png
from gradtape._src.files.damaged_input import SIGNS, explained
from gradtape._src.ops.image import picture_shapes as results
from gradtape._src.text.values import strings, texts

Array = np.ndarray[Any, Any]
_MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}
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
    """Returns Pillow's errors for very large pictures; the second one if warnings are errors."""
    return module.DecompressionBombError, module.DecompressionBombWarning


class _File:
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
            raise invalid(f"Input is empty. [Op:{op}]")
        found = [kind for start, kind in _KINDS if self.data.startswith(start)]
        if self.data[:4] == b"RIFF" and self.data[8:12] == b"WEBP":
            found = ["WEBP"]
        if not found:
            raise invalid(
                f"Unknown image file format. One of JPEG, PNG, GIF, BMP, WebP required. [Op:{op}]"
            )
        self.kind = found[0]

    def damaged(self, error: Exception) -> InvalidArgumentError:
        """Returns the error for data that is not an image after all."""
        if self.kind == "JPEG":
            message = "jpeg::Uncompress failed. Invalid JPEG data or crop window."
        else:
            message = f"Invalid {self.kind} data, size {len(self.data)}"
        return invalid(f"{message} [Op:{self.op}] ({explained(error)})")

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
        else:
            return
        raise invalid(f"{message} [Op:{self.op}]")

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
                if self.kind == "GIF":
                    count = 1 if only_first else getattr(image, "n_frames", 1)
                    return np.stack([_frame(image, place) for place in range(count)])
                return self._single(image, channels, ratio)[None]
        except InvalidArgumentError:
            raise
        except (OSError, *SIGNS, *_bombs(image_module)) as error:
            raise self.damaged(error) from None

    def _check_size(self, image: Any) -> None:
        """Raises ValueError if the header states a size that the file is too small for."""
        pixels = image.width * image.height
        densest = _MOST_PIXELS.get(self.kind)
        if densest is not None and pixels > max(_FEW_PIXELS, densest * len(self.data)):
            raise ValueError(f"{image.width} x {image.height} pixels in {len(self.data)} bytes")
        if self.kind == "GIF" and pixels * getattr(image, "n_frames", 1) > _MOST_OF_ALL_FRAMES:
            raise ValueError(f"{image.n_frames} frames of {image.width} x {image.height} pixels")

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


def _frame(image: Any, place: int) -> Array:
    image.seek(place)
    return np.asarray(image.convert("RGB"))


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


def _as_type(image: Array, dtype: DType, kind: str) -> Array:
    """Returns an image with samples of another type."""
    if dtype is uint8:
        return (image >> 8).astype(np.uint8) if image.dtype == np.uint16 else image
    if dtype is uint16:
        if image.dtype == np.uint16:
            return image
        return image.astype(np.uint16) * np.uint16(257 if kind == "PNG" else 256)
    if image.dtype == np.uint16:
        return image.astype(np.float32) * np.float32(1 / 65535)
    return image.astype(np.float32) * np.float32(1 / 255)


def _checked_type(dtype: Any, allowed: tuple[DType, ...], op: str) -> DType:
    found = as_dtype(dtype)
    if found not in allowed:
        raise invalid(
            f"Value for attr 'dtype' of {c_name(found.name)} is not in the list of allowed "
            f"values: {', '.join(c_name(each.name) for each in allowed)} [Op:{op}]"
        )
    return found


def _one(contents: Any, channels: int, dtype: Any, op: str, ratio: int = 1) -> Tensor:
    """Returns the picture in a file that is not BMP."""
    kind = _checked_type(dtype, (uint8, uint16), op)
    file = _File(contents, op)
    file.check_channels(channels)
    if file.kind == "BMP":
        raise invalid(
            "Trying to decode BMP format using a wrong op. Use `decode_bmp` or `decode_image` "
            f"instead. Op used: {op} [Op:{op}]"
        )
    frames = file.frames(channels, ratio)
    if len(frames) > 1:
        raise invalid(
            f"Got {len(frames)} frames, but animated gifs can only be decoded by "
            f"tf.io.decode_gif or tf.io.decode_image [Op:{op}]"
        )
    return Tensor(_as_type(frames[0], kind, file.kind))


@export("image.decode_png", "io.decode_png")
@graph_operation("DecodePng", results.picture)
def decode_png(
    contents: Any, channels: int = 0, dtype: Any = uint8, name: str | None = None
) -> Tensor:
    """Returns the picture in a PNG file (or JPEG, or GIF with one frame).

    Args:
      contents: The file's bytes, a scalar string.
      channels: 1 for gray, 3 for colors, 4 for colors and opacity, 0 for what the file has.
      dtype: uint8 or uint16.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (height, width, channels).

    Raises:
      InvalidArgumentError: The bytes are not such a file.
      ModuleNotFoundError: Pillow is not installed (the extra `image`).
    """
    return _one(contents, channels, dtype, "DecodePng")


@export("image.decode_jpeg", "io.decode_jpeg")
@graph_operation("DecodeJpeg", results.photo)
def decode_jpeg(
    contents: Any,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """Returns the picture in a JPEG file (or PNG, or GIF with one frame).

    Args:
      contents: The file's bytes, a scalar string.
      channels: 1 for gray, 3 for colors, 0 for what the file has.
      ratio: The factor by which the picture is reduced: 1, 2, 4 or 8.
      fancy_upscaling: Accepted for compatibility.
      try_recover_truncated: Accepted for compatibility.
      acceptable_fraction: Accepted for compatibility.
      dct_method: Accepted for compatibility.
      name: Accepted for compatibility.

    Returns:
      A uint8 tensor of shape (height, width, channels).

    Raises:
      InvalidArgumentError: The bytes are not such a file.
      ModuleNotFoundError: Pillow is not installed (the extra `image`).
    """
    if ratio not in (1, 2, 4, 8):
        raise invalid(f"ratio must be 1, 2, 4, or 8, got {ratio} [Op:DecodeJpeg]")
    return _one(contents, channels, uint8, "DecodeJpeg", ratio)


@export("image.decode_and_crop_jpeg", "io.decode_and_crop_jpeg")
@graph_operation("DecodeAndCropJpeg", results.part_of_photo)
def decode_and_crop_jpeg(
    contents: Any,
    crop_window: Any,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """Returns a part of the picture in a JPEG file.

    Args:
      contents: See `decode_jpeg`, also for the others.
      crop_window: The start of the part and its extent: (y, x, height, width).
      channels: See `contents`.
      ratio: See `contents`.
      fancy_upscaling: See `contents`.
      try_recover_truncated: See `contents`.
      acceptable_fraction: See `contents`.
      dct_method: See `contents`.
      name: See `contents`.

    Returns:
      A uint8 tensor of shape (height, width, channels).

    Raises:
      InvalidArgumentError: The bytes are not such a file, or the part is not within the picture.
    """
    whole = decode_jpeg(contents, channels, ratio)._value
    y, x, height, width = (int(n) for n in convert_to_tensor(crop_window, int32)._value)
    inside = 0 <= y <= y + height <= whole.shape[0] and 0 <= x <= x + width <= whole.shape[1]
    if not inside or not height or not width:
        raise invalid(
            "jpeg::Uncompress failed. Invalid JPEG data or crop window. [Op:DecodeAndCropJpeg] "
            f"(the window {[y, x, height, width]} of a picture of shape {list(whole.shape)})"
        )
    return Tensor(whole[y : y + height, x : x + width].copy())


@export("image.decode_gif", "io.decode_gif")
@graph_operation("DecodeGif", of_shape((None, None, None, 3), uint8))
def decode_gif(contents: Any, name: str | None = None) -> Tensor:
    """Returns the frames of a GIF file, of shape (frames, height, width, 3).

    Args:
      contents: The file's bytes, a string scalar.
      name: Accepted for compatibility.

    Returns:
      A uint8 tensor of shape (frames, height, width, 3).

    Raises:
      InvalidArgumentError: The bytes are not such a file.
      ModuleNotFoundError: Pillow is not installed (the extra `image`).
    """
    file = _File(contents, "DecodeGif")
    if file.kind == "BMP":
        raise invalid(
            "Trying to decode BMP format using a wrong op. Use `decode_bmp` or `decode_image` "
            "instead. Op used: DecodeGif [Op:DecodeGif]"
        )
    return Tensor(_as_type(file.frames(0), uint8, file.kind))


@export("image.decode_bmp", "io.decode_bmp")
@graph_operation("DecodeBmp", results.photo)
def decode_bmp(contents: Any, channels: int = 0, name: str | None = None) -> Tensor:
    """Returns the picture in a BMP file; see `decode_png`.

    Args:
      contents: The file's bytes, a string scalar.
      channels: The number of channels of the result; 0 for those of the file.
      name: Accepted for compatibility.

    Returns:
      A uint8 tensor of shape (height, width, channels).
    """
    file = _File(contents, "DecodeBmp")
    file.check_channels(channels)
    if file.kind != "BMP":
        raise invalid(
            f"Trying to decode {file.kind} format using DecodeBmp op. Use `decode_"
            f"{file.kind.lower()}` or `decode_image` instead. [Op:DecodeBmp]"
        )
    return Tensor(file.frames(channels)[0])


@export("image.decode_webp", "io.decode_webp")
@graph_operation("DecodeWebP", results.picture)
def decode_webp(
    contents: Any, channels: int = 0, dtype: Any = uint8, name: str | None = None
) -> Tensor:
    """Returns the picture in a WebP file; see `decode_png`.

    Args:
      contents: The file's bytes, a string scalar.
      channels: The number of channels of the result; 0 for those of the file.
      dtype: The dtype of the result, uint8.
      name: Accepted for compatibility.

    Returns:
      A uint8 tensor of shape (height, width, channels).
    """
    return _one(contents, channels, _checked_type(dtype, (uint8,), "DecodeWebP"), "DecodeWebP")


@export("image.decode_image", "io.decode_image")
@graph_operation("DecodeImage", results.any_picture)
def decode_image(
    contents: Any,
    channels: int | None = None,
    dtype: Any = uint8,
    name: str | None = None,
    expand_animations: bool = True,
) -> Tensor:
    """Returns the picture in a PNG, JPEG, GIF, BMP or WebP file.

    Args:
      contents: The file's bytes, a scalar string.
      channels: 1 for gray, 3 for colors, 4 for colors and opacity, 0 for what the file has.
      dtype: uint8, uint16, or float32 for samples from 0 to 1.
      name: Accepted for compatibility.
      expand_animations: Whether to return all frames of a GIF along a first axis, or only the first
        frame.

    Returns:
      A tensor of shape (height, width, channels), with the frames before it for an animation.

    Raises:
      InvalidArgumentError: The bytes are not such a file.
      ModuleNotFoundError: Pillow is not installed (the extra `image`).
    """
    kind = _checked_type(dtype, (uint8, uint16, float32), "DecodeImage")
    file = _File(contents, "DecodeImage")
    file.check_channels(channels or 0)
    frames = _as_type(file.frames(channels or 0, 1, not expand_animations), kind, file.kind)
    return Tensor(frames if file.kind == "GIF" and expand_animations else frames[0])


@export("image.is_jpeg", "io.is_jpeg")
@graph_operation("IsJpeg", of_shape((), np.dtype(bool)))
def is_jpeg(contents: Any, name: str | None = None) -> Tensor:
    """Whether a string begins as JPEG files do.

    Args:
      contents: The file's bytes, a string scalar.
      name: Accepted for compatibility.

    Returns:
      A bool scalar.
    """
    return Tensor(np.bool_(texts(contents, "Substr")._value.item().startswith(b"\xff\xd8\xff")))


@export("image.extract_jpeg_shape", "io.extract_jpeg_shape")
@graph_operation("ExtractJpegShape", results.jpeg_shape)
def extract_jpeg_shape(contents: Any, output_type: Any = int32, name: str | None = None) -> Tensor:
    """Returns the height, width and channels of the picture in a JPEG file.

    Args:
      contents: The file's bytes, a string scalar.
      output_type: The dtype of the result, int32 or int64.
      name: Accepted for compatibility.

    Returns:
      A vector: height, width and channels.
    """
    file = _File(contents, "ExtractJpegShape")
    module = pillow()
    try:
        with module.open(io.BytesIO(file.data), formats=["JPEG"]) as image:
            shape = (image.height, image.width, len(image.getbands()))
    except (OSError, *SIGNS, *_bombs(module)) as error:
        raise file.damaged(error) from None
    return Tensor(np.array(shape, as_dtype(output_type).np_dtype))


@export("image.encode_png", "io.encode_png")
@graph_operation("EncodePng", results.files)
def encode_png(image: Any, compression: int = -1, name: str | None = None) -> Tensor:
    """Encodes pictures as PNG files.

    Args:
      image: uint8 or uint16, of shape (..., height, width, channels) with 1 to 4 channels.
      compression: From 0 (fast) to 9 (small), or -1 for the default.
      name: Accepted for compatibility.

    Returns:
      A string for each picture.

    Raises:
      InvalidArgumentError: The shape or type is not allowed.
      ModuleNotFoundError: Pillow is not installed (the extra `image`).
    """
    tensor = convert_to_tensor(image)
    if tensor.dtype not in (uint8, uint16):
        raise invalid(
            f"Value for attr 'T' of {c_name(tensor.dtype.name)} is not in the list of allowed "
            "values: uint8, uint16 [Op:EncodePng] (tf.image.convert_image_dtype converts)"
        )
    value = tensor._value
    if value.ndim < 3:
        raise invalid(f"images must be at least rank 3{shown_shape(value.shape)} [Op:EncodePng]")
    if not -1 <= compression <= 9:
        raise invalid(f"compression should be in [-1,9], got {compression} [Op:EncodePng]")
    if not 1 <= value.shape[-1] <= 4:
        raise invalid(
            f"image must have 1, 2, 3, or 4 channels, got {value.shape[-1]} [Op:EncodePng]"
        )
    pictures = value.reshape(-1, *value.shape[-3:])
    return strings([_png(each, compression) for each in pictures], value.shape[:-3])


def _png(picture: Array, compression: int) -> bytes:
    if picture.dtype == np.uint16:
        return png.encoded(picture, compression)
    options = {} if compression < 0 else {"compress_level": compression}
    return saved(picture, "PNG", **options)


def saved(picture: Array, kind: str, **options: Any) -> bytes:
    """Returns a uint8 picture as a file of some kind."""
    out = io.BytesIO()
    flat = picture[..., 0] if picture.shape[-1] == 1 else picture
    pillow().fromarray(np.ascontiguousarray(flat)).save(out, kind, **options)
    return out.getvalue()


@export("image.encode_jpeg", "io.encode_jpeg")
@graph_operation("EncodeJpeg", of_shape((), string))
def encode_jpeg(
    image: Any,
    format: str = "",
    quality: int = 95,
    progressive: bool = False,
    optimize_size: bool = False,
    chroma_downsampling: bool = True,
    density_unit: str = "in",
    x_density: int = 300,
    y_density: int = 300,
    xmp_metadata: str = "",
    name: str | None = None,
) -> Tensor:
    """Returns a picture as a JPEG file.

    Args:
      image: uint8, of shape (height, width, 1 or 3).
      format: "grayscale", "rgb", or "" to choose it by the channels.
      quality: From 0 to 100.
      progressive: Whether it can be shown while it loads.
      optimize_size: Whether to take more time for a smaller file.
      chroma_downsampling: Whether colors have half the resolution.
      density_unit: The unit of the densities, "in" or "cm".
      x_density: Pixels in a unit.
      y_density: Pixels in a unit.
      xmp_metadata: Metadata to put into the file.
      name: Accepted for compatibility.

    Returns:
      A string scalar, the file's bytes.

    Raises:
      InvalidArgumentError: The shape or an argument is not allowed.
      ModuleNotFoundError: Pillow is not installed (the extra `image`).
    """
    value = (
        convert_to_tensor(image, uint8)._value if not isinstance(image, Tensor) else image._value
    )
    _check_jpeg(value, format, quality)
    per_inch = 1.0 if density_unit == "in" else 2.54
    return strings(
        [
            saved(
                value,
                "JPEG",
                quality=max(int(quality), 1),
                progressive=progressive,
                optimize=optimize_size,
                subsampling=2 if chroma_downsampling else 0,
                dpi=(round(x_density * per_inch), round(y_density * per_inch)),
                **({"xmp": xmp_metadata.encode()} if xmp_metadata else {}),
            )
        ],
        (),
    )


def _check_jpeg(value: Array, kind: str, quality: int) -> None:
    """Raises InvalidArgumentError for arguments that JPEG does not support."""
    if kind not in ("", "grayscale", "rgb"):
        message = f'Value for attr \'format\' of "{kind}" is none of "", "grayscale", "rgb"'
    elif value.dtype != np.uint8:
        message = f"image must be uint8, got {as_dtype(value.dtype).name}"
    elif not 0 <= quality <= 100:
        message = f"quality must be in [0,100], got {quality}"
    elif value.ndim != 3:
        message = f"image must be 3-dimensional{shown_shape(value.shape)}"
    elif value.shape[-1] not in (1, 3):
        message = f"image must have 1 or 3 channels, got {shown_shape(value.shape)}"
    elif kind and value.shape[-1] != (1 if kind == "grayscale" else 3):
        channels = 1 if kind == "grayscale" else 3
        message = f"format {kind} expects {channels} channels, got {shown_shape(value.shape)}"
    else:
        return
    raise invalid(f"{message} [Op:EncodeJpeg]")
