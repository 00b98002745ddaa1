"""The functions of a model, which are traced once more when the model is saved."""

from __future__ import annotations

from typing import Any, TypeVar

from gradtape._src.base import nest
from gradtape._src.base.dtypes import resource
from gradtape._src.graph.concrete_function import ConcreteFunction
from gradtape._src.graph.function import Function
from gradtape._src.ops.types.specs import TensorSpec

T = TypeVar("T")


class Retraced:
    """The functions that one saved model contains.

    As in TensorFlow, functions that were traced before are traced once more, so that the model has
    the values that attributes of Python have when it is saved.
    """

    def __init__(self) -> None:
        self._made: dict[tuple[int, int], tuple[Function, Function]] = {}

    def of(self, x: T) -> T:
        """Returns a function with new traces for a function; other objects are returned unchanged.

        Args:
          x: A function of the model, or anything else.
        """
        if not isinstance(x, Function):
            return x
        key = _key(x)
        if key not in self._made:
            made = _traced_again(x)
            self._made[key] = x, made  # `x` keeps the objects with these ids alive
            self._made[_key(made)] = made, made
        made_before: Any = self._made[key][1]
        found: T = made_before
        return found


def _key(x: Function) -> tuple[int, int]:
    return id(x._unbound), id(getattr(x, "_instance", None))


def _traced_again(function: Function) -> Function:
    """Returns a function with new traces in place of those of all calls and requests so far.

    It is the function itself if it has no traces, or if XLA compiles it.
    """
    traces = function._traces()
    if function._jit_compile or not (traces.of_requests.traces or traces.of_requests.requested):
        return function
    options = function._input_signature, False, function._reduce_retracing, function._conversion
    made = Function(function._python_function, *options)
    made._attributes = function._attributes
    for concrete in function._list_all_concrete_functions():
        if _takes_handles(concrete):
            continue  # of which variables is not known without a call
        traces.counted += 1
        made._concrete_of(*concrete.structured_input_signature)
    return made


def _takes_handles(concrete: ConcreteFunction) -> bool:
    flat = nest.flatten(concrete.structured_input_signature)
    return any(isinstance(x, TensorSpec) and x.dtype is resource for x in flat)
