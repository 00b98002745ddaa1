"""Converts the unrolled steps of a Python loop back to an XLA loop; needs JAX.

XLA needs minutes to compile a program that repeats the same operations a hundred times, and its
compiler may overflow the stack. Repetitions are found in the traced program, independent of the
Python code, and each run of equal steps becomes one `lax.scan`, including the steps of a tape's
backward pass. The inputs of a step are of four kinds: constant in all steps, computed by the
previous step, computed within the step, or a row of a tensor for each step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend import core as jax_core

LEAST_STEPS = 8
LEAST_SAVED = 150
ALIKE_IN_STEP = 8  # the maximum number of equal products in one step
HEAVY = frozenset({"dot_general", "conv_general_dilated"})
Place = tuple[int, int]
"""A result in a step: the position of an equation in the step, and the index of the result."""


@dataclass
class Run:
    """A run of equal steps: equations `start` to `start + period * count`."""

    start: int
    period: int
    count: int

    @property
    def stop(self) -> int:
        return self.start + self.period * self.count


def rolled(jaxpr: Any, inputs: Container[Any]) -> _Rolled | None:
    """Returns a program with its repetitions as loops, as `(consts, arguments) -> results`.

    Args:
      jaxpr: The program.
      inputs: The inputs that change between calls. They are not stacked, which would cost more than
        it saves, for example for the weights of equal layers.

    Returns:
      None if no repetition is long enough.
    """
    eqns = jaxpr.eqns
    if len(eqns) < LEAST_SAVED or not any(map(_is_heavy, eqns)):
        return None
    runs = _runs(eqns, inputs)
    return _Rolled(jaxpr, runs, inputs) if runs else None


def _is_heavy(eqn: Any) -> bool:
    """Whether an operation, or its form for some platform, is a product or a convolution."""
    parts = jax_core.jaxprs_in_params(eqn.params) if eqn.primitive.name == "cond" else ()
    return eqn.primitive.name in HEAVY or any(_is_heavy(e) for part in parts for e in part.eqns)


def _signature(eqn: Any) -> Any:
    params = eqn.params
    if eqn.primitive.name == "slice" and params["strides"] is None:
        params = {}  # Rows may be selected by index, so that only sizes matter.
    shapes = tuple([a.aval for a in (*eqn.invars, *eqn.outvars)])
    kinds = tuple([isinstance(a, jax_core.Literal) for a in eqn.invars])
    return (
        eqn.primitive.name,
        shapes,
        kinds,
        tuple([(k, _comparable(v)) for k, v in params.items()]),
    )


def _comparable(param: Any) -> Any:
    """Returns a parameter as a comparable part of a signature: its text, or its identity."""
    if isinstance(param, np.ndarray):
        return param.shape, param.tobytes()
    if isinstance(param, (tuple, list)):
        return tuple(map(_comparable, param))
    hidden = getattr(param, "consts", ())
    return str(param), *map(id, hidden)


def _runs(eqns: Sequence[Any], inputs: Container[Any]) -> list[Run]:
    """Returns runs of equal steps, in order."""
    numbers: dict[Any, int] = {}
    sigs = np.array([numbers.setdefault(_signature(e), len(numbers)) for e in eqns])
    heavy = np.array([*map(_is_heavy, eqns)])

    def between(start: int, stop: int) -> list[Run]:
        best = _longest(sigs[start:stop], heavy[start:stop], start)
        if best is None:
            return []
        run = next((r for r in _phases(best) if _flow(eqns, r, inputs) is not None), None)
        middle = [] if run is None else [run]
        run = run or best
        return [*between(start, run.start), *middle, *between(run.stop, stop)]

    return between(0, len(eqns))


def _longest(sigs: Any, heavy: Any, offset: int) -> Run | None:
    """Returns the run that saves the most equations."""
    before: dict[int, list[int]] = {}
    gaps: Counter[int] = Counter()
    for i in np.flatnonzero(heavy).tolist():
        seen = before.setdefault(sigs[i], [])
        gaps.update(i - k for k in seen[-ALIKE_IN_STEP:])
        seen.append(i)
    best, most = None, LEAST_SAVED - 1
    for period, _ in gaps.most_common(2 * ALIKE_IN_STEP):
        same = np.append(sigs[:-period] == sigs[period:], [False])
        edges = np.flatnonzero(~same)
        begins = np.append([0], edges[:-1] + 1)
        k = int(np.argmax(edges - begins))
        count = int(edges[k] - begins[k]) // period + 1
        if count >= LEAST_STEPS and period * (count - 1) > most:
            best, most = Run(offset + int(begins[k]), period, count), period * (count - 1)
    return best


def _phases(run: Run) -> list[Run]:
    """Yields the run, and shorter ones within it, since the first or last steps may differ."""
    shifts = [0, *range(1, run.period, max(1, run.period // 8))]
    shifts += [run.period * n for n in (1, 2)]
    runs = [Run(run.start + s, run.period, run.count - 1 - s // run.period) for s in shifts]
    return [run, *[r for r in runs if r.count >= LEAST_STEPS]]


def _flow(
    eqns: Sequence[Any], run: Run, inputs: Container[Any] = ()
) -> list[list[tuple[str, Any]]] | None:
    """Returns the source of each input of each equation of a step, or None if steps differ.

    Sources are `("made", index)`; `("carried", (index, atom))` for a result of the previous step,
    with the first value; `("same", atom)`; and `("rows", atoms)`.
    """
    at: dict[Any, tuple[int, Place]] = {}
    for i in range(run.start, run.stop):
        step, k = divmod(i - run.start, run.period)
        for o, v in enumerate(eqns[i].outvars):
            at[v] = (step, (k, o))
    flow = []
    for k in range(run.period):
        row = []
        for j in range(len(eqns[run.start + k].invars)):
            atoms = [eqns[run.start + k + run.period * s].invars[j] for s in range(run.count)]
            kind = _kind(atoms, at)
            if kind is None or (kind[0] == "rows" and _among(kind[1], inputs)):
                return None
            row.append(kind)
        flow.append(row)
    return flow


def _among(atoms: list[Any], inputs: Container[Any]) -> bool:
    return any(not isinstance(a, jax_core.Literal) and a in inputs for a in atoms)


def _kind(atoms: list[Any], at: dict[Any, tuple[int, Place]]) -> tuple[str, Any] | None:
    where = [None if isinstance(a, jax_core.Literal) else at.get(a) for a in atoms]
    last = where[-1]
    if last is None:
        if any(w is not None for w in where):
            return None
        first = atoms[0]
        if isinstance(first, jax_core.Literal):
            alike = all(np.array_equal(a.val, first.val) for a in atoms)
        else:
            alike = all(a is first for a in atoms)
        return ("same", first) if alike else ("rows", atoms)
    place = last[1]
    if all(w == (s, place) for s, w in enumerate(where)):
        return "made", place
    if where[0] is None and all(w == (s, place) for s, w in enumerate(where[1:])):
        return "carried", (place, atoms[0])
    return None


class _Rolled:
    """A program as a sequence of unchanged parts and loops."""

    def __init__(self, jaxpr: Any, runs: list[Run], inputs: Container[Any]) -> None:
        self.jaxpr, self.runs = jaxpr, runs
        self.uses: dict[Any, int] = {}  # by value, the last equation that uses it
        for i, eqn in enumerate(jaxpr.eqns):
            for a in eqn.invars:
                if not isinstance(a, jax_core.Literal):
                    self.uses[a] = i
        for a in jaxpr.outvars:
            if not isinstance(a, jax_core.Literal):
                self.uses[a] = len(jaxpr.eqns)
        self.loops = [_Loop(jaxpr, run, inputs, self.uses) for run in runs]

    def __call__(self, consts: Sequence[Any], args: Sequence[Any]) -> list[Any]:
        env: dict[Any, Any] = {}
        env.update(zip(self.jaxpr.constvars, consts, strict=True))
        env.update(zip(self.jaxpr.invars, args, strict=True))
        position = 0
        for loop in self.loops:
            self._stretch(position, loop.run.start, env)
            loop(env)
            position = loop.run.stop
        self._stretch(position, len(self.jaxpr.eqns), env)
        return [_value(a, env) for a in self.jaxpr.outvars]

    def _stretch(self, start: int, stop: int, env: dict[Any, Any]) -> None:
        eqns = self.jaxpr.eqns[start:stop]
        if not eqns:
            return
        made = {v: None for e in eqns for v in e.outvars}
        outs = [v for v in made if self.uses.get(v, -1) >= stop]
        free = _free(eqns, made)
        run = _function(self.jaxpr, free, eqns, outs)
        env.update(zip(outs, run(*[_value(v, env) for v in free]), strict=True))


class _Loop:
    """A loop of equal steps.

    Attributes:
      carried: The inputs of a step from the previous one: the producing equation, and the first
        value.
      same: The inputs that are equal in all steps.
      rows: The inputs with a row for each step, by index.
      starts: The starts of slices in each step, by the position of the equation.
      stacked, final: The values of all steps, and of the last step, that later equations use.
    """

    def __init__(self, jaxpr: Any, run: Run, inputs: Container[Any], uses: dict[Any, int]) -> None:
        self.jaxpr, self.run = jaxpr, run
        self.steps = [
            jaxpr.eqns[run.start + run.period * s : run.start + run.period * (s + 1)]
            for s in range(run.count)
        ]
        flow = _flow(jaxpr.eqns, run, inputs)
        assert flow is not None
        self.flow = flow
        kinds = {(k, j): kind for k, row in enumerate(flow) for j, kind in enumerate(row)}
        self.carried = list(
            dict.fromkeys(what for kind, what in kinds.values() if kind == "carried")
        )
        self.rows = {place: what for place, (kind, what) in kinds.items() if kind == "rows"}
        self.same = [
            what
            for kind, what in kinds.values()
            if kind == "same" and not isinstance(what, jax_core.Literal)
        ]
        self.starts = self._starts()
        self.stacked: list[Place] = []
        self.final: list[Place] = []
        for k, eqn in enumerate(self.steps[0]):
            for o in range(len(eqn.outvars)):
                used = [uses.get(step[k].outvars[o], -1) >= run.stop for step in self.steps]
                if any(used[:-1]):
                    self.stacked.append((k, o))
                elif used[-1]:
                    self.final.append((k, o))

    def _starts(self) -> dict[int, Any]:
        found = {}
        for k, eqn in enumerate(self.steps[0]):
            if eqn.primitive.name == "slice":
                begins = [step[k].params["start_indices"] for step in self.steps]
                if any(b != begins[0] for b in begins):
                    found[k] = np.array(begins, np.int32)
        return found

    def __call__(self, env: dict[Any, Any]) -> None:
        """Runs the loop on the values in `env`, and stores its results there."""
        shared = {v: _value(v, env) for v in self.same}
        start = [_value(atom, env) for _, atom in self.carried]
        for k, o in self.final:
            aval = self.steps[0][k].outvars[o].aval
            start.append(jnp.zeros(aval.shape, aval.dtype))
        own = [_rows(atoms, env) for atoms in self.rows.values()]
        begins = [jnp.asarray(s) for s in self.starts.values()]

        def body(carry: Any, row: Any) -> Any:
            made = self._step(carry, row[0], dict(zip(self.starts, row[1], strict=True)), shared)
            following = [made[p] for p, _ in self.carried] + [made[p] for p in self.final]
            return following, [made[p] for p in self.stacked]

        carry, ys = lax.scan(body, start, (own, begins), length=self.run.count)
        for (k, o), y in zip(self.final, carry[len(self.carried) :], strict=True):
            env[self.steps[-1][k].outvars[o]] = y
        for (k, o), y in zip(self.stacked, ys, strict=True):
            for s, step in enumerate(self.steps):
                env[step[k].outvars[o]] = _Row(y, s)

    def _step(
        self, carry: Any, row: Any, begins: dict[int, Any], shared: dict[Any, Any]
    ) -> dict[Place, Any]:
        before = dict(zip(self.carried, carry[: len(self.carried)], strict=True))
        here = dict(zip(self.rows, row, strict=True))
        made: dict[Place, Any] = {}

        def value(place: Place, kind: str, what: Any) -> Any:
            if kind == "made":
                return made[what]
            if kind == "carried":
                return before[what]
            return here[place] if kind == "rows" else _value(what, shared)

        for k, (eqn, kinds) in enumerate(zip(self.steps[0], self.flow, strict=True)):
            values = [value((k, j), *kind) for j, kind in enumerate(kinds)]
            if k in begins:
                sizes = eqn.outvars[0].aval.shape
                outs = [lax.dynamic_slice(values[0], list(begins[k]), sizes)]
            else:
                outs = _run_one(self.jaxpr, eqn, values)
            made.update({(k, o): y for o, y in enumerate(outs)})
        return made


@dataclass
class _Row:
    """A row of a loop's result, extracted when an equation outside of loops needs it."""

    whole: Any
    index: int


def _value(atom: Any, env: dict[Any, Any]) -> Any:
    if isinstance(atom, jax_core.Literal):
        return atom.val
    value = env[atom]
    if type(value) is _Row:
        value = env[atom] = value.whole[value.index]
    return value


def _rows(atoms: list[Any], env: dict[Any, Any]) -> Any:
    """Returns a tensor with these rows: parts of earlier loops' results, or single values."""
    found: list[Any] = [a.val if isinstance(a, jax_core.Literal) else env[a] for a in atoms]
    parts: list[Any] = []
    i, kind = 0, atoms[0].aval.dtype
    while i < len(found):
        size = _in_order(found, i)
        if size:
            parts.append(_part(found[i], found[i + size - 1]))
        else:
            rest = len(found) - i
            size = next((k for k in range(1, rest) if _in_order(found, i + k)), rest)
            parts.append(_stacked([_value(a, env) for a in atoms[i : i + size]], kind))
        i += size
    return parts[0] if len(parts) == 1 else jnp.concatenate(parts)


def _in_order(found: list[Any], i: int) -> int:
    """Returns how many values from index `i` on are consecutive rows of one value."""
    first, n = found[i], len(found)
    if type(first) is not _Row or i + 1 == n or type(found[i + 1]) is not _Row:
        return 0
    step, size = found[i + 1].index - first.index, 1
    while (
        abs(step) == 1
        and i + size < n
        and type(row := found[i + size]) is _Row
        and row.whole is first.whole
        and row.index == first.index + step * size
    ):
        size += 1
    return size if size > 1 else 0


def _part(first: _Row, last: _Row) -> Any:
    """Returns the rows from one to another."""
    if first.index <= last.index:
        return first.whole[first.index : last.index + 1]
    return jnp.flip(first.whole[last.index : first.index + 1], 0)


def _stacked(values: list[Any], kind: Any) -> Any:
    if any(isinstance(v, jax.core.Tracer) for v in values):
        return jnp.stack(values)
    return np.stack([np.asarray(v, kind) for v in values])


def _free(eqns: Sequence[Any], made: dict[Any, None]) -> list[Any]:
    used = {a: None for e in eqns for a in e.invars if not isinstance(a, jax_core.Literal)}
    return [v for v in used if v not in made]


def _function(whole: Any, invars: list[Any], eqns: Any, outvars: list[Any]) -> Any:
    unnamed = whole.debug_info._replace(arg_names=None, result_paths=None)
    part = whole.replace(
        constvars=[], invars=invars, eqns=list(eqns), outvars=outvars, debug_info=unnamed
    )
    return jax_core.jaxpr_as_fun(jax_core.ClosedJaxpr(part, []))


def _run_one(whole: Any, eqn: Any, values: list[Any]) -> list[Any]:
    """Runs one equation on values in place of its inputs."""
    invars: list[Any] = []
    given: list[Any] = []
    for a, v in zip(eqn.invars, values, strict=True):
        if isinstance(a, jax_core.Literal) or any(a is b for b in invars):
            continue
        invars.append(a)
        given.append(v)
    # Either a number that differs between steps, or a repeated value.
    if len(invars) < len(eqn.invars):
        fresh = [jax_core.Var(a.aval) for a in eqn.invars]
        eqn, invars, given = eqn.replace(invars=fresh), fresh, values
    outs: list[Any] = _function(whole, invars, [eqn], list(eqn.outvars))(*given)
    return outs
