"""Finds the patterns that Python's `re` may run: those that cannot take exponential time.

Python tries one way to match after another. It takes exponential time if a repetition can match the
same text in several ways, like `(a+)+`, `(a|a)*` and `(a?){30}`. A `Shape` holds the properties of
an expression that decide this: which characters can come first, and which characters can follow the
last one within the expression. Unless the next character always determines how matching continues,
an expression is taken as ambiguous. The analysis is conservative.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

# the limit on choices of an ambiguous expression without ambiguous repetition
_MOST_CHOICES: Final = 12
_OTHER: Final = 1 << 128  # stands for all characters that are not ASCII


@dataclass(frozen=True, slots=True)
class Shape:
    """The properties of an expression that decide how long a match can take.

    Attributes:
      first: The characters that a match can begin with, as bits.
      tail: The characters that can follow the last character within the expression.
      nullable: Whether it matches the empty text.
      ambiguous: Whether some text can be matched in several ways.
      choices: The number of parts that are optional or of variable length.
      unsafe: Whether an ambiguous part is repeated.
      copies: The maximum number of repetitions of a part, by nested counted repetitions.
    """

    first: int = 0
    tail: int = 0
    nullable: bool = True
    ambiguous: bool = False
    choices: int = 0
    unsafe: bool = False
    copies: int = 1

    @property
    def is_safe(self) -> bool:
        """Whether matching never takes exponential time."""
        return not self.unsafe and not (self.ambiguous and self.choices > _MOST_CHOICES)

    def then(self, after: Shape) -> Shape:
        """Returns the shape of the concatenation of two expressions."""
        meets = self.tail & after.first or (self.nullable and self.first & after.first)
        return Shape(
            self.first | (after.first if self.nullable else 0),
            after.tail | (self.tail | after.first if after.nullable else 0),
            self.nullable and after.nullable,
            self.ambiguous or after.ambiguous or bool(meets),
            self.choices + after.choices,
            self.unsafe or after.unsafe,
            max(self.copies, after.copies),
        )

    def either(self, other: Shape) -> Shape:
        """Returns the shape of the alternation of two expressions."""
        meets = self.first & other.first or (self.nullable and other.nullable)
        return Shape(
            self.first | other.first,
            self.tail | other.tail,
            self.nullable or other.nullable,
            self.ambiguous or other.ambiguous or bool(meets),
            self.choices + other.choices,
            self.unsafe or other.unsafe,
            max(self.copies, other.copies),
        )

    def repeated(self, least: int, most: float) -> Shape:
        """Returns the shape of a repeated expression."""
        again = most > 1
        varies = self.tail != 0 or least != most
        counted = least if math.isinf(most) else int(most)
        return Shape(
            self.first,
            self.tail | (self.first if again and least != most else 0),
            self.nullable or least == 0,
            self.ambiguous or (self.nullable and least != most),
            self.choices + varies,
            self.unsafe
            or (again and (self.ambiguous or self.nullable or bool(self.tail & self.first))),
            self.copies * max(counted, 1),
        )


NOTHING: Final = Shape()
"""The shape of what takes no character: the empty expression, `^`, `$`, `\\b`."""


@lru_cache(1024)
def character(piece: str, any_case: bool) -> Shape:
    """Returns the shape of an expression that matches one character.

    Args:
      piece: The expression in Python's syntax.
      any_case: Whether the match is case-insensitive.
    """
    matcher = re.compile(f"(?i:{piece})" if any_case else piece)
    mask = sum(1 << code for code in range(128) if matcher.fullmatch(chr(code)))
    beyond = any(int(code, 16) > 127 for code in re.findall(r"\\U([0-9a-f]{8})", piece))
    if any_case or beyond or "[^" in piece or not piece.isascii():
        mask |= _OTHER
    return Shape(first=mask, nullable=False)
