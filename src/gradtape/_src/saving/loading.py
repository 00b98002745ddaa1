"""`tf.saved_model.load`, which loads what `tf.saved_model.save` has written."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gradtape._src.base.errors import InvalidArgumentError, NotFoundError
from gradtape._src.base.export import export
from gradtape._src.core.variable import Variable
from gradtape._src.files.damaged_input import explained, reading
from gradtape._src.files.paths import local, opened
from gradtape._src.messages import protos
from gradtape._src.messages.reading import DecodeError, parsed
from gradtape._src.saving.functions.graph_functions import ModelFunctions
from gradtape._src.saving.functions.loaded_objects import loaded_objects
from gradtape._src.saving.loading_v1 import load_graph
from gradtape._src.saving.saved_model import FILE, WithPolicy, damaged
from gradtape._src.saving.saved_variables import Nodes, other_values, saved_variables
from gradtape._src.saving.stablehlo_functions import attach_programs


@export("saved_model.LoadOptions")
@dataclass
class LoadOptions(WithPolicy):
    """The options for loading a model.

    Attributes:
      allow_partial_checkpoint: Whether variables that are missing in the checkpoint may stay zero.
      allow_io: Whether the model's functions may read and write files other than its assets. Set it
        only for models whose authors you trust.
      experimental_skip_checkpoint: Whether to leave all variables zero.
      experimental_load_function_aliases: Whether the result has a dictionary `function_aliases` of
        the functions that were saved with an alias.
      experimental_io_device, experimental_variable_policy: Accepted for compatibility.
    """

    allow_partial_checkpoint: bool = False
    experimental_io_device: str | None = None
    experimental_skip_checkpoint: bool = False
    experimental_variable_policy: Any = None
    experimental_load_function_aliases: bool = False
    allow_io: bool = False


@export("saved_model.load")
def load(export_dir: Any, tags: Any = None, options: Any = None) -> Any:
    """Loads a saved model.

    The functions of a model that TensorFlow wrote are run with gradtape's operations. A warning
    names the operations that gradtape can't run; functions that contain them raise
    UnimplementedError when they are called.

    A saved model's functions are programs, and calling one runs what its author wrote. Load and
    call only models whose authors you trust. The functions of a model that TensorFlow wrote can
    access only its assets, unless `LoadOptions(allow_io=True)` is given.

    Args:
      export_dir: The directory.
      tags: The tags of the graph to load. Defaults to the tags of the first graph.
      options: `LoadOptions`.

    Returns:
      An object whose attributes are the parts of the saved object, including functions and
      `signatures`. It is not an instance of the class that was saved.

    Raises:
      OSError: There is no saved model.
      FileNotFoundError: The values of the model's variables are missing.
      AssertionError: The checkpoint in the directory belongs to another model.
      ValueError: The shape of a value differs from its variable's shape, or no graph has these
        tags.
      InvalidArgumentError: The dtype of a value differs from its variable's dtype.
      DataLossError: The model's files are damaged.
      ImportError: The model has functions as StableHLO, and JAX is not installed.

    >>> import tempfile
    >>> module = tf.Module()
    >>> module.v = tf.Variable(2.0)
    >>> directory = tempfile.mkdtemp()
    >>> tf.saved_model.save(module, directory)
    >>> float(tf.saved_model.load(directory).v)
    2.0
    """
    directory = Path(local(export_dir))
    chosen = options or LoadOptions()
    try:
        with opened(str(directory / FILE)) as file:
            data = file.read()
    except (NotFoundError, InvalidArgumentError):  # a name may be too long for any file
        raise OSError(
            f"SavedModel file does not exist at: {directory}/{{saved_model.pbtxt|saved_model.pb}}"
        ) from None
    what = f"The saved model at {directory}"
    with reading(what):
        model = parsed(protos.SavedModel, data)
        if not model.meta_graphs:
            raise DecodeError("it has no graph")
    meta = _chosen(model, tags)
    if not meta.object_graph_def.nodes:
        return load_graph(meta, directory, chosen.allow_io, chosen.experimental_skip_checkpoint)
    nodes = meta.object_graph_def.nodes
    variables = _variables(nodes, directory, chosen)
    with reading(what):
        functions = ModelFunctions(meta, directory, variables, chosen.allow_io)
        objects = loaded_objects(nodes, variables, functions.made)
        skip = chosen.experimental_skip_checkpoint
        functions.initialize({} if skip else other_values(nodes, directory))
        attach_programs(objects, directory)
    functions.warn()
    if chosen.experimental_load_function_aliases:
        objects[0].function_aliases = _by_alias(meta, objects)
    return objects[0]


def _by_alias(meta: protos.MetaGraphDef, objects: list[Any]) -> dict[str, Any]:
    """Returns the functions that the model was saved with aliases for."""
    aliases = meta.meta_info_def.function_aliases
    found: dict[str, Any] = {}
    for node, made in zip(meta.object_graph_def.nodes, objects, strict=True):
        if node.WhichOneof("kind") == "function":
            found |= {aliases[n]: made for n in node.function.concrete_functions if n in aliases}
    return found


def _chosen(model: protos.SavedModel, tags: Any) -> protos.MetaGraphDef:
    """Returns the graph with these tags, or the only one."""
    metas = model.meta_graphs
    if tags is None:
        return metas[0]
    wanted = {tags} if isinstance(tags, str) else set(tags)
    for meta in metas:
        if set(meta.meta_info_def.tags) == wanted:
            return meta
    known = [sorted(meta.meta_info_def.tags) for meta in metas]
    raise ValueError(
        f"Got an incompatible argument to `tags`: {tags}. The SavedModel has one MetaGraph with "
        f"tags {known[0] if len(known) == 1 else known}."
    )


def _variables(nodes: Nodes, directory: Path, options: LoadOptions) -> dict[int, Variable]:
    """Returns the variables with their values.

    Values that belong to another model are not reported as damage.
    """
    try:
        return saved_variables(
            nodes,
            directory,
            skip=options.experimental_skip_checkpoint,
            partial=options.allow_partial_checkpoint,
        )
    except (DecodeError, MemoryError, RecursionError) as error:
        raise damaged(directory, explained(error)) from None
