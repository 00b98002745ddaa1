"""The options with which XLA compiles a program.

On processors, XLA fuses cheap elementwise operations into each operation that uses them, and
computes them again there. In a long program of small arrays, such as the gradient of a recurrence
that Python has unrolled, its newer code generator computes most of them hundreds of times: the
gradient of a small LSTM took 40 times as long as with the older one. Both generators give the same
results up to rounding. Newer versions of XLA lack the older one; each option that a version lacks
is left out.

On processors with AVX-512, XLA uses half of each vector register by default. Most functions of
large arrays then take nearly twice as long.
"""

from __future__ import annotations

from functools import cache
from math import prod
from typing import Any

import jax
import numpy as np

_OLDER_GENERATOR = {"xla_cpu_use_fusion_emitters": False}
_WIDE_VECTORS = {"xla_cpu_prefer_vector_width": 512}
_ONE_THREAD = {"xla_cpu_multi_thread_eigen": False}
_MANY, _SMALL = 256, 1 << 12  # operations of a program, and elements of its largest array


def compiler_options(jaxpr: Any) -> dict[str, Any] | None:
    """Returns the options for a program, or None for XLA's defaults."""
    if jax.default_backend() != "cpu":
        return None
    if len(jaxpr.eqns) < _MANY:
        return _known(_WIDE_VECTORS)
    sizes = (prod(getattr(y.aval, "shape", ())) for eqn in jaxpr.eqns for y in eqn.outvars)
    return _known(_WIDE_VECTORS | (_OLDER_GENERATOR if max(sizes) <= _SMALL else {}))


@cache
def for_one_operation(several_threads: bool) -> dict[str, Any] | None:
    """Returns the options for one operation on large arrays.

    Args:
      several_threads: Whether it may use all of JAX's threads.
    """
    return _known(_OLDER_GENERATOR | _WIDE_VECTORS | ({} if several_threads else _ONE_THREAD))


def _known(options: dict[str, Any]) -> dict[str, Any] | None:
    """Returns the options that this version of XLA has, or None if it has none of them."""
    return {name: value for name, value in options.items() if _is_known(name, value)} or None


@cache
def _is_known(name: str, value: Any) -> bool:
    double = jax.jit(lambda x: x + x, compiler_options={name: value})
    try:
        double.lower(jax.ShapeDtypeStruct((), np.float32)).compile()
    except jax.errors.JaxRuntimeError:
        return False
    return True
