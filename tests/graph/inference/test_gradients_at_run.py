"""Operations and their gradients in functions that are traced for unknown lengths."""

from __future__ import annotations

import numpy as np
import pytest
from checks import tensors
from samples import SAMPLES
from tolerances import close

import gradtape as tf

pytestmark = pytest.mark.slow

# The lengths of a few operations must be known when the function is traced, as in TensorFlow.
REFUSED = {
    "all": {  # which make an array of NumPy, or split into a number of tensors
        "Cholesky",
        "Cholesky-complex",
        "MatrixSquareRoot",
        "Unpack",
        "Unpack-scalars",
        "Unpack-one of them",
    },
    "first": {"Unpack-scalars", "Unpack-one of them"},
}
# These run as Python, once for each combination of lengths.
AS_PYTHON = {
    "Conv2D-groups": "the groups of a filter of unknown size",
    "Conv2DBackpropInput-groups": "the groups of a filter of unknown size",
    "Conv2DBackpropFilter": "two sizes that must fit each other",
    "Conv2DBackpropFilter-groups": "two sizes that must fit each other",
    "MaxPoolGrad": "two sizes that must fit each other",
    "MaxPoolGradGrad": "two sizes that must fit each other",
    "AvgPoolGrad": "two sizes that must fit each other",
    "ExtractImagePatchesGrad": "two sizes that must fit each other",
    "Cholesky-stack": "an identity matrix of an unknown size made by NumPy",
    "MatrixSolve": "two sizes that must fit each other",
    "MatrixSolve-adjoint": "two sizes that must fit each other",
    "MatrixSolve-complex": "two sizes that must fit each other",
    "TridiagonalSolve": "two sizes that must fit each other",
    "TridiagonalSolve-complex": "two sizes that must fit each other",
    "UnsortedSegmentSum-dropped row": "the number of rows decides",
    "TensorScatterUpdate-stitch": "the number of rows decides",
    "GatherV2-reverse_sequence": "the number of rows decides",
    "Normalization-rows": "graphs have its elementary operations instead",
    "Normalization-columns": "graphs have its elementary operations instead",
    "Einsum-ij,jk,kl->il": "the order of the products depends on the lengths",
}


def differentiated(call, reached):
    def run(*xs):
        with tf.GradientTape() as tape:
            tape.watch(xs)
            ys = tf.nest.flatten(call(*xs))
            ys = [y for y in ys if y.dtype.is_floating or y.dtype.is_complex]
            sums = [tf.reduce_sum(y) for y in ys]
        gradients = tape.gradient(sums, xs)
        reached.append(True)
        return ys, [g if g is None else tf.convert_to_tensor(g) for g in gradients]

    return run


def traced(sample, unknown):
    """Returns a concrete function for inputs whose lengths are unknown; None if it has no graph."""
    shapes = [
        [None if unknown == "all" or not axis else n for axis, n in enumerate(x.shape)]
        for x in sample.inputs
    ]
    specs = [tf.TensorSpec(s, x.dtype) for s, x in zip(shapes, sample.inputs, strict=True)]
    reached = []
    function = tf.function(differentiated(sample.call, reached), reduce_retracing=True)
    made = function.get_concrete_function(*specs)
    return made if reached else None


@pytest.mark.parametrize("unknown", ["all", "first"])
@pytest.mark.parametrize("sample", SAMPLES, ids=[s.id for s in SAMPLES])
def test_sample(sample, unknown):
    if sample.id in REFUSED[unknown]:
        with pytest.raises((TypeError, ValueError)):
            traced(sample, unknown)
        return
    made = traced(sample, unknown)
    if made is None:
        assert sample.id in AS_PYTHON
        return
    inputs = tensors(sample.inputs)
    got = made(*inputs)
    want = differentiated(sample.call, [])(*inputs)
    for g, w in zip(tf.nest.flatten(got), tf.nest.flatten(want), strict=True):
        assert (g is None) == (w is None)
        if w is not None:
            assert g.shape == w.shape
            close(g, w)


def square_of_gather(x):
    return tf.gather(x, [1, 0, 1]) ** 3


def poolings(x):
    image = tf.reshape(x, [1, tf.shape(x)[0], tf.shape(x)[1], 1])
    return tf.nn.max_pool2d(image, 2, 1, "SAME") ** 3


def transforms(x):
    return tf.math.real(tf.signal.irfft(tf.signal.rfft(x**3)))


def sorted_rows(x):
    return tf.sort(x, axis=0) ** 3


@pytest.mark.parametrize("call", [square_of_gather, poolings, transforms, sorted_rows])
def test_second_derivatives_of_rules_that_need_lengths(call):
    def second(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = call(x)
            g = tf.convert_to_tensor(inner.gradient(y, x))
        return tf.convert_to_tensor(outer.gradient(g, x))

    x = tf.constant(np.random.default_rng(1).normal(size=(3, 4)))
    function = tf.function(second, input_signature=[tf.TensorSpec([None, None], tf.float64)])
    made = function.get_concrete_function()
    assert made.output_shapes.rank == 2  # it has a graph
    close(made(x), second(x))
    y = tf.constant(np.random.default_rng(2).normal(size=(5, 2)))
    close(made(y), second(y))
