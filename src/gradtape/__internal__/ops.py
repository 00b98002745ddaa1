"""Questions of libraries about variables: `tf.__internal__.ops`."""

from gradtape._src.compat.internals.weights import broadcast_weights as broadcast_weights
from gradtape._src.compat.python.framework_ops import is_resource_variable as is_resource_variable
