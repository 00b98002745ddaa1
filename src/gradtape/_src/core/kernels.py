"""Replaces the kernels of operations while a mode that observes them is on.

The functions that run an operation hold its kernel in a closure variable. Assigning another kernel
to this variable slows down no call before or after the mode. Tapes record as usual, and compiled
functions are not affected, since graphs take kernels from the declaration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from types import CellType
from typing import Any

from gradtape._src.core.primitive import Primitive

Kernel = Callable[..., Any]


def _cells(primitive: Primitive) -> Iterator[CellType]:
    """Returns the closure variables in which the functions of an operation hold its kernel."""
    run: Any = primitive.bind
    paths = [run, getattr(run, "operator", None), getattr(run, "of_arguments", None)]
    if hasattr(run, "paths"):
        paths += run.paths()
    for path in [path for path in paths if path is not None]:
        names = path.__code__.co_freevars
        if "kernel" in names:
            yield path.__closure__[names.index("kernel")]


class ExchangedKernels:
    """The kernels that replace those of operations, until `put_back`.

    Args:
      primitives: The operations.
      around: A function that returns the replacement for an operation's kernel.
    """

    def __init__(
        self, primitives: Iterable[Primitive], around: Callable[[Primitive], Kernel]
    ) -> None:
        self._before: list[tuple[CellType, Kernel, Kernel]] = []
        for primitive in primitives:
            kernel = around(primitive)
            for cell in _cells(primitive):
                self._before.append((cell, cell.cell_contents, kernel))
                cell.cell_contents = kernel

    def put_back(self) -> None:
        """Restores the operations' own kernels."""
        while self._before:
            cell, own, exchanged = self._before.pop()
            if cell.cell_contents is exchanged:
                cell.cell_contents = own
