"""Raw operations whose arguments differ from those of every public function."""

from __future__ import annotations

from typing import Any

from gradtape._src.base.export import raw_op
from gradtape._src.core.convert import tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.registered import opaque
from gradtape._src.ops.elementwise import division


@raw_op("Div")
def _div(x: Any, y: Any, name: str | None = None) -> Any:
    """The quotient, cut towards zero for integers."""
    a = tensor(x)
    return (division.truncatediv if a.dtype.is_integer else division.realdiv)(a, y)


_prevented_p = opaque("PreventGradient", lambda x: x, lambda x: x)


@raw_op("PreventGradient")
def _prevent_gradient(input: Any, message: str = "", name: str | None = None) -> Tensor:
    """The input, whose gradient is refused with a LookupError."""
    return _prevented_p(tensor(input))
