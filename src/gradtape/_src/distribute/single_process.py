"""The strategies whose replicas run in one process, and their devices."""

from __future__ import annotations

from typing import Any

from gradtape._src.base.export import export
from gradtape._src.compat import config
from gradtape._src.distribute.context import device_names
from gradtape._src.distribute.strategy import Strategy


@export("distribute.OneDeviceStrategy")
class OneDeviceStrategy(Strategy):
    """Puts variables and computations on one device.

    Args:
      device: The name of the device.

    Raises:
      ValueError: The device does not exist.

    >>> tf.distribute.OneDeviceStrategy("CPU:0").num_replicas_in_sync
    1
    """

    def __init__(self, device: str) -> None:
        super().__init__()
        self.extended._devices = tuple(checked_devices([device]))


@export("distribute.experimental.CentralStorageStrategy")
class CentralStorageStrategy(Strategy):
    """Keeps variables on one device, on which it also computes.

    Args:
      compute_devices: The name of the device that computes, or a list with this name. Defaults to
        the first logical device.
      parameter_device: The name of the device of the variables. Defaults to the same device.

    Raises:
      ValueError: A device does not exist, or there are several devices, which only
        `MirroredStrategy` supports.

    >>> tf.distribute.experimental.CentralStorageStrategy().num_replicas_in_sync
    1
    """

    def __init__(self, compute_devices: Any = None, parameter_device: str | None = None) -> None:
        super().__init__()
        given = [compute_devices] if isinstance(compute_devices, str) else compute_devices
        devices = checked_devices(given)
        if given is None:
            devices = devices[:1]
        if len(devices) > 1:
            raise ValueError(
                f"CentralStorageStrategy computes on one device, got {list(devices)}: use "
                "tf.distribute.MirroredStrategy for several"
            )
        if parameter_device is not None:
            checked_devices([parameter_device])
        self.extended._devices = tuple(devices)


@export("distribute.MirroredStrategy")
class MirroredStrategy(Strategy):
    """Runs one replica on each device of this machine; all replicas have the same variables.

    Args:
      devices: The names of the devices. Defaults to all logical devices.
      cross_device_ops: Accepted for compatibility; sums are made in the order of the replicas.

    Raises:
      ValueError: A device does not exist.
      AssertionError: A device is named twice.

    >>> tf.distribute.MirroredStrategy(["CPU:0"]).num_replicas_in_sync
    1
    """

    def __init__(self, devices: Any = None, cross_device_ops: Any = None) -> None:
        super().__init__()
        self.extended._devices = tuple(checked_devices(devices))
        self._mirrors = True
        self._local_replicas = len(self.extended._devices)


@export("distribute.TPUStrategy")
class TPUStrategy(Strategy):
    """Raises an error when it is created, since gradtape does not support TPUs.

    Args:
      tpu_cluster_resolver: Accepted for compatibility.
      **options: Accepted for compatibility.

    Raises:
      NotImplementedError: Always.

    >>> try:
    ...     tf.distribute.TPUStrategy()
    ... except NotImplementedError as error:
    ...     print(error)
    TPUStrategy: gradtape does not compute on TPUs
    """

    def __init__(self, tpu_cluster_resolver: Any = None, **options: Any) -> None:
        raise NotImplementedError("TPUStrategy: gradtape does not compute on TPUs")


def checked_devices(devices: Any) -> list[str]:
    """Returns the full names of devices; None or an empty list stands for all devices."""
    there = [d.name for d in config.list_logical_devices()]
    if not devices:
        kinds = {name.split(":")[1] for name in there}
        best = "GPU" if "GPU" in kinds else "CPU"
        names = [name for name in there if f":{best}:" in name]
    else:
        several = [devices] if isinstance(devices, str) else list(devices)
        names = [_named(d, there) for d in several]
        assert len(set(names)) == len(names), (
            f"No duplicates allowed in `devices` argument: {tuple(several)}"
        )
    return [device_names(1)[0].rpartition("/device")[0] + name for name in names]


def _named(device: str, there: list[str]) -> str:
    kind = device.upper().rpartition("DEVICE:")[2].lstrip("/").rpartition("/")[2]
    name = f"/device:{kind if ':' in kind else kind + ':0'}"
    if name not in there:
        raise ValueError(f"the device {device!r} does not exist; this process has {there}")
    return name
