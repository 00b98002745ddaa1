"""Steps of optimizers, and updates of rows of variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.declare.general import shape_of
from gradtape._src.graphdef.nodes import MAKERS, Kernel, Node, kernel, maker
from gradtape._src.ops.array.gather import gather
from gradtape._src.ops.array.shaping import reshape
from gradtape._src.ops.elementwise.arithmetic import abs, sign
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.exponential import exp
from gradtape._src.ops.elementwise.powers import pow, sqrt, square
from gradtape._src.ops.elementwise.selection import maximum
from gradtape._src.raw.op_definitions import is_defined, op_definition

Step = Callable[..., tuple[Any, ...]]
"""Computes new values of a variable and of what is kept for it.

It takes the old values, and the other inputs and attributes by their names in TensorFlow.
"""
STEPS: dict[str, Step] = {}
"""The steps of optimizers, by the last part of their operations' names."""


def _step(*names: str) -> Callable[[Step], Step]:
    def mark(step: Step) -> Step:
        for name in names:
            STEPS[name] = step
        return step

    return mark


@_step("GradientDescent")
def _descent(x: Any, *, alpha: Any, grad: Any, **_: Any) -> tuple[Any, ...]:
    return (x - alpha * grad,)


@_step("ProximalGradientDescent")
def _proximal_descent(
    x: Any, *, alpha: Any, l1: Any, l2: Any, grad: Any, **_: Any
) -> tuple[Any, ...]:
    return (_shrunk(x - alpha * grad, alpha * l1) / (1 + alpha * l2),)


def _shrunk(x: Any, by: Any) -> Any:
    """Moves numbers towards zero by an amount, but not past zero."""
    return sign(x) * maximum(abs(x) - by, cast(0, x.dtype))


@_step("Momentum")
def _momentum(
    x: Any, accum: Any, *, lr: Any, grad: Any, momentum: Any, use_nesterov: bool, **_: Any
) -> tuple[Any, ...]:
    speed = accum * momentum + grad
    return x - lr * (grad + momentum * speed if use_nesterov else speed), speed


@_step("KerasMomentum")
def _keras_momentum(
    x: Any, accum: Any, *, lr: Any, grad: Any, momentum: Any, use_nesterov: bool, **_: Any
) -> tuple[Any, ...]:
    speed = accum * momentum - lr * grad
    return x + (speed * momentum - lr * grad if use_nesterov else speed), speed


@_step("Adam")
def _adam(
    x: Any,
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
    **_: Any,
) -> tuple[Any, ...]:
    m, v = m + (grad - m) * (1 - beta1), v + (square(grad) - v) * (1 - beta2)
    scaled = lr * sqrt(1 - beta2_power) / (1 - beta1_power)
    ahead = m * beta1 + (1 - beta1) * grad if use_nesterov else m
    return x - scaled * ahead / (sqrt(v) + epsilon), m, v


@_step("AdamWithAmsgrad")
def _amsgrad(
    x: Any, m: Any, v: Any, vhat: Any, *, epsilon: Any, lr: Any, **given: Any
) -> tuple[Any, ...]:
    _, m, v = _adam(x, m, v, epsilon=epsilon, lr=lr, **given)
    vhat = maximum(vhat, v)
    scaled = lr * sqrt(1 - given["beta2_power"]) / (1 - given["beta1_power"])
    return x - scaled * m / (sqrt(vhat) + epsilon), m, v, vhat


@_step("AdaMax")
def _adamax(
    x: Any,
    m: Any,
    v: Any,
    *,
    beta1_power: Any,
    lr: Any,
    beta1: Any,
    beta2: Any,
    epsilon: Any,
    grad: Any,
    **_: Any,
) -> tuple[Any, ...]:
    m, v = m + (grad - m) * (1 - beta1), maximum(beta2 * v, abs(grad))
    return x - lr / (1 - beta1_power) * m / (v + epsilon), m, v


@_step("Adadelta")
def _adadelta(
    x: Any, accum: Any, accum_update: Any, *, lr: Any, rho: Any, epsilon: Any, grad: Any, **_: Any
) -> tuple[Any, ...]:
    accum = accum * rho + square(grad) * (1 - rho)
    update = sqrt(accum_update + epsilon) / sqrt(accum + epsilon) * grad
    return x - lr * update, accum, accum_update * rho + square(update) * (1 - rho)


@_step("Adagrad", "AdagradV2")
def _adagrad(
    x: Any, accum: Any, *, lr: Any, grad: Any, update_slots: bool, epsilon: Any = None, **_: Any
) -> tuple[Any, ...]:
    accum = accum + square(grad) if update_slots else accum
    below = sqrt(accum) if epsilon is None else sqrt(accum) + epsilon
    return x - lr * grad / below, accum


@_step("AdagradDA")
def _dual_averaging(
    x: Any,
    total: Any,
    squares: Any,
    *,
    grad: Any,
    lr: Any,
    l1: Any,
    l2: Any,
    global_step: Any,
    **_: Any,
) -> tuple[Any, ...]:
    total, squares, steps = total + grad, squares + square(grad), cast(global_step, x.dtype)
    return -lr * _shrunk(total, l1 * steps) / (l2 * steps * lr + sqrt(squares)), total, squares


@_step("ProximalAdagrad")
def _proximal_adagrad(
    x: Any, accum: Any, *, lr: Any, l1: Any, l2: Any, grad: Any, **_: Any
) -> tuple[Any, ...]:
    accum = accum + square(grad)
    rate = lr / sqrt(accum)
    return _shrunk(x - rate * grad, rate * l1) / (1 + rate * l2), accum


@_step("Ftrl", "FtrlV2")
def _ftrl(
    x: Any,
    accum: Any,
    linear: Any,
    *,
    grad: Any,
    lr: Any,
    l1: Any,
    l2: Any,
    lr_power: Any,
    multiply_linear_by_lr: bool,
    l2_shrinkage: Any = 0,
    **_: Any,
) -> tuple[Any, ...]:
    new = accum + square(grad)
    old_power, new_power = pow(accum, -lr_power), pow(new, -lr_power)
    shrinking = grad + 2 * l2_shrinkage * x
    if multiply_linear_by_lr:
        linear = linear + shrinking * lr - (new_power - old_power) * x
        return -_shrunk(linear, l1 * lr) / (new_power + 2 * l2 * lr), new, linear
    linear = linear + shrinking - (new_power - old_power) / lr * x
    return -_shrunk(linear, l1) / (new_power / lr + 2 * l2), new, linear


@_step("RMSProp")
def _rms_prop(
    x: Any,
    ms: Any,
    mom: Any,
    *,
    lr: Any,
    rho: Any,
    momentum: Any,
    epsilon: Any,
    grad: Any,
    **_: Any,
) -> tuple[Any, ...]:
    ms = ms + (square(grad) - ms) * (1 - rho)
    mom = mom * momentum + lr * grad / sqrt(ms + epsilon)
    return x - mom, ms, mom


@_step("CenteredRMSProp")
def _centered_rms_prop(
    x: Any,
    mg: Any,
    ms: Any,
    mom: Any,
    *,
    lr: Any,
    rho: Any,
    momentum: Any,
    epsilon: Any,
    grad: Any,
    **_: Any,
) -> tuple[Any, ...]:
    ms, mg = ms + (square(grad) - ms) * (1 - rho), mg + (grad - mg) * (1 - rho)
    mom = mom * momentum + lr * grad / sqrt(ms - square(mg) + epsilon)
    return x - mom, mg, ms, mom


@_step("AddSign")
def _add_sign(
    x: Any, m: Any, *, lr: Any, alpha: Any, sign_decay: Any, beta: Any, grad: Any, **_: Any
) -> tuple[Any, ...]:
    m = m * beta + grad * (1 - beta)
    return x - lr * (alpha + sign_decay * sign(grad) * sign(m)) * grad, m


@_step("PowerSign")
def _power_sign(
    x: Any, m: Any, *, lr: Any, logbase: Any, sign_decay: Any, beta: Any, grad: Any, **_: Any
) -> tuple[Any, ...]:
    m = m * beta + grad * (1 - beta)
    return x - lr * exp(logbase * sign_decay * sign(grad) * sign(m)) * grad, m


def _applying(step: Step) -> Callable[[Node], Kernel]:
    """Returns a function that makes the kernels for a step on variables or on their rows."""

    def make(node: Node) -> Kernel:
        names = [x.name for x in node.definition.inputs]
        count = sum(x.dtype == "resource" or x.is_ref for x in node.definition.inputs)
        attributes = {
            key: bool(node.attributes[key])
            for key in ("use_nesterov", "update_slots", "multiply_linear_by_lr")
            if key in node.definition.attributes
        }

        def run(values: list[Any]) -> list[Any]:
            variables = values[:count]
            given = dict(zip(names[count:], values[count:], strict=True)) | attributes
            given["grad"] = given.pop("delta") if "delta" in given else given["grad"]
            indices = given.pop("indices", None)
            # Indices are unique, since optimizers first add the gradients with equal indices.
            old = [v.read_value() if indices is None else gather(v, indices) for v in variables]
            for v, new in zip(variables, step(*old, **given), strict=True):
                if indices is None:
                    v.assign(new, read_value=False)
                else:
                    v.scatter_update(IndexedSlices(new, indices))
            return []

        return run

    return make


for _name, _of_name in STEPS.items():
    for _kind in ("Apply", "SparseApply"):
        if is_defined(f"Resource{_kind}{_name}"):
            maker(f"Resource{_kind}{_name}")(_applying(_of_name))


def _rows(method: str) -> Callable[[list[Any]], list[Any]]:
    """Changes rows of a variable by a method of variables."""

    def run(values: list[Any]) -> list[Any]:
        variable, indices, updates = values
        row = shape_of(variable.read_value())[1:]
        places = reshape(convert_to_tensor(indices), [-1])
        changes = reshape(convert_to_tensor(updates), [-1, *row])
        getattr(variable, method)(IndexedSlices(changes, places))
        return []

    return run


def _places(method: str) -> Callable[[list[Any]], list[Any]]:
    """Changes elements or rows of a variable by a method of variables."""

    def run(values: list[Any]) -> list[Any]:
        variable, indices, updates = values
        getattr(variable, method)(indices, updates)
        return []

    return run


for _name in ("Add", "Sub", "Mul", "Div", "Max", "Min", "Update"):
    kernel(f"ResourceScatter{_name}")(_rows(f"scatter_{_name.lower()}"))
for _name in ("Add", "Sub", "Max", "Min", "Update"):
    kernel(f"ResourceScatterNd{_name}")(_places(f"scatter_nd_{_name.lower()}"))


# The operations on variables of TensorFlow 1, which are references to tensors.


def _of_reference(make: Callable[[Node], Kernel]) -> Callable[[Node], Kernel]:
    """Returns a function that makes kernels that also return the variable that they change."""

    def maker_of_reference(node: Node) -> Kernel:
        run = make(node)

        def change(values: list[Any]) -> list[Any]:
            variable = values[0]
            run(values)
            return [variable]

        return change

    return maker_of_reference


for _name in [
    name
    for name in MAKERS
    if name.startswith(("ResourceApply", "ResourceSparseApply", "ResourceScatter"))
]:
    _old = _name.removeprefix("Resource")
    if is_defined(_old) and _old not in MAKERS and op_definition(_old).outputs:
        maker(_old)(_of_reference(MAKERS[_name]))
