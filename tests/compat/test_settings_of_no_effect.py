"""Settings that are kept and change nothing."""

import gradtape as tf


def test_each_setting_returns_what_was_set():
    debugging, experimental = tf.debugging, tf.config.experimental
    assert not debugging.get_log_device_placement()
    debugging.set_log_device_placement(enabled=True)
    assert debugging.get_log_device_placement()
    debugging.set_log_device_placement(enabled=False)
    assert experimental.tensor_float_32_execution_enabled()
    experimental.enable_tensor_float_32_execution(enabled=False)
    assert not experimental.tensor_float_32_execution_enabled()
    experimental.enable_tensor_float_32_execution(enabled=True)


def test_options_of_the_optimizer():
    optimizer = tf.config.optimizer
    before = {"disable_model_pruning": False, "disable_meta_optimizer": False}
    assert optimizer.get_experimental_options() == before
    optimizer.set_experimental_options({"constant_folding": True, "unknown": True})
    assert optimizer.get_experimental_options() == {**before, "constant_folding": True}


def test_ways_to_add_gradients():
    ways = tf.AggregationMethod
    assert ways.DEFAULT == ways.ADD_N == 0
    assert ways.EXPERIMENTAL_TREE != ways.EXPERIMENTAL_ACCUMULATE_N
