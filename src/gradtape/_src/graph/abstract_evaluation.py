"""Abstract evaluation: finds the shapes and dtypes of a function's results without side effects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from gradtape._src.base import nest
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.core.primitive import Outputs, Primitive
from gradtape._src.core.recorder import Recorder, replaced
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.ops.types.specs import TensorSpec

R = TypeVar("R")

# The lengths in place of an unknown one, in two runs: along the first axis, and elsewhere. A length
# of the result is unknown if the runs differ. They have many divisors, since programs may divide
# lengths.
FILLS = ((2, 96), (4, 144))


class _AbstractRun(Recorder):
    """Runs operations, and reverses their changes of variables."""

    def __init__(self) -> None:
        self._before: dict[int, tuple[Variable, Any]] = {}

    def process(
        self, primitive: Primitive, inputs: Sequence[Tensor], params: dict[str, Any]
    ) -> Outputs:
        return primitive.bind(*inputs, **params)

    def variable_written(self, variable: Variable) -> None:
        self._before.setdefault(variable._id, (variable, variable._value))

    def undo(self) -> None:
        for variable, value in self._before.values():
            variable._put(value)


def run_abstractly(run: Callable[..., R], *args: Any, **kwargs: Any) -> R:
    """Calls a function unseen by tapes, and restores the values of variables."""
    abstract = _AbstractRun()
    try:
        with replaced((abstract,)):
            return run(*args, **kwargs)
    finally:
        abstract.undo()


def filled(shape: Sequence[int | None], fill: tuple[int, int]) -> tuple[int, ...]:
    """Returns a shape with numbers in place of its unknown lengths."""
    return tuple(fill[i > 0] if n is None else n for i, n in enumerate(shape))


def example(shape: Sequence[int | None], dtype: Any, fill: tuple[int, int]) -> Tensor:
    """Returns a tensor of zeros for an abstract evaluation, which takes no memory."""
    if dtype.name == "string":
        return Tensor(np.full(filled(shape, fill), b"", object))
    return Tensor(np.broadcast_to(np.zeros((), dtype.np_dtype), filled(shape, fill))[()])


def merged(shape: Sequence[int | None], other: Sequence[int | None]) -> list[int | None]:
    """Returns the lengths that two runs agree on, None elsewhere."""
    if len(shape) != len(other):
        raise ValueError(
            f"the number of axes depends on a length that is unknown: {shape} or {other}"
        )
    return [a if a == b else None for a, b in zip(shape, other, strict=True)]


def abstract_outputs(function: Callable[..., Any], signature: tuple[Any, Any]) -> object:
    """Returns the results of a function, each tensor as a `TensorSpec`.

    Args:
      function: The function, which is called once, or twice if lengths are unknown.
      signature: Its arguments and keyword arguments, with `TensorSpec`s for the tensors.

    Raises:
      ValueError: The rank of an argument is unknown.
    """
    specs = [x for x in nest.flatten(signature) if isinstance(x, TensorSpec)]
    if any(s.shape.rank is None for s in specs):
        raise ValueError("outputs can't be told for a tensor of unknown rank: give its shape")
    fixed = all(s.shape.is_fully_defined() for s in specs)
    runs = []
    for fill in FILLS[:1] if fixed else FILLS:
        args, kwargs = nest.map_structure(
            lambda x, fill=fill: (
                example(x.shape.as_list(), x.dtype, fill) if isinstance(x, TensorSpec) else x
            ),
            signature,
        )
        runs.append(run_abstractly(function, *args, **kwargs))
    return nest.map_structure(_spec, runs[0], runs[-1])


class _Reads(_AbstractRun):
    """Records which variables are used."""

    def __init__(self) -> None:
        super().__init__()
        self.used: dict[int, Variable] = {}

    def variable_read(self, variable: Variable) -> None:
        self.used.setdefault(variable._id, variable)

    def hold(self, variable: Variable) -> None:
        self.used.setdefault(variable._id, variable)

    def variable_written(self, variable: Variable) -> None:
        super().variable_written(variable)
        self.used.setdefault(variable._id, variable)


def variables_used(
    function: Callable[..., Any], signature: tuple[Any, Any]
) -> tuple[Variable, ...]:
    """Returns the variables that a function reads or writes, in the order of their first use.

    Args:
      function: As `abstract_outputs`.
      signature: As `abstract_outputs`.
    """
    reads = _Reads()
    args, kwargs = nest.map_structure(
        lambda x: example(x.shape.as_list(), x.dtype, FILLS[0]) if isinstance(x, TensorSpec) else x,
        signature,
    )
    try:
        with replaced((reads,)):
            function(*args, **kwargs)
    finally:
        reads.undo()
    return tuple(reads.used.values())


def _spec(x: Any, y: Any) -> Any:
    if isinstance(x, (Tensor, Variable, IndexedSlices)):
        return TensorSpec(merged(x.shape.as_list(), y.shape.as_list()), x.dtype)
    return x
