"""Operations on arrays with TensorFlow 1's names and arguments."""

from __future__ import annotations

from typing import Any, NamedTuple

from gradtape._src.base.dtypes import int32
from gradtape._src.base.export import export
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.array import (
    creation,
    padding,
    roll_reverse,
    scatter,
    shaping,
    slicing,
    tensor_shapes,
)
from gradtape._src.ops.array import gather as gathering
from gradtape._src.ops.raw.array_operations import list_difference
from gradtape._src.ops.types.sparse_tensor import SparseTensor
from gradtape._src.sessions.fetches import SparseTensorValue
from gradtape._src.sessions.older.arguments import either


class ListDiff(NamedTuple):
    """The elements of a vector that another vector does not contain.

    Attributes:
      out: The elements.
      idx: Their indices.
    """

    out: Tensor
    idx: Tensor


@export("compat.v1.constant")
def constant(
    value: Any,
    dtype: Any = None,
    shape: Any = None,
    name: str = "Const",
    verify_shape: bool = False,
) -> Tensor:
    """Returns a constant tensor.

    Args:
      value: The values.
      dtype: The type of the elements.
      shape: The shape; values that are missing repeat the last one.
      name: The operation's name.
      verify_shape: Whether `value` must have the shape already.

    Returns:
      A tensor.

    Raises:
      TypeError: `verify_shape` is true, and the shape of `value` differs from `shape`.
    """
    if verify_shape and shape is not None:
        found = creation.constant(value, dtype, name=name)
        if found.shape != shape:
            raise TypeError(f"Expected Tensor's shape: {shape}, got {found.shape}.")
        return found
    return creation.constant(value, dtype, shape, name)


@export("compat.v1.convert_to_tensor")
def convert_to_tensor(
    value: Any,
    dtype: Any = None,
    name: str | None = None,
    preferred_dtype: Any = None,
    dtype_hint: Any = None,
) -> Tensor:
    """Converts a value to a tensor.

    Args:
      value: A tensor, array, number or list.
      dtype: The type of the elements.
      name: The operation's name.
      preferred_dtype: The old name of `dtype_hint`.
      dtype_hint: The type of the elements if `value` does not determine it.

    Returns:
      A tensor.
    """
    hint = either(dtype_hint, preferred_dtype, "dtype_hint", "preferred_dtype")
    return creation.convert_to_tensor(value, dtype, hint, name)


@export("compat.v1.convert_to_tensor_or_indexed_slices")
def convert_to_tensor_or_indexed_slices(
    value: Any, dtype: Any = None, name: str | None = None
) -> Tensor | IndexedSlices:
    """Converts a value to a tensor, unless it is an `IndexedSlices`.

    Args:
      value: An `IndexedSlices`, tensor, array, number or list.
      dtype: The type of the elements.
      name: The operation's name.

    Returns:
      A tensor or `value`.
    """
    if isinstance(value, IndexedSlices):
        return value
    return creation.convert_to_tensor(value, dtype, name=name)


@export("compat.v1.convert_to_tensor_or_sparse_tensor")
def convert_to_tensor_or_sparse_tensor(
    value: Any, dtype: Any = None, name: str | None = None
) -> Tensor | SparseTensor:
    """Converts a value to a tensor, unless it is a sparse tensor.

    Args:
      value: A sparse tensor, tensor, array, number or list.
      dtype: The type of the elements.
      name: The operation's name.

    Returns:
      A tensor or `value`.
    """
    if isinstance(value, SparseTensor):
        return value
    if isinstance(value, SparseTensorValue):
        return SparseTensor.from_value(value)
    return creation.convert_to_tensor(value, dtype, name=name)


@export("compat.v1.shape")
def shape(input: Any, name: str | None = None, out_type: Any = None) -> Tensor:
    """Returns the shape of a tensor.

    Args:
      input: A tensor.
      name: The operation's name.
      out_type: The type of the result.

    Returns:
      A vector of integers.
    """
    return tensor_shapes.shape(input, out_type, name)


@export("compat.v1.size")
def size(input: Any, name: str | None = None, out_type: Any = None) -> Tensor:
    """Returns the number of elements of a tensor.

    Args:
      input: A tensor.
      name: The operation's name.
      out_type: The type of the result.

    Returns:
      A scalar.
    """
    return tensor_shapes.size(input, out_type, name)


@export("compat.v1.zeros_like")
def zeros_like(
    tensor: Any, dtype: Any = None, name: str | None = None, optimize: bool = True
) -> Tensor:
    """Returns a tensor of zeros with the shape of another tensor.

    Args:
      tensor: A tensor.
      dtype: The type of the elements.
      name: The operation's name.
      optimize: Accepted for compatibility.

    Returns:
      A tensor.
    """
    return creation.zeros_like(tensor, dtype, name)


@export("compat.v1.ones_like")
def ones_like(
    tensor: Any, dtype: Any = None, name: str | None = None, optimize: bool = True
) -> Tensor:
    """Returns a tensor of ones with the shape of another tensor.

    Args:
      tensor: A tensor.
      dtype: The type of the elements.
      name: The operation's name.
      optimize: Accepted for compatibility.

    Returns:
      A tensor.
    """
    return creation.ones_like(tensor, dtype, name)


@export("compat.v1.transpose")
def transpose(a: Any, perm: Any = None, name: str = "transpose", conjugate: bool = False) -> Tensor:
    """Exchanges the axes of a tensor.

    Args:
      a: A tensor.
      perm: The order of the axes. Defaults to the reverse order.
      name: The operation's name.
      conjugate: Whether to conjugate complex numbers.

    Returns:
      A tensor.
    """
    return shaping.transpose(a, perm, conjugate, name)


@export("compat.v1.pad")
def pad(
    tensor: Any,
    paddings: Any,
    mode: str = "CONSTANT",
    name: str | None = None,
    constant_values: Any = 0,
) -> Tensor:
    """Adds elements around a tensor.

    Args:
      tensor: A tensor.
      paddings: The numbers of elements before and after each axis, of shape (rank, 2).
      mode: "CONSTANT", "REFLECT" or "SYMMETRIC".
      name: The operation's name.
      constant_values: The value of new elements.

    Returns:
      A tensor.
    """
    return padding.pad(tensor, paddings, mode, constant_values, name)


@export("compat.v1.gather")
def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    name: str | None = None,
    axis: Any = None,
    batch_dims: int = 0,
) -> Tensor:
    """Takes slices along an axis.

    Args:
      params: A tensor.
      indices: The indices.
      validate_indices: Accepted for compatibility.
      name: The operation's name.
      axis: The axis. Defaults to the first axis after the batch axes.
      batch_dims: The number of leading batch axes.

    Returns:
      A tensor.
    """
    return gathering.gather(params, indices, validate_indices, axis, batch_dims, name)


@export("compat.v1.gather_nd")
def gather_nd(
    params: Any,
    indices: Any,
    name: str | None = None,
    batch_dims: int = 0,
    bad_indices_policy: str = "",
) -> Tensor:
    """Takes elements or slices at indices.

    Args:
      params: A tensor.
      indices: The indices.
      name: The operation's name.
      batch_dims: The number of leading batch axes.
      bad_indices_policy: The treatment of indices outside the tensor; see `tf.gather_nd`.

    Returns:
      A tensor.
    """
    found: Tensor = scatter.gather_nd(params, indices, batch_dims, name, bad_indices_policy)
    return found


@export("compat.v1.batch_gather")
def batch_gather(params: Any, indices: Any, name: str | None = None) -> Tensor:
    """Takes elements along the last axis of `indices`; the axes before it are batches.

    Args:
      params: A tensor.
      indices: The indices.
      name: The operation's name.

    Returns:
      A tensor.

    Raises:
      ValueError: The number of axes of `indices` is not known.
    """
    rank = creation.convert_to_tensor(indices).shape.rank
    if rank is None:
        raise ValueError("batch_gather needs the number of axes of `indices`.")
    return gathering.gather(params, indices, None, rank - 1, rank - 1, name)


@export("compat.v1.boolean_mask")
def boolean_mask(tensor: Any, mask: Any, name: str = "boolean_mask", axis: Any = None) -> Tensor:
    """Returns the elements for which a mask is true.

    Args:
      tensor: A tensor.
      mask: A bool tensor.
      name: The operation's name.
      axis: The first axis that the mask applies to.

    Returns:
      A tensor.
    """
    return slicing.boolean_mask(tensor, mask, axis, name)


def _block(block_shape: Any, block_size: Any) -> Any:
    """Returns the lengths of a block along its axes; an integer stands for two equal lengths."""
    block = either(block_shape, block_size, "block_shape", "block_size")
    return [block, block] if isinstance(block, int) else block


@export("compat.v1.batch_to_space")
def batch_to_space(
    input: Any,
    crops: Any,
    block_size: int | None = None,
    name: str | None = None,
    block_shape: Any = None,
) -> Tensor:
    """Moves values from the batch axis into blocks along the spatial axes.

    Args:
      input: A tensor.
      crops: The numbers of elements to remove at the ends of each axis, of shape (axes, 2).
      block_size: The side length of a square block.
      name: The operation's name.
      block_shape: The length of a block along each axis.

    Returns:
      A tensor.
    """
    return padding.batch_to_space(input, _block(block_shape, block_size), crops, name)


@export("compat.v1.space_to_batch")
def space_to_batch(
    input: Any,
    paddings: Any,
    block_size: int | None = None,
    name: str | None = None,
    block_shape: Any = None,
) -> Tensor:
    """Moves blocks along the spatial axes into the batch axis.

    Args:
      input: A tensor.
      paddings: The numbers of zeros to add at the ends of each axis, of shape (axes, 2).
      block_size: The side length of a square block.
      name: The operation's name.
      block_shape: The length of a block along each axis.

    Returns:
      A tensor.
    """
    return padding.space_to_batch(input, _block(block_shape, block_size), paddings, name)


@export("compat.v1.batch_to_space_nd")
def batch_to_space_nd(input: Any, block_shape: Any, crops: Any, name: str | None = None) -> Tensor:
    """Moves values from the batch axis into blocks along the spatial axes.

    Args:
      input: A tensor.
      block_shape: The length of a block along each axis.
      crops: The numbers of elements to remove at the ends of each axis.
      name: The operation's name.

    Returns:
      A tensor.
    """
    return padding.batch_to_space(input, block_shape, crops, name)


@export("compat.v1.depth_to_space")
def depth_to_space(
    input: Any, block_size: int, name: str | None = None, data_format: str = "NHWC"
) -> Tensor:
    """Moves values from the channels into blocks along the spatial axes.

    Args:
      input: A tensor.
      block_size: The side length of a square block.
      name: The operation's name.
      data_format: The order of the axes, such as "NHWC".

    Returns:
      A tensor.
    """
    return padding.depth_to_space(input, block_size, data_format, name)


@export("compat.v1.space_to_depth")
def space_to_depth(
    input: Any, block_size: int, name: str | None = None, data_format: str = "NHWC"
) -> Tensor:
    """Moves blocks along the spatial axes into the channels.

    Args:
      input: A tensor.
      block_size: The side length of a square block.
      name: The operation's name.
      data_format: The order of the axes, such as "NHWC".

    Returns:
      A tensor.
    """
    return padding.space_to_depth(input, block_size, data_format, name)


@export("compat.v1.reverse_sequence")
def reverse_sequence(
    input: Any,
    seq_lengths: Any,
    seq_axis: int | None = None,
    batch_axis: int | None = None,
    name: str | None = None,
    seq_dim: int | None = None,
    batch_dim: int | None = None,
) -> Tensor:
    """Reverses the first elements of each sequence of a batch.

    Args:
      input: A tensor.
      seq_lengths: The number of elements to reverse in each sequence.
      seq_axis: The axis of the sequences.
      batch_axis: The axis of the batch. Defaults to 0.
      name: The operation's name.
      seq_dim: The old name of `seq_axis`.
      batch_dim: The old name of `batch_axis`.

    Returns:
      A tensor.
    """
    along = either(seq_axis, seq_dim, "seq_axis", "seq_dim")
    over = either(batch_axis, batch_dim, "batch_axis", "batch_dim")
    return roll_reverse.reverse_sequence(input, seq_lengths, along, over, name)


@export("compat.v1.setdiff1d")
def setdiff1d(x: Any, y: Any, index_dtype: Any = int32, name: str | None = None) -> ListDiff:
    """Returns the elements of a vector that another vector does not contain.

    Args:
      x: A vector.
      y: A vector of the same dtype.
      index_dtype: The type of the indices.
      name: The operation's name.

    Returns:
      The elements, and their indices in `x`.
    """
    return ListDiff(*list_difference(x, y, index_dtype))
