"""Raw operations that call concrete functions: conditionals, loops and plain calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradtape._src.base import nest
from gradtape._src.base.dtypes import string
from gradtape._src.base.errors import About
from gradtape._src.base.export import raw_op
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import invalid
from gradtape._src.ops.array.tensor_shapes import size
from gradtape._src.ops.control.control_flow import cond as conditional
from gradtape._src.ops.control.control_flow import switch_case, while_loop
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.comparison import not_equal


def _outputs_of(function: Any, inputs: Sequence[Any], operation: str, count: int) -> list[Any]:
    """Returns the first outputs of a concrete function.

    Raises:
      InvalidArgumentError: `function` is another kind of function, or has fewer outputs.
    """
    if not hasattr(function, "captured_inputs"):
        raise invalid(
            f"a concrete function is needed, got {function!r} (get_concrete_function makes one) "
            f"[Op:{operation}]"
        )
    found = [x for x in nest.flatten(function(*inputs)) if x is not None]
    if len(found) < count:
        raise invalid(f"the function has {len(found)} outputs, not {count} [Op:{operation}]")
    return found[:count]


def _call(
    function: Any, inputs: Sequence[Any], operation: str, count: int
) -> Callable[[], list[Any]]:
    return lambda: _outputs_of(function, inputs, operation, count)


def _holds(condition: Any) -> Tensor:
    """Returns whether a condition is true: a scalar that is not 0 or empty, or any elements."""
    x = convert_to_tensor(condition)
    if x.shape.rank != 0:
        return not_equal(size(x), 0)
    return not_equal(x, "") if x.dtype is string else cast(x, bool)


def _listed(found: Any) -> list[Any]:
    return list(found) if isinstance(found, (list, tuple)) else [found]


@raw_op("If", ignored=("output_shapes",))
@raw_op("StatelessIf", ignored=("output_shapes",))
def choose(
    cond: Any,
    input: Sequence[Any],
    Tout: Sequence[Any],
    then_branch: Any,
    else_branch: Any,
    name: str | None = None,
) -> list[Any]:
    """Returns the outputs of one of two concrete functions of the inputs."""
    yes, no = (_call(f, input, "If", len(Tout)) for f in (then_branch, else_branch))
    return _listed(conditional(_holds(cond), yes, no))


@raw_op("Case", ignored=("output_shapes",))
@raw_op("StatelessCase", ignored=("output_shapes",))
def choose_one(
    branch_index: Any,
    input: Sequence[Any],
    Tout: Sequence[Any],
    branches: Sequence[Any],
    name: str | None = None,
) -> list[Any]:
    """Returns the outputs of one of several concrete functions; the last is the default."""
    return _listed(
        switch_case(branch_index, [_call(f, input, "Case", len(Tout)) for f in branches])
    )


@raw_op("While", ignored=("output_shapes", "parallel_iterations"))
@raw_op("StatelessWhile", ignored=("output_shapes", "parallel_iterations"))
def loop(input: Sequence[Any], cond: Any, body: Any, name: str | None = None) -> list[Any]:
    """Returns values that a concrete function changed as long as another one gave True."""
    start = [convert_to_tensor(x) for x in input]

    def changed(*values: Any) -> list[Any]:
        found = _outputs_of(body, values, "While", len(start))
        for i, (x, y) in enumerate(zip(start, found, strict=True)):
            if x.dtype is not y.dtype:
                raise invalid(
                    f"Expected type {x.dtype.name} for return value {i} but got {y.dtype.name}. "
                    "[Op:While]",
                    About.DTYPES,
                )
        return found

    def goes_on(*values: Any) -> Tensor:
        return _holds(_outputs_of(cond, values, "While", 1)[0])

    return _listed(while_loop(goes_on, changed, start))


@raw_op("PartitionedCall", ignored=("config", "config_proto", "executor_type"))
@raw_op("StatefulPartitionedCall", ignored=("config", "config_proto", "executor_type"))
def call(
    args: Sequence[Any],
    Tout: Sequence[Any],
    f: Any,
    name: str | None = None,
) -> list[Any]:
    """Returns the outputs of a concrete function."""
    return _outputs_of(f, args, "PartitionedCall", len(Tout))
