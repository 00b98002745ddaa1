"""Images in files: PNG, JPEG, GIF, BMP and WebP, through Pillow."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import DType, as_dtype, c_name, float32, int32, string, uint8, uint16
from gradtape._src.base.errors import About
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import input_of, invalid, shown_shape
from gradtape._src.declare.attributes import takes
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.graph_operations import graph_operation, like_input, of_shape
from gradtape._src.files import png
from gradtape._src.files.image_file import ANIMATED, ImageFile, as_type, pillow
from gradtape._src.ops.image import picture_shapes as results
from gradtape._src.ops.image.adjust import convert_image_dtype
from gradtape._src.ops.random.distributions import uniform
from gradtape._src.ops.random.stateless import stateless_uniform
from gradtape._src.text.values import strings, texts

Array = np.ndarray[Any, Any]


def _checked_type(dtype: Any, allowed: tuple[DType, ...], op: str) -> DType:
    found = as_dtype(dtype)
    if found not in allowed:
        raise invalid(
            f"Value for attr 'dtype' of {c_name(found.name)} is not in the list of allowed "
            f"values: {', '.join(c_name(each.name) for each in allowed)} [Op:{op}]",
            About.DTYPES,
        )
    return found


def _one(contents: Any, channels: int, dtype: Any, op: str, ratio: int = 1) -> Tensor:
    """Returns the picture in a file that is not BMP."""
    kind = _checked_type(dtype, (uint8, uint16), op)
    file = ImageFile(contents, op)
    file.check_channels(channels)
    if file.kind == "BMP":
        raise invalid(
            "Trying to decode BMP format using a wrong op. Use `decode_bmp` or `decode_image` "
            f"instead. Op used: {op} [Op:{op}]",
            About.VALUES,
        )
    frames = file.frames(channels, ratio)
    if file.kind == "WEBP":
        return Tensor(as_type(frames, kind, file))
    if len(frames) > 1:
        raise invalid(
            f"Got {len(frames)} frames, but animated gifs can only be decoded by "
            f"tf.io.decode_gif or tf.io.decode_image [Op:{op}]",
            About.VALUES,
        )
    return Tensor(as_type(frames[0], kind, file))


@export("image.decode_png", "io.decode_png")
@takes(channels="int")
@graph_operation("DecodePng", results.picture)
def decode_png(
    contents: Any, channels: int = 0, dtype: Any = uint8, name: str | None = None
) -> Tensor:
    """Returns the picture in a PNG file (or JPEG, or GIF with one frame).

    Args:
      contents: The file's bytes, a scalar string.
      channels: 1 for gray, 3 for colors, 4 for colors and opacity, 0 for the number of channels in
        the file.
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
@takes(
    channels="int",
    ratio="int",
    fancy_upscaling="bool",
    try_recover_truncated="bool",
    acceptable_fraction="float",
    dct_method="string",
)
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
      channels: 1 for gray, 3 for colors, 0 for the number of channels in the file.
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
        raise invalid(f"ratio must be 1, 2, 4, or 8, got {ratio} [Op:DecodeJpeg]", About.VALUES)
    return _one(contents, channels, uint8, "DecodeJpeg", ratio)


@export("image.decode_and_crop_jpeg", "io.decode_and_crop_jpeg")
@takes(
    channels="int",
    ratio="int",
    fancy_upscaling="bool",
    try_recover_truncated="bool",
    acceptable_fraction="float",
    dct_method="string",
)
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
      contents: The file's bytes, a scalar string.
      crop_window: The start of the part and its extent: (y, x, height, width).
      channels: 1 for gray, 3 for colors, 0 for the number of channels in the file.
      ratio: The factor by which the picture is reduced: 1, 2, 4 or 8.
      fancy_upscaling: Accepted for compatibility.
      try_recover_truncated: Accepted for compatibility.
      acceptable_fraction: Accepted for compatibility.
      dct_method: Accepted for compatibility.
      name: Accepted for compatibility.

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
            f"(the window {[y, x, height, width]} of a picture of shape {list(whole.shape)})",
            About.VALUES,
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
    file = ImageFile(contents, "DecodeGif")
    if file.kind == "BMP":
        raise invalid(
            "Trying to decode BMP format using a wrong op. Use `decode_bmp` or `decode_image` "
            "instead. Op used: DecodeGif [Op:DecodeGif]",
            About.VALUES,
        )
    return Tensor(as_type(file.frames(3 if file.kind == "WEBP" else 0), uint8, file))


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
    file = ImageFile(contents, "DecodeBmp")
    file.check_channels(channels)
    if file.kind == "WEBP":
        return Tensor(file.frames(channels))
    if file.kind != "BMP":
        raise invalid(
            f"Trying to decode {file.kind} format using DecodeBmp op. Use `decode_"
            f"{file.kind.lower()}` or `decode_image` instead. [Op:DecodeBmp]",
            About.VALUES,
        )
    return Tensor(file.frames(channels)[0])


@export("image.decode_webp", "io.decode_webp")
@graph_operation("DecodeWebP", results.frames)
def decode_webp(
    contents: Any, channels: int = 0, dtype: Any = uint8, name: str | None = None
) -> Tensor:
    """Returns the frames of a WebP file; most files have a single frame.

    Args:
      contents: The file's bytes, a string scalar.
      channels: 3 for colors, or 4 for colors and opacity; the file must have this number of
        channels. 0 accepts both.
      dtype: The dtype of the result, uint8.
      name: Accepted for compatibility.

    Returns:
      A uint8 tensor of shape (frames, height, width, channels).

    Raises:
      InvalidArgumentError: The bytes are not such a file, or its number of channels is not
        `channels`.
      ModuleNotFoundError: Pillow is not installed (the extra `image`).
    """
    _checked_type(dtype, (uint8,), "DecodeWebP")
    file = ImageFile(contents, "DecodeWebP")
    file.check_channels(channels)
    if file.kind == "GIF":
        raise invalid("Bad op type DecodeWebP: the file is a GIF [Op:DecodeWebP]")
    return _one(contents, channels, uint8, "DecodeWebP")


@export("image.decode_image", "io.decode_image")
@takes(channels="int", expand_animations="bool")
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
      channels: 1 for gray, 3 for colors, 4 for colors and opacity, 0 for the number of channels in
        the file.
      dtype: uint8, uint16, or float32 for samples from 0 to 1.
      name: Accepted for compatibility.
      expand_animations: Whether to return all frames of a GIF or WebP file along a first axis, or
        only the first frame.

    Returns:
      A tensor of shape (height, width, channels), or for GIF and WebP (frames, height, width,
      channels).

    Raises:
      InvalidArgumentError: The bytes are not such a file.
      ModuleNotFoundError: Pillow is not installed (the extra `image`).
    """
    kind = _checked_type(dtype, (uint8, uint16, float32), "DecodeImage")
    file = ImageFile(contents, "DecodeImage")
    file.check_channels(channels or 0)
    frames = as_type(file.frames(channels or 0, 1, not expand_animations), kind, file)
    return Tensor(frames if file.kind in ANIMATED and expand_animations else frames[0])


@export("image.is_jpeg", "io.is_jpeg")
@graph_operation("IsJpeg", like_input(np.dtype(bool)))
def is_jpeg(contents: Any, name: str | None = None) -> Tensor:
    """Tests whether each string begins like a JPEG file.

    Args:
      contents: The file's bytes, a string tensor.
      name: Accepted for compatibility.

    Returns:
      A bool tensor of the same shape.
    """
    found = texts(contents, "Substr")._numpy()
    begins = [text.startswith(b"\xff\xd8\xff") for text in np.ravel(found)]
    return Tensor(np.reshape(np.array(begins, bool), np.shape(found))[()])


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
    file = ImageFile(contents, "ExtractJpegShape")
    shape = file.jpeg_shape()
    return Tensor(np.array(shape, as_dtype(output_type).np_dtype))


@export("image.encode_png", "io.encode_png")
@graph_operation("EncodePng", results.files)
def encode_png(image: Any, compression: int = -1, name: str | None = None) -> Tensor:
    """Encodes pictures as PNG files.

    Args:
      image: Pictures of dtype uint8 or uint16, of shape (..., height, width, channels) with 1 to 4
        channels.
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
            "values: uint8, uint16 [Op:EncodePng] (tf.image.convert_image_dtype converts)",
            About.DTYPES,
        )
    value = tensor._value
    if value.ndim < 3:
        raise invalid(f"images must be at least rank 3{shown_shape(value.shape)} [Op:EncodePng]")
    if not -1 <= compression <= 9:
        raise invalid(
            f"compression should be in [-1,9], got {compression} [Op:EncodePng]", About.VALUES
        )
    if not 1 <= value.shape[-1] <= 4:
        raise invalid(
            f"image must have 1, 2, 3, or 4 channels, got {value.shape[-1]} [Op:EncodePng]",
            About.VALUES,
        )
    pictures = value.reshape(-1, *value.shape[-3:])
    return strings([_png(each, compression) for each in pictures], value.shape[:-3])


def _png(picture: Array, compression: int) -> bytes:
    if picture.dtype == np.uint16:
        return png.encoded(picture, compression)
    options = {} if compression < 0 else {"compress_level": compression}
    return saved(picture, "PNG", **options)


def saved(picture: Array, kind: str, **options: Any) -> bytes:
    """Encodes a uint8 picture as a file of the given kind."""
    out = io.BytesIO()
    flat = picture[..., 0] if picture.shape[-1] == 1 else picture
    pillow().fromarray(np.ascontiguousarray(flat)).save(out, kind, **options)
    return out.getvalue()


@export("image.encode_jpeg", "io.encode_jpeg")
@takes(
    format="string",
    quality="int",
    progressive="bool",
    optimize_size="bool",
    chroma_downsampling="bool",
    density_unit="string",
    x_density="int",
    y_density="int",
    xmp_metadata="string",
)
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
    """Encodes a picture as a JPEG file.

    Args:
      image: A uint8 picture of shape (height, width, channels), with 1 or 3 channels.
      format: "grayscale", "rgb", or "" to choose the format by the number of channels.
      quality: From 0 to 100.
      progressive: Whether the picture can be shown while the file loads.
      optimize_size: Whether to take more time for a smaller file.
      chroma_downsampling: Whether colors have half the resolution.
      density_unit: The unit of the densities, "in" or "cm".
      x_density: The horizontal density, in pixels per unit.
      y_density: The vertical density, in pixels per unit.
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
        message = f'Value for attr \'format\' of "{kind}" is not one of "", "grayscale", "rgb"'
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
    raise invalid(f"{message} [Op:EncodeJpeg]", About.VALUES)


@graph_operation("EncodeJpegVariableQuality", of_shape((), string))
def encode_jpeg_variable_quality(image: Any, quality: Any, name: str | None = None) -> Tensor:
    """Encodes a picture as a JPEG file, with a quality that may be a tensor."""
    wanted = input_of("EncodeJpegVariableQuality", 1, quality, int32)._value
    if wanted.ndim:
        raise invalid(f"quality must be scalar: {shown_shape(wanted.shape)} [Op:EncodeJpeg]")
    return encode_jpeg(image, quality=int(wanted))


@export("image.adjust_jpeg_quality")
def adjust_jpeg_quality(
    image: Any, jpeg_quality: Any, dct_method: str = "", name: str | None = None
) -> Tensor:
    """Encodes a picture as a JPEG file and decodes it, so that it gets the marks of compression.

    Args:
      image: A picture of shape (height, width, channels), with 1 or 3 channels. Numbers of a
        floating-point dtype are in [0, 1].
      jpeg_quality: From 0 to 100.
      dct_method: "INTEGER_FAST", "INTEGER_ACCURATE" or ""; it has no effect.
      name: Accepted for compatibility.

    Returns:
      A tensor of the shape and dtype of `image`.

    Raises:
      InvalidArgumentError: The shape or an argument is not allowed.
      ModuleNotFoundError: Pillow is not installed (the extra `image`).

    >>> picture = tf.zeros((8, 8, 3), tf.uint8)
    >>> tf.image.adjust_jpeg_quality(picture, 50).shape
    TensorShape([8, 8, 3])
    """
    picture = convert_to_tensor(image)
    channels = shape_of(picture)[-1] if len(shape_of(picture)) else 0
    whole = convert_image_dtype(picture, uint8, saturate=True)
    file = encode_jpeg_variable_quality(whole, jpeg_quality)
    decoded = decode_jpeg(file, channels=channels, dct_method=dct_method)
    return convert_image_dtype(decoded, picture.dtype, saturate=True)


def _check_qualities(least: int, most: int) -> None:
    if least < 0 or most < 0 or least > 100 or most > 100:
        raise ValueError("jpeg encoding range must be between 0 and 100.")
    if least >= most:
        raise ValueError("`min_jpeg_quality` must be less than `max_jpeg_quality`.")


@export("image.random_jpeg_quality")
def random_jpeg_quality(
    image: Any, min_jpeg_quality: int, max_jpeg_quality: int, seed: Any = None
) -> Tensor:
    """Applies `adjust_jpeg_quality` with a random quality.

    Args:
      image: A picture of shape (height, width, channels), with 1 or 3 channels.
      min_jpeg_quality: The least quality.
      max_jpeg_quality: The exclusive upper bound of the qualities.
      seed: A seed; see tf.random.set_seed.

    Returns:
      A tensor of the shape and dtype of `image`.

    Raises:
      ValueError: A bound is not in [0, 100], or the lower is not less than the upper one.
    """
    _check_qualities(min_jpeg_quality, max_jpeg_quality)
    quality = uniform([], min_jpeg_quality, max_jpeg_quality, int32, seed)
    return adjust_jpeg_quality(image, quality)


@export("image.stateless_random_jpeg_quality")
def stateless_random_jpeg_quality(
    image: Any, min_jpeg_quality: int, max_jpeg_quality: int, seed: Any
) -> Tensor:
    """Applies `adjust_jpeg_quality` with a random quality that depends only on a seed.

    Args:
      image: A picture of shape (height, width, channels), with 1 or 3 channels.
      min_jpeg_quality: The least quality.
      max_jpeg_quality: The exclusive upper bound of the qualities.
      seed: Two integers that determine the random number.

    Returns:
      A tensor of the shape and dtype of `image`.

    Raises:
      ValueError: A bound is not in [0, 100], or the lower is not less than the upper one.
    """
    _check_qualities(min_jpeg_quality, max_jpeg_quality)
    quality = stateless_uniform([], seed, min_jpeg_quality, max_jpeg_quality, int32)
    return adjust_jpeg_quality(image, quality)
