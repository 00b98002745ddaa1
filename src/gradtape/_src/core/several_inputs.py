"""The fast path of operations with several inputs and parameters.

It does what `primitive.bind` does, written out for a known number of inputs, so that no step loops
over them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from gradtape._src.core.primitive import (
    Bound,
    Primitive,
    _attach,
    _boxed,
    _identify,
    bind,
    record,
    rescue,
)
from gradtape._src.core.straight_paths import written
from gradtape._src.core.templates import (
    IDENTIFIED,
    NO_PARAMETERS,
    SEVERAL_OUTPUTS,
    Parameters,
    filled,
    parameters,
)

_TENSORS = """
if not ($types is Tensor):
    return coerce($inputs$spread) if $mixed else kernel($inputs$spread)
"""

_CHECK = """
kind = $first
if not ($equal) or (dtypes is not None and kind.type not in dtypes):
    primitive.check(($inputs,))
"""

_NOTE = """
if tapes:
    $ids
    if $any:
        o = 0
        for tape in tapes:
            ids = tape.ids
            mask = $mask
            if mask:
                o = out._id = o or $identified
                if o:
                    plan = plans.get(mask) or primitive.plan(mask)
                    ids.add(o)
                    saved, static = $kept
                    tape.records.append((plan, o, ($known,), saved, static))
"""


@lru_cache
def _path(
    count: int,
    start: int,
    stop: int,
    tracked: int,
    params: Parameters,
    specs_alone: bool = False,
) -> Callable[..., Any]:
    """Returns the function that makes the path of an operation with several inputs and parameters.

    Its `coerce` runs the operation on inputs of which some are tensors, but not all.

    Args:
      count: The number of inputs, at least two.
      start: The first of the inputs that must have one dtype.
      stop: The end of these inputs.
      tracked: Bit i is set where input i has a derivative rule.
      params: The code of its `parameters`.
      specs_alone: Whether a record keeps nothing but the shapes and dtypes of the inputs, for which
        this code does what `plan.keep` does.
    """
    every = range(count)
    inputs = ", ".join([f"x{k}" for k in every])
    same = [f"a{k}.dtype" for k in range(start, stop)]
    with_rule = [k for k in every if tracked >> k & 1]
    known = [f"i{k} if mask & {1 << k} else 0" if k in with_rule else "0" for k in every]
    specs = ", ".join([f"(a{k}.shape, a{k}.dtype)" for k in every])
    taken, spread, given = params
    kept = f"({inputs},), out, {given}"
    note = {
        "ids": "\n".join([f"i{k} = x{k}._id" for k in with_rule]),
        "any": " or ".join([f"i{k}" for k in with_rule]),
        "mask": " | ".join([f"(i{k} in ids) << {k}" for k in with_rule]),
        "known": ", ".join(known),
        "inputs": inputs,
        "identified": IDENTIFIED,
        "kept": f"(), ((), {given}, None, [{specs}])" if specs_alone else f"plan.keep({kept})",
    }
    check = {"first": same[0], "equal": " is ".join(["kind", *same[1:]])} if same else {}
    return written(
        inputs=inputs,
        params=taken,
        spread=spread,
        given=given,
        raw=", ".join([f"a{k}" for k in every]),
        tensors=filled(
            _TENSORS,
            {
                "types": " is ".join([f"type(x{k})" for k in every]),
                "mixed": " or ".join([f"type(x{k}) is Tensor" for k in every]),
                "inputs": inputs,
                "spread": spread,
            },
        ),
        values="\n".join([f"a{k} = x{k}._value" for k in every]),
        check=filled(_CHECK, {"inputs": inputs, **check}) if same else "",
        several=filled(SEVERAL_OUTPUTS, {"inputs": inputs, "given": given}),
        note=filled(_NOTE, note) if with_rule else "",
    )


def bind_several(primitive: Any) -> Bound:
    """Returns the function that runs an operation with two or more `inputs`."""
    return _attach(primitive, _run_of(primitive, len(primitive.inputs)))


def bind_any_number(primitive: Primitive) -> Bound:
    """Returns the function that runs an operation of any number of inputs, which are mostly few.

    Its attribute `of_count` holds the functions for the numbers of inputs that were seen.
    """
    of_many = bind(primitive)
    runs: dict[int, Any] = {}

    def run_of(count: int) -> Any:
        few = 2 <= count <= _FEW
        runs[count] = _run_of(primitive, count) if few else of_many
        return runs[count]

    def run(*inputs: Any, **params: Any) -> Any:
        count = len(inputs)
        return (runs.get(count) or run_of(count))(*inputs, **params)

    def paths() -> list[Any]:
        """Returns all functions that hold the kernel, those of numbers not seen yet too."""
        return [of_many, *[runs.get(n) or run_of(n) for n in range(2, _FEW + 1)]]

    run.paths = paths  # type: ignore[attr-defined]
    run.of_count = runs  # type: ignore[attr-defined]
    return _attach(primitive, run)


_FEW = 4  # inputs up to which an operation has a path of its own


def _run_of(primitive: Primitive, count: int) -> Any:
    start, stop, _ = primitive.same.indices(count)
    tracked = primitive.tracked & (1 << count) - 1

    def mixed(*inputs: Any, **params: Any) -> Any:
        return run(*map(_boxed, inputs), **params)

    params = parameters(primitive.kernel, none=NO_PARAMETERS)
    make = _path(count, start, stop, tracked, params, primitive.keeps_specs_alone)
    run = make(primitive, primitive._plans, rescue, coerce=mixed, identify=_identify, record=record)
    return run
