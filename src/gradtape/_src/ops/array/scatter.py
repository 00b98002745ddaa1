"""Gathers slices at index vectors, and scatters slices to index vectors."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape._src.base.errors import About
from gradtape._src.base.export import export, raw_op
from gradtape._src.compute.jax_modules import jnp
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.primitive import Bound
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid, shown_shape
from gradtape._src.declare.attributes import text
from gradtape._src.declare.general import dtype_of_value, general, shape_of
from gradtape._src.declare.graph_operations import New, result_by
from gradtape._src.declare.lengths_of_values import dimensions, extents
from gradtape._src.declare.structural import concat_p, count, reshape_p, with_axis
from gradtape._src.declare.traits import Pattern, Traits
from gradtape._src.declare.unknown_sizes import may_be_equal
from gradtape._src.ops.array.gather import gather, gather_p, index_tensor, look_up_p
from gradtape._src.ops.array.index_errors import failing
from gradtape._src.ops.array.row_sums import add_rows_p, in_one_table


def _ravel(indices: Any, *, shape: tuple[int, ...], op: str) -> Any:
    """Converts index vectors, which lie along the last axis, to indices into the flattened axes."""
    limits = np.array(shape, np.int64)
    bad = np.any((indices < 0) | (indices >= limits), axis=-1)
    if np.any(bad):
        first = tuple(np.argwhere(bad)[0])
        raise invalid(
            f"indices{shown_shape(first)} = {shown_shape(np.asarray(indices)[first])} does not "
            f"index into {'param ' * (op == 'GatherNd')}shape {shown_shape(shape)} [Op:{op}]",
            About.VALUES,
        )
    if len(shape) == 1:
        return indices[..., 0]
    strides = np.array([count(shape[i + 1 :]) for i in range(len(shape))], np.int64)
    return (indices * strides).sum(-1, dtype=np.int64)


def _ravel_xla(indices: Any, *, shape: tuple[int, ...], op: str) -> Any:
    strides = [count(shape[i + 1 :]) for i in range(len(shape))]
    return jnp.sum(indices.astype(np.int64) * np.array(strides, np.int64), -1)


ravel_p = general("RavelIndices", _ravel, batching="leading", xla=_ravel_xla)


def _split(indices: Tensor, shape: tuple[int, ...], op: str) -> tuple[Any, int, tuple[int, ...]]:
    """Returns flat row indices, the number of rows, and the shape of a row."""
    depth = shape_of(indices)[-1]
    if depth > len(shape):
        raise invalid(
            f"index innermost dimension length must be <= params rank; saw: {depth} vs. "
            f"{len(shape)} [Op:{op}]"
        )
    rows = ravel_p(indices, shape=shape[:depth], op=op)
    return rows, count(shape[:depth]), shape[depth:]


@export("gather_nd", direct=True)
@raw_op("GatherNd")
def gather_nd(
    params: Any,
    indices: Any,
    batch_dims: int = 0,
    name: str | None = None,
    bad_indices_policy: str = "",
) -> Tensor:
    """Takes the slices `params[indices[i]]` for index vectors along the last axis of `indices`.

    Args:
      params: The tensor to take from.
      indices: An integer tensor of shape (..., depth).
      batch_dims: The number of leading axes that `params` and `indices` share.
      name: Accepted for compatibility.
      bad_indices_policy: The policy for indices out of range: "ERROR", the default, or "IGNORE" for
        a slice of zeros.

    Returns:
      A tensor of shape `indices.shape[:-1] + params.shape[batch_dims + depth:]`.

    Raises:
      InvalidArgumentError: An index is out of range, or `depth` exceeds the rank of `params`.

    >>> tf.gather_nd([[1, 2], [3, 4]], [[0, 1], [1, 0]]).numpy()
    array([2, 3], dtype=int32)
    """
    x, places = convert_to_tensor(params), index_tensor(indices, "GatherNd")
    ignore = _ignores(bad_indices_policy, "GatherNd")
    if not len(shape_of(places)):
        raise invalid("indices must be at least a vector [Op:GatherNd]")
    shape, lead = shape_of(x), shape_of(places)[:-1]
    if count(lead) and not count(shape):
        message = (
            f"Requested more than 0 entries, but params is empty. Params shape: "
            f"{shown_shape(shape)} [Op:GatherNd]"
        )
        depth = batch_dims + shape_of(places)[-1]
        return failing("GatherNd", x, message, (*lead, *shape[depth:]))
    if batch_dims:
        if shape[:batch_dims] != lead[:batch_dims]:
            raise invalid(
                f"params.shape[:{batch_dims}] {shown_shape(shape)} should be equal to "
                f"indices.shape[:{batch_dims}] {shown_shape(lead)} [Op:GatherNd]"
            )
        grid = np.indices(shape[:batch_dims]).reshape(batch_dims, -1).T
        grid = grid.reshape(*shape[:batch_dims], *(1,) * (len(lead) - batch_dims), batch_dims)
        grid = np.broadcast_to(grid, (*lead, batch_dims)).astype(dtype_of_value(places))
        places = concat_p(Tensor(grid), places, axis=-1)
    if ignore:
        return _gather_where_inside(x, places.numpy())
    rows, n, rest = _split(places, shape, "GatherNd")
    if shape_of(places)[1:] == (1,):
        return look_up_p(x, rows)
    return gather_p(reshape_p(x, shape=(n, *rest)), rows, axis=0, batch_dims=0)


def _ignores(policy: str | None, op: str) -> bool:
    """Whether a policy ignores indices out of range."""
    policy = "" if policy is None else text("bad_indices_policy", policy)
    if policy not in {"", "DEFAULT", "ERROR", "IGNORE"}:
        raise invalid(
            f"Unknown bad indices handling attribute: {policy} [Op:{op}] "
            '(give "ERROR" or "IGNORE")',
            About.VALUES,
        )
    return policy == "IGNORE"


def _gather_where_inside(x: Tensor, places: np.ndarray[Any, Any]) -> Tensor:
    """Returns the slices at index vectors, with zeros for vectors that are out of range."""
    shape, lead = shape_of(x), places.shape[:-1]
    depth = places.shape[-1]
    inside = ((places >= 0) & (places < shape[:depth])).all(-1)
    found = gather_nd(x, places[inside])
    return scatter_nd(np.argwhere(inside), found, (*lead, *shape[depth:]))


def _checked(
    indices: Any, updates: Any, shape: tuple[int, ...], op: str
) -> tuple[Any, Tensor, int, tuple[int, ...]]:
    """Returns flat row indices, the rows for them, the total number of rows, and a row's shape."""
    places = index_tensor(indices, op)
    if shape_of(places)[-1:] == (0,):
        raise invalid(
            f"Only indices.shape[-1] values between 1 and 7 are supported, got 0 [Op:{op}]"
        )
    lead = shape_of(places)[:-1]
    k = count(lead)
    if any(type(n) is int and not n for n in shape) and k:
        raise invalid(
            f"Indices and updates specified for empty output shape {shown_shape(shape)} [Op:{op}]"
        )
    rows, n, rest = _split(places, shape, op)
    if not may_be_equal(shape_of(updates), (*lead, *rest)):
        raise invalid(
            f"Dimensions [0,{len(lead)}) of indices[shape={shown_shape(shape_of(places))}] must "
            f"match dimensions [0,{len(lead)}) of updates[shape={shown_shape(shape_of(updates))}],"
            f" and the rest those of the output's shape {shown_shape(shape)} [Op:{op}]"
        )
    return reshape_p(rows, shape=(k,)), reshape_p(updates, shape=(k, *rest)), n, rest


def _of_shape(new: New, indices: Any, updates: Any, shape: Any, *_: Any, **__: Any) -> Tensor:
    return new(dimensions(shape), tensor(updates)._value.dtype)


@export("scatter_nd")
@result_by(_of_shape)
@raw_op("ScatterNd")
def scatter_nd(
    indices: Any,
    updates: Any,
    shape: Any,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """Adds slices, at positions given by index vectors, to a tensor of zeros.

    Args:
      indices: An integer tensor of shape (..., depth).
      updates: The slices, of shape `indices.shape[:-1] + shape[depth:]`.
      shape: The shape of the result.
      bad_indices_policy: The policy for indices out of range: "ERROR", the default, or "IGNORE"
        to skip the index.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape `shape` and of the dtype of `updates`.

    Raises:
      InvalidArgumentError: An index is out of range, or the shapes are incompatible.

    >>> tf.scatter_nd([[1], [3], [1]], [10, 20, 30], [4]).numpy()
    array([ 0, 40,  0, 20], dtype=int32)
    """
    full = extents(shape, "ScatterNd")
    values: Any = tensor(updates)
    if _ignores(bad_indices_policy, "ScatterNd"):
        indices, values = _within(indices, values, full, "ScatterNd")
    rows, values, n, rest = _checked(indices, values, full, "ScatterNd")
    if values._value.dtype.kind == "O":
        table = np.full((n, *rest), b"", object)
        np.add.at(table, rows._value, values._value)
        return Tensor(table.reshape(full or (n, *rest)))
    return reshape_p(add_rows_p(values, rows, count=n), shape=full or (n, *rest))


# Replacing rows.


def _put(x: Any, rows: Any, updates: Any) -> Any:
    out = np.array(x)
    out[rows] = updates
    return out


def _batch_table(run: Callable[..., Any]) -> Callable[..., Any]:
    def batch(size: int, batched: Any, inputs: Any, params: Any) -> Any:
        table, rows, values = with_axis(size, batched, inputs)
        return in_one_table(size, run, [table], rows, [values])

    return batch


def _zeros_like(x: Any, shape: tuple[int, ...]) -> Any:
    return np.zeros(shape, dtype_of_value(x))


put_rows_p: Bound = general(
    "TensorScatterUpdate",
    _put,
    {
        "x": lambda g, rows, updates_shape: put_rows_p(g, rows, _zeros_like(g, updates_shape)),
        "updates": lambda g, rows: gather_p(g, rows, axis=0, batch_dims=0),
    },
    jvps={
        "x": lambda t, rows, updates_shape: put_rows_p(t, rows, _zeros_like(t, updates_shape)),
        "updates": lambda t, rows, x_shape: put_rows_p(_zeros_like(t, x_shape), rows, t),
    },
    batching=_batch_table(lambda *args: put_rows_p(*args)),
    xla=lambda x, rows, updates: jnp.asarray(x).at[rows].set(updates),
    traits=Traits(pattern=Pattern.MOVED, passes_on=True),
)


def _same(x: Any, y: Any) -> Any:
    return (x == y).astype(x.dtype)


same_p = general(
    "EqualShare",
    _same,
    batching="leading",
    xla=lambda x, y: (x == y).astype(x.dtype),
    traits=Traits(pattern=Pattern.ELEMENTWISE),
)
"""Returns 1 where two tensors of one shape are equal and 0 elsewhere, in their dtype."""


def _extreme_shares(x: Any, rows: Any, updates: Any, out: Any) -> tuple[Any, Any, Any]:
    """Returns which elements of table and updates equal the extreme value, and how many do."""
    mine = same_p(x, out)
    theirs = same_p(updates, gather_p(out, rows, axis=0, batch_dims=0))
    return mine, theirs, mine + add_rows_p(theirs, rows, count=shape_of(x)[0])


def _extreme_vjp_x(g: Any, x: Any, rows: Any, updates: Any, out: Any) -> Any:
    mine, _, total = _extreme_shares(x, rows, updates, out)
    return g * mine / total


def _extreme_vjp_updates(g: Any, x: Any, rows: Any, updates: Any, out: Any) -> Any:
    _, theirs, total = _extreme_shares(x, rows, updates, out)
    return gather_p(g / total, rows, axis=0, batch_dims=0) * theirs


def _put_extreme(name: str, ufunc: Any, method: str) -> Any:
    def kernel(x: Any, rows: Any, updates: Any) -> Any:
        out = np.array(x)
        ufunc.at(out, rows, updates)
        return out

    run: Bound = general(
        name,
        kernel,
        {"x": _extreme_vjp_x, "updates": _extreme_vjp_updates},
        batching=_batch_table(lambda *args: run(*args)),
        xla=lambda x, rows, updates: getattr(jnp.asarray(x).at[rows], method)(updates),
    )
    return run


put_max_p = _put_extreme("TensorScatterMax", np.maximum, "max")
put_min_p = _put_extreme("TensorScatterMin", np.minimum, "min")


def _within(indices: Any, values: Tensor, shape: tuple[int, ...], op: str) -> tuple[Any, Any]:
    """Returns the index vectors that lie within a shape, and the slices for them."""
    places = index_tensor(indices, op).numpy()
    depth = places.shape[-1]
    kept = ((places >= 0) & (places < shape[:depth])).all(-1)
    flat = reshape_p(values, shape=(kept.size, *shape[depth:]))
    return places[kept], gather(flat, np.flatnonzero(kept))


def _changed(run: Any, op: str, table: Any, indices: Any, updates: Any, policy: str = "") -> Tensor:
    x = convert_to_tensor(table)
    values = convert_to_tensor(updates, None if isinstance(updates, Tensor) else x.dtype)
    if values.dtype is not x.dtype:
        raise invalid(
            f"cannot compute {op} as input #2(zero-based) was expected to be a {x.dtype.name} "
            f"tensor but is a {values.dtype.name} tensor [Op:{op}] (tf.cast one of them)",
            About.DTYPES,
        )
    shape = shape_of(x)
    if _ignores(policy, op):
        indices, values = _within(indices, values, shape, op)
    rows, values, n, rest = _checked(indices, values, shape, op)
    return reshape_p(run(reshape_p(x, shape=(n, *rest)), rows, values), shape=shape)


@raw_op("TensorScatterUpdate")
def raw_tensor_scatter_update(
    tensor: Any, indices: Any, updates: Any, bad_indices_policy: str = "", name: str | None = None
) -> Tensor:
    """Copies a tensor with slices replaced, as the raw operation TensorScatterUpdate does."""
    return _changed(put_rows_p, "TensorScatterUpdate", tensor, indices, updates, bad_indices_policy)


@export("tensor_scatter_nd_update")
def tensor_scatter_nd_update(
    tensor: Any, indices: Any, updates: Any, name: str | None = None
) -> Tensor:
    """Returns a copy of a tensor in which the slices at index vectors are replaced.

    Args:
      tensor: The tensor.
      indices: An integer tensor of shape (..., depth).
      updates: The slices, of shape `indices.shape[:-1] + tensor.shape[depth:]`.
      name: Accepted for compatibility.

    Returns:
      A tensor of the shape and dtype of `tensor`.

    Raises:
      InvalidArgumentError: An index is out of range, or shapes or dtypes do not fit.

    >>> tf.tensor_scatter_nd_update([1, 2, 3, 4], [[1], [3]], [20, 40]).numpy()
    array([ 1, 20,  3, 40], dtype=int32)
    """
    return _changed(put_rows_p, "TensorScatterUpdate", tensor, indices, updates)


@export("tensor_scatter_nd_add")
@raw_op("TensorScatterAdd", ignored=("bad_indices_policy",))
def tensor_scatter_nd_add(
    tensor: Any,
    indices: Any,
    updates: Any,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """Returns a copy of a tensor to which slices are added at index vectors.

    Args:
      tensor: The tensor.
      indices: An integer tensor of shape (..., depth).
      updates: The slices, of shape `indices.shape[:-1] + tensor.shape[depth:]`.
      bad_indices_policy: The policy for indices out of range: "ERROR", the default, or "IGNORE"
        to skip the index.
      name: Accepted for compatibility.

    Returns:
      A tensor of the shape and dtype of `tensor`.

    Raises:
      InvalidArgumentError: An index is out of range, or shapes or dtypes do not fit.

    >>> tf.tensor_scatter_nd_add([1, 2, 3, 4], [[1], [1]], [10, 10]).numpy()
    array([ 1, 22,  3,  4], dtype=int32)
    """

    def run(x: Any, rows: Any, values: Any) -> Any:
        return x + add_rows_p(values, rows, count=shape_of(x)[0])

    return _changed(run, "TensorScatterAdd", tensor, indices, updates, bad_indices_policy)


@export("tensor_scatter_nd_sub")
@raw_op("TensorScatterSub", ignored=("bad_indices_policy",))
def tensor_scatter_nd_sub(
    tensor: Any,
    indices: Any,
    updates: Any,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """Returns a copy of a tensor from which slices are subtracted at index vectors.

    Args:
      tensor: The tensor.
      indices: An integer tensor of shape (..., depth).
      updates: The slices, of shape `indices.shape[:-1] + tensor.shape[depth:]`.
      bad_indices_policy: The policy for indices out of range: "ERROR", the default, or "IGNORE"
        to skip the index.
      name: Accepted for compatibility.

    Returns:
      A tensor of the shape and dtype of `tensor`.

    Raises:
      InvalidArgumentError: An index is out of range, or shapes or dtypes do not fit.

    >>> tf.tensor_scatter_nd_sub([1, 2, 3, 4], [[1], [3]], [1, 1]).numpy()
    array([1, 1, 3, 3], dtype=int32)
    """

    def run(x: Any, rows: Any, values: Any) -> Any:
        return x - add_rows_p(values, rows, count=shape_of(x)[0])

    return _changed(run, "TensorScatterSub", tensor, indices, updates, bad_indices_policy)


@export("tensor_scatter_nd_max")
@raw_op("TensorScatterMax", ignored=("bad_indices_policy",))
def tensor_scatter_nd_max(
    tensor: Any,
    indices: Any,
    updates: Any,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """Returns a copy of a tensor that holds the maximum with slices at index vectors.

    Args:
      tensor: The tensor.
      indices: An integer tensor of shape (..., depth).
      updates: The slices, of shape `indices.shape[:-1] + tensor.shape[depth:]`.
      bad_indices_policy: The policy for indices out of range: "ERROR", the default, or "IGNORE"
        to skip the index.
      name: Accepted for compatibility.

    Returns:
      A tensor of the shape and dtype of `tensor`.

    Raises:
      InvalidArgumentError: An index is out of range, or shapes or dtypes do not fit.

    >>> tf.tensor_scatter_nd_max([1, 2, 3, 4], [[1], [3]], [9, 0]).numpy()
    array([1, 9, 3, 4], dtype=int32)
    """
    return _changed(put_max_p, "TensorScatterMax", tensor, indices, updates, bad_indices_policy)


@export("tensor_scatter_nd_min")
@raw_op("TensorScatterMin", ignored=("bad_indices_policy",))
def tensor_scatter_nd_min(
    tensor: Any,
    indices: Any,
    updates: Any,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """Returns a copy of a tensor that holds the minimum with slices at index vectors.

    Args:
      tensor: The tensor.
      indices: An integer tensor of shape (..., depth).
      updates: The slices, of shape `indices.shape[:-1] + tensor.shape[depth:]`.
      bad_indices_policy: The policy for indices out of range: "ERROR", the default, or "IGNORE"
        to skip the index.
      name: Accepted for compatibility.

    Returns:
      A tensor of the shape and dtype of `tensor`.

    Raises:
      InvalidArgumentError: An index is out of range, or shapes or dtypes do not fit.

    >>> tf.tensor_scatter_nd_min([1, 2, 3, 4], [[1], [3]], [9, 0]).numpy()
    array([1, 2, 3, 0], dtype=int32)
    """
    return _changed(put_min_p, "TensorScatterMin", tensor, indices, updates, bad_indices_policy)


@export("unravel_index")
@raw_op("UnravelIndex", differentiable=False)
def unravel_index(indices: Any, dims: Any, name: str | None = None) -> Tensor:
    """Converts flat indices to indices along each axis.

    Args:
      indices: An integer scalar or vector.
      dims: The shape of the array, an integer vector.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (axes,) or (axes, n).

    Raises:
      InvalidArgumentError: An index is out of range, or `dims` is not a vector.
    """
    at = tensor(indices)
    shape = np.asarray(convert_to_tensor(dims, dtype_hint=at.dtype)._numpy())
    flat = np.asarray(at._numpy())
    if shape.ndim != 1 or flat.ndim > 1:
        raise invalid(
            f"The indices can only be scalar or 1-D, and dims 1-D, got shapes "
            f"{list(flat.shape)} and {list(shape.shape)} [Op:UnravelIndex]"
        )
    if flat.size and (flat.min() < 0 or flat.max() >= shape.prod()):
        raise invalid("index is out of bound as with dims [Op:UnravelIndex]", About.VALUES)
    return Tensor(np.stack(np.unravel_index(flat, tuple(shape))).astype(flat.dtype))
