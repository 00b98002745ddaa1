"""The stubs of Keras are what the tool writes, for the Keras that they were written from."""

import importlib
import importlib.util
import re
from pathlib import Path

import pytest

import gradtape as tf

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
STUBS = ROOT / "src" / "gradtape" / "keras"
if importlib.util.find_spec("keras") is None:
    pytest.skip("Keras is not installed", allow_module_level=True)


@pytest.fixture(scope="module")
def generator():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "tools"))
        yield importlib.import_module("generate_keras_stubs")


def test_the_stubs_are_as_generated(generator):
    text = (STUBS / "layers.pyi").read_text(encoding="utf-8")
    version = re.search(r"from Keras (\S+);", text)[1]
    if tf.keras.version() != version:
        pytest.skip(f"the stubs are of Keras {version}")
    stubs = generator.Stubs(tf.keras)
    written = {p.relative_to(STUBS): p.read_text(encoding="utf-8") for p in STUBS.rglob("*.pyi")}
    assert written == {p.relative_to(STUBS): text for p, text in generator.files(stubs, version)}


def test_a_program_runs_keras_and_not_the_stubs():
    assert tf.keras.layers.Dense.__module__.startswith("keras.")
    assert tf.losses is tf.keras.losses
