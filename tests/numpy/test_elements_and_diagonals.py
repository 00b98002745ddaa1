"""Elements taken from arrays, borders, differences and diagonals, against NumPy."""

import numpy as np
import pytest
from numpy_checks import as_numpy

import gradtape.experimental.numpy as tnp

X = np.array([[0.5, -1.25, 2.0], [3.0, 0.25, -0.75]])
CALLS = {
    "pad": lambda n: n.pad(X, ((1, 0), (0, 2)), "constant", constant_values=7),
    "pad, reflected": lambda n: n.pad(X, ((1, 0), (0, 2)), "reflect"),
    "take": lambda n: n.take(X, [2, 0], 1),
    "take of the flat array": lambda n: n.take(X, [4, 0]),
    "take_along_axis": lambda n: n.take_along_axis(X, np.argsort(X, 1), 1),
    "compress": lambda n: n.compress([False, True], X, 0),
    "diff": lambda n: n.diff(X, 2),
    "diag of a vector": lambda n: n.diag(X[0], 1),
    "diag of a matrix": lambda n: n.diag(X, -1),
    "diagflat": lambda n: n.diagflat(X),
    "diagonal": lambda n: n.diagonal(X, 1),
    "trace": lambda n: n.trace(X),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_elements_are_those_of_numpy(call):
    as_numpy(call)


def test_vectors_of_places_make_a_grid():
    for found, wanted in zip(tnp.ix_([0, 1], [2]), np.ix_([0, 1], [2]), strict=True):
        np.testing.assert_array_equal(found, wanted)
    with pytest.raises(ValueError, match="1"):
        tnp.ix_(X)
