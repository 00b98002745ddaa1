"""The types of functions."""

from __future__ import annotations

import inspect
from typing import Any

import gradtape as tf
from gradtape._src.graph.function_types import FunctionType, type_of


def test_the_type_of_a_function() -> None:
    def f(x: Any, y: Any, *, scale: int = 2) -> None: ...

    bound = inspect.signature(f).bind(tf.TensorSpec([None], name="x"), [1, tf.constant(2.0)])
    bound.apply_defaults()
    kind = FunctionType.of(bound, {"out": tf.constant([1])})
    assert str(kind) == (
        "(x: TensorSpec(shape=(None,), dtype=tf.float32, name=None), "
        "y: List[Literal[1], TensorSpec(shape=(), dtype=tf.float32, name=None)], "
        "*, scale: Literal[2]) -> "
        "Dict[['out', TensorSpec(shape=(1,), dtype=tf.int32, name=None)]]"
    )
    assert repr(kind.output).startswith("Dict")


def test_arguments_behind_stars() -> None:
    def f(first: Any, *rest: Any, **named: Any) -> None: ...

    kind = FunctionType.of(inspect.signature(f).bind(1, 2, 3, key=4), None)
    assert str(kind) == (
        "(first: Literal[1], rest_0: Literal[2], rest_1: Literal[3], /, *, key: Literal[4]) -> "
        "Literal[None]"
    )


def test_equal_types() -> None:
    assert type_of((1, "a")) == type_of((1, "a"))
    assert type_of((1, "a")) != type_of([1, "a"])
    assert hash(type_of((1, "a"))) == hash(type_of((1, "a")))
