"""Helpers for operations on strings, which are stored as object arrays of bytes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import int64, string
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import are_direct, input_of
from gradtape._src.declare.graph_operations import New, like_input, run_whole
from gradtape._src.ops.types.ragged_tensor import RaggedTensor

Array = np.ndarray[Any, Any]
WHITESPACE = b" \t\n\v\f\r"


def texts(value: Any, op: str, *others: Any) -> Tensor:
    """Returns an argument, the operation's first, as a string tensor.

    Args:
      value: The argument.
      op: The operation, for messages.
      *others: The operation's other inputs.

    Raises:
      InvalidArgumentError: `value` is a tensor of another dtype.
      TypeError: `value` holds something other than strings.
    """
    return input_of(op, 0, value, string, direct=are_direct(*others))


def strings(values: Any, shape: Sequence[int]) -> Tensor:
    """Returns a string tensor of a flat sequence of bytes objects."""
    out = np.empty(tuple(shape), object)
    for place, value in enumerate(values):
        out.flat[place] = value
    return Tensor(out)


def text_argument(value: Any) -> str:
    """Returns a text argument, given as `str`, `bytes` or a scalar tensor."""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    held = convert_to_tensor(value, string)._value
    return str(held.item().decode("utf-8", "surrogateescape"))


def each(
    function: Callable[[bytes], Any], value: Any, op: str, dtype: Any = None, **attributes: Any
) -> Tensor:
    """Applies a function to each string; its results are strings, or numbers of a NumPy dtype.

    The rows of a ragged tensor are kept.

    Args:
      function: A function of the bytes of a string.
      value: A string tensor, which may be ragged.
      op: TensorFlow's name of the operation.
      dtype: The dtype of the results, or None for strings.
      **attributes: The operation's other inputs and attributes; see `run_whole`.
    """
    result = like_input(np.dtype(object if dtype is None else dtype))

    def run(x: Tensor) -> Tensor:
        return _each(function, x._value, dtype)

    return on_values(lambda x: run_whole(op, result, run, texts(x, op), **attributes), value)


def _each(function: Callable[[bytes], Any], array: Array, dtype: Any) -> Tensor:
    if dtype is None:
        return strings(map(function, array.flat), array.shape)
    out = np.empty(array.shape, dtype)
    for place, item in enumerate(array.flat):
        out.flat[place] = function(item)
    return Tensor(out[()])


def on_values(function: Callable[[Any], Tensor], value: Any) -> Tensor:
    """Calls a function on a tensor or on the innermost values of a ragged tensor."""
    if not isinstance(value, RaggedTensor):
        return function(value)
    return value.with_values(on_values(function, value.values))  # type: ignore[return-value]


def unknown_rows(new: New, shape: Sequence[Any], *dtypes: Any, counted: bool = True) -> list[Any]:
    """Returns symbolic results of `rows` for each dtype, for lengths that depend on values.

    Args:
      new: See `graph_operation`.
      shape: The shape of the tensor whose elements become rows; a scalar becomes a vector.
      dtypes: NumPy dtypes of the values.
      counted: Whether the graph knows the number of rows for the elements of a vector.
    """
    if not shape:
        count = new([None], np.int64)._value.shape
        return [new(count, np.dtype(dtype)) for dtype in dtypes]
    total: Any = None if any(type(n) is not int for n in shape) else math.prod(shape)
    if len(shape) == 1 and counted:
        total = shape[0]
    elif len(shape) == 1:
        total = None
    splits = new([None if total is None else total + 1], _INT)
    outer = []
    for axis in range(len(shape) - 1):
        known = all(type(n) is int for n in shape[: axis + 1])
        outer.append(new([math.prod(shape[: axis + 1]) + 1 if known else None], _INT))
    count = new([None], _INT)._value.shape
    found: list[Any] = []
    for dtype in dtypes:
        inner: Any = RaggedTensor(new(count, np.dtype(dtype)), splits)
        for axis in reversed(range(len(shape) - 1)):
            n = shape[axis + 1]
            inner = RaggedTensor(inner, outer[axis], n if type(n) is int else None)
        found.append(inner)
    return found


_INT = np.dtype(np.int64)


def rows(values: Any, lengths: Sequence[int], shape: Sequence[int] = ()) -> RaggedTensor:
    """Returns the ragged tensor with the given row lengths.

    Args:
      values: The concatenated rows.
      lengths: The length of the row for each element of an array of shape `shape`.
      shape: The shape of the array. Defaults to a vector.
    """
    found = RaggedTensor.from_row_lengths(values, np.array(lengths, np.int64), validate=False)
    for axis in range(len(shape) - 1, 0, -1):
        size, count = shape[axis], math.prod(shape[:axis])
        splits = np.arange(count + 1, dtype=np.int64) * size
        found = RaggedTensor(found, Tensor(splits), size)
    return found


def whole(value: Any) -> Array:
    """Returns an integer argument as an int64 array."""
    given = value._value if isinstance(value, Tensor) else None
    if given is not None and given.dtype.kind in "iu":
        return np.asarray(given, np.int64)
    return np.asarray(convert_to_tensor(value, int64)._value)
