"""Replays the operations of a graph one by one, so that recorders see each of them."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Sequence
from typing import Any

from gradtape._src.core.extension_point import wrappable
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.unknown_sizes import Pending, evaluated, is_unknown
from gradtape._src.graph.ir.graph import Graph, Node, Symbol
from gradtape._src.graph.ir.origins import Call, explain
from gradtape._src.graph.ir.state import is_assignment, is_read, is_section
from gradtape._src.graph.tracing.random_draws import Draw, DrawKey
from gradtape._src.graph.tracing.tracer import Tracer, tracing


def called(name: str, graph: Graph, inputs: Sequence[Tensor]) -> list[Any]:
    """Copies the operations of a function's graph into the graph that calls it.

    Args:
      name: The function's name.
      graph: The function's graph.
      inputs: The tensors for the graph's inputs.

    Returns:
      The graph's outputs, as tensors.
    """
    tracer = tracing()
    if tracer is None:
        return replay(graph, inputs)
    before, origins = tracer.origins.replayed, tracer.origins
    try:
        return replay(graph, inputs, Call(name, line=origins.find()))
    finally:
        origins.replayed = before


def _assigned(variable: Variable, x: Tensor) -> None:
    variable.assign(x, read_value=False)


State = tuple[Callable[[Variable], Tensor], Callable[[Variable, Tensor], None]]
_OF_PROGRAMS: State = (lambda variable: variable._read(), _assigned)
"""Reads and assigns variables as programs do; those of strategies follow the strategy's rules."""


def replay(
    graph: Graph,
    inputs: Sequence[Tensor],
    call: Call | None = None,
    run: Callable[[Node, Sequence[Tensor], dict[str, Any]], Any] | None = None,
    state: State = _OF_PROGRAMS,
) -> list[Any]:
    """Runs the operations of a graph on tensors, so that recorders see each of them.

    Args:
      graph: The graph.
      inputs: The tensors for the graph's inputs.
      call: The call that the operations replace in another graph, if there is one.
      run: Runs an operation on its inputs, with the actual lengths by name.
      state: Functions that read and assign variables.

    Returns:
      The graph's outputs, as tensors.
    """
    tracer = tracing() if call is not None else None
    run, (read, assign) = run or run_node, state
    pending = Pending(graph.checks)
    pending.learn(graph.inputs, [x._value for x in inputs])
    values: dict[Symbol, Tensor] = dict(zip(graph.inputs, inputs, strict=True))
    for node in graph.nodes:
        given = [values[x] if type(x) is Symbol else Tensor(x) for x in node.inputs]
        if tracer is not None and call is not None:
            tracer.origins.replayed = node.line and node.line.within(call)
        if is_read(node):
            out: Any = read(node.params["variable"])
        elif is_assignment(node):
            assign(node.params["variable"], given[0])
            continue
        elif is_section(node):
            if (around := tracing()) is not None:
                around.exclude_others()
            continue
        else:
            try:
                out = run(node, given, pending.lengths)
            except Exception as error:
                explain(error, node.line)
                raise
        outs = out if node.several else (out,)
        values.update(zip(node.outputs, outs, strict=True))
        if any([y.spec is None for y in node.outputs]):  # noqa: C419
            pending.learn(node.outputs, [y._value for y in outs])
    return [values[y] if type(y) is Symbol else Tensor(y) for y in graph.outputs]


def _drawn(
    operation: Draw, tracer: Tracer | None, given: Sequence[Tensor], shapes: dict[str, Any]
) -> Tensor:
    if tracer is not None and type(operation) is DrawKey:
        return tracer.key(operation.stream, operation.kernel)
    return Tensor(operation.drawn([x._value for x in given], shapes))


def run_node(
    node: Node, given: Sequence[Tensor], lengths: dict[str, Any]
) -> Tensor | tuple[Tensor, ...]:
    """Runs an operation, with actual lengths in place of the unknown lengths of its graph."""
    tracer, params = tracing(), node.params
    if lengths:
        params = {name: evaluated(x, lengths) for name, x in params.items()}
    if isinstance(node.primitive, Draw) and (tracer is None or tracer.outer is not None):
        return _drawn(node.primitive, tracer, given, params)
    performed = getattr(node.primitive, "performed", None)
    if node.stateful and tracer is not None and performed is None:  # a graph within a graph
        specs: Any = node.specs(lengths, tracer.decisions)
        entries = [tracer.entry(x) for x in given]
        specs = tuple(specs) if node.several else specs[0]
        return tracer.add(node.primitive, entries, params, specs, stateful=True)
    if tracer is not None and "of" in params and any(is_unknown(y.shape) for y in node.outputs):
        of = copy.copy(params["of"])
        of.specs = tuple(node.specs(lengths, tracer.decisions))
        params = {**params, "of": of}
    if performed is not None:
        of = params["of"]
        if tracer is None or not getattr(of, "changes_variables", False):
            return tuple(performed(given, of, node.stateful))
        if tracer.in_section and hasattr(of, "gives_lock"):
            of = copy.copy(of)
            of.gives_lock = False
        tracer.settle()
        outs = tuple(performed(given, of, node.stateful))
        tracer.read_again()
        return outs
    if not given and not node.several:
        return Tensor(node.primitive.kernel(**params))
    return node.primitive.bind(*given, **params)


wrappable("run_node")(sys.modules[__name__])
