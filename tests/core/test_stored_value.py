"""The stores of a variable's value, and which of them a copy gets."""

import copy
import gc
import pickle

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.core.stored_value import NOT_COPIED


def vjp():
    """Stands for the pull-back of a compiled function."""
    return lambda: None


@pytest.mark.parametrize("again", [copy.deepcopy, lambda v: pickle.loads(pickle.dumps(v))])
def test_a_copy_has_no_place_and_no_pull_back_of_the_original(again):
    v, needs = tf.Variable([1.0, 2.0]), vjp()
    v.scatter_nd_add([[0]], [1.0])
    v._keep_for(needs)
    copied = again(v)
    assert not set(NOT_COPIED) & set(vars(copied))
    assert not copied._vjps
    assert set(v._vjps) == {needs}
    np.testing.assert_array_equal(copied.numpy(), [2.0, 2.0])


def test_a_value_is_kept_as_long_as_the_pull_back_lives():
    v, needs = tf.Variable(1.0), vjp()
    assert not v._vjps
    v._keep_for(needs)
    assert v._vjps
    del needs
    gc.collect()
    assert not v._vjps


def test_a_traced_value_is_the_one_at_hand_until_tracing_ends():
    v = tf.Variable(1.0)
    raw = v._primary()
    v._begin_tracing(np.float32(2.0))
    assert v._at_hand() == 2.0
    assert v._end_tracing() == 2.0
    assert v._at_hand() is raw


def test_tensors_have_defaults_for_what_strategies_and_compiled_functions_note():
    x = tf.constant(1.0)
    assert (x._part_spec, x._is_part, x._is_uneven, x._was_passed) == (None, False, False, False)
    assert vars(x) == {}
