"""Switches between the behaviours of TensorFlow 1 and 2."""

from __future__ import annotations

from gradtape._src.base.display import EQUALITY
from gradtape._src.base.export import export
from gradtape._src.base.shapes import lengths_have_values
from gradtape._src.sessions.default_graph import disable_eager_execution, enable_eager_execution


class _ControlFlow:
    """Whether a program asks for the conditionals and loops of TensorFlow 2."""

    newer = True


@export("compat.v1.disable_v2_behavior")
def disable_v2_behavior() -> None:
    """Makes operations run in graphs, as `disable_eager_execution` does."""
    disable_eager_execution()
    disable_control_flow_v2()
    lengths_have_values(True)


@export("compat.v1.enable_v2_behavior")
def enable_v2_behavior() -> None:
    """Makes operations run immediately, as they do by default, after `disable_v2_behavior`."""
    enable_eager_execution()
    enable_control_flow_v2()
    lengths_have_values(False)


@export("compat.v1.disable_v2_tensorshape")
def disable_v2_tensorshape() -> None:
    """Gives the known lengths in shapes an attribute `value`."""
    lengths_have_values(True)


@export("compat.v1.enable_v2_tensorshape")
def enable_v2_tensorshape() -> None:
    """Makes the known lengths in shapes plain integers, as they are by default."""
    lengths_have_values(False)


@export("compat.v1.enable_control_flow_v2")
def enable_control_flow_v2() -> None:
    """Asks for TensorFlow 2's conditionals and loops, of which the results are the same."""
    _ControlFlow.newer = True


@export("compat.v1.disable_control_flow_v2")
def disable_control_flow_v2() -> None:
    """Asks for TensorFlow 1's conditionals and loops, of which the results are the same."""
    _ControlFlow.newer = False


@export("compat.v1.control_flow_v2_enabled")
def control_flow_v2_enabled() -> bool:
    """Returns whether a program asks for TensorFlow 2's conditionals and loops.

    Returns:
      True unless `disable_control_flow_v2` or `disable_v2_behavior` was called.

    >>> tf.compat.v1.control_flow_v2_enabled()
    True
    """
    return _ControlFlow.newer


@export("compat.v1.enable_resource_variables")
def enable_resource_variables() -> None:
    """Has no effect, since variables are always resource variables."""


@export("compat.v1.disable_resource_variables")
def disable_resource_variables() -> None:
    """Has no effect, since variables are always resource variables."""


@export("compat.v1.resource_variables_enabled")
def resource_variables_enabled() -> bool:
    """Returns whether variables are resource variables.

    Returns:
      True: reads of a variable take its value at their place among the operations of a graph.

    >>> tf.compat.v1.resource_variables_enabled()
    True
    """
    return True


@export("compat.v1.enable_tensor_equality")
def enable_tensor_equality() -> None:
    """Makes `==` and `!=` compare the elements of tensors, as they do by default."""
    EQUALITY.choose(by_identity=False)


@export("compat.v1.disable_tensor_equality")
def disable_tensor_equality() -> None:
    """Makes `==` and `!=` of tensors and variables tell whether both are the same object.

    >>> tf.compat.v1.disable_tensor_equality()
    >>> tf.constant(1.0) == tf.constant(1.0)
    False
    >>> tf.compat.v1.enable_tensor_equality()
    """
    EQUALITY.choose(by_identity=True)
