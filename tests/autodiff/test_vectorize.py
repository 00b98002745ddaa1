"""Functions of one example, run once on many."""

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.autodiff.vectorize import Vectorizer
from gradtape._src.core.recorder import replaced

ROWS = np.arange(6.0).reshape(3, 2)


def run(function, rows=ROWS):
    """Returns a function's result for all rows: whether it differs by row, and the value."""
    vectorizer = Vectorizer(len(rows))
    with replaced((vectorizer,)):
        return vectorizer.unwrap(function(vectorizer.wrap(tf.constant(rows))))


def test_one_run_gives_what_a_loop_gives():
    calls = []

    def f(x):
        calls.append(1)
        return tf.reduce_sum(tf.sin(x) * 2.0) + x[1]

    differs, value = run(f)
    assert differs
    np.testing.assert_allclose(value, 2 * np.sin(ROWS).sum(1) + ROWS[:, 1])
    assert len(calls) == 1


def test_a_value_looks_like_one_example():
    shapes = []
    run(lambda x: shapes.append((x.shape, x.dtype)) or x)
    assert shapes == [((2,), tf.float64)]


def test_what_no_example_changes_stays_one_value():
    differs, value = run(lambda x: tf.constant(3.0) * 2.0)
    assert not differs
    assert float(value) == 6


@pytest.mark.parametrize(
    "ask", [lambda x: x.numpy(), lambda x: bool(x[0] > 0), lambda x: float(x[0])]
)
def test_there_is_no_single_value(ask):
    with pytest.raises(NotImplementedError, match="example"):
        run(ask)


def test_variables_are_shared_by_all_examples():
    v = tf.Variable([0.0, 0.0], dtype=tf.float64)
    with pytest.raises(ValueError, match="differs between the rows"):
        tf.vectorized_map(lambda x: v.assign(x), tf.constant(ROWS))
    assert v.numpy().tolist() == [0, 0]
