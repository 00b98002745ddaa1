"""Neural networks: TensorFlow's `tf.nn`."""

from gradtape._src.ops.array.padding import depth_to_space as depth_to_space
from gradtape._src.ops.array.padding import space_to_batch as space_to_batch
from gradtape._src.ops.array.padding import space_to_depth as space_to_depth
from gradtape._src.ops.array.sorting import approx_max_k as approx_max_k
from gradtape._src.ops.array.sorting import approx_min_k as approx_min_k
from gradtape._src.ops.array.sorting import top_k as top_k
from gradtape._src.ops.elementwise.exponential import sigmoid as sigmoid
from gradtape._src.ops.elementwise.trigonometric import tanh as tanh
from gradtape._src.ops.nn.activations import crelu as crelu
from gradtape._src.ops.nn.activations import elu as elu
from gradtape._src.ops.nn.activations import gelu as gelu
from gradtape._src.ops.nn.activations import leaky_relu as leaky_relu
from gradtape._src.ops.nn.activations import relu as relu
from gradtape._src.ops.nn.activations import relu6 as relu6
from gradtape._src.ops.nn.activations import selu as selu
from gradtape._src.ops.nn.activations import silu as silu
from gradtape._src.ops.nn.activations import softplus as softplus
from gradtape._src.ops.nn.activations import softsign as softsign
from gradtape._src.ops.nn.activations import swish as swish
from gradtape._src.ops.nn.clipping_by_norm import l2_normalize as l2_normalize
from gradtape._src.ops.nn.convolution import atrous_conv2d as atrous_conv2d
from gradtape._src.ops.nn.convolution import conv1d as conv1d
from gradtape._src.ops.nn.convolution import conv2d as conv2d
from gradtape._src.ops.nn.convolution import conv3d as conv3d
from gradtape._src.ops.nn.convolution import convolution as convolution
from gradtape._src.ops.nn.convolution import depthwise_conv2d as depthwise_conv2d
from gradtape._src.ops.nn.convolution import separable_conv2d as separable_conv2d
from gradtape._src.ops.nn.cross_entropy import (
    sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits,
)
from gradtape._src.ops.nn.cross_entropy import (
    softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits,
)
from gradtape._src.ops.nn.cross_entropy import (
    sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits,
)
from gradtape._src.ops.nn.cross_entropy import (
    weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits,
)
from gradtape._src.ops.nn.ctc import collapse_repeated as collapse_repeated
from gradtape._src.ops.nn.ctc import ctc_beam_search_decoder as ctc_beam_search_decoder
from gradtape._src.ops.nn.ctc import ctc_greedy_decoder as ctc_greedy_decoder
from gradtape._src.ops.nn.ctc import ctc_loss as ctc_loss
from gradtape._src.ops.nn.ctc import ctc_unique_labels as ctc_unique_labels
from gradtape._src.ops.nn.dropout import dropout as dropout
from gradtape._src.ops.nn.embedding import embedding_lookup as embedding_lookup
from gradtape._src.ops.nn.embedding import embedding_lookup_sparse as embedding_lookup_sparse
from gradtape._src.ops.nn.embedding import (
    safe_embedding_lookup_sparse as safe_embedding_lookup_sparse,
)
from gradtape._src.ops.nn.fractional_pooling import fractional_avg_pool as fractional_avg_pool
from gradtape._src.ops.nn.fractional_pooling import fractional_max_pool as fractional_max_pool
from gradtape._src.ops.nn.isotonic_regression import isotonic_regression as isotonic_regression
from gradtape._src.ops.nn.losses import compute_average_loss as compute_average_loss
from gradtape._src.ops.nn.losses import in_top_k as in_top_k
from gradtape._src.ops.nn.losses import l2_loss as l2_loss
from gradtape._src.ops.nn.losses import log_poisson_loss as log_poisson_loss
from gradtape._src.ops.nn.losses import scale_regularization_loss as scale_regularization_loss
from gradtape._src.ops.nn.morphology import dilation2d as dilation2d
from gradtape._src.ops.nn.morphology import erosion2d as erosion2d
from gradtape._src.ops.nn.morphology import max_pool_with_argmax as max_pool_with_argmax
from gradtape._src.ops.nn.normalization_by_moments import (
    batch_norm_with_global_normalization as batch_norm_with_global_normalization,
)
from gradtape._src.ops.nn.normalization_by_moments import batch_normalization as batch_normalization
from gradtape._src.ops.nn.normalization_by_moments import bias_add as bias_add
from gradtape._src.ops.nn.normalization_by_moments import (
    local_response_normalization as local_response_normalization,
)
from gradtape._src.ops.nn.normalization_by_moments import lrn as lrn
from gradtape._src.ops.nn.normalization_by_moments import moments as moments
from gradtape._src.ops.nn.normalization_by_moments import normalize_moments as normalize_moments
from gradtape._src.ops.nn.normalization_by_moments import (
    sufficient_statistics as sufficient_statistics,
)
from gradtape._src.ops.nn.normalization_by_moments import weighted_moments as weighted_moments
from gradtape._src.ops.nn.normalization_by_moments import zero_fraction as zero_fraction
from gradtape._src.ops.nn.pooling import avg_pool as avg_pool
from gradtape._src.ops.nn.pooling import avg_pool1d as avg_pool1d
from gradtape._src.ops.nn.pooling import avg_pool2d as avg_pool2d
from gradtape._src.ops.nn.pooling import avg_pool3d as avg_pool3d
from gradtape._src.ops.nn.pooling import max_pool as max_pool
from gradtape._src.ops.nn.pooling import max_pool1d as max_pool1d
from gradtape._src.ops.nn.pooling import max_pool2d as max_pool2d
from gradtape._src.ops.nn.pooling import max_pool3d as max_pool3d
from gradtape._src.ops.nn.pooling import pool as pool
from gradtape._src.ops.nn.sampled_losses import all_candidate_sampler as all_candidate_sampler
from gradtape._src.ops.nn.sampled_losses import compute_accidental_hits as compute_accidental_hits
from gradtape._src.ops.nn.sampled_losses import (
    fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler,
)
from gradtape._src.ops.nn.sampled_losses import nce_loss as nce_loss
from gradtape._src.ops.nn.sampled_losses import sampled_softmax_loss as sampled_softmax_loss
from gradtape._src.ops.nn.softmax import log_softmax as log_softmax
from gradtape._src.ops.nn.softmax import softmax as softmax
from gradtape._src.ops.nn.transposed_convolution import (
    atrous_conv2d_transpose as atrous_conv2d_transpose,
)
from gradtape._src.ops.nn.transposed_convolution import conv1d_transpose as conv1d_transpose
from gradtape._src.ops.nn.transposed_convolution import conv2d_transpose as conv2d_transpose
from gradtape._src.ops.nn.transposed_convolution import conv3d_transpose as conv3d_transpose
from gradtape._src.ops.nn.transposed_convolution import conv_transpose as conv_transpose
from gradtape._src.ops.raw.convolution_gradients import (
    depthwise_conv2d_backprop_filter as depthwise_conv2d_backprop_filter,
)
from gradtape._src.ops.raw.convolution_gradients import (
    depthwise_conv2d_backprop_input as depthwise_conv2d_backprop_input,
)
from gradtape.nn import experimental as experimental
