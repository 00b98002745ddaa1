r"""Translates regular expressions from RE2's syntax to that of Python's `re`.

If RE2 is not installed, the translated expressions are used (see `regex_engines`), unless they
could take exponential time. The pattern is parsed and rewritten, construct by construct. Features
that RE2 lacks (lookaround, backreferences, atomic groups) are errors here, too; features that
Python lacks (`\z`, `\pL`, `[[:alpha:]]`, `\Q...\E`) are expanded. As in RE2, bytes that are not
valid UTF-8 match nothing.
"""

from __future__ import annotations

import math
import re
import sys
import unicodedata
from functools import lru_cache, reduce
from typing import Final

from gradtape._src.text.regex_ambiguity import NOTHING, Shape
from gradtape._src.text.regex_ambiguity import character as one_of

_SPACE: Final = "\\t\\n\\f\\r "
_SETS: Final = {"d": "0-9", "w": "0-9A-Za-z_", "s": _SPACE}
_POSIX: Final = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": "\\x00-\\x7f",
    "blank": "\\t ",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": "!-/:-@\\[-`{-~",
    "space": "\\t\\n\\v\\f\\r ",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}
_PLAIN: Final = {"a": "\\a", "f": "\\f", "t": "\\t", "n": "\\n", "r": "\\r", "v": "\\v"}
_NO_UTF8: Final = "\\udc80-\\udcff"
_LARGEST_REPEAT: Final = 1000
_REPEAT: Final = re.compile(r"\{([0-9]+)(,([0-9]*))?\}")
_NAME: Final = re.compile(r"\?P<([A-Za-z0-9_]+)>")
_FLAGS: Final = re.compile(r"\?([imsU]*)(-[imsU]+)?([:)])")


def translated(pattern: str) -> tuple[re.Pattern[str], bool]:
    """Translates an RE2 pattern to Python's syntax, and returns whether it is safe to run.

    Raises:
      PatternError: RE2 would reject the pattern.
    """
    reader = _Reader(pattern)
    try:
        return re.compile(reader.everything()), reader.shape.is_safe
    except re.error as error:
        raise PatternError(str(error)) from None
    except RecursionError:
        raise PatternError("expression nests too deeply") from None


class PatternError(Exception):
    """Raised for a pattern that is not valid in RE2; the message is the reason."""


class _Reader:
    """Reads one pattern."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self._depth = 0
        self._flags = [{"i": False, "m": False, "s": False, "U": False}]
        self._count: tuple[int, float] = (1, 1)  # the repetition that was read last
        self.shape = NOTHING  # the shape of the construct that was read last

    def _rest(self) -> str:
        return self._pattern[self._at :]

    def _next(self) -> str:
        character = self._pattern[self._at]
        self._at += 1
        return character

    def _is_next(self, text: str) -> bool:
        return self._pattern.startswith(text, self._at)

    def everything(self) -> str:
        """Returns the whole pattern."""
        out = self._alternatives()
        if self._at < len(self._pattern):
            raise PatternError(f"unexpected ): {self._pattern}")
        return out

    def _alternatives(self) -> str:
        """Parses alternatives up to the end or a closing parenthesis."""
        out: list[str] = []
        closers: list[str] = []
        repeatable = False
        # the shape of all atoms but the last one, and the shape of the last atom
        shapes, branches = [NOTHING, NOTHING], []
        while self._at < len(self._pattern) and not self._is_next(")"):
            piece = self._repeat(repeatable) if self._next_repeats() else None
            if piece is not None:
                repeatable = False
                out.append(piece)
                shapes[1] = shapes[1].repeated(*self._count)
                if shapes[1].copies > _LARGEST_REPEAT:
                    raise PatternError(f"invalid repetition size: {piece}")
            elif self._is_next("|"):
                self._at += 1
                branches.append(shapes[0].then(shapes[1]))
                shapes = [NOTHING, NOTHING]
                reopened = [self._flagged()] if closers else []
                out += [*closers, "|", *reopened]
                closers[:] = closers[: len(reopened)]
                repeatable = False
            else:
                piece, repeatable = self._atom(closers)
                out.append(piece)
                shapes = [shapes[0].then(shapes[1]), self.shape]
        self.shape = reduce(Shape.either, branches, shapes[0].then(shapes[1]))
        return "".join(out) + "".join(closers)

    def _next_repeats(self) -> bool:
        start = self._pattern[self._at]
        return start in "*+?" or (start == "{" and bool(_REPEAT.match(self._pattern, self._at)))

    def _repeat(self, repeatable: bool) -> str:
        start = self._at
        found = _REPEAT.match(self._pattern, self._at)
        if found:
            self._at = found.end()
            least, most = int(found[1]), int(found[3] or found[1])
            if max(least, most) > _LARGEST_REPEAT or least > most:
                raise PatternError(f"invalid repetition size: {found[0]}")
            self._count = least, math.inf if found[2] and not found[3] else most
        else:
            self._count = {"*": (0, math.inf), "+": (1, math.inf), "?": (0, 1)}[self._next()]
        written = self._pattern[start : self._at]
        if not repeatable:
            before = self._pattern[start - 1 : start] if start else ""
            if before and before in "*+?}":
                raise PatternError(f"bad repetition operator: {before}{written}")
            raise PatternError(f"no argument for repetition operator: {written}")
        lazy = self._is_next("?")
        if lazy:
            self._at += 1
        if self._at < len(self._pattern) and self._next_repeats():
            after = self._pattern[self._at]
            raise PatternError(f"bad repetition operator: {self._pattern[start : self._at]}{after}")
        return written + ("?" if lazy != self._flags[-1]["U"] else "")

    def _atom(self, closers: list[str]) -> tuple[str, bool]:
        """Parses one construct, and returns whether it may be repeated."""
        character = self._next()
        flags = self._flags[-1]
        if character == "(":
            return self._group(closers)
        self.shape = NOTHING
        if character == "^":
            return ("(?m:^)" if flags["m"] else "(?:\\A)"), True
        if character == "$":
            return ("(?m:$)" if flags["m"] else "(?:\\Z)"), True
        if character == "\\":
            return self._escape(), True
        if character == "[":
            piece = self._class()
        elif character == ".":
            piece = f"[^{_NO_UTF8}]" if flags["s"] else f"[^\\n{_NO_UTF8}]"
        else:
            piece = re.escape(character)
        self.shape = one_of(piece, flags["i"])
        return piece, True

    def _group(self, closers: list[str]) -> tuple[str, bool]:
        opening = "("
        if self._is_next("?"):
            named = _NAME.match(self._pattern, self._at)
            flags = _FLAGS.match(self._pattern, self._at)
            if named:
                opening = f"(?P<{named[1]}>" if named[1].isidentifier() else "("
                self._at = named.end()
            elif flags:
                self._at = flags.end()
                if flags[3] == ")":  # The flags apply to the rest of the enclosing group.
                    self._flags[-1] = self._changed(flags)
                    closers.append(")")
                    self.shape = NOTHING
                    return self._flagged(), False
                return self._inside(self._flagged(self._changed(flags)), self._changed(flags)), True
            else:
                raise PatternError(f"invalid perl operator: {self._rest_of_operator()}")
        return self._inside(opening, dict(self._flags[-1])), True

    def _rest_of_operator(self) -> str:
        rest = self._rest()
        return "(" + rest[:2]

    def _changed(self, found: re.Match[str]) -> dict[str, bool]:
        flags = dict(self._flags[-1])
        flags.update(dict.fromkeys(found[1], True))
        flags.update(dict.fromkeys((found[2] or "-")[1:], False))
        return flags

    def _flagged(self, flags: dict[str, bool] | None = None) -> str:
        """Returns the beginning of a group with flags; Python gets only one of the flags."""
        return "(?i:" if (flags or self._flags[-1])["i"] else "(?-i:"

    def _inside(self, opening: str, flags: dict[str, bool]) -> str:
        self._depth += 1
        if self._depth > _LARGEST_REPEAT:
            raise PatternError("expression nests too deeply")
        self._flags.append(flags)
        inside = self._alternatives()
        self._flags.pop()
        self._depth -= 1
        if not self._is_next(")"):
            raise PatternError(f"missing ): {self._pattern}")
        self._at += 1
        return f"{opening}{inside})"

    def _escape(self) -> str:
        """Parses an escape sequence outside of brackets."""
        if self._at >= len(self._pattern):
            raise PatternError("trailing \\")
        if self._is_next("Q"):
            end = self._pattern.find("\\E", self._at)
            literal = self._pattern[self._at + 1 : end if end >= 0 else len(self._pattern)]
            self._at = len(self._pattern) if end < 0 else end + 2
            any_of = f"[{''.join(map(_literal, literal))}]" if literal else ""
            self.shape = one_of(any_of, self._flags[-1]["i"]) if literal else NOTHING
            return re.escape(literal)
        character = self._pattern[self._at]
        if character in "AzbB":
            self._at += 1
            return {"A": "(?:\\A)", "z": "(?:\\Z)", "b": "(?a:\\b)", "B": "(?a:\\B)"}[character]
        if character == "C":
            raise PatternError("\\C (one byte) is supported by RE2 only: install gradtape[re2]")
        piece = _bracketed(*self._set_or_character())
        self.shape = one_of(piece, self._flags[-1]["i"])
        return piece

    def _set_or_character(self) -> tuple[str, bool]:
        """Parses an escape sequence as a set: the content of brackets, and if it is negated."""
        character = self._next()
        small = character.lower()
        if small in _SETS:
            return _SETS[small], character != small
        if small == "p":
            return self._property(character == "P")
        if character in _PLAIN:
            return _PLAIN[character], False
        if character == "x":
            return self._hexadecimal(), False
        octal = re.match("[0-7]{1,3}", self._pattern[self._at - 1 :])
        if octal and (character == "0" or len(octal[0]) > 1):
            self._at += len(octal[0]) - 1
            return _literal(chr(int(octal[0], 8))), False
        if character.isalnum():
            raise PatternError(f"invalid escape sequence: \\{character}")
        return _literal(character), False

    def _hexadecimal(self) -> str:
        found = re.match(r"([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]+)\}", self._rest())
        if not found or int(found[1] or found[2], 16) > sys.maxunicode:
            raise PatternError(f"invalid escape sequence: \\x{self._rest()[:2]}")
        self._at += found.end()
        return _literal(chr(int(found[1] or found[2], 16)))

    def _property(self, excluded: bool) -> tuple[str, bool]:
        found = re.match(r"\{(\^?)([A-Za-z_]+)\}|()([A-Z])", self._rest())
        name = (found[2] or found[4]) if found else ""
        ranges = _category(name) if found else None
        if not found or ranges is None:
            raise PatternError(f"invalid character class range: \\p{self._rest()[:12]}")
        self._at += found.end()
        return ranges, excluded != bool(found[1])

    def _class(self) -> str:
        """Parses a character class; negated sets in it become alternatives."""
        excluded = self._is_next("^")
        self._at += excluded
        members: list[str] = []
        others: list[str] = []  # the negated sets in the class
        first = True
        while first or not self._is_next("]"):
            if self._at >= len(self._pattern):
                raise PatternError(f"missing ]: {self._pattern}")
            first = False
            self._member(members, others)
        self._at += 1
        inside = "".join(members)
        if not others:
            return _bracketed(inside, excluded)
        choices = [f"[^{other}{_NO_UTF8}]" for other in others]
        union = "|".join([*choices, f"[{inside}]"] if inside else choices)
        return f"(?:(?!{union})[^{_NO_UTF8}])" if excluded else f"(?:{union})"

    def _member(self, members: list[str], others: list[str]) -> None:
        posix = re.match(r"\[:(\^?)([a-z]*):\]", self._rest())
        if posix:
            if posix[2] not in _POSIX:
                raise PatternError(f"invalid character class range: {posix[0]}")
            self._at += posix.end()
            (others if posix[1] else members).append(_POSIX[posix[2]])
            return
        start = self._at
        low, out = self._class_atom()
        is_set = len(low) > 2 and not re.fullmatch(r"\\[xuU][0-9a-f]+", low)
        if out or is_set:
            (others if out else members).append(low)
            return
        if self._is_next("-") and self._pattern[self._at + 1 : self._at + 2] not in ("]", ""):
            self._at += 1
            high, out = self._class_atom()
            if out or len(high) > 10 or _code(high) < _code(low):
                written = self._pattern[start : self._at]
                raise PatternError(f"invalid character class range: {written}")
            members.append(f"{low}-{high}")
            return
        members.append(low)

    def _class_atom(self) -> tuple[str, bool]:
        character = self._next()
        if character != "\\":
            return _literal(character), False
        if self._at >= len(self._pattern):
            raise PatternError(f"missing ]: {self._pattern}")
        return self._set_or_character()


def _code(member: str) -> int:
    """Returns the code of a character inside brackets."""
    if len(member) == 1:
        return ord(member)
    if member[1] == "U":
        return int(member.removeprefix("\\U"), base=16)
    return "abtnvfr".index(member[1]) + 7  # \\a to \\r have consecutive codes.


def _literal(character: str) -> str:
    """Parses a single character inside brackets."""
    code = ord(character)
    return character if character.isascii() and character.isalnum() else f"\\U{code:08x}"


def _bracketed(inside: str, excluded: bool) -> str:
    return f"[^{inside}{_NO_UTF8}]" if excluded else f"[{inside}]"


@lru_cache(64)
def _category(name: str) -> str | None:
    """Returns the characters of a general category of Unicode. Python has no data on scripts."""
    if name == "Any":
        return "\\x00-\\U0010ffff"
    known = {unicodedata.category(chr(code)) for code in range(0x3000)}
    if not any(each.startswith(name) for each in known | {"Co", "Cs", "Cn"}):
        return None
    ranges: list[str] = []
    start: int | None = None
    for code in range(sys.maxunicode + 2):
        inside = code <= sys.maxunicode and unicodedata.category(chr(code)).startswith(name)
        if inside and start is None:
            start = code
        elif not inside and start is not None:
            ranges.append(f"\\U{start:08x}-\\U{code - 1:08x}")
            start = None
    return "".join(ranges)
