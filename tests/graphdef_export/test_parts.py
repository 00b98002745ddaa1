import importlib

import pytest
from graphdef_export.exporting import exported

import gradtape as tf
from gradtape._src.declare.general import REGISTRY
from gradtape._src.declare.registered import Opaque
from gradtape._src.first_use.operations import OPERATIONS
from gradtape._src.graphdef_export.rules import RULES
from gradtape._src.raw.op_definitions import is_defined

WORKERS = "it needs the other processes of a strategy"
EAGER = "graphs have the operations of which it is composed"
DRAWN = "a graph has the draw itself as a node"

WITHOUT_RULE = {
    "CollectiveReduceV2": WORKERS,
    "GeluByTanh": EAGER,
    "Moments": EAGER,
    "Normalization": EAGER,
    "RandomGamma": DRAWN,
    "RandomPoissonV2": DRAWN,
    "ReplicaPart": WORKERS,
    "SiluAndSigmoid": EAGER,
}
"""Operations that can't be exported, for which saving raises UnimplementedError, and why."""


def test_every_operation_has_a_rule_but_those_that_are_known() -> None:
    for module in set(OPERATIONS.values()):
        importlib.import_module(module)
    families = {"Unary", "Binary", "Choice"}
    lacking = {
        name
        for name, primitive in REGISTRY.items()
        if name not in RULES and not (type(primitive).__name__ in families and is_defined(name))
    }
    assert lacking == set(WITHOUT_RULE)
    assert not isinstance(REGISTRY["MatMul"], Opaque)


def test_an_operation_without_a_rule_is_named_with_the_users_line() -> None:
    with pytest.raises(tf.errors.UnimplementedError, match=r"eye.*test_parts\.py"):
        exported(lambda n: tf.eye(n, batch_shape=[n]), tf.TensorSpec([], tf.int32))


def test_variables_are_handles_that_are_captured() -> None:
    v = tf.Variable(2.0)
    w = tf.Variable(3.0)
    (made,) = exported(lambda x: x * v + w, tf.TensorSpec([]))
    assert [x.type for x in made.signature.input_arg] == [1, 20, 20]


def test_assignments_run_in_the_order_of_the_program() -> None:
    v = tf.Variable(2.0)

    def function(x: tf.Tensor) -> tf.Tensor:
        v.assign_add(x)
        y = v * 1.5
        v.assign(y)
        return y

    (made,) = exported(function, tf.TensorSpec([]))
    nodes = {node.name: node for node in made.node_def}
    assigned = [name for name, node in nodes.items() if node.op == "AssignVariableOp"]
    read = [name for name, node in nodes.items() if node.op == "ReadVariableOp"]
    assert len(assigned) == len(read) == 2
    assert f"^{assigned[0]}" in nodes[read[1]].input
    assert f"^{read[1]}" in nodes[assigned[1]].input
    assert set(made.control_ret) == set(assigned)


def functions_of_a_loop(factor):
    """The names of the functions of a loop's message, with those that it calls."""
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [])

        def body(i, y):
            return i + 1, tf.cond(y > x, lambda: y * factor, lambda: y + 1.0)

        tf.while_loop(lambda i, y: i < tf.cast(x, tf.int32), body, (0, x))
    return {f.signature.name for f in graph.as_graph_def().library.function}


def test_functions_of_different_graphs_have_different_names():
    """TensorFlow derives names for the whole process from them when it takes gradients."""
    names = functions_of_a_loop(2.0)
    assert len(names) == 4
    assert names == functions_of_a_loop(2.0)
    assert not names & functions_of_a_loop(3.0)
