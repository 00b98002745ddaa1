"""Raw operations that apply a step of an optimizer to variables, or to some of their rows."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any

from gradtape._src.base.export import raw_op
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.core.convert import tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid, shown_shape
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.unknown_sizes import may_be_equal
from gradtape._src.ops.array.gather import gather
from gradtape._src.ops.elementwise.arithmetic import abs, sign
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.exponential import exp
from gradtape._src.ops.elementwise.powers import pow, sqrt, square
from gradtape._src.ops.elementwise.selection import maximum
from gradtape._src.ops.raw.variables import variable_of

Step = Callable[..., tuple[Any, ...]]
"""Computes new values of a variable and of what is kept for it.

It takes the old values, and by their names in TensorFlow the other inputs and attributes.
"""


def raw_step(*operations: str, **renamed: str) -> Callable[[Step], Step]:
    """Declares a step as the raw operations that apply it to variables, or to their rows.

    Args:
      operations: The names; those that begin with `ResourceSparse` change rows.
      **renamed: For each raw argument whose name differs, the name of the step's parameter.
    """

    def declare(step: Step) -> Step:
        for operation in operations:
            raw_op(operation, ignored=("use_locking",), differentiable=False, **renamed)(
                _applied(operation, step)
            )
        return step

    return declare


def _applied(operation: str, step: Step) -> Callable[..., None]:
    """Returns the function of a raw operation that assigns a step's results to the variables."""
    parameters = inspect.signature(step).parameters
    changed = [x.name for x in parameters.values() if x.kind is x.POSITIONAL_OR_KEYWORD]
    others = ["indices", "name"] if operation.startswith("ResourceSparse") else ["name"]

    def run(**given: Any) -> None:
        given.pop("name", None)
        indices = given.pop("indices", None)
        variables = [variable_of(given.pop(argument), operation) for argument in changed]
        # Indices are unique, since optimizers first add the gradients with equal indices.
        old = [v.read_value() if indices is None else gather(v, indices) for v in variables]
        _check(operation, dict(zip(changed, old, strict=True)), given)
        pairs = list(zip(variables, step(*old, **given), strict=True))
        for v, new in pairs:
            if indices is None:
                v.assign(new, read_value=False)
            else:
                v.scatter_update(IndexedSlices(new, indices))

    run.__doc__ = f"Changes the variables {', '.join(changed)} by a step of an optimizer."
    more = [Parameter(x, Parameter.KEYWORD_ONLY, default=None) for x in others]
    run.__signature__ = Signature([*parameters.values(), *more])  # type: ignore[attr-defined]
    return run


def _check(op: str, old: dict[str, Tensor], given: dict[str, Any]) -> None:
    """Checks the shapes of the variables' values or rows, of the gradient and of the numbers.

    Raises:
      InvalidArgumentError: The shapes of the variables and the gradient differ, or another input is
        not a scalar.
    """
    wanted = shape_of(old["var"])
    for name, value in (*old.items(), *given.items()):
        shape = shape_of(tensor(value))
        if name == "grad" or name in old:
            if not may_be_equal(shape, wanted):
                raise invalid(
                    f"var and {name} do not have the same shape{shown_shape(wanted)} "
                    f"{shown_shape(shape)} [Op:{op}]"
                )
        elif shape:
            raise invalid(f"{name} is not a scalar: {shown_shape(shape)} [Op:{op}]")


@raw_step("ResourceApplyGradientDescent", delta="grad")
def _descent(var: Any, *, alpha: Any, grad: Any) -> tuple[Any, ...]:
    return (var - alpha * grad,)


@raw_step("ResourceApplyProximalGradientDescent", delta="grad")
@raw_step("ResourceSparseApplyProximalGradientDescent")
def _proximal_descent(var: Any, *, alpha: Any, l1: Any, l2: Any, grad: Any) -> tuple[Any, ...]:
    return (_shrunk(var - alpha * grad, alpha * l1) / (1 + alpha * l2),)


def _shrunk(x: Any, by: Any) -> Any:
    """Moves numbers towards zero by an amount, but not past zero."""
    return sign(x) * maximum(abs(x) - by, cast(0, x.dtype))


@raw_step("ResourceApplyMomentum", "ResourceSparseApplyMomentum")
def _momentum(
    var: Any, accum: Any, *, lr: Any, grad: Any, momentum: Any, use_nesterov: bool = False
) -> tuple[Any, ...]:
    speed = accum * momentum + grad
    return var - lr * (grad + momentum * speed if use_nesterov else speed), speed


@raw_step("ResourceApplyKerasMomentum", "ResourceSparseApplyKerasMomentum")
def _keras_momentum(
    var: Any, accum: Any, *, lr: Any, grad: Any, momentum: Any, use_nesterov: bool = False
) -> tuple[Any, ...]:
    speed = accum * momentum - lr * grad
    return var + (speed * momentum - lr * grad if use_nesterov else speed), speed


@raw_step("ResourceApplyAdam")
def _adam(
    var: Any,
    m: Any,
    v: Any,
    *,
    beta1_power: Any,
    beta2_power: Any,
    lr: Any,
    beta1: Any,
    beta2: Any,
    epsilon: Any,
    grad: Any,
    use_nesterov: bool = False,
) -> tuple[Any, ...]:
    m, v = m + (grad - m) * (1 - beta1), v + (square(grad) - v) * (1 - beta2)
    scaled = lr * sqrt(1 - beta2_power) / (1 - beta1_power)
    ahead = m * beta1 + (1 - beta1) * grad if use_nesterov else m
    return var - scaled * ahead / (sqrt(v) + epsilon), m, v


@raw_step("ResourceApplyAdamWithAmsgrad")
def _amsgrad(
    var: Any,
    m: Any,
    v: Any,
    vhat: Any,
    *,
    beta1_power: Any,
    beta2_power: Any,
    lr: Any,
    beta1: Any,
    beta2: Any,
    epsilon: Any,
    grad: Any,
) -> tuple[Any, ...]:
    m, v = m + (grad - m) * (1 - beta1), v + (square(grad) - v) * (1 - beta2)
    vhat = maximum(vhat, v)
    scaled = lr * sqrt(1 - beta2_power) / (1 - beta1_power)
    return var - scaled * m / (sqrt(vhat) + epsilon), m, v, vhat


@raw_step("ResourceApplyAdaMax")
def _adamax(
    var: Any,
    m: Any,
    v: Any,
    *,
    beta1_power: Any,
    lr: Any,
    beta1: Any,
    beta2: Any,
    epsilon: Any,
    grad: Any,
) -> tuple[Any, ...]:
    m, v = m + (grad - m) * (1 - beta1), maximum(beta2 * v, abs(grad))
    return var - lr / (1 - beta1_power) * m / (v + epsilon), m, v


@raw_step("ResourceApplyAdadelta", "ResourceSparseApplyAdadelta")
def _adadelta(
    var: Any, accum: Any, accum_update: Any, *, lr: Any, rho: Any, epsilon: Any, grad: Any
) -> tuple[Any, ...]:
    accum = accum * rho + square(grad) * (1 - rho)
    update = sqrt(accum_update + epsilon) / sqrt(accum + epsilon) * grad
    return var - lr * update, accum, accum_update * rho + square(update) * (1 - rho)


@raw_step(
    "ResourceApplyAdagrad",
    "ResourceSparseApplyAdagrad",
    "ResourceApplyAdagradV2",
    "ResourceSparseApplyAdagradV2",
)
def _adagrad(
    var: Any,
    accum: Any,
    *,
    lr: Any,
    grad: Any,
    update_slots: bool = True,
    epsilon: Any = None,
) -> tuple[Any, ...]:
    accum = accum + square(grad) if update_slots else accum
    below = sqrt(accum) if epsilon is None else sqrt(accum) + epsilon
    return var - lr * grad / below, accum


@raw_step("ResourceApplyAdagradDA", "ResourceSparseApplyAdagradDA")
def _dual_averaging(
    var: Any,
    gradient_accumulator: Any,
    gradient_squared_accumulator: Any,
    *,
    grad: Any,
    lr: Any,
    l1: Any,
    l2: Any,
    global_step: Any,
) -> tuple[Any, ...]:
    total = gradient_accumulator + grad
    squares = gradient_squared_accumulator + square(grad)
    steps = cast(global_step, var.dtype)
    return -lr * _shrunk(total, l1 * steps) / (l2 * steps * lr + sqrt(squares)), total, squares


@raw_step("ResourceApplyProximalAdagrad", "ResourceSparseApplyProximalAdagrad")
def _proximal_adagrad(
    var: Any, accum: Any, *, lr: Any, l1: Any, l2: Any, grad: Any
) -> tuple[Any, ...]:
    accum = accum + square(grad)
    rate = lr / sqrt(accum)
    return _shrunk(var - rate * grad, rate * l1) / (1 + rate * l2), accum


@raw_step(
    "ResourceApplyFtrl",
    "ResourceSparseApplyFtrl",
    "ResourceApplyFtrlV2",
    "ResourceSparseApplyFtrlV2",
)
def _ftrl(
    var: Any,
    accum: Any,
    linear: Any,
    *,
    grad: Any,
    lr: Any,
    l1: Any,
    l2: Any,
    lr_power: Any,
    multiply_linear_by_lr: bool = False,
    l2_shrinkage: Any = 0,
) -> tuple[Any, ...]:
    new = accum + square(grad)
    old_power, new_power = pow(accum, -lr_power), pow(new, -lr_power)
    shrinking = grad + 2 * l2_shrinkage * var
    if multiply_linear_by_lr:
        linear = linear + shrinking * lr - (new_power - old_power) * var
        return -_shrunk(linear, l1 * lr) / (new_power + 2 * l2 * lr), new, linear
    linear = linear + shrinking - (new_power - old_power) / lr * var
    return -_shrunk(linear, l1) / (new_power / lr + 2 * l2), new, linear


@raw_step("ResourceApplyRMSProp", "ResourceSparseApplyRMSProp")
def _rms_prop(
    var: Any,
    ms: Any,
    mom: Any,
    *,
    lr: Any,
    rho: Any,
    momentum: Any,
    epsilon: Any,
    grad: Any,
) -> tuple[Any, ...]:
    ms = ms + (square(grad) - ms) * (1 - rho)
    mom = mom * momentum + lr * grad / sqrt(ms + epsilon)
    return var - mom, ms, mom


@raw_step("ResourceApplyCenteredRMSProp", "ResourceSparseApplyCenteredRMSProp")
def _centered_rms_prop(
    var: Any,
    mg: Any,
    ms: Any,
    mom: Any,
    *,
    lr: Any,
    rho: Any,
    momentum: Any,
    epsilon: Any,
    grad: Any,
) -> tuple[Any, ...]:
    ms, mg = ms + (square(grad) - ms) * (1 - rho), mg + (grad - mg) * (1 - rho)
    mom = mom * momentum + lr * grad / sqrt(ms - square(mg) + epsilon)
    return var - mom, mg, ms, mom


@raw_step("ResourceApplyAddSign")
def _add_sign(
    var: Any, m: Any, *, lr: Any, alpha: Any, sign_decay: Any, beta: Any, grad: Any
) -> tuple[Any, ...]:
    m = m * beta + grad * (1 - beta)
    return var - lr * (alpha + sign_decay * sign(grad) * sign(m)) * grad, m


@raw_step("ResourceApplyPowerSign")
def _power_sign(
    var: Any, m: Any, *, lr: Any, logbase: Any, sign_decay: Any, beta: Any, grad: Any
) -> tuple[Any, ...]:
    m = m * beta + grad * (1 - beta)
    return var - lr * exp(logbase * sign_decay * sign(grad) * sign(m)) * grad, m
