"""Operators that hold the elements of their matrices: full, lower triangular, tridiagonal."""

from __future__ import annotations

from typing import Any

from gradtape._src.base.dtypes import complex64, complex128, float16, float32, float64
from gradtape._src.base.export import export
from gradtape._src.core.convert import tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.unknown_sizes import broadcast_shapes
from gradtape._src.ops.array.joining import stack
from gradtape._src.ops.array.roll_reverse import roll
from gradtape._src.ops.control.assertions import assert_equal
from gradtape._src.ops.elementwise.arithmetic import abs as absolute
from gradtape._src.ops.elementwise.complex_numbers import conj
from gradtape._src.ops.elementwise.exponential import log
from gradtape._src.ops.linalg.banded import tridiagonal_matmul, tridiagonal_solve
from gradtape._src.ops.linalg.diagonals import band_part, diag_part
from gradtape._src.ops.linalg.diagonals import diag as diag_of
from gradtape._src.ops.linalg.matmul import matmul
from gradtape._src.ops.linear_operators.hints import Hint, arguments, implied
from gradtape._src.ops.linear_operators.linear_operator import LinearOperator
from gradtape._src.ops.linear_operators.operator_shape import FromSizes
from gradtape._src.ops.linear_operators.stacks import (
    Sizes,
    assert_no_zeros,
    assert_real,
    conjugated,
    flipped,
    kept,
    need_rank,
    triangular_solved,
    with_batch,
)
from gradtape._src.ops.reduce.reductions import reduce_prod, reduce_sum

_ALLOWED = (float16, float32, float64, complex64, complex128)
_FORMATS = ("compact", "matrix", "sequence")


@export("linalg.LinearOperatorFullMatrix")
class LinearOperatorFullMatrix(FromSizes, LinearOperator):
    """Matrices whose elements are all stored.

    Args:
      matrix: The matrices, a floating or complex tensor of shape (..., m, n).
      is_non_singular: A hint; see `LinearOperator`.
      is_self_adjoint: A hint; see `LinearOperator`.
      is_positive_definite: A hint; see `LinearOperator`.
      is_square: A hint; see `LinearOperator`.
      name: A name.

    Raises:
      TypeError: The dtype is not floating or complex.
      ValueError: The matrix has less than two axes.

    >>> operator = LinearOperatorFullMatrix([[2.0, 1.0], [0.0, 4.0]])
    >>> operator.matvec([1.0, 1.0]).numpy().tolist(), operator.trace().numpy().item()
    ([3.0, 4.0], 6.0)
    """

    def __init__(
        self,
        matrix: Any,
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = None,
        name: str = "LinearOperatorFullMatrix",
    ) -> None:
        parameters = arguments(locals())
        matrix = kept(matrix, "matrix")
        if matrix.dtype not in _ALLOWED:
            raise TypeError(
                f"Argument `matrix` must have dtype in {[d.name for d in _ALLOWED]}, got "
                f"{matrix.dtype.name}"
            )
        need_rank(matrix, 2, "matrix")
        super().__init__(
            matrix.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=is_square,
            parameters=parameters,
            name=name,
        )
        self._matrix: Tensor = matrix

    @property
    def matrix(self) -> Tensor:
        """The matrices that the operator holds."""
        return self._matrix

    def _sizes(self) -> Sizes:
        return shape_of(self._matrix)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return matmul(self._matrix, x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _to_dense(self) -> Tensor:
        return tensor(self._matrix)

    @property
    def _composite_tensor_fields(self) -> tuple[str, ...]:
        return ("matrix",)

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"matrix": 2}


@export("linalg.LinearOperatorLowerTriangular")
class LinearOperatorLowerTriangular(FromSizes, LinearOperator):
    """Lower triangular matrices: systems of equations are solved by substitution.

    Args:
      tril: Square matrices, a tensor of shape (..., n, n). Elements above the diagonal are ignored.
      is_non_singular: A hint; see `LinearOperator`.
      is_self_adjoint: A hint; see `LinearOperator`.
      is_positive_definite: A hint; see `LinearOperator`.
      is_square: Must not be False.
      name: A name.

    Raises:
      ValueError: `tril` has less than two axes, or is_square is False.

    >>> operator = LinearOperatorLowerTriangular([[2.0, 9.0], [1.0, 4.0]])
    >>> operator.solvevec([2.0, 9.0]).numpy().tolist(), operator.determinant().numpy().item()
    ([1.0, 2.0], 8.0)
    """

    def __init__(
        self,
        tril: Any,
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = None,
        name: str = "LinearOperatorLowerTriangular",
    ) -> None:
        parameters = arguments(locals())
        tril = kept(tril, "tril")
        need_rank(tril, 2, "tril")
        super().__init__(
            tril.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=implied(is_square, True, "A lower triangular operator is always square"),
            parameters=parameters,
            name=name,
        )
        self._tril: Tensor = tril

    @property
    def tril(self) -> Tensor:
        """The matrices, including the ignored elements above their diagonals."""
        return self._tril

    def _sizes(self) -> Sizes:
        return shape_of(self._tril)

    def _assert_non_singular(self) -> None:
        assert_no_zeros(
            diag_part(self._tril), "Singular operator:  Diagonal contained zero values."
        )

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return matmul(self._to_dense(), x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return triangular_solved(self._tril, flipped(rhs, adjoint_arg), adjoint)

    def _determinant(self) -> Tensor:
        return reduce_prod(diag_part(self._tril), axis=-1)

    def _log_abs_determinant(self) -> Tensor:
        return reduce_sum(log(absolute(diag_part(self._tril))), axis=-1)

    def _to_dense(self) -> Tensor:
        return band_part(self._tril, -1, 0)

    def _diag_part(self) -> Tensor:
        return diag_part(self._tril)

    def _eigvals(self) -> Tensor:
        return diag_part(self._tril)

    @property
    def _composite_tensor_fields(self) -> tuple[str, ...]:
        return ("tril",)

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"tril": 2}


@export("linalg.LinearOperatorTridiag")
class LinearOperatorTridiag(FromSizes, LinearOperator):
    """Tridiagonal matrices, given by their three diagonals.

    Products and solutions take time proportional to the number of rows.

    Args:
      diagonals: In the format "compact", a tensor of shape (..., 3, n) with the superdiagonal, the
        main diagonal and the subdiagonal; the last element of the superdiagonal and the first of
        the subdiagonal are ignored. In the format "sequence", a list of the three diagonals. In the
        format "matrix", a tensor of shape (..., n, n).
      diagonals_format: The format of the diagonals.
      is_non_singular: A hint; see `LinearOperator`.
      is_self_adjoint: A hint; see `LinearOperator`.
      is_positive_definite: A hint; see `LinearOperator`.
      is_square: A hint; see `LinearOperator`.
      name: A name.

    Raises:
      ValueError: `diagonals_format` is unknown.

    >>> operator = LinearOperatorTridiag([[1.0, 1.0, 0.0], [4.0, 4.0, 4.0], [0.0, 2.0, 2.0]])
    >>> operator.matvec([1.0, 1.0, 1.0]).numpy().tolist()
    [5.0, 7.0, 6.0]
    """

    def __init__(
        self,
        diagonals: Any,
        diagonals_format: str = "compact",
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = None,
        name: str = "LinearOperatorTridiag",
    ) -> None:
        parameters = arguments(locals())
        if diagonals_format not in _FORMATS:
            raise ValueError(
                f"Argument `diagonals_format` must be one of {', '.join(_FORMATS)}, got "
                f"{diagonals_format!r}"
            )
        if diagonals_format == "sequence":
            diagonals = [kept(d, f"diag_{i}") for i, d in enumerate(diagonals)]
            dtype = diagonals[0].dtype
        else:
            diagonals = kept(diagonals, "diagonals")
            dtype = diagonals.dtype
        super().__init__(
            dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=is_square,
            parameters=parameters,
            name=name,
        )
        self._diagonals: Any = diagonals
        self._diagonals_format = diagonals_format

    @property
    def diagonals(self) -> Tensor | list[Tensor]:
        """The diagonals, in their format."""
        found: Tensor | list[Tensor] = self._diagonals
        return found

    @property
    def diagonals_format(self) -> str:
        """The format of the diagonals: "compact", "sequence" or "matrix"."""
        return self._diagonals_format

    def _sizes(self) -> Sizes:
        if self._diagonals_format == "matrix":
            return shape_of(self._diagonals)
        if self._diagonals_format == "sequence":
            batch = broadcast_shapes(*[shape_of(d)[:-1] for d in self._diagonals])
            n = shape_of(self._diagonals[1])[-1]
            return (*batch, n, n)
        sizes = shape_of(self._diagonals)
        return (*sizes[:-2], sizes[-1], sizes[-1])

    def _three(self, adjoint: bool = False) -> Tensor:
        """Returns the diagonals, or those of the conjugate transposes, in the format "compact"."""
        if self._diagonals_format == "matrix":
            rows = diag_part(self._diagonals, k=(-1, 1), align="LEFT_RIGHT")
            above, main, below = (rows[..., i, :] for i in range(3))
        elif self._diagonals_format == "sequence":
            batch = self._sizes()[:-2]
            above, main, below = (with_batch(d, batch, 1) for d in self._diagonals)
        elif not adjoint:
            return tensor(self._diagonals)
        else:
            rows = tensor(self._diagonals)
            above, main, below = (rows[..., i, :] for i in range(3))
        if adjoint:  # The ignored elements move to the other end, too.
            above, below = roll(below, -1, axis=-1), roll(above, 1, axis=-1)
        return conjugated(stack([above, main, below], axis=-2), adjoint)

    def _assert_self_adjoint(self) -> None:
        three = self._three()
        assert_real(three[..., 1, :], "There were imaginary parts on the main diagonal.")
        above, below = three[..., 0, :-1], three[..., 2, 1:]
        below = conj(below) if self.dtype.is_complex else below
        assert_equal(below, above, message="The diagonals beside the main one are not conjugate.")

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        x = flipped(x, adjoint_arg)
        three = self._three(adjoint)
        return tridiagonal_matmul(
            with_batch(three, shape_of(x)[:-2]), with_batch(x, shape_of(three)[:-2])
        )

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        rhs = flipped(rhs, adjoint_arg)
        three = self._three(adjoint)
        return tridiagonal_solve(
            with_batch(three, shape_of(rhs)[:-2]), with_batch(rhs, shape_of(three)[:-2])
        )

    def _to_dense(self) -> Tensor:
        if self._diagonals_format == "matrix":
            return tensor(self._diagonals)
        return diag_of(self._three(), k=(-1, 1), align="LEFT_RIGHT")

    def _diag_part(self) -> Tensor:
        if self._diagonals_format == "matrix":
            return diag_part(self._diagonals)
        if self._diagonals_format == "sequence":
            return with_batch(self._diagonals[1], self._sizes()[:-2], 1)
        return self._three()[..., 1, :]

    @property
    def _composite_tensor_fields(self) -> tuple[str, ...]:
        return ("diagonals", "diagonals_format")

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"diagonals": [1, 1, 1] if self._diagonals_format == "sequence" else 2}
