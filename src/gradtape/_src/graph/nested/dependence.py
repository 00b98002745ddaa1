"""The inputs of graphs on which their results depend differentiably."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

from gradtape._src.core.tensor import Tensor
from gradtape._src.graph.ir.graph import Graph, Spec, Symbol
from gradtape._src.graph.running.optimize import needed
from gradtape._src.graph.tracing.tracer import Tracer

Run = Callable[[list[Tensor]], Sequence[Tensor]]
"""A function of tensors that returns tensors."""


def led_on(of: Any, ids: Sequence[int], g: Sequence[Any]) -> Sequence[int]:
    """Returns the ids of tracked inputs, with 0 for those without influence on the loss.

    Args:
      of: The implementation.
      ids: The ids of its inputs that a tape tracks, or 0.
      g: The cotangents of its outputs; an output without one has no influence on the loss.
    """
    connected = getattr(of, "connected", None)
    if connected is None:
        return ids
    found = set[int]().union(*[c for c, d in zip(connected, g, strict=False) if d is not None])
    return [x if i in found else 0 for i, x in enumerate(ids)]


def connected_inputs(graph: Graph) -> list[set[int]]:
    """Returns for each output the positions of the inputs that it depends on differentiably."""
    sources = {x: 1 << i for i, x in enumerate(graph.inputs) if x.np_dtype.kind not in "biuO"}
    for node in graph.nodes:
        inside = getattr(node.params.get("of"), "connected", None)
        given = [
            sources.get(x, 0) if node.primitive.tracked >> i & 1 and type(x) is Symbol else 0
            for i, x in enumerate(node.inputs)
        ]
        for k, y in enumerate(node.outputs):
            leads = given if inside is None else [given[i] for i in inside[k]]
            bits = functools.reduce(operator.or_, leads, 0)
            if bits and y.np_dtype.kind not in "biuO":
                sources[y] = bits
    n = len(graph.inputs)
    found = [sources.get(y, 0) if type(y) is Symbol else 0 for y in graph.outputs]
    return [{i for i in range(n) if bits >> i & 1} for bits in found]


def is_linear(graph: Graph, places: set[int]) -> bool:
    """Whether what is computed from these inputs depends differentiably on no other values."""
    known = {graph.inputs[i] for i in places}
    for node in needed(graph.nodes, graph.outputs):
        connected = getattr(node.params.get("of"), "connected", None)
        inside = None if connected is None else set[int]().union(*connected)
        symbols = [x for x in node.inputs if type(x) is Symbol]
        if known.isdisjoint(symbols):
            continue
        led = [x for i, x in enumerate(node.inputs) if inside is None or i in inside]
        others = [x for x in led if type(x) is Symbol and x not in known]
        if any(x.np_dtype.kind not in "biuO" for x in others):
            return False
        known.update(node.outputs)
    return True


def graph_of(run: Run, specs: Sequence[Spec]) -> Graph:
    """Traces a function of tensors."""
    tracer = Tracer()
    with tracer.scope():
        outs = run([tracer.input(spec) for spec in specs])
    return Graph(tracer.inputs, tracer.nodes, [tracer.entry(y) for y in outs])
