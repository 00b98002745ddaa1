"""Templates of code, which are filled in and compiled."""

from __future__ import annotations

import itertools
import linecache
import re
from typing import Any

_NUMBERS = itertools.count()


def made(text: str, file: str, scope: dict[str, Any]) -> dict[str, Any]:
    """Runs code, whose lines tracebacks show, and returns the scope with its definitions.

    Args:
      text: The code.
      file: The file of its template.
      scope: The names that it uses.
    """
    place = f"{file} (path {next(_NUMBERS)})"
    linecache.cache[place] = len(text), None, text.splitlines(keepends=True), place
    exec(compile(text, place, "exec"), scope)  # noqa: S102 (of our own templates)
    return scope


def filled(text: str, parts: dict[str, str]) -> str:
    """Fills a template with its parts; a part on a separate line inherits the indentation."""

    def lines(found: re.Match[str]) -> str:
        part = parts[found[2]].strip("\n")
        return "".join([f"{found[1]}{line}\n" for line in part.split("\n")]) if part else ""

    text = re.sub(r"^( *)\$(\w+)\n", lines, text, flags=re.MULTILINE)
    return re.sub(r"\$(\w+)", lambda found: parts[found[1]], text)


def caught(text: str, call: str) -> str:
    """Fills `$call` in a template with a call whose errors have short tracebacks."""
    clause = "except Exception as error:\n    shorten(error)\n    raise"
    return filled(text, {"call": f"try:\n    {call}\n{clause}"})
