"""Cache keys of calls: the properties of arguments on which a trace depends."""

from __future__ import annotations

import copy
import weakref
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gradtape._src.base import nest
from gradtape._src.base.composite_tensor import is_composite
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.resource_handles import HANDLE, ResourceHandle, variable_of
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable, _UnreadVariable
from gradtape._src.declare.unknown_sizes import Lengths
from gradtape._src.graph.composite_arguments import (
    SHAPES,
    VALUES,
    Specialization,
    StaticValue,
    TypeKey,
    is_small,
    parts_of,
    rebuilt,
)
from gradtape._src.graph.open_keys import is_tensor_key
from gradtape._src.ops.types.ragged_tensor import RaggedTensor
from gradtape._src.ops.types.sparse_tensor import SparseTensor

PLAIN = frozenset({int, float, bool, complex, str, bytes, np.str_, type(None)})
"""Types of Python values that are part of a key."""

_NUMBERS = frozenset({int, float, bool, complex})
NO_VARIABLES: Mapping[int, Variable] = {}


class IdentityKey:
    """An object as part of a key, by a weak reference if possible.

    Two keys are equal if the objects are identical or equal.
    """

    __slots__ = ("_hash", "_ref", "_strong")

    def __init__(self, value: Any) -> None:
        try:
            self._hash = hash(value)  # by default, a hash of the object's address
        except TypeError:  # no hash
            self._hash = id(value)
        self._strong = None
        try:
            self._ref: Any = weakref.ref(value)
        except TypeError:
            self._ref, self._strong = None, value

    @property
    def value(self) -> object:
        return self._ref() if self._ref is not None else self._strong

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, IdentityKey) or self._hash != other._hash:
            return False
        mine, its = self.value, other.value
        if mine is None or its is None or mine is its:
            return mine is its and mine is not None
        return type(mine) is type(its) and (mine == its) is True

    def __repr__(self) -> str:
        value = self.value
        name = getattr(value, "name", None) or getattr(value, "__name__", None)
        return f"the {type(value).__name__}{f' {name!r}' if isinstance(name, str) else ''}"


class VariableKey(NamedTuple):
    """A variable as part of a key: all variables of one kind share a trace."""

    shape: Any
    dtype: Any
    trainable: bool
    place: int
    """The position of the first argument that is the same variable, among all variables."""

    def __repr__(self) -> str:
        shown = f"of shape {_shape_shown(self.shape)} and dtype {self.dtype.name}"
        return f"variable {self.place} {shown}{'' if self.trainable else ', not trainable'}"


class Leaves(list[Tensor]):
    """The tensors among the arguments of a call.

    Attributes:
      variables: The variables among them, which differ between the calls of a trace.
      varying: The positions of the components of ragged and sparse tensors of any length.
    """

    variables: Sequence[Variable] = ()
    varying: Sequence[int] = ()


def tensor_key(x: Tensor) -> tuple[Any, Any]:
    """Returns the shape and dtype of a tensor argument."""
    held = x._device
    if held is None:
        return x._value.shape, x._value.dtype
    key = x._key = (held.shape, held.dtype)  # reading these attributes is slow for JAX arrays
    return key


def describe(value: Any, leaves: list[Tensor], level: Specialization = SHAPES) -> Hashable:
    """Returns the part of a key for an argument; appends its tensors to `leaves`.

    Args:
      value: The argument.
      leaves: The list to which its tensors are appended, in order.
      level: The properties that are part of the key in addition to shapes and dtypes.
    """
    kind = type(value)
    if kind is Tensor:
        return _tensor_part(value, leaves, level)
    if kind in PLAIN:
        return _plain(kind, value)
    if kind is tuple or kind is list:
        return (kind, *[describe(x, leaves, level) for x in value])
    if hasattr(kind, "__tf_tracing_type__") or hasattr(kind, "_described_parts"):
        return _described_by_itself(value, leaves, level)
    if isinstance(value, (np.ndarray, np.generic)):
        return describe(convert_to_tensor(value), leaves, level)
    if isinstance(value, Variable):
        return Variable, _variable_key(value, leaves)
    if nest.is_nested(value):
        children = nest.children_of(value)
        family = dict if isinstance(value, dict) else kind
        return (family, *_static(value), *[describe(x, leaves, level) for x in children])
    if is_composite(kind):
        return _composite_key(value, leaves, level)
    return kind, _object(value)


def _tensor_part(value: Tensor, leaves: list[Tensor], level: Specialization) -> Hashable:
    """Returns the part of a key for a tensor; a handle is described as its variable."""
    key = tensor_key(value)
    if key[1] is HANDLE and (variable := variable_of(value)) is not None:
        return ResourceHandle, _variable_key(variable, leaves)
    if level is VALUES and is_small(value):
        return StaticValue(value._numpy())
    leaves.append(value)
    return key


def _composite_key(value: Any, leaves: list[Tensor], level: Specialization) -> Hashable:
    """Returns the part of a key for a composite tensor; appends its tensors to `leaves`."""
    before, parts = len(leaves), parts_of(value, level)
    described = [x if type(x) is StaticValue else describe(x, leaves, level) for x in parts]
    if type(leaves) is Leaves and isinstance(value, (RaggedTensor, SparseTensor)):
        end = len(leaves) - isinstance(value, RaggedTensor)  # the number of rows is fixed
        leaves.varying = [*leaves.varying, *range(before, end)]
    return (type(value), *getattr(value, "_static_fields", ()), *described)


def _variable_key(value: Variable, leaves: list[Tensor]) -> Hashable:
    """Returns the part of a key for a variable: its kind, or its identity."""
    can_differ = type(value) in (Variable, _UnreadVariable) and value.constraint is None
    if type(leaves) is not Leaves or not can_differ:
        return IdentityKey(value)
    leaves.variables = known = [*leaves.variables, value]
    place = next(i for i, v in enumerate(known) if v._id == value._id)
    return VariableKey(value.shape._dims, value.dtype, value.trainable, place)


def representative(variable: Variable) -> Variable:
    """Returns a variable that represents this one, and others of its kind, in a trace."""
    made = copy.deepcopy(variable)
    made._value = variable._raw()
    return made


def _plain(kind: type, value: Any) -> Hashable:
    """Returns the part of a key for a Python value; equal numbers have equal keys."""
    if kind in _NUMBERS:
        return int, value if value == value else repr(value)  # noqa: PLR0124 (NaN)
    return kind, value


def _described_by_itself(value: Any, leaves: list[Tensor], level: Specialization) -> Hashable:
    """Returns the part of a key for an argument whose class defines its trace type."""
    if hasattr(type(value), "_described_parts"):
        known: Hashable = value._described_parts(leaves, level)
        return known
    own = TypeKey(value)
    return (TypeKey, own, *[describe(x, leaves, level) for x in own.type.to_tensors(value)])


def _static(container: Any) -> Sequence[Any]:
    """Returns the parts of a container's key other than its elements."""
    if hasattr(container, "__tf_flatten__"):
        return [describe(x, []) for x in container.__tf_flatten__()[0]]
    return sorted(container) if isinstance(container, dict) else ()


def _object(value: Any) -> IdentityKey:
    """Returns the part of a key for an object.

    Raises:
      TypeError: `value` is not hashable.
    """
    if type(value).__hash__ is None:
        raise TypeError(
            "calls with this argument of tf.function can't be distinguished: its class "
            f"{type(value).__name__} is not a tensor, list, tuple or dictionary, and is not "
            "hashable. Give the class a __hash__, or pass the values that it holds"
        )
    return IdentityKey(value)


def filled(
    value: Any,
    tensors: Iterator[Tensor],
    level: Specialization = SHAPES,
    others: Mapping[int, Any] = NO_VARIABLES,
) -> Any:
    """Returns an argument with other tensors in place of those that `describe` lists.

    Args:
      value: The argument.
      tensors: The tensors, of which it takes as many as `describe` lists.
      level: See `describe`.
      others: By their ids, the objects in place of variables, and those that stay; see `kept`.
    """
    if type(value) in PLAIN:
        return value
    if isinstance(value, (Tensor, np.ndarray, np.generic)):
        if (variable := variable_of(value)) is not None:
            return others.get(variable._id, variable).handle
        known = level is VALUES and is_small(value)
        return StaticValue(value).tensor() if known else next(tensors)
    if isinstance(value, Variable):
        return others.get(value._id, value)
    if hasattr(type(value), "__tf_tracing_type__"):
        own = TypeKey(value)
        parts = own.type.to_tensors(value)
        return own.filled([filled(x, tensors, level, others) for x in parts])
    if hasattr(type(value), "_described_parts"):
        return value if id(value) in others else value._filled(tensors, level)
    if isinstance(value, defaultdict):  # a dictionary without its default, as in TensorFlow
        value = dict(value)
    if nest.is_nested(value):
        return nest.map_structure(lambda x: filled(x, tensors, level, others), value)
    if is_composite(type(value)):
        parts = [
            x.tensor() if type(x) is StaticValue else filled(x, tensors, level, others)
            for x in parts_of(value, level)
        ]
        return rebuilt(value, parts)
    return value


def kept(structure: Any, level: Specialization) -> dict[int, Any]:
    """Returns, by id, the datasets and iterators among arguments that are in the key themselves.

    Tracing may tell more of their elements; they still have no tensor among the arguments.
    """
    own = [x for x in nest.flatten(structure) if hasattr(type(x), "_described_parts")]
    return {id(x): x for x in own if not _count(x, level)}


def input_names(
    names: Sequence[str], args: Sequence[Any], kwargs: Mapping[str, Any], level: Specialization
) -> list[str]:
    """Returns the name of the parameter in which each tensor arrives.

    Args:
      names: The parameters, in order.
      args: The arguments.
      kwargs: The named arguments.
      level: See `describe`.
    """
    found: list[str] = []
    for i, x in enumerate(args):
        if i < len(names) - (len(args) > len(names)):
            name = names[i]
        else:  # of those in `*args`
            name = f"{names[-1] if names else 'args'}_{i - max(len(names) - 1, 0)}"
        found += [name] * _count(x, level)
    for name, x in kwargs.items():
        found += [name] * _count(x, level)
    return found


def _count(value: Any, level: Specialization) -> int:
    """Returns the number of tensors in an argument."""
    leaves: list[Tensor] = []
    describe(value, leaves, level)
    return len(leaves)


def difference(names: Sequence[str], new: Any, old: Any) -> list[str]:
    """Returns the differences between two keys, argument by argument."""
    found: list[str] = []
    for i, (a, b) in enumerate(zip(new, old, strict=False)):
        if a != b:
            _compare(names[i] if i < len(names) else f"argument {i}", a, b, found)
    if len(new) != len(old):
        found.append(f"{len(new)} arguments in place of {len(old)}")
    return found


def _compare(name: str, new: Any, old: Any, found: list[str]) -> None:
    if (
        type(new) is type(old) is tuple
        and not is_tensor_key(new)
        and len(new) == len(old)
        and new[0] is old[0]
        and len(new) > 1
    ):
        if new[0] in PLAIN:
            found.append(f"{name}: the Python value {old[1]!r} became {new[1]!r}")
            return
        if isinstance(new[1], (IdentityKey, TypeKey, VariableKey)) and new[1] != old[1]:
            what = (
                f"{new[1]!r} is another object"
                if isinstance(new[1], IdentityKey)
                else f"the type {old[1]!r} became {new[1]!r}"
            )
            found.append(f"{name}: {what}")
            return
        for i, (a, b) in enumerate(zip(new[1:], old[1:], strict=True)):
            if a != b:
                _compare(f"{name}[{i}]", a, b, found)
        return
    if is_tensor_key(new) and is_tensor_key(old):
        parts = []
        if new[0] != old[0]:
            parts.append(f"shape {_shape_shown(old[0])} became {_shape_shown(new[0])}")
        if new[1] != old[1]:
            parts.append(f"dtype {old[1]} became {new[1]}")
        found.append(f"{name}: {', '.join(parts)}")
        return
    if type(new) is type(old) is StaticValue:
        found.append(f"{name}: {old!r} became {new!r}")
        return
    found.append(f"{name}: {describe_part(old)} became {describe_part(new)}")


def _shape_shown(shape: Any) -> str:
    if isinstance(shape, Lengths):  # of a tensor of the calling graph
        return str(shape.known())
    return "<unknown>" if shape is None else str(tuple(shape))


def describe_part(key: Any) -> str:
    """Describes an argument by its part of a key, in a few words."""
    if type(key) is StaticValue:
        return repr(key)
    if is_tensor_key(key) or isinstance(key[0], Lengths):
        return f"a tensor of shape {_shape_shown(key[0])} and dtype {key[1]}"
    if type(key[1] if len(key) > 1 else None) is TypeKey:
        return repr(key[1])
    known = key[1] if len(key) > 1 else None
    if key[0] in PLAIN or isinstance(known, (IdentityKey, VariableKey)):
        return repr(key[1])
    return getattr(key[0], "__name__", str(key[0]))


def are_same(after: Any, before: Any) -> bool:
    """Whether two structures hold the same objects."""
    if not nest.is_nested(before):
        return after is before or is_composite(type(before))
    if isinstance(before, dict) and after.keys() != before.keys():
        return False
    parts, known = list(nest.children_of(after)), list(nest.children_of(before))
    return len(parts) == len(known) and all(map(are_same, parts, known))
