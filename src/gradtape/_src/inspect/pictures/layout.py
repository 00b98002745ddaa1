"""A layered layout of an acyclic graph.

After Sugiyama, Tagawa and Toda, "Methods for visual understanding of hierarchical system
structures" (1981): rows are found by longest paths, the order within rows by barycenters, and
positions by least squares that keep the order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

GAP_X = 26.0
GAP_Y = 38.0
_SLACK = 60.0  # boxes beside a much taller one are placed near the top of the row
_SWEEPS = 12
_SETTLE = 24


@dataclass(eq=False, repr=False)
class Layout:
    """The positions of the boxes and edges of a picture.

    Attributes:
      centers: The middle of each node.
      routes: For each edge, its intermediate points: two in each row that it passes.
      width, height: The size of the picture.
    """

    centers: dict[int, tuple[float, float]]
    routes: dict[tuple[int, int], list[tuple[float, float]]]
    width: float
    height: float


@dataclass(eq=False, repr=False)
class Rows:
    """Nodes in rows.

    Attributes:
      rows: The nodes, from left to right; an edge over several rows has a dummy node, a negative
        number, in each of them.
      up, down: The neighbours of each node in the rows above and below.
      chains: The dummy nodes of each edge.
    """

    rows: list[list[int]]
    up: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    down: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    chains: dict[tuple[int, int], list[int]] = field(default_factory=dict)


def arranged(nodes: Sequence[int], edges: Sequence[tuple[int, int]]) -> Rows:
    """Puts the nodes of an acyclic graph into rows, in an order in which few edges cross.

    Args:
      nodes: The nodes; edges lead from earlier to later ones.
      edges: Pairs of nodes.
    """
    edges = list(dict.fromkeys(edges))
    rows = _with_dummies(_ranks(nodes, edges), edges)
    _order(rows)
    return rows


def placed(rows: Rows, sizes: Mapping[int, tuple[float, float]]) -> Layout:
    """Places nodes that are in rows.

    Args:
      rows: The rows.
      sizes: The width and height of each node.
    """
    widths = {n: w for n, (w, _) in sizes.items()}
    xs = _settle(rows, widths)
    centers: dict[int, tuple[float, float]] = {}
    passes: dict[int, tuple[float, float]] = {}  # where an edge enters and leaves a row
    y = 0.0
    for row in rows.rows:
        height = max((sizes[n][1] for n in row if n in sizes), default=10.0)
        for n in row:
            own = sizes[n][1] + _SLACK if n in sizes else height
            centers[n] = xs[n], y + min(height, own) / 2
            passes[n] = y, y + height
        y += height + GAP_Y
    left = min((centers[n][0] - widths[n] / 2 for n in sizes), default=0.0)
    right = max((centers[n][0] + widths[n] / 2 for n in sizes), default=0.0)
    for dummy in (d for chain in rows.chains.values() for d in chain):
        left, right = min(left, centers[dummy][0] - 4), max(right, centers[dummy][0] + 4)
    moved = {n: (cx - left, cy) for n, (cx, cy) in centers.items()}
    # straight through a row: a curve would cut the corners of the row's tall boxes
    routes = {
        e: [(moved[d][0], y) for d in chain for y in passes[d]] for e, chain in rows.chains.items()
    }
    return Layout({n: moved[n] for n in sizes}, routes, right - left, max(0.0, y - GAP_Y))


def _ranks(nodes: Sequence[int], edges: Sequence[tuple[int, int]]) -> dict[int, int]:
    """Returns the row of each node; roots are just above their successors."""
    into, out = defaultdict(list), defaultdict(list)
    for a, b in edges:
        into[b].append(a)
        out[a].append(b)
    rank: dict[int, int] = {}
    for n in nodes:
        rank[n] = max((rank[a] + 1 for a in into[n]), default=0)
    for n in nodes:
        if not into[n] and out[n]:
            rank[n] = min(rank[b] for b in out[n]) - 1
    low = min(rank.values(), default=0)
    return {n: r - low for n, r in rank.items()}


def _with_dummies(rank: dict[int, int], edges: Sequence[tuple[int, int]]) -> Rows:
    found = Rows([[] for _ in range(max(rank.values(), default=0) + 1)])
    for n, r in rank.items():
        found.rows[r].append(n)
    dummy = -1
    for a, b in edges:
        chain, before = [], a
        for r in range(rank[a] + 1, rank[b]):
            found.rows[r].append(dummy)
            found.down[before].append(dummy)
            found.up[dummy].append(before)
            chain.append(dummy)
            before, dummy = dummy, dummy - 1
        found.down[before].append(b)
        found.up[b].append(before)
        found.chains[a, b] = chain
    return found


def _order(found: Rows) -> None:
    """Orders the rows so that few edges cross, by barycenters; keeps the best order."""
    best, fewest = [list(r) for r in found.rows], _crossings(found)
    for sweep in range(_SWEEPS):
        downwards = sweep % 2 == 0
        near = found.up if downwards else found.down
        for row in found.rows if downwards else reversed(found.rows):
            place = {n: i for r in found.rows for i, n in enumerate(r)}
            weight = {
                n: sum(place[m] for m in near[n]) / len(near[n]) if near[n] else place[n]
                for n in row
            }
            row.sort(key=weight.__getitem__)
        crossings = _crossings(found)
        if crossings < fewest:
            best, fewest = [list(r) for r in found.rows], crossings
    found.rows[:] = best


def _crossings(found: Rows) -> int:
    total = 0
    for above, below in zip(found.rows, found.rows[1:], strict=False):
        place = {n: i for i, n in enumerate(below)}
        ends = [j for n in above for j in sorted(place[m] for m in found.down[n])]
        total += sum(a > b for i, a in enumerate(ends) for b in ends[i + 1 :])
    return total


def _settle(found: Rows, widths: Mapping[int, float]) -> dict[int, float]:
    """Computes positions along the rows: each node near the mean of its neighbours, in order."""
    xs: dict[int, float] = {}
    chain_of = {d: chain for chain in found.chains.values() for d in chain}
    for row in found.rows:
        x = 0.0
        for n in row:
            width = widths.get(n, 8.0)
            xs[n] = x + width / 2
            x += width + GAP_X
        for n in row:
            xs[n] -= (x - GAP_X) / 2
    for step in range(_SETTLE):
        downwards = step % 2 == 0
        for row in found.rows if downwards else reversed(found.rows):
            wish, weight = [], []
            for n in row:
                above, below = found.up[n], found.down[n]
                near = (above or below) if downwards else (below or above)
                if step >= _SETTLE - 4:
                    near = above + below
                wish.append(sum(xs[m] for m in near) / len(near) if near else xs[n])
                weight.append(4.0 if n < 0 else 1.0)
                if n < 0 and step >= _SETTLE - 8:  # a larger weight keeps long edges straight
                    wish[-1] = sum(xs[d] for d in chain_of[n]) / len(chain_of[n])
            xs.update(zip(row, _in_order(row, wish, weight, widths), strict=True))
    return xs


def _in_order(
    row: Sequence[int], wish: Sequence[float], weight: Sequence[float], widths: Mapping[int, float]
) -> list[float]:
    """Returns the positions nearest to the desired ones that keep the order and the distances.

    This is isotonic regression, computed by pooling adjacent violators.
    """
    offset, offsets = 0.0, []
    for i, n in enumerate(row):
        if i:
            offset += (widths.get(row[i - 1], 8.0) + widths.get(n, 8.0)) / 2 + GAP_X
        offsets.append(offset)
    pools: list[list[float]] = []  # [mean, weight, count]
    for w, k, o in zip(wish, weight, offsets, strict=True):
        pools.append([w - o, k, 1.0])
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            mean, total, count = pools.pop()
            last = pools[-1]
            last[0] = (last[0] * last[1] + mean * total) / (last[1] + total)
            last[1] += total
            last[2] += count
    means = [mean for mean, _, count in pools for _ in range(int(count))]
    return [m + o for m, o in zip(means, offsets, strict=True)]
