"""`tf.compat.v1.train`: the global step, and learning rates that fall with it."""

from gradtape._src.compat.v1_decay import cosine_decay as cosine_decay
from gradtape._src.compat.v1_decay import create_global_step as create_global_step
from gradtape._src.compat.v1_decay import exponential_decay as exponential_decay
from gradtape._src.compat.v1_decay import get_global_step as get_global_step
from gradtape._src.compat.v1_decay import get_or_create_global_step as get_or_create_global_step
from gradtape._src.compat.v1_decay import inverse_time_decay as inverse_time_decay
from gradtape._src.compat.v1_decay import natural_exp_decay as natural_exp_decay
from gradtape._src.compat.v1_decay import piecewise_constant as _piecewise_constant_decay
from gradtape._src.compat.v1_decay import piecewise_constant as piecewise_constant
from gradtape._src.compat.v1_decay import polynomial_decay as polynomial_decay

piecewise_constant_decay = _piecewise_constant_decay
