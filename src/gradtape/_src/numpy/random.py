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
    """Sets the seed of all random numbers, as `tf.random.set_seed`."""
    distributions.set_seed(int(s))


@export("experimental.numpy.random.randn")
def randn(*args: int) -> Tensor:
    """Standard normal numbers, the lengths of the axes as arguments."""
    return standard_normal(args)


@export("experimental.numpy.random.standard_normal")
def standard_normal(size: Any = None) -> Tensor:
    """Standard normal numbers."""
    return distributions.normal(_shape(size), dtype=default(np.float64))


@export("experimental.numpy.random.uniform")
def uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Tensor:
    """Numbers between two bounds, the lower one included."""
    least, most = (cast(x, default(np.float64)) for x in promoted(low, high, floating=True))
    shape = (least + most)._value.shape if size is None else _shape(size)
    return distributions.uniform(shape, dtype=least.dtype) * (most - least) + least


@export("experimental.numpy.random.rand")
def rand(*size: int) -> Tensor:
    """Numbers from [0, 1), the lengths of the axes as arguments."""
    return uniform(size=size)


@export("experimental.numpy.random.random")
def random_(size: Any = None) -> Tensor:
    """Numbers from [0, 1)."""
    return uniform(size=_shape(size))


@export("experimental.numpy.random.poisson")
def poisson(lam: Any = 1.0, size: Any = None) -> Tensor:
    """Counts of events of which `lam` are expected."""
    rate = array(lam, default(np.float64))
    drawn = distributions.poisson(_shape(size), rate, dtype=rate.dtype)
    return cast(drawn, default(np.int64))


@export("experimental.numpy.random.randint")
def randint(low: int, high: int | None = None, size: Any = None, dtype: Any = np.int64) -> Tensor:
    """Integers from `low` up to but without `high`, or from 0 up to but without `low`.

    Raises:
      ValueError: There is no number between the bounds.
    """
    low, high = (0, low) if high is None else (low, high)
    if low >= high:
        raise ValueError(f"tf.experimental.numpy.random.randint: low {low} >= high {high}")
    drawn = distributions.uniform(_shape(size), low, high, dtype="int64")
    return cast(drawn, default(dtype) if dtype is int or dtype is np.int64 else dtype)
