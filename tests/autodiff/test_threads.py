"""Every thread has its own tapes; an exception leaves nothing behind."""

import sys
import threading

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.core.recorder import STACK


@pytest.fixture
def switching():
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def in_threads(job, count=8):
    """Runs `job(i)` in that many threads at once; gives the results in order."""
    results, failures = [None] * count, []
    barrier = threading.Barrier(count)

    def run(i):
        try:
            barrier.wait()
            results[i] = job(i)
        except BaseException as error:  # noqa: BLE001  (reported below)
            failures.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures
    return results


def test_eight_threads_with_their_own_tapes(switching):
    shared = tf.Variable(2.0)

    def job(i):
        found = []
        for k in range(100):
            x = tf.constant(float(i + k))
            with tf.GradientTape() as outer:
                outer.watch(x)
                with tf.GradientTape() as inner:
                    inner.watch(x)
                    y = x * x * x * shared
                g = inner.gradient(y, x)
            found.append((float(g), float(outer.gradient(g, x))))
        return found

    for i, found in enumerate(in_threads(job)):
        assert found == [(6.0 * (i + k) ** 2, 12.0 * (i + k)) for k in range(100)]


def test_a_tape_records_nothing_of_other_threads():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        ys = in_threads(lambda _: x * x)
        y = x * 2.0
    assert [tape.gradient(z, x) for z in []] == []
    assert len(tape.records) == 1
    assert float(tape.gradient([y, *ys], x)) == 2.0


def test_a_tape_can_be_asked_in_another_thread():
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    assert [float(g) for g in in_threads(lambda _: tape.gradient(y, x))] == [6.0] * 8


def test_jacobians_in_threads(switching):
    def job(i):
        x = tf.constant(np.arange(4.0) + i)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x * x
        return tape.jacobian(y, x).numpy()

    for i, j in enumerate(in_threads(job)):
        np.testing.assert_array_equal(j, np.diag(3 * (np.arange(4.0) + i) ** 2))


@pytest.fixture(autouse=True)
def _nothing_is_left():
    yield
    assert STACK.recorders == ()


def fine():
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = v * v
    return float(tape.gradient(y, v)) == 6.0 and len(tape.watched_variables()) == 1


def test_an_exception_inside_a_tape():
    with pytest.raises(KeyError), tf.GradientTape(), tf.GradientTape():
        raise KeyError
    assert fine()


def test_the_tape_in_which_it_was_raised_can_go_on():
    tape, x = tf.GradientTape(), tf.constant(3.0)
    results = []

    def body():
        with tape:
            tape.watch(x)
            results.append(x * x)
            raise KeyError

    with pytest.raises(KeyError):
        body()
    (y,) = results
    with tape:
        z = y * x
    assert float(tape.gradient(z, x)) == 27.0


def test_an_exception_inside_stop_recording():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        with pytest.raises(KeyError), tape.stop_recording():
            raise KeyError
        y = x * x
    assert float(tape.gradient(y, x)) == 6.0
    assert fine()


def failing():
    @tf.custom_gradient
    def function(x):
        def grad(dy):
            raise KeyError("in a rule")

        return x * 1.0, grad

    x = tf.constant([3.0, 4.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = function(x)
    return tape, y, x


@pytest.mark.parametrize("method", ["gradient", "jacobian"])
def test_an_exception_inside_a_rule(method):
    tape, y, x = failing()
    with pytest.raises(KeyError, match="in a rule"):
        getattr(tape, method)(y, x)
    assert STACK.recorders == ()
    assert fine()


def test_an_exception_inside_a_rule_under_an_outer_tape():
    with tf.GradientTape() as outer:
        tape, y, x = failing()
        outer.watch(x)
        with pytest.raises(KeyError):
            tape.jacobian(y, x)
        assert STACK.recorders == (outer,)
        z = x * x
    assert outer.gradient(z, x).numpy().tolist() == [6.0, 8.0]


def test_an_exception_inside_a_kernel():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        with pytest.raises(tf.errors.InvalidArgumentError):
            _ = x + tf.ones((3,))
        y = x * x
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 4.0]
    assert fine()
