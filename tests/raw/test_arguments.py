"""The arguments of raw operations are what their definitions say."""

import numpy as np
import pytest

import gradtape as tf

X = tf.constant([[1.0, 2.0], [3.0, 4.0]])
IMAGE = tf.ones((1, 4, 4, 1))
POOL = {"value": IMAGE, "ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "SAME"}
INVALID = tf.errors.InvalidArgumentError


@pytest.mark.parametrize("value", ["nonsense", b"x", 2, 2.5, [1, 2], tf.float32, tf.constant(2)])
def test_flags_are_booleans(value):
    with pytest.raises(TypeError, match="Expected bool for argument 'exclusive' not"):
        tf.raw_ops.Cumsum(x=X, axis=0, exclusive=value)


@pytest.mark.parametrize("value", [None, "2", b"x", [1, 2], tf.constant([1.0])])
def test_numbers_of_things_are_integers(value):
    with pytest.raises(TypeError, match="Expected int for argument 'num' not"):
        tf.raw_ops.Unpack(value=X, num=value)


@pytest.mark.parametrize("value", [2, 2.5, tf.constant(2), np.int64(2)])
def test_values_that_convert_to_integers(value):
    assert len(tf.raw_ops.Unpack(value=X, num=value)) == 2


@pytest.mark.parametrize("value", ["2", [1.0, 2.0], tf.constant(2.0), np.ones(2)])
def test_factors_are_numbers(value):
    with pytest.raises(TypeError, match="Expected float for argument 'alpha' not"):
        tf.raw_ops.LeakyRelu(features=X, alpha=value)


@pytest.mark.parametrize("value", [None, 2, [1, 2], tf.float32])
def test_words_are_strings(value):
    with pytest.raises(TypeError, match="Expected string for argument 'padding' not"):
        tf.raw_ops.AvgPool(**{**POOL, "padding": value})


@pytest.mark.parametrize("value", ["nonsense", 2, tf.float32, np.array([1, 2, 2, 1])])
def test_lists_are_lists(value):
    with pytest.raises(TypeError, match="Expected list for 'ksize' argument to 'AvgPool' Op, not"):
        tf.raw_ops.AvgPool(**{**POOL, "ksize": value})
    kind = ValueError if isinstance(value, np.ndarray) else TypeError
    with pytest.raises(kind, match=r"Expected list for 'inputs' argument|expected a sequence"):
        tf.raw_ops.AddN(inputs=value)
    assert tf.raw_ops.AddN(inputs=tf.Variable([1, 2])).numpy() == 3


def test_elements_of_lists_have_a_type():
    with pytest.raises(TypeError, match="Expected int for argument 'ksize' not 'a'"):
        tf.raw_ops.AvgPool(**{**POOL, "ksize": [1, "a", 2, 1]})


def test_the_rows_of_a_tensor_are_a_list():
    assert tf.raw_ops.AddN(inputs=X).numpy().tolist() == [4, 6]


def test_none_stands_for_a_default():
    kept = tf.raw_ops.Cumsum(x=X, axis=0, exclusive=None)
    assert kept.numpy().tolist() == [[1, 2], [4, 6]]
    assert tf.raw_ops.LeakyRelu(features=[-1.0], alpha=None).numpy() == pytest.approx(-0.2)


def test_words_that_are_allowed():
    with pytest.raises(INVALID, match="'padding' of nonsense is not in the list of allowed"):
        tf.raw_ops.AvgPool(**{**POOL, "padding": "nonsense"})
    assert tf.raw_ops.AvgPool(**{**POOL, "padding": b"SAME"}).shape == (1, 2, 2, 1)


def test_dtypes_that_are_allowed():
    with pytest.raises(INVALID, match="'T' of int8 is not in the list of allowed values: bfloat16"):
        tf.raw_ops.MatMul(a=tf.ones((2, 2), tf.int8), b=tf.ones((2, 2), tf.int8))
    with pytest.raises(INVALID, match="'output_type' of float32"):
        tf.raw_ops.ArgMax(input=X, dimension=0, output_type=tf.float32)


def test_the_least_length_of_lists():
    with pytest.raises(INVALID, match="'ksize' of 2 must be at least minimum 4"):
        tf.raw_ops.AvgPool(**{**POOL, "ksize": [2, 2]})
    with pytest.raises(INVALID, match="'N' of 0 must be at least minimum 1"):
        tf.raw_ops.AddN(inputs=[])


WIDE = tf.constant([1.0], tf.float64)
LONG = tf.constant([2], tf.int64)
PER_CHANNEL = tf.raw_ops.FakeQuantWithMinMaxVarsPerChannel
NOTHING = tf.zeros(0)
WRONG = {  # what TensorFlow 2.21 raises
    "a tensor": (INVALID, lambda: PER_CHANNEL(inputs=WIDE, min=X[0, :1], max=X[1, :1])),
    "the last input": (INVALID, lambda: PER_CHANNEL(inputs=X[:, :1], min=X[0, :1], max=WIDE)),
    "a variable": (
        INVALID,
        lambda: PER_CHANNEL(inputs=X[:, :1], min=X[0, :1], max=tf.Variable(WIDE)),
    ),
    "beside an array": (INVALID, lambda: PER_CHANNEL(inputs=X[:, :1], min=np.ones(1), max=WIDE)),
    "beside a number": (INVALID, lambda: PER_CHANNEL(inputs=X[:, :1], min=1.0, max=WIDE)),
    "beside a list": (ValueError, lambda: PER_CHANNEL(inputs=X[:, :1], min=[1.0], max=WIDE)),
    "beside a tuple": (ValueError, lambda: PER_CHANNEL(inputs=WIDE, min=(1.0,), max=X[0, :1])),
    "beside a small scalar": (
        ValueError,
        lambda: PER_CHANNEL(inputs=X[:, :1], min=np.float32(1), max=WIDE),
    ),
    "beside a converted attribute": (
        ValueError,
        lambda: PER_CHANNEL(inputs=WIDE, min=X[0, :1], max=X[0, :1], num_bits=8.0),
    ),
    "beside an integer default": (
        ValueError,
        lambda: tf.raw_ops.FakeQuantWithMinMaxArgs(inputs=WIDE),
    ),
    "beside floats": (
        INVALID,
        lambda: tf.raw_ops.FakeQuantWithMinMaxArgs(inputs=WIDE, min=-6.0, max=6.0),
    ),
    "a text": (TypeError, lambda: PER_CHANNEL(inputs=X, min="a", max=X[0])),
    "nothing": (ValueError, lambda: PER_CHANNEL(inputs=X, min=None, max=X[0])),
    "strings": (INVALID, lambda: tf.raw_ops.StringLower(input=LONG)),
    "strings beside a text": (
        ValueError,
        lambda: tf.raw_ops.RegexReplace(input=X, pattern="a", rewrite="b"),
    ),
    "sizes": (INVALID, lambda: tf.raw_ops.ResizeBilinear(images=IMAGE, size=LONG)),
    "lengths": (TypeError, lambda: tf.raw_ops.RFFT(input=X, fft_length=[2.5])),
    "indices": (
        ValueError,
        lambda: tf.raw_ops.SparseReorder(
            input_indices=tf.constant([[1]]), input_values=[1.0], input_shape=[2]
        ),
    ),
    "integers": (INVALID, lambda: tf.raw_ops.Bincount(arr=LONG, size=3, weights=NOTHING)),
    "bins": (
        ValueError,
        lambda: tf.raw_ops.Bincount(arr=[1], size=LONG[0], weights=NOTHING),
    ),
    "splits": (
        ValueError,
        lambda: tf.raw_ops.RaggedBincount(
            splits=tf.constant([0, 2]), values=[1, 2], size=3, weights=NOTHING
        ),
    ),
    "hues": (INVALID, lambda: tf.raw_ops.AdjustHue(images=X, delta=WIDE[0])),
    "tensors of two dtypes": (
        INVALID,
        lambda: tf.raw_ops.PadV2(input=X, paddings=[[1, 1], [0, 0]], constant_values=LONG[0]),
    ),
    "a number beside integers": (
        TypeError,
        lambda: tf.raw_ops.RandomGammaGrad(alpha=0.5, sample=tf.constant(1, tf.int8)),
    ),
    "a text beside numbers": (
        TypeError,
        lambda: tf.raw_ops.MatrixSetDiag(input=X, diagonal="a"),
    ),
}


@pytest.mark.parametrize(("raised", "call"), WRONG.values(), ids=WRONG)
def test_inputs_of_other_dtypes(raised, call):
    with pytest.raises((ValueError, TypeError, INVALID)) as caught:
        call()
    assert caught.type.__name__ == raised.__name__


def test_arrays_and_numbers_become_what_an_operation_takes():
    kept = PER_CHANNEL(inputs=np.ones((2, 1)), min=np.zeros(1, np.int64), max=[2])
    assert kept.dtype is tf.float32
    assert tf.raw_ops.PadV2(input=X, paddings=[[1, 0], [0, 0]], constant_values=1).dtype is X.dtype


def test_ragged_tensors_are_left_to_the_operation():
    rows = tf.ragged.constant([["A"], ["B", "C"]])
    assert tf.raw_ops.StringLower(input=rows).to_list() == [[b"a"], [b"b", b"c"]]


def test_a_list_that_is_one_tensor_is_converted():
    kept = tf.raw_ops.BitwiseAnd(x=[1, 3], y=[tf.constant(1.0), tf.constant(1.0)])
    assert kept.numpy().tolist() == [1, 1]


def test_lists_that_no_default_dtype_applies_to():
    raw = tf.raw_ops
    for name in ("Conj", "FFT"):
        assert getattr(raw, name)(input=[[1 + 2j, 3j]]).dtype is tf.complex128
        assert getattr(raw, name)(input=[tf.constant([1j, 2])]).dtype is tf.complex128
        assert getattr(raw, name)(input=[[1.0, 2.0]]).dtype is tf.complex64
    assert raw.DataFormatDimMap(x=[tf.constant([1], tf.int64)]).dtype is tf.int64
    assert raw.DataFormatDimMap(x=[1]).dtype is tf.int32


def test_the_first_of_several_python_values_decides_on_the_dtype():
    found = tf.raw_ops.RaggedRange(starts=[1.5], limits=3, deltas=1)
    assert found.rt_dense_values.numpy().tolist() == [1.5, 2.5]
    found = tf.raw_ops.RandomGammaGrad(alpha=0.5, sample=[2, 3])
    np.testing.assert_allclose(found, [2.5118902, 2.912944], rtol=1e-5)
    with pytest.raises(TypeError, match=r"Cannot convert 0\.5"):
        tf.raw_ops.RandomGammaGrad(alpha=2, sample=0.5)
    features, labels = [1.0], [[0.2, 0.3, 0.5], [0.1, 0.2, 0.3]]
    loss, gradient = tf.raw_ops.SoftmaxCrossEntropyWithLogits(features=features, labels=labels)
    np.testing.assert_allclose(loss, [1.0986123, 0.6591674], rtol=1e-6)
    np.testing.assert_allclose(gradient, 1 / 3 - np.array(labels), rtol=1e-5)
