"""The private names of JAX that gradtape uses, which are checked before use.

JAX may change these names in any version. Each entry says how gradtape calls the function, why no
public one suffices, and what happens without it. The table was checked with JAX 0.10.
"""

from __future__ import annotations

import inspect
from contextlib import suppress
from functools import cache
from importlib import import_module
from operator import attrgetter
from typing import Any, NamedTuple


class Private(NamedTuple):
    """One private name of JAX.

    Attributes:
      module: The module of JAX, or of a class.
      name: The name there; dotted for an attribute.
      takes: The parameters that gradtape passes by name, or None for an object that is not a
        function.
      why: Why no public name suffices.
      without: The effect if the name is missing or takes other parameters.
    """

    module: str
    name: str
    takes: tuple[str, ...] | None
    why: str
    without: str


_BRIDGE, _DISTRIBUTED = "jax._src.xla_bridge", "jax._src.distributed"
_ENDS = "With the public `initialize`, the loss of the coordinator ends the process."
_REFUSED = "MultiWorkerMirroredStrategy raises ImportError."

STARTED = Private(
    _BRIDGE,
    "backends_are_initialized",
    (),
    "Public functions that show whether JAX has started its devices start them.",
    "An imported JAX counts as started, so that its number of processors can't be changed.",
)
BUFFER = Private(
    "jax._src.array",
    "ArrayImpl.unsafe_buffer_pointer",
    (),
    "gradtape needs to write to a JAX array that has no other reference.",
    "Results of compiled kernels are copied.",
)
PROCESSES = (
    Private(
        _BRIDGE,
        "make_cpu_client",
        ("collectives",),
        "Collective operations need to listen at this worker's own address.",
        _REFUSED,
    ),
    Private(
        _BRIDGE,
        "register_backend_factory",
        ("name", "factory", "priority", "fail_quietly"),
        "JAX needs to use the client that gradtape creates.",
        _REFUSED,
    ),
    Private(
        _DISTRIBUTED,
        "_jax.get_distributed_runtime_service",
        ("address", "num_nodes", "shutdown_timeout", "recoverable"),
        _ENDS,
        _REFUSED,
    ),
    Private(
        _DISTRIBUTED,
        "_jax.get_distributed_runtime_client",
        (
            "address",
            "node_id",
            "init_timeout",
            "shutdown_timeout",
            "shutdown_on_destruction",
            "use_compression",
        ),
        _ENDS,
        _REFUSED,
    ),
    Private(
        _DISTRIBUTED,
        "_jax.make_gloo_tcp_collectives",
        ("distributed_client", "hostname"),
        "Collective operations need to listen at this worker's own address.",
        _REFUSED,
    ),
    *(
        Private(
            _DISTRIBUTED,
            f"global_state.{name}",
            None,
            "JAX's devices need to know that there are several processes.",
            _REFUSED,
        )
        for name in ("client", "process_id", "num_processes", "coordinator_address")
    ),
)
MANIFEST = (STARTED, BUFFER, *PROCESSES)


@cache
def found(private: Private) -> Any:
    """Returns a private object of JAX if it looks as expected, otherwise None. Imports JAX."""
    try:
        value = attrgetter(private.name)(import_module(private.module))
    except (AttributeError, ImportError):
        return None
    if private.takes is None:
        return private
    known = _parameters(value)
    return value if callable(value) and known.issuperset(private.takes) else None


def _parameters(function: Any) -> set[str]:
    """Returns the names of a function's parameters, found in the docstring if it is compiled.

    Some versions of Python know only `(*args, **kwargs)` of a compiled function.
    """
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    with suppress(TypeError, ValueError):
        found = inspect.signature(function).parameters.values()
        if names := {p.name for p in found if p.kind not in variable}:
            return names
    inside = (getattr(function, "__doc__", None) or "").partition("(")[2].partition(") ->")[0]
    return {part.partition(":")[0].strip() for part in inside.split(",")}


def check_processes() -> None:
    """Checks that JAX has all functions that a strategy of several processes needs.

    Raises:
      ImportError: JAX lacks a function, or the parameters of one differ.
    """
    missing = [f"{p.module}.{p.name}" for p in PROCESSES if found(p) is None]
    if missing:
        raise ImportError(
            f"MultiWorkerMirroredStrategy needs private parts of JAX, and {', '.join(missing)} "
            f"of JAX {import_module('jax').__version__} is missing or takes other arguments: "
            "install another version of JAX (0.10 was checked), or train in one process with "
            "MirroredStrategy"
        )
