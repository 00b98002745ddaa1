"""Conditionals and loops as XLA control flow: operations on functions of tensors; needs JAX.

All values that the functions use are inputs. The derivatives of `If`, `While` and `Scan` are
therefore built from the same operations, with gradtape's tape inside.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
from jax import lax

from gradtape._src.autodiff.arguments import pushed
from gradtape._src.autodiff.vectorize import Batch, Vectorizer
from gradtape._src.core.primitive import Plan, Primitive, bind
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.outputs import several
from gradtape._src.declare.structural import (
    broadcast_to_p,
    reshape_p,
    transpose_leading,
    with_axis,
    zeros,
)
from gradtape._src.graph.nested.structured import of_examples, pulled_back
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.selection import select_p
from gradtape._src.ops.reduce.reductions import reduce_any
from gradtape._src.xla.compiler import Compiler

Body = Callable[[list[Tensor]], list[Tensor]]


def _traceable(compiler: Compiler, body: Body) -> Callable[..., list[Any]]:
    """Returns a body in the form in which JAX traces it."""

    def run(fresh: Sequence[Any], others: Sequence[Any] = (), rows: Sequence[Any] = ()) -> Any:
        values = [*fresh, *others, *rows]
        with compiler.scope():
            return [jnp.asarray(y._value) for y in body([Tensor(v) for v in values])]

    return run


def _vectorized(
    body: Body, size: int, flags: Sequence[bool], wanted: Sequence[bool] | None = None
) -> Body:
    """Returns a body in which the values that `flags` selects are batched along axis 0.

    Every result is batched, or those that `wanted` selects.
    """

    def run(values: list[Tensor]) -> list[Tensor]:
        vectorizer = Vectorizer(size)
        with pushed(vectorizer):
            given = [vectorizer.wrap(v) if b else v for v, b in zip(values, flags, strict=True)]
            outs = body(given)
        wishes = wanted or [True] * len(outs)
        return [of_examples(y, vectorizer) if w else y for y, w in zip(outs, wishes, strict=True)]

    return run


def _pulled(body: Body, n: int, wanted: Sequence[int], live: Sequence[int]) -> Body:
    """Returns the vjp of a body, a function of its `n` inputs and of the live cotangents."""
    return lambda values: pulled_back(body, values[:n], values[n:], wanted, live)


class _Structured(Primitive):
    """An operation whose parameters are functions; it exists only inside compiled programs.

    Args:
      name: The operation's name.
      xla: A function that adds the operation to a program.
    """

    def __init__(self, name: str, xla: Callable[..., Any]) -> None:
        super().__init__(name, xla)
        self.xla = xla

    def make_plan(self, mask: int) -> Plan:
        return Plan(self, self._keep, self._vjp)

    def _keep(self, inputs: Sequence[Any], out: Any, params: Any) -> Any:
        return tuple(inputs), (params, [(shape_of(y), y._value.dtype) for y in out])

    def _vjp(self, g: Any, ids: Sequence[int], saved: Sequence[Any], static: Any) -> Any:
        params, specs = static
        live = [i for i, (_, dtype) in enumerate(specs) if dtype.kind not in "biu"]
        gs = [zeros(*specs[i]) if g[i] is None else g[i] for i in live]
        wanted = [i for i, x in enumerate(saved) if ids[i] and x._value.dtype.kind not in "biu"]
        found = iter(self.vjp(params, list(saved), gs, wanted, live)) if wanted else iter(())
        return [next(found) if i in wanted else None for i in range(len(saved))]

    def vjp(
        self, params: Any, xs: list[Any], gs: list[Any], wanted: list[int], live: list[int]
    ) -> Sequence[Any]:
        """Returns the cotangents of the wanted inputs."""
        raise NotImplementedError


class _If(_Structured):
    def vjp(
        self, params: Any, xs: list[Any], gs: list[Any], wanted: list[int], live: list[int]
    ) -> Sequence[Any]:
        wanted = [i - 1 for i in wanted]
        branches = [_pulled(b, len(xs) - 1, wanted, live) for b in params["branches"]]
        out: Sequence[Any] = if_p(*xs, *gs, compiler=params["compiler"], branches=branches)
        return out

    def batch(self, size: int, batched: Any, inputs: Any, params: Any) -> tuple[Tensor, ...]:
        branches = [_vectorized(b, size, batched[1:]) for b in params["branches"]]
        if not batched[0]:
            return if_p(*inputs, compiler=params["compiler"], branches=branches)
        yes, no = [branch(list(inputs[1:])) for branch in branches]
        return tuple([_chosen(inputs[0], a, b) for a, b in zip(yes, no, strict=True)])


def _chosen(pred: Tensor, yes: Tensor, no: Tensor) -> Tensor:
    """Selects each example from one of two tensors, by a condition for each example."""
    pred = reshape_p(cast(pred, "bool"), shape=(-1, *(1 for _ in shape_of(yes)[1:])))
    return select_p(pred, yes, no)


def _run_if(pred: Any, *values: Any, compiler: Compiler, branches: Sequence[Body]) -> Any:
    yes, no = [_traceable(compiler, b) for b in branches]
    return tuple(lax.cond(jnp.asarray(pred).astype(bool), yes, no, list(values)))


class _While(_Structured):
    def vjp(
        self, params: Any, xs: list[Any], gs: list[Any], wanted: list[int], live: list[int]
    ) -> Sequence[Any]:
        raise ValueError(
            "the gradient of a compiled tf.while_loop whose condition depends on values needs "
            "maximum_iterations: XLA must know how many states to keep. Or use tf.scan"
        )

    def batch(self, size: int, batched: Any, inputs: Any, params: Any) -> tuple[Tensor, ...]:
        compiler, test, body, c = (params[k] for k in ("compiler", "test", "body", "carried"))
        flags = list(batched)
        while True:  # Repeats until no further value is found to differ between examples.
            differs = _differing(compiler, test, size, flags, batched, inputs)[0]
            after = _differing(compiler, body, size, flags, batched, inputs)
            wider = [differs or a or b for a, b in zip(flags, after, strict=False)] + flags[c:]
            if wider == flags:
                break
            flags = wider
        given = [
            broadcast_to_p(x, shape=(size, *shape_of(x))) if f and not b else x
            for x, f, b in zip(inputs, flags, batched, strict=True)
        ]
        tested = _vectorized(test, size, flags, [differs])
        stepped = _vectorized(body, size, flags, flags[:c])

        def any_goes(values: list[Tensor]) -> list[Tensor]:
            return [reduce_any(tested(values)[0])]

        def those_that_go(values: list[Tensor]) -> list[Tensor]:
            goes, out = tested(values)[0], stepped(values)
            return [_chosen(goes, a, b) for a, b in zip(out, values[:c], strict=True)]

        goes, turn = (any_goes, those_that_go) if differs else (tested, stepped)
        outs = while_p(*given, compiler=compiler, test=goes, body=turn, carried=c)
        return tuple(
            [
                y if f else broadcast_to_p(y, shape=(size, *shape_of(y)))
                for y, f in zip(outs, flags[:c], strict=True)
            ]
        )


def _differing(
    compiler: Compiler,
    body: Body,
    size: int,
    flags: Sequence[bool],
    batched: Sequence[bool],
    inputs: Sequence[Tensor],
) -> list[bool]:
    """Finds the results of a body that differ between examples if the inputs in `flags` do."""
    with compiler.scope():
        vectorizer = Vectorizer(size)
        with pushed(vectorizer):
            given = []
            for x, own, flag in zip(inputs, batched, flags, strict=True):
                shape = shape_of(x) if own or not flag else (size, *shape_of(x))
                zero = Tensor(zeros(shape, x._value.dtype))
                given.append(vectorizer.wrap(zero) if flag else zero)
            outs = body(given)
        return [type(y._value) is Batch and y._value.owner is vectorizer for y in outs]


def _run_while(*values: Any, compiler: Compiler, test: Body, body: Body, carried: int) -> Any:
    rest = list(values[carried:])
    goes, step = _traceable(compiler, test), _traceable(compiler, body)
    return tuple(
        lax.while_loop(lambda c: goes(c, rest)[0], lambda c: step(c, rest), list(values[:carried]))
    )


class _Scan(_Structured):
    """A scan. Its inputs are carried values, constants, and tensors with a row for each step."""

    def vjp(
        self, params: Any, xs: list[Any], gs: list[Any], wanted: list[int], live: list[int]
    ) -> Sequence[Any]:
        body, c, s = params["body"], params["carried"], params["shared"]
        common = {"compiler": params["compiler"], "shared": s}
        backwards = params["reverse"]

        def remembering(values: list[Tensor]) -> list[Tensor]:
            return [*body(values)[:c], *values[:c]]

        states = scan_p(*xs, body=remembering, carried=c, reverse=backwards, **common)[c:]
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
        out = scan_p(
            *start,
            *shared,
            *states,
            *rows,
            *[gs[place] for place in by_rows],
            body=step,
            carried=b,
            reverse=not backwards,
            **common,
        )
        found = dict(zip(parts, out, strict=True))
        return [found[i] for i in wanted]

    def batch(self, size: int, batched: Any, inputs: Any, params: Any) -> tuple[Tensor, ...]:
        c, s = params["carried"], params["shared"]
        carry = with_axis(size, batched[:c], inputs[:c])
        rows = [
            transpose_leading(x) if b else x
            for x, b in zip(inputs[c + s :], batched[c + s :], strict=True)
        ]
        flags = [*(True for _ in carry), *batched[c:]]
        body = _vectorized(params["body"], size, flags)
        out = scan_p(*carry, *inputs[c : c + s], *rows, **{**params, "body": body})
        return (*out[:c], *[transpose_leading(y) for y in out[c:]])


def _run_scan(
    *values: Any, compiler: Compiler, body: Body, carried: int, shared: int, reverse: bool
) -> Any:
    common = list(values[carried : carried + shared])
    step = _traceable(compiler, body)

    def run(carry: Any, row: Any) -> Any:
        out = step(carry, common, row)
        return out[:carried], out[carried:]

    rows = list(values[carried + shared :])
    carry, stacked = lax.scan(run, list(values[:carried]), rows, reverse=reverse)
    return (*carry, *stacked)


if_p = several(None, bind(_If("If", xla=_run_if)))
while_p = several(None, bind(_While("While", xla=_run_while)))
scan_p = several(None, bind(_Scan("Scan", xla=_run_scan)))


def bounded(
    inputs: list[Tensor], tested: Body, stepped: Body, carried: int, most: int, compiler: Any
) -> Sequence[Tensor]:
    """Returns a loop with a maximum number of iterations as a scan of conditionals.

    A scan is differentiable in reverse mode.
    """

    def turn(values: list[Tensor]) -> list[Tensor]:
        goes = tested(values)[0]
        branches = [stepped, lambda xs: list(xs[:carried])]
        return list(if_p(goes, *values, compiler=compiler, branches=branches))

    return scan_p(
        *inputs,
        Tensor(zeros((most,), jnp.dtype("int32"))),
        compiler=compiler,
        body=lambda values: turn(values[:-1]),
        carried=carried,
        shared=len(inputs) - carried,
        reverse=False,
    )
