"""The existing devices, and the devices that `tf.device` requests."""

from __future__ import annotations

import importlib.util
import os
import re
import sys
import weakref
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from gradtape._src.base.device_values import LOCAL
from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.base.process_settings import in_child
from gradtape._src.compute import jax_private
from gradtape._src.compute.device_spec import DeviceSpec
from gradtape._src.compute.parallel import compute_by_xla

if TYPE_CHECKING:
    import jax

_chosen: ContextVar[DeviceSpec | None] = ContextVar("device", default=None)
chosen_device = _chosen.get
"""The device that the innermost `tf.device` of this thread or task requests."""
choose = _chosen.set


_FORCED = re.compile(r"--xla_force_host_platform_device_count=(\d+)")
requested_processors: list[int] = []
"""The number of logical processors that a program requested last."""


class Placement:
    """Settings of the process.

    Attributes:
      soft: Whether operations for a missing device run elsewhere.
    """

    soft = True


def place_softly(enabled: bool) -> None:
    """Sets whether operations for a missing device run elsewhere or raise an error."""
    Placement.soft = enabled


def processors() -> int:
    """Returns the number of logical processors, which the program or XLA's flags determine."""
    forced = _FORCED.search(os.environ.get("XLA_FLAGS", ""))
    return requested_processors[-1] if requested_processors else int(forced[1]) if forced else 1


def jax_runs() -> bool:
    """Whether JAX has started its devices, whose number is fixed from then on."""
    if jax_private.STARTED.module not in sys.modules:
        return False
    started = jax_private.found(jax_private.STARTED)
    return started is None or bool(started())


def apply_processor_count() -> None:
    """Makes JAX start with the number of processors that a program requested."""
    import jax

    if requested_processors and not jax_runs():
        jax.config.update("jax_num_cpu_devices", requested_processors[-1])


def keep_programs(directory: str | None) -> None:
    """Makes JAX store all compiled programs in a directory, or disables this if it is None."""
    apply_processor_count()
    import jax
    from jax.experimental.compilation_cache import compilation_cache

    jax.config.update("jax_compilation_cache_dir", directory)
    # By default, JAX does not store programs that are small or compile quickly.
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
    compilation_cache.reset_cache()  # JAX opens the cache only once per process


def _has_plugins() -> bool:
    names = ("jax", "jax_plugins", "libtpu")
    jax, *plugins = [importlib.util.find_spec(name) is not None for name in names]
    return jax and any(plugins)


def physical_devices() -> dict[str, list[Any]]:
    """Returns JAX's devices of this process by TensorFlow's names of their types.

    The result is empty if it is known without starting JAX that the CPU is the only device.
    """
    if not jax_runs():
        if not _has_plugins():
            return {}
        # A program that asks for devices may go on to ask for this, when it would be too late.
        os.environ.setdefault(_RESERVES, "false")
    apply_processor_count()
    import jax

    kind = jax.default_backend().upper()
    if kind == "CPU":
        return {"CPU": list(jax.local_devices())}
    try:
        found = {"CPU": list(jax.local_devices(backend="cpu"))}
    except RuntimeError:  # JAX_PLATFORMS names other platforms alone
        found = {"CPU": []}
    found[{"CUDA": "GPU", "ROCM": "GPU"}.get(kind, kind)] = list(jax.local_devices())
    return found


_RESERVES = "XLA_PYTHON_CLIENT_PREALLOCATE"
"""JAX's variable of the environment: whether it reserves most of a GPU's memory when it starts."""
visible_devices: dict[str, list[int]] = {}
"""The numbers of the devices that a program made visible, by their type, if not all are."""


def memory_grows() -> bool:
    """Whether JAX allocates a GPU's memory as needed."""
    return os.environ.get(_RESERVES, "true").lower() in ("0", "false")


def grow_memory() -> bool:
    """Makes JAX allocate a GPU's memory as needed; returns False if this is too late."""
    if not jax_runs():
        os.environ[_RESERVES] = "false"
    return memory_grows()


def make_visible(kind: str, numbers: list[int]) -> None:
    """Makes only these devices of a type other than the CPU available to programs."""
    import jax

    visible_devices[kind] = numbers
    there = jax_devices()
    first = [*there.get(kind, []), *there["CPU"]]
    jax.config.update("jax_default_device", first[0] if first else None)


def jax_devices() -> dict[str, list[Any]]:
    """Returns those of `physical_devices` that are visible."""
    found = physical_devices()
    for kind, numbers in visible_devices.items():
        if kind in found:
            found[kind] = [found[kind][n] for n in numbers]
    return {kind: devices for kind, devices in found.items() if devices or kind == "CPU"}


def device_counts() -> dict[str, int]:
    """Returns the number of visible devices of each type."""
    found = {kind: len(devices) for kind, devices in jax_devices().items()}
    return {**found, "CPU": max(found.get("CPU", 1), processors())}


def memory_statistics(device: Any) -> dict[str, int]:
    """Returns what the memory of a device holds; nothing for the processor.

    Raises:
      TypeError: `device` is not text.
      ValueError: There is no such device.
    """
    if not isinstance(device, str):
        raise TypeError(f"the name of a device is text, got {device!r}")
    found = re.fullmatch(r"(?:.*/device:)?([A-Za-z]+):([0-9]+)", device)
    if not found:
        raise ValueError(
            f"Failed parsing device name: '{device}'. Note a valid device string should at least "
            'contain a device type and a device index, like "GPU:0".'
        )
    kind, index = found[1], int(found[2])
    if index >= device_counts().get(kind, 0):
        raise ValueError(f"No matching devices found for '{device}'")
    if kind == "CPU":
        return {}
    statistics: dict[str, int] = jax_devices()[kind][index].memory_stats() or {}
    return statistics


def gpu_details(device: Any) -> dict[str, Any]:
    """Returns what TensorFlow tells about a GPU, from JAX's device."""
    capability = re.fullmatch(r"(\d+)\.(\d+)", str(getattr(device, "compute_capability", "")))
    details: dict[str, Any] = {"device_name": device.device_kind}
    if capability:
        details["compute_capability"] = (int(capability[1]), int(capability[2]))
    return details


def all_names() -> list[str]:
    """Returns the full names of all devices."""
    return [f"{LOCAL}/device:{kind}:{i}" for kind, n in device_counts().items() for i in range(n)]


def check_place(spec: DeviceSpec) -> None:
    """Raises InvalidArgumentError for a missing device, unless soft placement allows it."""
    full = DeviceSpec.from_string(LOCAL).make_merged_spec(spec)
    if (full.job, full.replica, full.task) != ("localhost", 0, 0):
        raise InvalidArgumentError(
            None,
            None,
            f"{full.to_string()} unknown device. All available devices [{', '.join(all_names())}].",
        )
    if Placement.soft or full.device_type is None:
        return
    count = device_counts().get(full.device_type, 0)
    if full.device_index not in (None, *range(count)) or not count:
        raise InvalidArgumentError(
            None,
            None,
            f"Could not satisfy device specification '{full.to_string()}'. enable_soft_placement=0."
            f" Supported device types [{', '.join(device_counts())}]. All available devices "
            f"[{', '.join(all_names())}].",
        )


def jax_device(spec: DeviceSpec) -> jax.Device | None:
    """Returns JAX's device for the current scope, or None if no device is requested."""
    check_place(spec)
    there = jax_devices()
    if spec.device_type is None or sum(map(len, there.values())) < 2:
        return None
    found = there.get(spec.device_type, [])
    index = spec.device_index or 0
    return found[index] if index < len(found) else next(iter(there["CPU"]), None)


class Rebuilt(Protocol):
    """A program that depends on the setting of TensorFloat-32."""

    def rebuild(self) -> None:
        """Makes the program again, after the setting was changed."""


class TensorFloat32:
    """Whether GPUs may round the factors of float32 products, as TensorFlow allows by default.

    Attributes:
      allowed: Whether factors may be rounded to TensorFloat-32.
      programs: The programs with float32 products that run on a GPU.
    """

    allowed = True
    programs: ClassVar[weakref.WeakSet[Rebuilt]] = weakref.WeakSet()


def allow_tensor_float32(allowed: bool) -> None:
    """Sets whether GPUs may round factors, also in the programs that were made before."""
    if allowed != TensorFloat32.allowed:
        TensorFloat32.allowed = allowed
        for program in list(TensorFloat32.programs):
            program.rebuild()


in_child(lambda: compute_by_xla(False))  # the child process lacks JAX's threads
