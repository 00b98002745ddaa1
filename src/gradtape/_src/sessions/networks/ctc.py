"""CTC losses and decoders with TensorFlow 1's arguments; the last class is the blank one."""

from __future__ import annotations

from typing import Any

from gradtape._src.base.dtypes import int64
from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.array.creation import zeros_like
from gradtape._src.ops.array.shaping import transpose
from gradtape._src.ops.elementwise.casting import cast
from gradtape._src.ops.elementwise.selection import where
from gradtape._src.ops.nn import ctc
from gradtape._src.ops.types.sparse_tensor import SparseTensor
from gradtape._src.sessions.older.arguments import either


@export("compat.v1.nn.ctc_loss")
def ctc_loss(
    labels: Any,
    inputs: Any = None,
    sequence_length: Any = None,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
    time_major: bool = True,
    logits: Any = None,
) -> Tensor:
    """Returns the CTC loss: -log of the probability of all alignments of the labels.

    Args:
      labels: A sparse tensor of classes, of shape (batch, length).
      inputs: Logits of shape (steps, batch, classes), of which the last class is the blank one.
      sequence_length: The number of valid steps of each example.
      preprocess_collapse_repeated: Whether a label that is equal to the one before is left out.
      ctc_merge_repeated: Must be true.
      ignore_longer_outputs_than_inputs: Whether the loss of an example that has more labels than
        steps is 0.
      time_major: Whether the first axis of the logits is that of steps, and not that of examples.
      logits: The new name of `inputs`.

    Returns:
      The loss of each example.

    Raises:
      NotImplementedError: `ctc_merge_repeated` is false.
      TypeError: The labels are not sparse.
      ValueError: The logits are given under both names.
    """
    if not isinstance(labels, SparseTensor):
        raise TypeError(
            f"Expected argument `labels` to be a SparseTensor. Received labels={labels} of type: "
            f"{type(labels).__name__}"
        )
    if not ctc_merge_repeated:
        raise NotImplementedError("ctc_loss: repeated labels are always merged")
    x = convert_to_tensor(either(logits, inputs, "logits", "inputs"))
    if not time_major:
        x = transpose(x, [1, 0, 2])
    kept = ctc.without_repeats(labels) if preprocess_collapse_repeated else labels
    loss = ctc.ctc_loss(kept, x, None, sequence_length, blank_index=-1)
    if not ignore_longer_outputs_than_inputs:
        return loss
    _, counts = ctc.rows_of(kept)
    return where(counts <= cast(sequence_length, int64), loss, zeros_like(loss))


@export("compat.v1.nn.ctc_beam_search_decoder")
def ctc_beam_search_decoder(
    inputs: Any,
    sequence_length: Any,
    beam_width: int = 100,
    top_paths: int = 1,
    merge_repeated: bool = True,
) -> tuple[list[SparseTensor], Tensor]:
    """Returns the most likely labels, by a beam search.

    Args:
      inputs: Logits of shape (steps, batch, classes), of which the last class is the blank one.
      sequence_length: The number of valid steps of each example.
      beam_width: The number of prefixes to keep.
      top_paths: The number of label sequences to return.
      merge_repeated: Whether a label that is equal to the one before is left out of the results.

    Returns:
      A list of `top_paths` sparse tensors, the labels; and a tensor of shape (batch, top_paths),
      the logarithms of their probabilities.
    """
    paths, scores = ctc.ctc_beam_search_decoder(inputs, sequence_length, beam_width, top_paths)
    return [ctc.without_repeats(path) if merge_repeated else path for path in paths], scores
