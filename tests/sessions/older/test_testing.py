import os
from unittest import mock

import numpy as np
import pytest

import gradtape as tf
from gradtape.compat import v1


def test_the_gradient_is_compared_with_differences():
    with tf.Graph().as_default(), v1.Session():
        x, y = v1.placeholder(tf.float64, [2]), v1.placeholder(tf.float64, [])
        z = tf.sin(x) * y
        pairs = v1.test.compute_gradient([x, y], [[2], []], z, [2], [np.ones(2), np.array(2.0)])
        for ours, differences in pairs:
            np.testing.assert_allclose(ours, differences, atol=1e-6)
        np.testing.assert_allclose(pairs[0][0], np.diag(2 * np.cos([1, 1])))
        assert v1.test.compute_gradient_error([x, y], [[2], []], z, [2], delta=1e-4) < 1e-7


def test_a_wrong_gradient_is_found():
    @tf.custom_gradient
    def wrong(x):
        return x * x, lambda g: g * x

    with tf.Graph().as_default(), v1.Session():
        v, x = tf.Variable([1.0, 2.0]), tf.constant([1.0, 1.0])
        error = v1.test.compute_gradient_error(
            x, [2], wrong(x) * v / v, [2], np.ones(2), init_targets=[v.initializer]
        )
        assert error == pytest.approx(1.0, abs=1e-2)
        free = tf.constant([1.0])
        ours, _ = v1.test.compute_gradient(x, [2], free, [1], np.ones(2), extra_feed_dict={})
        assert not ours.any()


def test_a_session_is_needed():
    with tf.Graph().as_default(), pytest.raises(ValueError, match="no default session"):
        v1.test.compute_gradient(tf.constant(1.0), [], tf.constant(1.0), [])


def test_what_tests_use_besides():
    assert v1.test.mock is mock
    assert os.path.isdir(v1.test.get_temp_dir())  # noqa: PTH112
    assert v1.test.get_temp_dir() == v1.test.get_temp_dir()


def test_errors_have_numbers():
    by_code = v1.errors.exception_type_from_error_code
    by_class = v1.errors.error_code_from_exception_type
    for code in range(1, 17):
        assert by_class(by_code(code)) == code
    assert by_code(v1.errors.OUT_OF_RANGE) is tf.errors.OutOfRangeError
    assert by_class(ValueError) is None
