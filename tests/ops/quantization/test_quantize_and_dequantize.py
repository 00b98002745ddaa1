"""Numbers rounded to levels; expected values are TensorFlow's."""

import numpy as np
import pytest

import gradtape as tf

q = tf.quantization
X = np.array([-3.0, -1.7, 0.3, 2.5, 7.0], np.float32)


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ({}, [-2.976378, -1.7086614, 0.27559054, 2.480315, 7]),
        ({"range_given": True}, [-2.992126, -1.6929134, 0.31496063, 2.519685, 5]),
        (
            {"range_given": True, "narrow_range": True, "num_bits": 4},
            [-2.857143, -1.4285715, 0, 2.857143, 5],
        ),
        ({"range_given": True, "signed_input": False}, [0, 0, 0.29411766, 2.509804, 5]),
        ({"round_mode": "HALF_UP", "num_bits": 3}, [-2.3333333, -2.3333333, 0, 2.3333333, 7]),
        ({"range_given": True, "num_bits": 1}, [-2, -2, 0, 0, 0]),
    ],
)
def test_levels(how, expected):
    for function in (q.quantize_and_dequantize, q.quantize_and_dequantize_v2):
        np.testing.assert_allclose(function(X, -2.0, 5.0, **how), expected, rtol=1e-6)


def test_gradients():
    x, low, high = tf.Variable(X), tf.Variable(-2.0), tf.Variable(5.0)
    with tf.GradientTape(persistent=True) as tape:
        old = q.quantize_and_dequantize(x, low, high, range_given=True)
        new = q.quantize_and_dequantize_v2(x, low, high, range_given=True)
    dx, dlow, dhigh = tape.gradient(old, [x, low, high])
    assert dx.numpy().tolist() == [1] * 5
    assert (dlow, dhigh) == (None, None)
    dx, dlow, dhigh = tape.gradient(new, [x, low, high])
    assert dx.numpy().tolist() == [0, 1, 1, 1, 0]
    assert (float(dlow), float(dhigh)) == (0, 0)


def test_each_slice_has_a_range():
    x = tf.Variable([[-1.0, 2, 3], [4, -5, 6]])
    with tf.GradientTape() as tape:
        y = q.quantize_and_dequantize_v2(x, [-1.0, -2.0], [3.0, 5.0], axis=-2)
    np.testing.assert_allclose(y[0], [-0.992126, 2.007874, 3], rtol=1e-6)
    np.testing.assert_allclose(y[1], [4.015748, -5.007874, 6], rtol=1e-6)
    assert tape.gradient(y, x).numpy().tolist() == [[1, 1, 1], [1, 0, 0]]
    with tf.GradientTape() as tape:
        y = q.quantize_and_dequantize_v2(x, [-1.0, -2.0], [3.0, 5.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="incorrect size, expected 3 was 2"):
        tape.gradient(y, x)


def test_raw_operations():
    three = tf.raw_ops.QuantizeAndDequantizeV3(
        input=X, input_min=-2.0, input_max=5.0, num_bits=tf.constant(8)
    )
    np.testing.assert_allclose(three[:2], [-2.992126, -1.6929134], rtol=1e-6)
    grads = tf.raw_ops.QuantizeAndDequantizeV4Grad(
        gradients=X, input=X, input_min=-2.0, input_max=5.0
    )
    np.testing.assert_allclose(grads.input_backprop, [0, -1.7, 0.3, 2.5, 0], rtol=1e-6)
    assert float(grads.input_min_backprop) == 0


@pytest.mark.parametrize("how", [{"num_bits": 0}, {"num_bits": 63}, {"round_mode": "X"}])
def test_bad_arguments(how):
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"num_bits is out|round_mode"):
        q.quantize_and_dequantize_v2(X, -1.0, 1.0, **how)


def test_bad_ranges():
    for low, high, words in ((3.0, 1.0, "Invalid range"), ([3.0], 4.0, "must be a scalar")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            q.quantize_and_dequantize_v2(X, low, high, range_given=True)
    with pytest.raises(tf.errors.InvalidArgumentError, match="at least rank 6"):
        q.quantize_and_dequantize_v2(X, 0.0, 1.0, axis=5)


def test_compiled():
    pytest.importorskip("jax")

    def rounded(x):
        given = q.quantize_and_dequantize_v2(x, -2.0, 5.0, range_given=True)
        return given, q.quantize_and_dequantize_v2(x, 0.0, 0.0, num_bits=4)

    x = tf.constant(X)
    for a, b in zip(rounded(x), tf.function(rounded, jit_compile=True)(x), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)


def test_a_negative_axis_counts_from_the_end_except_in_raw_operations():
    x = tf.constant([[-0.625, 0.875, 0.25], [2.0, 0.125, -2.0]])
    single = [[-0.62992126, 0.88188976, 0.2519685], [2.0, 0.12598425, -2.0]]
    columns = [[-0.62992126, 0.875, 0.25], [2.0, 0.12401575, -2.0]]
    for run in (q.quantize_and_dequantize, q.quantize_and_dequantize_v2):
        np.testing.assert_allclose(run(x, 0.0, 1.0), single, rtol=1e-6)
        np.testing.assert_allclose(run(x, 0.0, 1.0, axis=-1), columns, rtol=1e-6)
        np.testing.assert_allclose(run(x, 0.0, 1.0, axis=-2), run(x, 0.0, 1.0, axis=0))
        with pytest.raises(tf.errors.InvalidArgumentError, match="Axis must be at least -1"):
            run(x, 0.0, 1.0, axis=-3)
    for raw in (tf.raw_ops.QuantizeAndDequantizeV2, tf.raw_ops.QuantizeAndDequantizeV4):
        given = {"input": x, "input_min": 0.0, "input_max": 1.0}
        np.testing.assert_allclose(raw(**given, axis=-1), single, rtol=1e-6)
        np.testing.assert_allclose(raw(**given, axis=1), columns, rtol=1e-6)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Found -2"):
            raw(**given, axis=-2)
