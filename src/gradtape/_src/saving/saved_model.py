"""`tf.saved_model`: objects with their variables and functions in a directory.

`saved_model.pb` and `variables/` are as TensorFlow has them, so that it finds the objects and
variables, too. Functions stand in `assets.extra/gradtape/`, as StableHLO.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gradtape._src.base import nest
from gradtape._src.base.errors import DataLossError
from gradtape._src.base.export import export, export_value
from gradtape._src.base.trackable import Trackable
from gradtape._src.core.tensor import Tensor
from gradtape._src.files.atomic_write import replacing
from gradtape._src.files.crc32c import crc32c
from gradtape._src.files.gfile import makedirs
from gradtape._src.files.paths import is_file, local
from gradtape._src.graph.concrete_function import ConcreteFunction
from gradtape._src.graph.function import Function
from gradtape._src.graph.ir.trace_errors import no_jax
from gradtape._src.messages import protos
from gradtape._src.ops.types.specs import TensorSpec
from gradtape._src.saving.bundle import shape_message, write_bundle
from gradtape._src.saving.object_graph import View, variable_of
from gradtape._src.saving.structures import encoded
from gradtape._version import tensorflow_version

SERVING = "serve"
DEFAULT_SERVING_SIGNATURE_DEF_KEY = "serving_default"
PREDICT_METHOD_NAME = "tensorflow/serving/predict"
SAVED_MODEL_SCHEMA_VERSION = 1
_PRODUCER = 1087  # the version of the format of graphs
SAVED_MODEL_FILENAME_PB = FILE = "saved_model.pb"
ASSETS_DIRECTORY = "assets"
VARIABLES_DIRECTORY = VARIABLES_FILENAME = "variables"
FUNCTIONS = Path("assets.extra") / "gradtape"
DESCRIPTION, CHECKSUMS = "functions.json", "checksums.json"  # among the functions


@export("saved_model.SaveOptions")
@dataclass
class SaveOptions:
    """The options for saving a model, accepted for compatibility.

    gradtape writes to local files, and keeps all names.
    """

    namespace_whitelist: Any = None
    save_debug_info: bool = False
    function_aliases: Any = None
    experimental_debug_stripper: bool = False
    experimental_io_device: str | None = None
    experimental_variable_policy: Any = None
    experimental_custom_gradients: bool = True
    experimental_image_format: bool = False
    experimental_skip_saver: bool = False
    experimental_sharding_callback: Any = None
    extra_tags: Any = None


@export("saved_model.contains_saved_model")
def contains_saved_model(export_dir: Any) -> bool:
    """Whether a directory holds a saved model.

    Args:
      export_dir: The directory.

    Returns:
      True if `tf.saved_model.load` finds a model there.
    """
    directory = Path(local(export_dir))
    return any(is_file(directory / name) for name in (FILE, "saved_model.pbtxt"))


@export("saved_model.save")
def save(obj: Any, export_dir: Any, signatures: Any = None, options: Any = None) -> None:
    """Saves an object, its variables and its functions, for `load`.

    Functions need XLA: the extra `gradtape[xla]`. Each is saved for its `input_signature`, and for
    what `get_concrete_function` was called with. TensorFlow can load the objects and variables.

    Args:
      obj: A module, a layer, a checkpoint or another object with parts.
      export_dir: The directory; it is made.
      signatures: A function with an input signature, or a concrete one, or a dictionary of them.
      options: Accepted for compatibility.

    Raises:
      ValueError: The object has no parts, or a signature is no such function.
      ImportError: There are functions to save, and JAX is not installed.
      AssertionError: A function uses a variable that is not a part of the object.
      InvalidArgumentError: XLA can't do what a function does.

    >>> import tempfile
    >>> module = tf.Module()
    >>> module.v = tf.Variable(2.0)
    >>> tf.saved_model.save(module, tempfile.mkdtemp())
    """
    if not isinstance(obj, Trackable):
        raise ValueError(
            "Expected an object of type `Trackable`, such as `tf.Module` or a subclass of the "
            f"`Trackable` class, for export. Got {obj} with type {type(obj)}."
        )
    view = View(obj, save_type="savedmodel", without=(Function, ConcreteFunction))
    chosen = _signatures(signatures)
    library = _Library(view)
    described: dict[str, Any] = {"functions": library.functions(), "signatures": {}}
    for name, concrete in chosen.items():
        described["signatures"][name] = library.added(concrete, signature=True)
    directory = Path(local(export_dir))
    makedirs(str(directory / ASSETS_DIRECTORY))
    write_bundle(str(directory / VARIABLES_DIRECTORY / VARIABLES_FILENAME), view.serialize())
    extra = directory / FUNCTIONS
    shutil.rmtree(extra, ignore_errors=True)
    makedirs(str(extra))
    described["programs"] = library.programs
    parts = {f"{number}.stablehlo": blob for number, blob in enumerate(library.blobs)}
    parts[DESCRIPTION] = json.dumps(described).encode()
    parts[CHECKSUMS] = json.dumps({name: crc32c(part) for name, part in parts.items()}).encode()
    for name, part in parts.items():
        with replacing(str(extra / name)) as file:
            file.write(part)
    with replacing(str(directory / FILE)) as file:
        file.write(_model(view, chosen))


def _signatures(given: Any) -> dict[str, ConcreteFunction]:
    """The concrete functions of the signatures by name."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        given = {DEFAULT_SERVING_SIGNATURE_DEF_KEY: given}
    found = {}
    for name, function in given.items():
        concrete = function
        if isinstance(function, Function) and function.input_signature is not None:
            concrete = function.get_concrete_function()
        if not isinstance(concrete, ConcreteFunction):
            raise ValueError(
                "Expected a TensorFlow function for which to generate a signature, but got "
                f"{function}. Only `tf.functions` with an input signature or concrete functions "
                "can be used as a signature."
            )
        found[str(name)] = concrete
    return found


def functions_of(part: Any) -> Iterator[tuple[str, Function]]:
    """The functions that are attributes of an object, or methods of its class."""
    names = dict.fromkeys([*vars(part), *(n for kind in type(part).__mro__ for n in vars(kind))])
    for name in names:
        found = vars(part).get(name)
        if found is None:
            found = next((vars(k)[name] for k in type(part).__mro__ if name in vars(k)), None)
        if isinstance(found, Function):
            yield name, getattr(part, name)


class _Library:
    """The programs of the functions that are saved."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.blobs: list[bytes] = []
        self.programs: list[dict[str, Any]] = []
        self._places = {
            id(variable): number
            for number, part in enumerate(view)
            if (variable := variable_of(part)) is not None
        }

    def functions(self) -> list[dict[str, Any]]:
        """Adds the functions of all objects; describes them."""
        found = []
        for number, part in enumerate(self.view):
            if not hasattr(part, "__dict__"):
                continue
            for name, function in functions_of(part):
                programs = [self.added(c) for c in function._saved_concrete_functions()]
                found.append({"node": number, "name": name, "programs": programs})
        return found

    def added(self, concrete: ConcreteFunction, signature: bool = False) -> int:
        """Adds a program; answers with its number."""
        if importlib.util.find_spec("jax") is None:
            raise no_jax(concrete._function.name)
        from gradtape._src.saving.exported import export_function  # loads JAX

        args, kwargs = concrete.structured_input_signature
        inputs: Any = ((), _by_name(concrete)) if signature else (args, kwargs)
        specs = [x for x in nest.flatten([list(args), kwargs]) if isinstance(x, TensorSpec)]
        order = list(range(len(specs)))
        if signature:  # its arguments come in the order of their names
            order.sort(key=list(inputs[1]).__getitem__)

        def run(tensors: list[Tensor]) -> Any:
            placed = dict(zip(order, tensors, strict=True))
            given = iter([placed[place] for place in range(len(placed))])
            positional, named = nest.map_structure(
                lambda x: next(given) if isinstance(x, TensorSpec) else x, (args, kwargs)
            )
            out = concrete._call(*positional, **named)
            return _named_outputs(out) if signature else out

        made = export_function(run, [specs[place] for place in order])
        outputs = _specs_of(made, concrete, signature)
        for variable in [*made.written, *made.read]:
            if id(variable) not in self._places:
                raise AssertionError(
                    "Tried to export a function which references an 'untracked' resource. "
                    f"TensorFlow objects (e.g. tf.Variable) captured by functions must be "
                    "'tracked' by assigning them to an attribute of a tracked object or assigned "
                    f"to an attribute of the main object directly: {variable.name}"
                )
        self.blobs.append(made.blob)
        self.programs.append({
            "name": concrete._function.name,
            "names": [] if signature else list(concrete._bound.arguments),
            "inputs": encoded([list(inputs[0]), inputs[1]]),
            "outputs": encoded(outputs),
            "written": [self._places[id(v)] for v in made.written],
            "read": [self._places[id(v)] for v in made.read],
            "keys": made.keys,
        })  # fmt: skip
        return len(self.programs) - 1


def _by_name(concrete: ConcreteFunction) -> dict[str, TensorSpec]:
    """The tensors that a signature takes, by name."""
    args, kwargs = concrete.structured_input_signature
    specs = [x for x in nest.flatten([list(args), kwargs]) if isinstance(x, TensorSpec)]
    return {spec.name or f"args_{i}": spec for i, spec in enumerate(specs)}


def _named_outputs(out: Any) -> dict[str, Any]:
    """Returns the results of a signature: tensors by name."""
    if isinstance(out, Mapping):
        return dict(out)
    return {f"output_{i}": x for i, x in enumerate(nest.flatten(out))}


def _specs_of(made: Any, concrete: ConcreteFunction, signature: bool) -> Any:
    """The structure of a result, with specs in the places of tensors."""
    shown = concrete.output_specs
    flat = nest.flatten(_named_outputs(shown) if signature else shown)
    result = made.result([flat[place] for place in made.places])
    return {name: _called(name, x) for name, x in result.items()} if signature else result


def _called(name: str, spec: Any) -> object:
    """A spec under the name that a signature gives it."""
    return TensorSpec(spec.shape, spec.dtype, name) if isinstance(spec, TensorSpec) else spec


def _model(view: View, signatures: Mapping[str, ConcreteFunction]) -> bytes:
    """`saved_model.pb`: the objects, for TensorFlow and for `load`."""
    model = protos.SavedModel(saved_model_schema_version=SAVED_MODEL_SCHEMA_VERSION)
    meta = model.meta_graphs.add()
    meta.meta_info_def.tags.append(SERVING)
    meta.meta_info_def.tensorflow_version = tensorflow_version
    meta.graph_def.versions.producer = _PRODUCER
    for part, children in zip(view, view.children, strict=True):
        meta.object_graph_def.nodes.append(_node(part, children))
    return model.SerializeToString()


def _node(part: Any, children: list[tuple[str, int]]) -> protos.SavedObject:
    """A saved object."""
    out = protos.SavedObject()
    for name, number in children:
        out.children.add(node_id=number, local_name=name)
    variable = variable_of(part)
    if variable is not None:
        out.variable.dtype = variable.dtype.as_datatype_enum
        out.variable.shape.CopyFrom(shape_message(variable.shape.as_list()))
        out.variable.trainable = variable.trainable
        out.variable.name = variable._shared_name
        return out
    kind = next((kind.__name__ for kind in (list, dict, tuple) if isinstance(part, kind)), "")
    out.user_object.identifier = f"trackable_{kind}_wrapper" if kind else "_generic_user_object"
    out.user_object.version.producer = out.user_object.version.min_consumer = 1
    return out


def damaged(directory: Path, why: object) -> DataLossError:
    """The error for a model whose files can't be read."""
    return DataLossError(None, None, f"The saved model at {directory} is damaged: {why}")


export_value(ASSETS_DIRECTORY, "saved_model.ASSETS_DIRECTORY")
export_value(DEFAULT_SERVING_SIGNATURE_DEF_KEY, "saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY")
export_value(PREDICT_METHOD_NAME, "saved_model.PREDICT_METHOD_NAME")
export_value(SAVED_MODEL_FILENAME_PB, "saved_model.SAVED_MODEL_FILENAME_PB")
export_value(SAVED_MODEL_SCHEMA_VERSION, "saved_model.SAVED_MODEL_SCHEMA_VERSION")
export_value(SERVING, "saved_model.SERVING")
export_value(VARIABLES_DIRECTORY, "saved_model.VARIABLES_DIRECTORY")
export_value(VARIABLES_FILENAME, "saved_model.VARIABLES_FILENAME")
