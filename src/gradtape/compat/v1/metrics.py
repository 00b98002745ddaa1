"""`tf.compat.v1.metrics`: metrics whose state is in local variables."""

from typing import Any as _Any

from gradtape._src.compat.v1_namespaces import listed as _listed
from gradtape._src.compat.v1_namespaces import shared as _shared
from gradtape._src.sessions.metrics.best_predictions import (
    average_precision_at_k as _sparse_average_precision_at_k,
)
from gradtape._src.sessions.metrics.best_predictions import (
    average_precision_at_k as average_precision_at_k,
)
from gradtape._src.sessions.metrics.best_predictions import precision_at_k as _sparse_precision_at_k
from gradtape._src.sessions.metrics.best_predictions import precision_at_k as precision_at_k
from gradtape._src.sessions.metrics.best_predictions import precision_at_top_k as precision_at_top_k
from gradtape._src.sessions.metrics.best_predictions import recall_at_k as recall_at_k
from gradtape._src.sessions.metrics.best_predictions import recall_at_top_k as recall_at_top_k
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
from gradtape._src.sessions.metrics.means_of_elements_and_classes import (
    mean_cosine_distance as mean_cosine_distance,
)
from gradtape._src.sessions.metrics.means_of_elements_and_classes import (
    mean_per_class_accuracy as mean_per_class_accuracy,
)
from gradtape._src.sessions.metrics.means_of_elements_and_classes import (
    mean_relative_error as mean_relative_error,
)
from gradtape._src.sessions.metrics.means_of_elements_and_classes import mean_tensor as mean_tensor
from gradtape._src.sessions.metrics.thresholds import (
    false_negatives_at_thresholds as false_negatives_at_thresholds,
)
from gradtape._src.sessions.metrics.thresholds import (
    false_positives_at_thresholds as false_positives_at_thresholds,
)
from gradtape._src.sessions.metrics.thresholds import (
    precision_at_thresholds as precision_at_thresholds,
)
from gradtape._src.sessions.metrics.thresholds import recall_at_thresholds as recall_at_thresholds
from gradtape._src.sessions.metrics.thresholds import (
    sensitivity_at_specificity as sensitivity_at_specificity,
)
from gradtape._src.sessions.metrics.thresholds import (
    specificity_at_sensitivity as specificity_at_sensitivity,
)
from gradtape._src.sessions.metrics.thresholds import (
    true_negatives_at_thresholds as true_negatives_at_thresholds,
)
from gradtape._src.sessions.metrics.thresholds import (
    true_positives_at_thresholds as true_positives_at_thresholds,
)

sparse_average_precision_at_k = _sparse_average_precision_at_k
sparse_precision_at_k = _sparse_precision_at_k


def __getattr__(name: str) -> _Any:
    return _shared("metrics", name)


def __dir__() -> list[str]:
    return _listed("metrics", globals())
