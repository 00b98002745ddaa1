"""The shape and dtype of what an operation gives, told without its inputs' values."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from gradtape._src.autograph.errors_while_tracing import is_of_shapes
from gradtape._src.base.error_messages import translated
from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.core.primitive import Primitive
from gradtape._src.core.recorder import replaced
from gradtape._src.declare.pointwise import Binary, Unary
from gradtape._src.declare.traits import traits_of
from gradtape._src.declare.unknown_sizes import (
    Decisions,
    NeedsSize,
    Size,
    atoms,
    broadcast_shapes,
    evaluated,
    lengths,
    sizes_in,
)
from gradtape._src.graph.ir.graph import CannotTrace, KnownSpec, Spec, Symbol, spec_of

Specs = Spec | tuple[Spec, ...]
"""The spec of an output, or of each of several."""


def output_specs(
    primitive: Primitive, inputs: Sequence[Any], params: dict[str, Any], key: Any
) -> Specs:
    """The spec of an operation's output, or of each where it has several.

    An elementwise operation keeps the shape; others run on values that are made up. That is done
    once for each combination of shapes, dtypes and parameters.

    Args:
      primitive: The operation.
      inputs: Symbols, and raw values where these are known.
      params: Its parameters.
      key: What `key_of` gives.

    Raises:
      CannotTrace: The operation refuses the values that are made up.
    """
    told = _found(primitive, inputs, params)
    found: Specs
    if are_specs(told):
        found = tuple([spec_of(*spec) or spec for spec in told])
    else:
        found = spec_of(*told) or told
    if key is not None:
        if len(primitive.specs) >= _MOST:
            primitive.specs.clear()
        primitive.specs[key] = found
    return found


_MOST = 1 << 12
"""How many combinations an operation keeps; beyond that they are found out again."""


def key_of(primitive: Primitive, inputs: Sequence[Any], params: dict[str, Any]) -> Hashable | None:
    """What the specs of the outputs depend on, for `Primitive.specs`.

    Returns:
      None where it is more than can be told, or than should be kept.
    """
    parts: list[Any] = []
    for x in inputs:
        if type(x) is Symbol:
            part: Any = x.spec
        elif _by_shape(primitive):
            part = spec_of(x.shape, x.dtype)
        else:
            part = _Known(x)
            part = part if part.small else None
        if part is None:
            return None
        parts.append(part)
    key = parts[0] if len(parts) == 1 else tuple(parts)
    if not params:
        return key
    if "of" in params or any(sizes_in([*params.values()])):
        return None
    whole = (key, *params.items())
    try:
        hash(whole)
    except TypeError:  # a parameter that can't be hashed
        return None
    return whole


def _by_shape(primitive: Primitive) -> bool:
    """Whether the specs of the outputs depend on no values of the inputs."""
    return isinstance(primitive, (Unary, Binary)) or traits_of(primitive).pattern is not None


def _found(primitive: Primitive, inputs: Sequence[Any], params: dict[str, Any]) -> Any:
    if traits_of(primitive).shape_by_values:
        raise CannotTrace(f"{primitive.name} gives a shape that depends on values")
    if "of" in params:  # a structured operation tells by itself
        own: tuple[Spec, ...] = params["of"].specs
        return own
    if isinstance(primitive, Unary):
        x = inputs[0]
        return x.shape, _pointwise_dtype(primitive, x.dtype)
    if isinstance(primitive, Binary):
        x, y = inputs
        shape = x.shape if x.shape == y.shape else broadcast_shapes(x.shape, y.shape)
        return shape, _pointwise_dtype(primitive, x.dtype, y.dtype)
    if _unknown([x.shape for x in inputs], [*params.values()]):
        return _by_trials(primitive, inputs, params)
    specs = tuple([(x.shape, x.dtype) if type(x) is Symbol else _Known(x) for x in inputs])
    return _run(primitive, specs, params)


class _Known:
    """A constant, equal to others of the same bytes where it is small."""

    __slots__ = ("_key", "small", "value")

    def __init__(self, value: Any) -> None:
        self.value = value
        self.small = value.size <= 64 and value.dtype.kind != "O"
        self._key = (value.shape, value.dtype, value.tobytes()) if self.small else id(value)

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Known) and self._key == other._key


@lru_cache(4096)
def _pointwise_dtype(primitive: Primitive, *dtypes: np.dtype[Any]) -> np.dtype[Any]:
    with np.errstate(all="ignore"):
        out = primitive.kernel(*[np.ones(1, d) for d in dtypes])
    dtype: np.dtype[Any] = out.dtype
    return dtype


def _run(primitive: Primitive, specs: Sequence[Any], params: dict[str, Any]) -> Specs:
    found, error = _tried(primitive, specs, params)
    if found is None and any(type(s) is _Known for s in specs):  # whose values may be wrong
        made_up = [(s.value.shape, s.value.dtype) if type(s) is _Known else s for s in specs]
        found, _ = _tried(primitive, made_up, params)
    if found is not None:
        return found
    if isinstance(error, InvalidArgumentError) and is_of_shapes(error):
        raise error from None  # whatever the values, these shapes do not fit
    raise CannotTrace(f"{primitive.name}: {error}")


def _tried(
    primitive: Primitive, specs: Sequence[Any], params: dict[str, Any]
) -> tuple[Specs | None, Exception | None]:
    """The specs of what a kernel gives for values that are made up, or what it raises for all."""
    error: Exception | None = None
    for fill in (_ones, _scattered):
        values = [s.value if type(s) is _Known else fill(*s) for s in specs]
        try:
            with np.errstate(all="ignore"), replaced(()):
                out = primitive.kernel(*values, **params)
        except Exception as e:  # noqa: BLE001 (other values may suit it)
            error = translated(primitive.name, e, values)
            continue
        if type(out) is tuple:
            return tuple([(y.shape, y.dtype) for y in out]), None
        return (out.shape, out.dtype), None
    return None, error


def _ones(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    if dtype.kind == "O":
        return np.full(shape, b"", object)
    one = dtype.type(1 if dtype.kind in "fc" or dtype.itemsize == 2 else 0)
    return np.broadcast_to(one, shape)[()]


_STEP = 0.618034  # multiples of it, without their whole parts, have no pattern


def _scattered(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """Numbers from 0.5 on, of which square matrices are regular; whole ones are counted up."""
    count = np.arange(prod(shape))
    if dtype.kind == "O":
        return np.full(shape, b"", object)
    if dtype.kind in "iub":
        return count.reshape(shape).astype(dtype)[()]
    numbers: Any = (np.modf(count * _STEP)[0] + 0.5).reshape(shape)
    if len(shape) > 1 and shape[-2] == shape[-1]:
        numbers = numbers + shape[-1] * np.eye(shape[-1])
    return numbers.astype(dtype)[()]


def _unknown(*parts: Any) -> list[Size]:
    return list(sizes_in(parts))


_TRIALS = ((5, 7, 11, 13), (17, 19, 23, 29), (31, 37, 41, 43))
"""Numbers that stand for unknown lengths, in three runs."""


def _by_trials(primitive: Primitive, inputs: Sequence[Any], params: dict[str, Any]) -> Specs:
    """Specs of outputs whose lengths depend on unknown ones, by runs with different numbers."""
    known = _unknown([x.shape for x in inputs], [*params.values()])
    names = sorted({name for size in known for name in atoms(size.code)})
    if len(names) > len(_TRIALS[0]):
        raise NeedsSize("more than four unknown lengths in one operation")
    runs, environments = [], [dict(zip(names, numbers, strict=False)) for numbers in _TRIALS]
    for values in environments:
        specs = [
            (evaluated(x.shape, values), x.np_dtype) if type(x) is Symbol else _Known(x)
            for x in inputs
        ]
        runs.append(_run(primitive, specs, {k: evaluated(v, values) for k, v in params.items()}))
    fitted = {size.code: size for size in known}
    candidates = [(size, [evaluated(size, e) for e in environments]) for size in fitted.values()]
    decisions = known[0].decisions

    def combined(*specs: Any) -> Spec:
        shapes = [spec[0] for spec in specs]
        if len({len(s) for s in shapes}) > 1:
            raise NeedsSize("the number of axes depends on an unknown length")
        return lengths([_length(n, candidates, decisions) for n in zip(*shapes, strict=True)]), (
            specs[0][1]
        )

    if are_specs(runs[0]):
        return tuple([combined(*each) for each in zip(*runs, strict=True)])
    return combined(*runs)


def are_specs(specs: Any) -> bool:
    """Whether these are the specs of several outputs, and not the spec of one."""
    return type(specs) is not KnownSpec and (len(specs) != 2 or not isinstance(specs[1], np.dtype))


def _length(numbers: tuple[int, ...], candidates: Any, decisions: Decisions) -> Any:
    """What a length is that came out as these numbers."""
    first, second, third = numbers
    if first == second == third:
        return first
    for size, values in candidates:
        a, b, c = values
        slope, rest = divmod(first - second, a - b) if a != b else (0, 1)
        if rest == 0 and third == first + slope * (c - a):
            return slope * size + (first - slope * a)
    return decisions.new()


def elements_of(
    primitive: Primitive, entries: Sequence[Any], params: dict[str, Any]
) -> np.ndarray[Any, Any] | None:
    """What an operation computes of unknown lengths; None where it needs them as numbers."""
    given = [x.elements if type(x) is Symbol else np.asarray(x, object) for x in entries]
    if any(x is None for x in given):
        return None
    try:
        found = np.asarray(primitive.kernel(*given, **params), object)
    except (Exception, NeedsSize):  # noqa: BLE001 (it is not for lengths)
        return None
    return found if all(type(n) in (int, Size) for n in found.ravel()) else None
