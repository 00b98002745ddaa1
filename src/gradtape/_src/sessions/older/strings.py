"""Operations on strings with TensorFlow 1's names and arguments."""

from __future__ import annotations

from typing import Any

from gradtape._src.base.dtypes import float32, string
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.files import bytes as raw_bytes
from gradtape._src.files import csv, parsing
from gradtape._src.ops.array.shaping import expand_dims
from gradtape._src.ops.types.ragged_tensor import RaggedTensor
from gradtape._src.ops.types.sparse_tensor import SparseTensor
from gradtape._src.sessions.older.arguments import either
from gradtape._src.text import numbers, strings
from gradtape._src.text.raw_strings import split_at_any


def _parts(text: bytes, delimiters: bytes, skip_empty: bool) -> list[bytes]:
    """Splits a text at every delimiter, or into its bytes if there are no delimiters."""
    return [part for part in split_at_any(text, delimiters) if part or not skip_empty]


@export("compat.v1.string_to_number")
def string_to_number(
    string_tensor: Any = None, out_type: Any = float32, name: str | None = None, input: Any = None
) -> Tensor:
    """Reads numbers from strings.

    Args:
      string_tensor: Strings.
      out_type: The type of the result.
      name: The operation's name.
      input: A second name of `string_tensor`.

    Returns:
      A tensor.
    """
    return numbers.to_number(either(input, string_tensor, "input", "string_tensor"), out_type, name)


@export("compat.v1.string_to_hash_bucket")
def string_to_hash_bucket(
    string_tensor: Any = None,
    num_buckets: int | None = None,
    name: str | None = None,
    input: Any = None,
) -> Tensor:
    """Returns hash values of strings.

    Args:
      string_tensor: Strings.
      num_buckets: The number of hash values.
      name: The operation's name.
      input: A second name of `string_tensor`.

    Returns:
      Integers below `num_buckets`.

    Raises:
      TypeError: `num_buckets` is missing.
    """
    if num_buckets is None:
        raise TypeError("string_to_hash_bucket() missing 1 required argument: 'num_buckets'")
    texts = either(input, string_tensor, "input", "string_tensor")
    return numbers.to_hash_bucket(texts, num_buckets, name)


@export("compat.v1.substr", "compat.v1.strings.substr")
def substr(
    input: Any,
    pos: Any,
    len: Any,  # noqa: A002 (TensorFlow's name)
    name: str | None = None,
    unit: str = "BYTE",
) -> Tensor:
    """Returns parts of strings.

    Args:
      input: Strings.
      pos: The position at which each part begins.
      len: The length of each part.
      name: The operation's name.
      unit: "BYTE" or "UTF8_CHAR".

    Returns:
      Strings.
    """
    return strings.substr(input, pos, len, unit, name)


@export("compat.v1.strings.length")
def length(input: Any, name: str | None = None, unit: str = "BYTE") -> Tensor:
    """Returns the lengths of strings.

    Args:
      input: Strings.
      name: The operation's name.
      unit: "BYTE" or "UTF8_CHAR".

    Returns:
      Integers.
    """
    return strings.length(input, unit, name)


@export("compat.v1.reduce_join")
def reduce_join(
    inputs: Any,
    axis: Any = None,
    keep_dims: bool | None = None,
    separator: str = "",
    name: str | None = None,
    reduction_indices: Any = None,
    keepdims: bool | None = None,
) -> Tensor:
    """Joins strings along axes.

    Args:
      inputs: Strings.
      axis: The axes. Defaults to all axes.
      keep_dims: The old name of `keepdims`.
      separator: The text between two strings.
      name: The operation's name.
      reduction_indices: The old name of `axis`.
      keepdims: Whether the reduced axes are kept, with length 1.

    Returns:
      Strings.
    """
    along = either(axis, reduction_indices, "axis", "reduction_indices")
    stay = bool(either(keepdims, keep_dims, "keepdims", "keep_dims"))
    return strings.reduce_join(inputs, along, stay, separator, name)


@export("compat.v1.string_split")
def string_split(
    source: Any,
    sep: str | None = None,
    skip_empty: bool = True,
    delimiter: str | None = None,
    result_type: str = "SparseTensor",
    name: str | None = None,
) -> SparseTensor | RaggedTensor:
    """Splits strings at a separator, or at each of its characters.

    Args:
      source: A vector of strings.
      sep: The separator. Defaults to a space.
      skip_empty: Whether to leave out empty parts.
      delimiter: A second name of `sep`.
      result_type: "SparseTensor" or "RaggedTensor".
      name: The operation's name.

    Returns:
      The parts, of the type that `result_type` names.
    """
    at = either(delimiter, sep, "delimiter", "sep")
    by = (" " if at is None else at).encode()
    options = {"delimiter": by, "skip_empty": skip_empty}
    parts: Any = strings.split_up(
        lambda text: _parts(text, by, skip_empty), source, "StringSplit", **options
    )
    made: SparseTensor | RaggedTensor
    made = parts.to_sparse() if result_type == "SparseTensor" else parts
    return made


@export("compat.v1.decode_csv")
def decode_csv(
    records: Any,
    record_defaults: Any,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    name: str | None = None,
    na_value: str = "",
    select_cols: Any = None,
) -> list[Tensor]:
    """Reads the columns of lines of CSV.

    Args:
      records: Lines.
      record_defaults: For each column, a tensor of the column's type, which holds the value for
        empty fields or is empty if there is no such value.
      field_delim: The character between fields.
      use_quote_delim: Whether quotation marks enclose fields.
      name: The operation's name.
      na_value: The text that stands for a missing value.
      select_cols: The columns to read.

    Returns:
      A tensor for each column.
    """
    options = field_delim, use_quote_delim, na_value, select_cols, name
    return csv.decode_csv(records, record_defaults, *options)


@export("compat.v1.decode_raw")
def decode_raw(
    input_bytes: Any = None,
    out_type: Any = None,
    little_endian: bool = True,
    name: str | None = None,
    bytes: Any = None,  # noqa: A002 (TensorFlow's name)
) -> Tensor:
    """Reads numbers from the bytes of strings.

    Args:
      input_bytes: Strings.
      out_type: The type of the result.
      little_endian: Whether the low byte of a number comes first.
      name: The operation's name.
      bytes: The old name of `input_bytes`.

    Returns:
      A tensor with one axis more.
    """
    given = either(input_bytes, bytes, "input_bytes", "bytes")
    return raw_bytes.decode_raw(given, out_type, little_endian, None, name)


@export("compat.v1.parse_example")
def parse_example(
    serialized: Any, features: Any, name: str | None = None, example_names: Any = None
) -> dict[str, Any]:
    """Parses a batch of `Example` messages.

    Args:
      serialized: Serialized messages.
      features: The specifications of the features by their names.
      name: The operation's name.
      example_names: Names that errors show.

    Returns:
      A tensor for each feature.
    """
    return parsing.parse_example(serialized, features, example_names, name)


@export("compat.v1.parse_single_example")
def parse_single_example(
    serialized: Any, features: Any, name: str | None = None, example_names: Any = None
) -> dict[str, Any]:
    """Parses an `Example` message.

    Args:
      serialized: A serialized message.
      features: The specifications of the features by their names.
      name: The operation's name.
      example_names: A name that errors show.

    Returns:
      A tensor for each feature.
    """
    return parsing.parse_single_example(serialized, features, example_names, name)


@export("compat.v1.strings.split")
def split(
    input: Any = None,
    sep: str | None = None,
    maxsplit: int = -1,
    result_type: str = "SparseTensor",
    source: Any = None,
    name: str | None = None,
) -> SparseTensor | RaggedTensor:
    """Splits strings at white space or at a separator.

    Args:
      input: Strings.
      sep: The separator. Defaults to any amount of white space.
      maxsplit: The maximum number of splits; -1 for no limit.
      result_type: "SparseTensor" or "RaggedTensor".
      source: The old name of `input`.
      name: The operation's name.

    Returns:
      The parts of each string along a new last axis, of the type that `result_type` names. Of a
      scalar, a vector is split that has it as its only element.

    Raises:
      ValueError: `result_type` is unknown, or the strings are given under both names.
    """
    text = convert_to_tensor(either(input, source, "input", "source"), string)
    if text.shape.rank == 0:
        text = expand_dims(text, 0)
    parts = strings.split(text, sep, maxsplit)
    assert isinstance(parts, RaggedTensor)
    if result_type == "RaggedTensor":
        return parts
    if result_type != "SparseTensor":
        raise ValueError("result_type must be 'RaggedTensor' or 'SparseTensor'.")
    made: SparseTensor = parts.to_sparse()
    return made
