"""`tf.random`: random numbers."""

from gradtape._src.ops.nn.sampled_losses import all_candidate_sampler as all_candidate_sampler
from gradtape._src.ops.nn.sampled_losses import (
    fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler,
)
from gradtape._src.ops.nn.sampled_losses import (
    log_uniform_candidate_sampler as log_uniform_candidate_sampler,
)
from gradtape._src.ops.nn.sampled_losses import (
    uniform_candidate_sampler as uniform_candidate_sampler,
)
from gradtape._src.ops.random.distributions import categorical as categorical
from gradtape._src.ops.random.distributions import gamma as gamma
from gradtape._src.ops.random.distributions import normal as normal
from gradtape._src.ops.random.distributions import poisson as poisson
from gradtape._src.ops.random.distributions import set_seed as set_seed
from gradtape._src.ops.random.distributions import shuffle as shuffle
from gradtape._src.ops.random.distributions import truncated_normal as truncated_normal
from gradtape._src.ops.random.distributions import uniform as uniform
from gradtape._src.ops.random.generator import Algorithm as Algorithm
from gradtape._src.ops.random.generator import Generator as Generator
from gradtape._src.ops.random.generator import create_rng_state as create_rng_state
from gradtape._src.ops.random.generator import get_global_generator as get_global_generator
from gradtape._src.ops.random.generator import set_global_generator as set_global_generator
from gradtape._src.ops.random.stateless import fold_in as fold_in
from gradtape._src.ops.random.stateless import split as split
from gradtape._src.ops.random.stateless import stateless_binomial as stateless_binomial
from gradtape._src.ops.random.stateless import stateless_categorical as stateless_categorical
from gradtape._src.ops.random.stateless import stateless_gamma as stateless_gamma
from gradtape._src.ops.random.stateless import stateless_normal as stateless_normal
from gradtape._src.ops.random.stateless import stateless_poisson as stateless_poisson
from gradtape._src.ops.random.stateless import (
    stateless_truncated_normal as stateless_truncated_normal,
)
from gradtape._src.ops.random.stateless import stateless_uniform as stateless_uniform
from gradtape._src.ops.random.truncated import (
    stateless_parameterized_truncated_normal as stateless_parameterized_truncated_normal,
)
from gradtape.random import experimental as experimental
