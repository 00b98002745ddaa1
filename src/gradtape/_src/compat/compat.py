"""`tf.compat`: text and bytes, and classes and functions from TensorFlow 1."""

from __future__ import annotations

import datetime as dt
import numbers
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar, overload

import numpy as np

from gradtape._src.base.export import export, export_value
from gradtape._src.base.name_scope import name_scope
from gradtape._src.base.shapes import Dimension, TensorShape

T = TypeVar("T")


@export("compat.as_bytes")
def as_bytes(bytes_or_text: Any, encoding: str = "utf-8") -> bytes:
    """Converts text to bytes.

    Args:
      bytes_or_text: Bytes or text.
      encoding: The encoding of the text.

    Returns:
      Bytes.

    Raises:
      TypeError: `bytes_or_text` is neither text nor bytes.
    """
    if isinstance(bytes_or_text, (bytes, bytearray)):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


@export("compat.as_text")
def as_text(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """Converts bytes to text.

    Args:
      bytes_or_text: Bytes or text.
      encoding: The encoding of the bytes.

    Returns:
      Text.

    Raises:
      TypeError: `bytes_or_text` is neither text nor bytes.

    >>> tf.compat.as_text(b"text"), tf.compat.as_bytes("text")
    ('text', b'text')
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, (bytes, bytearray)):
        return bytes_or_text.decode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


as_str = as_text


@export("compat.as_str_any")
def as_str_any(value: Any, encoding: str = "utf-8") -> str:
    """Converts any value to text.

    Args:
      value: Any value; bytes are decoded.
      encoding: The encoding of the bytes.

    Returns:
      Text.
    """
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


@overload
def path_to_str(path: os.PathLike[Any]) -> str: ...
@overload
def path_to_str(path: T) -> T: ...
@export("compat.path_to_str")
def path_to_str(path: object) -> object:
    """Converts a path object to text; other values are returned unchanged.

    Args:
      path: A path object, or any other value.

    Returns:
      Text for a path object, else the value.
    """
    return as_str_any(os.fspath(path)) if hasattr(path, "__fspath__") else path


@export("compat.dimension_value", "compat.v1.dimension_value")
def dimension_value(dimension: Any) -> int | None:
    """Converts a length to a Python integer or None.

    Args:
      dimension: A `Dimension`, an integer or None.

    Returns:
      The length, or None.
    """
    if isinstance(dimension, Dimension):
        return dimension.value
    return int(dimension) if isinstance(dimension, np.integer) else dimension


@export("compat.dimension_at_index", "compat.v1.dimension_at_index")
def dimension_at_index(shape: TensorShape, index: int) -> Dimension:
    """Returns a length of a shape as a `Dimension`, as in TensorFlow 1.

    Args:
      shape: A TensorShape.
      index: The axis.

    Returns:
      A `Dimension`, which is unknown for a shape of unknown rank.

    Raises:
      IndexError: The shape has no such axis.
    """
    assert isinstance(shape, TensorShape)
    return Dimension(None if shape.rank is None else shape.as_list()[index])


_HORIZON = dt.date(2026, 1, 16)  # the horizon of TensorFlow 2.21
_horizon = ContextVar("_horizon", default=_HORIZON)


@export("compat.forward_compatible", "compat.v1.forward_compatible")
def forward_compatible(year: int, month: int, day: int) -> bool:
    """Returns whether a program may rely on behaviour that was announced for a date.

    Args:
      year: The year, such as 2026.
      month: The month, from 1 to 12.
      day: The day of the month.

    Returns:
      Whether the date lies before the horizon, which is that of TensorFlow 2.21.
    """
    return _horizon.get() > dt.date(year, month, day)


@export("compat.forward_compatibility_horizon", "compat.v1.forward_compatibility_horizon")
@contextmanager
def forward_compatibility_horizon(year: int, month: int, day: int) -> Iterator[None]:
    """Moves the horizon of `forward_compatible` within a `with` statement.

    Args:
      year: The year, such as 2026.
      month: The month, from 1 to 12.
      day: The day of the month.

    Returns:
      A context manager.
    """
    token = _horizon.set(dt.date(year, month, day))
    try:
        yield
    finally:
        _horizon.reset(token)


@export("compat.v1.name_scope")
@contextmanager
def v1_name_scope(
    name: str | None, default_name: str | None = None, values: Any = None
) -> Iterator[str]:
    """Enters a name scope, with TensorFlow 1's arguments.

    Args:
      name: The name. None means `default_name`, or, without that, leaves all scopes.
      default_name: The name that an operation has by default.
      values: Accepted for compatibility.

    Returns:
      A context manager that returns the name of the scope.

    Raises:
      TypeError: Both names are None, and there are values.
    """
    chosen = default_name if name is None else name
    if chosen is None and values is not None:
        raise TypeError("name_scope takes a name, or a default_name if `name` is None")
    with name_scope(chosen or "") as scope:
        yield scope


integral_types = (numbers.Integral, np.integer)
real_types = (numbers.Real, np.integer, np.floating)
complex_types = (numbers.Complex, np.number)
bytes_or_text_types = (bytes, str)


export_value(as_str, "compat.as_str")
export_value(bytes_or_text_types, "compat.bytes_or_text_types")
export_value(complex_types, "compat.complex_types")
export_value(integral_types, "compat.integral_types")
export_value(real_types, "compat.real_types")
