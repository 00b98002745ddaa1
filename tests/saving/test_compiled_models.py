"""Models that TensorFlow saved, compiled by XLA: the values and gradients that TensorFlow gave."""

import re
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
    "layers_of_eight_bits": ["serve"],
    "linear_algebra": ["solved", "contracted"],
    "lstm": ["serve"],
    "ragged_and_sparse": ["pooled", "product"],
    "spectrograms": ["serve"],
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


REFUSED = {
    ("beam_search", "search"): r"'TensorArrayV2_4' \(TensorListReserve\)",
    ("conditional_loop_gradients_v1", "signatures.gradients"): r"branches' results differ.* \(If\)",
    ("data_set", "total"): r"loop over a dataset .*'ReduceDataset' \(ReduceDataset\)",
    ("data_set", "batches"): r"'RangeDataset' \(RangeDataset\)",
    ("quantized", "eight"): r"QuantizeV2 can't be compiled.* \(QuantizeV2\)",
    ("special_functions", "whole"): r"\(DenseToDenseSetOperation\)",
}
"""Functions that TensorFlow does not compile either, and what the error says."""


@pytest.mark.parametrize(("name", "path"), REFUSED)
def test_what_cannot_be_compiled_names_the_node(name, path, tmp_path):
    with zipfile.ZipFile(MODELS / f"{name}.zip") as archive:
        archive.extractall(tmp_path)
    recorded = Recorded(tf, tmp_path, wrap=compiled)
    number, call = next((i, c) for i, c in enumerate(recorded.about["calls"]) if c["path"] == path)
    refused = (tf.errors.UnimplementedError, NotImplementedError)
    with pytest.raises(refused, match=r"At the node .*of the loaded function") as caught:
        recorded.check_call(number, call)
    assert re.search(REFUSED[name, path], str(caught.value))
