"""Gradients written by the user, and gradients that recompute intermediate results."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar, overload

from gradtape._src.autodiff.arguments import pushed
from gradtape._src.autodiff.tape import GradientTape
from gradtape._src.autodiff.vectorize import row_by_row
from gradtape._src.base import nest
from gradtape._src.base.dispatch import shorten_errors
from gradtape._src.base.export import export
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.base.name_scope import noted
from gradtape._src.core import recorder
from gradtape._src.core.convert import tensor
from gradtape._src.core.primitive import Plan, Primitive
from gradtape._src.core.recorder import STACK, Recorder
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.structural import zeros
from gradtape._src.ops.elementwise.identities import identity_p

P = ParamSpec("P")
R = TypeVar("R")


class _VariableWatcher(Recorder):
    """Records which trainable variables a function reads."""

    is_tape = True
    _gives_gradient = True
    ids: frozenset[int] = frozenset()

    def __init__(self) -> None:
        self.read: dict[int, Variable] = {}

    def variable_read(self, variable: Variable) -> None:
        if variable.trainable:
            self.read.setdefault(variable._id, variable)


_PRIMITIVE = Primitive("CustomGradient", lambda *xs: xs)


class _CustomGradient:
    """A function whose gradient the user defines."""

    def __init__(self, f: Callable[..., Any]) -> None:
        self._f = f
        functools.update_wrapper(self, f)
        self.__original_wrapped__ = f

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(_call, self._f.__get__(instance))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return _call(self._f, *args, **kwargs)


@overload
def custom_gradient(f: Callable[P, tuple[R, Any]]) -> Callable[P, R]: ...
@overload
def custom_gradient(
    f: None = None,
) -> Callable[[Callable[P, tuple[R, Any]]], Callable[P, R]]: ...
@export("custom_gradient")
def custom_gradient(f: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """Lets the user define the gradient of a function.

    The function returns its result and a function `grad(*dys, variables=None)`, which takes the
    gradient of each result and returns the gradient of each argument. If the function reads
    trainable variables, `grad` must take `variables` and return a pair: the gradients of the
    arguments, and a list of gradients of the variables.

    The operations inside `grad` are recorded as usual, so that `grad` can itself be differentiated.

    Args:
      f: The function; keyword arguments are passed on and not differentiated.

    Returns:
      The decorated function.

    Raises:
      ValueError: `grad` returns a wrong number of gradients; this is raised when the gradient is
        computed.
      TypeError: The function reads variables and `grad` does not take `variables`.

    >>> @tf.custom_gradient
    ... def log1pexp(x):
    ...     e = tf.exp(x)
    ...     return tf.math.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))
    """
    return custom_gradient if f is None else _CustomGradient(f)


def _call(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    if any(hasattr(type(x), "__tf_tensor__") for x in nest.flatten(args)):
        args = nest.map_structure(_unwrapped, args)
    watcher = _VariableWatcher()
    with pushed(watcher):
        result, grad = f(*args, **kwargs)
    inputs = nest.flatten(args)
    passed = {x._id for x in inputs if isinstance(x, Variable)}
    variables = [v for i, v in watcher.read.items() if i not in passed]
    takes = inspect.signature(grad).parameters
    if (
        variables
        and "variables" not in takes
        and not any(p.kind is p.VAR_KEYWORD for p in takes.values())
    ):
        raise TypeError(
            f"@tf.custom_gradient grad_fn must accept keyword argument 'variables', since function "
            f"uses variables: {variables}"
        )
    for x in inputs:
        if isinstance(x, Variable):
            x._read()
    outputs = _as_new_tensors(nest.flatten(result), [*inputs, *variables])
    with noted(getattr(f, "__name__", _PRIMITIVE.name)):
        record([*inputs, *variables], outputs, _backward(grad, len(inputs), variables))
    return nest.pack_sequence_as(result, outputs)


def _unwrapped(x: Any) -> Any:
    """Converts a value that represents a tensor, such as a Keras variable, to the tensor."""
    return tensor(x) if hasattr(type(x), "__tf_tensor__") else x


def _as_new_tensors(results: Sequence[Any], inputs: Sequence[Any]) -> list[Tensor]:
    """Returns the results as new tensors.

    A tape that watches none of the inputs records the operations inside `f`, since `f` may close
    over watched values.
    """
    ids = {getattr(x, "_id", 0) for x in inputs}
    if any(r.is_tape and ids.isdisjoint(r.ids) for r in STACK.recorders):
        return [identity_p(tensor(y)) for y in results]
    return [Tensor(tensor(y)._value) for y in results]


def _backward(
    grad: Callable[..., Any], count: int, variables: list[Variable]
) -> Callable[[Sequence[Any]], list[Any]]:
    """Returns a function from the results' gradients to those of the arguments and variables."""

    def backward(dys: Sequence[Any]) -> list[Any]:
        if variables:
            dxs, dvs = grad(*dys, variables=list(variables))
            dvs = list(dvs)
            if len(dvs) != len(variables):
                raise ValueError(
                    "Must return gradient for each variable from @custom_gradient grad_fn."
                )
        else:
            dxs, dvs = grad(*dys), []
        flat = nest.flatten(dxs)
        if len(flat) != count:
            raise ValueError(
                f"custom_gradient function expected to return {count} gradients, but returned "
                f"{len(flat)} instead."
            )
        return [*flat, *dvs]

    return backward


def record(
    inputs: Sequence[Any],
    outputs: Sequence[Tensor],
    backward: Callable[..., list[Any]],
    kept: tuple[Tensor, ...] = (),
    watchers: Sequence[Recorder] | None = None,
) -> None:
    """Reports operations that have run to the recorders as one operation.

    Args:
      inputs: Tensors and variables.
      outputs: The results.
      backward: Computes the gradients of inputs from those of outputs.
      kept: The tensors that `backward` is known to keep, for summaries of a tape's memory.
      watchers: The recorders; all that are active by default.
    """
    specs = [(y._value.shape, y._value.dtype) for y in outputs]

    def vjp(g: Any, ids: Any, saved: Any, static: Any) -> list[Any]:
        filled = [zeros(*s) if d is None else d for d, s in zip(g, specs, strict=True)]
        raw = not any(type(d) is Tensor for d in g)
        dxs = row_by_row(backward, [d if type(d) is Tensor else Tensor(d) for d in filled])
        return [_lowered(d) for d in dxs] if raw else dxs

    plan = Plan(_PRIMITIVE, lambda *_: (kept, None), vjp, always=True)
    for watcher in STACK.recorders if watchers is None else watchers:
        watcher.custom(plan, inputs, outputs)


def _lowered(d: Any) -> Any:
    """Returns a gradient in the form that the backward pass on raw values uses."""
    if isinstance(d, IndexedSlices):
        return IndexedSlices(*map(_lowered, (d.values, d.indices, d.dense_shape)))
    if isinstance(d, Variable):
        d = d._read()
    return d._value if type(d) is Tensor else d


@export("recompute_grad")
def recompute_grad(f: Callable[P, R]) -> Callable[P, R]:
    """Wraps a function so that gradients recompute its intermediate results, which are not kept.

    Only the arguments take memory until a gradient is taken; the function then runs once more.

    Args:
      f: A function of tensors. Keyword arguments are passed on and not differentiated.

    Returns:
      A function with the same results and gradients.

    >>> x = tf.constant(2.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = tf.recompute_grad(tf.square)(x)
    >>> float(tape.gradient(y, x))
    4.0
    """

    @functools.wraps(f)
    @shorten_errors
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        watcher = _VariableWatcher()
        with recorder.replaced((*(r for r in STACK.recorders if not r.is_tape), watcher)):
            result = f(*args, **kwargs)
        inputs = nest.flatten(args)
        passed = {x._id for x in inputs if isinstance(x, Variable)}
        variables = [v for i, v in watcher.read.items() if i not in passed]
        for x in (*inputs, *variables):
            if isinstance(x, Variable):
                x._read()  # reports the reads to the outer tapes

        # A tensor that is passed twice counts as two sources; a variable counts as one.
        followed = [
            isinstance(x, (Tensor, Variable))
            and x.dtype.differentiable
            and not (isinstance(x, Variable) and any(x is y for y in inputs[:i]))
            for i, x in enumerate(inputs)
        ]

        def backward(dys: Sequence[Any]) -> list[Any]:
            apart = [identity_p(x) if type(x) is Tensor else x for x in inputs]
            sources = [x for x, yes in zip(apart, followed, strict=True) if yes]
            with GradientTape() as tape:
                tape.watch(sources)
                again = f(*nest.pack_sequence_as(args, apart), **kwargs)
            dxs = iter(tape.gradient(again, [*sources, *variables], output_gradients=list(dys)))
            return [*(next(dxs) if yes else None for yes in followed), *dxs]

        outputs = [Tensor(tensor(y)._value) for y in nest.flatten(result)]
        with noted(getattr(f, "__name__", _PRIMITIVE.name)):
            kept = tuple(x for x in inputs if type(x) is Tensor)
            record([*inputs, *variables], outputs, backward, kept)
        packed: R = nest.pack_sequence_as(result, outputs)
        return packed

    return wrapped


@export("grad_pass_through")
def grad_pass_through(f: Callable[P, R]) -> Callable[P, R]:
    """Wraps a function of one tensor so that its gradient is that of the identity.

    Args:
      f: The function.

    Returns:
      A function with the same result, whose gradient is passed through unchanged.
    """

    def forward(x: Any, *args: Any, **kwargs: Any) -> Any:
        def backward(dy: Any, variables: Any = None) -> Any:
            none = [None] * len(variables or ())
            return (dy, none) if variables else dy

        return f(x, *args, **kwargs), backward

    forward.__name__ = getattr(f, "__name__", forward.__name__)
    passed_through: Callable[..., Any] = custom_gradient(forward)
    return passed_through
