"""The variables of converted code: unbound variables, and the variables of blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import CellType, FunctionType
from typing import Any

from gradtape._src.autograph.features import OPERATORS


class Undefined:
    """Represents a variable that is not bound."""

    __slots__ = ("symbol_name",)

    def __init__(self, symbol_name: str) -> None:
        self.symbol_name = symbol_name

    def __repr__(self) -> str:
        return self.symbol_name


class UndefinedReturnValue:
    """Represents the result of a function that has not reached a `return` yet."""


def is_undefined(value: object) -> bool:
    """Whether a value represents an unbound variable."""
    return type(value) in (Undefined, UndefinedReturnValue)


def ld(value: object) -> object:
    """Returns the value of a variable.

    Raises:
      UnboundLocalError: The variable is not bound.
    """
    if isinstance(value, Undefined):
        raise UnboundLocalError(f"'{value.symbol_name}' is used before assignment")
    return value


def ldu(load: Callable[[], Any], name: str) -> object:
    """Returns the value of an attribute or item, or `Undefined` if there isn't one."""
    try:
        return load()
    except (KeyError, AttributeError, NameError, IndexError, TypeError):
        return Undefined(name)


_EMPTY = object()


class Block:
    """Blocks of a converted function, which run on their own copies of its variables.

    A traced block may run more than once, later and in any order, and must neither see nor change
    the current values of the function's variables.

    Args:
      functions: The blocks, all of the same function: they share its variables.
    """

    def __init__(self, *functions: FunctionType) -> None:
        self._functions = functions
        self._held: dict[int, tuple[CellType, Any]] = {}
        for function in functions:
            names = function.__code__.co_freevars
            for name, cell in zip(names, function.__closure__ or (), strict=True):
                if name != OPERATORS and id(cell) not in self._held:
                    self._held[id(cell)] = cell, _content(cell)

    def fresh(self) -> list[Any]:
        """Returns the blocks on new variables, with the values from when this object was made."""
        cells = {
            i: CellType() if value is _EMPTY else CellType(value)
            for i, (_, value) in self._held.items()
        }
        return [_twin(function, cells) for function in self._functions]


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not bound yet
        return _EMPTY


def _twin(function: FunctionType, cells: dict[int, CellType]) -> FunctionType:
    closure = tuple([cells.get(id(cell), cell) for cell in function.__closure__ or ()])
    return FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, closure
    )


@contextmanager
def holding(
    get_state: Any, set_state: Any, names: Sequence[str], values: Sequence[Any]
) -> Iterator[None]:
    """Sets variables, and restores attributes and items afterwards.

    Attributes and items are shared between blocks, and every run must find them unchanged.
    """
    places = [i for i, name in enumerate(names) if "." in name or "[" in name]
    before = get_state() if places else ()
    set_state(tuple(values))
    try:
        yield
    finally:
        now = list(get_state()) if places else []
        if any(now[i] is not before[i] for i in places):
            for i in places:
                now[i] = before[i]
            set_state(tuple(now))
