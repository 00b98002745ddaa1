"""Functions of `tf.compat.v1.nn` whose arguments differ from those of `tf.nn`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradtape._src.base.export import export
from gradtape._src.core.convert import convert_to_tensor
from gradtape._src.core.tensor import Tensor
from gradtape._src.ops.array.creation import zeros
from gradtape._src.ops.array.gather import gather
from gradtape._src.ops.elementwise.selection import where
from gradtape._src.ops.linalg.matmul import matmul
from gradtape._src.ops.nn import convolution as convolutions
from gradtape._src.ops.nn import cross_entropy, embedding, morphology, pooling, sampled_losses
from gradtape._src.ops.nn import normalization_by_moments as moments
from gradtape._src.ops.nn import transposed_convolution as transposed
from gradtape._src.ops.nn.activations import relu
from gradtape._src.ops.types.ragged_tensor import RaggedTensor
from gradtape._src.ops.types.sparse_tensor import SparseTensor
from gradtape._src.sessions.older.arguments import either
from gradtape._src.sessions.training.partitioned_variables import PartitionedVariable


@export("compat.v1.nn.xw_plus_b")
def xw_plus_b(x: Any, weights: Any, biases: Any, name: str | None = None) -> Tensor:
    """Returns a matrix product plus biases.

    Args:
      x: A matrix.
      weights: A matrix.
      biases: A vector.
      name: The operation's name.

    Returns:
      The matrix `x @ weights + biases`.
    """
    return moments.bias_add(matmul(x, weights), biases)


@export("compat.v1.nn.relu_layer")
def relu_layer(x: Any, weights: Any, biases: Any, name: str | None = None) -> Tensor:
    """Returns the positive part of a matrix product plus biases.

    Args:
      x: A matrix.
      weights: A matrix.
      biases: A vector.
      name: The operation's name.

    Returns:
      The matrix `relu(x @ weights + biases)`.
    """
    return relu(xw_plus_b(x, weights, biases))


@export("compat.v1.nn.weighted_cross_entropy_with_logits")
def weighted_cross_entropy_with_logits(
    labels: Any = None,
    logits: Any = None,
    pos_weight: Any = None,
    name: str | None = None,
    targets: Any = None,
) -> Tensor:
    """Returns the cross entropy of a sigmoid, with a weight for positive labels.

    Args:
      labels: The probabilities.
      logits: The inputs of the sigmoid.
      pos_weight: The weight of positive labels.
      name: The operation's name.
      targets: The old name of `labels`.

    Returns:
      The loss of each element.
    """
    labels = either(labels, targets, "labels", "targets")
    return cross_entropy.weighted_cross_entropy_with_logits(labels, logits, pos_weight)


@export("compat.v1.nn.sufficient_statistics")
def sufficient_statistics(
    x: Any,
    axes: Any,
    shift: Any = None,
    keep_dims: bool | None = None,
    name: str | None = None,
    keepdims: bool | None = None,
) -> tuple[Any, Any, Any, Any]:
    """Returns a count, a sum and a sum of squares, from which mean and variance follow.

    Args:
      x: A tensor.
      axes: The axes.
      shift: A number that is subtracted first.
      keep_dims: The old name of `keepdims`.
      name: The operation's name.
      keepdims: Whether the axes are kept, with length 1.

    Returns:
      The count, the sum, the sum of squares, and the shift or None.
    """
    kept = either(keepdims, keep_dims, "keepdims", "keep_dims")
    return moments.sufficient_statistics(x, axes, shift, bool(kept))


@export("compat.v1.nn.fused_batch_norm")
def fused_batch_norm(
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any = None,
    variance: Any = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
    exponential_avg_factor: float = 1.0,
) -> tuple[Tensor, Tensor, Tensor]:
    """Normalizes images by the mean and variance of each channel.

    Args:
      x: Images.
      scale: The factor of each channel.
      offset: The number that is added to each channel.
      mean: The mean of each channel; the running mean in training.
      variance: The variance of each channel; the running variance in training.
      epsilon: A small number that is added to variances; at least 1.001e-5.
      data_format: "NHWC" or "NCHW".
      is_training: Whether mean and variance are those of the images.
      name: The operation's name.
      exponential_avg_factor: The weight of the images in the running mean and variance.

    Returns:
      The normalized images, and the new running mean and variance.

    Raises:
      ValueError: Mean and variance are missing, but it is not training.
    """
    if (not is_training or exponential_avg_factor != 1.0) and (mean is None or variance is None):
        raise ValueError(
            "Both `mean` and `variance` must be a 1D tensor when `is_training` is False or "
            "`exponential_avg_factor` != 1.0."
        )
    factor = convert_to_tensor(scale)
    first, second = (zeros([0], factor.dtype) if m is None else m for m in (mean, variance))
    least = max(epsilon, 1.001e-5)
    found: Any = moments.fused_batch_norm_v3(
        x,
        factor,
        offset,
        first,
        second,
        least,
        exponential_avg_factor,
        data_format,
        is_training,
    )
    return found[0], found[1], found[2]


@export("compat.v1.nn.max_pool_with_argmax")
def max_pool_with_argmax(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    Targmax: Any = None,
    name: str | None = None,
    output_dtype: Any = None,
    include_batch_in_index: bool = False,
) -> tuple[Tensor, Tensor]:
    """Returns the largest value of each window, and its place.

    Args:
      input: Images.
      ksize: The size of the windows.
      strides: The steps between windows.
      padding: "VALID" or "SAME".
      data_format: "NHWC".
      Targmax: The old name of `output_dtype`.
      name: The operation's name.
      output_dtype: The dtype of the places. Defaults to int64.
      include_batch_in_index: Whether the places count from the start of the batch.

    Returns:
      The largest values and their places.
    """
    dtype = either(output_dtype, Targmax, "output_dtype", "Targmax") or "int64"
    return morphology.max_pool_with_argmax(
        input, ksize, strides, padding, data_format, dtype, include_batch_in_index
    )


@export("compat.v1.nn.conv2d_transpose")
def conv2d_transpose(
    value: Any = None,
    filter: Any = None,
    output_shape: Any = None,
    strides: Any = None,
    padding: Any = "SAME",
    data_format: str = "NHWC",
    name: str | None = None,
    input: Any = None,
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """Returns the transposed convolution of images, which is the gradient of a convolution.

    Args:
      value: Images.
      filter: Filters of shape (height, width, outputs, channels).
      output_shape: The shape of the result.
      strides: The steps of the convolution.
      padding: "VALID" or "SAME".
      data_format: "NHWC" or "NCHW".
      name: The operation's name.
      input: The new name of `value`.
      filters: The new name of `filter`.
      dilations: The distances between the elements of a filter.

    Returns:
      A tensor of shape `output_shape`.
    """
    return transposed.conv2d_transpose(
        either(input, value, "input", "value"),
        either(filters, filter, "filters", "filter"),
        output_shape,
        strides,
        padding,
        data_format,
        dilations,
    )


@export("compat.v1.nn.convolution")
def convolution(
    input: Any,
    filter: Any = None,
    padding: Any = "VALID",
    strides: Any = None,
    dilation_rate: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """Returns the convolution of inputs with any number of axes.

    Args:
      input: The inputs.
      filter: The filters.
      padding: "VALID" or "SAME".
      strides: The steps of the convolution.
      dilation_rate: The old name of `dilations`.
      name: The operation's name.
      data_format: The order of the axes, such as "NHWC".
      filters: The new name of `filter`.
      dilations: The distances between the elements of a filter.

    Returns:
      A tensor.
    """
    kernel = either(filters, filter, "filters", "filter")
    spread = either(dilations, dilation_rate, "dilations", "dilation_rate")
    return convolutions.convolution(input, kernel, strides, padding, data_format, spread)


@export("compat.v1.nn.pool")
def pool(
    input: Any,
    window_shape: Any,
    pooling_type: str,
    padding: Any,
    dilation_rate: Any = None,
    strides: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Any = None,
) -> Tensor:
    """Returns the largest or mean value of each window.

    Args:
      input: The inputs.
      window_shape: The size of the windows.
      pooling_type: "AVG" or "MAX".
      padding: "VALID" or "SAME".
      dilation_rate: The old name of `dilations`.
      strides: The steps between windows.
      name: The operation's name.
      data_format: The order of the axes, such as "NHWC".
      dilations: The distances between the elements of a window.

    Returns:
      A tensor.
    """
    spread = either(dilations, dilation_rate, "dilations", "dilation_rate")
    return pooling.pool(input, window_shape, pooling_type, strides, padding, data_format, spread)


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
