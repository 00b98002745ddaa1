"""The recorder that adds operations to an XLA program while JAX traces it; needs JAX.

Tapes, accumulators and vectorizers that run the parts of conditionals and loops are above the
`Compiler` on the stack of recorders, so that their operations become part of the program, too.
JAX's own differentiation is never used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from gradtape._src.core.primitive import Outputs, Primitive
from gradtape._src.core.recorder import Recorder, replaced
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.eager_only import CONCRETE
from gradtape._src.declare.traits import traits_of
from gradtape._src.graph.tracing.trace_errors import cannot_compile
from gradtape._src.xla.kernels.lookup import kernel_of, leave_out
from gradtape._src.xla.random_state import TracedEngine

Structured = Callable[["Compiler", Any, Sequence[Tensor]], Sequence[Tensor]]


class Compiler(Recorder):
    """Adds operations on traced values to a program; operations on known values run eagerly.

    Args:
      structured: Adds a conditional or loop, as `(compiler, implementation, inputs) -> outputs`.
      sharding: The object that runs the program on several devices; None for one device.

    Attributes:
      state: The values of variables, by id.
      engines: The generators of random numbers, by stream.
      count: The number of traced operations.
    """

    compiles = True
    defers = False

    def __init__(self, structured: Structured, sharding: Any = None) -> None:
        self._structured, self.sharding = structured, sharding
        self.state: dict[int, Any] = {}
        self.engines: dict[Any, TracedEngine] = {}
        self.count = 0

    @contextmanager
    def scope(self) -> Iterator[None]:
        """The tracing of a program, or of the body of a conditional or loop."""
        with replaced((self,)):
            yield

    def process(
        self, primitive: Primitive, inputs: Sequence[Tensor], params: dict[str, Any]
    ) -> Outputs:
        values = [x._value for x in inputs]
        known = all([isinstance(v, CONCRETE) for v in values])  # noqa: C419
        if any([v.dtype.kind == "O" for v in values if isinstance(v, CONCRETE)]):  # noqa: C419
            raise cannot_compile(primitive.name, "XLA has no strings")
        if known and "of" not in params:
            return primitive.bind(*inputs, **params)
        self.count += 1
        if "of" in params:
            with replaced((self,)):
                return tuple(self._structured(self, params["of"], [*map(Tensor, values)]))
        kernel = kernel_of(primitive)
        if kernel is None:
            raise cannot_compile(primitive.name, _why(primitive))
        try:
            out = kernel(*values, **params)
        except (jax.errors.JAXTypeError, jax.errors.JAXIndexError):
            raise cannot_compile(primitive.name, _why(primitive)) from None
        return tuple(map(Tensor, out)) if type(out) is tuple else Tensor(out)

    def leave_out(self, operation: str) -> None:
        """Warns that the program omits a check."""
        leave_out(operation)

    def refuse(self, operation: str) -> None:
        """Raises UnimplementedError for an operation with side effects outside of tensors."""
        raise cannot_compile(
            operation,
            "its side effect would happen only once, while the function is traced. Run it before "
            "the call and pass the result as an argument",
        )

    def read(self, variable: Variable) -> Tensor:
        """Returns a variable's value, or, for a strategy's variable, a replica's component."""
        return Tensor(self.state[variable._id])

    def assign(self, variable: Variable, x: Tensor) -> None:
        """Assigns a variable, or, for a strategy's variable, a replica's component."""
        self.state[variable._id] = x._value

    def engine(
        self, stream: Any, draw_key: Callable[[], Any] | None, make: Any = None
    ) -> TracedEngine:
        """Returns a generator of random numbers inside the program.

        Args:
          stream: The identity of the stream, or a traced seed.
          draw_key: None if the stream is a seed.
          make: Not used, since NumPy draws no numbers here.
        """
        if draw_key is None or isinstance(stream, jax.Array):
            return TracedEngine(jnp.ravel(stream).astype(np.uint32))
        return self.engines[stream]


def _why(primitive: Primitive) -> str:
    return traits_of(primitive).no_xla or "XLA has no kernel for this operation"
