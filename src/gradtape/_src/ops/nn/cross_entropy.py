"""Cross entropies of logits with class indices, with distributions, or with independent labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.errors import About, InvalidArgumentError
from gradtape._src.base.export import export, raw_op
from gradtape._src.compute.axis_sums import add, extreme, row_starts
from gradtape._src.compute.formulas import in_single_2
from gradtape._src.compute.formulas import softplus as softplus_kernel
from gradtape._src.compute.jax_modules import jnp
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.primitive import Bound, BoundOutputs
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid, shown_shape
from gradtape._src.declare.general import FLOATING, general, shape_of
from gradtape._src.declare.outputs import several
from gradtape._src.declare.pointwise import binary
from gradtape._src.declare.same_dtype import pair
from gradtape._src.declare.structural import (
    broadcast_to_p,
    reduce_sum_p,
    reshape_p,
    transpose_p,
    with_axis,
    with_lengths_of,
)
from gradtape._src.declare.traits import Pattern, Traits
from gradtape._src.declare.unknown_sizes import broadcast_shapes, may_be_equal
from gradtape._src.declare.xla_kernels import in_float32
from gradtape._src.ops.array.grids_and_masks import one_hot
from gradtape._src.ops.elementwise.arithmetic import neg_p
from gradtape._src.ops.elementwise.casting import cast_p
from gradtape._src.ops.elementwise.exponential import sigmoid_p, softplus_p
from gradtape._src.ops.nn.softmax import log_softmax_p, softmax, softmax_axis, softmax_p

# Python reads these names faster than attributes of NumPy.
exp, log, maximum, ndarray, subtract = np.exp, np.log, np.maximum, np.ndarray, np.subtract

# Cross entropy along the last axis. The greatest logit and the logarithm of the sum of the shifted
# exponentials are additional outputs, which the vjp uses. They are separate outputs, because their
# sum would lose most digits of the logarithm if the logit is large.


def _column(x: Any) -> Any:
    """Returns `x` with one more axis at the end."""
    return reshape_p(x, shape=(*shape_of(x), 1))


def _log_sum_exp(logits: Any) -> tuple[Any, Any, Any]:
    """Returns logits minus the greatest, log(sum(exp(...))) of these, and the greatest logit."""
    top: Any
    if logits.size:
        top = extreme(maximum, logits, False)
    else:
        top = maximum.reduce(logits, axis=-1, initial=-np.inf)
    shifted = logits - top[..., None]
    return shifted, log(add(exp(shifted), (-1,))), top


def _log_sum_exp_xla(logits: Any) -> tuple[Any, Any, Any]:
    top = jnp.max(logits, -1, keepdims=True, initial=-np.inf)
    shifted = logits - top
    return shifted, jnp.log(jnp.sum(jnp.exp(shifted), -1, keepdims=True)), top


def _probability(logits: Any, out: Any) -> Any:
    """Returns the softmax, from outputs of the loss if these are exact enough and not recorded."""
    if type(logits) is not ndarray or logits.dtype.itemsize == 2:
        return softmax_p(logits, axis=-1)
    d = subtract(logits, out[2][..., None])
    d -= out[1][..., None]
    return exp(d, d)


def _picked(x: Any, labels: Any) -> Any:
    found = x.take(_places(x, labels))
    return found if labels.ndim == 1 else found.reshape(labels.shape)[()]


def _places(x: Any, labels: Any) -> Any:
    """Returns the index of each label's class in the flattened `x`."""
    starts = row_starts(labels.size, x.shape[-1])
    return starts + (labels if labels.ndim == 1 else labels.reshape(-1))


def _subtract_at(x: Any, v: Any, labels: Any) -> Any:
    """Subtracts `v` from the elements of `x` that labels select along the last axis."""
    return _subtract_in(x.copy("C"), v, labels)


def _put_along_xla(x: Any, labels: Any, change: Any) -> Any:
    """Returns `change(mask, x)`, where the mask is true at the classes that labels name."""
    hit = labels[..., None] == np.arange(x.shape[-1], dtype=np.int32)
    return jnp.where(hit, change, x)


def _subtract_in(out: Any, v: Any, labels: Any) -> Any:
    if not out.flags.c_contiguous:
        out = out.copy("C")
    out.reshape(-1)[_places(out, labels)] -= v.reshape(-1)
    return out


def _take_labels(x: Any, labels: Any) -> Any:
    return _picked(x, labels)


def _take_labels_xla(x: Any, labels: Any) -> Any:
    return jnp.take_along_axis(x, labels[..., None], -1, mode="clip")[..., 0]


take_labels_p: Bound = general(
    "TakeLabels",
    _take_labels,
    {"x": lambda g, labels, x_shape: put_labels_p(g, labels, depth=x_shape[-1])},
    linear=["x"],
    batching=lambda size, batched, inputs, params: take_labels_p(*with_axis(size, batched, inputs)),
    traits=Traits(pattern=Pattern.MOVED),
    xla=_take_labels_xla,
)


def _put_labels(v: Any, labels: Any, *, depth: int) -> Any:
    out = np.zeros((*labels.shape, depth), v.dtype)
    out.reshape(-1)[_places(out, labels)] = v.reshape(-1)
    return out


def _put_labels_xla(v: Any, labels: Any, *, depth: int) -> Any:
    return _put_along_xla(jnp.zeros((*labels.shape, depth), v.dtype), labels, v[..., None])


put_labels_p: Bound = general(
    "PutLabels",
    _put_labels,
    {"v": lambda g, labels: take_labels_p(g, labels)},
    linear=["v"],
    batching=lambda size, batched, inputs, params: put_labels_p(
        *with_axis(size, batched, inputs), **params
    ),
    xla=_put_labels_xla,
)


def _subtract_at_xla(x: Any, v: Any, labels: Any) -> Any:
    # Programs raise no errors: for a label out of range, the gradient is NaN, as the loss is.
    rows = jnp.where(_out_of_range(labels, x)[..., None], x.dtype.type(np.nan), x)
    return _put_along_xla(rows, labels, x - v[..., None])


def _out_of_range(labels: Any, x: Any) -> Any:
    return (labels < 0) | (labels >= x.shape[-1])


subtract_at_p: Bound = general(
    "SubtractAtLabels",
    _subtract_at,
    {"x": lambda g: g, "v": lambda g, labels: -take_labels_p(g, labels)},
    jvps={
        "x": lambda t: t,
        "v": lambda t, labels, x_shape: -put_labels_p(t, labels, depth=x_shape[-1]),
    },
    batching=lambda size, batched, inputs, params: subtract_at_p(*with_axis(size, batched, inputs)),
    xla=_subtract_at_xla,
)


_UNSIGNED = {n: np.dtype(f"u{n}") for n in (1, 2, 4, 8)}


def _sparse_cross_entropy(logits: Any, labels: Any) -> tuple[Any, Any, Any]:
    if logits.dtype.itemsize == 2:
        loss, lse, top = _sparse_cross_entropy(logits.astype(np.float32), labels)
        kind = logits.dtype
        return loss.astype(kind), lse.astype(kind), top.astype(kind)
    n = logits.shape[-1]
    unsigned = labels.view(_UNSIGNED[labels.itemsize])  # negative labels become large numbers
    if labels.size and unsigned.item(unsigned.argmax()) >= n:
        bad = labels[(labels < 0) | (labels >= n)]
        raise InvalidArgumentError(
            None,
            None,
            f"Received a label value of {bad.flat[0]} which is outside the valid range of [0, {n})."
            f"  Label values: {' '.join(map(str, labels.reshape(-1)[:100]))} "
            "[Op:SparseSoftmaxCrossEntropyWithLogits]",
        )
    shifted, lse, top = _log_sum_exp(logits)
    return lse - _picked(shifted, labels), lse, top


def _sparse_cross_entropy_xla(logits: Any, labels: Any) -> tuple[Any, Any, Any]:
    if logits.dtype.itemsize == 2:
        loss, lse, top = _sparse_cross_entropy_xla(logits.astype(np.float32), labels)
        kind = logits.dtype
        return loss.astype(kind), lse.astype(kind), top.astype(kind)
    shifted, lse, top = _log_sum_exp_xla(logits)
    hit = labels[..., None] == np.arange(logits.shape[-1], dtype=np.int32)
    at_label = jnp.sum(jnp.where(hit, shifted, logits.dtype.type(0)), -1)
    nan = logits.dtype.type(np.nan)
    loss = jnp.where(_out_of_range(labels, logits), nan, lse[..., 0] - at_label)
    return loss, lse[..., 0], top[..., 0]


def _sparse_vjp(g: Any, logits: Any, labels: Any, out: Any) -> Any:
    # The rule returns the derivative of the sum of the last two outputs as that of the first of
    # these.
    g_loss, g_lse, _ = g
    total = g_loss if g_lse is None else g_loss + g_lse
    if type(logits) is ndarray and logits.dtype.itemsize > 2:
        d = subtract(logits, out[2][..., None])
        exp(d, d)
        d *= (total * exp(-out[1]))[..., None]
        return _subtract_in(d, g_loss, labels)
    d = _probability(logits, out)
    return subtract_at_p(d * _column(total), g_loss, labels)


def _sparse_jvp(t: Any, logits: Any, labels: Any, out: Any) -> Any:
    t_lse = reduce_sum_p(_probability(logits, out) * t, axis=(-1,), keepdims=False)
    return t_lse - take_labels_p(t, labels), t_lse, t_lse * 0


sparse_cross_entropy_p: BoundOutputs[tuple[Tensor, Tensor, Tensor]] = several(
    3,
    general(
        "SparseSoftmaxCrossEntropyWithLogits",
        _sparse_cross_entropy,
        {"logits": _sparse_vjp},
        jvps={"logits": _sparse_jvp},
        batching=lambda size, batched, inputs, params: sparse_cross_entropy_p(
            *with_axis(size, batched, inputs)
        ),
        dtypes=FLOATING,
        same=slice(0, 1),
        xla=_sparse_cross_entropy_xla,
    ),
    needed=1,
)


_LABELS = frozenset({np.int32, np.int64, np.uint8, np.int8, np.int16, np.uint16})


@export("nn.sparse_softmax_cross_entropy_with_logits")
def sparse_softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, name: str | None = None
) -> Tensor:
    """Returns the cross entropy of the softmax of logits with integer class labels.

    Args:
      labels: An int32 or int64 tensor of shape (d1, ..., dn), each in [0, classes).
      logits: A floating-point tensor of shape (d1, ..., dn, classes), before any softmax.
      name: Accepted for compatibility.

    Returns:
      A tensor of the labels' shape and the logits' dtype.

    Raises:
      ValueError: The shapes are not compatible.
      InvalidArgumentError: A label is out of range, or a dtype is not supported.

    >>> logits = [[2.0, 0.0], [0.0, 2.0]]
    >>> losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 0], logits=logits)
    >>> losses.numpy().round(4)
    array([0.1269, 2.1269], dtype=float32)
    """
    labels, logits = tensor(labels), tensor(logits)
    have, want = labels._value.shape, logits._value.shape
    known = type(have) is tuple is type(want)
    if not known:
        have, want = tuple(have), tuple(want)
    if not want:
        raise ValueError(f"`logits` cannot be a scalar. Received logits={logits}`")
    if len(have) != len(want) - 1:
        raise ValueError(
            "`labels.shape.rank` must equal `logits.shape.rank - 1`. Received: "
            f"labels.shape={have} of rank {len(have)} and logits.shape={want} of rank {len(want)}"
        )
    if have != want[:-1] if known else not may_be_equal(have, want[:-1]):
        raise ValueError(
            "`labels.shape` must equal `logits.shape` except for the last dimension. Received: "
            f"labels.shape={have} and logits.shape={want}"
        )
    if labels._value.dtype.type not in _LABELS:
        raise invalid(
            f"Value for attr 'Tlabels' of {labels.dtype.name} is not in the list of allowed "
            "values: int32, int64 [Op:SparseSoftmaxCrossEntropyWithLogits] (tf.cast the labels)",
            About.DTYPES,
        )
    if not known:
        labels = with_lengths_of(labels, want[:-1])
    return sparse_cross_entropy_p(logits, labels)[0]


@raw_op("SparseSoftmaxCrossEntropyWithLogits")
def _raw_sparse_cross_entropy(
    features: Any, labels: Any, name: str | None = None
) -> tuple[Any, Any]:
    """Returns the cross entropy of class numbers and logits, and its gradient."""
    x = tensor(features)
    loss = sparse_softmax_cross_entropy_with_logits(labels=labels, logits=x)
    ones = one_hot(labels, shape_of(x)[-1], dtype=x.dtype)
    return loss, softmax(x) - ones


def _cross_entropy(labels: Any, logits: Any) -> tuple[Any, Any, Any]:
    if logits.dtype.itemsize == 2:
        loss, lse, top = _cross_entropy(labels.astype(np.float32), logits.astype(np.float32))
        kind = logits.dtype
        return loss.astype(kind), lse.astype(kind), top.astype(kind)
    shifted, lse, top = _log_sum_exp(logits)
    subtract(lse[..., None], shifted, shifted)
    shifted *= labels
    return np.add.reduce(shifted, axis=-1), lse, top


@in_float32
def _cross_entropy_xla(labels: Any, logits: Any) -> tuple[Any, Any, Any]:
    shifted, lse, top = _log_sum_exp_xla(logits)
    return jnp.sum((lse - shifted) * labels, -1), lse[..., 0], top[..., 0]


def _cross_entropy_by_logits(g: Any, labels: Any, logits: Any, out: Any) -> Any:
    """Returns TensorFlow's gradient, softmax minus labels, which assumes that labels sum to 1."""
    g_loss, g_lse, _ = g
    total = g_loss if g_lse is None else g_loss + g_lse
    return _probability(logits, out) * _column(total) - labels * _column(g_loss)


cross_entropy_p: BoundOutputs[tuple[Tensor, Tensor, Tensor]] = several(
    3,
    general(
        "SoftmaxCrossEntropyWithLogits",
        _cross_entropy,
        {
            "labels": lambda g, logits: _column(-g[0]) * log_softmax_p(logits, axis=-1),
            "logits": _cross_entropy_by_logits,
        },
        batching=lambda size, batched, inputs, params: cross_entropy_p(
            *with_axis(size, batched, inputs)
        ),
        dtypes=FLOATING,
        same=slice(0, 2),
        xla=_cross_entropy_xla,
    ),
    needed=1,
)


def _spread(x: Any, shape: tuple[int, ...]) -> Any:
    return x if tuple(x._value.shape) == shape else broadcast_to_p(x, shape=shape)


@export("nn.softmax_cross_entropy_with_logits")
def softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, axis: int = -1, name: str | None = None
) -> Tensor:
    """Returns the cross entropy of the softmax of logits with distributions over the classes.

    Gradients also flow to the labels; use `tf.stop_gradient` on the labels to avoid it.

    Args:
      labels: A tensor whose shape broadcasts with the logits' shape, with a distribution along
        `axis`.
      logits: A floating-point tensor, before any softmax.
      axis: The axis of the classes.
      name: Accepted for compatibility.

    Returns:
      A tensor of the logits' shape without the axis.

    Raises:
      InvalidArgumentError: The shapes do not broadcast, there is no such axis, or the dtype is
        not floating.

    >>> losses = tf.nn.softmax_cross_entropy_with_logits(labels=[[0.5, 0.5]], logits=[[1.0, 1.0]])
    >>> losses.numpy().round(4)
    array([0.6931], dtype=float32)
    """
    logits = tensor(logits)
    if isinstance(labels, Tensor) or not hasattr(labels, "__len__"):
        labels = tensor(labels)
    else:
        labels = convert_to_tensor(labels, dtype_hint=logits.dtype)
    dtype = logits._value.dtype
    half = dtype.itemsize == 2
    if half:  # Computed in float32; the result is cast back.
        logits = cast_p(logits, dtype=np.dtype(np.float32))
    if labels._value.dtype != logits._value.dtype:
        labels = cast_p(labels, dtype=logits._value.dtype)
    if may_be_equal(labels._value.shape, logits._value.shape):
        labels = with_lengths_of(labels, logits._value.shape)
    rank = max(logits._value.ndim, labels._value.ndim)
    at = softmax_axis(axis, rank, "SoftmaxCrossEntropyWithLogits")
    try:
        shape = broadcast_shapes(labels._value.shape, logits._value.shape)
    except ValueError:
        raise invalid(
            "logits and labels must be broadcastable: logits_size="
            f"{shown_shape(logits._value.shape)} labels_size={shown_shape(labels._value.shape)} "
            "[Op:SoftmaxCrossEntropyWithLogits]",
        ) from None
    labels, logits = _spread(labels, shape), _spread(logits, shape)
    if at != -1:
        order = (*[a for a in range(rank) if a != at + rank], at + rank)
        labels, logits = transpose_p(labels, perm=order), transpose_p(logits, perm=order)
    loss = cross_entropy_p(labels, logits)[0]
    return cast_p(loss, dtype=dtype) if half else loss


@raw_op("SoftmaxCrossEntropyWithLogits")
def _raw_cross_entropy(features: Any, labels: Any, name: str | None = None) -> tuple[Any, Any]:
    """Returns the cross entropy of labels and logits, and its gradient."""
    loss = softmax_cross_entropy_with_logits(labels=labels, logits=features)
    x, y = tensor(features), tensor(labels)
    if max(len(shape_of(x)), len(shape_of(y))) != 2:
        raise invalid(
            "logits and labels must be either 2-dimensional, or broadcasted to be 2-dimensional "
            "[Op:SoftmaxCrossEntropyWithLogits]"
        )
    return loss, softmax(_spread(x, broadcast_shapes(shape_of(x), shape_of(y)))) - y


@in_single_2
def _sigmoid_cross_entropy(labels: Any, logits: Any) -> Any:
    """Returns softplus(z) - z * y, which is max(z, 0) - z * y + log1p(exp(-|z|))."""
    return softplus_kernel(logits) - logits * labels


sigmoid_cross_entropy_p = binary(
    "SigmoidCrossEntropyWithLogits",
    _sigmoid_cross_entropy,
    lambda y: -y,
    lambda x, y: sigmoid_p(y) - x,
    FLOATING,
    xla=in_float32(
        lambda labels, logits: (
            jnp.maximum(logits, 0) + jnp.log1p(jnp.exp(-jnp.abs(logits))) - logits * labels
        )
    ),
)


def _two(labels: Any, logits: Any, function: str, first: str = "labels") -> tuple[Tensor, Tensor]:
    """Returns labels and logits as tensors of one shape."""
    if labels is None or logits is None:
        raise ValueError(
            f"Both `labels` and `logits` must be provided for {function}. Received: "
            f"labels={labels} and logits={logits}"
        )
    labels, logits = pair(labels, logits)
    if not may_be_equal(labels._value.shape, logits._value.shape):
        raise ValueError(
            f"`logits` and `{first}` must have the same shape, received "
            f"({logits.shape} vs {labels.shape})."
        )
    return with_lengths_of(labels, logits._value.shape), logits


@export("nn.sigmoid_cross_entropy_with_logits")
def sigmoid_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: str | None = None
) -> Tensor:
    """Returns the cross entropy of the sigmoid of each logit with its own probability.

    It is `max(z, 0) - z * y + log(1 + exp(-|z|))` for labels y and logits z, which does not
    overflow.

    Args:
      labels: A floating-point tensor of probabilities.
      logits: A tensor of the same shape and dtype.
      name: Accepted for compatibility.

    Returns:
      A tensor of that shape and dtype.

    Raises:
      ValueError: An argument is missing, or the shapes differ.
      InvalidArgumentError: The dtypes differ or are not floating.

    >>> losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=[1.0, 0.0], logits=[0.0, 2.0])
    >>> losses.numpy().round(4)
    array([0.6931, 2.1269], dtype=float32)
    """
    return sigmoid_cross_entropy_p(*_two(labels, logits, "sigmoid_cross_entropy_with_logits"))


@export("nn.weighted_cross_entropy_with_logits")
def weighted_cross_entropy_with_logits(
    labels: Any, logits: Any, pos_weight: Any, name: str | None = None
) -> Tensor:
    """Returns the cross entropy of the sigmoid with a weight for the positive term.

    It is `(1 - y) * z + (1 + (w - 1) * y) * log(1 + exp(-z))` for labels y, logits z and weight w.

    Args:
      labels: A floating-point tensor of probabilities.
      logits: A tensor of the same shape and dtype.
      pos_weight: The weight; it broadcasts.
      name: Accepted for compatibility.

    Returns:
      A tensor of the logits' shape and dtype.

    Raises:
      ValueError: The shapes differ.
      InvalidArgumentError: The dtypes differ or are not floating.
    """
    y, z = _two(labels, logits, "weighted_cross_entropy_with_logits")
    weight = 1 + (pair(z, pos_weight)[1] - 1) * y
    return (1 - y) * z + weight * softplus_p(neg_p(z))
