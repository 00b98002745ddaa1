"""The differences from TensorFlow at special points, with reasons; see docs/differences.md."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .cases import COMPLEX, FLOATS, NUMERIC

INTEGERS = tuple(kind for kind in NUMERIC if "int" in kind)
WIDER = ("bfloat16", "float32", "float64", *COMPLEX)
LEAST = 1e-4
"""Above every smallest normal number of the grid, and below all its other points but 0."""
MOST = 6e4
"""Below every greatest number of the grid, and above all its other finite points."""


@dataclass(frozen=True)
class Difference:
    """A difference that is meant.

    Attributes:
      keys: The cases, separated by blanks.
      where: At which of the points, as a mask.
      reason: Why.
      what: Of what, "value", "by 0" or "by 1"; "" for all of them.
      dtypes: Of which inputs; of all by default.
    """

    keys: str
    where: Callable[..., Any]
    reason: str
    what: str = ""
    dtypes: tuple[str, ...] = ()


def _tiny(x: Any) -> Any:
    return (np.abs(x) < LEAST) & (x != 0)


def _huge(x: Any) -> Any:
    return np.abs(x) > MOST


def _subnormal_quotient(x: Any, y: Any) -> Any:
    return np.abs(x / y) < LEAST


_BESSEL = "math.special.bessel_"

ACCEPTED = [
    Difference("math.erf", _huge, "TensorFlow's vectorized erf of float64 has NaN at infinity"),
    Difference(
        "math.erfcinv nn.selu", _tiny, "TensorFlow takes subnormal numbers on the way for 0"
    ),
    Difference(
        "math.floordiv math.floormod",
        _subnormal_quotient,
        "TensorFlow takes a subnormal quotient for 0",
    ),
    Difference(
        f"math.bessel_i1 math.bessel_i1e {_BESSEL}j1",
        lambda x: np.abs(x) < LEAST,
        "the slope at 0 is a half; TensorFlow says 1 there or beside it",
        "by 0",
    ),
    Difference(
        " ".join(_BESSEL + kind for kind in ["k0", "k0e", "k1", "k1e", "y0", "y1"]),
        lambda x: x < LEAST,
        "no real value below 0, where TensorFlow has the limit from above; finite beside 0",
    ),
    Difference("math.special.dawsn", _huge, "TensorFlow's product of the gradient overflows"),
    Difference(
        "math.special.expint",
        lambda x: (x < 0) | (x > MOST),
        "Ei has values below 0 and a limit at infinity; TensorFlow has NaN",
    ),
    Difference("math.special.spence", _huge, "TensorFlow's formula overflows"),
    Difference(
        " ".join(f"cast-{kind}" for kind in INTEGERS),
        lambda x: ~((np.real(x) >= 0) & (np.real(x) < 128)),
        "a cast of what an integer cannot hold is anything, in TensorFlow, too",
        "value",
    ),
    Difference(
        "cast-bool",
        lambda x: (np.real(x) == 0) & (np.imag(x) != 0),
        "an imaginary number is not 0",
        "value",
    ),
    Difference(
        " ".join(f"saturate-{kind}" for kind in (*FLOATS, *INTEGERS, *COMPLEX)),
        np.isnan,
        "NaN lies within no bounds, and no integer holds it",
    ),
    Difference(
        "saturate-int64 saturate-uint64",
        lambda x: np.real(x) >= 2.0**63,
        "TensorFlow's greatest integer of 64 bits overflows as a float",
        "value",
    ),
    Difference(
        " ".join(f"saturate-{kind}" for kind in (*WIDER, "int64", "uint64")),
        lambda x: np.isfinite(x),
        "TensorFlow's greatest and smallest integer of 64 bits overflow",
        "value",
        ("int64", "uint64"),
    ),
    Difference(
        "math.igamma math.igammac",
        lambda a, x: _tiny(a) | (_huge(a) & _huge(x)),
        "TensorFlow loses the limits at 0 and infinity",
    ),
    Difference(
        "math.igamma math.igammac",
        lambda a, x: (a == 1) & ((x <= LEAST) | np.isinf(x)),
        "the density of a = 1 is exp(-x), where TensorFlow multiplies 0 by log(0)",
        "by 1",
    ),
    Difference(
        "math.polygamma math.zeta",
        lambda a, x: (x == -2.5) & (a > 2),
        "TensorFlow's float32 sums lose the sign",
    ),
    Difference("math.zeta", lambda x, q: _huge(q), "TensorFlow's sum underflows", "by 1"),
    Difference(
        "Betainc",
        lambda a, b, x: _huge(a) | _huge(b),
        "TensorFlow has NaN where a or b is infinite or so great that the sum overflows",
        "value",
    ),
]

FURTHER_GRADIENTS = {"truncatemod", "math.digamma", "saturate-complex64"}
"""Operations with gradients that TensorFlow lacks, in part of the dtypes."""

INTERNAL = {
    **dict.fromkeys(("EluGrad", "GeluGrad", "Relu6Grad", "ReluGrad"), "a slope"),
    **dict.fromkeys(("SeluGrad", "SoftsignGrad"), "a slope"),
    **dict.fromkeys(("SigmoidGrad", "TanhGrad"), "a slope times a cotangent"),
    **dict.fromkeys(("IsNegative", "IsZero", "NotZero"), "a mask in a rule"),
    **dict.fromkeys(("SafeLog", "SafeReciprocal", "Ndtr"), "a part of a rule"),
    **dict.fromkeys(("LogicalAnd", "LogicalNot", "LogicalOr"), "of booleans"),
    "StringJoin": "of strings",
}
"""Elementwise operations without a case, each with its reason."""
