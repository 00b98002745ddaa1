"""The traces of a `tf.function`: one for each kind of call, which runs as a graph."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from inspect import Parameter
from typing import TYPE_CHECKING, Any

from gradtape._src.autodiff.tape import GradientTape
from gradtape._src.autograph.calls import traceable
from gradtape._src.autograph.errors_in_user_code import in_user_code
from gradtape._src.autograph.errors_while_tracing import is_of_program, run_while_tracing
from gradtape._src.autograph.features import Options
from gradtape._src.base import nest
from gradtape._src.base.device_values import state_lock
from gradtape._src.base.errors import UnimplementedError
from gradtape._src.compute.parallel import Engine
from gradtape._src.core.extension_point import wrappable
from gradtape._src.core.recorder import active_tapes
from gradtape._src.core.resource_handles import HANDLE
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.eager_only import CONCRETE, UsedInsideError
from gradtape._src.declare.unknown_sizes import (
    Decisions,
    NeedsSize,
    Size,
    UnforeseenLength,
    sizes_in,
)
from gradtape._src.graph.call_order import CallOrder, FunctionCall
from gradtape._src.graph.composite_arguments import (
    REPLICAS,
    VALUES,
    Specialization,
)
from gradtape._src.graph.input_signatures import Examples
from gradtape._src.graph.ir.graph import CannotTrace, Graph, NeedsConstants, Symbol
from gradtape._src.graph.nested.graph_call import GraphCall
from gradtape._src.graph.open_keys import (
    is_open,
    is_open_shape,
    merged,
    openness,
    serves,
    shapes_of,
    with_shapes,
)
from gradtape._src.graph.replica_hooks import CACHE_MISS, eager_in_replica, never
from gradtape._src.graph.retracing import Retracing
from gradtape._src.graph.signatures import (
    Leaves,
    are_same,
    describe,
    describe_part,
    difference,
    filled,
    input_names,
    kept,
    representative,
    tensor_key,
)
from gradtape._src.graph.trace import Trace, weakly
from gradtape._src.graph.tracing.tracer import Tracer, plain_tracing, tracing
from gradtape._src.ops.random import distributions

if TYPE_CHECKING:
    from gradtape._src.graph.concrete_function import RequestedFunction
    from gradtape._src.graph.named.func_graph import FuncGraph


@wrappable("_traced")
class Traces(CallOrder):
    """The graphs of one Python function.

    Args:
      name: The function's.
      parameters: Its parameters.
      convert: The conversion of its result.
      quiet: Whether to suppress warnings about retracing.
      conversion: The options of AutoGraph's conversion; None for no conversion.
      retracing: Counts its traces, for the warnings.

    Attributes:
      traces: The traces, by key.
      as_python: The reason why the function runs as Python code; empty if it is traced.
      counted: The number of traces.
      refusal: The reason why the last trace failed, if one did.
      requested: The concrete functions that were requested.
      compile_again: After `set_jit(True)`, compiles a trace that is called often.
    """

    for_xla = False  # whether XLA runs the graphs
    level = REPLICAS  # the assumptions about arguments in addition to shapes and dtypes

    def __init__(
        self,
        name: str,
        parameters: Sequence[Parameter],
        convert: Callable[[Any], Any],
        quiet: bool,
        conversion: Options | None,
        retracing: Retracing,
    ) -> None:
        super().__init__(parameters)
        self.options = (name, parameters, convert, quiet, conversion, retracing)
        self.name, self.convert, self._conversion = name, convert, conversion
        self.traces: dict[Any, Trace] = {}
        self.as_python = ""
        self.counted = 0
        self._why = ""
        self.refusal: BaseException | None = None
        self._sharding: Any = None  # the object that runs the graphs in all replicas of a strategy
        self.compile_again: Callable[[Trace, Sequence[Tensor]], None] | None = None
        self.fast_call: Any = None  # a fast path for calls like the last one
        self.owner: Any = None
        self._has_variables = self._keeps_constants = False
        self._keeps_variables = False  # whether there are traces for each variable as an argument
        self._reduce_retracing = quiet
        self._open: list[Any] = []  # the keys with unknown lengths
        # Keys with unknown lengths whose calls are traced for each shape.
        self._refused: set[Any] = set()
        self._retracing, self._calls = retracing, 0
        self.requested: list[RequestedFunction] = []

    def __call__(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        specs: Sequence[Any] | None = None,
    ) -> Any:
        """Runs the graph for these arguments; returns CACHE_MISS if there isn't one.

        Args:
          function: The Python function.
          args: The arguments.
          kwargs: The named arguments.
          specs: The shapes of the tensors in the input signature, which may contain None.
        """
        if (
            self.as_python
            or (eager_in_replica[-1] is not never and eager_in_replica[-1]())
            or (active_tapes() is None and not self.for_xla and plain_tracing() is None)
        ):
            return CACHE_MISS
        found = self.found(function, args, kwargs, specs)
        if found is None:
            return CACHE_MISS
        trace, leaves = found
        if self.compile_again is not None and active_tapes() is not None:
            self.compile_again(trace, leaves)
            self.fast_call = trace.fast_call
        return trace(leaves)

    def found(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        specs: Sequence[Any] | None = None,
        alone: bool = False,
    ) -> tuple[Trace, list[Tensor]] | None:
        """Returns the trace for a call, made if necessary, and the tensors among the arguments.

        Args:
          function: The Python function.
          args: The arguments.
          kwargs: The named arguments.
          specs: See `__call__`.
          alone: Whether the trace must be for these shapes and variables alone.
        """
        if kwargs or self._has_defaults:
            args, kwargs = self.ordered(args, kwargs)
        leaves: list[Tensor] = [] if alone or self._keeps_variables else Leaves()
        level = self.level
        key = self.key(args, kwargs, leaves, level)
        trace = self.traces.get(key)
        if trace is None or (trace.can_expire and trace.has_expired()):
            call = FunctionCall(function, args, kwargs, leaves, key, level)
            trace = None if alone else self._general(call, specs)
            if trace is None:
                with state_lock:
                    trace = self._current(key) or self.made(call)
        if self.level is level and trace and type(leaves) is Leaves and leaves.variables:
            call = FunctionCall(function, args, kwargs, leaves, key, level)
            trace = self.for_variables(trace, call)
        if self.level is not level:  # the trace knows more of the arguments
            return self.found(function, args, kwargs, specs, alone)
        return None if trace is None else (trace, leaves)

    def _current(self, key: Any) -> Trace | None:
        """Returns the trace for a key, unless it has expired."""
        trace = self.traces.get(key)
        return None if trace is None or trace.has_expired() else trace

    @property
    def of_requests(self) -> Traces:
        """The traces that are requested as concrete functions."""
        return self

    def canonical(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        level: Specialization,
    ) -> FunctionCall:
        """Returns a call in its canonical form, for these variables alone; see `FunctionCall`."""
        args, kwargs = self.ordered(args, kwargs)
        held: list[Tensor] = []
        key = self.key(args, kwargs, held, level)
        return FunctionCall(function, args, kwargs, held, key, level)

    def for_variables(self, trace: Trace, call: FunctionCall) -> Trace | None:
        """Returns the trace for the variables among the arguments of a call."""
        if self._keeps_variables:
            return trace
        with state_lock:
            ready = partial(self.ready, leaves=call.leaves)
            found = trace.for_variables(call.leaves.variables, self.call_of, ready)
            if found is None:  # no other variables can represent these
                own = self.canonical(*call[:3], call.level)
                found = self._current(own.key) or self.made(own)
            return found

    def call_of(self, graph: Graph) -> GraphCall:
        """Returns a graph in a form in which it can be called."""
        return GraphCall(graph, self.name)

    def ready(self, trace: Trace, leaves: Sequence[Tensor]) -> None:
        """Prepares a new trace for calls with such tensors."""

    def trace_of(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        about: Examples,
    ) -> Trace | None:
        """Returns the trace for these arguments; None if the function runs as Python code.

        Args:
          function: The Python function.
          args: The arguments; the values of tensors among them don't matter.
          kwargs: The keyword arguments.
          about: The specs of the tensors.
        """
        if self.as_python:
            return None
        call = self.canonical(function, args, kwargs, self.level)._replace(about=about)
        if not about.shapes:
            return self.traces.get(call.key) or self._serving(call) or self.made(call)
        call = call.with_shapes([about.shapes.get(id(x), x._value.shape) for x in call.leaves])
        is_new = call.key not in self._refused
        known = self._current(call.key) or self._serving(call) or self._opened(call)
        if known is None and is_new and self.refusal is not None and is_of_program(self.refusal):
            raise self.refusal
        return known

    def _general(self, call: FunctionCall, specs: Sequence[Any] | None) -> Trace | None:
        """Returns a trace with unknown lengths for this call, or None."""
        shapes = self._relaxed(call, specs)
        if shapes is None:
            return self._serving(call) if self._open else None
        trace = self._opened(call.with_shapes(shapes))
        return trace if trace is not None and trace.fits(call.leaves) else None

    def _serving(self, call: FunctionCall) -> Trace | None:
        """Returns the matching trace with the fewest unknown lengths."""
        found = [known for known in self._open if serves(known, call.key)]
        for known in sorted(found, key=openness):
            trace = self.traces[known]
            if trace.fits(call.leaves):
                return trace
        return None

    def _opened(self, call: FunctionCall) -> Trace | None:
        """Returns the trace for a call with unknown lengths; None if each shape has its own."""
        found = self._current(call.key)
        if found is not None or call.key in self._refused:
            return found
        with state_lock:
            try:
                found = self._current(call.key) or self.made(call)
            except Exception as error:  # noqa: BLE001 (a trace for each shape tells)
                self.refusal = error
            if found is None:
                self._refused.add(call.key)
        return found

    def _relaxed(self, call: FunctionCall, specs: Sequence[Any] | None) -> list[Any] | None:
        """Returns the shapes of a general trace, with None for unknown lengths."""
        key, leaves = call.key, call.leaves
        if specs is not None and len(specs) == len(leaves):
            shapes = [None if s.rank is None else tuple(s.as_list()) for s in specs]
            return shapes if any(map(is_open_shape, shapes)) else None
        varying = set(getattr(leaves, "varying", ()))
        if not varying and not self._reduce_retracing:
            return None
        mine = [x._value.shape for x in leaves]
        for known in self.traces:
            if with_shapes(known, None) == with_shapes(key, None):
                found = [merged(a, b) for a, b in zip(mine, shapes_of(known), strict=True)]
                changed = {i for i, shape in enumerate(found) if is_open_shape(shape)}
                if changed and self._reduce_retracing:
                    return found
                if changed and changed <= varying:
                    return [(None, *s[1:]) if i in varying else s for i, s in enumerate(mine)]
        return None

    def ran_as_python(self) -> None:
        """Records that the function, whose tracing has just failed, runs as Python code."""
        self.as_python, self._why = self.as_python or self._why, ""

    def key(
        self,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        leaves: list[Tensor],
        level: Specialization = REPLICAS,
    ) -> tuple[Any, ...]:
        """Returns the key of a call, and appends the tensors among the arguments to `leaves`."""
        parts: list[Hashable] = []
        for x in args:
            if type(x) is Tensor and level is not VALUES:
                held = x._value if x._device is None else None
                key = tensor_key(x) if held is None else (held.shape, held.dtype)
                if key[1] is HANDLE:
                    parts.append(describe(x, leaves, level))
                else:
                    leaves.append(x)
                    parts.append(key)
            else:
                parts.append(describe(x, leaves, level))
        if kwargs:
            parts += [(name, describe(x, leaves, level)) for name, x in kwargs.items()]
        return tuple(parts)

    def made(self, call: FunctionCall) -> Trace | None:
        """Traces the function; returns None if it has to run as Python code."""
        counted, restart = self.counted, distributions.kept()
        try:
            with state_lock:
                return self.new_trace(call)
        except _KeepsVariables:
            restart()
            self.counted, self._keeps_variables = counted, True
            own = self.canonical(*call[:3], call.level)._replace(about=call.about)
            return self.made(own if call.shapes is None else own.with_shapes(call.shapes))

    def new_trace(self, call: FunctionCall) -> Trace | None:
        """Traces the function; see `made`."""
        key, leaves = call.key, call.leaves
        given = {v._id: v for v in getattr(leaves, "variables", ())}
        represented = {i: representative(v) for i, v in given.items()}
        others = represented | kept((call.args, call.kwargs), call.level)
        names = input_names(self.names, call.args, call.kwargs, call.level)
        specs = [x._part_spec or (x._value.shape, x._value.dtype) for x in leaves]
        decisions = Decisions()  # about unknown lengths
        if call.shapes is not None:
            pairs = zip(specs, call.shapes, strict=True)
            specs = [(decisions.shape_of(shape), dtype) for (_, dtype), shape in pairs]
        restart = distributions.kept()
        tracer: Tracer | None = None
        run = (call, names, others, specs, decisions)
        try:
            if given and self._sharding is not None:
                raise _KeepsVariables
            tracer, result, arguments = self._traced(*run)
            if _makes_variables(tracer):
                if self._has_variables:
                    raise self._not_once(tracer)
                tracer.finish()
                tracer, result, arguments = self._traced(*run)
                if _makes_variables(tracer):
                    raise self._not_once(tracer)
            self._has_variables = True
            known = () if call.shapes is None else sizes_in([shape for shape, _ in specs])
            tracer.checks = decisions.besides([s.code for s in known if type(s) is Size])
            own = {represented[i]._id: v for i, v in given.items()}
            trace = Trace(key, tracer, result, arguments, self.call_of, own)
            if not trace.is_for_all_variables:
                raise _KeepsVariables
            if call.shapes is not None:
                trace.decisions = decisions
            self.ready(trace, leaves)
        except (CannotTrace, NeedsSize, UnforeseenLength) as why:
            self._why, self.refusal = str(why), why
            restart()
            return None
        trace.why = self._tell(key, call.about is None)
        self.traces[key] = trace
        if is_open(key) and key not in self._open:
            self._open.append(key)
        return trace

    def _traced(
        self,
        call: FunctionCall,
        names: Sequence[str],
        others: Mapping[int, Any],
        specs: Sequence[Any],
        decisions: Decisions,
        tapes: tuple[GradientTape, ...] = (),
    ) -> tuple[Tracer, Any, Any]:
        """Returns the tracer, the function's result, and its arguments in the form of `weakly`."""
        about, level = call.about or Examples(), call.level
        tracer = Tracer(around=tracing(), sharding=self._sharding)
        tracer.decisions = decisions
        tracer.name, tracer.for_xla = self.name, self.for_xla
        tracer.fills_in = call.shapes is None and bool(self._refused or self._open)
        pairs = zip(call.leaves, names, strict=True)
        tracer.view.input_names = [about.names.get(id(x)) or name for x, name in pairs]
        self.counted += 1
        function = call.function
        if self._conversion is not None:
            function = traceable(function, self._conversion)
        tracer.follows_tapes, tracer.keeps_constants = True, self._keeps_constants
        try:
            with _finished_if_given_up(tracer), tracer.scope(*tapes):
                tracer.leaves = len(specs)
                inputs = [tracer.input(s) for s in specs]
                about.note(call.leaves, inputs, decisions)
                first = [None if id(x) in about.names else _known(x) for x in call.leaves]
                tracer.first = dict(zip([x._value for x in inputs], first, strict=False))
                following = iter(inputs)
                given = tuple([filled(x, following, level, others) for x in call.args])
                named = {n: filled(x, following, level, others) for n, x in call.kwargs.items()}
                before = nest.map_structure(lambda x: x, (given, named))
                unchanged = {id(x) for x in nest.flatten((call.args, call.kwargs))}
                arguments = nest.map_structure(partial(weakly, unchanged=unchanged), before)
                result = self.convert(run_while_tracing(function, *given, **named))
                result = nest.map_structure(_value_of, result)
                self._check_arguments((given, named), before)
                tracer.settle()
        except NeedsConstants:
            self._keeps_constants = True
            return self._traced(call, names, others, specs, decisions, tapes)
        except UsedInsideError as used:  # a tape around the function was used inside
            self.counted -= 1
            return self._traced(call, names, others, specs, decisions, (*tapes, used.tape))
        except Exception as error:
            self.counted -= 1
            no_way = isinstance(error, UnimplementedError) or Symbol.__name__ in str(error)
            # The program itself raises the error, not an operation on a symbol or a guess.
            if not (no_way or decisions.taken):
                if tracer.fills_in and self.refusal is not None and is_of_program(self.refusal):
                    raise self.refusal from None  # the error for unknown lengths
                if self._conversion is None:
                    raise
                raise in_user_code(error, error.__traceback__) from error.__cause__
            self.counted += 1
            raise CannotTrace(f"{type(error).__name__}: {error}") from error
        return tracer, result, arguments

    def _check_arguments(self, after: Any, before: Any) -> None:
        """Raises ValueError if the function changed a list or dictionary among its arguments."""
        if not are_same(after, before):
            raise ValueError(
                f"{self.name}() should not modify its Python input arguments. Check if it modifies "
                "any lists or dicts passed as arguments. Modifying a copy is allowed."
            )

    def _not_once(self, tracer: Tracer) -> ValueError:
        names = ", ".join(v.name for ref in tracer.made if (v := ref()) is not None)
        return ValueError(
            "tf.function only supports singleton tf.Variables created on the first call. Make sure "
            "the tf.Variable is only created once or created outside tf.function. See "
            "https://www.tensorflow.org/guide/function#creating_tfvariables for more information. "
            f"({self.name} makes and keeps new ones when it is traced again: {names})"
        )

    def _tell(self, key: Any, is_call: bool) -> list[str]:
        """Returns the reasons for a trace; warns if calls cause many of them."""
        around = [(d, len(d.taken)) for d in {size.decisions for size in sizes_in(key)}]
        why = min((difference(self.names, key, old) for old in self.traces), key=len, default=[])
        for decisions, count in around:  # the graph does not depend on these comparisons
            decisions.forget(count)
        if is_call:
            calls = sum([trace.count() for trace in self.traces.values()])
            before, self._calls = self._calls, calls
            self._retracing.traced(
                self.name, max(calls - before - 1, 0), self._reduce_retracing, "; ".join(why)
            )
        return why

    def explain(self, runs: int) -> str:
        """Describes the traces and the reasons for them.

        Args:
          runs: The number of calls that ran as Python code.
        """
        lines = [*self._compiled(), f"{self.name}: traced {_times(self.counted)}"]
        if runs:
            lines.append(
                f"  ran as Python {_times(runs)}: {self.as_python or 'as it was asked for'}"
            )
        for i, trace in enumerate(self.traces.values(), 1):
            shown = ", ".join(
                f"{name}: {describe_part(part)}"
                for name, part in zip(self.names, trace.key, strict=False)
            )
            lines.append(f"  {i}. ({shown}): called {_times(trace.count())}")
            lines += [f"     because {why}" for why in trace.why]
            programs = getattr(trace.compiled or trace.call, "programs", None)
            if programs is None:
                lines += [f"     {line}" for line in _description(trace.view, trace.call.graph)]
            else:
                lines += [f"     {line}" for each in programs for line in each.description()]
        return "\n".join(lines)

    def _compiled(self) -> list[str]:
        """Describes how many traces XLA compiled, if compilation was requested."""
        traces = list(self.traces.values())
        refused = next((t.refused for t in reversed(traces) if t.refused), self.as_python)
        count = sum(self.for_xla or t.compiled is not None for t in traces)
        if count:
            return [f"{self.name}: compiled by XLA {_times(count)}"]
        if not self.for_xla and not Engine.is_xla:
            return []
        return [f"{self.name}: not compiled{'; ' if refused else ''}{refused}"]


def _description(graph: FuncGraph, run: Graph) -> Iterator[str]:
    """Yields the numbers of operations of a graph, after optimization, and of its parts."""
    yield f"{len(run.nodes)} operations, {len(run.outputs)} results"
    for op in graph:
        for part in op.parts:
            count = sum(inner.node is not None for inner in part.graph)
            yield f"{op.name} runs {part.label}: {count} operation{'' if count == 1 else 's'}"


class _KeepsVariables(Exception):  # noqa: N818 (a control flow, not an error)
    """Raised if a trace can't be used for other variables as arguments."""


@contextmanager
def _finished_if_given_up(tracer: Tracer) -> Iterator[None]:
    """Returns a context manager for tracing; after a failure, kept symbols are out of scope."""
    try:
        yield
    except BaseException:
        tracer.finish()
        raise


def _makes_variables(tracer: Tracer) -> bool:
    return any(ref() is not None for ref in tracer.made)


def _times(n: int) -> str:
    return "once" if n == 1 else f"{n} times"


def _known(x: Tensor) -> Any:
    """Returns a tensor's value, or None if it is a symbol or differs between replicas."""
    known = x._part_spec is None and isinstance(x._value, CONCRETE)
    return x._value if known else None


def _value_of(x: Any) -> Any:
    """Converts a result to a tensor: a variable's value, or the scalar that holds a dataset."""
    if hasattr(type(x), "_given_out"):
        return x._given_out()
    return x._read() if isinstance(x, Variable) else x
