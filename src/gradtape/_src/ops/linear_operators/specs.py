"""Operators as composite tensors: their specs and components."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradtape._src.base import nest
from gradtape._src.base.composite_tensor import CompositeTensor
from gradtape._src.base.nest import Container, register_composite
from gradtape._src.core.convert import tensor
from gradtape._src.core.tensor import TensorLike
from gradtape._src.core.variable import Variable
from gradtape._src.declare.arguments import invalid
from gradtape._src.graph.signatures import IdentityKey
from gradtape._src.ops.array.creation import zeros_like
from gradtape._src.ops.types.spec_names import register
from gradtape._src.ops.types.specs import TensorSpec, TypeSpec

HINTS = ("is_non_singular", "is_self_adjoint", "is_positive_definite", "is_square")


class LinearOperatorSpec(TypeSpec):
    """Describes an operator: specs of its tensors, and all its other arguments.

    Args:
      param_specs: The specs of the arguments that are tensors, by name.
      non_tensor_params: The other arguments and the hints, by name.
      prefer_static_fields: The names of arguments that are stored as Python values, not tensors, if
        they are known.
    """

    __slots__ = ("_non_tensor_params", "_param_specs", "_prefer_static_fields")
    _operator_class: Any = None

    def __init__(
        self,
        param_specs: dict[str, Any],
        non_tensor_params: dict[str, Any],
        prefer_static_fields: tuple[str, ...] = (),
    ) -> None:
        self._param_specs = param_specs
        self._non_tensor_params = non_tensor_params
        self._prefer_static_fields = prefer_static_fields

    @classmethod
    def of(cls, operator: Any) -> LinearOperatorSpec:
        """Returns the spec of an operator, of the class that describes its class."""
        tensors, others = components(operator)
        return spec_class(type(operator))(
            {name: _spec(value) for name, value in tensors.items()},
            others,
            operator._composite_tensor_prefer_static_fields,
        )

    @property
    def value_type(self) -> type:
        """The class of the operators that the spec describes."""
        found: type = self._operator_class
        return found

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether the spec describes an operator, or an operator of another spec."""
        other = getattr(spec_or_value, "_type_spec", spec_or_value)
        if type(other) is not type(self) or self._non_tensor_params != other._non_tensor_params:
            return False
        mine, its = nest.flatten(self._param_specs), nest.flatten(other._param_specs)
        return len(mine) == len(its) and all(
            a.is_compatible_with(b) for a, b in zip(mine, its, strict=True)
        )

    def _serialize(self) -> tuple[Any, ...]:
        return self._param_specs, self._non_tensor_params, self._prefer_static_fields

    @property
    def _component_specs(self) -> dict[str, Any]:
        return self._param_specs

    def _to_components(self, value: Any) -> dict[str, Any]:
        return components(value)[0]

    def _from_components(self, components: Any) -> Any:
        return self._operator_class._of_parts(**self._non_tensor_params, **components)

    def describes(self, value: Any) -> bool:
        """Whether the spec describes a value."""
        return self.is_compatible_with(value)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and repr(other) == repr(self)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        parts = (self._param_specs, self._non_tensor_params, self._prefer_static_fields)
        return f"{type(self).__name__}({', '.join(map(repr, parts))})"


_ROOM = __name__.rpartition(".")[0]
_specs: dict[type, type[LinearOperatorSpec]] = {}


def declare_spec(cls: Any) -> None:
    """Makes the operators of a class composite tensors, whose specs have a class of their own."""
    name = f"{cls.__name__}Spec"
    members = {"__slots__": (), "_operator_class": cls, "__module__": cls.__module__}
    _specs[cls] = type(name, (LinearOperatorSpec,), members)
    if cls.__module__.startswith(_ROOM):  # classes of libraries have their own names
        register(f"tf.linalg.{name}")(_specs[cls])
    register_composite(cls, Container(_leaves, _rebuilt))


def spec_class(cls: type) -> type[LinearOperatorSpec]:
    """Returns the class of the specs of operators of a class."""
    return _specs[cls]


def _is_tensor(value: Any) -> bool:
    return isinstance(value, (TensorLike, Variable, CompositeTensor))


def _argument(operator: Any, name: str) -> Any:
    for attribute in (name, f"_{name}"):
        found = getattr(operator, attribute, operator)
        if found is not operator:
            return found
    if name in operator.parameters:
        return operator.parameters[name]
    raise ValueError(
        f"{operator!r} has no value for the field {name!r}: it needs an attribute {name!r} or "
        f"'_{name}', or a parameter of that name"
    )


def components(operator: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns the arguments from which an equal operator can be made.

    Returns:
      Two dictionaries: the arguments that are tensors, operators or structures of them, and all
      other arguments.

    Raises:
      NotImplementedError: An argument is a structure of tensors and other values.
    """
    tensors: dict[str, Any] = {}
    others: dict[str, Any] = {}
    for name in (*operator._composite_tensor_fields, *HINTS):
        value = _argument(operator, name)
        kinds = {_is_tensor(x) for x in nest.flatten(value)}
        if kinds == {True, False}:
            raise NotImplementedError(
                f"Field {name} contains a mix of `Tensor` and non-`Tensor` values."
            )
        (tensors if kinds == {True} else others)[name] = value
    return tensors, others


def _leaves(operator: Any) -> list[Any]:
    if not operator._composite_tensor_fields:
        return []
    return nest.flatten(components(operator)[0], expand_composites=True)


def _rebuilt(like: Any, parts: Sequence[Any]) -> Any:
    """Returns a copy of an operator with other tensors."""
    if not like._composite_tensor_fields:
        return like
    tensors, others = components(like)
    new = nest.pack_sequence_as(tensors, list(parts), expand_composites=True)
    return like._of_parts(**others, **new)


def differentiable_parts(operator: Any) -> list[Any]:
    """Returns the tensors and variables of an operator that have derivatives."""
    return [x for x in _leaves(operator) if x.dtype.differentiable]


def with_gradients(operator: Any, gradients: Sequence[Any]) -> object:
    """Returns the gradients with respect to the tensors of an operator as an operator of its class.

    Args:
      operator: The operator.
      gradients: The gradient for each of `differentiable_parts`; None stands for zeros.

    Returns:
      The operator; None if all gradients are None.
    """
    if all(g is None for g in gradients):
        return None
    following = iter(gradients)
    flat = [next(following) if x.dtype.differentiable else x for x in _leaves(operator)]
    leaves = zip(flat, _leaves(operator), strict=True)
    return _rebuilt(operator, [zeros_like(x) if g is None else tensor(g) for g, x in leaves])


def key_of(operator: Any) -> tuple[Any, ...]:
    """Returns the values other than an operator's tensors on which a compiled function depends.

    An operator whose class does not declare its components is a constant of the function.
    """
    if not operator._composite_tensor_fields:
        return (IdentityKey(operator),)
    return ((str, _as_text(operator)),)


def _as_text(value: Any) -> str:
    """Returns all parts of an operator that are not tensors."""
    if isinstance(value, CompositeTensor) and hasattr(value, "_composite_tensor_fields"):
        tensors, others = components(value)
        parts = {name: nest.map_structure(_as_text, x) for name, x in tensors.items()}
        return f"{type(value).__qualname__}({parts}, {others})"
    return "..."


def _spec(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return (
            type(value)(_spec(x) for x in value)
            if type(value) is tuple
            else list(map(_spec, value))
        )
    if isinstance(value, CompositeTensor):
        return value._type_spec
    return TensorSpec(value.shape, value.dtype)


def batch_slice(operator: Any, slices: Any) -> object:
    """Returns an operator of some of the matrices of a stack.

    Args:
      operator: The stack.
      slices: The index in brackets: integers, slices, `...` and `tf.newaxis` for the axes before
        the last two.

    Raises:
      InvalidArgumentError: There are too many indices, or an index is out of range.
    """
    entries = _per_axis(operator, slices)
    ranks = operator._experimental_parameter_ndims_to_matrix_ndims
    batch = tuple(operator.batch_shape)
    changes = {
        name: _sliced(_argument(operator, name), rank, batch, entries)
        for name, rank in ranks.items()
        if operator.parameters.get(name) is not None
    }
    return type(operator)(**{**operator.parameters, **operator._sliced_statics(entries), **changes})


def _per_axis(operator: Any, slices: Any) -> list[Any]:
    """Returns a slice or index for each axis, with `...` expanded."""
    entries = list(slices) if isinstance(slices, tuple) else [slices]
    rank = len(operator.batch_shape)
    lacking = rank - sum(e is not None and e is not Ellipsis for e in entries)
    if lacking < 0:
        raise invalid(
            f"{operator.name}: too many indices for a stack of {rank} axes, {slices!r}; the axes "
            "of the matrices can't be sliced",
        )
    place = next((i for i, e in enumerate(entries) if e is Ellipsis), len(entries))
    return [*entries[:place], *[slice(None)] * lacking, *entries[place + 1 :]]


def _sliced(value: Any, rank: Any, batch: tuple[Any, ...], entries: list[Any]) -> Any:
    """Returns the part of a parameter, whose leading axes may be fewer or of length 1."""
    if isinstance(value, (list, tuple)):
        ranks = rank if isinstance(rank, (list, tuple)) else [rank] * len(value)
        return [_sliced(v, r, batch, entries) for v, r in zip(value, ranks, strict=True)]
    is_operator = isinstance(value, CompositeTensor)
    own = tuple(value.batch_shape) if is_operator else tuple(value.shape)[: len(value.shape) - rank]
    skipped = len(batch) - len(own)
    kept: list[Any] = []
    axis = 0
    for entry in entries:
        if entry is None:
            kept.append(None)
            continue
        if axis >= skipped:
            spread = own[axis - skipped] == 1 != batch[axis]
            kept.append(_of_one(entry) if spread else entry)
        axis += 1
    # New axes come before the axes that the parameter lacks, but here they would come after them.
    if skipped:
        kept = kept[next((i for i, e in enumerate(kept) if e is not None), len(kept)) :]
    if is_operator:
        return value[tuple(kept)] if kept else value
    return tensor(value)[(*kept, ...)]


def _of_one(entry: Any) -> Any:
    """Returns the index into an axis of length 1 for an index into the longer, broadcast axis."""
    return slice(None) if isinstance(entry, slice) else 0
