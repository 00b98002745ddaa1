"""`tf.compat.v1.initializers`: initial values of variables."""

from typing import Any as _Any

from gradtape._src.compat.v1_namespaces import listed as _listed
from gradtape._src.compat.v1_namespaces import shared as _shared
from gradtape._src.sessions.training.initializers import Constant as _constant
from gradtape._src.sessions.training.initializers import GlorotNormal as _glorot_normal
from gradtape._src.sessions.training.initializers import GlorotUniform as _glorot_uniform
from gradtape._src.sessions.training.initializers import Identity as _identity
from gradtape._src.sessions.training.initializers import Ones as _ones
from gradtape._src.sessions.training.initializers import Orthogonal as _orthogonal
from gradtape._src.sessions.training.initializers import RandomNormal as _random_normal
from gradtape._src.sessions.training.initializers import RandomUniform as _random_uniform
from gradtape._src.sessions.training.initializers import TruncatedNormal as _truncated_normal
from gradtape._src.sessions.training.initializers import VarianceScaling as _variance_scaling
from gradtape._src.sessions.training.initializers import Zeros as _zeros
from gradtape._src.sessions.training.initializers import he_normal as he_normal
from gradtape._src.sessions.training.initializers import he_uniform as he_uniform
from gradtape._src.sessions.training.initializers import lecun_normal as lecun_normal
from gradtape._src.sessions.training.initializers import lecun_uniform as lecun_uniform
from gradtape._src.sessions.training.variables import (
    global_variables_initializer as _global_variables,
)
from gradtape._src.sessions.training.variables import (
    local_variables_initializer as _local_variables,
)
from gradtape._src.sessions.training.variables import tables_initializer as tables_initializer
from gradtape._src.sessions.training.variables import variables_initializer as _variables

constant = _constant
global_variables = _global_variables
glorot_normal = _glorot_normal
glorot_uniform = _glorot_uniform
identity = _identity
local_variables = _local_variables
ones = _ones
orthogonal = _orthogonal
random_normal = _random_normal
random_uniform = _random_uniform
truncated_normal = _truncated_normal
variables = _variables
variance_scaling = _variance_scaling
zeros = _zeros


def __getattr__(name: str) -> _Any:
    return _shared("initializers", name)


def __dir__() -> list[str]:
    return _listed("initializers", globals())
