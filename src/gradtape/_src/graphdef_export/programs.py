"""Operations that TensorFlow lacks, as programs of operations that it has.

The rule of such an operation traces its program and exports the graph.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import reduce
from itertools import product
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import float32, float64, int64
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.structural import pad_p, transpose_p
from gradtape._src.graph.ir.graph import CannotTrace
from gradtape._src.graph.nested.structured import pulled_back
from gradtape._src.graphdef_export.loops import specs_of, traced
from gradtape._src.graphdef_export.nodes import Value
from gradtape._src.graphdef_export.parts import Part
from gradtape._src.graphdef_export.rules import rule
from gradtape._src.ops.array.creation import eye, ones, ones_like, zeros, zeros_like
from gradtape._src.ops.array.gather import gather
from gradtape._src.ops.array.joining import concat, stack
from gradtape._src.ops.array.padding import pad_value_p
from gradtape._src.ops.array.roll_reverse import roll
from gradtape._src.ops.array.shaping import reshape
from gradtape._src.ops.control.control_flow import loop
from gradtape._src.ops.control.loops_over_rows import foldl
from gradtape._src.ops.elementwise.arithmetic import abs, add_n
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.comparison import equal, not_equal
from gradtape._src.ops.elementwise.exponential import log
from gradtape._src.ops.elementwise.rounding import ceil
from gradtape._src.ops.elementwise.selection import maximum, where
from gradtape._src.ops.linalg.solve import solve
from gradtape._src.ops.nn.ctc import LOG_ZERO
from gradtape._src.ops.nn.softmax import softmax
from gradtape._src.ops.nn.window_geometry import Geometry
from gradtape._src.ops.reduce.cumulative import cumsum
from gradtape._src.ops.reduce.extremes import argmax, reduce_max
from gradtape._src.ops.reduce.log_sums import reduce_logsumexp
from gradtape._src.ops.reduce.reductions import reduce_sum

Program = Callable[..., Tensor]


def composed(p: Part, program: Program, *xs: Value, **params: Any) -> Value:
    """Adds the operations of a program.

    Args:
      p: The part that is being built.
      program: A function of tensors.
      xs: The values of its arguments.
      params: Keyword arguments of the program, such as the geometry of windows.
    """
    try:
        graph = traced(lambda given: [program(*given, **params)], specs_of(xs))
    except CannotTrace as error:
        raise p.unknown(str(error)) from None
    return p.run(graph, xs)[0]


def _pulled(program: Program, x: Tensor, g: Tensor) -> Tensor:
    """Returns the vector-Jacobian product of a function of one tensor."""
    return pulled_back(lambda xs: [program(*xs)], [x], [g], [0], [0])[0]


# The exponential of matrices.

_RADIUS = 5.37
"""The greatest norm for which the approximation is exact in float64 (Higham, "The scaling and
squaring method for the matrix exponential revisited", 2005)."""


def exponential(x: Tensor) -> Tensor:
    """Returns the exponential of matrices by scaling and squaring."""
    if x.dtype.size < 4:
        return cast(exponential(cast(x, float32)), x.dtype)
    norm = reduce_max(reduce_sum(abs(x), -2), -1)
    halvings = maximum(ceil(log(norm / _RADIUS) / math.log(2.0)), 0)
    halvings = where(halvings < 2000, halvings, 0)  # neither infinite nor NaN
    scaled = x * cast(2**-halvings, x.dtype)[..., None, None]
    first = _approximated(scaled)
    count = reduce_max(concat([zeros([1], halvings.dtype), reshape(halvings, [-1])], 0))

    def step(i: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return i + 1, where((i < halvings)[..., None, None], y @ y, y)

    _, last = loop(lambda i, _: i < count, step, (zeros([], halvings.dtype), first))
    return last


def _approximated(x: Tensor) -> Tensor:
    """Returns the Padé approximant of degree 13 of the exponential."""
    c = [1.0]
    for k in range(1, 14):
        c.append(c[-1] * (14 - k) / (k * (27 - k)))
    one = eye(shape_of(x)[-1], dtype=x.dtype)
    x2 = x @ x
    x4 = x2 @ x2
    x6 = x4 @ x2

    def part(i: int) -> Tensor:
        high = c[i + 12] * x6 + c[i + 10] * x4 + c[i + 8] * x2
        return x6 @ high + c[i + 6] * x6 + c[i + 4] * x4 + c[i + 2] * x2 + c[i] * one

    even, odd = part(0), x @ part(1)
    return solve(even - odd, even + odd)


@rule("MatrixExponential")
def _exponential(p: Part, x: Value) -> Any:
    return composed(p, exponential, x)


# Windows with dilations or any padding, as slices of the padded image.


def _slices(x: Tensor, geometry: Geometry, filling: Any = 0) -> list[Tensor]:
    """Returns for each position in the window what all windows have there."""
    before, after = ([0, *ends, 0] for ends in zip(*geometry.pads, strict=True))
    lengths = {"before": tuple(before), "after": tuple(after)}
    if filling:
        x = pad_value_p(x, np.asarray(filling, x.dtype.np_dtype), **lengths)
    else:
        x = pad_p(x, **lengths)
    axes = [
        [slice(i * d, (i + 1 - k) * d or None, s) for i in range(k)]
        for k, s, d in zip(geometry.window, geometry.strides, geometry.dilations, strict=True)
    ]
    return [x[(slice(None), *at)] for at in product(*axes)]


def _lowest(x: Tensor) -> Any:
    return -np.inf if x.dtype.is_floating else np.iinfo(x.dtype.np_dtype).min


def greatest(x: Tensor, *, geometry: Geometry) -> Tensor:
    """Returns the maximum of each window."""
    return reduce(maximum, _slices(x, geometry, _lowest(x)))


def picked(t: Tensor, x: Tensor, *, geometry: Geometry) -> Tensor:
    """Returns the elements of `t` at the positions of the first maxima of `x`."""
    chosen = argmax(stack(_slices(x, geometry, _lowest(x))), 0)
    parts = enumerate(_slices(t, geometry))
    return reduce(
        lambda y, part: where(equal(chosen, part[0]), part[1], y), parts, zeros([], t.dtype)
    )


def put(g: Tensor, x: Tensor, *, geometry: Geometry) -> Tensor:
    """Adds `g` to zeros at the positions of the first maxima of `x`."""
    return _pulled(lambda t: picked(t, x, geometry=geometry), zeros_like(x), g)


def places(x: Tensor, *, geometry: Geometry) -> Tensor:
    """Returns the flat spatial indices of the first maxima."""
    numbers = np.arange(math.prod(geometry.space)).reshape(1, *geometry.space, 1)
    return picked(Tensor(numbers), x, geometry=geometry)


def mean(x: Tensor, *, geometry: Geometry) -> Tensor:
    """Returns the mean of each window, of the elements that are in the image."""
    inside = ones([1, *geometry.space, 1], x.dtype)
    return add_n(_slices(x, geometry)) / add_n(_slices(inside, geometry))


def spread_mean(g: Tensor, *, geometry: Geometry) -> Tensor:
    """Returns the gradient of `mean`."""
    batch, *_, channels = shape_of(g)
    at = zeros([batch, *geometry.space, channels], g.dtype)
    return _pulled(lambda x: mean(x, geometry=geometry), at, g)


def depthwise(x: Tensor, w: Tensor, *, geometry: Geometry) -> Tensor:
    """Returns the convolution of each channel with its own filters."""
    channels = shape_of(x)[-1]
    count = shape_of(w)[-1] // channels
    filters = reshape(w, [math.prod(geometry.window), channels, count])
    parts = [part[..., None] * filters[i] for i, part in enumerate(_slices(x, geometry))]
    whole = add_n(parts)
    return reshape(whole, [*shape_of(whole)[:-2], channels * count])


def depthwise_input(g: Tensor, w: Tensor, *, geometry: Geometry, channels: int) -> Tensor:
    """Returns the gradient of `depthwise` with respect to the image."""
    at = zeros([shape_of(g)[0], *geometry.space, channels], g.dtype)
    return _pulled(lambda x: depthwise(x, w, geometry=geometry), at, g)


def depthwise_filter(x: Tensor, g: Tensor, *, geometry: Geometry) -> Tensor:
    """Returns the gradient of `depthwise` with respect to the filters."""
    at = zeros([*geometry.window, 1, shape_of(g)[-1]], g.dtype)
    return _pulled(lambda w: depthwise(x, w, geometry=geometry), at, g)


def _patches(x: Tensor, *, geometry: Geometry) -> Tensor:
    return concat(_slices(x, geometry), -1)


@rule("ExtractImagePatchesGrad")
def _unpatched(p: Part, g: Value, *, geometry: Geometry) -> Any:
    def program(g: Tensor) -> Tensor:
        batch, *_, channels = shape_of(g)
        sizes = [batch, *geometry.space, channels // math.prod(geometry.window)]
        at = zeros(sizes, g.dtype)
        return _pulled(lambda x: _patches(x, geometry=geometry), at, g)

    return composed(p, program, g)


# Connectionist temporal classification, by the algorithm of `ops/nn/ctc.py`.

_NEVER = -1e30
"""The logarithm of zero, with which sums and derivatives stay finite."""


def _numbered(x: Tensor) -> Tensor:
    """Returns the indices of a vector's elements; its length may be unknown."""
    return cumsum(ones_like(x, int64), exclusive=True)


def sequence_loss(
    logits: Tensor,
    labels: Tensor,
    label_length: Tensor,
    logit_length: Tensor,
    *,
    blank: int,
    floor: bool,
) -> Tensor:
    """Returns the loss of each example."""
    steps, _, classes = shape_of(logits)
    batch, width = shape_of(labels)
    kind = labels.dtype
    logs = cast(logits, float64)
    logs -= reduce_logsumexp(logs, -1, keepdims=True)
    between = zeros_like(labels) + cast(blank, kind)
    rows = reshape(stack([between, labels], 2), [batch, 2 * width])
    rows = concat([rows, zeros([batch, 1], kind) + cast(blank, kind)], 1)
    states = where((rows >= 0) & (rows < classes), rows, cast(blank, kind))
    flat = reshape(transpose_p(logs, perm=(1, 2, 0)), [batch * classes, steps])
    places = cast(states, int64) + classes * _numbered(states[:, 0])[:, None]
    emitted = transpose_p(gather(flat, places), perm=(2, 0, 1))
    number = _numbered(states[0])
    ends = 2 * cast(label_length, number.dtype)[:, None]
    real = number <= ends
    odd = (number > 2) & (number % 2 == 1)
    skips = odd & not_equal(states, roll(states, 2, 1))
    none = cast(LOG_ZERO if floor else _NEVER, float64)

    def step(alpha: Tensor, now: tuple[Tensor, Tensor]) -> Tensor:
        turn, emission = now
        one = where(number > 0, roll(alpha, 1, 1), _NEVER)
        before = [alpha, one, where(skips, roll(alpha, 2, 1), _NEVER)]
        if floor:
            total = reduce_logsumexp(alpha, -1, keepdims=True)
            before.append(zeros_like(alpha) + (total + none))
        following = where(turn > 0, reduce_logsumexp(stack(before, 2), 2), alpha)
        following = where(real, following + emission, _NEVER)
        return where((turn < lengths)[:, None], following, alpha)

    first = where(number < 2, zeros_like(emitted[0]), none)
    start = where(real, first, _NEVER)
    turns = _numbered(logits[:, 0, 0])
    lengths = cast(logit_length, turns.dtype)
    last = foldl(step, (turns, emitted), start)
    end = where(real, where(number >= ends - 1, zeros([], float64), none), _NEVER)
    loss = where(lengths == 0, -none, -reduce_logsumexp(last + end, 1))
    return cast(loss if floor else where(loss < -_NEVER / 2, loss, np.inf), logits.dtype)


def sequence_gradient(logits: Tensor, *labels: Tensor, blank: int, floor: bool) -> Tensor:
    """Returns the gradient of `sequence_loss` with respect to the logits."""

    def loss(x: Tensor) -> Tensor:
        return sequence_loss(x, *labels, blank=blank, floor=floor)

    found = _pulled(loss, logits, ones([shape_of(logits)[1]], logits.dtype))
    if floor:
        return found
    impossible = equal(loss(logits), np.inf)[:, None]  # the gradient is the softmax then
    turns = _numbered(logits[:, 0, 0])[:, None, None]
    inside = turns < cast(labels[-1], turns.dtype)[:, None]
    return where(impossible, where(inside, softmax(logits), 0), found)


def _of_one_batch(xs: Sequence[Value]) -> list[Value]:
    """Returns the arguments of the loss, whose lengths along the batch are known to be equal."""
    (steps, batch, classes), *others = [x.shape or () for x in xs]
    known = [n for n in (batch, *[shape[0] for shape in others]) if type(n) is int]
    batch = known[0] if known else batch
    shapes = [(steps, batch, classes), *[(batch, *shape[1:]) for shape in others]]
    return [x.of_shape(shape) for x, shape in zip(xs, shapes, strict=True)]


@rule("CTCLoss")
def _sequence_loss(p: Part, *xs: Value, **how: Any) -> Any:
    return composed(p, sequence_loss, *_of_one_batch(xs), **how)


@rule("CTCLossGradient")
def _sequence_gradient(p: Part, *xs: Value, **how: Any) -> Any:
    return composed(p, sequence_gradient, *_of_one_batch(xs), **how)
