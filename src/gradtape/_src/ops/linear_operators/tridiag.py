"""Tridiagonal matrices as linear operators."""

from __future__ import annotations

from typing import Any

from gradtape._src.base.export import export
from gradtape._src.core.convert import tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.unknown_sizes import broadcast_shapes
from gradtape._src.ops.array.joining import stack
from gradtape._src.ops.array.roll_reverse import roll
from gradtape._src.ops.control.assertions import assert_equal
from gradtape._src.ops.elementwise.complex_numbers import conj
from gradtape._src.ops.linalg.banded import tridiagonal_matmul, tridiagonal_solve
from gradtape._src.ops.linalg.diagonals import diag as diag_of
from gradtape._src.ops.linalg.diagonals import diag_part
from gradtape._src.ops.linear_operators.hints import Hint, arguments
from gradtape._src.ops.linear_operators.linear_operator import LinearOperator
from gradtape._src.ops.linear_operators.operator_shape import FromSizes
from gradtape._src.ops.linear_operators.stacks import (
    Sizes,
    assert_real,
    conjugated,
    flipped,
    kept,
    with_batch,
)

_FORMATS = ("compact", "matrix", "sequence")


@export("linalg.LinearOperatorTridiag")
class LinearOperatorTridiag(FromSizes, LinearOperator):
    """Tridiagonal matrices, by their three diagonals.

    Products and solutions take time in proportion to the number of rows.

    Args:
      diagonals: In the format "compact" a tensor of shape (..., 3, n): the diagonals above, on and
        below the main one, of which the last element of the first and the first of the last are
        unused. In the format "sequence" the three of them in a list, in the format "matrix" a
        tensor of shape (..., n, n).
      diagonals_format: The format of the diagonals.
      is_non_singular: A hint, see `LinearOperator`; so are the others.
      is_self_adjoint: A hint.
      is_positive_definite: A hint.
      is_square: A hint.
      name: A name.

    Raises:
      ValueError: The format is none of these.

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
        """The diagonals, or those of the conjugate transposes, in the format "compact"."""
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
        if adjoint:  # the unused elements change places as well
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
