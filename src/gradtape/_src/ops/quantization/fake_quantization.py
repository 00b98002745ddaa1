"""Fake quantization: rounding values to a few levels, as quantized arithmetic would.

The levels are 2 ** `num_bits` equal steps between `min` and `max`, shifted a little so that 0 is
one of them (Jacob et al. 2018, "Quantization and Training of Neural Networks for Efficient
Integer-Arithmetic-Only Inference"). The gradient with respect to a value between `min` and `max`
passes unchanged; the gradient of a value outside the range goes to the nearer limit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gradtape._src.base.dtypes import float32
from gradtape._src.base.export import export, raw_op
from gradtape._src.compute.jax_modules import jnp
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.general import general, shape_of
from gradtape._src.declare.registered import Operation, RegisterGradient, opaque
from gradtape._src.ops.elementwise.arithmetic import mul_p
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
    out = xp.floor(shifted * (1 / scale) + np.float32(0.5)) * scale + least
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
    return _passed_on(g, inputs, low, high, how)


def _passed_on(g: Any, inputs: Any, low: Any, high: Any, how: dict[str, Any]) -> list[Any]:
    parts = [mul_p(g, region) for region in _regions_p(inputs, low, high, **how)]
    axes = list(range(len(shape_of(inputs)) - len(shape_of(low))))
    return [parts[0], reduce_sum(parts[1], axes), reduce_sum(parts[2], axes)]


def _checked(op: str, num_bits: int, narrow_range: bool) -> dict[str, Any]:
    if not 2 <= num_bits <= 16:
        raise invalid(f"num_bits must be between 2 and 16, inclusive, got {num_bits} [Op:{op}]")
    return {"num_bits": int(num_bits), "narrow_range": bool(narrow_range)}


def _ends(low: Any, high: Any, op: str, shape: tuple[int, ...]) -> tuple[Tensor, Tensor]:
    ends = convert_to_tensor(low, float32), convert_to_tensor(high, float32)
    for what, end in zip(("min", "max"), ends, strict=True):
        if end._value.shape != shape:
            expected = shape[0] if shape else "a scalar"
            got = len(end._value) if shape and end._value.ndim == 1 else end.shape
            raise invalid(f"{what} has incorrect size, expected {expected} was {got} [Op:{op}]")
    return ends


def _ordered(low: float, high: float, op: str) -> tuple[Tensor, Tensor]:
    if low >= high:
        raise invalid(f"min has to be smaller than max, was: {low:g} >= {high:g} [Op:{op}]")
    return convert_to_tensor(low, float32), convert_to_tensor(high, float32)


def _channels(inputs: Any, op: str) -> tuple[Tensor, tuple[int, ...]]:
    x = convert_to_tensor(inputs, float32)
    if not x._value.ndim:
        raise invalid(f"inputs must have a last axis, of channels, got a scalar [Op:{op}]")
    return x, x._value.shape[-1:]


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
    how = _checked(op, num_bits, narrow_range)
    ends = _ordered(min, max, op)
    return _args_p(convert_to_tensor(inputs, float32), *ends, **how)


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
    how = _checked(op, num_bits, narrow_range)
    x = convert_to_tensor(inputs, float32)
    return _vars_p(x, *_ends(min, max, op, ()), **how)


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
    how = _checked(op, num_bits, narrow_range)
    x, shape = _channels(inputs, op)
    return _channels_p(x, *_ends(min, max, op, shape), **how)


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
      InvalidArgumentError: `min` is not below `max`, or `num_bits` is out of range.
    """
    op = "FakeQuantWithMinMaxArgsGradient"
    how = _checked(op, num_bits, narrow_range)
    g, x = convert_to_tensor(gradients, float32), convert_to_tensor(inputs, float32)
    out: Tensor = _passed_on(g, x, *_ordered(min, max, op), how)[0]
    return out


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
      InvalidArgumentError: A limit is not a scalar, or `num_bits` is out of range.
    """
    op = "FakeQuantWithMinMaxVarsGradient"
    how = _checked(op, num_bits, narrow_range)
    g, x = convert_to_tensor(gradients, float32), convert_to_tensor(inputs, float32)
    return FakeQuantWithMinMaxVarsGradient(*_passed_on(g, x, *_ends(min, max, op, ()), how))


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
      InvalidArgumentError: A limit is not a scalar, or `num_bits` is out of range.
    """
    op = "FakeQuantWithMinMaxVarsPerChannelGradient"
    how = _checked(op, num_bits, narrow_range)
    g, (x, shape) = convert_to_tensor(gradients, float32), _channels(inputs, op)
    parts = _passed_on(g, x, *_ends(min, max, op, shape), how)
    return FakeQuantWithMinMaxVarsPerChannelGradient(*parts)
