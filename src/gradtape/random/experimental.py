"""`tf.random.experimental`: other names of generators and stateless functions."""

from gradtape._ops.random_generator import Algorithm as Algorithm
from gradtape._ops.random_generator import Generator as Generator
from gradtape._ops.random_generator import create_rng_state as create_rng_state
from gradtape._ops.random_generator import get_global_generator as get_global_generator
from gradtape._ops.random_generator import set_global_generator as set_global_generator
from gradtape._ops.random_stateless import fold_in as stateless_fold_in
from gradtape._ops.random_stateless import split as stateless_split
from gradtape._ops.random_stateless import stateless_shuffle as stateless_shuffle
