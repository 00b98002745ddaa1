"""One program for any length, made of two that were traced with different lengths.

Code that gradtape traces asks for lengths as numbers, so that a trace knows one length alone. Two
traces differ in just the numbers that depend on the length; each is made a formula of it. Programs
that differ otherwise do different things at different lengths, and that is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend import core as jax_core

_INLINED = {"pjit": "jaxpr", "jit": "jaxpr", "closed_call": "call_jaxpr",
            "custom_jvp_call": "call_jaxpr", "custom_vjp_call": "call_jaxpr",
            "remat": "jaxpr", "checkpoint": "jaxpr"}  # fmt: skip


def general_program(
    runs: Sequence[Callable[..., Any]],
    inputs: Sequence[Sequence[Any]],
    lengths: tuple[int, int],
    symbol: Any,
) -> Callable[..., list[Any]]:
    """A function that does for any length what two do for theirs.

    Args:
      runs: The two functions.
      inputs: The shapes and dtypes that they take.
      lengths: The lengths.
      symbol: What stands for the length in the shapes of the function's inputs.

    Raises:
      ValueError: When it is traced: the functions don't do the same.
    """
    first, second = (jax.make_jaxpr(run)(*x) for run, x in zip(runs, inputs, strict=True))
    return lambda *values: _Walk(lengths, symbol).closed(first, second, values)


class _Walk:
    """Runs two programs at once, on values whose shapes have a symbol for the length."""

    def __init__(self, lengths: tuple[int, int], symbol: Any) -> None:
        self.lengths = lengths
        self.symbol = symbol

    def closed(self, first: Any, second: Any, values: Sequence[Any]) -> list[Any]:
        """Runs programs that bring constants."""
        if len(first.consts) != len(second.consts):
            raise _different("other constants")
        consts = [self.array(a, b) for a, b in zip(first.consts, second.consts, strict=True)]
        return self.run(first.jaxpr, second.jaxpr, consts, values)

    def run(
        self, first: Any, second: Any, consts: Sequence[Any], values: Sequence[Any]
    ) -> list[Any]:
        env = dict(zip([*first.constvars, *first.invars], [*consts, *values], strict=True))

        def value(a: Any, b: Any) -> Any:
            if isinstance(a, jax_core.Literal):
                return self.array(a.val, b.val)
            return env[a]

        if len(first.eqns) != len(second.eqns):
            raise _different(f"{len(first.eqns)} steps at one, {len(second.eqns)} at another")
        for one, two in zip(first.eqns, second.eqns, strict=True):
            if one.primitive is not two.primitive or len(one.invars) != len(two.invars):
                raise _different(f"'{one.primitive}' at one, '{two.primitive}' at another")
            given = [value(a, b) for a, b in zip(one.invars, two.invars, strict=True)]
            env.update(zip(one.outvars, self.step(one, two, given), strict=True))
        return [value(a, b) for a, b in zip(first.outvars, second.outvars, strict=True)]

    def step(self, one: Any, two: Any, given: Sequence[Any]) -> Sequence[Any]:
        """Runs one operation."""
        name = one.primitive.name
        if name in _INLINED:
            return self.closed(one.params[_INLINED[name]], two.params[_INLINED[name]], given)
        params = {key: self.param(one.params[key], two.params[key]) for key in one.params}
        for key, avals in self.bodies(name, one.params, given):
            params[key] = self.body(one.params[key], two.params[key], avals)
        out = one.primitive.bind(*given, **params)
        return out if one.primitive.multiple_results else [out]

    def bodies(self, name: str, params: Any, given: Sequence[Any]) -> list[tuple[str, Any]]:
        """The programs within an operation, and what they take."""
        avals = [jax.typeof(x) for x in given]
        if name == "scan":
            kept = params["num_consts"] + params["num_carry"]
            rows = [jax.ShapeDtypeStruct(a.shape[1:], a.dtype) for a in avals[kept:]]
            return [("jaxpr", [*avals[:kept], *rows])]
        if name == "while":
            n, m = params["cond_nconsts"], params["body_nconsts"]
            carried = avals[n + m :]
            return [
                ("cond_jaxpr", [*avals[:n], *carried]),
                ("body_jaxpr", [*avals[n : n + m], *carried]),
            ]
        return [("branches", avals[1:])] if name == "cond" else []

    def body(
        self, one: Any, two: Any, avals: Sequence[Any]
    ) -> jax_core.ClosedJaxpr | tuple[Any, ...]:
        if isinstance(one, tuple):
            return tuple(self.body(a, b, avals) for a, b in zip(one, two, strict=True))
        return jax.make_jaxpr(lambda *values: self.closed(one, two, values))(*avals)

    def param(self, a: Any, b: Any) -> Any:
        """A parameter of an operation."""
        if isinstance(a, tuple) and type(a) is type(b) and len(a) == len(b):
            parts = [self.param(x, y) for x, y in zip(a, b, strict=True)]
            return type(a)(*parts) if hasattr(a, "_fields") else tuple(parts)
        if type(a) is int and type(b) is int and a != b:
            n, m = self.lengths
            slope, rest = divmod(b - a, m - n)
            if rest:
                raise _different(f"{a} at one, {b} at another")
            return self.symbol * slope + (a - slope * n)
        return a  # programs within, dtypes and the like, which don't depend on lengths

    def array(self, a: Any, b: Any) -> jax.Array:
        """A constant of the program for any length."""
        x, y = np.asarray(a), np.asarray(b)
        if x.shape == y.shape and np.array_equal(x, y, equal_nan=x.dtype.kind in "fc"):
            return a
        if x.ndim != y.ndim or x.dtype != y.dtype:
            raise _different("other constants")
        shape = self.param(x.shape, y.shape)
        if x.size and y.size and (x == x.flat[0]).all() and (y == y.flat[0]).all():
            return jnp.broadcast_to(self.number(x.flat[0], y.flat[0], x.dtype), shape)
        return self.progression(x, y, shape)

    def progression(self, x: Any, y: Any, shape: Any) -> jax.Array:
        """A constant that goes on evenly along an axis, as a range does."""
        axes = [axis for axis in range(x.ndim) if x.shape[axis] != y.shape[axis]]
        if len(axes) != 1 or x.dtype.kind not in "iuf":
            raise _different("other constants")
        [axis] = axes
        first, second = (np.take(y, [i], axis) for i in (0, 1))
        steps = np.arange(y.shape[axis]).reshape([-1 if i == axis else 1 for i in range(y.ndim)])
        even = (first + steps * (second - first)).astype(y.dtype)
        if not (
            np.array_equal(even, y) and np.array_equal(np.take(y, range(x.shape[axis]), axis), x)
        ):
            raise _different("other constants")
        count = jax.lax.broadcasted_iota(x.dtype, shape, axis)
        return first + count * (second - first)

    def number(self, a: Any, b: Any, dtype: Any) -> jax.Array:
        """A number that is the same, or grows with the length, or with its inverse."""
        if a == b:
            return jnp.asarray(a, dtype)
        n, m = self.lengths
        length = jnp.asarray(self.symbol).astype(dtype)
        if np.isclose(a * m, b * n, rtol=1e-6):
            return length * dtype.type(a / n) if dtype.kind == "f" else length * (a // n)
        if dtype.kind == "f" and np.isclose(a * n, b * m, rtol=1e-6):
            return dtype.type(a * n) / length
        slope = (b - a) / (m - n)
        if slope != round(slope):
            raise _different(f"{a} at one, {b} at another")
        return length * dtype.type(slope) + dtype.type(a - slope * n)


def _different(what: str) -> ValueError:
    return ValueError(
        "A function that shall be saved for an unknown length (None in its signature) does "
        f"something else at one length than at another: {what}. Give it a signature with a number "
        "there."
    )
