"""Changing the dtype, or nothing: casts, barriers for gradients, checks."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from gradtape._src.base.composite_tensor import CompositeTensor
from gradtape._src.base.dtypes import DType, as_dtype, dtype_of
from gradtape._src.base.errors import InvalidArgumentError, UnimplementedError
from gradtape._src.base.export import export, raw_op
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.base.shapes import TensorShape
from gradtape._src.compute.axis_sums import wider
from gradtape._src.core.convert import tensor
from gradtape._src.core.primitive import Bound
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.families import (
    FLOATING,
    dtype_of_value,
    general,
    shape_of,
)
from gradtape._src.declare.row_partitions import RaggedRows
from gradtape._src.declare.traits import Pattern, Traits
from gradtape._src.ops.elementwise.complex_numbers import complex_p, imag_p, real_p
from gradtape._src.ops.elementwise.selection import clip_by_value

_log = logging.getLogger("tensorflow")  # the logger that programs configure


def _cast(x: Any, *, dtype: np.dtype[Any]) -> Any:
    with np.errstate(invalid="ignore", over="ignore"):
        if x.dtype.kind == "c" and dtype.kind != "c":
            x = x.real if dtype.kind != "b" else x != 0
        return x.astype(dtype)


cast_p: Bound = general(
    "Cast",
    _cast,
    {"x": lambda g, x_dtype: cast_p(g, dtype=x_dtype)},
    linear=["x"],
    batching="leading",
    traits=Traits(pattern=Pattern.ELEMENTWISE),
)


def widened(x: Any) -> Any:
    """A tensor or raw value in the dtype in which its dtype's values are added up."""
    dtype = dtype_of_value(x)
    wide = wider(dtype)
    return x if wide is dtype else cast_p(x, dtype=wide)


stop_gradient_p = general(
    "StopGradient", lambda x: x, batching="leading", traits=Traits(passes_on=True)
)


@export("cast", "dtypes.cast")
@raw_op("Cast", DstT="dtype")
def cast(x: Any, dtype: Any, name: str | None = None) -> Any:
    """Converts a tensor to another dtype.

    Gradients flow between floating and complex dtypes and are cast back; an integer or boolean
    on the way stops them.

    Args:
      x: A numeric or boolean tensor; a sparse or ragged one, or `IndexedSlices`.
      dtype: The dtype wanted.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape; `x` itself where it has the dtype already.

    Raises:
      TypeError: `dtype` names no dtype.
      UnimplementedError: From or to strings.
    """
    want = as_dtype(dtype)
    if isinstance(x, CompositeTensor):
        return x._over_values(lambda values: cast(values, want))
    x = tensor(x)
    have = dtype_of(x._value)
    if have is want:
        return x
    if "string" in (have.name, want.name):
        raise UnimplementedError(
            None,
            None,
            f"Cast {have.name} to {want.name} is not supported [Op:Cast] (tf.strings converts)",
        )
    if have.is_complex and want.is_floating:
        _log.warning(
            "You are casting an input of type %s to an incompatible dtype %s.  This will discard "
            "the imaginary part and may not be what you intended.",
            have.name,
            want.name,
        )
    return cast_p(x, dtype=want.np_dtype)


@export("saturate_cast", "dtypes.saturate_cast")
def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Any:
    """Converts a tensor to another dtype; values outside its range become its ends.

    Args:
      value: A numeric tensor.
      dtype: The dtype wanted.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape.

    Raises:
      TypeError: `dtype` names no dtype.
    """
    want = as_dtype(dtype)
    x = tensor(value)
    have = dtype_of(x._value)
    if want.is_bool or have.is_bool:
        return cast(x, want)
    if have.is_complex:
        if want.is_complex:
            if want.real_dtype.max >= have.real_dtype.max:
                return cast(x, want)
            real, imag = (_saturated(part(x), want.real_dtype) for part in (real_p, imag_p))
            return complex_p(real, imag)
        x = cast(x, have.real_dtype)
    return cast(_saturated(x, want.real_dtype), want)


def _saturated(x: Any, want: DType) -> Any:
    """A real tensor cast to another real dtype, values outside its range at its ends."""
    have = dtype_of(x._value)
    (low, high), (least, most) = _range(have), _range(want)
    low, high = max(low, least), min(high, most)
    if have.is_floating or have.min < want.min or have.max > want.max:
        x = clip_by_value(x, _fitting(low, have, np.inf), _fitting(high, have, -np.inf))
    return cast(x, want)


def _range(dtype: DType) -> tuple[Any, Any]:
    """The ends of a dtype as Python numbers, which compare with each other whatever they are."""
    return (float(dtype.min), float(dtype.max)) if dtype.is_floating else (dtype.min, dtype.max)


def _fitting(end: Any, dtype: DType, inwards: float) -> Any:
    """An end of a range as a value of a dtype, rounded towards the inside."""
    value = dtype.np_dtype.type(float(end) if dtype.is_floating else end)
    if dtype.is_floating:
        beyond = float(value) > end if inwards < 0 else float(value) < end
        return np.nextafter(value, dtype.np_dtype.type(inwards)) if beyond else value
    return value


@export("stop_gradient")
@raw_op("StopGradient")
def stop_gradient(input: Any, name: str | None = None) -> Any:
    """A tensor with the same value through which no gradient flows.

    Args:
      input: A tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype that counts as a constant.
    """
    if isinstance(input, CompositeTensor):
        return input._over_values(stop_gradient)
    return stop_gradient_p(tensor(input))


def _check_numerics(x: Any, *, message: str) -> Any:
    infinite, nan = bool(np.isinf(x).any()), bool(np.isnan(x).any())
    if infinite or nan:
        what = " and ".join(w for w, found in (("Inf", infinite), ("NaN", nan)) if found)
        raise InvalidArgumentError(
            None, None, f"{message} : Tensor had {what} values [Op:CheckNumerics]"
        )
    return x


check_numerics_p: Bound = general(
    "CheckNumerics",
    _check_numerics,
    {"x": lambda g, message: check_numerics_p(g, message=_in_gradient(message))},
    linear=["x"],
    batching="leading",
    dtypes=FLOATING,
    same=slice(0, 1),
    traits=Traits(pattern=Pattern.ELEMENTWISE, passes_on=True),
)


def _in_gradient(message: str) -> str:
    head = "Not a number (NaN) or infinity (Inf) values detected in gradient. "
    return message if message.startswith(head) else head + message


@export("debugging.assert_all_finite", "debugging.check_numerics")
@raw_op("CheckNumerics")
def check_numerics(tensor: Any, message: str, name: str | None = None) -> Any:
    """Raises where a value is NaN or infinite; its gradient is checked likewise.

    Args:
      tensor: A floating tensor.
      message: What the error begins with.
      name: Accepted for compatibility.

    Returns:
      The tensor.

    Raises:
      InvalidArgumentError: A value is not finite, or the dtype is not floating.
    """
    return check_numerics_p(_tensor(tensor), message=message)


_tensor = tensor


@export("ensure_shape")
@raw_op("EnsureShape", input="x")
def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Any:
    """Raises unless a tensor has a shape.

    Args:
      x: A tensor.
      shape: A shape in which None stands for any extent.
      name: Accepted for compatibility.

    Returns:
      A tensor with `x`'s value.

    Raises:
      InvalidArgumentError: The shape is another one.
    """
    x = tensor(x)
    if not TensorShape(shape).is_compatible_with(list(shape_of(x))):
        raise InvalidArgumentError(
            None,
            None,
            f"Shape of tensor input {list(shape_of(x))} is not compatible with expected shape "
            f"{TensorShape(shape)}. [Op:EnsureShape]",
        )
    return identity_p(x)


def _bitcast(x: Any, *, dtype: np.dtype[Any]) -> Any:
    old, new = x.dtype.itemsize, dtype.itemsize
    if not np.ndim(x):
        return _bitcast(np.reshape(x, (1,)), dtype=dtype)[0] if new <= old else _too_wide(x, dtype)
    x = np.ascontiguousarray(x)
    if old == new:
        return x.view(dtype)
    if old > new:
        return x[..., None].view(dtype)
    if x.shape[-1] * old != new:
        _too_wide(x, dtype)
    return x.view(dtype)[..., 0]


def _too_wide(x: Any, dtype: np.dtype[Any]) -> NoReturn:
    raise InvalidArgumentError(
        None,
        None,
        f"Cannot bitcast from {x.dtype.name} to {dtype.name}: shape {list(np.shape(x))} must end "
        f"in {dtype.itemsize // x.dtype.itemsize} [Op:Bitcast]",
    )


@export("bitcast")
@raw_op("Bitcast")
def bitcast(input: Any, type: Any, name: str | None = None) -> Any:
    """The same bits read as another dtype.

    Args:
      input: A numeric tensor.
      type: The dtype to read them as.
      name: Accepted for compatibility.

    Returns:
      A tensor: with one more axis where the new dtype is smaller, one less where it is larger.

    Raises:
      InvalidArgumentError: The sizes do not fit.
    """
    return bitcast_p(tensor(input), dtype=as_dtype(type).np_dtype)


bitcast_p = general("Bitcast", _bitcast)


identity_p = general(
    "Identity",
    lambda x: x,
    {"x": lambda g: g},
    linear=["x"],
    batching="leading",
    sparse=True,
    traits=Traits(pattern=Pattern.ELEMENTWISE, passes_on=True),
)


@export("identity")
@raw_op("Identity")
def identity(input: Any, name: str | None = None) -> Any:
    """Gives a tensor of the same value, a tensor of its own to a tape; rows stay rows."""
    if isinstance(input, IndexedSlices):
        return IndexedSlices(identity(input.values), input.indices, input.dense_shape)
    if type(input) is not Tensor and isinstance(input, RaggedRows):
        return input._over_values(identity)
    return identity_p(tensor(input))


@export("identity_n")
@raw_op("IdentityN")
def identity_n(input: Sequence[Any], name: str | None = None) -> list[Tensor]:
    """Gives tensors of the same values as several others."""
    return [identity(x) for x in input]


@export("guarantee_const")
def guarantee_const(input: Any, name: str | None = None) -> Tensor:
    """The input itself, which a program promises not to change."""
    return identity(input)  # type: ignore[no-any-return]
