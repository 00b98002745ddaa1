"""Conditionals and loops of graphs."""

import pytest
from graph_nodes import Name, body, const, function, node

import gradtape as tf
from gradtape._src.graphdef.control_kernels import truth

F, I = tf.float32, tf.int32
DOUBLE = function("double", {"x": F}, [node("y", "AddV2", "x", "x", T=F)], {"y:z:0": F})
SQUARE = function("square", {"x": F}, [node("y", "Mul", "x", "x", T=F)], {"y:z:0": F})


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize(("flag", "wanted"), [(True, 10), (False, 25)])
def test_a_choice(flag, wanted, traced):
    branches = {"then_branch": Name("double"), "else_branch": Name("square")}
    chosen = node("y", "StatelessIf", "p", "x", Tcond=tf.bool, Tin=[F], Tout=[F], **branches)
    run = body([chosen], ["p", "x"], ["y"], functions=[DOUBLE, SQUARE]).run
    call = tf.function(lambda p, x: run([p, x])[0]) if traced else lambda p, x: run([p, x])[0]
    assert call(tf.constant(flag), tf.constant(5.0)).numpy() == wanted


@pytest.mark.parametrize(("index", "wanted"), [(0, 10), (1, 25), (7, 25)])
def test_a_choice_of_many(index, wanted):
    branches = [Name("double"), Name("square")]
    chosen = node("y", "Case", "i", "x", Tin=[F], Tout=[F], branches=branches)
    run = body([chosen], ["i", "x"], ["y"], functions=[DOUBLE, SQUARE]).run
    assert run([tf.constant(index), tf.constant(5.0)])[0].numpy() == wanted


@pytest.mark.parametrize("traced", [False, True])
def test_a_loop_with_its_gradient(traced):
    test = function(
        "test",
        {"i": I, "x": F, "w": F},
        [const("n", 3), node("y", "Less", "i", "n:output:0", T=I)],
        {"y:z:0": tf.bool},
    )
    step = function(
        "step",
        {"i": I, "x": F, "w": F},
        [
            const("one", 1),
            node("j", "AddV2", "i", "one:output:0", T=I),
            node("y", "Mul", "x", "w", T=F),
            node("v", "Identity", "w", T=F),
        ],
        {"j:z:0": I, "y:z:0": F, "v:output:0": F},
    )
    parts = {"cond": Name("test"), "body": Name("step")}
    loop = node("y", "StatelessWhile", "i", "x", "w", T=[I, F, F], **parts)
    run = body([const("i", 0), loop], ["x", "w"], ["y:1"], functions=[test, step]).run
    call = tf.function(lambda x, w: run([x, w])[0]) if traced else lambda x, w: run([x, w])[0]
    w = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = call(tf.constant(5.0), w.read_value())
    assert (y.numpy(), tape.gradient(y, w).numpy()) == (40, 60)


def test_what_is_true():
    assert bool(truth(tf.constant(2)))
    assert not bool(truth(tf.constant("")))
    assert bool(truth(tf.constant(True)))
