"""The options with which XLA compiles a program.

On processors, XLA fuses cheap elementwise operations into each operation that uses them, and
computes them again there. In a long program of small arrays, such as the gradient of a recurrence
that Python has unrolled, its newer code generator computes most of them hundreds of times: the
gradient of a small LSTM took 40 times as long as with the older one. Both generators give the same
results up to rounding.
"""

from __future__ import annotations

from functools import cache
from math import prod
from typing import Any

import jax
import numpy as np

_OLDER_GENERATOR = {"xla_cpu_use_fusion_emitters": False}
_MANY, _SMALL = 256, 1 << 12  # operations of a program, and elements of its largest array


def compiler_options(jaxpr: Any) -> dict[str, Any] | None:
    """Returns the options for a program, or None for XLA's defaults."""
    if len(jaxpr.eqns) < _MANY:
        return None
    sizes = (prod(getattr(y.aval, "shape", ())) for eqn in jaxpr.eqns for y in eqn.outvars)
    return _OLDER_GENERATOR if max(sizes) <= _SMALL and _is_known() else None


@cache
def _is_known() -> bool:
    """Whether this version of XLA has the option."""
    double = jax.jit(lambda x: x + x, compiler_options=_OLDER_GENERATOR)
    try:
        double.lower(jax.ShapeDtypeStruct((), np.float32)).compile()
    except jax.errors.JaxRuntimeError:
        return False
    return True
