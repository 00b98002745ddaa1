"""`tf.nn.experimental`."""

from gradtape._ops.embedding import general_dropout as general_dropout
from gradtape._ops.embedding import stateless_dropout as stateless_dropout
