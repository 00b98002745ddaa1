"""Builds loops and their gradients from the graph of one iteration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradtape._src.base.device_values import state_lock
from gradtape._src.base.dtypes import as_dtype
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.unknown_sizes import Decisions, sizes_in
from gradtape._src.graph.ir.graph import Graph
from gradtape._src.graph.nested.structured import Fold, Gradient, While, pulled_back
from gradtape._src.graph.running.optimize import optimized
from gradtape._src.graph.tracing.replay import replay
from gradtape._src.graph.tracing.tracer import Tracer
from gradtape._src.graphdef_export.nodes import Value, dtype_name
from gradtape._src.graphdef_export.parts import Part, finish_together

Run = Callable[[list[Tensor]], Sequence[Tensor]]


def traced(run: Run, specs: Sequence[Any]) -> Graph:
    """Traces a function of tensors, and returns its graph."""
    tracer = Tracer()
    sizes = next(sizes_in([shape for shape, _ in specs]), None)
    tracer.decisions = Decisions() if sizes is None else sizes.decisions
    with state_lock, tracer.scope():
        xs = [tracer.input(spec) for spec in specs]
        outs = [tracer.entry(y) for y in run(xs)]
        tracer.settle()
    known = {symbol: x._value for x, symbol in tracer.captured}  # constants that a tape watches
    graph = optimized(Graph([x._value for x in xs], tracer.nodes, outs), known)
    tracer.finish()
    return graph


def specs_of(xs: Sequence[Value]) -> list[Any]:
    return [(x.shape, np.dtype(as_dtype(x.dtype).np_dtype)) for x in xs]


class Loop:
    """A `While` operation whose body is the graph of one iteration.

    The loop's variables are a counter, the maximum number of iterations (-1 for any), the carried
    values and the constants, in this order: TensorFlow's gradient of loops expects the first two
    there.
    """

    def __init__(self, part: Part, of: While) -> None:
        self.part, self.of = part, of

    def forward(
        self, xs: list[Value], keep: bool = False
    ) -> tuple[list[Value], list[Value], Value]:
        """Runs the loop.

        Args:
          xs: The operation's inputs.
          keep: Whether to store the carried values at the beginning of each iteration.

        Returns:
          The final carried values, lists of the kept ones, and the number of iterations.
        """
        p, of = self.part, self.of
        n = of.carried
        lists = [p.empty_list(x) for x in xs[:n]] if keep else []
        most = -1 if of.most is None else of.most
        start = [p.const(0, "int32"), p.const(most, "int32"), *xs[:n], *lists, *xs[n:]]

        def test(q: Part, given: list[Value]) -> list[Value]:
            count, limit, *rest = given
            (flag,) = q.run(of.test.graph, self._given(rest, 0, len(lists)))
            if of.most is not None:
                flag = q.op("LogicalAnd", q.op("Less", count, limit), flag)
            return [flag]

        def step(q: Part, given: list[Value]) -> list[Value]:
            count, limit, *rest = given
            outs = q.run(of.body.graph, self._given(rest, 1, len(lists)))
            handles = rest[n : n + len(lists)]
            kept = [q.pushed(h, x) for h, x in zip(handles, rest[:n], strict=False)]
            return [
                q.op("AddV2", count, q.const(1, "int32")),
                limit,
                *outs[:n],
                *kept,
                *rest[n + len(lists) :],
            ]

        outs = loop(p, start, test, step)
        return outs[2 : 2 + n], outs[2 + n : 2 + n + len(lists)], outs[0]

    def _given(self, rest: list[Value], which: int, lists: int) -> list[Value]:
        """Returns the inputs of a part of the loop, from carried values and constants."""
        n = self.of.carried
        return [*rest[:n], *[rest[i + lists] for i in self.of.places[which]]]


def loop(p: Part, start: Sequence[Value], test: Any, step: Any) -> list[Value]:
    """Adds a loop whose parts are built by functions."""
    parts, results = [], []
    for build, name in ((test, "cond"), (step, "body")):
        part = p.inner(name)
        given = [part.argument(f"arg_{i}", x.dtype, x.shape) for i, x in enumerate(start)]
        for x in given:
            if x.shape is not None:
                part.lengths.note(x, x.shape)
        results.append(build(part, given))
        parts.append(part)
    captures = list({id(x): x for part in parts for x, _ in part.captures.values()}.values())
    handles = [parts[1].capture(x) for x in captures]
    names = finish_together(parts, [results[0], [*results[1], *handles]], captures)
    stateful = any(part.is_stateful for part in parts)
    inputs = [*start, *[p.capture(x) for x in captures]]
    outs: list[Value] = p.call_operation(
        "While" if stateful else "StatelessWhile",
        any(part.effects for part in parts),
        inputs,
        cond=names[0],
        body=names[1],
        output_shapes=[x.shape for x in inputs],
    )
    return [
        y if x.shape is None else y.of_shape(x.shape) for x, y in zip(inputs, outs, strict=True)
    ]


class Rows:
    """A loop over the rows of tensors, which are lists of tensors in the graph."""

    def __init__(self, part: Part, of: Fold) -> None:
        self.part, self.of = part, of

    def forward(
        self, xs: list[Value], keep: bool = False
    ) -> tuple[list[Value], list[Value], Value]:
        """Adds the operations of the loop; see `Loop.forward`."""
        p, of = self.part, self.of
        n, m = of.carried, of.carried + of.captures
        count = p.length_of(xs[m])
        columns = [p.list_of_rows(x) for x in xs[m:]]
        graph = of.body.graph
        made = [(y.shape, dtype_name(_dtype(y))) for y in graph.outputs[n:]]
        lists = [p.reserved_list(shape, dtype, count) for shape, dtype in made]
        kept = [p.reserved_list(x.shape or (), x.dtype, count) for x in xs[:n]] if keep else []
        start = [p.const(0, "int32"), count, *xs[:n], *lists, *kept, *columns, *xs[n:m]]
        rows = [(x.shape[1:] if x.shape is not None else None, x.dtype) for x in xs[m:]]
        lengths = [n, len(lists), len(kept), len(columns), m - n]

        def test(q: Part, given: list[Value]) -> list[Value]:
            return [q.op("Less", given[0], given[1])]

        def step(q: Part, given: list[Value]) -> list[Value]:
            i, total, *rest = given
            state, results, before, taken, common = divided(rest, lengths)
            at = q.op("Sub", q.op("Sub", total, q.const(1, "int32")), i) if of.reverse else i
            row = [q.item(handle, at, *spec) for handle, spec in zip(taken, rows, strict=True)]
            outs = q.run(graph, [*state, *common, *row])
            results = [q.set_item(h, at, y) for h, y in zip(results, outs[n:], strict=True)]
            before = [q.set_item(h, at, y) for h, y in zip(before, state, strict=False)]
            following = q.op("AddV2", i, q.const(1, "int32"))
            return [following, total, *outs[:n], *results, *before, *taken, *common]

        outs = loop(p, start, test, step)
        state, results, before, _, _ = divided(outs[2:], lengths)
        stacked = [
            p.stacked(h, shape, dtype) for h, (shape, dtype) in zip(results, made, strict=True)
        ]
        return [*state, *stacked], before, count


def _dtype(y: Any) -> Any:
    return y.np_dtype if hasattr(y, "np_dtype") else y.dtype


def divided(values: Sequence[Value], lengths: Sequence[int]) -> list[list[Value]]:
    out, at = [], 0
    for n in lengths:
        out.append(list(values[at : at + n]))
        at += n
    return out


# Gradients, which run through the iterations in reverse order.

INEXACT = {"float16", "bfloat16", "float32", "float64", "complex64", "complex128"}


class LoopGradient:
    """Runs a loop again, stores the carried values, and differentiates the last iteration first.

    Args:
      part: The part that is being built.
      of: The gradient.
      forward: The loop that is differentiated.
      saved: The loop's inputs: carried values, constants, and tensors whose rows it takes.
      given: The cotangents of the loop's results.
    """

    def __init__(
        self,
        part: Part,
        of: Gradient,
        forward: Loop | Rows,
        saved: list[Value],
        given: list[Value],
    ) -> None:
        inner: Any = of.of
        self.part, self.of, self.forward, self.saved = part, of, forward, saved
        self.body: Graph = inner.body.graph
        self.carried: int = inner.carried
        is_fold = isinstance(forward, Rows)
        self.reverse = is_fold and inner.reverse
        places = range(of.count) if is_fold else [*range(self.carried), *inner.places[1]]
        self.places = list(places)
        self.first_column = self.carried + inner.captures if is_fold else of.count
        self.live = dict(zip(of.live, given, strict=True))
        self.floats = [i for i in range(self.carried) if i in self.live]
        self.fixed = list(range(self.carried, self.first_column))
        self.common = [i for i in self.fixed if saved[i].dtype in INEXACT]
        self.columns = list(range(self.first_column, of.count))
        self.taken = [i for i in self.columns if saved[i].dtype in INEXACT]
        self.results = [i for i in self.live if i >= self.carried]

    def built(self) -> list[Value]:
        """Returns the cotangents of the wanted inputs."""
        p, saved = self.part, self.saved
        _, kept, count = self.forward.forward(saved, keep=True)
        groups = [
            [self.live[i] for i in self.floats],
            [p.zeros_like(saved[i]) for i in self.common],
            [p.reserved_list(_row(saved[i]), saved[i].dtype, count) for i in self.taken],
            kept,
            [p.list_of_rows(saved[i]) for i in self.columns],
            [p.list_of_rows(self.live[i]) for i in self.results],
            [saved[i] for i in self.fixed],
        ]
        lengths = [len(group) for group in groups]
        turn = self._turn()

        def test(q: Part, values: list[Value]) -> list[Value]:
            return [q.op("Less", values[0], values[1])]

        def step(q: Part, values: list[Value]) -> list[Value]:
            return self._step(q, values, lengths, turn)

        start = [p.const(0, "int32"), count, *[x for group in groups for x in group]]
        cotangents, sums, lists, *_ = divided(loop(p, start, test, step)[2:], lengths)
        found = dict(zip([*self.floats, *self.common], [*cotangents, *sums], strict=True))
        for i, handle in zip(self.taken, lists, strict=True):
            found[i] = p.stacked(handle, _row(saved[i]), saved[i].dtype)
        return [found[i] if i in found else p.zeros_like(saved[i]) for i in self.of.wanted]

    def _step(self, q: Part, values: list[Value], lengths: list[int], turn: Graph) -> list[Value]:
        """Builds one step of the backward loop."""
        i, total, *rest = values
        cotangents, sums, lists, kept, columns, upstream, still = divided(rest, lengths)
        one = q.const(1, "int32")
        at = i if self.reverse else q.op("Sub", q.op("Sub", total, one), i)
        state = [q.item(h, at, x.shape, x.dtype) for h, x in zip(kept, self.saved, strict=False)]
        own = [self.saved[j] for j in self.columns]
        rows = [q.item(h, at, _row(x), x.dtype) for h, x in zip(columns, own, strict=True)]
        ups = [self.live[j] for j in self.results]
        given = [q.item(h, at, _row(x), x.dtype) for h, x in zip(upstream, ups, strict=True)]
        outs = q.run(turn, [*state, *still, *rows, *cotangents, *given])
        nexts, added, found = divided(outs, [len(self.floats), len(self.common), len(self.taken)])
        sums = [q.op("AddV2", a, b) for a, b in zip(sums, added, strict=True)]
        lists = [q.set_item(h, at, y) for h, y in zip(lists, found, strict=True)]
        same = [*kept, *columns, *upstream, *still]
        return [q.op("AddV2", i, one), total, *nexts, *sums, *lists, *same]

    def _turn(self) -> Graph:
        """Returns the graph of one iteration's gradient, given its inputs and cotangents."""
        specs = specs_of(self.saved)
        whole = [*specs[: self.first_column], *_rows(specs[self.first_column :])]
        ups = _rows(specs_of([self.live[i] for i in self.results]))

        def run(xs: list[Tensor]) -> Sequence[Tensor]:
            return pulled_back(
                lambda own: replay(self.body, [own[i] for i in self.places]),
                xs[: len(whole)],
                xs[len(whole) :],
                [*self.floats, *self.common, *self.taken],
                [*self.floats, *self.results],
            )

        return traced(run, [*whole, *[specs[i] for i in self.floats], *ups])


def _row(x: Value) -> tuple[Any, ...]:
    """Returns the shape of one row of a tensor."""
    assert x.shape is not None
    return tuple(x.shape[1:])


def _rows(specs: Sequence[Any]) -> list[Any]:
    return [(shape[1:], dtype) for shape, dtype in specs]
