"""Truncated normal distributions with bounds of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.structural import broadcast_to_p
from gradtape._src.ops.elementwise.casting import cast_p
from gradtape._src.ops.elementwise.identities import stop_gradient_p
from gradtape._src.ops.elementwise.selection import maximum_p, minimum_p, select_p
from gradtape._src.ops.elementwise.special import erfc_p, ndtri_p
from gradtape._src.ops.random import sampling
from gradtape._src.ops.random.stateless import stateless_uniform

FAR = 37.0
"""The standard deviations beyond which the normal distribution's mass vanishes in float64."""
WIDE = np.dtype(np.float64)


@export("random.stateless_parameterized_truncated_normal")
def stateless_parameterized_truncated_normal(
    shape: Any,
    seed: Any,
    means: Any = 0.0,
    stddevs: Any = 1.0,
    minvals: Any = -2.0,
    maxvals: Any = 2.0,
    name: str | None = None,
) -> Tensor:
    """Draws from normal distributions that are truncated to intervals, by seed.

    The parameters broadcast to `shape`, and the draws are differentiable with respect to them: a
    draw is the quantile of a uniform number.

    Args:
      shape: The shape of the result.
      seed: Two integers.
      means: The means of the distributions before truncation; their dtype is the result's.
      stddevs: The standard deviations before truncation.
      minvals: The lower bounds, in the result's units; may be infinite.
      maxvals: The upper bounds.
      name: Accepted for compatibility.

    Returns:
      A tensor.

    Raises:
      InvalidArgumentError: `seed` is malformed, the parameters do not broadcast to `shape`, or a
        lower bound is not below its upper bound.

    >>> x = tf.random.stateless_parameterized_truncated_normal([1000], [1, 2], 0.0, 5.0, 1.0, 2.0)
    >>> bool(tf.reduce_all((x >= 1.0) & (x <= 2.0)))
    True
    """
    given = tensor(means)
    sizes = sampling.open_shape_argument(shape, "StatelessParameterizedTruncatedNormal")
    parameters = [given, *(convert_to_tensor(x, given.dtype) for x in (stddevs, minvals, maxvals))]
    mean, stddev, low, high = (
        broadcast_to_p(cast_p(x, dtype=WIDE), shape=sizes) for x in parameters
    )
    _check_bounds(low, high)
    low = (maximum_p(low, mean - stddev * FAR) - mean) / stddev
    high = (minimum_p(high, mean + stddev * FAR) - mean) / stddev
    # The lower tail of the distribution function is accurate, so an upper interval is mirrored.
    mirrored = low + high > 0
    low, high = select_p(mirrored, -high, low), select_p(mirrored, -low, high)
    below, above = (erfc_p(x * -(0.5**0.5)) * 0.5 for x in (low, high))
    uniform = stateless_uniform(sizes, seed, dtype=WIDE)
    drawn = ndtri_p(below + uniform * (above - below))
    inside = minimum_p(maximum_p(drawn, low), high)
    drawn = drawn + stop_gradient_p(inside - drawn)
    result = mean + stddev * select_p(mirrored, -drawn, drawn)
    return cast_p(result, dtype=given.dtype.np_dtype)


def _check_bounds(low: Tensor, high: Tensor) -> None:
    values = low._value, high._value
    if (
        all(isinstance(x, (np.ndarray, np.generic)) for x in values)
        and (values[0] >= values[1]).any()
    ):
        raise InvalidArgumentError(
            None,
            None,
            "Invalid parameters: a lower bound is not below its upper bound "
            "[Op:StatelessParameterizedTruncatedNormal]",
        )
