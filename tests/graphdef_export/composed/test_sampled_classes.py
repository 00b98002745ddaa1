"""Losses of sampled classes, and random pooling, are saved for any sizes."""

import numpy as np
import pytest
from saving.saved_calls import check_saved_function

import gradtape as tf

IDS, VECTOR = tf.TensorSpec([None, 2], tf.int64), tf.TensorSpec([None])
MATRIX, PICTURES = tf.TensorSpec([None, None]), tf.TensorSpec([None] * 4)
DRAWN = np.random.default_rng(0)


def classes(batch, count, width):
    """The arguments of a loss: weights, biases, labels and inputs."""
    tables = [DRAWN.normal(size=shape).astype("f4") for shape in ([count, width], [count])]
    labels = DRAWN.integers(count, size=[batch, 2])
    return [*tables, labels, DRAWN.normal(size=[batch, width]).astype("f4")]


def loss(function):
    """The loss with respect to the sampled classes 0, 2 and 1."""
    drawn = [0, 2, 1], [[0.5, 0.25]], [0.5, 0.1, 0.2]

    def run(weights, biases, labels, inputs):
        sampled = tf.constant(drawn[0], tf.int64), tf.ones_like(inputs[:, :2]) * drawn[1], drawn[2]
        return function(weights, biases, labels, inputs, 3, 5, 2, sampled)

    return run


def slopes(weights, biases, labels, inputs):
    """The gradient of a loss, to which the expected counts add nothing."""
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        counts = tf.ones_like(inputs[:, :2]) + inputs[:, :1] ** 2
        sampled = tf.constant([0, 2, 1], tf.int64), counts, [0.5, 0.1, 0.2]
        y = tf.nn.sampled_softmax_loss(weights, biases, labels, inputs, 3, 5, 2, sampled)
    return tape.gradient(y, inputs)


LOSSES = [MATRIX, VECTOR, IDS, MATRIX]
FEEDS = classes(2, 5, 3), classes(4, 7, 2)
IMAGES = [[DRAWN.random([2, 6, 6, 3])], [DRAWN.random([1, 4, 9, 2])]]
CALLS = {
    "noise contrast": (loss(tf.nn.nce_loss), LOSSES, FEEDS),
    "softmax": (loss(tf.nn.sampled_softmax_loss), LOSSES, FEEDS),
    "gradients": (slopes, LOSSES, FEEDS),
    "hits": (
        lambda true, drawn: list(tf.nn.compute_accidental_hits(true, drawn, 2)),
        [tf.TensorSpec([None, 2], tf.int64), tf.TensorSpec([None], tf.int64)],
        ([[[1, 2], [0, 5]], [5, 3, 1]], [[[4, 4]], [4]]),
    ),
    "all classes": (
        lambda true: list(tf.nn.all_candidate_sampler(true, 2, 4, True)),
        [tf.TensorSpec([None, 2], tf.int64)],
        ([[[1, 2]]], [[[1, 2], [0, 3]]]),
    ),
    "greatest": (
        lambda x: list(tf.nn.fractional_max_pool(x, 1.5, True, True, seed=5)),
        [PICTURES],
        IMAGES,
    ),
    "means": (lambda x: list(tf.nn.fractional_avg_pool(x, [1.2, 2.0], seed=7)), [PICTURES], IMAGES),
}


@pytest.mark.parametrize("what", CALLS)
def test_saved_functions_of_any_size(what, tmp_path):
    check_saved_function(*CALLS[what], tmp_path)


@pytest.mark.parametrize("name", ["log_uniform_candidate_sampler", "uniform_candidate_sampler"])
def test_samplers_are_saved(name, tmp_path):
    module = tf.Module()
    sampler = getattr(tf.random, name)
    module.f = tf.function(
        lambda true: sampler(true, 1, 3, True, 10),
        input_signature=[tf.TensorSpec([None, 1], tf.int64)],
    )
    tf.saved_model.save(module, tmp_path)
    drawn, expected, of_drawn = tf.saved_model.load(tmp_path).f([[3], [9]])
    found = drawn.numpy().tolist()
    assert len({*found}) == 3
    assert {*found} <= {*range(10)}
    assert expected.shape == [2, 1]
    assert of_drawn.shape == [3]
