"""Moves a program's inputs to a device, and makes the errors for failed runs; needs JAX."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import jax

from gradtape._src.base.device_values import note_array, note_variable
from gradtape._src.base.errors import DataLossError
from gradtape._src.core.tensor import Tensor
from gradtape._src.xla.program import Program


def moved(
    values: Sequence[Any], program: Program, inputs: Sequence[Tensor], device: Any
) -> list[Any]:
    """Moves a program's inputs to one device, where tensors and variables stay.

    Args:
      values: The inputs, of variables, random keys and tensors.
      program: The program.
      inputs: The tensors.
      device: The JAX device.
    """
    there = []
    holders: list[Any] = [*program.state, *(None for _ in program.keys), *inputs]
    for value, holder in zip(values, holders, strict=True):
        array = jax.device_put(value, device)
        if array is not value and holder is not None:
            (note_array if type(holder) is Tensor else note_variable)(holder, array)
        there.append(array)
    return there


def common_device(values: Sequence[Any]) -> jax.Device:
    """Returns the device of the first input of a program that is on a device."""
    return next(next(iter(v.devices())) for v in values if getattr(v, "committed", False))


def lost(program: Program, error: Exception) -> Exception | None:
    """Returns the error for a failed run that has lost donated values; None without loss."""
    gone = [
        v.name
        for v in program.written
        if type(held := v.__dict__.get("_device")) is tuple and held[0].is_deleted()
    ]
    if not gone:
        return None
    return DataLossError(
        None,
        None,
        f"a compiled function failed while it wrote into the memory of {', '.join(gone)}, whose "
        f"values are lost: assign them again, or restore a checkpoint. The cause: {error}",
    )


_SEVERAL_DEVICES = re.compile("incompatible devices|input sharding")
"""The messages of JAX about inputs that lie on several devices, or on an unexpected one."""


def rerun(
    program: Program, values: list[Any], inputs: Sequence[Tensor], error: Exception
) -> list[Any]:
    """Runs a program again if its inputs were on several devices; raises other errors."""
    if isinstance(error, ValueError) and _SEVERAL_DEVICES.search(str(error)):
        with jax.enable_x64(True) if program.x64 else nullcontext():
            outs: list[Any] = program.run(*moved(values, program, inputs, common_device(values)))
            return outs
    problem = lost(program, error)
    if problem is None:
        raise error
    raise problem from error
