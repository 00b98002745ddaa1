"""The precision of float32 products on GPUs; needs JAX.

GPUs since NVIDIA's Ampere multiply float32 matrices several times as fast if they may round the
factors to TensorFloat-32, with 10 bits after the first one. The kernels of operations ask for exact
products. Where TensorFlow would allow the rounding, it is allowed in the traced program.
"""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
from jax import lax
from jax.extend import core as jax_core

_PRODUCTS = frozenset({"dot_general", "conv_general_dilated"})
_SINGLE = frozenset({np.dtype(np.float32), np.dtype(np.complex64)})


def on_gpu() -> bool:
    """Whether compiled functions run on a GPU by default."""
    return bool(jax.default_backend() == "gpu")


def has_single_products(jaxpr: Any) -> bool:
    """Whether a program multiplies float32 matrices, or convolves float32 images."""
    return any(
        _is_single_product(eqn)
        or any(map(has_single_products, jax_core.jaxprs_in_params(eqn.params)))
        for eqn in jaxpr.eqns
    )


def with_rounding(jaxpr: jax_core.Jaxpr, allowed: bool) -> jax_core.Jaxpr:
    """Returns a program whose float32 products may or may not round their factors.

    Args:
      jaxpr: The program, a `Jaxpr`.
      allowed: Whether they may.
    """
    rounded: jax_core.Jaxpr = jaxpr.replace(eqns=[_changed(eqn, allowed) for eqn in jaxpr.eqns])
    return rounded


def _is_single_product(eqn: Any) -> bool:
    return eqn.primitive.name in _PRODUCTS and eqn.invars[0].aval.dtype in _SINGLE


def _changed(eqn: Any, allowed: bool) -> Any:
    if _is_single_product(eqn):
        how = lax.Precision.DEFAULT if allowed else lax.Precision.HIGHEST
        return eqn.replace(params={**eqn.params, "precision": (how, how)})
    if not any(map(has_single_products, jax_core.jaxprs_in_params(eqn.params))):
        return eqn
    return eqn.replace(params={k: _changed_in(v, allowed) for k, v in eqn.params.items()})


def _changed_in(param: Any, allowed: bool) -> Any:
    """Returns a parameter of an equation, in which programs may be found."""
    if isinstance(param, jax_core.ClosedJaxpr):
        return param.replace(jaxpr=with_rounding(param.jaxpr, allowed))
    if isinstance(param, jax_core.Jaxpr):
        return with_rounding(param, allowed)
    if type(param) in (tuple, list):
        return type(param)([_changed_in(part, allowed) for part in param])
    return param
