"""Properties of operators, and the numbers that follow from their dense matrices."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import DType
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.control.assertions import assert_equal, assert_less, assert_positive
from gradtape._src.ops.elementwise.arithmetic import abs as absolute
from gradtape._src.ops.elementwise.exponential import exp, log
from gradtape._src.ops.linalg.decompositions import eigvalsh, svd
from gradtape._src.ops.linalg.diagonals import adjoint as adjoint_of
from gradtape._src.ops.linalg.diagonals import diag_part as diag_part_of
from gradtape._src.ops.linalg.solve import cholesky as cholesky_of
from gradtape._src.ops.linalg.solve import det, slogdet
from gradtape._src.ops.linear_operators.hints import Hint
from gradtape._src.ops.linear_operators.operator_shape import OperatorShape
from gradtape._src.ops.reduce.extremes import reduce_max, reduce_min
from gradtape._src.ops.reduce.reductions import reduce_sum

_SAFE = 100.0  # The least rounding error that is allowed, as a multiple of the dtype's epsilon.


class Quantities(OperatorShape):
    """The hints of an operator, checks of them, determinants and the like.

    Each public method calls a private one of the same name with an underscore. Subclasses override
    it if they need not compute the dense matrix.
    """

    _dtype: Any
    _is_non_singular: Hint
    _is_self_adjoint: Hint
    _is_positive_definite: Hint
    _square_hint: Hint
    _name: str

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        found: DType = self._dtype
        return found

    @property
    def name(self) -> str:
        """The operator's name."""
        return self._name

    @property
    def is_non_singular(self) -> Hint:
        """Whether the matrix is known to be non-singular; None if that is unknown."""
        return self._is_non_singular

    @property
    def is_self_adjoint(self) -> Hint:
        """Whether the matrix is known to be its own conjugate transpose."""
        return self._is_self_adjoint

    @property
    def is_positive_definite(self) -> Hint:
        """Whether the matrix is known to be positive definite."""
        return self._is_positive_definite

    @property
    def is_square(self) -> Hint:
        """Whether the matrix has as many rows as columns.

        Raises:
          ValueError: The matrix is square, and the hint was False.
        """
        rows, columns = self.range_dimension, self.domain_dimension
        same = None if rows is None or columns is None else rows == columns
        if self._square_hint is False and same:
            raise ValueError(
                f"{self.name}: is_square is False, but the matrix is square, of shape {self.shape}"
            )
        return same if self._square_hint is None else self._square_hint

    def _can_use_cholesky(self) -> bool:
        return bool(self.is_self_adjoint and self.is_positive_definite)

    @abstractmethod
    def _to_dense(self) -> Tensor:
        """Returns the matrices as a tensor."""

    def to_dense(self, name: str = "to_dense") -> Tensor:
        """Returns the matrices as a tensor of the operator's shape.

        Args:
          name: Accepted for compatibility.

        Returns:
          A tensor of the shape (..., rows, columns).
        """
        return self._to_dense()

    def _need_dtype(self, x: Tensor, name: str) -> None:
        if x.dtype is not self.dtype:
            raise TypeError(
                f"{self.name}: expected `{name}` to have dtype {self.dtype.name}, got a tensor of "
                f"dtype {x.dtype.name} and shape {x.shape}"
            )

    def _assert_non_singular(self) -> None:
        if self._can_use_cholesky():
            self.assert_positive_definite()
            return
        values = svd(self.to_dense(), compute_uv=False)
        longest = max(_SAFE, self.range_dimension or 0, self.domain_dimension or 0)
        greatest = 1.0 / (longest * np.finfo(self.dtype.np_dtype).eps)
        found = reduce_max(values, axis=-1) / reduce_min(values, axis=-1)
        bound = convert_to_tensor(greatest, dtype=found.dtype)
        assert_less(found, bound, message="Singular matrix up to precision epsilon.")

    def assert_non_singular(self, name: str = "assert_non_singular") -> None:
        """Raises InvalidArgumentError if a matrix is singular up to rounding errors.

        Args:
          name: Accepted for compatibility.
        """
        self._assert_non_singular()

    def _assert_positive_definite(self) -> None:
        if not self.is_self_adjoint:
            raise NotImplementedError(
                f"{self.name}: assert_positive_definite is for operators with the hint "
                "is_self_adjoint"
            )
        factor = cholesky_of(self.to_dense())
        assert_positive(diag_part_of(factor), message="Matrix was not positive definite.")

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> None:
        """Raises InvalidArgumentError if a matrix is not positive definite.

        Args:
          name: Accepted for compatibility.

        Raises:
          NotImplementedError: The operator has no hint that it is self-adjoint.
        """
        self._assert_positive_definite()

    def _assert_self_adjoint(self) -> None:
        dense = self.to_dense()
        assert_equal(dense, adjoint_of(dense), message="Matrix was not equal to its adjoint.")

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> None:
        """Raises InvalidArgumentError if a matrix is not its own conjugate transpose.

        Args:
          name: Accepted for compatibility.
        """
        self._assert_self_adjoint()

    def _determinant(self) -> Tensor:
        if self._can_use_cholesky():
            return exp(self.log_abs_determinant())
        return det(self.to_dense())

    def determinant(self, name: str = "det") -> Tensor:
        """Returns the determinants of the matrices.

        Args:
          name: Accepted for compatibility.

        Returns:
          A tensor of the batch shape.

        Raises:
          NotImplementedError: The operator is not square.
        """
        self._need_square("Determinant")
        return self._determinant()

    def _log_abs_determinant(self) -> Tensor:
        if self._can_use_cholesky():
            diagonal = diag_part_of(cholesky_of(self.to_dense()))
            return 2 * reduce_sum(log(diagonal), axis=-1)
        return slogdet(self.to_dense())[1]

    def log_abs_determinant(self, name: str = "log_abs_det") -> Tensor:
        """Returns the logarithms of the absolute values of the determinants.

        Args:
          name: Accepted for compatibility.

        Returns:
          A tensor of the batch shape.

        Raises:
          NotImplementedError: The operator is not square.
        """
        self._need_square("Determinant")
        return self._log_abs_determinant()

    def _need_square(self, what: str) -> None:
        if self.is_square is False:
            raise NotImplementedError(
                f"{what} not implemented for an operator that is expected to not be square."
            )

    def _diag_part(self) -> Tensor:
        return diag_part_of(self.to_dense())

    def diag_part(self, name: str = "diag_part") -> Tensor:
        """Returns the main diagonals of the matrices.

        Args:
          name: Accepted for compatibility.

        Returns:
          A tensor of shape (..., n), where n is the smaller of the numbers of rows and columns.
        """
        return self._diag_part()

    def _trace(self) -> Tensor:
        return reduce_sum(self.diag_part(), axis=-1)

    def trace(self, name: str = "trace") -> Tensor:
        """Returns the sums of the elements on the main diagonals.

        Args:
          name: Accepted for compatibility.

        Returns:
          A tensor of the batch shape.
        """
        return self._trace()

    def _add_to_tensor(self, x: Tensor) -> Tensor:
        return self.to_dense() + x

    def add_to_tensor(self, x: Any, name: str = "add_to_tensor") -> Tensor:
        """Returns the sums of the matrices and a tensor, which broadcast.

        Args:
          x: A tensor of the operator's dtype, whose shape broadcasts against that of the matrices.
          name: Accepted for compatibility.

        Returns:
          A tensor of the shape to which both broadcast.

        Raises:
          TypeError: The dtypes differ.
        """
        out = convert_to_tensor(x, name="x")
        self._need_dtype(out, "x")
        return self._add_to_tensor(out)

    def _eigvals(self) -> Tensor:
        return eigvalsh(self.to_dense())

    def eigvals(self, name: str = "eigvals") -> Tensor:
        """Returns the eigenvalues of the matrices.

        Args:
          name: Accepted for compatibility.

        Returns:
          A tensor of shape (..., rows).

        Raises:
          NotImplementedError: The operator has no hint that it is self-adjoint.
        """
        if not self.is_self_adjoint:
            raise NotImplementedError(
                f"{self.name}: eigvals is for operators with the hint is_self_adjoint"
            )
        return self._eigvals()

    def _cond(self) -> Tensor:
        if self.is_self_adjoint:
            values = absolute(self._eigvals())
        else:
            values = svd(self.to_dense(), compute_uv=False)
        return reduce_max(values, axis=-1) / reduce_min(values, axis=-1)

    def cond(self, name: str = "cond") -> Tensor:
        """Returns the condition numbers: the greatest singular value divided by the smallest.

        Args:
          name: Accepted for compatibility.

        Returns:
          A tensor of the batch shape.
        """
        return self._cond()
