"""Calls of compiled functions: device values, donation, gradients by outer tapes; needs JAX."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

import jax
import numpy as np

from gradtape._src.autodiff.custom import _record
from gradtape._src.autodiff.tape import GradientTape
from gradtape._src.base import nest
from gradtape._src.base.device_values import device_array, move_variable, state_lock
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.recorder import STACK, active_tapes, replaced
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.eager_only import active_compiler
from gradtape._src.graph.devices import chosen_device, jax_device
from gradtape._src.graph.ir.trace_errors import cannot_compile
from gradtape._src.xla.fast_call import (
    CPU,
    donatable,
    from_device,
    on_device,
    variable_on_device,
)
from gradtape._src.xla.placement import moved, rerun
from gradtape._src.xla.random_replay import replaying_random_state
from gradtape._src.xla.trace import Program, rebound


def _values(program: Program, inputs: Sequence[Tensor], keys: Sequence[Any]) -> list[Any]:
    """Returns the inputs of a program for a call."""
    return [*map(variable_on_device, program.state), *keys, *map(on_device, inputs)]


def _launch(
    program: Program, inputs: Sequence[Tensor], keys: Sequence[Any] | None = None
) -> list[Any]:
    """Runs a program, assigns its variables, and returns the arrays of the outputs."""
    keys = [draw() for draw in program.keys] if keys is None else keys
    with state_lock if program.state else nullcontext():
        values = _values(program, inputs, keys)
        for i in program.donated:
            values[i] = donatable(program.state[i], values[i])
        spec = chosen_device()
        if spec is not None and (device := jax_device(spec)) is not None:
            values = moved(values, program, inputs, device)
        try:
            out = program.run(*values)
            outs: list[Any] = [out] if program.single_output else out
            if CPU and outs:
                outs[-1].block_until_ready()
        except Exception as error:  # noqa: BLE001 (raised again, most of them)
            out = rerun(program, values, inputs, error)
            outs = [out] if program.single_output else out
        for variable in program.written:
            if variable._replicated:
                variable._settle()
        count = len(program.places)
        for variable, array in zip(program.written, outs[count:], strict=True):
            move_variable(variable, array)
        return outs[:count]


class Compiled:
    """One function for tensors of fixed shapes and dtypes, as an XLA program.

    Args:
      function: A function of a list of tensors.
      specs: The `jax.ShapeDtypeStruct` of each tensor.
      sharding: The object that runs the program on several devices, or None for one device.
    """

    def __init__(
        self, function: Callable[[list[Tensor]], Any], specs: Sequence[Any], sharding: Any = None
    ) -> None:
        self.function = function
        self.specs = list(specs)
        self.sharding = sharding
        with jax.enable_x64(True), replaced(()), state_lock:
            self.program = Program(function, self.specs, sharding=sharding)
        self.run = self._runner()
        self._kept: Program | None = None
        self._backward: dict[tuple[int, ...], Compiled] = {}

    def __call__(self, inputs: list[Tensor]) -> Any:
        """Runs the program; other active recorders are served as each of them requires."""
        tapes = active_tapes()
        if self.sharding is not None and active_compiler() is None:
            with replaced(()):  # Outer tapes do not see the operations of replicas.
                return self.run(inputs)
        if tapes is None:
            return self.function(inputs)
        if all(recorder.passive for recorder in tapes):  # None of the recorders records values.
            for variable in self.program.written:
                for recorder in tapes:
                    recorder.variable_written(variable)
            return self.run(inputs)
        return self._recorded(inputs)

    def _runner(self) -> Callable[[Sequence[Tensor]], Any]:
        """Returns a function that runs the program without recorders, and returns the result."""
        program, pack = self.program, self.program.pack

        def run(inputs: Sequence[Tensor]) -> Any:
            return pack([from_device(array) for array in _launch(program, inputs)])

        def everywhere(inputs: Sequence[Tensor]) -> Any:
            return pack(self.sharding.outputs(program, inputs))

        if self.sharding is not None:
            return _with_64_bits(everywhere)
        return _with_64_bits(run) if program.x64 else run

    # Under tapes: a single record, whose vjp is a compiled program, too.

    def _recorded(self, inputs: list[Tensor]) -> Any:
        program = self.program
        if program.donates:  # The gradient needs the values before the call.
            if self._kept is None:
                with jax.enable_x64(True), replaced(()), state_lock:
                    self._kept = Program(self.function, self.specs, donate=False)
            program = self._kept
        tapes = STACK.recorders
        variables = [*program.written, *program.read]
        for variable in variables:
            for tape in tapes:
                tape.variable_read(variable)
        for variable in program.written:
            for tape in tapes:
                tape.variable_written(variable)
        captured = [
            x
            for ref in program.constants
            if (x := ref()) is not None and x._id and any(x._id in t.ids for t in tapes)
        ]
        with jax.enable_x64(True):
            before = []
            for variable in variables:
                value = from_device(variable_on_device(variable))
                value._id = variable._id
                before.append(value)
            keys = [draw() for draw in program.keys]  # The vjp draws the same random numbers.
            with replaced(()):
                outs = [from_device(array) for array in _launch(program, inputs, keys)]
        sources: list[Any] = [*inputs, *before, *captured]
        backward = self._backward_of(program, variables, captured)
        instance = getattr(self.function, "function", lambda: None)()

        # Kept for gradients of higher order.
        def vjp(dys: Sequence[Any], _: Any = instance) -> list[Any]:
            given = [d._value if type(d) is Variable else d for d in dys]
            return list(backward([*sources, *given, *map(Tensor, keys)]))

        for variable in variables:  # No program may overwrite their values until then.
            variable._keep_for(vjp)
        _record([*inputs, *variables, *captured], outs, vjp)
        return program.pack(outs)

    def _backward_of(
        self, program: Program, variables: list[Variable], captured: list[Tensor]
    ) -> Compiled:
        key = tuple(x._id for x in captured)
        found = self._backward.get(key)
        if found is None:
            bound: list[Any] = [*variables, *captured]
            n, function = len(self.specs), self.function

            def backward(values: list[Tensor]) -> list[Any]:
                inputs, rest = values[:n], values[n:]
                stand_ins, rest = rest[: len(bound)], rest[len(bound) :]
                dys, keys = rest[: len(program.outputs)], rest[len(program.outputs) :]
                with rebound(bound, stand_ins), replaying_random_state([*program.streams], keys):
                    tape = GradientTape(watch_accessed_variables=False)
                    with tape:
                        sources = [*inputs, *bound]
                        tape.watch([x for x in sources if x.dtype.differentiable])
                        out = function(inputs)
                    flat = nest.flatten(out, expand_composites=True)
                    outs = [flat[i] for i in program.places]
                    live = [
                        (y, d)
                        for y, d in zip(outs, dys, strict=True)
                        if type(y) is Tensor and y.dtype.differentiable
                    ]
                    return _gradients(tape, live, sources)

            specs = [*self.specs, *map(state_spec, bound), *program.outputs]
            specs += [jax.ShapeDtypeStruct((2,), np.uint32) for _ in program.keys]
            found = self._backward[key] = Compiled(backward, specs)
        return found


def _with_64_bits(run: Callable[[Sequence[Tensor]], Any]) -> Callable[[Sequence[Tensor]], Any]:
    def in_64_bits(inputs: Sequence[Tensor]) -> Any:
        with jax.enable_x64(True):
            return run(inputs)

    return in_64_bits


def _gradients(
    tape: GradientTape, live: Sequence[tuple[Any, Any]], sources: list[Any]
) -> list[Any]:
    """Returns the gradients of the sources; `IndexedSlices` become dense."""
    found = tape.gradient([y for y, _ in live], sources, output_gradients=[d for _, d in live])
    return [_dense(g) for g in found]


def _dense(g: Any) -> Any:
    if type(g) is not IndexedSlices:
        return g
    return g.values if g.dense_shape is None else convert_to_tensor(g)


def state_spec(x: Any) -> jax.ShapeDtypeStruct:
    """Returns the current shape and dtype of a tensor or variable as a `jax.ShapeDtypeStruct`."""
    array = device_array(x)
    value = x._value if array is None else array
    return jax.ShapeDtypeStruct(value.shape, value.dtype)


def spec_of(x: Tensor) -> jax.ShapeDtypeStruct:
    """Returns the shape and dtype for which a program is compiled."""
    part = x._part_spec
    if part is not None:  # the shape in each replica
        return jax.ShapeDtypeStruct(*part)
    if device_array(x) is None and x._value.dtype.kind == "O":
        if x._value.ndim == 0 and hasattr(x._value.item(), "element_spec"):
            raise cannot_compile("an argument that is a dataset", "XLA has no iteration over it")
        raise cannot_compile("a string argument", "XLA has no strings")
    return state_spec(x)
