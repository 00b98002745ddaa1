"""Compiles a graph to one straight-line Python function of NumPy kernels."""

from __future__ import annotations

import itertools
import linecache
import operator
import weakref
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from gradtape._src.compute.parallel import run_together
from gradtape._src.core.primitive import Primitive
from gradtape._src.core.variable import Variable
from gradtape._src.declare.structural import reduce_sum_p
from gradtape._src.declare.unknown_sizes import (
    Check,
    Pending,
    Size,
    UnforeseenLength,
    UnknownRank,
    atoms,
    has_sizes,
    is_unknown,
    sizes_in,
)
from gradtape._src.graph.ir.graph import Graph, Node, Symbol
from gradtape._src.graph.ir.state import is_assignment, is_read
from gradtape._src.graph.running.interpreter import explained, last_uses
from gradtape._src.graph.running.optimize import alike
from gradtape._src.ops.linalg.matmul import matmul_adjoint_x_p, matmul_adjoint_y_p, matmul_p

_LITERALS = (int, bool, str, type(None))
_LARGE = 1 << 14
"""The size in bytes from which a value's memory is freed or reused after its last use."""
_PRODUCTS = matmul_p, matmul_adjoint_x_p, matmul_adjoint_y_p
_FRESH = {p.primitive for p in (*_PRODUCTS, reduce_sum_p)}
"""Operations, other than NumPy's ufuncs, whose result never shares memory with an operand."""
_UFUNCS: dict[Any, Any] = {
    operator.add: np.add,
    operator.sub: np.subtract,
    operator.mul: np.multiply,
    operator.truediv: np.true_divide,
    operator.neg: np.negative,
}
_INFIX = {operator.add: "+", operator.sub: "-", operator.mul: "*", operator.truediv: "/"}
_programs = itertools.count()


class Program:
    """A graph as a Python function.

    Args:
      graph: The graph to compute.
      name: The function's name, for tracebacks.

    Attributes:
      run: `(*values) -> tuple of values`, all raw.
      source: Its code.
    """

    def __init__(self, graph: Graph, name: str) -> None:
        self.graph = graph
        writer = _Writer(graph)
        self.source = writer.written()
        place = f"<graph of {name} {next(_programs)}>"
        lines = self.source.splitlines(keepends=True)
        linecache.cache[place] = len(self.source), None, lines, place
        scope = writer.scope
        exec(compile(self.source, place, "exec"), scope)  # noqa: S102 (written here)
        self.place, self.nodes = place, writer.lines
        self.run: Callable[..., tuple[Any, ...]] = scope.pop("run")  # avoids a reference cycle
        weakref.finalize(self, linecache.cache.pop, place, None).atexit = False

    def __call__(self, values: Sequence[Any]) -> tuple[Any, ...]:
        """Computes raw outputs from raw inputs.

        Raises:
          OpError: An operation failed; the error names it, and the line that called it.
        """
        try:
            return self.run(*values)
        except Exception as error:  # noqa: BLE001 (raised again)
            raise self._explained(error) from None

    def _explained(self, error: Exception) -> Exception:
        """Returns a kernel's exception as TensorFlow's, with the operation."""
        trace = error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == self.place:
                node = self.nodes.get(trace.tb_lineno)
                if node is None or node.primitive is blocks_p:  # whose programs named the operation
                    return error
                return explained(error, node)
            trace = trace.tb_next
        return error


class Blocks:
    """Parts of a graph that do not depend on one another, and run at the same time.

    Args:
      parts: Their graphs.
    """

    def __init__(self, parts: Sequence[Graph]) -> None:
        self.programs = [Program(graph, "a block") for graph in parts]

    def __call__(self, *values: Any) -> list[Any]:
        """Computes the outputs of all parts from the inputs of all parts."""
        given = iter(values)
        calls = [partial(p, [*islice(given, len(p.graph.inputs))]) for p in self.programs]
        return [y for outputs in run_together(calls) for y in outputs]


blocks_p = Primitive("ParallelBlocks", lambda *values, blocks: blocks(*values), tracked=0)


class _Writer:
    """Generates the code line by line; reuses names whose values are not needed any more."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.scope: dict[str, Any] = {}
        self.lines: dict[int, Node] = {}
        self._names: dict[Symbol, str] = {}
        self._kept: dict[int, tuple[str, Any]] = {}
        self._free: list[str] = []
        self._count = 0
        self._text: list[str] = []
        self._endings = last_uses(graph)
        self._used = {x for n in graph.nodes for x in n.inputs if type(x) is Symbol}
        self._used.update(y for y in graph.outputs if type(y) is Symbol)
        self._wanted = sizes_needed(graph.nodes, graph.checks)
        self._known: set[str] = set()
        self._pending = Pending(graph.checks)
        self._exclusive = _exclusive(graph)

    def written(self) -> str:
        """Returns the source of the function."""
        inputs = [self._name(x) for x in self.graph.inputs]
        self._text.append(f"def run({', '.join(inputs)}):")
        for x in self.graph.inputs:
            self._lengths_of(x)
        self._free += [n for x, n in self._names.items() if x not in self._used]
        for i, node in enumerate(self.graph.nodes):
            self._node(i, node)
        outputs = [self._value(y) for y in self.graph.outputs]
        self._text.append(f"    return ({''.join([y + ', ' for y in outputs])})")
        return "\n".join(self._text) + "\n"

    def _node(self, i: int, node: Node) -> None:
        ending = self._endings[i]
        call = self._call(node, ending)
        given_up = [self._names[x] for x in ending]
        unused = [y for y in node.outputs if y not in self._used]
        large = [n for x, n in zip(ending, given_up, strict=True) if _is_large(x)]
        self._free += given_up
        targets = [self._name(y) for y in node.outputs]
        if not targets:
            self._line(node, call)
        elif node.several:
            self._line(node, f"{', '.join(targets)}{',' if len(targets) == 1 else ''} = {call}")
        else:
            self._line(node, f"{targets[0]} = {call}")
        for y in node.outputs:
            self._lengths_of(y)
        dropped = [n for n in large if n not in targets]
        if dropped:
            self._text.append(f"    {' = '.join(dropped)} = None")
        self._free += [self._names[y] for y in unused]

    def _line(self, node: Node, code: str) -> None:
        self._text.append(f"    {code}")
        self.lines[len(self._text)] = node

    def _call(self, node: Node, ending: Sequence[Symbol]) -> str:
        variable: Variable | None = node.params.get("variable")
        if is_read(node):
            return f"{self._constant(variable)}._value"
        if is_assignment(node):
            value = self._value(node.inputs[0])
            return f"{self._constant(variable)}._replace({value})"
        kernel = node.primitive.kernel
        args = [self._value(x) for x in node.inputs]
        ufunc = _ufunc(node)
        if ufunc is not None:
            large = _is_large(node.outputs[0])
            place = self._reusable(node, ending) if large else None
            if place is not None:
                return f"{self._constant(ufunc)}({', '.join([*args, self._names[place]])})"
            if kernel in _INFIX:
                return f"{args[0]} {_INFIX[kernel]} {args[1]}"
            kernel = kernel if large else ufunc
        args += [f"{name}={self._constant(x)}" for name, x in node.params.items()]
        return f"{self._constant(kernel)}({', '.join(args)})"

    def _reusable(self, node: Node, ending: Sequence[Symbol]) -> Symbol | None:
        """Returns an operand in whose memory the result can be computed."""
        out = node.outputs[0]
        for x in ending:
            if x in self._exclusive and alike(x, out):
                return x
        return None

    def _lengths_of(self, x: Symbol) -> None:
        """Writes the code that reads the required unknown lengths from a value that has them."""
        if type(x.shape) is UnknownRank:
            if x.shape.code in self._wanted and x.shape.code not in self._known:
                self._known.add(x.shape.code)
                self._text.append(f"    {x.shape.code} = {self._names[x]}.shape")
            return
        for axis, n in enumerate(x.shape):
            if type(n) is Size and n.code in self._wanted and n.code not in self._known:
                self._known.add(n.code)
                self._text.append(f"    {n.code} = {self._names[x]}.shape[{axis}]")
                for condition, held in self._pending.ready(self._known):
                    test = f"not ({condition})" if held else condition
                    error = self._constant(UnforeseenLength)
                    self._text.append(f"    if {test}: raise {error}")

    def _value(self, x: Any) -> str:
        return self._names[x] if type(x) is Symbol else self._constant(x)

    def _name(self, x: Symbol) -> str:
        if self._free:
            name = self._free.pop()
        else:
            name = f"v{self._count}"
            self._count += 1
        self._names[x] = name
        return name

    def _constant(self, x: Any) -> str:
        """Returns the code of a constant: itself, or a global name."""
        if type(x) is Size or type(x) is UnknownRank:
            return x.code
        if isinstance(x, (tuple, list)) and has_sizes(x):
            parts = ", ".join([self._constant(y) for y in x])
            if hasattr(x, "_fields"):
                return f"{self._constant(type(x))}({parts})"
            return f"[{parts}]" if isinstance(x, list) else f"({parts},)"
        if type(x) in _LITERALS or (type(x) is tuple and all(type(n) is int for n in x)):
            return repr(x)
        known = self._kept.get(id(x))
        if known is None:
            name = f"c{len(self._kept)}"
            known = self._kept[id(x)] = (name, x)
            self.scope[name] = x
        return known[0]


def sizes_needed(nodes: Sequence[Node], checks: Sequence[Check] = ()) -> set[str]:
    """Returns the names of the unknown lengths in parameters of nodes and in checks."""
    return {name for condition, _ in checks for name in atoms(condition)} | {
        name
        for node in nodes
        for size in sizes_in([*node.params.values()])
        for name in atoms(size.code)
    }


def sizes_lacking(
    inputs: Sequence[Symbol], nodes: Sequence[Node], checks: Sequence[Check] = ()
) -> list[str]:
    """Returns the names of needed lengths that no input and no earlier node brings."""
    brought = {name for x in inputs for name in _lengths_of(x)}
    lacking: dict[str, None] = {}
    for node in nodes:
        lacking.update(dict.fromkeys(sorted(sizes_needed([node]) - brought)))
        brought.update(name for y in node.outputs for name in _lengths_of(y))
    lacking.update(dict.fromkeys(sorted(sizes_needed((), checks) - brought)))
    return list(lacking)


def _lengths_of(x: Symbol) -> list[str]:
    """Returns the names of a value's unknown lengths, or of its unknown shape."""
    if type(x.shape) is UnknownRank:
        return [x.shape.code]
    return [n.code for n in x.shape if type(n) is Size]


def has_length(x: Symbol, name: str) -> bool:
    """Whether a value has an axis of this unknown length, or this unknown shape."""
    return name in _lengths_of(x)


def _is_large(x: Symbol) -> bool:
    return is_unknown(x.shape) or x.nbytes >= _LARGE


def _exclusive(graph: Graph) -> set[Symbol]:
    """Returns the values whose memory is not shared."""
    found: set[Symbol] = set()
    for node in graph.nodes:
        fresh = _is_fresh(node)
        if fresh:
            found.update(node.outputs)
        else:
            found.difference_update([x for x in node.inputs if type(x) is Symbol])
    return found


def _is_fresh(node: Node) -> bool:
    return _ufunc(node) is not None or node.primitive in _FRESH


def _ufunc(node: Node) -> Any:
    """Returns the NumPy function that computes a node's output, or None."""
    kernel = node.primitive.kernel
    found = _UFUNCS.get(kernel, getattr(kernel, "ufunc", kernel))
    return found if type(found) is np.ufunc and not node.several else None
