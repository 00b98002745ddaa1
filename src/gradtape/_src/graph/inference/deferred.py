"""Calls of operations that need values, as nodes of the graph that is traced."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType
from typing import Any

import numpy as np

from gradtape._src.autodiff.tape import GradientTape
from gradtape._src.base import nest
from gradtape._src.base.errors import UnimplementedError
from gradtape._src.core.recorder import STACK, replaced
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.graph_operations import MADE_UP_TEXTS, whole_calls
from gradtape._src.declare.unknown_sizes import NeedsSize, Size, evaluated
from gradtape._src.graph.inference.made_up import Trial, made_up, trials, unknown_in
from gradtape._src.graph.ir.graph import CannotTrace, Symbol
from gradtape._src.graph.ir.origins import AROUND
from gradtape._src.graph.ir.state import is_read
from gradtape._src.graph.ir.tracer import Tracer, tracing
from gradtape._src.graph.ir.whole_calls import whole_call

_OURS = __name__.partition("graph.")[0]
_ROOMS = ("ops.", "text.", "files.parsing")
_EXCEPT = ("ops.random", "ops.control", "ops.types.tensor_array", "text.lookup")
_FUNCTIONS = (FunctionType, MethodType, BuiltinFunctionType, partial)


def _is_deferrable(function: Any) -> bool:
    """Whether a function is an operation that only computes."""
    module = getattr(function, "__module__", None) or ""
    room = module.removeprefix(_OURS)
    return room != module and room.startswith(_ROOMS) and not room.startswith(_EXCEPT)


def deferring(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns what becomes a node as a whole if it needs values that are not known yet.

    Args:
      function: A function. It is returned itself if it isn't an operation of ours, or does more
        than compute.
    """
    if not _is_deferrable(function):
        return function

    owner, plain = getattr(function, "__self__", None), getattr(function, "__func__", function)

    def call(*args: Any, **kwargs: Any) -> Any:
        tracer = tracing()
        if tracer is None or tracer.for_xla or not _is_plain_trace():
            return function(*args, **kwargs)
        count = len(tracer.nodes)
        try:
            return function(*args, **kwargs)
        except (CannotTrace, NeedsSize, Exception) as error:
            if not _wants_values(error) or _has_acted(tracer, count) or _has_functions(args):
                raise
            own = args if owner is None else (owner, *args)
            found = _Inferred.of(plain, own, kwargs)
            if found is None:
                raise
            return whole_call(plain.__name__, plain, own, kwargs, found.result, False, True, True)

    return call


whole_calls.provide(whole_call)
AROUND.add(next(c for c in deferring.__code__.co_consts if isinstance(c, CodeType)))


def _is_plain_trace() -> bool:
    return all(isinstance(r, (Tracer, GradientTape)) for r in STACK.recorders)


def _wants_values(error: BaseException) -> bool:
    if isinstance(error, (CannotTrace, NeedsSize, UnimplementedError)):
        return True
    return Symbol.__name__ in str(error)


def _has_acted(tracer: Tracer, count: int) -> bool:
    """Whether a call has made nodes with effects before it failed."""
    return any(node.stateful and not is_read(node) for node in tracer.nodes[count:])


def _has_functions(args: Sequence[Any]) -> bool:
    return any(isinstance(x, _FUNCTIONS) for x in nest.flatten(args))


class _Inferred:
    """Tells of an operation's result what runs on values that are made up told.

    Args:
      runs: Trials and what the operation gave in each.
      sizes: The unknown lengths among the arguments.
    """

    def __init__(self, runs: Sequence[tuple[Trial, Any]], sizes: Sequence[Size]) -> None:
        self._like = runs[0][1]
        self._flats = [nest.flatten(out, expand_composites=True) for _, out in runs]
        self._trials = [trial for trial, _ in runs]
        self._sizes = sizes

    @classmethod
    def of(cls, function: Any, args: Any, kwargs: Any) -> _Inferred | None:
        """The result of a call; None if it can't be found."""
        sizes = unknown_in((args, kwargs))
        runs = []
        make = MADE_UP_TEXTS.get(function)
        texts = None if make is None else make(*args, **kwargs)
        for trial in trials(sizes, texts):
            try:
                given, named = nest.map_structure(lambda x, t=trial: made_up(x, t), (args, kwargs))
                with replaced(()), np.errstate(all="ignore"):
                    runs.append((trial, function(*given, **named)))
            except Exception:  # noqa: BLE001, S112 (other values may suit it)
                continue
        found = cls(runs, sizes) if len(runs) > 1 else None
        return found if found is not None and found._agrees([out for _, out in runs]) else None

    def _agrees(self, outs: Sequence[Any]) -> bool:
        """Whether all runs gave the same structure, dtypes and numbers of axes."""
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
        kinds = {(type(x), x._value.ndim, x._value.dtype) for x in leaves}
        return len(kinds) == 1

    def result(self, new: Callable[..., Tensor], *_: Any, **__: Any) -> object:
        """The result with new tensors in it; see `graph_operation`."""
        flat = [
            new(self._shape(leaves), leaves[0]._value.dtype)
            if type(leaves[0]) is Tensor
            else leaves[0]
            for leaves in zip(*self._flats, strict=True)
        ]
        return nest.pack_sequence_as(self._like, flat, expand_composites=True)

    def _shape(self, leaves: Sequence[Any]) -> list[Any]:
        return [self._length(n) for n in zip(*[x._value.shape for x in leaves], strict=True)]

    def _length(self, numbers: Sequence[int]) -> Any:
        if len(set(numbers)) == 1:
            return numbers[0]
        for size in self._sizes:
            if [evaluated(size, t.lengths) for t in self._trials] == list(numbers):
                return size
        return None


def _uniform(x: Any) -> object:
    return getattr(x, "uniform_row_length", None)
