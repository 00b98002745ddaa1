"""`function` as TensorFlow has it: traced once for each kind of call, and run as a graph."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from gradtape._src.autodiff.tape import GradientTape
from gradtape._src.autograph.calls import converted
from gradtape._src.autograph.errors_while_tracing import while_tracing
from gradtape._src.autograph.features import Options
from gradtape._src.base import nest
from gradtape._src.base.device_values import state_lock
from gradtape._src.base.dtypes import as_dtype
from gradtape._src.base.errors import InvalidArgumentError, UnimplementedError
from gradtape._src.core.recorder import STACK, active_tapes
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.unknown_sizes import (
    Decisions,
    Lengths,
    NeedsSize,
    UnforeseenLength,
    sizes_in,
)
from gradtape._src.graph.call_order import CallOrder, parameters_of
from gradtape._src.graph.composite_arguments import REPLICAS, Specialization, emptied, is_composite
from gradtape._src.graph.ir.graph import CannotTrace, Graph, Symbol
from gradtape._src.graph.ir.graph_call import GraphCall, taken_back
from gradtape._src.graph.ir.replay import called
from gradtape._src.graph.ir.tracer import Tracer, tracing
from gradtape._src.graph.open_keys import (
    is_open,
    merged,
    openness,
    serves,
    shapes_of,
    unknown_specs,
    with_shapes,
)
from gradtape._src.graph.replica_hooks import (
    CACHE_MISS,
    eager_in_replica,
)
from gradtape._src.graph.retracing import retracing_of
from gradtape._src.graph.signatures import (
    PLACEHOLDER,
    PLAIN,
    IdentityKey,
    describe,
    describe_part,
    difference,
    filled,
    placeholders,
    template_of,
)
from gradtape._src.graph.symbolic_gradients import Graph as RecordedGraph
from gradtape._src.graph.symbolic_gradients import NeedsGraph
from gradtape._src.ops.random import distributions
from gradtape._src.ops.types.specs import TensorSpec

if TYPE_CHECKING:
    from gradtape._src.graph.concrete_function import ConcreteFunction


class Trace:
    """A function for one kind of call, as a graph.

    Args:
      key: What tells calls of this kind.
      tracer: What made the graph.
      result: What the function gave.
      name: The function's.
      template: Its arguments, with placeholders for tensors.

    Attributes:
      graph: What was traced.
      call: Runs that.
    """

    def __init__(self, key: Any, tracer: Tracer, result: Any, name: str, template: Any) -> None:
        flat = nest.flatten(result, expand_composites=True)
        self.key, self.calls = key, 0
        ALIVE[id(self)] = self
        self.decisions: Decisions | None = None  # of a trace with unknown lengths
        self.named: list[tuple[str, int, int]] = []
        self._places = [i for i, x in enumerate(flat) if type(x) is Tensor]
        outputs = [tracer.entry(flat[i]) for i in self._places]
        self._flat = [None if type(x) is Tensor else x for x in flat]
        self._single = len(flat) == 1 and flat[0] is result and bool(self._places)
        self._template = None if self._single else emptied(result)
        self.captured = [x for x, _ in tracer.captured]
        self.variables = tuple(tracer.variables.values())
        self._mirrored = [v for v in self.variables if v._replicated]
        self.graph = Graph(tracer.inputs, tracer.nodes, outputs, tracer.checks)
        self.call = GraphCall(self.graph, name)
        self.view = tracer.view
        self.concrete: ConcreteFunction | None = None
        self._template_of_arguments = nest.map_structure(_weakly, template)
        self.view.output_symbols = outputs
        leaves = tracer.inputs[: tracer.leaves]
        self.specs = [(_shown(x.shape), as_dtype(x.np_dtype)) for x in leaves]
        self._constants = list(tracer.constants.values())
        tracer.finish()

    def __call__(self, leaves: Sequence[Tensor]) -> Any:
        """Runs the graph on the tensors among the arguments; CACHE_MISS if it is not for them."""
        self.calls += 1
        if self._mirrored and not all(v._alike for v in self._mirrored):
            return CACHE_MISS
        try:
            if active_tapes() is None:
                outs = called(self.call.name, self.call.graph, [*leaves, *self.captured])
            elif self.call.checks:
                with taken_back(self.variables):
                    outs = self.call([*leaves, *self.captured])
            else:
                outs = self.call([*leaves, *self.captured])
        except UnforeseenLength:
            return CACHE_MISS
        return self.packed(outs)

    def fits(self, leaves: Sequence[Tensor]) -> bool:
        """Whether what was decided about unknown lengths holds for those of tensors."""
        assert self.decisions is not None
        lengths: dict[str, int] = {}
        for name, leaf, axis in self.named:
            lengths[name] = leaves[leaf]._value.shape[axis]
        return self.decisions.hold(lengths)

    def arguments(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments and named arguments, with a spec in the place of each tensor."""
        specs = iter([TensorSpec(*spec) for spec in self.specs])
        args, kwargs = nest.map_structure(
            lambda x: next(specs) if x is PLACEHOLDER else x.value if type(x) is IdentityKey else x,
            self._template_of_arguments,
        )
        return args, kwargs

    def packed(self, outs: Sequence[Tensor]) -> object:
        """The result, from the tensors in it."""
        if self._single:
            return outs[0]
        flat = list(self._flat)
        for i, y in zip(self._places, outs, strict=True):
            flat[i] = y
        return nest.pack_sequence_as(self._template, flat, expand_composites=True)

    def followed_constants(self) -> set[int]:
        """The ids of tensors that became constants and that a tape follows by now."""
        tapes = [r for r in STACK.recorders if isinstance(r, GradientTape)]
        if not tapes:
            return set()
        ids = {x._id for ref in self._constants if (x := ref()) is not None and x._id}
        return {i for i in ids if any(i in tape.ids for tape in tapes)}


ALIVE: WeakValueDictionary[int, Trace] = WeakValueDictionary()  # all, the oldest first


class Traces(CallOrder):
    """The graphs of one Python function.

    Args:
      name: The function's.
      function: The Python function.
      convert: What becomes of its result.
      quiet: Whether to say nothing about retracing.
      conversion: How AutoGraph converts the function before it is traced; None: not at all.
      for_xla: Whether XLA will run the graphs.

    Attributes:
      traces: By key.
      as_python: Why the function runs as Python; empty if it is traced.
      counted: How often it was traced.
      refusal: Why the last trace was given up, if one was.
    """

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        convert: Callable[[Any], Any],
        quiet: bool,
        conversion: Options | None = None,
        for_xla: bool = False,
    ) -> None:
        super().__init__(parameters_of(function))
        self.name, self.convert, self._conversion = name, convert, conversion
        self.traces: dict[Any, Trace] = {}
        self.as_python = ""
        self.counted = 0
        self._why = ""
        self.refusal: BaseException | None = None
        self._for_xla = for_xla
        self.owner: Any = None
        self.graph = False
        self._has_variables = False
        self._reduce_retracing = quiet
        self._open: list[Any] = []  # the keys with unknown lengths
        self._refused: set[Any] = set()  # general kinds of calls that are traced for each shape
        self._retracing, self._calls = retracing_of(function), 0

    def __call__(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        specs: Sequence[Any] | None = None,
    ) -> Any:
        """Runs the graph for these arguments, or answers with CACHE_MISS if it has none.

        Args:
          function: The Python function.
          args: The arguments.
          kwargs: The named arguments.
          specs: The shapes that an input signature has for the tensors, some with None in them.
        """
        if (
            self.as_python
            or eager_in_replica[-1]()
            or (active_tapes() is None and not _within_a_graph())
        ):
            return CACHE_MISS
        if kwargs or self._has_defaults:
            args, kwargs = self.ordered(args, kwargs)
        leaves: list[Tensor] = []
        key = self.key(args, kwargs, leaves)
        trace = self.traces.get(key)
        if trace is None or (trace._constants and trace.followed_constants()):
            found = self._general(key, function, args, kwargs, leaves, specs)
            if found is None:
                with state_lock:
                    found = self.traces.get(key)
                    if found is trace:  # else another thread was here
                        found = self.made(key, function, args, kwargs, leaves)
            if found is None:
                return CACHE_MISS
            trace = found
        return trace(leaves)

    def trace_of(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        names: Mapping[int, str],
        shapes: Mapping[int, tuple[Any, ...]] = MappingProxyType({}),
    ) -> Trace | None:
        """The graph for these arguments; None if the function runs as Python.

        Args:
          function: The Python function.
          args: The arguments; the values of tensors among them don't matter.
          kwargs: The named ones.
          names: Of the tensors, by their `id`.
          shapes: Of the tensors that have unknown lengths, by their `id`.
        """
        if self.as_python:
            return None
        args, kwargs = self.ordered(args, kwargs)
        leaves: list[Tensor] = []
        key = self.key(args, kwargs, leaves)
        if not shapes:
            known = self.traces.get(key)
            return known or self.made(key, function, args, kwargs, leaves, names=names)
        wanted = [shapes.get(id(x), x._value.shape) for x in leaves]
        general = with_shapes(key, iter(wanted))
        known = self.traces.get(general)
        if known is None and general not in self._refused:
            known = self._made_general(general, function, args, kwargs, leaves, wanted, names)
        return known

    def _general(
        self,
        key: Any,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        leaves: Sequence[Tensor],
        specs: Sequence[Any] | None,
    ) -> Trace | None:
        """A trace with unknown lengths that serves this call; None if there isn't one."""
        shapes = self._relaxed(key, leaves, specs)
        if shapes is None:
            return self._serving(key, leaves) if self._open else None
        general = with_shapes(key, iter(shapes))
        trace = self.traces.get(general)
        if trace is None and general not in self._refused:
            with state_lock:
                trace = self.traces.get(general)
                if trace is None:
                    trace = self._made_general(general, function, args, kwargs, leaves, shapes)
        return trace if trace is not None and trace.fits(leaves) else None

    def _serving(self, key: Any, leaves: Sequence[Tensor]) -> Trace | None:
        """The trace with the fewest unknown lengths that was made for calls such as this one."""
        found = [known for known in self._open if serves(known, key)]
        for known in sorted(found, key=openness):
            trace = self.traces[known]
            if trace.fits(leaves):
                return trace
        return None

    def _made_general(self, general: Any, *call: Any) -> Trace | None:
        try:
            found = self.made(general, *call)
        except Exception as error:  # noqa: BLE001 (a trace for each shape tells)
            self.refusal, found = error, None
        if found is None:
            self._refused.add(general)
        return found

    def _relaxed(
        self, key: Any, leaves: Sequence[Tensor], specs: Sequence[Any] | None
    ) -> list[Any] | None:
        """The shapes of a general trace, with None for unknown lengths."""
        if specs is not None and len(specs) == len(leaves):
            shapes = [None if s.rank is None else tuple(s.as_list()) for s in specs]
            open_ = None not in shapes and any(None in s for s in shapes if s is not None)
            return shapes if open_ else None
        if not self._reduce_retracing:
            return None
        mine = [x._value.shape for x in leaves]
        for known in self.traces:
            if with_shapes(known, None) == with_shapes(key, None):
                found = [merged(a, b) for a, b in zip(mine, shapes_of(known), strict=True)]
                if any(None in s for s in found):
                    return found
        return None

    def ran_as_python(self) -> None:
        """Says that the function works as Python, which could not be traced just now."""
        self.as_python, self._why = self.as_python or self._why, ""

    def key(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], leaves: list[Tensor]
    ) -> tuple[Any, ...]:
        """Returns the key of a call, and appends the tensors among the arguments to `leaves`."""
        parts: list[Hashable] = []
        for x in args:
            if type(x) is Tensor and x._device is None:
                leaves.append(x)
                parts.append((x._value.shape, x._value.dtype))
            else:
                parts.append(describe(x, leaves, REPLICAS))
        if kwargs:
            parts += [(name, describe(x, leaves, REPLICAS)) for name, x in kwargs.items()]
        return tuple(parts)

    def made(
        self,
        key: Any,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        leaves: Sequence[Tensor],
        shapes: Sequence[Any] | None = None,
        names: Mapping[int, str] = MappingProxyType({}),
        level: Specialization = REPLICAS,
    ) -> Trace | None:
        """Traces the function; None if it has to run as Python.

        Args:
          key: What tells the call.
          function: The Python function.
          args: The arguments.
          kwargs: The named arguments.
          leaves: The tensors in them.
          shapes: The shapes to trace for, with None for unknown lengths; by default the leaves'.
          names: Of the tensors, by their `id`.
          level: What of the arguments is known besides shapes and dtypes.
        """
        with state_lock:
            template = (
                tuple([template_of(x, level) for x in args]),
                {n: template_of(x, level) for n, x in kwargs.items()},
            )
            specs = [(x._value.shape, x._value.dtype) for x in leaves]
            decisions = Decisions()  # about unknown lengths
            named: list[tuple[str, int, int]] = []
            if shapes is not None:
                specs, named = unknown_specs(specs, shapes, decisions)
            restart = distributions.kept()
            said = [
                names.get(id(x), name)
                for x, name in zip(leaves, input_names(self.names, template), strict=True)
            ]
            tracer: Tracer | None = None
            first = [None if id(x) in names else _known(x) for x in leaves]
            try:
                tracer, result = self._traced(function, template, specs, said, decisions, first)
                if any(ref() is not None for ref in tracer.made):
                    self._check_first(tracer)
                    tracer.finish()
                    tracer, result = self._traced(function, template, specs, said, decisions, first)
                    self._check_again(tracer)
                self._has_variables = True
                tracer.checks = decisions.besides([name for name, _, _ in named])
                trace = Trace(key, tracer, result, self.name, template)
                if shapes is not None:
                    trace.decisions, trace.named = decisions, named
            except (CannotTrace, NeedsSize, UnforeseenLength) as why:
                self._why, self.refusal = str(why), why
                restart()
                return None
        self._tell(key)
        self.traces[key] = trace
        if is_open(key):
            self._open.append(key)
        return trace

    def _traced(
        self,
        function: Callable[..., Any],
        template: Any,
        specs: Sequence[Any],
        names: Sequence[str],
        decisions: Decisions,
        first: Sequence[Any] = (),
    ) -> tuple[Tracer, Any]:
        tracer = Tracer(around=tracing())
        tracer.decisions = decisions
        tracer.name, tracer.for_xla = self.name, self._for_xla
        tracer.view.input_names = list(names)
        self.counted += 1
        if self._conversion is not None:
            function = converted(function, self._conversion)
        try:
            with _finished_if_given_up(tracer), tracer.scope():
                tracer.leaves = len(specs)
                inputs = [tracer.input(s) for s in specs]
                tracer.first = dict(zip([x._value for x in inputs], first, strict=False))
                given, named = filled(template, inputs)
                with RecordedGraph() if self.graph else nullcontext():
                    result = self.convert(_called(function, given, named))
                    result = nest.map_structure(_value_of, result)
                self._check_arguments((given, named), filled(template, inputs))
                tracer.settle()
        except NeedsGraph:
            if self.graph:
                raise
            self.graph = True
            return self._traced(function, template, specs, names, decisions, first)
        except Exception as error:
            self.counted -= 1
            no_way = isinstance(error, UnimplementedError) or Symbol.__name__ in str(error)
            others = decisions.besides([x.code for x in sizes_in(specs)])
            if not (no_way or others):  # it is of the program itself, not due to a symbol
                raise
            self.counted += 1
            raise CannotTrace(f"{type(error).__name__}: {error}") from error
        return tracer, result

    def _check_arguments(self, after: Any, before: Any) -> None:
        """Raises ValueError if the function changed a list or dictionary among its arguments."""
        if not _are_same(after, before):
            raise ValueError(
                f"{self.name}() should not modify its Python input arguments. Check if it modifies "
                "any lists or dicts passed as arguments. Modifying a copy is allowed."
            )

    def _check_first(self, tracer: Tracer) -> None:
        if self._has_variables:
            raise self._not_once(tracer)

    def _check_again(self, tracer: Tracer) -> None:
        if any(ref() is not None for ref in tracer.made):
            raise self._not_once(tracer)

    def _not_once(self, tracer: Tracer) -> ValueError:
        names = ", ".join(v.name for ref in tracer.made if (v := ref()) is not None)
        return ValueError(
            "tf.function only supports singleton tf.Variables created on the first call. Make sure "
            "the tf.Variable is only created once or created outside tf.function. See "
            "https://www.tensorflow.org/guide/function#creating_tfvariables for more information. "
            f"({self.name} makes and keeps new ones when it is traced again: {names})"
        )

    def _tell(self, key: Any) -> None:
        calls = sum([trace.calls for trace in self.traces.values()])
        before, self._calls = self._calls, calls
        why = min((difference(self.names, key, old) for old in self.traces), key=len, default=[])
        self._retracing.traced(
            self.name, max(calls - before - 1, 0), self._reduce_retracing, "; ".join(why)
        )

    def explain(self, runs: int) -> str:
        """Describes the traces: what was traced, how often and why.

        Args:
          runs: How often the function ran as Python.
        """
        lines = [f"{self.name}: traced {_times(self.counted)}"]
        if runs:
            lines.append(
                f"  ran as Python {_times(runs)}: {self.as_python or 'as it was asked for'}"
            )
        for i, trace in enumerate(self.traces.values(), 1):
            shown = ", ".join(
                f"{name}: {describe_part(part)}"
                for name, part in zip(self.names, trace.key, strict=False)
            )
            graph = trace.call.graph
            lines.append(f"  {i}. ({shown}): called {_times(trace.calls)}")
            lines += [f"     {line}" for line in trace.view.description(graph)]
        return "\n".join(lines)


def _called(function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> object:
    """Calls a function; arguments that don't fit raise TensorFlow's errors."""
    try:
        return function(*args, **kwargs)
    except InvalidArgumentError as error:
        translated = while_tracing(error)
        if translated is error:
            raise
        raise translated from None


def _within_a_graph() -> bool:
    """Whether a function around this one is traced, whose graph takes this one's operations in."""
    recorders = STACK.recorders
    return any(isinstance(r, Tracer) for r in recorders) and all(
        isinstance(r, (Tracer, GradientTape)) for r in recorders
    )


@contextmanager
def _finished_if_given_up(tracer: Tracer) -> Iterator[None]:
    """A block in which a function is traced; what it kept of a trace that fails is out of scope."""
    try:
        yield
    except BaseException:
        tracer.finish()
        raise


def input_names(names: Sequence[str], template: tuple[Any, Any]) -> list[str]:
    """The name of the parameter in which each tensor arrives.

    Args:
      names: The parameters, in order.
      template: The arguments and named arguments with placeholders for tensors.
    """
    args, kwargs = template
    found: list[str] = []
    for i, part in enumerate(args):
        if i < len(names) - (len(args) > len(names)):
            name = names[i]
        else:  # of those behind a star
            name = f"{names[-1] if names else 'args'}_{i - max(len(names) - 1, 0)}"
        found += [name] * len(placeholders(part))
    for name, part in kwargs.items():
        found += [name] * len(placeholders(part))
    return found


def _weakly(x: Any) -> Any:
    """An argument that isn't kept alive unless it is a plain value."""
    return x if x is PLACEHOLDER or type(x) in PLAIN else IdentityKey(x)


def _are_same(after: Any, before: Any) -> bool:
    """Whether a structure has the parts that an equal one has."""
    if not nest.is_nested(before):
        return after is before or is_composite(type(before))
    if isinstance(before, dict) and after.keys() != before.keys():
        return False
    parts, known = list(nest.children_of(after)), list(nest.children_of(before))
    return len(parts) == len(known) and all(map(_are_same, parts, known))


def _times(n: int) -> str:
    return "once" if n == 1 else f"{n} times"


def _known(x: Tensor) -> Any:
    """A tensor's value; None if it is a symbol itself."""
    return None if type(x._value) is Symbol else x._value


def _value_of(x: Any) -> Any:
    """A result as a tensor of its own, a variable as its value, a dataset as what holds it."""
    if hasattr(type(x), "_given_out"):
        return x._given_out()
    return x._read() if isinstance(x, Variable) else x


def _shown(shape: Any) -> Any:
    """A shape as a program sees it."""
    return shape.known() if isinstance(shape, Lengths) else shape
