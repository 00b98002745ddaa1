"""Makes traced programs smaller before XLA compiles them; this module needs JAX."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax.extend import core as jax_core


def without_copies(jaxpr: Any) -> jax_core.Jaxpr:
    """Returns a program without the copies that tracing has added."""
    same: dict[Any, Any] = {}

    def meant(atom: Any) -> Any:
        return atom if isinstance(atom, jax_core.Literal) else same.get(atom, atom)

    kept = []
    for eqn in jaxpr.eqns:
        if eqn.primitive.name == "copy":
            same[eqn.outvars[0]] = meant(eqn.invars[0])
        else:
            kept.append(eqn.replace(invars=[meant(a) for a in eqn.invars]))
    return jaxpr.replace(eqns=kept, outvars=[meant(a) for a in jaxpr.outvars])


def own_outputs(jaxpr: Any, outs: list[Any]) -> list[Any]:
    """Copies those outputs of a program that are also an input or another output.

    Each output must own its memory, since the memory of a variable is donated to its next value.
    """
    seen = {*jaxpr.invars, *jaxpr.constvars}
    own = []
    for atom, value in zip(jaxpr.outvars, outs, strict=True):
        shared = isinstance(atom, jax_core.Literal) or atom in seen
        own.append(jnp.copy(value) if shared else value)
        if not shared:
            seen.add(atom)
    return own
