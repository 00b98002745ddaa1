"""Known values that a program makes while a function is traced, such as constants.

The tracer computes them at once, so no node computes them. To the program they look like tensors of
the graph, whose operations have names.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape._src.base.name_scope import current
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.operation_names import STATIC

_SMALL = 1024  # bytes; larger values are not kept for the sake of their names


class Known:
    """A known value in the visible graph.

    There is one for each such value, so it holds only what its name and symbol are made of when
    the program asks for them.

    Attributes:
      owner: The tracer.
      place: The number of nodes that precede it.
      scope: The name scope in which it was made.
      kind: TensorFlow's name of its operation; None if it was made without one.
      label: The name of the operation, from the program or from its function; None for the default
        name of operations of this kind.
      inputs: The known values among the operation's inputs, and None for others.
      held: The value, or a weak reference to it if it is large.
      symbol: The value as the program sees it, once the visible graph has named it.
    """

    __slots__ = ("held", "inputs", "kind", "label", "owner", "place", "scope", "symbol")

    owner: Any
    place: int
    scope: str
    kind: str | None
    label: str | None
    inputs: Sequence[Known | None]
    held: Any
    symbol: Any

    @property
    def value(self) -> np.ndarray[Any, Any] | np.generic | None:
        """The value, or None if the program does not use it any more."""
        value: np.ndarray[Any, Any] | np.generic | None = self.held
        return self.held() if type(self.held) is weakref.ref else value

    @property
    def is_static(self) -> bool:
        """Whether TensorFlow knows the value, too."""
        if self.kind is None:
            return True
        return self.kind in STATIC and all(x is None or x.is_static for x in self.inputs)


_new = object.__new__


def known_value(
    value: Any,
    owner: Any,
    kind: str | None,
    label: str | None,
    inputs: Sequence[Tensor],
) -> Known:
    """Returns the description of a raw value; see `Known`."""
    made = _new(Known)
    made.owner, made.place, made.scope = owner, len(owner.nodes), current()
    made.kind, made.label, made.symbol = kind, label, None
    made.inputs = [x._in_graph for x in inputs] if inputs else ()
    large = type(value) is np.ndarray and value.nbytes > _SMALL
    made.held = weakref.ref(value) if large else value
    return made
