"""`tensorflow.python.data.experimental.ops.distribute`, of which Keras asks for the batch size."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base import nest
from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.types.specs import TensorSpec


def compute_batch_size(dataset: Any) -> Tensor:
    """Returns the number of rows of a dataset's full batches.

    Args:
      dataset: The dataset.

    Returns:
      An int64 scalar, -1 if the number is unknown.

    Raises:
      IndexError: The elements are scalars.
    """
    specs = [x for x in nest.flatten(dataset.element_spec) if isinstance(x, TensorSpec)]
    lengths = {spec.shape.as_list()[0] for spec in specs if spec.shape.rank is not None}
    known = lengths.pop() if len(lengths) == 1 else None
    size = dataset._lineage.batch if known is None else known
    return Tensor(np.int64(-1 if size is None else size))
