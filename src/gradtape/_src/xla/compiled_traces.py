"""The traces of a function that XLA compiles; needs JAX."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from gradtape._src.base import nest
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
from gradtape._src.graph.replica_hooks import (
    CACHE_MISS,
    NeedsSharding,
    ShapesDiffer,
)
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
        try:
            return super().__call__(function, args, kwargs, specs)
        except ShapesDiffer:
            return CACHE_MISS

    def found(self, *call: Any, **options: Any) -> tuple[Trace, list[Tensor]] | None:
        found = super().found(*call, **options)
        self.fast_call = None if found is None else found[0].fast_call
        return found

    def _general(self, call: FunctionCall, specs: Sequence[Any] | None) -> Trace | None:
        """Returns a trace with unknown lengths, which has a program for each shape; None without.

        Functions in replicas, and those that need values or lengths, are traced for each shape.
        """
        if call.level is not SHAPES or self._sharding is not None:
            return None
        if any(x._part_spec is not None for x in call.leaves):
            return None
        trace = super()._general(call, specs)
        if trace is None:
            return None
        try:
            program = _program_of(trace, call.leaves)
        except Exception:  # noqa: BLE001 (a trace for this shape tells)
            return None
        program.fast_call = program.fast_call or fast_call(program, trace, call.key)
        trace.fast_call = program.fast_call
        return trace

    def made(self, call: FunctionCall) -> Trace | None:
        """Traces and compiles the function, which may need more knowledge of its arguments."""
        counted, before = self.counted, self.level
        is_general = call.shapes is not None
        try:
            with replaced(()):
                trace = super().made(call)
            if trace is None and not is_general:
                assert self.refusal is not None
                raise not_compiled(self.refusal)
            return trace
        except NeedsSharding as needs:
            if self._sharding is not None:
                raise RuntimeError(
                    f"{self.name}: a function that XLA compiles can run in the replicas of one "
                    "strategy only"
                ) from None
            self._sharding, self.counted = needs.sharding, counted
            return None if is_general else self.made(call)
        except _MAY_BE_KNOWN as error:
            wider = _next_level(error, [call.args, call.kwargs], call.level)
            if wider is None or is_general:
                raise
        self.level, self.counted = wider, counted
        try:
            return self.made(self.canonical(*call[:3], wider))
        except BaseException:
            self.level = before
            raise

    def call_of(self, graph: Graph) -> CompiledCall:
        return CompiledCall(graph, self.name, self._sharding)

    def ready(self, trace: Trace, leaves: Sequence[Tensor]) -> None:
        if self._sharding is None and any(x._part_spec is not None for x in leaves):
            raise ShapesDiffer
        program = _program_of(trace, leaves)
        held = [(v, state_spec(v).shape) for v in trace.variables]
        held = [(v, shape) for v, shape in held if not v.shape.is_fully_defined()]
        if held:
            trace.can_expire = True
            trace.fits_variables = lambda: all(state_spec(v).shape == shape for v, shape in held)
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
        found = self.found(function, args, kwargs, alone=True)
        assert found is not None
        trace, leaves = found
        if trace.key not in known:
            del self.traces[trace.key]
        program = _program_of(trace, leaves)
        lowered = program.lowered([*map(state_spec, [*leaves, *trace.captured])])
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
                found = self.found(function, args, kwargs, alone=True)
        except (ShapesDiffer, *_MAY_BE_KNOWN):
            return CACHE_MISS
        if found is None or self._sharding is not None:  # one program for all replicas
            return CACHE_MISS
        trace, leaves = found

        def call_of(graph: Graph) -> GraphCall:  # these are the same for each call of the trace
            trace.whole = trace.whole or self.call_of(graph)
            return trace.whole

        return trace.packed(called_whole(trace.graph, [*leaves, *trace.captured], call_of))


def _program_of(trace: Trace, leaves: Sequence[Tensor]) -> Program:
    call = trace.call
    assert isinstance(call, CompiledCall)
    return call.program_for([*leaves, *trace.captured])


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
    if trace.refused or trace.calls + 1 < _AGAIN or isinstance(trace.call, CompiledCall):
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
