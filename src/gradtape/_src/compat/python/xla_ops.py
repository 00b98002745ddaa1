"""Operations of XLA that Keras calls by their names in TensorFlow's XLA module."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape._src.core.convert import tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import shape_of
from gradtape._src.ops.array.slicing import scatter_slice_p
from gradtape._src.ops.elementwise.selection import select_p


def dynamic_update_slice(x: Any, updates: Any, start_indices: Sequence[Any]) -> Tensor:
    """Replaces a block of `x`.

    Args:
      x: A tensor.
      updates: The block, of the same dtype and rank.
      start_indices: The start of the block along each axis; it is moved so that the block lies
        within `x`.
    """
    x, updates = tensor(x), tensor(updates)
    shape, block = shape_of(x), shape_of(updates)
    starts = [
        min(max(int(start), 0), n - m)
        for start, n, m in zip(start_indices, shape, block, strict=True)
    ]
    key = tuple(slice(start, start + m) for start, m in zip(starts, block, strict=True))
    replaced = np.zeros(shape, np.bool_)
    replaced[key] = True
    return select_p(Tensor(replaced[()]), scatter_slice_p(updates, key=key, shape=shape), x)
