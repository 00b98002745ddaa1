"""The shortest way to call a compiled function again: all in one Python frame; needs JAX."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax

from gradtape._base.on_device import MISSING, device_array, move_variable, note_array, note_variable
from gradtape._compile.devices import chosen_device, tell_jax
from gradtape._compile.placement import rerun
from gradtape._compile.replicas import OTHERWISE, apart, never
from gradtape._compile.signatures import tensor_key
from gradtape._compile.trace import Program
from gradtape._core.recorder import active_tapes
from gradtape._core.tensor import Tensor
from gradtape._core.variable import Variable

tell_jax()
CPU = jax.default_backend() == "cpu"
_new = object.__new__


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
    array = jax.numpy.asarray(x._value)
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
        return jax.numpy.array(variable._value)  # on several devices
    array = device_array(variable)
    if array is None:
        array = jax.numpy.array(variable._value)  # a copy: programs may write into it
        note_variable(variable, array)
    return array


def state_reader(program: Program) -> Callable[[], list[Any]]:
    """What fetches the values of a program's variables, and draws its random keys."""
    state = [(v, not hasattr(v, "_settle")) for v in program.state]  # on one device, or several
    keys, known = program.keys, variable_on_device

    def read() -> list[Any]:
        values = []
        for variable, plain in state:
            kept = variable.__dict__
            held = kept.get("_device") if plain else None
            if held is not None and kept.get("_value", MISSING) is held[1]:
                values.append(held[0])
            else:
                values.append(known(variable))
        values.extend([draw() for draw in keys])
        return values

    return read


def state_writer(program: Program) -> Callable[[list[Any]], None]:
    """What gives variables the values that a program wrote, and takes these off the outputs."""
    count, written = len(program.places), program.written
    several = [v for v in written if hasattr(v, "_settle")]

    def write(outs: list[Any]) -> None:
        for variable in several:
            variable._settle()
        for variable, array in zip(written, outs[count:], strict=True):
            move_variable(variable, array)
        del outs[count:]

    return write


def quick_call(  # noqa: C901
    program: Program, keys: Sequence[Any], counted: list[int]
) -> Callable[[tuple[Any, ...]], Any]:
    """A function of the positional arguments that runs a program, or answers OTHERWISE.

    It is for calls with tensors alone, of the shapes and dtypes that the program is for, that no
    tape, replica or `tf.device` sees. What stands here is what a call costs beside JAX.

    Args:
      program: What to run.
      keys: The shape and dtype of each argument.
      counted: How many runs there were, in a list of one.
    """
    number, pack, run, cpu = len(keys), program.pack, program.run, CPU
    read = state_reader(program) if program.state or program.keys else None
    write = state_writer(program) if program.written else None
    new, known, key_of, otherwise = _new, on_device, tensor_key, OTHERWISE
    tapes, nobody, place, replica = active_tapes, (), chosen_device, apart
    lone = program.lone
    out_key = next(((s.shape, s.dtype) for s in program.outputs), None)

    def call(args: tuple[Any, ...]) -> Any:  # noqa: C901 (written out: frames cost time)
        if len(args) != number or tapes() is not nobody:
            return otherwise
        if place() is not None or replica[-1] is not never:
            return otherwise
        inputs = []
        for x, key in zip(args, keys):  # noqa: B905 (of one length)
            if type(x) is not Tensor or (x._key or key_of(x)) != key:
                return otherwise
            array = x._device
            inputs.append(known(x) if array is None else array)
        counted[0] += 1
        if read is not None:
            inputs = read() + inputs
        try:
            outs = run(*inputs)
            if cpu:
                if lone:
                    outs.block_until_ready()
                elif outs:
                    outs[-1].block_until_ready()
        except Exception as error:  # noqa: BLE001 (raised again, most of them)
            outs = rerun(program, inputs, args, error)
        if lone:
            x = new(Tensor)
            x._id = 0
            x._device = outs
            x._key = out_key
            return x
        if write is not None:
            write(outs)
        return pack([from_device(array) for array in outs])

    return call
