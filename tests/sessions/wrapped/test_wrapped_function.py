import numpy as np
import pytest

import gradtape as tf
from gradtape.compat import v1

SCALAR = tf.TensorSpec([], tf.float32)


def add_or_subtract(x, adds):
    v = tf.Variable(5.0)
    change = v.assign_add(x) if adds else v.assign_sub(x)
    with tf.control_dependencies([change]):
        return v.read_value()


def test_python_arguments_choose_and_variables_stay():
    plus = v1.wrap_function(add_or_subtract, [SCALAR, True])
    minus = v1.wrap_function(add_or_subtract, [SCALAR, False])
    assert [float(plus(tf.constant(1.0))) for _ in range(2)] == [6.0, 7.0]
    assert [float(minus(tf.constant(1.0))) for _ in range(2)] == [4.0, 3.0]
    (variable,) = plus.graph.variables
    variable.assign(0.0)
    assert float(plus(tf.constant(2.0))) == 2.0


def test_gradients_reach_arguments_and_variables_to_second_order():
    def cube(x):
        return v1.get_variable("w", initializer=2.0) * x**3

    f = v1.wrap_function(cube, [SCALAR])
    x = tf.constant(3.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape(persistent=True) as inner:
            inner.watch(x)
            y = f(x)
        slope = inner.gradient(y, x)
    assert float(slope) == 54.0
    assert float(inner.gradient(y, f.graph.variables[0])) == 27.0
    assert float(outer.gradient(slope, x)) == 36.0


def test_a_variable_from_outside_is_read_each_time():
    v = tf.Variable(2.0)
    f = v1.wrap_function(lambda x: x * v, [tf.TensorSpec([None], tf.float32)])
    assert isinstance(v.numpy(), np.float32)
    v.assign(5.0)
    with tf.GradientTape() as tape:
        y = f(tf.constant([1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(y, [5.0, 10.0, 15.0])
    assert float(tape.gradient(y, v)) == 6.0


def test_a_variable_from_outside_is_not_assigned():
    v = tf.Variable(2.0)
    with pytest.raises(tf.errors.UnimplementedError, match="made outside of it"):
        v1.wrap_function(lambda x: v.assign(x), [SCALAR])
    assert float(v) == 2.0


def test_choices_and_loops():
    def steps(n):
        return v1.while_loop(lambda i, y: i < n, lambda i, y: [i + 1, y * 2.0], [0, 1.0])[1]

    f = v1.wrap_function(steps, [tf.TensorSpec([], tf.int32)])
    assert [float(f(tf.constant(n))) for n in (0, 3)] == [1.0, 8.0]
    g = v1.wrap_function(lambda x: v1.cond(x > 0, lambda: x, lambda: -x), [SCALAR])
    assert [float(g(tf.constant(x))) for x in (2.0, -3.0)] == [2.0, 3.0]


def test_structures_and_composite_arguments():
    spec = tf.SparseTensorSpec([2, 2], tf.float32)
    f = v1.wrap_function(
        lambda d: {"sum": tf.reduce_sum(d["s"].values), "two": [d["x"], 7]},
        [{"s": spec, "x": SCALAR}],
    )
    s = tf.sparse.from_dense([[1.0, 0.0], [0.0, 2.0]])
    found = f(s.indices, s.values, s.dense_shape, tf.constant(4.0))
    assert (float(found["sum"]), float(found["two"][0]), int(found["two"][1])) == (3.0, 4.0, 7)


def graph_of_three():
    def fill():
        x = v1.placeholder(tf.float32, [None], name="x")
        v = v1.get_variable("v", initializer=3.0)
        y = tf.multiply(x, v, name="y")
        v1.assign_add(v, 1.0, name="bump")
        tf.reduce_sum(y, name="z")

    return v1.wrap_function(fill, [])


def test_parts():
    whole = graph_of_three()
    f = whole.prune("x:0", {"y": "y:0", "z": "z:0"})
    found = f(tf.constant([1.0, 2.0]))
    np.testing.assert_array_equal(found["y"], [3.0, 6.0])
    assert float(found["z"]) == 9.0
    last = whole.prune(["y:0"], "z:0")
    assert float(last(tf.constant([1.0, 1.0, 1.0]))) == 3.0
    assert float(f(x=tf.constant([2.0]))["z"]) == 6.0


def test_an_operation_is_run_and_gives_none():
    whole = v1.wrap_function(lambda: v1.get_variable("v", initializer=1.0).assign_add(2.0), [])
    name = next(op.name for op in whole.graph.get_operations() if op.type == "AssignAddVariableOp")
    bump = whole.prune([], whole.graph.get_operation_by_name(name))
    assert bump() is None
    assert float(whole.graph.variables[0]) == 3.0


def test_what_a_part_lacks():
    whole = graph_of_three()
    with pytest.raises(KeyError, match="absent"):
        whole.prune("absent:0", "y:0")
    with pytest.raises(ValueError, match="depends on the placeholder 'x:0'"):
        whole.prune([], "y:0")
    with pytest.raises(TypeError):
        whole.prune(3.0, "y:0")


def test_a_wrapped_function_is_saved(tmp_path):
    module = tf.Module()
    module.f = v1.wrap_function(lambda x: x * v1.get_variable("w", initializer=3.0), [SCALAR])
    module.variables_of_f = list(module.f.graph.variables)
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    assert float(loaded.f(tf.constant(2.0))) == 6.0
    loaded.variables_of_f[0].assign(4.0)
    assert float(loaded.f(tf.constant(2.0))) == 8.0
