"""The graph of a function: operations over symbols, which have a shape and dtype and no value yet.

A graph knows neither how NumPy nor how XLA runs it: `numpy_program` and `xla` read it.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Sequence
from functools import cache
from math import prod
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from gradtape._src.base.dtypes import dtype_of
from gradtape._src.base.errors import OperatorNotAllowedInGraphError
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.unknown_sizes import Lengths, lengths

if TYPE_CHECKING:
    from gradtape._src.core.primitive import Primitive

_OURS = __file__.rpartition("_src")[0]
_numbers = itertools.count()


class CannotTrace(BaseException):
    """Ends the tracing of a function that needs a value while it is traced: it runs as Python.

    It is no `Exception`, so that no handler of the program's takes it for an error of its own.
    """


@cache
def _is_users(file: str) -> bool:
    return not file.startswith((_OURS, "<")) and "/numpy/" not in file


@cache
def _ways() -> dict[Any, str]:
    """The methods of tensors through which a value is asked for, by their code."""
    return {getattr(Tensor, name).__code__: name for name in _ASKING}


_ASKING = (
    "__array__",
    "__bool__",
    "__complex__",
    "__float__",
    "__index__",
    "__int__",
    "_numpy",
    "numpy",
    "__getattr__",
)


def _asker() -> tuple[str, Any]:
    """Through which method of a tensor a value is asked for, and the frame that called it."""
    frame, ways, way = sys._getframe(2), _ways(), ""
    while frame.f_code in ways and frame.f_back is not None:
        way = ways[frame.f_code]
        frame = frame.f_back
    return way, frame


def _asked_by_program() -> bool:
    """Whether a program asks for a tensor's dtype, and not an operation that is to compute."""
    frame = sys._getframe(2)
    while frame.f_code in _TELLING and frame.f_back is not None:
        frame = frame.f_back
    return _is_users(frame.f_code.co_filename)


_TELLING = {dtype_of.__code__, vars(Tensor)["dtype"].fget.__code__}


class Symbol:
    """A value that is known when its graph runs: an input of it, or what one of its nodes gives.

    Args:
      shape: The extent along each axis.
      dtype: NumPy's dtype of the elements.
      owner: The tracer that makes the graph.

    Attributes:
      elements: Of what was computed of unknown lengths: an array of them; None otherwise.
      number: Tells symbols apart, in the order in which they were made.
    """

    __slots__ = ("__weakref__", "elements", "np_dtype", "number", "owner", "shape")
    __array_ufunc__ = None  # an array on the left of an operator gives way

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any], owner: Any) -> None:
        self.shape: Any = lengths(shape)
        self.np_dtype, self.owner = dtype, owner
        self.elements: Any = None
        self.number = next(_numbers)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return prod(self.shape)

    @property
    def itemsize(self) -> int:
        return self.np_dtype.itemsize

    @property
    def nbytes(self) -> int:
        return self.size * self.np_dtype.itemsize

    def __repr__(self) -> str:
        return f"<symbol {self.number}: shape={self.shape}, dtype={self.np_dtype}>"

    @property
    def dtype(self) -> np.dtype[Any]:
        """NumPy's dtype of the elements.

        Raises:
          TypeError: An operation asks, and the graph is finished: the tensor was kept from when it
            was traced.
        """
        if self.owner.finished and not _asked_by_program():
            raise self.out_of_scope()
        return self.np_dtype

    def out_of_scope(self) -> TypeError:
        """The error for a tensor that is used after its function was traced."""
        return TypeError(
            f"<tf.Tensor: shape={self.shape}, dtype={self.np_dtype}> is out of scope and cannot be "
            "used here. Use return values, explicit Python locals or TensorFlow collections to "
            "access it. (It was made while a tf.function was traced, and its value is known only "
            "when that runs: return it from that function.)"
        )

    # What a program may ask of a tensor while its function is traced.

    @property
    def tensor_name(self) -> str:
        """The tensor's name in its graph, such as "add:0"."""
        name: str = self.owner.view.name_of(self)
        return name

    def of_graph(self, name: str) -> object:
        """An attribute that tensors of graphs have: `name`, `op`, `graph` or `consumers`."""
        view = self.owner.view
        if name == "name":
            return view.name_of(self)
        if name == "op":
            return view.producer(self)[0]
        return view if name == "graph" else lambda: view.consumers(self)

    # What Python and NumPy ask of a value. A program gets TensorFlow's error; an operation that
    # needs the value ends the tracing.

    def _asked(self, *_: Any, **__: Any) -> NoReturn:
        if self.owner.finished:
            raise self.out_of_scope()
        way, frame = _asker()
        by_user = _is_users(frame.f_code.co_filename)
        if not by_user:
            raise CannotTrace(f"{frame.f_code.co_qualname} needs a value")
        refusal = _REFUSALS.get(way, _no_number)
        error = refusal()
        raise error

    numpy = _asked
    __array__ = __bool__ = __int__ = __float__ = __complex__ = __index__ = _asked

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what NumPy and Python look for
            raise AttributeError(name)
        if self.owner.finished:
            raise self.out_of_scope()
        raise CannotTrace(f"an operation asked for `{name}` of a symbolic value")

    # Operators, for code that computes with raw values of whatever kind.

    def __add__(self, other: Any) -> Any:
        return (Tensor(self) + Tensor(other))._value

    def __sub__(self, other: Any) -> Any:
        return (Tensor(self) - Tensor(other))._value

    def __mul__(self, other: Any) -> Any:
        return (Tensor(self) * Tensor(other))._value

    def __radd__(self, other: Any) -> Any:
        return (Tensor(other) + Tensor(self))._value

    def __rsub__(self, other: Any) -> Any:
        return (Tensor(other) - Tensor(self))._value

    def __rmul__(self, other: Any) -> Any:
        return (Tensor(other) * Tensor(self))._value

    def __neg__(self) -> Any:
        return (-Tensor(self))._value


def _no_numpy() -> AttributeError:
    return AttributeError("'SymbolicTensor' object has no attribute 'numpy'")


def _no_array() -> NotImplementedError:
    return NotImplementedError(
        "Cannot convert a symbolic tf.Tensor to a numpy array. This error may indicate that you're "
        "trying to pass a Tensor to a NumPy call, which is not supported."
    )


def _no_bool() -> OperatorNotAllowedInGraphError:
    return OperatorNotAllowedInGraphError(
        "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed. You can attempt the "
        "following resolutions to the problem: If you are running in Graph mode, use Eager "
        "execution mode or decorate this function with @tf.function. (tf.cond and tf.where choose "
        "by a tensor's value.)"
    )


def _no_number() -> TypeError:
    return TypeError(
        "a Python number was asked of a symbolic tf.Tensor, whose value is known only when the "
        "function runs. Return the tensor, or compute with TensorFlow's functions."
    )


_REFUSALS = {
    "numpy": _no_numpy,
    "to_numpy": _no_numpy,
    "__array__": _no_array,
    "__bool__": _no_bool,
}


class Node:
    """One operation of a graph.

    Args:
      primitive: The operation.
      inputs: Symbols, and raw values for constants.
      params: Its parameters.
      outputs: The symbols that it gives.
      several: Whether it gives a tuple.
      stateful: Whether it reads or changes something besides its inputs and outputs, so that it
        runs in the order of the program, and once per run.
      line: What made it, an `Origin`.
    """

    __slots__ = ("inputs", "line", "outputs", "params", "primitive", "several", "stateful")

    def __init__(
        self,
        primitive: Primitive,
        inputs: Sequence[Any],
        params: dict[str, Any],
        outputs: Sequence[Symbol],
        several: bool,
        stateful: bool = False,
        line: Any = None,
    ) -> None:
        self.primitive, self.inputs, self.params = primitive, tuple(inputs), params
        self.outputs, self.several = tuple(outputs), several
        self.stateful, self.line = stateful, line

    def with_inputs(self, inputs: Sequence[Any]) -> Node:
        """A node that computes these outputs from other inputs."""
        return Node(
            self.primitive,
            inputs,
            self.params,
            self.outputs,
            self.several,
            self.stateful,
            self.line,
        )

    def __repr__(self) -> str:
        return f"<node {self.primitive.name} {[x.number for x in self.outputs]}>"


class Graph:
    """Operations in an order in which they can run.

    Args:
      inputs: What the graph is given.
      nodes: The operations.
      outputs: What it gives: symbols, and raw values for constants.
    """

    __slots__ = ("__weakref__", "inputs", "nodes", "outputs")

    def __init__(
        self, inputs: Sequence[Symbol], nodes: Sequence[Node], outputs: Sequence[Any]
    ) -> None:
        self.inputs, self.nodes, self.outputs = list(inputs), list(nodes), list(outputs)

    def has_unknown_lengths(self) -> bool:
        """Whether some value in it has a length that is known only when it runs."""
        made = [y for node in self.nodes for y in node.outputs]
        return Lengths in {type(x.shape) for x in (*self.inputs, *made)}

    def __repr__(self) -> str:
        return f"<graph of {len(self.nodes)} nodes, {len(self.inputs)} inputs>"
