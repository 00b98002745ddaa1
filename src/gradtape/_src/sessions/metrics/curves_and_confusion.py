"""Metrics whose state is a vector or a matrix: the area under a curve, and confusion."""

from __future__ import annotations

from typing import Any

from gradtape._src.base.dtypes import float32, int64
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.array.grids_and_masks import one_hot
from gradtape._src.ops.array.shaping import reshape
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.division import divide_no_nan
from gradtape._src.ops.elementwise.selection import where
from gradtape._src.ops.linalg.diagonals import diag_part
from gradtape._src.ops.linalg.matmul import matmul
from gradtape._src.ops.reduce.reductions import reduce_sum
from gradtape._src.sessions.metrics.means_and_counts import (
    Metric,
    collected,
    scope_of_metric,
    state,
)
from gradtape._src.sessions.metrics.thresholds import Counts, counts_at, edges_of

_SMALL = 1e-6


@export("compat.v1.metrics.auc")
def auc(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    curve: str = "ROC",
    name: str | None = None,
    summation_method: str = "trapezoidal",
    thresholds: Any = None,
) -> Metric:
    """Computes an estimate of the area under a curve of classifications.

    Args:
      labels: The labels, which are converted to bools.
      predictions: Scores between 0 and 1.
      weights: A weight for each value, or None.
      num_thresholds: The number of thresholds.
      metrics_collections: Collections that the result is added to.
      updates_collections: Collections that the update is added to.
      curve: "ROC" for the rate of true positives by that of false ones, or "PR" for precision by
        recall.
      name: The operation's name.
      summation_method: "trapezoidal", "minoring" or "majoring".
      thresholds: Thresholds between 0 and 1 in place of equally distant ones.

    Returns:
      The value so far, and the operation that updates and returns it.

    Raises:
      RuntimeError: Execution is eager.
      ValueError: The curve or the method is unknown.
    """
    if curve not in ("ROC", "PR"):
        raise ValueError(f"curve must be either ROC or PR. Curve {curve} is unknown.")
    if summation_method not in ("trapezoidal", "minoring", "majoring"):
        raise ValueError(f"Invalid summation_method: {summation_method}")
    edges = edges_of(num_thresholds, thresholds)
    with scope_of_metric(name, "auc", [labels, predictions, weights]):
        both = counts_at(edges, labels, predictions, weights)
        value, update = (_area(each, curve, summation_method) for each in both)
        return collected(value, update, metrics_collections, updates_collections)


def _area(counts: Counts, curve: str, method: str) -> Tensor:
    """Returns the area under a curve through the points of all thresholds."""
    tp, fn = counts["true_positives"], counts["false_negatives"]
    tn, fp = counts["true_negatives"], counts["false_positives"]
    recall = (tp + _SMALL) / (tp + fn + _SMALL)
    if curve == "ROC":
        x, y = fp / (fp + tn + _SMALL), recall
    else:
        x, y = recall, (tp + _SMALL) / (tp + fp + _SMALL)
    heights: Any = (y[:-1] + y[1:]) / 2.0
    if method != "trapezoidal":
        lower = y[:-1] < y[1:]
        first = lower if method == "minoring" else ~lower
        heights = where(first, y[:-1], y[1:])
    return reduce_sum((x[:-1] - x[1:]) * heights)


@export("compat.v1.metrics.mean_iou")
def mean_iou(
    labels: Any,
    predictions: Any,
    num_classes: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Computes the mean over classes of intersection over union.

    Args:
      labels: The classes.
      predictions: The predicted classes.
      num_classes: The number of classes.
      weights: A weight for each value, or None.
      metrics_collections: Collections that the result is added to.
      updates_collections: Collections that the update is added to.
      name: The operation's name.

    Returns:
      The mean so far, and the operation that updates and returns the confusion matrix.

    Raises:
      RuntimeError: Execution is eager.
    """
    with scope_of_metric(name, "mean_iou", [labels, predictions, weights]):
        total = state("total_confusion_matrix", [num_classes, num_classes])
        truth, guess = (reshape(cast(x, int64), [-1]) for x in (labels, predictions))
        rows: Any = one_hot(truth, num_classes)
        if weights is not None:
            rows = rows * reshape(cast(weights, float32), [-1, 1])
        new = matmul(rows, one_hot(guess, num_classes), transpose_a=True)
        update = total.assign_add(new)
        whole = total.read_value()
        both: Any = diag_part(whole)
        union: Any = reduce_sum(whole, 0) + reduce_sum(whole, 1) - both
        seen = reduce_sum(cast(union > 0.0, float32))
        value = divide_no_nan(reduce_sum(divide_no_nan(both, union)), seen)
        return collected(value, convert_to_tensor(update), metrics_collections, updates_collections)
