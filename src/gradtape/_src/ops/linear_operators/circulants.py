"""Circulant matrices, and Toeplitz matrices, which are computed as parts of circulant ones."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import DType, as_dtype, complex64, complex128
from gradtape._src.base.export import export
from gradtape._src.base.shapes import TensorShape
from gradtape._src.core.convert import tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.unknown_sizes import broadcast_shapes, is_unknown
from gradtape._src.ops.array.creation import zeros_like
from gradtape._src.ops.array.gather import gather
from gradtape._src.ops.array.joining import concat
from gradtape._src.ops.array.padding import pad
from gradtape._src.ops.array.roll_reverse import reverse, roll
from gradtape._src.ops.array.shaping import broadcast_to, reshape
from gradtape._src.ops.control.assertions import assert_equal, assert_less, assert_positive
from gradtape._src.ops.elementwise.arithmetic import abs as absolute
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.complex_numbers import real
from gradtape._src.ops.elementwise.exponential import log
from gradtape._src.ops.linalg.diagonals import matrix_transpose
from gradtape._src.ops.linear_operators.hints import Hint, arguments, implied
from gradtape._src.ops.linear_operators.linear_operator import LinearOperator
from gradtape._src.ops.linear_operators.operator_shape import FromSizes
from gradtape._src.ops.linear_operators.stacks import (
    Sizes,
    as_vector,
    assert_no_zeros,
    assert_real,
    column,
    conjugated,
    flipped,
    kept,
    need_rank,
    static,
    with_batch,
)
from gradtape._src.ops.reduce.extremes import reduce_max, reduce_min
from gradtape._src.ops.reduce.reductions import reduce_prod, reduce_sum
from gradtape._src.ops.signal.fft import fft, fft2d, fft3d, ifft, ifft2d, ifft3d

_TRANSFORMS: dict[int, tuple[Callable[..., Tensor], Callable[..., Tensor]]] = {
    1: (fft, ifft),
    2: (fft2d, ifft2d),
    3: (fft3d, ifft3d),
}
# The rounding error of a Fourier transform of random numbers, as a multiple of the dtype's epsilon.
_TOLERANCE = 100.0


def _complex(x: Any, like: DType) -> Tensor:
    """Converts numbers to complex ones, in the higher precision of their dtype and `like`."""
    x = tensor(x)
    double = {x.dtype.name, like.name} & {"float64", "complex128"}
    return cast(x, complex128 if double else complex64)


def _real_where(x: Tensor, dtype: DType) -> Tensor:
    """Converts numbers to a dtype, and drops imaginary parts if the dtype is real."""
    return cast(real(x) if x.dtype.is_complex and not dtype.is_complex else x, dtype)


class Circulant(FromSizes, LinearOperator):
    """A circulant operator of one, two or three axes of blocks."""

    _block_depth: int

    def _set_up(
        self,
        spectrum: Any,
        dtype: Any,
        parameters: dict[str, Any],
        name: str,
    ) -> None:
        spectrum = kept(spectrum, "spectrum")
        need_rank(spectrum, self._block_depth, "spectrum")
        is_self_adjoint = parameters["is_self_adjoint"]
        if not spectrum.dtype.is_complex:
            is_self_adjoint = implied(
                is_self_adjoint, True, "An operator of a real spectrum is always self-adjoint"
            )
        LinearOperator.__init__(
            self,
            as_dtype(dtype),
            is_non_singular=parameters["is_non_singular"],
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=parameters["is_positive_definite"],
            is_square=implied(parameters["is_square"], True, "A circulant is always square"),
            parameters=parameters,
            name=name,
        )
        self._spectrum: Tensor = spectrum

    @property
    def block_depth(self) -> int:
        """The number of axes of blocks: 1, 2 or 3."""
        return self._block_depth

    @property
    def spectrum(self) -> Tensor:
        """The eigenvalues, the Fourier transform of the first column."""
        return self._spectrum

    def _blocks(self) -> Sizes:
        return shape_of(self._spectrum)[-self._block_depth :]

    @property
    def block_shape(self) -> TensorShape:
        """The lengths of the axes of blocks, whose product is the number of rows."""
        return static(self._blocks())

    def block_shape_tensor(self) -> Tensor:
        """Returns the lengths of the axes of blocks as a tensor."""
        return as_vector(self._blocks())

    def _sizes(self) -> Sizes:
        n = prod(self._blocks())
        return (*shape_of(self._spectrum)[: -self._block_depth], n, n)

    def _axes(self) -> tuple[int, ...]:
        return tuple(range(-self._block_depth, 0))

    def _flat_spectrum(self) -> Tensor:
        """Returns the eigenvalues along one axis."""
        return reshape(self._spectrum, self._sizes()[:-1])

    def convolution_kernel(self, name: str = "convolution_kernel") -> Tensor:
        """The first column, in the shape of blocks: the inverse transform of the spectrum."""
        _, back = _TRANSFORMS[self._block_depth]
        return _real_where(back(_complex(self._spectrum, self.dtype)), self.dtype)

    def assert_hermitian_spectrum(self, name: str = "assert_hermitian_spectrum") -> None:
        """Raises InvalidArgumentError unless the matrices are real, up to rounding errors."""
        _, back = _TRANSFORMS[self._block_depth]
        spectrum = _complex(self._spectrum, self._spectrum.dtype)
        kernel = back(spectrum)
        size = absolute(spectrum)
        imaginary = absolute(kernel - conjugated(kernel, True))
        eps = _TOLERANCE * np.finfo(size.dtype.np_dtype).eps
        greatest = reduce_max(size, axis=self._axes(), keepdims=True)
        message = "The spectrum is not Hermitian: the matrices have imaginary parts."
        assert_less(imaginary, eps * greatest + eps, message=message)

    def _assert_non_singular(self) -> None:
        assert_no_zeros(self._spectrum, "Singular operator:  Spectrum contained zero values.")

    def _assert_positive_definite(self) -> None:
        message = "Not positive definite:  Real part of spectrum was not all positive."
        assert_positive(real(self._spectrum), message=message)

    def _assert_self_adjoint(self) -> None:
        message = "Not self-adjoint:  The spectrum contained non-zero imaginary part."
        assert_real(self._spectrum, message)

    def _filtered(self, x: Tensor, factors: Callable[[Tensor], Tensor]) -> Tensor:
        """Transforms columns, multiplies them elementwise, and transforms them back."""
        there, back = _TRANSFORMS[self._block_depth]
        blocks = self._blocks()
        rows = _complex(matrix_transpose(x), self._spectrum.dtype)
        spectrum = factors(cast(self._spectrum, rows.dtype))
        batch = shape_of(spectrum)[: -self._block_depth]
        spectrum = reshape(spectrum, (*batch, 1, *blocks))
        out = back(spectrum * there(reshape(rows, (*shape_of(rows)[:-1], *blocks))))
        sizes = shape_of(out)[: -self._block_depth]
        return matrix_transpose(_real_where(reshape(out, (*sizes, prod(blocks))), self.dtype))

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._filtered(flipped(x, adjoint_arg), lambda s: conjugated(s, adjoint))

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._filtered(flipped(rhs, adjoint_arg), lambda s: 1 / conjugated(s, adjoint))

    def _to_dense(self) -> Tensor:
        blocks = self._blocks()
        if is_unknown(blocks):
            return super()._to_dense()
        kernel = self.convolution_kernel()
        flat = reshape(kernel, (*shape_of(kernel)[: -self._block_depth], prod(blocks)))
        return gather(flat, _differences(blocks), axis=-1)

    def _determinant(self) -> Tensor:
        return _real_where(reduce_prod(self._spectrum, axis=self._axes()), self.dtype)

    def _log_abs_determinant(self) -> Tensor:
        logs = reduce_sum(log(absolute(self._spectrum)), axis=self._axes())
        return cast(logs, self.dtype)

    def _trace(self) -> Tensor:
        return _real_where(reduce_sum(self._spectrum, axis=self._axes()), self.dtype)

    def _diag_part(self) -> Tensor:
        n = self._sizes()[-1]
        return broadcast_to(column(self._trace() / cast(n, self.dtype)), self._sizes()[:-1])

    def _eigvals(self) -> Tensor:
        return self._flat_spectrum()

    def _cond(self) -> Tensor:
        size = absolute(self._flat_spectrum())
        return reduce_max(size, axis=-1) / reduce_min(size, axis=-1)

    @property
    def _composite_tensor_fields(self) -> tuple[str, ...]:
        return ("spectrum", "input_output_dtype")

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"spectrum": self._block_depth}


def _differences(blocks: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """Returns the index in the first column of each element of a circulant matrix."""
    places = np.stack(np.unravel_index(np.arange(prod(blocks)), blocks), -1)
    apart = (places[:, None] - places[None]) % np.asarray(blocks)
    return np.asarray(np.ravel_multi_index(tuple(np.moveaxis(apart, -1, 0)), blocks))


@export("linalg.LinearOperatorCirculant")
class LinearOperatorCirculant(Circulant):
    """Circulant matrices: each column is the previous column, shifted down cyclically by one row.

    Products are convolutions, and are computed by Fourier transforms: multiplying and solving for a
    vector of n elements takes time proportional to n log n.

    Args:
      spectrum: The Fourier transforms of the first columns, a tensor of shape (..., n).
      input_output_dtype: The dtype of operands and results. Defaults to complex64. If it is real,
        imaginary parts of results are dropped.
      is_non_singular: A hint; see `LinearOperator`.
      is_self_adjoint: A hint; see `LinearOperator`. Defaults to True for real spectra.
      is_positive_definite: A hint; see `LinearOperator`.
      is_square: Must not be False.
      name: A name.

    Raises:
      ValueError: The spectrum has too few axes, or a hint is wrong.

    >>> operator = LinearOperatorCirculant([6.0, 0.0], input_output_dtype="float32")
    >>> operator.to_dense().numpy().tolist()
    [[3.0, 3.0], [3.0, 3.0]]
    """

    _block_depth = 1

    def __init__(
        self,
        spectrum: Any,
        input_output_dtype: Any = complex64,
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = True,
        name: str = "LinearOperatorCirculant",
    ) -> None:
        self._set_up(spectrum, input_output_dtype, arguments(locals()), name)


@export("linalg.LinearOperatorCirculant2D")
class LinearOperatorCirculant2D(Circulant):
    """Block circulant matrices with circulant blocks: cyclic convolutions of images.

    Args:
      spectrum: The two-dimensional Fourier transforms of the first columns, a tensor of shape
        (..., n1, n2); the matrices have n1 * n2 rows.
      input_output_dtype: The dtype of operands and results. Defaults to complex64.
      is_non_singular: A hint; see `LinearOperator`.
      is_self_adjoint: A hint; see `LinearOperator`. Defaults to True for real spectra.
      is_positive_definite: A hint; see `LinearOperator`.
      is_square: Must not be False.
      name: A name.

    Raises:
      ValueError: The spectrum has too few axes, or a hint is wrong.

    >>> LinearOperatorCirculant2D([[1.0, 1.0], [1.0, 1.0]]).shape
    TensorShape([4, 4])
    """

    _block_depth = 2

    def __init__(
        self,
        spectrum: Any,
        input_output_dtype: Any = complex64,
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = True,
        name: str = "LinearOperatorCirculant2D",
    ) -> None:
        self._set_up(spectrum, input_output_dtype, arguments(locals()), name)


@export("linalg.LinearOperatorCirculant3D")
class LinearOperatorCirculant3D(Circulant):
    """Circulant matrices with three levels: circulant blocks of circulant blocks.

    Args:
      spectrum: The three-dimensional Fourier transforms of the first columns, a tensor of shape
        (..., n1, n2, n3); the matrices have n1 * n2 * n3 rows.
      input_output_dtype: The dtype of operands and results. Defaults to complex64.
      is_non_singular: A hint; see `LinearOperator`.
      is_self_adjoint: A hint; see `LinearOperator`. Defaults to True for real spectra.
      is_positive_definite: A hint; see `LinearOperator`.
      is_square: Must not be False.
      name: A name.

    Raises:
      ValueError: The spectrum has too few axes, or a hint is wrong.

    >>> LinearOperatorCirculant3D([[[1.0, 1.0], [1.0, 1.0]]]).shape
    TensorShape([4, 4])
    """

    _block_depth = 3

    def __init__(
        self,
        spectrum: Any,
        input_output_dtype: Any = complex64,
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = True,
        name: str = "LinearOperatorCirculant3D",
    ) -> None:
        self._set_up(spectrum, input_output_dtype, arguments(locals()), name)


@export("linalg.LinearOperatorToeplitz")
class LinearOperatorToeplitz(FromSizes, LinearOperator):
    """Toeplitz matrices, constant along each diagonal.

    Products are computed by Fourier transforms, as products with a circulant matrix of twice the
    size.

    Args:
      col: The first columns, a tensor of shape (..., n).
      row: The first rows, a tensor of shape (..., n), whose first element is not read.
      is_non_singular: A hint; see `LinearOperator`.
      is_self_adjoint: A hint; see `LinearOperator`.
      is_positive_definite: A hint; see `LinearOperator`.
      is_square: Must not be False.
      name: A name.

    Raises:
      ValueError: A column or row has no axis, their lengths differ, or is_square is False.

    >>> LinearOperatorToeplitz([1.0, 2.0, 3.0], [1.0, 5.0, 6.0]).to_dense().numpy().tolist()
    [[1.0, 5.0, 6.0], [2.0, 1.0, 5.0], [3.0, 2.0, 1.0]]
    """

    def __init__(
        self,
        col: Any,
        row: Any,
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = None,
        name: str = "LinearOperatorToeplitz",
    ) -> None:
        parameters = arguments(locals())
        col, row = kept(col, "col"), kept(row, "row")
        need_rank(row, 1, "row")
        need_rank(col, 1, "col")
        lengths = {col.shape[-1], row.shape[-1]} - {None}
        if len(lengths) > 1:
            raise ValueError(
                f"LinearOperatorToeplitz: `col` and `row` must have one length, got shapes "
                f"{col.shape} and {row.shape}"
            )
        super().__init__(
            row.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=implied(is_square, True, "A Toeplitz operator is always square"),
            parameters=parameters,
            name=name,
        )
        self._col: Tensor = col
        self._row: Tensor = row

    @property
    def col(self) -> Tensor:
        """The first columns."""
        return self._col

    @property
    def row(self) -> Tensor:
        """The first rows."""
        return self._row

    def _sizes(self) -> Sizes:
        n = shape_of(self._col)[-1]
        return (*self._batch(), n, n)

    def _batch(self) -> Sizes:
        col, row = shape_of(self._col)[:-1], shape_of(self._row)[:-1]
        return tuple(broadcast_shapes(col, row))

    def _assert_self_adjoint(self) -> None:
        message = "row and col are not conjugate, and so this operator is not self-adjoint."
        assert_equal(self._row, conjugated(self._col, True), message=message)

    def _around(self) -> Tensor:
        """Returns the first column of a circulant matrix whose upper left part is this matrix."""
        batch = self._batch()
        col, row = with_batch(self._col, batch, 1), with_batch(self._row, batch, 1)
        rest = roll(reverse(row, axis=[-1]), 1, axis=-1)  # row[0], row[n-1], ..., row[1]
        return concat([col, zeros_like(rest[..., :1]), rest[..., 1:]], -1)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        x = flipped(x, adjoint_arg)
        n = shape_of(x)[-2]
        spectrum = fft(_complex(self._around(), self.dtype))
        around = LinearOperatorCirculant(spectrum, self.dtype)
        padded = pad(x, [[0, 0]] * (len(shape_of(x)) - 2) + [[0, n], [0, 0]])
        return around.matmul(padded, adjoint=adjoint)[..., :n, :]

    def _trace(self) -> Tensor:
        return self._diag_part_of_one() * cast(self._sizes()[-1], self.dtype)

    def _diag_part_of_one(self) -> Tensor:
        return with_batch(tensor(self._col)[..., 0], self._batch(), 0)

    def _diag_part(self) -> Tensor:
        return broadcast_to(column(self._diag_part_of_one()), self._sizes()[:-1])

    def _to_dense(self) -> Tensor:
        n = self._sizes()[-1]
        if is_unknown((n,)):
            return super()._to_dense()
        places = np.arange(n)
        return gather(self._around(), (places[:, None] - places) % (2 * n), axis=-1)

    @property
    def _composite_tensor_fields(self) -> tuple[str, ...]:
        return ("col", "row")

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"col": 1, "row": 1}
