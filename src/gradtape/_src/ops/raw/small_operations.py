"""Small operations on arrays that saved models and layers call by their raw names."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.dtypes import as_dtype, int32
from gradtape._src.base.errors import About
from gradtape._src.base.export import raw_op
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid, sizes
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.unknown_sizes import may_be_equal
from gradtape._src.ops.array import scatter, slicing, tensor_shapes
from gradtape._src.ops.array.creation import range as range_of
from gradtape._src.ops.array.gather import gather
from gradtape._src.ops.array.shaping import broadcast_to, reshape
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.comparison import less
from gradtape._src.ops.linalg.decompositions import eig, eigh, eigvals, eigvalsh, svd
from gradtape._src.ops.reduce import segment
from gradtape._src.ops.reduce.counting import number_of_bins

_FORMATS = {4: ("NHWC", "NCHW"), 5: ("NDHWC", "NCDHW")}


def _order(source: str, target: str, op: str) -> list[int]:
    """Returns, for each letter of the target format, its index in the source format."""
    if sorted(source) != sorted(target) or len(source) not in _FORMATS:
        raise invalid(
            f"Destination and source format must determine a permutation, got {source} and "
            f"{target} [Op:{op}]",
            About.VALUES,
        )
    return [source.index(letter) for letter in target]


@raw_op("DataFormatDimMap", differentiable=False)
def data_format_dim_map(
    x: Any, src_format: str = "NHWC", dst_format: str = "NCHW", name: str | None = None
) -> Tensor:
    """Returns axes of one data format as axes of another."""
    op = "DataFormatDimMap"
    axes = convert_to_tensor(x)
    _order(src_format, dst_format, op)
    found = np.array([dst_format.index(letter) for letter in src_format], np.int32)
    made: Tensor = gather(convert_to_tensor(found, axes.dtype), axes % len(src_format))
    return made


@raw_op("DataFormatVecPermute", differentiable=False)
def data_format_vec_permute(
    x: Any, src_format: str = "NHWC", dst_format: str = "NCHW", name: str | None = None
) -> Tensor:
    """Returns a number, or a pair of numbers, for each axis in the order of another format.

    If there are two numbers fewer than axes, they are for the spatial axes only.
    """
    op = "DataFormatVecPermute"
    values = convert_to_tensor(x)
    count = int(shape_of(values)[0]) if shape_of(values) else 0
    if len(shape_of(values)) not in (1, 2) or count not in (len(src_format), len(src_format) - 2):
        raise invalid(
            f"input must be a vector or a matrix with {len(src_format)} or {len(src_format) - 2} "
            f"rows, but got shape {list(shape_of(values))} [Op:{op}]"
        )
    _order(src_format, dst_format, op)
    if count < len(src_format):
        src_format, dst_format = (
            "".join(letter for letter in form if letter in "DHW")
            for form in (src_format, dst_format)
        )
    order = [src_format.index(letter) for letter in dst_format]
    permuted: Tensor = gather(values, np.array(order, np.int32))
    return permuted


@raw_op("ScatterNdNonAliasingAdd", ignored=("bad_indices_policy",))
def scatter_nd_non_aliasing_add(
    input: Any, indices: Any, updates: Any, name: str | None = None
) -> Tensor:
    """Returns a copy of a tensor with numbers added at index vectors."""
    return scatter.tensor_scatter_nd_add(input, indices, updates)


@raw_op("TensorStridedSliceUpdate")
def tensor_strided_slice_update(
    input: Any,
    begin: Any,
    end: Any,
    strides: Any,
    value: Any,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    name: str | None = None,
) -> Tensor:
    """Returns a copy of a tensor in which a slice is replaced."""
    x = convert_to_tensor(input)
    count = int(np.prod(shape_of(x), dtype=np.int64))
    places = reshape(range_of(count), shape_of(x))
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    at = slicing.strided_slice(places, begin, end, strides, *masks)
    values = broadcast_to(convert_to_tensor(value, x.dtype), shape_of(at))
    flat = scatter.tensor_scatter_nd_update(
        reshape(x, (-1,)), reshape(at, (-1, 1)), reshape(values, (-1,))
    )
    return reshape(flat, shape_of(x))


def _rows(x: Any, i: Any) -> Tensor:
    """Returns row numbers as a column, modulo the number of rows, as TensorFlow's kernel does."""
    shape = shape_of(convert_to_tensor(x))
    if not shape:
        raise invalid("x must have rank 1 or more, got a scalar [Op:InplaceUpdate]")
    return reshape(convert_to_tensor(i), (-1, 1)) % shape[0]


@raw_op("InplaceUpdate")
def inplace_update(x: Any, i: Any, v: Any, name: str | None = None) -> Tensor:
    """Returns a copy of a tensor in which rows are replaced."""
    return scatter.tensor_scatter_nd_update(x, _rows(x, i), v)


@raw_op("InplaceAdd")
def inplace_add(x: Any, i: Any, v: Any, name: str | None = None) -> Tensor:
    """Returns a copy of a tensor with numbers added to rows."""
    return scatter.tensor_scatter_nd_add(x, _rows(x, i), v)


@raw_op("InplaceSub")
def inplace_sub(x: Any, i: Any, v: Any, name: str | None = None) -> Tensor:
    """Returns a copy of a tensor with numbers subtracted from rows."""
    return scatter.tensor_scatter_nd_sub(x, _rows(x, i), v)


@raw_op("BroadcastArgs", differentiable=False)
def broadcast_args(s0: Any, s1: Any, name: str | None = None) -> Tensor:
    """Returns the shape that two shapes broadcast to."""
    return tensor_shapes.broadcast_dynamic_shape(s0, s1)


@raw_op("ApproximateEqual", differentiable=False)
def approximate_equal(x: Any, y: Any, tolerance: float = 1e-5, name: str | None = None) -> Tensor:
    """Returns where two tensors differ by less than a number."""
    a = convert_to_tensor(x)
    b = convert_to_tensor(y, a.dtype)
    if not may_be_equal(shape_of(a), shape_of(b)):
        raise invalid(
            f"x and y must be of the same shape. x shape: {[*shape_of(a)]}, y shape: "
            f"{[*shape_of(b)]} [Op:ApproximateEqual]"
        )
    close: Tensor = less(abs(a - b), tolerance)
    return close


@raw_op("AccumulateNV2", ignored=("shape",))
def accumulate_n(inputs: Any, name: str | None = None) -> Tensor:
    """Returns the sum of tensors of one shape."""
    total = convert_to_tensor(inputs[0])
    for x in inputs[1:]:
        total = total + convert_to_tensor(x, total.dtype)
    return total


@raw_op("SegmentSumV2")
def segment_sum_v2(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """Returns the sums of rows with the same segment."""
    return segment.unsorted_segment_sum(data, segment_ids, num_segments)


@raw_op("SegmentProdV2")
def segment_prod_v2(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """Returns the products of rows with the same segment."""
    return segment.unsorted_segment_prod(data, segment_ids, num_segments)


def _counts(rows: Any, values: Any, size: Any, weights: Any, binary: bool, height: int) -> Tensor:
    """Returns how often each number occurs in each row, or the sums of its weights."""
    values, length = convert_to_tensor(values), number_of_bins(size, "Bincount")
    w = convert_to_tensor(weights)
    if np.any(values._numpy() < 0):
        raise invalid("Input must be non-negative [Op:Bincount]", About.VALUES)
    if w._value.size not in (0, values._value.size):
        raise invalid(
            f"Input indices and weights must have the same size, or weights length 0, got shapes "
            f"{list(shape_of(values))} and {list(shape_of(w))} [Op:Bincount]"
        )
    ones = np.ones(shape_of(values), w._value.dtype)
    given = w._numpy().reshape(ones.shape) if w._value.size else ones
    out = np.zeros((height, length), w._value.dtype)
    kept = values._numpy() < length
    at = (np.asarray(rows)[kept], values._numpy()[kept])
    if binary:
        out[at] = 1
    else:
        np.add.at(out, at, given[kept])
    return Tensor(out)


@raw_op("RaggedBincount", differentiable=False)
def ragged_bincount(
    splits: Any,
    values: Any,
    size: Any,
    weights: Any,
    binary_output: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns how often each number occurs in each row of a ragged tensor."""
    ends = convert_to_tensor(splits)._numpy().reshape(-1)
    x = convert_to_tensor(values)
    if x._value.ndim > 1:
        raise invalid(f"values must be a vector, got shape {x.shape} [Op:RaggedBincount]")
    values, count = reshape(x, (-1,)), x._value.size
    if not len(ends) or ends[0] or ends[-1] != count or np.any(np.diff(ends) < 0):
        raise invalid(
            f"Splits must start with 0, ascend, and end with the number of values, {count}, got "
            f"{ends.tolist()} [Op:RaggedBincount]",
            About.VALUES,
        )
    rows = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
    return _counts(rows, values, size, weights, binary_output, len(ends) - 1)


@raw_op("SparseBincount", differentiable=False)
def sparse_bincount(
    indices: Any,
    values: Any,
    dense_shape: Any,
    size: Any,
    weights: Any,
    binary_output: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns how often each number occurs in each row of a sparse tensor."""
    shape = sizes(dense_shape, "SparseBincount")
    at = convert_to_tensor(indices)._numpy()
    if len(shape) == 1:
        counted = _counts(np.zeros(len(at), int), values, size, weights, binary_output, 1)
        return reshape(counted, (-1,))
    return _counts(at[:, 0], values, size, weights, binary_output, shape[0])


@raw_op("Bincount", differentiable=False)
def bincount(arr: Any, size: Any, weights: Any, name: str | None = None) -> Tensor:
    """Returns how often each number occurs in a tensor, or the sums of its weights."""
    flat = reshape(convert_to_tensor(arr, int32), (-1,))
    w = reshape(convert_to_tensor(weights), (-1,))
    rows = np.zeros(shape_of(flat), int)
    return reshape(_counts(rows, flat, size, w, False, 1), (-1,))


@raw_op("Svd", input="tensor")
def singular_value_decomposition(
    tensor: Any, compute_uv: bool = True, full_matrices: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """Returns singular values of the dtype of the matrices, and vectors or zeros in their place."""
    x = convert_to_tensor(tensor)
    if compute_uv:
        s, u, v = svd(x, full_matrices)
    else:
        s, u = svd(x, compute_uv=False), Tensor(x._value.dtype.type(0))
        v = u
    return (cast(s, x.dtype) if x.dtype.is_complex else s), u, v


@raw_op("SelfAdjointEigV2")
def self_adjoint_eigenvalues(
    input: Any, compute_v: bool = True, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Returns eigenvalues of self-adjoint matrices, and eigenvectors or a zero in their place."""
    if compute_v:
        return eigh(input)
    values = eigvalsh(input)
    return values, Tensor(convert_to_tensor(input)._value.dtype.type(0))


@raw_op("Eig")
def eigenvalues(
    input: Any, Tout: Any, compute_v: bool = True, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Returns the eigenvalues of matrices, and the eigenvectors or a zero in their place.

    Raises:
      InvalidArgumentError: `Tout` is not the complex dtype of the matrices' precision.
    """
    found = eig(input) if compute_v else (eigvals(input),)
    own, wanted = found[0].dtype, as_dtype(Tout)
    if own is not wanted:
        numbers = f"{wanted.as_datatype_enum} vs {own.as_datatype_enum}"
        raise invalid(f"Invalid output dtype {numbers} [Op:Eig]", About.DTYPES)
    return found[0], found[1] if len(found) == 2 else Tensor(own.as_numpy_dtype(0))
