"""Colouring: which columns of a sparse matrix can share one product with a vector.

Columns of one colour touch no row twice, so their product with a vector of ones still determines
every element (Curtis, Powell and Reid, 1974). Finding the fewest colours is NP-hard; greedy
colouring in a good order comes near it (Gebremedhin, Manne and Pothen, 2005).
"""

from __future__ import annotations

from typing import Any

import numpy as np

Colors = np.ndarray[Any, np.dtype[np.int64]]


def color_columns(pattern: Any) -> Colors:
    """Colours the columns of a pattern so that no row has elements in two columns of one colour.

    Args:
      pattern: A SciPy sparse array whose stored elements are those that may differ from zero.

    Returns:
      A colour for each column, from 0; -1 for a column without elements.
    """
    columns = pattern.tocsc()
    columns.sort_indices()
    degree = np.diff(columns.indptr)
    by_degree = np.argsort(-degree, kind="stable")
    orders = [np.arange(len(degree)), by_degree]
    least = int(np.diff(pattern.tocsr().indptr).max(initial=0))  # no colouring needs fewer
    best: Colors | None = None
    for order in orders:
        colors = _greedy(columns, order)
        if best is None or colors.max(initial=-1) < best.max(initial=-1):
            best = colors
        if best.max(initial=-1) + 1 == least:
            break
    assert best is not None
    return best


def _greedy(columns: Any, order: Colors) -> Colors:
    """Assigns to each column the first colour that does not occur in any of its rows."""
    seen = [0] * columns.shape[0]  # for each row, the set of its colours as bits
    starts, rows = columns.indptr.tolist(), columns.indices.tolist()
    colors = np.full(columns.shape[1], -1)
    for j in order.tolist():
        own = rows[starts[j] : starts[j + 1]]
        if not own:
            continue
        taken = 0
        for i in own:
            taken |= seen[i]
        bit = ~taken & (taken + 1)  # the lowest bit that is not taken
        for i in own:
            seen[i] |= bit
        colors[j] = bit.bit_length() - 1
    return colors


def color_symmetric(pattern: Any) -> tuple[Colors, np.ndarray[Any, np.dtype[np.bool_]]]:
    """Colours the columns of a symmetric pattern, in which each element occurs twice.

    Each dense column (hub) gets a colour of its own. Its product also determines the elements of
    its row, by symmetry, so that other columns may share a colour even if they meet in such a row.

    Args:
      pattern: A symmetric SciPy sparse array.

    Returns:
      The colours, as returned by `color_columns`, and for each column whether it is a hub.
    """
    pattern = pattern.tocsr()
    n = pattern.shape[0]
    degree = np.diff(pattern.indptr)
    best = color_columns(pattern)
    hubs = np.zeros(n, bool)
    for limit in _limits(degree, best.max(initial=-1) + 1):
        dense = degree > limit
        rest = np.flatnonzero(~dense)
        inner = color_columns(pattern[rest][:, rest])
        count = inner.max(initial=-1) + 1
        if count + dense.sum() <= best.max(initial=-1):
            best = np.full(n, -1)
            best[rest] = inner
            best[dense] = np.arange(count, count + dense.sum())
            hubs = dense
    return best, hubs


def _limits(degree: Colors, colors: int) -> list[int]:
    """Returns the degrees to try as limits for hubs; they lie at gaps between the degrees."""
    if not degree.size:
        return []
    distinct, counts = np.unique(degree, return_counts=True)
    above = degree.size - np.cumsum(counts)
    worth = (above > 0) & (above < colors) & (distinct[: len(above)] < colors)
    return [int(d) for d in distinct[worth][-4:]] + [int(d) for d in distinct[worth][:4]]
