"""Iteration over datasets in functions that are traced: operations of their graphs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from gradtape._src.base import nest
from gradtape._src.base.dtypes import DType, bool_
from gradtape._src.base.errors import OutOfRangeError
from gradtape._src.compute.raw_value import boxed
from gradtape._src.core.tensor import Tensor
from gradtape._src.data.elements import elements as el
from gradtape._src.data.elements.graph_values import bound, held_symbols, in_graph, of_run
from gradtape._src.data.elements.traced import StandIn, leaves_of, symbolic_element
from gradtape._src.declare.graph_operations import of_shape
from gradtape._src.declare.unknown_sizes import UnforeseenLength
from gradtape._src.graph.ir.graph import Spec
from gradtape._src.graph.ir.state import noted
from gradtape._src.graph.nested.traced_control_flow import while_loop
from gradtape._src.graph.nested.whole_calls import whole_call
from gradtape._src.graph.tracing.tracer import tracing
from gradtape._src.ops.types.specs import TensorSpec

Source = Any
"""A dataset, iterator or optional, or a scalar that holds one."""
_HANDLE = of_shape((), np.dtype(object))


def unboxed(source: Source) -> Source:
    """Returns the object that a scalar holds; other objects are returned unchanged."""
    return source._value.item() if type(source) is Tensor else source


def element_of(
    name: str,
    source: Any,
    spec: el.Spec,
    stand_in: StandIn,
    take: Callable[[Any], el.Element],
) -> el.Element:
    """Makes a symbolic element, which an operation of the graph computes at each run.

    Args:
      name: TensorFlow's name of the operation.
      source: The dataset or iterator, or a scalar that holds it.
      spec: The spec of the element.
      stand_in: See `StandIn`.
      take: A function that takes the element from the object that the scalar holds.
    """
    tied = tied_rows(spec)

    def leaves(new: Callable[..., Tensor], *_: Any) -> list[Tensor]:
        return _leaves(spec, new, tied)

    def run(source: Any) -> list[Tensor]:
        return _tensors(take(unboxed(source)), tied)

    found: Any = whole_call(name, run, (source,), {}, leaves, True, True, bool(tied), waits=True)
    return packed(spec, found, stand_in)


def tied_rows(spec: el.Spec) -> list[int | None]:
    """Returns the groups of tensors in an element that are assumed to have equally many rows.

    If their numbers of rows differ at run time, the function runs as Python code.

    Returns:
      The group of each tensor, or None; an empty list if there are no groups.
    """
    if not all(isinstance(x, (TensorSpec, el.NoneTensorSpec)) for x in nest.flatten(spec)):
        return []
    groups: list[int | None] = []
    for i, part in enumerate(spec if type(spec) is el.Parts else [spec]):
        shapes = [leaf.shape for leaf in el.tensor_specs(part)]
        is_open = [bool(shape.rank) and shape[0] is None for shape in shapes]
        groups += [i if x and sum(is_open) > 1 else None for x in is_open]
    return groups if any(group is not None for group in groups) else []


def _leaves(spec: el.Spec, new: Callable[..., Tensor], tied: Sequence[int | None]) -> list[Tensor]:
    """Makes the tensors of an element by calls of `new`, in order."""
    made: list[Tensor] = []
    tracer = tracing()
    assert tracer is not None
    rows = defaultdict[int, Any](tracer.decisions.new)

    def noted(shape: Sequence[Any] | None, dtype: DType) -> Tensor:
        group = tied[len(made)] if tied else None
        if shape is not None and group is not None:
            shape = [rows[group], *shape[1:]]
        made.append(new(shape, dtype))
        return made[-1]

    symbolic_element(spec, noted, lambda *_: None)
    return made


def _tensors(element: el.Element, tied: Sequence[int | None]) -> list[Tensor]:
    """Returns the tensors of an element.

    Raises:
      UnforeseenLength: The tensors of a group have different numbers of rows.
    """
    values = leaves_of(element)
    rows: dict[int, int] = {}
    for x, group in zip(values, tied, strict=False):
        if group is not None and rows.setdefault(group, x.shape[0]) != x.shape[0]:
            raise UnforeseenLength("the tensors of a batch have different numbers of rows")
    return [*map(Tensor, values)]


def packed(spec: el.Spec, leaves: Sequence[Tensor], stand_in: StandIn) -> el.Element:
    """Makes an element from its flattened tensors."""
    following = iter(leaves)
    return symbolic_element(spec, lambda *_: next(following), stand_in)


def next_of(iterator: Any) -> el.Element:
    """Returns the next element of an iterator; raises OutOfRangeError at the end."""
    for element in iterator._elements:
        noted(partial(iterator._elements.give_back, element))
        return element
    raise OutOfRangeError(None, None, "End of sequence")


def made_in_graph(
    name: str, make: Callable[[Callable[[], Iterator[Any]]], Any], produce: Any, stateful: bool
) -> Tensor:
    """Makes a scalar that holds an object, which is made from a dataset at each run of the graph.

    Args:
      name: TensorFlow's name of the operation.
      make: A function that makes the object from a function that starts iterations.
      produce: The function that starts iterations of the dataset, which may depend on symbols.
      stateful: Whether each run makes a new object.
    """
    symbols = held_symbols()

    def run(inputs: Sequence[Tensor]) -> Tensor:
        return Tensor(boxed(make(bound(produce, of_run(symbols, inputs)))))

    made: Tensor = whole_call(name, run, ([*map(Tensor, symbols)],), {}, _HANDLE, stateful, True)
    return made


def handle_from(name: str, source: Any, take: Callable[[Any], Any]) -> Tensor:
    """Makes a scalar that holds an element, which is taken from an iterator at each run."""

    def run(source: Any) -> Tensor:
        return Tensor(boxed(take(unboxed(source))))

    options = {"stateful": True, "undone": True, "waits": True}
    made: Tensor = whole_call(name, run, (source,), {}, _HANDLE, **options)
    return made


def flag_of(name: str, handle: Tensor, tell: Callable[[Any], bool]) -> Tensor:
    """Makes a boolean that is computed from the object that a scalar holds."""

    def run(source: Any) -> Tensor:
        return Tensor(np.bool_(tell(unboxed(source))))

    made: Tensor = whole_call(name, run, (handle,), {}, of_shape((), bool_), stateful=False)
    return made


def size_of(handle: Tensor) -> Tensor:
    """Returns the cardinality of the dataset that a scalar holds."""

    def run(source: Any) -> Tensor:
        return Tensor(np.int64(unboxed(source)._cardinality))

    made: Tensor = whole_call(
        "DatasetCardinality", run, (handle,), {}, of_shape((), np.dtype(np.int64)), stateful=False
    )
    return made


class _ElementRows:
    """The elements of a dataset or an iterator, for the iterations of a loop.

    Args:
      spec: The spec of the elements.
      inputs: The tensors that the loop needs to start.
      start: A function that starts taking elements.
      lasting: Whether the elements come from an iterator, which outlives the loop.
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
        self.lasting, self._tied = lasting, tied_rows(spec)
        self.tied = bool(self._tied)

        def new(shape: Sequence[Any] | None, dtype: DType) -> Tensor:
            return Tensor(owner.symbol((owner.decisions.shape_of(shape), dtype.np_dtype)))

        made = [x._value for x in _leaves(spec, new, self._tied)]
        self.specs: Sequence[Spec] = [(x.shape, x.np_dtype) for x in made]

    def start(self, inputs: Sequence[Tensor]) -> Iterator[Sequence[Tensor]]:
        """Yields the tensors of each iteration."""
        return (_tensors(element, self._tied) for element in self._start(inputs))


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
      first: The initial values of the loop variables.
      step: `(variables, element) -> variables`.
      goes: A function of the variables that returns whether the loop continues, or None to run to
        the end.

    Raises:
      UnimplementedError: An XLA program is being traced.
    """
    in_graph("a loop over a dataset")
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
