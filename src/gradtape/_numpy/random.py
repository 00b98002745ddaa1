"""`tf.experimental.numpy.random`."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._core.tensor import Tensor
from gradtape._numpy.arrays import array, default, promoted
from gradtape._ops import random
from gradtape._ops.arguments import sizes
from gradtape._ops.casting import cast


def _shape(size: Any) -> tuple[int, ...]:
    return () if size is None else sizes(size, "RandomUniform", "size")


def seed(s: int) -> None:
    """Sets the seed of all random numbers, as `tf.random.set_seed`."""
    random.set_seed(int(s))


def randn(*args: int) -> Tensor:
    """Standard normal numbers, the lengths of the axes as arguments."""
    return standard_normal(args)


def standard_normal(size: Any = None) -> Tensor:
    """Standard normal numbers."""
    return random.normal(_shape(size), dtype=default(np.float64))


def uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    """Numbers between two bounds, the lower one included."""
    low, high = (cast(x, default(np.float64)) for x in promoted(low, high, floating=True))
    shape = (low + high)._value.shape if size is None else _shape(size)
    return random.uniform(shape, dtype=low.dtype) * (high - low) + low


def rand(*size: int) -> Any:
    """Numbers from [0, 1), the lengths of the axes as arguments."""
    return uniform(size=size)


def random_(size: Any = None) -> Any:
    """Numbers from [0, 1)."""
    return uniform(size=_shape(size))


def poisson(lam: Any = 1.0, size: Any = None) -> Any:
    """Counts of events of which `lam` are expected."""
    rate = array(lam, default(np.float64))
    drawn = random.poisson(_shape(size), rate, dtype=rate.dtype)
    return cast(drawn, default(np.int64))


def randint(low: int, high: int | None = None, size: Any = None, dtype: Any = np.int64) -> Any:
    """Integers from `low` up to but without `high`, or from 0 up to but without `low`.

    Raises:
      ValueError: There is none between the bounds.
    """
    low, high = (0, low) if high is None else (low, high)
    if low >= high:
        raise ValueError(f"tf.experimental.numpy.random.randint: low {low} >= high {high}")
    drawn = random.uniform(_shape(size), low, high, dtype="int64")
    return cast(drawn, default(dtype) if dtype is int or dtype is np.int64 else dtype)
