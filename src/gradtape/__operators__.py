"""Operators of tensors as functions: `tf.__operators__`."""

from gradtape._src.ops.operators.functions import add as add
from gradtape._src.ops.operators.functions import eq as eq
from gradtape._src.ops.operators.functions import getitem as getitem
from gradtape._src.ops.operators.functions import ne as ne
from gradtape._src.ops.operators.functions import ragged_getitem as ragged_getitem
