"""Indexing with `[]`: basic slices as one operation, boolean masks, assignment to slices."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from gradtape._src.base.device_values import state_lock
from gradtape._src.base.display import undefined
from gradtape._src.base.errors import About, InvalidArgumentError
from gradtape._src.base.export import export, raw_op
from gradtape._src.compute.jax_modules import jnp
from gradtape._src.compute.raw_value import boxed
from gradtape._src.core import recorder
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.operators import TensorMethods, register_method
from gradtape._src.core.primitive import Bound, Plan, Primitive, _attach
from gradtape._src.core.recorder import STACK, active_tapes, next_id
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.core.tracebacks import shorten
from gradtape._src.core.variable import Variable
from gradtape._src.declare.arguments import integer, integers, invalid, shown_shape
from gradtape._src.declare.general import general, register, shape_of
from gradtape._src.declare.graph_operations import graph_operation, has_symbols
from gradtape._src.declare.open_graphs import when_run
from gradtape._src.declare.structural import broadcast_to_p, number, reshape_p
from gradtape._src.declare.traits import Pattern, Traits
from gradtape._src.declare.unknown_sizes import NeedsRank, UnknownRank, may_be_equal
from gradtape._src.ops.array.gather import gather_p
from gradtape._src.ops.array.index_errors import failing_block, outside, unsuitable
from gradtape._src.ops.array.key_parts import KeyParts, key_parts, taken_result
from gradtape._src.ops.array.scatter import tensor_scatter_nd_update
from gradtape._src.ops.elementwise.selection import indices_p, select_p

Key = Any
"""The keys of NumPy's basic indexing: integers, slices, None, Ellipsis, or a tuple of them."""


def _scatter_slice(g: Any, *, key: Key, shape: tuple[int, ...]) -> Any:
    out = np.zeros(shape, g.dtype)
    out[key] = g
    return out if shape else out[()]


def _shifted_key(key: Key) -> Key:
    """Returns a key with an additional full slice for a new first axis."""
    return (slice(None), *key) if type(key) is tuple else (slice(None), key)


scatter_slice_p: Bound = general(
    "StridedSliceGrad",
    _scatter_slice,
    {"g": lambda g, key: strided_slice_p(g, key=key)},
    linear=["g"],
    batching=lambda size, batched, inputs, params: scatter_slice_p(
        inputs[0], key=_shifted_key(params["key"]), shape=(size, *params["shape"])
    ),
    xla=lambda g, *, key, shape: jnp.zeros(shape, g.dtype).at[key].set(g),
    traits=Traits(pattern=Pattern.MOVED, result=lambda g, *, key, shape: (shape, g.dtype)),
)
"""Zeros of a shape, with values at a key."""


class StridedSlice(Primitive):
    """The operation `x[key]`. It is a separate family for speed, because indexing is frequent."""

    def make_plan(self, mask: int) -> Plan:
        return Plan(
            self,
            lambda inputs, out, params: ((), (params["key"], inputs[0]._value.shape)),
            lambda g, ids, saved, static: (scatter_slice_p(g, key=static[0], shape=static[1]),),
            lambda tangents, saved, static: strided_slice_p(tangents[0], key=static[0]),
        )

    def batch(
        self, size: int, batched: Sequence[bool], inputs: Sequence[Any], params: Any
    ) -> Tensor:
        return strided_slice_p(inputs[0], key=_shifted_key(params["key"]))


def _take(x: Any, *, key: Key) -> Any:
    out = x[key]
    if type(out) is not np.ndarray:
        return out if isinstance(out, np.generic) else boxed(out)
    return out if out.ndim else out[()]


def _bind_slice(primitive: StridedSlice) -> Bound:  # noqa: C901 (the straight path)
    """Returns the function that runs a slice, as `bind_unary` does for operations without a key."""
    active, array, generic = active_tapes, np.ndarray, np.generic
    plan = primitive.plan(1)

    def run(x: Any, *, key: Key) -> Any:  # noqa: C901 (the straight path)
        if type(x) is not Tensor:
            return _take(x, key=key)
        tapes = active()
        if tapes is None:
            if (failure := unsuitable(x, key)) is not None:
                raise failure
            return recorder.process(primitive, (x,), {"key": key})
        value = x._value
        try:
            out = value[key]
        except (IndexError, ValueError, TypeError) as error:
            raise (unsuitable(x, key) or error) from None
        if type(out) is array:
            if not out.ndim:
                out = out if out.dtype.kind == "O" else out[()]
        elif not isinstance(out, generic):
            out = boxed(out)
        result = Tensor(out)
        i = x._id
        if tapes and i:
            for tape in tapes:
                if i in tape.ids:
                    o = result._id
                    if not o:
                        o = result._id = next_id()
                    tape.ids.add(o)
                    tape.records.append((plan, o, (i,), (), (key, value.shape)))
        return result

    return _attach(primitive, run)


_slice_primitive = StridedSlice("StridedSlice", _take, tracked=1)
register(
    _slice_primitive,
    xla=lambda x, *, key: x[key],
    traits=Traits(pattern=Pattern.MOVED, passes_on=True),
)
strided_slice_p: Bound = _bind_slice(_slice_primitive)


def _not_an_index(item: Any) -> TypeError:
    return TypeError(
        "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
        f"tf.int32/tf.int64 tensors are valid indices, got {item!r}"
    )


class _UnknownPositionError(Exception):
    """A position is known only when a compiled program runs, or differs between examples."""


def _position(item: Any) -> int:
    """Returns one integer of a key."""
    if type(item) is int:
        return item
    if isinstance(item, TensorLike):
        if _is_unknown(item):
            raise _UnknownPositionError
        value = tensor(item)._numpy()
    elif isinstance(item, (np.ndarray, np.generic, int)):
        value = np.asarray(item)
    else:
        raise _not_an_index(item)
    if value.ndim or value.dtype.kind not in "iu":
        if type(item) is bool:
            raise invalid(
                "Value for attr 'Index' of bool is not in the list of allowed values: int16, "
                "int32, int64 [Op:StridedSlice] (for a mask, index with a tensor or array)",
                About.DTYPES,
            )
        raise _not_an_index(item)
    return int(value)


def _bound(item: Any) -> int | None:
    return None if item is None else _position(item)


def _canonical(key: Any) -> Key:
    """Returns a key made of plain integers, slices, None and Ellipsis.

    Raises:
      TypeError: A part of the key is not an index.
    """
    items: list[Any] = []
    for item in key if isinstance(key, (tuple, list)) else (key,):
        if type(item) is slice:
            items.append(slice(_bound(item.start), _bound(item.stop), _bound(item.step)))
        elif item is None or item is Ellipsis:
            items.append(item)
        else:
            items.append(_position(item))
    return tuple(items)


def _is_mask(key: Any) -> bool:
    if isinstance(key, TensorLike):
        masked: bool = key.dtype.is_bool
        return masked
    return isinstance(key, bool) or (isinstance(key, np.ndarray) and key.dtype == bool)


def _is_unknown(item: Any) -> bool:
    if type(item) is not Tensor or isinstance(item._value, (np.ndarray, np.generic)):
        return False
    return not item._value.shape and item._value.dtype.kind in "iu"


def _taken(x: Any, key: Any) -> Tensor:
    """Returns `x[key]` for a key with symbolic positions, which are looked up axis by axis.

    The known positions are applied first, with full slices in place of the symbolic ones.
    """
    items = list(key) if type(key) is tuple else [key]
    places = [item for item in items if _is_unknown(item)]
    known = tuple([slice(None) if _is_unknown(item) else item for item in items])
    y = getitem(x, known)
    axes, axis = [], 0
    for i, item in enumerate(items):
        if item is Ellipsis:
            axis = len(y.shape) - sum(1 for j in items[i + 1 :] if _keeps(j))
        else:
            if _is_unknown(item):
                axes.append(axis)
            axis += _keeps(item)
    for place, axis in reversed(list(zip(places, axes, strict=True))):
        n = Tensor(number(shape_of(y)[axis], place.dtype.np_dtype))
        y = gather_p(y, select_p(place < 0, place + n, place), axis=axis, batch_dims=0)
    return y


def _has_unknown_bounds(key: Any) -> bool:
    """Whether a slice in a key begins or ends at a position that is not known yet."""
    items = key if isinstance(key, (tuple, list)) else (key,)
    return any(
        type(item) is slice and any(map(_is_unknown, (item.start, item.stop, item.step)))
        for item in items
    )


def _taken_whole(x: Tensor, key: Any) -> Tensor:
    """Returns `x[key]` as one operation, for keys whose positions determine the result's shape."""
    parts = key_parts(key, _is_unknown)
    return _taken_at(x, parts, parts.positions)


@graph_operation("StridedSlice", taken_result)
def _taken_at(x: Tensor, parts: KeyParts, positions: Sequence[Tensor]) -> Tensor:
    key = parts.filled(positions)
    for position in filter(_is_unknown, positions):
        position._numpy()  # This raises the error that the length of the slice is not known.
    return getitem(x, key)


def _keeps(item: Any) -> bool:
    """Whether an axis remains after the known positions of a part of a key are applied."""
    return item is None or type(item) is slice or _is_unknown(item)


def getitem(self: Any, key: Any) -> Tensor:
    """Returns `self[key]` for a tensor or variable, by TensorFlow's rules.

    Raises:
      InvalidArgumentError: An index is out of range, there are too many indices, or a step is zero.
      TypeError: A part of the key is not an index.
      ValueError: A mask's shape does not fit.
    """
    try:
        variable = None
        if type(self) is not Tensor:
            if isinstance(self, Variable):
                variable = self
            self = tensor(self)
        canonical = key
        if type(key) is not int:
            if _is_mask(key):
                return boolean_mask(self, key)
            try:
                canonical = _canonical(key)
            except _UnknownPositionError:
                between = _has_unknown_bounds(key) or type(self._value.shape) is UnknownRank
                taken = _taken_whole(self, key) if between else _taken(self, key)
                if variable is not None:
                    taken._origin = (variable, key)
                return taken
        out = strided_slice_p(self, key=canonical)
        if variable is not None:
            out._origin = (variable, canonical)
        return out
    except Exception as error:
        shorten(error)
        if type(key) is list and type(error) is InvalidArgumentError:
            raise invalid(f"{error} {_LISTS}", error._about) from None
        raise


_LISTS = "(a list has one index for each axis; tf.gather(x, [0, 1]) takes elements 0 and 1)"


# Assignment to a slice of a variable: v[1:3].assign(...).


def _assign_slice(
    origin: tuple[Variable, Key],
    combine: str,
    value: Any,
    use_locking: bool = False,
    name: str | None = None,
    read_value: bool = True,
) -> Any:
    """Changes the elements of the variable at a key.

    Raises:
      InvalidArgumentError: The value's shape does not broadcast to the slice's.
    """
    variable, key = origin
    if isinstance(value, Variable):
        value = value.read_value()
    given = convert_to_tensor(value, variable.dtype)
    with state_lock:
        for watcher in STACK.recorders:
            watcher.hold(variable)
        if not _is_known(variable) or not _is_known(given):
            changed = _with_slice(variable, key, combine, given)
            return variable._store(variable._incoming(changed), read_value)
        if not variable._value.ndim:
            own = np.array(variable._value)
            _edit_slice(own, key, combine, given._value)
            return variable._store(own[()], read_value)
        out = variable._change(lambda array: _edit_slice(array, key, combine, given._value))
        return out if read_value else None


def _is_known(x: Any) -> bool:
    """Whether a value is known, and not symbolic."""
    return isinstance(x._value, (np.ndarray, np.generic))


def _edit_slice(own: Any, key: Key, combine: str, raw: Any) -> None:
    """Changes the elements of an array at a key; raises the errors of `_assign_slice`."""
    place = own[key] if own.ndim else own
    extra = raw.ndim - np.ndim(place)
    if extra > 0 and raw.shape[:extra] == (1,) * extra:
        raw = raw.reshape(raw.shape[extra:])
    try:
        raw = np.broadcast_to(raw, np.shape(place))
    except ValueError:
        raise invalid(
            f"Cannot broadcast input shape {shown_shape(raw.shape)} into final shape "
            f"{shown_shape(np.shape(place))} [Op:ResourceStridedSliceAssign]"
        ) from None
    own[key] = place + raw if combine == "add" else place - raw if combine == "sub" else raw


def _with_slice(variable: Variable, key: Key, combine: str, value: Tensor) -> Tensor:
    """Returns a variable's value with a slice changed, for symbolic values.

    Raises:
      InvalidArgumentError: The value's shape does not broadcast to the slice's shape.
    """
    whole = Tensor(variable._value)
    place = getitem(whole, key)
    shape = shape_of(place)
    extra = len(shape_of(value)) - len(shape)
    if extra > 0 and shape_of(value)[:extra] == (1,) * extra:
        value = reshape_p(value, shape=shape_of(value)[extra:])
    try:
        np.broadcast_shapes(shape_of(value), shape)
        value = broadcast_to_p(value, shape=shape) if shape_of(value) != shape else value
    except ValueError:
        raise invalid(
            f"Cannot broadcast input shape {shown_shape(shape_of(value))} into final shape "
            f"{shown_shape(shape)} [Op:ResourceStridedSliceAssign]"
        ) from None
    if combine != "set":
        value = place + value if combine == "add" else place - value
    n = math.prod(shape_of(whole))
    numbers = Tensor(np.arange(n, dtype=np.int32).reshape(shape_of(whole)))
    places = reshape_p(getitem(numbers, key), shape=(-1, 1))
    flat = reshape_p(whole, shape=(n,))
    changed = tensor_scatter_nd_update(flat, places, reshape_p(value, shape=(-1,)))
    return reshape_p(changed, shape=shape_of(whole))


def _slice_method(name: str, combine: str) -> property:
    def method(self: Tensor) -> Callable[..., Any]:
        try:
            origin: Any = self._origin
        except AttributeError:
            raise undefined(self, name) from None
        return partial(_assign_slice, origin, combine)

    return property(method)


for _name, _combine in (("assign", "set"), ("assign_add", "add"), ("assign_sub", "sub")):
    register_method(TensorMethods, _name, _slice_method(_name, _combine))


@export("boolean_mask")
def boolean_mask(tensor: Any, mask: Any, axis: Any = None, name: str = "boolean_mask") -> Tensor:
    """Selects the elements where a mask is true, or whole rows if the mask has fewer axes.

    Args:
      tensor: A tensor.
      mask: A bool tensor of rank r, whose shape equals `tensor.shape[axis:axis + r]`.
      axis: The first axis of `tensor` that the mask applies to. Defaults to 0.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape `tensor.shape[:axis] + (n,) + tensor.shape[axis + r:]`, where n is the
      number of true elements of `mask`.

    Raises:
      ValueError: The mask is a scalar, or the shapes differ.

    >>> tf.boolean_mask([1, 2, 3], [True, False, True]).numpy()
    array([1, 3], dtype=int32)
    """
    x, given = convert_to_tensor(tensor), convert_to_tensor(mask)
    if not given._value.ndim:
        raise ValueError("mask cannot be scalar.")
    if has_symbols(given):
        return _masked(x, given, 0 if axis is None else integer(axis, "BooleanMask"))
    chosen = np.asarray(given._numpy())
    shape = shape_of(x)
    first = 0 if axis is None else integer(axis, "BooleanMask")
    if not 0 <= first < max(len(shape), 1):
        first = _axis_of_mask(first, shape, chosen.shape)
    own = shape[first : first + chosen.ndim]
    if not may_be_equal(own, chosen.shape):
        raise ValueError(
            f"Shapes {own} and {chosen.shape} are incompatible (the mask's shape must be that of "
            f"the tensor's axes from {first} on)"
        )
    flat = reshape_p(x, shape=(*shape[:first], chosen.size, *shape[first + chosen.ndim :]))
    places = np.flatnonzero(chosen).astype(np.int64)
    return gather_p(flat, Tensor(places), axis=first, batch_dims=0)


def _axis_of_mask(axis: int, shape: Any, own: Any) -> int:
    rank = max(len(shape), 1)
    if -rank <= axis < 0:
        return axis + rank
    raise ValueError(f"Shapes () and {own} are incompatible (there is no axis {axis} in {shape})")


def _masked(x: Tensor, mask: Tensor, axis: int) -> Tensor:
    """Computes `boolean_mask` for a mask that is known only when a graph runs."""
    shape, own = shape_of(x), shape_of(mask)
    first = axis if 0 <= axis < max(len(shape), 1) else _axis_of_mask(axis, shape, own)
    part = shape[first : first + len(own)]
    differ = [n != m for n, m in zip(part, own, strict=False) if type(n) is type(m) is int]
    if len(part) < len(own) or any(differ):
        raise ValueError(
            f"Shapes {part} and {own} are incompatible (the mask's shape must be that of the "
            f"tensor's axes from {first} on)"
        )
    count = math.prod(own)
    if len(own) > 1:
        x = reshape_p(x, shape=(*shape[:first], count, *shape[first + len(own) :]))
    places = indices_p(reshape_p(mask, shape=(count,)))
    rows = reshape_p(places, shape=(shape_of(places)[0],))
    return gather_p(x, rows, axis=first, batch_dims=0)


# Slices by indices.


@export("slice")
@raw_op("Slice", input="input_")
def slice_(input_: Any, begin: Any, size: Any, name: str | None = None) -> Tensor:
    """Takes a block of a tensor.

    Args:
      input_: A tensor.
      begin: The start of the block, an integer per axis.
      size: The lengths of the block; -1 stands for all remaining elements of the axis.
      name: Accepted for compatibility.

    Returns:
      A tensor of shape `size` and of the dtype of `input_`.

    Raises:
      InvalidArgumentError: The block exceeds the tensor, or the number of integers differs from the
        rank.

    >>> tf.slice([[1, 2, 3], [4, 5, 6]], [0, 1], [2, 2]).numpy()
    array([[2, 3],
           [5, 6]], dtype=int32)
    """
    x = tensor(input_)
    shape = shape_of(x)
    try:
        starts, lengths = (list(np.atleast_1d(_vector(v))) for v in (begin, size))
    except NeedsRank:
        return when_run(slice_, x, begin, size)
    if not len(starts) == len(lengths) == len(shape):
        raise invalid(
            f"Expected begin and size arguments to be 1-D tensors of size {len(shape)}, but got "
            f"shapes [{len(starts)}] and [{len(lengths)}] instead. [Op:Slice]"
        )
    whole = [full - b if n == -1 else n for b, n, full in zip(starts, lengths, shape, strict=True)]
    if message := outside(starts, whole, shape):
        return failing_block(x, message, whole)
    key = [slice(int(b), int(b + n), None) for b, n in zip(starts, whole, strict=True)]
    return strided_slice_p(x, key=tuple(key))


def _vector(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return integers(value, "Slice", "begin or size").astype(np.int64)
    given = tensor(value)
    if not given.dtype.is_integer:
        if isinstance(value, TensorLike):
            raise ValueError(
                f"Tensor conversion requested an integer dtype for Tensor with dtype "
                f"{given.dtype.name}: {value!r} (tf.cast converts)"
            )
        raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype int32")
    return np.asarray(given._numpy())


@export("strided_slice")
@raw_op("StridedSlice", input="input_")
def strided_slice(
    input_: Any,
    begin: Any,
    end: Any,
    strides: Any = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: Any = None,
    name: str | None = None,
) -> Tensor:
    """Takes `input_[begin[0]:end[0]:strides[0], ...]`.

    Args:
      input_: A tensor.
      begin: The first index along each axis.
      end: The exclusive end index along each axis.
      strides: The steps. Defaults to 1 for each axis.
      begin_mask: If bit i is set, `begin[i]` is ignored.
      end_mask: If bit i is set, `end[i]` is ignored.
      ellipsis_mask: If bit i is set, entry i is an ellipsis.
      new_axis_mask: If bit i is set, entry i is a new axis.
      shrink_axis_mask: If bit i is set, entry i is the single index `begin[i]`, and its axis is
        removed.
      var: The variable that has the value `input_`. If it is given, the result has a method
        `assign`.
      name: Accepted for compatibility.

    Returns:
      A tensor of the dtype of `input_`.

    >>> tf.strided_slice([1, 2, 3, 4, 5], [0], [5], [2]).numpy()
    array([1, 3, 5], dtype=int32)
    """
    starts, ends = _vector(begin), _vector(end)
    steps = np.ones_like(starts) if strides is None else _vector(strides)
    if not starts.shape == ends.shape == steps.shape:
        raise invalid(
            f"Expected begin, end, and strides to be 1D equal size tensors, but got shapes "
            f"{', '.join(shown_shape(x.shape) for x in (starts, ends, steps))} [Op:StridedSlice]"
        )
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask = (m or 0 for m in masks)
    key: list[Any] = []
    for i, (b, e, s) in enumerate(zip(starts.tolist(), ends.tolist(), steps.tolist(), strict=True)):
        bit = 1 << i
        if ellipsis_mask & bit:
            key.append(Ellipsis)
        elif new_axis_mask & bit:
            key.append(None)
        elif shrink_axis_mask & bit:
            key.append(b)
        else:
            key.append(slice(None if begin_mask & bit else b, None if end_mask & bit else e, s))
    x = tensor(input_)
    out = strided_slice_p(x, key=tuple(key))
    if isinstance(var, Variable):
        out._origin = (var, tuple(key))
    return out
