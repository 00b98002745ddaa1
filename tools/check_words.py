"""Reports wording in docstrings and documents that is hard to understand.

    python tools/check_words.py

The beginnings and phrases below are refused in docstrings, including those of tests, and in the
paragraphs of documents; text in backquotes is ignored. Docstrings, and descriptions of arguments,
begin with a verb or a noun, never with a question word. Outside of tests, a docstring needs at
least three words. Names of functions, classes, parameters, variables, attributes and files are the
terms of the field; `COINED` lists words that were used in place of them. Names of tests are
sentences, and may contain any word. A comment above a section consists of more than one word.
Spelling is codespell's work.
"""

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CODE = ("src", "tests", "tools", "benchmarks", "examples")
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "changelog.d", "docs", "src")
FEWEST_WORDS = 3
BEGINNING = re.compile(r"(?:the same|likewise)\b", re.IGNORECASE)
ASKING = re.compile(r"(?:What|How|Where|Which)\b")
ASKING_OF_ARGUMENT = re.compile(r"^\s+[*\w, ]+: ((?:What|How|Where|Which)\b.*)$", re.MULTILINE)
PRONOUN = re.compile(r"\w+ (?:it|one|them)\.")
PHRASES = {
    re.compile(r"\bunless\s+said\b|\bis\s+none\b(?!\s+of\b)"): "say it in plain words",
    re.compile(
        r"(?<!there )(?<!There )\b(?:is|are)\s+no\s+(?!longer|more|less|such|one\b)[a-z]+"
    ): ("say that it is not"),
    re.compile(r"\b\w*(?:Error|Exception|Warning):\s+(?:It|They|One)\b"): "name what is wrong",
    re.compile(r"\bso\s+are\s+the\s+others\b"): "say it of each",
    re.compile(r"\b(?:None|True|False|empty|nothing|Raises\s+\w+|else)\s+where\b"): (
        'a condition is an "if", and "where" a place'
    ),
    re.compile(r"\bwhere\s+there\s+(?:is|are|isn\'t|aren\'t|was|were)\b"): 'say "if there"',
    re.compile(r"\bin\s+the\s+places?\s+of\s+(?!the\b)[a-z]"): 'say "in place of"',
    re.compile(r"\b(?i:nobody|whoever)\b"): "name the object that does it",
    re.compile(
        r"\band\s+(?:its\s+(?:like|kin)|their\s+(?:like|kin))\b|\banew\b"
    ): "use common words",
    re.compile(
        r"(?<!place )\bof\s+(?:ours|(?:NumPy|SciPy|JAX|Keras|XLA|TensorFlow)\'s)"
        r"(?=[.,;:)]|\s+(?:that|which|is|are|in|for|and|to)\b)"
    ): 'say "a NumPy array", not "an array of NumPy\'s"',
    re.compile(r"\b(?:each|the\s+last|the\s+next|every|most)\s+turns?\b"): 'say "iteration"',
    re.compile(r"\b(?:is|are)\s+told\s+(?:apart|of|by)\b"): "say who compares, reports or names",
}
PHRASES |= {
    re.compile(
        r"\bhas\s+another\s+(?:dtype|shape|type|rank|structure)\."
    ): 'say "differs" from what',
    re.compile(r"\b(?:Notes|Says|Tells)\s+(?:that|which|what|an?|how|why|whether)\b"): (
        'say "records", "returns" or "sets"'
    ),
    re.compile(r"\b[Nn]one\s+for\s+none\b|\bnone\s+of\s+these\b"): "say it in plain words",
    re.compile(
        r"\bas\s+many\s+as\s+said\b|\b(?:answers?|answered)\s+with\b"
    ): "say what is returned",
    re.compile(r"\bby\s+default\s+(?:that|those|the\s+one)\b"): 'say "defaults to"',
    re.compile(r"\bor\s+what\s+can\s+become\s+one\b"): 'say "array-like"',
    re.compile(r"\bdata\s+sets?\b", re.IGNORECASE): 'say "dataset"',
    re.compile(
        r"\b(?:combine|join)\w*\s+(?:[a-z]+\s+){1,4}to\s+(?:a|an|one|batches)\b", re.IGNORECASE
    ): ('say "into"'),
    re.compile(r"Error:\s+Another\s+[a-z]+(?:\.|,)"): "say which value is not accepted",
    re.compile(r"^\s+[*a-z_0-9]+: (?:Another(?: one)?|The others?)\.$", re.MULTILINE): (
        "name the argument"
    ),
    re.compile(r"\blets?\s+go\s+of\b|\blet\s+go\s+of\b"): 'say "release"',
    re.compile(r"\btell(?:s|ing)?\s+(?:\w+\s+){1,3}apart\b"): 'say "distinguish"',
    re.compile(r"\bgradients?\s+of\s+the\s+user\'s\b"): "say whose gradient it is",
    re.compile(
        r"\b(?:gradients?|derivatives?|Jacobian|Hessian)\s+(?:of\s+[^.;:]{1,40}\s)?by\s+"
        r"(?:a|the|its|all|each)\s+(?:\w+\s)?(?:inputs?|weights|results?|arguments?|sources?|variables?)"
    ): 'say "with respect to"',
    re.compile(r"\b(?:choices?\s+(?:and|or)\s+loops?|loops?\s+(?:and|or)\s+choices?)\b"): (
        'say "conditionals and loops"'
    ),
    re.compile(r"\bat\s+least[.,;:)]"): 'say "at least two", not "two at least"',
}
COINED = re.compile(
    r"(?:\b|_)(?:told|untold|raw_draws|lone|hollow|spendable|rehears\w*|redraw\w*|"
    r"made_up|staged|unstage)"
    r"(?:\b|_)"
)
SECTION_OF_ONE_WORD = re.compile(r"^[ \t]*# ([A-Z][a-z]+\.)\n(?=\n)", re.MULTILINE)
CODE_IN_TEXT = re.compile(r"``.*?``|`[^`]*`", re.DOTALL)
FENCED = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
_Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Finding:
    """A sentence that must be rewritten."""

    path: Path
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


def refusals(text: str) -> Iterator[str]:
    """Yields the reasons why a docstring or paragraph is refused, each once."""
    if match := BEGINNING.match(text.lstrip()):
        yield f'begins with "{match[0]}": say what it is'
    plain = CODE_IN_TEXT.sub("``", text)
    for phrase, better in PHRASES.items():
        if match := phrase.search(plain):
            yield f'contains "{" ".join(match[0].split())}": {better}'


def refusals_of_docstring(text: str, fewest: int = FEWEST_WORDS) -> Iterator[str]:
    """Yields the reasons why a docstring is refused; `fewest` is the least number of words."""
    yield from refusals(text)
    if match := ASKING.match(text.lstrip()):
        yield f'begins with "{match[0]}": say what is returned, done or held'
    for match in ASKING_OF_ARGUMENT.finditer(text):
        yield f'describes an argument by "{match[1]}": name what it is'
    if match := PRONOUN.match(text.lstrip()):
        yield f'is "{match[0]}": name what the pronoun stands for'
    if len(text.split()) < fewest:
        yield f"has fewer than {fewest} words: {text!r}"


def coined_names(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yields the lines and names in a module that contain a coined word."""
    for node in ast.walk(tree):
        for field in ("name", "id", "arg", "attr"):
            name = getattr(node, field, None)
            if isinstance(name, str) and not name.startswith("test_") and COINED.search(name):
                yield getattr(node, "lineno", 1), name


def in_code(path: Path, code: str) -> Iterator[Finding]:
    """Yields the docstrings and phrases of a module that must be rewritten."""
    fewest = 1 if path.parts[0] == "tests" else FEWEST_WORDS
    tree = ast.parse(code)
    if COINED.search(path.stem.removeprefix("test_")):
        yield Finding(path, 1, "the name of the file contains a coined word")
    for match in SECTION_OF_ONE_WORD.finditer(code):
        line = code.count("\n", 0, match.start()) + 1
        yield Finding(path, line, f'the comment "{match[1]}" does not say what follows')
    for line, name in coined_names(tree):
        yield Finding(path, line, f"the name {name} contains a coined word: use the field's term")
    for node in ast.walk(tree):
        if isinstance(node, _Documented):
            text = ast.get_docstring(node, clean=False)
            if text is not None:
                for why in refusals_of_docstring(text, fewest):
                    yield Finding(path, node.body[0].lineno, f"the docstring {why}")


def in_document(path: Path, text: str) -> Iterator[Finding]:
    """Yields the paragraphs of a Markdown document, without its code, that must be rewritten."""
    blank = FENCED.sub(lambda block: "\n" * block[0].count("\n"), text)
    for paragraph in re.finditer(r"\S.*?(?=\n\s*\n|\n[*-] |\Z)", blank, re.DOTALL):
        words = paragraph[0].lstrip("*-#> ")
        for why in refusals(words):
            yield Finding(path, blank.count("\n", 0, paragraph.start()) + 1, f"a paragraph {why}")


def files(root: Path, names: tuple[str, ...], ending: str) -> Iterator[Path]:
    """Yields the files with an ending among some files and below some directories."""
    for name in names:
        place = root / name
        yield from sorted(place.rglob(f"*{ending}")) if place.is_dir() else [place]


def found(root: Path) -> list[Finding]:
    """Returns all findings below a directory."""
    kinds = (in_code, files(root, CODE, ".py")), (in_document, files(root, DOCUMENTS, ".md"))
    return [
        finding
        for check, paths in kinds
        for path in paths
        for finding in check(path.relative_to(root), path.read_text(encoding="utf-8"))
    ]


def main() -> int:
    """Prints the findings."""
    findings = found(ROOT)
    for finding in findings:
        print(finding, file=sys.stderr)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
