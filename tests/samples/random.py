"""Random numbers that are differentiable in their parameters."""

from __future__ import annotations

import numpy as np
from scipy import special

from gradtape._src.ops.random.distributions import gamma_p

from .base import Sample

ALPHA = np.array([0.5, 1.5, 4.0])


class _Quantile:
    """A generator whose draws are fixed quantiles: what the pull-back differentiates."""

    def draw_gamma(self, shape, alpha):
        known = alpha if isinstance(alpha, (np.ndarray, np.generic)) else ALPHA  # in a program
        found = special.gammaincinv(known, np.linspace(0.2, 0.9, np.prod(shape)).reshape(shape))
        return found.astype(alpha.dtype)


SAMPLES = [
    Sample(
        "RandomGamma",
        lambda alpha: gamma_p(alpha, engine=_Quantile(), shape=(2, 3)),
        (ALPHA,),
        second_order=False,  # TensorFlow differentiates it once
    )
]
