"""TensorFlow 1's conditionals and loops."""

import pytest
from graph_nodes import body, const, node

import gradtape as tf
from gradtape._src.graphdef.bodies import UnavailableError
from gradtape._src.graphdef.control_flow_v1 import recovered
from gradtape._src.graphdef.nodes import Surroundings, has_control_flow

F, I, B = tf.float32, tf.int32, tf.bool
CHOICE = [
    node("left", "Switch", "x", "p", T=F),
    node("right", "Switch", "x", "p", T=F),
    node("negative", "Neg", "left", T=F),
    node("square", "Mul", "right:1", "right:1", T=F),
    node("y", "Merge", "negative", "square", T=F, N=2),
]
LOOP = [
    const("zero", 0),
    const("limit", 3),
    node("i", "Enter", "zero", T=I, frame_name="f"),
    node("v", "Enter", "x", T=F, frame_name="f"),
    node("n", "Enter", "limit", T=I, frame_name="f", is_constant=True),
    node("mi", "Merge", "i", "ni", T=I, N=2),
    node("mv", "Merge", "v", "nv", T=F, N=2),
    node("less", "Less", "mi", "n", T=I),
    node("go", "LoopCond", "less"),
    node("si", "Switch", "mi", "go", T=I),
    node("sv", "Switch", "mv", "go", T=F),
    const("one", 1),
    node("ai", "AddV2", "si:1", "one", T=I),
    node("av", "Mul", "sv:1", "sv:1", T=F),
    node("ni", "NextIteration", "ai", T=I),
    node("nv", "NextIteration", "av", T=F),
    node("ev", "Exit", "sv", T=F),
]


@pytest.mark.parametrize(("flag", "wanted", "index"), [(True, 9, 1), (False, -3, 0)])
def test_a_choice(flag, wanted, index):
    made = body(CHOICE, ["x", "p"], ["y", "y:1"])
    y, place = made.run([tf.constant(3.0), tf.constant(flag)])
    assert (y.numpy(), place.numpy()) == (wanted, index)


def test_a_loop():
    made = body(LOOP, ["x"], ["ev"])
    assert made.run([tf.constant(2.0)])[0].numpy() == 256
    traced = tf.function(lambda x: made.run([x])[0])
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = traced(x.read_value())
    assert tape.gradient(y, x).numpy() == 1024


def test_a_branch_uses_values_of_the_loop_around_it():
    """Of two factors, only one passes a switch, as in gradients that TensorFlow makes."""
    inside = [
        *[x for x in LOOP if x.name != "av"],
        const("two", 2.0),
        node("big", "Greater", "sv:1", "two", T=F),
        node("left", "Switch", "sv:1", "big", T=F),
        node("more", "Mul", "left", "sv:1", T=F),
        node("av", "Merge", "more", "left:1", T=F, N=2),
    ]
    assert body(inside, ["x"], ["ev"]).run([tf.constant(2.0)])[0].numpy() == 4


def test_a_choice_in_a_loop():
    inside = [
        *[x for x in LOOP if x.name != "av"],
        const("two", 2.0),
        node("big", "Greater", "sv:1", "two", T=F),
        node("left", "Switch", "sv:1", "big", T=F),
        node("less_by_one", "Neg", "left:1", T=F),
        node("more", "Mul", "left", "left", T=F),
        node("av", "Merge", "more", "less_by_one", T=F, N=2),
    ]
    made = body(inside, ["x"], ["ev"])
    assert made.run([tf.constant(2.0)])[0].numpy() == 16  # 4, -4, 16


BACK = [  # the gradient of LOOP: pops each value that was squared, and multiplies
    node("stack", "StackV2", "most", elem_type=F, stack_name="s"),
    const("most", -1),
    node("into", "Enter", "stack", T=tf.resource, frame_name="f", is_constant=True),
    node("push", "StackPushV2", "into", "sv:1", "^ai", T=F),
    node("b", "Enter", "limit", T=I, frame_name="g"),
    node("d", "Enter", "dy", T=F, frame_name="g"),
    node("from", "Enter", "stack", T=tf.resource, frame_name="g", is_constant=True),
    node("start", "Enter", "zero", T=I, frame_name="g", is_constant=True),
    node("mb", "Merge", "b", "nb", T=I, N=2),
    node("md", "Merge", "d", "next_d", T=F, N=2),
    node("left", "Greater", "mb", "start", T=I),
    node("again", "LoopCond", "left"),
    node("sb", "Switch", "mb", "again", T=I),
    node("sd", "Switch", "md", "again", T=F),
    const("minus_one", -1),
    const("twice", 2.0),
    node("ab", "AddV2", "sb:1", "minus_one", T=I),
    node("pop", "StackPopV2", "from", "^ab", elem_type=F),
    node("x2", "Mul", "pop", "twice", T=F),
    node("ad", "Mul", "sd:1", "x2", T=F),
    node("nb", "NextIteration", "ab", T=I),
    node("next_d", "NextIteration", "ad", T=F),
    node("ed", "Exit", "sd", T=F),
]


def test_the_gradient_of_a_loop_takes_values_off_a_stack():
    made = body([*LOOP, *BACK], ["x", "dy"], ["ev", "ed"])
    x, dy = tf.constant(2.0), tf.constant(1.0)
    assert [y.numpy() for y in made.run([x, dy])] == [256, 1024]
    assert tf.function(lambda x: made.run([x, dy])[1])(x).numpy() == 1024
    with tf.GradientTape() as tape:
        tape.watch(x)
        found = made.run([x, dy])[1]
    assert tape.gradient(found, x).numpy() == 8 * 7 * 2**6


def test_a_loop_without_its_gradient_keeps_nothing():
    made = body([*LOOP, *BACK[:4]], ["x"], ["ev"])
    assert made.run([tf.constant(2.0)])[0].numpy() == 256


def test_a_stack_that_several_nodes_pop_is_not_supported():
    twice = [*LOOP, *BACK, node("pop_2", "StackPopV2", "from", "^ab", elem_type=F)]
    with pytest.raises(UnavailableError, match="one node pushes its values and one pops them"):
        body(twice, ["x", "dy"], ["ed"])


def test_other_graphs_stay_as_they_are():
    nodes = [node("y", "Abs", "x", T=F)]
    assert not has_control_flow(nodes)
    assert recovered(nodes) == nodes


DAMAGED = {
    "merges branches that do not depend on one condition": [CHOICE[0], CHOICE[-1]],
    "joins 1 values": [node("y", "Merge", "x", T=F, N=1)],
    "has 0 conditions": [node("e", "Enter", "x", T=F, frame_name="f")],
    "lacks a Switch": [x for x in LOOP if x.name != "sv"],
    "no input of NextIteration": [x for x in LOOP if x.name != "nv"],
}


@pytest.mark.parametrize("why", DAMAGED)
def test_damage(why):
    with pytest.raises(ValueError, match=why):
        recovered(DAMAGED[why])


def test_branches_run_once_for_all_results():
    """A branch with an effect and two results; the condition passes an operation, as in TF 1."""
    made = [
        node("v", "VarHandleOp", dtype=F, shape=tf.TensorShape([]), shared_name="v"),
        node("cond/pred_id", "Identity", "p", T=B),
        node("cond/Switch", "Switch", "p", "p", T=B),
        node("cond/switch_t", "Identity", "cond/Switch:1", T=B),
        node("cond/x", "Switch", "x", "cond/pred_id", T=F),
        node("cond/v", "Switch", "v", "cond/pred_id", T=tf.resource),
        const("cond/one", 1.0),
        node("cond/more", "AssignAddVariableOp", "cond/v:1", "cond/one", dtype=F),
        node("cond/a", "Neg", "cond/x:1", T=F),
        node("cond/b", "Identity", "cond/x:1", "^cond/more", T=F),
        node("cond/c", "Square", "cond/x", T=F),
        const("cond/d", 7.0),
        node("cond/Merge", "Merge", "cond/c", "cond/a", T=F, N=2),
        node("cond/Merge_1", "Merge", "cond/d", "cond/b", T=F, N=2),
    ]
    made[11].input.append("^cond/switch_f")
    made.append(node("cond/switch_f", "Identity", "cond/Switch", T=B))
    around = Surroundings()
    fetches = ["cond/Merge", "cond/Merge_1", "cond/Merge_1:1"]
    run = body(made, ["x", "p"], fetches, surroundings=around).run
    assert [float(y) for y in run([tf.constant(3.0), tf.constant(True)])] == [-3, 3, 1]
    (variable,) = around.resources.values()
    assert float(variable) == 1.0
    assert [float(y) for y in run([tf.constant(3.0), tf.constant(False)])] == [9, 7, 0]
    assert float(variable) == 1.0


def test_a_branch_does_not_repeat_effects_around_it():
    """A constant in a branch waits for an assignment outside, which runs before the branch."""
    made = [
        node("v", "VarHandleOp", dtype=F, shape=tf.TensorShape([]), shared_name="v"),
        node("outside", "AssignVariableOp", "v", "x", dtype=F),
        node("later", "AssignAddVariableOp", "v", "x", "^outside", dtype=F),
        node("cond/pred_id", "Identity", "p", "^later", T=B),
        node("cond/x", "Switch", "x", "cond/pred_id", T=F),
        const("two", 2.0),
        node("cond/a", "Mul", "cond/x:1", "two", T=F),
        node("cond/b", "Mul", "cond/x", "cond/x", T=F),
        node("cond/Merge", "Merge", "cond/b", "cond/a", T=F, N=2),
    ]
    made[5].input.append("^outside")
    around = Surroundings()
    run = body(made, ["x", "p"], ["cond/Merge"], surroundings=around).run
    assert [float(y) for y in run([tf.constant(3.0), tf.constant(True)])] == [6.0]
    (variable,) = around.resources.values()
    assert float(variable) == 6.0
