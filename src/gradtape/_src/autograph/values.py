"""The values of variables in traced blocks: tensors, and other values, which remain unchanged."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gradtape._src.autograph.variables import is_undefined
from gradtape._src.base import nest
from gradtape._src.base.composite_tensor import is_composite
from gradtape._src.base.dtypes import DType, as_dtype, variant
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.ops.types.tensor_array import TensorArray

_NUMBERS = (bool, int, float, complex, str, bytes, np.generic, np.ndarray)


class Static(enum.Enum):
    """Placeholders in lists of values that are not tensors."""

    VARIES = "a tensor"


def flat(value: Any) -> list[Any]:
    """Returns the leaves of a structure; a composite tensor is one leaf."""
    return [value] if is_undefined(value) else nest.flatten(value)


def _is_whole(leaf: Any) -> bool:
    return type(leaf) is Tensor or isinstance(leaf, TensorArray) or is_composite(type(leaf))


def is_tensor(leaf: Any) -> bool:
    """Whether a leaf is a tensor, or becomes one in a traced block."""
    return _is_whole(leaf) or isinstance(leaf, (Variable, *_NUMBERS))


def as_tensor(leaf: Any, dtype: DType | None = None) -> object:
    """Returns a leaf as a tensor; a Python number gets the given dtype."""
    whole = _is_whole(leaf) and not isinstance(leaf, Variable)
    return leaf if whole else convert_to_tensor(leaf, dtype_hint=dtype)


def tensors_of(value: Any) -> list[Any]:
    """Returns the tensors of a structure."""
    return [as_tensor(x) for x in flat(value) if is_tensor(x)]


def statics(value: Any) -> list[Any]:
    """Returns leaves that are static or booleans, and `Static.VARIES` for the others."""
    return [x if isinstance(x, bool) or not is_tensor(x) else Static.VARIES for x in flat(value)]


def packed(like: Any, settled: Sequence[Any], tensors: Iterator[Any]) -> object:
    """Rebuilds a structure from the static values, and from tensors for the other leaves."""
    leaves = []
    for leaf, known in zip(flat(like), settled, strict=True):
        tensor = next(tensors) if is_tensor(leaf) else None
        leaves.append(tensor if known is Static.VARIES else known)
    return leaves[0] if is_undefined(like) else nest.pack_sequence_as(like, leaves)


def dtype_of(leaf: Any) -> DType | None:
    """Returns the dtype that a leaf has as a tensor; None if it can't become a tensor."""
    if not is_tensor(leaf):
        return None
    if isinstance(leaf, TensorArray):
        return variant
    dtype = getattr(leaf, "dtype", None)
    if dtype is None and is_composite(type(leaf)):
        dtype = getattr(leaf._type_spec, "dtype", None)
        if dtype is None:
            return None
    return convert_to_tensor(leaf).dtype if dtype is None else as_dtype(dtype)


def check_structure(a: Any, b: Any) -> None:
    """Raises TypeError or ValueError unless two values have the same structure."""
    if is_undefined(a) or is_undefined(b):
        return
    nest.assert_same_structure(a, b, expand_composites=True)
