"""Tensors and variables as Python sees them: shown, copied, compared, and in operators."""

import copy
import enum
import pickle

import numpy as np
import pytest

import gradtape as tf


class Suit(enum.IntEnum):
    HEARTS = 1


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (tf.constant(1.5), "tf.Tensor(1.5, shape=(), dtype=float32)"),
        (tf.constant([1, 2]), "tf.Tensor([1 2], shape=(2,), dtype=int32)"),
        (
            tf.constant([[1, 2], [3, 4]]),
            "tf.Tensor(\n[[1 2]\n [3 4]], shape=(2, 2), dtype=int32)",
        ),
        (tf.zeros([0, 3]), "tf.Tensor([], shape=(0, 3), dtype=float32)"),
        (tf.constant("a"), "tf.Tensor(b'a', shape=(), dtype=string)"),
        (
            tf.constant([["a"], ["b"]]),
            "tf.Tensor(\n[[b'a']\n [b'b']], shape=(2, 1), dtype=string)",
        ),
        (
            tf.range(30),
            (
                "tf.Tensor(\n[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 "
                "23\n 24 25 26 27 28 29], shape=(30,), dtype=int32)"
            ),
        ),
    ],
)
def test_str(value, text):
    assert str(value) == text


@pytest.mark.parametrize(
    ("dtype", "text"),
    [
        (tf.bfloat16, "1.0"),
        (tf.complex64, "(1+0j)"),
        (tf.dtypes.experimental.float8_e5m2, "1.0"),
        (tf.dtypes.experimental.int4, "1"),
        (tf.uint8, "1"),
    ],
)
def test_repr_of_a_scalar(dtype, text):
    x = tf.constant(1, dtype)
    assert repr(x) == f"<tf.Tensor: shape=(), dtype={dtype.name}, numpy={text}>"


@pytest.mark.parametrize(
    "value",
    [1.5, [1.0, 2.0], "a", ["a", "bc"], np.zeros((0, 2)), 1 + 2j],
)
def test_pickles_and_copies_are_the_same_values(value):
    _check_copies(tf.constant(value))


def test_pickles_and_copies_of_bfloat16():
    _check_copies(tf.constant(1.5, tf.bfloat16))


def _check_copies(x):
    for y in (pickle.loads(pickle.dumps(x)), copy.copy(x), copy.deepcopy(x)):
        assert y.dtype == x.dtype
        assert repr(y) == repr(x)


def test_references():
    x = tf.constant(1.0)
    assert x.ref() == x.ref()
    assert x.ref() != tf.constant(1.0).ref()
    assert x.ref().deref() is x
    with pytest.raises(TypeError, match=r"\.ref\(\)"):
        assert x.ref() == x


def test_strings_are_joined():
    s = tf.constant(["a", "b"])
    assert (s + "c").numpy().tolist() == [b"ac", b"bc"]
    assert ("c" + s).numpy().tolist() == [b"ca", b"cb"]
    assert tf.add("x", "y").numpy() == b"xy"
    assert tf.function(lambda t: t + "!")(tf.constant("a")).numpy() == b"a!"
    with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
        s + tf.constant(["a", "b", "c"])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Sub"):
        s - "a"


def test_a_product_of_truth_values_is_their_conjunction():
    assert (tf.constant([True, True]) * [True, False]).numpy().tolist() == [True, False]
    with pytest.raises(tf.errors.InvalidArgumentError, match="AddV2"):
        tf.constant(True) + True


@pytest.mark.parametrize("operation", [lambda x: ~x, lambda x: tf.bitwise.invert(x)])
@pytest.mark.parametrize("value", [1.0, [1.0]])
def test_bits_of_floats_are_not_inverted(operation, value):
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invert"):
        operation(tf.constant(value))


def test_unsigned_integers_have_no_power():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Pow"):
        tf.constant(7, tf.uint8) ** 3


def test_integers_too_long_for_int64_still_are_floats():
    assert tf.constant(1.0) + 2**70 == 2.0**70
    with pytest.raises(ValueError, match="out-of-range"):
        tf.constant(1) + 2**70


def test_times_are_no_tensors():
    with pytest.raises(ValueError, match="datetime64"):
        tf.constant(np.datetime64("2020-01-01"))


@pytest.mark.parametrize("symbol", ["+", "-", "*", "/", "**"])
def test_variables_are_not_changed_by_augmented_assignment(symbol):
    scope = {"v": tf.Variable(1.0)}
    with pytest.raises(RuntimeError, match="assign"):
        exec(f"v {symbol}= 2.0", scope)
    x = {"v": tf.constant(3.0)}
    exec(f"v {symbol}= 2.0", x)  # a tensor's name is bound anew
    assert x["v"] == eval(f"3.0 {symbol} 2.0")


def test_rows_and_elements_of_a_variable():
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    assert v.sparse_read([1]).numpy().tolist() == [[3.0, 4.0]]
    assert v.gather_nd([[0, 1], [1, 0]]).numpy().tolist() == [2.0, 3.0]
    with pytest.raises(TypeError, match="IndexedSlices"):
        v.scatter_update(3)


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        ([np.int64(1), 2], tf.int32),
        ([np.int64(2**40)], tf.int64),
        ([np.array([1, 2]), [3, 4]], tf.int32),
        ([np.float64(1.0), 2], tf.float64),
        ([1.0, np.float64(2.0)], tf.float32),
        ([np.float16(1.0)], tf.float16),
        ([-(2**31)], tf.int32),
        ([-(2**63)], tf.int64),
        (-(2**63), tf.int64),
        (np.int64(1), tf.int64),
        (Suit.HEARTS, tf.int32),
        ([Suit.HEARTS], tf.int32),
    ],
)
def test_dtypes_of_python_and_numpy_values(value, dtype):
    x = tf.constant(value)
    assert x.dtype == dtype
    np.testing.assert_array_equal(x, value)


def test_strings_of_rank_0_stay_strings():
    for x in (
        tf.reshape(["a"], []),
        tf.squeeze(["a"]),
        tf.gather(["a", "b"], 0),
        tf.gather_nd(["a", "b"], [0]),
        tf.constant(["a", "b"])[0],
        tf.constant("a", shape=[1])[0],
    ):
        assert repr(x) == "<tf.Tensor: shape=(), dtype=string, numpy=b'a'>"


def test_ends_of_an_interval_that_do_not_broadcast():
    with pytest.raises(tf.errors.InvalidArgumentError, match="clip_value_min"):
        tf.clip_by_value([1.0, 5.0], [1.0, 2.0, 3.0], 4.0)
