"""Functions of `tensorflow.python.eager.record` and `tape`; answers are TensorFlow's."""

import gradtape as tf
from gradtape._src.compat.python import gradient_record as record


def test_whether_a_tape_follows_a_tensor():
    v, c = tf.Variable(1.0), tf.constant(1.0)
    assert not record.should_record_backprop([c])
    assert not record.could_possibly_record()
    with tf.GradientTape() as tape:
        y = v * 2
        assert record.could_possibly_record()
        assert not record.should_record_backprop([c])
        assert record.should_record_backprop([c, {"y": y}])
        with tape.stop_recording():
            assert not record.should_record_backprop([y])
    assert not record.should_record_backprop([y])
    with tf.autodiff.ForwardAccumulator(c, c):
        assert not record.should_record_backprop([c])


def test_no_tape_records_in_stop_recording():
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = v * v
        with record.stop_recording():
            assert not record.could_possibly_record()
            z = y * 3
        assert not record.should_record_backprop([z])
    assert float(tape.gradient(y, v)) == 6


def test_variables_that_are_read():
    v, fixed = tf.Variable(1.0), tf.Variable(1.0, trainable=False)
    with record.VariableWatcher() as watcher:
        _ = v * fixed * v
    _ = tf.Variable(2.0) * 3
    (only,) = watcher.watched_variables()
    assert only is v


def test_tapes_by_functions():
    v, c = tf.Variable(3.0), tf.constant(2.0)
    tape = record.push_new_tape(watch_accessed_variables=False)
    record.watch(tape, c)
    record.watch_variable(tape, v)
    record.variable_accessed(v)
    y = v * v * c
    record.pop_tape(tape)
    assert [float(g) for g in tape.gradient(y, [v, c])] == [12, 9]


def squared_unseen(x, tape, gradient):
    with tape.stop_recording():
        y = x * x
    record.record_operation("Mine", [y], [x], lambda dy: [dy * gradient])
    return y


def test_a_recorded_operation_has_its_own_gradient():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        z = squared_unseen(x, tape, 7.0) * 2
    assert tape.gradient(z, x).numpy().tolist() == [14.0, 14.0]


def test_an_operation_is_recorded_for_tapes_or_accumulators_alone():
    x = tf.constant(3.0)
    with (
        tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator,
        tf.GradientTape(persistent=True) as tape,
    ):
        tape.watch(x)
        with tape.stop_recording():
            y, z = tf.stop_gradient(x) + 0, tf.stop_gradient(x) + 0
        record.record_operation_backprop_only("Back", [y], [x], lambda dy: [dy * 5])
        record.record_operation_forwardprop_only("Forward", [z], [x], lambda dz: [dz * 6], None)
    assert [tape.gradient(y, x), tape.gradient(z, x)] == [5.0, None]
    assert accumulator.jvp(y) is None or float(accumulator.jvp(y)) == 0
    assert float(accumulator.jvp(z)) == 6.0
