"""`tf.strings`: joining, splitting and inspecting strings, and changing their case."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, overload

import numpy as np

from gradtape._src.base.dtypes import int32, string
from gradtape._src.base.errors import About, OutOfRangeError
from gradtape._src.base.export import export, raw_op
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid, one_of
from gradtape._src.declare.attributes import takes
from gradtape._src.declare.eager_only import each_run
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.graph_operations import New, graph_operation, has_symbols, run_whole
from gradtape._src.declare.unknown_sizes import broadcast_shapes
from gradtape._src.ops.array.joining import unstack
from gradtape._src.ops.control.printing import print_
from gradtape._src.ops.elementwise.arithmetic import string_join_p
from gradtape._src.ops.types.ragged_tensor import RaggedTensor
from gradtape._src.text.values import (
    WHITESPACE,
    Array,
    each,
    on_values,
    rows,
    strings,
    text_argument,
    texts,
    unknown_rows,
    whole,
)

UNITS = ("BYTE", "UTF8_CHAR")


@export("strings.join")
@raw_op("StringJoin")
def join(inputs: Any, separator: str = "", name: str | None = None) -> Tensor:
    """Joins the corresponding strings of several tensors.

    Args:
      inputs: A list of string tensors of one shape, or scalars, which broadcast.
      separator: The text between the parts.
      name: Accepted for compatibility.

    Returns:
      A string tensor of the shape of the inputs.

    Raises:
      TypeError: `inputs` is not a list.
      InvalidArgumentError: The shapes differ.

    >>> tf.strings.join([["a", "b"], ["c", "d"]], separator="-").numpy()
    array([b'a-c', b'b-d'], dtype=object)
    """
    if isinstance(inputs, Tensor) and len(shape_of(inputs)):
        inputs = unstack(inputs)
    if not isinstance(inputs, (list, tuple)):
        raise TypeError(f"Expected list for 'inputs' argument to 'string_join' Op, not {inputs!r}.")
    ragged = next((x for x in inputs if isinstance(x, RaggedTensor)), None)
    if ragged is not None:
        return _join_ragged(inputs, ragged, separator)  # type: ignore[return-value]
    return _joined([texts(x, "StringJoin") for x in inputs], text_argument(separator).encode())


def _join_result(new: New, inputs: list[Tensor], between: bytes) -> Tensor:
    shapes = [shape_of(x) for x in inputs if shape_of(x)]
    return new(broadcast_shapes(*shapes) if shapes else (), string)


@graph_operation(string_join_p.primitive.name, _join_result)
def _joined(inputs: list[Tensor], between: bytes) -> Tensor:
    arrays = [x._value for x in inputs]
    shape: tuple[int, ...] = next((x.shape for x in arrays if x.ndim), ())
    for x in arrays:
        if x.ndim and x.shape != shape:
            raise invalid(
                f"Input shapes do not match: {list(shape)} vs. {list(x.shape)} [Op:StringJoin] "
                "(`inputs` of tf.strings.join have one shape, or are scalars)"
            )
    if not arrays:
        return strings([b""], ())
    columns = [np.broadcast_to(x, shape).flat for x in arrays]
    return strings((between.join(row) for row in zip(*columns, strict=True)), shape)


def _join_ragged(inputs: Any, like: RaggedTensor, separator: str) -> RaggedTensor:
    """Joins ragged tensors with the same rows, and scalars."""
    parts = [x.values if isinstance(x, RaggedTensor) else texts(x, "StringJoin") for x in inputs]
    for x, part in zip(inputs, parts, strict=True):
        same = isinstance(x, RaggedTensor) and np.array_equal(x.row_splits, like.row_splits)
        if not same and (isinstance(x, RaggedTensor) or part.shape.rank):
            raise invalid(
                "tf.strings.join: ragged `inputs` must all have rows of the same lengths, the "
                "others must be scalars",
                About.VALUES,
            )
    inner = join(parts, separator)
    return RaggedTensor.from_row_splits(inner, like.row_splits, validate=False)


def _reduced_result(
    new: New, inputs: Any, axis: Any = None, keepdims: bool = False, *_: Any, **__: Any
) -> Tensor:
    if isinstance(inputs, RaggedTensor):
        return _ragged_reduced_result(new, inputs, keepdims)
    shape = shape_of(texts(inputs, "ReduceJoin"))
    order = _join_order(axis, len(shape))
    kept = [1 if a in order else n for a, n in enumerate(shape) if keepdims or a not in order]
    return new(kept, string)


def _ragged_reduced_result(new: New, x: RaggedTensor, keepdims: bool) -> Tensor:
    if isinstance(x.values, RaggedTensor):
        inner = _ragged_reduced_result(new, x.values, keepdims)
        return x.with_values(inner)  # type: ignore[return-value]
    return new([x._height(), 1] if keepdims else [x._height()], string)


@export("strings.reduce_join")
@takes(keepdims="bool")
@raw_op("ReduceJoin", reduction_indices="axis", keep_dims="keepdims")
@graph_operation("ReduceJoin", _reduced_result)
def reduce_join(
    inputs: Any,
    axis: Any = None,
    keepdims: bool = False,
    separator: str = "",
    name: str | None = None,
) -> Tensor:
    """Joins the strings along axes.

    Args:
      inputs: A string tensor, or a ragged tensor, which can be joined along its last axis only.
      axis: The axes, in the order in which they are joined. Defaults to all axes.
      keepdims: Whether the axes are kept, with length 1.
      separator: The text between the parts.
      name: Accepted for compatibility.

    Returns:
      A string tensor without the axes.

    Raises:
      OutOfRangeError: An axis is out of range.

    >>> tf.strings.reduce_join([["a", "b"], ["c", "d"]], axis=1).numpy()
    array([b'ab', b'cd'], dtype=object)
    """
    between = text_argument(separator).encode()
    if isinstance(inputs, RaggedTensor):
        return _reduce_join_ragged(inputs, axis, keepdims, between)
    x = texts(inputs, "ReduceJoin")._value
    order = _join_order(axis, x.ndim)
    kept = [a for a in range(x.ndim) if a not in order]
    left = [x.shape[a] for a in kept]
    table = x.transpose(kept + order[::-1]).reshape(*left, -1) if x.size else None
    shape = [1 if a in order else n for a, n in enumerate(x.shape)] if keepdims else left
    count = math.prod(left)
    if table is None:
        return strings([b""] * count, shape)
    return strings((between.join(row) for row in table.reshape(count, -1)), shape)


def _join_order(axis: Any, rank: int) -> list[int]:
    """Returns the axes to join along, in order."""
    if axis is None:
        return list(range(rank))[::-1]
    order = [int(a) for a in whole(axis).reshape(-1)]
    for a in order:
        if not -rank <= a < rank:
            raise OutOfRangeError(
                None,
                None,
                f"Invalid reduction dimension {a} for input with {rank} dimension(s) "
                "[Op:ReduceJoin]",
            )
    if len({a % rank for a in order}) < len(order):
        raise invalid(f"Duplicate reduction dimension in {order} [Op:ReduceJoin]")
    return [a % rank for a in order]


def _reduce_join_ragged(x: RaggedTensor, axis: Any, keepdims: bool, between: bytes) -> Tensor:
    rank = len(x.shape)
    last = x.ragged_rank == rank - 1
    if not last or axis is None or int(np.asarray(axis)) not in (-1, rank - 1):
        raise invalid(
            f"tf.strings.reduce_join: ragged `inputs` can be joined along their last axis, "
            f"{rank - 1}; got axis={axis}"
        )
    if isinstance(x.values, RaggedTensor):
        inner = _reduce_join_ragged(x.values, -1, keepdims, between)
        return x.with_values(inner)  # type: ignore[return-value]
    splits = np.asarray(x.row_splits)
    flat = texts(x.values, "ReduceJoin")._value
    shape = [len(splits) - 1, 1] if keepdims else [len(splits) - 1]
    ends = zip(splits[:-1].tolist(), splits[1:].tolist(), strict=True)
    return strings((between.join(flat[a:b]) for a, b in ends), shape)


def _segments_result(
    new: New, inputs: Any, segment_ids: Any, num_segments: Any, *_: Any, **__: Any
) -> Tensor:
    rest = shape_of(texts(inputs, "UnsortedSegmentJoin", segment_ids))[
        len(shape_of(convert_to_tensor(segment_ids))) :
    ]
    known = not has_symbols(num_segments)
    return new([int(whole(num_segments)) if known else None, *rest], string)


@export("strings.unsorted_segment_join")
@raw_op("UnsortedSegmentJoin")
@graph_operation("UnsortedSegmentJoin", _segments_result)
def unsorted_segment_join(
    inputs: Any, segment_ids: Any, num_segments: Any, separator: str = "", name: str | None = None
) -> Tensor:
    """Joins the strings of each segment.

    Args:
      inputs: A string tensor.
      segment_ids: The segment id of each slice of `inputs`; its shape is a prefix of the shape of
        `inputs`.
      num_segments: The number of segments.
      separator: The text between the parts.
      name: Accepted for compatibility.

    Returns:
      A string tensor with a row for each segment.

    Raises:
      InvalidArgumentError: A segment id is not in [0, num_segments), or the shapes are
        incompatible.
    """
    x, ids, count = (
        texts(inputs, "UnsortedSegmentJoin", segment_ids)._value,
        whole(segment_ids),
        int(whole(num_segments)),
    )
    if x.shape[: ids.ndim] != ids.shape:
        raise invalid(
            f"segment_ids must be a prefix of data shape: {list(ids.shape)} vs. {list(x.shape)} "
            "[Op:UnsortedSegmentJoin]"
        )
    if ids.size and not 0 <= ids.min() <= ids.max() < count:
        raise invalid(
            "segment_ids are not allowed to exceed num_segments or to have negative values. "
            "[Op:UnsortedSegmentJoin]",
            About.VALUES,
        )
    rest = x.shape[ids.ndim :]
    table = x.reshape(ids.size, -1)
    between = separator.encode()
    found = [
        between.join(column)
        for segment in range(count)
        for column in table[ids.reshape(-1) == segment].T
    ]
    return strings(found, (count, *rest))


@overload
def split(
    input: str | bytes, sep: Any = None, maxsplit: int = -1, name: str | None = None
) -> Tensor: ...
@overload
def split(
    input: list[Any], sep: Any = None, maxsplit: int = -1, name: str | None = None
) -> RaggedTensor: ...
@overload
def split(
    input: Any, sep: Any = None, maxsplit: int = -1, name: str | None = None
) -> Tensor | RaggedTensor: ...
@export("strings.split")
def split(
    input: Any,
    sep: Any = None,
    maxsplit: int = -1,
    name: str | None = None,
) -> Tensor | RaggedTensor:
    """Splits strings.

    Args:
      input: A string tensor, which may be ragged.
      sep: The separator. Defaults to any sequence of white space.
      maxsplit: The maximum number of splits, or -1 for no limit.
      name: Accepted for compatibility.

    Returns:
      A ragged tensor with the parts along a new last axis, or a vector if `input` is a scalar.

    >>> tf.strings.split(["a b", "c"]).to_list()
    [[b'a', b'b'], [b'c']]
    """
    by = text_argument("" if sep is None else sep).encode() or None

    attributes = {"sep": by or b"", "maxsplit": maxsplit}
    return split_up(lambda text: text.split(by, maxsplit), input, "StringSplitV2", **attributes)


@export("strings.bytes_split")
def bytes_split(input: Any, name: str | None = None) -> Tensor | RaggedTensor:
    """Splits strings into their bytes.

    Args:
      input: A string tensor, which may be ragged.
      name: Accepted for compatibility.

    Returns:
      A ragged tensor with the bytes along a new last axis, or a vector if `input` is a scalar.

    >>> tf.strings.bytes_split("abc").numpy()
    array([b'a', b'b', b'c'], dtype=object)
    """
    return split_up(
        lambda text: [text[i : i + 1] for i in range(len(text))], input, "StringSplitBytes"
    )


def split_up(
    parts: Callable[[bytes], list[bytes]], value: Any, op: str, **attributes: Any
) -> Tensor | RaggedTensor:
    """Splits each string into parts along a new last axis."""

    def result(new: New, x: Tensor) -> Any:
        return unknown_rows(new, shape_of(x), object, counted=False)[0]

    def run(x: Tensor) -> Any:
        return _split_up(parts, x._value)

    def split(x: Any) -> Any:
        return run_whole(op, result, run, convert_to_tensor(x, string), **attributes)

    return on_values(split, value)


def _split_up(parts: Callable[[bytes], list[bytes]], array: Array) -> Any:
    if not array.ndim:
        found = parts(array.item())
        return strings(found, [len(found)])
    lists = [parts(text) for text in array.flat]
    flat = [part for found in lists for part in found]
    return rows(strings(flat, [len(flat)]), [len(found) for found in lists], array.shape)


@export("strings.lower")
@takes(encoding="string")
@raw_op("StringLower")
def lower(input: Any, encoding: str = "", name: str | None = None) -> Tensor:
    """Returns strings in lower case.

    Args:
      input: A string tensor.
      encoding: "utf-8" for all Unicode letters. By default, only ASCII letters are changed.
      name: Accepted for compatibility.

    Returns:
      A string tensor of the shape of `input`.

    >>> tf.strings.lower("ABC").numpy()
    b'abc'
    """
    return _cased(bytes.lower, str.lower, input, encoding, "StringLower")


@export("strings.upper")
@takes(encoding="string")
@raw_op("StringUpper")
def upper(input: Any, encoding: str = "", name: str | None = None) -> Tensor:
    """Returns strings in upper case.

    Args:
      input: A string tensor.
      encoding: "utf-8" for all Unicode letters. By default, only ASCII letters are changed.
      name: Accepted for compatibility.

    Returns:
      A string tensor of the shape of `input`.

    >>> tf.strings.upper("abc").numpy()
    b'ABC'
    """
    return _cased(bytes.upper, str.upper, input, encoding, "StringUpper")


def _cased(
    ascii_case: Callable[[bytes], bytes],
    case: Callable[[str], str],
    value: Any,
    encoding: str,
    op: str,
) -> Tensor:
    if encoding not in ("", "utf-8"):
        raise invalid(f"only utf-8 or '' (no encoding) is supported, received {encoding} [Op:{op}]")
    if not encoding:
        return each(ascii_case, value, op)
    return each(
        lambda text: case(text.decode("utf-8", "replace")).encode(), value, op, encoding=encoding
    )


@export("strings.strip")
@raw_op("StringStrip")
def strip(input: Any, name: str | None = None) -> Tensor:
    """Removes white space at the ends of strings.

    Args:
      input: A string tensor.
      name: Accepted for compatibility.

    Returns:
      A string tensor of the shape of `input`.

    >>> tf.strings.strip(["  a ", "b"]).numpy()
    array([b'a', b'b'], dtype=object)
    """
    return each(lambda text: text.strip(WHITESPACE), input, "StringStrip")


@export("strings.length")
@takes(unit="string")
@raw_op("StringLength")
def length(input: Any, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """Returns the lengths of strings, int32.

    Args:
      input: A string tensor.
      unit: "BYTE", or "UTF8_CHAR" for code points.
      name: Accepted for compatibility.

    Returns:
      An int32 tensor of the shape of `input`.

    >>> tf.strings.length(["a", "abc"]).numpy()
    array([1, 3], dtype=int32)
    """
    one_of(unit, UNITS, "unit", "StringLength")
    count = len if unit == "BYTE" else _characters
    return each(count, input, "StringLength", np.int32, unit=unit)


def _characters(text: bytes) -> int:
    return sum(byte & 0xC0 != 0x80 for byte in text)


@export("strings.substr")
@takes(unit="string")
@raw_op("Substr")
def substr(
    input: Any,
    pos: Any,
    len: Any,  # noqa: A002 (TensorFlow's name)
    unit: str = "BYTE",
    name: str | None = None,
) -> Tensor:
    """Returns substrings.

    Args:
      input: A string tensor.
      pos: The starts of the substrings; a negative number counts from the end. Its shape broadcasts
        with the shape of `input`.
      len: The maximum lengths of the substrings, of the shape of `pos`.
      unit: The unit of `pos` and `len`: "BYTE", or "UTF8_CHAR" for code points.
      name: Accepted for compatibility.

    Returns:
      A string tensor of the shape of `input`.

    Raises:
      InvalidArgumentError: A substring begins outside of its string, or the shapes are
        incompatible.

    >>> tf.strings.substr(["hello"], 1, 3).numpy()
    array([b'ell'], dtype=object)
    """
    one_of(unit, UNITS, "unit", "Substr")
    if isinstance(input, RaggedTensor):
        return on_values(lambda x: substr(x, pos, len, unit), input)
    return _substr(texts(input, "Substr"), _numbers(pos), _numbers(len), unit)


def _numbers(value: Any) -> Tensor:
    return value if isinstance(value, Tensor) else convert_to_tensor(value, dtype_hint=int32)


def _substr_result(new: New, x: Tensor, pos: Tensor, count: Tensor, unit: str) -> Tensor:
    return new(broadcast_shapes(shape_of(x), shape_of(pos)), string)


@graph_operation("Substr", _substr_result)
def _substr(x_: Tensor, pos: Tensor, count: Tensor, unit: str) -> Tensor:
    starts, counts = whole(pos), whole(count)
    if starts.shape != counts.shape:
        raise invalid(
            f"pos and len should have the same shape, got: {list(starts.shape)} vs. "
            f"{list(counts.shape)} [Op:Substr]"
        )
    x = x_._value
    try:
        found = np.broadcast_arrays(x, starts, counts)
    except ValueError:
        raise invalid(
            f"Incompatible shapes: {list(x.shape)} vs. {list(starts.shape)} [Op:Substr]"
        ) from None
    arguments = enumerate(zip(*[array.flat for array in found], strict=True))
    cut = _part if unit == "BYTE" else _part_of_characters
    return strings((cut(place, *row) for place, row in arguments), found[0].shape)


def _part(place: int, text: bytes, start: int, count: int) -> bytes:
    size = len(text)
    if not -size <= start <= size:
        raise invalid(
            f"pos {start} out of range for string b'{text.decode('utf-8', 'backslashreplace')}' at "
            f"index {place} [Op:Substr]",
            About.VALUES,
        )
    begin = start + size if start < 0 else start
    return text[begin:] if count < 0 else text[begin : begin + count]


def _part_of_characters(place: int, text: bytes, start: int, count: int) -> bytes:
    characters = text.decode("utf-8", "surrogateescape")
    size = len(characters)
    if not -size <= start <= size:
        raise invalid(
            f"pos {start} out of range for string at index {place} [Op:Substr]", About.VALUES
        )
    begin = start + size if start < 0 else start
    part = characters[begin:] if count < 0 else characters[begin : begin + count]
    return part.encode("utf-8", "surrogateescape")


@export("strings.format")
@raw_op("StringFormat")
@each_run("StringFormat", specs=lambda *args, **kwargs: (((), np.dtype(object)),))
def format(
    template: str, inputs: Any, placeholder: str = "{}", summarize: int = 3, name: str | None = None
) -> Tensor:
    """Replaces the placeholders in a string by the printed forms of tensors.

    Args:
      template: The string, with placeholders.
      inputs: A tensor, or a list with one for each placeholder.
      placeholder: The text that is replaced by a tensor.
      summarize: The number of elements to show at each end of an axis; -1 for all.
      name: Accepted for compatibility.

    Returns:
      A scalar string tensor.

    Raises:
      ValueError: The numbers of tensors and placeholders differ.

    >>> tf.strings.format("x: {}", tf.constant([1, 2])).numpy()
    b'x: [1 2]'
    """
    values = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    pieces = template.split(placeholder)
    if len(pieces) - 1 != len(values):
        raise ValueError(
            f"The template expects {len(pieces) - 1} tensors, but the inputs only has "
            f"{len(values)}. Please ensure the number of placeholders in template matches inputs "
            "length."
        )
    shown: list[str] = []
    for value in values:
        print_(tensor(value), output_stream=shown.append, summarize=summarize, end="")
    text = "".join(a + b for a, b in zip(pieces, [*shown, ""], strict=True))
    return convert_to_tensor(text, string)
