"""The functions of Keras that gradtape replaces: their places, signatures, and the reasons.

This module holds only data. The replacements are in the other modules of this room, and
`compat.patch` checks a target before it is replaced.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from operator import attrgetter
from typing import Any

from gradtape._src.compat.patch import CLASS, PROPERTY, Bridge, Patch, requirement
from gradtape._src.keras import (
    arithmetic,
    convolution,
    dtypes_and_structures,
    hints,
    layer_calls,
    lstm_steps,
    normalization,
    optimizer_steps,
    output_shapes,
    training_steps,
    value_classes,
    variables,
)
from gradtape._src.ops.elementwise.arithmetic import mul_p, sub_p
from gradtape._src.ops.elementwise.division import div_p
from gradtape._src.ops.elementwise.selection import maximum_p, minimum_p

_COMMON = "keras.src.backend.common"
_TENSORFLOW = "keras.src.backend.tensorflow"
_ADAPTERS = "keras.src.trainers.data_adapters"
_BACK_ENDS = "https://github.com/keras-team/keras/pull/23397"
"""Keras' pluggable back ends, which have `numpy`, `nn` and `core` in `tensorflow/ops`, too."""
_OPERATION = "Keras computes the common dtype of two values again at each operation."

OLDEST, NEWEST = "3.11", "3.15"
"""The first and the last minor version of Keras with which the patches were checked."""


def _patch(
    module: str,
    name: str,
    looks: str,
    replace: Callable[[Any, Any], Any],
    why: str,
    since: str = OLDEST,
    **further: Any,
) -> Patch:
    return Patch(module, name, looks, replace, why, (since, NEWEST), **further)


PATCHES: tuple[Patch, ...] = (
    _patch(
        f"{_COMMON}.dtypes",
        "result_type",
        "(*dtypes)",
        dtypes_and_structures.result_type,
        "Caches common dtypes, which every operation needs.",
        needs=("config.floatx",),
    ),
    _patch(
        f"{_COMMON}.keras_tensor",
        "any_symbolic_tensors",
        "(args=None, kwargs=None)",
        dtypes_and_structures.any_symbolic_tensors,
        "Finds out from the types of plain values that none is symbolic, without flattening them.",
    ),
    _patch(
        f"{_COMMON}.tensor_attributes",
        "get_tensor_attr",
        "(tensor, attr)",
        layer_calls.get_tensor_attr,
        "Reads masks from the tensor itself; Keras also looks into a table of its own.",
    ),
    _patch(
        f"{_COMMON}.variables",
        "standardize_dtype",
        "(dtype)",
        dtypes_and_structures.standardize_dtype,
        "Caches the names of dtypes, which every layer needs.",
    ),
    _patch(
        f"{_COMMON}.variables",
        "Variable.value",
        PROPERTY,
        variables.value,
        "Looks up the scopes that may change a value only if there are such scopes.",
        needs=("global_state.GLOBAL_STATE_TRACKER",),
        mentions=("_value", "_maybe_autocast", "in_stateless_scope"),
    ),
    _patch(
        f"{_COMMON}.variables",
        "Variable.assign_add",
        "(self, value)",
        variables.add_as_a_whole,
        "Keras reads and then assigns, so that another thread may write in between.",
        needs=("global_state.GLOBAL_STATE_TRACKER",),
        mentions=("assign",),
    ),
    _patch(
        f"{_COMMON}.variables",
        "Variable.assign_sub",
        "(self, value)",
        variables.assign_as_a_whole,
        "Keras reads and then assigns, so that another thread may write in between.",
        mentions=("assign",),
    ),
    _patch(
        f"{_TENSORFLOW}.core",
        "compute_output_spec",
        "(fn, *args, **kwargs)",
        output_shapes.compute_output_spec,
        "Finds output shapes by two runs with examples, whereas Keras traces a function.",
        needs=(
            "tree.flatten",
            "tree.map_structure",
            "KerasTensor",
            "StatelessScope",
            "SymbolicScope",
            "is_tensor",
        ),
        upstream=_BACK_ENDS,
    ),
    _patch(
        f"{_TENSORFLOW}.core",
        "convert_to_tensor",
        "(x, dtype=None, sparse=None, ragged=None)",
        arithmetic.convert_to_tensor,
        "Returns tensors of the requested dtype unchanged; Keras converts them again.",
        upstream=_BACK_ENDS,
    ),
    _patch(
        f"{_TENSORFLOW}.core",
        "cast",
        "(x, dtype)",
        arithmetic.cast,
        "Returns tensors of the requested dtype unchanged; Keras converts them again.",
        upstream=_BACK_ENDS,
    ),
    _patch(
        f"{_TENSORFLOW}.core",
        "Variable",
        CLASS,
        variables.known_to_gradtape,
        "Registers with gradtape how to read a Keras variable, which saves a search for protocols.",
        upstream=_BACK_ENDS,
    ),
    _patch(
        f"{_TENSORFLOW}.nn",
        "conv",
        "(inputs, kernel, strides=1, padding='valid', data_format=None, dilation_rate=1)",
        convolution.conv,
        "Computes convolutions in groups, or with channels first, without XLA.",
        needs=("backend.standardize_data_format", "_convert_data_format"),
        upstream=_BACK_ENDS,
    ),
    *(
        _patch(
            f"{_TENSORFLOW}.numpy",
            name,
            "(x1, x2)",
            replace,
            _OPERATION,
            upstream=_BACK_ENDS,
        )
        for name, replace in (
            ("add", arithmetic.add),
            ("subtract", arithmetic.arithmetic(sub_p)),
            ("multiply", arithmetic.arithmetic(mul_p)),
            ("divide", arithmetic.arithmetic(div_p)),
            ("true_divide", arithmetic.arithmetic(div_p)),
            ("maximum", arithmetic.arithmetic(maximum_p)),
            ("minimum", arithmetic.arithmetic(minimum_p)),
            ("matmul", arithmetic.product),
        )
    ),
    _patch(
        f"{_TENSORFLOW}.numpy",
        "einsum",
        "(subscripts, *operands, **kwargs)",
        arithmetic.sum_of_products,
        "Keras computes `einsum` by reshapes around `tf.matmul`; gradtape computes one product.",
        upstream=_BACK_ENDS,
    ),
    _patch(
        f"{_TENSORFLOW}.rnn",
        "_is_gpu_available",
        "()",
        lstm_steps.no_cudnn,
        "On GPUs, Keras would call cuDNN's loops; here, XLA compiles the plain loops.",
    ),
    _patch(
        f"{_TENSORFLOW}.trainer",
        "TensorFlowTrainer._make_function",
        "(self, step_function)",
        training_steps.make_function,
        "Lets layers that are built in a step of `fit` know which length is that of the batch.",
        needs=("tree.flatten",),
        mentions=("run_eagerly",),
    ),
    _patch(
        f"{_TENSORFLOW}.trainer",
        "reduce_per_replica",
        "(values, strategy, reduction)",
        training_steps.reduce_per_replica,
        "Reduces the results of several processes; Keras handles those of one process.",
        needs=("tree.map_structure",),
    ),
    _patch(
        "keras.src.layers.layer",
        "get_shapes_dict",
        "(call_spec)",
        training_steps.get_shapes_dict,
        "Builds layers in `fit` for batches of any size, as in TensorFlow's graphs.",
    ),
    _patch(
        "keras.src.layers.layer",
        "Layer.__setattr__",
        "(self, name, value)",
        layer_calls.set_flag,
        "Sets flags, which change at every call, without searching them for trackable objects.",
    ),
    _patch(
        "keras.src.layers.layer",
        "Layer._open_name_scope",
        "(self)",
        layer_calls.open_name_scope,
        "Opens the scope of a layer with a known path without computing the path again.",
        needs=("backend.name_scope",),
        mentions=("_parent_path", "name_scope"),
    ),
    _patch(
        "keras.src.layers.layer",
        "CallSpec.__init__",
        "(self, signature, call_context_args, args, kwargs)",
        layer_calls.init_call_spec,
        "Binds one tensor and some flags without `inspect.Signature.bind`, which is slow.",
        stores=frozenset(
            {
                "user_arguments_dict",
                "arguments_dict",
                "argument_names",
                "tensor_arguments_dict",
                "tensor_arguments_names",
                "nested_tensor_argument_names",
                "first_arg",
                "eager",
            }
        ),
    ),
    _patch(
        "keras.src.layers.rnn.lstm",
        "LSTM.inner_loop",
        "(self, sequences, initial_state, mask, training=False)",
        lstm_steps.inner_loop,
        "Keras calls the cell as a layer for every step, which costs many times the arithmetic.",
        needs=("LSTMCell", "activations.sigmoid", "activations.tanh"),
        mentions=("cell", "go_backwards", "return_sequences"),
    ),
    _patch(
        "keras.src.ops.nn",
        "_layer_normalization",
        "(x, gamma=None, beta=None, axis=-1, epsilon=None, rms_scaling=False)",
        normalization.layer_normalization,
        "Normalizes outside of graphs by one operation instead of seven on the whole array.",
        needs=("backend.epsilon", "backend.convert_to_tensor", "backend.numpy.reshape"),
    ),
    _patch(
        "keras.src.optimizers.base_optimizer",
        "BaseOptimizer.__init__",
        "(self, learning_rate, weight_decay=None, clipnorm=None, clipvalue=None, "
        "global_clipnorm=None, use_ema=False, ema_momentum=0.99, ema_overwrite_frequency=None, "
        "loss_scale_factor=None, gradient_accumulation_steps=None, name=None, **kwargs)",
        hints.init,
        "Adds the current name to the error for an argument of other versions of Keras.",
    ),
    _patch(
        "keras.src.optimizers.base_optimizer",
        "BaseOptimizer.apply_gradients",
        "(self, grads_and_vars)",
        hints.apply_gradients,
        "Adds to the error that gradients and variables are swapped, or all gradients are None.",
        mentions=("apply", "_iterations"),
    ),
    _patch(
        "keras.src.optimizers.adam",
        "Adam.update_step",
        "(self, gradient, variable, learning_rate)",
        optimizer_steps.adam_step,
        "Computes a step as one formula on arrays, whereas Keras runs some twenty operations.",
        mentions=("_momentums", "_velocities", "_get_variable_index", "amsgrad", "epsilon"),
    ),
    _patch(
        "keras.src.optimizers.adam",
        "Adam._backend_update_step",
        "(self, grads, trainable_variables, learning_rate)",
        optimizer_steps.adam_steps,
        "Computes the rates of a step once for all variables.",
        mentions=("_distribution_strategy",),
        after=("Adam.update_step",),
    ),
    _patch(
        "keras.src.optimizers.sgd",
        "SGD.update_step",
        "(self, gradient, variable, learning_rate)",
        optimizer_steps.sgd_step,
        "Computes a step as one formula on arrays.",
        mentions=("momentum", "momentums", "_get_variable_index", "nesterov"),
    ),
    _patch(
        "keras.src.optimizers.sgd",
        "SGD._backend_update_step",
        "(self, grads, trainable_variables, learning_rate)",
        optimizer_steps.sgd_steps,
        "Computes the rates of a step once for all variables.",
        mentions=("_distribution_strategy",),
        after=("SGD.update_step",),
    ),
    _patch(
        f"{_TENSORFLOW}.optimizer",
        "TFOptimizer._var_key",
        "(self, variable)",
        optimizer_steps.key_of_variable,
        "Keras makes the handles of all variables to see whether they belong to replicas.",
        mentions=("_distributed_container", "_unique_id"),
    ),
    _patch(
        f"{_ADAPTERS}.data_adapter_utils",
        "is_tensorflow_tensor",
        "(value)",
        value_classes.is_tensor,
        "Keras looks for TensorFlow's module in the class's name.",
    ),
    _patch(
        f"{_ADAPTERS}.data_adapter_utils",
        "is_tensorflow_ragged",
        "(value)",
        value_classes.is_ragged,
        "Keras looks for TensorFlow's module in the class's name.",
    ),
    _patch(
        f"{_ADAPTERS}.data_adapter_utils",
        "is_tensorflow_sparse",
        "(value)",
        value_classes.is_sparse,
        "Keras looks for TensorFlow's module in the class's name.",
    ),
    _patch(
        "keras.src.tree.optree_impl",
        "is_nested",
        "(structure)",
        dtypes_and_structures.is_nested,
        "Finds out from the type that a tensor is not a structure, which every operation checks.",
    ),
    _patch(
        "keras.src.tree.optree_impl",
        "flatten",
        "(structure)",
        dtypes_and_structures.flatten,
        "Flattens a single tensor without optree.",
    ),
    _patch(
        "keras.src.tree.optree_impl",
        "map_structure",
        "(func, *structures, none_is_leaf=True)",
        dtypes_and_structures.map_structure,
        "Maps over one tensor or a flat list without optree.",
        since="3.12",  # older versions have no `none_is_leaf`
    ),
    _patch(
        "keras.src.utils.traceback_utils",
        "include_frame",
        "(fname)",
        hints.include_frame,
        "Removes gradtape's frames from tracebacks, as Keras removes TensorFlow's.",
        needs=("is_traceback_filtering_enabled",),
    ),
    *[
        _patch(
            f"keras.src.{room}",
            "get",
            "(identifier)",
            hints.get,
            "Names what a misspelt identifier may have meant.",
            needs=("ALL_OBJECTS_DICT",),
        )
        for room in ("activations", "initializers", "losses", "metrics", "optimizers")
    ],
    _patch(
        "keras.src.utils.tf_utils",
        "is_ragged_tensor",
        "(x)",
        value_classes.is_ragged,
        "Keras looks for TensorFlow's module in the class's name.",
    ),
)


def _version() -> str:
    """Returns the version of the Keras that is being loaded."""
    return str(attrgetter("__version__")(import_module("keras.src.version")))


REQUIREMENT = requirement("keras", PATCHES)
"""The versions of Keras that every patch was checked with; the extra `keras` requires them."""
BRIDGE = Bridge(
    "Keras",
    PATCHES,
    _version,
    switch="GRADTAPE_NO_KERAS_PATCHES",
    effect=(
        "Keras works without the patch, but more slowly. "
        f'`pip install "{REQUIREMENT}"` installs a version that was checked.'
    ),
)
"""The patches of this process; `compat.alias` passes it the modules of Keras that have targets."""
