"""Convolution, its transposes, pooling and patches."""

from __future__ import annotations

import numpy as np

from gradtape._src.ops.nn import convolution as c
from gradtape._src.ops.nn import image_patches as patches
from gradtape._src.ops.nn import pooling as p
from gradtape._src.ops.nn import transposed_convolution as t
from gradtape._src.ops.nn.convolution import conv_filter_p, conv_input_p, conv_p
from gradtape._src.ops.nn.window_geometry import Geometry

from .base import Sample

_rng = np.random.default_rng(6)


def _r(*shape):
    return _rng.standard_normal(shape)


def _apart(*shape):
    """Values far apart, so that no window has two greatest ones."""
    return _rng.permutation(np.arange(np.prod(shape)) * 0.1).reshape(shape)


def _by_hand(x, w):
    """A 2-D convolution with one window, stride 1 and no padding, by its definition."""
    h, v = x.shape[1] - w.shape[0] + 1, x.shape[2] - w.shape[1] + 1
    out = np.zeros((x.shape[0], h, v, w.shape[-1]))
    for i in range(h):
        for j in range(v):
            out[:, i, j] = np.einsum(
                "bijc,ijco->bo", x[:, i : i + w.shape[0], j : j + w.shape[1]], w
            )
    return out


LINE = Geometry((5,), (2,), (2,), ((1, 0),), (2,))
IMAGE = _r(2, 4, 3, 2)
POOLED = _apart(2, 5, 2)

SAMPLES = [
    Sample(
        "Conv2D",
        lambda x, w: c.conv2d(x, w, 1, "VALID"),
        (IMAGE, _r(2, 2, 2, 3)),
        _by_hand,
    ),
    Sample(
        "Conv2D",
        lambda x, w: c.conv2d(x, w, [1, 2], "SAME"),
        (IMAGE, _r(2, 2, 2, 2)),
        None,
        "strides",
    ),
    Sample(
        "Conv2D",
        lambda x, w: c.conv2d(x, w, 1, "SAME", dilations=2),
        (IMAGE, _r(2, 2, 2, 1)),
        None,
        "dilations",
    ),
    Sample(
        "Conv2D",
        lambda x, w: c.conv2d(x, w, 1, [[0, 0], [0, 0], [1, 0], [0, 2]], data_format="NCHW"),
        (_r(1, 2, 3, 3), _r(2, 2, 2, 1)),
        None,
        "channels first",
    ),
    Sample(
        "Conv2D",
        lambda x, w: c.conv1d(x, w, 1, "SAME"),
        (_r(2, 4, 2), _r(3, 2, 2)),
        None,
        "1d",
    ),
    Sample(
        "Conv2D",
        lambda x, w: c.conv3d(x, w, [1] * 5, "VALID"),
        (_r(1, 3, 2, 2, 1), _r(2, 2, 1, 1, 2)),
        None,
        "3d",
    ),
    Sample(
        "Conv2D",
        lambda x, w: c.depthwise_conv2d(x, w, [1] * 4, "SAME"),
        (_r(1, 3, 3, 2), _r(2, 2, 2, 2)),
        None,
        "depthwise",
    ),
    Sample(
        "Conv2D",
        lambda x, w: conv_p(x, w, geometry=LINE, groups=2),
        (_r(2, 5, 4), _r(2, 2, 4)),
        None,
        "groups",
    ),
    Sample(
        "Conv2DBackpropInput",
        lambda x, w: t.conv2d_transpose(x, w, [1, 4, 3, 2], 2),
        (_r(1, 2, 2, 1), _r(2, 3, 2, 1)),
    ),
    Sample(
        "Conv2DBackpropInput",
        lambda g, w: conv_input_p(g, w, geometry=LINE, groups=2),
        (_r(2, *LINE.out, 4), _r(2, 2, 4)),
        None,
        "groups",
    ),
    Sample(
        "Conv2DBackpropFilter",
        lambda x, g: conv_filter_p(x, g, geometry=LINE, groups=1),
        (_r(2, 5, 2), _r(2, *LINE.out, 2)),
    ),
    Sample(
        "Conv2DBackpropFilter",
        lambda x, g: conv_filter_p(x, g, geometry=LINE, groups=2),
        (_r(2, 5, 4), _r(2, *LINE.out, 4)),
        None,
        "groups",
    ),
    Sample("MaxPool", lambda x: p.max_pool(x, 2, 2, "SAME"), (_apart(2, 3, 3, 2),)),
    Sample(
        "MaxPool", lambda x: p.max_pool(x, [2, 3], 1, "VALID"), (_apart(1, 4, 4, 1),), None, "1"
    ),
    Sample(
        "MaxPoolGrad",
        lambda g: p.put_p(g, POOLED, geometry=LINE),
        (_r(2, *LINE.out, 2),),
    ),
    Sample(
        "MaxPoolGradGrad",
        lambda t: p.pick_p(t, POOLED, geometry=LINE),
        (_r(2, 5, 2),),
    ),
    Sample("PassBeside", lambda g, x: p.with_zero_derivative_p(g * g, x), (_r(2, 3), _r(2, 3))),
    Sample("AvgPool", lambda x: p.avg_pool(x, 2, 1, "SAME"), (_r(1, 3, 4, 2),)),
    Sample("AvgPoolGrad", lambda g: p.avg_pool_grad_p(g, geometry=LINE), (_r(1, *LINE.out, 2),)),
    Sample(
        "ExtractImagePatches",
        lambda x: patches.extract_patches(x, [1, 2, 2, 1], [1] * 4, [1] * 4, "SAME"),
        (_r(1, 3, 3, 2),),
    ),
    Sample(
        "ExtractImagePatchesGrad",
        lambda g: patches.unpatch_p(g, geometry=LINE),
        (_r(1, *LINE.out, 4),),
    ),
]
