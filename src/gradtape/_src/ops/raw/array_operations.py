"""Raw operations on arrays, behind public functions that take other arguments."""

from __future__ import annotations

from typing import Any

from gradtape._src.base.dtypes import int32, uint8
from gradtape._src.base.export import raw_op
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.array.creation import zeros
from gradtape._src.ops.array.gather import gather
from gradtape._src.ops.array.joining import concat, split
from gradtape._src.ops.elementwise.bitwise import bitwise_and, right_shift
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.clipping import clip_by_value
from gradtape._src.ops.elementwise.comparison import not_equal
from gradtape._src.ops.elementwise.exponential import sigmoid
from gradtape._src.ops.elementwise.selection import where
from gradtape._src.ops.elementwise.trigonometric import tanh
from gradtape._src.ops.linalg import diagonals, matrix_functions
from gradtape._src.ops.linalg.matmul import matmul
from gradtape._src.ops.nn import losses
from gradtape._src.ops.reduce import reductions
from gradtape._src.ops.signal import fft


@raw_op("ListDiff", differentiable=False)
def list_difference(
    x: Any, y: Any, out_idx: Any = int32, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Returns the elements of a vector that another one lacks, and their indices."""
    first = convert_to_tensor(x)
    second = convert_to_tensor(y, first.dtype)
    kept = reductions.reduce_all(not_equal(first[:, None], second[None, :]), 1)
    found = where(kept)[:, 0]
    return gather(first, found), cast(found, out_idx)


@raw_op("Empty", ignored=("init",), differentiable=False)
def empty(shape: Any, dtype: Any, name: str | None = None) -> Tensor:
    """Returns a tensor of zeros or empty strings; TensorFlow's may have any value."""
    return zeros(shape, dtype)


@raw_op("PopulationCount", differentiable=False)
def population_count(x: Any, name: str | None = None) -> Tensor:
    """Returns the number of ones among the bits of each integer, as uint8."""
    value = convert_to_tensor(x)
    one = cast(1, value.dtype)
    bits = [
        cast(bitwise_and(right_shift(value, cast(i, value.dtype)), one), uint8)
        for i in range(8 * value.dtype.size)
    ]
    total = bits[0]
    for bit in bits[1:]:
        total += bit
    return total


@raw_op("InTopK", differentiable=False)
def in_top_k(predictions: Any, targets: Any, k: Any, name: str | None = None) -> Tensor:
    """Returns whether each target is among the k best predictions of its row."""
    return losses.in_top_k(targets, predictions, k)


@raw_op("MatrixSolveLs")
def matrix_solve_ls(
    matrix: Any, rhs: Any, l2_regularizer: Any, fast: bool = True, name: str | None = None
) -> Tensor:
    """Solves linear equations by least squares."""
    amount = float(convert_to_tensor(l2_regularizer)._numpy())
    return matrix_functions.lstsq(matrix, rhs, amount, fast)


@raw_op("MatrixDiagV2")
def matrix_diag(
    diagonal: Any,
    k: Any,
    num_rows: Any,
    num_cols: Any,
    padding_value: Any,
    name: str | None = None,
) -> Tensor:
    """Returns matrices of diagonals, which begin at the left."""
    given = {"num_rows": num_rows, "num_cols": num_cols, "padding_value": padding_value}
    return diagonals.diag(diagonal, k=k, align="LEFT_LEFT", **given)


@raw_op("MatrixDiagPartV2")
def matrix_diag_part(input: Any, k: Any, padding_value: Any, name: str | None = None) -> Tensor:
    """Returns diagonals of matrices, which begin at the left."""
    return diagonals.diag_part(input, k=k, padding_value=padding_value, align="LEFT_LEFT")


@raw_op("MatrixSetDiagV2")
def matrix_set_diag(input: Any, diagonal: Any, k: Any, name: str | None = None) -> Tensor:
    """Returns matrices with other diagonals, which begin at the left."""
    return diagonals.set_diag(input, diagonal, k=k, align="LEFT_LEFT")


# Fourier transforms.


@raw_op("RFFT3D", ignored=("Tcomplex",))
def rfft3d(input: Any, fft_length: Any, name: str | None = None) -> Tensor:
    """Computes the Fourier transform of real values along the last three axes."""
    return fft.rfft3d(input, fft_length)


@raw_op("IRFFT3D", ignored=("Treal",))
def irfft3d(input: Any, fft_length: Any, name: str | None = None) -> Tensor:
    """Computes the inverse of `rfft3d`."""
    return fft.irfft3d(input, fft_length)


# Recurrent cells.


@raw_op("LSTMBlockCell")
def lstm_block_cell(
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
) -> tuple[Tensor, ...]:
    """Computes a step of a long short-term memory.

    Args:
      x: A tensor of shape (batch, inputs).
      cs_prev: The cell's state before, of shape (batch, units).
      h_prev: The output before, of shape (batch, units).
      w: The weights of shape (inputs + units, 4 units), in the order of input gate, new values,
        forget gate and output gate.
      wci: The input gate's weights for the cell's state (peephole weights).
      wcf: The forget gate's weights for the cell's state (peephole weights).
      wco: The output gate's weights for the cell's state (peephole weights).
      b: The biases of shape (4 units,).
      forget_bias: The number that is added to the forget gate.
      cell_clip: The limit of the state, if it is positive.
      use_peephole: Whether the gates see the state.
      name: Accepted for compatibility.

    Returns:
      The input gate, the state, the forget gate, the output gate, the new values, the squashed
      state and the output.
    """
    joined = concat([convert_to_tensor(x), convert_to_tensor(h_prev)], 1)
    i, ci, f, o = split(matmul(joined, w) + b, 4, axis=1)
    seen = convert_to_tensor(cs_prev)
    if use_peephole:
        i, f = i + wci * seen, f + wcf * seen
    i, f, ci = sigmoid(i), sigmoid(f + forget_bias), tanh(ci)
    cs = ci * i + seen * f
    if cell_clip > 0:
        cs = clip_by_value(cs, -cell_clip, cell_clip)
    o = sigmoid(o + wco * cs if use_peephole else o)
    co = tanh(cs)
    return i, cs, f, o, ci, co, co * o


@raw_op("GRUBlockCell")
def gru_block_cell(
    x: Any,
    h_prev: Any,
    w_ru: Any,
    w_c: Any,
    b_ru: Any,
    b_c: Any,
    name: str | None = None,
) -> tuple[Tensor, ...]:
    """Computes a step of a gated recurrent unit.

    Args:
      x: A tensor of shape (batch, inputs).
      h_prev: The output before, of shape (batch, units).
      w_ru: The weights of the reset and update gates, of shape (inputs + units, 2 units).
      w_c: The weights of the new values, of shape (inputs + units, units).
      b_ru: The biases of the gates.
      b_c: The biases of the new values.
      name: Accepted for compatibility.

    Returns:
      The reset gate, the update gate, the new values, and the output.
    """
    x, h = convert_to_tensor(x), convert_to_tensor(h_prev)
    r, u = split(sigmoid(matmul(concat([x, h], 1), w_ru) + b_ru), 2, axis=1)
    c = tanh(matmul(concat([x, h * r], 1), w_c) + b_c)
    return r, u, c, u * h + (1 - u) * c
