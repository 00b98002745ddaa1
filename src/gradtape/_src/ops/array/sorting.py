"""Sorting, largest elements, search in sorted sequences, and permutations."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gradtape._src.base.dtypes import DType, as_dtype, int32
from gradtape._src.base.error_messages import mismatch
from gradtape._src.base.errors import About
from gradtape._src.base.export import export, raw_op
from gradtape._src.base.python_values import NotATensorError
from gradtape._src.compute.jax_modules import jax, jnp
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.declare.arguments import (
    axis_index,
    index_dtype,
    integer,
    invalid,
    known,
    shown_shape,
)
from gradtape._src.declare.attributes import takes
from gradtape._src.declare.general import REAL, general, shape_of
from gradtape._src.declare.graph_operations import deferrable, like_input, run_whole
from gradtape._src.declare.structural import count, merged, transpose_p
from gradtape._src.declare.traits import Traits
from gradtape._src.declare.unknown_sizes import may_be_equal
from gradtape._src.ops.array.gather import gather_p
from gradtape._src.ops.elementwise.casting import cast_p


def _descending(x: Any) -> Any:
    """Returns the stable order of descending values along the last axis."""
    order = np.argsort(x[..., ::-1], axis=-1, kind="stable")
    return x.shape[-1] - 1 - order[..., ::-1]


def _order(x: Any, *, k: int, descending: bool, dtype: Any) -> Any:
    if descending and k == 1 and x.shape[-1]:
        return np.expand_dims(np.argmax(x, axis=-1), -1).astype(dtype)
    order = _descending(x) if descending else np.argsort(x, axis=-1, kind="stable")
    return order[..., :k].astype(dtype)


def _order_xla(x: Any, *, k: int, descending: bool, dtype: Any) -> Any:
    return jnp.argsort(x, -1, stable=True, descending=descending)[..., :k].astype(dtype)


order_p = general(
    "Order",
    _order,
    batching="leading",
    dtypes=REAL | {np.bool_},
    same=slice(1),
    xla=_order_xla,
    traits=Traits(result=lambda x, *, k, dtype, **_: ((*x.shape[:-1], k), np.dtype(dtype))),
)
"""The indices of the first k elements in stable order along the last axis."""


class TopKV2(NamedTuple):
    """The largest elements and their indices."""

    values: Tensor
    indices: Tensor


def _along_last(x: Any, order: Any) -> Any:
    rank = len(shape_of(x))
    return gather_p(x, order, axis=rank - 1, batch_dims=rank - 1)


def _place_dtype(asked: Any) -> DType:
    return int32 if asked is None else as_dtype(asked)


@export("math.top_k", "nn.top_k")
@takes(sorted="bool")
@raw_op("TopKV2")
@raw_op("TopK")
@deferrable
def top_k(
    input: Any,
    k: Any = 1,
    sorted: bool = True,
    index_type: Any = int32,
    name: str | None = None,
) -> TopKV2:
    """Finds the k largest elements along the last axis.

    Args:
      input: A real tensor of rank one or more.
      k: The number of elements.
      sorted: Accepted for compatibility: the elements are always in descending order.
      index_type: The dtype of the indices.
      name: Accepted for compatibility.

    Returns:
      A named tuple `(values, indices)`. Of equal elements, the one with the lower index comes
      first.

    Raises:
      InvalidArgumentError: The axis has fewer than k elements, or there is no axis.

    >>> values, places = tf.math.top_k([1, 9, 5], k=2)
    >>> values.numpy(), places.numpy()
    (array([9, 5], dtype=int32), array([1, 2], dtype=int32))
    """
    x, n = tensor(input), integer(k, "TopKV2", "k")
    shape = shape_of(x)
    if not shape:
        raise invalid("input must be >= 1-D, got shape [] [Op:TopKV2]")
    if n < 0:
        raise invalid(f"Need k >= 0, got {n} [Op:TopKV2]")
    if shape[-1] < n:
        raise invalid(
            f"input must have at least k columns. Had {shape[-1]}, needed {n} [Op:TopKV2]"
        )
    order = order_p(x, k=n, descending=True, dtype=_place_dtype(index_type).np_dtype)
    return TopKV2(_along_last(x, order), order)


def _sorted_axis(values: Any, axis: Any, direction: str) -> tuple[Tensor, int, bool]:
    x = convert_to_tensor(values)
    rank = len(shape_of(x))
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(
            "Argument `direction` should be one of ASCENDING, DESCENDING. "
            f"Received: direction={direction}"
        )
    if axis is None:
        raise NotATensorError(None)
    if isinstance(axis, (list, tuple, str, bytes)):
        raise ValueError(f"Argument `axis` must be a constant scalar. Received: axis={axis!r}.")
    place = integer(axis, "Sort")
    if not rank or not -rank <= place < rank:
        raise invalid(
            f"slice index {place} of dimension 0 out of bounds. [Op:StridedSlice] (sort: `axis` "
            f"must be one of the axes of values of shape {shown_shape(shape_of(x))})"
        )
    return x, place % rank, direction == "DESCENDING"


def _moved(x: Any, place: int) -> Any:
    """Returns `x` with an axis and the last axis exchanged."""
    rank = len(shape_of(x))
    if place == rank - 1:
        return x
    perm = list(np.arange(rank))
    perm[place], perm[-1] = perm[-1], perm[place]
    return transpose_p(x, perm=tuple(int(p) for p in perm))


@export("sort")
def sort(
    values: Any, axis: Any = -1, direction: str = "ASCENDING", name: str | None = None
) -> Tensor:
    """Sorts along an axis.

    Args:
      values: A real tensor of rank one or more.
      axis: The axis.
      direction: "ASCENDING" or "DESCENDING".
      name: Accepted for compatibility.

    Returns:
      A tensor of the shape and dtype of `values`.

    Raises:
      ValueError: The direction is unknown.
      InvalidArgumentError: The axis is out of range.

    >>> tf.sort([3, 1, 2], direction="DESCENDING").numpy()
    array([3, 2, 1], dtype=int32)
    """
    x, place, descending = _sorted_axis(values, axis, direction)
    x = _moved(x, place)
    order = order_p(x, k=shape_of(x)[-1], descending=descending, dtype=np.int32)
    out: Tensor = _moved(_along_last(x, order), place)
    return out


@export("argsort")
def argsort(
    values: Any,
    axis: Any = -1,
    direction: str = "ASCENDING",
    stable: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the indices that sort the elements.

    Equal elements keep their order whether `stable` is true or not.

    Args:
      values: A real tensor of rank one or more.
      axis: The axis.
      direction: "ASCENDING" or "DESCENDING".
      stable: Accepted for compatibility.
      name: Accepted for compatibility.

    Returns:
      An int32 tensor of the shape of `values`.

    Raises:
      ValueError: The direction is unknown.
      InvalidArgumentError: The axis is out of range.

    >>> tf.argsort([30, 10, 20]).numpy()
    array([1, 2, 0], dtype=int32)
    """
    x, place, descending = _sorted_axis(values, axis, direction)
    x = _moved(x, place)
    order = order_p(x, k=shape_of(x)[-1], descending=descending, dtype=np.int32)
    out: Tensor = _moved(order, place)
    return out


def _search(sequence: Any, values: Any, *, side: str, dtype: Any) -> Any:
    rows, asked = merged(sequence, 1), merged(values, 1)
    search: Any = np.searchsorted
    found = [search(row, v, side) for row, v in zip(rows, asked, strict=True)]
    return np.array(found, dtype).reshape(values.shape)


def _search_xla(sequence: Any, values: Any, *, side: str, dtype: Any) -> Any:
    rows, asked = merged(sequence, 1), merged(values, 1)
    found = jax.vmap(lambda row, v: jnp.searchsorted(row, v, side=side))(rows, asked)
    return found.reshape(values.shape).astype(dtype)


search_p = general("SearchSorted", _search, batching="leading", xla=_search_xla)


@export("searchsorted")
def searchsorted(
    sorted_sequence: Any,
    values: Any,
    side: str = "left",
    out_type: Any = int32,
    name: str | None = None,
) -> Tensor:
    """Finds the indices at which values would be inserted into sorted sequences.

    Args:
      sorted_sequence: A tensor that is sorted in ascending order along its last axis.
      values: A tensor of the same shape except for the last axis.
      side: "left": before equal elements; "right": after them.
      out_type: int32 or int64.
      name: Accepted for compatibility.

    Returns:
      A tensor of the shape of `values` and of dtype `out_type`.

    Raises:
      ValueError: `side` is neither "left" nor "right".
      InvalidArgumentError: The leading axes differ.

    >>> tf.searchsorted([1, 3, 5], [3, 4]).numpy()
    array([1, 2], dtype=int32)
    """
    sequence = tensor(sorted_sequence)
    asked = convert_to_tensor(values, None if isinstance(values, TensorLike) else sequence.dtype)
    if side not in ("left", "right"):
        raise ValueError(
            f"Argument `side` must be either 'right' or 'left'. Received: `side` = '{side}'."
        )
    if not may_be_equal(shape_of(sequence)[:-1], shape_of(asked)[:-1]):
        raise invalid(
            f"Leading dim_size of both tensors must match: {shown_shape(shape_of(sequence))} and "
            f"{shown_shape(shape_of(asked))} [Op:{'Lower' if side == 'left' else 'Upper'}Bound]",
            About.VALUES,
        )
    if asked.dtype is not sequence.dtype:
        raise mismatch("LowerBound", 1, sequence.dtype, asked.dtype)
    return search_p(
        sequence, asked, side=side, dtype=index_dtype(out_type, int32, "LowerBound").np_dtype
    )


@export("math.invert_permutation")
@raw_op("InvertPermutation", differentiable=False)
def invert_permutation(x: Any, name: str | None = None) -> Tensor:
    """Finds the permutation that undoes another.

    Args:
      x: A vector of int32 or int64.
      name: Accepted for compatibility.

    Returns:
      A tensor of the shape and dtype of `x`.

    Raises:
      InvalidArgumentError: `x` is not a permutation of 0, 1, ..., n - 1.

    >>> tf.math.invert_permutation([2, 0, 1]).numpy()
    array([1, 2, 0], dtype=int32)
    """
    return run_whole("InvertPermutation", like_input(), _inverted, tensor(x))


def _inverted(places: Tensor) -> Tensor:
    if not known(places):
        return cast_p(argsort(places), dtype=places._value.dtype)
    value = np.asarray(places._numpy())
    if value.ndim != 1 or not np.array_equal(np.sort(value), np.arange(count(value.shape))):
        raise invalid(f"{value.tolist()} is not a permutation [Op:InvertPermutation]", About.VALUES)
    return Tensor(np.argsort(value).astype(value.dtype))


class ApproxTopK(NamedTuple):
    """The result of `approx_max_k`."""

    values: Tensor
    indices: Tensor


@export("math.approx_max_k", "nn.approx_max_k")
@takes(recall_target="float", reduction_input_size_override="int", aggregate_to_topk="bool")
def approx_max_k(
    operand: Any,
    k: Any,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """Returns the largest elements along an axis, exactly, as TensorFlow does on CPUs.

    Args:
      operand: A floating-point tensor.
      k: The number of elements.
      reduction_dimension: The axis.
      recall_target: Accepted for compatibility: the result is always exact.
      reduction_input_size_override: Accepted for compatibility.
      aggregate_to_topk: Accepted for compatibility.
      name: Accepted for compatibility.

    Returns:
      The elements in descending order, and their indices, int32.

    Raises:
      InvalidArgumentError: The axis is out of range, or has too few elements.
    """
    return _best(tensor(operand), k, reduction_dimension, 1)


@export("math.approx_min_k", "nn.approx_min_k")
def approx_min_k(
    operand: Any,
    k: Any,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """Returns the smallest elements along an axis, exactly, as TensorFlow does on CPUs.

    Args:
      operand: A floating-point tensor.
      k: The number of elements.
      reduction_dimension: The axis.
      recall_target: Accepted for compatibility.
      reduction_input_size_override: Accepted for compatibility.
      aggregate_to_topk: Accepted for compatibility.
      name: Accepted for compatibility.

    Returns:
      A pair of the values in ascending order and their indices, int32.
    """
    return _best(tensor(operand), k, reduction_dimension, -1)


def _best(x: Tensor, k: Any, axis: int, sign: int) -> ApproxTopK:
    rank = len(shape_of(x))
    at = axis_index(axis, rank, "ApproxTopK", "reduction_dimension {axis} is out of range")
    swap = list(range(rank))
    swap[at], swap[-1] = swap[-1], swap[at]
    turned = transpose_p(x, perm=tuple(swap))
    values, places = top_k(turned if sign > 0 else -turned, k)
    values = values if sign > 0 else -values
    return ApproxTopK(*(transpose_p(y, perm=tuple(swap)) for y in (values, places)))


def _neighbours(x: Any) -> tuple[Any, Any]:
    x = tensor(x)
    if not x.dtype.is_numeric:
        raise TypeError(f"Expected x to be numeric, instead found: {x}")
    flat = np.asarray(x._numpy()).ravel()
    return flat[1:], flat[:-1]


@export("math.is_non_decreasing")
def is_non_decreasing(x: Any, name: str | None = None) -> Tensor:
    """Whether no element of the flattened tensor is less than the one before it.

    Args:
      x: A tensor of numbers.
      name: Accepted for compatibility.

    Returns:
      A scalar bool tensor.
    """
    after, before = _neighbours(x)
    return Tensor(np.bool_((after >= before).all()))


@export("math.is_strictly_increasing")
def is_strictly_increasing(x: Any, name: str | None = None) -> Tensor:
    """Whether each element of the flattened tensor is greater than the one before it.

    Args:
      x: A tensor of numbers.
      name: Accepted for compatibility.

    Returns:
      A scalar bool tensor.
    """
    after, before = _neighbours(x)
    return Tensor(np.bool_((after > before).all()))


BUCKETED = ("int32", "int64", "float32", "float64")


@raw_op("Bucketize", differentiable=False)
def bucketize(input: Any, boundaries: Any, name: str | None = None) -> Tensor:
    """Finds the bucket of each value: the number of boundaries that are less than or equal to it.

    Args:
      input: An int32, int64, float32 or float64 tensor.
      boundaries: Python numbers in ascending order.
      name: Accepted for compatibility.

    Returns:
      An int32 tensor of the shape of `input`; NaN is in the last bucket.

    Raises:
      InvalidArgumentError: The boundaries are not in ascending order, or the dtype is not
        supported.
    """
    x = tensor(input)
    if x.dtype.name not in BUCKETED:
        raise invalid(
            f"Value for attr 'T' of {x.dtype.name} is not in the list of allowed values: "
            f"{', '.join(BUCKETED)} [Op:Bucketize]",
            About.DTYPES,
        )
    bounds = np.asarray(boundaries, np.float32)
    if (np.diff(bounds) < 0).any():
        raise invalid(
            f"Expected sorted boundaries, got {bounds.tolist()} [Op:Bucketize]", About.VALUES
        )
    return Tensor(np.searchsorted(bounds, x._value, side="right").astype(np.int32)[()])


@raw_op("LowerBound", differentiable=False)
def _lower_bound(
    sorted_inputs: Any, values: Any, out_type: Any = np.int32, name: str | None = None
) -> Tensor:
    """Finds the index of each value in sorted rows, before equal elements."""
    return searchsorted(sorted_inputs, values, "left", out_type)


@raw_op("UpperBound", differentiable=False)
def _upper_bound(
    sorted_inputs: Any, values: Any, out_type: Any = np.int32, name: str | None = None
) -> Tensor:
    """Finds the index of each value in sorted rows, after equal elements."""
    return searchsorted(sorted_inputs, values, "right", out_type)


@export("approx_top_k")
@takes(
    recall_target="float",
    is_max_k="bool",
    reduction_input_size_override="int",
    aggregate_to_topk="bool",
)
@raw_op("ApproxTopK", ignored=("recall_target", "reduction_input_size_override"))
def approx_top_k(
    input: Any,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    is_max_k: bool = True,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """Returns the largest or the smallest elements along an axis, exactly.

    Args:
      input: A floating-point tensor.
      k: The number of elements.
      reduction_dimension: The axis.
      recall_target: Accepted for compatibility: the result is always exact.
      is_max_k: Whether the largest elements are meant.
      reduction_input_size_override: Accepted for compatibility.
      aggregate_to_topk: Accepted for compatibility.
      name: Accepted for compatibility.

    Returns:
      The elements, the best first, and their indices, int32.

    Raises:
      InvalidArgumentError: The axis is out of range, or has too few elements.
    """
    return _best(tensor(input), k, reduction_dimension, 1 if is_max_k else -1)
