"""Python's operators on ragged tensors compute row by row."""

import operator

import pytest

import gradtape as tf

ROWS = [[3, 1], [], [4]]
TWO = ["add", "sub", "mul", "floordiv", "mod", "pow", "lt", "le", "gt", "ge", "eq", "ne"]


def each(function, rows):
    return [[function(x) for x in row] for row in rows]


@pytest.mark.parametrize("name", [*TWO, "truediv"])
def test_operators_on_numbers(name):
    apply = getattr(operator, name)
    kind = float if name == "truediv" else int
    x = tf.ragged.constant(each(kind, ROWS), tf.float64 if kind is float else tf.int32)
    assert apply(x, kind(2)).to_list() == each(lambda a: apply(a, 2), ROWS)
    assert apply(kind(2), x).to_list() == each(lambda a: apply(2, a), ROWS)


@pytest.mark.parametrize("name", ["and_", "or_", "xor"])
def test_operators_on_truth_values(name):
    apply, x = getattr(operator, name), tf.ragged.constant(each(lambda a: a > 2, ROWS))
    assert apply(x, x).to_list() == each(lambda a: apply(a > 2, a > 2), ROWS)
    assert apply(True, x).to_list() == each(lambda a: apply(True, a > 2), ROWS)


@pytest.mark.parametrize("name", ["neg", "abs"])
def test_operators_on_one_tensor(name):
    apply, negative = getattr(operator, name), each(operator.neg, ROWS)
    assert apply(tf.ragged.constant(negative)).to_list() == each(apply, negative)


def test_not():
    x = tf.ragged.constant([[True], [False, True]])
    assert (~x).to_list() == [[False], [True, False]]


def test_rows_of_other_lengths_are_refused():
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.ragged.constant(ROWS) + tf.ragged.constant([[1], [2, 3], [4]])
