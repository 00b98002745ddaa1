"""Operations that need values as graph nodes, whose specs are inferred from sample values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cache, lru_cache, partial, wraps
from inspect import unwrap
from itertools import chain, count
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import numpy as np

from gradtape._src.base import nest
from gradtape._src.base.errors import OpError, UnimplementedError
from gradtape._src.base.export import raw_name
from gradtape._src.base.name_scope import AROUND
from gradtape._src.core.primitive import Outputs, Primitive
from gradtape._src.core.recorder import STACK, replaced
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.graph_operations import (
    RESULTS,
    SAMPLE_TEXTS,
    has_symbols,
    whole_calls,
)
from gradtape._src.declare.unknown_sizes import NeedsRank, NeedsSize, Size, UnknownRank, evaluated
from gradtape._src.graph.inference.sample_values import (
    Sample,
    Unknown,
    fitting_samples,
    independent_samples,
    numbers_in,
    sample_value,
    samples,
    unknown_in,
)
from gradtape._src.graph.ir.graph import CannotTrace, Symbol
from gradtape._src.graph.ir.state import is_assignment, is_read, is_section
from gradtape._src.graph.nested.whole_calls import whole_call
from gradtape._src.graph.tracing.tracer import Tracer, of_unknown_rank, plain_tracing

_OURS = __name__.partition("graph.")[0]
_ROOMS = ("ops.", "text.", "files.parsing")
_EXCEPT = ("ops.random", "ops.control", "ops.types.tensor_array", "text.lookup")
_MOST = 1 << 10  # the functions whose wrappers are kept
_FUNCTIONS = (FunctionType, MethodType, BuiltinFunctionType, partial)


@cache
def _has_operations(module: str) -> bool:
    """Whether the functions of a module are operations without side effects."""
    room = module.removeprefix(_OURS)
    return room != module and room.startswith(_ROOMS) and not room.startswith(_EXCEPT)


def deferring(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function that becomes one node if it needs values that are not known yet.

    Args:
      function: A function. It is returned unchanged if it isn't one of gradtape's operations, or
        has side effects.
    """
    if not _has_operations(getattr(function, "__module__", None) or ""):
        return function
    return (_kept if type(function) is FunctionType else _deferring)(function)


def _deferring(function: Callable[..., Any]) -> Callable[..., Any]:
    owner, plain = getattr(function, "__self__", None), getattr(function, "__func__", function)

    def call(*args: Any, **kwargs: Any) -> Any:
        tracer = plain_tracing()
        if tracer is None or not tracer.infers or tracer.for_xla:
            return function(*args, **kwargs)
        attempt = Attempt(tracer)
        try:
            return function(*args, **kwargs)
        except (CannotTrace, NeedsSize, Exception) as error:  # noqa: BLE001 (or raised again)
            own = args if owner is None else (owner, *args)
            return attempt.as_operation(error, plain, *own, **kwargs)

    return call


_kept = lru_cache(_MOST)(_deferring)


def _of_unknown_rank(
    primitive: Primitive, inputs: Sequence[Tensor], params: dict[str, Any]
) -> Outputs:
    """Adds an operation as a node that runs it on tensors whose rank is known only at run time."""
    found = _Inferred.of(primitive.bind, tuple(inputs), params)
    if found is None:
        raise NeedsRank(f"{primitive.name} of a tensor of unknown rank")
    name, run = primitive.name, primitive.bind
    out: Outputs = whole_call(name, run, tuple(inputs), params, found.result, False, True, True)
    return out


whole_calls.provide(whole_call)
of_unknown_rank.provide(_of_unknown_rank)
AROUND.add(f"{_deferring.__qualname__}.<locals>.call")


_ENOUGH = 4
"""The number of runs after which no more of `fitting_samples` are tried."""
_MANY = 100


def _run_on(sample: Sample, function: Any, args: Any, kwargs: Any) -> Any:
    """Returns a function's result for sample values in place of symbols."""
    places = count()
    given, named = nest.map_structure(
        lambda x: sample_value(x, sample, next(places)), (args, kwargs)
    )
    with replaced(()), np.errstate(all="ignore"):
        return function(*given, **named)


def _result_of(function: Any, args: Any, kwargs: Any) -> Callable[..., Any] | None:
    """Returns the function that makes an operation's result, or None if it can't be inferred."""
    declared: Callable[..., Any] | None = RESULTS.get(unwrap(function))
    if declared is not None:
        return declared
    found = _Inferred.of(function, args, kwargs)
    return None if found is None else found.result


class Attempt:
    """A call during a trace. If it needs an unknown value, a node can make the call in each run.

    Args:
      tracer: The tracer of the graph.
    """

    def __init__(self, tracer: Tracer) -> None:
        self._tracer, self._count = tracer, len(tracer.nodes)
        self._before, self._made = dict(tracer.decisions.taken), tracer.decisions.made

    def may_be_deferred(self, error: BaseException) -> bool:
        """Whether the call failed since a value or length is unknown, and had no effects."""
        guessed = self._tracer.decisions.made > self._made
        return (guessed or _wants_values(error)) and not _has_acted(self._tracer, self._count)

    def as_operation(
        self, error: BaseException, function: Callable[..., Any], *args: Any, **kwargs: Any
    ) -> object:
        """Returns the result of one node for the call, or raises the error that is being handled.

        Args:
          error: The error.
          function: The function that was called.
          *args: Its arguments.
          **kwargs: Its named arguments.
        """
        tracer = self._tracer
        if _has_functions(args):
            raise  # noqa: PLE0704 (in the handler of who calls this)
        if not self.may_be_deferred(error):
            if isinstance(error, OpError) and not has_symbols(*args, **kwargs):
                again = wraps(function)(deferring(function))
                return tracer.on_unknown_values(again, args, kwargs)
            raise  # noqa: PLE0704
        result = _result_of(function, args, kwargs)
        if result is None:
            raise  # noqa: PLE0704
        self.forget()
        name = raw_name(function) or function.__name__.strip("_")  # no node's name begins with "_"
        return whole_call(name, function, args, kwargs, result, False, True, True)

    def forget(self) -> None:
        """Discards what the call has made: decisions about unknown lengths, and operations."""
        self._tracer.take_back(self._count)
        decisions = self._tracer.decisions.taken
        decisions.clear()
        decisions.update(self._before)


_OF_UNKNOWN = re.compile(
    f"{Symbol.__name__}|{UnknownRank.__name__}|'{Size.__name__}'|<(length|shape) |"
    "unknown (rank|TensorShape)"
)
"""What errors about symbols, unknown lengths and unknown shapes contain."""


def _wants_values(error: BaseException) -> bool:
    if isinstance(error, (CannotTrace, NeedsSize, UnimplementedError)):
        return True
    return _OF_UNKNOWN.search(str(error)) is not None


def _has_acted(tracer: Tracer, count: int) -> bool:
    """Whether a call has made nodes with effects before it failed.

    Earlier assignments of variables that it read may have been appended to the graph.
    """
    made = [node for node in tracer.nodes[count:] if node.stateful]
    return not all(is_read(node) or is_assignment(node) or is_section(node) for node in made)


def _has_functions(args: Sequence[Any]) -> bool:
    return any(isinstance(x, _FUNCTIONS) for x in nest.flatten(args))


class _Inferred:
    """Infers an operation's result from runs on sample values.

    Args:
      runs: Samples, with the operation's result in each.
      sizes: The unknown lengths among the arguments.
      numbers: The integers and known lengths among the arguments.
    """

    def __init__(
        self, runs: Sequence[tuple[Sample, Any]], sizes: Sequence[Unknown], numbers: set[int]
    ) -> None:
        self._like = runs[0][1]
        self._flats = [nest.flatten(out, expand_composites=True) for _, out in runs]
        self._samples = [sample for sample, _ in runs]
        self._sizes, self._numbers = sizes, numbers

    @classmethod
    def of(cls, function: Any, args: Any, kwargs: Any) -> _Inferred | None:
        """Returns the result of a call; None if it can't be found."""
        args, kwargs = nest.map_structure(_read, (args, kwargs))
        sizes = unknown_in((args, kwargs))
        make = SAMPLE_TEXTS.get(function)
        texts = None if make is None else make(*args, **kwargs)
        runs: list[tuple[Sample, Any]] = []

        def run(tried: Iterable[Sample], enough: int = _MANY) -> None:
            for sample in tried:
                if len(runs) >= (_ENOUGH if sample.is_fitting else enough):
                    break
                with suppress(Exception):  # other values may suit the function
                    runs.append((sample, _run_on(sample, function, args, kwargs)))

        run(chain(samples(sizes, texts), fitting_samples(sizes, (args, kwargs))))
        shapes = sum(type(size) is UnknownRank for size in sizes)
        stays_open = any(r.open_graph is not None for r in STACK.recorders)
        few = shapes > 1 or all(sample.is_fitting for sample, _ in runs)
        if stays_open and few:  # a function is traced again for each length instead
            run(independent_samples(sizes, (args, kwargs)), len(runs) + _ENOUGH)
        found = cls(runs, sizes, numbers_in((args, kwargs))) if runs else None
        return found if found is not None and found._agrees([out for _, out in runs]) else None

    def _agrees(self, outs: Sequence[Any]) -> bool:
        """Whether all runs gave the same structure and dtypes."""
        try:
            for out in outs[1:]:
                nest.assert_same_structure(self._like, out, expand_composites=True)
        except (TypeError, ValueError):
            return False
        uniform = {repr([_uniform(x) for x in nest.flatten(out)]) for out in outs}
        return len(uniform) == 1 and all(map(self._is_one_kind, zip(*self._flats, strict=True)))

    def _is_one_kind(self, leaves: Sequence[Any]) -> bool:
        if type(leaves[0]) is not Tensor:
            return all(x is leaves[0] or bool(x == leaves[0]) for x in leaves)
        return len({(type(x), x._value.dtype) for x in leaves}) == 1

    def result(self, new: Callable[..., Tensor], *_: Any, **__: Any) -> object:
        """Returns the result with new tensors in it; see `graph_operation`."""
        flat = [
            new(self._shape(leaves), leaves[0]._value.dtype)
            if type(leaves[0]) is Tensor
            else leaves[0]
            for leaves in zip(*self._flats, strict=True)
        ]
        return nest.pack_sequence_as(self._like, flat, expand_composites=True)

    def _shape(self, leaves: Sequence[Any]) -> Sequence[Any] | None:
        if self._has_one_rank():
            return None
        if len({x._value.ndim for x in leaves}) > 1:
            shapes = [x._value.shape for x in leaves]
            for size in self._sizes:
                if [evaluated(size, t.lengths) for t in self._samples] == shapes:
                    return size if type(size) is UnknownRank else None
            return None
        return [self._length(n) for n in zip(*[x._value.shape for x in leaves], strict=True)]

    def _has_one_rank(self) -> bool:
        """Whether a value of unknown rank had the same number of axes in all runs."""
        return any(
            len({len(evaluated(size, sample.lengths)) for sample in self._samples}) == 1
            for size in self._sizes
            if type(size) is UnknownRank
        )

    def _length(self, numbers: Sequence[int]) -> Any:
        found = [
            size
            for size in self._sizes
            if [evaluated(size, t.lengths) for t in self._samples] == list(numbers)
        ]
        if len(set(numbers)) == 1:  # an unknown length may have been that number in all runs
            integers = {(t.number, t.step) for t in self._samples}
            alike = len(self._sizes) > 1 and all(t.is_fitting for t in self._samples)
            constant = len(integers) > 1 and numbers[0] and not found
            if alike:  # the number may be a difference or quotient of unknown lengths
                constant = constant and numbers[0] != 1 and numbers[0] in self._numbers
            return numbers[0] if constant else None
        return found[0] if len(found) == 1 else None  # equal lengths can't be distinguished


def _read(x: Any) -> Any:
    return x._read() if isinstance(x, Variable) else x


def _uniform(x: Any) -> object:
    return getattr(x, "uniform_row_length", None)
