"""Recovers TensorFlow 1's conditionals and loops from their nodes.

A choice passes each value that it uses through a `Switch`, and joins the results of both branches
by a `Merge`. A loop reads values by `Enter`, merges each with the value that `NextIteration` passes
to the next iteration, and passes it through a `Switch` to the body, or out by `Exit`. Here each
`Merge` of a choice and each loop becomes one node, whose parts are functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gradtape._src.graphdef.control_kernels import choice, loop
from gradtape._src.graphdef.nodes import Kernel, Runnable

_MOST = 1 << 22  # the maximum number of steps of a search for nodes; a damaged graph needs more
_FLOW = frozenset(
    {"Switch", "RefSwitch", "Merge", "RefMerge", "Enter", "RefEnter", "Exit", "RefExit"}
)

Part = Callable[[str, Sequence[str], Sequence[str]], Runnable]
"""Makes a function from its name, the names of its inputs, and those of its outputs."""


@dataclass
class Recovered:
    """A node that represents a conditional or loop.

    Attributes:
      name: Its name.
      op: The kind of the node.
      input: The names of its inputs.
      gives: The number of outputs.
      kernel: Makes its kernel.
      attr: No attributes.
    """

    name: str
    op: str
    input: list[str]
    gives: int
    kernel: Callable[[Part], Kernel]
    attr: Mapping[str, Any] = field(default_factory=dict)


def has_control_flow(nodes: Iterable[Any]) -> bool:
    """Whether there are TensorFlow 1 conditionals or loops."""
    return any(node.op in _FLOW for node in nodes)


def is_control_flow(node: Any) -> bool:
    """Whether a node belongs to a TensorFlow 1 conditional or loop that is not recovered."""
    return node.op in _FLOW and not isinstance(node, Recovered)


def recovered(nodes: Iterable[Any]) -> list[Any]:
    """Returns the nodes, with one node for each loop and each joined result of a choice.

    Raises:
      ValueError: The nodes of a conditional or loop are inconsistent.
    """
    return _Recovery(nodes).result()


@dataclass
class _Joined:
    """A joined result of a choice.

    Attributes:
      merge: Its message.
      pred: The condition.
      flipped: Whether its first input comes from the branch for a true condition.
      ends: The names of its values in the branches for a false and for a true condition.
      switches: The switches that lead to it.
    """

    merge: Any
    pred: str
    flipped: bool
    ends: list[str]
    switches: set[str]


class _Recovery:
    """Finds the nodes of conditionals and loops.

    Args:
      nodes: The messages of all nodes.
    """

    def __init__(self, nodes: Iterable[Any]) -> None:
        self._nodes = {node.name: node for node in nodes}
        self._users: dict[str, list[Any]] = {}
        for node in self._nodes.values():
            for name in node.input:
                self._users.setdefault(_node_of(name), []).append(node)
        self._steps = 0

    def result(self) -> list[Any]:
        """Returns all nodes, with those that represent conditionals and loops."""
        made: dict[str, Any] = {}
        frames: dict[str, list[Any]] = {}
        for node in self._nodes.values():
            if node.op in ("Enter", "RefEnter"):
                frames.setdefault(node.attr["frame_name"].s.decode(), []).append(node)
        looping = set()
        for name, enters in frames.items():
            whole, exits, merges = self._loop(name, enters)
            looping |= merges
            made[whole.name] = whole
            made |= {node.name: node for node in exits}
        joining = [
            node
            for node in self._nodes.values()
            if node.op in ("Merge", "RefMerge") and node.name not in looping
        ]
        for group in self._grouped(joining):
            made |= {node.name: node for node in self._choice(group)}
        return [made.get(n.name, n) for n in self._nodes.values()] + [
            node for name, node in made.items() if name not in self._nodes
        ]

    def _loop(
        self, frame: str, enters: Sequence[Any]
    ) -> tuple[Recovered, list[Recovered], set[str]]:
        """Returns a loop as a node, its exits as nodes, and the names of its merges."""
        carried, steady = [], []
        for enter in enters:
            merges = [n for n in self._users.get(enter.name, ()) if n.op in ("Merge", "RefMerge")]
            if merges:
                carried.append((enter, merges[0]))
            else:
                steady.append(enter)
        switches, nexts, tests, exits = [], [], set(), []
        for _, merge in carried:
            switch = self._user(merge.name, ("Switch", "RefSwitch"), frame)
            switches.append(switch)
            nexts.append(self._input(merge, 1, ("NextIteration", "RefNextIteration")))
            tests.add(_node_of(switch.input[1]))
            exits.append([n for n in self._users[switch.name] if n.op in ("Exit", "RefExit")])
        if len(tests) != 1:
            raise ValueError(f"the loop {frame!r} has {len(tests)} conditions")
        test = self._nodes[tests.pop()]
        names = [m.name for _, m in carried], [f"{s.name}:1" for s in switches]
        fixed = [enter.name for enter in steady]

        def kernel(part: Part) -> Kernel:
            goes = part(f"{frame} (condition)", [*names[0], *fixed], [test.input[0]])
            after = part(f"{frame} (body)", [*names[1], *fixed], [n.input[0] for n in nexts])
            return lambda values: loop(goes, after, values)

        inputs = [enter.input[0] for enter, _ in carried] + [e.input[0] for e in steady]
        whole = Recovered(f"{frame}/loop", "While", inputs, len(inputs), kernel)
        out = [
            Recovered(n.name, "Exit", [f"{whole.name}:{i}"], 1, lambda _: _passed)
            for i, each in enumerate(exits)
            for n in each
        ]
        return whole, out, {merge.name for _, merge in carried}

    def _user(self, name: str, operations: Sequence[str], frame: str) -> Any:
        for node in self._users.get(name, ()):
            if node.op in operations and _node_of(node.input[0]) == name:
                return node
        raise ValueError(f"the loop {frame!r} lacks a {operations[0]}")

    def _input(self, node: Any, place: int, operations: Sequence[str]) -> Any:
        found = self._nodes.get(_node_of(node.input[place])) if len(node.input) > place else None
        if found is None or found.op not in operations:
            raise ValueError(f"the node {node.name!r} has no input of {operations[0]}")
        return found

    def _grouped(self, merges: Sequence[Any]) -> list[list[_Joined]]:
        """Groups the joined values by conditional, so that each branch runs only once."""
        groups: dict[tuple[str, str], list[_Joined]] = {}
        alone = []
        for merge in merges:
            joined, ancestors = self._joined(merge)
            group = groups.setdefault((merge.name.rpartition("/")[0], joined.pred), [])
            if ancestors.isdisjoint(each.merge.name for each in group):
                group.append(joined)
            else:  # the result of one conditional decides or enters the next one
                alone.append([joined])
        return [*groups.values(), *alone]

    def _joined(self, merge: Any) -> tuple[_Joined, set[str]]:
        """Returns one joined result of a choice, and the names of the nodes that it depends on."""
        given = [name for name in merge.input if not name.startswith("^")]
        if len(given) != 2:
            raise ValueError(f"the node {merge.name!r} joins {len(given)} values")
        (first, of_first), (second, of_second) = map(self._switches, given)
        reached = [first, second]
        preds = [
            (pred, flipped)
            for flipped in (False, True)
            for pred, side in reached[0]
            if side == int(flipped) and (pred, 1 - side) in reached[1]
        ]
        if not preds:
            raise ValueError(
                f"the node {merge.name!r} merges branches that do not depend on one condition"
            )
        pred, flipped = preds[0]
        ends = given[::-1] if flipped else given
        used = {
            name
            for side, i in ((0, int(flipped)), (1, int(not flipped)))
            for name in reached[i][pred, side]
        }
        return _Joined(merge, pred, flipped, ends, used), of_first | of_second

    def _choice(self, group: Sequence[_Joined]) -> list[Recovered]:
        """Returns a choice as a node, and its joined results as nodes."""
        name, pred = group[0].merge.name, group[0].pred
        switches = sorted(set().union(*[joined.switches for joined in group]))

        def kernel(part: Part) -> Kernel:
            branches = [
                part(
                    f"{name} ({branch})",
                    [_side(s, side) for s in switches],
                    [joined.ends[side] for joined in group],
                )
                for side, branch in ((0, "false"), (1, "true"))
            ]
            return lambda values: choice(branches[1], branches[0], values)

        inputs = [pred, *[self._nodes[s].input[0] for s in switches]]
        whole = Recovered(f"{name}/choice", "If", inputs, len(group) + 1, kernel)
        return [whole] + [
            Recovered(
                joined.merge.name,
                "Merge",
                [f"{whole.name}:{i}", f"{whole.name}:{len(group)}"],
                2,
                _opposite if joined.flipped else lambda _: _passed,
            )
            for i, joined in enumerate(group)
        ]

    def _decided_by(self, reference: str) -> str:
        """Returns the tensor of a condition, found by skipping nodes that return their input."""
        for _ in range(len(self._nodes)):
            node = self._nodes.get(_node_of(reference))
            if node is None or node.op != "Identity":
                break
            reference = node.input[0]
        return _tensor(reference)

    def _switches(self, name: str) -> tuple[dict[tuple[str, int], list[str]], set[str]]:
        """Returns the switches that a value depends on, by condition and branch, and all nodes."""
        found: dict[tuple[str, int], list[str]] = {}
        seen, stack = set(), [name]
        while stack:
            reference = stack.pop()
            self._steps += 1
            if self._steps > _MOST:
                raise ValueError("it depends on too many conditions")
            if reference in seen:
                continue
            seen.add(reference)
            node = self._nodes.get(_node_of(reference))
            if node is None:
                continue
            if node.op in ("Switch", "RefSwitch"):
                side = int(reference.endswith(":1"))
                found.setdefault((self._decided_by(node.input[1]), side), []).append(node.name)
                pred = self._nodes.get(_node_of(node.input[1]))
                if pred is not None and pred.op == "LoopCond":
                    continue
                stack.append(node.input[0])
            else:
                stack += node.input
        return found, {_node_of(reference) for reference in seen}


def _node_of(reference: str) -> str:
    return reference.lstrip("^").partition(":")[0]


def _tensor(reference: str) -> str:
    """Returns a tensor's name without ":0", the index of the first output."""
    return reference.removesuffix(":0")


def _side(switch: str, side: int) -> str:
    return f"{switch}:{side}"


def _passed(values: list[Any]) -> list[Any]:
    return values


def _opposite(_: Part) -> Kernel:
    return lambda values: [values[0], 1 - values[1]]
