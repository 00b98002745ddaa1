"""The entries of the samples table: an operation, how to call it, and inputs.

A file of samples begins with `from .base import Sample` and ends in a list named `SAMPLES`. The
driver, `tests/ops/test_samples.py`, makes the tests from them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Sample:
    """One operation on one set of inputs.

    Attributes:
      op: The primitive's registered name, as "Exp".
      call: The operation on float64 (or complex128) tensors; gives a tensor or a sequence of them.
      inputs: float64 or complex128 arrays away from kinks: the differentiable inputs alone, `call`
        closes over all else.
      reference: The same in NumPy or SciPy on the same arrays.
      name: Tells several samples of one operation apart.
      second_order: False only with a reason in a comment.
      single: Whether `call` takes float32 as well; False only with a reason in a comment.
    """

    op: str
    call: Callable[..., Any]
    inputs: tuple[np.ndarray[Any, Any], ...]
    reference: Callable[..., Any] | None = None
    name: str = ""
    second_order: bool = True
    single: bool = True

    @property
    def id(self) -> str:
        """The name of the sample's tests."""
        return f"{self.op}-{self.name}" if self.name else self.op
