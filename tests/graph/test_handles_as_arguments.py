"""Handles of variables as arguments of functions; the results are TensorFlow's."""

import pytest

import gradtape as tf


def read(handle):
    return tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32)


def two():
    return tf.Variable([1.0, 2.0]), tf.Variable([5.0, 6.0])


def test_variables_of_a_kind_share_a_trace():
    v, w = two()
    f = tf.function(lambda h: read(h) * 2.0)
    assert f(v.handle).numpy().tolist() == [2.0, 4.0]
    assert f(w.handle).numpy().tolist() == [10.0, 12.0]
    v.assign([0.0, 1.0])
    assert f(v.handle).numpy().tolist() == [0.0, 2.0]
    assert f.experimental_get_tracing_count() == 1
    assert f(tf.Variable([[5.0]]).handle).numpy().tolist() == [[10.0]]


def test_they_are_assigned():
    v, w = two()

    @tf.function
    def f(h, u):
        tf.raw_ops.AssignAddVariableOp(resource=h, value=tf.constant([1.0, 1.0]))
        return u + read(h)

    assert f(v.handle, v).numpy().tolist() == [4.0, 6.0]
    assert f(v.handle, w).numpy().tolist() == [8.0, 10.0]
    assert f(w.handle, v).numpy().tolist() == [9.0, 11.0]
    assert (v.numpy().tolist(), w.numpy().tolist()) == ([3.0, 4.0], [6.0, 7.0])


@pytest.mark.parametrize(
    "function",
    [
        lambda h: tf.function(lambda k: read(k) * 3.0)(h),
        lambda h: tf.cond(tf.reduce_sum(read(h)) > 0, lambda: read(h) * 3.0, lambda: read(h)),
        lambda h: tf.while_loop(
            lambda i, _: i < 3, lambda i, x: (i + 1, x + read(h)), [0, tf.zeros(2)]
        )[1],
        lambda h: tf.nest.map_structure(lambda k: read(k) * 3.0, {"a": [h]})["a"][0],
    ],
    ids=["nested", "cond", "while", "structure"],
)
@pytest.mark.parametrize("jit_compile", [None, True])
def test_parts_of_functions(function, jit_compile):
    v, w = two()
    f = tf.function(function, jit_compile=jit_compile)
    assert f(v.handle).numpy().tolist() == [3.0, 6.0]
    assert f(w.handle).numpy().tolist() == [15.0, 18.0]


def test_structures_and_names():
    v, w = two()

    @tf.function
    def f(*handles, **named):
        return sum(read(h) for h in handles) + named["a"]["b"] * read(named["h"])

    assert f(v.handle, w.handle, a={"b": 2.0}, h=v.handle).numpy().tolist() == [8.0, 12.0]


def test_concrete_functions():
    v, w = two()
    f = tf.function(lambda h: read(h) * 2.0)
    concrete = f.get_concrete_function(v.handle)
    assert concrete(w.handle).numpy().tolist() == [10.0, 12.0]
    spec = concrete.structured_input_signature[0][0]
    assert spec == tf.TensorSpec([], tf.resource, "h")
    signed = tf.function(read, input_signature=[tf.TensorSpec([], tf.resource)])
    assert signed(w.handle).numpy().tolist() == [5.0, 6.0]


def test_gradients_with_respect_to_handles():
    v, w = two()
    outer = tf.function(lambda h: read(h) ** 2)

    @tf.function
    def inner(h):
        with tf.GradientTape() as tape:
            tape.watch(h)
            y = read(h) ** 2
        return tape.gradient(y, h)

    @tf.function
    def symbolic(h):
        return tf.gradients(read(h) ** 2, h)[0]

    for variable, expected in ((v, [2.0, 4.0]), (w, [10.0, 12.0])):
        with tf.GradientTape() as tape:
            tape.watch(variable.handle)
            y = outer(variable.handle)
        assert tape.gradient(y, variable.handle).numpy().tolist() == expected
        assert inner(variable.handle).numpy().tolist() == expected
        assert symbolic(variable.handle).numpy().tolist() == expected


@pytest.mark.parametrize(
    "function",
    [
        lambda h: h,
        tf.identity,
        lambda h: [h, read(h)][0],
        lambda h: tf.cond(tf.reduce_sum(read(h)) > 0, lambda: tf.identity(h), lambda: h),
        lambda h: tf.function(lambda k: k)(h),
    ],
    ids=["itself", "identity", "list", "cond", "nested"],
)
def test_handles_as_results_represent_their_own_variables(function):
    v, w = two()
    f = tf.function(function)
    found = [f(v.handle), f(w.handle), f(v.handle)]
    v.assign([7.0, 7.0])
    w.assign([8.0, 8.0])
    assert [read(h).numpy().tolist() for h in found] == [[7.0] * 2, [8.0] * 2, [7.0] * 2]
