"""Elementwise operations, selection, casts and complex numbers."""

from __future__ import annotations

import numpy as np

import gradtape as tf
from gradtape._src.ops.elementwise import comparison, exponential, powers
from gradtape._src.ops.elementwise.casting import truncated_p
from gradtape._src.ops.elementwise.identities import check_numerics

from .base import Sample

_rng = np.random.default_rng(2)
U = _rng.uniform(0.2, 0.8, (2, 3))
V = _rng.uniform(1.2, 2.5, (2, 3))
X = _rng.uniform(0.3, 2.0, (2, 3)) * np.array([1, -1, 1])
ROW = np.array([0.71, 1.37, 2.1])
COLUMN = _rng.uniform(0.5, 2.0, (2, 1))
SCALAR = np.array(0.6)
Z = X + 1j * V
MASK = np.array([[True, False, True], [False, False, True]])


def _unary(name, call, reference, *inputs):
    return [Sample(name, call, (x,), reference, f"e{np.ndim(x)}{x.dtype.char}") for x in inputs]


def _binary(name, call, reference, x=X, y=V):
    return [
        Sample(name, call, (x, y), reference, "same"),
        Sample(name, call, (x, ROW), reference, "row"),
        Sample(name, call, (COLUMN, ROW), reference, "outer"),
        Sample(name, call, (np.array(0.7), ROW), reference, "scalar"),
        Sample(name, call, (np.array(0.7), np.array(1.5)), reference, "scalars"),
    ]


SAMPLES = [
    *_unary("Expm1", tf.math.expm1, np.expm1, X, SCALAR, Z),
    *_unary("Log1p", tf.math.log1p, np.log1p, U, SCALAR, Z),
    *_unary("Rsqrt", tf.math.rsqrt, lambda x: 1 / np.sqrt(x), V, SCALAR, Z),
    *_unary("Reciprocal", tf.math.reciprocal, np.reciprocal, X, SCALAR, Z),
    *_unary("ReciprocalNoNan", tf.math.reciprocal_no_nan, np.reciprocal, X, SCALAR),
    *_unary("Sigmoid", tf.sigmoid, lambda x: 1 / (1 + np.exp(-x)), X, SCALAR, Z),
    *_unary("Softplus", exponential.softplus_p, lambda x: np.log(1 + np.exp(x)), X, SCALAR),
    *_unary("Neg", tf.math.log_sigmoid, lambda x: -np.log(1 + np.exp(-x)), X),
    *_unary("Tan", tf.tan, np.tan, U, SCALAR, Z),
    *_unary("Asin", tf.asin, np.arcsin, U, SCALAR, Z),
    *_unary("Acos", tf.acos, np.arccos, U, SCALAR, Z),
    *_unary("Atan", tf.atan, np.arctan, X, SCALAR, Z),
    *_unary("Sinh", tf.sinh, np.sinh, X, SCALAR, Z),
    *_unary("Cosh", tf.cosh, np.cosh, X, SCALAR, Z),
    *_unary("Asinh", tf.asinh, np.arcsinh, X, SCALAR, Z),
    *_unary("Acosh", tf.acosh, np.arccosh, V, np.array(1.7), Z),
    *_unary("Atanh", tf.atanh, np.arctanh, U, SCALAR, Z),
    *_unary("Abs", tf.abs, np.abs, X, SCALAR),
    *_unary("Sign", tf.sign, np.sign, X, SCALAR),
    *_unary("NotZero", comparison.not_zero_p, np.ones_like, X),
    *_unary("SafeLog", powers.safe_log_p, np.log, V, SCALAR, Z),
    *_unary("SafeReciprocal", powers.safe_reciprocal_p, np.reciprocal, V, SCALAR, Z),
    *_binary("Pow", tf.pow, np.power, np.abs(X)),
    Sample("Pow", lambda x: x**3, (X,), lambda x: x**3, "cube"),
    Sample("Pow", lambda x: x**3, (SCALAR,), lambda x: x**3, "cube scalar"),
    Sample("Pow", lambda x: x**3, (Z,), lambda x: x**3, "cube complex"),
    Sample("Pow", lambda x: 2.0**x, (V,), lambda x: 2.0**x, "exponent"),
    Sample("Pow", lambda x: x**-1.5, (U,), lambda x: x**-1.5, "negative"),
    Sample("Square", lambda x: x**2, (X,), lambda x: x**2, "power"),
    Sample("Square", lambda x: x**2, (Z,), lambda x: x**2, "power complex"),
    *_binary("Atan2", tf.atan2, np.arctan2),
    *_binary("SquaredDifference", tf.math.squared_difference, lambda x, y: (x - y) ** 2),
    *_binary("DivNoNan", tf.math.divide_no_nan, np.divide),
    *_binary("MulNoNan", tf.math.multiply_no_nan, np.multiply),
    *_binary("TruncateMod", tf.truncatemod, np.fmod),
    *_binary("NextAfter", tf.math.nextafter, lambda x, y: x + 0 * y),
    *_binary("Maximum", tf.maximum, np.maximum),
    *_binary("Minimum", tf.minimum, np.minimum),
    Sample(
        "SelectV2", lambda x, y: tf.where(MASK, x, y), (X, V), lambda x, y: np.where(MASK, x, y)
    ),
    Sample("SelectV2", lambda x, y: tf.where(MASK, x, y), (X, ROW), None, "row"),
    Sample("SelectV2", lambda x, y: tf.where(MASK, x, y), (SCALAR, COLUMN), None, "outer"),
    Sample("SelectV2", lambda x, y: tf.where(MASK[0], x, y), (X, ROW), None, "condition row"),
    Sample("SelectV2", lambda x, y: tf.where(True, x, y), (X, ROW), None, "condition scalar"),
    Sample("SelectV2", lambda x, y: tf.where(MASK, x * x, y), (X, V), None, "squared"),
    Sample("SelectV2", lambda x, y: tf.where(x > 1.0, x * y, y), (X, V), None, "dependent"),
    Sample("SelectV2", lambda x, y: tf.where(MASK, x, y), (Z, Z * 2), None, "complex"),
    Sample(
        "ClipByValue",
        lambda x: tf.clip_by_value(x * x, 0.5, 1.5),
        (X,),
        lambda x: np.clip(x * x, 0.5, 1.5),
    ),
    Sample("ClipByValue", tf.clip_by_value, (X, ROW - 1, ROW), None, "ends"),
    Sample("ClipByValue", tf.clip_by_value, (X, np.array(-0.5), ROW), None, "scalar end"),
    Sample("AddN", lambda x, y: tf.add_n([x, y, x]), (X, V), lambda x, y: x + y + x),
    Sample("AddN", lambda x, y: tf.add_n([x, y, x * y]), (SCALAR, SCALAR * 2), None, "scalars"),
    Sample("Cast", lambda x: tf.cast(x, tf.complex128), (X,), None, "complex", single=False),
    Sample("Cast", lambda x: tf.cast(x, tf.float64), (Z,), None, "real", single=False),
    Sample("TruncatedMantissa", lambda x: truncated_p(x, bits=1), (X,), None, single=False),
    Sample("Identity", tf.identity, (X,), lambda x: x),
    Sample("EnsureShape", lambda x: tf.ensure_shape(x, np.shape(x)), (X,), lambda x: x),
    Sample("CheckNumerics", lambda x: check_numerics(x, "x"), (X,), lambda x: x),
    Sample("Real", tf.math.real, (Z,), np.real),
    Sample("Imag", tf.math.imag, (Z,), np.imag),
    Sample("Complex", tf.complex, (X, V), lambda x, y: x + 1j * y),
    Sample("Complex", tf.complex, (X, ROW), lambda x, y: x + 1j * y, "row"),
    Sample("Complex", tf.complex, (COLUMN, ROW), lambda x, y: x + 1j * y, "outer"),
    Sample("ComplexAbs", tf.abs, (Z,), np.abs),
    Sample("ComplexAbs", tf.abs, (np.array(3 + 4j),), np.abs, "scalar"),
    Sample("Angle", tf.math.angle, (Z,), np.angle),
]
