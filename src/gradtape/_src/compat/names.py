"""TensorFlow's public names, and the error messages for those that gradtape lacks.

`lists/tensorflow_names.txt` holds the names, and is read when a program first asks for a name that
gradtape lacks.
"""

import sys
from collections.abc import Callable, Iterable
from functools import cache
from types import ModuleType
from typing import Any, NamedTuple

from gradtape._src.base.errors import announced
from gradtape._src.compat.lists.left_out import LeftOut, left_out

PACKAGE = __name__.partition(".")[0]
FILE = f"{__file__.removesuffix('names.py')}lists/tensorflow_names.txt"
OLD = "compat.v1."  # TensorFlow 1's names
KERAS = ("keras", "losses", "metrics", "optimizers", "initializers", "compat.v1.keras")
"""Namespaces that the real Keras provides; the list does not contain the names below them."""
INTERNAL_PACKAGES = {
    "_api",
    "compiler",
    "core",
    "dtensor",
    "include",
    "python",
    "security",
    "tools",
    "tsl",
}
"""Subpackages of TensorFlow that can be imported but are not public."""
# Caches similar names, by a misspelled name.
RARELY_MEANT = (OLD, "raw_ops.", "__internal__.", "experimental.numpy.")
SUGGESTIONS = 3
SCORE_MARGIN = 0.1  # the maximum difference between a suggestion's score and the best score
WHERE = (
    "`gradtape doctor FILE` lists the names that a program uses and gradtape lacks; docs/api.md "
    "lists all names"
)


class Names(NamedTuple):
    """TensorFlow's public names. Paths are relative to `tf`; `""` is `tf` itself.

    Attributes:
        version: The version of TensorFlow with these names.
        modules: The names in each namespace.
        classes: The public members of each class, including inherited members.
    """

    version: str
    modules: dict[str, frozenset[str]]
    classes: dict[str, frozenset[str]]

    def inside(self, path: str) -> frozenset[str] | None:
        """Returns the names in the namespace or class at `path`; None if it is neither."""
        return self.modules.get(path, self.classes.get(path))


@cache
def tensorflow_names() -> Names:
    """Reads the names of TensorFlow."""
    with open(FILE, encoding="utf-8") as file:  # noqa: PTH123  (pathlib loads slowly)
        title, *entries = file.read().replace("\n ", " ").splitlines()
    modules: dict[str, frozenset[str]] = {}
    classes: dict[str, frozenset[str]] = {}
    bases: dict[str, str] = {}
    for line in entries:
        head, _, names = line.partition(":")
        words = [word.removeprefix("tf").removeprefix(".") for word in head.split(" ")]
        found = set(names.split())
        if words[0] == "class":
            for path in (paths := words[1:-2] if "<" in words else words[1:]):
                classes[path] = frozenset(found)
                if len(paths) < len(words) - 1:
                    bases[path] = words[-1]
        elif "=" in words:
            modules[words[0]] = _changed(modules[words[-1]], found)
        else:
            modules[words[0]] = frozenset(found)
    version = title.partition("TensorFlow ")[2].partition(",")[0]
    return Names(version, modules, {path: _inherited(path, classes, bases) for path in classes})


def _changed(names: frozenset[str], changes: Iterable[str]) -> frozenset[str]:
    """Applies changes to a set of names: `+` adds a name, and `-` removes it."""
    changes = frozenset(changes)
    gone = {change[1:] for change in changes if change[0] == "-"}
    return names - gone | {change[1:] for change in changes if change[0] == "+"}


def _inherited(
    path: str, classes: dict[str, frozenset[str]], bases: dict[str, str]
) -> frozenset[str]:
    own = classes.get(path, frozenset())
    return own | _inherited(bases[path], classes, bases) if path in bases else own


def plain(path: str) -> str:
    """Returns the path under which TensorFlow lists a name, without prefixes like `compat.v2`."""
    while path.startswith(("compat.v2.", "compat.v1.compat.")):
        path = path.split(".", 2)[2]
    return path


def first_unknown(path: str) -> str | None:
    """Returns the shortest prefix of a path that TensorFlow lacks, `""` if it has the whole path.

    Returns None for names that are not listed: those below Keras, and those below values other than
    classes and namespaces.
    """
    names = tensorflow_names()
    parts = path.split(".")
    for i, part in enumerate(parts):
        above = ".".join(parts[:i])
        inside = names.inside(above)
        if above in KERAS or inside is None:
            return None
        if part not in inside:
            return ".".join(parts[: i + 1])
    return ""


def left_out_name(path: str) -> LeftOut | None:
    """Returns the entry of a name that is left out and that TensorFlow has or had, or None."""
    entry = left_out(path)
    if entry and (unknown := first_unknown(path)):
        # The path is a namespace of an earlier version of TensorFlow.
        return entry if f"{unknown}.*" in entry.names else None
    return entry


_ELSEWHERE = {
    **{name: f"math.reduce_{name}" for name in ("sum", "mean", "max", "min", "prod", "all", "any")},
    "std": "math.reduce_std",
    "var": "math.reduce_variance",
    "logsumexp": "math.reduce_logsumexp",
    "array": "constant",
    "asarray": "convert_to_tensor",
    "from_numpy": "convert_to_tensor",
    "as_tensor": "convert_to_tensor",
    "tensor": "constant",
    "arange": "range",
    "cat": "concat",
    "concatenate": "concat",
    "hstack": "experimental.numpy.hstack",
    "vstack": "experimental.numpy.vstack",
    "permute": "transpose",
    "swapaxes": "transpose",
    "unsqueeze": "expand_dims",
    "view": "reshape",
    "flatten": "reshape",
    "ravel": "reshape",
    "dot": "tensordot",
    "mm": "matmul",
    "bmm": "matmul",
    "clip": "clip_by_value",
    "clamp": "clip_by_value",
    "power": "pow",
    "absolute": "abs",
    "full": "fill",
    "empty": "zeros",
    "take": "gather",
    "nonzero": "where",
    "log": "math.log",
    "no_grad": "stop_gradient",
    "detach": "stop_gradient",
    "float": "float32",
    "long": "int64",
    "linalg.inverse": "linalg.inv",
    "linalg.pinverse": "linalg.pinv",
    "random.randn": "random.normal",
    "random.rand": "random.uniform",
    "random.randint": "random.uniform",
    "randn": "random.normal",
    "rand": "random.uniform",
    "nn.functional": "nn",
    "nn.Linear": "keras.layers.Dense",
    "nn.Module": "Module",
    "optim": "keras.optimizers",
    "cuda": "config.list_physical_devices",
    "contrib": "keras",
}
"""TensorFlow's names for functions that have other names in NumPy, PyTorch and TensorFlow 1."""


@cache
def nearest(path: str) -> tuple[str, ...]:
    """Returns the TensorFlow names most similar to an unknown path, best match first."""
    if other := _ELSEWHERE.get(path):
        return (other,)
    names = tensorflow_names()
    above, _, last = path.rpartition(".")
    siblings = _alike(last, names.inside(above) or ())
    found = [*_namesakes(last), *(f"{above}.{name}".lstrip(".") for name in siblings)]
    if not found and above in names.modules:
        everywhere = {n for space, some in names.modules.items() for n in some if _usual(space)}
        found = [path for name in _alike(last, everywhere, 0.8) for path in _namesakes(name)[:1]]
    return tuple(dict.fromkeys(found))[:SUGGESTIONS]


def _alike(name: str, names: Iterable[str], cutoff: float = 0.7) -> list[str]:
    from difflib import SequenceMatcher, get_close_matches

    by_letters = {other.lower().replace("_", ""): other for other in sorted(names)}
    wanted = name.lower().replace("_", "")
    found = get_close_matches(wanted, by_letters, SUGGESTIONS, cutoff)
    scores = [SequenceMatcher(None, near, wanted).ratio() for near in found]
    return [
        by_letters[n] for n, s in zip(found, scores, strict=True) if s > scores[0] - SCORE_MARGIN
    ]


def _namesakes(name: str) -> list[str]:
    """Returns the paths of TensorFlow that end in a name, the shortest first."""
    modules = tensorflow_names().modules
    found = [f"{path}.{name}".lstrip(".") for path, names in modules.items() if name in names]
    return sorted((path for path in found if _usual(path)), key=lambda path: (len(path), path))


def _usual(path: str) -> bool:
    return not f"{path}.".startswith(RARELY_MEANT)


def old_name(path: str) -> str:
    """Returns `compat.v1.<path>` for a name that only TensorFlow 1 has, else ""."""
    old = OLD + path
    return old if not path.startswith(OLD) and first_unknown(old) == "" else ""


def now_at(path: str) -> str:
    """Returns TensorFlow 2's path for a name of TensorFlow 1, or "" if it has no path."""
    return next(iter(_namesakes(path.rpartition(".")[2])), "")


def nearest_in_keras(path: str) -> tuple[str, list[str]]:
    """Returns the first missing prefix of a path below Keras; with Keras loaded, similar names."""
    found: Any = sys.modules.get(f"{PACKAGE}.keras") or sys.modules.get("keras")
    parts = path.split(".")
    start = parts.index("keras") + 1 if "keras" in parts else 0
    for i in range(start, len(parts)):
        inside = dir(found)
        if found is not None and parts[i] not in inside:
            above = ".".join(parts[:i])
            near = _alike(parts[i], [n for n in inside if n[0] != "_"])
            return f"{above}.{parts[i]}", [f"{above}.{n}" for n in near]
        found = getattr(found, parts[i], None)
    return path, []


def explain(path: str) -> str:
    """Returns the error message for `tf.<path>`, a name that gradtape lacks."""
    names = tensorflow_names()
    unknown = first_unknown(path)
    if path.partition(".")[0] in INTERNAL_PACKAGES:
        return (
            f"{PACKAGE} has no 'tf.{path}': it is internal to TensorFlow; use its public "
            "name, if it has one"
        )
    if omitted := left_out_name(path):
        return f"{PACKAGE} leaves out 'tf.{path}': {omitted}"
    if path.startswith(tuple(f"{name}." for name in KERAS)):
        path, near = nearest_in_keras(path)
        said = f"; the nearest: {', '.join(f'tf.{n}' for n in near)}" if near else ""
        return f"{PACKAGE} has no 'tf.{path}', as Keras 3 lacks this name{said}"
    if not unknown:
        others = [n for n in _namesakes(path.rpartition(".")[2]) if path.startswith(OLD)]
        now = f"; TensorFlow 2 has it as tf.{others[0]}" if others else ""
        return f"{PACKAGE} has no 'tf.{path}' yet{now}: {WHERE}"
    if old := old_name(unknown):
        now = f", and in TensorFlow 2 tf.{new}" if (new := now_at(unknown)) else ""
        return f"TensorFlow {names.version} has no 'tf.{unknown}': it is tf.{old}{now}"
    suggestions = nearest(unknown)
    said = f"; the nearest: {', '.join(f'tf.{n}' for n in suggestions)}" if suggestions else ""
    return f"TensorFlow {names.version} has no 'tf.{unknown}', nor has {PACKAGE}{said}"


def in_short(path: str) -> str:
    """Returns the first clause of `explain(path)`."""
    return explain(path).partition("; ")[0].partition(": ")[0]


def missing(name: str, module: ModuleType, path: str = "") -> AttributeError:
    """Returns the error for a name that a namespace of gradtape does not have.

    Args:
        name: The name.
        module: The namespace.
        path: The namespace's path below `tf`, if its module has another name, as Keras does.
    """
    above = path or module.__name__.partition(".")[2]
    if name.startswith("_"):  # tools look up such attributes on any object
        text = f"module '{module.__name__}' has no attribute '{name}'"
    else:
        if above not in tensorflow_names().modules:
            above = above.replace("_", ".")  # math_special is tf.math.special
        keras = f"{above}.".startswith(tuple(f"{space}." for space in KERAS))
        if keras or above in tensorflow_names().modules:
            text = explain(f"{above}.{name}".lstrip("."))
        else:
            text = f"{PACKAGE} has no 'tf.{above}.{name}'; TensorFlow has no 'tf.{above}' either"
    return announced(AttributeError(text, name=name, obj=module))


class _Package(ModuleType):
    """The class of the `gradtape` module.

    Python sets each loaded submodule as an attribute of its package; this class then makes the
    submodule explain missing names.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if isinstance(value, ModuleType):
            _guard_loaded()


_HOOK = "__getattr__"  # Python calls this method for a name that a module lacks


def guard() -> None:
    """Makes every public module of gradtape explain a name that it lacks."""
    sys.modules[PACKAGE].__class__ = _Package
    _guard_loaded()


def _guard_loaded() -> None:
    for name, module in list(sys.modules.items()):
        public = name.startswith(f"{PACKAGE}.") and _is_public(name)
        if public and _HOOK not in vars(module):
            setattr(module, _HOOK, _asker(module, name.partition(".")[2]))


def guard_view(module: ModuleType, path: str) -> None:
    """Makes modules of another package explain a name that they lack.

    Args:
        module: The module for `tf.<path>`; its public submodules are handled as well.
        path: The name below `tf`.
    """
    if _HOOK not in vars(module):
        setattr(module, _HOOK, _asker(module, path))
    package = module.__name__.partition(".")[0]
    for name, value in list(vars(module).items()):
        inside = isinstance(value, ModuleType) and value.__name__.startswith(f"{package}.")
        if inside and _HOOK not in vars(value) and ".src" not in value.__name__ and name[0] != "_":
            guard_view(value, f"{path}.{name}")


def _is_public(name: str) -> bool:
    return not any(part[0] == "_" and not part.endswith("__") for part in name.split("."))


def _asker(module: ModuleType, path: str) -> Callable[[str], Any]:
    def __getattr__(name: str) -> Any:  # noqa: N807 - the module's hook
        raise missing(name, module, path)

    return __getattr__
