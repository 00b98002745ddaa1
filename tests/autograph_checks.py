"""Checks that the tests of AutoGraph share."""

import numpy as np

import gradtape as tf

COMPILES = True
"""Whether XLA compiles what is traced."""


def jit(function, **options):
    return tf.function(function, jit_compile=COMPILES, **options)


def _leaves(structure):
    return [tf.convert_to_tensor(x) for x in tf.nest.flatten(structure)]


def _gradients(function, tensors):
    sources = [x for x in tensors if x.dtype.is_floating]
    with tf.GradientTape() as tape:
        tape.watch(sources)
        out = [y for y in tf.nest.flatten(function(*tensors)) if tf.is_tensor(y)]
        parts = [tf.reduce_sum(y) for y in out if y.dtype.is_floating]
        total = tf.add_n(parts or [tf.constant(0.0)])
    return tape.gradient(total, sources, unconnected_gradients="zero")


def agree(function, *calls, gradient=True):
    """Asserts equal results and gradients, traced once and not traced, for several calls."""
    compiled = jit(function)
    for args in calls:
        tensors = [tf.constant(a) if isinstance(a, (float, list)) else a for a in args]
        plain, traced = _leaves(function(*tensors)), _leaves(compiled(*tensors))
        for a, b in zip(plain, traced, strict=True):
            assert a.dtype == b.dtype
            np.testing.assert_allclose(b, a, rtol=2e-6)
        if gradient:
            pairs = zip(_gradients(function, tensors), _gradients(compiled, tensors), strict=True)
            for a, b in pairs:
                np.testing.assert_allclose(b, a, rtol=2e-5)
