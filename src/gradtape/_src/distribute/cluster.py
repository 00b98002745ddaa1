"""Describes the processes of a cluster and their communication."""

from __future__ import annotations

import enum
import json
import os
from collections.abc import Mapping
from typing import Any

from gradtape._src.base.export import export
from gradtape._src.compat.compat import as_text
from gradtape._src.files.damaged_input import explained
from gradtape._src.messages import protos

_MOST_TASKS = 1 << 20  # the maximum number of tasks of a job


@export("train.ClusterSpec")
class ClusterSpec:
    """The addresses of processes, by the name of their job.

    Args:
      cluster: `{"worker": ["host:port", ...]}`, or `{job: {index: address}}`; or a `ClusterDef`
        message.

    Raises:
      TypeError: The description is neither a dictionary nor a `ClusterSpec`.
    """

    def __init__(self, cluster: Any) -> None:
        if isinstance(cluster, ClusterSpec):
            cluster = cluster._jobs
        elif getattr(getattr(cluster, "DESCRIPTOR", None), "name", "") == "ClusterDef":
            cluster = {job.name: dict(job.tasks) for job in cluster.job}
        if not isinstance(cluster, Mapping):
            raise TypeError(
                "`cluster` must be a dictionary mapping one or more job names to lists of network "
                f"addresses, got {cluster!r}"
            )
        self._jobs: dict[str, dict[int, str]] = {}
        for job, given in cluster.items():
            tasks = dict(enumerate(given)) if isinstance(given, (list, tuple)) else given
            if not isinstance(tasks, Mapping):
                raise TypeError(f"the tasks of job {job!r} must be a list of addresses: {tasks!r}")
            for address in tasks.values():
                if not isinstance(address, (str, bytes)):
                    raise TypeError(f"Task address {address!r} of job {job!r} must be text")
            numbered = {_index(i): as_text(address) for i, address in tasks.items()}
            self._jobs[str(job)] = dict(sorted(numbered.items()))

    def as_dict(self) -> dict[str, Any]:
        """Returns the addresses by job, as lists if the tasks are numbered from 0.

        Returns:
          A dictionary of the jobs: lists of addresses, or dictionaries if some numbers are missing.
        """
        return {
            job: list(tasks.values()) if [*tasks] == [*range(len(tasks))] else dict(tasks)
            for job, tasks in self._jobs.items()
        }

    def as_cluster_def(self) -> protos.ClusterDef:
        """Returns the addresses as a message.

        Returns:
          A `ClusterDef`, with the jobs in the order of their names.
        """
        jobs = [protos.JobDef(name=job, tasks=self._jobs[job]) for job in sorted(self._jobs)]
        return protos.ClusterDef(job=jobs)

    @property
    def jobs(self) -> list[str]:
        """The jobs' names."""
        return list(self._jobs)

    def num_tasks(self, job_name: str) -> int:
        """Returns the number of processes of a job; raises ValueError for an unknown job.

        Args:
          job_name: The job.

        Returns:
          The number of its tasks.
        """
        return len(self._tasks(job_name))

    def task_indices(self, job_name: str) -> list[int]:
        """Returns the numbers of a job's processes; raises ValueError for an unknown job.

        Args:
          job_name: The job.

        Returns:
          A list of the numbers of its tasks, in order.
        """
        return sorted(self._tasks(job_name))

    def task_address(self, job_name: str, task_index: int) -> str:
        """Returns a process' address; raises ValueError for an unknown process.

        Args:
          job_name: The job.
          task_index: The number of the task.

        Returns:
          The address, such as "host:2222".
        """
        try:
            return self._tasks(job_name)[task_index]
        except KeyError:
            raise ValueError(f"No task with index {task_index!r} in job {job_name!r}") from None

    def job_tasks(self, job_name: str) -> list[Any]:
        """Returns the addresses of a job's processes; raises ValueError for an unknown job.

        Args:
          job_name: The job.

        Returns:
          A list of addresses, with None for missing numbers.
        """
        tasks = self._tasks(job_name)
        highest = max(tasks, default=-1)
        if highest >= _MOST_TASKS:
            raise ValueError(
                f"the tasks of job {job_name!r} must be numbered below {_MOST_TASKS}, got {highest}"
            )
        return [tasks.get(i) for i in range(highest + 1)]

    def _tasks(self, job: str) -> dict[int, str]:
        if job not in self._jobs:
            raise ValueError(f"No such job in cluster: {job!r}, there are {self.jobs}")
        return self._jobs[job]

    def __bool__(self) -> bool:
        return bool(self._jobs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClusterSpec) and self._jobs == other._jobs

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        return f"ClusterSpec({dict(sorted(self.as_dict().items()))!r})"


@export("distribute.cluster_resolver.ClusterResolver")
class ClusterResolver:
    """The base class of objects that find the processes of a cluster.

    Attributes:
      task_type, task_id: The identity of this process.
      rpc_layer, environment: Accepted for compatibility.
    """

    task_type: str | None = None
    task_id: int | None = None
    rpc_layer: str | None = None
    environment: str | None = None

    def cluster_spec(self) -> ClusterSpec:
        """Returns the processes' addresses.

        Returns:
          A `ClusterSpec`.
        """
        raise NotImplementedError(f"{type(self).__name__}.cluster_spec")

    def master(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
    ) -> str:
        """Returns the address of a process, by default this one; "" if it has no address.

        Args:
          task_type: The job of the process.
          task_id: Its number in that job.
          rpc_layer: The protocol before "://" in the address.

        Returns:
          The address.
        """
        job = task_type or self.task_type
        index = self.task_id if task_id is None else task_id
        if job is None or index is None:
            return ""
        address = self.cluster_spec().task_address(job, index)
        layer = rpc_layer or self.rpc_layer
        return f"{layer}://{address}" if layer else address

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: Any = None
    ) -> dict[str, int]:
        """Returns an empty dictionary, since this resolver knows of no accelerators.

        Args:
          task_type: Accepted for compatibility.
          task_id: Accepted for compatibility.
          config_proto: Accepted for compatibility.

        Returns:
          A dictionary from kinds of devices to their numbers.
        """
        return {}


@export("distribute.cluster_resolver.SimpleClusterResolver")
class SimpleClusterResolver(ClusterResolver):
    """A resolver for processes that the program specifies.

    Args:
      cluster_spec: The addresses of the processes.
      master: The address of the master.
      task_type, task_id: The identity of this process.
      environment, num_accelerators, rpc_layer: The values that the resolver returns.

    Raises:
      TypeError: `cluster_spec` is not a `ClusterSpec`.
    """

    def __init__(
        self,
        cluster_spec: ClusterSpec,
        master: str = "",
        task_type: str | None = None,
        task_id: int | None = None,
        environment: str = "",
        num_accelerators: dict[str, int] | None = None,
        rpc_layer: str | None = None,
    ) -> None:
        if not isinstance(cluster_spec, ClusterSpec):
            raise TypeError("cluster_spec must be a `tf.train.ClusterSpec`.")
        self._spec, self._master = cluster_spec, master
        self.task_type, self.task_id = task_type, task_id
        self.environment, self.rpc_layer = environment, rpc_layer
        self._accelerators = dict(num_accelerators or {})

    def cluster_spec(self) -> ClusterSpec:
        """Returns the processes' addresses.

        Returns:
          The given `ClusterSpec`.
        """
        return self._spec

    def master(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
    ) -> str:
        """Returns the address of the master, or of the given process.

        Args:
          task_type: The job of the process.
          task_id: Its number in that job.
          rpc_layer: The protocol before "://" in the address.

        Returns:
          The address.
        """
        if task_type is not None and task_id is not None:
            return super().master(task_type, task_id, rpc_layer)
        layer = rpc_layer or self.rpc_layer
        return f"{layer}://{self._master}" if layer and self._master else self._master

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: Any = None
    ) -> dict[str, int]:
        """Returns the number of accelerators of a process.

        Args:
          task_type: Accepted for compatibility.
          task_id: Accepted for compatibility.
          config_proto: Accepted for compatibility.

        Returns:
          A dictionary from kinds of devices to their numbers.
        """
        return self._accelerators


@export("distribute.cluster_resolver.UnionResolver")
class UnionResolver(ClusterResolver):
    """A resolver for the processes of several resolvers together.

    The identity of this process, the master and the accelerators are those of the first resolver.

    Args:
      *args: The resolvers. Tasks of a job that several of them list are numbered one after another.
      **kwargs: `rpc_layer`, `task_type` and `task_id` to replace those of the first resolver.

    Raises:
      TypeError: An argument is not a resolver.
      ValueError: There are other keyword arguments, or no resolver.

    >>> one, other = (
    ...     tf.distribute.cluster_resolver.SimpleClusterResolver(
    ...         tf.train.ClusterSpec({"worker": [address]})) for address in ("a:1", "b:1"))
    >>> tf.distribute.cluster_resolver.UnionResolver(one, other).cluster_spec().as_dict()
    {'worker': ['a:1', 'b:1']}
    """

    def __init__(self, *args: ClusterResolver, **kwargs: Any) -> None:
        named = {"rpc_layer", "task_type", "task_id"}
        if further := {name: value for name, value in kwargs.items() if name not in named}:
            raise ValueError(f"Unexpected kwargs provided {further!r}")
        if not args:
            raise ValueError("At least one ClusterResolver is required.")
        if not all(isinstance(resolver, ClusterResolver) for resolver in args):
            raise TypeError("All arguments must be a sub-class of `ClusterResolver.`")
        first, self._resolvers = args[0], args
        self.rpc_layer = kwargs.get("rpc_layer", first.rpc_layer)
        self.task_type = kwargs.get("task_type", first.task_type)
        self.task_id = kwargs.get("task_id", first.task_id)
        self.environment = first.environment

    def cluster_spec(self) -> ClusterSpec:
        """Returns the addresses of all processes.

        Returns:
          A `ClusterSpec`.

        Raises:
          KeyError: A job has numbered tasks, and two resolvers give a number.
        """
        jobs: dict[str, Any] = {}
        for description in (resolver.cluster_spec().as_dict() for resolver in self._resolvers):
            for job, tasks in description.items():
                jobs[job] = _together(job, jobs[job], tasks) if job in jobs else tasks
        return ClusterSpec(jobs)

    def master(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
    ) -> str:
        """Returns the address of the first resolver's master, or of the given process.

        Args:
          task_type: The job of the process.
          task_id: Its number in that job.
          rpc_layer: The protocol before "://" in the address.

        Returns:
          The address.
        """
        if task_type is not None and task_id is not None:
            return super().master(task_type, task_id, rpc_layer)
        return self._resolvers[0].master(rpc_layer=rpc_layer)

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: Any = None
    ) -> dict[str, int]:
        """Returns the number of accelerators that the first resolver knows of.

        Args:
          task_type: The job of the process.
          task_id: Its number in that job.
          config_proto: Accepted for compatibility.

        Returns:
          A dictionary from kinds of devices to their numbers.
        """
        return self._resolvers[0].num_accelerators(task_type, task_id, config_proto)


def _together(job: str, some: Any, more: Any) -> Any:
    """Combines the tasks of a job in two clusters."""
    if isinstance(some, list) and isinstance(more, list):
        return some + more
    one, other = (dict(enumerate(x)) if isinstance(x, list) else x for x in (some, more))
    for number in one.keys() & other.keys():
        raise KeyError(f"Duplicate detected when merging the tasks of job {job!r}: {number}")
    return {**one, **other}


@export("distribute.cluster_resolver.TFConfigClusterResolver")
class TFConfigClusterResolver(ClusterResolver):
    """A resolver for the processes that the environment variable TF_CONFIG describes as JSON.

    Args:
      task_type, task_id: The identity of this process, which replaces the values in TF_CONFIG.
      rpc_layer, environment: The values that the resolver returns.

    Raises:
      ValueError: TF_CONFIG is not valid JSON, or does not name the processes.
    """

    def __init__(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
        environment: str | None = None,
    ) -> None:
        read = _tf_config()
        task = read.get("task") or {}
        self._read = read
        self.task_type = task.get("type") if task_type is None else task_type
        index = task.get("index") if task_id is None else task_id
        self.task_id = None if index is None else _index(index)
        self.rpc_layer = read.get("rpc_layer") if rpc_layer is None else rpc_layer
        self.environment = read.get("environment") if environment is None else environment

    def cluster_spec(self) -> ClusterSpec:
        """Returns the processes' addresses.

        Returns:
          A `ClusterSpec`, empty if TF_CONFIG names no cluster.
        """
        return ClusterSpec(self._read.get("cluster", {}))


def _tf_config() -> dict[str, Any]:
    """Returns the content of the environment variable TF_CONFIG."""
    text = os.environ.get("TF_CONFIG", "") or "{}"
    try:
        read = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _bad_config(text, explained(error)) from None
    if not isinstance(read, dict) or not isinstance(read.get("task") or {}, dict):
        raise _bad_config(text, "it, or the task in it, is not a JSON object")
    if not isinstance(read.get("cluster", {}), dict):
        raise _bad_config(text, "the cluster in it is not a JSON object")
    return read


def _index(given: Any) -> int:
    """Returns the index of a task, which may be text in TF_CONFIG."""
    try:
        return int(given)
    except (OverflowError, TypeError, ValueError):
        raise ValueError(
            f"The index of a task is a whole number, got {given!r} (TF_CONFIG or `task_id`)"
        ) from None


def _bad_config(text: str, why: str) -> ValueError:
    return ValueError(
        f"The environment variable TF_CONFIG is {text[:80]!r}: {why}. It should be like "
        '{"cluster": {"worker": ["host:port", ...]}, "task": {"type": "worker", "index": 0}}.'
    )


def place_in(resolver: ClusterResolver) -> tuple[list[str], int] | None:
    """Returns the addresses of all workers, the chief first, and the index of this process.

    Returns:
      None if the cluster has at most one process.

    Raises:
      ValueError: The cluster doesn't identify this process, or does not contain this worker.
    """
    spec = resolver.cluster_spec()
    if not spec:
        return None
    job, index = resolver.task_type, resolver.task_id
    if job is None or index is None:
        raise ValueError(
            "When `cluster_spec` is given, you must also specify `task_type` and `task_id` "
            '(TF_CONFIG: {"cluster": {"worker": [...]}, "task": {"type": "worker", "index": 0}}).'
        )
    if job not in ("chief", "worker"):
        raise ValueError(
            f"There is no id for task_type {job!r}: MultiWorkerMirroredStrategy runs in processes "
            "of the jobs 'chief' and 'worker'"
        )
    if index >= spec.num_tasks(job):
        raise ValueError(f"The `task_id` {index} exceeds the maximum id of {job}.")
    chiefs = spec.job_tasks("chief") if "chief" in spec.jobs else []
    workers = spec.job_tasks("worker") if "worker" in spec.jobs else []
    addresses = [*chiefs, *workers]
    place = index if job == "chief" else len(chiefs) + index
    return (addresses, place) if len(addresses) > 1 else None


@export(
    "distribute.experimental.CollectiveCommunication",
    "distribute.experimental.CommunicationImplementation",
)
class CommunicationImplementation(enum.Enum):
    """The library for communication between processes; AUTO is NCCL for GPUs and gloo for CPUs."""

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


@export("distribute.experimental.CommunicationOptions")
class CommunicationOptions:
    """Options for the communication between processes.

    Args:
      bytes_per_pack: Accepted for compatibility: all sums of one call are sent together.
      timeout_seconds: The time for which a process waits for the others before it raises
        UnavailableError. By default, it waits as long as the others are alive.
      implementation: Accepted for compatibility: NCCL is used for GPUs and gloo for CPUs.

    Raises:
      ValueError: A number is negative.
    """

    def __init__(
        self,
        bytes_per_pack: int = 0,
        timeout_seconds: float | None = None,
        implementation: Any = CommunicationImplementation.AUTO,
    ) -> None:
        if bytes_per_pack < 0:
            raise ValueError(f"Argument `bytes_per_pack` must be >=0, Received {bytes_per_pack}.")
        if timeout_seconds is not None and timeout_seconds <= 0:
            raise ValueError(f"Argument `timeout_seconds` must be >0, Received {timeout_seconds}.")
        self.bytes_per_pack = bytes_per_pack
        self.timeout_seconds = timeout_seconds
        self.implementation = CommunicationImplementation(implementation)


class _CrossDeviceOps:
    """The base class of methods for sums over devices.

    Sums are always in the order of the replicas.

    Args:
      num_packs: Accepted for compatibility.
    """

    def __init__(self, num_packs: int = 1) -> None:
        if num_packs < 0:
            raise ValueError(f"Argument `num_packs` must be >=0, Received {num_packs}.")
        self.num_packs = num_packs


@export("distribute.HierarchicalCopyAllReduce")
class HierarchicalCopyAllReduce(_CrossDeviceOps):
    """A method for sums that `MirroredStrategy` accepts; the sums do not depend on it."""


@export("distribute.NcclAllReduce")
class NcclAllReduce(_CrossDeviceOps):
    """A method for sums that `MirroredStrategy` accepts; the sums do not depend on it."""


@export("distribute.ReductionToOneDevice")
class ReductionToOneDevice:
    """A method for sums that `MirroredStrategy` accepts; the sums do not depend on it.

    Args:
      reduce_to_device, accumulation_fn: Accepted for compatibility.
    """

    def __init__(self, reduce_to_device: Any = None, accumulation_fn: Any = None) -> None:
        self.reduce_to_device, self.accumulation_fn = reduce_to_device, accumulation_fn
