"""Solves systems of linear equations by the method of conjugate gradients."""

from __future__ import annotations

from typing import Any, NamedTuple

from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.array.creation import zeros_like
from gradtape._src.ops.array.shaping import expand_dims
from gradtape._src.ops.control.control_flow import while_loop
from gradtape._src.ops.elementwise.complex_numbers import conj
from gradtape._src.ops.elementwise.division import divide_no_nan
from gradtape._src.ops.elementwise.logical import logical_and
from gradtape._src.ops.linalg.norms import norm
from gradtape._src.ops.reduce.reductions import reduce_any, reduce_sum


class CGState(NamedTuple):
    """The state of the iteration.

    Attributes:
      i: The number of steps, an int32 scalar.
      x: The solution.
      r: The residual, `rhs - operator @ x`.
      p: The direction of the next step.
      gamma: The product of `r` with the preconditioned `r`.
    """

    i: Tensor
    x: Tensor
    r: Tensor
    p: Tensor
    gamma: Tensor


def _dot(a: Tensor, b: Tensor) -> Tensor:
    return reduce_sum(conj(a) * b, axis=-1)


@export("linalg.experimental.conjugate_gradient")
def conjugate_gradient(
    operator: Any,
    rhs: Any,
    preconditioner: Any = None,
    x: Any = None,
    tol: float = 1e-5,
    max_iter: int = 20,
    name: str | None = "conjugate_gradient",
) -> CGState:
    """Solves `operator @ x = rhs` without a factor of the operator, which may be large.

    The gradient is that of the steps that were taken.

    Args:
      operator: A `tf.linalg.LinearOperator` with `is_self_adjoint` and `is_positive_definite`, of
        shape (..., n, n).
      rhs: A tensor of shape (..., n).
      preconditioner: A `tf.linalg.LinearOperator` that resembles the inverse of `operator`.
      x: The start of the iteration. Defaults to zeros.
      tol: The iteration ends once the norm of the residual is less than that of `rhs` times this.
      max_iter: The maximum number of steps.
      name: Accepted for compatibility.

    Returns:
      A named tuple with the fields `i` (the number of steps), `x` (the solution), `r` (the
      residual), `p` (the next direction) and `gamma`.

    Raises:
      ValueError: `operator` is not marked as self-adjoint and positive definite.

    >>> operator = tf.linalg.LinearOperatorFullMatrix(
    ...     [[4.0, 1.0], [1.0, 3.0]], is_self_adjoint=True, is_positive_definite=True)
    >>> state = tf.linalg.experimental.conjugate_gradient(operator, tf.constant([5.0, 4.0]))
    >>> state.x.numpy().round(3)
    array([1., 1.], dtype=float32)
    """
    if not (operator.is_self_adjoint and operator.is_positive_definite):
        raise ValueError("Expected a self-adjoint, positive definite operator.")
    rhs = convert_to_tensor(rhs, operator.dtype)
    if operator.shape[-1] is not None and rhs.shape[-1] not in (None, operator.shape[-1]):
        raise ValueError(f"Dimensions {operator.shape[-1]} and {rhs.shape[-1]} are not compatible")
    enough = tol * norm(rhs, axis=-1)

    def improved(r: Tensor) -> Tensor:
        return r if preconditioner is None else preconditioner.matvec(r)

    def goes_on(i: Tensor, x: Tensor, r: Tensor, p: Tensor, gamma: Tensor) -> Tensor:
        return logical_and(i < max_iter, reduce_any(norm(r, axis=-1) > enough))

    def step(i: Tensor, x: Tensor, r: Tensor, p: Tensor, gamma: Tensor) -> CGState:
        z = operator.matvec(p)
        length = expand_dims(divide_no_nan(gamma, _dot(p, z)), -1)
        x, r = x + length * p, r - length * z
        q = improved(r)
        new = _dot(r, q)
        p = q + expand_dims(divide_no_nan(new, gamma), -1) * p
        return CGState(i + 1, x, r, p, new)

    if x is None:
        x, r = zeros_like(rhs), rhs
    else:
        x = convert_to_tensor(x, operator.dtype)
        r = rhs - operator.matvec(x)
    p = improved(r)
    start = CGState(convert_to_tensor(0), x, r, p, _dot(r, p))
    return CGState(*while_loop(goes_on, step, start))
