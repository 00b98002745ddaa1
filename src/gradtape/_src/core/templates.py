"""Templates of code, which are filled in and compiled."""

from __future__ import annotations

import itertools
import linecache
import re
from typing import Any

_NUMBERS = itertools.count()
VARKEYWORDS = 0x08  # the flag of code that takes `**params`

Parameters = tuple[str, str, str]
"""The code that takes an operation's parameters, that passes them on, and that makes their dict."""

NO_PARAMETERS: Parameters = "", "", "nothing"
ANY_PARAMETERS: Parameters = ", **params", ", **params", "params"
_NAMED: dict[tuple[str, ...], Parameters] = {
    names: (
        ", *" + "".join([f", {n}" for n in names]),
        "".join([f", {n}={n}" for n in names]),
        f"{{{', '.join([f'{n!r}: {n}' for n in names])}}}",
    )
    for names in [("axis",), ("axis", "keepdims"), ("begin", "end"), ("perm",), ("shape",)]
}
"""The parameters of frequent operations by their names. Named, they take a third of the time of
`**params`; other names are not listed, because each form is compiled at import."""

# Parts of paths with one and with several inputs.

SEVERAL_OUTPUTS = """
if type(value) is tuple:
    out = tuple(map(Tensor, value))
    if tapes:
        record(tapes, primitive, ($inputs,), out, $given)
    return out
"""

WHOLE = {
    "watched": """
others, traced, serve, tapes = mixed()
value = traced and traced(primitive, $given, $inputs)
if value is None:
    return process(primitive, ($inputs,), $given)
$traced
""",
    "traced": "",
    "guarded": "",
    "failed": """
value, failure = rescue(primitive, error, ($raw,), $given)
if failure is not None:
    raise failure from None
""",
}
"""Parts of a path that handles all cases itself: other recorders than tapes, and errors."""

IDENTIFIED = "(next_id() if value.dtype is single else identify(out))"


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


def parameters(kernel: Any, none: Parameters = ANY_PARAMETERS) -> Parameters:
    """Returns the code for the parameters of a kernel, or `none` if it has none."""
    code = getattr(kernel, "__code__", None)
    if code is None or code.co_flags & VARKEYWORDS or kernel.__kwdefaults__:
        return ANY_PARAMETERS
    start, count = code.co_argcount, code.co_kwonlyargcount
    names = code.co_varnames[start : start + count]
    return _NAMED.get(names, ANY_PARAMETERS) if names else none


def is_named(params: Parameters) -> bool:
    """Whether an operation is frequent, so that its record is written out, too."""
    return params in _NAMED.values()


def of_path(kept: str, given: str) -> str:
    """Returns the code of what a record keeps, with the names of the path of one input.

    There, the input is `x`, and its raw value is `a`. Without code, `plan.keep` returns it.

    Args:
      kept: The code with the names of `GeneralPlan`, such as `in_x`.
      given: The code of the dict of parameters.
    """
    if not kept:
        return f"*plans[1].keep((x,), out, {given})"
    kept = re.sub(r"\bin_\w+\._value\b", "a", kept)
    return re.sub(r"\bin_\w+", "x", kept).replace("params", given)
