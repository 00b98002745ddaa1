"""Models with other bytes in them: they are refused, or run, within bounded memory."""

import random
import zipfile
from pathlib import Path

import pytest
from saving.recorded_models import Recorded

import gradtape as tf

MODELS = sorted((Path(__file__).parents[1] / "saving" / "tensorflow_models").glob("*.zip"))
MEMORY = 1 << 30
CHANGED = 40  # forms of each model
LOADING = (tf.errors.DataLossError, FileNotFoundError)
# Of variables that the checkpoint doesn't have, or of other shapes; as in TensorFlow.
OTHER_MODEL = (AssertionError, ValueError, tf.errors.InvalidArgumentError)
# A call may be of another structure, and operations may get other shapes, dtypes and attributes.
CALLING = (tf.errors.OpError, ValueError, TypeError, AssertionError)


def changed(data, choose):
    """Bytes of which some are others, are gone, or are new."""
    made = bytearray(data)
    for _ in range(choose.choice([1, 1, 1, 2, 4, 8])):
        at = choose.randrange(len(made))
        way = choose.randrange(4)
        if way == 0:
            made[at] ^= 1 << choose.randrange(8)
        elif way == 1:
            made[at] = choose.choice([0, 0x01, 0x7F, 0x80, 0xFF])
        elif way == 2:
            del made[at : at + choose.randrange(1, 9)]
        else:
            made[at:at] = bytes([choose.randrange(256)]) * choose.randrange(1, 5)
    return bytes(made)


def unpacked(file, folder):
    with zipfile.ZipFile(file) as archive:
        archive.extractall(folder)
    return folder


def try_calls(folder):
    """Runs what can be loaded; returns whether it could."""
    try:
        tf.saved_model.load(folder)
    except (*LOADING, *OTHER_MODEL):
        return False
    try:
        recorded = Recorded(tf, folder)
        for number, call in enumerate(recorded.about["calls"]):
            try:
                recorded.check_call(number, call)
            except CALLING:
                continue
    except (AttributeError, KeyError, StopIteration, IndexError):  # no function of that name
        pass
    return True


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of operations that gradtape doesn't know
@pytest.mark.parametrize("file", MODELS, ids=lambda file: file.stem)
def test_models_with_other_bytes(file, tmp_path, memory_limit):
    folder = unpacked(file, tmp_path)
    path = folder / "saved_model.pb"
    whole, choose = path.read_bytes(), random.Random(file.stem)
    loaded = 0
    for _ in range(CHANGED):
        path.write_bytes(changed(whole, choose))
        with memory_limit(MEMORY):
            loaded += try_calls(folder)
    assert loaded < CHANGED


@pytest.mark.slow
@pytest.mark.parametrize("name", ["variables.index", "variables.data-00000-of-00001"])
@pytest.mark.parametrize("model", ["dense", "tables"])
def test_models_with_other_values(model, name, tmp_path, memory_limit):
    folder = unpacked(next(file for file in MODELS if file.stem == model), tmp_path)
    path = folder / "variables" / name
    whole, choose = path.read_bytes(), random.Random(model + name)
    for _ in range(CHANGED * 4):
        path.write_bytes(damaged := changed(whole, choose))
        with memory_limit(MEMORY):
            try:
                tf.saved_model.load(folder)
            except (*LOADING, *OTHER_MODEL):
                continue
        assert damaged == whole or name.endswith("index")


@pytest.mark.parametrize("at", [0, 3, 50])
def test_a_model_that_is_cut_off(at, tmp_path):
    module = tf.Module()
    module.f = tf.function(lambda x: x + 1.0, input_signature=[tf.TensorSpec([None])])
    tf.saved_model.save(module, tmp_path)
    path = tmp_path / "saved_model.pb"
    path.write_bytes(path.read_bytes()[:at])
    with pytest.raises(tf.errors.DataLossError):
        tf.saved_model.load(tmp_path)
