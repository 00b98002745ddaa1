"""Products of operators, one applied after the other."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from gradtape._src.base.export import export
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.unknown_sizes import broadcast_shapes
from gradtape._src.ops.linear_operators.adjoint_and_inverse import LinearOperatorAdjoint
from gradtape._src.ops.linear_operators.hints import Hint, arguments, implied, shared_by_all
from gradtape._src.ops.linear_operators.linear_operator import LinearOperator
from gradtape._src.ops.linear_operators.operator_shape import FromSizes, sizes_of
from gradtape._src.ops.linear_operators.stacks import Sizes, flipped, product, total


def checked_operators(operators: Any, owner: str) -> list[LinearOperator]:
    """Returns the parts of a composed operator as a list.

    Args:
      operators: The program's argument.
      owner: The class of the composed operator, for the message.

    Raises:
      TypeError: `operators` is not a list of operators, or their dtypes differ.
      ValueError: `operators` is empty.
    """
    if isinstance(operators, (LinearOperator, str)) or not isinstance(operators, Iterable):
        raise TypeError(f"{owner}: `operators` must be a list of operators, got {operators!r}")
    found = list(operators)
    if not found:
        raise ValueError(f"{owner}: `operators` must have one or more operators, got none")
    dtypes = {operator.dtype for operator in found}
    if len(dtypes) > 1:
        shown = ", ".join(f"{operator.name} of {operator.dtype.name}" for operator in found)
        raise TypeError(f"{owner}: all operators must have one dtype, got {shown}")
    return found


def is_gram(operators: list[LinearOperator]) -> bool:
    """Whether a product is known to be A A^H."""
    if len(operators) != 2:
        return False
    first, second = operators
    if isinstance(second, LinearOperatorAdjoint) and second.operator is first:
        return True
    if isinstance(first, LinearOperatorAdjoint) and first.operator is second:
        return True
    return first is second and first.is_self_adjoint is True


@export("linalg.LinearOperatorComposition")
class LinearOperatorComposition(FromSizes, LinearOperator):
    """The product of operators, A B C, which are applied one after another.

    Args:
      operators: The operators, of one dtype; the last one is applied first.
      is_non_singular: A hint; see `LinearOperator`. Defaults to True if it is True of all
        operators.
      is_self_adjoint: A hint; see `LinearOperator`. Defaults to True for A A^H.
      is_positive_definite: A hint; see `LinearOperator`. Defaults to True for
        A A^H with a non-singular A.
      is_square: A hint; see `LinearOperator`.
      name: The name; by default the names of the operators, joined by "_o_".

    Raises:
      TypeError: The dtypes differ.
      ValueError: There are no operators, their shapes are not compatible, or a hint is wrong.

    >>> from gradtape.linalg import LinearOperatorFullMatrix
    >>> turn = LinearOperatorFullMatrix([[0.0, -1.0], [1.0, 0.0]])
    >>> LinearOperatorComposition([turn, turn]).to_dense().numpy().tolist()
    [[-1.0, 0.0], [0.0, -1.0]]
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
        operators = checked_operators(operators, "LinearOperatorComposition")
        is_non_singular = shared_by_all(
            operators, "is_non_singular", is_non_singular, "A composition"
        )
        if len(operators) == 1 and operators[0].is_self_adjoint:
            what = "The composition is one self-adjoint operator"
            is_self_adjoint = implied(is_self_adjoint, True, what)
        if is_gram(operators):
            what = "The composition is A @ A.H, which"
            is_self_adjoint = implied(is_self_adjoint, True, f"{what} is self-adjoint")
            is_square = implied(is_square, True, f"{what} is square")
            if is_non_singular:
                is_positive_definite = implied(
                    is_positive_definite, True, f"{what} is positive definite"
                )
        self._operators: list[LinearOperator] = operators
        super().__init__(
            operators[0].dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=is_square,
            parameters=parameters,
            name="_o_".join(o.name for o in operators) if name is None else name,
        )

    @property
    def operators(self) -> list[LinearOperator]:
        """The operators; the last one is applied first."""
        return self._operators

    def _sizes(self) -> Sizes:
        sizes = [sizes_of(operator) for operator in self._operators]
        for before, after in pairwise(sizes):
            if before[-1] != after[-2]:
                raise ValueError(
                    f"{self.name}: operators of {before[-1]} columns and of {after[-2]} rows "
                    "can't be multiplied"
                )
        batch = broadcast_shapes(*[s[:-2] for s in sizes])
        return (*batch, sizes[0][-2], sizes[-1][-1])

    def _in_turn(self, adjoint: bool) -> list[LinearOperator]:
        """Returns the operators in the order in which they are applied to an operand."""
        return self._operators if adjoint else self._operators[::-1]

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        out = flipped(x, adjoint_arg)
        for operator in self._in_turn(adjoint):
            out = operator.matmul(out, adjoint=adjoint)
        return out

    def _all_square(self) -> bool:
        return all(operator.is_square for operator in self._operators)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        if not self._all_square():
            return super()._solve(rhs, adjoint, adjoint_arg)
        out = flipped(rhs, adjoint_arg)
        for operator in self._in_turn(not adjoint):
            out = operator.solve(out, adjoint=adjoint)
        return out

    def _determinant(self) -> Tensor:
        if not self._all_square():
            return super()._determinant()
        return product(operator.determinant() for operator in self._operators)

    def _log_abs_determinant(self) -> Tensor:
        if not self._all_square():
            return super()._log_abs_determinant()
        return total(operator.log_abs_determinant() for operator in self._operators)

    def _assert_non_singular(self) -> None:
        if not self._all_square():
            super()._assert_non_singular()
            return
        for operator in self._operators:
            operator.assert_non_singular()

    @property
    def _composite_tensor_fields(self) -> tuple[str, ...]:
        return ("operators",)

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"operators": [0] * len(self._operators)}
