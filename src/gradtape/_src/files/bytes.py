"""`tf.io`: whole files, and strings that hold numbers, base64 or compressed data."""

from __future__ import annotations

import base64
import gzip
import os
import re
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import as_dtype, c_name, string
from gradtape._src.base.errors import About, DataLossError
from gradtape._src.base.export import export
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare import attributes
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.attributes import takes
from gradtape._src.declare.eager_only import refuse_under_jit
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.graph_operations import New, graph_operation, of_shape
from gradtape._src.files import gfile
from gradtape._src.files.damaged_input import SIGNS, explained
from gradtape._src.files.paths import as_tensorflow, local
from gradtape._src.text.values import each, strings, texts

_RAW = (
    *("float16", "float32", "float64", "int32", "uint16", "uint8", "int16", "int8", "int64"),
    *("complex64", "complex128", "bool", "bfloat16"),
)
_BASE64 = re.compile(rb"[A-Za-z0-9_-]*={0,2}")


@export("io.read_file")
@graph_operation("ReadFile", of_shape((), string), stateful=True, undone=True)
def read_file(filename: Any, name: str | None = None) -> Tensor:
    """Reads the contents of a file as a string.

    Args:
      filename: The path, text or a string tensor.
      name: Accepted for compatibility.

    Returns:
      A string scalar.

    Raises:
      NotFoundError: There is no such file.
    """
    refuse_under_jit("tf.io.read_file")
    path = local(texts(filename, "ReadFile"))
    with as_tensorflow(path, " [Op:ReadFile]"):
        return strings([Path(path).read_bytes()], ())


@export("io.write_file")
@graph_operation("WriteFile", lambda *_, **__: None, stateful=True)
def write_file(filename: Any, contents: Any, name: str | None = None) -> None:
    """Writes a string to a file; creates missing directories.

    Args:
      filename: The path, text or a string tensor.
      contents: A string scalar.
      name: Accepted for compatibility.
    """
    refuse_under_jit("tf.io.write_file")
    path, data = local(texts(filename, "ReadFile")), texts(contents, "WriteFile")._value.item()
    with as_tensorflow(path, " [Op:WriteFile]"):
        if directory := os.path.dirname(path):
            gfile.makedirs(directory)
        Path(path).write_bytes(data)


@export("io.matching_files")
@graph_operation("MatchingFiles", of_shape((None,), string), stateful=True, undone=True)
def matching_files(pattern: Any, name: str | None = None) -> Tensor:
    """Returns the files that match a pattern, or any of a vector of patterns, sorted.

    Args:
      pattern: A pattern with `*`, `?` and `[...]`, or a vector of them.
      name: Accepted for compatibility.

    Returns:
      A vector of strings, sorted.
    """
    patterns = [local(each_) for each_ in texts(pattern, "MatchingFiles")._value.reshape(-1)]
    found = sorted(gfile.glob(patterns))
    return strings([name_.encode() for name_ in found], [len(found)])


@export("io.match_filenames_once")
def match_filenames_once(pattern: Any, name: str | None = None) -> Variable:
    """Looks up the files that match a pattern, and keeps the list in a variable.

    Args:
      pattern: A pattern with `*`, `?` and `[...]`, or a vector of them.
      name: Accepted for compatibility.

    Returns:
      A variable that is not trainable: a vector of strings, sorted.
    """
    return Variable(matching_files(pattern), trainable=False)


def _raw_result(
    new: New,
    input_bytes: Any,
    out_type: Any,
    little_endian: bool = True,
    fixed_length: Any = None,
    name: str | None = None,
) -> Tensor:
    dtype = as_dtype(out_type)
    count = None if fixed_length is None else int(fixed_length) // dtype.size
    return new([*shape_of(texts(input_bytes, "DecodeRaw")), count], dtype)


@export("io.decode_raw")
@takes(little_endian="bool")
@graph_operation("DecodeRaw", _raw_result)
def decode_raw(
    input_bytes: Any,
    out_type: Any,
    little_endian: bool = True,
    fixed_length: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Interprets the bytes of strings as numbers.

    Args:
      input_bytes: A string tensor.
      out_type: The type of the numbers.
      little_endian: Whether the low byte of a number comes first.
      fixed_length: The number of bytes to which each string is truncated or padded with zeros.
      name: Accepted for compatibility.

    Returns:
      The numbers along a new last axis.

    Raises:
      InvalidArgumentError: The strings are of different lengths, or don't hold whole numbers.
    """
    dtype = as_dtype(out_type)
    if dtype.name not in _RAW:
        raise invalid(
            f"Value for attr 'out_type' of {c_name(dtype.name)} is not in the list of allowed "
            f"values: {', '.join(c_name(n) for n in _RAW)} [Op:DecodeRaw]",
            About.DTYPES,
        )
    x, size = texts(input_bytes, "DecodeRaw")._value, dtype.size
    held = list(x.flat)
    if fixed_length is not None:
        if fixed_length % size:
            raise invalid(
                f"fixed_length ({fixed_length}) must be a multiple of the size of out_type "
                f"({size}) [Op:DecodePaddedRaw]",
                About.VALUES,
            )
        held = [text[:fixed_length].ljust(fixed_length, b"\0") for text in held]
    length = len(held[0]) if held else 0
    for place, text in enumerate(held):
        if len(text) != length:
            raise invalid(
                f"DecodeRaw requires input strings to all be the same size, but element {place} "
                f"has size {len(text)} != {length} [Op:DecodeRaw] (see `fixed_length`)",
                About.VALUES,
            )
    if length % size:
        raise invalid(
            f"Input to DecodeRaw has length {length} that is not a multiple of {size}, the size "
            f"of {c_name(dtype.name)} [Op:DecodeRaw]",
            About.VALUES,
        )
    numbers = np.frombuffer(b"".join(held), dtype.np_dtype)
    if not little_endian and size > 1:
        numbers = numbers.byteswap()
    return Tensor(numbers.reshape(*x.shape, length // size).copy())


@export("io.encode_base64")
@takes(pad="bool")
def encode_base64(
    input: Any,
    pad: bool = False,
    name: str | None = None,
) -> Tensor:
    """Encodes strings in web-safe base64, with "-" and "_".

    Args:
      input: A string tensor of any shape.
      pad: Whether "=" is appended until the length is a multiple of four.
      name: Accepted for compatibility.

    Returns:
      A string tensor of the same shape.
    """

    def encode(text: bytes) -> bytes:
        found = base64.urlsafe_b64encode(text)
        return found if pad else found.rstrip(b"=")

    return each(encode, input, "EncodeBase64", pad=pad)


@export("io.decode_base64")
def decode_base64(input: Any, name: str | None = None) -> Tensor:
    """Decodes strings in base64.

    Args:
      input: A string tensor of any shape.
      name: Accepted for compatibility.

    Returns:
      A string tensor of the same shape.

    Raises:
      InvalidArgumentError: A string is not valid base64.
    """

    def decode(text: bytes) -> bytes:
        if not _BASE64.fullmatch(text):
            raise invalid("Invalid character found in base64. [Op:DecodeBase64]", About.VALUES)
        body = text.rstrip(b"=")
        if len(body) % 4 == 1:
            raise invalid(
                "Base64 string length cannot be 1 modulo 4. [Op:DecodeBase64]", About.VALUES
            )
        return base64.urlsafe_b64decode(body + b"=" * (-len(body) % 4))

    return each(decode, input, "DecodeBase64")


@export("io.decode_compressed")
@takes(compression_type="string")
def decode_compressed(
    bytes: Any,  # noqa: A002 (TensorFlow's name)
    compression_type: str = "",
    name: str | None = None,
) -> Tensor:
    """Decompresses strings.

    Args:
      bytes: A string tensor.
      compression_type: "GZIP", "ZLIB" or "".
      name: Accepted for compatibility.

    Returns:
      A string tensor of the same shape.

    Raises:
      InvalidArgumentError: The compression type is unknown.
      DataLossError: A string does not have this compression.
    """
    compression_type = attributes.text("compression_type", compression_type)
    if compression_type not in ("", "GZIP", "ZLIB"):
        raise invalid(
            "Only ZLIB, GZIP or NONE are supported compressions [Op:DecodeCompressed] (got "
            f"{compression_type!r})",
            About.VALUES,
        )
    if not compression_type:
        return each(lambda text: text, bytes, "DecodeCompressed", compression_type="")
    inflate = zlib.decompress if compression_type == "ZLIB" else gzip.decompress

    def decode(text: Any) -> Any:
        try:
            return inflate(text)
        except (*SIGNS, gzip.BadGzipFile) as error:
            raise DataLossError(
                None, None, f"inflate() failed with error: {explained(error)} [Op:DecodeCompressed]"
            ) from None

    return each(decode, bytes, "DecodeCompressed", compression_type=compression_type)
