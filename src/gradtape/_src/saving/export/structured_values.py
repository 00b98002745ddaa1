"""Conversion of arguments and results of functions, which are nested structures, to messages."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import DType
from gradtape._src.base.shapes import TensorShape
from gradtape._src.core.tensor import Tensor
from gradtape._src.files.tensors import make_tensor_proto
from gradtape._src.graphdef_export.nodes import shape_proto
from gradtape._src.messages import protos
from gradtape._src.ops.array.creation import get_static_value
from gradtape._src.ops.types.extension_type import ExtensionTypeSpec
from gradtape._src.ops.types.ragged_tensor import RaggedTensorSpec
from gradtape._src.ops.types.sparse_tensor import SparseTensorSpec
from gradtape._src.ops.types.spec_names import get_name
from gradtape._src.ops.types.specs import (
    BoundedTensorSpec,
    IndexedSlicesSpec,
    TensorSpec,
    TypeSpec,
    VariableSpec,
)


class NotStructuredError(TypeError):
    """A structure contains a value that messages can't describe.

    Args:
      value: The value.
    """

    def __init__(self, value: Any) -> None:
        super().__init__(
            f"A function that takes or returns {value!r} can't be saved: tensors, Python numbers "
            "and strings can, and lists, tuples and dictionaries of them."
        )
        self.value = value


def structured(value: Any) -> protos.StructuredValue:
    """Converts a structure to a message.

    Raises:
      NotStructuredError: A value in the structure can't be saved.
      TypeError: The class of a spec in it has no registered name.
    """
    made = protos.StructuredValue()
    if value is None:
        made.none_value.SetInParent()
    elif isinstance(value, bool):
        made.bool_value = value
    elif isinstance(value, int):
        made.int64_value = value
    elif isinstance(value, float):
        made.float64_value = value
    elif isinstance(value, str):
        made.string_value = value
    elif not _described(made, value):
        _container(made, value)
    return made


def _described(made: protos.StructuredValue, value: Any) -> bool:
    """Writes a tensor, an array, or what describes one; returns False for other values."""
    if isinstance(value, BoundedTensorSpec):
        _spec(made.bounded_tensor_spec_value, value)
        made.bounded_tensor_spec_value.minimum.CopyFrom(make_tensor_proto(value.minimum))
        made.bounded_tensor_spec_value.maximum.CopyFrom(make_tensor_proto(value.maximum))
    elif isinstance(value, TensorSpec):
        _spec(made.tensor_spec_value, value)
    elif isinstance(value, TypeSpec):
        made.type_spec_value.CopyFrom(composite(value))
    elif isinstance(value, DType):
        made.tensor_dtype_value = value.as_datatype_enum
    elif isinstance(value, TensorShape):
        made.tensor_shape_value.CopyFrom(shape_proto(_lengths(value)))
    elif isinstance(value, np.ndarray):
        made.numpy_value.CopyFrom(make_tensor_proto(value))
    elif isinstance(value, Tensor) and (known := get_static_value(value)) is not None:
        made.tensor_value.CopyFrom(make_tensor_proto(known, value.dtype))
    else:
        return False
    return True


_CLASSES: dict[type[TypeSpec], str] = {
    SparseTensorSpec: "SPARSE_TENSOR_SPEC",
    RaggedTensorSpec: "RAGGED_TENSOR_SPEC",
    IndexedSlicesSpec: "INDEXED_SLICES_SPEC",
    VariableSpec: "VARIABLE_SPEC",
}


def composite(spec: TypeSpec) -> protos.TypeSpecProto:
    """Converts the spec of a composite tensor to a message.

    Raises:
      TypeError: The class of the spec is not registered by a name.
    """
    kind, name = _CLASSES.get(type(spec)), type(spec).__name__
    if kind is None:
        try:
            kind, name = "REGISTERED_TYPE_SPEC", get_name(type(spec))
            if isinstance(spec, ExtensionTypeSpec):
                kind = "EXTENSION_TYPE_SPEC"
        except ValueError:
            raise TypeError(
                f"A function with arguments or results of {spec!r} can't be saved: "
                f"{_named_by(spec)}."
            ) from None
    made = protos.TypeSpecProto(
        type_spec_class_name=name, num_flat_components=len(components(spec))
    )
    made.type_spec_class = protos.TypeSpecProto.TypeSpecClass.Value(kind)
    made.type_state.CopyFrom(structured(spec._serialize()))
    return made


def _named_by(spec: TypeSpec) -> str:
    """Returns advice on how to give the class of a spec a name for saving."""
    if isinstance(spec, ExtensionTypeSpec):
        kind = spec.value_type.__name__
        return f'give the class {kind} a name (__name__ = "my_package.{kind}" in its body)'
    name = type(spec).__name__
    return f"register the class {name} with a name first (type_spec_registry.register)"


def components(spec: TypeSpec) -> list[TensorSpec]:
    """Returns the specs of the tensors that a value consists of, in TensorFlow's order."""
    return spec.flatten()


def _container(made: protos.StructuredValue, value: Any) -> None:
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        made.dict_value.SetInParent()
        for key, part in value.items():
            made.dict_value.fields[key].CopyFrom(structured(part))
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        named(made, type(value).__name__, dict(zip(value._fields, value, strict=True)))
    elif isinstance(value, (list, tuple)):
        kind = made.list_value if isinstance(value, list) else made.tuple_value
        kind.SetInParent()
        kind.values.extend([structured(part) for part in value])
    else:
        raise NotStructuredError(value)


def named(made: protos.StructuredValue, name: str, fields: Mapping[str, Any]) -> None:
    """Writes a named tuple to a message."""
    made.named_tuple_value.name = name
    for key, part in fields.items():
        made.named_tuple_value.values.add(key=key, value=structured(part))


def _lengths(shape: TensorShape) -> list[Any] | None:
    return None if shape.rank is None else shape.as_list()


def _spec(made: protos.TensorSpecProto | protos.BoundedTensorSpecProto, spec: TensorSpec) -> None:
    made.name = spec.name or ""
    made.shape.CopyFrom(shape_proto(_lengths(spec.shape)))
    made.dtype = spec.dtype.as_datatype_enum


def function_spec(function: Any, signature: Any = None) -> protos.FunctionSpec:
    """Returns a message with a function's parameters and their defaults.

    Args:
      function: The Python function; without its first parameter if it is a method.
      signature: Its input signature, if it has one.
    """
    made = protos.FunctionSpec()
    parameters = [*inspect.signature(function).parameters.values()]
    plain = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    only_named = [p for p in parameters if p.kind is p.KEYWORD_ONLY]
    defaults = [_default(p) for p in plain if p.default is not p.empty]
    named_defaults = {p.name: _default(p) for p in only_named if p.default is not p.empty}
    fields = {
        "args": [p.name for p in plain],
        "varargs": next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), None),
        "varkw": next((p.name for p in parameters if p.kind is p.VAR_KEYWORD), None),
        "defaults": tuple(defaults) or None,
        "kwonlyargs": [p.name for p in only_named],
        "kwonlydefaults": named_defaults or None,
        "annotations": {},
    }
    named(made.fullargspec, "FullArgSpec", fields)
    made.input_signature.CopyFrom(structured(signature))
    return made


def _default(parameter: inspect.Parameter) -> Any:
    """Returns a parameter's default, or None if it can't be saved."""
    try:
        structured(parameter.default)
    except TypeError:
        return None
    return parameter.default


def names_alone(names: list[str]) -> protos.FunctionSpec:
    """Returns the parameters of a function with these keyword-only arguments."""
    return _without_defaults([], names)


def parameters_alone(names: list[str]) -> protos.FunctionSpec:
    """Returns the parameters of a function with arguments of these names."""
    return _without_defaults(names, [])


def _without_defaults(args: list[str], keywords: list[str]) -> protos.FunctionSpec:
    made = protos.FunctionSpec()
    fields: dict[str, Any] = dict.fromkeys(["args", "varargs", "varkw", "defaults"])
    fields |= {"args": args, "kwonlyargs": keywords, "kwonlydefaults": None, "annotations": {}}
    named(made.fullargspec, "FullArgSpec", fields)
    made.input_signature.CopyFrom(structured(None))
    return made
