"""`tf.saved_model`: objects with their variables and functions in a directory.

`saved_model.pb` and `variables/` have TensorFlow's format, so that TensorFlow can run the
functions. Models of older versions of gradtape have their functions in `assets.extra/gradtape/`, as
StableHLO.
"""

from __future__ import annotations

import enum
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gradtape._src.base import nest
from gradtape._src.base.errors import DataLossError
from gradtape._src.base.export import export, export_value
from gradtape._src.base.trackable import Trackable
from gradtape._src.core.tracebacks import shorten
from gradtape._src.files.atomic_write import replacing
from gradtape._src.files.gfile import makedirs
from gradtape._src.files.paths import is_file, local
from gradtape._src.graph.concrete_function import ConcreteFunction
from gradtape._src.graph.function import Function
from gradtape._src.messages import protos
from gradtape._src.ops.types.specs import TypeSpec
from gradtape._src.saving import fingerprints
from gradtape._src.saving.bundle import write_bundle
from gradtape._src.saving.export.meta_graph import MetaGraph
from gradtape._src.saving.export.objects import KEPT, Objects, copied, functions_of
from gradtape._src.saving.export.retraced import Retraced
from gradtape._src.saving.functions.restored import RestoredConcrete, RestoredFunction
from gradtape._src.saving.object_graph import View
from gradtape._version import tensorflow_version

SERVING = "serve"
DEFAULT_SERVING_SIGNATURE_DEF_KEY = "serving_default"
PREDICT_METHOD_NAME = "tensorflow/serving/predict"
SAVED_MODEL_SCHEMA_VERSION = 1
_PRODUCER = 1087  # the version of the graph format
SAVED_MODEL_FILENAME_PB = FILE = "saved_model.pb"
ASSETS_DIRECTORY = "assets"
VARIABLES_DIRECTORY = VARIABLES_FILENAME = "variables"
FUNCTIONS = Path("assets.extra") / "gradtape"
# names that are never functions to save
DESCRIPTION, CHECKSUMS = "functions.json", "checksums.json"


@export("saved_model.experimental.VariablePolicy")
class VariablePolicy(enum.Enum):
    """A way to save the variables of a distributed model; here, always as one value each.

    The members are NONE, SAVE_VARIABLE_DEVICES and EXPAND_DISTRIBUTED_VARIABLES.
    """

    NONE = None
    SAVE_VARIABLE_DEVICES = "save_variable_devices"
    EXPAND_DISTRIBUTED_VARIABLES = "expand_distributed_variables"

    @classmethod
    def _missing_(cls, value: object) -> VariablePolicy | None:
        if isinstance(value, str):
            return next((policy for policy in cls if policy.value == value.lower()), None)
        return None

    @staticmethod
    def from_obj(obj: Any) -> VariablePolicy:
        """Returns the policy that an object stands for.

        Args:
          obj: A policy, its value, or None.

        Returns:
          A policy.

        Raises:
          ValueError: There is no such policy.
        """
        try:
            return VariablePolicy(obj)
        except ValueError:
            raise ValueError(f"Received invalid VariablePolicy value: {obj}.") from None


class WithPolicy:
    """Options with a policy for variables, which may be given as a string."""

    experimental_variable_policy: Any

    def __post_init__(self) -> None:
        try:
            policy = VariablePolicy.from_obj(self.experimental_variable_policy)
        except ValueError as error:
            shorten(error)
            raise
        self.experimental_variable_policy = policy


@export("saved_model.SaveOptions")
@dataclass
class SaveOptions(WithPolicy):
    """The options for saving a model.

    Attributes:
      function_aliases: Alias names of functions, which are listed in `meta_info_def` for other
        programs.
      experimental_custom_gradients: Whether custom gradients are saved. Otherwise, a loaded
        function has the gradients of its operations.
      extra_tags: Tags of the graph in addition to "serve".
      namespace_whitelist, save_debug_info, experimental_debug_stripper, experimental_io_device,
        experimental_variable_policy, experimental_image_format, experimental_skip_saver,
        experimental_sharding_callback: Accepted for compatibility. gradtape writes to local files,
        and keeps all names.
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
    """Returns whether a directory holds a saved model.

    Args:
      export_dir: The directory.

    Returns:
      True if `tf.saved_model.load` finds a model there.
    """
    directory = Path(local(export_dir))
    return any(is_file(directory / name) for name in (FILE, "saved_model.pbtxt"))


@export("saved_model.save")
def save(obj: Any, export_dir: Any, signatures: Any = None, options: Any = None) -> None:
    """Saves an object, its variables and its functions, for `load` and for TensorFlow.

    Each trace of a function is saved as a graph of TensorFlow's operations: the trace of its
    `input_signature`, or one for each kind of call that was made.

    Args:
      obj: A module, a layer, a checkpoint or another object with parts.
      export_dir: The directory, which is created.
      signatures: A function with an input signature, or a concrete one, or a dictionary of them.
        Defaults to the only attribute of the object that is a function with an input signature, or
        to the call of a Keras model.
      options: `SaveOptions`.

    Raises:
      ValueError: The object is not trackable, or a signature is not such a function.
      AssertionError: A function uses a variable that is not a part of the object.
      UnimplementedError: A function has no graph, or has an operation without a counterpart in
        TensorFlow.
      TypeError: An argument or result of a function can't be saved.

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
    retraced = Retraced()
    chosen = _signatures(
        _default_signature(obj, retraced) if signatures is None else signatures, retraced
    )
    view = View(obj, save_type="savedmodel", without=(Function, ConcreteFunction, *KEPT))
    message, files = _model(view, chosen, retraced, options or SaveOptions())
    directory = Path(local(export_dir))
    makedirs(str(directory / ASSETS_DIRECTORY))
    for path, name in files.items():
        copied(path, directory / ASSETS_DIRECTORY / name)
    write_bundle(str(directory / VARIABLES_DIRECTORY / VARIABLES_FILENAME), view.serialize())
    shutil.rmtree(directory / FUNCTIONS, ignore_errors=True)
    model = message.SerializeToString()
    index = (directory / VARIABLES_DIRECTORY / f"{VARIABLES_FILENAME}.index").read_bytes()
    with replacing(str(directory / fingerprints.FILE)) as file:
        file.write(fingerprints.fingerprint_of(model, message.meta_graphs[0], index))
    with replacing(str(directory / FILE)) as file:
        file.write(model)


def _model(
    view: View,
    signatures: Mapping[str, ConcreteFunction | RestoredConcrete],
    retraced: Retraced,
    options: SaveOptions,
) -> tuple[protos.SavedModel, dict[str, str]]:
    """Returns the message of `saved_model.pb`, and the model's asset files."""
    model = protos.SavedModel(saved_model_schema_version=SAVED_MODEL_SCHEMA_VERSION)
    meta = model.meta_graphs.add()
    meta.meta_info_def.tags.append(SERVING)
    meta.meta_info_def.tags.extend(options.extra_tags or ())
    meta.meta_info_def.tensorflow_version = tensorflow_version
    graph = MetaGraph(meta)
    keeps = options.experimental_custom_gradients
    objects = Objects(view, graph, meta.object_graph_def, retraced, keeps)
    objects.add_resources()
    objects.add_functions()
    objects.add_signatures(signatures)
    objects.add_gradients()
    graph.saver(view.variables(), view.tables())
    for alias, function in (options.function_aliases or {}).items():
        for name in objects.names_of(function):
            meta.meta_info_def.function_aliases[name] = alias
    graph.finish(objects.functions.library.functions, objects.gradients)
    return model, objects.files


def _default_signature(obj: Any, retraced: Retraced) -> Any:
    """Returns the default signature of a model, or None."""
    try:
        own = getattr(obj, "_default_save_signature", None)
    except Exception:  # noqa: BLE001 (of Keras, for models that take several arguments)
        own = None
    if isinstance(own, (Function, ConcreteFunction)):
        return own
    found = [
        retraced.of(f)
        for _, f in functions_of(obj)
        if isinstance(f, ConcreteFunction)
        or (isinstance(f, Function) and f.input_signature is not None)
    ]
    return found[0] if len(found) == 1 and _can_serve(found[0]) else None


def _can_serve(function: Function | ConcreteFunction) -> bool:
    """Whether the results of a function are a flat structure of tensors, as a signature needs."""
    if isinstance(function, ConcreteFunction):
        concrete = function
    else:
        concrete = function.get_concrete_function()
    if concrete.traced() is None:  # Saving the function raises an error with the reason.
        return True
    results = concrete.output_specs
    parts = nest.children_of(results) if nest.is_nested(results) else [results]
    return all(isinstance(part, TypeSpec) for part in parts)


def _signatures(given: Any, retraced: Retraced) -> dict[str, ConcreteFunction | RestoredConcrete]:
    """Returns the concrete functions of the signatures by name."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        given = {DEFAULT_SERVING_SIGNATURE_DEF_KEY: given}
    found = {}
    for name, function in given.items():
        concrete = function
        if isinstance(function, Function) and function.input_signature is not None:
            concrete = retraced.of(function).get_concrete_function()
        if isinstance(concrete, RestoredFunction) and len(concrete.concrete_functions) == 1:
            concrete = concrete.concrete_functions[0]
        if isinstance(concrete, RestoredConcrete) and concrete.kept is None:
            concrete = concrete.as_function().get_concrete_function()
        if not isinstance(concrete, (ConcreteFunction, RestoredConcrete)):
            raise ValueError(
                "Expected a TensorFlow function for which to generate a signature, but got "
                f"{function}. Only `tf.functions` with an input signature or concrete functions "
                "can be used as a signature."
            )
        found[str(name)] = concrete
    return found


def damaged(directory: Path, why: object) -> DataLossError:
    """Returns the error for a model whose files can't be read."""
    return DataLossError(None, None, f"The saved model at {directory} is damaged: {why}")


export_value(
    ASSETS_DIRECTORY,
    "saved_model.ASSETS_DIRECTORY",
    "compat.v1.saved_model.constants.ASSETS_DIRECTORY",
)
export_value(
    DEFAULT_SERVING_SIGNATURE_DEF_KEY,
    "saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY",
    "compat.v1.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY",
)
export_value(
    PREDICT_METHOD_NAME,
    "saved_model.PREDICT_METHOD_NAME",
    "compat.v1.saved_model.signature_constants.PREDICT_METHOD_NAME",
)
export_value(
    SAVED_MODEL_FILENAME_PB,
    "saved_model.SAVED_MODEL_FILENAME_PB",
    "compat.v1.saved_model.constants.SAVED_MODEL_FILENAME_PB",
)
export_value(
    SAVED_MODEL_SCHEMA_VERSION,
    "saved_model.SAVED_MODEL_SCHEMA_VERSION",
    "compat.v1.saved_model.constants.SAVED_MODEL_SCHEMA_VERSION",
)
export_value(SERVING, "saved_model.SERVING", "compat.v1.saved_model.tag_constants.SERVING")
export_value(
    VARIABLES_DIRECTORY,
    "saved_model.VARIABLES_DIRECTORY",
    "compat.v1.saved_model.constants.VARIABLES_DIRECTORY",
)
export_value(
    VARIABLES_FILENAME,
    "saved_model.VARIABLES_FILENAME",
    "compat.v1.saved_model.constants.VARIABLES_FILENAME",
)
