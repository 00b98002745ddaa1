"""The backward pass over a tape's records."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import numpy as np

from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.core.primitive import Plan, Record
from gradtape._src.core.straight_backward import straight
from gradtape._src.declare.general import dtype_of_value
from gradtape._src.ops.array.row_sums import add_gradients, to_dense
from gradtape._src.ops.elementwise.casting import cast_p, widened

ndarray = np.ndarray


def relevant(records: Iterable[Record], sources: Collection[int]) -> list[Record]:
    """Returns the records that depend on the sources; ids of other inputs are replaced by 0.

    Records that must always be visited are kept, too. During the backward pass from the target, the
    user's own gradient functions are called and operations without a gradient raise an error, even
    if no source lies behind them.
    """
    live = set(sources)
    kept = []
    for plan, out, ids, saved, static in records:
        hits = [i in live for i in ids]
        if any(hits) or plan.always:
            live.update(out) if type(out) is tuple else live.add(out)
            if not (plan.always or all(hits)):
                struck = tuple([i if hit else 0 for i, hit in zip(ids, hits, strict=True)])
                kept.append((plan, out, struck, saved, static))
            else:
                kept.append((plan, out, ids, saved, static))
    live.discard(0)
    return kept


def pull_back(
    records: list[Record], cotangents: dict[int, Any], wanted: Collection[int], raw: bool
) -> dict[int, Any]:
    """Carries cotangents from outputs to inputs.

    Args:
      records: The records, which are consumed: each is dropped as soon as it was used.
      cotangents: The cotangents by id; the dictionary is consumed.
      wanted: The ids whose cotangents are requested.
      raw: Whether cotangents are raw values (without recorders) or tensors.

    Returns:
      The cotangents of wanted ids, if there are any; others may be among them.
    """
    take, following = cotangents.pop, records.pop
    known = raw and len(records) > 3  # for fewer records, the loop is faster
    if known and (found := straight(records, cotangents, wanted, _SpecialCases)) is not None:
        return found
    special = _SpecialCases(cotangents, wanted)
    unrounded = special.dtypes
    while records:
        plan, out, ids, saved, static = following()
        g = take(out, None)
        if g is None or out in wanted or unrounded or type(g) is IndexedSlices:
            g = special.output(g, out, plan)
            if g is None:
                continue
        vjp = plan.vjp_raw if raw else plan.vjp
        for i, d in zip(ids, vjp(g, ids, saved, static)):  # noqa: B905  (a rule may stop early)
            if i and d is not None:
                before = cotangents.get(i)
                if before is None:
                    cotangents[i] = d
                elif type(before) is type(d) in _SCALARS:
                    cotangents[i] = before + d
                else:
                    cotangents[i] = special._total(i, before, d)
    return special.finish()


_SCALARS = frozenset({np.float32, np.float64})


class _SpecialCases:
    """Handles the cases of `pull_back` in which a cotangent is not one array for one value.

    Attributes:
      found: The cotangents of wanted ids.
      own: The ids whose cotangents are sums in new memory, which no rule has seen.
      dtypes: By id, the 16-bit dtype to which a sum of cotangents, accumulated as float32, is
        rounded at the end.
    """

    def __init__(self, cotangents: dict[int, Any], wanted: Collection[int]) -> None:
        self.cotangents, self.wanted = cotangents, wanted
        self.found: dict[int, Any] = {}
        self.own: set[int] = set()
        self.dtypes: dict[int, Any] = {}

    def output(self, g: Any, out: Any, plan: Plan) -> Any:
        """Returns the cotangent of a record's output, or a list of them; None if there are none."""
        if g is None:
            return self._outputs(out) if type(out) is tuple else None
        g = self._rounded(out, g) if self.dtypes else g
        if out in self.wanted:
            self.found[out] = g
        return g if plan.sparse else self._dense(g)

    def _outputs(self, outs: tuple[int, ...]) -> list[Any] | None:
        take, gs = self.cotangents.pop, []
        for o in outs:
            g = self._rounded(o, take(o, None)) if self.dtypes else take(o, None)
            if g is not None and o in self.wanted:
                self.found[o] = g
            gs.append(self._dense(g))
        return gs if any(g is not None for g in gs) else None

    @staticmethod
    def _dense(g: Any) -> Any:
        """Returns rows as a whole array, and other cotangents as they are."""
        return to_dense(g) if type(g) is IndexedSlices else g

    def _rounded(self, i: int, g: Any) -> Any:
        """Returns a sum of cotangents in the dtype of the value to which it belongs."""
        dtype = self.dtypes.pop(i, None)
        return g if dtype is None else cast_p(g, dtype=dtype)

    def _total(self, i: int, before: Any, d: Any) -> Any:
        """Returns the sum of two cotangents; later sums of arrays reuse the first one's memory."""
        if type(before) is type(d) is ndarray and before.dtype.char in "fd":
            alike = i in self.own and d.dtype is before.dtype and d.shape == before.shape
            self.own.add(i)
            return np.add(before, d, before if alike else None)
        if i in self.dtypes:
            d = self._dense(d)
        elif type(d) is IndexedSlices or type(before) is IndexedSlices:
            return add_gradients(before, d)
        elif dtype_of_value(before).itemsize == 2:
            self.dtypes[i] = dtype_of_value(before)
        else:
            return before + d
        return widened(before) + widened(d)

    def finish(self) -> dict[int, Any]:
        """Returns the cotangents of wanted ids, and perhaps those of others that are left."""
        if not (self.found or self.dtypes):
            return self.cotangents
        for i in self.wanted:
            if (g := self.cotangents.get(i)) is not None and i not in self.found:
                self.found[i] = self._rounded(i, g) if self.dtypes else g
        return self.found
