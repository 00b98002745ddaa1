"""`tf.compat.v1.flags`: the flags of a command line, by the package absl-py."""

from typing import Any as _Any

from gradtape._src.compat.v1_namespaces import shared as _shared
from gradtape._src.sessions.older.flags import flags_module as _module


def __getattr__(name: str) -> _Any:
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    names = vars(_module())
    return names[name] if name in names else _shared("flags", name)


def __dir__() -> list[str]:
    return dir(_module())
