"""`tf.autograph`: functions run as they are written, so that nothing is converted."""

from gradtape._src.compat.contexts import to_graph as to_graph
from gradtape.autograph import experimental as experimental
