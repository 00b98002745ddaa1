"""Long tapes, many tapes, and what stays in memory because of them."""

import gc
import time
import tracemalloc
import weakref

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.core.tensor import Tensor


def chain(length):
    """Seconds to record and differentiate that many operations on a scalar."""
    x = tf.constant(1.0)
    start = time.perf_counter()
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in range(length):
            y = -y
    g = tape.gradient(y, x)
    assert float(g) == (-1.0) ** length
    return time.perf_counter() - start


def test_a_million_operations_in_time_linear_in_their_number():
    chain(1000)
    short = min(chain(50_000) for _ in range(3))
    assert chain(1_000_000) < 20 * short * 4


def test_a_wide_sum_in_time_linear_in_its_length():
    """One value used many times, and many targets."""

    def fan(width):
        x = tf.constant(1.0)
        start = time.perf_counter()
        with tf.GradientTape() as tape:
            tape.watch(x)
            ys = [x * 2.0 for _ in range(width)]
        assert float(tape.gradient(ys, x)) == 2.0 * width
        return time.perf_counter() - start

    short = min(fan(5_000) for _ in range(3))
    assert min(fan(50_000) for _ in range(3)) < 10 * short * 5


def step():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, x)


def test_a_hundred_thousand_tapes_leave_nothing_behind():
    gc.collect()
    for _ in range(1000):
        step()
    gc.disable()  # whatever a cycle holds counts as held
    try:
        tracemalloc.start()
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(2_000):
            step()
        after, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        objects = len(gc.get_objects())
        for _ in range(98_000):
            step()
        assert len(gc.get_objects()) < objects + 100
    finally:
        gc.enable()
        tracemalloc.stop()
    assert after - before < 10_000


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


def watched(function, x, **options):
    with tf.GradientTape(**options) as tape:
        tape.watch(x)
        y = function(x)
    return tape, y


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


KEPT = {
    "add": (lambda x: x + 2.0, 0),
    "sub": (lambda x: 2.0 - x, 0),
    "neg": (lambda x: -x, 0),
    "scale": (lambda x: x * 3.0, 1),
    "square": (lambda x: x * x, 2),
    "relu": (lambda x: tf.nn.relu(x), 1),
    "exp": (lambda x: tf.exp(x), 1),
    "sum": (lambda x: tf.reduce_sum(x), 0),
    "mean": (lambda x: tf.reduce_mean(x), 0),
    "reshape": (lambda x: tf.reshape(x, (4, 1)), 0),
    "transpose": (lambda x: tf.transpose(x), 0),
    "concat": (lambda x: tf.concat([x, x], 0), 0),
    "slice": (lambda x: x[0], 0),
    "cast": (lambda x: tf.cast(x, tf.float64), 0),
    "matmul by a constant": (lambda x: x @ tf.ones((2, 2)), 1),
}


@pytest.mark.parametrize(("function", "most"), KEPT.values(), ids=KEPT)
def test_a_record_keeps_what_its_rule_needs(function, most):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    tape, _ = watched(function, x)
    (record,) = tape.records
    assert len(record[3]) <= most
    assert all(type(s) is Tensor for s in record[3])


@pytest.mark.parametrize("name", ["relu", "exp", "sigmoid", "tanh", "sqrt", "softmax"])
def test_what_is_told_from_the_output_does_not_keep_the_input(name):
    function = getattr(tf.nn, name, None) or getattr(tf, name)
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        h = x + 1.0
        y = function(h)
    reference = weakref.ref(h)
    del h
    assert reference() is None
    assert tape.gradient(y, x).shape == (2, 2)


def test_operations_on_what_nobody_watches_are_not_recorded():
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.constant(2.0) * tf.constant(3.0)
        _ = tf.exp(y)
    assert tape.records == []


def test_operations_without_a_derivative_are_not_recorded():
    x = tf.constant([1.5, 2.5])
    tape, y = watched(lambda x: tf.floor(x) + tf.cast(x > 2.0, tf.float32), x)
    assert tape.records == []
    assert tape.gradient(y, x) is None


def test_a_deep_structure_of_sources():
    x = tf.constant(1.0)
    structure = x
    for _ in range(100):
        structure = [structure]
    tape, y = watched(lambda x: x * 2.0, x)
    got = tape.gradient(y, structure)
    for _ in range(100):
        (got,) = got
    np.testing.assert_array_equal(got, 2.0)
