"""Registries of kernels, which run nodes, by operation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from gradtape._src.graph.ir.origins import Call, Origin
from gradtape._src.graphdef.attributes import Attributes, dtype_of_number
from gradtape._src.raw.op_definitions import OpDefinition, is_defined, op_definition

Kernel = Callable[[list[Any]], Sequence[Any]]
"""A function that runs a node: takes its inputs, and returns its outputs."""
M = TypeVar("M", bound=Callable[..., Kernel])


class Runnable(Protocol):
    """A function of a graph."""

    passed: dict[int, int]
    """The index of the input for each output that is an unchanged input."""
    gives: int
    """The number of outputs."""

    def run(self, inputs: Sequence[Any]) -> list[Any]:
        """Returns the outputs for these inputs."""
        ...


_MOST = 1 << 33  # the limit on the bytes of all constants


@dataclass
class Surroundings:
    """The resources and files that the nodes of an imported graph may use.

    Attributes:
      assets: The folder whose files may be read.
      allow_io: Whether other files may be read and written too.
      resources: The variables and tables that nodes create, by name.
    """

    assets: str | None = None
    allow_io: bool = False
    resources: dict[tuple[str, str], Any] = field(default_factory=dict)
    _held: int = 0

    def hold(self, constant: Any) -> None:
        """Counts the memory of a constant.

        Raises:
          ValueError: All constants together take too much memory.
        """
        self._held += constant._value.nbytes
        if self._held > _MOST:
            raise ValueError(f"its constants take more than {_MOST} bytes")


@dataclass
class Node:
    """A node that is to be run.

    Attributes:
      name: Its name.
      operation: The name of its operation.
      attributes: Its attributes.
      definition: The definition of its operation.
      function: Returns the function of a name.
      surroundings: The resources and files that it may use.
    """

    name: str
    operation: str
    attributes: Attributes
    definition: OpDefinition
    function: Callable[[str], Runnable]
    surroundings: Surroundings

    def called(self, attribute: str) -> Runnable:
        """Returns the function whose name is an attribute of the node."""
        return self.function(self.attributes.function(attribute))


class OfNode(Origin):
    """The origin of the operations that a node of a loaded function consists of.

    After the data of all origins, there are the node's name and operation, and the function's name.
    """

    __slots__ = ()
    __hash__ = object.__hash__

    @classmethod
    def of(cls, node: str, operation: str, function: str) -> OfNode:
        """Returns the origin for a node.

        Args:
          node: The node's name, with scopes.
          operation: The node's operation.
          function: The name of the function that contains the node.
        """
        scope, slash, name = node.rpartition("/")
        return cls((None, name, scope + slash, "", None, 0, None, node, operation, function))

    def within(self, call: Call) -> OfNode:
        """Returns the origin in a graph that calls the function, with the line of that call."""
        line = self[4:6] if call.line is None or self[4] is not None else call.line[4:6]
        return OfNode((*self[:4], *line, self.call_within(call), *self[7:]))

    @property
    def place(self) -> str:
        """The node, its operation and its function."""
        node, operation, function = self[7:]
        return f"the node {node!r} ({operation}) of the loaded function {function!r}"

    @property
    def note(self) -> str:
        """The text that is added to errors."""
        return f"in {self.place}"


@dataclass
class Step:
    """A node of a body.

    Attributes:
      kernel: The function that runs the node.
      inputs: The indices of the inputs.
      first: The index of the first output.
      name: The node's name.
      origin: The node, for errors and for operations of graphs.
    """

    kernel: Kernel
    inputs: tuple[int, ...]
    first: int
    name: str
    origin: OfNode


def needed(nodes: Mapping[str, Any], roots: Iterable[str], given: Iterable[str]) -> dict[str, Any]:
    """Returns the nodes that some tensors and operations depend on.

    Args:
      nodes: The messages of all nodes, by name.
      roots: The names of the tensors and operations.
      given: The names of tensors that are inputs, for which nothing is needed.
    """
    known = {tensor_of(x) for x in given}
    found: dict[str, Any] = {}
    stack = [*roots]
    while stack:
        reference = stack.pop()
        name = node_of(reference)
        if tensor_of(reference) in known or name in found or name not in nodes:
            continue
        found[name] = nodes[name]
        stack += nodes[name].input
    return {name: node for name, node in nodes.items() if name in found}


def node_of(reference: str) -> str:
    """Returns the name of the node to which a reference belongs."""
    return reference.lstrip("^").partition(":")[0]


def tensor_of(reference: str) -> str:
    """Returns a tensor's name without ":0", the index of the first output."""
    return reference.removesuffix(":0")


MAKERS: dict[str, Callable[[Node], Kernel]] = {}
"""The makers of kernels for operations that are not raw operations, by name."""


def maker(*operations: str) -> Callable[[M], M]:
    """Registers a function that makes the kernels of operations.

    Args:
      operations: The names of the operations.
    """

    def mark(made: M) -> M:
        for name in operations:
            if name in MAKERS:
                raise KeyError(f"two functions make the kernel of {name}")
            MAKERS[name] = made
        return made

    return mark


def kernel(*operations: str) -> Callable[[Kernel], Kernel]:
    """Registers a function as the kernel of operations, for any values of their attributes.

    Args:
      operations: The names of the operations.
    """

    def mark(run: Kernel) -> Kernel:
        maker(*operations)(lambda _: run)
        return run

    return mark


# TensorFlow 1's conditionals and loops.

_QUIET = frozenset({"Placeholder", "VarHandleOp", "ReadVariableOp", "HashTableV2", "VariableV2"})
CHANGED_STACK = "ChangedStack"
FLOW = frozenset(
    {"Switch", "RefSwitch", "Merge", "RefMerge", "Enter", "RefEnter", "Exit", "RefExit"}
)
_PASS_REFERENCES = ("RefIdentity", "RefSelect", "RefNextIteration", "IsVariableInitialized")

Part = Callable[..., Runnable]
"""Makes a function from its name, the names of its inputs, those of its outputs, those of other
inputs, on which nodes outside of the part depend as well, and those of nodes that must run."""


@dataclass
class Recovered:
    """A node that represents a conditional or loop.

    Attributes:
      name: Its name.
      op: The kind of the node; one that TensorFlow does not define has no effects.
      input: The names of its inputs.
      dtypes: The names of the dtypes of the outputs; "variant" for a stack.
      kernel: Makes its kernel.
      attr: No attributes.
      outputs: The names of the outputs in functions, if they differ from those of a conditional.
    """

    name: str
    op: str
    input: list[str]
    dtypes: list[str]
    kernel: Callable[[Part], Kernel]
    attr: Mapping[str, Any] = field(default_factory=dict)
    outputs: Sequence[str] = ()


def is_stateful(node: Any) -> bool:
    """Whether a node must not run once more in a branch if it is outside of it."""
    if node.op in ("Placeholder", "PlaceholderV2"):
        return True
    return is_defined(node.op) and (op_definition(node.op).stateful or changes_reference(node.op))


def runs_once(node: Any) -> bool:
    """Whether a node of a branch must not run once more in the gradient of the conditional."""
    if isinstance(node, Recovered) or node.op.startswith(("Stack", "TensorArray")):
        return False
    if not is_defined(node.op) or not is_stateful(node):
        return False
    definition = op_definition(node.op)
    given = Attributes(node.attr, definition)
    dtypes = [d for x in definition.outputs for d in x.dtypes(given.__getitem__)]
    return not any(getattr(d, "name", d) in ("resource", "variant") for d in dtypes)


def changes_reference(operation: str) -> bool:
    """Whether an operation may assign a variable of TensorFlow 1."""
    if operation in FLOW or operation in _PASS_REFERENCES or not is_defined(operation):
        return False
    return any(x.is_ref for x in op_definition(operation).inputs)


def dtype_of_node(node: Any) -> str:
    """Returns the name of the dtype of what a node passes on, "variant" for a stack."""
    return dtype_of_number(node.attr["T"].type).name if "T" in node.attr else "variant"


@dataclass
class Carried:
    """A stack that a loop carries.

    Attributes:
      before: The name of the stack before the loop.
      inside: The name of the stack before an iteration.
      after: The name of the stack after an iteration.
      exit: The name of the stack after the loop.
    """

    before: str
    inside: str
    after: str
    exit: str


@dataclass
class Joined:
    """A joined result of a choice.

    Attributes:
      merge: Its message.
      pred: The condition.
      flipped: Whether its first input comes from the branch for a true condition.
      ends: The names of its values in the branches for a false and for a true condition.
      switches: The switches that lead to it.
      outside: The values that its branches use without a switch.
    """

    merge: Any
    pred: str
    flipped: bool
    ends: list[str]
    switches: set[str]
    outside: set[str]


def has_control_flow(nodes: Iterable[Any]) -> bool:
    """Whether there are TensorFlow 1 conditionals or loops."""
    return any(node.op in FLOW for node in nodes)


def has_loop_gradients(nodes: Iterable[Any]) -> bool:
    """Whether there are gradients of TensorFlow 1 loops, which take values off stacks."""
    return any(node.op == CHANGED_STACK for node in nodes)


def is_in_part(node: Any, nodes: Mapping[str, Any]) -> bool:
    """Whether a node is at the start of a part of a recovered conditional or loop.

    Args:
      node: The node.
      nodes: All nodes by name.
    """
    if isinstance(node, Recovered):
        return node.op == CHANGED_STACK and node_of(node.input[0]) not in nodes
    return node.op in FLOW


def has_effects(operation: str) -> bool:
    """Whether the nodes of an operation must run even if no other node uses their outputs."""
    if operation in _QUIET or not is_defined(operation):
        return False
    return op_definition(operation).stateful or changes_reference(operation)


def tensors_among(references: Iterable[str]) -> list[str]:
    """Returns the references to tensors."""
    return [x for x in references if not x.startswith("^")]


def controls_among(references: Iterable[str]) -> list[str]:
    """Returns the control inputs among references."""
    return [x for x in references if x.startswith("^")]
