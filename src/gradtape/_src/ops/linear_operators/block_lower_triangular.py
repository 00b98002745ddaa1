"""Lower triangular matrices of blocks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gradtape._src.base import nest
from gradtape._src.base.export import export
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.unknown_sizes import broadcast_shapes
from gradtape._src.ops.array.creation import zeros
from gradtape._src.ops.array.joining import concat
from gradtape._src.ops.linear_operators.block_diag import BlockOperator, joined
from gradtape._src.ops.linear_operators.hints import Hint, arguments, implied
from gradtape._src.ops.linear_operators.linear_operator import LinearOperator
from gradtape._src.ops.linear_operators.operator_shape import sizes_of
from gradtape._src.ops.linear_operators.stacks import Sizes, product, total, with_batch

_NAME = "LinearOperatorBlockLowerTriangular"


def _rows(operators: Any) -> list[list[LinearOperator]]:
    """Checks and returns the rows of blocks; raises the errors of the class."""
    if isinstance(operators, LinearOperator) or not isinstance(operators, Iterable):
        raise TypeError(f"{_NAME}: `operators` must be a list of rows, got {operators!r}")
    rows = []
    for row in operators:
        if isinstance(row, LinearOperator) or not isinstance(row, Iterable):
            raise TypeError(f"{_NAME}: each row of `operators` must be a list, got {row!r}")
        rows.append(list(row))
    if not rows:
        raise ValueError(f"{_NAME}: `operators` must have one or more rows, got none")
    dtypes = {operator.dtype for row in rows for operator in row}
    if len(dtypes) > 1:
        shown = sorted(dtype.name for dtype in dtypes)
        raise TypeError(f"{_NAME}: all operators must have one dtype, got {shown}")
    for i, row in enumerate(rows):
        if len(row) != i + 1:
            raise ValueError(f"{_NAME}: row {i} must have {i + 1} blocks, got {len(row)}")
    return rows


def _need_fitting(rows: list[list[LinearOperator]]) -> None:
    """Raises ValueError unless the blocks match the sizes of the blocks on the diagonal."""
    for i, row in enumerate(rows):
        for j, operator in enumerate(row[:-1]):
            wanted = (row[i].range_dimension, rows[j][j].domain_dimension)
            found = (operator.range_dimension, operator.domain_dimension)
            for w, f in zip(wanted, found, strict=True):
                if None not in (w, f) and w != f:
                    raise ValueError(
                        f"{_NAME}: block {j} of row {i} must have shape {wanted}, got {found}"
                    )


@export("linalg.LinearOperatorBlockLowerTriangular")
class LinearOperatorBlockLowerTriangular(BlockOperator):
    """A lower triangular block matrix, whose blocks are operators.

    Systems of equations are solved by substitution, block by block. The right-hand operand of a
    product or system of equations may be a list of blocks, one for each row. The result is then a
    list, too.

    Args:
      operators: The rows of blocks, of one dtype: one block in the first row, two in the second and
        so on. The last block of each row is square.
      is_non_singular: A hint; see `LinearOperator`. Defaults to the hint of the blocks on the
        diagonal, if it is the same for all of them.
      is_self_adjoint: A hint; see `LinearOperator`.
      is_positive_definite: A hint; see `LinearOperator`.
      is_square: Must not be False.
      name: A name.

    Raises:
      TypeError: `operators` is not a list of rows, or the dtypes differ.
      ValueError: The shapes of the blocks are not compatible, or a hint is wrong.

    >>> from gradtape.linalg import LinearOperatorDiag, LinearOperatorFullMatrix
    >>> below = LinearOperatorFullMatrix([[1.0, 1.0]])
    >>> operator = LinearOperatorBlockLowerTriangular(
    ...     [[LinearOperatorDiag([2.0, 2.0])], [below, LinearOperatorDiag([3.0])]]
    ... )
    >>> operator.matvec([1.0, 1.0, 1.0]).numpy().tolist()
    [2.0, 2.0, 5.0]
    """

    def __init__(
        self,
        operators: Any,
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = None,
        name: str = "LinearOperatorBlockLowerTriangular",
    ) -> None:
        parameters = arguments(locals())
        rows = _rows(operators)
        diagonal = [row[-1] for row in rows]
        known = {operator.is_non_singular for operator in diagonal}
        if known == {True} or False in known:
            what = f"{_NAME} is non-singular if all blocks on the diagonal are"
            is_non_singular = implied(is_non_singular, False not in known, what)
        else:
            is_non_singular = None
        _need_fitting(rows)
        for operator in diagonal:
            implied(operator.is_square, True, f"{_NAME}: blocks on the diagonal must be square")
        self._operators: list[list[LinearOperator]] = rows
        super().__init__(
            rows[0][0].dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=implied(is_square, True, f"{_NAME} must be square"),
            parameters=parameters,
            name=name,
        )

    @property
    def operators(self) -> list[list[LinearOperator]]:
        """The rows of blocks."""
        return self._operators

    @property
    def _diagonal(self) -> list[LinearOperator]:
        return [row[-1] for row in self._operators]

    def _sizes(self) -> Sizes:
        batch = broadcast_shapes(*[sizes_of(o)[:-2] for o in nest.flatten(self._operators)])
        length = sum(sizes_of(operator)[-1] for operator in self._diagonal)
        return (*batch, length, length)

    def _block_lengths(self, adjoint: bool) -> list[Any]:
        return [sizes_of(operator)[-2 if adjoint else -1] for operator in self._diagonal]

    def _multiplied_blocks(self, blocks: list[Tensor], adjoint: bool) -> list[Tensor]:
        count = len(blocks)
        products = []
        for i in range(count):
            places = (
                [(j, i) for j in range(i, count)] if adjoint else [(i, j) for j in range(i + 1)]
            )
            terms = [
                self._operators[a][b].matmul(blocks[a if adjoint else b], adjoint=adjoint)
                for a, b in places
            ]
            products.append(total(terms))
        return products

    def _solved_blocks(self, blocks: list[Tensor], adjoint: bool) -> list[Tensor]:
        count = len(blocks)
        found: dict[int, Tensor] = {}
        for i in reversed(range(count)) if adjoint else range(count):
            rest = blocks[i]
            for j, solution in found.items():
                operator = self._operators[j][i] if adjoint else self._operators[i][j]
                rest = rest - operator.matmul(solution, adjoint=adjoint)
            found[i] = self._operators[i][i].solve(rest, adjoint=adjoint)
        return [found[i] for i in range(count)]

    def _determinant(self) -> Tensor:
        return product(operator.determinant() for operator in self._diagonal)

    def _log_abs_determinant(self) -> Tensor:
        return total([operator.log_abs_determinant() for operator in self._diagonal])

    def _trace(self) -> Tensor:
        return total([operator.trace() for operator in self._diagonal])

    def _diag_part(self) -> Tensor:
        return joined([operator.diag_part() for operator in self._diagonal], -1, 1)

    def _to_dense(self) -> Tensor:
        *batch, length, _ = self._sizes()
        rows = []
        for row in self._operators:
            blocks = [with_batch(operator.to_dense(), tuple(batch)) for operator in row]
            left = concat(blocks, -1)
            height, width = shape_of(left)[-2:]
            right = zeros((*batch, height, length - width), self.dtype)
            rows.append(concat([left, right], -1))
        return concat(rows, -2)

    def _eigvals(self) -> Tensor:
        return joined([operator.eigvals() for operator in self._diagonal], -1, 1)

    def _assert_non_singular(self) -> None:
        for operator in self._diagonal:
            operator.assert_non_singular()

    @property
    def _composite_tensor_fields(self) -> tuple[str, ...]:
        return ("operators",)

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"operators": [[0] * len(row) for row in self._operators]}
