"""The base class of values that consist of several tensors."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Callable
from typing import Any

from gradtape._src.base.dispatch import Dispatchable
from gradtape._src.base.export import export
from gradtape._src.base.nest import Container, flatten, pack_sequence_as, register_composite


def _components(value: Any) -> list[Any]:
    """Returns the tensors of a value that its spec flattens, as specs of other libraries do."""
    return flatten(value._type_spec._to_components(value), expand_composites=True)


def _of_components(like: Any, parts: list[Any]) -> Any:
    spec = like._type_spec
    packed = pack_sequence_as(spec._to_components(like), list(parts), expand_composites=True)
    return spec._from_components(packed)


_OURS = "gradtape."
specs_of: dict[type, Callable[[Any], Any]] = {}
"""For each class, the function that returns the spec of a value; `ops.types.specs` fills it."""
_BY_SPEC = Container(_components, _of_components)


class CompositeTensor(Dispatchable):
    """A value that consists of several tensors; `nest` flattens it with `expand_composites`.

    Subclasses: `IndexedSlices`, `SparseTensor`, `RaggedTensor`.
    """

    __slots__ = ()

    _is_known_by_spec = False
    """Whether its `TypeSpec` flattens and rebuilds it, as for classes of other libraries."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        has_spec = cls._type_spec is not CompositeTensor._type_spec
        if has_spec and not cls.__module__.startswith(_OURS):  # gradtape's classes define it.
            cls._is_known_by_spec = True
            register_composite(cls, _BY_SPEC)

    @property
    def _static_fields(self) -> tuple[Any, ...]:
        """Returns the parts other than tensors on which a compiled function depends."""
        if not self._is_known_by_spec:
            return ()
        spec = self._type_spec
        tell = getattr(spec, "_static_key", None)
        return ((str, spec if tell is None else tell()),)

    has_operators = False
    """Whether it handles operators whose left operand is a tensor."""
    has_equality = False
    """Whether it handles `==` and `!=` whose left operand is a tensor."""

    @property
    def _type_spec(self) -> Any:
        """The `TypeSpec` that describes the value."""
        if (described := specs_of.get(type(self))) is not None:
            return described(self)
        raise NotImplementedError(f"{type(self).__name__} has no TypeSpec yet")

    def _each_row(self) -> list[Any]:
        """Yields the rows along the first axis."""
        raise ValueError(f"{type(self).__name__} can't be split into rows")

    def _differentiable(self) -> Any:
        """Returns the tensor that represents the value in derivatives, or None."""
        return None

    def _differentiable_parts(self) -> list[Any] | None:
        """Returns the tensors to differentiate with respect to; None if fewer than two."""
        return None

    def _with_gradients(self, gradients: list[Any]) -> Any:
        """Returns gradients with respect to those tensors in the form of this value."""
        raise NotImplementedError(f"{type(self).__name__} has no gradient")

    def _with_gradient(self, gradient: Any) -> Any:
        """Returns the gradient with respect to that tensor in the form of this value."""
        raise NotImplementedError(f"{type(self).__name__} has no gradient")


class Described:
    """A handle that a `TypeSpec` describes, such as a variable, and that is not taken apart."""

    __slots__ = ()

    @property
    def _type_spec(self) -> Any:
        """The `TypeSpec` that describes the value."""
        return next(specs_of[kind] for kind in type(self).__mro__ if kind in specs_of)(self)


def is_composite(kind: type) -> bool:
    """Whether the values of a class consist of tensors."""
    return hasattr(kind, "_type_spec") and not issubclass(kind, Described)


@export("__internal__.CompositeTensor")
class AnyCompositeTensor(CompositeTensor, metaclass=ABCMeta):
    """The base class of composite tensors of other libraries.

    Variables, datasets and iterators count as its instances, too, as in TensorFlow; they are
    handles, which gradtape does not take apart: they are registered with `AnyCompositeTensor`.
    """

    @property
    @abstractmethod
    def _type_spec(self) -> Any:
        """The `TypeSpec` that describes the value."""

    @classmethod
    def __subclasshook__(cls, other: type) -> Any:
        is_root = cls is AnyCompositeTensor
        return True if is_root and issubclass(other, CompositeTensor) else NotImplemented
