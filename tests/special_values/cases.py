"""Elementwise operations, and the special points at which they are compared with TensorFlow.

One table serves both: its functions take the module that plays TensorFlow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

FLOATS = ("float16", "bfloat16", "float32", "float64")
WIDE = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
SIGNED = ("int8", "int32", "int64")
INTEGERS = (*SIGNED, "uint8", "uint64")
REAL = (*FLOATS, *INTEGERS)
NUMERIC = (*REAL, "int16", "uint16", "uint32", *COMPLEX)


@dataclass(frozen=True)
class Case:
    """One operation.

    Attributes:
      op: The registered name of gradtape's operation, "" for a function made of several.
      call: `(tf, *inputs) -> tensor`.
      arity: The number of inputs.
      dtypes: The dtypes of the comparison.
      name: The key of what TensorFlow answers.
      nonzero: Whether integers are not divided by 0, nor the lowest one by -1.
    """

    op: str
    call: Callable[..., Any]
    arity: int = 1
    dtypes: tuple[str, ...] = FLOATS
    name: str = ""
    nonzero: bool = field(default=False, kw_only=True)

    @property
    def key(self) -> str:
        """The key of what TensorFlow answers."""
        return self.name or self.op


def _function(path: str) -> Callable[..., Any]:
    def call(tf: Any, *inputs: Any) -> Any:
        found = tf
        for part in path.split("."):
            found = getattr(found, part)
        return found(*inputs)

    return call


def _unary(names: str, dtypes: tuple[str, ...] = FLOATS) -> list[Case]:
    """Cases of `Op=path` pairs."""
    return [
        Case(op, _function(path), 1, dtypes, path)
        for op, path in (pair.split("=") for pair in names.split())
    ]


def _binary(names: str, dtypes: tuple[str, ...] = FLOATS, nonzero: bool = False) -> list[Case]:
    return [
        Case(op, _function(path), 2, dtypes, path, nonzero=nonzero)
        for op, path in (pair.split("=") for pair in names.split())
    ]


def _conversion(name: str, to: str) -> Callable[..., Any]:
    return lambda tf, x: getattr(tf, name)(x, to)


CASES = [
    *_unary("Abs=abs Neg=negative Sign=sign Square=square", (*FLOATS, *SIGNED)),
    *_unary("Round=round", REAL),
    *_unary("Acos=acos Acosh=acosh Asin=asin Asinh=asinh Atan=atan Atanh=atanh"),
    *_unary("Sin=sin Cos=cos Tan=tan Sinh=sinh Cosh=cosh Tanh=tanh Sigmoid=sigmoid"),
    *_unary("Exp=exp Expm1=math.expm1 Log=math.log Log1p=math.log1p Sqrt=sqrt Rsqrt=math.rsqrt"),
    *_unary("Reciprocal=math.reciprocal ReciprocalNoNan=math.reciprocal_no_nan"),
    *_unary("Ceil=math.ceil Floor=floor Rint=math.rint"),
    *_unary("IsFinite=math.is_finite IsInf=math.is_inf IsNan=math.is_nan"),
    *_unary("Erf=math.erf Erfc=math.erfc"),
    *_unary("Erfinv=math.erfinv Ndtri=math.ndtri =math.erfcinv", WIDE),
    *_unary("Lgamma=math.lgamma Digamma=math.digamma"),
    *_unary("BesselI0=math.bessel_i0 BesselI0e=math.bessel_i0e"),
    *_unary("BesselI1=math.bessel_i1 BesselI1e=math.bessel_i1e"),
    *_unary("BesselJ0=math.special.bessel_j0 BesselJ1=math.special.bessel_j1"),
    *_unary("BesselK0=math.special.bessel_k0 BesselK0e=math.special.bessel_k0e"),
    *_unary("BesselK1=math.special.bessel_k1 BesselK1e=math.special.bessel_k1e"),
    *_unary("BesselY0=math.special.bessel_y0 BesselY1=math.special.bessel_y1"),
    *_unary("Dawsn=math.special.dawsn Expint=math.special.expint Spence=math.special.spence"),
    *_unary("FresnelCos=math.special.fresnel_cos FresnelSin=math.special.fresnel_sin"),
    *_unary("Relu=nn.relu Relu6=nn.relu6", REAL),
    *_unary("Elu=nn.elu Selu=nn.selu Softplus=math.softplus Softsign=nn.softsign"),
    *_unary("=nn.leaky_relu =math.log_sigmoid Silu=nn.silu"),
    *_unary("Gelu=nn.gelu", WIDE),
    Case("GeluByTanh", lambda tf, x: tf.nn.gelu(x, approximate=True), 1, WIDE, "gelu-approximate"),
    *_unary("Invert=bitwise.invert", INTEGERS),
    *_unary("=math.imag =math.real =math.conj =math.angle", WIDE),
    Case("", lambda tf, x: tf.clip_by_value(x, -1, 1), 1, WIDE, "clip_by_value"),
    Case("", lambda tf, x: tf.pow(x, tf.cast(2, x.dtype)), 1, WIDE, "pow-2"),
    Case("", lambda tf, x: tf.pow(x, tf.cast(3, x.dtype)), 1, WIDE, "pow-3"),
    Case("", lambda tf, x: tf.pow(x, tf.cast(-1, x.dtype)), 1, WIDE, "pow--1"),
    Case("", lambda tf, x: tf.pow(x, tf.cast(0, x.dtype)), 1, WIDE, "pow-0"),
    Case("", lambda tf, x: tf.pow(x, tf.cast(0.5, x.dtype)), 1, WIDE, "pow-0.5"),
    *[Case("", _conversion("cast", to), 1, NUMERIC, f"cast-{to}") for to in (*NUMERIC, "bool")],
    *[Case("", _conversion("saturate_cast", to), 1, NUMERIC, f"saturate-{to}") for to in NUMERIC],
    *_binary("AddV2=add Sub=subtract Mul=multiply", REAL),
    *_binary("Maximum=maximum Minimum=minimum", REAL),
    *_binary("SquaredDifference=math.squared_difference", (*FLOATS, "int32", "int64")),
    *_binary("RealDiv=realdiv Atan2=atan2"),
    *_binary("=divide", (*FLOATS, "int32", "int8"), True),
    *_binary("DivNoNan=math.divide_no_nan MulNoNan=math.multiply_no_nan", WIDE),
    *_binary("FloorDiv=math.floordiv FloorMod=math.floormod", REAL, True),
    *_binary("TruncateDiv=truncatediv TruncateMod=truncatemod", (*FLOATS, *SIGNED), True),
    *_binary("Pow=pow"),
    *_binary("NextAfter=math.nextafter", WIDE),
    *_binary("Equal=equal NotEqual=not_equal Less=less LessEqual=less_equal", REAL),
    *_binary("Greater=greater GreaterEqual=greater_equal", REAL),
    *_binary("BitwiseAnd=bitwise.bitwise_and BitwiseOr=bitwise.bitwise_or", INTEGERS),
    *_binary("BitwiseXor=bitwise.bitwise_xor", INTEGERS),
    *_binary("LeftShift=bitwise.left_shift RightShift=bitwise.right_shift", INTEGERS),
    *_binary("Igamma=math.igamma Igammac=math.igammac"),
    *_binary("Polygamma=math.polygamma Zeta=math.zeta", WIDE),
    *_binary("Xdivy=math.xdivy Xlog1py=math.xlog1py Xlogy=math.xlogy"),
    Case(
        "SigmoidCrossEntropyWithLogits",
        lambda tf, x, y: tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=y),
        2,
        FLOATS,
    ),
    *_binary("=complex", WIDE),
    Case("Betainc", _function("math.betainc"), 3, WIDE),
]


def points(dtype: str, arity: int) -> list[Any]:
    """The special points of a dtype, as numbers of it."""
    kind = _numpy_dtype(dtype)
    if "int" in dtype:
        ends = np.iinfo(kind)
        small = [0, 1, 2, 3, 7, 8, 31, 32, 63, 64]
        near = [-1, -2, -7, ends.min + 1] if ends.min else []
        return np.array([*small, *near, ends.min, ends.max, ends.max - 1], kind)
    if "complex" in dtype:
        parts = [0.0, -1.5, 70000.0, 1e300, np.inf, -np.inf, np.nan]
        with np.errstate(over="ignore"):
            return np.array([complex(a, b) for a in parts for b in parts]).astype(kind)
    ends = _finfo(kind)
    low, high = float(ends.smallest_normal), float(ends.max)
    if arity == 3:
        values = [0, -1, 0.5, 1, 2, -0.5, high, np.inf, -np.inf, np.nan]
    else:
        values = [0, 1, 0.5, 2, 3, 0.1, 10, low, high, np.inf]
        values += [-v for v in values] + [np.nan]
        values += [20, -20, 100, -100, 2.5, -2.5, 1.5, -1.5] if arity == 1 else [2.5, -2.5]
    return np.array(values).astype(kind)


def _numpy_dtype(dtype: str) -> np.dtype[Any]:
    if dtype == "bfloat16":
        import ml_dtypes

        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype(dtype)


def _finfo(kind: np.dtype[Any]) -> Any:
    import ml_dtypes

    return ml_dtypes.finfo(kind)


def inputs(case: Case, dtype: str) -> list[np.ndarray[Any, Any]]:
    """The grid of points, a vector for each input."""
    values = points(dtype, case.arity)
    grid = [
        np.array(v, values.dtype) for v in zip(*product(values, repeat=case.arity), strict=True)
    ]
    if case.nonzero and "int" in dtype:
        x, y = grid
        least = np.iinfo(values.dtype).min
        kept = (y != 0) & ~((x == least) & (y == np.array(-1).astype(y.dtype)))
        grid = [x[kept], y[kept]]
    return grid


def answers(tf: Any, case: Case, xs: list[Any]) -> dict[str, Any]:
    """The value, and the gradient of it with respect to each input that has one, by name."""
    tensors = [tf.constant(x) for x in xs]
    found = {}
    with tf.GradientTape(persistent=True) as tape:
        for t in tensors:
            if t.dtype.is_floating or t.dtype.is_complex:
                tape.watch(t)
        out = case.call(tf, *tensors)
    found["value"] = out.numpy()
    if not (out.dtype.is_floating or out.dtype.is_complex):
        return found
    for i, t in enumerate(tensors):
        if not (t.dtype.is_floating or t.dtype.is_complex):
            continue
        try:
            g = tape.gradient(out, t)
        except (LookupError, tf.errors.OpError):  # there is none, or none in this dtype
            continue
        if g is not None:
            found[f"by {i}"] = g.numpy()
    return found


def all_cases() -> Iterator[tuple[Case, str]]:
    """Every case in each of its dtypes."""
    for case in CASES:
        for dtype in case.dtypes:
            yield case, dtype
