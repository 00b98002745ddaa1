"""Rules for products, solutions, adjoints, inverses and Cholesky factors of operators.

The first rule that matches is applied. A rule's result is never more expensive to compute than the
product of the operators.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape._src.base.dispatch import implements
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.unknown_sizes import broadcast_shapes
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.complex_numbers import real
from gradtape._src.ops.elementwise.powers import sqrt
from gradtape._src.ops.linalg import diagonals, matmul, solve
from gradtape._src.ops.linear_operators.adjoint_and_inverse import (
    LinearOperatorAdjoint,
    LinearOperatorInversion,
)
from gradtape._src.ops.linear_operators.algebra import (
    ADJOINTS,
    CHOLESKY_FACTORS,
    INVERSES,
    PRODUCTS,
    QUOTIENTS,
)
from gradtape._src.ops.linear_operators.block_diag import LinearOperatorBlockDiag
from gradtape._src.ops.linear_operators.block_lower_triangular import (
    LinearOperatorBlockLowerTriangular,
)
from gradtape._src.ops.linear_operators.circulants import Circulant
from gradtape._src.ops.linear_operators.composition import LinearOperatorComposition, is_gram
from gradtape._src.ops.linear_operators.diag import LinearOperatorDiag
from gradtape._src.ops.linear_operators.hints import (
    both_square,
    hints_of,
    of_commuting,
    of_product,
)
from gradtape._src.ops.linear_operators.identity_and_zeros import (
    LinearOperatorIdentity,
    LinearOperatorScaledIdentity,
    LinearOperatorZeros,
)
from gradtape._src.ops.linear_operators.kronecker import LinearOperatorKronecker
from gradtape._src.ops.linear_operators.linear_operator import LinearOperator
from gradtape._src.ops.linear_operators.matrices import (
    LinearOperatorFullMatrix,
    LinearOperatorLowerTriangular,
)
from gradtape._src.ops.linear_operators.operator_shape import sizes_of
from gradtape._src.ops.linear_operators.orthogonal import LinearOperatorHouseholder
from gradtape._src.ops.linear_operators.stacks import column, conjugated


def _reciprocal(x: Any) -> Tensor:
    return 1 / convert_to_tensor(x)


@PRODUCTS.rule(LinearOperator, LinearOperatorZeros)
@PRODUCTS.rule(LinearOperatorZeros, LinearOperator)
def _zero(left: LinearOperator, right: LinearOperator) -> LinearOperator:
    first, second = sizes_of(left), sizes_of(right)
    sizes = (*broadcast_shapes(first[:-2], second[:-2]), first[-2], second[-1])
    for operator in (right, left):
        if isinstance(operator, LinearOperatorZeros) and sizes_of(operator) == sizes:
            return operator
    *batch, rows, columns = sizes
    square = rows == columns
    return LinearOperatorZeros(
        rows, columns, batch, left.dtype, is_self_adjoint=square, is_square=square
    )


@PRODUCTS.rule(LinearOperatorIdentity, LinearOperator)
@QUOTIENTS.rule(LinearOperatorIdentity, LinearOperator)
def _right(left: LinearOperator, right: LinearOperator) -> LinearOperator:
    return right


@PRODUCTS.rule(LinearOperator, LinearOperatorIdentity)
def _left(left: LinearOperator, right: LinearOperator) -> LinearOperator:
    return left


@QUOTIENTS.rule(LinearOperator, LinearOperatorIdentity)
def _left_inverse(left: LinearOperator, right: LinearOperator) -> LinearOperator:
    return left.inverse()


@QUOTIENTS.rule(LinearOperatorInversion, LinearOperator)
def _undone(left: LinearOperatorInversion, right: LinearOperator) -> LinearOperator:
    return left.operator.matmul(right)


@PRODUCTS.rule(LinearOperatorScaledIdentity, LinearOperatorScaledIdentity)
def _scaled_product(left: Any, right: Any) -> LinearOperator:
    return LinearOperatorScaledIdentity(
        left._num_rows, left.multiplier * right.multiplier, **of_commuting(left, right)
    )


@QUOTIENTS.rule(LinearOperatorScaledIdentity, LinearOperatorScaledIdentity)
def _scaled_quotient(left: Any, right: Any) -> LinearOperator:
    return LinearOperatorScaledIdentity(
        left._num_rows, right.multiplier / left.multiplier, **of_commuting(left, right)
    )


def _along(operator: Any) -> Any:
    """Returns the diagonal of an operator; it has length one for a multiple of the identity."""
    if isinstance(operator, LinearOperatorScaledIdentity):
        return column(operator.multiplier)
    return operator.diag


@PRODUCTS.rule(LinearOperatorScaledIdentity, LinearOperatorDiag)
@PRODUCTS.rule(LinearOperatorDiag, LinearOperatorScaledIdentity)
@PRODUCTS.rule(LinearOperatorDiag, LinearOperatorDiag)
def _diagonal_product(left: Any, right: Any) -> LinearOperator:
    return LinearOperatorDiag(_along(left) * _along(right), **of_commuting(left, right))


@QUOTIENTS.rule(LinearOperatorScaledIdentity, LinearOperatorDiag)
@QUOTIENTS.rule(LinearOperatorDiag, LinearOperatorScaledIdentity)
@QUOTIENTS.rule(LinearOperatorDiag, LinearOperatorDiag)
def _diagonal_quotient(left: Any, right: Any) -> LinearOperator:
    return LinearOperatorDiag(_along(right) / _along(left), **of_commuting(left, right))


@PRODUCTS.rule(LinearOperatorDiag, LinearOperatorLowerTriangular)
def _rows_scaled(left: Any, right: Any) -> LinearOperator:
    return LinearOperatorLowerTriangular(
        column(left.diag) * right.to_dense(), **of_product(left, right)
    )


@PRODUCTS.rule(LinearOperatorLowerTriangular, LinearOperatorDiag)
def _columns_scaled(left: Any, right: Any) -> LinearOperator:
    return LinearOperatorLowerTriangular(
        left.to_dense() * convert_to_tensor(right.diag)[..., None, :], **of_product(left, right)
    )


@QUOTIENTS.rule(LinearOperatorDiag, LinearOperatorLowerTriangular)
def _rows_divided(left: Any, right: Any) -> LinearOperator:
    return LinearOperatorLowerTriangular(
        right.to_dense() / column(left.diag), **of_product(left, right)
    )


def _have_equal_blocks(left: Any, right: Any) -> bool:
    pairs = zip(left.operators, right.operators, strict=False)
    return len(left.operators) == len(right.operators) and all(
        sizes_of(a)[-1] == sizes_of(b)[-2] for a, b in pairs
    )


def _by_blocks(combine: Callable[[Any, Any], Any], left: Any, right: Any) -> LinearOperator:
    blocks = [combine(a, b) for a, b in zip(left.operators, right.operators, strict=True)]
    hints = of_product(left, right)
    return LinearOperatorBlockDiag(blocks, **hints, is_square=both_square(left, right))


@PRODUCTS.rule(LinearOperatorBlockDiag, LinearOperatorBlockDiag)
def _blocks_product(left: Any, right: Any) -> LinearOperator:
    if not _have_equal_blocks(left, right):
        return _composition(left, right)
    return _by_blocks(lambda a, b: a.matmul(b), left, right)


@QUOTIENTS.rule(LinearOperatorBlockDiag, LinearOperatorBlockDiag)
def _blocks_quotient(left: Any, right: Any) -> LinearOperator:
    if not _have_equal_blocks(left, right):
        return _solution(left, right)
    return _by_blocks(lambda a, b: a.solve(b), left, right)


def _circulant(left: Any, right: Any, spectrum: Any) -> LinearOperator:
    made: LinearOperator = type(left)(spectrum, left.dtype, **of_commuting(left, right))
    return made


def _spectra(left: Any, right: Any) -> tuple[Tensor, Tensor]:
    """Returns both spectra as complex numbers unless both are real."""
    a, b = convert_to_tensor(left.spectrum), convert_to_tensor(right.spectrum)
    if a.dtype.is_complex != b.dtype.is_complex:
        a, b = (x if x.dtype.is_complex else cast(x, y.dtype) for x, y in ((a, b), (b, a)))
    return a, b


@PRODUCTS.rule(Circulant, Circulant)
def _circulant_product(left: Any, right: Any) -> LinearOperator:
    if type(left) is not type(right):
        return _composition(left, right)
    a, b = _spectra(left, right)
    return _circulant(left, right, a * b)


@QUOTIENTS.rule(Circulant, Circulant)
def _circulant_quotient(left: Any, right: Any) -> LinearOperator:
    if type(left) is not type(right):
        return _solution(left, right)
    a, b = _spectra(left, right)
    return _circulant(left, right, b / a)


@PRODUCTS.rule(LinearOperator, LinearOperator)
def _composition(left: LinearOperator, right: LinearOperator) -> LinearOperator:
    return LinearOperatorComposition([left, right], **of_product(left, right))


@QUOTIENTS.rule(LinearOperator, LinearOperator)
def _solution(left: LinearOperator, right: LinearOperator) -> LinearOperator:
    inverse = LinearOperatorInversion(left)
    return LinearOperatorComposition([inverse, right], **of_product(left, right))


@ADJOINTS.rule(LinearOperatorScaledIdentity)
def _scaled_adjoint(operator: Any) -> LinearOperator:
    multiplier = conjugated(operator.multiplier, True)
    return LinearOperatorScaledIdentity(operator._num_rows, multiplier, **hints_of(operator))


@ADJOINTS.rule(LinearOperatorDiag)
def _diagonal_adjoint(operator: Any) -> LinearOperator:
    return LinearOperatorDiag(conjugated(operator.diag, True), **hints_of(operator))


@ADJOINTS.rule(LinearOperatorBlockDiag)
@ADJOINTS.rule(LinearOperatorKronecker)
def _adjoint_of_each(operator: Any) -> LinearOperator:
    made: LinearOperator = type(operator)(
        [o.adjoint() for o in operator.operators], **hints_of(operator)
    )
    return made


@ADJOINTS.rule(Circulant)
def _circulant_adjoint(operator: Any) -> LinearOperator:
    spectrum = conjugated(operator.spectrum, True)
    made: LinearOperator = type(operator)(spectrum, operator.dtype, **hints_of(operator))
    return made


@ADJOINTS.rule(LinearOperatorAdjoint)
def _adjoint_of_adjoint(operator: LinearOperatorAdjoint) -> LinearOperator:
    return operator.operator


@ADJOINTS.rule(LinearOperator)
def _adjoint(operator: LinearOperator) -> LinearOperator:
    return LinearOperatorAdjoint(operator, **hints_of(operator))


@INVERSES.rule(LinearOperatorIdentity)
@INVERSES.rule(LinearOperatorHouseholder)
@CHOLESKY_FACTORS.rule(LinearOperatorIdentity)
def _itself(operator: LinearOperator) -> LinearOperator:
    return operator


@INVERSES.rule(LinearOperatorScaledIdentity)
def _scaled_inverse(operator: Any) -> LinearOperator:
    multiplier = _reciprocal(operator.multiplier)
    return LinearOperatorScaledIdentity(operator._num_rows, multiplier, **hints_of(operator))


@INVERSES.rule(LinearOperatorDiag)
def _diagonal_inverse(operator: Any) -> LinearOperator:
    return LinearOperatorDiag(_reciprocal(operator.diag), **hints_of(operator))


@INVERSES.rule(LinearOperatorBlockDiag)
@INVERSES.rule(LinearOperatorKronecker)
def _inverse_of_each(operator: Any) -> LinearOperator:
    if not all(o.is_square for o in operator.operators):
        return _inverse(operator)
    made: LinearOperator = type(operator)(
        [o.inverse() for o in operator.operators], **hints_of(operator)
    )
    return made


@INVERSES.rule(LinearOperatorBlockLowerTriangular)
def _block_triangular_inverse(operator: LinearOperatorBlockLowerTriangular) -> LinearOperator:
    """Returns the inverse, by substitution.

    Block (i, j) is -D_i^-1 times the sum of B_ik X_kj for k from j to i - 1.
    """
    found: list[list[LinearOperator]] = []
    for i, row in enumerate(operator.operators):
        inverse = row[-1].inverse()
        below: list[LinearOperator] = []
        for j in range(i):
            terms = [row[k].matmul(found[k][j].to_dense()) for k in range(j, i)]
            total = sum(terms[1:], terms[0])
            below.append(LinearOperatorFullMatrix(-inverse.matmul(total)))
        found.append([*below, inverse])
    return LinearOperatorBlockLowerTriangular(found, **hints_of(operator))


@INVERSES.rule(Circulant)
def _circulant_inverse(operator: Any) -> LinearOperator:
    spectrum = _reciprocal(operator.spectrum)
    made: LinearOperator = type(operator)(spectrum, operator.dtype, **hints_of(operator))
    return made


@INVERSES.rule(LinearOperatorInversion)
def _inverse_of_inverse(operator: LinearOperatorInversion) -> LinearOperator:
    return operator.operator


@INVERSES.rule(LinearOperator)
def _inverse(operator: LinearOperator) -> LinearOperator:
    return LinearOperatorInversion(operator, **hints_of(operator))


@CHOLESKY_FACTORS.rule(LinearOperatorScaledIdentity)
def _scaled_root(operator: Any) -> LinearOperator:
    root = sqrt(operator.multiplier)
    return LinearOperatorScaledIdentity(operator._num_rows, root, **hints_of(operator))


@CHOLESKY_FACTORS.rule(LinearOperatorDiag)
def _diagonal_root(operator: Any) -> LinearOperator:
    return LinearOperatorDiag(sqrt(operator.diag), **hints_of(operator))


@CHOLESKY_FACTORS.rule(LinearOperatorBlockDiag)
@CHOLESKY_FACTORS.rule(LinearOperatorKronecker)
def _factor_of_each(operator: Any) -> LinearOperator:
    if not all(o.is_self_adjoint and o.is_positive_definite for o in operator.operators):
        return _factor(operator)
    made: LinearOperator = type(operator)(
        [o.cholesky() for o in operator.operators], is_non_singular=True, is_square=True
    )
    return made


@CHOLESKY_FACTORS.rule(LinearOperatorComposition)
def _known_factor(operator: LinearOperatorComposition) -> LinearOperator:
    first = operator.operators[0]
    if isinstance(first, LinearOperatorLowerTriangular) and is_gram(operator.operators):
        return first
    return _factor(operator)


@CHOLESKY_FACTORS.rule(LinearOperator)
def _factor(operator: LinearOperator) -> LinearOperator:
    return LinearOperatorLowerTriangular(
        solve.cholesky(operator.to_dense()), is_non_singular=True, is_self_adjoint=False
    )


@implements(diagonals.adjoint, matrix=LinearOperator)
def _adjoint_function(matrix: LinearOperator, name: str | None = None) -> LinearOperator:
    return matrix.adjoint()


@implements(solve.cholesky, input=LinearOperator)
def _cholesky_function(input: LinearOperator, name: str | None = None) -> LinearOperator:
    return input.cholesky()


@implements(diagonals.diag_part, input=LinearOperator)
def _diag_part_function(input: LinearOperator, name: str = "diag_part") -> Tensor:
    return input.diag_part()


@implements(solve.det, input=LinearOperator)
def _det_function(input: LinearOperator, name: str | None = None) -> Tensor:
    return input.determinant()


@implements(solve.inv, input=LinearOperator)
def _inv_function(
    input: LinearOperator, adjoint: bool = False, name: str | None = None
) -> LinearOperator:
    return input.inverse().adjoint() if adjoint else input.inverse()


@implements(solve.logdet, matrix=LinearOperator)
def _logdet_function(matrix: LinearOperator, name: str | None = None) -> Tensor:
    if not (matrix.is_positive_definite and matrix.is_self_adjoint):
        raise ValueError(
            f"tf.linalg.logdet: {matrix.name} needs the hints is_self_adjoint and "
            "is_positive_definite"
        )
    found = matrix.log_abs_determinant()
    return real(found) if found.dtype.is_complex else found


@implements(matmul.matmul, {"a": LinearOperator}, {"b": LinearOperator})
def _matmul_function(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: Any = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Any:
    if transpose_a or transpose_b:
        raise ValueError(
            "tf.matmul: a linear operator has no transpose: use adjoint_a or adjoint_b"
        )
    if a_is_sparse or b_is_sparse:
        raise ValueError("tf.matmul: with an operator, neither operand can be sparse")
    if isinstance(a, LinearOperator):
        return a.matmul(b, adjoint=adjoint_a, adjoint_arg=adjoint_b)
    product = b.matmul(a, adjoint=not adjoint_b, adjoint_arg=not adjoint_a)
    return diagonals.adjoint(product)


@implements(solve.solve, {"matrix": LinearOperator}, {"rhs": LinearOperator})
def _solve_function(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Any:
    if not isinstance(matrix, LinearOperator):
        raise ValueError("tf.linalg.solve: for a tensor, `rhs` must be a tensor, not an operator")
    return matrix.solve(rhs, adjoint=adjoint)


@implements(diagonals.trace, x=LinearOperator)
def _trace_function(x: LinearOperator, name: str | None = None) -> Tensor:
    return x.trace()
