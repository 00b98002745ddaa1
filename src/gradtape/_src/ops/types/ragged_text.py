"""Ragged tensors as arrays of arrays and as text, for `repr` and for `tf.print`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


def nested_array(rows: list[Any], depth: int, dtype: Any) -> np.ndarray[Any, Any]:
    """Converts nested rows to an array, of arrays if the rows differ in length.

    Args:
      rows: Nested lists.
      depth: How many axes are ragged.
      dtype: The dtype of the innermost values.

    Returns:
      An array; of dtype object, with one array for each row, if the rows differ in shape.
    """
    if not depth:
        return np.array(rows, dtype)
    parts = [nested_array(row, depth - 1, dtype) for row in rows]
    if parts and len({part.shape for part in parts}) == 1:
        return np.stack(parts)
    out = np.empty(len(parts), object)
    for i, part in enumerate(parts):
        out[i] = part
    return out


def array_text(x: Any) -> str:
    """Writes an array, which may hold arrays, in brackets with commas.

    Args:
      x: An array or an element of one.

    Returns:
      The text; NumPy breaks its lines.
    """
    if not isinstance(x, np.ndarray):
        return repr(x) if isinstance(x, bytes) else str(x)
    return np.array2string(x, separator=", ", formatter={"all": array_text})


def summary_text(rows: Sequence[Any], summarize: int, element: Callable[[Any], str]) -> str:
    """Writes nested rows on one line, long ones with an ellipsis.

    Args:
      rows: Nested lists.
      summarize: How many elements to write at each end of a row; -1 for all.
      element: Writes one element.

    Returns:
      The text.
    """
    short = summarize >= 0 and len(rows) > 2 * summarize
    shown = [*rows[:summarize], *rows[len(rows) - summarize :]] if short else rows
    parts = [
        summary_text(row, summarize, element) if isinstance(row, list) else element(row)
        for row in shown
    ]
    if short:
        parts.insert(summarize, "...")
    return "[" + ", ".join(parts) + "]"
