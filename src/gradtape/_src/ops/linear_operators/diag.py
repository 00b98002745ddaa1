"""Diagonal matrices as linear operators."""

from __future__ import annotations

from typing import Any

from gradtape._src.base.export import export
from gradtape._src.core.convert import tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import shape_of
from gradtape._src.ops.control.assertions import assert_positive
from gradtape._src.ops.elementwise.arithmetic import abs as absolute
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.complex_numbers import real
from gradtape._src.ops.elementwise.exponential import log
from gradtape._src.ops.linalg.diagonals import diag as diag_of
from gradtape._src.ops.linalg.diagonals import diag_part, set_diag
from gradtape._src.ops.linear_operators.hints import Hint, arguments, implied
from gradtape._src.ops.linear_operators.linear_operator import LinearOperator
from gradtape._src.ops.linear_operators.operator_shape import FromSizes
from gradtape._src.ops.linear_operators.stacks import (
    Sizes,
    assert_no_zeros,
    assert_real,
    column,
    conjugated,
    flipped,
    kept,
    need_rank,
    with_batch,
)
from gradtape._src.ops.reduce.extremes import reduce_max, reduce_min
from gradtape._src.ops.reduce.reductions import reduce_prod, reduce_sum


@export("linalg.LinearOperatorDiag")
class LinearOperatorDiag(FromSizes, LinearOperator):
    """Diagonal matrices: products and solutions multiply and divide each row by one number.

    Args:
      diag: The diagonals, a tensor of shape (..., n).
      is_non_singular: A hint; see `LinearOperator`.
      is_self_adjoint: A hint; see `LinearOperator`. Defaults to True for real diagonals.
      is_positive_definite: A hint; see `LinearOperator`.
      is_square: Must not be False.
      name: A name.

    Raises:
      ValueError: `diag` has no axis, or a hint is wrong.

    >>> operator = LinearOperatorDiag([1.0, 2.0])
    >>> operator.matvec([5.0, 6.0]).numpy().tolist(), operator.determinant().numpy().item()
    ([5.0, 12.0], 2.0)
    """

    def __init__(
        self,
        diag: Any,
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = None,
        name: str = "LinearOperatorDiag",
    ) -> None:
        parameters = arguments(locals())
        diag = kept(diag, "diag")
        need_rank(diag, 1, "diag")
        if not diag.dtype.is_complex:
            is_self_adjoint = implied(
                is_self_adjoint, True, "A real diagonal operator is always self-adjoint"
            )
        super().__init__(
            diag.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=implied(is_square, True, "A diagonal operator is always square"),
            parameters=parameters,
            name=name,
        )
        self._diag: Tensor = diag

    @property
    def diag(self) -> Tensor:
        """The diagonals of the matrices."""
        return self._diag

    def _sizes(self) -> Sizes:
        sizes = shape_of(self._diag)
        return (*sizes, sizes[-1])

    def _assert_non_singular(self) -> None:
        assert_no_zeros(self._diag, "Singular operator:  Diagonal contained zero values.")

    def _assert_positive_definite(self) -> None:
        message = "The diagonal contained numbers without a positive real part."
        assert_positive(real(self._diag), message=message)

    def _assert_self_adjoint(self) -> None:
        assert_real(self._diag, "The diagonal contained numbers with an imaginary part.")

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return column(conjugated(self._diag, adjoint)) * flipped(x, adjoint_arg)

    def _matvec(self, x: Tensor, adjoint: bool = False) -> Tensor:
        return conjugated(self._diag, adjoint) * x

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return flipped(rhs, adjoint_arg) * column(1 / conjugated(self._diag, adjoint))

    def _solvevec(self, rhs: Tensor, adjoint: bool = False) -> Tensor:
        return rhs / conjugated(self._diag, adjoint)

    def _determinant(self) -> Tensor:
        return reduce_prod(self._diag, axis=-1)

    def _log_abs_determinant(self) -> Tensor:
        return cast(reduce_sum(log(absolute(self._diag)), axis=-1), self.dtype)

    def _to_dense(self) -> Tensor:
        return diag_of(self._diag)

    def _diag_part(self) -> Tensor:
        return tensor(self._diag)

    def _add_to_tensor(self, x: Tensor) -> Tensor:
        x = with_batch(x, shape_of(self._diag)[:-1])
        return set_diag(x, diag_part(x) + self._diag)

    def _eigvals(self) -> Tensor:
        return self._diag_part()

    def _cond(self) -> Tensor:
        size = absolute(self._diag)
        return reduce_max(size, axis=-1) / reduce_min(size, axis=-1)

    @property
    def _composite_tensor_fields(self) -> tuple[str, ...]:
        return ("diag",)

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"diag": 1}
