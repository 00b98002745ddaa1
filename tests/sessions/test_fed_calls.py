"""Functions of placeholders give what they give for the values that are fed."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import pytest
from sessions.fed_calls import calls, fault, placeholder

import gradtape as tf

v1 = tf.compat.v1
ALWAYS = dict.fromkeys(("__operators__.eq", "__operators__.ne"), "compares objects in graphs")
ALWAYS["constant"] = "takes values alone, as in TensorFlow"
LISTS = {
    "sparse.sampled_addmm": "is refused by TensorFlow, too: the number of tensors is not known",
}
AXES = dict.fromkeys(
    (
        "image.resize_with_pad",
        "ragged.boolean_mask",
        "strings.bytes_split",
        "strings.unicode_decode",
        "strings.unicode_decode_with_offsets",
        "strings.unicode_split",
        "strings.unicode_split_with_offsets",
    ),
    "fails in TensorFlow, too: the number of axes is not known",
)
FUNCTIONS = dict.fromkeys(
    ("foldl", "foldr", "map_fn", "scan", "switch_case", "vectorized_map", "while_loop"),
    "calls a program's function, which may have effects, only for values of a known rank",
)
NO_RANK = dict.fromkeys(
    (
        "einsum",
        "linalg.eigh_tridiagonal",
        "ragged.stack",
        "sparse.cross",
        "sparse.cross_hashed",
        "sparse.reshape",
        "sparse.sparse_dense_matmul",
        "strings.split",
    ),
    "needs the number of axes",
)
KNOWN = {
    "shape": ALWAYS,
    "rank": {**ALWAYS, **LISTS},
    "nothing": {**ALWAYS, **LISTS, **AXES, **FUNCTIONS, **NO_RANK},
}
"""By what is known of the shapes, the functions that give other results, and why."""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("known", KNOWN)
def test_functions_of_placeholders(known: str, caplog: Any) -> None:
    caplog.set_level(logging.CRITICAL)
    found = {call.path: why for call in calls() if (why := fault(call, known)) is not None}
    assert {path: why for path, why in found.items() if path not in KNOWN[known]} == {}
    assert set(KNOWN[known]) <= set(found)


X, IMAGE = np.arange(1.0, 7.0).reshape(2, 3), np.arange(48.0).reshape(1, 4, 4, 3)
METHODS: dict[str, tuple[Any, list[Any]]] = {
    "rows of a tensor": (lambda x: tf.RaggedTensor.from_tensor(x, padding=6.0).to_tensor(), [X]),
    "rows by lengths": (
        lambda x, n: tf.RaggedTensor.from_row_lengths(x, n).to_tensor(9.0),
        [X[0], np.array([1, 0, 2])],
    ),
    "rows by splits": (
        lambda x, n: tf.reduce_sum(tf.RaggedTensor.from_row_splits(x, n), 1),
        [X[0], np.array([0, 2, 3])],
    ),
    "frames": (lambda x: tf.signal.frame(x, 2, 1), [X]),
    "frames of a fed length": (lambda x, n: tf.signal.frame(x, n, 1), [X, np.int32(2)]),
    "added frames": (lambda x: tf.signal.overlap_and_add(x, 2), [X]),
    "added frames at a fed step": (tf.signal.overlap_and_add, [X, np.int32(2)]),
    "diagonals": (lambda x: tf.linalg.diag(x, k=1), [X]),
    "diagonals of a fed number": (lambda x, k: tf.linalg.diag(x, k=k), [X, np.int32(-1)]),
    "parts": (lambda x, k: tf.linalg.diag_part(x, k=k), [X, np.int32(1)]),
    "replaced diagonals": (tf.linalg.set_diag, [X, X[0, :2]]),
    "replaced fed diagonals": (
        lambda x, d, k: tf.linalg.set_diag(x, d, k=k),
        [X, X[0, :2], np.int32(1)],
    ),
    "a crop": (lambda x: tf.image.resize_with_crop_or_pad(x, 2, 6), [IMAGE]),
    "a crop of a fed size": (tf.image.resize_with_crop_or_pad, [IMAGE, np.int32(2), np.int32(6)]),
    "a box": (tf.image.crop_to_bounding_box, [IMAGE, *map(np.int32, (1, 0, 2, 3))]),
    "a border": (tf.image.pad_to_bounding_box, [IMAGE, *map(np.int32, (1, 0, 6, 7))]),
    "a central crop": (lambda x: tf.image.central_crop(x, 0.5), [IMAGE]),
}


@pytest.mark.parametrize("known", ["shape", "rank"])
@pytest.mark.parametrize("what", METHODS)
def test_what_needs_values(what: str, known: str) -> None:
    function, arrays = METHODS[what]
    values = [tf.constant(x) for x in arrays]
    expected = function(*values)
    with tf.Graph().as_default(), v1.Session() as session:
        places = [placeholder(x, known) for x in values]
        y = function(*places)
        assert y.shape.is_compatible_with(expected.shape)
        found = session.run(y, dict(zip(places, arrays, strict=True)))
    np.testing.assert_allclose(found, expected.numpy(), 1e-12)


def test_a_tensor_waits_for_a_placeholder_that_is_fed() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        x, y = v1.placeholder(tf.float32, [2]), v1.placeholder(tf.float32, [])
        both = tf.tuple([x, y])
        assert session.run(both, {x: [1.0, 2.0], y: 3.0})[1] == 3.0


def test_a_call_that_becomes_one_operation_leaves_no_others() -> None:
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [None, None], "x")
        rank = tf.linalg.matrix_rank(x)
        assert [op.name for op in graph.get_operations()] == ["x", rank.op.name]


def test_no_graph_is_made_for_lengths_that_may_be_others() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float64, [None, None])
        q, _ = tf.linalg.qr(x)
        (slope,) = tf.gradients(tf.reduce_sum(q * q * q), x)
        for value in (X[:, :2], X.T[:, :1]):
            assert session.run(slope, {x: value}).shape == value.shape
