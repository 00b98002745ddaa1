"""Random numbers with NumPy's interface: `tf.experimental.numpy.random`."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.export import export
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import sizes
from gradtape._src.numpy.arrays import array, default, promoted
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.random import distributions


def _shape(size: Any) -> tuple[int, ...]:
    return () if size is None else sizes(size, "RandomUniform", "size")


@export("experimental.numpy.random.seed")
def seed(s: int) -> None:
    """Sets the seed of all random numbers, as `tf.random.set_seed` does.

    Args:
      s: The seed, an integer.
    """
    distributions.set_seed(int(s))


@export("experimental.numpy.random.randn")
def randn(*args: int) -> Tensor:
    """Draws from the standard normal distribution.

    Args:
      *args: The lengths of the axes.

    Returns:
      A floating-point tensor.
    """
    return standard_normal(args)


@export("experimental.numpy.random.standard_normal")
def standard_normal(size: Any = None) -> Tensor:
    """Draws from the standard normal distribution.

    Args:
      size: The shape. Defaults to the shape of a scalar.

    Returns:
      A floating-point tensor.
    """
    return distributions.normal(_shape(size), dtype=default(np.float64))


@export("experimental.numpy.random.uniform")
def uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Tensor:
    """Draws numbers from [low, high).

    Args:
      low: The lower bound.
      high: The upper bound.
      size: The shape. Defaults to the shape of the bounds.

    Returns:
      A floating-point tensor.
    """
    least, most = (cast(x, default(np.float64)) for x in promoted(low, high, floating=True))
    shape = (least + most)._value.shape if size is None else _shape(size)
    return distributions.uniform(shape, dtype=least.dtype) * (most - least) + least


@export("experimental.numpy.random.rand")
def rand(*size: int) -> Tensor:
    """Draws numbers from [0, 1).

    Args:
      *size: The lengths of the axes.

    Returns:
      A floating-point tensor.
    """
    return uniform(size=size)


@export("experimental.numpy.random.random")
def random_(size: Any = None) -> Tensor:
    """Draws numbers from [0, 1).

    Args:
      size: The shape. Defaults to the shape of a scalar.

    Returns:
      A floating-point tensor.
    """
    return uniform(size=_shape(size))


@export("experimental.numpy.random.poisson")
def poisson(lam: Any = 1.0, size: Any = None) -> Tensor:
    """Draws from Poisson distributions.

    Args:
      lam: The expected count.
      size: The shape. Defaults to the shape of `lam`.

    Returns:
      A tensor.
    """
    rate = array(lam, default(np.float64))
    drawn = distributions.poisson(_shape(size), rate, dtype=rate.dtype)
    return cast(drawn, default(np.int64))


@export("experimental.numpy.random.randint")
def randint(low: int, high: int | None = None, size: Any = None, dtype: Any = np.int64) -> Tensor:
    """Draws integers from [low, high), or from [0, low) if `high` is not given.

    Args:
      low: The lower bound.
      high: The upper bound, which is never drawn.
      size: The shape. Defaults to the shape of a scalar.
      dtype: The dtype of the result.

    Returns:
      A tensor of dtype `dtype`.

    Raises:
      ValueError: There is no number between the bounds.
    """
    low = int(low)
    low, high = (0, low) if high is None else (low, high)
    if low >= high:
        raise ValueError(f"tf.experimental.numpy.random.randint: low {low} >= high {high}")
    drawn = distributions.uniform(_shape(size), low, high, dtype="int64")
    return cast(drawn, default(dtype) if dtype is int or dtype is np.int64 else dtype)
