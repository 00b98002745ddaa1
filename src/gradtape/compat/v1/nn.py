"""`tf.compat.v1.nn`: the functions of `tf.nn` whose first arguments are those of TensorFlow 1."""

import sys as _sys
from typing import Any as _Any

from gradtape._src.compat.v1_namespaces import listed as _listed
from gradtape._src.compat.v1_namespaces import shared as _shared
from gradtape._src.sessions.older.networks import conv2d_transpose as conv2d_transpose
from gradtape._src.sessions.older.networks import convolution as convolution
from gradtape._src.sessions.older.networks import embedding_lookup as embedding_lookup
from gradtape._src.sessions.older.networks import embedding_lookup_sparse as embedding_lookup_sparse
from gradtape._src.sessions.older.networks import fused_batch_norm as fused_batch_norm
from gradtape._src.sessions.older.networks import max_pool_with_argmax as max_pool_with_argmax
from gradtape._src.sessions.older.networks import nce_loss as nce_loss
from gradtape._src.sessions.older.networks import pool as pool
from gradtape._src.sessions.older.networks import relu_layer as relu_layer
from gradtape._src.sessions.older.networks import (
    safe_embedding_lookup_sparse as safe_embedding_lookup_sparse,
)
from gradtape._src.sessions.older.networks import sampled_softmax_loss as sampled_softmax_loss
from gradtape._src.sessions.older.networks import sufficient_statistics as sufficient_statistics
from gradtape._src.sessions.older.networks import (
    weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits,
)
from gradtape._src.sessions.older.networks import xw_plus_b as xw_plus_b
from gradtape._src.sessions.older.numbers import in_top_k as in_top_k
from gradtape._src.sessions.older.operations import dropout as dropout
from gradtape._src.sessions.recurrent.loops import (
    bidirectional_dynamic_rnn as bidirectional_dynamic_rnn,
)
from gradtape._src.sessions.recurrent.loops import dynamic_rnn as dynamic_rnn
from gradtape._src.sessions.recurrent.loops import raw_rnn as raw_rnn
from gradtape._src.sessions.recurrent.unrolled import (
    static_bidirectional_rnn as static_bidirectional_rnn,
)
from gradtape._src.sessions.recurrent.unrolled import static_rnn as static_rnn

softmax_cross_entropy_with_logits_v2: _Any

_ALIKE = frozenset(
    """
    avg_pool batch_normalization bias_add conv1d conv2d conv3d crelu depthwise_conv2d elu
    embedding_lookup l2_loss l2_normalize leaky_relu local_response_normalization log_softmax lrn
    max_pool moments relu relu6 selu separable_conv2d sigmoid sigmoid_cross_entropy_with_logits
    softmax softmax_cross_entropy_with_logits softplus softsign
    sparse_softmax_cross_entropy_with_logits swish tanh top_k weighted_moments
    """.split()  # noqa: SIM905 (a column of words reads better)
)


def __getattr__(name: str) -> _Any:
    if name in _ALIKE:
        return getattr(_sys.modules["gradtape"].nn, name)
    if name == "softmax_cross_entropy_with_logits_v2":
        return _sys.modules["gradtape"].nn.softmax_cross_entropy_with_logits
    return _shared("nn", name)


def __dir__() -> list[str]:
    return _listed("nn", globals())
