"""Losses over a random sample of many classes, and the samplers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gradtape._src.base.dtypes import float32, int32, int64
from gradtape._src.base.errors import About
from gradtape._src.base.export import export
from gradtape._src.core.convert import tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.arguments import are_direct, input_of, integer, invalid
from gradtape._src.declare.attributes import takes
from gradtape._src.declare.graph_operations import New, graph_operation
from gradtape._src.declare.named_results import named

if TYPE_CHECKING:
    from gradtape._src.declare.named_results import AccidentalHits, Candidates
from gradtape._src.declare.structural import reduce_sum_p
from gradtape._src.ops.array.creation import ones_like, zeros_like
from gradtape._src.ops.array.joining import concat, stack
from gradtape._src.ops.array.scatter import tensor_scatter_nd_add
from gradtape._src.ops.array.shaping import expand_dims, reshape
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.exponential import log
from gradtape._src.ops.elementwise.identities import stop_gradient
from gradtape._src.ops.linalg.matmul import matmul
from gradtape._src.ops.nn.cross_entropy import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
)
from gradtape._src.ops.nn.embedding import embedding_lookup
from gradtape._src.ops.random.distributions import own_seed

Numbers = np.ndarray[Any, Any]
_FAR = -float(np.finfo(np.float32).max)


def _check_columns(true: Numbers, num_true: Any, op: str) -> None:
    if true.ndim != 2 or true.shape[1] != int(num_true):
        raise invalid(
            f"true_classes must be a matrix with {num_true} columns (num_true), got shape "
            f"{true.shape} [Op:{op}]"
        )


def _unknown(
    new: New, op: str, true_classes: Any, num_true: Any, num_sampled: Any, *_: Any
) -> Candidates:
    """Returns the result of a sampler in a graph."""
    count = int(num_sampled)
    true = tensor(true_classes).shape
    expected = new(None if true.rank is None else true.as_list(), float32)
    out: Candidates = named(op, (new([count], int64), expected, new([count], float32)))
    return out


def _drawn(
    op: str,
    true_classes: Any,
    num_true: Any,
    num_sampled: Any,
    unique: bool,
    probabilities: Callable[[Numbers], Numbers],
    draw: Callable[[np.random.Generator, int], Numbers],
    range_max: int,
    seed: Any,
) -> Candidates:
    true = np.asarray(input_of(op, 0, true_classes, int64)._numpy())
    count = integer(num_sampled, "candidate_sampler", "num_sampled")
    _check_columns(true, num_true, op)
    if unique and count > range_max:
        raise invalid(
            f"Sampler's range is too small: {count} different of {range_max} classes can't be "
            f"drawn [Op:{op}]",
            About.VALUES,
        )
    engine = np.random.default_rng(own_seed(seed))
    if unique:
        found: dict[int, None] = {}
        tries = 0
        while len(found) < count:
            found.setdefault(int(draw(engine, 1)[0]))
            tries += 1
        classes = np.array(list(found), np.int64)
    else:
        tries, classes = count, draw(engine, count).astype(np.int64)

    def expected(ids: Numbers) -> Tensor:
        p = probabilities(ids)
        with np.errstate(divide="ignore"):
            out = -np.expm1(tries * np.log1p(-p)) if unique else p * tries
        return Tensor(out.astype(np.float32))

    out: Candidates = named(op, (Tensor(classes), expected(true), expected(classes)))
    return out


_SAMPLERS = {
    op: graph_operation(op, _unknown, stateful=True, undone=True, has_gradient=False)(_drawn)
    for op in (
        "FixedUnigramCandidateSampler",
        "LogUniformCandidateSampler",
        "UniformCandidateSampler",
    )
}


def _sampled(op: str, *args: Any) -> Candidates:
    return _SAMPLERS[op](op, *args)


@export("random.uniform_candidate_sampler")
@takes(num_true="int", num_sampled="int", unique="bool", range_max="int")
def uniform_candidate_sampler(
    true_classes: Any,
    num_true: Any,
    num_sampled: Any,
    unique: bool,
    range_max: Any,
    seed: Any = None,
    name: str | None = None,
) -> Candidates:
    """Draws classes uniformly.

    Args:
      true_classes: An int64 tensor of shape (batch, num_true).
      num_true: The number of true classes of each example.
      num_sampled: The number of classes to draw.
      unique: Whether to draw no class twice.
      range_max: The number of classes.
      seed: A seed for this operation; see tf.random.set_seed.
      name: Accepted for compatibility.

    Returns:
      The sampled classes, an int64 vector, and the expected counts of the true and of the sampled
      classes.

    Raises:
      InvalidArgumentError: The shape is not valid, or too many classes are requested.
    """
    n = int(range_max)
    return _sampled(
        "UniformCandidateSampler",
        true_classes,
        num_true,
        num_sampled,
        unique,
        lambda ids: np.full(ids.shape, 1 / n),
        lambda engine, k: engine.integers(0, n, k),
        n,
        seed,
    )


@export("random.log_uniform_candidate_sampler")
@takes(num_true="int", num_sampled="int", unique="bool", range_max="int")
def log_uniform_candidate_sampler(
    true_classes: Any,
    num_true: Any,
    num_sampled: Any,
    unique: bool,
    range_max: Any,
    seed: Any = None,
    name: str | None = None,
) -> Candidates:
    """Draws classes with probabilities by Zipf's law.

    Class k has the probability log(1 + 1 / (k + 1)) / log(range_max + 1).

    Args:
      true_classes: An int64 tensor of shape (batch, num_true).
      num_true: The number of true classes of each example.
      num_sampled: The number of classes to draw.
      unique: Whether to draw no class twice.
      range_max: The number of classes.
      seed: A seed for this operation; see tf.random.set_seed.
      name: Accepted for compatibility.

    Returns:
      The sampled classes, an int64 vector, and the expected counts of the true and of the sampled
      classes.

    Raises:
      InvalidArgumentError: The shape is not valid, or too many classes are requested.
    """
    n = int(range_max)
    whole = np.log(n + 1)
    return _sampled(
        "LogUniformCandidateSampler",
        true_classes,
        num_true,
        num_sampled,
        unique,
        lambda ids: np.log1p(1 / (ids + 1)) / whole,
        lambda engine, k: np.minimum(np.exp(engine.random(k) * whole).astype(np.int64) - 1, n - 1),
        n,
        seed,
    )


@export("nn.all_candidate_sampler", "random.all_candidate_sampler")
@takes(num_true="int", num_sampled="int", unique="bool")
def all_candidate_sampler(
    true_classes: Any,
    num_true: Any,
    num_sampled: Any,
    unique: bool,
    seed: Any = None,
    name: str | None = None,
) -> Candidates:
    """Returns all classes from 0 up to `num_sampled`, for comparison with random samplers.

    Args:
      true_classes: An int64 tensor of shape (batch, num_true).
      num_true: The number of true classes of each example.
      num_sampled: The number of classes to draw.
      unique: Whether to draw no class twice.
      seed: A seed for this operation; see tf.random.set_seed.
      name: Accepted for compatibility.

    Returns:
      The sampled classes, an int64 vector, and the expected counts of the true and of the sampled
      classes.

    Raises:
      InvalidArgumentError: The shape is not valid, or too many classes are requested.
    """
    return _all_classes("AllCandidateSampler", true_classes, num_true, int(num_sampled))


@graph_operation("AllCandidateSampler", _unknown, has_gradient=False)
def _all_classes(op: str, true_classes: Any, num_true: Any, n: int) -> Candidates:
    true = np.asarray(input_of(op, 0, true_classes, int64)._numpy())
    _check_columns(true, num_true, op)
    ones = np.ones(n, np.float32)
    ids = Tensor(np.arange(n, dtype=np.int64))
    values = ids, Tensor(np.ones(true.shape, np.float32)), Tensor(ones)
    out: Candidates = named(op, values)
    return out


@export("nn.fixed_unigram_candidate_sampler", "random.fixed_unigram_candidate_sampler")
def fixed_unigram_candidate_sampler(
    true_classes: Any,
    num_true: Any,
    num_sampled: Any,
    unique: bool,
    range_max: Any,
    vocab_file: str = "",
    distortion: float = 1.0,
    num_reserved_ids: int = 0,
    num_shards: int = 1,
    shard: int = 0,
    unigrams: Sequence[float] = (),
    seed: Any = None,
    name: str | None = None,
) -> Candidates:
    """Draws classes with given weights.

    Args:
      true_classes: An int64 tensor of shape (batch, num_true).
      num_true: The number of true classes of each example.
      num_sampled: The number of classes to draw.
      unique: Whether to draw no class twice.
      range_max: The number of classes.
      vocab_file: A file with the weight of a class at the end of each line, after a comma.
      distortion: The power to which weights are raised.
      num_reserved_ids: The number of classes before those with weights, which are never drawn.
      num_shards: The number of parts into which the classes are divided.
      shard: The index of the part to draw from.
      unigrams: The weights, if `vocab_file` is not given.
      seed: A seed for this operation; see tf.random.set_seed.
      name: Accepted for compatibility.

    Returns:
      The sampled classes, an int64 vector, and the expected counts of the true and of the sampled
      classes.

    Raises:
      InvalidArgumentError: The numbers of weights and classes differ, or the shape is not valid.
    """
    n = int(range_max)
    if vocab_file:
        import csv

        with open(vocab_file, encoding="utf-8", newline="") as lines:  # noqa: PTH123  (as it came)
            unigrams = [float(row[-1]) for row in csv.reader(lines) if row]
    weights = np.zeros(n)
    given = np.asarray(unigrams, np.float64) ** distortion
    if len(given) + num_reserved_ids != n:
        raise invalid(
            f"range_max must be the number of weights plus num_reserved_ids, {len(given)} + "
            f"{num_reserved_ids}, got {n} [Op:FixedUnigramCandidateSampler]",
            About.VALUES,
        )
    weights[num_reserved_ids:] = given
    weights[np.arange(n) % num_shards != shard] = 0
    shares = weights / weights.sum()
    return _sampled(
        "FixedUnigramCandidateSampler",
        true_classes,
        num_true,
        num_sampled,
        unique,
        lambda ids: shares[ids],
        lambda engine, k: engine.choice(n, k, p=shares),
        int((shares > 0).sum()),
        seed,
    )


@export("nn.compute_accidental_hits")
@takes(num_true="int", seed="int")
def compute_accidental_hits(
    true_classes: Any,
    sampled_candidates: Any,
    num_true: Any,
    seed: Any = None,
    name: str | None = None,
) -> AccidentalHits:
    """Finds the sampled classes that are also true classes.

    Args:
      true_classes: An int64 tensor of shape (batch, num_true).
      sampled_candidates: An int64 vector.
      num_true: The number of true classes of each example.
      seed: Accepted for compatibility.
      name: Accepted for compatibility.

    Returns:
      For each match, the row as int32, the index among the sampled classes as int64, and a weight,
      which is the lowest float32.
    """
    return _hits("ComputeAccidentalHits", true_classes, sampled_candidates, num_true)


def _unknown_hits(new: New, op: str, *_: Any) -> AccidentalHits:
    """Returns the result of `compute_accidental_hits` in a graph."""
    out: AccidentalHits = named(op, (new([None], int32), new([None], int64), new([None], float32)))
    return out


@graph_operation("ComputeAccidentalHits", _unknown_hits, has_gradient=False)
def _hits(op: str, true_classes: Any, sampled_candidates: Any, num_true: Any) -> AccidentalHits:
    direct = are_direct(true_classes, sampled_candidates)
    true, drawn = (
        np.asarray(input_of(op, place, x, int64, direct=direct)._numpy())
        for place, x in enumerate((true_classes, sampled_candidates))
    )
    _check_columns(true, num_true, op)
    if drawn.ndim != 1:
        raise invalid(f"sampled_candidates must be a vector, got shape {drawn.shape} [Op:{op}]")
    where = {int(c): i for i, c in enumerate(drawn)}
    hits = [(i, where[c]) for i, row in enumerate(true.tolist()) for c in row if c in where]
    rows, ids = np.array(hits, np.int64).reshape(-1, 2).T
    weights = np.full(len(hits), _FAR, np.float32)
    values = Tensor(rows.astype(np.int32)), Tensor(ids.copy()), Tensor(weights)
    out: AccidentalHits = named(op, values)
    return out


def _sampled_logits(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: Any,
    num_classes: Any,
    num_true: int,
    sampled_values: Any,
    remove_accidental_hits: bool,
    seed: Any = None,
) -> tuple[Any, Any]:
    """Returns the logits of the true and the sampled classes side by side, and labels for them."""
    true = reshape(cast(tensor(labels), int64), [-1, num_true])
    if sampled_values is None:
        sampled_values = log_uniform_candidate_sampler(
            true, num_true, num_sampled, True, num_classes, seed
        )
    drawn, true_expected, drawn_expected = (stop_gradient(tensor(v)) for v in sampled_values)
    drawn, x = cast(drawn, int64), tensor(inputs)
    own = expand_dims(x, 1) * embedding_lookup(weights, true)
    own_logits = reduce_sum_p(own, axis=(-1,), keepdims=False) + embedding_lookup(biases, true)
    own_logits = own_logits - log(true_expected)
    other_logits = matmul(x, embedding_lookup(weights, drawn), transpose_b=True)
    other_logits = other_logits + embedding_lookup(biases, drawn)
    if remove_accidental_hits:
        rows, columns, far = compute_accidental_hits(true, drawn, num_true)
        places = stack([cast(rows, int64), columns], -1)
        other_logits = tensor_scatter_nd_add(other_logits, places, cast(far, x.dtype))
    other_logits = other_logits - log(drawn_expected)
    marks = [ones_like(own_logits) / num_true, zeros_like(other_logits)]
    return concat([own_logits, other_logits], 1), concat(marks, 1)


@export("nn.nce_loss")
def nce_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: Any,
    num_classes: Any,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = False,
    name: str = "nce_loss",
) -> Tensor:
    """Returns the loss of noise-contrastive estimation, which separates true from sampled classes.

    Gutmann and Hyvarinen, "Noise-contrastive estimation" (2010).

    Args:
      weights: The weights of the classes, of shape (num_classes, width).
      biases: The biases of the classes, of shape (num_classes,).
      labels: The true classes, an integer tensor of shape (batch, num_true).
      inputs: A tensor of shape (batch, width).
      num_sampled: The number of classes to draw.
      num_classes: The number of all classes.
      num_true: The number of true classes of each example.
      sampled_values: The result of a `*_candidate_sampler`. By default,
        `log_uniform_candidate_sampler` is used.
      remove_accidental_hits: Whether sampled classes that are also true classes are ignored.
      name: Accepted for compatibility.

    Returns:
      A vector, the loss of each example.

    Raises:
      InvalidArgumentError: The shapes are incompatible.
    """
    logits, marks = _sampled_logits(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
    )
    losses = sigmoid_cross_entropy_with_logits(labels=marks, logits=logits)
    return reduce_sum_p(losses, axis=(-1,), keepdims=False)


@export("nn.sampled_softmax_loss")
def sampled_softmax_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: Any,
    num_classes: Any,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = True,
    seed: Any = None,
    name: str = "sampled_softmax_loss",
) -> Tensor:
    """Returns the cross entropy of the softmax over the true classes and a sample of the others.

    Jean, Cho, Memisevic and Bengio, "On using very large target vocabulary for neural machine
    translation" (2014). Arguments and errors are those of `nce_loss`.

    Args:
      weights: The weights of the classes, of shape (num_classes, width).
      biases: The biases of the classes, of shape (num_classes,).
      labels: The true classes, an integer tensor of shape (batch, num_true).
      inputs: A tensor of shape (batch, width).
      num_sampled: The number of classes to draw.
      num_classes: The number of all classes.
      num_true: The number of true classes of each example.
      sampled_values: The result of a `*_candidate_sampler`. By default,
        `log_uniform_candidate_sampler` is used.
      remove_accidental_hits: Whether sampled classes that are also true classes are ignored.
      seed: A seed for drawing.
      name: Accepted for compatibility.

    Returns:
      A vector, the loss of each example.
    """
    logits, marks = _sampled_logits(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        seed,
    )
    return softmax_cross_entropy_with_logits(labels=marks, logits=logits)
