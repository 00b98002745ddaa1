"""Python functions as they are now: a derivative that is taken later runs them once more.

A function given to `tf.cond` or a loop may use a variable that the program binds anew after the
call, as in `y = tf.cond(p, lambda: y * 2.0, lambda: y)`.
"""

from __future__ import annotations

import dis
from collections.abc import Callable
from copy import copy
from functools import cache, partial
from types import CellType, CodeType, FunctionType
from typing import Any, TypeVar

from gradtape._src.ops.types.tensor_array import TensorArray

F = TypeVar("F", bound=Callable[..., Any])


def frozen(function: F) -> F:
    """A function that keeps what its variables hold now.

    Variables that it assigns itself (`nonlocal`) stay shared. Functions that it uses, also in
    lists, tuples and dictionaries, are frozen, too.
    """
    kept: F = _frozen(function, {})
    return kept


def _frozen(value: Any, known: dict[int, Any]) -> Any:
    kind = type(value)
    if kind is FunctionType:
        return _frozen_function(value, known)
    if kind in (list, dict) and id(value) in known:  # it holds itself
        return known[id(value)]
    known[id(value)] = value
    if kind is partial:
        named = {name: _frozen(x, known) for name, x in value.keywords.items()}
        args = [_frozen(x, known) for x in value.args]
        return partial(_frozen(value.func, known), *args, **named)
    if kind in (list, tuple):
        parts = [_frozen(x, known) for x in value]
        if not all(a is b for a, b in zip(parts, value, strict=True)):
            known[id(value)] = kind(parts)
        return known[id(value)]
    if kind is dict:
        named = {name: _frozen(x, known) for name, x in value.items()}
        if not all(x is value[name] for name, x in named.items()):
            known[id(value)] = named
        return known[id(value)]
    return copy(value) if isinstance(value, TensorArray) else value


def _frozen_function(function: FunctionType, known: dict[int, Any]) -> Any:
    if id(function) in known:
        return known[id(function)]
    if not function.__closure__:
        return function
    code = function.__code__
    cells = []
    for name, cell in zip(code.co_freevars, function.__closure__, strict=True):
        cells.append(cell if name in _assigned(code) else CellType())
    twin = FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, tuple(cells)
    )
    twin.__kwdefaults__ = function.__kwdefaults__
    twin.__dict__.update(function.__dict__)
    known[id(function)] = twin
    for cell, before in zip(cells, function.__closure__, strict=True):
        if cell is not before:
            try:
                content = before.cell_contents
            except ValueError:  # not bound yet
                continue
            cell.cell_contents = _frozen(content, known)
    return twin


@cache
def _assigned(code: CodeType) -> frozenset[str]:
    """The free variables that a function, or one inside of it, assigns or deletes."""
    inner = [_assigned(c) for c in code.co_consts if isinstance(c, CodeType)]
    own = {
        i.argval for i in dis.get_instructions(code) if i.opname in ("STORE_DEREF", "DELETE_DEREF")
    }
    return frozenset(own.union(*inner)) & frozenset(code.co_freevars)
