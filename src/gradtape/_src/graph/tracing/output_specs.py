"""The shapes and dtypes of an operation's outputs, inferred without its inputs' values."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import combinations, product
from math import prod
from typing import Any

import numpy as np

from gradtape._src.base.error_messages import translated
from gradtape._src.base.errors import About, InvalidArgumentError
from gradtape._src.base.name_scope import current
from gradtape._src.core.primitive import Primitive
from gradtape._src.core.recorder import replaced
from gradtape._src.declare.arguments import shown_shape
from gradtape._src.declare.lengths_of_values import values_in_graphs
from gradtape._src.declare.pointwise import Binary, Unary
from gradtape._src.declare.structural import broadcast_to_p, reshape_p, sum_to_p
from gradtape._src.declare.traits import Pattern, traits_of
from gradtape._src.declare.unknown_sizes import (
    Decisions,
    NeedsRank,
    NeedsSize,
    Size,
    UnknownRank,
    atoms,
    broadcast_shapes,
    evaluated,
    has_sizes,
    lengths,
    sizes_in,
)
from gradtape._src.graph.ir.graph import CannotTrace, KnownSpec, Node, Spec, Symbol, spec_of
from gradtape._src.ops.elementwise.casting import cast_p

Specs = Spec | tuple[Spec, ...]
"""The spec of an output, or of each of several."""


def output_specs(
    primitive: Primitive,
    inputs: Sequence[Any],
    params: dict[str, Any],
    key: Any,
    decisions: Decisions,
) -> Specs:
    """Returns the spec of an operation's output, or of each if it has several.

    An elementwise operation keeps the shape; others run on sample values, once for each combination
    of shapes, dtypes and parameters.

    Args:
      primitive: The operation.
      inputs: Symbols, and raw values for known inputs.
      params: Its parameters.
      key: The result of `key_of`.
      decisions: The graph's decisions, for lengths that depend on values.

    Raises:
      CannotTrace: The operation fails for the sample values.
    """
    specs = _found(primitive, inputs, params, decisions)
    found: Specs
    if are_specs(specs):
        found = tuple([spec_of(*spec) or spec for spec in specs])
        is_known = all([type(spec) is KnownSpec for spec in found])  # noqa: C419
    else:
        found = spec_of(*specs) or specs
        is_known = type(found) is KnownSpec
    if key is not None and is_known:
        if len(primitive.specs) >= _MOST:
            primitive.specs.clear()
        primitive.specs[key], primitive.specs_by_shape = found, _by_shape(primitive)
    return found


_MOST = 1 << 12
"""The maximum number of cached combinations per operation."""


def key_of(primitive: Primitive, inputs: Sequence[Any], params: dict[str, Any]) -> Hashable | None:
    """Returns the key on which the specs of the outputs depend, for `Primitive.specs`.

    Returns:
      None if there is no such key, or if it should not be cached.
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
    if "of" in params or has_sizes([*params.values()]):
        return None
    whole = (key, *params.items())
    try:
        hash(whole)
    except TypeError:  # a parameter is not hashable
        return None
    return whole


def _by_shape(primitive: Primitive) -> bool:
    """Whether the specs of the outputs are independent of the inputs' values."""
    return isinstance(primitive, (Unary, Binary)) or traits_of(primitive).pattern is not None


def _found(
    primitive: Primitive, inputs: Sequence[Any], params: dict[str, Any], decisions: Decisions
) -> Any:
    result = traits_of(primitive).result
    if result is not None:
        dims, dtype = result(*inputs, **params)
        return decisions.shape_of(dims), dtype
    if "of" in params:  # A structured operation defines its specs.
        own: tuple[Spec, ...] = params["of"].specs
        return own
    if isinstance(primitive, Unary):
        x = inputs[0]
        return x.shape, _pointwise_dtype(primitive, x.dtype)
    if isinstance(primitive, Binary):
        x, y = inputs
        shape = x.shape if _is_equal(x.shape, y.shape) else _broadcast(primitive.name, x, y)
        return shape, _pointwise_dtype(primitive, x.dtype, y.dtype)
    sizes = _unknown([x.shape for x in inputs], [*params.values()])
    if any([type(size) is UnknownRank for size in sizes]):  # noqa: C419
        if primitive in _SHAPED:
            return lengths(params["shape"]), inputs[0].dtype
        if len(inputs) == 1 and traits_of(primitive).pattern is Pattern.ELEMENTWISE:
            return inputs[0].shape, _run(primitive, [((1,), inputs[0].dtype)], params)[1]
        raise NeedsRank(f"{primitive.name} of a tensor of unknown rank")
    if sizes and primitive in _SHAPED:
        with suppress(CannotTrace):  # the actual lengths in a run may fit
            _by_sample_lengths(primitive, inputs, params, decisions)
        return lengths(params["shape"]), inputs[0].dtype
    if sizes:
        return _by_sample_lengths(primitive, inputs, params, decisions)
    specs = tuple([(x.shape, x.dtype) if type(x) is Symbol else _Known(x) for x in inputs])
    return _run(primitive, specs, params)


def _broadcast(name: str, x: Any, y: Any) -> tuple[Any, ...]:
    try:
        return broadcast_shapes(x.shape, y.shape)
    except ValueError:
        pairs = zip(reversed(x.shape), reversed(y.shape), strict=False)
        differing = next((a, b) for a, b in pairs if 1 not in (a, b) and a != b)
    raise ValueError(
        f"Dimensions must be equal, but are {differing[0]} and {differing[1]} for "
        f"'{current()}{name}' with input shapes: {shown_shape(x.shape)}, {shown_shape(y.shape)}."
    )


_SHAPED = {reshape_p.primitive, broadcast_to_p.primitive, sum_to_p.primitive}
"""The operations that have the shape of the result as a parameter."""


def _is_equal(x: Any, y: Any) -> bool:
    """Whether shapes are known and equal."""
    return type(x) is tuple and type(y) is tuple and x == y


class _Known:
    """A constant in a key; small ones are compared by their bytes."""

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
    # An error may be caused by unsuitable sample values.
    if found is None and any(type(s) is _Known for s in specs):
        shapes_alone = [(s.value.shape, s.value.dtype) if type(s) is _Known else s for s in specs]
        found, _ = _tried(primitive, shapes_alone, params)
    if found is None and isinstance(error, InvalidArgumentError):
        found = _without_empty_axes(primitive, specs, params)
    if found is not None:
        return found
    if isinstance(error, InvalidArgumentError) and error._about is not About.VALUES:
        raise error from None  # these shapes are incompatible for all values
    raise CannotTrace(f"{primitive.name}: {error}")


def _without_empty_axes(
    primitive: Primitive, specs: Sequence[Any], params: dict[str, Any]
) -> Specs | None:
    """Infers specs for axes of length 0, to which no index is valid, from those of other lengths.

    None if no axis is empty, or if the kernel fails for other lengths, too.
    """
    if not any(type(s) is not _Known and 0 in s[0] for s in specs):
        return None
    found: list[Any] = []
    for n in _LENGTHS_FOR_0:
        others = [s if type(s) is _Known else (tuple([k or n for k in s[0]]), s[1]) for s in specs]
        out, _ = _tried(primitive, others, params)
        if out is None or are_specs(out):
            return None
        found.append(out)
    (few, dtype), (more, _) = found
    if len(few) != len(more):
        return None
    n, m = _LENGTHS_FOR_0
    return tuple([a - n * (b - a) // (m - n) for a, b in zip(few, more, strict=True)]), dtype


_LENGTHS_FOR_0 = (11, 13)


def _tried(
    primitive: Primitive, specs: Sequence[Any], params: dict[str, Any]
) -> tuple[Specs | None, Exception | None]:
    """Returns the specs of a kernel's results for sample values, or raises its error."""
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
    if dtype.names is not None:  # a quantized dtype
        return np.zeros(shape, dtype)[()]
    one = dtype.type(1 if dtype.kind in "fc" or dtype.itemsize == 2 else 0)
    return np.broadcast_to(one, shape)[()]


_STEP = 0.618034  # The fractional parts of its multiples have no pattern.


def _scattered(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """Returns floats from 0.5 on that form regular matrices, or consecutive integers."""
    count = np.arange(prod(shape))
    if dtype.kind == "O":
        return np.full(shape, b"", object)
    if dtype.kind in "iub":
        return count.reshape(shape).astype(dtype)[()]
    numbers: Any = (np.modf(count * _STEP)[0] + 0.5).reshape(shape)
    if len(shape) > 1 and shape[-2] == shape[-1]:
        numbers = numbers + shape[-1] * np.eye(shape[-1])
    return numbers.astype(dtype)[()]


def _unknown(*parts: Any) -> list[Size | UnknownRank]:
    return list(sizes_in(parts))


_SAMPLE_LENGTHS = (
    (5, 7, 11, 13, 47, 53, 59, 61),
    (29, 23, 19, 17, 73, 67, 79, 71),
    (43, 31, 37, 41, 97, 89, 101, 83),
)
"""Sample values for unknown lengths, for three runs.

No length is a linear function of another one, or of the sum, the difference, the product or the
quotient of others, so that a length of a result is recognized by its three values.
"""


def _by_sample_lengths(
    primitive: Primitive, inputs: Sequence[Any], params: dict[str, Any], decisions: Decisions
) -> Specs:
    """Infers specs with unknown lengths, from runs with different sample lengths."""
    known = _unknown([x.shape for x in inputs], [*params.values()])
    names = sorted({name for size in known for name in atoms(size.code)})
    if len(names) > len(_SAMPLE_LENGTHS[0]):
        raise NeedsSize("more than eight unknown lengths in one operation")
    fixed = {n for x in inputs for n in x.shape if type(n) is not Size and n > 1}
    if primitive in _SHAPED:
        fixed |= {n for n in params["shape"] if type(n) is int and n > 1}
    for samples, tied in _attempts(len(names), sorted(fixed)):
        loose = {names[i] for i in tied}
        try:
            return _by_numbers(primitive, inputs, params, known, names, samples, loose, decisions)
        except (CannotTrace, InvalidArgumentError) as error:
            refused = error
    raise CannotTrace(f"{primitive.name} refuses unknown lengths: {refused}")


def _attempts(count: int, fixed: Sequence[int]) -> Iterator[tuple[Any, Sequence[int]]]:
    """Yields sample values for unknown lengths, and which of them are assumed to be related.

    At first all lengths differ. Then, since the operation may require it, one of them equals a
    known length or another unknown length.
    """
    yield _SAMPLE_LENGTHS, ()
    for i, n in product(range(count), fixed):
        yield [[*row[:i], n, *row[i + 1 :]] for row in _SAMPLE_LENGTHS], ()
    for i, k in combinations(range(count), 2):
        yield [[*row[:k], row[i], *row[k + 1 :]] for row in _SAMPLE_LENGTHS], (i, k)
    if count > 2:
        yield [[row[0]] * count for row in _SAMPLE_LENGTHS], range(count)


def _with_lengths(
    inputs: Sequence[Any], params: dict[str, Any], values: dict[str, int]
) -> tuple[list[Any], dict[str, Any]]:
    """Returns the specs of inputs, and the parameters, with numbers in place of unknown lengths."""
    specs = [
        (evaluated(x.shape, values), x.np_dtype) if type(x) is Symbol else _Known(x) for x in inputs
    ]
    return specs, {name: evaluated(value, values) for name, value in params.items()}


def _by_numbers(
    primitive: Primitive,
    inputs: Sequence[Any],
    params: dict[str, Any],
    known: Sequence[Any],
    names: Sequence[str],
    samples: Any,
    loose: set[str],
    decisions: Decisions,
) -> Specs:
    environments = [dict(zip(names, numbers, strict=False)) for numbers in samples]
    runs = [_run(primitive, *_with_lengths(inputs, params, values)) for values in environments]
    empty = _when_empty(primitive, inputs, params, names)
    fitted = {size.code: size for size in known}
    candidates = [
        (size, [evaluated(size, e) for e in environments])
        for size in fitted.values()
        if loose.isdisjoint(atoms(size.code))  # these lengths can't be distinguished
    ]

    def combined(*specs: Any) -> Spec:
        none = specs[-1]
        shapes = [spec[0] for spec in specs[:-1]]
        if len({len(s) for s in shapes}) > 1:
            raise NeedsSize("the number of axes depends on an unknown length")
        least = [None] * len(shapes[0]) if none is None else none[0]
        found = [
            _length(n, zero, candidates, decisions) for *n, zero in zip(*shapes, least, strict=True)
        ]
        return lengths(found), specs[0][1]

    if are_specs(runs[0]):
        if len({len(run) for run in runs}) > 1:
            raise NeedsSize("the number of results depends on an unknown length")
        empty = [None] * len(runs[0]) if empty is None else empty
        return tuple([combined(*each) for each in zip(*runs, empty, strict=True)])
    return combined(*runs, empty)


def _when_empty(
    primitive: Primitive, inputs: Sequence[Any], params: dict[str, Any], names: Sequence[str]
) -> Any:
    """Returns the specs if all unknown lengths are 0; None if the operation raises an error then.

    This distinguishes the minimum of a length and a number from the number itself.
    """
    values = dict.fromkeys(names, 0)
    try:
        return _run(primitive, *_with_lengths(inputs, params, values))
    except (CannotTrace, InvalidArgumentError, ZeroDivisionError, ValueError):
        return None


def are_specs(specs: Any) -> bool:
    """Whether an object contains the specs of several outputs, instead of one spec."""
    return type(specs) is not KnownSpec and (len(specs) != 2 or not isinstance(specs[1], np.dtype))


def _length(numbers: Sequence[int], zero: int | None, candidates: Any, decisions: Decisions) -> Any:
    """Returns the length with these values in the runs; it is `zero` if unknown lengths are 0."""
    first, second, third = numbers
    if first == second == third:
        return first if zero in (None, first) else decisions.new()
    for size, values in candidates:
        a, b, c = values
        slope, rest = divmod(first - second, a - b) if a != b else (0, 1)
        if rest == 0 and third == first + slope * (c - a):
            found = slope * size + (first - slope * a)
            at_zero = evaluated(found, dict.fromkeys(atoms(size.code), 0))
            return found if zero in (None, at_zero) else decisions.new()
    return decisions.new()


def elements_of(
    primitive: Primitive, entries: Sequence[Any], params: dict[str, Any], decisions: Decisions
) -> np.ndarray[Any, Any] | None:
    """Computes an operation on unknown lengths, or returns None if it needs or compares values."""
    given = [x.elements if type(x) is Symbol else np.asarray(x).astype(object) for x in entries]
    if any(x is None for x in given):
        return None
    mark = len(decisions.taken)
    try:
        found = np.asarray(primitive.kernel(*given, **params), object)
    except (Exception, NeedsSize):  # noqa: BLE001 (it is not for lengths)
        return None
    if decisions.forget(mark):
        return None
    return found if all(type(n) in (int, Size) for n in found.ravel()) else None


def partly_known(symbol: Symbol) -> np.ndarray[Any, Any]:
    """Returns the elements of an integer value that are known while its graph is made, else None.

    Args:
      symbol: A symbol of known shape.
    """
    if symbol.elements is not None:
        known: np.ndarray[Any, Any] = np.asarray(symbol.elements, object)
        return known
    nodes = symbol.owner.nodes
    node = next((n for n in reversed(nodes) if any(y is symbol for y in n.outputs)), None)
    moved = None if node is None else _moved(node)
    return np.full(symbol.shape, None, object) if moved is None else moved


def _moved(node: Node) -> np.ndarray[Any, Any] | None:
    """Returns the known elements of a node's result if it consists of elements of the inputs."""
    is_cast = node.primitive is cast_p.primitive
    if not (is_cast or traits_of(node.primitive).pattern is Pattern.MOVED):
        return None
    if any(type(x) is Symbol and type(x.shape) is not tuple for x in node.inputs):
        return None
    given = [
        partly_known(x) if type(x) is Symbol else np.asarray(x).astype(object) for x in node.inputs
    ]
    if is_cast:
        return given[0]
    try:
        return np.asarray(node.primitive.kernel(*given, **node.params), object)
    except (IndexError, TypeError, ValueError):  # the inputs include indices
        return None


values_in_graphs.provide(partly_known)
