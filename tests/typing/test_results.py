"""Functions return values of their annotated types, over all samples."""

from __future__ import annotations

import inspect
import sys
import types
import typing
from contextlib import suppress

import pytest
from checks import tensors
from samples import SAMPLES

import gradtape as tf
from gradtape._src.core.tensor import Tensor

pytestmark = pytest.mark.slow

MODULES = [m for n, m in sys.modules.items() if n.startswith("gradtape") and "._src" not in n]


def public_functions():
    """The code of each public function, and the type that it is annotated to return."""
    found = {}
    for module in MODULES:
        for value in vars(module).values():
            if inspect.isfunction(value) and value.__module__.startswith("gradtape._src.ops"):
                returned = value.__annotations__.get("return")
                if returned and not hasattr(value, "__wrapped__"):
                    with suppress(NameError):  # a type that exists for checkers alone
                        found[value.__code__] = typing.get_type_hints(value)["return"]
    return found


FUNCTIONS = public_functions()


def suits(value, annotation):
    """Whether a value is of a type, as far as `isinstance` tells."""
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if annotation is typing.Any:
        return True
    if origin in (typing.Union, types.UnionType):
        return any(suits(value, part) for part in parts)
    if origin is tuple and parts[-1] is not Ellipsis:
        right = isinstance(value, tuple) and len(value) == len(parts)
        return right and all(map(suits, value, parts))
    if origin in (list, tuple):
        return isinstance(value, origin) and all(suits(item, parts[0]) for item in value)
    kind = origin or annotation
    return not isinstance(kind, type) or isinstance(value, kind)


@pytest.fixture
def watched():
    """Yields results of public functions that are not of the annotated type."""
    wrong = []

    def watch(frame, event, result):
        annotation = FUNCTIONS.get(frame.f_code) if event == "return" else None
        if annotation is not None and result is not None and not suits(result, annotation):
            wrong.append(f"{frame.f_code.co_name}: {type(result).__name__}, not {annotation}")

    before = sys.getprofile()
    sys.setprofile(watch)
    yield wrong
    sys.setprofile(before)


@pytest.mark.parametrize("sample", SAMPLES, ids=[s.id for s in SAMPLES])
def test_results_are_as_annotated(sample, watched):
    sample.call(*tensors(sample.inputs))
    assert watched == []


def test_the_check_finds_another_type():
    assert not suits([1], Tensor)
    assert not suits([1], list[Tensor])
    assert not suits((tf.ones(2),), tuple[Tensor, Tensor])
    assert suits((tf.ones(2), tf.ones(2)), tuple[Tensor, Tensor])
    assert suits(tf.ones(2), Tensor | None)


def test_most_public_functions_say_what_they_return():
    unknown = [code.co_name for code, returned in FUNCTIONS.items() if returned is typing.Any]
    assert len(unknown) < len(FUNCTIONS) / 10
