"""Custom gradients that were saved with a model, or registered by `tf.RegisterGradient`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from gradtape._src.autodiff.custom import custom_gradient
from gradtape._src.declare.registered import Operation, gradient_registry, registered
from gradtape._src.graphdef.nodes import Kernel, Runnable
from gradtape._src.ops.array.creation import zeros_like


@dataclass(frozen=True)
class Gradient:
    """A user's gradient.

    Attributes:
      function: The name of the function that computes it.
      captures: The inputs after the cotangents: names of tensors in the surrounding function,
        or functions that return a value.
      gives: For each input of the node, whether the function returns its gradient.
    """

    function: str
    captures: Sequence[str | Callable[[], Any]]
    gives: Sequence[bool]


def with_gradient(kernel: Kernel, count: int, gradient: Gradient, body: Runnable) -> Kernel:
    """Returns a kernel with the user's gradient.

    Args:
      kernel: Computes the node's outputs.
      count: The number of inputs of the node, which the captured tensors follow.
      gradient: The gradient.
      body: Its function.
    """

    def run(values: list[Any]) -> list[Any]:
        own, captured = values[:count], iter(values[count:])
        held = [next(captured) if isinstance(x, str) else x() for x in gradient.captures]

        @custom_gradient
        def passed(*inputs: Any) -> tuple[list[Any], Callable[..., list[Any]]]:
            outputs = list(kernel(list(inputs)))

            def backward(*cotangents: Any) -> list[Any]:
                whole = [
                    zeros_like(y) if dy is None else dy
                    for dy, y in zip(cotangents, outputs, strict=True)
                ]
                found = iter(body.run([*whole, *held]))
                return [next(found) if gives else None for gives in gradient.gives]

            return outputs, backward

        return list(passed(*own))

    return run


def with_registered_gradient(kernel: Kernel, node: Any, op_type: str) -> Kernel:
    """Returns a kernel with the gradient that is registered for a name.

    Args:
      kernel: Computes the node's outputs.
      node: The node's message.
      op_type: The name. If no gradient has it, asking for the gradient raises LookupError.
    """

    def run(values: list[Any]) -> list[Any]:
        @custom_gradient
        def passed(*inputs: Any) -> tuple[list[Any], Callable[..., list[Any]]]:
            outputs = list(kernel(list(inputs)))

            def backward(*cotangents: Any) -> list[Any]:
                if not registered(op_type):
                    raise LookupError(
                        f"No gradient defined for operation'{node.name}' (op type: {node.op}). In "
                        "general every operation must have an associated `@tf.RegisterGradient`, "
                        f"and this one names {op_type!r}, which is not registered"
                    )
                pairs = zip(cotangents, outputs, strict=True)
                whole = [zeros_like(y) if dy is None else dy for dy, y in pairs]
                attributes = {name: node.attr[name] for name in node.attr}
                operation = Operation(node.op, inputs, outputs, attributes)
                found = gradient_registry.lookup(op_type)(operation, *whole)
                return list(found) if isinstance(found, (list, tuple)) else [found]

            return outputs, backward

        return list(passed(*values))

    return run
