"""gradtape under the name `tensorflow`."""

import importlib
import os
import sys
from collections.abc import Iterable, Sequence
from functools import reduce
from importlib import metadata
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

from gradtape._src.base.export import export
from gradtape._src.compat.names import explain

ALIAS = "tensorflow"
# Libraries know TensorFlow's values by the module that their class names.
HOMES = {
    "Tensor": f"{ALIAS}.python.framework.ops",
    "Variable": f"{ALIAS}.python.ops.resource_variable_ops",
}
PACKAGE = __name__.partition(".")[0]

# Modules of TensorFlow's insides that libraries import names from, and where gradtape has them.
INSIDES = {
    "compiler.tf2xla.python.xla": "_src.compat.xla_ops",
    "python.eager.backprop": "_src.compat.python.backprop",
    "python.eager.context": "_src.compat.contexts",
    "python.framework.composite_tensor": "_src.compat.python.framework",
    "python.framework.config": "_src.compat.config",
    "python.framework.ops": "_src.compat.framework_ops",
    "python.framework.tensor_shape": "_src.compat.python.framework",
    "python.framework.tensor_spec": "_src.compat.python.specs",
    "python.framework.tensor_util": "_src.compat.python.framework",
    "python.framework.type_spec": "_src.compat.python.specs",
    "python.framework.type_spec_registry": "_src.compat.python.spec_names",
    "python.ops.array_ops": "_src.compat.python.array_ops",
    "python.ops.control_flow_case": "_src.compat.python.control_flow",
    "python.ops.control_flow_util": "_src.compat.python.control_flow",
    "python.ops.linalg.sparse.sparse_csr_matrix_ops": "_src.ops.sparse.csr",
    "python.ops.math_ops": "math",
    "python.ops.numpy_ops.np_config": "_src.numpy.behavior",
    "python.ops.parallel_for.control_flow_ops": "_src.compat.python.control_flow",
    "python.ops.random_ops": "_src.compat.python.random_ops",
    "python.ops.resource_variable_ops": "_src.compat.framework_ops",
    "python.trackable.data_structures": "_src.compat.tracking",
    "python.util.deprecation": "_src.compat.python.deprecation",
    "python.util.nest": "_src.compat.python.nest",
    "python.util.object_identity": "_src.compat.python.framework",
    "python.util.tf_inspect": "_src.compat.python.tf_inspect",
    "python.util.variable_utils": "_src.compat.python.framework",
}
# Modules of Keras that `keras.backend` adapts as they load.
ADAPTED = {
    "keras.src.backend.common.dtypes",
    "keras.src.backend.common.keras_tensor",
    "keras.src.backend.common.tensor_attributes",
    "keras.src.backend.common.variables",
    "keras.src.backend.tensorflow.core",
    "keras.src.backend.tensorflow.nn",
    "keras.src.backend.tensorflow.numpy",
    "keras.src.backend.tensorflow.rnn",
    "keras.src.backend.tensorflow.trainer",
    "keras.src.layers.layer",
    "keras.src.layers.rnn.lstm",
    "keras.src.optimizers.adam",
    "keras.src.optimizers.sgd",
    "keras.src.trainers.data_adapters",
    "keras.src.trainers.data_adapters.data_adapter_utils",
    "keras.src.tree.optree_impl",
    "keras.src.utils.dataset_utils",
    "keras.src.utils.tf_utils",
}
# Packages that `compat.probability` loads piece by piece, and modules that it adapts.
LAZY = "tensorflow_probability.python"
LAZY_TOO = {
    f"{LAZY}.distributions.kullback_leibler",
    f"{LAZY}.internal.backend.numpy._utils",
    f"{LAZY}.internal.lazy_loader",
    f"{LAZY}.internal.tf_keras",
}


def resolve(path: str) -> object:
    """What a program means by `tf.<path>`.

    Args:
        path: A dotted name below `tf`, such as `"keras.layers"`; `""` is `tf` itself.

    Returns:
        The submodule of gradtape with that name or else the attribute.

    Raises:
        AttributeError: gradtape has neither.
        ImportError: An extra that the name needs is not installed.
    """
    if not path:
        return sys.modules[PACKAGE]
    if path in INSIDES:
        return importlib.import_module(f"{PACKAGE}.{INSIDES[path]}")
    name = f"{PACKAGE}.{path}"
    try:
        return reduce(getattr, path.split("."), sys.modules[PACKAGE])
    except AttributeError:
        if path.startswith("keras."):  # Keras has it or not; importing it would ask here again
            raise AttributeError(explain(path), name=path) from None
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{name}.".startswith(f"{error.name}."):
                raise  # the module is there, and something that it needs is not
            raise AttributeError(explain(path), name=path) from None


class _AdaptingLoader(Loader):
    """Loads a module of Keras as its own loader does, and adapts it."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        adaptations = importlib.import_module(f"{PACKAGE}._src.keras.backend").ADAPTATIONS
        adaptations[module.__name__](module)

    def __getattr__(self, name: str) -> object:
        return getattr(self._loader, name)


def _lazy(spec: ModuleSpec | None) -> ModuleSpec | None:
    """The same with a loader that puts off what a package imports."""
    if spec is None or spec.loader is None:
        return spec
    if spec.submodule_search_locations is None and spec.name not in LAZY_TOO:
        return spec
    loading = importlib.import_module(f"{PACKAGE}._src.compat.probability")
    spec.loader = loading.LazyPackageLoader(spec.loader)
    return spec


class _KerasFinder(MetaPathFinder):
    """Finds the modules of Keras and others that do something otherwise on gradtape."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.startswith(LAZY):
            return _lazy(PathFinder.find_spec(fullname, path, target))
        if fullname not in ADAPTED:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _AdaptingLoader(spec.loader)
        return spec


class _Distribution(metadata.Distribution):
    """What `importlib.metadata` finds of the package `tensorflow`: its name and version."""

    def read_text(self, filename: str) -> str | None:
        if filename != "METADATA":
            return None
        version = sys.modules[PACKAGE].__version__
        return f"Metadata-Version: 2.1\nName: {ALIAS}\nVersion: {version}\n"

    def locate_file(self, path: str | os.PathLike[str]) -> Path:
        return Path(sys.modules[PACKAGE].__file__ or "").parent / path


class _AliasFinder(metadata.DistributionFinder, Loader):
    """Answers `import tensorflow.x.y` with the module that gradtape has at `x.y`."""

    def find_distributions(
        self, context: metadata.DistributionFinder.Context | None = None
    ) -> Iterable[metadata.Distribution]:
        wanted = context is not None and context.name in (ALIAS, f"{ALIAS}-cpu")
        return [_Distribution()] if wanted else []

    def find_spec(
        self, fullname: str, _path: Sequence[str] | None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith((f"{ALIAS}.", f"{PACKAGE}.keras.")):
            return None
        return ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        path = spec.name.partition(".")[2]
        if any(inside.startswith(f"{path}.") for inside in INSIDES):
            return None  # an empty package on the way to what is inside
        try:
            module = resolve(path)
        except AttributeError:
            raise ModuleNotFoundError(
                f"No module named '{spec.name}': {explain(path)}", name=spec.name
            ) from None
        if not isinstance(module, ModuleType):
            raise ModuleNotFoundError(
                f"No module named '{spec.name}': 'tf.{path}' is not a module", name=spec.name
            )
        # The import system puts its spec on what it gets here; exec_module puts this one back.
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__ is not None and module.__spec__.loader_state is not None:
            module.__spec__ = module.__spec__.loader_state


@export("install")
def install() -> ModuleType:
    """Makes `import tensorflow` give gradtape, everywhere in this process.

    Programs and libraries that say `import tensorflow as tf`, `from tensorflow.keras import
    layers` or `import tensorflow.keras.backend as K` then run on gradtape unchanged. Calling it
    again changes nothing.

    Returns:
        The module `gradtape`.

    Raises:
        ImportError: The real TensorFlow has been imported already.

    Example:
        >>> import gradtape
        >>> gradtape.install() is gradtape
        True
        >>> import tensorflow as tf
        >>> tf is gradtape
        True
    """
    package = sys.modules[PACKAGE]
    present = sys.modules.get(ALIAS)
    if present is package and any(isinstance(finder, _AliasFinder) for finder in sys.meta_path):
        return package
    if present not in (None, package):
        raise ImportError(
            "the real tensorflow is imported already, and a process has room for one: "
            "call gradtape.install() before the first `import tensorflow`",
            name=ALIAS,
        )
    sys.meta_path[:0] = [_AliasFinder(), _KerasFinder()]
    sys.modules[ALIAS] = package
    for name, home in HOMES.items():
        getattr(package, name).__module__ = home
    os.environ.setdefault("KERAS_BACKEND", ALIAS)
    return package
