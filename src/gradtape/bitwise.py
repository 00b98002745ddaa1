"""Operations on the bits of integers: `tf.bitwise`."""

from gradtape._src.ops.elementwise.bitwise import bitwise_and as bitwise_and
from gradtape._src.ops.elementwise.bitwise import bitwise_or as bitwise_or
from gradtape._src.ops.elementwise.bitwise import bitwise_xor as bitwise_xor
from gradtape._src.ops.elementwise.bitwise import invert as invert
from gradtape._src.ops.elementwise.bitwise import left_shift as left_shift
from gradtape._src.ops.elementwise.bitwise import right_shift as right_shift
