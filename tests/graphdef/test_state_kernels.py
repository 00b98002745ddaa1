"""Variables of graphs."""

import pytest
from graph_nodes import body, const, node, run

import gradtape as tf
from gradtape._src.graphdef.nodes import Surroundings
from gradtape._src.graphdef.state_kernels import new_variable, read

F = tf.float32


def test_variables_are_read_and_assigned():
    v = tf.Variable([1.0, 2.0])
    run("AssignAddVariableOp", v, [1.0, 1.0], dtype=F, gives=0)
    run("AssignSubVariableOp", v, [0.0, 5.0], dtype=F, gives=0)
    assert run("ReadVariableOp", v, dtype=F)[0].numpy().tolist() == [2, -2]
    run("AssignVariableOp", v, [7.0, 8.0], dtype=F, gives=0)
    assert run("VariableShape", v)[0].numpy().tolist() == [2]
    assert run("VarIsInitializedOp", v)[0].numpy()
    assert v.numpy().tolist() == [7, 8]


def test_rows_of_a_variable_have_sparse_gradients():
    v = tf.Variable([[1.0], [2.0], [3.0]])
    with tf.GradientTape() as tape:
        (rows,) = run("ResourceGather", v, [2, 0], dtype=F, Tindices=tf.int32)
    assert rows.numpy().tolist() == [[3], [1]]
    assert isinstance(tape.gradient(rows, v), tf.IndexedSlices)
    assert run("ResourceGatherNd", v, [[1]], dtype=F, Tindices=tf.int32)[0].numpy() == [[2]]


def test_a_graph_has_a_variable_once():
    surroundings = Surroundings()
    nodes = [
        node("v", "VarHandleOp", dtype=F, shape=tf.TensorShape([2]), shared_name="w"),
        node("y", "ReadVariableOp", "v", dtype=F),
    ]
    made = body(nodes, [], ["y"], surroundings=surroundings)
    assert made.run([])[0].numpy().tolist() == [0, 0]
    surroundings.resources["variable", "w"].assign([1.0, 2.0])
    assert made.run([])[0].numpy().tolist() == [1, 2]


def test_references_of_tensorflow_1_are_read_where_values_are_needed():
    nodes = [
        node("v", "VariableV2", dtype=F, shape=tf.TensorShape([])),
        const("c", 3.0),
        node("set", "Assign", "v", "c", T=F),
        node("more", "AssignAdd", "set", "c", T=F),
        node("old", "Identity", "more", T=F),
        node("y", "Mul", "old", "old", T=F),
    ]
    assert body(nodes, [], ["y"]).run([])[0].numpy() == 36


def test_reading():
    assert read(tf.Variable(2.0)).numpy() == 2
    assert read(3) == 3


def test_a_variable_is_not_made_too_large():
    with pytest.raises(ValueError, match="a variable of the shape"):
        new_variable(F, tf.TensorShape([1 << 40]), "v")
    assert new_variable(tf.string, tf.TensorShape([2]), "v").numpy().tolist() == [b"", b""]
