"""The rules for conversion: functions of a program are converted, those of libraries are not."""

import functools
import logging
from types import FunctionType

import numpy as np
import pytest

import gradtape as tf
from gradtape._src.autograph import rules


def mine(x):
    return x


class Mine:
    def method(self, x):
        return x

    def __call__(self, x):
        return x


@pytest.mark.parametrize("function", [np.linalg.norm, logging.getLogger, tf.reduce_sum])
def test_functions_of_libraries(function):
    _, plain = rules.target(function, libraries=True)
    assert plain is None


def test_functions_of_programs():
    assert not rules.is_library(mine, libraries=False)
    assert not rules.is_converted(mine)


@pytest.mark.parametrize("library", ["keras.src.layers", "tf_keras.engine"])
def test_a_librarys_function_is_converted_if_it_is_passed_to_function(library):
    """TensorFlow leaves libraries' functions as they are only where converted code calls them."""
    of_library = FunctionType(absolute.__code__, {**globals(), "__name__": library})

    @tf.function
    def caller(x):
        return of_library(x)

    negative = tf.constant(-2.0)
    assert float(tf.function(of_library)(negative)) == 2.0
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        caller(negative)


def absolute(x):
    if x > 0:
        return x
    return -x


def test_what_a_call_runs():
    instance = Mine()
    assert rules.target(mine, libraries=False)[1] is mine
    assert rules.target(instance.method, libraries=False) == (instance, Mine.method)
    assert rules.target(instance, libraries=False) == (instance, Mine.__call__)
    assert rules.target(len, libraries=False)[1] is None


def test_decorators_that_keep_the_function_lead_to_it():
    @functools.wraps(mine)
    def around(x):
        return mine(x)

    assert rules.target(around, libraries=False)[1] is around


def test_functions_of_ours_that_call_back():
    assert rules.calls_back(tf.cond)
    assert not rules.calls_back(tf.reduce_sum)
    assert not rules.calls_back(mine)


def test_a_function_that_is_marked_stays_as_it_is():
    marked = tf.autograph.experimental.do_not_convert(mine)
    seen = []

    @tf.function
    def f(x):
        seen.append(marked(x) is x)
        return x

    f(tf.constant(1.0))
    assert seen == [True]
