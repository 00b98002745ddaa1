"""Checks the arguments of raw operations against TensorFlow's definitions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.attributes import KINDS
from gradtape._src.declare.attributes import attribute as attribute_of
from gradtape._src.raw.op_definitions import Argument, Attribute, OpDefinition
from gradtape._src.raw.signatures import default_of, free_attributes

Check = Callable[[dict[str, Any]], None]


def check_of(definition: OpDefinition) -> Check:
    """Returns the function that checks a raw operation's arguments, and fills in what is None.

    It raises TypeError for an attribute of another type than the operation's definition says, or
    for a tensor where a list is due; and InvalidArgumentError for a value, length or dtype that
    the definition does not allow.

    Args:
      definition: The operation's definition.
    """
    free = [(a.python_name or a.name, a) for a in free_attributes(definition)]
    lists = [(x.python_name or x.name, x) for x in definition.inputs if x.is_list]
    limited = [
        (x.python_name or x.name, allowed, x.type_attr, x.is_list)
        for x in definition.inputs
        if x.type_attr and (allowed := definition.attributes[x.type_attr].allowed)
    ]

    def check(given: dict[str, Any]) -> None:
        for name, attribute in free:
            if name in given:
                given[name] = _attribute(definition.name, name, attribute, given[name])
        for name, argument in lists:
            _check_list(definition, name, argument, given[name])
        for name, allowed, attr, is_list in limited:
            _check_dtype(definition.name, attr, allowed, given[name], is_list)

    return check


def _attribute(op: str, name: str, attribute: Attribute, value: Any) -> Any:
    if value is None and attribute.has_default:
        return default_of(attribute)
    kind = attribute.kind
    if kind.startswith("list("):
        return _list_attribute(op, name, attribute, value)
    if kind in KINDS:
        value = attribute_of(kind, name, value)
        _check_limits(op, name, attribute, value)
    return value


def _list_attribute(op: str, name: str, attribute: Attribute, value: Any) -> Any:
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"Expected list for {name!r} argument to {op!r} Op, not {value!r}.")
    least = attribute.minimum
    if least is not None and len(value) < least:
        raise invalid(
            f"Length for attr {name!r} of {len(value)} must be at least minimum {least} [Op:{op}]"
        )
    kind = attribute.kind.removeprefix("list(").removesuffix(")")
    return [attribute_of(kind, name, x) for x in value] if kind in KINDS else value


def _check_limits(op: str, name: str, attribute: Attribute, value: Any) -> None:
    if attribute.minimum is not None and value < attribute.minimum:
        raise invalid(
            f"Value for attr {name!r} of {value} must be at least minimum {attribute.minimum} "
            f"[Op:{op}]"
        )
    if attribute.allowed and getattr(value, "name", value) not in attribute.allowed:
        raise _not_allowed(op, name, getattr(value, "name", value), attribute.allowed)


def _not_allowed(op: str, name: str, value: object, allowed: frozenset[str]) -> Exception:
    return invalid(
        f"Value for attr {name!r} of {value} is not in the list of allowed values: "
        f"{', '.join(sorted(allowed))} [Op:{op}]"
    )


def _check_list(definition: OpDefinition, name: str, argument: Argument, value: Any) -> None:
    if isinstance(value, Tensor) and len(value.shape):
        return
    op = definition.name
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"Expected list for {name!r} argument to {op!r} Op, not {value!r}.")
    number = argument.number_attr and definition.attributes[argument.number_attr]
    if number and number.minimum is not None and len(value) < number.minimum:
        raise invalid(
            f"Value for attr {number.name!r} of {len(value)} must be at least minimum "
            f"{number.minimum} [Op:{op}]"
        )


def _check_dtype(
    op: str, attr: str | None, allowed: frozenset[str], value: Any, is_list: bool
) -> None:
    for x in value if is_list else (value,):
        if isinstance(x, (Tensor, Variable)) and x.dtype.name not in allowed:
            raise _not_allowed(op, str(attr), x.dtype.name, allowed)
