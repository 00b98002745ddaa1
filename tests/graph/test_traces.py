"""Traces: made once whatever the number of threads, given up with whatever the function raises,
and nothing left behind by those that fail."""

import collections
import gc
import threading
import weakref

import pytest

import gradtape as tf
from gradtape._src.core.recorder import STACK


def test_threads_that_call_first_share_one_trace():
    runs, results = [], []
    start = threading.Barrier(8)

    @tf.function
    def f(x):
        runs.append(1)
        for _ in range(100):
            x = x + 1.0
        return x

    def call():
        start.wait()
        results.append(float(f(tf.constant(1.0))))

    threads = [threading.Thread(target=call) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert results == [101.0] * 8
    assert len(runs) == f.experimental_get_tracing_count() == 1


def test_another_thread_reads_a_variable_while_a_function_assigns_it_in_its_trace():
    v = tf.Variable([1.0, 2.0])
    traced, read = threading.Event(), threading.Event()
    seen = []

    @tf.function
    def f(x):
        v.assign_add(x)
        traced.set()
        assert read.wait(60)
        return v + 0.0

    def reader():
        assert traced.wait(60)
        seen.append(v.numpy().tolist())
        seen.append((v * 2.0).numpy().tolist())
        read.set()

    thread = threading.Thread(target=reader)
    thread.start()
    out = f(tf.constant([1.0, 1.0]))
    thread.join()
    assert seen == [[1.0, 2.0], [2.0, 4.0]]
    assert out.numpy().tolist() == v.numpy().tolist() == [2.0, 3.0]


class MineError(Exception):
    pass


def raised(x):
    raise MineError(x)


V = tf.Variable([1.0, 2.0])


def raises_under_a_tape(x):
    with tf.GradientTape(), tf.GradientTape():
        raised(V * x)


def raises_in_a_branch(x):
    def branch():
        V.assign(x)
        raised(x)

    return tf.cond(x[0] > 0, branch, lambda: x)


def raises_in_a_loop(x):
    def body(y):
        V.assign(y)
        raised(y)

    return tf.while_loop(lambda y: y[0] < 3, body, [x])


def raises_in_an_inner_function(x):
    return tf.function(raised)(x)


def is_interrupted(x):
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (raised, MineError),
        (raises_under_a_tape, MineError),
        (raises_in_a_branch, MineError),
        (raises_in_a_loop, MineError),
        (raises_in_an_inner_function, MineError),
        (is_interrupted, KeyboardInterrupt),
    ],
)
def test_what_a_trace_raises_leaves_variables_and_recorders_as_they_were(body, error):
    V.assign([1.0, 2.0])
    kept = []

    @tf.function
    def f(x):
        kept.append(x)
        V.assign_add(x)
        return body(x)

    for _ in range(2):
        with pytest.raises(error):
            f(tf.constant([1.0, 1.0]))
        assert STACK.recorders == ()
        assert V.numpy().tolist() == [1.0, 2.0]
        V.assign([1.0, 2.0])
    with pytest.raises(TypeError, match="out of scope"):
        kept[0] + 1.0


def test_a_tensor_of_a_branch_is_out_of_scope_after_the_trace():
    kept = []

    @tf.function
    def f(x):
        def branch():
            kept.append(x + 1.0)
            return x

        return tf.cond(x > 0, branch, lambda: x)

    f(tf.constant(1.0))
    with pytest.raises(TypeError, match="out of scope"):
        kept[0] + 1.0
    assert "dtype=float32" in repr(kept[0])
    assert "dtype=float32" in f"{kept[0]}"


def test_ten_thousand_operations_and_their_gradients_need_no_deep_stack():
    v = tf.Variable(1.0)

    @tf.function
    def f(x):
        for _ in range(5000):
            x = x * 0.5 + v
        return x

    with tf.GradientTape() as tape:
        y = f(tf.constant(1.0))
    assert float(y) == pytest.approx(2.0)
    assert float(tape.gradient(y, v)) == pytest.approx(2.0)


def test_what_was_assigned_before_an_assertion_failed_stays():
    v = tf.Variable(1.0)

    @tf.function
    def f(x):
        v.assign_add(x)
        tf.debugging.assert_less(x, 0.0)
        v.assign_add(10.0)

    for expected in (3.0, 5.0):
        with pytest.raises(tf.errors.InvalidArgumentError):
            f(tf.constant(2.0))
        assert v.numpy() == expected


def test_a_variable_whose_shape_changes():
    v = tf.Variable([1, 2], shape=tf.TensorShape(None))
    count = tf.function(lambda: tf.size(v))
    assert count().numpy() == 2
    v.assign([[1, 2], [3, 4]])
    assert count().numpy() == 4


def test_a_check_whose_result_is_not_used():
    @tf.function
    def checked(x):
        tf.debugging.check_numerics(x, "bad")
        return x * 2

    assert checked(tf.constant(1.0)).numpy() == 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="bad"):
        checked(tf.constant(float("nan")))


def test_an_operation_with_wrong_known_values_that_nobody_needs():
    @tf.function
    def first(x):
        tf.gather(x, [7])
        return x[0]

    assert first(tf.constant([1, 2])).numpy() == 1
    assert first.experimental_get_tracing_count() == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="7"):
        tf.function(lambda x: tf.gather(x, [7]))(tf.constant([1, 2]))


def test_explanations_tell_what_choices_and_loops_run():
    @tf.function
    def f(x):
        while tf.reduce_sum(x) < 10.0:
            x = x * 2.0 + 1.0
        return x

    f(tf.constant([1.0]))
    text = f.explain()
    assert "While runs cond: 2 operations" in text
    assert "While runs body: 3 operations" in text


def test_a_tape_around_a_function_is_used_inside():
    x, v = tf.constant(3.0), tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)

        @tf.function
        def both(a):
            y = x * x * v * a
            return y, tape.gradient(y, [x, v])

        for a in (1.0, 1.0, 10.0):
            y, inside = both(tf.constant(a))
            assert [float(g) for g in inside] == [12 * a, 9 * a]
    assert [float(g) for g in tape.gradient(y, [x, v])] == [120, 90]
    assert both.experimental_get_tracing_count() == 1


def test_a_tape_that_is_not_persistent_is_used_inside_of_nested_functions():
    @tf.function
    def outer(x):
        with tf.GradientTape() as tape:
            tape.watch(x)

            @tf.function
            def inner():
                return tape.gradient(x**3, x)

            return inner()

    assert outer(tf.constant(2.0)).numpy() == 12


@pytest.mark.parametrize("numbers", [(1, 1.0, True, 1 + 0j), (0, 0.0, -0.0, False)])
def test_equal_numbers_share_a_trace(numbers):
    seen = []

    @tf.function
    def f(n):
        seen.append(n)
        return tf.constant(0)

    for n in numbers:
        f(n)
        f(float("nan"))
    assert repr(seen) == repr([numbers[0], float("nan")])


def test_kinds_of_dictionaries_share_a_trace():
    kinds = []

    @tf.function
    def f(d):
        kinds.append(type(d))
        return {name: x + 1 for name, x in d.items()}

    default = collections.defaultdict(int, a=tf.constant(5))
    assert f(default)["a"].numpy() == 6
    assert f({"a": tf.constant(1)})["a"].numpy() == 2
    assert f(collections.OrderedDict(a=tf.constant(2)))["a"].numpy() == 3
    assert kinds == [dict]


def _counting(traced, **options):
    @tf.function(**options)
    def f(v, x):
        traced.append(v)
        v.assign_add(x)
        return v * x

    return f


@pytest.mark.parametrize("jit_compile", [False, True])
def test_variables_of_one_kind_share_a_trace(jit_compile):
    if jit_compile:
        pytest.importorskip("jax")
    traced = []
    f = _counting(traced, jit_compile=jit_compile)
    a, b, c = tf.Variable(1.0), tf.Variable(10.0), tf.Variable([1.0])
    for _ in range(3):
        assert f(a, 2.0).numpy() == 2.0 * a.numpy()
        assert f(b, 2.0).numpy() == 2.0 * b.numpy()
    assert a.numpy() == 7.0
    assert b.numpy() == 16.0
    assert len(traced) == 1
    f(c, [1.0])
    f(tf.Variable(1), 1)
    f(tf.Variable(1.0, trainable=False), 2.0)
    assert f.experimental_get_tracing_count() == len(traced) == 4
    assert "called 6 times" in f.explain()


def test_a_variable_in_the_closure_is_not_the_argument():
    own = tf.Variable(2.0)

    @tf.function
    def f(v):
        own.assign_add(1.0)
        return v * own

    other = tf.Variable(5.0)
    assert f(own).numpy() == 9.0
    assert f(other).numpy() == 20.0
    with tf.GradientTape() as tape:
        y = f(other) + f(own)
    assert [d.numpy() for d in tape.gradient(y, [own, other])] == [5.0 + 2 * 6.0, 5.0]
    assert (own.numpy(), other.numpy()) == (6.0, 5.0)


def test_a_function_in_a_function_gets_its_variable():
    @tf.function
    def inner(v, x):
        if x > 0.0:
            v.assign_add(x)
        return v + 0.0

    @tf.function
    def outer(v, w):
        return inner(v, 1.0) + inner(w, tf.constant(-1.0))

    a, b = tf.Variable(1.0), tf.Variable(10.0)
    found = [outer(*pair).numpy() for pair in ((a, b), (b, a), (a, a))]
    assert found == [12.0, 13.0, 6.0]
    assert (a.numpy(), b.numpy()) == (3.0, 11.0)
    assert outer.experimental_get_tracing_count() == 2


def test_python_functions_in_a_graph_keep_their_variable():
    @tf.function
    def f(v):
        return tf.numpy_function(lambda: v.assign_add(1.0).numpy(), [], tf.float32)

    a, b = tf.Variable(1.0), tf.Variable(10.0)
    assert [f(a).numpy(), f(b).numpy(), f(a).numpy()] == [2.0, 11.0, 3.0]
    assert f.experimental_get_tracing_count() == 2


def test_graphs_for_many_variables_are_dropped():
    traced = []
    f = _counting(traced)
    kept = tf.Variable(0.0)
    f(kept, 1.0)
    first = [tf.Variable(float(i)) for i in range(110)]
    references = [weakref.ref(v) for v in first]
    for v in first:
        f(v, 1.0)
    del v, first
    gc.collect()
    assert len(traced) == 1
    assert sum(ref() is not None for ref in references) < 20
    assert f(kept, 1.0).numpy() == 2.0


def test_ragged_and_sparse_tensors_of_other_sizes_need_no_further_traces():
    @tf.function
    def rows(x):
        return tf.reduce_sum(x, 1), (x * 2).to_tensor()

    for rows_given in ([[1, 2], [3]], [[1], [2]], [[1, 2, 3], [4, 5]], [[], [6, 7]]):
        sums, dense = rows(tf.ragged.constant(rows_given, dtype=tf.int32))
        assert sums.numpy().tolist() == [sum(row) for row in rows_given]
        assert dense.numpy().sum(axis=1).tolist() == [2 * sum(row) for row in rows_given]
    assert rows.experimental_get_tracing_count() == 2
    rows(tf.ragged.constant([[1], [2], [3]]))
    assert rows.experimental_get_tracing_count() == 3

    @tf.function
    def product(x, w):
        return tf.sparse.sparse_dense_matmul(x, w)

    w = tf.constant([[1.0], [2.0]])
    for places in ([[0, 1]], [[0, 0], [1, 1]], [[0, 0], [0, 1], [1, 1]], [[1, 0]]):
        x = tf.SparseTensor(places, [1.0] * len(places), [2, 2])
        expected = tf.sparse.to_dense(x) @ w
        assert product(x, w).numpy().tolist() == expected.numpy().tolist()
    assert product.experimental_get_tracing_count() == 2
