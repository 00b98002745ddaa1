"""Metrics of the k best predictions: `tf.compat.v1.metrics.precision_at_k` and others.

Labels and predictions are compared as sets: what occurs twice in one example counts once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.dtypes import float64, int32, int64
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.array.creation import ones_like
from gradtape._src.ops.array.creation import range as range_
from gradtape._src.ops.array.shaping import expand_dims
from gradtape._src.ops.array.sorting import top_k
from gradtape._src.ops.array.tensor_shapes import shape as shape_tensor
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.comparison import equal, not_equal
from gradtape._src.ops.elementwise.division import divide_no_nan
from gradtape._src.ops.elementwise.selection import minimum
from gradtape._src.ops.reduce.cumulative import cumsum
from gradtape._src.ops.reduce.reductions import reduce_any, reduce_sum
from gradtape._src.ops.sparse.algebra import to_dense
from gradtape._src.ops.types.sparse_tensor import SparseTensor
from gradtape._src.sessions.metrics.means_and_counts import (
    Metric,
    collected,
    scope_of_metric,
    state,
)

_NONE = np.iinfo(np.int64).min  # stands for no label in a padded row


def _sets(labels: Any, predictions: Any) -> tuple[Any, Any]:
    """Returns the labels as padded rows, and the predictions, both of int64."""
    chosen = cast(predictions, int64)
    if isinstance(labels, SparseTensor):
        padded = SparseTensor(labels.indices, cast(labels.values, int64), labels.dense_shape)
        return to_dense(padded, _NONE), chosen
    rows = cast(labels, int64)
    if rows.shape.rank is not None and rows.shape.rank == (chosen.shape.rank or 0) - 1:
        rows = expand_dims(rows, -1)
    return rows, chosen


def _pairs(a: Any, b: Any) -> Any:
    """Returns which elements of the rows of `a` are equal to which of those of `b`."""
    return equal(expand_dims(a, -1), expand_dims(b, -2))


def _is_first(rows: Any) -> Any:
    """Returns which elements differ from all those before them in their row."""
    places = range_(shape_tensor(rows)[-1])
    before = expand_dims(places, 1) > expand_dims(places, 0)
    return ~reduce_any(_pairs(rows, rows) & before, -1)


def _selected(rows: Any, class_id: Any) -> Any:
    """Returns which elements of rows count."""
    found = _is_first(rows) & not_equal(rows, _NONE)
    return found if class_id is None else found & equal(rows, cast(class_id, int64))


def _sum(found: Any, weights: Any) -> Tensor:
    """Returns the number of what is found in all examples, with the examples' weights."""
    counts: Any = reduce_sum(cast(found, float64), -1)
    return reduce_sum(counts if weights is None else counts * cast(weights, float64))


def _suffix(k: int | None, class_id: Any) -> str:
    """Returns the end of a name, such as "_at_2_class3"."""
    return f"_at_{'k' if k is None else k}" + ("" if class_id is None else f"_class{class_id}")


def _of_sets(
    kind: str,
    other: str,
    labels: Any,
    chosen: Any,
    k: Any,
    class_id: Any,
    weights: Any,
    keys: Any,
    name: Any,
) -> Metric:
    """Returns the fraction of predictions that are labels, or of labels that are predicted."""
    end = _suffix(k, class_id)
    with scope_of_metric(name, f"{kind}{end}", [chosen, labels, weights]):
        rows, places = _sets(labels, chosen)
        these, those = (rows, places) if other == "false_negative" else (places, rows)
        among, counts = reduce_any(_pairs(these, those), -1), _selected(these, class_id)
        right, wrong = (
            (state(f"{key}{end}", dtype=float64), _sum(found & counts, weights))
            for key, found in (("true_positive", among), (other, ~among))
        )
        value = right[0].read_value() / (right[0].read_value() + wrong[0].read_value())
        sums: Any = [convert_to_tensor(total.assign_add(new)) for total, new in (right, wrong)]
        return collected(value, sums[0] / (sums[0] + sums[1]), *keys)


@export("compat.v1.metrics.precision_at_k", "compat.v1.metrics.sparse_precision_at_k")
def precision_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    class_id: Any = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Computes how many of the k best predictions are labels.

    Args:
      labels: The classes of each example, a tensor or sparse tensor of int64.
      predictions: A score for each class.
      k: The number of predictions.
      class_id: The only class that counts. Defaults to all.
      weights: A weight for each value, or None.
      metrics_collections: Collections that the result is added to.
      updates_collections: Collections that the update is added to.
      name: The operation's name.

    Returns:
      The value so far, and the operation that updates and returns it.

    Raises:
      RuntimeError: Execution is eager.
    """
    keys, best = (metrics_collections, updates_collections), top_k(predictions, k).indices
    return _of_sets("precision", "false_positive", labels, best, k, class_id, weights, keys, name)


@export("compat.v1.metrics.precision_at_top_k")
def precision_at_top_k(
    labels: Any,
    predictions_idx: Any,
    k: int | None = None,
    class_id: Any = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Computes how many of the k best predictions are labels, whose classes are given.

    Args:
      labels: The classes of each example, a tensor or sparse tensor of int64.
      predictions_idx: The classes of the k best predictions.
      k: The number of predictions, which only names the result.
      class_id: The only class that counts. Defaults to all.
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
    return _of_sets(
        "precision", "false_positive", labels, predictions_idx, k, class_id, weights, keys, name
    )


@export("compat.v1.metrics.recall_at_k")
def recall_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    class_id: Any = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Computes how many of the labels are among the k best predictions.

    Args:
      labels: The classes of each example, a tensor or sparse tensor of int64.
      predictions: A score for each class.
      k: The number of predictions.
      class_id: The only class that counts. Defaults to all.
      weights: A weight for each value, or None.
      metrics_collections: Collections that the result is added to.
      updates_collections: Collections that the update is added to.
      name: The operation's name.

    Returns:
      The value so far, and the operation that updates and returns it.

    Raises:
      RuntimeError: Execution is eager.
    """
    keys, best = (metrics_collections, updates_collections), top_k(predictions, k).indices
    return _of_sets("recall", "false_negative", labels, best, k, class_id, weights, keys, name)


@export("compat.v1.metrics.recall_at_top_k")
def recall_at_top_k(
    labels: Any,
    predictions_idx: Any,
    k: int | None = None,
    class_id: Any = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Computes how many of the labels are among the k best predictions, whose classes are given.

    Args:
      labels: The classes of each example, a tensor or sparse tensor of int64.
      predictions_idx: The classes of the k best predictions.
      k: The number of predictions, which only names the result.
      class_id: The only class that counts. Defaults to all.
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
    return _of_sets(
        "recall", "false_negative", labels, predictions_idx, k, class_id, weights, keys, name
    )


@export(
    "compat.v1.metrics.average_precision_at_k", "compat.v1.metrics.sparse_average_precision_at_k"
)
def average_precision_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Computes the mean over examples of the average precision of the k best predictions.

    Args:
      labels: The classes of each example, a tensor or sparse tensor of int64.
      predictions: A score for each class.
      k: The number of predictions.
      weights: A weight for each value, or None.
      metrics_collections: Collections that the result is added to.
      updates_collections: Collections that the update is added to.
      name: The operation's name.

    Returns:
      The value so far, and the operation that updates and returns it.

    Raises:
      RuntimeError: Execution is eager.
    """
    best = top_k(predictions, k).indices
    with scope_of_metric(name, f"average_precision_at_{k}", [predictions, labels, weights]):
        each: Any = _average_precision(labels, best, k)
        by = ones_like(each) if weights is None else ones_like(each) * cast(weights, float64)
        most, total = (state(key, dtype=float64) for key in ("max", "total"))
        value = divide_no_nan(total.read_value(), most.read_value())
        sums = total.assign_add(reduce_sum(each * by)), most.assign_add(reduce_sum(by))
        update = divide_no_nan(convert_to_tensor(sums[0]), sums[1])
        return collected(value, update, metrics_collections, updates_collections)


def _average_precision(labels: Any, best: Any, k: int) -> Tensor:
    """Returns the sum of the precisions at the labels found, divided by how many could be found."""
    rows, places = _sets(labels, best)
    found: Any = cast(reduce_any(_pairs(places, rows), -1), float64)
    precision = cumsum(found, -1) / cast(range_(1, k + 1), float64)
    count: Any
    if isinstance(labels, SparseTensor):
        count = reduce_sum(cast(_selected(rows, None), int32), -1)
    else:
        count = shape_tensor(rows)[-1]
    return reduce_sum(precision * found, -1) / cast(minimum(count, k), float64)
