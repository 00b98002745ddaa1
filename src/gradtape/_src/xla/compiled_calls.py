"""Graphs that XLA runs: calls, device values, donation; needs JAX."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import jax

from gradtape._src.base.device_values import state_lock
from gradtape._src.compute.devices import chosen_device, jax_device
from gradtape._src.core.recorder import active_tapes, replaced
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.eager_only import active_compiler
from gradtape._src.graph.ir.graph import Graph, Node
from gradtape._src.graph.ir.state import assign_p, read_p
from gradtape._src.graph.nested.graph_call import GraphCall
from gradtape._src.graph.tracing.trace_errors import cannot_compile
from gradtape._src.xla.fast_call import (
    CPU,
    donatable,
    from_device,
    on_device,
    variable_on_device,
)
from gradtape._src.xla.placement import moved, rerun
from gradtape._src.xla.program import Program, state_spec


class CompiledCall(GraphCall):
    """A graph that XLA runs; its derivatives are graphs that XLA runs, too.

    Args:
      graph: The graph to compute.
      name: The function's name, for messages.
      sharding: The object that runs the graph on several devices, or None for one device.
      borrows: See `Program`.
    """

    def __init__(
        self, graph: Graph, name: str, sharding: Any = None, borrows: bool = False
    ) -> None:
        super().__init__(graph, name)
        # Not optimized here: XLA does that, and loops are found among the equal steps.
        self._traced = graph
        self.sharding, self._borrows = sharding, borrows
        self._programs: dict[Any, Program] = {}
        self._holding: dict[Any, CompiledCall] = {}  # with variables in place of their values

    def program_for(self, inputs: Sequence[Tensor]) -> Program:
        """Returns the program for inputs of these shapes; there are several for unknown lengths."""
        key: Any = ()
        if self._decisions is not None:
            held = [*inputs, *self.variables]
            key = tuple([spec.shape for spec in map(state_spec, held)])
        program = self._programs.get(key)
        if program is None:
            with state_lock:
                program = self._programs.get(key)
                if program is None:
                    specs = [*map(_spec_of, inputs)]
                    program = Program(self._traced, specs, self.sharding, self._borrows)
                    self._programs[key] = program
        return program

    @property
    def programs(self) -> list[Program]:
        """The programs that were made."""
        return list(self._programs.values())

    def with_variables(
        self, read: Mapping[int, Variable], assigned: Mapping[int, Variable]
    ) -> CompiledCall | None:
        """Returns a call that reads and assigns variables itself; None if that would not be faster.

        Args:
          read: The variables whose values are inputs of this call, by the position of the input.
          assigned: The variables that are given its outputs, by the position of the output.
        """
        variables = [*read.values(), *assigned.values()]
        if self.sharding is not None or not variables or not all(map(_is_plain, variables)):
            return None
        key = tuple([(i, v._id) for held in (read, assigned) for i, v in held.items()])
        with state_lock:
            if key not in self._holding:
                graph = _with_state(self._traced, read, assigned)
                self._holding[key] = CompiledCall(graph, self.name)
            return self._holding[key]

    def derived(self, graph: Graph, name: str) -> GraphCall:
        return CompiledCall(graph, name, borrows=True)

    def _is_first(self, use: Any) -> bool:
        return False  # the derivative is compiled at its first use

    def __call__(self, inputs: Sequence[Tensor]) -> list[Tensor]:
        if self.sharding is not None and active_compiler() is None:
            with replaced(()):  # Outer tapes do not see the operations of replicas.
                return self.computed(inputs)
        tapes = active_tapes()
        if tapes == ():
            return self.computed(inputs)
        return super().__call__(inputs)

    def computed(self, inputs: Sequence[Tensor]) -> list[Tensor]:
        program = self.program_for(inputs)
        with jax.enable_x64(True) if program.x64 or self.sharding else nullcontext():
            if self.sharding is None:
                return _launched(program, inputs)
            return program.filled(self.sharding.outputs(program, inputs))


def _is_plain(variable: Variable) -> bool:
    """Whether a variable has one value, whose shape does not change."""
    return not variable._replicated and variable.shape.is_fully_defined()


def _with_state(
    graph: Graph, read: Mapping[int, Variable], assigned: Mapping[int, Variable]
) -> Graph:
    """Returns a graph with reads in place of inputs, and assignments in place of outputs."""
    reads = [
        Node(read_p.primitive, (), {"variable": v}, [graph.inputs[i]], False, True)
        for i, v in read.items()
    ]
    assignments = [
        Node(assign_p.primitive, [graph.outputs[i]], {"variable": v}, (), False, True)
        for i, v in assigned.items()
    ]
    inputs = [x for i, x in enumerate(graph.inputs) if i not in read]
    outputs = [y for i, y in enumerate(graph.outputs) if i not in assigned]
    return Graph(inputs, [*reads, *graph.nodes, *assignments], outputs, graph.checks)


class _Use:
    """While it exists, prevents that a variable's memory is given to its next value."""


def _launched(program: Program, inputs: Sequence[Tensor]) -> list[Tensor]:
    """Runs a program, assigns its variables, and returns the graph's outputs."""
    keys = [draw() for draw in program.keys]
    with state_lock if program.state else nullcontext():
        values = [*map(variable_on_device, program.state), *keys, *map(on_device, inputs)]
        for i in program.donated:
            values[i] = donatable(program.state[i], values[i])
        spec = chosen_device()
        if spec is not None and (device := jax_device(spec)) is not None:
            values = moved(values, program, inputs, device)
        outs = _run(program, values, inputs)
        found = program.filled([*map(from_device, outs[: len(program.places)])])
        for place, i in program.borrowed.items():
            found[place] = x = _tensor(values[i])
            if i < len(program.state):
                x._use = use = _Use()
                program.state[i]._keep_for(use)
        program.assign(outs[len(program.places) :])
    return found


def _run(program: Program, values: list[Any], inputs: Sequence[Tensor]) -> list[Any]:
    """Returns the arrays of a program's results, on one device."""
    try:
        out = program.run(*values)
        outs: list[Any] = [out] if program.single_output else out
        if CPU and outs:
            outs[-1].block_until_ready()
    except Exception as error:  # noqa: BLE001 (raised again, most of them)
        out = rerun(program, values, inputs, error)
        outs = [out] if program.single_output else out
    return outs


def _tensor(value: Any) -> Tensor:
    return from_device(value) if isinstance(value, jax.Array) else Tensor(value)


def _spec_of(x: Tensor) -> jax.ShapeDtypeStruct:
    """Returns the shape and dtype for which a program is compiled."""
    part = x._part_spec
    if part is not None:  # the shape of each replica's part
        return jax.ShapeDtypeStruct(*part)
    spec = state_spec(x)
    if spec.dtype.kind == "O":
        if x._value.ndim == 0 and hasattr(x._value.item(), "element_spec"):
            raise cannot_compile("an argument that is a dataset", "XLA cannot iterate over it")
        raise cannot_compile("a string argument", "XLA has no strings")
    return spec
