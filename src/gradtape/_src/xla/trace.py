"""Traces a Python function: runs it on tensors that hold JAX tracers; this module needs JAX.

The result is a JAX program (a jaxpr) of the XLA kernels of gradtape's operations. Tapes,
accumulators and vectorizers inside the function are above the `Compiler` on the stack of recorders,
so that their operations become part of the program, too. JAX's own differentiation is never used.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend import core as jax_core

from gradtape._src.base import nest
from gradtape._src.base.device_values import noted, put_back
from gradtape._src.core.extension_point import ExtensionPoint
from gradtape._src.core.primitive import Outputs, Primitive
from gradtape._src.core.recorder import STACK, Recorder, next_id, replaced
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.declare.traits import traits_of
from gradtape._src.graph.auto_jit import leave_out
from gradtape._src.graph.composite_arguments import emptied
from gradtape._src.graph.ir.random_draws import OfReplica
from gradtape._src.graph.ir.staged import CONCRETE
from gradtape._src.graph.ir.trace_errors import cannot_compile
from gradtape._src.xla.kernels.lookup import STRUCTURED, kernel_of
from gradtape._src.xla.loop_rolling import rolled
from gradtape._src.xla.random_state import TracedEngine
from gradtape._src.xla.simplify import own_outputs, without_copies

structured: ExtensionPoint[Any] = ExtensionPoint("choices and loops of graphs that XLA compiles")
"""Provided by `lowering`."""


class Compiler(Recorder):
    """Adds operations on traced values to a program; operations on known values run eagerly.

    Attributes:
      held: The variables that were read or written, by id, in order.
      written: The variables that were written.
      keys: The random keys: `(draw a key, placeholder)` for each stream.
      count: The number of traced operations.
      sharding: The object that runs the program on several devices; None for one device.
    """

    stages = True
    defers = False

    def __init__(self, sharding: Any = None) -> None:
        self.sharding = sharding
        self.held: dict[int, tuple[Variable, Any, Any]] = {}
        self.written: dict[int, Variable] = {}
        self.keys: list[tuple[_KeySources, Any]] = []
        self.engines: dict[Any, TracedEngine] = {}
        self.seen: dict[int, weakref.ref[Tensor]] = {}
        self.count = 0
        self.scopes: list[ExitStack] = []
        self.local: dict[Any, TracedEngine] | None = None  # the streams of a replayed run

    @contextmanager
    def scope(self) -> Iterator[None]:
        """The tracing of a program, or of the body of a conditional or loop."""
        with ExitStack() as ending, replaced((self,)):
            self.scopes.append(ending)
            try:
                yield
            finally:
                self.scopes.pop()

    # Operations.

    def process(
        self, primitive: Primitive, inputs: Sequence[Tensor], params: dict[str, Any]
    ) -> Outputs:
        values = [x._value for x in inputs]
        known = True
        for x, v in zip(inputs, values, strict=True):
            if isinstance(v, CONCRETE):
                self.seen.setdefault(id(x), weakref.ref(x))
                if v.dtype.kind == "O":
                    raise cannot_compile(primitive.name, "XLA has no strings")
            else:
                known = False
        if known and primitive.name not in STRUCTURED and "of" not in params:
            return primitive.bind(*inputs, **params)
        self.count += 1
        if "of" in params:
            with replaced((self,)):
                own = [Tensor(v) for v in values]
                return tuple(structured.get()(self, params["of"], own))
        kernel = kernel_of(primitive)
        if kernel is None:
            raise cannot_compile(primitive.name, _why(primitive))
        if primitive.name in STRUCTURED:  # An error inside of it names its own line.
            return tuple(map(Tensor, kernel(*values, **params)))
        try:
            out = kernel(*values, **params)
        except (jax.errors.JAXTypeError, jax.errors.JAXIndexError):
            raise cannot_compile(primitive.name, _why(primitive)) from None
        return tuple(map(Tensor, out)) if type(out) is tuple else Tensor(out)

    def leave_out(self, operation: str) -> None:
        """Warns that the program omits a check."""
        leave_out(operation)

    def refuse(self, operation: str) -> None:
        """Raises UnimplementedError for an operation with side effects outside of tensors."""
        raise cannot_compile(
            operation,
            "it would happen once, while the function is traced, and not at every call. Do it "
            "before the call and pass the result as an argument",
        )

    # Variables: those that a program reads become its inputs.

    def hold(self, variable: Variable) -> None:
        """Replaces a variable's value by a tracer until tracing ends."""
        if variable._id in self.held:
            return
        value = variable._at_hand()
        if value is not None and not isinstance(value, CONCRETE):
            return  # bound by the caller, or created during tracing
        placeholder = _outside(variable._primary())
        self.held[variable._id] = (variable, placeholder, noted(variable))
        variable._stage(jnp.copy(placeholder))

    def variable_read(self, variable: Variable) -> None:
        self.hold(variable)

    def variable_written(self, variable: Variable) -> None:
        self.hold(variable)
        if variable._id in self.held:
            self.written[variable._id] = variable

    def read(self, variable: Variable) -> Tensor:
        """Returns a variable's value, or, for a strategy's variable, a replica's component."""
        self.hold(variable)
        return Tensor(variable._at_hand())

    def assign(self, variable: Variable, x: Tensor) -> None:
        """Assigns a variable, or, for a strategy's variable, a replica's component."""
        self.variable_written(variable)
        variable._put(x._value)

    def restore(self) -> list[Any]:
        """Restores the values of the variables, and returns the values that were assigned."""
        new = []
        for i, (variable, _, device) in self.held.items():
            last = variable._unstage()
            if i in self.written:
                new.append(last)
            put_back(variable, device)
        return new

    # Random numbers: each stream provides a key for every call of the program.

    def engine(
        self, stream: Any, draw_key: Callable[[], Any] | None, make: Any = None
    ) -> TracedEngine:
        """Returns a generator of random numbers inside the program.

        Args:
          stream: The identity of the stream.
          draw_key: A function that is called before each run of the program and returns two uint32,
            or None if the stream is a traced seed.
          make: Not used, since NumPy draws no numbers here.
        """
        if draw_key is None:
            return TracedEngine(jnp.ravel(stream).astype(np.uint32))
        whole = stream.stream if type(stream) is OfReplica else stream
        moves_on = type(whole) is int  # a tf.random.Generator, after every draw
        if self.local is not None:
            own = self.local.get(stream)
            if own is not None:
                return own
        found = self.engines.get(stream)
        if found is None:
            placeholder = _outside(np.zeros(2, np.uint32))
            self.keys.append((_KeySources([draw_key]), placeholder))
            key = jnp.copy(placeholder)
            if type(stream) is OfReplica:
                key = self.sharding.key(key, stream.apart)
            found = self.engines[stream] = TracedEngine(key)
        elif moves_on:
            place = list(self.engines).index(stream)
            self.keys[place][0].append(draw_key)
        return found

    @contextmanager
    def drawing(self, streams: Sequence[Any], keys: Sequence[Any]) -> Iterator[None]:
        """Makes streams draw from the keys of an earlier run."""
        before, self.local = self.local, dict(zip(streams, map(TracedEngine, keys), strict=True))
        try:
            yield
        finally:
            self.local = before


def _why(primitive: Primitive) -> str:
    return traits_of(primitive).no_xla or "XLA has no such operation here"


class _KeySources(list[Callable[[], Any]]):
    """Draws a key for each run of a program, and advances the stream by all its draws."""

    def __call__(self) -> Any:
        return next(iter([draw() for draw in self]))


def compiling() -> Compiler | None:
    """Returns the active compiler, or None."""
    return next((r for r in STACK.recorders if isinstance(r, Compiler)), None)


@contextmanager
def rebound(objects: Sequence[Any], values: Sequence[Tensor]) -> Iterator[None]:
    """Gives tensors and variables other values and identities inside a `with` block.

    Tapes keep the tensors that rules need. Therefore tensors are restored only when the outermost
    tracing ends. A variable is kept as the tensor that was read.
    """
    before = [(x, x._value, x._id, noted(x)) for x in objects]
    for x, value in zip(objects, values, strict=True):
        value._id = value._id or next_id()
        x._value, x._id = value._value, value._id

    def restore(tensors: bool) -> None:
        for x, value, i, device in before:
            if (type(x) is Tensor) is tensors:
                x._value, x._id = value, i
                put_back(x, device)

    compiler = compiling()
    if compiler is not None:
        compiler.scopes[-1].callback(restore, tensors=True)
    try:
        yield
    finally:
        restore(tensors=False)
        if compiler is None:
            restore(tensors=True)


class Program:
    """A traced function, which XLA compiles when it first runs.

    Attributes:
      written, read: The variables that the program writes, and those that it only reads.
      keys: Functions that draw the random keys.
      streams: The streams of the keys.
      sharding_name: The program's name in messages between processes, once it is needed.
      sharding_runs: The functions that run it on several devices, by the variables whose values
        differ between replicas.
      run: `(*written, *read, *keys, *inputs) -> [*outputs, *new values of written]`, flat.
      single_output: Whether `run` returns its only output without a list.
      flat_outputs: Whether the result is a list or tuple of the outputs.
      constants: Weak references to the tensors whose values are part of the program.
    """

    def __init__(
        self,
        function: Callable[[list[Tensor]], Any],
        specs: Sequence[Any],
        donate: bool = True,
        sharding: Any = None,
    ) -> None:
        start = time.perf_counter()
        compiler = Compiler(sharding)
        closed, result, flat = self._traced(function, specs, compiler)
        self._describe_state(compiler)
        self._describe_result(result, flat, closed.out_avals)
        self.single_output = self.single and not self.written
        self.x64 = _uses_64_bits(closed.jaxpr)
        self.has_callbacks = _calls_back(closed.jaxpr)
        slots = self._slots(compiler, closed.consts)
        self.staged = program = self._program(closed, slots)
        safe = donate and not self.has_callbacks
        self.donated = tuple([i for i, v in enumerate(self.written) if safe and _is_large(v)])
        self.donates = bool(self.donated)
        self.sharding_name: str | None = None
        self.sharding_runs: dict[tuple[bool, ...], Callable[..., Any]] = {}
        self.run = jax.jit(
            _only(program) if self.single_output else program, donate_argnums=self.donated
        )
        self.seconds = time.perf_counter() - start

    def _traced(
        self, function: Callable[[list[Tensor]], Any], specs: Sequence[Any], compiler: Compiler
    ) -> tuple[Any, Any, list[Any]]:
        """Returns the jaxpr with its constants, the function's result, and the leaves of that."""
        recipe: list[Any] = []

        def staged(*values: Any) -> Any:
            try:
                with compiler.scope():
                    out = function([Tensor(v) for v in values])
                    flat = nest.flatten(out, expand_composites=True)
                    outs = [x for x in flat if _is_traced(x)]
                    recipe.extend((out, flat))
            finally:
                new = compiler.restore()
            return [x._value for x in outs], [jnp.asarray(v) for v in new]

        axes = compiler.sharding and compiler.sharding.axes
        closed = jax.make_jaxpr(staged, axis_env=axes)(*specs)
        result, flat = recipe
        return closed, result, flat

    def _describe_state(self, compiler: Compiler) -> None:
        """Stores what the program uses in addition to its arguments: variables, keys, constants."""
        held = compiler.held.items()
        self.written = [v for i, (v, _, _) in held if i in compiler.written]
        self.read = [v for i, (v, _, _) in held if i not in compiler.written]
        self.state = [*self.written, *self.read]
        self.keys = [draw for draw, _ in compiler.keys]
        self.streams = dict.fromkeys(compiler.engines)
        self.constants = list(compiler.seen.values())
        self.operations = compiler.count

    def _describe_result(self, result: Any, flat: list[Any], avals: Sequence[Any]) -> None:
        """Stores how the function's result is made from the program's outputs, for `pack`."""
        traced = [_is_traced(x) for x in flat]
        self.flat_outputs = type(result) in (tuple, list) and all(map(_is_traced, result))
        self.split = [x._is_part for x, t in zip(flat, traced, strict=True) if t]
        self.flat = [None if t else x for x, t in zip(flat, traced, strict=True)]
        self.places = [i for i, t in enumerate(traced) if t]
        self.outputs = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in avals[: len(self.places)]]
        self.single = flat[0] is result and self.places == [0] if flat else False
        self.template = emptied(result)

    def _slots(self, compiler: Compiler, consts: Sequence[Any]) -> list[int | None]:
        """Returns for each constant of the jaxpr the input of the program that it is, or None."""
        places = {id(compiler.held[v._id][1]): i for i, v in enumerate(self.state)}
        first = len(self.state)
        places.update({id(p): first + i for i, (_, p) in enumerate(compiler.keys)})
        return [places.get(id(c)) for c in consts]

    def _program(self, closed: Any, slots: Sequence[int | None]) -> Callable[..., Any]:
        """Returns the function to compile, whose arguments are state, keys and inputs."""
        jaxpr = without_copies(closed.jaxpr)
        consts = [None if s is not None else c for c, s in zip(closed.consts, slots, strict=True)]
        n = len(self.state) + len(self.keys)
        varying = [v for v, s in zip(jaxpr.constvars, slots, strict=True) if s is not None]
        loops = rolled(jaxpr, {*jaxpr.invars, *varying})
        self.loops = [] if loops is None else loops.runs

        def program(*values: Any) -> Any:
            filled = [c if s is None else values[s] for c, s in zip(consts, slots, strict=True)]
            if loops is not None:
                return own_outputs(jaxpr, loops(filled, values[n:]))
            run = jax_core.jaxpr_as_fun(jax_core.ClosedJaxpr(jaxpr, filled))
            return own_outputs(jaxpr, run(*values[n:]))

        return program

    def lowered(self, specs: Sequence[Any]) -> jax.stages.Lowered:
        """Returns the lowered program for inputs of these shapes and dtypes."""
        state = [jax.ShapeDtypeStruct(v._value.shape, v.dtype.np_dtype) for v in self.state]
        keys = [jax.ShapeDtypeStruct((2,), np.uint32) for _ in self.keys]
        with jax.enable_x64(True):
            return self.run.lower(*state, *keys, *specs)

    def pack(self, outs: Sequence[Any]) -> object:
        """Returns the function's result, from the program's outputs as tensors."""
        if self.single:
            return outs[0]
        flat = [Tensor(x._value) if type(x) is Tensor else x for x in self.flat]
        for i, x in zip(self.places, outs, strict=True):
            flat[i] = x
        return nest.pack_sequence_as(self.template, flat, expand_composites=True)


def _only(program: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a program without the list around its one output."""
    return lambda *values: program(*values)[0]


DONATED_BYTES = 1 << 20


def _is_large(variable: Variable) -> bool:
    """Whether a variable's memory is large enough to be donated to its next value.

    If a program fails, donated values are lost, and donating small values saves nothing.
    """
    return int(variable.shape.num_elements() or 0) * variable.dtype.size >= DONATED_BYTES


def _outside(value: Any) -> Any:
    """Returns a placeholder array, which is later replaced by an input of the program."""
    with jax.ensure_compile_time_eval():
        return jnp.array(value)


def _is_traced(x: Any) -> bool:
    return type(x) is Tensor and not isinstance(x._value, CONCRETE)


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
