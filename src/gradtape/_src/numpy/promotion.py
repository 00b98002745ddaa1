"""The dtype that two operands are promoted to, with and without loss of precision.

A dtype with a star is weak: it comes from Python's numbers, and gives way to dtypes of the same
kind. See "TF-NumPy type promotion" among TensorFlow's guides.

In the file of the table, each row begins with one operand; the others stand in the order of the
rows. An exclamation mark says that numbers may lose precision, which the mode "safe" forbids.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

from gradtape._src.base import dtypes as d
from gradtape._src.base.dtypes import DType

_NAMES = {
    "b": d.bool_,
    "u8": d.uint8,
    "u16": d.uint16,
    "u32": d.uint32,
    "u64": d.uint64,
    "i8": d.int8,
    "i16": d.int16,
    "i32": d.int32,
    "i64": d.int64,
    "bf16": d.bfloat16,
    "f16": d.float16,
    "f32": d.float32,
    "f64": d.float64,
    "c64": d.complex64,
    "c128": d.complex128,
}
_FILE = Path(__file__).with_suffix(".txt")


class Kind(NamedTuple):
    """A dtype, and whether it is weak."""

    dtype: DType
    weak: bool = False


class Promotion(NamedTuple):
    """The dtype of two operands, and whether precision may be lost."""

    kind: Kind
    lossy: bool


def _kind(name: str) -> Kind:
    return Kind(_NAMES[name.rstrip("*")], name.endswith("*"))


@cache
def _promotions() -> dict[tuple[Kind, Kind], Promotion]:
    rows = [line.split() for line in _FILE.read_text(encoding="utf-8").splitlines()]
    order = [_kind(row[0]) for row in rows]
    return {
        (left, right): Promotion(_kind(cell.rstrip("!")), cell.endswith("!"))
        for left, row in zip(order, rows, strict=True)
        for right, cell in zip(order, row[1:], strict=True)
    }


def promotion(left: Kind, right: Kind, *, safe: bool) -> Kind | None:
    """Returns the dtype that two operands are promoted to; None if there is no such dtype.

    Args:
      left: The dtype of one operand.
      right: The dtype of the other.
      safe: Whether to refuse promotions that may lose precision.

    Raises:
      TypeError: The mode is "safe", and precision may be lost.
    """
    found = _promotions().get((left, right))
    if found is None:
        return None
    if safe and found.lossy:
        raise TypeError(
            f"In promotion mode PromoMode.SAFE, implicit dtype promotion between "
            f"({left.dtype}, weak={left.weak}) and ({right.dtype}, weak={right.weak}) is "
            f"disallowed. You need to explicitly specify the dtype in your op, or relax your dtype "
            f"promotion rules (such as from SAFE mode to ALL mode)."
        )
    return found.kind
