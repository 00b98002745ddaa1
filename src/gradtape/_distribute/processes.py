"""Several processes: how they find one another, sum, and notice that one is gone; needs JAX.

JAX's own distributed runtime holds them together. A process that loses another one gets an
UnavailableError: its collective breaks when the connection does, and where it just hangs, every
process listens for the others' beats.
"""

from __future__ import annotations

import atexit
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any

import jax
import numpy as np
from jax._src import distributed  # the public `initialize` lets a lost coordinator end the process
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from gradtape._base.errors import UnavailableError
from gradtape._compile.devices import jax_runs, tell_jax
from gradtape._distribute.coordinator import BEATS, LEFT

_ARRIVAL = 300
_SILENCE = 30


class Processes:
    """The processes of a strategy, as one of them sees them.

    Args:
      addresses: Theirs; at the first one they meet.
      index: Which of them this one is.
      timeout: How many seconds to wait for the others, in all collectives; None for as long as
        they live.

    Attributes:
      count: How many there are.
      local: How many replicas each has.

    Raises:
      RuntimeError: JAX is in use already.
      UnavailableError: The others don't come.
    """

    def __init__(self, addresses: Sequence[str], index: int, timeout: float | None) -> None:
        if jax_runs():
            raise RuntimeError(
                "MultiWorkerMirroredStrategy must be made at program startup, before the first "
                "compiled function and anything else that uses JAX"
            )
        self.count, self.index, self.local = len(addresses), index, 1
        self._timeout = timeout
        self._silence = float(os.environ.get("GRADTAPE_HEARTBEAT_SECONDS", _SILENCE))
        self._failure: str | None = None
        self._heard: dict[str, tuple[str, float]] = {}
        self._leaving = threading.Event()
        tell_jax()
        jax.config.update("jax_cpu_collectives_implementation", "gloo")
        patience = round(timeout or _ARRIVAL)
        if index == 0:
            _start_coordinator(addresses[0], self.count, self._silence, patience)
        self._client = _joined(addresses[0], self.count, index, self._silence, patience)
        self._jobs: queue.SimpleQueue[Any] = queue.SimpleQueue()
        for task in (self._beat, self._work):
            threading.Thread(target=task, daemon=True).start()
        atexit.register(self.leave)
        devices = jax.devices()
        first = [
            min((d for d in devices if d.process_index == p), key=_number)
            for p in range(self.count)
        ]
        mesh = Mesh(np.array(first), ("process",))
        self._rows = NamedSharding(mesh, PartitionSpec("process"))
        everywhere = NamedSharding(mesh, PartitionSpec())
        self._sum = jax.jit(lambda xs: [x.sum(0, x.dtype) for x in xs], out_shardings=everywhere)

    # Who is there.

    def _beat(self) -> None:
        """Tells the others that this process lives, and hears of them."""
        number = 0
        mine = f"{BEATS}{self.index}"
        pause = min(1.0, self._silence / 5)
        while not self._leaving.wait(pause):
            number += 1
            with suppress(Exception):  # the coordinator may be gone: then so are the beats
                self._client.key_value_set(mine, str(number), allow_overwrite=True)
                now = time.monotonic()
                for key, beat in self._client.key_value_dir_get(BEATS):
                    if self._heard.get(key, ("", 0.0))[0] != beat:
                        self._heard[key] = (beat, now)

    def _gone(self) -> str:
        """Which processes have left or are silent, as text; nothing where all are there."""
        now = time.monotonic()
        lost = []
        for key, (beat, at) in list(self._heard.items()):
            place = key.rpartition("/")[2]
            if place != str(self.index) and (beat == LEFT or now - at > self._silence):
                what = "has ended" if beat == LEFT else f"is silent for {now - at:.0f} s"
                lost.append(f"worker {place} {what}")
        return ", ".join(lost)

    def leave(self) -> None:
        """Says goodbye; what the others still wait for will not come."""
        if self._leaving.is_set():
            return
        self._leaving.set()

        def shut() -> None:
            with suppress(Exception):
                self._client.key_value_set(f"{BEATS}{self.index}", LEFT, allow_overwrite=True)
                self._client.shutdown()

        thread = threading.Thread(target=shut, daemon=True)
        thread.start()
        thread.join(5)

    # Work that waits for others.

    def _work(self) -> None:
        while True:
            job, work = self._jobs.get()
            try:
                job.set_result(work())
            except BaseException as error:  # noqa: BLE001 (it is the waiting thread's)
                job.set_exception(error)

    def guarded(self, work: Callable[[], Any]) -> Any:
        """Does what needs the other processes.

        Raises:
          UnavailableError: One of them is gone.
        """
        if self._failure is not None:
            raise UnavailableError(None, None, self._failure)
        job: Future[Any] = Future()
        self._jobs.put((job, work))
        started = time.monotonic()
        while True:
            try:
                return job.result(0.5)
            except TimeoutError:
                waited = time.monotonic() - started
                gone = self._gone() if waited > self._silence / 5 else ""
                if gone:
                    raise self._failed(gone) from None
                if self._timeout is not None and waited > self._timeout:
                    raise self._failed(f"the others did not come within {waited:.0f} s") from None
            except (jax.errors.JaxRuntimeError, ValueError) as error:
                said = str(error)
                if not any(word in said for word in ("Gloo", "NCCL", "UNAVAILABLE", "DEADLINE")):
                    raise
                raise self._failed(said.partition("\n")[0]) from None

    def _failed(self, why: str) -> UnavailableError:
        self._failure = (
            f"a worker of MultiWorkerMirroredStrategy is gone ({why}). This is worker "
            f"{self.index} of {self.count}. Start all workers again and restore the last "
            "checkpoint; this process can't talk to the others any more."
        )
        self.leave()
        return UnavailableError(None, None, self._failure)

    # Sums; everything else is made of them.

    def summed(self, raws: Sequence[Any]) -> list[Any]:
        """The sums over all processes of raw values, all of one dtype in one go."""
        groups: dict[Any, list[int]] = {}
        for i, raw in enumerate(raws):
            groups.setdefault(raw.dtype, []).append(i)
        outs: list[Any] = list(raws)
        kinds = list(groups.items())
        flat = [np.concatenate([np.ravel(raws[i]) for i in places]) for _, places in kinds]
        totals = self.guarded(lambda: self._all_reduce([_widened(v) for v in flat]))
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
            rows = [
                jax.make_array_from_process_local_data(self._rows, v[None], (self.count, v.size))
                for v in vectors
            ]
            return [np.asarray(out.addressable_data(0)) for out in self._sum(rows)]

    def gathered(self, raws: Sequence[Any]) -> list[Any]:
        """All replicas' values, of any lengths; each process gives those of its own replicas."""
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
            row[: int(np.prod(shape))].reshape(tuple(shape))
            for row, shape in zip(table, shapes, strict=True)
        ]

    def from_first(self, raw: Any) -> Any:
        """What the first process has; the others must have the same shape and dtype."""
        if raw.dtype.kind == "O":
            return raw
        kind = np.uint8 if raw.dtype.kind == "b" else raw.dtype
        given = np.asarray(raw, kind) if self.index == 0 else np.zeros(raw.shape, kind)
        out = self.summed([given])[0].astype(raw.dtype)
        return out if raw.ndim else out[()]


def _number(device: Any) -> int:
    return int(device.id)


def _widened(v: Any) -> Any:
    """Halves as single precision, in which collectives can sum."""
    return v.astype(np.float32) if v.dtype.itemsize == 2 and v.dtype.kind in "fV" else v


def _start_coordinator(address: str, count: int, silence: float, patience: int) -> None:
    program = str(Path(__file__).with_name("coordinator.py"))
    numbers = map(str, (count, max(10, round(silence)), patience))
    subprocess.Popen(  # noqa: S603 (this Python, and a program of our own)
        [sys.executable, program, address, *numbers],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _joined(address: str, count: int, index: int, silence: float, patience: int) -> Any:
    """Meets the others; what `jax.distributed.initialize` does, without its own coordinator."""
    state = distributed.global_state
    client = distributed._jax.get_distributed_runtime_client(
        address,
        index,
        init_timeout=patience,
        heartbeat_timeout=max(10, round(silence)),
        shutdown_timeout=5,
        shutdown_on_destruction=False,
        use_compression=True,
    )
    try:
        client.connect()
    except jax.errors.JaxRuntimeError as error:
        raise UnavailableError(
            None,
            None,
            f"MultiWorkerMirroredStrategy: the {count} workers did not meet at {address} within "
            f"{patience} s ({str(error).partition(chr(10))[0]}). Start every worker, with the same "
            "TF_CONFIG but for its index.",
        ) from None
    state.client, state.process_id, state.num_processes = client, index, count
    state.coordinator_address = address
    return client
