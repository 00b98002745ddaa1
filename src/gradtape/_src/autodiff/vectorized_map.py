"""`vectorized_map`: a function of one example, run once on all of them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TypeVar

from gradtape._src.autodiff.arguments import pushed
from gradtape._src.autodiff.vectorize import Batch, Vectorizer
from gradtape._src.base import nest
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.recorder import STACK
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.structural import broadcast_to_p, with_an_example
from gradtape._src.ops.array.joining import stack
from gradtape._src.ops.array.slicing import strided_slice_p
from gradtape._src.ops.types.extension_type import opened

R = TypeVar("R")


@export("vectorized_map")
def vectorized_map(
    fn: Callable[[Any], R], elems: Any, fallback_to_while_loop: bool = True, warn: bool = True
) -> R:
    """Applies a function to each row of tensors by running it once on all rows.

    Each operation in `fn` runs once, with one more axis. Gradients flow through the result, and
    `fn` may itself compute gradients.

    Args:
      fn: Takes a row of `elems`, in its structure, and returns tensors in any structure.
      elems: A tensor or nested structure of tensors of equal length. A tensor of length one is used
        for all rows.
      fallback_to_while_loop: Whether to call `fn` once per row if it needs the values of a row, as
        a Python `if` does.
      warn: Whether to warn if `fn` is called once per row.

    Returns:
      The results of `fn`, with a first axis for the rows.

    Raises:
      ValueError: A tensor of `elems` is a scalar, or `fn` assigns a value that differs between rows
        to a variable.
      InvalidArgumentError: The lengths differ.
      NotImplementedError: `fn` needs the values of a row, and `fallback_to_while_loop` is False.

    >>> tf.vectorized_map(lambda x: x * x, tf.constant([1.0, 2.0])).numpy().tolist()
    [1.0, 4.0]
    """
    flat = [convert_to_tensor(x) for x in nest.flatten(elems, opened(elems))]
    for x in flat:
        if not shape_of(x):
            raise ValueError(
                "vectorized_map: a tensor of `elems` is a scalar; its first axis holds the rows"
            )
    lengths = [shape_of(x)[0] for x in flat]
    size = max(lengths, default=1) if 0 not in lengths else 0
    if any(n not in (1, size) for n in lengths):
        raise invalid(
            "vectorized_map: the first axes of all tensors in `elems` must have one length, got "
            f"{sorted(set(lengths))}",
        )
    try:
        return _all_at_once(fn, elems, flat, size)
    except NotImplementedError as error:
        if not fallback_to_while_loop:
            raise
        if warn:
            warnings.warn(f"vectorized_map calls {fn!r} once per row: {error}", stacklevel=2)
    return _one_by_one(fn, elems, flat, size)


def _all_at_once(fn: Callable[[Any], R], elems: Any, flat: list[Tensor], size: int) -> R:
    vectorizer = Vectorizer(size)
    watched = bool(STACK.recorders)
    shared = [shape_of(x)[0] == 1 and size != 1 for x in flat]
    rows = [strided_slice_p(x, key=0) if one else x for x, one in zip(flat, shared, strict=True)]
    try:
        with pushed(vectorizer):
            given = [
                x if one else vectorizer.wrap(x if watched else x._value)
                for x, one in zip(rows, shared, strict=True)
            ]
            out = fn(nest.pack_sequence_as(elems, given, opened(elems)))
            flat_out = nest.flatten(out, opened(out))
            leaves = [None if y is None else convert_to_tensor(y) for y in flat_out]
    finally:
        vectorizer.check_variables()
    rows = [_rows_of(y, vectorizer) for y in leaves]
    result: R = nest.pack_sequence_as(out, rows, opened(out))
    return result


def _rows_of(y: Tensor | None, vectorizer: Vectorizer) -> Any:
    """Returns all rows of a result; a result that is the same for all rows is repeated."""
    if y is None:
        return None
    value = y._value
    if type(value) is Batch and value.owner is vectorizer:
        inner = value.inner
        return inner if type(inner) is Tensor else Tensor(inner)
    return broadcast_to_p(y, shape=(vectorizer.size, *shape_of(y)))


def _one_by_one(fn: Callable[[Any], R], elems: Any, flat: list[Tensor], size: int) -> R:
    if not size:
        one = [with_an_example(x) if not shape_of(x)[0] else x for x in flat]
        found = _one_by_one(fn, elems, one, 1)
        cut = [None if y is None else y[:0] for y in nest.flatten(found, opened(found))]
        result: R = nest.pack_sequence_as(found, cut, opened(found))
        return result
    outs = []
    for i in range(size):
        row = [strided_slice_p(x, key=0 if shape_of(x)[0] == 1 else i) for x in flat]
        outs.append(fn(nest.pack_sequence_as(elems, row, opened(elems))))
    open_ = opened(outs[0])
    columns = zip(*[nest.flatten(out, open_) for out in outs], strict=True)
    stacked = [None if c[0] is None else stack(c) for c in columns]
    other: R = nest.pack_sequence_as(outs[0], stacked, open_)
    return other
