"""Effects in conditionals, loops and calls happen as often as in TensorFlow."""

from __future__ import annotations

import base64
import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.graphdef.record_effects_of_graphs import PROGRAMS, built, measured

import gradtape as tf

v1 = tf.compat.v1
PATH = Path(__file__).with_name("recorded_effects_of_graphs.json")
RECORDED: dict[str, Any] = json.loads(PATH.read_text(encoding="utf-8"))


def compare(name: str) -> None:
    expected = {k: x for k, x in RECORDED[name].items() if k != "graph"}
    found = measured(tf, expected)
    assert {k: count for k, (_, count) in found.items()} == {
        k: count for k, (_, count) in expected.items()
    }
    for kind, (total, _) in expected.items():
        np.testing.assert_allclose(found[kind][0], total, 1e-9, err_msg=kind)


@pytest.mark.parametrize("name", RECORDED)
def test_effects_of_imported_graphs(name: str) -> None:
    data = zlib.decompress(base64.b64decode(RECORDED[name]["graph"]))
    with tf.Graph().as_default():
        v1.train.import_meta_graph(v1.MetaGraphDef.FromString(data))
        compare(name)


@pytest.mark.parametrize("name", [x for x in PROGRAMS if x in RECORDED])
def test_effects_of_graphs(name: str) -> None:
    with tf.Graph().as_default():
        built(tf, PROGRAMS[name])
        compare(name)
