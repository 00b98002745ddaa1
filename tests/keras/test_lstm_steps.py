"""Recurrent layers step by step, against Keras' own."""

import importlib

import numpy as np
import pytest

import gradtape as tf

pytestmark = pytest.mark.slow

keras, layers = tf.keras, tf.keras.layers
rng = np.random.default_rng(0)
BUILD = {"is_cuda_build": True, "is_rocm_build": False}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"return_sequences": True, "go_backwards": True},
        {"return_state": True, "use_bias": False},
        {"return_sequences": True, "return_state": True, "dropout": 0.5},
    ],
)
def test_an_lstm_is_a_loop_over_its_cell(options):
    x = tf.constant(rng.standard_normal((3, 5, 4)).astype(np.float32))
    quick = layers.LSTM(6, **options)
    quick(x)
    cell = quick.cell
    of_layer = {k: v for k, v in options.items() if k not in ("use_bias", "dropout")}
    plain = layers.RNN(cell, **of_layer)
    found = []
    for layer in (quick, plain):
        with tf.GradientTape() as tape:
            tape.watch(x)
            outputs = tf.nest.flatten(layer(x))
            loss = tf.add_n([tf.reduce_sum(tf.sin(out)) for out in outputs])
        found.append([*outputs, *tape.gradient(loss, [x, *[v.value for v in cell.weights]])])
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_an_lstm_with_masks_and_other_activations_is_keras_own():
    x = rng.standard_normal((2, 4, 3)).astype(np.float32)
    mask = np.array([[1, 1, 0, 0], [1, 1, 1, 1]], bool)
    lstm = layers.LSTM(5, activation="softsign")
    short = lstm(tf.constant(x[:1, :2]))
    np.testing.assert_allclose(lstm(tf.constant(x), mask=mask)[:1], short, rtol=1e-5)


def test_recurrent_layers_ask_for_no_cudnn(monkeypatch):
    gpu = tf.config.LogicalDevice("/device:GPU:0", "GPU")
    monkeypatch.setattr(tf.config, "list_logical_devices", lambda device_type=None: [gpu])
    x = tf.constant(rng.standard_normal((2, 4, 3)).astype(np.float32))
    gru = layers.GRU(5)
    assert gru(x).shape == (2, 5)
    assert gru.supports_jit


BACKWARDS = {"go_backwards": True, "return_sequences": True}


@pytest.mark.parametrize(
    ("masked", "options"),
    [
        (False, {}),
        (False, {"return_sequences": True}),
        (False, BACKWARDS),
        (True, {}),
        (True, BACKWARDS),
    ],
)
@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
def test_what_keras_calls_on_gpus_gives_what_its_loop_gives(kind, masked, options, monkeypatch):
    """Without the patches, Keras calls `CudnnRNNV3` where a GPU is listed."""
    x = tf.constant(rng.standard_normal((2, 4, 3)).astype(np.float32))
    mask = np.array([[1, 1, 0, 0], [1, 1, 1, 1]], bool) if masked else None
    plain = getattr(layers, kind)(5, use_cudnn=False, return_state=True, **options)
    layer = getattr(layers, kind)(5, return_state=True, **options)
    for each in (plain, layer):
        each.build(x.shape)
    layer.set_weights([w + 0.1 for w in plain.get_weights()])
    plain.set_weights(layer.get_weights())
    calls = []
    own = tf.raw_ops.CudnnRNNV3
    monkeypatch.setattr(tf.raw_ops, "CudnnRNNV3", lambda **given: calls.append(1) or own(**given))
    monkeypatch.setattr(tf.sysconfig, "get_build_info", lambda: BUILD)
    module = importlib.import_module("keras.src.backend.tensorflow.rnn")
    monkeypatch.setattr(module, "_is_gpu_available", lambda: True)
    loop = getattr(layers.LSTM.inner_loop, "__wrapped__", layers.LSTM.inner_loop)
    monkeypatch.setattr(layers.LSTM, "inner_loop", loop)
    found = []
    for each in (plain, layer):
        with tf.GradientTape() as tape:
            tape.watch(x)
            outputs = each(x, mask=mask)
            if outputs[-1].shape.rank == 1:
                pytest.skip("with cuDNN, this Keras returns the state of the first row alone")
            loss = tf.add_n([tf.reduce_sum(tf.sin(out)) for out in outputs])
        found.append([*outputs, *tape.gradient(loss, [x, *[v.value for v in each.weights]])])
    assert calls == [1]
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)
