"""Raw operations that are the gradients of others, such as `ReluGrad`, from the declared rules."""

from __future__ import annotations

from inspect import Parameter, Signature
from typing import Any

from gradtape._src.base.export import raw_op
from gradtape._src.core.convert import tensor
from gradtape._src.core.primitive import Bound
from gradtape._src.declare.arguments import invalid
from gradtape._src.declare.general import shape_of
from gradtape._src.declare.structural import count
from gradtape._src.declare.unknown_sizes import may_be_equal


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
