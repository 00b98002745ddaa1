"""Loads TensorFlow Probability on gradtape, each of its modules on first use.

Its packages import hundreds of modules at once, but a program uses few of them, and some need
TensorFlow's graphs. With this loader, a package imports a module when one of the module's names is
first used. So `tfp.optimizer` works although `tfp.layers` cannot, and the package loads much
faster. Its layers use Keras 3, like `tf.keras`.
"""

from __future__ import annotations

import ast
import importlib
from importlib.abc import Loader
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

from gradtape._src.compat.probability_manifest import BRIDGE, KERAS_CHOOSER, KERAS_TWO, ROOT


def adapted(spec: ModuleSpec | None) -> ModuleSpec | None:
    """Returns a spec of TensorFlow Probability with the loader of this module."""
    if spec is None or spec.loader is None:
        return spec
    targets = {*BRIDGE.modules, KERAS_CHOOSER}
    if spec.submodule_search_locations is not None or spec.name in targets:
        spec.loader = LazyPackageLoader(spec.loader)
    return spec


class LazyPackageLoader(Loader):
    """Loads a package, and delays the imports of its own modules until their names are used."""

    def __init__(self, loader: Any) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        name = module.__name__
        if name in BRIDGE.modules:
            self._loader.exec_module(module)
            BRIDGE.adapt(module)
            BRIDGE.report()  # its modules are loaded one by one, or never
            return
        source = None if BRIDGE.switched_off() else self._loader.get_source(name)
        if source is None:
            self._loader.exec_module(module)
        elif name == KERAS_CHOOSER and KERAS_TWO in source:
            _show_keras_three(module)
        else:
            tree = ast.parse(source, module.__file__ or name)
            later = _put_off(tree)
            exec(compile(tree, module.__file__ or name, "exec"), module.__dict__)  # noqa: S102
            _answer(module, later)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)


def _put_off(tree: ast.Module) -> dict[str, tuple[str, str]]:
    """Removes imports from a module if the module's own statements don't use their names."""
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    later: dict[str, tuple[str, str]] = {}
    kept: list[ast.stmt] = []
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom) and (statement.module or "").startswith(ROOT):
            names = {alias.asname or alias.name: alias.name for alias in statement.names}
            if "*" not in names and not used & names.keys():
                later.update((new, (statement.module or "", old)) for new, old in names.items())
                continue
        kept.append(statement)
    tree.body = kept
    return later


def _answer(module: ModuleType, later: dict[str, tuple[str, str]]) -> None:
    """Makes a module import each name in `later` on first use."""

    def __getattr__(name: str) -> Any:  # noqa: N807 (Python's own hook)
        if name not in later and (name.startswith("__") or not _contains(module, name)):
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}", name=name)
        where, what = later.get(name, (module.__name__, name))
        value = _imported(where, what)
        setattr(module, name, value)
        return value

    own = [name for name in vars(module) if not name.startswith("_")]
    if "__all__" not in vars(module):
        setattr(module, "__all__", [*own, *later])  # noqa: B010 (checkers know no such attribute)
    # Python makes a module that is loaded an attribute of its package, even if the package gives
    # a function the same name.
    twins = {
        n for n, (where, what) in later.items() if where == f"{module.__name__}.{n}" and what == n
    }
    if twins:
        module.__class__ = _package_class(frozenset(twins))
    hooks: dict[str, Any] = {"__getattr__": __getattr__, "__dir__": lambda: [*vars(module), *later]}
    vars(module).update(hooks)


def _package_class(names: frozenset[str]) -> type[ModuleType]:
    """Returns a class of packages that ignore their modules with these names as attributes."""

    class Package(ModuleType):
        def __setattr__(self, name: str, value: object) -> None:
            if name not in names or not isinstance(value, ModuleType):
                super().__setattr__(name, value)

    return Package


def _contains(package: ModuleType, name: str) -> bool:
    """Returns whether a package has a module of a name.

    The removed imports would have loaded the module and made it an attribute of the package.
    """
    return PathFinder.find_spec(f"{package.__name__}.{name}", package.__path__) is not None


def _imported(where: str, what: str) -> Any:
    """Imports a name from a module, and returns its value."""
    package = importlib.import_module(where)
    if what in vars(package):
        return vars(package)[what]
    try:
        return importlib.import_module(f"{where}.{what}")
    except ModuleNotFoundError as error:
        if error.name not in (where, f"{where}.{what}"):
            raise
        return getattr(package, what)


def _show_keras_three(module: ModuleType) -> None:
    """Sets the names of Keras 3 in the module that selects a version of Keras."""
    keras = importlib.import_module(KERAS_TWO)
    names = {name: value for name, value in vars(keras).items() if name[0] != "_"}
    names["__internal__"] = keras.__internal__
    names["tf1_layers"] = keras.layers
    vars(module).update(names)
