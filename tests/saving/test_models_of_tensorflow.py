"""Models that TensorFlow saved: loaded, run, differentiated and trained as TensorFlow does it.

`tensorflow_models/make.py` has made them, and recorded what TensorFlow computes.
"""

import zipfile
from pathlib import Path

import pytest
from saving.recorded_models import Recorded

import gradtape as tf

MODELS = sorted((Path(__file__).parent / "tensorflow_models").glob("*.zip"))


def unpacked(file, folder):
    with zipfile.ZipFile(file) as archive:
        archive.extractall(folder)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("file", MODELS, ids=lambda file: file.stem)
def test_a_model_gives_what_it_gives_in_tensorflow(file, tmp_path):
    Recorded(tf, unpacked(file, tmp_path)).check_all()


@pytest.mark.slow
@pytest.mark.parametrize("file", MODELS, ids=lambda file: file.stem)
def test_a_model_that_is_saved_again_gives_the_same(file, tmp_path):
    first = unpacked(file, tmp_path / "first")
    model = tf.saved_model.load(first)
    tf.saved_model.save(model, tmp_path / "again", signatures=model.signatures)
    Recorded(tf, first, tmp_path / "again").check_all()


def test_all_models_are_there():
    assert len(MODELS) >= 30
