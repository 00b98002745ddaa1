"""`tf.nn.experimental`."""

from gradtape._src.ops.nn.embedding import general_dropout as general_dropout
from gradtape._src.ops.nn.embedding import stateless_dropout as stateless_dropout
