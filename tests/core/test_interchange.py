"""Values of tensors and variables for other libraries."""

import sys
import warnings

import numpy as np
import pytest

import gradtape as tf

VALUE = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)


@pytest.fixture(params=["tensor", "variable"])
def held(request):
    return tf.constant(VALUE) if request.param == "tensor" else tf.Variable(VALUE)


def test_numpy_takes_memory_that_it_cannot_write_to(held):
    for taken in (np.asarray(held), np.from_dlpack(held)):
        np.testing.assert_array_equal(taken, VALUE)
        with pytest.raises(ValueError, match="read-only"):
            taken[0, 0] = 7
    assert held.__dlpack_device__() == (1, 0)


def test_a_tensor_is_not_copied():
    x = tf.constant(VALUE)
    assert np.shares_memory(np.asarray(x), np.from_dlpack(x))


def test_a_consumer_of_an_old_dlpack_gets_a_copy(held):
    class Old:
        def __dlpack__(self, **options):
            return held.__dlpack__()

        def __dlpack_device__(self):
            return held.__dlpack_device__()

    taken = np.from_dlpack(Old())
    np.testing.assert_array_equal(taken, VALUE)
    assert not np.shares_memory(taken, np.asarray(held))
    with pytest.raises(BufferError, match=r"tensor\.numpy"):
        held.__dlpack__(copy=False)


def test_what_a_variable_gave_does_not_change_with_it():
    v = tf.Variable(VALUE)
    taken = np.from_dlpack(v)
    v.assign_add(tf.ones_like(v))
    np.testing.assert_array_equal(taken, VALUE)


def test_strings_have_no_capsule():
    with pytest.raises(BufferError):
        tf.constant(["a"]).__dlpack__(max_version=(1, 0))


@pytest.mark.skipif(sys.version_info < (3, 12), reason="classes have buffers since Python 3.12")
def test_the_buffer_is_read_only(held):
    view = memoryview(held)
    assert (view.readonly, view.format, view.shape) == (True, "f", (2, 2))
    assert view.tolist() == VALUE.tolist()
    with pytest.raises(TypeError):
        view[0, 0] = 7.0
    with pytest.raises(BufferError, match="strings"):
        memoryview(tf.constant(["a"]))


def test_bytes_and_length(held):
    assert bytes(held) == VALUE.tobytes()
    assert len(held) == 2
    for scalar in (tf.constant(1.0), tf.Variable(1.0)):
        with pytest.raises(TypeError, match="Scalar tensor has no"):
            len(scalar)


# Values that leave a tape.


def _warned(function):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        function()
    return found


def test_a_numpy_function_that_takes_a_watched_value_warns_at_the_users_line(held):
    with tf.GradientTape() as tape:
        tape.watch(held)
        (sine,) = _warned(lambda: np.sin(held))
        (mean,) = _warned(lambda: np.mean(held))  # through Python code of NumPy's
        (later,) = _warned(lambda: np.exp(held * 2.0))
    for warning in (sine, mean, later):
        assert warning.filename == __file__
        assert "tf.sin for np.sin" in str(warning.message)


def test_a_variable_that_was_not_read_yet_warns():
    v = tf.Variable(2.0)
    with tf.GradientTape():
        assert len(_warned(lambda: np.sin(v))) == 1
    with tf.GradientTape(watch_accessed_variables=False):
        assert not _warned(lambda: np.sin(v))
    with tf.GradientTape():
        assert not _warned(lambda: np.sin(tf.Variable(2.0, trainable=False)))


def test_a_forward_accumulator_warns(held):
    with tf.autodiff.ForwardAccumulator(held, tf.ones_like(held)):
        assert len(_warned(lambda: np.sin(held * 2.0))) == 1


def test_nobody_is_warned_of_what_is_meant(held):
    other = tf.constant([1.0])
    with tf.GradientTape() as tape:
        tape.watch(held)
        assert not _warned(lambda: held.numpy())
        assert not _warned(lambda: np.sin(other))
        assert not _warned(lambda: np.testing.assert_allclose(held, VALUE))
        assert not _warned(lambda: tf.reduce_sum(held) + VALUE)
        assert not _warned(lambda: repr(held))
        with tape.stop_recording():
            assert not _warned(lambda: np.sin(held))
    assert not _warned(lambda: np.sin(held))
