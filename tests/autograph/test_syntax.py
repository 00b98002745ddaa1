"""The rewriting of syntax before malt's converters run."""

import ast

import pytest

pytest.importorskip("malt")

from malt.pyct import errors

import gradtape as tf
from gradtape._src.autograph.source import definition_of
from gradtape._src.autograph.syntax import prepared


def shown(function):
    return ast.unparse(prepared(definition_of(function), function))


def test_super_names_its_class_and_instance():
    class Derived(dict):
        def get(self, key):
            return super().get(key)

    assert "super(__class__, self).get(key)" in shown(Derived.get)


def test_loop_options_are_taken_out_of_the_loop():
    options = tf.autograph.experimental.set_loop_options

    def f(n):
        while n > 0:
            options(maximum_iterations=3)
            n -= 1
        for _ in range(3):
            tf.autograph.experimental.set_loop_options(2)
        return n

    text = shown(f)
    assert "options" not in text
    assert "pass" in text


def test_loop_options_come_first():
    def f(n):
        while n > 0:
            n -= 1
            tf.autograph.experimental.set_loop_options(maximum_iterations=3)

    with pytest.raises(ValueError, match="must be the first statement in the loop block"):
        shown(f)


def test_what_a_loop_iterates_over():
    def f(n):
        for i in tf.range(n):
            n += i

    assert "in ag__.iterated(tf.range)(n):" in shown(f)


def generator(x):
    yield x


def delegating(x):
    yield from x


def matching(x):
    match x:
        case 1:
            return 2
    return x


def assigning(x):
    return (y := x) + y


def asynchronous(x):
    async def inner():
        return x

    return inner


@pytest.mark.parametrize(
    ("function", "what"),
    [
        (generator, "generators"),
        (delegating, "generators"),
        (matching, "match statements"),
        (assigning, r"assignments in expressions \(:=\)"),
        (asynchronous, "asynchronous functions"),
    ],
)
def test_what_can_not_be_converted(function, what):
    with pytest.raises(errors.UnsupportedLanguageElementError, match=f"line .*: {what} are not"):
        shown(function)
