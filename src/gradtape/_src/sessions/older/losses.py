"""Losses with weights and reductions: `tf.compat.v1.losses`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape._src.base.dtypes import float32
from gradtape._src.base.export import export
from gradtape._src.base.name_scope import current
from gradtape._src.base.shapes import TensorShape
from gradtape._src.compat.compat import v1_name_scope
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.open_graphs import open_graph
from gradtape._src.declare.structural import reduce_sum_p
from gradtape._src.ops.array.creation import constant, ones_like
from gradtape._src.ops.array.shaping import squeeze
from gradtape._src.ops.elementwise.arithmetic import add_n
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.comparison import not_equal
from gradtape._src.ops.elementwise.division import divide_no_nan
from gradtape._src.ops.elementwise.exponential import log
from gradtape._src.ops.elementwise.powers import square
from gradtape._src.ops.elementwise.selection import minimum
from gradtape._src.ops.nn.activations import relu
from gradtape._src.ops.nn.cross_entropy import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
)
from gradtape._src.ops.reduce.reductions import reduce_sum
from gradtape._src.sessions.keys import GraphKeys
from gradtape._src.sessions.older.arguments import either
from gradtape._src.sessions.training.variables import add_to_collection, get_collection


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


def _given(**tensors: Any) -> None:
    """Raises ValueError for an argument that is None."""
    for name, x in tensors.items():
        if x is None:
            raise ValueError(f"Argument `{name}` must not be None.")


def _pair(labels: Any, predictions: Any) -> tuple[Tensor, Tensor]:
    """Returns labels and predictions as float32; raises ValueError if their shapes differ."""
    a, b = cast(labels, float32), cast(predictions, float32)
    a.shape.assert_is_compatible_with(b.shape)
    return a, b


def _broadcasts(weights: TensorShape, losses: TensorShape) -> bool:
    """Returns whether weights may be multiplied with losses."""
    if not weights.rank or losses.rank is None:
        return True
    pairs = zip(weights.as_list(), losses.as_list(), strict=False)
    return weights.rank == losses.rank and all(m in (1, n, None) or n is None for m, n in pairs)


def _fitting(weights: Any, losses: Any) -> Tensor:
    """Returns weights without a last axis of length 1 that the losses lack."""
    w = cast(weights, float32)
    extra = losses.shape.rank is not None and w.shape.rank == losses.shape.rank + 1
    return cast(w[..., 0], float32) if extra and w.shape[-1] == 1 else w


def _reduced(losses: Tensor, weights: Tensor, reduction: str) -> Tensor:
    weighted: Tensor = losses * weights
    if reduction == Reduction.NONE:
        return weighted
    if reduction == Reduction.SUM:
        return named_in_graph(reduce_sum_p.primitive.name, lambda: reduce_sum(weighted))
    total = reduce_sum(weighted)
    over: Any = ones_like(losses)
    if reduction == Reduction.MEAN:
        over = over * weights
    elif reduction == Reduction.SUM_BY_NONZERO_WEIGHTS:
        over = over * cast(not_equal(weights, 0.0), float32)
    count = reduce_sum(over)
    return named_in_graph("value", lambda: divide_no_nan(total, count))


def named_in_graph(name: str, compute: Callable[[], Tensor]) -> Tensor:
    """Returns the result of one operation, which has a name of its own in a graph.

    Args:
      name: The operation's name in the current scope.
      compute: Runs the operation.
    """
    graph: Any = open_graph()
    if graph is None:
        return compute()
    whole = graph.unique_name(current() + name)
    out = compute()
    graph.tracer.named[graph.tracer.nodes[-1]] = whole
    return out


@export("compat.v1.losses.compute_weighted_loss")
def compute_weighted_loss(
    losses: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = "losses",
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Returns the weighted sum or mean of losses.

    Args:
      losses: The losses of the elements.
      weights: A number, or a tensor of weights that broadcasts.
      scope: The name of the operations' scope.
      loss_collection: The collection that the loss is added to.
      reduction: A member of `Reduction`.

    Returns:
      The loss: a scalar, or with `Reduction.NONE` one for each element.

    Raises:
      ValueError: An argument is None, or the shapes or the reduction are wrong.
    """
    Reduction.validate(reduction)
    with v1_name_scope(scope, "weighted_loss"):
        given = convert_to_tensor(losses)
        each = cast(given, float32)
        by = _fitting(weights, each)
        if not _broadcasts(by.shape, each.shape):
            raise ValueError(
                f"weights can not be broadcast to values. values.shape={each.shape}. "
                f"weights.shape={by.shape}."
            )
        found = cast(_reduced(each, by, reduction), given.dtype)
        add_loss(found, loss_collection)
        return found


@export("compat.v1.losses.add_loss")
def add_loss(loss: Any, loss_collection: str | None = "losses") -> None:
    """Adds a loss to a collection of the graph; in eager execution it does nothing.

    Args:
      loss: A scalar.
      loss_collection: The collection that the loss is added to.
    """
    if loss_collection and open_graph() is not None:
        add_to_collection(loss_collection, loss)


@export("compat.v1.losses.get_losses")
def get_losses(scope: str | None = None, loss_collection: str = "losses") -> list[Any]:
    """Returns the losses that were added to a collection.

    Args:
      scope: A regular expression that the losses' names must begin with.
      loss_collection: The collection.

    Returns:
      The losses.
    """
    return get_collection(loss_collection, scope)


@export("compat.v1.losses.get_regularization_losses")
def get_regularization_losses(scope: str | None = None) -> list[Any]:
    """Returns the regularization losses of the graph's variables.

    Args:
      scope: A regular expression that the losses' names must begin with.

    Returns:
      The losses.
    """
    return get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


@export("compat.v1.losses.get_regularization_loss")
def get_regularization_loss(
    scope: str | None = None, name: str = "total_regularization_loss"
) -> Tensor:
    """Returns the sum of the regularization losses of the graph's variables.

    Args:
      scope: A regular expression that the losses' names must begin with.
      name: The operation's name.

    Returns:
      A scalar, which is 0 if there are none.
    """
    losses = get_regularization_losses(scope)
    return add_n(losses, name) if losses else constant(0.0)


@export("compat.v1.losses.get_total_loss")
def get_total_loss(
    add_regularization_losses: bool = True, name: str = "total_loss", scope: str | None = None
) -> Tensor:
    """Returns the sum of all losses of the graph.

    Args:
      add_regularization_losses: Whether to add the regularization losses of variables.
      name: The operation's name.
      scope: A regular expression that the losses' names must begin with.

    Returns:
      A scalar.
    """
    losses = get_losses(scope)
    if add_regularization_losses:
        losses += get_regularization_losses(scope)
    return add_n(losses, name)


@export("compat.v1.losses.absolute_difference")
def absolute_difference(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = "losses",
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Returns the weighted absolute differences.

    Args:
      labels: The true values.
      predictions: The predicted values.
      weights: A number, or a tensor of weights that broadcasts.
      scope: The name of the operations' scope.
      loss_collection: The collection that the loss is added to.
      reduction: A member of `Reduction`.

    Returns:
      The loss: a scalar, or with `Reduction.NONE` one for each element.

    Raises:
      ValueError: An argument is None, or the shapes or the reduction are wrong.
    """
    _given(labels=labels, predictions=predictions)
    with v1_name_scope(scope, "absolute_difference") as inside:
        a, b = _pair(labels, predictions)
        return compute_weighted_loss(abs(b - a), weights, inside, loss_collection, reduction)


@export("compat.v1.losses.cosine_distance")
def cosine_distance(
    labels: Any,
    predictions: Any,
    axis: int | None = None,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = "losses",
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    dim: int | None = None,
) -> Tensor:
    """Returns the weighted cosine distances of unit vectors.

    Args:
      labels: The true values.
      predictions: The predicted values.
      axis: The axis along which the vectors lie.
      weights: A number, or a tensor of weights that broadcasts.
      scope: The name of the operations' scope.
      loss_collection: The collection that the loss is added to.
      reduction: A member of `Reduction`.
      dim: The old name of `axis`.

    Returns:
      The loss: a scalar, or with `Reduction.NONE` one for each element.

    Raises:
      ValueError: An argument is None, or the shapes or the reduction are wrong.
    """
    along = either(axis, dim, "axis", "dim")
    _given(axis=along, labels=labels, predictions=predictions)
    with v1_name_scope(scope, "cosine_distance_loss") as inside:
        a, b = _pair(labels, predictions)
        losses = 1 - reduce_sum(a * b, along, True)
        return compute_weighted_loss(losses, weights, inside, loss_collection, reduction)


@export("compat.v1.losses.hinge_loss")
def hinge_loss(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = "losses",
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Returns the weighted hinge losses.

    Args:
      labels: The true values, 0 or 1.
      logits: The logits.
      weights: A number, or a tensor of weights that broadcasts.
      scope: The name of the operations' scope.
      loss_collection: The collection that the loss is added to.
      reduction: A member of `Reduction`.

    Returns:
      The loss: a scalar, or with `Reduction.NONE` one for each element.

    Raises:
      ValueError: An argument is None, or the shapes or the reduction are wrong.
    """
    _given(labels=labels, logits=logits)
    with v1_name_scope(scope, "hinge_loss") as inside:
        a, b = _pair(labels, logits)
        losses = relu(1 - (2 * a - 1) * b)
        return compute_weighted_loss(losses, weights, inside, loss_collection, reduction)


@export("compat.v1.losses.huber_loss")
def huber_loss(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    delta: float = 1.0,
    scope: str | None = None,
    loss_collection: str | None = "losses",
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Returns the weighted Huber losses.

    Args:
      labels: The true values.
      predictions: The predicted values.
      weights: A number, or a tensor of weights that broadcasts.
      delta: The absolute error above which the loss is linear.
      scope: The name of the operations' scope.
      loss_collection: The collection that the loss is added to.
      reduction: A member of `Reduction`.

    Returns:
      The loss: a scalar, or with `Reduction.NONE` one for each element.

    Raises:
      ValueError: An argument is None, or the shapes or the reduction are wrong.
    """
    _given(labels=labels, predictions=predictions)
    with v1_name_scope(scope, "huber_loss") as inside:
        a, b = _pair(labels, predictions)
        error = abs(b - a)
        near = minimum(error, delta)
        losses = 0.5 * near * near + delta * (error - near)
        return compute_weighted_loss(losses, weights, inside, loss_collection, reduction)


@export("compat.v1.losses.log_loss")
def log_loss(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    epsilon: float = 1e-07,
    scope: str | None = None,
    loss_collection: str | None = "losses",
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Returns the weighted logarithmic losses of probabilities.

    Args:
      labels: The true values.
      predictions: The predicted values.
      weights: A number, or a tensor of weights that broadcasts.
      epsilon: A small number, added to probabilities before taking logarithms.
      scope: The name of the operations' scope.
      loss_collection: The collection that the loss is added to.
      reduction: A member of `Reduction`.

    Returns:
      The loss: a scalar, or with `Reduction.NONE` one for each element.

    Raises:
      ValueError: An argument is None, or the shapes or the reduction are wrong.
    """
    _given(labels=labels, predictions=predictions)
    with v1_name_scope(scope, "log_loss") as inside:
        a, b = _pair(labels, predictions)
        losses = -a * log(b + epsilon) - (1 - a) * log(1 - b + epsilon)
        return compute_weighted_loss(losses, weights, inside, loss_collection, reduction)


@export("compat.v1.losses.mean_squared_error")
def mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = "losses",
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Returns the weighted squared differences.

    Args:
      labels: The true values.
      predictions: The predicted values.
      weights: A number, or a tensor of weights that broadcasts.
      scope: The name of the operations' scope.
      loss_collection: The collection that the loss is added to.
      reduction: A member of `Reduction`.

    Returns:
      The loss: a scalar, or with `Reduction.NONE` one for each element.

    Raises:
      ValueError: An argument is None, or the shapes or the reduction are wrong.
    """
    _given(labels=labels, predictions=predictions)
    with v1_name_scope(scope, "mean_squared_error") as inside:
        a, b = _pair(labels, predictions)
        return compute_weighted_loss(square(b - a), weights, inside, loss_collection, reduction)


@export("compat.v1.losses.sigmoid_cross_entropy")
def sigmoid_cross_entropy(
    multi_class_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: str | None = "losses",
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Returns the weighted cross entropies of independent classes.

    Args:
      multi_class_labels: The true values, 0 or 1, of shape (batch, classes).
      logits: The logits.
      weights: A number, or a tensor of weights that broadcasts.
      label_smoothing: The fraction by which labels are moved towards 1/2.
      scope: The name of the operations' scope.
      loss_collection: The collection that the loss is added to.
      reduction: A member of `Reduction`.

    Returns:
      The loss: a scalar, or with `Reduction.NONE` one for each element.

    Raises:
      ValueError: An argument is None, or the shapes or the reduction are wrong.
    """
    _given(multi_class_labels=multi_class_labels, logits=logits)
    with v1_name_scope(scope, "sigmoid_cross_entropy_loss") as inside:
        scores = convert_to_tensor(logits)
        labels = cast(multi_class_labels, scores.dtype)
        labels.shape.assert_is_compatible_with(scores.shape)
        if label_smoothing > 0:
            labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = sigmoid_cross_entropy_with_logits(labels, scores)
        return compute_weighted_loss(losses, weights, inside, loss_collection, reduction)


@export("compat.v1.losses.softmax_cross_entropy")
def softmax_cross_entropy(
    onehot_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: str | None = "losses",
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Returns the weighted softmax cross entropy between logits and one-hot labels.

    Args:
      onehot_labels: The true probabilities, of shape (batch, classes).
      logits: The logits.
      weights: A number, or a tensor of weights that broadcasts.
      label_smoothing: The fraction of each label that is spread evenly over the classes.
      scope: The name of the operations' scope.
      loss_collection: The collection that the loss is added to.
      reduction: A member of `Reduction`.

    Returns:
      The loss: a scalar, or with `Reduction.NONE` one for each element.

    Raises:
      ValueError: An argument is None, or the shapes or the reduction are wrong.
    """
    _given(onehot_labels=onehot_labels, logits=logits)
    with v1_name_scope(scope, "softmax_cross_entropy_loss") as inside:
        scores = convert_to_tensor(logits)
        labels = cast(onehot_labels, scores.dtype)
        labels.shape.assert_is_compatible_with(scores.shape)
        if label_smoothing > 0:
            spread = label_smoothing / int(labels.shape[1])
            labels = labels * (1 - label_smoothing) + spread
        losses = softmax_cross_entropy_with_logits(labels, scores)
        return compute_weighted_loss(losses, weights, inside, loss_collection, reduction)


@export("compat.v1.losses.sparse_softmax_cross_entropy")
def sparse_softmax_cross_entropy(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = "losses",
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Returns the weighted softmax cross entropy between logits and classes.

    Args:
      labels: The classes, of shape (batch,).
      logits: The logits.
      weights: A number, or a tensor of weights that broadcasts.
      scope: The name of the operations' scope.
      loss_collection: The collection that the loss is added to.
      reduction: A member of `Reduction`.

    Returns:
      The loss: a scalar, or with `Reduction.NONE` one for each element.

    Raises:
      ValueError: An argument is None, or the shapes or the reduction are wrong.
    """
    _given(labels=labels, logits=logits)
    with v1_name_scope(scope, "sparse_softmax_cross_entropy_loss") as inside:
        scores, classes = convert_to_tensor(logits), convert_to_tensor(labels)
        if classes.shape.rank == scores.shape.rank and classes.shape[-1] == 1:
            classes = squeeze(classes, [-1])
        losses = sparse_softmax_cross_entropy_with_logits(classes, scores)
        return compute_weighted_loss(losses, weights, inside, loss_collection, reduction)
