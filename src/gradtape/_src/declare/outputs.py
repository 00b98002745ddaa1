"""The numbers of outputs of operations, from which type checkers infer result types."""

from __future__ import annotations

from typing import Literal, overload

from gradtape._src.core.primitive import Bound, BoundOutputs, Run
from gradtape._src.core.tensor import Tensor


@overload
def several(count: Literal[2], run: Bound) -> BoundOutputs[tuple[Tensor, Tensor]]: ...
@overload
def several(count: Literal[3], run: Bound) -> BoundOutputs[tuple[Tensor, Tensor, Tensor]]: ...
@overload
def several(count: None, run: Bound) -> BoundOutputs[tuple[Tensor, ...]]: ...
def several(count: int | None, run: Bound) -> Run:
    """Declares the number of an operation's outputs; None if it depends on the parameters."""
    run.primitive.outputs = count
    return run
