"""Findings of mypy and pyright in programs: no false error, and no mistake overlooked."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PROGRAMS = sorted((HERE / "programs").glob("*.py"))
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
MISTAKES = (HERE / "mistakes.py").read_text(encoding="utf-8").splitlines()
PLANTED = [i for i, line in enumerate(MISTAKES, 1) if "# mistake" in line]
REVEALED = re.findall(
    r"^reveal_type\((.*)\)  # (.*)$",
    (HERE / "revealed.py").read_text(encoding="utf-8"),
    re.MULTILINE,
)
NAMES = {"EagerTensor": "Tensor", "ResourceVariable": "Variable", "_UnreadVariable": "Variable"}
KERAS = importlib.util.find_spec("keras") is not None


def blocks_of_the_readme():
    """The README's Python, with the marked line that is to fail taken out."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = "\n".join(re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    return blocks.replace("    tf.distribute_everything\n", "    pass\n")


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """A directory with all that is checked; `import tensorflow` is gradtape there."""
    place = tmp_path_factory.mktemp("sources")
    shutil.copytree(HERE / "programs", place / "programs")
    (place / "examples").mkdir()
    for path in EXAMPLES:
        text = path.read_text(encoding="utf-8").replace(
            "import tensorflow as", "import gradtape as"
        )
        (place / "examples" / path.name).write_text(text, encoding="utf-8")
    readme = blocks_of_the_readme().replace("import tensorflow as tf  # gradtape\n", "")
    (place / "programs" / "readme.py").write_text(readme, encoding="utf-8")
    names = subprocess.run(
        [sys.executable, HERE / "every_name.py"], capture_output=True, text=True, check=True
    )
    (place / "names.py").write_text(names.stdout, encoding="utf-8")
    for name in ("mistakes.py", "revealed.py"):
        shutil.copy(HERE / name, place / name)
    return place


def by_mypy(sources, *arguments):
    """The (file, line, kind, message) of each of mypy's findings."""
    command = [sys.executable, "-m", "mypy", "--config-file=", "--ignore-missing-imports"]
    cache = ROOT / ".mypy_cache" / "programs"
    done = subprocess.run(
        [*command, f"--cache-dir={cache}", *arguments],
        cwd=sources,
        env={**os.environ, "MYPYPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    found = re.findall(r"^(\S+?):(\d+): (\w+): (.*)$", done.stdout, re.MULTILINE)
    return [(file, int(line), kind, message) for file, line, kind, message in found]


@pytest.fixture(scope="module")
def mypy(sources):
    pytest.importorskip("mypy")
    strict = by_mypy(sources, "--strict", "programs", "names.py", "mistakes.py", "revealed.py")
    return strict + by_mypy(sources, "--check-untyped-defs", "examples")


@pytest.fixture(scope="module")
def pyright(sources):
    """Pyright's findings; it needs Node.js, which its wheel downloads if necessary."""
    if importlib.util.find_spec("pyright") is None:
        pytest.skip("pyright is not installed")
    settings = {"extraPaths": [str(ROOT / "src")], "reportMissingModuleSource": False}
    (sources / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable]
    try:
        done = subprocess.run(
            [*command, "-p", "."], cwd=sources, capture_output=True, text=True, check=False
        )
        found = json.loads(done.stdout)["generalDiagnostics"]
    except (OSError, ValueError):
        pytest.skip("pyright has no Node.js to run on")
    return [
        (
            Path(d["file"]).relative_to(sources).as_posix(),
            d["range"]["start"]["line"] + 1,
            {"information": "note"}.get(d["severity"], d["severity"]),
            d["message"],
        )
        for d in found
    ]


@pytest.fixture(params=["mypy", "pyright"])
def findings(request):
    return request.getfixturevalue(request.param)


def test_there_are_many_names(sources):
    assert (sources / "names.py").read_text(encoding="utf-8").count("\n") > 1500


def test_there_is_no_false_error(findings):
    wrong = [f for f in findings if f[2] == "error" and f[0] != "mistakes.py"]
    assert wrong == []


def test_every_planted_mistake_is_found(findings):
    found = {line for file, line, kind, _ in findings if file == "mistakes.py" and kind == "error"}
    assert len(PLANTED) == 8
    assert found == set(PLANTED)


def test_types_are_as_revealed(findings):
    said = {
        line: re.findall(r'type.* is "(.*)"', message, re.IGNORECASE)[0]
        for file, line, kind, message in findings
        if file == "revealed.py" and kind == "note"
    }
    got = [re.sub(r"[\w.]+\.(?=\w)", "", said[line]) for line in sorted(said)]
    assert got == [kind for _, kind in REVEALED]
    assert len(got) == 24
    assert got.count("Any") <= 3


@pytest.mark.skipif(not KERAS, reason="Keras is not installed")
def test_types_are_as_revealed_when_the_program_runs():
    done = subprocess.run(
        [sys.executable, HERE / "revealed.py"], capture_output=True, text=True, check=True
    )
    got = re.findall(r"^Runtime type is '(\w+)'$", done.stderr, re.MULTILINE)
    expected = [kind.partition("[")[0] for _, kind in REVEALED]
    for name, want in zip(got, expected, strict=True):
        assert NAMES.get(name, name) == want or want == "Any" or name.endswith(want)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_runs(path):
    if path.stem == "keras_subclass" and not KERAS:
        pytest.skip("Keras is not installed")
    done = subprocess.run(
        [sys.executable, path], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
