"""For every connection to worker 0's port, the run continues or ends with a clear error."""

import contextlib
import json
import logging
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from clocks import Clock
from faults import peers
from free_ports import free_port

from gradtape._src.base.errors import UnavailableError as Unavailable
from gradtape._src.distribute import connections, membership
from gradtape._src.distribute.connections import FIRST, WORKER, Link, introduced, proof, proves
from gradtape._src.distribute.membership import Members

pytestmark = pytest.mark.slow


class Run:
    """Processes of a run, each made in a thread of its own when it is asked for."""

    def __init__(self, count=3):
        self.port = free_port()
        self.addresses = [f"127.0.0.1:{self.port}", *(f"127.0.0.1:{i}" for i in range(1, count))]
        self.threads, self.found = {}, {}

    def start(self, place, **options):
        def join():
            try:
                self.found[place] = Members(
                    self.addresses, place, 60, options.pop("patience", 60), **options
                )
            except (Unavailable, ValueError) as error:
                self.found[place] = error

        self.threads[place] = threading.Thread(target=join)
        self.threads[place].start()

    def joined(self):
        """Returns the outcomes of the started processes."""
        for thread in self.threads.values():
            thread.join(100)
        return [self.found[i] for i in sorted(self.found)]

    def agreed(self, call):
        """Returns the results of all processes for the same request."""
        several, heard = self.joined(), {}

        def ask(member):
            heard[member.index] = member.agree(call, "a sum", 60)

        threads = [threading.Thread(target=ask, args=(member,)) for member in several]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(100)
        return [heard[i] for i in sorted(heard)]

    def over(self):
        for member in self.joined():
            if isinstance(member, Members):
                member.leave(1)


@pytest.fixture
def run():
    made = Run()
    yield made
    made.over()


@pytest.fixture(autouse=True)
def _closed():
    yield
    peers.close_all()


@pytest.fixture
def clock(monkeypatch):
    """The clock of all processes of a run."""
    return Clock().of(monkeypatch, membership, connections)


def listens(run):
    """Waits until somebody listens."""
    for _ in range(1000):
        try:
            peers.connected(run.port).close()
        except ConnectionRefusedError:
            threading.Event().wait(0.01)
        else:
            return


@pytest.mark.parametrize("secret", ["", "s3cret"])
def test_strangers_disturb_nothing(run, secret):
    """Before the workers come, between them, and while they run."""
    run.start(0, secret=secret)
    listens(run)
    for peer in peers.STRANGERS.values():
        peer(run.port, run.addresses)
    run.start(1, secret=secret)
    for peer in peers.STRANGERS.values():
        peer(run.port, run.addresses)
    run.start(2, secret=secret)
    assert [type(member) for member in run.joined()] == [Members] * 3
    for call, peer in enumerate(peers.STRANGERS.values(), 1):
        peer(run.port, run.addresses)
        assert run.agreed(call) == ["", "", ""]
    peers.hello(2)(run.port, run.addresses)  # who is there already
    assert run.agreed(call + 1) == ["", "", ""]


@pytest.mark.parametrize("name", peers.STRANGERS)
def test_each_stranger_alone(name):
    run = Run(2)
    run.start(0)
    listens(run)
    peers.STRANGERS[name](run.port, run.addresses)
    run.start(1)
    assert [type(member) for member in run.joined()] == [Members] * 2
    assert run.agreed(1) == ["", ""]
    run.over()


@pytest.mark.parametrize("name", peers.IMPOSTORS)
def test_a_secret_keeps_impostors_out(name):
    run = Run(2)
    run.start(0, secret="s3cret")
    listens(run)
    peers.IMPOSTORS[name](run.port, run.addresses)
    run.start(1, secret="s3cret")
    assert [type(member) for member in run.joined()] == [Members] * 2
    assert run.agreed(1) == ["", ""]
    assert "does not know the secret" in run.found[0]._refused[0]
    run.over()


@pytest.mark.parametrize(("first", "second"), [("a", "b"), ("a", ""), ("", "b")])
def test_workers_with_different_secrets(first, second, clock):
    run = Run(2)
    run.start(0, secret=first, notice=0.05)
    run.start(1, secret=second)
    run.threads[1].join(100)
    clock.passes(60)
    zero, one = run.joined()
    assert isinstance(zero, Unavailable)
    assert isinstance(one, ValueError)
    assert "the secret that worker" in str(one)
    if first:
        assert "does not know the secret" in str(zero)


@pytest.mark.parametrize("name", peers.LIARS)
def test_a_worker_that_lies_fails_the_run(name):
    run = Run(2)
    run.start(0)
    listens(run)
    link = peers.connected(run.port)
    introduced(link, 1, run.addresses, "", time.monotonic() + 60)
    link.setblocking(True)
    link.sendall(b'["here", "start"]\n' + peers.LIARS[name])
    (zero,) = run.joined()
    said = zero.agree(1, "a", 60) if isinstance(zero, Members) else str(zero)
    assert "worker 1 (127.0.0.1:1) was dropped: it sent " in said
    link.close()
    run.over()


def test_the_listening_thread_ends_and_the_run_fails(run, monkeypatch):
    for place in range(3):
        run.start(place)
    first, second, third = run.joined()

    def broken(*_):
        raise MemoryError("no more")

    monkeypatch.setattr(first, "_hear", broken)
    heard = run.agreed(1)
    assert "worker 0 can't receive messages any more" in heard[0]
    assert "MemoryError: no more" in heard[0]
    assert all("worker 0" in each for each in heard[1:])
    assert second._broken == third._broken == ""


def test_who_waits_says_for_whom():
    run = Run(3)
    said, complete = [], threading.Event()

    class Heard(logging.Handler):
        def emit(self, record):
            said.append(record.getMessage())
            if all(any(who in each for each in said) for who in ("worker 0 of 3", "worker 2 of 3")):
                complete.set()

    handler = Heard()
    logging.getLogger("tensorflow").addHandler(handler)
    try:
        run.start(0, notice=0.05)
        run.start(2, notice=0.05)
        assert complete.wait(60)
        run.start(1)
        assert [type(member) for member in run.joined()] == [Members] * 3
    finally:
        logging.getLogger("tensorflow").removeHandler(handler)
        run.over()
    assert any("waits for worker 1 (127.0.0.1:1)" in each for each in said)


def test_who_cannot_reach_the_first_one_says_so(caplog, clock):
    run = Run(2)
    run.start(1, notice=0.01)
    while "worker 1 of 2 waits for worker 0 (127.0.0.1:" not in caplog.text:
        assert run.threads[1].is_alive()
        run.threads[1].join(0.01)
    clock.passes(60)
    (one,) = run.joined()
    assert "could not be reached" in str(one)


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        b"[" * 60_000 + b"\n",
        b"a" * 100_000,
        b'["there", [0]]\n',
        b'["welcome", ""]\n',
        b"",
    ],
)
def test_what_answers_is_no_first_worker(answer):
    """Another program has the port of worker 0: the error says what is wrong with it."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        over = threading.Event()

        def serve():
            server.settimeout(0.05)
            while not over.is_set():
                try:
                    connection = server.accept()[0]
                except TimeoutError:
                    continue
                with connection, contextlib.suppress(OSError):  # it may have gone by now
                    connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            with pytest.raises(Unavailable, match="could not be reached"):
                Members([f"127.0.0.1:{port}", "b:2"], 1, 5, 0.3)
        finally:
            over.set()
            thread.join()


def test_only_the_named_address_is_bound(run):
    for place in range(3):
        run.start(place)
    first = run.joined()[0]
    assert [server.getsockname()[0] for server in first._servers] == ["127.0.0.1"]


def test_an_address_that_is_not_here_is_an_error():
    with pytest.raises(Unavailable, match="GRADTAPE_BIND_ADDRESS"):
        Members([f"192.0.2.1:{free_port()}", "b:2"], 0, 5, 0.3)
    bound = Run(2)
    bound.addresses[0] = f"192.0.2.1:{bound.port}"
    bound.start(0, bind="127.0.0.1", patience=0.3)
    (zero,) = bound.joined()
    assert "worker 1 (127.0.0.1:1) did not arrive" in str(zero)


def test_a_slow_stranger_is_dropped(run, monkeypatch):
    monkeypatch.setattr("gradtape._src.distribute.membership._GREETING", 0.2)
    for place in range(3):
        run.start(place)
    run.joined()
    slow = peers.connected(run.port)
    peers.line(slow)
    with contextlib.suppress(ConnectionError):  # it may have been dropped before it sent anything
        slow.sendall(b'["hel')
        assert slow.recv(1) == b""  # dropped; a timeout of the socket would raise
    assert run.agreed(1) == ["", "", ""]


def test_a_peer_that_never_reads_is_lost_whole():
    """A line that goes out in part would garble all that follow it."""
    here, there = _tcp()
    link = Link(here, WORKER)
    for _ in range(2000):
        link.send("clash", "x" * 60_000)
    there.settimeout(60)
    got = b""
    while data := there.recv(1 << 20):
        got += data
    whole = got.split(b"\n")[:-1]
    assert all(json.loads(line)[0] == "clash" for line in whole)
    there.close()
    here.close()


def _tcp():
    with socket.create_server(("127.0.0.1", 0)) as server:
        there = socket.create_connection(server.getsockname())
        return server.accept()[0], there


def test_proofs():
    said = ("a", "b", 1, ["x"])
    right = proof("s", WORKER, *said)
    assert proves(right, "s", WORKER, *said)
    assert not proves(right, "t", WORKER, *said)
    assert not proves(right, "s", FIRST, *said)  # nobody can send back what he was sent
    assert not proves(right, "s", WORKER, "a", "b", 2, ["x"])
    assert proof("", WORKER, *said) == ""


@pytest.mark.skipif(not Path("/proc/self/net/tcp").exists(), reason="Linux tells who listens")
def test_nothing_of_a_run_waits_at_other_addresses():
    """Neither JAX's coordinator nor the connections of sums, while all of them are there."""
    pytest.importorskip("jax")
    program = str(Path(__file__).with_name("bound.py"))
    port = free_port()
    environment = {**os.environ, "JAX_PLATFORMS": "cpu", "OPENBLAS_NUM_THREADS": "1"}
    workers = [
        subprocess.Popen(
            [sys.executable, program, str(index), str(port)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**environment, "GRADTAPE_CLUSTER_SECRET": "s3cret"},
        )
        for index in range(2)
    ]
    try:
        for worker in workers:
            out, err = worker.communicate(timeout=300)
            assert worker.returncode == 0, err
            found = json.loads(out.strip().splitlines()[-1])
            assert found["total"] == [2.0, 4.0]
            assert found["addresses"]
            assert {a.removeprefix("::ffff:") for a in found["addresses"]} == {"127.0.0.1"}
    finally:
        for worker in workers:
            worker.kill()
            worker.communicate()
