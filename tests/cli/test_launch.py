"""`gradtape launch`: the workers' environment, output and exit statuses, and restarts."""

import json
import subprocess
import sys
import textwrap

import pytest

from gradtape._src.cli.launch import Launch, launch
from gradtape._src.cli.program import CommandError


@pytest.fixture
def launched(tmp_path, capfd):
    """Returns the exit status, the lines of output, and the notes of a launched program."""
    file = tmp_path / "program.py"

    def launched(source, **options):
        head = "import json, os, signal, sys, time\n"
        head += "index = json.loads(os.environ['TF_CONFIG'])['task']['index']\n"
        head += "restarts = int(os.environ['GRADTAPE_RESTARTS'])\n"
        file.write_text(head + textwrap.dedent(source))
        status = launch(Launch(str(file), **options))
        out, err = capfd.readouterr()
        return status, sorted(out.splitlines()), err

    return launched


def test_each_worker_has_its_place_in_the_cluster(launched):
    status, lines, notes = launched(
        "print(json.dumps([os.environ['TF_CONFIG'], os.environ['GRADTAPE_CLUSTER_SECRET'],"
        " sys.argv[1:]]))",
        workers=3,
        args=("a", "b"),
    )
    assert (status, notes) == (0, "")
    found = [json.loads(line.removeprefix(f"[{i}] ")) for i, line in enumerate(lines)]
    configs = [json.loads(config) for config, _, _ in found]
    assert [c["task"] for c in configs] == [{"type": "worker", "index": i} for i in range(3)]
    addresses = configs[0]["cluster"]["worker"]
    assert len(set(addresses)) == 3
    assert all(c["cluster"] == {"worker": addresses} for c in configs)
    assert len({secret for _, secret, _ in found}) == 1
    assert all(args == ["a", "b"] for _, _, args in found)


@pytest.mark.slow
def test_all_start_again_after_a_loss(launched):
    status, lines, notes = launched(
        """
        print("start", restarts)
        if restarts < 2 and index == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        """,
        restarts=3,
    )
    assert status == 0
    assert lines == [f"[{i}] start {n}" for i in range(2) for n in range(3)]
    assert "worker 1 was ended by SIGKILL; starting all workers again (restart 2 of 3)" in notes


@pytest.mark.parametrize(
    ("end", "status", "note"),
    [
        ("sys.exit(7)", 7, "worker 1 ended with status 7"),
        ("raise ValueError('wrong')", 1, "ValueError: wrong"),
        ("os.kill(os.getpid(), signal.SIGTERM)", 128 + 15, "worker 1 was ended by SIGTERM"),
    ],
)
def test_the_status_is_that_of_the_worker_that_was_lost_first(launched, end, status, note):
    found, _, notes = launched(
        f"""
        if index == 1:
            {end}
        time.sleep(60)  # until the launcher ends it
        """,
        grace=0.0,
    )
    assert found == status
    assert note in " ".join(notes.split())


def test_quiet(launched):
    assert launched("sys.exit(index)", quiet=True)[2] == ""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"file": "nowhere.py"}, "there is no file nowhere.py"),
        ({"workers": 0}, "--workers must be at least 1, got 0"),
        ({"restarts": -1}, "--restarts must be at least 0, got -1"),
        ({"grace": float("nan")}, "--grace must be at least 0, got nan"),
    ],
)
def test_wrong_arguments(options, message):
    with pytest.raises(CommandError, match=message):
        launch(Launch(**{"file": __file__, **options}))


def test_the_command(tmp_path):
    file = tmp_path / "program.py"
    file.write_text("import tensorflow as tf, sys\nprint(tf.__name__, sys.argv[1:])")
    ran = subprocess.run(
        [sys.executable, "-m", "gradtape", "launch", "-n", "1", str(file), "--steps", "3"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout == "[0] gradtape ['--steps', '3']\n"
