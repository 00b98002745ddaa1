"""Means whose state or distance is special: `tf.compat.v1.metrics.mean_tensor` and others."""

from __future__ import annotations

from typing import Any

from gradtape._src.base.dtypes import float32, int64
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.ops.array.creation import ones_like, zeros_like
from gradtape._src.ops.array.grids_and_masks import one_hot
from gradtape._src.ops.array.shaping import reshape
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.comparison import equal
from gradtape._src.ops.elementwise.division import divide_no_nan
from gradtape._src.ops.elementwise.selection import maximum, where
from gradtape._src.ops.reduce.reductions import reduce_mean, reduce_sum
from gradtape._src.sessions.metrics.means_and_counts import (
    Metric,
    alike,
    collected,
    mean_of,
    scope_of_metric,
    state,
    weights_of,
)


@export("compat.v1.metrics.mean_tensor")
def mean_tensor(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Computes the weighted mean of each element of all tensors so far.

    Args:
      values: A tensor of known shape.
      weights: A weight for each value, or None.
      metrics_collections: Collections that the result is added to.
      updates_collections: Collections that the update is added to.
      name: The operation's name.

    Returns:
      The value so far, and the operation that updates and returns it.

    Raises:
      RuntimeError: Execution is eager.
      ValueError: The shape of the values is unknown.
    """
    with scope_of_metric(name, "mean", [values, weights]):
        each = cast(values, float32)
        shape = each.shape
        if not shape.is_fully_defined():
            raise ValueError(f"Cannot convert a partially known TensorShape {shape} to a Tensor.")
        total, count = (
            state(key, tuple(each._value.shape)) for key in ("total_tensor", "count_tensor")
        )
        by = ones_like(each) if weights is None else weights_of(weights, each)
        sums = total.assign_add(each * by), count.assign_add(by)
        value, update = (
            t / maximum(n, 1.0) for t, n in ((total.read_value(), count.read_value()), sums)
        )
        return collected(value, update, metrics_collections, updates_collections)


@export("compat.v1.metrics.mean_cosine_distance")
def mean_cosine_distance(
    labels: Any,
    predictions: Any,
    dim: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Computes the mean of 1 minus the inner product of vectors, which should have length 1.

    Args:
      labels: The true vectors.
      predictions: The predicted vectors.
      dim: The axis of the vectors.
      weights: A weight for each value, or None.
      metrics_collections: Collections that the result is added to.
      updates_collections: Collections that the update is added to.
      name: The operation's name.

    Returns:
      The value so far, and the operation that updates and returns it.

    Raises:
      RuntimeError: Execution is eager.
    """
    with scope_of_metric(name, "mean_cosine_distance"):
        a, b = alike(labels, predictions)
        products = reduce_sum(b * cast(a, b.dtype), dim, keepdims=True)
        value, update = mean_of(products, weights, None, None)
        return collected(1 - value, 1 - update, metrics_collections, updates_collections)


@export("compat.v1.metrics.mean_relative_error")
def mean_relative_error(
    labels: Any,
    predictions: Any,
    normalizer: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Computes the mean of absolute differences, each divided by a number.

    Args:
      labels: The true values.
      predictions: The predicted values.
      normalizer: The divisors; where they are 0, the error is taken to be 0.
      weights: A weight for each value, or None.
      metrics_collections: Collections that the result is added to.
      updates_collections: Collections that the update is added to.
      name: The operation's name.

    Returns:
      The value so far, and the operation that updates and returns it.

    Raises:
      RuntimeError: Execution is eager.
    """
    with scope_of_metric(name, "mean_relative_error"):
        a, b = alike(labels, predictions)
        b, divisor = alike(b, normalizer)
        divisor = cast(divisor, b.dtype)
        error = divide_no_nan(abs(cast(a, b.dtype) - b), divisor)
        error = where(equal(divisor, 0), zeros_like(error), error)
        return mean_of(error, weights, metrics_collections, updates_collections)


@export("compat.v1.metrics.mean_per_class_accuracy")
def mean_per_class_accuracy(
    labels: Any,
    predictions: Any,
    num_classes: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Computes the mean over classes of how often predictions are equal to labels.

    Args:
      labels: The classes.
      predictions: The predicted classes.
      num_classes: The number of classes.
      weights: A weight for each value, or None.
      metrics_collections: Collections that the result is added to.
      updates_collections: Collections that the update is added to.
      name: The operation's name.

    Returns:
      The mean so far, and the operation that updates and returns the accuracy of each class.

    Raises:
      RuntimeError: Execution is eager.
    """
    with scope_of_metric(name, "mean_accuracy", [predictions, labels, weights]):
        truth, guess = (reshape(cast(x, int64), [-1]) for x in (labels, predictions))
        rows: Any = one_hot(truth, num_classes)
        if weights is not None:
            rows = rows * reshape(cast(weights, float32), [-1, 1])
        right = cast(equal(truth, guess), float32)
        total, count = (state(key, [num_classes]) for key in ("total", "count"))
        sums = reduce_sum(rows * reshape(right, [-1, 1]), 0), reduce_sum(rows, 0)
        value = divide_no_nan(total.read_value(), count.read_value())
        update = divide_no_nan(
            convert_to_tensor(total.assign_add(sums[0])), count.assign_add(sums[1])
        )
        return collected(reduce_mean(value), update, metrics_collections, updates_collections)
