"""`tf.test`: checking gradients, and test cases with assertions about tensors."""

import sys as _sys
from typing import Any as _Any

from gradtape._src.autodiff.numerical import compute_gradient as compute_gradient
from gradtape._src.compat.names import missing as _missing

# Loaded on first use: a program that tests nothing need not load unittest.
_LAZY = {
    "TestCase",
    "gpu_device_name",
    "is_built_with_cuda",
    "is_built_with_gpu_support",
    "is_built_with_rocm",
    "is_gpu_available",
    "main",
}


def __getattr__(name: str) -> _Any:
    if name in _LAZY:
        from gradtape._src.inspect import testing

        return getattr(testing, name)
    raise _missing(name, _sys.modules[__name__])


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
