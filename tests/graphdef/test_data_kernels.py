"""Datasets of graphs."""

import pytest
from graph_nodes import Name, body, const, function, node

import gradtape as tf
from gradtape._src.graphdef.nodes import Surroundings

F = tf.float32
OF = {"output_types": [F], "output_shapes": [tf.TensorShape([])]}
DOUBLE = function("double", {"x": F}, [node("y", "AddV2", "x", "x", T=F)], {"y:z:0": F})
ADD = function("add", {"s": F, "x": F}, [node("y", "AddV2", "s", "x", T=F)], {"y:z:0": F})
BIG = function(
    "big",
    {"x": F},
    [const("c", 3.0), node("y", "Greater", "x", "c:output:0", T=F)],
    {"y:z:0": tf.bool},
)
FUNCTIONS = [DOUBLE, ADD, BIG]
START = [node("d", "TensorSliceDataset", "x", Toutput_types=[F], **OF), const("zero", 0.0)]
SUM = node(
    "y", "ReduceDataset", "e", "zero", f=Name("add"), Tstate=[F], Targuments=[], **OF
)  # fmt: skip


def total(*nodes):
    made = body([*START, *nodes, SUM], ["x"], ["y"], functions=FUNCTIONS)
    return made.run([tf.constant([1.0, 2.0, 3.0])])[0].numpy()


def test_elements_are_mapped_filtered_and_added():
    mapped = node("m", "MapDataset", "d", f=Name("double"), Targuments=[], **OF)
    kept = node("e", "FilterDataset", "m", predicate=Name("big"), Targuments=[], **OF)
    assert total(mapped, kept) == 10


ONE = [const("two", 2)]
STEPS = {
    "TakeDataset": 3,
    "SkipDataset": 3,
    "RepeatDataset": 12,
}


@pytest.mark.parametrize("op", STEPS)
def test_elements_are_counted(op):
    assert total(*ONE, node("e", op, "d", "two", **OF)) == STEPS[op]


def test_data_sets_are_joined_and_cached():
    both = node("b", "ConcatenateDataset", "d", "d", **OF)
    nodes = [both, const("empty", ""), node("e", "CacheDataset", "b", "empty", **OF)]
    assert total(*nodes) == 12


def test_batches():
    nodes = [
        const("two", 2),
        const("no", False),
        node("b", "BatchDatasetV2", "d", "two", "no", **OF),
    ]
    nodes.append(node("e", "UnbatchDataset", "b", **OF))
    assert total(*nodes) == 6


def test_iterators():
    surroundings = Surroundings()
    nodes = [
        *START,
        node("i", "IteratorV2", shared_name="i", container="", **OF),
        node("m", "MakeIterator", "d", "i"),
        node("n", "IteratorGetNext", "i", "^m", **OF),
    ]
    made = body(nodes, ["x"], ["n"], surroundings=surroundings)
    assert made.run([tf.constant([4.0])])[0].numpy() == 4
    with pytest.raises(tf.errors.OutOfRangeError):
        made.run([tf.constant([], F)])


def test_files_are_refused():
    nodes = [const("f", "x"), const("c", ""), const("b", 0)]
    nodes.append(node("e", "TextLineDataset", "f", "c", "b"))
    with pytest.raises(tf.errors.PermissionDeniedError):
        total(*nodes)
