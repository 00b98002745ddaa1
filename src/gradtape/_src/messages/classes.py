"""Classes of messages, made of the descriptors that were compiled from the .proto texts.

The descriptors lie in a pool of our own, since TensorFlow, where it is installed too, puts
messages of the same names into Google's.
"""

from __future__ import annotations

import copyreg
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from google.protobuf.descriptor_pool import DescriptorPool
    from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper
    from google.protobuf.message import Message

_FILE = "descriptors.binpb"
_PACKAGES = ("tensorflow", "gradtape")


@cache
def pool() -> tuple[DescriptorPool, dict[str, str]]:
    """The pool of all descriptors, and what the texts say of each message by its full name."""
    from google.protobuf.descriptor_pb2 import FileDescriptorSet
    from google.protobuf.descriptor_pool import DescriptorPool

    made, said = DescriptorPool(), {}
    data = resources.files(__package__).joinpath(_FILE).read_bytes()
    for file in FileDescriptorSet.FromString(data).file:
        for place in file.source_code_info.location:
            name = f"{file.package}.{file.message_type[place.path[1]].name}"
            said[name] = " ".join(place.leading_comments.split())
        file.ClearField("source_code_info")
        made.Add(file)
    return made, said


def message_class(name: str, module: str) -> type[Message] | EnumTypeWrapper:
    """The class of a message, or the type of an enumeration.

    Args:
      name: Its name, such as "Example".
      module: The module that has it as an attribute.

    Raises:
      AttributeError: There is no such message.
    """
    if name.startswith("__"):
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper
    from google.protobuf.message_factory import GetMessageClass

    descriptors, said = pool()
    for package in _PACKAGES:
        full_name = f"{package}.{name}"
        try:
            made = GetMessageClass(descriptors.FindMessageTypeByName(full_name))
        except KeyError:
            continue
        _prepare(made, name, module)
        made.__doc__ = said.get(full_name)
        return made
    try:
        return EnumTypeWrapper(descriptors.FindEnumTypeByName(f"{_PACKAGES[0]}.{name}"))
    except KeyError:
        raise AttributeError(f"module {module!r} has no message {name!r}") from None


def _prepare(kind: Any, path: str, module: str) -> None:
    """Says where a class and those in it are found, and how their messages are pickled.

    Google's library finds nested classes in a pool for all programs, where ours are not.
    """
    from google.protobuf.message_factory import GetMessageClass

    kind.__module__, kind.__qualname__ = module, path
    copyreg.pickle(kind, _reduced)
    for nested in kind.DESCRIPTOR.nested_types:
        if not hasattr(kind, nested.name):  # the library's part in Python leaves that to us
            setattr(kind, nested.name, GetMessageClass(nested))
        _prepare(getattr(kind, nested.name), f"{path}.{nested.name}", module)


def _reduced(message: Message) -> tuple[Any, tuple[str, bytes]]:
    """Returns the function and arguments from which pickling makes a message again."""
    return _rebuilt, (message.DESCRIPTOR.full_name, message.SerializeToString())


def _rebuilt(full_name: str, data: bytes) -> Any:
    """The message that was pickled."""
    from google.protobuf.message_factory import GetMessageClass

    kind = GetMessageClass(pool()[0].FindMessageTypeByName(full_name))
    return kind.FromString(data)
