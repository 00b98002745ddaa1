"""Generators: streams of random numbers whose state is a variable."""

import copy

import numpy as np
import pytest

import gradtape as tf


def test_a_seed_repeats_and_the_state_moves():
    one, other = (tf.random.Generator.from_seed(5) for _ in range(2))
    before = one.state.numpy().tolist()
    np.testing.assert_array_equal(one.normal([3]), other.normal([3]))
    assert one.state.numpy().tolist() == other.state.numpy().tolist() != before


def test_a_state_can_be_gone_back_to():
    generator = tf.random.Generator.from_seed(5)
    state = generator.state.numpy()
    first = generator.uniform([2]).numpy()
    generator.reset(state)
    np.testing.assert_array_equal(generator.uniform([2]), first)
    other = tf.random.Generator.from_state(state, "philox")
    np.testing.assert_array_equal(other.uniform([2]), first)
    generator.reset_from_seed(5)
    assert generator.state.numpy().tolist() == state.tolist()


def test_key_and_counter():
    generator = tf.random.Generator.from_key_counter(7, [1, 2], "philox")
    assert generator.state.numpy().tolist() == [1, 2, 7]
    assert generator.key == 7
    generator.reset_from_key_counter(9, [3, 4])
    assert generator.state.numpy().tolist() == [3, 4, 9]


def test_children_differ():
    generator = tf.random.Generator.from_seed(1)
    a, b = generator.split(2)
    assert not np.array_equal(a.normal([3]), b.normal([3]))
    assert generator.make_seeds(3).shape == (2, 3)


def test_a_copy_goes_its_own_way():
    generator = tf.random.Generator.from_seed(1)
    other = copy.deepcopy(generator)
    first = generator.normal([2]).numpy()
    np.testing.assert_array_equal(other.normal([2]), first)


def test_dtypes():
    generator = tf.random.Generator.from_seed(1)
    assert generator.uniform([2], 0, 9, tf.int32).dtype is tf.int32
    assert generator.uniform_full_int([2], tf.uint32).dtype is tf.uint32
    assert generator.truncated_normal([2], dtype=tf.float64).dtype is tf.float64
    assert generator.binomial([2], [10.0, 10.0], [0.0, 1.0]).numpy().tolist() == [0, 10]


def test_the_global_generator():
    before = tf.random.get_global_generator()
    mine = tf.random.Generator.from_seed(3)
    tf.random.set_global_generator(mine)
    try:
        assert tf.random.get_global_generator() is mine
    finally:
        tf.random.set_global_generator(before)


def test_algorithms_that_do_not_exist():
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        tf.random.Generator.from_seed(1, alg="dice")
    with pytest.raises((ValueError, TypeError, tf.errors.InvalidArgumentError)):
        tf.random.create_rng_state(1, "dice")


def test_seeds_and_keys_are_integers():
    with pytest.raises(TypeError, match="a seed is an integer"):
        tf.random.uniform([2], seed="one")
    with pytest.raises(ValueError, match="incompatible"):
        tf.random.Generator.from_key_counter([1, 2], [1, 2], "philox")
