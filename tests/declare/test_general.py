"""Operations whose rules are written out, registered once."""

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.declare.general import REGISTRY, dtype_of_value, general, shape_of


@pytest.fixture
def declared(monkeypatch):
    """Declares an operation for the time of a test."""
    names = []

    def declare(name, *args, **options):
        names.append(name)
        return general(name, *args, **options)

    yield declare
    for name in names:
        REGISTRY.pop(name, None)


def test_a_pull_back_for_each_input(declared):
    run = declared(
        "TestScaled",
        lambda x, y, *, k: x * y * k,
        {"x": lambda g, y, k: g * y * k, "y": lambda g, x, k: g * x * k},
    )
    x, y = tf.constant(3.0), tf.constant(5.0)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = run(x, y, k=np.float32(2))
    assert z == 30.0
    assert [float(g) for g in tape.gradient(z, [x, y])] == [10, 6]


def test_linear_inputs_are_pushed_by_the_operation_itself(declared):
    run = declared("TestTwice", lambda x: 2 * x, {"x": lambda g: 2 * g}, linear=["x"])
    x = tf.constant([1.0, 2.0])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([3.0, 4.0])) as accumulator:
        y = run(x)
    assert accumulator.jvp(y).numpy().tolist() == [6, 8]


def test_dtypes_that_an_operation_takes(declared):
    run = declared("TestFloats", lambda x: -x, {"x": lambda g: -g}, dtypes=frozenset({np.float32}))
    assert run(tf.constant(1.0)) == -1.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="TestFloats"):
        run(tf.constant(1))


def test_dtypes_are_those_of_the_first_input_unless_it_is_said(declared):
    run = declared("TestFirst", lambda x, y: x * y, dtypes=frozenset({np.float32}))
    assert run(tf.constant(2.0), tf.constant(3)) == 6.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="TestFirst"):
        run(tf.constant(1), tf.constant(3.0))


def test_every_operation_with_dtypes_checks_an_input():
    unchecked = [n for n, p in REGISTRY.items() if p.dtypes is not None and p.same == slice(0)]
    assert not unchecked


def test_a_name_is_registered_once(declared):
    declared("TestOnce", lambda x: -x)
    with pytest.raises(KeyError, match="TestOnce"):
        general("TestOnce", lambda x: -x)


def test_an_operation_without_rules_has_no_gradient(declared):
    run = declared("TestNone", lambda x: -x)
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = run(x)
    assert tape.gradient(y, x) is None


def test_facts_of_tensors_and_raw_values():
    assert shape_of(tf.zeros([2, 3])) == shape_of(np.zeros((2, 3))) == (2, 3)
    assert dtype_of_value(tf.constant(1)) == dtype_of_value(np.int32(1)) == np.int32
