"""Reading messages of bytes that may come from anywhere."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from google.protobuf.message import Message

M = TypeVar("M", bound="Message")


class DecodeError(ValueError):
    """Bytes are no message of the kind expected."""


def parsed(kind: type[M], data: bytes) -> M:
    """The message that bytes hold.

    Args:
      kind: The class of the message.
      data: The bytes.

    Raises:
      DecodeError: They hold no such message.
    """
    try:
        return kind.FromString(data)
    except _damage() as error:
        raise DecodeError(str(error)) from None


@cache
def _damage() -> type[Exception]:
    """What Google's library raises."""
    from google.protobuf.message import DecodeError as Damage

    return Damage
