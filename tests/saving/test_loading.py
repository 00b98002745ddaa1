"""Saved models that are read again, and models of TensorFlow."""

from pathlib import Path

import pytest

import gradtape as tf

TENSORFLOWS = Path(__file__).parent / "from_tensorflow"


def test_a_model_of_tensorflow():
    loaded = tf.saved_model.load(TENSORFLOWS / "saved_model")
    assert loaded.w.numpy().tolist() == [[1, 2], [3, 4]]
    assert loaded.named["inner"]["x"].numpy().tolist() == [8.0]
    assert loaded(tf.ones([1, 2])).numpy().tolist() == [[4, 6]]


@pytest.mark.parametrize("step", [97, pytest.param(1, marks=pytest.mark.slow)])
def test_damage(tmp_path, step):
    with pytest.raises(OSError, match="SavedModel file does not exist at"):
        tf.saved_model.load(tmp_path)
    model = tf.Module()
    model.v = tf.Variable([1.0, 2.0])
    tf.saved_model.save(model, tmp_path)
    file = tmp_path / "saved_model.pb"
    whole = file.read_bytes()
    for n in range(0, len(whole), step):
        file.write_bytes(whole[:n])
        try:
            tf.saved_model.load(tmp_path)
        except tf.errors.DataLossError:
            continue
    file.write_bytes(b"\xff" * 50)
    with pytest.raises(tf.errors.DataLossError, match="is damaged"):
        tf.saved_model.load(tmp_path)


def test_functions_by_their_aliases(tmp_path):
    module = tf.Module()
    module.f = tf.function(lambda x: 2.0 * x, [tf.TensorSpec([None], tf.float32)])
    options = tf.saved_model.SaveOptions(function_aliases={"doubled": module.f})
    tf.saved_model.save(module, tmp_path, options=options)
    with_aliases = tf.saved_model.LoadOptions(experimental_load_function_aliases=True)
    loaded = tf.saved_model.load(tmp_path, options=with_aliases)
    assert loaded.function_aliases["doubled"](tf.constant([3.0])).numpy().tolist() == [6.0]
    assert not hasattr(tf.saved_model.load(tmp_path), "function_aliases")
