"""Steps and states of training: `tf.__internal__.train`."""

from gradtape._src.compat.internals.moving_average import (
    assign_moving_average as assign_moving_average,
)
from gradtape._src.compat.internals.moving_average import (
    is_mixed_precision_graph_rewrite_enabled as is_mixed_precision_graph_rewrite_enabled,
)
from gradtape._src.saving.state import update_checkpoint_state as update_checkpoint_state
