"""Random numbers that are differentiable in their parameters."""

from __future__ import annotations

import numpy as np
from scipy import special

from gradtape._ops.random import gamma_p

from .base import Sample


class _Quantile:
    """A generator whose draws are fixed quantiles: what the pull-back differentiates."""

    def standard_gamma(self, alpha, shape):
        return special.gammaincinv(alpha, np.linspace(0.2, 0.9, np.prod(shape)).reshape(shape))


SAMPLES = [
    Sample(
        "RandomGamma",
        lambda alpha: gamma_p(alpha, engine=_Quantile(), shape=(2, 3)),
        (np.array([0.5, 1.5, 4.0]),),
        second_order=False,  # TensorFlow differentiates it once
    )
]
