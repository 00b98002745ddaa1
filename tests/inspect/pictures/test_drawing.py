"""The parts of a picture as SVG."""

import xml.etree.ElementTree as ET

import pytest

from gradtape._src.inspect.pictures.drawing import COLORS, Shape, edge, node, open_box, size_of
from gradtape._src.inspect.pictures.layout import arranged, placed


@pytest.mark.parametrize("kind", list(COLORS))
def test_each_kind_of_box_is_well_formed_with_its_text(kind):
    shape = Shape(kind, "a < b", ["2 & 3"], "tip <1>")
    drawn = ET.fromstring(node(shape, (50, 20), size_of(shape)))
    texts = [t.text for t in drawn.iter("text")]
    assert texts == (["a < b"] if kind == "port" else ["a < b", "2 & 3"])


def test_a_loop_has_sheets_behind_it():
    one, many = Shape("loop", "f"), Shape("loop", "f", times=3)
    assert node(one, (0, 0), (80, 30)).count("<path") == 0
    assert node(many, (0, 0), (80, 30)).count("<path") == 2


def test_an_open_box_holds_its_contents_below_its_title():
    drawn = ET.fromstring(open_box(Shape("layer", "f"), (50, 50), (100, 80), "<g id='in'/>"))
    (group,) = [g for g in drawn.iter("g") if "transform" in g.attrib]
    assert group.get("transform") == "translate(0.0,36.0)"
    assert group[0].get("id") == "in"


def test_an_edge_along_which_no_gradient_comes_back_is_dashed():
    sizes = {0: (50.0, 20.0), 1: (50.0, 20.0)}
    found = placed(arranged([0, 1], [(0, 1)]), sizes)
    assert "stroke-dasharray" not in edge(0, 1, found, sizes)
    assert "stroke-dasharray" in edge(0, 1, found, sizes, stopped=True)
