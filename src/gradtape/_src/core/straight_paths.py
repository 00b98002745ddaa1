"""The fast paths of operations with one and two inputs, generated from one template.

These paths determine the library's speed: an additional call, or a loop over the inputs, would cost
several per cent of an operation. One template holds the shared code, and the differing parts are
filled in, a few times for the whole library; see docs/design/0003-code-written-out.md.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from gradtape._src.base.error_messages import mismatch, stand_in, unsupported
from gradtape._src.core.convert import constants, readers
from gradtape._src.core.recorder import active_tapes, mixed_recorders, next_id, process
from gradtape._src.core.templates import caught, filled, made
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.tracebacks import shorten

_PATH = """
def make(
    primitive, plans, rescue, keeps=(), coerce=None, otherwise=None, identify=None, record=None
):
    kernel, dtypes, tracked = primitive.kernel, primitive.dtypes, primitive.tracked
    usual = float32 if dtypes is None or float32 in dtypes else None  # what needs no check

    def run($inputs$params):
        $tensors
        tapes = active()
        $values
        if tapes is None:
            others, traced, serve, tapes = mixed()
            value = traced and traced(primitive, ($inputs,), $given)
            if value is None:
                return process(primitive, ($inputs,), $given)
            $traced
        else:
            $check
            try:
                value = kernel($raw$spread)
            except Exception as error:
                value, failure = rescue(primitive, error, ($raw,), $given)
                if failure is not None:
                    raise failure from None
        $several
        out = new(Tensor)  # takes half as long as Tensor(value)
        out._value = value
        out._id = 0
        $note
        return out

    return run
"""

_ONE_CHECK = """
kind = type(a)
if kind is not usual and not (kind is array and a.dtype is single and usual):
    if kind is array:
        kind = a.dtype.type
    if kind not in dtypes:
        raise unsupported(primitive.name, dtypes, x.dtype)
"""

_ONE_NOTE = """
if tapes and (i := x._id):
    o = 0
    for tape in tapes:
        if i in tape.ids:
            o = out._id = o or $identity
            if o:
                tape.ids.add(o)
                tape.records.append((plans[1], o, (i,), $kept))
"""

SEVERAL_OUTPUTS = """
if type(value) is tuple:
    out = tuple(map(Tensor, value))
    if tapes:
        record(tapes, primitive, ($inputs,), out, params)
    return out
"""

_TWO_TENSORS = """
if type(x) is not Tensor or type(y) is not Tensor:
    turned = type(x) is not Tensor
    given, other = (x, y) if turned else (y, x)
    a = other._value if type(other) is Tensor else None
    known = None
    if type(given) in numbers:
        if type(a) is float32 or (type(a) is array and a.dtype.type is float32):
            known = constants.get(given)
    elif a is not None and (read := readers.get(type(given))) is not None:
        known = read(given)
    if known is None:
        $call
        if pair is None:
            return otherwise(x, y)
        x, y = pair
    elif turned:
        x = known
    else:
        y = known
"""

_TWO_CHECK = """
kind, other = type(a), type(b)
shaped = kind is array or other is array
if not (kind is other is array and a.dtype is b.dtype is single and usual):  # the usual case
    if kind is array:
        kind = a.dtype.type
    if other is array:
        other = b.dtype.type
    if kind is not other:
        raise mismatch(primitive.name, 1, x.dtype, y.dtype)
    if kind is not usual and dtypes is not None and kind not in dtypes:
        return stand_in(primitive.name, dtypes, x.dtype)(x, y)
"""

_TWO_NOTE = """
if tapes and tracked and ((i := x._id) or y._id):
    j = y._id
    o = 0
    for tape in tapes:
        ids = tape.ids
        if i in ids:
            mask = 3 & tracked if j in ids else 1 & tracked
        else:
            mask = 2 & tracked if j in ids else 0
        if mask:
            o = out._id = o or next_id()
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

IDENTIFIED = "(next_id() if value.dtype is single else identify(out))"

_SCOPE = {
    "Tensor": Tensor,
    "active": active_tapes,
    "array": np.ndarray,
    "constants": constants,
    "float32": np.float32,
    "mismatch": mismatch,
    "mixed": mixed_recorders,
    "new": object.__new__,
    "next_id": next_id,
    "numbers": (float, int),
    "process": process,
    "readers": readers,
    "shorten": shorten,
    "single": np.dtype(np.float32),
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
      converts: Whether `coerce` converts other inputs to tensors; otherwise, the kernel gets them.
    """
    identity, kept = (
        (IDENTIFIED, "*plans[1].keep((x,), out, params)")
        if params
        else ("next_id()", f"({saved}), None")
    )
    return written(
        inputs="x",
        params=", **params" if params else "",
        spread=", **params" if params else "",
        given="params" if params else "{}",
        raw="a",
        tensors=caught("if type(x) is not Tensor:\n    $call\n", "x = coerce(x)")
        if converts
        else f"if type(x) is not Tensor:\n    return kernel(x{', **params' if params else ''})",
        values="a = x._value",
        check=_ONE_CHECK if checked else "",
        several=filled(SEVERAL_OUTPUTS, {"inputs": "x"}) if params else "",
        note=filled(_ONE_NOTE, {"identity": identity, "kept": kept}) if tracked else "",
    )


@lru_cache
def two_inputs() -> Callable[..., Any]:
    """Returns the function that makes the path of an operation with two inputs that broadcast.

    Such an operation has no parameters. Its `coerce` converts inputs to tensors, or returns None.
    """
    return written(
        inputs="x, y",
        params="",
        spread="",
        given="{}",
        raw="a, b",
        tensors=caught(_TWO_TENSORS, "pair = coerce(x, y)"),
        values="a = x._value\nb = y._value",
        traced="shaped = True",
        check=_TWO_CHECK,
        several="",
        note=_TWO_NOTE,
    )


def written(**parts: str) -> Callable[..., Any]:
    """Returns the `make` of the template, whose parts are filled in."""
    # The filter of warnings matches the module's name.
    scope: dict[str, Any] = {"__name__": __name__, **_SCOPE}
    make: Callable[..., Any] = made(filled(_PATH, {"traced": "", **parts}), __file__, scope)["make"]
    return make
