"""Gauges of truth values."""

import pytest

import gradtape as tf

BoolGauge = tf.__internal__.monitoring.BoolGauge


def test_a_gauge_has_a_value_for_each_label():
    gauge = BoolGauge("/a", "d", "l")
    assert gauge.get_cell("x").value() is False
    gauge.get_cell("x").set(True)
    assert gauge.get_cell("x").value() is True
    assert gauge.get_cell("y").value() is False


def test_wrong_labels_and_values_are_refused():
    with pytest.raises(ValueError, match="label >= 3"):
        BoolGauge("/a", "d", "1", "2", "3")
    gauge = BoolGauge("/a", "d", "l")
    with pytest.raises(ValueError, match="expects taking 1 labels"):
        gauge.get_cell()
    with pytest.raises(TypeError):
        gauge.get_cell(1)
    with pytest.raises(TypeError):
        gauge.get_cell("x").set("x")
