"""Special functions."""

from __future__ import annotations

import numpy as np
from scipy import special as sp

from gradtape._src.ops.elementwise import bessel, gamma, special, special_integrals

from .base import Sample

_rng = np.random.default_rng(3)
U = _rng.uniform(0.2, 0.8, (2, 3))
V = _rng.uniform(1.2, 2.5, (2, 3))
X = _rng.uniform(0.3, 2.0, (2, 3)) * np.array([1, -1, 1])
ROW = np.array([0.71, 1.37, 2.1])
SCALAR = np.array(0.6)


def _unary(op, call, reference, x):
    return [
        Sample(op, call, (x,), reference),
        Sample(op, call, (SCALAR,), reference, "scalar"),
    ]


def _logarithmic(op, call, reference):
    return [
        Sample(op, call, (X, V), reference),
        Sample(op, call, (X, ROW), reference, "row"),
        Sample(op, call, (np.array(0.7), np.array(1.5)), reference, "scalars"),
    ]


SAMPLES = [
    *_unary("Erf", special.erf, sp.erf, X),
    *_unary("Erfc", special.erfc, sp.erfc, X),
    *_unary("Erfinv", special.erfinv, sp.erfinv, X / 3),
    *_unary("Ndtri", special.ndtri, sp.ndtri, U),
    Sample("Ndtri", special.erfcinv, (U,), sp.erfcinv, "erfcinv"),
    *_unary("Ndtr", special.ndtr_p, sp.ndtr, X),
    *_unary("Lgamma", gamma.lgamma, sp.gammaln, V),
    *_unary("Digamma", gamma.digamma, sp.digamma, V),
    Sample(
        "Polygamma", lambda x: gamma.polygamma(2.0 + 0 * x, x), (V,), lambda x: sp.polygamma(2, x)
    ),
    Sample("Zeta", lambda q: gamma.zeta(2.5 + 0 * q, q), (V,), lambda q: sp.zeta(2.5, q)),
    Sample("Lgamma", gamma.lbeta, (V,), None, "lbeta"),
    # IgammaGradA has no gradient, as in TensorFlow.
    Sample("Igamma", gamma.igamma, (V, X**2), sp.gammainc, second_order=False),
    Sample("Igamma", lambda x: gamma.igamma(V, x), (ROW,), lambda x: sp.gammainc(V, x), "x"),
    Sample("Igammac", gamma.igammac, (V, X**2), sp.gammaincc, second_order=False),
    Sample("Igammac", lambda x: gamma.igammac(V, x), (ROW,), lambda x: sp.gammaincc(V, x), "x"),
    Sample(
        "Betainc", lambda x: gamma.betainc(V, V + 1, x), (U,), lambda x: sp.betainc(V, V + 1, x)
    ),
    Sample("Betainc", lambda x: gamma.betainc(V, 2.0 + 0 * V, x), (SCALAR,), None, "broadcast"),
    *_logarithmic("Xlogy", special.xlogy, sp.xlogy),
    *_logarithmic("Xdivy", special.xdivy, np.divide),
    *_logarithmic("Xlog1py", special.xlog1py, sp.xlog1py),
    *_unary("BesselI0", bessel.bessel_i0, sp.i0, X),
    *_unary("BesselI0e", bessel.bessel_i0e, sp.i0e, X),
    *_unary("BesselI1", bessel.bessel_i1, sp.i1, X),
    *_unary("BesselI1e", bessel.bessel_i1e, sp.i1e, X),
    *_unary("BesselJ0", bessel.bessel_j0, sp.j0, X),
    *_unary("BesselJ1", bessel.bessel_j1, sp.j1, X),
    *_unary("BesselK0", bessel.bessel_k0, sp.k0, V),
    *_unary("BesselK0e", bessel.bessel_k0e, sp.k0e, V),
    *_unary("BesselK1", bessel.bessel_k1, sp.k1, V),
    *_unary("BesselK1e", bessel.bessel_k1e, sp.k1e, V),
    *_unary("BesselY0", bessel.bessel_y0, sp.y0, V),
    *_unary("BesselY1", bessel.bessel_y1, sp.y1, V),
    *_unary("Dawsn", special_integrals.dawsn, sp.dawsn, X),
    *_unary("Expint", special_integrals.expint, sp.expi, V),
    *_unary("FresnelCos", special_integrals.fresnel_cos, lambda x: sp.fresnel(x)[1], X),
    *_unary("FresnelSin", special_integrals.fresnel_sin, lambda x: sp.fresnel(x)[0], X),
    *_unary("Spence", special_integrals.spence, sp.spence, V),
]
