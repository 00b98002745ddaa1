"""`tf.compat.v1.get_variable` and `make_template`: variables that are shared by name."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from inspect import signature
from typing import Any, TypeAlias

from gradtape._src.base.dtypes import as_dtype, float32
from gradtape._src.base.export import export
from gradtape._src.base.name_scope import name_scope
from gradtape._src.base.replication import VariableAggregation, VariableSynchronization
from gradtape._src.base.shapes import TensorShape
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.ops.array.creation import zeros
from gradtape._src.ops.array.slicing import slice_
from gradtape._src.sessions.graph_variable import GraphVariable
from gradtape._src.sessions.keys import GraphKeys
from gradtape._src.sessions.training.initializers import GlorotUniform, Initializer
from gradtape._src.sessions.training.partitioned_variables import (
    PartitionedVariable,
    PartitionInfo,
    partitions_of,
    places,
)
from gradtape._src.sessions.training.variable_scopes import (
    VariableScope,
    get_variable_scope,
    is_open,
    kept_graph,
    scopes,
    variable_scope,
)
from gradtape._src.sessions.training.variables import VariableV1

Made: TypeAlias = Any
"""A `Variable`; with a partitioner, a `PartitionedVariable`."""

_REUSE = "Did you mean to set reuse=True or reuse=tf.AUTO_REUSE in VarScope?"


@export("compat.v1.get_variable")
def get_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Callable[[Any], Any] | None = None,
    trainable: bool | None = None,
    collections: Sequence[str] | None = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Callable[..., Any] | None = None,
    constraint: Callable[..., Any] | None = None,
    synchronization: VariableSynchronization = VariableSynchronization.AUTO,
    aggregation: VariableAggregation = VariableAggregation.NONE,
) -> Made:
    """Returns the existing variable with a name, or creates it.

    Args:
      name: The variable's name. The name of the current `variable_scope` is prepended.
      shape: Its shape.
      dtype: The dtype of the variable. Defaults to float32.
      initializer: The initial value, or a function of a shape and a dtype that returns it. Defaults
        to the initializer of the scope.
      regularizer: A function of the variable whose result is added to the regularization losses.
        Defaults to the regularizer of the scope.
      trainable: Whether optimizers update the variable.
      collections: The names of the collections that the variable is added to.
      caching_device: Accepted for compatibility.
      partitioner: A function of a shape and a dtype that returns into how many parts the variable
        is divided along each axis, such as the result of `fixed_size_partitioner`.
      use_resource: Accepted for compatibility.
      validate_shape: Whether the variable has a fixed static shape.
      custom_getter: A function that is called to get the variable. Its first argument is the
        default getter; the other arguments are those of this function.
      constraint: A function that optimizers apply after an update.
      synchronization: See `VariableSynchronization`.
      aggregation: See `VariableAggregation`.

    Returns:
      A variable. In eager execution, each call creates a new variable, except inside functions made
      by `make_template`. With a partitioner, a variable that is not a scalar is a
      `PartitionedVariable`: an iterable of variables that converts to a tensor.

    Raises:
      ValueError: The variable exists, but the scope does not allow reuse; or it does not exist, but
        the scope requires reuse; or the shape or dtype of the existing variable differs.
    """
    scope = get_variable_scope()
    arguments: dict[str, Any] = {
        "shape": shape,
        "dtype": as_dtype(dtype or scope.dtype),
        "initializer": scope.initializer if initializer is None else initializer,
        "regularizer": scope.regularizer if regularizer is None else regularizer,
        "reuse": scope.reuse,
        "trainable": True if trainable is None else trainable,
        "collections": collections,
        "caching_device": caching_device or scope.caching_device,
        "partitioner": partitioner or scope.partitioner,
        "validate_shape": validate_shape,
        "use_resource": use_resource,
        "constraint": constraint or scope.constraint,
        "synchronization": synchronization,
        "aggregation": aggregation,
    }
    whole = f"{scope.name}/{name}" if scope.name else name
    getter = custom_getter or scope.custom_getter
    with name_scope(""):
        if getter is not None:
            return getter(getter=_found_or_made, name=whole, **arguments)
        return _found_or_made(whole, **arguments)


def _found_or_made(name: str, shape: Any = None, dtype: Any = None, **options: Any) -> Any:
    """Returns the variable with a full name, or creates it; this is the default getter."""
    known, divided = scopes().variables, scopes().partitioned
    reuse, partitioner = options.get("reuse"), options.get("partitioner")
    kind = as_dtype(dtype or "float32")
    scalar = isinstance(shape, (list, tuple, TensorShape)) and not shape
    if (partitioner is not None and not scalar) or (reuse is True and name in divided):
        return _partitioned(name, shape, kind, options)
    if f"{name}/part_0" in known and is_open():
        raise ValueError(
            "No partitioner was provided, but a partitioned version of the variable was found: "
            f"{name}/part_0. Perhaps a variable of the same name was already created with "
            "partitioning?"
        )
    return _single(name, shape, kind, options)


def _partitioned(name: str, shape: Any, dtype: Any, options: dict[str, Any]) -> PartitionedVariable:
    """Returns the variable with a full name whose parts are variables, or creates it."""
    partitioner, reuse = options.get("partitioner"), options.get("reuse")
    if partitioner is not None and not callable(partitioner):
        raise ValueError(f"Partitioner must be callable, but received: {partitioner}")
    if name in scopes().variables and is_open():
        raise ValueError(
            "A partitioner was provided, but an unpartitioned version of the variable was found: "
            f"{name}. Perhaps a variable of the same name was already created without "
            "partitioning?"
        )
    whole = TensorShape(shape)
    first = options.get("initializer")
    if isinstance(first, Tensor):
        whole, dtype = whole.merge_with(first.shape), first.dtype
    parts = None if partitioner is None else partitions_of(partitioner, whole, dtype)
    known = scopes().partitioned.get(name) if is_open() else None
    if known is not None:
        return _checked_parts(known, whole, dtype, parts, reuse)
    if reuse is True or parts is None:
        raise ValueError(
            f"PartitionedVariable {name} does not exist, or was not created with "
            "tf.get_variable(). Did you mean to set reuse=False or reuse=tf.AUTO_REUSE in VarScope?"
        )
    made = []
    for i, place in enumerate(places(name, whole, parts)):
        part = _part(f"{name}/part_{i}", first, place, dtype, options)
        if isinstance(part, GraphVariable):
            part._set_save_slice_info(place)
        made.append(part)
    found = PartitionedVariable(name, whole, dtype, made, parts)
    scopes().partitioned[name] = found
    return found


def _part(name: str, first: Any, place: Any, dtype: Any, options: dict[str, Any]) -> Variable:
    """Returns a part of a variable, which begins with a part of the initial value of the whole."""
    info = PartitionInfo(place.full_shape, place.var_offset)
    if first is not None and not callable(first):
        value = convert_to_tensor(first, dtype)
        with name_scope(f"{name}/PartitionedInitializer/"):
            first = slice_(value, place.var_offset, place.var_shape)
        return _single(name, None, dtype, options | {"initializer": first})
    return _single(name, place.var_shape, dtype, options | {"partition_info": info})


def _checked_parts(
    found: PartitionedVariable, shape: TensorShape, dtype: Any, parts: Any, reuse: Any
) -> PartitionedVariable:
    """Returns an existing variable after checking its shape, dtype and parts."""
    if reuse is False and f"{found.name}/part_0" not in kept_graph().made_before:
        raise ValueError(f"Partitioned variable with name {found.name} already exists. {_REUSE}")
    start = f"Trying to reuse partitioned variable {found.name}, but specified"
    if not shape.is_compatible_with(found.shape):
        raise ValueError(f"{start} shape {shape} and found shape {found.shape}.")
    if dtype is not found.dtype:
        raise ValueError(f"{start} dtype {dtype.name} and found dtype {found.dtype.name}.")
    divided = found._get_partitions()
    if parts is not None and parts != divided:
        raise ValueError(f"{start} partitions {parts} and found partitions {divided}.")
    return found


def _single(name: str, shape: Any, kind: Any, options: dict[str, Any]) -> Variable:
    """Returns the variable with a full name that is not divided, or creates it."""
    known, reuse = scopes().variables, options.get("reuse")
    if name in known and (is_open() or options.get("shared")):
        return _checked(known[name], name, shape, kind, reuse)
    if reuse is True:
        raise ValueError(
            f"Variable {name} does not exist, or was not created with tf.get_variable(). Did you "
            "mean to set reuse=tf.AUTO_REUSE in VarScope?"
        )
    made = _made(name, shape, kind, options)
    known[name] = made
    regularizer = options.get("regularizer")
    if regularizer is not None:
        with name_scope(f"{name}/Regularizer/"):
            loss = regularizer(made)
        if loss is not None and is_open():
            kept_graph().add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)
    return made


def _checked(found: Variable, name: str, shape: Any, dtype: Any, reuse: Any) -> Variable:
    """Returns an existing variable after checking its shape and dtype."""
    if reuse is False and name not in kept_graph().made_before:
        raise ValueError(f"Variable {name} already exists, disallowed. {_REUSE}")
    if shape is not None and not TensorShape(shape).is_compatible_with(found.shape):
        raise ValueError(
            f"Trying to share variable {name}, but specified shape {TensorShape(shape)} and found "
            f"shape {found.shape}."
        )
    if dtype is not found.dtype:
        raise ValueError(
            f"Trying to share variable {name}, but specified dtype {dtype.name} and found dtype "
            f"{found.dtype.name}."
        )
    return found


def _made(name: str, shape: Any, dtype: Any, options: dict[str, Any]) -> Variable:
    initializer = options.get("initializer")
    if initializer is None:
        initializer = GlorotUniform() if dtype.is_floating else zeros
    if isinstance(initializer, type):
        initializer = initializer()
    if not callable(initializer):
        if shape is not None:
            raise ValueError("If initializer is a constant, do not specify shape.")
        value: Any = initializer
        dtype = None
    else:
        needs_shape = isinstance(initializer, Initializer) or initializer is zeros
        known = TensorShape(shape) if shape is not None or needs_shape else None
        if known is not None and not known.is_fully_defined():
            raise ValueError(
                f"Shape of a new variable ({name}) must be fully defined, but instead was {known}."
            )
        value = functools.partial(_first, initializer, known, dtype, options.get("partition_info"))
    given = {key: options[key] for key in _PASSED_ON if key in options}
    make: Any = VariableV1
    made: Variable = make(value, name=name, dtype=dtype, **given)
    return made


_PASSED_ON = (
    "trainable",
    "collections",
    "caching_device",
    "validate_shape",
    "use_resource",
    "constraint",
    "synchronization",
    "aggregation",
)


def _first(initializer: Any, shape: TensorShape | None, dtype: Any, info: Any) -> Any:
    """Returns the initial value from an initializer, which may have no parameters."""
    if shape is None:
        return initializer()
    takes_info = info is not None and "partition_info" in signature(initializer).parameters
    given = {"partition_info": info} if takes_info else {}
    return initializer(shape.as_list(), dtype=dtype, **given)


@export("compat.v1.get_local_variable")
def get_local_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = False,
    collections: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Any = None,
    constraint: Any = None,
    synchronization: Any = VariableSynchronization.AUTO,
    aggregation: Any = VariableAggregation.NONE,
) -> Variable:
    """Gets or creates a local variable, which is neither trained nor saved by a `Saver`.

    Args:
      name: The variable's name.
      shape: The variable's shape.
      dtype: The type of the elements. Defaults to float32.
      initializer: See `get_variable`.
      regularizer: See `get_variable`.
      trainable: Accepted for compatibility: a local variable is never trained.
      collections: More collections that the variable is added to.
      caching_device: Accepted for compatibility.
      partitioner: See `get_variable`.
      validate_shape: See `get_variable`.
      use_resource: Accepted for compatibility.
      custom_getter: See `get_variable`.
      constraint: See `get_variable`.
      synchronization: See `get_variable`.
      aggregation: See `get_variable`.

    Returns:
      A variable.
    """
    made: Variable = get_variable(
        name,
        shape,
        dtype,
        initializer,
        regularizer,
        False,
        [*(collections or ()), GraphKeys.LOCAL_VARIABLES],
        caching_device,
        partitioner,
        validate_shape,
        use_resource,
        custom_getter,
        constraint,
        synchronization,
        aggregation,
    )
    return made


@export("compat.v1.create_partitioned_variables")
def create_partitioned_variables(
    shape: Any,
    slicing: Sequence[int],
    initializer: Any,
    dtype: Any = float32,
    trainable: bool = True,
    collections: Sequence[str] | None = None,
    name: str | None = None,
    reuse: Any = None,
) -> list[Variable]:
    """Returns the parts of a new variable.

    Args:
      shape: The shape of the whole.
      slicing: The number of parts along each axis. Only one number may be greater than 1.
      initializer: See `get_variable`.
      dtype: The type of the elements.
      trainable: Whether optimizers update the variable.
      collections: See `get_variable`.
      name: The name of the whole. Defaults to "PartitionedVariable".
      reuse: See `variable_scope`.

    Returns:
      A list of variables.

    Raises:
      ValueError: `slicing` does not fit the shape.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default():
    ...     parts = v1.create_partitioned_variables([4, 2], [2, 1], v1.zeros_initializer())
    >>> [part.name for part in parts]
    ['PartitionedVariable/part_0:0', 'PartitionedVariable/part_1:0']
    """
    with variable_scope(name, "PartitionedVariable", reuse=reuse) as scope, name_scope(""):
        whole = _found_or_made(
            scope.name,
            shape,
            dtype,
            initializer=initializer,
            trainable=trainable,
            collections=collections,
            reuse=scope.reuse,
            partitioner=lambda **_: list(slicing),
        )
    return list(whole)


@export("compat.v1.no_regularizer")
def no_regularizer(_: Any) -> None:
    """A regularizer that adds no loss, to override the regularizer of a scope."""


@export("compat.v1.make_template")
def make_template(
    name_: str,
    func_: Callable[..., Any],
    create_scope_now_: bool = False,
    unique_name_: str | None = None,
    custom_getter_: Callable[..., Any] | None = None,
    **kwargs: Any,
) -> Template:
    """Returns a function whose calls share the variables that the first call creates.

    Args:
      name_: The name of the variable scope. If it was used before, a number is appended.
      func_: The function, which calls `get_variable`.
      create_scope_now_: Whether the scope is created now instead of at the first call.
      unique_name_: The exact name of the scope, to which no number is appended.
      custom_getter_: See `get_variable`.
      **kwargs: Keyword arguments that are passed in each call.

    Returns:
      A function.
    """
    if kwargs:
        func_ = functools.partial(func_, **kwargs)
    return Template(name_, func_, create_scope_now_, unique_name_, custom_getter_)


class Template:
    """A function whose calls share variables.

    Args:
      name: The name of the scope.
      function: The function.
      at_once: Whether the scope is created now.
      unique_name: The exact name of the scope, to which no number is appended.
      custom_getter: See `get_variable`.
    """

    def __init__(
        self, name: str, function: Callable[..., Any], at_once: bool, unique_name: Any, getter: Any
    ) -> None:
        if not name:
            raise ValueError("name cannot be None.")
        self._name, self._function, self._unique = name, function, unique_name
        self._getter: Callable[..., Any] | None = getter
        self._scope: VariableScope | None = None
        self._own: dict[str, Any] = {}
        self._called = False
        if at_once:
            self._named()

    def _named(self) -> None:
        with variable_scope(
            self._unique, default_name=self._name, custom_getter=self._getter
        ) as scope:
            self._scope = scope

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        reuse = True if self._called else None
        known = self._scope
        entered = variable_scope(
            self._unique if known is None else known,
            default_name=self._name,
            reuse=reuse,
            custom_getter=self._shared(),
            auxiliary_name_scope=False,
        )
        with entered as scope, name_scope(self._name):
            self._scope = known or scope
            out = self._function(*args, **kwargs)
        self._called = True
        return out

    def _shared(self) -> Callable[..., Any] | None:
        """A getter for eager execution, which returns the variables of earlier calls."""
        if is_open():
            return self._getter
        return self._own_variable

    def _own_variable(self, getter: Callable[..., Any], name: str, **options: Any) -> Any:
        if name not in self._own:
            made = self._getter or (lambda getter, name, **given: getter(name, **given))
            self._own[name] = made(getter=getter, name=name, **options)
        return self._own[name]

    @property
    def name(self) -> str:
        """The name of the template."""
        return self._name

    @property
    def variable_scope(self) -> VariableScope | None:
        """The variable scope, or None if it is not created yet."""
        return self._scope

    @property
    def variable_scope_name(self) -> str | None:
        """The name of the variable scope with a slash at its end, or None before the first call."""
        return None if self._scope is None else f"{self._scope.name}/"

    @property
    def variables(self) -> list[Any]:
        """The shared variables."""
        if self._own or self._scope is None:
            return list(self._own.values())
        return self._scope.global_variables()

    global_variables = variables

    @property
    def trainable_variables(self) -> list[Any]:
        """The shared variables that are trainable."""
        return [v for v in self.variables if v.trainable]
