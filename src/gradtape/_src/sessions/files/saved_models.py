"""Writing and reading of TensorFlow 1 saved models: the graph of a session with signatures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gradtape._src.base.errors import InvalidArgumentError, NotFoundError
from gradtape._src.base.export import export
from gradtape._src.core.tensor import Tensor
from gradtape._src.files.atomic_write import replacing
from gradtape._src.files.damaged_input import reading
from gradtape._src.files.gfile import makedirs
from gradtape._src.files.paths import is_file, local, opened
from gradtape._src.graph.named.operations import Operation
from gradtape._src.graphdef.nodes import Surroundings
from gradtape._src.messages import protos
from gradtape._src.messages.classes import pool
from gradtape._src.messages.reading import DecodeError, parsed
from gradtape._src.saving.bundle import write_bundle
from gradtape._src.saving.export.objects import copied
from gradtape._src.saving.functions.graph_functions import asset_path
from gradtape._src.saving.loading_v1 import INIT, assets_of, init_operation
from gradtape._src.saving.saved_model import (
    ASSETS_DIRECTORY,
    DEFAULT_SERVING_SIGNATURE_DEF_KEY,
    FILE,
    SAVED_MODEL_SCHEMA_VERSION,
    SERVING,
    VARIABLES_DIRECTORY,
    VARIABLES_FILENAME,
    contains_saved_model,
)
from gradtape._src.sessions.files.meta_graphs import (
    enter_initialization,
    imported_meta_graph,
    meta_graph,
    saved_variables,
)
from gradtape._src.sessions.files.saved_parts import by_name
from gradtape._src.sessions.files.saver import Saver
from gradtape._src.sessions.files.signatures import (
    SAVED_MODEL_FILENAME_PBTXT,
    predict_signature_def,
)
from gradtape._src.sessions.graph import Graph
from gradtape._src.sessions.keys import GraphKeys
from gradtape._src.sessions.training.variable_scopes import kept_graph
from gradtape._src.sessions.training.variables import (
    global_variables_initializer,
    local_variables_initializer,
)

_TRAIN = "__saved_model_train_op"


@export("compat.v1.saved_model.Builder", "compat.v1.saved_model.builder.SavedModelBuilder")
class Builder:
    """Writes graphs of sessions, with signatures, as a saved model.

    Args:
      export_dir: The directory, which does not exist yet or is empty.

    Raises:
      AssertionError: The directory has files.

    >>> import tempfile
    >>> v1, directory = tf.compat.v1, tempfile.mkdtemp()
    >>> builder = v1.saved_model.Builder(directory)
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     x = v1.placeholder(tf.float32, [], name="x")
    ...     v = v1.get_variable("v", initializer=3.0)
    ...     session.run(v.initializer)
    ...     signature = v1.saved_model.predict_signature_def({"x": x}, {"y": x * v})
    ...     builder.add_meta_graph_and_variables(session, ["serve"], {"scale": signature})
    >>> _ = builder.save()
    >>> float(tf.saved_model.load(directory).signatures["scale"](x=tf.constant(2.0))["y"])
    6.0
    """

    def __init__(self, export_dir: Any) -> None:
        self._directory = Path(local(export_dir))
        if self._directory.is_dir() and any(self._directory.iterdir()):
            raise AssertionError(
                f"Export directory {self._directory} already exists, and isn't empty. Please "
                "choose a different export directory, or delete all the contents of the specified "
                "directory."
            )
        makedirs(str(self._directory))
        self._model = protos.SavedModel(saved_model_schema_version=SAVED_MODEL_SCHEMA_VERSION)
        self._has_variables = False

    def add_meta_graph_and_variables(
        self,
        sess: Any,
        tags: Sequence[str],
        signature_def_map: Mapping[str, Any] | None = None,
        assets_list: Any = None,
        clear_devices: bool = False,
        init_op: Any = None,
        train_op: Any = None,
        strip_default_attrs: bool = False,
        saver: Saver | None = None,
        **older: Any,
    ) -> None:
        """Adds the graph of a session, and writes the values of its variables.

        Args:
          sess: The session.
          tags: The names of the graph's purposes, such as "serve".
          signature_def_map: The signatures by name.
          assets_list: Tensors whose values are paths of files that the graph reads; the files are
            copied into the model.
          clear_devices: Accepted for compatibility: no operation has a device.
          init_op: The operation that is run when the model is loaded.
          train_op: An operation or tensor that trains the model.
          strip_default_attrs: Accepted for compatibility.
          saver: The saver of the variables. Defaults to a saver of all variables.
          **older: Older names: `assets_collection` for `assets_list`, `legacy_init_op` and
            `main_op` for `init_op`.

        Raises:
          AssertionError: A graph with variables was added before.
          ValueError: An asset is not a tensor of strings.
        """
        if self._has_variables:
            raise AssertionError(
                "Graph state including variables and assets has already been saved. Please invoke "
                "`add_meta_graph()` instead."
            )
        chosen = _chosen(sess.graph, saver)
        if chosen:
            prefix = self._directory / VARIABLES_DIRECTORY / VARIABLES_FILENAME
            write_bundle(str(prefix), sess.run(chosen))
        assets = _assets(assets_list or older.get("assets_collection"), sess)
        if assets:
            makedirs(str(self._directory / ASSETS_DIRECTORY))
        for path in assets.values():
            copied(path, self._directory / ASSETS_DIRECTORY / Path(path).name)
        self._has_variables = True
        first = init_op or older.get("main_op") or older.get("legacy_init_op")
        meta = self._added(sess.graph, chosen, tags, signature_def_map, assets)
        _enter_operations(meta, first, train_op)

    def add_meta_graph(
        self,
        tags: Sequence[str],
        signature_def_map: Mapping[str, Any] | None = None,
        assets_list: Any = None,
        clear_devices: bool = False,
        init_op: Any = None,
        train_op: Any = None,
        strip_default_attrs: bool = False,
        saver: Saver | None = None,
        **older: Any,
    ) -> None:
        """Adds the default graph, which uses the variables that were written before.

        Args:
          tags: The names of the graph's purposes.
          signature_def_map: The signatures by name.
          assets_list: Constants whose values are paths of files that were copied before.
          clear_devices: Accepted for compatibility: no operation has a device.
          init_op: The operation that is run when the model is loaded.
          train_op: An operation or tensor that trains the model.
          strip_default_attrs: Accepted for compatibility.
          saver: The saver of the variables. Defaults to a saver of all variables.
          **older: See `add_meta_graph_and_variables`.

        Raises:
          AssertionError: No graph with variables was added before.
          ValueError: An asset is not a tensor of strings.
        """
        if not self._has_variables:
            raise AssertionError(
                "Graph state including variables and assets has not been saved yet. Please invoke "
                "`add_meta_graph_and_variables()` first."
            )
        graph = kept_graph()
        assets = _assets(assets_list or older.get("assets_collection"), None)
        meta = self._added(graph, _chosen(graph, saver), tags, signature_def_map, assets)
        first = init_op or older.get("main_op") or older.get("legacy_init_op")
        _enter_operations(meta, first, train_op)

    def _added(
        self,
        graph: Graph,
        variables: Mapping[str, Any],
        tags: Sequence[str],
        signatures: Mapping[str, Any] | None,
        assets: Mapping[str, str],
    ) -> protos.MetaGraphDef:
        """Adds a graph to the model."""
        meta = self._model.meta_graphs.add()
        meta.CopyFrom(meta_graph(graph, variables))
        meta.meta_info_def.tags.extend(tags)
        for name, signature in (signatures or {}).items():
            meta.signature_def[name].CopyFrom(signature)
        for tensor, path in assets.items():
            meta.asset_file_def.add(filename=Path(path).name).tensor_info.name = tensor
        return meta

    def save(self, as_text: bool = False) -> str:
        """Writes the file of the model.

        Args:
          as_text: Whether it is text.

        Returns:
          The path of the file.
        """
        data = self._model.SerializeToString()
        if as_text:
            from google.protobuf import text_format

            data = text_format.MessageToString(self._model).encode()
        path = str(self._directory / (SAVED_MODEL_FILENAME_PBTXT if as_text else FILE))
        with replacing(path) as file:
            file.write(data)
        return path


def _chosen(graph: Graph, saver: Saver | None) -> dict[str, Any]:
    """Returns the variables to save, by name."""
    if saver is not None:
        return dict(saver.variables)
    variables = graph.get_collection(GraphKeys.GLOBAL_VARIABLES)
    return dict(by_name([*variables, *graph.get_collection(GraphKeys.SAVEABLE_OBJECTS)]))


def _assets(given: Any, sess: Any) -> dict[str, str]:
    """Returns the paths of files by the names of the tensors that hold them."""
    found = {}
    for x in given or ():
        if not isinstance(x, Tensor) or x.dtype.name != "string":
            raise ValueError(f"An asset is to be a tensor of strings, got {x!r}")
        symbol = x._value
        value = symbol.owner.known_value(symbol) if sess is None else sess.run(x)
        held = value.item() if hasattr(value, "item") else value
        found[str(symbol.tensor_name)] = held.decode() if isinstance(held, bytes) else str(held)
    return found


def _enter_operations(meta: protos.MetaGraphDef, first: Any, train_op: Any) -> None:
    """Adds the operations that initialize and train a model to the message."""
    trained = "" if train_op is None else str(train_op.name)
    for name, x in ((INIT, enter_initialization(meta, first)), (_TRAIN, trained)):
        if x:
            meta.signature_def[name].outputs[name].name = x


@export("compat.v1.saved_model.simple_save")
def simple_save(
    session: Any,
    export_dir: Any,
    inputs: Mapping[str, Any],
    outputs: Mapping[str, Any],
    legacy_init_op: Any = None,
) -> None:
    """Saves the graph of a session with one signature, "serving_default".

    Args:
      session: The session.
      export_dir: The directory, which does not exist yet or is empty.
      inputs: The tensors that are fed, by name.
      outputs: The tensors that are fetched, by name.
      legacy_init_op: The operation that is run when the model is loaded.

    Raises:
      AssertionError: The directory has files.
      ValueError: There are no inputs or no outputs.

    >>> import tempfile
    >>> v1, directory = tf.compat.v1, tempfile.mkdtemp()
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     x = v1.placeholder(tf.float32, [])
    ...     v1.saved_model.simple_save(session, directory, {"x": x}, {"y": x * 2.0})
    >>> serve = tf.saved_model.load(directory).signatures["serving_default"]
    >>> float(serve(x=tf.constant(4.0))["y"])
    8.0
    """
    signature = predict_signature_def(inputs, outputs)
    builder = Builder(export_dir)
    builder.add_meta_graph_and_variables(
        session,
        [SERVING],
        {DEFAULT_SERVING_SIGNATURE_DEF_KEY: signature},
        session.graph.get_collection(GraphKeys.ASSET_FILEPATHS),
        init_op=legacy_init_op,
    )
    builder.save()


@export("compat.v1.saved_model.load", "compat.v1.saved_model.loader.load")
def load(
    sess: Any, tags: Any, export_dir: Any, import_scope: str | None = None, **saver_kwargs: Any
) -> protos.MetaGraphDef:
    """Adds the graph of a saved model to a session's graph, with the values of its variables.

    The graph is one of TensorFlow 1 or 2, and its initializing operation is run. It is a program:
    load only models whose authors you trust.

    Args:
      sess: The session.
      tags: The tags of the graph.
      export_dir: The directory of the model.
      import_scope: A prefix for the operations' names, or None.
      **saver_kwargs: Accepted for compatibility.

    Returns:
      The message of the graph, with its signatures: fields of `inputs` and `outputs` have the
      names of the tensors to feed and fetch.

    Raises:
      OSError: There is no saved model.
      RuntimeError: No graph has these tags.
      DataLossError: The model is damaged.
      UnimplementedError: gradtape does not support an operation of the graph, or the checkpoint
        contains a table.

    >>> import tempfile
    >>> v1, directory = tf.compat.v1, tempfile.mkdtemp()
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     x = v1.placeholder(tf.float32, [], name="x")
    ...     v1.saved_model.simple_save(session, directory, {"x": x}, {"y": tf.square(x, name="y")})
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     meta = v1.saved_model.load(session, ["serve"], directory)
    ...     float(session.run("y:0", {meta.signature_def["serving_default"].inputs["x"].name: 3.0}))
    9.0
    """
    directory = Path(local(export_dir))
    meta = _tagged(_read(directory), tags, directory)
    with sess.graph.as_default():
        _import(sess, meta, directory, import_scope)
    return meta


def _import(
    sess: Any, meta: protos.MetaGraphDef, directory: Path, import_scope: str | None
) -> None:
    """Adds a graph to a session's graph, and runs its initializing operation."""
    graph, front = sess.graph, f"{import_scope}/" if import_scope else ""
    surroundings = Surroundings(str(directory / ASSETS_DIRECTORY))
    imported_meta_graph(_prepared(meta, directory), import_scope, surroundings)
    saved = saved_variables(meta, import_scope)
    prefix = str(directory / VARIABLES_DIRECTORY / VARIABLES_FILENAME)
    if saved and is_file(f"{prefix}.index"):
        Saver(saved).restore(sess, prefix)
    first = init_operation(meta)
    if first is not None:
        fed = {
            front + file.tensor_info.name: str(asset_path(directory, file))
            for file in assets_of(meta)
        }
        sess.run(graph.as_graph_element(front + first.partition(":")[0]), fed)


def _prepared(meta: protos.MetaGraphDef, directory: Path) -> protos.MetaGraphDef:
    """Returns a graph with the paths of its assets, without the nodes that save and restore."""
    made = protos.MetaGraphDef()
    made.CopyFrom(meta)
    constants = {node.name: node for node in made.graph_def.node if node.op == "Const"}
    for file in assets_of(meta):
        node = constants.get(file.tensor_info.name.partition(":")[0])
        if node is not None:
            del node.attr["value"].tensor.string_val[:]
            node.attr["value"].tensor.string_val.append(str(asset_path(directory, file)).encode())
    dropped = _descendants(made.graph_def, meta.saver_def.filename_tensor_name.partition(":")[0])
    kept = [node for node in made.graph_def.node if node.name not in dropped]
    del made.graph_def.node[:]
    made.graph_def.node.extend(kept)
    return made


def _descendants(graph: protos.GraphDef, name: str) -> set[str]:
    """Returns the names of a node and of all nodes that depend on it."""
    if not name:
        return set()
    users: dict[str, list[str]] = {}
    for node in graph.node:
        for reference in node.input:
            users.setdefault(reference.removeprefix("^").partition(":")[0], []).append(node.name)
    found, left = {name}, [name]
    while left:
        new = [user for user in users.get(left.pop(), ()) if user not in found]
        found.update(new)
        left += new
    return found


def _read(directory: Path) -> protos.SavedModel:
    """Returns the message of a model.

    Raises:
      OSError: The directory has no model.
      DataLossError: The model is damaged.
    """
    for name in (FILE, SAVED_MODEL_FILENAME_PBTXT):
        try:
            with opened(str(directory / name)) as file:
                data = file.read()
        except (NotFoundError, InvalidArgumentError):  # The name may be too long for a file name.
            continue
        with reading(f"The saved model at {directory}"):
            return parsed(protos.SavedModel, data) if name == FILE else _of_text(data)
    raise OSError(
        f"SavedModel file does not exist at: {directory}/{{saved_model.pbtxt|saved_model.pb}}"
    )


def _of_text(data: bytes) -> protos.SavedModel:
    from google.protobuf import text_format

    try:
        return text_format.Parse(data, protos.SavedModel(), descriptor_pool=pool()[0])
    except text_format.ParseError as error:
        raise DecodeError(str(error)) from None


def _tagged(model: protos.SavedModel, tags: Any, directory: Path) -> protos.MetaGraphDef:
    wanted = {tags} if isinstance(tags, str) else set(tags)
    known = [sorted(meta.meta_info_def.tags) for meta in model.meta_graphs]
    for meta in model.meta_graphs:
        if set(meta.meta_info_def.tags) == wanted:
            return meta
    raise RuntimeError(
        f"MetaGraphDef associated with tags {sorted(wanted)} could not be found in SavedModel "
        f"{directory}, whose graphs have the tags {known}."
    )


@export(
    "compat.v1.saved_model.maybe_saved_model_directory",
    "compat.v1.saved_model.loader.maybe_saved_model_directory",
    "compat.v1.saved_model.contains_saved_model",
)
def maybe_saved_model_directory(export_dir: Any) -> bool:
    """Returns whether a directory holds a saved model.

    Args:
      export_dir: The directory.

    Returns:
      True if `load` finds a model there.
    """
    return contains_saved_model(export_dir)


@export("compat.v1.saved_model.main_op.main_op")
def main_op() -> Operation:
    """Returns an operation that initializes all variables and tables of the default graph.

    Returns:
      The operation.
    """
    graph = kept_graph()
    tables = graph.get_collection(GraphKeys.TABLE_INITIALIZERS)
    first = [global_variables_initializer(), local_variables_initializer(), *tables]
    return graph.group(first, "main_op")


@export(
    "compat.v1.saved_model.main_op_with_restore",
    "compat.v1.saved_model.main_op.main_op_with_restore",
)
def main_op_with_restore(restore_op_name: Any) -> Operation:
    """Returns an operation that initializes the default graph, and then restores its variables.

    Args:
      restore_op_name: The operation that restores, or its name.

    Returns:
      The operation.
    """
    graph = kept_graph()
    with graph.control_dependencies([main_op()]):
        last = graph.as_graph_element(restore_op_name)
        return graph.group([last], "main_op_with_restore")
