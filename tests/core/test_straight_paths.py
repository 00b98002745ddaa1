"""The paths that are written out do what the path for any number of inputs does."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.core.primitive import bind
from gradtape._src.core.recorder import Recorder, replaced
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import REGISTRY

ARRAY = np.array([[0.3, 0.7], [0.2, 0.9]], np.float32)
CASES = [
    ("Sin", (ARRAY,), {}),  # keeps its input
    ("Tanh", (np.float32(0.5),), {}),  # keeps its output
    ("Floor", (ARRAY,), {}),  # has no derivative
    ("Transpose", (ARRAY,), {"perm": (1, 0)}),  # has a parameter
    ("Reshape", (ARRAY,), {"shape": (4,)}),  # keeps a shape
    ("Sum", (ARRAY,), {"axis": (-1,), "keepdims": True}),  # has two named parameters
    ("Qr", (ARRAY,), {"full_matrices": False}),  # has two outputs
    ("Mul", (ARRAY, np.float32(2)), {}),  # broadcasts
    ("AddV2", (ARRAY, ARRAY[0]), {}),  # keeps nothing
    ("Maximum", (ARRAY, ARRAY.T.copy()), {}),
    ("MatMul", (ARRAY, ARRAY[:, :1]), {}),  # keeps no shapes of matrices
    ("MatMul", (np.stack([ARRAY, ARRAY]), ARRAY), {}),  # keeps those of stacks
    ("Less", (ARRAY, ARRAY), {}),
]


@pytest.fixture(params=CASES, ids=[name for name, *_ in CASES])
def case(request):
    name, values, params = request.param
    getattr(tf.raw_ops, name)  # loads the operation
    primitive = REGISTRY[name]
    written = primitive.bind
    general = bind(primitive)  # which also puts itself in the place of the other
    primitive.bind = written
    return written, general, values, params


def flat(out):
    return list(out) if isinstance(out, tuple) else [out]


def test_values_and_records_are_those_of_the_general_path(case):
    written, general, values, params = case
    runs = []
    for run in (written, general):
        inputs = [Tensor(v) for v in values]
        with tf.GradientTape() as tape:
            for x in inputs:
                tape.watch(x)
            outs = flat(run(*inputs, **params))
        runs.append((inputs, outs, tape.records))
    (_, outs, records), (_, others, expected) = runs
    for y, z in zip(outs, others, strict=True):
        np.testing.assert_array_equal(y.numpy(), z.numpy())
    assert len(records) == len(expected)
    for one, other in zip(records, expected, strict=True):
        assert one[0] is other[0]  # the plan
        assert len(one[2]) == len(other[2])
        assert [s.shape for s in one[3]] == [s.shape for s in other[3]]
        assert one[4] == other[4]  # the facts


def test_raw_values_give_raw_values(case):
    written, _, values, params = case
    assert not any(isinstance(y, Tensor) for y in flat(written(*values, **params)))


def test_another_recorder_is_asked(case):
    written, _, values, params = case

    class Notes(Recorder):
        def __init__(self):
            self.seen = []

        def process(self, primitive, inputs, params):
            self.seen.append((primitive.name, len(inputs), params))
            return primitive.bind(*inputs, **params)

    notes = Notes()
    with replaced((notes,)):
        written(*[Tensor(v) for v in values], **params)
    assert notes.seen[0] == (written.primitive.name, len(values), params)


def test_an_input_that_no_tape_follows_is_not_recorded(case):
    written, _, values, params = case
    with tf.GradientTape() as tape:
        written(*[Tensor(v) for v in values], **params)
    assert tape.records == []


@pytest.mark.parametrize(("name", "count"), [("Sin", 1), ("Mul", 2)])
def test_wrong_dtypes_are_named(name, count):
    with pytest.raises(tf.errors.InvalidArgumentError, match=name):
        REGISTRY[name].bind(*[Tensor(np.array(["a"], object))] * count)


def test_two_dtypes_are_an_error():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Mul"):
        REGISTRY["Mul"].bind(Tensor(np.float32(1)), Tensor(np.float64(1)))


@pytest.mark.parametrize(
    "run",
    [
        tf.exp,
        tf.reduce_sum,
        lambda x: x * x,
        lambda x: tf.where(x > 0, x, x),
        lambda x: tf.concat([x, x], 0),
    ],
)
def test_a_result_has_one_id_for_all_tapes(run):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as outer, tf.GradientTape() as inner:
        outer.watch(x)
        inner.watch(x)
        y = run(x)
    assert y._id in outer.ids
    assert y._id in inner.ids
    slopes = [tape.gradient(y, x).numpy().tolist() for tape in (outer, inner)]
    assert slopes[0] == slopes[1]


@pytest.mark.parametrize(
    "run", [tf.exp, tf.reduce_sum, lambda x: x + 1.0, lambda x: x * x, tf.nn.softmax]
)
def test_a_tensor_of_a_graph_is_out_of_scope_elsewhere(run):
    graph = tf.Graph()
    with graph.as_default():
        x = tf.constant([1.0, 2.0])
    with pytest.raises(TypeError, match="out of scope"):
        run(x)  # imports what it needs
    events = []
    sys.setprofile(lambda *event: events.append(event))
    try:
        with pytest.raises(TypeError):
            run(x)
    finally:
        sys.setprofile(None)
    assert len(events) < 300  # an operation of its kernel is not the same operation, without end
