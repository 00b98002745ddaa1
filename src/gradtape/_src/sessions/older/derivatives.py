"""Derivatives in graphs, with TensorFlow 1's arguments."""

from __future__ import annotations

from typing import Any

from gradtape._src.autodiff.arguments import UnconnectedGradients
from gradtape._src.base import nest
from gradtape._src.base.export import export
from gradtape._src.graph import symbolic_gradients
from gradtape._src.sessions.older import operations
from gradtape._src.sessions.training.partitioned_variables import PartitionedVariable


@export("compat.v1.gradients")
def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = UnconnectedGradients.NONE,
) -> list[Any]:
    """Computes the gradients of the sum of `ys` in a graph.

    Args:
      ys: A tensor or nested structure of tensors.
      xs: A tensor, variable or nested structure of them: any values that `ys` may depend on.
      grad_ys: The gradients with respect to `ys`. Defaults to ones.
      name: The name scope of the operations.
      colocate_gradients_with_ops: Accepted for compatibility.
      gate_gradients: Accepted for compatibility.
      aggregation_method: Accepted for compatibility.
      stop_gradients: Tensors that are treated as constants.
      unconnected_gradients: The result for a source that `ys` does not depend on: None ("none") or
        zeros ("zero").

    Returns:
      A list with a gradient for each tensor in `xs`.

    Raises:
      RuntimeError: Execution is eager.
      NotImplementedError: A partitioned variable is in `ys` or `xs`; its parts have gradients.
      AttributeError: A value in `ys` or `xs` is None.
      ValueError: `unconnected_gradients` is unknown, or there are not as many `grad_ys` as `ys`.
    """
    for x in nest.flatten([ys, xs]):
        if isinstance(x, PartitionedVariable):
            raise NotImplementedError(
                f"tf.gradients: {x.name!r} is a partitioned variable, whose parts have gradients: "
                "use `list(variable)`"
            )
    return symbolic_gradients.gradients(
        ys,
        xs,
        grad_ys,
        name,
        stop_gradients=stop_gradients,
        unconnected_gradients=unconnected_gradients,
    )


@export("compat.v1.hessians")
def hessians(
    ys: Any,
    xs: Any,
    name: str = "hessians",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: Any = None,
) -> list[Any]:
    """Computes the second derivatives of the sum of `ys` in a graph.

    Args:
      ys: A tensor or nested structure of tensors.
      xs: A tensor, variable or list of them.
      name: The name scope of the operations.
      colocate_gradients_with_ops: Accepted for compatibility.
      gate_gradients: Accepted for compatibility.
      aggregation_method: Accepted for compatibility.

    Returns:
      A list with a tensor of shape `x.shape + x.shape` for each tensor in `xs`.

    Raises:
      RuntimeError: Execution is eager.
    """
    return operations.hessians(ys, xs, name=name)
