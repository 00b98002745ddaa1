"""Differentiable roots and fixed points: gradients take a linear solve, not the iterations.

Where fn(x, a) = 0, the implicit function theorem gives dx/da = -(d fn/dx)^-1 (d fn/da). The
gradient with respect to a follows from the gradient g with respect to x by one solve with the
transposed Jacobian, w = (d fn/dx)^-T g, and one vjp of `fn` for -w (Griewank and Walther,
Evaluating Derivatives, chapter 15).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from gradtape._src.autodiff.arguments import leaf
from gradtape._src.autodiff.custom import _VariableWatcher, record
from gradtape._src.autodiff.jacobian import have_jvps, push_forward
from gradtape._src.autodiff.tape import GradientTape
from gradtape._src.autodiff.vectorize import Batch
from gradtape._src.base import nest
from gradtape._src.base.export import export
from gradtape._src.compute.raw_value import RawValue
from gradtape._src.core import recorder
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.recorder import STACK
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.structural import count, reshape_p
from gradtape._src.ops.linalg.solve import solve_p

Solver = Callable[[Callable[[Any], Any], Any], Any]
LinearSolver = Literal["auto", "dense", "gmres"]

DENSE = 1024
"""The number of unknowns up to which "auto" holds the Jacobian as a matrix."""


@export("autodiff.implicit_root")
def implicit_root(
    fn: Callable[..., Any],
    x0: Any,
    *args: Any,
    solver: Solver | None = None,
    linear_solver: LinearSolver = "auto",
    tol: float | None = None,
    max_iterations: int = 50,
) -> Tensor:
    """Finds x with `fn(x, *args) = 0`, as a differentiable function of `args`.

    Uses Newton's method, and halves steps that would increase the residual. The derivatives, of any
    order, are those of the exact root with respect to `args` and the variables that `fn` reads;
    there is no derivative with respect to `x0`.

    Args:
      fn: Takes `x` and `args`, and returns the residual, a tensor of the shape and dtype of `x`.
      x0: The starting point: a real floating-point tensor of any shape.
      args: The tensors, or nested structures of tensors, on which the root depends.
      solver: A function `(residual, x0) -> x` on NumPy arrays that finds the root, such as
        `lambda f, x: scipy.optimize.root(f, x).x`. Defaults to Newton's method.
      linear_solver: The method for linear systems: "dense" computes the Jacobian as a matrix,
        "gmres" only its products with vectors. "auto" means "dense" for up to 1,024 unknowns, else
        "gmres".
      tol: The iteration ends with the first Newton step that is smaller than this, relative to `x`.
        Defaults to the square root of the dtype's precision, since the error after a step is about
        the square of the step.
      max_iterations: The maximum number of Newton steps.

    Returns:
      A tensor of the shape and dtype of `x0`.

    Raises:
      RuntimeError: The iteration did not converge, or met a singular Jacobian.
      ValueError: The shape of the residual differs from the shape of `x`.
      TypeError: `x0` is not real floating.

    >>> a = tf.constant(2.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(a)
    ...     x = tf.autodiff.implicit_root(lambda x, a: x * x - a, tf.constant(1.0), a)
    >>> round(float(x), 4), round(float(tape.gradient(x, a)), 4)
    (1.4142, 0.3536)
    """
    start = convert_to_tensor(x0)
    if not start.dtype.is_floating:
        raise TypeError(
            f"implicit_root: `x0` must be real and floating, not {start.dtype.name}: split complex "
            "unknowns into real and imaginary parts"
        )
    dense = linear_solver == "dense" or (
        linear_solver == "auto" and count(shape_of(start)) <= DENSE
    )

    def solve(residual: Callable[[Any], Any], x: Any) -> Any:
        if solver is not None:
            return _by_user(solver, _on_arrays(residual), x)
        return _newton(residual, x, dense, tol, max_iterations)

    return _Root(fn, solve, dense)(start, args)


@export("autodiff.fixed_point")
def fixed_point(
    fn: Callable[..., Any],
    x0: Any,
    *args: Any,
    linear_solver: LinearSolver = "auto",
    tol: float | None = None,
    max_iterations: int = 1000,
) -> Tensor:
    """Finds x with `fn(x, *args) = x` by iteration, as a differentiable function of `args`.

    Args:
      fn: Takes `x` and `args`, and returns a tensor of the shape and dtype of `x`. The iteration
        converges if `fn` is a contraction; otherwise, find the root of fn(x) - x with
        `implicit_root`.
      x0: The starting point: a real floating-point tensor of any shape.
      args: The tensors, or nested structures of tensors, on which the fixed point depends.
      linear_solver: As in `implicit_root`.
      tol: The iteration ends when x changes by less than this, relative to its size; defaults to
        eight times the dtype's precision.
      max_iterations: The maximum number of iterations.

    Returns:
      A tensor of the shape and dtype of `x0`.

    Raises:
      RuntimeError: The iteration did not converge.
      ValueError, TypeError: As in `implicit_root`.

    >>> a = tf.constant(0.5)
    >>> x = tf.autodiff.fixed_point(lambda x, a: tf.cos(a * x), tf.constant(1.0), a)
    >>> round(float(x), 4)
    0.9004
    """
    limit = max_iterations

    def iterate(residual: Callable[[Any], Any], x: Any) -> Any:
        small = tol if tol is not None else 8 * np.finfo(x.dtype).eps
        change = np.inf
        for _ in range(limit):
            step = residual(x)
            x = x + step
            change = _norm(step)
            if not np.isfinite(change + _norm(x)):
                break
            if change <= small * (1 + _norm(x)):
                return x
        raise RuntimeError(
            f"fixed_point: no convergence in {limit} iterations; the last changed x by {change:.3g}"
            ". Start nearer, raise `max_iterations` or `tol`, damp `fn` (such as (x + fn(x)) / 2), "
            "or use implicit_root on fn(x) - x, which needs no contraction"
        )

    return implicit_root(
        lambda x, *rest: fn(x, *rest) - x, x0, *args, solver=iterate, linear_solver=linear_solver
    )


class _Root:
    """The root of `fn` as an operation with a gradient.

    Args:
      fn: `(x, *args) -> residual`.
      solve: `(residual, x) -> x` on NumPy arrays.
      dense: Whether linear systems are solved with the Jacobian as a matrix.
    """

    def __init__(self, fn: Callable[..., Any], solve: Solver, dense: bool) -> None:
        self.fn, self.solve, self.dense = fn, solve, dense

    def __call__(self, start: Tensor, args: Sequence[Any]) -> Tensor:
        given = [x if leaf(x) is None else leaf(x) for x in nest.flatten(args)]
        if any(type(getattr(x, "_value", None)) is Batch for x in (start, *given)):
            raise NotImplementedError(
                "examples are solved one at a time, since each needs its own number of Newton steps"
            )
        frozen = nest.pack_sequence_as(args, [_frozen(x) for x in given])
        watcher = _VariableWatcher()

        with recorder.replaced((watcher,)):
            x = self.solve(lambda x: self._residual(x, frozen), start._value)
            x = np.asarray(x, start._value.dtype)
            if not watcher.read:  # the solver may not have evaluated the residual there
                self._residual(Tensor(x.reshape(start._value.shape)[()]), frozen)
        root = Tensor(x.reshape(start._value.shape)[()])
        passed = {x._id for x in given if isinstance(x, Variable)}
        variables = [v for i, v in watcher.read.items() if i not in passed]
        for v in (*given, *variables):
            if isinstance(v, Variable):
                v._read()
        record([*given, *variables], [root], self._backward(root, given, args, variables))
        return root

    def _residual(self, x: Any, args: Sequence[Any]) -> Any:
        out = convert_to_tensor(self.fn(x, *args))
        if shape_of(out) != shape_of(x) or out.dtype is not x.dtype:
            raise ValueError(
                f"implicit_root: the residual has shape {out.shape} and dtype {out.dtype.name}, "
                f"but x has shape {x.shape} and dtype {x.dtype.name}: there must be as many "
                "equations as unknowns"
            )
        return out

    def _backward(
        self, root: Tensor, given: Sequence[Any], args: Sequence[Any], variables: Sequence[Any]
    ) -> Callable[[Sequence[Any]], list[Any]]:
        followed = [leaf(x) is not None and x.dtype.differentiable for x in given]
        sources = [x for x, yes in zip(given, followed, strict=True) if yes] + list(variables)

        def backward(dys: Sequence[Any]) -> list[Any]:
            x = Tensor(root._value)
            if STACK.recorders:  # the derivative depends on the root, and thereby on args
                x = _Root(self.fn, lambda _, x: x, self.dense)(x, args)
            with GradientTape(True, watch_accessed_variables=False) as tape:
                tape.watch([x, *sources])
                out = self._residual(x, nest.pack_sequence_as(args, given))
            w = self._transposed_solve(tape, out, x, dys[0], args)
            grads = iter(tape.gradient(out, sources, -w))
            flat = [next(grads) if yes else None for yes in followed]
            return [*flat, *grads]

        return backward

    def _transposed_solve(
        self, tape: GradientTape, out: Any, x: Any, g: Any, args: Sequence[Any]
    ) -> Any:
        """Returns the solution w of Jacobian^T w = g."""
        n = count(shape_of(x))
        if self.dense or type(g._value) is Batch:
            j = tape.jacobian(out, x, "zero")
            matrix = reshape_p(j, shape=(n, n))
            w = solve_p(matrix, reshape_p(g, shape=(n, 1)), adjoint=True)
            return reshape_p(w, shape=shape_of(x))
        # A linear system is a root too, so that its solution can be differentiated again.

        def system(w: Any, x: Any, g: Any, *rest: Any) -> Any:
            with GradientTape(watch_accessed_variables=False) as inner:
                inner.watch(x)
                y = self._residual(x, rest)
            return convert_to_tensor(inner.gradient(y, x, w, "zero")) - g

        return implicit_root(system, g, x, g, *args, linear_solver="gmres", max_iterations=8)


def _frozen(x: Any) -> Any:
    """Returns an argument as a tensor that no recorder follows."""
    return x if leaf(x) is None else Tensor(x._value)


def _by_user(solver: Solver, residual: Callable[[Any], Any], x: Any) -> Any:
    found = np.asarray(solver(residual, x))
    if found.size != np.size(x):
        raise ValueError(
            f"implicit_root: `solver` gave {found.size} unknowns, not {np.size(x)}: it must return "
            "the root itself, such as scipy.optimize.root(f, x).x"
        )
    return found.reshape(np.shape(x))


def _on_arrays(residual: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Returns a function of tensors as one of NumPy arrays of one shape and dtype."""
    like: list[Any] = []

    def on_arrays(x: Any) -> Any:
        if not like:
            like.append(x)
        value = np.asarray(x, like[0].dtype).reshape(like[0].shape)
        return residual(Tensor(value[()]))._value

    return on_arrays


def _norm(x: Any) -> float:
    with np.errstate(over="ignore"):
        return float(np.linalg.norm(np.asarray(x).reshape(-1)))


def _newton(
    residual: Callable[[Any], Any], x: Any, dense: bool, tol: float | None, limit: int
) -> Any:
    """Finds a root by Newton's method, and halves steps that would increase the residual."""
    small = np.sqrt(np.finfo(x.dtype).eps) if tol is None else tol
    here = _Linear(residual, x)
    for _ in range(limit):
        if not here.f.any():
            return here.x
        step = here.solve(dense)
        length = _norm(step)
        last = length <= small * (1 + _norm(here.x))
        there = _Linear(residual, here.x - step)
        for _ in range(30):
            if last or _norm(there.f) < _norm(here.f):
                break
            step = step / 2
            there = _Linear(residual, here.x - step)
        else:
            raise RuntimeError(
                f"implicit_root: no step makes the residual of norm {_norm(here.f):.3g} smaller: "
                "there may be no root near. Start elsewhere, or give a `solver` of your own"
            )
        here = there
        if last:
            return here.x
    raise RuntimeError(
        f"implicit_root: no convergence in {limit} Newton steps; the residual has norm "
        f"{_norm(here.f):.3g}. Start nearer to the root, raise `max_iterations` or `tol`, or give "
        "a `solver` of your own"
    )


class _Linear:
    """The linearization of a residual at one point.

    Attributes:
      x: The point, raw.
      f: The residual there, raw.
    """

    def __init__(self, residual: Callable[[Any], Any], x: Any) -> None:
        self.x = x
        self.tensor = Tensor(x)
        with GradientTape(True, watch_accessed_variables=False) as self.tape:
            self.tape.watch(self.tensor)
            self.out = residual(self.tensor)
        self.f = np.asarray(self.out._value)

    def solve(self, dense: bool) -> RawValue:
        """Returns the Newton step: Jacobian^-1 f."""
        step = (self._dense() if dense else self._by_products()).astype(self.f.dtype)
        if not np.all(np.isfinite(step)):
            raise RuntimeError(
                "implicit_root: the Newton step is not finite: the residual or its Jacobian "
                "became NaN or infinite. Start elsewhere "
                "(tf.debugging.enable_check_numerics() names the operation that caused this)"
            )
        shaped: RawValue = step.reshape(np.shape(self.x))[()]
        return shaped

    def _dense(self) -> Any:
        n = self.f.size
        j = self.tape.jacobian(self.out, self.tensor, "zero").numpy()
        try:
            return np.linalg.solve(np.reshape(j, (n, n)), self.f.reshape(n))
        except np.linalg.LinAlgError:
            raise RuntimeError(
                "implicit_root: the Jacobian of the residual is singular: the root is not "
                "determined by the equations there. Start elsewhere, or check that each unknown "
                "occurs in an equation of its own"
            ) from None

    def _by_products(self) -> Any:
        from scipy.sparse.linalg import LinearOperator, gmres

        n, dtype, shape = self.f.size, self.f.dtype, np.shape(self.x)
        records = self.tape._records([self.tensor])
        if not have_jvps(records, [self.out, self.tensor]):
            return self._dense()

        def product(v: Any) -> Any:
            tangents = {self.tensor._id: np.asarray(v, dtype).reshape(shape)[()]}
            found = push_forward(records, tangents).get(self.out._id)
            value = found._value if type(found) is Tensor else found
            return np.zeros(n, dtype) if value is None else np.asarray(value).reshape(n)

        operator = LinearOperator((n, n), matvec=product, dtype=dtype)
        rtol = 100 * np.finfo(dtype).eps ** 0.75
        return gmres(operator, self.f.reshape(n), rtol=rtol, restart=min(n, 50), maxiter=20)[0]
