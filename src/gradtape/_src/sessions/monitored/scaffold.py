"""`tf.compat.v1.train.Scaffold`: the operations that prepare a session."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape._src.base.export import export
from gradtape._src.declare.registered import Operation
from gradtape._src.ops.control.control_flow import group
from gradtape._src.sessions.default_graph import get_default_graph
from gradtape._src.sessions.files.saver import Saver
from gradtape._src.sessions.files.summaries import merge_all
from gradtape._src.sessions.keys import GraphKeys
from gradtape._src.sessions.training.variable_scopes import kept_graph
from gradtape._src.sessions.training.variables import (
    global_variables,
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
    tables_initializer,
)


def default_saver() -> Saver:
    """Returns the first saver in the collection of savers, and creates it if there is not one."""
    savers = kept_graph().get_collection_ref(GraphKeys.SAVERS)
    if not savers:
        savers.append(Saver(sharded=True, allow_empty=True))
    found: Saver = savers[0]
    return found


@export("compat.v1.train.Scaffold")
class Scaffold:
    """The operations that a monitored session needs. What is not given gets a default.

    Args:
      init_op: Initializes the variables. Defaults to the initializer of all global variables.
      init_feed_dict: The values that are fed to `init_op`.
      init_fn: A function of the scaffold and the session, which is called after `init_op`.
      ready_op: The names of the variables without values; it is empty if the session is ready.
      ready_for_local_init_op: The names of the variables that `local_init_op` needs.
      local_init_op: Initializes what is not saved. Defaults to local variables and tables.
      summary_op: The summary to write. Defaults to all summaries.
      saver: The saver. Defaults to the first one in the collection of savers.
      copy_from_scaffold: A scaffold whose parts are the defaults.
      local_init_feed_dict: The values that are fed to `local_init_op`.
    """

    def __init__(
        self,
        init_op: Any = None,
        init_feed_dict: Any = None,
        init_fn: Callable[[Scaffold, Any], None] | None = None,
        ready_op: Any = None,
        ready_for_local_init_op: Any = None,
        local_init_op: Any = None,
        summary_op: Any = None,
        saver: Any = None,
        copy_from_scaffold: Scaffold | None = None,
        local_init_feed_dict: Any = None,
    ) -> None:
        def chosen(given: Any, name: str) -> Any:
            return getattr(copy_from_scaffold, name, None) if given is None else given

        self._init_fn = chosen(init_fn, "_init_fn")
        self.init_op = chosen(init_op, "init_op")
        self.init_feed_dict = chosen(init_feed_dict, "init_feed_dict")
        self.ready_op = chosen(ready_op, "ready_op")
        self.ready_for_local_init_op = chosen(ready_for_local_init_op, "ready_for_local_init_op")
        self.local_init_op = chosen(local_init_op, "local_init_op")
        self.local_init_feed_dict = chosen(local_init_feed_dict, "local_init_feed_dict")
        self.summary_op = chosen(summary_op, "summary_op")
        self.saver = chosen(saver, "saver")

    def init_fn(self, session: Any) -> None:
        """Calls the function that was given, if there is one.

        Args:
          session: The session.
        """
        if self._init_fn is not None:
            self._init_fn(self, session)

    def finalize(self) -> Scaffold:
        """Creates what was not given, and finalizes the graph.

        Returns:
          The scaffold.
        """
        graph: Any = get_default_graph()
        self._complete()
        graph.finalize()
        return self

    def _complete(self) -> None:
        keys = GraphKeys
        if self.init_op is None:
            self.init_op = _collected(keys.INIT_OP, lambda: group(global_variables_initializer()))
        if self.ready_op is None:
            self.ready_op = _collected(keys.READY_OP, report_uninitialized_variables)
        if self.ready_for_local_init_op is None:
            self.ready_for_local_init_op = _collected(
                keys.READY_FOR_LOCAL_INIT_OP,
                lambda: report_uninitialized_variables(global_variables()),
            )
        if self.local_init_op is None:
            self.local_init_op = _collected(keys.LOCAL_INIT_OP, self.default_local_init_op)
        if self.summary_op is None:
            self.summary_op = _collected(keys.SUMMARY_OP, merge_all)
        if self.saver is None:
            self.saver = default_saver()

    @staticmethod
    def get_or_default(
        arg_name: str, collection_key: str, default_constructor: Callable[[], Any]
    ) -> object:
        """Returns the only element of a collection, and creates it if there is not one.

        Args:
          arg_name: The name of the element, for the message.
          collection_key: The collection's name.
          default_constructor: A function that creates the element.

        Returns:
          The element.

        Raises:
          RuntimeError: The collection has several elements.
        """
        return _collected(collection_key, default_constructor, arg_name)

    @staticmethod
    def default_local_init_op() -> Operation | None:
        """Returns an operation that initializes local variables and tables.

        Returns:
          An operation.
        """
        made: Operation | None = group(local_variables_initializer(), tables_initializer())
        return made


def _collected(key: str, create: Callable[[], Any], name: str | None = None) -> Any:
    found = kept_graph().get_collection_ref(key)
    if len(found) > 1:
        raise RuntimeError(
            f"More than one item in the collection {key!r}. Please indicate which one to use by "
            f"passing it to the tf.Scaffold constructor as: tf.Scaffold({name or key}=item to use)"
        )
    if not found:
        made = create()
        if made is None:
            return None
        found.append(made)
    return found[0]
