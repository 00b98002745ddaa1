"""Calling compiled functions: values on the device, donation, gradients from outside; needs JAX."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from gradtape._autodiff.custom import _record
from gradtape._autodiff.tape import GradientTape
from gradtape._base import nest
from gradtape._base.indexed_slices import IndexedSlices
from gradtape._base.on_device import (
    MISSING,
    device_array,
    move_variable,
    note_array,
    note_variable,
)
from gradtape._compile.devices import chosen_device, jax_device, tell_jax
from gradtape._compile.faults import cannot_compile
from gradtape._compile.placement import common_device, lost, moved
from gradtape._compile.trace import Program, rebound
from gradtape._core.convert import convert_to_tensor
from gradtape._core.recorder import STACK, active_tapes, replaced
from gradtape._core.tensor import Tensor
from gradtape._core.variable import Variable

_new = object.__new__
_missing = MISSING
tell_jax()
CPU = jax.default_backend() == "cpu"


def on_device(x: Tensor) -> Any:
    """A tensor's value for a program: an array on the device, or NumPy's the first time.

    JAX takes NumPy's arrays as they are, which is the quickest for what is passed once; what
    comes back a second time is put on the device and stays there as long as the tensor lives.
    """
    array = device_array(x)
    if array is not None:
        return array
    kept = x.__dict__
    if "_passed" not in kept:
        kept["_passed"] = True
        return x._value
    array = jnp.asarray(x._value)
    note_array(x, array)
    return array


def from_device(array: Any) -> Tensor:
    """A tensor of a program's output; NumPy sees the value when something asks for it."""
    x = _new(Tensor)
    x._id = 0
    x._device = array
    return x


def variable_on_device(variable: Variable) -> Any:
    """A variable's value on the device, where it stays between the calls of programs."""
    if type(variable) is not Variable and hasattr(variable, "_settle"):
        return jnp.array(variable._value)  # on several devices
    array = device_array(variable)
    if array is None:
        array = jnp.array(variable._value)  # a copy: programs may write into it
        note_variable(variable, array)
    return array


def _launcher(program: Program) -> Callable[[Sequence[Tensor]], list[Any]]:  # noqa: C901
    """The function that runs a program; variables take what it writes.

    It answers with the arrays of the outputs. It is the whole of what a call costs beside JAX, so
    that it is written out.
    """
    run, keys, written = program.run, program.keys, program.written
    state = [(v, not hasattr(v, "_settle")) for v in program.state]  # on one device, or several
    count = len(program.places)
    place, known = chosen_device, variable_on_device

    def launch(inputs: Sequence[Tensor]) -> list[Any]:  # noqa: C901
        values = []
        for variable, plain in state:
            kept = variable.__dict__
            held = kept.get("_device") if plain else None
            if held is not None and kept.get("_value", MISSING) is held[1]:
                values.append(held[0])
            else:
                values.append(known(variable))
        if keys:
            values.extend([draw() for draw in keys])
        for x in inputs:
            array = x._device
            values.append(on_device(x) if array is None else array)
        spec = place()
        if spec is not None and (device := jax_device(spec)) is not None:
            values = moved(values, program, inputs, device)
        try:
            outs: list[Any] = run(*values)
            if CPU and outs:
                outs[-1].block_until_ready()
        except Exception as error:  # noqa: BLE001 (raised again, most of them)
            outs = _again(program, values, inputs, error)
        if written:
            for variable, array in zip(written, outs[count:], strict=True):
                if type(variable) is not Variable and hasattr(variable, "_settle"):
                    variable._settle()
                move_variable(variable, array)
            del outs[count:]
        return outs

    return launch


def _again(
    program: Program, values: list[Any], inputs: Sequence[Tensor], error: Exception
) -> list[Any]:
    """Runs a program whose inputs lie on several devices on one of them; raises other errors."""
    if isinstance(error, ValueError) and "incompatible devices" in str(error):
        outs: list[Any] = program.run(*moved(values, program, inputs, common_device(values)))
        return outs
    problem = lost(program, error)
    if problem is None:
        raise error
    raise problem from error


class Compiled:
    """One function for tensors of fixed shapes and dtypes, as a program of XLA's.

    Args:
      function: Takes the list of tensors.
      specs: What `jax.ShapeDtypeStruct` says of each.
      spread: What runs the program on several devices at once; None for one.
    """

    def __init__(
        self, function: Callable[[list[Tensor]], Any], specs: Sequence[Any], spread: Any = None
    ) -> None:
        self.function = function
        self.specs = list(specs)
        self.spread = spread
        with jax.enable_x64(True), replaced(()):
            self.program = Program(function, self.specs, spread=spread)
        self.run = self._runner()
        self._kept: Program | None = None
        self._backward: dict[tuple[int, ...], Compiled] = {}

    def __call__(self, inputs: list[Tensor]) -> Any:
        """Runs the program; under other recorders in the way that each of them needs."""
        tapes = active_tapes()
        if self.spread is not None and not any(
            getattr(r, "stages", False) for r in STACK.recorders
        ):
            with replaced(()):  # no tape outside sees what replicas do
                return self.run(inputs)
        if tapes is None:
            return self.function(inputs)
        return self._recorded(inputs) if tapes else self.run(inputs)

    def _runner(self) -> Callable[[Sequence[Tensor]], Any]:
        """What runs the program where nobody watches, and gives the function's result."""
        program = self.program
        launch, pack, new = _launcher(program), program.pack, _new

        def one(inputs: Sequence[Tensor]) -> Any:
            x = new(Tensor)
            x._id = 0
            x._device = launch(inputs)[0]
            return x

        def several(inputs: Sequence[Tensor]) -> Any:
            return pack([from_device(array) for array in launch(inputs)])

        def everywhere(inputs: Sequence[Tensor]) -> Any:
            return pack(self.spread.outputs(program, inputs))

        if self.spread is not None:
            return _with_64_bits(everywhere)
        run = one if program.single else several
        return _with_64_bits(run) if program.wide else run

    # Under tapes: one record, whose pull-back is a program too.

    def _recorded(self, inputs: list[Tensor]) -> Any:
        program = self.program
        if program.donates:  # the values before the call are needed for the gradient
            if self._kept is None:
                with jax.enable_x64(True), replaced(()):
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
            with replaced(()):
                outs = [from_device(array) for array in _launcher(program)(inputs)]
        sources: list[Any] = [*inputs, *before, *captured]
        backward = self._backward_of(program, variables, captured)

        def pull(dys: Sequence[Any]) -> list[Any]:
            given = [d._value if type(d) is Variable else d for d in dys]
            return list(backward([*sources, *given]))

        _record([*inputs, *variables, *captured], outs, pull)
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
                stand_ins, dys = rest[: len(bound)], rest[len(bound) :]
                with rebound(bound, stand_ins):
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

            specs = [*self.specs, *map(_spec, bound), *program.outputs]
            found = self._backward[key] = Compiled(backward, specs)
        return found


def _with_64_bits(run: Callable[[Sequence[Tensor]], Any]) -> Callable[[Sequence[Tensor]], Any]:
    def wide(inputs: Sequence[Tensor]) -> Any:
        with jax.enable_x64(True):
            return run(inputs)

    return wide


def _gradients(
    tape: GradientTape, live: Sequence[tuple[Any, Any]], sources: list[Any]
) -> list[Any]:
    """The sources' gradients; rows become whole tensors."""
    found = tape.gradient([y for y, _ in live], sources, output_gradients=[d for _, d in live])
    return [_dense(g) for g in found]


def _dense(g: Any) -> Any:
    if type(g) is not IndexedSlices:
        return g
    return g.values if g.dense_shape is None else convert_to_tensor(g)


def _spec(x: Any) -> Any:
    array = device_array(x)
    value = x._value if array is None else array
    return jax.ShapeDtypeStruct(value.shape, value.dtype)


def spec_of(x: Tensor) -> Any:
    """What a program is compiled for."""
    value = device_array(x)
    part = x.__dict__.get("_part_spec")
    if part is not None:  # of each replica
        return jax.ShapeDtypeStruct(*part)
    if value is None:
        value = x._value
        if value.dtype.kind == "O":
            raise cannot_compile("a string argument", "XLA has no strings")
    return jax.ShapeDtypeStruct(value.shape, value.dtype)
