"""The family of elementwise operations: the Jacobian is diagonal, so a partial derivative per
input serves forward and reverse mode; broadcasting and conjugation are dealt with here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradtape._core.primitive import Bound, Plan, Primitive, bind_binary, bind_unary
from gradtape._ops.families import (
    COMPLEX,
    INEXACT,
    NUMERIC,
    argument_names,
    broadcast_to_p,
    dtype_of_value,
    general,
    register,
    reshape_p,
    shape_of,
    unbroadcast,
)

Partial = Callable[..., Any] | float | None
"""A partial derivative in terms of `x`, `y` and `out`, or a constant; None: no derivative."""

conj_p = general(
    "Conj",
    lambda x: np.conjugate(x),
    {"x": lambda g: conj_p(g)},
    linear=["x"],
    batching="leading",
)

_REAL_SCALARS = (np.float32, np.float64)


def conjugate(x: Any) -> Any:
    """The conjugate of a complex value; a real one as it is.

    TensorFlow's gradient of a holomorphic f is g * conj(f'(x)).
    """
    if isinstance(x, _REAL_SCALARS) or type(x) is float:
        return x
    return conj_p(x) if dtype_of_value(x).type in COMPLEX else x


class Unary(Primitive):
    """An elementwise operation of one input."""

    def __init__(
        self, name: str, kernel: Callable[[Any], Any], partial: Partial, dtypes: frozenset[type]
    ) -> None:
        super().__init__(name, kernel, dtypes, slice(0, 1), 0 if partial is None else 1)
        self.partial = partial
        self.kept = ""
        if callable(partial):
            names = argument_names(partial)
            self.kept = ("x" if "x" in names else "") + ("o" if "out" in names else "")

    def make_plan(self, mask: int) -> Plan:
        kept, partial = self.kept, self.partial

        def keep(inputs: Sequence[Any], out: Any, params: Any) -> Any:
            return (*inputs[: kept.count("x")], *(out,) * kept.count("o")), None

        if not callable(partial):
            scale = _scaled(partial)

            def pull(g: Any, ids: Any, saved: Any, static: Any) -> Any:
                return (scale(g),)

            def push(tangents: Any, saved: Any, static: Any) -> Any:
                return scale(tangents[0])

        else:

            def pull(g: Any, ids: Any, saved: Any, static: Any) -> Any:
                return (g * conjugate(partial(*saved)),)

            def push(tangents: Any, saved: Any, static: Any) -> Any:
                return tangents[0] * partial(*saved)

        return Plan(self, keep, pull, push)

    def batch(self, size: int, batched: Any, inputs: Any, params: Any) -> Any:
        return self.bind(*inputs)


class Binary(Primitive):
    """An elementwise operation of two inputs that broadcast."""

    def __init__(
        self,
        name: str,
        kernel: Callable[[Any, Any], Any],
        partials: tuple[Partial, Partial],
        dtypes: frozenset[type] | None,
    ) -> None:
        tracked = sum(1 << i for i, p in enumerate(partials) if p is not None)
        super().__init__(name, kernel, dtypes, slice(0, 2), tracked)
        self.partials = partials

    def kept(self, mask: int) -> tuple[str, ...]:
        """What the rules of the tracked inputs need."""
        names: set[str] = set()
        for i, partial in enumerate(self.partials):
            if mask >> i & 1 and callable(partial):
                names.update(argument_names(partial))
        return tuple(n for n in ("x", "y", "out") if n in names)

    def make_plan(self, mask: int) -> Plan:
        kept = self.kept(mask)
        select = _SELECT[kept]
        rules = [_partial(p, kept) for p in self.partials]
        (rule_x, rule_y) = rules

        def keep(inputs: Sequence[Any], out: Any, params: Any) -> Any:
            shapes = shape_of(inputs[0]), shape_of(inputs[1])
            return select(*inputs, out), None if shapes[0] == shapes[1] else shapes

        def pull(g: Any, ids: Any, saved: Any, shapes: Any) -> Any:
            gx = rule_x(g, saved, conjugate) if ids[0] else None
            gy = rule_y(g, saved, conjugate) if ids[1] else None
            if shapes is not None:
                full = np.broadcast_shapes(*shapes)
                if gx is not None:
                    gx = unbroadcast(gx, full, shapes[0])
                if gy is not None:
                    gy = unbroadcast(gy, full, shapes[1])
            return gx, gy

        def push(tangents: Any, saved: Any, shapes: Any) -> Any:
            total = None
            for t, rule in zip(tangents, rules, strict=True):
                if t is not None:
                    part = rule(t, saved, _same)
                    total = part if total is None else total + part
            if shapes is not None:
                full = np.broadcast_shapes(*shapes)
                if shape_of(total) != full:
                    total = broadcast_to_p(total, shape=full)
            return total

        return Plan(self, keep, pull, push)

    def batch(self, size: int, batched: Any, inputs: Any, params: Any) -> Any:
        ranks = [len(shape_of(x)) - b for x, b in zip(inputs, batched, strict=True)]
        aligned = []
        for x, b, rank in zip(inputs, batched, ranks, strict=True):
            missing = max(ranks) - rank
            if b and missing:
                x = reshape_p(x, shape=(size, *(1,) * missing, *shape_of(x)[1:]))
            aligned.append(x)
        return self.bind(*aligned)


def _same(x: Any) -> Any:
    return x


def _scaled(factor: float | None) -> Callable[[Any], Any]:
    if factor == 1:
        return _same
    if factor == -1:
        return lambda g: -g
    return lambda g: g * factor


def _partial(partial: Partial, kept: tuple[str, ...]) -> Callable[[Any, Any, Any], Any]:
    """`(g, saved, conj) -> g * conj(partial(...))`."""
    if not callable(partial):
        scale = _scaled(partial)
        return lambda g, saved, conj: scale(g)
    rule = partial
    places = [kept.index(n) for n in argument_names(rule) if n in kept]
    if len(places) == 1:
        (i,) = places
        return lambda g, saved, conj: g * conj(rule(saved[i]))
    return lambda g, saved, conj: g * conj(rule(*[saved[i] for i in places]))


_SELECT: dict[tuple[str, ...], Callable[[Any, Any, Any], Any]] = {
    (): lambda x, y, out: (),
    ("x",): lambda x, y, out: (x,),
    ("y",): lambda x, y, out: (y,),
    ("out",): lambda x, y, out: (out,),
    ("x", "y"): lambda x, y, out: (x, y),
    ("x", "out"): lambda x, y, out: (x, out),
    ("y", "out"): lambda x, y, out: (y, out),
    ("x", "y", "out"): lambda x, y, out: (x, y, out),
}


def unary(
    name: str,
    kernel: Callable[[Any], Any],
    partial: Partial,
    dtypes: frozenset[type] = INEXACT,
) -> Bound:
    """Declares an elementwise operation of one input.

    Args:
      name: TensorFlow's name of it.
      kernel: Computes it on raw values.
      partial: dy/dx as a function of `x` and `out` (as many of them as it needs), a constant, or
        None for an operation that is not differentiable.
      dtypes: What it can be applied to.
    """
    primitive = Unary(name, kernel, partial, dtypes)
    register(primitive)
    return bind_unary(primitive, primitive.kept)


def binary(
    name: str,
    kernel: Callable[[Any, Any], Any],
    dx: Partial,
    dy: Partial,
    dtypes: frozenset[type] | None = NUMERIC,
) -> Bound:
    """Declares an elementwise operation of two inputs that broadcast; see `unary`."""
    primitive = Binary(name, kernel, (dx, dy), dtypes)
    register(primitive)
    return bind_binary(primitive, [_SELECT[primitive.kept(mask)] for mask in range(4)])
