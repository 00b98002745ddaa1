"""Texts of code, filled in and compiled."""

from __future__ import annotations

import itertools
import linecache
import re
from typing import Any

_NUMBERS = itertools.count()


def made(text: str, file: str, scope: dict[str, Any]) -> dict[str, Any]:
    """Runs a text of code, whose lines tracebacks show; returns the scope with what it defines.

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
    """Returns a template with its parts; one on a line of its own takes over the indentation."""

    def lines(found: re.Match[str]) -> str:
        part = parts[found[2]].strip("\n")
        return "".join([f"{found[1]}{line}\n" for line in part.split("\n")]) if part else ""

    text = re.sub(r"^( *)\$(\w+)\n", lines, text, flags=re.MULTILINE)
    return re.sub(r"\$(\w+)", lambda found: parts[found[1]], text)


def caught(text: str, call: str) -> str:
    """Returns a template with a call in the place of `$call` whose errors have short tracebacks."""
    clause = "except Exception as error:\n    shorten(error)\n    raise"
    return filled(text, {"call": f"try:\n    {call}\n{clause}"})
