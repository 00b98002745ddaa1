"""Random programs, and what two modules make of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
from operations import BY_NAME, OPERATIONS

SHAPES = [(), (3,), (1,), (2, 3), (3, 3), (3, 1), (2, 3, 3), (2, 1, 3)]
TOLERANCE = 1e-7  # relative to the largest element
NOT_IN_TENSORFLOW = {  # what the judge cannot do, so that there is nothing to compare with
    "LookupError",  # the gradient of a gradient that has none registered
    "UnimplementedError",  # ranks above those that its kernels know
}  # ... and rules that do arithmetic on `IndexedSlices`
MOST = 1e3  # larger values say more about rounding than about rules


@dataclass
class Program:
    """Inputs, and instructions that each name earlier values by their number."""

    inputs: list[np.ndarray]
    instructions: list[tuple[str, tuple[int, ...], dict[str, Any]]] = field(default_factory=list)

    def run(self, tf: Any, xs: list[Any]) -> list[Any]:
        """All values, the inputs first."""
        known = list(xs)
        for name, places, parameters in self.instructions:
            known.append(BY_NAME[name].call(tf, *[known[p] for p in places], **parameters))
        return known

    @property
    def order(self) -> int:
        """The highest derivative to compare."""
        return min((BY_NAME[name].order for name, _, _ in self.instructions), default=2)

    def __str__(self) -> str:
        lines = [f"v{i} = {x.shape}" for i, x in enumerate(self.inputs)]
        for i, (name, places, parameters) in enumerate(self.instructions, len(lines)):
            arguments = [f"v{p}" for p in places] + [f"{k}={v}" for k, v in parameters.items()]
            lines.append(f"v{i} = {name}({', '.join(arguments)})")
        return "\n".join(lines)


def draw(seed: int, judge: Any, length: int = 6) -> Program:
    """A program that runs on `judge` with finite values of moderate size."""
    random, numbers = Random(seed), np.random.default_rng(seed)
    shapes = random.choices(SHAPES, k=random.randint(1, 3))
    program = Program([numbers.normal(size=s) for s in shapes])
    values: list[Any] = [judge.constant(x) for x in program.inputs]
    for _ in range(20 * length):
        if len(program.instructions) == length:
            break
        operation = random.choice(OPERATIONS)
        recent = range(max(0, len(values) - 4), len(values))
        places = tuple(random.choice(recent) for _ in range(operation.arity))
        inputs = [values[p] for p in places]
        parameters = operation.draw(random, *[tuple(v.shape) for v in inputs])
        if parameters is None:
            continue
        value = operation.call(judge, *inputs, **parameters)
        if usable(value):
            program.instructions.append((operation.name, places, parameters))
            values.append(value)
    return program


def usable(value: Any) -> bool:
    """Whether a value is worth going on with."""
    array = np.asarray(value)
    return 0 < array.size < 200 and bool(np.isfinite(array).all()) and np.abs(array).max() < MOST


def outcome(program: Program, tf: Any, seed: int) -> dict[str, Any]:
    """Values, gradients by the inputs, and gradients of those; or an exception in their place."""
    numbers = np.random.default_rng([seed, 1])
    found: dict[str, Any] = {}
    stage = "values"
    try:
        xs = [tf.constant(x) for x in program.inputs]
        with tf.GradientTape() as outer:
            outer.watch(xs)
            with tf.GradientTape() as tape:
                tape.watch(xs)
                values = program.run(tf, xs)
                y = tf.reduce_sum(values[-1] * numbers.normal(size=values[-1].shape))
            found[stage] = arrays(tf, values)
            stage = "first"
            first = tape.gradient(y, xs)
            weights = [numbers.normal(size=x.shape) for x in xs]
            weighted = [
                tf.reduce_sum(tf.convert_to_tensor(g) * w)
                for g, w in zip(first, weights, strict=True)
                if g is not None
            ]
        found[stage] = arrays(tf, first)
        found["rows"] = [type(g).__name__ == "IndexedSlices" for g in first]
        stage = "second"
        if program.order < 2:
            weighted = []
        found[stage] = arrays(tf, outer.gradient(weighted, xs) if weighted else [])
    except Exception as error:  # noqa: BLE001  (an outcome like any other)
        found[stage] = error
    return found


def arrays(tf: Any, tensors: list[Any]) -> list[Any]:
    """Tensors as arrays, None as it is."""
    return [None if t is None else np.asarray(tf.convert_to_tensor(t)) for t in tensors]


def disagreement(ours: dict[str, Any], judges: dict[str, Any]) -> str | None:
    """What differs between two outcomes, in words; None where nothing does."""
    for what in ("values", "first", "second"):
        mine, want = ours.get(what), judges.get(what)
        if type(want).__name__ in NOT_IN_TENSORFLOW or "'IndexedSlices' and" in str(want):
            return None
        if isinstance(mine, Exception) or isinstance(want, Exception):
            if type(mine).__name__ == type(want).__name__:
                return None
            return f"{what}: {summary(mine)}, expected {summary(want)}"
        for i, (a, b) in enumerate(zip(mine, want, strict=True)):
            found = unequal(a, b, spared=what == "second")
            if found:
                return f"{what}[{i}]: {found}"
    if ours["rows"] != judges["rows"]:
        return f"IndexedSlices where: {ours['rows']}, expected {judges['rows']}"
    return None


def unequal(a: Any, b: Any, *, spared: bool) -> str | None:
    """What differs between an array and the one that is expected.

    `spared` lets a finite number stand where NaN is expected: TensorFlow's rules for norms divide
    by the gradient, so that the second derivative of what has gradient zero is NaN.
    """
    if a is None or b is None:
        return None if a is b else f"{shortened(a)}, expected {shortened(b)}"
    if (a.shape, a.dtype) != (b.shape, b.dtype):
        return f"{a.shape} {a.dtype}, expected {b.shape} {b.dtype}"
    if spared:
        b = np.where(np.isnan(b) & np.isfinite(a), a, b)
    scale = max(1.0, *(np.abs(x[np.isfinite(x)]).max(initial=0.0) for x in (a, b)))
    if np.allclose(a, b, TOLERANCE, TOLERANCE * scale, equal_nan=True):
        return None
    return f"{shortened(a.tolist())}, expected {shortened(b.tolist())}"


def summary(stage: Any) -> str:
    """An exception, or the fact that there was none."""
    return shortened(repr(stage)) if isinstance(stage, Exception) else "no exception"


def shortened(value: Any, most: int = 300) -> str:
    """A value as text that stays readable."""
    text = str(value)
    return text if len(text) < most else f"{text[:most]}..."


def smaller(program: Program, seed: int, ours: Any, judge: Any) -> Program:
    """The shortest beginning of a program on which the two still disagree."""
    for n in range(1, len(program.instructions)):
        part = Program(program.inputs, program.instructions[:n])
        if disagreement(outcome(part, ours, seed), outcome(part, judge, seed)):
            return part
    return program
