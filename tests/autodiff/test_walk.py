"""The time that a walk through the records takes, and the memory that it keeps."""

import tracemalloc
import weakref

import pytest
from checks import watched
from clocks import processor_time

import gradtape as tf


def chain(length):
    """Seconds to record and differentiate that many operations on a scalar."""
    x = tf.constant(1.0)
    start = processor_time()
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in range(length):
            y = -y
    g = tape.gradient(y, x)
    assert float(g) == (-1.0) ** length
    return processor_time() - start


@pytest.mark.slow
def test_a_million_operations_in_time_linear_in_their_number():
    chain(1000)
    short = min(chain(50_000) for _ in range(3))
    assert chain(1_000_000) < 20 * short * 4


@pytest.mark.slow
def test_a_wide_sum_in_time_linear_in_its_length():
    """One value used many times, and many targets."""

    def fan(width):
        x = tf.constant(1.0)
        start = processor_time()
        with tf.GradientTape() as tape:
            tape.watch(x)
            ys = [x * 2.0 for _ in range(width)]
        assert float(tape.gradient(ys, x)) == 2.0 * width
        return processor_time() - start

    short = min(fan(5_000) for _ in range(3))
    assert min(fan(50_000) for _ in range(3)) < 10 * short * 5


def training_step(v, size=10_000):
    with tf.GradientTape() as tape:
        h = v * tf.ones((size,))
        loss = tf.reduce_sum(h * h)
    v.assign_sub(1e-9 * tape.gradient(loss, v))
    return loss


def test_a_list_of_losses_does_not_hold_their_activations():
    v = tf.Variable(1.0)
    training_step(v)
    tracemalloc.start()
    losses = [training_step(v) for _ in range(1000)]
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(losses) == 1000
    assert held < 1000 * 1000  # one activation alone has 40,000 bytes


def test_a_loss_holds_no_activation_even_where_no_gradient_was_asked():
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        h = v * 2.0
        loss = tf.reduce_sum(h * h)
    activation = weakref.ref(h)
    del h
    assert activation() is not None  # the tape's record keeps it
    del tape
    assert activation() is None
    assert float(loss) == 20.0


def test_the_first_gradient_frees_the_records():
    x = tf.constant([1.0, 2.0])
    tape, y = watched(lambda x: tf.sin(x * x), x)
    kept = [weakref.ref(s) for _, _, _, saved, _ in tape.records for s in saved if s is not x]
    assert kept
    tape.gradient(y, x)
    assert list(tape.records) == []
    assert [r() for r in kept if r() is not y] == [None] * len([r for r in kept if r() is not y])


def test_a_persistent_tape_keeps_them_until_it_goes():
    x = tf.constant([1.0, 2.0])
    tape, y = watched(lambda x: tf.sin(x * x), x, persistent=True)
    count = len(tape.records)
    tape.gradient(y, x)
    assert len(tape.records) == count == 2
    (inner,) = tape.records[1][3]
    inner = weakref.ref(inner)
    del tape
    assert inner() is None


def test_a_failed_gradient_frees_them_when_the_tape_goes():
    x = tf.constant([1.0, 2.0])
    tape, y = watched(lambda x: tf.sin(x * x), x)
    reference = weakref.ref(tape)
    with pytest.raises(AttributeError):
        tape.gradient(y, 3.0)
    del tape
    assert reference() is None
