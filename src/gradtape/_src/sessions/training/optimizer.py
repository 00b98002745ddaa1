"""The base class of the optimizers of `tf.compat.v1.train`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, TypeAlias

from gradtape._src.autodiff.tape import GradientTape
from gradtape._src.base.export import export
from gradtape._src.base.indexed_slices import IndexedSlices
from gradtape._src.base.name_scope import name_scope
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.open_graphs import open_graph
from gradtape._src.declare.registered import Operation
from gradtape._src.graph.symbolic_gradients import gradients
from gradtape._src.ops.array.creation import fill
from gradtape._src.ops.array.gather import gather
from gradtape._src.ops.array.row_sums import to_dense
from gradtape._src.ops.array.tensor_shapes import size
from gradtape._src.ops.array.unique import unique
from gradtape._src.ops.control.control_flow import group
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.reduce.segment import unsorted_segment_sum
from gradtape._src.sessions.graph_variable import GraphVariable
from gradtape._src.sessions.training.variable_scopes import get_variable_scope, variable_scope
from gradtape._src.sessions.training.variables import trainable_variables

Number: TypeAlias = Any
"""A Python number, or a tensor without axes."""


class Part:
    """The part of a variable and its slots that an update changes: all elements, or some rows.

    Args:
      variable: The variable.
      gradient: A dense gradient, or a gradient of rows.

    Attributes:
      gradient: The gradient; repeated rows are added up.
      done: The operations that assign.
    """

    def __init__(self, variable: Any, gradient: Any) -> None:
        self.variable, self.done = variable, list[Any]()
        self._rows: Any = None
        if isinstance(gradient, IndexedSlices):
            found = unique(gradient.indices)
            count = size(found.y)
            gradient = unsorted_segment_sum(gradient.values, found.idx, count)
            self._rows = found.y
        self.gradient: Any = gradient

    def read(self, variable: Any) -> Tensor:
        """Returns the current value of the variable or a slot."""
        if self._rows is None:
            return convert_to_tensor(variable)
        return gather(variable, self._rows)

    def write(self, variable: Any, value: Any) -> None:
        """Assigns the variable or a slot."""
        if self._rows is None:
            self.done.append(variable.assign(value))
        else:
            self.done.append(variable.scatter_update(IndexedSlices(value, self._rows)))

    def number(self, value: Any) -> Number:
        """Converts a number to the variable's dtype."""
        value = value() if callable(value) else value
        if isinstance(value, (int, float)):
            return value
        return cast(convert_to_tensor(value), self.variable.dtype)


@contextmanager
def _after(operations: Sequence[Any]) -> Iterator[None]:
    graph = open_graph()
    if graph is None:
        yield
        return
    with graph.control_dependencies(operations):
        yield


@contextmanager
def unordered() -> Iterator[None]:
    """Returns a block for new variables, whose initial values wait for no other operations."""
    graph = open_graph()
    with nullcontext() if graph is None else graph.control_dependencies(None):
        yield


@export("compat.v1.train.Optimizer")
class Optimizer:
    """The base class of optimizers, which update variables to decrease a loss.

    Args:
      use_locking: Accepted for compatibility.
      name: The name of the operations and slots.
      use_own_namescope_for_non_slot_vars: Whether the variables that are not slots are named under
        a variable scope of the optimizer; by default, they are named under the current name scope.

    Raises:
      ValueError: `name` is empty.
    """

    GATE_NONE, GATE_OP, GATE_GRAPH = 0, 1, 2
    slot_names: tuple[str, ...] = ()
    """What it keeps for each variable."""
    by_rows = True
    """Whether a gradient for some rows changes these alone."""

    def __init__(
        self, use_locking: bool, name: str, use_own_namescope_for_non_slot_vars: bool = False
    ) -> None:
        if not name:
            raise ValueError("Must specify the optimizer name")
        self._name = name
        self._slots: dict[str, dict[int, Any]] = {name: {} for name in self.slot_names}
        self._kept: list[Any] = []
        self._own_scope: str | None = None  # for the state that all variables share
        if use_own_namescope_for_non_slot_vars:
            with variable_scope(None, default_name=name) as scope:
                self._own_scope = scope.name

    def get_name(self) -> str:
        """Returns the name of the operations and slots.

        Returns:
          The name.
        """
        return self._name

    def minimize(
        self,
        loss: Any,
        global_step: Any = None,
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> Operation | None:
        """Computes the gradients of a loss and applies them to variables.

        Args:
          loss: A tensor. In eager execution, a function without arguments that returns the loss.
          global_step: A variable that counts the updates.
          var_list: The variables to update. Defaults to all trainable variables.
          gate_gradients: Accepted for compatibility.
          aggregation_method: Accepted for compatibility.
          colocate_gradients_with_ops: Accepted for compatibility.
          name: The operation's name.
          grad_loss: The gradient with respect to the loss. Defaults to ones.

        Returns:
          An operation; None in eager execution.

        Raises:
          ValueError: No variable has a gradient.
        """
        pairs = self.compute_gradients(loss, var_list, grad_loss=grad_loss)
        if all(g is None for g, _ in pairs):
            raise ValueError(
                "No gradients provided for any variable, check your graph for ops that do not "
                f"support gradients, between variables {[str(v) for _, v in pairs]} and loss "
                f"{loss}."
            )
        return self.apply_gradients(pairs, global_step, name)

    def compute_gradients(
        self,
        loss: Any,
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> list[tuple[Any, Any]]:
        """Returns the gradients of a loss.

        Args:
          loss: See `minimize`.
          var_list: See `minimize`.
          gate_gradients: Accepted for compatibility.
          aggregation_method: Accepted for compatibility.
          colocate_gradients_with_ops: Accepted for compatibility.
          grad_loss: The gradient with respect to the loss. Defaults to ones.

        Returns:
          A list of pairs of a gradient, which may be None, and its variable.

        Raises:
          ValueError: There are no variables, or the loss is not differentiable.
          RuntimeError: Execution is eager, and the loss is not a function.
        """
        if callable(loss):
            return _by_tape(loss, var_list, grad_loss)
        if open_graph() is None:
            raise RuntimeError(
                "`loss` passed to Optimizer.compute_gradients should be a function when eager "
                "execution is enabled."
            )
        variables = _flat(trainable_variables() if var_list is None else var_list)
        if not variables:
            raise ValueError("No variables to optimize.")
        if not loss.dtype.differentiable:
            raise ValueError(
                f"Invalid type {loss.dtype.name} for {loss.name}, expected: a floating-point or "
                "complex type."
            )
        given = None if grad_loss is None else [grad_loss]
        return list(zip(gradients([loss], variables, given), variables, strict=True))

    def apply_gradients(
        self,
        grads_and_vars: Iterable[tuple[Any, Any]],
        global_step: Any = None,
        name: str | None = None,
    ) -> Operation | None:
        """Updates variables by their gradients.

        Args:
          grads_and_vars: Pairs of a gradient, which may be None, and its variable.
          global_step: A variable that counts the updates.
          name: The operation's name.

        Returns:
          An operation; None in eager execution.

        Raises:
          ValueError: There are no variables, or all gradients are None.
          TypeError: A gradient is not a tensor.
        """
        pairs = tuple(grads_and_vars)
        if not pairs:
            raise ValueError("No variables provided.")
        live = [(_gradient(g), v) for g, v in pairs if g is not None]
        if not live:
            raise ValueError(
                f"No gradients provided for any variable: {tuple([str(v) for _, v in pairs])}."
            )
        self._prepare([v for _, v in live])
        done: list[Any] = []
        with name_scope(name or self._name) as scope:
            for gradient, variable in live:
                done += self._updated(gradient, variable)
            with _after(done):
                done += self._finish()
        whole = group(*done, name=scope if global_step is None else f"{scope}update/")
        if global_step is None:
            return whole
        with _after([whole]):
            counted = global_step.assign_add(1, read_value=False)
        if (graph := open_graph()) is None:
            return None
        last = graph.group([counted], scope)
        graph.add_to_collection("train_op", last)
        return last

    def _updated(self, gradient: Any, variable: Any) -> list[Any]:
        if isinstance(gradient, IndexedSlices) and not self.by_rows:
            gradient = to_dense(gradient)
        part = Part(variable, gradient)
        self._apply(part)
        if variable.constraint is None:
            return part.done
        with _after(part.done):
            return [*part.done, variable.assign(variable.constraint(variable))]

    def _apply(self, part: Part) -> None:
        """Updates a variable and its slots."""
        raise NotImplementedError

    def _finish(self) -> list[Any]:
        """Updates the state that all variables share, after the variables were updated."""
        return []

    # The state of the optimizer.

    def _prepare(self, variables: Sequence[Any]) -> None:
        """Creates the slots of variables that have none yet."""
        with name_scope(""), unordered():
            for variable in variables:
                for slot, known in self._slots.items():
                    if variable._id not in known:
                        known[variable._id] = self._new_slot(slot, variable)

    def _new_slot(self, slot: str, variable: Any) -> Any:
        first = fill(variable.shape.as_list(), self._start(slot))
        inside = get_variable_scope().name
        name = f"{inside}/{variable.name[:-2]}" if inside else variable.name[:-2]
        made = _new(cast(first, variable.dtype), f"{name}/{self._name}")
        part = getattr(variable, "_save_slice_info", None)
        if part is not None and isinstance(made, GraphVariable) and made.shape.rank:
            own = str(made.name)[len(name) + 1 : -2]
            made._set_save_slice_info(part.of_slot(own, made.shape.rank))
        return made

    def _start(self, slot: str) -> float:
        """Returns the initial value of all elements of a slot."""
        return 0.0

    def _slot(self, slot: str, part: Part) -> Any:
        return self._slots[slot][part.variable._id]

    def get_slot(self, var: Any, name: str) -> Variable | None:
        """Returns the slot variable of a variable.

        Args:
          var: The variable.
          name: The name of the slot: one of `get_slot_names()`.

        Returns:
          A variable, or None if there is no such slot.
        """
        return self._slots.get(name, {}).get(var._id)

    def get_slot_names(self) -> list[str]:
        """Returns the names of the slots.

        Returns:
          A list.
        """
        return sorted(self._slots)

    def variables(self) -> list[Any]:
        """Returns all variables that hold the state of the optimizer.

        Returns:
          A list.
        """
        slots = [v for known in self._slots.values() for v in known.values()]
        return sorted([*self._kept, *slots], key=lambda v: str(v.name))


def _new(value: Any, name: str) -> Variable:
    if open_graph() is None:
        return Variable(value, trainable=False, name=name)
    return GraphVariable(value, trainable=False, name=name)


def new_number(optimizer: Optimizer, value: Any, name: str) -> Variable:
    """Returns a new variable for state that all variables share."""
    own = optimizer._own_scope
    with nullcontext() if own is None else name_scope(""), unordered():
        first = convert_to_tensor(value, "float32")
        made = _new(first, name if own is None else f"{own}/{name}")
    optimizer._kept.append(made)
    return made


def _gradient(g: Any) -> Any:
    if isinstance(g, IndexedSlices):
        return g
    try:
        return convert_to_tensor(g)
    except TypeError as error:
        raise TypeError(
            f"Gradient must be convertible to a Tensor or IndexedSlices: {g}"
        ) from error


def _flat(var_list: Any) -> list[Any]:
    return [var_list] if isinstance(var_list, Variable) else list(var_list)


def _by_tape(loss: Callable[[], Any], var_list: Any, grad_loss: Any) -> list[tuple[Any, Any]]:
    with GradientTape() as tape:
        if var_list is not None:
            tape.watch(_flat(var_list))
        value = loss()
    variables = list(tape.watched_variables()) if var_list is None else _flat(var_list)
    return list(zip(tape.gradient(value, variables, grad_loss), variables, strict=True))
