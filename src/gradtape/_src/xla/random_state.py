"""Random numbers inside a compiled program; this module needs JAX."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

Shape = tuple[int, ...]


class TracedEngine:
    """An engine with the methods that `ops.random.sampling` calls, implemented with JAX.

    Each draw uses its own key, which is derived from the program's key for this run.
    """

    def __init__(self, key: Any) -> None:
        self._key = jax.random.wrap_key_data(key, impl="threefry2x32")
        self._count = 0

    def _next(self) -> Any:
        self._count += 1
        return jax.random.fold_in(self._key, self._count)

    def key(self) -> jax.Array:
        """Returns a key for a conditional or loop: two uint32."""
        return jax.random.key_data(self._next())

    def draw_normal(self, shape: Shape, kind: Any) -> jax.Array:
        """Draws from the standard normal distribution."""
        return jax.random.normal(self._next(), shape, kind)

    def draw_uniform(self, shape: Shape, kind: Any) -> jax.Array:
        """Draws from the uniform distribution over [0, 1)."""
        return jax.random.uniform(self._next(), shape, kind)

    def draw_truncated(self, shape: Shape, kind: Any) -> jax.Array:
        """Draws from the standard normal distribution, truncated to the interval from -2 to 2."""
        return jax.random.truncated_normal(self._next(), -2, 2, shape, kind)

    def draw_integers(self, shape: Shape, low: Any, high: Any, kind: Any) -> jax.Array:
        """Draws integers from `low` up to `high`, exclusive."""
        return jax.random.randint(self._next(), shape, low, high, kind)

    def draw_bits(self, shape: Shape, kind: Any) -> jax.Array:
        """Draws integers from the whole range of the dtype."""
        unsigned = np.dtype(f"u{np.dtype(kind).itemsize}")
        bits = jax.random.bits(self._next(), shape, unsigned)
        return jax.lax.bitcast_convert_type(bits, kind)

    def draw_gamma(self, shape: Shape, alpha: Any) -> jax.Array:
        """Draws from gamma distributions of scale 1."""
        return jax.random.gamma(self._next(), alpha, shape, alpha.dtype)

    def draw_poisson(self, shape: Shape, lam: Any, kind: Any) -> jax.Array:
        """Draws from Poisson distributions."""
        return jax.random.poisson(self._next(), lam, shape).astype(kind)

    def draw_binomial(self, shape: Shape, n: Any, p: Any, kind: Any) -> jax.Array:
        """Draws from binomial distributions."""
        counts, chances = jnp.asarray(n, np.float64), jnp.asarray(p, np.float64)
        return jax.random.binomial(self._next(), counts, chances, shape).astype(kind)

    def draw_classes(self, logits: Any, samples: int, kind: Any) -> jax.Array:
        """Draws class indices for each row of unnormalized log-probabilities."""
        shape = (samples, logits.shape[0])
        drawn = jax.random.categorical(self._next(), logits, axis=-1, shape=shape)
        return jnp.transpose(drawn).astype(kind)

    def permutation(self, x: Any) -> jax.Array:
        """Returns the rows in random order."""
        return jax.random.permutation(self._next(), x)
