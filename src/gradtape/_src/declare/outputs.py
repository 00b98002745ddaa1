"""The numbers of outputs of operations, from which type checkers infer result types."""

from __future__ import annotations

from typing import Literal, overload

from gradtape._src.core.primitive import Bound, BoundOutputs, Run
from gradtape._src.core.tensor import Tensor


@overload
def several(
    count: Literal[2], run: Bound, needed: int | None = None
) -> BoundOutputs[tuple[Tensor, Tensor]]: ...
@overload
def several(
    count: Literal[3], run: Bound, needed: int | None = None
) -> BoundOutputs[tuple[Tensor, Tensor, Tensor]]: ...
@overload
def several(
    count: None, run: Bound, needed: int | None = None
) -> BoundOutputs[tuple[Tensor, ...]]: ...
def several(count: int | None, run: Bound, needed: int | None = None) -> Run:
    """Declares the number of an operation's outputs; None if it depends on the parameters.

    Args:
      count: The number of outputs.
      run: The function that runs the operation.
      needed: The number of first outputs whose cotangents the rules need; those of the others may
        be None if they have none, rather than zeros. Defaults to all outputs.
    """
    run.primitive.outputs, run.primitive.needed = count, needed
    return run
