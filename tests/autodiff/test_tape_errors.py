"""Errors of tapes: TensorFlow's exception types, and helpful messages."""

import pytest
from checks import watched

import gradtape as tf

USED_UP = "non-persistent GradientTape can only be used to ?compute one set of gradients"


def squared(x=None, **options):
    x = tf.constant(3.0) if x is None else x
    return *watched(lambda x: x * x, x, **options), x


@pytest.mark.parametrize("again", ["gradient", "jacobian", "batch_jacobian"])
@pytest.mark.parametrize("first", ["gradient", "jacobian", "batch_jacobian"])
def test_a_tape_that_is_not_persistent_answers_once(first, again):
    tape, y, x = squared(tf.constant([[3.0]]))
    getattr(tape, first)(y, x)
    with pytest.raises(RuntimeError, match=USED_UP):
        getattr(tape, again)(y, x)


def test_a_gradient_inside_the_context_uses_the_tape_up_too():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        g = tape.gradient(y, x)
        z = g * x
    with pytest.raises(RuntimeError, match=USED_UP):
        tape.gradient(z, x)


def test_a_tape_that_was_never_entered_has_nothing_to_answer():
    x = tf.constant(1.0)
    with pytest.raises(RuntimeError, match=USED_UP):
        tf.GradientTape().gradient(x, x)


def test_an_active_tape_cannot_be_entered_again():
    with tf.GradientTape() as tape, pytest.raises(ValueError, match="Tape is still recording"):
        tape.__enter__()


def test_watching_needs_a_tape_that_was_entered():
    with pytest.raises(AttributeError):
        tf.GradientTape().watch(tf.constant(1.0))


def test_stop_recording_needs_a_tape_that_was_entered():
    with (
        pytest.raises(RuntimeError, match="stop recording a tape which is not recording"),
        tf.GradientTape().stop_recording(),
    ):
        pass


def test_stop_recording_within_stop_recording():
    with (
        tf.GradientTape() as tape,
        pytest.raises(ValueError, match="Tape is not recording"),
        tape.stop_recording(),
        tape.stop_recording(),
    ):
        pass


def test_reset_needs_a_tape_that_records():
    with pytest.raises(ValueError, match="Tape is not recording"):
        tf.GradientTape().reset()
    tape, _, _ = squared(persistent=True)
    with pytest.raises(ValueError, match="Tape is not recording"):
        tape.reset()


def test_an_error_leaves_the_tape_as_it_was():
    tape, y, x = squared(persistent=True)
    with pytest.raises(AttributeError):
        tape.gradient(y, 3.0)
    assert float(tape.gradient(y, x)) == 6.0


# Operations on the way.


def test_tensors_of_two_dtypes():
    a, b = tf.constant(1.0), tf.constant(1.0, tf.float64)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"Mul as input #1.* float tensor but is a double"
    ):
        _ = a * b


def test_shapes_that_do_not_broadcast():
    message = r"Incompatible shapes: \[2,3\] vs. \[4,5\]"
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        _ = tf.ones((2, 3)) + tf.ones((4, 5))


def test_an_operation_without_a_gradient():
    picture = tf.constant([[[0.5, 0.0, 0.0]]])
    with tf.GradientTape() as tape:
        tape.watch(picture)
        y = tf.image.adjust_contrast(picture, 0.1)
    with pytest.raises(LookupError, match="gradient registry has no entry for: AdjustContrastv2"):
        tape.gradient(y, picture)


def test_an_operation_without_a_gradient_elsewhere_on_the_way_to_the_target():
    picture, w = tf.constant([[[0.5, 0.0, 0.0]]]), tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch([picture, w])
        y = tf.reduce_sum(tf.image.adjust_contrast(picture, 0.1)) * w
    with pytest.raises(LookupError, match="AdjustContrastv2"):
        tape.gradient(y, w)


def test_batch_jacobian_needs_a_batch_and_something_in_it():
    tape, y, x = squared(tf.ones((3,)))
    with pytest.raises(ValueError, match="must have rank at least 2"):
        tape.batch_jacobian(y, x)


def test_batch_jacobian_needs_equal_batches():
    x = tf.ones((2, 3))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.concat([x, x], 0)
    message = r"target shape \(\(4, 3\)\) and source shape \(\(2, 3\)\) to match"
    with pytest.raises(ValueError, match=message):
        tape.batch_jacobian(y, x)


@pytest.mark.parametrize("method", ["jacobian", "batch_jacobian"])
def test_a_jacobian_by_a_loop_needs_a_persistent_tape(method):
    tape, y, x = squared(tf.ones((2, 3)))
    with pytest.raises(RuntimeError, match="must be created with persistent=True"):
        getattr(tape, method)(y, x, experimental_use_pfor=False)


def test_batch_jacobian_by_parallel_iterations_needs_a_persistent_tape():
    tape, y, x = squared(tf.ones((2, 3)))
    with pytest.raises(RuntimeError, match=r"persistent=True .* with parallel_iterations"):
        tape.batch_jacobian(y, x, parallel_iterations=2)


@pytest.mark.parametrize("method", ["jacobian", "batch_jacobian"])
def test_the_target_of_a_jacobian_is_one_tensor(method):
    tape, y, x = squared(tf.ones((2, 3)))
    with pytest.raises(AttributeError, match="'list' object has no attribute"):
        getattr(tape, method)([y], x)


def test_the_source_of_a_batch_jacobian_is_one_tensor():
    tape, y, x = squared(tf.ones((2, 3)))
    with pytest.raises(AttributeError, match="'list' object has no attribute 'shape'"):
        tape.batch_jacobian(y, [x])
