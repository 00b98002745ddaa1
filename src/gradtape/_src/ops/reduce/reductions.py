"""Reductions: one value from all elements along some axes.

The axes of the primitives are ascending and counted from the end, so that an additional batch axis
in front does not change them.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import as_dtype, bool_, int64
from gradtape._src.base.export import export, raw_op
from gradtape._src.compute.axis_sums import accumulated, add, wider
from gradtape._src.compute.jax_modules import jnp, lax
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import reduced
from gradtape._src.declare.general import NUMERIC, dtype_of_value, general, shape_of
from gradtape._src.declare.open_graphs import when_run
from gradtape._src.declare.pointwise import mul_no_nan_p
from gradtape._src.declare.structural import (
    conj_p,
    conjugate,
    number,
    reduce_sum_p,
    reshape_p,
    spread,
    transpose_p,
)
from gradtape._src.declare.traits import Hazard, Pattern, Traits
from gradtape._src.declare.unknown_sizes import NeedsRank
from gradtape._src.declare.xla_kernels import in_float32
from gradtape._src.ops.elementwise.casting import cast_p, widened
from gradtape._src.ops.elementwise.complex_numbers import real_p
from gradtape._src.ops.elementwise.division import reciprocal_p
from gradtape._src.ops.elementwise.logical import BOOL
from gradtape._src.ops.elementwise.powers import sqrt_p, square_p
from gradtape._src.ops.reduce.cumulative import cumprod_p

Axes = tuple[int, ...]
float32 = np.float32  # read faster than an attribute of NumPy
# (x, axis, dtype, out, keepdims); the types that NumPy declares allow fewer forms of the call.
_ADD: Any = np.add.reduce
_AND: Any = np.logical_and.reduce
_OR: Any = np.logical_or.reduce


def _size(shape: tuple[int, ...], axis: Axes) -> int:
    """Returns the number of elements that are reduced to one."""
    return prod(shape if len(axis) == len(shape) else [shape[a] for a in axis])


def _mean(x: Any, *, axis: Axes, keepdims: bool) -> Any:
    dtype = x.dtype
    if dtype.kind in "iu":
        return _integer_mean(x, axis, keepdims)
    n = _size(x.shape, axis)
    if dtype.itemsize == 2:  # The division comes before the sum, which might overflow in float16.
        return _mean(x.astype(wider(dtype)), axis=axis, keepdims=keepdims).astype(dtype)
    total = add(x, axis, keepdims)
    if not n:
        return total if dtype.kind == "c" else np.full_like(total, np.nan)[()]
    return total / n


def _integer_mean(x: Any, axis: Axes, keepdims: bool) -> Any:
    """Returns the mean of integers, rounded towards zero; 0 if there are no elements.

    The sum is computed in 64 bits.
    """
    precise = np.int64 if x.dtype.kind == "i" else np.uint64
    total = _ADD(x, axis if len(axis) < x.ndim else None, precise, None, keepdims)
    n = precise(max(_size(x.shape, axis), 1))
    quotient = np.abs(total) // n if precise is np.int64 else total // n
    return (np.sign(total) * quotient).astype(x.dtype)


def _mean_xla(x: Any, *, axis: Axes, keepdims: bool) -> Any:
    if x.dtype.kind not in "iu":
        return jnp.mean(x, axis, keepdims=keepdims).astype(x.dtype)
    total = jnp.sum(x, axis, np.int64 if x.dtype.kind == "i" else np.uint64, keepdims=keepdims)
    n = total.dtype.type(max(_size(x.shape, axis), 1))
    return lax.div(total, jnp.full_like(total, n)).astype(x.dtype)


def _mean_vjp(g: Any, x_shape: tuple[int, ...], axis: Axes, keepdims: bool) -> Any:
    n = max(_size(x_shape, axis), 1)
    if type(g) is float32:  # the usual case, in one step
        return spread(g / float32(n), x_shape, axis, keepdims)
    dtype = dtype_of_value(g)
    if dtype.itemsize == 2:  # The greatest number in float16 is 65504.
        share = cast_p(widened(g) / _divisor(n, wider(dtype)), dtype=dtype)
    else:
        share = g / _divisor(n, dtype)
    return spread(share, x_shape, axis, keepdims)


def _divisor(n: Any, dtype: np.dtype[Any]) -> Any:
    found = number(n, dtype)
    return found if isinstance(found, np.generic) else Tensor(found)


reduce_mean_p = general(
    "Mean",
    _mean,
    {"x": _mean_vjp},
    linear=["x"],
    batching="leading",
    dtypes=NUMERIC,
    same=slice(1),
    xla=_mean_xla,
    traits=Traits(hazard=Hazard.MEAN, pattern=Pattern.REDUCED),
)


# Products: the product of the other elements is computed without division, so that zeros are
# allowed.


def _prod(x: Any, *, axis: Axes, keepdims: bool) -> Any:
    return accumulated(np.multiply, x, axis, keepdims)


def _product_of_others(x: Any, axis: Axes) -> Any:
    """Returns for each element the product of the others that are reduced with it."""
    shape = shape_of(x)
    rank = len(shape)
    if not axis:
        return x * 0 + 1
    if (precise := widened(x)) is not x:
        return cast_p(_product_of_others(precise, axis), dtype=dtype_of_value(x))
    gone = [a + rank for a in axis]
    order = (*(a for a in range(rank) if a not in gone), *gone)
    moved = transpose_p(x, perm=order)
    kept = tuple(shape[a] for a in order[: rank - len(gone)])
    row = reshape_p(moved, shape=(*kept, _size(shape, axis)))
    others = cumprod_p(row, axis=-1, exclusive=True, reverse=False) * cumprod_p(
        row, axis=-1, exclusive=True, reverse=True
    )
    others = reshape_p(others, shape=shape_of(moved))
    return transpose_p(others, perm=tuple(np.argsort(order).tolist()))


def _prod_vjp(g: Any, x: Any, axis: Axes, keepdims: bool) -> Any:
    return spread(g, shape_of(x), axis, keepdims) * conjugate(_product_of_others(x, axis))


def _prod_jvp(t: Any, x: Any, axis: Axes, keepdims: bool) -> Any:
    return reduce_sum_p(t * _product_of_others(x, axis), axis=axis, keepdims=keepdims)


reduce_prod_p = general(
    "Prod",
    _prod,
    {"x": _prod_vjp},
    jvps={"x": _prod_jvp},
    batching="leading",
    dtypes=NUMERIC,
    same=slice(1),
    xla=in_float32(lambda x, *, axis, keepdims: jnp.prod(x, axis, x.dtype, keepdims=keepdims)),
    traits=Traits(pattern=Pattern.REDUCED),
)


def _norm(x: Any, *, axis: Axes, keepdims: bool) -> Any:
    precise = x.astype(wider(x.dtype), copy=False)
    squares = np.real(x * np.conjugate(x)) if x.dtype.kind == "c" else np.square(precise)
    return np.sqrt(_ADD(squares, axis, None, None, keepdims)).astype(x.dtype)


@in_float32
def _norm_xla(x: Any, *, axis: Axes, keepdims: bool) -> Any:
    squares = jnp.real(x * jnp.conj(x)) if x.dtype.kind == "c" else jnp.square(x)
    return jnp.sqrt(jnp.sum(squares, axis, keepdims=keepdims)).astype(x.dtype)


def _norm_vjp(g: Any, x: Any, out: Any, axis: Axes, keepdims: bool) -> Any:
    # If the norm and its cotangent are 0, the gradient is 0.
    g = mul_no_nan_p(reciprocal_p(out), g)
    return x * spread(g, shape_of(x), axis, keepdims)


def _norm_jvp(t: Any, x: Any, out: Any, axis: Axes, keepdims: bool) -> Any:
    inner = reduce_sum_p(conjugate(x) * t, axis=axis, keepdims=keepdims)
    return inner / out


reduce_euclidean_norm_p = general(
    "EuclideanNorm",
    _norm,
    {"x": _norm_vjp},
    jvps={"x": _norm_jvp},
    batching="leading",
    dtypes=NUMERIC,
    same=slice(1),
    xla=_norm_xla,
    traits=Traits(hazard=Hazard.NORM, pattern=Pattern.REDUCED),
)

reduce_all_p = general(
    "All",
    lambda x, *, axis, keepdims: _AND(x, axis, None, None, keepdims),
    batching="leading",
    dtypes=BOOL,
    same=slice(1),
    xla=lambda x, *, axis, keepdims: jnp.all(x, axis, keepdims=keepdims),
)
reduce_any_p = general(
    "Any",
    lambda x, *, axis, keepdims: _OR(x, axis, None, None, keepdims),
    batching="leading",
    dtypes=BOOL,
    same=slice(1),
    xla=lambda x, *, axis, keepdims: jnp.any(x, axis, keepdims=keepdims),
)


def _count_nonzero(x: Any, *, axis: Axes, keepdims: bool, dtype: Any) -> Any:
    set_ = x != b"" if x.dtype.kind == "O" else x != 0
    return _ADD(set_, axis, dtype, None, keepdims)


def _count_nonzero_xla(x: Any, *, axis: Axes, keepdims: bool, dtype: Any) -> Any:
    return jnp.sum(x != 0, axis, dtype=dtype, keepdims=keepdims)


count_nonzero_p = general(
    "CountNonzero", _count_nonzero, batching="leading", xla=_count_nonzero_xla
)


# The public functions.


def dense(x: Any) -> Tensor:
    """Converts the operand of a reduction to a tensor; `IndexedSlices` become dense."""
    if type(x) is Tensor:
        return x
    return convert_to_tensor(x)


@export("reduce_sum", "math.reduce_sum", direct=True)
@raw_op("Sum", input="input_tensor", keep_dims="keepdims")
def reduce_sum(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Computes the sum along axes.

    Args:
      input_tensor: A numeric tensor, which may be ragged.
      axis: An axis, a sequence of them, or None for all; negative ones count from the end.
      keepdims: Whether the reduced axes are kept as axes of length one.
      name: Accepted for compatibility.

    Returns:
      A tensor of the same dtype. It is ragged if the input is ragged and a ragged axis is kept.

    Raises:
      InvalidArgumentError: An axis is out of range or occurs twice, or the dtype is not numeric.
      ValueError: An axis of a ragged tensor is out of range.

    >>> x = tf.constant([[1, 2, 3], [4, 5, 6]])
    >>> tf.reduce_sum(x).numpy()
    np.int32(21)
    >>> tf.reduce_sum(x, axis=0).numpy()
    array([5, 7, 9], dtype=int32)
    >>> tf.reduce_sum(x, axis=1, keepdims=True).numpy()
    array([[ 6],
           [15]], dtype=int32)
    """
    x = input_tensor if type(input_tensor) is Tensor else dense(input_tensor)
    try:
        axis = reduced(axis, x._value.ndim, "Sum")
    except NeedsRank:
        return when_run(reduce_sum, x, axis, keepdims)
    return reduce_sum_p(x, axis=axis, keepdims=bool(keepdims))


@export("reduce_mean", "math.reduce_mean", direct=True)
@raw_op("Mean", input="input_tensor", keep_dims="keepdims")
def reduce_mean(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Computes the mean along axes; see `reduce_sum`.

    The mean of integers is an integer, rounded towards zero.

    Args:
      input_tensor: A tensor.
      axis: The axes to reduce: an integer, or several. Defaults to all of them.
      keepdims: Whether the reduced axes are kept, with length one.
      name: Accepted for compatibility.

    Returns:
      A tensor of the dtype of `input_tensor`. The mean of integers is rounded towards zero.

    Raises:
      InvalidArgumentError: An axis is out of range.

    >>> x = tf.constant([[1.0, 2.0], [3.0, 6.0]])
    >>> tf.reduce_mean(x).numpy()
    np.float32(3.0)
    >>> tf.reduce_mean(x, axis=0).numpy()
    array([2., 4.], dtype=float32)
    """
    x = input_tensor if type(input_tensor) is Tensor else dense(input_tensor)
    try:
        axis = reduced(axis, x._value.ndim, "Mean")
    except NeedsRank:
        return when_run(reduce_mean, x, axis, keepdims)
    return reduce_mean_p(x, axis=axis, keepdims=bool(keepdims))


@export("reduce_prod", "math.reduce_prod", direct=True)
@raw_op("Prod", input="input_tensor", keep_dims="keepdims")
def reduce_prod(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Computes the product along axes; see `reduce_sum`.

    Args:
      input_tensor: A tensor.
      axis: The axes to reduce: an integer, or several. Defaults to all of them.
      keepdims: Whether the reduced axes are kept, with length one.
      name: Accepted for compatibility.

    Returns:
      A tensor of the dtype of `input_tensor`.

    Raises:
      InvalidArgumentError: An axis is out of range.

    >>> tf.reduce_prod([[1, 2], [3, 4]], axis=1).numpy()
    array([ 2, 12], dtype=int32)
    """
    x = dense(input_tensor)
    try:
        axis = reduced(axis, x._value.ndim, "Prod")
    except NeedsRank:
        return when_run(reduce_prod, x, axis, keepdims)
    return reduce_prod_p(x, axis=axis, keepdims=bool(keepdims))


@export("reduce_all", "math.reduce_all", direct=True)
@raw_op("All", input="input_tensor", keep_dims="keepdims")
def reduce_all(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Computes "and" along axes of a bool tensor; see `reduce_sum`.

    Args:
      input_tensor: A tensor.
      axis: The axes to reduce: an integer, or several. Defaults to all of them.
      keepdims: Whether the reduced axes are kept, with length one.
      name: Accepted for compatibility.

    Returns:
      A bool tensor.

    Raises:
      InvalidArgumentError: An axis is out of range.

    >>> tf.reduce_all([[True, True], [True, False]], axis=1).numpy()
    array([ True, False])
    """
    x = convert_to_tensor(input_tensor, None if isinstance(input_tensor, Tensor) else bool_)
    try:
        axis = reduced(axis, x._value.ndim, "All")
    except NeedsRank:
        return when_run(reduce_all, x, axis, keepdims)
    return reduce_all_p(x, axis=axis, keepdims=bool(keepdims))


@export("reduce_any", "math.reduce_any", direct=True)
@raw_op("Any", input="input_tensor", keep_dims="keepdims")
def reduce_any(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Computes "or" along axes of a bool tensor; see `reduce_sum`.

    Args:
      input_tensor: A tensor.
      axis: The axes to reduce: an integer, or several. Defaults to all of them.
      keepdims: Whether the reduced axes are kept, with length one.
      name: Accepted for compatibility.

    Returns:
      A bool tensor.

    Raises:
      InvalidArgumentError: An axis is out of range.

    >>> tf.reduce_any([[False, True], [False, False]], axis=1).numpy()
    array([ True, False])
    """
    x = convert_to_tensor(input_tensor, None if isinstance(input_tensor, Tensor) else bool_)
    try:
        axis = reduced(axis, x._value.ndim, "Any")
    except NeedsRank:
        return when_run(reduce_any, x, axis, keepdims)
    return reduce_any_p(x, axis=axis, keepdims=bool(keepdims))


@export("math.reduce_euclidean_norm")
@raw_op("EuclideanNorm", input="input_tensor", keep_dims="keepdims")
def reduce_euclidean_norm(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Computes sqrt(sum(|x|^2)) along axes; see `reduce_sum`.

    Args:
      input_tensor: A tensor.
      axis: The axes to reduce: an integer, or several. Defaults to all of them.
      keepdims: Whether the reduced axes are kept, with length one.
      name: Accepted for compatibility.

    Returns:
      A tensor of the dtype of `input_tensor`.

    Raises:
      InvalidArgumentError: An axis is out of range.

    >>> tf.math.reduce_euclidean_norm([[3.0, 4.0], [6.0, 8.0]], axis=1).numpy()
    array([ 5., 10.], dtype=float32)
    """
    x = dense(input_tensor)
    try:
        axis = reduced(axis, x._value.ndim, "EuclideanNorm")
    except NeedsRank:
        return when_run(reduce_euclidean_norm, x, axis, keepdims)
    return reduce_euclidean_norm_p(x, axis=axis, keepdims=bool(keepdims))


@export("math.reduce_variance")
def reduce_variance(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Computes the variance (mean squared deviation) along axes; see `reduce_sum`.

    Args:
      input_tensor: A tensor.
      axis: The axes to reduce: an integer, or several. Defaults to all of them.
      keepdims: Whether the reduced axes are kept, with length one.
      name: Accepted for compatibility.

    Returns:
      A tensor of the dtype of `input_tensor`, or of the corresponding real dtype if that is
      complex.

    Raises:
      TypeError: The input is of an integer dtype.
      InvalidArgumentError: An axis is out of range.

    >>> tf.math.reduce_variance([1.0, 3.0, 5.0, 7.0]).numpy()
    np.float32(5.0)
    """
    x = dense(input_tensor)
    try:
        axis = reduced(axis, x._value.ndim, "Mean")
    except NeedsRank:
        return when_run(reduce_variance, x, axis, keepdims)
    if x.dtype.is_integer or x.dtype.is_bool:
        raise TypeError(
            f"Input must be either real or complex. Received integer type {x.dtype} "
            f"(tf.cast it to a floating dtype)."
        )
    deviation = x - reduce_mean_p(x, axis=axis, keepdims=True)
    complex_ = x.dtype.is_complex
    squares = real_p(deviation * conj_p(deviation)) if complex_ else square_p(deviation)
    return reduce_mean_p(squares, axis=axis, keepdims=bool(keepdims))


@export("math.reduce_std")
def reduce_std(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Computes the standard deviation along axes; see `reduce_variance`.

    Args:
      input_tensor: A tensor.
      axis: The axes to reduce: an integer, or several. Defaults to all of them.
      keepdims: Whether the reduced axes are kept, with length one.
      name: Accepted for compatibility.

    Returns:
      A tensor of the dtype of `input_tensor`, or of the corresponding real dtype if that is
      complex.

    Raises:
      InvalidArgumentError: An axis is out of range.

    >>> tf.math.reduce_std([1.0, 3.0, 5.0, 7.0]).numpy().round(4)
    np.float32(2.2361)
    """
    return sqrt_p(reduce_variance(input_tensor, axis, keepdims))


@export("math.count_nonzero")
def count_nonzero(
    input: Any,
    axis: Any = None,
    keepdims: Any = None,
    dtype: Any = int64,
    name: str | None = None,
) -> Tensor:
    """Counts the nonzero elements, or the non-empty strings; see `reduce_sum`.

    Args:
      input: A tensor of numbers, booleans or strings; an empty string counts as zero.
      axis: The axes along which to count. Defaults to all of them.
      keepdims: Whether these axes are kept, with length one.
      dtype: The dtype of the result.
      name: Accepted for compatibility.

    Returns:
      A tensor of dtype `dtype`.

    >>> tf.math.count_nonzero([[0, 1], [2, 3]], axis=1).numpy()
    array([1, 2])
    """
    x = dense(input)
    axis = reduced(axis, x._value.ndim, "Sum")
    return count_nonzero_p(x, axis=axis, keepdims=bool(keepdims), dtype=as_dtype(dtype).np_dtype)
