"""Jacobians in the structure of their sources, which their annotations name."""

import numpy as np
import pytest

import gradtape as tf


@pytest.mark.parametrize(
    "arranged",
    [lambda x, v: x, lambda x, v: [x, v], lambda x, v: (x, v), lambda x, v: {"x": x, "v": v}],
    ids=["one", "list", "tuple", "dict"],
)
@pytest.mark.parametrize("method", ["gradient", "jacobian"])
def test_results_are_arranged_as_the_sources(method, arranged):
    x, v = tf.constant([1.0, 2.0]), tf.Variable([3.0, 4.0])
    sources = arranged(x, v)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * v
    found = getattr(tape, method)(y, sources)
    tf.nest.assert_same_structure(found, tf.nest.map_structure(lambda _: 0, sources))
    assert type(found) is (tf.Tensor if sources is x else type(sources))
    assert all(type(g) is tf.Tensor for g in tf.nest.flatten(found))


def test_the_jacobian_of_each_example():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    np.testing.assert_array_equal(tape.batch_jacobian(y, x), [[[2, 0], [0, 4]], [[6, 0], [0, 8]]])
    with pytest.raises(RuntimeError, match="one set of gradients"):
        tape.batch_jacobian(y, x)
