"""The paths of operations with one and two inputs, written out from one template.

These paths are the speed of the library: a call of another function in them, or a loop over the
inputs, would cost several per cent of an operation. One template holds what they share, and the
parts that differ are filled in, a few times for the whole library; see
docs/design/0003-code-written-out.md.
"""

from __future__ import annotations

import itertools
import linecache
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from gradtape._src.base.error_messages import mismatch, stand_in, unsupported
from gradtape._src.core.convert import constants
from gradtape._src.core.recorder import active_tapes, next_id, process
from gradtape._src.core.tensor import Tensor

_PATH = """
def make(
    primitive, plans, rescue, keeps=(), coerce=None, otherwise=None, identify=None, record=None
):
    kernel, dtypes, tracked = primitive.kernel, primitive.dtypes, primitive.tracked
    usual = float32 if dtypes is None or float32 in dtypes else None  # what needs no check

    def run($inputs$params):
        $tensors
        tapes = active()
        if tapes is None:
            return process(primitive, ($inputs,), $given)
        $values
        $check
        try:
            value = kernel($raw$spread)
        except Exception as error:
            value = rescue(primitive, error, ($raw,), $given)
        $several
        out = new(Tensor)  # half the time of a call of the class
        out._value = value
        out._id = 0
        $note
        return out

    return run
"""

_ONE_CHECK = """
kind = type(a)
if kind is not usual:
    if kind is array:
        kind = a.dtype.type
    if kind not in dtypes:
        raise unsupported(primitive.name, dtypes, x.dtype)
"""

_ONE_NOTE = """
if tapes and x._id:
    i = x._id
    for tape in tapes:
        if i in tape.ids:
            o = out._id = $identity
            if o:
                tape.ids.add(o)
                tape.records.append((plans[1], o, (i,), $kept))
"""

_SEVERAL = """
if type(value) is tuple:
    out = tuple(map(Tensor, value))
    if tapes and x._id:
        record(tapes, primitive, (x,), out, params)
    return out
"""

_TWO_TENSORS = """
if type(x) is not Tensor or type(y) is not Tensor:
    known = None
    if type(y) in numbers and type(x) is Tensor:
        a = x._value
        if type(a) is float32 or (type(a) is array and a.dtype.type is float32):
            known = constants.get(y)
    if known is not None:
        y = known
    else:
        pair = coerce(x, y)
        if pair is None:
            return otherwise(x, y)
        x, y = pair
"""

_TWO_ARGUMENTS = """
if type(x) is not Tensor or type(y) is not Tensor:
    x, y = coerce(x, y)
"""

_TWO_CHECK = """
kind = type(a)
other = type(b)
shaped = False
if kind is array:
    kind = a.dtype.type
    shaped = True
if other is array:
    other = b.dtype.type
    shaped = True
if kind is not other:
    raise mismatch(primitive.name, 1, x.dtype, y.dtype)
if kind is not usual and dtypes is not None and kind not in dtypes:
    return stand_in(primitive.name, dtypes, x.dtype)(x, y)
"""

_TWO_NOTE = """
if tapes and tracked and (x._id or y._id):
    i = x._id
    j = y._id
    for tape in tapes:
        ids = tape.ids
        if i in ids:
            mask = 3 & tracked if j in ids else 1 & tracked
        else:
            mask = 2 & tracked if j in ids else 0
        if mask:
            o = out._id = out._id or next_id()
            ids.add(o)
            static = None
            if shaped and a.shape != b.shape:
                own = a.shape if mask == 1 else b.shape if mask == 2 else None
                static = (a.shape, b.shape) if own != value.shape else None
            known_ids = (i, j) if mask == 3 else (i, 0) if mask == 1 else (0, j)
            keep = keeps[mask]
            saved = keep(x, y, out) if keep else ()
            tape.records.append((plans[mask], o, known_ids, saved, static))
"""

_SCOPE = {
    "Tensor": Tensor,
    "active": active_tapes,
    "array": np.ndarray,
    "constants": constants,
    "float32": np.float32,
    "mismatch": mismatch,
    "new": object.__new__,
    "next_id": next_id,
    "numbers": (float, int),
    "process": process,
    "stand_in": stand_in,
    "unsupported": unsupported,
}


@lru_cache
def one_input(
    *, params: bool, checked: bool, tracked: bool, saved: str = "", converts: bool = False
) -> Callable[..., Any]:
    """Returns the function that makes the path of an operation with one input.

    Args:
      params: Whether it takes parameters, and may give several outputs.
      checked: Whether there are dtypes to check.
      tracked: Whether it has a derivative.
      saved: The code of the tuple of what its rule needs, if it takes no parameters.
      converts: Whether `coerce` makes tensors of other inputs; else the kernel computes with those.
    """
    identity, kept = (
        ("identify(out)", "*plans[1].keep((x,), out, params)")
        if params
        else ("out._id or next_id()", f"({saved}), None")
    )
    return _written(
        inputs="x",
        params=", **params" if params else "",
        spread=", **params" if params else "",
        given="params" if params else "{}",
        raw="a",
        tensors="if type(x) is not Tensor:\n    "
        + ("x = coerce(x)" if converts else f"return kernel(x{', **params' if params else ''})"),
        values="a = x._value",
        check=_ONE_CHECK if checked else "",
        several=_SEVERAL if params else "",
        note=_filled(_ONE_NOTE, {"identity": identity, "kept": kept}) if tracked else "",
    )


@lru_cache
def two_inputs(*, converts: bool = False) -> Callable[..., Any]:
    """Returns the function that makes the path of an operation with two inputs that broadcast.

    Such an operation has no parameters.

    Args:
      converts: Whether `coerce` makes tensors of whatever is given; else it may refuse.
    """
    return _written(
        inputs="x, y",
        params="",
        spread="",
        given="{}",
        raw="a, b",
        tensors=_TWO_ARGUMENTS if converts else _TWO_TENSORS,
        values="a = x._value\nb = y._value",
        check=_TWO_CHECK,
        several="",
        note=_TWO_NOTE,
    )


_NUMBERS = itertools.count()


def _written(**parts: str) -> Callable[..., Any]:
    # The filter of warnings goes by the module's name.
    scope: dict[str, Any] = {"__name__": __name__, **_SCOPE}
    text = _filled(_PATH, parts)
    place = f"{__file__} (path {next(_NUMBERS)})"
    linecache.cache[place] = len(text), None, text.splitlines(keepends=True), place  # tracebacks
    exec(compile(text, place, "exec"), scope)  # noqa: S102 (of the texts above)
    make: Callable[..., Any] = scope["make"]
    return make


def _filled(text: str, parts: dict[str, str]) -> str:
    """A template with its parts; one that has a line for itself takes over the indentation."""

    def lines(found: re.Match[str]) -> str:
        part = parts[found[2]].strip("\n")
        return "".join([f"{found[1]}{line}\n" for line in part.split("\n")]) if part else ""

    text = re.sub(r"^( *)\$(\w+)\n", lines, text, flags=re.MULTILINE)
    return re.sub(r"\$(\w+)", lambda found: parts[found[1]], text)
