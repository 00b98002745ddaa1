"""Explanations and pictures of tapes, loaded when they are first requested."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradtape._src.autodiff.tape_tools import inspector
from gradtape._src.core.interchange import value_html

if TYPE_CHECKING:
    import numpy as np

    from gradtape._src.inspect.explanation import Explanation
    from gradtape._src.inspect.memory.summary import Summary
    from gradtape._src.inspect.pictures.picture import Graph


class _OnFirstUse:
    """Loads the module of each tool on first use."""

    def explain(
        self, tape: Any, target: Any, source: Any
    ) -> Explanation | list[Any] | tuple[Any, ...] | dict[Any, Any]:
        from gradtape._src.inspect.explain import explain

        return explain(tape, target, source)

    def graph(self, tape: Any, target: Any, max_nodes: int, depth: int | None) -> Graph:
        from gradtape._src.inspect.pictures.picture import graph

        return graph(tape, target, max_nodes, depth)

    def summary(self, tape: Any) -> Summary:
        from gradtape._src.inspect.memory.summary import summary

        return summary(tape)


inspector.provide(_OnFirstUse())


@value_html.provide
def _value_html(x: Any, value: np.ndarray[Any, Any]) -> str:
    from gradtape._src.inspect.values_html import values_html

    return values_html(x, value)
