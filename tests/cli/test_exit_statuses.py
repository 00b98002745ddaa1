"""The exit statuses of `gradtape doctor`, for each form of report and each kind of finding."""

import shlex
import subprocess
from pathlib import Path

import pytest
import yaml

from gradtape._src.cli.codes import CODES, ERROR, FORMATS

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
START = "import numpy as np\nimport tensorflow as tf\n"
PROGRAMS = {
    "clean": "tf.abs(1)\n",
    "lacking": "tf.nothing_1\n",
    "trap": "tf.reduce_sum = sum\n",
    "broken": "def f(:\n",
}
STATUSES = {"clean": (0, 0), "lacking": (1, 1), "trap": (0, 1), "broken": (2, 2)}
WATCHED = "x = tf.Variable([1.0])\nwith tf.GradientTape() as t:\n  y = {}\nt.gradient(y, x)\n"
OF_CODES = {
    "GT001": None,  # every name of TensorFlow has a reason, or is there
    "GT002": "tf.nothing_1\n",
    "GT003": "import tensorflow.python.framework.nothing\n",
    "GT004": None,  # all extras are installed where tests run
    "GT005": "tf.lite.Interpreter\n",
    "GT006": "tf.constant(1.0).sum()\n",
    "GT007": "tf.reduce_sum([1], axes=0)\n",
    "GT101": "x = tf.constant(1.0)\nwith tf.GradientTape() as t:\n  y = x * x\nt.gradient(y, x)\n",
    "GT102": "x = tf.Variable(1)\nwith tf.GradientTape() as t:\n  y = x * x\nt.gradient(y, x)\n",
    "GT103": WATCHED.format("x * x") + "t.gradient(y, x)\n",
    "GT104": WATCHED.format("x * x").replace("t.gradient(y, x)", "x = x - t.gradient(y, x)"),
    "GT105": WATCHED.format("np.sin(x)"),
    "GT106": "tf.reduce_sum = sum\n",
}


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("kind", PROGRAMS)
def test_each_form(gradtape, script, form, kind):
    path = script(START + PROGRAMS[kind])
    plain = gradtape("doctor", "--format", form, path).returncode
    strict = gradtape("doctor", "--format", form, "--strict", path).returncode
    assert (plain, strict) == STATUSES[kind]


def test_each_code_has_a_program():
    assert list(OF_CODES) == [code.code for code in CODES]


@pytest.mark.parametrize("code", [c for c in CODES if OF_CODES[c.code]], ids=lambda c: c.code)
def test_each_code(gradtape, script, code):
    path = script(START + OF_CODES[code.code])
    result = gradtape("doctor", "--format", "concise", path)
    assert f" {code.code} " in result.stdout
    assert result.returncode == (1 if code.level == ERROR else 0)
    assert gradtape("doctor", "--strict", path).returncode == 1


def test_a_broken_file_counts_more_than_a_lacking_name(gradtape, script):
    broken = script(PROGRAMS["broken"], "broken.py")
    lacking = script(START + PROGRAMS["lacking"], "lacking.py")
    assert gradtape("doctor", broken, lacking).returncode == 2


@pytest.fixture
def commit(tmp_path, monkeypatch):
    """Runs the hook in a repository as pre-commit does: with the staged programs as arguments."""
    monkeypatch.chdir(tmp_path)

    def git(*words):
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    git("init", "-q")
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert set(hook["types_or"]) == {"python", "jupyter"}

    def run(gradtape):
        names = git("diff", "--cached", "--name-only", "--diff-filter=ACMR").split()
        programs = [name for name in names if name.endswith((".py", ".ipynb"))]
        name, *words = shlex.split(hook["entry"])
        assert name == "gradtape"
        return gradtape(*words, *programs)

    return git, run


def test_the_hook_looks_at_staged_programs(commit, gradtape, script, notebook):
    git, run = commit
    script(START + PROGRAMS["clean"], "good.py")
    script("tf.nothing_1", "notes.txt")
    notebook("import tensorflow as tf", "tf.abs(1)")
    git("add", ".")
    assert run(gradtape).returncode == 0
    script(START + PROGRAMS["lacking"], "bad.py")
    assert run(gradtape).returncode == 0  # it is not staged
    git("add", "bad.py")
    result = run(gradtape)
    assert result.returncode == 1
    assert result.stdout.splitlines()[-1].startswith("bad.py:3:1: GT002 tf.nothing_1")
