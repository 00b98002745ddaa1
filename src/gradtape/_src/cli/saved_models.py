"""`gradtape show`: describes the inputs, outputs and functions of a saved model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gradtape._src.base.dtypes import as_dtype
from gradtape._src.cli.program import CommandError
from gradtape._src.messages import protos
from gradtape._src.messages.classes import pool
from gradtape._src.messages.reading import DecodeError, parsed

BINARY, TEXT = "saved_model.pb", "saved_model.pbtxt"
_INITIALIZERS = {"__saved_model_init_op", "__saved_model_train_op"}
"""Signatures that name operations which run when the model is loaded."""
_HIDDEN = {"signatures", "keras_api"}  # attributes of the root that repeat other entries
_DEEPEST = 50  # the maximum nesting of structures


def show(directory: Path) -> int:
    """Prints the signatures and functions of a saved model.

    Args:
      directory: The directory of the model.

    Returns:
      The exit status, 0.

    Raises:
      CommandError: There is no saved model, or it is damaged.
    """
    model = read_model(directory)
    try:
        lines = list(described(model))
    except (DecodeError, RecursionError) as error:
        raise _damaged(directory, error) from None
    print("\n".join(lines))
    return 0


def read_model(directory: Path) -> protos.SavedModel:
    """Reads the protocol buffer of a saved model.

    Raises:
      CommandError: The directory holds no saved model, or a damaged one.
    """
    try:
        for name in (BINARY, TEXT):
            path = directory / name
            if path.is_file():
                data = path.read_bytes()
                return _from_text(data) if name == TEXT else parsed(protos.SavedModel, data)
    except (DecodeError, MemoryError, RecursionError) as error:
        raise _damaged(directory, error) from None
    except (OSError, ValueError) as error:  # the name may not be valid for a file
        raise CommandError(f"{directory} can't be read: {error}") from None
    if not directory.is_dir():
        raise CommandError(f"there is no directory {directory}")
    raise CommandError(f"{directory} holds no saved model: there is no {BINARY} in it")


def _damaged(directory: Path, error: BaseException) -> CommandError:
    said = " ".join(str(error).split()) or "it asks for too much memory"
    return CommandError(f"the saved model in {directory} is damaged: {said}")


def _from_text(data: bytes) -> protos.SavedModel:
    from google.protobuf import text_format

    model = protos.SavedModel()
    try:
        text_format.Parse(data, model, descriptor_pool=pool()[0])
    except (text_format.ParseError, UnicodeDecodeError) as error:
        raise DecodeError(str(error)) from None
    return model


def described(model: protos.SavedModel) -> Iterator[str]:
    """Yields the lines that describe a saved model."""
    for place, graph in enumerate(model.meta_graphs):
        if place:
            yield ""
        tags = ", ".join(f"'{printable(tag)}'" for tag in graph.meta_info_def.tags)
        yield f"graph with tag set: {tags or 'none'}"
        version = graph.meta_info_def.tensorflow_version
        if version:
            yield f"saved by TensorFlow {printable(version)}"
        for name in sorted(set(graph.signature_def) - _INITIALIZERS):
            yield ""
            yield from _signature(name, graph.signature_def[name])
        functions = list(_functions(graph.object_graph_def))
        if functions:
            yield ""
            yield "functions:"
            yield from functions


def _signature(name: str, signature: protos.SignatureDef) -> Iterator[str]:
    yield f"signature_def['{printable(name)}']:"
    for word, tensors in (("inputs", signature.inputs), ("outputs", signature.outputs)):
        for key in sorted(tensors):
            yield f"  {word}['{printable(key)}']:"
            yield f"    dtype: {type_name(tensors[key].dtype)}"
            yield f"    shape: {shape_text(tensors[key].tensor_shape)}"
            yield f"    name: {printable(_place(tensors[key]))}"
    if signature.method_name:
        yield f"  method name: {printable(signature.method_name)}"


def type_name(number: int) -> str:
    """Returns TensorFlow's name for the number of a dtype."""
    known = protos.DataType.values()
    return str(protos.DataType.Name(number)) if number in known else f"unknown type {number}"


def shape_text(shape: protos.TensorShapeProto) -> str:
    """Formats a shape as `saved_model_cli` does: -1 is an unknown length."""
    if shape.unknown_rank:
        return "unknown_rank"
    return f"({', '.join(str(dim.size) for dim in shape.dim)})"


def _place(tensor: protos.TensorInfo) -> str:
    """Returns the name of the tensor in the graph, or of its parts for a composite one."""
    kind = tensor.WhichOneof("encoding")
    if kind == "coo_sparse":
        parts = tensor.coo_sparse
        names = [parts.values_tensor_name, parts.indices_tensor_name, parts.dense_shape_tensor_name]
        return f"sparse: {', '.join(names)}"
    if kind == "composite_tensor":
        made = tensor.composite_tensor
        names = [_place(part) for part in made.components]
        return f"{made.type_spec.type_spec_class_name or 'composite'}: {', '.join(names)}"
    return tensor.name


def printable(text: str) -> str:
    """Removes characters from a text that a terminal would interpret as commands."""
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in text
    )


def _functions(graph: protos.SavedObjectGraph) -> Iterator[str]:
    """Yields a line for each saved call signature of an object's functions."""
    for path, number in _paths(graph):
        node = graph.nodes[number]
        if node.WhichOneof("kind") != "function":
            continue
        names = _parameters(node.function.function_spec)
        traces = list(node.function.concrete_functions)
        if not traces:
            yield f"  {path}: it was never traced, and can't be called"
        for trace in traces:
            if trace not in graph.concrete_functions:
                raise DecodeError(f"the function {trace!r} is missing")
            made = graph.concrete_functions[trace]
            call = _call(made.canonicalized_input_signature, names)
            yield f"  {path}({call}) -> {value_text(made.output_signature)}"


def _paths(graph: protos.SavedObjectGraph) -> Iterator[tuple[str, int]]:
    """Returns the objects by path; each object has its shortest path."""
    waiting, seen = [("", 0)], {0}
    for path, number in waiting:  # the list grows during the loop
        if not 0 <= number < len(graph.nodes):
            if graph.nodes:
                raise DecodeError("an object refers to a missing part")
            return
        yield path, number
        for child in graph.nodes[number].children:
            if child.node_id not in seen and not (number == 0 and child.local_name in _HIDDEN):
                seen.add(child.node_id)
                name = printable(child.local_name)
                waiting.append((f"{path}.{name}" if path else name, child.node_id))


def _parameters(spec: protos.FunctionSpec) -> list[str]:
    """Returns the names of a function's parameters, as far as they are known."""
    fields = {pair.key: pair.value for pair in spec.fullargspec.named_tuple_value.values}
    if "args" not in fields:
        return []
    names = [value.string_value for value in fields["args"].list_value.values]
    return names[1:] if spec.is_method or names[:1] == ["self"] else names


def _call(signature: protos.StructuredValue, names: list[str]) -> str:
    """Formats the arguments of a call."""
    parts = signature.tuple_value.values
    if len(parts) != 2:
        return value_text(signature)
    words = []
    for place, value in enumerate(parts[0].tuple_value.values):
        start = f"{printable(names[place])}: " if place < len(names) else ""
        words.append(start + value_text(value))
    by_name = parts[1].dict_value.fields
    words += [f"{printable(key)}: {value_text(by_name[key])}" for key in sorted(by_name)]
    return ", ".join(words)


def value_text(value: protos.StructuredValue, depth: int = 0) -> str:
    """Formats a structure of tensor specs and Python values as Python would.

    Raises:
      DecodeError: The structure is nested too deeply.
    """
    if depth > _DEEPEST:
        raise DecodeError("the arguments of a function are nested too deeply")
    kind = value.WhichOneof("kind") or "none_value"
    held = getattr(value, kind)
    if kind in ("tensor_spec_value", "bounded_tensor_spec_value"):
        return _spec_text(held)
    if kind in ("list_value", "tuple_value"):
        inner = ", ".join(value_text(part, depth + 1) for part in held.values)
        if kind == "list_value":
            return f"[{inner}]"
        return f"({inner},)" if len(held.values) == 1 else f"({inner})"
    if kind == "dict_value":
        parts = [
            f"{key!r}: {value_text(held.fields[key], depth + 1)}" for key in sorted(held.fields)
        ]
        return f"{{{', '.join(parts)}}}"
    if kind == "named_tuple_value":
        parts = [f"{printable(p.key)}={value_text(p.value, depth + 1)}" for p in held.values]
        return f"{printable(held.name)}({', '.join(parts)})"
    if kind == "type_spec_value":
        return f"{printable(held.type_spec_class_name)}({value_text(held.type_state, depth + 1)})"
    return _plain_text(kind, held)


def _plain_text(kind: str, held: object) -> str:
    """Formats a value without parts."""
    if kind == "none_value":
        return "None"
    if kind == "tensor_dtype_value":
        assert isinstance(held, int)
        return _dtype_text(held)
    if isinstance(held, protos.TensorShapeProto):
        return _shape_of_spec(held)
    if isinstance(held, protos.TensorProto):
        return f"a constant of {type_name(held.dtype)} {shape_text(held.tensor_shape)}"
    return repr(held)


def _spec_text(spec: protos.TensorSpecProto | protos.BoundedTensorSpecProto) -> str:
    name = f", name={spec.name!r}" if spec.name else ""
    return f"TensorSpec(shape={_shape_of_spec(spec.shape)}, dtype={_dtype_text(spec.dtype)}{name})"


def _dtype_text(number: int) -> str:
    try:
        return f"tf.{as_dtype(number).name}"
    except TypeError:
        return type_name(number)


def _shape_of_spec(shape: protos.TensorShapeProto) -> str:
    """Formats a shape as Python would: None is an unknown length."""
    if shape.unknown_rank:
        return "None"
    return repr(tuple(None if dim.size < 0 else dim.size for dim in shape.dim))
