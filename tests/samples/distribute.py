"""The sum over replicas, of which there is one where a program chose no strategy."""

from __future__ import annotations

import numpy as np

from gradtape._src.distribute.collectives import all_reduce_p
from gradtape._src.distribute.strategy import get_replica_context

from .base import Sample

SAMPLES = [
    Sample(
        "CollectiveReduceV2",
        lambda x: all_reduce_p(x, group=get_replica_context()) * x,
        (np.linspace(-1, 1, 6).reshape(2, 3),),
        np.square,
    )
]
