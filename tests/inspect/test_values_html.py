"""The HTML of tensors and variables in notebooks."""

import base64
import io
import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import gradtape as tf


def parsed(x):
    """The HTML, which must be well-formed, as an element; and as text."""
    shown = x._repr_html_()
    return ET.fromstring(shown.replace("&nbsp;", " ")), shown


def cells(tree):
    return [[cell.text for cell in row] for row in tree.iter("tr")]


def test_a_small_matrix_is_a_table_with_colours():
    tree, shown = parsed(tf.constant([[1.0, -2.0], [0.5, 0.0]]))
    assert "shape (2, 2)" in shown
    assert "float32" in shown
    assert "min -2 " in shown
    assert "max 1 " in shown
    assert cells(tree) == [["1", "-2"], ["0.5", "0"]]
    colours = [cell.get("style").partition("background:")[2] for cell in tree.iter("td")]
    assert colours[1].startswith("rgba(33,102,172")
    assert colours[0].startswith("rgba(178,24,43")


def test_integers_are_shown_whole():
    tree, _ = parsed(tf.constant([1234567, 2]))
    assert cells(tree) == [["1234567", "2"]]


def test_numbers_that_are_not_finite_are_counted():
    _, shown = parsed(tf.constant([1.0, np.nan, np.inf, -np.inf]))
    assert "1 NaN, 2 infinite" in shown
    assert "mean 1 " in shown


def test_a_large_matrix_is_a_heat_map_of_means():
    image = pytest.importorskip("PIL.Image")
    matrix = np.zeros((96, 10), np.float32)
    matrix[0] = 4
    matrix[95] = -2
    matrix[50, 3] = np.nan
    tree, shown = parsed(tf.constant(matrix))
    _, _, address = tree.find("img").get("src").partition("base64,")
    pixels = np.asarray(image.open(io.BytesIO(base64.b64decode(address))))
    assert pixels.shape == (48, 10, 4)
    assert pixels[0, 0].tolist() == [178, 24, 43, 255]
    assert pixels[1, 0, 3] == 0
    assert pixels[47, 0].tolist() == [33, 102, 172, 127]
    assert pixels[25, 3].tolist() == [240, 200, 0, 204]
    assert len(shown) < 5000


def test_everything_else_is_a_histogram():
    tree, _ = parsed(tf.range(240))
    heights = {bar.get("height") for bar in tree.iter("rect")}
    assert heights == {"60.0"}
    assert "histogram from 0 to 239" in tree.find(".//title").text


@pytest.mark.parametrize("high", [2.0**48, np.nextafter(2.0**48, np.inf)])
def test_a_histogram_may_be_narrower_than_its_bins(high):
    tree, _ = parsed(tf.constant([[[2.0**48, high]]], tf.float64))
    heights = [float(bar.get("height")) for bar in tree.iter("rect")]
    assert sum(height > 0 for height in heights) == len({2.0**48, high})


def test_a_variable_has_its_name_and_text_is_escaped():
    _, shown = parsed(tf.Variable([1.0, 2.0], name="kernel"))
    assert "tf.Variable 'kernel:0'" in shown.replace("&#x27;", "'")
    _, shown = parsed(tf.constant(["<b>"]))
    assert "&lt;b&gt;" in shown
    assert "<b>'" not in shown


@pytest.mark.parametrize(
    "x", [tf.constant(3.0), tf.zeros((0, 3)), tf.constant([True]), tf.constant([1j])], ids=repr
)
def test_what_has_no_picture_shows_its_text(x):
    tree, _ = parsed(x)
    assert tree.find(".//details") is None
    assert tree.find(".//pre").text == str(x)


def test_a_symbolic_tensor_shows_nothing():
    shown = []

    @tf.function
    def f(x):
        shown.append(x._repr_html_())
        return x

    f(tf.constant(1.0))
    assert shown == [None]


DTYPES = st.sampled_from(["float16", "float32", "float64", "int8", "uint64", "complex64", "bool"])


@given(arrays.arrays(DTYPES, arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=12)))
def test_whatever_is_in_a_tensor_the_html_is_well_formed(array):
    tree, shown = parsed(tf.constant(array))
    assert len(tree) >= 2
    assert not re.search(r"nan(px)?\"", shown)


def test_bfloat16():
    pytest.importorskip("ml_dtypes")
    tree, _ = parsed(tf.cast([1.5, 2.0], tf.bfloat16))
    assert cells(tree) == [["1.5", "2"]]


def test_a_tape_shows_its_summary():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.sin(x) * x
    assert "Sin" in tape._repr_html_()
    tape.gradient(y, x)
    assert tape._repr_html_() is None
