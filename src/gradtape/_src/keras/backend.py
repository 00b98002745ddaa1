"""What Keras' TensorFlow back end does otherwise on gradtape.

Keras runs as it is but for the few functions here, which are put in their places as Keras'
modules load: those that ask TensorFlow for a graph or look at the names of its classes, and those
that a training step calls so often that their generality costs more than the arithmetic.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable
from typing import Any

from gradtape._src.base.dtypes import as_dtype
from gradtape._src.core.tensor import Tensor
from gradtape._src.core.variable import Variable
from gradtape._src.data.dataset import Dataset
from gradtape._src.distribute.datasets import DistributedDataset
from gradtape._src.graph.abstract_evaluation import FILLS, example, merged, rehearse
from gradtape._src.keras import fast_paths, layer_calls, optimizer_steps, recurrent
from gradtape._src.ops.nn.convolution_api import convolution
from gradtape._src.ops.sparse.algebra import from_dense
from gradtape._src.ops.types.ragged_tensor import RaggedTensor
from gradtape._src.ops.types.sparse_tensor import SparseTensor

# A first axis that more lengths divide than those of `FILLS`, where a layer splits it.
LARGE = ((5040, 5040), (10080, 10080))

Adaptation = Callable[[Any], None]


def _core(keras: Any) -> None:
    """Shapes of results: TensorFlow builds a graph, gradtape rehearses with two batch sizes."""
    flatten, pack = keras.tree.flatten, keras.tree.map_structure
    symbolic = keras.KerasTensor

    @functools.wraps(keras.compute_output_spec)
    def compute_output_spec(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        unknown = any(isinstance(x, symbolic) and None in x.shape for x in flatten((args, kwargs)))
        if not unknown:
            return rehearsed(FILLS[:1], fn, args, kwargs)
        try:
            return rehearsed(FILLS, fn, args, kwargs)
        except Exception:
            with contextlib.suppress(Exception):  # a small batch may have been what did not suit
                return rehearsed(LARGE, fn, args, kwargs)
            raise

    def rehearsed(fills: Any, fn: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        runs = []
        for fill in fills:

            def stand_in(x: Any, fill: tuple[int, int] = fill) -> Any:
                return stood_in(x, fill) if isinstance(x, symbolic) else x

            with keras.StatelessScope(), keras.SymbolicScope():
                given, named = pack(stand_in, (args, kwargs))
                runs.append(rehearse(fn, *given, **named))
        return pack(described, runs[0], runs[-1])

    def described(x: Any, y: Any) -> Any:
        if not keras.is_tensor(x):
            return x
        kinds = {
            "sparse": isinstance(x, SparseTensor),
            "ragged": isinstance(x, RaggedTensor),
        }
        return symbolic(merged(x.shape.as_list(), y.shape.as_list()), x.dtype.name, **kinds)

    keras.compute_output_spec = compute_output_spec
    fast_paths.core(keras)


def stood_in(x: Any, fill: tuple[int, int]) -> Any:
    """What a symbolic tensor of Keras stands for in a rehearsal."""
    made = example(x.shape, as_dtype(x.dtype), fill)
    if x.sparse:
        return from_dense(made)
    return RaggedTensor.from_tensor(made) if x.ragged and made._value.ndim > 1 else made


def _data_adapter_utils(module: Any) -> None:
    """What is a tensor: Keras looks for TensorFlow's module in the class' name."""
    module.is_tensorflow_tensor = lambda value: isinstance(
        value, (Tensor, Variable, SparseTensor, RaggedTensor)
    )
    module.is_tensorflow_ragged = lambda value: isinstance(value, RaggedTensor)
    module.is_tensorflow_sparse = lambda value: isinstance(value, SparseTensor)


def _data_adapters(module: Any) -> None:
    """What is a dataset: Keras looks for TensorFlow's module in the class' name here, too."""
    module.is_tf_dataset = lambda x: isinstance(x, (Dataset, DistributedDataset))


def _dataset_utils(module: Any) -> None:
    """The same name once more."""
    module.is_tf_dataset = lambda x: isinstance(x, (Dataset, DistributedDataset))


def _tf_utils(module: Any) -> None:
    """What is ragged, by the name of the class once more."""
    module.is_ragged_tensor = lambda x: isinstance(x, RaggedTensor)


class _Batch(threading.local):
    """The size of the batch in which layers are built just now, where it shall not be seen."""

    size: int | None = None


_batch = _Batch()


def _layer(module: Any) -> None:
    """In `fit`, layers are built for batches of any size, as they are in TensorFlow's graphs."""
    original = module.get_shapes_dict

    @functools.wraps(original)
    def get_shapes_dict(call_spec: Any) -> Any:
        shapes = original(call_spec)
        return shapes if _batch.size is None else _without_batch(shapes, _batch.size)

    module.get_shapes_dict = get_shapes_dict
    layer_calls.layer(module)


def _without_batch(shapes: Any, size: int) -> Any:
    if isinstance(shapes, dict):
        return {key: _without_batch(part, size) for key, part in shapes.items()}
    if not shapes:
        return shapes
    if all(n is None or isinstance(n, int) for n in shapes):
        return (None, *shapes[1:]) if shapes[0] == size else shapes
    return type(shapes)([_without_batch(part, size) for part in shapes])


def _trainer(module: Any) -> None:
    """Tells `get_shapes_dict` the size of the batch in `fit` and `evaluate`."""
    original = module.TensorFlowTrainer._make_function

    @functools.wraps(original)
    def _make_function(self: Any, step_function: Callable[[Any], Any]) -> Any:
        def step(data: Any) -> Any:
            if self.built:
                return step_function(data)
            leaf = next((x for x in module.tree.flatten(data) if x is not None), None)
            _batch.size = leaf.shape[0] if leaf is not None and len(leaf.shape) else None
            try:
                return step_function(data)
            finally:
                _batch.size = None

        return original(self, step_function if self.run_eagerly else step)

    module.TensorFlowTrainer._make_function = _make_function
    module.reduce_per_replica = _over_processes(module)


def _over_processes(module: Any) -> Callable[..., Any]:
    """In several processes: means of numbers, which have no axis, and parts in the data's order."""
    original = module.reduce_per_replica

    def reduce_per_replica(values: Any, strategy: Any, reduction: str) -> Any:
        if strategy._processes is None or reduction == "first":
            return original(values, strategy, reduction)

        def reduced(v: Any) -> Any:
            if reduction == "concat":
                return strategy.gather(v, axis=0)
            return strategy.reduce("SUM" if reduction == "sum" else "MEAN", v, axis=None)

        return module.tree.map_structure(reduced, values)

    return reduce_per_replica


def _nn(module: Any) -> None:
    """Convolutions in groups and over channels that come first, where TensorFlow needs XLA."""
    original = module.conv

    @functools.wraps(original)
    def conv(
        inputs: Any,
        kernel: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = 1,
    ) -> Any:
        layout = module.backend.standardize_data_format(data_format)
        rank, last = len(inputs.shape), layout == "channels_last"
        channels = inputs.shape[-1 if last else 1]
        if channels == kernel.shape[-2] and (last or rank < 5):
            return original(inputs, kernel, strides, padding, data_format, dilation_rate)
        named = module._convert_data_format(layout, rank)
        return convolution(inputs, kernel, strides, padding.upper(), named, dilation_rate)

    module.conv = conv


ADAPTATIONS: dict[str, Adaptation] = {  # by the module of Keras; `_alias` lists them, too
    "keras.src.backend.common.dtypes": fast_paths.dtypes,
    "keras.src.backend.common.keras_tensor": fast_paths.keras_tensor,
    "keras.src.backend.common.tensor_attributes": layer_calls.tensor_attributes,
    "keras.src.backend.common.variables": fast_paths.variables,
    "keras.src.backend.tensorflow.core": _core,
    "keras.src.backend.tensorflow.nn": _nn,
    "keras.src.backend.tensorflow.numpy": fast_paths.numpy,
    "keras.src.backend.tensorflow.rnn": recurrent.backend,
    "keras.src.layers.layer": _layer,
    "keras.src.layers.rnn.lstm": recurrent.lstm,
    "keras.src.backend.tensorflow.trainer": _trainer,
    "keras.src.optimizers.adam": optimizer_steps.adam,
    "keras.src.optimizers.sgd": optimizer_steps.sgd,
    "keras.src.trainers.data_adapters": _data_adapters,
    "keras.src.trainers.data_adapters.data_adapter_utils": _data_adapter_utils,
    "keras.src.tree.optree_impl": fast_paths.tree,
    "keras.src.utils.dataset_utils": _dataset_utils,
    "keras.src.utils.tf_utils": _tf_utils,
}
