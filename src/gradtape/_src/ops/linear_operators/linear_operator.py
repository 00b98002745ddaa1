"""`LinearOperator`: matrices that are known by what they do."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, overload

import numpy as np

from gradtape._src.base.composite_tensor import CompositeTensor
from gradtape._src.base.dispatch import expect_composites
from gradtape._src.base.dtypes import DType, as_dtype
from gradtape._src.base.export import export
from gradtape._src.base.name_scope import name_scope
from gradtape._src.compat.module import Module
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.array.creation import eye
from gradtape._src.ops.array.shaping import expand_dims, squeeze
from gradtape._src.ops.control.assertions import assert_equal, assert_less, assert_positive
from gradtape._src.ops.elementwise.arithmetic import abs as absolute
from gradtape._src.ops.elementwise.exponential import exp, log
from gradtape._src.ops.linalg.decompositions import eigvalsh, svd
from gradtape._src.ops.linalg.diagonals import adjoint as adjoint_of
from gradtape._src.ops.linalg.diagonals import diag_part as diag_part_of
from gradtape._src.ops.linalg.solve import cholesky as cholesky_of
from gradtape._src.ops.linalg.solve import cholesky_solve, det, slogdet
from gradtape._src.ops.linear_operators.algebra import (
    ADJOINTS,
    CHOLESKY_FACTORS,
    INVERSES,
    PRODUCTS,
    QUOTIENTS,
)
from gradtape._src.ops.linear_operators.hints import Hint
from gradtape._src.ops.linear_operators.operator_shape import OperatorShape
from gradtape._src.ops.linear_operators.specs import (
    LinearOperatorSpec,
    batch_slice,
    declare_spec,
    key_of,
)
from gradtape._src.ops.linear_operators.stacks import flipped, solved
from gradtape._src.ops.reduce.extremes import reduce_max, reduce_min
from gradtape._src.ops.reduce.reductions import reduce_sum

_SAFE = 100.0  # rounding errors grow to at least so many times the smallest difference


@export("linalg.LinearOperator")
class LinearOperator(OperatorShape, Module, CompositeTensor):
    """A matrix, or a stack of them, that is known by what it does with vectors.

    A subclass implements `_shape` and `_matmul`, and whatever else it has a cheaper form for:
    `_solve`, `_determinant`, `_diag_part`, `_to_dense` and so on, each called by the public method
    without the underscore after the arguments are checked. What it leaves out is computed from the
    dense matrix, or from `_matmul`.

    Hints say what is known of the matrix. They choose the cheaper way, such as a Cholesky
    factorization, and are believed; `assert_non_singular` and its like check them.

    Args:
      dtype: The type of the elements.
      graph_parents: Accepted for compatibility.
      is_non_singular: Whether the matrix is known to be non-singular; None where that is unknown.
      is_self_adjoint: Whether it equals its conjugate transpose.
      is_positive_definite: Whether the real part of x^H A x is positive for every x but 0.
      is_square: Whether it has as many rows as columns.
      name: A name; the class name by default.
      parameters: The arguments of the subclass's constructor by name.

    Raises:
      ValueError: The hints contradict each other.

    >>> class Doubling(tf.linalg.LinearOperator):
    ...     def __init__(self, size):
    ...         super().__init__("float32", is_self_adjoint=True, is_positive_definite=True)
    ...         self.size = size
    ...     def _shape(self):
    ...         return tf.TensorShape([self.size, self.size])
    ...     def _matmul(self, x, adjoint=False, adjoint_arg=False):
    ...         return 2 * (tf.linalg.adjoint(x) if adjoint_arg else x)
    >>> double = Doubling(2)
    >>> double.matvec([1.0, 3.0]).numpy().tolist(), double.determinant().numpy().round(3).item()
    ([2.0, 6.0], 4.0)
    """

    def __init__(
        self,
        dtype: Any,
        graph_parents: Any = None,
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = None,
        name: str | None = None,
        parameters: dict[str, Any] | None = None,
    ) -> None:
        expect_composites()
        if is_positive_definite:
            if is_non_singular is False:
                raise ValueError("A positive definite matrix is always non-singular.")
            is_non_singular = True
        if is_non_singular and is_square is False:
            raise ValueError("A non-singular matrix is always square.")
        if is_self_adjoint and is_square is False:
            raise ValueError("A self-adjoint matrix is always square.")
        self._square_hint = True if is_non_singular or is_self_adjoint else is_square
        self._graph_parents = list(graph_parents or [])
        self._dtype: Any = as_dtype(dtype) if dtype else None
        self._is_non_singular = is_non_singular
        self._is_self_adjoint = is_self_adjoint
        self._is_positive_definite = is_positive_definite
        self._parameters = self._no_dependency({} if parameters is None else parameters)
        self._name = name or type(self).__name__

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        declare_spec(cls)

    @contextmanager
    def _name_scope(self, name: str | None = None) -> Iterator[Any]:  # type: ignore[override]
        """A scope for the names of operations, within that of the operator."""
        with name_scope(self.name if name is None else f"{self.name}/{name}") as scope:
            yield scope

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments that the operator was made with, by name."""
        return dict(self._parameters)

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        found: DType = self._dtype
        return found

    @property
    def name(self) -> str:
        """The operator's name."""
        return self._name

    @property
    def graph_parents(self) -> list[Any]:
        """What `graph_parents` was; deprecated."""
        return self._graph_parents

    @property
    def is_non_singular(self) -> Hint:
        """Whether the matrix is known to be non-singular; None where that is unknown."""
        return self._is_non_singular

    @property
    def is_self_adjoint(self) -> Hint:
        """Whether the matrix is known to be its own conjugate transpose."""
        return self._is_self_adjoint

    @property
    def is_positive_definite(self) -> Hint:
        """Whether the matrix is known to be positive definite."""
        return self._is_positive_definite

    @property
    def is_square(self) -> Hint:
        """Whether the matrix has as many rows as columns.

        Raises:
          ValueError: It has, and the hint was False.
        """
        rows, columns = self.range_dimension, self.domain_dimension
        same = None if rows is None or columns is None else rows == columns
        if self._square_hint is False and same:
            raise ValueError(
                f"{self.name}: is_square is False, but the matrix is square, of shape {self.shape}"
            )
        return same if self._square_hint is None else self._square_hint

    def _assert_non_singular(self) -> None:
        if self._can_use_cholesky():
            self.assert_positive_definite()
            return
        values = svd(self.to_dense(), compute_uv=False)
        longest = max(_SAFE, self.range_dimension or 0, self.domain_dimension or 0)
        greatest = 1.0 / (longest * np.finfo(self.dtype.np_dtype).eps)
        found = reduce_max(values, axis=-1) / reduce_min(values, axis=-1)
        bound = convert_to_tensor(greatest, dtype=found.dtype)
        assert_less(found, bound, message="Singular matrix up to precision epsilon.")

    def assert_non_singular(self, name: str = "assert_non_singular") -> None:
        """Raises InvalidArgumentError if a matrix is singular but for rounding errors."""
        self._assert_non_singular()

    def _assert_positive_definite(self) -> None:
        if not self.is_self_adjoint:
            raise NotImplementedError(
                f"{self.name}: assert_positive_definite is for operators with the hint "
                "is_self_adjoint"
            )
        factor = cholesky_of(self.to_dense())
        assert_positive(diag_part_of(factor), message="Matrix was not positive definite.")

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> None:
        """Raises InvalidArgumentError if a matrix is not positive definite.

        Raises:
          NotImplementedError: The operator has no hint that it is self-adjoint.
        """
        self._assert_positive_definite()

    def _assert_self_adjoint(self) -> None:
        dense = self.to_dense()
        assert_equal(dense, adjoint_of(dense), message="Matrix was not equal to its adjoint.")

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> None:
        """Raises InvalidArgumentError if a matrix is not its own conjugate transpose."""
        self._assert_self_adjoint()

    def _operand(self, x: Any, name: str, own: int, axis: int) -> Tensor:
        """What is to be multiplied or solved for, as a tensor.

        Args:
          x: What the program gave.
          name: The argument's name.
          own: The axis of the operator that must fit.
          axis: The axis of `x` that must be as long.
        """
        out = self._as_operand(x, name, axis)
        wanted, found = self.shape[own], out.shape[axis]
        if None not in (wanted, found) and wanted != found:
            raise ValueError(
                f"Dimensions {wanted} and {found} are not compatible: {self.name} has shape "
                f"{self.shape}, `{name}` has shape {out.shape}"
            )
        return out

    def _as_operand(self, x: Any, name: str, axis: int) -> Tensor:
        out = convert_to_tensor(x, name=name)
        self._need_dtype(out, name)
        if len(out.shape) < -axis:
            raise IndexError(
                f"{self.name}: `{name}` must have {-axis} or more axes, got shape {out.shape}"
            )
        return out

    def _need_dtype(self, x: Tensor, name: str) -> None:
        if x.dtype is not self.dtype:
            raise TypeError(
                f"{self.name}: expected `{name}` to have dtype {self.dtype.name}, got a tensor of "
                f"dtype {x.dtype.name} and shape {x.shape}"
            )

    @abstractmethod
    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        """The product with matrices of a dtype and shape that fit."""

    def _multiplied(self, x: Any, adjoint: bool, adjoint_arg: bool) -> Tensor:
        """The product with what is no operator."""
        x = self._operand(x, "x", -2 if adjoint else -1, -1 if adjoint_arg else -2)
        return self._matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    @overload
    def matmul(
        self, x: LinearOperator, adjoint: bool = ..., adjoint_arg: bool = ..., name: str = ...
    ) -> LinearOperator: ...
    @overload
    def matmul(
        self, x: Any, adjoint: bool = ..., adjoint_arg: bool = ..., name: str = ...
    ) -> Tensor: ...

    def matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul"
    ) -> Tensor | LinearOperator:
        """Multiplies the operator by matrices or by another operator.

        Args:
          x: A tensor of the operator's dtype and shape (..., columns, k), whose leading axes
            broadcast; or an operator.
          adjoint: Whether to multiply by the conjugate transpose of the operator.
          adjoint_arg: Whether to multiply the conjugate transpose of `x`.
          name: Accepted for compatibility.

        Returns:
          A tensor of shape (..., rows, k); for an operator, the operator that does both.

        Raises:
          TypeError: The dtypes differ.
          ValueError: The shapes don't fit.
        """
        if not isinstance(x, LinearOperator):
            return self._multiplied(x, adjoint, adjoint_arg)
        return self._linop_matmul(*self._pair(x, "x", adjoint, adjoint_arg))

    def _pair(
        self, other: LinearOperator, name: str, adjoint: bool, adjoint_arg: bool
    ) -> tuple[LinearOperator, LinearOperator]:
        """This operator and another one as they are to be multiplied or solved."""
        left = self.adjoint() if adjoint else self
        right = other.adjoint() if adjoint_arg else other
        wanted, found = left.domain_dimension, right.range_dimension
        if None not in (wanted, found) and wanted != found:
            raise ValueError(
                f"Operators are incompatible. Expected `{name}` to have dimension {wanted} but got "
                f"{found}."
            )
        return left, right

    def _linop_matmul(self, left_operator: Any, right_operator: Any) -> LinearOperator:
        return _operator(PRODUCTS.apply(left_operator, right_operator))

    def __matmul__(self, other: Any) -> Tensor | LinearOperator:
        found: Tensor | LinearOperator = self.matmul(other)
        return found

    def _matvec(self, x: Tensor, adjoint: bool = False) -> Tensor:
        return squeeze(self.matmul(expand_dims(x, -1), adjoint=adjoint), axis=-1)

    def matvec(self, x: Any, adjoint: bool = False, name: str = "matvec") -> Tensor:
        """Multiplies the operator by vectors.

        Args:
          x: A tensor of the operator's dtype and shape (..., columns).
          adjoint: Whether to multiply by the conjugate transpose of the operator.
          name: Accepted for compatibility.

        Returns:
          A tensor of shape (..., rows).

        Raises:
          TypeError: The dtypes differ.
          ValueError: The shapes don't fit.
        """
        return self._matvec(self._operand(x, "x", -2 if adjoint else -1, -1), adjoint=adjoint)

    def _determinant(self) -> Tensor:
        if self._can_use_cholesky():
            return exp(self.log_abs_determinant())
        return det(self.to_dense())

    def determinant(self, name: str = "det") -> Tensor:
        """The determinants of the matrices.

        Raises:
          NotImplementedError: The operator is not square.
        """
        self._need_square("Determinant")
        return self._determinant()

    def _log_abs_determinant(self) -> Tensor:
        if self._can_use_cholesky():
            diagonal = diag_part_of(cholesky_of(self.to_dense()))
            return 2 * reduce_sum(log(diagonal), axis=-1)
        return slogdet(self.to_dense())[1]

    def log_abs_determinant(self, name: str = "log_abs_det") -> Tensor:
        """The logarithms of the absolute values of the determinants.

        Raises:
          NotImplementedError: The operator is not square.
        """
        self._need_square("Determinant")
        return self._log_abs_determinant()

    def _need_square(self, what: str) -> None:
        if self.is_square is False:
            raise NotImplementedError(
                f"{what} not implemented for an operator that is expected to not be square."
            )

    def _need_solvable(self) -> None:
        if self.is_non_singular is False:
            raise NotImplementedError(
                "Exact solve not implemented for an operator that is expected to be singular."
            )
        self._need_square("Exact solve")

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        rhs = flipped(rhs, adjoint_arg)
        if self._can_use_cholesky():
            return cholesky_solve(cholesky_of(self.to_dense()), rhs)
        return solved(self.to_dense(), rhs, adjoint)

    def _solved(self, rhs: Any, adjoint: bool, adjoint_arg: bool) -> Tensor:
        """The solution for what is no operator."""
        rhs = self._operand(rhs, "rhs", -1 if adjoint else -2, -1 if adjoint_arg else -2)
        return self._solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    @overload
    def solve(
        self, rhs: LinearOperator, adjoint: bool = ..., adjoint_arg: bool = ..., name: str = ...
    ) -> LinearOperator: ...
    @overload
    def solve(
        self, rhs: Any, adjoint: bool = ..., adjoint_arg: bool = ..., name: str = ...
    ) -> Tensor: ...

    def solve(
        self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve"
    ) -> Tensor | LinearOperator:
        """Solves systems of equations, operator @ x = rhs.

        Args:
          rhs: A tensor of the operator's dtype and shape (..., rows, k), whose leading axes
            broadcast; or an operator.
          adjoint: Whether to solve with the conjugate transpose of the operator.
          adjoint_arg: Whether to solve for the conjugate transpose of `rhs`.
          name: Accepted for compatibility.

        Returns:
          A tensor of shape (..., columns, k); for an operator, an operator.

        Raises:
          NotImplementedError: The operator is not square, or is known to be singular.
          TypeError: The dtypes differ.
          ValueError: The shapes don't fit.
        """
        self._need_solvable()
        if not isinstance(rhs, LinearOperator):
            return self._solved(rhs, adjoint, adjoint_arg)
        return self._linop_solve(*self._pair(rhs, "rhs", adjoint, adjoint_arg))

    def _linop_solve(self, left_operator: Any, right_operator: Any) -> LinearOperator:
        return _operator(QUOTIENTS.apply(left_operator, right_operator))

    def _solvevec(self, rhs: Tensor, adjoint: bool = False) -> Tensor:
        return squeeze(self.solve(expand_dims(rhs, -1), adjoint=adjoint), axis=-1)

    def solvevec(self, rhs: Any, adjoint: bool = False, name: str = "solve") -> Tensor:
        """Solves systems of equations for vectors; errors as `solve`.

        Args:
          rhs: A tensor of the operator's dtype and shape (..., rows).
          adjoint: Whether to solve with the conjugate transpose of the operator.
          name: Accepted for compatibility.

        Returns:
          A tensor of shape (..., columns).
        """
        self._need_solvable()
        rhs = self._operand(rhs, "rhs", -1 if adjoint else -2, -1)
        return self._solvevec(rhs, adjoint=adjoint)

    def adjoint(self, name: str = "adjoint") -> LinearOperator:
        """The operator of the conjugate transposes; this one itself where it is self-adjoint."""
        return self if self.is_self_adjoint is True else self._linop_adjoint()

    H = property(adjoint, doc="The operator of the conjugate transposes.")

    def _linop_adjoint(self) -> LinearOperator:
        return _operator(ADJOINTS.apply(self))

    def inverse(self, name: str = "inverse") -> LinearOperator:
        """The operator of the inverse matrices.

        Raises:
          ValueError: The operator is not square, or is known to be singular.
        """
        if self.is_square is False:
            raise ValueError(f"{self.name} has no inverse: its matrices are not square")
        if self.is_non_singular is False:
            raise ValueError(f"{self.name} has no inverse: its matrices are singular")
        return self._linop_inverse()

    def _linop_inverse(self) -> LinearOperator:
        return _operator(INVERSES.apply(self))

    def cholesky(self, name: str = "cholesky") -> LinearOperator:
        """The lower triangular operator whose product with its own adjoint is this operator.

        Raises:
          ValueError: The operator has no hints that it is self-adjoint and positive definite.
        """
        if not self._can_use_cholesky():
            raise ValueError(
                f"{self.name} has no Cholesky decomposition: it needs the hints is_self_adjoint "
                "and is_positive_definite"
            )
        return self._linop_cholesky()

    def _linop_cholesky(self) -> LinearOperator:
        return _operator(CHOLESKY_FACTORS.apply(self))

    def _to_dense(self) -> Tensor:
        batch = self.batch_shape if self.batch_shape.is_fully_defined() else None
        known = self.domain_dimension
        return self.matmul(
            eye(
                self.domain_dimension_tensor() if known is None else known,
                batch_shape=self.batch_shape_tensor() if batch is None else batch.as_list(),
                dtype=self.dtype,
            )
        )

    def to_dense(self, name: str = "to_dense") -> Tensor:
        """The matrices as a tensor of the operator's shape."""
        return self._to_dense()

    def _diag_part(self) -> Tensor:
        return diag_part_of(self.to_dense())

    def diag_part(self, name: str = "diag_part") -> Tensor:
        """The main diagonals of the matrices."""
        return self._diag_part()

    def _trace(self) -> Tensor:
        return reduce_sum(self.diag_part(), axis=-1)

    def trace(self, name: str = "trace") -> Tensor:
        """The sums of the elements on the main diagonals."""
        return self._trace()

    def _add_to_tensor(self, x: Tensor) -> Tensor:
        return self.to_dense() + x

    def add_to_tensor(self, x: Any, name: str = "add_to_tensor") -> Tensor:
        """The sums of the matrices and a tensor, which broadcast.

        Raises:
          TypeError: The dtypes differ.
        """
        out = convert_to_tensor(x, name="x")
        self._need_dtype(out, "x")
        return self._add_to_tensor(out)

    def _eigvals(self) -> Tensor:
        return eigvalsh(self.to_dense())

    def eigvals(self, name: str = "eigvals") -> Tensor:
        """The eigenvalues of the matrices.

        Raises:
          NotImplementedError: The operator has no hint that it is self-adjoint.
        """
        if not self.is_self_adjoint:
            raise NotImplementedError(
                f"{self.name}: eigvals is for operators with the hint is_self_adjoint"
            )
        return self._eigvals()

    def _cond(self) -> Tensor:
        if self.is_self_adjoint:
            values = absolute(self._eigvals())
        else:
            values = svd(self.to_dense(), compute_uv=False)
        return reduce_max(values, axis=-1) / reduce_min(values, axis=-1)

    def cond(self, name: str = "cond") -> Tensor:
        """The condition numbers: the greatest singular values by the smallest."""
        return self._cond()

    def _can_use_cholesky(self) -> bool:
        return bool(self.is_self_adjoint and self.is_positive_definite)

    @property
    def _composite_tensor_fields(self) -> tuple[str, ...]:
        """The arguments of the constructor that say, with the hints, what the operator is."""
        return ()

    @property
    def _composite_tensor_prefer_static_fields(self) -> tuple[str, ...]:
        """Those of them that are no tensors where their values are known."""
        return ()

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        """How many of the last axes of each parameter belong to one matrix."""
        return {}

    @classmethod
    def _of_parts(cls, **parameters: Any) -> LinearOperator:
        """An operator whose parameters need no check: they were another's, or stand for some."""
        return cls(**parameters)

    @property
    def _type_spec(self) -> LinearOperatorSpec:
        return LinearOperatorSpec.of(self)

    @property
    def _static_fields(self) -> tuple[Any, ...]:
        """What a compiled function depends on besides the tensors."""
        return key_of(self)

    def _sliced_statics(self, entries: list[Any]) -> dict[str, Any]:
        """The parameters that change with a slice of the stack and are no tensors."""
        return {}

    def __getitem__(self, slices: Any) -> LinearOperator:
        """An operator of some of the matrices of a stack."""
        return _operator(batch_slice(self, slices))


def _operator(found: object) -> LinearOperator:
    """What a rule gave, which is an operator."""
    assert isinstance(found, LinearOperator)
    return found
