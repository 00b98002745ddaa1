"""Sums of products by labels of axes."""

import numpy as np
import pytest

import gradtape as tf

X = np.array([[3.0, 4.0], [0.3, 0.4], [0.0, 0.0]])


@pytest.mark.parametrize(
    ("equation", "arrays"),
    [
        ("ij->ii", [X[:2]]),
        ("i->ii", [X[0]]),
        ("i->iii", [X[0]]),
        ("ij->iji", [X]),
        ("ij,jk->iik", [X, X.T]),
        ("bi->bibi", [X]),
        ("i...->i...i", [X]),
        ("...ij->j...ij", [X[:, None]]),
    ],
)
def test_einsum_of_raw_ops_makes_diagonals(equation, arrays):
    """Against the same sums with labels of their own, times the identity for each repetition."""
    xs = [tf.constant(x) for x in arrays]
    left, out = equation.split("->")
    fresh, seen, masks = "", set(), []
    for c in out:
        new = "pqrs"[len(masks)] if c in seen and c != "." else c
        if new != c:
            masks.append(c + new)
        seen.add(c)
        fresh += new
    sizes = {}
    for term, x in zip(left.split(","), arrays, strict=True):
        letters = term.replace("...", "")
        axes = x.shape[-len(letters) :] if term.startswith("...") else x.shape
        sizes.update(zip(letters, axes, strict=False))
    eyes = [np.eye(sizes[m[0]]) for m in masks]
    want = np.einsum(",".join([left, *masks]) + "->" + fresh, *arrays, *eyes)
    weights = np.arange(float(want.size)).reshape(want.shape)
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = tf.raw_ops.Einsum(inputs=xs, equation=equation)
        total = tf.reduce_sum(y * weights)
    np.testing.assert_allclose(y.numpy(), want)
    with tf.GradientTape() as dense:
        dense.watch(xs)
        other = tf.einsum(",".join([left, *masks]) + "->" + fresh, *xs, *map(tf.constant, eyes))
        total_dense = tf.reduce_sum(other * weights)
    for got, g in zip(tape.gradient(total, xs), dense.gradient(total_dense, xs), strict=True):
        np.testing.assert_allclose(got.numpy(), g.numpy())


def test_einsum_itself_refuses_a_label_twice_in_the_result():
    with pytest.raises(ValueError, match="more than once"):
        tf.einsum("i->ii", tf.ones(2))


@pytest.mark.parametrize("equation", ["abc,axc->abx", "abc,axc->ax", "abc,abc->ac"])
def test_lengths_that_only_a_run_tells(equation):
    signature = [tf.TensorSpec([None, 2, 2], tf.float64)] * 2
    f = tf.function(lambda x, y: tf.einsum(equation, x, y), signature, autograph=False)
    rng = np.random.default_rng(0)
    for n in (3, 5):
        x, y = rng.random((2, n, 2, 2))
        np.testing.assert_allclose(f(x, y), np.einsum(equation, x, y))
    with pytest.raises(tf.errors.InvalidArgumentError):
        f(np.ones((3, 2, 2)), np.ones((4, 2, 2)))
