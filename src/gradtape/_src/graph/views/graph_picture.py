"""Pictures of functions' graphs, drawn like pictures of tapes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count
from typing import TYPE_CHECKING, Any

from gradtape._src.base.dtypes import as_dtype
from gradtape._src.declare.operation_names import IDENTITY, NO_OP
from gradtape._src.declare.unknown_sizes import Size, UnknownRank
from gradtape._src.graph.named.func_graph import picture_of
from gradtape._src.inspect.pictures.picture import Graph
from gradtape._src.inspect.records import Operation as Record
from gradtape._src.inspect.records import Recording, Value
from gradtape._src.inspect.source_lines import Place

if TYPE_CHECKING:
    from gradtape._src.graph.ir.graph import Symbol
    from gradtape._src.graph.named.func_graph import FuncGraph
    from gradtape._src.graph.named.operations import Operation

_NUMBER = re.compile(r"_\d+$")


class GraphPicture(Graph):
    """A picture of a function's graph, with boxes for name scopes, called functions and parts.

    Args:
      graph: The graph to draw.
    """

    def __init__(self, graph: FuncGraph) -> None:
        self._name = graph.name
        reading = _Reading(graph)
        super().__init__(reading.recording, reading.results)

    def _size(self) -> str:
        return f"{self._name}: {super()._size()}"


picture_of.provide(GraphPicture)


class _Reading:
    """The operations of a graph, and of the parts of its conditionals and loops, as records.

    Args:
      graph: The graph.

    Attributes:
      recording: The records.
      results: The ids of the graph's results.
    """

    def __init__(self, graph: FuncGraph) -> None:
        self._ids: dict[Symbol, int] = {}
        self._new = count(1)
        self.recording = Recording({}, [])
        self._read(graph, ())
        self.recording.shown = self.recording.operations
        self.results = dict.fromkeys(self._sources(graph), "")

    def _id(self, symbol: Symbol) -> int:
        if symbol not in self._ids:
            self._ids[symbol] = next(self._new)
        return self._ids[symbol]

    def _read(self, graph: FuncGraph, around: tuple[tuple[str, int], ...]) -> None:
        for op in graph:
            if op.type == "Placeholder":
                self._placeholder(op)
            elif op.type not in ("Const", NO_OP) and not _is_result(op):
                *scopes, name = op.name.split("/")
                calls = (*around, *[(scope, 0) for scope in scopes])
                self._operation(op, _NUMBER.sub("", name), calls)

    def _placeholder(self, op: Operation) -> None:
        """Adds an input or a variable, unless it stands for a value outside of the part."""
        (symbol,) = op.symbols
        if symbol not in self._ids:
            i, variable = self._id(symbol), op.value
            value = Value(i, "input", op.name, *_described(symbol))
            if variable is not None:
                shape = ("?",) if variable.shape.rank is None else variable.shape.as_list()
                known: Any = tuple(["?" if n is None else n for n in shape])
                name = variable.name.removesuffix(":0")
                value = Value(i, "variable", name, known, variable.dtype.name)
            self.recording.values[i] = value

    def _operation(self, op: Operation, name: str, calls: tuple[tuple[str, int], ...]) -> None:
        inputs = [self._id(x) for source, i in op.sources for x in [source.symbols[i]]]
        if op.parts:
            calls = (*calls, (" ".join([op.name.rpartition("/")[2], *_turns(op)]), 0))
        for part in op.parts:
            given = [inputs[i] for i in part.graph.given]
            own = [x._value for x in part.graph.inputs]
            self._ids.update(zip(own, given, strict=False))
            self._read(part.graph, (*calls, (part.label, 0)))
            inputs += self._sources(part.graph)
        made = Record(len(self.recording.operations), name, tuple(inputs), ())
        made.outputs, made.calls = tuple(map(self._id, op.symbols)), calls
        if op.symbols:
            made.shape, made.dtype = _described(op.symbols[0])
        site = op.origin.site
        made.place = site and Place(site[0].co_filename, site[1], site[0].co_name)
        self.recording.operations.append(made)

    def _sources(self, graph: FuncGraph) -> Iterator[int]:
        """Yields the ids of the values that a graph returns."""
        for op in graph.results:
            for source, i in op.sources:
                yield self._id(source.symbols[i])


def _is_result(op: Operation) -> bool:
    return op.type == IDENTITY and op.node is None


def _described(symbol: Symbol) -> tuple[Any, str]:
    """Returns a shape, with a question mark for an unknown length, and a dtype."""
    shape: Any = symbol.shape
    known = ("?",) if type(shape) is UnknownRank else ["?" if type(n) is Size else n for n in shape]
    return tuple(known), as_dtype(symbol.np_dtype).name


def _turns(op: Operation) -> list[str]:
    """Returns the number of iterations of a loop if it is known."""
    of = None if op.node is None else op.node.params.get("of")
    if op.type == "Scan" and op.node is not None:
        rows = op.node.inputs[-1].shape[0]
        return ["for each row" if type(rows) is Size else f"of {rows} iterations"]
    most = getattr(of, "most", None)
    return [] if most is None else [f"of at most {most} iterations"]
