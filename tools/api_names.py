"""Writes docs/api.md: every public name of TensorFlow, and whether gradtape has it.

    python tools/api_names.py [--check]

With --check it changes nothing, and exits with 1 if the page is out of date.
"""

import inspect
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain
from pathlib import Path

from generate_facades import RAW, marks
from gradtape._src.compat.alias import resolve
from gradtape._src.compat.lists.left_out import LEFT_OUT, left_out
from gradtape._src.compat.names import KERAS, PACKAGE, Names, tensorflow_names
from gradtape._src.core.stored_value import Stored
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.registered import Operation
from gradtape._src.sessions.elements import GraphOperation
from gradtape.autodiff import has_gradient

PAGE = Path(__file__).parents[1] / "docs" / "api.md"
COMMAND = "python tools/api_names.py"
HEAD = """# Which names of TensorFlow gradtape has

This page is written by `{command}`, from the public names of TensorFlow
{version} and from gradtape itself. `gradtape doctor FILE` looks up the names that a program uses in
the same list, and the error for a name that gradtape lacks says what the list says.

`tf.keras` is the real Keras 3, whole, and `tf.losses`, `tf.metrics`, `tf.optimizers` and
`tf.initializers` are views of it: their names are Keras' own, and are not listed. `tf.compat.v2` is
`tf`. Namespaces of `tf.compat.v1` of which gradtape has no name are not listed.

Names that gradtape leaves out on purpose are in a list of their own, [below](#left-out-on-purpose).

A raw operation with `∂` has a gradient; `tf.autodiff.has_gradient(name)` says it in a program.
"""
OBJECTS: dict[type, type] = {Operation: GraphOperation}
"""The private classes of the objects of public classes that programs do not call."""


def has(path: str) -> bool:
    """Whether gradtape has the name `tf.<path>`."""
    if path in KERAS:  # this page can be written without Keras
        return not path.startswith("compat")
    try:
        resolve(path)
    except AttributeError:
        return False
    return True


def page() -> str:
    """Returns the page's text."""
    names = tensorflow_names()
    there = {
        space: {name for name in all_names if has(f"{space}.{name}".lstrip("."))}
        for space, all_names in names.modules.items()
    }
    head = HEAD.format(command=COMMAND, version=names.version)
    parts = [
        table(names, there),
        lists(names, there),
        left_out_list(),
        members(names),
        own_names(names),
    ]
    return "".join([head, *chain.from_iterable(parts)])


def is_old(space: str) -> bool:
    """Whether a namespace is TensorFlow 1's."""
    return f"{space}.".startswith("compat.v1.")


def table(names: Names, there: dict[str, set[str]]) -> Iterator[str]:
    """Yields a table with the number of names that each namespace has."""
    yield "\n| Namespace | Names in gradtape | Names in TensorFlow |\n|---|---:|---:|\n"
    old = [space for space in names.modules if is_old(space)]
    rest = [space for space in names.modules if not is_old(space) and space != "raw_ops"]
    sums = [("TensorFlow 2 without raw operations", rest), ("TensorFlow 1, in tf.compat.v1", old)]
    rows = [(f"**{label}**", spaces) for label, spaces in sums]
    rows += [
        (title(space), [space]) for space in names.modules if not is_old(space) or there[space]
    ]
    for label, spaces in rows:
        have = sum(len(there[space]) for space in spaces)
        yield f"| {label} | {have} | {sum(len(names.modules[space]) for space in spaces)} |\n"


def lists(names: Names, there: dict[str, set[str]]) -> Iterator[str]:
    """Yields the names of each namespace."""
    for space, all_names in names.modules.items():
        if there[space] or not is_old(space):
            yield f"\n## {title(space)}\n"
            if not there[space] and all(omitted(space, name) for name in all_names):
                yield "\nAll names are [left out on purpose](#left-out-on-purpose).\n"
            for label, some in (
                ("In gradtape", there[space]),
                (
                    "Not yet in gradtape",
                    {n for n in all_names - there[space] if not omitted(space, n)},
                ),
            ):
                words = [f"`{name}`{mark(space, name)}" for name in in_order(some)]
                if words:
                    yield f"\n{wrapped([f'{label} ({len(words)}):', *commas(words)])}\n"


def omitted(space: str, name: str) -> bool:
    """Whether a name is left out on purpose."""
    return left_out(f"{space}.{name}".lstrip(".")) is not None


def left_out_list() -> Iterator[str]:
    """Yields the names that are left out on purpose, with the reasons."""
    yield "\n## Left out on purpose\n\n"
    yield "A `*` stands for any name. The error for a name, and `gradtape doctor`, say the same.\n"
    for entry in LEFT_OUT:
        words = commas([f"`tf.{name}`" for name in entry.names])
        words[-1] += ":"
        ending = f"{entry.reason}; {entry.instead}." if entry.instead else f"{entry.reason}."
        yield "\n" + wrapped(["-", *words, *ending.split()]).replace("\n", "\n  ")
    yield "\n"


def title(space: str) -> str:
    """Returns the title of a namespace."""
    return f"tf.{space}".rstrip(".")


def mark(space: str, name: str) -> str:
    """Returns the mark of a raw operation that has a gradient."""
    return " ∂" if space == "raw_ops" and has(f"{space}.{name}") and has_gradient(name) else ""


def in_order(names: Iterable[str]) -> list[str]:
    """Sorts names as a dictionary does."""
    return sorted(names, key=lambda name: (name.lower(), name))


def commas(words: list[str]) -> list[str]:
    """Joins words by commas."""
    return [*(f"{word}," for word in words[:-1]), words[-1]]


def wrapped(words: Iterable[str]) -> str:
    """Wraps words into lines of at most 100 characters."""
    lines = [""]
    for word in words:
        if len(lines[-1]) + len(word) > 100:
            lines.append("")
        lines[-1] += f"{word} "
    return "\n".join(line.rstrip() for line in lines)


def lists_attributes(cls: type) -> bool:
    """Whether a class lists its attributes, rather than look them up by `__getattr__`.

    Tensors and variables get one that only fetches values, once one is on a device.
    """
    return issubclass(cls, (Tensor, Stored)) or not hasattr(cls, "__getattr__")


def members(names: Names) -> Iterator[str]:
    """Yields the members that gradtape's classes lack and TensorFlow's classes have."""
    yield "\n## Members of classes that gradtape does not have yet\n"
    yield "\nWhat a class lacks, its subclasses lack, too.\n"
    paths: dict[type, str] = {}
    for path in names.classes:
        if has(path) and isinstance(cls := resolve(path), type) and lists_attributes(cls):
            paths.setdefault(cls, path)
    lacking = {
        cls: {name for name in names.classes[path] if not has_member(OBJECTS.get(cls, cls), name)}
        for cls, path in paths.items()
    }
    for cls, path in paths.items():
        own = lacking[cls].difference(*(lacking.get(base, ()) for base in cls.__mro__[1:]))
        if own:
            words = commas([f"`{name}`" for name in in_order(own)])
            yield "\n" + wrapped([f"- `tf.{path}`:", *words]).replace("\n", "\n  ")
    yield "\n"


def own_names(names: Names) -> Iterator[str]:
    """Yields the public names that TensorFlow does not have."""
    found: dict[str, set[str]] = defaultdict(set)
    public = [path for m in marks({"export", "export_value"}) for path in m.paths]
    for path in [*public, *(f"raw_ops.{name}" for m in marks(RAW) for name in m.paths)]:
        space, _, name = path.rpartition(".")
        if name not in names.modules.get(space, ()):
            found[space].add(name)
    yield "\n## Names that TensorFlow does not have\n"
    for space in sorted(found):
        words = commas([f"`{name}`{mark(space, name)}" for name in in_order(found[space])])
        yield "\n" + wrapped([f"- `{title(space)}`:", *words]).replace("\n", "\n  ")
    yield "\n"


def has_member(cls: type, name: str) -> bool:
    """Whether a class or its instances have an attribute."""
    if hasattr(cls, name):
        return True
    if cls.__name__.endswith("Options"):  # an instance without arguments has all fields
        return hasattr(cls(), name)
    return any(name in fields(base) for base in cls.__mro__ if base.__module__.startswith(PACKAGE))


@cache
def fields(cls: type) -> set[str]:
    """Returns the attributes that a class declares or that its methods set."""
    # The class may name another module as its own, in which `inspect` would not find it.
    own = [f for f in vars(cls).values() if inspect.isfunction(f)]
    source = "".join(inspect.getsource(f) for f in own if Path(f.__code__.co_filename).exists())
    given = re.findall(r"self\.(\w+)(?:, [^=\n]*|: [^=\n]*)? = ", source)
    return {*given, *vars(cls).get("__annotations__", ())}


def main() -> int:
    """Writes or checks the page."""
    text = page()
    if "--check" in sys.argv[1:]:
        if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text:
            return 0
        sys.stderr.write(f"{PAGE} is out of date: run {COMMAND}\n")
        return 1
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
