"""`function(jit_compile=True)`: a cache of compiled programs, with TensorFlow's cache keys."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable
from inspect import Parameter
from typing import Any

from gradtape._src.autograph.calls import converted
from gradtape._src.autograph.features import Options
from gradtape._src.base import nest
from gradtape._src.base.device_values import state_lock
from gradtape._src.base.errors import OperatorNotAllowedInGraphError, UnimplementedError
from gradtape._src.core.recorder import STACK, active_tapes, replaced
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.graph_operations import New, whole_calls
from gradtape._src.declare.unknown_sizes import has_sizes
from gradtape._src.graph.auto_jit import AGAIN, MANY, attempting
from gradtape._src.graph.call_order import CallOrder, without_instance
from gradtape._src.graph.composite_arguments import (
    SHAPES,
    STRUCTURE,
    VALUES,
    Specialization,
    levels_of,
)
from gradtape._src.graph.ir.trace_errors import UnknownValueError, not_compiled
from gradtape._src.graph.replica_hooks import (
    CACHE_MISS,
    NeedsSharding,
    ShapesDiffer,
    eager_in_replica,
)
from gradtape._src.graph.signatures import (
    describe,
    describe_part,
    difference,
    filled,
    template_of,
    tensor_key,
)
from gradtape._src.graph.symbolic_gradients import FirstCall, Graph, NeedsGraph
from gradtape._src.graph.traces import Trace as GraphTrace
from gradtape._src.graph.traces import Traces
from gradtape._src.xla import lowering
from gradtape._src.xla.compiled_calls import Compiled, spec_of, state_spec
from gradtape._src.xla.fast_call import fast_call
from gradtape._src.xla.lowering import lowered
from gradtape._src.xla.trace import structured

structured.provide(lowering.structured)
_log = logging.getLogger("tensorflow")
_TOO_OFTEN = 5
_ADVICE = re.compile(r"[; ]*\(?[Oo]r leave jit_compile=True out\.\)?")  # The caller asked for it.


class Trace:
    """A compiled program of a function, the reason for its compilation, and its graph."""

    def __init__(
        self, key: Any, compiled: Compiled, why: list[str], graph: GraphTrace | None
    ) -> None:
        self.graph = graph
        self.key = key
        self.compiled = compiled
        self.run = compiled.run
        self.why = why
        self.counted = [0]
        self.fast_call: Any = None
        open_ = [v for v in compiled.program.state if not v.shape.is_fully_defined()]
        self.open = [(v, state_spec(v).shape) for v in open_]
        simple = all(type(k) is tuple and type(k[0]) is tuple for k in key) and not open_
        if simple and compiled.sharding is None:
            self.fast_call = fast_call(compiled.program, key, self.counted)

    def __call__(self, leaves: list[Tensor]) -> Any:
        """Runs the program on the tensors among the arguments."""
        self.counted[0] += 1
        return self.run(leaves) if active_tapes() == () else self.compiled(leaves)

    def is_outdated(self) -> bool:
        """Whether an unknown shape of a variable has changed, or a tape now watches a constant."""
        if any(state_spec(v).shape != shape for v, shape in self.open):
            return True
        return self.graph is not None and bool(self.graph.followed_constants())

    @property
    def calls(self) -> int:
        """The number of calls."""
        return self.counted[0]


class _Lowered:
    """A function of tensors that adds the operations of a graph to a program.

    Args:
      graph: The graph.
      function: A function that returns the Python function, which gradients keep alive.
    """

    def __init__(self, graph: GraphTrace, function: Callable[[], Any]) -> None:
        self.graph, self.function = graph, function

    def __call__(self, tensors: list[Tensor]) -> Any:
        return self.graph.packed(lowered(self.graph.graph, [*tensors, *self.graph.captured]))


class Jit(CallOrder):
    """The compiled programs of one Python function.

    Args:
      name: The function's name, for messages.
      parameters: The function's parameters, from `inspect`.
      convert: The conversion of the result.
      quiet: Whether warnings about retracing are suppressed (`reduce_retracing=True`).
      conversion: The options of AutoGraph's conversion, or None for no conversion.
    """

    def __init__(
        self,
        name: str,
        parameters: Iterable[Parameter],
        convert: Callable[[Any], Any],
        quiet: bool,
        conversion: Options | None = None,
    ) -> None:
        super().__init__(parameters)
        self.name, self.convert = name, convert
        self.traces: dict[Any, Trace] = {}
        self.fast_call: Any = None  # a short way to call the function as it was called last
        self.owner: Any = None  # the instance of a method, if this is to keep it alive
        self.seen: dict[Any, int] = {}  # calls without `jit_compile`, by the way of calling
        self.refused = ""  # why a function without `jit_compile` was not compiled, last
        self.graph = False  # whether the function calls tf.gradients
        self._sharding: Any = None  # what runs it in the replicas of a strategy
        self.level = SHAPES  # what of the arguments its programs are made for
        self._warned = quiet
        self._conversion = conversion

    def __call__(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Runs the program for these arguments, after compiling it if necessary."""
        if eager_in_replica[-1]():
            return self._run_python(function, args, kwargs)
        if kwargs or self._has_defaults:
            args, kwargs = self.ordered(args, kwargs)
        leaves: list[Tensor] = []
        level = self.level
        try:
            key = self._key(args, kwargs, leaves, level)
        except ShapesDiffer:
            return self._run_python(function, args, kwargs)
        trace = self._known(key)
        if trace is None:
            if any(not r.is_tape for r in STACK.recorders):
                return self._run_python(self._converted(function), args, kwargs)
            try:
                trace = self._trace(key, function, args, kwargs, leaves, level)
            except ShapesDiffer:
                return self._run_python(function, args, kwargs)
            except (UnknownValueError, UnimplementedError, OperatorNotAllowedInGraphError) as error:
                wider = self._next_level(error, [args, kwargs], level)
                if wider is None:
                    raise
                return self._knowing(wider, function, args, kwargs)
        self.fast_call = trace.fast_call
        try:
            return trace(leaves)
        except ShapesDiffer:
            return self._run_python(function, args, kwargs)

    def as_operation(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> object:
        """Adds a call as a single operation to the graph of another function.

        Returns:
          The result. CACHE_MISS if the function has state, or if it cannot be compiled for symbolic
          arguments.
        """
        args, kwargs = self.ordered(args, kwargs)
        given = [x for x in nest.flatten((args, kwargs), True) if type(x) is Tensor]
        graph = None
        if not has_sizes([x._value.shape for x in given]):
            graph = self._graph_alone(function, args, kwargs)
        if graph is None or any(node.stateful for node in graph.graph.nodes):
            return CACHE_MISS
        template, outputs = template_of((args, kwargs)), graph.graph.outputs

        def run(*tensors: Tensor) -> object:
            own, named = filled(template, tensors)
            out: object = self(function, own, named)
            return out

        def result(new: New, *_: Tensor) -> object:
            specs = [(y.shape, getattr(y, "np_dtype", None) or y.dtype) for y in outputs]
            return graph.packed([new(*spec) for spec in specs])

        made: object = whole_calls.get()(
            "StatefulPartitionedCall", run, tuple(given), {}, result, False
        )
        return made

    def _graph_alone(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> GraphTrace | None:
        """Returns the graph for a call with symbolic arguments, or None."""
        leaves: list[Tensor] = []
        key = self._key(args, kwargs, leaves, self.level)
        call = (function, args, kwargs, leaves, self.level)
        try:
            with replaced(()):
                return (self._known(key) or self._trace(key, *call)).graph
        except (
            ShapesDiffer,
            UnknownValueError,
            UnimplementedError,
            OperatorNotAllowedInGraphError,
        ):
            return None

    def _run_python(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Calls the Python function eagerly."""
        try:
            with Graph() if self.graph else FirstCall():
                return self.convert(function(*args, **kwargs))
        except NeedsGraph:
            if self.graph:
                raise
            self.graph = True
            return self._run_python(function, args, kwargs)

    def attempt(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> object:
        """Tries to call a function without `jit_compile=True` as a compiled program."""
        if active_tapes() is None or eager_in_replica[-1]():
            return CACHE_MISS
        args, kwargs = self.ordered(args, kwargs)
        leaves: list[Tensor] = []
        level = self.level
        try:
            key = self._key(args, kwargs, leaves, level)
            trace = self._known(key)
            if trace is None:
                seen = self.seen.get(key, 0) + 1
                if seen != AGAIN or len(self.seen) > MANY:
                    if len(self.seen) <= MANY:
                        self.seen[key] = seen
                    return CACHE_MISS
                self.seen[key] = seen
                token = attempting.set(True)
                try:
                    trace = self._trace(key, function, args, kwargs, leaves, level)
                finally:
                    attempting.reset(token)
        except Exception as error:  # noqa: BLE001 (what is the function's own comes again)
            said = _ADVICE.sub("", str(error))
            self.refused = f"{type(error).__name__}: {said}"
            return CACHE_MISS
        return trace(leaves)

    def _key(
        self,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        leaves: list[Tensor],
        level: Specialization,
    ) -> tuple[Any, ...]:
        """Returns the key of a program, and appends the tensors among the arguments to `leaves`."""
        parts = []
        for x in args:
            if type(x) is Tensor and level is not VALUES:
                leaves.append(x)
                parts.append(x._key or tensor_key(x))
            else:
                parts.append(describe(x, leaves, level))
        named = [(name, describe(x, leaves, level)) for name, x in kwargs.items()]
        return (*parts, *named)

    def _next_level(
        self, error: Exception, given: Any, level: Specialization
    ) -> Specialization | None:
        """Returns the level of specialization to try after an error, or None if no level helps."""
        asked = getattr(error, "by_operation", False)
        more = {n for n in levels_of(given) if n > level and (n is STRUCTURE or asked)}
        return min(more, default=None)

    def _knowing(
        self,
        level: Specialization,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Returns the program for arguments of which more is known, after a request for a value."""
        before, self.level = self.level, level
        try:
            return self(function, args, kwargs)
        except BaseException:
            self.level = before
            raise

    def text(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        stage: str,
    ) -> str | bytes:
        """Returns the text of the program for these arguments, before or after optimization."""
        leaves: list[Tensor] = []
        level = self.level
        args, kwargs = self.ordered(args, kwargs)
        key = self._key(args, kwargs, leaves, level)
        trace = self._known(key)
        if trace is None:
            trace = self._made(key, function, args, kwargs, leaves, level)
            del self.traces[key]
        program = trace.compiled.program
        lowered = program.lowered([spec_of(x) for x in leaves])
        shown: str | bytes
        if stage == "stablehlo":
            shown = lowered.as_text()
        elif stage == "hlo":
            shown = lowered.as_text("hlo")
        elif stage == "hlo_serialized":
            shown = lowered.compiler_ir("hlo").as_serialized_hlo_module_proto()
        else:
            shown = lowered.compile().as_text()
        return shown

    def _known(self, key: Any) -> Trace | None:
        """Returns the program for these arguments, unless it is outdated."""
        trace = self.traces.get(key)
        if trace is not None and trace.is_outdated():
            del self.traces[key]
            self.fast_call = trace = None
        return trace

    def _trace(self, key: Any, *call: Any) -> Trace:
        """Returns a program; concurrent first calls wait for the same compilation."""
        with state_lock:
            return self._known(key) or self._made(key, *call)

    def _made(
        self,
        key: Any,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        leaves: list[Tensor],
        level: Specialization,
    ) -> Trace:
        graph = self._graph_of(key, function, args, kwargs, leaves, level)
        run = _Lowered(graph, without_instance(function))
        compiled = Compiled(run, [*map(spec_of, leaves)], self._sharding)
        if compiled.sharding is None and any(x._part_spec is not None for x in leaves):
            raise ShapesDiffer
        why = self._why(key)
        trace = self.traces[key] = Trace(key, compiled, why, graph)
        if len(self.traces) > _TOO_OFTEN and not self._warned:
            self._warned = True
            _log.warning(
                "%s has been compiled %d times: the last time because %s. Each time costs far more "
                "than a call. Pass Python values that change as tensors, give tensors one shape "
                "(pad them), and define the function outside loops. fn.explain() tells of every "
                "time. (This is said once per function.)",
                self.name,
                len(self.traces),
                "; ".join(why) or "nothing was known before",
            )
        return trace

    def _graph_of(
        self,
        key: Any,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        leaves: list[Tensor],
        level: Specialization,
    ) -> GraphTrace:
        """Traces the function, once for all replicas if it runs inside a strategy."""
        quiet, convert, conversion = True, self.convert, self._conversion
        traces = Traces(self.name, function, convert, quiet, conversion, True, self._sharding)
        try:
            trace = traces.made(key, function, args, kwargs, leaves, level=level)
        except NeedsSharding as needs:
            if self._sharding is not None:
                raise RuntimeError(
                    f"{self.name}: a function that XLA compiles can run in the replicas of one "
                    "strategy alone"
                ) from None
            self._sharding = needs.sharding
            return self._graph_of(key, function, args, kwargs, leaves, level)
        if trace is None:
            assert traces.refusal is not None
            raise not_compiled(traces.refusal)
        return trace

    def _converted(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Returns the function with control flow that can depend on tensors."""
        if self._conversion is None:
            return function
        return converted(function, self._conversion)

    def _why(self, key: Any) -> list[str]:
        """Returns the differences from the most similar earlier call."""
        said = [difference(self.names, key, old) for old in self.traces]
        return min(said, key=len) if said else []

    def explain(self) -> str:
        """Describes the compiled programs: what was traced, how often and why."""
        if not self.traces:
            return f"{self.name}: not compiled{'; ' if self.refused else ''}{self.refused}"
        times = "once" if len(self.traces) == 1 else f"{len(self.traces)} times"
        lines = [f"{self.name}: compiled by XLA {times}"]
        for i, trace in enumerate(self.traces.values(), 1):
            program = trace.compiled.program
            shown = ", ".join(
                f"{name}: {describe_part(part)}"
                for name, part in zip(self.names, trace.key, strict=False)
            )
            lines.append(f"  {i}. ({shown}): called {trace.calls} times")
            lines.append(f"     why: {'; '.join(trace.why) if trace.why else 'the first call'}")
            lines.append(
                f"     {program.operations} operations staged in {program.seconds:.2f} s, "
                f"{len(program.places)} results"
            )
            lines += [
                f"     {run.count} equal steps of {run.period} operations became a loop"
                for run in program.loops
            ]
            if program.written:
                names = ", ".join(v.name for v in program.written)
                where = "in place" if program.donates else "into new memory"
                lines.append(f"     writes {names} ({where})")
            if program.read:
                lines.append(f"     reads {', '.join(v.name for v in program.read)}")
            if program.keys:
                lines.append(f"     draws random numbers from {len(program.keys)} streams")
            if program.has_callbacks:
                lines.append("     calls back to NumPy for operations that XLA lacks")
        return "\n".join(lines)
