"""Discrete cosine transforms of the types I to IV."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.export import export
from gradtape._src.compute.jax_modules import jnp
from gradtape._src.core.convert import tensor
from gradtape._src.core.primitive import Bound
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import FLOATING, general, shape_of
from gradtape._src.ops.signal.fft import fitted


def _weights(n: int, kind: int) -> Any:
    """Returns the weight of each element in the unnormalized transform, for its transpose."""
    w = np.ones(n)
    if kind == 1:
        w[1:-1] = 2
    elif kind == 3:
        w[1:] = 2
    else:
        w[:] = 2
    return w


def _dct(x: Any, *, kind: int) -> Any:
    from scipy import fft

    if not x.size:
        return x.copy()
    wide = x if x.dtype.itemsize > 2 else x.astype(np.float32)
    return fft.dct(wide, kind).astype(x.dtype, copy=False)


def _turn_xla(n: int, size: float, dtype: Any) -> Any:
    """Returns exp(-i pi k / size) for k below n."""
    kind = np.result_type(dtype, np.complex64)
    return np.exp(-1j * np.pi * np.arange(n) / size).astype(kind)


def _dct_xla(x: Any, *, kind: int) -> Any:
    """Computes Makhoul's "A fast cosine transform in one and two dimensions" (1980)."""
    n = x.shape[-1]
    if kind == 1:
        out = jnp.fft.rfft(jnp.concatenate([x, x[..., -2:0:-1]], -1)).real
    elif kind == 2:
        out = 2 * (jnp.fft.fft(x, 2 * n)[..., :n] * _turn_xla(n, 2 * n, x.dtype)).real
    elif kind == 3:
        turned = x * jnp.conj(_turn_xla(n, 2 * n, x.dtype))
        out = 2 * n * jnp.fft.irfft(turned, 2 * n)[..., :n]
    else:
        turned = jnp.fft.fft(x * _turn_xla(n, 2 * n, x.dtype), 2 * n)[..., :n]
        out = 2 * (turned * _turn_xla(2 * n, 4 * n, x.dtype)[1::2]).real
    return out.astype(x.dtype)


def _dct_vjp(g: Any, x_shape: Any, kind: int) -> Any:
    """Returns the vjp.

    Up to weights, the matrices of types I and IV are symmetric, and those of types II and III are
    transposes of each other.
    """
    other = {1: 1, 2: 3, 3: 2, 4: 4}[kind]
    n = x_shape[-1]
    dtype = (g._value if isinstance(g, Tensor) else g).dtype
    into = (1 / _weights(n, other)).astype(dtype)
    out = (_weights(n, kind)).astype(dtype)
    return dct_p(g * into, kind=other) * out


dct_p: Bound = general(
    "DCT",
    _dct,
    {"x": _dct_vjp},
    linear=["x"],
    batching="leading",
    dtypes=FLOATING,
    same=slice(0, 1),
    xla=_dct_xla,
)


def _checked(input: Any, type: Any, n: Any, axis: Any, norm: Any) -> Tensor:
    x = tensor(input)
    if axis != -1:
        raise NotImplementedError(f"axis must be -1. Got: {axis}")
    if n is not None and n < 1:
        raise ValueError("n should be a positive integer or None")
    if type not in (1, 2, 3, 4):
        raise ValueError("Types I, II, III and IV (I)DCT are supported.")
    if type == 1 and norm == "ortho":
        raise ValueError("Normalization is not supported for the Type-I DCT.")
    if norm not in (None, "ortho"):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")
    if not shape_of(x):
        raise ValueError("Shape () must have rank at least 1 (dct transforms the last axis)")
    if not x.dtype.is_floating:
        raise TypeError(f"dct: `input` must be floating, got {x.dtype.name} (tf.cast it)")
    length = shape_of(x)[-1] if n is None else n
    if type == 1 and length < 2:
        raise ValueError(f"Shape {shape_of(x)}: the DCT of type I needs at least two elements")
    out: Tensor = fitted(x, (length,))
    return out


@export("signal.dct")
def dct(
    input: Any,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns the discrete cosine transform over the last axis, as in `scipy.fft.dct`.

    Args:
      input: A floating-point tensor of shape (..., m).
      type: 1, 2, 3 or 4.
      n: The length to which the axis is first truncated or padded with zeros.
      axis: Must be -1.
      norm: None or "ortho", which makes the transform orthogonal.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (..., n).

    Raises:
      NotImplementedError: The axis is not -1, as in TensorFlow.
      ValueError: `type`, `n` or `norm` is not valid.
      TypeError: The dtype is not floating.
    """
    x = _checked(input, type, n, axis, norm)
    count = shape_of(x)[-1]
    if norm is None or not count:
        return dct_p(x, kind=type)
    scale = np.full(count, np.sqrt(0.5 / count))
    if type != 4:
        scale[0] = np.sqrt(1 / count) * (0.5 if type == 2 else 1)
    scale = scale.astype(x._value.dtype)
    return dct_p(x * scale, kind=3) if type == 3 else dct_p(x, kind=type) * scale


@export("signal.idct")
def idct(
    input: Any,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Computes the inverse of a discrete cosine transform.

    The inverse of type 2 is type 3, and vice versa. Unless `norm` is "ortho", TensorFlow's result
    is 2 n times the inverse transform.

    Args:
      input: A floating-point tensor of shape (..., m).
      type: 1, 2, 3 or 4.
      n: The length to which the axis is first truncated or padded with zeros.
      axis: Must be -1.
      norm: None or "ortho", which makes the transform orthogonal.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (..., n).

    Raises:
      NotImplementedError: The axis is not -1, as in TensorFlow.
      ValueError: `type`, `n` or `norm` is not valid.
      TypeError: The dtype is not floating.
    """
    return dct(input, {2: 3, 3: 2}.get(type, type), n, axis, norm)
