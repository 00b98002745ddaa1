"""Arithmetic on quantized tensors; the numbers are those of TensorFlow 2.21 without oneDNN."""

import numpy as np
import pytest

import gradtape as tf

R = tf.raw_ops
RNG = np.random.default_rng(0)


def drawn(dtype, *shape):
    kind = np.dtype(dtype.np_dtype[0])
    limits = np.iinfo(kind)
    levels = RNG.integers(limits.min, limits.max, shape, kind, endpoint=True)
    return tf.bitcast(tf.constant(levels), dtype)


def numbers(levels, low, high):
    return tf.quantization.dequantize(levels, low, high, mode="MIN_FIRST").numpy()


U, I = tf.quint8, tf.qint8
OF_X, OF_Y = (-1.3, 2.0), (-0.5, 0.75)
RANGES = {"min_x": -1.3, "max_x": 2.0, "min_y": -0.5, "max_y": 0.75}


def centred(x, of):
    levels = tf.bitcast(x, tf.uint8).numpy().astype(np.int64)
    zero = tf.quantization.quantize(0.0, *of, U, mode="MIN_FIRST").output
    return (levels - int(tf.bitcast(zero, tf.uint8))) * (of[1] - of[0]) / 255


def test_products():
    x, y = drawn(U, 4, 3), drawn(U, 3)
    found = R.QuantizedMul(x=x, y=y, **RANGES)
    assert found[0].dtype is tf.qint32
    levels = tf.bitcast(found[0], tf.int32).numpy() * (3.3 / 255) * (1.25 / 255)
    np.testing.assert_allclose(levels, centred(x, OF_X) * centred(y, OF_Y), atol=1e-6)


def turned(x):
    return tf.bitcast(tf.transpose(tf.bitcast(x, tf.uint8)), U)


@pytest.mark.parametrize(("flip_a", "flip_b"), [(False, False), (True, True)])
def test_products_of_matrices(flip_a, flip_b):
    x, y = drawn(U, 4, 3), drawn(U, 3, 5)
    a, b = centred(x, OF_X), centred(y, OF_Y)
    ranges = {"min_a": -1.3, "max_a": 2.0, "min_b": -0.5, "max_b": 0.75}
    given = {"a": turned(x) if flip_a else x, "b": turned(y) if flip_b else y, **ranges}
    found = R.QuantizedMatMul(**given, transpose_a=flip_a, transpose_b=flip_b)
    levels = tf.bitcast(found[0], tf.int32).numpy()
    np.testing.assert_allclose(levels * (3.3 / 255) * (1.25 / 255), a @ b, rtol=1e-6)
    assert float(found[2]) == -float(found[1])


@pytest.mark.parametrize(("padding", "stride", "spread"), [("SAME", 2, 1), ("VALID", 1, 2)])
def test_convolutions(padding, stride, spread):
    x, w = drawn(U, 2, 6, 7, 2), drawn(U, 3, 3, 2, 3)
    how = {
        "strides": [1, stride, stride, 1],
        "padding": padding,
        "dilations": [1, spread, spread, 1],
    }
    ranges = {"min_input": -1.3, "max_input": 2.0, "min_filter": -0.5, "max_filter": 0.75}
    found = R.QuantizedConv2D(input=x, filter=w, **ranges, **how)
    wanted = tf.nn.conv2d(
        centred(x, OF_X), centred(w, OF_Y), how["strides"], padding, dilations=spread
    )
    levels = tf.bitcast(found[0], tf.int32).numpy()
    np.testing.assert_allclose(levels * (3.3 / 255) * (1.25 / 255), wanted, atol=1e-6)
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be 1"):
        R.QuantizedConv2D(input=x, filter=w, **ranges, strides=[2, 1, 1, 1], padding=padding)


def test_a_sum_with_a_vector():
    given = np.array([[5, 250, 31], [7, 0, 255]], np.uint8), np.array([9, 128, 200], np.uint8)
    x, b = (tf.bitcast(tf.constant(v), U) for v in given)
    ranges = {"min_input": -1.0, "max_input": 2.0, "min_bias": -0.5, "max_bias": 0.6}
    found = R.QuantizedBiasAdd(input=x, bias=b, **ranges, out_type=tf.qint32)
    assert [float(v) for v in found[1:]] == [-262144, 262144]
    levels = tf.bitcast(found[0], tf.int32).numpy() * (2 * 262144 / 2**32)
    np.testing.assert_allclose(levels, numbers(x, -1.0, 2.0) + numbers(b, -0.5, 0.6), atol=1e-4)


def test_activations():
    levels = np.array([0, 40, 49, 50, 120, 195, 255], np.uint8)
    x = tf.bitcast(tf.constant(levels), U)
    given = {"features": x, "min_features": -2.0, "max_features": 8.5}
    low, low_of, high_of = R.QuantizedRelu(**given)
    assert tf.bitcast(low, tf.uint8).numpy().tolist() == [49, 49, 49, 50, 120, 195, 255]
    both = R.QuantizedRelu6(**given)[0]
    assert tf.bitcast(both, tf.uint8).numpy().tolist() == [49, 49, 49, 50, 120, 195, 195]
    assert (float(low_of), float(high_of)) == (-2, 8.5)


def test_pools():
    x = drawn(I, 1, 5, 5, 2)
    levels = tf.cast(tf.bitcast(x, tf.int8), tf.float32)
    for padding in ("SAME", "VALID"):
        how = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": padding}
        given = {"input": x, "min_input": -1.0, "max_input": 2.0, **how}
        largest, low, high = R.QuantizedMaxPool(**given)
        found = tf.bitcast(largest, tf.int8).numpy()
        assert found.tolist() == tf.nn.max_pool2d(levels, 2, 2, padding).numpy().tolist()
        assert (float(low), float(high)) == (-1, 2)
        mean = tf.bitcast(R.QuantizedAvgPool(**given)[0], tf.int8).numpy()
        assert mean.tolist() == np.trunc(tf.nn.avg_pool2d(levels, 2, 2, padding)).tolist()
    with pytest.raises(tf.errors.InvalidArgumentError, match="negative"):
        R.QuantizedMaxPool(**{**given, "ksize": [1, 9, 9, 1]})


def test_smaller_dtypes():
    levels = np.array([-4000000, 1500000, 4000000, 90000], np.int32)
    x = tf.bitcast(tf.constant(levels), tf.qint32)
    given = {"input": x, "input_min": -300.0, "input_max": 300.0}
    low, high = R.RequantizationRange(**given)
    np.testing.assert_allclose([low, high], [-0.558794, 0.558794], rtol=1e-4)
    for dtype in (U, I):
        eight = R.QuantizeDownAndShrinkRange(**given, out_type=dtype)
        np.testing.assert_allclose(numbers(*eight), levels * 300 / 2**31, atol=3e-3)
        ends = {"requested_output_min": low, "requested_output_max": high}
        again = R.Requantize(**given, **ends, out_type=dtype)
        assert tf.reduce_all(tf.bitcast(again[0], tf.uint8) == tf.bitcast(eight[0], tf.uint8))
        narrow = R.Requantize(
            **given, requested_output_min=-0.1, requested_output_max=0.1, out_type=dtype
        )
        limits = np.iinfo(np.dtype(dtype.np_dtype[0]))
        assert narrow[0].numpy().tolist()[0::2] == [limits.min, limits.max]


def test_other_shapes():
    x = drawn(U, 2, 3)
    found = R.QuantizedReshape(tensor=x, shape=[3, 2], input_min=-1.0, input_max=2.0)
    assert found[0].shape == [3, 2]
    assert (float(found[1]), float(found[2])) == (-1, 2)


def test_a_function_runs_them():
    @tf.function
    def run(x):
        return R.QuantizedRelu(features=x, min_features=-1.0, max_features=1.0)[0]

    x = drawn(U, 4)
    assert tf.bitcast(run(x), tf.uint8).numpy().min() >= 127
