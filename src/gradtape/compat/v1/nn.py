"""`tf.compat.v1.nn`: the functions of `tf.nn` whose first arguments are those of TensorFlow 1."""

from typing import Any as _Any

from gradtape._src.compat.v1_namespaces import listed as _listed
from gradtape._src.compat.v1_namespaces import shared as _shared
from gradtape._src.sessions.networks.activations_and_moments import (
    batch_norm_with_global_normalization as batch_norm_with_global_normalization,
)
from gradtape._src.sessions.networks.activations_and_moments import crelu as crelu
from gradtape._src.sessions.networks.activations_and_moments import (
    fused_batch_norm as fused_batch_norm,
)
from gradtape._src.sessions.networks.activations_and_moments import log_softmax as log_softmax
from gradtape._src.sessions.networks.activations_and_moments import moments as moments
from gradtape._src.sessions.networks.activations_and_moments import relu_layer as relu_layer
from gradtape._src.sessions.networks.activations_and_moments import softmax as softmax
from gradtape._src.sessions.networks.activations_and_moments import (
    sufficient_statistics as sufficient_statistics,
)
from gradtape._src.sessions.networks.activations_and_moments import (
    weighted_moments as weighted_moments,
)
from gradtape._src.sessions.networks.activations_and_moments import xw_plus_b as xw_plus_b
from gradtape._src.sessions.networks.convolution_gradients import (
    conv2d_backprop_filter as conv2d_backprop_filter,
)
from gradtape._src.sessions.networks.convolution_gradients import (
    conv2d_backprop_input as conv2d_backprop_input,
)
from gradtape._src.sessions.networks.convolution_gradients import (
    conv3d_backprop_filter as conv3d_backprop_filter,
)
from gradtape._src.sessions.networks.convolutions import conv1d as conv1d
from gradtape._src.sessions.networks.convolutions import conv2d as conv2d
from gradtape._src.sessions.networks.convolutions import conv2d_transpose as conv2d_transpose
from gradtape._src.sessions.networks.convolutions import conv3d as conv3d
from gradtape._src.sessions.networks.convolutions import conv3d_transpose as conv3d_transpose
from gradtape._src.sessions.networks.convolutions import convolution as convolution
from gradtape._src.sessions.networks.convolutions import depthwise_conv2d as depthwise_conv2d
from gradtape._src.sessions.networks.convolutions import (
    depthwise_conv2d_native as depthwise_conv2d_native,
)
from gradtape._src.sessions.networks.convolutions import separable_conv2d as separable_conv2d
from gradtape._src.sessions.networks.cross_entropy import (
    sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits,
)
from gradtape._src.sessions.networks.cross_entropy import (
    softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits,
)
from gradtape._src.sessions.networks.cross_entropy import (
    softmax_cross_entropy_with_logits_v2 as softmax_cross_entropy_with_logits_v2,
)
from gradtape._src.sessions.networks.cross_entropy import (
    sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits,
)
from gradtape._src.sessions.networks.cross_entropy import (
    weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits,
)
from gradtape._src.sessions.networks.ctc import ctc_beam_search_decoder as ctc_beam_search_decoder
from gradtape._src.sessions.networks.ctc import ctc_loss as ctc_loss
from gradtape._src.sessions.networks.embeddings import embedding_lookup as embedding_lookup
from gradtape._src.sessions.networks.embeddings import (
    embedding_lookup_sparse as embedding_lookup_sparse,
)
from gradtape._src.sessions.networks.embeddings import nce_loss as nce_loss
from gradtape._src.sessions.networks.embeddings import (
    safe_embedding_lookup_sparse as safe_embedding_lookup_sparse,
)
from gradtape._src.sessions.networks.embeddings import sampled_softmax_loss as sampled_softmax_loss
from gradtape._src.sessions.networks.pools import avg_pool as avg_pool
from gradtape._src.sessions.networks.pools import dilation2d as dilation2d
from gradtape._src.sessions.networks.pools import erosion2d as erosion2d
from gradtape._src.sessions.networks.pools import fractional_avg_pool as fractional_avg_pool
from gradtape._src.sessions.networks.pools import fractional_max_pool as fractional_max_pool
from gradtape._src.sessions.networks.pools import max_pool as max_pool
from gradtape._src.sessions.networks.pools import max_pool_with_argmax as max_pool_with_argmax
from gradtape._src.sessions.networks.pools import pool as pool
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


def __getattr__(name: str) -> _Any:
    return _shared("nn", name)


def __dir__() -> list[str]:
    return _listed("nn", globals())
