"""Several processes: sums over them, and the detection of lost ones; needs JAX.

JAX's distributed runtime introduces the processes to one another. Its coordinator ends every
process that loses it, so processes on CPUs leave it once all connections exist, and `Members`
watches which processes are alive.
"""

from __future__ import annotations

import atexit
import math
import os
import queue
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, TypeVar

import jax
import numpy as np

# `compute.jax_private` states the reasons, and checks these names.
from jax._src import distributed, xla_bridge
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from gradtape._src.base.errors import UnavailableError
from gradtape._src.compute import jax_private
from gradtape._src.compute.devices import apply_processor_count, jax_runs
from gradtape._src.distribute.connections import listening
from gradtape._src.distribute.membership import Members

R = TypeVar("R")

_ARRIVAL = 300
_SILENCE = 30
# The time for which a call may continue after a loss, since it may not need the lost process.
_GRACE = 2


_joined: list[tuple[Any, Processes]] = []


def joined(addresses: Sequence[str], index: int, timeout: float | None) -> Processes:
    """Returns the processes with these addresses; a program can join others only once.

    Raises:
      RuntimeError: This process has already joined others, or JAX is in use.
      UnavailableError: The other processes don't arrive.
      ValueError: The processes were started with different clusters.
    """
    asked = (list(addresses), index)
    for there, processes in _joined:
        if there != asked:
            raise RuntimeError(
                f"MultiWorkerMirroredStrategy: this process is worker {there[1]} of {there[0]} "
                f"already, and can't be worker {index} of {asked[0]} too"
            )
        return processes
    _joined.append((asked, Processes(addresses, index, timeout)))
    return _joined[0][1]


class Processes:
    """The processes of a strategy, as known to one of them.

    Args:
      addresses: The addresses of the processes, which meet at the first one.
      index: The index of this process.
      timeout: The seconds to wait for the others in collectives; None to wait as long as they are
          alive.

    Attributes:
      count: The number of processes.
      local: The number of replicas of each process.

    Raises:
      RuntimeError: JAX is already in use.
      UnavailableError: The other processes don't arrive.
      ValueError: The processes were started with different clusters.
    """

    def __init__(self, addresses: Sequence[str], index: int, timeout: float | None) -> None:
        if jax_runs():
            raise RuntimeError(
                "MultiWorkerMirroredStrategy must be made at program startup, before the first "
                "compiled function and anything else that uses JAX"
            )
        jax_private.check_processes()
        self.count, self.index, self.local = len(addresses), index, 1
        self._timeout, self._patience = timeout, timeout or _ARRIVAL
        self._failure: str | None = None
        self._begun = False
        self._calls = self._ended = 0
        self._jobs: queue.SimpleQueue[Any] = queue.SimpleQueue()
        silence = float(os.environ.get("GRADTAPE_HEARTBEAT_SECONDS", _SILENCE))
        secret = os.environ.get("GRADTAPE_CLUSTER_SECRET", "")
        bind = os.environ.get("GRADTAPE_BIND_ADDRESS", "")
        self._host = bind or _host(addresses[index])
        self._members = Members(addresses, index, silence, self._patience, secret, bind)
        apply_processor_count()
        jax.config.update("jax_cpu_collectives_implementation", "gloo")
        self._service, self._client = self._introduced(addresses[0])
        xla_bridge.register_backend_factory("cpu", self._processors, priority=0, fail_quietly=False)
        threading.Thread(target=self._work, daemon=True, name="gradtape-collectives").start()
        atexit.register(self.leave)
        devices = jax.devices()
        self._own = [
            sorted((d for d in devices if d.process_index == p), key=_number)
            for p in range(self.count)
        ]
        self._rows, self._sum = self._summing([own[0] for own in self._own])

    def _introduced(self, address: str) -> tuple[Any, Any]:
        """Like `jax.distributed.initialize`, but allows this process to leave again."""
        runtime, state = distributed._jax, distributed.global_state
        service, port = None, 0
        if not self.index:
            free = listening(self._host, 0, 1)
            port = free[0].getsockname()[1]
            for server in free:
                server.close()
            at = f"[{self._host}]" if ":" in self._host else self._host
            service = runtime.get_distributed_runtime_service(
                f"{at}:{port}", self.count, shutdown_timeout=5, recoverable=True
            )
        port = self._members.meet("introduction", self._patience, port)
        client = runtime.get_distributed_runtime_client(
            f"{address.rpartition(':')[0]}:{port}",
            self.index,
            init_timeout=max(1, round(self._patience)),
            shutdown_timeout=5,
            shutdown_on_destruction=False,
            use_compression=True,
        )
        try:
            client.connect()
        except jax.errors.JaxRuntimeError as error:
            raise self._failed(str(error).partition("\n")[0]) from None
        state.client, state.process_id, state.num_processes = client, self.index, self.count
        state.coordinator_address = address
        return service, client

    def _processors(self) -> Any:
        """Returns JAX's client for CPUs, whose collectives listen only at this worker's address."""
        anywhere = self._host in ("0.0.0.0", "::")  # noqa: S104 (compared, not bound)
        collectives = distributed._jax.make_gloo_tcp_collectives(
            self._client, None if anywhere else self._host
        )
        return xla_bridge.make_cpu_client(collectives)

    def _summing(self, devices: Sequence[Any]) -> tuple[Any, Any]:
        """Returns the sharding of rows over all processes' devices, and a function to sum them."""
        mesh = Mesh(np.array(devices), ("process",))
        everywhere = NamedSharding(mesh, PartitionSpec())
        add = jax.jit(lambda xs: [x.sum(0, x.dtype) for x in xs], out_shardings=everywhere)
        return NamedSharding(mesh, PartitionSpec("process")), add

    def begin(self, local: int) -> None:
        """Connects all devices that programs will run on, and leaves JAX's coordinator.

        Args:
          local: The number of replicas of each process.

        Raises:
          ValueError: The processes have different numbers of replicas.
        """
        if self._begun:
            return
        counts = self.summed([np.eye(self.count, dtype=np.int32)[self.index] * local])[0]
        if np.any(counts != local):
            self.leave(failed=True)
            raise ValueError(
                "MultiWorkerMirroredStrategy: every worker must have the same number of devices, "
                f"but they have {counts.tolist()}"
            )
        self.local, self._begun = local, True
        if local > 1:
            rows, add = self._summing([d for own in self._own for d in own[:local]])
            self.guarded(
                lambda: jax.block_until_ready(
                    add([_placed(rows, np.zeros((local, 1), "f4"), self.count * local)])
                ),
                lambda: "the connection of its devices",
            )
        if any(d.platform != "cpu" for own in self._own for d in own[:local]):
            return  # their programs may need it again
        self._members.meet("connected", self._patience)
        self._client.shutdown()
        distributed.global_state.client = self._client = None
        self._members.meet("introduced", self._patience)
        if self._service is not None:
            self._service.shutdown()
            self._service = None

    def leave(self, failed: bool = False) -> None:
        """Leaves the others, whose pending calls will fail."""
        self._members.leave(self._ended, failed)
        client, self._client = self._client, None
        if client is None:
            return

        def shut() -> None:
            with suppress(Exception):
                client.shutdown()

        thread = threading.Thread(target=shut, daemon=True)
        thread.start()
        thread.join(5)

    # The methods below wait for other processes.

    def _work(self) -> None:
        while True:
            job, work = self._jobs.get()
            try:
                job.set_result(work())
            except BaseException as error:  # noqa: BLE001 (the waiting thread raises it again)
                job.set_exception(error)

    def guarded(self, work: Callable[[], R], what: Callable[[], str]) -> R:
        """Runs a call that needs the other processes.

        Args:
          work: The function to call.
          what: The name of the call, the same in all processes.

        Raises:
          UnavailableError: Another process is lost, or makes another call.
        """
        if self._failure is not None:
            raise UnavailableError(None, None, self._failure)
        self._calls += 1
        call, members = self._calls, self._members
        why = members.agree(call, what(), self._timeout)
        if why:
            raise self._failed(why)
        job: Future[R] = Future()
        self._jobs.put((job, work))
        started, noticed = time.monotonic(), None
        while True:
            try:
                out = job.result(0.1)
                break
            except TimeoutError:
                now = time.monotonic()
                why = members.trouble(call)
                if why:
                    noticed = noticed or now
                    if now - noticed > _GRACE:
                        raise self._failed(why) from None
                if self._timeout is not None and now - started > self._timeout:
                    late = f"the other workers did not reach {what()} within {now - started:.0f} s"
                    raise self._failed(why or late) from None
            except (jax.errors.JaxRuntimeError, ValueError) as error:
                said = str(error)
                if not any(word in said for word in ("Gloo", "NCCL", "UNAVAILABLE", "DEADLINE")):
                    raise
                raise self._failed(self._reason(call, said.partition("\n")[0])) from None
        self._ended = call
        return out

    def _reason(self, call: int, said: str) -> str:
        """Returns the reason why a collective failed, if the members know it."""
        until = time.monotonic() + _GRACE
        while not (why := self._members.trouble(call)) and time.monotonic() < until:
            time.sleep(0.05)
        return f"{why}; {said}" if why else said

    def _failed(self, why: str) -> UnavailableError:
        self._failure = (
            f"MultiWorkerMirroredStrategy: {why}. This is worker {self.index} of {self.count}. "
            "Start all workers again and restore the last checkpoint; this process can't talk to "
            "the others any more."
        )
        self.leave(failed=True)
        return UnavailableError(None, None, self._failure)

    # The methods below compute sums; all other collectives are built from sums.

    def summed(self, raws: Sequence[Any]) -> list[Any]:
        """Returns the sums over all processes of raw values, with one call per dtype."""
        groups: dict[Any, list[int]] = {}
        for i, raw in enumerate(raws):
            groups.setdefault(raw.dtype, []).append(i)
        outs: list[Any] = list(raws)
        kinds = list(groups.items())
        flat = [
            _widened(np.concatenate([np.ravel(raws[i]) for i in places])) for _, places in kinds
        ]

        def what() -> str:
            return f"a sum of {', '.join(f'{raw.dtype}{list(raw.shape)}' for raw in raws)}"

        totals = self.guarded(lambda: self._all_reduce(flat), what)
        for (dtype, places), total in zip(kinds, totals, strict=True):
            at = 0
            for i in places:
                size = raws[i].size
                part = total[at : at + size].astype(dtype, copy=False)
                outs[i] = part.reshape(raws[i].shape) if raws[i].ndim else part[0]
                at += size
        return outs

    def _all_reduce(self, vectors: list[Any]) -> list[Any]:
        with jax.enable_x64(True):
            rows = [_placed(self._rows, v[None], self.count) for v in vectors]
            return [np.asarray(out.addressable_data(0)) for out in self._sum(rows)]

    def gathered(self, raws: Sequence[Any]) -> list[Any]:
        """Returns all replicas' values, of any lengths; each process passes those of its own."""
        rank = raws[0].ndim
        shapes = np.zeros((self.count * self.local, rank), np.int64)
        mine = slice(self.index * self.local, (self.index + 1) * self.local)
        shapes[mine] = [raw.shape for raw in raws]
        shapes = self.summed([shapes])[0]
        longest = int(shapes.prod(1).max())
        dtype = raws[0].dtype
        table = np.zeros((len(shapes), longest), np.uint8 if dtype.kind == "b" else dtype)
        for row, raw in zip(table[mine], raws, strict=True):
            row[: raw.size] = np.ravel(raw)
        table = self.summed([table])[0].astype(dtype, copy=False)
        return [
            row[: math.prod(shape)].reshape(tuple(shape))
            for row, shape in zip(table, shapes, strict=True)
        ]

    def from_first(
        self, raw: np.ndarray[Any, Any] | np.generic
    ) -> np.ndarray[Any, Any] | np.generic:
        """Returns the first process's value; the others must have values of its shape and dtype."""
        if raw.dtype.kind == "O":
            return raw
        kind = np.uint8 if raw.dtype.kind == "b" else raw.dtype
        given = np.asarray(raw, kind) if self.index == 0 else np.zeros(raw.shape, kind)
        out: np.ndarray[Any, Any] = self.summed([given])[0].astype(raw.dtype)
        return out if raw.ndim else out[()]


def _host(address: str) -> str:
    """Returns the host in "host:port" or "[host]:port"."""
    return address.rpartition(":")[0].strip("[]")


def _number(device: Any) -> int:
    return int(device.id)


def _widened(v: Any) -> Any:
    """Converts half to single precision, which collectives can sum."""
    return v.astype(np.float32) if v.dtype.itemsize <= 2 and v.dtype.kind in "fV" else v


def _placed(rows: Any, own: Any, count: int) -> Any:
    """Combines the rows of all processes into one global array."""
    return jax.make_array_from_process_local_data(rows, own, (count, *own.shape[1:]))
