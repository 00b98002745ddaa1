"""Functions of graphs, read and run."""

import pytest
from graph_nodes import Name, body, const, function, node

import gradtape as tf
from gradtape._src.graphdef.bodies import Functions, UnavailableError
from gradtape._src.graphdef.nodes import Surroundings

F = tf.float32


def test_nodes_run_after_those_that_they_need():
    nodes = [node("z", "Mul", "y", "y", T=F), node("y", "AddV2", "x", "c", T=F), const("c", [1.0])]
    assert body(nodes, ["x"], ["z:0"]).run([tf.constant([2.0])])[0].numpy().tolist() == [9]


def test_functions_call_functions():
    twice = function("twice", {"x": F}, [node("y", "AddV2", "x", "x", T=F)], {"y:z:0": F})
    outer = function(
        "outer",
        {"x": F},
        [
            node("a", "PartitionedCall", "x", Tin=[F], Tout=[F], f=Name("twice")),
            node("b", "twice", "a:output:0"),
        ],
        {"b:r0:0": F},
    )
    made = Functions([twice, outer], Surroundings()).body("outer")
    assert made.run([tf.constant(3.0)])[0].numpy() == 12
    assert made.size > 2


def test_gradients_flow_to_second_order():
    cube = [node("s", "Mul", "x", "x", T=F), node("y", "Mul", "s", "x", T=F)]
    run = body(cube, ["x"], ["y"]).run
    x = tf.Variable(2.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            (y,) = run([x.read_value()])
        first = inner.gradient(y, x)
    assert (first.numpy(), outer.gradient(first, x).numpy()) == (12, 12)


def test_all_nodes_that_cannot_run_are_told_at_once():
    nodes = [
        node("a", "NoSuchOp", "x"),
        node("b", "PyFunc", "a", token="t", Tin=[F], Tout=[F]),
        node("c", "Abs", "b", T=F),
    ]
    with pytest.raises(UnavailableError) as caught:
        body(nodes, ["x"], ["c"])
    assert [p.node for p in caught.value.problems] == ["a", "b"]
    assert "the node 'a' (NoSuchOp) of 'graph'" in str(caught.value)


def test_a_function_that_calls_what_cannot_run_cannot_run():
    bad = function("bad", {"x": F}, [node("y", "NoSuchOp", "x")], {"y:z:0": F})
    call = node("a", "PartitionedCall", "x", Tin=[F], Tout=[F], f=Name("bad"))
    outer = function("outer", {"x": F}, [call], {"a:output:0": F})
    with pytest.raises(UnavailableError, match="of 'bad'"):
        Functions([bad, outer], Surroundings()).body("outer")


DAMAGED = {
    "depends on itself": [node("y", "AddV2", "y", "x", T=F)],
    "has no node": [node("y", "Abs", "w", T=F)],
    "takes 2 inputs": [node("y", "AddV2", "x", T=F)],
    "two nodes": [node("y", "Abs", "x", T=F), node("y", "Abs", "x", T=F)],
    "is missing": [node("y", "ArgMax", "x")],
    "there is no function": [node("y", "PartitionedCall", "x", Tin=[F], Tout=[F], f=Name("g"))],
}


@pytest.mark.parametrize("why", DAMAGED)
def test_damage(why):
    with pytest.raises(ValueError, match=why):
        body(DAMAGED[why], ["x"], ["y"])


def test_functions_that_call_themselves_are_damage():
    call = node("y", "PartitionedCall", "x", Tin=[F], Tout=[F], f=Name("f"))
    f = function("f", {"x": F}, [call], {"y:output:0": F})
    with pytest.raises(ValueError, match="calls itself"):
        Functions([f], Surroundings()).body("f")


def test_functions_that_double_what_they_run_are_damage():
    definitions = [function("f0", {"x": F}, [node("y", "Abs", "x", T=F)], {"y:y:0": F})]
    for i in range(40):
        nodes = [
            node("a", "PartitionedCall", "x", Tin=[F], Tout=[F], f=Name(f"f{i}")),
            node("y", "PartitionedCall", "a:output:0", Tin=[F], Tout=[F], f=Name(f"f{i}")),
        ]
        definitions.append(function(f"f{i + 1}", {"x": F}, nodes, {"y:output:0": F}))
    with pytest.raises(ValueError, match=r"runs \d+ nodes"):
        Functions(definitions, Surroundings()).body("f40")


def test_constants_are_bounded():
    huge = const("c", [1.0])
    huge.attr["value"].tensor.tensor_shape.dim[0].size = 1 << 40
    with pytest.raises(ValueError, match="do not fit its shape"):
        body([huge], [], ["c"])


def test_an_error_says_where_it_happened():
    made = body([node("y", "Cholesky", "x", T=F)], ["x"], ["y"])
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        made.run([tf.constant([1.0])])
    note = "in the node 'y' (Cholesky) of the loaded function 'graph'"
    assert caught.value.__notes__ == [note]
