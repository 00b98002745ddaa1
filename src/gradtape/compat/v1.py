"""`tf.compat.v1`: the names of TensorFlow 1 that programs for TensorFlow 2 still use."""

from gradtape._compile.compat import Dimension as Dimension
from gradtape._compile.compat import dimension_value as dimension_value
from gradtape._compile.compat import enable_eager_execution as enable_eager_execution
from gradtape._compile.compat import enable_v2_behavior as enable_v2_behavior
from gradtape._compile.compat import reset_default_graph as reset_default_graph
from gradtape._compile.contexts import executing_eagerly as executing_eagerly
from gradtape._compile.contexts import (
    executing_eagerly as executing_eagerly_outside_functions,
)
from gradtape._compile.graphs import gradients as gradients
