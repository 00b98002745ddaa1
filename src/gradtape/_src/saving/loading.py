"""Loads what `save` has written: `tf.saved_model.load`."""

from __future__ import annotations

import importlib.util
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gradtape._src.base.errors import InvalidArgumentError, NotFoundError
from gradtape._src.base.export import export
from gradtape._src.base.trackable import AutoTrackable, DictWrapper, ListWrapper, Trackable
from gradtape._src.core.variable import Variable
from gradtape._src.files.crc32c import crc32c
from gradtape._src.files.damaged_input import explained, reading
from gradtape._src.files.paths import is_file, local, opened
from gradtape._src.graph.ir.trace_errors import no_jax
from gradtape._src.messages import protos
from gradtape._src.messages.reading import DecodeError, parsed
from gradtape._src.saving.restored import RestoredConcrete, RestoredFunction, UnavailableFunction
from gradtape._src.saving.saved_model import CHECKSUMS, DESCRIPTION, FILE, FUNCTIONS, damaged
from gradtape._src.saving.saved_variables import Nodes, saved_variables
from gradtape._src.saving.structures import decoded

_LONGEST = 1 << 20  # elements of all lists, before they are taken for damage
_FUNCTIONS = {"function", "bare_concrete_function"}
_BY_TENSORFLOW = (
    "TensorFlow saved it as a graph of its own operations, which gradtape does not run. The "
    "model's variables are here; build the model in Python and restore them with "
    "tf.train.Checkpoint, or save it with Keras (.keras)"
)


@export("saved_model.LoadOptions")
@dataclass
class LoadOptions:
    """The options for loading a model.

    Attributes:
      allow_partial_checkpoint: Whether variables that the checkpoint lacks may stay zero.
      experimental_skip_checkpoint: Whether to leave all variables zero.
      experimental_io_device, experimental_variable_policy, experimental_load_function_aliases:
        Accepted for compatibility.
    """

    allow_partial_checkpoint: bool = False
    experimental_io_device: str | None = None
    experimental_skip_checkpoint: bool = False
    experimental_variable_policy: Any = None
    experimental_load_function_aliases: bool = False


class _UserObject(AutoTrackable):
    """An object of a loaded model: its parts are attributes."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        called = self.__dict__.get("__call__")
        if called is None:
            raise TypeError(
                "this object of the saved model can't be called: it was saved without `__call__`"
            )
        return called(*args, **kwargs)


class SignatureMap(dict[str, Any], Trackable):
    """The signatures of a loaded model by name."""

    def __repr__(self) -> str:
        return f"_SignatureMap({super().__repr__()})"

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        return {}


@export("saved_model.load")
def load(export_dir: Any, tags: Any = None, options: Any = None) -> Any:
    """Loads what `save` has written.

    Of a model that TensorFlow wrote, objects and variables are loaded; its functions raise
    UnimplementedError when they are called.

    A saved model's functions are programs, and calling one runs what its author wrote. Load and
    call only models whose authors you trust.

    Args:
      export_dir: The directory.
      tags: Accepted for compatibility.
      options: `LoadOptions`.

    Returns:
      An object with the parts of the saved one as attributes, functions and `signatures` among
      them. It is not an instance of the class that was saved.

    Raises:
      OSError: There is no saved model.
      FileNotFoundError: The values of the model's variables are missing.
      AssertionError: The values of the variables belong to another model.
      ValueError: A value has another shape than its variable.
      InvalidArgumentError: A value has another dtype than its variable.
      DataLossError: The model's files are damaged.
      ImportError: The model has functions, and JAX is not installed.

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
    with reading(f"The saved model at {directory}"):
        nodes = _nodes(data)
    variables = _variables(nodes, directory, chosen)
    with reading(f"The saved model at {directory}"):
        objects = _objects(nodes, variables)
        _attach_functions(objects, directory)
    return objects[0]


def _nodes(data: bytes) -> Nodes:
    """The objects that `saved_model.pb` describes."""
    metas = parsed(protos.SavedModel, data).meta_graphs
    if not metas:
        raise DecodeError("it has no graph")
    nodes = metas[0].object_graph_def.nodes
    if not nodes:
        raise DecodeError("it has no object graph, as every model saved by TensorFlow 2 has one")
    return nodes


def _variables(nodes: Nodes, directory: Path, options: LoadOptions) -> dict[int, Variable]:
    """The variables with their values; values that belong to another model are not damage."""
    try:
        return saved_variables(
            nodes,
            directory,
            skip=options.experimental_skip_checkpoint,
            partial=options.allow_partial_checkpoint,
        )
    except (DecodeError, MemoryError, RecursionError) as error:
        raise damaged(directory, explained(error)) from None


def _objects(nodes: Nodes, variables: dict[int, Variable]) -> list[Any]:
    """The objects of a graph, with their parts."""
    found = [
        variables[number] if number in variables else _object(node)
        for number, node in enumerate(nodes)
    ]
    if not isinstance(found[0], Trackable):
        raise DecodeError("its root is not an object")
    room = _LONGEST
    for owner, node in zip(found, nodes, strict=True):
        parts = [(part.local_name, part.node_id) for part in node.children]
        if any(not 0 <= n < len(found) for _, n in parts):
            raise DecodeError("an object has a part that is not there")
        _give(owner, {name: found[n] for name, n in parts}, room)
        room -= len(owner) if isinstance(owner, ListWrapper) else 0
    return found


def _give(owner: Any, parts: dict[str, Any], room: int) -> None:
    """Gives an object its parts; a list may have as many elements as there is room."""
    if isinstance(owner, ListWrapper):
        numbered = {int(name): part for name, part in parts.items() if name.isdecimal()}
        length = max(numbered, default=-1) + 1
        if length > room:
            raise DecodeError(f"a list of {length} elements")
        owner.extend(numbered.get(place) for place in range(length))
    elif isinstance(owner, dict):
        for name, part in parts.items():
            owner[name] = _named(part, name)
    elif isinstance(owner, _UserObject):
        for name, part in parts.items():
            _set(owner, name, _named(part, name))


def _set(owner: Any, name: str, part: Any) -> None:
    """Sets an attribute; what makes Python's objects work is not for a file to replace."""
    if name != "__call__" and hasattr(type(owner), name):
        raise DecodeError(f"an object has a part of the name {name!r}")
    setattr(owner, name, part)


def _named(part: Any, name: str) -> Any:
    if isinstance(part, UnavailableFunction):
        part.name = name
    return part


def _object(node: protos.SavedObject) -> Any:
    if node.WhichOneof("kind") in _FUNCTIONS:
        return UnavailableFunction("function", _BY_TENSORFLOW)
    identifier = node.user_object.identifier
    if identifier in ("trackable_list_wrapper", "trackable_tuple_wrapper"):
        return ListWrapper()
    if identifier == "trackable_dict_wrapper":
        return DictWrapper()
    return SignatureMap() if identifier == "signature_map" else _UserObject()


def _attach_functions(objects: list[Any], directory: Path) -> None:
    """Puts the functions that gradtape has saved in their places."""
    extra = directory / FUNCTIONS
    if not is_file(extra / DESCRIPTION):
        return
    checksums = _checksums(extra)
    data = _checked(extra / DESCRIPTION, checksums)
    with reading(str(extra / DESCRIPTION)):
        described = json.loads(data)
        programs = [
            _program(entry, objects, extra / f"{number}.stablehlo", checksums)
            for number, entry in enumerate(described["programs"])
        ]
        for entry in described["functions"]:
            concrete = [programs[_place(n, programs)] for n in entry["programs"]]
            owner, name = objects[_place(entry["node"], objects)], str(entry["name"])
            _set(owner, name, RestoredFunction(name, concrete))
        if isinstance(objects[0], _UserObject):
            chosen = {
                str(k): programs[_place(n, programs)] for k, n in described["signatures"].items()
            }
            objects[0].signatures = SignatureMap(chosen)


def _checksums(extra: Path) -> dict[str, int] | None:
    """The checksums of the files of functions; models of older versions state none."""
    if not is_file(extra / CHECKSUMS):
        return None
    with opened(str(extra / CHECKSUMS)) as file:
        data = file.read()
    with reading(str(extra / CHECKSUMS)):
        return dict(json.loads(data))


def _checked(path: Path, checksums: dict[str, int] | None) -> bytes:
    """The content of a file of functions."""
    with opened(str(path)) as file:
        data = file.read()
    with reading(str(path)):
        if checksums is not None and checksums[path.name] != crc32c(data):
            raise DecodeError("its checksum does not match")
    return data


def _place(number: Any, among: list[Any]) -> int:
    """A place in a list."""
    if type(number) is not int or not 0 <= number < len(among):
        raise DecodeError(f"{number!r} is not the number of one of {len(among)} objects")
    return number


def _program(
    entry: Any, objects: list[Any], path: Path, checksums: dict[str, int] | None
) -> RestoredConcrete:
    args, kwargs = decoded(entry["inputs"])
    written, read = (
        [objects[_place(n, objects)] for n in entry[key]] for key in ("written", "read")
    )
    if not all(isinstance(v, Variable) for v in [*written, *read]):
        raise DecodeError("a function uses an object as a variable that is not a variable")
    if importlib.util.find_spec("jax") is None:
        raise no_jax(str(entry["name"]))
    from gradtape._src.saving.exported import Restored  # loads JAX

    blob = _checked(path, checksums)
    with reading(str(path)):
        run = Restored(blob, written, read, int(entry["keys"]))
    names = [str(name) for name in entry["names"]]
    outputs = decoded(entry["outputs"])
    return RestoredConcrete(names, (tuple(args), kwargs), outputs, run, [*written, *read])
