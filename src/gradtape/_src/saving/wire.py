"""Messages whose fields are known by their numbers: those of checkpoints and saved models."""

from __future__ import annotations

from typing import Any

from gradtape._src.files import wire
from gradtape._src.files.wire import BYTES, FIXED32, VARINT
from gradtape._src.files.wire import DecodeError as WireError
from gradtape._src.files.wire import read_varint as varint_at
from gradtape._src.files.wire import varint as varint

__all__ = ["Message", "WireError", "as_text", "field", "fixed32", "present", "varint", "varint_at"]


class Message:
    """The fields of a message by number, each with all its values in order.

    Raises:
      WireError: The bytes are no message.
    """

    def __init__(self, data: bytes) -> None:
        self.fields: dict[int, list[int | bytes]] = {}
        for number, kind, value in wire.fields(data):
            plain = kind in (VARINT, BYTES)
            self.fields.setdefault(number, []).append(
                value if plain else int.from_bytes(value, "little")
            )

    def number(self, number: int, default: int = 0) -> int:
        """A whole number, the last one said; negative ones are as in int64."""
        if number not in self.fields:
            return default
        value = self.fields[number][-1]
        if isinstance(value, bytes):
            raise WireError(f"field {number} should be a number")
        return wire.signed(value)

    def data(self, number: int, default: bytes = b"") -> bytes:
        """A string of bytes, the last one said."""
        value = self.fields.get(number, (default,))[-1]
        if not isinstance(value, bytes):
            raise WireError(f"field {number} should be bytes")
        return value

    def all_data(self, number: int) -> list[bytes]:
        """All values of a repeated field of bytes."""
        values = self.fields.get(number, [])
        if not all(isinstance(value, bytes) for value in values):
            raise WireError(f"field {number} should be bytes")
        return values  # type: ignore[return-value]

    def text(self, number: int) -> str:
        """The string of a field."""
        return as_text(self.data(number))

    def texts(self, number: int) -> list[str]:
        """All values of a repeated string."""
        return [as_text(value) for value in self.all_data(number)]

    def message(self, number: int) -> Message:
        """A message within; an empty one if there isn't one."""
        return Message(self.data(number))

    def messages(self, number: int) -> list[Message]:
        """All values of a repeated message."""
        return [Message(value) for value in self.all_data(number)]

    def __contains__(self, number: int) -> bool:
        return number in self.fields


def as_text(data: bytes) -> str:
    """Bytes as text.

    Raises:
      WireError: They are no UTF-8.
    """
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise WireError(f"{data[:40]!r} is no text") from None


def field(number: int, value: Any) -> bytes:
    """A field: of a number, of text or bytes; nothing for 0, "" and None, the defaults."""
    return present(number, value) if value else b""


def present(number: int, value: Any) -> bytes:
    """A field that is written even if its value is the default, as an empty message within."""
    if isinstance(value, (int, bool)):
        return wire.field(number, VARINT, varint(int(value)))
    return wire.field(number, BYTES, value.encode() if isinstance(value, str) else value)


def fixed32(number: int, value: int) -> bytes:
    """A field of four bytes."""
    return wire.field(number, FIXED32, value.to_bytes(4, "little"))
