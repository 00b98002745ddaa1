"""`tf.compat.v1.metrics`: metrics whose state is in local variables."""

from typing import Any as _Any

from gradtape._src.compat.v1_namespaces import listed as _listed
from gradtape._src.compat.v1_namespaces import shared as _shared
from gradtape._src.sessions.metrics.curves_and_confusion import auc as auc
from gradtape._src.sessions.metrics.curves_and_confusion import mean_iou as mean_iou
from gradtape._src.sessions.metrics.means_and_counts import accuracy as accuracy
from gradtape._src.sessions.metrics.means_and_counts import false_negatives as false_negatives
from gradtape._src.sessions.metrics.means_and_counts import false_positives as false_positives
from gradtape._src.sessions.metrics.means_and_counts import mean as mean
from gradtape._src.sessions.metrics.means_and_counts import (
    mean_absolute_error as mean_absolute_error,
)
from gradtape._src.sessions.metrics.means_and_counts import mean_squared_error as mean_squared_error
from gradtape._src.sessions.metrics.means_and_counts import percentage_below as percentage_below
from gradtape._src.sessions.metrics.means_and_counts import precision as precision
from gradtape._src.sessions.metrics.means_and_counts import recall as recall
from gradtape._src.sessions.metrics.means_and_counts import (
    root_mean_squared_error as root_mean_squared_error,
)
from gradtape._src.sessions.metrics.means_and_counts import true_negatives as true_negatives
from gradtape._src.sessions.metrics.means_and_counts import true_positives as true_positives


def __getattr__(name: str) -> _Any:
    return _shared("metrics", name)


def __dir__() -> list[str]:
    return _listed("metrics", globals())
