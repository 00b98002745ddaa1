"""Types for `isinstance`: `tf.__internal__.types`."""

from gradtape.__internal__.types import data as data
from gradtape._src.core.tensor import TensorLike as _Tensor

Tensor = _Tensor
