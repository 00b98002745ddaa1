"""Small programs around `tf.function` and `tf.data` print what they print under TensorFlow.

`record_probes.py` records that. A program of which ours is known to print something else stands in
`KNOWN`; one that has begun to print the right thing must be taken out of there, which
`shrink_known_probes.py` does. `pytest --runxfail -k NAME` shows what a program prints instead.
"""

from weakref import WeakKeyDictionary

import pytest
from graph.known_probes import KNOWN
from graph.known_reasons import REASONS
from graph.probing import captured, difference, expected, programs, recorded

import gradtape as tf
from gradtape._src.compute import devices
from gradtape._src.graph import retracing
from gradtape._src.graph.nested import graph_call
from gradtape._src.ops.random import distributions

pytestmark = pytest.mark.slow

PROGRAMS = {program.name: program for program in programs()}
RECORDED = recorded()


@pytest.fixture(autouse=True, scope="module")
def _keras_is_loaded():
    """Some programs import Keras by its own name, which `tf.keras` must load first."""
    assert tf.keras.layers


@pytest.fixture(autouse=True)
def _settings_are_kept(monkeypatch):
    monkeypatch.setattr(devices, "requested_processors", [4])
    restart = distributions.kept()
    tf.random.set_seed(None)  # as in a new process
    yield
    restart()
    tf.config.run_functions_eagerly(False)
    tf.compat.v1.enable_tensor_equality()


def marked(name):
    marks = [pytest.mark.xfail(reason="see KNOWN", strict=True)] if name in KNOWN else []
    return pytest.param(name, marks=marks)


@pytest.mark.parametrize("at_once", [False, True], ids=["", "compiled"])
@pytest.mark.parametrize("name", [marked(name) for name in PROGRAMS])
def test_probe(name, at_once, monkeypatch):
    monkeypatch.setattr(graph_call, "at_once", [at_once])
    monkeypatch.setattr(retracing, "_found", WeakKeyDictionary())  # as in a new process
    found = difference(captured(PROGRAMS[name], tf), expected(RECORDED[name]))
    assert not found, f"{name}: {found}"


def test_recording_is_of_these_programs():
    sources = {name: program.digest for name, program in PROGRAMS.items()}
    assert sources == {name: entry["source"] for name, entry in RECORDED.items()}


def test_known_differences_have_a_reason():
    reasons = [name for names in REASONS.values() for name in names]
    assert set(reasons) == KNOWN
    assert len(reasons) == len(set(reasons))


def test_known_differences_are_of_these_programs():
    assert not KNOWN - PROGRAMS.keys()
