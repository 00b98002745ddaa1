"""Activations, losses and normalization."""

from __future__ import annotations

import numpy as np
from scipy import special as sp

from gradtape._src.ops.elementwise.exponential import silu_and_sigmoid_p
from gradtape._src.ops.nn import activations as a
from gradtape._src.ops.nn import clipping_by_norm as clip
from gradtape._src.ops.nn import cross_entropy as ce
from gradtape._src.ops.nn import fused_normalization as fused
from gradtape._src.ops.nn import losses
from gradtape._src.ops.nn import normalization_by_moments as n
from gradtape._src.ops.nn import softmax as s
from gradtape._src.ops.nn.embedding import embedding_lookup

from .base import Sample

_rng = np.random.default_rng(4)
X = _rng.uniform(0.3, 2.0, (2, 3)) * np.array([1, -1, 1])
ROW = np.array([0.71, -1.37, 2.1])
CUBE = _rng.standard_normal((2, 3, 4))
LABELS = np.array([2, 0])


def _loss_and_normalizer(x):
    """The logarithm comes in two parts, of which the derivative takes one as constant."""
    loss, log_of_sum, top = ce.sparse_cross_entropy_p(x, LABELS)
    return loss, log_of_sum + top


POSITIVE, NEGATIVE = np.array(0.6), np.array(-0.6)
ROWS_MEAN, POSITIVE_ROWS = np.array([[0.3], [-0.2]]), np.array([[0.7], [1.3]])
COLUMNS = np.array([0.4, -0.9, 1.7])


def _activation(op, call, reference):
    return [
        Sample(op, call, (X,), reference),
        Sample(op, call, (POSITIVE,), reference, "positive"),
        Sample(op, call, (NEGATIVE,), reference, "negative"),
    ]


def _rows(op, call, reference):
    return [
        Sample(op, call, (X,), lambda x: reference(x, axis=-1)),
        Sample(op, call, (ROW,), lambda x: reference(x, axis=-1), "vector"),
        Sample(op, lambda x: call(x, 1), (CUBE,), lambda x: reference(x, axis=1), "middle"),
    ]


def _elu(x):
    return np.where(x > 0, x, np.expm1(np.minimum(x, 0)))


SAMPLES = [
    *_activation("Relu", a.relu, lambda x: np.maximum(x, 0)),
    *_activation("Relu6", lambda x: a.relu6(x * 5), lambda x: np.clip(x * 5, 0, 6)),
    *_activation("LeakyRelu", a.leaky_relu, lambda x: np.where(x > 0, x, 0.2 * x)),
    Sample("LeakyRelu", lambda x: a.leaky_relu(x, 1.5), (X,), None, "steep"),
    *_activation("Elu", a.elu, _elu),
    *_activation("Selu", a.selu, None),
    *_activation("Softsign", a.softsign, lambda x: x / (1 + abs(x))),
    *_activation("Silu", a.silu, lambda x: x * sp.expit(x)),
    Sample("Silu", a.silu, (X + 1j,), None, "complex"),
    *_activation("SiluAndSigmoid", silu_and_sigmoid_p, lambda x: (x * sp.expit(x), sp.expit(x))),
    Sample("Sigmoid", lambda x, beta: a.silu(x, beta), (X, POSITIVE), None, "swish"),
    *_activation("Gelu", a.gelu, lambda x: x * sp.ndtr(x)),
    *_activation(
        "GeluByTanh",
        a.gelu_by_tanh_p,
        lambda x: x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
    ),
    Sample("Relu", a.crelu, (X,), None, "crelu"),
    *_rows("Softmax", s.softmax, sp.softmax),
    *_rows("LogSoftmax", s.log_softmax, sp.log_softmax),
    *[
        Sample(
            "Moments",
            lambda x, axis=axis, keepdims=keepdims: fused.moments_p(
                x, axis=axis, keepdims=keepdims, stops=False
            ),
            (CUBE,),
            lambda x, axis=axis, keepdims=keepdims: (
                np.mean(x, axis, keepdims=keepdims),
                np.var(x, axis, keepdims=keepdims),
            ),
            name,
        )
        for name, axis, keepdims in (
            ("rows", (-1,), True),
            ("columns", (-3, -2), False),
            ("middle", (-2,), False),
            ("all", (-3, -2, -1), False),
        )
    ],
    Sample(
        "Normalization",
        lambda *xs: fused.normalization_p(*xs, epsilon=0.1, scaled=True),
        (X, ROWS_MEAN, POSITIVE_ROWS, COLUMNS, COLUMNS),
        lambda x, mean, variance, scale, offset: (
            (x - mean) / np.sqrt(variance + 0.1) * scale + offset
        ),
        "rows",
    ),
    Sample(
        "Normalization",
        lambda *xs: fused.normalization_p(*xs, epsilon=0.1, scaled=True),
        (X, COLUMNS, COLUMNS**2, COLUMNS),
        lambda x, mean, variance, scale: (x - mean) / np.sqrt(variance + 0.1) * scale,
        "columns",
    ),
    Sample(
        "Normalization",
        lambda *xs: fused.normalization_p(*xs, epsilon=0.1, scaled=False),
        (X, POSITIVE, POSITIVE, COLUMNS),
        lambda x, mean, variance, offset: (x - mean) / np.sqrt(variance + 0.1) + offset,
        "scalars",
    ),
    Sample(
        "GeluGrad",
        a.gelu_slope_p,
        (X,),
        lambda x: sp.ndtr(x) + x * np.exp(-x * x / 2) / np.sqrt(2 * np.pi),
    ),
    Sample("ReluGrad", a.relu_slope_p, (X,), lambda x: x > 0.0),
    Sample("Relu6Grad", a.relu6_slope_p, (X * 5,), None),
    Sample("LeakyReluGrad", lambda x: a.leaky_slope_p(x, alpha=0.3), (X,)),
    Sample("EluGrad", a.elu_slope_p, (X,)),
    Sample("SeluGrad", a.selu_slope_p, (X,)),
    Sample("IsNegative", a.negative_p, (X,)),
    Sample("SoftsignGrad", a.softsign_slope_p, (X,), lambda x: 1 / (1 + abs(x)) ** 2),
    Sample(
        "SparseSoftmaxCrossEntropyWithLogits",
        lambda x: ce.sparse_softmax_cross_entropy_with_logits(LABELS, x),
        (X,),
        lambda x: -np.take_along_axis(sp.log_softmax(x, axis=-1), LABELS[:, None], -1)[:, 0],
    ),
    Sample(
        "SparseSoftmaxCrossEntropyWithLogits",
        lambda x: ce.sparse_softmax_cross_entropy_with_logits(2, x),
        (ROW,),
        None,
        "vector",
    ),
    Sample(
        "SparseSoftmaxCrossEntropyWithLogits",
        _loss_and_normalizer,
        (X,),
        None,
        "all outputs",
    ),
    Sample("TakeLabels", lambda x: ce.take_labels_p(x, LABELS), (X,)),
    Sample("PutLabels", lambda v: ce.put_labels_p(v, LABELS, depth=3), (ROW[:2],)),
    Sample("SubtractAtLabels", lambda x, v: ce.subtract_at_p(x, v, LABELS), (X, ROW[:2])),
    Sample(
        "SoftmaxCrossEntropyWithLogits",
        ce.softmax_cross_entropy_with_logits,
        (sp.softmax(X, -1), X * 2),
        lambda y, x: -np.sum(y * sp.log_softmax(x, axis=-1), -1),
    ),
    Sample(
        "SoftmaxCrossEntropyWithLogits",
        lambda x: ce.softmax_cross_entropy_with_logits(sp.softmax(CUBE, 1), x, axis=1),
        (CUBE,),
        None,
        "axis",
    ),
    Sample(
        "SoftmaxCrossEntropyWithLogits",
        lambda x: ce.softmax_cross_entropy_with_logits([0.2, 0.3, 0.5], x),
        (X,),
        None,
        "row",
        single=False,  # the labels are float32 only where the logits are
    ),
    Sample(
        "SigmoidCrossEntropyWithLogits",
        ce.sigmoid_cross_entropy_with_logits,
        (abs(X) / 3, X),
        lambda y, z: np.logaddexp(0, z) - z * y,
    ),
    Sample(
        "Softplus",
        ce.weighted_cross_entropy_with_logits,
        (abs(X) / 3, X, POSITIVE),
        None,
        "weighted",
    ),
    Sample("Exp", lambda y, z: losses.log_poisson_loss(y, z, True), (abs(X), X), None, "poisson"),
    Sample("L2Loss", losses.l2_loss, (X,), lambda x: np.sum(x * x) / 2),
    Sample("L2Loss", losses.l2_loss, (POSITIVE,), lambda x: x * x / 2, "scalar"),
    Sample("Sum", losses.compute_average_loss, (ROW, ROW + 2), None, "average"),
    Sample("AddV2", n.bias_add, (X, ROW), np.add, "bias"),
    Sample(
        "AddV2",
        lambda x, b: n.bias_add(x, b, "NCW"),
        (CUBE, ROW),
        lambda x, b: x + b[:, None],
        "bias second",
    ),
    # The mean of the deviations is held constant, as in TensorFlow.
    Sample(
        "Mean",
        lambda x: n.moments(x, [0, 2]),
        (CUBE,),
        lambda x: (x.mean((0, 2)), x.var((0, 2))),
        "moments",
        second_order=False,
    ),
    Sample(
        "Mul",
        lambda x: n.weighted_moments(x, [0], [[1.0], [2.0]]),
        (X,),
        None,
        "weighted",
    ),
    Sample(
        "Rsqrt",
        lambda x, m, v, b, g: n.batch_normalization(x, m, v, b, g, 1e-3),
        (X, ROW, ROW**2, ROW, ROW),
        lambda x, m, v, b, g: (x - m) / np.sqrt(v + 1e-3) * g + b,
        "batch normalization",
    ),
    Sample(
        "Rsqrt",
        lambda x: clip.l2_normalize(x, 1),
        (X,),
        lambda x: x / np.linalg.norm(x, axis=1, keepdims=True),
        "l2 normalize",
    ),
    Sample(
        "Rsqrt",
        lambda x: clip.l2_normalize(x, 1),
        (X + 1j,),
        None,
        "l2 normalize complex",
    ),
    Sample(
        "Sqrt",
        lambda x: clip.clip_by_norm(x, 0.5),
        (X,),
        lambda x: x * 0.5 / np.linalg.norm(x),
        "clip by norm",
    ),
    Sample("Sqrt", lambda x: clip.clip_by_norm(x, 90.0), (X,), lambda x: x, "not clipped"),
    Sample(
        "Sqrt",
        lambda x, y: clip.clip_by_global_norm([x, y], 0.5)[0],
        (X, ROW),
        None,
        "clip by global norm",
    ),
    Sample(
        "Rsqrt",
        lambda x: clip.clip_by_average_norm(x, 0.1),
        (X,),
        None,
        "clip by average",
    ),
    Sample(
        "Pow",
        lambda x: n.lrn(x[None, None], 1, 1.0, 0.5, 0.75),
        (X,),
        None,
        "lrn",
    ),
    Sample(
        "GatherV2",
        lambda x: embedding_lookup(x, [[1, 0], [1, 1]]),
        (X,),
        lambda x: x[[[1, 0], [1, 1]]],
        "embedding",
    ),
    Sample("Sqrt", lambda x: embedding_lookup(x, [1, 0], max_norm=0.5), (X,), None, "embedding"),
]
