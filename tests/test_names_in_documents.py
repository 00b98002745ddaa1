"""Files and names of the code that documents mention in backquotes exist, and links lead somewhere.

All documents are read for files and links. Those about the code (the design records, the rooms'
READMEs and CONTRIBUTING.md) are read for names, too. On the site, links are checked by
`tools/check_site.py`; here, they are those that readers of the repository follow.
"""

import ast
import re
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("src", "tests", "tools", "benchmarks", "examples")
CODE = sorted(ROOT.glob("*.py")) + [p for f in FOLDERS for p in sorted((ROOT / f).rglob("*.py"))]
ABOUT_CODE = [
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs" / "design").glob("*.md")),
    *sorted((ROOT / "src").rglob("*.md")),
]
PAGES = sorted({ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *ABOUT_CODE})
FENCED = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"[\w./-]+\.py")
BENCHMARKS = ROOT / "benchmarks" / "README.md"
MADE_FOR_THE_SITE = ROOT / "docs" / "reference"
LINKED = [
    page
    for page in (*PAGES, BENCHMARKS, ROOT / "changelog.d" / "README.md")
    if not page.is_relative_to(MADE_FOR_THE_SITE)
]
LINK = re.compile(r"\]\((?!https?:)([^)\s#]*)#?([^)\s]*)\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
NAME = re.compile(r"([A-Za-z_][\w.]*)(?:\(.*\))?")


def label(page):
    return page.relative_to(ROOT).as_posix()


def in_backquotes(text):
    """Returns what stands in backquotes outside of blocks of code."""
    return re.findall(r"`([^`\n]+)`", FENCED.sub("", text))


def files_in(text):
    """Returns the Python files that a text mentions, without Keras' own tests."""
    found = (m for m in in_backquotes(text) if FILE.fullmatch(m))
    return [m.removeprefix("_src/") for m in found if not m.endswith("_test.py")]


def names_in(text):
    """Returns the names, also dotted ones and those of calls, that a text mentions."""
    found = [m for m in in_backquotes(text) if not FILE.fullmatch(m)]
    return [name[1].split(".") for m in found if (name := NAME.fullmatch(m))]


def anchors(text):
    """Returns the names by which links lead to a text's headings."""
    headings = HEADING.findall(FENCED.sub("", text))
    return {re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-") for h in headings}


def broken(page):
    """Returns the links of a page to files and headings that don't exist."""
    text = re.sub(r"`[^`\n]*`", "", FENCED.sub("", page.read_text("utf-8")))
    found = []
    for path, anchor in LINK.findall(text):
        to = page.parent / path if path else page
        known = anchors(to.read_text("utf-8")) if anchor and to.suffix == ".md" else {anchor}
        if not to.exists() or anchor not in known:
            found.append(f"{path}#{anchor}")
    return found


def sections(text):
    """Returns (heading, text) of the sections of the first and second level below the title."""
    parts = re.split(r"^(##+ .*)$", text, flags=re.MULTILINE)
    return [(h.lstrip("# "), body) for h, body in zip(parts[1::2], parts[2::2], strict=True)]


def words_of(text):
    return set(re.findall(r"\w+", text))


def attributes_of(trees):
    """Returns the attributes and methods of each class, by the class's name."""
    own, bases = defaultdict(set), defaultdict(set)
    for node in (n for tree in trees for n in ast.walk(tree) if isinstance(n, ast.ClassDef)):
        for inner in ast.walk(node):
            if isinstance(inner, ast.Attribute | ast.Name) and isinstance(inner.ctx, ast.Store):
                own[node.name].add(inner.attr if isinstance(inner, ast.Attribute) else inner.id)
            elif isinstance(inner, ast.FunctionDef):
                own[node.name].add(inner.name)
        bases[node.name] |= {re.sub(r"\[.*|.*\.", "", ast.unparse(base)) for base in node.bases}

    def inherited(name, below=()):
        above = [b for b in sorted(bases.get(name, ())) if b not in below]
        return own[name].union(*(inherited(base, (*below, name)) for base in above))

    return {name: inherited(name) for name in sorted(bases)}


@pytest.fixture(scope="module")
def ends():
    """All ends of the paths of files, such as `core/tensor.py`."""
    parts = [path.relative_to(ROOT).parts for path in CODE]
    return {"/".join(each[i:]) for each in parts for i in range(len(each))}


@pytest.fixture(scope="module")
def words():
    texts = [p.read_text("utf-8") for p in (*CODE, ROOT / "pyproject.toml", ROOT / "Makefile")]
    return words_of("\n".join(texts))


@pytest.fixture(scope="module")
def attributes():
    own = [p for p in CODE if p.is_relative_to(ROOT / "src")]
    return attributes_of(ast.parse(p.read_text("utf-8")) for p in own)


def test_what_is_read_off_a_text():
    text = "`a.py` and `_src/b/c.py` of `ops_test.py`:\n```\n`d.py`\n```\n`E.f(x, y)`, `-m g`\n"
    assert files_in(text) == ["a.py", "b/c.py"]
    assert names_in(text) == [["E", "f"]]


def test_attributes_of_bases_are_attributes():
    tree = ast.parse("class A(B[int]):\n x = 1\nclass B:\n def f(self): self.y = 2\n")
    assert attributes_of([tree]) == {"A": {"x", "f", "y"}, "B": {"f", "y"}}


@pytest.mark.parametrize("page", PAGES, ids=label)
def test_files_exist(page, ends):
    assert [file for file in files_in(page.read_text("utf-8")) if file not in ends] == []


@pytest.mark.parametrize("page", ABOUT_CODE, ids=label)
def test_names_stand_in_the_code(page, words):
    text = page.read_text("utf-8")
    own = words_of("\n".join(block[0] for block in FENCED.finditer(text)))
    assert [name for name in names_in(text) if not words | own | {""} >= set(name)] == []


@pytest.mark.parametrize("page", ABOUT_CODE, ids=label)
def test_attributes_are_those_of_their_class(page, attributes):
    pairs = (pair for name in names_in(page.read_text("utf-8")) for pair in pairwise(name))
    assert [
        (a, b) for a, b in pairs if a[:1].isupper() and a in attributes and b not in attributes[a]
    ] == []


@pytest.mark.parametrize("page", LINKED, ids=label)
def test_links_lead_to_files_and_headings(page):
    assert broken(page) == []


def test_a_link_to_a_missing_heading_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# A `b`, c\n[1](#a-b-c) [2](#d) [3](other.md) [4](https://a.b/#c)\n")
    assert broken(page) == ["#d", "other.md#"]


def test_the_contents_of_the_benchmarks_name_all_sections():
    text = BENCHMARKS.read_text("utf-8")
    contents = set(re.findall(r"\(#([\w-]+)\)", text.partition("Contents:")[2].partition("## ")[0]))
    assert anchors("\n".join(re.findall(r"^## .*$", text, re.MULTILINE))) == contents


def test_tables_of_the_benchmarks_say_how_they_were_made():
    text = BENCHMARKS.read_text("utf-8")
    silent = [
        heading
        for heading, body in sections(text)
        if "\n|---|" in body and not re.search(r"(?:python|make|launch) [\w-]", body)
    ]
    assert silent == []
