"""Functions of elements as graphs: traced once, from what is known of the elements."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from gradtape._src.autograph.calls import converted
from gradtape._src.base import nest
from gradtape._src.base.device_values import state_lock
from gradtape._src.base.dtypes import string
from gradtape._src.base.errors import InvalidArgumentError, UnimplementedError
from gradtape._src.core.tensor import Tensor
from gradtape._src.data.elements import elements as el
from gradtape._src.graph.abstract_evaluation import FILLS, filled
from gradtape._src.graph.composite_arguments import emptied
from gradtape._src.graph.ir.graph import CannotTrace, Graph, Symbol
from gradtape._src.graph.ir.graph_call import GraphCall
from gradtape._src.graph.ir.state import is_read
from gradtape._src.graph.ir.tracer import Tracer
from gradtape._src.ops.random import distributions
from gradtape._src.ops.types.specs import TensorSpec

Finish = Callable[[Any], Any]
"""Makes an element of what a program's function returned, or raises for what is none."""
StandIn = Callable[[el.Spec], Any]
"""Makes a dataset of elements that are not known, in the place of a window."""
_OF_TYPES = re.compile(r"\bd?types?\b|was expected to be a \w+ tensor")
_SYMBOL = re.compile(rf"\b{Symbol.__name__}\b")


class Draws:
    """The random numbers of one iteration: under a seed they begin anew with each.

    Args:
      starts: What the generator of each stream begins with, by stream.
    """

    def __init__(self, starts: dict[Any, int]) -> None:
        self._starts = starts
        self._streams: dict[Any, np.random.Generator] = {}

    def of(self, stream: Any) -> np.random.Generator:
        """The generator of a stream."""
        found = self._streams.get(stream)
        if found is None:
            start = self._starts[stream]
            found = self._streams[stream] = np.random.Generator(np.random.Philox(start))
        return found


class ElementTracer(Tracer):
    """Traces a function of elements, whose seeded random numbers belong to an iteration.

    Attributes:
      starts: What its random streams begin with.
      draws: Of the iteration whose element is made just now.
    """

    of_elements = True

    def __init__(self) -> None:
        super().__init__()
        self.starts: dict[Any, int] = {}
        self.draws = Draws(self.starts)

    def engine(self, stream: Any, draw_key: Any, make: Callable[[], Any] | None = None) -> Any:
        if type(stream) is not tuple or not distributions.is_seeded(stream[-1]):
            return super().engine(stream, draw_key, make)
        if make is None:
            return super().engine(stream, draw_key, make)
        if stream not in self.starts:
            self.starts[stream] = int(make().integers(2**63))
        return super().engine(None, draw_key, lambda: self.draws.of(stream))


class Trace:
    """A function of elements as a graph, which takes raw elements and gives raw elements.

    Args:
      tracer: What made the graph.
      result: The element that the function gave.
      name: The function's.

    Attributes:
      spec: What is known of its results.
      ordered: Whether it acts on something besides its results, so that its calls have an order.
    """

    def __init__(self, tracer: ElementTracer, result: Any, name: str) -> None:
        self.spec = el.spec_of(result)
        flat = nest.flatten(result, expand_composites=True)
        if any(type(x) is not Symbol and hasattr(x, "element_spec") for x in flat):
            raise CannotTrace("the function gives a dataset")
        values = [tracer.entry(x) if type(x) is Tensor else x for x in flat]
        self._flat = [None if type(x) is Symbol else x for x in values]
        self._wrapped = [type(x) is Tensor for x in flat]
        self._places = [i for i, x in enumerate(values) if type(x) is Symbol]
        self._result = emptied(_plain(result))
        graph = Graph(tracer.inputs, tracer.nodes, [values[i] for i in self._places])
        self._call = GraphCall(graph, name)
        self._captured = [x._value for x, _ in tracer.captured]
        self._tracer = tracer
        self._single = type(result) is Symbol and not self._captured
        self._pair = type(result) is tuple and all(type(x) is Symbol for x in result)
        named = type(result) is dict and all(type(x) is Symbol for x in result.values())
        self._names = {name: sorted(result).index(name) for name in result} if named else None
        self.ordered = any(n.stateful and not is_read(n) for n in self._call.graph.nodes)
        self._draws = bool(tracer.starts)
        tracer.close()

    def start(self) -> Callable[[el.Element], el.Element]:
        """The function for the elements of one iteration."""
        if not self._draws:
            return self.__call__
        draws = Draws(self._tracer.starts)

        def drawing(element: el.Element) -> el.Element:
            with state_lock:
                self._tracer.draws = draws
                return self(element)

        return drawing

    def __call__(self, element: el.Element) -> el.Element:
        if self._single and el.is_raw(element):
            return self._call.run((element,))[0]
        if type(element) is tuple and all(map(el.is_raw, element)):
            leaves: Sequence[Any] = element
        else:
            leaves = [x for x in nest.flatten(element) if x is not None]
        outs = self._call.run([*leaves, *self._captured])
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


def _plain(result: Any) -> Any:
    """A result with a small value in the place of each symbol."""
    return nest.map_structure(lambda x: np.int8(0) if type(x) is Symbol else x, result)


def _arguments(
    tracer: Tracer, spec: el.Spec, stand_in: StandIn, fill: tuple[int, int] | None
) -> tuple[Any, ...]:
    """What a function of elements is called with while it is traced."""

    def argument(leaf: Any) -> object:
        if isinstance(leaf, el.NoneTensorSpec):
            return None
        if isinstance(leaf, el.DatasetSpec):
            return stand_in(leaf.element_spec)
        if not isinstance(leaf, TensorSpec) or leaf.shape.rank is None:
            raise CannotTrace(f"an element of {leaf}")
        shape = leaf.shape.as_list()
        if fill is None and None in shape:
            raise CannotTrace(f"an element of {leaf}")
        return tracer.input((filled(shape, fill or FILLS[0]), leaf.dtype.np_dtype))

    given = nest.map_structure(argument, spec)
    return given if type(given) is tuple else (given,)


def run_traced(
    function: Callable[..., Any],
    spec: el.Spec,
    finish: Finish,
    stand_in: StandIn,
    fill: tuple[int, int] | None = None,
) -> tuple[ElementTracer, Any]:
    """Runs a function of elements once, without elements.

    Args:
      function: The program's.
      spec: What is known of the elements.
      finish: See `Finish`.
      stand_in: See `StandIn`.
      fill: What stands for unknown lengths, where only shapes are wanted.

    Returns:
      What made its graph, and the element that it gave.

    Raises:
      CannotTrace: It needs elements.
    """
    tracer = ElementTracer()
    with state_lock:
        restart = distributions.kept()
        try:
            with tracer.scope():
                given = _arguments(tracer, spec, stand_in, fill)
                result = finish(_called(converted(function), given))
                tracer.settle()
        except CannotTrace:
            restart()
            raise
        except Exception as error:
            if not _needs_value(error) and not _has_strings(spec):
                raise  # it is the program's own
            restart()
            raise CannotTrace(f"{type(error).__name__}: {error}") from error
        if any(ref() is not None for ref in tracer.made):
            raise CannotTrace("it makes variables")
        return tracer, result


def _called(function: Callable[..., Any], given: tuple[Any, ...]) -> Any:
    """What a function returns; for arguments that don't fit it raises what TensorFlow's graphs do.

    Raises:
      TypeError: In the place of InvalidArgumentError, if dtypes differ.
      ValueError: In the place of others.
    """
    try:
        return function(*given)
    except InvalidArgumentError as error:
        kind = TypeError if _OF_TYPES.search(str(error)) else ValueError
        raise kind(str(error)) from error


def _needs_value(error: Exception) -> bool:
    """Whether a function failed because it got a symbol, and not through a fault of its own."""
    if isinstance(error, UnimplementedError) or _SYMBOL.search(str(error)):
        return True
    return isinstance(error, TypeError) and "is out of scope" in str(error)


def _has_strings(spec: el.Spec) -> bool:
    """Whether strings are among the elements, of which operations may need the values."""
    return any(each.dtype is string for each in el.tensor_specs(spec))


def outlined(
    function: Callable[..., Any],
    spec: el.Spec,
    finish: Finish,
    stand_in: StandIn,
    tell: Callable[[Any], el.Spec] = el.spec_of,
) -> el.Spec:
    """What is known of a function's results, told from traces with two lengths for unknown ones.

    Raises:
      CannotTrace: It needs elements.
    """
    found = []
    for fill in FILLS:
        try:
            _, result = run_traced(function, spec, finish, stand_in, fill)
            found.append(tell(result))
        except Exception as error:  # perhaps because of the lengths that were made up
            raise CannotTrace(f"{type(error).__name__}: {error}") from error
    return el.common_spec(*found)


class Kept:
    """Iterations, one of which may begin before it is asked for, to see what it gives.

    What has been made is handed out by the next iteration that is asked for, so that nothing is
    made twice.

    Args:
      start: Starts an iteration.
    """

    def __init__(self, start: Callable[[], Iterator[Any]]) -> None:
        self._start = start
        self._begun: _Begun | None = None
        self._lock = threading.RLock()

    def first(self) -> el.Element:
        """The first item whose making does not fail.

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
    """An iteration that has begun."""

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
        raise ValueError("What a dataset without elements would hold cannot be found out.")

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if not self._made:
            return next(self._items)
        item, error = self._made.pop(0)
        if error is not None:
            raise error
        return item
