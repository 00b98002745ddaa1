"""Lists every function of TensorFlow Probability that gradtape replaces, with the reason.

The replacements are defined above the table; see `patch` for the checks before a replacement, and
`probability` for the loading of modules.
"""

from __future__ import annotations

import functools
from importlib import metadata
from typing import Any

from gradtape._src.base.dtypes import float32
from gradtape._src.compat.patch import Bridge, Patch
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.control.control_flow import is_compiled

ROOT = "tensorflow_probability.python"
"""The package whose modules are loaded on first use."""
KERAS_CHOOSER = f"{ROOT}.internal.tf_keras"
"""The module that chooses a version of Keras: it imports Keras 2, and gets the names of Keras 3."""
KERAS_TWO = "tf_keras"
"""The name in that module's source for Keras 2."""


def _dir_without_loading(original: Any, module: Any) -> Any:
    """Returns a `__dir__` that lists only the names that are loaded already."""

    @functools.wraps(original)
    def __dir__(self: Any) -> list[str]:  # noqa: N807 (the method's name)
        return list(vars(self))

    return __dir__


def _copy_where_there_is_one(original: Any, module: Any) -> Any:
    """Copies the documentation of TensorFlow's function, if it exists."""

    @functools.wraps(original)
    def copy_docstring(tf_method_name: str, new_fn: Any) -> Any:
        try:
            return original(tf_method_name, new_fn)
        except (AttributeError, KeyError):
            return new_fn

    return copy_docstring


def _no_table(original: Any, module: Any) -> Any:
    """Skips writing a table of divergences into a docstring."""
    return lambda distributions_module: None


def _implementation_here(original: Any, module: Any) -> Any:
    """Calls the implementation for the CPU, or the one for XLA while a function is compiled."""
    default, on_cpu = module._RUNTIME_DEFAULT, module._RUNTIME_CPU

    @functools.wraps(original)
    def implementation_selecting(fn_name: str, default_fn: Any, cpu_fn: Any) -> Any:
        def chosen(**arguments: Any) -> tuple[Any, Tensor]:
            fn, runtime = (default_fn, default) if is_compiled() else (cpu_fn, on_cpu)
            return fn(**arguments), convert_to_tensor(runtime, dtype=float32)

        return chosen

    return implementation_selecting


_LOADER = f"{ROOT}.internal.lazy_loader"
_CHECKED = ("0.25", "0.25")
PATCHES: tuple[Patch, ...] = (
    Patch(
        _LOADER,
        "LazyLoader.__dir__",
        "(self)",
        _dir_without_loading,
        "Without it, tools that list names would load every package.",
        _CHECKED,
        mentions=("_load",),
    ),
    Patch(
        f"{ROOT}.internal.backend.numpy._utils",
        "copy_docstring",
        "(tf_method_name, new_fn)",
        _copy_where_there_is_one,
        "The decorator documents functions of TensorFlow that gradtape lacks.",
        _CHECKED,
    ),
    Patch(
        f"{ROOT}.distributions.kullback_leibler",
        "augment_kl_xent_docs",
        "(distributions_module)",
        _no_table,
        "A table of all divergences in a docstring would load every distribution.",
        _CHECKED,
        mentions=("_dist_classes",),
    ),
    Patch(
        f"{ROOT}.internal.implementation_selection",
        "implementation_selecting",
        "(fn_name, default_fn, cpu_fn)",
        _implementation_here,
        "In TensorFlow, Grappler chooses an implementation when a graph runs; gradtape has no "
        "Grappler.",
        _CHECKED,
        mentions=("_RUNTIME_CPU", "_RUNTIME_DEFAULT"),
    ),
)

BRIDGE = Bridge(
    "TensorFlow Probability",
    PATCHES,
    lambda: metadata.version("tensorflow_probability"),
    switch="GRADTAPE_NO_PROBABILITY_PATCHES",
    effect=(
        "It may load slowly, or need Keras 2 or parts of TensorFlow that gradtape lacks; "
        f"version {_CHECKED[1]} was checked."
    ),
)
"""The patches of this process; `compat.probability` hands it the modules that have targets."""
