"""`tf.compat`: text and bytes, and what is left of TensorFlow 1."""

from __future__ import annotations

import os
from typing import Any

import numpy as np


def as_bytes(bytes_or_text: Any, encoding: str = "utf-8") -> bytes:
    """Text as bytes.

    Raises:
      TypeError: It is neither text nor bytes.
    """
    if isinstance(bytes_or_text, (bytes, bytearray)):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


def as_text(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """Bytes as text.

    Raises:
      TypeError: It is neither text nor bytes.
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, (bytes, bytearray)):
        return bytes_or_text.decode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


as_str = as_text


def as_str_any(value: Any, encoding: str = "utf-8") -> str:
    """Anything as text."""
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


def path_to_str(path: Any) -> Any:
    """A path object as text; anything else as it is."""
    return as_str_any(os.fspath(path)) if hasattr(path, "__fspath__") else path


class Dimension:
    """A length that may be unknown, as TensorFlow 1 had them in shapes.

    Args:
      value: The length, or None.
    """

    def __init__(self, value: Any) -> None:
        self.value = None if value is None else int(getattr(value, "value", value))

    def __int__(self) -> int:
        return int(self.value)  # type: ignore[arg-type]

    __index__ = __int__

    def __eq__(self, other: object) -> bool:
        return bool(self.value == dimension_value(other))

    def __hash__(self) -> int:
        return hash(self.value)

    def __repr__(self) -> str:
        return f"Dimension({self.value})"


def dimension_value(dimension: Any) -> Any:
    """A length as a Python integer or None."""
    if isinstance(dimension, Dimension):
        return dimension.value
    return int(dimension) if isinstance(dimension, np.integer) else dimension


def reset_default_graph() -> None:
    """Forgets the operations of the default graph: operations run at once and none is kept."""


def enable_eager_execution(
    config: Any = None, device_policy: Any = None, execution_mode: Any = None
) -> None:
    """Makes operations run at once, as they always do here."""


def enable_v2_behavior() -> None:
    """Switches to TensorFlow 2's ways, the only ones here."""
