"""The base class of layers as in Keras 2, which libraries subclass."""

from __future__ import annotations

import inspect
from abc import ABCMeta
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import keras

from gradtape._src.compat.module import Module
from gradtape._src.core.variable import Variable


class _AnyLayer(ABCMeta):
    """Makes every layer of Keras 3 an instance of the base class."""

    def __instancecheck__(cls, instance: object) -> bool:
        return bool(cls._other_base().__instancecheck__(instance))

    def __subclasscheck__(cls, subclass: type) -> bool:
        return bool(cls._other_base().__subclasscheck__(subclass))

    def _other_base(cls) -> Any:
        """Returns what checks the class: Keras 3's base class for `LegacyLayer` itself."""
        return keras.layers.Layer if cls.__dict__.get("_is_base") else super()


def _variables_below(value: object) -> Iterator[Variable]:
    """Yields the variables in an attribute's value that Keras 3 does not find by itself."""
    if isinstance(value, Variable):
        yield value
    elif isinstance(value, Module):
        yield from value.variables
    elif isinstance(value, (Mapping, list, tuple)):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from _variables_below(part)


def _weight_of(variable: Variable, trainable: bool | None = None) -> Any:
    """Returns an existing variable as a weight, as Keras 3 does for a saved model's weights."""
    weight = keras.Variable(
        initializer=variable,
        trainable=variable.trainable if trainable is None else trainable,
        dtype=variable.dtype.name,
        name=variable.name.partition(":")[0].replace("/", "_"),
    )
    weight._value = variable
    return weight


class AsInKerasTwo:
    """The base of layers with Keras 2's rules.

    They add metrics in calls, their `**kwargs` receive `training`, and the variables and modules
    among their attributes are weights, which Keras 3 ignores.
    """

    _metrics: list[Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        takes: Any = inspect.signature(self.call).parameters.values()  # type: ignore[attr-defined]
        if any(parameter.kind is parameter.VAR_KEYWORD for parameter in takes):
            self._call_has_context_arg["training"] = True  # type: ignore[attr-defined]

    @property
    def variables(self) -> list[Any]:
        """All variables of the layer: those that it added first."""
        self._track_attributes()
        found: list[Any] = super().variables  # type: ignore[misc]
        return found

    @property
    def weights(self) -> list[Any]:
        """All weights of the layer: those that it added first."""
        self._track_attributes()
        found: list[Any] = super().weights  # type: ignore[misc]
        return found

    def _track_attributes(self) -> None:
        """Makes the variables among the attributes, and in modules there, weights."""
        layer: Any = self
        known = {id(weight._value) for weight in super().variables}  # type: ignore[misc]
        below = [v for value in list(vars(self).values()) for v in _variables_below(value)]
        new = {id(variable): variable for variable in below if id(variable) not in known}
        if not new:
            return
        locked = layer._tracker.locked
        layer._tracker.unlock()  # in Keras 2, layers that are built may get further weights
        for variable in new.values():
            layer._track_variable(_weight_of(variable))
        if locked:
            layer._tracker.lock()

    def add_metric(self, value: Any, name: str | None = None, aggregation: str = "mean") -> None:
        """Averages a value over the calls, as a metric of the layer.

        Args:
          value: A tensor.
          name: The name of the metric.
          aggregation: Accepted for compatibility: Keras 2 has only "mean".
        """
        name = name or "metric"
        metric = next((m for m in self._metrics if m.name == name), None)
        if metric is None:
            metric = keras.metrics.Mean(name=name)
            self._metrics.append(metric)
        metric.update_state(value)


class LegacyLayer(AsInKerasTwo, keras.layers.Layer, metaclass=_AnyLayer):  # type: ignore[misc]
    """A layer that also takes existing weights, functions as losses, and other inputs than tensors.

    Args:
      **kwargs: The arguments of Keras 3's layers.
    """

    _is_base = True

    def __init__(self, **kwargs: Any) -> None:
        self._loss_functions: list[Callable[[], Any]] = []
        super().__init__(**kwargs)
        self._allow_non_tensor_positional_args = True  # such as distributions

    def add_loss(self, losses: Any) -> None:
        """Adds losses.

        Args:
          losses: A tensor, a function without arguments that returns one, or a list of them.
        """
        for loss in losses if isinstance(losses, (list, tuple)) else [losses]:
            if callable(loss):
                self._loss_functions.append(loss)
            else:
                super().add_loss(loss)

    def _get_own_losses(self) -> list[Any]:
        own: list[Any] = super()._get_own_losses()
        return own + [loss() for loss in self._loss_functions]

    def compute_output_shape(self, input_shape: Any) -> object:
        """Computes the shape of the result by calling the layer with symbolic tensors.

        Args:
          input_shape: A shape, or a list or dictionary of shapes.
        """
        is_shape = all(x is None or isinstance(x, int) for x in input_shape)
        shapes = {"": input_shape} if is_shape else input_shape
        given = keras.tree.map_shape_structure(
            lambda shape: keras.KerasTensor(shape, dtype=self.compute_dtype), shapes
        )
        found = keras.Operation.compute_output_spec(self, given[""] if is_shape else given)
        return keras.tree.map_structure(lambda x: x.shape, found)

    compute_output_shape._is_default = True  # type: ignore[attr-defined]  # Keras asks for this mark

    def add_weight(
        self,
        *args: Any,
        getter: Callable[..., Any] | None = None,
        experimental_autocast: bool | None = None,
        **kwargs: Any,
    ) -> object:
        """Adds a weight.

        Args:
          *args: The arguments of Keras 3's `add_weight`; the name may come before them.
          getter: A function of the arguments that returns an existing variable.
          experimental_autocast: Whether the weight is cast to the dtype of computation.
          **kwargs: The keyword arguments of Keras 3's `add_weight`.

        Returns:
          The weight: a variable of this library, unless Keras has to cast it or delays its value.
        """
        if args and isinstance(args[0], str):
            kwargs["name"], *args = args  # type: ignore[assignment]
        if getter is None:
            if experimental_autocast is not None:
                kwargs["autocast"] = experimental_autocast
            made = super().add_weight(*args, **kwargs)
            # In Keras 2, weights are variables, which libraries refer to. Keras 3 delays values.
            is_cast = made.dtype != self.compute_dtype
            return made if is_cast or made._value is None else made._value
        found = getter(*args, **kwargs)
        if isinstance(found, Variable):
            found = _weight_of(found, kwargs.get("trainable"))
        self._track_variable(found)
        return found
