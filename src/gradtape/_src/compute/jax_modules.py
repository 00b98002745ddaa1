"""JAX's modules, imported when one of their functions is first used.

An operation's XLA kernel is declared beside its NumPy kernel and uses JAX's functions through these
objects, so that the declaration does not import JAX.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


class LazyModule:
    """A module that is imported when one of its attributes is first used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        found = getattr(import_module(self._name), name)
        setattr(self, name, found)  # later look-ups find the attribute directly
        return found


EXACT = "highest"
"""The precision of matrix products: float32 factors are not rounded to fewer bits."""
jax: Any = LazyModule("jax")
jnp: Any = LazyModule("jax.numpy")
lax: Any = LazyModule("jax.lax")
jax_special: Any = LazyModule("jax.scipy.special")
jax_linalg: Any = LazyModule("jax.scipy.linalg")
