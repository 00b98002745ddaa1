"""The time of day as a tensor."""

from __future__ import annotations

import time

import numpy as np

from gradtape._src.base.export import export
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.eager_only import each_run, refuse_under_jit


@export("timestamp")
@each_run("Timestamp", specs=lambda name=None: (((), np.dtype(np.float64)),))
def timestamp(name: str | None = None) -> Tensor:
    """Reads the clock.

    Args:
      name: Accepted for compatibility.

    Returns:
      The seconds since the beginning of 1970, a float64 scalar.
    """
    refuse_under_jit("tf.timestamp")
    return Tensor(np.float64(time.time()))
