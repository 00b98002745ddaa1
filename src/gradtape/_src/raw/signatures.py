"""The parameters of raw operations, as TensorFlow has them."""

from __future__ import annotations

from inspect import Parameter, Signature
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import as_dtype
from gradtape._src.raw.op_definitions import Attribute, OpDefinition, op_definition

_FOLLOWING = ("type_attr", "number_attr", "type_list_attr")


def raw_signature(name: str) -> Signature:
    """Returns the signature of a raw operation, which takes keyword arguments only.

    Its parameters are the inputs, the attributes that do not follow from them, those without a
    default first, and `name`.

    Args:
      name: The operation's name.

    Raises:
      KeyError: TensorFlow has no operation of this name.
    """
    definition = op_definition(name)
    inputs = [_parameter(x.python_name or x.name) for x in definition.inputs]
    free = free_attributes(definition)
    needed = [_parameter(a.python_name or a.name) for a in free if not a.has_default]
    others = [_parameter(a.python_name or a.name, default_of(a)) for a in free if a.has_default]
    return Signature([*inputs, *needed, *others, _parameter("name", None)])


def free_attributes(definition: OpDefinition) -> list[Attribute]:
    """Returns the attributes that do not follow from the dtypes or the number of the inputs."""
    inferred = {getattr(x, kind) for x in definition.inputs for kind in _FOLLOWING}
    return [a for a in definition.attributes.values() if a.name not in inferred]


def default_of(attribute: Attribute) -> object:
    """Returns the default of an attribute as `tf.raw_ops` has it."""
    return _plain(attribute.kind.removeprefix("list(").removesuffix(")"), attribute.default)


def _plain(kind: str, value: Any) -> Any:
    if isinstance(value, list) and kind not in {"shape", "tensor"}:
        return [_plain(kind, x) for x in value]
    if kind == "type":
        return as_dtype(value)
    if kind == "float":
        shortest = float(str(np.float32(value)))
        return int(shortest) if shortest.is_integer() else shortest
    return value


def _parameter(name: str, default: Any = Parameter.empty) -> Parameter:
    return Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=default)
