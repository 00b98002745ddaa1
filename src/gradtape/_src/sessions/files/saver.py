"""`tf.compat.v1.train.Saver`: checkpoints of a session's variables."""

from __future__ import annotations

import functools
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from gradtape._src.base.errors import NotFoundError
from gradtape._src.base.export import export
from gradtape._src.files.paths import local
from gradtape._src.messages import protos
from gradtape._src.saving.bundle import GRAPH_KEY, CheckpointReader, remove_bundle, write_bundle
from gradtape._src.saving.object_graph import parse
from gradtape._src.saving.slices import part_of_array
from gradtape._src.saving.state import update_state
from gradtape._src.sessions.files.meta_graphs import (
    imported_meta_graph,
    meta_graph,
    part_of,
    saved_variables,
)
from gradtape._src.sessions.files.meta_graphs import write_meta_graph as write_meta_graph_file
from gradtape._src.sessions.files.old_checkpoints import is_old, read_old, write_old
from gradtape._src.sessions.files.saved_parts import (
    SavedParts,
    by_name,
    each_variable,
    variables_of,
)
from gradtape._src.sessions.graph import Graph
from gradtape._src.sessions.keys import GraphKeys
from gradtape._src.sessions.training.variable_scopes import kept_graph

_HOUR = 3600  # seconds
_V2 = 2  # equals SaverDef.V2, whose import would load protobuf


@export("compat.v1.train.checkpoint_exists")
def checkpoint_exists(checkpoint_prefix: Any) -> bool:
    """Returns whether a checkpoint exists, in any format.

    Args:
      checkpoint_prefix: The path of the checkpoint.

    Returns:
      True or False.
    """
    path = local(checkpoint_prefix)
    return is_old(path) or Path(path + ".index").is_file()


@export("compat.v1.train.remove_checkpoint")
def remove_checkpoint(
    checkpoint_prefix: Any, checkpoint_format_version: int = _V2, meta_graph_suffix: str = "meta"
) -> None:
    """Removes the files of a checkpoint, in any format.

    Args:
      checkpoint_prefix: The path of the checkpoint.
      checkpoint_format_version: Accepted for compatibility.
      meta_graph_suffix: The suffix of the file of the graph.
    """
    path = local(checkpoint_prefix)
    remove_bundle(path)
    for beside in (path, f"{path}.{meta_graph_suffix}"):
        with suppress(OSError):
            Path(beside).unlink()


@export("compat.v1.train.NewCheckpointReader")
def NewCheckpointReader(filepattern: Any) -> CheckpointReader:  # noqa: N802 (TensorFlow's name)
    """Opens a checkpoint for reading tensors by their names.

    Args:
      filepattern: The path of the checkpoint.

    Returns:
      A reader, as from `tf.train.load_checkpoint`.

    Raises:
      NotFoundError: The checkpoint does not exist.
      DataLossError: The checkpoint is damaged.
    """
    return CheckpointReader(local(filepattern))


@export("compat.v1.train.Saver")
class Saver:
    """Saves variables of a session, and restores them.

    Args:
      var_list: The variables, or a dictionary of variables by their names in checkpoints. Defaults
        to all variables that can be saved.
      reshape: Whether the shape of a saved value may differ from the variable's shape.
      sharded: Accepted for compatibility.
      max_to_keep: The number of checkpoints to keep, or None or 0 to keep all.
      keep_checkpoint_every_n_hours: One checkpoint in each period of this number of hours is kept
        permanently.
      name: Accepted for compatibility.
      restore_sequentially: Accepted for compatibility.
      saver_def: A message with the number of checkpoints to keep and their format.
      builder: Accepted for compatibility.
      defer_build: Accepted for compatibility.
      allow_empty: Whether there may be no variables.
      write_version: The format, one of `SaverDef`.
      pad_step_number: Whether step numbers are padded to eight digits in file names.
      save_relative_paths: Accepted for compatibility: paths are always relative.
      filename: Accepted for compatibility.

    Raises:
      ValueError: There are no variables, or two have one name.
    """

    def __init__(
        self,
        var_list: Any = None,
        reshape: bool = False,
        sharded: bool = False,
        max_to_keep: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000.0,
        name: str | None = None,
        restore_sequentially: bool = False,
        saver_def: Any = None,
        builder: Any = None,
        defer_build: bool = False,
        allow_empty: bool = False,
        write_version: int = _V2,
        pad_step_number: bool = False,
        save_relative_paths: bool = False,
        filename: str | None = None,
    ) -> None:
        self._variables = by_name(_all() if var_list is None else var_list)
        if not self._variables and not (allow_empty or defer_build):
            raise ValueError("No variables to save")
        self._reshape, self._most = reshape, max_to_keep
        self._hours = keep_checkpoint_every_n_hours
        self._version, self._pads = write_version, pad_step_number
        if saver_def is not None:
            self._most, self._hours = saver_def.max_to_keep, saver_def.keep_checkpoint_every_n_hours
            self._version = saver_def.version
        self._last: list[str] = []
        self._times: dict[str, float] = {}
        self._next = time.time() + self._hours * _HOUR

    @property
    def variables(self) -> Mapping[str, Any]:
        """The variables by the names that they have in checkpoints."""
        return self._variables

    @property
    def last_checkpoints(self) -> list[str]:
        """The paths of the checkpoints that were saved and not removed, the oldest first."""
        return list(self._last)

    def set_last_checkpoints(self, last_checkpoints: list[str]) -> None:
        """Sets the list of checkpoints that were saved before.

        Args:
          last_checkpoints: The paths of the checkpoints, the oldest first.
        """
        self._last = list(last_checkpoints)

    def save(
        self,
        sess: Any,
        save_path: Any,
        global_step: Any = None,
        latest_filename: str | None = None,
        meta_graph_suffix: str = "meta",
        write_meta_graph: bool = True,
        write_state: bool = True,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> str:
        """Saves the variables of a session.

        Args:
          sess: The session, or None in eager execution.
          save_path: The path prefix, to which the step number is appended.
          global_step: The step number, a variable, or its name. If it is None, no number is
            appended.
          latest_filename: The name of the file that lists the last checkpoints of the directory.
            Defaults to "checkpoint".
          meta_graph_suffix: The suffix of the file of the graph.
          write_meta_graph: Whether the graph of the session is also written to a file.
          write_state: Whether the file that lists the last checkpoints is written.
          strip_default_attrs: Accepted for compatibility.
          save_debug_info: Accepted for compatibility.

        Returns:
          The path of the checkpoint.
        """
        path = local(save_path)
        if global_step is not None:
            if not isinstance(global_step, (int, np.integer)):
                global_step = global_step.numpy() if sess is None else sess.run(global_step)
            number = f"{int(global_step):08d}" if self._pads else str(int(global_step))
            path = f"{path}-{number}"
        values = self._values(sess)
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        (write_bundle if self._version == _V2 else write_old)(path, values)
        if sess is not None and write_meta_graph:
            self._write_graph(sess.graph, f"{path}.{meta_graph_suffix}")
        self._note(path)
        if write_state:
            update_state(Path(path).parent, path, self._last, file_name=latest_filename)
        return path

    def _write_graph(self, graph: Graph, filename: str) -> None:
        write_meta_graph_file(self._message(graph, None), filename, as_text=False)

    def _message(self, graph: Graph, collections: Sequence[str] | None) -> protos.MetaGraphDef:
        settings = {"max_to_keep": self._most or 0, "keep_checkpoint_every_n_hours": self._hours}
        return meta_graph(graph, self._variables, collections, settings)

    def export_meta_graph(
        self,
        filename: Any = None,
        collection_list: Sequence[str] | None = None,
        as_text: bool = False,
        **options: Any,
    ) -> protos.MetaGraphDef:
        """Returns the graph as a message, with this saver, and writes it to a file.

        Args:
          filename: The file to write, or None.
          collection_list: The names of the collections to include. Defaults to all.
          as_text: Whether the file is written as text.
          **options: `export_scope`, the name of a scope: only its operations are exported, without
            the prefix. Accepted for compatibility: `clear_devices`, `strip_default_attrs` and the
            other options that select what to leave out.

        Returns:
          A `MetaGraphDef`.

        Raises:
          ValueError: An operation of the scope depends on one outside of it.
        """
        made = self._message(kept_graph(), collection_list)
        if options.get("export_scope"):
            made = part_of(made, str(options["export_scope"]))
        if filename is not None:
            write_meta_graph_file(made, filename, as_text)
        return made

    def as_saver_def(self) -> protos.SaverDef:
        """Returns the saver as a message, with the names of its nodes in a meta graph.

        Returns:
          A `SaverDef`.
        """
        return self._message(kept_graph(), []).saver_def

    to_proto = as_saver_def

    def _values(self, sess: Any) -> dict[str, Any]:
        wanted = {name: variables_of(x) for name, x in self._variables.items()}
        if sess is None:
            found = {name: [v.numpy() for v in variables] for name, variables in wanted.items()}
        else:
            found = sess.run(wanted)
        return {
            name: x.sliced(found[name]) if isinstance(x, SavedParts) else found[name][0]
            for name, x in self._variables.items()
        }

    def _note(self, path: str) -> None:
        """Adds a checkpoint to the list of the last ones, and removes old ones."""
        self._last = [p for p in self._last if p != path] + [path]
        self._times[path] = time.time()
        while self._most and len(self._last) > self._most:
            old = self._last.pop(0)
            if self._times.pop(old, 0.0) > self._next:
                self._next += self._hours * _HOUR
                continue
            remove_checkpoint(old)

    def restore(self, sess: Any, save_path: Any) -> None:
        """Restores the variables of a session from a checkpoint.

        Args:
          sess: The session, or None in eager execution.
          save_path: The checkpoint's path.

        Raises:
          ValueError: There is no checkpoint, or the shape of a value differs from the variable's
            shape.
          NotFoundError: A variable has no value in the checkpoint.
        """
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        path = local(save_path)
        if not checkpoint_exists(path):
            raise ValueError(f"The passed save_path is not a valid checkpoint: {path}")
        found = _read(path, self._variables)
        for name, variable, place in each_variable(self._variables):
            value = found[name] if place is None else found[name](place.place)
            if self._reshape and place is None:
                value = value.reshape(variable.shape.as_list())
            if not variable.shape.is_compatible_with(value.shape):
                raise ValueError(
                    f"The variable {name} has the shape {variable.shape}, and its value in {path} "
                    f"the shape {value.shape}."
                )
            if sess is None:
                variable.assign(value)
            else:
                sess.load(variable, value)

    def recover_last_checkpoints(self, checkpoint_paths: list[str]) -> None:
        """Sets the list of the last checkpoints to those of the given ones that exist.

        Args:
          checkpoint_paths: The paths of checkpoints, the oldest first.
        """
        self._last = [p for p in checkpoint_paths if checkpoint_exists(p)]


def _read(path: str, wanted: Mapping[str, Any]) -> dict[str, Any]:
    if is_old(path):
        known: dict[str, Any] = read_old(path)
        for x, target in wanted.items():
            if isinstance(target, SavedParts) and x in known:
                known[x] = functools.partial(part_of_array, known[x])
    else:
        reader = CheckpointReader(path)
        keys = {name: name for name in wanted if reader.has_tensor(name)}
        if len(keys) < len(wanted) and reader.has_tensor(GRAPH_KEY):  # one of `tf.train.Checkpoint`
            keys = _keys_by_name(reader) | keys
        known = {
            x: functools.partial(reader.read_slice, keys[x])
            if isinstance(target, SavedParts)
            else np.asarray(reader.get_tensor(keys[x]))
            for x, target in wanted.items()
            if x in keys
        }
    missing = [name for name in wanted if name not in known]
    if missing:
        raise NotFoundError(
            None,
            None,
            "Restoring from checkpoint failed. This is most likely due to a Variable name or other "
            "graph key that is missing from the checkpoint. Please ensure that you have not "
            f"altered the graph expected based on the checkpoint. Original error: Key {missing[0]} "
            "not found in checkpoint",
        )
    return known


def _within(scope: str | None) -> Any:
    """Returns the variables of a scope; without one, all."""
    variables = _all()
    if not scope:
        return variables
    names = by_name([v for v in variables if str(v.name).startswith(f"{scope}/")])
    return {name.removeprefix(f"{scope}/"): v for name, v in names.items()}


def _keys_by_name(reader: CheckpointReader) -> dict[str, str]:
    """Returns the names of the tensors in a checkpoint by the names of their variables."""
    attributes = [a for node in reader.object_graph(parse) for a in node.attributes]
    return {a.full_name: a.key for a in attributes if a.full_name}


def _all() -> list[Any]:
    graph = kept_graph()
    variables = graph.get_collection(GraphKeys.GLOBAL_VARIABLES)
    return [*variables, *graph.get_collection(GraphKeys.SAVEABLE_OBJECTS)]


@export("compat.v1.train.get_checkpoint_mtimes")
def get_checkpoint_mtimes(checkpoint_prefixes: list[Any]) -> list[float]:
    """Returns the times when checkpoints were written.

    Args:
      checkpoint_prefixes: The paths of the checkpoints.

    Returns:
      The time of each checkpoint that exists, in seconds since 1970.
    """
    paths = [local(prefix) for prefix in checkpoint_prefixes if checkpoint_exists(prefix)]
    return [Path(p if is_old(p) else f"{p}.index").stat().st_mtime for p in paths]


@export("compat.v1.train.import_meta_graph")
def import_meta_graph(
    meta_graph_or_file: Any,
    clear_devices: bool = False,
    import_scope: str | None = None,
    **kwargs: Any,
) -> Saver | None:
    """Adds a saved graph with its collections to the current graph.

    Args:
      meta_graph_or_file: A `MetaGraphDef`, or the name of a file that holds one.
      clear_devices: Accepted for compatibility: no operation has a device.
      import_scope: A prefix for the operations' names, or None.
      **kwargs: `input_map`, a dictionary from names of tensors to tensors that replace them, and
        arguments of `Saver`.

    Returns:
      A `Saver` for the variables of the graph, or None if it has no variables.

    Raises:
      OSError: The file does not exist.
      ValueError: The file holds no graph or a damaged graph.

    >>> import tempfile
    >>> path = f"{tempfile.mkdtemp()}/model"
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     v = tf.Variable([1.0, 2.0], name="v")
    ...     session.run(v.initializer)
    ...     _ = tf.compat.v1.train.Saver().save(session, path)
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     saver = tf.compat.v1.train.import_meta_graph(path + ".meta")
    ...     saver.restore(session, path)
    ...     session.run(tf.compat.v1.global_variables()[0]).tolist()
    [1.0, 2.0]
    """
    input_map = kwargs.pop("input_map", None)
    message = imported_meta_graph(meta_graph_or_file, import_scope, input_map=input_map)
    if not message.HasField("saver_def"):
        chosen = _within(import_scope)
        return Saver(chosen, **kwargs) if chosen else None
    found = saved_variables(message, import_scope)
    given: dict[str, Any] = {"saver_def": message.saver_def, **kwargs}
    return Saver(found or None, **given)
