"""`tf.__internal__.decorator`."""

from gradtape._compile.decorator import make_decorator as make_decorator
from gradtape._compile.decorator import unwrap as unwrap
