"""Checks the arguments of raw operations against TensorFlow's definitions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import as_dtype, variant
from gradtape._src.base.errors import About
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.core.variable import Variable
from gradtape._src.declare.arguments import are_direct, input_of, invalid
from gradtape._src.declare.attributes import KINDS, is_exact
from gradtape._src.declare.attributes import attribute as attribute_of
from gradtape._src.ops.array.joining import unstack
from gradtape._src.ops.raw.input_ranks import RANKS, check_ranks
from gradtape._src.ops.types.ragged_tensor import RaggedTensor
from gradtape._src.ops.types.sparse_tensor import SparseTensor
from gradtape._src.raw.op_definitions import Argument, Attribute, OpDefinition
from gradtape._src.raw.signatures import default_of, free_attributes

Check = Callable[[dict[str, Any]], None]
_DISPATCHED = (RaggedTensor, SparseTensor)
_HANDLES = ("resource", "variant")


def check_of(definition: OpDefinition) -> Check:
    """Returns the function that checks a raw operation's arguments.

    It fills in attributes that are None, and converts inputs whose dtype the definition or another
    input fixes. It raises TypeError for an attribute of another type than the operation's
    definition says, for a Python value that does not fit an input's dtype, or for a tensor where a
    list is due; and InvalidArgumentError for a value, length or dtype that the definition does not
    allow.

    Args:
      definition: The operation's definition.
    """
    free = _free(definition)
    lists = [(x.python_name or x.name, x) for x in definition.inputs if x.is_list]
    kinds = _kinds(free)
    inputs = [x.python_name or x.name for x in definition.inputs if not x.is_list]
    fixed = _fixed(definition)
    variants = [x.python_name or x.name for x in definition.inputs if x.dtype == "variant"]
    defaults = _default_dtypes(definition)
    check_dtypes = _check_of_dtypes(definition, {name for names, *_ in defaults for name in names})

    def check(given: dict[str, Any]) -> None:
        exact = all(is_exact(a.kind, given.get(name, default)) for name, a, default in kinds)
        direct = exact and are_direct(*[given[name] for name in inputs])
        for name, attribute in free:
            if name in given:
                given[name] = _attribute(definition.name, name, attribute, given[name])
        for name, argument in lists:
            given[name] = _listed(definition, name, argument, given[name])
        if any(isinstance(given[name], _DISPATCHED) for name in inputs):
            return
        for name in variants:
            _check_variant(given[name])
        for place, name, dtype in fixed:
            given[name] = input_of(definition.name, place, given[name], dtype, direct=direct)
        for names, dtype, allowed in defaults:
            _convert_to_default(names, dtype, allowed, given)
        check_dtypes(given)
        if definition.name in RANKS:
            check_ranks(definition.name, given)

    return check


def _check_of_dtypes(definition: OpDefinition, settled: set[str]) -> Check:
    """Returns the function that checks dtypes; `settled` names inputs with a default dtype."""
    alike = _alike(definition)
    numbers, limited = _limited(definition, settled)

    def check(given: dict[str, Any]) -> None:
        for places in alike:
            _match(definition.name, places, given)
        for name, attribute in numbers:
            _check_numbers(definition.name, attribute, given[name])
        for name, allowed, attr, is_list in limited:
            _check_dtype(definition.name, attr, allowed, given[name], is_list)

    return check


def _limited(definition: OpDefinition, settled: set[str]) -> tuple[list[Any], list[Any]]:
    """Returns the inputs whose dtypes are limited: numbers among them, and all with their limits.

    Args:
      definition: The operation's definition.
      settled: The names of inputs that get a default dtype.
    """
    inputs = [(x.python_name or x.name, x) for x in definition.inputs if x.type_attr]
    attributes = [(name, x, definition.attributes[str(x.type_attr)]) for name, x in inputs]
    known = [(name, x, a) for name, x, a in attributes if a.allowed]
    numbers = [(name, a) for name, x, a in known if not x.is_list and name not in settled]
    return numbers, [(name, a.allowed, x.type_attr, x.is_list) for name, x, a in known]


def _free(definition: OpDefinition) -> list[tuple[str, Attribute]]:
    return [(a.python_name or a.name, a) for a in free_attributes(definition)]


def _kinds(free: list[tuple[str, Attribute]]) -> list[tuple[str, Attribute, Any]]:
    return [(name, a, default_of(a) if a.has_default else None) for name, a in free]


def _check_variant(x: Any) -> None:
    """Raises the errors of TensorFlow for a value that is not a tensor of dtype `variant`."""
    if not isinstance(x, TensorLike):
        raise TypeError(f"Cannot convert {x!r} to EagerTensor of dtype variant")
    if x.dtype is not variant:
        raise ValueError(
            f"Tensor conversion requested dtype variant for Tensor with dtype {x.dtype.name}: {x!r}"
        )


def _fixed(definition: OpDefinition) -> list[tuple[int, str, Any]]:
    """Returns place, name and dtype of the inputs that have one dtype."""
    return [
        (place, x.python_name or x.name, as_dtype(x.dtype))
        for place, x in enumerate(definition.inputs)
        if x.dtype and x.dtype not in _HANDLES and not (x.is_list or x.is_ref)
    ]


def _alike(definition: OpDefinition) -> list[dict[str, int]]:
    """Returns the places of inputs by name, for each attribute that is the dtype of several."""
    found: dict[str, dict[str, int]] = {}
    for place, x in enumerate(definition.inputs):
        if x.type_attr and not (x.is_list or x.is_ref):
            found.setdefault(x.type_attr, {})[x.python_name or x.name] = place
    return [places for places in found.values() if len(places) > 1]


def _default_dtypes(
    definition: OpDefinition,
) -> list[tuple[list[str], Any, frozenset[str]]]:
    """Returns inputs by name, with the dtype that numbers get by default, and the allowed ones."""
    found: dict[str, list[str]] = {}
    for x in definition.inputs:
        if x.type_attr and not (x.is_list or x.is_ref):
            found.setdefault(x.type_attr, []).append(x.python_name or x.name)
    attributes = [(names, definition.attributes[attr]) for attr, names in found.items()]
    return [(names, default_of(a), a.allowed) for names, a in attributes if a.has_default]


def _convert_to_default(
    names: list[str], dtype: Any, allowed: frozenset[str], given: dict[str, Any]
) -> None:
    """Converts Python values to one dtype; tensors decide alone.

    That is the default for numbers. If there are lists, it is the first value's own dtype, if the
    operation takes it, and the default otherwise.
    """
    values = [given[name] for name in names]
    if not all(isinstance(value, (bool, int, float, list, tuple)) for value in values):
        return
    if not any(isinstance(value, (list, tuple)) for value in values):
        for name, value in zip(names, values, strict=True):
            given[name] = convert_to_tensor(value, dtype)
        return
    first = convert_to_tensor(values[0]) if allowed else None
    if first is None or first.dtype.name not in allowed:
        first = convert_to_tensor(values[0], dtype_hint=dtype)
    for name, value in zip(names, [first, *values[1:]], strict=True):
        given[name] = convert_to_tensor(value, first.dtype)


def _match(op: str, places: dict[str, int], given: dict[str, Any]) -> None:
    """Converts inputs of one dtype to that of the first tensor, or else the first of them."""
    tensors = [x for name in places if isinstance(x := given[name], TensorLike)]
    first = tensors[0] if tensors else convert_to_tensor(given[next(iter(places))])
    for name, place in places.items():
        given[name] = input_of(op, place, given[name], first.dtype)


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
    if value is None:
        value = []
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"Expected list for {name!r} argument to {op!r} Op, not {value!r}.")
    least = attribute.minimum
    if least is not None and len(value) < least:
        raise invalid(
            f"Length for attr {name!r} of {len(value)} must be at least minimum {least} [Op:{op}]",
            About.ATTRIBUTES,
        )
    kind = attribute.kind.removeprefix("list(").removesuffix(")")
    return [attribute_of(kind, name, x) for x in value] if kind in KINDS else value


def _check_limits(op: str, name: str, attribute: Attribute, value: Any) -> None:
    if attribute.minimum is not None and value < attribute.minimum:
        raise invalid(
            f"Value for attr {name!r} of {value} must be at least minimum {attribute.minimum} "
            f"[Op:{op}]",
            About.ATTRIBUTES,
        )
    if attribute.allowed and getattr(value, "name", value) not in attribute.allowed:
        about = About.DTYPES if attribute.kind == "type" else About.ATTRIBUTES
        raise _not_allowed(op, name, getattr(value, "name", value), attribute.allowed, about)


def _not_allowed(
    op: str,
    name: str,
    value: object,
    allowed: frozenset[str],
    about: About = About.DTYPES,
) -> Exception:
    return invalid(
        f"Value for attr {name!r} of {value} is not in the list of allowed values: "
        f"{', '.join(sorted(allowed))} [Op:{op}]",
        about,
    )


def _listed(definition: OpDefinition, name: str, argument: Argument, value: Any) -> Any:
    """Returns the tensors of a list; a tensor stands for its rows."""
    op = definition.name
    if isinstance(value, (Tensor, Variable)) and len(value.shape):
        value = unstack(value)
    if isinstance(value, np.ndarray) and argument.number_attr:
        raise ValueError(
            f"expected a sequence for attr {argument.number_attr}, got an ndarray with rank "
            f"{value.ndim} instead"
        )
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"Expected list for {name!r} argument to {op!r} Op, not {value!r}.")
    number = argument.number_attr and definition.attributes[argument.number_attr]
    if number and number.minimum is not None and len(value) < number.minimum:
        raise invalid(
            f"Value for attr {number.name!r} of {len(value)} must be at least minimum "
            f"{number.minimum} [Op:{op}]",
            About.ATTRIBUTES,
        )
    return value


def _check_numbers(op: str, attribute: Attribute, value: Any) -> None:
    """Checks the dtype that Python values get, which no tensor and no default decides."""
    if isinstance(value, (bool, int, float, str)):
        dtype = convert_to_tensor(value).dtype.name
        if dtype not in attribute.allowed:
            raise _not_allowed(op, attribute.name, dtype, attribute.allowed)


def _check_dtype(
    op: str, attr: str | None, allowed: frozenset[str], value: Any, is_list: bool
) -> None:
    for x in value if is_list else (value,):
        if isinstance(x, (Tensor, Variable)) and x.dtype.name not in allowed:
            raise _not_allowed(op, str(attr), x.dtype.name, allowed)
