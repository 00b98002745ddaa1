"""Recovers TensorFlow 1's conditionals and loops from their nodes.

A choice passes each value that it uses through a `Switch`, and joins the results of both branches
by a `Merge`. A loop reads values by `Enter`, merges each with the value that `NextIteration` passes
to the next iteration, and passes it through a `Switch` to the body, or out by `Exit`. Here each
`Merge` of a choice and each loop becomes one node, whose parts are functions. The gradient of a
choice is another choice, which uses values of the first one's branches: nodes with state that both
need become choices of their own, so that they run once.

A loop keeps values for its gradient on stacks: its nodes push, and nodes of the gradient's loop
pop. Here a push takes a stack and returns another one, which loops carry and conditionals return.
The gradient's loop takes it from the loop that pushed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gradtape._src.graphdef.array_kernels import popped, pushed
from gradtape._src.graphdef.attributes import Attributes, dtype_of_number
from gradtape._src.graphdef.control_kernels import choice, choice_of_one, loop
from gradtape._src.graphdef.nodes import (
    CHANGED_STACK,
    Carried,
    Joined,
    Kernel,
    Part,
    Recovered,
    controls_among,
    dtype_of_node,
    is_stateful,
    node_of,
    runs_once,
    tensor_of,
    tensors_among,
)
from gradtape._src.messages import protos
from gradtape._src.raw.op_definitions import op_definition

_MOST = 1 << 22  # the maximum number of steps of a search for nodes; a damaged graph needs more
_SWITCHES = ("Switch", "RefSwitch")
_PUSHES, _POPS = ("StackPushV2", "StackPush"), ("StackPopV2", "StackPop")
_DTYPE = dict.fromkeys(_PUSHES, "T") | dict.fromkeys(_POPS, "elem_type")

_ENTRIES = ("Enter", "RefEnter", "Switch", "RefSwitch", "Identity")
_Around = list[tuple[Any, int]]


def recovered(nodes: Iterable[Any]) -> list[Any]:
    """Returns the nodes, with one node for each loop and each joined result of a choice.

    Raises:
      ValueError: The nodes of a conditional or loop are inconsistent.
    """
    return _Recovery(nodes).result()


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
                self._users.setdefault(node_of(name), []).append(node)
        self._steps = 0
        self._enters: dict[str, list[Any]] = {}  # by frame, which is a loop
        for node in self._nodes.values():
            if node.op in ("Enter", "RefEnter"):
                self._enters.setdefault(_frame(node), []).append(node)
        self._stacks: dict[str, list[Carried]] = {}  # the stacks that loops carry, by frame
        self._branches_of_loops: dict[str, _Around] = {}  # by frame
        self._alone: set[str] = set()  # the nodes that are conditionals of their own
        self._thread_stacks()

    def _thread_stacks(self) -> None:
        """Makes stacks inputs and outputs of the nodes, loops and conditionals that change them."""
        pushes, pops = self._users_of_stacks(_PUSHES), self._users_of_stacks(_POPS)
        switches = {
            pop.name: [x for x in around if x[0].op in _SWITCHES] for pop, around in pops.values()
        }
        for stack in pushes.keys() & pops.keys():
            push, around = pushes[stack]
            around = self._nested(around, switches) + self._of_value(push, around)
            last = self._threaded(push, around, stack)
            pop, around = pops[stack]
            self._threaded(pop, self._nested(around, switches), last)

    def _of_value(self, push: Any, around: _Around) -> _Around:
        """Returns the switches through which only the value gets to a node that pushes it.

        Args:
          push: The node.
          around: The nodes through which the node gets the stack.
        """
        known = {self._branch(x, i) for x, i in around if x.op in _SWITCHES}
        more = [x for x in self._branches(push.input[1]) if self._branch(*x) not in known]
        return sorted(more, key=lambda x: len(self._switches(x[0].input[1])[0]))

    def _branches(self, name: str) -> _Around:
        """Returns switches for the branches that a value is in: it depends on no other branch."""
        found, _ = self._switches(name)
        return [
            (self._nodes[names[0]], side)
            for (pred, side), names in found.items()
            if (pred, 1 - side) not in found
        ]

    def _branch(self, switch: Any, side: int) -> tuple[str, int]:
        """Identifies a branch by its condition outside of loops that do not change it."""
        pred = self._decided_by(switch.input[1])
        for _ in range(len(self._nodes)):
            node = self._nodes.get(node_of(pred))
            if node is None or node.op != "Enter":
                break
            pred = self._decided_by(node.input[0])
        return pred, side

    def _nested(self, around: _Around, switches: Mapping[str, _Around]) -> _Around:
        """Returns what is around a node, with the branches that its loops and conditions are in.

        Args:
          around: The nodes through which it gets a stack.
          switches: The switches of the nodes that pop.
        """
        found: _Around = []
        known: set[tuple[str, int]] = set()
        for entry, side in around:
            self._count_step()
            if entry.op in _SWITCHES:
                of_pred = switches.get(self._decided_by(entry.input[1]), [])
                more = [*self._nested(of_pred, switches), (entry, side)]
            else:
                more = [] if entry.op == "Identity" else self._around_loop(entry)
            for switch, branch in more:
                if self._branch(switch, branch) not in known:
                    known.add(self._branch(switch, branch))
                    found.append((switch, branch))
            if entry.op not in _SWITCHES:
                found.append((entry, side))
        return found

    def _around_loop(self, enter: Any) -> _Around:
        """Returns switches for the branches that a loop is in, outer ones first."""
        frame = _frame(enter)
        if frame not in self._branches_of_loops:
            found: dict[tuple[str, int], tuple[Any, int]] = {}
            for node in self._enters[frame]:
                for switch, side in self._branches(node.input[0]):
                    found.setdefault(self._branch(switch, side), (switch, side))
            self._branches_of_loops[frame] = sorted(
                found.values(), key=lambda x: len(self._switches(x[0].input[1])[0])
            )
        return self._branches_of_loops[frame]

    def _users_of_stacks(self, operations: Sequence[str]) -> dict[str, tuple[Any, _Around]]:
        """Returns for each stack the node that uses it, if there is only one, and what is around.

        Args:
          operations: The operations of the nodes.
        """
        found: dict[str, tuple[Any, _Around]] = {}
        several = set()
        for node in [n for n in self._nodes.values() if n.op in operations and n.input]:
            around: _Around = []
            reference = node.input[0]
            source = self._nodes.get(node_of(reference))
            while source is not None and source.op in _ENTRIES and len(around) < len(self._nodes):
                around.insert(0, (source, int(reference.endswith(":1"))))
                reference = source.input[0]
                source = self._nodes.get(node_of(reference))
            if source is not None and source.op in ("StackV2", "Stack"):
                several |= found.keys() & {source.name}
                found[source.name] = node, around
        return {name: user for name, user in found.items() if name not in several}

    def _threaded(self, node: Any, around: _Around, stack: str) -> str:
        """Makes a stack an input of a node and of all that is around it.

        Args:
          node: The node that pushes or pops.
          around: The `Enter` and `Switch` nodes through which it gets the stack, outer ones first,
            with the index of the output.
          stack: The name of the stack before.

        Returns:
          The name of the stack after.
        """
        if not around:
            return self._with_stack(node, stack)
        (entry, side), *rest = around
        if entry.op == "Identity":
            return self._threaded(node, rest, stack)
        name = f"{node_of(entry.name)}/of_{node.name.replace('/', '_')}"
        if entry.op in ("Enter", "RefEnter"):
            carried = Carried(stack, f"{name}/inside", "", f"{name}/exit")
            carried.after = self._threaded(node, rest, carried.inside)
            self._stacks.setdefault(_frame(entry), []).append(carried)
            return carried.exit
        switch = protos.NodeDef(name=name, op="Switch", input=[stack, entry.input[1]])
        ends = [name, f"{name}:1"]
        self._nodes[name] = switch
        ends[side] = self._threaded(node, rest, ends[side])
        scope = entry.input[1].rpartition("/")[0]  # that of the conditional's other results
        merge = protos.NodeDef(name=f"{scope}/{name.replace('/', '_')}", op="Merge", input=ends)
        self._nodes[merge.name] = merge
        return str(merge.name)

    def _with_stack(self, node: Any, stack: str) -> str:
        """Replaces a node by one that also returns the stack after it."""
        dtype = dtype_of_number(node.attr[_DTYPE[node.op]].type).name
        run = pushed if node.op in _PUSHES else popped
        inputs = [stack, *node.input[1:]]
        made = Recovered(node.name, CHANGED_STACK, inputs, [dtype, "variant"], lambda _: run)
        self._nodes[node.name] = made
        return f"{node.name}:1"

    def result(self) -> list[Any]:
        """Returns all nodes, with those that represent conditionals and loops."""
        made: dict[str, Any] = {}
        looping = set()
        for name, enters in self._enters.items():
            whole, exits, merges = self._loop(name, enters)
            looping |= merges
            made[whole.name] = whole
            made |= {node.name: node for node in exits}
        self._nodes |= made
        joining = [
            node
            for node in self._nodes.values()
            if node.op in ("Merge", "RefMerge") and node.name not in looping
        ]
        groups = self._grouped(joining)
        self._alone = self._shared(groups)
        for group in self._grouped(joining) if self._alone else groups:
            made |= {node.name: node for node in self._choice(group)}
        made |= {name: self._as_choice(self._nodes[name]) for name in sorted(self._alone)}
        return list((self._nodes | made).values())

    def _shared(self, groups: Sequence[Sequence[Joined]]) -> set[str]:
        """Returns the nodes with state that several conditionals have in their branches.

        The gradient of a conditional is another conditional, which uses values of its branches.
        """
        found: dict[str, int] = {}
        for group in groups:
            seen: set[str] = set()
            stack = [node_of(end) for joined in group for end in joined.ends]
            while stack:
                name = stack.pop()
                self._count_step()
                node = self._nodes.get(name)
                if node is None or name in seen or self._is_entry(node):
                    continue
                seen.add(name)
                if node.op in _SWITCHES and self._decided_by(node.input[1]) == group[0].pred:
                    continue
                stack += map(node_of, node.input)
            for name in seen:
                if runs_once(self._nodes[name]):
                    found[name] = found.get(name, 0) + 1
        return {name for name, count in found.items() if count > 1 and self._levels(name)}

    def _levels(self, name: str) -> list[tuple[str, int, list[str]]]:
        """Returns the conditions that a node depends on, inner ones first, with their switches."""
        found, _ = self._switches(name)
        levels = [
            (pred, side, names)
            for (pred, side), names in found.items()
            if (pred, 1 - side) not in found
        ]
        return sorted(levels, key=lambda x: -len(self._switches(x[0])[0]))

    def _as_choice(self, node: Any) -> Recovered:
        """Returns a node of a branch as a conditional of its own, which other ones depend on."""
        once = protos.NodeDef()
        once.CopyFrom(node)
        once.name = inner = f"{node.name}/once"
        definition = op_definition(node.op)
        given = Attributes(node.attr, definition)
        flat = [
            (f"{x.name}:{i}", getattr(d, "name", d))
            for x in definition.outputs
            for i, d in enumerate(x.dtypes(given.__getitem__))
        ]
        outputs, dtypes = [x for x, _ in flat], [d for _, d in flat]
        made: Any = once
        for level, (pred, side, names) in enumerate(self._levels(node.name)):
            self._nodes[inner] = made
            made = self._alone_in(inner, pred, side, set(names), dtypes)
            made.name = inner = f"{once.name}_{level}"
        made.name, made.outputs = node.name, outputs
        whole: Recovered = made
        return whole

    def _alone_in(
        self, name: str, pred: str, side: int, used: set[str], dtypes: list[str]
    ) -> Recovered:
        """Returns a node that runs another one if a condition has the given value."""
        outside = sorted(self._outside([name], pred, used))
        switches, values, waits = sorted(used), tensors_among(outside), controls_among(outside)
        ends = [f"{name}:{i}" for i in range(len(dtypes))]

        def kernel(part: Part) -> Kernel:
            body = part(name, [_side(s, side) for s in switches], ends, values, [name])
            return lambda given: choice_of_one(body, side, given, dtypes)

        inputs = [pred, *[self._nodes[s].input[0] for s in switches], *values, *waits]
        inputs += self._waits([self._nodes[s] for s in switches])
        return Recovered(name, "If", inputs, dtypes, kernel)

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
            switch = self._user(merge.name, _SWITCHES, frame)
            switches.append(switch)
            nexts.append(self._input(merge, 1, ("NextIteration", "RefNextIteration")))
            tests.add(node_of(switch.input[1]))
            exits.append([n for n in self._users[switch.name] if n.op in ("Exit", "RefExit")])
        if len(tests) != 1:
            raise ValueError(f"the loop {frame!r} has {len(tests)} conditions")
        test = self._nodes[tests.pop()]
        stacks = self._stacks.get(frame, [])
        names = [m.name for _, m in carried], [f"{s.name}:1" for s in switches]
        fixed = [*[x.inside for x in stacks], *[enter.name for enter in steady]]
        results = [*[n.input[0] for n in nexts], *[x.after for x in stacks]]

        def kernel(part: Part) -> Kernel:
            goes = part(f"{frame} (condition)", [*names[0], *fixed], [test.input[0]], ())
            after = part(f"{frame} (body)", [*names[1], *fixed], results, ())
            return lambda values: loop(goes, after, values)

        inputs = [enter.input[0] for enter, _ in carried]
        inputs += [*[x.before for x in stacks], *[e.input[0] for e in steady]]
        inputs += self._waits(enters)
        dtypes = [*[dtype_of_node(enter) for enter, _ in carried], *["variant"] * len(stacks)]
        dtypes += [dtype_of_node(enter) for enter in steady]
        whole = Recovered(f"{frame}/loop", "While", inputs, dtypes, kernel)
        leaving = [(n.name, i) for i, each in enumerate(exits) for n in each]
        leaving += [(x.exit, i) for i, x in enumerate(stacks, len(carried))]
        out = [
            Recovered(name, "Exit", [f"{whole.name}:{i}"], [dtypes[i]], lambda _: _passed)
            for name, i in leaving
        ]
        return whole, out, {merge.name for _, merge in carried}

    def _user(self, name: str, operations: Sequence[str], frame: str) -> Any:
        for node in self._users.get(name, ()):
            if node.op in operations and node_of(node.input[0]) == name:
                return node
        raise ValueError(f"the loop {frame!r} lacks a {operations[0]}")

    def _input(self, node: Any, place: int, operations: Sequence[str]) -> Any:
        found = self._nodes.get(node_of(node.input[place])) if len(node.input) > place else None
        if found is None or found.op not in operations:
            raise ValueError(f"the node {node.name!r} has no input of {operations[0]}")
        return found

    def _grouped(self, merges: Sequence[Any]) -> list[list[Joined]]:
        """Groups the joined values by conditional, so that each branch runs only once."""
        groups: dict[tuple[str, str], list[Joined]] = {}
        alone = []
        for merge in merges:
            joined, ancestors = self._joined(merge)
            group = groups.setdefault((merge.name.rpartition("/")[0], joined.pred), [])
            if ancestors.isdisjoint(each.merge.name for each in group):
                group.append(joined)
            else:  # the result of one conditional decides or enters the next one
                alone.append([joined])
        return [*groups.values(), *alone]

    def _joined(self, merge: Any) -> tuple[Joined, set[str]]:
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
        pred, flipped = min(preds, key=lambda x: (x[0], 1 - int(x[1])) in reached[0])
        ends = given[::-1] if flipped else given
        used = {
            name
            for side, i in ((0, int(flipped)), (1, int(not flipped)))
            for name in reached[i][pred, side]
        }
        outside = self._outside(ends, pred, used)
        return Joined(merge, pred, flipped, ends, used, outside), of_first | of_second

    def _choice(self, group: Sequence[Joined]) -> list[Recovered]:
        """Returns a choice as a node, and its joined results as nodes."""
        name, pred = group[0].merge.name, group[0].pred
        switches = sorted(set().union(*[joined.switches for joined in group]))
        outside = sorted(set().union(*[joined.outside for joined in group]))
        values, waits = tensors_among(outside), controls_among(outside)

        def kernel(part: Part) -> Kernel:
            branches = [
                part(
                    f"{name} ({branch})",
                    [_side(s, side) for s in switches],
                    [joined.ends[side] for joined in group],
                    values,
                )
                for side, branch in ((0, "false"), (1, "true"))
            ]
            return lambda given: choice(branches[1], branches[0], given)

        inputs = [pred, *[self._nodes[s].input[0] for s in switches], *values, *waits]
        inputs += self._waits([self._nodes[s] for s in switches])
        dtypes = [*[dtype_of_node(joined.merge) for joined in group], "int32"]
        whole = Recovered(f"{name}/choice", "If", inputs, dtypes, kernel)
        return [whole] + [
            Recovered(
                joined.merge.name,
                "Merge",
                [f"{whole.name}:{i}", f"{whole.name}:{len(group)}"],
                [dtypes[i], "int32"],
                _opposite if joined.flipped else lambda _: _passed,
            )
            for i, joined in enumerate(group)
        ]

    def _waits(self, entries: Sequence[Any]) -> list[str]:
        """Returns the control inputs of nodes through which values enter a conditional or loop.

        Those of the nodes that pass on a condition count, too.
        """
        found: dict[str, None] = {}
        for entry in entries:
            passing = [entry]
            if entry.op in _SWITCHES:
                passing += self._passing_on(entry.input[1])
            found.update(dict.fromkeys(x for n in passing for x in n.input if x.startswith("^")))
        return list(found)

    def _passing_on(self, reference: str) -> list[Any]:
        """Returns the `Identity` nodes through which a condition is passed on."""
        found: list[Any] = []
        for _ in range(len(self._nodes)):
            node = self._nodes.get(node_of(reference))
            if node is None or node.op != "Identity":
                break
            found.append(node)
            reference = node.input[0]
        return found

    def _decided_by(self, reference: str) -> str:
        """Returns the tensor of a condition, found by skipping nodes that return their input."""
        passing = self._passing_on(reference)
        return tensor_of(passing[-1].input[0] if passing else reference)

    def _switches(self, name: str) -> tuple[dict[tuple[str, int], list[str]], set[str]]:
        """Returns the switches that a value depends on, by condition and branch, and all nodes.

        In a loop, only nodes of the same iteration count.
        """
        found: dict[tuple[str, int], list[str]] = {}
        seen, stack = set(), [name]
        while stack:
            reference = stack.pop()
            self._count_step()
            if reference in seen:
                continue
            seen.add(reference)
            node = self._nodes.get(node_of(reference))
            if node is None or self._is_entry(node):
                continue
            if node.op in _SWITCHES:
                side = int(reference.endswith(":1"))
                found.setdefault((self._decided_by(node.input[1]), side), []).append(node.name)
                stack.append(node.input[0])
            else:
                stack += self._inputs(node)
        return found, {node_of(reference) for reference in seen}

    def _inputs(self, node: Any) -> Sequence[str]:
        """Returns the names of the inputs of a node, or of the loop from which it takes a value."""
        source: Any = node
        for op in ("Exit", "Switch", "Merge"):
            if source is None or not source.input or source.op not in (op, f"Ref{op}"):
                return list(node.input)
            source = self._nodes.get(node_of(source.input[0]))
        if source is None or source.op not in ("Enter", "RefEnter"):
            return list(node.input)
        return [enter.input[0] for enter in self._enters[_frame(source)]]

    def _outside(self, ends: Sequence[str], pred: str, switches: set[str]) -> set[str]:
        """Returns the values around a choice that its branches use without a switch.

        Constants and what is computed from them alone are left out: a branch computes it again.

        Args:
          ends: The names of the branches' values.
          pred: The condition of the choice.
          switches: The names of the switches of the choice, to which those are added that only
            conditions inside the branches use.
        """
        known: dict[str, tuple[bool, bool]] = {}  # whether on a switch, on fixed values
        stack = [(end, False) for end in ends]
        outside: set[str] = set()
        while stack:
            reference, finished = stack.pop()
            name = node_of(reference)
            node = self._nodes.get(name)
            if finished and node is not None:
                given = [x for x in node.input if not x.startswith("^")]
                of_inputs = [known[node_of(x)] for x in given]
                inside = any(known[node_of(x)][0] for x in node.input)
                known[name] = inside, is_stateful(node) or any(x for _, x in of_inputs)
                if inside:
                    pairs = zip(given, of_inputs, strict=True)
                    outside.update([x for x, of_input in pairs if of_input == (False, True)])
                    outside.update([x for x in node.input if node_of(x) in self._alone])
                continue
            self._count_step()
            if name in known:
                continue
            if name in self._alone:
                known[name] = True, True
                continue
            if node is not None and node.op in _SWITCHES:
                switches.update([name] if self._decided_by(node.input[1]) == pred else ())
            known[name] = name in switches, node is None or self._is_entry(node)
            if node is not None and known[name] == (False, False):
                stack.append((reference, True))
                stack += [(x, False) for x in node.input]
        direct = {end for end in ends if known[node_of(end)] == (False, True)}
        return outside | direct | {end for end in ends if node_of(end) in self._alone}

    def _is_entry(self, node: Any) -> bool:
        """Whether the value of a node is known when an iteration of the loop around it starts."""
        if node.op in _SWITCHES:
            test = self._nodes.get(node_of(node.input[1]))
            return test is not None and test.op == "LoopCond"
        return node.op in ("Enter", "RefEnter")

    def _count_step(self) -> None:
        self._steps += 1
        if self._steps > _MOST:
            raise ValueError("it depends on too many conditions")


def _frame(enter: Any) -> str:
    """Returns the name of the loop that a value enters."""
    return str(enter.attr["frame_name"].s.decode())


def _side(switch: str, side: int) -> str:
    return f"{switch}:{side}"


def _passed(values: list[Any]) -> list[Any]:
    return values


def _opposite(_: Part) -> Kernel:
    return lambda values: [values[0], 1 - values[1]]
