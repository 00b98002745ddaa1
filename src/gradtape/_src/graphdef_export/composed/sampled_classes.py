"""Rules for samplers of classes, losses of samples, and random pooling."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.graphdef_export.call_rules import value_of
from gradtape._src.graphdef_export.composed.call_programs import as_operation, call_program
from gradtape._src.graphdef_export.parts import Part
from gradtape._src.graphdef_export.rules import call_rule
from gradtape._src.ops.array.creation import ones_like, zeros_like
from gradtape._src.ops.array.joining import concat, stack
from gradtape._src.ops.array.scatter import tensor_scatter_nd_add
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.exponential import log
from gradtape._src.ops.linalg.matmul import matmul
from gradtape._src.ops.nn import fractional_pooling, sampled_losses
from gradtape._src.ops.nn.embedding import embedding_lookup
from gradtape._src.ops.reduce.reductions import reduce_sum


@call_rule("LogUniformCandidateSampler", "UniformCandidateSampler")
def _drawn(
    p: Part,
    op: str,
    true_classes: Any,
    num_true: Any,
    num_sampled: Any,
    unique: bool,
    range_max: int,
    seed: Any,
    **_: Any,
) -> Any:
    how = {"num_true": int(num_true), "num_sampled": int(num_sampled), "unique": bool(unique)}
    given = value_of(p, true_classes, "int64")
    return p.effect(op, given, range_max=int(range_max), seed2=int(seed or 0), **how)


@call_rule("AllCandidateSampler")
def _all_classes(p: Part, op: str, true_classes: Any, num_true: Any, n: int) -> Any:
    how = {"num_true": int(num_true), "num_sampled": n, "unique": True}
    return p.effect(op, value_of(p, true_classes, "int64"), **how)


@call_rule(sampled_losses.compute_accidental_hits)
def _hits(p: Part, true_classes: Any, sampled_candidates: Any, num_true: Any, **_: Any) -> Any:
    given = (value_of(p, x, "int64") for x in (true_classes, sampled_candidates))
    return p.op("ComputeAccidentalHits", *given, num_true=int(num_true))


@call_program(sampled_losses.logits_of)
def logits_of_samples(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_true: int,
    sampled_values: Any,
    remove_accidental_hits: bool,
) -> tuple[Tensor, Tensor]:
    """Returns the logits of the true and the sampled classes, and labels for them."""
    x, true = convert_to_tensor(inputs), convert_to_tensor(labels)
    drawn, true_expected, drawn_expected = sampled_values
    own = embedding_lookup(weights, true)
    dots = reduce_sum(x[:, None] * own, -1) + embedding_lookup(biases, true)
    others = matmul(x, embedding_lookup(weights, drawn), transpose_b=True)
    others += embedding_lookup(biases, drawn)
    if remove_accidental_hits:
        find: Any = as_operation(sampled_losses.compute_accidental_hits)
        rows, columns, far = find(true, drawn, num_true)
        places = stack([cast(rows, "int64"), columns], -1)
        others = tensor_scatter_nd_add(others, places, cast(far, x.dtype))
    both = [dots - log(true_expected), others - log(drawn_expected)]
    return concat(both, 1), concat([ones_like(both[0]) / num_true, zeros_like(both[1])], 1)


def _pooled(function: Any, operation: str) -> None:
    @call_rule(function)
    def pool(
        p: Part,
        value: Any,
        pooling_ratio: Any,
        pseudo_random: bool,
        overlapping: bool,
        seed: int,
        **_: Any,
    ) -> Any:
        given = [float(r) for r in np.ravel(pooling_ratio)]
        ratios = {1: given * 2, 2: given, 4: given[1:3]}[len(given)]
        return p.op(
            operation,
            value_of(p, value),
            pooling_ratio=[1.0, *ratios, 1.0],
            pseudo_random=bool(pseudo_random),
            overlapping=bool(overlapping),
            deterministic=bool(seed),
            seed=int(seed),
            seed2=int(seed),
        )


_pooled(fractional_pooling.fractional_max_pool, "FractionalMaxPool")
_pooled(fractional_pooling.fractional_avg_pool, "FractionalAvgPool")
