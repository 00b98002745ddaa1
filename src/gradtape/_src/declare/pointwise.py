"""The family of elementwise operations.

Their Jacobian is diagonal, so that one partial derivative per input serves forward and reverse
mode. This module handles broadcasting and conjugation.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np

from gradtape._src.compute import formulas
from gradtape._src.compute.jax_modules import jnp
from gradtape._src.compute.raw_value import RawValue
from gradtape._src.core.primitive import Bound, Outputs, Plan, Primitive, bind_binary, bind_unary
from gradtape._src.declare.general import (
    COMPLEX,
    INEXACT,
    NUMERIC,
    register,
    shape_of,
)
from gradtape._src.declare.plans import argument_names
from gradtape._src.declare.same_dtype import operands, pair
from gradtape._src.declare.structural import broadcast_to_p, conjugate, reshape_p, unbroadcast
from gradtape._src.declare.traits import NO_TRAITS, Traits
from gradtape._src.declare.unknown_sizes import are_alike, broadcast_shapes, surely_equal

ndarray = np.ndarray
Partial = Callable[..., Any] | float | None
"""A partial derivative as a function of `x`, `y` and `out`, or a constant; None for no
derivative."""

_REAL_SCALARS = frozenset({np.float32, np.float64})
V = TypeVar("V")


def itself_x(x: V) -> V:
    """Returns the partial derivative that is the input `x` itself."""
    return x


def itself_y(y: V) -> V:
    """Returns the partial derivative that is the input `y` itself."""
    return y


def itself_out(out: V) -> V:
    """Returns the partial derivative that is the output itself."""
    return out


_THEMSELVES: tuple[Any, ...] = (itself_x, itself_y, itself_out)
"""Partial derivatives that are kept values, which need no call."""


class Unary(Primitive):
    """An elementwise operation of one input."""

    def __init__(
        self,
        name: str,
        kernel: Callable[[Any], Any],
        partial: Partial,
        dtypes: frozenset[type],
        guarded: bool = False,
        slope: Bound | None = None,
    ) -> None:
        super().__init__(name, kernel, dtypes, slice(0, 1), 0 if partial is None else 1)
        self.partial, self.guarded, self.slope = partial, guarded, slope
        self.kept = ""
        if callable(partial):
            names = argument_names(partial)
            self.kept = ("x" if "x" in names else "") + ("o" if "out" in names else "")

    def make_plan(self, mask: int) -> Plan:
        kept = self.kept
        rule = _Rule(self.partial, tuple({"x": "x", "o": "out"}[c] for c in kept), self.guarded)
        guarded, slope = self.guarded, self.slope
        if slope is not None:
            rule.plain = lambda g, saved: slope(saved[0], g)
            rule.conjugated = lambda g, saved: slope(conjugate(saved[0]), g)

        def keep(inputs: Sequence[Any], out: Any, params: Any) -> Any:
            return (*inputs[: kept.count("x")], *(out,) * kept.count("o")), None

        conjugated, raw = rule.conjugated, rule.raw
        partial: Any = self.partial

        def vjp(g: Any, ids: Any, saved: Any, static: Any) -> Any:
            return (conjugated(g, saved),)

        def vjp_raw(g: Any, ids: Any, saved: Any, static: Any) -> Any:
            if len(saved) == 1 and type(g) in _REAL_SCALARS:  # the usual case, in one step
                if guarded and g == 0:
                    return (g,)
                return (g * partial(saved[0]._value),)
            if slope and type(g) is ndarray and g.dtype.char in "fd" and g.size < _LARGE:
                return (slope.primitive.kernel(saved[0]._value, g),)
            return (raw(g, saved),)

        def jvp(tangents: Any, saved: Any, static: Any) -> Any:
            return rule.plain(tangents[0], saved)

        return Plan(self, keep, vjp, jvp, vjp_raw=vjp_raw, whole=True)

    def batch(self, size: int, batched: Any, inputs: Any, params: Any) -> Outputs:
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
        """Returns the names of the values that the rules of the tracked inputs need."""
        names: set[str] = set()
        for i, partial in enumerate(self.partials):
            if mask >> i & 1 and callable(partial):
                names.update(argument_names(partial))
        return tuple(n for n in ("x", "y", "out") if n in names)

    def make_plan(self, mask: int) -> Plan:
        kept = self.kept(mask)
        select = _SELECT[kept]
        rules = [self._rule(i, kept) if mask >> i & 1 else None for i in range(2)]

        def keep(inputs: Sequence[Any], out: Any, params: Any) -> Any:
            first, second = inputs
            shapes = x, y = first._value.shape, second._value.shape
            same = x == y if type(x) is tuple is type(y) else surely_equal(x, y)
            return select(first, second, out), None if same else shapes

        def jvp(tangents: Any, saved: Any, shapes: Any) -> Any:
            total = None
            for t, rule in zip(tangents, rules, strict=True):
                if t is not None and rule is not None:
                    part = rule.plain(t, saved)
                    total = part if total is None else total + part
            if shapes is not None:
                full = _full(shapes)
                if not are_alike(shape_of(total), full):
                    total = broadcast_to_p(total, shape=full)
            return total

        return Plan(
            self,
            keep,
            _vjp(*[r and r.conjugated for r in rules]),
            jvp,
            vjp_raw=_vjp(*[r and r.raw for r in rules]),
            whole=True,
        )

    def _rule(self, i: int, kept: tuple[str, ...]) -> _Rule:
        """Returns the rule for the partial derivative with respect to input `i`."""
        return _Rule(self.partials[i], kept)

    def batch(self, size: int, batched: Any, inputs: Any, params: Any) -> Outputs:
        ranks = [len(shape_of(x)) - b for x, b in zip(inputs, batched, strict=True)]
        aligned = []
        for x, b, rank in zip(inputs, batched, ranks, strict=True):
            missing = max(ranks) - rank
            spread = b and missing
            ones = (1,) * missing
            aligned.append(reshape_p(x, shape=(size, *ones, *shape_of(x)[1:])) if spread else x)
        return self.bind(*aligned)


@lru_cache(4096)
def _full(shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> tuple[int, ...]:
    """Returns the broadcast shape of two shapes, faster than NumPy."""
    return broadcast_shapes(*shapes)


def _vjp(x: Any, y: Any) -> Callable[..., Any]:
    """Returns the pull-back of two inputs from the rule for each; None for an untracked input."""
    passes_x, passes_y = x is _pass_on, y is _pass_on  # for sums, this saves calls

    def both(g: Any, ids: Any, saved: Any, shapes: Any) -> Any:
        gx = (g if passes_x else x(g, saved)) if ids[0] else None
        gy = (g if passes_y else y(g, saved)) if ids[1] else None
        if shapes is None:
            return gx, gy
        full = g.shape if type(g) is ndarray else _full(shapes)
        return (
            None if gx is None else unbroadcast(gx, full, shapes[0]),
            None if gy is None else unbroadcast(gy, full, shapes[1]),
        )

    rule, second = (x, 0) if y is None else (y, 1)
    passes = rule is _pass_on

    def one(g: Any, ids: Any, saved: Any, shapes: Any) -> Any:
        d = g if passes else rule(g, saved)
        if shapes is not None:
            d = unbroadcast(d, g.shape if type(g) is ndarray else _full(shapes), shapes[second])
        return (None, d) if second else (d,)

    return one if x is None or y is None else both


class _Rule:
    """A partial derivative times a tangent or cotangent, `(g, saved) -> g * partial(...)`.

    Attributes:
      plain: For tangents.
      conjugated: For cotangents: TensorFlow's gradient of a holomorphic f is g * conj(f').
      raw: For raw cotangents, with saved values that are still tensors.
    """

    __slots__ = ("conjugated", "plain", "raw")

    def __init__(self, partial: Partial, kept: tuple[str, ...], guarded: bool = False) -> None:
        if not callable(partial):
            self.plain = self.conjugated = self.raw = _scaled(partial)
            return
        places = [kept.index(n) for n in argument_names(partial)]
        if len(places) == 1 and not guarded:
            self._of_one(partial, places[0])
        else:
            self._of_several(partial, places, guarded)

    def _of_one(self, rule: Callable[..., Any], i: int) -> None:
        """Makes the rule of a partial derivative that depends on one value, the usual case."""
        itself = rule in _THEMSELVES

        def plain(g: Any, saved: Any) -> Any:
            return g * rule(saved[i])

        def conjugated(g: Any, saved: Any) -> Any:
            return g * conjugate(rule(saved[i]))

        def raw(g: Any, saved: Any) -> Any:
            x = saved[i]._value
            d = x if itself else rule(x)
            if type(g) in _REAL_SCALARS:
                return g * d
            if g.size >= _LARGE and d is not x:
                return times_slope(g, d)
            if g.dtype.type not in COMPLEX:
                return g * d
            return g * conjugate(d)

        self.plain, self.conjugated, self.raw = plain, conjugated, raw

    def _of_several(self, rule: Callable[..., Any], places: Sequence[int], guarded: bool) -> None:
        """Makes the rule of a partial derivative of several values; guarded: 0 · ∞ counts as 0."""
        times = _times_guarded if guarded else operator.mul

        def plain(g: Any, saved: Any) -> Any:
            return times(g, rule(*[saved[i] for i in places]))

        def conjugated(g: Any, saved: Any) -> Any:
            return times(g, conjugate(rule(*[saved[i] for i in places])))

        def raw(g: Any, saved: Any) -> Any:
            known = [saved[i]._value for i in places]
            d = rule(*known)
            if type(g) not in _REAL_SCALARS and g.size >= _LARGE and all(d is not x for x in known):
                return times_slope(g, d)
            return g * conjugate(d)

        def guarded_raw(g: Any, saved: Any) -> Any:
            d = g * conjugate(rule(*[saved[i]._value for i in places]))
            return np.where(g == 0, g, d)[()] if np.any(np.isnan(d)) else d

        self.plain, self.conjugated = plain, conjugated
        self.raw = guarded_raw if guarded else raw


def _times_guarded(g: Any, d: Any) -> Any:
    return mul_no_nan_p(d, g)


_LARGE = 1 << 14  # the number of elements from which reusing memory is faster


def times_slope(g: Any, d: Any) -> RawValue:
    """Returns `g * conj(d)` of a large cotangent, in the memory of the partial derivative `d`."""
    out: RawValue
    if g.dtype.type in COMPLEX:
        out = g * conjugate(d)
    elif (
        type(d) is ndarray
        and (d.base is None or hasattr(d.base, "owner"))  # not a view, except of memory of XLA
        and d.dtype is g.dtype
        and d.shape == g.shape
        and d.flags.writeable
    ):
        of_sum = g.size and not any(g.strides) and g.item(0) == 1  # the gradient of a sum
        out = d if of_sum else np.multiply(g, d, d)
    else:
        out = g * d
    return out


def _pass_on(g: Any, saved: Any) -> Any:
    return g


def _scaled(factor: float | None) -> Callable[[Any, Any], Any]:
    if factor == 1:
        return _pass_on
    if factor == -1:
        return lambda g, saved: -g
    return lambda g, saved: g * factor


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
    guarded: bool = False,
    *,
    slope: Bound | None = None,
    xla: Callable[..., Any] | None = None,
    traits: Traits = NO_TRAITS,
) -> Bound:
    """Declares an elementwise operation of one input.

    Args:
      name: TensorFlow's name of it.
      kernel: Computes it on raw values.
      partial: dy/dx as a function of `x` and `out` (or only one of them), a constant, or None for
        an operation that is not differentiable.
      dtypes: The supported dtypes.
      guarded: Whether a gradient of 0 remains 0 where the partial derivative is not finite.
      slope: Multiplies the partial derivative, which depends on one value, by a cotangent.
      xla: Computes it on JAX's arrays; not needed if `kernel` is a ufunc that JAX has too.
      traits: Facts about it beyond its values and derivatives.
    """
    primitive = Unary(name, kernel, partial, dtypes, guarded, slope)
    register(primitive, xla, traits)
    return bind_unary(primitive, primitive.kept)


def binary(
    name: str,
    kernel: Callable[[Any, Any], Any],
    dx: Partial,
    dy: Partial,
    dtypes: frozenset[type] | None = NUMERIC,
    *,
    family: type[Binary] = Binary,
    xla: Callable[..., Any] | None = None,
    traits: Traits = NO_TRAITS,
) -> Bound:
    """Declares an elementwise operation of two inputs that broadcast; see `unary`."""
    primitive = family(name, kernel, (dx, dy), dtypes)
    register(primitive, xla, traits)
    kept = [primitive.kept(mask) for mask in range(4)]
    keeps = [_SELECT[names] if names else None for names in kept]
    return bind_binary(primitive, keeps, operands, pair)


def _mul_no_nan(x: Any, y: Any) -> Any:
    out = x * y
    zero = y == 0
    if not np.any(zero):
        return out
    return formulas.select(np.broadcast_to(zero, np.shape(out))[()], out.dtype.type(0), out)


def _mul_no_nan_in_xla(x: Any, y: Any) -> Any:
    out = x * y
    return jnp.where(y == 0, jnp.zeros_like(out), out)


mul_no_nan_p: Bound = binary(
    "MulNoNan", _mul_no_nan, itself_y, itself_x, INEXACT, xla=_mul_no_nan_in_xla
)
