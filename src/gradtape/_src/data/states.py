"""States that are passed from element to element: `scan` and `reduce`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from gradtape._src.base import nest
from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.data.elements import elements as el
from gradtape._src.data.pipeline import Pipeline
from gradtape._src.declare.eager_only import active_compiler
from gradtape._src.graph.ir.graph import CannotTrace
from gradtape._src.ops.types.specs import TensorSpec


def reduced(new: Any, spec: el.Spec, shapes: bool = True) -> el.Element:
    """Returns the raw state that a function returned.

    Args:
      new: The function's result.
      spec: The spec of the previous state.
      shapes: Whether the state must keep its shape while the function is traced.

    Raises:
      InvalidArgumentError: The number of components of the new state is different.
      TypeError: The structure or dtype of the new state is different.
      CannotTrace: The shape of the new state is different.
    """
    state = el.raw_result(new, Pipeline)
    found = el.spec_of(state)
    old_count, new_count = len(nest.flatten(spec)), len(nest.flatten(found))
    if old_count != new_count:
        raise InvalidArgumentError(
            None,
            None,
            "The number of components of the initial state and the reduce function "
            f"output does not match. (initial_state={old_count}, output={new_count}).",
        )
    try:
        nest.assert_same_structure(spec, found)
    except (TypeError, ValueError) as error:
        raise TypeError(
            "The structure of the new state must match that of the initial state: expected "
            f"{spec}, got {found}"
        ) from error
    for old, each in zip(nest.flatten(spec), nest.flatten(found), strict=True):
        _check(old, each, shapes and active_compiler() is not None)
    return state


def _check(old: Any, new: Any, shapes: bool) -> None:
    if not isinstance(old, TensorSpec) or not isinstance(new, TensorSpec):
        return
    if old.dtype is not new.dtype:
        raise TypeError(
            f"The element types for the new state must match the initial state. Expected "
            f"{old.dtype.name}, got {new.dtype.name}: tf.cast one of them."
        )
    if shapes and old.shape != new.shape:
        raise CannotTrace("the shape of a state changes")


def scanned(pair: Any, spec: el.Spec) -> tuple[el.Element, el.Element]:
    """Returns the raw state and output that a function computed.

    Raises:
      TypeError: The function did not return a pair; see `reduced` for other causes.
    """
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        raise TypeError(
            "Invalid `scan_func`. `scan_func` should return a pair consisting of new state and the "
            f"output value but its return type is {type(pair)}."
        )
    return reduced(pair[0], spec), el.raw_result(pair[1], Pipeline)


class Scan:
    """The outputs that a function returns for each element in addition to a new state.

    Args:
      step: `((state, element)) -> (new state, output)`.
      state: The first state.
      elements: The elements.
    """

    def __init__(
        self,
        step: Callable[[el.Element], tuple[el.Element, el.Element]],
        state: el.Element,
        elements: Iterator[el.Element],
    ) -> None:
        self._step, self._state, self._elements = step, state, elements

    def __iter__(self) -> Iterator[el.Element]:
        return self

    def __next__(self) -> el.Element:
        self._state, output = self._step((self._state, next(self._elements)))
        return output
