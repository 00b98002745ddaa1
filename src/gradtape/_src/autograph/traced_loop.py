"""A loop that is traced once, with the variables that it changes as loop variables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from gradtape._src.autograph.values import (
    Static,
    as_tensor,
    check_structure,
    dtype_of,
    flat,
    is_tensor,
    packed,
    tensors_of,
)
from gradtape._src.autograph.variables import (
    Block,
    UndefinedReturnValue,
    holding,
    is_undefined,
)
from gradtape._src.base import nest
from gradtape._src.base.dtypes import variant
from gradtape._src.base.shapes import TensorShape
from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.array.creation import zeros
from gradtape._src.ops.control.assertions import Assert
from gradtape._src.ops.control.control_flow import cond as tf_cond
from gradtape._src.ops.control.control_flow import while_loop
from gradtape._src.ops.elementwise.comparison import not_equal
from gradtape._src.ops.types.tensor_array import TensorArray

Action = Callable[..., Any]
"""A function of the blocks of a loop; the blocks run on their own copies of the variables."""


class _DiscardedTraceError(Exception):
    """Ends a trace of a branch that is discarded and only shows what a loop's body assigns."""


class TracedLoop:
    """A loop's blocks and variables.

    Args:
      get_state: Returns the variables that the loop changes.
      set_state: Sets these variables.
      names: Their names.
      opts: The options of `set_loop_options`.
      blocks: The functions of the loop: its body and its conditions.
    """

    def __init__(
        self,
        get_state: Any,
        set_state: Any,
        names: Sequence[str],
        opts: Mapping[str, Any],
        *blocks: Any,
    ) -> None:
        self._block = Block(get_state, set_state, *blocks)
        self._set_state = set_state
        self._names = names
        self._opts = opts
        self._first: list[Any] = list(get_state())
        self._invariants = _invariants(opts.get("shape_invariants"))
        self._made: list[str] = []
        self._iterates = re.findall(r"\w+", str(opts.get("iterate_names", "")))

    def lacks_values(self, element: Callable[[], Any] = lambda: None) -> bool:
        """Whether a variable is not bound, or None, before the loop.

        Args:
          element: Makes an element. If the variable of a `for` statement is not bound, it is set to
            zeros like the element.
        """
        lacking = [name for name, x in zip(self._names, self._first, strict=True) if _is_missing(x)]
        if lacking and lacking == self._iterates:
            made = element()
            if type(made) is Tensor and made.shape.is_fully_defined():
                self._first[self._names.index(lacking[0])] = _zeros(made)
                return False
        return bool(lacking)

    def _inside(self, values: Sequence[Any], action: Action) -> tuple[Any, Sequence[Any]]:
        """Runs an action; returns its result, and the values of the variables after it."""
        get, put, *blocks = self._block.fresh()
        with holding(get, put, self._names, values):
            out = action(*blocks)
            return out, get()

    def define(self, test: Tensor, action: Action) -> None:
        """Sets variables that are unbound before the loop to zeros like the body's values.

        Args:
          test: A symbolic condition.
          action: An iteration.
        """
        self.check_returns()
        found: list[Any] = []

        def turn() -> None:
            found[:] = self._inside(self._first, action)[1]
            raise _DiscardedTraceError

        try:
            tf_cond(test, turn, turn)
        except _DiscardedTraceError:
            pass
        except UnboundLocalError as error:
            raise self._undefined(f"ran into a UnboundLocalError: {error}") from None
        for i, (before, after) in enumerate(zip(self._first, found, strict=True)):
            if (before is None or is_undefined(before)) and not _is_missing(after):
                self._first[i] = _zeros(after)
                if self._names[i] not in self._iterates:
                    self._made.append(self._names[i])

    def check_returns(self) -> None:
        """Raises NotImplementedError if the loop holds a `return`."""
        if any(type(value) is UndefinedReturnValue for value in self._first):
            raise NotImplementedError(
                "a return statement cannot be placed inside this TensorFlow loop; this may happen "
                "if a return statement depends on a static Python condition such as a "
                "hyperparameter",
            )

    def _undefined(self, why: str = "") -> Exception:
        name = next(n for n, x in zip(self._names, self._first, strict=True) if is_undefined(x))
        note = f"\nNote: AutoGraph tried to define it automatically, but {why}" if why else ""
        return ValueError(f"'{name}' must be defined before the loop{note}")

    def check_values(self) -> None:
        """Raises ValueError if a variable has no value before a loop over a dataset."""
        self.check_returns()
        if any(map(is_undefined, self._first)):
            raise self._undefined()
        for name, value in zip(self._names, self._first, strict=True):
            if value is None:
                raise ValueError(f"'{name}' is not allowed to be None before the loop")

    def run(
        self, own: Sequence[Tensor], goes: Action, turn: Action, most: int | None = None
    ) -> None:
        """Traces the loop, and gives the variables their last values.

        Args:
          own: Initial values of the loop's own variables, of which there is at least one.
          goes: `(own values, *blocks) -> condition`.
          turn: `(own values, *blocks) -> next own values`, an iteration.
          most: The maximum number of iterations.
        """
        n = len(own)
        tensors = self._tensors()

        def test(*values: Any) -> object:
            state = self._packed(values[n:])
            return self._inside(state, lambda *blocks: goes(values[:n], *blocks))[0]

        def body(*values: Any) -> list[Any]:
            state = self._packed(values[n:])
            following, after = self._inside(state, lambda *blocks: turn(values[:n], *blocks))
            return [*following, *self._following(after)]

        shapes = [self._invariants.get(id(x)) for x in tensors]
        invariants = None
        if any(shapes):
            own_shapes = [x.shape for x in own]
            pairs = zip(shapes, tensors, strict=True)
            invariants = [*own_shapes, *[s or getattr(x, "shape", None) for s, x in pairs]]
        last = while_loop(
            test,
            body,
            [*own, *tensors],
            shape_invariants=invariants,
            maximum_iterations=self._opts.get("maximum_iterations", most),
        )
        for name in self._made:
            message = f"loop must iterate at least once to initialize {name}"
            Assert(not_equal(own[0], last[0]), [message])
        self.finish(last[n:])

    def fold(self, fold: Any, rows: Tensor, turn: Callable[..., Any]) -> None:
        """Traces a loop over rows of a tensor; `turn` gets a row and the blocks."""
        tensors = self._tensors()

        def step(state: Any, row: Any) -> tuple[Any, Any]:
            values = self._packed(state)
            after = self._inside(values, lambda *blocks: turn(row, *blocks))[1]
            return self._following(after), []

        self.finish(fold(step, rows, tensors, False, False)[0])

    def over_elements(
        self, source: Any, goes: Callable[..., Any] | None, turn: Callable[..., Any]
    ) -> None:
        """Traces a loop over the elements of a dataset or of an iterator.

        Args:
          source: The dataset or iterator.
          goes: A function of the blocks that returns whether the loop continues, or None for a loop
            to the end.
          turn: A function of an element and the blocks.
        """

        def test(state: Sequence[Any]) -> Any:
            return self._inside(self._packed(state), goes or (lambda *_: True))[0]

        def step(state: Sequence[Any], element: Any) -> list[Any]:
            after = self._inside(self._packed(state), lambda *blocks: turn(element, *blocks))[1]
            return self._following(after, shapes=False)

        self.finish(source._traced_loop(self._tensors(), step, goes and test))

    def _tensors(self) -> list[Any]:
        return [x for value in self._first for x in tensors_of(value)]

    def finish(self, tensors: Sequence[Any]) -> None:
        """Gives the variables their last values."""
        self._set_state(tuple(self._packed(tensors)))

    def _packed(self, tensors: Sequence[Any]) -> list[Any]:
        found: Iterator[Any] = iter(tensors)
        out = []
        for value in self._first:
            known = [Static.VARIES if is_tensor(x) else x for x in flat(value)]
            out.append(packed(value, known, found))
        return out

    def _following(self, after: Sequence[Any], shapes: bool = True) -> list[Any]:
        """Returns the tensors that the variables hold after an iteration, and checks them."""
        tensors = []
        for name, a, b in zip(self._names, self._first, after, strict=True):
            tensors += self._checked(name, a, a if is_undefined(b) else b, shapes)
        return tensors

    def _checked(self, name: str, before: Any, after: Any, shapes: bool) -> list[Any]:
        try:
            check_structure(before, after)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"'{name}' does not have the same nested structure after one iteration.\n\n{error}",
            ) from None
        if after is None and before is not None:
            raise ValueError(f"'{name}' is None at the end of the iteration.")
        pairs = zip(flat(before), flat(after), strict=True)
        return [y for a, b in pairs for y in self._checked_leaf(name, a, b, shapes)]

    def _checked_leaf(self, name: str, before: Any, after: Any, shapes: bool) -> list[Any]:
        if not (is_tensor(before) and is_tensor(after)):
            if before is after or (is_undefined(before) and is_undefined(after)):
                return []
            raise TypeError(
                f"'{name}' is {before!r} before the loop and {after!r} after one iteration: "
                "variables changed by a loop over tensors must be Tensors or ExtensionTypes",
            )
        one = dtype_of(before)
        new = as_tensor(after, one)
        two = dtype_of(new)
        if one is not None and one is not two:
            raise TypeError(
                f"'{name}' has dtype {one.name} before the loop, but dtype "
                f"{two.name if two else None} after one iteration",
            )
        if shapes and type(new) is Tensor and not isinstance(before, TensorArray):
            self._check_shape(name, before, new.shape)
        return [new]

    def _check_shape(self, name: str, before: Any, after: TensorShape) -> None:
        first = TensorShape(getattr(before, "shape", ()))
        wanted = self._invariants.get(id(before))
        if wanted is None:
            if not _is_within(after, first):
                raise ValueError(
                    f"'{name}' has shape {first} before the loop, but shape {after} after one "
                    "iteration. Use tf.autograph.experimental.set_loop_options to set shape "
                    "invariants.",
                )
            return
        for shape, when in ((first, "before the loop"), (after, "after one iteration")):
            if not _is_within(shape, wanted):
                raise ValueError(
                    f"'{name}' has shape {shape} {when}, which does not conform with the shape "
                    f"invariant {wanted}.",
                )


def _is_missing(value: Any) -> bool:
    return value is None or is_undefined(value)


def _invariants(pairs: Any) -> dict[int, TensorShape]:
    """Returns the shapes in `shape_invariants`, by the tensors' identities."""
    found = {}
    for value, shapes in pairs or ():
        leaves = nest.flatten(value)
        one = isinstance(shapes, TensorShape) or len(leaves) == 1
        for leaf, shape in zip(leaves, [shapes] if one else nest.flatten(shapes), strict=True):
            found[id(leaf)] = TensorShape(shape)
    return found


def _is_within(shape: TensorShape, wider: TensorShape) -> bool:
    """Whether every tensor of a shape also has another, less specific shape."""
    if wider.rank is None:
        return True
    if shape.rank != wider.rank:
        return False
    return all(b is None or a == b for a, b in zip(shape, wider, strict=True))


def _zeros(value: Any) -> Any:
    """Returns a structure like another one, of zeros."""

    def leaf(x: Any) -> object:
        if not is_tensor(x) or isinstance(x, TensorArray):
            return x
        x = as_tensor(x)
        if type(x) is not Tensor or x.dtype is variant:
            return x
        return zeros([n or 0 for n in x.shape], x.dtype)

    return nest.map_structure(leaf, value)
