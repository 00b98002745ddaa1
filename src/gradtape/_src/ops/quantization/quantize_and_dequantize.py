"""Rounding of numbers to the levels of a quantized range.

Level 0 is the number 0, and the steps on both sides have the same size, so that one limit of the
range may be changed (Jacob et al. 2018, "Quantization and Training of Neural Networks for Efficient
Integer-Arithmetic-Only Inference"). The gradient passes unchanged (straight-through estimator).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gradtape._src.base.error_messages import mismatch, without_kernel
from gradtape._src.base.errors import About
from gradtape._src.base.export import export, raw_op
from gradtape._src.compute.jax_modules import jnp
from gradtape._src.compute.raw_value import RawValue
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import integers, invalid, known, one_of
from gradtape._src.declare.general import general, shape_of
from gradtape._src.ops.array.creation import zeros_like
from gradtape._src.ops.elementwise.arithmetic import mul_p

_DTYPES = frozenset({np.float32, np.float64})
_NO_KERNEL = frozenset({"float16", "bfloat16"})
without_kernel("QuantizeAndDequantizeV2", _NO_KERNEL)
without_kernel("QuantizeAndDequantizeV4", _NO_KERNEL)
_ROUNDING = ("HALF_TO_EVEN", "HALF_UP")


class QuantizeAndDequantizeV4Grad(NamedTuple):
    """The gradients with respect to the input, the lower and the upper limit."""

    input_backprop: Tensor
    input_min_backprop: Tensor
    input_max_backprop: Tensor


def by_slices(xp: Any, ends: Any, axis: int, rank: int) -> RawValue:
    """Reshapes one number for each slice along an axis, so that it broadcasts."""
    shape = [-1 if i == axis else 1 for i in range(rank)]
    found: RawValue = ends if axis < 0 else xp.reshape(ends, shape)
    return found


def _extremes(xp: Any, x: Any, axis: int) -> tuple[Any, Any]:
    if not x.size:
        return x.dtype.type(0), x.dtype.type(0)
    others = tuple(i for i in range(x.ndim) if i != axis) if axis >= 0 else None
    return x.min(axis=others, keepdims=axis >= 0), x.max(axis=others, keepdims=axis >= 0)


def _rounded(
    xp: Any,
    x: Any,
    low: Any,
    high: Any,
    *,
    signed: bool,
    bits: int,
    given: bool,
    up: bool,
    narrow: bool,
    axis: int,
) -> Any:
    kind = x.dtype.type
    least = kind(-(2 ** (bits - 1)) + narrow if signed else 0)
    most = kind(2 ** (bits - 1) - 1 if signed else 2**bits - 1)
    if given:
        low, high = (by_slices(xp, end, axis, x.ndim) for end in (low, high))
    else:
        low, high = _extremes(xp, x, axis)
    largest = np.finfo(x.dtype).max
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        below = xp.where(least * low > 0, least / low, largest)
        above = xp.where(most * high > 0, most / high, largest)
        from_low = below < above
        scale = xp.where(from_low, below, above)
        step = xp.where(from_low, low / least, high / most if most else kind(0))
        low, high = xp.where(from_low, low, least * step), xp.where(from_low, most * step, high)
        steps = (xp.maximum(xp.minimum(x, high), low) if given else x) * scale
    levels = xp.floor(steps + kind(0.5)) if up else xp.rint(steps)
    return (levels * step).astype(kind)


def _inside(xp: Any, x: Any, low: Any, high: Any, *, axis: int) -> Any:
    """Returns 1 where numbers are between the limits, inclusive, else 0."""
    if axis < 0 and low.ndim:
        raise invalid(
            f"min has incorrect size, expected {x.shape[-1] if x.ndim else 1} was {low.size} "
            f"[Op:QuantizeAndDequantizeV4Grad]"
        )
    low, high = (by_slices(xp, end, axis, x.ndim) for end in (low, high))
    return ((x >= low) & (x <= high)).astype(x.dtype)


_inside_p = general(
    "QuantizeAndDequantizeInside",
    lambda x, low, high, *, axis: _inside(np, x, low, high, axis=axis),
    xla=lambda x, low, high, *, axis: _inside(jnp, x, low, high, axis=axis),
)
"""Not a TensorFlow operation of its own."""


def _through(g: Any, x: Any, low: Any, high: Any, axis: int) -> Any:
    return mul_p(g, _inside_p(x, low, high, axis=axis))


_v4_p = general(
    "QuantizeAndDequantizeV4",
    lambda x, low, high, **how: _rounded(np, x, low, high, **how),
    {
        "x": _through,
        "low": lambda g, low: zeros_like(low),
        "high": lambda g, high: zeros_like(high),
    },
    jvps={
        "x": lambda t, x, low, high, axis: _through(t, x, low, high, axis),
        "low": lambda t, out: zeros_like(out),
        "high": lambda t, out: zeros_like(out),
    },
    xla=lambda x, low, high, **how: _rounded(jnp, x, low, high, **how),
    dtypes=_DTYPES,
    same=slice(0, 1),
)
_v2_p = general(
    "QuantizeAndDequantizeV2",
    lambda x, low, high, **how: _rounded(np, x, low, high, **how),
    {"x": lambda g: g},
    jvps={"x": lambda t: t},
    xla=lambda x, low, high, **how: _rounded(jnp, x, low, high, **how),
    dtypes=_DTYPES,
    same=slice(0, 1),
)


def _axis(given: Any, rank: int, op: str) -> int:
    axis = -1 if given is None else int(given)
    if axis < -1:
        raise invalid(f"Axis must be at least -1. Found {axis} [Op:{op}]")
    if axis >= rank and axis >= 0:
        raise invalid(f"Shape must be at least rank {axis + 1} but is rank {rank} [Op:{op}]")
    return axis


def _bits(given: Any, op: str) -> int:
    if given is None:
        return 8
    if isinstance(given, str):
        raise TypeError(f"Expected int for argument 'num_bits' not {given!r}.")
    return int(integers(given, op, "num_bits"))


def _check_range(low: Tensor, high: Tensor, shape: tuple[int, ...], axis: int, op: str) -> None:
    for what, end in (("input_min", low), ("input_max", high)):
        found = shape_of(end)
        if axis < 0 and found:
            raise invalid(f"{what} must be a scalar. [Op:{op}]")
        if axis >= 0 and found != (shape[axis],):
            raise invalid(
                f"{what} has incorrect size, expected {shape[axis]} was {list(found)} [Op:{op}]"
            )
    if known(low) and known(high):
        bad = np.flatnonzero(np.ravel(low._numpy() > high._numpy()))
        if bad.size:
            pair = [np.ravel(end._numpy())[bad[0]] for end in (low, high)]
            raise invalid(
                f"Invalid range: input_min {pair[0]:g} > input_max {pair[1]:g} [Op:{op}]",
                About.VALUES,
            )


def _operation(
    primitive: Any,
    op: str,
    input: Any,
    low: Any,
    high: Any,
    axis: Any,
    *,
    signed: bool | None,
    bits: Any,
    given: bool,
    round_mode: str,
    narrow: bool,
) -> Tensor:
    x = convert_to_tensor(input)
    low, high = (convert_to_tensor(end, dtype_hint=x.dtype) for end in (low, high))
    for position, end in enumerate((low, high), 1):
        if end.dtype != x.dtype:
            raise mismatch(op, position, x.dtype, end.dtype)
    for what, flag in (("signed_input", signed), ("range_given", given), ("narrow_range", narrow)):
        if not isinstance(flag, (bool, int, np.bool_, type(None))):
            raise TypeError(f"Expected bool for argument '{what}' not {flag!r}.")
    signed = True if signed is None else signed  # an option of None has its default
    if not isinstance(round_mode, (str, bytes)):
        raise TypeError(f"Expected string for argument 'round_mode' not {round_mode!r}.")
    one_of(round_mode, _ROUNDING, "round_mode", op)
    bits = _bits(bits, op)
    if not 0 < bits < (62 if signed else 63):
        raise invalid(
            f"num_bits is out of range: {bits} with signed_input {int(signed)} [Op:{op}]",
            About.VALUES,
        )
    at = _axis(axis, len(shape_of(x)), op)
    if given:
        _check_range(low, high, shape_of(x), at, op)
    how = {"signed": bool(signed), "bits": bits, "given": bool(given), "narrow": bool(narrow)}
    out: Tensor = primitive(x, low, high, up=round_mode == "HALF_UP", axis=at, **how)
    return out


def _from_front(axis: Any, x: Any) -> Any:
    """Counts an axis from the front, as -1 stands for no axis in the raw operations."""
    if axis is None or int(axis) >= 0:
        return axis
    rank = len(shape_of(convert_to_tensor(x)))
    return int(axis) + rank if int(axis) >= -rank else int(axis) + rank - 1


@export("quantization.quantize_and_dequantize_v2")
def quantize_and_dequantize_v2(
    input: Any,
    input_min: Any,
    input_max: Any,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Tensor:
    """Rounds numbers like `quantize` followed by `dequantize`.

    Args:
      input: A tensor of dtype float32 or float64.
      input_min: The lower limit, a scalar, or a vector of the axis' length if `axis` is given.
      input_max: The upper limit.
      signed_input: Whether levels are signed.
      num_bits: The number of bits of a level.
      range_given: Whether the range is from `input_min` to `input_max`; otherwise, it is computed
        from the numbers.
      round_mode: "HALF_TO_EVEN" or "HALF_UP".
      name: Accepted for compatibility.
      narrow_range: Whether the lowest level is not used.
      axis: The axis whose slices have separate ranges, or None for a single range.

    Returns:
      A tensor of the shape and dtype of `input`. Its gradient with respect to `input` is 1 between
      the limits and 0 outside; with respect to the limits it is 0.

    Raises:
      InvalidArgumentError: `num_bits`, `round_mode`, the axis or a limit is not valid.

    >>> tf.quantization.quantize_and_dequantize_v2([0.1, 0.6, 1.0], 0.0, 1.0, num_bits=3).numpy()
    array([0.       , 0.6666667, 1.       ], dtype=float32)
    """
    limits = input_min, input_max
    how = signed_input, num_bits, range_given, round_mode, narrow_range
    return _raw_v4(input, *limits, *how, _from_front(axis, input))


@export("quantization.quantize_and_dequantize")
def quantize_and_dequantize(
    input: Any,
    input_min: Any,
    input_max: Any,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Tensor:
    """Rounds numbers to levels; the gradient also passes for numbers outside the limits.

    Args:
      input: A tensor of dtype float32 or float64.
      input_min: The lower limit, a scalar, or a vector of the axis' length if `axis` is given.
      input_max: The upper limit.
      signed_input: Whether levels are signed.
      num_bits: The number of bits of a level.
      range_given: Whether the range is from `input_min` to `input_max`; otherwise, it is computed
        from the numbers.
      round_mode: "HALF_TO_EVEN" or "HALF_UP".
      name: Accepted for compatibility.
      narrow_range: Whether the lowest level is not used.
      axis: The axis whose slices have separate ranges, or None for a single range.

    Returns:
      A tensor of the shape and dtype of `input`. Its gradient with respect to `input` is 1, and
      with respect to the limits None.

    Raises:
      InvalidArgumentError: `num_bits`, `round_mode`, the axis or a limit is not valid.
    """
    limits = input_min, input_max
    how = signed_input, num_bits, range_given, round_mode, narrow_range
    return _raw_v2(input, *limits, *how, _from_front(axis, input))


def _raw(primitive: Any, op: str) -> Callable[..., Tensor]:
    """Returns a raw operation, for which an axis of -1 is a single range."""

    def run(
        input: Any,
        input_min: Any,
        input_max: Any,
        signed_input: bool = True,
        num_bits: int = 8,
        range_given: bool = False,
        round_mode: str = "HALF_TO_EVEN",
        narrow_range: bool = False,
        axis: int = -1,
        name: str | None = None,
    ) -> Tensor:
        """Rounds numbers to levels."""
        return _operation(
            *(primitive, op, input, input_min, input_max, axis),
            signed=signed_input,
            bits=num_bits,
            given=range_given,
            round_mode=round_mode,
            narrow=narrow_range,
        )

    return run


_raw_v2 = _raw(_v2_p, "QuantizeAndDequantizeV2")
_raw_v4 = _raw(_v4_p, "QuantizeAndDequantizeV4")
raw_op("QuantizeAndDequantizeV2")(_raw_v2)
raw_op("QuantizeAndDequantizeV4")(_raw_v4)


@raw_op("QuantizeAndDequantizeV3")
def quantize_and_dequantize_v3(
    input: Any,
    input_min: Any,
    input_max: Any,
    num_bits: Any,
    signed_input: bool = True,
    range_given: bool = True,
    narrow_range: bool = False,
    axis: int = -1,
    name: str | None = None,
) -> Tensor:
    """Rounds numbers to levels, with the number of bits as a tensor.

    See `quantize_and_dequantize`.
    """
    return _operation(
        *(_v2_p, "QuantizeAndDequantizeV3", input, input_min, input_max, axis),
        signed=signed_input,
        bits=num_bits,
        given=range_given,
        round_mode="HALF_TO_EVEN",
        narrow=narrow_range,
    )


@raw_op("QuantizeAndDequantizeV4Grad")
def quantize_and_dequantize_v4_grad(
    gradients: Any,
    input: Any,
    input_min: Any,
    input_max: Any,
    axis: int = -1,
    name: str | None = None,
) -> QuantizeAndDequantizeV4Grad:
    """Returns the gradients of `quantize_and_dequantize_v2`."""
    op = "QuantizeAndDequantizeV4Grad"
    g = convert_to_tensor(gradients)
    x, low, high = (convert_to_tensor(v, g.dtype) for v in (input, input_min, input_max))
    at = _axis(axis, len(shape_of(x)), op)
    _check_range(low, high, shape_of(x), at, op)
    passed = _through(g, x, low, high, at)
    return QuantizeAndDequantizeV4Grad(passed, zeros_like(low), zeros_like(high))
