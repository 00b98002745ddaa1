"""Recurrent networks whose steps are those of a loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape._src.base import nest
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.array.creation import zeros
from gradtape._src.ops.array.roll_reverse import reverse, reverse_sequence
from gradtape._src.ops.array.shaping import transpose
from gradtape._src.ops.control.control_flow import while_loop
from gradtape._src.ops.elementwise.logical import logical_not, logical_or
from gradtape._src.ops.reduce.reductions import reduce_all
from gradtape._src.ops.types.tensor_array import TensorArray
from gradtape._src.sessions.open_control_flow import with_its_variables
from gradtape._src.sessions.recurrent.cells import (
    batch_size,
    check_cell,
    first_state,
    kept,
    lengths_of,
    no_output,
)
from gradtape._src.sessions.training.variable_scopes import variable_scope


@export("compat.v1.nn.dynamic_rnn")
def dynamic_rnn(
    cell: Any,
    inputs: Any,
    sequence_length: Any = None,
    initial_state: Any = None,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> tuple[Any, Any]:
    """Calls a cell for each step of sequences, in a loop.

    Args:
      cell: A function of the inputs and the state at a step that returns the output and the next
        state. It has the attributes `output_size` and `state_size`, and a method `zero_state` or
        `get_initial_state`.
      inputs: The sequences, of shape (batch, steps, ...), or a structure of such tensors.
      sequence_length: The number of steps of each sequence. After these steps outputs are zero, and
        the state does not change. Defaults to all steps.
      initial_state: The first state. Defaults to the one that the cell returns.
      dtype: The dtype of the first state, if that is not given.
      parallel_iterations: Accepted for compatibility.
      swap_memory: Accepted for compatibility.
      time_major: Whether the first axis is that of the steps, in inputs and outputs.
      scope: The variable scope, or its name. Defaults to "rnn".

    Returns:
      The outputs, of shape (batch, steps, ...), and the last state.

    Raises:
      TypeError: The object is not a cell.
      ValueError: Neither a state nor a dtype is given, or lengths are not a vector.

    >>> class Sum:
    ...     output_size = state_size = 2
    ...     def zero_state(self, batch_size, dtype):
    ...         return tf.zeros([batch_size, 2], dtype)
    ...     def __call__(self, x, state):
    ...         return x + state, x + state
    >>> outputs, state = tf.compat.v1.nn.dynamic_rnn(Sum(), tf.ones([1, 3, 2]), dtype=tf.float32)
    >>> state.numpy().tolist()
    [[3.0, 3.0]]
    """
    check_cell("cell", cell)
    with variable_scope(scope or "rnn"):
        xs = nest.map_structure(convert_to_tensor, inputs)
        xs = xs if time_major else nest.map_structure(_other_axis_first, xs)
        first = nest.flatten(xs)[0]
        steps, batch = batch_size(first, 0), batch_size(first, 1)
        lengths = lengths_of(sequence_length)
        state = initial_state
        if state is None:
            state = first_state(cell, batch, dtype)
        state = nest.map_structure(convert_to_tensor, state)
        kind = nest.flatten(state)[0].dtype if dtype is None else dtype
        like = no_output(cell, batch, kind)
        outputs = [TensorArray(x.dtype, steps) for x in nest.flatten(like)]

        def step(t: Any, outputs: list[TensorArray], state: Any) -> Any:
            out, new = cell(nest.map_structure(lambda x: x[t], xs), state)
            new = nest.pack_sequence_as(state, nest.flatten(new))
            if lengths is not None:
                out, new = kept(t >= lengths, None, out), kept(t >= lengths, state, new)
            pairs = zip(outputs, nest.flatten(out), strict=True)
            return t + 1, [array.write(t, x) for array, x in pairs], new

        start = (convert_to_tensor(0), outputs, state)
        _, outputs, state = while_loop(lambda t, *_: t < steps, with_its_variables(step), start)
        whole = nest.pack_sequence_as(like, [_stacked(x) for x in outputs])
        if not time_major:
            whole = nest.map_structure(_other_axis_first, whole)
    return whole, state


def _stacked(array: TensorArray) -> Tensor:
    return array.stack()


def _other_axis_first(x: Tensor) -> Tensor:
    """Exchanges the axes of the sequences and of the steps."""
    return transpose(x, [1, 0, *range(2, x.shape.rank or 2)])


@export("compat.v1.nn.bidirectional_dynamic_rnn")
def bidirectional_dynamic_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Any,
    sequence_length: Any = None,
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """Calls a cell for the steps of sequences from the first to the last, and another one back.

    Args:
      cell_fw: The first cell, see `dynamic_rnn`.
      cell_bw: The second cell.
      inputs: The sequences, of shape (batch, steps, ...).
      sequence_length: The number of steps of each sequence. Defaults to all steps.
      initial_state_fw: The first state of the first cell.
      initial_state_bw: The first state of the second cell.
      dtype: The dtype of the first states, if they are not given.
      parallel_iterations: Accepted for compatibility.
      swap_memory: Accepted for compatibility.
      time_major: Whether the first axis is that of the steps, in inputs and outputs.
      scope: The variable scope, or its name. Defaults to "bidirectional_rnn".

    Returns:
      The outputs of both cells in the order of the inputs' steps, and the last states of both.

    Raises:
      TypeError: An object is not a cell.
      ValueError: Neither a state nor a dtype is given, or lengths are not a vector.
    """
    check_cell("cell_fw", cell_fw)
    check_cell("cell_bw", cell_bw)
    steps, batch = (0, 1) if time_major else (1, 0)
    lengths = lengths_of(sequence_length)

    def turned(x: Any) -> Any:
        if lengths is None:
            return reverse(x, [steps])
        return reverse_sequence(x, lengths, seq_axis=steps, batch_axis=batch)

    def whole(cell: Any, xs: Any, state: Any, name: str) -> tuple[Any, Any]:
        with variable_scope(name) as inner:
            return dynamic_rnn(cell, xs, lengths, state, dtype, time_major=time_major, scope=inner)

    with variable_scope(scope or "bidirectional_rnn"):
        out, last = whole(cell_fw, inputs, initial_state_fw, "fw")
        back = nest.map_structure(turned, nest.map_structure(convert_to_tensor, inputs))
        out_back, last_back = whole(cell_bw, back, initial_state_bw, "bw")
        return (out, nest.map_structure(turned, out_back)), (last, last_back)


@export("compat.v1.nn.raw_rnn")
def raw_rnn(
    cell: Any,
    loop_fn: Callable[..., Any],
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    scope: Any = None,
) -> tuple[Any, Any, Any]:
    """Calls a cell in a loop in which a function decides about inputs, outputs and the end.

    Args:
      cell: The cell, see `dynamic_rnn`.
      loop_fn: A function of the number of the step, and of the output, the state and the loop state
        after the step before, which are None at first. It returns which sequences have ended, the
        next input, the next state of the cell, what is put out, and the next loop state. What it
        puts out at first gives the shape and dtype of one output; None stands for the cell's
        output.
      parallel_iterations: Accepted for compatibility.
      swap_memory: Accepted for compatibility.
      scope: The variable scope, or its name. Defaults to "rnn".

    Returns:
      A `TensorArray` of what was put out in each step, the last state, and the last loop state.

    Raises:
      TypeError: The object is not a cell, or `loop_fn` is not a function.
    """
    check_cell("cell", cell)
    if not callable(loop_fn):
        raise TypeError("Argument `loop_fn` must be a callable.")
    with variable_scope(scope or "rnn"):
        time = convert_to_tensor(0)
        ended, x, state, emitted, extra = loop_fn(time, None, None, None)
        tensors = [convert_to_tensor(one) for one in nest.flatten(x)]
        batch = batch_size(tensors[0], 0)
        kind = tensors[0].dtype
        like = no_output(cell, batch, kind)
        if emitted is not None:
            like = nest.map_structure(lambda e: _zeros(e, batch), emitted)
        arrays = [TensorArray(e.dtype, 0, dynamic_size=True) for e in nest.flatten(like)]
        passes, without = (() if extra is None else extra), extra is None

        def step(t: Any, ended: Any, x: Any, arrays: Any, state: Any, extra: Any) -> Any:
            out, new = cell(x, state)
            before = None if without else extra
            over, following, new, emitted, after = loop_fn(t + 1, out, new, before)
            pairs = zip(arrays, nest.flatten(kept(ended, like, emitted)), strict=True)
            arrays = [array.write(t, e) for array, e in pairs]
            new = kept(ended, state, nest.pack_sequence_as(state, nest.flatten(new)))
            after = extra if after is None else after
            return t + 1, logical_or(ended, over), following, arrays, new, after

        start = (time, convert_to_tensor(ended), x, arrays, state, passes)
        goes_on = while_loop(
            lambda t, ended, *_: logical_not(reduce_all(ended)), with_its_variables(step), start
        )
        _, _, _, arrays, state, extra = goes_on
        return nest.pack_sequence_as(like, arrays), state, None if without else extra


def _zeros(example: Any, batch: Any) -> Tensor:
    """Returns zeros with the shape and dtype of what one sequence puts out, for all sequences."""
    x = convert_to_tensor(example)
    return zeros([batch, *x.shape.as_list()], x.dtype)
