"""Fake quantization and buckets; expected values are TensorFlow's."""

import numpy as np
import pytest

import gradtape as tf

quantization = tf.quantization
X = np.linspace(-7, 7, 9).astype(np.float32)
X64 = tf.constant(X, tf.float64)


def test_levels():
    y = quantization.fake_quant_with_min_max_args(X, -3, 5, 4, narrow_range=True)
    expected = [-2.857143] * 3 + [-1.7142859, 0, 1.7142859, 3.4285717, 5.1428576, 5.1428576]
    np.testing.assert_allclose(y, expected, rtol=1e-6)
    y = quantization.fake_quant_with_min_max_vars(X, 1.0, 5.0)
    np.testing.assert_allclose(y, [0] * 5 + [1.7568629, 3.4980395, 4, 4], rtol=1e-6)
    assert not quantization.fake_quant_with_min_max_vars(X, 0.0, 0.0).numpy().any()


def test_results_are_multiples_of_the_step():
    x = np.linspace(-6, 6, 200, dtype=np.float32)
    scale = np.float32(12) / np.float32(255)
    for y in (
        quantization.fake_quant_with_min_max_args(x),
        quantization.fake_quant_with_min_max_vars(x, -6.0, 6.0),
        quantization.fake_quant_with_min_max_vars_per_channel(x[:, None], [-6.0], [6.0])[:, 0],
    ):
        np.testing.assert_array_equal(y, np.rint(y / scale) * scale)
        assert np.abs(y - x).max() <= scale


def test_gradients_pass_between_the_ends_and_go_to_the_ends():
    low, high = tf.Variable(-3.0), tf.Variable(5.0)
    with tf.GradientTape() as tape:
        x = tf.constant(X)
        tape.watch(x)
        y = quantization.fake_quant_with_min_max_vars(x, low, high)
        loss = tf.reduce_sum(y * tf.range(9.0))
    dx, dlow, dhigh = tape.gradient(loss, [x, low, high])
    assert dx.numpy().tolist() == [0, 0, 0, 3, 4, 5, 6, 0, 0]
    assert (dlow.numpy(), dhigh.numpy()) == (3, 15)
    again = quantization.fake_quant_with_min_max_vars_gradient(np.ones(9, np.float32), X, -3.0, 5.0)
    assert [float(d) for d in again[1:]] == [3, 2]


def test_channels():
    rows, low, high = X.reshape(3, 3), [-3.0, -1, -2], [3.0, 4, 6]
    y = quantization.fake_quant_with_min_max_vars_per_channel(rows, low, high)
    np.testing.assert_allclose(y[0], [-3.0117648, -1, -2.0078433], rtol=1e-6)
    np.testing.assert_allclose(y[2], [2.9882352, 4, 5.992157], rtol=1e-6)
    with pytest.raises(tf.errors.InvalidArgumentError, match="incorrect size, expected 3 was 2"):
        quantization.fake_quant_with_min_max_vars_per_channel(rows, low[:2], high)


def test_bad_ends():
    with pytest.raises(tf.errors.InvalidArgumentError, match="num_bits must be between"):
        quantization.fake_quant_with_min_max_vars(X, -3.0, 5.0, 1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="min has to be smaller"):
        quantization.fake_quant_with_min_max_args(X, 3, 2)


@pytest.mark.parametrize(
    ("raised", "arguments"),
    [
        (ValueError, (X64,)),
        (tf.errors.InvalidArgumentError, (X64, -6.0, 6.0)),
        (TypeError, (X, tf.constant(-6.0))),
        (TypeError, (X, -6, np.ones(1))),
        (TypeError, (X, -6, 6, tf.constant([8]))),
        (TypeError, (X, -6, 6, 8, "yes")),
        (TypeError, (["a"],)),
    ],
)
def test_wrong_arguments(raised, arguments):
    with pytest.raises((ValueError, TypeError, tf.errors.InvalidArgumentError)) as caught:
        quantization.fake_quant_with_min_max_args(*arguments)
    assert caught.type.__name__ == raised.__name__


def test_none_stands_for_a_default():
    kept = quantization.fake_quant_with_min_max_args(X, None, None, None, None)
    np.testing.assert_array_equal(kept, quantization.fake_quant_with_min_max_args(X))


def test_gradients_have_the_shape_of_the_inputs():
    one, three = tf.ones(1), tf.ones(3)
    for call in (
        lambda: quantization.fake_quant_with_min_max_args_gradient(one, three),
        lambda: quantization.fake_quant_with_min_max_vars_gradient(three, one, 0.0, 1.0),
        lambda: quantization.fake_quant_with_min_max_vars_per_channel_gradient(
            one, three, tf.zeros(3), three
        ),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match="must be the same size"):
            call()


def test_gradients_have_no_gradient():
    x = tf.constant([-7.0, 0.5, 8.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = quantization.fake_quant_with_min_max_vars(x, -6.0, 6.0) ** 2
        dx = tape.gradient(y, x)
    assert dx[1] != 0
    assert outer.gradient(dx, x) is None
    for part in range(3):
        with tf.GradientTape() as tape:
            tape.watch(x)
            parts = quantization.fake_quant_with_min_max_vars_gradient(x, x, -6.0, 6.0)
        assert tape.gradient(parts[part], x) is None


def test_buckets():
    buckets = tf.raw_ops.Bucketize(input=[-1.0, 0, 0.5, 3, np.nan], boundaries=[0.0, 0.5, 2])
    assert buckets.numpy().tolist() == [0, 1, 2, 3, 3]
    with pytest.raises(tf.errors.InvalidArgumentError, match="sorted boundaries"):
        tf.raw_ops.Bucketize(input=[1.0], boundaries=[3.0, 2])


def test_distinct_slices():
    x = [[3, 1, 3, 2], [1, 1, 1, 1], [3, 1, 3, 2]]
    y, idx, number = tf.raw_ops.UniqueWithCountsV2(x=x, axis=[0])
    assert y.numpy().tolist() == x[:2]
    assert (idx.numpy().tolist(), number.numpy().tolist()) == ([0, 1, 0], [2, 1])
    y, idx = tf.raw_ops.UniqueV2(x=x, axis=[1], out_idx=tf.int64)
    assert y.numpy().tolist() == [[3, 1, 2], [1, 1, 1], [3, 1, 2]]
    assert idx.dtype == tf.int64
    assert tf.raw_ops.UniqueV2(x=np.empty((0, 3)), axis=[0])[0].shape == (0, 3)
    with pytest.raises(tf.errors.InvalidArgumentError, match="axis has to be between"):
        tf.raw_ops.UniqueV2(x=x, axis=[2])


def test_compiled():
    pytest.importorskip("jax")

    def gradients(x, low, high):
        with tf.GradientTape() as tape:
            tape.watch([x, low, high])
            y = quantization.fake_quant_with_min_max_vars(x, low, high)
        return y, *tape.gradient(y, [x, low, high])

    given = [tf.constant(X), tf.constant(-3.0), tf.constant(5.0)]
    for a, b in zip(
        gradients(*given), tf.function(gradients, jit_compile=True)(*given), strict=True
    ):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
