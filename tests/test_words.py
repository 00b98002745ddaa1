"""The check of wording: the sources pass it, and each refusal is seen."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def words():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "tools"))
        yield importlib.import_module("check_words")


def test_the_sources_and_documents_pass(words):
    assert [str(finding) for finding in words.found(ROOT)] == []


@pytest.mark.parametrize(
    ("docstring", "said"),
    [
        ("The same as `tf.add`.", 'begins with "The same"'),
        ("Likewise for two inputs.", 'begins with "Likewise"'),
        ("\n    likewise, with a seed", 'begins with "likewise"'),
        ("Adds numbers.\n\n    Args:\n      axis: The last unless said.", '"unless said"'),
        ("Adds numbers, as floats unless\n    said.", '"unless said"'),
        ("Reads.\n\n    Raises:\n      ValueError: The pattern is none.", '"is none"'),
        ("A value for which there is none.", '"is none"'),
        ("Raises an error if `x` is no list.", '"is no list"'),
        ("Reads the bytes that are no\n    text.", '"are no text"'),
        ("Divides.\n\n    Raises:\n      ValueError: It is zero.", ': It"'),
        ("Makes.\n\n    Args:\n      a: A hint; so are the others.", '"so are the others"'),
        ("The values; None where they are unknown.", '"None where"'),
        ("The values, where there are some.", '"where there are"'),
        ("What a function returns.", 'begins with "What"'),
        ("Where each row begins.", 'begins with "Where"'),
        ("How many rows are left.", 'begins with "How"'),
        ("Which rows are left.", 'begins with "Which"'),
        ("Reads one. Then closes the file.", 'is "Reads one."'),
        ("Counts.\n\n    Args:\n      axis: Which axis to count.", 'an argument by "Which axis'),
        ("Puts zeros in the place of values.", '"in the place of v"'),
        ("The values that nobody reads.", '"nobody"'),
        ("Sines, cosines and their like.", '"and their like"'),
        ("Computes all values anew.", '"anew"'),
        ("Returns an array of NumPy's.", '"of NumPy\'s"'),
        ("Runs modules of ours in order.", '"of ours"'),
        ("Counts each turn of a loop.", '"each turn"'),
        ("Keys are told apart by value.", '"are told apart"'),
        ("It tells the two kinds apart.", '"tells the two kinds apart"'),
        ("A tape lets go of its records.", '"lets go of"'),
        ("Pads.\n\n    Raises:\n      ValueError: Another mode.", ": say which value"),
        ("Adds.\n\n    Args:\n      a: An array.\n      b: Another.", ": name the argument"),
        ("TypeError for a value that has another dtype.", '"has another dtype."'),
        ("Says which rows are left.", '"Says which"'),
        ("Returns a mask, None for none.", '"None for none"'),
        ("Looks names up and answers with a path.", '"answers with"'),
        ("The dtype, by default that of `x`.", '"by default that"'),
        ("An array, or what can become one.", '"or what can become one"'),
        ("The elements of a data set.", '"data set"'),
        ("Combines elements to a batch.", '"Combines elements to a"'),
        ("Saves a gradient of the user's in the model.", '"gradient of the user'),
        ("Returns the derivative by its inputs.", '"derivative by its inputs"'),
        ("Traces choices and loops.", '"choices and loops"'),
        ("Gives arrays one axis at least.", '"at least."'),
        ("The values.", "fewer than 3 words"),
        ("`tf.linalg`.", "fewer than 3 words"),
    ],
)
@pytest.mark.parametrize("head", ["", "def f():\n    ", "class C:\n    ", "async def f():\n    "])
def test_a_docstring_is_refused(words, docstring, said, head):
    code = f'{head}"""{docstring}"""\n'
    (finding,) = words.in_code(Path("module.py"), code)
    assert said in finding.message
    assert (finding.path, finding.line) == (Path("module.py"), 2 if head else 1)


@pytest.mark.parametrize(
    "docstring",
    [
        "The sine of x.",
        "Whether two tensors have the same shape.",
        "A shape; it is none of those that `x` has.",
        'Refuses "`unless said`" in any text.',
        "Zeros of the same dtype, and likewise ones.",
        "Whether there is no tensor, or no more of them.",
        "Zeros, and ones where the mask is true.",
        "Returns what `What` is.",
    ],
)
def test_a_docstring_passes(words, docstring):
    assert list(words.in_code(Path("module.py"), f'"""{docstring}"""\n')) == []


def test_comments_and_other_strings_are_free(words):
    code = 'x = "The same"  # likewise, unless said\n\n\ndef f():\n    return "is none"\n'
    assert list(words.in_code(Path("module.py"), code)) == []


def test_a_document_is_refused(words):
    text = (
        "# Title\n\nThe same as before.\n\nIt is new.\n\n* Likewise here\n* zero unless\n  said\n"
    )
    found = list(words.in_document(Path("a.md"), text))
    assert [finding.line for finding in found] == [3, 7, 8]
    assert ["The same" in f.message or "Likewise" in f.message for f in found] == [1, 1, 0]


@pytest.mark.parametrize(
    "code",
    ["told = 1", "def _told(x): ...", "def f(raw_told): ...", "x.rehearsed()"],
)
def test_coined_names_are_refused(words, code):
    (finding,) = words.in_code(Path("src/a.py"), code)
    assert "coined word" in finding.message


@pytest.mark.parametrize(
    "code",
    ["retold = 1", "def clone(x): ...", "alone = 1", "def test_it_is_told(): ..."],
)
def test_other_names_are_accepted(words, code):
    assert list(words.in_code(Path("src/a.py"), code)) == []


def test_the_comment_of_a_section_has_several_words(words):
    code = "x = 1\n\n# Pieces.\n\ny = 2\n"
    (finding,) = words.in_code(Path("src/a.py"), code)
    assert finding.line == 3
    assert 'the comment "Pieces." does not say what follows' in finding.message
    assert list(words.in_code(Path("src/a.py"), code.replace("Pieces", "Pieces of loops"))) == []


def test_a_file_is_not_named_by_a_coined_word(words):
    (finding,) = words.in_code(Path("tests/test_raw_draws.py"), "")
    assert "the name of the file" in finding.message
    assert finding.line == 1


def test_code_in_a_document_is_free(words):
    text = "Fine.\n\n```python\n# The same\nx = 'unless said'\n```\n\nAlso `is none` in code.\n"
    assert list(words.in_document(Path("a.md"), text)) == []


def test_the_program_prints_what_it_finds(words, tmp_path, monkeypatch, capsys):
    for name in (*words.CODE, "docs"):
        (tmp_path / name).mkdir()
    (tmp_path / "changelog.d").mkdir()
    for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"):
        (tmp_path / name).write_text("Text.\n")
    monkeypatch.setattr(words, "ROOT", tmp_path)
    assert words.main() == 0
    (tmp_path / "tools" / "a.py").write_text('"""Likewise, but for b."""\n')
    assert words.main() == 1
    assert capsys.readouterr().err.startswith("tools/a.py:1: the docstring begins")


def test_codespell_finds_a_misspelling_and_passes_the_sources(tmp_path):
    pytest.importorskip("codespell_lib")
    settings = ["--toml", str(ROOT / "pyproject.toml")]
    codespell = [sys.executable, "-m", "codespell_lib", *settings]
    wrong = tmp_path / "wrong.md"
    wrong.write_text("A mispelled word, and the norm fro.\n")  # codespell:ignore mispelled
    done = subprocess.run([*codespell, str(wrong)], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert done.stdout == f"{wrong}:1: mispelled ==> misspelled\n"  # codespell:ignore mispelled
    places = ["src", "docs", "tests", "tools", "examples", "README.md", "CONTRIBUTING.md"]
    done = subprocess.run(
        [*codespell, *places], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout == ""
    assert done.returncode == 0
