"""`Module`: a base class that finds the variables and modules among its attributes."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from gradtape._src.base import nest
from gradtape._src.base.dispatch import shorten_errors
from gradtape._src.base.export import export
from gradtape._src.base.name_scope import name_scope
from gradtape._src.base.trackable import (
    CHILDREN,
    DEFERRED,
    NoDependency,
    Trackable,
    is_trackable,
    wrapped,
)
from gradtape._src.core.variable import Variable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_P = ParamSpec("_P")
_R = TypeVar("_R")
_Path = tuple[Any, ...]
_UNTRACKED = "_self_untracked"
_NOT_WALKED = frozenset({CHILDREN, DEFERRED, _UNTRACKED})
_WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<!^)(?=[A-Z][a-z])")


@export("Module")
class Module(Trackable):
    """A base class for models, which finds variables and modules in its attributes.

    Args:
        name: A Python identifier; the class name in snake case if not given.

    Raises:
        ValueError: If the name is not an identifier.

    >>> class Line(Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.slope = Variable(2.0)
    ...         self.offset = Variable(0.0, trainable=False)
    >>> line = Line()
    >>> line.name, len(line.variables), len(line.trainable_variables)
    ('line', 2, 1)
    """

    _TF_MODULE_IGNORED_PROPERTIES: frozenset[str] = frozenset()
    _self_setattr_tracking = True
    _self_untracked: set[str]  # the names of attributes that are not tracked

    def __init__(self, name: str | None = None) -> None:
        if name is None:
            name = _WORD_START.sub("_", type(self).__name__).lower()
        if not isinstance(name, str):
            raise TypeError(f"A module's name must be a string, got {name!r}.")
        if not (name.isidentifier() and name.isascii()):
            raise ValueError(
                f"{name!r} is not a valid module name. Module names must be valid Python "
                "identifiers (e.g. a valid class name)."
            )
        self._name = name
        with name_scope(name) as scope:
            self._name_scope = name_scope(scope)

    def __setattr__(self, name: str, value: Any) -> None:
        tracking = self._self_setattr_tracking
        if type(value) is NoDependency:
            tracking, value = False, value.value
        super().__setattr__(name, wrapped(value) if tracking else value)
        kept = self.__dict__
        if DEFERRED in kept:
            self._announce(name, kept.get(name))
        if not tracking:
            kept.setdefault("_self_untracked", set()).add(name)

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        kept = vars(self)
        left = {*_NOT_WALKED, *kept.get(_UNTRACKED, ())}
        own = {n: part for n, part in kept.items() if n not in left and is_trackable(part)}
        return own | super()._trackable_children(save_type, **kwargs)

    def _repr_html_(self) -> str:
        """Returns the HTML that notebooks show."""
        from gradtape._src.inspect.notebooks.objects_html import module_html

        return module_html(self)

    @property
    def name(self) -> str:
        """The name, without scopes."""
        return self._name

    @property
    def name_scope(self) -> name_scope:
        """The name scope of this module's variables, for a `with` statement."""
        return self._name_scope

    @property
    def variables(self) -> tuple[Variable, ...]:
        """All variables: the module's own by attribute name, then those of submodules."""
        return self._variables()

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """The variables that tapes watch automatically."""
        return tuple(v for v in self._variables() if v.trainable)

    @property
    def non_trainable_variables(self) -> tuple[Variable, ...]:
        """The variables that tapes do not watch automatically."""
        return tuple(v for v in self._variables() if not v.trainable)

    def _variables(self) -> tuple[Variable, ...]:
        # Sonnet overrides `variables`, which TensorFlow's other properties do not read.
        return tuple(self._flatten(predicate=_is_variable, expand_composites=True))

    @property
    def submodules(self) -> tuple[Module, ...]:
        """All modules below this one."""
        return tuple(self._flatten(predicate=_is_module))

    def _flatten(
        self,
        recursive: bool = True,
        predicate: Callable[[Any], bool] | None = None,
        attribute_traversal_key: Callable[[str], Any] | None = None,
        with_path: bool = False,
        expand_composites: bool = False,
    ) -> Iterator[Any]:
        """Yields the leaves of the attributes, those of submodules last.

        Args:
            recursive: Whether to go into submodules.
            predicate: A function that selects the leaves to yield; all by default.
            attribute_traversal_key: A sort key for attribute names.
            with_path: Whether to yield `(path, leaf)` for each occurrence of a leaf, instead of
              each leaf once.
            expand_composites: Whether composite tensors are flattened, too.
        """
        walk = _Walk(recursive, attribute_traversal_key, expand_composites, once=not with_path)
        for path, leaf in walk.below(self, ()):
            if predicate is None or predicate(leaf):
                yield (path, leaf) if with_path else leaf

    @classmethod
    def with_name_scope(cls, method: Callable[_P, _R]) -> Callable[_P, _R]:
        """Decorates a method, so that it runs inside the module's name scope.

        Args:
            method: A method of a module.

        Returns:
            The method, which runs within the scope.
        """

        @functools.wraps(method)
        @shorten_errors
        def inside(*args: _P.args, **kwargs: _P.kwargs) -> _R:
            module: Any = args[0]
            with module.name_scope:
                return method(*args, **kwargs)

        return inside


def _is_variable(leaf: object) -> bool:
    return isinstance(leaf, Variable)


def _is_module(leaf: object) -> bool:
    return isinstance(leaf, Module)


class _Walk:
    """One traversal of a module's attributes."""

    def __init__(
        self, recursive: bool, sort_key: Callable[[str], Any] | None, expand: bool, *, once: bool
    ) -> None:
        self.recursive = recursive
        self.sort_key = sort_key
        self.expand = expand
        self.once = once
        self.seen: set[int] = set()  # ids of visited leaves, or of modules on the path

    def below(self, module: Module, path: _Path) -> Iterator[tuple[_Path, Any]]:
        """Yields the leaves below `module`, nearest first."""
        again = id(module) in self.seen and not self.once
        self.seen.add(id(module))
        submodules = []
        for place, leaf in self.own_leaves(module, path):
            if self.once:
                if id(leaf) in self.seen:
                    continue
                self.seen.add(id(leaf))
            yield place, leaf
            if self.recursive and isinstance(leaf, Module) and not again:
                submodules.append((place, leaf))
        for place, submodule in submodules:
            yield from self.below(submodule, place)

    def own_leaves(self, module: Module, path: _Path) -> Iterator[tuple[_Path, Any]]:
        """Yields the leaves of the module's own attributes."""
        attributes = vars(module)
        for name in sorted(attributes, key=self.sort_key):
            if name in module._TF_MODULE_IGNORED_PROPERTIES or name in _NOT_WALKED:
                continue
            value = attributes[name]
            leaves: list[tuple[_Path, Any]]
            try:
                if self.once:
                    leaves = [((), leaf) for leaf in nest.flatten(value, self.expand)]
                else:
                    leaves = list(_with_paths(value))
            except Exception as error:
                raise ValueError(f"Error processing property {name!r} of {value!r}") from error
            for place, leaf in leaves:
                yield (*path, name, *place), leaf


def _with_paths(structure: Any) -> Iterator[tuple[_Path, Any]]:
    """Yields the leaves of a structure with their paths, in the order of `nest.flatten`."""
    if not nest.is_nested(structure):
        yield (), structure
        return
    children = list(nest.children_of(structure))
    if isinstance(structure, Mapping):
        keys: Iterable[Any] = sorted(structure)
    else:
        keys = getattr(structure, "_fields", range(len(children)))
    for key, child in zip(keys, children, strict=True):
        for place, leaf in _with_paths(child):
            yield (key, *place), leaf
