"""Messages between processes: bounded lines of JSON that are checked before they are used."""

import socket
import threading
import time

import pytest
from free_ports import free_port

from gradtape._src.distribute import connections
from gradtape._src.distribute.connections import (
    Link,
    WrongMessageError,
    listening,
    proof,
    proves,
    read,
)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"no json",
        b"3",
        b"[]",
        b'["nonsense"]',
        b'["hello"]',
        b'{"a": 1}',
        b"[" * 5000,
        b"\xff",
    ],
)
def test_lines_that_no_process_of_ours_sends(line):
    with pytest.raises(WrongMessageError):
        read(line, connections.STRANGER)


def test_proofs_need_the_secret():
    given = proof("secret", "worker", 1, "a")
    assert proves(given, "secret", "worker", 1, "a")
    assert not proves(given, "other", "worker", 1, "a")
    assert not proves(given, "secret", "first", 1, "a")
    assert not proves(given, "secret", "worker", 2, "a")
    assert not proves("", "secret", "worker", 1, "a")
    assert proof("", "worker", 1) == ""
    assert proves("anything", "", "worker", 1)


@pytest.fixture
def pair():
    with socket.create_server(("127.0.0.1", 0)) as server:
        left = socket.create_connection(server.getsockname())
        right, _ = server.accept()
    yield left, right
    left.close()
    right.close()


def test_a_line_that_is_too_long(pair):
    left, right = pair
    link = Link(right)
    sender = threading.Thread(target=_fill, args=(left,), daemon=True)
    sender.start()
    with pytest.raises(WrongMessageError):
        _all_of(link)
    right.close()
    left.close()
    sender.join(60)
    assert not sender.is_alive()


def _all_of(link):
    while True:
        link.received()


def _fill(connection):
    try:
        for _ in range(10_000):
            connection.sendall(b"x" * 65536)
    except OSError:
        return


def test_closing_tells_the_other(pair):
    left, right = pair
    link = Link(right)
    Link(left).close(time.monotonic() + 1)
    with pytest.raises(OSError):
        _all_of(link)


def test_a_port_that_is_taken():
    port = free_port()
    with socket.create_server(("127.0.0.1", port)), pytest.raises(OSError, match="use"):
        listening("127.0.0.1", port, 1)
    for server in (servers := listening("127.0.0.1", port, 1)):
        server.close()
    assert servers
