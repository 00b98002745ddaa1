"""Losses with weights and reductions: `tf.compat.v1.losses`."""

from typing import Any as _Any

from gradtape._src.compat.v1_namespaces import listed as _listed
from gradtape._src.compat.v1_namespaces import shared as _shared
from gradtape._src.sessions.older.losses import Reduction as Reduction
from gradtape._src.sessions.older.losses import absolute_difference as absolute_difference
from gradtape._src.sessions.older.losses import add_loss as add_loss
from gradtape._src.sessions.older.losses import compute_weighted_loss as compute_weighted_loss
from gradtape._src.sessions.older.losses import cosine_distance as cosine_distance
from gradtape._src.sessions.older.losses import get_losses as get_losses
from gradtape._src.sessions.older.losses import get_regularization_loss as get_regularization_loss
from gradtape._src.sessions.older.losses import (
    get_regularization_losses as get_regularization_losses,
)
from gradtape._src.sessions.older.losses import get_total_loss as get_total_loss
from gradtape._src.sessions.older.losses import hinge_loss as hinge_loss
from gradtape._src.sessions.older.losses import huber_loss as huber_loss
from gradtape._src.sessions.older.losses import log_loss as log_loss
from gradtape._src.sessions.older.losses import mean_squared_error as mean_squared_error
from gradtape._src.sessions.older.losses import sigmoid_cross_entropy as sigmoid_cross_entropy
from gradtape._src.sessions.older.losses import softmax_cross_entropy as softmax_cross_entropy
from gradtape._src.sessions.older.losses import (
    sparse_softmax_cross_entropy as sparse_softmax_cross_entropy,
)
from gradtape._src.sessions.older.pairwise_loss import (
    mean_pairwise_squared_error as mean_pairwise_squared_error,
)


def __getattr__(name: str) -> _Any:
    return _shared("losses", name)


def __dir__() -> list[str]:
    return _listed("losses", globals())
