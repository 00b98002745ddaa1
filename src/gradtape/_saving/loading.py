"""`tf.saved_model.load`."""

from __future__ import annotations

import importlib.util
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gradtape._base.dtypes import as_dtype
from gradtape._base.errors import NotFoundError
from gradtape._base.trackable import AutoTrackable, DictWrapper, ListWrapper, Trackable
from gradtape._compile.faults import no_jax
from gradtape._core.variable import Variable
from gradtape._files.paths import local, opened
from gradtape._saving.bundle import CheckpointReader
from gradtape._saving.object_graph import GRAPH_KEY
from gradtape._saving.restored import RestoredConcrete, RestoredFunction, UnavailableFunction
from gradtape._saving.restoring import Restoration
from gradtape._saving.saved_model import FILE, FUNCTIONS, damaged
from gradtape._saving.structures import decoded
from gradtape._saving.wire import Message, WireError

_MOST = 1 << 34  # bytes of a variable, before it is taken for damage
_LONGEST = 1 << 20  # elements of a list, likewise
_FUNCTION, _CONCRETE, _VARIABLE, _USER = 6, 8, 7, 4
_BY_TENSORFLOW = (
    "TensorFlow saved it as a graph of its own operations, which gradtape does not run. The "
    "model's variables are here; build the model in Python and restore them with "
    "tf.train.Checkpoint, or save it with Keras (.keras)"
)


@dataclass
class LoadOptions:
    """How to load a model; accepted for compatibility."""

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
            raise TypeError("this object of the saved model can't be called")
        return called(*args, **kwargs)


class SignatureMap(dict[str, Any], Trackable):
    """The signatures of a loaded model by name."""

    def __repr__(self) -> str:
        return f"_SignatureMap({super().__repr__()})"

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        return {}


def load(export_dir: Any, tags: Any = None, options: Any = None) -> Any:
    """Loads what `save` has written.

    Of a model that TensorFlow wrote, objects and variables are loaded; its functions raise
    UnimplementedError when they are called.

    Args:
      export_dir: The directory.
      tags: Accepted for compatibility.
      options: Accepted for compatibility.

    Returns:
      An object with the parts of the saved one as attributes, functions and `signatures` among
      them. It is no instance of the class that was saved.

    Raises:
      OSError: There is no saved model.
      DataLossError: Its files are damaged.
      ImportError: It has functions, and JAX is not installed.
    """
    directory = Path(local(export_dir))
    try:
        with opened(str(directory / FILE)) as file:
            data = file.read()
    except NotFoundError:
        raise OSError(
            f"SavedModel file does not exist at: {directory}/{{saved_model.pbtxt|saved_model.pb}}"
        ) from None
    try:
        metas = Message(data).messages(2)
        if not metas:
            raise WireError("it has no graph")  # noqa: TRY301 (all damage is told of alike)
        nodes = metas[0].message(7).messages(1)
        objects = _objects(nodes)
        root = objects[0]
        _restore(root, directory)
        _attach_functions(objects, directory)
    except WireError as error:
        raise damaged(directory, error) from None
    return root


def _objects(nodes: list[Message]) -> list[Any]:
    """The objects of a graph, with their parts."""
    if not nodes:
        raise WireError("it has no objects")
    found = [_object(node) for node in nodes]
    if not isinstance(found[0], Trackable):
        raise WireError("its root is no object")
    for owner, node in zip(found, nodes, strict=True):
        parts = [(m.text(2), m.number(1)) for m in node.messages(1)]
        if any(not 0 <= n < len(found) for _, n in parts):
            raise WireError("an object has a part that is not there")
        _give(owner, {name: found[n] for name, n in parts})
    return found


def _give(owner: Any, parts: dict[str, Any]) -> None:
    """Gives an object its parts."""
    if isinstance(owner, ListWrapper):
        numbered = {int(name): part for name, part in parts.items() if name.isdecimal()}
        length = max(numbered, default=-1) + 1
        if length > _LONGEST:
            raise WireError(f"a list of {length} elements")
        owner.extend(numbered.get(place) for place in range(length))
    elif isinstance(owner, dict):
        for name, part in parts.items():
            owner[name] = _named(part, name)
    elif isinstance(owner, _UserObject):
        for name, part in parts.items():
            setattr(owner, name, _named(part, name))


def _named(part: Any, name: str) -> Any:
    if isinstance(part, UnavailableFunction):
        part.name = name
    return part


def _object(node: Message) -> Any:
    if _VARIABLE in node:
        return _variable(node.message(_VARIABLE))
    if _FUNCTION in node or _CONCRETE in node:
        return UnavailableFunction("function", _BY_TENSORFLOW)
    identifier = node.message(_USER).text(1) if _USER in node else ""
    if identifier in ("trackable_list_wrapper", "trackable_tuple_wrapper"):
        return ListWrapper()
    if identifier == "trackable_dict_wrapper":
        return DictWrapper()
    return SignatureMap() if identifier == "signature_map" else _UserObject()


def _variable(message: Message) -> Variable:
    """A variable of zeros, without a value of its own until it is restored."""
    shape = tuple(axis.number(1) for axis in message.message(2).messages(2))
    try:
        dtype = as_dtype(message.number(1))
        size = int(np.prod([max(n, 0) for n in shape], dtype=object)) * max(dtype.size, 1)
        if size > _MOST:
            raise WireError(f"a variable of {size} bytes")
        fixed = tuple(max(n, 0) for n in shape)
        fill: Any = b"" if dtype.name == "string" else 0
        value = np.full(fixed, fill, dtype.np_dtype) if dtype.is_numpy_compatible else None
        if value is None:
            raise WireError(f"a variable of the dtype {dtype.name}")
    except (TypeError, ValueError, MemoryError) as error:
        raise WireError(str(error)) from None
    unknown = any(n < 0 for n in shape)
    return Variable(
        value,
        trainable=bool(message.number(3)),
        name=message.text(6) or None,
        dtype=dtype,
        shape=[None if n < 0 else n for n in shape] if unknown else None,
    )


def _restore(root: Any, directory: Path) -> None:
    """Gives the variables their values."""
    prefix = directory / "variables" / "variables"
    if not Path(f"{prefix}.index").is_file():
        return
    reader = CheckpointReader(prefix)
    if reader.has_tensor(GRAPH_KEY):
        Restoration(reader, root).quiet = True


def _attach_functions(objects: list[Any], directory: Path) -> None:
    """Puts the functions that gradtape has saved in their places."""
    extra = directory / FUNCTIONS
    if not (extra / "functions.json").is_file():
        return
    with opened(str(extra / "functions.json")) as file:
        try:
            described = json.loads(file.read())
            programs = [
                _program(entry, objects, extra / f"{number}.stablehlo")
                for number, entry in enumerate(described["programs"])
            ]
            for entry in described["functions"]:
                concrete = [programs[n] for n in entry["programs"]]
                owner, name = objects[entry["node"]], str(entry["name"])
                setattr(owner, name, RestoredFunction(name, concrete))
            if isinstance(objects[0], _UserObject):
                chosen = {str(k): programs[n] for k, n in described["signatures"].items()}
                objects[0].signatures = SignatureMap(chosen)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise WireError(f"functions.json: {error!r}") from None


def _program(entry: Any, objects: list[Any], path: Path) -> RestoredConcrete:
    args, kwargs = decoded(entry["inputs"])
    written, read = ([objects[n] for n in entry[key]] for key in ("written", "read"))
    if not all(isinstance(v, Variable) for v in [*written, *read]):
        raise WireError("a function uses a variable that is none")
    if importlib.util.find_spec("jax") is None:
        raise no_jax(str(entry["name"]))
    from gradtape._saving.exported import Restored  # loads JAX

    with opened(str(path)) as file:
        run = Restored(file.read(), written, read, int(entry["keys"]))
    names = [str(name) for name in entry["names"]]
    outputs = decoded(entry["outputs"])
    return RestoredConcrete(names, (tuple(args), kwargs), outputs, run, [*written, *read])
