"""From the logits of connectionist temporal classification to labels."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

import numpy as np

from gradtape._src.base.errors import FailedPreconditionError
from gradtape._src.base.export import export
from gradtape._src.core.convert import tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import integer, invalid
from gradtape._src.ops.types.sparse_tensor import SparseTensor

Numbers = np.ndarray[Any, Any]


def _given(inputs: Any, sequence_length: Any, op: str) -> tuple[Numbers, Numbers]:
    logits = np.asarray(tensor(inputs)._numpy())
    lengths = np.asarray(tensor(sequence_length)._numpy())
    if logits.ndim != 3:
        raise invalid(f"inputs is not a 3-Tensor, but has shape {logits.shape} [Op:{op}]")
    steps, batch, _ = logits.shape
    if lengths.shape != (batch,):
        raise FailedPreconditionError(
            None, None, f"len(sequence_length) != batch_size. len: {lengths.shape} [Op:{op}]"
        )
    for i in np.flatnonzero(lengths > steps)[:1]:
        raise FailedPreconditionError(
            None, None, f"sequence_length({i}) <= {steps} [Op:{op}] (it is {lengths[i]})"
        )
    return logits, lengths


def _as_sparse(rows: list[list[int]]) -> SparseTensor:
    places = [(i, j) for i, row in enumerate(rows) for j in range(len(row))]
    values = [label for row in rows for label in row]
    return SparseTensor(
        np.array(places, np.int64).reshape(-1, 2),
        np.array(values, np.int64),
        np.array([len(rows), max(map(len, rows), default=0)], np.int64),
    )


@export("nn.ctc_greedy_decoder")
def ctc_greedy_decoder(
    inputs: Any, sequence_length: Any, merge_repeated: bool = True, blank_index: Any = None
) -> tuple[list[SparseTensor], Tensor]:
    """The labels of the likeliest class at each step.

    Args:
      inputs: Logits, a floating tensor of shape (steps, batch, classes).
      sequence_length: An integer vector: how many steps of each example count.
      merge_repeated: Whether the same class several times without a blank between is one label.
      blank_index: The class that stands for no label; the last unless given.

    Returns:
      A list of one SparseTensor, the labels; and a tensor of shape (batch, 1), minus the sums of
      the greatest logits.

    Raises:
      FailedPreconditionError: A length is greater than the number of steps.
      InvalidArgumentError: `blank_index` is out of range, or `inputs` not of rank 3.
    """
    logits, lengths = _given(inputs, sequence_length, "CTCGreedyDecoder")
    classes = logits.shape[-1]
    blank = -1 if blank_index is None else integer(blank_index, "ctc_greedy_decoder", "blank_index")
    if not -classes <= blank < classes:
        raise invalid(
            f"blank_index expected to be between {-classes} and {classes - 1} but was {blank} "
            f"[Op:CTCGreedyDecoder]"
        )
    best = logits.argmax(-1)
    rows, scores = [], np.zeros((logits.shape[1], 1), logits.dtype)
    for i, n in enumerate(lengths):
        path = best[:n, i]
        kept = path != blank % classes
        if merge_repeated:
            kept[1:] &= path[1:] != path[:-1]
        rows.append(path[kept].tolist())
        scores[i] = -logits[:n, i].max(-1).sum()
    return [_as_sparse(rows)], Tensor(scores)


@export("nn.ctc_beam_search_decoder")
def ctc_beam_search_decoder(
    inputs: Any, sequence_length: Any, beam_width: int = 100, top_paths: int = 1
) -> tuple[list[SparseTensor], Tensor]:
    """The likeliest labels, by a search that keeps the best beginnings at each step.

    Graves, "Supervised sequence labelling with recurrent neural networks" (2012), section 7.5.

    Args:
      inputs: Logits, a floating tensor of shape (steps, batch, classes); the last class is blank.
      sequence_length: An integer vector: how many steps of each example count.
      beam_width: How many beginnings to keep.
      top_paths: How many label sequences to give.

    Returns:
      A list of `top_paths` SparseTensors, the labels; and a tensor of shape (batch, top_paths),
      the logarithms of their probabilities.

    Raises:
      FailedPreconditionError: A length is greater than the number of steps.
      InvalidArgumentError: More paths are asked for than kept or found, or `inputs` is not of
        rank 3.
    """
    logits, lengths = _given(inputs, sequence_length, "CTCBeamSearchDecoder")
    if top_paths > beam_width:
        raise invalid("requested more paths than the beam width. [Op:CTCBeamSearchDecoder]")
    wide = logits.astype(np.float64)
    wide -= wide.max(-1, keepdims=True)
    logs = wide - np.log(np.exp(wide).sum(-1, keepdims=True))
    found = [_search(logs[:n, i], beam_width)[:top_paths] for i, n in enumerate(lengths)]
    if any(len(paths) < top_paths for paths in found):
        raise invalid(
            "Less leaves in the beam search than requested. [Op:CTCBeamSearchDecoder] (ask for "
            "fewer `top_paths`)"
        )
    labels = [_as_sparse([list(paths[k][0]) for paths in found]) for k in range(top_paths)]
    scores = np.array([[score for _, score in paths] for paths in found], logits.dtype)
    return labels, Tensor(scores.reshape(len(found), top_paths))


def _search(logs: Numbers, width: int) -> list[tuple[tuple[int, ...], float]]:
    """The best label sequences of one example with the logarithms of their probabilities."""
    blank = logs.shape[-1] - 1
    # For each beginning: how likely it is to end with a blank, and with its last label.
    beams: dict[tuple[int, ...], tuple[float, float]] = {(): (0.0, -math.inf)}
    for step in logs.tolist():
        new: dict[tuple[int, ...], list[float]] = defaultdict(lambda: [-math.inf, -math.inf])
        for labels, (with_blank, with_label) in beams.items():
            whole = _sum(with_blank, with_label)
            own = new[labels]
            own[0] = _sum(own[0], whole + step[blank])
            if labels:
                own[1] = _sum(own[1], with_label + step[labels[-1]])
            for label in range(blank):
                before = with_blank if labels and labels[-1] == label else whole
                longer = new[(*labels, label)]
                longer[1] = _sum(longer[1], before + step[label])
        ranked = sorted(new.items(), key=lambda item: -_sum(*item[1]))
        beams = {labels: (pair[0], pair[1]) for labels, pair in ranked[:width]}
    return [(labels, _sum(*pair)) for labels, pair in beams.items()]


def _sum(a: float, b: float) -> float:
    """log(exp(a) + exp(b)); on Python's numbers, where NumPy would take most of the time."""
    if a < b:
        a, b = b, a
    return a if b == -math.inf else a + math.log1p(math.exp(b - a))
