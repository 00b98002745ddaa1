"""The shape of a ragged tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradtape._src.base.dispatch import Dispatchable
from gradtape._src.base.export import export
from gradtape._src.core.tensor import Tensor

if TYPE_CHECKING:
    from gradtape._src.ops.types.ragged_tensor import RaggedTensor


@export("experimental.DynamicRaggedShape")
class DynamicRaggedShape(Dispatchable):
    """The shape of a ragged tensor: a number for each uniform axis, and row lengths for the others.

    Args:
      x: The ragged tensor whose shape it is.
    """

    def __init__(self, x: Any) -> None:
        self._x = x
        self.num_row_partitions = x.ragged_rank
        self.rank = len(x.shape)

    @property
    def template(self) -> RaggedTensor:
        """A ragged tensor of this shape."""
        shaped: RaggedTensor = self._x
        return shaped

    def __getitem__(self, axis: int) -> Tensor:
        length = self._x.shape.as_list()[axis]
        if length is None:
            raise ValueError(f"Index {axis} is not uniform")
        return Tensor(np.int32(length))

    def __repr__(self) -> str:
        lengths: list[Any] = self._x.shape.as_list()
        level: Any = self._x
        for axis in range(1, 1 + self.num_row_partitions):
            if lengths[axis] is None:
                lengths[axis] = tuple(level.row_lengths().numpy().tolist())
            level = level.values
        shown = ", ".join(map(str, lengths))
        return (
            f"<DynamicRaggedShape lengths=[{shown}] num_row_partitions={self.num_row_partitions}>"
        )
