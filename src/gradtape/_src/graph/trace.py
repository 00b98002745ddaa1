"""One trace of a `tf.function`: the function for one kind of call, as a graph."""

from __future__ import annotations

import copy
from collections.abc import Callable, Container, Mapping, Sequence
from typing import Any
from weakref import WeakValueDictionary

from gradtape._src.autodiff.tape import GradientTape
from gradtape._src.base import nest
from gradtape._src.base.composite_tensor import is_composite
from gradtape._src.base.dtypes import as_dtype, resource
from gradtape._src.compute.parallel import Engine
from gradtape._src.core.recorder import STACK, active_tapes
from gradtape._src.core.resource_handles import variable_of
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.unknown_sizes import Decisions, Lengths, Size, UnforeseenLength
from gradtape._src.graph.composite_arguments import TypeKey, emptied
from gradtape._src.graph.input_signatures import is_made_of_tensors
from gradtape._src.graph.ir.graph import Graph, Node, Symbol
from gradtape._src.graph.nested.graph_call import GraphCall, taken_back
from gradtape._src.graph.replica_hooks import CACHE_MISS
from gradtape._src.graph.signatures import NO_VARIABLES, PLAIN, IdentityKey
from gradtape._src.graph.tracing.replay import called
from gradtape._src.graph.tracing.tracer import Tracer
from gradtape._src.ops.types.specs import TensorSpec, TypeSpec


class Trace:
    """A function for one kind of call, as a graph.

    Args:
      key: The key of such calls.
      tracer: The tracer that made the graph.
      result: The function's result.
      arguments: The arguments and named arguments, in the form of `weakly`.
      call_of: Makes the callable graph from the graph.
      variables: The variables among the arguments of the first call, by the ids of those that
        represent them in the graph.

    Attributes:
      graph: The traced graph.
      by_variables: The trace for other variables as arguments, by their ids.
      call: The callable graph.
      compiled: The graph that XLA runs after `set_jit(True)`, once it is compiled.
      whole: The graph without state, for calls by other graphs, in which it is one operation.
      refused: The reason why `set_jit(True)` did not compile it, if it failed.
      fast_call: A short way to call a compiled graph, if there is one.
      form: The class of the result if it is a tensor, None, or a list or tuple of tensors.
      parts: For each output, whether it is one replica's part of a value.
      can_expire: Whether it may have to be made again.
      fits_variables: Whether the variables still have the shapes that XLA's program is for.
      why: The differences from the most similar earlier call.
    """

    def __init__(
        self,
        key: Any,
        tracer: Tracer,
        result: Any,
        arguments: Any,
        call_of: Callable[[Graph], GraphCall],
        variables: Mapping[int, Variable] = NO_VARIABLES,
    ) -> None:
        flat = nest.flatten(result, expand_composites=True)
        self.key, self.calls = key, 0
        ALIVE[id(self)] = self
        for received in RECEIVERS:
            received.append(self)
        self.decisions: Decisions | None = None  # present for traces with unknown lengths
        self._places = [i for i, x in enumerate(flat) if type(x) is Tensor]
        outputs = [tracer.entry(flat[i]) for i in self._places]
        self.parts = [flat[i]._is_part for i in self._places]
        self._flat = [None if type(x) is Tensor else x for x in flat]
        self._single = len(flat) == 1 and flat[0] is result and bool(self._places)
        self.template = None if self._single else emptied(result)
        listed = type(result) in (list, tuple) and all(type(x) is Tensor for x in result)
        self.form = type(result) if self._single or listed or result is None else None
        self.result_specs = nest.map_structure(_result_spec, result)
        self.captured = [x for x, _ in tracer.captured]
        self._given = tuple(tracer.variables.values())
        unknown = tracer.unknown
        self._unbound = Graph(tracer.inputs, tracer.nodes, outputs, tracer.checks, unknown)
        self._represented, self._first = [*variables], tuple([v._id for v in variables.values()])
        self._captured = {v._id for v in self._given}.difference(variables)
        self._bind(variables, call_of)
        self.by_variables: dict[Any, Trace] = {}
        self.fits_variables: Callable[[], bool] = lambda: True
        self.why: list[str] = []
        self.view = tracer.view
        self.view.output_symbols = outputs
        leaves = tracer.inputs[: tracer.leaves]
        self.leaves = len(leaves)
        self._arguments = arguments
        shapes = [(i, x.shape) for i, x in enumerate(leaves) if type(x.shape) is Lengths]
        self._open = [(n.code, i, k) for i, s in shapes for k, n in enumerate(s) if type(n) is Size]
        self._constants = list(tracer.constants.values())
        self.can_expire = bool(self._constants)
        tracer.finish()

    def __call__(self, leaves: Sequence[Tensor]) -> Any:
        """Runs the graph on the tensors among the arguments.

        Returns CACHE_MISS if they do not fit.
        """
        self.calls += 1
        if self.mirrored and not all(v._alike for v in self.mirrored):
            return CACHE_MISS
        call = self.call if self.compiled is None or not Engine.is_xla else self.compiled
        inputs = [*leaves, *self.captured]
        try:
            if active_tapes() is None:
                outs = called(call.name, call.graph, inputs)
            elif call.checks:
                with taken_back(self.variables):
                    outs = call(inputs)
            else:
                outs = call(inputs)
        except UnforeseenLength:
            return CACHE_MISS
        return self.packed(outs)

    def _bind(
        self, variables: Mapping[int, Variable], call_of: Callable[[Graph], GraphCall]
    ) -> None:
        """Makes the graph for these variables in place of those that represent them."""
        self.variables = tuple([variables.get(v._id, v) for v in self._given])
        self.mirrored = [v for v in self.variables if v._replicated]
        self.graph = _with_variables(self._unbound, variables) if variables else self._unbound
        self.call = call_of(self.graph)
        self.compiled: GraphCall | None = None
        self.whole: GraphCall | None = None
        self.fast_call: Any = None
        self.refused = ""

    def for_variables(
        self,
        variables: Sequence[Variable],
        call_of: Callable[[Graph], GraphCall],
        ready: Callable[[Trace], None],
    ) -> Trace | None:
        """Returns this trace for other variables among the arguments.

        Returns None if the function also uses one of them otherwise, since the order of its reads
        and assignments then depends on that.

        Args:
          variables: The variables.
          call_of: Makes the callable graph from a graph.
          ready: Prepares a new trace.
        """
        distinct = {v._id: v for v in variables}
        key = tuple(distinct)
        if not self._captured.isdisjoint(key):
            return None
        found = self if key == self._first else self.by_variables.get(key)
        if found is None:
            found = copy.copy(self)
            found.calls = 0
            found._bind(dict(zip(self._represented, distinct.values(), strict=True)), call_of)
            ready(found)
            if len(self.by_variables) >= _MOST:
                self.calls = self.count()
                self.by_variables.clear()
            self.by_variables[key] = found
        return found

    def count(self) -> int:
        """Returns the number of calls so far."""
        return self.calls + sum([trace.calls for trace in self.by_variables.values()])

    @property
    def is_for_all_variables(self) -> bool:
        """Whether it can be made for other variables as arguments."""
        ids = set(self._represented)
        if any((v := variable_of(x)) is not None and v._id in ids for x in self.captured):
            return False  # a handle is a value of the graph
        return not ids or not any(_is_for_one(node, ids) for node in self._unbound.nodes)

    def fits(self, leaves: Sequence[Tensor]) -> bool:
        """Whether the decisions about unknown lengths hold for the lengths of tensors."""
        assert self.decisions is not None
        lengths: dict[str, int] = {}
        for name, i, axis in self._open:
            lengths[name] = leaves[i]._value.shape[axis]
        return self.decisions.hold(lengths)

    def arguments(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Returns the arguments and named arguments, with a spec in place of each tensor."""
        given: tuple[tuple[Any, ...], dict[str, Any]]
        given = nest.map_structure(
            lambda x: _argument_spec(x.value) if type(x) is IdentityKey else x, self._arguments
        )
        return given

    def packed(self, outs: Sequence[Tensor]) -> object:
        """Returns the result, made from its tensors."""
        if self._single:
            return outs[0]
        flat = list(self._flat)
        for i, y in zip(self._places, outs, strict=True):
            flat[i] = y
        return nest.pack_sequence_as(self.template, flat, expand_composites=True)

    def has_expired(self) -> bool:
        """Whether a tape watches a tensor that became a constant, or a variable's shape changed."""
        if not self.can_expire:
            return False
        if not self.fits_variables():
            return True
        tapes = [r for r in STACK.recorders if isinstance(r, GradientTape)]
        if not tapes:
            return False
        ids = {x._id for ref in self._constants if (x := ref()) is not None and x._id}
        return any(i in tape.ids for i in ids for tape in tapes)


_MOST = 100  # the number of sets of variables for which a graph is kept

ALIVE: WeakValueDictionary[int, Trace] = WeakValueDictionary()  # all traces, the oldest first
RECEIVERS: list[list[Trace]] = []
"""Lists to which each new trace is added, so that it outlives its function."""


def _with_variables(graph: Graph, variables: Mapping[int, Variable]) -> Graph:
    """Returns a graph with other variables, by the ids of those that they replace."""
    nodes = []
    for node in graph.nodes:
        other = variables.get(getattr(node.params.get("variable"), "_id", 0))
        params = node.params if other is None else {**node.params, "variable": other}
        nodes.append(node if other is None else node.with_params(params))
    return Graph(graph.inputs, nodes, graph.outputs, graph.checks)


def _is_for_one(node: Node, ids: set[int], is_part: bool = False) -> bool:
    """Whether a node may use variables with these ids otherwise than as a parameter."""
    of = node.params.get("of")
    if getattr(of, "changes_variables", False):
        return True
    if is_part and getattr(node.params.get("variable"), "_id", 0) in ids:
        return True
    graphs = getattr(of, "graphs", ())
    return any(_is_for_one(n, ids, True) for graph in graphs for n in graph.nodes)


def _result_spec(x: Any) -> Any:
    """Returns the spec of a result that is a tensor or a composite tensor; others are unchanged."""
    if type(x) is Tensor:
        kind = as_dtype(x._value.np_dtype) if type(x._value) is Symbol else x.dtype
        return TensorSpec(x.shape, kind)
    spec = x._type_spec if is_composite(type(x)) else None
    return spec if isinstance(spec, TypeSpec) and is_made_of_tensors(spec) else x


def weakly(x: Any, unchanged: Container[int]) -> Any:
    """Returns the spec of an argument of a trace, or a weak reference if it has no tensors.

    Args:
      x: The argument, with tensors of the graph.
      unchanged: The ids of the arguments that have no tensors of the graph.
    """
    if type(x) in PLAIN:
        return x
    if variable_of(x) is not None:
        return TensorSpec([], resource)
    return IdentityKey(x) if isinstance(x, Variable) or id(x) in unchanged else _argument_spec(x)


def _argument_spec(x: Any) -> Any:
    """Returns the spec of an argument, or the argument if it has no tensors."""
    if type(x) is Tensor:
        return _result_spec(x)
    if isinstance(x, Variable):
        return x
    for name in ("_argument_spec", "_type_spec"):
        if hasattr(type(x), name):
            own = getattr(x, name)
            return own() if callable(own) else own
    if hasattr(type(x), "__tf_tracing_type__"):
        return TypeKey(x).type
    return x
