"""What looks at tapes; loaded when a tape is first asked to explain itself or to be drawn."""

from importlib import import_module
from typing import Any

from gradtape._src.autodiff.tape import GradientTape


class _OnFirstUse:
    """A method of the tape whose module puts the real one in this one's place."""

    def __init__(self, name: str, module: str) -> None:
        self._name = name
        self._module = module

    def __get__(self, tape: Any, owner: type) -> Any:
        import_module(f"{__name__}.{self._module}")
        return getattr(owner if tape is None else tape, self._name)


for _name, _module in (("explain", "explain"), ("graph", "picture"), ("summary", "summary")):
    setattr(GradientTape, _name, _OnFirstUse(_name, _module))
