"""Reads messages from bytes that may come from untrusted sources."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from google.protobuf.message import Message

M = TypeVar("M", bound="Message")


class DecodeError(ValueError):
    """Bytes are not a message of the expected kind."""


def parsed(kind: type[M], data: bytes) -> M:
    """Reads the message that bytes hold.

    Args:
      kind: The class of the message.
      data: The bytes.

    Raises:
      DecodeError: The bytes hold no such message.
    """
    try:
        return kind.FromString(data)
    except _damage() as error:
        raise DecodeError(str(error)) from None


@cache
def _damage() -> tuple[type[Exception], ...]:
    """Returns the exceptions of Google's library, which has one more in pure Python."""
    from google.protobuf.message import DecodeError as Damage

    return Damage, UnicodeDecodeError
