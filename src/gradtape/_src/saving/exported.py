"""Functions as StableHLO, the portable form of XLA's programs; this module needs JAX."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax import export

from gradtape._src.autodiff.custom import custom_gradient
from gradtape._src.base.device_values import state_lock
from gradtape._src.core.recorder import replaced
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.ops.random.distributions import uniform
from gradtape._src.ops.types.specs import TensorSpec
from gradtape._src.saving.unknown_dimensions import general_program
from gradtape._src.xla import lowering
from gradtape._src.xla.trace import Program, control_flow, structured

control_flow.provide(lowering)  # as for programs that are compiled
structured.provide(lowering.structured)

_TRIAL = (6, 10)  # lengths for what is unknown, of two programs that differ by them alone


@dataclass
class Exported:
    """A function as a program.

    Attributes:
      blob: The program, which takes variables, keys of random numbers and inputs.
      written, read: The variables.
      keys: How many keys of random numbers it takes.
      result: Makes the result's structure of the tensors that the program gives.
      places: Where these stand among all of the result.
    """

    blob: bytes
    written: list[Variable]
    read: list[Variable]
    keys: int
    result: Callable[[Sequence[Any]], Any]
    places: list[int]


def export_function(
    function: Callable[[list[Tensor]], Any], specs: Sequence[TensorSpec]
) -> Exported:
    """Exports a function of tensors.

    Args:
      function: Takes the list of tensors.
      specs: Their shapes, perhaps with unknown lengths, and dtypes.

    Raises:
      InvalidArgumentError: XLA can't do what the function does.
      ValueError: What the function does depends on an unknown length.
    """
    with jax.enable_x64(True), replaced(()), state_lock:  # nobody writes what is staged
        unknown = any(n is None for spec in specs for n in spec.shape)
        shapes = [tuple(_TRIAL[0] if n is None else n for n in spec.shape) for spec in specs]
        program = Program(function, _structs(shapes, specs), donate=False)
        state = [jax.ShapeDtypeStruct(v.shape, v.dtype.np_dtype) for v in program.state]
        state += [jax.ShapeDtypeStruct((2,), np.uint32) for _ in program.keys]
        run, inputs = program.run, _structs(shapes, specs)
        if unknown:
            length = export.symbolic_shape("n")[0]
            shapes = [tuple(_TRIAL[1] if n is None else n for n in spec.shape) for spec in specs]
            other = Program(function, _structs(shapes, specs), donate=False)
            general = [tuple(length if n is None else n for n in spec.shape) for spec in specs]
            run = general_program(
                [program.run, other.run],
                [[*state, *inputs], [*state, *_structs(shapes, specs)]],
                _TRIAL,
                length,
            )
            inputs = _structs(general, specs)
        made = export.export(jax.jit(run), platforms=["cpu", "cuda", "rocm", "tpu"])(
            *state, *inputs
        )
        order = 0 if program.has_callbacks or program.written or program.keys else 1
        blob = bytes(made.serialize(vjp_order=order))
    return Exported(
        blob, program.written, program.read, len(program.keys), program.pack, program.places
    )


def _structs(shapes: Sequence[Any], specs: Sequence[TensorSpec]) -> list[Any]:
    return [
        jax.ShapeDtypeStruct(shape, spec.dtype.np_dtype)
        for shape, spec in zip(shapes, specs, strict=True)
    ]


class Restored:
    """A program that was saved, to be called with tensors; gradients pass through it.

    Args:
      blob: The program.
      written: The variables that it changes.
      read: Those that it reads.
      keys: How many keys of random numbers it takes.
    """

    def __init__(
        self, blob: bytes, written: Sequence[Variable], read: Sequence[Variable], keys: int
    ) -> None:
        with jax.enable_x64(True):
            self._program = export.deserialize(bytearray(blob))
        self._written, self._read, self._keys = list(written), list(read), keys
        self._call = jax.jit(self._program.call)
        self._backward: Any = None

    def __call__(self, inputs: Sequence[Tensor]) -> list[Tensor]:
        """Runs the program; answers with the tensors of its result."""
        keys = [_key() for _ in range(self._keys)]
        variables = [v._read() for v in [*self._written, *self._read]]

        def run(*given: Tensor) -> Any:
            outs = self._outputs(given)
            new = outs[len(outs) - len(self._written) :]
            for variable, value in zip(self._written, new, strict=True):
                variable._replace(value._value)
            outs = outs[: len(outs) - len(new)]

            def gradient(*upstream: Any) -> Any:
                return self._pulled(given, upstream)

            return outs, gradient

        return list(custom_gradient(run)(*variables, *keys, *inputs))

    def _outputs(self, given: Sequence[Tensor]) -> list[Tensor]:
        with jax.enable_x64(True):
            found = self._call(*[x._value for x in given])
        outs = jax.tree_util.tree_leaves(found)  # a program with one result may give it bare
        return [Tensor(np.array(x)[()]) for x in outs]

    def _pulled(self, given: Sequence[Tensor], upstream: Sequence[Any]) -> list[Any]:
        if not self._program.has_vjp():
            raise NotImplementedError(
                "There is no gradient through this saved function: it writes variables, draws "
                "random numbers or calls back to Python."
            )
        with jax.enable_x64(True):
            if self._backward is None:
                self._backward = jax.jit(self._program.vjp().call)
            values = [x._value for x in [*given, *upstream]]
            out = self._backward(*values)
        return [
            Tensor(np.array(g)[()]) if x.dtype.is_floating or x.dtype.is_complex else None
            for x, g in zip(given, out, strict=True)
        ]


def _key() -> Tensor:
    """A key of random numbers, from the stream that `tf.random.set_seed` begins."""
    return Tensor(uniform([2], 0, 2**31 - 1, np.int32)._value.astype(np.uint32))
