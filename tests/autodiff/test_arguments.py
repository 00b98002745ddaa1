"""Targets, sources and output gradients: the values that are accepted."""

import numpy as np
import pytest
from checks import watched

import gradtape as tf


def squared(x=None, **options):
    x = tf.constant(3.0) if x is None else x
    return *watched(lambda x: x * x, x, **options), x


@pytest.mark.parametrize(
    ("thing", "name"),
    [(np.array(1.0), "ndarray"), (1.0, "float"), ("a", "str"), (None, "NoneType")],
    ids=["array", "float", "string", "None"],
)
def test_only_tensors_and_variables_can_be_watched(thing, name):
    message = f"Passed in object .* of type '{name}', not tf.Tensor or tf.Variable"
    with tf.GradientTape() as tape, pytest.raises(ValueError, match=message):
        tape.watch(thing)


def test_what_cannot_be_watched_is_named_before_a_tape_is_entered():
    with pytest.raises(ValueError, match=r"of type 'float', not tf.Tensor"):
        tf.GradientTape().watch([2.0])


def test_none_is_no_target():
    tape, _, x = squared()
    with pytest.raises(TypeError, match=r"Argument `target` should be .* but received None"):
        tape.gradient(None, x)


def test_none_is_no_source():
    tape, y, x = squared()
    with pytest.raises(TypeError, match="Cannot convert the argument `type_value`: None"):
        tape.gradient(y, {"a": x, "b": None})


@pytest.mark.parametrize(
    ("thing", "message"),
    [
        (3.0, "'float' object has no attribute"),
        (np.array(3.0), "'numpy.ndarray' object has no|'ndarray' object has no"),
    ],
    ids=["float", "array"],
)
def test_numbers_and_arrays_are_neither_targets_nor_sources(thing, message):
    tape, y, x = squared(persistent=True)
    with pytest.raises(AttributeError, match=message):
        tape.gradient(y, thing)
    with pytest.raises(AttributeError, match=message):
        tape.gradient(thing, x)
    with pytest.raises(AttributeError, match=message):
        tape.gradient([y, thing], x)


@pytest.mark.parametrize("value", ["nonsense", None, "ZERO", 0])
def test_unconnected_gradients_are_none_or_zero(value):
    tape, y, x = squared()
    with pytest.raises(ValueError, match=f"Unknown value for unconnected_gradients: {value!r}"):
        tape.gradient(y, x, unconnected_gradients=value)


def test_an_output_gradient_has_the_targets_dtype():
    tape, y, x = squared()
    with pytest.raises(tf.errors.InvalidArgumentError, match="double tensor but is a float"):
        tape.gradient(y, x, output_gradients=np.array(1.0))


def test_a_target_whose_output_gradient_is_none_does_not_count():
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y, z = x * 2.0, x * 3.0
    assert float(tape.gradient([y, z], x, output_gradients=[tf.constant(5.0), None])) == 10.0
    assert tape.gradient(y, x, output_gradients=[None]) is None


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (TypeError, lambda t, y, x: t.gradient([y, None], x)),
        (TypeError, lambda t, y, x: t.gradient(y, "x")),
        (TypeError, lambda t, y, x: t.jacobian(y, None)),
        (ValueError, lambda t, y, x: t.jacobian(y, x, parallel_iterations=0)),
        (ValueError, lambda t, y, x: tf.autodiff.ForwardAccumulator(x, tf.ones([3]))),
        (AttributeError, lambda t, y, x: tf.autodiff.ForwardAccumulator(x, x).jvp(3.0)),
    ],
)
def test_bad_arguments(error, call):
    with pytest.raises(error):
        call(*squared(persistent=True))


@pytest.mark.parametrize("given", [np.ones(2), np.float32(1.0), 3.0, [1.0]], ids=repr)
def test_an_error_about_what_is_no_tensor_says_what_it_lacks(given):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    asked = [lambda: tape.gradient(y, given), lambda: tape.gradient(given, x)]
    if not isinstance(given, list):
        asked.append(lambda: tape.jacobian(y, given))
    for ask in asked:
        with pytest.raises(AttributeError, match=r"has no attribute '\w+'.*must be a") as caught:
            ask()
        word = str(caught.value).partition("attribute '")[2].partition("'")[0]
        inner = given[0] if isinstance(given, list) else given
        assert not hasattr(inner, word)


def test_output_gradients_of_unknown_lengths_are_compared_when_the_graph_runs():
    seen = []

    @tf.function(input_signature=[tf.TensorSpec([None, None])] * 2)
    def slope(x, dy):
        seen.append(x.shape)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        return tape.gradient(y, x, dy)

    x = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    assert slope(x, tf.ones([2, 3])).numpy().tolist() == (2 * x).numpy().tolist()
    assert slope(x, tf.ones([1, 3])).numpy().tolist() == (2 * x).numpy().tolist()
    assert len(seen) == 1
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
        slope(x, tf.ones([2, 2]))
