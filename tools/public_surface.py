"""Writes tests/public_surface.txt: every public name of gradtape with its signature.

    python tools/public_surface.py [--check]

A change of this file is a change that programs can notice: a new or removed name, a renamed
parameter, or another default. Annotations are left out, since type checkers verify them. With
--check it changes nothing, prints the differences, and exits with 1 if there are any. docs/api.md
lists TensorFlow's names, and marks those that gradtape has.
"""

import difflib
import enum
import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import gradtape
from gradtape._src.first_use.manifest import NAMES

FILE = Path(__file__).parents[1] / "tests" / "public_surface.txt"
COMMAND = "python tools/public_surface.py"
ELSEWHERE = {"gradtape.cli", "gradtape.keras", "gradtape.__main__"}
"""The command line, and Keras, whose names are its own."""
PLAIN = (bool, int, float, complex, str, bytes, tuple, type(None))


def modules() -> Iterator[ModuleType]:
    """Yields the public modules that programs reach through `tf`."""
    yield gradtape
    for found in pkgutil.walk_packages(gradtape.__path__, "gradtape."):
        private = any(p[0] == "_" and p != "__internal__" for p in found.name.split("."))
        if not private and found.name not in ELSEWHERE:
            yield importlib.import_module(found.name)


def default(value: object) -> str:
    """Formats a default as in a signature."""
    if isinstance(value, PLAIN) and not isinstance(value, enum.Enum):
        return repr(value)
    name = getattr(value, "__name__", None) or getattr(value, "name", None)
    return str(name) if isinstance(name, str) else type(value).__name__


def signature(function: object) -> str:
    """Returns the parameters of a function, with defaults and without annotations."""
    try:
        found = inspect.signature(function)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return "(...)"
    parameters: list[str] = []
    for p in found.parameters.values():
        stars = 2 if p.kind is p.VAR_KEYWORD else int(p.kind is p.VAR_POSITIONAL)
        if p.kind is p.KEYWORD_ONLY and not any(x.startswith("*") for x in parameters):
            parameters.append("*")
        given = "" if p.default is p.empty else f"={default(p.default)}"
        parameters.append("*" * stars + p.name + given)
    only = sum(p.kind is p.POSITIONAL_ONLY for p in found.parameters.values())
    if only:
        parameters.insert(only, "/")
    return f"({', '.join(parameters)})"


def members(path: str, cls: type) -> Iterator[str]:
    """Yields the public members that a class defines or inherits from gradtape's classes."""
    if hasattr(cls, "DESCRIPTOR"):  # `kind` is a class of messages
        yield from (f"{path}.{field.name}" for field in cls.DESCRIPTOR.fields)
        return
    found: dict[str, object] = {}
    for base in reversed(cls.__mro__):
        if base.__module__.startswith("gradtape"):
            found.update(vars(base))
    for name, value in found.items():
        if name.startswith("_") and name not in {"__init__", "__call__"}:
            continue
        target = getattr(value, "__func__", value)
        if inspect.isfunction(target):
            yield f"{path}.{name}{signature(target)}"
        elif not name.startswith("__") and hasattr(cls, name):
            yield f"{path}.{name}"


def lines() -> Iterator[str]:
    """Yields a line for each name; an object with several names is described under the first."""
    first: dict[int, str] = {}
    kept = []  # keeps the objects alive, so that ids are unique
    for module in modules():
        space = module.__name__.removeprefix("gradtape").lstrip(".")
        messages: frozenset[str] = getattr(module, "_MESSAGES", frozenset())
        on_first_use = {*messages, *(NAMES if module is gradtape else ())}
        for name in sorted({*vars(module), *on_first_use}):
            value = None if name.startswith("_") else getattr(module, name)
            if name.startswith("_") or isinstance(value, ModuleType):
                continue
            path = f"{space}.{name}".lstrip(".")
            described = callable(value) and not isinstance(value, PLAIN)
            if described and id(value) in first:
                yield f"{path} = {first[id(value)]}"
                continue
            if described:
                first[id(value)] = path
                kept.append(value)
            if isinstance(value, type):
                yield f"class {path}"
                if value.__module__.startswith("gradtape"):
                    yield from members(path, value)
            else:
                yield f"{path}{signature(value)}" if callable(value) else path


def text() -> str:
    """Returns the whole file."""
    head = f"# Written by `{COMMAND}`; docs/versions.md says what a change of it means.\n"
    return head + "".join(f"{re.sub(r' at 0x[0-9a-f]+', '', line)}\n" for line in lines())


def main() -> int:
    """Writes or checks the file."""
    new, old = text(), FILE.read_text(encoding="utf-8") if FILE.exists() else ""
    if "--check" not in sys.argv[1:]:
        FILE.write_text(new, encoding="utf-8")
        return 0
    different = difflib.unified_diff(old.splitlines(), new.splitlines(), "kept", "now", "", "", 0)
    print(*(shown := list(different)), sep="\n" if shown else "", end="\n" if shown else "")
    return 1 if shown else 0


if __name__ == "__main__":
    sys.exit(main())
