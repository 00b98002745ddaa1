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


def test_draws_from_a_seed_take_its_key_and_counter() -> None:
    def draws(seed: tf.Tensor) -> list[tf.Tensor]:
        random = tf.random
        return [
            random.stateless_normal([2], seed),
            random.stateless_uniform([2], seed),
            random.stateless_uniform([2], seed, 1, 9, tf.int32),
            random.stateless_uniform([2], seed, None, None, tf.int32),
            random.stateless_truncated_normal([2], seed),
            random.stateless_gamma([2], seed, 1.5),
        ]

    found = kinds(draws, tf.TensorSpec([2], tf.int32))
    assert found == {
        "StatelessRandomGetKeyCounter": 6,
        "StatelessRandomNormalV2": 1,
        "StatelessRandomUniformV2": 1,
        "StatelessRandomUniformIntV2": 1,
        "StatelessRandomUniformFullIntV2": 1,
        "StatelessTruncatedNormalV2": 1,
        "StatelessRandomGammaV3": 1,
    }
    assert kinds(lambda: tf.raw_ops.StatelessRandomGetAlg()) == {"StatelessRandomGetAlg": 1}


def test_effects_run_whatever_is_made_of_the_result() -> None:
    def function(x: tf.Tensor) -> tf.Tensor:
        tf.print("x is", x)
        tf.debugging.assert_positive(x)
        return x

    (made,) = exported(function, tf.TensorSpec([2]))
    acting = [node.name for node in made.node_def if node.op in ("PrintV2", "Assert")]
    assert len(acting) == 2
    assert list(made.signature.control_output) == acting
