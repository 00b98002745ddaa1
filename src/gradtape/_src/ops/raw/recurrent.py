"""Raw operations that run a recurrent network over all steps of a sequence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gradtape._src.base.dtypes import int8
from gradtape._src.base.errors import UnimplementedError
from gradtape._src.base.export import raw_op
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.general import shape_of
from gradtape._src.ops.array.creation import range as range_of
from gradtape._src.ops.array.creation import zeros_like
from gradtape._src.ops.array.joining import concat, split, stack
from gradtape._src.ops.array.shaping import reshape, transpose
from gradtape._src.ops.array.tensor_shapes import shape as lengths_of
from gradtape._src.ops.control.loops_over_rows import scan
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.clipping import clip_by_value
from gradtape._src.ops.elementwise.comparison import less
from gradtape._src.ops.elementwise.exponential import sigmoid
from gradtape._src.ops.elementwise.selection import where
from gradtape._src.ops.elementwise.trigonometric import tanh
from gradtape._src.ops.linalg.matmul import matmul
from gradtape._src.ops.nn.activations import relu
from gradtape._src.ops.nn.dropout import dropout as drop


class BlockLSTM(NamedTuple):
    """The gates, states and outputs of all steps of a long short-term memory."""

    i: Tensor
    cs: Tensor
    f: Tensor
    o: Tensor
    ci: Tensor
    co: Tensor
    h: Tensor


class BlockLSTMV2(BlockLSTM):
    """The gates, states and outputs of all steps of a long short-term memory."""


class CudnnRNN(NamedTuple):
    """The outputs of all steps, the last states, and an empty tensor."""

    output: Tensor
    output_h: Tensor
    output_c: Tensor
    reserve_space: Tensor


class CudnnRNNV2(NamedTuple):
    """The outputs of all steps, the last states, and two empty tensors."""

    output: Tensor
    output_h: Tensor
    output_c: Tensor
    reserve_space: Tensor
    host_reserved: Tensor


class CudnnRNNV3(CudnnRNNV2):
    """The outputs of all steps, the last states, and two empty tensors."""


@raw_op("BlockLSTM")
def block_lstm(
    seq_len_max: Any,
    x: Any,
    cs_prev: Any,
    h_prev: Any,
    w: Any,
    wci: Any,
    wcf: Any,
    wco: Any,
    b: Any,
    forget_bias: float = 1.0,
    cell_clip: float = 3.0,
    use_peephole: bool = False,
    name: str | None = None,
) -> BlockLSTM:
    """Runs a long short-term memory; see `LSTMBlockCell` for a step and its arguments.

    Args:
      seq_len_max: The number of steps; later rows of the results are zeros.
      x: The inputs, of shape (steps, batch, inputs).
      cs_prev: The cell's state before, of shape (batch, units).
      h_prev: The output before, of shape (batch, units).
      w: The weights of shape (inputs + units, 4 units), in the order of input gate, new values,
        forget gate and output gate.
      wci: The input gate's weights for the cell's state.
      wcf: The forget gate's weights for the cell's state.
      wco: The output gate's weights for the cell's state.
      b: The biases of shape (4 units,).
      forget_bias: The number that is added to the forget gate.
      cell_clip: The limit of the state, if it is positive.
      use_peephole: Whether the gates see the state.
      name: Accepted for compatibility.

    Returns:
      The input gate, the state, the forget gate, the output gate, the new values, the squashed
      state and the output of each step.
    """
    given = (x, cs_prev, h_prev, w, wci, wcf, wco, b)
    found = _memory(seq_len_max, *given, "icfo", forget_bias, cell_clip, use_peephole)
    return BlockLSTM(*found)


@raw_op("BlockLSTMV2")
def block_lstm_v2(
    seq_len_max: Any,
    x: Any,
    cs_prev: Any,
    h_prev: Any,
    w: Any,
    wci: Any,
    wcf: Any,
    wco: Any,
    b: Any,
    cell_clip: float = 0.0,
    use_peephole: bool = False,
    name: str | None = None,
) -> BlockLSTMV2:
    """Runs a long short-term memory as `BlockLSTM` does, without a bias of the forget gate.

    The weights and biases are in the order of input gate, forget gate, new values and output gate.
    """
    given = (x, cs_prev, h_prev, w, wci, wcf, wco, b)
    return BlockLSTMV2(*_memory(seq_len_max, *given, "ifco", 0.0, cell_clip, use_peephole))


def _memory(
    steps: Any,
    x: Any,
    cs: Any,
    h: Any,
    w: Any,
    wci: Any,
    wcf: Any,
    wco: Any,
    b: Any,
    order: str,
    forget_bias: float,
    cell_clip: float,
    use_peephole: bool,
) -> list[Tensor]:
    x, cs, h, w = (convert_to_tensor(value) for value in (x, cs, h, w))
    units = shape_of(cs)[-1]
    weights, recurrent = w[:-units], w[-units:]

    def step(state: Any, row: Tensor) -> Any:
        before, out = state[1], state[-1]
        parts = dict(zip(order, split(row + matmul(out, recurrent), 4, axis=1), strict=True))
        i, f, o = parts["i"], parts["f"] + forget_bias, parts["o"]
        if use_peephole:
            i, f = i + wci * before, f + wcf * before
        i, f, ci = sigmoid(i), sigmoid(f), tanh(parts["c"])
        now = ci * i + before * f
        if cell_clip > 0:
            now = clip_by_value(now, -cell_clip, cell_clip)
        o = sigmoid(o + wco * now if use_peephole else o)
        co = tanh(now)
        return i, now, f, o, ci, co, co * o

    nothing = zeros_like(cs)
    start = (nothing, cs, *[nothing] * 4, h)
    found = scan(step, matmul(x, weights) + b, start)
    kept = less(cast(range_of(lengths_of(x)[0]), "int64"), steps)[:, None, None]
    return [where(kept, part, zeros_like(part)) for part in found]


_MODES: dict[str, int] = {"lstm": 4, "gru": 3, "rnn_relu": 1, "rnn_tanh": 1}


@raw_op("CudnnRNN", ignored=("seed", "seed2"))
def cudnn_rnn(
    input: Any,
    input_h: Any,
    input_c: Any,
    params: Any,
    rnn_mode: str = "lstm",
    input_mode: str = "linear_input",
    direction: str = "unidirectional",
    dropout: float = 0.0,
    is_training: bool = True,
    name: str | None = None,
) -> CudnnRNN:
    """Runs a recurrent network of several layers, whose weights are in cuDNN's order.

    Args:
      input: The inputs, of shape (steps, batch, inputs).
      input_h: The outputs before, of shape (layers and directions, batch, units).
      input_c: The cell's states before, which only `"lstm"` uses.
      params: A vector of all weights, followed by all biases: for each layer and direction, first
        those of the inputs, then those of the units.
      rnn_mode: `"lstm"`, `"gru"`, `"rnn_tanh"` or `"rnn_relu"`.
      input_mode: `"linear_input"`, `"skip_input"` (the first layer adds its inputs without
        weights), or `"auto_select"`.
      direction: `"unidirectional"` or `"bidirectional"`.
      dropout: The rate of dropout between layers during training.
      is_training: Whether dropout is used.
      name: Accepted for compatibility.

    Returns:
      The outputs of all steps, and the last outputs and states of each layer and direction.

    Raises:
      InvalidArgumentError: The number of `params` is not what the network has.
    """
    x, h = convert_to_tensor(input), convert_to_tensor(input_h)
    c = convert_to_tensor(input_c) if rnn_mode == "lstm" else zeros_like(h)
    return _network(x, h, c, params, None, rnn_mode, input_mode, direction, dropout, is_training)


def _network(
    x: Tensor,
    h: Tensor,
    c: Tensor,
    params: Any,
    kept: Tensor | None,
    rnn_mode: str,
    input_mode: str,
    direction: str,
    dropout: float,
    is_training: bool,
) -> CudnnRNN:
    """Runs all layers; `kept` says for each step and example whether it is within its sequence."""
    p = convert_to_tensor(params)
    directions = 2 if direction == "bidirectional" else 1
    count, _, units = shape_of(h)
    wide = shape_of(x)[-1]
    skips = input_mode == "skip_input" or (input_mode == "auto_select" and wide == units)
    widths = [wide] * directions + [units * directions] * (count - directions)
    layers = _weights(p, widths, units, _MODES[rnn_mode], directions if skips else 0)
    last_h, last_c = [], []
    for first in range(0, count, directions):
        outputs = []
        for at in range(first, first + directions):
            run = _run(rnn_mode, x, h[at], c[at], layers[at], kept, backwards=at > first)
            outputs.append(run[0] if kept is None else where(kept, run[0], zeros_like(run[0])))
            end = 0 if at > first else -1
            last_h.append(run[0][end])
            last_c.append(run[1][end])
        x = concat(outputs, -1) if directions == 2 else outputs[0]
        if dropout and is_training and first + directions < count:
            x = drop(x, dropout)
    states = stack(last_c) if rnn_mode == "lstm" else convert_to_tensor([], x.dtype)
    return CudnnRNN(x, stack(last_h), states, convert_to_tensor([], x.dtype))


@raw_op("CudnnRNNV2", ignored=("seed", "seed2"))
def cudnn_rnn_v2(
    input: Any,
    input_h: Any,
    input_c: Any,
    params: Any,
    rnn_mode: str = "lstm",
    input_mode: str = "linear_input",
    direction: str = "unidirectional",
    dropout: float = 0.0,
    is_training: bool = True,
    name: str | None = None,
) -> CudnnRNNV2:
    """Runs a recurrent network of several layers; see `CudnnRNN`."""
    given = (rnn_mode, input_mode, direction, dropout, is_training)
    found = cudnn_rnn(input, input_h, input_c, params, *given)
    return CudnnRNNV2(*found, convert_to_tensor([], int8))


@raw_op("CudnnRNNV3", ignored=("seed", "seed2"))
def cudnn_rnn_v3(
    input: Any,
    input_h: Any,
    input_c: Any,
    params: Any,
    sequence_lengths: Any,
    rnn_mode: str = "lstm",
    input_mode: str = "linear_input",
    direction: str = "unidirectional",
    dropout: float = 0.0,
    num_proj: int = 0,
    is_training: bool = True,
    time_major: bool = True,
    name: str | None = None,
) -> CudnnRNNV3:
    """Runs a recurrent network over sequences of different lengths; see `CudnnRNN`.

    Args:
      input: The inputs, of shape (steps, batch, inputs).
      input_h: The outputs before, of shape (layers and directions, batch, units).
      input_c: The cell's states before, which only `"lstm"` uses.
      params: A vector of all weights and biases.
      sequence_lengths: The number of steps of each example; its later outputs are zeros, and its
        last states are those after its last step.
      rnn_mode: `"lstm"`, `"gru"`, `"rnn_tanh"` or `"rnn_relu"`.
      input_mode: `"linear_input"`, `"skip_input"` or `"auto_select"`.
      direction: `"unidirectional"` or `"bidirectional"`.
      dropout: The rate of dropout between layers during training.
      num_proj: The number of projected outputs; only 0, for none, is supported.
      is_training: Whether dropout is used.
      time_major: Whether the axis of the batch follows the one of steps or layers; if False, it is
        the first axis of `input`, of the states, and of the results.
      name: Accepted for compatibility.

    Returns:
      The outputs of all steps, and the last outputs and states of each layer and direction.

    Raises:
      UnimplementedError: The outputs are projected.
      InvalidArgumentError: The number of `params` is not what the network has.
    """
    if num_proj:
        raise UnimplementedError(None, None, "Projected outputs are unsupported [Op:CudnnRNNV3]")

    def turned(x: Any) -> Tensor:
        return convert_to_tensor(x) if time_major else transpose(x, [1, 0, 2])

    x, h = turned(input), turned(input_h)
    c = turned(input_c) if rnn_mode == "lstm" else zeros_like(h)
    kept = range_of(lengths_of(x)[0])[:, None, None] < cast(sequence_lengths, "int32")[:, None]
    options = (rnn_mode, input_mode, direction, dropout, is_training)
    y, last_h, last_c, space = _network(x, h, c, params, kept, *options)
    last_c = turned(last_c) if rnn_mode == "lstm" else last_c
    return CudnnRNNV3(turned(y), turned(last_h), last_c, space, convert_to_tensor([], int8))


def _weights(
    params: Tensor, widths: list[int], units: int, gates: int, skipping: int
) -> list[tuple[Tensor | None, Tensor, Tensor, Tensor]]:
    """Cuts the parameters into the weights and biases of each layer and direction.

    The first `skipping` layers have no weights for their inputs.
    """
    shapes: list[tuple[int, ...]] = []
    for k, width in enumerate(widths):
        shapes += [(gates * units, 0 if k < skipping else width), (gates * units, units)]
    shapes += [(gates * units,)] * (2 * len(widths))
    sizes = [int(np.prod(shape)) for shape in shapes]
    if shape_of(params) not in [(sum(sizes),), (None,)]:
        raise invalid(
            f"Invalid parameter size: expected {sum(sizes)} values, but got shape "
            f"{list(shape_of(params))} [Op:CudnnRNN]"
        )
    parts = [reshape(x, s) for x, s in zip(split(params, sizes), shapes, strict=True)]
    biases = parts[2 * len(widths) :]
    return [
        (
            None if k < skipping else parts[2 * k],
            *(parts[2 * k + 1], biases[2 * k], biases[2 * k + 1]),
        )
        for k in range(len(widths))
    ]


def _run(
    mode: str, x: Tensor, h: Tensor, c: Tensor, layer: Any, kept: Tensor | None, backwards: bool
) -> tuple[Tensor, Tensor]:
    """Runs one layer in one direction; returns the outputs and the states of all steps.

    Where `kept` is False, they are those of the step before.
    """
    weights, recurrent, bias, recurrent_bias = layer
    gates = _MODES[mode]
    own = concat([x] * gates, -1) if weights is None else matmul(x, weights, transpose_b=True)

    def step(state: Any, rows: Any) -> tuple[Tensor, Tensor]:
        h, c = state
        from_units = matmul(h, recurrent, transpose_b=True) + recurrent_bias
        new_h, new_c = _CELLS[mode](rows[0], from_units, h, c)
        if kept is None:
            return new_h, new_c
        return where(rows[1], new_h, h), where(rows[1], new_c, c)

    rows = (own + bias,) if kept is None else (own + bias, kept)
    made: tuple[Tensor, Tensor] = scan(step, rows, (h, c), reverse=backwards)
    return made


def _lstm(row: Tensor, more: Tensor, h: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
    i, f, new, o = split(row + more, 4, axis=1)
    c = sigmoid(f) * c + sigmoid(i) * tanh(new)
    return sigmoid(o) * tanh(c), c


def _gru(row: Tensor, more: Tensor, h: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
    (r, u, new), (r_more, u_more, new_more) = split(row, 3, axis=1), split(more, 3, axis=1)
    new = tanh(new + sigmoid(r + r_more) * new_more)
    u = sigmoid(u + u_more)
    return (1 - u) * new + u * h, c


def _plain(squash: Callable[[Tensor], Tensor]) -> Callable[..., tuple[Tensor, Tensor]]:
    return lambda row, more, _, c: (squash(row + more), c)


_CELLS: dict[str, Callable[..., tuple[Tensor, Tensor]]] = {
    "lstm": _lstm,
    "gru": _gru,
    "rnn_tanh": _plain(tanh),
    "rnn_relu": _plain(relu),
}
