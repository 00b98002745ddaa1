"""Losses with weights and reductions: `tf.compat.v1.losses`."""

from __future__ import annotations

from typing import Any

from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.array.creation import ones_like
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.division import divide_no_nan
from gradtape._src.ops.nn.cross_entropy import softmax_cross_entropy_with_logits
from gradtape._src.ops.reduce.reductions import reduce_sum


@export("compat.v1.losses.Reduction")
class Reduction:
    """The ways to combine the weighted losses of the examples."""

    NONE = "none"
    SUM = "weighted_sum"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    MEAN = "weighted_mean"
    SUM_BY_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """Returns all ways to reduce a loss.

        Returns:
          A tuple of names.
        """
        return (
            cls.NONE,
            cls.SUM,
            cls.MEAN,
            cls.SUM_OVER_BATCH_SIZE,
            cls.SUM_OVER_NONZERO_WEIGHTS,
            cls.SUM_BY_NONZERO_WEIGHTS,
        )

    @classmethod
    def validate(cls, key: str) -> None:
        """Raises ValueError for an unknown reduction.

        Args:
          key: A name.
        """
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}.")


@export("compat.v1.losses.softmax_cross_entropy")
def softmax_cross_entropy(
    onehot_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: Any = "losses",
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Returns the weighted softmax cross entropy between logits and one-hot labels.

    Args:
      onehot_labels: A tensor of shape (batch, classes).
      logits: A floating-point tensor shaped like `onehot_labels`; the softmax must not have been
        applied.
      weights: A number, or a tensor of shape (batch,) or (batch, 1).
      label_smoothing: The fraction of each label that is spread evenly over the classes.
      scope: Accepted for compatibility.
      loss_collection: Ignored: eager execution collects no losses.
      reduction: A member of `Reduction`.

    Returns:
      The loss: a scalar, or with `Reduction.NONE` one for each example.

    Raises:
      ValueError: An argument is None, or the shapes or the reduction are wrong.
    """
    if onehot_labels is None:
        raise ValueError("Argument `onehot_labels` must not be None.")
    if logits is None:
        raise ValueError("Argument `logits` must not be None.")
    Reduction.validate(reduction)
    scores = convert_to_tensor(logits)
    labels = cast(onehot_labels, scores.dtype)
    labels.shape.assert_is_compatible_with(scores.shape)
    if label_smoothing > 0:
        spread = label_smoothing / int(labels.shape[1])
        labels = labels * (1 - label_smoothing) + spread
    losses = softmax_cross_entropy_with_logits(labels, scores)
    return _weighted(losses, cast(weights, scores.dtype), reduction)


def _weighted(losses: Any, weights: Any, reduction: str) -> Tensor:
    if weights.shape.rank == losses.shape.rank + 1 and weights.shape[-1] == 1:
        weights = weights[..., 0]
    if weights.shape.rank and weights.shape != losses.shape:
        raise ValueError(
            f"weights can not be broadcast to values. values.shape={losses.shape}. "
            f"weights.shape={weights.shape}."
        )
    weighted: Tensor = losses * weights
    if reduction == Reduction.NONE:
        return weighted
    total = reduce_sum(weighted)
    if reduction == Reduction.SUM:
        return total
    over = ones_like(losses)
    if reduction == Reduction.MEAN:
        over = over * weights
    elif reduction == Reduction.SUM_BY_NONZERO_WEIGHTS:
        over = over * cast(weights != 0.0, losses.dtype)
    return divide_no_nan(total, reduce_sum(over))
