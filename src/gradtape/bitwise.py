"""Operations on the bits of integers: `tf.bitwise`."""

from gradtape._ops.comparison import bitwise_and as bitwise_and
from gradtape._ops.comparison import bitwise_or as bitwise_or
from gradtape._ops.comparison import bitwise_xor as bitwise_xor
from gradtape._ops.comparison import invert as invert
from gradtape._ops.comparison import left_shift as left_shift
from gradtape._ops.comparison import right_shift as right_shift
