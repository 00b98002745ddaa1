from importlib.util import find_spec

import numpy as np
import pytest
from saving.export import models

import gradtape as tf
from gradtape._src.messages import protos
from gradtape._src.raw.op_definitions import op_definition
from gradtape._src.saving.export.saved_functions import SavedFunctions


@pytest.mark.parametrize("name", models.MODELS)
def test_models_become_valid_graphs(name):
    module, _ = models.MODELS[name]()
    functions = SavedFunctions()
    saved = functions.of(module.f.get_concrete_function())
    wrapper = functions.signature(saved)
    assert {saved.name, wrapper.name} <= {f.signature.name for f in functions.library.functions}
    assert len({f.signature.name for f in functions.library.functions}) == len(
        functions.library.functions
    )
    for function in functions.library.functions:
        known = {x.name for x in function.signature.input_arg}
        assert len(function.attr["_input_shapes"].list.shape) == len(known)
        for node in function.node_def:
            own = {name for name in node.attr if not name.startswith("_")}
            assert own == set(op_definition(node.op).attributes)
            assert known.issuperset([x.strip("^").partition(":")[0] for x in node.input])
            known.add(node.name)


def test_a_function_without_a_graph_says_why(tmp_path):
    model = tf.Module()
    model.f = tf.function(
        lambda x: tf.map_fn(
            tf.sparse.reduce_sum,
            tf.sparse.from_dense(x[None]),
            fn_output_signature=tf.float32,
        ),
        input_signature=[tf.TensorSpec([None])],
    )
    with pytest.raises(tf.errors.UnimplementedError, match="has no graph"):
        tf.saved_model.save(model, tmp_path)


def test_functions_of_shapes_that_only_a_run_tells(tmp_path):
    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec(None)])
        def any_rank(self, x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.exp(x) * tf.constant([1.0, 2.0])
            return tape.gradient(y, x), x[0] + 1

        @tf.function(input_signature=[tf.TensorSpec([None, 3]), tf.TensorSpec([], tf.int32)])
        def sliced(self, x, n):
            noise = tf.random.uniform([n, 3]) * 0
            return tf.reshape(x[:n] + noise + tf.zeros([n, 1]), [3, n])

    model = Model()
    tf.saved_model.save(model, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    for x in (tf.ones([2]), tf.reshape(tf.range(6.0), [3, 2])):
        for a, b in zip(loaded.any_rank(x), model.any_rank(x), strict=True):
            np.testing.assert_allclose(a, b)
    x = tf.reshape(tf.range(12.0), [4, 3])
    for n in (1, 3):
        np.testing.assert_allclose(loaded.sliced(x, n), model.sliced(x, tf.constant(n)))


QUICK = ("two_layers", "embedding", "loop", "choice", "unknown_lengths", "counter")


@pytest.mark.parametrize(
    "name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in models.MODELS]
)
def test_models_give_the_same_when_they_are_loaded(tmp_path, name):
    check_loaded(*models.MODELS[name](), tmp_path)


def check_loaded(module, inputs, folder):
    tf.saved_model.save(module, folder)
    loaded = tf.saved_model.load(folder)
    found, wanted = loaded.f(*inputs), module.f(*inputs)
    for a, b in zip(tf.nest.flatten(found), tf.nest.flatten(wanted), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)


@pytest.mark.slow
@pytest.mark.skipif(find_spec("keras") is None, reason="Keras is not installed")
def test_keras_models_give_the_same_when_they_are_loaded(tmp_path):
    from saving.export import keras_models

    for name, make in keras_models.MODELS.items():
        check_loaded(*make(), tmp_path / name)


def test_each_kind_of_call_of_a_function_is_saved(tmp_path):
    model = tf.Module()
    model.w = tf.Variable(2.0)

    @tf.function
    def function(x, training=False):
        return x * model.w * (3.0 if training else 1.0)

    model.f = function
    rows = tf.function(lambda x: tf.reduce_sum(x, 1))
    dense = tf.function(lambda x: tf.sparse.to_dense(x) * 2.0)
    model.rows, model.dense = rows, dense
    ragged, sparse = tf.ragged.constant([[1.0], [2.0, 3.0]]), tf.sparse.from_dense([[1.0, 0.0]])
    for x in (tf.constant(1.0), tf.constant([1.0, 2.0])):
        function(x)
        function(x, training=True)
    rows(ragged), dense(sparse)
    traces = function._traces()
    tf.saved_model.save(model, tmp_path)
    assert traces.counted == 2 * len(traces.traces) == 8  # they were traced again to be saved
    assert rows._traces().counted == dense._traces().counted == 2
    loaded = tf.saved_model.load(tmp_path)
    assert len(loaded.f.concrete_functions) == 4
    assert float(loaded.f(tf.constant(1.0), training=True)) == 6
    assert loaded.f(tf.constant([1.0, 2.0])).numpy().tolist() == [2, 4]
    assert loaded.rows(ragged).numpy().tolist() == [1, 5]
    assert loaded.dense(sparse).numpy().tolist() == [[2, 0]]
    with pytest.raises(ValueError, match="Could not find matching"):
        loaded.rows(tf.ragged.constant([[1.0]]))


def test_functions_have_aliases(tmp_path):
    module, _ = models.MODELS["dense"]()
    options = tf.saved_model.SaveOptions(function_aliases={"mine": module.f})
    tf.saved_model.save(module, tmp_path, options=options)
    message = protos.SavedModel.FromString((tmp_path / "saved_model.pb").read_bytes())
    (meta,) = message.meta_graphs
    ((name, alias),) = meta.meta_info_def.function_aliases.items()
    assert alias == "mine"
    assert name in meta.object_graph_def.concrete_functions


def clipped():
    """A model with a gradient of its own in a loop, which uses a tensor of the loop."""

    @tf.custom_gradient
    def own(y):
        half = y * 0.5
        return tf.sin(y), lambda dy: dy * half

    module = tf.Module()
    module.f = tf.function(
        lambda x: tf.while_loop(lambda y: tf.reduce_sum(y) > 1.0, lambda y: [own(y)], [x])[0],
        input_signature=[tf.TensorSpec([])],
    )
    return module


def test_gradients_of_the_users_in_loops_can_be_left_out(tmp_path):
    with pytest.raises(tf.errors.UnimplementedError, match="experimental_custom_gradients=False"):
        tf.saved_model.save(clipped(), tmp_path)
    options = tf.saved_model.SaveOptions(experimental_custom_gradients=False)
    tf.saved_model.save(clipped(), tmp_path, options=options)
    x = tf.constant(0.5)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.saved_model.load(tmp_path).f(x)
    assert float(tape.gradient(y, x)) == 1


def test_names_of_arguments_in_structures(tmp_path):
    """The parts of an argument have the parameter's name, and a number from the second on."""
    model = tf.Module()
    model.f = tf.function(lambda pair, other: {"y": pair[0] + pair[1] + other})
    scalar = tf.TensorSpec([], tf.float32)
    concrete = model.f.get_concrete_function([scalar, scalar], tf.TensorSpec([], name="given"))
    tf.saved_model.save(model, tmp_path, concrete)
    serve = tf.saved_model.load(tmp_path).signatures["serving_default"]
    one = tf.constant(1.0)
    assert float(serve(pair=one, pair_1=one, given=one)["y"]) == 3.0
