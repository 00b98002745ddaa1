"""Facts about the project that several files state agree."""

import re
import tomllib
from pathlib import Path

import pytest

from gradtape._version import __version__

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SUPPORTED = [
    found[1]
    for line in PROJECT["project"]["classifiers"]
    if (found := re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", line))
]


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_citation_names_the_version():
    assert f"\nversion: {__version__}\n" in text("CITATION.cff")


def test_every_python_that_is_promised_is_tested():
    tested = re.findall(r'"(3\.\d+)"', re.search(r"PYTHONS = \[(.*)\]", text("noxfile.py"))[1])
    assert set(SUPPORTED) <= set(tested)
    assert PROJECT["project"]["requires-python"] == f">={SUPPORTED[0]}"
    assert tested[0] == SUPPORTED[0]


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "SECURITY.md"])
def test_links_lead_to_files_that_are_there(name):
    page = ROOT / name
    links = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_the_archive_of_sources_holds_what_the_makefile_names():
    included = PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    folders = {entry[1:] for entry in included}
    named = set(re.findall(r"\b(tests|tools|src|docs|benchmarks|examples)/", text("Makefile")))
    assert named <= folders


def test_design_records_have_numbers_of_their_own():
    numbers = [page.name[:4] for page in (ROOT / "docs" / "design").glob("[0-9]*.md")]
    assert len(set(numbers)) == len(numbers) > 10


PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_rows_of_tables_are_lines(page):
    """A table whose rows were joined or broken into a paragraph is shown as text."""
    columns = 0
    for line in page.read_text(encoding="utf-8").splitlines():
        delimiter = re.search(r"\|\s*:?-{3,}", line)
        assert not delimiter or re.fullmatch(r"\s*\|[\s|:-]+\|", line), line
        columns = line.count("|") if delimiter else columns * line.lstrip().startswith("|")
        assert not columns or len(re.findall(r"(?<!\\)\|", line)) >= columns, line
