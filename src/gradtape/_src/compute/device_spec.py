"""The names of devices, in parts."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields, replace
from typing import Any, NoReturn

from gradtape._src.base.export import export

_TYPE = re.compile(r"(?:device:)?(CPU|GPU|TPU|[A-Z]\w*)(?::(\d+|\*))?", re.IGNORECASE)
_KINDS = ("CPU", "GPU", "TPU")


@export("DeviceSpec")
@dataclass(frozen=True, repr=False, init=False)
class DeviceSpec:
    """A device, or a set of devices: parts that are None are not specified.

    Args:
      job: The job, such as "localhost".
      replica: A number.
      task: A number.
      device_type: "CPU", "GPU" or "TPU".
      device_index: A number.
    """

    job: str | None
    replica: int | None
    task: int | None
    device_type: str | None
    device_index: int | None

    def __init__(
        self,
        job: str | None = None,
        replica: int | None = None,
        task: int | None = None,
        device_type: str | None = None,
        device_index: int | None = None,
    ) -> None:
        parts = {
            "job": job and str(job),
            "replica": None if replica is None else int(replica),
            "task": None if task is None else int(task),
            "device_type": device_type and device_type.upper(),
            "device_index": None if device_index is None else int(device_index),
        }
        for name, part in parts.items():
            object.__setattr__(self, name, part or (part if part == 0 else None))

    @classmethod
    def from_string(cls, spec: str) -> DeviceSpec:
        """Parses a name such as "/job:worker/replica:0/task:1/device:GPU:2" or "cpu:0".

        Args:
          spec: The name, such as "/job:worker/task:1/device:GPU:0".

        Returns:
          A `DeviceSpec`.

        Raises:
          ValueError: The name is not valid for a device.
        """
        found: dict[str, Any] = {}
        for part in filter(None, spec.split("/")):
            key, _, value = part.partition(":")
            if key in ("job", "replica", "task") and value:
                found[key] = value
                continue
            match = _TYPE.fullmatch(part)
            if match is None or not (key == "device" or match[1].upper() in _KINDS):
                _refuse(key, spec)
            found["device_type"] = match[1]
            if match[2] not in (None, "*"):
                found["device_index"] = match[2]
        return cls(**found)

    def parse_from_string(self, spec: str) -> DeviceSpec:
        """Parses a device name, like `from_string`.

        Args:
          spec: The name.

        Returns:
          A `DeviceSpec`.
        """
        return self.from_string(spec)

    def to_string(self) -> str:
        """Returns the name of the device, such as "/job:localhost/device:CPU:0".

        Returns:
          Text, without the parts that are not given.
        """
        text = "".join(
            f"/{name}:{value}"
            for name in ("job", "replica", "task")
            if (value := getattr(self, name)) is not None
        )
        if self.device_type is not None:
            index = "*" if self.device_index is None else self.device_index
            text += f"/device:{self.device_type}:{index}"
        return text

    def replace(self, **kwargs: Any) -> DeviceSpec:
        """Returns a copy with other parts.

        Args:
          **kwargs: The parts that change.

        Returns:
          A `DeviceSpec`.
        """
        return replace(self, **kwargs)

    def make_merged_spec(self, dev: DeviceSpec) -> DeviceSpec:
        """Returns a copy in which the specified parts of `dev` take precedence.

        Args:
          dev: Another spec.

        Returns:
          A `DeviceSpec`.
        """
        parts = {f.name: getattr(dev, f.name) for f in fields(dev)}
        return replace(self, **{name: part for name, part in parts.items() if part is not None})

    def __repr__(self) -> str:
        shown = ", ".join(f"{f.name}={getattr(self, f.name)}" for f in fields(self))
        return f"<DeviceSpec({shown})>"


@export("compat.v1.DeviceSpec")
class DeviceSpecV1(DeviceSpec):
    """A device, or a set of devices, whose parts can be set.

    Args:
      job: The job, such as "localhost".
      replica: A number.
      task: A number.
      device_type: "CPU", "GPU" or "TPU".
      device_index: A number.

    >>> spec = tf.compat.v1.DeviceSpec(job="worker", device_type="gpu")
    >>> spec.task = 1
    >>> spec.to_string()
    '/job:worker/task:1/device:GPU:*'
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in (parts := {f.name: getattr(self, f.name) for f in fields(self)}):
            raise AttributeError(f"DeviceSpec has no attribute {name!r}")
        self.__init__(**(parts | {name: value}))  # type: ignore[misc]

    def parse_from_string(self, spec: str) -> DeviceSpec:
        """Takes all parts from a device's name.

        Args:
          spec: The name.

        Returns:
          The spec itself.

        Raises:
          ValueError: The name is not valid for a device.
        """
        self._take(self.from_string(spec))
        return self

    def merge_from(self, dev: DeviceSpec) -> None:
        """Takes the parts that another spec specifies.

        Args:
          dev: The other spec.
        """
        self._take(self.make_merged_spec(dev))

    def _take(self, other: DeviceSpec) -> None:
        self.__init__(**{f.name: getattr(other, f.name) for f in fields(other)})  # type: ignore[misc]


def _refuse(attribute: str, spec: str) -> NoReturn:
    raise ValueError(
        f"Unknown attribute '{attribute}' is encountered while parsing the device spec: '{spec}'. "
        "A device is named like '/job:localhost/replica:0/task:0/device:GPU:0' or 'CPU:0'."
    )
