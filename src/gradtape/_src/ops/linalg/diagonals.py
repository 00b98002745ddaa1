"""Diagonals, triangles and transposes of matrices."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import DType, bool_
from gradtape._src.base.errors import About, InvalidArgumentError
from gradtape._src.base.export import export, raw_op
from gradtape._src.base.python_values import NotATensorError
from gradtape._src.compute.jax_modules import jnp
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.primitive import Bound
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.tracebacks import shorten
from gradtape._src.declare.arguments import invalid, scalar
from gradtape._src.declare.attributes import text
from gradtape._src.declare.general import dtype_of_value, general, shape_of
from gradtape._src.declare.graph_operations import deferrable
from gradtape._src.declare.open_graphs import with_fed_values
from gradtape._src.declare.structural import (
    concat_p,
    count,
    pad_p,
    reduce_sum_p,
    reshape_p,
    slice_p,
    swap_last,
    with_axis,
    zeros,
)
from gradtape._src.declare.traits import Pattern, Traits
from gradtape._src.declare.unknown_sizes import may_be_equal
from gradtape._src.ops.linalg.matmul import adjoint as adjoint_of

# One diagonal of each matrix of a stack, and its transpose.


def _diag_part(x: Any, *, k: int) -> Any:
    return np.diagonal(x, k, -2, -1)


def _diag(d: Any, *, k: int, rows: int, cols: int) -> Any:
    out = np.zeros((*d.shape[:-1], rows * cols), d.dtype)
    start, n = (k if k >= 0 else -k * cols), d.shape[-1]
    out[..., start : start + n * (cols + 1) : cols + 1] = d
    return out.reshape(*d.shape[:-1], rows, cols)


def _diag_xla(d: Any, *, k: int, rows: int, cols: int) -> Any:
    i = np.arange(d.shape[-1])
    out = jnp.zeros((*d.shape[:-1], rows, cols), d.dtype)
    return out.at[..., i - min(k, 0), i + max(k, 0)].set(d)


diag_part_p: Bound = general(
    "MatrixDiagPartV3",
    _diag_part,
    {"x": lambda g, x_shape, k: diag_p(g, k=k, rows=x_shape[-2], cols=x_shape[-1])},
    linear=["x"],
    batching="leading",
    traits=Traits(pattern=Pattern.MOVED, passes_on=True),
    xla=lambda x, *, k: jnp.diagonal(x, k, -2, -1),
)
diag_p: Bound = general(
    "MatrixDiagV3",
    _diag,
    {"d": lambda g, k: diag_part_p(g, k=k)},
    linear=["d"],
    batching="leading",
    traits=Traits(pattern=Pattern.MOVED, passes_on=True),
    xla=_diag_xla,
)


def _wrong_diagonal(shape: Any, own: Any, k: int) -> InvalidArgumentError:
    """Returns the error for a diagonal of the wrong shape."""
    expected = [*shape[:-2], diag_length(shape, k)]
    message = f"diagonal must have shape {expected}, got {list(own)} [Op:MatrixSetDiagV3]"
    return InvalidArgumentError(None, None, message)


def _set_diag(x: Any, d: Any, *, k: int) -> Any:
    if d.shape[-1] != diag_length(x.shape, k):  # the lengths may have been unknown before
        raise _wrong_diagonal(x.shape, d.shape, k)
    out = x.copy()
    i = np.arange(d.shape[-1])
    out[..., i - min(k, 0), i + max(k, 0)] = d
    return out


def _set_diag_xla(x: Any, d: Any, *, k: int) -> Any:
    i = np.arange(d.shape[-1])
    return jnp.asarray(x).at[..., i - min(k, 0), i + max(k, 0)].set(d)


def _without_diag(g: Any, k: int) -> Any:
    shape = shape_of(g)
    n = diag_length(shape, k)
    return set_diag_p(g, zeros((*shape[:-2], n), dtype_of_value(g)), k=k)


set_diag_p: Bound = general(
    "MatrixSetDiagV3",
    _set_diag,
    {"x": _without_diag, "d": lambda g, k: diag_part_p(g, k=k)},
    jvps={
        "x": _without_diag,
        "d": lambda t, x_shape, k: diag_p(t, k=k, rows=x_shape[-2], cols=x_shape[-1]),
    },
    batching=lambda size, batched, inputs, params: set_diag_p(
        *with_axis(size, batched, inputs), **params
    ),
    same=slice(0, 2),
    traits=Traits(pattern=Pattern.MOVED, passes_on=True),
    xla=_set_diag_xla,
)


def diag_length(shape: tuple[int, ...], k: int) -> int:
    """Returns the length of the k-th diagonal of a matrix of this shape."""
    rows, cols = shape[-2:]
    return max(0, min(rows + min(k, 0), cols - max(k, 0)))


@lru_cache(256)
def _band(rows: int, cols: int, lower: int, upper: int) -> np.ndarray[Any, Any]:
    i, j = np.indices((rows, cols), sparse=True)
    below, above = (lower if lower >= 0 else rows), (upper if upper >= 0 else cols)
    return (i - j <= below) & (j - i <= above)


def _band_part(x: Any, *, lower: int, upper: int) -> Any:
    return np.where(_band(*x.shape[-2:], lower, upper), x, x.dtype.type(0))


def _band_part_xla(x: Any, *, lower: int, upper: int) -> Any:
    return jnp.where(_band(*x.shape[-2:], lower, upper), x, x.dtype.type(0))


band_part_p: Bound = general(
    "MatrixBandPart",
    _band_part,
    {"x": lambda g, lower, upper: band_part_p(g, lower=lower, upper=upper)},
    linear=["x"],
    batching="leading",
    traits=Traits(pattern=Pattern.MOVED, passes_on=True),
    xla=_band_part_xla,
)


def trace_p(x: Any) -> Tensor:
    """Returns the sum of the diagonal of each matrix."""
    return reduce_sum_p(diag_part_p(x, k=0), axis=(-1,), keepdims=False)


def identity_like(x: Any) -> np.ndarray[Any, Any]:
    """Returns a raw identity matrix of the size and dtype of the matrices in `x`."""
    return np.eye(shape_of(x)[-1], dtype=dtype_of_value(x))


def need_matrix(
    x: Tensor, name: str, least: int = 2, square: bool = False, about: About = About.SHAPES
) -> None:
    """Raises InvalidArgumentError unless `x` is a matrix or a stack of them."""
    shape = x._value.shape
    if len(shape) < least:
        raise invalid(
            f"Input tensor must have rank >= {least}, got shape {list(shape)} [Op:{name}]", about
        )
    if square and not may_be_equal(shape[-1:], shape[-2:-1]):
        raise invalid(f"Input matrix must be square, got {shape[-2]} != {shape[-1]} [Op:{name}]")


def _number_of_bands(count: Any, what: str) -> int:
    """Returns the number of diagonals that an argument of `band_part` requests."""
    given = count if isinstance(count, (int, list, tuple)) or count is None else tensor(count)
    if isinstance(given, Tensor) and given.dtype.is_floating:
        raise invalid(
            f"Value for attr 'Tindex' of {given.dtype.name} is not in the list of allowed values: "
            f"int32, int64 [Op:MatrixBandPart] (`num_{what}` takes an integer)",
            About.DTYPES,
        )
    return scalar(given, "MatrixBandPart", f"num_{what}")


def square_matrix(x: Any, name: str) -> Tensor:
    """Converts square matrices to a tensor; raises InvalidArgumentError if they are not square."""
    try:
        value = tensor(x)
        need_matrix(value, name, square=True)
        return value
    except Exception as error:
        shorten(error)
        raise


# The public functions.


def _offsets(k: Any) -> tuple[int, int]:
    """Returns the lowest and the highest diagonal of `k`."""
    if k is None:
        raise NotATensorError(None)
    ks = np.ravel(convert_to_tensor(k, dtype_hint=np.int32)._numpy())
    if ks.dtype.kind not in "iu":
        raise TypeError(f"Cannot convert {k!r} to EagerTensor of dtype int32")
    low, high = int(ks[0]), int(ks[-1])
    if len(ks) > 2 or low > high:
        raise invalid(f"k must be one diagonal or a pair (lowest, highest), got {k}")
    return low, high


_ALIGNMENTS = ("LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT")


def _alignment(align: Any) -> str:
    """Returns an alignment; raises an error unless it is one of the four."""
    given = "RIGHT_LEFT" if align is None else text("align", align)
    if given not in _ALIGNMENTS:
        raise invalid(
            f"Value for attr 'align' of {given!r} is not in the list of allowed values: "
            f"{', '.join(_ALIGNMENTS)}",
            About.ATTRIBUTES,
        )
    return given


def _padding(padding_value: Any, dtype: DType) -> np.ndarray[Any, Any]:
    value = bool(padding_value) if dtype is bool_ else padding_value
    return np.asarray(convert_to_tensor(value, dtype)._numpy())


def _is_left(align: str, k: int) -> bool:
    """Whether diagonal `k` of a band is aligned to the left, with the padding at its end."""
    above, below = align.split("_")
    return (above if k >= 0 else below) == "LEFT"


@export("linalg.diag")
@raw_op("MatrixDiagV3")
@raw_op("MatrixDiag")
@with_fed_values
def diag(
    diagonal: Any,
    name: str = "diag",
    k: Any = 0,
    num_rows: int = -1,
    num_cols: int = -1,
    padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Makes matrices with given diagonals.

    Args:
      diagonal: A tensor of shape (..., n), or (..., diagonals, n) if `k` is a band.
      name: Accepted for compatibility.
      k: The diagonal: 0 for the main one, positive above it. A pair (lowest, highest) means a band.
      num_rows: The number of rows; -1 for the smallest number that fits.
      num_cols: The number of columns; -1 for the smallest number that fits.
      padding_value: The value of the other elements.
      align: The alignment of shorter diagonals of a band in their rows, such as "RIGHT_LEFT".

    Returns:
      A tensor of shape (..., rows, columns).

    Raises:
      InvalidArgumentError: The sizes are incompatible.

    >>> tf.linalg.diag([1, 2]).numpy()
    array([[1, 0],
           [0, 2]], dtype=int32)
    """
    d = tensor(diagonal)
    align, fill = _alignment(align), _padding(padding_value, d.dtype)
    low, high = _offsets(k)
    if not d._value.ndim:
        raise invalid("diagonal must be at least 1-dim, received shape: [] [Op:MatrixDiagV3]")
    longest = d._value.shape[-1]
    rows = scalar(num_rows, "MatrixDiagV3", "num_rows")
    cols = scalar(num_cols, "MatrixDiagV3", "num_cols")
    least_rows, least_cols = longest - min(high, 0), longest + max(low, 0)
    if rows == -1 and cols == -1:
        rows = cols = max(least_rows, least_cols)
    rows = least_rows if rows == -1 else rows
    cols = least_cols if cols == -1 else cols
    if low == high:
        parts = [d] if diag_length((rows, cols), low) == longest else []
    else:
        parts = _rows_of_band(d, (rows, cols), low, high, align)
    if not parts:
        raise InvalidArgumentError(
            None,
            None,
            f"diagonal {low} of a matrix of {rows} rows and {cols} columns does not have the "
            f"{longest} elements given [Op:MatrixDiagV3]",
        )
    total: Tensor | None = None
    for at, part in zip(range(high, low - 1, -1), parts, strict=True):
        made = diag_p(part, k=at, rows=rows, cols=cols)
        total = made if total is None else total + made
    assert total is not None
    if fill.any():
        i, j = np.indices((rows, cols), sparse=True)
        outside = ~((j - i >= low) & (j - i <= high))
        total = total + Tensor((outside * fill).astype(d._value.dtype))
    return total


def _rows_of_band(
    d: Tensor, shape: tuple[int, int], low: int, high: int, align: str
) -> list[Tensor]:
    """Returns the diagonals of a band from the highest down, without their padding."""
    *lead, number, longest = d._value.shape
    if number != high - low + 1:
        message = f"The number of diagonals {number} must be that of the band k={low, high}"
        raise invalid(f"{message} [Op:MatrixDiagV3]")
    parts = []
    for row, k in enumerate(range(high, low - 1, -1)):
        n = diag_length(shape, k)
        begin = 0 if _is_left(align, k) else longest - n
        part = slice_p(
            d,
            begin=(*(0,) * len(lead), row, begin),
            end=(*lead, row + 1, begin + n),
        )
        parts.append(reshape_p(part, shape=(*lead, n)))
    return parts


@export("linalg.diag_part")
@raw_op("MatrixDiagPartV3")
@raw_op("MatrixDiagPart")
@with_fed_values
def diag_part(
    input: Any,
    name: str = "diag_part",
    k: Any = 0,
    padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Returns the diagonals of matrices.

    Args:
      input: A tensor of shape (..., rows, columns).
      name: Accepted for compatibility.
      k: The diagonal: 0 for the main one, positive above it. A pair (lowest, highest) means a band.
      padding_value: The value that pads the shorter diagonals of a band.
      align: The alignment of shorter diagonals in their rows, such as "RIGHT_LEFT".

    Returns:
      A tensor of shape (..., n), or (..., diagonals, n) for a band.

    Raises:
      InvalidArgumentError: `input` is not a matrix, or has no such diagonal.

    >>> tf.linalg.diag_part([[1, 2], [3, 4]]).numpy()
    array([1, 4], dtype=int32)
    """
    x = tensor(input)
    align, fill = _alignment(align), _padding(padding_value, x.dtype)
    need_matrix(x, "MatrixDiagPartV3")
    shape = x._value.shape
    low, high = _offsets(k)
    if any(k and not -shape[-2] < k < shape[-1] for k in (low, high)):
        raise invalid(
            f"lower_diag_index or upper_diag_index is out of bound: {low}, {high}. It must be "
            f"between {1 - shape[-2]} and {shape[-1] - 1} [Op:MatrixDiagPartV3]",
        )
    if low == high:
        return diag_part_p(x, k=low)
    longest = max(diag_length(shape, at) for at in range(low, high + 1))
    rows = []
    for at in range(high, low - 1, -1):
        part = diag_part_p(x, k=at)
        rows.append(_filled(part, longest, _is_left(align, at), fill))
    return concat_p(*rows, axis=-2)


def _filled(part: Tensor, n: int, left: bool, fill: np.ndarray[Any, Any]) -> Tensor:
    """Returns a diagonal as a row of length `n`, shape (..., 1, n)."""
    *lead, own = part._value.shape
    gap = (0, n - own) if left else (n - own, 0)
    none = (0,) * len(lead)
    out = pad_p(part, before=(*none, gap[0]), after=(*none, gap[1]))
    if fill.any() and own != n:
        extra = np.zeros(n, part._value.dtype)
        extra[own if left else 0 : n if left else n - own] = fill
        out = out + Tensor(extra)
    return reshape_p(out, shape=(*lead, 1, n))


@export("linalg.set_diag")
@raw_op("MatrixSetDiagV3")
@raw_op("MatrixSetDiag")
@with_fed_values
def set_diag(
    input: Any, diagonal: Any, name: str = "set_diag", k: Any = 0, align: str = "RIGHT_LEFT"
) -> Tensor:
    """Replaces diagonals of matrices.

    Args:
      input: A tensor of shape (..., rows, columns).
      diagonal: A tensor of the same dtype and shape (..., n), or (..., diagonals, n) for a band.
      name: Accepted for compatibility.
      k: The diagonal, or a pair (lowest, highest), as in `diag`.
      align: The alignment of shorter diagonals in their rows, such as "RIGHT_LEFT".

    Returns:
      A tensor of the shape of `input`.

    Raises:
      InvalidArgumentError: The shapes are incompatible.

    >>> tf.linalg.set_diag([[1, 2], [3, 4]], [9, 9]).numpy()
    array([[9, 2],
           [3, 9]], dtype=int32)
    """
    x = tensor(input)
    d = convert_to_tensor(diagonal, dtype_hint=x.dtype)
    align = _alignment(align)
    need_matrix(x, "MatrixSetDiagV3")
    shape = x._value.shape
    low, high = _offsets(k)
    if low == high:
        if not may_be_equal(d._value.shape, (*shape[:-2], diag_length(shape, low))):
            raise _wrong_diagonal(shape, d._value.shape, low)
        return set_diag_p(x, d, k=low)
    parts = _rows_of_band(d, shape[-2:], low, high, align)
    for at, part in zip(range(high, low - 1, -1), parts, strict=True):
        x = set_diag_p(x, part, k=at)
    return x


@export("linalg.band_part")
@raw_op("MatrixBandPart")
@deferrable
def band_part(input: Any, num_lower: Any, num_upper: Any, name: str | None = None) -> Tensor:
    """Sets the elements of matrices outside a band around the main diagonal to zero.

    Args:
      input: A tensor of shape (..., rows, columns).
      num_lower: The number of diagonals below the main one to keep; negative for all.
      num_upper: The number of diagonals above the main one to keep; negative for all.
      name: Accepted for compatibility.

    Returns:
      A tensor of the shape of `input`.

    Raises:
      InvalidArgumentError: `input` is not a matrix.

    >>> tf.linalg.band_part([[1, 2], [3, 4]], 0, -1).numpy()
    array([[1, 2],
           [0, 4]], dtype=int32)
    """
    x = tensor(input)
    need_matrix(x, "MatrixBandPart", about=About.VALUES)
    lower, upper = (
        _number_of_bands(n, what) for n, what in ((num_lower, "lower"), (num_upper, "upper"))
    )
    for name_, bands, most in zip(
        ("lower", "upper"), (lower, upper), x._value.shape[-2:], strict=True
    ):
        if bands > most:
            raise InvalidArgumentError(
                None,
                None,
                f"num_{name_} must be negative or less or equal to number of "
                f"{'rows' if name_ == 'lower' else 'columns'} ({most}) got: {bands} "
                f"[Op:MatrixBandPart] (-1 keeps all of them)",
            )
    return band_part_p(x, lower=lower, upper=upper)


@export("linalg.trace")
def trace(x: Any, name: str | None = None) -> Tensor:
    """Returns the sum of the main diagonal of each matrix.

    Args:
      x: A tensor of shape (..., rows, columns).
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (...).

    Raises:
      InvalidArgumentError: `x` is not a matrix.

    >>> tf.linalg.trace([[1.0, 2.0], [3.0, 4.0]]).numpy()
    np.float32(5.0)
    """
    value = tensor(x)
    need_matrix(value, "Trace")
    return trace_p(value)


@export("linalg.matrix_transpose")
def matrix_transpose(a: Any, name: str = "matrix_transpose", conjugate: bool = False) -> Tensor:
    """Returns the transpose of each matrix of a stack.

    Args:
      a: A tensor of shape (..., n, m).
      name: Accepted for compatibility.
      conjugate: Whether the elements are also conjugated.

    Returns:
      A tensor of shape (..., m, n).

    Raises:
      ValueError: `a` is not a matrix.

    >>> tf.linalg.matrix_transpose([[1, 2], [3, 4]]).numpy()
    array([[1, 3],
           [2, 4]], dtype=int32)
    """
    x = tensor(a)
    if x._value.ndim < 2:
        raise ValueError(
            f"Argument `a` should be a (batch) matrix with rank >= 2. Received `a` = {a} with "
            f"shape: {x.shape}"
        )
    return adjoint_of(x) if conjugate else swap_last(x)


@export("linalg.adjoint")
def adjoint(matrix: Any, name: str | None = None) -> Tensor:
    """Returns the conjugate transpose of each matrix.

    Args:
      matrix: A tensor of shape (..., n, m).
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (..., m, n).

    Raises:
      ValueError: `matrix` is not a matrix.

    >>> tf.linalg.adjoint([[1 + 2j, 3], [4, 5]]).numpy()
    array([[1.-2.j, 4.-0.j],
           [3.-0.j, 5.-0.j]])
    """
    return matrix_transpose(matrix, conjugate=True)


@export("linalg.tensor_diag")
@raw_op("Diag")
def tensor_diag(diagonal: Any, name: str | None = None) -> Tensor:
    """Returns a tensor of twice the rank with the given tensor on its diagonal.

    Args:
      diagonal: A tensor of shape (d1, ..., dk).
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (d1, ..., dk, d1, ..., dk).
    """
    d = tensor(diagonal)
    shape = d._value.shape
    n = count(shape)
    out = diag_p(reshape_p(d, shape=(n,)), k=0, rows=n, cols=n)
    return reshape_p(out, shape=(*shape, *shape))


@export("linalg.tensor_diag_part")
@raw_op("DiagPart")
def tensor_diag_part(input: Any, name: str | None = None) -> Tensor:
    """Returns the diagonal of a tensor: the inverse of `tensor_diag`.

    Args:
      input: A tensor of shape (d1, ..., dk, d1, ..., dk).
      name: Accepted for compatibility.

    Returns:
      A tensor of shape (d1, ..., dk).

    Raises:
      InvalidArgumentError: The two halves of the shape differ.
    """
    x = tensor(input)
    shape = x._value.shape
    half = shape[: len(shape) // 2]
    if half + half != shape:
        raise invalid(
            f"The rank of the tensor must be even and both halves of its shape equal, got "
            f"shape {list(shape)} [Op:DiagPart]",
        )
    n = count(half)
    out = diag_part_p(reshape_p(x, shape=(n, n)), k=0)
    return reshape_p(out, shape=half)
