"""Nodes and the places of their operations."""

from graph_nodes import const, node

import gradtape as tf
from gradtape._src.graph.ir.origins import Call
from gradtape._src.graphdef.nodes import OfNode, needed, node_of, tensor_of

NODES = [
    const("a", 1.0),
    node("b", "Neg", "a", T=tf.float32),
    node("c", "Neg", "b", "^a", T=tf.float32),
]


def test_what_is_needed():
    nodes = {x.name: x for x in NODES}
    assert set(needed(nodes, ["c:0"], ["b"])) == {"c", "a"}
    assert set(needed(nodes, ["c"], [])) == {"a", "b", "c"}
    assert set(needed(nodes, ["b"], ["a:0"])) == {"b"}


def test_references():
    assert [node_of(x) for x in ("a", "a:1", "^a")] == ["a", "a", "a"]
    assert [tensor_of(x) for x in ("a", "a:0", "a:1")] == ["a", "a", "a:1"]


def test_the_origin_of_a_node_is_named_in_errors():
    origin = OfNode.of("scope/y", "MatMul", "f")
    inside = origin.within(Call("outer"))
    for x in (origin, inside):
        assert x.note == "in the node 'scope/y' (MatMul) of the loaded function 'f'"
        assert (x.name, x.scope, x.position) == ("y", "scope/", None)
    assert inside.call.name == "outer"
