"""Choices and loops as functions. In eager execution they are Python's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

import numpy as np

from gradtape._src.base import nest
from gradtape._src.base.composite_tensor import CompositeTensor
from gradtape._src.base.dtypes import DType, as_dtype
from gradtape._src.base.errors import OutOfRangeError
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.extension_point import ExtensionPoint
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.declare.arguments import integer, invalid
from gradtape._src.declare.general import shape_of
from gradtape._src.ops.array.joining import concat, stack, unstack
from gradtape._src.ops.elementwise.comparison import equal
from gradtape._src.ops.elementwise.identities import identity
from gradtape._src.ops.types.extension_type import ExtensionTypeSpec
from gradtape._src.ops.types.ragged_tensor import RaggedTensor, RaggedTensorSpec
from gradtape._src.ops.types.tensor_array import TensorArray


class CompiledControlFlow(Protocol):
    """Choices and loops inside of compiled functions, whose conditions aren't known yet."""

    def is_traced(self, x: Any) -> bool:
        """Whether a value is known only when the compiled function runs."""

    def compiling(self) -> Any:
        """What compiles the function that runs just now; None where nothing does."""

    def cond(self, pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any]) -> Any:
        """Stages both functions."""

    def while_loop(self, test: Any, body: Any, loop_vars: Any, most: int | None) -> Any:
        """Stages a loop."""

    def fold(self, fn: Any, elems: Any, start: Any, reverse: bool, keep: bool) -> Any:
        """Stages a loop over rows."""

    def leave_out(self, operation: str) -> None:
        """Warns of what the compiled function does not do."""


compiled: ExtensionPoint[CompiledControlFlow] = ExtensionPoint(
    "choices and loops inside of compiled functions"
)
"""Provided by the compiler, when the first function is compiled."""

LONG = 16
"""Rows from which a compiled function loops over them, where fewer are written out."""


def is_traced(x: Any) -> bool:
    """Whether a value is known only when the compiled function runs that uses it."""
    return compiled.provided is not None and compiled.provided.is_traced(x)


def _is_compiled() -> bool:
    """Whether what runs just now is being compiled."""
    return compiled.provided is not None and compiled.provided.compiling() is not None


@export("cond")
def cond(pred: Any, true_fn: Any = None, false_fn: Any = None, name: str | None = None) -> Any:
    """Calls one of two functions.

    Args:
      pred: A scalar.
      true_fn: Called without arguments where `pred` is true.
      false_fn: Called where it is false.
      name: Accepted for compatibility.

    Returns:
      What the function returns.

    Raises:
      TypeError: One of them can't be called.
    """
    for what, function in (("true_fn", true_fn), ("false_fn", false_fn)):
        if function is None:
            raise TypeError(f"cond(): '{what}' argument required")
        if not callable(function):
            raise TypeError(f"'{what}' must be callable.")
    if pred is None:
        raise ValueError("pred must be a scalar, not None.")
    if is_traced(pred):
        return compiled.get().cond(pred, true_fn, false_fn)
    return true_fn() if bool(pred) else false_fn()


@export("case")
def case(
    pred_fn_pairs: Any,
    default: Callable[[], Any] | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Any:
    """Calls the function beside the first predicate that is true.

    Args:
      pred_fn_pairs: Pairs of a scalar bool tensor and a function without arguments.
      default: Called where none is true.
      exclusive: Accepted for compatibility.
      strict: Accepted for compatibility.
      name: Accepted for compatibility.

    Raises:
      TypeError: A predicate is no tensor, or a function can't be called.
      InvalidArgumentError: None is true and there is no `default`.
    """
    pairs = list(pred_fn_pairs.items()) if isinstance(pred_fn_pairs, Mapping) else pred_fn_pairs
    if not isinstance(pairs, (list, tuple)) or not all(_is_pair(pair) for pair in pairs):
        raise TypeError(
            f"case: 'pred_fn_pairs' must be a sequence of (predicate, function), got {pairs!r}"
        )
    if not pairs:
        raise ValueError(
            "not enough values to unpack (expected 2, got 0): `pred_fn_pairs` is empty"
        )
    for pred, function in pairs:
        if not isinstance(pred, TensorLike):
            raise TypeError(f"pred must be a Tensor, got: {pred}")
        if not callable(function):
            raise TypeError(f"fn for pred {pred} must be callable.")
    for i, (pred, function) in enumerate(pairs):
        if is_traced(pred):
            return _staged_case(pairs[i:], default)
        if bool(pred):
            return function()
    if default is None:
        preds = [pred for pred, _ in pairs]
        raise invalid(
            f"Expected '{preds[-1]}' to be true. Summarized data: Input error: None of conditions "
            "evaluated as True (give `default`)"
        )
    return default()


@export("switch_case")
def switch_case(
    branch_index: Any, branch_fns: Any, default: Any = None, name: str = "switch_case"
) -> Any:
    """Calls the function of an index.

    Args:
      branch_index: The index.
      branch_fns: Functions without arguments: a sequence of them or of (index, function) pairs, or
        a mapping.
      default: Called where there is none of that index; by default the last of them.
      name: Accepted for compatibility.

    Raises:
      TypeError: A function can't be called, or an index is no integer.
      ValueError: There are no functions, or their indices are not 0, 1, 2 and so on.
      InvalidArgumentError: `branch_index` is not a scalar.
    """
    branches = _branches(branch_fns)
    if default is not None and not callable(default):
        raise TypeError(f"switch_case: `default` must be callable, got {default!r}")
    index = convert_to_tensor(branch_index)
    if index._value.ndim:
        raise invalid(f"switch_case: `branch_index` must be a scalar, got shape {index.shape}")
    if is_traced(index):
        return _staged_switch(index, branches, default or branches[len(branches) - 1])
    chosen = branches.get(integer(index, "switch_case", "branch_index"))
    if chosen is None:
        chosen = default if default is not None else branches[len(branches) - 1]
    return chosen()


def _staged_case(pairs: Sequence[Any], default: Any) -> Any:
    pred, function = pairs[0]
    rest = pairs[1:]
    if not rest and default is None:  # XLA leaves out the check that one is true
        return function()
    return compiled.get().cond(pred, function, (lambda: case(rest, default)) if rest else default)


def _staged_switch(index: Tensor, branches: dict[int, Any], default: Any, first: int = 0) -> Any:
    if first == len(branches):
        return default()
    return compiled.get().cond(
        equal(index, first),
        branches[first],
        lambda: _staged_switch(index, branches, default, first + 1),
    )


def _is_pair(pair: Any) -> bool:
    return isinstance(pair, (list, tuple)) and len(pair) == 2


def _branches(branch_fns: Any) -> dict[int, Callable[[], Any]]:
    """The functions of `switch_case` by their indices."""
    if not branch_fns:
        raise ValueError("switch_case: `branch_fns` must hold at least one function")
    if callable(branch_fns):
        raise TypeError("switch_case: `branch_fns` must be a sequence or mapping of functions")
    pairs = list(branch_fns.items()) if isinstance(branch_fns, Mapping) else list(branch_fns)
    if callable(pairs[0]):
        pairs = list(enumerate(pairs))
    for pair in pairs:
        if not _is_pair(pair):
            raise TypeError(f"switch_case: expected functions, or pairs of index and one: {pair!r}")
        if not isinstance(pair[0], (int, np.integer)):
            raise TypeError(f"switch_case: an index must be a Python integer, got {pair[0]!r}")
        if not callable(pair[1]):
            raise TypeError(f"fn for index {pair[0]} must be callable.")
    indices = sorted(int(i) for i, _ in pairs)
    if indices != list(range(len(indices))):
        raise ValueError(
            f"switch_case: the indices must be unique and run from 0 to {len(indices) - 1}, got "
            f"{indices}"
        )
    return {int(i): function for i, function in pairs}


@export("while_loop")
def while_loop(
    cond: Any,
    body: Any,
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: Any = None,
    name: str | None = None,
) -> Any:
    """Calls `body` as long as `cond` is true.

    Args:
      cond: Takes the loop variables, gives a scalar bool.
      body: Takes the loop variables, gives their next values in the same structure.
      loop_vars: Their first values, a list or tuple of (nested structures of) tensors.
      shape_invariants: Accepted for compatibility.
      parallel_iterations: Accepted for compatibility.
      back_prop: Accepted for compatibility.
      swap_memory: Accepted for compatibility.
      maximum_iterations: How often to call `body` at most.
      name: Accepted for compatibility.

    Returns:
      The last values.

    Raises:
      TypeError: `cond` or `body` can't be called, or `body` gives no sequence.
      ValueError: There are no loop variables, or `body` gives another structure.
    """
    if not callable(cond):
        raise TypeError("'cond' must be callable.")
    if not callable(body):
        raise TypeError("'body' must be callable.")
    if isinstance(loop_vars, TensorLike) or not loop_vars:
        raise ValueError("'loop_vars' must be provided. (It is a list or tuple of first values)")
    if is_traced(maximum_iterations):
        return _at_most(cond, body, loop_vars, maximum_iterations)
    most = None if maximum_iterations is None else integer(maximum_iterations, "while_loop")
    first, turn = loop_vars, 0
    while most is None or turn < most:
        goes = cond(*loop_vars)
        if is_traced(goes):
            rest = None if most is None else most - turn
            return compiled.get().while_loop(cond, body, loop_vars, rest)
        if not bool(goes):
            break
        loop_vars = body(*loop_vars)
        nest.assert_same_structure(list(first), list(loop_vars))
        turn += 1
    return nest.map_structure(_value, loop_vars)


def _at_most(cond: Any, body: Any, loop_vars: Any, most: Tensor) -> Any:
    """A loop of a number of turns that is known only when the compiled program runs."""

    def goes(turn: Any, *state: Any) -> Any:
        return compiled.get().cond(turn < most, lambda: cond(*state), lambda: False)

    def step(turn: Any, *state: Any) -> Any:
        out = body(*state)
        return (turn + 1, *(out if isinstance(out, (list, tuple)) else (out,)))

    start = convert_to_tensor(0, most.dtype)
    return type(loop_vars)(while_loop(goes, step, (start, *loop_vars))[1:])


def _value(x: Any) -> Any:
    made_of_others = isinstance(x, TensorArray) or hasattr(type(x), "_type_spec")
    return x if made_of_others or x is None else convert_to_tensor(x)


# Loops over the rows of tensors.


def _rows(elems: Any, op: str) -> tuple[list[list[Any]], int]:
    """The rows of each tensor of a structure, and how many there are."""
    columns = [_rows_of(x) for x in nest.flatten(elems)]
    if not columns:
        raise ValueError(f"{op}: elems must be a Tensor or (possibly nested) sequence of Tensors")
    lengths = {len(column) for column in columns}
    if len(lengths) > 1:
        raise ValueError(f"{op}: elems have different first dimensions: {sorted(lengths)}")
    return columns, lengths.pop()


def _rows_of(x: Any) -> list[Any]:
    """The rows of a tensor, or of a sparse or ragged one."""
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


def _stacked(column: Sequence[Any], dtype: DType) -> Tensor:
    if not column:
        return Tensor(np.zeros((0,), dtype.np_dtype))
    tensors = [convert_to_tensor(x, dtype_hint=dtype) for x in column]
    for x in tensors:
        if x.dtype is not dtype:
            raise invalid(
                f"TensorArray dtype is {dtype.name} but Op is trying to write dtype "
                f"{x.dtype.name} (say what `fn` gives: fn_output_signature)"
            )
    shapes = {x._value.shape for x in tensors}
    if len(shapes) > 1:
        raise ValueError(
            f"the results of the calls have inconsistent shapes: {sorted(shapes)} (a "
            "RaggedTensorSpec as fn_output_signature takes rows of different lengths)"
        )
    return stack(tensors)


def _rows_as(spec: Any, column: Sequence[Any]) -> Any:
    """The results of the calls, as a signature says."""
    if isinstance(spec, ExtensionTypeSpec) and column:
        return column[0]._of_rows(list(column))
    if not isinstance(spec, RaggedTensorSpec):
        return _stacked(column, as_dtype(getattr(spec, "dtype", spec)))
    rows = [convert_to_tensor(x) for x in column]
    values = concat(rows, 0) if rows else Tensor(np.zeros((0,), spec.dtype.np_dtype))
    return RaggedTensor.from_row_lengths(values, np.array([len(x) for x in rows], np.int64))


@export("map_fn")
def map_fn(
    fn: Any,
    elems: Any,
    dtype: Any = None,
    parallel_iterations: Any = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Any:
    """Applies a function to each row and stacks the results.

    `vectorized_map` does the same with one call of the function.

    Args:
      fn: Takes a row of `elems`, in its structure.
      elems: A tensor or nested structure of tensors of one length.
      dtype: The older name of `fn_output_signature`.
      parallel_iterations: Accepted for compatibility.
      back_prop: Accepted for compatibility.
      swap_memory: Accepted for compatibility.
      infer_shape: Accepted for compatibility.
      name: Accepted for compatibility.
      fn_output_signature: The dtypes (or TensorSpecs) of what `fn` gives, in its structure; that of
        `elems` by default.

    Raises:
      TypeError: `fn` can't be called.
      ValueError: `fn` gives another structure, or a tensor of `elems` is a scalar.
      InvalidArgumentError: `fn` gives another dtype.
    """
    _called(fn)
    rows, n = _rows(elems, "map_fn")
    signature = fn_output_signature if fn_output_signature is not None else dtype
    if signature is None:
        signature = nest.map_structure(lambda x: convert_to_tensor(x).dtype, elems)
    if n >= LONG and _is_compiled():

        def checked(state: Any, row: Any) -> Any:
            out = fn(row)
            nest.assert_same_structure(signature, out)
            for spec, x in zip(nest.flatten(signature), nest.flatten(out), strict=True):
                if not isinstance(x, CompositeTensor):
                    _stacked([x], as_dtype(getattr(spec, "dtype", spec)))
            return state, out

        return compiled.get().fold(checked, elems, [], False, True)[1]
    columns: list[list[Any]] = [[] for _ in nest.flatten(signature)]
    for i in range(n):
        out = fn(_row(elems, rows, i))
        nest.assert_same_structure(signature, out)
        for column, x in zip(columns, nest.flatten(out), strict=True):
            column.append(x)
    specs = nest.flatten(signature)
    stacked = [_rows_as(spec, column) for spec, column in zip(specs, columns, strict=True)]
    return nest.pack_sequence_as(signature, stacked)


def _fold(
    fn: Any, elems: Any, initializer: Any, *, backwards: bool, op: str
) -> tuple[list[Any], bool]:
    """All states of a fold in the order in which they arise."""
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


def _no_states(state: Tensor) -> Tensor:
    """What a scan over no rows gives for a part of the state."""
    return Tensor(np.zeros((0, *shape_of(state)), state.dtype.as_numpy_dtype))


def _next(op: str, before: Any, following: Any) -> Tensor:
    """A part of the state, of the dtype that it had before."""
    before, following = convert_to_tensor(before), convert_to_tensor(following)
    if op == "scan" and before.dtype is not following.dtype:
        raise invalid(
            f"scan: `fn` turned a state of dtype {before.dtype.name} into one of dtype "
            f"{following.dtype.name} (tf.cast it back)"
        )
    return following  # type: ignore[no-any-return]


def _is_long(elems: Any, initializer: Any) -> bool:
    """Whether a compiled function loops over rows."""
    if initializer is None or not _is_compiled():
        return False
    return all(len(convert_to_tensor(x)) >= LONG for x in nest.flatten(elems))


def _staged_fold(fn: Any, elems: Any, start: Any, reverse: bool, keep: bool) -> Any:
    def step(state: Any, row: Any) -> Any:
        following = fn(state, row)
        nest.assert_same_structure(state, following)
        return following, following

    return compiled.get().fold(step, elems, start, reverse, keep)


@export("scan")
def scan(
    fn: Any,
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """Folds rows one after the other and stacks all the states.

    Args:
      fn: Takes the state and a row, gives the next state in the same structure.
      elems: A tensor or nested structure of tensors of one length.
      initializer: The state before the first row; unless given the first row is the first state.
      parallel_iterations: Accepted for compatibility.
      back_prop: Accepted for compatibility.
      swap_memory: Accepted for compatibility.
      infer_shape: Accepted for compatibility.
      reverse: Whether to begin with the last row.
      name: Accepted for compatibility.

    Raises:
      TypeError: `fn` can't be called.
      ValueError: `fn` gives another structure or shape, or a tensor of `elems` is a scalar.
      InvalidArgumentError: `fn` gives another dtype.
      OutOfRangeError: There are no rows and no initializer.
    """
    if _is_long(elems, initializer):
        return _staged_fold(fn, elems, initializer, reverse, keep=True)[1]
    states, any_ = _fold(fn, elems, initializer, backwards=reverse, op="scan")
    if not any_:
        return nest.map_structure(_no_states, states[0])
    if reverse:
        states.reverse()
    columns = zip(*[nest.flatten(s) for s in states], strict=True)
    return nest.pack_sequence_as(states[0], [_stacked(c, c[0].dtype) for c in columns])


@export("foldl")
def foldl(
    fn: Any,
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """Folds rows from the first to the last; arguments as `scan`, the last state is the result."""
    if _is_long(elems, initializer):
        return _staged_fold(fn, elems, initializer, reverse=False, keep=False)[0]
    return _fold(fn, elems, initializer, backwards=False, op="foldl")[0][-1]


@export("foldr")
def foldr(
    fn: Any,
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """Folds rows from the last to the first; arguments as `scan`, the last state is the result."""
    if _is_long(elems, initializer):
        return _staged_fold(fn, elems, initializer, reverse=True, keep=False)[0]
    return _fold(fn, elems, initializer, backwards=True, op="foldr")[0][-1]


# What orders operations in TensorFlow's graphs; eager ones have run already.


@export("group")
def group(*inputs: Any, **kwargs: Any) -> None:
    """Does nothing: in eager execution the operations have run."""


@export("no_op")
def no_op(name: str | None = None) -> None:
    """Does nothing, and returns None."""


@export("tuple")
def tuple_(tensors: Any, control_inputs: Any = None, name: str | None = None) -> list[Any]:
    """Gives a list of the same tensors; None stays None."""
    return [None if x is None else identity(x) for x in tensors]
