"""Scaling tensors by their norms: normalization, and clipping by a maximum norm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import dtype_of
from gradtape._src.base.export import export
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.compute.formulas import number
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import reduced
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.same_dtype import pair
from gradtape._src.declare.structural import count, reduce_sum_p
from gradtape._src.ops.elementwise.arithmetic import add_n_p
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.comparison import greater_p
from gradtape._src.ops.elementwise.complex_numbers import complex_p, imag_p, real_p
from gradtape._src.ops.elementwise.division import reciprocal_p
from gradtape._src.ops.elementwise.powers import rsqrt_p, sqrt_p, square_p
from gradtape._src.ops.elementwise.selection import maximum_p, minimum_p, select_p, zero_of
from gradtape._src.ops.nn.losses import l2_loss_p
from gradtape._src.ops.nn.normalization_by_moments import in_dtype


@export("linalg.l2_normalize", "math.l2_normalize", "nn.l2_normalize")
def l2_normalize(
    x: Any, axis: Any = None, epsilon: float = 1e-12, name: str | None = None, dim: Any = None
) -> Tensor:
    """Returns `x / sqrt(max(sum(x**2), epsilon))` along axes.

    Args:
      x: A floating or complex tensor.
      axis: The axes that are summed. Defaults to all.
      epsilon: The minimum sum of squares to divide by.
      name: Accepted for compatibility.
      dim: The old name of `axis`.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      InvalidArgumentError: There is no such axis.

    >>> tf.math.l2_normalize([3.0, 4.0]).numpy().round(3)
    array([0.6, 0.8], dtype=float32)
    """
    t = tensor(x)
    axes = reduced(axis if dim is None else dim, t._value.ndim, "Sum")
    if dtype_of(t._value).is_complex:
        re, im = real_p(t), imag_p(t)
        sums = reduce_sum_p(square_p(re) + square_p(im), axis=axes, keepdims=True)
        inverse = rsqrt_p(maximum_p(sums, Tensor(sums._value.dtype.type(epsilon))))
        return complex_p(re * inverse, im * inverse)
    sums = reduce_sum_p(square_p(t), axis=axes, keepdims=True)
    return t * rsqrt_p(maximum_p(sums, convert_to_tensor(epsilon, sums.dtype)))


@export("clip_by_norm")
def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """Scales a tensor down to a given Euclidean norm if its norm is greater.

    Args:
      t: A floating-point tensor, or `IndexedSlices`.
      clip_norm: The maximum norm; its shape broadcasts to the shape of `t`. A negative norm counts
        as 0.
      axes: The axes along which each norm is taken. Defaults to all.
      name: Accepted for compatibility.

    Returns:
      A tensor of `t`'s shape and dtype: `t * clip_norm / max(norm, clip_norm)`.

    Raises:
      InvalidArgumentError: There is no such axis.
      ValueError: `clip_norm` has more elements than `t`.

    >>> tf.clip_by_norm([3.0, 4.0], 1.0).numpy().round(3)
    array([0.6, 0.8], dtype=float32)
    """
    if isinstance(t, IndexedSlices):
        rows = clip_by_norm(t.values, clip_norm, axes)
        return IndexedSlices(rows, t.indices, t.dense_shape)  # type: ignore[return-value]
    x = tensor(t)
    axis = reduced(axes, x._value.ndim, "Sum")
    sums = reduce_sum_p(x * x, axis=axis, keepdims=True)
    # Two selections keep the gradient of the square root at 0 finite.
    some = greater_p(sums, zero_of(sums))
    safe = select_p(some, sums, Tensor(np.ones(shape_of(sums), x._value.dtype)[()]))
    norm = select_p(some, sqrt_p(safe), sums)
    bound = cast(pair(x, clip_norm)[1], x.dtype)
    bound = maximum_p(bound, zero_of(bound))
    product = x * bound
    _check_bound(x, product, bound)
    return product / maximum_p(norm, bound)


def _check_bound(x: Tensor, product: Tensor, bound: Tensor) -> None:
    """Raises ValueError if the shape of a bound does not broadcast to the shape of the tensor."""
    own, joint = tuple(shape_of(x)), tuple(shape_of(product))
    if joint != own:
        raise ValueError(
            f"Shapes {own} and {joint} are incompatible: clip_by_norm needs a `clip_norm`, here of "
            f"shape {tuple(shape_of(bound))}, that broadcasts to the shape of `t`"
        )


def clip_by_average_norm(t: Any, clip_norm: Any, name: str | None = None) -> Tensor:
    """Scales a tensor down if its Euclidean norm per element is greater than a bound.

    Args:
      t: A floating-point tensor.
      clip_norm: The maximum of the norm divided by the number of elements.
      name: Accepted for compatibility.

    Returns:
      A tensor of `t`'s shape and dtype.
    """
    x = tensor(t)
    bound = pair(x, clip_norm)[1]
    n = number(count(x._value.shape), x)
    norm = reduce_sum_p(x * x, axis=tuple(range(-x._value.ndim, 0)), keepdims=False)
    inverse = rsqrt_p(norm) * n
    return x * bound * minimum_p(inverse, reciprocal_p(bound))


@export("linalg.global_norm")
def global_norm(t_list: Sequence[Any], name: str | None = None) -> Tensor:
    """Returns the Euclidean norm of the vector of all elements of several tensors.

    Args:
      t_list: Tensors, `IndexedSlices` or None, which is skipped.
      name: Accepted for compatibility.

    Returns:
      A tensor of rank 0 (float32 zero if there are no tensors).

    Raises:
      TypeError: `t_list` is not a sequence.
    """
    values = [_values(t) for t in _sequence(t_list) if t is not None]
    if not values:
        return Tensor(np.float32(0))
    half = add_n_p(*[l2_loss_p(v) for v in values])
    return sqrt_p(half + half)


def _values(t: Any) -> Tensor:
    return tensor(t.values if isinstance(t, IndexedSlices) else t)


def _sequence(t_list: Any) -> list[Any]:
    if isinstance(t_list, (str, Tensor)) or not isinstance(t_list, Sequence):
        raise TypeError(f"`t_list` should be a sequence of tensors. Received {type(t_list)}.")
    return list(t_list)


@export("clip_by_global_norm")
def clip_by_global_norm(
    t_list: Sequence[Any], clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> tuple[list[Tensor], Tensor]:
    """Scales several tensors by one factor if their global norm is greater than a bound.

    Args:
      t_list: Tensors, `IndexedSlices` or None, which stays None.
      clip_norm: The bound, positive.
      use_norm: The global norm, if the caller has computed it already.
      name: Accepted for compatibility.

    Returns:
      The tensors times `clip_norm / max(norm, clip_norm)`, and the norm. All elements are NaN if
      the norm is not finite.

    Raises:
      TypeError: `t_list` is not a sequence.
    """
    items = _sequence(t_list)
    norm = global_norm(items) if use_norm is None else tensor(use_norm)
    bound = pair(norm, clip_norm)[1]
    scale = bound * minimum_p(reciprocal_p(norm), reciprocal_p(bound))
    scale = scale + (norm - norm)  # NaN if the norm is not finite
    clipped: list[Any] = [None if t is None else _scaled(t, scale) for t in items]
    return clipped, norm


def _scaled(t: Any, scale: Any) -> Any:
    values = _values(t)
    out = values * in_dtype(scale, values._value.dtype)
    return IndexedSlices(out, t.indices, t.dense_shape) if isinstance(t, IndexedSlices) else out
