"""`tf.__internal__.types`."""

from gradtape._core.tensor import TensorLike as Tensor
