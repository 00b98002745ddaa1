"""Raw operations that compute the gradients of recurrent cells from what the cells returned."""

from __future__ import annotations

from typing import Any, NamedTuple

from gradtape._src.base.export import raw_op
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import shape_of
from gradtape._src.ops.array.creation import range as range_of
from gradtape._src.ops.array.creation import zeros_like
from gradtape._src.ops.array.joining import concat, split
from gradtape._src.ops.array.tensor_shapes import shape as lengths_of
from gradtape._src.ops.control.loops_over_rows import scan
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.comparison import less
from gradtape._src.ops.elementwise.selection import where
from gradtape._src.ops.linalg.matmul import matmul, tensordot
from gradtape._src.ops.reduce.reductions import reduce_sum


class LSTMBlockCellGrad(NamedTuple):
    """The gradients of a step of a long short-term memory."""

    cs_prev_grad: Tensor
    dicfo: Tensor
    wci_grad: Tensor
    wcf_grad: Tensor
    wco_grad: Tensor


class BlockLSTMGrad(NamedTuple):
    """The gradients of all arguments of a long short-term memory."""

    x_grad: Tensor
    cs_prev_grad: Tensor
    h_prev_grad: Tensor
    w_grad: Tensor
    wci_grad: Tensor
    wcf_grad: Tensor
    wco_grad: Tensor
    b_grad: Tensor


class BlockLSTMGradV2(BlockLSTMGrad):
    """The gradients of all arguments of a long short-term memory."""


class GRUBlockCellGrad(NamedTuple):
    """The gradients of a step of a gated recurrent unit."""

    d_x: Tensor
    d_h_prev: Tensor
    d_c_bar: Tensor
    d_r_bar_u_bar: Tensor


def _gates(step: dict[str, Tensor], peephole: dict[str, Any]) -> dict[str, Tensor]:
    """Returns the gradients of the gates before their activations, and of the state before.

    Args:
      step: The values of the step; `before` is the state before it, and `d_cs` and `d_h` are the
        gradients of its state and output.
      peephole: The gates' weights for the state; empty if they do not see it.
    """
    i, f, o, ci, co = (step[key] for key in ("i", "f", "o", "ci", "co"))
    d_o = step["d_h"] * co * o * (1 - o)
    d_cs = step["d_cs"] + step["d_h"] * o * (1 - co * co)
    if peephole:
        d_cs += d_o * peephole["wco"]
    d_i, d_f = d_cs * ci * i * (1 - i), d_cs * step["before"] * f * (1 - f)
    before = d_cs * f
    if peephole:
        before += d_i * peephole["wci"] + d_f * peephole["wcf"]
    return {"i": d_i, "c": d_cs * i * (1 - ci * ci), "f": d_f, "o": d_o, "before": before}


@raw_op("LSTMBlockCellGrad")
def lstm_block_cell_grad(
    x: Any,
    cs_prev: Any,
    h_prev: Any,
    w: Any,
    wci: Any,
    wcf: Any,
    wco: Any,
    b: Any,
    i: Any,
    cs: Any,
    f: Any,
    o: Any,
    ci: Any,
    co: Any,
    cs_grad: Any,
    h_grad: Any,
    use_peephole: bool,
    name: str | None = None,
) -> LSTMBlockCellGrad:
    """Computes the gradients of `LSTMBlockCell` from its arguments and results.

    Args:
      x: The inputs.
      cs_prev: The cell's state before, of shape (batch, units).
      h_prev: The output before.
      w: The weights.
      wci: The input gate's weights for the cell's state.
      wcf: The forget gate's weights for the cell's state.
      wco: The output gate's weights for the cell's state.
      b: The biases.
      i: The input gate.
      cs: The cell's state.
      f: The forget gate.
      o: The output gate.
      ci: The new values.
      co: The squashed state.
      cs_grad: The gradient with respect to `cs`.
      h_grad: The gradient with respect to the output.
      use_peephole: Whether the gates see the state.
      name: Accepted for compatibility.

    Returns:
      The gradients with respect to the state before, to the four gates before their activations
      (of shape (batch, 4 units), in the order of input gate, new values, forget gate and output
      gate), and to the gates' weights for the state.
    """
    before, now = convert_to_tensor(cs_prev), convert_to_tensor(cs)
    step = {"i": i, "f": f, "o": o, "ci": ci, "co": co, "d_cs": cs_grad, "d_h": h_grad}
    step = {key: convert_to_tensor(value) for key, value in step.items()} | {"before": before}
    peephole = {"wci": wci, "wcf": wcf, "wco": wco} if use_peephole else {}
    d = _gates(step, peephole)
    seen = [reduce_sum(d[g] * s, 0) for g, s in (("i", before), ("f", before), ("o", now))]
    if not use_peephole:
        seen = [zeros_like(x) for x in seen]
    return LSTMBlockCellGrad(d["before"], concat([d[g] for g in "icfo"], 1), *seen)


@raw_op("BlockLSTMGrad")
def block_lstm_grad(
    seq_len_max: Any,
    x: Any,
    cs_prev: Any,
    h_prev: Any,
    w: Any,
    wci: Any,
    wcf: Any,
    wco: Any,
    b: Any,
    i: Any,
    cs: Any,
    f: Any,
    o: Any,
    ci: Any,
    co: Any,
    h: Any,
    cs_grad: Any,
    h_grad: Any,
    use_peephole: bool,
    name: str | None = None,
) -> BlockLSTMGrad:
    """Computes the gradients of `BlockLSTM` from its arguments and results.

    Args:
      seq_len_max: The number of steps.
      x: The inputs, of shape (steps, batch, inputs).
      cs_prev: The cell's state before, of shape (batch, units).
      h_prev: The output before.
      w: The weights.
      wci: The input gate's weights for the cell's state.
      wcf: The forget gate's weights for the cell's state.
      wco: The output gate's weights for the cell's state.
      b: The biases.
      i: The input gate of each step.
      cs: The cell's state after each step.
      f: The forget gate of each step.
      o: The output gate of each step.
      ci: The new values of each step.
      co: The squashed state of each step.
      h: The output of each step.
      cs_grad: The gradient with respect to `cs`.
      h_grad: The gradient with respect to `h`.
      use_peephole: Whether the gates see the state.
      name: Accepted for compatibility.

    Returns:
      The gradients with respect to all arguments from `x` to `b`.
    """
    given, weights = (x, cs_prev, h_prev, w), (wci, wcf, wco)
    rows = (i, cs, f, o, ci, co, h, cs_grad, h_grad)
    return BlockLSTMGrad(*_back("icfo", use_peephole, seq_len_max, given, weights, rows))


@raw_op("BlockLSTMGradV2")
def block_lstm_grad_v2(
    seq_len_max: Any,
    x: Any,
    cs_prev: Any,
    h_prev: Any,
    w: Any,
    wci: Any,
    wcf: Any,
    wco: Any,
    b: Any,
    i: Any,
    cs: Any,
    f: Any,
    o: Any,
    ci: Any,
    co: Any,
    h: Any,
    cs_grad: Any,
    h_grad: Any,
    use_peephole: bool,
    name: str | None = None,
) -> BlockLSTMGradV2:
    """Computes the gradients of `BlockLSTMV2` as `BlockLSTMGrad` does those of `BlockLSTM`.

    The weights and biases are in the order of input gate, forget gate, new values and output gate.
    """
    given, weights = (x, cs_prev, h_prev, w), (wci, wcf, wco)
    rows = (i, cs, f, o, ci, co, h, cs_grad, h_grad)
    return BlockLSTMGradV2(*_back("ifco", use_peephole, seq_len_max, given, weights, rows))


_PEEPHOLE = ("wci", "wcf", "wco")
_ROWS = ("i", "cs", "f", "o", "ci", "co", "h", "d_cs", "d_h")


def _back(
    order: str, use_peephole: bool, steps: Any, given: Any, peephole: Any, results: Any
) -> list[Tensor]:
    """Returns the gradients of a long short-term memory, from the last step to the first.

    Args:
      order: The order of the gates in the weights.
      use_peephole: Whether the gates see the state.
      steps: The number of steps.
      given: The inputs, the state and output before, and the weights.
      peephole: The values of `_PEEPHOLE`.
      results: The values of `_ROWS`, with one row for each step.
    """
    x, cs_prev, h_prev, w = map(convert_to_tensor, given)
    units = shape_of(cs_prev)[-1]
    kept = less(cast(range_of(lengths_of(x)[0]), "int64"), steps)[:, None, None]
    rows = dict(zip(_ROWS, map(convert_to_tensor, results), strict=True))
    rows = {key: where(kept, value, zeros_like(value)) for key, value in rows.items()}
    rows["before"] = concat([cs_prev[None], rows["cs"][:-1]], 0)
    rows["out"] = concat([h_prev[None], rows["h"][:-1]], 0)
    weights = dict(zip(_PEEPHOLE, peephole, strict=True)) if use_peephole else {}

    def step(state: Any, row: Any) -> Any:
        row = row | {"d_cs": row["d_cs"] + state[0], "d_h": row["d_h"] + state[1]}
        d = _gates(row, weights)
        gates = concat([d[g] for g in order], 1)
        return d["before"], matmul(gates, w[-units:], transpose_b=True), gates

    nothing = zeros_like(cs_prev)
    start = (nothing, nothing, concat([nothing] * 4, 1))
    before, out, gates = scan(step, rows, start, reverse=True)
    d_x = tensordot(gates, w[:-units], [[2], [1]])
    inputs = concat([x, rows["out"]], 2)
    d = dict(zip(order, split(gates, 4, axis=2), strict=True))
    pairs = (("i", "before"), ("f", "before"), ("o", "cs"))
    seen = [reduce_sum(d[g] * rows[key], [0, 1]) for g, key in pairs]
    if not use_peephole:
        seen = [zeros_like(y) for y in seen]
    d_w = tensordot(inputs, gates, [[0, 1], [0, 1]])
    return [d_x, before[0], out[0], d_w, *seen, reduce_sum(gates, [0, 1])]


@raw_op("GRUBlockCellGrad")
def gru_block_cell_grad(
    x: Any,
    h_prev: Any,
    w_ru: Any,
    w_c: Any,
    b_ru: Any,
    b_c: Any,
    r: Any,
    u: Any,
    c: Any,
    d_h: Any,
    name: str | None = None,
) -> GRUBlockCellGrad:
    """Computes the gradients of `GRUBlockCell` from its arguments and results.

    Args:
      x: The inputs, of shape (batch, inputs).
      h_prev: The output before, of shape (batch, units).
      w_ru: The weights of the reset and update gates.
      w_c: The weights of the new values.
      b_ru: The biases of the gates.
      b_c: The biases of the new values.
      r: The reset gate.
      u: The update gate.
      c: The new values.
      d_h: The gradient with respect to the output.
      name: Accepted for compatibility.

    Returns:
      The gradients with respect to `x`, to `h_prev`, and, before their activations, to the new
      values and to both gates.
    """
    h, r, u, c, d_h = map(convert_to_tensor, (h_prev, r, u, c, d_h))
    units = shape_of(h)[-1]
    d_c = d_h * (1 - u) * (1 - c * c)
    of_c = matmul(d_c, w_c, transpose_b=True)
    d_u, d_r = d_h * (h - c) * u * (1 - u), of_c[:, -units:] * h * r * (1 - r)
    gates = concat([d_r, d_u], 1)
    of_gates = matmul(gates, w_ru, transpose_b=True)
    d_before = of_gates[:, -units:] + of_c[:, -units:] * r + d_h * u
    return GRUBlockCellGrad(of_gates[:, :-units] + of_c[:, :-units], d_before, d_c, gates)
