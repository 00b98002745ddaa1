"""The names of `tf.compat.v1` that are the same objects as names of `tf` in TensorFlow."""

from __future__ import annotations

import sys
from functools import cache
from types import ModuleType
from typing import Any

from gradtape._src.compat.names import missing

PACKAGE = __name__.partition(".")[0]
FILE = f"{__file__.removesuffix('v1_namespaces.py')}v1_same_names.txt"
_PLACE = f"{PACKAGE}.compat.v1"
_ALIKE = {
    "": "VariableAggregation",
    "data.experimental": (
        "Counter CsvDataset RandomDataset SqlDataset choose_from_datasets make_csv_dataset "
        "make_batched_features_dataset sample_from_datasets"
    ),
    "distribute": "MirroredStrategy OneDeviceStrategy ReplicaContext Strategy StrategyExtended",
    "distribute.experimental": "CentralStorageStrategy",
    "nn": "ctc_loss_v2=nn.ctc_loss",
}
"""Names that are of other objects in TensorFlow 1, but have the same arguments and meaning."""


@cache
def shared_names() -> dict[str, dict[str, str]]:
    """Returns, for each namespace below `tf.compat.v1`, its names with their paths below `tf`."""
    with open(FILE, encoding="utf-8") as file:  # noqa: PTH123  (pathlib loads slowly)
        _, *entries = file.read().replace("\n ", " ").splitlines()
    found: dict[str, dict[str, str]] = {}
    alike = [f"{space or 'tf'}: {names}" for space, names in _ALIKE.items()]
    for entry in [*entries, *alike]:
        head, _, names = entry.partition(": ")
        space = "" if head == "tf" else head
        pairs = (name.partition("=") for name in names.split())
        paths = {name: path or f"{space}.{name}".lstrip(".") for name, _, path in pairs}
        found.setdefault(space, {}).update(paths)
    return found


def shared(space: str, name: str) -> object:
    """Returns `tf.compat.v1.<space>.<name>`, which `tf` has under the same or another name.

    Args:
      space: The namespace below `tf.compat.v1`; "" is `tf.compat.v1` itself.
      name: The name of a namespace or another object in it.

    Returns:
      The object of `tf`, or a namespace.

    Raises:
      AttributeError: `tf` does not have the name, or it had another meaning in TensorFlow 1.
    """
    path = shared_names().get(space, {}).get(name)
    if path is not None:
        try:
            found: Any = sys.modules[PACKAGE]
            for part in path.split("."):
                found = getattr(found, part)
        except AttributeError:
            path = None
        else:
            return found
    below = f"{space}.{name}".lstrip(".")
    if any(one == below or one.startswith(f"{below}.") for one in shared_names()):
        return _namespace(below)
    raise missing(name, sys.modules[_PLACE] if not space else _namespace(space))


def listed(space: str, own: dict[str, object]) -> list[str]:
    """Returns the names of a namespace below `tf.compat.v1`, for `dir`.

    Args:
      space: The namespace.
      own: The names that its module defines.

    Returns:
      Its own names, and those of `tf` that it shares.
    """
    given = [name for name in shared_names().get(space, {}) if _is_there(space, name)]
    return sorted({*given, *(name for name in own if not name.startswith("_"))})


def _is_there(space: str, name: str) -> bool:
    try:
        shared(space, name)
    except AttributeError:
        return False
    return True


class V1Namespace(ModuleType):
    """A namespace below `tf.compat.v1` that shares names with `tf`."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        found = shared(self.__name__.removeprefix(f"{_PLACE}."), name)
        setattr(self, name, found)
        return found

    def __dir__(self) -> list[str]:
        return listed(self.__name__.removeprefix(f"{_PLACE}."), {})


@cache
def _namespace(below: str) -> V1Namespace:
    return V1Namespace(
        f"{_PLACE}.{below}", (f"The names that `tf.compat.v1.{below}` shares with `tf`.")
    )
