"""The traces of a function that XLA compiles; needs JAX."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from gradtape._src.base import nest
from gradtape._src.base.device_values import state_lock
from gradtape._src.base.errors import OperatorNotAllowedInGraphError, UnimplementedError
from gradtape._src.core.recorder import replaced
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.unknown_sizes import has_sizes
from gradtape._src.graph.call_order import FunctionCall
from gradtape._src.graph.composite_arguments import (
    SHAPES,
    STRUCTURE,
    Specialization,
    levels_of,
)
from gradtape._src.graph.input_signatures import Examples
from gradtape._src.graph.ir.graph import Graph
from gradtape._src.graph.nested.graph_call import GraphCall
from gradtape._src.graph.nested.traced_control_flow import called_whole
from gradtape._src.graph.open_keys import is_open
from gradtape._src.graph.replica_hooks import (
    CACHE_MISS,
    NeedsSharding,
    ShapesDiffer,
    eager_in_replica,
)
from gradtape._src.graph.signatures import Leaves
from gradtape._src.graph.trace import Trace
from gradtape._src.graph.traces import Traces
from gradtape._src.graph.tracing.trace_errors import UnknownValueError, cannot_compile, not_compiled
from gradtape._src.xla.compiled_calls import CompiledCall
from gradtape._src.xla.fast_call import fast_call
from gradtape._src.xla.kernels.lookup import attempting
from gradtape._src.xla.program import Program, state_spec

_AGAIN = 3
"""After `set_jit(True)`, a trace is compiled at this call of it."""
# The caller requested the compilation.
_ADVICE = re.compile(r"[; ]*\(?[Oo]r leave jit_compile=True out\.\)?")
_MAY_BE_KNOWN = (UnknownValueError, UnimplementedError, OperatorNotAllowedInGraphError)
"""Errors that a more specialized trace may avoid."""


class CompiledTraces(Traces):
    """The traces of a Python function with `jit_compile=True`, all of which XLA compiles.

    If a function turns out to need the values of small integer tensors, or the indices of sparse
    ones, it is traced for those values from then on (`level`).
    """

    for_xla = True
    level = SHAPES

    @cached_property
    def of_requests(self) -> Traces:
        """The graphs of concrete functions, whose lengths may be unknown."""
        return Traces(*self.options)

    def __call__(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        specs: Sequence[Any] | None = None,
    ) -> Any:
        if eager_in_replica[-1]():
            return CACHE_MISS
        given = (function, args, kwargs)
        try:
            found = self._for_all_lengths(*given, specs)
            trace, call = found or self._trace_for(*given, self.leaves())
            if type(call.leaves) is Leaves and call.leaves.variables:
                trace = self.for_variables(trace, call) or trace
            self.fast_call = trace.fast_call
            return trace(call.leaves)
        except ShapesDiffer:
            return CACHE_MISS

    def _for_all_lengths(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        specs: Sequence[Any] | None,
    ) -> tuple[Trace, FunctionCall] | None:
        """Returns a trace with unknown lengths, which has a program for each shape; None without.

        Functions in replicas, and those that need values or lengths, are traced for each shape.
        """
        if self.level is not SHAPES or self._sharding is not None:
            return None
        call = self.canonical(function, args, kwargs, leaves=self.leaves())
        if call.key in self.traces or any(x._part_spec is not None for x in call.leaves):
            return None
        trace = self._general(call, specs)
        if trace is None:
            return None
        try:
            program = _program_of(trace, call.leaves)
        except Exception:  # noqa: BLE001 (a trace for this shape tells)
            return None
        program.fast_call = program.fast_call or fast_call(program, trace, call.key)
        trace.fast_call = program.fast_call
        return trace, call

    def _trace_for(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        leaves: list[Tensor] | None = None,
    ) -> tuple[Trace, FunctionCall]:
        """Returns the trace for these arguments, and the call with the tensors among them."""
        before, level, counted = self.level, self.level, self.counted
        held: list[Tensor] = [] if leaves is None else leaves
        while True:
            call = self.canonical(function, args, kwargs, level, held)
            try:
                return self._known(call.key) or self._made_once(call), call
            except _MAY_BE_KNOWN as error:
                wider = _next_level(error, [args, kwargs], level)
                if wider is None:
                    self.level = before
                    raise
                self.level, self.counted = wider, counted
                level = wider
                held = type(held)()
            except BaseException:
                self.level = before
                raise

    def for_these_variables(self, call: FunctionCall) -> Trace:
        return self._trace_for(*call[:3])[0]

    def _known(self, key: Any) -> Trace | None:
        """Returns the trace for these arguments, unless it is outdated."""
        trace = self.traces.get(key)
        if trace is not None and (_is_outdated(trace) or trace.followed_constants()):
            del self.traces[key]
            self.fast_call = trace = None
        return trace

    def _made_once(self, call: FunctionCall) -> Trace:
        """Traces and compiles; concurrent first calls wait for the same compilation."""
        with state_lock:
            trace = self._known(call.key)
            if trace is None:
                with replaced(()):
                    trace = self.made(call)
            if trace is None:
                assert self.refusal is not None
                raise not_compiled(self.refusal)
            return trace

    def made(self, call: FunctionCall) -> Trace | None:
        counted = self.counted
        try:
            return super().made(call)
        except NeedsSharding as needs:
            if self._sharding is not None:
                raise RuntimeError(
                    f"{self.name}: a function that XLA compiles can run in the replicas of one "
                    "strategy only"
                ) from None
            self._sharding, self.counted = needs.sharding, counted
            return None if is_open(call.key) else self.made(call)

    def call_of(self, graph: Graph) -> CompiledCall:
        return CompiledCall(graph, self.name, self._sharding)

    def ready(self, trace: Trace, leaves: Sequence[Tensor]) -> None:
        if self._sharding is None and any(x._part_spec is not None for x in leaves):
            raise ShapesDiffer
        program = _program_of(trace, leaves)
        held = [v for v in trace.variables if not v.shape.is_fully_defined()]
        trace.open_variables = [(v, state_spec(v).shape) for v in held]
        if self._sharding is None:
            trace.fast_call = fast_call(program, trace, trace.key)
        else:
            program.split = [trace.parts[i] for i in program.places]
            trace.template, trace.mirrored = self._sharding.template(trace.template), []

    def trace_of(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        about: Examples,
    ) -> Trace | None:
        return self.of_requests.trace_of(function, args, kwargs, about)

    def program_text(
        self, function: Callable[..., Any], args: Any, kwargs: Any, stage: str
    ) -> str | bytes:
        """Returns the text of the program for these arguments, before or after optimization."""
        known = set(self.traces)
        trace, call = self._trace_for(function, args, kwargs)
        if trace.key not in known:
            del self.traces[trace.key]
        program = _program_of(trace, call.leaves)
        lowered = program.lowered([*map(state_spec, [*call.leaves, *trace.captured])])
        shown: str | bytes
        if stage == "hlo_serialized":
            shown = lowered.compiler_ir("hlo").as_serialized_hlo_module_proto()
        elif stage == "optimized_hlo":
            shown = lowered.compile().as_text()
        else:
            shown = lowered.as_text(stage)
        return shown

    def as_operation(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> object:
        """Adds a call as a single operation to the graph of another function.

        Returns:
          The result. CACHE_MISS if the function cannot be compiled for symbolic arguments.
        """
        given = [x for x in nest.flatten((args, kwargs), True) if type(x) is Tensor]
        if has_sizes([x._value.shape for x in given]):
            return CACHE_MISS
        try:
            with replaced(()):
                trace, call = self._trace_for(function, args, kwargs)
        except (ShapesDiffer, *_MAY_BE_KNOWN):
            return CACHE_MISS
        if self._sharding is not None:  # one program for all replicas
            return CACHE_MISS

        def call_of(graph: Graph) -> GraphCall:  # these are the same for each call of the trace
            trace.whole = trace.whole or self.call_of(graph)
            return trace.whole

        return trace.packed(called_whole(trace.graph, [*call.leaves, *trace.captured], call_of))


def _program_of(trace: Trace, leaves: Sequence[Tensor]) -> Program:
    call = trace.call
    assert isinstance(call, CompiledCall)
    return call.program_for([*leaves, *trace.captured])


def _is_outdated(trace: Trace) -> bool:
    """Whether the shape of a variable has changed."""
    return any(state_spec(v).shape != shape for v, shape in trace.open_variables)


def _next_level(error: Exception, given: Any, level: Specialization) -> Specialization | None:
    """Returns the level of specialization to try after an error, or None if no level helps."""
    asked = getattr(error, "by_operation", False)
    more = {n for n in levels_of(given) if n > level and (n is STRUCTURE or asked)}
    return min(more, default=None)


def compile_again(trace: Trace, leaves: Sequence[Any]) -> None:
    """Compiles the graph of a function that is called often, if XLA can run all of it.

    Args:
      trace: The trace, which is about to be called.
      leaves: The tensors among the arguments.
    """
    if trace.refused or trace.calls + 1 < _AGAIN:
        return
    known, trace.compiled = trace.compiled, None
    made = known if isinstance(known, CompiledCall) else CompiledCall(trace.graph, trace.call.name)
    token = attempting.set(True)
    try:
        if any(v._replicated or v._of_replica for v in trace.variables):
            raise cannot_compile("a variable of a strategy", "its replicas are not traced together")
        program = made.program_for([*leaves, *trace.captured])
    except Exception as error:  # noqa: BLE001 (it runs without XLA)
        trace.refused = f"{type(error).__name__}: {_ADVICE.sub('', str(error))}"
        return
    finally:
        attempting.reset(token)
    if known is None and trace.decisions is None:
        trace.fast_call = fast_call(program, trace, trace.key)
    trace.compiled = made
