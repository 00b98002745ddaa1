"""Calls of TensorFlow Graphics: rotations, cameras, meshes, interpolation, with their gradients.

Run by tools/compare_libraries.py on TensorFlow and on gradtape. One is a whole program.
"""

import numpy as np
import tensorflow as tf
from tensorflow_graphics.geometry.representation import grid, point, ray, triangle
from tensorflow_graphics.geometry.representation.mesh import normals
from tensorflow_graphics.geometry.transformation import (
    axis_angle,
    dual_quaternion,
    euler,
    look_at,
    quaternion,
    rotation_matrix_2d,
    rotation_matrix_3d,
)
from tensorflow_graphics.image.color_space import linear_rgb, srgb
from tensorflow_graphics.math import math_helpers, spherical_harmonics
from tensorflow_graphics.math.interpolation import bspline, slerp, trilinear, weighted
from tensorflow_graphics.rendering.camera import (
    orthographic,
    perspective,
    quadratic_radial_distortion,
)

NUMBERS = np.random.RandomState(0)
ANGLES = NUMBERS.uniform(-1.0, 1.0, (4, 3)).astype("float32")
POINTS = NUMBERS.normal(size=(4, 3)).astype("float32")
TARGETS = NUMBERS.normal(size=(4, 3)).astype("float32")
AXES = POINTS / np.linalg.norm(POINTS, axis=-1, keepdims=True)
FACES = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 1]], "int32")
FOCAL, CENTER = np.array([[2.0, 1.5]], "float32"), np.array([[0.5, 0.4]], "float32")
CALLS = {}


def with_gradients(name, function, *inputs):
    """Adds a call that returns what a function gives, and the gradients of its floats."""

    def run():
        values = [tf.constant(value) for value in inputs]
        with tf.GradientTape() as tape:
            tape.watch([v for v in values if v.dtype.is_floating])
            found = function(*values)
            floats = [x for x in tf.nest.flatten(found) if x.dtype.is_floating]
            loss = tf.add_n([tf.reduce_sum(x * x + x) for x in floats]) if floats else None
        wanted = [v for v in values if v.dtype.is_floating]
        return found, tape.gradient(loss, wanted) if floats else None

    CALLS[name] = run


with_gradients("quaternion of angles", quaternion.from_euler, ANGLES)
with_gradients("quaternion between vectors", quaternion.between_two_vectors_3d, POINTS, TARGETS)
with_gradients(
    "quaternion of a matrix",
    lambda x: quaternion.from_rotation_matrix(rotation_matrix_3d.from_euler(x)),
    ANGLES,
)
with_gradients(
    "quaternion rotates points", lambda x, p: quaternion.rotate(p, quaternion.from_euler(x)),
    ANGLES, POINTS,
)  # fmt: skip
with_gradients(
    "product of quaternions",
    lambda x: quaternion.multiply(
        quaternion.from_euler(x), quaternion.inverse(quaternion.from_euler(2 * x))
    ),
    ANGLES,
)
with_gradients("matrix of angles", rotation_matrix_3d.from_euler, ANGLES)
with_gradients("matrix of an axis", rotation_matrix_3d.from_axis_angle, AXES, ANGLES[:, :1])
with_gradients(
    "matrix in the plane rotates", lambda a, p: rotation_matrix_2d.rotate(
        p, rotation_matrix_2d.from_euler(a)
    ), ANGLES[:, :1], POINTS[:, :2],
)  # fmt: skip
with_gradients("axis of angles", axis_angle.from_euler, ANGLES)
with_gradients("axis rotates points", axis_angle.rotate, TARGETS, AXES, ANGLES[:, :1])
with_gradients(
    "angles of a matrix",
    lambda x: euler.from_rotation_matrix(rotation_matrix_3d.from_euler(x)),
    ANGLES,
)
with_gradients(
    "dual quaternion and back",
    lambda x, t: dual_quaternion.to_rotation_translation(
        dual_quaternion.from_rotation_translation(quaternion.from_euler(x), t)
    ),
    ANGLES, POINTS,
)  # fmt: skip
with_gradients("camera looks at", look_at.right_handed, POINTS, TARGETS, AXES[::-1].copy())
with_gradients("grid", lambda a, b: grid.generate(a, b, [3, 2]), [0.0, 0.0], [1.0, 2.0])
with_gradients("distance to a ray", point.distance_to_ray, POINTS, TARGETS, AXES)
with_gradients(
    "ray meets a sphere",
    lambda c, r, d, o: ray.intersection_ray_sphere(c, r, d, o)[0],
    np.zeros(3, "float32"), np.array([1.5], "float32"), AXES[0], 0.3 - 2 * AXES[0],
)  # fmt: skip
with_gradients("normal of a triangle", triangle.normal, POINTS, TARGETS, ANGLES)
with_gradients("area of a triangle", triangle.area, POINTS, TARGETS, ANGLES)
with_gradients("normals of vertices", normals.vertex_normals, POINTS, FACES)
with_gradients("normals of faces", lambda v, f: normals.face_normals(
    normals.gather_faces(v, f)), POINTS, FACES)  # fmt: skip
with_gradients("perspective projection", perspective.project, np.abs(POINTS) + 1, FOCAL, CENTER)
with_gradients(
    "perspective and back",
    lambda p, f, c: perspective.unproject(
        perspective.project(p, f, c), 1.5 * p[:, 2:], tf.repeat(f, 4, 0), tf.repeat(c, 4, 0)
    ),
    np.abs(POINTS) + 1, FOCAL, CENTER,
)  # fmt: skip
with_gradients("matrix of a camera", perspective.matrix_from_intrinsics, FOCAL, CENTER)
with_gradients("orthographic projection", orthographic.project, POINTS)
with_gradients(
    "radial distortion", lambda r: quadratic_radial_distortion.distortion_factor(r, 0.1)[0],
    np.array([[0.2], [0.5], [0.9]], "float32"),
)  # fmt: skip
with_gradients(
    "splines", lambda k, p: bspline.interpolate(k, p, degree=3, cyclical=False),
    POINTS.T.copy(), np.array([[0.2], [0.7]], "float32"),
)  # fmt: skip
with_gradients(
    "spherical interpolation", lambda a, b: slerp.interpolate(
        quaternion.from_euler(a), quaternion.from_euler(b), 0.3
    ),
    AXES, AXES[::-1].copy(),
)  # fmt: skip
with_gradients(
    "trilinear interpolation", trilinear.interpolate,
    NUMBERS.normal(size=(1, 3, 3, 3, 2)).astype("float32"), np.abs(POINTS)[None] % 2,
)  # fmt: skip
with_gradients(
    "barycentric coordinates", lambda t, p: weighted.get_barycentric_coordinates(t, p)[0],
    POINTS[None, :3, :2].copy(), TARGETS[None, :, :2].copy(),
)  # fmt: skip
with_gradients("spherical coordinates", math_helpers.cartesian_to_spherical_coordinates, POINTS)
with_gradients(
    "spherical harmonics",
    lambda a: spherical_harmonics.evaluate_spherical_harmonics(
        tf.constant([[2]] * 4), tf.constant([[1]] * 4), tf.abs(a[:, :1]), a[:, 1:2]
    ),
    ANGLES,
)
with_gradients("linear colors", linear_rgb.from_srgb, np.abs(ANGLES))
with_gradients("colors", srgb.from_linear_rgb, np.abs(ANGLES))


def program_that_finds_a_rotation():
    """Finds the rotation that takes points to their images, by gradient descent."""
    images = quaternion.rotate(POINTS, quaternion.from_euler(tf.constant([0.3, -0.2, 0.5])))
    angles = tf.Variable(tf.zeros(3))
    losses = []
    for _ in range(30):
        with tf.GradientTape() as tape:
            moved = quaternion.rotate(POINTS, quaternion.from_euler(angles))
            loss = tf.reduce_mean(tf.reduce_sum((moved - images) ** 2, -1))
        angles.assign_sub(0.1 * tape.gradient(loss, angles))
        losses.append(loss)
    return losses, angles


CALLS["program that finds a rotation"] = program_that_finds_a_rotation
