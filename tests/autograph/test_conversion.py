"""Converted code: its names, cells and costs."""

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.autograph.calls import call_of
from gradtape._src.autograph.conversion import convert, source_of
from gradtape._src.autograph.features import STANDARD

LIMIT = 3


def sample(x, *, scale=2.0):
    """Returns."""
    total = 0.0
    while total < LIMIT:
        if x > 0:
            total += x
        else:
            break
    return total * scale


def test_code_is_named_as_the_users():
    form = convert(sample, STANDARD, call_of(STANDARD))
    names = set()

    def collect(code):
        names.add((code.co_name, code.co_qualname, code.co_filename))
        for const in code.co_consts:
            if hasattr(const, "co_code"):
                collect(const)

    collect(form.code)
    assert {name for name, _, _ in names} == {"sample", "<lambda>"}
    assert {file for _, _, file in names} == {__file__}


def test_an_instance_shares_globals_and_defaults():
    new = convert(sample, STANDARD, call_of(STANDARD)).instance(sample)
    assert new.__globals__ is sample.__globals__
    assert new(2.0) == sample(2.0) == 8.0
    assert new(-1.0, scale=3.0) == sample(-1.0, scale=3.0) == 0.0


def test_annotations_and_defaults_are_not_evaluated_again():
    ran = []

    def f(x: ran.append(1) or int = ran.append(2) or 5) -> ran.append(3):
        return x

    before = list(ran)
    assert convert(f, STANDARD, call_of(STANDARD)).instance(f)() == 5
    assert ran == before


def test_the_source_is_python():
    assert compile(source_of(sample, STANDARD), "<source>", "exec")


def test_large_constants_are_not_copied():
    table = np.zeros(3)

    def f():
        return table

    assert convert(f, STANDARD, call_of(STANDARD)).instance(f)() is table


def test_an_error_that_is_caught_under_a_name():
    def guarded(x, y):
        try:
            if x > 0:
                x = x @ y
        except (ValueError, TypeError) as error:
            return x, tf.constant(str(type(error).__name__))
        return x, tf.constant("")

    compiled = tf.function(guarded)
    square = tf.ones([2, 2])
    with pytest.raises(ValueError, match="incompatible"):
        tf.function(lambda x, y: x @ y)(square, tf.ones([3, 3]))
    found = compiled(tf.constant(-1.0), square)
    assert [y.numpy() for y in found] == [-1.0, b"ValueError"]


@pytest.mark.parametrize(
    ("operation", "kind"),
    [
        (lambda x: x[5], ValueError),
        (lambda x: x + tf.ones([3]), ValueError),
        (lambda x: tf.reshape(x, [7]), ValueError),
        (lambda x: x + tf.constant(1), TypeError),
        (lambda x: tf.math.bessel_i0(tf.cast(x, "int32")), TypeError),
        (lambda x: tf.debugging.assert_equal(1, 2, "shape"), tf.errors.InvalidArgumentError),
    ],
)
def test_kinds_of_errors_while_tracing(operation, kind):
    seen = []

    @tf.function
    def caught(x):
        try:
            operation(x)
        except Exception as error:  # noqa: BLE001 (its kind is asked)
            seen.append(type(error))
        return x

    caught(tf.ones([2]))
    with pytest.raises(kind):
        tf.function(operation)(tf.ones([2]))
    with pytest.raises(tf.errors.InvalidArgumentError):
        operation(tf.ones([2]))
    assert seen == [kind]


def test_parameters_of_a_nested_function_are_its_own():
    def outer(flag, *values):
        if flag:
            count = len(values)

            def first(*values, key=None):
                values = values[:count]
                return values[0]

            found = first(2.0, 3.0)
        else:
            found = 0.0
        return found + values[0]

    def in_a_loop(n, x):
        for _ in tf.range(n):

            def add(x):
                x = x + 1.0
                return x

            x = add(x) * 2.0
        return x

    assert tf.function(outer)(True, 1.0) == 3.0
    assert tf.function(in_a_loop)(tf.constant(2), 1.0) == 10.0
