"""Operations that are computed eagerly when a session runs.

An operation of an imported graph is computed in this way if one of its inputs is a parameter, such
as an axis, that gradtape would have to know while it builds the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, ClassVar

from gradtape._src.base.errors import UnimplementedError
from gradtape._src.core.primitive import bind
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.structural import zeros
from gradtape._src.graph.ir.graph import Graph, Spec
from gradtape._src.graph.nested.structured import Gradient, Structured, run_composed

Function = Callable[[list[Tensor]], Sequence[Tensor]]


class AtRun:
    """Defines how an operation is computed when it is run.

    Args:
      function: A function that returns the outputs for the inputs.
      specs: The specs of the outputs.
      lists: The indices of inputs that are lists of tensors, through which there are no gradients.
    """

    graphs: ClassVar[list[Graph]] = []

    def __init__(self, function: Function, specs: Sequence[Any], lists: Sequence[int] = ()) -> None:
        self._function, self.specs, self.lists = function, tuple(specs), lists

    def run(self, inputs: list[Tensor]) -> list[Tensor]:
        """Computes the outputs for given inputs."""
        return list(self._function(inputs))


class _AtRunPrimitive(Structured):
    """An operation that `AtRun` computes; its gradient runs it again under a tape."""

    def _keep(self, inputs: Sequence[Tensor], out: Any, params: Any) -> Any:
        return (*inputs, *out), (params["of"], len(inputs))

    def _vjp(self, g: Any, ids: Sequence[int], saved: Sequence[Any], static: Any) -> Any:
        of, count = static
        if any(ids[i] for i in getattr(of, "lists", ())):
            raise UnimplementedError(
                None,
                None,
                f"gradtape lacks the gradient of {self.name} by lists of tensors that other "
                "operations of an imported graph make when a session runs",
            )
        xs, ys = saved[:count], saved[count:]
        live = tuple([i for i, y in enumerate(ys) if _kind(y) in "fc"])
        wanted = tuple([i for i, x in enumerate(xs) if ids[i] and _kind(x) in "fc"])
        out: list[Any] = [None] * count
        if wanted:
            given = [zeros(*_spec(ys[i])) if g[i] is None else g[i] for i in live]
            gradient = Gradient(of, wanted, live, [*map(_spec, xs)])
            for i, d in zip(wanted, self.bind(*xs, *given, of=gradient), strict=True):
                out[i] = d
        return out


def _spec(x: Any) -> Spec:
    value = x._value if type(x) is Tensor else x
    return value.shape, value.dtype


def _kind(x: Any) -> str:
    """Returns the letter of NumPy's kind of dtype, which is "f" for bfloat16, too."""
    dtype = _spec(x)[1]
    return "f" if dtype.name in ("bfloat16", "float16") else str(dtype.kind)


@cache
def at_run_primitive(name: str) -> _AtRunPrimitive:
    """Returns the operation with a name, which `AtRun` computes."""
    made = _AtRunPrimitive(name, run_composed)
    bind(made)
    return made
