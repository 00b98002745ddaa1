"""Generated backward passes give what the loop over the records gives."""

import gc
import tracemalloc
import weakref

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.core import straight_backward
from gradtape._src.core.straight_backward import _MOST_PASSES, _REPEATS, _sequences, straight


@pytest.fixture(autouse=True)
def forgotten():
    """Starts each test without passes."""
    _sequences.clear()


@pytest.fixture
def passes(monkeypatch):
    """Returns the list of whether each backward pass ran as a generated one."""
    ran = []

    def watched(*args):
        found = straight(*args)
        ran.append(found is not None)
        return found

    monkeypatch.setattr("gradtape._src.autodiff.walk.straight", watched)
    return ran


def matrix(*shape, seed=0, dtype="f4"):
    return np.random.default_rng([seed, *shape]).normal(size=shape).astype(dtype)


def as_arrays(gradients):
    return [None if g is None else np.asarray(tf.convert_to_tensor(g)) for g in gradients]


w, b = tf.Variable(matrix(3, 3)), tf.Variable(matrix(3))
rows = tf.Variable(matrix(5, 3))
halves = tf.Variable(matrix(3, dtype="f2"))
alone = tf.Variable(1.0)
x = tf.constant(matrix(2, 3))


def longer(y):
    """Returns the same value after some operations, as short sequences have no passes."""
    for _ in range(4):
        y = -y
    return y


def network():
    h = tf.tanh(x @ w + b)
    return tf.reduce_mean(h @ w + b), [w, b]


def one_value_many_times():
    h = tf.exp(w * 0.1)
    return tf.reduce_sum(h * h + h * 2.0 + h - w), [w]


def rows_of_a_table():
    return longer(tf.reduce_sum(tf.gather(rows, [0, 2, 2]) * 2.0)), [rows]


def rows_twice_and_the_whole():
    return tf.reduce_sum(tf.gather(rows, [0, 2])) + tf.reduce_sum(rows * rows), [rows]


def several_outputs():
    first, second, _ = tf.split(w * w, 3)
    return longer(tf.reduce_sum(first * second)), [w]


def an_intermediate_value():
    h = tf.tanh(x @ w)
    return longer(tf.reduce_sum(h * h)), [h, w, b]


def sums_of_16_bits():
    h = halves * halves
    return tf.reduce_sum(h * h + halves + h), [halves, h]


def a_source_that_is_not_connected():
    return longer(tf.reduce_sum(w * w)), [alone, w]


def a_target_before_the_end():
    h = longer(tf.reduce_sum(w * w))
    _ = tf.exp(h) * w
    return h, [w]


def a_gradient_that_stops():
    return longer(tf.reduce_sum(tf.stop_gradient(w) * w + tf.floor(w))), [w]


def whole_numbers_between():
    return longer(tf.reduce_sum(tf.cast(tf.cast(w, tf.int32), tf.float32) * w)), [w]


@pytest.mark.parametrize(
    "make",
    [
        network,
        one_value_many_times,
        rows_of_a_table,
        rows_twice_and_the_whole,
        several_outputs,
        an_intermediate_value,
        sums_of_16_bits,
        a_source_that_is_not_connected,
        a_target_before_the_end,
        a_gradient_that_stops,
        whole_numbers_between,
    ],
)
def test_repeated_passes_give_what_the_first_one_gave(make, passes):
    results = []
    for _ in range(_REPEATS + 5):
        with tf.GradientTape() as tape:
            target, sources = make()
        results.append(tape.gradient(target, sources))
    assert not passes[0]
    assert passes[-1]
    kinds = [type(g) for g in results[0]]
    for gradients in results[1:]:
        assert [type(g) for g in gradients] == kinds
        for one, other in zip(as_arrays(gradients), as_arrays(results[0]), strict=True):
            np.testing.assert_array_equal(one, other)


def product(a, b, sources):
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        y = longer(a * b)
    return [None if g is None else float(g) for g in tape.gradient(y, sources)]


def test_the_same_operations_connected_in_another_way(passes):
    a, b = tf.constant(2.0), tf.constant(3.0)
    for _ in range(3 * _REPEATS):
        assert product(a, b, [a, b]) == [3.0, 2.0]
        assert product(a, a, [a]) == [4.0]
        assert product(a, b, [b]) == [2.0]
    assert all(passes[-3:])


def test_the_number_of_passes_for_the_same_operations_is_limited(passes):
    values = [tf.constant(float(n)) for n in range(1, 5)]
    chosen = np.random.default_rng(0).integers(0, 4, (1000, 4))
    for a, b, c, d in chosen:
        with tf.GradientTape() as tape:
            tape.watch(values)
            y = longer(values[a] * values[b] * (values[c] * values[d]))
        found = tape.gradient(y, values, unconnected_gradients="zero")
        powers = np.bincount([a, b, c, d], minlength=4)
        whole = np.prod(np.arange(1.0, 5.0) ** powers)
        np.testing.assert_allclose(as_arrays(found), powers * whole / np.arange(1.0, 5.0))
    assert any(passes)
    assert all(len(s.passes) <= _MOST_PASSES for s in _sequences.values())


def test_custom_gradients_are_not_kept_alive():
    @tf.custom_gradient
    def triple(v):
        return v * 3.0, lambda dy: dy * 3.0

    v = tf.constant(matrix(3))
    for _ in range(3):
        with tf.GradientTape() as tape:
            tape.watch(v)
            y = longer(triple(v))
        kept = weakref.ref(y)
        tape.gradient(y, v)
        del y, tape
    gc.collect()
    assert kept() is None
    assert not _sequences


def test_sequences_do_not_pile_up(monkeypatch):
    monkeypatch.setattr(straight_backward, "_MOST_SEQUENCES", 8)
    for length in range(4, 34):
        with tf.GradientTape() as tape:
            y = alone * 1.0
            for _ in range(length):
                y = -y
        assert float(tape.gradient(y, alone)) == (-1.0) ** length
        assert len(_sequences) <= 8


def test_an_error_in_a_rule_leaves_the_next_pass_as_it_was(monkeypatch, passes):
    def step():
        with tf.GradientTape() as tape:
            y = longer(tf.reduce_sum(tf.tanh(w * 2.0)))
        return tape.gradient(y, w)

    for _ in range(_REPEATS + 2):
        expected = step()
    (plan,) = [p for plans in _sequences for p in plans if p.primitive.name == "Tanh"]
    with monkeypatch.context() as patch:
        patch.setattr(plan, "vjp_raw", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            step()
    np.testing.assert_array_equal(step(), expected)
    assert passes[-1]


def peak_of_a_step(v):
    with tf.GradientTape() as tape:
        h = v
        for _ in range(30):
            h = tf.exp(h * 0.01)
        y = tf.reduce_sum(h)
    del h
    tracemalloc.start()
    tape.gradient(y, v)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def test_a_generated_pass_releases_records_as_the_loop_does(passes):
    v = tf.Variable(np.zeros(100_000, "f4"))
    peaks = [peak_of_a_step(v) for _ in range(_REPEATS + 3)]
    assert passes[-1]
    assert peaks[-1] < 1.2 * peaks[0] < 10 * 4 * 100_000
