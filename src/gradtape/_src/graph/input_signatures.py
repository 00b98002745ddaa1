"""The shapes and dtypes that arguments of a function are to have, and arguments made to fit."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape._src.base import nest
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.graph.abstract_evaluation import FILLS, example
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


def signature_of(python_function: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(python_function)


def parameter_names(python_function: Callable[..., Any], count: int) -> list[str]:
    """The names of the first `count` positional parameters; made up behind `*args`."""
    names = [
        p.name
        for p in signature_of(python_function).parameters.values()
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    return [*names, *(f"args_{i}" for i in range(len(names), count))][:count]


def bound(
    names: list[str], args: tuple[Any, ...], kwargs: dict[str, Any], function: Any
) -> dict[str, Any]:
    """The arguments by name; TypeError unless there is just one for each name."""
    if len(args) > len(names):
        raise TypeError("too many positional arguments")
    if unknown := [name for name in kwargs if name not in names]:
        raise TypeError(f"got an unexpected keyword argument {unknown[0]!r}")
    if twice := [name for name in names[: len(args)] if name in kwargs]:
        raise TypeError(f"multiple values for argument {twice[0]!r}")
    given = dict(zip(names, args, strict=False)) | kwargs
    if missing := [name for name in names if name not in given]:
        parameters = signature_of(function).parameters
        defaults = {n: p.default for n, p in parameters.items() if p.default is not p.empty}
        given.update({name: defaults[name] for name in missing if name in defaults})
        missing = [name for name in missing if name not in given]
    if missing:
        raise TypeError(f"missing a required argument: {missing[0]!r}")
    return given


def cast_to(value: Any, spec: Any) -> Any:
    """A value as its part of an input signature demands it."""
    if nest.is_nested(spec):
        parts, wanted = list(nest.children_of(value)), list(nest.children_of(spec))
        if len(parts) != len(wanted):
            raise TypeError(f"Can not cast {value!r} to {spec!r}")
        return nest.rebuild(spec, [cast_to(x, s) for x, s in zip(parts, wanted, strict=True)])
    if isinstance(spec, TensorSpec):
        typed = isinstance(value, TensorLike)
        value = convert_to_tensor(value, None if typed else spec.dtype)
        shown: Any = TensorSpec(value.shape, value.dtype)
        wish: Any = TensorSpec(spec.shape, spec.dtype)
    else:
        shown, wish = repr(value), spec
    if not spec.is_compatible_with(value):
        raise TypeError(f"Can not cast {shown} to {wish}")
    return value


def incoming(value: Any) -> object:
    """An argument with its NumPy arrays as tensors."""
    if isinstance(value, _ATOMS):
        return value
    if isinstance(value, (np.ndarray, np.generic)):
        return convert_to_tensor(value)
    if type(value) in (list, tuple, dict) or nest.is_nested(value):
        return nest.map_structure(incoming, value)
    return value


def example_of(value: Any) -> object:
    """A tensor of zeros for a spec."""
    if isinstance(value, TensorSpec):
        return example(value.shape.as_list(), value.dtype, FILLS[0])
    return value


def shapes_in(signature: Any) -> list[Any] | None:
    """The shapes of a signature's tensors; None if something else is in it."""
    specs = nest.flatten(signature)
    return [s.shape for s in specs] if all(type(s) is TensorSpec for s in specs) else None


def is_traceable(spec: Any) -> bool:
    """Whether there can be a graph for what a spec describes."""
    if isinstance(spec, TensorSpec):
        return spec.shape.rank is not None
    return hasattr(type(spec), "_example")
