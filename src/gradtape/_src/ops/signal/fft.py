"""Fourier transforms over the last axes; gradients in TensorFlow's convention."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from math import prod
from typing import Any

import numpy as np

from gradtape._src.base.export import export, raw_op
from gradtape._src.compute.jax_modules import jnp, lax
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.primitive import Bound
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.general import COMPLEX, WIDE, general, shape_of
from gradtape._src.declare.structural import pad_p, slice_p
from gradtape._src.ops.elementwise.complex_numbers import real_p

Lengths = tuple[int, ...]
_NAMES = {1: "", 2: "2D", 3: "3D"}


def _axes(n: int) -> tuple[int, ...]:
    return tuple(range(-n, 0))


def _transform(name: str, n: int, function: str, back: Any, *, scale: int) -> Bound:
    """A complex transform of n elements; its adjoint is the inverse times n ** scale."""
    axes = _axes(n)

    def kernel(x: Any) -> Any:
        if not x.size:
            return x.copy()
        return getattr(np.fft, function)(x, axes=axes).astype(x.dtype, copy=False)

    def vjp(g: Any, x_shape: Any) -> Any:
        return back()(g) * (float(prod(x_shape[-n:]) or 1) ** scale)

    return general(
        name,
        kernel,
        {"x": vjp},
        linear=["x"],
        batching="leading",
        dtypes=COMPLEX,
        same=slice(0, 1),
        xla=lambda x: getattr(jnp.fft, function)(x, axes=axes).astype(x.dtype),
    )


fft_p: Bound = _transform("FFT", 1, "fftn", lambda: ifft_p, scale=1)
ifft_p: Bound = _transform("IFFT", 1, "ifftn", lambda: fft_p, scale=-1)
fft2d_p: Bound = _transform("FFT2D", 2, "fftn", lambda: ifft2d_p, scale=1)
ifft2d_p: Bound = _transform("IFFT2D", 2, "ifftn", lambda: fft2d_p, scale=-1)
fft3d_p: Bound = _transform("FFT3D", 3, "fftn", lambda: ifft3d_p, scale=1)
ifft3d_p: Bound = _transform("IFFT3D", 3, "ifftn", lambda: fft3d_p, scale=-1)
_INVERSE = {1: ifft_p, 2: ifft2d_p, 3: ifft3d_p}

# Transforms of real input, which return half of the elements.


def fitted(x: Tensor, lengths: Lengths) -> Tensor:
    """Returns the input with its last axes truncated or padded with zeros to the given lengths."""
    shape = shape_of(x)
    lead = shape[: len(shape) - len(lengths)]
    own = shape[len(lead) :]
    none = (0,) * len(lead)
    if any(n > m for n, m in zip(own, lengths, strict=True)):
        ends = tuple(map(min, own, lengths))
        x = slice_p(x, begin=(0,) * len(shape), end=(*lead, *ends))
        own = ends
    if own != lengths:
        gaps = tuple(m - n for n, m in zip(own, lengths, strict=True))
        x = pad_p(x, before=(0,) * len(shape), after=(*none, *gaps))
    return x


def _half(n: int) -> int:
    """Returns how many elements of a transform of n real numbers are kept."""
    return n // 2 + 1 if n else 0


def _rfft(x: Any, *, lengths: Lengths) -> Any:
    kind = np.result_type(x.dtype, np.complex64)
    if 0 in lengths:
        return np.zeros((*x.shape[: -len(lengths)], *lengths[:-1], _half(lengths[-1])), kind)
    return np.fft.rfftn(x, lengths, _axes(len(lengths))).astype(kind, copy=False)


def _rfft_vjp(g: Any, x_shape: Any, lengths: Lengths) -> Any:
    """Returns the vjp: the cotangent, padded to the whole transform, and transformed back."""
    n = len(lengths)
    whole = fitted(g, lengths)
    out = real_p(_INVERSE[n](whole)) * float(prod(lengths))
    return fitted(out, tuple(x_shape[-n:]))


def _irfft(x: Any, *, lengths: Lengths) -> Any:
    kind = np.float64 if x.dtype == np.complex128 else np.float32
    if 0 in lengths:
        return np.zeros((*x.shape[: -len(lengths)], *lengths), kind)
    return np.fft.irfftn(x, lengths, _axes(len(lengths))).astype(kind, copy=False)


def _irfft_vjp(g: Any, x_shape: Any, lengths: Lengths) -> Any:
    """Returns the vjp; elements that represent two elements of the full transform count twice."""
    n = len(lengths)
    last = lengths[-1]
    weights = np.full(_half(last), 2.0)
    weights[:1] = 1
    if last % 2 == 0:
        weights[-1:] = 1
    out: Any = rfft_p(g, lengths=lengths)
    kind = (out._value if isinstance(out, Tensor) else out).dtype
    out = out * (weights / max(prod(lengths), 1)).astype(kind)
    return fitted(out, tuple(x_shape[-n:]))


def _irfft_xla(x: Any, *, lengths: Lengths) -> Any:
    processor = partial(_irfft_on_processors, lengths=lengths)
    return lax.platform_dependent(
        x, cpu=processor, default=partial(_irfft_on_gpus, lengths=lengths)
    )


def _irfft_on_processors(x: Any, lengths: Lengths) -> Any:
    return jnp.fft.irfftn(x, lengths, _axes(len(lengths)))


def _irfft_on_gpus(x: Any, lengths: Lengths) -> Any:
    """Returns NumPy's result: GPUs would use elements that no real signal's spectrum has."""
    *others, last = _axes(len(lengths))
    if 0 in lengths:
        return _irfft_on_processors(x, lengths)
    if others:
        x = jnp.fft.ifftn(x, lengths[:-1], others)
    real = np.zeros(x.shape[-1], bool)
    real[0] = True
    if lengths[-1] % 2 == 0:
        real[lengths[-1] // 2 :] = True
    return jnp.fft.irfft(jnp.where(real, x.real.astype(x.dtype), x), lengths[-1], last)


rfft_p: Bound = general(
    "RFFT",
    _rfft,
    {"x": _rfft_vjp},
    linear=["x"],
    batching="leading",
    dtypes=WIDE - COMPLEX,
    same=slice(0, 1),
    xla=lambda x, *, lengths: jnp.fft.rfftn(x, lengths, _axes(len(lengths))),
)
irfft_p: Bound = general(
    "IRFFT",
    _irfft,
    {"x": _irfft_vjp},
    linear=["x"],
    batching="leading",
    dtypes=COMPLEX,
    same=slice(0, 1),
    xla=_irfft_xla,
)


def _complex(run: Bound, n: int, input: Any) -> Tensor:
    x = input if type(input) is Tensor else convert_to_tensor(input)
    if not x.dtype.is_complex and not isinstance(input, TensorLike):
        x = convert_to_tensor(input, dtype_hint=np.complex64)
    if x._value.ndim < n:
        raise invalid(
            f"Input must have rank of at least {n} but got: {x.shape} [Op:{run.primitive.name}]",
        )
    return run(x)


def _need(x: Tensor, n: int, op: str, kinds: Collection[type]) -> None:
    if x._value.dtype.type not in kinds:
        names = ", ".join(sorted(np.dtype(kind).name for kind in kinds))
        raise ValueError(f"{op}: the input must be of one of the dtypes {names}, got {x.dtype!r}")
    if x._value.ndim < n:
        raise ValueError(f"Shape {x.shape} must have rank at least {n} [Op:{op}]")


@export("signal.fft")
@raw_op("FFT")
def fft(input: Any, name: str | None = None) -> Tensor:
    """Returns the discrete Fourier transform over the last axis.

    Args:
      input: A complex tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: The dtype is not complex, or the rank too low.

    >>> tf.signal.fft([1.0 + 0j, 0, 0, 0]).numpy()
    array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j])
    """
    return _complex(fft_p, 1, input)


@export("signal.ifft")
@raw_op("IFFT")
def ifft(input: Any, name: str | None = None) -> Tensor:
    """Computes the inverse Fourier transform along the last axis.

    Args:
      input: A complex tensor of sufficient rank.
      name: Accepted for compatibility.

    Returns:
      A tensor of the shape and dtype of `input`.

    >>> tf.signal.ifft([4.0 + 0j, 0, 0, 0]).numpy()
    array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j])
    """
    return _complex(ifft_p, 1, input)


@export("signal.fft2d")
@raw_op("FFT2D")
def fft2d(input: Any, name: str | None = None) -> Tensor:
    """Computes the Fourier transform along the last two axes.

    Args:
      input: A complex tensor of sufficient rank.
      name: Accepted for compatibility.

    Returns:
      A tensor of the shape and dtype of `input`.

    >>> tf.signal.fft2d(tf.ones((2, 2), tf.complex64)).numpy()
    array([[4.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]], dtype=complex64)
    """
    return _complex(fft2d_p, 2, input)


@export("signal.ifft2d")
@raw_op("IFFT2D")
def ifft2d(input: Any, name: str | None = None) -> Tensor:
    """Computes the inverse Fourier transform along the last two axes.

    Args:
      input: A complex tensor of sufficient rank.
      name: Accepted for compatibility.

    Returns:
      A tensor of the shape and dtype of `input`.
    """
    return _complex(ifft2d_p, 2, input)


@export("signal.fft3d")
@raw_op("FFT3D")
def fft3d(input: Any, name: str | None = None) -> Tensor:
    """Computes the Fourier transform along the last three axes.

    Args:
      input: A complex tensor of sufficient rank.
      name: Accepted for compatibility.

    Returns:
      A tensor of the shape and dtype of `input`.
    """
    return _complex(fft3d_p, 3, input)


@export("signal.ifft3d")
@raw_op("IFFT3D")
def ifft3d(input: Any, name: str | None = None) -> Tensor:
    """Computes the inverse Fourier transform along the last three axes.

    Args:
      input: A complex tensor of sufficient rank.
      name: Accepted for compatibility.

    Returns:
      A tensor of the shape and dtype of `input`.
    """
    return _complex(ifft3d_p, 3, input)


def _lengths(x: Tensor, fft_length: Any, n: int, op: str, *, inverse: bool) -> Lengths:
    """Returns the lengths of the axes of a transform's real input or output."""
    _need(x, n, op, COMPLEX if inverse else WIDE - COMPLEX)
    if fft_length is not None:
        value = fft_length.numpy() if isinstance(fft_length, Tensor) else fft_length
        lengths = tuple(int(m) for m in np.ravel(value))
        if len(lengths) != n:
            raise invalid(f"fft_length must have shape [{n}], got {list(lengths)} [Op:{op}]")
        if min(lengths) < 0:
            raise invalid(f"fft_length must not be negative, got {list(lengths)} [Op:{op}]")
        return lengths
    shape = tuple(x._value.shape[-n:])
    return (*shape[:-1], max(0, 2 * (shape[-1] - 1))) if inverse else shape


def _real(input: Any, fft_length: Any, n: int) -> Tensor:
    x = convert_to_tensor(input, dtype_hint=np.float32)
    lengths = _lengths(x, fft_length, n, f"RFFT{_NAMES[n]}", inverse=False)
    return rfft_p(fitted(x, lengths), lengths=lengths)


def _to_real(input: Any, fft_length: Any, n: int) -> Tensor:
    x = convert_to_tensor(input, dtype_hint=np.complex64)
    lengths = _lengths(x, fft_length, n, f"IRFFT{_NAMES[n]}", inverse=True)
    half = (*lengths[:-1], _half(lengths[-1]))
    return irfft_p(fitted(x, half), lengths=lengths)


@export("signal.rfft")
@raw_op("RFFT", ignored=("Tcomplex",), input="input_tensor")
def rfft(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """Returns the first half of the discrete Fourier transform of real numbers over the last axis.

    Args:
      input_tensor: A real tensor of shape (..., n).
      fft_length: `[n]`, the length to which the axis is first truncated or padded with zeros.
      name: Accepted for compatibility.

    Returns:
      A complex tensor of shape (..., n // 2 + 1).

    Raises:
      ValueError: The dtype is not floating, or the rank too low.
      InvalidArgumentError: `fft_length` is not a vector of one length.

    >>> tf.signal.rfft([1.0, 0.0, 0.0, 0.0]).numpy()
    array([1.+0.j, 1.+0.j, 1.+0.j], dtype=complex64)
    """
    return _real(input_tensor, fft_length, 1)


@export("signal.irfft")
@raw_op("IRFFT", ignored=("Treal",), input="input_tensor")
def irfft(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """Returns the inverse of `rfft`.

    Args:
      input_tensor: A complex tensor of shape (..., n // 2 + 1).
      fft_length: `[n]`, which must be given if n is odd.
      name: Accepted for compatibility.

    Returns:
      A real tensor of shape (..., n).

    Raises:
      ValueError: The dtype is not complex, or the rank too low.
      InvalidArgumentError: `fft_length` is not a vector of one length.

    >>> tf.signal.irfft([4.0 + 0j, 0, 0]).numpy()
    array([1., 1., 1., 1.], dtype=float32)
    """
    return _to_real(input_tensor, fft_length, 1)


@export("signal.rfft2d")
@raw_op("RFFT2D", ignored=("Tcomplex",), input="input_tensor")
def rfft2d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """Computes the Fourier transform of real values along the last two axes.

    Args:
      input_tensor: A real floating-point tensor.
      fft_length: The lengths to which the transformed axes are truncated or padded with zeros.
        Defaults to the lengths of the axes.
      name: Accepted for compatibility.

    Returns:
      A complex tensor, whose last axis has `fft_length[-1] // 2 + 1` elements.
    """
    return _real(input_tensor, fft_length, 2)


@export("signal.irfft2d")
@raw_op("IRFFT2D", ignored=("Treal",), input="input_tensor")
def irfft2d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """Computes the inverse of `rfft2d`.

    Args:
      input_tensor: A complex tensor.
      fft_length: The lengths of the transformed axes in the result. The last defaults to an even
        one.
      name: Accepted for compatibility.

    Returns:
      A real floating-point tensor.
    """
    return _to_real(input_tensor, fft_length, 2)


@export("signal.rfft3d")
def rfft3d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """Computes the Fourier transform of real values along the last three axes.

    Args:
      input_tensor: A real floating-point tensor.
      fft_length: The lengths to which the transformed axes are truncated or padded with zeros.
        Defaults to the lengths of the axes.
      name: Accepted for compatibility.

    Returns:
      A complex tensor, whose last axis has `fft_length[-1] // 2 + 1` elements.
    """
    return _real(input_tensor, fft_length, 3)


@export("signal.irfft3d")
def irfft3d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """Computes the inverse of `rfft3d`.

    Args:
      input_tensor: A complex tensor.
      fft_length: The lengths of the transformed axes in the result. The last defaults to an even
        one.
      name: Accepted for compatibility.

    Returns:
      A real floating-point tensor.
    """
    return _to_real(input_tensor, fft_length, 3)
