"""Lowers the operations of a function's graph to an XLA program; needs JAX."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import jax

from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.unknown_sizes import UnknownRank
from gradtape._src.graph.ir.graph import Graph, Node
from gradtape._src.graph.nested.custom_gradients import Results
from gradtape._src.graph.nested.structured import (
    Batched,
    Fold,
    Gradient,
    If,
    While,
    Whole,
)
from gradtape._src.graph.nested.whole_calls import Call
from gradtape._src.graph.tracing.replay import replay, run_node
from gradtape._src.graph.tracing.trace_errors import cannot_compile, lowered_now
from gradtape._src.xla.compiler import Compiler
from gradtape._src.xla.kernels.lookup import leave_out
from gradtape._src.xla.lax_control_flow import Body, Choice, Functional, Loop, Scan


def lowered(graph: Graph, inputs: Sequence[Tensor], compiler: Compiler) -> list[Any]:
    """Adds a graph's operations to the program that is being traced.

    Args:
      graph: The graph.
      inputs: The tensors for the graph's inputs.
      compiler: The active compiler.

    Returns:
      The graph's outputs, as tensors.
    """
    state = (compiler.read, compiler.assign)
    return replay(graph, inputs, run=partial(_operation, compiler), state=state)


def _operation(
    compiler: Compiler, node: Node, given: Sequence[Tensor], lengths: dict[str, Any]
) -> Any:
    """Adds one operation to the program."""
    primitive = node.primitive
    before = lowered_now.set(node.line)
    try:
        of = node.params.get("of")
        if node.stateful and type(of) is Call:
            if not of.only_checks:
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
    if isinstance(of, (Gradient, Batched)):
        return _derived(compiler, of, inputs)
    own = _functional(compiler, of)
    if own is not None:
        return [*map(Tensor, own.run(compiler, inputs))]
    if type(of) is Whole:
        return lowered(of.call.graph, inputs, compiler)
    if type(of) is Call:
        try:
            return of.run(list(inputs))
        except (jax.errors.JAXTypeError, jax.errors.JAXIndexError):
            name = getattr(of.function, "__name__", "_")
            raise cannot_compile(
                "An operation" if name.startswith("_") else name,
                "it needs the values of its inputs, not only their shapes and dtypes",
            ) from None
    raise cannot_compile(type(of).__name__, "XLA has no kernel for this operation")


def _derived(
    compiler: Compiler, of: Gradient | Batched, inputs: Sequence[Tensor]
) -> Sequence[Tensor]:
    """Adds the gradient of another operation, or this operation for a batch of examples."""
    inner = _functional(compiler, of.of)
    again = partial(structured, compiler, of.of)
    is_loop = isinstance(_functional(compiler, _of_one_example(of.of)), Loop)
    if isinstance(of, Batched):
        if is_loop:
            return _mapped(again, of, inputs)
        if isinstance(inner, (Choice, Scan)):
            return inner.batched(of.size, of.flags, inputs)
        return of.at_once(again, inputs)
    if is_loop:
        raise ValueError(
            "the gradient of a compiled tf.while_loop whose condition depends on values needs "
            "maximum_iterations: XLA must know how many states to keep. Or use tf.scan"
        )
    if isinstance(inner, (Choice, Scan)):
        xs, gs = list(inputs[: of.count]), list(inputs[of.count :])
        return inner.gradient(xs, gs, list(of.wanted), list(of.live))
    return of.by_running(again, inputs)


def _of_one_example(of: Any) -> object:
    return _of_one_example(of.of) if isinstance(of, Batched) else of


def _mapped(run: Any, of: Batched, inputs: Sequence[Tensor]) -> Sequence[Tensor]:
    """Adds a loop without a gradient for a batch of examples, which JAX makes one loop."""
    axes = [0 if flag else None for flag in of.flags]

    def one(*values: Any) -> list[Any]:
        return [y._value for y in run([*map(Tensor, values)])]

    found = jax.vmap(one, axes, axis_size=of.size)(*[x._value for x in inputs])
    return [*map(Tensor, found)]


def _functional(compiler: Compiler, of: Any) -> Functional | None:
    """Returns a conditional or loop whose parts are functions; None for other operations."""

    def part(graph: Graph, places: Sequence[int]) -> Body:
        return lambda values: lowered(graph, [values[i] for i in places], compiler)

    if isinstance(of, Functional):
        return of
    if type(of) is If:
        if any(type(shape) is UnknownRank for shape, _ in of.specs):
            raise cannot_compile("If", "its branches return tensors of different ranks")
        return Choice([part(g, p) for g, p in zip(of.graphs, of.places, strict=True)])
    if type(of) is Fold:
        step = partial(lowered, of.body.graph, compiler=compiler)
        return Scan(step, of.carried, of.captures, of.reverse)
    if type(of) is not While:
        return None
    if of.rows is not None:
        raise cannot_compile("A loop over a dataset", "XLA has no datasets")
    carried = range(of.carried)
    test, body = [part(g, [*carried, *p]) for g, p in zip(of.graphs, of.places, strict=True)]
    loop = Loop(test, body, of.carried)
    if of.most is None:
        return loop
    return Scan(loop.turn, of.carried, sum(map(len, of.places)), False, of.most)
