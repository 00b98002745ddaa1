"""Values of polynomials."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.tensor import Tensor


@export("math.polyval")
def polyval(coeffs: Any, x: Any, name: str | None = None) -> Tensor:
    """The value of a polynomial, by Horner's rule.

    Args:
      coeffs: A list of coefficients, that of the highest power first.
      x: A tensor.
      name: Accepted for compatibility.

    Returns:
      A tensor of the shape of `x` and the coefficients.

    Raises:
      ValueError: `coeffs` is no list.
    """
    if not isinstance(coeffs, list):
        raise ValueError(f"Argument coeffs must be list type. Received type {type(coeffs)}.")
    at = tensor(x)
    if not coeffs:
        return Tensor(np.zeros_like(np.asarray(at._numpy()))[()])
    given = [convert_to_tensor(c, dtype_hint=at.dtype) for c in coeffs]
    out: Any = given[0]
    for c in given[1:]:
        out = c + out * at
    return out  # type: ignore[no-any-return]
