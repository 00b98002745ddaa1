"""Operations made of graphs: choices and loops, differentiable to any order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from gradtape._src.autodiff.arguments import UnconnectedGradients
from gradtape._src.autodiff.tape import GradientTape
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.primitive import BoundOutputs, Plan, Primitive, bind
from gradtape._src.core.recorder import replaced
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.structural import zeros
from gradtape._src.graph.ir.graph import Graph, Spec
from gradtape._src.graph.ir.graph_call import GraphCall
from gradtape._src.ops.array.joining import stack, unstack

_ZERO = UnconnectedGradients.ZERO


class Composed(Protocol):
    """What a structured operation does."""

    specs: tuple[Spec, ...]
    """The shape and dtype of each output."""

    @property
    def graphs(self) -> list[Graph]:
        """The graphs of its parts."""

    def run(self, inputs: list[Tensor]) -> list[Tensor]:
        """Computes the outputs by operations that tapes can follow."""


class Structured(Primitive):
    """An operation that is done by graphs; its parameter `of` says how.

    Its derivative is an operation of the same kind, which runs the first one under a tape.
    """

    staged = True
    """Whether it becomes a node even where all of its inputs are known."""

    def make_plan(self, mask: int) -> Plan:
        return Plan(self, self._keep, self._pull)

    def _keep(self, inputs: Sequence[Tensor], out: Any, params: Any) -> Any:
        return tuple(inputs), (params["of"], [(shape_of(y), _dtype(y)) for y in out])

    def _pull(self, g: Any, ids: Sequence[int], saved: Sequence[Any], static: Any) -> Any:
        of, outs = static
        live = tuple([i for i, (_, dtype) in enumerate(outs) if dtype.kind not in "biuO"])
        wanted = [i for i, x in enumerate(saved) if ids[i] and _dtype(x).kind not in "biuO"]
        out: list[Any] = [None] * len(saved)
        if not wanted:
            return out
        given = [zeros(*outs[i]) if g[i] is None else g[i] for i in live]
        specs = tuple([(shape_of(saved[i]), _dtype(saved[i])) for i in wanted])
        gradient = Gradient(of, tuple(wanted), live, len(saved), specs)
        found = self.bind(*saved, *given, of=gradient)
        for i, d in zip(wanted, found, strict=True):
            out[i] = d
        return out


def _dtype(x: Any) -> Any:
    return x._value.dtype if type(x) is Tensor else x.dtype


def run_composed(*values: Any, of: Composed) -> tuple[Any, ...]:
    """The kernel of structured operations."""
    with replaced(()):
        return tuple([y._value for y in of.run([Tensor(v) for v in values])])


def structured(name: str) -> BoundOutputs[tuple[Tensor, ...]]:
    """Declares a structured operation: a function of its inputs and the parameter `of`."""
    declared: Any = bind(Structured(name, run_composed))
    run: BoundOutputs[tuple[Tensor, ...]] = declared
    return run


class Gradient:
    """The gradient of a structured operation: of its inputs and its outputs' cotangents."""

    def __init__(
        self,
        of: Composed,
        wanted: tuple[int, ...],
        live: tuple[int, ...],
        count: int,
        specs: tuple[Spec, ...],
    ) -> None:
        self.of, self.wanted, self.live, self.count, self.specs = of, wanted, live, count, specs

    @property
    def graphs(self) -> list[Graph]:
        """The graphs of the operation's parts."""
        return self.of.graphs

    def run(self, inputs: list[Tensor]) -> list[Tensor]:
        """Runs the operation once more, under a tape, and goes back."""
        xs, dys = [Tensor(x._value, x._id) for x in inputs[: self.count]], inputs[self.count :]
        with GradientTape(watch_accessed_variables=False) as tape:
            sources = [xs[i] for i in self.wanted]
            tape.watch(sources)
            outs = self.of.run(xs)
        found = tape.gradient(
            [outs[i] for i in self.live],
            sources,
            output_gradients=list(dys),
            unconnected_gradients=_ZERO,
        )
        return [convert_to_tensor(d) for d in found]


class If:
    """A choice between two graphs of the same inputs and outputs."""

    def __init__(
        self, branches: Sequence[GraphCall], places: Sequence[Sequence[int]], specs: Any
    ) -> None:
        self.branches, self.places, self.specs = branches, places, tuple(specs)

    @property
    def graphs(self) -> list[Graph]:
        """The graphs of its parts."""
        return [branch.graph for branch in self.branches]

    def run(self, inputs: list[Tensor]) -> list[Tensor]:
        """Runs the first graph where the first input is true, else the second one."""
        which = 0 if bool(inputs[0]._value) else 1
        return self.branches[which]([inputs[i] for i in self.places[which]])


class While:
    """A loop: a graph of the carried values as long as another graph gives true.

    Args:
      test: Of carried values and captures; gives one bool.
      body: Of carried values and captures; gives the next carried values, and what is stacked.
      carried: How many values are carried.
      places: For the test and the body, where in the operation's inputs its captures are.
      most: The most turns; None for any number.
      specs: The specs of the carried values.
    """

    def __init__(
        self,
        test: GraphCall,
        body: GraphCall,
        carried: int,
        places: Sequence[Sequence[int]],
        most: int | None,
        specs: Any,
    ) -> None:
        self.test, self.body, self.carried, self.places = test, body, carried, places
        self.most, self.specs = most, tuple(specs)

    @property
    def graphs(self) -> list[Graph]:
        """The graphs of its parts."""
        return [self.test.graph, self.body.graph]

    def run(self, inputs: list[Tensor]) -> list[Tensor]:
        """Runs the body while the test holds."""
        state = list(inputs[: self.carried])
        tested, stepped = [[inputs[i] for i in p] for p in self.places]
        turn = 0
        while self.most is None or turn < self.most:
            with replaced(()):
                goes = bool(self.test([*state, *tested])[0]._value)
            if not goes:
                break
            state = self.body([*state, *stepped])
            turn += 1
        return state


class Fold:
    """A loop over the rows of tensors.

    Args:
      body: Of carried values, captures and rows; gives the next carried values and results.
      carried: How many values are carried.
      captures: How many captures there are.
      reverse: Whether it begins with the last row.
      specs: The specs of the carried values and of the stacked results.
    """

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
            stacked = [Tensor(zeros(*spec)) for spec in self.specs[n:]]
        return [*state, *stacked]


if_p = structured("If")
while_p = structured("While")
fold_p = structured("Scan")
