"""The layout of the boxes of a picture."""

import pytest

from gradtape._src.inspect.pictures.layout import layout


def test_layout_of_a_diamond():
    sizes = dict.fromkeys(range(4), (50.0, 20.0))
    placed = layout(sizes, [(0, 1), (0, 2), (1, 3), (2, 3), (0, 3)])
    rows = [placed.centers[n][1] for n in range(4)]
    assert rows[0] < rows[1] == rows[2] < rows[3]
    assert len(placed.routes[0, 3]) == 1
    assert placed.centers[0][0] == pytest.approx(placed.centers[3][0], abs=40)


def test_layout_of_nothing():
    assert layout({}, []).centers == {}
