"""Small raw operations; answers are TensorFlow's."""

import numpy as np
import pytest

import gradtape as tf

R = tf.raw_ops
NONE = tf.constant([], tf.int32)
INVALID = tf.errors.InvalidArgumentError


def rows(x):
    return x.numpy().tolist()


def test_axes_in_another_format():
    assert rows(R.DataFormatDimMap(x=[0, 1, 2, 3, -1, -4])) == [0, 2, 3, 1, 1, 0]
    found = R.DataFormatDimMap(x=[0, 1, 4], src_format="NDHWC", dst_format="NCDHW")
    assert rows(found) == [0, 2, 1]
    with pytest.raises(INVALID, match="must determine a permutation"):
        R.DataFormatDimMap(x=[0], src_format="abcd")


def test_numbers_in_the_order_of_another_format():
    assert rows(R.DataFormatVecPermute(x=[7, 4, 9, 3])) == [7, 3, 4, 9]
    assert rows(R.DataFormatVecPermute(x=[4, 9])) == [4, 9]
    pairs = R.DataFormatVecPermute(
        x=[[1, 2], [3, 4], [5, 6], [7, 8]], src_format="NCHW", dst_format="NHWC"
    )
    assert rows(pairs) == [[1, 2], [5, 6], [7, 8], [3, 4]]
    for x, source in (([4, 9, 1], "NHWC"), ([4, 9, 1, 2], "abcd")):
        with pytest.raises(INVALID):
            R.DataFormatVecPermute(x=x, src_format=source)
    compiled = tf.function(lambda x: R.DataFormatVecPermute(x=x))
    assert rows(compiled(tf.constant([7, 4, 9, 3]))) == [7, 3, 4, 9]


def test_updates_of_copies():
    x = tf.zeros([4, 2])
    assert rows(R.InplaceUpdate(x=x, i=[1, 3], v=[[1.0, 2], [3, 4]]))[3] == [3, 4]
    assert rows(R.InplaceAdd(x=x, i=[1, 1], v=[[1.0, 2], [3, 4]]))[1] == [4, 6]
    assert rows(R.InplaceSub(x=x, i=[0], v=[[1.0, 2]]))[0] == [-1, -2]
    assert rows(R.InplaceUpdate(x=x, i=[-1], v=[[7.0, 8]])) == rows(
        R.InplaceUpdate(x=x, i=[2 * len(x) - 1], v=[[7.0, 8]])
    )
    assert rows(R.InplaceUpdate(x=x, i=[-1], v=[[7.0, 8]]))[-1] == [7, 8]
    found = R.ScatterNdNonAliasingAdd(input=[1.0, 1], indices=[[1], [1]], updates=[1.0, 2])
    assert rows(found) == [1, 4]


def test_updates_of_slices():
    x = np.arange(20.0).reshape(4, 5)
    for key, masks, given in (
        ((slice(1, 3), slice(0, 5, 2)), {}, ([1, 0], [3, 5], [1, 2])),
        ((slice(0, 4, 2), slice(-1, 0, -2)), {}, ([0, -1], [4, 0], [2, -2])),
        (1, {"shrink_axis_mask": 1}, ([1], [2], [1])),
    ):
        expected = x.copy()
        value = -np.arange(expected[key].size, dtype=float).reshape(expected[key].shape)
        expected[key] = value
        begin, end, strides = given
        found = R.TensorStridedSliceUpdate(
            input=x, begin=begin, end=end, strides=strides, value=value, **masks
        )
        np.testing.assert_array_equal(found, expected)
    variable = tf.Variable(x)
    with tf.GradientTape() as tape:
        y = R.TensorStridedSliceUpdate(input=variable, begin=[1], end=[3], strides=[1], value=0.0)
    assert rows(tape.gradient(y, variable))[1:] == [[0] * 5, [0] * 5, [1] * 5]


def test_counts():
    ragged = {"splits": [0, 2, 2, 5], "values": [1, 1, 0, 2, 9], "size": 4}
    counted = [[0, 2, 0, 0], [0, 0, 0, 0], [1, 0, 1, 0]]
    assert rows(R.RaggedBincount(**ragged, weights=NONE)) == counted
    assert rows(R.RaggedBincount(**ragged, weights=[1.0, 2, 3, 4, 5]))[0] == [0, 3, 0, 0]
    assert rows(R.RaggedBincount(**ragged, weights=NONE, binary_output=True))[0] == [0, 1, 0, 0]
    sparse = {"indices": [[0, 0], [0, 1], [2, 0]], "values": [1, 1, 3], "dense_shape": [3, 2]}
    found = R.SparseBincount(**sparse, size=4, weights=NONE)
    assert rows(found) == [[0, 2, 0, 0], [0] * 4, [0, 0, 0, 1]]
    flat = R.SparseBincount(
        indices=[[0], [1]], values=[1, 1], dense_shape=[4], size=4, weights=NONE
    )
    assert rows(flat) == [0, 2, 0, 0]
    assert rows(R.Bincount(arr=[1, 1, 5], size=4, weights=[1.0, 2, 3])) == [0, 3, 0, 0]
    with pytest.raises(INVALID, match="non-negative"):
        R.Bincount(arr=[-1], size=4, weights=NONE)


def test_sums_shapes_and_comparisons():
    assert rows(R.BroadcastArgs(s0=[2, 1], s1=[1, 3])) == [2, 3]
    assert rows(R.ApproximateEqual(x=[1.0, 2], y=[1.000001, 3])) == [True, False]
    assert rows(R.AccumulateNV2(inputs=[[1.0], [2.0], [4.0]], shape=[1])) == [7]
    ids = {"data": [1.0, 2, 4], "segment_ids": [0, 0, 2], "num_segments": 4}
    assert rows(R.SegmentSumV2(**ids)) == [3, 0, 4, 0]
    assert rows(R.SegmentProdV2(**ids)) == [2, 1, 4, 1]


NOTHING = tf.zeros(0)


@pytest.mark.parametrize("size", [-1, [2], [[2]]])
def test_numbers_of_bins_are_scalars(size):
    for call in (
        lambda: tf.raw_ops.Bincount(arr=[1, 2], size=size, weights=NOTHING),
        lambda: tf.raw_ops.DenseBincount(input=[1, 2], size=size, weights=NOTHING),
        lambda: tf.raw_ops.RaggedBincount(splits=[0, 2], values=[1, 2], size=size, weights=NOTHING),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError):
            call()


def test_as_many_weights_as_integers():
    with pytest.raises(tf.errors.InvalidArgumentError, match="must have the same size"):
        tf.raw_ops.Bincount(arr=[1, 2], size=3, weights=tf.ones(3))


@pytest.mark.parametrize("splits", [[], [1, 2], [0, 1], [0, 3]])
def test_splits_of_all_values(splits):
    with pytest.raises(tf.errors.InvalidArgumentError, match="Splits must"):
        tf.raw_ops.RaggedBincount(splits=splits, values=[1, 2], size=3, weights=NOTHING)


def test_eigenvalues_without_vectors():
    x = tf.constant([[2.0, 0.0], [0.0, 3.0]])
    found = R.SelfAdjointEigV2(input=x, compute_v=False)
    assert found.e.numpy().tolist() == [2, 3]
    assert (found.v.shape, found.v.dtype) == ([], tf.float32)
    assert R.SelfAdjointEigV2(input=x).v.shape == [2, 2]
    found = R.Eig(input=x, Tout=tf.complex64, compute_v=False)
    assert sorted(found.e.numpy().tolist(), key=abs) == [2, 3]
    assert (found.v.shape, found.v.dtype) == ([], tf.complex64)
    values, vectors = R.Eig(input=x, Tout=tf.complex64)
    np.testing.assert_allclose(x @ vectors.numpy().real, (vectors * values).numpy().real)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid output dtype 18 vs 8"):
        R.Eig(input=x, Tout=tf.complex128)
