"""Hooks that report operations, gradients, functions and more to a running profile.

The profiler is not a recorder: many parts take a slower path while a recorder other than a tape is
active, so that a profile would show code that normally never runs. Instead, the profiler replaces
the kernels of operations and wraps functions that are declared as wrappable. At the end, it
restores all of them.
"""

from __future__ import annotations

import builtins
import functools
import importlib.util
import sys
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gradtape._src.autodiff import jacobian as jacobian_module
from gradtape._src.autodiff import tape as tape_module
from gradtape._src.autodiff.tape import GradientTape
from gradtape._src.autodiff.tape_tools import inspector
from gradtape._src.base import name_scope
from gradtape._src.base.device_values import set_copy_callback
from gradtape._src.core.extension_point import Wrappings
from gradtape._src.core.kernels import ExchangedKernels
from gradtape._src.core.primitive import Plan, Primitive, Record
from gradtape._src.core.recorder import active_tapes
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.data.pipeline import OwnedIterator
from gradtape._src.declare.general import REGISTRY
from gradtape._src.graph.function import Function
from gradtape._src.graph.ir.graph import Graph, Node
from gradtape._src.graph.ir.state import assign_p, read_p
from gradtape._src.graph.nested.graph_call import GraphCall
from gradtape._src.graph.running.interpreter import interpreted
from gradtape._src.graph.traces import Traces
from gradtape._src.graph.tracing import replay as replay_module
from gradtape._src.graph.tracing.tracer import tracing
from gradtape._src.inspect.pictures import picture as _picture  # noqa: F401 (loaded before the profile starts)
from gradtape._src.inspect.source_lines import internal, user_frame
from gradtape._src.inspect.watchers import TappedPlan
from gradtape._src.profiling.collector import Collector, Key, Line, now
from gradtape._src.profiling.sections import SECTIONS
from gradtape._src.raw import modules as _modules  # noqa: F401 (fills REGISTRY)

Method = Callable[..., Any]
_COMPILED = "/jax/core/compile/backend_compile_duration"
_AS_THEY_ARE = frozenset({read_p.primitive, assign_p.primitive})
_MOST_OWNERS = 200_000


def line_now() -> Line | None:
    """Returns the line of the program that is running."""
    frame = user_frame()
    if frame is None:
        return None
    code = frame.f_code
    return code.co_filename, frame.f_lineno, code.co_name


def _place_of(node: Node) -> tuple[Line | None, str]:
    """Returns the line and the name scope in which a graph's operation was traced.

    The line is None if it is not in the program but, for example, in Keras' `fit`.
    """
    origin = node.line
    if not origin:
        return None, ""
    site = origin.site
    if site is None or internal(site[0].co_filename):
        return None, origin.scope
    return (site[0].co_filename, site[1], site[0].co_name), origin.scope


class Hooks:
    """The replaced kernels and wrapped functions while a collector is active.

    Args:
      collector: The collector, which is called at each event.

    Attributes:
      after_gradient: Functions that are called with a tape after it has computed a gradient.
    """

    def __init__(self, collector: Collector) -> None:
        self._collector = collector
        self._wrappings = Wrappings()
        self._kernels: ExchangedKernels | None = None
        self.after_gradient: list[Callable[[GradientTape], None]] = []
        self._imports: tuple[Method, Method] | None = None
        self._draws = False
        self._heard = False
        self._replayed: tuple[Line | None, str] | None = None  # the place of a graph's operation
        self._marks: weakref.WeakKeyDictionary[GradientTape, tuple[int, Key]]
        self._marks = weakref.WeakKeyDictionary()
        self._owners: dict[Any, Key] = {}  # by the ids of the records' outputs
        self._plans: dict[tuple[Plan, Key], Plan] = {}
        self._graphs: weakref.WeakKeyDictionary[GraphCall, Graph] = weakref.WeakKeyDictionary()

    def install(self) -> None:
        """Replaces the kernels, and wraps the functions."""
        wrap, section = self._wrappings.wrap, self._section
        self._kernels = ExchangedKernels(list(REGISTRY.values()), self._kernel)
        wrap(GradientTape, "gradient", self._differentiating)
        for module in (tape_module, jacobian_module):
            wrap(module, "pull_back", self._pulling)
        wrap(Function, "__call__", self._calling)
        wrap(Traces, "_traced", section(lambda traces: traces.name, "trace"))
        wrap(GraphCall, "_outputs", self._running)
        wrap(replay_module, "run_node", self._replaying)
        wrap(OwnedIterator, "__next__", section("next element", "data"))
        for name in ("assign", "assign_add", "assign_sub"):
            wrap(Variable, name, section(f"Variable.{name}", "assign"))
        wrap(Tensor, "numpy", self._copying)
        for owner, name, label, kind in SECTIONS:
            wrap(owner, name, section(label, kind))
        set_copy_callback(functools.partial(self._collector.copied, "NumPy to tensor"))
        self._imports = builtins.__import__, self._importing(builtins.__import__)
        builtins.__import__ = self._imports[1]
        if "jax" in sys.modules:
            self._listen()

    def remove(self) -> None:
        """Restores the kernels and functions."""
        if self._kernels is not None:
            self._kernels.put_back()
        self._wrappings.undo()
        set_copy_callback(None)
        if self._imports is not None and builtins.__import__ is self._imports[1]:
            builtins.__import__ = self._imports[0]
        if self._heard:
            self._no_longer_listen()

    def _listen(self) -> None:
        """Receives the durations of XLA's compilations from JAX, once a function has loaded it."""
        from jax import monitoring

        monitoring.register_event_duration_secs_listener(self._compiled)
        self._heard = True

    def _no_longer_listen(self) -> None:
        from jax import monitoring

        if hasattr(monitoring, "unregister_event_duration_listener"):
            monitoring.unregister_event_duration_listener(self._compiled)

    def _compiled(self, event: str, duration: float, **facts: Any) -> None:
        if event == _COMPILED and self._collector.ended is None:
            self._collector.completed(self._function_around(), "compile", int(duration * 1e9))

    def _function_around(self) -> str:
        found = [s for s in self._collector.running() if s.kind == "function"]
        return found[-1].name if found else "XLA"

    def _place(self) -> tuple[Line | None, str]:
        """Returns the line of the program that is running, and the current name scope."""
        if self._replayed is None:
            return line_now(), name_scope.current()
        line, scope = self._replayed
        return line or line_now(), scope

    def _kernel(self, primitive: Primitive, own: Method) -> Method:
        name = primitive.name
        enter, leave, mark = self._collector.enter, self._collector.leave, self._mark

        def kernel(*values: Any, **params: Any) -> object:
            section = enter(name, "operation", self._place, now())
            out = None
            try:
                tapes = active_tapes()
                if tapes:
                    mark(tapes, Key(name, "operation", True, section.line, section.layer))
                out = own(*values, **params)
            finally:
                leave(section, out)
            return out

        return kernel

    def _mark(self, tapes: Sequence[GradientTape], key: Key) -> None:
        """Stores the index of each tape's next record, and the key of the section that makes it."""
        for tape in tapes:
            self._settle(tape)
            self._marks[tape] = len(tape.records), key

    def _settle(self, tape: GradientTape) -> None:
        at, key = self._marks.get(tape, (sys.maxsize, None))
        if key is not None and at < len(tape.records):
            for record in tape.records[at:]:
                self._owners.setdefault(record[1], key)
            if len(self._owners) > _MOST_OWNERS:
                self._owners.clear()

    def _differentiating(self, original: Method) -> Method:
        @functools.wraps(original)
        def gradient(tape: GradientTape, *args: Any, **kwargs: Any) -> object:
            entered = now()
            self._settle(tape)
            if not self._collector.picture and tape.records:
                self._draw(tape)
            section = self._collector.enter("tape.gradient", "walk", self._place, entered)
            try:
                return original(tape, *args, **kwargs)
            finally:
                self._collector.leave(section)
                for callback in self.after_gradient:
                    callback(tape)

        return gradient

    def _draw(self, tape: GradientTape) -> None:
        self._draws = True  # Meanwhile, imports belong to the profiler.
        try:
            self._collector.picture = inspector.get().graph(tape, None, 30, None).to_svg()
        finally:
            self._draws = False

    def _pulling(self, original: Method) -> Method:
        def pull_back(records: list[Record], *args: Any, **kwargs: Any) -> object:
            section = self._collector.enter("records", "walk", self._place, now())
            try:
                records[:] = [(self._timed(r), *r[1:]) for r in records]
                return original(records, *args, **kwargs)
            finally:
                self._collector.leave(section)

        return pull_back

    def _timed(self, record: Record) -> Plan:
        plan = record[0]
        known = self._owners.get(record[1])
        line, layer = self._place() if known is None else (known.line, known.layer)
        name = plan.primitive.name if known is None else known.name
        key = Key(name, "operation", True, line, layer)
        found = self._plans.get((plan, key))
        if found is None:
            found = TappedPlan(plan, functools.partial(self._gradient, key))
            if any(plan is lasting for lasting in plan.primitive._plans.values()):
                self._plans[plan, key] = found  # other plans may contain values of one call
        return found

    def _gradient(self, key: Key, vjp: Method, *args: Any) -> Any:
        section = self._collector.enter(key.name, "gradient", self._place, now(), key)
        out = None
        try:
            out = vjp(*args)
            if isinstance(out, Iterator):  # an iterator computes each element on request
                out = tuple(out)
        finally:
            self._collector.leave(section, out)
        return out

    # Calls of functions and graphs.

    def _calling(self, original: Method) -> Method:
        @functools.wraps(original)
        def call(whole: Function, *args: Any, **kwargs: Any) -> object:
            section = self._collector.enter(whole.name, "function", self._place, now())
            if whole._jit_compile and not self._heard and importlib.util.find_spec("jax"):
                self._listen()
            tapes = active_tapes()
            try:
                if tapes:
                    key = Key(whole.name, "function", True, section.line, section.layer)
                    self._mark(tapes, key)
                return original(whole, *args, **kwargs)
            finally:
                self._collector.leave(section)

        return call

    def _running(self, original: Method) -> Method:
        def _outputs(call: GraphCall, values: Sequence[Any]) -> tuple[Any, ...]:
            graph = self._graphs.get(call)
            if graph is None:
                graph = self._graphs[call] = self._timed_graph(call.graph)
            return interpreted(graph, values)

        return _outputs

    def _replaying(self, original: Method) -> Method:
        def run_node(node: Node, *args: Any) -> object:
            before, self._replayed = self._replayed, _place_of(node) if tracing() is None else None
            try:
                return original(node, *args)
            finally:
                self._replayed = before

        return run_node

    def _timed_graph(self, graph: Graph) -> Graph:
        nodes = [self._timed_node(node) for node in graph.nodes]
        return Graph(graph.inputs, nodes, graph.outputs, graph.checks)

    def _timed_node(self, node: Node) -> Node:
        if node.primitive in _AS_THEY_ARE:
            return node
        own, name = node.primitive.kernel, node.primitive.name
        line, layer = _place_of(node)
        enter, leave = self._collector.enter, self._collector.leave

        def kernel(*values: Any, **params: Any) -> object:
            section = enter(name, "node", lambda: (line or line_now(), layer), now())
            out = None
            try:
                out = own(*values, **params)
            finally:
                leave(section, out)
            return out

        timed = Primitive(name, kernel)
        return Node(
            timed, node.inputs, node.params, node.outputs, node.several, node.stateful, node.line
        )

    def _section(self, label: str | Callable[[Any], str], kind: str) -> Callable[[Method], Method]:
        def wrapper(original: Method) -> Method:
            @functools.wraps(original)
            def method(self_: Any, *args: Any, **kwargs: Any) -> object:
                name = label if isinstance(label, str) else label(self_)
                section = self._collector.enter(name, kind, self._place, now())
                try:
                    return original(self_, *args, **kwargs)
                finally:
                    self._collector.leave(section)

            return method

        return wrapper

    def _importing(self, original: Method) -> Method:
        """Wraps the import function: the first import of a module is a section."""

        def imported(name: str, *args: Any, **kwargs: Any) -> object:
            above = self._collector.top()
            inside = self._draws or (above is not None and above.kind == "import")
            if inside or name in sys.modules:
                return original(name, *args, **kwargs)
            label = f"import {name.partition('.')[0]}"
            section = self._collector.enter(label, "import", self._place, now())
            try:
                return original(name, *args, **kwargs)
            finally:
                self._collector.leave(section)

        return imported

    def _copying(self, original: Method) -> Method:
        @functools.wraps(original)
        def numpy(tensor: Tensor) -> object:
            section = self._collector.enter("Tensor.numpy", "copy", self._place, now())
            try:
                value = original(tensor)
            finally:
                self._collector.leave(section)
            self._collector.copied("Tensor.numpy", int(getattr(value, "nbytes", 0)))
            return value

        return numpy
