"""`tf.experimental.dlpack`, with what TensorFlow 2.21 answers."""

import numpy as np
import pytest

import gradtape as tf

dlpack = tf.experimental.dlpack
NAMES = ["bool", "complex64", "complex128", "bfloat16", "float16", "int8", "uint16", "float64"]


@pytest.mark.parametrize("name", NAMES)
def test_tensors_come_back(name):
    x = tf.cast(tf.constant([1, 0]), name)
    back = dlpack.from_dlpack(dlpack.to_dlpack(x))
    assert back.dtype == x.dtype
    assert back.numpy().tolist() == x.numpy().tolist()


@pytest.mark.parametrize("value", [3.0, np.zeros((0, 3), np.float32)])
def test_scalars_and_nothing(value):
    back = dlpack.from_dlpack(dlpack.to_dlpack(tf.constant(value)))
    assert back.shape == np.shape(value)
    assert type(back.numpy()) is (np.float32 if np.ndim(value) == 0 else np.ndarray)


def test_arrays_of_numpy_are_not_copied():
    array = np.arange(3.0)
    for given in (array.__dlpack__(), array):
        assert np.shares_memory(np.asarray(dlpack.from_dlpack(given)), array)
    turned = np.arange(6.0).reshape(2, 3).T
    np.testing.assert_array_equal(dlpack.from_dlpack(turned.__dlpack__()), turned)


def test_read_only_arrays_and_old_producers():
    class Old:
        def __dlpack__(self):
            return np.ones(2).__dlpack__()

        def __dlpack_device__(self):
            return 1, 0

    array = np.ones(2)
    array.flags.writeable = False
    for given in (array, Old()):
        assert dlpack.from_dlpack(given).numpy().tolist() == [1, 1]


def test_who_writes_to_a_capsule_does_not_change_the_tensor():
    x = tf.constant([1.0, 2.0])
    taken = np.asarray(dlpack.from_dlpack(dlpack.to_dlpack(x)))
    assert not np.shares_memory(taken, np.asarray(x))


def test_a_capsule_is_consumed_once():
    capsule = dlpack.to_dlpack(tf.constant([1.0]))
    dlpack.from_dlpack(capsule)
    with pytest.raises(tf.errors.InvalidArgumentError, match="consumed at most once"):
        dlpack.from_dlpack(capsule)


@pytest.mark.parametrize("wrong", [3, [1.0], None, "a"])
def test_what_is_not_an_array_is_refused(wrong):
    with pytest.raises(TypeError, match="from_dlpack takes a DLPack capsule or an array"):
        dlpack.from_dlpack(wrong)
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be a TF tensor"):
        dlpack.to_dlpack(wrong)


@pytest.mark.parametrize("value", [tf.constant(["a"]), tf.cast([1], tf.qint8)])
def test_dtypes_that_dlpack_lacks(value):
    with pytest.raises(tf.errors.InvalidArgumentError, match="not supported by dlpack"):
        dlpack.to_dlpack(value)


def test_gradients_begin_at_what_was_taken():
    with tf.GradientTape() as tape:
        x = dlpack.from_dlpack(np.array([3.0], np.float32))
        tape.watch(x)
        y = x * x
    assert tape.gradient(y, x).numpy() == 6


def test_arrays_of_jax():
    jnp = pytest.importorskip("jax.numpy")
    assert dlpack.from_dlpack(jnp.arange(3.0)).numpy().tolist() == [0, 1, 2]
    assert jnp.from_dlpack(tf.constant([1.0, 2.0])).tolist() == [1, 2]
