"""Runs the replicas of one process one at a time; each runs from one merging point to the next.

The first replica runs in the caller's thread, the others in threads of their own. Only one of
them runs at any time, in the order of their numbers, so that everything is deterministic: names,
random numbers, and sums.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from gradtape._src.base import name_scope
from gradtape._src.base.device_values import act_for, acting_thread, give_lock
from gradtape._src.core.recorder import replaced
from gradtape._src.core.stored_value import WRITES
from gradtape._src.distribute.context import ReplicaContext, current, inside, start_thread
from gradtape._src.distribute.values import part_of, regroup

R = TypeVar("R")


def _nothing() -> None:
    return None


class _Abandoned(BaseException):
    """Ends a replica's thread when another replica failed."""


def one_by_one(
    strategy: Any,
    fn: Callable[..., R],
    args: Sequence[Any],
    kwargs: dict[str, Any],
    tracer: Any = None,
) -> R:
    """Calls a function in each replica of this process.

    Args:
      strategy: The strategy.
      fn: The function.
      args: The arguments; a replica gets its part of a `PerReplica`.
      kwargs: The keyword arguments.
      tracer: The tracer of the surrounding function; None in eager execution.

    Returns:
      The replicas' results, as one structure.
    """
    count = strategy._local_replicas
    calls = [
        partial(fn, *part_of(i, list(args), count), **part_of(i, kwargs, count))
        for i in range(count)
    ]
    with strategy.scope():
        return Lockstep(strategy, tracer).run(calls)


class _Replica:
    """A replica's thread, and the event that it waits for."""

    def __init__(self) -> None:
        self.go = threading.Semaphore(0)
        self.paused = threading.Semaphore(0)
        self.offer: Any = None  # the value that the replica offers at the merging point
        self.answer: Any = None
        self.result: Any = None
        self.error: BaseException | None = None
        self.done = False


class Lockstep:
    """One run of a function in all replicas of this process.

    Args:
      strategy: The strategy.
      tracer: The tracer of the surrounding function; None in eager execution.

    Attributes:
      made: The variables that the first replica created, which the other replicas share.
    """

    def __init__(self, strategy: Any, tracer: Any = None) -> None:
        self.strategy, self._tracer = strategy, tracer
        self._below = () if tracer is None else (tracer,)
        self._writes, self._retake = 0, _nothing  # locks for the next thread
        self._disturbed = False  # whether another thread had the lock in between
        self.count = strategy._local_replicas
        self.replicas = [_Replica() for _ in range(self.count)]
        self.made: list[Any] = []
        self._over = False

    def run(self, calls: Sequence[Callable[[], R]]) -> R:
        """Runs the replicas' functions; returns their results as one structure."""
        replicas, scopes = self.replicas, list(current.scopes)
        names, caller = name_scope.stacked(), acting_thread()
        threads = []
        for i in range(1, self.count):
            target = contextvars.copy_context().run
            args = (self._thread, i, calls[i], scopes, names, caller)
            threads.append(threading.Thread(target=target, args=args, daemon=True))
        for thread in threads:
            thread.start()
        try:
            with replaced(self._below), inside(self._context(0)):
                replicas[0].result = calls[0]()
            replicas[0].done = True
            for replica in replicas[1:]:
                self._advance(replica)
                if not replica.done:
                    raise _uneven()
        finally:
            self._over = True
            for replica, thread in zip(replicas[1:], threads, strict=True):
                while not replica.done:
                    self._advance(replica, fail=False)
                thread.join()
        if self._disturbed:
            self._tracer.refuse("a variable that another thread wrote in the meantime")
        together: R = regroup([r.result for r in replicas])
        return together

    def _context(self, i: int) -> ReplicaContext:
        return ReplicaContext(self.strategy, self.strategy._first_replica + i, self)

    def _thread(
        self, i: int, call: Callable[[], Any], scopes: Any, names: list[str], caller: int
    ) -> None:
        replica = self.replicas[i]
        start_thread(scopes)
        name_scope.start_thread(names)
        act_for(caller)
        replica.go.acquire()
        self._take()
        try:
            if not self._over:
                with replaced(self._below), inside(self._context(i)):
                    replica.result = call()
        except BaseException as error:  # noqa: BLE001 (raised again in the caller's thread)
            replica.error = error
        replica.done = True
        self._give()
        replica.paused.release()

    def _advance(self, replica: _Replica, fail: bool = True) -> None:
        """Runs a replica until it reaches a merging point or ends."""
        self._give()
        replica.go.release()
        replica.paused.acquire()
        self._take()
        if fail and replica.error is not None:
            raise replica.error

    def _give(self) -> None:
        """Passes the exclusive right to write variables to the next thread."""
        if self._tracer is not None:
            self._writes, self._retake = WRITES[0], give_lock()

    def _take(self) -> None:
        """Takes over the exclusive right to write variables from the previous thread."""
        if self._tracer is not None:
            self._retake()
            self._disturbed |= WRITES[0] != self._writes

    def meet(self, i: int, offer: Any, combine: Callable[[list[Any]], list[R]]) -> R:
        """Waits until every replica offers a value; each gets its part of `combine(offers)`.

        Raises:
          RuntimeError: A replica does not offer a value.
        """
        replica = self.replicas[i]
        replica.offer = offer
        if i:
            self._give()
            replica.paused.release()
            replica.go.acquire()
            self._take()
            if self._over:
                raise _Abandoned
            late: R = replica.answer
            return late
        for other in self.replicas[1:]:
            self._advance(other)
            if other.done:
                raise _uneven()
        answers = combine([r.offer for r in self.replicas])
        for each, answer in zip(self.replicas, answers, strict=True):
            each.offer, each.answer = None, answer
        return answers[0]

    def merge(
        self, i: int, merge_fn: Callable[..., R], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> R:
        """Implements `ReplicaContext.merge_call` in the i-th replica."""

        def combine(offers: list[Any]) -> list[Any]:
            together = regroup([given for _, given in offers])
            with inside(None):
                out = offers[0][0](self.strategy, *together[0], **together[1])
            return [part_of(k, out, self.count) for k in range(self.count)]

        merged: R = self.meet(i, (merge_fn, (args, kwargs)), combine)
        return merged


def _uneven() -> RuntimeError:
    return RuntimeError(
        "Some replicas made a different number of replica_context().merge_call() calls "
        "(all_reduce, all_gather and optimizers make them): every replica must make the same."
    )
