"""Indexing, gathering, scattering, segments, sorting and loops over rows."""

from __future__ import annotations

import numpy as np

import gradtape as tf
from gradtape._src.ops.array import row_sums, slicing
from gradtape._src.ops.reduce import segment

from .base import Sample

_rng = np.random.default_rng(4)
X = _rng.standard_normal((3, 4, 2))
M = _rng.standard_normal((4, 3))
V = _rng.standard_normal((5,))
SLICE = _rng.standard_normal((2, 2))
IDS = np.array([2, 0, -1, 2])
PAIRS = np.array([[0, 1], [2, 3], [0, 1]])
UPDATES = _rng.standard_normal((3, 2))
DISTINCT = np.array([[2, 0], [0, 3], [1, 1]])
MASK = np.array([[True, False, True, False], [False] * 4, [True] * 4])


def _index(name, key):
    return Sample("StridedSlice", lambda x: x[key], (X,), lambda x: x[key], name)


def _unsorted(op, function, name="", x=M, second_order=True):
    return Sample(op, lambda x: function(x, IDS, 3), (x,), None, name, second_order)


def _sorted(op, function, name):
    return Sample(op, lambda x: function(x, [0, 0, 2, 2]), (M,), None, name)


def _scattered(x, updates, combine):
    out = x.copy()
    combine.at(out, tuple(PAIRS.T), updates)
    return out


def _changed(op, function, indices, reference, name=""):
    return Sample(op, lambda x, u: function(x, indices, u), (X, UPDATES), reference, name)


def _replaced(x, updates):
    out = x.copy()
    out[tuple(DISTINCT.T)] = updates
    return out


SAMPLES = [
    _index("integer", 1),
    _index("negative", -1),
    _index("two integers", (0, 2)),
    _index("all integers", (0, 2, 1)),
    _index("slices", np.s_[1:, ::2]),
    _index("backwards", np.s_[::-1, 3:0:-2]),
    _index("ellipsis", np.s_[..., 0]),
    _index("newaxis", np.s_[:, None, 1:3, ..., None]),
    Sample(
        "StridedSliceGrad",
        lambda g: slicing.scatter_slice_p(g, key=np.s_[::2, 1:3], shape=(3, 4)),
        (SLICE,),
    ),
    Sample("StridedSlice", lambda x: tf.slice(x, [0, 1, 0], [2, -1, 1]), (X,), None, "slice"),
    Sample("GatherV2", lambda x: tf.boolean_mask(x, MASK), (X,), lambda x: x[MASK], "mask"),
    Sample("GatherV2", lambda x: x[np.array([True, False, True])], (X,), None, "mask of rows"),
    Sample("GatherV2", lambda x: tf.gather(x, [[3, 0], [1, 1]], axis=1), (X,), None, "axis"),
    Sample(
        "GatherV2",
        lambda x: tf.gather(x, [[3, 0], [1, 1], [2, 0]], batch_dims=1),
        (X,),
        None,
        "batch_dims",
    ),
    Sample(
        "GatherV2",
        lambda x: tf.gather_nd(x, PAIRS),
        (X,),
        lambda x: x[tuple(PAIRS.T)],
        "gather_nd",
    ),
    Sample(
        "GatherV2",
        lambda x: tf.gather_nd(x, [[[3]], [[0]], [[1]]], batch_dims=1),
        (X,),
        None,
        "gather_nd batch_dims",
    ),
    Sample(
        "UnsortedSegmentSum",
        lambda u: tf.scatter_nd(PAIRS, u, [3, 4, 2]),
        (UPDATES,),
        None,
        "scatter_nd",
    ),
    _changed("TensorScatterUpdate", tf.tensor_scatter_nd_update, DISTINCT, _replaced),
    _changed(
        "UnsortedSegmentSum",
        tf.tensor_scatter_nd_add,
        PAIRS,
        lambda x, u: _scattered(x, u, np.add),
        "scatter add",
    ),
    _changed("UnsortedSegmentSum", tf.tensor_scatter_nd_sub, PAIRS, None, "scatter sub"),
    _changed(
        "TensorScatterMax",
        tf.tensor_scatter_nd_max,
        PAIRS,
        lambda x, u: _scattered(x, u, np.maximum),
    ),
    _changed("TensorScatterMin", tf.tensor_scatter_nd_min, PAIRS, None),
    Sample("GatherV2", lambda x: tf.dynamic_partition(x, [1, 0, 1, 1], 2), (M,), None, "partition"),
    Sample(
        "TensorScatterUpdate",
        lambda x: tf.dynamic_stitch([[3, 0], [1]], [x[:2], x[2:3]]),
        (M,),
        None,
        "stitch",
    ),
    Sample("GatherOrZero", lambda x: row_sums.rows_or_zero_p(x, IDS), (M,)),
    _unsorted("UnsortedSegmentSum", tf.math.unsorted_segment_sum, "segments"),
    _unsorted("UnsortedSegmentSum", tf.math.unsorted_segment_mean, "mean"),
    _unsorted("UnsortedSegmentSum", tf.math.unsorted_segment_sqrt_n, "sqrt_n"),
    _unsorted("UnsortedSegmentMax", tf.math.unsorted_segment_max),
    _unsorted("UnsortedSegmentMin", tf.math.unsorted_segment_min),
    _unsorted("UnsortedSegmentProd", tf.math.unsorted_segment_prod),
    Sample(
        "SegmentOthers",
        lambda x: segment.segment_others_p(x, np.array([0, 0, 1, 0]), n=2),
        (M,),
    ),
    _sorted("UnsortedSegmentSum", tf.math.segment_sum, "sorted"),
    _sorted("UnsortedSegmentSum", tf.math.segment_mean, "sorted mean"),
    _sorted("UnsortedSegmentMax", tf.math.segment_max, "sorted"),
    _sorted("UnsortedSegmentMin", tf.math.segment_min, "sorted"),
    _sorted("UnsortedSegmentProd", tf.math.segment_prod, "sorted"),
    Sample("GatherV2", lambda x: tf.sort(x, axis=1), (X,), lambda x: np.sort(x, 1), "sort"),
    Sample(
        "GatherV2",
        lambda x: tf.sort(x, direction="DESCENDING"),
        (V,),
        lambda x: np.sort(x)[::-1],
        "sort descending",
    ),
    Sample("GatherV2", lambda x: tf.math.top_k(x, 2).values, (M,), None, "top_k"),
    Sample("Pack", lambda x: tf.map_fn(lambda r: r * r, x), (M,), np.square, "map_fn"),
    Sample("Pack", lambda x: tf.scan(lambda a, r: a * r, x), (M,), None, "scan"),
    Sample("Mul", lambda x: tf.foldl(lambda a, r: a * r, x), (M,), lambda x: x.prod(0), "foldl"),
    Sample(
        "Mul",
        lambda x: tf.vectorized_map(lambda r: r[0] * r, x),
        (M,),
        lambda x: x[:, :1] * x,
        "vectorized_map",
    ),
]
