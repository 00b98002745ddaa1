"""Of version 1: the default graph and scopes of variables, as they are in TensorFlow 2."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from enum import Enum
from typing import Any

from gradtape._src.base.dtypes import DType, as_dtype, float32
from gradtape._src.base.export import export
from gradtape._src.base.name_scope import current, name_scope
from gradtape._src.declare.eager_only import active_compiler
from gradtape._src.declare.operation_names import Names
from gradtape._src.graph.ir.func_graph import FuncGraph


class DefaultGraph:
    """The graph outside of all functions. Operations run at once, so it has none."""

    building_function = False

    def __init__(self) -> None:
        self._names = Names()

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """A name that differs from those given before.

        Args:
          name: The name, which gets a number if it was given before.
          mark_as_used: Whether the name counts as given from now on.
        """
        return self._names.unique(name) if mark_as_used else self._names.following(name)

    def get_operations(self) -> list[Any]:
        """The operations, of which there are none."""
        return []


_DEFAULT = DefaultGraph()


@export("compat.v1.get_default_graph")
def get_default_graph() -> FuncGraph | DefaultGraph:
    """The graph that operations are put into.

    Returns:
      The graph of the function that is being traced; outside of functions one of no operations.
    """
    view = getattr(active_compiler(), "view", None)
    return view if isinstance(view, FuncGraph) else _DEFAULT


class _ReuseMode(Enum):
    """The ways in which `tf.compat.v1.get_variable` treats a variable that exists already."""

    AUTO_REUSE = 1


class VariableScope:
    """The result of `tf.compat.v1.variable_scope`: a prefix for names, and defaults for variables.

    Args:
      name: The prefix.
      original_name_scope: The scope of names that was entered with it.
      around: The scope whose defaults it takes over.
    """

    def __init__(
        self, name: str = "", original_name_scope: str = "", around: VariableScope | None = None
    ) -> None:
        self.name = name
        self.original_name_scope = original_name_scope
        self.reuse: Any = _ReuseMode.AUTO_REUSE
        self.use_resource = True
        self.initializer: Any = around and around.initializer
        self.regularizer: Any = around and around.regularizer
        self.constraint: Any = around and around.constraint
        self.custom_getter: Any = around and around.custom_getter
        self.partitioner: Any = around and around.partitioner
        self.caching_device: Any = around and around.caching_device
        self.dtype: DType = around.dtype if around else float32

    def reuse_variables(self) -> None:
        """Says that variables are to be there already."""
        self.reuse = True

    def set_caching_device(self, caching_device: Any) -> None:
        """Says where values of variables would be kept, in functions.

        Raises:
          NotImplementedError: No function is being traced.
        """
        if active_compiler() is None:
            raise NotImplementedError(
                "Caching devices are not yet supported when eager execution is enabled."
            )
        self.caching_device = caching_device


class _Scopes(threading.local):
    def __init__(self) -> None:
        self.stack = [VariableScope()]
        self.opened: dict[str, Names] = {}  # by the scope around: the default names given


_scopes = _Scopes()


@export("compat.v1.get_variable_scope")
def get_variable_scope() -> VariableScope:
    """The innermost scope of variables.

    Returns:
      A `VariableScope`; outside of all scopes one without a name.
    """
    return _scopes.stack[-1]


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
    reuse: bool | None = None,
    dtype: Any = None,
    use_resource: bool | None = None,
    constraint: Callable[..., Any] | None = None,
    auxiliary_name_scope: bool = True,
) -> Iterator[VariableScope]:
    """A scope of names and of defaults for variables.

    Args:
      name_or_scope: The name, within those of the scopes around; or a scope to enter again.
      default_name: The name if the first argument is None; it gets a number if it was given
        before.
      values: Accepted for compatibility.
      initializer: A default for variables, as are the next ones.
      regularizer: Another.
      caching_device: Where values are kept, in functions.
      partitioner: Another default.
      custom_getter: Another.
      reuse: Accepted for compatibility: operations run at once, and variables are not looked up.
      dtype: The type of variables' elements, float32 by default.
      use_resource: Accepted for compatibility: variables are always resource variables.
      constraint: Another default.
      auxiliary_name_scope: Whether a scope of names is entered, too.

    Yields:
      The `VariableScope`.

    Raises:
      TypeError: No name is given, or something else.
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
            "custom_getter": custom_getter,
            "constraint": constraint,
            "dtype": None if dtype is None else as_dtype(dtype),
        }
        vars(scope).update({name: value for name, value in given.items() if value is not None})
        if caching_device is not None:
            scope.set_caching_device(caching_device)
        _scopes.stack.append(scope)
        try:
            yield scope
        finally:
            _scopes.stack.pop()


def _entered(
    given: Any, default_name: str | None, around: VariableScope, named: bool, left: ExitStack
) -> VariableScope:
    """The scope that begins, with its scope of names entered."""
    if isinstance(given, VariableScope):
        last = given.name.rpartition("/")[2]
        if named and last:
            left.enter_context(name_scope(last))
        return VariableScope(given.name, given.original_name_scope, given)
    if given is None:
        given = _scopes.opened.setdefault(around.name, Names()).unique(default_name or "")
    names = left.enter_context(name_scope(given)) if named and given else current()
    whole = f"{around.name}/{given}" if around.name and given else around.name or given
    return VariableScope(whole, names, around)
