"""Losses from logits, as functions of `tf.compat.v1.nn`."""

from __future__ import annotations

from typing import Any

from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.elementwise.identities import stop_gradient
from gradtape._src.ops.nn import cross_entropy as losses
from gradtape._src.sessions.older.arguments import either


def _both(labels: Any, logits: Any, function: str) -> tuple[Any, Any]:
    """Returns labels and logits.

    Raises:
      ValueError: Labels or logits are missing.
    """
    if labels is None or logits is None:
        raise ValueError(f"Both `labels` and `logits` must be provided for {function}")
    return labels, logits


@export("compat.v1.nn.softmax_cross_entropy_with_logits")
def softmax_cross_entropy_with_logits(
    labels: Any = None,
    logits: Any = None,
    dim: int = -1,
    name: str | None = None,
    axis: int | None = None,
) -> Tensor:
    """Returns the cross entropy of a softmax, without a gradient with respect to the labels.

    Args:
      labels: Distributions over the classes.
      logits: The inputs of the softmax.
      dim: The old name of `axis`.
      name: The operation's name.
      axis: The axis of the classes. Defaults to the last one.

    Returns:
      The loss of each example.

    Raises:
      ValueError: Labels or logits are missing, or the axis is given under both names.
    """
    given = _both(labels, logits, "softmax_cross_entropy_with_logits")
    if axis is not None and dim != -1:
        raise ValueError("Cannot specify both 'dim' and 'axis'.")
    fixed = stop_gradient(convert_to_tensor(given[0], dtype_hint=getattr(logits, "dtype", None)))
    where = dim if axis is None else axis
    return losses.softmax_cross_entropy_with_logits(fixed, given[1], where)


@export("compat.v1.nn.softmax_cross_entropy_with_logits_v2")
def softmax_cross_entropy_with_logits_v2(
    labels: Any,
    logits: Any,
    axis: int | None = None,
    name: str | None = None,
    dim: int | None = None,
) -> Tensor:
    """Returns the cross entropy of a softmax, with a gradient with respect to the labels too.

    Args:
      labels: Distributions over the classes.
      logits: The inputs of the softmax.
      axis: The axis of the classes. Defaults to the last one.
      name: The operation's name.
      dim: The old name of `axis`.

    Returns:
      The loss of each example.

    Raises:
      ValueError: The axis is given under both names.
    """
    where = either(axis, dim, "axis", "dim")
    return losses.softmax_cross_entropy_with_logits(labels, logits, -1 if where is None else where)


@export("compat.v1.nn.sparse_softmax_cross_entropy_with_logits")
def sparse_softmax_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: str | None = None
) -> Tensor:
    """Returns the cross entropy of a softmax with the numbers of the true classes.

    Args:
      labels: The numbers of the classes.
      logits: The inputs of the softmax.
      name: The operation's name.

    Returns:
      The loss of each example.

    Raises:
      ValueError: Labels or logits are missing.
    """
    given = _both(labels, logits, "sparse_softmax_cross_entropy_with_logits")
    return losses.sparse_softmax_cross_entropy_with_logits(*given)


@export("compat.v1.nn.sigmoid_cross_entropy_with_logits")
def sigmoid_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: str | None = None
) -> Tensor:
    """Returns the cross entropy of a sigmoid.

    Args:
      labels: The probabilities.
      logits: The inputs of the sigmoid.
      name: The operation's name.

    Returns:
      The loss of each element.

    Raises:
      ValueError: Labels or logits are missing.
    """
    given = _both(labels, logits, "sigmoid_cross_entropy_with_logits")
    return losses.sigmoid_cross_entropy_with_logits(*given)


@export("compat.v1.nn.weighted_cross_entropy_with_logits")
def weighted_cross_entropy_with_logits(
    labels: Any = None,
    logits: Any = None,
    pos_weight: Any = None,
    name: str | None = None,
    targets: Any = None,
) -> Tensor:
    """Returns the cross entropy of a sigmoid, with a weight for positive labels.

    Args:
      labels: The probabilities.
      logits: The inputs of the sigmoid.
      pos_weight: The weight of positive labels.
      name: The operation's name.
      targets: The old name of `labels`.

    Returns:
      The loss of each element.
    """
    labels = either(labels, targets, "labels", "targets")
    return losses.weighted_cross_entropy_with_logits(labels, logits, pos_weight)
