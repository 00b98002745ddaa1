"""Random numbers in graphs, drawn at each run; conditionals and loops draw them from a key."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from gradtape._src.compute.jax_modules import jax
from gradtape._src.core.primitive import Primitive, bind
from gradtape._src.core.recorder import STACK
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import general
from gradtape._src.declare.unknown_sizes import atoms, evaluated, has_sizes, lengths, sizes_in
from gradtape._src.graph.ir.graph import Symbol
from gradtape._src.ops.random import sampling


def _folded(key: Any, *, n: int) -> Any:
    return np.random.SeedSequence([*key.tolist(), n]).generate_state(2)


def _folded_xla(key: Any, *, n: int) -> Any:
    whole = jax.random.wrap_key_data(key, impl="threefry2x32")
    return jax.random.key_data(jax.random.fold_in(whole, n))


fold_key_p = general("FoldKey", _folded, xla=_folded_xla)
"""Derives a random key, two uint32 numbers, from another key and a number."""


def generator_of(key: Any) -> np.random.Generator:
    """Returns NumPy's generator for a key."""
    return np.random.Generator(np.random.Philox(key=key.astype(np.uint64)))


class OfReplica(NamedTuple):
    """A stream of random numbers in a program for all replicas of a strategy.

    Attributes:
      stream: The stream.
      differs: Whether each replica draws different numbers.
    """

    stream: Any
    differs: bool


class Draw(Primitive):
    """Random numbers that are drawn whenever a graph runs.

    Args:
      name: The function of `sampling`, or the method of NumPy's generators, that draws.
      stream: The identity of the stream of numbers; a symbol if it is a seed.
      draw_key: Draws a key of two uint32 from the stream, for other kinds of generators.
      make: Returns NumPy's generator for one draw, from the value of the seed if there is one.
      draw: `(generator, *arguments) -> numbers`.
      arguments: The arguments of `draw`, with symbols for those that the graph computes.
    """

    def __init__(
        self,
        name: str,
        stream: Any,
        draw_key: Callable[[], Any] | None,
        make: Callable[..., Any],
        draw: Callable[..., Any],
        arguments: Sequence[Any],
    ) -> None:
        super().__init__(name, self._kernel, tracked=0)
        self.seeds = int(type(stream) is Symbol)
        self.stream, self.draw_key, self._make, self._draw = stream, draw_key, make, draw
        self._places = [i for i, x in enumerate(arguments) if type(x) is Symbol]
        self._arguments = [None if type(x) is Symbol else x for x in arguments]
        bind(self)

    def _kernel(self, *values: Any, **shapes: Any) -> Any:
        return self._numbers(self._make(*values[: self.seeds]), values, shapes)

    def drawn(self, values: Sequence[Any], shapes: dict[str, Any]) -> np.ndarray[Any, Any]:
        """Draws numbers for the operation's inputs, from an active recorder's or NumPy's generator.

        Args:
          values: The inputs.
          shapes: The operation's parameters, with the actual lengths.
        """
        stream = values[0] if self.seeds else self.stream
        for watcher in STACK.recorders:
            engine = watcher.engine(stream, self.draw_key, self._make)
            if engine is not None:
                return self._numbers(engine, values, shapes)
        numbers: np.ndarray[Any, Any] = self.kernel(*values, **shapes)
        return numbers

    def arguments_of(self, values: Sequence[Any], shapes: dict[str, Any]) -> list[Any]:
        """Returns the arguments, with values and lengths of a run."""
        filled = [shapes.get(f"shape_{i}", x) for i, x in enumerate(self._arguments)]
        for i, value in zip(self._places, values, strict=True):
            filled[i] = value
        return filled

    def _numbers(
        self, engine: Any, values: Sequence[Any], shapes: dict[str, Any]
    ) -> np.ndarray[Any, Any]:
        filled = self.arguments_of(values[self.seeds :], shapes)
        numbers: np.ndarray[Any, Any] = self._draw(engine, *filled)
        return numbers


class DrawKey(Draw):
    """The operation that makes a key from which a conditional or loop draws all its numbers.

    A branch or body therefore depends only on its inputs, and draws the same numbers when it runs
    again for its gradient.
    """

    def __init__(self, stream: Any, draw_key: Callable[[], Any]) -> None:
        super().__init__("key", stream, draw_key, draw_key, lambda engine: engine.key(), ())
        self.kernel = draw_key


class Key:
    """The key of one random stream inside a conditional or loop.

    Args:
      outer: The key in the surrounding graph.
      symbol: Its symbol inside.

    Attributes:
      count: The number of draws so far.
    """

    def __init__(self, outer: Tensor, symbol: Symbol) -> None:
        self.outer, self.symbol, self.count = outer, symbol, 0


_NUMBERS = (23, 29, 31, 37, 41, 43)
"""Stand-ins for unknown lengths, which show where the lengths occur in the drawn shape."""


_TRIALS: dict[str, Callable[..., Any]] = {
    "draw_integers": lambda _engine, shape, _low, _high, kind: np.zeros(shape, kind),
}
"""What shows a draw's shape and dtype, where a trial on stand-ins of 1 would refuse its bounds."""


class TracedEngine:
    """Replaces a NumPy generator while a function is traced: each draw becomes a node.

    Args:
      tracer: The tracer that makes the graph.
      stream: See `Draw`, also for the other arguments.
      draw_key: Draws a key from the stream.
      make: Returns NumPy's generator.
    """

    def __init__(self, tracer: Any, stream: Any, draw_key: Any, make: Any) -> None:
        self._tracer, self._stream, self._draw_key, self._make = tracer, stream, draw_key, make

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)
        draw = getattr(sampling, name, None)
        if draw is None:  # a method of NumPy's generators
            draw = lambda engine, *args: getattr(engine, name)(*args)  # noqa: E731

        def drawn(*args: Any) -> Any:
            shapes_of = [x.shape for x in args if type(x) is Symbol]
            sizes = {n.code: n for n in sizes_in([*args, *shapes_of])}
            names = {name for code in sizes for name in atoms(code)}
            numbers = dict(zip(names, _NUMBERS, strict=False))
            known = {evaluated(n, numbers): n for n in sizes.values()}
            ones = [
                np.ones(evaluated(x.shape, numbers), x.dtype) if type(x) is Symbol else x
                for x in evaluated(args, numbers)
            ]
            out = _TRIALS.get(name, draw)(np.random.Generator(np.random.PCG64(0)), *ones)
            shape = lengths([known.get(n, n) for n in out.shape])
            shapes = {f"shape_{i}": x for i, x in enumerate(args) if has_sizes(x)}
            stream, spec = self._stream, (shape, out.dtype)
            operation = Draw(name, stream, self._draw_key, self._make, draw, args)
            given = [x for x in (stream, *args) if type(x) is Symbol]
            entries = [self._tracer.entry(Tensor(x)) for x in given]
            stateful = not operation.seeds
            drawn_later = self._tracer.add(operation, entries, shapes, spec, stateful=stateful)
            assert type(drawn_later) is Tensor
            return drawn_later._value

        return drawn
