"""`tf.test`: checking gradients, and test cases with assertions about tensors."""

import sys as _sys
import typing as _typing

from gradtape._src.autodiff.numerical import compute_gradient as compute_gradient
from gradtape._src.compat.internals.benchmark import Benchmark as Benchmark
from gradtape._src.compat.internals.benchmark import benchmark_config as benchmark_config
from gradtape._src.compat.internals.graph_equality import (
    assert_equal_graph_def as assert_equal_graph_def,
)
from gradtape._src.compat.names import missing as _missing

# Loaded on first use: a program that tests nothing need not load unittest.
_LAZY = {
    "TestCase",
    "disable_with_predicate",
    "gpu_device_name",
    "is_built_with_cuda",
    "is_built_with_gpu_support",
    "is_built_with_rocm",
    "is_built_with_xla",
    "is_cpu_target_available",
    "is_gpu_available",
    "main",
}


if _typing.TYPE_CHECKING:
    from gradtape._src.sessions.testing import TestCase as TestCase
    from gradtape._src.sessions.testing import disable_with_predicate as disable_with_predicate
    from gradtape._src.sessions.testing import gpu_device_name as gpu_device_name
    from gradtape._src.sessions.testing import is_built_with_cuda as is_built_with_cuda
    from gradtape._src.sessions.testing import (
        is_built_with_gpu_support as is_built_with_gpu_support,
    )
    from gradtape._src.sessions.testing import is_built_with_rocm as is_built_with_rocm
    from gradtape._src.sessions.testing import is_built_with_xla as is_built_with_xla
    from gradtape._src.sessions.testing import is_cpu_target_available as is_cpu_target_available
    from gradtape._src.sessions.testing import is_gpu_available as is_gpu_available
    from gradtape._src.sessions.testing import main as main
else:

    def __getattr__(name: str) -> _typing.Any:
        if name in _LAZY:
            from gradtape._src.sessions import testing

            return getattr(testing, name)
        raise _missing(name, _sys.modules[__name__])


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
