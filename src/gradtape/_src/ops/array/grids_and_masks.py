"""One-hot vectors, masks of sequences by their lengths, and grids of coordinates."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import as_dtype, float32
from gradtape._src.base.dtypes import bool_ as bool_dtype
from gradtape._src.base.error_messages import mismatch
from gradtape._src.base.errors import About
from gradtape._src.base.export import export, raw_op
from gradtape._src.compute.jax_modules import jnp
from gradtape._src.core.convert import convert_to_tensor as _convert
from gradtape._src.core.convert import tensor
from gradtape._src.core.primitive import Bound
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import integer, invalid, known
from gradtape._src.declare.general import general, shape_of
from gradtape._src.declare.graph_operations import New, graph_operation, has_symbols
from gradtape._src.declare.open_graphs import when_run
from gradtape._src.declare.structural import broadcast_to_p, reshape_p
from gradtape._src.declare.traits import Traits
from gradtape._src.declare.unknown_sizes import NeedsRank
from gradtape._src.ops.array.creation import numbers_below
from gradtape._src.ops.elementwise.casting import cast_p
from gradtape._src.ops.elementwise.comparison import less_p


def _one_hot(indices: Any, on: Any, off: Any, *, depth: int, axis: int) -> Any:
    hit = np.expand_dims(indices, axis) == np.arange(depth).reshape(depth, *(1,) * (-1 - axis))
    return np.where(hit, on, off)[()]


def _one_hot_xla(indices: Any, on: Any, off: Any, *, depth: int, axis: int) -> Any:
    places = np.arange(depth, dtype=np.int32).reshape(depth, *(1,) * (-1 - axis))
    return jnp.where(jnp.expand_dims(indices, axis) == places, on, off)


def _one_hot_batched(size: int, batched: Any, inputs: Any, params: dict[str, Any]) -> Any:
    """Adds axes of length one to on and off values that differ between examples of a batch."""
    rank = len(shape_of(inputs[0])) - int(batched[0]) + 1
    spread = [
        x if i == 0 or not own else reshape_p(x, shape=(size, *(1,) * rank))
        for i, (x, own) in enumerate(zip(inputs, batched, strict=True))
    ]
    return one_hot_p(*spread, **params)


one_hot_p: Bound = general(
    "OneHot", _one_hot, batching=_one_hot_batched, xla=_one_hot_xla, traits=Traits(passes_on=True)
)


@export("one_hot", direct=True)
@raw_op("OneHot")
def one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: int | None = None,
    dtype: Any = None,
    name: str | None = None,
) -> Tensor:
    """Makes one-hot vectors, each of which is "on" at one index.

    Args:
      indices: An integer tensor of the indices; an index out of range makes the vector all "off".
      depth: The length of the vectors.
      on_value: The value at the index. Defaults to 1.
      off_value: The value at all other positions. Defaults to 0.
      axis: The position of the new axis. Defaults to -1, the last.
      dtype: The dtype of the result. Defaults to the dtype of the values, or float32.
      name: Accepted for compatibility.

    Returns:
      A tensor of the shape of `indices` with an additional axis of length `depth`.

    Raises:
      TypeError: The values' dtypes differ from each other or from `dtype`.
      InvalidArgumentError: `depth` is negative, or the indices are not integers.

    >>> tf.one_hot([0, 2], 3).numpy()
    array([[1., 0., 0.],
           [0., 0., 1.]], dtype=float32)
    """
    x = tensor(indices)
    if not x.dtype.is_integer:
        raise invalid(
            f"Value for attr 'TI' of {x.dtype.name} is not in the list of allowed values: uint8, "
            f"int8, int32, int64 [Op:OneHot] (`indices` must be integers)",
            About.DTYPES,
        )
    try:
        n = integer(depth, "OneHot", "depth")
    except NeedsRank:
        return when_run(one_hot, x, depth, on_value, off_value, axis, dtype)
    if n < 0:
        raise invalid(f"depth must be non-negative, got: {n} [Op:OneHot]")
    on, off, wanted = on_value, off_value, None if dtype is None else as_dtype(dtype)
    for what, value in (("on_value", on), ("off_value", off)):
        if value is not None:
            got = _convert(value, dtype_hint=wanted).dtype
            if wanted is not None and got is not wanted:
                raise TypeError(f"dtype {got} of {what} does not match dtype parameter {wanted}")
            wanted = wanted or got
    wanted = wanted or float32
    on = _convert(1 if not wanted.is_bool else True, wanted) if on is None else _convert(on, wanted)
    off = (
        _convert(0 if not wanted.is_bool else False, wanted)
        if off is None
        else _convert(off, wanted)
    )
    try:
        place = -1 if axis is None or axis == -1 else integer(axis, "OneHot") - x._value.ndim - 1
    except NeedsRank:
        return when_run(one_hot, x, depth, on_value, off_value, axis, dtype)
    return one_hot_p(x, on, off, depth=n, axis=place)


@export("meshgrid")
def meshgrid(*args: Any, indexing: str = "xy", **kwargs: Any) -> list[Tensor]:
    """Makes the coordinate arrays of a grid from one vector for each axis.

    Args:
      *args: Vectors.
      indexing: "xy" (the first vector runs along columns) or "ij".
      **kwargs: `name` is accepted for compatibility; anything else raises a TypeError.

    Returns:
      A list with one tensor for each vector, all of them of the grid's shape.

    Raises:
      ValueError: `indexing` is neither "xy" nor "ij".

    >>> x, y = tf.meshgrid([1, 2, 3], [4, 5])
    >>> x.numpy()
    array([[1, 2, 3],
           [1, 2, 3]], dtype=int32)
    >>> y.numpy()
    array([[4, 4, 4],
           [5, 5, 5]], dtype=int32)
    """
    for word in kwargs:
        if word != "name":
            raise TypeError(f"{word!r} is an invalid keyword argument for meshgrid()")
    if indexing not in ("xy", "ij"):
        raise ValueError(
            f"Argument `indexing` parameter must be either 'xy' or 'ij', got '{indexing}'"
        )
    vectors = [reshape_p(x, shape=(math.prod(shape_of(x)),)) for x in map(tensor, args)]
    n = len(vectors)
    for i, vector in enumerate(vectors[1:], 1):
        if vector.dtype is not vectors[0].dtype:
            raise mismatch("Mul", i, vectors[0].dtype, vector.dtype)
    places = np.arange(n).tolist()
    if indexing == "xy" and n > 1:
        places[0], places[1] = 1, 0
    lengths: list[int] = [0] * n
    for vector, place in zip(vectors, places, strict=True):
        lengths[place] = shape_of(vector)[0]
    grids = []
    for vector, place in zip(vectors, places, strict=True):
        own = [1] * n
        own[place] = shape_of(vector)[0]
        grids.append(broadcast_to_p(reshape_p(vector, shape=tuple(own)), shape=tuple(lengths)))
    return grids


def _mask_result(
    new: New, lengths: Any, maxlen: Any = None, dtype: Any = bool_dtype, name: str | None = None
) -> Tensor:
    is_known = maxlen is not None and not has_symbols(maxlen)
    last = math.ceil(tensor(maxlen)._numpy()) if is_known else None
    return new([*shape_of(tensor(lengths)), last], as_dtype(dtype))


@export("sequence_mask")
@graph_operation("SequenceMask", _mask_result)
def sequence_mask(
    lengths: Any, maxlen: Any = None, dtype: Any = bool_dtype, name: str | None = None
) -> Tensor:
    """Marks the first `lengths[...]` elements of each row.

    Args:
      lengths: An integer tensor.
      maxlen: The rows' length. Defaults to the greatest of `lengths`.
      dtype: The dtype of the mask.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape `lengths.shape + (maxlen,)`.

    >>> tf.sequence_mask([1, 3], 4).numpy()
    array([[ True, False, False, False],
           [ True,  True,  True, False]])
    """
    counted, kind = tensor(lengths), as_dtype(bool_dtype if dtype is None else dtype).np_dtype
    most = None if maxlen is None else tensor(maxlen)
    if most is not None and most._value.ndim:
        raise ValueError(
            f"Argument `maxlen` must be scalar for sequence_mask, received `maxlen` = {maxlen}"
        )
    if most is not None and not known(counted):
        places = Tensor(numbers_below(math.ceil(most._numpy())))
        ends = reshape_p(cast_p(counted, dtype=np.dtype(np.int64)), shape=(*shape_of(counted), 1))
        return cast_p(less_p(places, ends), dtype=kind)
    x = counted._numpy()
    longest = (np.max(x) if np.size(x) else 0) if most is None else most._numpy()
    n = math.ceil(longest)
    mask = numbers_below(n) < np.expand_dims(x, -1)
    return Tensor(mask.astype(kind))
