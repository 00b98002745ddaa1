"""Conditionals and loops of traced functions, with tensors for conditions."""

import numpy as np
import pytest

import gradtape as tf


@pytest.mark.parametrize(("x", "y", "slope"), [(2.0, 4.0, 4.0), (-3.0, 3.0, -1.0)])
def test_a_choice_and_its_gradient(x, y, slope):
    @tf.function
    def f(x):
        return tf.cond(x > 0, lambda: x * x, lambda: -x)

    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        got = f(x)
    assert float(got) == y
    assert float(tape.gradient(got, x)) == slope


def test_a_loop_and_its_gradient():
    @tf.function
    def power(x, n):
        return tf.while_loop(lambda i, _: i < n, lambda i, y: (i + 1, y * x), (0, 1.0))[1]

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = power(x, tf.constant(5))
    assert float(y) == 32
    assert float(tape.gradient(y, x)) == 80


def test_variables_that_branches_write():
    v = tf.Variable(1.0)

    @tf.function
    def f(flag):
        tf.cond(flag, lambda: v.assign(5.0), lambda: v.assign_add(1.0))
        return v.read_value()

    assert float(f(tf.constant(False))) == 2
    assert float(f(tf.constant(True))) == 5
    assert float(v) == 5


def test_folds_over_rows():
    @tf.function
    def sums(x):
        return tf.scan(lambda a, b: a + b, x), tf.foldl(lambda a, b: a - b, x)

    running, last = sums(tf.constant([1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(running, [1, 3, 6])
    assert float(last) == -4


def test_what_a_loop_carries_keeps_its_dtype():
    @tf.function
    def f(n):
        return tf.while_loop(lambda i: i < n, lambda i: (tf.cast(i, tf.float32),), (n * 0,))

    with pytest.raises(TypeError):
        f(tf.constant(3))


# Python functions in branches and loops.


def test_loops_that_call_numpy_functions_are_traced_once():
    traced, steps = [], []

    def step(i):
        steps.append(int(i))
        return np.float32([i, 2 * i]), np.bool_(i >= 3)

    @tf.function
    def play(state):
        traced.append(state)
        rewards = tf.TensorArray(tf.float32, 0, dynamic_size=True)
        for i in tf.range(10):
            rewards = rewards.write(i, tf.reduce_sum(state))
            state, done = tf.numpy_function(step, [i], [tf.float32, tf.bool])
            state.set_shape([2])
            if done:
                break
        return rewards.stack()

    for _ in range(2):
        assert play(tf.constant([1.0, 1.0])).numpy().tolist() == [2.0, 0.0, 3.0, 6.0]
    assert steps == [0, 1, 2, 3] * 2
    assert len(traced) == 1


def test_python_functions_in_loops_may_change_variables():
    v, traced = tf.Variable(0.0), []

    def add_one():
        v.assign_add(1.0)

    @tf.function
    def f(x):
        traced.append(x)
        before, total = v * 1.0, tf.constant(0.0)
        for _ in tf.range(3):
            total += v * x
            if x > 0:
                tf.py_function(add_one, [], [])
            total += 10.0 * v
        return before, total, v.read_value()

    assert [float(y) for y in f(tf.constant(1.0))] == [0.0, 63.0, 3.0]
    assert [float(y) for y in f(tf.constant(-1.0))] == [3.0, 81.0, 3.0]
    assert [float(y) for y in f(tf.constant(1.0))] == [3.0, 162.0, 6.0]
    assert len(traced) == 1


def test_gradients_of_variables_in_loops_that_call_python_functions():
    v, w = tf.Variable(2.0), tf.Variable(3.0)

    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            total = tf.constant(0.0)
            for _ in tf.range(3):
                e = tf.ensure_shape(tf.numpy_function(lambda y: y + 1, [x], tf.float32), ())
                total += v * v * e + w
            total *= w
        return tape.gradient(total, [v, w])

    for _ in range(2):
        dv, dw = f(tf.constant(1.0))
        assert (float(dv), float(dw)) == (72.0, 42.0)
    assert "ran as Python" not in f.explain()


def test_a_loop_that_assigns_and_calls_python_functions_runs_as_python():
    v, seen = tf.Variable(0.0), []

    @tf.function
    def f(x):
        for _ in tf.range(2):
            v.assign_add(x)
            tf.py_function(lambda: seen.append(float(v)), [], [])
        return v.read_value()

    assert float(f(tf.constant(5.0))) == 10.0
    assert seen == [5.0, 10.0]
    assert "an effect after an assignment in a branch or loop" in f.explain()


def test_a_condition_that_calls_a_python_function_is_computed_once_per_iteration():
    left = [3]

    def goes_on():
        left[0] -= 1
        return left[0] >= 0

    @tf.function
    def f(x):
        while tf.py_function(goes_on, [], tf.bool):
            x += 1
        return x

    assert int(f(tf.constant(0))) == 3
    left[0] = 2
    assert int(f(tf.constant(0))) == 2
    loop = tf.function(lambda x: tf.while_loop(lambda x: _next(left), lambda x: [x + 1], [x])[0])
    left[0] = 4
    assert int(loop(tf.constant(0))) == 4


def _next(left):
    def goes_on():
        left[0] -= 1
        return left[0] >= 0

    return tf.ensure_shape(tf.py_function(goes_on, [], tf.bool), [])


def test_arrays_grow_in_loops_over_ranges_of_known_length():
    @tf.function
    def squares(x):
        found = tf.TensorArray(tf.int32, 0, dynamic_size=True)
        for i in tf.range(20):
            found = found.write(i, i * x)
        return found.stack()

    assert squares(tf.constant(2)).numpy().tolist() == list(range(0, 40, 2))
    assert "ran as Python" not in squares.explain()


def test_branches_know_lengths_of_intermediate_results():
    def total(y):
        def body(i, found):
            return i + 1, found + tf.reduce_sum(tf.zeros_like(y) + 2.0)

        return tf.while_loop(lambda i, _: i < 3, body, [0, 0.0])[1]

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def run(x):
        y = tf.boolean_mask(x, x > 0)
        return tf.cond(tf.reduce_sum(x) > 0, lambda: total(y), lambda: 0.0)

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def zeros(x):
        y = tf.boolean_mask(x, x > 0)
        return tf.cond(tf.reduce_sum(x) > 0, lambda: tf.zeros_like(y), lambda: y)

    assert float(run(tf.constant([1.0, -1.0, 2.0, 3.0]))) == 18
    assert float(run(tf.constant([1.0, -3.0]))) == 0
    assert zeros(tf.constant([1.0, -1.0, 2.0])).numpy().tolist() == [0, 0]
    for function in (run, zeros):
        assert "traced once" in function.explain()


def test_a_message_about_traces_decides_nothing():
    """The reasons for a trace compare its lengths with those of traces of other programs."""
    inner = tf.function(lambda x: tf.reduce_sum(x * x))

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def first(x):
        return inner(x) * 2.0

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def second(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = inner(x)
        return tape.gradient(y, x)

    x = tf.constant([1.0, 2.0])
    assert float(first(x)) == 10
    assert second(x).numpy().tolist() == [2, 4]
    assert not second.get_concrete_function().traced().call.graph.checks


@pytest.mark.parametrize("compiled", [None, True])
def test_indices_of_branches_get_one_dtype(compiled):
    """As in Keras' sparse division, where one branch computes int64 indices and one has int32."""
    if compiled:
        pytest.importorskip("jax")

    @tf.function(jit_compile=compiled)
    def f(twice, x):
        def few():
            return tf.IndexedSlices(2.0 * x, tf.constant([0, 1]), tf.constant([5, 2]))

        def many():
            indices = tf.range(4, dtype=tf.int64)
            return tf.IndexedSlices(tf.concat([x, x], 0), indices, tf.constant([5, 2]))

        with tf.GradientTape() as tape:
            tape.watch(x)
            slices = tf.cond(twice, many, few)
            y = tf.reduce_sum(tf.convert_to_tensor(slices) ** 2)
        return slices.indices, tape.gradient(y, x)

    x = tf.ones([2, 2])
    for twice, count, slope in ((True, 4, 4.0), (False, 2, 8.0)):
        indices, g = f(tf.constant(twice), x)
        assert compiled or indices.dtype == tf.int64  # compiled for the value of the condition
        np.testing.assert_array_equal(indices, np.arange(count))
        np.testing.assert_array_equal(g, np.full((2, 2), slope))


def test_slices_of_branches_keep_their_dtypes_if_they_are_equal():
    @tf.function
    def f(p, x):
        slices = [tf.IndexedSlices(c * x, tf.constant([0])) for c in (1.0, 2.0)]
        return tf.cond(p, lambda: slices[0], lambda: slices[1])

    found = f(tf.constant(False), tf.ones([1, 2]))
    assert found.indices.dtype == tf.int32
    np.testing.assert_array_equal(found.values, [[2.0, 2.0]])


def test_slices_of_branches_need_one_dtype_of_values():
    @tf.function
    def f(p, x):
        def slices(dtype, indices):
            return tf.IndexedSlices(tf.cast(x, dtype), tf.constant([0], indices))

        return tf.cond(p, lambda: slices("float32", "int32"), lambda: slices("float64", "int64"))

    with pytest.raises(TypeError, match="same number, type, and overall structure"):
        f(tf.constant(False), tf.ones([1, 2]))


def made_list(x):
    return tf.raw_ops.TensorListFromTensor(tensor=x, element_shape=tf.constant(-1))


def made_array(x):
    return tf.TensorArray(tf.float32, len(x), infer_shape=False).unstack(x)


def stacked(x):
    if isinstance(x, tf.TensorArray):
        return x.stack()
    return tf.raw_ops.TensorListStack(
        input_handle=x, element_shape=tf.constant(-1), element_dtype=tf.float32
    )


KINDS = {
    "a tensor": lambda: tf.constant(1.0),
    "a list": lambda: made_list(tf.ones([2, 3])),
    "an array": lambda: made_array(tf.ones([2, 3])),
    "a ragged tensor": lambda: tf.ragged.constant([[1.0, 2.0], [3.0]]),
    "a string": lambda: tf.constant("a"),
    "an object": object,
    "nothing": lambda: None,
}
OTHER = {
    ("a tensor", "a list"): TypeError,
    ("a tensor", "an array"): TypeError,
    ("a tensor", "a ragged tensor"): ValueError,
    ("a tensor", "a string"): TypeError,
    ("a tensor", "an object"): TypeError,
    ("a list", "a tensor"): TypeError,
    ("a list", "a ragged tensor"): ValueError,
    ("a list", "an object"): TypeError,
    ("an array", "a tensor"): TypeError,
    ("an array", "a ragged tensor"): ValueError,
    ("a ragged tensor", "a list"): ValueError,
    ("nothing", "a tensor"): ValueError,
    ("nothing", "a list"): ValueError,
}


@pytest.mark.parametrize(("first", "after"), OTHER)
def test_a_body_that_returns_another_kind_of_value(first, after):
    @tf.function
    def f(n):
        return tf.while_loop(
            lambda i, x: i < n, lambda i, x: (i + 1, KINDS[after]()), (0, KINDS[first]())
        )[0]

    with pytest.raises(OTHER[first, after]) as caught:
        f(tf.constant(20))
    assert type(caught.value) in (TypeError, ValueError)


@pytest.mark.parametrize("shape", [[2, 4], [3, 3], [2, 2, 2]])
@pytest.mark.parametrize(("before", "after"), [(made_list, made_list), (made_array, made_array)])
def test_elements_of_another_shape_are_traced_a_few_times(before, after, shape):
    traces = []

    @tf.function
    def f(n):
        def body(i, _):
            traces.append(i)
            assert len(traces) < 10
            return i + 1, after(tf.fill(shape, 2.0))

        return stacked(tf.while_loop(lambda i, _: i < n, body, (0, before(tf.ones([2, 3]))))[1])

    np.testing.assert_array_equal(f(tf.constant(0)), np.ones([2, 3]))
    np.testing.assert_array_equal(f(tf.constant(2)), np.full(shape, 2.0))


@pytest.mark.parametrize("before", [made_list, made_array])
def test_a_loop_over_a_list_and_an_array(before):
    @tf.function
    def f(n):
        x, i = before(tf.ones([2, 3])), tf.constant(0)
        while i < n:
            x, i = made_list(tf.ones([2, 3]) * 2), i + 1
        return stacked(x)

    np.testing.assert_array_equal(f(tf.constant(2)), np.full([2, 3], 2.0))


def test_a_branch_that_returns_an_object():
    @tf.function
    def f(x):
        return tf.cond(x > 0, lambda: (x, object()), lambda: (x, object()))[0]

    with pytest.raises(TypeError, match="which is not a Tensor or ExtensionType"):
        f(tf.constant(1.0))


def test_a_branch_that_reads_an_assigned_variable_and_calls_python():
    v = tf.Variable(1.0)

    def branch(x):
        tripled = v * 3.0
        return tripled + tf.py_function(lambda y: y + v, [x], tf.float32)

    @tf.function
    def step(x):
        v.assign_add(1.0)
        return tf.cond(x > 0.0, lambda: branch(x), lambda: x)

    assert [float(step(tf.constant(10.0))) for _ in range(2)] == [18, 22]
