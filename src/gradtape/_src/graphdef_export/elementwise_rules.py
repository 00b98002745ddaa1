"""Rules for elementwise operations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import as_dtype
from gradtape._src.base.shapes import TensorShape
from gradtape._src.declare.unknown_sizes import UnknownRank
from gradtape._src.graphdef_export.nodes import Value, dtype_name
from gradtape._src.graphdef_export.parts import Part
from gradtape._src.graphdef_export.rules import rule
from gradtape._src.raw.op_definitions import is_defined


@rule("Unary", "Binary", "Choice")
def _as_it_is(p: Part, *xs: Value) -> Any:
    """Adds the operation that has the same name in TensorFlow."""
    assert p.node is not None
    name = p.node.primitive.name
    if not is_defined(name):
        raise p.unknown()
    kinds = {x.dtype for x in xs}
    if len(kinds) == 2 and len(xs) == 2:  # for example, real times complex
        widest = dtype_name(np.result_type(*kinds))
        xs = tuple([p.cast(x, widest) for x in xs])
    return p.op(name, *xs)


@rule("IgammaGradA", "RandomGammaGrad")
def _of_two(p: Part, x: Value, y: Value) -> Any:
    assert p.node is not None
    return p.op(p.node.primitive.name, x, y)


@rule("SigmoidGrad", "TanhGrad")
def _of_two_alike(p: Part, y: Value, dy: Value) -> Any:
    """Adds an operation whose inputs have one shape; in a Jacobian, `dy` has more axes."""
    assert p.node is not None
    full = p.outputs[0].shape
    xs = [p.op("BroadcastTo", x, p.ints(full)) if _is_spread(x, full) else x for x in (y, dy)]
    return p.op(p.node.primitive.name, *xs)


def _is_spread(x: Value, full: Any) -> bool:
    """Whether a value has other lengths than the result; lengths that are unknown are the same."""
    if UnknownRank in (type(x.shape), type(full)) or x.shape is None:
        return False
    if len(x.shape) < len(full):
        return True
    return any(type(n) is int and n == 1 != m for n, m in zip(x.shape, full, strict=True))


def chain(p: Part, operations: str, x: Value) -> Any:
    """Applies a sequence of elementwise operations to a value."""
    for operation in operations.split():
        x = p.op(operation, x)
    return x


def mask(p: Part, comparison: str, x: Value, y: Any, dtype: str = "") -> Any:
    """Returns 1 where a comparison holds, else 0."""
    return p.cast(p.op(comparison, x, y), dtype or x.dtype)


@rule("Conj")
def _conj(p: Part, x: Value) -> Any:
    return p.op("Conj" if x.dtype.startswith("complex") else "Identity", x)


@rule("BitwiseAnd", "BitwiseOr", "BitwiseXor")
def _bitwise(p: Part, x: Value, y: Value) -> Any:
    assert p.node is not None
    name = p.node.primitive.name
    if x.dtype != "bool":
        return p.op(name, x, y)
    return p.op(
        {"BitwiseAnd": "LogicalAnd", "BitwiseOr": "LogicalOr", "BitwiseXor": "NotEqual"}[name], x, y
    )


@rule("Invert")
def _invert(p: Part, x: Value) -> Any:
    return p.op("LogicalNot" if x.dtype == "bool" else "Invert", x)


@rule("StringJoin")
def _join(p: Part, x: Value, y: Value) -> Any:
    return p.op("StringJoin", [x, y])


@rule("SigmoidCrossEntropyWithLogits")
def _sigmoid_cross_entropy(p: Part, labels: Value, logits: Value) -> Any:
    rest = p.op("Sub", p.op("Relu", logits), p.op("Mul", logits, labels))
    return p.op("AddV2", rest, p.op("Log1p", chain(p, "Abs Neg Exp", logits)))


@rule("Silu")
def _silu(p: Part, x: Value) -> Any:
    return p.op("Mul", x, p.op("Sigmoid", x))


@rule("Ndtr")
def _ndtr(p: Part, x: Value) -> Any:
    """Uses half of erfc where that is more precise, as TensorFlow Probability does."""
    half = p.like(0.5, x)
    scaled = p.op("Mul", x, p.like(math.sqrt(0.5), x))
    return p.op("Mul", half, p.op("Erfc", p.op("Neg", scaled)))


@rule("Gelu")
def _gelu(p: Part, x: Value) -> Any:
    return p.op("Mul", x, _ndtr(p, x))


@rule("GeluGrad")
def _gelu_slope(p: Part, x: Value) -> Any:
    scaled = p.op("Mul", p.op("Square", x), p.like(-0.5, x))
    density = p.op("Mul", p.op("Exp", scaled), p.like(1 / math.sqrt(2 * math.pi), x))
    return p.op("AddV2", _ndtr(p, x), p.op("Mul", x, density))


@rule("ReluGrad")
def _relu_slope(p: Part, x: Value) -> Any:
    return mask(p, "Greater", x, 0)


@rule("Relu6Grad")
def _relu6_slope(p: Part, x: Value) -> Any:
    inside = p.op("LogicalAnd", p.op("Greater", x, 0), p.op("Less", x, 6))
    return p.cast(inside, x.dtype)


@rule("IsNegative")
def _is_negative(p: Part, x: Value) -> Any:
    return mask(p, "Less", x, 0)


@rule("EluGrad")
def _elu_slope(p: Part, out: Value) -> Any:
    return p.op("AddV2", p.op("Minimum", out, 0), p.like(1, out))


@rule("SeluGrad")
def _selu_slope(p: Part, out: Value) -> Any:
    scale, alpha = 1.0507009873554805, 1.6732632423543772
    low = p.op("AddV2", out, p.like(scale * alpha, out))
    return p.op("SelectV2", p.op("Less", out, 0), low, p.like(scale, out))


@rule("SoftsignGrad")
def _softsign_slope(p: Part, x: Value) -> Any:
    return chain(p, "Square Reciprocal", p.op("AddV2", p.op("Abs", x), p.like(1, x)))


@rule("LeakyRelu")
def _leaky_relu(p: Part, x: Value, *, alpha: float) -> Any:
    return p.op("LeakyRelu", x, alpha=alpha)


@rule("LeakyReluGrad")
def _leaky_slope(p: Part, x: Value, *, alpha: float) -> Any:
    return p.op("SelectV2", p.op("Greater", x, 0), p.like(1, x), p.like(alpha, x))


def _safe(p: Part, x: Value, operation: str) -> Any:
    compared = "NotEqual" if x.dtype.startswith("complex") else "Greater"
    ok = p.op(compared, x, p.like(0, x))
    inside = p.op("SelectV2", ok, x, p.like(1, x))
    return p.op("SelectV2", ok, p.op(operation, inside), p.like(0, x))


@rule("SafeLog")
def _safe_log(p: Part, x: Value) -> Any:
    return _safe(p, x, "Log")


@rule("SafeReciprocal")
def _safe_reciprocal(p: Part, x: Value) -> Any:
    return _safe(p, x, "Reciprocal")


@rule("ReciprocalNoNan")
def _reciprocal_no_nan(p: Part, x: Value) -> Any:
    return p.op("DivNoNan", p.like(1, x), x)


@rule("IsZero")
def _is_zero(p: Part, x: Value) -> Any:
    return mask(p, "Equal", x, 0)


@rule("NotZero")
def _not_zero(p: Part, x: Value) -> Any:
    found = p.op("NotEqual", x, p.like(0, x))
    return p.cast(found, dtype_name(p.outputs[0].np_dtype))


@rule("EqualShare")
def _equal_share(p: Part, x: Value, y: Value) -> Any:
    return mask(p, "Equal", x, y)


@rule("AtLeastOne")
def _at_least_one(p: Part, x: Value) -> Any:
    return p.op("Maximum", x, p.like(1, x))


@rule("ClipByValue")
def _clip(p: Part, x: Value, low: Value, high: Value) -> Any:
    return p.op("Maximum", p.op("Minimum", x, high), low)


@rule("Betainc", "SelectV2", "Angle", "Imag", "Real", "Complex", "ComplexAbs")
def _general(p: Part, *xs: Value) -> Any:
    assert p.node is not None
    name, out = p.node.primitive.name, dtype_name(p.outputs[0].np_dtype)
    if name == "Complex":
        kind = "float32" if out == "complex64" else "float64"
        complex_ = [x.dtype.startswith("complex") for x in xs]
        pairs = zip(xs, complex_, strict=True)
        xs = tuple([p.op("Real", x, Tout=kind) if found else x for x, found in pairs])
    return p.op(name, *xs, **({"Tout": out} if name not in ("Betainc", "SelectV2") else {}))


@rule("RealAngle")
def _real_angle(p: Part, x: Value) -> Any:
    return p.op("SelectV2", p.op("Less", x, 0), p.like(math.pi, x), p.like(0, x))


@rule("AddN")
def _add_n(p: Part, *xs: Value) -> Any:
    return p.op("AddN", list(xs))


@rule("Cast")
def _cast(p: Part, x: Value, *, dtype: Any) -> Any:
    return p.op("Cast", x, DstT=dtype_name(dtype))


@rule("TruncatedMantissa")
def _truncated(p: Part, x: Value, *, bits: int) -> Any:
    whole = p.op("Bitcast", x, type=f"uint{8 * as_dtype(x.dtype).size}")
    by = p.like(bits, whole)
    low = p.op("LeftShift", p.op("RightShift", whole, by), by)
    return p.op("Bitcast", low, type=x.dtype)


@rule("Bitcast")
def _bitcast(p: Part, x: Value, *, dtype: Any) -> Any:
    return p.op("Bitcast", x, type=dtype_name(dtype))


@rule("Identity", "PassBeside", "ReadAssigned", "StopGradient")
def _identity(p: Part, *xs: Value, **_: Any) -> Any:
    assert p.node is not None
    stops = p.node.primitive.name in ("ReadAssigned", "StopGradient")
    kind = "StopGradient" if stops else "Identity"
    return [p.op(kind, x) for x in xs[: len(p.outputs)]]


@rule("EnsureShape")
def _ensured(p: Part, x: Value, *, shape: TensorShape) -> Any:
    return p.op("EnsureShape", x, shape=None if shape.rank is None else shape.as_list())


@rule("CheckNumerics")
def _check_numerics(p: Part, x: Value, *, message: str) -> Any:
    return p.op("CheckNumerics", x, message=message)


@rule("PreventGradient")
def _prevent_gradient(p: Part, x: Value, *, message: str) -> Any:
    return p.op("PreventGradient", x, message=message)


@rule("Number")
def _number(p: Part, x: Value, *, n: Any) -> Any:
    return p.number(n, x.dtype)


def full(p: Part, shape: Sequence[Any], value: Any, dtype: str) -> Any:
    """Returns a tensor filled with one number."""
    return p.op("Fill", p.ints(shape), p.const(value, dtype))
