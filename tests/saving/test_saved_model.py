import numpy as np
import pytest

import gradtape as tf


def test_objects_and_variables(tmp_path):
    class Plain(tf.Module):
        pass

    model = Plain()
    model.v = tf.Variable([1.0, 2.0], trainable=False, name="v")
    model.inside = [Plain(), {"t": (tf.Variable(["text"]), tf.Variable(True))}]
    tf.saved_model.save(model, tmp_path / "m")
    assert tf.saved_model.contains_saved_model(tmp_path / "m")
    assert not tf.saved_model.contains_saved_model(tmp_path)
    loaded = tf.saved_model.load(tmp_path / "m")
    assert (loaded.v.name, loaded.v.trainable, loaded.v.numpy().tolist()) == ("v:0", False, [1, 2])
    text, truth = loaded.inside[1]["t"]
    assert text.numpy().tolist() == [b"text"]
    assert bool(truth)
    assert not loaded.signatures


def test_a_function_without_variables_has_its_whole_result(tmp_path):
    model = tf.Module()
    model.f = tf.function(lambda x: 2.0 * x, input_signature=[tf.TensorSpec([2])])
    tf.saved_model.save(model, tmp_path)
    x = tf.constant([3.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.saved_model.load(tmp_path).f(x)
    assert y.numpy().tolist() == [6, 8]
    assert tape.gradient(y, x).numpy().tolist() == [2, 2]


def test_second_gradients_flow_through_saved_loops(tmp_path):
    model = tf.Module()
    model.w = tf.Variable([0.5, 1.5])

    @tf.function(input_signature=[tf.TensorSpec([2]), tf.TensorSpec([], tf.int32)])
    def f(x, n):
        _, y = tf.while_loop(
            lambda i, y: i < n, lambda i, y: (i + 1, tf.sin(y * model.w) + x * y), [0, x]
        )
        return y

    model.f = f
    tf.saved_model.save(model, tmp_path)
    loaded = tf.saved_model.load(tmp_path)

    def gradients(of, n):
        x = tf.constant([0.3, 0.7])
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = of.f(x, tf.constant(n))
            first = inner.gradient(y, x)
        return first, *outer.gradient(first, [x, of.w])

    for n in (1, 4):
        for found, wanted in zip(gradients(loaded, n), gradients(model, n), strict=True):
            assert np.all(wanted.numpy())
            np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_scalar_strings(tmp_path):
    model = tf.Module()
    model.text = tf.Variable("first")
    tf.saved_model.save(model, tmp_path / "m")
    assert tf.saved_model.load(tmp_path / "m").text.numpy() == b"first"
    path = tf.train.Checkpoint(model).write(tmp_path / "c")
    model.text.assign("second")
    tf.train.Checkpoint(model).read(path).assert_consumed()
    assert model.text.numpy() == b"first"


@pytest.mark.parametrize("names", ["ab", "ba"])
def test_inputs_of_a_signature_are_found_by_their_names(tmp_path, names):
    class Pair(tf.Module):
        @tf.function(
            input_signature=[
                tf.TensorSpec([None, 2], tf.float32, name=names[0]),
                tf.TensorSpec([], tf.float32, name=names[1]),
            ]
        )
        def divided(self, x, y):
            return {"quotient": x / y}

    pair = Pair()
    tf.saved_model.save(pair, str(tmp_path / "m"), signatures=pair.divided)
    signature = tf.saved_model.load(str(tmp_path / "m")).signatures["serving_default"]
    found = signature(**{names[0]: tf.constant([[6.0, 8.0]]), names[1]: tf.constant(2.0)})
    assert found["quotient"].numpy().tolist() == [[3, 4]]


class Line(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable([[1.0], [2.0]], name="w")
        self.more = {"b": [tf.Variable(3.0, trainable=False)]}
        self.calls = tf.Variable(0)

    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32, name="x")])
    def __call__(self, x):
        rows = tf.cast(tf.range(tf.shape(x)[0])[:, None], tf.float32)
        return {"y": x @ self.w + self.more["b"][0] + rows / tf.reduce_mean(x)}

    @tf.function
    def scaled(self, x, times=2, *, bias=0.0):
        self.calls.assign_add(1)
        return x * times + bias, self.calls.read_value()


def test_functions(tmp_path):
    model = Line()
    concrete = model.scaled.get_concrete_function(tf.TensorSpec([], tf.float32), 3, bias=1.0)
    tf.saved_model.save(model, tmp_path, {"first": model.__call__, "second": concrete})
    loaded = tf.saved_model.load(tmp_path)
    for rows in (1, 3, 8):  # the length was unknown
        x = tf.random.normal([rows, 2])
        np.testing.assert_allclose(loaded(x)["y"], model(x)["y"], rtol=1e-5)
    assert [float(v) for v in loaded.scaled(tf.constant(2.0), 3, bias=1.0)] == [7.0, 1.0]
    assert [float(v) for v in loaded.signatures["second"](x=2.0).values()] == [7.0, 2.0]
    assert int(loaded.calls) == 2
    with tf.GradientTape() as tape, tf.GradientTape() as reference:
        loss = tf.reduce_sum(loaded(x)["y"] ** 2)
        wanted = tf.reduce_sum(model(x)["y"] ** 2)
    got = tape.gradient(loss, [loaded.w, loaded.more["b"][0]])
    np.testing.assert_allclose(got[0], reference.gradient(wanted, model.w), rtol=1e-4)
    assert got[1] is None  # not trainable, so that no tape follows it
    with pytest.raises(ValueError, match="Could not find matching concrete function"):
        loaded.scaled(tf.constant(2.0), 4)
    loaded.w.assign(tf.zeros([2, 1]))
    assert loaded.signatures["first"](x=tf.ones([1, 2]))["y"].numpy() == [[3.0]]


def test_functions_that_can_not_be_saved(tmp_path):
    model, outside = tf.Module(), tf.Variable(1.0)
    model.f = tf.function(lambda x: x * outside, input_signature=[tf.TensorSpec([])])
    with pytest.raises(AssertionError, match="references an 'untracked' resource"):
        tf.saved_model.save(model, tmp_path / "m")
    model.f = tf.function(
        lambda x: tf.random.Generator.from_seed(1).normal(tf.shape(x)),
        input_signature=[tf.TensorSpec([None])],
    )
    with pytest.raises(tf.errors.UnimplementedError, match="has no graph"):
        tf.saved_model.save(model, tmp_path / "m")
    with pytest.raises(ValueError, match=r"Only `tf\.functions` with an input signature"):
        tf.saved_model.save(tf.Module(), tmp_path / "m", tf.function(lambda x: x))
    with pytest.raises(ValueError, match="Expected an object of type `Trackable`"):
        tf.saved_model.save(3, tmp_path / "m")
    assert not tf.saved_model.contains_saved_model(tmp_path / "m")


def test_a_default_signature_that_fails_is_none(tmp_path):
    class Model(tf.Module):
        @property
        def _default_save_signature(self):
            raise TypeError("no signature")

    model = Model()
    model.v = tf.Variable(1.0)
    tf.saved_model.save(model, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    assert not loaded.signatures
    assert loaded.v == 1


def test_policies_for_variables_are_read_and_checked():
    policy = tf.saved_model.experimental.VariablePolicy
    assert tf.saved_model.SaveOptions().experimental_variable_policy is policy.NONE
    for options in (tf.saved_model.SaveOptions, tf.saved_model.LoadOptions):
        found = options(experimental_variable_policy="save_variable_devices")
        assert found.experimental_variable_policy is policy.SAVE_VARIABLE_DEVICES
        with pytest.raises(ValueError, match="invalid VariablePolicy"):
            options(experimental_variable_policy="nonsense")


def test_loaded_functions_with_a_signature_refuse_arguments_by_type_error(tmp_path):
    module = tf.Module()
    module.given = tf.function(
        lambda x: x * 2.0, input_signature=[tf.TensorSpec([None], tf.float32)]
    )
    module.traced = tf.function(lambda x: x * 2.0)
    module.traced(tf.constant([1.0]))
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    for wrong in (tf.constant([1]), tf.constant(1.0), "a", None):
        with pytest.raises(TypeError, match="Binding inputs"):
            loaded.given(wrong)
        with pytest.raises(ValueError, match="matching concrete function"):
            loaded.traced(wrong)


class Compiled(tf.Module):
    """Functions that call one that XLA compiles."""

    def __init__(self):
        super().__init__()
        self.v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        self.calls = tf.Variable(0.0)

    @tf.function(jit_compile=True)
    def inner(self, x):
        self.calls.assign_add(1.0)
        return tf.tanh(x @ self.v) * self.calls

    def twice(self, x):
        return self.inner(x) + self.inner(x + 1.0)

    def gradients(self, x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = self.inner(x)
        return tape.gradient(y, [x, self.v])

    def second(self, x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            g = self.gradients(x)[0]
        return tape.gradient(g, x)

    def jacobian(self, x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = self.inner(x)
        return tape.jacobian(y, x)


@pytest.mark.parametrize("name", ["twice", "gradients", "second", "jacobian"])
def test_calls_of_compiled_functions_are_saved(name, tmp_path):
    pytest.importorskip("jax")
    model, x = Compiled(), tf.constant([[0.1, 0.2], [0.3, -0.4]])
    model.f = tf.function(getattr(model, name), input_signature=[tf.TensorSpec([2, 2])])
    tf.saved_model.save(model, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    for found, wanted in zip(*map(tf.nest.flatten, (loaded.f(x), model.f(x))), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-5)
    assert loaded.calls == model.calls
