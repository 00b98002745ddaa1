"""Decorators of functions: `tf.__internal__.decorator`."""

from gradtape._src.compat.decorator import make_decorator as make_decorator
from gradtape._src.compat.decorator import unwrap as unwrap
