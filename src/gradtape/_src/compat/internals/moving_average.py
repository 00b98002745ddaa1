"""One step of a moving average: `tf.__internal__.train.assign_moving_average`."""

from __future__ import annotations

import itertools
from contextlib import nullcontext
from typing import Any

from gradtape._src.base.export import export
from gradtape._src.compat.compat import v1_name_scope
from gradtape._src.compat.contexts import executing_eagerly, init_scope
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.open_graphs import open_graph
from gradtape._src.distribute.context import ReduceOp
from gradtape._src.distribute.strategy import get_replica_context, get_strategy
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.sessions.training.get_variable import get_variable
from gradtape._src.sessions.training.initializers import Zeros
from gradtape._src.sessions.training.variable_scopes import get_variable_scope, variable_scope
from gradtape._src.sessions.training.variables import global_variables

_KEPT = "_shadows_of_average"


@export("__internal__.train.is_mixed_precision_graph_rewrite_enabled")
def is_mixed_precision_graph_rewrite_enabled() -> bool:
    """Returns whether graphs are changed to compute in float16 where this is safe.

    Returns:
      False: gradtape computes in the dtypes that a program asks for.

    >>> tf.__internal__.train.is_mixed_precision_graph_rewrite_enabled()
    False
    """
    return False


@export("__internal__.train.assign_moving_average")
def assign_moving_average(
    variable: Any, value: Any, decay: Any, zero_debias: bool = True, name: str | None = None
) -> Variable:
    """Moves a variable towards a value: variable = decay · variable + (1 - decay) · value.

    In a replica, `value` is the mean over all replicas.

    Args:
      variable: The variable.
      value: A value of the variable's shape.
      decay: A number, or a scalar tensor.
      zero_debias: Whether to correct an average that begins at 0: it is divided by
        1 - decay ** n after n steps. Each call outside of functions and graphs counts as the first
        step, as in TensorFlow, so that it assigns the value itself. All calls in functions count
        together.
      name: The name of the operations' scope.

    Returns:
      The variable, or in a graph its value after the step.

    >>> average = tf.Variable(5.0)
    >>> step = tf.__internal__.train.assign_moving_average
    >>> _ = step(average, 1.0, decay=0.5, zero_debias=False)
    >>> float(average)
    3.0
    """
    context = get_replica_context()
    out: Variable
    with v1_name_scope(name, "AssignMovingAvg", [variable, value, decay]):
        rate = cast(convert_to_tensor(1.0 - decay), variable.dtype)
        if context is None:
            out = _update(get_strategy(), variable, value, rate, zero_debias)
            return out
        mean = context.all_reduce(ReduceOp.MEAN, convert_to_tensor(value, dtype=variable.dtype))
        out = context.merge_call(_update, (variable, mean, rate, zero_debias))
        return out


def _update(strategy: Any, variable: Any, value: Any, rate: Any, zero_debias: bool) -> Any:
    if not zero_debias:
        return strategy.extended.update(variable, _towards, (value, rate))
    biased, steps = _shadows(variable)
    return strategy.extended.update(variable, _corrected, (value, rate, biased, steps))


def _shadows(variable: Any) -> tuple[Any, Any]:
    """Returns the variables for the biased average and for the number of steps."""
    in_function = open_graph() is None and not executing_eagerly()
    known: tuple[Any, Any] | None = getattr(variable, _KEPT, None)
    if in_function and known is not None:
        return known
    outside = init_scope() if in_function else nullcontext()
    with outside, variable_scope(variable.name.partition(":")[0]):
        biased = _shadow("biased", variable.shape, variable.dtype)
        steps = _shadow("local_step", [], variable.dtype)
    if in_function:
        setattr(variable, _KEPT, (biased, steps))
    return biased, steps


def _shadow(name: str, shape: Any, dtype: Any) -> Any:
    """Returns a new variable of zeros, with a number after its name if the name is taken."""
    graph = open_graph()
    full = f"{get_variable_scope().name}/{name}"
    taken = set() if graph is None else {v.name for v in global_variables()}
    names = (full if i == 0 else f"{full}_{i}" for i in itertools.count())
    free = next(each for each in names if f"{each}:0" not in taken)
    return get_variable(free.rpartition("/")[2], shape, dtype, initializer=Zeros(), trainable=False)


def _towards(variable: Any, value: Any, rate: Any) -> Any:
    return variable.assign_sub((variable - value) * rate)


def _corrected(variable: Any, value: Any, rate: Any, biased: Any, steps: Any) -> Any:
    average = _towards(biased, value, rate)
    share = 1 - (1.0 - rate) ** steps.assign_add(1)
    return variable.assign(average / share)
