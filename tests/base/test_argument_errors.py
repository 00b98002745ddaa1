"""Errors of NumPy and Python about arguments become errors of the function that was called."""

import traceback

import pytest

import gradtape as tf

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
