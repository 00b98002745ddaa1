"""Complex numbers and their parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.dtypes import dtype_of, string
from gradtape._src.base.export import export, raw_op
from gradtape._src.compute.jax_modules import jnp, lax
from gradtape._src.core.convert import tensor
from gradtape._src.core.primitive import Bound
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import COMPLEX, general, shape_of
from gradtape._src.declare.structural import aligned, broadcast_to_p, conj_p, unbroadcast
from gradtape._src.declare.traits import Pattern, Traits
from gradtape._src.ops.elementwise.division import div_no_nan_p, reciprocal_p
from gradtape._src.ops.elementwise.selection import zero_of

_PARTS = frozenset({np.float32, np.float64})
real_p = general(
    "Real",
    lambda x: np.real(x),
    {"x": lambda g: complex_p(g, zero_of(g))},
    linear=["x"],
    batching="leading",
    dtypes=COMPLEX,
    same=slice(0, 1),
    xla=lambda x: jnp.real(x),
    traits=Traits(pattern=Pattern.ELEMENTWISE, passes_on=True),
)
imag_p = general(
    "Imag",
    lambda x: np.imag(x),
    {"x": lambda g: complex_p(zero_of(g), g)},
    linear=["x"],
    batching="leading",
    dtypes=COMPLEX,
    same=slice(0, 1),
    xla=lambda x: jnp.imag(x),
    traits=Traits(pattern=Pattern.ELEMENTWISE, passes_on=True),
)


def _complex(real: Any, imag: Any) -> Any:
    shape = np.broadcast_shapes(np.shape(real), np.shape(imag))
    out = np.empty(shape, np.complex64 if real.dtype.itemsize == 4 else np.complex128)
    out.real = real
    out.imag = imag
    return out if shape else out[()]


def _spread(z: Any, shape: tuple[int, ...]) -> Any:
    return z if shape_of(z) == shape else broadcast_to_p(z, shape=shape)


def _complex_in_xla(real: Any, imag: Any) -> Any:
    return lax.complex(*jnp.broadcast_arrays(real, imag))


complex_p: Bound = general(
    "Complex",
    _complex,
    {
        "real": lambda g, real_shape, out_shape: unbroadcast(real_p(g), out_shape, real_shape),
        "imag": lambda g, imag_shape, out_shape: unbroadcast(imag_p(g), out_shape, imag_shape),
    },
    jvps={
        "real": lambda t, out_shape: _spread(complex_p(t, zero_of(t)), out_shape),
        "imag": lambda t, out_shape: _spread(complex_p(zero_of(t), t), out_shape),
    },
    batching=lambda size, batched, inputs, params: complex_p(*aligned(size, batched, inputs)),
    dtypes=_PARTS,
    same=slice(0, 2),
    xla=_complex_in_xla,
    traits=Traits(pattern=Pattern.ELEMENTWISE, passes_on=True),
)


def _as_complex(x: Any) -> Any:
    return complex_p(x, zero_of(x))


complex_abs_p = general(
    "ComplexAbs",
    lambda x: abs(x),
    {"x": lambda g, x, out: div_no_nan_p(_as_complex(g), _as_complex(out)) * x},
    jvps={"x": lambda t, x, out: real_p(div_no_nan_p(conj_p(x), _as_complex(out)) * t)},
    batching="leading",
    dtypes=COMPLEX,
    same=slice(0, 1),
    xla=lambda x: jnp.abs(x),
    traits=Traits(pattern=Pattern.ELEMENTWISE),
)

# d(angle) = Im(dx / x): as a gradient, -g / (im + i re).
angle_p = general(
    "Angle",
    lambda x: np.angle(x),
    {"x": lambda g, x: -_as_complex(g) * reciprocal_p(complex_p(imag_p(x), real_p(x)))},
    jvps={"x": lambda t, x: imag_p(t / x)},
    batching="leading",
    dtypes=COMPLEX,
    same=slice(0, 1),
    xla=lambda x: jnp.angle(x),
    traits=Traits(pattern=Pattern.ELEMENTWISE),
)


@export("complex", "dtypes.complex", direct=True)
@raw_op("Complex", ignored=("Tout",))
def complex(real: Any, imag: Any, name: str | None = None) -> Tensor:
    """Makes complex numbers from real and imaginary parts.

    Args:
      real: A float32 or float64 tensor.
      imag: A tensor of the same dtype; shapes broadcast.
      name: Accepted for compatibility.

    Returns:
      A complex64 or complex128 tensor.

    Raises:
      TypeError: The parts are not both float32 or both float64.

    >>> tf.complex([1.0], [2.0]).numpy()
    array([1.+2.j], dtype=complex64)
    """
    real, imag = tensor(real), tensor(imag)
    kinds = dtype_of(real._value), dtype_of(imag._value)
    if kinds[0] is not kinds[1] or kinds[0].np_dtype.type not in _PARTS:
        raise TypeError(
            f"The `real` and `imag` components have incorrect types: {kinds[0].name} "
            f"{kinds[1].name}. They must be consistent, and one of [tf.float32, tf.float64]"
        )
    return complex_p(real, imag)


@export("math.real", direct=True)
@raw_op("Real", ignored=("Tout",))
def real(input: Any, name: str | None = None) -> Tensor:
    """Returns the real part, elementwise.

    Args:
      input: A numeric tensor; a real tensor is returned unchanged.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape, float32 for complex64 and float64 for complex128.

    Raises:
      TypeError: The input is not numeric.

    >>> tf.math.real([1 + 2j]).numpy()
    array([1.])
    """
    x = tensor(input)
    dtype = dtype_of(x._value)
    if dtype.is_complex:
        return real_p(x)
    if not dtype.is_numeric:
        raise TypeError(f"input must be a numeric tensor, but got tensor with dtype {dtype!r}")
    return x


@export("math.imag", direct=True)
@raw_op("Imag", ignored=("Tout",))
def imag(input: Any, name: str | None = None) -> Tensor:
    """Returns the imaginary part, elementwise; zeros for a real tensor.

    Args:
      input: A numeric tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape, float32 for complex64 and float64 for complex128.

    >>> tf.math.imag([1 + 2j]).numpy()
    array([2.])
    """
    x = tensor(input)
    dtype = dtype_of(x._value)
    if dtype.is_complex:
        return imag_p(x)
    zero = np.zeros(x._value.shape, "S0" if dtype is string else x._value.dtype)
    return Tensor(zero.astype(x._value.dtype)[()])


@export("math.conj", direct=True)
@raw_op("Conj", input="x")
def conj(x: Any, name: str | None = None) -> Tensor:
    """Returns the complex conjugate, elementwise.

    Args:
      x: A numeric tensor; a real tensor is returned unchanged.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      TypeError: `x` is not numeric.

    >>> tf.math.conj([1 + 2j]).numpy()
    array([1.-2.j])
    """
    z = tensor(x)
    dtype = dtype_of(z._value)
    if dtype.is_complex:
        return conj_p(z)
    if not dtype.is_numeric:
        raise TypeError(f"Expected numeric or variant tensor, got dtype {dtype!r}.")
    return z


@export("math.angle")
@raw_op("Angle", ignored=("Tout",))
def angle(input: Any, name: str | None = None) -> Tensor:
    """Returns the angle of a complex number in radians, elementwise; 0 or pi if the input is real.

    Args:
      input: A numeric tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape, float32 for complex64 and float64 for complex128.

    Raises:
      TypeError: The input is neither floating nor complex.

    >>> tf.math.angle([1j, -1 + 0j]).numpy().round(4)
    array([1.5708, 3.1416])
    """
    x = tensor(input)
    dtype = dtype_of(x._value)
    if dtype.is_complex:
        return angle_p(x)
    if not dtype.is_floating:
        raise TypeError(f"angle: input must be floating or complex, got {dtype!r} (tf.cast it)")
    return real_angle_p(x)


def _real_angle(x: Any) -> Any:
    return np.where(x < 0, np.array(np.pi, x.dtype), np.array(0, x.dtype))[()]


real_angle_p = general(
    "RealAngle",
    _real_angle,
    batching="leading",
    xla=lambda x: jnp.where(x < 0, x.dtype.type(np.pi), x.dtype.type(0)),
    traits=Traits(pattern=Pattern.ELEMENTWISE),
)
