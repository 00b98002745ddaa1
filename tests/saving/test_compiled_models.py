"""Models that TensorFlow saved, compiled by XLA: the values and gradients that TensorFlow gave."""

import zipfile
from pathlib import Path

import pytest
from saving.recorded_models import Recorded

import gradtape as tf

pytest.importorskip("jax")

MODELS = Path(__file__).parent / "tensorflow_models"
COMPILED = {
    "attention": ["serve"],
    "composite_values": ["pair", "scaled", "gradient_rows", "whole"],
    "control_flow": ["choose", "collect", "mapped", "scanned"],
    "control_flow_v1": ["signatures.serving_default"],
    "convolutional": ["serve"],
    "custom_gradient": ["clipped", "stopped"],
    "keras2_transformer": [""],
    "linear_algebra": ["solved", "contracted"],
    "lstm": ["serve"],
    "ragged_and_sparse": ["pooled", "product"],
}


def compiled(function):
    return tf.function(lambda *args, **kwargs: function(*args, **kwargs), jit_compile=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", COMPILED)
def test_a_compiled_model_gives_what_it_gives_in_tensorflow(name, tmp_path):
    with zipfile.ZipFile(MODELS / f"{name}.zip") as archive:
        archive.extractall(tmp_path)
    recorded = Recorded(tf, tmp_path, wrap=compiled)
    numbers = [i for i, c in enumerate(recorded.about["calls"]) if c["path"] in COMPILED[name]]
    assert len(numbers) >= len(COMPILED[name])
    for number in numbers:
        recorded.check_call(number, recorded.about["calls"][number])
