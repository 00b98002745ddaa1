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
$unpacked
if not ($types is Tensor):
    return $untyped
"""

_CHECK = """
kind = $first
if not ($equal) or (dtypes is not None and kind.type not in dtypes):
    $unequal
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
                    known = ($whole,) if mask == $all else ($known,)
                    tape.records.append((plan, o, known, saved, static))
"""


@lru_cache
def _path(
    count: int,
    start: int,
    stop: int,
    tracked: int,
    params: Parameters,
    *,
    specs_alone: bool = False,
    of_list: bool = False,
) -> Callable[..., Any]:
    """Returns the function that makes the path of an operation with several inputs and parameters.

    Its `coerce` runs the operation on inputs of which some are tensors, but not all. The path of a
    list leaves unusual cases to a public function: it returns None if not all inputs are tensors,
    if other recorders than tapes are active, if dtypes differ or if the kernel fails.

    Args:
      count: The number of inputs, at least two.
      start: The first of the inputs that must have one dtype.
      stop: The end of these inputs.
      tracked: Bit i is set where input i has a derivative rule.
      params: The code of its `parameters`.
      specs_alone: Whether a record keeps nothing but the shapes of the inputs and their dtype, for
        which this code does what `plan.keep` does.
      of_list: Whether the path takes one sequence of tensors.
    """
    every = range(count)
    inputs = ", ".join([f"x{k}" for k in every])
    same = [f"a{k}.dtype" for k in range(start, stop)]
    with_rule = [k for k in every if tracked >> k & 1]
    known = [f"i{k} if mask & {1 << k} else 0" if k in with_rule else "0" for k in every]
    shapes = ", ".join([f"a{k}.shape" for k in every])
    mixed = " or ".join([f"type(x{k}) is Tensor" for k in every])
    taken, spread, given = params
    parts = {
        "inputs": inputs,
        "given": given,
        "unpacked": f"{inputs} = values" if of_list else "",
        "types": " is ".join([f"type(x{k})" for k in every]),
        "untyped": "None"
        if of_list
        else f"coerce({inputs}{spread}) if {mixed} else kernel({inputs}{spread})",
        "first": same[0] if same else "",
        "equal": " is ".join(["kind", *same[1:]]),
        "unequal": "return None" if of_list else f"primitive.check(({inputs},))",
        "ids": "\n".join([f"i{k} = x{k}._id" for k in with_rule]),
        "any": " or ".join([f"i{k}" for k in with_rule]),
        "mask": " | ".join([f"(i{k} in ids) << {k}" if k else "(i0 in ids)" for k in with_rule]),
        "all": str(tracked),
        "whole": ", ".join([f"i{k}" if k in with_rule else "0" for k in every]),
        "known": ", ".join(known),
        "identified": IDENTIFIED,
        "kept": f"(), ((), {given}, None, [{shapes}], a0.dtype)"
        if specs_alone
        else f"plan.keep(({inputs},), out, {given})",
    }
    check = filled(_CHECK, parts) if same else ""
    usual = {"watched": "return None", "failed": "return None"} if of_list else {}
    return written(
        signature=f"{'values' if of_list else inputs}{taken}",
        inputs=inputs,
        spread=spread,
        given=given,
        raw=", ".join([f"a{k}" for k in every]),
        tensors=filled(_TENSORS, parts),
        values="\n".join([f"a{k} = x{k}._value" for k in every]),
        check="" if of_list else check,
        guarded=check if of_list else "",  # a value that leaked from a trace has no dtype
        several=filled(SEVERAL_OUTPUTS, parts),
        note=filled(_NOTE, parts) if with_rule else "",
        **usual,
    )


def bind_several(primitive: Any) -> Bound:
    """Returns the function that runs an operation with two or more `inputs`."""
    return _attach(primitive, _run_of(primitive, len(primitive.inputs)))


def bind_any_number(primitive: Primitive) -> Bound:
    """Returns the function that runs an operation of any number of inputs, which are mostly few.

    For small numbers of inputs that were seen, its attribute `of_list` holds functions of a list of
    tensors, which return None in unusual cases.
    """
    of_many = bind(primitive)
    runs: dict[int, Any] = {}
    of_list: dict[int, Any] = {}

    def run_of(count: int) -> Any:
        few = 2 <= count <= _FEW
        if few:
            of_list[count] = _run_of(primitive, count, of_list=True)
        runs[count] = _run_of(primitive, count) if few else of_many
        return runs[count]

    def run(*inputs: Any, **params: Any) -> Any:
        count = len(inputs)
        return (runs.get(count) or run_of(count))(*inputs, **params)

    def paths() -> list[Any]:
        """Returns all functions that hold the kernel, those of numbers not seen yet too."""
        few = range(2, _FEW + 1)
        return [of_many, *[runs.get(n) or run_of(n) for n in few], *[of_list[n] for n in few]]

    run.paths = paths  # type: ignore[attr-defined]
    run.of_list = of_list  # type: ignore[attr-defined]
    return _attach(primitive, run)


_FEW = 4  # inputs up to which an operation has a path of its own


def _run_of(primitive: Primitive, count: int, *, of_list: bool = False) -> Any:
    start, stop, _ = primitive.same.indices(count)
    tracked = primitive.tracked & (1 << count) - 1

    def mixed(*inputs: Any, **params: Any) -> Any:
        return run(*map(_boxed, inputs), **params)

    params = parameters(primitive.kernel, none=NO_PARAMETERS)
    own = {"specs_alone": primitive.keeps_specs_alone, "of_list": of_list}
    make = _path(count, start, stop, tracked, params, **own)
    run = make(primitive, primitive._plans, rescue, coerce=mixed, identify=_identify, record=record)
    return run
