"""The fast call path of compiled functions, which uses a single Python frame; needs JAX."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from string import Template
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from gradtape._src.base.device_values import (
    MISSING,
    device_array,
    fetch_missing,
    note_array,
    note_variable,
    state_lock,
)
from gradtape._src.base.display import fetched
from gradtape._src.compute.devices import apply_processor_count, chosen_device
from gradtape._src.core.recorder import active_tapes
from gradtape._src.core.stored_value import Stored
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.graph.replica_hooks import CACHE_MISS, eager_in_replica, never
from gradtape._src.graph.signatures import tensor_key
from gradtape._src.xla.placement import rerun

if TYPE_CHECKING:
    from gradtape._src.graph.trace import Trace
    from gradtape._src.xla.program import Program

apply_processor_count()
fetch_missing(Tensor, fetched)
fetch_missing(Stored, Stored._missing)
CPU = jax.default_backend() == "cpu"
_new = object.__new__


def on_device(x: Tensor) -> jax.Array | np.ndarray[Any, Any] | np.generic:
    """Returns a tensor's value for a program: a device array, or a NumPy array the first time.

    Passing a NumPy array directly is the fastest for a tensor that is used once. When a tensor is
    passed again, its value is moved to the device and stays there as long as the tensor exists.
    """
    array = device_array(x)
    if array is not None:
        return array
    if not x._was_passed:
        x._was_passed = True
        return x._value
    return on_device_whole(x)


def on_device_whole(x: Tensor) -> jax.Array:
    """Returns a tensor's value for a 64-bit program.

    JAX would convert NumPy arrays to 32 bits.
    """
    with jax.enable_x64(True):
        array = jax.numpy.asarray(x._value)
    note_array(x, array)
    return array


def from_device(array: Any) -> Tensor:
    """Returns a tensor of a program's output, which is converted to NumPy when it is needed."""
    x = _new(Tensor)
    x._id = 0
    x._device = array
    return x


def variable_on_device(variable: Variable) -> jax.Array:
    """Returns a variable's value on the device, where it stays between the calls of programs."""
    if variable._replicated:
        return jax.numpy.array(variable._value)  # The value lies on several devices.
    array = device_array(variable)
    if array is None:
        with state_lock, jax.enable_x64(True):
            array = device_array(variable)  # Another thread may have moved the value.
            if array is None:
                # A copy, since programs may write to its memory.
                array = jax.numpy.array(variable._value)
                note_variable(variable, array)
    return array


def donatable(variable: Variable, array: Any) -> jax.Array:
    """Returns a variable's array that can be donated: a copy if a tape still needs the value."""
    return jax.numpy.array(array) if variable._vjps else array


def fast_call(
    program: Program, trace: Trace, keys: Sequence[Any]
) -> Callable[[tuple[Any, ...]], Any] | None:
    """Returns a function of positional arguments that runs a program or returns CACHE_MISS.

    It handles calls whose arguments are all tensors of the program's shapes and dtypes, outside of
    tapes, replicas and `tf.device`. Its code is generated for the program, because Python's loops
    and frames would cost half as much time as JAX needs for a small program.

    Args:
      program: The program to run.
      trace: The trace to which the program belongs.
      keys: The keys of the calls that it handles.

    Returns:
      The function, or None if the program can't be called in this way.
    """
    if not all(type(k) is tuple and type(k[0]) is tuple for k in keys):
        return None  # one of the inputs is not a tensor argument
    if any(v._replicated or not v.shape.is_fully_defined() for v in program.state):
        return None  # the value is on several devices, or may change its shape
    scope = dict(_SCOPE, program=program, trace=trace, draws=program.keys)
    scope["pack"] = lambda outs: trace.packed(program.filled(outs))
    scope["run"] = _run_of(program)
    scope["known"] = on_device_whole if program.x64 else on_device
    for i, key in enumerate(keys):
        scope[f"key{i}"] = key
    for i, x in enumerate(trace.captured):
        scope[f"c{i}"] = on_device_whole(x)
    for i, variable in enumerate(program.state):
        scope[f"variable{i}"], scope[f"state{i}"] = variable, variable.__dict__
    for i, output in enumerate(program.outputs):
        scope[f"outkey{i}"] = output.shape, output.dtype
    code = compile(_code(program, trace), f"{__file__} (call)", "exec")
    exec(code, scope)  # noqa: S102 (made below, of numbers alone)
    call: Callable[[tuple[Any, ...]], Any] = scope["call"]
    return call


_SCOPE: dict[str, Any] = {
    "tapes": active_tapes,
    "nobody": (),
    "replica": eager_in_replica,
    "never": never,
    "place": chosen_device,
    "otherwise": CACHE_MISS,
    "Tensor": Tensor,
    "new": _new,
    "key_of": tensor_key,
    "fetched": variable_on_device,
    "donatable": donatable,
    "missing": MISSING,
    "rerun": rerun,
    "lock": state_lock,
}


_CALL = """
def call(args):
    if len(args) != $inputs or tapes() is not nobody:
        return otherwise
    if place() is not None or replica[-1] is not never:
        return otherwise
    [$names] = args$checked
    trace.calls += 1$ran$made
    return $result
"""
_CHECKED = """
    if type(x#) is not Tensor or (x#._key or key_of(x#)) != key#:
        return otherwise
    a# = x#._device
    if a# is None:
        a# = known(x#)"""
_RAN = """$read
    try:
        $outs = run($values)
        $ready
    except Exception as error:$again
        $outs = rerun(program, [$values], [*args, *trace.captured], error)$moved"""
_READ = """
    held = state#.get("_device")
    if held is None or state#.get("_value", missing) is not held[1]:
        v# = fetched(variable#)
    else:
        v# = held[0]"""
_AGAIN = """
        if "deleted" in str(error):  # given to what another thread wrote: the long way waits
            return otherwise"""
_MOVED = """
    state#.pop("_value", None)
    state#.pop("_buffer", None)
    state#["_device"] = (w#, missing)"""
_MADE = """
    t# = new(Tensor)
    t#._id = 0
    t#._device = y#
    t#._key = outkey#"""


def _code(program: Program, trace: Trace) -> str:
    """Returns the code of `call`, which uses `_SCOPE` and the variables of `fast_call`."""
    inputs = len(trace.key)
    ran = _ran(program, inputs, len(trace.captured))
    return _filled(
        _CALL,
        inputs=str(inputs),
        names=_each(inputs, "x#, "),
        checked=_each(inputs, _CHECKED),
        ran=_locked(ran) if program.written else ran,
        made=_each(len(program.places), _MADE),
        result=_result(program, trace),
    )


def _ran(program: Program, inputs: int, captured: int) -> str:
    """Returns the code that reads variables, runs the program, and assigns variables."""
    state, written, results = len(program.state), len(program.written), len(program.places)
    spent = "".join([f"\n    v{i} = donatable(variable{i}, v{i})" for i in program.donated])
    last = f"w{written - 1}" if written else f"y{results - 1}"
    drawn = "*[draw() for draw in draws], " if program.keys else ""
    several = f"[{_each(results, 'y#, ')}{_each(written, 'w#, ')}]"
    return _filled(
        _RAN,
        read=_each(state, _READ) + spent,
        outs="y0" if program.single_output else several,
        values=_each(state, "v#, ") + drawn + _each(inputs, "a#, ") + _each(captured, "c#, "),
        ready=f"{last}.block_until_ready()" if CPU and (written or results) else "pass",
        again=_AGAIN if state and not written else "",
        moved=_each(written, _MOVED),
    )


def _filled(text: str, **parts: str) -> str:
    return Template(text).substitute(parts)


def _locked(code: str) -> str:
    return "\n    with lock:" + code.replace("\n", "\n    ")


def _each(count: int, text: str) -> str:
    """Repeats a text, with `#` replaced by 0, 1, 2..."""
    return "".join([text.replace("#", str(i)) for i in range(count)])


def _result(program: Program, trace: Trace) -> str:
    """Returns the expression of the result in terms of the tensors t0, t1..."""
    tensors = _each(len(program.places), "t#, ")
    form = None if len(program.places) < len(trace.graph.outputs) else trace.form
    forms = {Tensor: "t0", type(None): "None", list: f"[{tensors}]", tuple: f"({tensors})"}
    return forms.get(form, f"pack([{tensors}])")


def _run_of(program: Program) -> Callable[..., Any]:
    """Returns a function that runs a program, which may be made again."""
    wrapped = _sixty_four if program.x64 else lambda run: run
    if not program.depends_on_precision:
        return wrapped(program.run)
    made: list[Callable[..., Any]] = []

    def call(*values: Any) -> Any:
        if not made or made[0] is not program.run:
            made[:] = program.run, wrapped(program.run)
        return made[1](*values)

    return call


def _sixty_four(run: Any) -> Callable[..., list[Any]]:
    """Returns a function that runs a 64-bit program outside of `jax.enable_x64`.

    Entering `jax.enable_x64` costs more than the call.
    """
    ready: list[Any] = []

    def call(*values: Any) -> Any:
        if not ready:
            with jax.enable_x64(True):  # JAX has compiled it before and uses its cache.
                ready.append(run.lower(*values).compile())
        return ready[0](*values)

    return call
