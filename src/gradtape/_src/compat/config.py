"""`tf.config`: the devices of this process and how operations run on them."""

from __future__ import annotations

import importlib.util
import os
import sys
import zlib
from types import ModuleType
from typing import Any, ClassVar, NamedTuple

from gradtape._src.base.device_values import align_copies
from gradtape._src.base.errors import InvalidArgumentError, UnimplementedError
from gradtape._src.base.export import export
from gradtape._src.compute.devices import (
    Placement,
    TensorFloat32,
    allow_tensor_float32,
    apply_processor_count,
    device_counts,
    gpu_details,
    grow_memory,
    jax_runs,
    keep_programs,
    make_visible,
    memory_grows,
    memory_statistics,
    physical_devices,
    place_softly,
    processors,
    requested_processors,
    visible_devices,
)
from gradtape._src.compute.parallel import Engine, compute_by_xla
from gradtape._src.graph.tracing.trace_errors import jit_without_jax
from gradtape._src.messages import protos


@export("config.PhysicalDevice")
class PhysicalDevice(NamedTuple):
    """A device of this machine."""

    name: str
    device_type: str

    def __repr__(self) -> str:
        return f"PhysicalDevice(name={self.name!r}, device_type={self.device_type!r})"


@export("config.LogicalDevice")
class LogicalDevice(NamedTuple):
    """A device on which operations can run."""

    name: str
    device_type: str

    def __repr__(self) -> str:
        return f"LogicalDevice(name={self.name!r}, device_type={self.device_type!r})"


_PROCESSOR_LIMIT = 256 << 20
_PHYSICAL = PhysicalDevice("/physical_device:CPU:0", "CPU")


@export("config.LogicalDeviceConfiguration", "config.experimental.VirtualDeviceConfiguration")
class LogicalDeviceConfiguration(NamedTuple):
    """Describes one of the devices into which a physical device is divided.

    Attributes:
      memory_limit: Accepted for compatibility, like all other attributes.

    >>> tf.config.LogicalDeviceConfiguration(memory_limit=1024).memory_limit
    1024
    """

    memory_limit: Any = None
    experimental_priority: Any = None
    experimental_device_ordinal: Any = None


@export("config.list_physical_devices", "config.experimental.list_physical_devices")
def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """Returns the devices of this machine: the processor, and other devices that JAX finds.

    JAX is asked only if it is already running, or if one of its plugins for other devices is
    installed.

    Args:
      device_type: The type of the devices to list, such as "GPU"; None for all types.

    Returns:
      A list of `PhysicalDevice`s.

    >>> tf.config.list_physical_devices("CPU")
    [PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]
    """
    if device_type == "CPU":  # JAX need not start, so that a program can still divide the processor
        return [_PHYSICAL]
    others = [
        PhysicalDevice(f"/physical_device:{kind}:{i}", kind)
        for kind, devices in physical_devices().items()
        for i in range(len(devices))
        if kind != "CPU"
    ]
    return [d for d in (_PHYSICAL, *others) if device_type in (None, d.device_type)]


@export("config.list_logical_devices", "config.experimental.list_logical_devices")
def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """Lists the devices on which compiled functions can run.

    The processor may be divided into several of them by `set_logical_device_configuration`.

    Args:
      device_type: The type of the devices to list, such as "GPU"; None for all types.

    Returns:
      A list of `LogicalDevice`s.

    >>> tf.config.list_logical_devices("CPU")[0].name
    '/device:CPU:0'
    """
    return [
        LogicalDevice(f"/device:{kind}:{i}", kind)
        for kind, n in device_counts().items()
        for i in range(n)
        if device_type in (None, kind)
    ]


def list_local_devices(session_config: Any = None) -> list[protos.DeviceAttributes]:
    """Lists the devices, as `tensorflow.python.client.device_lib` does.

    Args:
      session_config: Accepted for compatibility.

    Returns:
      A `DeviceAttributes` for each device. Processors have the memory limit that TensorFlow gives.
    """
    return [
        protos.DeviceAttributes(
            name=device.name,
            device_type=device.device_type,
            memory_limit=_PROCESSOR_LIMIT if device.device_type == "CPU" else 0,
            locality=protos.DeviceLocality(),
            incarnation=zlib.crc32(device.name.encode()),
            xla_global_id=-1 if device.device_type == "CPU" else i,
        )
        for i, device in enumerate(list_logical_devices())
    ]


@export(
    "config.set_logical_device_configuration",
    "config.experimental.set_virtual_device_configuration",
)
def set_logical_device_configuration(device: Any, logical_devices: Any) -> None:
    """Divides the processor into several logical devices, for the replicas of `tf.distribute`.

    A GPU can't be divided. With one configuration, JAX allocates its memory as needed, as after
    `set_memory_growth`; a memory limit is not enforced.

    Args:
      device: The physical device.
      logical_devices: A `LogicalDeviceConfiguration` for each device.

    Raises:
      ValueError: The physical device does not exist, or `logical_devices` is empty.
      RuntimeError: JAX is already running with fewer devices, or has reserved the GPU's memory.
      UnimplementedError: A GPU would be divided.

    >>> (processor,) = tf.config.list_physical_devices("CPU")
    >>> one = [tf.config.LogicalDeviceConfiguration()]
    >>> tf.config.set_logical_device_configuration(processor, one)
    """
    (found,) = _devices(device)
    count = len(logical_devices)
    if not count:
        raise ValueError("logical_devices must name at least one device")
    if found != _PHYSICAL:
        if count > 1:
            message = f"{found} can't be divided into {count} devices: JAX uses GPUs as a whole"
            raise UnimplementedError(None, None, message)
        set_memory_growth(found, True)
        return
    if count > processors() and jax_runs():
        raise RuntimeError(
            "Virtual devices cannot be modified after being initialized: call this before the "
            "first compiled function"
        )
    requested_processors.append(count)
    if "jax" in sys.modules:
        apply_processor_count()


@export(
    "config.get_logical_device_configuration",
    "config.experimental.get_virtual_device_configuration",
)
def get_logical_device_configuration(device: Any) -> list[LogicalDeviceConfiguration] | None:
    """Returns the devices into which the processor was divided; None if it was not divided.

    Args:
      device: A physical device.

    Returns:
      A list of configurations, one for each logical device.
    """
    _devices(device)
    return (
        [LogicalDeviceConfiguration()] * requested_processors[-1] if requested_processors else None
    )


@export("config.get_visible_devices", "config.experimental.get_visible_devices")
def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """Returns the devices that may be used.

    Args:
      device_type: "CPU" or "GPU"; every type by default.

    Returns:
      A list of `PhysicalDevice`s.
    """
    return [d for d in list_physical_devices(device_type) if _is_visible(d)]


def _number(device: PhysicalDevice) -> int:
    return int(device.name.rpartition(":")[2])


def _is_visible(device: PhysicalDevice) -> bool:
    return _number(device) in visible_devices.get(device.device_type, [_number(device)])


@export("config.set_visible_devices", "config.experimental.set_visible_devices")
def set_visible_devices(devices: Any, device_type: str | None = None) -> None:
    """Sets which devices may be used.

    Args:
      devices: A device or several devices, as `list_physical_devices` returns them.
      device_type: The type of the devices; all types by default.

    Raises:
      ValueError: A device does not exist.
      RuntimeError: The processor is missing in `devices`, on which NumPy computes.

    >>> tf.config.set_visible_devices([], "GPU")
    >>> tf.config.list_logical_devices("GPU")
    []
    """
    wanted = _devices(devices)
    there = list_physical_devices(device_type)
    if _PHYSICAL in there and _PHYSICAL not in wanted:
        raise RuntimeError(f"{_PHYSICAL} can't be hidden: operations compute there")
    for kind in dict.fromkeys(d.device_type for d in there if d != _PHYSICAL):
        make_visible(kind, [_number(d) for d in wanted if d.device_type == kind])


def _devices(devices: Any) -> list[PhysicalDevice]:
    several = devices if isinstance(devices, (list, tuple)) else [devices]
    several = [devices] if isinstance(devices, PhysicalDevice) else several
    for item in several:
        if item != _PHYSICAL and item not in (there := list_physical_devices()):
            raise ValueError(f"Unrecognized device: {item!r} (there are {there})")
    return list(several)


@export("config.experimental.get_memory_growth")
def get_memory_growth(device: Any) -> bool:
    """Returns whether a device's memory is allocated as needed, which holds for the processor.

    JAX reserves most of a GPU's memory when it starts, unless a program lists the devices, or calls
    `set_memory_growth`, before it calls compiled functions.

    Args:
      device: A physical device.

    Returns:
      Whether memory is allocated as needed.
    """
    (found,) = _devices(device)
    return found == _PHYSICAL or memory_grows()


@export("config.experimental.set_memory_growth")
def set_memory_growth(device: Any, enable: bool) -> None:
    """Sets whether a GPU's memory is allocated as needed, which always holds for the processor.

    Args:
      device: A physical device.
      enable: Whether memory is to be allocated as needed. False has no effect, since memory that is
        allocated as needed may be as much.

    Raises:
      ValueError: The device has no such setting.
      RuntimeError: JAX has reserved the memory already.
    """
    (found,) = _devices(device)
    if found == _PHYSICAL:
        raise ValueError("Cannot set memory growth on non-GPU and non-Pluggable devices")
    if enable and not grow_memory():
        raise RuntimeError(
            "Physical devices cannot be modified after being initialized: call this before the "
            "first compiled function, and before importing what starts JAX"
        )


@export("config.experimental.get_device_details")
def get_device_details(device: Any) -> dict[str, Any]:
    """Returns the properties of a device; the CPU has none.

    Args:
      device: A physical device.

    Returns:
      A dictionary: of a GPU, "device_name", and "compute_capability" as two integers.
    """
    (found,) = _devices(device)
    if found == _PHYSICAL:
        return {}
    return gpu_details(physical_devices()[found.device_type][_number(found)])


@export("config.experimental.get_memory_info")
def get_memory_info(device: str) -> dict[str, int]:
    """Returns the numbers of bytes that compiled functions hold in the memory of a device.

    Args:
      device: The name of the device, such as "GPU:0".

    Returns:
      A dictionary: "current", the bytes in use, and "peak", the most that there have been. Both are
      0 for the processor, whose memory is that of the process.

    Raises:
      ValueError: There is no such device.

    >>> tf.config.experimental.get_memory_info("CPU:0")
    {'current': 0, 'peak': 0}
    """
    found = memory_statistics(device)
    return {
        "current": int(found.get("bytes_in_use", 0)),
        "peak": int(found.get("peak_bytes_in_use", 0)),
    }


@export("config.experimental.get_memory_usage")
def get_memory_usage(device: str) -> int:
    """Returns the number of bytes that compiled functions hold in the memory of a device.

    Args:
      device: The name of the device, such as "GPU:0".

    Returns:
      The bytes in use; 0 for the processor, whose memory is that of the process.

    Raises:
      ValueError: There is no such device.
    """
    return get_memory_info(device)["current"]


@export("config.experimental.get_synchronous_execution")
def get_synchronous_execution() -> bool:
    """Returns whether an operation is complete when its call returns, which is always the case.

    Returns:
      True.
    """
    return True


@export("config.get_soft_device_placement")
def get_soft_device_placement() -> bool:
    """Returns whether operations for a missing device run on the processor instead.

    Returns:
      Whether operations may run on another device than the requested one.
    """
    return Placement.soft


@export("config.set_soft_device_placement")
def set_soft_device_placement(enabled: bool) -> None:
    """Sets whether operations for a missing device run on the processor or raise an error.

    Args:
      enabled: Whether operations for a missing device run on the processor.
    """
    place_softly(bool(enabled))


_asked_for_determinism: list[bool] = []


@export("config.experimental.enable_op_determinism")
def enable_op_determinism() -> None:
    """Stops Keras from compiling functions; all operations are always deterministic."""
    _asked_for_determinism.append(True)


def disable_op_determinism() -> None:
    """Reverses the effect of `enable_op_determinism`."""
    _asked_for_determinism.clear()


def is_op_determinism_enabled() -> bool:
    """Whether `enable_op_determinism` was called."""
    return bool(_asked_for_determinism)


@export("config.optimizer.set_jit")
def set_jit(enabled: Any) -> None:
    """Sets whether XLA compiles functions, and computes costly elementwise operations.

    The graph of a `tf.function` without `jit_compile` is compiled at the third call with arguments
    of one kind, if possible. A function is not compiled if it checks or prints values, has shapes
    that depend on values, or has side effects; `fn.explain()` states the reason. Outside of
    functions, XLA computes costly operations and their gradients (error functions, activations that
    are made of exponentials, softmax, pooling; exponentials, logarithms and tanh on processors for
    which NumPy has no AVX-512 code of them) for float32 and float64 arrays of at least 131,072
    elements, from the third array of a shape on. Results may differ in the last bits, and results
    below the smallest normal number become 0.

    Args:
      enabled: True or "autoclustering"; anything else switches it off.

    Raises:
      ImportError: JAX is not installed; the message names the extra.
    """
    if enabled not in (True, "autoclustering"):
        if Engine.is_xla:
            _xla_kernels().exchange(False)
        compute_by_xla(False)
        align_copies(False)
        return
    try:
        apply_processor_count()
        _xla_kernels().exchange(True)
    except ImportError as error:
        raise jit_without_jax() from error
    compute_by_xla(True)
    align_copies(True)


def _xla_kernels() -> ModuleType:
    """Returns the module of XLA's kernels for large arrays, which needs JAX."""
    from gradtape._src.xla.kernels import large_arrays

    return large_arrays


@export("config.optimizer.get_jit")
def get_jit() -> str:
    """Returns the mode that `set_jit` switched on: "autoclustering", or "" if it is off.

    Returns:
      Text.
    """
    return "autoclustering" if Engine.is_xla else ""


@export("config.optimizer.set_compilation_cache")
def set_compilation_cache(directory: str | os.PathLike[str] | None) -> None:
    """Stores the programs that XLA compiles in a directory, from which later processes load them.

    A program that was compiled before, for the same version of JAX and the same kind of device, is
    then not compiled again; functions are still traced. TensorFlow has no such function. JAX's
    environment variable `JAX_COMPILATION_CACHE_DIR` does the same for programs that take more than
    a second to compile.

    Args:
      directory: The directory for programs, which is made if it does not exist. None switches this
        off.

    Raises:
      ImportError: JAX is not installed; the message names the extra.
      InvalidArgumentError: The directory can't be made or written to.

    Example:
      >>> tf.config.optimizer.set_compilation_cache(None)
    """
    from pathlib import Path

    if importlib.util.find_spec("jax") is None:
        raise jit_without_jax()
    path = None if directory is None else str(Path(directory).absolute())
    if path is not None:
        try:
            Path(path).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InvalidArgumentError(
                None, None, f"set_compilation_cache: {path!r} can't be made: {error}"
            ) from None
        if not os.access(path, os.W_OK):
            raise InvalidArgumentError(
                None, None, f"set_compilation_cache: {path!r} can't be written to"
            )
    keep_programs(path)


@export("sysconfig.get_build_info")
def get_build_info() -> dict[str, Any]:
    """Returns the properties of the build.

    Returns:
      A dictionary. `is_cuda_build` says whether JAX has a GPU: Keras then brings the weights of
      `tf.raw_ops.CudnnRNNV3` in cuDNN's order, which this operation takes on every device.
    """
    has_gpu = "GPU" in device_counts()
    return {"is_cuda_build": has_gpu, "is_rocm_build": False, "is_tensorrt_build": False}


class _Settings:
    """Settings that programs set and read, and that have no effect."""

    log_device_placement = False
    optimizer: ClassVar[dict[str, bool]] = {}


@export("debugging.set_log_device_placement")
def set_log_device_placement(enabled: bool) -> None:
    """Sets whether the device of each operation is logged; the setting has no effect.

    Args:
      enabled: The setting, which `get_log_device_placement` returns from now on.
    """
    _Settings.log_device_placement = bool(enabled)


@export("debugging.get_log_device_placement")
def get_log_device_placement() -> bool:
    """Returns the last setting of `set_log_device_placement`.

    Returns:
      False if it was not called.
    """
    return _Settings.log_device_placement


@export("config.experimental.enable_tensor_float_32_execution")
def enable_tensor_float_32_execution(enabled: bool) -> None:
    """Sets whether GPUs may round the factors of float32 products to 10 bits (TensorFloat-32).

    The setting acts on the matrix products and convolutions of compiled functions that run on a
    GPU, including functions that were compiled before, which are then compiled again. Processors
    never round the factors.

    Args:
      enabled: Whether the factors may be rounded, which is several times as fast on GPUs since
        NVIDIA's Ampere.

    >>> tf.config.experimental.enable_tensor_float_32_execution(True)
    """
    allow_tensor_float32(bool(enabled))


@export("config.experimental.tensor_float_32_execution_enabled")
def tensor_float_32_execution_enabled() -> bool:
    """Returns the last setting of `enable_tensor_float_32_execution`.

    Returns:
      True if it was not called.
    """
    return TensorFloat32.allowed


_OPTIMIZATIONS = frozenset(
    """
    layout_optimizer constant_folding shape_optimization remapping arithmetic_optimization
    dependency_optimization loop_optimization function_optimization debug_stripper
    disable_model_pruning scoped_allocator_optimization pin_to_host_optimization
    implementation_selector auto_mixed_precision disable_meta_optimizer
    auto_mixed_precision_onednn_bfloat16 auto_mixed_precision_mkl use_plugin_optimizers
    """.split()  # noqa: SIM905 (a column of words is easier to read)
)
_NOT_SET = {"disable_model_pruning": False, "disable_meta_optimizer": False}


@export("config.optimizer.set_experimental_options")
def set_experimental_options(options: dict[str, bool]) -> None:
    """Stores the options of TensorFlow's graph optimizer, which gradtape doesn't have.

    Args:
      options: Whether each optimization is enabled, by its name; other options keep their values.
    """
    known = {name: bool(on) for name, on in options.items() if name in _OPTIMIZATIONS}
    _Settings.optimizer.update(known)


@export("config.optimizer.get_experimental_options")
def get_experimental_options() -> dict[str, bool]:
    """Returns the options that were set by `set_experimental_options`.

    Returns:
      A dictionary from the name of an optimization to whether it is enabled.
    """
    return {**_NOT_SET, **_Settings.optimizer}
