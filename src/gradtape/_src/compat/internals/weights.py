"""Weights for values: `tf.__internal__.ops.broadcast_weights`."""

from __future__ import annotations

from typing import Any

from gradtape._src.base.export import export
from gradtape._src.base.name_scope import name_scope
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.array.creation import ones_like
from gradtape._src.ops.array.tensor_shapes import shape
from gradtape._src.ops.control.assertions import Assert
from gradtape._src.ops.elementwise.comparison import equal
from gradtape._src.ops.elementwise.logical import logical_or
from gradtape._src.ops.reduce.reductions import reduce_all


@export("__internal__.ops.broadcast_weights")
def broadcast_weights(weights: Any, values: Any) -> Tensor:
    """Returns a weight for each value.

    Args:
      weights: A scalar, or a tensor of the values' rank whose axes have length 1 or the length of
        the values' axes.
      values: The values.

    Returns:
      A tensor of the values' shape and dtype.

    Raises:
      ValueError: The weights have another shape.
      InvalidArgumentError: The run of a graph finds that the weights have another shape.

    >>> tf.__internal__.ops.broadcast_weights([[1.0], [2.0]], tf.zeros([2, 2])).numpy().tolist()
    [[1.0, 1.0], [2.0, 2.0]]
    """
    with name_scope("broadcast_weights"):
        of = convert_to_tensor(values, name="values")
        by = convert_to_tensor(weights, dtype=of.dtype, name="weights")
        own, its = by.shape, of.shape
        if own.is_fully_defined() and its.is_fully_defined() and own == its:
            return by
        if own.rank and its.rank is not None:
            if own.rank != its.rank:
                raise ValueError(
                    f"weights can not be broadcast to values. values.rank={its.rank}. "
                    f"weights.rank={own.rank}. values.shape={its}. weights.shape={own}."
                )
            for axis, (mine, wanted) in enumerate(zip(own, its, strict=True)):
                if None not in (mine, wanted) and mine not in (1, wanted):
                    raise ValueError(
                        f"weights can not be broadcast to values. Mismatch at dim {axis}. "
                        f"values.shape={its}, weights.shape={own}."
                    )
            if not (own.is_fully_defined() and its.is_fully_defined()):
                lengths, wanted_lengths = shape(by), shape(of)
                fits = logical_or(equal(lengths, 1), equal(lengths, wanted_lengths))
                Assert(reduce_all(fits), [lengths, wanted_lengths])
        return by * ones_like(of)
