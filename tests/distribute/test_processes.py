"""Several processes: what they make together, and what becomes of one that loses another."""

import pytest
from free_ports import free_port
from runs import answer, same
from steps import trained

import gradtape as tf

pytest.importorskip("jax")

pytestmark = pytest.mark.slow


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
    assert found["waited"] < 30, "as long as a process may be silent by default"
    assert found["step"] == 2
    assert workers[0].wait(60) == -9
    goes_on(tmp_path / "1", alone)
    for worker in run():
        same(answer(worker), {**alone, "losses": alone["losses"][3:]})


@pytest.mark.parametrize(
    ("who", "fate", "said", "status"),
    [
        (1, "SIGSTOP", "worker 1 (127.0.0.1:{1}) has been silent for ", None),
        (0, "raise", "worker 0 (127.0.0.1:{0}) has ended its program after call", 1),
        (1, "exit", "worker 1 (127.0.0.1:{1}) has ended its program after call", 0),
        (1, "shape", "programs differ: worker 0 (127.0.0.1:{0}) asks for a sum of float32[]", 0),
    ],
)
def test_a_worker_is_lost(alone, tmp_path, started, who, fate, said, status):
    port = free_port()
    beats = {"GRADTAPE_HEARTBEAT_SECONDS": "3"} if fate == "SIGSTOP" else {}
    workers = [started(1, "eager", i, 2, port, tmp_path, who, fate, **beats) for i in range(2)]
    found = answer(workers[1 - who])
    assert said.format(port, port + 1) in found["error"]
    assert found["waited"] < 30, "as long as a process may be silent by default"
    assert found["step"] == 2
    goes_on(tmp_path / str(1 - who), alone)
    if status is not None:
        assert workers[who].wait(60) == status
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
        assert f"worker 1 (127.0.0.1:{port + 1}) did not arrive" in answer(worker)["error"]
