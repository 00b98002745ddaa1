"""Recurrent networks of which each step is a part of the graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradtape._src.base import nest
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.ops.array.joining import concat, stack, unstack
from gradtape._src.ops.array.roll_reverse import reverse_sequence
from gradtape._src.sessions.recurrent.cells import (
    batch_size,
    check_cell,
    first_state,
    kept,
    lengths_of,
)
from gradtape._src.sessions.training.variable_scopes import is_open, variable_scope


@export("compat.v1.nn.static_rnn")
def static_rnn(
    cell: Any,
    inputs: Any,
    initial_state: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """Calls a cell for each element of a list.

    Args:
      cell: The cell, see `dynamic_rnn`.
      inputs: The inputs of each step, of shape (batch, ...).
      initial_state: The first state. Defaults to the one that the cell returns.
      dtype: The dtype of the first state, if that is not given.
      sequence_length: The number of steps of each sequence. After these steps outputs are zero, and
        the state does not change. Defaults to all steps.
      scope: The variable scope, or its name. Defaults to "rnn".

    Returns:
      A list of the outputs, and the last state.

    Raises:
      TypeError: The object is not a cell, or the inputs are not a list.
      ValueError: There are no inputs, or neither a state nor a dtype is given.
    """
    check_cell("cell", cell)
    if not isinstance(inputs, Sequence):
        raise TypeError(f"Argument `inputs` must be a sequence. Received: {inputs}")
    if not inputs:
        raise ValueError("Argument `inputs` must not be empty.")
    outputs = []
    with variable_scope(scope or "rnn") as here:
        batch = batch_size(convert_to_tensor(nest.flatten(inputs[0])[0]), 0)
        state = initial_state
        if state is None:
            state = first_state(cell, batch, dtype)
        lengths = lengths_of(sequence_length)
        for t, x in enumerate(inputs):
            if t > 0 and is_open():
                here.reuse_variables()
            out, new = cell(x, state)
            if lengths is not None:
                out, new = kept(t >= lengths, None, out), kept(t >= lengths, state, new)
            state = new
            outputs.append(out)
    return outputs, state


@export("compat.v1.nn.static_bidirectional_rnn")
def static_bidirectional_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Any,
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[list[Any], Any, Any]:
    """Calls a cell for the elements of a list, and another one from the last to the first.

    Args:
      cell_fw: The first cell, see `dynamic_rnn`.
      cell_bw: The second cell.
      inputs: The inputs of each step, of shape (batch, ...).
      initial_state_fw: The first state of the first cell.
      initial_state_bw: The first state of the second cell.
      dtype: The dtype of the first states, if they are not given.
      sequence_length: The number of steps of each sequence. Defaults to all steps.
      scope: The variable scope, or its name. Defaults to "bidirectional_rnn".

    Returns:
      A list of both cells' outputs, joined on the second axis, and the last states of both.

    Raises:
      TypeError: An object is not a cell, or the inputs are not a list.
      ValueError: There are no inputs, or neither a state nor a dtype is given.
    """
    check_cell("cell_fw", cell_fw)
    check_cell("cell_bw", cell_bw)
    lengths = lengths_of(sequence_length)

    def turned(steps: list[Any]) -> list[Any]:
        if lengths is None:
            return steps[::-1]
        parts = [nest.flatten(x) for x in steps]
        whole = [
            unstack(reverse_sequence(stack(each), lengths, seq_axis=0, batch_axis=1))
            for each in zip(*parts, strict=True)
        ]
        return [nest.pack_sequence_as(steps[0], list(x)) for x in zip(*whole, strict=True)]

    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as inner:
            out, last = static_rnn(cell_fw, inputs, initial_state_fw, dtype, lengths, inner)
        with variable_scope("bw") as inner:
            given = turned(list(inputs))
            back, last_back = static_rnn(cell_bw, given, initial_state_bw, dtype, lengths, inner)
        joined = [
            nest.map_structure(lambda *both: concat(both, 1), *pair)
            for pair in zip(out, turned(back), strict=True)
        ]
        return joined, last, last_back
