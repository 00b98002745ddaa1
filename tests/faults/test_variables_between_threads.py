"""Variables that several threads change: no update is lost, and no tensor that was read changes."""

import copy
import os
import pickle
import signal
import threading
from pathlib import Path

import numpy as np
import pytest
from faults.races import often, race

import gradtape as tf
from gradtape._src.compute import devices

pytestmark = pytest.mark.slow

N, ROWS = 4, 40
TIMES = 200
ONE = np.ones(3, np.float32)


def table():
    return tf.Variable(np.zeros((ROWS, 3), np.float32))


def slices(rows=(1, 1, 2)):
    return tf.IndexedSlices(np.ones((len(rows), 3), np.float32), np.array(rows))


# How a table is changed, and what each change adds to its elements in all.
ADDITIONS = {
    "assign_add": (lambda v: v.assign_add(np.ones((ROWS, 3), np.float32)), 3 * ROWS),
    "assign_sub": (lambda v: v.assign_sub(-np.ones((ROWS, 3), np.float32)), 3 * ROWS),
    "scatter_add": (lambda v: v.scatter_add(slices()), 9),
    "scatter_sub": (lambda v: v.scatter_sub(tf.IndexedSlices([-ONE], [5])), 3),
    "scatter_add, many rows": (lambda v: v.scatter_add(slices(range(ROWS))), 3 * ROWS),
    "scatter_nd_add": (lambda v: v.scatter_nd_add([[1, 0], [1, 0]], [1.0, 1.0]), 2),
    "scatter_nd_sub": (lambda v: v.scatter_nd_sub([[2]], [-ONE]), 3),
    "slice": (lambda v: v[3:5].assign_add(np.ones((2, 3), np.float32)), 6),
    "element": (lambda v: v[3, 1].assign_sub(-1.0), 1),
    "compat.v1": (lambda v: tf.compat.v1.scatter_add(v, [7], [ONE]), 3),
}


@pytest.mark.parametrize("name", ADDITIONS)
def test_no_addition_is_lost(name):
    change, each = ADDITIONS[name]
    v = table()
    race(*[often(lambda: change(v), TIMES)] * N)
    assert v.numpy().sum() == N * TIMES * each


def test_changes_of_all_kinds_at_once_add_up():
    v = table()
    changes = list(ADDITIONS.values())
    race(*[often(lambda change=change: change(v), 50) for change, _ in changes])
    assert v.numpy().sum() == 50 * sum(each for _, each in changes)


def test_an_assignment_comes_before_or_after_an_addition():
    v = tf.Variable(0.0)
    for _ in range(100):
        v.assign(0.0)
        race(often(lambda: v.assign_add(1.0), 10), lambda: v.assign(1000.0))
        assert 1000 <= v.numpy() <= 1010


# Tensors that were read.

WRITES = {
    "scatter_nd_update": lambda v, i: v.scatter_nd_update([[i % ROWS]], [ONE * i]),
    "scatter_add": lambda v, i: v.scatter_add(slices(range(ROWS))),
    "batch_scatter_update": lambda v, i: v.batch_scatter_update(
        tf.IndexedSlices(np.full((ROWS, 1), float(i), np.float32), np.full((ROWS, 1), i % 3))
    ),
    "slice": lambda v, i: v[i % ROWS].assign(ONE * i),
    "assign_add": lambda v, i: v.assign_add(np.ones((ROWS, 3), np.float32)),
}
READS = {
    "read_value": lambda v: v.read_value(),
    "convert_to_tensor": tf.convert_to_tensor,
    "slice": lambda v: v[2:30],
    "reshape": lambda v: tf.reshape(v, [-1]),
    "transpose": tf.transpose,
    "view of NumPy's": lambda v: tf.constant(np.asarray(v)),
}


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("read", READS)
def test_what_was_read_stays(write, read):
    v, stop = table(), threading.Event()

    def writer():
        i = 0
        while not stop.is_set():
            i += 1
            WRITES[write](v, i)

    def reader():
        try:
            kept = []
            for _ in range(300):
                x = READS[read](v)
                kept.append((x, x.numpy().tobytes()))
                kept = kept[-20:]
                assert all(y.numpy().tobytes() == before for y, before in kept)
        finally:
            stop.set()

    race(writer, reader)


def test_what_a_tape_keeps_stays():
    v, stop = tf.Variable(np.ones((ROWS, 3), np.float32)), threading.Event()

    def writer():
        while not stop.is_set():
            v.scatter_nd_update([[1]], [ONE * 5])
            v.scatter_nd_update([[1]], [ONE])

    def reader():
        try:
            for _ in range(200):
                with tf.GradientTape() as tape:
                    x = tf.convert_to_tensor(v)
                    before = x.numpy()
                    y = tf.reduce_sum(x * x)
                assert np.array_equal(tape.gradient(y, v).numpy(), 2 * before)
        finally:
            stop.set()

    race(writer, reader)


# The same in one thread: whether a value is in use never depends on how references are counted.

HOLDERS = {
    "tensor": lambda v: v.read_value(),
    "view": lambda v: v[1:],
    "view of a view": lambda v: tf.transpose(v[1:])[:, :2],
    "array": np.asarray,
    "memoryview": lambda v: memoryview(np.asarray(v)),
    "nested": lambda v: {"a": [v.read_value()]},
}


@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize("write", WRITES)
def test_a_value_in_use_is_not_overwritten(holder, write):
    v = table()
    v.scatter_add(slices())  # from here on changed in place
    held = HOLDERS[holder](v)
    before = copy.deepcopy(held) if holder != "memoryview" else bytes(held)
    WRITES[write](v, 7)
    WRITES[write](v, 8)
    if holder == "memoryview":
        assert bytes(held) == before
    else:
        tf.nest.map_structure(np.testing.assert_array_equal, held, before)


def test_rows_are_changed_in_place_where_nobody_reads_them_any_more():
    v = table()
    v.scatter_add(slices())
    memory = v._buffer._memory
    for _ in range(3):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(v, [1, 2]) ** 2)
        slope = tape.gradient(loss, v)
        v.scatter_sub(slope)
        v.scatter_nd_add([[0, 0]], [1.0])
        assert v._buffer._memory is memory
    held = v.read_value()
    v.scatter_add(slices())
    assert v._buffer._memory is not memory
    del held


def test_a_dense_assignment_frees_the_memory_of_rows():
    v = table()
    v.scatter_add(slices())
    v.assign(tf.zeros([ROWS, 3]))
    assert "_buffer" not in v.__dict__
    v.scatter_add(slices())
    assert v.numpy().sum() == 9


def test_an_error_leaves_the_variable_usable():
    v = table()
    v.scatter_add(slices())
    with pytest.raises(Exception, match="in \\[0, 40\\)"):
        v.scatter_add(slices([ROWS]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="shape"):
        v.scatter_nd_update([[1]], [[1.0, 2.0]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="broadcast"):
        v[1].assign([1.0, 2.0])
    with pytest.raises(tf.errors.InvalidArgumentError):
        v.assign_add(ONE)
    (done,) = race(lambda: v.scatter_add(slices()))  # nobody holds the lock
    assert done.numpy().sum() == 18


def test_copies_and_pickles_of_changed_rows_are_independent():
    v = table()
    v.scatter_add(slices())
    for twin in (copy.deepcopy(v), pickle.loads(pickle.dumps(v))):
        assert twin.numpy().sum() == 9
        v.scatter_add(slices())
        assert twin.numpy().sum() == 9
        twin.scatter_sub(slices())
        assert twin.numpy().sum() == 0
    assert v.numpy().sum() == 27


def test_copies_while_others_write_hold_one_moment():
    v = table()

    def copied():
        for _ in range(50):
            twin = copy.deepcopy(v).numpy()
            assert np.all(twin == twin[0, 0])

    race(often(lambda: v.scatter_add(slices(range(ROWS))), 200), copied)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:.*fork.*:RuntimeWarning")
def test_a_child_process_can_write_what_its_parent_was_writing():
    v, stop = table(), threading.Event()

    def writer():
        while not stop.is_set():
            v.scatter_add(slices(range(ROWS)))

    def forks():
        try:
            for _ in range(10):
                child = os.fork()
                if not child:
                    signal.alarm(60)  # where it waits for what never comes
                    value = v.assign_add(np.ones((ROWS, 3), np.float32)).numpy()
                    os._exit(0 if np.all(value == value[0, 0]) else 1)
                assert os.waitpid(child, 0)[1] == 0
        finally:
            stop.set()

    race(writer, forks)


# Variables of strategies.


@pytest.mark.parametrize("name", ["assign_add", "assign_sub", "scatter_add", "scatter_nd_add"])
def test_no_addition_to_a_mirrored_variable_is_lost(name, monkeypatch):
    monkeypatch.setattr(devices, "requested_processors", [2])
    change, each = ADDITIONS[name]
    with tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]).scope():
        v = table()
    held = v.read_value()
    race(*[often(lambda: change(v), 50)] * N)
    assert v.numpy().sum() == N * 50 * each
    assert [part.numpy().sum() for part in v.values] == [N * 50 * each] * 2
    assert held.numpy().sum() == 0


@pytest.mark.parametrize("args", [{}, {"weight_decay": 0.0}])
def test_no_step_of_gradient_descent_is_lost(args):
    v = tf.Variable([0.0, 0.0])
    optimizer = tf.keras.optimizers.SGD(1.0, **args)
    optimizer.build([v])
    g = tf.constant([1.0, 1.0])
    race(*[often(lambda: optimizer.apply_gradients([(g, v)]), 50)] * N)
    assert v.numpy().tolist() == [-200, -200]
    assert int(optimizer.iterations.numpy()) == 200


def test_sums_of_gradients_never_change_what_a_rule_returned():
    seen = []

    @tf.custom_gradient
    def watched(x):
        def vjp(g):
            seen.append((g, g.numpy().copy()))
            return g

        return tf.identity(x), vjp

    x = tf.Variable(np.ones((8, 8), np.float32))
    with tf.GradientTape() as tape:
        parts = [watched(x) * float(k) for k in range(1, 6)]
        y = watched(tf.add_n(parts) + parts[0] + parts[0])
    gradient = tape.gradient(y, x)
    assert np.all(gradient.numpy() == 17)
    assert len(seen) == 6
    for g, before in seen:
        np.testing.assert_array_equal(g.numpy(), before)


def test_no_count_of_references_decides():
    """Pythons differ in what they count; a search of the sources finds who relies on it."""
    root = Path(tf.__file__).parent
    assert [p for p in root.rglob("*.py") if "getrefcount" in p.read_text("utf-8")] == []


# While a function is traced, its variables stand for inputs of the program, in its thread alone.


def test_other_threads_read_the_value_while_a_function_is_traced():
    pytest.importorskip("jax")
    v, w = tf.Variable([1.0, 2.0]), tf.Variable([0.0, 0.0])
    traced, read = threading.Event(), threading.Event()

    @tf.function(jit_compile=True)
    def step():
        w.assign_add(v)
        w.scatter_nd_add([[0]], [1.0])
        traced.set()
        assert read.wait(60)
        return w + v

    def reader():
        assert traced.wait(60)
        try:
            return v.read_value().numpy().tolist(), (w + 1.0).numpy().tolist()
        finally:
            read.set()

    def writer():
        assert traced.wait(60)
        v.assign_add([1.0, 1.0])  # before or after the step, which it waits for

    out, found, _ = race(step, reader, writer)
    assert found == ([1, 2], [1, 1])
    assert v.numpy().tolist() == [2, 3]
    assert w.numpy().tolist() in ([2, 2], [3, 3])
    assert out.numpy().tolist() in ([3, 4], [5, 6])
