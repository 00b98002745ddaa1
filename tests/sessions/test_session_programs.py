"""Whole programs for TensorFlow 1: adjusting bundles, tracking a hand, and a recurrent network.

Their derivatives are compared with NumPy's, of complex steps: these have no error of truncation.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import gradtape as tf

v1 = tf.compat.v1
STEP = 1e-30
CLOSE = {"rtol": 1e-10, "atol": 1e-12}


def derivatives(f: Callable[[Any], Any], x: Any) -> Any:
    """The derivatives of an analytic function of NumPy's by each number in an array."""
    flat = np.asarray(x, float).ravel()
    columns = []
    for i in range(flat.size):
        moved = flat.astype(complex)
        moved[i] += 1j * STEP
        columns.append(np.asarray(f(moved.reshape(np.shape(x)))).imag / STEP)
    return np.stack(columns, -1)


# Bundle adjustment: cameras that see points, and how far the seen places are off.


def numpy_rotated(axis: Any, x: Any) -> Any:
    angle = np.sqrt((axis * axis).sum())
    w = axis / angle
    return x * np.cos(angle) + np.cross(w, x) * np.sin(angle) + w * (w @ x) * (1 - np.cos(angle))


def numpy_residual(camera: Any, point: Any, weight: Any, seen: Any) -> Any:
    turn, centre, focal, middle, bend = np.split(camera, [3, 6, 7, 9])
    x = numpy_rotated(turn, point - centre)
    plane = x[:2] / x[2]
    square = plane @ plane
    bent = plane * (1 + bend[0] * square + bend[1] * square**2)
    return weight * (bent * focal + middle - seen)


def rotated(axis: Any, x: Any) -> Any:
    angle = tf.sqrt(tf.reduce_sum(tf.square(axis)))
    w = axis / angle
    across = tf.linalg.cross(w, x) * tf.sin(angle)
    along = w * tf.tensordot(w, x, 1) * (1.0 - tf.cos(angle))
    return x * tf.cos(angle) + across + along


def residual(camera: Any, point: Any, weight: Any, seen: Any) -> Any:
    turn, centre, focal, middle, bend = tf.split(camera, [3, 3, 1, 2, 2])
    x = rotated(turn, point - centre)
    plane = x[:2] / x[2]
    square = tf.reduce_sum(plane * plane)
    bent = plane * (1.0 + bend[0] * square + bend[1] * square**2)
    return weight * (bent * focal + middle - seen)


def test_bundle_adjustment() -> None:
    random = np.random.default_rng(0)
    graph = tf.Graph()
    with graph.as_default():
        camera = v1.placeholder(tf.float64, [11], name="camera")
        point = v1.placeholder(tf.float64, shape=(3,), name="point")
        weight = v1.placeholder(dtype=tf.float64, shape=[], name="weight")
        seen = v1.placeholder(tf.float64, [2], name="seen")
        error = residual(camera, point, weight, seen)
        weight_error = 1.0 - tf.square(weight)
        rows = [tf.gradients(error[i], [camera, point, weight]) for i in range(2)]
        by_weight = tf.gradients(weight_error, weight)[0]
    with v1.Session(graph=graph) as session:
        for _ in range(3):
            given = [random.normal(size=n) for n in (11, 3, (), 2)]
            feed = dict(zip((camera, point, weight, seen), given, strict=True))
            found, jacobian, squared = session.run([error, rows, by_weight], feed)
            np.testing.assert_allclose(found, numpy_residual(*given), **CLOSE)
            np.testing.assert_allclose(squared, -2 * given[2], **CLOSE)
            for place in range(3):

                def moved(x: Any, place: int = place, given: list[Any] = given) -> Any:
                    return numpy_residual(*given[:place], x, *given[place + 1 :])

                expected = derivatives(moved, given[place])
                for i in range(2):
                    own = np.ravel(jacobian[i][place])
                    np.testing.assert_allclose(own, np.ravel(expected[i]), **CLOSE)


# Hand tracking: bones that turn, a skin that follows them, and points that are seen.

PARENTS = [-1, 0, 1, 0, 3]


def numpy_turn(angles: Any) -> Any:
    a, b, c = angles
    zero, one = 0 * a, 1 + 0 * a
    x = np.array([[one, zero, zero], [zero, np.cos(a), -np.sin(a)], [zero, np.sin(a), np.cos(a)]])
    y = np.array([[np.cos(b), zero, np.sin(b)], [zero, one, zero], [-np.sin(b), zero, np.cos(b)]])
    z = np.array([[np.cos(c), -np.sin(c), zero], [np.sin(c), np.cos(c), zero], [zero, zero, one]])
    return z @ y @ x


def numpy_hand(pose: Any, bones: Any, skin: Any, weights: Any, seen: Any) -> Any:
    turns, moves = [], []
    for i, parent in enumerate(PARENTS):
        turn, move = numpy_turn(pose[i]), bones[i]
        if parent >= 0:
            move = moves[parent] + turns[parent] @ move
            turn = turns[parent] @ turn
        turns.append(turn)
        moves.append(move)
    placed = sum(
        weights[:, i : i + 1] * (skin @ turns[i].T + moves[i]) for i in range(len(PARENTS))
    )
    return (seen - placed).ravel()


def turn_of(angles: Any) -> Any:
    zero, one = tf.zeros_like(angles[0]), tf.ones_like(angles[0])
    sine, cosine = tf.sin(angles), tf.cos(angles)
    x = [[one, zero, zero], [zero, cosine[0], -sine[0]], [zero, sine[0], cosine[0]]]
    y = [[cosine[1], zero, sine[1]], [zero, one, zero], [-sine[1], zero, cosine[1]]]
    z = [[cosine[2], -sine[2], zero], [sine[2], cosine[2], zero], [zero, zero, one]]
    return tf.matmul(tf.matmul(tf.stack(z), tf.stack(y)), tf.stack(x))


@pytest.mark.slow
def test_hand_tracking() -> None:
    random = np.random.default_rng(1)
    count = 6
    bones, skin = random.normal(size=(5, 3)), random.normal(size=(count, 3))
    shares = random.uniform(size=(count, 5))
    shares /= shares.sum(1, keepdims=True)
    target = random.normal(size=(count, 3))
    with tf.Graph().as_default(), v1.Session() as session:
        pose = v1.placeholder(tf.float64, [5, 3])
        seen = tf.constant(target)
        turns: list[Any] = []
        moves: list[Any] = []
        for i, parent in enumerate(PARENTS):
            with tf.name_scope(f"bone_{i}"):
                turn, move = turn_of(pose[i]), tf.constant(bones[i][:, None])
                if parent >= 0:
                    move = moves[parent] + tf.matmul(turns[parent], move)
                    turn = tf.matmul(turns[parent], turn)
            turns.append(turn)
            moves.append(move)
        placed = tf.add_n(
            [
                shares[:, i : i + 1] * tf.transpose(tf.matmul(t, skin.T) + m)
                for i, (t, m) in enumerate(zip(turns, moves, strict=True))
            ]
        )
        error = tf.reshape(seen - placed, [-1])

        rows = tf.stack([tf.reshape(tf.gradients(e, pose)[0], [-1]) for e in tf.unstack(error)])
        for _ in range(2):
            given = random.normal(size=(5, 3))
            found, jacobian = session.run([error, rows], {pose: given})

            def hand(x: Any) -> Any:
                return numpy_hand(x, bones, skin, shares, target)

            np.testing.assert_allclose(found, hand(given), **CLOSE)
            np.testing.assert_allclose(jacobian, derivatives(hand, given), **CLOSE)


# A recurrent network of two layers, and the gradient of what it predicts.


def numpy_loss(weights: Any, sequence: Any) -> Any:
    size = sequence.shape[1]
    layers, out = weights[: 2 * 8 * size].reshape(2, 8, size), weights[2 * 8 * size :]
    scale, shift = out[:size], out[size : 2 * size]
    state = [np.zeros(size, weights.dtype) for _ in range(4)]
    total = 0.0

    def sigmoid(x: Any) -> Any:
        return 1 / (1 + np.exp(-x))

    for now, following in pairwise(sequence):
        x = now
        for k in range(2):
            w = layers[k]
            h, c = state[2 * k], state[2 * k + 1]
            forget = sigmoid(x * w[0] + w[4])
            take = sigmoid(h * w[1] + w[5])
            give = sigmoid(x * w[2] + w[6])
            c = forget * c + take * np.tanh(h * w[3] + w[7])
            h = give * np.tanh(c)
            state[2 * k], state[2 * k + 1] = h, c
            x = h
        y = x * scale + shift
        total = total + (y - np.log(2 + np.exp(y).sum())) @ following
    return -total / (size * (len(sequence) - 1))


def test_a_recurrent_network() -> None:
    random = np.random.default_rng(2)
    size, length = 4, 7
    start = random.normal(size=2 * 8 * size + 2 * size)
    given = random.uniform(size=(length, size))
    with tf.Graph().as_default(), v1.Session() as session:
        sequence = v1.placeholder(tf.float64, [None, size], name="sequence")
        with v1.variable_scope("lstm"):
            weights = v1.get_variable("weights", initializer=tf.constant(start))
        layers = tf.reshape(weights[: 2 * 8 * size], [2, 8, size])
        scale, shift = weights[-2 * size : -size], weights[-size:]

        def cell(k: int, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
            w = tf.unstack(layers[k])
            forget, take = tf.sigmoid(x * w[0] + w[4]), tf.sigmoid(h * w[1] + w[5])
            give = tf.sigmoid(x * w[2] + w[6])
            c = forget * c + take * tf.tanh(h * w[3] + w[7])
            return give * tf.tanh(c), c

        def turn(i: Any, total: Any, *state: Any) -> tuple[Any, ...]:
            h, c = cell(0, sequence[i], state[0], state[1])
            g, d = cell(1, h, state[2], state[3])
            y = g * scale + shift
            log_probabilities = y - tf.math.log(2.0 + tf.reduce_sum(tf.exp(y)))
            return i + 1, total + tf.reduce_sum(log_probabilities * sequence[i + 1]), h, c, g, d

        steps = tf.shape(sequence)[0] - 1
        zeros = [tf.zeros([size], tf.float64)] * 4
        first = (tf.constant(0), tf.constant(0.0, tf.float64), *zeros)
        _, total, *_ = tf.while_loop(lambda i, *_: i < steps, turn, first)
        loss = -total / (size * tf.cast(steps, tf.float64))
        (gradient,) = tf.gradients(loss, weights)
        train = v1.train.GradientDescentOptimizer(0.1).minimize(loss)
        session.run(v1.global_variables_initializer())
        expected = start
        for _ in range(2):
            found, slope = session.run([loss, gradient], {sequence: given})
            session.run(train, {sequence: given})
            np.testing.assert_allclose(found, numpy_loss(expected, given), **CLOSE)
            exact = derivatives(lambda w: numpy_loss(w, given), expected)
            np.testing.assert_allclose(slope, exact, **CLOSE)
            expected = expected - 0.1 * exact
        np.testing.assert_allclose(session.run(weights), expected, **CLOSE)
