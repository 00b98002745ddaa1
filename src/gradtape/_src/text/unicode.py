"""`tf.strings.unicode_*`: strings as code points, in any encoding."""

from __future__ import annotations

import codecs
import math
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import int32
from gradtape._src.base.errors import About
from gradtape._src.base.export import export, raw_op
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import input_of, invalid, one_of
from gradtape._src.declare.attributes import takes
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.graph_operations import New, like_input, run_whole
from gradtape._src.ops.types.ragged_tensor import RaggedTensor
from gradtape._src.text.values import Array, each, rows, strings, texts, unknown_rows

OUTPUTS = ("UTF-8", "UTF-16-BE", "UTF-32-BE")
_PYTHON = {"UTF-16-BE": "utf-16-be", "UTF-32-BE": "utf-32-be", "UTF-8": "utf-8"}
_POLICIES = ("strict", "replace", "ignore")
Point = tuple[int, int]
"""A code point and the byte at which it begins."""


class Decoder:
    """Reads strings as code points.

    Args:
      encoding: The name of the encoding.
      errors: The handling of invalid bytes: "strict", "replace" or "ignore".
      replacement_char: The code point that replaces invalid bytes.
      replace_control_characters: Whether control characters are replaced as well.
      op: The operation, for messages.
    """

    def __init__(
        self,
        encoding: str,
        errors: str,
        replacement_char: int,
        replace_control_characters: bool,
        op: str,
    ) -> None:
        self.errors = one_of(errors, _POLICIES, "errors", op)
        if not 0 <= replacement_char <= 0x10FFFF:
            raise invalid(
                f"replacement_char out of unicode codepoint range: {replacement_char} [Op:{op}]",
                About.VALUES,
            )
        self._replacement = replacement_char
        self._no_controls = replace_control_characters
        self._op = op
        try:
            self._codec = codecs.lookup(_PYTHON.get(encoding, encoding)).name
            "".encode(self._codec)
        except LookupError:
            raise invalid(
                f"Could not create converter for input encoding: {encoding} [Op:{op}]", About.VALUES
            ) from None

    def __call__(self, text: bytes) -> list[Point]:
        """Returns the code points of a string."""
        found = list(self._points(text))
        if not self._no_controls:
            return found
        return [(self._replacement if _is_control(c) else c, at) for c, at in found]

    def _points(self, text: bytes) -> Iterator[Point]:
        at = 0
        while at < len(text):
            try:
                yield from self._placed(text[at:].decode(self._codec), at)
            except UnicodeDecodeError as error:
                good = text[at : at + error.start]
                yield from self._placed(good.decode(self._codec), at)
                if self.errors == "strict":
                    raise invalid(
                        f"Invalid formatting on input string [Op:{self._op}]", About.VALUES
                    ) from None
                if self.errors == "replace":
                    yield self._replacement, at + error.start
                at += error.end
            else:
                return

    def _placed(self, characters: str, at: int) -> Iterator[Point]:
        for character in characters:
            yield ord(character), at
            at += len(character.encode(self._codec))


def _is_control(code: int) -> bool:
    return code < 0x20 or 0x7F <= code < 0xA0


def encoded(codes: list[int], encoding: str) -> bytes:
    """Encodes valid code points to bytes."""
    return "".join(map(chr, codes)).encode(_PYTHON[encoding])


@export("strings.unicode_decode")
@takes(replacement_char="int", replace_control_characters="bool")
def unicode_decode(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Tensor | RaggedTensor:
    r"""Decodes strings into Unicode code points.

    Args:
      input: A string tensor.
      input_encoding: The encoding of the strings, for example "UTF-8".
      errors: The handling of invalid bytes: "strict" raises an error, "replace" inserts
        `replacement_char`, "ignore" drops them.
      replacement_char: The code point that replaces invalid bytes.
      replace_control_characters: Whether to replace control characters too.
      name: Accepted for compatibility.

    Returns:
      A ragged tensor of int32 code points along a new last axis, or a vector if `input` is a
      scalar.

    Raises:
      InvalidArgumentError: The encoding is unknown, or `errors` is "strict" and a string is not
        valid in it.

    >>> tf.strings.unicode_decode("h\u00e9", "UTF-8").numpy()
    array([104, 233], dtype=int32)
    """
    return _decoded(
        input, input_encoding, errors, replacement_char, replace_control_characters, "UnicodeDecode"
    )[0]


@export("strings.unicode_decode_with_offsets")
def unicode_decode_with_offsets(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> tuple[Tensor | RaggedTensor, Tensor | RaggedTensor]:
    """Finds the code points of strings, and the bytes at which they begin.

    Args:
      input: A string tensor.
      input_encoding: The encoding of the strings, for example "UTF-8".
      errors: The handling of invalid bytes: "strict" raises an error, "replace" inserts
        `replacement_char`, "ignore" drops them.
      replacement_char: The code point that replaces invalid bytes.
      replace_control_characters: Whether to replace control characters too.
      name: Accepted for compatibility.

    Returns:
      A pair: int32 code points and int64 offsets along a new last axis; ragged tensors, or vectors
      for a scalar.

    Raises:
      InvalidArgumentError: The encoding is unknown, or `errors` is "strict" and a string is not
        valid.
    """
    return _decoded(
        input,
        input_encoding,
        errors,
        replacement_char,
        replace_control_characters,
        "UnicodeDecodeWithOffsets",
    )


@export("strings.unicode_split")
@takes(replacement_char="int")
def unicode_split(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Tensor | RaggedTensor:
    """Splits strings into their characters, as strings in the same encoding.

    Args:
      input: A string tensor.
      input_encoding: The encoding of the strings, for example "UTF-8".
      errors: The handling of invalid bytes: "strict" raises an error, "replace" inserts
        `replacement_char`, "ignore" drops them.
      replacement_char: The code point that replaces invalid bytes.
      name: Accepted for compatibility.

    Returns:
      A ragged tensor of strings along a new last axis, or a vector if `input` is a scalar.

    Raises:
      InvalidArgumentError: The encoding is unknown, or `errors` is "strict" and a string is not
        valid.
    """
    return unicode_split_with_offsets(input, input_encoding, errors, replacement_char)[0]


@export("strings.unicode_split_with_offsets")
def unicode_split_with_offsets(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> tuple[Tensor | RaggedTensor, Tensor | RaggedTensor]:
    """Splits strings into their characters, and finds the bytes at which they begin.

    Args:
      input: A string tensor.
      input_encoding: The encoding of the strings, for example "UTF-8".
      errors: The handling of invalid bytes: "strict" raises an error, "replace" inserts
        `replacement_char`, "ignore" drops them.
      replacement_char: The code point that replaces invalid bytes.
      name: Accepted for compatibility.

    Returns:
      A pair: strings and int64 offsets along a new last axis; ragged tensors, or vectors for a
      scalar.

    Raises:
      InvalidArgumentError: The encoding is unknown, or `errors` is "strict" and a string is not
        valid.
    """
    one_of(input_encoding, OUTPUTS, "output_encoding", "UnicodeEncode")
    codes, offsets = _decoded(
        input, input_encoding, errors, replacement_char, False, "UnicodeDecodeWithOffsets"
    )
    return _characters(input_encoding, codes), offsets


def _characters(encoding: str, codes: Any) -> Tensor:
    """Returns each code point as a string."""
    if isinstance(codes, RaggedTensor):
        return codes.with_values(_characters(encoding, codes.values))  # type: ignore[return-value]

    def run(x: Tensor) -> Tensor:
        return strings((encoded([code], encoding) for code in x._value.tolist()), x._value.shape)

    result = like_input(np.dtype(object))
    return run_whole("UnicodeEncode", result, run, codes, output_encoding=encoding)


def _decoded(
    value: Any, encoding: str, errors: str, replacement: int, no_controls: bool, op: str
) -> tuple[Tensor | RaggedTensor, Tensor | RaggedTensor]:
    decoder = Decoder(encoding, errors, int(replacement), no_controls, op)
    if isinstance(value, RaggedTensor):
        inner = _decoded(value.values, encoding, errors, replacement, no_controls, op)
        return value.with_values(inner[0]), value.with_values(inner[1])

    def result(new: New, x: Tensor) -> tuple[Any, ...]:
        return tuple(unknown_rows(new, shape_of(x), np.int32, np.int64))

    def run(x: Tensor) -> tuple[Any, Any]:
        return _points_of(decoder, x._value)

    return run_whole(
        op,
        result,
        run,
        texts(value, "UnicodeDecode"),
        input_encoding=encoding,
        errors=decoder.errors,
        replacement_char=int(replacement),
        replace_control_characters=no_controls,
    )


def _points_of(decoder: Decoder, x: Array) -> tuple[Any, Any]:
    lists = [decoder(text) for text in x.flat]
    flat = np.array([point for found in lists for point in found], np.int64).reshape(-1, 2)
    codes, offsets = Tensor(flat[:, 0].astype(np.int32)), Tensor(flat[:, 1].copy())
    if not x.ndim:
        return codes, offsets
    lengths = [len(found) for found in lists]
    return rows(codes, lengths, x.shape), rows(offsets, lengths, x.shape)


@export("strings.unicode_encode")
@takes(replacement_char="int")
def unicode_encode(
    input: Any,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Tensor:
    """Encodes code points to strings.

    Args:
      input: int32 code points; those along the last axis, which may be ragged, form a string.
      output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
      errors: The handling of invalid code points; see `unicode_decode`.
      replacement_char: The code point that replaces invalid bytes.
      name: Accepted for compatibility.

    Returns:
      A string tensor without the last axis.

    Raises:
      ValueError: `input` has no axis.
      InvalidArgumentError: The encoding is unknown, or `errors` is "strict" and a code point is not
        valid.
    """
    one_of(output_encoding, OUTPUTS, "output_encoding", "UnicodeEncode")
    one_of(errors, _POLICIES, "errors", "UnicodeEncode")

    def encode(codes: list[int]) -> bytes:
        good = []
        for code in codes:
            if 0 <= code <= 0x10FFFF and not 0xD800 <= code < 0xE000:
                good.append(code)
            elif errors == "strict":
                raise invalid(
                    "Code point is out of range for Unicode, or is a surrogate. [Op:UnicodeEncode]",
                    About.VALUES,
                )
            elif errors == "replace":
                good.append(int(replacement_char))
        return encoded(good, output_encoding)

    given = input if isinstance(input, RaggedTensor) else input_of("UnicodeEncode", 0, input, int32)
    return run_whole(
        "UnicodeEncode",
        _encoded_result,
        lambda x: _encode_rows(encode, x),
        given,
        output_encoding=output_encoding,
        errors=errors,
        replacement_char=int(replacement_char),
    )


def _encoded_result(new: New, value: Any) -> Tensor:
    if not isinstance(value, RaggedTensor):
        if not shape_of(value):
            raise ValueError("input_tensor's rank must be at least 1.")
        return new(shape_of(value)[:-1], np.dtype(object))
    inner = value.values
    if isinstance(inner, RaggedTensor) or len(inner.shape) > 1:
        return RaggedTensor(_encoded_result(new, inner), value.row_splits)  # type: ignore[return-value]
    return new([value._height()], np.dtype(object))


def _encode_rows(encode: Callable[[list[int]], bytes], value: Any) -> Tensor:
    if not isinstance(value, RaggedTensor):
        x: Array = np.asarray(convert_to_tensor(value, int32)._value)
        if not x.ndim:
            raise ValueError("input_tensor's rank must be at least 1.")
        lists = x.reshape(-1, x.shape[-1]).tolist() if x.size else [[]] * math.prod(x.shape[:-1])
        return strings(map(encode, lists), x.shape[:-1])
    inner = value.values
    if isinstance(inner, RaggedTensor) or len(inner.shape) > 1:
        found = _encode_rows(encode, inner)
        return RaggedTensor.from_row_splits(found, value.row_splits, validate=False)  # type: ignore[return-value]
    codes, splits = inner._value.tolist(), np.asarray(value.row_splits).tolist()
    return strings((encode(codes[a:b]) for a, b in pairwise(splits)), [len(splits) - 1])


@export("strings.unicode_transcode")
@takes(replace_control_characters="bool")
@raw_op("UnicodeTranscode")
def unicode_transcode(
    input: Any,
    input_encoding: str,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Tensor:
    """Converts strings to another encoding.

    Args:
      input: A string tensor.
      input_encoding: The encoding of the strings, for example "UTF-8".
      output_encoding: The encoding of the result.
      errors: The handling of invalid bytes: "strict" raises an error, "replace" inserts
        `replacement_char`, "ignore" drops them.
      replacement_char: The code point that replaces invalid bytes.
      replace_control_characters: Whether to replace control characters too.
      name: Accepted for compatibility.

    Returns:
      A string tensor of the shape of `input`.

    Raises:
      InvalidArgumentError: The encoding is unknown, or `errors` is "strict" and a string is not
        valid.
    """
    one_of(output_encoding, OUTPUTS, "output_encoding", "UnicodeTranscode")
    decoder = Decoder(
        input_encoding, errors, replacement_char, replace_control_characters, "UnicodeTranscode"
    )
    return each(
        lambda text: encoded([code for code, _ in decoder(text)], output_encoding),
        input,
        "UnicodeTranscode",
        input_encoding=input_encoding,
        output_encoding=output_encoding,
        errors=errors,
        replacement_char=int(replacement_char),
        replace_control_characters=replace_control_characters,
    )
