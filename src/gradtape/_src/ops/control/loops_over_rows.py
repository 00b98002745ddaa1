"""Functions that call a function for each row of tensors: `map_fn`, `scan` and the folds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar

import numpy as np

from gradtape._src.base import nest
from gradtape._src.base.composite_tensor import CompositeTensor
from gradtape._src.base.dtypes import DType, as_dtype
from gradtape._src.base.errors import About, OutOfRangeError
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.eager_only import can_grow, is_traced
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.unknown_sizes import Size
from gradtape._src.ops.array.joining import concat, stack, unstack
from gradtape._src.ops.array.tensor_shapes import shape
from gradtape._src.ops.control.control_flow import (
    in_graph,
    is_compiled,
    least_turns,
    while_loop,
)
from gradtape._src.ops.ragged.construction import stack as ragged_stack
from gradtape._src.ops.types.extension_type import ExtensionTypeSpec
from gradtape._src.ops.types.ragged_tensor import RaggedTensor, RaggedTensorSpec
from gradtape._src.ops.types.specs import TensorSpec
from gradtape._src.ops.types.tensor_array import TensorArray
from gradtape._src.ops.types.type_spec import TypeSpec

R = TypeVar("R")


def _rows(elems: Any, op: str) -> tuple[list[list[Any]], int]:
    """Returns the rows of each tensor of a structure, and their number."""
    columns = [_rows_of(x) for x in nest.flatten(elems)]
    if not columns:
        raise ValueError(f"{op}: elems must be a Tensor or (possibly nested) sequence of Tensors")
    lengths = {len(column) for column in columns}
    if len(lengths) > 1:
        raise ValueError(
            f"{op}: all tensors in elems must have equal first dimensions, got {sorted(lengths)}"
        )
    return columns, lengths.pop()


def _rows_of(x: Any) -> list[Any]:
    """Returns the rows of a tensor, which may be sparse or ragged."""
    if isinstance(x, CompositeTensor):
        return x._each_row()
    x = convert_to_tensor(x)
    if not x._value.ndim:
        raise ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars")
    return unstack(x)


def _row(elems: Any, rows: Sequence[Sequence[Tensor]], i: int) -> Any:
    return nest.pack_sequence_as(elems, [r[i] for r in rows])


def _called(function: Any, what: str = "fn") -> Any:
    if not callable(function):
        raise TypeError(
            f"The provided function {function!r} is not callable. {what} must be callable."
        )
    return function


def _are_dense(elems: Any, signature: Any) -> bool:
    """Whether the rows of tensors and of results are tensors of one shape."""
    composite = (CompositeTensor, RaggedTensorSpec, ExtensionTypeSpec)
    return not any(isinstance(x, composite) for x in nest.flatten([elems, signature]))


def _are_tensors(elems: Any, signature: Any) -> bool:
    """Whether rows and results are tensors or ragged tensors."""
    rest = [x for x in nest.flatten(elems) if not isinstance(x, RaggedTensor)]
    tensors = (RaggedTensorSpec, TensorSpec)
    specs = [x for x in nest.flatten(signature) if not isinstance(x, tensors)]
    return _are_dense(rest, ()) and not any(isinstance(x, TypeSpec) for x in specs)


def _are_symbolic_rows(elems: Any, signature: Any) -> bool:
    """Whether rows of ragged tensors, whose lengths a graph tells, become tensors of one shape."""
    flat = nest.flatten(elems)
    ragged = [x for x in flat if isinstance(x, RaggedTensor)]
    rest = [x for x in flat if not isinstance(x, RaggedTensor)]
    return (
        any(is_traced(x.row_splits) for x in ragged) and can_grow() and _are_dense(rest, signature)
    )


def _rows_in_graphs(elems: Any) -> tuple[Any, Callable[[Any], Any]]:
    """Returns the bounds of ragged rows, and a function that returns the rows between them."""

    def bounds(x: Any) -> Any:
        return (x.row_splits[:-1], x.row_splits[1:]) if isinstance(x, RaggedTensor) else x

    def row(x: Any, own: Any) -> Any:
        return _between(x.values, *own) if isinstance(x, RaggedTensor) else own

    def rows(found: Any) -> Any:
        return nest.pack_sequence_as(elems, [*map(row, flat, found)])

    flat = nest.flatten(elems)
    return [*map(bounds, flat)], rows


def _mapped_in_loop(fn: Callable[[Any], Any], elems: Any, signature: Any) -> Any:
    """Calls a function for each row in a loop of a graph; its results may be ragged."""
    specs, (apart, joined) = nest.flatten(signature), _rows_in_graphs(elems)
    tensors = [convert_to_tensor(x) for x in nest.flatten(apart)]
    n = shape(tensors[0])[0]

    def step(i: Any, *collected: Any) -> Any:
        out = fn(joined(nest.pack_sequence_as(apart, [x[i] for x in tensors])))
        nest.assert_same_structure(signature, out)
        parts = [*map(_components, specs, nest.flatten(out))]
        written = zip(collected, [x for part in parts for x in part], strict=True)
        return i + 1, *[array.write(i, x) for array, x in written]

    arrays = [array for spec in specs for array in _arrays(spec, n)]
    _, *filled = while_loop(lambda i, *_: i < n, step, (np.int32(0), *arrays))
    following = iter(filled)
    return nest.pack_sequence_as(signature, [_collected(spec, following) for spec in specs])


def _arrays(spec: Any, n: Tensor) -> list[TensorArray]:
    """Returns the arrays for a result's components: its values and the lengths of its rows."""
    if not isinstance(spec, RaggedTensorSpec):
        return [TensorArray(_dtype_of(spec), n)]
    lengths = [
        TensorArray(spec.row_splits_dtype, n, infer_shape=False) for _ in range(spec.ragged_rank)
    ]
    return [
        TensorArray(spec.dtype, n, infer_shape=False),
        TensorArray(spec.row_splits_dtype, n),
        *lengths,
    ]


def _components(spec: Any, x: Any) -> Sequence[Any]:
    """Returns the components of a result for the arrays of `_arrays`."""
    if not isinstance(spec, RaggedTensorSpec):
        return [x]
    if spec.ragged_rank and not isinstance(x, RaggedTensor):
        x = RaggedTensor.from_tensor(x, ragged_rank=spec.ragged_rank)
    if not isinstance(x, RaggedTensor):
        return [x, shape(x, spec.row_splits_dtype)[0]]
    x = x.with_row_splits_dtype(spec.row_splits_dtype)
    return [x.flat_values, x.nrows(), *x.nested_row_lengths()]


def _collected(spec: Any, arrays: Iterator[TensorArray]) -> Any:
    """Returns the results of all calls, from the next arrays."""
    array = next(arrays)
    if not isinstance(spec, RaggedTensorSpec):
        return array.stack()
    lengths = [next(arrays).stack(), *[next(arrays).concat() for _ in range(spec.ragged_rank)]]
    return RaggedTensor.from_nested_row_lengths(array.concat(), lengths, validate=False)


def _between(x: Any, start: Tensor, stop: Tensor) -> Any:
    """Returns the rows of a tensor or ragged tensor from a start to an end."""
    if not isinstance(x, RaggedTensor):
        return x[start:stop]
    splits = x.row_splits[start : stop + 1]
    values = _between(x.values, splits[0], splits[-1])
    return RaggedTensor.from_row_splits(values, splits - splits[0], validate=False)


def _stacked(column: Sequence[Any], dtype: DType) -> Tensor:
    if not column:
        return Tensor(np.zeros((0,), dtype.np_dtype))
    tensors = [convert_to_tensor(x, dtype_hint=dtype) for x in column]
    for x in tensors:
        if x.dtype is not dtype:
            raise invalid(
                f"TensorArray dtype is {dtype.name} but Op is trying to write dtype "
                f"{x.dtype.name} (declare the results of `fn` with fn_output_signature)",
                About.DTYPES,
            )
    shapes = {x._value.shape for x in tensors}
    if len(shapes) > 1:
        raise ValueError(
            f"the results of the calls have inconsistent shapes: {sorted(shapes)} (for rows of "
            "different lengths, use a RaggedTensorSpec as fn_output_signature)"
        )
    return stack(tensors)


def _signature_of(x: Any) -> Any:
    """Returns what `map_fn` expects if its function returns rows like those of its argument."""
    if not isinstance(x, RaggedTensor):
        return convert_to_tensor(x).dtype
    return RaggedTensorSpec(None, x.dtype, x.ragged_rank - 1, x.row_splits.dtype)


def _dtype_of(spec: Any) -> DType:
    """Returns the dtype of a spec, or converts a dtype in any form."""
    return as_dtype(spec if isinstance(spec, type) else getattr(spec, "dtype", spec))


def _rows_as(spec: Any, column: Sequence[Any]) -> Any:
    """Stacks the results of the calls as the signature specifies."""
    if isinstance(spec, ExtensionTypeSpec) and column:
        return column[0]._of_rows(list(column))
    if not isinstance(spec, RaggedTensorSpec):
        return _stacked(column, _dtype_of(spec))
    for x in column:
        if not _suits(x, spec):
            raise ValueError(f"map_fn: expected `fn` to return a {spec}, but it returned {x!r}")
    if any(isinstance(x, RaggedTensor) for x in column):
        return ragged_stack(list(column))
    rows = [convert_to_tensor(x) for x in column]
    values = concat(rows, 0) if rows else Tensor(np.zeros((0,), spec.dtype.np_dtype))
    return RaggedTensor.from_row_lengths(values, np.array([len(x) for x in rows], np.int64))


def _suits(x: Any, spec: RaggedTensorSpec) -> bool:
    """Whether a row is of a spec; a dense tensor is if the spec has no ragged axis."""
    if isinstance(x, RaggedTensor):
        return spec.is_compatible_with(x)
    return not spec.ragged_rank and TensorSpec(spec.shape, spec.dtype).is_compatible_with(
        convert_to_tensor(x)
    )


@export("map_fn")
def map_fn(
    fn: Callable[[Any], R],
    elems: Any,
    dtype: Any = None,
    parallel_iterations: Any = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> R:
    """Applies a function to each row and stacks the results.

    One call of `vectorized_map` runs the function on all rows at once.

    Args:
      fn: A function of a row of `elems`, in the structure of `elems`.
      elems: A tensor, or a nested structure of tensors whose first axes have the same length.
      dtype: The older name of `fn_output_signature`.
      parallel_iterations: Accepted for compatibility.
      back_prop: Accepted for compatibility.
      swap_memory: Accepted for compatibility.
      infer_shape: Accepted for compatibility.
      name: Accepted for compatibility.
      fn_output_signature: The dtypes (or TensorSpecs) of the results of `fn`, in their structure;
        that of `elems` by default.

    Returns:
      The function's results for the rows, stacked along a new first axis.

    Raises:
      TypeError: `fn` can't be called.
      ValueError: The structure that `fn` returns does not match the signature, or a tensor of
        `elems` is a scalar.
      InvalidArgumentError: The dtype of a result of `fn` is not the expected one.

    >>> tf.map_fn(lambda row: tf.reduce_sum(row), tf.constant([[1, 2], [3, 4]])).numpy()
    array([3, 7], dtype=int32)
    """
    _called(fn)
    signature = fn_output_signature if fn_output_signature is not None else dtype
    if signature is None:
        signature = nest.map_structure(_signature_of, elems)
    least = n if (n := least_turns()) > 1 else 0  # a loop without rows has results of a shape
    if is_compiled() and _are_dense(elems, signature) and _has_rows(elems, least):

        def checked(state: Any, row: Any) -> Any:
            out = fn(row)
            nest.assert_same_structure(signature, out)
            for spec, x in zip(nest.flatten(signature), nest.flatten(out), strict=True):
                _stacked([x], _dtype_of(spec))
            return state, out

        mapped: R = in_graph().fold(checked, elems, [], False, True)[1]
        return mapped
    if _are_symbolic_rows(elems, signature):
        apart, joined = _rows_in_graphs(elems)
        found: R = map_fn(lambda row: fn(joined(row)), apart, fn_output_signature=signature)
        return found
    if can_grow() and _are_tensors(elems, signature):
        looped: R = _mapped_in_loop(fn, elems, signature)
        return looped
    rows, n = _rows(elems, "map_fn")
    columns: list[list[Any]] = [[] for _ in nest.flatten(signature)]
    for i in range(n):
        out = fn(_row(elems, rows, i))
        nest.assert_same_structure(signature, out)
        for column, x in zip(columns, nest.flatten(out), strict=True):
            column.append(x)
    specs = nest.flatten(signature)
    stacked = [_rows_as(spec, column) for spec, column in zip(specs, columns, strict=True)]
    results: R = nest.pack_sequence_as(signature, stacked)
    return results


def _fold(
    fn: Callable[[Any, Any], R], elems: Any, initializer: Any, *, backwards: bool, op: str
) -> tuple[list[R], bool]:
    """Returns all states of a fold, in order."""
    _called(fn)
    rows, n = _rows(elems, op)
    order = list(range(n))
    if backwards:
        order.reverse()
    states = []
    if initializer is None:
        if not n:
            raise OutOfRangeError(None, None, f"{op}: elems is empty and there is no initializer")
        state = _row(elems, rows, order.pop(0))
        states.append(state)
    else:
        state = nest.map_structure(convert_to_tensor, initializer)
    for i in order:
        following = fn(state, _row(elems, rows, i))
        nest.assert_same_structure(state, following)
        state = nest.map_structure(partial(_next, op), state, following)
        states.append(state)
    return states or [state], bool(states)


def _first_and_rest(elems: Any, reverse: bool) -> tuple[Any, Any]:
    """Returns the initial state, which is the first row by default, and the remaining rows."""
    tensors = nest.map_structure(convert_to_tensor, elems)
    if reverse:
        return nest.map_structure(lambda x: x[-1], tensors), nest.map_structure(
            lambda x: x[:-1], tensors
        )
    return nest.map_structure(lambda x: x[0], tensors), nest.map_structure(lambda x: x[1:], tensors)


def _before(first: Tensor, later: Tensor, reverse: bool) -> Tensor:
    """Returns all states, beginning with the initial state if that is the first row."""
    own = stack([first])
    return concat([later, own] if reverse else [own, later], 0)


def _no_states(state: Tensor) -> Tensor:
    """Returns the result of a scan over zero rows, for a part of the state."""
    return Tensor(np.zeros((0, *shape_of(state)), state.dtype.as_numpy_dtype))


def _next(op: str, before: Any, following: Any) -> Tensor:
    """Returns the next value of a part of the state, after checking its dtype."""
    first, second = convert_to_tensor(before), convert_to_tensor(following)
    if op == "scan" and first.dtype is not second.dtype:
        raise invalid(
            f"scan: `fn` changed the dtype of the state from {first.dtype.name} to "
            f"{second.dtype.name} (tf.cast it back)",
            About.DTYPES,
        )
    return second


def _starts_with_a_row(elems: Any) -> bool:
    """Whether the compiled program should contain a loop over the rows after the first one."""
    return is_compiled() and _are_dense(elems, ()) and _has_rows(elems, least_turns() + 1)


def _is_long(elems: Any, initializer: Any) -> bool:
    """Whether the compiled program should contain a loop over the rows."""
    if not is_compiled() or initializer is None or not _are_dense(elems, initializer):
        return False
    return _has_rows(elems, least_turns())


def _has_rows(elems: Any, least: int) -> bool:
    """Whether tensors have so many rows, or a number that a run tells."""
    shapes: list[Any] = [shape_of(convert_to_tensor(x)) for x in nest.flatten(elems)]
    lengths = [shape[0] if shape else -1 for shape in shapes]
    return any(type(n) is Size for n in lengths) or all(n >= least for n in lengths)


def _compiled_fold(
    fn: Callable[[Any, Any], R], elems: Any, start: Any, reverse: bool, keep: bool
) -> tuple[R, R]:
    def step(state: Any, row: Any) -> Any:
        following = fn(state, row)
        nest.assert_same_structure(state, following)
        return following, following

    return in_graph().fold(step, elems, start, reverse, keep)


@export("scan")
def scan(
    fn: Callable[[Any, Any], R],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> R:
    """Computes a state from each row and the previous state, and stacks all states.

    Args:
      fn: A function that takes the state and a row, and returns the next state in the same
        structure.
      elems: A tensor, or a nested structure of tensors whose first axes have the same length.
      initializer: The initial state; by default, the first row.
      parallel_iterations: Accepted for compatibility.
      back_prop: Accepted for compatibility.
      swap_memory: Accepted for compatibility.
      infer_shape: Accepted for compatibility.
      reverse: Whether to begin with the last row.
      name: Accepted for compatibility.

    Returns:
      The states after each row, stacked along a new first axis.

    Raises:
      TypeError: `fn` can't be called.
      ValueError: `fn` changes the structure or shape of the state, or a tensor of `elems` is a
        scalar.
      InvalidArgumentError: The dtype of a result of `fn` is not the expected one.
      OutOfRangeError: There are no rows and no initializer.

    >>> tf.scan(lambda state, row: state + row, tf.constant([1, 2, 3])).numpy()
    array([1, 3, 6], dtype=int32)
    """
    if initializer is None and _starts_with_a_row(elems):
        first, rest = _first_and_rest(elems, reverse)
        later = scan(fn, rest, first, reverse=reverse)
        whole: R = nest.map_structure(lambda x, y: _before(x, y, reverse), first, later)
        return whole
    if _is_long(elems, initializer):
        return _compiled_fold(fn, elems, initializer, reverse, keep=True)[1]
    states, any_ = _fold(fn, elems, initializer, backwards=reverse, op="scan")
    if not any_:
        nothing: R = nest.map_structure(_no_states, states[0])
        return nothing
    if reverse:
        states.reverse()
    columns = zip(*[nest.flatten(s) for s in states], strict=True)
    parts = [_stacked(c, c[0].dtype) for c in columns]
    packed: R = nest.pack_sequence_as(states[0], parts)
    return packed


@export("foldl")
def foldl(
    fn: Callable[[Any, Any], R],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> R:
    """Computes a state from each row and the previous state, from the first row to the last.

    Args:
      fn: A function that takes the state and a row, and returns the next state in the same
        structure.
      elems: A tensor, or a nested structure of tensors whose first axes have the same length.
      initializer: The initial state; by default, the first row.
      parallel_iterations: Accepted for compatibility.
      back_prop: Accepted for compatibility.
      swap_memory: Accepted for compatibility.
      name: Accepted for compatibility.

    Returns:
      The last state.

    Raises:
      TypeError: `fn` can't be called.
      ValueError: `fn` changes the structure or shape of the state, or a tensor of `elems` is a
        scalar.
      InvalidArgumentError: The dtype of a result of `fn` is not the expected one.
      OutOfRangeError: There are no rows and no initializer.

    >>> tf.foldl(lambda state, row: state + row, tf.constant([1, 2, 3])).numpy()
    np.int32(6)
    """
    if initializer is None and _starts_with_a_row(elems):
        initializer, elems = _first_and_rest(elems, False)
    if _is_long(elems, initializer):
        return _compiled_fold(fn, elems, initializer, reverse=False, keep=False)[0]
    return _fold(fn, elems, initializer, backwards=False, op="foldl")[0][-1]


@export("foldr")
def foldr(
    fn: Callable[[Any, Any], R],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> R:
    """Computes a state from each row and the previous state, from the last row to the first.

    Args:
      fn: A function that takes the state and a row, and returns the next state in the same
        structure.
      elems: A tensor, or a nested structure of tensors whose first axes have the same length.
      initializer: The initial state; by default, the first row.
      parallel_iterations: Accepted for compatibility.
      back_prop: Accepted for compatibility.
      swap_memory: Accepted for compatibility.
      name: Accepted for compatibility.

    Returns:
      The last state.

    Raises:
      TypeError: `fn` can't be called.
      ValueError: `fn` changes the structure or shape of the state, or a tensor of `elems` is a
        scalar.
      InvalidArgumentError: The dtype of a result of `fn` is not the expected one.
      OutOfRangeError: There are no rows and no initializer.

    >>> tf.foldr(lambda state, row: state - row, tf.constant([1, 2, 10])).numpy()
    np.int32(7)
    """
    if initializer is None and _starts_with_a_row(elems):
        initializer, elems = _first_and_rest(elems, True)
    if _is_long(elems, initializer):
        return _compiled_fold(fn, elems, initializer, reverse=True, keep=False)[0]
    return _fold(fn, elems, initializer, backwards=True, op="foldr")[0][-1]
