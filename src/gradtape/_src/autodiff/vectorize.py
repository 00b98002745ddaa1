"""Running a function once on many examples.

The recorder runs each operation with one more axis.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from gradtape._src.base.error_messages import translated
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.core.convert import tensor
from gradtape._src.core.primitive import Outputs, Primitive
from gradtape._src.core.recorder import STACK, Recorder, replaced
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import dtype_of_value, shape_of
from gradtape._src.declare.structural import stack_p, take_row
from gradtape._src.ops.array.row_sums import to_dense


class ManyValues(NotImplementedError):  # noqa: N818 (raised as NotImplementedError is)
    """A program needs the value of one example, but there are many examples."""


class Batch:
    """A value that looks like one example; its `inner` value holds all examples along axis 0.

    It belongs to the vectorizer `owner`. `inner` is raw if no recorder is below the owner, else a
    tensor.
    """

    __slots__ = ("inner", "owner")
    __array_ufunc__ = None  # an array on the left of an operator leaves the operation to this class

    def __init__(self, owner: Vectorizer, inner: Any) -> None:
        self.owner = owner
        self.inner = inner

    @property
    def shape(self) -> tuple[int, ...]:
        return shape_of(self.inner)[1:]

    @property
    def dtype(self) -> np.dtype[Any]:
        return dtype_of_value(self.inner)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # NumPy and Python call these methods
            raise AttributeError(name)
        return self.numpy()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.numpy()

    def numpy(self) -> NoReturn:
        """Raises NotImplementedError, since there is one value per example."""
        raise ManyValues(
            "a vectorized value has no single NumPy value, since it represents many examples at "
            "once "
            "(in a vectorized function choose with tf.where or tf.cond, not with Python's `if`, "
            "and compute with tf's functions)"
        )

    def refuse(self, other: Any = None) -> NoReturn:
        """Raises ValueError, since a variable, which all examples share, can't hold this value."""
        raise ValueError(_SHARED)

    __add__ = __sub__ = __radd__ = __rsub__ = refuse  # of the variable's value


_SHARED = (
    "a variable can't be assigned a value that differs between the rows of vectorized_map: return "
    "the values and reduce them outside of it, or use tf.map_fn"
)


class Vectorizer(Recorder):
    """Runs operations on `size` examples at once."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.written: dict[int, tuple[Any, Any]] = {}

    def variable_written(self, variable: Any) -> None:
        self.written.setdefault(variable._id, (variable, variable._value))

    def check_variables(self) -> None:
        """Raises ValueError if a variable was assigned a batched value, and restores it."""
        taken = [
            (variable, before)
            for variable, before in self.written.values()
            if type(variable._value) is Batch and variable._value.owner is self
        ]
        for variable, before in taken:
            variable._put(before)
        if taken:
            raise ValueError(_SHARED)

    def wrap(self, inner: Any) -> Tensor:
        """Returns a value with examples along axis 0 as one that looks like a single example."""
        return Tensor(Batch(self, inner))

    def unwrap(self, x: Tensor) -> tuple[bool, Any]:
        """Returns whether `x` differs between examples, and the value below this recorder."""
        value = x._value
        if type(value) is Batch and value.owner is self:
            return True, value.inner
        return False, x if STACK.recorders else value

    def process(
        self, primitive: Primitive, inputs: Sequence[Tensor], params: dict[str, Any]
    ) -> Outputs:
        flags, values = zip(*map(self.unwrap, inputs), strict=True)
        if not any(flags):
            return primitive.bind(*inputs, **params)
        try:
            out = primitive.batch(self.size, flags, values, params)
        except IndexError as error:  # an array, because a kernel ran on raw values
            raise translated(primitive.name, error, inputs) from None
        return tuple(map(self.wrap, out)) if type(out) is tuple else self.wrap(out)


def row_by_row(function: Callable[[list[Tensor]], list[Any]], xs: Sequence[Tensor]) -> list[Any]:
    """Calls a function on tensors, once per example if it needs the values of one example.

    Args:
      function: Takes a list of tensors, and returns tensors or None.
      xs: The tensors.

    Returns:
      The results. If `xs` holds a value per example and a vectorizer is the innermost recorder,
      they hold the results of all examples.
    """
    try:
        return function(list(xs))
    except ManyValues:
        *below, owner = STACK.recorders or (None,)
        if not isinstance(owner, Vectorizer) or not owner.size:
            raise
        given = [owner.unwrap(x) for x in xs]
        if not any(batched for batched, _ in given):
            raise
    with replaced(tuple(below)):
        outs = [
            row_by_row(function, [tensor(take_row(v, k) if b else v) for b, v in given])
            for k in range(owner.size)
        ]
        columns = [None if c[0] is None else _stacked(c) for c in zip(*outs, strict=True)]
    return [None if c is None else owner.wrap(c if below else c._value) for c in columns]


def _stacked(rows: Sequence[Any]) -> Any:
    return stack_p(*[to_dense(x) if isinstance(x, IndexedSlices) else tensor(x) for x in rows])
