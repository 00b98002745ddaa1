"""Forms and parts of arrays, against NumPy."""

import numpy as np
import pytest
from numpy_checks import same

import gradtape as tf
import gradtape.experimental.numpy as tnp

X = np.array([[0.5, -1.25, 2.0], [3.0, 0.25, -0.75]])
Y = np.array([[1.5, 2.0, -0.5], [0.5, 4.0, 3.0]])


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda n: n.moveaxis(X[None], 0, 2), (2, 3, 1)),
        (lambda n: n.take_along_axis(X, np.argsort(X, 1), 1), (2, 3)),
        (lambda n: n.cross(X, Y), (2, 3)),
        (lambda n: n.rot90(X, 3), (3, 2)),
        (lambda n: n.pad(X, ((1, 0), (0, 2)), "constant", constant_values=7), (3, 5)),
        (lambda n: n.where(X > 0, X, 1), (2, 3)),
        (lambda n: n.select([X > 1, X > 0], [X, -X], 9.0), (2, 3)),
        (lambda n: n.diagonal(X, 1), (2,)),
        (lambda n: n.vander(X[0], 4), (3, 4)),
        (lambda n: n.geomspace(1.0, 100.0, 5), (5,)),
        (lambda n: n.average(X, 1, weights=[1, 2, 3]), (2,)),
        (lambda n: n.split(X, [1, 2], 1)[1], (2, 1)),
        (lambda n: n.tril(X, -1), (2, 3)),
        (lambda n: n.triu(X, 1), (2, 3)),
        (lambda n: n.reshape(X, (3, 2), order="F"), (3, 2)),
        (lambda n: n.around(X * 1000, -2), (2, 3)),
        (lambda n: n.gcd([12, 0, 7], [18, 5, 0]), (3,)),
        (lambda n: n.lcm([4, 0, -7], [6, 5, 2]), (3,)),
        (lambda n: n.clip([1, 5], None, 3.0), (2,)),
    ],
)
def test_calls(call, expected):
    found = call(tnp)
    assert found.shape == expected
    same(found, call(np))


def test_one_array_is_joined_to_itself():
    assert tnp.concatenate(tf.ones([2, 3])).shape == [2, 3]
    assert tnp.append([1.0], [tf.constant([2.0])]).dtype is tf.float64


@pytest.mark.parametrize("value", ["text", None, lambda x: x])
def test_what_is_no_array_has_no_dtype(value):
    with pytest.raises((TypeError, ValueError)):
        tnp.add(tf.ones([2]), value)
