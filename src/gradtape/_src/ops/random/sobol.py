"""The Sobol sequence, a low-discrepancy sequence."""

from __future__ import annotations

from typing import Any

from gradtape._src.base.dtypes import as_dtype, float32
from gradtape._src.base.export import export, raw_op
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import (
    invalid,
    scalar,
)


@export("math.sobol_sample")
@raw_op("SobolSample", differentiable=False)
def sobol_sample(
    dim: Any, num_results: Any, skip: Any = 0, dtype: Any = float32, name: str | None = None
) -> Tensor:
    """Returns points of the Sobol sequence, which fill the unit cube evenly.

    Joe and Kuo, "Constructing Sobol sequences with better two-dimensional projections" (2008).

    Args:
      dim: The number of dimensions.
      num_results: The number of points.
      skip: The number of first points to skip.
      dtype: float32 or float64.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (num_results, dim) of numbers in [0, 1).

    Raises:
      InvalidArgumentError: `dim` or `num_results` is less than one.
    """
    from scipy.stats import qmc

    d, n, first = (scalar(v, "SobolSample", "dim") for v in (dim, num_results, skip))
    for what, value in (("dim", d), ("num_results", n)):
        if value < 1:
            raise invalid(f"{what} must be at least one [Op:SobolSample]")
    engine = qmc.Sobol(d, scramble=False, bits=32)
    engine.fast_forward(first + 1)  # The first point of the sequence is all zeros. It is left out.
    return Tensor(engine.random(n).astype(as_dtype(dtype).np_dtype))
