"""Operations that consist of graphs: conditionals and loops, differentiable to any order."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from gradtape._src.autodiff.arguments import UnconnectedGradients, pushed
from gradtape._src.autodiff.tape import GradientTape
from gradtape._src.autodiff.vectorize import Batch, Vectorizer
from gradtape._src.base.device_values import lock_of_graphs
from gradtape._src.compute.raw_value import boxed
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.primitive import BoundOutputs, Plan, Primitive, bind
from gradtape._src.core.recorder import STACK, replaced
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.structural import broadcast_to_p, zeros
from gradtape._src.declare.unknown_sizes import Size
from gradtape._src.graph.ir.graph import Graph, Spec
from gradtape._src.graph.ir.state import is_assignment, is_read
from gradtape._src.graph.nested.dependence import (
    Run,
    connected_inputs,
    graph_of,
    is_linear,
    led_on,
)
from gradtape._src.graph.nested.graph_call import GraphCall
from gradtape._src.graph.tracing.tracer import tracing
from gradtape._src.ops.array.joining import stack, unstack

_ZERO = UnconnectedGradients.ZERO


class Composed(Protocol):
    """The implementation of a structured operation."""

    specs: tuple[Spec, ...]
    """The shape and dtype of each output."""

    @property
    def graphs(self) -> list[Graph]:
        """The graphs of its parts."""

    def run(self, inputs: list[Tensor]) -> list[Tensor]:
        """Computes the outputs by operations that tapes can record."""


class Structured(Primitive):
    """An operation that runs graphs; its parameter `of` is the implementation.

    Its derivative is another structured operation, which runs the first one under a tape.
    """

    always_node = True
    """Whether it becomes a node even if all of its inputs are known."""

    def make_plan(self, mask: int) -> Plan:
        return Plan(self, self._keep, self._vjp)

    def _keep(self, inputs: Sequence[Tensor], out: Any, params: Any) -> Any:
        return tuple(inputs), (params["of"], [*map(_spec, out)])

    def _vjp(self, g: Any, ids: Sequence[int], saved: Sequence[Any], static: Any) -> Any:
        of, outs = static

        def gradient(wanted: Sequence[int], live: Sequence[int], specs: Any, given: Any) -> Any:
            made = Gradient(of, tuple(wanted), tuple(live), ins)
            return self.bind(*saved, *given, of=made)

        ins = [*map(_spec, saved)]
        return _cotangents(g, led_on(of, ids, g), ins, outs, gradient)

    def performed(self, inputs: Sequence[Tensor], of: Composed, stateful: bool) -> list[Tensor]:
        """Runs the operation, or makes a node that runs even if its outputs are not used.

        If tapes watch and it can't run twice, a separate tape records the single run.

        Args:
          inputs: Its inputs.
          of: Its implementation.
          stateful: Whether it has effects.
        """
        if not getattr(of, "has_gradient", True):
            inputs = [Tensor(x._value) for x in inputs]
        tracer = tracing()
        before = 0 if tracer is None else len(tracer.nodes)
        outs: Any
        if stateful and _are_followed(inputs) and _acts_once(of):
            of = Followed(of)
            outs = followed_p(*inputs, of=of)[:-1]
        elif inputs:
            outs = self.bind(*inputs, of=of)
        elif tracer is not None:
            outs = tracer.add(self, [], {"of": of}, of.specs, stateful)
        else:
            outs = tuple(map(Tensor, self.kernel(of=of)))
        if stateful and tracer is not None:
            for node in tracer.nodes[before:]:
                node.stateful |= node.params.get("of") is of
        return list(outs)

    def batch(
        self, size: int, batched: Sequence[bool], inputs: Sequence[Tensor], params: dict[str, Any]
    ) -> Tensor | tuple[Tensor, ...]:
        """Computes the operation for a batch of examples; all results differ by example."""
        return self.bind(*inputs, of=Batched(params["of"], size, tuple(batched)))


def _dtype(x: Any) -> Any:
    return x._value.dtype if type(x) is Tensor else x.dtype


def _spec(x: Any) -> Any:
    return shape_of(x), _dtype(x)


def _cotangents(
    g: Sequence[Any],
    ids: Sequence[int],
    inputs: Sequence[Spec],
    outputs: Sequence[Spec],
    gradient: Callable[..., Sequence[Any]],
) -> list[Any]:
    """Returns a cotangent for each input, None for those that are not tracked or discrete.

    Args:
      g: The cotangents of the outputs.
      ids: The ids of the inputs that a tape tracks, or 0.
      inputs: The specs of the inputs.
      outputs: The specs of the outputs.
      gradient: Computes the cotangents of the wanted inputs; its arguments are the positions of
        wanted inputs and of outputs with a cotangent, these inputs' specs, and the cotangents.
    """
    live = [i for i, (_, dtype) in enumerate(outputs) if dtype.kind not in "biuO"]
    wanted = [i for i, (_, dtype) in enumerate(inputs) if ids[i] and dtype.kind not in "biuO"]
    if not wanted:
        return [None] * len(inputs)
    given = [zeros(*outputs[i]) if g[i] is None else g[i] for i in live]
    found = gradient(wanted, live, [inputs[i] for i in wanted], given)
    by_place = dict(zip(wanted, found, strict=True))
    return [by_place.get(i) for i in range(len(inputs))]


def run_composed(*values: Any, of: Composed) -> tuple[Any, ...]:
    """Returns the kernel of structured operations."""
    if not STACK.recorders:  # important for functions of datasets, which run for each element
        return tuple([y._value for y in of.run([Tensor(v) for v in values])])
    with replaced(()):
        return tuple([y._value for y in of.run([Tensor(v) for v in values])])


def _are_followed(xs: Sequence[Tensor]) -> bool:
    """Whether a tape watches one of these tensors."""
    tapes = [r for r in STACK.recorders if r.is_tape]
    return any(x._id in tape.ids for tape in tapes for x in xs)


def _acts_once(of: Any) -> bool:
    """Whether an operation has effects that must not happen twice."""
    if not hasattr(of, "graphs") or getattr(of, "rows", None) is not None:
        return not getattr(of, "only_checks", False)
    for node in [node for graph in of.graphs for node in graph.nodes if node.stateful]:
        if "of" in node.params:
            if _acts_once(node.params["of"]):
                return True
        elif not (is_read(node) or is_assignment(node)):
            return True
    return False


class _Around:
    """An operation that runs another structured operation."""

    of: Composed

    @property
    def graphs(self) -> list[Graph]:
        """The graphs of the other operation's parts."""
        return self.of.graphs


class Followed(_Around):
    """An operation that can't run twice; the tape that recorded it is its last output."""

    def __init__(self, of: Composed) -> None:
        self.of = of
        self.specs = (*of.specs, ((), np.dtype(object)))

    def run(self, inputs: list[Tensor]) -> list[Tensor]:
        """Runs the operation under a tape."""
        xs = [Tensor(x._value) for x in inputs]
        with GradientTape(persistent=True, watch_accessed_variables=False) as tape:
            tape.watch([x for x in xs if _dtype(x).kind not in "biuO"])
            outs = self.of.run(xs)
        return [*outs, Tensor(boxed((tape, xs, outs)))]


class _FollowedPrimitive(Structured):
    """The operation of `Followed`, which has a first derivative."""

    def _keep(self, inputs: Sequence[Tensor], out: Any, params: Any) -> Any:
        return (out[-1],), (params["of"].of, [*map(_spec, out[:-1])], [*map(_spec, inputs)])

    def _vjp(self, g: Any, ids: Sequence[int], saved: Sequence[Any], static: Any) -> Any:
        of, outs, ins = static

        def gradient(wanted: Sequence[int], live: Sequence[int], specs: Any, given: Any) -> Any:
            return gone_back_p(saved[0], *given, of=_GoneBack(wanted, live, specs))

        return _cotangents(g, led_on(of, ids, g), ins, outs, gradient)


class _GoneBack:
    """The gradient of an operation that a tape has recorded."""

    graphs: Sequence[Graph] = ()

    def __init__(self, wanted: Sequence[int], live: Sequence[int], specs: Sequence[Spec]) -> None:
        self.wanted, self.live, self.specs = wanted, live, tuple(specs)

    def run(self, inputs: list[Tensor]) -> list[Tensor]:
        """Returns the gradients of the wanted inputs, from a tape and the cotangents."""
        tape, xs, outs = inputs[0]._value.item()
        found = tape.gradient(
            [outs[i] for i in self.live],
            [xs[i] for i in self.wanted],
            output_gradients=inputs[1:],
            unconnected_gradients=_ZERO,
        )
        return [convert_to_tensor(d) for d in found]


def structured(name: str) -> BoundOutputs[tuple[Tensor, ...]]:
    """Declares a structured operation, a function of its inputs and the parameter `of`."""
    declared: Any = bind(Structured(name, run_composed))
    run: BoundOutputs[tuple[Tensor, ...]] = declared
    return run


class Gradient(_Around):
    """The gradient of a structured operation, as a function of its inputs and cotangents."""

    def __init__(
        self,
        of: Composed,
        wanted: tuple[int, ...],
        live: tuple[int, ...],
        given: Sequence[Spec],
    ) -> None:
        self.of, self.wanted, self.live, self.count = of, wanted, live, len(given)
        self.given, self.specs = given, tuple([given[i] for i in wanted])

    @cached_property
    def connected(self) -> list[set[int]] | None:
        """The inputs that each output may depend on differentiably; None if all may be some.

        The gradient of branches that are linear depends on cotangents alone. Values that other
        branches compute for it are results of the conditional, which depend on all of its inputs.
        """
        if not isinstance(self.of, If):
            return None
        specs = [*self.given, *[self.of.specs[i] for i in self.live]]
        runs = [functools.partial(self.by_running, run) for run in self.of.choices]
        found = set(range(self.count, len(specs)))
        if not all(is_linear(graph_of(run, specs), found) for run in runs):
            found = found.union(*self.of.connected)
        return [found] * len(self.wanted)

    def run(self, inputs: list[Tensor]) -> list[Tensor]:
        """Runs the operation again under a tape, and computes the gradient."""
        return self.by_running(self.of.run, inputs)

    def by_running(self, run: Run, inputs: Sequence[Tensor]) -> list[Tensor]:
        """Returns the gradient, computed with another function that runs the operation."""
        xs = [Tensor(x._value, x._id) for x in inputs[: self.count]]
        return pulled_back(run, xs, inputs[self.count :], self.wanted, self.live)


def pulled_back(
    run: Run,
    xs: list[Tensor],
    dys: Sequence[Tensor],
    wanted: Sequence[int],
    live: Sequence[int],
) -> list[Tensor]:
    """Returns the gradients of a function's wanted inputs, given cotangents of its live results."""
    with GradientTape(watch_accessed_variables=False) as tape:
        sources = [xs[i] for i in wanted]
        tape.watch(sources)
        outs = run(xs)
    found = tape.gradient(
        [outs[i] for i in live],
        sources,
        output_gradients=list(dys),
        unconnected_gradients=_ZERO,
    )
    return [convert_to_tensor(d) for d in found]


class _DiffersByExampleError(Exception):
    """Raised if a conditional or loop depends on values that differ between examples.

    The examples then run one by one.
    """


class Batched(_Around):
    """A structured operation for a batch of examples.

    Args:
      of: The operation.
      size: The number of examples.
      flags: Whether each input differs by example, along axis 0.
    """

    def __init__(self, of: Composed, size: int, flags: tuple[bool, ...]) -> None:
        self.of, self.size, self.flags = of, size, flags
        self.specs = tuple([((size, *shape), dtype) for shape, dtype in of.specs])

    def run(self, inputs: list[Tensor]) -> list[Tensor]:
        """Runs the operation once for all examples, or for each one if that is not possible."""
        try:
            return self.at_once(self.of.run, inputs)
        except _DiffersByExampleError:
            pass
        rows = [
            unstack(x) if flag else [x] * self.size
            for x, flag in zip(inputs, self.flags, strict=True)
        ]
        outs = [self.of.run(list(each)) for each in zip(*rows, strict=True)]
        return [stack(list(column)) for column in zip(*outs, strict=True)]

    def at_once(self, run: Run, inputs: Sequence[Tensor]) -> list[Tensor]:
        """Returns the results of a function for all examples, with a first axis of examples."""
        return vectorized(run, self.size, self.flags, inputs)


def vectorized(
    run: Run,
    size: int,
    flags: Sequence[bool],
    inputs: Sequence[Tensor],
) -> list[Tensor]:
    """Returns a function's results for a batch of examples, with a first axis of examples.

    Args:
      run: The function.
      size: The number of examples.
      flags: Whether each input has an axis 0 of examples.
      inputs: The inputs.
    """
    vectorizer = Vectorizer(size)
    with pushed(vectorizer):
        outs = run([vectorizer.wrap(x) if b else x for x, b in zip(inputs, flags, strict=True)])
    return [_of_examples(y, vectorizer) for y in outs]


def _of_examples(y: Tensor, vectorizer: Vectorizer) -> Tensor:
    """Returns a result for a batch, with a first axis of examples."""
    value = y._value
    if type(value) is Batch and value.owner is vectorizer:
        inner: Tensor = value.inner
        return inner
    return broadcast_to_p(y, shape=(vectorizer.size, *shape_of(y)))


def _decided(flag: Tensor) -> bool:
    """Returns the value of a condition.

    Raises:
      _DiffersByExampleError: The condition differs by example.
    """
    if type(flag._value) is Batch:
        raise _DiffersByExampleError
    return bool(flag._value)


class If:
    """A conditional: one of two graphs with the same inputs and outputs.

    Args:
      branches: The graphs.
      places: The positions of each graph's inputs among those of the conditional.
      specs: The specs of the outputs.
      results: The number of results; further outputs are values of variables.
    """

    def __init__(
        self,
        branches: Sequence[GraphCall],
        places: Sequence[Sequence[int]],
        specs: Any,
        results: int,
    ) -> None:
        self.branches, self.places, self.specs = branches, places, tuple(specs)
        self.results = results

    @property
    def graphs(self) -> list[Graph]:
        """The graphs of its parts."""
        return [branch.graph for branch in self.branches]

    @property
    def choices(self) -> Sequence[Run]:
        """Functions of the inputs that run one branch each."""
        return [functools.partial(self._run_branch, i) for i in range(len(self.branches))]

    @cached_property
    def connected(self) -> list[set[int]]:
        """For each output, the positions of the inputs that it depends on in some branch.

        The results all count as dependent on what one of them depends on.
        """
        found: list[set[int]] = [set() for _ in self.specs]
        for place, graph in zip(self.places, self.graphs, strict=True):
            for output, inputs in zip(found, connected_inputs(graph), strict=True):
                output.update(place[i] for i in inputs)
        n = self.results
        return [set[int]().union(*found[:n])] * n + found[n:]

    def _run_branch(self, which: int, inputs: Sequence[Tensor]) -> list[Tensor]:
        return self.branches[which]([inputs[i] for i in self.places[which]])

    def run(self, inputs: list[Tensor]) -> list[Tensor]:
        """Runs the first graph if the first input is true, else the second one."""
        return self._run_branch(0 if _decided(inputs[0]) else 1, inputs)


class Whole:
    """A call of a function's graph. Its variables and random keys are inputs and outputs."""

    def __init__(self, call: Any, specs: Sequence[Spec]) -> None:
        self.call, self.specs = call, tuple(specs)

    @property
    def graphs(self) -> list[Graph]:
        """The function's graph."""
        return [self.call.graph]

    def with_variables(
        self, read: Mapping[int, Variable], assigned: Mapping[int, Variable]
    ) -> Whole | None:
        """Returns a call that reads and assigns variables; see `CompiledCall.with_variables`."""
        call = self.call.with_variables(read, assigned)
        specs = [spec for i, spec in enumerate(self.specs) if i not in assigned]
        return None if call is None else Whole(call, specs)

    def run(self, inputs: list[Tensor]) -> list[Tensor]:
        """Calls the function."""
        outs: list[Tensor] = self.call(inputs)
        return outs


class Rows(Protocol):
    """A source of tensors for each iteration of a loop."""

    specs: Sequence[Spec]
    """The specs of these tensors."""
    inputs: Sequence[Tensor]
    """The inputs of the loop for these tensors."""
    tied: bool
    """Whether their first lengths are checked to be the same."""
    lasting: bool
    """Whether fetching them changes other state, such as an iterator."""
    mark: int
    """A mark in the sequence of unknown lengths; later ones belong to an iteration."""

    def start(self, inputs: Sequence[Tensor]) -> Iterator[Sequence[Tensor]]:
        """Returns the tensors of each iteration."""


class While:
    """A loop: runs a graph on the carried values as long as another graph returns true.

    Args:
      test: A graph of carried values and captures that returns one bool.
      body: A graph of carried values and captures that returns the next carried values, and results
        to stack.
      carried: The number of carried values.
      places: The indices of the captures of the test and of the body in the operation's inputs.
      most: The maximum number of iterations, or None.
      specs: The specs of the carried values.
      rows: The source of additional values for the body in each iteration, or None.
    """

    repeats = True

    def __init__(
        self,
        test: GraphCall,
        body: GraphCall,
        carried: int,
        places: Sequence[Sequence[int]],
        most: int | None,
        specs: Any,
        rows: Rows | None = None,
    ) -> None:
        self.test, self.body, self.carried, self.places = test, body, carried, places
        self.most, self.specs, self.rows = most, tuple(specs), rows
        self.checks = rows is not None and rows.tied

    @property
    def graphs(self) -> list[Graph]:
        """The graphs of its parts."""
        return [self.test.graph, self.body.graph]

    def run(self, inputs: list[Tensor]) -> list[Tensor]:
        """Runs the body while the test holds."""
        state = list(inputs[: self.carried])
        tested, stepped = [[inputs[i] for i in p] for p in self.places]
        row: Sequence[Tensor] | None = ()
        turn = 0
        rows: Iterator[Sequence[Tensor]] | None = None
        if self.rows is not None:
            rows = self.rows.start(inputs[len(inputs) - len(self.rows.inputs) :])
        while self.most is None or turn < self.most:
            with replaced(tuple([r for r in STACK.recorders if not r.is_tape])):
                (flag,) = self.test([*state, *tested])
            if not _decided(flag):
                break
            if rows is not None:
                with lock_of_graphs.given_back():  # The elements may come from another thread.
                    row = next(rows, None)
                if row is None:
                    break
            state = self.body([*state, *stepped, *(row or ())])
            turn += 1
        return state


class Fold:
    """A loop over the rows of tensors.

    Args:
      body: A graph of carried values, captures and rows that returns the next carried values and
        results.
      carried: The number of carried values.
      captures: The number of captures.
      reverse: Whether to begin with the last row.
      specs: The specs of the carried values and of the stacked results.
    """

    repeats = True

    def __init__(
        self, body: GraphCall, carried: int, captures: int, reverse: bool, specs: Any
    ) -> None:
        self.body, self.carried, self.captures = body, carried, captures
        self.reverse, self.specs = reverse, tuple(specs)

    @property
    def graphs(self) -> list[Graph]:
        """The graphs of its parts."""
        return [self.body.graph]

    def run(self, inputs: list[Tensor]) -> list[Tensor]:
        """Runs the body on each row."""
        n, m = self.carried, self.carried + self.captures
        state, common, columns = inputs[:n], inputs[n:m], inputs[m:]
        count = len(columns[0])
        turns = range(count)
        rows = [unstack(x) for x in columns]
        results: list[list[Tensor]] = []
        for i in reversed(turns) if self.reverse else turns:
            out = self.body([*state, *common, *[column[i] for column in rows]])
            state = out[:n]
            results.append(out[n:])
        if self.reverse:
            results.reverse()
        stacked = [stack(list(column)) for column in zip(*results, strict=True)]
        if not results:
            specs = self.specs[n:]
            known = [(tuple([0 if type(k) is Size else k for k in s]), d) for s, d in specs]
            stacked = [Tensor(zeros(*spec)) for spec in known]
        return [*state, *stacked]


if_p = structured("If")
whole_p = structured("StatefulPartitionedCall")
while_p = structured("While")
reduce_p = structured("ReduceDataset")
_followed: Any = bind(_FollowedPrimitive("While", run_composed))
followed_p: BoundOutputs[tuple[Tensor, ...]] = _followed
gone_back_p = structured("WhileGrad")
fold_p = structured("Scan")
