"""A release can be prepared from what is there: its changelog, its numbers and its archives."""

import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))
try:
    import release
finally:
    sys.path.pop(0)

needs_towncrier = pytest.mark.skipif(
    find_spec("towncrier") is None, reason="towncrier is not installed"
)


@pytest.fixture
def copy(tmp_path):
    """The files that a release reads or writes."""
    for name in ("CHANGELOG.md", "pyproject.toml", *release.NUMBERED):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    shutil.copytree(ROOT / "changelog.d", tmp_path / "changelog.d")
    if not release.fragments(tmp_path):  # just after a release
        (tmp_path / "changelog.d/area-what.added.md").write_text("A sentence.\n", encoding="utf-8")
    return tmp_path


def prepare(root, *arguments):
    return subprocess.run(
        [sys.executable, ROOT / "tools/release.py", "--root", root, *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def contents(root):
    return {p.relative_to(root): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def test_every_fragment_is_well_formed():
    known = release.kinds(ROOT)
    found = [release.fault_of_fragment(path, known) for path in release.fragments(ROOT)]
    assert [fault for fault in found if fault] == []


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("area-what.new.md", "A sentence.\n", "the name is not"),
        ("Area_what.added.md", "A sentence.\n", "the name is not"),
        ("area-what.md", "A sentence.\n", "the name is not"),
        ("area-what.added.md", "\n", "is empty"),
        ("area-what.added.md", "no end\n", "does not end with a sentence"),
        ("area-what.added.md", "- A sentence.\n", "without headings and bullets"),
    ],
)
def test_faults_of_fragments_are_found(tmp_path, name, text, says):
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert says in release.fault_of_fragment(tmp_path / name, ["added", "fixed"])


@needs_towncrier
def test_the_changelog_gets_a_dated_entry_with_every_fragment(copy):
    texts = [path.read_text(encoding="utf-8") for path in release.fragments(copy)]
    before = (copy / "CHANGELOG.md").read_text(encoding="utf-8")
    result = prepare(copy, "999.0.0", "--date", "2030-01-02")
    assert result.returncode == 0, result.stdout + result.stderr

    after = (copy / "CHANGELOG.md").read_text(encoding="utf-8")
    head, _, tail = before.partition("this line -->\n")
    assert after.startswith(f"{head}this line -->\n\n## 999.0.0 (2030-01-02)\n\n### ")
    assert after.endswith(tail)
    entry = " ".join(after.removesuffix(tail).split())
    assert [text for text in texts if f"- {' '.join(text.split())}" not in entry] == []
    headings = re.findall(r"^### (\w+)$", after.removesuffix(tail), re.MULTILINE)
    assert headings == [k.capitalize() for k in release.kinds(copy) if k.capitalize() in headings]
    assert release.fragments(copy) == []
    assert "\n\n\n\n" not in after


@needs_towncrier
def test_the_version_is_written_wherever_it_stands(copy):
    assert prepare(copy, "999.0.0", "--date", "2030-01-02").returncode == 0
    assert release.present_version(copy) == "999.0.0"
    citation = (copy / "CITATION.cff").read_text(encoding="utf-8")
    assert "\nversion: 999.0.0\ndate-released: 2030-01-02\n" in citation
    recipe = (copy / "packaging/conda/recipe.yaml").read_text(encoding="utf-8")
    assert '\n  version: "999.0.0"\n' in recipe
    for page in ("versions", "differences"):
        text = (copy / f"docs/{page}.md").read_text(encoding="utf-8")
        assert re.findall(r"\+gradtape\.([\d.]+\d)", text) == ["999.0.0"]
    (copy / "changelog.d/area-what.added.md").write_text("A sentence.\n", encoding="utf-8")
    assert prepare(copy, "999.0.1", "--date", "2030-01-03").returncode == 0
    citation = (copy / "CITATION.cff").read_text(encoding="utf-8")
    assert "\nversion: 999.0.1\ndate-released: 2030-01-03\n" in citation
    assert citation.count("date-released") == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["two"], "'two' is not a version such as 0.2.0"),
        (["0.0.1"], "version 0.0.1 is not newer than"),
        (["999.0.0", "--date", "yesterday"], "invalid fromisoformat value: 'yesterday'"),
    ],
)
def test_what_is_refused_changes_nothing(copy, arguments, says):
    before = contents(copy)
    result = prepare(copy, *arguments)
    assert (result.returncode, says in result.stderr) == (2, True)
    assert contents(copy) == before


def test_a_bad_fragment_stops_a_release(copy):
    (copy / "changelog.d/Bad.md").write_text("x", encoding="utf-8")
    before = contents(copy)
    result = prepare(copy, "999.0.0")
    assert (result.returncode, "Bad.md: the name is not" in result.stderr) == (2, True)
    assert contents(copy) == before
