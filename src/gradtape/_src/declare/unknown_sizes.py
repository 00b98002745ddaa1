"""Lengths of axes that are known only when a graph runs.

Such a length computes like an integer. It has a stand-in, a huge prime that no array's length is,
by which comparisons are decided; what was decided is noted, and checked against the actual lengths
before the graph runs for them.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, NoReturn

import numpy as np

from gradtape._src.base.shapes import TensorShape

_LEAST = 1 << 40
_draw = random.Random(20).randrange  # noqa: S311 (no secret)
_numbers = itertools.count()


class NeedsSize(BaseException):
    """Something asked for a length as a number: the function is traced for each length."""


class UnforeseenLength(BaseException):
    """A graph runs with a length of which something else was decided when it was traced."""


Shape = tuple[Any, ...]
Check = tuple[str, bool]
"""A condition about unknown lengths, and whether it has to hold."""


class Decisions:
    """The decisions about the unknown lengths of one trace.

    Attributes:
      taken: `(code of a condition, whether it held)`.
    """

    def __init__(self) -> None:
        self.taken: dict[str, bool] = {}
        self._check: Any = None

    def new(self) -> Size:
        """Returns a length that nothing is known of."""
        stand_in = _draw(_LEAST, _LEAST << 4) | 1
        return Size(self, stand_in, f"s{next(_numbers)}")

    def mark(self) -> int:
        """A number by which the lengths that are made from now on are told from older ones."""
        return next(_numbers)

    def taken_since(self, mark: int) -> list[Check]:
        """Takes out what was decided about lengths that were made after a mark."""
        self._check = None
        found = [c for c in self.taken if any(is_newer(name, mark) for name in atoms(c))]
        return [(c, self.taken.pop(c)) for c in found]

    def judged(self, code: str, held: bool) -> bool:
        """Notes whether a condition holds, and says so."""
        self.taken[code] = held
        return held

    def besides(self, names: Iterable[str]) -> list[Check]:
        """Returns the decisions about lengths other than those with these names."""
        known = set(names)
        return [(c, held) for c, held in self.taken.items() if not known.issuperset(atoms(c))]

    def hold(self, lengths: dict[str, int]) -> bool:
        """Whether actual lengths, by the names of the unknown ones, agree with all decisions.

        Decisions about other lengths, such as those of intermediate results, are left to the
        graph's `checks`.
        """
        names = set(lengths)
        if self._check is None or self._check[:2] != (len(self.taken), names):
            held_ = [c for c in self.taken if names.issuperset(atoms(c))]
            terms = [c if self.taken[c] else f"not ({c})" for c in held_]
            code = compile(" and ".join(terms) or "True", "<decisions>", "eval")
            self._check = (len(self.taken), names, code)
        return bool(eval(self._check[2], {"__builtins__": {}}, lengths))  # noqa: S307 (made here)


def _value(x: Any) -> int:
    return x.stand_in if type(x) is Size else x


def _code(x: Any) -> str:
    return x.code if type(x) is Size else str(int(x))


def _computed(symbol: str, compute: Callable[[int, int], int], neutral: int = 0) -> Any:
    def forward(self: Size, other: Any) -> Any:
        if type(other) is not Size and not isinstance(other, int):
            return NotImplemented
        if type(other) is int and other == neutral:
            return self
        code = f"({self.code} {symbol} {_code(other)})"
        return self._of(compute(self.stand_in, _value(other)), code)

    def backward(self: Size, other: Any) -> Any:
        if not isinstance(other, int):
            return NotImplemented
        if other == neutral and symbol != "-":
            return self
        return self._of(compute(other, self.stand_in), f"({other} {symbol} {self.code})")

    return forward, backward


def _compared(symbol: str, compare: Callable[[int, int], bool]) -> Any:
    def run(self: Size, other: Any) -> Any:
        if type(other) is not Size and not isinstance(other, int):
            return NotImplemented
        held = compare(self.stand_in, _value(other))
        code = _code(other)
        if code != self.code:
            return self.decisions.judged(f"{self.code} {symbol} {code}", held)
        return held

    return run


class Size:
    """An unknown length, or what is computed of some.

    Args:
      decisions: Where decisions about it are noted.
      stand_in: The number by which it is compared.
      code: Computes it of the names of unknown lengths.
    """

    __slots__ = ("code", "decisions", "stand_in")

    def __init__(self, decisions: Decisions, stand_in: int, code: str) -> None:
        self.decisions, self.stand_in, self.code = decisions, stand_in, code

    def _of(self, value: int, code: str) -> Any:
        """Returns a result: a number if all that is unknown has cancelled out."""
        return Size(self.decisions, value, code) if abs(value) >= _LEAST >> 20 else value

    __add__, __radd__ = _computed("+", lambda a, b: a + b)
    __sub__, __rsub__ = _computed("-", lambda a, b: a - b)
    __mul__, __rmul__ = _computed("*", lambda a, b: a * b, neutral=1)

    def __floordiv__(self, other: Any) -> Any:
        if type(other) is int and other == 1:
            return self
        quotient, rest = divmod(self.stand_in, _value(other))
        code = f"({self.code} // {_code(other)})"
        return Size(self.decisions, quotient, code) if rest else self._of(quotient, code)

    def __mod__(self, other: Any) -> Any:
        rest = self.stand_in % _value(other)
        return Size(self.decisions, rest, f"({self.code} % {_code(other)})") if rest else 0

    def __neg__(self) -> Any:
        return Size(self.decisions, -self.stand_in, f"(-{self.code})")

    def __abs__(self) -> Any:
        return self if self > 0 else -self

    __eq__ = _compared("==", lambda a, b: a == b)
    __ne__ = _compared("!=", lambda a, b: a != b)
    __lt__ = _compared("<", lambda a, b: a < b)
    __le__ = _compared("<=", lambda a, b: a <= b)
    __gt__ = _compared(">", lambda a, b: a > b)
    __ge__ = _compared(">=", lambda a, b: a >= b)

    def __hash__(self) -> int:
        return hash(self.stand_in)

    def __bool__(self) -> bool:
        return bool(self != 0)

    def __index__(self) -> NoReturn:
        raise NeedsSize(f"the length {self.code} is needed as a number")

    __int__ = __float__ = __index__

    def __repr__(self) -> str:
        return f"<length {self.code}>"


class Lengths(tuple[Any, ...]):
    """A shape with unknown lengths in it."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        found = tuple.__getitem__(self, key)
        return lengths(found) if type(key) is slice else found

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, tuple) or len(self) != len(other):
            return False
        return all([a is b or a == b for a, b in zip(self, other, strict=True)])  # noqa: C419

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return tuple.__hash__(self)

    def known(self) -> TensorShape:
        """Returns the shape as a program sees it, with None for what is unknown."""
        return TensorShape.of(tuple([None if type(n) is Size else n for n in self]))


def lengths(shape: Sequence[Any]) -> tuple[Any, ...]:
    """Returns a shape as a tuple, one with unknown lengths as `Lengths`."""
    return Lengths(shape) if is_unknown(shape) else tuple(shape)


def is_unknown(shape: Sequence[Any]) -> bool:
    """Whether a shape has an unknown length."""
    return any([type(n) is Size for n in shape])  # noqa: C419 (half the time of a generator)


def broadcast_shapes(*shapes: Sequence[Any]) -> tuple[Any, ...]:
    """Returns the shape to which shapes broadcast.

    Where an unknown length meets a known one that is not 1, the result has the known one.

    Raises:
      ValueError: The shapes do not broadcast.
    """
    if not any(map(is_unknown, shapes)):
        return np.broadcast_shapes(*shapes)
    rank = max(map(len, shapes))
    found: tuple[Any, ...] = lengths(
        [_widest([s[i] for s in shapes if -i <= len(s)]) for i in range(-rank, 0)]
    )
    return found


def _widest(along: Sequence[Any]) -> Any:
    """Returns the length of an axis to which lengths of several shapes broadcast."""
    known = {n for n in along if type(n) is not Size and n != 1}
    if len(known) > 1:
        raise ValueError(f"shapes do not broadcast: {sorted(known)} along one axis")
    if known:
        return known.pop()
    unknown = {n.code: n for n in along if type(n) is Size}
    if len(unknown) > 1:
        return next(iter(unknown.values())).decisions.new()
    return next(iter(unknown.values()), 1)


def surely_equal(a: Sequence[Any], b: Sequence[Any]) -> bool:
    """Whether shapes are equal whatever the unknown lengths are; nothing is decided by asking."""
    return [*map(_code, a)] == [*map(_code, b)]


def may_be_equal(a: Sequence[Any], b: Sequence[Any]) -> bool:
    """Whether shapes are equal but for what is unknown; nothing is decided by asking."""
    if len(a) != len(b):
        return False
    return all(Size in (type(n), type(m)) or n == m for n, m in zip(a, b, strict=True))


def named_lengths(shape: Sequence[Any], actual: Sequence[Any]) -> dict[str, Any]:
    """Returns the lengths that a value has, by the names of the unknown ones in its shape."""
    return {n.code: m for n, m in zip(shape, actual, strict=True) if type(n) is Size}


def sizes_in(x: Any) -> Iterator[Size]:
    """Yields the unknown lengths in a structure of tuples and lists."""
    if type(x) is Size:
        yield x
    elif isinstance(x, (tuple, list)):
        for y in x:
            yield from sizes_in(y)


def evaluated(x: Any, values: dict[str, int]) -> Any:
    """Returns a structure of tuples and lists with numbers for its unknown lengths."""
    if type(x) is Size:
        return eval(x.code, {"__builtins__": {}}, values)  # noqa: S307 (made here)
    if isinstance(x, (tuple, list)):
        parts = [evaluated(y, values) for y in x]
        if hasattr(x, "_fields"):
            return type(x)(*parts)
        return tuple(parts) if type(x) is Lengths else type(x)(parts)
    return x


class Pending:
    """Checks that wait for the lengths that they are about."""

    def __init__(self, checks: Iterable[Check]) -> None:
        self._left = [(c, held, set(atoms(c))) for c, held in checks]

    def __bool__(self) -> bool:
        return bool(self._left)

    def ready(self, names: Collection[str]) -> list[Check]:
        """Returns the checks that can be made now that lengths of these names are known."""
        if not self._left:
            return []
        now = [(c, held) for c, held, about in self._left if about.issubset(names)]
        self._left = [each for each in self._left if not each[2].issubset(names)]
        return now

    def make(self, lengths: dict[str, Any]) -> None:
        """Makes the checks that can be made for these lengths.

        Raises:
          UnforeseenLength: Something else was decided.
        """
        for condition, held in self.ready(lengths):
            if bool(eval(condition, {"__builtins__": {}}, lengths)) is not held:  # noqa: S307 (made here)
                raise UnforeseenLength(condition)


def is_newer(name: str, mark: int) -> bool:
    """Whether a length was made after a mark."""
    return int(name[1:]) > mark


def joined(a: Sequence[Any], b: Sequence[Any], decisions: Decisions, mark: int) -> Shape | None:
    """Returns the shape of what has one of two shapes; None if their numbers of axes differ.

    Args:
      a: A shape.
      b: Another one.
      decisions: Where lengths are made that are unknown because the two differ.
      mark: Lengths that were made after it are known to one of the two alone.
    """
    if len(a) != len(b):
        return None

    def length(n: Any, m: Any) -> Any:
        inside = type(n) is Size and any(is_newer(name, mark) for name in atoms(n.code))
        return n if _code(n) == _code(m) and not inside else decisions.new()

    return lengths([length(n, m) for n, m in zip(a, b, strict=True)])


def renewed(shapes: Sequence[Any], lengths: dict[str, Any], decisions: Decisions) -> list[Any]:
    """Shapes with present lengths for their unknown ones; those that nobody knows are new.

    Args:
      shapes: The shapes.
      lengths: By name, the present lengths; new ones are entered.
      decisions: Where new ones are from.
    """
    for size in sizes_in(list(shapes)):
        for name in atoms(size.code):
            if name not in lengths:
                lengths[name] = decisions.new()
    return [evaluated(shape, lengths) for shape in shapes]


def atoms(code: str) -> list[str]:
    """Returns the names of the unknown lengths in a code."""
    return _ATOM.findall(code)


_ATOM = re.compile(r"s\d+")
