"""Connections between processes: bounded lines of JSON, which are checked before they are used.

Anyone who reaches the port can connect to it. So lines have a maximum length, and messages a fixed
form. A process that has not identified itself (a "stranger") may send only "hello". If a secret is
set, both sides prove that they have it without sending it, by HMAC-SHA256 over a random number of
the other side.
"""

from __future__ import annotations

import contextlib
import errno
import hmac
import json
import re
import secrets
import socket
import time
from collections.abc import Callable, Sequence
from typing import Any

LONGEST_GREETING = 1 << 16  # the maximum number of bytes of a line from an unidentified sender
_LONGEST = 1 << 20  # the maximum number of bytes of a line; a worker never sends more
_LONGEST_TEXT = 1 << 16
_LONGEST_PLACE = 1 << 10  # the maximum number of characters of a meeting point's name or a proof
# JSON can contain single surrogates, which are not valid text.
_LONE = re.compile("[\ud800-\udfff]")
_GREETING = 5.0  # the seconds in which a greeting's first line must arrive


class WrongMessageError(ValueError):
    """A line that does not come from a process of gradtape."""


class RefusedError(ValueError):
    """The first process rejected this one, or could not prove that it knows the secret."""


def _number(x: Any) -> bool:
    return type(x) is int and 0 <= x < 1 << 63


def _number_or_none(x: Any) -> bool:
    return x is None or _number(x)


def _flag(x: Any) -> bool:
    return type(x) is bool


def _text(x: Any) -> bool:
    return type(x) is str and len(x) <= _LONGEST_TEXT and not _LONE.search(x)


def _short(x: Any) -> bool:
    return type(x) is str and len(x) <= _LONGEST_PLACE and not _LONE.search(x)


def _texts(x: Any) -> bool:
    return type(x) is list and all(map(_short, x))


def _numbers(x: Any) -> bool:
    return type(x) is list and all(map(_number, x))


STRANGER, HOST, WORKER, FIRST = "stranger", "host", "worker", "first worker"
_FORMS: dict[str, tuple[tuple[str, ...], tuple[Callable[[Any], bool], ...]]] = {
    "challenge": ((HOST,), (_short,)),
    "hello": ((STRANGER,), (_number, _texts, _short, _short)),
    "welcome": ((HOST,), (_short,)),
    "no": ((HOST,), (_text,)),
    "beat": ((WORKER, FIRST), ()),
    "ask": ((WORKER,), (_number, _number, _text)),
    "here": ((WORKER,), (_short,)),
    "lost": ((WORKER, FIRST), (_number, _text, _number_or_none)),
    "bye": ((WORKER, FIRST), (_number, _flag)),
    "there": ((FIRST,), (_numbers,)),
    "agreed": ((FIRST,), (_number,)),
    "clash": ((FIRST,), (_text,)),
    "go": ((FIRST,), (_short, _number_or_none)),
}
"""The allowed senders of each kind of message, and the checks of its parts."""


def read(line: bytes, role: str) -> list[Any]:
    """Returns a line as a message: its kind and its parts.

    Args:
      line: The received bytes.
      role: The role of the sender: STRANGER, which may introduce itself; HOST, which answers
        introductions; WORKER; or FIRST.

    Raises:
      WrongMessageError: `line` is not a message that such a sender sends.
    """
    try:
        message: Any = json.loads(line)
    except (ValueError, RecursionError, MemoryError):
        raise WrongMessageError(f"the message is not JSON: {line[:40]!r}") from None
    kind = message[0] if type(message) is list and message else None
    roles, parts = _FORMS.get(kind, ((), ())) if type(kind) is str else ((), ())
    if role not in roles:
        raise WrongMessageError(f"a {role} must not send this message: {line[:40]!r}")
    assert type(message) is list  # any other message has no kind
    if len(message) != len(parts) + 1 or not all(
        fits(part) for fits, part in zip(parts, message[1:], strict=True)
    ):
        raise WrongMessageError(f"a message {kind!r} that is not formed correctly: {line[:40]!r}")
    return message


class Link:
    """A connection to another process.

    Args:
      connection: The connected socket.
      role: The role of the other process.

    Attributes:
      place: The index of the process; None until it has introduced itself.
      role: The role of the other process: STRANGER until it has introduced itself.
      at: The time of its last message; for a stranger, of the connection.
      nonce: The random number from which a stranger's proof must be computed.
    """

    def __init__(self, connection: socket.socket, role: str = STRANGER) -> None:
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.connection = connection
        self.place: int | None = None
        self.role = role
        self.at = time.monotonic()
        self.nonce = secrets.token_hex(16)
        self._rest = b""

    def send(self, *message: Any) -> None:
        """Sends a message, which is lost if the connection is lost."""
        try:
            self.connection.sendall(_line(message))
        except OSError:  # a part of the line may have been sent, so that the connection is unusable
            with contextlib.suppress(OSError):
                self.connection.shutdown(socket.SHUT_RDWR)

    def received(self) -> list[bytes]:
        """Returns the received lines.

        Raises:
          OSError: The connection is closed or broken.
          WrongMessageError: The line is longer than any that a process sends.
        """
        try:
            data = self.connection.recv(1 << 16)
        except BlockingIOError:
            return []
        if not data:
            raise ConnectionError("its connection broke")
        *lines, self._rest = (self._rest + data).split(b"\n")
        most = LONGEST_GREETING if self.role is STRANGER else _LONGEST
        if max(map(len, (*lines, self._rest))) > most:
            raise WrongMessageError(f"a message has more than {most} bytes")
        if self.role is not STRANGER:
            self.at = time.monotonic()
        return lines

    def close(self, until: float) -> None:
        """Closes the connection once the other process has read everything, or at a deadline."""
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_WR)
            self.connection.settimeout(max(0.01, until - time.monotonic()))
            while self.connection.recv(1 << 16) and time.monotonic() < until:
                pass
        self.connection.close()


def _line(message: Sequence[Any]) -> bytes:
    return json.dumps(message).encode() + b"\n"


def listening(host: str, port: int, backlog: int) -> list[socket.socket]:
    """Opens sockets that listen only at the addresses of a host.

    Raises:
      OSError: Another program uses the port, or no address of the host belongs to this machine.
    """
    asked = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    servers: list[socket.socket] = []
    unusable: OSError | None = None
    for family, address in dict.fromkeys((one[0], one[4]) for one in asked):
        try:
            server = socket.create_server(address, family=family, backlog=backlog)
        except OSError as error:
            if error.errno not in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT):
                for other in servers:
                    other.close()
                raise
            unusable = error
        else:
            server.setblocking(False)
            servers.append(server)
    if not servers:
        raise unusable or OSError(f"{host!r} has no address")
    return servers


# The introduction of a process to the first one.


def proof(secret: str, role: str, *said: Any) -> str:
    """Returns the bytes by which a sender shows that it knows a secret; empty without a secret.

    Args:
      secret: The secret.
      role: The sender's role, so that a received proof can't be sent back.
      *said: The random numbers of both sides, and the sender's claims.
    """
    if not secret:
        return ""
    return hmac.new(secret.encode(), _line([role, *said]), "sha256").hexdigest()


def proves(given: str, secret: str, role: str, *said: Any) -> bool:
    """Whether a proof is valid. Without a secret, any proof is valid."""
    expected = proof(secret, role, *said)
    return not secret or hmac.compare_digest(given.encode(), expected.encode())


def introduced(
    connection: socket.socket, place: int, addresses: Sequence[str], secret: str, until: float
) -> Link:
    """Connects to the first process, which must accept this one.

    Raises:
      RefusedError: The first process rejected this one, or does not know the secret.
      OSError: The other side is not a first process, or has closed the connection.
    """
    try:
        challenge = _next(connection, min(until, time.monotonic() + _GREETING), "challenge")
        nonce = secrets.token_hex(16)
        said = (challenge[1], nonce, place, list(addresses))
        connection.sendall(
            _line(["hello", place, list(addresses), nonce, proof(secret, WORKER, *said)])
        )
        answer = _next(connection, until, "welcome", "no")
        if answer[0] == "no":
            raise RefusedError(answer[1])
        if not proves(answer[1], secret, FIRST, *said):
            raise RefusedError(f"worker 0 does not know the secret that worker {place} has")
    except WrongMessageError as error:
        raise ConnectionError(
            f"the program that answers there is not worker 0: it sent {error}"
        ) from None
    except TimeoutError:
        raise ConnectionError(
            "the program that answers there does not introduce itself as worker 0"
        ) from None
    link = Link(connection, FIRST)
    link.place = 0
    return link


def _next(connection: socket.socket, until: float, *kinds: str) -> list[Any]:
    """Returns the next line, and leaves the following bytes in the connection."""
    line = bytearray()
    while not line.endswith(b"\n"):
        connection.settimeout(max(0.01, until - time.monotonic()))
        byte = connection.recv(1)
        if not byte:
            raise ConnectionError("it closed the connection")
        line += byte
        if len(line) > LONGEST_GREETING:
            raise WrongMessageError("a message has no end of line")
        if time.monotonic() > until:
            raise TimeoutError
    message = read(bytes(line), HOST)
    if message[0] not in kinds:
        raise WrongMessageError(f"expected a message {' or '.join(kinds)}, got {message[0]!r}")
    return message
