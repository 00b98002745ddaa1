"""Metrics for several thresholds: `tf.compat.v1.metrics.precision_at_thresholds` and others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from gradtape._src.base.dtypes import bool_, float32
from gradtape._src.base.export import export
from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.array.creation import ones_like, zeros
from gradtape._src.ops.array.shaping import reshape
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.comparison import equal
from gradtape._src.ops.elementwise.selection import where
from gradtape._src.ops.reduce.cumulative import cumsum
from gradtape._src.ops.reduce.extremes import argmax, argmin, reduce_min
from gradtape._src.ops.reduce.reductions import reduce_sum
from gradtape._src.sessions.metrics.means_and_counts import (
    Metric,
    collected,
    scope_of_metric,
    state,
    weights_of,
)

Counts: TypeAlias = "Mapping[str, Any]"
ALL = ("true_positives", "false_negatives", "true_negatives", "false_positives")
_EDGE = 1e-7


def edges_of(num_thresholds: int, thresholds: Sequence[float] | None = None) -> list[float]:
    """Returns thresholds, with one below 0 and one above 1.

    Args:
      num_thresholds: The number of thresholds.
      thresholds: Thresholds between 0 and 1 in place of equally distant ones.
    """
    inner = np.arange(1, num_thresholds - 1) / (num_thresholds - 1)
    chosen = inner if thresholds is None else sorted(thresholds)
    return [-_EDGE, *chosen, 1.0 + _EDGE]


def counts_at(
    edges: Sequence[float],
    labels: Any,
    predictions: Any,
    weights: Any,
    kinds: Sequence[str] = ALL,
) -> tuple[Counts, Counts]:
    """Counts true and false predictions for each threshold.

    Args:
      edges: The thresholds.
      labels: The labels, which are converted to bools.
      predictions: Scores.
      weights: A weight for each value, or None.
      kinds: The names of the counts.

    Returns:
      The counts so far, and the operations that update them, by name.
    """
    truth: Any = reshape(cast(labels, bool_), [1, -1])
    each = cast(predictions, float32)
    by = reshape(ones_like(each) if weights is None else weights_of(weights, each), [1, -1])
    above: Any = reshape(each, [1, -1]) > np.array(edges, np.float32)[:, None]
    zero = zeros([], float32)
    values, updates = {}, {}
    for kind in kinds:
        right, _, side = kind.partition("_")
        chosen = above if side == "positives" else ~above
        wanted = truth if (right == "true") == (side == "positives") else ~truth
        kept = state(kind, [len(edges)])
        updates[kind] = kept.assign_add(reduce_sum(where(wanted & chosen, by, zero), 1))
        values[kind] = kept.read_value()
    return values, updates


def _counted(
    kind: str, labels: Any, predictions: Any, thresholds: Any, weights: Any, keys: Any, name: Any
) -> Metric:
    with scope_of_metric(name, kind, [predictions, labels, weights]):
        values, updates = counts_at(thresholds, labels, predictions, weights, [kind])
        return collected(values[kind], updates[kind], *keys)


def _ratio(
    kind: str,
    other: str,
    labels: Any,
    predictions: Any,
    thresholds: Any,
    weights: Any,
    keys: Any,
    name: Any,
) -> Metric:
    right = "true_positives"
    with scope_of_metric(name, kind, [predictions, labels, weights]):
        both = counts_at(thresholds, labels, predictions, weights, [right, other])
        value, update = (n[right] / (_EDGE + n[right] + n[other]) for n in both)
        return collected(value, update, *keys)


@export("compat.v1.metrics.true_positives_at_thresholds")
def true_positives_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Counts the true predictions whose label is true, for each threshold.

    Args:
      labels: The labels, which are converted to bools.
      predictions: Scores, which are true above a threshold.
      thresholds: A list of thresholds.
      weights: A weight for each value, or None.
      metrics_collections: Collections that the result is added to.
      updates_collections: Collections that the update is added to.
      name: The operation's name.

    Returns:
      The value so far, and the operation that updates and returns it.

    Raises:
      RuntimeError: Execution is eager.
    """
    keys = metrics_collections, updates_collections
    return _counted("true_positives", labels, predictions, thresholds, weights, keys, name)


@export("compat.v1.metrics.true_negatives_at_thresholds")
def true_negatives_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Counts the false predictions whose label is false, for each threshold.

    Args:
      labels: The labels, which are converted to bools.
      predictions: Scores, which are true above a threshold.
      thresholds: A list of thresholds.
      weights: A weight for each value, or None.
      metrics_collections: Collections that the result is added to.
      updates_collections: Collections that the update is added to.
      name: The operation's name.

    Returns:
      The value so far, and the operation that updates and returns it.

    Raises:
      RuntimeError: Execution is eager.
    """
    keys = metrics_collections, updates_collections
    return _counted("true_negatives", labels, predictions, thresholds, weights, keys, name)


@export("compat.v1.metrics.false_positives_at_thresholds")
def false_positives_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Counts the true predictions whose label is false, for each threshold.

    Args:
      labels: The labels, which are converted to bools.
      predictions: Scores, which are true above a threshold.
      thresholds: A list of thresholds.
      weights: A weight for each value, or None.
      metrics_collections: Collections that the result is added to.
      updates_collections: Collections that the update is added to.
      name: The operation's name.

    Returns:
      The value so far, and the operation that updates and returns it.

    Raises:
      RuntimeError: Execution is eager.
    """
    keys = metrics_collections, updates_collections
    return _counted("false_positives", labels, predictions, thresholds, weights, keys, name)


@export("compat.v1.metrics.false_negatives_at_thresholds")
def false_negatives_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Counts the false predictions whose label is true, for each threshold.

    Args:
      labels: The labels, which are converted to bools.
      predictions: Scores, which are true above a threshold.
      thresholds: A list of thresholds.
      weights: A weight for each value, or None.
      metrics_collections: Collections that the result is added to.
      updates_collections: Collections that the update is added to.
      name: The operation's name.

    Returns:
      The value so far, and the operation that updates and returns it.

    Raises:
      RuntimeError: Execution is eager.
    """
    keys = metrics_collections, updates_collections
    return _counted("false_negatives", labels, predictions, thresholds, weights, keys, name)


@export("compat.v1.metrics.precision_at_thresholds")
def precision_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Computes how many of the true predictions are right, for each threshold.

    Args:
      labels: The labels, which are converted to bools.
      predictions: Scores, which are true above a threshold.
      thresholds: A list of thresholds.
      weights: A weight for each value, or None.
      metrics_collections: Collections that the result is added to.
      updates_collections: Collections that the update is added to.
      name: The operation's name.

    Returns:
      The value so far, and the operation that updates and returns it.

    Raises:
      RuntimeError: Execution is eager.
    """
    keys, kind = (metrics_collections, updates_collections), "precision_at_thresholds"
    return _ratio(kind, "false_positives", labels, predictions, thresholds, weights, keys, name)


@export("compat.v1.metrics.recall_at_thresholds")
def recall_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Computes how many of the true labels are predicted, for each threshold.

    Args:
      labels: The labels, which are converted to bools.
      predictions: Scores, which are true above a threshold.
      thresholds: A list of thresholds.
      weights: A weight for each value, or None.
      metrics_collections: Collections that the result is added to.
      updates_collections: Collections that the update is added to.
      name: The operation's name.

    Returns:
      The value so far, and the operation that updates and returns it.

    Raises:
      RuntimeError: Execution is eager.
    """
    keys, kind = (metrics_collections, updates_collections), "recall_at_thresholds"
    return _ratio(kind, "false_negatives", labels, predictions, thresholds, weights, keys, name)


def _sensitivity(counts: Counts) -> Any:
    right = counts["true_positives"]
    return right / (right + counts["false_negatives"] + _EDGE)


def _specificity(counts: Counts) -> Any:
    right = counts["true_negatives"]
    return right / (right + counts["false_positives"] + _EDGE)


@export("compat.v1.metrics.sensitivity_at_specificity")
def sensitivity_at_specificity(
    labels: Any,
    predictions: Any,
    specificity: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Computes the sensitivity at the threshold whose specificity is nearest to a given one.

    Args:
      labels: The labels, which are converted to bools.
      predictions: Scores between 0 and 1.
      specificity: The fraction of false labels that are predicted.
      weights: A weight for each value, or None.
      num_thresholds: The number of thresholds.
      metrics_collections: Collections that the result is added to.
      updates_collections: Collections that the update is added to.
      name: The operation's name.

    Returns:
      The value so far, and the operation that updates and returns it.

    Raises:
      RuntimeError: Execution is eager.
      ValueError: The specificity is not between 0 and 1.
    """
    if not 0 <= specificity <= 1:
        raise ValueError(
            "`specificity` must be in the range [0, 1]. Currently, `specificity` got "
            f"{specificity}."
        )
    with scope_of_metric(name, "sensitivity_at_specificity", [predictions, labels, weights]):
        both = counts_at(edges_of(num_thresholds), labels, predictions, weights)
        value, update = (_sensitivity(n)[argmin(abs(_specificity(n) - specificity))] for n in both)
        return collected(value, update, metrics_collections, updates_collections)


@export("compat.v1.metrics.specificity_at_sensitivity")
def specificity_at_sensitivity(
    labels: Any,
    predictions: Any,
    sensitivity: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Computes the specificity at the threshold whose sensitivity is nearest to a given one.

    Args:
      labels: The labels, which are converted to bools.
      predictions: Scores between 0 and 1.
      sensitivity: The fraction of true labels that are predicted.
      weights: A weight for each value, or None.
      num_thresholds: The number of thresholds.
      metrics_collections: Collections that the result is added to.
      updates_collections: Collections that the update is added to.
      name: The operation's name.

    Returns:
      The value so far, and the operation that updates and returns it.

    Raises:
      RuntimeError: Execution is eager.
      ValueError: The sensitivity is not between 0 and 1.
    """
    if not 0 <= sensitivity <= 1:
        raise ValueError(
            f"`sensitivity` must be in the range [0, 1]. Currently, `sensitivity` is {sensitivity}."
        )
    with scope_of_metric(name, "specificity_at_sensitivity", [predictions, labels, weights]):
        both = counts_at(edges_of(num_thresholds), labels, predictions, weights)
        value, update = (_specificity(n)[_last_nearest(n, sensitivity)] for n in both)
        return collected(value, update, metrics_collections, updates_collections)


def _last_nearest(counts: Counts, sensitivity: float) -> Tensor:
    """Returns the index of the last threshold whose sensitivity is nearest to a given one."""
    distance: Any = abs(_sensitivity(counts) - sensitivity)
    return argmax(cumsum(cast(equal(distance, reduce_min(distance)), float32)))
