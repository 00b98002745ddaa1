"""Backward passes that are generated for sequences of records that repeat, as training steps do.

Such a pass does what the loop of `pull_back` does, for one sequence of plans that are connected in
one way, with one target and the same wanted inputs: it has a local variable for each cotangent. See
docs/design/0003-code-written-out.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from operator import itemgetter
from typing import Any

from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.core.primitive import Plan, Record
from gradtape._src.core.templates import made

Pass = Callable[..., "dict[int, Any] | None"]
"""`(records, cotangents, wanted, cases) -> found`, or None if the records are connected in another
way, which leaves them as they are."""

_MOST_RECORDS = 200  # of a sequence whose pass is generated: it takes 0.15 ms a record
_REPEATS = 32  # the number of times that a sequence is seen before its pass is generated
_MOST_SEQUENCES = 256
_MOST_PASSES = 4  # of one sequence of plans, connected in different ways

_plans_of = itemgetter(0)
_sequences: dict[tuple[Plan, ...], _Sequence] = {}


class _Sequence:
    """The passes for one sequence of plans, and how often none of them fitted."""

    __slots__ = ("misses", "passes")

    def __init__(self) -> None:
        self.misses = 0
        self.passes: list[Pass] = []


def straight(
    records: list[Record], cotangents: dict[int, Any], wanted: Collection[int], cases: Any
) -> dict[int, Any] | None:
    """Carries raw cotangents from outputs to inputs, if there is a generated pass for it.

    Args:
      records: The records, which are consumed as by `pull_back`.
      cotangents: The cotangents of targets by their ids.
      wanted: The ids whose cotangents are requested.
      cases: The class `_SpecialCases`.

    Returns:
      The cotangents of wanted ids; None if `pull_back` has to walk through the records.
    """
    if len(cotangents) != 1 or len(records) > _MOST_RECORDS:
        return None
    plans = tuple(map(_plans_of, records))
    sequence = _sequences.get(plans)
    if sequence is None:
        if all(plan.lasting for plan in plans):
            if len(_sequences) >= _MOST_SEQUENCES:
                _sequences.clear()
            _sequences[plans] = _Sequence()
        return None
    for run in sequence.passes:
        found = run(records, cotangents, wanted, cases)
        if found is not None:
            return found
    sequence.misses += 1
    if sequence.misses >= _REPEATS and len(sequence.passes) < _MOST_PASSES:
        sequence.misses = 0
        written = _Writer(records, next(iter(cotangents)), wanted).written()
        if written is not None:
            sequence.passes.append(written)
    return None


class _Writer:
    """Writes the pass for records.

    Attributes:
      names: The names of the values by id: "o" and numbers for outputs of records, "v" and a number
        for other inputs.
      parts: The code that takes each record apart.
      inputs: The code that takes the ids of each record's inputs apart.
      different: Conditions that hold if the records are connected in another way.
      given: The number of cotangents that each value may get.
      sure: The values that get a cotangent in any case.
      whole: The values whose cotangents are arrays in any case, rather than rows.
    """

    def __init__(self, records: list[Record], target: int, wanted: Collection[int]) -> None:
        self.records, self.target = records, target
        self.names: dict[int, str] = {}
        self.parts: list[str] = []
        self.inputs: list[str] = []
        self.different: list[str] = []
        self.body: list[str] = []
        self.scope: dict[str, Any] = {"IndexedSlices": IndexedSlices}
        self.given: Counter[int] = Counter()
        self.outs: list[str] = []
        for k, record in enumerate(records):
            self._connect(k, record)
        self.wanted = [i for i in self.names if i in wanted]
        self.others = len(self.wanted) < len({*wanted})  # whether others are wanted in vain
        self.sure, self.whole = {target}, {*self.names}

    def written(self) -> Pass | None:
        """Returns the pass; None if no record has the target, or if outputs share an id."""
        target = self.names.get(self.target, "v")
        if target[0] == "v" or len({*self.outs}) < len(self.outs):
            return None
        self.given[self.target] = 1
        for k in reversed(range(len(self.records))):
            self._pull(k)
        wanted = [self.names[i] for i in self.wanted]
        for i in self.wanted:
            self.body += self._rounded(i) if self.names[i] not in self.outs else []
        unset = [f"c_{n} = " for i, n in self.names.items() if i not in self.sure]
        unset += [f"f_{n} = " for n in wanted if n in self.outs]
        results = [f"{n}: {'f' if n in self.outs else 'c'}_{n}" for n in wanted]
        lines = [
            "try:",
            f"    {', '.join(self.parts)}, = records",
            *[f"    {line}" for line in self.inputs],
            "except (TypeError, ValueError):",
            "    return None",
            f"if {' or '.join([*self.different, self._unequal(wanted)])}:",
            "    return None",
            "records.clear()",
            "special = cases(cotangents, wanted)" if max(self.given.values()) > 1 else "",
            f"{''.join(unset)}d = e = None",
            f"c_{target} = cotangents.pop({target})",
            *self.body,
            f"return {{{', '.join(results)}}}",
        ]
        text = "\n    ".join(["def run(records, cotangents, wanted, cases):", *lines, ""])
        run: Pass = made(text, __file__, self.scope)["run"]
        return run

    def _connect(self, k: int, record: Record) -> None:
        """Names the ids of a record, and adds the conditions under which they are the same."""
        _, out, ids, _, _ = record
        inputs = []
        for q, i in enumerate(ids):
            if i and i not in self.names:
                self.names[i] = f"v{len(self.names)}"
                inputs.append(self.names[i])
            else:
                inputs.append(f"i{k}_{q}")
                self.different.append(f"i{k}_{q} is not {self.names[i]}" if i else f"i{k}_{q}")
        outs = [f"o{k}_{j}" for j in range(len(out))] if type(out) is tuple else [f"o{k}"]
        for i, name in zip(out if type(out) is tuple else (out,), outs, strict=True):
            if i:
                self.outs.append(self.names.setdefault(i, name))
            else:
                self.different.append(name)
        joined = f"({', '.join(outs)},)" if type(out) is tuple else outs[0]
        self.parts.append(f"(_, {joined}, i{k}, s{k}, t{k})")
        self.inputs.append(f"{', '.join(inputs)}, = i{k}")

    def _unequal(self, wanted: list[str]) -> str:
        """Returns the code for whether ids that should differ are equal, or others are wanted."""
        target, ordered = self.names[self.target], f"not {' < '.join(['0', *self.outs])}"
        inputs = [n for n in self.names.values() if n not in self.outs]
        if wanted == inputs and not self.others:  # the usual case, in fewer steps
            wants = f"{_set(wanted)} != wanted or len(wanted) != {len(wanted)}"
            wants += f" or max(wanted, default=0) >= {self.outs[0]}"
        else:
            every = _set([*self.names.values()])
            wants = f"len({every}) != {len(self.names)} or {every} & {{*wanted}} != {_set(wanted)}"
        return f"{ordered} or {target} not in cotangents or {wants}"

    def _pull(self, k: int) -> None:
        """Adds the code for one record."""
        plan, out, ids, _, _ = self.records[k]
        outs = out if type(out) is tuple else (out,)
        reached = [i for i in outs if self.given[i]]
        if not reached:
            return
        names = [f"c_{self.names[i]}" for i in reached]
        body = [line for i in reached for line in self._rounded(i)]
        body += [f"f_{self.names[i]} = c_{self.names[i]}" for i in reached if i in self.wanted]
        for i, name in zip(reached, names, strict=True):
            if i not in self.whole and (type(out) is tuple or not plan.sparse):
                body += [f"if type({name}) is IndexedSlices:", f"    {name} = cases._dense({name})"]
        gs = [f"c_{self.names[i]}" if self.given[i] else "None" for i in outs]
        g = f"[{', '.join(gs)}]" if type(out) is tuple else gs[0]
        self.scope[f"p{k}"] = plan
        body.append(f"d = p{k}.vjp_raw({g}, i{k}, s{k}, t{k})")
        body.append(" = ".join([*names, f"s{k} = None"]))
        known = any(i in self.sure for i in reached)
        for q, i in enumerate(ids):
            if i:
                body += self._give(i, f"d[{q}]", known and plan.whole)
                self.whole -= set() if plan.whole else {i}
        body.append("d = e = None")
        if not known:
            condition = " or ".join([f"{name} is not None" for name in names])
            body = [f"if {condition}:", *[f"    {line}" for line in body]]
        self.body += body

    def _give(self, i: int, d: str, sure: bool) -> list[str]:
        """Returns the code that adds a part of a value's cotangent."""
        c = f"c_{self.names[i]}"
        self.given[i] += 1
        first, known = self.given[i] == 1, i in self.sure
        self.sure |= {i} if sure else set()
        if first:
            return [f"{c} = {d}"]
        total = f"special._total({self.names[i]}, {c}, "
        if sure and known:
            return [f"{c} = {total}{d})"]
        return [f"e = {d}", "if e is not None:", f"    {c} = e if {c} is None else {total}e)"]

    def _rounded(self, i: int) -> list[str]:
        """Returns the code that rounds a sum of cotangents of 16 bits."""
        if self.given[i] < 2:
            return []
        name = self.names[i]
        return ["if special.dtypes:", f"    c_{name} = special._rounded({name}, c_{name})"]


def _set(names: list[str]) -> str:
    """Returns the code of a set of values."""
    return f"{{{', '.join(names)}}}" if names else "set()"
