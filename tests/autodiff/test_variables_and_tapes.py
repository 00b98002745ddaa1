"""Variables on tapes: reads, assignments, `trainable`."""

import numpy as np
import pytest

import gradtape as tf


def test_a_trainable_variable_is_watched_when_it_is_read():
    v = tf.Variable(4.0)
    with tf.GradientTape() as tape:
        assert tape.watched_variables() == ()
        y = v * v
        assert tape.watched_variables()[0] is v
    assert float(tape.gradient(y, v)) == 8.0


def test_a_variable_that_is_not_trainable_must_be_watched():
    v = tf.Variable(4.0, trainable=False)
    with tf.GradientTape() as tape:
        y = v * v
    assert tape.watched_variables() == ()
    assert tape.gradient(y, v) is None
    with tf.GradientTape() as tape:
        tape.watch(v)
        y = v * v
    assert len(tape.watched_variables()) == 1
    assert float(tape.gradient(y, v)) == 8.0


def test_a_tape_that_watches_nothing_of_its_own_accord():
    v, w = tf.Variable(4.0), tf.Variable(5.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(v)
        y = v * w
    assert float(tape.gradient(y, v)) == 5.0
    assert [u is v for u in tape.watched_variables()] == [True]


def test_a_variable_outside_that_tape_has_no_gradient():
    v, w = tf.Variable(4.0), tf.Variable(5.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(v)
        y = v * w
    assert tape.gradient(y, w) is None


def test_watched_variables_come_in_the_order_in_which_they_were_made():
    a, b, c = (tf.Variable(1.0, name=name) for name in "abc")
    with tf.GradientTape() as tape:
        _ = c * b * a
    assert type(tape.watched_variables()) is tuple
    assert [v.name for v in tape.watched_variables()] == ["a:0", "b:0", "c:0"]


def test_watched_variables_outlive_the_gradient():
    v = tf.Variable(4.0)
    with tf.GradientTape() as tape:
        y = v * v
    tape.gradient(y, v)
    assert len(tape.watched_variables()) == 1


def test_integer_variables_are_watched_but_have_no_gradient():
    v = tf.Variable([[1, 2]])
    with tf.GradientTape() as tape:
        y = v * v
    assert v.trainable
    assert len(tape.watched_variables()) == 1
    assert tape.gradient(y, v) is None


@pytest.mark.parametrize(
    "read",
    [
        lambda v: tf.identity(v),
        lambda v: v.read_value(),
        lambda v: v.value(),
        lambda v: tf.convert_to_tensor(v),
        lambda v: v + 0.0,
    ],
    ids=["identity", "read_value", "value", "convert_to_tensor", "operator"],
)
def test_every_way_of_reading_is_followed(read):
    v = tf.Variable(4.0)
    with tf.GradientTape() as tape:
        y = read(v)
    assert float(tape.gradient(y, v)) == 1.0


def test_two_reads_are_two_tensors():
    v = tf.Variable(4.0)
    with tf.GradientTape() as tape:
        a = tf.identity(v)
        b = v.read_value()
    assert tape.gradient(b, a) is None


def test_a_read_after_the_tape_is_no_source():
    v = tf.Variable(4.0)
    with tf.GradientTape() as tape:
        y = v * v
    assert tape.gradient(y, v.read_value()) is None


@pytest.mark.parametrize("watch", [True, False])
def test_a_variable_has_gradient_one_by_itself(watch):
    v = tf.Variable(4.0)
    with tf.GradientTape(watch_accessed_variables=watch) as tape:
        pass
    assert float(tape.gradient(v, v)) == 1.0


def test_an_assignment_has_no_gradient():
    x, state = tf.Variable(4.0), tf.Variable(1.0)
    with tf.GradientTape() as tape:
        state.assign_add(x * 2.0)
        y = state * state
    assert tape.gradient(y, x) is None


def test_an_assignment_after_a_use_changes_nothing_of_it():
    v = tf.Variable(4.0)
    with tf.GradientTape() as tape:
        y = v * v
        v.assign(100.0)
    assert float(tape.gradient(y, v)) == 8.0


def test_an_assignment_between_two_uses():
    v = tf.Variable(4.0)
    with tf.GradientTape() as tape:
        y = v * v
        v.assign(10.0)
        z = v * v
    assert float(tape.gradient([y, z], v)) == 28.0


def test_an_array_that_changes_after_the_assignment_changes_nothing():
    values = np.array([1.0, 2.0])
    v = tf.Variable(values)
    w = tf.Variable(np.zeros(2))
    w.assign(values)
    x = tf.constant(values)
    values[:] = 100.0
    assert v.numpy().tolist() == w.numpy().tolist() == x.numpy().tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    "change",
    [
        lambda v: v.assign([10.0, 20.0]),
        lambda v: v.assign_add([10.0, 20.0]),
        lambda v: v.assign_sub([10.0, 20.0]),
        lambda v: v[0].assign(10.0),
        lambda v: v.scatter_nd_update([[0]], [10.0]),
    ],
    ids=["assign", "assign_add", "assign_sub", "slice", "scatter"],
)
def test_no_assignment_reaches_back_into_the_tape(change):
    """The values that a rule needs are those at the time of the operation."""
    v = tf.Variable([3.0, 4.0])
    with tf.GradientTape() as tape:
        read = tf.identity(v)
        y = v * v * v
        change(v)
    assert tape.gradient(y, v).numpy().tolist() == [27.0, 48.0]
    assert read.numpy().tolist() == [3.0, 4.0]


def test_the_result_of_an_assignment_is_a_read_of_the_variable():
    v = tf.Variable(4.0)
    with tf.GradientTape() as tape:
        y = v.assign(5.0)
        z = y * y
    assert float(tape.gradient(z, v)) == 10.0


def test_a_variable_made_of_a_tensor_is_not_connected_to_it():
    x = tf.constant(4.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.Variable(x * 3.0) * 2.0
    assert tape.gradient(y, x) is None


def test_gradient_descent():
    v = tf.Variable([5.0, -3.0])
    for _ in range(50):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(v * v)
        v.assign_sub(0.25 * tape.gradient(loss, v))
    assert np.abs(v.numpy()).max() < 1e-6


def test_variables_in_structures():
    weights = {"w": tf.Variable([1.0, 2.0]), "b": tf.Variable(3.0)}
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(weights["w"] * 2.0) + weights["b"]
    got = tape.gradient(y, weights)
    assert got["w"].numpy().tolist() == [2.0, 2.0]
    assert float(got["b"]) == 1.0


def test_slices_of_a_variable():
    v = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        y = v[0] * v[2] + tf.reduce_sum(v[1:])
    assert tape.gradient(y, v).numpy().tolist() == [3.0, 1.0, 2.0]
