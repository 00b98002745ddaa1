"""Functions that version 0.1 saved as StableHLO: run and differentiated."""

from pathlib import Path

import pytest

import gradtape as tf

pytest.importorskip("jax")
OLD = Path(__file__).parent / "from_gradtape_0_1"


def test_programs_run_and_have_gradients():
    loaded = tf.saved_model.load(OLD / "parts")
    x = tf.constant([3.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = loaded.f(x)
    assert y.numpy().tolist() == [3, 8]
    assert tape.gradient(y, x).numpy().tolist() == [1, 2]


def test_programs_cannot_be_saved_again(tmp_path):
    loaded = tf.saved_model.load(OLD / "doubled")
    with pytest.raises(tf.errors.UnimplementedError, match="can't be saved"):
        tf.saved_model.save(loaded, tmp_path)
