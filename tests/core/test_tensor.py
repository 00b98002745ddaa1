"""Tensors and variables as Python sees them: shown, copied, compared, and in operators."""

import copy
import enum
import importlib.util
import pickle
import subprocess
import sys

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


WITHOUT_HOOKS = """
import gradtape as tf

x, v = tf.constant([1.0, 2.0]), tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(x * v)
v.assign_sub(tape.gradient(loss, v))
print(hasattr(tf.Tensor, "__getattr__"), hasattr(tf.Variable, "__getattr__"))
v.scatter_add(tf.IndexedSlices(tf.constant([5.0]), tf.constant([1])))
print(hasattr(tf.Tensor, "__getattr__"), hasattr(tf.Variable, "__getattr__"))
print(v.numpy())
print(tf.function(lambda: v * x)().numpy(), v.numpy())
"""
COMPILED = """
step = tf.function(lambda: v.assign_add(x) * 2, jit_compile=True)
print(step().numpy(), v.numpy(), hasattr(tf.Tensor, "__getattr__"))
try:
    x.argmax
except AttributeError as error:
    print(error)
"""


def test_classes_have_no_hook_for_attributes_before_values_are_elsewhere():
    code = WITHOUT_HOOKS + (COMPILED if importlib.util.find_spec("jax") else "")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert lines[:4] == ["False False", "False True", "[0. 5.]", "[ 0. 10.] [0. 5.]"]
    if len(lines) > 4:
        assert lines[4] == "[ 2. 14.] [1. 7.] True"
        assert lines[5].startswith("'EagerTensor' object has no attribute 'argmax' (to use NumPy's")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("argmax", "'EagerTensor' object has no attribute 'argmax' (to use NumPy's, write"),
        ("op", "Tensor.op is undefined when eager execution is enabled."),
        ("assign", "a tensor never changes: only a slice taken of a tf.Variable has `assign`"),
        ("assign_add", "'EagerTensor' object has no attribute 'assign_add'"),
        ("unheard_of", "'EagerTensor' object has no attribute 'unheard_of'"),
    ],
)
def test_attributes_that_tensors_lack(name, text):
    x = tf.constant([1.0])
    with pytest.raises(AttributeError) as caught:
        getattr(x, name)
    assert str(caught.value).startswith(text)
    assert caught.value.name == name
    assert caught.value.obj is x
    assert not hasattr(x, name)


def test_listed_names_of_a_tensor_are_those_that_it_has():
    x = tf.constant([1.0])
    x.own = 1
    names = dir(x)
    assert {"own", "numpy", "shape", "op"} <= set(names)
    assert "argmax" not in names
    assert not hasattr(tf.Tensor, "argmax")
    assert hasattr(tf.Tensor, "op")  # as in TensorFlow
