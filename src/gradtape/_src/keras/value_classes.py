"""Recognizes tensors, for which Keras looks for TensorFlow's module in the class's name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.ops.types.ragged_tensor import RaggedTensor
from gradtape._src.ops.types.sparse_tensor import SparseTensor


def is_tensor(original: Any, module: Any) -> Callable[[Any], bool]:
    """Returns whether a value is a tensor of any kind, by its class."""
    kinds = (Tensor, Variable, SparseTensor, RaggedTensor)
    return lambda value: isinstance(value, kinds)


def is_ragged(original: Any, module: Any) -> Callable[[Any], bool]:
    """Returns whether a value is a ragged tensor, by its class."""
    return lambda value: isinstance(value, RaggedTensor)


def is_sparse(original: Any, module: Any) -> Callable[[Any], bool]:
    """Returns whether a value is a sparse tensor, by its class."""
    return lambda value: isinstance(value, SparseTensor)
