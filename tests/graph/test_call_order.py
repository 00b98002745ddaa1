"""Calls that are the same are written in one way."""

import inspect

import pytest

from gradtape._src.graph.call_order import CallOrder, parameters_of


def f(a, b=2, *, c=3):
    return a, b, c


ORDER = CallOrder(parameters_of(f))


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        ((1,), {}),
        ((), {"a": 1}),
        ((1, 2), {}),
        ((1,), {"b": 2}),
        ((), {"b": 2, "a": 1}),
        ((1,), {"c": 3}),
    ],
)
def test_equal_calls_have_one_order(args, kwargs):
    assert ORDER.ordered(args, kwargs) == ORDER.ordered((1,), {})


@pytest.mark.parametrize(
    ("args", "kwargs"), [((2,), {}), ((1, 3), {}), ((1,), {"c": 4}), ((1.0,), {})]
)
def test_other_calls_have_another(args, kwargs):
    ordered = ORDER.ordered(args, kwargs)
    assert repr(ordered) != repr(ORDER.ordered((1,), {}))
    assert f(*ordered[0], **ordered[1]) == f(*args, **kwargs)


def test_parameters_are_those_of_what_is_wrapped():
    assert [p.name for p in parameters_of(f)] == ["a", "b", "c"]
    assert [p.kind for p in parameters_of(f)][-1] is inspect.Parameter.KEYWORD_ONLY
