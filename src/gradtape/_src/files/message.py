"""Messages: Python's side of protocol buffers, as far as TensorFlow's own messages need it.

A class of messages lists its fields. Objects behave as those of Google's library: fields are
attributes with defaults, repeated ones are lists, maps are dictionaries that make what is asked
for, and a part counts as there once it was given or holds something.
"""

from __future__ import annotations

import operator
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from gradtape._src.base.dtypes import as_dtype
from gradtape._src.files import wire
from gradtape._src.files.wire import DecodeError

_WHOLE = {
    "int64": (-(1 << 63), 1 << 63),
    "int32": (-(1 << 31), 1 << 31),
    "uint64": (0, 1 << 64),
    "uint32": (0, 1 << 32),
    "dtype": (-(1 << 31), 1 << 31),
    "bool": (0, 2),
}
_REAL = {"float": ("<f", "<f4"), "double": ("<d", "<f8")}
_ESCAPES = {10: "\\n", 13: "\\r", 9: "\\t", 34: '\\"', 39: "\\'", 92: "\\\\"}


@dataclass(frozen=True)
class Field:
    """One field of a class of messages.

    Args:
      number: Its number on the wire.
      name: Its name.
      kind: "int64", "float", "bytes", ..., or a class of messages.
      repeated: Whether there may be many.
      is_map: Whether it is a map from strings to messages.
      group: The name of the group of fields of which one at most is there.
    """

    number: int
    name: str
    kind: Any
    repeated: bool = False
    is_map: bool = False
    group: str | None = None

    @property
    def is_message(self) -> bool:
        """Whether its values are messages."""
        return not isinstance(self.kind, str)

    @property
    def default(self) -> bytes | str | float:
        """The value of a single field that was not given."""
        if self.kind in ("bytes", "string"):
            return b"" if self.kind == "bytes" else ""
        return 0.0 if self.kind in _REAL else 0

    def checked(self, value: Any, owner: str) -> bytes | str | float:
        """A single value as it is kept; TypeError or ValueError if it is none of this kind."""
        if self.kind == "bytes":
            if not isinstance(value, bytes):
                raise TypeError(
                    f"{owner}.{self.name} takes bytes: expected bytes, {type(value).__name__} found"
                )
            return bytes(value)
        if self.kind == "string":
            if isinstance(value, bytes):
                return value.decode()
            if not isinstance(value, str):
                raise TypeError(
                    f"{owner}.{self.name} takes a string: expected str, {type(value).__name__} "
                    "found"
                )
            return value
        if self.kind in _REAL:
            if isinstance(value, (str, bytes)):
                raise TypeError(f"must be real number, not {type(value).__name__}")
            number = float(value)
            with np.errstate(over="ignore"):
                return float(np.float32(number)) if self.kind == "float" else number
        return self._whole(value, owner)

    def _whole(self, value: Any, owner: str) -> int:
        if isinstance(value, (bool, np.bool_)) and self.kind != "bool":
            raise TypeError(f"Field {owner}.{self.name}: Expected an int, got a boolean.")
        number = int(value) if self.kind == "bool" else operator.index(value)
        low, high = _WHOLE[self.kind]
        if not low <= number < high:
            raise ValueError(f"Value out of range: {number}")
        return bool(number) if self.kind == "bool" else number


class _List(list[Any]):
    """The values of a repeated field."""

    def __init__(self, field: Field, owner: str, values: Iterable[Any] = ()) -> None:
        super().__init__()
        self._field, self._owner = field, owner
        self.extend(values)

    def _checked(self, value: Any) -> Any:
        return self._field.checked(value, self._owner)

    def append(self, value: Any) -> None:
        super().append(self._checked(value))

    def extend(self, values: Iterable[Any]) -> None:
        try:
            items = values.tolist() if isinstance(values, np.ndarray) else iter(values)
        except TypeError:
            raise TypeError(f"{self._owner}.{self._field.name}: must assign iterable") from None
        super().extend([self._checked(value) for value in items])

    def insert(self, index: Any, value: Any) -> None:
        super().insert(index, self._checked(value))

    def __setitem__(self, index: Any, value: Any) -> None:
        many = isinstance(index, slice)
        super().__setitem__(
            index, [self._checked(v) for v in value] if many else self._checked(value)
        )

    def __iadd__(self, values: Iterable[Any]) -> Self:  # type: ignore[misc]
        self.extend(values)
        return self

    def MergeFrom(self, other: Iterable[Any]) -> None:
        """Appends items, like `extend`."""
        self.extend(other)


class _Messages(_List):
    """The messages of a repeated field."""

    def _checked(self, value: Any) -> Any:
        return _message(self._field, value)

    def add(self, **values: Any) -> Message:
        """Appends a new message and returns it."""
        made: Message = self._field.kind(**values)
        list.append(self, made)
        return made


class _Map(dict[str, "Message"]):
    """A map from strings to messages, which makes those that are asked for."""

    def __init__(self, field: Field, values: Mapping[Any, Any] | None = None) -> None:
        super().__init__()
        self._field = field
        for key, value in (values or {}).items():
            self[self._key(key)].CopyFrom(_message(field, value))

    @staticmethod
    def _key(key: Any) -> str:
        if isinstance(key, bytes):
            return key.decode()
        if not isinstance(key, str):
            raise TypeError(f"the keys of a map of messages are strings, got {key!r}")
        return key

    def __missing__(self, key: Any) -> Message:
        made: Message = self._field.kind()
        super().__setitem__(self._key(key), made)
        return made

    def __setitem__(self, key: Any, value: Any) -> None:
        raise ValueError(
            f"Message objects may not be assigned: map[{key!r}].CopyFrom(message) copies one"
        )

    def get_or_create(self, key: str) -> Message:
        """The message of a key."""
        return self[key]

    def MergeFrom(self, other: Mapping[Any, Any]) -> None:
        """Copies all messages of another map."""
        for key, value in other.items():
            self[key].CopyFrom(value)


def _message(field: Field, value: Any) -> Any:
    if isinstance(value, field.kind):
        return value
    if isinstance(value, dict):
        return field.kind(**value)
    raise TypeError(
        "Parameter to initialize message field must be dict or instance of same class: expected "
        f"{field.kind} got {type(value)}."
    )


class Message:
    """The base of all messages.

    Args:
      **values: The fields; parts may be given as dictionaries.

    Raises:
      ValueError: There is no such field, or a number is out of range.
      TypeError: A value is of another kind than the field.
    """

    FIELDS: ClassVar[tuple[Field, ...]] = ()
    PACKAGE: ClassVar[str] = "tensorflow"
    _by_name: ClassVar[dict[str, Field]] = {}
    _by_number: ClassVar[dict[int, Field]] = {}
    __hash__ = None  # type: ignore[assignment]  # it changes

    _values: dict[str, Any]
    _explicit: bool

    def __init_subclass__(cls) -> None:
        cls._by_name = {field.name: field for field in cls.FIELDS}
        cls._by_number = {field.number: field for field in cls.FIELDS}

    def __init__(self, **values: Any) -> None:
        object.__setattr__(self, "_values", {})
        object.__setattr__(self, "_explicit", False)
        for name, value in values.items():
            field = self._field(name, ValueError)
            if value is None:
                continue
            if field.is_map:
                self._values[name] = _Map(field, value)
            elif field.repeated:
                self._values[name] = self._list(field, value)
            elif field.is_message:
                part = field.kind()
                part.CopyFrom(_message(field, value))
                part.SetInParent()
                self._values[name] = part
            else:
                setattr(self, name, value)

    def _field(self, name: str, error: type[Exception]) -> Field:
        field = self._by_name.get(name)
        if field is None:
            raise error(f'Protocol message {type(self).__name__} has no "{name}" field.')
        return field

    def _list(self, field: Field, values: Iterable[Any] = ()) -> _List:
        kind = _Messages if field.is_message else _List
        return kind(field, f"{self.PACKAGE}.{type(self).__name__}", values)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        values = self._values
        if name in values:
            return values[name]
        field = self._field(name, AttributeError)
        if field.is_map:
            values[name] = _Map(field)
        elif field.repeated:
            values[name] = self._list(field)
        elif field.is_message:
            values[name] = field.kind()
        else:
            return field.default
        return values[name]

    def __setattr__(self, name: str, value: Any) -> None:
        field = self._field(name, AttributeError)
        if field.repeated or field.is_map or field.is_message:
            what = "message" if field.is_message and not field.repeated else "repeated"
            raise AttributeError(
                f'Assignment not allowed to {what} field "{name}" in protocol message object. '
                f"Use {name}.CopyFrom or {name}.extend."
            )
        self._values.pop(name, None)  # the last of a group is the one that is there
        self._values[name] = field.checked(value, f"{self.PACKAGE}.{type(self).__name__}")

    def _is_there(self, field: Field) -> bool:
        if field.name not in self._values:
            return False
        value = self._values[field.name]
        if field.repeated or field.is_map:
            return bool(value)
        if field.is_message:
            return bool(value._explicit or value._fields_there())
        return field.group is not None or value != field.default

    def _fields_there(self) -> list[Field]:
        """The fields that are there, by number."""
        last = {
            field.group: field
            for name in self._values
            if (field := self._by_name[name]).group and self._is_there(field)
        }
        return [
            field
            for field in self.FIELDS
            if self._is_there(field) and (not field.group or last[field.group] is field)
        ]

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        mine, others = self._fields_there(), other._fields_there()
        return mine == others and all(
            self._values[field.name] == other._values[field.name] for field in mine
        )

    # Google's names from here on.

    def ListFields(self) -> list[tuple[Field, Any]]:
        """The fields that are there, and their values."""
        return [(field, self._values[field.name]) for field in self._fields_there()]

    def HasField(self, field_name: str) -> bool:
        """Whether a part or member of a group is there; ValueError for other fields."""
        if field_name in {field.group for field in self.FIELDS if field.group}:
            return self.WhichOneof(field_name) is not None
        field = self._field(field_name, ValueError)
        if field.repeated or field.is_map or not (field.is_message or field.group):
            raise ValueError(
                f"Can't test non-optional, non-submessage field \"{type(self).__name__}."
                f'{field_name}" for presence in proto3.'
            )
        return field in self._fields_there()

    def WhichOneof(self, oneof_group: str) -> str | None:
        """Which field of a group is there, None if none; ValueError if there is no such group."""
        if oneof_group not in {field.group for field in self.FIELDS if field.group}:
            raise ValueError(
                f'Protocol message {type(self).__name__} has no oneof "{oneof_group}" field.'
            )
        found = (field.name for field in self._fields_there() if field.group == oneof_group)
        return next(found, None)

    def ClearField(self, field_name: str) -> None:
        """Forgets a field."""
        self._field(field_name, ValueError)
        self._values.pop(field_name, None)

    def Clear(self) -> None:
        """Forgets all fields."""
        self._values.clear()

    def SetInParent(self) -> None:
        """Lets this part count as there although it is empty."""
        object.__setattr__(self, "_explicit", True)

    def CopyFrom(self, other: Message) -> None:
        """Takes the fields of another message of the same class."""
        if other is not self:
            self.Clear()
            self.MergeFrom(other)

    def MergeFrom(self, other: Message) -> None:
        """Takes the fields of another message; repeated ones are appended."""
        if type(other) is not type(self):
            raise TypeError(
                f"Parameter to MergeFrom() must be instance of same class: expected {type(self)} "
                f"got {type(other)}."
            )
        self.SetInParent()
        for field, value in other.ListFields():
            mine = getattr(self, field.name)
            if field.repeated and field.is_message:
                for each in value:
                    mine.add().CopyFrom(each)
            elif field.repeated:
                list.extend(mine, value)
            elif field.is_map or field.is_message:
                mine.MergeFrom(value)
            else:
                setattr(self, field.name, value)

    def ByteSize(self) -> int:
        """The number of bytes of the serialized message."""
        return len(self.SerializeToString())

    def IsInitialized(self) -> bool:
        """True: no field is required."""
        return True

    def SerializeToString(self, deterministic: bool | None = None) -> bytes:
        """The message as bytes, maps in the order of their keys."""
        return b"".join(_written(field, value) for field, value in self.ListFields())

    @classmethod
    def FromString(cls, serialized: bytes) -> Self:
        """The message that bytes hold; DecodeError if they hold none."""
        made = cls()
        made.ParseFromString(serialized)
        return made

    def ParseFromString(self, serialized: bytes) -> int:
        """Takes the fields that bytes hold.

        Returns:
          The number of bytes.

        Raises:
          DecodeError: The bytes hold no such message; this one is left empty.
        """
        self.Clear()
        return self.MergeFromString(serialized)

    def MergeFromString(self, serialized: bytes) -> int:
        """Takes the fields that bytes hold, besides those that are there."""
        data = bytes(serialized)
        try:
            self._read(data, 0)
        except (DecodeError, UnicodeDecodeError, struct.error) as error:
            self.Clear()
            raise DecodeError(
                f"Error parsing message with type '{self.PACKAGE}.{type(self).__name__}': Wire "
                f"format was corrupt ({error})"
            ) from None
        return len(data)

    def _read(self, data: bytes, depth: int) -> None:
        if depth > 100:
            raise DecodeError("messages within messages, more than a hundred deep")
        for number, kind, value in wire.fields(data):
            field = self._by_number.get(number)
            if field is None:
                continue  # of a later version
            if field.is_map:
                _read_entry(getattr(self, field.name), _bytes(kind, value), depth)
            elif field.is_message:
                part = (
                    getattr(self, field.name).add() if field.repeated else getattr(self, field.name)
                )
                part.SetInParent()
                part._read(_bytes(kind, value), depth + 1)
            elif field.repeated:
                list.extend(getattr(self, field.name), read_scalars(field.kind, kind, value))
            else:
                for found in read_scalars(field.kind, kind, value):
                    self._values.pop(field.name, None)
                    self._values[field.name] = found

    def __repr__(self) -> str:
        return "".join(f"{line}\n" for line in _lines(self, ""))

    def __deepcopy__(self, memo: Any) -> Self:
        made = type(self)()
        made.CopyFrom(self)
        return made

    __copy__ = __deepcopy__

    def __reduce__(self) -> tuple[Callable[[bytes], Any], tuple[bytes]]:
        return type(self).FromString, (self.SerializeToString(),)


def _bytes(kind: int, value: Any) -> bytes:
    if kind != wire.BYTES:
        raise DecodeError(f"wire type {kind} where bytes belong")
    given: bytes = value
    return given


def _read_entry(entries: _Map, data: bytes, depth: int) -> None:
    key, held = "", b""
    for number, kind, value in wire.fields(data):
        if number == 1:
            key = _bytes(kind, value).decode()
        elif number == 2:
            held = _bytes(kind, value)
    entries.pop(key, None)
    entries[key]._read(held, depth + 1)


def read_scalars(kind: str, wire_type: int, value: Any) -> list[Any]:
    """The numbers or the bytes that stand in a field, one or packed."""
    if kind in ("bytes", "string"):
        held = _bytes(wire_type, value)
        return [held if kind == "bytes" else held.decode()]
    if kind in _REAL:
        form, dtype = _REAL[kind]
        size = struct.calcsize(form)
        if wire_type == wire.BYTES:
            if len(value) % size:
                raise DecodeError(f"packed numbers in {len(value)} bytes")
            out: list[Any] = np.frombuffer(value, dtype).tolist()
            return out
        if wire_type != (wire.FIXED32 if size == 4 else wire.FIXED64):
            raise DecodeError(f"wire type {wire_type} where a {kind} belongs")
        return list(struct.unpack(form, value))
    if wire_type not in (wire.VARINT, wire.BYTES):
        raise DecodeError(f"wire type {wire_type} where an {kind} belongs")
    found = wire.read_varints(value) if wire_type == wire.BYTES else [wire.signed(value)]
    if kind == "int64":
        return found
    if kind == "bool":
        return [bool(each) for each in found]
    if kind in ("uint64", "uint32"):
        return [each & ((1 << (64 if kind == "uint64" else 32)) - 1) for each in found]
    return [(each + (1 << 31) & 0xFFFFFFFF) - (1 << 31) for each in found]


def _written(field: Field, value: Any) -> bytes:
    if field.is_map:
        return b"".join(
            wire.field(
                field.number,
                wire.BYTES,
                wire.field(1, wire.BYTES, key.encode())
                + wire.field(2, wire.BYTES, value[key].SerializeToString()),
            )
            for key in sorted(value)
        )
    if field.is_message:
        parts = [each.SerializeToString() for each in (value if field.repeated else [value])]
        return b"".join(wire.field(field.number, wire.BYTES, part) for part in parts)
    values = value if field.repeated else [value]
    if field.kind in ("bytes", "string"):
        held = [each if isinstance(each, bytes) else each.encode() for each in values]
        return b"".join(wire.field(field.number, wire.BYTES, each) for each in held)
    if field.kind in _REAL:
        form, dtype = _REAL[field.kind]
        if field.repeated:
            return wire.field(field.number, wire.BYTES, np.array(values, dtype).tobytes())
        kind = wire.FIXED32 if form == "<f" else wire.FIXED64
        return wire.field(field.number, kind, struct.pack(form, value))
    if field.repeated:
        plain = [wire.signed(int(each) & (1 << 64) - 1) for each in values]
        return wire.field(field.number, wire.BYTES, wire.varints(plain))
    return wire.field(field.number, wire.VARINT, wire.varint(int(value)))


def _lines(message: Message, indent: str) -> Iterator[str]:
    """The lines of a message's printed form."""
    for field, value in message.ListFields():
        if field.is_map:
            for key, part in value.items():
                yield f"{indent}{field.name} {{"
                yield f'{indent}  key: "{_escaped(key.encode())}"'
                yield f"{indent}  value {{"
                yield from _lines(part, indent + "    ")
                yield f"{indent}  }}"
                yield f"{indent}}}"
        elif field.is_message:
            for part in value if field.repeated else [value]:
                yield f"{indent}{field.name} {{"
                yield from _lines(part, indent + "  ")
                yield f"{indent}}}"
        else:
            for each in value if field.repeated else [value]:
                yield f"{indent}{field.name}: {_printed(field.kind, each)}"


def _printed(kind: str, value: Any) -> str:
    if kind in ("bytes", "string"):
        return f'"{_escaped(value if isinstance(value, bytes) else value.encode())}"'
    if kind == "bool":
        return "true" if value else "false"
    if kind == "dtype":
        names = {"float32": "FLOAT", "float64": "DOUBLE", "float16": "HALF"}
        name = as_dtype(value).name if value else "invalid"
        return f"DT_{names.get(name, name.upper())}"
    if kind not in _REAL:
        return str(value)
    digits, real = (6, np.float32) if kind == "float" else (15, np.float64)
    short = f"{value:.{digits}g}"
    same = real(short) == real(value) or value != value  # noqa: PLR0124 (NaN)
    return short if same else f"{value:.{digits + (3 if digits == 6 else 2)}g}"


def _escaped(text: bytes) -> str:
    return "".join(
        _ESCAPES.get(byte) or (chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}")
        for byte in text
    )
