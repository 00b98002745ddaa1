"""Steps of optimizers, and updates of rows of variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import shape_of
from gradtape._src.graphdef.nodes import MAKERS, Kernel, Node, kernel, maker
from gradtape._src.ops.array.shaping import reshape
from gradtape._src.ops.elementwise.powers import sqrt, square
from gradtape._src.raw.op_definitions import is_defined, op_definition


def _set(variable: Any, value: Any) -> Tensor:
    """Assigns a variable, and returns its new value."""
    variable.assign(value, read_value=False)
    kept: Tensor = variable.read_value()
    return kept


@kernel("ResourceApplyGradientDescent")
def _descent(values: list[Any]) -> list[Any]:
    v, rate, g = values
    v.assign_sub(rate * g, read_value=False)
    return []


@maker("ResourceApplyMomentum")
def _momentum(node: Node) -> Kernel:
    nesterov = bool(node.attributes["use_nesterov"])

    def run(values: list[Any]) -> list[Any]:
        v, kept, rate, g, momentum = values
        speed = _set(kept, kept.read_value() * momentum + g)
        step = g + momentum * speed if nesterov else speed
        v.assign_sub(rate * step, read_value=False)
        return []

    return run


@maker("ResourceApplyKerasMomentum")
def _keras_momentum(node: Node) -> Kernel:
    nesterov = bool(node.attributes["use_nesterov"])

    def run(values: list[Any]) -> list[Any]:
        v, kept, rate, g, momentum = values
        speed = _set(kept, kept.read_value() * momentum - rate * g)
        v.assign_add(speed * momentum - rate * g if nesterov else speed, read_value=False)
        return []

    return run


@maker("ResourceApplyAdam")
def _adam(node: Node) -> Kernel:
    nesterov = bool(node.attributes["use_nesterov"])

    def run(values: list[Any]) -> list[Any]:
        v, mean, spread, power1, power2, rate, beta1, beta2, epsilon, g = values
        m = _set(mean, mean.read_value() + (g - mean.read_value()) * (1 - beta1))
        s = _set(spread, spread.read_value() + (square(g) - spread.read_value()) * (1 - beta2))
        scaled = rate * sqrt(1 - power2) / (1 - power1)
        ahead = m * beta1 + (1 - beta1) * g if nesterov else m
        v.assign_sub(scaled * ahead / (sqrt(s) + epsilon), read_value=False)
        return []

    return run


@maker("ResourceApplyAdagrad", "ResourceApplyAdagradV2")
def _adagrad(node: Node) -> Kernel:
    updates = bool(node.attributes["update_slots"])

    def run(values: list[Any]) -> list[Any]:
        v, kept, rate, *epsilon, g = values
        total = kept.read_value()
        if updates:
            total = _set(kept, total + square(g))
        below = sqrt(total) + epsilon[0] if epsilon else sqrt(total)
        v.assign_sub(rate * g / below, read_value=False)
        return []

    return run


@kernel("ResourceApplyRMSProp")
def _rms_prop(values: list[Any]) -> list[Any]:
    v, squares, kept, rate, rho, momentum, epsilon, g = values
    s = _set(squares, squares.read_value() + (square(g) - squares.read_value()) * (1 - rho))
    step = _set(kept, kept.read_value() * momentum + rate * g / sqrt(s + epsilon))
    v.assign_sub(step, read_value=False)
    return []


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
    """Returns the maker of a kernel that also gives the variable that it changes."""

    def maker_of_reference(node: Node) -> Kernel:
        run = make(node)

        def change(values: list[Any]) -> list[Any]:
            variable = values[0]
            run(values)
            return [variable]

        return change

    return maker_of_reference


for _name in [name for name in MAKERS if name.startswith(("ResourceApply", "ResourceScatter"))]:
    _old = _name.removeprefix("Resource")
    if is_defined(_old) and _old not in MAKERS and op_definition(_old).outputs:
        maker(_old)(_of_reference(MAKERS[_name]))
