"""A tape's records as a graph: operations, values, their shapes, and the bytes they hold."""

from __future__ import annotations

from gradtape._core.primitive import Record
from gradtape._ops.families import General
from gradtape._ops.pointwise import Binary, Unary

_LETTERS = {"x": "x", "o": "out"}


def outputs(record: Record) -> tuple[int, ...]:
    """The ids that a record makes, 0 for an output without one."""
    out = record[1]
    return out if type(out) is tuple else (out,)


def kept_names(record: Record) -> list[str]:
    """What the tensors are called that a record keeps, in the words of the operation's rules."""
    plan, _, ids, saved, _ = record
    primitive = plan.primitive
    if isinstance(primitive, Unary):
        return [_LETTERS[letter] for letter in primitive.kept]
    if isinstance(primitive, Binary):
        masks = sorted(range(1, 4), key=lambda m: m != sum(1 << i for i, x in enumerate(ids) if x))
        return next((list(k) for m in masks if len(k := primitive.kept(m)) == len(saved)), [])
    tensors = getattr(plan, "tensors", None)
    if isinstance(primitive, General) and tensors is not None and not primitive.variadic:
        names = ["out" if i < 0 else primitive.inputs[i] for i in tensors]
        if len(names) == len(saved):
            return names
    return [f"kept {i}" for i in range(len(saved))]
