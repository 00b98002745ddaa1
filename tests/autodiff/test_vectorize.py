"""Functions of one example, run once on many."""

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.autodiff.vectorize import Vectorizer, row_by_row
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


@tf.custom_gradient
def sine_in_numpy(x):
    value = x.numpy()
    return tf.constant(np.sin(value)), lambda dy: tf.constant(dy.numpy() * np.cos(value))


@pytest.mark.parametrize("vectorized", [True, False])
def test_a_gradient_that_computes_in_numpy_runs_once_per_row(vectorized):
    x = tf.Variable([0.1, 0.2, 0.3], dtype=tf.float64)
    with tf.GradientTape() as outer:
        with tf.GradientTape(persistent=True) as tape:
            y = sine_in_numpy(2.0 * x) * x
        found = tape.jacobian(y, x, experimental_use_pfor=vectorized)
    by_hand = np.diag(2 * np.cos(2 * x) * x + np.sin(2 * x))
    np.testing.assert_allclose(found, by_hand)
    second = outer.jacobian(found, x)
    assert second.shape == (3, 3, 3)
    np.testing.assert_allclose(
        second[0, 0, 0], 2 * np.cos(0.2)
    )  # of sin(2 x): NumPy hides the rest


def test_rows_of_functions_that_ask_for_values():
    differs, value = run(
        lambda x: row_by_row(lambda ys: [tf.constant(ys[0].numpy()), None], [x])[0]
    )
    assert differs
    np.testing.assert_array_equal(value, ROWS)
    with pytest.raises(NotImplementedError, match="example"):  # it asks for another value
        run(lambda x: row_by_row(lambda ys: [x.numpy()], [x]))
