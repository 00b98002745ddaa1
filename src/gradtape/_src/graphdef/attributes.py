"""The attributes of a node as Python values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gradtape._src.base.dtypes import DType, as_dtype
from gradtape._src.base.shapes import TensorShape
from gradtape._src.raw.op_definitions import Attribute, OpDefinition

_REFERENCES = 100  # a reference dtype's number minus that of the dtype it refers to


class Unsupported(Exception):  # noqa: N818 (the reader of nodes catches and reports it)
    """gradtape can't run a node; the message says why."""


def dtype_of_number(number: int) -> DType:
    """Returns the dtype of a number in a message.

    Raises:
      TypeError: No dtype has this number.
    """
    return as_dtype(number - _REFERENCES if number > _REFERENCES else number)


def shape_of_message(message: Any) -> TensorShape:
    """Converts a `TensorShapeProto` to a shape."""
    if message.unknown_rank:
        return TensorShape(None)
    return TensorShape([None if dim.size < 0 else dim.size for dim in message.dim])


class Attributes:
    """The attributes of a node, with the defaults of its operation.

    Args:
      given: The messages of the node, `AttrValue`s by name.
      operation: The definition of its operation; None for a call of a function by its name.
    """

    def __init__(self, given: Mapping[str, Any], operation: OpDefinition | None) -> None:
        self._given = given
        self._known: Mapping[str, Attribute] = {} if operation is None else operation.attributes

    def __contains__(self, name: str) -> bool:
        return name in self._given

    def __getitem__(self, name: str) -> Any:
        if name in self._given:
            return value_of(self._given[name])
        known = self._known.get(name)
        if known is None or not known.has_default:
            raise ValueError(f"the attribute {name!r} is missing")
        return _of_default(known)

    def get(self, name: str, otherwise: object = None) -> Any:
        """Returns the value of an attribute, or `otherwise` if the node has none of this name."""
        return self[name] if name in self._given or name in self._known else otherwise

    def text(self, name: str) -> str:
        """Returns the value of an attribute that is text."""
        return str(self[name].decode())

    def function(self, name: str) -> str:
        """Returns the name of the function in an attribute."""
        found = self[name]
        if not isinstance(found, FunctionName):
            raise ValueError(f"the attribute {name!r} is not a function")
        return found


class FunctionName(str):
    """The value of an attribute that is a function: its name."""

    __slots__ = ()


def value_of(message: Any) -> Any:
    """Returns the value of an `AttrValue`: numbers, bytes, `DType`s, `TensorShape`s, lists of them.

    A tensor stays a `TensorProto`; a function is a `FunctionName`.

    Raises:
      Unsupported: The value refers to an attribute of the surrounding function.
      ValueError: The message is empty.
    """
    kind = message.WhichOneof("value")
    if kind is None:
        raise ValueError("an attribute has no value")
    if kind == "placeholder":
        raise Unsupported("functions with attributes of their own are not supported")
    if kind == "list":
        return [_READ.get(f.name, _same)(x) for f, xs in message.list.ListFields() for x in xs]
    return _READ.get(kind, _same)(getattr(message, kind))


def _same(value: Any) -> Any:
    return value


_READ: dict[str, Callable[[Any], Any]] = {
    "type": dtype_of_number,
    "shape": shape_of_message,
    "func": lambda message: FunctionName(message.name),
}


def _of_default(known: Attribute) -> Any:
    """Returns an operation's default in the form of `value_of`."""
    if known.kind.startswith("list("):
        return [_DEFAULTS.get(known.kind[5:-1], _same)(x) for x in known.default]
    return _DEFAULTS.get(known.kind, _same)(known.default)


_DEFAULTS: dict[str, Callable[[Any], Any]] = {
    "type": as_dtype,
    "shape": TensorShape,
    "string": lambda text: text.encode("latin-1"),
    "func": FunctionName,
}
