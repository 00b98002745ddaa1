"""Replaces functions of other libraries if they have not changed since they were checked.

A `Patch` names a target in a module of the library, and describes its expected form. `Bridge.adapt`
is called with each module as it loads, and replaces the targets that match. Other targets are left
unchanged, and `Bridge.report` gives one warning that names all of them.
"""

from __future__ import annotations

import dis
import inspect
import os
import warnings
from collections.abc import Callable, Iterable
from operator import attrgetter
from types import ModuleType
from typing import Any, NamedTuple

CLASS, PROPERTY = "class", "property"
"""The values of `Patch.looks` for targets that are not functions."""


class Patch(NamedTuple):
    """One target in another library that is replaced.

    Attributes:
      module: The library's module.
      name: The target's name there; dotted for an attribute of a class.
      looks: The expected form: a function's parameters with defaults and without annotations, as
        `inspect.signature` prints them; or `CLASS` or `PROPERTY`.
      replace: A function that takes the target and its module, and returns the replacement.
      why: The benefit of the replacement.
      versions: The first and the last minor version of the library that it was checked with. In
        older versions, the target remains unchanged, without a warning.
      needs: Names in the module that the replacement uses.
      mentions: Names that the target's own code uses, such as the attributes of `self` that the
        replacement reads, too.
      stores: The attributes that the target's code sets; the replacement must set exactly these.
      after: Targets in the same module that must be replaced before this one.
      upstream: A link to the library's discussion of the target.
    """

    module: str
    name: str
    looks: str
    replace: Callable[[Any, Any], Any]
    why: str
    versions: tuple[str, str]
    needs: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()
    stores: frozenset[str] | None = None
    after: tuple[str, ...] = ()
    upstream: str = ""

    @property
    def target(self) -> str:
        """The target's full name."""
        return f"{self.module}.{self.name}"


class Bridge:
    """The patches for one library in this process, including those that did not match.

    Args:
      library: The library's name.
      patches: The replacements.
      version: A function that returns the library's version.
      switch: The environment variable that disables the patches.
      effect: The effect of unpatched targets on the user, and how to mend it.
    """

    def __init__(
        self,
        library: str,
        patches: Iterable[Patch],
        version: Callable[[], str],
        *,
        switch: str,
        effect: str,
    ) -> None:
        self._library, self._version = library, version
        self._switch, self._effect = switch, effect
        self._by_module: dict[str, list[Patch]] = {}
        for patch in patches:
            self._by_module.setdefault(patch.module, []).append(patch)
        self._applied: set[str] = set()
        self._unmatched: dict[str, str] = {}
        self._warned = False

    @property
    def modules(self) -> frozenset[str]:
        """The library's modules that have targets."""
        return frozenset(self._by_module)

    @property
    def applied(self) -> frozenset[str]:
        """The full names of the targets that were replaced."""
        return frozenset(self._applied)

    def switched_off(self) -> bool:
        """Whether the environment disables the patches."""
        return os.environ.get(self._switch, "0") not in ("", "0")

    def adapt(self, module: ModuleType) -> None:
        """Replaces the targets in a module that has just been loaded."""
        for patch in () if self.switched_off() else self._by_module.get(module.__name__, ()):
            if minor(self._version()) < minor(patch.versions[0]):
                continue
            try:
                self._apply(patch, module)
            except _Unmatched as reason:
                self._unmatched[patch.target] = str(reason)

    def _apply(self, patch: Patch, module: ModuleType) -> None:
        missing = [name for name in patch.after if f"{patch.module}.{name}" not in self._applied]
        if missing:
            raise _Unmatched(f"needs the replacement of {', '.join(missing)}")
        above, _, name = patch.name.rpartition(".")
        owner = _found(module, above) if above else module
        original = _attribute(owner, name, patch.name)
        check(patch, module, original)
        try:
            replacement = patch.replace(original, module)
        except (AttributeError, KeyError, TypeError) as error:
            raise _Unmatched(f"{type(error).__name__}: {error}") from error
        setattr(owner, name, replacement)
        self._applied.add(patch.target)

    def report(self, loaded: Iterable[str] | None = None) -> None:
        """Warns, once in a process, of all targets that did not match.

        Args:
          loaded: The names of the loaded modules, if all modules with targets should be loaded.
        """
        if self._warned or self.switched_off():
            return
        for name in () if loaded is None else self.modules.difference(loaded):
            for patch in self._by_module[name]:
                if minor(self._version()) >= minor(patch.versions[0]):
                    self._unmatched[patch.target] = "its module is missing"
        if not self._unmatched:
            return
        self._warned = True
        targets = "; ".join(f"{name}: {why}" for name, why in sorted(self._unmatched.items()))
        warnings.warn(
            f"{self._library} {self._version()} differs from the versions that gradtape was "
            f"checked with: {len(self._unmatched)} of the functions that gradtape replaces have "
            f"changed, and were not replaced. {self._effect} Set {self._switch}=1 in the "
            "environment to disable all replacements and this warning. Not replaced: "
            f"{targets}",
            stacklevel=2,
        )


class _Unmatched(Exception):  # noqa: N818 (a target that does not match is no error)
    """Raised for a target that does not have the form that its patch expects."""


def minor(version: str) -> tuple[int, int]:
    """Returns the first two numbers of a version."""
    first, second = version.split(".")[:2]
    return int(first), int(second)


def requirement(distribution: str, patches: Iterable[Patch]) -> str:
    """Returns the requirement for pip whose versions every patch was checked with."""
    ranges = [patch.versions for patch in patches]
    oldest = min(minor(first) for first, _ in ranges)
    newest = min(minor(last) for _, last in ranges)
    return f"{distribution}>={oldest[0]}.{oldest[1]},<{newest[0]}.{newest[1] + 1}"


def check(patch: Patch, module: ModuleType, original: Any) -> None:
    """Raises `_Unmatched` if a target does not have the form that its patch expects."""
    for name in patch.needs:
        _found(module, name)
    looks = described(original)
    if looks != patch.looks:
        raise _Unmatched(f"expected {patch.looks}, found {looks}")
    code = getattr(original.fget if looks == PROPERTY else original, "__code__", None)
    if code is None:
        if patch.mentions or patch.stores is not None:
            raise _Unmatched("it is not written in Python")
        return
    unused = [name for name in patch.mentions if name not in code.co_names]
    if unused:
        raise _Unmatched(f"its code does not mention {', '.join(unused)}")
    if patch.stores is not None:
        stored = {step.argval for step in dis.get_instructions(code) if step.opname == "STORE_ATTR"}
        if stored != patch.stores:
            raise _Unmatched(f"its code sets {', '.join(sorted(stored ^ patch.stores))}")


def described(target: Any) -> str:
    """Describes the form of a target, as `Patch.looks` does."""
    if isinstance(target, property):
        return PROPERTY
    if inspect.isclass(target):
        return CLASS
    if isinstance(target, (staticmethod, classmethod)) or not callable(target):
        return f"a {type(target).__name__}"
    signature = inspect.signature(target)
    bare = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    return str(signature.replace(parameters=bare, return_annotation=signature.empty))


def _found(module: ModuleType, name: str) -> Any:
    try:
        return attrgetter(name)(module)
    except AttributeError:
        raise _Unmatched(f"{name} is missing") from None


def _attribute(owner: Any, name: str, full: str) -> Any:
    """Returns an attribute; for a class, the entry in its `__dict__`, such as a property itself."""
    found = inspect.getattr_static(owner, name, _Unmatched)
    if found is _Unmatched:
        raise _Unmatched(f"{full} is missing")
    return found
