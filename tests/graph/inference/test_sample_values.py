"""Sample values have the shapes and dtypes of what they stand for."""

from __future__ import annotations

import itertools

import gradtape as tf
from gradtape._src.graph.inference.sample_values import sample_value, samples, unknown_in


def test_each_trial_fits_the_symbols():
    seen = []

    @tf.function(
        input_signature=[
            tf.TensorSpec([None, 3], tf.float32),
            tf.TensorSpec([2], tf.int64),
            tf.TensorSpec([], tf.string),
        ]
    )
    def f(*args):
        sizes = unknown_in(args)
        seen.extend([sample_value(x, sample) for x in args] for sample in samples(sizes))
        return args[0]

    f.get_concrete_function()
    assert len(seen) > 2
    for x, n, s in seen:
        assert (x.shape.rank, x.shape[1], x.dtype) == (2, 3, tf.float32)
        assert (n.shape, n.dtype, s.shape, s.dtype) == ((2,), tf.int64, (), tf.string)
    assert len({x.shape[0] for x, _, _ in seen}) == len(seen)
    assert len({tuple(n.numpy()) for _, n, _ in seen}) == len(seen)


def test_composites():
    rows, places = [], []

    @tf.function
    def f(rt, sp):
        for sample in samples(unknown_in((rt, sp))):
            rows.append(sample_value(rt, sample))
            places.append(sample_value(sp, sample))
        return rt.values

    f(tf.ragged.constant([[1, 2], [3]]), tf.sparse.from_dense([[0, 1], [2, 0]]))
    assert all(len(x.to_list()) == 2 and len(x.values) == 3 for x in rows)
    assert len({str(x.to_list()) for x in rows}) > 1
    assert all(tf.sparse.to_dense(x).shape == (2, 2) for x in places)


def test_sample_lengths_differ_in_every_turn():
    class Size:
        code = "s1 + s2 + s3 + s4 + s5 + s6 + s7 + s8"

    found = [list(sample.lengths.values()) for sample in samples([Size])]
    assert all(len(set(numbers)) >= 6 for numbers in found)
    for a, b in itertools.permutations(zip(*found, strict=True), 2):
        assert len({v - u for u, v in zip(a, b, strict=True)}) > 1


def test_slices_between_unknown_places_are_not_taken_for_empty_ones():
    seen = []

    @tf.function(input_signature=[tf.TensorSpec([None, 2]), *[tf.TensorSpec([], tf.int32)] * 2])
    def part(x, i, j):
        y = tf.raw_ops.StridedSlice(input=x, begin=[i], end=[j], strides=[1])
        seen.append(y.shape.as_list())
        return y

    x = tf.reshape(tf.range(10.0), [5, 2])
    for i, j in ((1, 4), (2, 2), (0, 5)):
        assert part(x, i, j).numpy().tolist() == x.numpy()[i:j].tolist()
    assert seen == [[None, 2]]
