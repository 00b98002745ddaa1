"""Look-ups in tables of vectors, dropout, and whether a class is among the best."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import dtype_of
from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.base.export import export, raw_op
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.families import concat_p, general, shape_of
from gradtape._src.declare.row_partitions import RaggedRows
from gradtape._src.ops.array.gather import gather_p, look_up_p
from gradtape._src.ops.elementwise.comparison import greater_equal_p
from gradtape._src.ops.elementwise.selection import select_p, zero_of
from gradtape._src.ops.nn.normalization import clip_by_norm
from gradtape._src.ops.random.distributions import uniform
from gradtape._src.ops.random.stateless import stateless_uniform
from gradtape._src.ops.types.ragged_tensor import RaggedTensor


@export("nn.embedding_lookup")
def embedding_lookup(params: Any, ids: Any, max_norm: Any = None, name: str | None = None) -> Any:
    """Rows of a table. Its gradient by the table is `IndexedSlices`: just the rows read.

    Args:
      params: A tensor or variable of shape (n, ...), or a sequence of such, taken as one table:
        their lengths are equal, but for the first ones, which may have one row more.
      ids: An integer tensor of row numbers, or a ragged one.
      max_norm: Shortens rows whose norm is greater; None leaves them.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape `ids.shape + params.shape[1:]`.

    Raises:
      ValueError: There is no table.
      InvalidArgumentError: An id is out of range, or the lengths are not as said.
    """
    if params is None:
        raise ValueError("params must be specified")
    if isinstance(params, (list, tuple)):
        if not params:
            raise ValueError("Length of params is currently 0. Need at least one tensor.")
        shards = [_table(p) for p in params]
    else:
        shards = [tensor(params)]
    if isinstance(ids, RaggedTensor):
        flat = embedding_lookup(params, ids.flat_values, max_norm)
        return ids.with_flat_values(flat)
    ids = tensor(ids)
    if not dtype_of(ids._value).is_integer:
        raise InvalidArgumentError(
            None,
            None,
            f"Value for attr 'Tindices' of {ids.dtype.name} is not in the list of allowed values: "
            "int32, int64 [Op:GatherV2] (tf.cast the ids)",
        )
    rows = look_up_p(shards[0], ids) if len(shards) == 1 else _of_shards(shards, ids)
    if max_norm is None:
        return rows
    first = len(shape_of(ids))
    return clip_by_norm(rows, max_norm, axes=list(range(first, len(shape_of(rows)))))


def _table(params: Any) -> Tensor:
    return tensor(params)


def _of_shards(shards: list[Tensor], ids: Tensor) -> Any:
    """Rows of several tables, each of which gets a gradient of rows alone."""
    rank = len(shape_of(shards[0]))
    if not isinstance(ids._value, (np.ndarray, np.generic)):  # traced or vectorized
        return look_up_p(concat_p(*shards, axis=-rank), ids)
    flat = np.reshape(ids._value, -1)
    total, n = sum(shape_of(shard)[0] for shard in shards), len(shards)
    bad = (flat < 0) | (flat >= total)
    if bad.any():
        raise InvalidArgumentError(
            None,
            None,
            f"ids[{int(np.argmax(bad))}] = {flat[np.argmax(bad)]} is not in [0, {total}) "
            "[Op:GatherV2] (the tables' rows are counted one after the other)",
        )
    each, longer = divmod(total, n)
    starts = np.array([i * each + min(i, longer) for i in range(n)], flat.dtype)
    owner = np.searchsorted(starts, flat, "right") - 1
    places = [np.flatnonzero(owner == i) for i in range(n)]
    parts = [
        look_up_p(shard, Tensor(flat[place] - start))
        for shard, place, start in zip(shards, places, starts, strict=True)
    ]
    back = np.argsort(np.concatenate(places), kind="stable").reshape(shape_of(ids))
    joined = concat_p(*parts, axis=-rank)
    return gather_p(joined, Tensor(back), axis=0, batch_dims=0)


@export("nn.dropout")
def dropout(
    x: Any, rate: Any, noise_shape: Any = None, seed: Any = None, name: str | None = None
) -> Any:
    """Sets elements to 0 at random, and scales the others up by `1 / (1 - rate)`.

    Args:
      x: A floating tensor.
      rate: The probability with which an element is dropped, in [0, 1).
      noise_shape: The shape of the random decisions, which broadcast; `x`'s unless given.
      seed: A seed for this operation; see tf.random.set_seed.
      name: Accepted for compatibility.

    Returns:
      A tensor of `x`'s shape and dtype.

    Raises:
      ValueError: The rate is not in [0, 1), or the dtype is not floating.
    """
    if isinstance(x, RaggedRows):
        return x._over_values(lambda values: dropout(values, rate, noise_shape, seed))
    return _dropped(
        x, rate, noise_shape, lambda shape, dtype: uniform(shape, seed=seed, dtype=dtype)
    )


@export("nn.experimental.stateless_dropout")
def stateless_dropout(
    x: Any,
    rate: Any,
    seed: Any,
    rng_alg: Any = "auto_select",
    noise_shape: Any = None,
    name: str | None = None,
) -> Any:
    """The same as `dropout`, with decisions that are the same for the same seed.

    Args:
      x: A floating tensor.
      rate: The probability with which an element is dropped, in [0, 1).
      seed: Two whole numbers.
      rng_alg: Accepted for compatibility.
      noise_shape: The shape of the random decisions, which broadcast; `x`'s unless given.
      name: Accepted for compatibility.

    Returns:
      A tensor of `x`'s shape and dtype.

    Raises:
      ValueError: The rate is not in [0, 1), or the dtype is not floating.
    """
    if isinstance(x, RaggedRows):
        return x._over_values(
            lambda values: stateless_dropout(values, rate, seed, rng_alg, noise_shape)
        )
    return _dropped(
        x, rate, noise_shape, lambda shape, dtype: stateless_uniform(shape, seed, dtype=dtype)
    )


@export("nn.experimental.general_dropout")
def general_dropout(
    x: Any, rate: Any, uniform_sampler: Any, noise_shape: Any = None, name: str | None = None
) -> Any:
    """The same as `dropout`, with random numbers of the program's own.

    Args:
      x: A floating tensor.
      rate: The probability with which an element is dropped, in [0, 1).
      uniform_sampler: `(shape, dtype) -> numbers in [0, 1)`.
      noise_shape: The shape of the random decisions, which broadcast; `x`'s unless given.
      name: Accepted for compatibility.

    Returns:
      A tensor of `x`'s shape and dtype.

    Raises:
      ValueError: The rate is not in [0, 1), or the dtype is not floating.
    """
    return _dropped(
        x, rate, noise_shape, lambda shape, dtype: uniform_sampler(shape=shape, dtype=dtype)
    )


def _dropped(x: Any, rate: Any, noise_shape: Any, draws: Callable[[Any, Any], Any]) -> Any:
    x = tensor(x)
    if not dtype_of(x._value).is_floating:
        raise ValueError(
            "`x.dtype` must be a floating point tensor as `x` will be scaled. Received: "
            f"x.dtype={x.dtype}"
        )
    if isinstance(rate, (int, float)):
        if not 0 <= rate < 1:
            raise ValueError(
                f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: "
                f"rate={rate}"
            )
        if rate == 0:
            return x
    p = convert_to_tensor(rate, x.dtype)
    if shape_of(p):
        raise ValueError(f"`rate` must be a scalar tensor, not one of shape {p.shape}")
    shape = shape_of(x) if noise_shape is None else _noise_shape(x, noise_shape)
    return select_p(greater_equal_p(draws(shape, x.dtype), p), x * (1 / (1 - p)), zero_of(x))


def _noise_shape(x: Any, shape: Any) -> list[int]:
    """The shape given, with `x`'s extent where it says None."""
    wanted = list(shape) if isinstance(shape, (list, tuple)) else list(tensor(shape)._numpy())
    if len(wanted) != len(shape_of(x)):
        return [int(n) for n in wanted]
    return [own if n is None else int(n) for n, own in zip(wanted, shape_of(x), strict=True)]


def _in_top_k(predictions: Any, targets: Any, k: Any) -> Any:
    inside = (targets >= 0) & (targets < predictions.shape[1])
    safe = np.where(inside, targets, 0)
    if not predictions.size:
        return inside
    own = predictions[np.arange(len(safe)), safe]
    better = (predictions > own[:, None]).sum(-1)
    finite = np.isfinite(predictions).all(-1)
    return inside & finite & np.isfinite(own) & (better < k)


in_top_k_p = general("InTopKV2", _in_top_k)


@export("math.in_top_k", "nn.in_top_k")
@raw_op("InTopKV2")
def in_top_k(targets: Any, predictions: Any, k: Any, name: str | None = None) -> Any:
    """Whether each target is among its row's k best predictions; ties count as among them.

    Args:
      targets: An int32 or int64 vector of class numbers.
      predictions: A float32 tensor of shape (batch, classes).
      k: How many.
      name: Accepted for compatibility.

    Returns:
      A bool vector: False too where a target is no class or the prediction is not finite.

    Raises:
      InvalidArgumentError: The shapes do not go together.
    """
    targets, predictions, k = tensor(targets), tensor(predictions), tensor(k)
    if shape_of(k):
        raise InvalidArgumentError(
            None, None, f"k must be 0-D, got shape {list(shape_of(k))} [Op:InTopKV2]"
        )
    if len(shape_of(predictions)) != 2:
        raise InvalidArgumentError(None, None, "predictions must be 2-dimensional [Op:InTopKV2]")
    if shape_of(targets) != shape_of(predictions)[:1]:
        raise InvalidArgumentError(
            None,
            None,
            f"First dimension of predictions {shape_of(predictions)[0]} must match length of "
            f"targets {list(shape_of(targets))} [Op:InTopKV2]",
        )
    return in_top_k_p(predictions, targets, k)
