"""Arrays in loops whose elements differ in length."""

import numpy as np
import pytest

import gradtape as tf


def _joined(n, size, dynamic):
    array = tf.TensorArray(tf.float32, size=size, dynamic_size=dynamic, infer_shape=False)
    for i in tf.range(n):
        array = array.write((i * 2) % n, tf.ones([i + 1, 2]) * tf.cast(i, tf.float32))
    return array.concat(), array.read(n - 1), array.size()


@pytest.mark.parametrize("dynamic", [False, True])
def test_elements_are_those_of_the_loop_in_python(dynamic):
    f = tf.function(_joined)
    for n in (5, 3, 1):
        size = 0 if dynamic else 5
        found = f(tf.constant(n), size, dynamic)
        array = tf.TensorArray(tf.float32, size, dynamic, infer_shape=False)
        for i in range(n):
            array = array.write((i * 2) % n, tf.ones([i + 1, 2]) * i)
        elements = [array.read(i) for i in range(n)]
        assert found[0].numpy().tolist() == np.concatenate(elements).tolist()
        assert found[1].numpy().tolist() == elements[-1].numpy().tolist()
        assert found[2].numpy() == array.size().numpy()
    assert f.experimental_get_tracing_count() == 1
    assert "ran as Python" not in f.explain()


def test_an_element_may_be_written_again():
    @tf.function
    def f(n):
        array = tf.TensorArray(tf.int32, size=2, infer_shape=False)
        for i in tf.range(n):
            array = array.write(0, tf.range(i)).write(1, tf.range(3 - i))
        return array.concat()

    assert f(tf.constant(3)).numpy().tolist() == [0, 1, 0]
    assert f(tf.constant(1)).numpy().tolist() == [0, 1, 2]


def test_elements_of_one_length_are_stacked():
    @tf.function
    def f(n, m):
        array = tf.TensorArray(tf.int32, size=n, infer_shape=False)
        for i in tf.range(n):
            array = array.write(i, tf.range(m) + i)
        return array.stack()

    assert f(tf.constant(2), tf.constant(3)).numpy().tolist() == [[0, 1, 2], [1, 2, 3]]
    assert f(tf.constant(3), tf.constant(1)).numpy().tolist() == [[0], [1], [2]]


def test_elements_that_differ_in_other_axes_run_as_python():
    @tf.function
    def f(n):
        array = tf.TensorArray(tf.float32, size=n, infer_shape=False)
        for i in tf.range(n):
            array = array.write(i, tf.ones([i + 1, i + 1]))
        return tf.shape(array.read(n - 1))

    assert f(tf.constant(3)).numpy().tolist() == [3, 3]
    assert "ran as Python" in f.explain()


def test_elements_of_equal_length_are_gathered():
    @tf.function
    def f(n, places):
        array = tf.TensorArray(tf.float32, size=3, infer_shape=False)
        for i in tf.range(3):
            array = array.write(i, tf.ones([i % n + 1]) * tf.cast(i, tf.float32))
        return array.gather(places)

    assert f(tf.constant(1), tf.constant([2, 0])).numpy().tolist() == [[2], [0]]
