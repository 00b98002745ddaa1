"""`tf.compat.v1.variable_scope`: names, defaults and reuse of variables."""

from __future__ import annotations

import copy
import functools
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from enum import Enum
from typing import Any
from weakref import WeakKeyDictionary

from gradtape._src.base.dtypes import DType, as_dtype, float32
from gradtape._src.base.export import export, export_value
from gradtape._src.base.name_scope import current, name_scope
from gradtape._src.declare.eager_only import active_compiler
from gradtape._src.declare.operation_names import Names
from gradtape._src.sessions.default_graph import global_graph
from gradtape._src.sessions.graph import Graph, current_graph
from gradtape._src.sessions.keys import GraphKeys
from gradtape._src.sessions.training.partitioned_variables import PartitionedVariable


class _ReuseMode(Enum):
    """The ways in which `tf.compat.v1.get_variable` treats an existing variable."""

    AUTO_REUSE = 1


AUTO_REUSE = _ReuseMode.AUTO_REUSE
export_value(AUTO_REUSE, "compat.v1.AUTO_REUSE")


@export("compat.v1.VariableScope")
class VariableScope:
    """The result of `tf.compat.v1.variable_scope`: a prefix for names, and defaults for variables.

    Args:
      reuse: Whether variables are reused, as in `variable_scope`. In eager execution, this is
        always `AUTO_REUSE`.
      name: The prefix.
      initializer: The default initializer of variables.
      regularizer: The default regularizer of variables.
      caching_device: The default caching device, which has no effect.
      partitioner: The default partitioner of variables.
      custom_getter: The default custom getter of variables.
      name_scope: The name scope that was entered with this scope.
      dtype: The default dtype of variables.
      use_resource: Accepted for compatibility: variables are always resource variables.
      constraint: The default constraint of variables.
    """

    def __init__(
        self,
        reuse: Any,
        name: str = "",
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        custom_getter: Any = None,
        name_scope: str = "",
        dtype: Any = float32,
        use_resource: bool | None = None,
        constraint: Callable[..., Any] | None = None,
    ) -> None:
        self.name = name
        self.original_name_scope = name_scope
        self.reuse = reuse if is_open() else AUTO_REUSE
        self.use_resource = True
        self.initializer, self.regularizer, self.constraint = initializer, regularizer, constraint
        self.custom_getter, self.partitioner = custom_getter, partitioner
        self.caching_device = caching_device
        self.dtype: DType = as_dtype(dtype)

    def _inside(self, name: str, original_name_scope: str) -> VariableScope:
        """Returns a scope with the same defaults."""
        made = copy.copy(self)
        made.name, made.original_name_scope = name, original_name_scope
        return made

    def set_initializer(self, initializer: Any) -> None:
        """Sets the default initializer of variables.

        Args:
          initializer: See `get_variable`.
        """
        self.initializer = initializer

    def set_regularizer(self, regularizer: Any) -> None:
        """Sets the default regularizer of variables.

        Args:
          regularizer: See `get_variable`.
        """
        self.regularizer = regularizer

    def set_custom_getter(self, custom_getter: Any) -> None:
        """Sets the custom getter of variables.

        Args:
          custom_getter: See `get_variable`.
        """
        self.custom_getter = custom_getter

    def set_partitioner(self, partitioner: Any) -> None:
        """Sets the default partitioner of variables.

        Args:
          partitioner: See `get_variable`.
        """
        self.partitioner = partitioner

    def set_use_resource(self, use_resource: bool) -> None:
        """Has no effect: variables are always resource variables.

        Args:
          use_resource: Accepted for compatibility.
        """

    def get_collection(self, name: str) -> list[Any]:
        """Returns the values of a collection whose names begin with the name of the scope.

        Args:
          name: The collection's name.

        Returns:
          A list.
        """
        prefix = re.escape(self.name) + "/" if self.name else None
        found: list[Any] = kept_graph().get_collection(name, prefix)
        return found

    def global_variables(self) -> list[Any]:
        """Returns the variables of the scope.

        Returns:
          A list.
        """
        return self.get_collection(GraphKeys.GLOBAL_VARIABLES)

    def local_variables(self) -> list[Any]:
        """Returns the local variables of the scope.

        Returns:
          A list.
        """
        return self.get_collection(GraphKeys.LOCAL_VARIABLES)

    def trainable_variables(self) -> list[Any]:
        """Returns the trainable variables of the scope.

        Returns:
          A list.
        """
        return self.get_collection(GraphKeys.TRAINABLE_VARIABLES)

    def reuse_variables(self) -> None:
        """Requires that `get_variable` in this scope reuses existing variables."""
        self.reuse = True

    def set_caching_device(self, caching_device: Any) -> None:
        """Sets the caching device of variables, which has no effect.

        Args:
          caching_device: The device.

        Raises:
          NotImplementedError: No function is being traced.
        """
        if active_compiler() is None:
            raise NotImplementedError(
                "Caching devices are not yet supported when eager execution is enabled."
            )
        self.caching_device = caching_device


class _Scopes:
    """The scopes of a graph, or of a thread in eager execution.

    Attributes:
      stack: The open scopes, the innermost last.
      opened: The default names that were used, by the enclosing scope.
      variables: The variables that `get_variable` made, by name.
      partitioned: The variables that it made in several parts, by name.
    """

    def __init__(self) -> None:
        self.stack = [VariableScope(False)]
        self.opened: dict[str, Names] = {}
        self.variables: dict[str, Any] = {}
        self.partitioned: dict[str, PartitionedVariable] = {}


class _OfThread(threading.local):
    def __init__(self) -> None:
        self.scopes = _Scopes()


_of_graphs: WeakKeyDictionary[Graph, _Scopes] = WeakKeyDictionary()


def is_open() -> bool:
    """Returns whether operations are added to a `tf.Graph`."""
    return current_graph() is not None


def kept_graph() -> Graph:
    """Returns the graph that holds the current variables and collections."""
    return current_graph() or global_graph()


def scopes() -> _Scopes:
    """Returns the scopes of the current graph or thread."""
    graph = current_graph()
    if graph is None:
        return _of_thread.scopes
    if graph not in _of_graphs:
        _of_graphs[graph] = _Scopes()
    return _of_graphs[graph]


_of_thread = _OfThread()


@export("compat.v1.get_variable_scope")
def get_variable_scope() -> VariableScope:
    """Returns the innermost variable scope.

    Returns:
      A `VariableScope`, whose name is empty outside of all scopes.
    """
    return scopes().stack[-1]


@export("compat.v1.variable_scope")
@contextmanager
def variable_scope(
    name_or_scope: Any,
    default_name: str | None = None,
    values: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    custom_getter: Any = None,
    reuse: bool | _ReuseMode | None = None,
    dtype: Any = None,
    use_resource: bool | None = None,
    constraint: Callable[..., Any] | None = None,
    auxiliary_name_scope: bool = True,
) -> Iterator[VariableScope]:
    """Returns a context manager that defines the names and defaults of variables.

    Args:
      name_or_scope: The name of a new scope, which is appended to the names of the enclosing
        scopes, or an existing scope to enter again.
      default_name: The name if `name_or_scope` is None. If it was used before, a number is
        appended.
      values: Accepted for compatibility.
      initializer: The default initializer of variables.
      regularizer: The default regularizer of variables.
      caching_device: The default caching device, which has no effect.
      partitioner: The default partitioner of variables; see `get_variable`.
      custom_getter: The default custom getter of variables.
      reuse: True if `get_variable` must reuse existing variables, `AUTO_REUSE` if it reuses
        existing variables and creates others, None to inherit from the enclosing scope. In eager
        execution, variables are not reused.
      dtype: The default dtype of variables. Defaults to float32.
      use_resource: Accepted for compatibility: variables are always resource variables.
      constraint: The default constraint of variables.
      auxiliary_name_scope: Whether a name scope is entered, too.

    Yields:
      The `VariableScope`.

    Raises:
      TypeError: No name is given, or `name_or_scope` is neither a string nor a scope.
    """
    if name_or_scope is None and default_name is None:
        raise TypeError("If default_name is None then name_or_scope is required")
    if not isinstance(name_or_scope, (str, VariableScope, type(None))):
        raise TypeError("VariableScope: name_or_scope must be a string or VariableScope.")
    around = get_variable_scope()
    with ExitStack() as left:
        scope = _entered(name_or_scope, default_name, around, auxiliary_name_scope, left)
        given = {
            "initializer": initializer,
            "regularizer": regularizer,
            "partitioner": partitioner,
            "custom_getter": _with_getter(scope.custom_getter, custom_getter),
            "constraint": constraint,
            "dtype": None if dtype is None else as_dtype(dtype),
        }
        vars(scope).update({name: value for name, value in given.items() if value is not None})
        if is_open() and reuse is not None:
            scope.reuse = scope.reuse is True or reuse
        if caching_device is not None:
            scope.set_caching_device(caching_device)
        scopes().stack.append(scope)
        try:
            yield scope
        finally:
            scopes().stack.pop()


def _with_getter(outer: Any, inner: Any) -> Any:
    """Returns a custom getter that calls the outer getter as its default getter."""
    if outer is None or inner is None:
        return inner or outer

    def both(getter: Any, *args: Any, **kwargs: Any) -> Any:
        return inner(functools.partial(outer, getter), *args, **kwargs)

    return both


def _entered(
    given: Any, default_name: str | None, around: VariableScope, named: bool, left: ExitStack
) -> VariableScope:
    """Returns the new scope after entering its name scope."""
    if isinstance(given, VariableScope):
        last = given.name.rpartition("/")[2]
        if named and last:
            left.enter_context(name_scope(last))
        entered = given._inside(given.name, given.original_name_scope)
        entered.reuse = given.reuse or around.reuse
        return entered
    if given is None:
        given = scopes().opened.setdefault(around.name, Names()).unique(default_name or "")
    names = left.enter_context(name_scope(given)) if named and given else current()
    whole = f"{around.name}/{given}" if around.name and given else around.name or given
    return around._inside(whole, names)
