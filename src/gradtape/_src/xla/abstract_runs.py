"""Running the functions of choices and loops once for nothing, to see what they use; needs JAX."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from gradtape._src.autodiff.vectorize import Batch, Vectorizer
from gradtape._src.base import nest
from gradtape._src.core.primitive import Outputs, Primitive
from gradtape._src.core.recorder import STACK, Recorder, replaced
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.graph.ir.loop_values import opened, settled
from gradtape._src.xla.trace import CONCRETE, compiling, is_traced, out_of_scope


class _Reader(Recorder):
    """Notes what a function uses that was there before, and takes back what it writes."""

    def __init__(self) -> None:
        self.made: dict[int, Tensor] = {}
        self.used: dict[int, Any] = {}
        self.written: dict[int, tuple[Variable, Any]] = {}
        self.ids: dict[int, Variable] = {}
        self.variables: dict[int, Variable] = {}

    def process(
        self, primitive: Primitive, inputs: Sequence[Tensor], params: dict[str, Any]
    ) -> Outputs:
        for x in inputs:
            if id(x) not in self.made and x._id not in self.ids and (x._id or is_traced(x)):
                self.used.setdefault(id(x), x)
        out = primitive.bind(*inputs, **params)
        for y in out if isinstance(out, tuple) else (out,):
            self.made[id(y)] = y
        return out

    def variable_read(self, variable: Variable) -> None:
        self.ids[variable._id] = variable
        variable = self._known(variable)
        self.used.setdefault(id(variable), variable)

    def _known(self, variable: Variable) -> Variable:
        """The object that stands for a variable: what an assignment returns is another one."""
        return self.variables.setdefault(id(vars(variable)), variable)

    def hold(self, variable: Variable) -> None:
        self.variable_read(variable)

    def variable_written(self, variable: Variable) -> None:
        self.variable_read(variable)
        variable = self._known(variable)
        self.written.setdefault(id(variable), (variable, variable._value))


class _Gone:
    """The value of a tensor that a trial made and that somebody kept: there is no such value."""

    def __init__(self, value: Any) -> None:
        self._described = value.shape, value.dtype

    def __getattr__(self, name: str) -> Any:
        raise out_of_scope(*self._described)


def _forget(made: Iterable[Tensor]) -> None:
    """Takes the values of what a trial made, so that who kept one of them learns of it."""
    for x in made:
        value = x._value
        if not isinstance(value, (*CONCRETE, Batch)):
            x._value = _Gone(value)


def _copied(out: Any) -> Any:
    """A result whose tensors are new ones."""
    return nest.map_structure(lambda x: Tensor(x._value) if type(x) is Tensor else x, out)


class Seen(NamedTuple):
    """What functions use and write, what they return, and the random numbers that they draw."""

    used: list[Any]
    written: list[Variable]
    results: list[Any]
    streams: dict[Any, Any]
    keys: list[Tensor]


def look(functions: Sequence[Callable[[], Any]]) -> Seen:
    """Runs functions for nothing, to see what they do."""
    compiler = compiling()
    assert compiler is not None
    reader = _Reader()
    results = []
    vectorizers = [r for r in STACK.recorders if isinstance(r, Vectorizer)]
    with replaced((compiler, *vectorizers, reader)), compiler.asking() as streams:
        for function in functions:
            try:
                with compiler.own_scope():
                    out = settled(function())
            finally:
                for variable, value in reader.written.values():
                    variable._put(value)
            for x in nest.flatten(opened(out), expand_composites=True):
                outside = type(x) is Tensor and id(x) not in reader.made
                if outside and x._id not in reader.ids and (x._id or is_traced(x)):
                    reader.used.setdefault(id(x), x)
            results.append(_copied(out))
    kept = {id(x) for x in nest.flatten(opened(results), expand_composites=True)}
    _forget([x for i, x in reader.made.items() if i not in kept])
    keys = [Tensor(compiler.engine(*asked).key()) for asked in streams.items()]
    written = [v for v, _ in reader.written.values()]
    return Seen(list(reader.used.values()), written, results, streams, keys)


@contextmanager
def drawing(compiler: Any, streams: dict[Any, Any], keys: Sequence[Tensor]) -> Iterator[list[Any]]:
    """The inside of a choice or loop with its keys; gives those of the next turn."""
    raws = [_of_one(key._value) for key in keys]
    with compiler.drawing(streams, raws) as following:
        yield [Tensor(key) for key in following]


def _of_one(raw: Any) -> Any:
    """A key of all examples, which draw the same numbers."""
    while type(raw) is Batch:
        inner = raw.inner._value if type(raw.inner) is Tensor else raw.inner
        raw = inner[0]
    return raw
