"""`LinearOperator`: matrices that are defined by their products with vectors."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, overload

from gradtape._src.base.composite_tensor import CompositeTensor
from gradtape._src.base.dispatch import expect_composites
from gradtape._src.base.dtypes import as_dtype
from gradtape._src.base.export import export
from gradtape._src.base.name_scope import name_scope
from gradtape._src.compat.module import Module
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.array.creation import eye
from gradtape._src.ops.array.shaping import expand_dims, squeeze
from gradtape._src.ops.linalg.solve import cholesky as cholesky_of
from gradtape._src.ops.linalg.solve import cholesky_solve
from gradtape._src.ops.linear_operators.algebra import (
    ADJOINTS,
    CHOLESKY_FACTORS,
    INVERSES,
    PRODUCTS,
    QUOTIENTS,
)
from gradtape._src.ops.linear_operators.hints import Hint
from gradtape._src.ops.linear_operators.quantities import Quantities
from gradtape._src.ops.linear_operators.specs import (
    LinearOperatorSpec,
    batch_slice,
    declare_spec,
    differentiable_parts,
    key_of,
    with_gradients,
)
from gradtape._src.ops.linear_operators.stacks import flipped, solved


@export("linalg.LinearOperator")
class LinearOperator(Quantities, Module, CompositeTensor):
    """A matrix, or a stack of matrices, that is defined by its products with vectors.

    A subclass implements `_shape` and `_matmul`, and other methods that it can compute faster than
    from the dense matrix: `_solve`, `_determinant`, `_diag_part`, `_to_dense` and so on. Each is
    called by the public method without the underscore, which checks the arguments first. Methods
    that it does not implement use the dense matrix or `_matmul`.

    Hints state properties of the matrix. They select faster algorithms, such as a Cholesky
    factorization, and are not checked unless a method such as `assert_non_singular` is called.

    Args:
      dtype: The type of the elements.
      graph_parents: Accepted for compatibility.
      is_non_singular: Whether the matrix is known to be non-singular; None if that is unknown.
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
                raise ValueError("is_non_singular must not be False with is_positive_definite=True")
            is_non_singular = True
        if is_non_singular and is_square is False:
            raise ValueError("is_square must not be False with is_non_singular=True")
        if is_self_adjoint and is_square is False:
            raise ValueError("is_square must not be False with is_self_adjoint=True")
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
        """Enters a scope for the names of operations, within the operator's scope."""
        with name_scope(self.name if name is None else f"{self.name}/{name}") as scope:
            yield scope

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments that the operator was made with, by name."""
        return dict(self._parameters)

    @property
    def graph_parents(self) -> list[Any]:
        """The values from which a graph's operator was made; deprecated."""
        return self._graph_parents

    def _operand(self, x: Any, name: str, own: int, axis: int) -> Tensor:
        """Converts the right-hand side of a product or system of equations to a tensor.

        Args:
          x: The program's argument.
          name: The argument's name.
          own: The axis of the operator that must have the same length.
          axis: The axis of `x` that must have the same length.
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

    @abstractmethod
    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        """Returns the product with matrices, whose dtype and shape were checked."""

    def _multiplied(self, x: Any, adjoint: bool, adjoint_arg: bool) -> Tensor:
        """Returns the product with a tensor or a list of blocks."""
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
          A tensor of shape (..., rows, k); if `x` is an operator, the product as an operator.

        Raises:
          TypeError: The dtypes differ.
          ValueError: The shapes are incompatible.
        """
        if not isinstance(x, LinearOperator):
            return self._multiplied(x, adjoint, adjoint_arg)
        return self._linop_matmul(*self._pair(x, "x", adjoint, adjoint_arg))

    def _pair(
        self, other: LinearOperator, name: str, adjoint: bool, adjoint_arg: bool
    ) -> tuple[LinearOperator, LinearOperator]:
        """Returns this operator and another one as operands, adjoint if requested."""
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

    @overload
    def __matmul__(self, other: LinearOperator) -> LinearOperator: ...
    @overload
    def __matmul__(self, other: Any) -> Tensor: ...

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
          ValueError: The shapes are incompatible.
        """
        return self._matvec(self._operand(x, "x", -2 if adjoint else -1, -1), adjoint=adjoint)

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
        """Returns the solution for a tensor or a list of blocks."""
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
          A tensor of shape (..., columns, k); if `rhs` is an operator, an operator.

        Raises:
          NotImplementedError: The operator is not square, or is known to be singular.
          TypeError: The dtypes differ.
          ValueError: The shapes are incompatible.
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
        """Solves systems of equations for vectors; raises the errors of `solve`.

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
        """Returns the operator of the conjugate transposes, or this operator if it is self-adjoint.

        Args:
          name: Accepted for compatibility.

        Returns:
          An operator of the shape (..., columns, rows).
        """
        return self if self.is_self_adjoint is True else self._linop_adjoint()

    H = property(adjoint, doc="The operator of the conjugate transposes.")

    def _linop_adjoint(self) -> LinearOperator:
        return _operator(ADJOINTS.apply(self))

    def inverse(self, name: str = "inverse") -> LinearOperator:
        """Returns the operator of the inverse matrices.

        Args:
          name: Accepted for compatibility.

        Returns:
          An operator of the same shape.

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

        Args:
          name: Accepted for compatibility.

        Returns:
          An operator of the same shape.

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

    @property
    def _composite_tensor_fields(self) -> tuple[str, ...]:
        """The arguments of the constructor that define the operator, in addition to the hints."""
        return ()

    @property
    def _composite_tensor_prefer_static_fields(self) -> tuple[str, ...]:
        """The fields that are stored as Python values, not tensors, if their values are known."""
        return ()

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        """For each parameter, the number of its trailing axes that belong to one matrix."""
        return {}

    @classmethod
    def _of_parts(cls, **parameters: Any) -> LinearOperator:
        """Makes an operator from the parameters of another one, without checking them again."""
        return cls(**parameters)

    @property
    def _type_spec(self) -> LinearOperatorSpec:
        return LinearOperatorSpec.of(self)

    @property
    def _static_fields(self) -> tuple[Any, ...]:
        """Returns the parts other than tensors on which a compiled function depends."""
        return key_of(self)

    def _differentiable_parts(self) -> list[Any]:
        return differentiable_parts(self)

    def _with_gradients(self, gradients: list[Any]) -> Any:
        return with_gradients(self, gradients)

    def _sliced_statics(self, entries: list[Any]) -> dict[str, Any]:
        """Returns the parameters that change with a slice of the stack and are not tensors."""
        return {}

    def __getitem__(self, slices: Any) -> LinearOperator:
        """Returns an operator of some of the matrices of a stack."""
        return _operator(batch_slice(self, slices))


def _operator(found: object) -> LinearOperator:
    """Checks that a rule returned an operator."""
    assert isinstance(found, LinearOperator)
    return found
