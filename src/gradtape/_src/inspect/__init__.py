"""Looks at tapes; loaded when a tape is first asked to explain itself or to be drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradtape._src.autodiff.tape_tools import inspector

if TYPE_CHECKING:
    from gradtape._src.inspect.explanation import Explanation
    from gradtape._src.inspect.picture import Graph
    from gradtape._src.inspect.summary import Summary


class _OnFirstUse:
    """Loads the module of each tool when it is first asked for."""

    def explain(
        self, tape: Any, target: Any, source: Any
    ) -> Explanation | list[Any] | tuple[Any, ...] | dict[Any, Any]:
        from gradtape._src.inspect.explain import explain

        return explain(tape, target, source)

    def graph(self, tape: Any, target: Any, max_nodes: int) -> Graph:
        from gradtape._src.inspect.picture import graph

        return graph(tape, target, max_nodes)

    def summary(self, tape: Any) -> Summary:
        from gradtape._src.inspect.summary import summary

        return summary(tape)


inspector.provide(_OnFirstUse())
