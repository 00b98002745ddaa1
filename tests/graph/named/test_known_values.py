"""Constants of functions look like tensors of the graph."""

import numpy as np

import gradtape as tf
from gradtape._src.graph.named.known_values import known_value


def test_constants_and_results_of_operations_on_them_have_names():
    seen = []

    @tf.function
    def f(x):
        a, b = tf.constant(3), tf.zeros([2], name="none")
        seen.extend([a.name, b.name, (a * 2).name, tf.stack([a, a]).name, str(a)])
        assert a.op.type == "Const"
        assert tf.is_symbolic_tensor(a)
        return x + a

    assert f(tf.constant(1)) == 4
    assert seen[:4] == ["Const:0", "none:0", "mul:0", "stack:0"]
    assert seen[4] == 'Tensor("Const:0", shape=(), dtype=int32)'


def test_static_values_are_those_that_tensorflow_knows():
    @tf.function
    def f(x):
        c = tf.constant([1, 2])
        found = [tf.cast(c, tf.float32), tf.stack([c, c]), c + 1, tf.cast(c + 1, tf.int64)]
        assert [tf.get_static_value(y) is not None for y in found] == [True, True, False, False]
        assert tf.get_static_value(tf.shape(x)[0]) is None
        assert tf.get_static_value(tf.shape(x)).tolist() == [3]
        return x

    f(tf.ones([3]))


def test_a_value_that_outlives_its_function_is_an_ordinary_tensor():
    kept = []

    @tf.function
    def f(x):
        kept.append(tf.constant(3))
        return x

    f(tf.constant(1))
    assert str(kept[0]) == "tf.Tensor(3, shape=(), dtype=int32)"
    assert kept[0] + 1 == 4


def test_large_values_are_not_kept():
    class Owner:
        nodes = ()

    for n in (1, 1000):
        value = np.ones(n)
        known = known_value(value, Owner(), None, None, ())
        assert known.value is value
        del value
        assert (known.value is None) == (n == 1000)


def test_tensors_from_outside_are_captures():
    k = tf.constant([1.0, 2.0])
    v = tf.Variable(1.0)
    concrete = tf.function(lambda x: x * k + v).get_concrete_function(tf.TensorSpec([2]))
    assert [x is y for x, y in zip(concrete.captured_inputs, (v.handle, k), strict=True)] == [
        True,
        True,
    ]
    assert [x.dtype for x in concrete.inputs] == [tf.float32, tf.resource, tf.float32]


def test_other_values_do_not_get_the_names_of_values_that_are_gone():
    @tf.function
    def f(x):
        for i in range(10):
            _ = tf.constant(np.full(1000, float(i), "f4"))
            tf.compat.v1.get_default_graph().unique_name("a")  # names the constant
            del _
            x += np.full(1000, 100.0, "f4")
        return x

    graph = f.get_concrete_function(tf.TensorSpec([1000])).graph
    assert sum(op.type == "Const" for op in graph.get_operations()) == 20
