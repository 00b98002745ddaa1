"""Functions that sum, shape and choose in ragged tensors, and of the shapes of ragged tensors."""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

SEGMENTS = ([0, 0], [1, 0], [1, -1], [0, 3], [0, 0, 1], [2, 0, 2])
PLACES = ([[0]], [[0, 0]], [[0, 1], [1, 0]], [[[0, 0, 0]]], [[1, 5]], [[-1, 0]], [[9]], [[0, 1, 1]])
SHAPES = ([-1], [3], [2, 2], [1, -1], [4, 1], [0], [], 6)
NUMBERS = (1.0, [[1.0], [2.0]], [1.0], [[1.0, 2.0]], [1.0, 2.0])

Run = Callable[[], Any]


def operands(tf: Any) -> dict[str, Any]:
    """Ragged tensors by name."""
    rows = tf.RaggedTensor
    return {
        "two": tf.ragged.constant([[1.0, 2.0], [3.0]]),
        "nested": tf.ragged.constant([[[1.0], [2.0, 3.0]], []]),
        "empty": tf.ragged.constant([[], [1.0, 2.0, 4.0], [3.0]]),
        "inner": rows.from_row_splits([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [0, 2, 3]),
        "uniform": rows.from_uniform_row_length([1.0, 2.0, 3.0, 4.0], 2),
        "deep": tf.ragged.constant([[[[1.0], [2.0]], [[3.0, 4.0]]], [[[5.0]]]]),
    }


def of_one(tf: Any, x: Any) -> Iterator[tuple[str, Run]]:
    """Questions about one ragged tensor."""
    for axis, exclusive, reverse in itertools.product((0, 1, 2, 3, -1), (0, 1), (0, 1)):
        yield (
            f"cumsum({axis},{exclusive},{reverse})",
            lambda at=axis, e=exclusive, r=reverse: tf.cumsum(x, at, bool(e), bool(r)),
        )
    for kind, ids in itertools.product(("sum", "mean", "max", "min", "prod", "sqrt_n"), SEGMENTS):
        function = getattr(tf.math, f"unsorted_segment_{kind}")
        yield f"segment_{kind}({ids})", lambda f=function, ids=ids: f(x, ids, 3)
    for places in PLACES:
        yield f"gather_nd({places})", lambda places=places: tf.gather_nd(x, places)
    for shape in SHAPES:
        yield f"reshape({shape})", lambda shape=shape: tf.reshape(x, shape)
    for number in NUMBERS:
        yield f"spread({number})", lambda n=number: tf.broadcast_to(tf.constant(n), tf.shape(x))
    for axis in (None, -1, 1, 2):
        whole = tf.cast(x, tf.int32)
        yield f"one_hot({axis})", lambda at=axis, i=whole: tf.one_hot(i, 2, axis=at)
    yield "zeros", lambda: tf.zeros(tf.shape(x), tf.int32)
    yield "ones", lambda: tf.ones(tf.shape(x))
    yield "fill", lambda: tf.fill(tf.shape(x), 7)
    yield "fill-list", lambda: tf.fill(tf.shape(x), [7, 8])
    yield "size", lambda: tf.size(x)
    yield "size-long", lambda: tf.size(x, tf.int64)
    yield "rank", lambda: tf.rank(x)
    yield "bitcast", lambda: tf.bitcast(x, tf.int32)
    yield "assert_type", lambda: tf.debugging.assert_type(x, tf.float32)
    yield "assert_type-other", lambda: tf.debugging.assert_type(x, tf.int32)
    yield "non_decreasing", lambda: tf.math.is_non_decreasing(x)
    yield "increasing", lambda: tf.math.is_strictly_increasing(x)


def of_two(tf: Any, x: Any, y: Any) -> Iterator[tuple[str, Run]]:
    """Questions about two of them."""
    yield "reshape-like", lambda: tf.reshape(x, tf.shape(y))
    yield "add_n", lambda: tf.add_n([x, y])


def others(tf: Any) -> Iterator[tuple[str, Run]]:
    """Questions about sparse tensors and slices, which share some of these functions."""
    values = {
        "sparse": tf.sparse.from_dense([[1.0, 0.0], [0.0, 2.0]]),
        "slices": tf.IndexedSlices(
            tf.constant([[1.0, 2.0]]), tf.constant([0]), tf.constant([2, 2])
        ),
    }
    for name, x in values.items():
        yield f"shape {name}", lambda x=x: tf.shape(x)
        yield f"shape-long {name}", lambda x=x: tf.shape(x, tf.int64)
        yield f"size {name}", lambda x=x: tf.size(x)
        yield f"rank {name}", lambda x=x: tf.rank(x)
        yield f"cast {name}", lambda x=x: tf.cast(x, tf.int32)
        yield f"zeros_like {name}", lambda x=x: tf.zeros_like(x)
        yield f"identity {name}", lambda x=x: tf.identity(x)
        yield f"stop_gradient {name}", lambda x=x: tf.stop_gradient(x)
        yield f"abs {name}", lambda x=x: tf.abs(x)
        yield f"add {name}", lambda x=x: tf.add(x, 1.0)
        yield f"reshape {name}", lambda x=x: tf.reshape(x, [4])


def shown(tf: Any, x: Any) -> str:
    """A result in few words."""
    if isinstance(x, tf.RaggedTensor):
        rank = len(x.shape)
        lengths = [np.asarray(n).tolist() for n in x.nested_row_lengths()]
        return f"ragged {x.dtype.name} {rank} {lengths} {_rounded(x.flat_values)}"
    if isinstance(x, (tf.SparseTensor, tf.IndexedSlices)):
        return f"{type(x).__name__} {x.dtype.name} {_rounded(x.values)}"
    if isinstance(x, tf.Tensor):
        return f"tensor {x.dtype.name} {_rounded(x)}"
    return type(x).__name__


def _rounded(x: Any) -> str:
    value = np.asarray(x.numpy())
    return str([f"{v:.4g}" for v in value.reshape(-1)]) + str(value.shape)


def answers(tf: Any) -> dict[str, str]:
    """Results and exceptions by function and operands."""
    values = operands(tf)
    asked = [(f"{q} {name}", run) for name, x in values.items() for q, run in of_one(tf, x)]
    for (n, x), (m, y) in itertools.product(values.items(), repeat=2):
        asked += [(f"{q} {n}-{m}", run) for q, run in of_two(tf, x, y)]
    found = {}
    for question, run in [*asked, *others(tf)]:
        try:
            found[question.replace(", ", ",")] = shown(tf, run())
        except Exception as error:  # noqa: BLE001 (any is an answer)
            found[question.replace(", ", ",")] = f"raises {type(error).__name__}"
    return found


# Where ours differs, by a pattern of "question: theirs, ours: ours"; and why.
DIFFERENCES = {
    r"gather_nd.*: .*, ours: raises InvalidArgumentError": (
        "TensorFlow reads on in the next row where a place is behind a row's end"
    ),
    r"add_n .*: raises InvalidArgumentError, ours: raises ValueError": "an error in both",
}
