"""A pull-back that uses nothing up and keeps every cotangent."""

import gradtape as tf
from gradtape._src.inspect.cotangents import pulled_back


def test_the_cotangents_are_the_gradients_and_the_tape_stays():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        z = tf.sin(y)
    found = pulled_back(tape.records, [z])
    values = [float(g) for g in found.cotangents.values()]
    want = [1.0, float(tf.cos(9.0)), float(6 * tf.cos(9.0))]
    assert sorted(values) == sorted(want)
    assert tape.gradient(z, x) == 6 * tf.cos(9.0)


def test_what_the_target_does_not_depend_on_has_none():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        tf.sin(x)
    found = pulled_back(tape.records, [y])
    assert len(found.cotangents) == 2
