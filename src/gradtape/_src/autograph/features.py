"""The optional parts of a conversion."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import Any, NamedTuple

from gradtape._src.base.export import export


@export("autograph.experimental.Feature")
class Feature(enum.Enum):
    """A kind of code that AutoGraph converts in addition to control flow and calls.

    Attributes:
      ALL: Everything below.
      AUTO_CONTROL_DEPS: The order of operations with side effects; they always run in the order in
        which the program calls them.
      ASSERT_STATEMENTS: `assert` with a tensor, which is checked when the function runs.
      BUILTIN_FUNCTIONS: `print` with a tensor, which prints when the function runs.
      EQUALITY_OPERATORS: `==` and `!=` as `tf.equal` and `tf.not_equal`.
      LISTS: Lists, their `append` and `pop`.
      NAME_SCOPES: Name scopes called like the functions.
    """

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"

    @classmethod
    def all(cls) -> tuple[Feature, ...]:
        """Returns all features.

        Returns:
          A tuple of all features.
        """
        return tuple(cls)

    @classmethod
    def all_but(cls, exclude: Feature | Iterable[Feature]) -> tuple[Feature, ...]:
        """Returns all features but those given.

        Args:
          exclude: A feature, or a sequence of them.

        Returns:
          A tuple of the others.
        """
        out = {exclude} if isinstance(exclude, Feature) else set(exclude)
        return tuple(f for f in cls if f not in out and f is not cls.ALL)


class Options(NamedTuple):
    """The options with which functions are converted.

    Attributes:
      features: The parts that are converted in addition to control flow, calls and logical
        expressions.
      recursive: Whether the functions that a converted function calls are converted, too.
    """

    features: frozenset[Feature] = frozenset()
    recursive: bool = True


STANDARD = Options()
OPERATORS = "ag__"
"""The name of the closure variable through which converted code reaches the operators."""


@export("autograph.experimental.set_loop_options")
def set_loop_options(
    parallel_iterations: int | None = None,
    swap_memory: bool | None = None,
    maximum_iterations: Any = None,
    shape_invariants: Any = None,
) -> None:
    """Sets options of the loop around the call, if that loop becomes part of a graph.

    It must be the first statement of the loop's body. Outside of traced loops it does nothing.

    Args:
      parallel_iterations: Accepted for compatibility.
      swap_memory: Accepted for compatibility.
      maximum_iterations: The maximum number of iterations.
      shape_invariants: Pairs of a tensor that the loop changes and the shape that it always has,
        as a `TensorShape` with None for axes that grow.
    """


def options_of(features: Feature | Iterable[Feature] | None, recursive: bool = True) -> Options:
    """Returns the options for the features in `experimental_autograph_options`."""
    if features is None:
        return Options(recursive=recursive)
    chosen = (features,) if isinstance(features, Feature) else features
    return Options(frozenset(chosen), recursive)
