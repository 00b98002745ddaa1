"""Who of several processes is there: they meet at the first one, and hear when one is gone.

Every process holds a connection to the first one, which tells all of them who came and who is
lost. A process that dies closes its connection, and one that hangs falls silent, so that nothing
here outlives a process or needs another one's help.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import socket
import threading
import time
import zlib
from collections.abc import Sequence
from typing import Any

from gradtape._base.errors import UnavailableError

_LONGEST = 1 << 20  # the bytes of a line; who sends more is no worker
_SHOWN = 300  # the characters of what is asked for that messages show
_RETRY = 0.2
_FAREWELL = 0.5


class _Link:
    """A connection to another process.

    Attributes:
      place: Which one; None until it says.
      at: When it was last heard.
    """

    def __init__(self, connection: socket.socket) -> None:
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.connection = connection
        self.place: int | None = None
        self.at = time.monotonic()
        self._rest = b""

    def send(self, *message: Any) -> None:
        """Sends a message; one that can't be taken is lost, as its reader is."""
        with contextlib.suppress(OSError):
            self.connection.sendall(json.dumps(message).encode() + b"\n")

    def received(self) -> list[Any]:
        """The messages that came; ConnectionError or ValueError where no more can come."""
        try:
            data = self.connection.recv(1 << 16)
        except BlockingIOError:
            return []
        if not data:
            raise ConnectionError
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > _LONGEST:
            raise ValueError
        self.at = time.monotonic()
        return [json.loads(line) for line in lines]

    def close(self, until: float) -> None:
        """Closes the connection once the other has read everything, or it is so late."""
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_WR)
            self.connection.settimeout(max(0.01, until - time.monotonic()))
            while self.connection.recv(1 << 16) and time.monotonic() < until:
                pass
        self.connection.close()


class Members:
    """The processes of a strategy, as one of them hears of them.

    Args:
      addresses: Theirs; all come to the first one.
      index: Which of them this one is.
      silence: The seconds after which a process that says nothing is held for dead.
      patience: The seconds that the others may take to come.

    Raises:
      UnavailableError: Some don't come; it says which.
      ValueError: They were told of different processes.
    """

    def __init__(
        self, addresses: Sequence[str], index: int, silence: float, patience: float
    ) -> None:
        self.index, self.count = index, len(addresses)
        self._addresses = list(addresses)
        self._silence, self._process = silence, os.getpid()
        self._changed = threading.Condition()
        self._links: dict[int, _Link] = {}
        self._arrived = {index}
        self._lost: dict[int, tuple[str, int | None]] = {}
        self._refused: list[str] = []
        self._fault = ""  # why this process can't be one of them
        self._clash = ""
        self._agreed = 0  # the last call in which all asked for the same
        self._asked: dict[int, tuple[int, int, str]] = {}
        self._waiting: dict[str, dict[int, Any]] = {}
        self._passed: dict[str, Any] = {}
        self._left = threading.Event()
        self._server: socket.socket | None = None
        self._selector = selectors.DefaultSelector()
        until = time.monotonic() + patience
        if index:
            link = self._links[0] = self._reached(patience)
            link.place = 0
            self._selector.register(link.connection, selectors.EVENT_READ, link)
            link.send("hello", index, self._addresses)
        else:
            self._server = self._listening()
            self._selector.register(self._server, selectors.EVENT_READ)
        threading.Thread(target=self._listen, daemon=True, name="gradtape-members").start()
        self.meet("start", until - time.monotonic())

    def name(self, place: int) -> str:
        """A process' name in messages."""
        return f"worker {place} ({self._addresses[place]})"

    def _listening(self) -> socket.socket:
        port = int(self._addresses[0].rpartition(":")[2])
        try:
            if socket.has_dualstack_ipv6():
                server = socket.create_server(
                    ("::", port), family=socket.AF_INET6, dualstack_ipv6=True, backlog=self.count
                )
            else:
                server = socket.create_server(("", port), backlog=self.count)
        except OSError as error:
            raise UnavailableError(
                None,
                None,
                f"MultiWorkerMirroredStrategy: {self.name(0)} can't wait for the others at its "
                f"port: {error}. End what uses it, or give worker 0 another one in TF_CONFIG.",
            ) from None
        server.setblocking(False)
        return server

    def _reached(self, patience: float) -> _Link:
        host, _, port = self._addresses[0].rpartition(":")
        until = time.monotonic() + patience
        while True:
            try:
                connection = socket.create_connection(
                    (host.strip("[]"), int(port)), timeout=max(0.1, min(5, patience))
                )
                return _Link(connection)
            except OSError as error:
                if time.monotonic() > until:
                    raise UnavailableError(
                        None,
                        None,
                        f"MultiWorkerMirroredStrategy: {self.name(0)} could not be reached within "
                        f"{patience:.0f} s: {error}. This is worker {self.index} of {self.count}. "
                        "Start every worker, with the same TF_CONFIG but for its index.",
                    ) from None
                time.sleep(_RETRY)

    # What the program asks and says.

    def meet(self, where: str, patience: float, brings: Any = None) -> Any:
        """Waits until all processes are at a point; what the first one brings there.

        Raises:
          UnavailableError: Some don't come.
          ValueError: This process is none of them.
        """
        with self._changed:
            if self.index:
                self._tell_first("here", where)
            else:
                self._note(where, 0, brings)
            done = self._changed.wait_for(
                lambda: where in self._passed or self._fault or self._lost, max(0.0, patience)
            )
            if where in self._passed:
                return self._passed.pop(where)
            fault, lost = self._fault, self.trouble(0)
            missing = [self.name(p) for p in range(self.count) if p not in self._arrived]
        self.leave(0, failed=True)
        if fault:
            raise ValueError(f"MultiWorkerMirroredStrategy: {fault}")
        why = lost or f"not all came to {where!r} within {patience:.0f} s"
        if missing:
            late = "" if done else f" within {patience:.0f} s"
            why = f"{' and '.join(missing)} did not come{late}"
        refused = f" ({'; '.join(self._refused)})" if self._refused else ""
        raise UnavailableError(
            None,
            None,
            f"MultiWorkerMirroredStrategy: the {self.count} workers did not meet: {why}{refused}. "
            f"This is worker {self.index}. Start every worker, with the same TF_CONFIG but for "
            "its index.",
        )

    def agree(self, call: int, what: str, patience: float | None) -> str:
        """Waits until all processes are at the same call.

        Args:
          call: The call's number; the first one is 1.
          what: What is asked of the others, the same in all.
          patience: How many seconds to wait; None for as long as all are there.

        Returns:
          Why it won't happen; nothing where it happened.
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
            return self.trouble(call) or f"not all came to {what[:_SHOWN]} within {patience:.0f} s"

    def _tell_first(self, *message: Any) -> None:
        if 0 in self._links:  # else it is lost, and what waits for it hears that
            self._links[0].send(*message)

    def trouble(self, call: int) -> str:
        """Why a call can't end, as text; nothing where nobody is missing.

        Args:
          call: The call's number; a process that left after it is not missing in it.
        """
        if self._clash:
            return self._clash
        for place, (what, calls) in list(self._lost.items()):
            if calls is None:
                return f"{self.name(place)} {what}"
            if call > calls:
                return f"{self.name(place)} {what} after call {calls}, and this is call {call}"
        return ""

    def leave(self, calls: int, failed: bool = False) -> None:
        """Says goodbye after so many calls, which the others may still end."""
        if self._left.is_set() or os.getpid() != self._process:
            return
        with self._changed:
            self._left.set()
            until = time.monotonic() + _FAREWELL
            for link in self._links.values():
                link.send("bye", calls, failed)
            for link in self._links.values():
                link.close(until)
            if self._server is not None:
                self._server.close()

    # What the others say. All below runs in the listening thread, or with the lock held.

    def _listen(self) -> None:
        pause = min(1.0, self._silence / 5)
        due = 0.0
        while not self._left.is_set():
            try:
                ready = self._selector.select(pause)
            except (OSError, ValueError):  # closed meanwhile
                break
            with self._changed:
                if self._left.is_set():
                    break
                for key, _ in ready:
                    if key.fileobj is self._server:
                        self._welcome()
                    else:
                        self._hear(key.data)
                now = time.monotonic()
                if now >= due:
                    self._send_all("beat")
                    due = now + pause
                for place, link in list(self._links.items()):
                    if now - link.at > self._silence:
                        silent = f"{now - link.at:.0f} s"
                        link.send(
                            "lost", self.index, f"held this one for dead after {silent}", None
                        )
                        self._drop(link, f"has been silent for {silent}")
                        del self._links[place]
                self._changed.notify_all()
        self._selector.close()

    def _welcome(self) -> None:
        assert self._server is not None
        with contextlib.suppress(OSError):
            link = _Link(self._server.accept()[0])
            self._selector.register(link.connection, selectors.EVENT_READ, link)

    def _hear(self, link: _Link) -> None:
        try:
            for kind, *rest in link.received():
                if kind == "hello" or link.place is not None:
                    getattr(self, f"_on_{kind}")(link, *rest)
        except (OSError, ValueError, TypeError, AttributeError):
            self._drop(link, "has died: its connection broke")

    def _drop(self, link: _Link, why: str, calls: int | None = None) -> None:
        """A process is gone."""
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

    def _on_beat(self, _: _Link) -> None:
        """Nothing but a sign of life."""

    def _on_ask(self, link: _Link, *asked: Any) -> None:
        assert link.place is not None
        self._compare(link.place, asked)

    def _compare(self, place: int, asked: Any) -> None:
        """Notes what a process asks for; all must ask for the same."""
        self._asked[place] = asked
        for other, before in self._asked.items():
            if before[:2] != asked[:2] and not self._clash:
                pairs = sorted([(place, asked[2]), (other, before[2])])
                told = " and ".join(f"{self.name(p)} asks for {text}" for p, text in pairs)
                self._clash = f"the workers' programs differ: {told}"
                self._send_all("clash", self._clash)
                self._changed.notify_all()
        if len(self._asked) == self.count and not self._clash:
            self._asked.clear()
            self._agreed = asked[0]
            self._send_all("agreed", self._agreed)
            self._changed.notify_all()

    def _on_agreed(self, _: _Link, call: int) -> None:
        self._agreed = call

    def _on_clash(self, _: _Link, text: str) -> None:
        self._clash = text

    def _on_lost(self, _: _Link, place: int, why: str, calls: int | None) -> None:
        if place != self.index:
            self._lose(place, why, calls)

    def _on_bye(self, link: _Link, calls: int, failed: bool) -> None:
        if failed:  # what it lost is told by the first one, which hears it first
            self._drop(link, "has given up")
        else:
            self._drop(link, "has ended its program", calls)

    def _on_hello(self, link: _Link, place: int, addresses: list[str]) -> None:
        fault = ""
        if addresses != self._addresses:
            fault = f"it knows the workers {addresses}, but worker 0 knows {self._addresses}"
        elif place in self._arrived:
            fault = "there is one with this index already"
        if fault:
            link.send("no", f"worker {place} was refused: {fault}")
            self._refused.append(f"one that came as worker {place} was refused: {fault}")
            self._drop(link, "")
            return
        link.place = place
        self._links[place] = link
        self._arrived.add(place)
        self._send_all("there", sorted(self._arrived))

    def _on_there(self, _: _Link, places: list[int]) -> None:
        self._arrived = {*places, self.index}

    def _on_no(self, _: _Link, text: str) -> None:
        self._fault = text

    def _on_here(self, link: _Link, where: str) -> None:
        assert link.place is not None
        self._note(where, link.place, None)

    def _on_go(self, _: _Link, where: str, brought: Any) -> None:
        self._passed[where] = brought

    def _note(self, where: str, place: int, brings: Any) -> None:
        there = self._waiting.setdefault(where, {})
        there[place] = brings
        if len(there) == self.count:
            del self._waiting[where]
            self._passed[where] = there[0]
            self._send_all("go", where, there[0])
            self._changed.notify_all()
