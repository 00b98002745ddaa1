"""Indices and slices at positions that only the run of a graph knows."""

import numpy as np
import pytest

import gradtape as tf

X = np.arange(24.0, dtype=np.float32).reshape(2, 3, 4)


@pytest.mark.parametrize(
    ("index", "shape"),
    [
        (lambda x, n: x[:n], [None, 3, 4]),
        (lambda x, n: x[n:], [None, 3, 4]),
        (lambda x, n: x[..., :n], [2, 3, None]),
        (lambda x, n: x[:, n:, 1], [2, None]),
        (lambda x, n: x[n, :n], [None, 4]),
        (lambda x, n: x[-1, tf.newaxis, n:, ::2], [1, None, 2]),
        (lambda x, n: x[:, ::n], [2, None, 4]),
        (lambda x, n: x[:, 1:, :n, None], [2, 2, None, 1]),
        (lambda x, n: x[n], [3, 4]),
    ],
)
@pytest.mark.parametrize("n", [1, -1])
def test_slices_by_tensors(index, shape, n):
    seen = []

    @tf.function
    def f(x, n):
        y = index(x, n)
        seen.append(y.shape.as_list())
        return y

    x = tf.constant(X)
    for _ in range(2):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x, tf.constant(n))
        assert np.array_equal(y, index(X, n))
        expected = np.zeros_like(X)
        index(expected, n)[...] = 1
        assert np.array_equal(tape.gradient(y, x), expected)
    assert seen == [shape]
    assert "as Python" not in f.explain()


def test_a_slice_of_a_variable_by_a_tensor():
    v = tf.Variable([1.0, 2.0, 3.0])
    f = tf.function(lambda n: v[:n])
    assert f(tf.constant(2)).numpy().tolist() == [1, 2]


def test_a_slice_in_a_loop():
    @tf.function
    def f(x):
        total = 0.0
        for i in tf.range(4):
            total += tf.reduce_sum(x[: i + 1])
        return total

    assert f(tf.constant([1.0, 2.0, 3.0, 4.0])).numpy() == 20
    assert "as Python" not in f.explain()


def test_a_compiler_that_has_no_such_lengths_says_so():
    pytest.importorskip("jax")
    f = tf.function(lambda x: x[: tf.cast(tf.reduce_sum(x), tf.int32)], jit_compile=True)
    with pytest.raises(Exception, match=r"shape|value"):
        f(tf.constant([1.0, 0.0]))
