"""The maximum and minimum along axes, and their indices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import as_dtype, dtype_of, int64
from gradtape._src.base.errors import About
from gradtape._src.base.export import export, raw_op
from gradtape._src.compute.axis_sums import add, extreme
from gradtape._src.compute.jax_modules import jnp
from gradtape._src.core.primitive import Bound
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import (
    axis_index,
    integer,
    invalid,
    reduced,
    scalar,
    shown_shape,
)
from gradtape._src.declare.general import NUMERIC, REAL, general, shape_of
from gradtape._src.declare.open_graphs import when_run
from gradtape._src.declare.structural import expand_reduced, reduce_sum_p, spread
from gradtape._src.declare.traits import Pattern, Traits
from gradtape._src.declare.unknown_sizes import NeedsRank
from gradtape._src.ops.reduce.reductions import Axes, dense

# The arguments are (x, axis, dtype, out, keepdims); NumPy's type declarations do not allow this
# call.
_ADD: Any = np.add.reduce

# The gradient of an extreme goes to the elements that attain it, in equal shares.


def _extreme(ufunc: Any, lowest: bool) -> Callable[..., Any]:
    def reduce(x: Any, *, axis: Axes, keepdims: bool) -> Any:
        if x.size:
            if axis == (-1,):
                return extreme(ufunc, x, keepdims)
            return ufunc.reduce(x, axis if len(axis) < x.ndim else None, None, None, keepdims)
        limits = dtype_of(x)
        worst = limits.min if lowest else limits.max
        if limits.is_floating:
            worst = -np.inf if lowest else np.inf
        shape = _ADD(x, axis, x.dtype, None, keepdims).shape
        return np.full(shape, worst, x.dtype)[()]

    return reduce


def _extreme_xla(name: str, worst: Callable[[Any], Any]) -> Callable[..., Any]:
    def reduce(x: Any, *, axis: Axes, keepdims: bool) -> Any:
        best = getattr(jnp, name)
        return best(x, axis, keepdims=keepdims, initial=worst(x.dtype)).astype(x.dtype)

    return reduce


def _lowest(dtype: Any) -> Any:
    return dtype.type(np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf)


def _highest(dtype: Any) -> Any:
    return dtype.type(np.iinfo(dtype).max if dtype.kind in "iu" else np.inf)


def _shares(x: Any, out: Any, *, axis: Axes) -> Any:
    """Returns 1 / k at the k elements that equal the extreme, and 0 elsewhere.

    `out` has its reduced axes, with length one.
    """
    hit = x == out
    if x.dtype.char in "fd":
        share = hit.astype(x.dtype)
        ties = add(share, axis, True)
        return share if np.all(np.equal(ties, 1)) else np.divide(share, ties, share)
    return (hit / _ADD(hit, axis, np.int64, None, True)).astype(x.dtype)


def _shares_xla(x: Any, out: Any, *, axis: Axes) -> Any:
    hit = (x == out).astype(x.dtype)
    return hit / jnp.sum(hit, axis, keepdims=True)


shares_p = general("TieShares", _shares, batching="leading", xla=_shares_xla)


def _extreme_vjp(g: Any, x: Any, out: Any, axis: Axes, keepdims: bool) -> Any:
    shape = shape_of(x)
    share = shares_p(x, expand_reduced(out, shape, axis, keepdims), axis=axis)
    return spread(g, shape, axis, keepdims) * share


def _extreme_jvp(t: Any, x: Any, out: Any, axis: Axes, keepdims: bool) -> Any:
    share = shares_p(x, expand_reduced(out, shape_of(x), axis, keepdims), axis=axis)
    return reduce_sum_p(t * share, axis=axis, keepdims=keepdims)


def _declare_extreme(name: str, ufunc: Any, *, lowest: bool, xla: Any) -> Bound:
    return general(
        name,
        _extreme(ufunc, lowest),
        {"x": _extreme_vjp},
        jvps={"x": _extreme_jvp},
        batching="leading",
        dtypes=REAL,
        same=slice(1),
        xla=xla,
        traits=Traits(pattern=Pattern.REDUCED, passes_on=True),
    )


reduce_max_p = _declare_extreme("Max", np.maximum, lowest=True, xla=_extreme_xla("max", _lowest))


reduce_min_p = _declare_extreme("Min", np.minimum, lowest=False, xla=_extreme_xla("min", _highest))


def _arg(best: Any, worst: Any) -> Callable[..., Any]:
    def find(x: Any, *, axis: int, dtype: Any) -> Any:
        # TensorFlow compares values, so that NaN is never the extreme.
        if x.dtype.kind == "f" and np.isnan(x).any():
            x = np.where(np.isnan(x), x.dtype.type(worst), x)
        return best(x, axis).astype(dtype)

    return find


def _arg_xla(name: str, worst: float) -> Callable[..., Any]:
    def find(x: Any, *, axis: int, dtype: Any) -> Any:
        if x.dtype.kind == "f":
            x = jnp.where(jnp.isnan(x), x.dtype.type(worst), x)
        return getattr(jnp, name)(x, axis).astype(dtype)

    return find


argmax_p = general(
    "ArgMax",
    _arg(np.argmax, -np.inf),
    batching="leading",
    dtypes=NUMERIC | {np.bool_},
    same=slice(1),
    xla=_arg_xla("argmax", -np.inf),
)


argmin_p = general(
    "ArgMin",
    _arg(np.argmin, np.inf),
    batching="leading",
    dtypes=NUMERIC | {np.bool_},
    same=slice(1),
    xla=_arg_xla("argmin", np.inf),
)


@export("reduce_max", "math.reduce_max", direct=True)
@raw_op("Max", input="input_tensor", keep_dims="keepdims")
def reduce_max(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Computes the maximum along axes; see `reduce_sum`.

    If several elements equal the maximum, they share the gradient evenly.

    Args:
      input_tensor: A tensor.
      axis: The axes to reduce: an integer or a sequence of integers. Defaults to all of them.
      keepdims: Whether the reduced axes are kept, with length one.
      name: Accepted for compatibility.

    Returns:
      A tensor of the dtype of `input_tensor`. The gradient is shared among equal extremes.

    Raises:
      InvalidArgumentError: An axis is out of range.

    >>> tf.reduce_max([[1, 5], [7, 3]], axis=1).numpy()
    array([5, 7], dtype=int32)
    """
    x = dense(input_tensor)
    try:
        axis = reduced(axis, x._value.ndim, "Max")
    except NeedsRank:
        return when_run(reduce_max, x, axis, keepdims)
    return reduce_max_p(x, axis=axis, keepdims=bool(keepdims))


@export("reduce_min", "math.reduce_min", direct=True)
@raw_op("Min", input="input_tensor", keep_dims="keepdims")
def reduce_min(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Computes the minimum along axes; see `reduce_max`.

    Args:
      input_tensor: A tensor.
      axis: The axes to reduce: an integer or a sequence of integers. Defaults to all of them.
      keepdims: Whether the reduced axes are kept, with length one.
      name: Accepted for compatibility.

    Returns:
      A tensor of the dtype of `input_tensor`. The gradient is shared among equal extremes.

    Raises:
      InvalidArgumentError: An axis is out of range.

    >>> tf.reduce_min([[1, 5], [7, 3]], axis=1).numpy()
    array([1, 3], dtype=int32)
    """
    x = dense(input_tensor)
    try:
        axis = reduced(axis, x._value.ndim, "Min")
    except NeedsRank:
        return when_run(reduce_min, x, axis, keepdims)
    return reduce_min_p(x, axis=axis, keepdims=bool(keepdims))


def _find_place(run: Any, op: str, x: Any, axis: Any, output_type: Any) -> Tensor:
    x = dense(x)
    rank = x._value.ndim
    message = f"Expected dimension in the range [{-rank}, {rank}), but got {{axis}}"
    given = 0 if axis is None else integer(axis, op) if op == "ArgMax" else scalar(axis, op)
    place = axis_index(given, rank, op, message, About.VALUES)
    if not x._value.shape[place]:
        raise invalid(
            f"Reduction axis {place} is empty in shape {shown_shape(x._value.shape)} [Op:{op}]",
            About.VALUES,
        )
    dtype = int64 if output_type is None else as_dtype(output_type)
    if dtype.name not in ("int16", "uint16", "int32", "int64"):
        raise invalid(
            f"Value for attr 'output_type' of {dtype.name} is not in the list of allowed values: "
            f"int16, uint16, int32, int64 [Op:{op}]",
            About.DTYPES,
        )
    out: Tensor = run(x, axis=place - rank, dtype=dtype.np_dtype)
    return out


@export("argmax", "math.argmax")
@raw_op("ArgMax", dimension="axis")
def argmax(
    input: Any, axis: Any = None, output_type: Any = int64, name: str | None = None
) -> Tensor:
    """Returns the index of the maximum along one axis, the first of equal ones.

    Args:
      input: A real or bool tensor.
      axis: The axis. Defaults to the first.
      output_type: int16, uint16, int32 or int64.
      name: Accepted for compatibility.

    Returns:
      A tensor of the shape of `input` without the axis, and of dtype `output_type`.

    Raises:
      InvalidArgumentError: The axis is out of range or empty.
      TypeError: The axis is not a single integer.

    >>> tf.argmax([[1, 5], [7, 3]], axis=1).numpy()
    array([1, 0])
    """
    try:
        return _find_place(argmax_p, "ArgMax", input, axis, output_type)
    except NeedsRank:
        return when_run(argmax, input, axis, output_type)


@export("argmin", "math.argmin")
@raw_op("ArgMin", dimension="axis")
def argmin(
    input: Any, axis: Any = None, output_type: Any = int64, name: str | None = None
) -> Tensor:
    """Returns the index of the minimum along one axis; see `argmax`.

    Args:
      input: A tensor of numbers.
      axis: The axis. Defaults to 0.
      output_type: int32 or int64.
      name: Accepted for compatibility.

    Returns:
      A tensor of the shape of `input` without the axis, and of dtype `output_type`.

    >>> tf.argmin([[1, 5], [7, 3]], axis=1).numpy()
    array([0, 1])
    """
    try:
        return _find_place(argmin_p, "ArgMin", input, axis, output_type)
    except NeedsRank:
        return when_run(argmin, input, axis, output_type)
