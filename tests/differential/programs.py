"""Random programs, and what two modules make of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

import ml_dtypes
import numpy as np
from operations import BY_NAME, OPERATIONS

SHAPES = [(), (3,), (1,), (2, 3), (3, 3), (3, 1), (2, 3, 3), (2, 1, 3)]
EMPTY = [(0,), (0, 3), (3, 0), (2, 0), (0, 0), (0, 3, 3), (2, 0, 3), (2, 3, 0), (1, 0)]
FLOATS = ("float64", "float32", "float16", "bfloat16")
INTEGERS = ("int32", "int64", "int8", "uint8")
KINDS = ("plain", "empty", "extreme")
TOLERANCE = {  # relative to the largest element
    "float64": 1e-7,
    "float32": 2e-5,
    "float16": 1e-2,
    "bfloat16": 8e-2,
}
NOT_IN_TENSORFLOW = {  # what the judge cannot do, so that there is nothing to compare with
    "LookupError",  # the gradient of a gradient that has none registered
    "UnimplementedError",  # ranks above those that its kernels know
    "NotFoundError",  # dtypes that a kernel of a derivative does not know
    "InternalError",
}  # ... and rules that do arithmetic on `IndexedSlices`
MOST = 1e3  # larger values say more about rounding than about rules


@dataclass
class Program:
    """Inputs, and instructions that each name earlier values by their number."""

    inputs: list[np.ndarray]
    instructions: list[tuple[str, tuple[int, ...], dict[str, Any]]] = field(default_factory=list)
    kind: str = "plain"

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

    @property
    def exact(self) -> bool:
        """Whether rounding does not grow from one instruction to the next."""
        return self.kind == "plain" and all(x.dtype == np.float64 for x in self.inputs)

    def steps(self, values: list[Any]) -> Iterator[Program]:
        """Each instruction by itself, on the values that came out before it."""
        for name, places, parameters in self.instructions:
            inputs = [held(values[p]) for p in places]
            yield Program(inputs, [(name, tuple(range(len(places))), parameters)], self.kind)

    def __str__(self) -> str:
        lines = [f"v{i} = {x.dtype}{list(x.shape)}" for i, x in enumerate(self.inputs)]
        if not self.exact:
            lines = [f"{s} {x.tolist()}" for s, x in zip(lines, self.inputs, strict=True)]
        for i, (name, places, parameters) in enumerate(self.instructions, len(lines)):
            arguments = [f"v{p}" for p in places] + [f"{k}={v}" for k, v in parameters.items()]
            lines.append(f"v{i} = {name}({', '.join(arguments)})")
        return "\n".join(lines)


def draw(
    seed: int, judge: Any, length: int = 6, kind: str = "plain", dtype: str = "float64"
) -> tuple[Program, list[Any]]:
    """A program that runs on `judge`, and the values that it has there.

    Args:
      seed: Decides everything.
      judge: The module whose answers count.
      length: The number of instructions.
      kind: "plain": values of moderate size; "empty": some axes have length 0; "extreme":
        infinities, NaN, the largest and smallest numbers and zeros of either sign among them.
      dtype: The name of the inputs' dtype.
    """
    random, numbers = Random(seed), np.random.default_rng(seed)
    shapes = random.choices(
        SHAPES + EMPTY * 2 if kind == "empty" else SHAPES, k=random.randint(1, 3)
    )
    inputs = [array(numbers, s, np.dtype(dtype), extreme=kind == "extreme") for s in shapes]
    program = Program(inputs, kind=kind)
    values: list[Any] = [judge.constant(x) for x in program.inputs]
    for _ in range(20 * length):
        if len(program.instructions) == length:
            break
        operation = random.choice(OPERATIONS)
        recent = range(max(0, len(values) - 4), len(values))
        places = tuple(random.choice(recent) for _ in range(operation.arity))
        inputs = [values[p] for p in places]
        try:
            parameters = operation.draw(random, *[tuple(v.shape) for v in inputs])
            if parameters is None:
                continue
            value = operation.call(judge, *inputs, **parameters)
            fit = usable(value, kind)
        except Exception:  # (not for this dtype, or not for empty axes)
            if program.exact:
                raise
            continue
        if fit:
            program.instructions.append((operation.name, places, parameters))
            values.append(value)
    return program, values


def array(numbers: np.random.Generator, shape: Any, dtype: Any, *, extreme: bool) -> np.ndarray:
    """Random numbers, half of them extreme ones where that is asked for."""
    whole = dtype.kind in "iu"
    drawn = (
        numbers.integers(0 if dtype.kind == "u" else -9, 10, shape)
        if whole
        else numbers.normal(size=shape)
    )
    out = np.asarray(drawn, dtype)
    if not extreme:
        return out
    return np.where(numbers.random(shape) < 0.5, numbers.choice(special(dtype), shape), out)


def special(dtype: Any) -> np.ndarray:
    """The numbers at the limits of a dtype."""
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return np.array([info.min, info.max, info.min + 1, info.max - 1, 0, 1], dtype)
    limits = ml_dtypes.finfo(dtype)
    # No subnormal numbers: TensorFlow takes them for zeros.
    sizes = [np.inf, limits.max, limits.tiny, 0.0, 1.0]
    return np.array([np.nan, *sizes, *np.negative(np.array(sizes, float))], float).astype(dtype)


def held(x: Any) -> np.ndarray:
    """Returns a tensor's value; TensorFlow's bfloat16 scalars are not NumPy arrays."""
    return np.asarray(x.numpy())


def usable(value: Any, kind: str) -> bool:
    """Whether a value is worth going on with."""
    array = held(value)
    if kind != "plain":
        return array.size < 200 and array.dtype.kind in "fiuV"
    return (
        0 < array.size < 200
        and bool(np.isfinite(array).all())
        and bool((np.abs(array.astype(float)) < MOST).all())
    )


def outcome(program: Program, tf: Any, seed: int) -> dict[str, Any]:
    """Values, their gradients, and the gradients of those; or an exception in their place."""
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
                y = tf.reduce_sum(values[-1] * weights(numbers, values[-1]))
            found[stage] = arrays(tf, values)
            if not y.dtype.is_floating:
                return found
            stage = "first"
            first = tape.gradient(y, xs)
            factors = [weights(numbers, x) for x in xs]
            weighted = [
                tf.reduce_sum(tf.convert_to_tensor(g) * w)
                for g, w in zip(first, factors, strict=True)
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


def weights(numbers: np.random.Generator, x: Any) -> np.ndarray:
    """Random numbers to multiply a tensor with."""
    return numbers.normal(size=x.shape).astype(x.dtype.as_numpy_dtype)


def arrays(tf: Any, tensors: list[Any]) -> list[Any]:
    """Tensors as arrays, None as it is."""
    return [None if t is None else held(tf.convert_to_tensor(t)) for t in tensors]


def disagreement(ours: dict[str, Any], judges: dict[str, Any]) -> str | None:
    """Describes the difference between two outcomes; None if they are equal."""
    for what in ("values", "first", "second"):
        if what not in ours and what not in judges:  # integers
            return None
        mine, want = ours.get(what), judges.get(what)
        if type(want).__name__ in NOT_IN_TENSORFLOW or "'IndexedSlices' and" in str(want):
            return None
        if what != "values" and "not in the list of allowed values" in str(want):
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
    """Describes the difference between an array and the expected one.

    `spared` lets a finite number stand where NaN is expected: TensorFlow's rules for norms divide
    by the gradient, so that the second derivative of what has gradient zero is NaN.
    """
    if a is None or b is None:
        return None if a is b else f"{shortened(a)}, expected {shortened(b)}"
    if (a.shape, a.dtype) != (b.shape, b.dtype):
        return f"{a.shape} {a.dtype}, expected {b.shape} {b.dtype}"
    if a.dtype.kind in "iub":
        return None if np.array_equal(a, b) else f"{shortened(a.tolist())}, expected {b.tolist()}"
    tolerance, most = TOLERANCE[a.dtype.name], float(ml_dtypes.finfo(a.dtype).max)
    a, b = a.astype(np.float64), b.astype(np.float64)
    if spared:
        b = np.where(np.isnan(b) & np.isfinite(a), a, b)
    # A number next to the largest may be rounded to infinity.
    near = (np.abs(a) > most / 2) & (np.abs(b) > most / 2) & (np.sign(a) == np.sign(b))
    a = np.where(near, b, a)
    sizes = [np.abs(x[np.isfinite(x)]) for x in (a, b)]
    scale = max(1.0, *(x[x < np.sqrt(most)].max(initial=0.0) for x in sizes))
    if np.allclose(a, b, tolerance, tolerance * scale, equal_nan=True):
        return None
    return f"{shortened(a.tolist())}, expected {shortened(b.tolist())}"


def summary(stage: Any) -> str:
    """An exception, or the fact that there was none."""
    return shortened(f"{stage!r} {stage}") if isinstance(stage, Exception) else "no exception"


def shortened(value: Any, most: int = 300) -> str:
    """A value as text that stays readable."""
    text = str(value)
    return text if len(text) < most else f"{text[:most]}..."


def smaller(program: Program, seed: int, ours: Any, judge: Any) -> Program:
    """The shortest beginning of a program on which the two still disagree."""
    for n in range(1, len(program.instructions)):
        part = Program(program.inputs, program.instructions[:n], program.kind)
        if disagreement(outcome(part, ours, seed), outcome(part, judge, seed)):
            return part
    return program
