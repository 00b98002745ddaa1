"""Connectionist temporal classification: loss and decoding.

Graves, Fernandez, Gomez and Schmidhuber, "Connectionist temporal classification: labelling
unsegmented sequence data with recurrent neural networks" (2006); equation numbers refer to this
paper.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

import numpy as np

from gradtape._src.base.dtypes import int32, int64
from gradtape._src.base.errors import About, FailedPreconditionError
from gradtape._src.base.export import export
from gradtape._src.compute.axis_sums import repeated
from gradtape._src.compute.jax_modules import jnp, lax
from gradtape._src.core.convert import convert_to_tensor, tensor
from gradtape._src.core.primitive import Bound
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import input_of, integer, invalid
from gradtape._src.declare.attributes import takes
from gradtape._src.declare.general import general, shape_of
from gradtape._src.declare.graph_operations import New, graph_operation, result_by
from gradtape._src.declare.registered import opaque
from gradtape._src.declare.structural import reshape_p, transpose_p
from gradtape._src.declare.unknown_sizes import UnknownRank, may_be_equal
from gradtape._src.ops.array.scatter import gather_nd, scatter_nd
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.types.sparse_tensor import SparseTensor

Numbers = np.ndarray[Any, Any]


LOG_ZERO = float(np.log(1e-307))
"""The number that TensorFlow takes for log 0 if labels are dense."""


def _log_softmax(xp: Any, x: Numbers) -> Numbers:
    shifted = x - x.max(-1, keepdims=True, initial=-np.inf)
    out: Numbers = shifted - xp.log(xp.exp(shifted).sum(-1, keepdims=True))
    return out


class Lattice:
    """The states of each example (its labels and the blanks between), and their emissions.

    Args:
      xp: NumPy, or a module with the same functions, such as `jax.numpy`.
    """

    def __init__(
        self, xp: Any, logits: Numbers, labels: Numbers, lengths: Numbers, blank: int, floor: bool
    ) -> None:
        self.xp = xp
        batch, width = labels.shape
        blanks = xp.full((batch, width), blank)
        rows = xp.stack([blanks, labels], -1).reshape(batch, 2 * width)
        rows = xp.concatenate([rows, xp.full((batch, 1), blank)], 1)
        self.states = xp.where((rows >= 0) & (rows < logits.shape[-1]), rows, blank)
        self.logs = _log_softmax(xp, logits.astype(np.float64))
        places = xp.broadcast_to(self.states, (len(logits), *self.states.shape))
        self.emitted = xp.take_along_axis(self.logs, places, -1)
        number = np.arange(2 * width + 1)
        self.real = number <= 2 * lengths[:, None]
        self.final = self.real & (number >= 2 * lengths[:, None] - 1)
        # A blank may be left out between labels that differ (equation 7).
        inner = (number[2:] % 2 == 1) & (self.states[:, 2:] != self.states[:, :-2])
        none = np.zeros((batch, min(2, 2 * width + 1)), bool)
        self.skips = xp.concatenate([none, inner], 1)
        self.none = LOG_ZERO if floor else -np.inf

    def start(self) -> Numbers:
        """Returns the logarithms of the states' probabilities before the first step."""
        first = np.arange(self.states.shape[1]) < 2
        out: Numbers = self.xp.where(self.real, np.where(first, 0.0, self.none), -np.inf)
        return out

    def end(self) -> Numbers:
        """Returns the logarithms of the states' probabilities of being the last state."""
        none = self.xp.where(self.final, 0.0, self.none)
        out: Numbers = self.xp.where(self.real, none, -np.inf)
        return out

    def forward(self, alpha: Numbers) -> Numbers:
        """Returns the probabilities of the next states by equation 6, without the emission."""
        two = self.xp.where(self.skips, self._moved(alpha, 2), -np.inf)
        return self._joined(alpha, self._moved(alpha, 1), two)

    def backward(self, beta: Numbers) -> Numbers:
        """Returns the backward probabilities of the previous step by equation 10."""
        two = self.xp.where(self.skips, beta, -np.inf)
        return self._joined(beta, self._moved(beta, -1), self._moved(two, -2))

    def total(self, x: Numbers) -> Numbers:
        """Returns log(sum(exp(x))) along the last axis."""
        xp = self.xp
        top = x.max(-1, keepdims=True)
        safe = xp.where(xp.isfinite(top), top, 0)
        out: Numbers = (safe + xp.log(xp.exp(x - safe).sum(-1, keepdims=True)))[..., 0]
        return out

    def shares(self, x: Numbers) -> Numbers:
        """Returns the probabilities of the states, normalized to a sum of 1.

        Zeros if none is possible.
        """
        xp = self.xp
        out: Numbers = xp.nan_to_num(xp.exp(x - self.total(x)[:, None]))
        return out

    def loss(self, alpha: Numbers, lengths: Numbers) -> Numbers:
        """Returns the loss, from the states after the last step."""
        # If no alignment is possible, TensorFlow returns one of two values.
        unseen = -self.none if np.isfinite(self.none) else np.inf
        out: Numbers = self.xp.where(lengths == 0, unseen, -self.total(alpha + self.end()))
        return out

    def gradient(self, counts: Numbers, lengths: Numbers) -> Numbers:
        """Returns the gradient with respect to the logits by equation 16."""
        xp = self.xp
        inside = np.arange(len(counts))[:, None] < lengths
        # If no alignment is possible, no state counts: the gradient is the softmax.
        out: Numbers = xp.where(inside[..., None], xp.exp(self.logs) - counts, 0)
        return out

    def _joined(self, before: Numbers, one: Numbers, two: Numbers) -> Numbers:
        xp = self.xp
        reached = xp.logaddexp(xp.logaddexp(before, one), two)
        if np.isfinite(self.none):
            reached = xp.logaddexp(reached, (self.total(before) + self.none)[:, None])
        out: Numbers = xp.where(self.real, reached, -np.inf)
        return out

    def _moved(self, x: Numbers, by: int) -> Numbers:
        gap = np.full((x.shape[0], min(abs(by), x.shape[1])), -np.inf)
        parts = [gap, x[:, :-by]] if by > 0 else [x[:, -by:], gap]
        out: Numbers = self.xp.concatenate(parts, 1)
        return out


def _loss(
    logits: Any, labels: Any, label_length: Any, logit_length: Any, *, blank: int, floor: bool
) -> Any:
    with np.errstate(divide="ignore", invalid="ignore"):
        grid = Lattice(np, logits, labels, label_length, blank, floor)
        alpha = grid.start()
        for step, emitted in enumerate(grid.emitted):
            moved = (grid.forward(alpha) if step else alpha) + emitted
            alpha = np.where((step < logit_length)[:, None], moved, alpha)
        return grid.loss(alpha, logit_length).astype(logits.dtype)


def _walked_xla(grid: Lattice, lengths: Any) -> tuple[Any, Any]:
    """Returns the states of a lattice after the last step and after each step."""

    def step(alpha: Any, now: Any) -> tuple[Any, Any]:
        number, emitted = now
        moved = jnp.where(number > 0, grid.forward(alpha), alpha) + emitted
        alpha = jnp.where((number < lengths)[:, None], moved, alpha)
        return alpha, alpha

    out: tuple[Any, Any] = lax.scan(
        step, grid.start(), (np.arange(len(grid.emitted)), grid.emitted)
    )
    return out


def _loss_xla(
    logits: Any, labels: Any, label_length: Any, logit_length: Any, *, blank: int, floor: bool
) -> Any:
    grid = Lattice(jnp, logits, labels, label_length, blank, floor)
    alpha, _ = _walked_xla(grid, logit_length)
    return grid.loss(alpha, logit_length).astype(logits.dtype)


def _gradient(
    logits: Any, labels: Any, label_length: Any, logit_length: Any, *, blank: int, floor: bool
) -> Any:
    with np.errstate(divide="ignore", invalid="ignore"):
        grid = Lattice(np, logits, labels, label_length, blank, floor)
        alphas = np.empty(grid.emitted.shape)
        alpha = grid.start()
        for step, emitted in enumerate(grid.emitted):
            alphas[step] = alpha = (grid.forward(alpha) if step else alpha) + emitted
        counts = np.zeros(grid.logs.shape)
        beta = grid.end()
        rows = np.arange(len(labels))[:, None]
        for step in range(len(logits) - 1, -1, -1):
            np.add.at(counts[step], (rows, grid.states), grid.shares(alphas[step] + beta))
            moved = grid.backward(beta + grid.emitted[step])
            beta = np.where((step < logit_length)[:, None], moved, beta)
        return grid.gradient(counts, logit_length).astype(logits.dtype)


def _gradient_xla(
    logits: Any, labels: Any, label_length: Any, logit_length: Any, *, blank: int, floor: bool
) -> Any:
    grid = Lattice(jnp, logits, labels, label_length, blank, floor)
    _, alphas = _walked_xla(grid, logit_length)
    rows, none = np.arange(labels.shape[0])[:, None], jnp.zeros(logits.shape[1:], np.float64)

    def step(beta: Any, now: Any) -> tuple[Any, Any]:
        number, alpha, emitted = now
        counts = none.at[rows, grid.states].add(grid.shares(alpha + beta))
        moved = grid.backward(beta + emitted)
        return jnp.where((number < logit_length)[:, None], moved, beta), counts

    steps = (np.arange(len(logits)), alphas, grid.emitted)
    _, counts = lax.scan(step, grid.end(), steps, reverse=True)
    return grid.gradient(counts, logit_length).astype(logits.dtype)


ctc_gradient_p = opaque("CTCLossGradient", _gradient, xla=_gradient_xla)


def _vjp(
    g: Any, logits: Any, labels: Any, label_length: Any, logit_length: Any, blank: int, floor: bool
) -> Any:
    found = ctc_gradient_p(logits, labels, label_length, logit_length, blank=blank, floor=floor)
    return reshape_p(g, shape=(1, *shape_of(g), 1)) * found


ctc_loss_p: Bound = general("CTCLoss", _loss, {"logits": _vjp}, xla=_loss_xla)


def _lengths(value: Any, most: int, what: str, count: int) -> Tensor:
    out = tensor(value)
    if not may_be_equal(shape_of(out), (count,)):
        raise invalid(
            f"ctc_loss: `{what}` must have shape ({count},), one number for each example, got "
            f"shape {out.shape} [Op:CTCLoss]"
        )
    known = _known(out)
    if known is not None and known.size and (known.min() < 0 or known.max() > most):
        raise invalid(
            f"ctc_loss: `{what}` must lie in [0, {most}], got {known.tolist()} [Op:CTCLoss]",
            About.VALUES,
        )
    return out


def _known(x: Tensor) -> Numbers | None:
    """Returns the value of a tensor, or None while a function is traced or compiled."""
    return x._value if isinstance(x._value, np.ndarray) else None


@graph_operation(
    "CTCRows", lambda new, labels: (new((None, None), int64), new((labels.shape[0],), int64))
)
def rows_of(labels: SparseTensor) -> tuple[Tensor, Tensor]:
    """Returns sparse labels as padded rows, and the lengths of the rows.

    Args:
      labels: The labels.
    """
    places = np.asarray(labels.indices._numpy())
    rows, width = (int(n) for n in np.asarray(labels.dense_shape._numpy()))
    dense = np.zeros((rows, width), np.int64)
    lengths = np.bincount(places[:, 0], minlength=rows)
    order = np.arange(len(places)) - repeated(np.cumsum(lengths) - lengths, lengths)
    dense[places[:, 0], order] = np.asarray(labels.values._numpy())
    return Tensor(dense), Tensor(lengths)


def _loss_of_each(
    new: New,
    labels: Any,
    logits: Any,
    label_length: Any,
    logit_length: Any,
    logits_time_major: bool = True,
    *_: Any,
    **__: Any,
) -> Tensor:
    shape = shape_of(x := convert_to_tensor(logits))
    batch = None if type(shape) is UnknownRank else shape[1 if logits_time_major else 0]
    return new([batch], x._value.dtype)


@export("nn.ctc_loss")
@result_by(_loss_of_each)
def ctc_loss(
    labels: Any,
    logits: Any,
    label_length: Any,
    logit_length: Any,
    logits_time_major: bool = True,
    unique: Any = None,
    blank_index: Any = None,
    name: str | None = None,
) -> Tensor:
    """Returns the CTC loss: -log of the probability of all alignments of the labels.

    As in TensorFlow, it has no second derivative, and if no alignment is possible, it is inf for
    sparse labels and about 710 for dense labels.

    Args:
      labels: A dense integer tensor of shape (batch, length), or a SparseTensor of that shape.
      logits: A floating-point tensor of shape (steps, batch, classes).
      label_length: An integer vector, ignored for sparse labels.
      logit_length: An integer vector.
      logits_time_major: If false, the shape of `logits` is (batch, steps, classes).
      unique: The result of `ctc_unique_labels`. Accepted for compatibility.
      blank_index: The index of the blank class; negative ones count from the end. Defaults to 0 for
        dense labels.
      name: Accepted for compatibility.

    Returns:
      A vector, the loss of each example.

    Raises:
      ValueError: `blank_index` is not given for sparse labels, or is out of range; or `logits` is
        not of rank 3.
      InvalidArgumentError: A length or label is out of range, or the shapes are incompatible.
    """
    x = convert_to_tensor(logits)
    if len(shape_of(x)) != 3:
        raise ValueError(f"ctc_loss: `logits` must have rank 3, got shape {x.shape}")
    if not logits_time_major:
        x = transpose_p(x, perm=(1, 0, 2))
    steps, batch, classes = shape_of(x)
    sparse = isinstance(labels, SparseTensor)
    if blank_index is None:
        if sparse:
            raise ValueError(
                "Argument `blank_index` must be provided when `labels` is a `SparseTensor`."
            )
        blank_index = 0
    blank = integer(blank_index, "ctc_loss", "blank_index")
    if not -classes <= blank < classes:
        raise ValueError(f"Argument `blank_index` must lie in [{-classes}, {classes}), got {blank}")
    if sparse:
        rows, lengths = rows_of(labels)
    else:
        rows = tensor(labels)
        if len(shape_of(rows)) != 2 or not may_be_equal(shape_of(rows)[:1], (batch,)):
            raise invalid(
                f"ctc_loss: `labels` must have shape ({batch}, n), got {rows.shape} [Op:CTCLoss]"
            )
        lengths = _lengths(label_length, shape_of(rows)[1], "label_length", batch)
    if _unknown_label(_known(rows), _known(lengths), classes):
        raise invalid(
            f"ctc_loss: labels must lie in [0, {classes}), the classes of `logits` [Op:CTCLoss]",
            About.VALUES,
        )
    counted = _lengths(logit_length, steps, "logit_length", batch)
    return ctc_loss_p(x, rows, lengths, counted, blank=blank % classes, floor=not sparse)


def _unknown_label(rows: Numbers | None, lengths: Numbers | None, classes: int) -> bool:
    if rows is None or lengths is None:
        return False
    counted = np.arange(rows.shape[1]) < lengths[:, None]
    return bool((counted & ((rows < 0) | (rows >= classes))).any())


@export("nn.collapse_repeated")
def collapse_repeated(
    labels: Any, seq_length: Any, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Merges consecutive equal labels.

    Args:
      labels: An integer tensor of shape (batch, length).
      seq_length: The number of valid labels in each row.
      name: Accepted for compatibility.

    Returns:
      The remaining labels, padded with zeros, and a vector of the number of labels in each row, of
      the dtype of `seq_length`.
    """
    given, asked = tensor(labels), tensor(seq_length)
    rows = np.asarray(given._numpy())
    if rows.ndim != 2:
        raise invalid(f"`labels` must have shape (batch, length), got {rows.shape} [Op:ctc]")
    lengths = np.asarray(cast(asked, int32)._numpy())
    if lengths.shape not in ((), (1,), (len(rows),)):
        raise invalid(
            f"`seq_length` must have a number for each of {len(rows)} rows, got {lengths.shape} "
            "[Op:ctc]"
        )
    lengths = np.broadcast_to(lengths, len(rows))
    kept = np.ones(rows.shape, bool)
    kept[:, 1:] = rows[:, 1:] != rows[:, :-1]
    kept &= np.arange(rows.shape[1]) < lengths[:, None]
    counts = kept.sum(-1)
    shape = (len(rows), int(counts.max(initial=0)))
    places = np.argwhere(np.arange(shape[1]) < counts[:, None])
    out = scatter_nd(places, gather_nd(given, np.argwhere(kept)), shape)
    return out, cast(Tensor(counts), asked.dtype)


@export("nn.ctc_unique_labels")
def ctc_unique_labels(labels: Any, name: str | None = None) -> list[Tensor]:
    """Returns the distinct labels of each row, and the index of each label among them.

    Args:
      labels: An integer tensor of shape (batch, length).
      name: Accepted for compatibility.

    Returns:
      The labels in the order of their first occurrence, padded with zeros, an int64 tensor; and the
      index of each label among them, an int32 tensor. Both have the shape of `labels`.
    """
    rows = np.asarray(tensor(labels)._numpy())
    rows = rows if len(rows) else rows.reshape(0)  # the shape that TensorFlow gives no rows
    found, places = np.zeros(rows.shape, np.int64), np.zeros(rows.shape, np.int32)
    for i, row in enumerate(rows):
        _, first, where = np.unique(row, return_index=True, return_inverse=True)
        order = np.argsort(first)
        found[i, : len(first)] = row[first[order]]
        places[i] = np.argsort(order)[where.reshape(-1)]
    return [Tensor(found), Tensor(places)]


def _given(inputs: Any, sequence_length: Any, op: str) -> tuple[Numbers, Numbers]:
    logits = np.asarray(tensor(inputs)._numpy())
    lengths = np.asarray(input_of(op, 1, sequence_length, int32)._numpy())
    if lengths.ndim != 1:
        raise invalid(f"sequence_length is not a vector, but has shape {lengths.shape} [Op:{op}]")
    if logits.ndim != 3:
        raise invalid(f"inputs is not a 3-Tensor, but has shape {logits.shape} [Op:{op}]")
    steps, batch, _ = logits.shape
    if not may_be_equal(lengths.shape, (batch,)):
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


def _new_sparse(new: New, dtype: Any = int64) -> SparseTensor:
    return SparseTensor(new((None, 2), int64), new((None,), dtype), new((2,), int64))


def _greedy_result(new: New, inputs: Any, *_: Any, **__: Any) -> tuple[list[SparseTensor], Tensor]:
    return [_new_sparse(new)], new((None, 1), tensor(inputs).dtype)


@export("nn.ctc_greedy_decoder")
@graph_operation("CTCGreedyDecoder", _greedy_result)
@takes(merge_repeated="bool")
def ctc_greedy_decoder(
    inputs: Any, sequence_length: Any, merge_repeated: bool = True, blank_index: Any = None
) -> tuple[list[SparseTensor], Tensor]:
    """Returns the labels for the most likely class at each step.

    Args:
      inputs: Logits, a floating-point tensor of shape (steps, batch, classes).
      sequence_length: An integer vector with the number of valid steps of each example.
      merge_repeated: Whether repeated classes without a blank between them are merged to one label.
      blank_index: The index of the blank class. Defaults to the last class.

    Returns:
      A list of one SparseTensor, which holds the labels, and a tensor of shape (batch, 1), which
      holds the negative sums of the greatest logits.

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
            f"[Op:CTCGreedyDecoder]",
            About.VALUES,
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


@graph_operation("CTCLabels", lambda new, labels: _new_sparse(new, labels.dtype))
def without_repeats(labels: SparseTensor) -> SparseTensor:
    """Returns sparse labels without those that are equal to the one before in their row.

    Args:
      labels: The labels.

    Returns:
      A sparse tensor with as many rows, whose labels are moved to the left.
    """
    rows, values = (np.asarray(x._numpy()) for x in (labels.indices[:, 0], labels.values))
    kept = np.ones(len(values), np.bool_)
    kept[1:] = (rows[1:] != rows[:-1]) | (values[1:] != values[:-1])
    rows, values = rows[kept], values[kept]
    places = np.arange(len(rows)) - np.searchsorted(rows, rows)
    extent = [int(labels.dense_shape[0]), places.max(initial=-1) + 1]
    return SparseTensor(np.stack([rows, places], 1), values, np.array(extent, np.int64))


def _beam_result(
    new: New, inputs: Any, sequence_length: Any, beam_width: int = 100, top_paths: int = 1
) -> tuple[list[SparseTensor], Tensor]:
    dtype = tensor(inputs).dtype
    return [_new_sparse(new) for _ in range(top_paths)], new((None, top_paths), dtype)


@export("nn.ctc_beam_search_decoder")
@graph_operation("CTCBeamSearchDecoder", _beam_result)
def ctc_beam_search_decoder(
    inputs: Any, sequence_length: Any, beam_width: int = 100, top_paths: int = 1
) -> tuple[list[SparseTensor], Tensor]:
    """Returns the most likely labels, by a beam search.

    Graves, "Supervised sequence labelling with recurrent neural networks" (2012), section 7.5.

    Args:
      inputs: Logits, a floating tensor of shape (steps, batch, classes); the last class is blank.
      sequence_length: An integer vector with the number of valid steps of each example.
      beam_width: The number of prefixes to keep.
      top_paths: The number of label sequences to return.

    Returns:
      A list of `top_paths` SparseTensors, the labels; and a tensor of shape (batch, top_paths),
      the logarithms of their probabilities.

    Raises:
      FailedPreconditionError: A length is greater than the number of steps.
      InvalidArgumentError: `top_paths` is greater than `beam_width` or than the number of paths
        found, or `inputs` is not of rank 3.
    """
    logits, lengths = _given(inputs, sequence_length, "CTCBeamSearchDecoder")
    if top_paths > beam_width:
        raise invalid(
            "requested more paths than the beam width. [Op:CTCBeamSearchDecoder]", About.VALUES
        )
    wide = logits.astype(np.float64)
    wide -= wide.max(-1, keepdims=True)
    logs = wide - np.log(np.exp(wide).sum(-1, keepdims=True))
    found = [_search(logs[:n, i], beam_width)[:top_paths] for i, n in enumerate(lengths)]
    if any(len(paths) < top_paths for paths in found):
        raise invalid(
            "Less leaves in the beam search than requested. [Op:CTCBeamSearchDecoder] (ask for "
            "fewer `top_paths`)",
            About.VALUES,
        )
    labels = [_as_sparse([list(paths[k][0]) for paths in found]) for k in range(top_paths)]
    scores = np.array([[score for _, score in paths] for paths in found], logits.dtype)
    return labels, Tensor(scores.reshape(len(found), top_paths))


def _search(logs: Numbers, width: int) -> list[tuple[tuple[int, ...], float]]:
    """Returns the best label sequences of one example, and their log-probabilities."""
    blank = logs.shape[-1] - 1
    # For each prefix, the logarithms of its probabilities to end with a blank and with its last
    # label.
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
    """Returns log(exp(a) + exp(b)) of Python numbers, for which NumPy would be slow."""
    if a < b:
        a, b = b, a
    return a if b == -math.inf else a + math.log1p(math.exp(b - a))
