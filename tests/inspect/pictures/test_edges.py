"""Edges of pictures: each one stands in the smallest box around both of its ends."""

from pictured_networks import NEEDS_KERAS, NETWORKS, cut_tape

import gradtape as tf


def uses(graph):
    """The pairs of numbers of operations of which one uses a result of the other."""
    made = {o: op.number for op in graph.recording.shown for o in op.outputs if o}
    return {(made[i], op.number) for op in graph.recording.shown for i in op.inputs if i in made}


def chains_of(graph):
    """For each operation's number, the boxes around it, the outermost first."""
    found = {}

    def walk(box, around):
        if box.leaf:
            found.update((op.number, (*around, box)) for op in box.operations)
        for part in box.parts:
            walk(part, [*around, box])

    walk(graph.root, [])
    return found


def is_drawn(chains, a, b):
    """Whether a box has the edge between two operations, or a loop that from one to the next."""
    above, below = chains[a], chains[b]
    depth = 0
    while above[depth] is below[depth]:
        loop = above[depth]
        if loop.iterations and loop.iterations[a] != loop.iterations[b]:
            into = {(p.title, q) for p, q in loop.edges if p.kind == "port"}
            out = {(p, q.title) for p, q in loop.edges if q.kind == "port"}
            came = ("from the previous iteration", below[depth + 1]) in into
            return came and (above[depth + 1], "to the next iteration") in out
        depth += 1
    return (above[depth], below[depth]) in above[depth - 1].edges


@NEEDS_KERAS
@NETWORKS
def test_every_use_of_a_result_is_drawn(network):
    tape, loss = network()
    graph = tape.graph(loss)
    chains = chains_of(graph)
    assert len(uses(graph)) > 20
    assert all(is_drawn(chains, a, b) for a, b in uses(graph))


@NEEDS_KERAS
@NETWORKS
def test_edges_of_a_box_join_what_is_in_it_and_never_lead_back(network):
    tape, loss = network()
    for box in tape.graph(loss).root.every():
        order = {b: k for k, b in enumerate(box.inside)}
        assert all(order[a] < order[b] for a, b in box.edges)


def test_a_variable_stands_in_the_smallest_box_around_its_uses():
    shared, own = tf.Variable(2.0, name="shared"), tf.Variable(3.0, name="own")
    with tf.GradientTape(persistent=True) as tape:
        with tf.name_scope("first"):
            y = tf.sin(shared * own) * own
        with tf.name_scope("second"):
            y = tf.cos(y) * shared
    root = tape.graph(y).root
    first, second = root.parts
    assert [v.title for v in root.values] == ["shared"]
    assert [v.title for v in first.values] == ["own"]
    assert not second.values
    ports = [b.title for b in second.inside if b.kind == "port"]
    assert sorted(ports) == ["from first", "from shared"]


def test_gradients_come_back_along_all_edges_but_those_behind_a_cut():
    tape, loss = cut_tape()
    root = tape.graph(loss).root
    stopped = {a.title for box in root.every() for a, _ in box.stopped if a.kind != "port"}
    cuts = {"Round", "StopGradient", "Tensor.numpy()", "assign state", "Greater"}
    assert cuts <= stopped <= cuts | {"features"}
