"""Writes docs/compatibility.md from the results of a comparison."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from comparison.jobs import public_paths, why_not_called
from comparison.judge import Comparison, Difference, signature_reason
from comparison.signatures import Parameters
from gradtape._src.compat.names import tensorflow_names

PAGE = Path(__file__).parents[2] / "docs" / "compatibility.md"
HEAD = """# How closely functions agree with TensorFlow

Look up here whether a function gives exactly TensorFlow's results, and in which calls it does not.
This page is written by `python tools/compare_with_tensorflow.py --tensorflow PYTHON --page`, where
PYTHON is an interpreter with TensorFlow {version}. The program calls each public function and the
methods of the most common classes in both libraries, and compares the results: the type of the
exception, or the value, dtype, shape and structure, and the first and second gradients with respect
to each floating-point argument. All calls are variations of one to three working calls of each
function: 16 dtypes, ranks from 0 to 5, axes of length 0, NaN and infinity, lists, NumPy arrays,
variables, ragged and sparse tensors, keyword arguments, each option with valid and invalid values,
and None, strings and numbers in place of arrays. For functions that draw random numbers, only
dtypes and shapes are compared.

"Equal" calls agree in all of this. "Better" calls differ for one of the reasons in the list below,
and "different" calls for another or an unknown reason.
"""
NAMES_ON_A_LINE = 12
LONGEST_LINE = 100
RAW = "raw_ops."


def summary(found: dict[str, Comparison]) -> str:
    """Returns the numbers of a comparison in one line."""
    called = [c for c in found.values() if c.tried]
    left = sum(not c.reached for c in found.values())
    tried, equal = sum(c.tried for c in called), sum(c.equal for c in called)
    better = sum(c.better.total() for c in called)
    different = sum(len(c.different) for c in called)
    return (
        f"{len(called)} of {len(found)} functions were called in {tried} ways: {equal} results are "
        f"equal, {better} better, {different} different"
        f"{f'; {left} functions were not reached' if left else ''}"
    )


def write(store: Path, found: dict[str, Comparison]) -> None:
    """Writes the page."""
    parts = [
        HEAD.format(version=tensorflow_names().version),
        f"\n{summary(found)}.\n",
        *table(found),
        *better(found),
        *different(found),
        *different_raw(found),
        *signatures(store),
        *left_out(found),
    ]
    PAGE.write_text("".join(parts), encoding="utf-8")


def table(found: dict[str, Comparison]) -> Iterator[str]:
    """Yields the lines of a table with a row for each namespace."""
    yield "\n| Namespace | Functions | Called | Calls | Equal | Better | Different |\n"
    yield "|---|---:|---:|---:|---:|---:|---:|\n"
    spaces = defaultdict(list)
    for name, comparison in found.items():
        spaces[f"tf.{name.rpartition('.')[0]}".rstrip(".")].append(comparison)
    for space, some in sorted(spaces.items()):
        numbers = [
            len(some),
            sum(bool(c.tried) for c in some),
            sum(c.tried for c in some),
            sum(c.equal for c in some),
            sum(c.better.total() for c in some),
            sum(len(c.different) for c in some),
        ]
        yield f"| {space} | {' | '.join(map(str, numbers))} |\n"


def better(found: dict[str, Comparison]) -> Iterator[str]:
    """Lists the intended differences, by reason."""
    yield "\n## Better, with a reason\n\n"
    by_reason: dict[str, Counter[str]] = defaultdict(Counter)
    for name, comparison in found.items():
        for reason, count in comparison.better.items():
            by_reason[reason][name] += count
    for reason, names in sorted(by_reason.items(), key=lambda item: -item[1].total()):
        yield item_text(f"{reason} {names.total()} calls:", (n for n, _ in names.most_common()))


def item_text(text: str, names: Iterable[str]) -> str:
    """Returns an item of a list: a text, and names after it."""
    listed = list(names)
    shown = [f"`{name}`" for name in listed[:NAMES_ON_A_LINE]]
    more = len(listed) - len(shown)
    ending = f" and {more} more" if more else ""
    return wrapped(f"* {text} {', '.join(shown)}{ending}.") + "\n"


def wrapped(text: str) -> str:
    """Wraps a text into lines."""
    lines = [""]
    for word in text.split(" "):
        if lines[-1] and len(lines[-1]) + len(word) >= LONGEST_LINE:
            lines.append("  ")
        lines[-1] += word if lines[-1].strip() == "" and lines[-1] == "  " else f" {word}"
    return "\n".join(line.removeprefix(" ") if line.startswith(" *") else line for line in lines)


def different(found: dict[str, Comparison]) -> Iterator[str]:
    """Lists the other differences, function by function."""
    yield "\n## Different\n\nThe number of calls, what differs in them, and one of them.\n\n"
    for name, comparison in sorted(found.items()):
        if not comparison.different or name.startswith(RAW):
            continue
        kinds = Counter(d.kind for d in comparison.different)
        said = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common())
        yield f"* `{name}`: {said}; {example(likeliest(comparison.different))}\n"


def different_raw(found: dict[str, Comparison]) -> Iterator[str]:
    """Lists the raw operations with differences, and the number of differences."""
    counts = {n: len(c.different) for n, c in found.items() if n.startswith(RAW) and c.different}
    parts = [f"`{name.removeprefix(RAW)}` {count}" for name, count in sorted(counts.items())]
    text = f"Raw operations, with the number of calls: {', '.join(parts)}."
    yield "\n" + "\n".join(line.strip() for line in wrapped(text).split("\n")) + "\n"


WORST = ("value", "dtype", "shape", "type", "gradient: value", "refuses")


def likeliest(found: list[Difference]) -> Difference:
    """Returns the most important difference: a different answer rather than an exception."""
    return min(found, key=lambda d: WORST.index(d.kind) if d.kind in WORST else len(WORST))


def example(found: Difference) -> str:
    """Formats a call on one line."""
    return f"`{found.call[:160]}`".replace("|", "\\|")


def signatures(store: Path) -> Iterator[str]:
    """Lists the functions whose parameters differ."""
    theirs, ours = (
        json.loads((store / f"signatures.{side}.json").read_text()) for side in ("theirs", "ours")
    )
    shared = [n for n, p in ours.items() if isinstance(p, list) and isinstance(theirs.get(n), list)]
    unlike = [n for n in shared if theirs[n] != ours[n]]
    known = {n: signature_reason(n, theirs[n], ours[n]) for n in unlike}
    yield "\n## Parameters\n\n"
    yield (
        f"The names, the order, the kinds and the defaults of the parameters of {len(shared)} "
        f"functions, classes and methods were compared: {len(shared) - len(unlike)} are equal, "
        f"{sum(map(bool, known.values()))} are wider for a reason.\n\n"
    )
    for reason in sorted(set(filter(None, known.values()))):
        some = [n for n, why in known.items() if why == reason]
        yield item_text(f"{reason} {len(some)} names:", some)
    for name in (n for n, why in known.items() if not why):
        yield f"* `{name}`: TensorFlow has `{words(theirs[name])}`, here is `{words(ours[name])}`\n"


def words(parameters: Parameters) -> str:
    """Formats the parameters as in a signature."""
    stars = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}
    parts = [f"{stars.get(k, '')}{n}{f'={d}' if d else ''}" for n, k, d in parameters]
    return f"({', '.join(parts)})"


def left_out(found: dict[str, Comparison]) -> Iterator[str]:
    """Lists the functions that were not called."""
    yield "\n## Not called\n\n"
    reasons: dict[str, list[str]] = defaultdict(list)
    for path in public_paths(tensorflow_names()):
        if why := why_not_called(path):
            reasons[why].append(path)
    for why, names in sorted(reasons.items()):
        yield item_text(f"{why}: {len(names)} names:", names)
    later = sorted(name for name, comparison in found.items() if not comparison.reached)
    if later:
        yield item_text(f"not reached in this run: {len(later)} names:", later)
    none = sorted(name for name, c in found.items() if c.reached and not c.tried)
    if none:
        yield item_text(f"no call was found that works: {len(none)} names:", none)
