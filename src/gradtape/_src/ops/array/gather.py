"""Takes slices along an axis by their indices."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.errors import About, InvalidArgumentError
from gradtape._src.base.export import export, raw_op
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.compute.jax_modules import jax, jnp
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import (
    axis_index,
    invalid,
    scalar,
    shown_shape,
)
from gradtape._src.declare.general import general, shape_of
from gradtape._src.declare.structural import (
    count,
    inverse_permutation,
    reshape_p,
    transpose_p,
    with_axis,
)
from gradtape._src.declare.traits import Pattern, Traits
from gradtape._src.declare.unknown_sizes import is_unknown, may_be_equal
from gradtape._src.ops.array.row_sums import add_rows_p, offset_p


def _gather(params: Any, indices: Any, *, axis: int, batch_dims: int) -> Any:
    n = params.shape[axis]
    bad = (indices < 0) | (indices >= n)
    if np.any(bad):
        first = np.argwhere(bad)[0].tolist() if np.ndim(indices) else []
        place = "".join(f"[{i}]" for i in first)
        raise InvalidArgumentError(
            None,
            None,
            f"indices{place} = {np.asarray(indices)[tuple(first)]} is not in [0, {n})"
            " [Op:GatherV2]",
        )
    if not batch_dims:
        out = np.take(params, indices, axis=axis)
        return np.array(out, object) if type(out) is bytes else out
    index = np.indices(params.shape[:batch_dims], sparse=True)
    extra = indices.ndim - batch_dims
    grid = [i.reshape(i.shape + (1,) * extra) for i in index]
    moved = np.moveaxis(params, axis, batch_dims)
    out = moved[(*grid, indices)]
    return np.moveaxis(out, range(batch_dims, batch_dims + extra), range(axis, axis + extra))


def _gather_xla(params: Any, indices: Any, *, axis: int, batch_dims: int) -> Any:
    if not params.shape[axis]:  # XLA clips indices; to an empty axis, TensorFlow gives zeros.
        rest = indices.shape[batch_dims:]
        shape = (*params.shape[:axis], *rest, *params.shape[axis + 1 :])
        return jnp.zeros(shape, params.dtype)
    if not batch_dims:
        return jnp.take(params, indices, axis=axis, mode="clip")

    def run(p: Any, i: Any) -> Any:
        return jnp.take(p, i, axis=axis - batch_dims, mode="clip")

    for _ in range(batch_dims):
        run = jax.vmap(run)
    return run(params, indices)


def _gather_vjp(g: Any, indices: Any, params_shape: Any, axis: int, batch_dims: int) -> Any:
    shape = shape_of(indices)
    extra = len(shape) - batch_dims
    rank = len(shape_of(g))
    placed = (*range(axis, axis + extra),)
    kept = [a for a in range(batch_dims, rank) if a not in placed]
    order = (*range(batch_dims), *placed, *kept)
    rest = tuple(n for a, n in enumerate(params_shape) if a >= batch_dims and a != axis)
    batches, n = count(params_shape[:batch_dims]), params_shape[axis]
    values = reshape_p(
        transpose_p(g, perm=order), shape=(batches * count(shape[batch_dims:]), *rest)
    )
    flat = reshape_p(indices, shape=(batches, count(shape[batch_dims:])))
    if type(batches) is not int or batches != 1:
        flat = offset_p(flat, count=n)
    rows = add_rows_p(values, reshape_p(flat, shape=(count(shape),)), count=batches * n)
    rows = reshape_p(rows, shape=(*params_shape[:batch_dims], n, *rest))
    back = [a for a in range(len(params_shape)) if a != axis]
    back.insert(batch_dims, axis)
    return transpose_p(rows, perm=inverse_permutation(tuple(back)))


def _gather_batch(size: int, batched: Any, inputs: Any, params: Any) -> Any:
    table, indices = inputs
    axis, batch_dims = params["axis"], params["batch_dims"]
    if not batched[1] and not batch_dims:
        return gather_p(table, indices, **{**params, "axis": axis + 1})
    if not batched[0] and not batch_dims:
        out = gather_p(table, indices, **params)
        others = [a for a in range(len(shape_of(out))) if a != axis]
        return transpose_p(out, perm=(axis, *others))
    table, indices = with_axis(size, batched, inputs)
    return gather_p(table, indices, **{**params, "axis": axis + 1, "batch_dims": batch_dims + 1})


gather_p = general(
    "GatherV2",
    _gather,
    {"params": _gather_vjp},
    linear=["params"],
    batching=_gather_batch,
    xla=_gather_xla,
    traits=Traits(pattern=Pattern.MOVED, passes_on=True),
)


def _look_up(params: Any, indices: Any) -> Any:
    return _gather(params, indices, axis=0, batch_dims=0)


def _look_up_vjp(g: Any, indices: Any, params_shape: Any) -> Any:
    n = count(shape_of(indices))
    values, places = reshape_p(g, shape=(n, *params_shape[1:])), reshape_p(indices, shape=(n,))
    if is_unknown(params_shape):
        return add_rows_p(values, places, count=params_shape[0])
    return IndexedSlices(values, places, np.array(params_shape, np.int32))


look_up_p = general(
    "ResourceGather",
    _look_up,
    {"params": _look_up_vjp},
    linear=["params"],
    batching=lambda size, batched, inputs, params: _gather_batch(
        size, batched, inputs, {"axis": 0, "batch_dims": 0}
    ),
    xla=lambda params, indices: _gather_xla(params, indices, axis=0, batch_dims=0),
    traits=Traits(pattern=Pattern.MOVED, passes_on=True),
)
"""`gather_p` along axis 0, with a gradient of `IndexedSlices`; `gather` uses it."""


def index_tensor(indices: Any, op: str) -> Tensor:
    """Converts indices to an integer tensor.

    Raises:
      InvalidArgumentError: The indices are not integers.
    """
    x = tensor(indices)
    if not x.dtype.is_integer:
        if not count(shape_of(x)):
            return Tensor(np.zeros(shape_of(x), np.int32))
        raise invalid(
            f"Value for attr 'Tindices' of {x.dtype.name} is not in the list of allowed values: "
            f"int16, int32, int64 [Op:{op}] (`indices` must be integers)",
            About.DTYPES,
        )
    return x


@export("gather", direct=True)
@raw_op("GatherV2")
@raw_op("Gather")
def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    axis: Any = None,
    batch_dims: int | None = 0,
    name: str | None = None,
) -> Tensor:
    """Takes slices along an axis.

    Args:
      params: The tensor to take from. From a ragged tensor, slices are taken along its first axis.
      indices: An integer tensor of any rank, or a ragged tensor of integers.
      validate_indices: Accepted for compatibility.
      axis: The axis. Defaults to `batch_dims`.
      batch_dims: The number of leading axes that `params` and `indices` share. None means 0 if
        `axis` is given. It is ignored if `axis` is 0.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape `params.shape[:axis] + indices.shape[batch_dims:] +
      params.shape[axis + 1:]`; its gradient is `IndexedSlices` if the axis is 0.

    Raises:
      InvalidArgumentError: An index or the axis is out of range, or `batch_dims` is out of range
        or greater than `axis`, which is not 0.
      ValueError: `batch_dims` and `axis` are both None.

    >>> tf.gather([[1, 2], [3, 4], [5, 6]], [2, 0]).numpy()
    array([[5, 6],
           [1, 2]], dtype=int32)
    >>> tf.gather([[1, 2], [3, 4]], [1], axis=1).numpy()
    array([[2],
           [4]], dtype=int32)
    """
    x = convert_to_tensor(params)
    places = index_tensor(indices, "GatherV2")
    rank, own = len(shape_of(x)), len(shape_of(places))
    if not rank:
        raise invalid("params must be at least 1 dimensional [Op:GatherV2]")
    if batch_dims is None:
        if axis is None:
            raise ValueError("gather: `batch_dims` and `axis` are both None: give one of them")
        batch_dims = 0
    # Relative to the axes of `params`; below, relative to those of `indices`.
    axis = batch_dims if axis is None else axis
    whole_rows = axis == 0  # With axis=-rank, TensorFlow's gradient is dense, too.
    if whole_rows:
        batch_dims = 0  # TensorFlow ignores it.
    if not -own <= batch_dims <= own:
        raise invalid(
            f"Expected batch_dims in the range [{-own}, {own}], but got {batch_dims} [Op:GatherV2]"
        )
    batch_dims = batch_dims + own if batch_dims < 0 else batch_dims
    message = f"Expected axis in the range [{-rank}, {rank}), but got {{axis}}"
    place = axis_index(scalar(axis, "GatherV2"), rank, "GatherV2", message)
    if batch_dims > place:
        raise invalid(
            f"batch_dims ({batch_dims}) must be less than or equal to axis ({place}) [Op:GatherV2]"
        )
    if batch_dims and not may_be_equal(shape_of(x)[:batch_dims], shape_of(places)[:batch_dims]):
        raise invalid(
            f"params.shape[:{batch_dims}] {shown_shape(shape_of(x))} should be equal to "
            f"indices.shape[:{batch_dims}] {shown_shape(shape_of(places))} [Op:GatherV2]"
        )
    if not place and not batch_dims and whole_rows:
        return look_up_p(x, places)
    return gather_p(x, places, axis=place, batch_dims=batch_dims)
