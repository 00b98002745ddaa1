"""Reductions and running sums and products."""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp, softmax

import gradtape as tf
from gradtape._src.ops.reduce import cumulative as c
from gradtape._src.ops.reduce.log_sums import shares_of_sum_p

from .base import Sample

_rng = np.random.default_rng(2)
X = _rng.standard_normal((2, 3, 4))
ZEROS = np.array([[1.5, 0.0, 2.0, -1.0], [0.0, 3.0, 0.0, 0.5], [2.0, 1.0, -3.0, 0.7]])
Z = _rng.standard_normal((2, 3)) + 1j * _rng.standard_normal((2, 3))
SCALAR = np.array(0.7)
AXES = [(None, False, "all"), (1, False, "one axis"), ((0, -1), True, "two axes kept")]


def _reduction(op, function, reference, prefix=""):
    return [
        Sample(
            op,
            lambda x, a=axis, k=keep: function(x, axis=a, keepdims=k),
            (X,),
            lambda x, a=axis, k=keep: reference(x, axis=a, keepdims=k),
            prefix + name,
        )
        for axis, keep, name in AXES
    ]


def _running(op, function, reference, x=X, prefix=""):
    return [
        Sample(
            op,
            lambda x, a=axis, e=exclusive, r=reverse: function(x, a, exclusive=e, reverse=r),
            (x,),
            reference if not (exclusive or reverse or axis) else None,
            f"{prefix}axis {axis} exclusive {exclusive} reverse {reverse}",
        )
        for axis in (0, -1)
        for exclusive in (False, True)
        for reverse in (False, True)
    ]


def _finite_logsumexp(x, axis, exclusive, reverse):
    """Without the -inf that an exclusive sum begins with."""
    out = tf.math.cumulative_logsumexp(x, axis, exclusive, reverse)
    if not exclusive:
        return out
    rows = slice(None, -1) if reverse else slice(1, None)
    return out[rows] if axis == 0 else out[..., rows]


SAMPLES = [
    *_reduction("Sum", tf.reduce_sum, np.sum),
    Sample("Sum", tf.reduce_sum, (Z,), np.sum, "all of complex"),
    Sample("Sum", tf.reduce_sum, (SCALAR,), np.sum, "of a scalar"),
    *_reduction("Mean", tf.reduce_mean, np.mean),
    Sample("Mean", tf.reduce_mean, (Z,), np.mean, "complex"),
    *_reduction("Prod", tf.reduce_prod, np.prod),
    Sample("Prod", tf.reduce_prod, (Z,), np.prod, "complex"),
    Sample("Prod", lambda x: tf.reduce_prod(x, 1), (ZEROS,), lambda x: x.prod(1), "zeros"),
    Sample("Prod", lambda x: tf.reduce_prod(x, 0), (ZEROS,), lambda x: x.prod(0), "a zero each"),
    Sample("Prod", lambda x: tf.reduce_prod(x, []), (ZEROS,), lambda x: x, "no axis"),
    *_reduction("Max", tf.reduce_max, np.max),
    *_reduction("Min", tf.reduce_min, np.min),
    *_reduction("ReduceLogSumExp", tf.reduce_logsumexp, logsumexp),
    *(
        Sample(
            "SoftmaxAlongAxes",
            lambda x, a=axis: shares_of_sum_p(x, axis=a),
            (X,),
            lambda x, a=axis: softmax(x, a),
            name,
        )
        for axis, name in (((-1,), "last"), ((-3, -1), "two axes"), ((-3, -2, -1), "all"))
    ),
    *_reduction(
        "EuclideanNorm",
        tf.math.reduce_euclidean_norm,
        lambda x, axis, keepdims: np.sqrt(np.sum(x * x, axis=axis, keepdims=keepdims)),
    ),
    *_reduction("Sum", tf.math.reduce_variance, np.var, "variance "),
    *_reduction("Sum", tf.math.reduce_std, np.std, "std "),
    *_running("Cumsum", tf.cumsum, lambda x: np.cumsum(x, 0)),
    *_running("Cumprod", tf.math.cumprod, lambda x: np.cumprod(x, 0)),
    *_running("Cumprod", tf.math.cumprod, lambda x: np.cumprod(x, 0), ZEROS, "zeros "),
    *_running(
        "CumulativeLogsumexp",
        _finite_logsumexp,
        lambda x: np.logaddexp.accumulate(x, 0),
        X[0],
    ),
    *(
        Sample(
            "LinearRecurrence",
            lambda a, b, r=reverse: c.recurrence_p(a, b, axis=-1, reverse=r),
            (X[0], X[1]),
            name=f"reverse {reverse}",
        )
        for reverse in (False, True)
    ),
    Sample("Shift", lambda x: c.shift_p(x, axis=-2, reverse=False), (X,)),
]
