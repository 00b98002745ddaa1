"""Functions as StableHLO, as older versions saved them; this module needs JAX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax import export

from gradtape._src.autodiff.custom import custom_gradient
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.ops.random.distributions import uniform


class Restored:
    """A saved program, which can be called with tensors and is differentiable.

    Args:
      blob: The program.
      written: The variables that the program changes.
      read: The variables that it reads.
      keys: The number of random keys that it takes.
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
        """Runs the program, and returns the tensors of its result."""
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
        # A program with one result may return it without a list.
        outs = jax.tree_util.tree_leaves(found)
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
    """Returns a random key from the stream that `tf.random.set_seed` starts."""
    return Tensor(uniform([2], 0, 2**31 - 1, np.int32)._value.astype(np.uint32))
