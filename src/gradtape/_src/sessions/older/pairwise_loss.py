"""The loss `tf.compat.v1.losses.mean_pairwise_squared_error`."""

from __future__ import annotations

from typing import Any

from gradtape._src.base.dtypes import float32
from gradtape._src.base.export import export
from gradtape._src.compat.compat import v1_name_scope
from gradtape._src.compat.contexts import executing_eagerly
from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.array.creation import ones_like
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.comparison import not_equal
from gradtape._src.ops.elementwise.division import divide_no_nan
from gradtape._src.ops.elementwise.powers import square
from gradtape._src.ops.elementwise.selection import maximum
from gradtape._src.ops.reduce.reductions import reduce_sum
from gradtape._src.sessions.older.losses import add_loss, named_in_graph


@export("compat.v1.losses.mean_pairwise_squared_error")
def mean_pairwise_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = "losses",
) -> Tensor:
    """Returns the sum of squares of how much the differences of pairs are off, for each example.

    Args:
      labels: The true values, of shape (batch, ...).
      predictions: The predicted values.
      weights: A number, or a weight for each example.
      scope: The name of the operations' scope.
      loss_collection: The collection that the loss is added to.

    Returns:
      The weighted sum over the examples.

    Raises:
      ValueError: An argument is None, or the shapes do not fit.
    """
    for name, x in (("labels", labels), ("predictions", predictions)):
        if x is None:
            raise ValueError(f"Argument `{name}` must not be None.")
    with v1_name_scope(scope, "mean_pairwise_squared_error"):
        a, b = cast(labels, float32), cast(predictions, float32)
        b.shape.assert_is_compatible_with(a.shape)
        by = cast(weights, float32)
        error: Any = b - a
        axes = list(range(1, error.shape.rank))
        present = ones_like(error) * cast(not_equal(by, 0.0), float32)
        of_all = by.shape.rank == 0 and executing_eagerly()  # as in TensorFlow
        count: Any = reduce_sum(present, None if of_all else axes, keepdims=True)
        others = maximum(count - 1.0, 0.0)
        of_squares = reduce_sum(square(error), axes, keepdims=True)
        squares = 2.0 * named_in_graph("value", lambda: divide_no_nan(of_squares, others))
        of_errors, pairs = square(reduce_sum(error, axes, keepdims=True)), count * others
        products = 2.0 * named_in_graph("value", lambda: divide_no_nan(of_errors, pairs))
        each = (squares - products) * by
        found = named_in_graph("value", lambda: reduce_sum(each))
        add_loss(found, loss_collection)
        return found
