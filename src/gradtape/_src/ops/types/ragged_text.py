"""Ragged tensors as arrays of arrays and as text, for `repr` and for `tf.print`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np


def split_array(values: np.ndarray[Any, Any], splits: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Divides an array into rows.

    Args:
      values: The concatenated rows; their dtype is object if the elements are arrays.
      splits: The beginning of each row, and the end of the last one.

    Returns:
      An array; of dtype object, with one array for each row, if the rows differ in length.
    """
    lengths = set(np.diff(splits).tolist()) or {0}
    if len(lengths) == 1:
        return values.reshape(len(splits) - 1, *lengths, *values.shape[1:])
    out = np.empty(len(splits) - 1, object)
    for i, (begin, end) in enumerate(pairwise(splits.tolist())):
        out[i] = values[begin:end]
    return out


def array_text(x: Any) -> str:
    """Formats an array, which may hold arrays, in brackets with commas.

    Args:
      x: An array or an element of one.

    Returns:
      The text, with the line breaks of NumPy.
    """
    if not isinstance(x, np.ndarray):
        return repr(x) if isinstance(x, bytes) else str(x)
    if not x.size:  # NumPy writes "[]" for any number of empty rows
        return str(x.tolist())
    return np.array2string(x, separator=", ", formatter={"all": array_text})


def summary_text(rows: Sequence[Any], summarize: int, element: Callable[[Any], str]) -> str:
    """Formats nested rows on one line, and abbreviates long ones with an ellipsis.

    Args:
      rows: Nested lists.
      summarize: The number of elements to show at each end of a row; -1 for all.
      element: A function that formats an element.

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
