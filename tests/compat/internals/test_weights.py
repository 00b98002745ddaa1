"""Weights that broadcast to values; expected values are TensorFlow's."""

import pytest

import gradtape as tf

broadcast = tf.__internal__.ops.broadcast_weights
VALUES = [[1.0, 2.0], [3.0, 4.0]]
BAD = [[1.0, 2.0], [[1.0, 2.0, 3.0]]]


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        (1.0, [[1.0, 1.0], [1.0, 1.0]]),
        ([[1.0, 2.0]], [[1.0, 2.0], [1.0, 2.0]]),
        ([[1.0], [2.0]], [[1.0, 1.0], [2.0, 2.0]]),
        ([[1, 2], [3, 4]], [[1.0, 2.0], [3.0, 4.0]]),
    ],
)
def test_weights_broadcast(weights, expected):
    assert broadcast(weights, VALUES).numpy().tolist() == expected
    compiled = tf.function(broadcast, input_signature=[tf.TensorSpec(None)] * 2)
    assert compiled(tf.cast(weights, tf.float32), VALUES).numpy().tolist() == expected


@pytest.mark.parametrize("weights", BAD)
def test_other_shapes_are_refused(weights):
    with pytest.raises(ValueError, match="weights can not be broadcast to values"):
        broadcast(weights, VALUES)


@pytest.mark.parametrize("weights", [[[1.0], [2.0]], BAD[1]])
def test_the_run_of_a_graph_tells_the_shapes(weights):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        by = v1.placeholder(tf.float32, [None, None])
        of = v1.placeholder(tf.float32, [None, None])
        out = broadcast(by, of)
        fed = {by: weights, of: VALUES}
        if weights in BAD:
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run(out, fed)
        else:
            assert session.run(out, fed).tolist() == [[1.0, 1.0], [2.0, 2.0]]


def test_weights_have_the_dtype_of_the_values():
    assert broadcast([[1]], [[1, 2]]).dtype == tf.int32
    with pytest.raises((TypeError, ValueError)):
        broadcast([1.5], [1, 2])
