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
