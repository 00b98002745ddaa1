"""Operations that are the gradients of elementwise ones, such as `TanhGrad` and `ReluGrad`."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any

import numpy as np

from gradtape._src.base.export import raw_op
from gradtape._src.core.convert import tensor
from gradtape._src.core.primitive import Bound
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.general import INEXACT, shape_of
from gradtape._src.declare.pointwise import Binary, binary
from gradtape._src.declare.structural import conjugate, count
from gradtape._src.declare.unknown_sizes import may_be_equal

multiply, ndarray = np.multiply, np.ndarray  # read faster than attributes of NumPy
_LARGE = 1 << 14  # the number of elements from which a product by 1 costs more than to look for it


class Slope(Binary):
    """The product of a partial derivative, which depends on `x`, and a cotangent or tangent `y`.

    A tape records one operation for the gradient of another, rather than several.
    """

    def _rule(self, i: int, kept: tuple[str, ...]) -> Any:
        rule = super()._rule(i, kept)
        if i == 1:  # the product is linear in `y`
            at = kept.index("x")
            rule.plain = lambda t, saved: self.bind(saved[at], t)
            rule.conjugated = lambda g, saved: self.bind(conjugate(saved[at]), g)
            rule.raw = lambda g, saved: self.kernel(conjugate(saved[at]._value), g)
        return rule


def product_with_slope(
    name: str,
    partial: Callable[[Any], Any],
    second: Callable[[Any], Any],
    *,
    xla: Callable[..., Any],
) -> Bound:
    """Declares the product of a partial derivative and a cotangent or tangent as one operation.

    Args:
      name: TensorFlow's name of it.
      partial: The partial derivative as a function of one value, in new memory for an array.
      second: The derivative of `partial`.
      xla: Computes the product on JAX's arrays.
    """

    def kernel(x: Any, y: Any) -> Any:
        d = partial(x)
        if not (type(d) is type(y) is ndarray and d.shape == y.shape):
            return d * y
        if y.size >= _LARGE and not any(y.strides) and y.item(0) == 1:  # the gradient of a sum
            return d
        return multiply(d, y, d)

    return binary(
        name,
        kernel,
        lambda x, y: y * second(x),
        lambda x: partial(x),
        INEXACT,
        family=Slope,
        xla=xla,
    )


def raw_gradient(
    run: Bound,
    op: str,
    *,
    kept: str,
    cotangent: str = "gradients",
    conjugate: bool = True,
    **attributes: Any,
) -> None:
    """Declares the gradient of an elementwise operation of one input as a raw operation.

    The operation's own gradient rule computes it, so that it is differentiable, too.

    Args:
      run: The elementwise operation; its rule needs its input or its output, not both.
      op: The raw operation's name.
      kept: The argument of the raw operation that holds the values which the rule needs.
      cotangent: The argument of the raw operation that holds the gradient with respect to the
        output.
      conjugate: Whether the derivative of a complex function is conjugated; in TensorFlow's
        `SigmoidGrad` and `TanhGrad`, the caller does that.
      **attributes: The operation's parameters and their defaults.
    """
    plan = run.primitive.plan(1)
    required = [Parameter(n, Parameter.KEYWORD_ONLY) for n in (cotangent, kept)]
    optional = [
        Parameter(n, Parameter.KEYWORD_ONLY, default=value)
        for n, value in {**attributes, "name": None}.items()
    ]
    signature = Signature([*required, *optional])

    def gradient(**given: Any) -> Any:
        bound = signature.bind(**given)
        bound.apply_defaults()
        values = bound.arguments
        at = tensor(values[kept])
        saved, static = plan.keep((at,), at, {n: values[n] for n in attributes})
        g = tensor(values[cotangent])
        if not may_be_equal((count(shape_of(g)),), (count(shape_of(at)),)):
            raise invalid(
                f"Inputs to operation {op} must have the same size and shape: {shape_of(g)} != "
                f"{shape_of(at)} [Op:{op}]"
            )
        if conjugate or plan.jvp is None:
            return plan.vjp(g, (1,), saved, static)[0]
        return plan.jvp((g,), saved, static)

    gradient.__doc__ = f"The gradient of {run.primitive.name}, in terms of `{kept}`."
    gradient.__signature__ = signature  # type: ignore[attr-defined]
    raw_op(op)(gradient)
