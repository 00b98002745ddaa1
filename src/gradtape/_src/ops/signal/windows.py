"""Windows for frames of a signal, without gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import DType, as_dtype, float32
from gradtape._src.base.error_messages import allocated
from gradtape._src.base.export import export
from gradtape._src.core.convert import tensor
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.declare.arguments import integer
from gradtape._src.declare.graph_operations import deferrable

Numbers = np.ndarray[Any, Any]


def floating(dtype: Any, found: str = "Found") -> DType:
    """Returns the dtype, which must be floating.

    Raises:
      ValueError: The dtype is not a floating-point dtype.
    """
    kind = as_dtype(dtype)
    if not kind.is_floating:
        raise ValueError(f"dtype must be a floating point type. {found}: {kind!r}")
    return kind


def whole(value: Any, what: str) -> int:
    """Returns a length, given as an integer or a scalar tensor.

    Raises:
      ValueError: `value` is neither an integer nor a scalar tensor.
    """
    value = tensor(value)._numpy() if isinstance(value, TensorLike) else value
    if np.ndim(value):
        raise ValueError(f"Shape {np.shape(value)} must have rank 0 (`{what}` is one number)")
    if isinstance(value, float) or np.asarray(value).dtype.kind not in "iu":
        raise ValueError(f"{what} must be an integer. Got {value!r}")
    return integer(value, what, what)


def _window(length: Any, dtype: Any, run: Callable[[int], Numbers]) -> Tensor:
    kind = floating(dtype)
    n = whole(length, "window_length")
    if n == 1:
        return Tensor(np.ones(1, kind.np_dtype))
    return Tensor(allocated("Range", (n,), run, n).astype(kind.np_dtype))


def _raised_cosine(n: int, periodic: bool, a: float) -> Numbers:
    period = n if periodic and n % 2 == 0 else n - 1
    return a - (1 - a) * np.cos(2 * np.pi * np.arange(n) / period)


@export("signal.hann_window")
@deferrable
def hann_window(
    window_length: Any, periodic: Any = True, dtype: Any = float32, name: str | None = None
) -> Tensor:
    """Returns a Hann window.

    Args:
      window_length: The length of the window.
      periodic: Whether a window of even length is periodic, as for frames of a signal; otherwise it
        is symmetric.
      dtype: The floating-point dtype of the numbers.
      name: Accepted for compatibility.

    Returns:
      A vector.

    Raises:
      ValueError: The dtype is not floating, or the length is not an integer.

    >>> tf.signal.hann_window(4).numpy().round(2)
    array([0. , 0.5, 1. , 0.5], dtype=float32)
    """
    return _window(window_length, dtype, lambda n: _raised_cosine(n, bool(periodic), 0.5))


@export("signal.hamming_window")
@deferrable
def hamming_window(
    window_length: Any, periodic: Any = True, dtype: Any = float32, name: str | None = None
) -> Tensor:
    """Makes a Hamming window.

    Args:
      window_length: The length of the window.
      periodic: Whether a window of even length is periodic, as for frames of a signal; otherwise it
        is symmetric.
      dtype: The floating-point dtype of the numbers.
      name: Accepted for compatibility.

    Returns:
      A vector.

    Raises:
      ValueError: The dtype is not floating, or the length is not an integer.

    >>> tf.signal.hamming_window(4).numpy().round(2)
    array([0.08, 0.54, 1.  , 0.54], dtype=float32)
    """
    return _window(window_length, dtype, lambda n: _raised_cosine(n, bool(periodic), 0.54))


def _kaiser(n: int, beta: float) -> Numbers:
    """Returns a Kaiser window.

    Kaiser, "Nonrecursive digital filter design using the I0-sinh window function" (1974).
    """
    return np.kaiser(n, beta)


def _number(value: Any) -> float:
    return float(tensor(value)._numpy())


@export("signal.kaiser_window")
@deferrable
def kaiser_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = float32, name: str | None = None
) -> Tensor:
    """Returns a Kaiser window.

    Args:
      window_length: The length of the window.
      beta: The shape parameter of the window.
      dtype: The floating-point dtype of the numbers.
      name: Accepted for compatibility.

    Returns:
      A vector.

    Raises:
      ValueError: The dtype is not floating, or the length is not an integer.

    >>> tf.signal.kaiser_window(3).numpy().round(3)
    array([0., 1., 0.], dtype=float32)
    """
    return _window(window_length, dtype, lambda n: _kaiser(n, _number(beta)))


@export("signal.kaiser_bessel_derived_window")
@deferrable
def kaiser_bessel_derived_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = float32, name: str | None = None
) -> Tensor:
    """Makes the window derived from a Kaiser window, for `mdct`.

    Its first half is the square root of the cumulative sum of the Kaiser window, divided by its
    total.

    Args:
      window_length: The length of the window.
      beta: The shape parameter of the window.
      dtype: The floating-point dtype of the numbers.
      name: Accepted for compatibility.

    Returns:
      A vector.

    Raises:
      ValueError: The dtype is not floating, or the length is not an integer.
    """

    def run(n: int) -> Numbers:
        sums = np.cumsum(_kaiser(n // 2 + 1, _number(beta)))
        half = np.sqrt(sums[:-1] / sums[-1])
        return np.concatenate([half, half[::-1]])

    kind = floating(dtype)
    n = whole(window_length, "window_length")
    return Tensor(allocated("Range", (n,), run, n).astype(kind.np_dtype))


@export("signal.vorbis_window")
@deferrable
def vorbis_window(window_length: Any, dtype: Any = float32, name: str | None = None) -> Tensor:
    """Makes the window of the Vorbis codec, for `mdct`.

    Args:
      window_length: The length of the window.
      dtype: The floating-point dtype of the numbers.
      name: Accepted for compatibility.

    Returns:
      A vector.

    Raises:
      ValueError: The dtype is not floating, or the length is not an integer.
    """
    kind = floating(dtype)
    n = whole(window_length, "window_length")
    places = allocated("Range", (n,), np.arange, n)
    inner = np.sin(np.pi * (places + 0.5) / n)
    return Tensor(np.sin(np.pi / 2 * inner**2).astype(kind.np_dtype))
