"""`tf.compat.v1.flags` and `tf.compat.v1.app`: absl's flags, as TensorFlow 1 names them."""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable, Sequence
from functools import cache
from types import ModuleType
from typing import Any

from gradtape._src.base.export import export

_OLD_NAMES = {"flag_name": "name", "default_value": "default", "docstring": "help"}


def _absl(name: str) -> ModuleType:
    """Returns a module of absl.

    Raises:
      ModuleNotFoundError: absl is not installed.
    """
    try:
        return importlib.import_module(f"absl.{name}")
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            "tf.compat.v1.flags and tf.compat.v1.app need the package absl-py: pip install absl-py"
        ) from None


class _Flags:
    """The values of the flags; the command line is read when the first value is asked for.

    Args:
      values: absl's values, which have to be asked to read the command line.
    """

    __slots__ = ("_values",)
    _values: Any

    def __init__(self, values: Any) -> None:
        object.__setattr__(self, "_values", values)

    def __getattr__(self, name: str) -> Any:
        if not self._values.is_parsed() and not name.startswith("_"):  # Python asks for those
            self._values(sys.argv)
        return getattr(self._values, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._values, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._values, name)

    def __dir__(self) -> list[str]:
        return dir(self._values)

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __setitem__(self, name: str, flag: Any) -> None:
        self._values[name] = flag

    def __iter__(self) -> Any:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._values(*args, **kwargs)


def _with_old_names(define: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function that defines a flag and takes TensorFlow 1's names of its parameters."""

    @functools.wraps(define)
    def defined(*args: Any, **kwargs: Any) -> Any:
        given = {_OLD_NAMES.get(name, name): value for name, value in kwargs.items()}
        return define(*args, **given)

    return defined


@cache
def flags_module() -> ModuleType:
    """Returns a module with the names of absl's flags.

    Raises:
      ModuleNotFoundError: absl is not installed.
    """
    absl = _absl("flags")
    made = ModuleType("flags", absl.__doc__)
    vars(made).update({name: getattr(absl, name) for name in dir(absl) if name[:2] != "__"})
    absl.disclaim_key_flags()  # the flags of a caller of these functions are its own
    for kind in ("string", "boolean", "bool", "float", "integer"):
        setattr(made, f"DEFINE_{kind}", _with_old_names(getattr(absl, f"DEFINE_{kind}")))
    setattr(made, "FLAGS", _Flags(absl.FLAGS))  # noqa: B010 (the type of modules has no such attribute)
    return made


@export("compat.v1.app.run")
def run(main: Callable[[list[str]], Any] | None = None, argv: Sequence[str] | None = None) -> None:
    """Reads the flags of the command line, runs a function, and ends the program.

    Flags that are not defined are passed on.

    Args:
      main: A function of the remaining arguments. Defaults to the function `main` of the program.
      argv: The arguments. Defaults to those of the command line.

    Raises:
      SystemExit: The function has returned; its result is the exit status.
      ModuleNotFoundError: The package absl-py is not installed.
    """
    flags = _absl("flags")

    def parsed(arguments: list[str]) -> list[str]:
        found: list[str] = flags.FLAGS(arguments, known_only=True)
        return found

    _absl("app").run(
        main=main or vars(sys.modules["__main__"])["main"], argv=argv, flags_parser=parsed
    )
