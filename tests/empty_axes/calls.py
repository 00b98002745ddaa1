"""Calls beside the table of samples: what has no derivative, loops, functions made of others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

_rng = np.random.default_rng(12)


def _r(*shape):
    return _rng.standard_normal(shape)


def _f(*shape):
    return _r(*shape).astype(np.float32)


def _i(top, *shape):
    return _rng.integers(0, top, shape).astype(np.int32)


@dataclass(frozen=True)
class Call:
    """A function of the module that plays TensorFlow, and inputs for it."""

    id: str
    function: Callable[..., Any]
    inputs: tuple[Any, ...]


@dataclass(frozen=True)
class BoundCall:
    """A call for one such module, with the attributes that a sample has."""

    id: str
    op: str
    call: Callable[..., Any]
    inputs: tuple[Any, ...]


def on(tf: Any, calls: Sequence[Call]) -> list[BoundCall]:
    """The calls for one module."""
    return [BoundCall(f"call {c.id}", c.id, partial(c.function, tf), c.inputs) for c in calls]


M, CUBE, LINE = _r(3, 4), _r(2, 3, 4), np.sort(_r(5))
SQUARE, IMAGE = _r(3, 3), _f(2, 5, 4, 3)
VOLUME = _f(1, 3, 3, 3, 2)
POSITIVE = np.abs(M) + 0.5
COUNTS = _i(4, 6)
WORDS = np.array([b"a", b"bc", b"d"], dtype=object)


def _taped_assign(tf, x):
    v = tf.Variable(x)
    v.assign_add(2.0 * x)
    return v * x


def _loop(tf, x):
    y, i = x, tf.constant(0)
    return tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, y * x), (i, y))[1]


def _array(tf, x):
    array = tf.TensorArray(x.dtype, size=0, dynamic_size=True, element_shape=x.shape[1:])
    return array.unstack(x).stack()


def _ragged(tf, x):
    return tf.RaggedTensor.from_row_splits(x, [0, 0, x.shape[0]])


CALLS = [
    # Loops over rows.
    Call("scan", lambda tf, x: tf.scan(lambda a, b: a + b * b, x), (M,)),
    Call("scan from", lambda tf, x: tf.scan(lambda a, b: a + b * b, x, np.ones(4)), (M,)),
    Call("scan backwards", lambda tf, x: tf.scan(lambda a, b: a * b, x, reverse=True), (M,)),
    Call(
        "scan of two",
        lambda tf, x, y: tf.scan(lambda a, b: (a[0] * b[0], a[1] + b[1]), (x, y)),
        (M, LINE[:3]),
    ),
    Call(
        "scan to a scalar",
        lambda tf, x: tf.scan(lambda a, b: a + tf.reduce_sum(b), x, tf.constant(0.0, x.dtype)),
        (M,),
    ),
    Call("foldl", lambda tf, x: tf.foldl(lambda a, b: a + b, x), (M,)),
    Call("foldl from", lambda tf, x: tf.foldl(lambda a, b: a + b * b, x, np.ones(4)), (M,)),
    Call("foldr from", lambda tf, x: tf.foldr(lambda a, b: a * b, x, np.ones(4)), (M,)),
    Call("map_fn", lambda tf, x: tf.map_fn(lambda row: row * row, x), (M,)),
    Call("map_fn to scalars", lambda tf, x: tf.map_fn(tf.reduce_sum, x), (M,)),
    Call(
        "map_fn with a signature",
        lambda tf, x: tf.map_fn(
            tf.reduce_sum, x, fn_output_signature=tf.TensorSpec((), tf.float64)
        ),
        (M,),
    ),
    Call("vectorized_map", lambda tf, x: tf.vectorized_map(lambda row: row * row[0], x), (M,)),
    Call("while_loop", _loop, (M,)),
    Call("TensorArray", _array, (M,)),
    Call("Variable", _taped_assign, (M,)),
    # Searching and sorting.
    Call("searchsorted", lambda tf, x, y: tf.searchsorted(x, y), (LINE, _r(3))),
    Call("searchsorted right", lambda tf, x, y: tf.searchsorted(x, y, "right"), (LINE, _r(3))),
    Call(
        "searchsorted rows",
        lambda tf, x, y: tf.searchsorted(x, y, out_type=tf.int64),
        (np.sort(_r(2, 5)), _r(2, 3)),
    ),
    Call("sort", lambda tf, x: tf.sort(x, 0), (M,)),
    Call("sort descending", lambda tf, x: tf.sort(x, direction="DESCENDING"), (M,)),
    Call("argsort", lambda tf, x: tf.argsort(x), (M,)),
    Call("argmax", lambda tf, x: tf.argmax(x, 0), (M,)),
    Call("argmin", lambda tf, x: tf.argmin(x, 1), (M,)),
    Call("top_k none", lambda tf, x: tf.math.top_k(x, 0), (M,)),
    Call("in_top_k", lambda tf, x: tf.math.in_top_k([0, 1, 2], tf.cast(x, "float32"), 1), (M,)),
    Call("unique", lambda tf, x: tf.unique(x), (COUNTS,)),
    Call("unique_with_counts", lambda tf, x: tf.unique_with_counts(x), (COUNTS,)),
    Call("where", lambda tf, x: tf.where(x > 0), (M,)),
    Call("boolean_mask", lambda tf, x: tf.boolean_mask(x, x > 0), (M,)),
    Call("boolean_mask rows", lambda tf, x: tf.boolean_mask(x, x[:, 0] > 0), (M,)),
    Call("setdiff", lambda tf, x, y: tf.sets.difference(x, y).values, (_i(4, 2, 3), _i(4, 2, 3))),
    Call(
        "invert_permutation",
        lambda tf, x: tf.math.invert_permutation(x),
        (np.arange(3, dtype=np.int64),),
    ),
    # Counting.
    Call("bincount", lambda tf, x: tf.math.bincount(x), (COUNTS,)),
    Call("bincount of 3", lambda tf, x: tf.math.bincount(x, minlength=3, maxlength=3), (COUNTS,)),
    Call("bincount rows", lambda tf, x: tf.math.bincount(x, axis=-1), (_i(4, 2, 3),)),
    Call("histogram", lambda tf, x: tf.histogram_fixed_width(x, [0.0, 1.0], 3), (_f(4),)),
    Call("confusion", lambda tf, x, y: tf.math.confusion_matrix(x, y), (_i(3, 4), _i(3, 4))),
    Call("count_nonzero", lambda tf, x: tf.math.count_nonzero(x, 0), (M,)),
    Call("zero_fraction", lambda tf, x: tf.nn.zero_fraction(x), (M,)),
    Call("one_hot", lambda tf, x: tf.one_hot(x, 3), (COUNTS,)),
    Call("one_hot none", lambda tf, x: tf.one_hot(x, 0), (COUNTS,)),
    Call("sequence_mask", lambda tf, x: tf.sequence_mask(x, 3), (COUNTS,)),
    Call("sequence_mask longest", lambda tf, x: tf.sequence_mask(x), (COUNTS,)),
    # Reductions of other kinds.
    Call("reduce_any", lambda tf, x: tf.reduce_any(x > 0, 0), (M,)),
    Call("reduce_all", lambda tf, x: tf.reduce_all(x > 0), (M,)),
    Call("reduce_sum int", lambda tf, x: tf.reduce_sum(x, 0), (_i(4, 3, 2),)),
    Call("reduce_mean int", lambda tf, x: tf.reduce_mean(x, 0), (_i(4, 3, 2),)),
    Call("reduce_max int", lambda tf, x: tf.reduce_max(x, 1), (_i(4, 3, 2),)),
    Call("reduce_min float32", lambda tf, x: tf.reduce_min(x), (_f(2, 3),)),
    Call("reduce_logsumexp float32", lambda tf, x: tf.reduce_logsumexp(x, 0), (_f(2, 3),)),
    Call("cumsum int", lambda tf, x: tf.cumsum(x), (_i(4, 3, 2),)),
    Call("moments", lambda tf, x: tf.nn.moments(x, [0]), (M,)),
    Call("moments of all", lambda tf, x: tf.nn.moments(x, [0, 1], keepdims=True), (M,)),
    Call("weighted_moments", lambda tf, x, w: tf.nn.weighted_moments(x, [0], w), (M, POSITIVE)),
    Call("weighted_moments rows", lambda tf, x, w: tf.nn.weighted_moments(x, 1, w), (M, POSITIVE)),
    Call("sufficient", lambda tf, x: tf.nn.sufficient_statistics(x, [0])[:3], (M,)),
    Call("normalize_moments", lambda tf, x, y: tf.nn.normalize_moments(2.0, x, y, None), (M, M)),
    Call("reduce_std", lambda tf, x: tf.math.reduce_std(x, 0), (M,)),
    Call("global_norm", lambda tf, x, y: tf.linalg.global_norm([x, y]), (M, CUBE)),
    Call("accumulate_n", lambda tf, x: tf.math.accumulate_n([x, x]), (M,)),
    Call("scalar_mul", lambda tf, x: tf.math.scalar_mul(2.0, x), (M,)),
    # Convolution and pooling.
    Call(
        "conv1d",
        lambda tf, x, w: tf.nn.conv1d(x, w, 1, "SAME"),
        (_f(2, 5, 3), _f(2, 3, 4)),
    ),
    Call("conv2d", lambda tf, x, w: tf.nn.conv2d(x, w, 1, "VALID"), (IMAGE, _f(2, 2, 3, 4))),
    Call(
        "conv2d strides",
        lambda tf, x, w: tf.nn.conv2d(x, w, 2, "SAME"),
        (IMAGE, _f(3, 2, 3, 4)),
    ),
    Call(
        "conv3d",
        lambda tf, x, w: tf.nn.conv3d(x, w, [1] * 5, "VALID"),
        (VOLUME, _f(2, 2, 2, 2, 3)),
    ),
    Call(
        "conv2d_transpose",
        lambda tf, x, w: tf.nn.conv2d_transpose(x, w, [x.shape[0], 5, 4, 2], 1, "SAME"),
        (IMAGE, _f(2, 2, 2, 3)),
    ),
    Call(
        "depthwise_conv2d",
        lambda tf, x, w: tf.nn.depthwise_conv2d(x, w, [1] * 4, "SAME"),
        (IMAGE, _f(2, 2, 3, 2)),
    ),
    Call(
        "separable_conv2d",
        lambda tf, x, w, p: tf.nn.separable_conv2d(x, w, p, [1] * 4, "VALID"),
        (IMAGE, _f(2, 2, 3, 2), _f(1, 1, 6, 4)),
    ),
    Call(
        "dilation2d",
        lambda tf, x, w: tf.nn.dilation2d(x, w, [1] * 4, "SAME", "NHWC", [1] * 4),
        (IMAGE, _f(2, 2, 3)),
    ),
    Call(
        "erosion2d",
        lambda tf, x, w: tf.nn.erosion2d(x, w, [1] * 4, "VALID", "NHWC", [1] * 4),
        (IMAGE, _f(2, 2, 3)),
    ),
    Call("max_pool1d", lambda tf, x: tf.nn.max_pool1d(x, 2, 1, "VALID"), (_f(2, 5, 3),)),
    Call("max_pool2d", lambda tf, x: tf.nn.max_pool2d(x, 2, 2, "VALID"), (IMAGE,)),
    Call("max_pool2d same", lambda tf, x: tf.nn.max_pool2d(x, 2, 1, "SAME"), (IMAGE,)),
    Call("max_pool3d", lambda tf, x: tf.nn.max_pool3d(x, 2, 1, "SAME"), (VOLUME,)),
    Call("avg_pool1d", lambda tf, x: tf.nn.avg_pool1d(x, 2, 1, "SAME"), (_f(2, 5, 3),)),
    Call("avg_pool2d", lambda tf, x: tf.nn.avg_pool2d(x, 2, 2, "VALID"), (IMAGE,)),
    Call("avg_pool3d", lambda tf, x: tf.nn.avg_pool3d(x, 2, 1, "SAME"), (VOLUME,)),
    Call("pool", lambda tf, x: tf.nn.pool(x, [2, 2], "MAX", padding="SAME"), (IMAGE,)),
    Call(
        "max_pool_with_argmax",
        lambda tf, x: tf.nn.max_pool_with_argmax(x, 2, 2, "SAME"),
        (IMAGE,),
    ),
    Call(
        "fractional_max_pool",
        lambda tf, x: tf.nn.fractional_max_pool(x, 1.5, seed=1)[0] * 0,
        (IMAGE,),
    ),
    Call(
        "patches",
        lambda tf, x: tf.image.extract_patches(x, [1, 2, 2, 1], [1] * 4, [1] * 4, "VALID"),
        (IMAGE,),
    ),
    Call("bias_add", lambda tf, x, b: tf.nn.bias_add(x, b), (IMAGE, _f(3))),
    Call("dropout", lambda tf, x: tf.nn.dropout(x, 0.0), (M,)),
    Call(
        "batch_normalization",
        lambda tf, x, m: tf.nn.batch_normalization(x, m, m * m, m, m, 1e-3),
        (M, _r(4)),
    ),
    Call("lrn", lambda tf, x: tf.nn.local_response_normalization(x), (IMAGE,)),
    # Images.
    Call("resize", lambda tf, x: tf.image.resize(x, [3, 3]), (IMAGE,)),
    Call("resize nearest", lambda tf, x: tf.image.resize(x, [3, 3], "nearest"), (IMAGE,)),
    Call("resize to nothing", lambda tf, x: tf.image.resize(x, [0, 3]), (IMAGE,)),
    Call("flip", lambda tf, x: tf.image.flip_left_right(x), (IMAGE,)),
    Call("rot90", lambda tf, x: tf.image.rot90(x), (IMAGE,)),
    Call("rgb_to_grayscale", lambda tf, x: tf.image.rgb_to_grayscale(x), (IMAGE,)),
    Call("rgb_to_hsv", lambda tf, x: tf.image.rgb_to_hsv(x), (IMAGE,)),
    Call("adjust_contrast", lambda tf, x: tf.image.adjust_contrast(x, 2.0), (IMAGE,)),
    Call("adjust_saturation", lambda tf, x: tf.image.adjust_saturation(x, 2.0), (IMAGE,)),
    Call("standardization", lambda tf, x: tf.image.per_image_standardization(x), (IMAGE,)),
    Call("total_variation", lambda tf, x: tf.image.total_variation(x), (IMAGE,)),
    Call(
        "crop_and_resize",
        lambda tf, x, b: tf.image.crop_and_resize(x, b, tf.zeros(b.shape[0], tf.int32), [2, 2]),
        (IMAGE, np.abs(_f(2, 4))),
    ),
    Call("psnr", lambda tf, x, y: tf.image.psnr(x, y, 1.0), (IMAGE, IMAGE + 1)),
    Call("crop", lambda tf, x: tf.image.central_crop(x, 0.5), (IMAGE,)),
    Call(
        "non_max_suppression",
        lambda tf, b, s: tf.image.non_max_suppression(b, s, 2),
        (np.abs(_f(3, 4)), _f(3)),
    ),
    # Matrices.
    Call("diag_part", lambda tf, x: tf.linalg.diag_part(x), (M,)),
    Call("diag_part of k", lambda tf, x: tf.linalg.diag_part(x, k=1), (M,)),
    Call("diag_part of several", lambda tf, x: tf.linalg.diag_part(x, k=(-1, 1)), (M,)),
    Call("tensor_diag_part", lambda tf, x: tf.linalg.tensor_diag_part(x), (SQUARE,)),
    Call("tensor_diag", lambda tf, x: tf.linalg.tensor_diag(x), (LINE,)),
    Call("diag", lambda tf, x: tf.linalg.diag(x), (M,)),
    Call("diag of k", lambda tf, x: tf.linalg.diag(x, k=1), (M,)),
    Call("set_diag", lambda tf, x, d: tf.linalg.set_diag(x, d), (M, _r(3))),
    Call("band_part", lambda tf, x: tf.linalg.band_part(x, 1, 0), (M,)),
    Call("trace", lambda tf, x: tf.linalg.trace(x), (CUBE,)),
    Call("logm", lambda tf, x: tf.linalg.logm(x), ((SQUARE @ SQUARE.T + np.eye(3)) * (1 + 0j),)),
    Call("expm", lambda tf, x: tf.linalg.expm(x), (SQUARE,)),
    Call("sqrtm", lambda tf, x: tf.linalg.sqrtm(x), (SQUARE @ SQUARE.T + np.eye(3),)),
    Call("inv", lambda tf, x: tf.linalg.inv(x), (SQUARE,)),
    Call("pinv", lambda tf, x: tf.linalg.pinv(x), (M,)),
    Call("det", lambda tf, x: tf.linalg.det(x), (SQUARE,)),
    Call("slogdet", lambda tf, x: tf.linalg.slogdet(x), (SQUARE,)),
    Call("logdet", lambda tf, x: tf.linalg.logdet(x), (SQUARE @ SQUARE.T,)),
    Call("cholesky", lambda tf, x: tf.linalg.cholesky(x), (SQUARE @ SQUARE.T + np.eye(3),)),
    Call("qr", lambda tf, x: tf.linalg.qr(x), (M.T,)),
    Call("svd", lambda tf, x: tf.linalg.svd(x), (M,)),
    Call("svd values", lambda tf, x: tf.linalg.svd(x, compute_uv=False), (M,)),
    Call("eigh", lambda tf, x: tf.linalg.eigh(x), (SQUARE + SQUARE.T,)),
    Call("eig", lambda tf, x: tf.linalg.eig(x), (SQUARE,)),
    Call("eigvals", lambda tf, x: tf.linalg.eigvals(x), (SQUARE,)),
    Call("lu", lambda tf, x: tf.linalg.lu(x), (SQUARE,)),
    Call("solve", lambda tf, x, y: tf.linalg.solve(x, y), (SQUARE, _r(3, 2))),
    Call("lstsq", lambda tf, x, y: tf.linalg.lstsq(x, y), (M.T, _r(4, 2))),
    Call("matrix_rank", lambda tf, x: tf.linalg.matrix_rank(x), (M,)),
    Call("cross", lambda tf, x, y: tf.linalg.cross(x, y), (SQUARE, SQUARE.T)),
    Call("norm nuclear", lambda tf, x: tf.norm(x, axis=[-2, -1]), (CUBE,)),
    Call("norm inf", lambda tf, x: tf.norm(x, np.inf, axis=0), (M,)),
    Call("norm 1", lambda tf, x: tf.norm(x, 1), (M,)),
    Call("normalize", lambda tf, x: tf.linalg.normalize(x, axis=0), (M,)),
    Call("einsum", lambda tf, x, y: tf.einsum("ij,jk->ik", x, y), (M, M.T)),
    Call("einsum trace", lambda tf, x: tf.einsum("ii->", x), (SQUARE,)),
    Call("tensordot", lambda tf, x, y: tf.tensordot(x, y, 1), (M, M.T)),
    Call("matmul", lambda tf, x, y: tf.matmul(x, y), (CUBE, M.T)),
    Call("matmul int", lambda tf, x, y: tf.matmul(x, y), (_i(3, 2, 3), _i(3, 3, 2))),
    Call("matvec", lambda tf, x, y: tf.linalg.matvec(x, y), (M, _r(4))),
    # Spectra and signals.
    Call("fft", lambda tf, x: tf.signal.fft(x), (M * (1 + 1j),)),
    Call("ifft", lambda tf, x: tf.signal.ifft(x), (M * (1 + 1j),)),
    Call("fft2d", lambda tf, x: tf.signal.fft2d(x), (CUBE * (1 + 1j),)),
    Call("rfft", lambda tf, x: tf.signal.rfft(x), (M,)),
    Call("rfft of 5", lambda tf, x: tf.signal.rfft(x, [5]), (M,)),
    Call("irfft", lambda tf, x: tf.signal.irfft(x), (M * (1 + 1j),)),
    Call("rfft2d", lambda tf, x: tf.signal.rfft2d(x), (CUBE,)),
    Call("dct", lambda tf, x: tf.signal.dct(x), (M,)),
    Call("frame", lambda tf, x: tf.signal.frame(x, 2, 1), (M,)),
    Call("stft", lambda tf, x: tf.signal.stft(x, 4, 2), (_r(2, 8),)),
    Call("overlap_and_add", lambda tf, x: tf.signal.overlap_and_add(x, 2), (CUBE,)),
    Call("fftshift", lambda tf, x: tf.signal.fftshift(x), (M,)),
    # Gathering and scattering.
    Call("gather", lambda tf, x, i: tf.gather(x, i), (M, _i(3, 2))),
    Call("gather axis 1", lambda tf, x, i: tf.gather(x, i, axis=1), (M, _i(3, 2, 2))),
    Call("gather rows", lambda tf, x, i: tf.gather(x, i, batch_dims=1), (M, _i(3, 3, 2))),
    Call("gather_nd", lambda tf, x, i: tf.gather_nd(x, i), (M, _i(3, 2, 2))),
    Call("scatter_nd", lambda tf, i, u: tf.scatter_nd(i, u, [3, 4]), (_i(3, 2, 1), _r(2, 4))),
    Call(
        "tensor_scatter_nd_update",
        lambda tf, x, i, u: tf.tensor_scatter_nd_update(x, i, u),
        (M, np.array([[0], [1]], np.int32), _r(2, 4)),
    ),
    Call(
        "tensor_scatter_nd_add",
        lambda tf, x, i, u: tf.tensor_scatter_nd_add(x, i, u),
        (M, _i(3, 2, 1), _r(2, 4)),
    ),
    Call("embedding", lambda tf, x, i: tf.nn.embedding_lookup(x, i), (M, _i(3, 2))),
    Call(
        "segment_sum",
        lambda tf, x, i: tf.math.segment_sum(x, i),
        (M, np.array([0, 0, 1], np.int32)),
    ),
    Call(
        "segment_max",
        lambda tf, x, i: tf.math.segment_max(x, i),
        (M, np.array([0, 0, 1], np.int32)),
    ),
    Call(
        "unsorted_segment_mean",
        lambda tf, x, i: tf.math.unsorted_segment_mean(x, i, 3),
        (M, _i(3, 3)),
    ),
    Call(
        "unsorted_segment_sum none",
        lambda tf, x, i: tf.math.unsorted_segment_sum(x, i, 0),
        (M, _i(3, 3)),
    ),
    Call(
        "unsorted_segment_max",
        lambda tf, x, i: tf.math.unsorted_segment_max(x, i, 3),
        (M, _i(3, 3)),
    ),
    Call(
        "dynamic_partition",
        lambda tf, x, i: tf.dynamic_partition(x, i, 2),
        (M, _i(2, 3)),
    ),
    Call(
        "dynamic_stitch",
        lambda tf, x, y: tf.dynamic_stitch([[0, 2, 1], [1]], [x, y]),
        (M, _r(1, 4)),
    ),
    # Shapes.
    Call("reshape", lambda tf, x: tf.reshape(x, [-1]), (M,)),
    Call("reshape rows", lambda tf, x: tf.reshape(x, [x.shape[0], -1]), (CUBE,)),
    Call("squeeze", lambda tf, x: tf.squeeze(x), (_r(1, 3, 1),)),
    Call("split", lambda tf, x: tf.split(x, 2, 1), (M,)),
    Call("split sizes", lambda tf, x: tf.split(x, [1, -1], 1), (M,)),
    Call("unstack", lambda tf, x: tf.unstack(x), (M,)),
    Call("stack", lambda tf, x: tf.stack([x, x], 1), (M,)),
    Call("concat", lambda tf, x, y: tf.concat([x, y], 0), (M, M)),
    Call("tile none", lambda tf, x: tf.tile(x, [0, 2]), (M,)),
    Call("repeat each", lambda tf, x: tf.repeat(x, [2, 0, 1], 0), (M,)),
    Call("broadcast_to", lambda tf, x: tf.broadcast_to(x, [2, *x.shape]), (M,)),
    Call("pad reflect", lambda tf, x: tf.pad(x, [[1, 1], [0, 0]], "REFLECT"), (M,)),
    Call("pad symmetric", lambda tf, x: tf.pad(x, [[1, 1], [0, 0]], "SYMMETRIC"), (M,)),
    Call("meshgrid", lambda tf, x, y: tf.meshgrid(x, y), (LINE, LINE[:2])),
    Call("roll", lambda tf, x: tf.roll(x, 1, 0), (M,)),
    Call("reverse_sequence", lambda tf, x: tf.reverse_sequence(x, [1, 2, 0], 1), (M,)),
    Call("space_to_depth", lambda tf, x: tf.nn.space_to_depth(x, 2), (_f(2, 4, 4, 2),)),
    Call("depth_to_space", lambda tf, x: tf.nn.depth_to_space(x, 2), (_f(2, 2, 2, 4),)),
    Call(
        "space_to_batch",
        lambda tf, x: tf.space_to_batch(x, [2, 2], [[0, 0], [0, 0]]),
        (_f(2, 4, 4, 2),),
    ),
    Call("index", lambda tf, x: x[0], (M,)),
    Call("index last", lambda tf, x: x[..., -1], (M,)),
    Call("slice", lambda tf, x: x[1:, ::-1], (M,)),
    Call("new axis", lambda tf, x: x[:, None, :2], (M,)),
    Call("linspace", lambda tf, x, y: tf.linspace(x, y, 3), (M, M + 1)),
    Call("linspace of 1", lambda tf, x: tf.linspace(x, x + 1.0, 1), (M,)),
    # Losses.
    Call("softmax", lambda tf, x: tf.nn.softmax(x), (M,)),
    Call("softmax axis 0", lambda tf, x: tf.nn.softmax(x, 0), (M,)),
    Call("log_softmax", lambda tf, x: tf.nn.log_softmax(x), (M,)),
    Call(
        "softmax_cross_entropy",
        lambda tf, x, y: tf.nn.softmax_cross_entropy_with_logits(x, y),
        (POSITIVE, M),
    ),
    Call(
        "sparse_softmax_cross_entropy",
        lambda tf, y, x: tf.nn.sparse_softmax_cross_entropy_with_logits(y, x),
        (_i(4, 3), M),
    ),
    Call("l2_loss", lambda tf, x: tf.nn.l2_loss(x), (M,)),
    Call("l2_normalize", lambda tf, x: tf.nn.l2_normalize(x, 0), (M,)),
    Call("clip_by_norm", lambda tf, x: tf.clip_by_norm(x, 1.0), (M,)),
    Call("clip_by_global_norm", lambda tf, x: tf.clip_by_global_norm([x], 1.0), (M,)),
    Call("average_loss", lambda tf, x: tf.nn.compute_average_loss(x), (_f(3),)),
    Call("log_poisson_loss", lambda tf, x, y: tf.nn.log_poisson_loss(x, y), (POSITIVE, M)),
    # Ragged and sparse.
    Call("ragged sum", lambda tf, x: tf.reduce_sum(_ragged(tf, x), 1), (M,)),
    Call("ragged mean", lambda tf, x: tf.reduce_mean(_ragged(tf, x), 1), (M,)),
    Call("ragged max", lambda tf, x: tf.reduce_max(_ragged(tf, x), 1), (M,)),
    Call("ragged to tensor", lambda tf, x: _ragged(tf, x).to_tensor(), (M,)),
    Call("sparse values", lambda tf, x: tf.sparse.from_dense(x).values, (M,)),
    Call("sparse indices", lambda tf, x: tf.sparse.from_dense(x).indices, (M,)),
    Call("sparse to dense", lambda tf, x: tf.sparse.to_dense(tf.sparse.from_dense(x)), (M,)),
    Call(
        "sparse matmul",
        lambda tf, x, y: tf.sparse.sparse_dense_matmul(tf.sparse.from_dense(x), y),
        (M, M.T),
    ),
    # Special functions, comparisons, strings.
    Call("lbeta", lambda tf, x: tf.math.lbeta(x), (POSITIVE,)),
    Call("polyval", lambda tf, x: tf.math.polyval([1.0, 2.0], tf.cast(x, tf.float32)), (M,)),
    Call("floordiv", lambda tf, x, y: x // y, (M, POSITIVE)),
    Call("mod int", lambda tf, x, y: x % y, (_i(4, 2, 3), _i(4, 2, 3) + 1)),
    Call("floordiv int", lambda tf, x, y: x // y, (_i(4, 2, 3), _i(4, 2, 3) + 1)),
    Call("equal", lambda tf, x, y: tf.equal(x, y), (M, M)),
    Call("logical_and", lambda tf, x, y: tf.logical_and(x > 0, y > 0), (M, M)),
    Call("bitwise", lambda tf, x, y: tf.bitwise.bitwise_and(x, y), (_i(4, 2, 3), _i(4, 3))),
    Call("cast", lambda tf, x: tf.cast(x, tf.int32), (M,)),
    Call("bitcast", lambda tf, x: tf.bitcast(x, tf.float32), (M,)),
    Call("as_string", lambda tf, x: tf.strings.as_string(x), (M,)),
    Call("strings join", lambda tf, x: tf.strings.join([x, x]), (WORDS,)),
    Call("strings length", lambda tf, x: tf.strings.length(x), (WORDS,)),
    Call("reduce_join", lambda tf, x: tf.strings.reduce_join(x), (WORDS,)),
    Call("to_number", lambda tf, x: tf.strings.to_number(tf.strings.as_string(x)), (M,)),
    Call("is_finite", lambda tf, x: tf.math.is_finite(x), (M,)),
    Call("assert_positive", lambda tf, x: tf.debugging.assert_positive(x) or x * x, (M,)),
    Call("check_numerics", lambda tf, x: tf.debugging.check_numerics(x, "x") * x, (M,)),
    Call("random normal", lambda tf, x: tf.random.normal(x.shape) * tf.cast(x, "float32"), (M,)),
    Call("categorical", lambda tf, x: tf.random.categorical(x, 2), (M,)),
    Call("categorical none", lambda tf, x: tf.random.categorical(x, 0) * 0, (M,)),
    Call("shuffle", lambda tf, x: tf.random.shuffle(x), (M,)),
    Call("stop_gradient", lambda tf, x: tf.stop_gradient(x) * x, (M,)),
    Call("cond", lambda tf, x: tf.cond(tf.size(x) > 0, lambda: x * x, lambda: x + x), (M,)),
    Call("ensure_shape", lambda tf, x: tf.ensure_shape(x, [None, None]), (M,)),
    Call("recompute", lambda tf, x: tf.recompute_grad(tf.sin)(x), (M,)),
]
