"""Pooling by factors that are not integers."""

from itertools import pairwise

import numpy as np
import pytest
from tolerances import close

import gradtape as tf

RNG = np.random.default_rng(0)
X = RNG.normal(size=(1, 5, 5, 2)).astype("f")
FILTER = RNG.normal(size=(2, 3, 2)).astype("f")
ONES = [1, 1, 1, 1]


@pytest.mark.parametrize("pseudo", [True, False])
@pytest.mark.parametrize("overlapping", [True, False])
def test_fractional_pooling(pseudo, overlapping):
    x = RNG.normal(size=(1, 7, 9, 1))
    for pool, reduce in ((tf.nn.fractional_max_pool, np.max), (tf.nn.fractional_avg_pool, np.mean)):
        out, rows, columns = pool(x, [1, 1.5, 2, 1], pseudo, overlapping, seed=3)
        rows, columns = rows.numpy(), columns.numpy()
        assert (len(rows), len(columns)) == (5, 5)
        assert (rows[0], rows[-1], columns[0], columns[-1]) == (0, 7, 0, 9)
        assert (np.diff(rows) > 0).all()
        more = int(overlapping)
        want = [
            [reduce(x[0, a : b + more, c : d + more]) for c, d in pairwise(columns)]
            for a, b in pairwise(rows)
        ]
        close(out[0, ..., 0], want)


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: tf.nn.fractional_max_pool(X, 0.5), ValueError, ">= 1.0"),
    ],
)
def test_errors(call, error, match):
    with pytest.raises(error, match=match):
        call()
