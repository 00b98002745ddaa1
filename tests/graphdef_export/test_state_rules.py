from graphdef_export.exporting import exported, kinds

import gradtape as tf


def test_draws_are_tensorflows() -> None:
    found = kinds(
        lambda x: tf.random.normal([2]) + tf.random.stateless_uniform([2], [1, 2]) + x,
        tf.TensorSpec([2]),
    )
    assert (found["RandomStandardNormal"], found["AddV2"]) == (1, 2)


def test_seeds_are_kept() -> None:
    (made,) = exported(lambda x: tf.random.normal([2], seed=5) + x, tf.TensorSpec([2]))
    (node,) = [node for node in made.node_def if node.op == "RandomStandardNormal"]
    assert node.attr["seed2"].i == 5


def test_effects_run_whatever_is_made_of_the_result() -> None:
    def function(x: tf.Tensor) -> tf.Tensor:
        tf.print("x is", x)
        tf.debugging.assert_positive(x)
        return x

    (made,) = exported(function, tf.TensorSpec([2]))
    acting = [node.name for node in made.node_def if node.op in ("PrintV2", "Assert")]
    assert len(acting) == 2
    assert list(made.signature.control_output) == acting
