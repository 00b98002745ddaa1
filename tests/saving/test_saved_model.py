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
