"""Functions that graphs call as one operation: see `declare/graph_operations`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import cache
from typing import Any

import numpy as np

from gradtape._src.base import nest
from gradtape._src.base.device_values import lock_of_graphs
from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.primitive import Primitive
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.unknown_sizes import UnforeseenLength, may_be_equal
from gradtape._src.graph.ir.graph import CannotTrace, Spec, Symbol
from gradtape._src.graph.nested.structured import structured
from gradtape._src.graph.tracing.tracer import Tracer, tracing
from gradtape._src.ops.raw.variant_handles import has_open_contents


class _Nested:
    """An argument that contains tensors of the graph.

    Args:
      like: The argument.
      flat: Its leaves, with None for each tensor.
    """

    __slots__ = ("_flat", "_kind", "_like", "_places")

    def __init__(self, like: Any, flat: Sequence[Any], places: Sequence[int]) -> None:
        self._like, self._flat, self._places = like, flat, places
        children = len(flat) == len(like) if type(like) in (list, tuple) else False
        simple = children and all(x is not None or i in places for i, x in enumerate(flat))
        plain = simple and not any(map(nest.is_nested, like))
        self._kind: Any = type(like) if plain else None

    def filled(self, values: Any, in_parts: bool = False) -> object:
        """Returns the argument with the next values filled in.

        Args:
          values: The values.
          in_parts: Whether composite tensors become `Parts`.
        """
        flat = list(self._flat)
        for i in self._places:
            flat[i] = next(values)
        if in_parts:
            following = iter(flat)
            return nest.map_structure(lambda x: _in_parts(x, following), self._like)
        if self._kind is not None:
            return self._kind(flat)
        return nest.pack_sequence_as(self._like, flat, expand_composites=True)


class Parts:
    """The components of a ragged or sparse tensor.

    Args:
      like: A tensor of the kind.
      values: The parts, in the order of `nest`.
    """

    __slots__ = ("like", "values")

    def __init__(self, like: Any, values: Sequence[Any]) -> None:
        self.like, self.values = like, values


def _in_parts(x: Any, following: Any) -> object:
    """Returns a leaf, or the parts of a composite tensor, from the next values."""
    parts = nest.flatten(x, expand_composites=True)
    if len(parts) == 1 and parts[0] is x:
        return next(following)
    return Parts(x, [next(following) for _ in parts])


def _with_parts(x: Any) -> object:
    """Returns an argument with `Parts` in place of composite tensors."""
    return nest.map_structure(lambda y: _in_parts(y, iter(nest.flatten(y, True))), x)


_NEXT = object()
Result = Any
"""A structure of tensors."""


class Call:
    """A function to call, with the arguments that are known and the specs of its results.

    Args:
      function: The function.
      parts: Its arguments, the named ones last.
      names: The names of the named arguments.
      results: The leaves of its result that are outputs.
      specs: Their specs.

    Attributes:
      undone: Whether its effects, if it has any, are recorded and can be reversed.
      checks: Whether it may encounter an unforeseen length.
      changes_variables: Whether it may assign variables.
      has_gradient: Whether it is differentiable.
      repeatable: Whether its effects, such as printing, may happen more than once.
      only_checks: Whether it only checks values, so that XLA programs omit it.
      gives_lock: Whether other threads may run graphs that assign variables while it runs, since it
        may wait for them.
    """

    gives_lock = False
    undone = checks = changes_variables = repeatable = only_checks = False
    has_gradient = True

    def __init__(
        self,
        function: Callable[..., Any],
        parts: Sequence[Any],
        names: Sequence[str],
        results: Sequence[int],
        specs: Sequence[Spec],
    ) -> None:
        self.function, self._parts, self._names = function, parts, names
        self._results, self.specs = results, tuple(specs)

    def arguments_for(
        self, inputs: Sequence[Any], in_parts: bool = False
    ) -> tuple[list[Any], dict[str, Any]]:
        """Returns the arguments and named arguments, with the operation's inputs filled in."""
        values = iter(inputs)
        given = [
            next(values)
            if x is _NEXT
            else x.filled(values, in_parts)
            if type(x) is _Nested
            else _with_parts(x)
            if in_parts
            else x
            for x in self._parts
        ]
        first = len(given) - len(self._names)
        return given[:first], dict(zip(self._names, given[first:], strict=True))

    @property
    def primitive(self) -> Primitive | None:
        """Returns gradtape's operation on tensors of unknown rank, or None for a function."""
        owner = getattr(self.function, "primitive", None)
        return owner if isinstance(owner, Primitive) else None

    def bound(self, inputs: Sequence[Any]) -> dict[str, Any]:
        """The arguments by the names of the function's parameters, with its defaults.

        Args:
          inputs: The operation's inputs, which need not be tensors. A ragged or sparse tensor that
            they are parts of becomes `Parts`.
        """
        given, named = self.arguments_for(inputs, in_parts=True)
        arguments = inspect.signature(self.function).bind(*given, **named)
        arguments.apply_defaults()
        return dict(arguments.arguments)

    def run(self, inputs: list[Tensor]) -> list[Tensor]:
        """Calls the function."""
        given, named = self.arguments_for(inputs)
        with lock_of_graphs.given_back() if self.gives_lock else nullcontext():
            out = self.function(*given, **named)
        if type(out) is Tensor:
            outs = [out]
        elif _is_flat(out):
            outs = [out[i] for i in self._results]
        else:
            flat = nest.flatten(out, expand_composites=True)
            outs = [convert_to_tensor(flat[i]) for i in self._results]
        if self.changes_variables:
            self._check_dtypes(outs)
        if self.checks:
            for y, (shape, _) in zip(outs, self.specs, strict=True):
                if not may_be_equal(shape_of(y), shape):
                    raise UnforeseenLength(f"{shape_of(y)} in place of {shape}")
        return outs

    def _check_dtypes(self, outs: Sequence[Tensor]) -> None:
        """Raises InvalidArgumentError if a user's function returned other dtypes than declared."""
        for i, (y, (_, dtype)) in enumerate(zip(outs, self.specs, strict=True)):
            if y._value.dtype != dtype:
                raise InvalidArgumentError(
                    None,
                    None,
                    f"{i}-th value returned by the Python function is {y._value.dtype}, but "
                    f"expects {dtype}: `Tout` names the dtypes of the results",
                )


def _is_flat(x: Any) -> bool:
    """Whether a value is a list or tuple of tensors only."""
    return type(x) in (list, tuple) and all([type(y) is Tensor for y in x])  # noqa: C419


@cache
def _operation(name: str) -> Any:
    return structured(name)


def whole_call(
    name: str,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    result: Callable[..., Any],
    stateful: bool,
    undone: bool = False,
    checks: bool = False,
    runs_python: bool = False,
    has_gradient: bool = True,
    repeatable: bool = False,
    only_checks: bool = False,
    waits: bool = False,
) -> Result:
    """Makes a call a node of a graph; see `graph_operation` and `Call` for the arguments.

    If `runs_python` is true, the first argument is a user's function with arbitrary effects. If
    `waits` is true, the call may wait for another thread. Both kinds of calls run without the lock
    that a graph holds which assigns variables, except for functions in critical sections.
    """
    tracer = tracing()
    assert tracer is not None
    if tracer.for_xla and not repeatable:  # This kind of graph has no such operations.
        done: object = function(*args, **kwargs)
        return done
    made: dict[int, Any] = {}

    def new(shape: Sequence[Any] | None, dtype: Any) -> Tensor:
        dtype = np.dtype(getattr(dtype, "np_dtype", dtype))
        x = Tensor(tracer.symbol((tracer.decisions.shape_of(shape), dtype)))
        made[id(x)] = x
        return x

    args = tuple(map(_given, args))
    kwargs = {name: _given(x) for name, x in kwargs.items()}
    packed = result(new, *args, **kwargs)
    flat = nest.flatten(packed, expand_composites=True)
    places = [i for i, x in enumerate(flat) if id(x) in made]
    parts, inputs = [], []
    for x in (*args, *kwargs.values()):
        part, tensors = _taken_apart(x)
        parts.append(part)
        inputs += tensors
    specs = [(flat[i]._value.shape, flat[i]._value.np_dtype) for i in places]
    call = Call(function, parts, list(kwargs), places, specs)
    call.undone, call.checks, call.changes_variables = undone, checks, runs_python
    call.has_gradient, call.repeatable, call.only_checks = has_gradient, repeatable, only_checks
    call.gives_lock = waits or (runs_python and not tracer.in_section)
    outs = _added(tracer, name, inputs, call, stateful)
    if waits:
        tracer.note_waiting()
    if runs_python or (waits and tracer.outer is None):  # Others may have assigned variables.
        tracer.read_again()
    if packed is None:
        return tracer.last_operation()
    for i, y in zip(places, outs, strict=True):
        flat[i] = y
    return nest.pack_sequence_as(packed, flat, expand_composites=True)


def _given(x: Any) -> Any:
    """Returns the tensor for which an argument stands, or the argument itself."""
    if isinstance(x, Variable):
        return x._read()
    return convert_to_tensor(x) if hasattr(type(x), "__tf_tensor__") else x


def _added(tracer: Tracer, name: str, inputs: Sequence[Tensor], call: Call, stateful: bool) -> Any:
    # Previous assignments are kept if the operation fails, and seen by Python functions.
    if stateful and (tracer.outer is None or call.changes_variables):
        tracer.settle()
    return _operation(name).primitive.performed(inputs, call, stateful)


def _taken_apart(x: Any) -> tuple[Any, list[Tensor]]:
    """Splits an argument into a template and its tensors."""
    if type(x) is Tensor:
        return (_NEXT, [x]) if _is_input(x) else (x, [])
    flat = nest.flatten(x, expand_composites=True)
    if len(flat) == 1 and flat[0] is x:
        return x, []
    flat = [y._read() if isinstance(y, Variable) else y for y in flat]
    places = [i for i, y in enumerate(flat) if type(y) is Tensor and _is_input(y)]
    if not places:
        return x, []
    rest = [None if i in places else y for i, y in enumerate(flat)]
    return _Nested(x, rest, places), [flat[i] for i in places]


def _is_input(x: Tensor) -> bool:
    """Whether a tensor is symbolic, or may be followed by a tape.

    Raises:
      CannotTrace: The tensor holds symbolic tensors.
    """
    if has_open_contents(x):
        raise CannotTrace("a call that takes a list of tensors")
    return type(x._value) is Symbol or x._id > 0
