"""Joining, splitting, turning and choosing ragged tensors; expected values are TensorFlow's."""

import numpy as np
import pytest

import gradtape as tf

ROWS = tf.ragged.constant([[3.0, 1, 4], [], [1, 5], [9]])
NESTED = tf.ragged.constant([[[1.0, 2], []], [], [[3, 4, 5], [6], [7]]])
UNIFORM = tf.ragged.constant([[[1.0, 2], [3, 4]], [], [[5, 6]]], ragged_rank=1)
PAIR = tf.ragged.constant([[1.0, 2], [3]])


def test_concat():
    assert tf.concat([PAIR, PAIR], 0).to_list() == [[1, 2], [3], [1, 2], [3]]
    assert tf.concat([PAIR, [[7.0], [8.0]]], -1).to_list() == [[1, 2, 7], [3, 8]]
    inner = tf.concat([NESTED, NESTED], 2)
    assert inner.to_list() == [[[1, 2, 1, 2], []], [], [[3, 4, 5, 3, 4, 5], [6, 6], [7, 7]]]
    assert tf.concat([UNIFORM, UNIFORM], 2).shape.as_list() == [3, None, 4]
    mixed = tf.concat([UNIFORM, NESTED], 0)
    assert (mixed.ragged_rank, mixed[:3].to_list()) == (2, UNIFORM.to_list())
    with pytest.raises(tf.errors.InvalidArgumentError, match="must have equally many rows"):
        tf.concat([ROWS, PAIR], 1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="identical ragged splits"):
        tf.concat([NESTED, NESTED[:, :1]], 2)
    with pytest.raises(ValueError, match="must have rank 2"):
        tf.concat([PAIR, NESTED], 0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="float64"):
        tf.concat([PAIR, tf.cast(PAIR, tf.float64)], 0)


def test_new_axes():
    assert tf.stack([PAIR, PAIR]).to_list() == [[[1, 2], [3]]] * 2
    assert tf.stack([PAIR, PAIR], 1).to_list() == [[[1, 2], [1, 2]], [[3], [3]]]
    assert tf.stack([PAIR, PAIR], -1).to_list() == [[[1, 1], [2, 2]], [[3, 3]]]
    shapes = [tf.expand_dims(ROWS, a).shape.as_list() for a in (0, 1, 2)]
    assert shapes == [[1, 4, None], [4, 1, None], [4, None, 1]]
    for axis in (0, 1, -1):
        assert tf.squeeze(tf.expand_dims(ROWS, axis), axis).to_list() == ROWS.to_list()
    with pytest.raises(tf.errors.InvalidArgumentError, match="not of length one"):
        tf.squeeze(ROWS, 0)
    with pytest.raises(ValueError, match="must have an axis"):
        tf.squeeze(PAIR)


def test_turning_and_repeating():
    assert tf.reverse(ROWS, [0, 1]).to_list() == [[9], [5, 1], [], [4, 1, 3]]
    assert tf.reverse(UNIFORM, [2]).to_list() == [[[2, 1], [4, 3]], [], [[6, 5]]]
    assert tf.tile(PAIR, [2, 2]).to_list() == [[1, 2, 1, 2], [3, 3]] * 2
    assert tf.tile(PAIR, [1, 0]).to_list() == [[], []]
    assert tf.tile(UNIFORM, [1, 1, 2]).shape.as_list() == [3, None, 4]
    with pytest.raises(TypeError, match="list of int"):
        tf.reverse(ROWS, 0)


def test_splitting():
    assert [p.to_list() for p in tf.split(ROWS, 2)] == [[[3, 1, 4], []], [[1, 5], [9]]]
    assert [p.nrows().numpy() for p in tf.split(ROWS, [1, 3])] == [1, 3]
    assert tf.split(UNIFORM, 2, -1)[1].to_list() == [[[2], [4]], [], [[6]]]
    with pytest.raises(ValueError, match="Cannot split a ragged dimension"):
        tf.split(ROWS, 2, 1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="can't be split"):
        tf.split(ROWS, 3)


def test_choosing():
    assert tf.where(ROWS > 2, ROWS, 0.0).to_list() == [[3, 0, 4], [], [0, 5], [9]]
    assert tf.where(PAIR > 1, [[7.0], [8.0]], PAIR).to_list() == [[1, 7], [8]]
    assert tf.where(NESTED > 4).numpy().tolist() == [[2, 0, 2], [2, 1, 0], [2, 2, 0]]
    assert tf.where(UNIFORM > 4).numpy().tolist() == [[2, 0, 0], [2, 0, 1]]
    dropped = tf.nn.dropout(tf.ones_like(ROWS), 0.5, seed=1)
    assert {v for row in dropped.to_list() for v in row} <= {0.0, 2.0}


@pytest.mark.parametrize("x", [ROWS, NESTED, UNIFORM])
def test_softmax(x):
    for axis in range(1, len(x.shape)):
        found = tf.nn.softmax(x, axis)
        sums = tf.reduce_sum(found, axis)
        sums = sums.flat_values if isinstance(sums, tf.RaggedTensor) else sums
        assert set(np.round(sums, 6).ravel()) <= {0, 1}
    np.testing.assert_allclose(tf.nn.softmax(ROWS)[2], tf.nn.softmax([1.0, 5]), rtol=1e-6)


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (lambda x: tf.concat([x, x], 1), [3, 5, 7, 14, 16, 21]),
        (lambda x: tf.stack([x, x * 2], 1), [6, 9, 12, 22, 25, 32]),
        (lambda x: tf.reverse(x, [1]), [2, 1, 0, 4, 3, 5]),
        (lambda x: tf.tile(x, [2, 2]), [30, 34, 38, 52, 56, 66]),
        (lambda x: tf.split(x, 2)[1], [0, 0, 0, 0, 1, 2]),
        (lambda x: tf.where(x > 2, x, x * x), [0, 2, 2, 6, 4, 5]),
        (tf.nn.softmax, [-0.3752028, -0.0156592, 0.390862, -0.0176627, 0.0176627, 0]),
    ],
)
def test_gradients(run, expected):
    with tf.GradientTape() as tape:
        tape.watch(ROWS)
        flat = run(ROWS).flat_values
        y = tf.reduce_sum(flat * np.arange(len(flat), dtype=np.float32))
    gradient = tape.gradient(y, ROWS)
    assert isinstance(gradient, tf.RaggedTensor)
    np.testing.assert_allclose(gradient.flat_values, expected, atol=1e-6)


def test_gather_along_rows():
    places = tf.ragged.constant([[0, 2], [], [1], [0]])
    assert tf.gather(ROWS, places, batch_dims=1).to_list() == [[3, 4], [], [5], [9]]
    table = tf.reshape(tf.range(12), [4, 3])
    assert tf.gather(table, places, batch_dims=1).to_list() == [[0, 2], [], [7], [9]]
    assert tf.gather(PAIR, [[1, 0], [0, 0]], batch_dims=1).numpy().tolist() == [[2, 1], [3, 3]]
    inner = tf.gather(NESTED[2:], [[0, 1]], batch_dims=1)
    assert inner.to_list() == [[[3, 4, 5], [6]]]
    assert tf.gather(PAIR, [0], axis=1).numpy().tolist() == [[1], [3]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="index 2 is out of range for row 1"):
        tf.gather(PAIR, tf.ragged.constant([[0], [2]]), batch_dims=1)


def test_broadcasting():
    found = NESTED + tf.reshape(tf.range(3.0), [3, 1, 1])
    assert found.to_list() == [[[1, 2], []], [], [[5, 6, 7], [8], [9]]]
    assert (UNIFORM * [1.0, 10.0])[0].numpy().tolist() == [[1, 20], [3, 40]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not broadcast"):
        ROWS + tf.ones([4, 3])
