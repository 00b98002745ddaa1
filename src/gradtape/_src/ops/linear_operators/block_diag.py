"""Operators along the diagonal of a matrix of blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradtape._src.base.export import export
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.core.variable import Variable
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.unknown_sizes import broadcast_shapes
from gradtape._src.ops.array.creation import zeros
from gradtape._src.ops.array.joining import concat, split
from gradtape._src.ops.linear_operators.composition import checked_operators
from gradtape._src.ops.linear_operators.hints import Hint, arguments, shared_by_all
from gradtape._src.ops.linear_operators.linear_operator import LinearOperator
from gradtape._src.ops.linear_operators.operator_shape import FromSizes, sizes_of
from gradtape._src.ops.linear_operators.stacks import Sizes, flipped, product, total, with_batch


class BlockOperator(FromSizes, LinearOperator):
    """Multiplies and solves block by block; the argument may be a tensor or a list of blocks."""

    def _block_lengths(self, adjoint: bool) -> list[Any]:
        """Returns the lengths of the blocks of the right-hand operand."""
        raise NotImplementedError

    def _multiplied_blocks(self, blocks: list[Tensor], adjoint: bool) -> list[Tensor]:
        """Returns the product with each block, in the order of the blocks."""
        raise NotImplementedError

    def _solved_blocks(self, blocks: list[Tensor], adjoint: bool) -> list[Tensor]:
        """Returns the solution for each block, in the order of the blocks."""
        raise NotImplementedError

    def _blocks(self, x: Any, lengths: list[Any], axis: int) -> list[Tensor] | None:
        """Returns the blocks if `x` is a list of them, None if it is a whole tensor."""
        if not isinstance(x, (list, tuple)) or not x:
            return None
        are_tensors = all(isinstance(block, (TensorLike, Variable)) for block in x)
        if not are_tensors and not _fit(x, lengths, axis):
            return None
        if len(x) != len(lengths):
            raise ValueError(f"{self.name}: expected a list of {len(lengths)} blocks, got {len(x)}")
        return [self._block(block, n, axis) for block, n in zip(x, lengths, strict=True)]

    def _block(self, x: Any, length: Any, axis: int) -> Tensor:
        block = self._as_operand(x, "x", axis)
        if shape_of(block)[axis] != length:
            raise ValueError(
                f"Dimensions {length} and {shape_of(block)[axis]} are not compatible: a block for "
                f"{self.name} has shape {block.shape}"
            )
        return block

    def _multiplied(self, x: Any, adjoint: bool, adjoint_arg: bool) -> Any:
        axis = -1 if adjoint_arg else -2
        blocks = self._blocks(x, self._block_lengths(adjoint), axis)
        if blocks is None:
            return super()._multiplied(x, adjoint, adjoint_arg)
        return self._multiplied_blocks([flipped(b, adjoint_arg) for b in blocks], adjoint)

    def _solved(self, rhs: Any, adjoint: bool, adjoint_arg: bool) -> Any:
        axis = -1 if adjoint_arg else -2
        blocks = self._blocks(rhs, self._block_lengths(not adjoint), axis)
        if blocks is None:
            return super()._solved(rhs, adjoint, adjoint_arg)
        return self._solved_blocks([flipped(b, adjoint_arg) for b in blocks], adjoint)

    def matvec(self, x: Any, adjoint: bool = False, name: str = "matvec") -> Tensor:
        """Returns the product with vectors, as a list of blocks if the vectors are given so."""
        blocks: Any = self._blocks(x, self._block_lengths(adjoint), -1)
        if blocks is None:
            return super().matvec(x, adjoint)
        out: Tensor = _vectors(self._multiplied_blocks(_columns(blocks), adjoint))
        return out

    def solvevec(self, rhs: Any, adjoint: bool = False, name: str = "solve") -> Tensor:
        """Returns the solution for vectors, as a list of blocks if the vectors are given so."""
        self._need_solvable()
        blocks: Any = self._blocks(rhs, self._block_lengths(not adjoint), -1)
        if blocks is None:
            return super().solvevec(rhs, adjoint)
        out: Tensor = _vectors(self._solved_blocks(_columns(blocks), adjoint))
        return out

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        blocks = split(flipped(x, adjoint_arg), self._block_lengths(adjoint), axis=-2)
        return joined(self._multiplied_blocks(blocks, adjoint), -2, 2)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        blocks = split(flipped(rhs, adjoint_arg), self._block_lengths(not adjoint), axis=-2)
        return joined(self._solved_blocks(blocks, adjoint), -2, 2)


def _fit(x: Sequence[Any], lengths: list[Any], axis: int) -> bool:
    """Whether arrays or lists of numbers are blocks of these lengths, not rows of a matrix."""
    if len(x) != len(lengths):
        return False
    try:
        return all(shape_of(b)[axis] == n for b, n in zip(x, lengths, strict=True))
    except (AttributeError, IndexError):
        return False


def _columns(blocks: list[Tensor]) -> list[Tensor]:
    return [block[..., None] for block in blocks]


def _vectors(blocks: list[Tensor]) -> Any:
    return [block[..., 0] for block in blocks]


def joined(parts: Sequence[Tensor], axis: int, rank: int) -> Tensor:
    """Concatenates parts along an axis; the axes before the last `rank` ones broadcast."""
    batch = broadcast_shapes(*[shape_of(p)[: len(shape_of(p)) - rank] for p in parts])
    return concat([with_batch(p, batch, rank) for p in parts], axis)


@export("linalg.LinearOperatorBlockDiag")
class LinearOperatorBlockDiag(BlockOperator):
    """A block diagonal matrix, whose blocks are operators.

    The right-hand operand of a product or system of equations may be a list of blocks, one for each
    operator. The result is then a list, too.

    Args:
      operators: The blocks, of one dtype.
      is_non_singular: A hint; see `LinearOperator`. By default, a hint is True if it is True for
        all operators.
      is_self_adjoint: A hint; see `LinearOperator`.
      is_positive_definite: A hint; see `LinearOperator`.
      is_square: A hint; see `LinearOperator`. It must be None or False if a block is not square.
      name: The name; by default the names of the operators, joined by "_ds_".

    Raises:
      TypeError: The dtypes differ.
      ValueError: There are no operators, or a hint is wrong.

    >>> from gradtape.linalg import LinearOperatorDiag, LinearOperatorFullMatrix
    >>> swap = LinearOperatorFullMatrix([[0.0, 1.0], [1.0, 0.0]])
    >>> operator = LinearOperatorBlockDiag([swap, LinearOperatorDiag([3.0])])
    >>> operator.matvec([1.0, 2.0, 3.0]).numpy().tolist()
    [2.0, 1.0, 9.0]
    """

    def __init__(
        self,
        operators: Any,
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = True,
        name: str | None = None,
    ) -> None:
        parameters = arguments(locals())
        operators = checked_operators(operators, "LinearOperatorBlockDiag")
        self._operators: list[LinearOperator] = operators
        what = "A block diagonal operator"
        super().__init__(
            operators[0].dtype,
            is_non_singular=shared_by_all(operators, "is_non_singular", is_non_singular, what),
            is_self_adjoint=shared_by_all(operators, "is_self_adjoint", is_self_adjoint, what),
            is_positive_definite=shared_by_all(
                operators, "is_positive_definite", is_positive_definite, what
            ),
            is_square=is_square,
            parameters=parameters,
            name="_ds_".join(o.name for o in operators) if name is None else name,
        )

    @property
    def operators(self) -> list[LinearOperator]:
        """The blocks on the diagonal."""
        return self._operators

    def _sizes(self) -> Sizes:
        sizes = [sizes_of(operator) for operator in self._operators]
        batch = broadcast_shapes(*[s[:-2] for s in sizes])
        return (*batch, sum(s[-2] for s in sizes), sum(s[-1] for s in sizes))

    def _block_lengths(self, adjoint: bool) -> list[Any]:
        return [sizes_of(operator)[-2 if adjoint else -1] for operator in self._operators]

    def _multiplied_blocks(self, blocks: list[Tensor], adjoint: bool) -> list[Tensor]:
        return [o.matmul(b, adjoint=adjoint) for o, b in zip(self._operators, blocks, strict=True)]

    def _solved_blocks(self, blocks: list[Tensor], adjoint: bool) -> list[Tensor]:
        return [o.solve(b, adjoint=adjoint) for o, b in zip(self._operators, blocks, strict=True)]

    def _all_square(self) -> bool:
        return all(operator.is_square for operator in self._operators)

    def _determinant(self) -> Tensor:
        if not self._all_square():
            return super()._determinant()
        return product(operator.determinant() for operator in self._operators)

    def _log_abs_determinant(self) -> Tensor:
        if not self._all_square():
            return super()._log_abs_determinant()
        return total(operator.log_abs_determinant() for operator in self._operators)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        if not self._all_square():
            return LinearOperator._solve(self, rhs, adjoint, adjoint_arg)
        return super()._solve(rhs, adjoint, adjoint_arg)

    def _diag_part(self) -> Tensor:
        if not self._all_square():
            return super()._diag_part()
        return joined([operator.diag_part() for operator in self._operators], -1, 1)

    def _trace(self) -> Tensor:
        if not self._all_square():
            return super()._trace()
        return total(operator.trace() for operator in self._operators)

    def _to_dense(self) -> Tensor:
        sizes = self._sizes()
        batch, length = sizes[:-2], sizes[-1]
        rows = []
        before = 0
        for operator in self._operators:
            dense = with_batch(operator.to_dense(), batch)
            height, width = shape_of(dense)[-2:]
            sides = [
                zeros((*batch, height, n), self.dtype) for n in (before, length - before - width)
            ]
            rows.append(concat([sides[0], dense, sides[1]], -1))
            before = before + width
        return concat(rows, -2)

    def _eigvals(self) -> Tensor:
        return joined([operator.eigvals() for operator in self._operators], -1, 1)

    def _assert_non_singular(self) -> None:
        for operator in self._operators:
            operator.assert_non_singular()

    def _assert_positive_definite(self) -> None:
        for operator in self._operators:
            operator.assert_positive_definite()

    def _assert_self_adjoint(self) -> None:
        for operator in self._operators:
            operator.assert_self_adjoint()

    @property
    def _composite_tensor_fields(self) -> tuple[str, ...]:
        return ("operators",)

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"operators": [0] * len(self._operators)}
