"""The hint for a gradient that is None but is used, for example in `0.1 * gradient`.

Python itself raises the error in such a case. Therefore the first gradient that is None wraps the
function of Python or IPython that prints errors, to add the hint.
"""

from __future__ import annotations

import re
import sys

from gradtape._src.base.process_settings import after_uncaught
from gradtape._src.base.python_values import explain_none
from gradtape._src.core.tracebacks import is_ours

_MOST = 64
_WORDS = "`tape.explain(target, source)` says why"
_places: dict[tuple[str, int], None] = {}
"""The files and lines at which a gradient was None, the latest last."""
_hinted: set[tuple[str, int]] = set()
_left = [1000]


def note() -> None:
    """Records that the program will get a gradient that is None."""
    if not _left[0]:
        return
    _left[0] -= 1
    frame = sys._getframe(1)
    while frame.f_back is not None and is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    place = frame.f_code.co_filename, frame.f_lineno
    if not _places:
        _install()
    _places.pop(place, None)
    _places[place] = None
    if len(_places) > _MOST:
        del _places[next(iter(_places))]


def hint_for(error: BaseException) -> str | None:
    """Returns the hint for an error that a gradient of None caused, once for each line.

    Args:
      error: The program's error.
    """
    trace, of_none = error.__traceback__, isinstance(error, (TypeError, AttributeError, ValueError))
    if not of_none or not _places or trace is None or _WORDS in str(error):
        return None
    if "NoneType" not in str(error) and "(None)" not in str(error):
        return None
    while trace.tb_next is not None and not is_ours(trace.tb_next.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    place = trace.tb_frame.f_code.co_filename, trace.tb_lineno
    if place in _hinted:
        return None
    _hinted.add(place)
    file, line = next(reversed(_places))
    return f"Hint: the gradient at {_shown(file, line)} is None; {_WORDS}."


def _shown(file: str, line: int) -> str:
    """Returns a place as text, with the number of a cell for IPython's names of files."""
    if cell := re.match(r"<ipython-input-(\d+)-", file):
        return f"line {line} of cell {cell[1]}"
    return f"line {line} of a cell" if "ipykernel_" in file else f"{file}:{line}"


def _install() -> None:
    explain_none(
        f" (a gradient of `tape.gradient` is None if no path leads to its source: {_WORDS})"
    )
    after_uncaught(hint_for)
