"""Tracks which of several processes are alive.

Every process has a connection to the first one, which notifies all processes when one arrives or is
lost. A process that dies closes its connection, and a process that hangs stops sending, so that no
state outlives a process.
"""

from __future__ import annotations

import contextlib
import logging
import os
import selectors
import socket
import threading
import time
import zlib
from collections.abc import Callable, Sequence
from typing import Any

from gradtape._src.base.errors import UnavailableError
from gradtape._src.distribute.connections import (
    FIRST,
    WORKER,
    Link,
    RefusedError,
    WrongMessageError,
    introduced,
    listening,
    proof,
    proves,
    read,
)

_log = logging.getLogger("tensorflow")  # the logger that programs configure
_SHOWN = 300  # the maximum number of characters of a request in messages
_RETRY = 0.2
_FAREWELL = 0.5
_NOTICE = 10.0  # the seconds between log messages of a waiting process
_GREETING = 10.0  # the seconds in which a stranger must identify itself
_STRANGERS = 64  # the maximum number of connected strangers
_REFUSALS = 5  # the maximum number of strangers in an error
_MEETINGS = 16  # the maximum number of meeting points at which a process waits


class Members:
    """The processes of a strategy, as known to one of them.

    Args:
      addresses: The addresses of the processes; all connect to the first one.
      index: The index of this process.
      silence: The seconds without a message after which a process counts as dead.
      patience: The seconds in which the others must arrive.
      secret: The shared secret; a process that can't prove that it knows it is rejected.
      bind: The host at whose addresses the first process listens. Defaults to the host in its
        address.
      notice: The seconds after which the log names the processes that this one waits for.

    Raises:
      UnavailableError: Some processes don't arrive; the message names them.
      ValueError: The processes were started with different clusters, or with different secrets.
    """

    def __init__(
        self,
        addresses: Sequence[str],
        index: int,
        silence: float,
        patience: float,
        secret: str = "",
        bind: str = "",
        notice: float = _NOTICE,
    ) -> None:
        self.index, self.count = index, len(addresses)
        self._addresses = list(addresses)
        self._silence, self._process = silence, os.getpid()
        self._changed = threading.Condition()
        self._secret, self._notice = secret, notice
        self._links: dict[int, Link] = {}
        self._strangers: list[Link] = []
        self._arrived = {index}
        self._lost: dict[int, tuple[str, int | None]] = {}
        self._refused: list[str] = []
        self._broken = ""  # the reason why the connection to the others is lost
        self._clash = ""
        self._agreed = 0  # the last call that all processes have made
        self._asked: dict[int, tuple[int, int, str]] = {}
        self._waiting: dict[str, dict[int, Any]] = {}
        self._passed: dict[str, Any] = {}
        self._left = threading.Event()
        self._servers: list[socket.socket] = []
        self._selector = selectors.DefaultSelector()
        until = time.monotonic() + patience
        if index:
            link = self._links[0] = self._reached(patience)
            self._selector.register(link.connection, selectors.EVENT_READ, link)
        else:
            self._servers = self._listening(bind)
            for server in self._servers:
                self._selector.register(server, selectors.EVENT_READ)
        threading.Thread(target=self._listen, daemon=True, name="gradtape-members").start()
        self.meet("start", max(0.0, until - time.monotonic()))

    def name(self, place: int) -> str:
        """Returns a process' name in messages."""
        return f"worker {place} ({self._addresses[place]})"

    def _listening(self, bind: str) -> list[socket.socket]:
        host, _, port = self._addresses[0].rpartition(":")
        try:
            return listening(bind or host.strip("[]"), int(port), self.count + _STRANGERS)
        except OSError as error:
            raise UnavailableError(
                None,
                None,
                f"MultiWorkerMirroredStrategy: {self.name(0)} can't wait for the others at its "
                f"port: {error}. End the program that uses the port, or give worker 0 "
                "another one in TF_CONFIG. If this machine does not have the address itself, such "
                "as behind a router that translates addresses, set GRADTAPE_BIND_ADDRESS to one "
                "that it has.",
            ) from None

    def _reached(self, patience: float) -> Link:
        host, _, port = self._addresses[0].rpartition(":")
        until = time.monotonic() + patience
        due = time.monotonic() + self._notice
        while True:
            try:
                connection = socket.create_connection(
                    (host.strip("[]"), int(port)), timeout=max(0.1, min(5, patience))
                )
                try:
                    return introduced(connection, self.index, self._addresses, self._secret, until)
                except BaseException:
                    connection.close()
                    raise
            except RefusedError as error:
                raise ValueError(f"MultiWorkerMirroredStrategy: {error}") from None
            except OSError as error:
                now = time.monotonic()
                if now > until:
                    raise UnavailableError(
                        None,
                        None,
                        f"MultiWorkerMirroredStrategy: {self.name(0)} could not be reached within "
                        f"{patience:.0f} s: {error}. This is worker {self.index} of {self.count}. "
                        "Start every worker, with the same TF_CONFIG but for its index.",
                    ) from None
                if now >= due:
                    self._say(f"{self.name(0)} to be reached ({error})")
                    due = now + self._notice
                time.sleep(_RETRY)

    def _say(self, awaited: str) -> None:
        _log.warning(
            "MultiWorkerMirroredStrategy: worker %d of %d waits for %s",
            self.index,
            self.count,
            awaited,
        )

    # The methods below are called by the program.

    def meet(self, where: str, patience: float, brings: Any = None) -> Any:
        """Waits until all processes have reached a point; returns the first one's value.

        Raises:
          UnavailableError: Some processes don't arrive.
        """
        with self._changed:
            if self.index:
                self._tell_first("here", where)
            else:
                self._note(where, 0, brings)
            done = self._waited(
                lambda: where in self._passed or self._broken or self._lost, where, patience
            )
            if where in self._passed:
                return self._passed.pop(where)
            lost, missing = self.trouble(0), self._absent()
        self.leave(0, failed=True)
        why = lost or f"not all workers reached {where!r} within {patience:.0f} s"
        if missing:
            late = "" if done else f" within {patience:.0f} s"
            why = f"{' and '.join(missing)} did not arrive{late}"
        refused = f" ({'; '.join(self._refused)})" if self._refused else ""
        raise UnavailableError(
            None,
            None,
            f"MultiWorkerMirroredStrategy: the {self.count} workers did not meet: {why}{refused}. "
            f"This is worker {self.index}. Start every worker, with the same TF_CONFIG but for "
            "its index.",
        )

    def _waited(self, over: Callable[[], Any], where: str, patience: float) -> bool:
        """Waits, and regularly logs for which processes; returns whether the wait ended in time."""
        until = time.monotonic() + max(0.0, patience)
        while not self._changed.wait_for(
            over, min(self._notice, max(0.0, until - time.monotonic()))
        ):
            if time.monotonic() >= until:
                return False
            there = self._waiting.get(where, {})
            late = [self.name(p) for p in range(self.count) if p not in there and not self.index]
            what = f"come to {where!r}" if not self._absent() else "join"
            self._say(f"{' and '.join(self._absent() or late) or 'the others'} to {what}")
        return True

    def _absent(self) -> list[str]:
        """Returns the processes that never arrived."""
        return [self.name(p) for p in range(self.count) if p not in self._arrived]

    def agree(self, call: int, what: str, patience: float | None) -> str:
        """Waits until all processes make the same call.

        Args:
          call: The number of the call, counted from 1.
          what: The request, which must be the same in all processes.
          patience: The seconds to wait; None to wait as long as all processes are alive.

        Returns:
          The reason for a failure; empty on success.
        """
        asked = (call, zlib.crc32(what.encode()), what[:_SHOWN])
        with self._changed:
            if self.index:
                self._tell_first("ask", *asked)
            else:
                self._compare(0, asked)
            self._changed.wait_for(lambda: self._agreed >= call or self.trouble(call), patience)
            if self._agreed >= call:
                return ""
            return (
                self.trouble(call)
                or f"not all workers reached {what[:_SHOWN]} within {patience:.0f} s"
            )

    def _tell_first(self, *message: Any) -> None:
        if 0 in self._links:  # if it is lost, waiting calls are notified
            self._links[0].send(*message)

    def trouble(self, call: int) -> str:
        """Returns the reason why a call can't end, or "" if no process is missing.

        Args:
          call: The call's number; a process that left after it is not missing in it.
        """
        if self._broken or self._clash:
            return self._broken or self._clash
        for place, (what, calls) in list(self._lost.items()):
            if calls is None:
                return f"{self.name(place)} {what}"
            if call > calls:
                return f"{self.name(place)} {what} after call {calls}, and this is call {call}"
        return ""

    def leave(self, calls: int, failed: bool = False) -> None:
        """Announces the end of this process after a number of calls, which others may finish."""
        if self._left.is_set() or os.getpid() != self._process:
            return
        with self._changed:
            self._left.set()
            until = time.monotonic() + _FAREWELL
            for link in self._links.values():
                link.send("bye", calls, failed)
            for link in self._links.values():
                link.close(until)
            for stranger in self._strangers:
                stranger.connection.close()
            for server in self._servers:
                server.close()

    # The methods below handle messages of other processes. They run in the listening thread, or
    # with the lock held.

    def _listen(self) -> None:
        try:
            self._listen_on()
        except BaseException as error:  # noqa: BLE001 (no other code would report it)
            with self._changed:
                self._broken = (
                    f"worker {self.index} can't receive messages any more: its listening thread "
                    f"ended with {type(error).__name__}: {error}"
                )
                self._changed.notify_all()
            self.leave(0, failed=True)
        finally:
            self._selector.close()

    def _listen_on(self) -> None:
        pause = min(1.0, self._silence / 5)
        due = 0.0
        while not self._left.is_set():
            try:
                ready = self._selector.select(pause)
            except (OSError, ValueError):  # the connection was closed in the meantime
                if self._left.is_set():
                    break
                raise
            with self._changed:
                if self._left.is_set():
                    break
                for key, _ in ready:
                    if key.data is None:
                        self._welcome(key.fileobj)
                    else:
                        self._hear(key.data)
                now = time.monotonic()
                if now >= due:
                    self._send_all("beat")
                    due = now + pause
                self._give_up(now)
                self._changed.notify_all()

    def _give_up(self, now: float) -> None:
        """Drops strangers that don't identify themselves, and silent processes."""
        for stranger in [s for s in self._strangers if now - s.at > _GREETING]:
            self._drop(stranger, "")
        for place, link in list(self._links.items()):
            if now - link.at > self._silence:
                silent = f"{now - link.at:.0f} s"
                link.send("lost", self.index, f"treated this one as dead after {silent}", None)
                self._drop(link, f"has been silent for {silent}")
                del self._links[place]

    def _welcome(self, server: Any) -> None:
        try:
            link = Link(server.accept()[0])
        except OSError:  # the stranger has left, or there are no more descriptors
            return
        self._selector.register(link.connection, selectors.EVENT_READ, link)
        self._strangers.append(link)
        if len(self._strangers) > _STRANGERS:  # a dropped worker connects again
            self._drop(self._strangers[0], "")
        link.send("challenge", link.nonce)

    def _hear(self, link: Link) -> None:
        if link.connection.fileno() < 0:  # the process was dropped after it had sent a message
            return
        try:
            for line in link.received():
                kind, *rest = read(line, link.role)
                getattr(self, f"_on_{kind}")(link, *rest)
                if link.connection.fileno() < 0:
                    break
        except WrongMessageError as error:
            self._drop(link, f"was dropped: it sent {error}")
        except OSError:
            self._drop(link, "has died: its connection broke")
        except Exception:
            if link.place is not None:  # an internal error, which must not make the run hang
                raise
            self._drop(link, "")

    def _drop(self, link: Link, why: str, calls: int | None = None) -> None:
        """Handles the loss of a process or a stranger."""
        if link in self._strangers:
            self._strangers.remove(link)
        with contextlib.suppress(KeyError, ValueError):
            self._selector.unregister(link.connection)
        link.connection.close()
        place = link.place
        if place is not None and self._links.get(place) is link:
            self._lose(place, why, calls)

    def _lose(self, place: int, why: str, calls: int | None) -> None:
        if place in self._lost:
            return
        self._lost[place] = (why, calls)
        if not self.index:
            self._send_all("lost", place, why, calls)

    def _send_all(self, *message: Any) -> None:
        for link in self._links.values():
            link.send(*message)

    def _on_beat(self, _: Link) -> None:
        """Handles a periodic message, which shows that a process is alive."""

    def _on_ask(self, link: Link, *asked: Any) -> None:
        assert link.place is not None
        self._compare(link.place, asked)

    def _compare(self, place: int, asked: Any) -> None:
        """Records the request of a process; all processes must make the same request."""
        self._asked[place] = asked
        for other, before in self._asked.items():
            if before[:2] != asked[:2] and not self._clash:
                pairs = sorted([(place, asked[2]), (other, before[2])])
                clash = " and ".join(f"{self.name(p)} asks for {text}" for p, text in pairs)
                self._clash = f"the workers' programs differ: {clash}"
                self._send_all("clash", self._clash)
                self._changed.notify_all()
        if len(self._asked) == self.count and not self._clash:
            self._asked.clear()
            self._agreed = asked[0]
            self._send_all("agreed", self._agreed)
            self._changed.notify_all()

    def _on_agreed(self, _: Link, call: int) -> None:
        self._agreed = call

    def _on_clash(self, _: Link, text: str) -> None:
        self._clash = text

    def _on_lost(self, link: Link, place: int, why: str, calls: int | None) -> None:
        if place >= self.count or (link.role is WORKER and place != link.place):
            raise WrongMessageError(f"'lost' for worker {place}")
        if place != self.index:
            self._lose(place, why, calls)

    def _on_bye(self, link: Link, calls: int, failed: bool) -> None:
        if failed:  # the first process reports the loss, since it notices it first
            self._drop(link, "has given up")
        else:
            self._drop(link, "has ended its program", calls)

    def _on_hello(
        self, link: Link, place: int, addresses: list[str], nonce: str, given: str
    ) -> None:
        said = (link.nonce, nonce, place, addresses)
        fault = ""
        if not proves(given, self._secret, WORKER, *said):
            fault = "it does not know the secret that worker 0 has in GRADTAPE_CLUSTER_SECRET"
        elif addresses != self._addresses:
            known = f"{addresses}"[:_SHOWN]
            fault = f"it knows the workers {known}, but worker 0 knows {self._addresses}"
        elif not 0 < place < self.count:
            fault = f"there are {self.count} workers"
        elif place in self._arrived:
            fault = "there is already a worker with this index"
        if fault:
            link.send("no", f"worker {place} was refused: {fault}")
            refusal = f"a process that connected as worker {place} was refused: {fault}"
            if refusal not in self._refused and len(self._refused) < _REFUSALS:
                self._refused.append(refusal)
            self._drop(link, "")
            return
        link.send("welcome", proof(self._secret, FIRST, *said))
        self._strangers.remove(link)
        link.place, link.role, link.at = place, WORKER, time.monotonic()
        self._links[place] = link
        self._arrived.add(place)
        self._send_all("there", sorted(self._arrived))

    def _on_there(self, _: Link, places: list[int]) -> None:
        self._arrived = {*places, self.index}

    def _on_here(self, link: Link, where: str) -> None:
        assert link.place is not None
        if where not in self._waiting and len(self._waiting) >= _MEETINGS:
            raise WrongMessageError("a worker waits at too many meeting points")
        self._note(where, link.place, None)

    def _on_go(self, _: Link, where: str, brought: Any) -> None:
        self._passed[where] = brought

    def _note(self, where: str, place: int, brings: Any) -> None:
        there = self._waiting.setdefault(where, {})
        there[place] = brings
        if len(there) == self.count:
            del self._waiting[where]
            self._passed[where] = there[0]
            self._send_all("go", where, there[0])
            self._changed.notify_all()
