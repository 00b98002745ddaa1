"""`tf.compat.v1.train`: learning rates that decay with the number of steps."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any, TypeAlias

import numpy as np

from gradtape._src.base.dtypes import float32, int64
from gradtape._src.base.export import export
from gradtape._src.base.name_scope import name_scope
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.open_graphs import open_graph
from gradtape._src.ops.array.gather import gather
from gradtape._src.ops.array.shaping import reshape
from gradtape._src.ops.array.sorting import searchsorted
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.exponential import exp, log
from gradtape._src.ops.elementwise.powers import sqrt
from gradtape._src.ops.elementwise.rounding import ceil, floor
from gradtape._src.ops.elementwise.selection import maximum, minimum
from gradtape._src.ops.elementwise.trigonometric import cos
from gradtape._src.ops.random.distributions import normal
from gradtape._src.sessions.keys import GraphKeys
from gradtape._src.sessions.training.variable_scopes import is_open, kept_graph

Rate: TypeAlias = Tensor | Callable[[], Any]
"""A learning rate: in a `tf.Graph` a tensor, elsewhere a function without arguments."""


@export("compat.v1.train.get_global_step")
def get_global_step(graph: Any = None) -> Variable | None:
    """Returns the global step, an int64 variable; None if there isn't one yet.

    Args:
      graph: The graph. Defaults to the default graph.

    Returns:
      The variable, or None.
    """
    found = _steps(graph)
    return found[0] if found else None


def _steps(graph: Any) -> list[Any]:
    """Returns the collection of the graph's global step."""
    kept = kept_graph() if graph is None else graph
    found: list[Any] = kept.get_collection(GraphKeys.GLOBAL_STEP)
    return found


@export("compat.v1.train.create_global_step")
def create_global_step(graph: Any = None) -> Variable:
    """Creates the global step, with the value 0.

    Args:
      graph: The graph. Defaults to the default graph.

    Returns:
      The variable, which begins at 0.

    Raises:
      ValueError: The global step already exists.
    """
    if _steps(graph):
        raise ValueError('"global_step" already exists.')
    kept = kept_graph() if graph is None else graph
    with name_scope(""), ExitStack() as left:
        if is_open():
            left.enter_context(kept.as_default())
        made = Variable(0, trainable=False, name="global_step", dtype=int64)
    kept.add_to_collection(GraphKeys.GLOBAL_STEP, made)
    return made


@export("compat.v1.train.global_step")
def global_step(sess: Any, global_step_tensor: Any) -> int:
    """Returns the number of steps that a session has taken.

    Args:
      sess: The session; None in eager execution.
      global_step_tensor: The variable that counts them.

    Returns:
      A number.
    """
    found = global_step_tensor.numpy() if sess is None else sess.run(global_step_tensor)
    return int(found)


@export("compat.v1.train.get_or_create_global_step")
def get_or_create_global_step(graph: Any = None) -> Variable:
    """Returns the global step, and creates it if there isn't one.

    Args:
      graph: The graph. Defaults to the default graph.

    Returns:
      The variable.
    """
    found = get_global_step(graph)
    return create_global_step(graph) if found is None else found


def _rate_or_tensor(rate: Callable[[], Any]) -> Rate:
    """Returns a learning rate as a function without arguments or, in a `tf.Graph`, as a tensor."""
    return rate if open_graph() is None else rate()


def _started(learning_rate: Any, global_step: Any, op: str) -> tuple[Tensor, Callable[[], Tensor]]:
    if global_step is None:
        raise ValueError(f"{op}: `global_step`, the number of completed steps, is missing")
    rate = convert_to_tensor(learning_rate, dtype_hint=float32)
    return rate, lambda: cast(convert_to_tensor(global_step), rate.dtype)


def _periods(
    learning_rate: Any, global_step: Any, decay_steps: Any, staircase: bool, op: str
) -> tuple[Any, Callable[[], Any]]:
    """Returns the initial rate, and step / decay_steps, rounded down for a staircase."""
    rate, step = _started(learning_rate, global_step, op)

    def periods() -> Tensor:
        p: Any = step() / decay_steps
        return floor(p) if staircase else p

    return rate, periods


@export("compat.v1.train.exponential_decay")
def exponential_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Rate:
    """Returns learning_rate · decay_rate^(global_step / decay_steps), as a function.

    Args:
      learning_rate: The rate at step 0.
      global_step: The number of completed steps: a number or a variable.
      decay_steps: The number of steps after which the rate is multiplied by `decay_rate`.
      decay_rate: The factor.
      staircase: Whether the quotient is rounded down.
      name: Accepted for compatibility.

    Returns:
      A function without arguments that returns the learning rate, a tensor.

    Raises:
      ValueError: `global_step` is None.
    """
    rate, periods = _periods(
        learning_rate, global_step, decay_steps, staircase, "exponential_decay"
    )
    return _rate_or_tensor(lambda: rate * convert_to_tensor(decay_rate, rate.dtype) ** periods())


@export("compat.v1.train.natural_exp_decay")
def natural_exp_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Rate:
    """Returns learning_rate · exp(-decay_rate·global_step / decay_steps), as a function.

    Args:
      learning_rate: The rate at the first step.
      global_step: The step.
      decay_steps: The number of steps in which the exponent grows by `decay_rate`.
      decay_rate: The speed of the decay.
      staircase: Whether the rate changes only every `decay_steps` steps.
      name: Accepted for compatibility.

    Returns:
      A function without arguments that returns the learning rate, a tensor.
    """
    rate, periods = _periods(
        learning_rate, global_step, decay_steps, staircase, "natural_exp_decay"
    )
    return _rate_or_tensor(lambda: rate * exp(-decay_rate * periods()))


@export("compat.v1.train.inverse_time_decay")
def inverse_time_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Rate:
    """Returns learning_rate / (1 + decay_rate·global_step / decay_steps), as a function.

    Args:
      learning_rate: The rate at the first step.
      global_step: The step.
      decay_steps: The number of steps in which the divisor grows by `decay_rate`.
      decay_rate: The speed of the decay.
      staircase: Whether the rate changes only every `decay_steps` steps.
      name: Accepted for compatibility.

    Returns:
      A function without arguments that returns the learning rate, a tensor.
    """
    rate, periods = _periods(
        learning_rate, global_step, decay_steps, staircase, "inverse_time_decay"
    )
    return _rate_or_tensor(lambda: rate / (1 + decay_rate * periods()))


@export("compat.v1.train.polynomial_decay")
def polynomial_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    end_learning_rate: Any = 0.0001,
    power: Any = 1.0,
    cycle: bool = False,
    name: str | None = None,
) -> Rate:
    """Returns a rate that falls to `end_learning_rate` as (1 - global_step / decay_steps)^power.

    Args:
      learning_rate: The rate at step 0.
      global_step: The number of completed steps: a number or a variable.
      decay_steps: The number of steps until the end is reached.
      end_learning_rate: The rate at the end and from then on.
      power: The exponent.
      cycle: Whether the decay continues to the next multiple of `decay_steps` instead of ending.
      name: Accepted for compatibility.

    Returns:
      A function without arguments that returns the learning rate, a tensor.

    Raises:
      ValueError: `global_step` is None.
    """
    rate, step = _started(learning_rate, global_step, "polynomial_decay")

    def now() -> Tensor:
        done: Any = step()
        steps = convert_to_tensor(decay_steps, rate.dtype)
        if cycle:
            steps *= maximum(ceil(done / steps), convert_to_tensor(1, rate.dtype))
        else:
            done = minimum(done, steps)
        out: Tensor = (rate - end_learning_rate) * (1 - done / steps) ** power + end_learning_rate
        return out

    return _rate_or_tensor(now)


@export("compat.v1.train.piecewise_constant", "compat.v1.train.piecewise_constant_decay")
def piecewise_constant(
    x: Any, boundaries: Sequence[Any], values: Sequence[Any], name: str | None = None
) -> Rate:
    """Returns the value for the interval in which `x` lies, as a function without arguments.

    Args:
      x: A number or a variable.
      boundaries: The ends of the intervals; each end belongs to its interval.
      values: The values of the intervals, one more than there are boundaries.
      name: Accepted for compatibility.

    Returns:
      A function without arguments that returns the learning rate, a tensor.

    Raises:
      ValueError: The numbers of boundaries and values are not compatible.
    """
    if len(boundaries) != len(values) - 1:
        raise ValueError("The length of boundaries should be 1 less than the length of values")

    def now() -> Tensor:
        if open_graph() is not None:
            step = convert_to_tensor(x)
            at = searchsorted(convert_to_tensor(boundaries, step.dtype), reshape(step, [1]))
            return gather(convert_to_tensor(values), at[0])
        place = np.searchsorted(np.asarray(boundaries), np.asarray(convert_to_tensor(x)))
        return convert_to_tensor(values[int(place)])

    return _rate_or_tensor(now)


def _completed(step: Any, decay_steps: Any) -> Any:
    """Returns the fraction of the steps that are completed, at most 1."""
    return minimum(step, convert_to_tensor(decay_steps, step.dtype)) / decay_steps


@export("compat.v1.train.cosine_decay")
def cosine_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, alpha: float = 0.0, name: Any = None
) -> Rate:
    """Returns a learning rate that decays to a fraction `alpha` along half a cosine period.

    Args:
      learning_rate: The rate at step 0.
      global_step: The number of completed steps: a number or a variable.
      decay_steps: The number of steps until the end is reached.
      alpha: The final rate as a fraction of the initial one.
      name: Accepted for compatibility.

    Returns:
      A function without arguments that returns the learning rate, a tensor.

    Raises:
      ValueError: `global_step` is None.
    """
    rate, step = _started(learning_rate, global_step, "cosine_decay")

    def now() -> Tensor:
        done = _completed(step(), decay_steps)
        fallen: Any = 0.5 * (1 + cos(math.pi * done))
        out: Tensor = rate * ((1 - alpha) * fallen + alpha)
        return out

    return _rate_or_tensor(now)


@export("compat.v1.train.cosine_decay_restarts")
def cosine_decay_restarts(
    learning_rate: Any,
    global_step: Any,
    first_decay_steps: Any,
    t_mul: float = 2.0,
    m_mul: float = 1.0,
    alpha: float = 0.0,
    name: Any = None,
) -> Rate:
    """Returns a learning rate that decays like a cosine, and restarts after longer periods.

    Args:
      learning_rate: The rate at step 0.
      global_step: The number of completed steps: a number or a variable.
      first_decay_steps: The number of steps of the first period.
      t_mul: The factor between the lengths of two periods.
      m_mul: The factor between the first rates of two periods.
      alpha: The lowest rate as a fraction of the initial one.
      name: Accepted for compatibility.

    Returns:
      A function without arguments that returns the learning rate, a tensor.

    Raises:
      ValueError: `global_step` is None.
    """
    rate, step = _started(learning_rate, global_step, "cosine_decay_restarts")

    def now() -> Tensor:
        done: Any = step() / first_decay_steps
        if t_mul == 1.0:
            period: Any = floor(done)
            part = done - period
        else:
            period = floor(log(1.0 - done * (1.0 - t_mul)) / math.log(t_mul))
            before = (1.0 - t_mul**period) / (1.0 - t_mul)
            part = (done - before) / t_mul**period
        fallen: Any = 0.5 * m_mul**period * (1.0 + cos(math.pi * part))
        out: Tensor = rate * ((1 - alpha) * fallen + alpha)
        return out

    return _rate_or_tensor(now)


@export("compat.v1.train.linear_cosine_decay")
def linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    num_periods: float = 0.5,
    alpha: float = 0.0,
    beta: float = 0.001,
    name: Any = None,
) -> Rate:
    """Returns a learning rate that decays linearly, multiplied by a cosine.

    Args:
      learning_rate: The rate at step 0.
      global_step: The number of completed steps: a number or a variable.
      decay_steps: The number of steps until the end is reached.
      num_periods: The number of periods of the cosine.
      alpha: The number that is added to the linear part.
      beta: The lowest rate as a fraction of the initial one.
      name: Accepted for compatibility.

    Returns:
      A function without arguments that returns the learning rate, a tensor.

    Raises:
      ValueError: `global_step` is None.
    """
    rate, step = _started(learning_rate, global_step, "linear_cosine_decay")

    def now() -> Tensor:
        done = _completed(step(), decay_steps)
        return _waved(rate, done, 1 - done, num_periods, alpha, beta)

    return _rate_or_tensor(now)


def _waved(
    rate: Any, done: Any, fallen: Any, num_periods: float, alpha: float, beta: float
) -> Tensor:
    """Returns a rate times a linear part, which is multiplied by a cosine."""
    wave: Any = 0.5 * (1 + cos(2 * math.pi * num_periods * done))
    out: Tensor = rate * ((alpha + fallen) * wave + beta)
    return out


@export("compat.v1.train.noisy_linear_cosine_decay")
def noisy_linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    initial_variance: Any = 1.0,
    variance_decay: Any = 0.55,
    num_periods: float = 0.5,
    alpha: float = 0.0,
    beta: float = 0.001,
    name: Any = None,
) -> Rate:
    """Returns a learning rate that decays linearly with added noise, multiplied by a cosine.

    Args:
      learning_rate: The rate at step 0.
      global_step: The number of completed steps: a number or a variable.
      decay_steps: The number of steps until the end is reached.
      initial_variance: The variance of the noise at step 0.
      variance_decay: The power of the number of steps plus one by which the variance is divided.
      num_periods: The number of periods of the cosine.
      alpha: The number that is added to the linear part.
      beta: The lowest rate as a fraction of the initial one.
      name: Accepted for compatibility.

    Returns:
      A function without arguments that returns the learning rate, a tensor.

    Raises:
      ValueError: `global_step` is None.

    >>> rate = tf.compat.v1.train.noisy_linear_cosine_decay(1.0, 5, 10, initial_variance=0.0)
    >>> round(float(rate()), 4)
    0.251
    """
    rate, step = _started(learning_rate, global_step, "noisy_linear_cosine_decay")

    def now() -> Tensor:
        count = step()
        done = _completed(count, decay_steps)
        spread = sqrt(initial_variance / (1.0 + count) ** variance_decay)
        noise = normal(done.shape, stddev=spread, dtype=done.dtype)
        return _waved(rate, done, 1 - done + noise, num_periods, alpha, beta)

    return _rate_or_tensor(now)


@export("compat.v1.train.assert_global_step")
def assert_global_step(global_step_tensor: Any) -> None:
    """Raises an error unless a tensor can be the global step.

    Args:
      global_step_tensor: A tensor or variable.

    Raises:
      TypeError: The dtype is not an integer type, or the tensor is not a scalar.
    """
    if not global_step_tensor.dtype.is_integer:
        raise TypeError(f'Existing "global_step" is not an integer: {global_step_tensor.dtype}')
    if global_step_tensor.shape.rank not in (0, None):
        raise TypeError(f'Existing "global_step" is not scalar: {global_step_tensor.shape}')
