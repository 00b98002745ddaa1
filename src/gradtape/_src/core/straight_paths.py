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
from gradtape._src.core.convert import constants, readers, scalar_constants
from gradtape._src.core.recorder import active_tapes, mixed_recorders, next_id, process
from gradtape._src.core.templates import (
    IDENTIFIED,
    SEVERAL_OUTPUTS,
    WHOLE,
    caught,
    filled,
    made,
    of_path,
)
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.tracebacks import shorten

_PATH = """
def make(
    primitive, plans, rescue, keeps=(), coerce=None, otherwise=None, identify=None, record=None
):
    kernel, dtypes, tracked = primitive.kernel, primitive.dtypes, primitive.tracked
    # What needs no check: arrays of one dtype, scalars of one type.
    usual, scalar = (single, float32) if dtypes is None or float32 in dtypes else (None, None)

    def run($signature):
        $tensors
        tapes = active()
        $values
        if tapes is None:
            $watched
        else:
            $check
            try:
                $guarded
                value = kernel($raw$spread)
            except Exception as error:
                $failed
        $several
        out = new(Tensor)  # takes half as long as Tensor(value)
        out._value = value
        out._id = 0
        $note
        return out

    return run
"""

_ONE_CHECK = """
if type(a) is not scalar and (kind := a.dtype) is not usual and kind.type not in dtypes:
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

_TWO_TENSORS = """
if type(x) is not Tensor or type(y) is not Tensor:
    given, other = (y, x) if type(x) is Tensor else (x, y)
    kind, known = type(given), None
    if type(other) is Tensor:
        if kind in readers:
            known = readers[kind](given)
        elif kind is float or kind is int:
            known = other._value
            if known.dtype is not single:
                known = None
            elif type(known) is ndarray:
                known = constants.get(given)
            else:
                known = scalar_constants.get(given)
    if known is None:
        $call
        if pair is None:
            return otherwise(x, y)
        x, y = pair
    elif given is x:
        x = known
    else:
        y = known
"""

_TWO_CHECK = """
scalars = type(a) is scalar is type(b)
if not scalars and (a.dtype is not usual or b.dtype is not usual):
    kind = a.dtype.type
    if kind is not b.dtype.type:
        raise mismatch(primitive.name, 1, x.dtype, y.dtype)
    if dtypes is not None and kind not in dtypes:
        return stand_in(primitive.name, dtypes, x.dtype)(x, y)
"""

_TWO_NOTE = """
if tapes:
    i, j = x._id, y._id
    if i or j:
        o = 0
        for tape in tapes:
            ids = tape.ids
            if i in ids:
                mask, known = (3, (i, j)) if j in ids else (1, (i, 0))
            elif j in ids:
                mask, known = 2, (0, j)
            else:
                continue
            $narrowed
            o = out._id = o or next_id()
            ids.add(o)
            static = None
            if $uneven and (one := a.shape) != (two := b.shape):
                if mask == 3 or (one if mask == 1 else two) != value.shape:
                    static = one, two
            keep = keeps[mask]
            saved = keep(x, y, out) if keep else ()
            tape.records.append((plans[mask], o, known, saved, static))
"""

_NARROWED = """
mask &= tracked
if not mask:
    continue
known = (i, 0) if mask == 1 else (0, j)
"""

_SCOPE = {
    "Tensor": Tensor,
    "active": active_tapes,
    "constants": constants,
    "float32": np.float32,
    "mismatch": mismatch,
    "mixed": mixed_recorders,
    "new": object.__new__,
    "next_id": next_id,
    "ndarray": np.ndarray,
    "nothing": {},  # the parameters of operations without any, which nobody changes
    "process": process,
    "readers": readers,
    "scalar_constants": scalar_constants,
    "shorten": shorten,
    "single": np.dtype(np.float32),
    "stand_in": stand_in,
    "unsupported": unsupported,
}


@lru_cache
def one_input(
    *, params: Any, checked: bool, tracked: bool, saved: str, converts: bool = False
) -> Callable[..., Any]:
    """Returns the function that makes the path of an operation with one input.

    Args:
      params: The code of `parameters`; None if it takes none and gives one output.
      checked: Whether there are dtypes to check.
      tracked: Whether it has a derivative.
      saved: The code of what a record keeps; "" if `plan.keep` returns it.
      converts: Whether `coerce` converts other inputs to tensors; otherwise, the kernel gets them.
    """
    identity = IDENTIFIED if params else "next_id()"
    taken, spread, given = params or ("", "", "nothing")
    kept = of_path(saved, given)
    return written(
        signature=f"x{taken}",
        inputs="x",
        spread=spread,
        given=given,
        raw="a",
        tensors=caught("if type(x) is not Tensor:\n    $call\n", "x = coerce(x)")
        if converts
        else f"if type(x) is not Tensor:\n    return kernel(x{spread})",
        values="a = x._value",
        check=_ONE_CHECK if checked else "",
        several=filled(SEVERAL_OUTPUTS, {"inputs": "x", "given": given}) if params else "",
        note=filled(_ONE_NOTE, {"identity": identity, "kept": kept}) if tracked else "",
    )


@lru_cache
def two_inputs(tracked: int, uneven: str = "not scalars") -> Callable[..., Any]:
    """Returns the function that makes the path of an operation with two inputs that broadcast.

    Such an operation has no parameters. Its `coerce` converts inputs to tensors, or returns None.

    Args:
      tracked: Bit i is set where input i has a derivative rule.
      uneven: The condition, as code, under which the shapes of the inputs are compared.
    """
    narrowed = "" if tracked == 3 else _NARROWED
    return written(
        signature="x, y",
        inputs="x, y",
        spread="",
        given="nothing",
        raw="a, b",
        tensors=caught(_TWO_TENSORS, "pair = coerce(x, y)"),
        values="a = x._value\nb = y._value",
        traced="scalars = False",
        check=_TWO_CHECK,
        several="",
        note=filled(_TWO_NOTE, {"narrowed": narrowed, "uneven": uneven}) if tracked else "",
    )


def written(**parts: str) -> Callable[..., Any]:
    """Returns the `make` of the template, whose parts are filled in."""
    # The filter of warnings matches the module's name.
    scope: dict[str, Any] = {"__name__": __name__, **_SCOPE}
    make: Callable[..., Any] = made(filled(_PATH, WHOLE | parts), __file__, scope)["make"]
    return make
