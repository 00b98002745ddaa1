"""Converts static arguments of operations: shapes, axes and sizes."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import DType, as_dtype, int32, int64
from gradtape._src.base.error_messages import check_size, mismatch
from gradtape._src.base.errors import About, InvalidArgumentError, invalid_argument
from gradtape._src.base.python_values import NotATensorError, from_shape
from gradtape._src.base.shapes import TensorShape
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.recorder import STACK
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.core.tracebacks import shorten
from gradtape._src.declare.attributes import text
from gradtape._src.declare.unknown_sizes import Size

_INDEX_DTYPES = (int32, int64)
# Inputs of operations that take both dtypes. TensorFlow makes a tensor of any value for them, and
# then refuses its dtype; for other inputs of integers, it can't make an int32 tensor of a text.
_OF_BOTH_DTYPES = frozenset(
    ("axis", "block_shape", "crops", "dim", "dims", "multiples", "newshape", "paddings", "perm")
) | {"shape", "shift"}


def invalid(message: str, about: About = About.SHAPES) -> InvalidArgumentError | ValueError:
    """Returns an InvalidArgumentError; a ValueError if a graph of TensorFlow 1 is being made.

    Args:
      message: The message.
      about: The cause, which decides the exception that TensorFlow raises in a graph.
    """
    recorders = STACK.recorders
    if recorders and recorders[0].open_graph is not None:
        return ValueError(message)
    return invalid_argument(message, about)


def known(x: TensorLike) -> bool:
    """Whether a tensor's value is known, which does not hold during tracing and for batches."""
    return isinstance(getattr(x, "_value", None), (np.ndarray, np.generic))


_DIRECT = (TensorLike, np.ndarray, float, int)


def are_direct(*values: Any) -> bool:
    """Whether TensorFlow passes these inputs to an operation unchanged; see `input_of`.

    If one of them is a list, TensorFlow converts all of them in Python first.
    """
    return all(isinstance(value, _DIRECT) for value in values)


def input_of(op: str, place: int, value: Any, dtype: DType, *, direct: bool = True) -> Tensor:
    """Returns an input that an operation takes in one dtype only.

    Args:
      op: The operation, for messages.
      place: The input's place among the operation's inputs.
      value: The argument.
      dtype: The input's dtype.
      direct: Whether in TensorFlow the operation itself checks the dtypes of tensors, which is so
        if all inputs are direct and all attributes are exact.

    Raises:
      InvalidArgumentError: `value` is a tensor or variable of another dtype, and direct.
      TypeError: A Python value does not fit the dtype.
      ValueError: A Python value cannot be converted, or a tensor has another dtype and is not
        direct.
    """
    if direct and isinstance(value, TensorLike) and value.dtype is not dtype:
        raise mismatch(op, place, dtype, value.dtype)
    return convert_to_tensor(value, dtype)


def shown_shape(shape: Sequence[Any]) -> str:
    """Returns a shape as TensorFlow's messages show it: [2,3]."""
    return "[" + ",".join(["?" if type(n) is Size else str(n) for n in shape]) + "]"


def integers(value: Any, op: str, what: str = "shape") -> np.ndarray[Any, Any]:
    """Returns an argument of integers as an array of any rank.

    Raises:
      InvalidArgumentError: `value` holds something other than integers, or is a tensor of another
        dtype than int32 and int64.
      TypeError: `value` is a Python number that is not an integer.
      ValueError: `value` cannot be converted to a tensor.
    """
    if isinstance(value, TensorShape):
        value = from_shape(value, None).tolist()
    if isinstance(value, (list, tuple)):
        if not value:
            return np.empty(0, np.int32)
        value = [_entry(v) if isinstance(v, TensorLike) else v for v in value]
    elif isinstance(value, (bool, float)):
        value = convert_to_tensor(value, int32)
    elif isinstance(value, np.floating):  # unlike Python's, TensorFlow cuts NumPy's numbers off
        value = int(value)
    array = np.asarray(convert_to_tensor(value)._numpy())
    is_text = array.dtype.kind in "OSU" and not isinstance(value, TensorLike)
    if is_text and what not in _OF_BOTH_DTYPES:
        raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype int32 (`{what}`).")
    if array.dtype.kind == "b" and not isinstance(value, TensorLike):
        return array.astype(np.int32)  # as TensorFlow does, but not for tensors
    strict = isinstance(value, TensorLike) and value.dtype not in _INDEX_DTYPES
    if strict or array.dtype.kind not in "iu":
        if not array.size and not strict:
            return array.astype(np.int32)
        raise invalid(
            f"Value for attr of `{what}` of {array.dtype} is not in the list of allowed values: "
            f"int32, int64 [Op:{op}] (`{what}` takes integers, got {value!r})",
            About.DTYPES,
        )
    return array


def _entry(x: TensorLike) -> Any:
    """Converts a tensor in a list of integers; a floating scalar may hold an integer."""
    value = tensor(x)._numpy()
    return value if np.ndim(value) or value.dtype.kind in "iu" else int(value)


def sizes(value: Any, op: str, what: str = "shape") -> tuple[int, ...]:
    """Returns a shape argument as a tuple.

    It may be an integer, a sequence of integers or scalar tensors, a tensor, or a TensorShape.

    Raises:
      InvalidArgumentError: `value` is not a vector of integers.
    """
    if type(value) is tuple or type(value) is list:
        for n in value:
            if type(n) is not int:
                break
        else:
            return tuple(value)
    elif type(value) is int:
        return (value,)
    try:
        return _sizes(value, op, what)
    except Exception as error:
        shorten(error)
        raise


def _sizes(value: Any, op: str, what: str) -> tuple[int, ...]:
    lengths = unknown_lengths(value)
    if lengths is not None:
        return lengths
    array = integers(value, op, what)
    if array.ndim > 1:
        raise invalid(
            f"sizes input must be 1-D, not {shown_shape(array.shape)} [Op:{op}] (`{what}` is a "
            f"vector, got {value!r})"
        )
    return tuple(array.reshape(-1).tolist())


def unknown_lengths(value: Any) -> tuple[Any, ...] | None:
    """Returns a shape with symbolic lengths; None if all lengths are known."""
    if isinstance(value, TensorLike):
        found = getattr(tensor(value)._value, "elements", None)
        return None if found is None else tuple(found.reshape(-1).tolist())
    if type(value) in (list, tuple) and any(map(_is_length, value)):
        each = [unknown_lengths(v) if isinstance(v, TensorLike) else None for v in value]
        return tuple([v if e is None else e[0] for v, e in zip(value, each, strict=True)])
    return None


def _is_length(x: Any) -> bool:
    return type(x) is Size or (
        isinstance(x, TensorLike) and getattr(tensor(x)._value, "elements", None) is not None
    )


def lengths_checked(shape: tuple[int, ...], op: str, what: str = "shape") -> tuple[int, ...]:
    """Returns a shape that a tensor can have.

    Raises:
      InvalidArgumentError: A length is negative.
      ResourceExhaustedError: There is not enough memory for the elements.
    """
    for n in shape:
        if n < 0:
            raise invalid(f"Dimension {n} must be >= 0 [Op:{op}] (`{what}` is {list(shape)})")
    check_size(op, shape)
    return shape


def integer(value: Any, op: str, what: str = "axis") -> int:
    """Returns a scalar integer argument: a number, NumPy scalar or scalar tensor.

    Raises:
      TypeError: The value is not an integer.
      ValueError: A number other than an axis is None.
    """
    if type(value) is int:
        return value
    if isinstance(value, TensorLike):
        value = tensor(value)._numpy()
    if isinstance(value, np.ndarray) and value.size == 1 and value.dtype.kind in "iu":
        return int(value.reshape(()))
    if value is None and what != "axis":
        raise NotATensorError(None)
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{op}: `{what}` must be an integer, got {value!r}") from None


def scalar(value: Any, op: str, what: str = "axis", *, or_vector: bool = False) -> int:
    """Returns a scalar integer argument, which TensorFlow converts to a tensor first.

    Args:
      value: The argument.
      op: The operation, for messages.
      what: The argument, for messages.
      or_vector: Whether a vector of one integer counts as that integer.

    Raises:
      InvalidArgumentError: There are several integers, or values of another dtype.
      TypeError: The value is a Python number that is not an integer.
      ValueError: The value is None, or cannot be converted to a tensor.
    """
    if type(value) is int:
        return value
    if value is None:
        raise NotATensorError(None)
    array = integers(value, op, what)
    if array.ndim and not (or_vector and array.shape == (1,)):
        shape = shown_shape(array.shape)
        raise invalid(f"`{what}` must be a scalar, got shape {shape} [Op:{op}]")
    return int(array.reshape(()))


def index_dtype(asked: Any, default: DType, op: str, what: str = "out_type") -> DType:
    """Returns the dtype of counts or indices, int32 or int64.

    Args:
      asked: The requested dtype, or None for the default.
      default: The default of the argument.
      op: The operation, for messages.
      what: The argument, for messages.

    Raises:
      InvalidArgumentError: `asked` is neither int32 nor int64.
    """
    if asked is None:
        return default
    dtype = as_dtype(asked)
    if dtype in _INDEX_DTYPES:
        return dtype
    raise invalid(
        f"Value for attr {what!r} of {dtype.name} is not in the list of allowed values: int32, "
        f"int64 [Op:{op}]",
        About.DTYPES,
    )


def axis_index(axis: Any, rank: int, op: str, message: str, about: About = About.SHAPES) -> int:
    """Returns an axis counted from the front.

    Args:
      axis: The axis; negative ones count from the end.
      rank: The number of axes.
      op: The operation, for messages.
      message: The message for an axis out of range; may contain {axis} and {rank}.
      about: The cause of that error; values, if only TensorFlow's kernel checks the axis.

    Raises:
      InvalidArgumentError: `axis` is out of range.
    """
    i = integer(axis, op)
    if not -rank <= i < rank:
        raise invalid(message.format(axis=i, rank=rank) + f" [Op:{op}]", about)
    return i % rank


_EVERY = [tuple(range(-rank, 0)) for rank in range(65)]


def reduced(axis: Any, rank: int, op: str) -> tuple[int, ...]:
    """Returns the axes of a reduction, ascending and counted from the end.

    Args:
      axis: None for all, an integer, a sequence of them, a tensor.
      rank: The input's rank.
      op: The operation, for messages.

    Raises:
      InvalidArgumentError: An axis is out of range or occurs twice.
    """
    try:
        if axis is None:
            return _EVERY[rank]
        if type(axis) is int:
            if -rank <= axis < rank:
                return (axis - rank if axis >= 0 else axis,)
            return _reduced((axis,), rank, op)
        return _reduced(tuple(integers(axis, op, "axis").reshape(-1).tolist()), rank, op)
    except Exception as error:
        shorten(error)
        raise


@lru_cache(4096)
def _reduced(axes: tuple[int, ...], rank: int, op: str) -> tuple[int, ...]:
    found: list[int] = []
    for axis in axes:
        if not -rank <= axis < rank:
            raise invalid(
                f"Invalid reduction dimension ({axis} for input with {rank} dimension(s)"
                f" [Op:{op}] (`axis` must lie in [{-rank}, {rank}))"
            )
        place = axis - rank if axis >= 0 else axis
        if place in found:
            raise invalid(
                f"Invalid reduction arguments: Axes contains duplicate dimension: {axis} [Op:{op}]"
            )
        found.append(place)
    return tuple(sorted(found))


def one_of(value: Any, allowed: Sequence[str], attribute: str, op: str) -> str:
    """Returns an argument after checking that it is one of the allowed words."""
    word = text(attribute, value)
    if word not in allowed:
        words = ", ".join(f'"{word}"' for word in allowed)
        raise invalid(
            f"Value for attr '{attribute}' of \"{word}\" is not in the list of allowed values: "
            f"{words} [Op:{op}]",
            About.ATTRIBUTES,
        )
    return word
