"""The engines that run regular expressions: RE2, or Python's `re` if RE2 is not installed.

RE2 is TensorFlow's engine and always takes linear time. Python's `re` runs only patterns that
cannot take exponential time; others raise an error that names the extra to install.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from types import ModuleType
from typing import Any, Protocol

from gradtape._src.base.errors import About
from gradtape._src.declare.arguments import invalid
from gradtape._src.text.regex import PatternError, translated

_Text = Any  # `str` for Python's `re`, `bytes` for RE2


class Matcher(Protocol):
    """A compiled pattern."""

    def fullmatch(self, text: bytes) -> bool:
        """Returns whether the whole text matches."""

    def replaced(self, text: bytes, rewrite: Rewrite, everywhere: bool) -> bytes:
        """Returns a text in which matches are replaced."""


def matcher(pattern: str, op: str) -> Matcher:
    """Compiles a pattern.

    Raises:
      InvalidArgumentError: `pattern` is not valid in RE2's syntax.
      ModuleNotFoundError: Only RE2 could run it in time, and it is not installed.
    """
    return _matcher(pattern, op, re2())


@lru_cache(1)
def re2() -> ModuleType | None:
    """Returns the module of RE2, or None if it is not installed."""
    try:
        import re2 as module
    except ModuleNotFoundError:
        return None
    found: ModuleType = module
    return found


@lru_cache(256)
def _matcher(pattern: str, op: str, module: ModuleType | None) -> Matcher:
    if module is not None:
        options = module.Options()
        options.log_errors = False
        try:
            held = module.compile(pattern.encode("utf-8", "surrogateescape"), options)
        except module.error as error:
            said = error.args[0] if error.args else b""
            why = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
            raise _no_pattern(pattern, why, op) from None
        return _Re2(held)
    try:
        found, safe = translated(pattern)
    except PatternError as error:
        raise _no_pattern(pattern, str(error), op) from None
    if not safe:
        raise ModuleNotFoundError(
            f"The pattern {pattern!r} repeats what can match a text in several ways. Python's `re` "
            "may take exponential time for it, RE2 does not, and RE2 is not installed: pip "
            f'install "gradtape[re2]" [Op:{op}]',
            name="re2",
        )
    return _Python(found)


def _no_pattern(pattern: str, why: str, op: str) -> Exception:
    return invalid(f"Invalid pattern: {pattern}, error: {why} [Op:{op}]", About.VALUES)


class Rewrite:
    r"""The replacement of a match: text with `\0` to `\9` for its groups.

    Attributes:
      parts: Texts and group numbers, up to the first invalid escape.
      groups: The highest group number.
      valid: Whether the whole replacement is valid.
    """

    def __init__(self, text: str) -> None:
        self.parts: list[str | int] = []
        self.valid = True
        pieces = re.split(r"(\\(?:.|\Z))", text, flags=re.DOTALL)
        for piece in pieces:
            if not piece.startswith("\\"):
                self.parts.append(piece)
            elif piece[1:] in set("0123456789"):
                self.parts.append(int(piece[1:]))
            elif piece == "\\\\":
                self.parts.append("\\")
            else:
                self.valid = False
                break
        self.groups = max((int(p[1:]) for p in pieces if p[1:] in set("0123456789")), default=0)


class _Engine:
    """Replaces matches as RE2 does, which skips an empty match right after the previous match."""

    _nothing: _Text

    def __init__(self, groups: int, search: Callable[[_Text, int], Any]) -> None:
        self._groups = groups
        self._search = search

    def _subject(self, text: bytes) -> _Text:
        raise NotImplementedError

    def _bytes(self, text: _Text) -> bytes:
        raise NotImplementedError

    def _part(self, text: str) -> _Text:
        raise NotImplementedError

    def _after(self, subject: _Text, at: int) -> int:
        """Returns the position after the character at a position."""
        raise NotImplementedError

    def replaced(self, text: bytes, rewrite: Rewrite, everywhere: bool) -> bytes:
        """Returns a text in which matches are replaced."""
        if rewrite.groups > self._groups or not (rewrite.valid or everywhere):
            return text
        subject = self._subject(text)
        parts = [p if isinstance(p, int) else self._part(p) for p in rewrite.parts]
        out: list[_Text] = []
        copied, last, at = 0, -1, 0
        while at <= len(subject) and (match := self._search(subject, at)):
            start, end = match.span()
            if end == start == last:
                at = self._after(subject, at)
                continue
            out.append(subject[copied:start])
            out += [(match[p] or self._nothing) if isinstance(p, int) else p for p in parts]
            copied = last = at = end
            if not everywhere:
                break
        if not out:
            return text
        out.append(subject[copied:])
        return self._bytes(self._nothing.join(out))


class _Python(_Engine):
    """Runs patterns in Python's `re`; bytes that are not valid UTF-8 become lone surrogates."""

    _nothing = ""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        super().__init__(pattern.groups, pattern.search)
        self._pattern = pattern

    def fullmatch(self, text: bytes) -> bool:
        """Returns whether the whole text matches."""
        return self._pattern.fullmatch(self._subject(text)) is not None

    def _subject(self, text: bytes) -> str:
        return text.decode("utf-8", "surrogateescape")

    def _bytes(self, text: str) -> bytes:
        return text.encode("utf-8", "surrogateescape")

    def _part(self, text: str) -> str:
        return text

    def _after(self, subject: str, at: int) -> int:
        return at + 1


class _Re2(_Engine):
    """Runs patterns in RE2."""

    _nothing = b""

    def __init__(self, pattern: Any) -> None:
        super().__init__(pattern.groups, pattern.search)
        self._pattern = pattern

    def fullmatch(self, text: bytes) -> bool:
        """Returns whether the whole text matches."""
        return self._pattern.fullmatch(text) is not None

    def _subject(self, text: bytes) -> bytes:
        return text

    def _bytes(self, text: bytes) -> bytes:
        return text

    def _part(self, text: str) -> bytes:
        return text.encode("utf-8", "surrogateescape")

    def _after(self, subject: bytes, at: int) -> int:
        """Returns the position after a UTF-8 character, or after a single invalid byte."""
        for size in (1, 2, 3, 4):
            try:
                if len(subject[at : at + size].decode()) == 1:
                    return at + size
            except UnicodeDecodeError:
                continue
        return at + 1
