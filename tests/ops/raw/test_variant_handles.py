"""Tensors of dtype `variant`."""

import pytest

import gradtape as tf
from gradtape._src.ops.raw.variant_handles import handle_of, handles_of, has_open_contents, held_by


class Pair:
    def __init__(self, *tensors):
        self.tensors = tensors

    def __repr__(self):
        return "<Pair>"

    def contents(self):
        return self.tensors


def test_what_a_handle_holds():
    one, two = Pair(), Pair()
    row = handles_of([one, two])
    assert (row.dtype, row.shape) == (tf.variant, [2])
    assert held_by(row) == [one, two]
    assert held_by(row[1]) == [two]
    assert held_by(tf.stack([handle_of(two), row[0]])) == [two, one]
    assert held_by(handle_of(None)) == [None]
    assert held_by(tf.constant(1.0)) is held_by(3) is None


def test_how_a_handle_is_shown():
    x = handle_of(Pair())
    assert str(x) == "tf.Tensor(<Pair>, shape=(), dtype=variant)"
    assert repr(x) == "<tf.Tensor: shape=(), dtype=variant, value=<Pair>>"
    with pytest.raises(tf.errors.InvalidArgumentError, match="dtype variant to a NumPy array"):
        x.numpy()


def test_contents_that_are_not_known():
    seen = []

    @tf.function
    def f(x):
        inner = handle_of(Pair(tf.constant(1.0), x))
        seen.extend([has_open_contents(inner), has_open_contents(handle_of(Pair(inner)))])
        seen.append(has_open_contents(handle_of(Pair(tf.constant(1.0), None))))
        return x

    f(tf.constant(1.0))
    assert seen == [True, True, False]
    assert not has_open_contents(handle_of(None))
    assert not has_open_contents(tf.constant(1.0))
