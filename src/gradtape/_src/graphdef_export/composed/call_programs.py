"""Functions that graphs call whole, saved as programs of other operations.

Such a function needs the values of its arguments, or lengths that are known. Its program computes
the same from tensors whose values and lengths are unknown. The rule traces the program and exports
the graph.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from gradtape._src.base import nest
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.graph_operations import deferral
from gradtape._src.graph.ir.graph import CannotTrace
from gradtape._src.graph.nested.structured import Gradient, pulled_back
from gradtape._src.graph.nested.whole_calls import Parts
from gradtape._src.graphdef_export.loops import Run, specs_of, traced
from gradtape._src.graphdef_export.nodes import Value
from gradtape._src.graphdef_export.parts import Part
from gradtape._src.graphdef_export.rules import GRADIENTS, call_rule

_F = TypeVar("_F", bound=Callable[..., Any])


def call_program(*functions: Any, axes: dict[str, str] | None = None) -> Callable[[_F], _F]:
    """Declares the program of called functions.

    Args:
      *functions: The functions, or the names of their operations.
      axes: A letter for each of the last axes of some arguments; axes of one letter have the same
        length.

    Returns:
      A decorator of the program, which takes the functions' arguments by name.
    """

    def declare(program: _F) -> _F:
        @call_rule(*functions)
        def add(p: Part, **arguments: Any) -> Any:
            arguments |= _of_equal_lengths(arguments, axes or {})
            leaves = nest.flatten(arguments)
            values = [x for leaf in leaves for x in _values_in(leaf)]
            if any(x.shape is None for x in values):
                raise p.unknown("it is not exported for arguments of unknown rank")

            def run(given: list[Tensor]) -> list[Tensor]:
                following = iter(given)
                filled = [_filled(leaf, following) for leaf in leaves]
                return _flat(program(**nest.pack_sequence_as(arguments, filled)))

            return _run(p, run, values)

        def add_gradient(p: Part, values: Sequence[Value], of: Gradient) -> Any:
            called: Any = of.of

            def forward(xs: list[Tensor]) -> list[Tensor]:
                args, kwargs = called.arguments_for(xs)
                return _flat(program(*args, **kwargs))

            def run(given: list[Tensor]) -> list[Tensor]:
                xs, dys = given[: of.count], given[of.count :]
                return pulled_back(forward, xs, dys, of.wanted, of.live)

            return _run(p, run, values)

        for function in functions:
            if callable(function):
                GRADIENTS[inspect.unwrap(function)] = add_gradient
        return program

    return declare


def _flat(out: Any) -> list[Tensor]:
    return [convert_to_tensor(y) for y in nest.flatten(out, expand_composites=True)]


def _run(p: Part, run: Run, values: Sequence[Value]) -> list[Value]:
    """Adds the operations of a function of tensors."""
    try:
        graph = traced(run, specs_of(values))
    except CannotTrace as error:
        raise p.unknown(str(error)) from None
    return p.run(graph, values)


def _of_equal_lengths(arguments: dict[str, Any], axes: dict[str, str]) -> dict[str, Value]:
    """Returns arguments whose shapes say which lengths are equal."""
    given = {name: x for name in axes if isinstance(x := arguments[name], Value) and x.shape}
    lengths: dict[str, Any] = {}
    for name, x in given.items():
        for letter, n in zip(reversed(axes[name]), reversed(x.shape or ()), strict=False):
            if type(lengths.get(letter)) is not int:
                lengths[letter] = n
    found = {}
    for name, x in given.items():
        own = [lengths[letter] for letter in axes[name]][-x.rank :]
        found[name] = x.of_shape((*(x.shape or ())[: x.rank - len(own)], *own))
    return found


def as_operation(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function that is one operation of the graph if it needs values."""
    made: Callable[..., Any] = deferral.get()(function)
    return made


def _values_in(leaf: Any) -> list[Value]:
    parts = leaf.values if isinstance(leaf, Parts) else [leaf]
    return [x for x in parts if isinstance(x, Value)]


def _filled(leaf: Any, following: Any) -> Any:
    """Returns an argument with tensors in place of the graph's values."""
    if not isinstance(leaf, Parts):
        return next(following) if isinstance(leaf, Value) else leaf
    parts = [next(following) if isinstance(x, Value) else x for x in leaf.values]
    return nest.pack_sequence_as(leaf.like, parts, expand_composites=True)
