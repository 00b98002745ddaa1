"""Metrics whose state is in local variables: `tf.compat.v1.metrics`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, TypeAlias

from gradtape._src.base.dtypes import DType, bool_, float32
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.open_graphs import open_graph
from gradtape._src.ops.array.creation import ones_like, zeros
from gradtape._src.ops.array.shaping import expand_dims, squeeze
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.comparison import equal, less
from gradtape._src.ops.elementwise.division import divide_no_nan
from gradtape._src.ops.elementwise.logical import logical_and, logical_not
from gradtape._src.ops.elementwise.powers import sqrt, square
from gradtape._src.ops.reduce.reductions import reduce_sum
from gradtape._src.sessions.graph_variable import GraphVariable
from gradtape._src.sessions.keys import GraphKeys
from gradtape._src.sessions.training.variable_scopes import variable_scope
from gradtape._src.sessions.training.variables import VariableV1, add_to_collections

Metric: TypeAlias = "tuple[Tensor, Tensor]"


def scope_of_metric(
    name: str | None, kind: str, values: list[Any] | None = None
) -> AbstractContextManager[Any]:
    """Returns the scope of a metric.

    Args:
      name: The name that the program gives.
      kind: The metric's name.
      values: Accepted for compatibility.

    Raises:
      RuntimeError: Execution is eager.
    """
    if open_graph() is None:
        raise RuntimeError(
            f"tf.metrics.{kind.removesuffix('_threshold')} is not supported when eager "
            "execution is enabled: use tf.keras.metrics."
        )
    return variable_scope(name, kind, values)


def state(name: str, shape: Sequence[int] = (), dtype: DType = float32) -> GraphVariable:
    """Returns a new local variable that is 0 at first.

    Args:
      name: The variable's name.
      shape: Its shape.
      dtype: Its dtype.
    """
    keys = [GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES]
    make: Any = VariableV1
    made: GraphVariable = make(zeros(shape, dtype), trainable=False, collections=keys, name=name)
    return made


def alike(labels: Any, predictions: Any) -> tuple[Tensor, Tensor]:
    """Returns labels and predictions, without a last axis of length 1 that one of them lacks.

    Args:
      labels: The labels.
      predictions: The predictions.
    """
    a, b = convert_to_tensor(labels), convert_to_tensor(predictions)
    more = 0 if a.shape.rank is None or b.shape.rank is None else a.shape.rank - b.shape.rank
    if more == 1 and a.shape[-1] == 1:
        a = squeeze(a, [-1])
    elif more == -1 and b.shape[-1] == 1:
        b = squeeze(b, [-1])
    a.shape.assert_is_compatible_with(b.shape)
    return a, b


def weights_of(weights: Any, values: Tensor) -> Tensor:
    """Returns a weight for each value.

    Args:
      weights: A number, or a tensor of weights that broadcasts.
      values: The values.
    """
    by = cast(weights, float32)
    if by.shape.rank and (values.shape.rank or 0) == by.shape.rank + 1:
        by = expand_dims(by, -1)
    return ones_like(values) * by


def mean_of(values: Any, weights: Any, keys: Any, updates: Any) -> Metric:
    """Returns the mean of all values so far; the current scope names its state.

    Args:
      values: A tensor.
      weights: A number, or a tensor of weights that broadcasts; or None.
      keys: Collections that the result is added to.
      updates: Collections that the update is added to.
    """
    total, count = state("total"), state("count")
    each = cast(values, float32)
    by = ones_like(each) if weights is None else weights_of(weights, each)
    sums = reduce_sum(each * by), reduce_sum(by)
    value = divide_no_nan(total.read_value(), count.read_value(), "value")
    update = divide_no_nan(total.assign_add(sums[0]), count.assign_add(sums[1]), "update_op")
    return collected(value, update, keys, updates)


def collected(value: Tensor, update: Tensor, values: Any, updates: Any) -> Metric:
    """Adds both operations of a metric to collections.

    Args:
      value: The value so far.
      update: The operation that updates the state.
      values: Collections that `value` is added to.
      updates: Collections that `update` is added to.

    Returns:
      Both operations.
    """
    if values:
        add_to_collections(values, value)
    if updates:
        add_to_collections(updates, update)
    return value, update


def _counted(
    kind: str,
    wanted: tuple[bool, bool],
    labels: Any,
    predictions: Any,
    weights: Any,
    keys: tuple[Any, Any],
    name: str | None,
) -> Metric:
    """Counts the pairs in which label and prediction have the wanted truth values."""
    with scope_of_metric(name, kind, [predictions, labels, weights]):
        a, b = alike(cast(labels, bool_), cast(predictions, bool_))
        first, second = (a if wanted[0] else logical_not(a)), (b if wanted[1] else logical_not(b))
        found = cast(logical_and(first, second), float32)
        count = state("count")
        by = found if weights is None else found * weights_of(weights, found)
        update = count.assign_add(reduce_sum(by))
        return collected(count.read_value(), convert_to_tensor(update), *keys)


def _ratio(right: Metric, wrong: Metric, values: Any, updates: Any) -> Metric:
    """Returns the fraction of the counted predictions that are right."""
    value = divide_no_nan(right[0], right[0] + wrong[0], "value")
    update = divide_no_nan(right[1], right[1] + wrong[1], "update_op")
    return collected(value, update, values, updates)


@export("compat.v1.metrics.mean")
def mean(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Computes the weighted mean of all values so far.

    Args:
      values: A tensor.
      weights: A number, or a tensor of weights that broadcasts.
      metrics_collections: Collections that the result is added to.
      updates_collections: Collections that the update is added to.
      name: The operation's name.

    Returns:
      The value so far, and the operation that updates and returns it.

    Raises:
      RuntimeError: Execution is eager.
    """
    with scope_of_metric(name, "mean", [values, weights]):
        return mean_of(values, weights, metrics_collections, updates_collections)


@export("compat.v1.metrics.accuracy")
def accuracy(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Computes how often predictions are equal to labels.

    Args:
      labels: The true values.
      predictions: The predicted values.
      weights: A number, or a tensor of weights that broadcasts.
      metrics_collections: Collections that the result is added to.
      updates_collections: Collections that the update is added to.
      name: The operation's name.

    Returns:
      The value so far, and the operation that updates and returns it.

    Raises:
      RuntimeError: Execution is eager.
    """
    with scope_of_metric(name, "accuracy"):
        a, b = alike(labels, predictions)
        right = cast(equal(b, cast(a, b.dtype)), float32)
        return mean_of(right, weights, metrics_collections, updates_collections)


@export("compat.v1.metrics.mean_absolute_error")
def mean_absolute_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Computes the mean of absolute differences.

    Args:
      labels: The true values.
      predictions: The predicted values.
      weights: A number, or a tensor of weights that broadcasts.
      metrics_collections: Collections that the result is added to.
      updates_collections: Collections that the update is added to.
      name: The operation's name.

    Returns:
      The value so far, and the operation that updates and returns it.

    Raises:
      RuntimeError: Execution is eager.
    """
    with scope_of_metric(name, "mean_absolute_error"):
        a, b = alike(labels, predictions)
        error = abs(b - cast(a, b.dtype))
        return mean_of(error, weights, metrics_collections, updates_collections)


@export("compat.v1.metrics.mean_squared_error")
def mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Computes the mean of squared differences.

    Args:
      labels: The true values.
      predictions: The predicted values.
      weights: A number, or a tensor of weights that broadcasts.
      metrics_collections: Collections that the result is added to.
      updates_collections: Collections that the update is added to.
      name: The operation's name.

    Returns:
      The value so far, and the operation that updates and returns it.

    Raises:
      RuntimeError: Execution is eager.
    """
    with scope_of_metric(name, "mean_squared_error"):
        a, b = alike(labels, predictions)
        error = square(b - cast(a, b.dtype))
        return mean_of(error, weights, metrics_collections, updates_collections)


@export("compat.v1.metrics.root_mean_squared_error")
def root_mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Computes the square root of the mean of squared differences.

    Args:
      labels: The true values.
      predictions: The predicted values.
      weights: A number, or a tensor of weights that broadcasts.
      metrics_collections: Collections that the result is added to.
      updates_collections: Collections that the update is added to.
      name: The operation's name.

    Returns:
      The value so far, and the operation that updates and returns it.

    Raises:
      RuntimeError: Execution is eager.
    """
    with scope_of_metric(name, "root_mean_squared_error"):
        a, b = alike(labels, predictions)
        value, update = mean_of(square(b - cast(a, b.dtype)), weights, None, None)
        return collected(sqrt(value), sqrt(update), metrics_collections, updates_collections)


@export("compat.v1.metrics.percentage_below")
def percentage_below(
    values: Any,
    threshold: float,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Computes how often values are below a threshold.

    Args:
      values: A tensor.
      threshold: A number.
      weights: A number, or a tensor of weights that broadcasts.
      metrics_collections: Collections that the result is added to.
      updates_collections: Collections that the update is added to.
      name: The operation's name.

    Returns:
      The value so far, and the operation that updates and returns it.

    Raises:
      RuntimeError: Execution is eager.
    """
    with scope_of_metric(name, "percentage_below_threshold"):
        below = cast(less(values, threshold), float32)
        return mean_of(below, weights, metrics_collections, updates_collections)


@export("compat.v1.metrics.true_positives")
def true_positives(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Counts the true predictions whose label is true.

    Args:
      labels: The true values.
      predictions: The predicted values.
      weights: A number, or a tensor of weights that broadcasts.
      metrics_collections: Collections that the result is added to.
      updates_collections: Collections that the update is added to.
      name: The operation's name.

    Returns:
      The value so far, and the operation that updates and returns it.

    Raises:
      RuntimeError: Execution is eager.
    """
    keys = metrics_collections, updates_collections
    return _counted("true_positives", (True, True), labels, predictions, weights, keys, name)


@export("compat.v1.metrics.true_negatives")
def true_negatives(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Counts the false predictions whose label is false.

    Args:
      labels: The true values.
      predictions: The predicted values.
      weights: A number, or a tensor of weights that broadcasts.
      metrics_collections: Collections that the result is added to.
      updates_collections: Collections that the update is added to.
      name: The operation's name.

    Returns:
      The value so far, and the operation that updates and returns it.

    Raises:
      RuntimeError: Execution is eager.
    """
    keys = metrics_collections, updates_collections
    return _counted("true_negatives", (False, False), labels, predictions, weights, keys, name)


@export("compat.v1.metrics.false_positives")
def false_positives(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Counts the true predictions whose label is false.

    Args:
      labels: The true values.
      predictions: The predicted values.
      weights: A number, or a tensor of weights that broadcasts.
      metrics_collections: Collections that the result is added to.
      updates_collections: Collections that the update is added to.
      name: The operation's name.

    Returns:
      The value so far, and the operation that updates and returns it.

    Raises:
      RuntimeError: Execution is eager.
    """
    keys = metrics_collections, updates_collections
    return _counted("false_positives", (False, True), labels, predictions, weights, keys, name)


@export("compat.v1.metrics.false_negatives")
def false_negatives(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Counts the false predictions whose label is true.

    Args:
      labels: The true values.
      predictions: The predicted values.
      weights: A number, or a tensor of weights that broadcasts.
      metrics_collections: Collections that the result is added to.
      updates_collections: Collections that the update is added to.
      name: The operation's name.

    Returns:
      The value so far, and the operation that updates and returns it.

    Raises:
      RuntimeError: Execution is eager.
    """
    keys = metrics_collections, updates_collections
    return _counted("false_negatives", (True, False), labels, predictions, weights, keys, name)


@export("compat.v1.metrics.precision")
def precision(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Computes how many of the true predictions are right.

    Args:
      labels: The true values.
      predictions: The predicted values.
      weights: A number, or a tensor of weights that broadcasts.
      metrics_collections: Collections that the result is added to.
      updates_collections: Collections that the update is added to.
      name: The operation's name.

    Returns:
      The value so far, and the operation that updates and returns it.

    Raises:
      RuntimeError: Execution is eager.
    """
    with scope_of_metric(name, "precision", [predictions, labels, weights]):
        right = true_positives(labels, predictions, weights, name="true_positives")
        wrong = false_positives(labels, predictions, weights, name="false_positives")
        return _ratio(right, wrong, metrics_collections, updates_collections)


@export("compat.v1.metrics.recall")
def recall(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Computes how many of the true labels are predicted.

    Args:
      labels: The true values.
      predictions: The predicted values.
      weights: A number, or a tensor of weights that broadcasts.
      metrics_collections: Collections that the result is added to.
      updates_collections: Collections that the update is added to.
      name: The operation's name.

    Returns:
      The value so far, and the operation that updates and returns it.

    Raises:
      RuntimeError: Execution is eager.
    """
    with scope_of_metric(name, "recall", [predictions, labels, weights]):
        right = true_positives(labels, predictions, weights, name="true_positives")
        missed = false_negatives(labels, predictions, weights, name="false_negatives")
        return _ratio(right, missed, metrics_collections, updates_collections)
