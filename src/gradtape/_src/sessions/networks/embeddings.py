"""Lookups in tables that may consist of several parts, and losses that sample from the classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.array.gather import gather
from gradtape._src.ops.elementwise.selection import where
from gradtape._src.ops.nn import embedding, sampled_losses
from gradtape._src.ops.types.ragged_tensor import RaggedTensor
from gradtape._src.ops.types.sparse_tensor import SparseTensor
from gradtape._src.sessions.training.partitioned_variables import PartitionedVariable


def _parts(tables: Any) -> Any:
    """Returns the parts of a partitioned variable as a list; other tables stay as they are."""
    return list(tables) if isinstance(tables, PartitionedVariable) else tables


def _rows(tables: Sequence[Any]) -> int:
    return sum(convert_to_tensor(table).shape[0] for table in tables)


def _places(tables: Any, ids: Any, strategy: str) -> Any:
    """Returns where `tf.nn.embedding_lookup`, which divides numbers by "div", has the rows `ids`.

    Of n tables, "mod" puts row i into table i % n, whereas "div" puts neighbouring rows together.
    Numbers that are out of range stay so.
    """
    if strategy not in ("mod", "div"):
        raise ValueError(f"Unrecognized partition strategy: {strategy}. Use 'mod' or 'div'.")
    if strategy == "div" or not isinstance(tables, (list, tuple)) or len(tables) < 2:
        return ids
    total = _rows(tables)
    starts = embedding.first_rows(total, len(tables))
    ids = convert_to_tensor(ids)
    owner = ids % len(tables)
    place = gather(convert_to_tensor(starts, ids.dtype), owner) + ids // len(tables)
    return where((ids >= 0) & (ids < total), place, ids)


def _sparse_places(tables: Any, ids: Any, strategy: str) -> Any:
    """Returns `_places` of the values of a sparse or ragged tensor."""
    if isinstance(ids, RaggedTensor):
        return ids.with_flat_values(_places(tables, ids.flat_values, strategy))
    if not isinstance(ids, SparseTensor):
        return ids
    return SparseTensor(ids.indices, _places(tables, ids.values, strategy), ids.dense_shape)


def _by_number(tables: Any, strategy: str) -> Any:
    """Returns one table of several, with its rows in the order of their numbers."""
    tables = _parts(tables)
    if not isinstance(tables, (list, tuple)):
        return tables
    return embedding.embedding_lookup(tables, _places(tables, range(_rows(tables)), strategy))


@export("compat.v1.nn.embedding_lookup")
def embedding_lookup(
    params: Any,
    ids: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: Any = None,
) -> Tensor:
    """Looks up rows of a table, or of several tables that hold the rows of one.

    Args:
      params: The table of shape (n, ...), or a list of tables.
      ids: An integer tensor of row numbers.
      partition_strategy: "mod" if row i is in table i % n of n tables, or "div" if neighbouring
        rows are in one table.
      name: The operation's name.
      validate_indices: Accepted for compatibility: numbers are always checked.
      max_norm: The largest norm of a row.

    Returns:
      A tensor of shape `ids.shape + params.shape[1:]`.

    Raises:
      ValueError: `partition_strategy` is neither "mod" nor "div".
      InvalidArgumentError: A number is out of range.
    """
    params = _parts(params)
    places = _places(params, ids, partition_strategy)
    return embedding.embedding_lookup(params, places, max_norm)


@export("compat.v1.nn.embedding_lookup_sparse")
def embedding_lookup_sparse(
    params: Any,
    sp_ids: Any,
    sp_weights: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    combiner: str | None = None,
    max_norm: Any = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """Combines the rows of a table that belong to each row of a sparse tensor.

    Args:
      params: The table, or a list of tables that hold its rows.
      sp_ids: A sparse tensor of row numbers.
      sp_weights: A sparse tensor of weights, or None.
      partition_strategy: The division of rows among tables, as for `embedding_lookup`.
      name: The operation's name.
      combiner: "sum", "mean" or "sqrtn". Defaults to "mean".
      max_norm: The largest norm of a row.
      allow_fast_lookup: Accepted for compatibility.

    Returns:
      A row for each row of `sp_ids`.
    """
    params = _parts(params)
    places = _sparse_places(params, sp_ids, partition_strategy)
    return embedding.embedding_lookup_sparse(params, places, sp_weights, combiner, max_norm)


@export("compat.v1.nn.safe_embedding_lookup_sparse")
def safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: Any = None,
    combiner: str = "mean",
    default_id: Any = None,
    name: str | None = None,
    partition_strategy: str = "div",
    max_norm: Any = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """Combines rows of a table, and leaves out numbers and weights that are not valid.

    Args:
      embedding_weights: The table, or a list of tables that hold its rows.
      sparse_ids: A sparse tensor of row numbers.
      sparse_weights: A sparse tensor of weights, or None.
      combiner: "sum", "mean" or "sqrtn".
      default_id: The number of the row for empty rows of `sparse_ids`. Defaults to zeros.
      name: The operation's name.
      partition_strategy: The division of rows among tables, as for `embedding_lookup`.
      max_norm: The largest norm of a row.
      allow_fast_lookup: Accepted for compatibility.

    Returns:
      A row for each row of `sparse_ids`.
    """
    tables, strategy = _parts(embedding_weights), partition_strategy
    places = _sparse_places(tables, sparse_ids, strategy)
    default = None if default_id is None else _places(tables, default_id, strategy)
    return embedding.safe_embedding_lookup_sparse(
        tables, places, sparse_weights, combiner, default, max_norm
    )


@export("compat.v1.nn.sampled_softmax_loss")
def sampled_softmax_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: Any,
    num_classes: Any,
    num_true: int = 1,
    sampled_values: Sequence[Any] | None = None,
    remove_accidental_hits: bool = True,
    partition_strategy: str = "mod",
    name: str = "sampled_softmax_loss",
    seed: Any = None,
) -> Tensor:
    """Returns an estimate of the softmax cross entropy from a sample of the classes.

    Args:
      weights: The weights of the classes.
      biases: The biases of the classes.
      labels: The numbers of the true classes.
      inputs: The inputs of the last layer.
      num_sampled: The number of classes that are drawn.
      num_classes: The number of classes.
      num_true: The number of true classes of each input.
      sampled_values: The drawn classes, with their expected counts.
      remove_accidental_hits: Whether drawn classes that are true ones are left out.
      partition_strategy: The division of classes among lists of weights and biases, as for
        `embedding_lookup`.
      name: The operation's name.
      seed: The seed.

    Returns:
      The loss of each input.
    """
    return sampled_losses.sampled_softmax_loss(
        _by_number(weights, partition_strategy),
        _by_number(biases, partition_strategy),
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        seed,
    )


@export("compat.v1.nn.nce_loss")
def nce_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: Any,
    num_classes: Any,
    num_true: int = 1,
    sampled_values: Sequence[Any] | None = None,
    remove_accidental_hits: bool = False,
    partition_strategy: str = "mod",
    name: str = "nce_loss",
) -> Tensor:
    """Returns the loss of noise-contrastive estimation.

    Args:
      weights: The weights of the classes.
      biases: The biases of the classes.
      labels: The numbers of the true classes.
      inputs: The inputs of the last layer.
      num_sampled: The number of classes that are drawn.
      num_classes: The number of classes.
      num_true: The number of true classes of each input.
      sampled_values: The drawn classes, with their expected counts.
      remove_accidental_hits: Whether drawn classes that are true ones are left out.
      partition_strategy: The division of classes among lists of weights and biases, as for
        `embedding_lookup`.
      name: The operation's name.

    Returns:
      The loss of each input.
    """
    return sampled_losses.nce_loss(
        _by_number(weights, partition_strategy),
        _by_number(biases, partition_strategy),
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
    )
