"""Writes the pages of the API reference from the imported package `gradtape`.

The page of a namespace lists its public names. A function or class is described with signature,
docstring and source on the page of one namespace; all other pages link to it. Names are looked up
at run time, since tables create a third of them, which the sources' syntax does not show; griffe
parses their docstrings.
"""

import enum
import inspect
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, TypeGuard

import griffe

import site_examples
from gradtape._src.autodiff.tape_tools import PUBLIC, TapeTools
from gradtape._src.base.errors import OpError
from gradtape._src.core.recorder import Recorder
from public_surface import modules

ROOT = Path(__file__).resolve().parents[1]
INTRODUCTIONS = ROOT / "docs" / "reference"
"""What stands on the pages of namespaces whose docstrings have no examples."""
SECOND_CHOICE = frozenset({"compat", "experimental", "__internal__", "raw_ops"})
"""Namespaces that repeat names of others: a name's own page is elsewhere if it can be."""
WIDTH = 88
"""Signatures longer than this have a line for each parameter."""
SECTIONS = {"parameters": "Arguments", "attributes": "Attributes", "raises": "Raises"}


@dataclass(frozen=True)
class Name:
    """A public name: its namespace, the name itself, and its object."""

    space: str
    name: str
    value: Any

    @property
    def path(self) -> str:
        """The full name, as programs write it."""
        return f"{self.space}.{self.name}"

    @property
    def page(self) -> str:
        """The file of the page that contains the name."""
        return f"{page_of(self.space)}#{self.path}"

    @property
    def rank(self) -> tuple[bool, bool, int, str]:
        """The sort key of an object's names by preference, ordinary namespaces first.

        A name in `tf.__internal__` comes last.

        Among these, a function's first name is in the namespace of its kind
        (`tf.math.reduce_sum`), and a class's is the shortest (`tf.GradientTape`).
        """
        parts = self.space.split(".")
        ordinary = SECOND_CHOICE.isdisjoint(parts)
        depth = len(parts) if ordinary and inspect.isclass(self.value) else -len(parts)
        return not ordinary, "__internal__" in parts, depth, self.path


def page_of(space: str) -> str:
    """Returns the file of a namespace's page."""
    return f"{space}.md"


def documented(value: object) -> TypeGuard[Callable[..., Any]]:
    """Whether a value is a function or class with its own entry in the reference."""
    return callable(value) and not isinstance(value, ModuleType)


@cache
def all_names() -> dict[str, list[Name]]:
    """Returns the public names of each namespace."""
    found: dict[str, list[Name]] = {}
    for module in modules():
        space = module.__name__.replace("gradtape", "tf", 1)
        names = sorted(name for name in dir(module) if not name.startswith("_"))
        values = [Name(space, name, getattr(module, name)) for name in names]
        found[space] = [n for n in values if not isinstance(n.value, ModuleType)]
    return {s: names for s, names in found.items() if names and s != "tf.compat.v2"}


@cache
def homes() -> dict[int, Name]:
    """Returns the name that documents each function and class, by the object's identity."""
    names: dict[int, list[Name]] = defaultdict(list)
    for space in all_names().values():
        for name in space:
            if documented(name.value):
                names[id(name.value)].append(name)
    return {which: min(found, key=lambda n: n.rank) for which, found in names.items()}


@cache
def others() -> dict[int, list[Name]]:
    """Returns the other names of each function and class."""
    found: dict[int, list[Name]] = defaultdict(list)
    for space in all_names().values():
        for name in space:
            if documented(name.value) and homes()[id(name.value)] != name:
                found[id(name.value)].append(name)
    return found


def first_sentence(value: object) -> str:
    """Returns the first line of a docstring, for a cell of a table."""
    text = inspect.getdoc(value) or ""
    return text.partition("\n\n")[0].replace("\n", " ").replace("|", "\\|")


def annotation(value: object) -> str:
    """Formats a type as in the source."""
    return value if isinstance(value, str) else inspect.formatannotation(value)


def default(value: object) -> str:
    """Returns a default value as a program would write it."""
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    text = repr(value)
    return getattr(value, "__name__", "...") if text.startswith("<") else text


def parameters(signature: inspect.Signature) -> Iterator[str]:
    """Yields the parameters of a function as in its definition."""
    starred = False
    for p in signature.parameters.values():
        if p.kind is p.KEYWORD_ONLY and not starred:
            yield "*"
        starred = starred or p.kind in {p.KEYWORD_ONLY, p.VAR_POSITIONAL}
        stars = 2 if p.kind is p.VAR_KEYWORD else int(p.kind is p.VAR_POSITIONAL)
        text = "*" * stars + p.name
        typed = p.annotation is not p.empty
        text += f": {annotation(p.annotation)}" if typed else ""
        if p.default is not p.empty:
            text += f" = {default(p.default)}" if typed else f"={default(p.default)}"
        yield text


def signature_of(path: str, value: Callable[..., Any], *, bound: bool = False) -> str:
    """Returns the signature of a function or class in a block of code."""
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return f"```python\n{path}(...)\n```\n"
    found = list(parameters(signature))[int(bound) :]
    result = signature.return_annotation
    wanted = result is not signature.empty and not inspect.isclass(value)
    arrow = f" -> {annotation(result)}" if wanted else ""
    line = f"{path}({', '.join(found)}){arrow}"
    if len(line) > WIDTH:
        line = f"{path}(\n" + "".join(f"    {text},\n" for text in found) + f"){arrow}"
    return f"```python\n{line}\n```\n"


def prose(text: str) -> str:
    """Converts a docstring's text to Markdown: without HTML, with lists as new paragraphs."""
    text = re.sub(r"``(.+?)``", r"`\1`", text)
    parts = re.split(r"(`[^`]*`)", text)
    plain = [p if p.startswith("`") else p.replace("<", "&lt;").replace("*", "\\*") for p in parts]
    return "".join(plain).strip()


def in_cell(text: str) -> str:
    """Returns a docstring's text in a table's cell."""
    return prose(text).replace("|", "\\|").replace("\n\n", "<br>").replace("\n", " ")


def row(item: Any) -> str:
    """Returns an argument or exception, with its description."""
    label = getattr(item, "name", None) or str(item.annotation or "")
    return f"| `{label}` | {in_cell(item.description)} |"


def section_text(section: griffe.DocstringSection) -> str:
    """Returns a section of a docstring as Markdown."""
    kind, value = section.kind.value, section.value
    if kind == "text":
        return examples_in(value)
    if kind in SECTIONS:
        rows = "\n".join(row(item) for item in value)
        return f"| {SECTIONS[kind]} | |\n|---|---|\n{rows}\n"
    if kind in {"returns", "yields"}:
        text = " ".join(in_cell(item.description) for item in value)
        return f"**{kind.capitalize()}** {text}\n"
    if kind == "examples":
        return "\n".join(examples_in(text) for _, text in value)
    if kind == "admonition":
        return f"**{section.title or value.kind}:**\n\n{examples_in(value.description)}"
    return ""


def examples_in(text: str) -> str:
    """Returns a text whose doctests are converted to blocks of code."""
    parts: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text.strip("\n")):
        example = paragraph.lstrip().startswith(">>>")
        parts.append(
            f"```pycon\n{inspect.cleandoc(paragraph)}\n```\n"
            if example
            else prose(paragraph) + "\n"
        )
    return "\n".join(parts)


def body(value: object) -> str:
    """Returns the docstring of a function or class as Markdown."""
    text = inspect.getdoc(value)
    if not text:
        return ""
    examples = text.find("\n>>> ")
    text, example = (text, "") if examples < 0 else (text[:examples], text[examples:])
    docstring = griffe.Docstring(text)
    sections = docstring.parse("google", warnings=False, returns_named_value=False)
    return "\n".join([*map(section_text, sections), examples_in(example) if example else ""])


def source(value: object) -> str:
    """Returns the source of a function or class, folded."""
    if isinstance(value, type) and issubclass(value, OpError):  # `__module__` is public
        there = {"__module__": value.__init__.__module__, "__qualname__": value.__qualname__}
        value = type(value.__name__, (), there)
    try:
        file = inspect.getsourcefile(inspect.unwrap(value))  # type: ignore[arg-type]
        lines, at = inspect.getsourcelines(inspect.unwrap(value))  # type: ignore[arg-type]
    except (TypeError, OSError):
        return ""
    place = Path(file or "").resolve()
    if not place.is_relative_to(ROOT) or ".venv" in place.parts:
        return ""
    shown = f"{place.relative_to(ROOT).as_posix()}, line {at}"
    code = "".join(f"    {line}" for line in without_docstring("".join(lines)).splitlines(True))
    return f'??? quote "Source: {shown}"\n\n    ```python\n{code.rstrip()}\n    ```\n'


def without_docstring(code: str) -> str:
    """Returns a definition's dedented code without the docstring, which the page shows above."""
    code = inspect.cleandoc("\n" + code) + "\n"
    return re.sub(r'^( +)r?"""(?:.*?)"""\n', "", code, count=1, flags=re.MULTILINE | re.DOTALL)


def own_bases(value: type) -> list[type]:
    """Returns a class and those of its bases that have no entry in the reference."""
    described = [b for b in value.__mro__[1:] if id(b) in homes()]
    theirs = {base for described_one in described for base in described_one.__mro__}
    named = {"gradtape", "tensorflow"}  # the `__module__` of Tensor and Variable is TensorFlow's
    ours = (b for b in value.__mro__ if b.__module__.partition(".")[0] in named)
    return [base for base in ours if base is not Recorder and base not in theirs]


def methods(value: object) -> Iterator[tuple[str, Any]]:
    """Yields the public methods and properties of a class, those of undescribed bases included."""
    if not inspect.isclass(value):
        return
    members: dict[str, Any] = {}
    for base in reversed(own_bases(value)):
        members |= vars(base)
    hidden = set(vars(Recorder)) if issubclass(value, Recorder) else set()
    if issubclass(value, TapeTools):
        hidden = members.keys() - set(PUBLIC)
    for name, member in sorted(members.items()):
        inner = member.__func__ if isinstance(member, classmethod | staticmethod) else member
        documentable = inspect.isfunction(inner) or isinstance(inner, property)
        if (
            documentable
            and not name.startswith("_")
            and name not in hidden
            and inspect.getdoc(inner)
        ):
            yield name, member


def method(path: str, member: Any) -> str:
    """Returns the entry of a method or property."""
    head = heading(3, path.rpartition(".")[2], path)
    if isinstance(member, property):
        return f"{head}\n{body(member)}"
    static = isinstance(member, staticmethod)
    inner = member.__func__ if isinstance(member, classmethod | staticmethod) else member
    short = ".".join(path.split(".")[-2:])
    return f"{head}\n{signature_of(short, inner, bound=not static)}\n{body(inner)}"


def heading(level: int, text: str, path: str) -> str:
    """Returns a heading with an anchor; an anchor with `__` inside would become emphasis."""
    marks = "#" * level
    if "__" in path:
        return f'<span id="{path}"></span>\n\n{marks} `{text}`\n'
    return f"{marks} `{text}` {{ #{path} }}\n"


def has_example(value: object) -> bool:
    """Whether the docstring of a function or class, or of one of its methods, has an example."""
    return any(
        ">>> " in (inspect.getdoc(v) or "") for v in (value, *(m for _, m in methods(value)))
    )


def example(name: Name) -> str:
    """Returns the example of a name in docs/reference/examples; empty if it has no example."""
    shown = site_examples.all_sessions().get(name.path)
    return f"```pycon\n{shown}\n```\n" if shown else ""


def entry(name: Name) -> str:
    """Returns the entry of a function or class."""
    value = name.value
    also = others().get(id(value), [])
    known = [f"`{n.path}`" for n in also if "compat" not in n.space]
    parts = [
        heading(2, name.path, name.path),
        signature_of(name.path, value),
        body(value),
        example(name),
        f"Also: {', '.join(known)}\n" if known else "",
        *(method(f"{name.path}.{n}", member) for n, member in methods(value)),
        source(value),
    ]
    return "\n".join(part for part in parts if part)


def table_row(name: Name) -> str:
    """Returns the line of a name in its namespace's table."""
    if not documented(name.value):
        return f'| <span id="{name.path}"></span>`{name.name}` | `{constant(name.value)}` |'
    home = homes()[id(name.value)]
    said = first_sentence(name.value)
    if home == name:
        return f"| [`{name.name}`](#{name.path}) | {said} |"
    return f'| <span id="{name.path}"></span>[`{name.name}`]({home.page}) | {said} |'


def constant(value: object) -> str:
    """Returns a value other than a function or class, on one line."""
    text = repr(value).partition("\n")[0].replace("|", "\\|")
    return text if len(text) <= WIDTH and " at 0x" not in text else type(value).__name__


def page(space: str) -> str:
    """Returns the page of a namespace."""
    names = all_names()[space]
    module = next(m for m in modules() if m.__name__ == space.replace("tf", "gradtape", 1))
    entries = [n for n in names if documented(n.value) and homes()[id(n.value)] == n]
    if space == "tf.raw_ops":
        entries = []
    about = (inspect.getdoc(module) or "").split("\n\n")[0]
    table = "\n".join(raw_row(n) if space == "tf.raw_ops" else table_row(n) for n in names)
    head = f"# {space}\n\n{prose(about)}\n\n{introduction(space)}| Name | |\n|---|---|\n{table}\n"
    return "\n".join([head, *map(entry, entries)])


def introduction(space: str) -> str:
    """Returns the text of docs/reference about a namespace, with its example; "" without a file."""
    place = INTRODUCTIONS / f"{space}.md"
    return f"{place.read_text(encoding='utf-8')}\n" if place.exists() else ""


def raw_row(name: Name) -> str:
    """Returns the line of a raw operation: its signature."""
    try:
        text = str(inspect.signature(name.value))
    except (TypeError, ValueError):
        text = "(...)"
    text = ", ".join(re.sub(r": '[^']*'", "", part) for part in text.split(" -> ")[0].split(", "))
    return f'| <span id="{name.path}"></span>`{name.name}` | `{name.name}{text}` |'


def spaces() -> list[str]:
    """Returns the namespaces that have a page."""
    return sorted(all_names(), key=lambda s: (not SECOND_CHOICE.isdisjoint(s.split(".")), s))


def write(folder: Path) -> list[str]:
    """Writes all pages and the page that lists them; returns the files' names."""
    folder.mkdir(parents=True, exist_ok=True)
    for space in spaces():
        (folder / page_of(space)).write_text(page(space), encoding="utf-8")
    (folder / "index.md").write_text(overview(), encoding="utf-8")
    return [page_of(space) for space in spaces()]


def overview() -> str:
    """Returns the page that lists the namespaces."""
    count = sum(map(len, all_names().values()))
    rows = []
    for space in spaces():
        module = next(m for m in modules() if m.__name__ == space.replace("tf", "gradtape", 1))
        rows.append(f"| [`{space}`]({page_of(space)}) | {len(all_names()[space])} "
                    f"| {first_sentence(module)} |")  # fmt: skip
    return (
        "# API reference\n\n"
        f"Every public name: {count} names in {len(rows)} namespaces. A function that has several "
        "names is described under one of them, to which the others lead. `tf.keras` is the real "
        "Keras 3, whose reference is [keras.io](https://keras.io/api/). Which names of TensorFlow "
        "are there, and which are not, is [listed by name](../api.md).\n\n"
        "| Namespace | Names | |\n|---|---:|---|\n" + "\n".join(rows) + "\n"
    )
