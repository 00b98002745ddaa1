"""gradtape under the name `tensorflow`."""

import builtins
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
from typing import Any, cast

from gradtape._src.base.export import export
from gradtape._src.compat.module_names import (
    KERAS_MANIFEST,
    KERAS_TWO,
    PROBABILITY_LOADER,
)
from gradtape._src.compat.names import explain
from gradtape._src.compat.private_modules import private_module

ALIAS = "tensorflow"
# Libraries recognize TensorFlow's values by the module that their classes name.
HOMES = {
    "Tensor": f"{ALIAS}.python.framework.ops",
    "Variable": f"{ALIAS}.python.ops.resource_variable_ops",
}
PACKAGE = __name__.partition(".")[0]
KERAS = "keras"
CHECKPOINTS = f"{KERAS}.src.callbacks.orbax_checkpoint"
TF_KERAS = "tf_keras"
PROBABILITY = "tensorflow_probability.python"


def resolve(path: str) -> object:
    """Returns the object that a program calls `tf.<path>`.

    Args:
        path: A dotted name below `tf`, such as `"keras.layers"`; `""` is `tf` itself.

    Returns:
        The submodule of gradtape with that name, or else the attribute.

    Raises:
        AttributeError: gradtape has no such submodule or attribute.
        ImportError: The name needs an extra that is not installed.
    """
    if not path:
        return sys.modules[PACKAGE]
    if (private := private_module(path)) is not None:
        return private
    space, _, inside = path.rpartition(".")
    if (private := private_module(space)) is not None:
        return getattr(private, inside)
    name = f"{PACKAGE}.{path}"
    try:
        return reduce(getattr, path.split("."), sys.modules[PACKAGE])
    except AttributeError:
        if path.startswith("keras."):  # an import here would call this function again
            raise AttributeError(explain(path), name=path) from None
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{name}.".startswith(f"{error.name}."):
                raise  # the module exists, but one of its dependencies is missing
            raise AttributeError(explain(path), name=path) from None


class _AdaptingLoader(Loader):
    """Loads a module of Keras with its own loader, and then replaces the manifest's targets."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        if module.__name__ != KERAS:
            _keras_bridge().adapt(module)
        elif module.config.backend() == ALIAS:
            _keras_bridge().report(sys.modules)

    def __getattr__(self, name: str) -> object:
        return getattr(self._loader, name)


class _LoaderWithoutJax(Loader):
    """Loads Keras' module that imports JAX only to complete old versions of it, if it is there.

    JAX would take a fifth of the time in which Keras is imported.
    """

    def __init__(self, loader: Loader) -> None:
        self._loader, self._loading = loader, True

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        # Imports of this module alone pass here; other threads may import JAX at the same time.
        module.__builtins__ = {**vars(builtins), "__import__": self._import}  # type: ignore[attr-defined]
        try:
            self._loader.exec_module(module)
        finally:
            self._loading = False

    def _import(self, name: str, *args: Any, **options: Any) -> ModuleType:
        if name == "jax" and self._loading:
            raise ModuleNotFoundError("JAX is imported later", name=name)
        return __import__(name, *args, **options)

    def __getattr__(self, name: str) -> object:
        return getattr(self._loader, name)


def _keras_bridge() -> Any:
    return importlib.import_module(KERAS_MANIFEST).BRIDGE


class _KerasFinder(MetaPathFinder):
    """Finds Keras, and its modules in which functions are replaced."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        inside = fullname.startswith(f"{KERAS}.src.") and fullname in _keras_bridge().modules
        later = fullname == CHECKPOINTS and not _keras_bridge().switched_off()
        later = later and "jax" not in sys.modules
        if fullname != KERAS and not inside and not later:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = (_LoaderWithoutJax if later else _AdaptingLoader)(spec.loader)
        return spec


class _KerasTwoFinder(MetaPathFinder, Loader):
    """Makes `import tf_keras`, the package of Keras 2, return Keras 3."""

    def find_spec(
        self, fullname: str, _path: Sequence[str] | None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != TF_KERAS and not fullname.startswith(f"{TF_KERAS}."):
            return None
        return ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = importlib.import_module(KERAS_TWO).module(spec.name.partition(".")[2])
        spec.loader_state = module.__spec__
        return cast("ModuleType", module)

    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__ is not None and module.__spec__.loader_state is not None:
            module.__spec__ = module.__spec__.loader_state


class _ProbabilityFinder(MetaPathFinder):
    """Finds the modules of TensorFlow Probability, which are loaded on first use."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith(PROBABILITY):
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        return cast("ModuleSpec | None", importlib.import_module(PROBABILITY_LOADER).adapted(spec))


class _Distribution(metadata.Distribution):
    """The package `tensorflow` as `importlib.metadata` finds it: its name and version."""

    def read_text(self, filename: str) -> str | None:
        if filename != "METADATA":
            return None
        version = sys.modules[PACKAGE].__version__
        return f"Metadata-Version: 2.1\nName: {ALIAS}\nVersion: {version}\n"

    def locate_file(self, path: str | os.PathLike[str]) -> Path:
        return Path(sys.modules[PACKAGE].__file__ or "").parent / path


class _AliasFinder(metadata.DistributionFinder, Loader):
    """Makes `import tensorflow.x.y` return gradtape's module `x.y`."""

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
        # The import system sets its own spec on the module; exec_module restores this one.
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__ is not None and module.__spec__.loader_state is not None:
            module.__spec__ = module.__spec__.loader_state


@export("install")
def install() -> ModuleType:
    """Makes `import tensorflow` return gradtape, everywhere in this process.

    Programs and libraries with `import tensorflow as tf`, `from tensorflow.keras import
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
            "the real tensorflow is imported already, and a process can have only one: call "
            "gradtape.install() before the first `import tensorflow`",
            name=ALIAS,
        )
    sys.meta_path[:0] = [_AliasFinder(), _KerasFinder(), _KerasTwoFinder(), _ProbabilityFinder()]
    sys.modules[ALIAS] = package
    for name, home in HOMES.items():
        getattr(package, name).__module__ = home
    os.environ.setdefault("KERAS_BACKEND", ALIAS)
    return package
