"""`tensorflow.python.saved_model.nested_structure_coder`: structures as messages, and back."""

from __future__ import annotations

from typing import Any

from gradtape._src.messages import protos
from gradtape._src.saving.export.structured_values import NotStructuredError, structured
from gradtape._src.saving.functions.structured_values import value_of


class NotEncodableError(Exception):
    """A structure contains a value that messages can't describe."""


def encode_structure(nested_structure: Any) -> protos.StructuredValue:
    """Converts a structure of Python values, tensors, arrays, specs, shapes and dtypes.

    Args:
      nested_structure: Lists, tuples, named tuples and dictionaries with strings as keys.

    Raises:
      NotEncodableError: The structure contains any other value.
    """
    try:
        return structured(nested_structure)
    except NotStructuredError as error:
        raise NotEncodableError(
            f"No encoder for object {error.value} of type {type(error.value)}."
        ) from None
    except TypeError as error:
        raise NotEncodableError(str(error)) from None


def can_encode(nested_structure: Any) -> bool:
    """Whether `encode_structure` can convert a structure.

    Args:
      nested_structure: Any value.
    """
    try:
        structured(nested_structure)
    except TypeError:
        return False
    return True


def decode_proto(proto: protos.StructuredValue) -> object:
    """Returns the structure that a message describes.

    Args:
      proto: The message. A class of named tuples is created for each named tuple.

    Raises:
      ValueError: The message is empty.
    """
    made: object = value_of(proto)
    return made
