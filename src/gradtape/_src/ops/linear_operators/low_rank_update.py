"""Operators with an update of low rank."""

from __future__ import annotations

from typing import Any

from gradtape._src.base.export import export
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.unknown_sizes import broadcast_shapes
from gradtape._src.ops.elementwise.exponential import log
from gradtape._src.ops.linalg.diagonals import diag_part
from gradtape._src.ops.linalg.matmul import matmul
from gradtape._src.ops.linalg.solve import cholesky, cholesky_solve, det, slogdet
from gradtape._src.ops.linear_operators.diag import LinearOperatorDiag
from gradtape._src.ops.linear_operators.hints import Hint, arguments, implied
from gradtape._src.ops.linear_operators.identity_and_zeros import LinearOperatorIdentity
from gradtape._src.ops.linear_operators.linear_operator import LinearOperator
from gradtape._src.ops.linear_operators.operator_shape import FromSizes, sizes_of
from gradtape._src.ops.linear_operators.stacks import (
    Sizes,
    conjugated,
    flipped,
    kept,
    solved,
    with_batch,
)
from gradtape._src.ops.reduce.reductions import reduce_sum

_REAL = "`{}` must be True or None for a real update U D U^H of a self-adjoint operator"
_POSITIVE = (
    "`{}` must be True or None for a positive update U D U^H of a positive definite operator"
)


@export("linalg.LinearOperatorLowRankUpdate")
class LinearOperatorLowRankUpdate(FromSizes, LinearOperator):
    """An operator L with an update of rank r: L + U D V^H.

    By the Woodbury formula and the matrix determinant lemma, solving and determinants need only
    solutions and determinants of L and of an r by r matrix.

    Args:
      base_operator: The operator L, of m rows and n columns.
      u: The matrices U, a tensor of L's dtype and shape (..., m, r).
      diag_update: The diagonals of D, a tensor of shape (..., r); ones by default.
      v: The matrices V, a tensor of shape (..., n, r); U by default.
      is_diag_update_positive: Whether D is known to be positive.
      is_non_singular: A hint; see `LinearOperator`. It is inferred like `is_positive_definite`.
      is_self_adjoint: A hint. It is inferred to be True if `v` is not given, L is self-adjoint and
        the dtype is real, or if `is_positive_definite` is inferred.
      is_positive_definite: A hint. It is inferred to be True if `v` is not given, L is self-adjoint
        and positive definite, and D is positive.
      is_square: A hint; see `LinearOperator`.
      name: The operator's name.

    Raises:
      ValueError: The shapes are incompatible, or a hint contradicts what follows from the other
        arguments.

    >>> from gradtape.linalg import LinearOperatorDiag
    >>> operator = LinearOperatorLowRankUpdate(LinearOperatorDiag([1.0, 2.0]), [[1.0], [1.0]])
    >>> operator.to_dense().numpy().tolist()
    [[2.0, 1.0], [1.0, 3.0]]
    """

    def __init__(
        self,
        base_operator: LinearOperator,
        u: Any,
        diag_update: Any = None,
        v: Any = None,
        is_diag_update_positive: Hint = None,
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = None,
        name: str = "LinearOperatorLowRankUpdate",
    ) -> None:
        parameters = arguments(locals())
        if diag_update is None:
            what = "LinearOperatorLowRankUpdate: `is_diag_update_positive` must be True or None "
            what += "without `diag_update`, which is ones by default"
            is_diag_update_positive = implied(is_diag_update_positive, True, what)
        symmetric = bool(base_operator.is_self_adjoint and v is None)
        self._use_cholesky = bool(
            symmetric and base_operator.is_positive_definite and is_diag_update_positive
        )
        if symmetric and not base_operator.dtype.is_complex:
            is_self_adjoint = implied(is_self_adjoint, True, _REAL.format("is_self_adjoint"))
        if self._use_cholesky:
            implied(is_non_singular, True, _POSITIVE.format("is_non_singular"))
            is_self_adjoint = implied(is_self_adjoint, True, _POSITIVE.format("is_self_adjoint"))
            what = _POSITIVE.format("is_positive_definite")
            is_positive_definite = implied(is_positive_definite, True, what)
        self._u = kept(u, "u")
        self._v = self._u if v is None else kept(v, "v")
        self._diag_update = None if diag_update is None else kept(diag_update, "diag_update")
        self._base_operator = base_operator
        self._is_diag_update_positive = is_diag_update_positive
        super().__init__(
            base_operator.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=is_square,
            parameters=parameters,
            name=name,
        )
        self._diag_operator = self._diagonal()
        self._check_shapes()

    def _diagonal(self) -> LinearOperator:
        """Returns the operator D."""
        positive = self._is_diag_update_positive
        if self._diag_update is None:
            return LinearOperatorIdentity(shape_of(self._u)[-1], dtype=self.dtype)
        return LinearOperatorDiag(self._diag_update, is_positive_definite=positive)

    def _check_shapes(self) -> None:
        """Raises ValueError if `u`, `v` or `diag_update` do not match the operator's shape."""
        sizes = self._sizes()
        u, v = shape_of(self._u), shape_of(self._v)
        rank = sizes_of(self._diag_operator)[-1]
        if (u[-2], v[-2]) != sizes[-2:] or not u[-1] == v[-1] == rank:
            raise ValueError(
                f"{self.name}: for an operator of shape {tuple(sizes)}, `u` must have shape "
                f"(..., {sizes[-2]}, r), `v` shape (..., {sizes[-1]}, r) and `diag_update` shape "
                f"(..., r), with one r for all; got `u` of shape {u}, `v` of shape {v} and "
                f"`diag_update` of length {rank}"
            )

    @property
    def u(self) -> Tensor:
        """The matrices U."""
        return self._u

    @property
    def v(self) -> Tensor:
        """The matrices V."""
        return self._v

    @property
    def is_diag_update_positive(self) -> Hint:
        """Whether D is known to be positive."""
        return self._is_diag_update_positive

    @property
    def diag_update(self) -> Tensor | None:
        """The diagonals of D; None if `diag_update` was not given, which makes D the identity."""
        return self._diag_update

    @property
    def diag_operator(self) -> LinearOperator:
        """The operator D."""
        return self._diag_operator

    @property
    def base_operator(self) -> LinearOperator:
        """The operator L."""
        return self._base_operator

    def _sizes(self) -> Sizes:
        base = sizes_of(self._base_operator)
        parts = [shape_of(self._u)[:-2], shape_of(self._v)[:-2]]
        if self._diag_update is not None:
            parts.append(shape_of(self._diag_update)[:-1])
        return (*broadcast_shapes(base[:-2], *parts), *base[-2:])

    def _assert_self_adjoint(self) -> None:
        if self._u is self._v and self._diag_update is None:
            self._base_operator.assert_self_adjoint()
        else:
            super()._assert_self_adjoint()

    def _factors(self, adjoint: bool) -> tuple[Any, Any]:
        """Returns U and V, or V and U for the adjoint."""
        return (self._v, self._u) if adjoint else (self._u, self._v)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        left, right = self._factors(adjoint)
        x = flipped(x, adjoint_arg)
        inner = self._diag_operator.matmul(matmul(right, x, adjoint_a=True), adjoint=adjoint)
        return self._base_operator.matmul(x, adjoint=adjoint) + matmul(left, inner)

    def _capacitance(self) -> Tensor:
        """Returns the matrix of r rows, D^-1 + V^H L^-1 U."""
        inner = matmul(self._v, self._base_operator.solve(self._u), adjoint_a=True)
        return self._diag_operator.inverse().add_to_tensor(inner)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        """Returns L^-1 b - L^-1 U C^-1 V^H L^-1 b (Woodbury), where C is `_capacitance()`."""
        if self._base_operator.is_non_singular is False:
            return super()._solve(rhs, adjoint, adjoint_arg)
        left, right = self._factors(adjoint)
        first = self._base_operator.solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        inner = matmul(right, first, adjoint_a=True)
        small = self._capacitance()
        if self._use_cholesky:
            batch = broadcast_shapes(shape_of(small)[:-2], shape_of(inner)[:-2])
            factor = with_batch(cholesky(small), batch)
            inner = cholesky_solve(factor, with_batch(inner, batch))
        else:
            inner = solved(small, inner, adjoint)
        return first - self._base_operator.solve(matmul(left, inner), adjoint=adjoint)

    def _determinant(self) -> Tensor:
        """Returns det(L) det(D) det(C), by the matrix determinant lemma; C is `_capacitance()`."""
        if self._base_operator.is_non_singular is False:
            return super()._determinant()
        known = self._base_operator.determinant() * self._diag_operator.determinant()
        return known * det(self._capacitance())

    def _log_abs_determinant(self) -> Tensor:
        if self._base_operator.is_non_singular is False:
            return super()._log_abs_determinant()
        small = self._capacitance()
        if self._use_cholesky:
            last = 2 * reduce_sum(log(diag_part(cholesky(small))), axis=-1)
        else:
            last = slogdet(small)[1]
        known = self._base_operator.log_abs_determinant()
        return known + self._diag_operator.log_abs_determinant() + last

    def _diag_part(self) -> Tensor:
        products = self._u * conjugated(self._v, True)
        if self._diag_update is not None:
            products = products * self._diag_update[..., None, :]
        update = reduce_sum(products, axis=-1)
        return with_batch(self._base_operator.diag_part() + update, self._sizes()[:-2], 1)

    def _to_dense(self) -> Tensor:
        update = matmul(self._u, self._diag_operator.matmul(self._v, adjoint_arg=True))
        return with_batch(self._base_operator.to_dense() + update, self._sizes()[:-2])

    @property
    def _composite_tensor_fields(self) -> tuple[str, ...]:
        return ("base_operator", "u", "diag_update", "v", "is_diag_update_positive")

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"base_operator": 0, "u": 2, "diag_update": 1, "v": 2}
