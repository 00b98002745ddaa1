"""Functions that ask others when they refuse their arguments; the results are TensorFlow's."""

import typing

import pytest

import gradtape as tf
from gradtape._src.base import dispatch as base

D = tf.__internal__.dispatch


class Text:
    size = 3


class Masked(tf.experimental.ExtensionType):
    values: tf.Tensor


class Sizes(D.OpDispatcher):
    def handle(self, args, kwargs):
        return ("size", args[0].size) if isinstance(args[0], Text) else self.NOT_SUPPORTED


@pytest.fixture(autouse=True)
def only_here():
    """Removes what a test registers."""
    yield
    base._fallbacks.clear()
    for api in base.APIS.values():
        api._fallbacks.clear()
        api.settle(base.composites_exist())


def test_a_function_asks_when_it_refuses():
    Sizes().register(tf.size)
    assert tf.size(Text()) == ("size", 3)
    assert int(tf.size([1, 2])) == 2
    assert int(tf.size(tf.ragged.constant([[1], [2, 3]]))) == 3
    with pytest.raises((TypeError, ValueError)):
        tf.exp(Text())
    with pytest.raises((TypeError, ValueError)):
        tf.size(object())


def test_any_function_asks_when_it_refuses():
    class Any(D.GlobalOpDispatcher):
        def handle(self, op, args, kwargs):
            return op if isinstance(args[0], Text) else self.NOT_SUPPORTED

    Any().register()
    assert tf.exp(Text()) is tf.exp
    assert float(tf.exp(0.0)) == 1.0
    with pytest.raises((TypeError, ValueError)):
        tf.exp(object())

    @D.add_dispatch_support
    def made_later(x):
        return tf.exp(x)

    assert made_later(Text()) is tf.exp


def test_only_functions_with_support_can_ask():
    with pytest.raises(AssertionError, match="Dispatching not enabled"):
        Sizes().register(len)


def test_functions_of_a_library_are_replaced_for_types():
    @D.add_dispatch_support
    def double(x, k=2):
        return x * k

    @tf.experimental.dispatch_for_api(double, {"x": Masked})
    def double_masked(x, k=2):
        return Masked(x.values * k)

    assert double(3) == 6
    assert double(Masked([1.0, 2.0]), k=3).values.numpy().tolist() == [3.0, 6.0]
    with pytest.raises(ValueError, match="can't be dispatched"):
        D.add_dispatch_support(lambda *x: x)


def test_iterables_are_looked_into():
    @D.add_dispatch_support(iterable_parameters=["ys"])
    def add(x, ys):
        return [x + y for y in ys]

    @tf.experimental.dispatch_for_api(add, {"ys": typing.List[Masked]})  # noqa: UP006
    def add_masked(x, ys):
        return [float(x + y.values) for y in ys]

    assert add(1, (y for y in [1, 2])) == [2, 3]
    assert add(1, ys=(Masked(y) for y in [1.0, 2.0])) == [2.0, 3.0]
    for wrong in (3, [3]):
        with pytest.raises(TypeError, match="iterable_parameters"):
            D.add_dispatch_support(iterable_parameters=wrong)
