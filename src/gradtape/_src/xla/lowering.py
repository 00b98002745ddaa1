"""Lowers the operations of a function's graph to an XLA program; needs JAX."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, TypeVar

from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.unknown_sizes import UnknownRank
from gradtape._src.graph.auto_jit import leave_out
from gradtape._src.graph.ir.custom_gradients import Results
from gradtape._src.graph.ir.graph import Graph, Node
from gradtape._src.graph.ir.replay import replay, run_node
from gradtape._src.graph.ir.state import Effect
from gradtape._src.graph.ir.structured import Batched, Fold, Gradient, If, While
from gradtape._src.graph.ir.trace_errors import cannot_compile, lowered_now
from gradtape._src.graph.ir.whole_calls import Call
from gradtape._src.xla.lax_control_flow import Body, bounded, if_p, scan_p, while_p
from gradtape._src.xla.trace import Compiler, compiling

R = TypeVar("R")
V = TypeVar("V")


def lowered(graph: Graph, inputs: Sequence[Tensor]) -> list[Any]:
    """Adds a graph's operations to the program that is being traced.

    Args:
      graph: The graph.
      inputs: The tensors for the graph's inputs.

    Returns:
      The graph's outputs, as tensors.
    """
    compiler = compiling()
    if compiler is None:
        return replay(graph, inputs)
    run = partial(_operation, compiler)
    if compiler.sharding is None:
        return replay(graph, inputs, run=run)
    return replay(graph, inputs, run=run, state=(compiler.read, compiler.assign))


def _operation(
    compiler: Compiler, node: Node, given: Sequence[Tensor], lengths: dict[str, Any]
) -> Any:
    """Adds one operation to the program."""
    primitive = node.primitive
    before = lowered_now.set(node.line)
    try:
        if isinstance(primitive, Effect):
            if not primitive.only_checks:
                compiler.refuse(primitive.name)
            leave_out(primitive.name)
            return ()
        return run_node(node, given, lengths)
    finally:
        lowered_now.reset(before)


def structured(compiler: Compiler, of: Any, inputs: Sequence[Tensor]) -> Sequence[Tensor]:
    """Adds a conditional or loop, which may be vectorized, its gradient, or a custom gradient."""
    if type(of) is Results:
        return list(inputs[: len(of.specs)])
    if type(of) is Gradient:
        return of.by_running(partial(structured, compiler, of.of), inputs)
    if type(of) is Batched:
        return of.at_once(partial(structured, compiler, of.of), inputs)
    if type(of) is If:
        return _choice(compiler, of, inputs)
    if type(of) is While:
        return _loop(compiler, of, inputs)
    if type(of) is Fold:
        return _rows(compiler, of, inputs)
    if type(of) is Call:  # if it needs no values
        return of.run(list(inputs))
    raise cannot_compile(type(of).__name__, "XLA has no such operation here")


def _choice(compiler: Compiler, of: If, inputs: Sequence[Tensor]) -> Sequence[Tensor]:
    def branch(graph: Graph, places: Sequence[int]) -> Body:
        return lambda values: lowered(graph, [values[i - 1] for i in places])

    if any(type(shape) is UnknownRank for shape, _ in of.specs):
        raise cannot_compile("If", "tensors of different ranks come out of its branches")
    branches = [branch(g, p) for g, p in zip(of.graphs, of.places, strict=True)]
    outs: Sequence[Tensor] = if_p(*inputs, compiler=compiler, branches=branches)
    return outs


def _loop(compiler: Compiler, of: While, inputs: Sequence[Tensor]) -> Sequence[Tensor]:
    n = of.carried

    def part(graph: Graph, places: Sequence[int]) -> Body:
        return lambda values: lowered(graph, [*values[:n], *[values[i] for i in places]])

    tested, stepped = [part(g, p) for g, p in zip(of.graphs, of.places, strict=True)]
    if of.most is not None:
        return bounded(list(inputs), tested, stepped, n, of.most, compiler)
    outs: Sequence[Tensor] = while_p(
        *inputs, compiler=compiler, test=tested, body=stepped, carried=n
    )
    return outs


def _rows(compiler: Compiler, of: Fold, inputs: Sequence[Tensor]) -> Sequence[Tensor]:
    (body,) = of.graphs
    outs: Sequence[Tensor] = scan_p(
        *inputs,
        compiler=compiler,
        body=partial(lowered, body),
        carried=of.carried,
        shared=of.captures,
        reverse=of.reverse,
    )
    return outs
