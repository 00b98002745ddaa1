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
from gradtape._compile.faults import cannot_compile
from gradtape._compile.trace import Program, rebound
from gradtape._core.convert import convert_to_tensor
from gradtape._core.recorder import STACK, active_tapes, replaced
from gradtape._core.tensor import Tensor
from gradtape._core.variable import Variable

_new = object.__new__
_missing = object()


def on_device(x: Tensor) -> Any:
    """A tensor's value for a program: an array on the device, or NumPy's the first time.

    JAX takes NumPy's arrays as they are, which is the quickest for what is passed once; what
    comes back a second time is put on the device and stays there as long as the tensor lives.
    """
    kept = x.__dict__
    array = kept.get("_device")
    if array is not None:
        return array
    if "_passed" not in kept:
        kept["_passed"] = True
        return x._value
    array = kept["_device"] = jnp.asarray(x._value)
    return array


def from_device(array: Any) -> Tensor:
    """A tensor of a program's output; NumPy sees the value when something asks for it."""
    x = _new(Tensor)
    x._id = 0
    x.__dict__["_device"] = array
    return x


def variable_on_device(variable: Variable) -> Any:
    """A variable's value on the device, where it stays between the calls of programs."""
    kept = variable.__dict__
    if type(variable) is not Variable:
        return jnp.array(variable._value)
    pair = kept.get("_device")
    if pair is not None and kept.get("_value", _missing) is pair[1]:
        return pair[0]
    array = jnp.array(kept["_value"])  # a copy: programs may write into it
    kept["_device"] = (array, kept["_value"])
    return array


def _outputs(program: Program, inputs: Sequence[Tensor]) -> list[Tensor]:
    """Runs a program; variables take what it writes."""
    values = []
    for variable in program.state:
        kept = variable.__dict__
        pair = kept.get("_device") if type(variable) is Variable else None
        if pair is not None and kept.get("_value", _missing) is pair[1]:
            values.append(pair[0])
        else:
            values.append(variable_on_device(variable))
    values += [draw() for draw in program.keys]
    for x in inputs:
        array = x.__dict__.get("_device")
        values.append(on_device(x) if array is None else array)
    outs = program.run(*values)
    if outs and CPU:
        outs[-1].block_until_ready()
    if program.written:
        n = len(program.places)
        for variable, array in zip(program.written, outs[n:], strict=True):
            kept = variable.__dict__
            if type(variable) is not Variable:
                variable._settle()
            kept["_device"] = (array, _missing)
            kept.pop("_value", None)
        del outs[n:]
    return [from_device(array) for array in outs]


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
        self._kept: Program | None = None
        self._backward: dict[tuple[int, ...], Compiled] = {}

    def __call__(self, inputs: list[Tensor]) -> Any:
        """Runs the program; under other recorders in the way that each of them needs."""
        tapes = active_tapes()
        if self.spread is not None and not any(
            getattr(r, "stages", False) for r in STACK.recorders
        ):
            with replaced(()):  # no tape outside sees what replicas do
                return self._run(self.program, inputs)
        if tapes is None:
            return self.function(inputs)
        return self._recorded(inputs) if tapes else self._run(self.program, inputs)

    def _run(self, program: Program, inputs: Sequence[Tensor]) -> Any:
        return program.pack(self._outputs(program, inputs))

    def _outputs(self, program: Program, inputs: Sequence[Tensor]) -> list[Tensor]:
        if self.spread is not None:
            with jax.enable_x64(True):
                return self.spread.outputs(program, inputs)  # type: ignore[no-any-return]
        if program.wide:
            with jax.enable_x64(True):
                return _outputs(program, inputs)
        return _outputs(program, inputs)

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
            outs = self._outputs(program, inputs)
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
    pair = x.__dict__.get("_device")
    value = x._value if pair is None else pair[0] if type(pair) is tuple else pair
    return jax.ShapeDtypeStruct(value.shape, value.dtype)


CPU = jax.default_backend() == "cpu"


def spec_of(x: Tensor) -> Any:
    """What a program is compiled for."""
    value = x.__dict__.get("_device")
    part = x.__dict__.get("_part_spec")
    if part is not None:  # of each replica
        return jax.ShapeDtypeStruct(*part)
    if value is None:
        value = x._value
        if value.dtype.kind == "O":
            raise cannot_compile("a string argument", "XLA has no strings")
    return jax.ShapeDtypeStruct(value.shape, value.dtype)
