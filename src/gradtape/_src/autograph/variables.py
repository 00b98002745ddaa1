"""The variables of converted code: those that are not bound, and those of blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import CellType, FunctionType
from typing import Any

from gradtape._src.autograph.features import OPERATORS


class Undefined:
    """Stands for a variable that is not bound."""

    __slots__ = ("symbol_name",)

    def __init__(self, symbol_name: str) -> None:
        self.symbol_name = symbol_name

    def __repr__(self) -> str:
        return self.symbol_name


class UndefinedReturnValue:
    """Stands for what a function returns that has not come to a `return` yet."""


def is_undefined(value: object) -> bool:
    """Whether a value stands for what is not bound."""
    return type(value) in (Undefined, UndefinedReturnValue)


def ld(value: object) -> object:
    """Returns what a variable holds.

    Raises:
      UnboundLocalError: The variable is not bound.
    """
    if isinstance(value, Undefined):
        raise UnboundLocalError(f"'{value.symbol_name}' is used before assignment")
    return value


def ldu(load: Callable[[], Any], name: str) -> object:
    """Returns what an attribute or item holds, or `Undefined` if there isn't one."""
    try:
        return load()
    except (KeyError, AttributeError, NameError, IndexError, TypeError):
        return Undefined(name)


_EMPTY = object()


class Block:
    """Blocks of a converted function, to be run on variables of their own.

    What is traced may be run more than once, later and in any order, and must neither see nor
    change what the function's variables hold then.

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
        """The blocks on new variables that hold what they held when this object was made."""
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
    """Lets variables hold values, and puts attributes and items back afterwards.

    Those are not variables of a block's own: every run of it finds them as they were before.
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
