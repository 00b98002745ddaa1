"""Connectionist temporal classification as raw operations, on the parts of sparse tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.autodiff.tape import GradientTape
from gradtape._src.base.dtypes import int64
from gradtape._src.base.errors import UnimplementedError
from gradtape._src.base.export import raw_op
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.general import shape_of
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.comparison import less_equal
from gradtape._src.ops.elementwise.identities import stop_gradient
from gradtape._src.ops.elementwise.selection import where
from gradtape._src.ops.nn.ctc import (
    ctc_beam_search_decoder,
    ctc_greedy_decoder,
    ctc_loss,
    without_repeats,
)
from gradtape._src.ops.types.sparse_tensor import SparseTensor


@raw_op("CTCGreedyDecoder", differentiable=False)
def greedy_decoder(
    inputs: Any,
    sequence_length: Any,
    merge_repeated: bool = False,
    blank_index: int = -1,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Returns the parts of the labels of the most likely classes, and their scores."""
    (labels,), scores = ctc_greedy_decoder(inputs, sequence_length, merge_repeated, blank_index)
    return labels.indices, labels.values, labels.dense_shape, scores


@raw_op("CTCBeamSearchDecoder", differentiable=False)
def beam_search_decoder(
    inputs: Any,
    sequence_length: Any,
    beam_width: int,
    top_paths: int,
    merge_repeated: bool = True,
    name: str | None = None,
) -> tuple[list[Tensor], list[Tensor], list[Tensor], Tensor]:
    """Returns the parts of the most likely labels, and the logarithms of their probabilities."""
    found, scores = ctc_beam_search_decoder(inputs, sequence_length, beam_width, top_paths)
    labels = [without_repeats(x) if merge_repeated else x for x in found]
    return (
        [x.indices for x in labels],
        [x.values for x in labels],
        [x.dense_shape for x in labels],
        scores,
    )


@raw_op("CTCLoss")
def loss(
    inputs: Any,
    labels_indices: Any,
    labels_values: Any,
    sequence_length: Any,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Returns the loss of each example, and its gradient; the last class is the blank.

    With `preprocess_collapse_repeated`, equal labels next to each other count once; with
    `ignore_longer_outputs_than_inputs`, the loss of examples with more labels than steps is 0.

    Raises:
      UnimplementedError: `ctc_merge_repeated` is false.
    """
    if not ctc_merge_repeated:
        raise UnimplementedError(None, None, "ctc_merge_repeated=False is not supported")
    x = convert_to_tensor(inputs)
    places = convert_to_tensor(labels_indices)
    extent = np.array([shape_of(x)[1], 1 + places._value[:, 1].max(initial=-1)], np.int64)
    labels = SparseTensor(places, labels_values, extent)
    if preprocess_collapse_repeated:
        labels = without_repeats(labels)
    with GradientTape() as tape:
        tape.watch(x)
        out = ctc_loss(labels, x, None, sequence_length, blank_index=-1)
    gradient = stop_gradient(tape.gradient(out, x))
    if ignore_longer_outputs_than_inputs:
        counts = np.bincount(labels.indices._value[:, 0], minlength=extent[0])
        kept = less_equal(counts, cast(sequence_length, int64))
        out = where(kept, out, 0)
        gradient = where(kept[:, None], gradient, 0)
    return out, gradient
