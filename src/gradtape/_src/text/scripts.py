"""The script in which a character is written, such as Latin or Greek."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import int32
from gradtape._src.base.export import export, raw_op
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import input_of
from gradtape._src.declare.general import general
from gradtape._src.text.values import on_values

_FILE = Path(__file__).with_name("scripts.txt")
_CHARACTERS = 0x110000
_INVALID = -1


@cache
def _scripts() -> np.ndarray[Any, np.dtype[np.int16]]:
    """Returns the script of every character; the file lists runs, by their length and script."""
    runs = [run.split(":") for run in _FILE.read_text(encoding="utf-8").split()]
    lengths = [int(length, 16) for length, _ in runs]
    return np.repeat(np.array([int(script) for _, script in runs], np.int16), lengths)


def _script_of(points: Any) -> Any:
    valid = (points >= 0) & (points < _CHARACTERS)
    return np.where(valid, _scripts()[np.where(valid, points, 0)], _INVALID).astype(np.int32)[()]


_script_p = general("UnicodeScript", _script_of, batching="leading")


@export("strings.unicode_script")
@raw_op("UnicodeScript", differentiable=False)
def unicode_script(input: Any, name: str | None = None) -> Tensor:
    """Finds the script of each character, as the number that the library ICU uses for it.

    Args:
      input: Code points of dtype int32, of any shape; may be ragged.
      name: Accepted for compatibility.

    Returns:
      An int32 tensor of the same shape: the property Script of the Unicode Character Database as
      ICU's `UScriptCode`, such as 14 for Greek, 25 for Latin, and 0 for characters that all scripts
      share. Numbers that are not code points have -1.

    Raises:
      TypeError: The numbers are not integers.
      InvalidArgumentError: The dtype of a tensor is not int32.

    >>> tf.strings.unicode_script([0x61, 0x3B1, 0x31]).numpy()
    array([25, 14,  0], dtype=int32)
    """

    def run(points: Any) -> Tensor:
        out: Tensor = _script_p(input_of("UnicodeScript", 0, points, int32))
        return out

    return on_values(run, input)
