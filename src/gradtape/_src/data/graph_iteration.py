"""Iteration over datasets in functions that are traced: operations of their graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from gradtape._src.base import nest
from gradtape._src.base.dtypes import DType, bool_, variant
from gradtape._src.base.errors import OutOfRangeError
from gradtape._src.core.tensor import Tensor
from gradtape._src.data.elements import elements as el
from gradtape._src.data.elements.graph_values import bound, held_symbols, of_run
from gradtape._src.data.elements.traced import StandIn, leaves_of, symbolic_element
from gradtape._src.declare.graph_operations import of_shape
from gradtape._src.declare.unknown_sizes import UnforeseenLength, lengths
from gradtape._src.graph.ir.graph import Spec, boxed
from gradtape._src.graph.ir.state import noted
from gradtape._src.graph.ir.traced_control_flow import while_loop
from gradtape._src.graph.ir.tracer import tracing
from gradtape._src.graph.ir.whole_calls import whole_call
from gradtape._src.ops.types.specs import TensorSpec

Source = Any
"""A dataset, iterator or optional, or a scalar that holds one."""
_HANDLE = of_shape((), variant)


def unboxed(source: Source) -> Source:
    """Gives what a scalar holds; another object as it is."""
    return source._value.item() if type(source) is Tensor else source


def element_of(
    name: str,
    source: Any,
    spec: el.Spec,
    stand_in: StandIn,
    take: Callable[[Any], el.Element],
) -> el.Element:
    """An element that an operation gives whenever the graph runs.

    Args:
      name: TensorFlow's name of the operation.
      source: What the element is taken from, or a scalar that holds that.
      spec: What is known of the element.
      stand_in: See `StandIn`.
      take: Takes the element from what the scalar holds.
    """
    tied = is_tied(spec)

    def leaves(new: Callable[..., Tensor], *_: Any) -> list[Tensor]:
        return _leaves(spec, new, tied)

    def run(source: Any) -> list[Tensor]:
        return _tensors(take(unboxed(source)), tied, spec)

    found: Any = whole_call(name, run, (source,), {}, leaves, True, True, tied)
    return packed(spec, found, stand_in)


def is_tied(spec: el.Spec) -> bool:
    """Whether the tensors of an element are taken to have one number of rows, as in batches.

    Where they turn out to have several, the function runs as Python.
    """
    leaves = nest.flatten(spec)
    if not all(isinstance(leaf, (TensorSpec, el.NoneTensorSpec)) for leaf in leaves):
        return False
    shapes = [leaf.shape for leaf in el.tensor_specs(spec)]
    return sum(1 for shape in shapes if shape.rank and shape[0] is None) > 1


def _leaves(spec: el.Spec, new: Callable[..., Tensor], tied: bool) -> list[Tensor]:
    """The tensors of an element, in order, made by `new`."""
    made: list[Tensor] = []
    tracer = tracing()
    assert tracer is not None
    rows = tracer.decisions.new() if tied else None

    def noted(shape: Sequence[Any], dtype: DType) -> Tensor:
        open_rows = tied and len(shape) > 0 and shape[0] is None
        made.append(new([rows, *shape[1:]] if open_rows else shape, dtype))
        return made[-1]

    symbolic_element(spec, noted, lambda *_: None)
    return made


def _tensors(element: el.Element, tied: bool, spec: el.Spec) -> list[Tensor]:
    """The tensors of an element.

    Raises:
      UnforeseenLength: They don't have one number of rows, but should.
    """
    values = leaves_of(element)
    if tied:
        pairs = zip(values, el.tensor_specs(spec), strict=True)
        if len({x.shape[0] for x, s in pairs if s.shape.rank and s.shape[0] is None}) > 1:
            raise UnforeseenLength("the tensors of a batch have different numbers of rows")
    return [*map(Tensor, values)]


def packed(spec: el.Spec, leaves: Sequence[Tensor], stand_in: StandIn) -> el.Element:
    """An element of the tensors that are its leaves."""
    following = iter(leaves)
    return symbolic_element(spec, lambda *_: next(following), stand_in)


def next_of(iterator: Any) -> el.Element:
    """The next element of an iterator; OutOfRangeError if there isn't one."""
    for element in iterator._elements:
        noted(partial(iterator._elements.give_back, element))
        return element
    raise OutOfRangeError(None, None, "End of sequence")


def made_in_graph(
    name: str, make: Callable[[Callable[[], Iterator[Any]]], Any], produce: Any, stateful: bool
) -> Tensor:
    """A scalar that holds an object made of a dataset whenever the graph runs.

    Args:
      name: TensorFlow's name of the operation.
      make: Makes the object of a function that starts iterations.
      produce: The dataset's own, which may depend on symbols.
      stateful: Whether the object is another one at each run.
    """
    symbols = held_symbols()

    def run(inputs: Sequence[Tensor]) -> Tensor:
        return Tensor(boxed(make(bound(produce, of_run(symbols, inputs)))))

    made: Tensor = whole_call(name, run, ([*map(Tensor, symbols)],), {}, _HANDLE, stateful, True)
    return made


def handle_from(name: str, source: Any, take: Callable[[Any], Any]) -> Tensor:
    """A scalar that holds what is taken from an iterator whenever the graph runs."""

    def run(source: Any) -> Tensor:
        return Tensor(boxed(take(unboxed(source))))

    made: Tensor = whole_call(name, run, (source,), {}, _HANDLE, stateful=True, undone=True)
    return made


def flag_of(name: str, handle: Tensor, tell: Callable[[Any], bool]) -> Tensor:
    """A bool that is told of what a scalar holds."""

    def run(source: Any) -> Tensor:
        return Tensor(np.bool_(tell(unboxed(source))))

    made: Tensor = whole_call(name, run, (handle,), {}, of_shape((), bool_), stateful=False)
    return made


def size_of(handle: Tensor) -> Tensor:
    """The number of elements of the dataset that a scalar holds, as `Dataset.cardinality`."""

    def run(source: Any) -> Tensor:
        return Tensor(np.int64(unboxed(source)._cardinality))

    made: Tensor = whole_call(
        "DatasetCardinality", run, (handle,), {}, of_shape((), np.dtype(np.int64)), stateful=False
    )
    return made


class _ElementRows:
    """The elements of a dataset or an iterator, for the turns of a loop.

    Args:
      spec: What is known of them.
      inputs: What the loop needs to begin.
      start: Begins to take elements.
      lasting: Whether they are an iterator's.
    """

    def __init__(
        self,
        spec: el.Spec,
        inputs: Sequence[Tensor],
        start: Callable[[Sequence[Tensor]], Iterator[el.Element]],
        lasting: bool,
    ) -> None:
        tracer = tracing()
        assert tracer is not None
        owner, self.mark = tracer, tracer.decisions.mark()
        self.inputs, self._start = inputs, start
        self.lasting, self.tied = lasting, is_tied(spec)
        self._spec = spec

        def new(shape: Sequence[Any], dtype: DType) -> Tensor:
            known = lengths([owner.decisions.new() if n is None else n for n in shape])
            return Tensor(owner.symbol((known, dtype.np_dtype)))

        made = [x._value for x in _leaves(spec, new, self.tied)]
        self.specs: Sequence[Spec] = [(x.shape, x.np_dtype) for x in made]

    def start(self, inputs: Sequence[Tensor]) -> Iterator[Sequence[Tensor]]:
        """The tensors of each turn."""
        return (_tensors(element, self.tied, self._spec) for element in self._start(inputs))


def loop(
    source: Any,
    stand_in: StandIn,
    first: Sequence[Any],
    step: Callable[..., Any],
    goes: Callable[..., Any] | None = None,
) -> Sequence[Any]:
    """Traces a loop over the elements of a dataset or an iterator.

    Args:
      source: The dataset or iterator.
      stand_in: See `StandIn`.
      first: The first values of the loop variables.
      step: `(variables, element) -> variables`.
      goes: Whether the loop goes on, a function of the variables; None: to the end.
    """
    spec = source.element_spec
    if hasattr(source, "_elements"):  # an iterator
        held = [] if source._handle is None else [source._handle]

        def start(inputs: Sequence[Tensor]) -> Iterator[el.Element]:
            elements: Iterator[el.Element] = unboxed(inputs[0] if inputs else source)._elements
            return elements

        rows = _ElementRows(spec, held, start, True)
    else:
        symbols = held_symbols() if source._in_graph else []

        def begin(inputs: Sequence[Tensor]) -> Iterator[el.Element]:
            return bound(source._produce, of_run(symbols, inputs))()

        rows = _ElementRows(spec, [*map(Tensor, symbols)], begin, False)
    count = len(first)

    def body(*given: Any) -> Sequence[Any]:
        element = packed(spec, given[count:], stand_in)
        following: Sequence[Any] = step(given[:count], element)
        return following

    test = (lambda *_: True) if goes is None else goes
    return while_loop(lambda *state: test(state), body, list(first), None, None, rows)
