"""The traces that XLA compiles: keys of calls, and objects that they must not keep alive."""

from __future__ import annotations

import copy
import functools
import math

import numpy as np
import pytest

import gradtape as tf

pytest.importorskip("jax")

pytestmark = pytest.mark.slow
compiled = functools.partial(tf.function, jit_compile=True)


def test_numpy_values_as_shapes_axes_and_counts():
    reshape, total = compiled(tf.reshape), compiled(lambda x, axis: tf.reduce_sum(x, axis=axis))
    x = tf.reshape(tf.range(6.0), [2, 3])
    for shape in ([2, 3], [3, 2], [6, 1], [2, 3]):
        assert reshape(x, np.array(shape)).shape == shape
    for axis in (0, 1, 0):
        assert total(x, np.int64(axis)).shape == (3 - axis,)
    swapped = compiled(lambda s, x: tf.reshape(x, s))
    assert swapped(np.array([3, 2]), x).shape == (3, 2)


def test_keywords_defaults_and_wrappers():
    f = compiled(lambda x, **named: x * (2.0 if "foo" in named else 1.0))
    x = tf.constant(1.0)
    assert (f(x).numpy(), f(x, foo=None).numpy()) == (1, 2)
    with pytest.raises(TypeError):
        compiled(lambda x: x)(x, typo=None)

    def inner(x, b=1.0):
        return x * b

    @functools.wraps(inner)
    def outer(x, b=10.0):
        return inner(x, b)

    assert (compiled(outer)(x, 1.0).numpy(), compiled(outer)(x).numpy()) == (1, 10)
    weights = [1.0]
    g = compiled(lambda x, w=weights: x * w[0])
    assert (g(x).numpy(), g(x, weights).numpy()) == (1, 1)
    weights[0] = 5.0
    assert (g(x).numpy(), g(x, weights).numpy()) == (5, 5)


def test_nan_is_one_argument():
    runs = []

    @compiled
    def f(x, k):
        runs.append(k)
        return x * k

    assert all(math.isnan(f(tf.constant(1.0), float("nan"))) for _ in range(3))
    assert len(runs) == 1


@pytest.mark.parametrize("automatic", [False, True])
def test_a_copy_has_programs_of_its_own(automatic):
    class Counter:
        def __init__(self):
            self.v = tf.Variable(0.0)
            self.step = tf.function(self._step, jit_compile=not automatic)

        def _step(self, x):
            return self.v.assign_add(x).read_value()

    tf.config.optimizer.set_jit(automatic)
    try:
        one = Counter()
        for _ in range(4):
            one.step(tf.constant(1.0))
        other = copy.deepcopy(one)
        for _ in range(4):
            other.step(tf.constant(10.0))
        assert (one.v.numpy(), other.v.numpy()) == (4, 44)
    finally:
        tf.config.optimizer.set_jit(False)


def test_open_shapes_of_variables():
    v = tf.Variable([1.0, 2.0], shape=[None])
    mean, twice = compiled(lambda: tf.reduce_mean(v)), compiled(lambda x: v * x)
    for values in ([1.0, 2.0], [3.0] * 4, [3.0] * 4, [5.0]):
        v.assign(values)
        assert mean().numpy() == np.mean(values)
        assert twice(twice(tf.constant(1.0))).shape == (len(values),)


def test_a_gradient_is_of_what_was_traced():
    scale = {"s": 2.0}
    f = compiled(lambda x: x * scale["s"])
    x = tf.constant(1.0)
    assert f(x).numpy() == 2
    scale["s"] = 3.0
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert (y.numpy(), tape.gradient(y, x).numpy()) == (2, 2)


def test_results_that_are_known_are_new_at_every_call():
    f = compiled(lambda x: (x * 2, tf.ones(3)))
    x = tf.constant(1.0)
    first, second = f(x)[1], f(x)[1]
    assert first is not second
    with tf.GradientTape() as tape:
        tape.watch(first)
        y = 2 * second
    assert tape.gradient(y, first) is None


def test_the_program_text_leaves_the_calls_alone():
    f = compiled(lambda x: x + 1)
    x = tf.constant(1.0)
    f(x)
    assert "add" in f.experimental_get_compiler_ir(x)("hlo")
    assert f.experimental_get_tracing_count() == 1


def test_growing_arrays_are_refused():
    @compiled
    def f(x):
        ta = tf.TensorArray(tf.float32, size=1, dynamic_size=True)
        _, ta = tf.while_loop(
            lambda i, ta: i < x, lambda i, ta: (i + 1, ta.write(i, 1.0)), (tf.constant(0), ta)
        )
        return ta.stack()

    with pytest.raises(tf.errors.UnimplementedError, match="TensorArray that grows"):
        f(tf.constant(5))


def test_a_compiled_function_is_an_operation_of_a_graph():
    traces = []

    @compiled
    def inner(x, scale=1):
        traces.append("inner")
        return {"double": x * 2 * scale, "more": (x + 1,)}

    @tf.function
    def outer(x, n):
        traces.append("outer")
        for _ in tf.range(n):
            x = inner(x)["double"]
        return x + inner(x, scale=3)["more"][0]

    for value, n in ((1.0, 2), (3.0, 1), (2.0, 0)):
        x = tf.constant(value)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = outer(x, tf.constant(n))
        assert y.numpy() == 2 * value * 2**n + 1
        assert tape.gradient(y, x).numpy() == 2 * 2**n
    assert traces == ["outer", "inner", "inner"]
    assert "as Python" not in outer.explain()


def test_a_compiled_function_with_variables_is_an_operation_of_a_graph():
    v = tf.Variable(3.0)
    inner = compiled(lambda x: x * v.assign_add(1.0))
    outer = tf.function(lambda x: inner(x) * v + 1)
    x = tf.constant(2.0)
    for n in (4, 5, 6):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            with tf.GradientTape() as inside:
                inside.watch(x)
                y = outer(x)
            slope, by_variable = inside.gradient(y, [x, v])
        assert (y.numpy(), v.numpy()) == (2 * n * n + 1, n)
        assert (slope.numpy(), by_variable.numpy()) == (n * n, 4 * n)
        assert tape.gradient(slope, v).numpy() == 2 * n
    assert "as Python" not in outer.explain()
    assert "StatefulPartitionedCall" in [op.type for op in graph_of(outer, x).get_operations()]


def graph_of(function, *args):
    return function.get_concrete_function(*args).graph


def test_a_loop_calls_a_compiled_training_step():
    w, count = tf.Variable([1.0, 2.0]), tf.Variable(0)

    @compiled
    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(w * x - 1.0))
        w.assign_sub(0.1 * tape.gradient(loss, w))
        count.assign_add(1)
        return loss, tf.random.uniform([2])

    def epoch(dataset):
        total, drawn = 0.0, tf.zeros([2])
        for x in dataset:
            loss, drawn = step(x)
            total += loss
        return total, drawn

    dataset = tf.data.Dataset.from_tensor_slices([0.5, 1.0, 1.5])
    want = [epoch(dataset)[0].numpy() for _ in range(2)]
    w.assign([1.0, 2.0])
    run = tf.function(epoch)
    found = [run(dataset) for _ in range(2)]
    np.testing.assert_allclose([total.numpy() for total, _ in found], want, rtol=1e-5)
    assert count.numpy() == 12
    assert (found[0][1] != found[1][1]).numpy().any()
    assert run.explain().startswith("epoch: traced once\n  1."), run.explain()


def test_calls_in_a_row_share_a_program():
    v = tf.Variable(0.0)
    inner = compiled(lambda x: v.assign_add(x))

    @tf.function
    def outer(x):
        for _ in range(5):
            inner(x)
        return v.read_value()

    assert [outer(tf.constant(1.0)).numpy() for _ in range(2)] == [5, 10]
    (trace,) = inner._traces().traces.values()
    assert len(trace.whole.programs) == 1


LARGE = [1 << 19]


def test_calls_in_graphs_leave_the_values_of_variables_on_the_device():
    v = tf.Variable(tf.zeros(LARGE))

    @compiled
    def inner(x):
        v.assign_add(x * tf.ones(LARGE))
        return v[0]

    @tf.function
    def outer(x):
        return inner(x + 1.0) * 2.0

    for run in range(1, 4):
        assert outer(tf.constant(1.0)).numpy() == 4 * run
        assert "_value" not in vars(v)  # not fetched
    assert v.numpy()[-1] == 6
    (trace,) = inner._traces().traces.values()
    assert trace.whole.programs == []


def read_before(v, inner, x):
    before = v.read_value()
    return [before, inner(x), before[0]]


def read_after(v, inner, x):
    return [inner(x), v.read_value()]


def assigned_before(v, inner, x):
    v.assign(x * v)
    return [inner(x), v[0]]


def assigned_after(v, inner, x):
    y = inner(x)
    v.assign_sub(tf.fill(LARGE, y))
    return [y, v.read_value()]


def changed_by_python(v, inner, x):
    y = v[0]
    z = tf.py_function(lambda: v.assign_add(tf.ones(LARGE))[0], [], tf.float32)
    return [y, z, inner(x), v.read_value()]


def called_twice(v, inner, x):
    return [inner(x), inner(x + 1.0), v.read_value()]


def as_an_argument(v, inner, x):
    return [inner(v), v.read_value()]


def under_a_condition(v, inner, x):
    return [tf.cond(x > 1.0, lambda: inner(x), lambda: x), v.read_value()]


@pytest.mark.parametrize(
    "use",
    [
        read_before,
        read_after,
        assigned_before,
        assigned_after,
        changed_by_python,
        called_twice,
        as_an_argument,
        under_a_condition,
    ],
)
def test_other_uses_of_the_variables_of_a_call_in_a_graph(use):
    found = []
    for inside, outside in [(lambda f: f, lambda f: f), (compiled, tf.function)]:
        v = tf.Variable(tf.ones(LARGE))

        @inside
        def inner(x, v=v):
            v.assign(v * 2.0 + x)
            return tf.reduce_max(v) + 1.0

        outer = outside(lambda x, v=v, inner=inner: use(v, inner, x))
        runs = [outer(tf.constant(float(n))) for n in range(1, 4)]
        found.append([[np.max(y.numpy()) for y in run] for run in runs])
    assert found[0] == found[1]


def test_a_failing_call_in_a_graph_changes_no_variable():
    v = tf.Variable(tf.ones(LARGE))

    @compiled
    def inner(x):
        v.assign_add(tf.ones(LARGE))
        return v[0]

    @tf.function
    def outer(x):
        tf.debugging.assert_positive(x)
        return inner(x)

    for _ in range(3):
        with pytest.raises(tf.errors.InvalidArgumentError):
            outer(tf.constant(-1.0))
    assert v.numpy().max() == 1
    assert outer(tf.constant(1.0)).numpy() == 2


def test_a_value_read_before_a_call_is_the_old_one_in_the_next_call():
    v = tf.Variable(tf.ones(LARGE))

    @compiled
    def change(x):
        v.assign(tf.fill(LARGE, x))
        return x

    @compiled
    def largest(values):
        return tf.reduce_max(values)

    @tf.function
    def outer(x):
        before = v.read_value()
        change(x)
        return largest(before)

    assert [outer(tf.constant(float(n))).numpy() for n in (5, 6, 7, 8)] == [1, 5, 6, 7]


def test_one_trace_for_all_lengths_of_a_signature():
    traced = []
    w = tf.Variable(tf.ones([3, 2]))

    @tf.function(
        jit_compile=True,
        input_signature=[tf.TensorSpec([None, 3]), tf.TensorSpec([None, 2])],
    )
    def step(x, y):
        traced.append(x.shape.as_list())
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x @ w - y) ** 2)
        w.assign_sub(0.5 * tape.gradient(loss, w))
        return loss, tf.shape(x)[0]

    for n in (2, 5, 2, 5):
        found = step(tf.ones([n, 3]), tf.ones([n, 2]))
        assert int(found[1]) == n
    assert traced == [[None, 3]]
    assert step.experimental_get_tracing_count() == 1
    assert float(found[0]) == 0.0625


def test_programs_for_other_lengths_are_differentiable():
    @tf.function(jit_compile=True, input_signature=[tf.TensorSpec([None])])
    def f(x):
        return tf.reduce_sum(x**3) / tf.cast(tf.size(x), tf.float32)

    for n in (2, 4, 2):
        x = tf.range(1.0, n + 1.0)
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = f(x)
            slope = tape.gradient(y, x)
        assert slope.numpy().tolist() == pytest.approx([3 * k * k / n for k in range(1, n + 1)])
        second = outer.gradient(slope, x)
        assert second.numpy().tolist() == pytest.approx([6 * k / n for k in range(1, n + 1)])
    assert f.experimental_get_tracing_count() == 1


def test_functions_that_need_lengths_are_traced_for_each_shape():
    @tf.function(jit_compile=True, input_signature=[tf.TensorSpec([None])])
    def f(x):
        return x * tf.range(tf.cast(tf.shape(x)[0], tf.float32))

    for n in (2, 3, 2):
        assert f(tf.ones([n])).numpy().tolist() == [*map(float, range(n))]


def test_a_constant_of_a_trace_for_all_lengths_that_a_tape_watches_later():
    for jit in (False, True):
        c = tf.constant(3.0)
        f = tf.function(
            lambda x, c=c: tf.reduce_sum(x * c),
            jit_compile=jit,
            input_signature=[tf.TensorSpec([None])],
        )
        assert float(f(tf.ones([2]))) == 6.0
        with tf.GradientTape() as tape:
            tape.watch(c)
            y = f(tf.ones([4]))
        assert float(tape.gradient(y, c)) == 4.0
