"""The signatures of saved models of TensorFlow 1: messages with named tensors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gradtape._src.base.dtypes import as_dtype, string
from gradtape._src.base.export import export, export_value
from gradtape._src.core.tensor import Tensor
from gradtape._src.graph.ir.graph import Symbol
from gradtape._src.graphdef_export.nodes import shape_proto
from gradtape._src.messages import protos
from gradtape._src.ops.types.ragged_tensor import RaggedTensor
from gradtape._src.ops.types.sparse_tensor import SparseTensor
from gradtape._src.saving.export.structured_values import composite
from gradtape._src.saving.saved_model import PREDICT_METHOD_NAME
from gradtape._src.sessions.graph import Graph
from gradtape._src.sessions.graph_variable import GraphVariable
from gradtape._src.sessions.training.variable_scopes import kept_graph

CLASSIFY_METHOD_NAME = "tensorflow/serving/classify"
REGRESS_METHOD_NAME = "tensorflow/serving/regress"
PREDICT_INPUTS = "inputs"
PREDICT_OUTPUTS = "outputs"
CLASSIFY_INPUTS = "inputs"
CLASSIFY_OUTPUT_CLASSES = "classes"
CLASSIFY_OUTPUT_SCORES = "scores"
REGRESS_INPUTS = "inputs"
REGRESS_OUTPUTS = "outputs"
TRAINING = "train"
GPU = "gpu"
TPU = "tpu"
ASSETS_KEY = "saved_model_assets"
LEGACY_INIT_OP_KEY = "legacy_init_op"
MAIN_OP_KEY = "saved_model_main_op"
SAVED_MODEL_FILENAME_PBTXT = "saved_model.pbtxt"
DEBUG_DIRECTORY = "debug"
DEBUG_INFO_FILENAME_PB = "saved_model_debug_info.pb"
_CLASSES = frozenset([CLASSIFY_OUTPUT_CLASSES, CLASSIFY_OUTPUT_SCORES])


@export("compat.v1.saved_model.build_tensor_info", "compat.v1.saved_model.utils.build_tensor_info")
def build_tensor_info(tensor: Any) -> protos.TensorInfo:
    """Returns the description of a tensor in a graph.

    Args:
      tensor: A tensor of a graph, a variable, or a sparse or ragged tensor.

    Returns:
      A `TensorInfo` with the tensor's name, its dtype and its shape.

    Raises:
      RuntimeError: The tensor belongs to no graph.
    """
    if isinstance(tensor, SparseTensor):
        made = _info(tensor.values, tensor.shape)
        made.coo_sparse.values_tensor_name = made.name
        made.coo_sparse.indices_tensor_name = _name(tensor.indices)
        made.coo_sparse.dense_shape_tensor_name = _name(tensor.dense_shape)
        return made
    if isinstance(tensor, RaggedTensor):
        made = protos.TensorInfo(
            dtype=as_dtype(tensor.dtype).as_datatype_enum, tensor_shape=_shape(tensor.shape)
        )
        made.composite_tensor.type_spec.CopyFrom(composite(tensor._type_spec))
        parts = tensor._type_spec.to_tensors(tensor)
        made.composite_tensor.components.extend([_info(x, x.shape) for x in parts])
        return made
    return _info(tensor, tensor.shape)


def _info(tensor: Any, shape: Any) -> protos.TensorInfo:
    return protos.TensorInfo(
        name=_name(tensor),
        dtype=as_dtype(tensor.dtype).as_datatype_enum,
        tensor_shape=_shape(shape),
    )


def _shape(shape: Any) -> protos.TensorShapeProto:
    return shape_proto(None if shape.rank is None else shape.as_list())


def _name(tensor: Any) -> str:
    if isinstance(tensor, GraphVariable):
        return str(tensor.fetched().tensor_name)
    if type(tensor) is not Tensor or type(tensor._value) is not Symbol:
        raise RuntimeError(
            "build_tensor_info is not supported where operations run at once: it describes tensors "
            "of a graph."
        )
    return str(tensor._value.tensor_name)


@export(
    "compat.v1.saved_model.build_signature_def",
    "compat.v1.saved_model.signature_def_utils.build_signature_def",
)
def build_signature_def(
    inputs: Any = None, outputs: Any = None, method_name: str | None = None, defaults: Any = None
) -> protos.SignatureDef:
    """Returns a signature: which tensors of a graph a program may feed and fetch, by names.

    Args:
      inputs: The descriptions of the tensors that are fed, by name, from `build_tensor_info`.
      outputs: The descriptions of the tensors that are fetched, by name.
      method_name: The name of the service, such as PREDICT_METHOD_NAME.
      defaults: The default values of inputs, by name, as `TensorProto` messages.

    Returns:
      A `SignatureDef`.
    """
    made = protos.SignatureDef(method_name=method_name or "")
    for name, info in (inputs or {}).items():
        made.inputs[name].CopyFrom(info)
    for name, info in (outputs or {}).items():
        made.outputs[name].CopyFrom(info)
    for name, value in (defaults or {}).items():
        made.defaults[name].CopyFrom(value)
    return made


@export(
    "compat.v1.saved_model.predict_signature_def",
    "compat.v1.saved_model.signature_def_utils.predict_signature_def",
)
def predict_signature_def(
    inputs: Mapping[str, Any], outputs: Mapping[str, Any]
) -> protos.SignatureDef:
    """Returns the signature of a prediction.

    Args:
      inputs: The tensors that are fed, by name.
      outputs: The tensors that are fetched, by name.

    Returns:
      A `SignatureDef` with the method PREDICT_METHOD_NAME.

    Raises:
      ValueError: There are no inputs or no outputs.
    """
    if not inputs or not outputs:
        raise ValueError("Prediction inputs and outputs cannot be None or empty.")
    return build_signature_def(_infos(inputs), _infos(outputs), PREDICT_METHOD_NAME)


@export(
    "compat.v1.saved_model.classification_signature_def",
    "compat.v1.saved_model.signature_def_utils.classification_signature_def",
)
def classification_signature_def(examples: Any, classes: Any, scores: Any) -> protos.SignatureDef:
    """Returns the signature of a classification.

    Args:
      examples: The tensor of serialized examples that is fed, strings.
      classes: The tensor of classes that is fetched, strings.
      scores: The tensor of scores that is fetched, of dtype float32.

    Returns:
      A `SignatureDef` with the method CLASSIFY_METHOD_NAME.

    Raises:
      ValueError: Both `classes` and `scores` are None, or the dtype of a tensor is wrong.
    """
    if classes is None and scores is None:
        raise ValueError("Classification classes and scores cannot both be None.")
    outputs = {"classes": classes, "scores": scores}
    outputs = {name: x for name, x in outputs.items() if x is not None}
    return _of_examples(examples, outputs, CLASSIFY_METHOD_NAME)


@export(
    "compat.v1.saved_model.regression_signature_def",
    "compat.v1.saved_model.signature_def_utils.regression_signature_def",
)
def regression_signature_def(examples: Any, predictions: Any) -> protos.SignatureDef:
    """Returns the signature of a regression.

    Args:
      examples: The tensor of serialized examples that is fed, strings.
      predictions: The tensor that is fetched, of dtype float32.

    Returns:
      A `SignatureDef` with the method REGRESS_METHOD_NAME.

    Raises:
      ValueError: There are no predictions, or the dtype of a tensor is wrong.
    """
    if predictions is None:
        raise ValueError("Regression predictions cannot be None.")
    return _of_examples(examples, {"outputs": predictions}, REGRESS_METHOD_NAME)


def _of_examples(examples: Any, outputs: dict[str, Any], method: str) -> protos.SignatureDef:
    for name, x in {"inputs": examples, **outputs}.items():
        if x is None:
            raise ValueError(f"{method}: the examples cannot be None.")
        wanted = "string" if name in ("inputs", "classes") else "float32"
        if as_dtype(x.dtype).name != wanted:
            raise ValueError(
                f"{method}: {name} must be of dtype {wanted}, got {as_dtype(x.dtype).name}."
            )
    return build_signature_def(_infos({"inputs": examples}), _infos(outputs), method)


def _infos(tensors: Mapping[str, Any]) -> dict[str, protos.TensorInfo]:
    return {name: build_tensor_info(x) for name, x in tensors.items()}


@export(
    "compat.v1.saved_model.is_valid_signature",
    "compat.v1.saved_model.signature_def_utils.is_valid_signature",
)
def is_valid_signature(signature_def: Any) -> bool:
    """Returns whether TensorFlow Serving supports a signature.

    Args:
      signature_def: A `SignatureDef`.

    Returns:
      True if it has the tensors that its method requires.
    """
    if signature_def is None:
        return False
    inputs, outputs = dict(signature_def.inputs), dict(signature_def.outputs)
    method = signature_def.method_name
    if method == PREDICT_METHOD_NAME:
        return bool(inputs) and bool(outputs)
    if method not in (CLASSIFY_METHOD_NAME, REGRESS_METHOD_NAME) or list(inputs) != ["inputs"]:
        return False
    if inputs["inputs"].dtype != string.as_datatype_enum:
        return False
    if method == REGRESS_METHOD_NAME:
        return list(outputs) == ["outputs"] and _has_dtype(outputs["outputs"], "float32")
    wanted = {"classes": "string", "scores": "float32"}
    known = bool(outputs) and outputs.keys() <= _CLASSES
    return known and all(_has_dtype(info, wanted[name]) for name, info in outputs.items())


def _has_dtype(info: protos.TensorInfo, name: str) -> bool:
    return bool(info.dtype == as_dtype(name).as_datatype_enum)


@export(
    "compat.v1.saved_model.get_tensor_from_tensor_info",
    "compat.v1.saved_model.utils.get_tensor_from_tensor_info",
)
def get_tensor_from_tensor_info(
    tensor_info: Any, graph: Graph | None = None, import_scope: str | None = None
) -> Tensor | SparseTensor:
    """Returns the tensor of a graph for a description.

    Args:
      tensor_info: A `TensorInfo`.
      graph: The graph. Defaults to the default graph.
      import_scope: The prefix of the names of operations in the graph, or None.

    Returns:
      A tensor, or a sparse one.

    Raises:
      KeyError: The graph has no such tensor.
      ValueError: The kind of the description is not supported.
    """
    chosen, front = graph or kept_graph(), f"{import_scope}/" if import_scope else ""

    def named(name: str) -> Tensor:
        found: Tensor = chosen.get_tensor_by_name(front + name)
        return found

    if tensor_info.HasField("name"):
        return named(tensor_info.name)
    if tensor_info.HasField("coo_sparse"):
        parts = tensor_info.coo_sparse
        names = (parts.indices_tensor_name, parts.values_tensor_name, parts.dense_shape_tensor_name)
        return SparseTensor(*map(named, names))
    raise ValueError(f"Invalid TensorInfo.encoding: {tensor_info.WhichOneof('encoding')}")


export_value(
    CLASSIFY_METHOD_NAME,
    "saved_model.CLASSIFY_METHOD_NAME",
    "compat.v1.saved_model.signature_constants.CLASSIFY_METHOD_NAME",
)
export_value(
    REGRESS_METHOD_NAME,
    "saved_model.REGRESS_METHOD_NAME",
    "compat.v1.saved_model.signature_constants.REGRESS_METHOD_NAME",
)
export_value(
    PREDICT_INPUTS,
    "saved_model.PREDICT_INPUTS",
    "compat.v1.saved_model.signature_constants.PREDICT_INPUTS",
)
export_value(
    PREDICT_OUTPUTS,
    "saved_model.PREDICT_OUTPUTS",
    "compat.v1.saved_model.signature_constants.PREDICT_OUTPUTS",
)
export_value(
    CLASSIFY_INPUTS,
    "saved_model.CLASSIFY_INPUTS",
    "compat.v1.saved_model.signature_constants.CLASSIFY_INPUTS",
)
export_value(
    CLASSIFY_OUTPUT_CLASSES,
    "saved_model.CLASSIFY_OUTPUT_CLASSES",
    "compat.v1.saved_model.signature_constants.CLASSIFY_OUTPUT_CLASSES",
)
export_value(
    CLASSIFY_OUTPUT_SCORES,
    "saved_model.CLASSIFY_OUTPUT_SCORES",
    "compat.v1.saved_model.signature_constants.CLASSIFY_OUTPUT_SCORES",
)
export_value(
    REGRESS_INPUTS,
    "saved_model.REGRESS_INPUTS",
    "compat.v1.saved_model.signature_constants.REGRESS_INPUTS",
)
export_value(
    REGRESS_OUTPUTS,
    "saved_model.REGRESS_OUTPUTS",
    "compat.v1.saved_model.signature_constants.REGRESS_OUTPUTS",
)
export_value(TRAINING, "saved_model.TRAINING", "compat.v1.saved_model.tag_constants.TRAINING")
export_value(GPU, "saved_model.GPU", "compat.v1.saved_model.tag_constants.GPU")
export_value(TPU, "saved_model.TPU", "compat.v1.saved_model.tag_constants.TPU")
export_value(ASSETS_KEY, "saved_model.ASSETS_KEY", "compat.v1.saved_model.constants.ASSETS_KEY")
export_value(
    LEGACY_INIT_OP_KEY,
    "compat.v1.saved_model.LEGACY_INIT_OP_KEY",
    "compat.v1.saved_model.constants.LEGACY_INIT_OP_KEY",
)
export_value(
    MAIN_OP_KEY,
    "compat.v1.saved_model.MAIN_OP_KEY",
    "compat.v1.saved_model.constants.MAIN_OP_KEY",
)
export_value(
    SAVED_MODEL_FILENAME_PBTXT,
    "saved_model.SAVED_MODEL_FILENAME_PBTXT",
    "compat.v1.saved_model.constants.SAVED_MODEL_FILENAME_PBTXT",
)
export_value(
    DEBUG_DIRECTORY,
    "saved_model.DEBUG_DIRECTORY",
    "compat.v1.saved_model.constants.DEBUG_DIRECTORY",
)
export_value(
    DEBUG_INFO_FILENAME_PB,
    "saved_model.DEBUG_INFO_FILENAME_PB",
    "compat.v1.saved_model.constants.DEBUG_INFO_FILENAME_PB",
)
