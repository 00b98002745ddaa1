"""HTML of modules, Keras' layers and datasets."""

import re
import xml.etree.ElementTree as ET

import numpy as np
from pictured_networks import NEEDS_KERAS, keras

import gradtape as tf
from gradtape._src.inspect.notebooks.objects_html import dataset_html, layer_html, module_html


def text(markup):
    """The text of well-formed HTML, without the tags."""
    parsed = ET.fromstring(markup.replace("&nbsp;", " "))
    return re.sub(r"\s+", " ", " ".join(parsed.itertext()))


def cells(markup):
    rows = ET.fromstring(markup.replace("&nbsp;", " ")).iter("tr")
    return [[cell.text or "" for cell in row] for row in rows]


class Line(tf.Module):
    def __init__(self, name):
        super().__init__(name)
        self.slope = tf.Variable(tf.ones((3, 4)))
        self.offsets = [tf.Variable(0.0, trainable=False)]
        self.again = self.slope


def test_a_module_is_a_table_of_its_variables():
    module = Line("line")
    markup = module._repr_html_()
    assert markup == module_html(module)
    assert "13 parameters, 12 of them trainable, 52 B" in text(markup)
    assert cells(markup)[1:] == [
        ["again", "3\u00d74 float32", "12", ""],
        ["offsets[0]", "scalar float32", "1", "not trainable"],
    ]


@NEEDS_KERAS
def test_a_model_has_a_line_for_each_layer():
    layers = [keras.Input((4,)), keras.layers.Dense(3, name="first"), keras.layers.ReLU(name="r")]
    shown = text(layer_html(keras.Sequential(layers, name="net")))
    assert "Sequential \u201cnet\u201d" in shown
    assert "15 parameters, 15 of them trainable, 60 B" in shown
    assert "first Dense ?\u00d73, 15 parameters" in shown
    assert "r ReLU ?\u00d73, no parameters" in shown


@NEEDS_KERAS
def test_a_layer_that_was_not_built_says_so():
    assert "no variables yet" in text(layer_html(keras.layers.Dense(3)))


def test_a_data_set_in_memory_shows_its_first_elements():
    data = {"x": np.arange(8.0).reshape(4, 2), "name": ["<a>", "b", "c", "d"]}
    markup = tf.data.Dataset.from_tensor_slices((data, [1, 2, 3, 4]))._repr_html_()
    assert "4 elements" in text(markup)
    assert cells(markup)[1:] == [
        ["[0]['name']", "scalar string", "b'<a>'", "b'b'", "b'c'"],
        ["[0]['x']", "2 float64", "[0. 1.]", "[2. 3.]", "[4. 5.]"],
        ["[1]", "scalar int32", "1", "2", "3"],
    ]


def test_no_function_of_a_data_set_runs_for_a_look():
    ran = []

    def numbers():
        ran.append("generator")
        yield 1

    def noted(x):
        ran.append("function")
        return x

    source = tf.data.Dataset.from_generator(numbers, output_types=tf.int32)
    for dataset in (source, source.map(lambda x: tf.py_function(noted, [x], tf.int32))):
        shown = text(dataset_html(dataset))
        assert "not shown" in shown or "when the first one is computed" in shown
    assert ran == []


def test_lengths_and_specs():
    dataset = tf.data.Dataset.range(5)
    assert "5 elements" in text(dataset_html(dataset))
    assert "endless" in text(dataset_html(dataset.repeat()))
    assert "of unknown length" in text(dataset_html(dataset.filter(lambda x: x > 1)))
    assert cells(dataset_html(dataset.batch(2)))[1] == ["element", "? int64"]
