"""Programs: graphs in the form in which XLA compiles and runs them; needs JAX."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend import core as jax_core

from gradtape._src.base.device_values import device_array, move_variable, state_lock
from gradtape._src.compute.devices import TensorFloat32
from gradtape._src.core.recorder import replaced
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.graph.ir.graph import Graph, Symbol
from gradtape._src.graph.ir.state import is_assignment, is_read
from gradtape._src.graph.tracing.random_draws import Draw, OfReplica
from gradtape._src.xla.compiler import Compiler
from gradtape._src.xla.loop_rolling import rolled
from gradtape._src.xla.lowering import lowered, structured
from gradtape._src.xla.options import compiler_options
from gradtape._src.xla.precision import has_single_products, on_gpu, with_rounding
from gradtape._src.xla.random_state import TracedEngine

DONATED_BYTES = 1 << 20


class Program:
    """A graph for inputs of certain shapes and dtypes, which XLA compiles when it first runs.

    Args:
      graph: The graph.
      specs: The `jax.ShapeDtypeStruct` of each input.
      sharding: The object that runs the program on several devices, or None for one device.
      borrows: Whether an output that equals an input of the graph, or a variable's value before the
        run, may share its memory. Otherwise each output has memory of its own, since a variable's
        memory may be given to its next value.

    Attributes:
      written, read: The variables that the program writes, and those that it only reads.
      keys: Functions that draw the random keys.
      places: The graph's outputs that the program computes.
      borrowed: For each output that is an argument of `run`, the position of the argument.
      split: For each output, whether it is one replica's part; set by the trace.
      sharding_name: The program's name in messages between processes, once it is needed.
      sharding_runs: The functions that run it on several devices, by the variables whose values
        differ between replicas.
      depends_on_precision: Whether the program is made again when the precision of float32 products
        on GPUs is set.
      fast_call: A short way to call it for a trace with unknown lengths, once it is made.
      run: `(*written, *read, *keys, *inputs) -> [*outputs, *new values of written]`, flat.
      single_output: Whether `run` returns its only output without a list.
    """

    def __init__(
        self, graph: Graph, specs: Sequence[Any], sharding: Any = None, borrows: bool = False
    ) -> None:
        start = time.perf_counter()
        self._describe_state(graph)
        values = self._arguments_by_symbol(graph) if borrows else {}
        outputs = list(enumerate(graph.outputs))
        self.borrowed = {i: values[y] for i, y in outputs if type(y) is Symbol and y in values}
        self.places = [i for i, y in outputs if type(y) is Symbol and i not in self.borrowed]
        self._known = [None if type(y) is Symbol else y for y in graph.outputs]
        self.split: Sequence[bool] = ()
        compiler = Compiler(structured, sharding)
        with jax.enable_x64(True), replaced(()), state_lock:
            closed = self._traced(graph, specs, compiler)
        jaxpr, count = closed.jaxpr, len(self.places)
        self.outputs = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in closed.out_avals[:count]]
        self.operations = compiler.count
        self.single_output = count == 1 and not self.written
        self.x64 = _uses_64_bits(jaxpr)
        self.has_callbacks = _calls_back(jaxpr)
        kept = set() if self.has_callbacks else {*range(len(self.written))}
        kept -= set(self.borrowed.values())
        self.donated = tuple([i for i in sorted(kept) if _is_large(self.written[i])])
        self.fast_call: Callable[..., Any] | None = None
        self.sharding_name: str | None = None
        self.sharding_runs: dict[tuple[bool, ...], Callable[..., Any]] = {}
        self._closed = closed
        self.depends_on_precision = on_gpu() and has_single_products(jaxpr)
        if self.depends_on_precision:
            TensorFloat32.programs.add(self)
        self.rebuild()
        self.seconds = time.perf_counter() - start

    def rebuild(self) -> None:
        """Makes `run`, for the present setting of how exact float32 products are."""
        closed = self._closed
        if self.depends_on_precision:
            rounded = with_rounding(closed.jaxpr, TensorFloat32.allowed)
            closed = closed.replace(jaxpr=rounded)
        jaxpr = closed.jaxpr
        rolling = rolled(jaxpr, {*jaxpr.invars})
        self.loops = [] if rolling is None else rolling.runs

        def program(*values: Any) -> list[Any]:
            if rolling is not None:
                return _own_outputs(jaxpr, rolling(closed.consts, values))
            return _own_outputs(jaxpr, jax_core.jaxpr_as_fun(closed)(*values))

        self.traced = program
        self.sharding_runs.clear()
        only = (lambda *values: program(*values)[0]) if self.single_output else program
        options = compiler_options(jaxpr)
        self.run = jax.jit(only, donate_argnums=self.donated, compiler_options=options)

    def _describe_state(self, graph: Graph) -> None:
        """Stores the variables and random streams that the program uses."""
        held = [n for n in graph.nodes if is_read(n) or is_assignment(n)]
        variables: dict[int, Variable] = {}
        for node in held:
            variables.setdefault(node.params["variable"]._id, node.params["variable"])
        assigned = {n.params["variable"]._id for n in held if is_assignment(n)}
        self.written = [v for i, v in variables.items() if i in assigned]
        self.read = [v for i, v in variables.items() if i not in assigned]
        self.state = [*self.written, *self.read]
        sources: dict[Any, list[Any]] = {}
        for draw in [n.primitive for n in graph.nodes if isinstance(n.primitive, Draw)]:
            if not draw.seeds:
                found = sources.setdefault(draw.stream, [])
                if not found or _moves_on(draw.stream):
                    found.append(draw.draw_key)
        self.streams = list(sources)
        self.keys: list[Callable[[], Any]] = [*map(_KeySources, sources.values())]

    def _arguments_by_symbol(self, graph: Graph) -> dict[Symbol, int]:
        """Returns the position of the argument for each input and first read of a variable."""
        first = len(self.state) + len(self.keys)
        found = {x: first + i for i, x in enumerate(graph.inputs)}
        places = {v._id: i for i, v in enumerate(self.state)}
        for node in graph.nodes:
            if is_assignment(node):
                places.pop(node.params["variable"]._id, None)
            elif is_read(node) and (place := places.get(node.params["variable"]._id)) is not None:
                found[node.outputs[0]] = place
        return found

    def _traced(self, graph: Graph, specs: Sequence[Any], compiler: Compiler) -> Any:
        """Returns the program as a closed jaxpr."""
        n, m = len(self.state), len(self.state) + len(self.keys)

        def traced(*values: Any) -> list[Any]:
            compiler.state = {v._id: x for v, x in zip(self.state, values[:n], strict=True)}
            compiler.engines = {
                stream: TracedEngine(_key_of(stream, key, compiler.sharding))
                for stream, key in zip(self.streams, values[n:m], strict=True)
            }
            with compiler.scope():
                outs = lowered(graph, [*map(Tensor, values[m:])], compiler)
            new = [compiler.state[v._id] for v in self.written]
            return [jnp.asarray(y) for y in [*[outs[i]._value for i in self.places], *new]]

        axes = compiler.sharding and compiler.sharding.axes
        return jax.make_jaxpr(traced, axis_env=axes)(*self._state_specs(), *specs)

    def _state_specs(self) -> list[Any]:
        return [*map(state_spec, self.state)] + [
            jax.ShapeDtypeStruct((2,), np.uint32) for _ in self.keys
        ]

    def lowered(self, specs: Sequence[Any]) -> jax.stages.Lowered:
        """Returns the lowered program for inputs of these shapes and dtypes."""
        with jax.enable_x64(True):
            return self.run.lower(*self._state_specs(), *specs)

    def filled(self, outs: Sequence[Tensor]) -> list[Any]:
        """Returns the graph's outputs: computed values and constants, and None for all others."""
        found: list[Any] = [None if y is None else Tensor(y) for y in self._known]
        for i, y in zip(self.places, outs, strict=True):
            found[i] = y
        return found

    def assign(self, arrays: Sequence[Any]) -> None:
        """Gives the written variables their new values."""
        for variable, array in zip(self.written, arrays, strict=True):
            if variable._replicated:
                variable._settle()
            move_variable(variable, array)

    def description(self) -> list[str]:
        """Describes the program in lines of text."""
        count, results = self.operations, len(self.places)
        lines = [f"{count} operations traced in {self.seconds:.2f} s, {results} results"]
        lines += [
            f"{run.count} equal steps of {run.period} operations became a loop"
            for run in self.loops
        ]
        if self.written:
            where = "in place" if self.donated else "into new memory"
            lines.append(f"writes {', '.join(v.name for v in self.written)} ({where})")
        if self.read:
            lines.append(f"reads {', '.join(v.name for v in self.read)}")
        if self.keys:
            lines.append(f"draws random numbers from {len(self.keys)} streams")
        if self.has_callbacks:
            lines.append("calls back to NumPy for operations that XLA lacks")
        return lines


class _KeySources(list[Callable[[], Any]]):
    """Draws a key for each run of a program, and advances the stream by all draws of the run."""

    def __call__(self) -> Any:
        return next(iter([draw() for draw in self]))


def _moves_on(stream: Any) -> bool:
    """Whether a stream advances with every draw, as that of a `tf.random.Generator` does."""
    return type(stream.stream if type(stream) is OfReplica else stream) is int


def _key_of(stream: Any, key: Any, sharding: Any) -> Any:
    """Returns a stream's key, which may differ between replicas."""
    return sharding.key(key, stream.differs) if type(stream) is OfReplica else key


def state_spec(x: Any) -> jax.ShapeDtypeStruct:
    """Returns the current shape and dtype of a tensor or variable as a `jax.ShapeDtypeStruct`."""
    if isinstance(x, Variable) and x._replicated:
        value = x._primary()
    else:
        array = device_array(x)
        value = x._value if array is None else array
    return jax.ShapeDtypeStruct(value.shape, value.dtype)


def _own_outputs(jaxpr: Any, outs: Sequence[Any]) -> list[Any]:
    """Copies those outputs of a program that are also an input or another output.

    Each output must own its memory, since the memory of a variable is donated to its next value.
    """
    seen = {*jaxpr.invars, *jaxpr.constvars}
    own = []
    for atom, value in zip(jaxpr.outvars, outs, strict=True):
        shared = isinstance(atom, jax_core.Literal) or atom in seen
        own.append(jnp.copy(value) if shared else value)
        if not shared:
            seen.add(atom)
    return own


def _is_large(variable: Variable) -> bool:
    """Whether a variable's memory is large enough to be donated to its next value.

    If a program fails, donated values are lost, and donating small values saves nothing.
    """
    return int(variable.shape.num_elements() or 0) * variable.dtype.size >= DONATED_BYTES


def _uses_64_bits(jaxpr: Any) -> bool:
    """Whether a program has 64-bit values, for which a JAX setting is needed."""
    atoms = [*jaxpr.invars, *jaxpr.constvars, *jaxpr.outvars]
    for eqn in jaxpr.eqns:
        atoms += [*eqn.invars, *eqn.outvars]
        if any(map(_uses_64_bits, jax_core.jaxprs_in_params(eqn.params))):
            return True
        if any(getattr(p, "itemsize", 0) == 8 for p in eqn.params.values()):
            return True
    return any(getattr(a.aval, "dtype", np.dtype(np.bool_)).itemsize >= 8 for a in atoms)


def _calls_back(jaxpr: Any) -> bool:
    """Whether a program calls Python functions while it runs."""
    return any(
        "callback" in eqn.primitive.name
        or any(map(_calls_back, jax_core.jaxprs_in_params(eqn.params)))
        for eqn in jaxpr.eqns
    )
