"""Fast paths for queries that Keras makes at every operation, for plain tensors.

These are the common dtype of two values and its name, whether a value is symbolic, and the leaves
of a structure. Other values are passed to Keras' own functions.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import DType
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable

LEAVES = {Tensor, Variable, float, int, bool, str, bytes, type(None), np.ndarray}
"""Types of leaves, to which Keras' class of variables is added when it is loaded."""


def standardize_dtype(original: Any, module: Any) -> Callable[..., Any]:
    """Caches the names of dtypes."""
    known: dict[Any, str] = {}

    @functools.wraps(original)
    def standardize_dtype(dtype: Any) -> Any:
        kind = type(dtype)
        if kind is not str and kind is not DType:
            return original(dtype)
        name = known.get(dtype)
        if name is None:
            name = known[dtype] = original(dtype)
        return name

    return standardize_dtype


def result_type(original: Any, module: Any) -> Callable[..., Any]:
    """Caches the common dtypes."""
    floatx = module.config.floatx
    known: dict[Any, str] = {}

    @functools.wraps(original)
    def result_type(*given: Any) -> Any:
        try:
            key = (floatx(), *[id(d) if type(d) is DType else d for d in given])
            found = known.get(key)
        except TypeError:
            return original(*given)
        if found is None:
            found = known[key] = original(*given)
        return found

    return result_type


def any_symbolic_tensors(original: Any, module: Any) -> Callable[..., bool]:
    """Returns False for plain values by their type."""
    leaves = LEAVES

    @functools.wraps(original)
    def any_symbolic_tensors(args: Any = None, kwargs: Any = None) -> bool:
        if args:
            for x in args:
                if type(x) not in leaves:
                    out: bool = original(args, kwargs)
                    return out
        if kwargs:
            for x in kwargs.values():
                if type(x) not in leaves:
                    other: bool = original(None, kwargs)
                    return other
        return False

    return any_symbolic_tensors


def is_nested(original: Any, module: Any) -> Callable[..., bool]:
    """Returns False for tensors by their type."""
    leaves = LEAVES - {type(None)}

    @functools.wraps(original)
    def is_nested(structure: Any) -> bool:
        return type(structure) not in leaves and original(structure)

    return is_nested


def flatten(original: Any, module: Any) -> Callable[..., list[Any]]:
    """Returns a list with the tensor if the structure is a single tensor."""
    leaves = LEAVES - {type(None)}

    @functools.wraps(original)
    def flatten(structure: Any) -> Any:
        return [structure] if type(structure) in leaves else original(structure)

    return flatten


def map_structure(original: Any, module: Any) -> Callable[..., Any]:
    """Calls the function directly for one leaf and for small flat containers."""
    leaves = LEAVES  # extended when Keras' variables are loaded

    @functools.wraps(original)
    def map_structure(func: Callable[..., Any], *structures: Any, none_is_leaf: bool = True) -> Any:
        if len(structures) == 1 and none_is_leaf:
            given = structures[0]
            kind = type(given)
            if kind in leaves:
                return func(given)
            if (kind is tuple or kind is list) and all(type(x) in leaves for x in given):
                return kind([func(x) for x in given])
            if kind is dict and (
                not given or (len(given) == 1 and all(type(x) in leaves for x in given.values()))
            ):
                return {key: func(x) for key, x in given.items()}
        return original(func, *structures, none_is_leaf=none_is_leaf)

    return map_structure
