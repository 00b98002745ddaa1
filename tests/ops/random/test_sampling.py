"""The kernels that draw from NumPy's generators."""

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.ops.random import sampling


@pytest.fixture
def engine():
    return np.random.default_rng(0)


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("draw", [sampling.draw_normal, sampling.draw_uniform])
def test_shape_and_dtype(engine, draw, kind):
    assert draw(engine, (2, 3), kind).shape == (2, 3)
    assert draw(engine, (), kind).dtype == kind


def test_uniform_halves_stay_below_one(engine):
    x = sampling.draw_uniform(engine, (200_000,), np.float16)
    assert x.max() < 1
    assert x.min() >= 0


def test_truncated_numbers_stay_within_two(engine):
    assert np.abs(sampling.draw_truncated(engine, (10_000,), np.float32)).max() <= 2


def test_bits_take_the_whole_range(engine):
    x = sampling.draw_bits(engine, (20_000,), np.int8)
    assert (x.min(), x.max()) == (-128, 127)


@pytest.mark.parametrize("shape", [[2, 3], (2, 3), np.array([2, 3]), tf.constant([2, 3])])
def test_shapes_that_a_program_may_ask_for(shape):
    assert sampling.shape_argument(shape, "Op") == (2, 3)


@pytest.mark.parametrize("shape", [[-1], [1.5], 3, [[1]], ["a"]])
def test_what_is_no_shape(shape):
    with pytest.raises(tf.errors.InvalidArgumentError, match="Op:Op"):
        sampling.shape_argument(shape, "Op")


def test_real_numbers_need_a_floating_dtype():
    assert sampling.float_dtype("bfloat16", "Op") is tf.bfloat16
    with pytest.raises(TypeError, match="Op draws real numbers"):
        sampling.float_dtype(tf.int32, "Op")


@pytest.mark.parametrize(
    "draw",
    [
        tf.random.normal,
        tf.random.uniform,
        tf.random.truncated_normal,
        lambda shape: tf.random.gamma(shape, 2.0),
        lambda shape: tf.random.stateless_normal(shape, [1, 2]),
        lambda shape: tf.random.stateless_uniform([shape[0], 2], [1, 2]),
    ],
)
def test_shapes_that_are_known_when_a_function_runs(draw):
    run = tf.function(lambda shape: draw(shape), autograph=False)
    for n in (2, 3):
        assert run(tf.constant([n])).shape[0] == n
