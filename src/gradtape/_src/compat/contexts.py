"""Contexts in which operations run: devices, control dependencies, initialization scopes.

Operations run, and are added to graphs, in the order of the program, so that control dependencies
always hold. NumPy runs on the processor; compiled functions run on the requested device.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, TypeVar

from gradtape._src.base import nest
from gradtape._src.base.device_values import DEVICE, state_lock
from gradtape._src.base.export import export
from gradtape._src.base.scope_stacks import Scope, around_init_scope
from gradtape._src.compat.config import LogicalDevice
from gradtape._src.compute.device_spec import DeviceSpec
from gradtape._src.compute.devices import check_place, choose, chosen_device, requested_processors
from gradtape._src.core.recorder import STACK, replaced
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.declare.eager_only import active_compiler
from gradtape._src.declare.open_graphs import open_graph
from gradtape._src.graph.function import function
from gradtape._src.graph.tracing.tracer import tracing
from gradtape._src.ops.control.control_flow import cond
from gradtape._src.ops.elementwise.identities import identity

R = TypeVar("R")


@export("executing_eagerly", "compat.v1.executing_eagerly")
def executing_eagerly() -> bool:
    """Returns whether operations run immediately, rather than being traced into a graph.

    Returns:
      False while a function is traced, else True.

    >>> tf.executing_eagerly()
    True
    """
    return active_compiler() is None


@export("__internal__.tf2.enabled", "compat.v1.executing_eagerly_outside_functions")
def executing_eagerly_outside_functions() -> bool:
    """Returns whether operations outside of functions run immediately, which is always true here.

    Returns:
      True, also while a function is traced.
    """
    return True


def _reset_context() -> None:
    """Forgets the requested logical devices, so that others can be requested."""
    requested_processors.clear()


@export("inside_function")
def inside_function() -> bool:
    """Whether a `tf.function` is being traced into a graph.

    Returns:
      True while a function is traced.
    """
    return active_compiler() is not None or bool(around_init_scope.get())


class _InitScope(Scope):
    """A `with` block in eager execution, inside of a function that is being traced."""

    def _now(self) -> tuple[Any, Any]:
        return STACK.recorders, around_init_scope.get()

    def _chosen(self) -> tuple[Any, Any]:
        compiler = active_compiler()
        return (), around_init_scope.get() if compiler is None else (compiler,)

    def _put(self, there: tuple[Any, Any]) -> None:
        recorders, around = there
        STACK.set(recorders)
        around_init_scope.set(around)


@export("init_scope")
def init_scope() -> Scope:
    """Enters a scope for initializations: no tape records what runs in it.

    Returns:
      A context manager.

    >>> v = tf.Variable(2.0)
    >>> with tf.GradientTape() as tape:
    ...     with tf.init_scope():
    ...         y = v * v
    >>> print(tape.gradient(y, v))
    None
    """
    graph = open_graph()
    return _InitScope() if graph is None else replaced((graph.tracer,))


@export("control_dependencies")
class control_dependencies:  # noqa: N801 (TensorFlow's name)
    """Enters a scope whose operations run after those in `control_inputs`.

    In eager execution and in functions, those have already run.

    Args:
      control_inputs: Tensors or operations, or functions, which are called now; None for a scope in
        a `tf.Graph` whose operations wait for no others.

    >>> with tf.control_dependencies([tf.constant(1.0)]):
    ...     y = tf.constant(2.0)
    """

    def __init__(self, control_inputs: Any) -> None:
        graph = open_graph()
        self._scope: Any = nullcontext()
        if callable(control_inputs):
            control_inputs()
        elif graph is not None:
            self._scope = graph.control_dependencies(control_inputs)

    def __enter__(self) -> None:
        self._scope.__enter__()

    def __exit__(self, *error: object) -> None:
        self._scope.__exit__(*error)


@export("device")
class device(Scope):  # noqa: N801 (TensorFlow's name)
    """Enters a scope whose compiled functions run on a device, and whose results stay there.

    Operations outside of compiled functions run on the processor. As in TensorFlow with soft
    placement, the processor also takes the work of a device that does not exist.

    Args:
      device_name: A name such as "/CPU:0", "GPU:0" or
        "/job:localhost/replica:0/task:0/device:CPU:0", a `DeviceSpec`, a device that
        `config.list_logical_devices` lists, or None for the default device.

    Raises:
      ValueError: `device_name` does not name a device.
      InvalidArgumentError: The device belongs to another job or task, or it does not exist and
        `config.set_soft_device_placement(False)` was called.

    >>> with tf.device("/CPU:0"):
    ...     x = tf.constant([1.0])
    >>> x.device
    '/job:localhost/replica:0/task:0/device:CPU:0'
    """

    def __init__(self, device_name: str | DeviceSpec | LogicalDevice | None) -> None:
        if isinstance(device_name, LogicalDevice):
            device_name = device_name.name
        if isinstance(device_name, str):
            self._spec: DeviceSpec | None = DeviceSpec.from_string(device_name)
        elif device_name is None or isinstance(device_name, DeviceSpec):
            self._spec = device_name
        else:
            raise ValueError(
                f"Expecting a string device name. Got {type(device_name)}({device_name})"
            )
        super().__init__()

    def _chosen(self) -> DeviceSpec | None:
        spec, around = self._spec, chosen_device()
        if spec is not None:
            check_place(spec)
            spec = spec if around is None else around.make_merged_spec(spec)
        return spec

    def _now(self) -> DeviceSpec | None:
        return chosen_device()

    def _put(self, there: DeviceSpec | None) -> None:
        choose(there)
        tracer = active_compiler()
        if hasattr(tracer, "devices"):
            tracer.devices.append((len(tracer.nodes), "" if there is None else there.to_string()))


@export("__internal__.smart_cond.smart_cond")
def smart_cond(
    pred: Any,
    true_fn: Callable[[], R] | None = None,
    false_fn: Callable[[], R] | None = None,
    name: str | None = None,
) -> R:
    """Calls one of two functions; uses `tf.cond` if the predicate is symbolic.

    Args:
      pred: A bool, 0 or 1, or a scalar boolean tensor.
      true_fn: The function that is called if `pred` is true.
      false_fn: The function that is called if `pred` is false.
      name: Accepted for compatibility.

    Returns:
      The result of the function that is called.

    Raises:
      TypeError: A function can't be called, or `pred` is not a predicate.
    """
    for what, branch in (("true_fn", true_fn), ("false_fn", false_fn)):
        if not callable(branch):
            raise TypeError(f"Argument `{what}` must be callable, got {branch!r}.")
    assert true_fn is not None
    assert false_fn is not None
    if isinstance(pred, TensorLike):
        return cond(pred, true_fn, false_fn)
    if pred is None or isinstance(pred, (str, bytes)) or pred not in (0, 1):
        raise TypeError(
            "Argument `pred` must be a Tensor, or a Python bool, or 1 or 0. Received: "
            f"pred={pred} of type {type(pred).__name__}"
        )
    return true_fn() if pred else false_fn()


@export("CriticalSection")
class CriticalSection:
    """Code that one thread at a time executes, such as reading a variable and assigning it again.

    While a thread executes a critical section, no other thread executes one, nor runs a graph that
    assigns variables. In a graph, this holds for all of the graph that contains the section, except
    for the Python functions (`tf.py_function`) that it calls outside of the section.

    Args:
      name: The name of the section.
      shared_name: Accepted for compatibility; other sections exclude each other, too.
      critical_section_def: Accepted for compatibility.
      import_scope: Accepted for compatibility.

    >>> count = tf.Variable(0)
    >>> section = tf.CriticalSection()
    >>> section.execute(lambda: count.assign_add(1)).numpy()
    np.int32(1)
    """

    def __init__(
        self,
        name: str | None = None,
        shared_name: str | None = None,
        critical_section_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        self._name = name or "critical_section"
        self._traced = False

    @property
    def name(self) -> str:
        """The name of the section."""
        return self._name

    def execute(
        self,
        fn: Callable[[], Any],
        exclusive_resource_access: bool = True,
        name: str | None = None,
    ) -> object:
        """Calls a function while no other thread executes a critical section.

        Args:
          fn: The function.
          exclusive_resource_access: Accepted for compatibility; two sections never run at once.
          name: Accepted for compatibility.

        Returns:
          The result of the function, a structure of tensors. None in it stays None outside of
          graphs.

        Raises:
          ValueError: While a graph is traced, `fn` executes the same critical section.
        """
        if open_graph() is not None:
            added: object = nest.map_structure(identity, fn())
            return added
        if not inside_function():
            with state_lock:
                done: object = nest.map_structure(_result, fn())
                return done
        if self._traced:
            raise ValueError(
                f"Attempting to lock a CriticalSection ({self.name}) in which we are running: "
                "this is illegal and may cause deadlocks."
            )
        self._traced = True
        try:
            called: object = function(lambda: _section(fn), autograph=False)()
            return called
        finally:
            self._traced = False


def _section(fn: Callable[[], Any]) -> object:
    tracer = tracing()
    with state_lock if tracer is None else tracer.section():
        made: object = nest.map_structure(identity, fn())
    return made


def _result(value: Any) -> Tensor | None:
    return None if value is None else identity(value)


class Context:
    """The context in which this process runs operations."""

    def executing_eagerly(self) -> bool:
        """Returns whether operations run immediately, rather than being traced into a graph."""
        return executing_eagerly()

    def clear_kernel_cache(self) -> None:
        """Does nothing, since there are no cached kernels."""

    @property
    def device_name(self) -> str:
        """The device that `tf.device` chose for this code, "" if no scope chose one."""
        return "" if chosen_device() is None else DEVICE

    @property
    def device_spec(self) -> DeviceSpec:
        """The specification of the device that `tf.device` chose for this code."""
        return chosen_device() or DeviceSpec()


@functools.cache
def context() -> Context:
    """Returns the context in which this process runs operations."""
    return Context()


def async_wait() -> None:
    """Does nothing, since operations are complete when their calls return."""
