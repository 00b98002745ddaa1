"""`tf.__internal__.eager_context`: a scope in which operations run at once."""

from gradtape._src.compat.internals.graph_modes import eager_mode as eager_mode
