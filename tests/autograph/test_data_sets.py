"""Loops over data sets and iterators, which the one who traces has to provide."""

import pytest
from autograph_checks import jit

import gradtape as tf


class Rows:
    """The rows of a tensor as a data set whose functions are traced."""

    element_spec = tf.TensorSpec([], tf.float32)

    def __init__(self, rows):
        self.rows = rows

    def reduce(self, first, function):
        return tf.foldl(function, self.rows, first)

    def scan(self, first, function):
        outputs, state = [], first
        for i in range(len(self.rows)):
            state, output = function(state, self.rows[i])
            outputs.append(output)
        return Outputs(outputs)

    def take_while(self, predicate):
        raise NotImplementedError

    def enumerate(self, start=0):
        return Numbered(self.rows)

    def cardinality(self):
        return len(self.rows)


class Numbered(Rows):
    def reduce(self, first, function):
        state = first
        for i in range(len(self.rows)):
            state = function(state, (tf.constant(i, tf.int64), self.rows[i]))
        return state


class Outputs:
    """What a scan gives, as far as a predicate holds."""

    def __init__(self, outputs, predicate=None):
        self.outputs, self.predicate = outputs, predicate

    def take_while(self, predicate):
        return Outputs(self.outputs, predicate)

    def reduce(self, first, function):
        state, alive = first, tf.constant(True)
        for output in self.outputs:
            alive = tf.logical_and(alive, self.predicate(*output))
            state = tf.cond(
                alive,
                lambda state=state, output=output: tuple(function(state, output)),
                lambda state=state: tuple(state),
            )
        return state


class Following:
    """An iterator over the rows of a tensor."""

    element_spec = Rows.element_spec

    def __init__(self, rows):
        self.rows, self.place = rows, tf.Variable(0)

    def get_next_as_optional(self):
        i = self.place.read_value()
        self.place.assign_add(1)
        rows = self.rows

        class Optional:
            def has_value(self):
                return i < len(rows)

            def get_value(self):
                return rows[i]

        return Optional()


def total(ds):
    out = tf.constant(0.0)
    for v in ds:
        if v > 0:
            out += v
        else:
            out -= 2.0 * v
    return out


def until(ds, most):
    out = tf.constant(0.0)
    for v in ds:
        out += v
        if out > most:
            break
    return out


@pytest.mark.parametrize("values", [[1.0, -2.0, 3.0], [0.5, -1.0] * 10])
def test_a_loop_over_a_data_set(values):
    compiled = jit(lambda x: total(Rows(x)))
    assert compiled(tf.constant(values)).numpy() == sum(v if v > 0 else -2 * v for v in values)


@pytest.mark.parametrize(("most", "expected"), [(0.0, 1.0), (2.0, 3.0), (100.0, 10.0)])
def test_break_ends_a_loop_over_a_data_set(most, expected):
    compiled = jit(lambda x, most: until(Rows(x), most))
    assert compiled(tf.constant([1.0, 2.0, 3.0, 4.0]), tf.constant(most)).numpy() == expected


def test_a_loop_over_a_numbered_data_set():
    @jit
    def f(x):
        out = tf.constant(0.0)
        for i, v in enumerate(Rows(x)):
            out += tf.cast(i, tf.float32) * v
        return out, len(Rows(x))

    out, n = f(tf.constant([5.0, 6.0, 7.0]))
    assert (out.numpy(), n.numpy()) == (20.0, 3)


@pytest.mark.parametrize(("most", "expected"), [(2.0, 3.0), (100.0, 10.0)])
def test_a_loop_over_an_iterator(most, expected):
    rows = tf.constant([1.0, 2.0, 3.0, 4.0])
    iterator = Following(rows)
    compiled = jit(lambda most: until(iterator, most))
    assert compiled(tf.constant(most)).numpy() == expected


def first_inside(ds):
    for v in ds:
        y = v
    return y


def none_before(ds):
    y = None
    for v in ds:
        y = v
    return y


def returned(ds):
    for v in ds:
        if v > 1.0:
            return v
    return tf.constant(0.0)


def other_dtype(ds):
    y = tf.constant(0)
    for v in ds:
        y = v
    return y


@pytest.mark.parametrize(
    ("function", "kind", "message"),
    [
        (first_inside, ValueError, "'y' must be defined before the loop\n"),
        (none_before, ValueError, "'y' is not allowed to be None before the loop"),
        (returned, NotImplementedError, "a return statement cannot be placed inside this"),
        (other_dtype, TypeError, "'y' has dtype int32 before the loop, but dtype float32 after"),
    ],
)
def test_errors_are_tensorflows(function, kind, message):
    with pytest.raises(kind, match=message):
        jit(lambda x: function(Rows(x)))(tf.ones(3))
