"""GradBench's three problems from ADBench: bundle adjustment, hand tracking and an LSTM.

The formulas are those of GradBench's reference in C++, written for all observations, vertices or
units at once.
"""

import itertools

import numpy as np
from gradbench_protocol import CAMERA, SMALLEST_ANGLE, hand_pose

import gradtape as tf

f64 = tf.float64


def _cross(a, b):
    """Returns the cross products of vectors."""
    x, y, z = (a[..., i] for i in range(3))
    u, v, w = (b[..., i] for i in range(3))
    return tf.stack([y * w - z * v, z * u - x * w, x * v - y * u], -1)


# Bundle adjustment.


def observations(given):
    """Returns a row with camera, point and weight for each observation, and the features."""
    p = given["p"]
    one = np.concatenate([given["cam"], given["x"], [given["w"]]])
    return tf.constant(np.tile(one, (p, 1))), tf.constant(np.tile(given["feat"], (p, 1)))


def _rotated(rotation, points):
    """Rotates points by rotation vectors, with Rodrigues' formula."""
    square = tf.reduce_sum(rotation * rotation, -1, keepdims=True)
    none = square == 0.0
    angle = tf.sqrt(tf.where(none, tf.ones_like(square), square))
    axis = rotation / angle
    along = tf.reduce_sum(axis * points, -1, keepdims=True) * (1.0 - tf.cos(angle))
    turned = points * tf.cos(angle) + _cross(axis, points) * tf.sin(angle) + axis * along
    return tf.where(none, points + _cross(rotation, points), turned)


def _reprojection(rows, features):
    rotation, center, focal = rows[:, :3], rows[:, 3:6], rows[:, 6:7]
    principal, radial = rows[:, 7:9], rows[:, 9:11]
    seen = _rotated(rotation, rows[:, CAMERA : CAMERA + 3] - center)
    flat = seen[:, :2] / seen[:, 2:]
    square = tf.reduce_sum(flat * flat, -1, keepdims=True)
    distorted = flat * (1.0 + radial[:, :1] * square + radial[:, 1:] * square * square)
    return rows[:, -1:] * (distorted * focal + principal - features)


def reprojection_errors(rows, features):
    """Returns the errors of observations (p, 2) and of weights (p,)."""
    return _reprojection(rows, features), 1.0 - rows[:, -1] ** 2


def reprojection_jacobians(rows, features):
    """Returns the derivatives of each observation's errors by its row of inputs: (p, 2, 15)."""
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(rows)
        errors, weights = reprojection_errors(rows, features)
    return tape.batch_jacobian(errors, rows), tape.gradient(weights, rows)[:, -1]


# Hand tracking.


class Hand:
    """A model of a hand, with the measured points.

    Args:
      given: GradBench's input.
    """

    def __init__(self, given):
        data = given["data"]
        model = data["model"]
        self.parents = model["parents"]
        self.base, self.inverse = (
            tf.constant(model[name], f64) for name in ("base_relatives", "inverse_base_absolutes")
        )
        self.positions = tf.constant(model["base_positions"], f64)
        self.weights = tf.constant(model["weights"], f64)
        self.mirror = np.array([-1.0 if model["is_mirrored"] else 1.0, 1.0, 1.0])
        self.points = tf.constant(data["points"], f64)
        places = np.array(data["correspondences"])
        self.places = np.array(model["triangles"])[places] if given["us"] else places
        self.us = tf.constant(given["us"], f64) if given["us"] else None
        self.pose = hand_pose(len(model["bone_names"]))


def _turned_about(angles):
    """Returns the rotation matrices of Euler angles in the order x, z, y."""
    (cx, sx), (cz, sz), (cy, sy) = ((tf.cos(a), tf.sin(a)) for a in tf.unstack(angles, axis=-1))
    rows = [
        [cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx],
        [sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx],
        [-sy, cy * sx, cy * cx],
    ]
    return tf.stack([tf.stack(row, -1) for row in rows], -2)


def _turned_by(vector):
    """Returns the rotation matrix of a rotation vector; the identity for a small one."""
    square = tf.reduce_sum(vector * vector)
    small = square < SMALLEST_ANGLE**2
    angle = tf.sqrt(tf.where(small, tf.ones_like(square), square))
    axis = vector / angle
    columns = _cross(tf.broadcast_to(axis, [3, 3]), tf.eye(3, dtype=f64))
    outer = axis[:, None] * axis[None, :]
    cos, one = tf.cos(angle), tf.eye(3, dtype=f64)
    turned = outer + (one - outer) * cos + tf.transpose(columns) * tf.sin(angle)
    return tf.where(small, one, turned)


def _vertices(theta, hand):
    pose = tf.gather(tf.concat([theta, tf.constant([0.0, 1.0], f64)], 0), hand.pose)
    turned = tf.pad(_turned_about(pose[3:]), [[0, 0], [0, 1], [0, 1]])
    relative = tf.unstack(hand.base @ (turned + np.diag([0.0, 0.0, 0.0, 1.0])))
    absolute = []
    for parent, own in zip(hand.parents, relative, strict=True):
        absolute.append(own if parent == -1 else absolute[parent] @ own)
    moves = (tf.stack(absolute) @ hand.inverse)[:, :3]
    moved = tf.einsum("bij,vj->vbi", moves, hand.positions)
    skinned = tf.einsum("vbi,vb->vi", moved, hand.weights) * hand.mirror
    turn = _turned_by(pose[0]) * pose[1]
    return tf.linalg.matmul(skinned, turn, transpose_b=True) + pose[2]


def hand_errors(theta, hand, step=None):
    """Returns the distances between measured points and the hand's points.

    Args:
      theta: The 26 parameters of the pose.
      hand: A `Hand`.
      step: Two numbers for each point, which are added to its coordinates in the triangle.

    Returns:
      A tensor of shape (3 * points,).
    """
    vertices = tf.gather(_vertices(theta, hand), hand.places)
    if hand.us is not None:
        us = hand.us if step is None else hand.us + step
        last = 1.0 - tf.reduce_sum(us, 1, keepdims=True)
        vertices = tf.reduce_sum(vertices * tf.concat([us, last], 1)[:, :, None], 1)
    return tf.reshape(hand.points - vertices, [-1])


def hand_jacobian(theta, hand):
    """Returns the derivatives with respect to each point's coordinates, if given, and theta."""
    if hand.us is None:
        with tf.GradientTape() as tape:
            tape.watch(theta)
            errors = hand_errors(theta, hand)
        return tape.jacobian(errors, theta)
    all_parameters = tf.concat([tf.zeros([2], f64), theta], 0)
    with tf.GradientTape() as tape:
        tape.watch(all_parameters)
        errors = hand_errors(all_parameters[2:], hand, all_parameters[:2])
    return tape.jacobian(errors, all_parameters)


# An LSTM whose matrices are diagonal.


def lstm_inputs(given):
    """Returns weights and biases by layer (layers, 2, 4, units), and the other parameters."""
    main = np.array(given["main_params"])
    shape = (len(main) // 2, 2, 4, main.shape[1] // 4)
    return [tf.constant(main.reshape(shape)), tf.constant(given["extra_params"], f64)]


def lstm_loss(parameters, state, sequence):
    """Returns the mean loss of predicting each element of a sequence from the earlier ones."""
    main, extra = parameters
    layers = [[tf.unstack(part) for part in tf.unstack(layer)] for layer in tf.unstack(main)]
    into, out, bias = tf.unstack(extra)
    states, total = tf.unstack(state), 0.0
    for now, following in itertools.pairwise(tf.unstack(sequence)):
        x = now * into
        for i, (weights, biases) in enumerate(layers):
            hidden, cell = states[2 * i], states[2 * i + 1]
            forget = tf.sigmoid(x * weights[0] + biases[0])
            new = tf.sigmoid(hidden * weights[1] + biases[1])
            passed = tf.sigmoid(x * weights[2] + biases[2])
            cell = cell * forget + new * tf.tanh(hidden * weights[3] + biases[3])
            x = passed * tf.tanh(cell)
            states[2 * i], states[2 * i + 1] = x, cell
        predicted = x * out + bias
        normal = predicted - tf.math.log(tf.reduce_sum(tf.exp(predicted)) + 2.0)
        total = total + tf.reduce_sum(following * normal)
    return -total / ((len(sequence) - 1) * into.shape[0])


def lstm_gradient(parameters, state, sequence):
    """Returns the gradient with respect to all parameters, in one vector."""
    with tf.GradientTape() as tape:
        tape.watch(parameters)
        loss = lstm_loss(parameters, state, sequence)
    return tf.concat([tf.reshape(g, [-1]) for g in tape.gradient(loss, parameters)], 0)
