"""Rules for conditionals and loops, and their gradients."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.core.tensor import Tensor
from gradtape._src.graph.ir.graph import Graph
from gradtape._src.graph.nested.custom_gradients import Results
from gradtape._src.graph.nested.structured import (
    Batched,
    Fold,
    Gradient,
    If,
    While,
    Whole,
    pulled_back,
)
from gradtape._src.graph.tracing.replay import replay
from gradtape._src.graphdef_export.loops import (
    Loop,
    LoopGradient,
    Rows,
    Run,
    specs_of,
    traced,
)
from gradtape._src.graphdef_export.nodes import Value
from gradtape._src.graphdef_export.parts import Part, UserGradient, finish_together
from gradtape._src.graphdef_export.rules import rule


@rule("If")
def _if(p: Part, *xs: Value, of: Any) -> Any:
    return _structured(p, of, list(xs))


@rule("While")
def _while(p: Part, *xs: Value, of: Any) -> Any:
    return _structured(p, of, list(xs))


@rule("Scan")
def _scan(p: Part, *xs: Value, of: Any) -> Any:
    return _structured(p, of, list(xs))


def _structured(p: Part, of: Any, xs: list[Value]) -> Any:
    if type(of) is If:
        return _choice(
            p, xs, [_own(call.graph, at) for call, at in zip(of.branches, of.places, strict=True)]
        )
    if type(of) is While:
        return Loop(p, of).forward(xs)[0]
    if type(of) is Fold:
        return Rows(p, of).forward(xs)[0]
    if type(of) is Gradient:
        return _gradient(p, of, xs)
    if type(of) is Batched and type(of.of) is If and not of.flags[0]:
        return _choice(p, xs, _batched_branches(of))
    raise p.unknown(f"{type(of).__name__} of {type(getattr(of, 'of', of)).__name__}")


@rule("StatefulPartitionedCall")
def _compiled_call(p: Part, *xs: Value, of: Any) -> Any:
    """Adds the operations of a function that XLA compiles; other programs compile the whole."""
    if type(of) is Whole:
        return p.run(of.call.graph, xs)
    return p.run(traced(_runs(of), specs_of(xs)), xs)


def _runs(of: Any) -> Run:
    """Returns a function that runs a compiled function, its gradient, or either for a batch."""
    if type(of) is Whole:
        return partial(replay, of.call.graph)
    return partial(of.by_running if type(of) is Gradient else of.at_once, _runs(of.of))


@rule("CustomGradient")
def _custom_gradient(p: Part, *xs: Value, of: Results) -> Any:
    """Adds an `IdentityN` operation whose attribute names the custom gradient."""
    count, backward = len(of.specs), of.backward
    own, captured = xs[: count + of.sources], xs[count + of.sources :]
    if not p.library.keeps_gradients:
        return [p.op("Identity", x) for x in xs[:count]]
    if backward is None:
        raise p.unknown("its gradient raises an exception")
    part = p.inner("gradient")
    given = [part.argument(f"result_grads_{i}", x.dtype, x.shape) for i, x in enumerate(own)]
    held = [part.argument(f"capture_{i}", x.dtype, x.shape) for i, x in enumerate(captured)]
    found = of.packed(part.run(backward.graph, [*held, *given[:count]]))
    if any(isinstance(x, IndexedSlices) for x in found):
        raise p.unknown("its gradient is a tf.IndexedSlices")
    name = part.finish([x for x in found if x is not None])
    operation = f"CustomGradient-{len(p.library.gradients)}"
    captures = [*captured, *[x for x, _ in part.captures.values()]]
    gives = [*[None] * count, *found]
    p.library.gradients.append(UserGradient(operation, name, given, captures, gives, p))
    outs: list[Value] = p.op("IdentityN", list(own))
    p.made[-1].attr["_gradient_op_type"].s = operation.encode()
    return outs[:count]


class Branch:
    """A branch of a conditional: a graph, and for each of its inputs the operation's input."""

    def __init__(self, graph: Graph, places: Sequence[int]) -> None:
        self.graph, self.places = graph, places


def _own(graph: Graph, places: Sequence[int]) -> Branch:
    return Branch(graph, places)


def _choice(p: Part, xs: list[Value], branches: Sequence[Branch]) -> Any:
    parts, results = [], []
    different = list(dict.fromkeys(xs[1:]))  # TensorFlow's gradient compares inputs by identity
    for branch, name in zip(branches, ("true", "false"), strict=True):
        part = p.inner(name)
        own = {x: part.argument(f"arg_{i}", x.dtype, x.shape) for i, x in enumerate(different)}
        results.append(part.run(branch.graph, [own[xs[i]] for i in branch.places]))
        parts.append(part)
    captures = list({id(x): x for part in parts for x, _ in part.captures.values()}.values())
    names = finish_together(parts, results, captures)
    stateful = any(part.is_stateful for part in parts)
    inputs = [*different, *[p.capture(x) for x in captures]]
    return p.call_operation(
        "If" if stateful else "StatelessIf",
        any(part.effects for part in parts),
        xs[0],
        inputs,
        Tout=[x.dtype for x in results[0]],
        then_branch=names[0],
        else_branch=names[1],
        output_shapes=[y.shape for y in p.outputs],
    )


def _batched_branches(of: Batched) -> list[Branch]:
    choice: Any = of.of
    found = []
    for call, places in zip(choice.branches, choice.places, strict=True):
        flags = [of.flags[i] for i in places]
        specs = [
            ((of.size, *x.shape), x.np_dtype) if flag else (x.shape, x.np_dtype)
            for x, flag in zip(call.graph.inputs, flags, strict=True)
        ]
        graph = traced(_for_all(of, call.graph, flags), specs)
        found.append(Branch(graph, places))
    return found


def _for_all(of: Batched, graph: Graph, flags: Sequence[bool]) -> Run:
    part = Batched(of.of, of.size, tuple(flags))
    return lambda xs: part.at_once(lambda given: replay(graph, given), xs)


def _gradient(p: Part, of: Gradient, xs: list[Value]) -> Any:
    saved, given = xs[: of.count], xs[of.count :]
    if type(of.of) is If:
        return _choice(p, xs, [_gradient_branch(of, i, xs) for i in range(2)])
    if type(of.of) is While:
        return LoopGradient(p, of, Loop(p, of.of), saved, given).built()
    if type(of.of) is Fold:
        return LoopGradient(p, of, Rows(p, of.of), saved, given).built()
    raise p.unknown(f"the gradient of {type(of.of).__name__}")


def _gradient_branch(of: Gradient, which: int, xs: list[Value]) -> Branch:
    """Returns the gradient of one branch with respect to all wanted inputs."""
    choice: Any = of.of
    graph, places = choice.branches[which].graph, choice.places[which]

    def run(inputs: list[Tensor]) -> Sequence[Tensor]:
        own = inputs[: of.count - 1]
        return pulled_back(
            lambda given: replay(graph, [given[i - 1] for i in places]),
            own,
            inputs[of.count - 1 :],
            [i - 1 for i in of.wanted],
            of.live,
        )

    return Branch(traced(run, specs_of(xs[1:])), range(1, len(xs)))
