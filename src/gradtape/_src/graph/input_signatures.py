"""Input signatures: required shapes and dtypes, and the conversion of arguments to them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradtape._src.base import nest
from gradtape._src.base.dtypes import DType, int64
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.declare.unknown_sizes import Decisions
from gradtape._src.ops.types.sparse_tensor import SparseTensor, SparseTensorSpec
from gradtape._src.ops.types.specs import TensorSpec, TypeSpec

_ATOMS = (Tensor, int, float, bool, str, bytes, type(None))


def checked_signature(signature: Any) -> tuple[Any, ...] | None:
    if signature is None:
        return None
    if not isinstance(signature, (list, tuple)):
        raise TypeError(f"input_signature must be either a tuple or a list, got {type(signature)}.")
    bad = [x for x in nest.flatten(signature) if not isinstance(x, TypeSpec)]
    if bad:
        raise TypeError(
            "input_signature must be a possibly nested sequence of TensorSpec objects, got "
            f"invalid args {bad} with types {[type(x) for x in bad]}."
        )
    return tuple(signature)


def check_parameters(python_function: Callable[..., Any], specs: tuple[Any, ...]) -> None:
    """Checks that an input signature has one spec for each parameter of a function.

    Raises:
      TypeError: A parameter has neither a spec nor a default, or there are more specs.
    """
    left = len(specs)
    for p in inspect.signature(python_function).parameters.values():
        if p.kind is p.VAR_POSITIONAL:
            left = 0
        elif p.kind is p.VAR_KEYWORD or p.name == "self":
            continue
        elif p.kind is p.KEYWORD_ONLY and p.default is p.empty:
            raise TypeError(
                f"Since input_signature is defined, keyword-only parameter `{p.name}` must have a "
                "default value"
            )
        elif left:
            left -= 1
        elif p.default is p.empty:
            raise TypeError(f"input_signature missing type constraint for {p.name}")
    if left:
        raise TypeError(f"input_signature contains {left} extra type constraints.")


def parameter_names(python_function: Callable[..., Any], count: int) -> list[str]:
    """Returns names for the first `count` positional arguments; those in `*args` get new names."""
    names = [
        p.name
        for p in inspect.signature(python_function).parameters.values()
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    return [*names, *(f"args_{i}" for i in range(len(names), count))][:count]


def bound(
    names: list[str], args: tuple[Any, ...], kwargs: dict[str, Any], function: Any
) -> dict[str, Any]:
    """Returns the arguments by name; raises TypeError unless there is just one for each name."""
    if len(args) == len(names) and not kwargs:
        return dict(zip(names, args, strict=True))
    known, empty = inspect.signature(function).parameters, inspect.Parameter.empty
    own = [
        inspect.Parameter(
            name,
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=known[name].default if name in known else empty,
        )
        for name in names
    ]
    given = inspect.Signature(own, __validate_parameters__=False).bind(*args, **kwargs)
    given.apply_defaults()
    return given.arguments


def cast_to(value: Any, spec: Any, for_xla: bool | None = False) -> Any:
    """Converts a value to its part of an input signature.

    Args:
      value: The value.
      spec: Its spec, or a structure of specs.
      for_xla: Whether the shapes of composite tensors stay known, which XLA needs.
    """
    if nest.is_nested(spec):
        parts, wanted = list(nest.children_of(value)), list(nest.children_of(spec))
        if len(parts) != len(wanted):
            raise TypeError(f"Can not cast {value!r} to {spec!r}")
        return nest.rebuild(
            spec, [cast_to(x, s, for_xla) for x, s in zip(parts, wanted, strict=True)]
        )
    if isinstance(spec, TensorSpec):
        typed = isinstance(value, TensorLike)
        value = convert_to_tensor(value, None if typed else spec.dtype)
        shown: Any = TensorSpec(value.shape, value.dtype)
        wish: Any = TensorSpec(spec.shape, spec.dtype)
    else:
        shown, wish = repr(value), spec
    if not spec.is_compatible_with(value):
        raise TypeError(f"Can not cast {shown} to {wish}")
    return value if for_xla else spec._as_argument(value)


def incoming(value: Any) -> object:
    """Converts the NumPy arrays in an argument to tensors."""
    if isinstance(value, _ATOMS):
        return value
    if isinstance(value, (np.ndarray, np.generic)):
        return convert_to_tensor(value)
    if type(value) in (list, tuple, dict) or nest.is_nested(value):
        return nest.map_structure(incoming, value)
    return value


def example_of(value: Any) -> object:
    """Returns a tensor of zeros for a spec."""
    if isinstance(value, TensorSpec):
        return zeros_of(value.shape.as_list(), value.dtype)
    return value


def zeros_of(shape: Sequence[int | None], dtype: DType) -> Tensor:
    """Returns a tensor of zeros, which takes no memory, or empty strings; unknown lengths are 2."""
    known = [2 if n is None else n for n in shape]
    if dtype.name == "string":
        return Tensor(np.full(known, b"", object))
    return Tensor(np.broadcast_to(np.zeros((), dtype.np_dtype), known)[()])


def shapes_in(signature: Any) -> list[Any] | None:
    """Returns the shapes of a signature's tensors; None if it has other parts."""
    specs = [x for s in nest.flatten(signature) for x in getattr(s, "_value_specs", [s])]
    if all(type(s) is TensorSpec for s in specs):
        return [s.shape for s in specs]
    if not all(map(is_made_of_tensors, specs)):
        return None
    return [part.shape for s in specs for part in s.flatten()]


def is_made_of_tensors(spec: Any) -> bool:
    """Whether a spec defines the tensors that a value consists of."""
    return type(spec)._component_specs is not TypeSpec._component_specs


def is_traceable(spec: Any) -> bool:
    """Whether a graph can be traced for the values that a spec describes."""
    if isinstance(spec, TensorSpec):
        return True
    if not is_made_of_tensors(spec):
        return hasattr(type(spec), "_stand_in")
    return all(part.shape.rank is not None for part in spec.flatten())


class Examples:
    """Stand-ins for the tensors that specs describe, whose values don't matter.

    Attributes:
      names: The names of the specs, by the ids of the stand-ins.
      shapes: The shapes of examples with unknown lengths; None for an unknown rank.
      elements: The elements of examples of which some elements are known; None for unknown
        elements.
    """

    def __init__(self) -> None:
        self.names: dict[int, str | None] = {}
        self.shapes: dict[int, tuple[Any, ...] | None] = {}
        self.elements: dict[int, list[int | None]] = {}
        self._kept: list[Tensor] = []

    def of(self, x: Any) -> object:
        """Returns a stand-in for a leaf of the arguments."""
        if isinstance(x, TensorSpec):
            return self._tensor(x.shape._dims, x.dtype, x.name)
        if isinstance(x, SparseTensorSpec):
            return self._sparse(x)
        if isinstance(x, TypeSpec) and is_made_of_tensors(x):
            parts = [self._tensor(part.shape._dims, part.dtype) for part in x.flatten()]
            example: object = x._example(parts)
            return example
        return x._stand_in() if hasattr(type(x), "_stand_in") else x

    def note(
        self, leaves: Sequence[Tensor], inputs: Sequence[Tensor], decisions: Decisions
    ) -> None:
        """Records the known elements of a graph's inputs, which the leaves represent."""
        for leaf, x in zip(leaves, inputs, strict=True):
            known = self.elements.get(id(leaf))
            if known is not None:
                found = [decisions.new() if n is None else n for n in known]
                x._value.consists_of(np.array(found, object))

    def _tensor(self, shape: Sequence[Any] | None, dtype: DType, name: Any = None) -> Tensor:
        made = zeros_of(shape or (), dtype)
        self._kept.append(made)
        self.names[id(made)] = name
        if shape is None or None in shape:
            self.shapes[id(made)] = None if shape is None else tuple(shape)
        return made

    def _sparse(self, spec: SparseTensorSpec) -> SparseTensor:
        rank = spec.shape.rank
        places, values = self._tensor([None, rank], int64), self._tensor([None], spec.dtype)
        size = self._tensor([rank], int64)
        self.elements[id(size)] = spec.shape.as_list()
        made: SparseTensor = spec._example([places, values, size])
        return made
