"""Dropout by random numbers of the program's own: `tf.nn.experimental`."""

from gradtape._src.ops.nn.dropout import general_dropout as general_dropout
from gradtape._src.ops.nn.dropout import stateless_dropout as stateless_dropout
