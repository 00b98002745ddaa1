"""Einstein summation of any equation, computed by matrix products."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from gradtape._src.base.export import export, raw_op
from gradtape._src.compute.axis_sums import HALVES
from gradtape._src.compute.jax_modules import EXACT, jnp
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.primitive import Bound
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.tracebacks import shorten
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.general import general, shape_of
from gradtape._src.declare.structural import (
    broadcast_to_p,
    conjugate,
    count,
    reduce_sum_p,
    reshape_p,
    transpose_p,
)
from gradtape._src.declare.traits import Hazard, Pattern, Traits
from gradtape._src.declare.unknown_sizes import Size
from gradtape._src.ops.array.shaping import transpose
from gradtape._src.ops.linalg.diagonals import diag, diag_part_p

Spec = tuple[str, str, str]
"""The labels of two operands and of the result. Each label occurs once in at least two of the
three."""


class _Layout(NamedTuple):
    """The steps that reduce a product to a matrix product; None for a step that is not needed."""

    kind: str  # "dot" (one matrix product), "stack" (many), "outer" (no sum), "rows" (no free axes)
    x: _Move
    y: _Move
    shape: tuple[int, ...] | None
    perm: tuple[int, ...] | None


class _Move(NamedTuple):
    """The steps that convert an operand to a matrix or a stack of matrices."""

    perm: tuple[int, ...] | None
    shape: tuple[int, ...] | None
    swap: bool

    def __call__(self, x: Any) -> Any:
        if self.perm is not None:
            x = x.transpose(self.perm)
        if self.shape is not None:
            x = x.reshape(self.shape)
        return x.swapaxes(-1, -2) if self.swap else x


def _ordered(labels: str, *groups: str) -> tuple[int, ...]:
    return tuple(labels.index(c) for group in groups for c in group)


def _unless(same: Any, value: Any) -> Any:
    return None if value == same else value


def _move(labels: str, shape: tuple[int, ...], groups: tuple[str, str, str]) -> _Move:
    """Arranges axes to (batch, rows, columns), as a transposed view if no copy is needed."""
    length = dict(zip(labels, shape, strict=True))
    as_is = tuple(range(len(labels)))
    batch, rows, cols = groups
    swap = _ordered(labels, batch, cols, rows) == as_is and len(rows) > 0 < len(cols)
    if swap:
        rows, cols = cols, rows
    perm = _ordered(labels, batch, rows, cols)
    sizes = [[length[c] for c in group] for group in (batch, rows, cols)]
    target = tuple(map(count, sizes if batch else sizes[1:]))
    before = tuple(shape[i] for i in perm)
    return _Move(_unless(as_is, perm), _unless(before, target), swap)


@lru_cache(4096)
def _layout(spec: Spec, x_shape: tuple[int, ...], y_shape: tuple[int, ...]) -> _Layout:
    a, b, o = spec
    length = dict(zip(a + b, x_shape + y_shape, strict=True))
    batch = "".join(c for c in o if c in a and c in b)
    summed = "".join(c for c in a if c in b and c not in o)
    free_a = "".join(c for c in a if c not in b)
    free_b = "".join(c for c in b if c not in a)
    made = batch + free_a + free_b
    perm = _unless(tuple(range(len(o))), tuple(made.index(c) for c in o))
    full = tuple(length[c] for c in made)
    if not summed:
        ones_x, ones_y = (1,) * len(free_a), (1,) * len(free_b)
        x_to = (*(length[c] for c in batch + free_a), *ones_y)
        y_to = (*(length[c] for c in batch), *ones_x, *(length[c] for c in free_b))
        x = _Move(_ordered(a, batch, free_a), x_to, swap=False)
        y = _Move(_ordered(b, batch, free_b), y_to, swap=False)
        return _Layout("outer", x, y, None, perm)
    x = _move(a, x_shape, (batch, free_a, summed))
    y = _move(b, y_shape, (batch, summed, free_b))
    kind = "stack" if batch else "dot"
    if batch and not free_a and not free_b:
        kind = "rows"
    flat = tuple(map(count, [[length[c] for c in g] for g in (batch, free_a, free_b)]))
    return _Layout(kind, x, y, _unless(flat if batch else flat[1:], full), perm)


def _einsum(x: Any, y: Any, *, spec: Spec) -> Any:
    # NumPy adds up the products in half precision, or does not support the dtype.
    if x.dtype.type in HALVES:
        dtype = x.dtype
        return _einsum(x.astype(np.float32), y.astype(np.float32), spec=spec).astype(dtype)
    kind, move_x, move_y, shape, perm = _layout(spec, x.shape, y.shape)
    if kind == "rows":
        return np.einsum(_equation(spec), x, y)
    x, y = move_x(x), move_y(y)
    out = x.dot(y) if kind == "dot" else x * y if kind == "outer" else np.matmul(x, y)
    if shape is not None:
        out = out.reshape(shape)
    if perm is not None:
        out = out.transpose(perm)
    return out if out.ndim else out[()]


def _einsum_xla(x: Any, y: Any, *, spec: Spec) -> Any:
    return jnp.einsum(_equation(spec), x, y, precision=EXACT)


@lru_cache(2048)
def _equation(spec: Spec) -> str:
    """Returns the equation with letters that NumPy takes."""
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    used = sorted(set("".join(spec)))
    table = str.maketrans("".join(used), letters[: len(used)])
    a, b, o = (part.translate(table) for part in spec)
    return f"{a},{b}->{o}"


def _einsum_batch(size: int, batched: Any, inputs: Any, params: Any) -> Any:
    a, b, o = params["spec"]
    new = chr(max(map(ord, a + b + o), default=0x100) + 1)
    spec = (new * batched[0] + a, new * batched[1] + b, new + o)
    return einsum_p(*inputs, spec=spec)


einsum_p: Bound = general(
    "Einsum",
    _einsum,
    {
        "x": lambda g, y, spec: einsum_p(g, conjugate(y), spec=(spec[2], spec[1], spec[0])),
        "y": lambda g, x, spec: einsum_p(conjugate(x), g, spec=(spec[0], spec[2], spec[1])),
    },
    linear=["x", "y"],
    batching=_einsum_batch,
    same=slice(0, 2),
    traits=Traits(hazard=Hazard.PRODUCT, pattern=Pattern.EINSUM),
    xla=_einsum_xla,
)

# The general case, in steps of one or two operands.


@export("einsum", "linalg.einsum", direct=True)
def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Tensor:
    """Computes sums of products in Einstein's notation, such as `"bij,bjk->bik"`.

    Labels that are missing in the result are summed over; a label that occurs twice in one operand
    selects its diagonal; `...` stands for any number of axes that broadcast. More than two operands
    are contracted in the order that opt_einsum finds cheapest.

    Args:
      equation: The labels of the operands and, after `->`, the labels of the result. Without `->`,
        the result has the labels that occur once, in alphabetical order.
      inputs: The operands: tensors of one dtype.
      kwargs: `optimize` (the search for the order; see opt_einsum) and `name`.

    Returns:
      A tensor.

    Raises:
      ValueError: The equation does not match the ranks of the operands, or the lengths of axes with
        the same label differ.
      InvalidArgumentError: The equation does not match the ranks of the operands, or the lengths of
        axes with the same label differ.
      TypeError: A keyword argument is unknown.

    >>> a, b = tf.ones((2, 3)), tf.ones((3, 4))
    >>> tf.einsum("ij,jk->ik", a, b).numpy()
    array([[3., 3., 3., 3.],
           [3., 3., 3., 3.]], dtype=float32)
    >>> tf.einsum("ij->", a).numpy()
    np.float32(6.0)
    """
    try:
        kwargs.pop("name", None)
        optimize = kwargs.pop("optimize", "greedy")
        if kwargs:
            raise TypeError(
                f"Invalid keyword arguments for einsum: {', '.join(kwargs)}. Valid: name, optimize"
            )
        xs: list[Any] = []
        for x in inputs:
            hint = xs[0].dtype if xs else None
            xs.append(x if type(x) is Tensor else convert_to_tensor(x, dtype_hint=hint))
        if len(xs) == 2:
            spec = _simple(equation, xs[0]._value.shape, xs[1]._value.shape)
            if spec is not None:
                return einsum_p(*xs, spec=spec)
        terms, out = _parsed(equation, tuple(len(x._value.shape) for x in xs))
        sizes = _sizes(terms, [x._value.shape for x in xs])
        operands = [_own_diagonals(x, term, sizes) for x, term in zip(xs, terms, strict=True)]
        return _spread(_contracted(operands, out, optimize, sizes), out, sizes)
    except Exception as error:
        shorten(error)
        raise


@raw_op("Einsum")
def _raw_einsum(inputs: Any, equation: str, name: str | None = None) -> Tensor:
    """Returns the sum of products that an equation describes.

    Unlike in `tf.einsum`, a label may be repeated in the result, which then is diagonal.
    """
    left, arrow, out = equation.replace(" ", "").partition("->")
    labels = out.replace("...", "")
    once = "".join(dict.fromkeys(labels))
    if once == labels or "..." in out.replace("...", "", 1):
        return einsum(equation, *inputs)
    y: Any = einsum(f"{left}{arrow}{'...' if '...' in out else ''}{once}", *inputs)
    dots = [f".{k}" for k in range(len(shape_of(y)) - len(once))]
    axes = [*dots, *once]
    for c in once:
        for _ in range(labels.count(c) - 1):
            place = axes.index(c)
            axes.append(axes.pop(place))
            y = diag(transpose(y, _to_the_end(place, len(axes))))
            axes.append(c)
    order = []
    for c in out.replace("...", ".").replace(".", "\0"):
        for name_of_axis in dots if c == "\0" else [c]:
            place = axes.index(name_of_axis)
            axes[place] = ""
            order.append(place)
    return transpose(y, order)


def _to_the_end(place: int, rank: int) -> list[int]:
    """Returns the permutation that makes an axis the last."""
    return [*(k for k in range(rank) if k != place), place]


@lru_cache(2048)
def _simple(equation: str, x: tuple[int, ...], y: tuple[int, ...]) -> Spec | None:
    """Returns the labels if `einsum_p` supports the equation as a single product, else None."""
    (a, b), out = _parsed(equation, (len(x), len(y)))
    sizes = _sizes((a, b), (x, y))
    repeated = any(len(set(t)) < len(t) for t in (a, b))
    alone = (set(a) ^ set(b)) - set(out)
    pairs = zip(a + b, x + y, strict=True)
    stretched = any(ord(c) >= 0x100 and sizes[c] != n for c, n in pairs)
    return None if repeated or alone or stretched else (a, b, out)


@lru_cache(2048)
def _parsed(equation: str, ranks: tuple[int, ...]) -> tuple[tuple[str, ...], str]:
    """Returns the labels of the operands and of the result, with `...` written out."""
    text = equation.replace(" ", "")
    left, arrow, out = text.partition("->")
    terms = left.split(",")
    letters = text.replace("->", "").replace("...", "").replace(",", "")
    if not all(c.isascii() and c.isalpha() for c in letters) or "->" in out:
        raise ValueError(
            f"Invalid einsum equation {equation!r}: it must consist of letters, commas, '...' and "
            f"one '->'"
        )
    if len(terms) != len(ranks):
        raise ValueError(
            f"Got {len(ranks)} arguments for equation {equation!r}, expecting {len(terms)}"
        )
    if not arrow:
        single = sorted(c for c in set(letters) if letters.count(c) == 1)
        out = ("..." if "..." in left else "") + "".join(single)
    extra = [
        rank - len(t.replace("...", "")) if "..." in t else 0
        for t, rank in zip(terms, ranks, strict=True)
    ]
    for t, rank, n in zip(terms, ranks, extra, strict=True):
        if n < 0 or ("..." not in t and len(t) != rank):
            raise invalid(
                f"Expected input of rank {len(t.replace('...', ''))} for the labels {t!r} in "
                f"{equation!r}, got one of rank {rank} [Op:Einsum]",
            )
    # The axes are aligned at the end.
    dots = "".join(chr(0x100 + i) for i in range(max(extra, default=0)))
    full = tuple(t.replace("...", dots[len(dots) - n :]) for t, n in zip(terms, extra, strict=True))
    if dots and "..." not in out:
        raise invalid(
            f"Output subscripts of {equation!r} must contain '...': an operand has such axes "
            "[Op:Einsum] (tf.reduce_sum sums over them)",
        )
    out = out.replace("...", dots)
    if len(set(out)) < len(out):
        raise ValueError(f"Output subscripts contain a label appearing more than once: {equation}")
    missing = sorted(set(out) - set("".join(full)))
    if missing:
        raise ValueError(
            f"einsum's result has labels {missing} that no operand has in {equation!r}"
        )
    return full, out


def _sizes(terms: Any, shapes: Any) -> dict[str, int]:
    """Returns the length of each label's axis."""
    sizes: dict[str, int] = {}
    for term, shape in zip(terms, shapes, strict=True):
        for axis, (c, n) in enumerate(zip(term, shape, strict=True)):
            known = sizes.setdefault(c, n)
            if ord(c) < 0x100 and Size in (
                type(known),
                type(n),
            ):  # the lengths are compared when the graph runs
                sizes[c] = known if type(n) is Size else n
                continue
            if known == n or (ord(c) >= 0x100 and n == 1):
                continue
            if known != 1 or ord(c) < 0x100:
                raise invalid(
                    f"Expected dimension {known} at axis {axis} of the input shaped "
                    f"{list(shape)} but got dimension {n} [Op:Einsum]",
                )
            sizes[c] = n
    return sizes


def _own_diagonals(x: Any, term: str, sizes: dict[str, int]) -> tuple[Any, str]:
    """Returns an operand in which each label occurs once, without broadcast axes of length one."""
    shape = shape_of(x)
    pairs = enumerate(zip(term, shape, strict=True))
    stretched = [i for i, (c, n) in pairs if ord(c) >= 0x100 and n != sizes[c]]
    if stretched:
        x = reshape_p(x, shape=tuple(n for i, n in enumerate(shape) if i not in stretched))
        term = "".join(c for i, c in enumerate(term) if i not in stretched)
    for c in dict.fromkeys(term):
        while term.count(c) > 1:
            i = term.index(c)
            j = term.index(c, i + 1)
            rest = [k for k in range(len(term)) if k not in (i, j)]
            x = diag_part_p(transpose_p(x, perm=(*rest, i, j)), k=0)
            term = "".join(term[k] for k in rest) + c
    return x, term


def _summed(operand: tuple[Any, str], keep: str) -> tuple[Any, str]:
    """Returns an operand summed over the labels that occur only in this operand."""
    x, term = operand
    axes = tuple(i - len(term) for i, c in enumerate(term) if c not in keep)
    if not axes:
        return x, term
    x = reduce_sum_p(x, axis=axes, keepdims=False)
    return x, "".join(c for c in term if c in keep)


def _contracted(operands: Any, out: str, optimize: Any, sizes: dict[str, int]) -> tuple[Any, str]:
    """Multiplies and sums all operands; returns one operand and its labels."""
    queue = list(operands)
    if len(queue) > 2:
        steps = _path(tuple(t for _, t in queue), out, tuple(sorted(sizes.items())), optimize)
    else:
        steps = ((0, 1),) if len(queue) == 2 else ()
    for step in steps:
        taken = [queue.pop(i) for i in sorted(step, reverse=True)]
        others = out + "".join(t for _, t in queue)
        while len(taken) > 1:
            y, x = taken.pop(0), taken.pop(0)
            needed = others + "".join(t for _, t in taken)
            x = _summed(x, needed + y[1])
            y = _summed(y, needed + x[1])
            made = "".join(c for c in dict.fromkeys(x[1] + y[1]) if c in needed)
            if not queue and not taken:
                made = "".join(c for c in out if c in made)
            taken.insert(0, (einsum_p(x[0], y[0], spec=(x[1], y[1], made)), made))
        queue.append(taken[0])
    return _summed(queue[0], out)


@lru_cache(512)
def _path(
    terms: tuple[str, ...], out: str, sizes: tuple[tuple[str, int], ...], optimize: Any
) -> tuple[tuple[int, ...], ...]:
    """Returns the order in which to contract more than two operands."""
    import opt_einsum

    lengths = dict(sizes)
    shapes = [tuple(lengths[c] for c in t) for t in terms]
    path, _ = opt_einsum.contract_path(
        f"{','.join(terms)}->{out}", *shapes, shapes=True, optimize=optimize
    )
    return tuple(tuple(step) for step in path)


def _spread(made: tuple[Tensor, str], wanted: str, sizes: dict[str, int]) -> Tensor:
    """Returns the result with its axes in the order of the equation."""
    x, term = made
    if term != wanted:
        kept = "".join(c for c in wanted if c in term)
        if kept != term:
            x = transpose_p(x, perm=tuple(term.index(c) for c in kept))
        if kept != wanted:
            shape = tuple(sizes[c] for c in wanted)
            x = reshape_p(x, shape=tuple(sizes[c] if c in kept else 1 for c in wanted))
            x = broadcast_to_p(x, shape=shape)
    return x
