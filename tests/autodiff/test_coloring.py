"""Columns of a sparse matrix that share a colour share no row."""

import numpy as np
import pytest
from scipy import sparse

from gradtape._src.autodiff.coloring import color_columns, color_symmetric


def pattern(dense):
    return sparse.csc_matrix(np.asarray(dense, bool))


def tridiagonal(n):
    return pattern(np.abs(np.subtract.outer(np.arange(n), np.arange(n))) <= 1)


def test_a_band_needs_as_many_colours_as_it_is_wide():
    assert color_columns(tridiagonal(50)).max() == 2


@pytest.mark.parametrize("seed", range(5))
def test_no_row_meets_a_colour_twice(seed):
    dense = np.random.default_rng(seed).uniform(size=(30, 40)) < 0.08
    colors = color_columns(pattern(dense))
    for row in dense:
        own = colors[row]
        assert len(set(own.tolist())) == len(own)


def test_empty_columns_need_no_colour():
    colors = color_columns(pattern([[1, 0, 0], [0, 0, 1]]))
    assert colors.tolist() == [0, -1, 0]
    assert color_columns(pattern(np.zeros((2, 0)))).size == 0


@pytest.mark.parametrize("seed", range(5))
def test_each_element_of_a_symmetric_matrix_stands_alone_in_one_of_its_places(seed):
    dense = np.random.default_rng(seed).uniform(size=(25, 25)) < 0.08
    dense |= dense.T
    dense[np.diag_indices(25)] = True
    colors, _ = color_symmetric(pattern(dense))
    for i, j in np.argwhere(dense):
        alone = [
            colors[b] >= 0 and (colors[dense[a]] == colors[b]).sum() == 1
            for a, b in ((i, j), (j, i))
        ]
        assert any(alone), (i, j)


def test_an_arrow_needs_few_colours():
    n = 40
    arrow = np.eye(n, dtype=bool)
    arrow[0] = arrow[:, 0] = True
    colors, _ = color_symmetric(pattern(arrow))
    assert colors.max() < 3
