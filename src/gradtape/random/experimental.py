"""`tf.random.experimental`: other names of generators and stateless functions."""

from gradtape._src.ops.random.generator import Algorithm as Algorithm
from gradtape._src.ops.random.generator import Generator as Generator
from gradtape._src.ops.random.generator import create_rng_state as create_rng_state
from gradtape._src.ops.random.generator import get_global_generator as get_global_generator
from gradtape._src.ops.random.generator import set_global_generator as set_global_generator
from gradtape._src.ops.random.index_shuffle import index_shuffle as index_shuffle
from gradtape._src.ops.random.stateless import fold_in as _stateless_fold_in
from gradtape._src.ops.random.stateless import split as _stateless_split
from gradtape._src.ops.random.stateless import stateless_shuffle as stateless_shuffle

stateless_fold_in = _stateless_fold_in
stateless_split = _stateless_split
