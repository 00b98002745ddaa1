"""Functions that older versions of gradtape saved."""

import json

import pytest

import gradtape as tf
from gradtape._src.saving.saved_model import CHECKSUMS, DESCRIPTION, FUNCTIONS

NOTHING = {"programs": [], "functions": [], "signatures": {}}


def described(folder, **parts):
    """A model with a description of functions."""
    module = tf.Module()
    module.v = tf.Variable(1.0)
    tf.saved_model.save(module, folder)
    extra = folder / FUNCTIONS
    extra.mkdir(parents=True, exist_ok=True)
    (extra / CHECKSUMS).unlink(missing_ok=True)
    (extra / DESCRIPTION).write_text(json.dumps(NOTHING | parts))
    return folder


def test_a_function_without_programs(tmp_path):
    functions = [{"node": 0, "name": "f", "programs": []}]
    model = tf.saved_model.load(described(tmp_path, functions=functions))
    with pytest.raises(ValueError, match="Found zero restored functions"):
        model.f(1)
    assert dict(model.signatures) == {}


@pytest.mark.parametrize(
    "parts",
    [
        {"functions": [{"node": 9, "name": "f", "programs": []}]},
        {"functions": [{"node": 0, "name": "f", "programs": [3]}]},
        {"functions": [{"node": 0, "name": "__class__", "programs": []}]},
        {"signatures": {"a": 0}},
        {"programs": [{}]},
    ],
    ids=str,
)
def test_damage(parts, tmp_path):
    with pytest.raises(tf.errors.DataLossError):
        tf.saved_model.load(described(tmp_path, **parts))
