"""Lists of the variables of a graph, and operations that initialize and assign them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape._src.base.errors import FailedPreconditionError, OutOfRangeError
from gradtape._src.base.export import export
from gradtape._src.base.name_scope import name_scope
from gradtape._src.base.replication import VariableAggregation, VariableSynchronization
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.recorder import replaced
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.core.variable_creators import by_creators
from gradtape._src.declare.eager_only import as_effect
from gradtape._src.declare.open_graphs import open_graph
from gradtape._src.declare.registered import Operation
from gradtape._src.graph.named.operations import Operation as GraphOperation
from gradtape._src.ops.array.joining import stack
from gradtape._src.ops.array.slicing import boolean_mask
from gradtape._src.ops.control.control_flow import group
from gradtape._src.ops.elementwise.identities import identity
from gradtape._src.ops.elementwise.logical import logical_not
from gradtape._src.sessions.graph import current_graph
from gradtape._src.sessions.graph_variable import GraphVariable
from gradtape._src.sessions.keys import GraphKeys
from gradtape._src.sessions.training.variable_scopes import kept_graph


class _VariableV1(type):
    """The metaclass of `tf.compat.v1.Variable`: all variables are instances of that class."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Variable)

    def __call__(
        cls,
        initial_value: Any = None,
        trainable: bool | None = None,
        collections: Sequence[str] | None = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        expected_shape: Any = None,
        import_scope: str | None = None,
        constraint: Any = None,
        use_resource: bool | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
        shape: Any = None,
        experimental_enable_variable_lifting: bool | None = None,
    ) -> Any:
        given = {name: value for name, value in locals().items() if name != "cls"}
        graph = current_graph()
        if graph is None or open_graph() is not None:
            return by_creators(_plain, given)
        with replaced((graph.tracer,)):  # A branch or the body of a loop is being built.
            return by_creators(_plain, given)


def _plain(initial_value: Any, collections: Any, **given: Any) -> Any:
    """Returns a variable that no scope makes."""
    chosen = {name: given[name] for name in _USED if name in given}
    if open_graph() is not None:
        return GraphVariable(initial_value, collections=collections, **chosen)
    return type.__call__(Variable, initial_value, **chosen)


_USED = (
    "trainable",
    "validate_shape",
    "name",
    "dtype",
    "constraint",
    "synchronization",
    "aggregation",
    "shape",
)


@export("compat.v1.Variable")
class VariableV1(metaclass=_VariableV1):
    """Creates a variable, with TensorFlow 1's arguments.

    Args:
      initial_value: The initial value, or a function that returns it.
      trainable: Whether optimizers update the variable. Defaults to True.
      collections: The names of the collections that the variable is added to.
      validate_shape: Whether the variable has a fixed static shape.
      caching_device, variable_def, expected_shape, import_scope, use_resource: Accepted for
        compatibility.
      name: The variable's name.
      dtype: The dtype of the variable.
      constraint: A function that optimizers apply after an update.
      shape: The shape of values that may be assigned.
    """


def _listed(key: str, scope: str | None) -> list[Any]:
    found: list[Any] = kept_graph().get_collection(key, scope)
    return found


@export("compat.v1.global_variables")
def global_variables(scope: str | None = None) -> list[Any]:
    """Returns the variables of the graph, except for local ones.

    Args:
      scope: A regular expression that must match the beginning of the variables' names.

    Returns:
      A list.
    """
    return _listed(GraphKeys.GLOBAL_VARIABLES, scope)


@export("compat.v1.all_variables")
def all_variables() -> list[Any]:
    """Returns the variables of the graph, except for local ones: the old name of the function.

    Returns:
      A list.
    """
    return global_variables()


@export("compat.v1.local_variables")
def local_variables(scope: str | None = None) -> list[Any]:
    """Returns the local variables of the graph.

    Args:
      scope: A regular expression that must match the beginning of the variables' names.

    Returns:
      A list.
    """
    return _listed(GraphKeys.LOCAL_VARIABLES, scope)


@export("compat.v1.model_variables")
def model_variables(scope: str | None = None) -> list[Any]:
    """Returns the variables in the collection `MODEL_VARIABLES` of the graph.

    Args:
      scope: A regular expression that must match the beginning of the variables' names.

    Returns:
      A list.
    """
    return _listed(GraphKeys.MODEL_VARIABLES, scope)


@export("compat.v1.moving_average_variables")
def moving_average_variables(scope: str | None = None) -> list[Any]:
    """Returns the variables of the graph that have moving averages.

    Args:
      scope: A regular expression that must match the beginning of the variables' names.

    Returns:
      A list.
    """
    return _listed(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)


@export("compat.v1.trainable_variables")
def trainable_variables(scope: str | None = None) -> list[Any]:
    """Returns the trainable variables of the graph.

    Args:
      scope: A regular expression that must match the beginning of the variables' names.

    Returns:
      A list.
    """
    return _listed(GraphKeys.TRAINABLE_VARIABLES, scope)


@export("compat.v1.variables_initializer", "compat.v1.initialize_variables")
@export("compat.v1.initializers.variables")
def variables_initializer(var_list: Sequence[Any], name: str = "init") -> Operation | None:
    """Returns an operation that initializes variables.

    Args:
      var_list: The variables.
      name: The operation's name.

    Returns:
      An operation; None in eager execution.
    """
    if open_graph() is None:
        return None
    return group(*[v.initializer for v in var_list], name=name)


@export("compat.v1.global_variables_initializer", "compat.v1.initialize_all_variables")
@export("compat.v1.initializers.global_variables")
def global_variables_initializer() -> Operation | None:
    """Returns an operation that initializes all variables of the graph, except for local ones.

    Returns:
      An operation; None in eager execution.
    """
    return variables_initializer(global_variables())


@export("compat.v1.local_variables_initializer", "compat.v1.initialize_local_variables")
@export("compat.v1.initializers.local_variables")
def local_variables_initializer() -> Operation | None:
    """Returns an operation that initializes the local variables of the graph.

    Returns:
      An operation; None in eager execution.
    """
    return variables_initializer(local_variables())


@export("compat.v1.tables_initializer", "compat.v1.initializers.tables_initializer")
def tables_initializer(name: str = "init_all_tables") -> Operation | None:
    """Returns an operation that fills the tables of imported graphs.

    Other tables are filled when they are created.

    Args:
      name: The operation's name.

    Returns:
      An operation; None in eager execution.
    """
    made = group(*_listed(GraphKeys.TABLE_INITIALIZERS, None), name=name)
    if isinstance(made, GraphOperation):
        made.fills_tables = True
    return made


@export("compat.v1.initialize_all_tables")
def initialize_all_tables(name: str = "init_all_tables") -> Operation | None:
    """Returns `tables_initializer(name)`, whose old name this is.

    Args:
      name: The operation's name.

    Returns:
      An operation; None in eager execution.
    """
    return tables_initializer(name)


@export("compat.v1.is_variable_initialized")
def is_variable_initialized(variable: Any) -> Tensor:
    """Returns whether a variable is initialized.

    Args:
      variable: The variable.

    Returns:
      A boolean tensor.
    """
    found: Tensor = variable.is_initialized()
    return found


@export("compat.v1.report_uninitialized_variables")
def report_uninitialized_variables(
    var_list: Sequence[Any] | None = None, name: str = "report_uninitialized_variables"
) -> Tensor:
    """Returns the names of uninitialized variables.

    Args:
      var_list: The variables. Defaults to all variables of the graph.
      name: The operation's name.

    Returns:
      A vector of strings.
    """
    variables = [*global_variables(), *local_variables()] if var_list is None else list(var_list)
    names = np.array([v.name[:-2].encode() for v in variables], object)
    graph = open_graph()
    if graph is None or not variables:
        return Tensor(names[:0])
    with name_scope(name):
        known = stack([v.is_initialized() for v in variables])
        return boolean_mask(names, logical_not(known), name="boolean_mask")


@export("compat.v1.assert_variables_initialized")
def assert_variables_initialized(var_list: Sequence[Any] | None = None) -> Operation | None:
    """Returns an operation that raises an error if a variable is not initialized.

    Args:
      var_list: The variables. Defaults to all variables of the graph.

    Returns:
      An operation.
    """
    variables = [*global_variables(), *local_variables()] if var_list is None else list(var_list)
    graph = open_graph()
    if graph is None or not variables:
        return None

    def check(*flags: Any) -> None:
        for v, flag in zip(variables, flags, strict=True):
            if not flag:
                raise FailedPreconditionError(
                    None, None, f"Attempting to use uninitialized value {v.name[:-2]}"
                )

    flags = tuple([v.is_initialized() for v in variables])
    checked: Operation = as_effect("Assert", check, flags, {})
    return checked


@export("compat.v1.assign")
def assign(
    ref: Any,
    value: Any,
    validate_shape: bool | None = None,
    use_locking: bool | None = None,
    name: str | None = None,
) -> Variable:
    """Assigns a value to a variable.

    Args:
      ref: The variable.
      value: The new value.
      validate_shape: Accepted for compatibility.
      use_locking: Accepted for compatibility.
      name: The operation's name.

    Returns:
      The variable; reading it returns the value after the assignment.
    """
    done: Variable = ref.assign(value, name=name)
    return done


@export("compat.v1.assign_add")
def assign_add(ref: Any, value: Any, use_locking: Any = None, name: str | None = None) -> Variable:
    """Adds to a variable.

    Args:
      ref: The variable.
      value: The value to add.
      use_locking: Accepted for compatibility.
      name: The operation's name.

    Returns:
      The variable; reading it returns the value after the assignment.
    """
    done: Variable = ref.assign_add(value, name=name)
    return done


@export("compat.v1.assign_sub")
def assign_sub(ref: Any, value: Any, use_locking: Any = None, name: str | None = None) -> Variable:
    """Subtracts from a variable.

    Args:
      ref: The variable.
      value: The value to subtract.
      use_locking: Accepted for compatibility.
      name: The operation's name.

    Returns:
      The variable; reading it returns the value after the assignment.
    """
    done: Variable = ref.assign_sub(value, name=name)
    return done


@export("compat.v1.count_up_to")
def count_up_to(ref: Any, limit: int, name: str | None = None) -> Tensor:
    """Adds 1 to a variable until it has reached a limit.

    Args:
      ref: An integer variable.
      limit: The limit.
      name: The operation's name.

    Returns:
      The value before the addition.

    Raises:
      OutOfRangeError: The variable has reached the limit.
    """

    def checked(value: Tensor, most: Any) -> list[Tensor]:
        if int(value) >= int(most):
            raise OutOfRangeError(None, None, f"Reached limit of {most}")
        return [value]

    graph: Any = open_graph()
    before: Tensor = ref.read_value()
    if graph is None:
        checked(before, limit)
        ref.assign_add(1)
        return before
    spec = ((), before.dtype.np_dtype)
    given = [before, graph.constant(convert_to_tensor(limit, before.dtype))]
    found = graph.tracer.at_run("CountUpTo", lambda xs: checked(*xs), given, [spec], True)[0]
    with graph.control_dependencies([found]):
        done = ref.assign_add(1)
    with graph.control_dependencies([done]):
        return identity(found)


@export("compat.v1.add_to_collection")
def add_to_collection(name: Any, value: Any) -> None:
    """Appends a value to a collection of the graph.

    Args:
      name: The collection's name.
      value: The value.
    """
    kept_graph().add_to_collection(name, value)


@export("compat.v1.add_to_collections")
def add_to_collections(names: Any, value: Any) -> None:
    """Appends a value to several collections of the graph.

    Args:
      names: The names of the collections.
      value: The value.
    """
    kept_graph().add_to_collections(names, value)


@export("compat.v1.get_collection")
def get_collection(key: Any, scope: str | None = None) -> list[Any]:
    """Returns a copy of a collection of the graph.

    Args:
      key: The collection's name.
      scope: A regular expression that must match the beginning of the values' names.

    Returns:
      A list.
    """
    return _listed(key, scope)


@export("compat.v1.get_collection_ref")
def get_collection_ref(key: Any) -> list[Any]:
    """Returns the list of a collection of the graph itself, which programs may modify.

    Args:
      key: The collection's name.

    Returns:
      A list.
    """
    found: list[Any] = kept_graph().get_collection_ref(key)
    return found
