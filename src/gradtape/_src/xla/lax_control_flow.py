"""Conditionals and loops as XLA control flow: operations on functions of tensors; needs JAX.

All values that the functions use are inputs. The derivatives of conditionals and loops are
therefore conditionals and loops of other functions, with gradtape's tape inside.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
from jax import lax

from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.structural import (
    reshape_p,
    transpose_leading,
    with_axis,
    zeros,
)
from gradtape._src.graph.nested.structured import fold_p, if_p, pulled_back, vectorized
from gradtape._src.graph.tracing.trace_errors import cannot_compile, needs_value, where_now
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.selection import select_p
from gradtape._src.xla.compiler import Compiler

Body = Callable[[list[Tensor]], list[Tensor]]


def _traceable(compiler: Compiler, body: Body) -> Callable[..., list[Any]]:
    """Returns a body in the form in which JAX traces it."""

    def run(fresh: Sequence[Any], others: Sequence[Any] = (), rows: Sequence[Any] = ()) -> Any:
        values = [*fresh, *others, *rows]
        with compiler.scope():
            return [jnp.asarray(y._value) for y in body([Tensor(v) for v in values])]

    return run


def _vectorized(body: Body, size: int, flags: Sequence[bool]) -> Body:
    """Returns a body for a batch of examples; the values that `flags` selects have an axis 0."""
    return lambda values: vectorized(body, size, flags, values)


def _pulled(body: Body, n: int, wanted: Sequence[int], live: Sequence[int]) -> Body:
    """Returns the vjp of a body, a function of its `n` inputs and of the live cotangents."""
    return lambda values: pulled_back(body, values[:n], values[n:], wanted, live)


@dataclass(frozen=True)
class Choice:
    """A conditional. Its functions have the same inputs, of which the first is the condition.

    Like loops and scans, it exists only inside compiled programs, where it is the parameter `of` of
    structured operations, which make its derivatives.
    """

    branches: Sequence[Body]
    specs = ()

    def run(self, compiler: Compiler, inputs: Sequence[Tensor]) -> Sequence[Any]:
        """Adds the operation to a program."""
        first: list[Any] = []

        def alike(branch: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
            def run(values: Sequence[Any]) -> list[Any]:
                results = branch(values)
                shapes = [y.shape for y in results]
                if (first or shapes) != shapes:
                    why = "the shapes of its branches' results differ, and XLA's shapes are fixed"
                    raise needs_value("tf.cond", why, where_now())
                first[:] = shapes
                return results

            return run

        yes, no = [alike(_traceable(compiler, b)) for b in self.branches]
        values = [x._value for x in inputs]
        found: Sequence[Any] = lax.cond(jnp.asarray(values[0]).astype(bool), yes, no, values)
        return found

    def gradient(
        self, xs: list[Tensor], gs: list[Tensor], wanted: list[int], live: list[int]
    ) -> Sequence[Any]:
        """Returns the cotangents of the wanted inputs from those of the live results."""
        branches = [_pulled(b, len(xs), wanted, live) for b in self.branches]
        return if_p(*xs, *gs, of=Choice(branches))

    def batched(
        self, size: int, flags: Sequence[bool], inputs: Sequence[Tensor]
    ) -> Sequence[Tensor]:
        """Returns the results for a batch of examples, in which some inputs have an axis 0."""
        branches = [_vectorized(b, size, flags) for b in self.branches]
        if not flags[0]:
            return if_p(*inputs, of=Choice(branches))
        yes, no = [branch(list(inputs)) for branch in branches]
        return [_chosen(inputs[0], a, b) for a, b in zip(yes, no, strict=True)]


def _chosen(pred: Tensor, yes: Tensor, no: Tensor) -> Tensor:
    """Selects each example from one of two tensors, by a condition for each example."""
    pred = reshape_p(cast(pred, "bool"), shape=(-1, *(1 for _ in shape_of(yes)[1:])))
    return select_p(pred, yes, no)


@dataclass(frozen=True)
class Loop:
    """A loop without a gradient. Its inputs are carried values and constants."""

    test: Body
    body: Body
    carried: int
    specs = ()

    def run(self, compiler: Compiler, inputs: Sequence[Tensor]) -> Sequence[Any]:
        """Adds the operation to a program."""
        values = [x._value for x in inputs]
        rest = values[self.carried :]
        goes, step = _traceable(compiler, self.test), _traceable(compiler, self.body)

        def following(carried: Sequence[Any]) -> list[Any]:
            results = step(carried, rest)
            for before, after in zip(carried, results, strict=True):
                if before.shape != after.shape:
                    raise cannot_compile(
                        "tf.while_loop",
                        f"a loop variable of shape {before.shape} gets shape {after.shape} in an "
                        "iteration, and XLA's shapes are fixed",
                    )
            return results

        found: Sequence[Any] = lax.while_loop(
            lambda c: goes(c, rest)[0], following, values[: self.carried]
        )
        return found

    def turn(self, values: list[Tensor]) -> list[Tensor]:
        """Returns the carried values after an iteration, which are the same after the loop's end.

        A loop with a maximum number of iterations is a scan of these, which is differentiable.
        """
        branches = [lambda xs: self.body(xs[1:]), lambda xs: xs[1 : self.carried + 1]]
        return list(if_p(self.test(values)[0], *values, of=Choice(branches)))


@dataclass(frozen=True)
class Scan:
    """A scan. Its inputs are carried values, constants, and tensors with a row for each step.

    Only a scan without such tensors has to say how many steps there are.
    """

    body: Body
    carried: int
    shared: int
    reverse: bool
    length: int | None = None
    specs = ()

    def run(self, compiler: Compiler, inputs: Sequence[Tensor]) -> Sequence[Any]:
        """Adds the operation to a program."""
        values, c = [x._value for x in inputs], self.carried
        common, rows = values[c : c + self.shared], values[c + self.shared :]
        step = _traceable(compiler, self.body)

        def run(carry: Any, row: Any) -> Any:
            out = step(carry, common, row)
            return out[:c], out[c:]

        carry, stacked = lax.scan(run, values[:c], rows, self.length, self.reverse)
        return [*carry, *stacked]

    def gradient(
        self, xs: list[Tensor], gs: list[Tensor], wanted: list[int], live: list[int]
    ) -> Sequence[Any]:
        """Returns the cotangents of the wanted inputs from those of the live results."""
        body, c, s, backwards = self.body, self.carried, self.shared, self.reverse

        def remembering(values: list[Tensor]) -> list[Tensor]:
            return [*body(values)[:c], *values[:c]]

        states = fold_p(*xs, of=Scan(remembering, c, s, backwards, self.length))[c:]
        shared, rows = xs[c : c + s], xs[c + s :]
        in_carry = [i for i in range(c) if xs[i]._value.dtype.kind not in "biu"]
        in_shared = [i for i in wanted if c <= i < c + s]
        in_rows = [i for i in wanted if i >= c + s]
        parts = [*in_carry, *in_shared, *in_rows]
        a, b = len(in_carry), len(in_carry) + len(in_shared)
        pulled = _pulled(body, len(xs), parts, live)
        by_state = [live.index(i) for i in in_carry]
        by_rows = [k for k, i in enumerate(live) if i >= c]

        def step(values: list[Tensor]) -> list[Tensor]:
            carry, given = values[:b], values[b:]
            own, here = given[:s], given[s:]
            state, row, g_row = here[:c], here[c : c + len(rows)], here[c + len(rows) :]
            cotangents: list[Any] = [None] * len(live)
            for k, place in enumerate(by_state):
                cotangents[place] = carry[k]
            for g, place in zip(g_row, by_rows, strict=True):
                cotangents[place] = g
            found = pulled([*state, *own, *row, *cotangents])
            totals = [t + f for t, f in zip(carry[a:b], found[a:b], strict=True)]
            return [*found[:a], *totals, *found[b:]]

        start = [gs[place] for place in by_state]
        start += [Tensor(zeros(shape_of(xs[i]), xs[i]._value.dtype)) for i in in_shared]
        g_rows = [gs[place] for place in by_rows]
        of = Scan(step, b, s, not backwards, self.length)
        out = fold_p(*start, *shared, *states, *rows, *g_rows, of=of)
        found = dict(zip(parts, out, strict=True))
        return [found[i] for i in wanted]

    def batched(
        self, size: int, flags: Sequence[bool], inputs: Sequence[Tensor]
    ) -> Sequence[Tensor]:
        """Returns the results for a batch of examples, in which some inputs have an axis 0."""
        c, s = self.carried, self.shared
        carry = with_axis(size, flags[:c], inputs[:c])
        pairs = zip(inputs[c + s :], flags[c + s :], strict=True)
        rows = [transpose_leading(x) if flag else x for x, flag in pairs]
        body = _vectorized(self.body, size, [*(True for _ in carry), *flags[c:]])
        of = Scan(body, c, s, self.reverse, self.length)
        out = fold_p(*carry, *inputs[c : c + s], *rows, of=of)
        return [*out[:c], *[transpose_leading(y) for y in out[c:]]]


Functional = Choice | Loop | Scan
"""A conditional or loop whose parts are functions."""
