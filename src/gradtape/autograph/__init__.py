"""`tf.autograph`: control flow that tensors decide on, in functions that are traced."""

from gradtape._src.autograph.public import set_verbosity as set_verbosity
from gradtape._src.autograph.public import to_code as to_code
from gradtape._src.autograph.public import to_graph as to_graph
from gradtape._src.autograph.public import trace as trace
from gradtape.autograph import experimental as experimental
