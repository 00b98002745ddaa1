"""Tests that run with each combination of arguments: `tf.__internal__.test.combinations`."""

from __future__ import annotations

import importlib
import inspect
import itertools
import re
import types
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, ExitStack
from functools import partial, wraps
from typing import Any, TypeVar

from gradtape._src.base.export import export, export_value
from gradtape._src.compat.contexts import init_scope
from gradtape._src.sessions.graph import Graph

Combination = OrderedDict[str, Any]
T = TypeVar("T")
_ADDRESS = re.compile("0[xX][0-9a-fA-F]+")


@export("__internal__.test.combinations.NamedObject")
class NamedObject:
    """A value with a name, which stands for it in the names of tests.

    Args:
      name: The name.
      obj: The value. Its attributes, calls and elements are those of the named object.

    >>> named = tf.__internal__.test.combinations.NamedObject("double", lambda x: 2 * x)
    >>> named, named(3)
    (double, 6)
    """

    def __init__(self, name: str, obj: Any) -> None:
        self._name, self._obj = name, obj

    def __getattr__(self, name: str) -> Any:
        return getattr(self._obj, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._obj(*args, **kwargs)

    def __iter__(self) -> Any:
        return iter(self._obj)

    def __repr__(self) -> str:
        return self._name


@export("__internal__.test.combinations.combine")
def combine(**kwargs: Any) -> list[Combination]:
    """Returns all combinations of values.

    Args:
      **kwargs: By the name of a test's parameter, a list of values, or a single value.

    Returns:
      Dictionaries from names, in alphabetical order, to values.

    >>> [dict(c) for c in tf.__internal__.test.combinations.combine(x=[1, 2], y="a")]
    [{'x': 1, 'y': 'a'}, {'x': 2, 'y': 'a'}]
    """
    names = sorted(kwargs)
    values = [v if isinstance(v, list) else [v] for v in (kwargs[name] for name in names)]
    return [OrderedDict(zip(names, chosen, strict=True)) for chosen in itertools.product(*values)]


@export("__internal__.test.combinations.times")
def times(*combined: list[Combination]) -> list[Combination]:
    """Returns each combination of one list with each combination of the others.

    Args:
      *combined: Lists of dictionaries, as `combine` returns them.

    Returns:
      A list of dictionaries.

    Raises:
      ValueError: Two lists have a name in common.
      AssertionError: There is no list.
    """
    assert combined, "times() takes at least one list of combinations"
    found = []
    for chosen in itertools.product(*combined):
        merged: Combination = OrderedDict()
        for part in chosen:
            if merged.keys() & part.keys():
                raise ValueError(f"Keys need to not overlap: {list(merged)} vs {list(part)}")
            merged.update(part)
        found.append(merged)
    return found


@export("__internal__.test.combinations.ParameterModifier")
class ParameterModifier:
    """Changes the arguments of a test; subclasses override `modified_arguments`.

    Args:
      parameter_name: The parameter that it changes. Of several objects of one class with the same
        name, only one is used.

    Attributes:
      DO_NOT_PASS_TO_THE_TEST: As a new value, it removes an argument.
    """

    DO_NOT_PASS_TO_THE_TEST = object()

    def __init__(self, parameter_name: str | None = None) -> None:
        self._parameter_name = parameter_name

    def modified_arguments(
        self, kwargs: dict[str, Any], requested_parameters: Sequence[str]
    ) -> dict[str, Any]:
        """Returns the new values of arguments.

        Args:
          kwargs: The arguments.
          requested_parameters: The names of the test's parameters.

        Returns:
          A dictionary from names to values.
        """
        return {}

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        same = type(self) is type(other)
        return same and self._parameter_name == other._parameter_name  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash(self._parameter_name or type(self))


@export("__internal__.test.combinations.OptionalParameter")
class OptionalParameter(ParameterModifier):
    """Passes an argument only to tests that have a parameter for it."""

    def modified_arguments(
        self, kwargs: dict[str, Any], requested_parameters: Sequence[str]
    ) -> dict[str, Any]:
        """Returns the update that removes the argument if the test has no parameter for it.

        Args:
          kwargs: The arguments.
          requested_parameters: The names of the test's parameters.

        Returns:
          A dictionary from names to values.
        """
        if self._parameter_name in requested_parameters:
            return {}
        return {str(self._parameter_name): self.DO_NOT_PASS_TO_THE_TEST}


@export("__internal__.test.combinations.TestCombination")
class TestCombination:
    """Decides how the tests of `generate` run; subclasses override its methods."""

    __test__ = False  # pytest takes it for a test

    def should_execute_combination(self, kwargs: dict[str, Any]) -> tuple[bool, str | None]:
        """Returns whether a combination is to run, and if not, the reason.

        Args:
          kwargs: The arguments.

        Returns:
          A truth value, and a text or None.
        """
        return True, None

    def parameter_modifiers(self) -> list[ParameterModifier]:
        """Returns the objects that change arguments.

        Returns:
          A list.
        """
        return []

    def context_managers(self, kwargs: dict[str, Any]) -> list[AbstractContextManager[Any]]:
        """Returns the contexts in which a test runs.

        Args:
          kwargs: The arguments.

        Returns:
          A list; the first context is entered first.
        """
        return []


class _Mode(TestCombination):
    """The parameter `mode`: "eager", or "graph" for a test that builds a graph."""

    def context_managers(self, kwargs: dict[str, Any]) -> list[AbstractContextManager[Any]]:
        mode = kwargs.get("mode")
        if mode is None:
            return []
        if mode == "eager":
            return [init_scope()]
        if mode == "graph":
            return [Graph().as_default()]
        raise ValueError(f"Argument 'mode' must be either 'eager' or 'graph'. Received: {mode}.")

    def parameter_modifiers(self) -> list[ParameterModifier]:
        return [OptionalParameter("mode")]


class _Version(TestCombination):
    """The parameter `tf_api_version`: tests of version 1 are skipped."""

    def should_execute_combination(self, kwargs: dict[str, Any]) -> tuple[bool, str | None]:
        if kwargs.get("tf_api_version") == 1:
            return False, "Skipping a TF1.x test when TF2 is enabled."
        return True, None

    def parameter_modifiers(self) -> list[ParameterModifier]:
        return [OptionalParameter("tf_api_version")]


def _generate(
    combinations: Iterable[Combination], test_combinations: Sequence[TestCombination] = ()
) -> Callable[[T], T]:
    """Makes a test, or each test of a class, run once for each combination of arguments.

    Args:
      combinations: Dictionaries, as `combine` returns them.
      test_combinations: Objects that say how tests run. By default they know the parameters
        `mode` and `tf_api_version`: the mode "graph" runs a test in a new graph, and version 1 is
        skipped.

    Returns:
      A decorator. A test method needs a class that derives from absl's `parameterized.TestCase`.
    """
    parameterized = importlib.import_module("absl.testing.parameterized")

    named = []
    for combination in combinations:
        parts = [
            f"_{_alphanumeric(key)}_{_alphanumeric(_ADDRESS.sub(str(i), str(value)))}"
            for i, (key, value) in enumerate(combination.items())
        ]
        named.append({**combination, "testcase_name": "_test" + "".join(parts)})

    def decorator(test: Any) -> Any:
        if not isinstance(test, type):
            return parameterized.named_parameters(*named)(_customized(test, test_combinations))
        for name, method in list(vars(test).items()):
            if name.startswith("test") and isinstance(method, types.FunctionType):
                delattr(test, name)
                for each in named:
                    arguments = {k: v for k, v in each.items() if k != "testcase_name"}
                    one = _with(_customized(method, test_combinations), arguments)
                    one.__name__ = f"{name}{each['testcase_name']}"
                    setattr(test, one.__name__, one)
        return test

    return decorator


def _alphanumeric(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def _with(method: Callable[..., Any], arguments: dict[str, Any]) -> Callable[..., Any]:
    @wraps(method)
    def run(self: Any) -> Any:
        return method(self, **arguments)

    return run


def _customized(
    method: Callable[..., Any], combinations: Sequence[TestCombination]
) -> Callable[..., Any]:
    """Returns a test method that asks the combinations whether and how to run."""
    wanted = inspect.getfullargspec(method).args

    @wraps(method)
    def run(self: Any, **kwargs: Any) -> None:
        asked = [c.should_execute_combination(kwargs.copy()) for c in combinations]
        reasons = [f" - {reason}" for execute, reason in asked if not execute]
        if reasons:
            self.skipTest("\n".join(reasons))
        given = kwargs.copy()
        for modifier in {m for c in combinations for m in c.parameter_modifiers()}:
            given.update(modifier.modified_arguments(kwargs.copy(), wanted))
        left_out = ParameterModifier.DO_NOT_PASS_TO_THE_TEST
        given = {name: value for name, value in given.items() if value is not left_out}
        with ExitStack() as stack:
            for combination in combinations:
                for context in combination.context_managers(kwargs.copy()):
                    stack.enter_context(context)
            lacking = set(wanted) - {*given, "self"}
            if lacking:
                raise ValueError(
                    f"The test requires parameters whose arguments were not passed: {lacking} ."
                )
            unknown = given.keys() - set(wanted)
            if unknown:
                raise ValueError(
                    f"The test does not take parameters that were passed : {unknown} ."
                )
            method(self, **given)

    return run


generate = partial(_generate, test_combinations=(_Mode(), _Version()))
export_value(generate, "__internal__.test.combinations.generate")
