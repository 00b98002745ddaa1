"""Kronecker products of operators."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from math import prod
from typing import Any

from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.base.export import export
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.unknown_sizes import broadcast_shapes
from gradtape._src.ops.array.shaping import reshape
from gradtape._src.ops.linalg.diagonals import matrix_transpose
from gradtape._src.ops.linear_operators.composition import checked_operators
from gradtape._src.ops.linear_operators.hints import Hint, arguments, shared_by_all
from gradtape._src.ops.linear_operators.linear_operator import LinearOperator
from gradtape._src.ops.linear_operators.operator_shape import FromSizes, sizes_of
from gradtape._src.ops.linear_operators.stacks import Sizes, flipped, product, total, with_batch

Step = Callable[[LinearOperator, Tensor], Tensor]


def _outer(x: Tensor, y: Tensor) -> Tensor:
    """Returns the flattened outer product of two vectors.

    The index of the second varies fastest.
    """
    product = x[..., :, None] * y[..., None, :]
    *batch, a, b = shape_of(product)
    return reshape(product, (*batch, a * b))


def _block_product(x: Tensor, y: Tensor) -> Tensor:
    """Returns the Kronecker product of two stacks of matrices."""
    product = x[..., :, None, :, None] * y[..., None, :, None, :]
    *batch, a, b, c, d = shape_of(product)
    return reshape(product, (*batch, a * b, c * d))


@export("linalg.LinearOperatorKronecker")
class LinearOperatorKronecker(FromSizes, LinearOperator):
    """The Kronecker product of operators: each is applied along a separate axis.

    Args:
      operators: The factors, of one dtype.
      is_non_singular: A hint; see `LinearOperator`. By default, each hint is True if it is True of
        all factors.
      is_self_adjoint: A hint; see `LinearOperator`.
      is_positive_definite: A hint; see `LinearOperator`.
      is_square: A hint; see `LinearOperator`.
      name: The name; by default the names of the factors, joined by "_x_".

    Raises:
      TypeError: The dtypes differ.
      ValueError: There are no factors, or a hint is wrong.

    >>> from gradtape.linalg import LinearOperatorDiag, LinearOperatorFullMatrix
    >>> swap = LinearOperatorFullMatrix([[0.0, 1.0], [1.0, 0.0]])
    >>> operator = LinearOperatorKronecker([LinearOperatorDiag([1.0, 10.0]), swap])
    >>> operator.matvec([1.0, 2.0, 3.0, 4.0]).numpy().tolist()
    [2.0, 1.0, 40.0, 30.0]
    """

    def __init__(
        self,
        operators: Any,
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = None,
        name: str | None = None,
    ) -> None:
        parameters = arguments(locals())
        operators = checked_operators(operators, "LinearOperatorKronecker")
        self._operators: list[LinearOperator] = operators
        what = "A Kronecker product"
        super().__init__(
            operators[0].dtype,
            is_non_singular=shared_by_all(operators, "is_non_singular", is_non_singular, what),
            is_self_adjoint=shared_by_all(operators, "is_self_adjoint", is_self_adjoint, what),
            is_positive_definite=shared_by_all(
                operators, "is_positive_definite", is_positive_definite, what
            ),
            is_square=is_square,
            parameters=parameters,
            name="_x_".join(o.name for o in operators) if name is None else name,
        )

    @property
    def operators(self) -> list[LinearOperator]:
        """The factors of the product."""
        return self._operators

    def _sizes(self) -> Sizes:
        sizes = [sizes_of(operator) for operator in self._operators]
        batch = broadcast_shapes(*[s[:-2] for s in sizes])
        return (*batch, prod(s[-2] for s in sizes), prod(s[-1] for s in sizes))

    def _along_each(self, x: Tensor, transposed: bool, step: Step) -> Tensor:
        """Applies each factor along its axis.

        The axis of the current factor is the first. After the factor is applied, that axis becomes
        the last, so that at the end the axis of the columns of `x` is the first.

        Args:
          x: Matrices whose columns are indexed by one axis for each factor, joined.
          transposed: Whether the lengths of these axes are the numbers of rows of the factors,
            instead of columns.
          step: A function of a factor and matrices.
        """
        columns = shape_of(x)[-1]
        for operator, length in zip(self._operators, self._lengths(transposed), strict=True):
            sizes = shape_of(x)
            rest = sizes[-2] * sizes[-1] // length
            x = matrix_transpose(step(operator, reshape(x, (*sizes[:-2], length, rest))))
        rows = prod(self._lengths(not transposed))
        return matrix_transpose(reshape(x, (*shape_of(x)[:-2], columns, rows)))

    def _lengths(self, transposed: bool) -> list[Any]:
        return [sizes_of(operator)[-2 if transposed else -1] for operator in self._operators]

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._along_each(
            flipped(x, adjoint_arg),
            adjoint,
            lambda operator, part: operator.matmul(part, adjoint=adjoint),
        )

    def _all_square(self) -> bool:
        return all(operator.is_square for operator in self._operators)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        if not self._all_square():
            return super()._solve(rhs, adjoint, adjoint_arg)
        return self._along_each(
            flipped(rhs, adjoint_arg),
            not adjoint,
            lambda operator, part: operator.solve(part, adjoint=adjoint),
        )

    def _others(self, operator: LinearOperator) -> Any:
        """Returns the exponent of a factor's determinant in the determinant of the product."""
        return self._sizes()[-1] // sizes_of(operator)[-1]

    def _determinant(self) -> Tensor:
        if not self._all_square():
            return super()._determinant()
        powers = [o.determinant() ** self._others(o) for o in self._operators]
        return product(powers)

    def _log_abs_determinant(self) -> Tensor:
        if not self._all_square():
            return super()._log_abs_determinant()
        return total([o.log_abs_determinant() * self._others(o) for o in self._operators])

    def _trace(self) -> Tensor:
        if not self._all_square():
            return super()._trace()
        return product([operator.trace() for operator in self._operators])

    def _diag_part(self) -> Tensor:
        if not self._all_square():
            return super()._diag_part()
        found = reduce(_outer, [operator.diag_part() for operator in self._operators])
        return with_batch(found, self._sizes()[:-2], 1)

    def _to_dense(self) -> Tensor:
        found = reduce(_block_product, [operator.to_dense() for operator in self._operators])
        return with_batch(found, self._sizes()[:-2])

    def _eigvals(self) -> Tensor:
        return reduce(_outer, [operator.eigvals() for operator in self._operators])

    def _need_square_factors(self) -> None:
        if not self._all_square():
            raise InvalidArgumentError(
                None, None, f"{self.name}: a factor of this Kronecker product is not square"
            )

    def _assert_non_singular(self) -> None:
        self._need_square_factors()
        for operator in self._operators:
            operator.assert_non_singular()

    def _assert_self_adjoint(self) -> None:
        self._need_square_factors()
        for operator in self._operators:
            operator.assert_self_adjoint()

    @property
    def _composite_tensor_fields(self) -> tuple[str, ...]:
        return ("operators",)

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"operators": [0] * len(self._operators)}
