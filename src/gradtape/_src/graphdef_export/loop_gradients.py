"""Builds gradients of loops, which run through the iterations in reverse order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradtape._src.core.tensor import Tensor
from gradtape._src.graph.ir.graph import Graph
from gradtape._src.graph.nested.structured import Gradient, pulled_back
from gradtape._src.graph.tracing.replay import replay
from gradtape._src.graphdef_export.loops import Loop, Rows, divided, loop, specs_of, traced
from gradtape._src.graphdef_export.nodes import Value
from gradtape._src.graphdef_export.parts import Part

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
