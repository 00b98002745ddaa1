"""Processes that meet, agree and part."""

import socket
import threading

import pytest
from clocks import Clock
from free_ports import free_port

import gradtape as tf
from gradtape._src.distribute import connections, membership
from gradtape._src.distribute.membership import Members

pytestmark = pytest.mark.slow

Unavailable = tf.errors.UnavailableError
pytest.importorskip("jax")


# How they hear of one another needs no process of its own.


def members(count=3, patience=60.0, addresses_of=None, last_joined=None):
    """The members as several threads of this process; an exception replaces one that failed.

    `last_joined` is called when the last one has succeeded or failed.
    """
    port = free_port()
    addresses = [f"127.0.0.1:{port}"] + [f"127.0.0.1:{i}" for i in range(1, count)]
    found = {}

    def join(i):
        try:
            own = (addresses_of or {}).get(i, addresses)
            found[i] = Members(own, i, 60.0, patience, notice=0.05)
        except Exception as error:  # noqa: BLE001
            found[i] = error

    threads = [threading.Thread(target=join, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in reversed(threads):
        thread.join(100)
        if last_joined and thread is threads[-1]:
            last_joined()
    return [found[i] for i in range(count)]


@pytest.fixture
def clock(monkeypatch):
    """The clock of all members."""
    return Clock().of(monkeypatch, membership, connections)


def asked(several, call, *what):
    found = [None] * len(several)

    def ask(i, member, text):
        found[i] = member.agree(call, text, 60)

    threads = [
        threading.Thread(target=ask, args=(i, m, w))
        for i, (m, w) in enumerate(zip(several, what, strict=True))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(100)
    return found


def test_members_agree_and_part():
    before = threading.enumerate()
    first, second, third = members()
    for call in range(1, 300):
        assert asked([first, second, third], call, "a", "a", "a") == ["", "", ""]
    second.leave(300)
    assert third.agree(301, "a", 60) == (
        "worker 1 (127.0.0.1:1) has ended its program after call 300, and this is call 301"
    )
    third.leave(300, failed=True)
    assert "worker 1 (127.0.0.1:1) has ended its program after call 300" in first.agree(
        301, "a", 60
    )
    first.leave(300)
    first.leave(300)
    left = [thread for thread in threading.enumerate() if thread not in before]
    for thread in left:
        thread.join(60)
    assert not any(thread.is_alive() for thread in left)


def test_members_differ():
    found = asked(members(2), 1, "a", "b" * 5000)
    assert len(set(found)) == 1
    assert found[0].startswith("the workers' programs differ: worker 0 (127.0.0.1:")
    assert "asks for a and worker 1 (127.0.0.1:1) asks for bbb" in found[0]
    assert len(found[0]) < 500


def test_members_are_lost(clock):
    first, second, third = members()
    third._links[0].connection.shutdown(socket.SHUT_RDWR)  # as the system does for a dead process
    assert first.agree(1, "", 60) == "worker 2 (127.0.0.1:2) has died: its connection broke"
    assert second.agree(1, "", 60) == "worker 2 (127.0.0.1:2) has died: its connection broke"
    first, second = members(2)
    first.leave(0, failed=True)
    assert "has given up" in second.agree(1, "", 60)
    first, second = members(2)
    with second._changed:  # the thread that tells of it stands still
        while not (said := first.trouble(1)):  # what it has sent before may still arrive
            clock.passes(61)
            threading.Event().wait(0.01)
    assert "worker 1 (127.0.0.1:1) has been silent for" in said
    assert "worker 0 (127.0.0.1:" in second.agree(1, "", 60)  # each has given up the other


def test_members_do_not_meet(clock):
    first, second = members(2, addresses_of={1: ["127.0.0.1:9", "b:2"]}, patience=0.5)
    assert "worker 1 (127.0.0.1:1) did not arrive within 0 s" in str(first)
    assert "worker 0 (127.0.0.1:9) could not be reached" in str(second)
    port = free_port()
    here = [f"127.0.0.1:{port}", "b:2"]
    first, second = members(
        2, addresses_of={0: here, 1: [*here, "c:3"]}, last_joined=lambda: clock.passes(60)
    )
    assert type(first) is Unavailable
    assert (
        f"a process that connected as worker 1 was refused: it knows the workers {[*here, 'c:3']}"
        in str(first)
    )
    assert type(second) is ValueError
    with socket.create_server(("127.0.0.1", port)), pytest.raises(Unavailable, match="its port"):
        Members([f"127.0.0.1:{port}", "b:2"], 0, 5, 0.5)


def test_strangers_are_no_members(monkeypatch):
    port, open_for_them = free_port(), threading.Event()

    def listening(*arguments):
        servers = connections.listening(*arguments)
        open_for_them.set()
        return servers

    monkeypatch.setattr(membership, "listening", listening)
    addresses = [f"127.0.0.1:{port}", "b:2"]
    found = []
    thread = threading.Thread(target=lambda: found.append(Members(addresses, 0, 60, 60)))
    thread.start()
    assert open_for_them.wait(60)
    for said in (
        b"GET / HTTP/1.1\r\n\r\n",
        b'["agreed", 9]\n',
        b"7\n",
        b'["hello", 7, null]\n',
        b"",
    ):
        with socket.create_connection(("127.0.0.1", port)) as stranger:
            stranger.sendall(said)
    second = Members(addresses, 1, 60, 60)
    thread.join(60)
    assert asked([found[0], second], 1, "a", "a") == ["", ""]
    found[0].leave(1)
    second.leave(1)
