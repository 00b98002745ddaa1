"""Assertions on values: what passes, and what an error says."""

import pytest

import gradtape as tf

INVALID = tf.errors.InvalidArgumentError
check = tf.debugging


@pytest.mark.parametrize(
    ("run", "good", "bad"),
    [
        (check.assert_equal, ([1, 2], [1, 2]), ([1, 2], [1, 3])),
        (check.assert_none_equal, ([1, 2], [2, 1]), ([1, 2], [2, 2])),
        (check.assert_less, (1, [2, 3]), (2, [2, 3])),
        (check.assert_less_equal, (2, [2, 3]), (4, [2, 3])),
        (check.assert_greater, ([2, 3], 1), ([2, 3], 2)),
        (check.assert_greater_equal, ([2, 3], 2), ([2, 3], 4)),
        (check.assert_positive, ([1, 2],), ([0, 1],)),
        (check.assert_negative, ([-1.0],), ([0.0],)),
        (check.assert_non_negative, ([0, 1],), ([-1],)),
        (check.assert_non_positive, ([0, -1],), ([1],)),
        (check.assert_near, (1.0, 1.0000001), (1.0, 1.1)),
    ],
)
def test_values(run, good, bad):
    assert run(*good) is None
    with pytest.raises(INVALID, match="my words"):
        run(*bad, message="my words")


def test_the_error_shows_the_values():
    with pytest.raises(INVALID) as caught:
        check.assert_less([1, 7], [2, 2])
    assert "7" in str(caught.value)


def test_an_assertion_of_ones_own():
    tf.Assert(tf.constant(True), [1])
    with pytest.raises(INVALID, match=r"to be true\. Summarized data: b'why'"):
        tf.Assert(tf.constant(False), ["why", tf.constant(3)])


def test_tolerances_may_be_tensors():
    tf.debugging.assert_near([1.0, 2.0], [1.05, 2.5], rtol=[0.1, 0.3])
    with pytest.raises(tf.errors.InvalidArgumentError, match="not equal to tolerance"):
        tf.debugging.assert_near([1.0, 2.0], [1.05, 2.5], atol=[0.1, 0.3])
    with pytest.raises(TypeError, match="Cannot convert 'a'"):
        tf.debugging.assert_near([1.0], [1.0], rtol="a")
