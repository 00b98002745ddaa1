"""Fourier transforms over given axes."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from gradtape._src.base.export import export, raw_op
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import axis_index, invalid, sizes
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.structural import transpose_p
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.signal.fft import fft_p, fitted, ifft_p, irfft_p, rfft_p

_NORMS = ("backward", "ortho", "forward")


def _plan(x: Tensor, fft_length: Any, axes: Any, op: str) -> tuple[list[int], list[int]]:
    """Returns the axes, counted from the front, and a length for each."""
    rank = len(shape_of(x))
    if axes is None:
        count = rank if fft_length is None else len(sizes(fft_length, op, "fft_length"))
        along = list(range(rank - count, rank))
    else:
        message = "axis {axis} is out of range for rank {rank}"
        along = [axis_index(a, rank, op, message) for a in sizes(axes, op, "axes")]
    if not along or len(set(along)) != len(along):
        raise invalid(f"axes must be valid and must not repeat, got {axes} [Op:{op}]")
    if fft_length is None:
        return along, [shape_of(x)[a] for a in along]
    lengths = list(sizes(fft_length, op, "fft_length"))
    if len(lengths) != len(along):
        raise invalid(f"fft_length {lengths} needs one number for each of axes {along} [Op:{op}]")
    return along, lengths


def _along(run: Any, x: Any, axis: int, length: int, **params: Any) -> Any:
    """Applies a transform of the last axis to another axis."""
    rank = len(shape_of(x))
    swap = list(range(rank))
    swap[axis], swap[-1] = swap[-1], swap[axis]
    x = transpose_p(x, perm=tuple(swap))
    return transpose_p(run(fitted(x, (length,)), **params), perm=tuple(swap))


def _along_each(run: Any, x: Any, axes: list[int], lengths: list[int]) -> Any:
    """Returns the transform applied to each of several axes."""
    for a, n in zip(axes, lengths, strict=True):
        x = _along(run, x, a, n)
    return x


def _scaled(out: Any, lengths: list[int], norm: str | None, *, inverse: bool) -> Any:
    if norm not in (None, *_NORMS):
        raise ValueError(f'Invalid normalization mode: {norm!r} (one of "backward", "ortho", ...)')
    power = {"ortho": -0.5, "forward": -1.0}.get(norm or "", 0.0)
    if not power:
        return out
    return out * float(prod(lengths)) ** (-power if inverse else power)


@export("signal.fftnd")
def fftnd(
    input_tensor: Any,
    fft_length: Any = None,
    axes: Any = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns the discrete Fourier transform over several axes.

    In TensorFlow, it works only under XLA.

    Args:
      input_tensor: A complex tensor.
      fft_length: The lengths to which the axes are truncated or padded with zeros.
      axes: The axes. Defaults to as many of the last axes as there are lengths, or to all axes.
      norm: "backward", "ortho" or "forward", as in NumPy.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same dtype.

    Raises:
      InvalidArgumentError: The axes or lengths are not valid, or the dtype is not complex.
      ValueError: `norm` is not valid.
    """
    x = tensor(input_tensor)
    along, lengths = _plan(x, fft_length, axes, "FFTND")
    out = _along_each(fft_p, x, along, lengths)
    result: Tensor = _scaled(out, lengths, norm, inverse=False)
    return result


@export("signal.ifftnd")
def ifftnd(
    input_tensor: Any,
    fft_length: Any = None,
    axes: Any = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Computes the inverse Fourier transform along some axes.

    Args:
      input_tensor: A complex tensor.
      fft_length: The lengths to which the axes are truncated or padded with zeros.
      axes: The axes. Defaults to as many of the last axes as there are lengths, or to all axes.
      norm: "backward", "ortho" or "forward", as in NumPy.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same dtype.

    Raises:
      InvalidArgumentError: The axes or lengths are not valid, or the dtype is not complex.
      ValueError: `norm` is not valid.
    """
    x = tensor(input_tensor)
    along, lengths = _plan(x, fft_length, axes, "IFFTND")
    out = _along_each(ifft_p, x, along, lengths)
    result: Tensor = _scaled(out, lengths, norm, inverse=True)
    return result


@export("signal.rfftnd")
def rfftnd(
    input_tensor: Any,
    fft_length: Any = None,
    axes: Any = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Computes the Fourier transform of real values along some axes.

    Only the first half of the last transformed axis is returned.

    Args:
      input_tensor: A real floating-point tensor.
      fft_length: The lengths to which the axes are truncated or padded with zeros.
      axes: The axes. Defaults to as many of the last axes as there are lengths, or to all axes.
      norm: "backward", "ortho" or "forward", as in NumPy.
      name: Accepted for compatibility.

    Returns:
      A complex tensor, whose last transformed axis has n // 2 + 1 elements.

    Raises:
      InvalidArgumentError: The axes or lengths are not valid, or the dtype is not complex.
      ValueError: `norm` is not valid.
    """
    x = convert_to_tensor(input_tensor, dtype_hint=np.float32)
    along, lengths = _plan(x, fft_length, axes, "RFFTND")
    out = _along(rfft_p, x, along[-1], lengths[-1], lengths=(lengths[-1],))
    out = _along_each(fft_p, out, along[:-1], lengths[:-1])
    result: Tensor = _scaled(out, lengths, norm, inverse=False)
    return result


@export("signal.irfftnd")
def irfftnd(
    input_tensor: Any,
    fft_length: Any = None,
    axes: Any = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Computes the inverse of `rfftnd`.

    An odd length of the last axis must be given.

    Args:
      input_tensor: A complex tensor.
      fft_length: The lengths to which the axes are truncated or padded with zeros.
      axes: The axes. Defaults to as many of the last axes as there are lengths, or to all axes.
      norm: "backward", "ortho" or "forward", as in NumPy.
      name: Accepted for compatibility.

    Returns:
      A real floating-point tensor.

    Raises:
      InvalidArgumentError: The axes or lengths are not valid, or the dtype is not complex.
      ValueError: `norm` is not valid.
    """
    x = tensor(input_tensor)
    along, lengths = _plan(x, fft_length, axes, "IRFFTND")
    if fft_length is None:
        lengths[-1] = max(0, 2 * (lengths[-1] - 1))
    out = _along_each(ifft_p, x, along[:-1], lengths[:-1])
    last = lengths[-1]
    out = _along(irfft_p, out, along[-1], last // 2 + 1, lengths=(last,))
    result: Tensor = _scaled(out, lengths, norm, inverse=True)
    return result


@export("fftnd")
@raw_op("FFTND")
def fftnd_of_lengths(
    input: Any,
    fft_length: Any,
    axes: Any,
    name: str | None = None,
) -> Tensor:
    """Returns the discrete Fourier transform over the given axes.

    Args:
      input: A complex tensor.
      fft_length: The lengths to which the axes are truncated or padded with zeros.
      axes: The axes.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same dtype.

    Raises:
      InvalidArgumentError: The axes or lengths are not valid, or the dtype is not complex.
    """
    return fftnd(input, fft_length, axes)


@export("ifftnd")
@raw_op("IFFTND")
def ifftnd_of_lengths(
    input: Any,
    fft_length: Any,
    axes: Any,
    name: str | None = None,
) -> Tensor:
    """Returns the inverse of `fftnd`.

    Args:
      input: A complex tensor.
      fft_length: The lengths to which the axes are truncated or padded with zeros.
      axes: The axes.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same dtype.

    Raises:
      InvalidArgumentError: The axes or lengths are not valid, or the dtype is not complex.
    """
    return ifftnd(input, fft_length, axes)


@export("rfftnd")
@raw_op("RFFTND")
def rfftnd_of_lengths(
    input: Any,
    fft_length: Any,
    axes: Any,
    Tcomplex: Any = np.complex64,
    name: str | None = None,
) -> Tensor:
    """Returns the Fourier transform of real values over the given axes.

    Args:
      input: A real floating-point tensor.
      fft_length: The lengths to which the axes are truncated or padded with zeros.
      axes: The axes.
      Tcomplex: The dtype of the result.
      name: Accepted for compatibility.

    Returns:
      A tensor of dtype `Tcomplex`, whose last transformed axis has n // 2 + 1 elements.

    Raises:
      InvalidArgumentError: The axes or lengths are not valid, or the dtype is not real.
    """
    out: Tensor = cast(rfftnd(input, fft_length, axes), Tcomplex)
    return out


@export("irfftnd")
@raw_op("IRFFTND")
def irfftnd_of_lengths(
    input: Any,
    fft_length: Any,
    axes: Any,
    Treal: Any = np.float32,
    name: str | None = None,
) -> Tensor:
    """Returns the inverse of `rfftnd`.

    Args:
      input: A complex tensor.
      fft_length: The lengths to which the axes are truncated or padded with zeros.
      axes: The axes.
      Treal: The dtype of the result.
      name: Accepted for compatibility.

    Returns:
      A tensor of dtype `Treal`.

    Raises:
      InvalidArgumentError: The axes or lengths are not valid, or the dtype is not complex.
    """
    out: Tensor = cast(irfftnd(input, fft_length, axes), Treal)
    return out
