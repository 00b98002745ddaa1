"""Compares the answers of the two sides."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from dataclasses import dataclass, field
from fnmatch import fnmatch, fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from comparison.values import Record, Spec

REASONS = Path(__file__).with_name("reasons.toml")
TOLERANCES = {  # the tolerance of a value, relative to the greatest value
    "float64": 1e-8,
    "complex128": 1e-8,
    "float32": 5e-5,
    "complex64": 5e-5,
    "float16": 1e-2,
    "bfloat16": 6e-2,
}
WIDER = 20  # the factor on tolerances for derivatives
RANDOM = (  # functions whose random numbers differ from TensorFlow's
    *("random.*", "random_*", "*.random_*", "*.stateless_random_*", "*dropout"),
    *("data.Dataset.random", "data.Dataset.shuffle", "experimental.numpy.random.*", "*candidate*"),
    *("nn.nce_loss", "nn.sampled_softmax_loss", "*sample_distorted_bounding_box"),
    *("initializers.*", "*initializer", "raw_ops.*Random*", "raw_ops.*Multinomial*"),
    *("raw_ops.Stateless*Normal*", "raw_ops.StatelessShuffle"),
)


class Difference(NamedTuple):
    """A call whose answers differ.

    Attributes:
      kind: The kind of difference: "exception", "answer" (one side has none), "value" and others.
      label: The variation in the call.
      call: The call as Python writes it.
      theirs: TensorFlow's answer.
      ours: The answer of gradtape.
    """

    kind: str
    label: str
    call: str
    theirs: str
    ours: str

    def __str__(self) -> str:
        answers = f"    theirs {self.theirs}\n    ours   {self.ours}"
        return f"[{self.kind}] {self.label}: {self.call}\n{answers}"


@dataclass
class Comparison:
    """The result for one function.

    Attributes:
      paths: Its public names.
      tried: The number of calls.
      equal: The number of equal answers.
      better: The intended differences, by reason.
      different: The other differences.
      reached: Whether both sides made the calls.
    """

    paths: list[str]
    tried: int = 0
    equal: int = 0
    better: Counter[str] = field(default_factory=Counter)
    different: list[Difference] = field(default_factory=list)
    reached: bool = True


def compared(store: Path, name: str, paths: list[str]) -> Comparison:
    """Compares the answers about a function."""
    result = Comparison(paths)
    theirs, ours = (store / side / f"{name}.json" for side in ("theirs", "ours"))
    result.reached = theirs.exists() and ours.exists()
    if not result.reached:
        return result
    pairs = zip(json.loads(theirs.read_text()), json.loads(ours.read_text()), strict=True)
    for (call, their_answer), (_, our_answer) in pairs:
        result.tried += 1
        random = their_answer[-1] == "random" or any(fnmatch(name, p) for p in RANDOM)
        kind = verdict(their_answer, our_answer, random=random)
        if not kind:
            result.equal += 1
            continue
        found = Difference(kind, call[0], written(call), brief(their_answer), brief(our_answer))
        if reason := reason_for(name, found):
            result.better[reason] += 1
        else:
            result.different.append(found)
    return result


def verdict(theirs: Record, ours: Record, *, random: bool = False) -> str:
    """Describes the difference between two answers; "" if they are equal."""
    if theirs[0] == ours[0] == "raised":
        return "" if theirs[1][0] in ours[1] else "exception"
    if theirs[0] == "raised":
        return "answers"
    if ours[0] == "raised":
        return "refuses"
    if kind := _unlike(theirs[1], ours[1], random=random):
        return kind
    for place, (their, our) in enumerate(zip(theirs[2], ours[2], strict=False)):
        if kind := _unlike_gradients(their, our, random=random):
            return f"{'second ' * place}gradient: {kind}"
    return "" if len(theirs[2]) == len(ours[2]) else "second gradient: there"


def _unlike_gradients(theirs: Record, ours: Record, *, random: bool) -> str:
    if "raised" in (theirs[:1] + ours[:1]):
        if theirs[0] == ours[0]:
            return "" if theirs[1][0] in ours[1] else "exception"
        return "answers" if theirs[0] == "raised" else "refuses"
    for their, our in zip(theirs, ours, strict=True):
        if "NoneType" in (their[0], our[0]) and their[0] != our[0]:
            return "only here" if their[0] == "NoneType" else "only there"
        if kind := _unlike(their, our, random=random, factor=WIDER):
            return kind
    return ""


def _unlike(theirs: Record, ours: Record, *, random: bool = False, factor: float = 1) -> str:
    """Describes the difference between two recorded values."""
    if theirs[0] != ours[0]:
        return "type"
    if theirs[0] == "object":  # an object is compared by the results of its methods
        return ""
    if theirs[0] in {"Tensor", "Variable", "array"}:
        if theirs[1] != ours[1]:
            return "dtype"
        if theirs[2] != ours[2]:
            return "shape"
        return "" if random or _close(theirs, ours, factor) else "value"
    if theirs[0] == "float":
        same = np.isclose(theirs[1], ours[1], rtol=1e-6, equal_nan=True)
        return "" if same or random else "value"
    if len(theirs) != len(ours):
        return "structure"
    for their, our in zip(theirs[1:], ours[1:], strict=True):
        if kind := _unlike_parts(their, our, random=random, factor=factor):
            return kind
    return ""


def _unlike_parts(theirs: Any, ours: Any, *, random: bool, factor: float) -> str:
    if not isinstance(theirs, list) or not isinstance(ours, list):
        return "" if random or theirs == ours else "value"
    if theirs and isinstance(theirs[0], str) and ours and isinstance(ours[0], str):
        if len(theirs) > 1:
            return _unlike(theirs, ours, random=random, factor=factor)
        return "" if theirs == ours else "structure"
    if len(theirs) != len(ours):
        return "structure"
    for their, our in zip(theirs, ours, strict=True):
        if kind := _unlike_parts(their, our, random=random, factor=factor):
            return kind
    return ""


def _close(theirs: Record, ours: Record, factor: float) -> bool:
    if theirs[1] not in TOLERANCES or not isinstance(theirs[3], list):
        return bool(theirs[3] == ours[3])
    their, our = np.asarray(theirs[3], float), np.asarray(ours[3], float)
    finite = np.isfinite(their)
    if not np.array_equal(np.where(finite, 0, their), np.where(np.isfinite(our), 0, our), True):
        return False
    if not finite.any():
        return True
    tolerance = factor * TOLERANCES[theirs[1]]
    scale = max(1.0, float(np.abs(their[finite]).max()))
    return bool(np.abs(their[finite] - our[finite]).max() <= tolerance * scale)


def written(call: list[Any]) -> str:
    """Formats a call as Python code."""
    _, path, arguments, by = call
    parts = [f"{n}={_text(s)}" if by == "keyword" else _text(s) for n, s in arguments]
    return f"tf.{path}({', '.join(parts)})"


def _text(spec: Spec) -> str:
    if spec["k"] == "array":
        size = "x".join(map(str, spec["shape"])) or "scalar"
        form = "" if spec["form"] == "tensor" else f" {spec['form']}"
        fill = "" if spec["fill"] == "normal" else f" {spec['fill']}"
        return f"<{spec['dtype']} {size}{form}{fill}>"
    if spec["k"] == "plain":
        return str(spec["v"])
    if spec["k"] in {"list", "tuple", "iterator"}:
        return f"[{', '.join(map(_text, spec['v']))}]"
    if spec["k"] == "dict":
        return f"{{{', '.join(f'{n!r}: {_text(s)}' for n, s in spec['v'].items())}}}"
    if spec["k"] == "call":
        words = [f"{n}={_text(s)}" for n, s in spec["words"].items()]
        return f"tf.{spec['path']}({', '.join([*map(_text, spec['args']), *words])})"
    return f"tf.{spec['v']}" if spec["k"] != "function" else f"<{spec['v']}>"


def brief(answer: Record) -> str:
    """Formats an answer as one line."""
    if answer[0] == "raised":
        return f"{answer[1][0]}: {' '.join(answer[2].split())}"[:160]
    text = json.dumps(answer[1])
    more = f" gradients {json.dumps(answer[2])}"[:300] if answer[2] else ""
    return text[:200] + more


@cache
def reasons() -> list[dict[str, Any]]:
    """Returns the intended differences from the file of reasons."""
    return list(tomllib.loads(REASONS.read_text(encoding="utf-8")).get("reason", []))


def _fits(text: str, pattern: str) -> bool:
    """Whether a text fits a pattern in which only `*` has a meaning."""
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), text, re.DOTALL) is not None


def reason_for(name: str, found: Difference) -> str:
    """Returns the reason for an intended difference; "" if it is not intended."""
    for entry in reasons():
        if (
            any(fnmatch(name, pattern) for pattern in entry.get("names", ["*"]))
            and any(fnmatch(found.kind, kind) for kind in entry.get("kinds", ["*"]))
            and any(fnmatchcase(found.label, label) for label in entry.get("labels", ["*"]))
            and any(_fits(found.theirs, text) for text in entry.get("theirs", ["*"]))
            and any(_fits(found.ours, text) for text in entry.get("ours", ["*"]))
            and not any(_fits(found.ours, text) for text in entry.get("not_ours", []))
        ):
            return str(entry["why"])
    return ""


def signature_reason(name: str, theirs: list[list[str]], ours: list[list[str]]) -> str:
    """Returns the reason why a function's parameters may differ; "" if they must be equal."""
    for entry in tomllib.loads(REASONS.read_text(encoding="utf-8")).get("signature", []):
        if any(fnmatch(name, pattern) for pattern in entry["names"]):
            return str(entry["why"])
    if theirs == [p for p in ours if p in theirs] and _only_more(theirs, ours):
        return "Further parameters, which have defaults, come after TensorFlow's."
    if {p[1] for p in theirs if p[1][:3] == "VAR"} > {p[1] for p in ours if p[1][:3] == "VAR"}:
        return "Parameters are named, whereas TensorFlow takes anything and looks later."
    return ""


def _only_more(theirs: list[list[str]], ours: list[list[str]]) -> bool:
    more = [p for p in ours if p not in theirs]
    last = max((ours.index(p) for p in theirs), default=-1)
    return all(p[2] or p[1][:3] == "VAR" for p in more) and all(
        ours.index(p) > last or p[1] == "KEYWORD_ONLY" for p in more
    )
