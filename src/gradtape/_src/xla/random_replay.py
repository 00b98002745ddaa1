"""Replay of a compiled function's random numbers, for its vjp; needs JAX."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import jax
import numpy as np

from gradtape._src.core.recorder import STACK, Recorder, replaced
from gradtape._src.core.tensor import Tensor
from gradtape._src.xla.random_state import TracedEngine
from gradtape._src.xla.trace import compiling


class _Eager:
    """An engine that draws a program's numbers eagerly, as NumPy arrays."""

    def __init__(self, engine: TracedEngine) -> None:
        self._engine = engine

    def __getattr__(self, name: str) -> Callable[..., Any]:
        draw = getattr(self._engine, name)

        def drawn(*args: Any) -> Any:
            with jax.enable_x64(True):
                return np.asarray(draw(*args))[()]

        return drawn


class _Replayed(Recorder):
    """A recorder that uses engines in place of NumPy's generators."""

    def __init__(self, engines: dict[Any, _Eager]) -> None:
        self.engines = engines

    def engine(self, stream: Any, draw_key: Any, make: Any = None) -> _Eager | None:
        return self.engines.get(stream)


@contextmanager
def replaying_random_state(streams: Sequence[Any], keys: Sequence[Tensor]) -> Iterator[None]:
    """Returns a context manager in which the numbers of a program's run are drawn again.

    Args:
      streams: The streams from which the program draws.
      keys: The keys of the run.
    """
    compiler = compiling()
    if not keys:
        yield
    elif compiler is not None:
        with compiler.drawing(streams, [key._value for key in keys]):
            yield
    else:
        made = [_Eager(TracedEngine(key._value)) for key in keys]
        with replaced((_Replayed(dict(zip(streams, made, strict=True))), *STACK.recorders)):
            yield
