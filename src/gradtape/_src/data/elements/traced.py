"""Functions of elements as graphs, traced once from the spec of the elements."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from gradtape._src.autograph.calls import converted
from gradtape._src.autograph.errors_in_user_code import in_user_code
from gradtape._src.autograph.errors_while_tracing import run_while_tracing
from gradtape._src.base import nest
from gradtape._src.base.device_values import state_lock
from gradtape._src.base.dtypes import DType, as_dtype, int64
from gradtape._src.base.errors import UnimplementedError
from gradtape._src.base.shapes import TensorShape
from gradtape._src.compute.raw_value import boxed
from gradtape._src.core.tensor import Tensor
from gradtape._src.data.elements import elements as el
from gradtape._src.data.elements.composites import RaggedRow
from gradtape._src.data.elements.graph_values import bound, held, of_run, present
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.unknown_sizes import NeedsSize, Size, UnforeseenLength, UnknownRank
from gradtape._src.graph.composite_arguments import emptied
from gradtape._src.graph.ir.graph import CannotTrace, Graph, Node, Symbol
from gradtape._src.graph.ir.state import is_read
from gradtape._src.graph.nested.graph_call import GraphCall
from gradtape._src.graph.tracing.tracer import Tracer, tracing
from gradtape._src.ops.random import distributions
from gradtape._src.ops.types.ragged_tensor import RaggedTensor, RaggedTensorSpec
from gradtape._src.ops.types.sparse_tensor import SparseTensor, SparseTensorSpec
from gradtape._src.ops.types.specs import TensorSpec

Finish = Callable[[Any], Any]
"""Makes an element of a function's result, or raises if the result is not an element."""
StandIn = Callable[[el.Spec, Tensor], Any]
"""Makes a dataset that represents a window, which a scalar holds when the graph runs."""
New = Callable[[Sequence[Any] | None, DType], Tensor]
"""Makes a symbolic tensor of a shape, with None for unknown lengths or rank, and of a dtype."""
_SYMBOL = re.compile(rf"\b{Symbol.__name__}\b")


class RandomStates:
    """The random generators of one iteration; with a seed, each iteration draws the same numbers.

    Args:
      starts: The initial state of each stream's generator.
    """

    def __init__(self, starts: dict[Any, int]) -> None:
        self._starts = starts
        self._streams: dict[Any, np.random.Generator] = {}

    def of(self, stream: Any) -> np.random.Generator:
        """Returns the generator of a stream."""
        found = self._streams.get(stream)
        if found is None:
            start = self._starts[stream]
            found = self._streams[stream] = np.random.Generator(np.random.Philox(start))
        return found


class ElementTracer(Tracer):
    """Traces a function of elements, whose seeded random numbers belong to an iteration.

    Attributes:
      starts: The initial states of its random streams.
      random_states: The random states of the current iteration.
    """

    of_elements = True

    def __init__(self) -> None:
        super().__init__(around=tracing())
        self.starts: dict[Any, int] = {}
        self.random_states = RandomStates(self.starts)

    def engine(self, stream: Any, draw_key: Any, make: Callable[[], Any] | None = None) -> Any:
        if type(stream) is not tuple or not distributions.is_seeded(stream[-1]):
            return super().engine(stream, draw_key, make)
        if make is None:
            return super().engine(stream, draw_key, make)
        if stream not in self.starts:
            self.starts[stream] = int(make().integers(2**63))
        return super().engine(None, draw_key, lambda: self.random_states.of(stream))


class Trace:
    """A function of elements as a graph, from raw elements to raw elements.

    Args:
      tracer: The tracer that made the graph.
      result: The element that the function returned.
      name: The function's name.
      otherwise: The function itself, for elements that the graph does not support.

    Attributes:
      spec: The spec of its results.
      ordered: Whether it has side effects, so that its calls must keep their order.
    """

    def __init__(
        self,
        tracer: ElementTracer,
        result: Any,
        name: str,
        otherwise: Callable[[el.Element], el.Element],
    ) -> None:
        self.spec = el.spec_of(result)
        flat = nest.flatten(result, expand_composites=True)
        if any(type(x) is not Symbol and hasattr(x, "element_spec") for x in flat):
            raise CannotTrace("the function returns a dataset")
        values = [_entry(tracer, x) for x in flat]
        self._flat = [None if type(x) is Symbol else x for x in values]
        self._wrapped = [type(x) is Tensor for x in flat]
        self._places = [i for i, x in enumerate(values) if type(x) is Symbol]
        self._result = emptied(_unwrapped(result))
        own = tracer.inputs[: tracer.leaves]
        self._names_of_lengths = [
            (n.code, i, axis)
            for i, x in enumerate(own)
            if type(x.shape) is not UnknownRank
            for axis, n in enumerate(x.shape)
            if type(n) is Size
        ]
        self._decisions, self._otherwise = tracer.decisions, otherwise
        names = [name for name, _, _ in self._names_of_lengths]
        checks = tracer.decisions.besides(names)
        outputs = [values[i] for i in self._places]
        self._call = GraphCall(Graph(tracer.inputs, tracer.nodes, outputs, checks), name)
        self._sure = not tracer.decisions.taken
        self._captured = captured_by(tracer)
        self._deferred = any(type(x) is Symbol for x in self._captured)
        self._tracer = tracer
        self._single = type(result) is Symbol and not self._captured and self._sure
        self._pair = type(result) is tuple and all(type(x) is Symbol for x in result)
        named = type(result) is dict and all(type(x) is Symbol for x in result.values())
        self._names = {name: sorted(result).index(name) for name in result} if named else None
        self.ordered = any(map(_has_order, self._call.graph.nodes))
        self._draws = bool(tracer.starts)
        tracer.close()

    def start(self) -> Callable[[el.Element], el.Element]:
        """Returns the function for the elements of one iteration."""
        captured = [*map(present, self._captured)] if self._deferred else self._captured
        if not self._draws:
            return partial(self._run, captured) if self._deferred else self.__call__
        random_states = RandomStates(self._tracer.starts)

        def drawing(element: el.Element) -> el.Element:
            with state_lock:
                self._tracer.random_states = random_states
                return self._run(captured, element)

        return drawing

    def __call__(self, element: el.Element) -> el.Element:
        if self._single and el.is_raw(element):
            return self._call.run((element,))[0]
        return self._run(self._captured, element)

    def _run(self, captured: Sequence[Any], element: el.Element) -> el.Element:
        if type(element) is tuple and all(map(el.is_raw, element)):
            leaves: Sequence[Any] = element
        else:
            leaves = leaves_of(element)
        if self._sure:
            outs = self._call.run([*leaves, *captured])
        else:
            if not self._fits(leaves):
                return self._as_python(element)
            try:
                outs = self._call.run([*leaves, *captured])
            except UnforeseenLength:
                return self._as_python(element)
        if self._single:
            return outs[0]
        if self._pair:
            return outs
        if self._names is not None:
            return {name: outs[i] for name, i in self._names.items()}
        flat = list(self._flat)
        for i, y in zip(self._places, outs, strict=True):
            flat[i] = y
        whole = [Tensor(x) if t else x for x, t in zip(flat, self._wrapped, strict=True)]
        return nest.pack_sequence_as(self._result, whole, expand_composites=True)

    def _as_python(self, element: el.Element) -> el.Element:
        if self._deferred:  # the captured values are known only to the graph
            raise UnforeseenLength("in a function of a dataset's elements")
        return self._otherwise(element)

    def _fits(self, leaves: Sequence[Any]) -> bool:
        """Returns whether the assumptions about unknown lengths hold for an element."""
        return self._decisions.hold(
            {name: leaves[i].shape[axis] for name, i, axis in self._names_of_lengths}
        )


def _entry(tracer: Tracer, x: Any) -> Any:
    """Returns the graph's output for a part of a result; symbols from outside become captures."""
    if type(x) is Symbol:
        return tracer.entry(Tensor(x))
    return tracer.entry(x) if type(x) is Tensor else x


def _has_order(node: Node) -> bool:
    """Returns whether an operation has ordered side effects.

    The side effects of Python functions have no fixed order.
    """
    python = getattr(node.params.get("of"), "changes_variables", False)
    return node.stateful and not is_read(node) and not python


def captured_by(tracer: Tracer) -> list[Any]:
    """Lists the captures of a function of elements: raw values, and symbols of outer graphs."""
    return [held(x._value) for x, _ in tracer.captured]


def leaves_of(element: el.Element) -> list[Any]:
    """Returns the raw values of an element; a window is represented by a scalar."""
    flat = [x.value if type(x) is RaggedRow else x for x in nest.flatten(element)]
    parts = [y for x in flat for y in nest.flatten(x, expand_composites=True)]
    values = [x._value if type(x) is Tensor else x for x in parts if x is not None]
    return [x if el.is_raw(x) else boxed(x) for x in values]


class DatasetTrace:
    """A function from elements to datasets, as a graph of the values that the dataset uses.

    Args:
      tracer: The tracer that made the graph.
      made: The dataset that the function returned.
      name: The function's name.

    Attributes:
      made: The dataset that the function returned.

    Raises:
      CannotTrace: It can't be traced for elements of all shapes.
    """

    def __init__(self, tracer: ElementTracer, made: Any, name: str) -> None:
        if tracer.decisions.taken:
            raise CannotTrace("a dataset depends on unknown lengths")
        self.made, self._symbols = made, list(tracer.held)
        self._call = GraphCall(Graph(tracer.inputs, tracer.nodes, self._symbols), name)
        self._captured = captured_by(tracer)
        tracer.close()

    def __call__(self, element: el.Element) -> Any:
        """Returns the dataset of an element."""
        captured = map(present, self._captured)
        outs = self._call.run([*leaves_of(element), *captured])
        values = of_run(self._symbols, [*map(Tensor, outs)])
        return self.made._then(self.made._kind, bound(self.made._produce, values))


def _unwrapped(result: Any) -> Any:
    """Replaces each symbol in a result by a small example value."""
    return nest.map_structure(lambda x: np.int8(0) if type(x) is Symbol else x, result)


def _arguments(tracer: Tracer, spec: el.Spec, stand_in: StandIn) -> tuple[Any, ...]:
    """Returns the arguments with which a function of elements is called while it is traced."""

    def new(shape: Sequence[Any] | None, dtype: DType) -> Tensor:
        tracer.leaves += 1
        return tracer.input((tracer.decisions.shape_of(shape), dtype.np_dtype))

    given = symbolic_element(spec, new, stand_in)
    return given if type(given) is tuple else (given,)


def symbolic_element(spec: el.Spec, new: New, stand_in: StandIn) -> el.Element:
    """Makes a symbolic element of a spec.

    Args:
      spec: The spec.
      new: A function that makes the tensors, in the order of `leaves_of`.
      stand_in: See `StandIn`.

    Raises:
      CannotTrace: The rank of a tensor is not known.
    """

    def argument(leaf: Any) -> object:
        if isinstance(leaf, el.NoneTensorSpec):
            return None
        if isinstance(leaf, el.DatasetSpec):
            return stand_in(leaf.element_spec, new([], as_dtype(object)))
        rank = getattr(leaf, "shape", TensorShape(None)).rank
        if isinstance(leaf, TensorSpec):
            return new(None if rank is None else leaf.shape.as_list(), leaf.dtype)
        if rank is not None and isinstance(leaf, RaggedTensorSpec):
            return _ragged(new, leaf)
        if rank is not None and isinstance(leaf, SparseTensorSpec):
            count = new([None, rank], int64)
            values = new(shape_of(count)[:1], leaf.dtype)
            return SparseTensor(count, values, _lengths(new([rank], int64), leaf.shape))
        raise CannotTrace(f"an element of {leaf}")

    return nest.map_structure(argument, spec)


def _lengths(dense_shape: Tensor, known: TensorShape) -> Tensor:
    """Returns the dense shape of a sparse element, and records the lengths that are known."""
    symbol = dense_shape._value
    if type(symbol) is Symbol and any(n is not None for n in known):
        new = symbol.owner.decisions.new
        symbol.consists_of(np.array([new() if n is None else n for n in known], object))
    return dense_shape


def _ragged(new: Callable[..., Tensor], spec: RaggedTensorSpec) -> Any:
    """Makes a ragged tensor from inputs of a graph: the innermost values, then the outer splits."""
    sizes, rank = spec.shape.as_list(), spec.ragged_rank
    if not rank:
        return new(sizes, spec.dtype)
    values: Any = new([None, *sizes[rank + 1 :]], spec.dtype)
    lengths = [None if sizes[0] is None else sizes[0] + 1, *[None] * (rank - 1)]
    splits = [new([n], spec.row_splits_dtype) for n in lengths]
    for size, each in zip(reversed(sizes[1 : rank + 1]), reversed(splits), strict=True):
        values = RaggedTensor(values, each, size)
    return values


def run_traced(
    function: Callable[..., Any], spec: el.Spec, finish: Finish, stand_in: StandIn
) -> tuple[ElementTracer, Any]:
    """Traces a function of elements, without elements.

    Args:
      function: The user function.
      spec: The spec of the elements.
      finish: See `Finish`.
      stand_in: See `StandIn`.

    Returns:
      The tracer of the graph, and the element that the function returned.

    Raises:
      CannotTrace: It needs elements.
    """
    tracer = ElementTracer()
    with state_lock:
        restart = distributions.kept()
        try:
            with tracer.scope():
                given = _arguments(tracer, spec, stand_in)
                result = finish(run_while_tracing(converted(function, libraries=False), *given))
                tracer.settle()
        except CannotTrace:
            restart()
            raise
        except (NeedsSize, UnforeseenLength) as why:
            restart()
            raise CannotTrace(str(why)) from why
        except Exception as error:
            if not _needs_value(error):  # The user function itself raises the error.
                raise in_user_code(error, error.__traceback__) from error.__cause__
            restart()
            raise CannotTrace(f"{type(error).__name__}: {error}") from error
        if any(ref() is not None for ref in tracer.made):
            raise CannotTrace("it makes variables")
        return tracer, result


def _needs_value(error: Exception) -> bool:
    """Returns whether a function failed because it got a symbol, not because of its code."""
    if isinstance(error, UnimplementedError) or _SYMBOL.search(str(error)):
        return True
    return isinstance(error, TypeError) and "is out of scope" in str(error)


class Kept:
    """Starts iterations.

    One of them may start early, so that its first element can be inspected. The next requested
    iteration continues it, so that no element is computed twice.

    Args:
      start: A function that starts an iteration.
    """

    def __init__(self, start: Callable[[], Iterator[Any]]) -> None:
        self._start = start
        self._begun: _Begun | None = None
        self._lock = threading.RLock()

    def _fingerprint_parts(self) -> tuple[Any, ...]:
        return (self._start,)

    def first(self) -> el.Element:
        """Returns the first item that is computed without an error.

        Raises:
          ValueError: There are no items.
        """
        with self._lock:
            if self._begun is None:
                self._begun = _Begun(self._start())
            return self._begun.first()

    def __call__(self) -> Iterator[Any]:
        with self._lock:
            begun, self._begun = self._begun, None
        return self._start() if begun is None else begun


class _Begun:
    """An iteration that has already begun."""

    def __init__(self, items: Iterator[Any]) -> None:
        self._items = items
        self._made: list[tuple[Any, Exception | None]] = []

    def first(self) -> el.Element:
        for item, error in self._made:
            if error is None:
                return item
        while True:
            try:
                item = next(self._items)
            except StopIteration:
                break
            except Exception as error:  # noqa: BLE001 (raised where the item is asked for)
                self._made.append((None, error))
                continue
            self._made.append((item, None))
            return item
        if self._made:
            raise self._made[0][1] or AssertionError
        raise ValueError("The elements that an empty dataset would have cannot be determined.")

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if not self._made:
            return next(self._items)
        item, error = self._made.pop(0)
        if error is not None:
            raise error
        return item
