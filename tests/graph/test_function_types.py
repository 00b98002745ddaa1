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


def test_parameters_of_functions_and_methods() -> None:
    @tf.function
    def f(x: Any, y: float = 2.0, *rest: Any, k: int = 3, **named: Any) -> Any:
        return x * y

    spec = f.function_spec.fullargspec
    assert (spec.args, spec.varargs, spec.varkw) == (["x", "y"], "rest", "named")
    assert (spec.defaults, spec.kwonlyargs, spec.kwonlydefaults) == ((2.0,), ["k"], {"k": 3})
    assert (spec.annotations, f.function_spec.input_signature) == ({}, None)

    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([2], name="q")])
        def run(self, x: Any) -> Any:
            return x

    assert Model.run.function_spec.fullargspec.args == ["self", "x"]
    spec = Model().run.function_spec
    assert spec.arg_names == spec.fullargspec.args == ["x"]
    assert spec.fullargspec.defaults is spec.fullargspec.kwonlydefaults is None
    assert spec.input_signature == (tf.TensorSpec([2], name="q"),)
