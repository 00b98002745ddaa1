"""The layout of the boxes of a picture."""

import pytest

from gradtape._src.inspect.pictures.layout import arranged, placed


def placed_at(sizes, edges):
    return placed(arranged(list(sizes), edges), sizes)


def test_layout_of_a_diamond():
    sizes = dict.fromkeys(range(4), (50.0, 20.0))
    found = placed_at(sizes, [(0, 1), (0, 2), (1, 3), (2, 3), (0, 3)])
    rows = [found.centers[n][1] for n in range(4)]
    assert rows[0] < rows[1] == rows[2] < rows[3]
    assert len(found.routes[0, 3]) == 2
    assert found.centers[0][0] == pytest.approx(found.centers[3][0], abs=40)


def test_layout_of_nothing():
    assert placed_at({}, []).centers == {}


def test_an_edge_passes_a_tall_box_on_a_straight_line_beside_it():
    sizes = {0: (50.0, 20.0), 1: (200.0, 400.0), 2: (50.0, 20.0)}
    found = placed_at(sizes, [(0, 1), (1, 2), (0, 2)])
    (x0, y0), (x1, y1) = found.routes[0, 2]
    top, bottom = found.centers[1][1] - 200, found.centers[1][1] + 200
    assert x0 == x1
    assert abs(x0 - found.centers[1][0]) > 100
    assert (y0, y1) == (top, bottom)
