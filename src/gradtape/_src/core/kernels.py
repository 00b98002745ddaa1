"""Replaces the kernels and gradient rules of operations while a mode is on.

The functions that run an operation hold its kernel in a closure variable. Assigning another kernel
to this variable slows down no call before or after the mode. Tapes record as usual, and compiled
functions are not affected, since graphs take kernels from the declaration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from types import CellType
from typing import Any

from gradtape._src.core.primitive import Plan, Primitive, Rule

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
      around: A function that returns the replacement for an operation's current kernel.
    """

    def __init__(
        self, primitives: Iterable[Primitive], around: Callable[[Primitive, Kernel], Kernel]
    ) -> None:
        self._before: list[tuple[CellType, Kernel, Kernel]] = []
        for primitive in primitives:
            made: dict[Kernel, Kernel] = {}
            for cell in _cells(primitive):
                own = cell.cell_contents
                kernel = made.get(own) or made.setdefault(own, around(primitive, own))
                self._before.append((cell, own, kernel))
                cell.cell_contents = kernel

    def put_back(self) -> None:
        """Restores the operations' own kernels."""
        while self._before:
            cell, own, exchanged = self._before.pop()
            if cell.cell_contents is exchanged:
                cell.cell_contents = own


class ExchangedRules:
    """The rules that replace those by which gradients of operations are computed as raw values.

    Args:
      primitives: The operations.
      around: A function that returns the replacement for the raw rule of a plan.
    """

    def __init__(
        self, primitives: Iterable[Primitive], around: Callable[[Plan, Rule], Rule]
    ) -> None:
        self._primitives = list(primitives)
        self._around = around
        self._before: list[tuple[Plan, Rule, Rule]] = []
        for primitive in self._primitives:
            primitive.on_plan = self._exchange
            for plan in list(primitive._plans.values()):
                self._exchange(plan)

    def _exchange(self, plan: Plan) -> None:
        write = getattr(plan, "write", None)
        if write is not None:  # as its rules would otherwise be replaced at their first call
            write()
        own = plan.vjp_raw
        plan.vjp_raw = self._around(plan, own)
        self._before.append((plan, own, plan.vjp_raw))

    def put_back(self) -> None:
        """Restores the operations' own rules."""
        for primitive in self._primitives:
            primitive.on_plan = Primitive.on_plan
        while self._before:
            plan, own, exchanged = self._before.pop()
            if plan.vjp_raw is exchanged:
                plan.vjp_raw = own
