"""The canonical form of calls, by which calls of a traced function are compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from inspect import Parameter, signature
from typing import Any, NamedTuple

from gradtape._src.graph.composite_arguments import REPLICAS, Specialization
from gradtape._src.graph.input_signatures import Examples
from gradtape._src.graph.open_keys import with_shapes
from gradtape._src.graph.signatures import PLAIN, describe

_NOTHING = Parameter.empty
_BY_POSITION = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)


class FunctionCall(NamedTuple):
    """A call of a traced function, in its canonical form.

    Attributes:
      function: The Python function.
      args: The arguments.
      kwargs: The named arguments.
      leaves: The tensors among them.
      key: The key of such calls.
      level: The assumptions about the arguments in addition to shapes and dtypes.
      shapes: The shapes to trace for, with None for unknown lengths; None for those of the leaves.
      about: The specs of the leaves, if they are examples.
    """

    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    leaves: Any
    key: Any
    level: Specialization = REPLICAS
    shapes: Sequence[Any] | None = None
    about: Examples | None = None

    def with_shapes(self, shapes: Sequence[Any]) -> FunctionCall:
        """Returns a call with other shapes for its tensors, which may contain None."""
        return self._replace(key=with_shapes(self.key, iter(shapes)), shapes=shapes)


class CallOrder:
    """Brings the arguments of equivalent calls into the same order.

    Args:
      parameters: The function's parameters, from `inspect`.
    """

    def __init__(self, parameters: Iterable[Parameter]) -> None:
        known = list(parameters)
        self.names = [p.name for p in known]
        self._positional = [p for p in known if p.kind in _BY_POSITION]
        self._orders: dict[Any, Any] = {}
        self._by_name = {p.name: p.default for p in known if p.kind is p.KEYWORD_ONLY}
        defaults = [p.default for p in self._positional if p.default is not _NOTHING]
        self._has_defaults = bool(defaults)
        self._mutable = any(type(x) not in PLAIN for x in defaults)  # cached for every call

    def ordered(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Returns the canonical form: by position if possible, without trailing defaults."""
        if kwargs:
            form = (len(args), *kwargs)
            found = self._orders.get(form)
            if found is None:
                found = self._orders[form] = self._order(len(args), {*kwargs})
            moved, left = found
            args = (*args, *[default if name is None else kwargs[name] for name, default in moved])
            kwargs = {
                n: kwargs[n] for n in left if not _same(kwargs[n], self._by_name.get(n, _NOTHING))
            }
        rest = self._positional[len(args) :]
        if self._mutable and all(p.default is not _NOTHING for p in rest):
            return (*args, *[p.default for p in rest]), kwargs
        while self._has_defaults and 0 < len(args) <= len(self._positional):
            if not _same(args[-1], self._positional[len(args) - 1].default):
                break
            args = args[:-1]
        return args, kwargs

    def _order(self, count: int, names: set[str]) -> tuple[list[Any], list[str]]:
        """Returns the names or defaults after the first `count` arguments, and all other names."""
        moved: list[Any] = []
        for p in self._positional[count:]:
            given = p.name in names and p.kind is p.POSITIONAL_OR_KEYWORD
            if not names or not (given or p.default is not p.empty):
                break
            moved.append((p.name if given else None, p.default))
            names -= {p.name} if given else set()
        return moved, sorted(names)


def _same(value: Any, default: Any) -> bool:
    """Whether an argument is the same as the default."""
    return type(value) in PLAIN and bool(describe(value, []) == describe(default, []))


def parameters_of(function: Callable[..., Any]) -> list[Parameter]:
    """Returns a function's own parameters, or those of the wrapped function if they are unknown."""
    try:
        found = signature(function, follow_wrapped=False)
    except ValueError:
        found = signature(function)
    return list(found.parameters.values())
