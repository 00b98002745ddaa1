"""Traces the parts of conditionals and loops, in which variables and random streams are values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import as_dtype
from gradtape._src.core.recorder import replaced
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.eager_only import CONCRETE
from gradtape._src.declare.unknown_sizes import are_alike
from gradtape._src.graph.ir.graph import CannotTrace, Symbol
from gradtape._src.graph.ir.state import read_assigned_p
from gradtape._src.graph.tracing.random_draws import Key, TracedEngine, fold_key_p, generator_of
from gradtape._src.graph.tracing.tracer import Tracer

ASSIGNS_AND_CALLS = "a branch or loop that assigns variables and calls Python functions"


class ReadsVariables(BaseException):
    """A part calls Python functions that may change variables, and is traced again to read them."""


class PartTracer(Tracer):
    """Traces a branch or a loop's body, whose graph depends only on its inputs.

    Args:
      outer: The tracer of the surrounding function.
      reads: Whether variables are read whenever they are used, since Python functions may change
        them.

    Attributes:
      state: The symbol of each variable's initial value, by id.
      keys: The random key of each stream.
      calls_python: Whether the part calls Python functions.
    """

    def __init__(self, outer: Tracer, reads: bool = False) -> None:
        super().__init__(sharding=outer.sharding)
        self.calls_python = self._reads = reads
        self.outer: Tracer = outer
        self.decisions, self.first_id = outer.decisions, outer.first_id
        self.infers, self.for_xla = outer.infers, outer.for_xla
        self.in_section = outer.in_section
        self.state: dict[int, Symbol] = {}
        self.keys: dict[Any, Key] = {}
        self._assigned: dict[int, Variable] = {}
        outer._parts.append(self)

    def _hold(self, variable: Variable) -> None:
        if variable._id in self.variables:
            return
        if not (self.for_xla or variable.shape.is_fully_defined()):
            raise CannotTrace("a variable whose shape may change, in a branch or loop")
        self.outer._hold(variable)
        value = variable._at_hand()
        own = self.symbol((value.shape, value.dtype))
        self.variables[variable._id] = variable
        self.state[variable._id] = own
        self._notes[variable._id] = value
        variable._put(own)
        if self._reads:
            self._read_changed(variable)

    def _read_changed(self, variable: Variable) -> None:
        """Reads a variable that a Python function may have changed."""
        own = self.state[variable._id]
        value = self._read(variable, (own.shape, own.np_dtype))
        with replaced((self,)):
            variable._put(read_assigned_p(Tensor(value), Tensor(own))._value)

    def _read_again(self, variable: Variable) -> None:
        self._hold(variable)
        if variable._id in self._assigned:
            self._read_assigned(variable)

    def variable_written(self, variable: Variable) -> None:
        if self.calls_python:
            raise CannotTrace(ASSIGNS_AND_CALLS)
        super().variable_written(variable)
        for each in self._held_of(variable, True):
            if each._id in self.written:
                self._assigned[each._id] = each

    def read_assigned(self) -> dict[int, Tensor]:
        """Returns the values of the assigned variables, by id, for what comes after the part."""
        for variable in [*self._assigned.values()]:
            self._read_assigned(variable)
        return {i: Tensor(v._at_hand()) for i, v in self.written.items()}

    def _read_assigned(self, variable: Variable) -> None:
        """Replaces an assigned value by one whose gradient is that of the variable."""
        del self._assigned[variable._id]
        value, own = variable._at_hand(), self.state[variable._id]
        if as_dtype(value.dtype).differentiable and are_alike(value.shape, own.shape):
            with replaced((self,)):
                variable._put(read_assigned_p(Tensor(value), Tensor(own))._value)

    def settle(self) -> None:
        if self._dirty:
            raise CannotTrace("an effect after an assignment in a branch or loop")
        own = {i: self.variables[i]._at_hand() for i in self._notes}
        self.restore()  # The assignments before this part need the values of that time.
        self.outer.settle()
        for i, value in own.items():
            self.variables[i]._put(value)

    def read_again(self) -> None:
        self.calls_python = True
        if self.written:
            raise CannotTrace(ASSIGNS_AND_CALLS)
        if self.variables and not self._reads:
            raise ReadsVariables
        self._reads = True
        for variable in self.variables.values():
            self._read_changed(variable)

    def restore(self) -> None:
        for i, value in self._notes.items():
            self.variables[i]._put(value)

    def finish(self) -> None:
        super().finish()
        for table in (self.state, self.keys, self._assigned):
            table.clear()

    # Random numbers.

    def engine(
        self, stream: Any, draw_key: Any, make: Callable[[], Any] | None = None
    ) -> TracedEngine:
        if not isinstance(stream, (Symbol, *CONCRETE)):
            return TracedEngine(self, self.key(stream, draw_key)._value, None, generator_of)
        return super().engine(stream, draw_key, make)

    def key(self, stream: Any, draw_key: Callable[[], Any]) -> Tensor:
        place = self._of_replica(stream)
        own = self.keys.get(place)
        if own is None:
            outer = self.outer.key(stream, draw_key)
            own = self.keys[place] = Key(outer, self.symbol(((2,), np.dtype(np.uint32))))
        own.count += 1
        with replaced((self,)):
            return fold_key_p(Tensor(own.symbol), n=own.count)
