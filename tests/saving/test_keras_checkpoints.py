from pathlib import Path

import numpy as np
import pytest

import gradtape as tf

pytestmark = pytest.mark.slow

TENSORFLOWS = Path(__file__).parent / "from_tensorflow"


@pytest.fixture(scope="module")
def keras():
    tf.install()
    return pytest.importorskip("keras")


def network(keras):
    model = keras.Sequential(
        [keras.Input((3,)), keras.layers.Dense(2), keras.layers.BatchNormalization()]
    )
    model.compile("adam", "mse")
    return model


def stored():
    with np.load(TENSORFLOWS / "keras.npz") as file:
        return [file[name] for name in file.files]


def test_model_and_optimizer_of_tensorflow(keras):
    model = network(keras)
    checkpoint = tf.train.Checkpoint(model=model, optimizer=model.optimizer)
    status = checkpoint.read(TENSORFLOWS / "keras")
    status.assert_existing_objects_matched()
    model.optimizer.build(model.trainable_variables)  # its variables come late
    status.assert_consumed()
    for variable, value in zip(model.variables, stored(), strict=True):
        np.testing.assert_array_equal(variable, value)
    assert int(model.optimizer.iterations) == 1
    momentum = tf.train.load_variable(
        TENSORFLOWS / "keras", "optimizer/_variables/2/.ATTRIBUTES/VARIABLE_VALUE"
    )
    np.testing.assert_array_equal(model.optimizer.variables[2], momentum)


def test_the_graph_is_tensorflows(keras, tmp_path):
    model = network(keras)
    model.fit(np.ones((4, 3)), np.ones((4, 2)), verbose=0)
    tf.train.Checkpoint(model=model, optimizer=model.optimizer).write(tmp_path / "keras")
    ours, theirs = (tf.train.load_checkpoint(d / "keras") for d in (tmp_path, TENSORFLOWS))
    assert ours.get_variable_to_shape_map() == theirs.get_variable_to_shape_map()


def test_layers_that_are_built_late(keras, tmp_path):
    class Net(keras.Model):
        def __init__(self):
            super().__init__()
            self.first, self.last = keras.layers.Dense(3), keras.layers.Dense(1)

        def call(self, x):
            return self.last(self.first(x))

    x = np.ones((1, 4), np.float32)
    net = Net()
    expected = net(x)
    path = tf.train.Checkpoint(net=net).write(tmp_path / "net")
    again = Net()
    status = tf.train.Checkpoint(net=again).read(path)
    np.testing.assert_array_equal(again(x), expected)
    status.assert_consumed()


def test_export(keras, tmp_path):
    pytest.importorskip("jax")
    model = network(keras)
    model.export(tmp_path / "exported", verbose=False)
    loaded = tf.saved_model.load(tmp_path / "exported")
    for rows in (1, 5):
        x = tf.random.normal([rows, 3])
        np.testing.assert_allclose(loaded.serve(x), model(x), rtol=1e-5, atol=1e-6)
        signature = loaded.signatures["serving_default"]
        np.testing.assert_allclose(signature(x)["output_0"], model(x), rtol=1e-5, atol=1e-6)
    layer = keras.layers.TFSMLayer(str(tmp_path / "exported"), call_endpoint="serve")
    np.testing.assert_allclose(layer(x), model(x), rtol=1e-5, atol=1e-6)
