"""Custom gradients in graphs, as an operation that returns its inputs and has this gradient.

The gradient function is traced together with the surrounding function, since it may use
intermediate results. If it raises an exception, the exception is raised when the gradient is
computed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradtape._src.core.primitive import Plan, bind
from gradtape._src.core.recorder import replaced
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.structural import zeros
from gradtape._src.graph.ir.graph import CannotTrace, Spec, Symbol
from gradtape._src.graph.nested.graph_call import GraphCall, flattened
from gradtape._src.graph.nested.structured import Structured, run_composed
from gradtape._src.graph.nested.traced_control_flow import Inner
from gradtape._src.graph.tracing.replay import replay
from gradtape._src.graph.tracing.tracer import Tracer


class Results:
    """The results of a function with a custom gradient.

    The operation's inputs are the results, the sources and the captures of the gradient.

    Args:
      specs: The shape and dtype of each result.
      sources: The number of sources.
      backward: The graph of the gradient, a function of its captures and the cotangents.
      pack: Makes the gradient of each source from that graph's outputs.
      error: The exception that the gradient raises instead.
    """

    def __init__(
        self,
        specs: Sequence[Spec],
        sources: int,
        backward: GraphCall | None,
        pack: Callable[..., list[Any]] | None,
        error: Exception | None = None,
    ) -> None:
        self.specs, self.sources = tuple(specs), sources
        self.backward, self._pack, self._error = backward, pack, error

    def run(self, inputs: list[Tensor]) -> list[Tensor]:
        """Returns the results unchanged."""
        return inputs[: len(self.specs)]

    def packed(self, outputs: Sequence[Any]) -> list[Any]:
        """Returns the gradient of each source, made from values for the outputs of that graph."""
        assert self._pack is not None
        return self._pack(outputs, raw=True)

    def gradients(self, captures: Sequence[Any], cotangents: Sequence[Any]) -> list[Any]:
        """Returns a gradient for each source, which is raw if all arguments are raw."""
        if self.backward is None or self._pack is None:
            assert self._error is not None
            raise self._error
        given = [*captures, *cotangents]
        if not any(type(x) is Tensor for x in given):
            return self._pack(self.backward.run(given), raw=True)
        tensors = [x if type(x) is Tensor else Tensor(x) for x in given]
        return self._pack(replay(self.backward.graph, tensors), raw=False)


class _CustomGradient(Structured):
    """The operation; programs without gradients omit it."""

    passes_on = True

    def _vjp(self, g: Any, ids: Sequence[int], saved: Sequence[Any], static: Any) -> Any:
        of, outs = static
        count = len(outs)
        end = count + of.sources
        cotangents = [zeros(*s) if d is None else d for d, s in zip(g, outs, strict=True)]
        found = of.gradients(saved[end:], cotangents)
        return [*[None] * count, *found, *[None] * (len(saved) - end)]


custom_gradient_p = bind(_CustomGradient("CustomGradient", run_composed))


def traced(tracer: Tracer, plan: Plan, inputs: Sequence[Any], outputs: Sequence[Tensor]) -> None:
    """Adds the operation to a graph, with `outputs` as its results.

    Args:
      tracer: The tracer that makes the graph.
      plan: The plan whose `vjp` is the gradient.
      inputs: The arguments, whose tensors and variables are the sources.
      outputs: The results, as new tensors.
    """
    places = [i for i, x in enumerate(inputs) if type(x) is Tensor or isinstance(x, Variable)]
    with replaced((tracer,)):
        sources = [x._read() if isinstance(x := inputs[i], Variable) else x for i in places]
    entries = [tracer.entry(x) for x in [*outputs, *sources]]
    if not outputs or not any(type(x) is Symbol for x in entries):
        return
    specs = [(y._value.shape, y._value.dtype) for y in outputs]
    of, captures = _traced_gradient(tracer, plan, len(inputs), places, specs)
    entries += [tracer.entry(x) for x in captures]
    made = tracer.add(custom_gradient_p.primitive, entries, {"of": of}, tuple(specs))
    for y, new in zip(outputs, made, strict=True):
        y._value = new._value


def _traced_gradient(
    tracer: Tracer, plan: Plan, count: int, places: Sequence[int], specs: Sequence[Spec]
) -> tuple[Results, list[Tensor]]:
    """Returns the gradient as a graph, and its captures."""
    packs: list[Any] = []

    def backward(cotangents: list[Tensor]) -> list[Tensor]:
        found = plan.vjp(cotangents, (1,) * count, (), None)
        flat, pack = flattened([found[i] for i in places])
        packs.append(pack)
        return flat

    try:
        part = Inner(tracer, backward, specs)
    except Exception as error:  # noqa: BLE001 (raised where the gradient is asked for)
        return Results(specs, len(places), None, None, error), []
    if part.tracer.written:
        raise CannotTrace("a custom gradient that assigns variables")
    entries = part.entries(part.result)
    captures = part.captures()
    own = [*[s for _, s in captures], *[x._value for x in part.given]]
    call = part.call(own, entries, "a custom gradient")
    return Results(specs, len(places), call, packs[0]), [x for x, _ in captures]
