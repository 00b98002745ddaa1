"""Fake quantization: rounding values to a few levels, as quantized arithmetic would.

The levels are 2 ** `num_bits` equal steps between `min` and `max`, shifted a little so that 0 is
one of them (Jacob et al. 2018, "Quantization and Training of Neural Networks for Efficient
Integer-Arithmetic-Only Inference"). The gradient with respect to a value between `min` and `max`
passes unchanged; the gradient of a value outside the range goes to the nearer limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gradtape._src.base.dtypes import float32
from gradtape._src.base.errors import About
from gradtape._src.base.export import export, raw_op
from gradtape._src.compute.jax_modules import jnp
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import are_direct, input_of, invalid
from gradtape._src.declare.attributes import attribute, is_exact
from gradtape._src.declare.general import general, shape_of
from gradtape._src.declare.registered import Operation, RegisterGradient, opaque
from gradtape._src.ops.elementwise.arithmetic import mul_p
from gradtape._src.ops.elementwise.identities import stop_gradient
from gradtape._src.ops.reduce.reductions import reduce_sum

Array = Any


class FakeQuantWithMinMaxVarsGradient(NamedTuple):
    """The gradients with respect to the inputs, the lower and the upper limit."""

    backprops_wrt_input: Tensor
    backprop_wrt_min: Tensor
    backprop_wrt_max: Tensor


class FakeQuantWithMinMaxVarsPerChannelGradient(NamedTuple):
    """The gradients with respect to the inputs and to the limits of each channel."""

    backprops_wrt_input: Tensor
    backprop_wrt_min: Tensor
    backprop_wrt_max: Tensor


def _nudged(xp: Any, low: Any, high: Any, bits: int, narrow: bool) -> tuple[Any, Any, Any]:
    """Returns limits that are shifted so that zero is a level, and the distance between levels."""
    least, most = np.float32(1 if narrow else 0), np.float32(2**bits - 1)
    scale = (high - low) / (most - least)
    zero = xp.floor(least - low / scale + np.float32(0.5))
    zero = xp.clip(xp.where(xp.isnan(zero), least, zero), least, most)
    return (least - zero) * scale, (most - zero) * scale, scale


def _quantized(
    xp: Any, inputs: Any, low: Any, high: Any, *, num_bits: int, narrow_range: bool
) -> Any:
    """Rounds values to the nearest level. `xp` is `numpy` or `jax.numpy`."""
    least, most, scale = _nudged(xp, low, high, num_bits, narrow_range)
    shifted = xp.maximum(xp.minimum(inputs, most), least) - least
    zero = xp.floor(-least * (1 / scale) + np.float32(0.5))
    out = xp.floor(shifted * (1 / scale) - zero + np.float32(0.5)) * scale
    return xp.where((low == 0) & (high == 0), np.float32(0), out)


def _regions(
    xp: Any, inputs: Any, low: Any, high: Any, *, num_bits: int, narrow_range: bool
) -> Any:
    """Returns three masks of the values between, below and above the limits, as 1 and 0."""
    least, most, _ = _nudged(xp, low, high, num_bits, narrow_range)
    nothing = (low == 0) & (high == 0)
    below, above = (inputs < least) & ~nothing, (inputs > most) & ~nothing
    return tuple(m.astype(np.float32) for m in (~(below | above), below, above))


_vars_p = opaque(
    "FakeQuantWithMinMaxVars",
    lambda *x, **how: _quantized(np, *x, **how),
    xla=lambda *x, **how: _quantized(jnp, *x, **how),
)
_channels_p = opaque(
    "FakeQuantWithMinMaxVarsPerChannel",
    lambda *x, **how: _quantized(np, *x, **how),
    xla=lambda *x, **how: _quantized(jnp, *x, **how),
)
_args_p = opaque(
    "FakeQuantWithMinMaxArgs",
    lambda *x, **how: _quantized(np, *x, **how),
    xla=lambda *x, **how: _quantized(jnp, *x, **how),
)
_regions_p = general(
    "FakeQuantRegions",
    lambda x, low, high, **how: _regions(np, x, low, high, **how),
    xla=lambda *x, **how: _regions(jnp, *x, **how),
)
"""Not a TensorFlow operation of its own."""


@RegisterGradient("FakeQuantWithMinMaxVars")
@RegisterGradient("FakeQuantWithMinMaxVarsPerChannel")
@RegisterGradient("FakeQuantWithMinMaxArgs")
def _gradient(op: Operation, g: Any) -> list[Any]:
    inputs, low, high = op.inputs
    how = {name: op.get_attr(name) for name in ("num_bits", "narrow_range")}
    return [*_passed_on(g, inputs, low, high, how)]


def _passed_on(
    g: Any, inputs: Any, low: Any, high: Any, how: dict[str, Any]
) -> tuple[Tensor, Tensor, Tensor]:
    """Returns the gradients, which have no gradients themselves, as in TensorFlow."""
    parts = [mul_p(g, region) for region in _regions_p(inputs, low, high, **how)]
    axes = list(range(len(shape_of(inputs)) - len(shape_of(low))))
    low_part, high_part = (stop_gradient(reduce_sum(part, axes)) for part in parts[1:])
    return stop_gradient(parts[0]), low_part, high_part


def _levels(op: str, num_bits: Any, narrow_range: Any) -> dict[str, Any]:
    bits = _attribute("int", "num_bits", num_bits, 8)
    if not 2 <= bits <= 16:
        raise invalid(
            f"num_bits must be between 2 and 16, inclusive, got {bits} [Op:{op}]", About.VALUES
        )
    return {
        "num_bits": bits,
        "narrow_range": _attribute("bool", "narrow_range", narrow_range, False),
    }


def _attribute(kind: str, name: str, value: Any, default: float) -> Any:
    return default if value is None else attribute(kind, name, value)


def _inputs(op: str, *values: Any, num_bits: Any, ends: Sequence[Any] = ()) -> list[Tensor]:
    exact = is_exact("int", num_bits) and all(is_exact("float", end) for end in ends)
    direct = exact and are_direct(*values)
    return [input_of(op, i, x, float32, direct=direct) for i, x in enumerate(values)]


def _need_ends(op: str, shape: tuple[int, ...], *ends: Tensor) -> None:
    for what, end in zip(("min", "max"), ends, strict=True):
        if end._value.shape != shape:
            expected = shape[0] if shape else "a scalar"
            got = len(end._value) if shape and end._value.ndim == 1 else end.shape
            raise invalid(f"{what} has incorrect size, expected {expected} was {got} [Op:{op}]")


def _need_same_shape(op: str, gradients: Tensor, inputs: Tensor) -> None:
    if gradients._value.shape != inputs._value.shape:
        raise invalid(
            f"gradient and input must be the same size, got {gradients.shape} and {inputs.shape} "
            f"[Op:{op}]"
        )


def _ordered(op: str, low: Any, high: Any) -> tuple[Tensor, Tensor]:
    low, high = _attribute("float", "min", low, -6), _attribute("float", "max", high, 6)
    if low >= high:
        raise invalid(
            f"min has to be smaller than max, was: {low:g} >= {high:g} [Op:{op}]", About.VALUES
        )
    return convert_to_tensor(low, float32), convert_to_tensor(high, float32)


def _channels(op: str, x: Tensor) -> tuple[int, ...]:
    if not x._value.ndim:
        raise invalid(f"inputs must have a last axis, of channels, got a scalar [Op:{op}]")
    shape: tuple[int, ...] = x._value.shape[-1:]
    return shape


@export("quantization.fake_quant_with_min_max_args")
@raw_op("FakeQuantWithMinMaxArgs")
def fake_quant_with_min_max_args(
    inputs: Any,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Rounds values to the levels between two numbers.

    Args:
      inputs: A float32 tensor.
      min: The lower limit, a number.
      max: The upper limit.
      num_bits: The number of bits, 2 to 16.
      narrow_range: Whether the lowest level is not used.
      name: Accepted for compatibility.

    Returns:
      A tensor of the shape and dtype of `inputs`. The gradient is 1 between the limits and 0
      outside.

    Raises:
      InvalidArgumentError: `min` is not below `max`, or `num_bits` is out of range.
    """
    op = "FakeQuantWithMinMaxArgs"
    how, ends = _levels(op, num_bits, narrow_range), _ordered(op, min, max)
    return _args_p(*_inputs(op, inputs, num_bits=num_bits, ends=(min, max)), *ends, **how)


@export("quantization.fake_quant_with_min_max_vars")
@raw_op("FakeQuantWithMinMaxVars")
def fake_quant_with_min_max_vars(
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Rounds values to the levels between two scalar tensors, which also have gradients.

    Args:
      inputs: A float32 tensor.
      min: The lower limit, a scalar tensor.
      max: The upper limit.
      num_bits: The number of bits, 2 to 16.
      narrow_range: Whether the lowest level is not used.
      name: Accepted for compatibility.

    Returns:
      A tensor of the shape and dtype of `inputs`. The gradient of a value outside the range goes to
      the nearer limit.

    Raises:
      InvalidArgumentError: A limit is not a scalar, or `num_bits` is out of range.
    """
    op = "FakeQuantWithMinMaxVars"
    how = _levels(op, num_bits, narrow_range)
    x, *ends = _inputs(op, inputs, min, max, num_bits=num_bits)
    _need_ends(op, (), *ends)
    return _vars_p(x, *ends, **how)


@export("quantization.fake_quant_with_min_max_vars_per_channel")
@raw_op("FakeQuantWithMinMaxVarsPerChannel")
def fake_quant_with_min_max_vars_per_channel(
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Rounds values to levels between limits for each channel; channels are the last axis.

    Args:
      inputs: A float32 tensor.
      min: The lower limit, a scalar tensor.
      max: The upper limit.
      num_bits: The number of bits, 2 to 16.
      narrow_range: Whether the lowest level is not used.
      name: Accepted for compatibility.

    Returns:
      A tensor of the shape and dtype of `inputs`. The gradient of a value outside the range goes to
      the nearer limit.

    Raises:
      InvalidArgumentError: The shape of `min` or `max` is not (channels,), or `num_bits` is out of
        range.
    """
    op = "FakeQuantWithMinMaxVarsPerChannel"
    how = _levels(op, num_bits, narrow_range)
    x, *ends = _inputs(op, inputs, min, max, num_bits=num_bits)
    _need_ends(op, _channels(op, x), *ends)
    return _channels_p(x, *ends, **how)


@export("quantization.fake_quant_with_min_max_args_gradient")
@raw_op("FakeQuantWithMinMaxArgsGradient")
def fake_quant_with_min_max_args_gradient(
    gradients: Any,
    inputs: Any,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Computes the gradient of `fake_quant_with_min_max_args` with respect to its inputs.

    Args:
      gradients: The gradient with respect to the result, of the shape of `inputs`.
      inputs: A float32 tensor.
      min: The lower limit, a number.
      max: The upper limit.
      num_bits: The number of bits, 2 to 16.
      narrow_range: Whether the lowest level is not used.
      name: Accepted for compatibility.

    Returns:
      A tensor of the shape of `inputs`.

    Raises:
      InvalidArgumentError: `gradients` and `inputs` differ in shape, `min` is not below `max`, or
        `num_bits` is out of range.
    """
    op = "FakeQuantWithMinMaxArgsGradient"
    how, ends = _levels(op, num_bits, narrow_range), _ordered(op, min, max)
    g, x = _inputs(op, gradients, inputs, num_bits=num_bits, ends=(min, max))
    _need_same_shape(op, g, x)
    return _passed_on(g, x, *ends, how)[0]


@export("quantization.fake_quant_with_min_max_vars_gradient")
@raw_op("FakeQuantWithMinMaxVarsGradient")
def fake_quant_with_min_max_vars_gradient(
    gradients: Any,
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> FakeQuantWithMinMaxVarsGradient:
    """Computes the gradients of `fake_quant_with_min_max_vars`.

    Args:
      gradients: The gradient with respect to the result, of the shape of `inputs`.
      inputs: A float32 tensor.
      min: The lower limit, a scalar tensor.
      max: The upper limit.
      num_bits: The number of bits, 2 to 16.
      narrow_range: Whether the lowest level is not used.
      name: Accepted for compatibility.

    Returns:
      A named tuple of the gradients with respect to `inputs`, `min` and `max`.

    Raises:
      InvalidArgumentError: `gradients` and `inputs` differ in shape, a limit is not a scalar, or
        `num_bits` is out of range.
    """
    op = "FakeQuantWithMinMaxVarsGradient"
    how = _levels(op, num_bits, narrow_range)
    g, x, low, high = _inputs(op, gradients, inputs, min, max, num_bits=num_bits)
    _need_same_shape(op, g, x)
    _need_ends(op, (), low, high)
    return FakeQuantWithMinMaxVarsGradient(*_passed_on(g, x, low, high, how))


@export("quantization.fake_quant_with_min_max_vars_per_channel_gradient")
@raw_op("FakeQuantWithMinMaxVarsPerChannelGradient")
def fake_quant_with_min_max_vars_per_channel_gradient(
    gradients: Any,
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> FakeQuantWithMinMaxVarsPerChannelGradient:
    """Computes the gradients of `fake_quant_with_min_max_vars_per_channel`.

    Args:
      gradients: The gradient with respect to the result, of the shape of `inputs`.
      inputs: A float32 tensor.
      min: The lower limit, a scalar tensor.
      max: The upper limit.
      num_bits: The number of bits, 2 to 16.
      narrow_range: Whether the lowest level is not used.
      name: Accepted for compatibility.

    Returns:
      A named tuple of the gradients with respect to `inputs`, `min` and `max`.

    Raises:
      InvalidArgumentError: `gradients` and `inputs` differ in shape, a limit is not a scalar, or
        `num_bits` is out of range.
    """
    op = "FakeQuantWithMinMaxVarsPerChannelGradient"
    how = _levels(op, num_bits, narrow_range)
    g, x, low, high = _inputs(op, gradients, inputs, min, max, num_bits=num_bits)
    _need_same_shape(op, g, x)
    _need_ends(op, _channels(op, x), low, high)
    parts = _passed_on(g, x, low, high, how)
    return FakeQuantWithMinMaxVarsPerChannelGradient(*parts)
