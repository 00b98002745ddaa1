"""Meta graphs: files with a graph of TensorFlow 1, its collections, and its saver."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gradtape._src.base.errors import NotFoundError, UnimplementedError
from gradtape._src.base.export import export
from gradtape._src.declare.operation_names import IDENTITY
from gradtape._src.files.atomic_write import replacing
from gradtape._src.files.paths import local
from gradtape._src.files.tensors import make_ndarray
from gradtape._src.graph.named.operations import Operation
from gradtape._src.graphdef.graph_import import import_nodes
from gradtape._src.graphdef.nodes import Surroundings
from gradtape._src.graphdef_export.graphs.graph_definitions import writer_of
from gradtape._src.graphdef_export.nodes import Nodes, Value
from gradtape._src.graphdef_export.tables import filled
from gradtape._src.messages import protos
from gradtape._src.messages.classes import pool
from gradtape._src.messages.reading import DecodeError, parsed
from gradtape._src.sessions.files.saved_parts import SavedParts, each_variable, slice_of
from gradtape._src.sessions.graph import Graph
from gradtape._src.sessions.graph_variable import GraphVariable
from gradtape._src.sessions.keys import GraphKeys
from gradtape._src.sessions.save_slices import SaveSliceInfo
from gradtape._src.sessions.training.variable_scopes import kept_graph
from gradtape._version import tensorflow_version

_VARIABLES = (
    GraphKeys.GLOBAL_VARIABLES,
    GraphKeys.TRAINABLE_VARIABLES,
    GraphKeys.LOCAL_VARIABLES,
    GraphKeys.MODEL_VARIABLES,
    GraphKeys.MOVING_AVERAGE_VARIABLES,
)


def meta_graph(
    graph: Graph,
    saved: Mapping[str, Any] | None = None,
    collections: Sequence[str] | None = None,
    options: Mapping[str, Any] | None = None,
) -> protos.MetaGraphDef:
    """Returns a graph as a message.

    Args:
      graph: The graph.
      saved: The variables that a saver saves, by name, or None if the graph has no saver.
      collections: The names of the collections to include. Defaults to all.
      options: Fields of the saver's message.
    """
    made = protos.MetaGraphDef(graph_def=graph.as_graph_def(add_shapes=True))
    made.meta_info_def.tensorflow_version = tensorflow_version
    for name in graph.get_all_collection_keys() if collections is None else collections:
        _enter(made, name, graph.get_collection(name))
    _enter_tables(made, graph)
    if saved:
        _enter_saver(made, saved)
        for name, value in (options or {}).items():
            setattr(made.saver_def, name, value)
    return made


def _enter(made: protos.MetaGraphDef, name: str, values: Sequence[Any]) -> None:
    """Adds a collection to the message if its elements can be serialized."""
    if not values:
        return
    if all(isinstance(x, GraphVariable) for x in values):
        data = [variable_def(x).SerializeToString() for x in values]
        made.collection_def[name].bytes_list.value.extend(data)
    elif all(isinstance(x, (int, np.integer)) and not isinstance(x, bool) for x in values):
        made.collection_def[name].int64_list.value.extend([int(x) for x in values])
    elif all(isinstance(x, float) for x in values):
        made.collection_def[name].float_list.value.extend(values)
    elif all(isinstance(x, (str, bytes)) for x in values):
        texts = [x if isinstance(x, bytes) else x.encode() for x in values]
        made.collection_def[name].bytes_list.value.extend(texts)
    elif all(hasattr(x, "name") and (isinstance(x, Operation) or hasattr(x, "op")) for x in values):
        made.collection_def[name].node_list.value.extend([x.name for x in values])


def _enter_tables(made: protos.MetaGraphDef, graph: Graph) -> None:
    """Adds nodes that fill the tables of a graph, and their names as a collection."""
    tables = writer_of(graph).tables()
    nodes = _following(made)
    names = [filled(nodes, table, handle) for table, handle in tables]
    made.graph_def.node.extend(nodes.made)
    if names:
        made.collection_def[GraphKeys.TABLE_INITIALIZERS].node_list.value.extend(names)


def _following(made: protos.MetaGraphDef) -> Nodes:
    """Returns an empty list of nodes to add, which gives them names that the graph lacks."""
    nodes = Nodes(is_function=False)
    for node in made.graph_def.node:
        nodes.unique(node.name)
    return nodes


def enter_initialization(made: protos.MetaGraphDef, first: Any) -> str:
    """Adds a node that waits for an operation and for the nodes that fill tables.

    Args:
      made: The message of the graph.
      first: The operation, or None.

    Returns:
      The name of the node; empty if there is nothing to wait for.
    """
    key = GraphKeys.TABLE_INITIALIZERS
    before = [*made.collection_def[key].node_list.value] if key in made.collection_def else []
    if not before:
        return "" if first is None else str(first.name)
    before += [] if first is None else [str(first.name).partition(":")[0]]
    nodes = _following(made)
    name: str = nodes.op("NoOp", name="saved_model_initialization", after=before)
    made.graph_def.node.extend(nodes.made)
    return name


def variable_def(variable: GraphVariable) -> protos.VariableDef:
    """Returns the message of a variable."""
    place = slice_of(variable)
    return protos.VariableDef(
        variable_name=variable.op.name + ":0",
        initializer_name=variable.initializer.name,
        snapshot_name=variable.fetched().tensor_name,
        initial_value_name=variable._initial._value.tensor_name,
        is_resource=True,
        trainable=variable.trainable,
        save_slice_info_def=None if place is None else place.to_proto(),
    )


def _enter_saver(made: protos.MetaGraphDef, saved: Mapping[str, Any]) -> None:
    """Adds the nodes with which TensorFlow saves and restores variables."""
    nodes = _following(made)
    path = nodes.op("Placeholder", name="save/filename", dtype="string", shape=[])
    keys, variables, places = zip(*each_variable(saved), strict=True)
    given = np.array(keys, object)
    names = nodes.op("Const", name="save/names", value=given, dtype="string")
    slices = np.array([x.spec if x else "" for x in places], object)
    whole = nodes.op("Const", name="save/slices", value=slices, dtype="string")
    handles = [Value(v.op.name, "resource") for v in variables]
    kinds = [v.dtype.name for v in variables]
    values = [
        nodes.op("ReadVariableOp", handle, name="save/Read", dtype=kind)
        for handle, kind in zip(handles, kinds, strict=True)
    ]
    written = nodes.op("SaveV2", path, names, whole, values, name="save/SaveV2")
    done = nodes.op(IDENTITY, path, name="save/control_dependency", after=[written])
    restored = nodes.op("RestoreV2", path, names, whole, name="save/RestoreV2", dtypes=kinds)
    assigned = [
        nodes.op("AssignVariableOp", handle, value, name="save/Assign")
        for handle, value in zip(handles, restored, strict=True)
    ]
    saver = made.saver_def
    saver.filename_tensor_name = f"{path.node}:0"
    saver.save_tensor_name = f"{done.node}:0"
    saver.restore_op_name = nodes.op("NoOp", name="save/restore_all", after=assigned)
    saver.version = protos.SaverDef.V2
    made.graph_def.node.extend(nodes.made)


def part_of(whole: protos.MetaGraphDef, scope: str) -> protos.MetaGraphDef:
    """Returns the operations and collections of a scope, without its name as a prefix.

    Args:
      whole: The message of a graph.
      scope: The name of the scope.

    Raises:
      ValueError: An operation depends on one outside of the scope.
    """
    front = f"{scope.rstrip('/')}/"
    made = protos.MetaGraphDef()
    made.meta_info_def.CopyFrom(whole.meta_info_def)
    made.graph_def.library.CopyFrom(whole.graph_def.library)
    made.graph_def.versions.CopyFrom(whole.graph_def.versions)
    for node in whole.graph_def.node:
        if node.name.startswith(front):
            made.graph_def.node.append(_node_of(node, front))
    for name, held in whole.collection_def.items():
        _enter_part(made, name, held, front)
    return made


def _node_of(node: protos.NodeDef, front: str) -> protos.NodeDef:
    made = protos.NodeDef()
    made.CopyFrom(node)
    made.name = node.name.removeprefix(front)
    del made.input[:]
    for reference in node.input:
        mark = "^" if reference.startswith("^") else ""
        name = reference.removeprefix("^")
        if not name.startswith(front):
            raise ValueError(
                f"The operation {node.name!r} of the scope {front!r} needs {name!r}, which is "
                "outside of it: export a scope that holds both."
            )
        made.input.append(mark + name.removeprefix(front))
    for key in made.attr["_class"].list.s if "_class" in made.attr else ():
        if not key.startswith(f"loc:@{front}".encode()):
            del made.attr["_class"]  # colocated with an operation that is left out
            break
    return made


def _enter_part(made: protos.MetaGraphDef, name: str, held: Any, front: str) -> None:
    """Adds the elements of a collection that are in a scope to the message."""
    kind = held.WhichOneof("kind")
    if kind == "node_list":
        names = [x.removeprefix(front) for x in held.node_list.value if x.startswith(front)]
        if names:
            made.collection_def[name].node_list.value.extend(names)
    elif kind == "bytes_list" and name in _VARIABLES:
        for data in held.bytes_list.value:
            definition = parsed(protos.VariableDef, data)
            if definition.variable_name.startswith(front):
                for key in _NAMES:
                    setattr(definition, key, getattr(definition, key).removeprefix(front))
                made.collection_def[name].bytes_list.value.append(definition.SerializeToString())
    else:
        made.collection_def[name].CopyFrom(held)


_NAMES = ("variable_name", "initializer_name", "snapshot_name", "initial_value_name")


def write_meta_graph(message: protos.MetaGraphDef, filename: Any, as_text: bool) -> None:
    """Writes a graph to a file."""
    from google.protobuf import text_format

    data = text_format.MessageToString(message).encode() if as_text else message.SerializeToString()
    path = local(filename)
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(data)


def read_meta_graph(filename: Any) -> protos.MetaGraphDef:
    """Returns the graph that a file holds, as bytes or text.

    Raises:
      OSError: The file does not exist.
      DecodeError: The file holds no graph.
    """
    path = Path(local(filename))
    if not path.is_file():
        raise OSError(f"File {path} does not exist.")
    data = path.read_bytes()
    try:
        return parsed(protos.MetaGraphDef, data)
    except DecodeError:
        return _of_text(data, path)


def _of_text(data: bytes, path: Path) -> protos.MetaGraphDef:
    from google.protobuf import text_format

    made = protos.MetaGraphDef()
    try:
        text_format.Parse(data, made, descriptor_pool=pool()[0])
    except (text_format.ParseError, UnicodeDecodeError):
        raise DecodeError(f"Cannot parse file {path}: it holds no graph.") from None
    return made


@export("compat.v1.train.export_meta_graph")
def export_meta_graph(
    filename: Any = None,
    meta_info_def: Any = None,
    graph_def: Any = None,
    saver_def: Any = None,
    collection_list: Sequence[str] | None = None,
    as_text: bool = False,
    graph: Graph | None = None,
    **options: Any,
) -> protos.MetaGraphDef:
    """Returns a graph as a message, with its collections, and writes it to a file.

    Args:
      filename: The file to write, or None.
      meta_info_def: A message that replaces the information about the graph.
      graph_def: A message that replaces the graph's nodes.
      saver_def: The message of a saver.
      collection_list: The names of the collections to include. Defaults to all.
      as_text: Whether the file is written as text.
      graph: The graph. Defaults to the default graph.
      **options: `export_scope`, the name of a scope: only its operations are exported, without the
        prefix. Accepted for compatibility: `clear_devices`, `strip_default_attrs` and the other
        options that select what to leave out.

    Returns:
      A `MetaGraphDef`.

    Raises:
      ValueError: An operation of the scope needs one outside of it.
    """
    made = meta_graph(graph or kept_graph(), collections=collection_list)
    given = (("meta_info_def", meta_info_def), ("graph_def", graph_def), ("saver_def", saver_def))
    for name, message in given:
        if message is not None:
            getattr(made, name).CopyFrom(message)
    if options.get("export_scope"):
        made = part_of(made, str(options["export_scope"]))
    if filename is not None:
        write_meta_graph(made, filename, as_text)
    return made


def imported_meta_graph(
    given: Any,
    import_scope: str | None,
    surroundings: Surroundings | None = None,
    input_map: Any = None,
) -> protos.MetaGraphDef:
    """Adds a graph with its collections to the current graph.

    Args:
      given: A `MetaGraphDef`, or the name of a file that holds one.
      import_scope: A prefix for the operations' names, or None.
      surroundings: The files that the operations may use. Defaults to none.
      input_map: A dictionary from names of tensors in the message to tensors that replace them.

    Returns:
      The message.
    """
    message = given if isinstance(given, protos.MetaGraphDef) else read_meta_graph(given)
    graph, front = kept_graph(), f"{import_scope}/" if import_scope else ""
    with graph.as_default():
        files = surroundings or Surroundings()
        import_nodes(message.graph_def, import_scope or "", files, input_map)
    known: dict[str, GraphVariable] = {}
    for name, held in message.collection_def.items():
        for value in _values(graph, name, held, front, known):
            graph.add_to_collection(name, value)
    return message


def _values(
    graph: Graph, name: str, held: Any, front: str, known: dict[str, GraphVariable]
) -> list[Any]:
    """Returns the elements of a collection."""
    kind = held.WhichOneof("kind")
    if kind == "node_list":
        return [graph.as_graph_element(front + x) for x in held.node_list.value]
    if kind == "bytes_list" and name in _VARIABLES:
        found = [parsed(protos.VariableDef, x) for x in held.bytes_list.value]
        return [_variable(graph, x, front, known) for x in found]
    if kind in ("int64_list", "float_list", "bytes_list"):
        return list(getattr(held, kind).value)
    return []


def _variable(
    graph: Graph, definition: protos.VariableDef, front: str, known: dict[str, GraphVariable]
) -> GraphVariable:
    """Returns a variable of an imported graph."""
    name = front + definition.variable_name.partition(":")[0]
    found = known.get(name, graph.imported_variables.get(name))
    if found is None:
        raise NotFoundError(None, None, f"The graph has no variable {name!r} of its collections.")
    if name not in known:
        known[name] = found
        initial = definition.initial_value_name
        found.described_by(
            name,
            graph.get_operation_by_name(front + definition.initializer_name),
            graph.get_tensor_by_name(front + initial) if initial else None,
            definition.trainable,
        )
        if definition.HasField("save_slice_info_def"):
            found._save_slice_info = SaveSliceInfo.of_proto(definition.save_slice_info_def)
    return found


def saved_variables(message: protos.MetaGraphDef, import_scope: str | None) -> dict[str, Any]:
    """Returns the variables that the saver of an imported graph restores, by their names in files.

    Raises:
      UnimplementedError: The saver restores tables, too.
    """
    graph, front = kept_graph(), f"{import_scope}/" if import_scope else ""
    nodes = {node.name: node for node in message.graph_def.node}
    found: dict[str, Any] = {}
    for read, handle in _restores(message, nodes):
        variable = graph.imported_variables.get(front + handle)
        if read is None or variable is None:
            continue
        key, spec = read
        if spec:
            parts = found.setdefault(key, SavedParts([], []))
            parts.variables.append(variable)
            parts.slices.append(SaveSliceInfo.of_spec(key, spec))
        else:
            found[key] = variable
    return dict(sorted(found.items()))


def _restores(
    message: protos.MetaGraphDef, nodes: Mapping[str, Any]
) -> Iterator[tuple[tuple[str, str] | None, str]]:
    """Yields what a saver restores, by the results of `_restored`, with the variables' nodes."""
    left, seen = [message.saver_def.restore_op_name.partition(":")[0]], set()
    while left:
        node = nodes.get(left.pop())
        if node is None or node.name in seen:
            continue
        seen.add(node.name)
        if node.op in ("Assign", "AssignVariableOp"):
            yield _restored(nodes, node), node.input[0].partition(":")[0]
        elif node.op in _CALLS:
            yield from _restored_by(message, node)
        left += [x[1:] for x in node.input if x.startswith("^")]


_CALLS = ("StatefulPartitionedCall", "PartitionedCall")


def _restored_by(
    message: protos.MetaGraphDef, call: Any
) -> Iterator[tuple[tuple[str, str] | None, str]]:
    """Yields the variables that a restore function of TensorFlow 2 restores."""
    name = call.attr["f"].func.name
    functions = {f.signature.name: f for f in message.graph_def.library.function}
    if name not in functions:
        return
    function = functions[name]
    nodes = {node.name: node for node in function.node_def}
    given = dict(zip([x.name for x in function.signature.input_arg], call.input, strict=False))
    for node in function.node_def:
        if node.op == "AssignVariableOp" and node.input[0] in given:
            yield _restored(nodes, node), given[node.input[0]].partition(":")[0]
        elif node.op.startswith("LookupTableImport"):
            raise UnimplementedError(
                None,
                None,
                f"the function {name!r} restores a table by the node {node.name!r}: load the model "
                "with tf.saved_model.load",
            )


def _restored(nodes: Mapping[str, Any], node: Any) -> tuple[str, str] | None:
    """Returns the name by which an assignment's value is read from a file, and its slice."""
    name, _, place = node.input[1].partition(":")
    while name in nodes and nodes[name].op == IDENTITY:
        name, _, place = nodes[name].input[0].partition(":")
    place = place.rpartition(":")[2]  # functions write NODE:OUTPUT_NAME:NUMBER
    source = nodes.get(name)
    if source is None or source.op != "RestoreV2":
        return None
    constants = [nodes[x.partition(":")[0]].attr["value"].tensor for x in source.input[1:3]]
    name, spec = (make_ndarray(x)[int(place or 0)].decode() for x in constants)
    return name, spec
