"""Classes of messages, made from the descriptors that were compiled from .proto files.

gradtape's descriptors are in a separate pool: if TensorFlow is installed, too, it puts messages
with the same names into the default pool.
"""

from __future__ import annotations

import copyreg
import threading
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from google.protobuf.descriptor_pool import DescriptorPool
    from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper
    from google.protobuf.message import Message

_FILE = "descriptors.binpb"
_PACKAGES = ("tensorflow", "gradtape", "xla")
_lock = threading.RLock()
"""Held while descriptors are read and classes made: two threads must get the same classes."""


class Described(NamedTuple):
    """The contents of the .proto files.

    Attributes:
      pool: The descriptors.
      comments: The comment above each message, by its full name.
      values: The values of the enumerations that are defined outside of messages.
    """

    pool: DescriptorPool
    comments: dict[str, str]
    values: dict[str, int]


@cache
def pool() -> Described:
    """Returns the descriptors of all messages; they are read on the first call, under `_lock`."""
    from google.protobuf.descriptor_pb2 import FileDescriptorSet
    from google.protobuf.descriptor_pool import DescriptorPool

    made = Described(DescriptorPool(), {}, {})
    data = resources.files(__package__).joinpath(_FILE).read_bytes()
    for file in FileDescriptorSet.FromString(data).file:
        for place in file.source_code_info.location:
            name = f"{file.package}.{file.message_type[place.path[1]].name}"
            made.comments[name] = " ".join(place.leading_comments.split())
        made.values.update((v.name, v.number) for kind in file.enum_type for v in kind.value)
        file.ClearField("source_code_info")
        made.pool.Add(file)
    return made


def message_class(name: str, module: str) -> type[Message] | EnumTypeWrapper | int:
    """Returns the class of a message, the type of an enumeration, or one of its values.

    Args:
      name: Its name, such as "Example" or "DT_FLOAT".
      module: The module that has it as an attribute.

    Raises:
      AttributeError: There is no such message.
    """
    if name.startswith("__"):
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper
    from google.protobuf.message_factory import GetMessageClass

    with _lock:
        descriptors, said, values = pool()
        if name in values:
            return values[name]
        for package in _PACKAGES:
            full_name = f"{package}.{name}"
            try:
                made = GetMessageClass(descriptors.FindMessageTypeByName(full_name))
            except KeyError:
                continue
            _prepare(made, name, module)
            made.__doc__ = said.get(full_name)
            return made
        for package in _PACKAGES:
            try:
                return EnumTypeWrapper(descriptors.FindEnumTypeByName(f"{package}.{name}"))
            except KeyError:
                continue
    raise AttributeError(f"module {module!r} has no message {name!r}")


def _prepare(kind: Any, path: str, module: str) -> None:
    """Sets the names of a class and its nested classes, and how their messages are pickled.

    Google's library looks for nested classes in the default pool, which does not contain
    gradtape's.
    """
    from google.protobuf.message_factory import GetMessageClass

    kind.__module__, kind.__qualname__ = module, path
    copyreg.pickle(kind, _reduced)
    for nested in kind.DESCRIPTOR.nested_types:
        if not hasattr(kind, nested.name):  # The pure Python library lacks it.
            setattr(kind, nested.name, GetMessageClass(nested))
        _prepare(getattr(kind, nested.name), f"{path}.{nested.name}", module)


def _reduced(message: Message) -> tuple[Any, tuple[str, bytes]]:
    """Returns the function and arguments from which pickling makes a message again."""
    return _rebuilt, (message.DESCRIPTOR.full_name, message.SerializeToString())


def _rebuilt(full_name: str, data: bytes) -> Any:
    """Returns the message that was pickled."""
    from google.protobuf.message_factory import GetMessageClass

    with _lock:
        kind = GetMessageClass(pool()[0].FindMessageTypeByName(full_name))
    return kind.FromString(data)
