"""The layers and functions in which operations ran."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from gradtape._src.base import name_scope

if TYPE_CHECKING:
    from gradtape._src.inspect.records import Operation, Value

Calls = tuple[tuple[str, int], ...]
"""The surrounding scopes, the outermost first. A number distinguishes entries of the same scope."""


class ScopeHistory:
    """Records the scopes in which the operations of this thread ran.

    Args:
      changes: The changes of scopes, as `name_scope.history` gives them.
    """

    def __init__(self, changes: Sequence[tuple[int, str]]) -> None:
        self._times = [time for time, _ in changes]
        self._calls: list[Calls] = []
        open_calls: Calls = ()
        for time, scope in changes:
            names = [name for name in scope.split("/") if name]
            kept = 0
            while kept < min(len(names), len(open_calls)) and open_calls[kept][0] == names[kept]:
                kept += 1
            open_calls = (*open_calls[:kept], *((name, time) for name in names[kept:]))
            self._calls.append(open_calls)

    def at(self, i: int) -> Calls:
        """Returns the scopes in which the value with an id was computed; empty if unknown."""
        place = bisect_right(self._times, i) - 1
        return self._calls[place] if place >= 0 else ()


def assign_scopes(operations: Sequence[Operation], values: Mapping[int, Value]) -> None:
    """Sets the scopes of operations.

    The scopes are those of `tf.name_scope`, Keras layers and functions. If there are no such
    scopes, the names of variables decide: an operation belongs to the layer whose variable it uses,
    and so do operations between two such operations.

    Args:
      operations: The operations of a tape, in order.
      values: The tape's variables and watched tensors.
    """
    history = ScopeHistory(name_scope.history())
    for op in operations:
        noted = history.at(next((o for o in op.outputs if o), 0))
        op.calls = noted or op.calls
    if not any(op.calls for op in operations):
        _by_variables(operations, values)
    for op in operations:
        op.scope = "/".join(name for name, _ in op.calls)


def _by_variables(operations: Sequence[Operation], values: Mapping[int, Value]) -> None:
    last: dict[Calls, int] = {}
    for k, op in enumerate(operations):
        names = [values[i].name.split("/")[:-1] for i in op.inputs if i in values]
        op.calls = tuple((name, 0) for name in next(filter(None, names), ()))
        if op.calls:
            since = last.get(op.calls, k)
            between = operations[since + 1 : k]
            if not any(other.calls for other in between):
                for other in between:
                    other.calls = op.calls
            last[op.calls] = k
