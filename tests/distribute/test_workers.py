"""Several processes: what they make together, and what becomes of one that loses another."""

import socket
import threading
import time

import pytest
from runs import answer, free_port, same
from steps import trained

import gradtape as tf
from gradtape._src.distribute.membership import Members

Unavailable = tf.errors.UnavailableError
pytest.importorskip("jax")


def goes_on(folder, alone):
    """The last checkpoint, restored on one device, ends as if nothing had happened."""
    one = tf.distribute.get_strategy()
    found = trained(tf, one, jit=False, saved=str(folder / "2"))
    same(found, {**alone, "losses": alone["losses"][3:]})


def test_the_first_worker_is_killed_and_all_start_again(alone, tmp_path, started):
    port = free_port()
    run = lambda *fate: [started(1, "jit", i, 2, port, tmp_path, *fate) for i in range(2)]  # noqa: E731
    workers = run(0, "SIGKILL")
    found = answer(workers[1])
    assert f"worker 0 (127.0.0.1:{port}) has died" in found["error"]
    assert "Start all workers again" in found["error"]
    assert found["waited"] < 10
    assert found["step"] == 2
    assert workers[0].wait(10) == -9
    goes_on(tmp_path / "1", alone)
    for worker in run():
        same(answer(worker), {**alone, "losses": alone["losses"][3:]})


@pytest.mark.parametrize(
    ("who", "fate", "said", "status"),
    [
        (1, "SIGSTOP", "worker 1 (127.0.0.1:{1}) has been silent for 2 s", None),
        (0, "raise", "worker 0 (127.0.0.1:{0}) has ended its program after call", 1),
        (1, "exit", "worker 1 (127.0.0.1:{1}) has ended its program after call", 0),
        (1, "shape", "programs differ: worker 0 (127.0.0.1:{0}) asks for a sum of float32[]", 0),
    ],
)
def test_a_worker_is_lost(alone, tmp_path, started, who, fate, said, status):
    port = free_port()
    beats = {"GRADTAPE_HEARTBEAT_SECONDS": "2"}
    workers = [started(1, "eager", i, 2, port, tmp_path, who, fate, **beats) for i in range(2)]
    found = answer(workers[1 - who])
    assert said.format(port, port + 1) in found["error"]
    assert found["waited"] < 10
    assert found["step"] == 2
    goes_on(tmp_path / str(1 - who), alone)
    if status is not None:
        assert workers[who].wait(20) == status
    if fate == "raise":
        assert "a fault of this worker's own" in workers[who].stderr.read()
    if fate == "shape":
        assert (
            answer(workers[who])["error"].partition(" This is")[0]
            == (found["error"].partition(" This is")[0])
        )


def test_a_worker_never_starts(tmp_path, started):
    port = free_port()
    here, there = (started(1, "eager", i, 3, port, tmp_path, 0, "never") for i in (0, 2))
    for worker in (here, there):
        assert f"worker 1 (127.0.0.1:{port + 1}) did not come" in answer(worker)["error"]


# How they hear of one another needs no process of its own.


def members(count=3, silence=5.0, patience=5.0, told=None):
    """The members as several threads of this process; an exception in the place of one."""
    port = free_port()
    addresses = [f"127.0.0.1:{port}"] + [f"127.0.0.1:{i}" for i in range(1, count)]
    found = {}

    def join(i):
        try:
            found[i] = Members((told or {}).get(i, addresses), i, silence, patience)
        except Exception as error:  # noqa: BLE001
            found[i] = error

    threads = [threading.Thread(target=join, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    return [found[i] for i in range(count)]


def asked(several, call, *what):
    found = [None] * len(several)

    def ask(i, member, text):
        found[i] = member.agree(call, text, 5)

    threads = [
        threading.Thread(target=ask, args=(i, m, w))
        for i, (m, w) in enumerate(zip(several, what, strict=True))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    return found


def test_members_agree_and_part():
    before = threading.active_count()
    first, second, third = members()
    for call in range(1, 300):
        assert asked([first, second, third], call, "a", "a", "a") == ["", "", ""]
    second.leave(300)
    assert third.agree(301, "a", 5) == (
        "worker 1 (127.0.0.1:1) has ended its program after call 300, and this is call 301"
    )
    third.leave(300, failed=True)
    assert "worker 1 (127.0.0.1:1) has ended its program after call 300" in first.agree(301, "a", 5)
    first.leave(300)
    first.leave(300)
    until = time.monotonic() + 5
    while threading.active_count() > before and time.monotonic() < until:
        time.sleep(0.05)
    assert threading.active_count() == before


def test_members_differ():
    found = asked(members(2), 1, "a", "b" * 5000)
    assert len(set(found)) == 1
    assert found[0].startswith("the workers' programs differ: worker 0 (127.0.0.1:")
    assert "asks for a and worker 1 (127.0.0.1:1) asks for bbb" in found[0]
    assert len(found[0]) < 500


def test_members_are_lost():
    first, second, third = members()
    third._links[0].connection.shutdown(socket.SHUT_RDWR)  # as the system does for a dead process
    assert first.agree(1, "", 5) == "worker 2 (127.0.0.1:2) has died: its connection broke"
    assert second.agree(1, "", 5) == "worker 2 (127.0.0.1:2) has died: its connection broke"
    first, second = members(2)
    first.leave(0, failed=True)
    assert "has given up" in second.agree(1, "", 5)
    first, second = members(2, silence=0.5)
    second._changed.acquire()  # the thread that tells of it stands still
    assert "worker 1 (127.0.0.1:1) has been silent for" in first.agree(1, "", 5)
    second._changed.release()
    assert "worker 0 (127.0.0.1:" in second.agree(1, "", 5)  # each has given up the other


def test_members_do_not_meet():
    first, second = members(2, told={1: ["127.0.0.1:9", "b:2"]}, patience=0.5)
    assert "worker 1 (127.0.0.1:1) did not come within 0 s" in str(first)
    assert "worker 0 (127.0.0.1:9) could not be reached" in str(second)
    port = free_port()
    here = [f"127.0.0.1:{port}", "b:2"]
    first, second = members(2, told={0: here, 1: [*here, "c:3"]}, patience=0.5)
    assert type(first) is Unavailable
    assert f"one that came as worker 1 was refused: it knows the workers {[*here, 'c:3']}" in str(
        first
    )
    assert type(second) is ValueError
    with socket.create_server(("127.0.0.1", port)), pytest.raises(Unavailable, match="its port"):
        Members([f"127.0.0.1:{port}", "b:2"], 0, 5, 0.5)


def test_strangers_are_no_members():
    port = free_port()
    addresses = [f"127.0.0.1:{port}", "b:2"]
    found = []
    thread = threading.Thread(target=lambda: found.append(Members(addresses, 0, 5, 10)))
    thread.start()
    for said in (
        b"GET / HTTP/1.1\r\n\r\n",
        b'["agreed", 9]\n',
        b"7\n",
        b'["hello", 7, null]\n',
        b"",
    ):
        time.sleep(0.05)
        with socket.create_connection(("127.0.0.1", port)) as stranger:
            stranger.sendall(said)
    second = Members(addresses, 1, 5, 10)
    thread.join(10)
    assert asked([found[0], second], 1, "a", "a") == ["", ""]
    found[0].leave(1)
    second.leave(1)
