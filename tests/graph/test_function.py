"""`tf.function` by TensorFlow's conventions."""

import functools

import numpy as np
import pytest

import gradtape as tf


@pytest.fixture
def eager():
    tf.config.run_functions_eagerly(True)
    yield
    tf.config.run_functions_eagerly(False)


def test_arrays_arrive_as_tensors_and_python_values_as_they_are():
    seen = []

    @tf.function
    def f(x, y, z=2, **rest):
        seen.extend([type(v) for v in (x, *y, z, rest["w"], rest["w"]["a"])])
        assert x.dtype is tf.float64

    f(np.ones(2), [np.float32(3), 4], w={"a": np.zeros(1)})
    assert seen == [tf.Tensor, tf.Tensor, int, int, dict, tf.Tensor]


def test_everything_that_is_returned_becomes_a_tensor():
    v = tf.Variable(1.5)
    out = tf.function(lambda: (1, [2.0, None], {"v": v, "s": "a"}))()
    assert out[0].dtype is tf.int32
    assert out[1][1] is None
    assert isinstance(out[2]["v"], tf.Tensor)
    assert out[2]["s"].numpy() == b"a"


def test_what_cannot_be_a_tensor_cannot_be_returned():
    with pytest.raises(TypeError, match="found return value of type object"):
        tf.function(object)()


def test_the_python_code_runs_once_for_each_kind_of_call():
    calls = []
    f = tf.function(lambda x: calls.append(1) or x)
    for x in (1.0, 1.0, 2.0):
        f(x)
    assert len(calls) == f.experimental_get_tracing_count() == 2


def test_methods_are_bound():
    class Model:
        def __init__(self, scale):
            self.scale = scale

        @tf.function
        def plain(self, x):
            return x * self.scale

        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)], jit_compile=None)
        def strict(self, x):
            return x * self.scale

    a, b = Model(2.0), Model(3.0)
    assert float(a.plain(tf.constant(1.0))) == 2
    assert float(b.plain(tf.constant(1.0))) == 3
    assert b.strict([1, 2]).numpy().tolist() == [3, 6]
    assert a.plain.python_function(4.0) == 8
    assert isinstance(Model.plain, tf.types.experimental.GenericFunction)
    concrete = b.strict.get_concrete_function()
    assert concrete(tf.constant([1.0])).numpy().tolist() == [3]


def test_names_and_documentation_stay():
    @tf.function(reduce_retracing=True, autograph=False)
    def f(x):
        """Doubles."""
        return x * 2

    assert (f.__name__, f.name, f.__doc__) == ("f", "f", "Doubles.")
    assert f.__wrapped__ is f.python_function
    assert tf.function(functools.partial(lambda a, b: a + b, 1))(2).numpy() == 3


def test_only_functions():
    with pytest.raises(TypeError, match="3 is not a callable object"):
        tf.function(3)


def test_concrete_functions():
    @tf.function
    def f(a, b, c=3):
        return {"sum": a + b, "c": c}

    concrete = f.get_concrete_function(tf.TensorSpec([None, 2]), tf.TensorSpec([], name="bb"))
    (a, b, c), kwargs = concrete.structured_input_signature
    assert (a, b, c, kwargs) == (
        tf.TensorSpec([None, 2], name="a"),
        tf.TensorSpec([], name="bb"),
        3,
        {},
    )
    assert concrete.output_specs["sum"] == tf.TensorSpec([None, 2])
    assert concrete.structured_outputs["sum"].shape.as_list() == [None, 2]
    x = tf.ones([5, 2])
    for out in (concrete(x, tf.constant(1.0)), concrete(a=x, bb=tf.constant(1.0))):
        assert out["sum"].shape == (5, 2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="int32"):
        concrete(x, tf.constant(1))
    with pytest.raises(TypeError, match="Binding inputs"):
        concrete(x)


def test_python_values_in_a_concrete_function_are_fixed():
    concrete = tf.function(lambda a, b: a * b).get_concrete_function(2.0, tf.TensorSpec([]))
    assert float(concrete(tf.constant(3.0))) == float(concrete(2.0, tf.constant(3.0))) == 6
    with pytest.raises(TypeError, match=r"it is 2\.0 here, but 5\.0"):
        concrete(5.0, tf.constant(3.0))


def test_finding_the_outputs_changes_nothing():
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def f(x):
        v.assign_add(x)
        v[0].assign(9.0)
        return v + x

    concrete = f.get_concrete_function(tf.TensorSpec([2]))
    with tf.GradientTape() as tape:
        assert concrete.structured_outputs.shape == [2]
        assert concrete.output_shapes == [2]
    assert v.numpy().tolist() == [1, 2]
    assert not tape.watched_variables()


def test_gradients_pass_through():
    x = tf.Variable(3.0)
    f = tf.function(lambda x, n: x**n)
    with tf.GradientTape() as tape:
        y = f(x, 2)
    assert float(tape.gradient(y, x)) == 6


def test_compilation_without_jax_names_the_extra(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    f = tf.function(lambda x: x, jit_compile=True)
    with pytest.raises(ImportError, match=r"pip install 'gradtape\[xla\]'"):
        f(1.0)


@pytest.mark.usefixtures("eager")
def test_running_eagerly_converts_nothing():
    assert tf.config.functions_run_eagerly()
    f = tf.function(lambda x: x, input_signature=[tf.TensorSpec([3])])
    assert f(1.0) == 1.0
    assert isinstance(f(1.0), float)


def test_a_function_has_the_attributes_of_what_it_calls():
    class Scaled(tf.Module):
        def __init__(self):
            super().__init__()
            self.factor = tf.Variable(3.0)

        def __call__(self, x):
            return self.factor * x

    scaled = Scaled()
    f = tf.function(scaled)
    assert f.factor is scaled.factor
    assert f(2.0) == 6.0
    assert f.name == "Scaled"


def test_variables_as_conditions_are_read_at_every_run():
    flag, count, value = tf.Variable(True), tf.Variable(1), tf.Variable(2.0)

    @tf.function
    def f(x):
        tf.debugging.assert_greater(value, 0.0)
        tf.debugging.Assert(count < 5, ["too many"])
        y = tf.cond(flag, lambda: x, lambda: -x)
        z = tf.case([(flag, lambda: x * 2)], default=lambda: x * 3)
        n = tf.while_loop(lambda i: i < 9, lambda i: (i + 1,), [0], maximum_iterations=count)[0]
        rows = tf.TensorArray(tf.float32, 3).unstack(tf.zeros([3])).write(count, x).stack()
        return y, z, n, rows

    def found():
        return [x.numpy().tolist() for x in f(tf.constant(4.0))]

    assert found() == [4, 8, 1, [0, 4, 0]]
    flag.assign(False)
    count.assign(2)
    assert found() == [-4, 12, 2, [0, 0, 4]]
    value.assign(-1.0)
    with pytest.raises(tf.errors.InvalidArgumentError):
        found()
    assert f.experimental_get_tracing_count() == 1
