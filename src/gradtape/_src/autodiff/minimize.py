"""`minimize`: SciPy's optimizers on variables."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gradtape._src.autodiff.arguments import leaf
from gradtape._src.autodiff.derivatives import hessian
from gradtape._src.autodiff.tape import GradientTape
from gradtape._src.base import nest
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.variable import Variable

if TYPE_CHECKING:
    from scipy.optimize import OptimizeResult

_log = logging.getLogger("tensorflow")

Vector = np.ndarray[Any, np.dtype[np.float64]]

WITHOUT_GRADIENT = {"nelder-mead", "powell", "cobyla", "cobyqa"}
WITH_PRODUCTS = {"newton-cg", "trust-ncg", "trust-krylov", "trust-constr"}
WITH_HESSIAN = {"dogleg", "trust-exact"}


@export("optimize.Step")
@dataclass(frozen=True)
class Step:
    """A step of a minimization; the variables hold the values of this step.

    Attributes:
      iteration: The number of steps so far, from 1.
      loss: The loss at this step.
      gradient_norm: The largest absolute element of the gradient there; NaN if the method does not
        use a gradient.
      evaluations: The number of computations of the loss so far.
      seconds: The time since the start.
    """

    iteration: int
    loss: float
    gradient_norm: float
    evaluations: int
    seconds: float


@export("optimize.minimize")
def minimize(
    loss: Callable[[], Any],
    variables: Any,
    method: Any = "L-BFGS-B",
    bounds: Any = None,
    tol: float | None = None,
    options: Mapping[str, Any] | None = None,
    callback: Callable[[Step], Any] | None = None,
    progress: bool = False,
) -> OptimizeResult:
    """Minimizes a loss with respect to variables, with one of SciPy's methods.

    SciPy is given the gradient, and, for the methods that use it (Newton-CG, trust-ncg,
    trust-krylov, trust-constr), the product of the Hessian with a vector; dogleg and trust-exact
    get the Hessian. SciPy computes in float64: use float64 variables, too, if you need the minimum
    to more than a few digits.

    Args:
      loss: A function without parameters that reads the variables and gives a real scalar.
      variables: A variable or nested structure of variables (also Keras'), of any shapes and
        floating-point dtypes.
      method: The name of one of the methods of `scipy.optimize.minimize`.
      bounds: A pair (low, high) for all variables, or a list (dictionary) with a pair or None for
        each; low and high are numbers or arrays that broadcast to the variable's shape, or None.
      tol: The tolerance, see `scipy.optimize.minimize`.
      options: SciPy's options of the method, such as `{"maxiter": 500}`.
      callback: Called after each iteration with a `Step`; may raise StopIteration to end.
      progress: Whether to show a line with iteration, loss and gradient.

    Returns:
      SciPy's `OptimizeResult`. The variables hold its `x`; after an exception they hold the best
      values found so far.

    Raises:
      TypeError: An element of `variables` is not a variable, or its dtype is not real floating.
      ValueError: The loss is not a real scalar, not finite at the start, or depends on no variable;
        or the bounds do not match the variables.

    >>> x = tf.Variable([3.0, -2.0], dtype=tf.float64)
    >>> result = tf.optimize.minimize(lambda: tf.reduce_sum((x - 1.0) ** 2), x)
    >>> bool(result.success), x.numpy().round(6).tolist()
    (True, [1.0, 1.0])
    """
    from scipy import optimize

    problem = Problem(loss, variables)
    kind = method.lower() if isinstance(method, str) else ""
    given: dict[str, Any] = {"method": method, "tol": tol, "options": dict(options or {})}
    if bounds is not None:
        given["bounds"] = optimize.Bounds(*problem.bounds(bounds))
    if kind in WITHOUT_GRADIENT:
        problem.needs_gradient = False
    else:
        given["jac"] = True
    if kind in WITH_PRODUCTS:
        given["hessp"] = problem.product
    elif kind in WITH_HESSIAN:
        given["hess"] = problem.hessian
    start = problem.pack([v._value for v in problem.variables])
    problem.check_start(start)
    watcher = Watcher(problem, callback, progress)
    with watcher:
        try:
            result = optimize.minimize(problem.value, start, callback=watcher.step, **given)
        except BaseException:
            problem.assign(problem.best)
            raise
    problem.assign(result.x)
    return result


class Problem:
    """A loss of variables as a function of one vector.

    Attributes:
      variables: The variables, flat.
      best: The vector of the lowest loss so far.
      evaluations: The number of computations of the loss.
    """

    def __init__(self, loss: Callable[[], Any], variables: Any) -> None:
        if not callable(loss):
            raise TypeError(
                f"minimize: `loss` must be a function without parameters that computes the loss, "
                f"not {loss!r}: give `lambda: ...` so that it can be computed again"
            )
        self.loss, self.structure = loss, variables
        self.variables = [_variable(v) for v in nest.flatten(variables)]
        if not self.variables:
            raise ValueError("minimize: `variables` must hold at least one tf.Variable")
        self.sizes = [v._value.size for v in self.variables]
        self.ends = np.cumsum(self.sizes).tolist()
        self.needs_gradient = True
        self.evaluations = 0
        self.best: Vector = np.zeros(0)
        self.lowest = math.inf
        self._seen: dict[bytes, tuple[float, float]] = {}
        self._linear: tuple[bytes, GradientTape, Any] | None = None

    def pack(self, values: Sequence[Any]) -> Vector:
        """Concatenates values of the variables' shapes into one vector."""
        return np.concatenate([np.asarray(v, np.float64).reshape(-1) for v in values])

    def unpack(self, x: Vector) -> list[Any]:
        """Splits a vector into values of the variables' shapes and dtypes."""
        return [
            x[end - n : end].reshape(v._value.shape).astype(v._value.dtype)
            for v, n, end in zip(self.variables, self.sizes, self.ends, strict=True)
        ]

    def assign(self, x: Vector) -> None:
        """Gives the variables the values of a vector."""
        for v, value in zip(self.variables, self.unpack(x), strict=True):
            v.assign(value)

    def value(self, x: Vector) -> float | tuple[float, Vector]:
        """Returns the loss, and its gradient if the method uses it."""
        self.assign(x)
        self.evaluations += 1
        if not self.needs_gradient:
            f = _scalar(self.loss())
            self._note(x, f, math.nan)
            return f
        with GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(self.variables)
            y = self.loss()
        f = _scalar(y)
        gradient = self._dense(tape.gradient(y, self.variables))
        self._note(x, f, float(np.abs(gradient).max(initial=0)))
        return f, gradient

    def check_start(self, x: Vector) -> None:
        """Raises ValueError unless the loss can be minimized from the initial values."""
        found = self.value(x)
        f = found[0] if isinstance(found, tuple) else found
        if not math.isfinite(f):
            raise ValueError(
                f"minimize: the loss is {f} at the variables' current values: start where it is "
                "finite (tf.debugging.enable_check_numerics() names the operation that caused this)"
            )

    def at(self, x: Vector) -> tuple[float, float]:
        """Returns the loss and the size of its gradient at a vector, by default the best one."""
        return self._seen.get(x.tobytes(), (self.lowest, math.nan))

    def product(self, x: Vector, vector: Vector) -> Vector:
        """Returns the Hessian times a vector; the gradient is recorded once per point."""
        key = x.tobytes()
        if self._linear is None or self._linear[0] != key:
            self.assign(x)
            with GradientTape(True, watch_accessed_variables=False) as outer:
                outer.watch(self.variables)
                with GradientTape(watch_accessed_variables=False) as inner:
                    inner.watch(self.variables)
                    y = self.loss()
                gradients = inner.gradient(y, self.variables, unconnected_gradients="zero")
                gradients = [convert_to_tensor(g) for g in gradients]
            self._linear = key, outer, gradients
        _, outer, gradients = self._linear
        directions = [convert_to_tensor(v) for v in self.unpack(np.asarray(vector, np.float64))]
        return self._dense(outer.gradient(gradients, self.variables, directions), warn=False)

    def hessian(self, x: Vector) -> np.ndarray[Any, Any]:
        """Returns the Hessian as one matrix."""
        self.assign(x)
        blocks = hessian(self.loss, self.variables)
        return np.block(
            [
                [
                    np.asarray(b, np.float64).reshape(n, m)
                    for b, m in zip(row, self.sizes, strict=True)
                ]
                for row, n in zip(blocks, self.sizes, strict=True)
            ]
        )

    def bounds(self, bounds: Any) -> tuple[Vector, Vector]:
        """Returns the lower and upper bounds as vectors."""
        if isinstance(bounds, Mapping) and isinstance(self.structure, Mapping):
            pairs = [bounds.get(k) for k in sorted(self.structure)]
        elif _is_pair_of_bounds(bounds):
            pairs = [bounds] * len(self.variables)
        else:
            pairs = list(bounds)
        if len(pairs) != len(self.variables):
            raise ValueError(
                f"minimize: `bounds` has {len(pairs)} entries for {len(self.variables)} variables: "
                "give one pair (low, high) or None for each, or one pair for all"
            )
        lows, highs = [], []
        for v, pair in zip(self.variables, pairs, strict=True):
            low, high = (None, None) if pair is None else pair
            lows.append(_bound(low, -np.inf, v))
            highs.append(_bound(high, np.inf, v))
        return self.pack(lows), self.pack(highs)

    def _dense(self, gradients: Sequence[Any], *, warn: bool = True) -> Vector:
        if warn and all(g is None for g in gradients):
            names = ", ".join(v.name for v in self.variables)
            raise ValueError(
                f"minimize: the loss does not depend on any of the variables ({names}): compute "
                "it inside `loss`, from these variables and with TensorFlow's operations"
            )
        return self.pack(
            [
                np.zeros(v._value.shape) if g is None else convert_to_tensor(g).numpy()
                for g, v in zip(gradients, self.variables, strict=True)
            ]
        )

    def _note(self, x: Vector, f: float, gradient_norm: float) -> None:
        if not self.best.size or f < self.lowest:
            self.best, self.lowest = x.copy(), f if not math.isnan(f) else math.inf
        if len(self._seen) > 64:
            self._seen.clear()
        self._seen[x.tobytes()] = f, gradient_norm


class Watcher:
    """Reports each iteration to the user's callback, and shows a line of progress."""

    def __init__(
        self, problem: Problem, callback: Callable[[Step], Any] | None, progress: bool
    ) -> None:
        self.problem, self.callback, self.progress = problem, callback, progress
        self.iteration = 0
        self.start = time.perf_counter()
        self.line: Any = None

    def __enter__(self) -> None:
        if self.progress:
            from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

            text = "iteration {task.completed:>5}  loss {task.fields[loss]:.6g}"
            columns = [TextColumn(text), TextColumn("|gradient| {task.fields[norm]:.2e}")]
            self.line = Progress(SpinnerColumn(), *columns, TimeElapsedColumn())
            self.line.__enter__()
            loss, norm = self.problem.at(self.problem.best)
            self.task = self.line.add_task("", total=None, loss=loss, norm=norm)

    def __exit__(self, *error: object) -> None:
        if self.line is not None:
            self.line.__exit__(*error)

    def step(self, x: Vector, *_: Any) -> None:
        """Handles SciPy's call after a step, with the signature that all methods support."""
        self.iteration += 1
        loss, norm = self.problem.at(x)
        if self.line is not None:
            self.line.update(self.task, completed=self.iteration, loss=loss, norm=norm)
        if self.callback is not None:
            self.problem.assign(x)
            seconds = time.perf_counter() - self.start
            evaluations = self.problem.evaluations
            self.callback(Step(self.iteration, loss, norm, evaluations, seconds))


def _variable(v: Any) -> Variable:
    held = leaf(v)
    if not isinstance(held, Variable):
        raise TypeError(
            f"minimize: {v!r} of type {type(v).__name__!r} is not a tf.Variable: only those can "
            "be given new values; write x = tf.Variable(x)"
        )
    if not held.dtype.is_floating:
        raise TypeError(
            f"minimize: variable {held.name} has dtype {held.dtype.name}, but only real "
            "floating variables can be optimized"
        )
    return held


def _scalar(y: Any) -> float:
    value = convert_to_tensor(y)
    if tuple(value.shape) or not value.dtype.is_floating:
        raise ValueError(
            f"minimize: the loss must be a real scalar, not a tensor of shape {value.shape} and "
            f"dtype {value.dtype.name}: take tf.reduce_sum or tf.reduce_mean of it"
        )
    return float(value)


def _is_pair_of_bounds(bounds: Any) -> bool:
    return len(bounds) == 2 and all(
        b is None or isinstance(b, (int, float, np.ndarray, np.generic)) for b in bounds
    )


def _bound(given: Any, missing: float, v: Variable) -> Any:
    value = np.asarray(missing if given is None else convert_to_tensor(given).numpy(), np.float64)
    try:
        return np.broadcast_to(value, v._value.shape)
    except ValueError:
        raise ValueError(
            f"minimize: a bound of shape {value.shape} does not broadcast to the shape "
            f"{v.shape} of variable {v.name}"
        ) from None
