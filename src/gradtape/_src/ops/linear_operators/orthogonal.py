"""Permutations and reflections: matrices whose inverses are their adjoints."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.dtypes import as_dtype, float32
from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.base.export import export
from gradtape._src.core.convert import tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.eager_only import is_traced
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.unknown_sizes import broadcast_shapes
from gradtape._src.ops.array.creation import ones, zeros
from gradtape._src.ops.array.creation import range as range_of
from gradtape._src.ops.array.gather import gather
from gradtape._src.ops.array.joining import concat
from gradtape._src.ops.array.sorting import argsort
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.comparison import equal
from gradtape._src.ops.linalg.diagonals import diag as diag_of
from gradtape._src.ops.linalg.matmul import matmul
from gradtape._src.ops.linalg.norms import norm
from gradtape._src.ops.linalg.solve import det
from gradtape._src.ops.linear_operators.hints import Hint, arguments, implied
from gradtape._src.ops.linear_operators.linear_operator import LinearOperator
from gradtape._src.ops.linear_operators.operator_shape import FromSizes
from gradtape._src.ops.linear_operators.stacks import (
    Sizes,
    column,
    conjugated,
    flipped,
    kept,
    need_rank,
    with_batch,
)


def _known(perm: Tensor) -> np.ndarray[Any, Any] | None:
    """Returns the numbers of a permutation; None if they are known only when a function runs."""
    return None if is_traced(perm) else np.asarray(perm)


def _parity(perm: np.ndarray[Any, Any]) -> int:
    """Returns the sign of a permutation: 1 for an even one, -1 for an odd one."""
    seen = np.zeros(len(perm), np.bool_)
    cycles = 0
    for start in range(len(perm)):
        if seen[start]:
            continue
        cycles += 1
        place = start
        while not seen[place]:
            seen[place] = True
            place = perm[place]
    return -1 if (len(perm) - cycles) % 2 else 1


@export("linalg.LinearOperatorPermutation")
class LinearOperatorPermutation(FromSizes, LinearOperator):
    """Permutations of rows: row i of a product is row perm[i] of the right-hand operand.

    Args:
      perm: Permutations of 0, ..., n - 1; a tensor of integers of shape (..., n).
      dtype: The type of the elements of the matrices.
      is_non_singular: Must not be False.
      is_self_adjoint: A hint; see `LinearOperator`.
      is_positive_definite: A hint; see `LinearOperator`.
      is_square: Must not be False.
      name: A name.

    Raises:
      TypeError: `perm` is not of integers.
      ValueError: `perm` is not a permutation or has no axis, or a hint is wrong.

    >>> LinearOperatorPermutation([2, 0, 1]).matvec([10.0, 11.0, 12.0]).numpy().tolist()
    [12.0, 10.0, 11.0]
    """

    _is_checked = False

    def __init__(
        self,
        perm: Any,
        dtype: Any = float32,
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = None,
        name: str = "LinearOperatorPermutation",
    ) -> None:
        parameters = arguments(locals())
        perm = kept(perm, "perm")
        need_rank(perm, 1, "perm")
        if not perm.dtype.is_integer:
            raise TypeError(f"Argument `perm` must be of integers, got {perm.dtype.name}")
        known = None if self._is_checked else _known(perm)
        if known is not None and (np.sort(known, -1) != np.arange(known.shape[-1])).any():
            raise ValueError(
                f"Argument `perm` must be a permutation of 0 to {known.shape[-1] - 1}, got "
                f"{known.tolist()}"
            )
        if is_non_singular is not None:
            implied(is_non_singular, True, "A permutation is always non-singular")
        super().__init__(
            as_dtype(dtype),
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=implied(is_square, True, "A permutation is always square"),
            parameters=parameters,
            name=name,
        )
        self._perm: Tensor = perm

    @classmethod
    def _of_parts(cls, **parameters: Any) -> LinearOperator:
        new = cls.__new__(cls)
        new._is_checked = True
        new.__init__(**parameters)  # type: ignore[misc]  # zeros stand for a permutation
        return new

    @property
    def perm(self) -> Tensor:
        """The permutations that are applied."""
        return self._perm

    def _sizes(self) -> Sizes:
        sizes = shape_of(self._perm)
        return (*sizes, sizes[-1])

    def _assert_non_singular(self) -> None:
        """Nothing to check: a permutation can be undone."""

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        x = flipped(x, adjoint_arg)
        perm = argsort(self._perm, axis=-1) if adjoint else tensor(self._perm)
        batch = broadcast_shapes(shape_of(x)[:-2], shape_of(perm)[:-1])
        if len(shape_of(perm)) == 1:
            return gather(x, perm, axis=-2)
        rows = with_batch(perm, batch, 1)
        return gather(with_batch(x, batch), rows, axis=len(batch), batch_dims=len(batch))

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._matmul(rhs, not adjoint, adjoint_arg)

    def _determinant(self) -> Tensor:
        known = _known(self._perm)
        if known is None:
            return det(self.to_dense())
        rows = known.reshape(-1, known.shape[-1])
        signs = np.array([_parity(row) for row in rows]).reshape(known.shape[:-1])
        return tensor(signs.astype(self.dtype.np_dtype))

    def _log_abs_determinant(self) -> Tensor:
        return zeros(self._sizes()[:-2], self.dtype)

    def _to_dense(self) -> Tensor:
        perm = tensor(self._perm)
        return cast(equal(column(perm), range_of(self._sizes()[-1], dtype=perm.dtype)), self.dtype)

    def _diag_part(self) -> Tensor:
        perm = tensor(self._perm)
        return cast(equal(perm, range_of(self._sizes()[-1], dtype=perm.dtype)), self.dtype)

    def _cond(self) -> Tensor:
        return ones(self._sizes()[:-2], self.dtype)

    @property
    def _composite_tensor_fields(self) -> tuple[str, ...]:
        return ("perm", "dtype")

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"perm": 1}


@export("linalg.LinearOperatorHouseholder")
class LinearOperatorHouseholder(FromSizes, LinearOperator):
    """Reflections at the hyperplanes perpendicular to vectors v: I - 2 v v^H / (v^H v).

    Args:
      reflection_axis: The vectors, a tensor of shape (..., n).
      is_non_singular: A hint; see `LinearOperator`.
      is_self_adjoint: Must not be False.
      is_positive_definite: Must not be True.
      is_square: Must not be False.
      name: A name.

    Raises:
      ValueError: `reflection_axis` has no axis, or a hint is wrong.

    >>> LinearOperatorHouseholder([0.0, 2.0]).matvec([3.0, 4.0]).numpy().tolist()
    [3.0, -4.0]
    """

    def __init__(
        self,
        reflection_axis: Any,
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = None,
        name: str = "LinearOperatorHouseholder",
    ) -> None:
        parameters = arguments(locals())
        axis = kept(reflection_axis, "reflection_axis")
        need_rank(axis, 1, "reflection_axis")
        what = "A Householder operator is"
        super().__init__(
            axis.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=implied(is_self_adjoint, True, f"{what} always self-adjoint"),
            is_positive_definite=implied(
                is_positive_definite, False, f"{what} never positive definite"
            ),
            is_square=implied(is_square, True, f"{what} always square"),
            parameters=parameters,
            name=name,
        )
        self._reflection_axis: Tensor = axis

    @property
    def reflection_axis(self) -> Tensor:
        """The vectors that are reflected to their opposites."""
        return self._reflection_axis

    def _sizes(self) -> Sizes:
        sizes = shape_of(self._reflection_axis)
        return (*sizes, sizes[-1])

    def _unit(self) -> Tensor:
        """Returns the vectors, scaled to length 1."""
        axis = tensor(self._reflection_axis)
        return axis / cast(norm(axis, axis=-1, keepdims=True), axis.dtype)

    def _assert_non_singular(self) -> None:
        """Nothing to check: a reflection is its own inverse."""

    def _assert_positive_definite(self) -> None:
        message = "Householder operators are always non-positive definite."
        raise InvalidArgumentError(None, None, message)

    def _assert_self_adjoint(self) -> None:
        """Nothing to check: v v^H is self-adjoint."""

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        x = flipped(x, adjoint_arg)
        unit = column(self._unit())
        return x - 2 * unit * matmul(unit, x, adjoint_a=True)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._matmul(rhs, adjoint, adjoint_arg)

    def _determinant(self) -> Tensor:
        return -ones(self._sizes()[:-2], self.dtype)

    def _log_abs_determinant(self) -> Tensor:
        return zeros(self._sizes()[:-2], self.dtype)

    def _trace(self) -> Tensor:
        n = cast(self._sizes()[-1], self.dtype)
        return (n - 2) * ones(self._sizes()[:-2], self.dtype)

    def _diag_part(self) -> Tensor:
        unit = self._unit()
        return 1 - 2 * unit * conjugated(unit, True)

    def _to_dense(self) -> Tensor:
        unit = column(self._unit())
        one = diag_of(ones((self._sizes()[-1],), self.dtype))
        return one - 2 * matmul(unit, unit, adjoint_b=True)

    def _eigvals(self) -> Tensor:
        *batch, n = self._sizes()[:-1]
        return concat([-ones((*batch, 1), self.dtype), ones((*batch, n - 1), self.dtype)], -1)

    def _cond(self) -> Tensor:
        return ones(self._sizes()[:-2], self.dtype)

    @property
    def _composite_tensor_fields(self) -> tuple[str, ...]:
        return ("reflection_axis",)

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"reflection_axis": 1}
