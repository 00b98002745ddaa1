"""Assertions about rank, shape and dtype, which don't need a tensor's values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gradtape._src.base.dispatch import implements
from gradtape._src.base.dtypes import DType, as_dtype, int32
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.ops.types.ragged_tensor import RaggedTensor
from gradtape._src.ops.types.sparse_tensor import SparseTensor


def _check_rank(x: Any, holds: bool, wanted: str, message: str | None) -> None:
    if not holds:
        shape = convert_to_tensor(x).shape
        raise ValueError(
            f"{message + '.  ' if message else ''}Tensor  must have rank {wanted}.  Received rank "
            f"{len(shape)}, shape {shape}"
        )


def _wanted(rank: Any) -> int:
    """Returns the requested rank as an integer.

    Raises:
      ValueError: `rank` is not a scalar.
      TypeError: `rank` is not an integer.
    """
    if type(rank) is int:
        return rank
    given = convert_to_tensor(rank)
    if given.dtype is not int32:
        raise TypeError(f"tensor must be of type tf.int32; got {given.dtype!r}")
    if given._value.ndim:
        raise ValueError(f"Rank must be a scalar, got shape {given.shape}.")
    return int(given._value)


def _rank(x: Any) -> int:
    return int(convert_to_tensor(x)._value.ndim)


@export("assert_rank", "debugging.assert_rank")
def assert_rank(x: Any, rank: Any, message: str | None = None, name: str | None = None) -> None:
    """Raises an error unless a tensor has the given rank.

    Args:
      x: A tensor.
      rank: The number of axes.
      message: A text that precedes the error's message.
      name: Accepted for compatibility.

    Raises:
      ValueError: The number of axes is not `rank`.

    >>> tf.debugging.assert_rank(tf.zeros((2, 3)), 2)
    """
    wanted = _wanted(rank)
    _check_rank(x, _rank(x) == wanted, f"{wanted}", message)


@export("debugging.assert_rank_at_least")
def assert_rank_at_least(
    x: Any, rank: Any, message: str | None = None, name: str | None = None
) -> None:
    """Raises an error unless a tensor has at least the given rank.

    Args:
      x: A tensor.
      rank: The minimum number of axes.
      message: A text that precedes the error's message.
      name: Accepted for compatibility.

    Raises:
      ValueError: The tensor has fewer axes.
    """
    wanted = _wanted(rank)
    _check_rank(x, _rank(x) >= wanted, f"at least {wanted}", message)


@export("debugging.assert_rank_in")
def assert_rank_in(
    x: Any, ranks: Sequence[Any], message: str | None = None, name: str | None = None
) -> None:
    """Raises an error unless the number of a tensor's axes is one of several.

    Args:
      x: A tensor.
      ranks: The allowed ranks.
      message: A text that precedes the error's message.
      name: Accepted for compatibility.

    Raises:
      ValueError: The number of axes is not `rank`.
    """
    wanted = tuple(map(int, ranks))
    _check_rank(x, _rank(x) in wanted, f"in {wanted}", message)


@export("debugging.assert_scalar")
def assert_scalar(tensor: Any, message: str | None = None, name: str | None = None) -> None:
    """Raises an error unless a tensor has no axes.

    Args:
      tensor: A tensor, or a value that can be converted to one.
      message: A text that precedes the error's message.
      name: Accepted for compatibility.

    Raises:
      ValueError: The tensor has an axis.
    """
    x = convert_to_tensor(tensor)
    if x._value.ndim:
        raise ValueError(f"{message or ''}Expected scalar shape, saw shape: {x.shape}.")


@export("debugging.assert_type")
def assert_type(
    tensor: Any, tf_type: Any, message: str | None = None, name: str | None = None
) -> None:
    """Raises an error unless a tensor has the given dtype.

    Args:
      tensor: A tensor.
      tf_type: The dtype.
      message: A text that precedes the error's message.
      name: Accepted for compatibility.

    Raises:
      TypeError: The dtype of the tensor is not `tf_type`.
    """
    _check_dtype(convert_to_tensor(tensor), tf_type, message)


@implements(assert_type, {"tensor": RaggedTensor}, {"tensor": SparseTensor})
def _assert_type_of_composite(
    tensor: Any, tf_type: Any, message: str | None = None, name: str | None = None
) -> None:
    _check_dtype(tensor, tf_type, message)


def _check_dtype(x: Any, tf_type: Any, message: str | None) -> None:
    wanted = as_dtype(tf_type)
    if x.dtype is not wanted:
        raise TypeError(f"{message or ''}tensor must be of type {wanted!r}; got {x.dtype!r}")


@export("debugging.assert_integer")
def assert_integer(x: Any, message: str | None = None, name: str | None = None) -> None:
    """Raises an error unless a tensor's dtype is an integer type.

    Args:
      x: A tensor.
      message: A text that precedes the error's message.
      name: Accepted for compatibility.

    Raises:
      TypeError: The dtype is not an integer type.
    """
    value = convert_to_tensor(x)
    if not value.dtype.is_integer:
        raise TypeError(
            f'{message or ""}Expected "x" to be integer type.  Found: tensor of dtype '
            f"{value.dtype!s}"
        )


@export("debugging.assert_same_float_dtype")
def assert_same_float_dtype(tensors: Sequence[Any] | None = None, dtype: Any = None) -> DType:
    """Raises an error unless all tensors have one floating-point dtype.

    Args:
      tensors: Tensors; None is ignored.
      dtype: The dtype that they must have. By default they must agree with each other.

    Returns:
      The common dtype; float32 if neither tensors nor a dtype are given.

    Raises:
      ValueError: The dtypes differ, or are not floating.
    """
    wanted = None if dtype is None else as_dtype(dtype)
    for x in tensors or ():
        if x is None:
            continue
        if wanted is not None and x.dtype is not wanted:
            raise ValueError(
                f"{x}, type={x.dtype!s}, must be of the same type ({wanted!s})"
                + (f" as {tensors[0]}." if tensors and dtype is None else ".")
            )
        wanted = x.dtype
    wanted = as_dtype("float32") if wanted is None else wanted
    if not wanted.is_floating:
        raise ValueError(f"Expected floating point type, got {wanted!s}.")
    return wanted


@export("debugging.is_numeric_tensor")
def is_numeric_tensor(tensor: Any) -> bool:
    """Whether an object is a tensor of numbers.

    Args:
      tensor: Any object.

    Returns:
      True for a tensor or variable of numbers.
    """
    return isinstance(tensor, TensorLike) and bool(convert_to_tensor(tensor).dtype.is_numeric)


@export("debugging.assert_proper_iterable")
def assert_proper_iterable(values: Any) -> None:
    """Raises an error unless a value is an iterable other than a tensor, array or text.

    Args:
      values: Any object.

    Raises:
      TypeError: `values` cannot be iterated over, or is a tensor, an array or text.
    """
    unwanted = (TensorLike, np.ndarray, bytes, str)
    if isinstance(values, unwanted) or not hasattr(values, "__iter__"):
        raise TypeError(
            f'Expected argument "values" to be a "proper" iterable.  Found: {type(values)}'
        )


@export("debugging.assert_shapes")
def assert_shapes(
    shapes: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> None:
    """Raises an error unless the shapes of tensors match patterns.

    Args:
      shapes: Pairs of a tensor and its shape, or a dictionary of them. A length in a shape is a
        number, None or "." for any length, or a symbol, which stands for the same number in all
        shapes. "*" or Ellipsis at the beginning stands for any number of axes.
      data: Accepted for compatibility.
      summarize: Accepted for compatibility.
      message: A text that precedes the error's message.
      name: Accepted for compatibility.

    Raises:
      ValueError: A tensor does not have the shape of its pattern.
    """
    pairs: Iterable[Any] = shapes.items() if isinstance(shapes, Mapping) else shapes
    known: dict[Any, tuple[int, str]] = {}
    for given, pattern in pairs:
        x = convert_to_tensor(getattr(given, "deref", lambda given=given: given)())
        _fit(x, pattern, known, f"{message}.  " if message else "")


def _fit(x: Tensor, pattern: Any, known: dict[Any, tuple[int, str]], prefix: str) -> None:
    what = f"Tensor shape={x.shape} dtype={x.dtype.name}"
    if not hasattr(pattern, "__iter__") and not hasattr(pattern, "__getitem__"):
        raise ValueError(
            f"{prefix}{what}.  Specified shape must be an iterable.  An iterable has the attribute "
            f"`__iter__` or `__getitem__`.  Received specified shape: {pattern}"
        )
    wanted, shape, skipped = list(pattern), list(x._value.shape), 0
    if wanted[:1] and wanted[0] in ("*", Ellipsis):
        wanted = wanted[1:]
        skipped = max(len(shape) - len(wanted), 0)
        shape = shape[skipped:]
    if len(wanted) != len(shape):
        raise ValueError(
            f"{prefix}Tensor  must have rank {'at least ' if skipped else ''}{len(wanted)}.  "
            f"Received rank {x._value.ndim}, shape {x.shape}"
        )
    for axis, (size, want) in enumerate(zip(shape, wanted, strict=True), skipped):
        if want in (None, "."):
            continue
        explicit = isinstance(want, (int, np.integer))
        number, origin = (
            (int(want), "Specified explicitly")
            if explicit
            else known.setdefault(
                want,
                (
                    size,
                    f"Specified by tensor shape={x.shape} dtype={x.dtype.name} dimension {axis}",
                ),
            )
        )
        if size != number:
            raise ValueError(
                f"{prefix}{origin}.  {what} dimension {axis} must have size {number}.  Received "
                f"size {size}, shape {x.shape}"
            )
