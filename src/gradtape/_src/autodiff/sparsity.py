"""Finds which elements of a result can depend on which elements of the sources.

`Dependencies` is a recorder: it follows each value's pattern, a boolean sparse array with a row
for each element of the value and a column for each element of the sources. The kind of an operation
determines the pattern of its result. Elementwise operations join the patterns of their operands.
Operations that move elements move rows; running their kernel on the elements' numbers shows where
the rows go. Reductions and products join the rows of the summed elements. After any other
operation, every element of the result is assumed to depend on all sources on which the operand
depends.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from gradtape._src.base.scope_stacks import ExitOf, RecordingExit
from gradtape._src.core import recorder
from gradtape._src.core.primitive import Outputs, Plan, Primitive
from gradtape._src.core.recorder import Recorder, next_id
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare import traits
from gradtape._src.declare.pointwise import Binary, Unary
from gradtape._src.declare.structural import count
from gradtape._src.ops.array.row_sums import rows_or_zero_p
from gradtape._src.ops.linalg.matmul import MatMul
from gradtape._src.ops.nn.image_patches import patches_p

Pattern = Any  # a boolean scipy.sparse.csr_array
Index = np.ndarray[Any, Any]

MOST = 30_000_000
"""The number of elements beyond which a pattern is no longer sparse."""


class Dependencies(Recorder):
    """Follows the patterns of all values that depend on the sources.

    Args:
      sources: Tensors and variables with an id; their elements are the columns, one after another.
    """

    def __init__(self, sources: Sequence[Any]) -> None:
        from scipy import sparse

        self._sparse = sparse
        self._recording = False
        self._patterns: dict[int, Pattern] = {}
        self._alive: dict[int, Any] = {}
        self.columns = sum(count(x._value.shape) for x in sources)
        eye = sparse.eye_array(self.columns, dtype=bool, format="csr")
        begin = 0
        for x in sources:
            end = begin + count(x._value.shape)
            self._patterns[x._id] = eye[begin:end]
            begin = end

    def __enter__(self) -> Self:
        self.by_with = type(self.__weakref__) is RecordingExit  # type: ignore[attr-defined]
        self._recording = True
        recorder.push(self)
        return self

    __exit__ = ExitOf(RecordingExit)

    def _stop(self) -> None:
        recorder.remove(self)
        self._recording = False

    def of(self, x: Any) -> Pattern:
        """Returns the pattern of a value: of shape (elements, columns)."""
        found = self._patterns.get(x._id) if x._id else None
        if found is None:
            return self._sparse.csr_array((count(x._value.shape), self.columns), dtype=bool)
        return found

    def process(
        self, primitive: Primitive, inputs: Sequence[Tensor], params: dict[str, Any]
    ) -> Outputs:
        out = primitive.bind(*inputs, **params)
        patterns = [
            self._patterns.get(x._id) if x._id and primitive.tracked >> i & 1 else None
            for i, x in enumerate(inputs)
        ]
        if any(p is not None for p in patterns) and not _is_flat(primitive):
            with recorder.replaced(()):
                step = Step(primitive, inputs, out, params, patterns)
                for k, y in enumerate(step.outs):
                    parts = [step.moved(i, k, p) for i, p in enumerate(patterns) if p is not None]
                    self._set(y, joined(parts))
        return out

    def custom(self, plan: Plan, inputs: Sequence[Any], outputs: Sequence[Tensor]) -> None:
        patterns = [self._patterns.get(getattr(x, "_id", 0)) for x in inputs]
        given = [everything(p, 1) for p in patterns if p is not None]
        for y in outputs if given else ():
            self._set(y, everything(joined(given), count(y._value.shape)))

    def _set(self, y: Tensor, pattern: Pattern) -> None:
        """Keeps a value's pattern for as long as the value lives."""
        if not y.dtype.differentiable:
            return
        if not y._id:
            y._id = next_id()
        i, patterns, alive = y._id, self._patterns, self._alive

        def forget(_: Any) -> None:
            patterns.pop(i, None)
            alive.pop(i, None)

        patterns[i] = pattern
        alive[i] = weakref.ref(y, forget)

    def variable_written(self, variable: Variable) -> None:
        self._patterns.pop(variable._id, None)


class Step:
    """One operation that ran, and the patterns of its inputs and outputs."""

    def __init__(
        self,
        primitive: Primitive,
        inputs: Sequence[Tensor],
        out: Any,
        params: dict[str, Any],
        patterns: Sequence[Pattern | None],
    ) -> None:
        self.primitive, self.params, self.patterns = primitive, params, patterns
        self.outs: tuple[Tensor, ...] = out if type(out) is tuple else (out,)
        self.several = type(out) is tuple
        self.values = [x._value for x in inputs]
        self.rule = RULES[_kind(primitive)]

    def moved(self, i: int, k: int, pattern: Pattern) -> Pattern:
        """Returns the contribution of input i's pattern to output k."""
        return self.rule(self, i, k, pattern)

    def shape(self, k: int) -> tuple[int, ...]:
        return tuple(self.outs[k]._value.shape)


def _kind(primitive: Primitive) -> traits.Pattern:
    """Returns the kind of an operation from its declaration."""
    if isinstance(primitive, (Unary, Binary)):
        return traits.Pattern.ELEMENTWISE
    return traits.traits_of(primitive).pattern or traits.Pattern.DENSE


def _is_flat(primitive: Primitive) -> bool:
    """Whether the derivative is zero everywhere, as for the sign."""
    partial = primitive.partial if isinstance(primitive, Unary) else None
    return isinstance(partial, (int, float)) and partial == 0


def joined(patterns: Sequence[Pattern]) -> Pattern:
    """Returns the union of patterns of one shape."""
    total = patterns[0]
    for p in patterns[1:]:
        if p is not total:
            total = total + p
    return total


def everything(pattern: Pattern, rows: int) -> Pattern:
    """Returns rows that each depend on the union of what the rows of the pattern depend on."""
    from scipy import sparse

    columns = np.unique(pattern.indices)
    _check_size(rows * len(columns))
    indices = np.tile(columns, rows)
    starts = np.arange(rows + 1) * len(columns)
    return sparse.csr_array(
        (np.ones(len(indices), bool), indices, starts), shape=(rows, pattern.shape[1])
    )


def _check_size(elements: int) -> None:
    if elements > MOST:
        raise ValueError(
            f"the derivative is not sparse: a value depends on the sources in {elements:,} places "
            "(an operation such as a norm or a dense product mixes all elements). Use "
            "tf.autodiff.jvp, vjp or hvp for products with vectors, or jacobian and hessian if "
            "the full matrix fits into memory"
        )


def chosen(pattern: Pattern, places: Index) -> Pattern:
    """Returns the rows at `places`, which count from 1; 0 gives a row that depends on nothing."""
    from scipy import sparse

    flat = np.asarray(places).reshape(-1).astype(np.int64)
    kept = flat > 0
    starts = np.concatenate([[0], np.cumsum(kept)])
    pick = sparse.csr_array(
        (np.ones(starts[-1], bool), flat[kept] - 1, starts), shape=(len(flat), pattern.shape[0])
    )
    return _joining(pick, pattern)


def gathered(pattern: Pattern, groups: Index, rows: int) -> Pattern:
    """Joins the rows of each group; `groups` has each row's group, from 1, or 0 for no group."""
    from scipy import sparse

    flat = np.asarray(groups).reshape(-1).astype(np.int64)
    kept = np.flatnonzero(flat)
    pick = sparse.csr_array(
        (np.ones(len(kept), bool), (flat[kept] - 1, kept)), shape=(rows, pattern.shape[0])
    )
    return _joining(pick, pattern)


def _joining(pick: Pattern, pattern: Pattern) -> Pattern:
    """Returns, for each row of `pick`, the union of the rows of the pattern that it selects."""
    _check_size(int(np.diff(pattern.indptr)[pick.indices].sum(dtype=np.int64)))
    return pick @ pattern


def numbered(shape: Sequence[int]) -> Index:
    """Returns the numbers 1, 2, ... of a value's elements, in its shape, as float64."""
    return np.arange(1.0, count(shape) + 1).reshape(shape)


# The rules for the kinds of operations: (step, input, output, pattern) -> pattern.


def _anything(step: Step, i: int, k: int, pattern: Pattern) -> Pattern:
    return everything(pattern, count(step.shape(k)))


def _elementwise(step: Step, i: int, k: int, pattern: Pattern) -> Pattern:
    own, full = step.values[i].shape, step.shape(k)
    if own == full:
        return pattern
    return chosen(pattern, np.broadcast_to(numbered(own), full))


def _moving(step: Step, i: int, k: int, pattern: Pattern) -> Pattern:
    """Runs the kernel on the elements' numbers; other operands than row indices become zeros."""
    given = [
        numbered(v.shape)[()] if j == i else np.zeros(v.shape)[()] if v.dtype.kind in "fcV" else v
        for j, v in enumerate(step.values)
    ]
    moved = step.primitive.kernel(*given, **step.params)
    return chosen(pattern, moved[k] if step.several else moved)


def _adding_rows(step: Step, i: int, k: int, pattern: Pattern) -> Pattern:
    to: Any = rows_or_zero_p(numbered(step.shape(k)), step.values[1])
    return gathered(pattern, to, count(step.shape(k)))


def _reducing(step: Step, i: int, k: int, pattern: Pattern) -> Pattern:
    shape = step.values[i].shape
    return _merged(pattern, shape, step.params["axis"], step.shape(k))


def _merged(pattern: Pattern, shape: tuple[int, ...], axis: Any, out: tuple[int, ...]) -> Pattern:
    """Returns the rows joined along axes."""
    axes = {a % len(shape) for a in (axis if type(axis) is tuple else (axis,))}
    kept = tuple(1 if a in axes else n for a, n in enumerate(shape))
    return gathered(pattern, np.broadcast_to(numbered(kept), shape), count(out))


def _along(step: Step, i: int, k: int, pattern: Pattern) -> Pattern:
    """Makes every element depend on all elements along an axis."""
    shape, axis = step.values[i].shape, step.params["axis"]
    axes = {a % len(shape) for a in (axis if type(axis) is tuple else (axis,))}
    kept = tuple(1 if a in axes else n for a, n in enumerate(shape))
    merged = gathered(pattern, np.broadcast_to(numbered(kept), shape), count(kept))
    return chosen(merged, np.broadcast_to(numbered(kept), step.shape(k)))


def _matmul(step: Step, i: int, k: int, pattern: Pattern) -> Pattern:
    """Returns the pattern of a product; where a constant matrix is zero, there is no dependency."""
    turned = step.primitive.turned if isinstance(step.primitive, MatMul) else None
    if turned == i:
        pattern = chosen(pattern, numbered(step.values[i].shape).swapaxes(-1, -2))
    values = [v.swapaxes(-1, -2) if k == turned else v for k, v in enumerate(step.values)]
    x, y = values
    constant = step.patterns[1 - i] is None
    if constant and i == 0 and y.ndim == 2:
        return _through(pattern, y.T, (count(x.shape[:-1]), 1))
    if constant and i == 1 and x.ndim == y.ndim == 2:
        return _through(pattern, x, (1, y.shape[-1]))
    shape = values[i].shape
    sums = (*shape[:-1], 1) if i == 0 else (*shape[:-2], 1, shape[-1])
    merged = gathered(pattern, np.broadcast_to(numbered(sums), shape), count(sums))
    return chosen(merged, np.broadcast_to(numbered(sums), step.shape(k)))


def _through(pattern: Pattern, matrix: Index, blocks: tuple[int, int]) -> Pattern:
    """Applies a constant matrix, repeated for blocks of rows before it and columns after it."""
    from scipy import sparse

    before, after = (sparse.eye_array(n, dtype=bool) for n in blocks)
    _check_size(count(blocks) * int(np.count_nonzero(matrix)))
    whole = sparse.kron(before, sparse.kron(matrix != 0, after), format="csr")
    return _joining(whole, pattern)


def _einsum(step: Step, i: int, k: int, pattern: Pattern) -> Pattern:
    labels, result = step.params["spec"][i], step.params["spec"][2]
    shape, out = step.values[i].shape, step.shape(k)
    lengths = dict(zip(labels, shape, strict=True))
    sums = tuple(n if c in result else 1 for c, n in zip(labels, shape, strict=True))
    merged = gathered(pattern, np.broadcast_to(numbered(sums), shape), count(sums))
    kept = [c for c in result if c in labels]
    order = [c for c in labels if c in result]
    numbers = numbered([lengths[c] for c in order]).transpose([order.index(c) for c in kept])
    numbers = numbers.reshape([lengths.get(c, 1) for c in result])
    return chosen(merged, np.broadcast_to(numbers, out))


def _convolved(step: Step, i: int, k: int, pattern: Pattern) -> Pattern:
    """Returns the pattern of a convolution: each result depends on a patch of the image."""
    if i == 1:
        return _anything(step, i, k, pattern)
    under: Any = patches_p(numbered(step.values[0].shape), geometry=step.params["geometry"])
    cells = count(under.shape[:-1])
    flat = under.reshape(cells, -1)
    picked = chosen(pattern, flat)
    merged = gathered(picked, np.repeat(np.arange(1, cells + 1), flat.shape[1]), cells)
    return chosen(merged, np.repeat(np.arange(1, cells + 1), step.shape(k)[-1]))


def _convolved_back(step: Step, i: int, k: int, pattern: Pattern) -> Pattern:
    """Returns the pattern of the transpose: a pixel depends on results whose patches hold it."""
    if i == 1:
        return _anything(step, i, k, pattern)
    under: Any = patches_p(numbered(step.shape(k)), geometry=step.params["geometry"])
    cells, taps = count(under.shape[:-1]), under.shape[-1]
    places = np.arange(1, cells + 1)
    merged = gathered(pattern, np.repeat(places, step.values[0].shape[-1]), cells)
    return gathered(chosen(merged, np.repeat(places, taps)), under, count(step.shape(k)))


RULES: dict[traits.Pattern, Callable[[Step, int, int, Pattern], Pattern]] = {
    traits.Pattern.ELEMENTWISE: _elementwise,
    traits.Pattern.MOVED: _moving,
    traits.Pattern.ROWS_ADDED: _adding_rows,
    traits.Pattern.REDUCED: _reducing,
    traits.Pattern.ALONG_AXIS: _along,
    traits.Pattern.MATRIX_PRODUCT: _matmul,
    traits.Pattern.EINSUM: _einsum,
    traits.Pattern.CONVOLVED: _convolved,
    traits.Pattern.CONVOLVED_BACK: _convolved_back,
    traits.Pattern.DENSE: _anything,
}
