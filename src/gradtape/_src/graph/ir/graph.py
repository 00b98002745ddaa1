"""The graph of a function: operations on symbols, which have a shape and a dtype but no value.

Graphs are independent of NumPy and XLA, which run them: see `numpy_program` and `xla`.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from gradtape._src.autograph import python_functions
from gradtape._src.base.dtypes import dtype_of
from gradtape._src.base.errors import OperatorNotAllowedInGraphError
from gradtape._src.base.scope_stacks import around_init_scope
from gradtape._src.core.recorder import active_tapes
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.unknown_sizes import Decisions, Lengths, lengths, renewed, sizes_in
from gradtape._src.ops.elementwise.identities import ensure_shape

if TYPE_CHECKING:
    from gradtape._src.core.primitive import Primitive

_OURS = __file__.rpartition("_src")[0]
_PYTHON_FUNCTIONS = python_functions.__file__


class CannotTrace(BaseException):
    """Ends the tracing of a function that needs a value, and so has to run as Python code.

    It is not an `Exception`, so that the program's handlers don't catch it.
    """


class NeedsValue(CannotTrace):
    """The value of a symbol was requested."""


class NeedsConstants(CannotTrace):
    """`tf.gradients` was called for a constant; the trace begins again and keeps all constants."""


@cache
def _is_users(file: str) -> bool:
    return not file.startswith((_OURS, "<frozen")) and "/numpy/" not in file


@cache
def _ways() -> dict[Any, str]:
    """Returns the methods of tensors that request a value, with their code objects as keys."""
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
)


def _asker() -> tuple[str, Any]:
    """Returns the method of a tensor that is requesting a value, and the frame that called it."""
    frame, ways, way = sys._getframe(2), _ways(), ""
    while frame.f_code in ways and frame.f_back is not None:
        way = ways[frame.f_code]
        frame = frame.f_back
    return way, frame


def _asked_by_program() -> bool:
    """Whether the program reads a tensor's dtype, rather than an operation."""
    frame = sys._getframe(2)
    while frame.f_code in _TELLING and frame.f_back is not None:
        frame = frame.f_back
    return _is_users(frame.f_code.co_filename)


_TELLING = {dtype_of.__code__, vars(Tensor)["dtype"].fget.__code__}


Spec = tuple[tuple[int, ...], np.dtype[Any]]
"""The shape and dtype of a value."""


class KnownSpec(tuple[tuple[int, ...], np.dtype[Any]]):
    """The shape and dtype of a value; equal specs are the same object, compared by identity.

    Made by `spec_of`.
    """

    __slots__ = ()
    __eq__ = object.__eq__
    __ne__ = object.__ne__
    __hash__ = object.__hash__


_specs: dict[Any, KnownSpec] = {}
_MOST = 1 << 14  # the maximum size of the table of specs
NUMBERS: dict[type, KnownSpec] = {}  # the specs of scalars, by NumPy's type


def spec_of(shape: tuple[int, ...], dtype: np.dtype[Any]) -> KnownSpec | None:
    """Returns the spec of a shape and dtype; None if a length is unknown."""
    if type(shape) is not tuple:
        return None
    found = _specs.get((shape, dtype))
    if found is None:
        if len(_specs) >= _MOST:
            _specs.clear()  # facts about older specs are computed again
            NUMBERS.clear()
        found = _specs.setdefault((shape, dtype), KnownSpec((shape, dtype)))
        if shape == ():
            NUMBERS[dtype.type] = found
    return found


class Symbol:
    """A value that is known when its graph runs: an input of the graph, or an output of a node.

    Args:
      shape: The length of each axis.
      dtype: NumPy's dtype of the elements.
      owner: The tracer that makes the graph.

    Attributes:
      spec: Its shape and dtype, or None if more than that is known about it.
      dtype: Like `np_dtype`, until the graph is finished.
      elements: An array of lengths, for a value that is computed from unknown lengths; else None.
    """

    __slots__ = ("__weakref__", "dtype", "elements", "np_dtype", "owner", "shape", "spec")
    # A NumPy array on the left of an operator leaves the operation to this class.
    __array_ufunc__ = None

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any], owner: Any) -> None:
        self.shape: Any = lengths(shape)
        self.np_dtype, self.owner = dtype, owner
        self.spec = spec_of(self.shape, dtype)
        if not owner.finished:
            self.dtype = dtype
        self.elements: Any = None

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
        return f"<symbol {id(self):#x}: shape={self.shape}, dtype={self.np_dtype}>"

    def consists_of(self, elements: Any) -> None:
        """Records how the value is computed from unknown lengths; None has no effect."""
        if elements is not None:
            self.elements, self.spec = elements, None

    def out_of_scope(self) -> TypeError:
        """Returns the error for a tensor that is used after its function was traced."""
        return TypeError(
            f"<tf.Tensor: shape={self.shape}, dtype={self.np_dtype}> is out of scope and cannot be "
            "used here. Use return values, explicit Python locals or TensorFlow collections to "
            "access it. (It leaked out of the trace of a tf.function: its value is known only "
            "when that runs: return it from that function.)"
        )

    @property
    def is_static(self) -> bool:
        """Whether TensorFlow would know the value while the function is traced, if it is known."""
        static: bool = self.owner.finished or self.owner.view.is_static(self)
        return static

    @property
    def device_in_graph(self) -> str:
        """The device that the program chose for its operation; empty if it chose none."""
        device: str = "" if self.owner.finished else self.owner.device_of(self)
        return device

    # Attributes of a tensor that are available while its function is traced.

    @property
    def tensor_name(self) -> str:
        """The tensor's name in its graph, such as "add:0"."""
        name: str = self.owner.view.name_of(self)
        return name

    def hash_in_graph(self) -> int | None:
        """Returns the hash of its tensors; None if they are not hashable, as in functions."""
        return None if self.owner.open_graph is None else id(self)

    def is_in(self, x: object) -> bool | None:
        """Whether this is the value of `x`; None if tensors are compared elementwise."""
        if self.owner.open_graph is None:
            return None
        return type(x) is Tensor and x._value is self

    def of_graph(self, name: str) -> object:
        """Returns an attribute that tensors of graphs have, such as `name`, `op` or `graph`."""
        view = self.owner.view
        if name == "eval":
            return view.evaluation(self)
        if name == "value_index":
            return view.producer(self)[1]
        if name == "name":
            return view.name_of(self)
        if name == "op":
            return view.producer(self)[0]
        return view if name == "graph" else lambda: view.consumers(self)

    def narrow(self, x: Tensor, shape: Any) -> None:
        """Refines the shape of a tensor with this value."""
        if isinstance(self.shape, Lengths):
            known = ensure_shape(x, shape)
            x._value, x._id = known._value, known._id

    def before_iteration(self) -> None:
        """Raises an error if the program, rather than the library, iterates over the tensor."""
        frame = sys._getframe(2)
        if frame.f_code.co_filename == _PYTHON_FUNCTIONS and frame.f_back is not None:
            frame = frame.f_back  # the program called `enumerate` or `zip`
        if _is_users(frame.f_code.co_filename):
            raise _no_iteration()

    def before_len(self) -> None:
        """Raises an error if the program, rather than the library, calls `len` on the tensor."""
        if _is_users(sys._getframe(2).f_code.co_filename):
            raise TypeError(
                f"len is not well defined for a symbolic Tensor ({self.tensor_name}). Please call "
                "`x.shape` rather than `len(x)` for shape information."
            )

    # The methods by which Python and NumPy request a value. A program gets TensorFlow's error; an
    # operation that needs the value ends the tracing.

    def _asked(self, *_: Any, **__: Any) -> Any:
        way, frame = _asker()
        if self.owner.finished and way not in ("numpy", "to_numpy"):
            raise self.out_of_scope()
        by_user = _is_users(frame.f_code.co_filename)
        if not by_user:
            known = self.owner.known_value(self)
            if known is None:
                raise self._unknown(f"{frame.f_code.co_qualname} needs a value")
            return known
        refusal = _REFUSALS.get(way, _no_number)
        error = refusal()
        raise error

    numpy = __array__ = _asked

    def __bool__(self) -> bool:
        return bool(self._asked())

    def __int__(self) -> int:
        return int(self._asked())

    __index__ = __int__

    def __float__(self) -> float:
        return float(self._asked())

    def __complex__(self) -> complex:
        return complex(self._asked())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # attributes that NumPy and Python look up
            raise AttributeError(name)
        if self.owner.finished:
            if name == "dtype" and _asked_by_program():
                return self.np_dtype
            raise self.out_of_scope()
        known = self.owner.known_value(self)
        if known is None:
            raise self._unknown(f"an operation needs `{name}` of a symbolic value")
        return getattr(known, name)

    def _unknown(self, why: str) -> BaseException:
        """Returns the error for an operation that needs the value."""
        lifted_out = any(tracer.reaches(self.owner) for tracer in around_init_scope.get())
        return self.out_of_scope() if lifted_out else self.owner.needs_value(why)

    # Operators, for code that computes with raw values of any kind. They are operations of a graph.

    def _recorded(self, operation: Callable[..., Tensor], *operands: Any) -> Any:
        if active_tapes() is not None:  # no graph is open, so that its kernel would end here again
            raise self.out_of_scope()
        return operation(*map(Tensor, operands))._value

    def __add__(self, other: Any) -> Any:
        return self._recorded(operator.add, self, other)

    def __sub__(self, other: Any) -> Any:
        return self._recorded(operator.sub, self, other)

    def __mul__(self, other: Any) -> Any:
        return self._recorded(operator.mul, self, other)

    def __radd__(self, other: Any) -> Any:
        return self._recorded(operator.add, other, self)

    def __rsub__(self, other: Any) -> Any:
        return self._recorded(operator.sub, other, self)

    def __rmul__(self, other: Any) -> Any:
        return self._recorded(operator.mul, other, self)

    def __neg__(self) -> Any:
        return self._recorded(operator.neg, self)


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


def _no_iteration() -> OperatorNotAllowedInGraphError:
    return OperatorNotAllowedInGraphError(
        "Iterating over a symbolic `tf.Tensor` is not allowed. You can attempt the following "
        "resolutions to the problem: If you are running in Graph mode, use Eager execution mode or "
        "decorate this function with @tf.function, which converts `for x in tensor`. (tf.unstack "
        "gives the parts of a tensor as a list, and tf.map_fn applies a function to each.)"
    )


def _no_number() -> TypeError:
    return TypeError(
        "a symbolic tf.Tensor was converted to a Python number, but its value is known only when "
        "the function runs. Return the tensor, or compute with TensorFlow's functions."
    )


_REFUSALS = {
    "numpy": _no_numpy,
    "to_numpy": _no_numpy,
    "__array__": _no_array,
    "__bool__": _no_bool,
}


def new_symbol(spec: KnownSpec, owner: Any) -> Symbol:
    """Returns a symbol with a spec; this takes half as long as a call of the class."""
    made: Symbol = _new(Symbol)
    made.shape, dtype = spec
    made.dtype = made.np_dtype = dtype
    made.spec, made.owner, made.elements = spec, owner, None
    return made


_new: Any = object.__new__


def end(groups: Iterable[Iterable[Symbol]]) -> None:
    """Ends groups of symbols, whose graph is finished: operations that read their dtype fail."""
    for symbols in groups:
        for x in symbols:
            try:
                del x.dtype
            except AttributeError:  # it has ended already
                continue


class Node:
    """One operation of a graph.

    Args:
      primitive: The operation.
      inputs: Symbols, and raw values for constants.
      params: Its parameters.
      outputs: The output symbols.
      several: Whether the outputs are a tuple.
      stateful: Whether it has side effects or reads state, so that it runs in program order, once
        per run.
      line: The `Origin` of the node.
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
        self.primitive = primitive
        self.inputs = tuple(inputs)
        self.params = params
        self.outputs = tuple(outputs)
        self.several = several
        self.stateful = stateful
        self.line = line

    def with_inputs(self, inputs: Sequence[Any]) -> Node:
        """Returns a node that computes these outputs from other inputs."""
        return self._with(inputs, self.params)

    def with_params(self, params: dict[str, Any]) -> Node:
        """Returns a node that computes these outputs with other parameters."""
        return self._with(self.inputs, params)

    def _with(self, inputs: Sequence[Any], params: dict[str, Any]) -> Node:
        outputs, several, stateful = self.outputs, self.several, self.stateful
        return Node(self.primitive, inputs, params, outputs, several, stateful, self.line)

    def specs(self, lengths: dict[str, Any], decisions: Decisions) -> list[Any]:
        """Returns the shapes and dtypes of the outputs in another graph; see `renewed`."""
        shapes = renewed([y.shape for y in self.outputs], lengths, decisions)
        return [(shape, y.np_dtype) for shape, y in zip(shapes, self.outputs, strict=True)]

    def __repr__(self) -> str:
        return f"<node {self.primitive.name} {[*self.outputs]}>"


def new_node(
    primitive: Primitive,
    inputs: tuple[Any, ...],
    params: dict[str, Any],
    outputs: tuple[Symbol, ...],
    stateful: bool,
    line: Any,
) -> Node:
    """Returns a node with one output; it takes half as long as a call of the class."""
    made: Node = _new(Node)
    made.primitive, made.inputs, made.params = primitive, inputs, params
    made.outputs, made.line = outputs, line
    made.several, made.stateful = False, stateful
    return made


class Graph:
    """Operations in an order in which they can run.

    Args:
      inputs: The input symbols.
      nodes: The operations.
      outputs: The outputs: symbols, and raw values for constants.
      checks: The conditions on unknown lengths of its own nodes that were decided during tracing,
        and whether each of them holds.
      unknown: Whether a length is known only when it runs; None if that isn't determined yet.
    """

    __slots__ = ("__weakref__", "_unknown", "checks", "inputs", "nodes", "outputs")

    def __init__(
        self,
        inputs: Sequence[Symbol],
        nodes: Sequence[Node],
        outputs: Sequence[Any],
        checks: Sequence[tuple[str, bool]] = (),
        unknown: bool | None = None,
    ) -> None:
        self.inputs, self.nodes, self.outputs = list(inputs), list(nodes), list(outputs)
        self.checks = tuple(checks)
        self._unknown = unknown

    def with_nodes(self, nodes: Sequence[Node]) -> Graph:
        """Returns a graph that has only some of the nodes."""
        return Graph(self.inputs, nodes, self.outputs, self.checks, self._unknown and None)

    def has_unknown_lengths(self) -> bool:
        """Whether a value in the graph has a length that is known only when it runs."""
        if self._unknown is None:
            made = [y for node in self.nodes for y in node.outputs if y.spec is None]
            open_ = [*[x for x in self.inputs if x.spec is None], *made]
            self._unknown = any(isinstance(x.shape, Lengths) for x in open_)
        return self._unknown

    def decisions(self) -> Decisions | None:
        """Returns the decisions about the graph's unknown lengths; None if they aren't recorded."""
        if not self.has_unknown_lengths():
            return None
        made = [y for node in self.nodes for y in node.outputs]
        sizes = sizes_in([x.shape for x in (*self.inputs, *made)])
        return next(sizes).decisions

    def __repr__(self) -> str:
        return f"<graph of {len(self.nodes)} nodes, {len(self.inputs)} inputs>"
