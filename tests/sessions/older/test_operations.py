import numpy as np
import pytest

import gradtape as tf
from gradtape.compat import v1


@pytest.mark.parametrize("name", ["float", "double", "int32", "int64"])
def test_conversions(name):
    wanted = {"float": "float32", "double": "float64"}.get(name, name)
    assert getattr(v1, f"to_{name}")([1, 2]).dtype == wanted


def test_arguments_of_two_names():
    x = tf.ones([1, 3])
    assert v1.expand_dims(x, dim=0).shape == v1.expand_dims(x, 0).shape == (1, 1, 3)
    assert v1.squeeze(x, squeeze_dims=[0]).shape == v1.squeeze(x).shape == (3,)
    with pytest.raises(ValueError, match="both"):
        v1.squeeze(x, 0, squeeze_dims=[0])


def test_random_numbers():
    v1.set_random_seed(1)
    found = [v1.random_uniform([50], seed=1), v1.random_normal([50]), v1.truncated_normal([50])]
    assert float(tf.reduce_max(found[0])) < 1
    assert float(tf.reduce_max(abs(found[2]))) <= 2
    assert v1.random_uniform([2], 3, 5, tf.int32).dtype == tf.int32
    v1.set_random_seed(None)


def test_dropout():
    x = tf.ones([100])
    assert float(tf.reduce_sum(v1.nn.dropout(x, keep_prob=1.0))) == 100.0
    assert set(v1.nn.dropout(x, rate=0.5).numpy().tolist()) == {0.0, 2.0}
    with pytest.raises(ValueError, match="rate"):
        v1.nn.dropout(x)


def test_choices_and_loops():
    assert v1.cond(tf.constant(True), fn1=lambda: 1, fn2=lambda: 2) == 1
    assert int(v1.while_loop(lambda i: i < 5, lambda i: i + 1, [tf.constant(0)])) == 5
    assert [int(v1.div(7, 2)), float(v1.div(7.0, 2.0))] == [3, 3.5]


def test_hessians_and_sparse_placeholders():
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float64, [2])
        (second,) = tf.hessians(x[0] ** 2 * x[1], x)
        np.testing.assert_array_equal(session.run(second, {x: [1, 3]}), [[6, 2], [2, 0]])
        (none,) = tf.hessians(tf.reduce_sum(x * 2.0), [x])
        np.testing.assert_array_equal(session.run(none, {x: [1, 3]}), np.zeros((2, 2)))
        sparse = v1.sparse_placeholder(tf.float32, [None, 3], name="s")
        value = v1.SparseTensorValue([[0, 1]], [5.0], [2, 3])
        np.testing.assert_array_equal(session.run(sparse.values * 2.0, {sparse: value}), [10.0])
        free = v1.sparse_placeholder(tf.float32)
        assert free.shape.rank is None
        dense = tf.sparse.to_dense(free)
        for shape in ([2, 3], [2]):
            value = v1.SparseTensorValue([[0] * len(shape)], [5.0], shape)
            found = session.run(dense, {free: value})
            assert found.shape == tuple(shape)
            assert found.sum() == 5.0


def test_the_seeds_of_an_operation():
    with tf.Graph().as_default():
        assert v1.get_seed(None) == (None, None)
        assert v1.get_seed(3) == (87654321, 3)
        v1.set_random_seed(5)
        assert v1.get_seed(None) == (5, 0)
        tf.constant(1)
        assert v1.random.get_seed(None) == (5, 1)
        assert v1.get_seed(2**31) == (5, 1)
        v1.set_random_seed(0)
        assert v1.get_seed(0) == (0, 2**31 - 1)


def test_names_of_dtypes():
    assert v1.to_bfloat16([1.0]).dtype == tf.bfloat16
    assert v1.to_complex128([1.0]).dtype == tf.complex128
