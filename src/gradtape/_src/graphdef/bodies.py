"""Functions of a graph, which are read from messages and run node by node.

Tracers and tapes see the operations of a body's nodes, so that a body that a `tf.function` calls
becomes a part of its graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gradtape._src.base.errors import (
    InvalidArgumentError,
    ResourceExhaustedError,
    UnimplementedError,
)
from gradtape._src.declare.registered import registered
from gradtape._src.files.damaged_input import explained
from gradtape._src.graph.ir.graph import CannotTrace
from gradtape._src.graph.ir.origins import Imported, explain
from gradtape._src.graph.tracing.tracer import Tracer, tracing
from gradtape._src.graphdef import (
    array_kernels,
    composite_kernels,
    control_kernels,
    data_kernels,
    file_kernels,
    gradient_kernels,
    plain_kernels,
    state_kernels,
    summary_kernels,
    table_kernels,
)
from gradtape._src.graphdef.attributes import Attributes, Unsupported
from gradtape._src.graphdef.control_flow_v1 import recovered
from gradtape._src.graphdef.gradients import Gradient, with_gradient, with_registered_gradient
from gradtape._src.graphdef.nodes import (
    MAKERS,
    Kernel,
    Node,
    OfNode,
    Recovered,
    Step,
    Surroundings,
    has_control_flow,
    has_effects,
)
from gradtape._src.graphdef.raw_kernels import is_raw, raw_kernel
from gradtape._src.messages import protos
from gradtape._src.raw.op_definitions import is_defined, op_definition

_FILLING = (  # modules that fill MAKERS when they are loaded
    composite_kernels,
    control_kernels,
    data_kernels,
    file_kernels,
    gradient_kernels,
    array_kernels,
    plain_kernels,
    state_kernels,
    summary_kernels,
    table_kernels,
)
_MOST = 1 << 20
"""The maximum number of nodes per call, not counting iterations of loops: more mean damage."""
_SHOWN = 10


@dataclass(frozen=True)
class Problem:
    """The reason why a node can't be run.

    Attributes:
      node: The node's name.
      operation: The node's operation.
      function: The function that contains the node.
      why: The reason.
    """

    node: str
    operation: str
    function: str
    why: str

    def __str__(self) -> str:
        return f"the node {self.node!r} ({self.operation}) of {self.function!r}: {self.why}"


class UnavailableError(UnimplementedError):
    """Raised if a function can't be run because of some of its nodes.

    Args:
      problems: A problem for each node that can't be run.
    """

    def __init__(self, problems: Sequence[Problem]) -> None:
        shown = "; ".join(map(str, problems[:_SHOWN]))
        more = f" (and {len(problems) - _SHOWN} more)" if len(problems) > _SHOWN else ""
        super().__init__(None, None, f"gradtape can't run {shown}{more}")
        self.problems = tuple(problems)


class Body:
    """A function that can be run.

    Args:
      name: Its name.
      takes: The number of inputs.
      values: The constants, which follow the inputs.
      steps: The nodes in order.
      outputs: The indices of the outputs.
      size: The number of nodes that a call runs, including those of called functions.

    Attributes:
      passed: For an output that is an unchanged input, the index of that input.
      gives: The number of outputs.
    """

    def __init__(
        self,
        name: str,
        takes: int,
        values: list[Any],
        steps: list[Step],
        outputs: list[int],
        size: int,
    ) -> None:
        self.name, self.takes, self.size = name, takes, size
        self._values, self._steps, self._outputs = values, steps, outputs
        self.passed = {i: place for i, place in enumerate(outputs) if place < takes}
        self.gives = len(outputs)

    def run(self, inputs: Sequence[Any]) -> list[Any]:
        """Runs the nodes.

        Args:
          inputs: Tensors and other objects in graphs: variables, tables, lists.

        Returns:
          The outputs.
        """
        if len(inputs) != self.takes:
            raise ValueError(f"{self.name} takes {self.takes} inputs, got {len(inputs)}")
        values = self._values.copy()
        values[: self.takes] = inputs
        tracer = tracing()
        if tracer is None or type(tracer.origins.replayed) is Imported:
            self._run(values)
            return [values[i] for i in self._outputs]
        around = tracer.origins.replayed
        try:
            self._run(values, tracer)
        finally:
            tracer.origins.replayed = around
        return [values[i] for i in self._outputs]

    def _run(self, values: list[Any], tracer: Tracer | None = None) -> None:
        """Runs the nodes, and gives their origins to the operations that a tracer sees."""
        step = None
        try:
            for step in self._steps:
                if tracer is not None:
                    tracer.origins.replayed = step.origin
                outs = step.kernel([values[i] for i in step.inputs])
                values[step.first : step.first + len(outs)] = outs
        except (AttributeError, LookupError) as error:
            raise self._unfit(step, error) from error
        except MemoryError as error:
            place = "" if step is None else f" at {step.origin.place}"
            message = f"OOM when allocating{place}: {error}"
            raise ResourceExhaustedError(None, None, message) from None
        except (Exception, CannotTrace) as error:
            explain(error, None if step is None else step.origin)
            raise

    def _unfit(self, step: Step | None, error: Exception) -> Exception:
        """Returns the error for a node whose input has the wrong kind, as in a damaged file."""
        place = "a node" if step is None else step.origin.place
        return InvalidArgumentError(
            None, None, f"{place} can't use the values that its inputs give: {explained(error)}"
        )


class Functions:
    """The functions of a graph.

    Args:
      definitions: Their messages, `FunctionDef`s.
      surroundings: The resources and files that their nodes may use.

    Attributes:
      gradients: The user's gradients, by the names with which nodes refer to them.
      needs_gradients: Whether the gradient of a node is an error if it names one that is missing.
    """

    def __init__(self, definitions: Iterable[Any], surroundings: Surroundings) -> None:
        self.gradients: dict[str, Gradient] = {}
        self.needs_gradients = False
        self._definitions = {f.signature.name: f for f in definitions}
        self._surroundings = surroundings
        self._bodies: dict[str, Body | UnavailableError] = {}
        self._open: set[str] = set()

    def __contains__(self, name: str) -> bool:
        return name in self._definitions

    def definition(self, name: str) -> protos.FunctionDef:
        """Returns the `FunctionDef` of a name.

        Raises:
          KeyError: There is no such function.
        """
        found: protos.FunctionDef = self._definitions[name]
        return found

    def body(self, name: str) -> Body:
        """Returns the function of a name, ready to be run.

        Raises:
          UnavailableError: Some of its nodes can't be run.
          ValueError: The function is missing, calls itself, or is damaged.
        """
        found = self._bodies.get(name)
        if found is None:
            if name in self._open:
                raise ValueError(f"the function {name!r} calls itself")
            if name not in self._definitions:
                raise ValueError(f"there is no function {name!r}")
            self._open.add(name)
            try:
                found = self._made(name)
            except UnavailableError as error:
                found = error
            except RecursionError:
                if len(self._open) > 1:  # the outermost function tells
                    raise
                raise ValueError(f"the calls in {name!r} are nested too deeply") from None
            finally:
                self._open.discard(name)
            self._bodies[name] = found
        if isinstance(found, UnavailableError):
            raise found
        return found

    def _made(self, name: str) -> Body:
        definition = self._definitions[name]
        signature = definition.signature
        arguments = [arg.name for arg in signature.input_arg]
        reader = GraphReader(name, self, self._surroundings)
        for place, arg in enumerate(arguments):
            reader.names[arg] = place
        returned = [definition.ret[arg.name] for arg in signature.output_arg]
        return reader.body(
            len(arguments),
            recovered_nodes(by_name(definition.node_def)),
            returned,
            list(definition.control_ret.values()),
        )

    def outputs_of(self, name: str) -> int:
        """Returns the number of outputs of a function."""
        return len(self._definitions[name].signature.output_arg)


def by_name(nodes: Iterable[Any]) -> dict[str, Any]:
    """Returns nodes by their names.

    Args:
      nodes: Their messages.

    Raises:
      ValueError: Two nodes have the same name.
    """
    found: dict[str, Any] = {}
    for node in nodes:
        if node.name in found:
            raise ValueError(f"two nodes have the name {node.name!r}")
        found[node.name] = node
    return found


def recovered_nodes(nodes: dict[str, Any]) -> dict[str, Any]:
    """Returns nodes with TensorFlow 1's conditionals and loops recovered.

    Args:
      nodes: Their messages by name.

    Raises:
      ValueError: A conditional or loop is inconsistent.
    """
    if has_control_flow(nodes.values()):
        return {node.name: node for node in recovered(nodes.values())}
    return nodes


class GraphReader:
    """Reads the nodes of one function or graph.

    Args:
      name: Its name.
      functions: The functions that nodes call.
      surroundings: The resources and files that nodes may use.
      is_part: Whether it is a part of a conditional or loop of TensorFlow 1.
      keeps_all: Whether constants and nodes that return their inputs unchanged become steps, too.

    Attributes:
      names: The indices of values that are known by name: the inputs.
    """

    def __init__(
        self,
        name: str,
        functions: Functions,
        surroundings: Surroundings,
        is_part: bool = False,
        keeps_all: bool = False,
    ) -> None:
        self.name, self._functions, self._surroundings = name, functions, surroundings
        self._is_part, self._keeps_all = is_part, keeps_all
        self.names: dict[str, int] = {}
        self._problems: list[Problem] = []
        self._nodes: Mapping[str, Any] = {}
        self._references: set[int] = set()  # indices of TensorFlow 1 variables
        self._unread: set[str] = set()  # nodes that can't be run
        self._entries: set[str] = set()  # references to tensors that enter a part
        self._size = 0

    def body(
        self,
        takes: int,
        nodes: Mapping[str, Any],
        returned: Sequence[str],
        kept: Sequence[str] = (),
        effects: bool = True,
    ) -> Body:
        """Returns the nodes as a body.

        Args:
          takes: The number of inputs.
          nodes: The messages of the nodes, from `recovered_nodes`.
          returned: The names of the returned tensors.
          kept: The names of nodes that must run too.
          effects: Whether all nodes with state must run.

        Raises:
          UnavailableError: Some of them can't be run.
          ValueError: The nodes are damaged.
        """
        self._nodes = nodes
        roots = [self._node_of(name) for name in returned] + list(kept)
        if effects:
            roots += [n.name for n in self._nodes.values() if has_effects(n.op)]
        values, steps = self.steps(takes, nodes, [name for name in roots if name is not None])
        outputs = [self._place(name) for name in returned]
        return Body(self.name, takes, values, steps, outputs, self._size)

    def steps(
        self, takes: int, nodes: Mapping[str, Any], roots: Sequence[str]
    ) -> tuple[list[Any], list[Step]]:
        """Returns the steps that compute the roots, in the order in which they run.

        Args:
          takes: The number of inputs.
          nodes: The messages of the nodes, as `recovered_nodes` gives them.
          roots: The names of the nodes that must run.

        Returns:
          The known values, which follow the inputs, and the steps.

        Raises:
          UnavailableError: Some of them can't be run.
          ValueError: The nodes are damaged.
        """
        self._nodes = nodes
        values: list[Any] = [None] * takes
        steps: list[Step] = []
        for node in self._ordered(roots):
            self._add(node, values, steps)
        if self._problems:
            raise UnavailableError(self._problems)
        if self._size > _MOST:
            raise ValueError(f"a call of {self.name!r} runs {self._size} nodes")
        return values, steps

    def _node_of(self, reference: str) -> str | None:
        """Returns the node that computes a tensor; None for an input."""
        name = reference.partition(":")[0].lstrip("^")
        if name in self.names or reference in self.names:
            return None
        if name not in self._nodes:
            raise ValueError(f"{self.name!r} has no node {name!r}")
        return name

    def _ordered(self, roots: Sequence[str]) -> list[Any]:
        """Returns the nodes that roots need, in topological order; ValueError for a cycle."""
        done: dict[str, bool] = {}
        ordered = []
        stack = [(name, False) for name in reversed(roots)]
        while stack:
            name, finished = stack.pop()
            if finished:
                done[name] = True
                ordered.append(self._nodes[name])
                continue
            if name in done:
                if not done[name]:
                    raise ValueError(f"the node {name!r} of {self.name!r} depends on itself")
                continue
            done[name] = False
            stack.append((name, True))
            needed = [self._node_of(x) for x in self._nodes[name].input if self._waits_for(x)]
            stack += [(x, False) for x in reversed(needed) if x is not None and not done.get(x)]
        return ordered

    def _waits_for(self, reference: str) -> bool:
        """Whether a node waits for the node of its input.

        In a part of a TensorFlow 1 conditional or loop, most control inputs only assign a node to
        that part.
        """
        if not self._is_part or not reference.startswith("^"):
            return True
        node = self._nodes.get(reference[1:])
        return node is not None and has_effects(node.op) and self._is_inside(node.name)

    def _is_inside(self, name: str) -> bool:
        """Whether a node belongs to the part, since it depends on one of the part's entries."""
        stack, seen = [name], set()
        while stack:
            reference = stack.pop()
            if reference in self._entries:
                return True
            node = self._nodes.get(reference.lstrip("^").partition(":")[0])
            if node is not None and node.name not in seen:
                seen.add(node.name)
                stack += node.input
        return False

    def _add(self, node: Any, values: list[Any], steps: list[Step]) -> None:
        """Adds a node to the body, or records the problem if the node can't be run."""
        inputs = tuple([self._place(x) for x in node.input if not x.startswith("^")])
        self._size += 1
        try:
            names, kernel, refs = self._read(node, inputs)
            kernel, inputs = self._differentiated(node, kernel, inputs)
        except Unsupported as error:
            self._problems.append(Problem(node.name, node.op, self.name, str(error)))
            names, kernel, refs = None, None, []
        except UnavailableError as error:
            self._problems += error.problems
            names, kernel, refs = None, None, []
        except (ValueError, TypeError, KeyError) as error:
            raise ValueError(f"Node {node.name!r} ({node.op}): {error}") from error
        if names is None:  # go on, to find the problems of later nodes, too
            self._unread.add(node.name)
            return
        if kernel is _pass_on:
            self._name(node.name, names, inputs)
            return
        first = len(values)
        self._name(node.name, names, range(first, first + len(names)))
        self._references.update(first + i for i in refs)
        if node.op == "Const" and not self._keeps_all:
            assert kernel is not None
            values += kernel([])
            return
        values += [None] * len(names)
        assert kernel is not None
        origin = OfNode.of(node.name, node.op, self.name)
        steps.append(Step(kernel, inputs, first, node.name, origin))

    def _read(self, node: Any, inputs: Sequence[int]) -> tuple[list[str], Kernel, list[int]]:
        """Returns the names of a node's outputs, its kernel, and which outputs are references."""
        if isinstance(node, Recovered):
            names = list(node.outputs) or [f"output:{i}" for i in range(len(node.dtypes))]
            return names, node.kernel(self._part), []
        if node.op in self._functions:
            body = self._functions.body(node.op)
            self._size += body.size
            names = [
                f"{arg.name}:0" for arg in self._functions.definition(node.op).signature.output_arg
            ]
            return names, body.run, []
        if not is_defined(node.op):
            raise Unsupported("gradtape does not support this operation")
        definition = op_definition(node.op)
        attributes = Attributes(node.attr, definition)
        taken = sum(len(x.dtypes(attributes.__getitem__)) for x in definition.inputs)
        if taken != len(inputs):
            raise ValueError(f"{node.name!r} takes {taken} inputs, but has {len(inputs)}")
        names = []
        refs: list[int] = []
        for x in definition.outputs:
            count = len(x.dtypes(attributes.__getitem__))
            refs += range(len(names), len(names) + count) if x.is_ref else ()
            names += [f"{x.name}:{i}" for i in range(count)]
        held = [i for i in inputs if i in self._references]
        passes = node.op in _PASSING and "_gradient_op_type" not in attributes
        if passes and not held and not self._keeps_all:
            return names, _pass_on, refs
        made = Node(node.name, node.op, attributes, definition, self._called, self._surroundings)
        kernel = self._kernel(made)
        return (
            names,
            state_kernels.reading(kernel, definition, inputs, held) if held else kernel,
            refs,
        )

    def _differentiated(
        self, node: Any, kernel: Kernel, inputs: tuple[int, ...]
    ) -> tuple[Kernel, tuple[int, ...]]:
        """Returns a kernel with the gradient that its node names, and the indices of its inputs."""
        name = node.attr["_gradient_op_type"].s.decode() if "_gradient_op_type" in node.attr else ""
        gradient = self._functions.gradients.get(name)
        if gradient is None:
            is_used = name and (registered(name) or self._functions.needs_gradients)
            return with_registered_gradient(kernel, node, name) if is_used else kernel, inputs
        captured = [self.names.get(x) if isinstance(x, str) else -1 for x in gradient.captures]
        if None in captured:
            return kernel, inputs  # the gradient uses a tensor of another function
        body = self._called(gradient.function)
        places = [place for place in captured if place != -1 and place is not None]
        return with_gradient(kernel, len(inputs), gradient, body), (*inputs, *places)

    def _part(
        self,
        name: str,
        inputs: Sequence[str],
        returned: Sequence[str],
        others: Sequence[str],
        kept: Sequence[str] = (),
    ) -> Body:
        """Returns a part of a TensorFlow 1 conditional or loop as a function."""
        reader = GraphReader(name, self._functions, self._surroundings, is_part=True)
        for place, reference in enumerate(inputs):
            reader.feed(reference, place)
        reader._entries = {reference for name in reader.names for reference in (name, f"^{name}")}
        for place, reference in enumerate(others, len(inputs)):
            reader.feed(reference, place)
        taken = len(inputs) + len(others)
        body = reader.body(taken, self._nodes, returned, kept, effects=False)
        self._size += body.size
        return body

    def feed(self, reference: str, place: int) -> None:
        """Makes a tensor an input.

        Args:
          reference: Its name.
          place: The index of the input.
        """
        self.names[reference] = place
        first = reference.removesuffix(":0")
        if ":" not in first:  # the first output of a node has two names
            self.names[first] = self.names[f"{first}:0"] = place

    def _kernel(self, node: Node) -> Kernel:
        """Returns the kernel of a node; raises Unsupported if gradtape lacks the operation."""
        make = MAKERS.get(node.operation)
        if make is not None:
            return make(node)
        if is_raw(node.operation):
            return raw_kernel(node)
        raise Unsupported("gradtape does not support this operation")

    def _called(self, name: str) -> Body:
        body = self._functions.body(name)
        self._size += body.size
        return body

    def _name(self, node: str, names: Sequence[str], places: Sequence[int]) -> None:
        """Records the indices of a node's outputs."""
        for i, (name, place) in enumerate(zip(names, places, strict=True)):
            self.names[f"{node}:{i}"] = self.names[f"{node}:{name}"] = place
        if names:
            self.names[node] = places[0]

    def _place(self, reference: str) -> int:
        """Returns the index of the value to which an input refers."""
        place = self.names.get(reference)
        if place is not None:
            return place
        if reference.partition(":")[0] in self._unread:
            return 0
        raise ValueError(f"{self.name!r} has no tensor {reference!r}")


_PASSING = frozenset({"Identity", "IdentityN", "PlaceholderWithDefault", "Snapshot"})


def _pass_on(values: list[Any]) -> list[Any]:
    return values
