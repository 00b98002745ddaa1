"""Values that are made up have the shapes and dtypes of what they stand for."""

from __future__ import annotations

import gradtape as tf
from gradtape._src.graph.inference.made_up import made_up, trials, unknown_in


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
        seen.extend([made_up(x, trial) for x in args] for trial in trials(sizes))
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
        for trial in trials(unknown_in((rt, sp))):
            rows.append(made_up(rt, trial))
            places.append(made_up(sp, trial))
        return rt.values

    f(tf.ragged.constant([[1, 2], [3]]), tf.sparse.from_dense([[0, 1], [2, 0]]))
    assert all(len(x.to_list()) == 2 and len(x.values) == 3 for x in rows)
    assert len({str(x.to_list()) for x in rows}) > 1
    assert all(tf.sparse.to_dense(x).shape == (2, 2) for x in places)
