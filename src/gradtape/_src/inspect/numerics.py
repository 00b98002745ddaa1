"""The mode that finds the operation with the first non-finite result."""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.base.export import export
from gradtape._src.core.primitive import Outputs, Plan, Primitive, Record
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.structural import reduce_sum_p
from gradtape._src.declare.traits import traits_of
from gradtape._src.inspect import traps, watchers
from gradtape._src.inspect.finiteness import finite, masked, raw
from gradtape._src.inspect.records import kept_names
from gradtape._src.inspect.source_lines import Place, Site, name_in, site, user_frame
from gradtape._src.inspect.traps import MENDING, Operand, Trap
from gradtape._src.inspect.watchers import TappedPlan, Watcher
from gradtape._src.ops.elementwise.arithmetic import mul_p
from gradtape._src.ops.elementwise.powers import pow_p, square_p, squared_difference_p
from gradtape._src.ops.elementwise.selection import select_p
from gradtape._src.ops.reduce.reductions import reduce_mean_p

_REMEMBERED = 100_000
_SUMS = (reduce_sum_p.primitive, reduce_mean_p.primitive)
_SQUARES = (square_p.primitive, pow_p.primitive, squared_difference_p.primitive)


@export("debugging.NonFinite")
@dataclass(frozen=True, repr=False, eq=False)
class NonFinite:
    """The origin of a non-finite number.

    Attributes:
      phase: "forward" or "backward".
      operation: The operation; for "backward", the operation whose derivative failed.
      where: The line in the program; for "backward", the line of the forward operation.
      result: The range of the result.
      operands: The ranges of the operands; for "backward", of the incoming gradient and the values
        that the derivative needs.
      trap: The well-known trap, if the case is one.
      selected: For a branch of `where`: the place of the `where`.
    """

    phase: str
    operation: str
    where: Place | None
    result: Operand
    operands: tuple[Operand, ...]
    trap: Trap
    selected: Place | None = None

    @property
    def mend(self) -> str:
        """The way to mend the problem."""
        return MENDING[self.trap].format(dtype=self.result.dtype)

    def __str__(self) -> str:
        what = " and ".join(
            w for w, n in (("NaN", self.result.nans), ("Inf", self.result.infinities)) if n
        )
        of = "" if self.phase == "forward" else "the gradient of "
        op = f'{of}eagerly-executing op "{self.operation}"'
        had = f"Tensor had {what} values ({self.phase})"
        lines = [f"Detected Infinity or NaN in output 0 of {op} : {had}"]
        if self.where is not None:
            text, marks = self.where.marked
            lines += ["", f"  {self.where}:", *(f"    {s}" for s in (text, marks) if s)]
        lines += [f"  {x}" for x in self.operands]
        lines += [f"  -> {self.result}", "", f"This is {self.trap.value}."]
        if self.selected is not None:
            lines.append(f"The `where`: {self.selected}: {self.selected.marked[0]}")
        lines.append(f"To mend it: {self.mend}")
        return "\n".join(lines)

    __repr__ = __str__


@export("debugging.NonFiniteError")
class NonFiniteError(InvalidArgumentError):
    """An operation has a non-finite result while numbers are checked.

    Args:
      finding: The finding with its place.

    Attributes:
      finding: The details, a `NonFinite`.
    """

    def __init__(self, finding: NonFinite) -> None:
        super().__init__(None, None, f"{finding} [Op:CheckNumericsV2]")
        self.finding = finding

    def __reduce__(self) -> tuple[Any, ...]:
        return InvalidArgumentError, (None, None, self.message)


class _Made(NamedTuple):
    """The origin of a followed value."""

    primitive: Primitive
    inputs: tuple[int, ...]
    site: Site | None


class Checker(Watcher):
    """Checks every result and every cotangent.

    Args:
      report: A function that handles a finding.
      origins_only: Whether to ignore numbers that were already non-finite.
    """

    def __init__(self, report: Callable[[NonFinite], None], *, origins_only: bool) -> None:
        self._report = report
        self._origins_only = origins_only
        self._made: dict[int, _Made] = {}
        # .inside: whether a derivative rule of gradtape is running.
        self._thread = threading.local()

    def process(
        self, primitive: Primitive, inputs: Sequence[Tensor], params: dict[str, Any]
    ) -> Outputs:
        out = primitive.bind(*inputs, **params)
        if self not in watchers.active() or getattr(self._thread, "inside", False):
            return out
        outs = out if isinstance(out, tuple) else (out,)
        self._remember(primitive, inputs, outs)
        if not traits_of(primitive).passes_on:
            for y in outs:
                if not finite(y):
                    self._forward(primitive, inputs, y)
                    break
        return out

    def custom(self, plan: Plan, inputs: Sequence[Any], outputs: Sequence[Tensor]) -> None:
        self._remember(plan.primitive, inputs, outputs)

    def _remember(
        self, primitive: Primitive, inputs: Sequence[Any], outs: Sequence[Tensor]
    ) -> None:
        ids = [y._id for y in outs if y._id]
        if ids:
            made = _Made(primitive, tuple([getattr(x, "_id", 0) for x in inputs]), site())
            self._made.update(dict.fromkeys(ids, made))
            while len(self._made) > _REMEMBERED:
                del self._made[next(iter(self._made))]

    def pulling(self, records: list[Record]) -> None:
        for k, record in enumerate(records):
            around = functools.partial(self._vjp, record)
            records[k] = TappedPlan(record[0], around), *record[1:]

    def _vjp(
        self,
        record: Record,
        vjp: Callable[..., Any],
        g: Any,
        ids: Any,
        saved: Any,
        static: Any,
    ) -> Any:
        """Pulls back without checks inside a rule, and checks the results."""
        before = getattr(self._thread, "inside", False)
        self._thread.inside = before or not record[0].always
        try:
            cotangents = list(vjp(g, ids, saved, static))
        finally:
            self._thread.inside = before
        if not before:
            for i, d in zip(ids, cotangents, strict=False):
                if i and d is not None and not finite(d):
                    self._backward(record, g, d)
                    break
        return cotangents

    def _forward(self, primitive: Primitive, inputs: Sequence[Tensor], out: Tensor) -> None:
        frame = user_frame()
        operands = tuple(
            Operand.of(_name(frame, x) or f"operand {i}", raw(x)) for i, x in enumerate(inputs)
        )
        result = Operand.of("result", raw(out))
        trap = traps.forward(traits_of(primitive).hazard, operands, nan=result.nans > 0)
        where = Place.of(site())
        self._tell(NonFinite("forward", primitive.name, where, result, operands, trap))

    def _backward(self, record: Record, g: Any, d: Any) -> None:
        plan, out, ids, saved, _ = record
        name, hazard = plan.primitive.name, traits_of(plan.primitive).hazard
        first = out if type(out) is int else next(o for o in out if o)
        gs = [x for x in (g if isinstance(g, list) else [g]) if x is not None]
        made = self._made.get(first)
        names = kept_names(record)
        kept = tuple(Operand.of(n, raw(x)) for n, x in zip(names, saved, strict=False))
        incoming = tuple(Operand.of("incoming gradient", raw(x)) for x in gs)
        result = Operand.of("outgoing gradient", raw(d))
        hidden = masked(raw(gs[0]), raw(d))
        selected = self._selected(first) if hidden else None
        if selected is not None:
            trap = Trap.WHERE_BRANCH
        elif not all(x.finite for x in incoming):
            trap = Trap.NOT_FINITE_BEFORE
        else:
            squares = self._of_squares(ids)
            trap = traps.backward(hazard, kept, of_squares=squares, masked=hidden)
        where = Place.of(made.site) if made is not None else None
        operands = (*incoming, *kept)
        self._tell(NonFinite("backward", name, where, result, operands, trap, selected))

    def _tell(self, finding: NonFinite) -> None:
        if finding.trap is not Trap.NOT_FINITE_BEFORE or not self._origins_only:
            self._report(finding)

    def _selected(self, start: int) -> Place | None:
        """Returns the place of a `where` that selects from a value's results, if there is one."""
        reached = {start}
        for outcome, made in list(self._made.items()):
            if not reached.isdisjoint(made.inputs):
                if made.primitive is select_p.primitive:
                    return Place.of(made.site)
                reached.add(outcome)
        return None

    def _of_squares(self, ids: Sequence[int]) -> bool:
        """Whether a value is a sum (or mean) of squares."""
        total = self._made.get(ids[0])
        if total is None or total.primitive not in _SUMS:
            return False
        square = self._made.get(total.inputs[0])
        if square is None:
            return False
        return square.primitive in _SQUARES or (
            square.primitive is mul_p.primitive and square.inputs[0] == square.inputs[1]
        )


def _name(frame: Any, x: Tensor) -> str | None:
    """Returns the program's name for an operand, which is a tensor or a variable that was read."""
    found = name_in(frame, x)
    if found is None and x._id and frame is not None:
        for space in (frame.f_locals, frame.f_globals):
            for name, held in list(space.items()):
                if getattr(held, "_id", 0) == x._id and not name.startswith("_"):
                    return str(name)
    return found


_checker: Checker | None = None


def _raise(finding: NonFinite) -> None:
    raise NonFiniteError(finding)


@export("debugging.enable_check_numerics")
def enable_check_numerics(stack_height_limit: int = 30, path_length_limit: int = 50) -> None:
    """Makes operations raise an error for NaN and infinity from now on, forward and backward.

    The error names the operation, the line in the program, the ranges of the operands, and, for a
    well-known trap, how to mend it. For a gradient, it names the line of the operation whose
    derivative is not finite.

    Args:
      stack_height_limit: Accepted for compatibility.
      path_length_limit: Accepted for compatibility.

    Raises:
      InvalidArgumentError: Raised later, by the operation; its attribute `finding` is a
        `NonFinite`.
    """
    global _checker  # noqa: PLW0603 (a mode of the process)
    if _checker is None:
        _checker = Checker(_raise, origins_only=False)
        watchers.start(_checker)


@export("debugging.disable_check_numerics")
def disable_check_numerics() -> None:
    """Ends the mode of `enable_check_numerics`."""
    global _checker  # noqa: PLW0603
    if _checker is not None:
        watchers.stop(_checker)
        _checker = None


@export("debugging.numerics_checked")
@contextlib.contextmanager
def numerics_checked(report: Callable[[NonFinite], None] | None = None) -> Iterator[None]:
    """A `with` block (or decorator) that checks numbers; see `enable_check_numerics`.

    Args:
      report: Called with a `NonFinite` for each operation that has a non-finite result for finite
        operands (`print`, or a list's `append`), in place of an error.

    Returns:
      A context manager.

    Raises:
      InvalidArgumentError: Without `report`, by the operation.

    >>> x = tf.Variable(0.0)
    >>> found = []
    >>> with tf.debugging.numerics_checked(found.append):
    ...     with tf.GradientTape() as tape:
    ...         y = tf.where(x > 0, tf.math.log(x), 0.0)
    ...     dy = tape.gradient(y, x)
    >>> found[0].trap.name
    'LOG_OF_ZERO'
    """
    checker = Checker(report or _raise, origins_only=report is not None)
    watchers.start(checker)
    try:
        yield
    finally:
        watchers.stop(checker)
