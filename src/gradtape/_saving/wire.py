"""Protocol buffers as they stand in files: fields by number, read strictly and written plainly."""

from __future__ import annotations

from typing import Any

Buffer = bytes | memoryview
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


class WireError(ValueError):
    """Bytes that are not what they should be."""


def varint_at(data: Buffer, place: int) -> tuple[int, int]:
    """The number of variable length at `place`, and where it ends.

    Raises:
      WireError: It is cut off, or longer than 64 bits.
    """
    value = shift = 0
    while place < len(data):
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            if value >> 64:
                break
            return value, place
        shift += 7
        if shift > 63:
            break
    raise WireError(f"no valid number at byte {place} of {len(data)}")


def varint(value: int) -> bytes:
    """A number in variable length; negative ones as 64 bits."""
    value &= 0xFFFFFFFFFFFFFFFF
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


class Message:
    """The fields of a message by number, each with all its values in order.

    Raises:
      WireError: The bytes are no message.
    """

    def __init__(self, data: Buffer) -> None:
        self.fields: dict[int, list[int | bytes]] = {}
        place = 0
        while place < len(data):
            tag, place = varint_at(data, place)
            number, kind = tag >> 3, tag & 7
            if not 0 < number < 1 << 29:
                raise WireError(f"there is no field {number}")
            value: int | bytes
            if kind == _VARINT:
                value, place = varint_at(data, place)
            elif kind == _BYTES:
                size, place = varint_at(data, place)
                value, place = _taken(data, place, size)
            elif kind in (_FIXED32, _FIXED64):
                raw, place = _taken(data, place, 4 if kind == _FIXED32 else 8)
                value = int.from_bytes(raw, "little")
            else:
                raise WireError(f"field {number} is of the unknown kind {kind}")
            self.fields.setdefault(number, []).append(value)

    def number(self, number: int, default: int = 0) -> int:
        """A whole number, the last one said; negative ones are as in int64."""
        value = self.fields.get(number, (default,))[-1]
        if isinstance(value, bytes):
            raise WireError(f"field {number} should be a number")
        return value - (1 << 64) if value >> 63 and value > 0 else value

    def data(self, number: int, default: bytes = b"") -> bytes:
        """A string of bytes, the last one said."""
        value = self.fields.get(number, (default,))[-1]
        if not isinstance(value, bytes):
            raise WireError(f"field {number} should be bytes")
        return value

    def datas(self, number: int) -> list[bytes]:
        """All values of a repeated field of bytes."""
        values = self.fields.get(number, [])
        if not all(isinstance(value, bytes) for value in values):
            raise WireError(f"field {number} should be bytes")
        return values  # type: ignore[return-value]

    def text(self, number: int) -> str:
        """A string."""
        return as_text(self.data(number))

    def texts(self, number: int) -> list[str]:
        """All values of a repeated string."""
        return [as_text(value) for value in self.datas(number)]

    def message(self, number: int) -> Message:
        """A message within; an empty one if there is none."""
        return Message(self.data(number))

    def messages(self, number: int) -> list[Message]:
        """All values of a repeated message."""
        return [Message(value) for value in self.datas(number)]

    def __contains__(self, number: int) -> bool:
        return number in self.fields


def _taken(data: Buffer, place: int, size: int) -> tuple[bytes, int]:
    if size > len(data) - place:
        raise WireError(f"{size} bytes should follow byte {place}, and there are {len(data)} alone")
    return bytes(data[place : place + size]), place + size


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
        return varint(number << 3) + varint(int(value))
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | _BYTES) + varint(len(data)) + data


def fixed32(number: int, value: int) -> bytes:
    """A field of four bytes."""
    return varint(number << 3 | _FIXED32) + value.to_bytes(4, "little")
