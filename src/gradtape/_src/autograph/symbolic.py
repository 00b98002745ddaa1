"""The state of tracing: which values are symbolic."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.autodiff.vectorize import Batch
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.eager_only import active_compiler

_KNOWN = (np.ndarray, np.generic)


def is_symbolic(x: Any) -> bool:
    """Whether a value is symbolic in the function that is traced now."""
    if type(x) is not Tensor:
        return type(x) is not bool and isinstance(x, Variable) and active_compiler() is not None
    value = x._value
    while type(value) is Batch:
        value = value.inner._value if type(value.inner) is Tensor else value.inner
    return not isinstance(value, _KNOWN) and active_compiler() is not None


def is_data_set(x: Any) -> bool:
    """Whether a value is a dataset, and a function is traced."""
    return hasattr(x, "_traced_loop") and hasattr(x, "take_while") and active_compiler() is not None


def is_source(x: Any) -> bool:
    """Whether a loop over a value is traced as a loop over a dataset or an iterator."""
    return hasattr(x, "_traced_loop") and active_compiler() is not None
