"""Plans the calls of a function: some valid ones, and variations of them.

A call is `[label, path, arguments, by]`: the arguments are pairs of a parameter's name and a
description, `by` is "position" or "keyword". Methods have their object as the first argument.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterator
from typing import Any

from comparison import candidates
from comparison.recipes import OBJECTS, RECIPES
from comparison.values import Spec, dtype_of, found, plain

Call = list[Any]
Arguments = dict[str, Spec]
SELF = "(self)"
MOST_TRIALS = 400
MOST_BASES = 3
DTYPES = (
    *("float16", "bfloat16", "float32", "float64", "complex64", "complex128"),
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool", "string"),
)
SHAPES: tuple[tuple[int, ...], ...] = (
    *((), (1,), (3,), (2, 3), (3, 3), (2, 3, 2), (2, 1, 2, 2), (1, 2, 1, 2, 2)),
    *((0,), (0, 3), (2, 0), (0, 0), (2, 0, 3), (1, 0, 2, 1)),
)
FORMS = ("list", "numpy", "variable", "ragged", "sparse")
Try = Callable[[Call], bool]


def parameters(tf: Any, path: str) -> list[inspect.Parameter]:
    """Returns the parameters that take a single argument."""
    target = found(tf, path)
    try:
        signature = inspect.signature(target)
    except (TypeError, ValueError):
        return []
    kept = [
        p for p in signature.parameters.values() if p.kind not in {p.VAR_POSITIONAL, p.VAR_KEYWORD}
    ]
    if path.rpartition(".")[0] in OBJECTS and kept and kept[0].name in {"self", "cls"}:
        return kept[1:]
    return kept


def _bases(path: str, listed: list[inspect.Parameter]) -> Iterator[Arguments]:
    """Yields sets of arguments that may be valid, the most likely first."""
    yield from RECIPES.get(path, ())
    if path in RECIPES and path.startswith("raw_ops."):  # other arguments may end the process
        return
    needed = [p for p in listed if p.default is p.empty]
    above = path.rpartition(".")[0]
    fixed = {SELF: OBJECTS[above]} if above in OBJECTS else {}
    choices = [candidates.for_parameter(p.name) for p in needed]
    ways = sorted(
        itertools.islice(itertools.product(*[range(len(c)) for c in choices]), 20_000), key=sum
    )
    for way in ways[:MOST_TRIALS]:
        picked = {p.name: c[i] for p, c, i in zip(needed, choices, way, strict=True)}
        yield {**fixed, **picked}


def _call(label: str, path: str, arguments: Arguments, by: str = "position") -> Call:
    return [label, path, list(arguments.items()), by]


def planned(tf: Any, path: str, works: Try) -> list[Call]:
    """Returns the calls of the function at `path`.

    Args:
      tf: TensorFlow.
      path: The name of a function or method, below `tf`.
      works: A function that makes a call, and returns whether it had a result.

    Returns:
      The calls; none if no working one was found.
    """
    listed = parameters(tf, path)
    good: list[Arguments] = []
    bad: list[Arguments] = []
    shown: set[str] = set()
    only_words = path.startswith("raw_ops.") or any(p.kind is p.KEYWORD_ONLY for p in listed)
    by = "keyword" if only_words else "position"
    for arguments in _bases(path, listed):
        look = "".join(
            f"{s['k']}{s.get('dtype')}{len(s.get('shape', ''))}" for s in arguments.values()
        )
        if len(good) >= MOST_BASES or look in shown:
            continue
        if works(_call("", path, arguments, by)):
            good.append(arguments)
            shown.add(look)
        elif len(bad) < 6:
            bad.append(arguments)
    if not good:
        return []
    calls = [_call("refused", path, arguments, by) for arguments in bad]
    for place, arguments in enumerate(good):
        calls += _varied(path, arguments, listed, by, whole=place == 0)
    unique = {repr(call[1:]): call for call in reversed(calls)}
    return list(reversed(unique.values()))


def _varied(
    path: str, base: Arguments, listed: list[inspect.Parameter], by: str, *, whole: bool
) -> Iterator[Call]:
    yield _call("plain", path, base, by)
    if by == "position":
        named = [p.name for p in listed if p.kind is p.POSITIONAL_OR_KEYWORD]
        if set(base) - {SELF} <= set(named):
            yield _call("by keyword", path, base, "keyword")
    yield from (_call(f"option {n}", path, a, "keyword") for n, a in _options(base, listed))
    for label, arguments in _arrays_varied(base, whole=whole):
        yield _call(label, path, arguments, by)


def _options(base: Arguments, listed: list[inspect.Parameter]) -> Iterator[tuple[str, Arguments]]:
    for p in listed:
        if p.kind is p.POSITIONAL_ONLY:
            continue
        if p.name in base:
            if base[p.name]["k"] != "array":
                for spec in candidates.for_parameter(p.name):
                    if spec != base[p.name]:
                        yield p.name, {**base, p.name: spec}
            continue
        for spec in [*candidates.for_parameter(p.name, p.default), plain(None), plain("nonsense")]:
            yield p.name, {**base, p.name: spec}


def _leaves(arguments: Arguments) -> list[Spec]:
    """Returns the arrays among the arguments, including those in lists."""
    found_here = []
    waiting = list(arguments.values())
    while waiting:
        spec = waiting.pop(0)
        if spec["k"] == "array":
            found_here.append(spec)
        elif spec["k"] in {"list", "tuple"}:
            waiting = [*spec["v"], *waiting]
    return found_here


def _replaced(spec: Spec, change: Callable[[Spec], Spec]) -> Spec:
    if spec["k"] == "array":
        return change(spec)
    if spec["k"] in {"list", "tuple"}:
        return {**spec, "v": [_replaced(part, change) for part in spec["v"]]}
    return spec


def _arrays_varied(base: Arguments, *, whole: bool) -> Iterator[tuple[str, Arguments]]:
    """Yields variations of the dtype, the shape and the form of the arrays."""
    arrays = _leaves(base)
    if not arrays:
        return
    main = arrays[0]["dtype"]

    def changed(names: list[str], **new: Any) -> Arguments:
        def change(spec: Spec) -> Spec:
            kept = spec["dtype"] != main or (spec["form"] == "handle" and "form" in new)
            return spec if kept else {**spec, **new}

        return {n: _replaced(s, change) if n in names else s for n, s in base.items()}

    holders = [n for n, s in base.items() if any(a["dtype"] == main for a in _leaves({n: s}))]
    for dtype in DTYPES:
        yield f"dtype {dtype}", changed(holders, dtype=dtype)
    for shape in SHAPES if whole else SHAPES[:3]:
        yield f"shape {shape}", changed(holders, shape=list(shape))
    for form in FORMS:
        yield f"form {form}", changed(holders, form=form)
    if main.startswith("float"):
        yield "special values", changed(holders, fill="special")
    if whole:
        by_handle = any(a["form"] == "handle" for a in arrays)
        yield from _one_by_one([*base], changed, () if by_handle else ("float64", "int32"))


def _one_by_one(
    names: list[str], changed: Callable[..., Arguments], dtypes: tuple[str, ...]
) -> Iterator[tuple[str, Arguments]]:
    """Yields variations of each argument; the dtype of a variable ends TensorFlow's process."""
    for name in names:
        if name == SELF:
            continue
        for shape in ((), (1,), (3,), (1, 3), (2, 3, 2)):
            yield f"shape {shape} of {name}", changed([name], shape=list(shape))
        for dtype in dtypes:
            yield f"dtype {dtype} of {name}", changed([name], dtype=dtype)
        for form in FORMS:
            yield f"form {form} of {name}", changed([name], form=form)
    for name in names:
        arguments = changed([])
        for spec in (
            plain(None),
            plain("nonsense"),
            plain(2),
            plain([1.5, 2.5]),
            dtype_of("int32"),
        ):
            yield f"{spec['v']} for {name}", {**arguments, name: spec}
