"""The contents of Keras' weight files; the names are those that TensorFlow's Keras writes."""

import h5py
import pytest

import gradtape as tf

pytestmark = pytest.mark.slow


def test_files_hold_each_weight_once(tmp_path):
    layers = tf.keras.layers
    model = tf.keras.Sequential([tf.keras.Input((3,)), layers.Dense(4), layers.Dense(5)])
    model.compile("sgd", "mse")
    model.save_weights(tmp_path / "model.weights.h5")
    names: list[str] = []
    with h5py.File(tmp_path / "model.weights.h5") as file:
        file.visit(names.append)
    weights = [f"layers/{layer}/vars/{i}" for layer in ("dense", "dense_1") for i in (0, 1)]
    optimizer = [f"optimizer/vars/{i}" for i in (0, 1)]
    assert [n for n in names if n[-1].isdigit() and "/vars/" in n] == weights + optimizer
