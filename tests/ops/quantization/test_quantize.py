"""Quantized tensors; expected values are those of TensorFlow with TF_ENABLE_ONEDNN_OPTS=0."""

import pickle

import numpy as np
import pytest

import gradtape as tf

q = tf.quantization
X = [-1.0, 0.3, 2.5, 7.0]


@pytest.mark.parametrize(
    ("mode", "dtype", "narrow", "levels", "low", "read"),
    [
        ("MIN_COMBINED", tf.quint8, False, [36, 84, 164, 255], -2, 0.30588245),
        ("MIN_COMBINED", tf.qint8, False, [-92, -44, 36, 127], -2, 0.30588245),
        ("MIN_COMBINED", tf.qint16, False, [-23406, -11235, 9362, 32767], -2, 0.30000758),
        ("MIN_FIRST", tf.quint8, False, [37, 84, 164, 255], -2, 0.30196095),
        ("MIN_FIRST", tf.qint16, False, [-23406, -11235, 9361, 32767], -2, 0.3000381),
        (
            *("MIN_FIRST", tf.qint32, False),
            *([-1533916928, -736280064, 613566848, 2147483520], -2, 0.30000007),
        ),
        ("SCALED", tf.quint8, False, [0, 15, 128, 255], 0, 0.29411766),
        ("SCALED", tf.quint8, True, [1, 15, 128, 255], 0.019607844, 0.29411766),
        ("SCALED", tf.qint8, False, [-25, 8, 64, 127], -5.03937, 0.31496063),
        ("SCALED", tf.qint8, True, [-25, 8, 64, 127], -5, 0.31496063),
        ("SCALED", tf.quint16, False, [0, 3932, 32768, 65535], 0, 0.29999238),
    ],
)
def test_levels_and_numbers(mode, dtype, narrow, levels, low, read):
    got = q.quantize(X, -2.0, 5.0, dtype, mode=mode, narrow_range=narrow)
    assert got.output.dtype is dtype
    assert got.output.numpy().tolist() == levels
    np.testing.assert_allclose([got.output_min, got.output_max], [low, 5], rtol=1e-6)
    back = q.dequantize(*got, mode=mode, narrow_range=narrow)
    np.testing.assert_allclose(back[1], read, rtol=1e-6)


def test_each_slice_has_a_range():
    x = [[-1.0, 2, 3], [4, -5, 6]]
    for mode, expected in (
        ("MIN_COMBINED", [[-128, 63, 127], [81, -128, 127]]),
        ("SCALED", [[-42, 85, 127], [85, -106, 127]]),
    ):
        got = q.quantize(x, [-1.0, -5], [3.0, 6], tf.qint8, mode=mode, axis=-2)
        assert got.output.numpy().tolist() == expected
        back = q.dequantize(*got, mode=mode, axis=0)
        np.testing.assert_allclose(back, x, atol=0.05)


def test_ranges_hold_zero_and_are_not_empty():
    assert [float(v) for v in q.quantize([0.0], 1.0, 2.0, tf.quint8)[1:]] == [0, 2]
    assert [float(v) for v in q.quantize([0.0], -2.0, -1.0, tf.quint8)[1:]] == [-2, 0]
    np.testing.assert_allclose(q.quantize([0.0], 0.0, 0.0, tf.quint8)[2], 0.01)
    half = q.quantize([0.5, 1.5], -127.0, 127.0, tf.qint8, mode="SCALED")
    assert half.output.numpy().tolist() == [1, 2]
    half = q.quantize([0.5, 1.5], -127.0, 127.0, tf.qint8, "SCALED", "HALF_TO_EVEN")
    assert half.output.numpy().tolist() == [0, 2]


def test_joined():
    x = [[-1.0, 2, 3], [4, -5, 6]]
    a, b = q.quantize(x, -5.0, 6.0, tf.quint8), q.quantize(x, -1.0, 6.0, tf.quint8)
    got = q.quantized_concat(0, [a[0], b[0]], [a[1], b[1]], [a[2], b[2]])
    first, second = [[93, 162, 185], [209, 0, 255]], [[93, 162, 186], [209, 93, 255]]
    assert got.output.numpy().tolist() == [*first, *second]
    assert [float(got.output_min), float(got.output_max)] == [-5, 6]
    got = q.quantized_concat(1, [a[0], a[0]], [a[1], a[1]], [a[2], a[2]])
    assert got.output.numpy().tolist() == np.hstack([a.output.numpy()] * 2).tolist()
    with pytest.raises(tf.errors.InvalidArgumentError, match="at least minimum 2"):
        q.quantized_concat(0, [a[0]], [a[1]], [a[2]])


@pytest.mark.parametrize(
    ("kwargs", "words"),
    [
        ({"min_range": 3.0, "max_range": 1.0}, "must be larger"),
        ({"T": tf.int8}, "attr 'T' of int8"),
        ({"mode": "x"}, "attr 'mode'"),
        ({"round_mode": "x"}, "attr 'round_mode'"),
        ({"round_mode": "HALF_TO_EVEN"}, "only supported for mode 'SCALED'"),
        ({"axis": 1}, "zero-based"),
        ({"axis": -3}, "at least -1"),
        ({"axis": 0}, "must be a 1-D tensor"),
        ({"min_range": [1.0, 2.0]}, "single float element"),
    ],
)
def test_bad_arguments(kwargs, words):
    given = {"input": X, "min_range": -1.0, "max_range": 2.0, "T": tf.quint8} | kwargs
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        q.quantize(**given)


def test_what_cannot_be_read_or_differentiated():
    with pytest.raises(tf.errors.UnimplementedError, match="MIN_FIRST mode is not implemented"):
        q.quantize(X, [-1.0] * 4, [1.0] * 4, tf.qint8, mode="MIN_FIRST", axis=0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="attr 'T' of float"):
        q.dequantize(X, 0.0, 1.0)
    x = tf.Variable(X)
    with tf.GradientTape() as tape:
        y = q.dequantize(*q.quantize(x, -1.0, 1.0, tf.qint8))
    with pytest.raises(LookupError, match=r"QuantizeV2|Dequantize"):
        tape.gradient(y, x)


def test_quantized_tensors_are_tensors():
    x = q.quantize(X, -2.0, 5.0, tf.qint8).output
    assert repr(x) == (
        "<tf.Tensor: shape=(4,), dtype=qint8, numpy=array([-92, -44,  36, 127], dtype=int8)>"
    )
    assert str(x[0]) == "tf.Tensor(-92, shape=(), dtype=qint8)"
    assert str(pickle.loads(pickle.dumps(x))) == str(x)
    assert tf.constant([1, 2], tf.quint8).numpy().tolist() == [1, 2]
    assert tf.cast(x, tf.int32).numpy().tolist() == [-92, -44, 36, 127]
    assert tf.function(lambda t: tf.reshape(t, [2, 2]))(x).dtype is tf.qint8
    variable = tf.Variable(x)
    assert variable.numpy().tolist() == [-92, -44, 36, 127]


def test_in_graphs():
    @tf.function
    def there_and_back(x, end):
        return q.dequantize(*q.quantize(x, -end, end, tf.qint16))

    np.testing.assert_allclose(there_and_back(tf.constant(X), tf.constant([8.0])), X, atol=1e-3)


def test_levels_of_the_common_range_are_kept():
    levels = tf.bitcast(tf.constant([[0, 1, 2]], tf.uint8), tf.quint8)
    found = q.quantized_concat(0, [levels, levels], [-1.0, -2.0], [1.0, 2.0])
    assert tf.bitcast(found.output, tf.uint8).numpy().tolist() == [[64, 65, 65], [0, 1, 2]]
