"""Assertions on ranks, shapes and dtypes: what passes, and what is refused."""

import pytest

import gradtape as tf

check = tf.debugging


@pytest.mark.parametrize(
    ("run", "good", "bad"),
    [
        (check.assert_rank, ([[1]], 2), ([1], 2)),
        (check.assert_rank_at_least, ([[1]], 1), ([1], 2)),
        (check.assert_rank_in, ([1], (0, 1)), ([[1]], (0, 1))),
        (check.assert_scalar, (3.0,), ([3.0],)),
        (
            check.assert_shapes,
            ({"x": 0} and [(tf.zeros([2, 3]), ("n", 3))],),
            ([(tf.zeros([2, 3]), ("n", "n"))],),
        ),
        (tf.debugging.assert_proper_iterable, ([1],), (tf.zeros(2),)),
    ],
)
def test_shapes(run, good, bad):
    run(*good)
    with pytest.raises((ValueError, TypeError)):
        run(*bad)


@pytest.mark.parametrize(
    ("run", "good", "bad"),
    [
        (check.assert_type, (tf.constant(1), tf.int32), (tf.constant(1), tf.float32)),
        (check.assert_integer, (tf.constant(1),), (tf.constant(1.0),)),
        (check.assert_same_float_dtype, ([tf.constant(1.0)],), ([tf.constant(1)],)),
    ],
)
def test_dtypes(run, good, bad):
    run(*good)
    with pytest.raises((TypeError, ValueError)):
        run(*bad)


def test_numeric_tensors():
    assert check.is_numeric_tensor(tf.constant(1))
    assert not check.is_numeric_tensor(tf.constant("a"))
    assert not check.is_numeric_tensor(1)
