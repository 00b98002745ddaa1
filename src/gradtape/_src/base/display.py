"""References to values, and their printed forms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, NoReturn, TypeVar

import numpy as np

from gradtape._src.base.device_values import device_of
from gradtape._src.base.dtypes import as_dtype, levels, resource, variant
from gradtape._src.base.errors import announced


def graph_name(value: Any) -> str | None:
    """Returns the name of a raw value that a graph computes, such as "add:0", else None."""
    if isinstance(value, (np.ndarray, np.generic)):
        return None
    return getattr(type(value), "tensor_name", None) and value.tensor_name


def in_its_graph(x: Any) -> object:
    """Returns the raw value of a tensor as programs see it.

    A known value that was made while a function is traced is a symbol, as in TensorFlow.
    """
    known = getattr(x, "_in_graph", None)
    return x._value if known is None or known.owner.finished else known.owner.view.symbol_of(known)


T = TypeVar("T")


class Reference(Generic[T]):
    """A hashable stand-in for a tensor or variable: equal if the object is the same one."""

    __slots__ = ("__weakref__", "_wrapped")

    def __init__(self, wrapped: T) -> None:
        self._wrapped = wrapped

    def deref(self) -> T:
        """Returns the tensor or variable itself."""
        return self._wrapped

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Reference):
            raise TypeError(
                f"Cannot compare unwrapped object with wrapped object: {other!r} has no order "
                "with what its .ref() refers to"
            )
        return id(self._wrapped) < id(other._wrapped)

    def __gt__(self, other: object) -> bool:
        return not self < other and self != other

    def __eq__(self, other: object) -> bool:
        if other is not None and not isinstance(other, Reference):
            raise TypeError(
                f"Cannot compare wrapped object with unwrapped object: wrap {other!r} by its .ref()"
            )
        return other is not None and self._wrapped is other._wrapped

    def __hash__(self) -> int:
        return id(self._wrapped)

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._wrapped!r}>"


def hash_of(x: Any) -> int:
    """Returns the hash of a tensor; only tensors in TensorFlow 1 graphs have one.

    Raises:
      TypeError: The tensor is not in such a graph.
    """
    value = x._value
    found: int | None = value.hash_in_graph() if hasattr(value, "hash_in_graph") else None
    if found is None:
        raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")
    return found


class Equality:
    """The meaning of `==` between tensors: equal elements, or the same object."""

    by_identity = False

    def choose(self, by_identity: bool) -> None:
        """Sets whether `==` compares objects."""
        self.by_identity = by_identity


EQUALITY = Equality()


def hash_of_variable(x: Any) -> int:
    """Returns the hash of a variable, which has one only if `==` compares objects.

    Raises:
      TypeError: `==` compares elements.
    """
    if EQUALITY.by_identity:
        return id(x)
    raise TypeError(
        f"Variable is unhashable. Instead, use variable.ref() as the key. (Variable: {x!r})"
    )


def copyable(value: Any) -> object:
    """Returns the raw value of a tensor that is copied deeply.

    Raises:
      TypeError: The tensor has no value yet.
    """
    if hasattr(value, "owner"):
        raise TypeError(
            "cannot pickle 'SymbolicTensor' object: its value is known only when the function "
            "runs (tf.identity makes another tensor of the same value)"
        )
    return value


def shown(value: Any) -> str:
    """Formats a raw value for a `repr`: `numpy=...`, with arrays on lines of their own."""
    if not isinstance(value, (np.ndarray, np.generic)):
        return f"value={value!r}"
    if value.dtype in (resource.np_dtype, variant.np_dtype):
        return f"value={levels(value)}"
    value = levels(value)
    if value.ndim:
        said = repr(value)
        return "numpy=" + ("\n" if "\n" in said else "") + said
    if value.dtype.kind == "V":  # the types of ml_dtypes
        item = int(value) if as_dtype(value.dtype).is_integer else float(value)
    else:
        item = value.item()
    return f"numpy={item!r}"


def repr_of_variable(x: Any, recorders: Sequence[Any]) -> str:
    """Returns the `repr` of a variable, without a value while a function is traced."""
    traced = bool(recorders) and recorders[0].defers
    value = "" if traced else f", {shown(x._value)}"
    return f"<tf.Variable {x.name!r} shape={x.shape} dtype={x.dtype.name}{value}>"


def repr_of(x: Any) -> str:
    """Returns the `repr` of a tensor."""
    if (name := graph_name(in_its_graph(x))) is not None:
        return f"<tf.Tensor '{name}' shape={x.shape} dtype={_dtype_name(x)}>"
    return f"<tf.Tensor: shape={x.shape}, dtype={_dtype_name(x)}, {shown(x._value)}>"


def text(x: Any) -> str:
    """Returns the `str` of a tensor."""
    if (name := graph_name(in_its_graph(x))) is not None:
        shape = "" if x.shape.rank is None else f"shape={x.shape}, "
        return f'Tensor("{name}", {shape}dtype={_dtype_name(x)})'
    return f"tf.Tensor({printed(x._value)}, shape={x.shape}, dtype={_dtype_name(x)})"


def _dtype_name(x: Any) -> str:
    """Returns the name of a tensor's dtype, also for symbols of finished graphs."""
    return as_dtype(getattr(x._value, "np_dtype", None) or x._value.dtype).name


_IN_GRAPHS = frozenset({"name", "op", "graph", "consumers", "eval", "value_index"})
"""The attributes that only tensors in graphs have."""


def in_graph(x: Any, name: str) -> object:
    """Returns an attribute that only tensors in graphs have.

    Args:
      x: The tensor.
      name: The attribute's name.

    Raises:
      AttributeError: The tensor is not in a graph, or there is no such attribute.
    """
    if name in _IN_GRAPHS and (give := getattr(type(value := in_its_graph(x)), "of_graph", None)):
        return give(value, name)
    if name == "consumers":
        return _no_consumers
    if name == "eval":
        return _no_eval
    if name in _OF_EAGER_TENSORS:
        return _OF_EAGER_TENSORS[name](x)
    raise undefined(x, name)


def undefined(x: Any, name: str) -> AttributeError:
    """Returns the error for an attribute that a tensor lacks."""
    return AttributeError(no_attribute(name), name=name, obj=x)


def fetched(x: Any, name: str) -> object:
    """Returns the value of a compiled function's result, which is fetched from its device."""
    if name == "_value" and x._device is not None:
        value = np.asarray(x._device)
        x._value = value = value if value.ndim else value[()]
        return value
    raise undefined(x, name)


def add_attribute(name: str, give: Callable[[Any], object]) -> None:
    """Adds an attribute that is looked up last.

    Args:
      name: The attribute's name.
      give: Returns the value for a tensor, or raises `undefined`.
    """
    _OF_EAGER_TENSORS[name] = give


def no_item_assignment(x: Any) -> TypeError:
    """Returns the error for an assignment to an element of a tensor or variable."""
    way = (
        "write variable[index].assign(value)"
        if hasattr(x, "trainable")  # a variable, whose class is in a later room
        else "a tensor never changes: tf.tensor_scatter_nd_update and tf.where make another one, "
        "and variable[index].assign(value) changes an element of a tf.Variable"
    )
    return announced(
        TypeError(f"{type(x).__name__!r} object does not support item assignment ({way})")
    )


def _no_consumers() -> NoReturn:
    raise NotImplementedError("Tensor.consumers is undefined when eager execution is enabled.")


def _no_eval(feed_dict: Any = None, session: Any = None) -> NoReturn:
    raise NotImplementedError(
        "eval is not supported when eager execution is enabled, is .numpy() what you're looking "
        "for?"
    )


def _no_gpu(gpu_index: int = 0) -> NoReturn:
    raise RuntimeError(
        f"GPU:{gpu_index} unknown device: operations run on the processor, and compiled functions "
        "on the device that tf.device names."
    )


_OF_EAGER_TENSORS: dict[str, Callable[[Any], object]] = {
    "backing_device": device_of,
    "cpu": lambda x: lambda: x,
    "gpu": lambda x: _no_gpu,
    "is_packed": lambda x: False,
    "experimental_ref": lambda x: x.ref,
}
"""Attributes of tensors that programs seldom use, and that are looked up last."""


class _LookedUp:
    """An attribute that tensors in graphs have, or that programs seldom use."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, x: Any, owner: Any = None) -> object:
        return self if x is None else in_graph(x, self._name)


class _OfNumPy(_LookedUp):
    """An attribute that only NumPy's arrays have; the error says how to get it."""

    def __get__(self, x: Any, owner: Any = None) -> NoReturn:
        raise undefined(owner if x is None else x, self._name)


class LookedUpAttributes:
    """The attributes of tensors that are looked up last, after those of all other classes."""

    __slots__ = ()

    def __dir__(self) -> list[str]:  # without the names for which the class has only an error
        own, names = vars(self), super().__dir__()
        return [name for name in names if name in own or hasattr(type(self), name)]


for _name in dir(np.ndarray):
    if _name[0] != "_":
        setattr(LookedUpAttributes, _name, _OfNumPy(_name))
for _name in sorted(_IN_GRAPHS | _OF_EAGER_TENSORS.keys()):
    setattr(LookedUpAttributes, _name, _LookedUp(_name))


def no_attribute(name: str) -> str:
    """Returns the message for a missing attribute: why it is missing, and what to use instead."""
    if name in ("name", "op", "graph"):
        return f"Tensor.{name} is undefined when eager execution is enabled."
    if name == "assign":
        return "a tensor never changes: only a slice taken of a tf.Variable has `assign`"
    why = f"'EagerTensor' object has no attribute '{name}'"
    if hasattr(np.ndarray, name):
        why += f" (to use NumPy's, write tensor.numpy().{name})"
    return why


def ambiguous(shape: Any) -> ValueError:
    """Returns the error for the truth value of a tensor of several elements."""
    return announced(
        ValueError(
            "The truth value of an array with more than one element is ambiguous: a tensor of "
            f"shape {shape} was used as a truth value. Use tf.reduce_any(tensor) or "
            "tf.reduce_all(tensor)"
        )
    )


def printed(value: Any) -> str:
    """Formats a raw value for a `str`, with arrays on lines of their own."""
    if not isinstance(value, (np.ndarray, np.generic)):
        return "<not known yet>"
    said = str(levels(value))
    return "\n" + said if "\n" in said else said


def formatted(x: Any, spec: str) -> str:
    """Formats a tensor in an f-string: its value, or its `str` if it has no value yet."""
    known = isinstance(x._value, (np.ndarray, np.generic))
    return str(x) if not known and not spec else format(x._numpy(), spec)
