"""Pooling over regions of random size."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gradtape._src.base.export import export
from gradtape._src.core.convert import tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.attributes import takes
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.named_results import named
from gradtape._src.ops.array.gather import gather_p
from gradtape._src.ops.random.distributions import own_seed
from gradtape._src.ops.reduce.extremes import reduce_max_p
from gradtape._src.ops.reduce.reductions import reduce_mean_p

if TYPE_CHECKING:
    from gradtape._src.declare.named_results import FractionalPool

# Graham, "Fractional max-pooling", arXiv:1412.6071.


def _bounds(n: int, ratio: Any, pseudo: bool, engine: np.random.Generator) -> Any:
    """Returns the boundaries of the regions of an axis of length n."""
    out = int(n / ratio)
    if pseudo:
        alpha = n / out
        # Multiples of alpha from a random start in the first cell, rounded down.
        places = np.floor(alpha * np.arange(1, out) + engine.uniform(0, 1)).astype(np.int64)
        places = np.clip(places, np.arange(1, out), n - np.arange(out - 1, 0, -1))
        return np.concatenate([[0], places, [n]], dtype=np.int64)
    lengths = np.full(out, n // out, np.int64)
    lengths[: n % out] += 1
    return np.concatenate([[0], np.cumsum(engine.permutation(lengths))], dtype=np.int64)


def _regions(bounds: Any, overlapping: bool) -> tuple[Any, Any]:
    """Returns the indices of each region, padded to one length, and a mask of the valid ones."""
    ends = bounds[1:] + 1 if overlapping else bounds[1:]
    ends = np.minimum(ends, bounds[-1])
    width = int((ends - bounds[:-1]).max())
    places = bounds[:-1, None] + np.arange(width)
    counted = places < ends[:, None]
    return np.minimum(places, ends[:, None] - 1), counted


def _fractional(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool,
    overlapping: bool,
    seed: int,
    op: str,
    pool: Callable[[Any, Any, Any], Any],
) -> FractionalPool:
    x = tensor(value)
    given = [np.float32(r) for r in np.ravel(pooling_ratio)]
    ratios = {1: given * 2, 2: given, 4: given[1:3]}.get(len(given))
    if ratios is None:
        raise ValueError(f"`pooling_ratio` takes 1, 2 or 4 numbers. Received: {pooling_ratio}")
    if min(given) < 1:
        raise ValueError(
            f"`pooling_ratio` should be >= 1.0. Received: pooling_ratio={pooling_ratio}"
        )
    if len(given) == 4 and (given[0] != 1 or given[3] != 1):
        raise ValueError(
            "`pooling_ratio` should have first and last elements with value 1.0. Received: "
            f"pooling_ratio={pooling_ratio}"
        )
    if len(shape_of(x)) != 4:
        raise invalid(f"tensor_in must be 4-dimensional [Op:{op}] (it has shape {x.shape})")
    engine = np.random.default_rng(own_seed(seed or None))
    _, height, width, _ = shape_of(x)
    if height < ratios[0] or width < ratios[1]:
        raise invalid(
            f"fractional pooling: an image of {height} rows and {width} columns is too small for "
            f"`pooling_ratio` {given} [Op:{op}]"
        )
    rows = _bounds(height, ratios[0], pseudo_random, engine)
    columns = _bounds(width, ratios[1], pseudo_random, engine)
    out = pool(x, _regions(rows, overlapping), _regions(columns, overlapping))
    pooled: FractionalPool = named(op, (out, Tensor(rows), Tensor(columns)))
    return pooled


def _windows(x: Any, rows: Any, columns: Any) -> Any:
    """Returns the regions' elements, of shape (batch, rows, height, columns, width, channels)."""
    x = gather_p(x, Tensor(rows), axis=1, batch_dims=0)
    return gather_p(x, Tensor(columns), axis=3, batch_dims=0)


def _greatest(x: Any, rows: Any, columns: Any) -> Any:
    return reduce_max_p(_windows(x, rows[0], columns[0]), axis=(-4, -2), keepdims=False)


def _average(x: Any, rows: Any, columns: Any) -> Any:
    counted = rows[1][:, :, None, None] & columns[1][None, None]
    shares = counted / counted.sum((1, 3), keepdims=True) * (counted.shape[1] * counted.shape[3])
    weights = Tensor(shares[None, ..., None].astype(x._value.dtype))
    return reduce_mean_p(_windows(x, rows[0], columns[0]) * weights, axis=(-4, -2), keepdims=False)


@export("nn.fractional_max_pool")
@takes(pseudo_random="bool", overlapping="bool")
def fractional_max_pool(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> FractionalPool:
    """Computes the maxima of regions of random size, which shrinks an image by any factor.

    Args:
      value: A tensor of shape (batch, height, width, channels).
      pooling_ratio: The factors by which the image shrinks; 1, 2 or 4 numbers of 1 or more.
      pseudo_random: Whether all sizes are computed from one random number, instead of one for each
        region.
      overlapping: Whether adjacent regions share their border elements.
      seed: A seed; 0 stands for a random one.
      name: Accepted for compatibility.

    Returns:
      The pooled values, and the row and column boundaries of the regions.

    Raises:
      ValueError: A ratio is less than 1, or there are too many.
      InvalidArgumentError: `value` is not of rank 4.
    """
    op = "FractionalMaxPool"
    return _fractional(value, pooling_ratio, pseudo_random, overlapping, seed, op, _greatest)


@export("nn.fractional_avg_pool")
@takes(pseudo_random="bool", overlapping="bool")
def fractional_avg_pool(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> FractionalPool:
    """Computes the means of regions of random size, which shrinks an image by any factor.

    Args:
      value: A tensor of shape (batch, height, width, channels).
      pooling_ratio: The factors by which the image shrinks; 1, 2 or 4 numbers of 1 or more.
      pseudo_random: Whether all sizes are computed from one random number, instead of one for each
        region.
      overlapping: Whether adjacent regions share their border elements.
      seed: A seed; 0 stands for a random one.
      name: Accepted for compatibility.

    Returns:
      The pooled values, and the row and column boundaries of the regions.

    Raises:
      ValueError: A ratio is less than 1, or there are too many.
      InvalidArgumentError: `value` is not of rank 4.
    """
    op = "FractionalAvgPool"
    return _fractional(value, pooling_ratio, pseudo_random, overlapping, seed, op, _average)
