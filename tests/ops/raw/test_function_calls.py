"""Raw operations that call concrete functions; answers are TensorFlow's."""

from __future__ import annotations

from typing import Any

import pytest

import gradtape as tf

R = tf.raw_ops
I = tf.constant(0)
X = tf.constant([1.0, 2.0])
DTYPES = [tf.int32, tf.float32]


def concrete(function: Any) -> Any:
    return tf.function(function).get_concrete_function(I, X)


LESS = concrete(lambda i, x: i < 3)
TWICE = concrete(lambda i, x: (i + 1, x * 2.0))
THRICE = concrete(lambda i, x: (i + 1, x * 3.0))


def lists(found: Any) -> list[Any]:
    assert type(found) is list
    return [x.numpy().tolist() for x in found]


def choose(cond: Any, operation: str = "If") -> Any:
    branches = {"then_branch": TWICE, "else_branch": THRICE}
    return getattr(R, operation)(cond=cond, input=[I, X], Tout=DTYPES, **branches)


@pytest.fixture(params=["eager", "traced"])
def way(request: pytest.FixtureRequest) -> Any:
    return tf.function if request.param == "traced" else lambda f: f


@pytest.mark.parametrize("operation", ["While", "StatelessWhile"])
def test_loops(way: Any, operation: str) -> None:
    loop = way(lambda: getattr(R, operation)(input=[I, X], cond=LESS, body=TWICE))
    assert lists(loop()) == [3, [8.0, 16.0]]


@pytest.mark.parametrize("operation", ["If", "StatelessIf"])
@pytest.mark.parametrize(
    ("cond", "holds"), [(True, True), (0, False), ([], False), ([0.0], True), ("a", True), ("", 0)]
)
def test_conditionals(way: Any, operation: str, cond: Any, holds: Any) -> None:
    found = lists(way(lambda: choose(cond, operation))())
    assert found == [1, [2.0, 4.0] if holds else [3.0, 6.0]]


@pytest.mark.parametrize("operation", ["Case", "StatelessCase"])
@pytest.mark.parametrize(("index", "factor"), [(0, 2), (1, 3), (5, 3), (-1, 3)])
def test_one_of_several(way: Any, operation: str, index: int, factor: int) -> None:
    case = getattr(R, operation)
    found = way(
        lambda: case(branch_index=index, input=[I, X], Tout=DTYPES, branches=[TWICE, THRICE])
    )
    assert lists(found()) == [1, [factor, 2 * factor]]


@pytest.mark.parametrize("operation", ["PartitionedCall", "StatefulPartitionedCall"])
def test_calls_give_as_many_outputs_as_are_asked_for(way: Any, operation: str) -> None:
    call = getattr(R, operation)
    assert lists(way(lambda: call(args=[I, X], Tout=DTYPES, f=TWICE))()) == [1, [2.0, 4.0]]
    assert lists(way(lambda: call(args=[I, X], Tout=DTYPES[:1], f=TWICE))()) == [1]


def test_gradients_flow_through_them() -> None:
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(X)
        looped = R.While(input=[I, X], cond=LESS, body=TWICE)[1]
        chosen = choose(False)[1]
    assert tape.gradient(looped, X).numpy().tolist() == [8.0, 8.0]
    assert tape.gradient(chosen, X).numpy().tolist() == [3.0, 3.0]


@pytest.mark.parametrize(
    "call",
    [
        lambda: R.PartitionedCall(args=[I, X], Tout=DTYPES, f=lambda i, x: [i, x]),
        lambda: R.PartitionedCall(args=[I, I], Tout=DTYPES, f=TWICE),
        lambda: R.PartitionedCall(args=[I, X], Tout=[tf.bool, tf.bool], f=LESS),
        lambda: R.While(input=[I, X], cond=LESS, body=LESS),
        lambda: R.While(input=[I, X], cond=LESS, body=concrete(lambda i, x: (x, i))),
    ],
)
def test_functions_that_do_not_fit(call: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        call()
