"""Reads messages from bytes that may come from untrusted sources."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from google.protobuf.message import Message

M = TypeVar("M", bound="Message")


class DecodeError(ValueError):
    """Raised if bytes are not a message of the expected kind."""


def parsed(kind: type[M], data: bytes) -> M:
    """Parses bytes as a message.

    Args:
      kind: The class of the message.
      data: The bytes.

    Raises:
      DecodeError: The bytes are not a message of this class.
    """
    try:
        return kind.FromString(data)
    except _damage() as error:
        raise DecodeError(str(error)) from None


@cache
def _damage() -> tuple[type[Exception], ...]:
    """Returns the exceptions that Google's library raises for damaged messages."""
    from google.protobuf.message import DecodeError as Damage

    return Damage, UnicodeDecodeError
