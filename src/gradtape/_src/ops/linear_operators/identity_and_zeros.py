"""The identity, its multiples, and zero: operators without a matrix in memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.dtypes import as_dtype, float32
from gradtape._src.base.errors import InvalidArgumentError
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.unknown_sizes import Size, broadcast_shapes
from gradtape._src.ops.array.creation import eye, ones, zeros
from gradtape._src.ops.control.assertions import assert_equal, assert_positive
from gradtape._src.ops.elementwise.arithmetic import abs as absolute
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.complex_numbers import imag, real
from gradtape._src.ops.elementwise.exponential import log
from gradtape._src.ops.linalg.diagonals import diag_part, set_diag
from gradtape._src.ops.linear_operators.hints import Hint, arguments, implied
from gradtape._src.ops.linear_operators.linear_operator import LinearOperator
from gradtape._src.ops.linear_operators.operator_shape import FromSizes
from gradtape._src.ops.linear_operators.stacks import (
    Sizes,
    column,
    conjugated,
    flipped,
    kept,
    with_batch,
)


def _whole_numbers(x: Any, name: str, rank: int) -> np.ndarray[Any, Any]:
    """Checks and returns a number of rows, or the lengths of axes."""
    if isinstance(x, Variable):
        raise TypeError(f"Argument {name} cannot be a variable: give its value")
    value = np.asarray(convert_to_tensor(x, dtype_hint="int32" if rank else None))
    if value.dtype.kind not in "iu":
        raise TypeError(f"Argument {name} must be of an integer dtype, got {x!r}")
    if value.ndim != rank:
        raise ValueError(f"Argument {name} must be a {rank}-D tensor, got {x!r}")
    if (value < 0).any():
        raise ValueError(f"Argument {name} must be non-negative, got {x!r}")
    return value


def _count(x: Any, name: str) -> Any:
    """Returns a number of rows or columns."""
    return x if type(x) is Size else int(_whole_numbers(x, name, 0))


def _lengths(x: Any) -> Sizes:
    """Returns the lengths of the axes of a stack."""
    if x is None:
        return ()
    if isinstance(x, (tuple, list)) and any(type(n) is Size for n in x):
        return tuple(x)
    return tuple(_whole_numbers(x, "batch_shape", 1).tolist())


def _sliced_lengths(batch: Sizes, entries: list[Any]) -> tuple[int, ...]:
    """Returns the lengths of the axes of a stack after slicing."""
    index = tuple(e if e is None or isinstance(e, slice) else int(e) for e in entries)
    empty = np.broadcast_to(np.empty((), np.bool_), batch)
    try:
        return empty[index].shape
    except IndexError as error:
        raise InvalidArgumentError(None, None, f"slice index out of bounds: {error}") from None


class _AddsToTensor:
    """`add_to_tensor` with the parameter name `mat`, which TensorFlow's identity operators use."""

    def add_to_tensor(self, mat: Any, name: str = "add_to_tensor") -> Tensor:
        """Returns the sums of the matrices and a tensor, which broadcast.

        Args:
          mat: A tensor of the operator's dtype, whose shape broadcasts with the shape of the
            matrices.
          name: Accepted for compatibility.

        Returns:
          A tensor of the shape to which both broadcast.

        Raises:
          TypeError: The dtypes differ.
        """
        assert isinstance(self, LinearOperator)
        return LinearOperator.add_to_tensor(self, mat, name)


@export("linalg.LinearOperatorIdentity")
class LinearOperatorIdentity(_AddsToTensor, FromSizes, LinearOperator):
    """The identity matrix, or a stack of identity matrices.

    Args:
      num_rows: The number of rows.
      batch_shape: The batch axes. Defaults to a single matrix.
      dtype: The dtype of the elements. Defaults to float32.
      is_non_singular: Must be True, like the other hints.
      is_self_adjoint: Must be True.
      is_positive_definite: Must be True.
      is_square: Must be True.
      assert_proper_shapes: Accepted for compatibility: shapes are always checked.
      name: A name.

    Raises:
      TypeError: A size is not an integer, or is a variable.
      ValueError: A size is negative or of the wrong rank, or a hint is not True.

    >>> identity = LinearOperatorIdentity(2, batch_shape=[3])
    >>> identity.shape, identity.matvec([1.0, 2.0]).shape
    (TensorShape([3, 2, 2]), TensorShape([3, 2]))
    """

    def __init__(
        self,
        num_rows: Any,
        batch_shape: Any = None,
        dtype: Any = None,
        is_non_singular: Hint = True,
        is_self_adjoint: Hint = True,
        is_positive_definite: Hint = True,
        is_square: Hint = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorIdentity",
    ) -> None:
        parameters = arguments(locals())
        dtype = as_dtype(dtype or float32)
        given = {
            "self-adjoint": is_self_adjoint,
            "non-singular": is_non_singular,
            "positive definite": is_positive_definite,
            "square": is_square,
        }
        for property_, hint in given.items():
            implied(bool(hint), True, f"An identity operator is always {property_}")
        super().__init__(
            dtype,
            is_non_singular=True,
            is_self_adjoint=True,
            is_positive_definite=True,
            is_square=True,
            parameters=parameters,
            name=name,
        )
        self._assert_proper_shapes = assert_proper_shapes
        self._num_rows = _count(num_rows, "num_rows")
        self._batch_shape_arg = self._no_dependency(_lengths(batch_shape))

    def _sizes(self) -> Sizes:
        return (*self._batch_shape_arg, self._num_rows, self._num_rows)

    def _assert_non_singular(self) -> None:
        """Nothing to check: the identity is its own inverse."""

    def _assert_positive_definite(self) -> None:
        """Nothing to check: x^H x is positive."""

    def _assert_self_adjoint(self) -> None:
        """Nothing to check: the identity is its own transpose."""

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return with_batch(flipped(x, adjoint_arg), self._batch_shape_arg)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._matmul(rhs, adjoint_arg=adjoint_arg)

    def _determinant(self) -> Tensor:
        return ones(self._batch_shape_arg, self.dtype)

    def _log_abs_determinant(self) -> Tensor:
        return zeros(self._batch_shape_arg, self.dtype)

    def _to_dense(self) -> Tensor:
        return eye(self._num_rows, batch_shape=list(self._batch_shape_arg), dtype=self.dtype)

    def _diag_part(self) -> Tensor:
        return ones(self._sizes()[:-1], self.dtype)

    def _eigvals(self) -> Tensor:
        return self._diag_part()

    def _trace(self) -> Tensor:
        return cast(self._num_rows, self.dtype) * self._determinant()

    def _cond(self) -> Tensor:
        return self._determinant()

    def _add_to_tensor(self, x: Tensor) -> Tensor:
        x = with_batch(x, self._batch_shape_arg)
        return set_diag(x, diag_part(x) + 1)

    @property
    def _composite_tensor_fields(self) -> tuple[str, ...]:
        return ("num_rows", "batch_shape", "dtype", "assert_proper_shapes")

    @property
    def _composite_tensor_prefer_static_fields(self) -> tuple[str, ...]:
        return ("num_rows", "batch_shape")

    def _sliced_statics(self, entries: list[Any]) -> dict[str, Any]:
        return {"batch_shape": _sliced_lengths(self._batch_shape_arg, entries)}


@export("linalg.LinearOperatorScaledIdentity")
class LinearOperatorScaledIdentity(_AddsToTensor, FromSizes, LinearOperator):
    """Multiples of the identity matrix, c I.

    Args:
      num_rows: The number of rows.
      multiplier: The number c, or a tensor of one for each matrix of a stack.
      is_non_singular: A hint; see `LinearOperator`.
      is_self_adjoint: A hint; see `LinearOperator`. Defaults to True for real multipliers.
      is_positive_definite: A hint; see `LinearOperator`.
      is_square: Must be True.
      assert_proper_shapes: Accepted for compatibility: shapes are always checked.
      name: A name.

    Raises:
      TypeError: The number of rows is not an integer, or is a variable.
      ValueError: The number of rows is negative or not a scalar, or a hint is wrong.

    >>> triple = LinearOperatorScaledIdentity(2, 3.0)
    >>> triple.matvec([1.0, 2.0]).numpy().tolist(), triple.determinant().numpy().item()
    ([3.0, 6.0], 9.0)
    """

    def __init__(
        self,
        num_rows: Any,
        multiplier: Any,
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorScaledIdentity",
    ) -> None:
        parameters = arguments(locals())
        multiplier = kept(multiplier, "multiplier")
        if not multiplier.dtype.is_complex:
            is_self_adjoint = implied(
                is_self_adjoint, True, "A real diagonal operator is always self-adjoint"
            )
        implied(bool(is_square), True, "A multiple of the identity is always square")
        super().__init__(
            multiplier.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=True,
            parameters=parameters,
            name=name,
        )
        self._assert_proper_shapes = assert_proper_shapes
        self._multiplier: Tensor = multiplier
        self._num_rows = _count(num_rows, "num_rows")

    @property
    def multiplier(self) -> Tensor:
        """The number c by which the identity is multiplied."""
        return self._multiplier

    def _sizes(self) -> Sizes:
        return (*shape_of(self._multiplier), self._num_rows, self._num_rows)

    def _factors(self, adjoint: bool = False) -> Tensor:
        """Returns the multipliers as matrices of one element."""
        return column(column(conjugated(self._multiplier, adjoint)))

    def _assert_non_singular(self) -> None:
        assert_positive(absolute(self._multiplier), message="LinearOperator was singular")

    def _assert_positive_definite(self) -> None:
        message = "LinearOperator was not positive definite."
        assert_positive(real(self._multiplier), message=message)

    def _assert_self_adjoint(self) -> None:
        part = imag(self._multiplier)
        assert_equal(part * 0, part, message="LinearOperator was not self-adjoint")

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return flipped(x, adjoint_arg) * self._factors(adjoint)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return flipped(rhs, adjoint_arg) / self._factors(adjoint)

    def _determinant(self) -> Tensor:
        return tensor(self._multiplier) ** cast(self._num_rows, self.dtype)

    def _log_abs_determinant(self) -> Tensor:
        logs = log(absolute(self._multiplier))
        return cast(self._num_rows, logs.dtype) * logs

    def _trace(self) -> Tensor:
        return tensor(self._multiplier) * cast(self._num_rows, self.dtype)

    def _diag_part(self) -> Tensor:
        return column(self._multiplier) * ones((self._num_rows,), self.dtype)

    def _to_dense(self) -> Tensor:
        return self._factors() * eye(self._num_rows, dtype=self.dtype)

    def _eigvals(self) -> Tensor:
        return self._diag_part()

    def _cond(self) -> Tensor:
        return ones(shape_of(self._multiplier), self.dtype)

    def _add_to_tensor(self, x: Tensor) -> Tensor:
        x = with_batch(x, shape_of(self._multiplier))
        return set_diag(x, diag_part(x) + column(self._multiplier))

    @property
    def _composite_tensor_fields(self) -> tuple[str, ...]:
        return ("num_rows", "multiplier", "assert_proper_shapes")

    @property
    def _composite_tensor_prefer_static_fields(self) -> tuple[str, ...]:
        return ("num_rows",)

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"multiplier": 0}


@export("linalg.LinearOperatorZeros")
class LinearOperatorZeros(_AddsToTensor, FromSizes, LinearOperator):
    """The matrix of zeros, or a stack of them.

    Args:
      num_rows: The number of rows.
      num_columns: The number of columns. Defaults to the number of rows.
      batch_shape: The batch axes. Defaults to a single matrix.
      dtype: The dtype of the elements. Defaults to float32.
      is_non_singular: Must be False.
      is_self_adjoint: Must be True if the matrix is square.
      is_positive_definite: Must be False.
      is_square: Whether the matrix is square.
      assert_proper_shapes: Accepted for compatibility: shapes are always checked.
      name: A name.

    Raises:
      TypeError: A size is not an integer, or is a variable.
      ValueError: A size is negative or of the wrong rank, or a hint is wrong.

    >>> zero = LinearOperatorZeros(2, 3, is_square=False, is_self_adjoint=False)
    >>> zero.matvec([1.0, 2.0, 3.0]).numpy().tolist()
    [0.0, 0.0]
    """

    def __init__(
        self,
        num_rows: Any,
        num_columns: Any = None,
        batch_shape: Any = None,
        dtype: Any = None,
        is_non_singular: Hint = False,
        is_self_adjoint: Hint = True,
        is_positive_definite: Hint = False,
        is_square: Hint = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorZeros",
    ) -> None:
        parameters = arguments(locals())
        if is_square:
            implied(bool(is_self_adjoint), True, "A zero operator is always self-adjoint")
        implied(bool(is_non_singular), False, "A zero operator is never non-singular")
        implied(bool(is_positive_definite), False, "A zero operator is never positive definite")
        super().__init__(
            as_dtype(dtype or float32),
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=is_square,
            parameters=parameters,
            name=name,
        )
        self._assert_proper_shapes = assert_proper_shapes
        self._num_rows = _count(num_rows, "num_rows")
        columns = num_rows if num_columns is None else num_columns
        self._num_columns = _count(columns, "num_columns")
        if is_square and self._num_rows != self._num_columns:
            raise ValueError(
                f"LinearOperatorZeros: is_square is True, but num_rows is {self._num_rows} and "
                f"num_columns {self._num_columns}"
            )
        self._batch_shape_arg = self._no_dependency(_lengths(batch_shape))

    def _sizes(self) -> Sizes:
        return (*self._batch_shape_arg, self._num_rows, self._num_columns)

    def _assert_non_singular(self) -> None:
        raise InvalidArgumentError(None, None, "Zero operators are always non-invertible.")

    def _assert_positive_definite(self) -> None:
        raise InvalidArgumentError(None, None, "Zero operators are always non-positive definite.")

    def _assert_self_adjoint(self) -> None:
        """Nothing to check: zero is its own transpose."""

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        sizes = shape_of(x)
        rows = self._num_columns if adjoint else self._num_rows
        batch = broadcast_shapes(sizes[:-2], self._batch_shape_arg)
        return zeros((*batch, rows, sizes[-2 if adjoint_arg else -1]), x.dtype)

    def _determinant(self) -> Tensor:
        return zeros(self._batch_shape_arg, self.dtype)

    def _log_abs_determinant(self) -> Tensor:
        return log(self._determinant())

    def _trace(self) -> Tensor:
        return zeros(self._batch_shape_arg, self.dtype)

    def _diag_part(self) -> Tensor:
        return zeros((*self._batch_shape_arg, min(self._num_rows, self._num_columns)), self.dtype)

    def _to_dense(self) -> Tensor:
        return zeros(self._sizes(), self.dtype)

    def _eigvals(self) -> Tensor:
        return zeros(self._sizes()[:-1], self.dtype)

    def _add_to_tensor(self, x: Tensor) -> Tensor:
        return with_batch(x, self._batch_shape_arg)

    @property
    def _composite_tensor_fields(self) -> tuple[str, ...]:
        return ("num_rows", "num_columns", "batch_shape", "dtype", "assert_proper_shapes")

    @property
    def _composite_tensor_prefer_static_fields(self) -> tuple[str, ...]:
        return ("num_rows", "num_columns", "batch_shape")

    def _sliced_statics(self, entries: list[Any]) -> dict[str, Any]:
        return {"batch_shape": _sliced_lengths(self._batch_shape_arg, entries)}
