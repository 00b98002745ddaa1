"""`tf.random`: random numbers."""

from gradtape._ops.random import categorical as categorical
from gradtape._ops.random import gamma as gamma
from gradtape._ops.random import normal as normal
from gradtape._ops.random import poisson as poisson
from gradtape._ops.random import set_seed as set_seed
from gradtape._ops.random import shuffle as shuffle
from gradtape._ops.random import truncated_normal as truncated_normal
from gradtape._ops.random import uniform as uniform
from gradtape._ops.random_generator import Algorithm as Algorithm
from gradtape._ops.random_generator import Generator as Generator
from gradtape._ops.random_generator import create_rng_state as create_rng_state
from gradtape._ops.random_generator import get_global_generator as get_global_generator
from gradtape._ops.random_generator import set_global_generator as set_global_generator
from gradtape._ops.random_stateless import fold_in as fold_in
from gradtape._ops.random_stateless import split as split
from gradtape._ops.random_stateless import stateless_binomial as stateless_binomial
from gradtape._ops.random_stateless import stateless_categorical as stateless_categorical
from gradtape._ops.random_stateless import stateless_gamma as stateless_gamma
from gradtape._ops.random_stateless import stateless_normal as stateless_normal
from gradtape._ops.random_stateless import stateless_poisson as stateless_poisson
from gradtape._ops.random_stateless import stateless_truncated_normal as stateless_truncated_normal
from gradtape._ops.random_stateless import stateless_uniform as stateless_uniform
from gradtape._ops.sampling import all_candidate_sampler as all_candidate_sampler
from gradtape._ops.sampling import (
    fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler,
)
from gradtape._ops.sampling import log_uniform_candidate_sampler as log_uniform_candidate_sampler
from gradtape._ops.sampling import uniform_candidate_sampler as uniform_candidate_sampler
from gradtape.random import experimental as experimental
