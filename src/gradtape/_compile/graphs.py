"""What exists only where there are graphs."""

from __future__ import annotations

from typing import Any, NoReturn


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = None,
) -> NoReturn:
    """Not there in eager execution, as in TensorFlow: use `GradientTape`.

    Args:
      ys: Accepted for compatibility, as all arguments.
      xs: Sources.
      grad_ys: Output gradients.
      name: A name.
      gate_gradients: An option of graphs.
      aggregation_method: An option of graphs.
      stop_gradients: Constants.
      unconnected_gradients: What stands for none.

    Raises:
      RuntimeError: Always.
    """
    raise RuntimeError(
        "tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape "
        "instead: with tf.GradientTape() as tape: ...; tape.gradient(ys, xs)"
    )
