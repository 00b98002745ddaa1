"""Rules for samplers of classes, losses of samples, and random pooling."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.graphdef_export.call_rules import value_of
from gradtape._src.graphdef_export.parts import Part
from gradtape._src.graphdef_export.rules import call_rule
from gradtape._src.ops.nn import fractional_pooling


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


@call_rule("ComputeAccidentalHits")
def _hits(p: Part, op: str, true_classes: Any, sampled_candidates: Any, num_true: Any) -> Any:
    given = (value_of(p, x, "int64") for x in (true_classes, sampled_candidates))
    return p.op(op, *given, num_true=int(num_true))


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
