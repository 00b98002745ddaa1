"""The formats of what `gradtape doctor` finds."""

import json
from pathlib import Path

import pytest

from gradtape._src.cli.codes import BY_CODE, CODES, PAGE

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]


@pytest.fixture
def folder(tmp_path, script, notebook):
    script("import tensorflow as tf\ntf.nothing_1\ntf.abs = abs\n", "one, two.py")
    script("import tensorflow as tf\ntf.constant(1)\n", "good.py")
    notebook("import tensorflow as tf", "tf.lite.Interpreter")
    return tmp_path


def test_the_summary_comes_first(gradtape, folder):
    result = gradtape("doctor", folder)
    assert result.returncode == 1
    first, *rest = result.stdout.splitlines()
    assert first == "3 files, 2 with findings"
    assert [line.split()[:2] for line in rest[:3]] == [
        ["GT002", "1"],
        ["GT005", "1"],
        ["GT106", "1"],
    ]
    assert "good.py" not in result.stdout


def test_concise(gradtape, folder):
    lines = gradtape("doctor", "--format", "concise", folder / "one, two.py").stdout.splitlines()
    assert [line.partition(" tf.")[0] for line in lines] == [
        f"{folder}/one, two.py:2:1: GT002",
        f"{folder}/one, two.py:3:1: GT106",
    ]


def test_annotations(gradtape, folder):
    lines = gradtape("doctor", "--format", "github", folder).stdout.splitlines()
    assert lines[0].startswith(
        f"::error file={folder}/book.ipynb,line=1,col=1,title=GT005::cell 2: "
    )
    assert lines[1].startswith(f"::error file={folder}/one%2C two.py,line=2,col=1,title=GT002::")
    assert lines[2].startswith(f"::warning file={folder}/one%2C two.py,line=3,col=1,title=GT106::")


def test_an_annotation_of_a_file_that_cannot_be_read(gradtape, folder):
    (folder / "bad.py").write_text("def f(:")
    result = gradtape("doctor", "--format", "github", folder / "bad.py")
    assert result.returncode == 2
    assert result.stdout.startswith(f"::error file={folder}/bad.py::")
    assert result.stdout.count("\n") == 1


def test_sarif(gradtape, folder):
    (folder / "bad.py").write_text("def f(:")
    result = gradtape("doctor", "--format", "sarif", folder)
    assert result.returncode == 2
    (run,) = json.loads(result.stdout)["runs"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == [c.code for c in CODES]
    assert [(r["ruleId"], r["level"]) for r in run["results"]] == [
        ("GT005", "error"),
        ("GT002", "error"),
        ("GT106", "warning"),
    ]
    location, named = (r["locations"][0] for r in run["results"][:2])
    assert location["logicalLocations"] == [{"name": "cell 2"}]
    assert location["physicalLocation"]["region"] == {"startLine": 1, "startColumn": 1}
    uri = named["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == f"{folder}/one%2C%20two.py"
    (notice,) = run["invocations"][0]["toolExecutionNotifications"]
    assert "SyntaxError" in notice["message"]["text"]


def test_json_names_what_could_not_be_read(gradtape, folder):
    (folder / "bad.py").write_text("def f(:")
    result = gradtape("doctor", "--format", "json", folder)
    assert result.returncode == 2
    assert [entry["file"] for entry in json.loads(result.stdout) if "error" in entry] == [
        str(folder / "bad.py")
    ]


def test_each_code_has_a_section():
    text = (ROOT / "docs" / PAGE).read_text()
    titles = [line.removeprefix("## ") for line in text.splitlines() if line.startswith("## GT")]
    assert titles == list(BY_CODE)
