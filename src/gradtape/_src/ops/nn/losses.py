"""Losses other than cross entropies, averages of losses, and `in_top_k`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import c_name, int32, int64, string
from gradtape._src.base.errors import About, InvalidArgumentError
from gradtape._src.base.export import export, raw_op
from gradtape._src.base.replication import replicas
from gradtape._src.compute.formulas import number
from gradtape._src.compute.jax_modules import jnp
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.general import FLOATING, general, shape_of
from gradtape._src.declare.structural import count, reduce_sum_p, reshape_p
from gradtape._src.declare.unknown_sizes import Size, may_be_equal
from gradtape._src.declare.xla_kernels import in_float32
from gradtape._src.ops.array.tensor_shapes import shape as shape_tensor
from gradtape._src.ops.elementwise.casting import cast_p
from gradtape._src.ops.elementwise.comparison import greater_equal_p, less_equal_p
from gradtape._src.ops.elementwise.division import div_no_nan_p
from gradtape._src.ops.elementwise.exponential import exp_p, log_p
from gradtape._src.ops.elementwise.logical import logical_and_p
from gradtape._src.ops.elementwise.selection import select_p, zero_of


def _l2_loss(x: Any) -> Any:
    flat = np.reshape(x, -1)
    if x.dtype.itemsize == 2:
        return (np.dot(flat.astype(np.float32), flat.astype(np.float32)) / 2).astype(x.dtype)
    return np.dot(flat, flat) / x.dtype.type(2)


def _l2_loss_batch(size: int, batched: Any, inputs: Any, params: Any) -> Any:
    (x,) = inputs
    squares = reshape_p(x * x, shape=(size, count(shape_of(x)[1:])))
    return reduce_sum_p(squares, axis=(-1,), keepdims=False) / 2


l2_loss_p = general(
    "L2Loss",
    _l2_loss,
    {"x": lambda g, x: g * x},
    jvps={
        "x": lambda t, x: reduce_sum_p(
            t * x, axis=tuple(range(-len(shape_of(x)), 0)), keepdims=False
        )
    },
    batching=_l2_loss_batch,
    dtypes=FLOATING,
    same=slice(0, 1),
    xla=in_float32(lambda x: jnp.sum(x * x) / x.dtype.type(2)),
)


@export("nn.l2_loss")
@raw_op("L2Loss")
def l2_loss(t: Any, name: str | None = None) -> Tensor:
    """Returns half the sum of the squares.

    Args:
      t: A floating-point tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of rank 0.

    Raises:
      InvalidArgumentError: The dtype is not floating.
    """
    return l2_loss_p(tensor(t))


@export("nn.log_poisson_loss")
def log_poisson_loss(
    targets: Any, log_input: Any, compute_full_loss: bool = False, name: str | None = None
) -> Tensor:
    """Returns the negative log-likelihood of Poisson-distributed counts, up to a constant.

    Args:
      targets: A floating-point tensor of counts.
      log_input: The logarithms of the rates, of the same shape and dtype.
      compute_full_loss: Whether to add Stirling's approximation of `log(targets!)`.
      name: Accepted for compatibility.

    Returns:
      A tensor of that shape and dtype.

    Raises:
      ValueError: The shapes differ.
    """
    logs = tensor(log_input)
    counts = convert_to_tensor(targets, dtype_hint=logs.dtype)
    if not may_be_equal(counts._value.shape, logs._value.shape):
        raise ValueError(
            "`log_input` and `targets` must have the same shape, received "
            f"({logs.shape} vs {counts.shape})."
        )
    loss = exp_p(logs) - logs * counts
    if not compute_full_loss:
        return loss
    stirling = counts * log_p(counts) - counts + number(0.5, counts) * log_p(2 * math.pi * counts)
    inside = logical_and_p(
        greater_equal_p.operator(counts, 0.0), less_equal_p.operator(counts, 1.0)
    )
    return loss + select_p(inside, zero_of(counts), stirling)


@export("nn.compute_average_loss")
def compute_average_loss(
    per_example_loss: Any, sample_weight: Any = None, global_batch_size: Any = None
) -> Tensor:
    """Returns the sum of the examples' losses divided by the number of examples in all replicas.

    Args:
      per_example_loss: A floating-point tensor of rank 1 or more.
      sample_weight: A weight for each example.
      global_batch_size: The number of examples of all replicas; defaults to the length of the first
        axis times the number of replicas.

    Returns:
      A tensor of rank 0.

    Raises:
      ValueError: The loss has rank 0.
      TypeError: The batch size is not an integer.
      InvalidArgumentError: The batch size is negative.
      RuntimeError: A strategy's scope is entered, but no replica runs.

    >>> tf.nn.compute_average_loss([1.0, 3.0]).numpy()
    np.float32(2.0)
    """
    loss = tensor(per_example_loss)
    shape = shape_of(loss)
    if not shape:
        raise ValueError(
            "Invalid value passed for `per_example_loss`. Expected a tensor with at least rank 1. "
            f"Received per_example_loss={per_example_loss} with rank 0"
        )
    if sample_weight is not None:
        own: Any = loss._value.dtype
        kind = np.dtype(np.float32) if own.kind in "iu" else own
        weight = cast_p(convert_to_tensor(sample_weight), dtype=kind)
        missing = (1,) * (len(shape) - len(shape_of(weight)))
        weight = reshape_p(weight, shape=(*shape_of(weight), *missing))
        loss = cast_p(cast_p(loss, dtype=kind) * weight, dtype=own)
    if global_batch_size is None:
        size: Any = shape[0] * replicas[-1]("compute_average_loss")
    else:
        size = tensor(global_batch_size)._numpy()
        if np.ndim(size):
            raise ValueError(
                "global_batch_size must be scalar.. Expected scalar shape, saw shape: "
                f"{np.shape(size)}."
            )
    if not isinstance(size, (int, np.integer, Size)):
        raise TypeError(f"global_batch_size must be an int, not {size!r}")
    if type(size) is not Size and size < 0:
        raise InvalidArgumentError(
            None, None, f"global_batch_size must be non-negative, not {size}"
        )
    total = reduce_sum_p(loss, axis=tuple(range(-len(shape), 0)), keepdims=False)
    if total._value.dtype.kind in "iu":  # like a quotient of integers
        total = cast_p(total, dtype=np.dtype(f"f{4 if total._value.itemsize < 4 else 8}"))
    own = total._value.dtype
    if type(size) is Size:
        examples = shape_tensor(loss)[0] * replicas[-1]("compute_average_loss")
        return div_no_nan_p(total, cast_p(examples, dtype=own))
    return div_no_nan_p(total, own.type(size))


@export("nn.scale_regularization_loss")
def scale_regularization_loss(regularization_loss: Any) -> Tensor:
    """Returns the sum of a regularization loss divided by the number of replicas.

    Args:
      regularization_loss: A floating-point tensor.

    Returns:
      A tensor of rank 0.

    Raises:
      RuntimeError: A strategy's scope is entered, but no replica runs.

    >>> tf.nn.scale_regularization_loss(4.0).numpy()
    np.float32(4.0)
    """
    loss = tensor(regularization_loss)
    count = replicas[-1]("scale_regularization_loss")
    total = reduce_sum_p(loss, axis=tuple(range(-loss._value.ndim, 0)), keepdims=False)
    return total if count == 1 and loss.dtype.is_floating else total / count


def _in_top_k(predictions: Any, targets: Any, k: Any) -> Any:
    inside = (targets >= 0) & (targets < predictions.shape[1])
    safe = np.where(inside, targets, 0)
    if not predictions.size:
        return inside
    own = predictions[np.arange(len(safe)), safe]
    better = (predictions > own[:, None]).sum(-1)
    finite = np.isfinite(predictions).all(-1)
    return inside & finite & np.isfinite(own) & (better < k)


def _in_top_k_xla(predictions: Any, targets: Any, k: Any) -> Any:
    classes = predictions.shape[1]
    inside = (targets >= 0) & (targets < classes)
    own = jnp.take_along_axis(predictions, targets[:, None], 1, mode="fill", fill_value=0)
    better = jnp.sum(predictions > own, -1)
    return inside & jnp.isfinite(predictions).all(-1) & (better < k)


in_top_k_p = general(
    "InTopKV2",
    _in_top_k,
    dtypes=frozenset({np.float32}),
    same=slice(1),
    xla=_in_top_k_xla,
)


@export("math.in_top_k", "nn.in_top_k")
@raw_op("InTopKV2")
def in_top_k(targets: Any, predictions: Any, k: Any, name: str | None = None) -> Tensor:
    """Returns whether each target is among the k best predictions of its row, ties included.

    Args:
      targets: An int32 or int64 vector of class numbers.
      predictions: A float32 tensor of shape (batch, classes).
      k: The number of elements.
      name: Accepted for compatibility.

    Returns:
      A bool vector. An element is also False if its target is not a valid class or
      the prediction is not finite.

    Raises:
      InvalidArgumentError: The shapes are not compatible.

    >>> tf.math.in_top_k([1, 0], [[0.1, 0.9], [0.2, 0.8]], k=1).numpy()
    array([ True, False])
    """
    targets, predictions, k = tensor(targets), tensor(predictions), tensor(k)
    if shape_of(k):
        raise invalid(f"k must be 0-D, got shape {list(shape_of(k))} [Op:InTopKV2]")
    if len(shape_of(predictions)) != 2:
        raise invalid("predictions must be 2-dimensional [Op:InTopKV2]")
    if not may_be_equal(shape_of(targets), shape_of(predictions)[:1]):
        raise invalid(
            f"First dimension of predictions {shape_of(predictions)[0]} must match length of "
            f"targets {list(shape_of(targets))} [Op:InTopKV2]",
        )
    if targets.dtype is string:
        raise TypeError("in_top_k: `targets` must be integers, got strings")
    if targets.dtype not in (int32, int64):
        raise invalid(
            f"Value for attr 'T' of {c_name(targets.dtype.name)} is not in the list of allowed "
            "values: int32, int64 [Op:InTopKV2] (tf.cast the targets)",
            About.DTYPES,
        )
    return in_top_k_p(predictions, targets, k)
