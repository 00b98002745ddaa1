"""`tf.experimental.Optional`: a value, or its absence."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base import nest
from gradtape._src.base.composite_tensor import AnyCompositeTensor
from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.base.export import export
from gradtape._src.core.tensor import Tensor
from gradtape._src.data.elements import elements as el
from gradtape._src.data.elements.traced import StandIn
from gradtape._src.data.graph_iteration import element_of, flag_of, unboxed
from gradtape._src.declare.eager_only import refuse_under_jit
from gradtape._src.ops.types.specs import TypeSpec, type_spec_from_value


@export("experimental.Optional", "data.experimental.Optional")
@AnyCompositeTensor.register
class Optional:
    """A value or its absence, made by `from_value` and `empty`.

    Args:
      element_spec: The specs of the tensors in the value, or None to infer them.
      *value: The value, if there is one.

    >>> some = tf.experimental.Optional.from_value(tf.constant(2))
    >>> bool(some.has_value()), int(some.get_value())
    (True, 2)
    """

    def __init__(self, element_spec: Any, *value: Any) -> None:
        self._element_spec = element_spec
        self._held = value
        self._handle: Tensor | None = None
        self._stand_in: Any = None

    @staticmethod
    def _of_handle(element_spec: Any, handle: Tensor, stand_in: StandIn) -> Optional:
        """Returns a symbolic optional for a scalar that holds the optional when the graph runs."""
        found = Optional(element_spec)
        found._handle, found._stand_in = handle, stand_in
        return found

    @staticmethod
    def from_value(value: Any) -> Optional:
        """Makes an optional with a value: a tensor or nested structure of them.

        Args:
          value: A tensor or nested structure of tensors.

        Returns:
          An optional with this value.
        """
        return Optional(None, value)

    @staticmethod
    def empty(element_spec: Any) -> Optional:
        """Returns an optional without a value.

        Args:
          element_spec: The spec of the missing value.

        Returns:
          An optional without a value.
        """
        refuse_under_jit("an optional without a value")
        return Optional(element_spec)

    @property
    def element_spec(self) -> Any:
        """The `TensorSpec` of each tensor in the value."""
        if self._element_spec is None and self._held:
            self._element_spec = nest.map_structure(type_spec_from_value, self._held[0])
        return self._element_spec

    @property
    def _static_fields(self) -> tuple[str]:
        return (repr(self.element_spec),)

    @property
    def _type_spec(self) -> OptionalSpec:
        return OptionalSpec(self.element_spec)

    def has_value(self, name: str | None = None) -> Tensor:
        """Returns whether there is a value.

        Args:
          name: Accepted for compatibility.

        Returns:
          A bool scalar.
        """
        if self._handle is not None:
            return flag_of("OptionalHasValue", self._handle, lambda x: bool(x._held))
        return Tensor(np.bool_(bool(self._held)))

    def get_value(self, name: str | None = None) -> Any:
        """Returns the value; raises InvalidArgumentError if there is no value.

        Args:
          name: Accepted for compatibility.

        Returns:
          The value.
        """
        if self._handle is not None:
            spec, handle = self._element_spec, self._handle
            return element_of("OptionalGetValue", handle, spec, self._stand_in, _raw_value)
        if not self._held:
            raise InvalidArgumentError(
                None, None, "The given optional does not have a value. [Op:OptionalGetValue]"
            )
        return self._held[0]

    def __repr__(self) -> str:
        return f"tf.experimental.Optional with {'a' if self._held else 'no'} value"


def _raw_value(optional: Optional) -> Any:
    return el.raw_element(optional.get_value(), type(None))


@export("OptionalSpec")
class OptionalSpec(TypeSpec):
    """Describes an `Optional`.

    Args:
      element_spec: The `TensorSpec` of each tensor in its value.
    """

    __slots__ = ("_element_spec",)

    def __init__(self, element_spec: Any) -> None:
        self._element_spec = element_spec

    @property
    def value_type(self) -> type[Optional]:
        """The class of the described values."""
        return Optional

    @classmethod
    def from_value(cls, value: Optional) -> OptionalSpec:
        """Describes an optional.

        Args:
          value: The optional.

        Returns:
          An OptionalSpec of the value.
        """
        return cls(value.element_spec)

    def _serialize(self) -> tuple[Any, ...]:
        return (self._element_spec,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OptionalSpec) and self._element_spec == other._element_spec

    def __hash__(self) -> int:
        return hash(repr(self._element_spec))


def _children(optional: Optional) -> list[Any]:
    return list(optional._held) if optional._handle is None else [optional._handle]


def _rebuilt(like: Optional, children: list[Any]) -> Optional:
    if like._handle is None:
        return Optional(like._element_spec, *children)
    (handle,) = children
    held = unboxed(handle) if type(handle._value) is np.ndarray else None
    if isinstance(held, Optional):  # The graph has run.
        return held
    return Optional._of_handle(like._element_spec, handle, like._stand_in)


nest.register_composite(Optional, nest.Container(_children, _rebuilt))
