"""Errors about dtypes and shapes, as TensorFlow's kernels word them."""

import traceback

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.base import error_messages


def test_two_dtypes():
    error = error_messages.mismatch("AddV2", 1, tf.float32, tf.int32)
    assert isinstance(error, tf.errors.InvalidArgumentError)
    assert "cannot compute AddV2 as input #1(zero-based) was expected to be a float" in str(error)
    with pytest.raises(tf.errors.InvalidArgumentError, match="was expected to be a float tensor"):
        tf.raw_ops.AddV2(x=tf.constant(1.0), y=tf.constant(1))


def test_a_dtype_that_an_operation_does_not_take():
    error = error_messages.unsupported("Sin", [np.float32, np.float64], tf.string)
    assert "string" in str(error)
    assert "Sin" in str(error)


@pytest.mark.parametrize("shape", [[2**62, 4], [2**31] * 3])
def test_sizes_that_no_machine_has(shape):
    with pytest.raises(tf.errors.OpError):
        error_messages.check_size("Fill", shape)


def test_sizes_that_are_there():
    assert error_messages.check_size("Fill", [3, 0, 7]) is None


def test_memory_that_is_lacking_is_told_in_tensorflows_words():
    def make():
        raise MemoryError("Unable to allocate 8 EiB for an array")

    with pytest.raises(tf.errors.ResourceExhaustedError, match=r"shape\[7,7\].*Fill|Fill"):
        error_messages.allocated("Fill", [7, 7], make)
    assert error_messages.allocated("Fill", [2], lambda: 5) == 5


def test_shapes_of_updates():
    error = error_messages.unassignable("v:0", (2,), (3,))
    assert isinstance(error, ValueError)
    assert "v:0" in str(error)
    v = tf.Variable([1.0, 2.0])
    with pytest.raises(ValueError, match=r"\(3,\)"):
        v.assign([1.0, 2.0, 3.0])


X = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
INVALID = tf.errors.InvalidArgumentError


@pytest.mark.parametrize(
    ("call", "kind", "said"),
    [
        (lambda: tf.debugging.assert_rank_in(X, tf.ones([2, 3], tf.int32)), INVALID, "scalar"),
        (lambda: tf.batch_to_space(tf.constant(1.0), [2, 2], [[0, 0], [0, 0]]), INVALID, "axes"),
        (lambda: tf.signal.rfft(X, "a"), TypeError, "text"),
        (lambda: tf.linalg.LinearOperatorBlockDiag(X), TypeError, "type"),
    ],
)
def test_the_error_is_about_the_argument(call, kind, said):
    with pytest.raises(kind, match=said) as caught:
        call()
    assert type(caught.value) is kind


def test_the_error_names_the_function_and_keeps_its_cause():
    with pytest.raises(INVALID, match=r"tf\.debugging\.assert_rank_in: an argument must be") as e:
        tf.debugging.assert_rank_in(X, tf.ones([2, 3], tf.int32))
    assert isinstance(e.value.__cause__, TypeError)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda x: int("a"),
        lambda x: [0, 1].__getitem__(int(x) + 2),
        lambda x: bool(x) or bool(tf.constant([1, 2])),
        lambda x: x.nothing,
    ],
)
def test_errors_of_the_program_stay(wrong):
    with pytest.raises((ValueError, IndexError, AttributeError)) as caught:
        tf.map_fn(wrong, tf.constant([0.0]))
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert any(frame.filename == __file__ and frame.name == "<lambda>" for frame in frames)
