"""Conversion of TensorFlow's messages to arguments and results of functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from gradtape._src.files.tensors import make_ndarray
from gradtape._src.graphdef.attributes import dtype_of_number, shape_of_message
from gradtape._src.graphdef.plain_kernels import constant
from gradtape._src.ops.types.extension_type import AnonymousExtensionType
from gradtape._src.ops.types.ragged_tensor import RaggedTensorSpec
from gradtape._src.ops.types.sparse_tensor import SparseTensorSpec
from gradtape._src.ops.types.spec_names import lookup
from gradtape._src.ops.types.specs import (
    BoundedTensorSpec,
    IndexedSlicesSpec,
    TensorSpec,
    TypeSpec,
)


@dataclass(frozen=True)
class OtherSpec(TypeSpec):
    """The spec of a value that functions of loaded models can't take; no value matches it.

    Attributes:
      name: The name of the class of the value.
      count: The number of tensors that such a value consists of.
    """

    name: str
    count: int

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Returns False, since the spec describes no value."""
        return bool(spec_or_value == self)

    def describes(self, value: Any) -> bool:
        """Returns whether the spec describes a value."""
        return self.is_compatible_with(value)


def value_of(message: Any) -> Any:
    """Returns the structure that a `StructuredValue` describes, with specs in place of tensors.

    Raises:
      ValueError: The message is damaged.
    """
    kind = message.WhichOneof("kind")
    if kind is None:
        raise ValueError("a description of an argument is empty")
    return _READ[kind](getattr(message, kind))


def _named(message: Any) -> Any:
    kinds = [(pair.key, Any) for pair in message.values]
    named_tuple: Any = NamedTuple
    made = named_tuple(message.name, kinds)
    return made(*[value_of(pair.value) for pair in message.values])


def _spec(message: Any) -> TensorSpec:
    shape = shape_of_message(message.shape)
    return TensorSpec(shape, dtype_of_number(message.dtype), message.name or None)


def _bounded_spec(message: Any) -> BoundedTensorSpec:
    bounds = make_ndarray(message.minimum), make_ndarray(message.maximum)
    shape = shape_of_message(message.shape)
    return BoundedTensorSpec(shape, dtype_of_number(message.dtype), *bounds, message.name or None)


_CLASSES: dict[str, tuple[type[TypeSpec], int]] = {
    "SPARSE_TENSOR_SPEC": (SparseTensorSpec, 2),
    "RAGGED_TENSOR_SPEC": (RaggedTensorSpec, 4),
    "INDEXED_SLICES_SPEC": (IndexedSlicesSpec, 5),
}
"""The classes of specs by TensorFlow's names, and the number of arguments of each."""


def _type_spec(message: Any) -> Any:
    kind = type(message).TypeSpecClass.Name(message.type_spec_class)
    state = value_of(message.type_state)
    name = message.type_spec_class_name
    if kind in _CLASSES:
        known, count = _CLASSES[kind]
        return known(*state[:count])
    if kind in ("REGISTERED_TYPE_SPEC", "EXTENSION_TYPE_SPEC"):
        with suppress(ValueError):  # The loading program does not define the class.
            return lookup(name)._deserialize(state)
    if kind == "EXTENSION_TYPE_SPEC":
        return AnonymousExtensionType.Spec._deserialize(state)
    return OtherSpec(name, max(1, message.num_flat_components))


_READ: dict[str, Callable[[Any], Any]] = {
    "none_value": lambda _: None,
    "float64_value": float,
    "int64_value": int,
    "string_value": str,
    "bool_value": bool,
    "tensor_shape_value": shape_of_message,
    "tensor_dtype_value": dtype_of_number,
    "tensor_spec_value": _spec,
    "bounded_tensor_spec_value": _bounded_spec,
    "type_spec_value": _type_spec,
    "list_value": lambda message: [value_of(x) for x in message.values],
    "tuple_value": lambda message: tuple([value_of(x) for x in message.values]),
    "dict_value": lambda message: {k: value_of(message.fields[k]) for k in sorted(message.fields)},
    "named_tuple_value": _named,
    "tensor_value": constant,
    "numpy_value": make_ndarray,
}


@dataclass
class Parameters:
    """The parameters of a Python function.

    Attributes:
      names: The names of the parameters that may be given by position.
      defaults: The defaults of the last of these parameters.
      varargs: The name of `*args`, or None.
      varkw: The name of `**kwargs`, or None.
      named: The names of the keyword-only parameters.
      named_defaults: The defaults of the keyword-only parameters.
      input_signature: The specs that arguments must have, or None.
    """

    names: list[str]
    defaults: tuple[Any, ...] = ()
    varargs: str | None = None
    varkw: str | None = None
    named: list[str] = field(default_factory=list)
    named_defaults: dict[str, Any] = field(default_factory=dict)
    input_signature: tuple[Any, ...] | None = None

    @classmethod
    def of(cls, spec: Any) -> Parameters:
        """Reads a `FunctionSpec`. For a method, the instance is left out."""
        held = value_of(spec.fullargspec)
        names = list(held.args)
        if spec.is_method or names[:1] == ["self"]:
            names = names[1:]
        return cls(
            names,
            tuple(held.defaults or ()),
            held.varargs,
            held.varkw,
            list(held.kwonlyargs or ()),
            dict(held.kwonlydefaults or {}),
            value_of(spec.input_signature) if spec.HasField("input_signature") else None,
        )

    def signature(self) -> inspect.Signature:
        """Returns the parameters as an `inspect.Signature`."""
        kind, without = inspect.Parameter, inspect.Parameter.empty
        optional = dict(zip(self.names[::-1], self.defaults[::-1], strict=False))
        made = [
            kind(n, kind.POSITIONAL_OR_KEYWORD, default=optional.get(n, without))
            for n in self.names
        ]
        made += [kind(self.varargs, kind.VAR_POSITIONAL)] if self.varargs else []
        made += [
            kind(n, kind.KEYWORD_ONLY, default=self.named_defaults.get(n, without))
            for n in self.named
        ]
        made += [kind(self.varkw, kind.VAR_KEYWORD)] if self.varkw else []
        return inspect.Signature(made)

    def arranged(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Returns a call's positional and keyword arguments, with defaults for missing ones.

        Raises:
          TypeError: The arguments do not match the parameters.
        """
        if len(args) > len(self.names) and self.varargs is None:
            raise TypeError(
                f"takes {len(self.names)} positional arguments but {len(args)} were given"
            )
        left, placed = dict(kwargs), list(args)
        optional = dict(zip(self.names[::-1], self.defaults[::-1], strict=False))
        for name in self.names[: len(args)]:
            if name in left:
                raise TypeError(f"got multiple values for argument {name!r}")
        for name in self.names[len(args) :]:
            if name not in left and name not in optional:
                raise TypeError(f"missing a required argument: {name!r}")
            placed.append(left.pop(name) if name in left else optional[name])
        by_name = {}
        for name in self.named:
            if name not in left and name not in self.named_defaults:
                raise TypeError(f"missing a required keyword-only argument: {name!r}")
            by_name[name] = left.pop(name) if name in left else self.named_defaults[name]
        if left and self.varkw is None:
            raise TypeError(f"got an unexpected keyword argument {next(iter(left))!r}")
        return tuple(placed), by_name | left


def count_of(spec: Any) -> int:
    """Returns the number of tensors in the value that a spec describes."""
    return spec.count if isinstance(spec, OtherSpec) else len(spec.flatten())


def packed(spec: Any, parts: list[Any]) -> object:
    """Returns the value of a spec, made of the given tensors."""
    return tuple(parts) if isinstance(spec, OtherSpec) else spec.from_tensors(iter(parts))
