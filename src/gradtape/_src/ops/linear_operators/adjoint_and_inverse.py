"""Adjoints and inverses of operators; no matrix is computed for them."""

from __future__ import annotations

from typing import Any

from gradtape._src.base.export import export
from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.linalg.diagonals import adjoint as adjoint_of
from gradtape._src.ops.linear_operators.hints import Hint, arguments, implied, taken_over
from gradtape._src.ops.linear_operators.linear_operator import LinearOperator
from gradtape._src.ops.linear_operators.operator_shape import FromSizes, sizes_of
from gradtape._src.ops.linear_operators.stacks import Sizes, conjugated


class _OfOne(FromSizes, LinearOperator):
    """The base class of operators derived from another operator, whose hints they inherit."""

    _operator: LinearOperator
    _relation: str
    _suffix: str

    def _wrap(
        self,
        operator: LinearOperator,
        parameters: dict[str, Any],
        hints: dict[str, Hint],
        name: str | None,
    ) -> None:
        self._operator = operator
        both = {k: taken_over(operator, k, hint, self._relation) for k, hint in hints.items()}
        LinearOperator.__init__(
            self,
            operator.dtype,
            parameters=parameters,
            name=operator.name + self._suffix if name is None else name,
            **both,
        )

    @property
    def operator(self) -> LinearOperator:
        """The operator that this adjoint or inverse was made from."""
        return self._operator

    def _assert_non_singular(self) -> None:
        self._operator.assert_non_singular()

    def _assert_positive_definite(self) -> None:
        self._operator.assert_positive_definite()

    def _assert_self_adjoint(self) -> None:
        self._operator.assert_self_adjoint()

    @property
    def _composite_tensor_fields(self) -> tuple[str, ...]:
        return ("operator",)

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"operator": 0}


@export("linalg.LinearOperatorAdjoint")
class LinearOperatorAdjoint(_OfOne):
    """The adjoint of an operator: each method calls the operator's with `adjoint` negated.

    Args:
      operator: The operator.
      is_non_singular: A hint; see `LinearOperator`. Defaults to the operator's hint.
      is_self_adjoint: A hint; see `LinearOperator`.
      is_positive_definite: A hint; see `LinearOperator`.
      is_square: A hint; see `LinearOperator`.
      name: The name; by default the operator's name followed by "_adjoint".

    Raises:
      ValueError: A hint contradicts the operator's own.

    >>> from gradtape.linalg import LinearOperatorFullMatrix
    >>> operator = LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    >>> LinearOperatorAdjoint(operator).to_dense().numpy().tolist()
    [[1.0, 3.0], [2.0, 4.0]]
    """

    _relation = "adjoint"
    _suffix = "_adjoint"

    def __init__(
        self,
        operator: LinearOperator,
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = None,
        name: str | None = None,
    ) -> None:
        parameters = arguments(locals())
        hints = {k: v for k, v in parameters.items() if k.startswith("is_")}
        self._wrap(operator, parameters, hints, name)

    def _sizes(self) -> Sizes:
        *batch, rows, columns = sizes_of(self._operator)
        return (*batch, columns, rows)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._operator.matmul(x, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _matvec(self, x: Tensor, adjoint: bool = False) -> Tensor:
        return self._operator.matvec(x, adjoint=not adjoint)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._operator.solve(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _solvevec(self, rhs: Tensor, adjoint: bool = False) -> Tensor:
        return self._operator.solvevec(rhs, adjoint=not adjoint)

    def _determinant(self) -> Tensor:
        return conjugated(self._operator.determinant(), True)

    def _log_abs_determinant(self) -> Tensor:
        return self._operator.log_abs_determinant()

    def _trace(self) -> Tensor:
        return conjugated(self._operator.trace(), True)

    def _diag_part(self) -> Tensor:
        return conjugated(self._operator.diag_part(), True)

    def _to_dense(self) -> Tensor:
        return adjoint_of(self._operator.to_dense())

    def _eigvals(self) -> Tensor:
        return conjugated(self._operator.eigvals(), True)

    def _cond(self) -> Tensor:
        return self._operator.cond()


@export("linalg.LinearOperatorInversion")
class LinearOperatorInversion(_OfOne):
    """The inverse of an operator: multiplying by it means solving with the operator.

    Args:
      operator: The operator.
      is_non_singular: A hint; see `LinearOperator`. Defaults to the operator's hint.
      is_self_adjoint: A hint; see `LinearOperator`.
      is_positive_definite: A hint; see `LinearOperator`.
      is_square: A hint; see `LinearOperator`.
      name: The name; by default the operator's name followed by "_inv".

    Raises:
      ValueError: A hint contradicts the operator's own, or rules out an inverse.

    >>> from gradtape.linalg import LinearOperatorFullMatrix
    >>> operator = LinearOperatorFullMatrix([[2.0, 0.0], [0.0, 4.0]])
    >>> LinearOperatorInversion(operator).matvec([2.0, 2.0]).numpy().tolist()
    [1.0, 0.5]
    """

    _relation = "inverse"
    _suffix = "_inv"

    def __init__(
        self,
        operator: LinearOperator,
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = None,
        name: str | None = None,
    ) -> None:
        parameters = arguments(locals())
        for hint in ("is_non_singular", "is_square"):
            for given in (getattr(operator, hint), parameters[hint]):
                what = f"LinearOperatorInversion: `{hint}` must be True or None"
                implied(given, True, what)
        hints = {k: v for k, v in parameters.items() if k.startswith("is_")}
        self._wrap(operator, parameters, hints, name)

    def _sizes(self) -> Sizes:
        return sizes_of(self._operator)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._operator.solve(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _matvec(self, x: Tensor, adjoint: bool = False) -> Tensor:
        return self._operator.solvevec(x, adjoint=adjoint)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._operator.matmul(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _solvevec(self, rhs: Tensor, adjoint: bool = False) -> Tensor:
        return self._operator.matvec(rhs, adjoint=adjoint)

    def _determinant(self) -> Tensor:
        return 1.0 / self._operator.determinant()

    def _log_abs_determinant(self) -> Tensor:
        return -self._operator.log_abs_determinant()

    def _eigvals(self) -> Tensor:
        return 1.0 / self._operator.eigvals()

    def _cond(self) -> Tensor:
        return self._operator.cond()
