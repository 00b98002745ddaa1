"""JAX's modules, imported when one of their functions is first used.

An operation's XLA kernel stands beside its NumPy kernel and names JAX's functions through these
objects, so that declaring the operation does not import JAX.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


class LazyModule:
    """A module that is imported when one of its attributes is first asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        found = getattr(import_module(self._name), name)
        setattr(self, name, found)  # the next look-up is a plain attribute
        return found


EXACT = "highest"
"""The precision of matrix products: float32 is not rounded to fewer bits on the way."""
jax: Any = LazyModule("jax")
jnp: Any = LazyModule("jax.numpy")
lax: Any = LazyModule("jax.lax")
jax_special: Any = LazyModule("jax.scipy.special")
jax_linalg: Any = LazyModule("jax.scipy.linalg")
