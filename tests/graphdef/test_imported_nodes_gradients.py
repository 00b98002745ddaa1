"""New derivatives of graphs that TensorFlow had differentiated before it wrote them."""

from __future__ import annotations

import base64
import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradtape as tf

v1 = tf.compat.v1
PATH = Path(__file__).with_name("recorded_differentiated_graphs.json")
RECORDED: dict[str, Any] = json.loads(PATH.read_text(encoding="utf-8"))
OF_NESTED = {
    "conditional_in_loop",
    "growing",
    "loop_in_conditional",
    "nested_conditional",
    "nested_loop",
    "reading",
    "recurrent",
}
"""Graphs whose old gradients pass lists of tensors to nodes that a session runs."""


def imported(name: str) -> tuple[Any, Any, list[Any]]:
    """Imports a graph; returns its loss, its old gradient, and what both depend on."""
    data = zlib.decompress(base64.b64decode(RECORDED[name]["graph"]))
    v1.train.import_meta_graph(v1.MetaGraphDef.FromString(data))
    graph = v1.get_default_graph()
    loss, old, x = (graph.get_tensor_by_name(f"{n}:0") for n in ("loss", "old", "x"))
    return loss, old, [*v1.trainable_variables(), x]


def first_and_second(loss: Any, xs: list[Any]) -> tuple[list[Any], list[Any]]:
    first = tf.gradients(tf.square(loss), xs)
    return first, tf.gradients([tf.reduce_sum(tf.sin(g)) for g in first], xs)


def check(session: Any, name: str, part: str, tensors: list[Any]) -> None:
    recorded = RECORDED[name]
    for feed, expected in zip(recorded["feeds"], recorded.get(part, ()), strict=False):
        for a, b in zip(session.run(tensors, feed), expected, strict=True):
            np.testing.assert_allclose(a, np.reshape(b, np.shape(a)), 1e-6, 1e-9, err_msg=part)


@pytest.mark.parametrize("name", RECORDED)
def test_new_derivatives_equal_those_of_tensorflow(name: str) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        loss, old, xs = imported(name)
        first, second = first_and_second(loss, xs)
        session.run("init")
        check(session, name, "old", [old])
        check(session, name, "first", first)
        check(session, name, "second", second)


@pytest.mark.parametrize("name", [x for x in RECORDED if "of_old" in RECORDED[x]])
def test_gradients_of_old_gradients_equal_those_of_tensorflow_or_are_errors(name: str) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        _, old, xs = imported(name)
        if name in OF_NESTED:
            with pytest.raises(tf.errors.UnimplementedError, match="by lists of tensors"):
                tf.gradients(tf.sin(old), xs)
            return
        session.run("init")
        check(session, name, "of_old", tf.gradients(tf.sin(old), xs))


@pytest.mark.parametrize("name", [x for x in RECORDED if x.endswith("_v1")])
def test_second_derivatives_agree_with_differences_where_tensorflow_has_none(name: str) -> None:
    recorded = RECORDED[name]
    feed = {k: np.array(x) for k, x in recorded["feeds"][0].items()}
    x = feed["x:0"].astype(float)
    step = 1e-6 * np.cos(np.arange(x.size) + 1.0).reshape(x.shape)
    with tf.Graph().as_default(), v1.Session() as session:
        loss, _, xs = imported(name)
        first, second = first_and_second(loss, xs)
        sines = tf.add_n([tf.reduce_sum(tf.sin(g)) for g in first])
        session.run("init")
        upper, lower = (session.run(sines, {**feed, "x:0": x + s}) for s in (step, -step))
        slope = np.sum(session.run(second[-1], feed) * step) * 2.0
    np.testing.assert_allclose(slope, upper - lower, 1e-4, 1e-9)
