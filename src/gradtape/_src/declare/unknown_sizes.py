"""Lengths of axes that are known only when a graph runs.

Such a length supports arithmetic like an integer. Comparisons use a stand-in for it, a random odd
number larger than the length of any array. The outcome of each comparison is recorded as a
decision, and checked against the actual lengths before the graph runs.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, NoReturn, Self

import numpy as np

from gradtape._src.base.shapes import TensorShape

_LEAST = 1 << 40
_numbers = itertools.count()


@cache
def _draw() -> Callable[[int, int], int]:
    """Returns the random generator of the stand-ins."""
    from random import Random

    return Random(20).randrange  # noqa: S311 (no secret)


class NeedsSize(BaseException):
    """A length is needed as a number, so that the function is traced for each length."""


class NeedsRank(NeedsSize):
    """An operation asked for a number of axes, or a value, that only a run of the graph tells."""


class UnforeseenLength(BaseException):
    """A graph runs with a length that contradicts a decision made when it was traced."""


class NegativeLength(UnforeseenLength):
    """A graph runs with a negative length."""


Shape = tuple[Any, ...]
Check = tuple[str, bool]
"""A condition on unknown lengths, and whether it must hold."""


class Decisions:
    """The decisions about the unknown lengths of one trace.

    Attributes:
      taken: The pairs `(code of a condition, whether it held)`.
    """

    def __init__(self) -> None:
        self.taken: dict[str, bool] = {}
        self._check: Any = None

    @property
    def made(self) -> int:
        """The number of decisions so far."""
        return len(self.taken)

    def new(self) -> Size:
        """Returns a new unknown length."""
        stand_in = _draw()(_LEAST, _LEAST << 4) | 1
        return Size(self, stand_in, f"s{next(_numbers)}")

    def new_shape(self) -> UnknownRank:
        """Returns a shape of which not even the number of axes is known."""
        return UnknownRank(self, f"r{next(_numbers)}")

    def shape_of(self, dims: Sequence[Any] | None) -> Shape:
        """Returns a shape with new unknown lengths for None; None gives a shape of unknown rank."""
        if dims is None or type(dims) is UnknownRank:
            return self.new_shape() if dims is None else dims
        return lengths([self.new() if n is None else n for n in dims])

    def needs_rank(self, why: str) -> NeedsRank:
        """Returns the error for a program that needs the axes of a value of unknown rank."""
        return NeedsRank(why)

    def needs_size(self, why: str) -> NeedsSize:
        """Returns the error for a program that needs an unknown length as a number."""
        return NeedsSize(why)

    def mark(self) -> int:
        """Returns a number that separates later lengths from earlier ones."""
        return next(_numbers)

    def taken_since(self, mark: int) -> list[Check]:
        """Removes and returns the decisions about lengths made after a mark."""
        self._check = None
        found = [c for c in self.taken if any(is_newer(name, mark) for name in atoms(c))]
        return [(c, self.taken.pop(c)) for c in found]

    def judged(self, code: str, held: bool) -> bool:
        """Records whether a condition holds, and returns the answer."""
        self.taken[code] = held
        return held

    def begin_call(self) -> None:
        """Is told that a call begins which may become one operation of the graph instead."""

    def end_call(self) -> None:
        """Is told that such a call has ended."""

    def forget(self, count: int) -> bool:
        """Removes all decisions but the first ones; returns whether there were any others."""
        self._check, others = None, list(self.taken)[count:]
        for code in others:
            del self.taken[code]
        return bool(others)

    def besides(self, names: Iterable[str]) -> list[Check]:
        """Returns the decisions about lengths other than those with these names."""
        known = set(names)
        return [(c, held) for c, held in self.taken.items() if not known.issuperset(atoms(c))]

    def hold(self, lengths: dict[str, int]) -> bool:
        """Whether the actual lengths, by name, agree with all decisions.

        The graph's `checks` handle decisions about other lengths, such as those of intermediate
        results.
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
        return self._of(compute(self.stand_in, _value(other)), code, *_nature(symbol, self, other))

    def backward(self: Size, other: Any) -> Any:
        if not isinstance(other, int):
            return NotImplemented
        if other == neutral and symbol != "-":
            return self
        code = f"({other} {symbol} {self.code})"
        return self._of(compute(other, self.stand_in), code, *_nature(symbol, self, other))

    return forward, backward


def _nature(symbol: str, a: Size, b: Any) -> tuple[int, bool]:
    """Returns a factor of a result, and whether some division in it was rounded."""
    factor, rounded = (b.factor, b.rounded) if type(b) is Size else (int(b), False)
    combined = a.factor * factor if symbol == "*" else math.gcd(a.factor, factor)
    return combined, a.rounded or rounded


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
    """An unknown length, or an expression of unknown lengths.

    Args:
      decisions: The record of decisions about it.
      stand_in: The number that represents it in comparisons.
      code: An expression of the names of unknown lengths.
      factor: A number by which it can be divided whatever the lengths are.
      rounded: Whether the result of a division in it is rounded, which depends on the lengths.
    """

    __slots__ = ("code", "decisions", "factor", "rounded", "stand_in")

    def __init__(
        self,
        decisions: Decisions,
        stand_in: int,
        code: str,
        factor: int = 1,
        rounded: bool = False,
    ) -> None:
        self.decisions, self.stand_in, self.code = decisions, stand_in, code
        self.factor, self.rounded = factor, rounded

    def _of(self, value: int, code: str, factor: int, rounded: bool) -> Any:
        """Returns a result, as a number if the unknown lengths cancel out."""
        if rounded or abs(value) >= _LEAST >> 20:
            return Size(self.decisions, value, code, factor, rounded)
        return value

    __add__, __radd__ = _computed("+", lambda a, b: a + b)
    __sub__, __rsub__ = _computed("-", lambda a, b: a - b)
    __mul__, __rmul__ = _computed("*", lambda a, b: a * b, neutral=1)

    def _divides(self, other: Any) -> bool:
        """Whether a division by a number or length leaves no rest, whatever the lengths are."""
        if type(other) is Size:
            return not (self.rounded or other.rounded or self.stand_in % other.stand_in)
        return bool(other != 0 and self.factor % other == 0)

    def __floordiv__(self, other: Any) -> Any:
        if type(other) is int and other == 1:
            return self
        quotient, code = self.stand_in // _value(other), f"({self.code} // {_code(other)})"
        if not self._divides(other):
            return Size(self.decisions, quotient, code, rounded=True)
        factor = 1 if type(other) is Size else self.factor // other
        return self._of(quotient, code, factor, self.rounded)

    def __mod__(self, other: Any) -> Any:
        if self._divides(other):
            return 0
        code = f"({self.code} % {_code(other)})"
        return Size(self.decisions, self.stand_in % _value(other), code, rounded=True)

    def __rfloordiv__(self, other: int) -> Any:
        code = f"({other} // ({self.code} or 1))"
        return Size(self.decisions, other // self.stand_in, code, rounded=True)

    def __rmod__(self, other: int) -> Any:
        code = f"({other} % ({self.code} or 1))"
        return Size(self.decisions, other % self.stand_in, code, rounded=True)

    def __neg__(self) -> Any:
        return Size(self.decisions, -self.stand_in, f"(-{self.code})", self.factor, self.rounded)

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
        raise self.decisions.needs_size(f"the length {self.code} is needed as a number")

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
        """Returns the shape as a program sees it, with None for unknown lengths."""
        return TensorShape.of(tuple([None if type(n) is Size else n for n in self]))


class UnknownRank(Lengths):
    """The shape of a value of which not even the number of axes is known.

    Code that needs an axis of it raises `NeedsSize`. As a parameter of an operation it stands for
    the shape that the value has when the graph runs.

    Args:
      decisions: The record of decisions, as for a `Size`.
      code: The name of the shape.
    """

    decisions: Decisions
    code: str

    def __new__(cls, decisions: Decisions, code: str) -> Self:
        made = tuple.__new__(cls)
        made.decisions, made.code = decisions, code
        return made

    def _asked(self, *_: object) -> NoReturn:
        raise self.decisions.needs_rank("the number of axes of a tensor of unknown rank is needed")

    __len__ = __iter__ = __reversed__ = __getitem__ = __contains__ = _asked
    __add__ = __radd__ = __mul__ = __lt__ = __le__ = __gt__ = __ge__ = _asked

    def __eq__(self, other: object) -> bool:
        if other is None:
            return False
        same = type(other) is UnknownRank and other.code == self.code
        return same or self._asked()

    def __hash__(self) -> int:
        return hash(self.code)

    def __repr__(self) -> str:
        return f"<shape {self.code}>"

    def known(self) -> TensorShape:
        return TensorShape(None)


def lengths(shape: Sequence[Any]) -> tuple[Any, ...]:
    """Returns a shape as a tuple, one with unknown lengths as `Lengths`."""
    if type(shape) is UnknownRank:
        return shape
    return Lengths(shape) if is_unknown(shape) else tuple(shape)


def is_unknown(shape: Sequence[Any]) -> bool:
    """Whether a shape has an unknown length, or an unknown number of them."""
    if type(shape) is UnknownRank:
        return True
    return any([type(n) is Size for n in shape])  # noqa: C419 (half the time of a generator)


def broadcast_shapes(*shapes: Sequence[Any]) -> tuple[Any, ...]:
    """Returns the shape to which shapes broadcast.

    If an unknown length meets a known one other than 1, the result has the known one.

    Raises:
      ValueError: The shapes do not broadcast.
    """
    if not any(map(is_unknown, shapes)):
        with suppress(ValueError):  # NumPy also raises it for more elements than it can count
            return np.broadcast_shapes(*shapes)
    without = next((s for s in shapes if type(s) is UnknownRank), None)
    if without is not None:
        return without.decisions.new_shape()
    rank = max(map(len, shapes))
    found: tuple[Any, ...] = lengths(
        [_widest([s[i] for s in shapes if -i <= len(s)]) for i in range(-rank, 0)]
    )
    return found


def _widest(along: Sequence[Any]) -> Any:
    """Returns the broadcast length of an axis of several shapes."""
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
    """Whether lengths are equal for all unknown ones; makes no decision."""
    if UnknownRank in (type(a), type(b)):
        return a is b
    return [*map(_code, a)] == [*map(_code, b)]


def are_alike(a: Any, b: Any) -> bool:
    """Whether the shapes of two values are equal for all unknown lengths; makes no decision."""
    found: bool = a == b if type(a) is tuple is type(b) else surely_equal(a, b)
    return found


def may_be_equal(a: Sequence[Any], b: Sequence[Any]) -> bool:
    """Whether shapes are equal except for unknown lengths; makes no decision."""
    if UnknownRank in (type(a), type(b)):
        return True
    if len(a) != len(b):
        return False
    return all(Size in (type(n), type(m)) or n == m for n, m in zip(a, b, strict=True))


def named_lengths(shape: Sequence[Any], actual: Sequence[Any]) -> dict[str, Any]:
    """Returns the actual lengths of a value, by the names of the unknown lengths in its shape."""
    if type(shape) is UnknownRank:
        return {shape.code: actual}
    if type(actual) is UnknownRank:
        raise NeedsRank("a value has no shape, but the trace needs its number of axes")
    return {n.code: m for n, m in zip(shape, actual, strict=True) if type(n) is Size}


def sizes_in(x: Any) -> Iterator[Size | UnknownRank]:
    """Yields the unknown lengths and shapes in a structure of tuples and lists."""
    if type(x) is Size or type(x) is UnknownRank:
        yield x
    elif isinstance(x, (tuple, list)):
        for y in x:
            yield from sizes_in(y)


def has_sizes(x: Any) -> bool:
    """Whether there is an unknown length or shape in a structure of tuples and lists."""
    return next(sizes_in(x), None) is not None


def evaluated(x: Any, values: dict[str, int]) -> Any:
    """Returns a structure of tuples and lists with numbers in place of its unknown lengths."""
    if type(x) is Size:
        return eval(x.code, {"__builtins__": {}}, values)  # noqa: S307 (made here)
    if type(x) is UnknownRank:
        return values[x.code]
    if isinstance(x, (tuple, list)):
        parts = [evaluated(y, values) for y in x]
        if hasattr(x, "_fields"):
            return type(x)(*parts)
        return tuple(parts) if type(x) is Lengths else type(x)(parts)
    return x


class Pending:
    """Checks that wait until their lengths are known.

    Attributes:
      lengths: The lengths that are known, by name.
    """

    def __init__(self, checks: Iterable[Check]) -> None:
        self.lengths: dict[str, Any] = {}
        self._left = [(c, held, set(atoms(c))) for c, held in checks]

    def __bool__(self) -> bool:
        return bool(self._left)

    def ready(self, names: Collection[str]) -> list[Check]:
        """Returns the checks that can be made if the lengths of these names are known."""
        if not self._left:
            return []
        now = [(c, held) for c, held, about in self._left if about.issubset(names)]
        self._left = [each for each in self._left if not each[2].issubset(names)]
        return now

    def learn(self, symbols: Sequence[Any], values: Sequence[Any]) -> None:
        """Notes the lengths of symbols' values, and makes the checks that can be made then.

        Raises:
          UnforeseenLength: A length contradicts a decision.
        """
        lengths = self.lengths
        for x, value in zip(symbols, values, strict=True):
            if is_unknown(x.shape):
                lengths.update(named_lengths(x.shape, value.shape))
        for condition, held in self.ready(lengths):
            if bool(eval(condition, {"__builtins__": {}}, lengths)) is not held:  # noqa: S307 (made here)
                raise UnforeseenLength(condition)


def is_newer(name: str, mark: int) -> bool:
    """Whether a length was made after a mark."""
    return int(name[1:]) > mark


def joined(a: Sequence[Any], b: Sequence[Any], decisions: Decisions, mark: int) -> Shape:
    """Returns a shape that covers two shapes, for a value that has one or the other.

    Args:
      a: A shape.
      b: A second shape.
      decisions: Makes an unknown length for each axis in which the shapes differ.
      mark: Lengths made after this mark exist in only one of the two.
    """
    if UnknownRank in (type(a), type(b)) or len(a) != len(b):
        return decisions.new_shape()

    def length(n: Any, m: Any) -> Any:
        inside = type(n) is Size and any(is_newer(name, mark) for name in atoms(n.code))
        return n if _code(n) == _code(m) and not inside else decisions.new()

    return lengths([length(n, m) for n, m in zip(a, b, strict=True)])


def renewed(shapes: Sequence[Any], lengths: dict[str, Any], decisions: Decisions) -> list[Any]:
    """Replaces the unknown lengths in shapes by current ones, or by new ones.

    Args:
      shapes: The shapes.
      lengths: The current lengths by name; new ones are added.
      decisions: Makes new ones.
    """
    for size in sizes_in(list(shapes)):
        for name in atoms(size.code):
            if name not in lengths:
                lengths[name] = decisions.new() if type(size) is Size else decisions.new_shape()
    return [evaluated(shape, lengths) for shape in shapes]


def atoms(code: str) -> list[str]:
    """Returns the names of the unknown lengths and shapes in a code."""
    return _ATOM.findall(code)


_ATOM = re.compile(r"[rs]\d+")
