"""`tf.sparse`: NumPy computes the indices, and operations compute the elements.

So gradients flow through the elements, as in TensorFlow.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradtape._src.base.error_messages import allocated
from gradtape._src.base.errors import About, InvalidArgumentError
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.attributes import takes
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.open_graphs import with_fed_values
from gradtape._src.declare.structural import broadcast_to_p, reshape_p
from gradtape._src.ops.array.gather import gather_p
from gradtape._src.ops.array.joining import concat as joined
from gradtape._src.ops.array.joining import unstack
from gradtape._src.ops.array.row_sums import add_rows_p
from gradtape._src.ops.array.scatter import gather_nd, scatter_nd, tensor_scatter_nd_update
from gradtape._src.ops.array.shaping import expand_dims as extended
from gradtape._src.ops.array.shaping import transpose as turned
from gradtape._src.ops.elementwise.arithmetic import mul_p
from gradtape._src.ops.elementwise.complex_numbers import conj
from gradtape._src.ops.elementwise.selection import maximum as larger
from gradtape._src.ops.elementwise.selection import minimum as smaller
from gradtape._src.ops.reduce.reductions import reduce_sum as dense_sum
from gradtape._src.ops.reduce.segment import unsorted_segment_sum
from gradtape._src.ops.types.sparse_tensor import SparseTensor

Places = np.ndarray[Any, Any]


def _sparse(x: Any, op: str) -> SparseTensor:
    if not isinstance(x, SparseTensor):
        raise TypeError(f"tf.sparse.{op}: Input must be a SparseTensor, got {type(x).__name__}")
    return x


def _invalid(
    op: str, message: str, about: About = About.SHAPES
) -> InvalidArgumentError | ValueError:
    return invalid(f"{message} [Op:{op}]", about)


def _places(x: SparseTensor) -> Places:
    return np.asarray(x.indices._numpy())


def _shape(x: SparseTensor) -> tuple[int, ...]:
    return tuple(x.dense_shape._value.tolist())


def _take(values: Tensor, rows: Any) -> Tensor:
    return gather_p(values, Tensor(np.asarray(rows)), axis=0, batch_dims=0)


def _flat(places: Places, shape: Sequence[int]) -> np.ndarray[Any, Any]:
    """Returns the indices as flat indices in row-major order."""
    if not shape:
        return np.zeros(len(places), np.int64)
    columns, whole = tuple(places.T), tuple(shape)
    return np.asarray(allocated("SparseTensor", whole, np.ravel_multi_index, columns, whole))


@export("sparse.to_dense")
@takes(validate_indices="bool")
@with_fed_values
def to_dense(
    sp_input: Any, default_value: Any = None, validate_indices: bool = True, name: str | None = None
) -> Tensor:
    """Converts a sparse tensor to a dense one.

    Args:
      sp_input: The sparse tensor.
      default_value: The value of the missing elements. Defaults to zero.
      validate_indices: Whether to check that no index is out of range or occurs twice.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape `sp_input.dense_shape` and of its dtype.

    Raises:
      InvalidArgumentError: An index is out of range, repeated or out of order.

    >>> x = tf.sparse.SparseTensor([[0, 1], [1, 0]], [5, 7], [2, 2])
    >>> tf.sparse.to_dense(x).numpy()
    array([[0, 5],
           [7, 0]], dtype=int32)
    """
    x = _sparse(sp_input, "to_dense")
    places, shape = x.indices._value, _shape(x)
    if validate_indices and isinstance(places, np.ndarray) and len(places):
        if ((places < 0) | (places >= np.array(shape, np.int64))).any():
            raise _invalid(
                "SparseToDense", f"indices are out of bounds for shape {list(shape)}", About.VALUES
            )
        if (np.diff(_flat(places, shape)) <= 0).any():
            raise _invalid(
                "SparseToDense",
                "indices are repeated or out of order (tf.sparse.reorder)",
                About.VALUES,
            )
    if default_value is None:
        if x.dtype.name != "string":
            return scatter_nd(x.indices, x.values, Tensor(np.array(shape, np.int64)))
        default_value = b""
    fill = convert_to_tensor(default_value, x.dtype)
    return tensor_scatter_nd_update(broadcast_to_p(fill, shape=shape), x.indices, x.values)


@export("sparse.from_dense")
@with_fed_values
def from_dense(tensor: Any, name: str | None = None) -> SparseTensor:
    """Makes a sparse tensor of the nonzero elements of a tensor.

    Args:
      tensor: A tensor.
      name: Accepted for compatibility.

    Returns:
      A SparseTensor of the shape and dtype of `tensor`.

    >>> tf.sparse.from_dense([[0, 5], [7, 0]]).indices.numpy()
    array([[0, 1],
           [1, 0]])
    """
    x = convert_to_tensor(tensor)
    zero = b"" if x.dtype.name == "string" else 0
    places = np.argwhere(np.asarray(x._value) != zero).astype(np.int64)
    shape = np.array(x._value.shape, np.int64)
    return SparseTensor(Tensor(places), gather_nd(x, Tensor(places)), Tensor(shape))


@export("sparse.reorder")
@with_fed_values
def reorder(sp_input: Any, name: str | None = None) -> SparseTensor:
    """Sorts the elements of a sparse tensor in row-major order.

    Args:
      sp_input: A SparseTensor.
      name: Accepted for compatibility.

    Returns:
      A SparseTensor with the elements of `sp_input` in row-major order.
    """
    x = _sparse(sp_input, "reorder")
    order = np.argsort(_flat(_places(x), _shape(x)), kind="stable")
    return SparseTensor(Tensor(_places(x)[order]), _take(x.values, order), x.dense_shape)


@export("sparse.map_values")
def map_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Applies a function to the stored elements of sparse tensors.

    Args:
      op: A function that is given the stored elements of each sparse tensor.
      *args: The arguments of `op`, some of which are sparse tensors.
      **kwargs: The keyword arguments of `op`.

    Returns:
      A SparseTensor whose elements are the result of `op`, or that result itself if no argument is
      sparse.

    Raises:
      InvalidArgumentError: The sparse tensors have different indices.

    >>> x = tf.sparse.SparseTensor([[0], [2]], [1.0, 4.0], [3])
    >>> tf.sparse.map_values(tf.sqrt, x).values.numpy()
    array([1., 2.], dtype=float32)
    """
    sparse = [x for x in (*args, *kwargs.values()) if isinstance(x, SparseTensor)]
    if not sparse:
        return op(*args, **kwargs)
    first = sparse[0]
    for other in sparse[1:]:
        if not np.array_equal(_places(first), _places(other)):
            raise _invalid(
                "MapValues", "all sparse arguments must have equal indices", About.VALUES
            )

    def values(x: Any) -> Any:
        return x.values if isinstance(x, SparseTensor) else x

    return first.with_values(op(*map(values, args), **{k: values(v) for k, v in kwargs.items()}))


def _merge(
    a: SparseTensor, b: SparseTensor, op: str
) -> tuple[SparseTensor, np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Returns zeros at the union of the indices, and the positions of each operand's elements."""
    if _shape(a) != _shape(b):
        raise _invalid(
            op, f"operands must have one shape, got {list(_shape(a))}, {list(_shape(b))}"
        )
    both = np.concatenate([_places(a), _places(b)])
    _, first, which = np.unique(_flat(both, _shape(a)), return_index=True, return_inverse=True)
    empty = np.zeros(len(first), a.values._value.dtype)
    union = SparseTensor(Tensor(both[first]), Tensor(empty), a.dense_shape)
    which = which.reshape(-1)
    return union, which[: len(_places(a))], which[len(_places(a)) :]


def _spread(values: Tensor, rows: Any, count: int) -> Tensor:
    return add_rows_p(values, Tensor(np.asarray(rows)), count=count)


def _combined(a: Any, b: Any, op: str, combine: Callable[[Any, Any], Any]) -> SparseTensor:
    a, b = _sparse(a, op), _sparse(b, op)
    union, own, other = _merge(a, b, op)
    count = len(_places(union))
    return union.with_values(
        combine(_spread(a.values, own, count), _spread(b.values, other, count))
    )


@export("sparse.add")
@with_fed_values
def add(a: Any, b: Any, threshold: Any = 0) -> Tensor | SparseTensor:
    """Returns the sum of two tensors, sparse if both are.

    Args:
      a: A tensor.
      b: A tensor. At least one of `a` and `b` is sparse.
      threshold: Sums whose absolute value is smaller are dropped.

    Returns:
      A SparseTensor if both are sparse, else a tensor.

    Raises:
      TypeError: Neither operand is sparse.
      InvalidArgumentError: The shapes differ.

    >>> x = tf.sparse.SparseTensor([[0], [2]], [1, 4], [3])
    >>> tf.sparse.add(x, [10, 10, 10]).numpy()
    array([11, 10, 14], dtype=int32)
    """
    if not isinstance(a, SparseTensor) and not isinstance(b, SparseTensor):
        raise TypeError("At least one input should be SparseTensor; do you mean to use tf.add()?")
    if not isinstance(a, SparseTensor):
        a, b = b, a
    if not isinstance(b, SparseTensor):
        return tensor(b) + to_dense(reorder(a))
    out = _combined(a, b, "add", lambda x, y: x + y)
    bound = np.asarray(threshold)
    return retain(out, np.abs(out.values._value) >= bound) if bound else out


@export("sparse.maximum")
@with_fed_values
def maximum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """Returns the larger elements of two sparse tensors of one shape.

    Args:
      sp_a: A SparseTensor.
      sp_b: A SparseTensor of the shape and dtype of `sp_a`.
      name: Accepted for compatibility.

    Returns:
      A SparseTensor with the indices of both; an element that one of them lacks is zero.

    Raises:
      InvalidArgumentError: The shapes differ.
    """
    return _combined(sp_a, sp_b, "maximum", larger)


@export("sparse.minimum")
@with_fed_values
def minimum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """Returns the smaller elements of two sparse tensors of one shape.

    Args:
      sp_a: A SparseTensor.
      sp_b: A SparseTensor of the shape and dtype of `sp_a`.
      name: Accepted for compatibility.

    Returns:
      A SparseTensor with the indices of both; an element that one of them lacks is zero.

    Raises:
      InvalidArgumentError: The shapes differ.
    """
    return _combined(sp_a, sp_b, "minimum", smaller)


@export("sparse.retain")
@with_fed_values
def retain(sp_input: Any, to_retain: Any) -> SparseTensor:
    """Keeps the elements that a boolean vector selects.

    Args:
      sp_input: A SparseTensor.
      to_retain: A bool vector with one element for each stored element of `sp_input`.

    Returns:
      A SparseTensor of the shape of `sp_input`.

    Raises:
      ValueError: `to_retain` is not a vector.

    >>> x = tf.sparse.SparseTensor([[0], [2]], [1, 4], [3])
    >>> tf.sparse.retain(x, [False, True]).values.numpy()
    array([4], dtype=int32)
    """
    x = _sparse(sp_input, "retain")
    given = convert_to_tensor(to_retain)
    if len(shape_of(given)) != 1:
        raise ValueError(f"Shape {given.shape} must have rank 1")
    kept = np.flatnonzero(np.asarray(given))
    return SparseTensor(Tensor(_places(x)[kept]), _take(x.values, kept), x.dense_shape)


@export("sparse.expand_dims")
@with_fed_values
def expand_dims(sp_input: Any, axis: Any = None, name: str | None = None) -> SparseTensor:
    """Adds an axis of length one.

    Args:
      sp_input: A SparseTensor.
      axis: The position of the new axis. Defaults to -1, the last.
      name: Accepted for compatibility.

    Returns:
      A SparseTensor with one additional axis.

    Raises:
      ValueError: The axis is out of range.

    >>> x = tf.sparse.SparseTensor([[0], [2]], [1, 4], [3])
    >>> tf.sparse.expand_dims(x, 0).shape
    TensorShape([1, 3])
    """
    x = _sparse(sp_input, "expand_dims")
    rank = len(_shape(x))
    at = -1 if axis is None else int(axis)
    if not -rank - 1 <= at <= rank:
        raise ValueError(f"axis {at} is out of range: [{-rank - 1}, {rank}]")
    at %= rank + 1
    return SparseTensor(
        Tensor(np.insert(_places(x), at, 0, axis=1)),
        x.values,
        Tensor(np.array([*_shape(x)[:at], 1, *_shape(x)[at:]], np.int64)),
    )


@export("sparse.reshape")
@with_fed_values
def reshape(sp_input: Any, shape: Any, name: str | None = None) -> SparseTensor:
    """Gives a sparse tensor another shape.

    Args:
      sp_input: A SparseTensor.
      shape: The new shape; one length may be -1, and is then inferred.
      name: Accepted for compatibility.

    Returns:
      A SparseTensor with the elements of `sp_input` in row-major order.

    >>> x = tf.sparse.SparseTensor([[0], [2]], [1, 4], [4])
    >>> tf.sparse.reshape(x, [2, -1]).indices.numpy()
    array([[0, 0],
           [1, 0]])
    """
    x = _sparse(sp_input, "reshape")
    want = [int(n) for n in np.asarray(convert_to_tensor(shape))]
    size = math.prod(_shape(x))
    known = math.prod([n for n in want if n >= 0])
    want = [size // max(known, 1) if n < 0 else n for n in want]
    if math.prod(want) != size:
        raise _invalid(
            "SparseReshape",
            f"Input to reshape is a tensor with {size} dense values, but the "
            f"requested shape is {want}",
        )
    places = np.stack(np.unravel_index(_flat(_places(x), _shape(x)), tuple(want)), axis=-1)
    return SparseTensor(Tensor(places.astype(np.int64)), x.values, Tensor(np.array(want, np.int64)))


@export("sparse.transpose")
@with_fed_values
def transpose(sp_input: Any, perm: Any = None, name: str | None = None) -> SparseTensor:
    """Permutes the axes of a sparse tensor.

    Args:
      sp_input: A SparseTensor.
      perm: The axis of `sp_input` for each axis of the result. Defaults to the reverse order.
      name: Accepted for compatibility.

    Returns:
      A SparseTensor whose elements are in row-major order.

    >>> x = tf.sparse.SparseTensor([[0, 1]], [5], [2, 3])
    >>> tf.sparse.transpose(x).indices.numpy()
    array([[1, 0]])
    """
    x = _sparse(sp_input, "transpose")
    rank = len(_shape(x))
    order = list(range(rank))[::-1] if perm is None else [int(p) for p in np.asarray(perm)]
    shape = np.array(_shape(x), np.int64)[order]
    return reorder(SparseTensor(Tensor(_places(x)[:, order]), x.values, Tensor(shape)))


@export("sparse.concat")
@with_fed_values
def concat(
    axis: int, sp_inputs: Any, expand_nonconcat_dims: bool = False, name: Any = None
) -> SparseTensor:
    """Joins sparse tensors along an axis.

    Args:
      axis: The axis.
      sp_inputs: A sequence of SparseTensors of one rank and dtype.
      expand_nonconcat_dims: Whether the other axes may differ; the result then has the greatest
        length of each.
      name: Accepted for compatibility.

    Returns:
      A SparseTensor whose elements are in row-major order.

    Raises:
      InvalidArgumentError: The shapes differ in an axis other than `axis`.

    >>> x = tf.sparse.SparseTensor([[0], [2]], [1, 4], [3])
    >>> tf.sparse.concat(0, [x, x]).indices.numpy().ravel()
    array([0, 2, 3, 5])
    """
    inputs = [_sparse(x, "concat") for x in sp_inputs]
    shapes = np.array([_shape(x) for x in inputs], np.int64)
    shape = np.max(shapes, axis=0)
    at = axis % len(shape)
    others = np.delete(shapes, at, axis=1)
    if not expand_nonconcat_dims and (others != others[0]).any():
        raise _invalid(
            "SparseConcat",
            f"the shapes {shapes.tolist()} differ along an axis other than {at} (with "
            "expand_nonconcat_dims=True, the result has the greatest lengths)",
        )
    parts, start = [], 0
    for x in inputs:
        part = _places(x).copy()
        part[:, at] += start
        start += _shape(x)[at]
        parts.append(part)
    shape[at] = start
    values = joined([x.values for x in inputs], 0)
    whole = Tensor(np.concatenate(parts))
    return reorder(SparseTensor(whole, values, Tensor(shape.astype(np.int64))))


@export("sparse.reduce_sum")
@takes(keepdims="bool")
@with_fed_values
def reduce_sum(
    sp_input: Any,
    axis: Any = None,
    keepdims: Any = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor | SparseTensor:
    """Computes the sum along axes.

    Args:
      sp_input: A SparseTensor.
      axis: The axes to reduce. Defaults to all of them.
      keepdims: Whether the reduced axes are kept, with length one.
      output_is_sparse: Whether the result is sparse.
      name: Accepted for compatibility.

    Returns:
      A tensor, or a SparseTensor if `output_is_sparse` is True.

    >>> x = tf.sparse.SparseTensor([[0, 1], [1, 0]], [5, 7], [2, 2])
    >>> tf.sparse.reduce_sum(x, axis=1).numpy()
    array([5, 7], dtype=int32)
    """
    out = dense_sum(to_dense(reorder(_sparse(sp_input, "reduce_sum"))), axis, bool(keepdims))
    return from_dense(out) if output_is_sparse else out


def _symbolic_product(a: SparseTensor, b: Tensor, transposed: bool) -> Tensor:
    """Returns the product of two matrices, for indices that are known when the graph runs.

    Args:
      a: The sparse matrix.
      b: The dense matrix.
      transposed: Whether to multiply by the transpose of `a`.
    """
    inner, outer = (0, 1) if transposed else (1, 0)
    places = unstack(a.indices, axis=1)
    parts = extended(a.values, 1) * gather_p(b, places[inner], axis=0, batch_dims=0)
    return unsorted_segment_sum(parts, places[outer], a.dense_shape[outer])


@export("sparse.sparse_dense_matmul")
@takes(adjoint_a="bool", adjoint_b="bool")
@with_fed_values
def sparse_dense_matmul(
    sp_a: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False, name: str | None = None
) -> Tensor:
    """Returns the product of a sparse and a dense matrix, or of a dense and a sparse one.

    Args:
      sp_a: The sparse matrix, of shape (n, m), or (m, n) if `adjoint_a` is True.
      b: The dense matrix, of shape (m, k), or (k, m) if `adjoint_b` is True.
      adjoint_a: Whether to multiply by the conjugate transpose of `sp_a`.
      adjoint_b: Whether to multiply by the conjugate transpose of `b`.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (n, k).

    >>> x = tf.sparse.SparseTensor([[0, 1]], [5.0], [2, 2])
    >>> tf.sparse.sparse_dense_matmul(x, [[1.0], [2.0]]).numpy()
    array([[10.],
           [ 0.]], dtype=float32)
    """
    if isinstance(b, SparseTensor):
        product = sparse_dense_matmul(b, sp_a, not adjoint_b, not adjoint_a)
        return turned(product, conjugate=True)
    a = _sparse(sp_a, "sparse_dense_matmul")
    a = a.with_values(conj(a.values)) if adjoint_a else a
    b = turned(tensor(b), conjugate=True) if adjoint_b else tensor(b)
    if type(a.indices._value) is not np.ndarray:
        return _symbolic_product(a, b, adjoint_a)
    a = transpose(a) if adjoint_a else a
    rows, columns = _places(a).T
    if _shape(a)[1] != b._value.shape[0]:
        raise _invalid(
            "SparseTensorDenseMatMul",
            f"k (={_shape(a)[1]}) from sp_a does not match the first dimension of b, "
            f"{b._value.shape[0]}",
        )
    parts = mul_p(reshape_p(a.values, shape=(len(rows), 1)), _take(b, columns))
    return _spread(parts, rows, _shape(a)[0])
