"""`tf.train.ExponentialMovingAverage`: moving averages of variables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gradtape._src.base.device_values import state_lock
from gradtape._src.base.export import export
from gradtape._src.base.name_scope import name_scope
from gradtape._src.base.trackable import Trackable
from gradtape._src.core.convert import tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.open_graphs import open_graph
from gradtape._src.declare.registered import Operation
from gradtape._src.ops.array.creation import zeros
from gradtape._src.ops.control.control_flow import group
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.selection import minimum
from gradtape._src.sessions.graph_variable import GraphVariable
from gradtape._src.sessions.keys import GraphKeys
from gradtape._src.sessions.training.optimizer import unordered
from gradtape._src.sessions.training.variable_scopes import get_variable_scope
from gradtape._src.sessions.training.variables import (
    global_variables,
    moving_average_variables,
    trainable_variables,
)


@export("train.ExponentialMovingAverage")
class ExponentialMovingAverage(Trackable):
    """Maintains an average of each variable: average = decay · average + (1 - decay) · value.

    Args:
      decay: The factor of the average at each step, such as 0.999.
      num_updates: A number of steps n, which may be a variable. If it is given, the decay is at
        most (1 + n) / (10 + n), so that the average moves faster at the beginning.
      zero_debias: Whether the averages of tensors, which begin at 0, are divided by
        1 - decay^(number of updates). The averages of variables begin at their values.
      name: The suffix of the averages' names.

    >>> x, average = Variable(1.0), ExponentialMovingAverage(0.75)
    >>> average.apply([x])
    >>> _ = x.assign(5.0)
    >>> average.apply([x])
    >>> float(average.average(x))
    2.0
    """

    def __init__(
        self,
        decay: Any,
        num_updates: Any = None,
        zero_debias: bool = False,
        name: str = "ExponentialMovingAverage",
    ) -> None:
        self._decay, self._num_updates, self._name = decay, num_updates, name
        self._zero_debias = zero_debias
        # The averages, by the id of the variable or tensor.
        self._averages: dict[int, tuple[Any, Variable]] = {}
        # For tensors whose averages are corrected: the plain average, and the number of updates.
        self._biased: dict[int, tuple[Variable, Variable]] = {}

    @property
    def name(self) -> str:
        """The suffix of the averages' names."""
        return self._name

    def apply(self, var_list: Iterable[Any] | None = None) -> Operation | None:
        """Updates the averages of variables; a new average begins at the variable's value.

        Args:
          var_list: The variables. In a `tf.Graph`, they default to the trainable ones, and tensors
            have averages, too.

        Returns:
          None; in a `tf.Graph`, the operation that updates the averages.

        Raises:
          TypeError: An element is not a variable, or its dtype is not floating.
        """
        if var_list is None:
            var_list = () if open_graph() is None else trainable_variables()
        decay: Any = self._decay
        if self._num_updates is not None:
            n: Any = cast(tensor(self._num_updates), "float32")
            decay = minimum(tensor(decay), (1 + n) / (10 + n))
        done = []
        for variable in [self._checked(v) for v in var_list]:
            with state_lock:  # No other thread's step comes between reading and assigning.
                if id(variable) not in self._averages:
                    self._averages[id(variable)] = variable, self._new(variable)
                    if (graph := open_graph()) is not None and isinstance(variable, Variable):
                        graph.add_to_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, variable)
                average, value = self._averages[id(variable)][1], tensor(variable)
                rest = cast(1 - decay, value.dtype)
                if id(variable) not in self._biased:
                    done.append(average.assign_sub((tensor(average) - value) * rest))
                    continue
                biased, updates = self._biased[id(variable)]
                moved: Any = biased.assign_sub((tensor(biased) - value) * rest)
                count: Any = updates.assign_add(1)
                done.append(average.assign(moved / (1 - (1 - rest) ** tensor(count))))
        return group(*done, name=self._name)

    def _checked(self, variable: Any) -> Any:
        variable = getattr(variable, "value", None) if _is_keras(variable) else variable
        is_tensor = isinstance(variable, Tensor) and open_graph() is not None
        if not (is_tensor or isinstance(variable, Variable)):
            raise TypeError(
                "tf.train.ExponentialMovingAverage does not support non-Variable tensors when "
                f"eager execution is enabled: got {variable!r}"
            )
        if not variable.dtype.is_floating:
            raise TypeError(f"The variables must be half, float, or double: {variable.name}")
        return variable

    def _new(self, variable: Any) -> Variable:
        with name_scope(""), unordered():
            inside = f"{get_variable_scope().name}/".removeprefix("/")
            name = f"{inside}{self.average_name(variable)}"
            if isinstance(variable, GraphVariable):
                first = variable.initial_value
            elif isinstance(variable, Variable):
                first = variable.read_value()
            else:
                first = zeros(variable.shape, variable.dtype)
                if self._zero_debias:
                    updates = zeros([], variable.dtype)
                    self._biased[id(variable)] = (
                        Variable(first, trainable=False, name=f"{inside}{name}/biased"),
                        Variable(updates, trainable=False, name=f"{inside}{name}/local_step"),
                    )
            average = Variable(first, trainable=False, name=name, dtype=variable.dtype)
        out: Variable = self._track_trackable(average, name, overwrite=True)
        return out

    def average(self, var: Any) -> Variable | None:
        """Returns the variable that holds the average of `var`; None before the first `apply`.

        Args:
          var: A variable or tensor that was passed to `apply`.

        Returns:
          The variable that holds the average, or None.
        """
        var = var.value if _is_keras(var) else var
        found = self._averages.get(id(var))
        return None if found is None else found[1]

    def average_name(self, var: Any) -> str:
        """Returns the name of the average of a variable.

        Args:
          var: A variable or tensor.

        Returns:
          The name.
        """
        known = self.average(var)
        if known is not None:
            return str(known.name).removesuffix(":0")
        return f"{var.name.removesuffix(':0')}/{self._name}"

    def variables_to_restore(self, moving_avg_variables: Any = None) -> dict[str, Any]:
        """Returns variables by the names that their averages have in a checkpoint.

        Args:
          moving_avg_variables: The variables that have averages. Defaults to those of `apply`; in
            a `tf.Graph`, to all that are trainable or have averages.

        Returns:
          A dictionary from names to variables; in a `tf.Graph`, also with all other variables.
        """
        in_graph, given = open_graph() is not None, moving_avg_variables
        if given is None:
            given = [v for v, _ in self._averages.values()]
            given += [*trainable_variables(), *moving_average_variables()] if in_graph else []
        found = {self.average_name(v): v for v in given}
        known = {id(v) for v in given}
        rest = [v for v in global_variables() if id(v) not in known] if in_graph else []
        return {v.op.name: v for v in rest} | found


def _is_keras(variable: Any) -> bool:
    return not isinstance(variable, Variable) and isinstance(
        getattr(variable, "value", None), Variable
    )
