import pytest
from graphdef_export.exporting import exported, kinds

import gradtape as tf


def _chosen(x: tf.Tensor) -> tf.Tensor:
    return tf.cond(tf.reduce_sum(x) > 0, lambda: x * x, lambda: -x)


def test_choices_call_functions() -> None:
    made = exported(_chosen, tf.TensorSpec([3]))
    whole = made[-1]
    (node,) = [node for node in whole.node_def if node.op == "StatelessIf"]
    names = {node.attr[f"{branch}_branch"].func.name for branch in ("then", "else")}
    assert names == {function.signature.name for function in made[:-1]}


def test_gradients_of_choices_are_choices() -> None:
    def function(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = _chosen(x)
        return tape.gradient(y, x)

    assert kinds(function, tf.TensorSpec([3]))["StatelessIf"] == 1


def test_effects_in_a_branch_make_a_choice_that_has_to_run() -> None:
    def shown(x: tf.Tensor) -> tf.Tensor:
        tf.print(x)
        return x

    def function(x: tf.Tensor) -> tf.Tensor:
        return tf.cond(tf.reduce_sum(x) > 0, lambda: shown(x), lambda: -x)

    *_, whole = exported(function, tf.TensorSpec([3]))
    (node,) = [node for node in whole.node_def if node.op == "If"]
    assert list(whole.signature.control_output) == [node.name]


def test_second_gradients_of_loops_are_refused_by_name() -> None:
    def function(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.while_loop(lambda y: tf.reduce_sum(y) < 9, lambda y: [y * x + 1], [x])[0]
            g = tape.gradient(y, x)
        return outer.gradient(g, x)

    with pytest.raises(tf.errors.UnimplementedError, match="the gradient of Gradient"):
        exported(function, tf.TensorSpec([3]))


def test_calls_of_compiled_functions_are_their_operations() -> None:
    pytest.importorskip("jax")
    v = tf.Variable(2.0)

    @tf.function(jit_compile=True)
    def inner(x: tf.Tensor) -> tf.Tensor:
        v.assign_add(1.0)
        return tf.tanh(x * v)

    def function(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = inner(x) + inner(-x)
        return tape.gradient(y, [x, v])

    found = kinds(function, tf.TensorSpec([3]))
    assert found["TanhGrad"] == 2
    assert found["AssignVariableOp"] == 2
    assert found["StatefulPartitionedCall"] == 0
