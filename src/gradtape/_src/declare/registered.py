"""Operations whose gradient can be registered by a program."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from typing import Any

from gradtape._src.base.export import export
from gradtape._src.core.convert import tensor
from gradtape._src.core.primitive import Bound, Outputs, Plan, Primitive, bind
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import REGISTRY, dtype_of_value, register, shape_of
from gradtape._src.declare.structural import one_by_one, zeros
from gradtape._src.declare.traits import NO_TRAITS, Traits
from gradtape._src.first_use import loading

_GRADIENTS: dict[str, tuple[Callable[..., Any], str]] = {}


@export("Operation")
class Operation:
    """Describes one run of an operation to a registered gradient function.

    Args:
      kind: The operation's name.
      inputs: The operation's inputs.
      outputs: The operation's outputs.
      attrs: The values of the operation's other parameters, by name.

    Attributes:
      type: The operation's name.
      inputs: The operation's inputs.
      outputs: The operation's outputs.

    >>> @tf.RegisterGradient("Halve")
    ... def of_halve(op, gradient):
    ...     return gradient / 2 if op.type == "Halve" else None
    """

    def __init__(
        self, kind: str, inputs: Sequence[Tensor], outputs: Sequence[Tensor], attrs: dict[str, Any]
    ) -> None:
        self.type = self.name = kind
        self.inputs = tuple(inputs)
        self.outputs = list(outputs)
        self._attrs = attrs

    def get_attr(self, name: str) -> Any:
        """Returns the value of a parameter that is not a tensor.

        Args:
          name: The parameter's name.

        Returns:
          The value.

        Raises:
          ValueError: The operation has no parameter of that name.
        """
        if name not in self._attrs:
            raise ValueError(f"Operation {self.type!r} has no attr named {name!r}.")
        return self._attrs[name]

    def __repr__(self) -> str:
        return f"<tf.Operation {self.name!r} type={self.type}>"


@export("RegisterGradient")
class RegisterGradient:
    """Registers a function as the gradient of an operation that has none yet.

    The decorated function is called with the `Operation` and one gradient per output, and returns
    the gradient for each input: a tensor, None, or a sequence of them.

    Args:
      op_type: The operation's name, as in the error "gradient registry has no entry for: ...", or
        as passed to `define_op`.

    Raises:
      TypeError: `op_type` is not a string.
      KeyError: The operation already has a gradient.

    >>> @tf.RegisterGradient("Triple")
    ... def of_triple(op, gradient):
    ...     return 3 * gradient
    """

    def __init__(self, op_type: str) -> None:
        if not isinstance(op_type, str):
            raise TypeError("op_type must be a string")
        self._op_type = op_type

    def __call__(self, f: Callable[..., Any]) -> Callable[..., Any]:
        name = self._op_type
        loading.operation(name)
        known = REGISTRY.get(name)
        if name in _GRADIENTS or (known is not None and not isinstance(known, Opaque)):
            where = _GRADIENTS[name][1] if name in _GRADIENTS else "gradtape"
            raise KeyError(
                f"Registering two gradient with name {name!r}! (Previous registration was in "
                f"{where})"
            )
        frame = traceback.extract_stack(limit=2)[0]
        _GRADIENTS[name] = (f, f"{frame.name} {frame.filename}:{frame.lineno}")
        return f


def registered(op_type: str) -> bool:
    """Whether a gradient was registered for an operation that had none."""
    return op_type in _GRADIENTS


class GradientRegistry:
    """The gradients that were registered by `RegisterGradient`, for libraries that read graphs."""

    def lookup(self, name: str) -> Callable[..., Any]:
        """Returns a registered gradient.

        Args:
          name: The name for which it was registered.

        Raises:
          LookupError: No gradient was registered for it.
        """
        if name not in _GRADIENTS:
            raise LookupError(f"gradient registry has no entry for: {name}")
        return _GRADIENTS[name][0]

    def list(self) -> list[str]:
        """Returns the names for which gradients were registered."""
        return list(_GRADIENTS)


gradient_registry = GradientRegistry()


@export("no_gradient")
def no_gradient(op_type: str) -> None:
    """Declares that an operation has no gradient, so that its gradients are None.

    Args:
      op_type: The operation's name.

    Raises:
      TypeError: The name is not a string.
      KeyError: The operation already has a gradient.
    """
    RegisterGradient(op_type)(lambda op, *gradients: [None] * len(op.inputs))


def overriding(op_type: str, primitive: Primitive) -> Primitive:
    """Returns an operation that is differentiated by a registered gradient, in place of its own.

    Args:
      op_type: The name for which the gradient is registered.
      primitive: The operation.

    Raises:
      LookupError: No gradient has this name.
    """
    gradient_registry.lookup(op_type)
    return Opaque(op_type, primitive.kernel, primitive.name)


class Opaque(Primitive):
    """An operation that is differentiated by the function registered for its name, if any.

    Args:
      name: The name for which the gradient is registered.
      kernel: The kernel.
      op_type: The operation's name, if it is another one.
    """

    def __init__(self, name: str, kernel: Callable[..., Any], op_type: str | None = None) -> None:
        super().__init__(name, kernel)
        self._op_type = op_type or name

    def make_plan(self, mask: int) -> Plan:
        return Plan(self, self._keep, self._vjp, always=True)

    def _keep(self, inputs: Sequence[Any], out: Any, params: dict[str, Any]) -> Any:
        outs = out if type(out) is tuple else (out,)
        return (*inputs, *outs), (len(inputs), params)

    def _vjp(self, g: Any, ids: Sequence[int], saved: Sequence[Any], static: Any) -> Any:
        if self.name not in _GRADIENTS:
            error = LookupError(f"gradient registry has no entry for: {self.name}")
            error.add_note(
                f"Give it one with @tf.RegisterGradient({self.name!r}), or write the function with "
                f"operations that have gradients."
            )
            raise error
        count, params = static
        tensors = [x if type(x) is Tensor else Tensor(x) for x in saved]
        inputs, outputs = tensors[:count], tensors[count:]
        gs = (
            [g]
            if type(g) is not list
            else [
                zeros(shape_of(out), dtype_of_value(out)) if d is None else d
                for d, out in zip(g, outputs, strict=True)
            ]
        )
        raw = not any(type(d) is Tensor for d in gs)
        results = _GRADIENTS[self.name][0](
            Operation(self._op_type, inputs, outputs, params),
            *[d if type(d) is Tensor else Tensor(d) for d in gs],
        )
        results = list(results) if isinstance(results, (list, tuple)) else [results]
        if len(results) != count:
            raise ValueError(
                f"Num gradients {len(results)} generated for op {self.name} do not match num "
                f"inputs {count}"
            )
        return [r._value if raw and type(r) is Tensor else r for r in results]

    def batch(
        self, size: int, batched: Sequence[bool], inputs: Sequence[Any], params: dict[str, Any]
    ) -> Outputs:
        return one_by_one(self, size, batched, inputs, params)


def opaque(
    name: str,
    kernel: Callable[..., Any],
    xla: Callable[..., Any] | None = None,
    traits: Traits = NO_TRAITS,
) -> Bound:
    """Declares an operation whose gradient raises LookupError; see `general`.

    TensorFlow has two kinds of operations without a gradient: for some, gradients are None (declare
    these without pull-backs); others have no registered gradient, and raise. This function declares
    the latter.
    """
    primitive = Opaque(name, kernel)
    register(primitive, xla, traits)
    return bind(primitive)


@export("define_op")
def define_op(op_type: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Defines a new operation by a function on NumPy arrays; `RegisterGradient` differentiates it.

    Args:
      op_type: The name of the operation.

    Returns:
      A decorator. The decorated function takes arrays positionally and parameters by keyword, and
      returns an array or a tuple of them; it becomes an operation on tensors.

    Raises:
      KeyError: There is already an operation of this name.

    >>> @tf.define_op("Cube")
    ... def cube(x):
    ...     return x**3
    >>> @tf.RegisterGradient("Cube")
    ... def _cube_gradient(op, g):
    ...     return 3 * op.inputs[0] ** 2 * g
    """

    def decorate(kernel: Callable[..., Any]) -> Callable[..., Any]:
        loading.operation(op_type)
        run = opaque(op_type, kernel)

        def operation(*inputs: Any, **params: Any) -> Any:
            return run(*[tensor(x) for x in inputs], **params)

        operation.__name__ = operation.__qualname__ = op_type
        operation.__doc__ = kernel.__doc__
        return operation

    return decorate
