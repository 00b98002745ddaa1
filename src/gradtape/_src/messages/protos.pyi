# Written by `python tools/compile_messages.py` from the .proto texts; do not edit.
from collections.abc import Iterable, Mapping
from typing import Any

from google.protobuf.any_pb2 import Any as _Any
from google.protobuf.internal.containers import (
    MessageMap,
    RepeatedCompositeFieldContainer,
    RepeatedScalarFieldContainer,
    ScalarMap,
)
from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper
from google.protobuf.message import Message
from google.protobuf.wrappers_pb2 import BoolValue as _BoolValue

DataType: EnumTypeWrapper
DT_INVALID: int
DT_FLOAT: int
DT_DOUBLE: int
DT_INT32: int
DT_UINT8: int
DT_INT16: int
DT_INT8: int
DT_STRING: int
DT_COMPLEX64: int
DT_INT64: int
DT_BOOL: int
DT_QINT8: int
DT_QUINT8: int
DT_QINT32: int
DT_BFLOAT16: int
DT_QINT16: int
DT_QUINT16: int
DT_UINT16: int
DT_COMPLEX128: int
DT_HALF: int
DT_RESOURCE: int
DT_VARIANT: int
DT_UINT32: int
DT_UINT64: int
DT_FLOAT8_E5M2: int
DT_FLOAT8_E4M3FN: int
DT_FLOAT8_E4M3FNUZ: int
DT_FLOAT8_E4M3B11FNUZ: int
DT_FLOAT8_E5M2FNUZ: int
DT_INT4: int
DT_UINT4: int
DT_INT2: int
DT_UINT2: int
DT_FLOAT4_E2M1FN: int
DT_FLOAT_REF: int
DT_DOUBLE_REF: int
DT_INT32_REF: int
DT_UINT8_REF: int
DT_INT16_REF: int
DT_INT8_REF: int
DT_STRING_REF: int
DT_COMPLEX64_REF: int
DT_INT64_REF: int
DT_BOOL_REF: int
DT_QINT8_REF: int
DT_QUINT8_REF: int
DT_QINT32_REF: int
DT_BFLOAT16_REF: int
DT_QINT16_REF: int
DT_QUINT16_REF: int
DT_UINT16_REF: int
DT_COMPLEX128_REF: int
DT_HALF_REF: int
DT_RESOURCE_REF: int
DT_VARIANT_REF: int
DT_UINT32_REF: int
DT_UINT64_REF: int
DT_FLOAT8_E5M2_REF: int
DT_FLOAT8_E4M3FN_REF: int
DT_FLOAT8_E4M3FNUZ_REF: int
DT_FLOAT8_E4M3B11FNUZ_REF: int
DT_FLOAT8_E5M2FNUZ_REF: int
DT_INT4_REF: int
DT_UINT4_REF: int
DT_INT2_REF: int
DT_UINT2_REF: int
DT_FLOAT4_E2M1FN_REF: int
VariableSynchronization: EnumTypeWrapper
VARIABLE_SYNCHRONIZATION_AUTO: int
VARIABLE_SYNCHRONIZATION_NONE: int
VARIABLE_SYNCHRONIZATION_ON_WRITE: int
VARIABLE_SYNCHRONIZATION_ON_READ: int
VariableAggregation: EnumTypeWrapper
VARIABLE_AGGREGATION_NONE: int
VARIABLE_AGGREGATION_SUM: int
VARIABLE_AGGREGATION_MEAN: int
VARIABLE_AGGREGATION_ONLY_FIRST_REPLICA: int

class TensorShapeProto(Message):
    class Dim(Message):
        size: int
        name: str
        def __init__(self, *, size: int | None = ..., name: str | None = ...) -> None: ...
    @property
    def dim(self) -> RepeatedCompositeFieldContainer[TensorShapeProto.Dim]: ...
    unknown_rank: bool
    def __init__(self, *, dim: Iterable[TensorShapeProto.Dim | Mapping[str, Any]] | None = ..., unknown_rank: bool | None = ...) -> None: ...

class TensorProto(Message):
    dtype: int
    @property
    def tensor_shape(self) -> TensorShapeProto: ...
    version_number: int
    tensor_content: bytes
    @property
    def float_val(self) -> RepeatedScalarFieldContainer[float]: ...
    @property
    def double_val(self) -> RepeatedScalarFieldContainer[float]: ...
    @property
    def int_val(self) -> RepeatedScalarFieldContainer[int]: ...
    @property
    def string_val(self) -> RepeatedScalarFieldContainer[bytes]: ...
    @property
    def scomplex_val(self) -> RepeatedScalarFieldContainer[float]: ...
    @property
    def int64_val(self) -> RepeatedScalarFieldContainer[int]: ...
    @property
    def bool_val(self) -> RepeatedScalarFieldContainer[bool]: ...
    @property
    def dcomplex_val(self) -> RepeatedScalarFieldContainer[float]: ...
    @property
    def half_val(self) -> RepeatedScalarFieldContainer[int]: ...
    @property
    def resource_handle_val(self) -> RepeatedCompositeFieldContainer[ResourceHandleProto]: ...
    @property
    def variant_val(self) -> RepeatedCompositeFieldContainer[VariantTensorDataProto]: ...
    @property
    def uint32_val(self) -> RepeatedScalarFieldContainer[int]: ...
    @property
    def uint64_val(self) -> RepeatedScalarFieldContainer[int]: ...
    float8_val: bytes
    def __init__(self, *, dtype: int | None = ..., tensor_shape: TensorShapeProto | Mapping[str, Any] | None = ..., version_number: int | None = ..., tensor_content: bytes | None = ..., float_val: Iterable[float] | None = ..., double_val: Iterable[float] | None = ..., int_val: Iterable[int] | None = ..., string_val: Iterable[bytes] | None = ..., scomplex_val: Iterable[float] | None = ..., int64_val: Iterable[int] | None = ..., bool_val: Iterable[bool] | None = ..., dcomplex_val: Iterable[float] | None = ..., half_val: Iterable[int] | None = ..., resource_handle_val: Iterable[ResourceHandleProto | Mapping[str, Any]] | None = ..., variant_val: Iterable[VariantTensorDataProto | Mapping[str, Any]] | None = ..., uint32_val: Iterable[int] | None = ..., uint64_val: Iterable[int] | None = ..., float8_val: bytes | None = ...) -> None: ...

class VariantTensorDataProto(Message):
    type_name: str
    metadata: bytes
    @property
    def tensors(self) -> RepeatedCompositeFieldContainer[TensorProto]: ...
    def __init__(self, *, type_name: str | None = ..., metadata: bytes | None = ..., tensors: Iterable[TensorProto | Mapping[str, Any]] | None = ...) -> None: ...

class ResourceHandleProto(Message):
    class DtypeAndShape(Message):
        dtype: int
        @property
        def shape(self) -> TensorShapeProto: ...
        def __init__(self, *, dtype: int | None = ..., shape: TensorShapeProto | Mapping[str, Any] | None = ...) -> None: ...
    device: str
    container: str
    name: str
    hash_code: int
    maybe_type_name: str
    @property
    def dtypes_and_shapes(self) -> RepeatedCompositeFieldContainer[ResourceHandleProto.DtypeAndShape]: ...
    def __init__(self, *, device: str | None = ..., container: str | None = ..., name: str | None = ..., hash_code: int | None = ..., maybe_type_name: str | None = ..., dtypes_and_shapes: Iterable[ResourceHandleProto.DtypeAndShape | Mapping[str, Any]] | None = ...) -> None: ...

class VersionDef(Message):
    producer: int
    min_consumer: int
    @property
    def bad_consumers(self) -> RepeatedScalarFieldContainer[int]: ...
    def __init__(self, *, producer: int | None = ..., min_consumer: int | None = ..., bad_consumers: Iterable[int] | None = ...) -> None: ...

class VariableDef(Message):
    variable_name: str
    initializer_name: str
    snapshot_name: str
    @property
    def save_slice_info_def(self) -> SaveSliceInfoDef: ...
    is_resource: bool
    initial_value_name: str
    trainable: bool
    synchronization: int
    aggregation: int
    def __init__(self, *, variable_name: str | None = ..., initializer_name: str | None = ..., snapshot_name: str | None = ..., save_slice_info_def: SaveSliceInfoDef | Mapping[str, Any] | None = ..., is_resource: bool | None = ..., initial_value_name: str | None = ..., trainable: bool | None = ..., synchronization: int | None = ..., aggregation: int | None = ...) -> None: ...

class SaveSliceInfoDef(Message):
    full_name: str
    @property
    def full_shape(self) -> RepeatedScalarFieldContainer[int]: ...
    @property
    def var_offset(self) -> RepeatedScalarFieldContainer[int]: ...
    @property
    def var_shape(self) -> RepeatedScalarFieldContainer[int]: ...
    def __init__(self, *, full_name: str | None = ..., full_shape: Iterable[int] | None = ..., var_offset: Iterable[int] | None = ..., var_shape: Iterable[int] | None = ...) -> None: ...

class TensorSliceProto(Message):
    class Extent(Message):
        start: int
        length: int
        def __init__(self, *, start: int | None = ..., length: int | None = ...) -> None: ...
    @property
    def extent(self) -> RepeatedCompositeFieldContainer[TensorSliceProto.Extent]: ...
    def __init__(self, *, extent: Iterable[TensorSliceProto.Extent | Mapping[str, Any]] | None = ...) -> None: ...

class TrackableObjectGraph(Message):
    class TrackableObject(Message):
        class ObjectReference(Message):
            node_id: int
            local_name: str
            def __init__(self, *, node_id: int | None = ..., local_name: str | None = ...) -> None: ...
        class SerializedTensor(Message):
            name: str
            full_name: str
            checkpoint_key: str
            def __init__(self, *, name: str | None = ..., full_name: str | None = ..., checkpoint_key: str | None = ...) -> None: ...
        class SlotVariableReference(Message):
            original_variable_node_id: int
            slot_name: str
            slot_variable_node_id: int
            def __init__(self, *, original_variable_node_id: int | None = ..., slot_name: str | None = ..., slot_variable_node_id: int | None = ...) -> None: ...
        @property
        def children(self) -> RepeatedCompositeFieldContainer[TrackableObjectGraph.TrackableObject.ObjectReference]: ...
        @property
        def attributes(self) -> RepeatedCompositeFieldContainer[TrackableObjectGraph.TrackableObject.SerializedTensor]: ...
        @property
        def slot_variables(self) -> RepeatedCompositeFieldContainer[TrackableObjectGraph.TrackableObject.SlotVariableReference]: ...
        @property
        def registered_saver(self) -> RegisteredSaver: ...
        @property
        def has_checkpoint_values(self) -> _BoolValue: ...
        def __init__(self, *, children: Iterable[TrackableObjectGraph.TrackableObject.ObjectReference | Mapping[str, Any]] | None = ..., attributes: Iterable[TrackableObjectGraph.TrackableObject.SerializedTensor | Mapping[str, Any]] | None = ..., slot_variables: Iterable[TrackableObjectGraph.TrackableObject.SlotVariableReference | Mapping[str, Any]] | None = ..., registered_saver: RegisteredSaver | Mapping[str, Any] | None = ..., has_checkpoint_values: _BoolValue | Mapping[str, Any] | None = ...) -> None: ...
    @property
    def nodes(self) -> RepeatedCompositeFieldContainer[TrackableObjectGraph.TrackableObject]: ...
    def __init__(self, *, nodes: Iterable[TrackableObjectGraph.TrackableObject | Mapping[str, Any]] | None = ...) -> None: ...

class RegisteredSaver(Message):
    name: str
    object_name: str
    def __init__(self, *, name: str | None = ..., object_name: str | None = ...) -> None: ...

class BundleHeaderProto(Message):
    Endianness: EnumTypeWrapper
    LITTLE: int
    BIG: int
    num_shards: int
    endianness: int
    @property
    def version(self) -> VersionDef: ...
    def __init__(self, *, num_shards: int | None = ..., endianness: int | None = ..., version: VersionDef | Mapping[str, Any] | None = ...) -> None: ...

class BundleEntryProto(Message):
    dtype: int
    @property
    def shape(self) -> TensorShapeProto: ...
    shard_id: int
    offset: int
    size: int
    crc32c: int
    @property
    def slices(self) -> RepeatedCompositeFieldContainer[TensorSliceProto]: ...
    def __init__(self, *, dtype: int | None = ..., shape: TensorShapeProto | Mapping[str, Any] | None = ..., shard_id: int | None = ..., offset: int | None = ..., size: int | None = ..., crc32c: int | None = ..., slices: Iterable[TensorSliceProto | Mapping[str, Any]] | None = ...) -> None: ...

class CheckpointState(Message):
    model_checkpoint_path: str
    @property
    def all_model_checkpoint_paths(self) -> RepeatedScalarFieldContainer[str]: ...
    @property
    def all_model_checkpoint_timestamps(self) -> RepeatedScalarFieldContainer[float]: ...
    last_preserved_timestamp: float
    def __init__(self, *, model_checkpoint_path: str | None = ..., all_model_checkpoint_paths: Iterable[str] | None = ..., all_model_checkpoint_timestamps: Iterable[float] | None = ..., last_preserved_timestamp: float | None = ...) -> None: ...

class CondContextDef(Message):
    context_name: str
    pred_name: str
    pivot_name: str
    branch: int
    @property
    def values_def(self) -> ValuesDef: ...
    @property
    def nested_contexts(self) -> RepeatedCompositeFieldContainer[ControlFlowContextDef]: ...
    def __init__(self, *, context_name: str | None = ..., pred_name: str | None = ..., pivot_name: str | None = ..., branch: int | None = ..., values_def: ValuesDef | Mapping[str, Any] | None = ..., nested_contexts: Iterable[ControlFlowContextDef | Mapping[str, Any]] | None = ...) -> None: ...

class ValuesDef(Message):
    @property
    def values(self) -> RepeatedScalarFieldContainer[str]: ...
    @property
    def external_values(self) -> ScalarMap[str, str]: ...
    def __init__(self, *, values: Iterable[str] | None = ..., external_values: Mapping[str, str] | None = ...) -> None: ...

class ControlFlowContextDef(Message):
    @property
    def cond_ctxt(self) -> CondContextDef: ...
    @property
    def while_ctxt(self) -> WhileContextDef: ...
    def __init__(self, *, cond_ctxt: CondContextDef | Mapping[str, Any] | None = ..., while_ctxt: WhileContextDef | Mapping[str, Any] | None = ...) -> None: ...

class WhileContextDef(Message):
    context_name: str
    parallel_iterations: int
    back_prop: bool
    swap_memory: bool
    pivot_name: str
    pivot_for_pred_name: str
    pivot_for_body_name: str
    @property
    def loop_exit_names(self) -> RepeatedScalarFieldContainer[str]: ...
    @property
    def values_def(self) -> ValuesDef: ...
    @property
    def loop_enter_names(self) -> RepeatedScalarFieldContainer[str]: ...
    maximum_iterations_name: str
    @property
    def nested_contexts(self) -> RepeatedCompositeFieldContainer[ControlFlowContextDef]: ...
    def __init__(self, *, context_name: str | None = ..., parallel_iterations: int | None = ..., back_prop: bool | None = ..., swap_memory: bool | None = ..., pivot_name: str | None = ..., pivot_for_pred_name: str | None = ..., pivot_for_body_name: str | None = ..., loop_exit_names: Iterable[str] | None = ..., values_def: ValuesDef | Mapping[str, Any] | None = ..., loop_enter_names: Iterable[str] | None = ..., maximum_iterations_name: str | None = ..., nested_contexts: Iterable[ControlFlowContextDef | Mapping[str, Any]] | None = ...) -> None: ...

class Example(Message):
    @property
    def features(self) -> Features: ...
    def __init__(self, *, features: Features | Mapping[str, Any] | None = ...) -> None: ...

class SequenceExample(Message):
    @property
    def context(self) -> Features: ...
    @property
    def feature_lists(self) -> FeatureLists: ...
    def __init__(self, *, context: Features | Mapping[str, Any] | None = ..., feature_lists: FeatureLists | Mapping[str, Any] | None = ...) -> None: ...

class Features(Message):
    @property
    def feature(self) -> MessageMap[str, Feature]: ...
    def __init__(self, *, feature: Mapping[str, Feature | Mapping[str, Any]] | None = ...) -> None: ...

class Feature(Message):
    @property
    def bytes_list(self) -> BytesList: ...
    @property
    def float_list(self) -> FloatList: ...
    @property
    def int64_list(self) -> Int64List: ...
    def __init__(self, *, bytes_list: BytesList | Mapping[str, Any] | None = ..., float_list: FloatList | Mapping[str, Any] | None = ..., int64_list: Int64List | Mapping[str, Any] | None = ...) -> None: ...

class BytesList(Message):
    @property
    def value(self) -> RepeatedScalarFieldContainer[bytes]: ...
    def __init__(self, *, value: Iterable[bytes] | None = ...) -> None: ...

class FloatList(Message):
    @property
    def value(self) -> RepeatedScalarFieldContainer[float]: ...
    def __init__(self, *, value: Iterable[float] | None = ...) -> None: ...

class Int64List(Message):
    @property
    def value(self) -> RepeatedScalarFieldContainer[int]: ...
    def __init__(self, *, value: Iterable[int] | None = ...) -> None: ...

class FeatureLists(Message):
    @property
    def feature_list(self) -> MessageMap[str, FeatureList]: ...
    def __init__(self, *, feature_list: Mapping[str, FeatureList | Mapping[str, Any]] | None = ...) -> None: ...

class FeatureList(Message):
    @property
    def feature(self) -> RepeatedCompositeFieldContainer[Feature]: ...
    def __init__(self, *, feature: Iterable[Feature | Mapping[str, Any]] | None = ...) -> None: ...

class Element(Message):
    @property
    def tensor(self) -> RepeatedCompositeFieldContainer[TensorProto]: ...
    def __init__(self, *, tensor: Iterable[TensorProto | Mapping[str, Any]] | None = ...) -> None: ...

class GraphDebugInfo(Message):
    class FileLineCol(Message):
        file_index: int
        line: int
        col: int
        func: str
        code: str
        def __init__(self, *, file_index: int | None = ..., line: int | None = ..., col: int | None = ..., func: str | None = ..., code: str | None = ...) -> None: ...
    class StackTrace(Message):
        @property
        def file_line_cols(self) -> RepeatedCompositeFieldContainer[GraphDebugInfo.FileLineCol]: ...
        @property
        def frame_id(self) -> RepeatedScalarFieldContainer[int]: ...
        def __init__(self, *, file_line_cols: Iterable[GraphDebugInfo.FileLineCol | Mapping[str, Any]] | None = ..., frame_id: Iterable[int] | None = ...) -> None: ...
    @property
    def files(self) -> RepeatedScalarFieldContainer[str]: ...
    @property
    def traces(self) -> MessageMap[str, GraphDebugInfo.StackTrace]: ...
    @property
    def frames_by_id(self) -> MessageMap[int, GraphDebugInfo.FileLineCol]: ...
    @property
    def name_to_trace_id(self) -> ScalarMap[str, int]: ...
    @property
    def traces_by_id(self) -> MessageMap[int, GraphDebugInfo.StackTrace]: ...
    def __init__(self, *, files: Iterable[str] | None = ..., traces: Mapping[str, GraphDebugInfo.StackTrace | Mapping[str, Any]] | None = ..., frames_by_id: Mapping[int, GraphDebugInfo.FileLineCol | Mapping[str, Any]] | None = ..., name_to_trace_id: Mapping[str, int] | None = ..., traces_by_id: Mapping[int, GraphDebugInfo.StackTrace | Mapping[str, Any]] | None = ...) -> None: ...
FullTypeId: EnumTypeWrapper
TFT_UNSET: int
TFT_VAR: int
TFT_ANY: int
TFT_PRODUCT: int
TFT_NAMED: int
TFT_FOR_EACH: int
TFT_CALLABLE: int
TFT_TENSOR: int
TFT_ARRAY: int
TFT_OPTIONAL: int
TFT_LITERAL: int
TFT_ENCODED: int
TFT_SHAPE_TENSOR: int
TFT_BOOL: int
TFT_UINT8: int
TFT_UINT16: int
TFT_UINT32: int
TFT_UINT64: int
TFT_INT8: int
TFT_INT16: int
TFT_INT32: int
TFT_INT64: int
TFT_HALF: int
TFT_FLOAT: int
TFT_DOUBLE: int
TFT_BFLOAT16: int
TFT_COMPLEX64: int
TFT_COMPLEX128: int
TFT_STRING: int
TFT_DATASET: int
TFT_RAGGED: int
TFT_ITERATOR: int
TFT_MUTEX_LOCK: int
TFT_LEGACY_VARIANT: int

class GraphDef(Message):
    @property
    def node(self) -> RepeatedCompositeFieldContainer[NodeDef]: ...
    @property
    def library(self) -> FunctionDefLibrary: ...
    version: int
    @property
    def versions(self) -> VersionDef: ...
    @property
    def debug_info(self) -> GraphDebugInfo: ...
    def __init__(self, *, node: Iterable[NodeDef | Mapping[str, Any]] | None = ..., library: FunctionDefLibrary | Mapping[str, Any] | None = ..., version: int | None = ..., versions: VersionDef | Mapping[str, Any] | None = ..., debug_info: GraphDebugInfo | Mapping[str, Any] | None = ...) -> None: ...

class NodeDef(Message):
    class ExperimentalDebugInfo(Message):
        @property
        def original_node_names(self) -> RepeatedScalarFieldContainer[str]: ...
        @property
        def original_func_names(self) -> RepeatedScalarFieldContainer[str]: ...
        def __init__(self, *, original_node_names: Iterable[str] | None = ..., original_func_names: Iterable[str] | None = ...) -> None: ...
    name: str
    op: str
    @property
    def input(self) -> RepeatedScalarFieldContainer[str]: ...
    device: str
    @property
    def attr(self) -> MessageMap[str, AttrValue]: ...
    @property
    def experimental_debug_info(self) -> NodeDef.ExperimentalDebugInfo: ...
    @property
    def experimental_type(self) -> FullTypeDef: ...
    def __init__(self, *, name: str | None = ..., op: str | None = ..., input: Iterable[str] | None = ..., device: str | None = ..., attr: Mapping[str, AttrValue | Mapping[str, Any]] | None = ..., experimental_debug_info: NodeDef.ExperimentalDebugInfo | Mapping[str, Any] | None = ..., experimental_type: FullTypeDef | Mapping[str, Any] | None = ...) -> None: ...

class FullTypeDef(Message):
    type_id: int
    @property
    def args(self) -> RepeatedCompositeFieldContainer[FullTypeDef]: ...
    s: str
    i: int
    def __init__(self, *, type_id: int | None = ..., args: Iterable[FullTypeDef | Mapping[str, Any]] | None = ..., s: str | None = ..., i: int | None = ...) -> None: ...

class AttrValue(Message):
    class ListValue(Message):
        @property
        def s(self) -> RepeatedScalarFieldContainer[bytes]: ...
        @property
        def i(self) -> RepeatedScalarFieldContainer[int]: ...
        @property
        def f(self) -> RepeatedScalarFieldContainer[float]: ...
        @property
        def b(self) -> RepeatedScalarFieldContainer[bool]: ...
        @property
        def type(self) -> RepeatedScalarFieldContainer[int]: ...
        @property
        def shape(self) -> RepeatedCompositeFieldContainer[TensorShapeProto]: ...
        @property
        def tensor(self) -> RepeatedCompositeFieldContainer[TensorProto]: ...
        @property
        def func(self) -> RepeatedCompositeFieldContainer[NameAttrList]: ...
        def __init__(self, *, s: Iterable[bytes] | None = ..., i: Iterable[int] | None = ..., f: Iterable[float] | None = ..., b: Iterable[bool] | None = ..., type: Iterable[int] | None = ..., shape: Iterable[TensorShapeProto | Mapping[str, Any]] | None = ..., tensor: Iterable[TensorProto | Mapping[str, Any]] | None = ..., func: Iterable[NameAttrList | Mapping[str, Any]] | None = ...) -> None: ...
    @property
    def list(self) -> AttrValue.ListValue: ...
    s: bytes
    i: int
    f: float
    b: bool
    type: int
    @property
    def shape(self) -> TensorShapeProto: ...
    @property
    def tensor(self) -> TensorProto: ...
    placeholder: str
    @property
    def func(self) -> NameAttrList: ...
    def __init__(self, *, list: AttrValue.ListValue | Mapping[str, Any] | None = ..., s: bytes | None = ..., i: int | None = ..., f: float | None = ..., b: bool | None = ..., type: int | None = ..., shape: TensorShapeProto | Mapping[str, Any] | None = ..., tensor: TensorProto | Mapping[str, Any] | None = ..., placeholder: str | None = ..., func: NameAttrList | Mapping[str, Any] | None = ...) -> None: ...

class NameAttrList(Message):
    name: str
    @property
    def attr(self) -> MessageMap[str, AttrValue]: ...
    def __init__(self, *, name: str | None = ..., attr: Mapping[str, AttrValue | Mapping[str, Any]] | None = ...) -> None: ...

class FunctionDefLibrary(Message):
    @property
    def function(self) -> RepeatedCompositeFieldContainer[FunctionDef]: ...
    @property
    def gradient(self) -> RepeatedCompositeFieldContainer[GradientDef]: ...
    @property
    def registered_gradients(self) -> RepeatedCompositeFieldContainer[RegisteredGradient]: ...
    def __init__(self, *, function: Iterable[FunctionDef | Mapping[str, Any]] | None = ..., gradient: Iterable[GradientDef | Mapping[str, Any]] | None = ..., registered_gradients: Iterable[RegisteredGradient | Mapping[str, Any]] | None = ...) -> None: ...

class FunctionDef(Message):
    class ArgAttrs(Message):
        @property
        def attr(self) -> MessageMap[str, AttrValue]: ...
        def __init__(self, *, attr: Mapping[str, AttrValue | Mapping[str, Any]] | None = ...) -> None: ...
    @property
    def signature(self) -> OpDef: ...
    @property
    def node_def(self) -> RepeatedCompositeFieldContainer[NodeDef]: ...
    @property
    def ret(self) -> ScalarMap[str, str]: ...
    @property
    def attr(self) -> MessageMap[str, AttrValue]: ...
    @property
    def control_ret(self) -> ScalarMap[str, str]: ...
    @property
    def arg_attr(self) -> MessageMap[int, FunctionDef.ArgAttrs]: ...
    @property
    def resource_arg_unique_id(self) -> ScalarMap[int, int]: ...
    def __init__(self, *, signature: OpDef | Mapping[str, Any] | None = ..., node_def: Iterable[NodeDef | Mapping[str, Any]] | None = ..., ret: Mapping[str, str] | None = ..., attr: Mapping[str, AttrValue | Mapping[str, Any]] | None = ..., control_ret: Mapping[str, str] | None = ..., arg_attr: Mapping[int, FunctionDef.ArgAttrs | Mapping[str, Any]] | None = ..., resource_arg_unique_id: Mapping[int, int] | None = ...) -> None: ...

class GradientDef(Message):
    function_name: str
    gradient_func: str
    def __init__(self, *, function_name: str | None = ..., gradient_func: str | None = ...) -> None: ...

class RegisteredGradient(Message):
    gradient_func: str
    registered_op_type: str
    def __init__(self, *, gradient_func: str | None = ..., registered_op_type: str | None = ...) -> None: ...

class OpDef(Message):
    class ArgDef(Message):
        name: str
        description: str
        type: int
        type_attr: str
        number_attr: str
        type_list_attr: str
        @property
        def handle_data(self) -> RepeatedCompositeFieldContainer[ResourceHandleProto.DtypeAndShape]: ...
        is_ref: bool
        @property
        def experimental_full_type(self) -> FullTypeDef: ...
        def __init__(self, *, name: str | None = ..., description: str | None = ..., type: int | None = ..., type_attr: str | None = ..., number_attr: str | None = ..., type_list_attr: str | None = ..., handle_data: Iterable[ResourceHandleProto.DtypeAndShape | Mapping[str, Any]] | None = ..., is_ref: bool | None = ..., experimental_full_type: FullTypeDef | Mapping[str, Any] | None = ...) -> None: ...
    class AttrDef(Message):
        name: str
        type: str
        @property
        def default_value(self) -> AttrValue: ...
        description: str
        has_minimum: bool
        minimum: int
        @property
        def allowed_values(self) -> AttrValue: ...
        def __init__(self, *, name: str | None = ..., type: str | None = ..., default_value: AttrValue | Mapping[str, Any] | None = ..., description: str | None = ..., has_minimum: bool | None = ..., minimum: int | None = ..., allowed_values: AttrValue | Mapping[str, Any] | None = ...) -> None: ...
    name: str
    @property
    def input_arg(self) -> RepeatedCompositeFieldContainer[OpDef.ArgDef]: ...
    @property
    def output_arg(self) -> RepeatedCompositeFieldContainer[OpDef.ArgDef]: ...
    @property
    def attr(self) -> RepeatedCompositeFieldContainer[OpDef.AttrDef]: ...
    summary: str
    description: str
    @property
    def deprecation(self) -> OpDeprecation: ...
    is_aggregate: bool
    is_stateful: bool
    is_commutative: bool
    allows_uninitialized_input: bool
    @property
    def control_output(self) -> RepeatedScalarFieldContainer[str]: ...
    is_distributed_communication: bool
    def __init__(self, *, name: str | None = ..., input_arg: Iterable[OpDef.ArgDef | Mapping[str, Any]] | None = ..., output_arg: Iterable[OpDef.ArgDef | Mapping[str, Any]] | None = ..., attr: Iterable[OpDef.AttrDef | Mapping[str, Any]] | None = ..., summary: str | None = ..., description: str | None = ..., deprecation: OpDeprecation | Mapping[str, Any] | None = ..., is_aggregate: bool | None = ..., is_stateful: bool | None = ..., is_commutative: bool | None = ..., allows_uninitialized_input: bool | None = ..., control_output: Iterable[str] | None = ..., is_distributed_communication: bool | None = ...) -> None: ...

class OpDeprecation(Message):
    version: int
    explanation: str
    def __init__(self, *, version: int | None = ..., explanation: str | None = ...) -> None: ...

class OpList(Message):
    @property
    def op(self) -> RepeatedCompositeFieldContainer[OpDef]: ...
    def __init__(self, *, op: Iterable[OpDef | Mapping[str, Any]] | None = ...) -> None: ...

class XSpace(Message):
    @property
    def planes(self) -> RepeatedCompositeFieldContainer[XPlane]: ...
    @property
    def errors(self) -> RepeatedScalarFieldContainer[str]: ...
    @property
    def warnings(self) -> RepeatedScalarFieldContainer[str]: ...
    @property
    def hostnames(self) -> RepeatedScalarFieldContainer[str]: ...
    def __init__(self, *, planes: Iterable[XPlane | Mapping[str, Any]] | None = ..., errors: Iterable[str] | None = ..., warnings: Iterable[str] | None = ..., hostnames: Iterable[str] | None = ...) -> None: ...

class XPlane(Message):
    id: int
    name: str
    @property
    def lines(self) -> RepeatedCompositeFieldContainer[XLine]: ...
    @property
    def event_metadata(self) -> MessageMap[int, XEventMetadata]: ...
    @property
    def stat_metadata(self) -> MessageMap[int, XStatMetadata]: ...
    @property
    def stats(self) -> RepeatedCompositeFieldContainer[XStat]: ...
    def __init__(self, *, id: int | None = ..., name: str | None = ..., lines: Iterable[XLine | Mapping[str, Any]] | None = ..., event_metadata: Mapping[int, XEventMetadata | Mapping[str, Any]] | None = ..., stat_metadata: Mapping[int, XStatMetadata | Mapping[str, Any]] | None = ..., stats: Iterable[XStat | Mapping[str, Any]] | None = ...) -> None: ...

class XLine(Message):
    id: int
    name: str
    timestamp_ns: int
    @property
    def events(self) -> RepeatedCompositeFieldContainer[XEvent]: ...
    duration_ps: int
    display_id: int
    display_name: str
    def __init__(self, *, id: int | None = ..., name: str | None = ..., timestamp_ns: int | None = ..., events: Iterable[XEvent | Mapping[str, Any]] | None = ..., duration_ps: int | None = ..., display_id: int | None = ..., display_name: str | None = ...) -> None: ...

class XEvent(Message):
    metadata_id: int
    offset_ps: int
    num_occurrences: int
    duration_ps: int
    @property
    def stats(self) -> RepeatedCompositeFieldContainer[XStat]: ...
    def __init__(self, *, metadata_id: int | None = ..., offset_ps: int | None = ..., num_occurrences: int | None = ..., duration_ps: int | None = ..., stats: Iterable[XStat | Mapping[str, Any]] | None = ...) -> None: ...

class XStat(Message):
    metadata_id: int
    double_value: float
    uint64_value: int
    int64_value: int
    str_value: str
    bytes_value: bytes
    ref_value: int
    def __init__(self, *, metadata_id: int | None = ..., double_value: float | None = ..., uint64_value: int | None = ..., int64_value: int | None = ..., str_value: str | None = ..., bytes_value: bytes | None = ..., ref_value: int | None = ...) -> None: ...

class XEventMetadata(Message):
    id: int
    name: str
    metadata: bytes
    display_name: str
    @property
    def stats(self) -> RepeatedCompositeFieldContainer[XStat]: ...
    @property
    def child_id(self) -> RepeatedScalarFieldContainer[int]: ...
    def __init__(self, *, id: int | None = ..., name: str | None = ..., metadata: bytes | None = ..., display_name: str | None = ..., stats: Iterable[XStat | Mapping[str, Any]] | None = ..., child_id: Iterable[int] | None = ...) -> None: ...

class XStatMetadata(Message):
    id: int
    name: str
    description: str
    def __init__(self, *, id: int | None = ..., name: str | None = ..., description: str | None = ...) -> None: ...

class RunMetadata(Message):
    class FunctionGraphs(Message):
        @property
        def partition_graphs(self) -> RepeatedCompositeFieldContainer[GraphDef]: ...
        @property
        def pre_optimization_graph(self) -> GraphDef: ...
        @property
        def post_optimization_graph(self) -> GraphDef: ...
        def __init__(self, *, partition_graphs: Iterable[GraphDef | Mapping[str, Any]] | None = ..., pre_optimization_graph: GraphDef | Mapping[str, Any] | None = ..., post_optimization_graph: GraphDef | Mapping[str, Any] | None = ...) -> None: ...
    @property
    def step_stats(self) -> StepStats: ...
    @property
    def cost_graph(self) -> CostGraphDef: ...
    @property
    def partition_graphs(self) -> RepeatedCompositeFieldContainer[GraphDef]: ...
    @property
    def function_graphs(self) -> RepeatedCompositeFieldContainer[RunMetadata.FunctionGraphs]: ...
    @property
    def session_metadata(self) -> SessionMetadata: ...
    def __init__(self, *, step_stats: StepStats | Mapping[str, Any] | None = ..., cost_graph: CostGraphDef | Mapping[str, Any] | None = ..., partition_graphs: Iterable[GraphDef | Mapping[str, Any]] | None = ..., function_graphs: Iterable[RunMetadata.FunctionGraphs | Mapping[str, Any]] | None = ..., session_metadata: SessionMetadata | Mapping[str, Any] | None = ...) -> None: ...

class SessionMetadata(Message):
    name: str
    version: int
    def __init__(self, *, name: str | None = ..., version: int | None = ...) -> None: ...

class ConfigProto(Message):
    class Experimental(Message):
        MlirBridgeRollout: EnumTypeWrapper
        MLIR_BRIDGE_ROLLOUT_UNSPECIFIED: int
        MLIR_BRIDGE_ROLLOUT_ENABLED: int
        MLIR_BRIDGE_ROLLOUT_DISABLED: int
        collective_group_leader: str
        executor_type: str
        recv_buf_max_chunk: int
        use_numa_affinity: bool
        collective_deterministic_sequential_execution: bool
        collective_nccl: bool
        share_session_state_in_clusterspec_propagation: bool
        disable_thread_spinning: bool
        share_cluster_devices_in_session: bool
        @property
        def session_metadata(self) -> SessionMetadata: ...
        optimize_for_static_graph: bool
        enable_mlir_bridge: bool
        disable_output_partition_graphs: bool
        xla_fusion_autotuner_thresh: int
        enable_mlir_graph_optimization: bool
        mlir_bridge_rollout: int
        use_tfrt: bool
        disable_functional_ops_lowering: bool
        xla_prefer_single_graph_cluster: bool
        @property
        def coordination_config(self) -> CoordinationServiceConfig: ...
        disable_optimize_for_static_graph: bool
        disable_eager_executor_streaming_enqueue: bool
        enable_multi_host: bool
        backend_server_port: int
        target_tpu: bool
        target_gpu: bool
        stream_merge_threshold: int
        tfrt_use_ifrt: bool
        finalize_function_library_runtime: bool
        finalize_resource_manager: bool
        tf2xla_dump_dir: str
        online_cost_analysis: bool
        def __init__(self, *, collective_group_leader: str | None = ..., executor_type: str | None = ..., recv_buf_max_chunk: int | None = ..., use_numa_affinity: bool | None = ..., collective_deterministic_sequential_execution: bool | None = ..., collective_nccl: bool | None = ..., share_session_state_in_clusterspec_propagation: bool | None = ..., disable_thread_spinning: bool | None = ..., share_cluster_devices_in_session: bool | None = ..., session_metadata: SessionMetadata | Mapping[str, Any] | None = ..., optimize_for_static_graph: bool | None = ..., enable_mlir_bridge: bool | None = ..., disable_output_partition_graphs: bool | None = ..., xla_fusion_autotuner_thresh: int | None = ..., enable_mlir_graph_optimization: bool | None = ..., mlir_bridge_rollout: int | None = ..., use_tfrt: bool | None = ..., disable_functional_ops_lowering: bool | None = ..., xla_prefer_single_graph_cluster: bool | None = ..., coordination_config: CoordinationServiceConfig | Mapping[str, Any] | None = ..., disable_optimize_for_static_graph: bool | None = ..., disable_eager_executor_streaming_enqueue: bool | None = ..., enable_multi_host: bool | None = ..., backend_server_port: int | None = ..., target_tpu: bool | None = ..., target_gpu: bool | None = ..., stream_merge_threshold: int | None = ..., tfrt_use_ifrt: bool | None = ..., finalize_function_library_runtime: bool | None = ..., finalize_resource_manager: bool | None = ..., tf2xla_dump_dir: str | None = ..., online_cost_analysis: bool | None = ...) -> None: ...
    @property
    def device_count(self) -> ScalarMap[str, int]: ...
    intra_op_parallelism_threads: int
    placement_period: int
    @property
    def device_filters(self) -> RepeatedScalarFieldContainer[str]: ...
    inter_op_parallelism_threads: int
    @property
    def gpu_options(self) -> GPUOptions: ...
    allow_soft_placement: bool
    log_device_placement: bool
    use_per_session_threads: bool
    @property
    def graph_options(self) -> GraphOptions: ...
    operation_timeout_in_ms: int
    @property
    def session_inter_op_thread_pool(self) -> RepeatedCompositeFieldContainer[ThreadPoolOptionProto]: ...
    @property
    def rpc_options(self) -> RPCOptions: ...
    @property
    def cluster_def(self) -> ClusterDef: ...
    isolate_session_state: bool
    @property
    def experimental(self) -> ConfigProto.Experimental: ...
    share_cluster_devices_in_session: bool
    @property
    def pluggable_device_options(self) -> GPUOptions: ...
    def __init__(self, *, device_count: Mapping[str, int] | None = ..., intra_op_parallelism_threads: int | None = ..., placement_period: int | None = ..., device_filters: Iterable[str] | None = ..., inter_op_parallelism_threads: int | None = ..., gpu_options: GPUOptions | Mapping[str, Any] | None = ..., allow_soft_placement: bool | None = ..., log_device_placement: bool | None = ..., use_per_session_threads: bool | None = ..., graph_options: GraphOptions | Mapping[str, Any] | None = ..., operation_timeout_in_ms: int | None = ..., session_inter_op_thread_pool: Iterable[ThreadPoolOptionProto | Mapping[str, Any]] | None = ..., rpc_options: RPCOptions | Mapping[str, Any] | None = ..., cluster_def: ClusterDef | Mapping[str, Any] | None = ..., isolate_session_state: bool | None = ..., experimental: ConfigProto.Experimental | Mapping[str, Any] | None = ..., share_cluster_devices_in_session: bool | None = ..., pluggable_device_options: GPUOptions | Mapping[str, Any] | None = ...) -> None: ...

class ThreadPoolOptionProto(Message):
    num_threads: int
    global_name: str
    def __init__(self, *, num_threads: int | None = ..., global_name: str | None = ...) -> None: ...

class GPUOptions(Message):
    class Experimental(Message):
        class VirtualDevices(Message):
            @property
            def memory_limit_mb(self) -> RepeatedScalarFieldContainer[float]: ...
            @property
            def priority(self) -> RepeatedScalarFieldContainer[int]: ...
            @property
            def device_ordinal(self) -> RepeatedScalarFieldContainer[int]: ...
            def __init__(self, *, memory_limit_mb: Iterable[float] | None = ..., priority: Iterable[int] | None = ..., device_ordinal: Iterable[int] | None = ...) -> None: ...
        class StreamMergeOptions(Message):
            merge_host_to_device_stream: bool
            merge_device_to_host_stream: bool
            merge_device_to_device_stream: bool
            def __init__(self, *, merge_host_to_device_stream: bool | None = ..., merge_device_to_host_stream: bool | None = ..., merge_device_to_device_stream: bool | None = ...) -> None: ...
        @property
        def virtual_devices(self) -> RepeatedCompositeFieldContainer[GPUOptions.Experimental.VirtualDevices]: ...
        use_unified_memory: bool
        num_dev_to_dev_copy_streams: int
        collective_ring_order: str
        timestamped_allocator: bool
        kernel_tracker_max_interval: int
        kernel_tracker_max_bytes: int
        kernel_tracker_max_pending: int
        internal_fragmentation_fraction: float
        use_cuda_malloc_async: bool
        disallow_retry_on_allocation_failure: bool
        gpu_host_mem_limit_in_mb: float
        gpu_host_mem_disallow_growth: bool
        num_virtual_devices_per_gpu: int
        gpu_system_memory_size_in_mb: int
        populate_pjrt_gpu_client_creation_info: bool
        node_id: int
        @property
        def stream_merge_options(self) -> GPUOptions.Experimental.StreamMergeOptions: ...
        def __init__(self, *, virtual_devices: Iterable[GPUOptions.Experimental.VirtualDevices | Mapping[str, Any]] | None = ..., use_unified_memory: bool | None = ..., num_dev_to_dev_copy_streams: int | None = ..., collective_ring_order: str | None = ..., timestamped_allocator: bool | None = ..., kernel_tracker_max_interval: int | None = ..., kernel_tracker_max_bytes: int | None = ..., kernel_tracker_max_pending: int | None = ..., internal_fragmentation_fraction: float | None = ..., use_cuda_malloc_async: bool | None = ..., disallow_retry_on_allocation_failure: bool | None = ..., gpu_host_mem_limit_in_mb: float | None = ..., gpu_host_mem_disallow_growth: bool | None = ..., num_virtual_devices_per_gpu: int | None = ..., gpu_system_memory_size_in_mb: int | None = ..., populate_pjrt_gpu_client_creation_info: bool | None = ..., node_id: int | None = ..., stream_merge_options: GPUOptions.Experimental.StreamMergeOptions | Mapping[str, Any] | None = ...) -> None: ...
    per_process_gpu_memory_fraction: float
    allocator_type: str
    deferred_deletion_bytes: int
    allow_growth: bool
    visible_device_list: str
    polling_active_delay_usecs: int
    polling_inactive_delay_msecs: int
    force_gpu_compatible: bool
    @property
    def experimental(self) -> GPUOptions.Experimental: ...
    def __init__(self, *, per_process_gpu_memory_fraction: float | None = ..., allocator_type: str | None = ..., deferred_deletion_bytes: int | None = ..., allow_growth: bool | None = ..., visible_device_list: str | None = ..., polling_active_delay_usecs: int | None = ..., polling_inactive_delay_msecs: int | None = ..., force_gpu_compatible: bool | None = ..., experimental: GPUOptions.Experimental | Mapping[str, Any] | None = ...) -> None: ...

class GraphOptions(Message):
    enable_recv_scheduling: bool
    @property
    def optimizer_options(self) -> OptimizerOptions: ...
    build_cost_model: int
    infer_shapes: bool
    place_pruned_graph: bool
    enable_bfloat16_sendrecv: bool
    timeline_step: int
    build_cost_model_after: int
    @property
    def rewrite_options(self) -> RewriterConfig: ...
    def __init__(self, *, enable_recv_scheduling: bool | None = ..., optimizer_options: OptimizerOptions | Mapping[str, Any] | None = ..., build_cost_model: int | None = ..., infer_shapes: bool | None = ..., place_pruned_graph: bool | None = ..., enable_bfloat16_sendrecv: bool | None = ..., timeline_step: int | None = ..., build_cost_model_after: int | None = ..., rewrite_options: RewriterConfig | Mapping[str, Any] | None = ...) -> None: ...

class OptimizerOptions(Message):
    Level: EnumTypeWrapper
    L1: int
    L0: int
    GlobalJitLevel: EnumTypeWrapper
    DEFAULT: int
    OFF: int
    ON_1: int
    ON_2: int
    do_common_subexpression_elimination: bool
    do_constant_folding: bool
    opt_level: int
    do_function_inlining: bool
    global_jit_level: int
    max_folded_constant_in_bytes: int
    cpu_global_jit: bool
    def __init__(self, *, do_common_subexpression_elimination: bool | None = ..., do_constant_folding: bool | None = ..., opt_level: int | None = ..., do_function_inlining: bool | None = ..., global_jit_level: int | None = ..., max_folded_constant_in_bytes: int | None = ..., cpu_global_jit: bool | None = ...) -> None: ...

class RunOptions(Message):
    TraceLevel: EnumTypeWrapper
    NO_TRACE: int
    SOFTWARE_TRACE: int
    HARDWARE_TRACE: int
    FULL_TRACE: int
    class Experimental(Message):
        class RunHandlerPoolOptions(Message):
            priority: int
            def __init__(self, *, priority: int | None = ...) -> None: ...
        collective_graph_key: int
        use_run_handler_pool: bool
        @property
        def run_handler_pool_options(self) -> RunOptions.Experimental.RunHandlerPoolOptions: ...
        def __init__(self, *, collective_graph_key: int | None = ..., use_run_handler_pool: bool | None = ..., run_handler_pool_options: RunOptions.Experimental.RunHandlerPoolOptions | Mapping[str, Any] | None = ...) -> None: ...
    trace_level: int
    timeout_in_ms: int
    inter_op_thread_pool: int
    output_partition_graphs: bool
    @property
    def debug_options(self) -> DebugOptions: ...
    report_tensor_allocations_upon_oom: bool
    @property
    def experimental(self) -> RunOptions.Experimental: ...
    def __init__(self, *, trace_level: int | None = ..., timeout_in_ms: int | None = ..., inter_op_thread_pool: int | None = ..., output_partition_graphs: bool | None = ..., debug_options: DebugOptions | Mapping[str, Any] | None = ..., report_tensor_allocations_upon_oom: bool | None = ..., experimental: RunOptions.Experimental | Mapping[str, Any] | None = ...) -> None: ...

class StepStats(Message):
    @property
    def dev_stats(self) -> RepeatedCompositeFieldContainer[DeviceStepStats]: ...
    def __init__(self, *, dev_stats: Iterable[DeviceStepStats | Mapping[str, Any]] | None = ...) -> None: ...

class DeviceStepStats(Message):
    device: str
    @property
    def node_stats(self) -> RepeatedCompositeFieldContainer[NodeExecStats]: ...
    @property
    def thread_names(self) -> ScalarMap[int, str]: ...
    def __init__(self, *, device: str | None = ..., node_stats: Iterable[NodeExecStats | Mapping[str, Any]] | None = ..., thread_names: Mapping[int, str] | None = ...) -> None: ...

class NodeExecStats(Message):
    node_name: str
    all_start_micros: int
    op_start_rel_micros: int
    op_end_rel_micros: int
    all_end_rel_micros: int
    @property
    def memory(self) -> RepeatedCompositeFieldContainer[AllocatorMemoryUsed]: ...
    @property
    def output(self) -> RepeatedCompositeFieldContainer[NodeOutput]: ...
    timeline_label: str
    scheduled_micros: int
    thread_id: int
    @property
    def referenced_tensor(self) -> RepeatedCompositeFieldContainer[AllocationDescription]: ...
    @property
    def memory_stats(self) -> MemoryStats: ...
    all_start_nanos: int
    op_start_rel_nanos: int
    op_end_rel_nanos: int
    all_end_rel_nanos: int
    scheduled_nanos: int
    def __init__(self, *, node_name: str | None = ..., all_start_micros: int | None = ..., op_start_rel_micros: int | None = ..., op_end_rel_micros: int | None = ..., all_end_rel_micros: int | None = ..., memory: Iterable[AllocatorMemoryUsed | Mapping[str, Any]] | None = ..., output: Iterable[NodeOutput | Mapping[str, Any]] | None = ..., timeline_label: str | None = ..., scheduled_micros: int | None = ..., thread_id: int | None = ..., referenced_tensor: Iterable[AllocationDescription | Mapping[str, Any]] | None = ..., memory_stats: MemoryStats | Mapping[str, Any] | None = ..., all_start_nanos: int | None = ..., op_start_rel_nanos: int | None = ..., op_end_rel_nanos: int | None = ..., all_end_rel_nanos: int | None = ..., scheduled_nanos: int | None = ...) -> None: ...

class AllocatorMemoryUsed(Message):
    allocator_name: str
    total_bytes: int
    peak_bytes: int
    live_bytes: int
    allocator_bytes_in_use: int
    @property
    def allocation_records(self) -> RepeatedCompositeFieldContainer[AllocationRecord]: ...
    def __init__(self, *, allocator_name: str | None = ..., total_bytes: int | None = ..., peak_bytes: int | None = ..., live_bytes: int | None = ..., allocator_bytes_in_use: int | None = ..., allocation_records: Iterable[AllocationRecord | Mapping[str, Any]] | None = ...) -> None: ...

class AllocationRecord(Message):
    alloc_micros: int
    alloc_bytes: int
    def __init__(self, *, alloc_micros: int | None = ..., alloc_bytes: int | None = ...) -> None: ...

class NodeOutput(Message):
    slot: int
    @property
    def tensor_description(self) -> TensorDescription: ...
    def __init__(self, *, slot: int | None = ..., tensor_description: TensorDescription | Mapping[str, Any] | None = ...) -> None: ...

class MemoryStats(Message):
    temp_memory_size: int
    device_temp_memory_size: int
    persistent_memory_size: int
    device_persistent_memory_size: int
    @property
    def persistent_tensor_alloc_ids(self) -> RepeatedScalarFieldContainer[int]: ...
    @property
    def device_persistent_tensor_alloc_ids(self) -> RepeatedScalarFieldContainer[int]: ...
    def __init__(self, *, temp_memory_size: int | None = ..., device_temp_memory_size: int | None = ..., persistent_memory_size: int | None = ..., device_persistent_memory_size: int | None = ..., persistent_tensor_alloc_ids: Iterable[int] | None = ..., device_persistent_tensor_alloc_ids: Iterable[int] | None = ...) -> None: ...

class TensorDescription(Message):
    dtype: int
    @property
    def shape(self) -> TensorShapeProto: ...
    @property
    def allocation_description(self) -> AllocationDescription: ...
    def __init__(self, *, dtype: int | None = ..., shape: TensorShapeProto | Mapping[str, Any] | None = ..., allocation_description: AllocationDescription | Mapping[str, Any] | None = ...) -> None: ...

class AllocationDescription(Message):
    requested_bytes: int
    allocated_bytes: int
    allocator_name: str
    allocation_id: int
    has_single_reference: bool
    ptr: int
    def __init__(self, *, requested_bytes: int | None = ..., allocated_bytes: int | None = ..., allocator_name: str | None = ..., allocation_id: int | None = ..., has_single_reference: bool | None = ..., ptr: int | None = ...) -> None: ...

class CostGraphDef(Message):
    class Node(Message):
        class InputInfo(Message):
            preceding_node: int
            preceding_port: int
            def __init__(self, *, preceding_node: int | None = ..., preceding_port: int | None = ...) -> None: ...
        class OutputInfo(Message):
            size: int
            alias_input_port: int
            @property
            def shape(self) -> TensorShapeProto: ...
            dtype: int
            def __init__(self, *, size: int | None = ..., alias_input_port: int | None = ..., shape: TensorShapeProto | Mapping[str, Any] | None = ..., dtype: int | None = ...) -> None: ...
        name: str
        device: str
        id: int
        @property
        def input_info(self) -> RepeatedCompositeFieldContainer[CostGraphDef.Node.InputInfo]: ...
        @property
        def output_info(self) -> RepeatedCompositeFieldContainer[CostGraphDef.Node.OutputInfo]: ...
        temporary_memory_size: int
        is_final: bool
        @property
        def control_input(self) -> RepeatedScalarFieldContainer[int]: ...
        compute_cost: int
        host_temp_memory_size: int
        device_temp_memory_size: int
        persistent_memory_size: int
        compute_time: int
        memory_time: int
        device_persistent_memory_size: int
        inaccurate: bool
        def __init__(self, *, name: str | None = ..., device: str | None = ..., id: int | None = ..., input_info: Iterable[CostGraphDef.Node.InputInfo | Mapping[str, Any]] | None = ..., output_info: Iterable[CostGraphDef.Node.OutputInfo | Mapping[str, Any]] | None = ..., temporary_memory_size: int | None = ..., is_final: bool | None = ..., control_input: Iterable[int] | None = ..., compute_cost: int | None = ..., host_temp_memory_size: int | None = ..., device_temp_memory_size: int | None = ..., persistent_memory_size: int | None = ..., compute_time: int | None = ..., memory_time: int | None = ..., device_persistent_memory_size: int | None = ..., inaccurate: bool | None = ...) -> None: ...
    class AggregatedCost(Message):
        cost: float
        dimension: str
        def __init__(self, *, cost: float | None = ..., dimension: str | None = ...) -> None: ...
    @property
    def node(self) -> RepeatedCompositeFieldContainer[CostGraphDef.Node]: ...
    @property
    def cost(self) -> RepeatedCompositeFieldContainer[CostGraphDef.AggregatedCost]: ...
    def __init__(self, *, node: Iterable[CostGraphDef.Node | Mapping[str, Any]] | None = ..., cost: Iterable[CostGraphDef.AggregatedCost | Mapping[str, Any]] | None = ...) -> None: ...

class RewriterConfig(Message):
    Toggle: EnumTypeWrapper
    DEFAULT: int
    ON: int
    OFF: int
    AGGRESSIVE: int
    EXPERIMENTAL_MLIR: int
    EXPERIMENTAL_BOTH: int
    CpuLayout: EnumTypeWrapper
    NO_CONVERSION_ON_CPU: int
    NCHW_TO_NHWC: int
    NHWC_TO_NCHW: int
    NumIterationsType: EnumTypeWrapper
    DEFAULT_NUM_ITERS: int
    ONE: int
    TWO: int
    MemOptType: EnumTypeWrapper
    DEFAULT_MEM_OPT: int
    NO_MEM_OPT: int
    MANUAL: int
    SWAPPING_HEURISTICS: int
    RECOMPUTATION_HEURISTICS: int
    SCHEDULING_HEURISTICS: int
    HEURISTICS: int
    class CustomGraphOptimizer(Message):
        name: str
        @property
        def parameter_map(self) -> MessageMap[str, AttrValue]: ...
        def __init__(self, *, name: str | None = ..., parameter_map: Mapping[str, AttrValue | Mapping[str, Any]] | None = ...) -> None: ...
    layout_optimizer: int
    disable_model_pruning: bool
    constant_folding: int
    memory_optimization: int
    @property
    def auto_parallel(self) -> AutoParallelOptions: ...
    memory_optimizer_target_node_name_scope: str
    arithmetic_optimization: int
    dependency_optimization: int
    loop_optimization: int
    function_optimization: int
    debug_stripper: int
    meta_optimizer_iterations: int
    shape_optimization: int
    remapping: int
    scoped_allocator_optimization: int
    @property
    def scoped_allocator_opts(self) -> ScopedAllocatorOptions: ...
    min_graph_nodes: int
    pin_to_host_optimization: int
    disable_meta_optimizer: bool
    meta_optimizer_timeout_ms: int
    fail_on_optimizer_errors: bool
    implementation_selector: int
    auto_mixed_precision: int
    common_subgraph_elimination: int
    auto_mixed_precision_mkl: int
    experimental_disable_compressed_tensor_optimization: bool
    experimental_disable_folding_quantization_emulation: bool
    use_plugin_optimizers: int
    auto_mixed_precision_cpu: int
    experimental_conditional_code_motion: int
    auto_mixed_precision_onednn_bfloat16: int
    disable_tfg_optimizer: bool
    cpu_layout_conversion: int
    @property
    def optimizers(self) -> RepeatedScalarFieldContainer[str]: ...
    @property
    def custom_optimizers(self) -> RepeatedCompositeFieldContainer[RewriterConfig.CustomGraphOptimizer]: ...
    @property
    def inter_optimizer_verifier_config(self) -> VerifierConfig: ...
    @property
    def post_optimization_verifier_config(self) -> VerifierConfig: ...
    def __init__(self, *, layout_optimizer: int | None = ..., disable_model_pruning: bool | None = ..., constant_folding: int | None = ..., memory_optimization: int | None = ..., auto_parallel: AutoParallelOptions | Mapping[str, Any] | None = ..., memory_optimizer_target_node_name_scope: str | None = ..., arithmetic_optimization: int | None = ..., dependency_optimization: int | None = ..., loop_optimization: int | None = ..., function_optimization: int | None = ..., debug_stripper: int | None = ..., meta_optimizer_iterations: int | None = ..., shape_optimization: int | None = ..., remapping: int | None = ..., scoped_allocator_optimization: int | None = ..., scoped_allocator_opts: ScopedAllocatorOptions | Mapping[str, Any] | None = ..., min_graph_nodes: int | None = ..., pin_to_host_optimization: int | None = ..., disable_meta_optimizer: bool | None = ..., meta_optimizer_timeout_ms: int | None = ..., fail_on_optimizer_errors: bool | None = ..., implementation_selector: int | None = ..., auto_mixed_precision: int | None = ..., common_subgraph_elimination: int | None = ..., auto_mixed_precision_mkl: int | None = ..., experimental_disable_compressed_tensor_optimization: bool | None = ..., experimental_disable_folding_quantization_emulation: bool | None = ..., use_plugin_optimizers: int | None = ..., auto_mixed_precision_cpu: int | None = ..., experimental_conditional_code_motion: int | None = ..., auto_mixed_precision_onednn_bfloat16: int | None = ..., disable_tfg_optimizer: bool | None = ..., cpu_layout_conversion: int | None = ..., optimizers: Iterable[str] | None = ..., custom_optimizers: Iterable[RewriterConfig.CustomGraphOptimizer | Mapping[str, Any]] | None = ..., inter_optimizer_verifier_config: VerifierConfig | Mapping[str, Any] | None = ..., post_optimization_verifier_config: VerifierConfig | Mapping[str, Any] | None = ...) -> None: ...

class AutoParallelOptions(Message):
    enable: bool
    num_replicas: int
    def __init__(self, *, enable: bool | None = ..., num_replicas: int | None = ...) -> None: ...

class ScopedAllocatorOptions(Message):
    @property
    def enable_op(self) -> RepeatedScalarFieldContainer[str]: ...
    def __init__(self, *, enable_op: Iterable[str] | None = ...) -> None: ...

class VerifierConfig(Message):
    Toggle: EnumTypeWrapper
    DEFAULT: int
    ON: int
    OFF: int
    verification_timeout_in_ms: int
    structure_verifier: int
    def __init__(self, *, verification_timeout_in_ms: int | None = ..., structure_verifier: int | None = ...) -> None: ...

class RPCOptions(Message):
    use_rpc_for_inprocess_master: bool
    compression_algorithm: str
    compression_level: int
    cache_rpc_response: bool
    disable_session_connection_sharing: bool
    num_channels_per_target: int
    def __init__(self, *, use_rpc_for_inprocess_master: bool | None = ..., compression_algorithm: str | None = ..., compression_level: int | None = ..., cache_rpc_response: bool | None = ..., disable_session_connection_sharing: bool | None = ..., num_channels_per_target: int | None = ...) -> None: ...

class ClusterDef(Message):
    @property
    def job(self) -> RepeatedCompositeFieldContainer[JobDef]: ...
    def __init__(self, *, job: Iterable[JobDef | Mapping[str, Any]] | None = ...) -> None: ...

class JobDef(Message):
    name: str
    @property
    def tasks(self) -> ScalarMap[int, str]: ...
    def __init__(self, *, name: str | None = ..., tasks: Mapping[int, str] | None = ...) -> None: ...

class CoordinationServiceConfig(Message):
    service_type: str
    service_leader: str
    enable_health_check: bool
    cluster_register_timeout_in_ms: int
    heartbeat_timeout_in_ms: int
    shutdown_barrier_timeout_in_ms: int
    agent_destruction_without_shutdown: bool
    @property
    def recoverable_jobs(self) -> RepeatedScalarFieldContainer[str]: ...
    @property
    def coordinated_job_list(self) -> RepeatedCompositeFieldContainer[CoordinatedJob]: ...
    allow_new_incarnation_to_reconnect: bool
    force_disable: bool
    poll_for_error_from_service_at_startup: bool
    cluster_register_with_barrier: bool
    def __init__(self, *, service_type: str | None = ..., service_leader: str | None = ..., enable_health_check: bool | None = ..., cluster_register_timeout_in_ms: int | None = ..., heartbeat_timeout_in_ms: int | None = ..., shutdown_barrier_timeout_in_ms: int | None = ..., agent_destruction_without_shutdown: bool | None = ..., recoverable_jobs: Iterable[str] | None = ..., coordinated_job_list: Iterable[CoordinatedJob | Mapping[str, Any]] | None = ..., allow_new_incarnation_to_reconnect: bool | None = ..., force_disable: bool | None = ..., poll_for_error_from_service_at_startup: bool | None = ..., cluster_register_with_barrier: bool | None = ...) -> None: ...

class CoordinatedJob(Message):
    name: str
    num_tasks: int
    def __init__(self, *, name: str | None = ..., num_tasks: int | None = ...) -> None: ...

class DebugOptions(Message):
    @property
    def debug_tensor_watch_opts(self) -> RepeatedCompositeFieldContainer[DebugTensorWatch]: ...
    global_step: int
    reset_disk_byte_usage: bool
    def __init__(self, *, debug_tensor_watch_opts: Iterable[DebugTensorWatch | Mapping[str, Any]] | None = ..., global_step: int | None = ..., reset_disk_byte_usage: bool | None = ...) -> None: ...

class DebugTensorWatch(Message):
    node_name: str
    output_slot: int
    @property
    def debug_ops(self) -> RepeatedScalarFieldContainer[str]: ...
    @property
    def debug_urls(self) -> RepeatedScalarFieldContainer[str]: ...
    tolerate_debug_op_creation_failures: bool
    def __init__(self, *, node_name: str | None = ..., output_slot: int | None = ..., debug_ops: Iterable[str] | None = ..., debug_urls: Iterable[str] | None = ..., tolerate_debug_op_creation_failures: bool | None = ...) -> None: ...

class ServerDef(Message):
    @property
    def cluster(self) -> ClusterDef: ...
    job_name: str
    task_index: int
    @property
    def default_session_config(self) -> ConfigProto: ...
    protocol: str
    port: int
    @property
    def cluster_device_filters(self) -> ClusterDeviceFilters: ...
    replica: int
    def __init__(self, *, cluster: ClusterDef | Mapping[str, Any] | None = ..., job_name: str | None = ..., task_index: int | None = ..., default_session_config: ConfigProto | Mapping[str, Any] | None = ..., protocol: str | None = ..., port: int | None = ..., cluster_device_filters: ClusterDeviceFilters | Mapping[str, Any] | None = ..., replica: int | None = ...) -> None: ...

class ClusterDeviceFilters(Message):
    @property
    def jobs(self) -> RepeatedCompositeFieldContainer[JobDeviceFilters]: ...
    def __init__(self, *, jobs: Iterable[JobDeviceFilters | Mapping[str, Any]] | None = ...) -> None: ...

class JobDeviceFilters(Message):
    name: str
    @property
    def tasks(self) -> MessageMap[int, TaskDeviceFilters]: ...
    def __init__(self, *, name: str | None = ..., tasks: Mapping[int, TaskDeviceFilters | Mapping[str, Any]] | None = ...) -> None: ...

class TaskDeviceFilters(Message):
    @property
    def device_filters(self) -> RepeatedScalarFieldContainer[str]: ...
    def __init__(self, *, device_filters: Iterable[str] | None = ...) -> None: ...

class InterconnectLink(Message):
    device_id: int
    type: str
    strength: int
    def __init__(self, *, device_id: int | None = ..., type: str | None = ..., strength: int | None = ...) -> None: ...

class LocalLinks(Message):
    @property
    def link(self) -> RepeatedCompositeFieldContainer[InterconnectLink]: ...
    def __init__(self, *, link: Iterable[InterconnectLink | Mapping[str, Any]] | None = ...) -> None: ...

class DeviceLocality(Message):
    bus_id: int
    numa_node: int
    @property
    def links(self) -> LocalLinks: ...
    def __init__(self, *, bus_id: int | None = ..., numa_node: int | None = ..., links: LocalLinks | Mapping[str, Any] | None = ...) -> None: ...

class DeviceAttributes(Message):
    name: str
    device_type: str
    memory_limit: int
    @property
    def locality(self) -> DeviceLocality: ...
    incarnation: int
    physical_device_desc: str
    xla_global_id: int
    def __init__(self, *, name: str | None = ..., device_type: str | None = ..., memory_limit: int | None = ..., locality: DeviceLocality | Mapping[str, Any] | None = ..., incarnation: int | None = ..., physical_device_desc: str | None = ..., xla_global_id: int | None = ...) -> None: ...

class EntryValue(Message):
    double_value: float
    string_value: str
    def __init__(self, *, double_value: float | None = ..., string_value: str | None = ...) -> None: ...

class MetricEntry(Message):
    class Bound(Message):
        value: float
        def __init__(self, *, value: float | None = ...) -> None: ...
    name: str
    value: float
    @property
    def min_value(self) -> MetricEntry.Bound: ...
    @property
    def max_value(self) -> MetricEntry.Bound: ...
    def __init__(self, *, name: str | None = ..., value: float | None = ..., min_value: MetricEntry.Bound | Mapping[str, Any] | None = ..., max_value: MetricEntry.Bound | Mapping[str, Any] | None = ...) -> None: ...

class BenchmarkEntry(Message):
    name: str
    iters: int
    cpu_time: float
    wall_time: float
    throughput: float
    @property
    def extras(self) -> MessageMap[str, EntryValue]: ...
    @property
    def metrics(self) -> RepeatedCompositeFieldContainer[MetricEntry]: ...
    def __init__(self, *, name: str | None = ..., iters: int | None = ..., cpu_time: float | None = ..., wall_time: float | None = ..., throughput: float | None = ..., extras: Mapping[str, EntryValue | Mapping[str, Any]] | None = ..., metrics: Iterable[MetricEntry | Mapping[str, Any]] | None = ...) -> None: ...

class BenchmarkEntries(Message):
    @property
    def entry(self) -> RepeatedCompositeFieldContainer[BenchmarkEntry]: ...
    def __init__(self, *, entry: Iterable[BenchmarkEntry | Mapping[str, Any]] | None = ...) -> None: ...

class SavedModel(Message):
    saved_model_schema_version: int
    @property
    def meta_graphs(self) -> RepeatedCompositeFieldContainer[MetaGraphDef]: ...
    def __init__(self, *, saved_model_schema_version: int | None = ..., meta_graphs: Iterable[MetaGraphDef | Mapping[str, Any]] | None = ...) -> None: ...

class MetaGraphDef(Message):
    class MetaInfoDef(Message):
        meta_graph_version: str
        @property
        def stripped_op_list(self) -> OpList: ...
        @property
        def any_info(self) -> _Any: ...
        @property
        def tags(self) -> RepeatedScalarFieldContainer[str]: ...
        tensorflow_version: str
        tensorflow_git_version: str
        stripped_default_attrs: bool
        @property
        def function_aliases(self) -> ScalarMap[str, str]: ...
        def __init__(self, *, meta_graph_version: str | None = ..., stripped_op_list: OpList | Mapping[str, Any] | None = ..., any_info: _Any | Mapping[str, Any] | None = ..., tags: Iterable[str] | None = ..., tensorflow_version: str | None = ..., tensorflow_git_version: str | None = ..., stripped_default_attrs: bool | None = ..., function_aliases: Mapping[str, str] | None = ...) -> None: ...
    @property
    def meta_info_def(self) -> MetaGraphDef.MetaInfoDef: ...
    @property
    def graph_def(self) -> GraphDef: ...
    @property
    def saver_def(self) -> SaverDef: ...
    @property
    def collection_def(self) -> MessageMap[str, CollectionDef]: ...
    @property
    def signature_def(self) -> MessageMap[str, SignatureDef]: ...
    @property
    def asset_file_def(self) -> RepeatedCompositeFieldContainer[AssetFileDef]: ...
    @property
    def object_graph_def(self) -> SavedObjectGraph: ...
    def __init__(self, *, meta_info_def: MetaGraphDef.MetaInfoDef | Mapping[str, Any] | None = ..., graph_def: GraphDef | Mapping[str, Any] | None = ..., saver_def: SaverDef | Mapping[str, Any] | None = ..., collection_def: Mapping[str, CollectionDef | Mapping[str, Any]] | None = ..., signature_def: Mapping[str, SignatureDef | Mapping[str, Any]] | None = ..., asset_file_def: Iterable[AssetFileDef | Mapping[str, Any]] | None = ..., object_graph_def: SavedObjectGraph | Mapping[str, Any] | None = ...) -> None: ...

class AssetFileDef(Message):
    @property
    def tensor_info(self) -> TensorInfo: ...
    filename: str
    def __init__(self, *, tensor_info: TensorInfo | Mapping[str, Any] | None = ..., filename: str | None = ...) -> None: ...

class TensorInfo(Message):
    class CooSparse(Message):
        values_tensor_name: str
        indices_tensor_name: str
        dense_shape_tensor_name: str
        def __init__(self, *, values_tensor_name: str | None = ..., indices_tensor_name: str | None = ..., dense_shape_tensor_name: str | None = ...) -> None: ...
    class CompositeTensor(Message):
        @property
        def type_spec(self) -> TypeSpecProto: ...
        @property
        def components(self) -> RepeatedCompositeFieldContainer[TensorInfo]: ...
        def __init__(self, *, type_spec: TypeSpecProto | Mapping[str, Any] | None = ..., components: Iterable[TensorInfo | Mapping[str, Any]] | None = ...) -> None: ...
    name: str
    @property
    def coo_sparse(self) -> TensorInfo.CooSparse: ...
    @property
    def composite_tensor(self) -> TensorInfo.CompositeTensor: ...
    dtype: int
    @property
    def tensor_shape(self) -> TensorShapeProto: ...
    def __init__(self, *, name: str | None = ..., coo_sparse: TensorInfo.CooSparse | Mapping[str, Any] | None = ..., composite_tensor: TensorInfo.CompositeTensor | Mapping[str, Any] | None = ..., dtype: int | None = ..., tensor_shape: TensorShapeProto | Mapping[str, Any] | None = ...) -> None: ...

class CollectionDef(Message):
    class NodeList(Message):
        @property
        def value(self) -> RepeatedScalarFieldContainer[str]: ...
        def __init__(self, *, value: Iterable[str] | None = ...) -> None: ...
    class BytesList(Message):
        @property
        def value(self) -> RepeatedScalarFieldContainer[bytes]: ...
        def __init__(self, *, value: Iterable[bytes] | None = ...) -> None: ...
    class Int64List(Message):
        @property
        def value(self) -> RepeatedScalarFieldContainer[int]: ...
        def __init__(self, *, value: Iterable[int] | None = ...) -> None: ...
    class FloatList(Message):
        @property
        def value(self) -> RepeatedScalarFieldContainer[float]: ...
        def __init__(self, *, value: Iterable[float] | None = ...) -> None: ...
    class AnyList(Message):
        @property
        def value(self) -> RepeatedCompositeFieldContainer[_Any]: ...
        def __init__(self, *, value: Iterable[_Any | Mapping[str, Any]] | None = ...) -> None: ...
    @property
    def node_list(self) -> CollectionDef.NodeList: ...
    @property
    def bytes_list(self) -> CollectionDef.BytesList: ...
    @property
    def int64_list(self) -> CollectionDef.Int64List: ...
    @property
    def float_list(self) -> CollectionDef.FloatList: ...
    @property
    def any_list(self) -> CollectionDef.AnyList: ...
    def __init__(self, *, node_list: CollectionDef.NodeList | Mapping[str, Any] | None = ..., bytes_list: CollectionDef.BytesList | Mapping[str, Any] | None = ..., int64_list: CollectionDef.Int64List | Mapping[str, Any] | None = ..., float_list: CollectionDef.FloatList | Mapping[str, Any] | None = ..., any_list: CollectionDef.AnyList | Mapping[str, Any] | None = ...) -> None: ...

class SignatureDef(Message):
    @property
    def inputs(self) -> MessageMap[str, TensorInfo]: ...
    @property
    def outputs(self) -> MessageMap[str, TensorInfo]: ...
    method_name: str
    @property
    def defaults(self) -> MessageMap[str, TensorProto]: ...
    def __init__(self, *, inputs: Mapping[str, TensorInfo | Mapping[str, Any]] | None = ..., outputs: Mapping[str, TensorInfo | Mapping[str, Any]] | None = ..., method_name: str | None = ..., defaults: Mapping[str, TensorProto | Mapping[str, Any]] | None = ...) -> None: ...

class SaverDef(Message):
    CheckpointFormatVersion: EnumTypeWrapper
    LEGACY: int
    V1: int
    V2: int
    filename_tensor_name: str
    save_tensor_name: str
    restore_op_name: str
    max_to_keep: int
    sharded: bool
    keep_checkpoint_every_n_hours: float
    version: int
    def __init__(self, *, filename_tensor_name: str | None = ..., save_tensor_name: str | None = ..., restore_op_name: str | None = ..., max_to_keep: int | None = ..., sharded: bool | None = ..., keep_checkpoint_every_n_hours: float | None = ..., version: int | None = ...) -> None: ...

class TypeSpecProto(Message):
    TypeSpecClass: EnumTypeWrapper
    UNKNOWN: int
    SPARSE_TENSOR_SPEC: int
    INDEXED_SLICES_SPEC: int
    RAGGED_TENSOR_SPEC: int
    TENSOR_ARRAY_SPEC: int
    DATA_DATASET_SPEC: int
    DATA_ITERATOR_SPEC: int
    OPTIONAL_SPEC: int
    PER_REPLICA_SPEC: int
    VARIABLE_SPEC: int
    ROW_PARTITION_SPEC: int
    REGISTERED_TYPE_SPEC: int
    EXTENSION_TYPE_SPEC: int
    type_spec_class: int
    @property
    def type_state(self) -> StructuredValue: ...
    type_spec_class_name: str
    num_flat_components: int
    def __init__(self, *, type_spec_class: int | None = ..., type_state: StructuredValue | Mapping[str, Any] | None = ..., type_spec_class_name: str | None = ..., num_flat_components: int | None = ...) -> None: ...

class StructuredValue(Message):
    @property
    def none_value(self) -> NoneValue: ...
    float64_value: float
    int64_value: int
    string_value: str
    bool_value: bool
    @property
    def tensor_shape_value(self) -> TensorShapeProto: ...
    tensor_dtype_value: int
    @property
    def tensor_spec_value(self) -> TensorSpecProto: ...
    @property
    def type_spec_value(self) -> TypeSpecProto: ...
    @property
    def bounded_tensor_spec_value(self) -> BoundedTensorSpecProto: ...
    @property
    def list_value(self) -> ListValue: ...
    @property
    def tuple_value(self) -> TupleValue: ...
    @property
    def dict_value(self) -> DictValue: ...
    @property
    def named_tuple_value(self) -> NamedTupleValue: ...
    @property
    def tensor_value(self) -> TensorProto: ...
    @property
    def numpy_value(self) -> TensorProto: ...
    def __init__(self, *, none_value: NoneValue | Mapping[str, Any] | None = ..., float64_value: float | None = ..., int64_value: int | None = ..., string_value: str | None = ..., bool_value: bool | None = ..., tensor_shape_value: TensorShapeProto | Mapping[str, Any] | None = ..., tensor_dtype_value: int | None = ..., tensor_spec_value: TensorSpecProto | Mapping[str, Any] | None = ..., type_spec_value: TypeSpecProto | Mapping[str, Any] | None = ..., bounded_tensor_spec_value: BoundedTensorSpecProto | Mapping[str, Any] | None = ..., list_value: ListValue | Mapping[str, Any] | None = ..., tuple_value: TupleValue | Mapping[str, Any] | None = ..., dict_value: DictValue | Mapping[str, Any] | None = ..., named_tuple_value: NamedTupleValue | Mapping[str, Any] | None = ..., tensor_value: TensorProto | Mapping[str, Any] | None = ..., numpy_value: TensorProto | Mapping[str, Any] | None = ...) -> None: ...

class NoneValue(Message):
    def __init__(self, ) -> None: ...

class TensorSpecProto(Message):
    name: str
    @property
    def shape(self) -> TensorShapeProto: ...
    dtype: int
    def __init__(self, *, name: str | None = ..., shape: TensorShapeProto | Mapping[str, Any] | None = ..., dtype: int | None = ...) -> None: ...

class BoundedTensorSpecProto(Message):
    name: str
    @property
    def shape(self) -> TensorShapeProto: ...
    dtype: int
    @property
    def minimum(self) -> TensorProto: ...
    @property
    def maximum(self) -> TensorProto: ...
    def __init__(self, *, name: str | None = ..., shape: TensorShapeProto | Mapping[str, Any] | None = ..., dtype: int | None = ..., minimum: TensorProto | Mapping[str, Any] | None = ..., maximum: TensorProto | Mapping[str, Any] | None = ...) -> None: ...

class ListValue(Message):
    @property
    def values(self) -> RepeatedCompositeFieldContainer[StructuredValue]: ...
    def __init__(self, *, values: Iterable[StructuredValue | Mapping[str, Any]] | None = ...) -> None: ...

class TupleValue(Message):
    @property
    def values(self) -> RepeatedCompositeFieldContainer[StructuredValue]: ...
    def __init__(self, *, values: Iterable[StructuredValue | Mapping[str, Any]] | None = ...) -> None: ...

class DictValue(Message):
    @property
    def fields(self) -> MessageMap[str, StructuredValue]: ...
    def __init__(self, *, fields: Mapping[str, StructuredValue | Mapping[str, Any]] | None = ...) -> None: ...

class NamedTupleValue(Message):
    name: str
    @property
    def values(self) -> RepeatedCompositeFieldContainer[PairValue]: ...
    def __init__(self, *, name: str | None = ..., values: Iterable[PairValue | Mapping[str, Any]] | None = ...) -> None: ...

class PairValue(Message):
    key: str
    @property
    def value(self) -> StructuredValue: ...
    def __init__(self, *, key: str | None = ..., value: StructuredValue | Mapping[str, Any] | None = ...) -> None: ...

class SavedObjectGraph(Message):
    @property
    def nodes(self) -> RepeatedCompositeFieldContainer[SavedObject]: ...
    @property
    def concrete_functions(self) -> MessageMap[str, SavedConcreteFunction]: ...
    def __init__(self, *, nodes: Iterable[SavedObject | Mapping[str, Any]] | None = ..., concrete_functions: Mapping[str, SavedConcreteFunction | Mapping[str, Any]] | None = ...) -> None: ...

class SavedObject(Message):
    @property
    def children(self) -> RepeatedCompositeFieldContainer[TrackableObjectGraph.TrackableObject.ObjectReference]: ...
    @property
    def slot_variables(self) -> RepeatedCompositeFieldContainer[TrackableObjectGraph.TrackableObject.SlotVariableReference]: ...
    @property
    def user_object(self) -> SavedUserObject: ...
    @property
    def asset(self) -> SavedAsset: ...
    @property
    def function(self) -> SavedFunction: ...
    @property
    def variable(self) -> SavedVariable: ...
    @property
    def bare_concrete_function(self) -> SavedBareConcreteFunction: ...
    @property
    def constant(self) -> SavedConstant: ...
    @property
    def resource(self) -> SavedResource: ...
    @property
    def captured_tensor(self) -> CapturedTensor: ...
    @property
    def saveable_objects(self) -> MessageMap[str, SaveableObject]: ...
    registered_name: str
    @property
    def serialized_user_proto(self) -> _Any: ...
    @property
    def dependencies(self) -> RepeatedCompositeFieldContainer[TrackableObjectGraph.TrackableObject.ObjectReference]: ...
    registered_saver: str
    def __init__(self, *, children: Iterable[TrackableObjectGraph.TrackableObject.ObjectReference | Mapping[str, Any]] | None = ..., slot_variables: Iterable[TrackableObjectGraph.TrackableObject.SlotVariableReference | Mapping[str, Any]] | None = ..., user_object: SavedUserObject | Mapping[str, Any] | None = ..., asset: SavedAsset | Mapping[str, Any] | None = ..., function: SavedFunction | Mapping[str, Any] | None = ..., variable: SavedVariable | Mapping[str, Any] | None = ..., bare_concrete_function: SavedBareConcreteFunction | Mapping[str, Any] | None = ..., constant: SavedConstant | Mapping[str, Any] | None = ..., resource: SavedResource | Mapping[str, Any] | None = ..., captured_tensor: CapturedTensor | Mapping[str, Any] | None = ..., saveable_objects: Mapping[str, SaveableObject | Mapping[str, Any]] | None = ..., registered_name: str | None = ..., serialized_user_proto: _Any | Mapping[str, Any] | None = ..., dependencies: Iterable[TrackableObjectGraph.TrackableObject.ObjectReference | Mapping[str, Any]] | None = ..., registered_saver: str | None = ...) -> None: ...

class SavedUserObject(Message):
    identifier: str
    @property
    def version(self) -> VersionDef: ...
    metadata: str
    def __init__(self, *, identifier: str | None = ..., version: VersionDef | Mapping[str, Any] | None = ..., metadata: str | None = ...) -> None: ...

class SavedAsset(Message):
    asset_file_def_index: int
    def __init__(self, *, asset_file_def_index: int | None = ...) -> None: ...

class SavedFunction(Message):
    @property
    def concrete_functions(self) -> RepeatedScalarFieldContainer[str]: ...
    @property
    def function_spec(self) -> FunctionSpec: ...
    def __init__(self, *, concrete_functions: Iterable[str] | None = ..., function_spec: FunctionSpec | Mapping[str, Any] | None = ...) -> None: ...

class FunctionSpec(Message):
    JitCompile: EnumTypeWrapper
    DEFAULT: int
    ON: int
    OFF: int
    @property
    def fullargspec(self) -> StructuredValue: ...
    is_method: bool
    @property
    def input_signature(self) -> StructuredValue: ...
    jit_compile: int
    def __init__(self, *, fullargspec: StructuredValue | Mapping[str, Any] | None = ..., is_method: bool | None = ..., input_signature: StructuredValue | Mapping[str, Any] | None = ..., jit_compile: int | None = ...) -> None: ...

class SavedVariable(Message):
    dtype: int
    @property
    def shape(self) -> TensorShapeProto: ...
    trainable: bool
    synchronization: int
    aggregation: int
    name: str
    device: str
    @property
    def experimental_distributed_variable_components(self) -> RepeatedCompositeFieldContainer[SavedVariable]: ...
    def __init__(self, *, dtype: int | None = ..., shape: TensorShapeProto | Mapping[str, Any] | None = ..., trainable: bool | None = ..., synchronization: int | None = ..., aggregation: int | None = ..., name: str | None = ..., device: str | None = ..., experimental_distributed_variable_components: Iterable[SavedVariable | Mapping[str, Any]] | None = ...) -> None: ...

class SavedBareConcreteFunction(Message):
    concrete_function_name: str
    @property
    def argument_keywords(self) -> RepeatedScalarFieldContainer[str]: ...
    allowed_positional_arguments: int
    @property
    def function_spec(self) -> FunctionSpec: ...
    def __init__(self, *, concrete_function_name: str | None = ..., argument_keywords: Iterable[str] | None = ..., allowed_positional_arguments: int | None = ..., function_spec: FunctionSpec | Mapping[str, Any] | None = ...) -> None: ...

class SavedConstant(Message):
    operation: str
    def __init__(self, *, operation: str | None = ...) -> None: ...

class SavedResource(Message):
    device: str
    def __init__(self, *, device: str | None = ...) -> None: ...

class CapturedTensor(Message):
    name: str
    concrete_function: str
    def __init__(self, *, name: str | None = ..., concrete_function: str | None = ...) -> None: ...

class SaveableObject(Message):
    save_function: int
    restore_function: int
    def __init__(self, *, save_function: int | None = ..., restore_function: int | None = ...) -> None: ...

class SavedConcreteFunction(Message):
    @property
    def bound_inputs(self) -> RepeatedScalarFieldContainer[int]: ...
    @property
    def canonicalized_input_signature(self) -> StructuredValue: ...
    @property
    def output_signature(self) -> StructuredValue: ...
    def __init__(self, *, bound_inputs: Iterable[int] | None = ..., canonicalized_input_signature: StructuredValue | Mapping[str, Any] | None = ..., output_signature: StructuredValue | Mapping[str, Any] | None = ...) -> None: ...

class FingerprintDef(Message):
    saved_model_checksum: int
    graph_def_program_hash: int
    signature_def_hash: int
    saved_object_graph_hash: int
    checkpoint_hash: int
    @property
    def version(self) -> VersionDef: ...
    uuid: str
    def __init__(self, *, saved_model_checksum: int | None = ..., graph_def_program_hash: int | None = ..., signature_def_hash: int | None = ..., saved_object_graph_hash: int | None = ..., checkpoint_hash: int | None = ..., version: VersionDef | Mapping[str, Any] | None = ..., uuid: str | None = ...) -> None: ...
DataClass: EnumTypeWrapper
DATA_CLASS_UNKNOWN: int
DATA_CLASS_SCALAR: int
DATA_CLASS_TENSOR: int
DATA_CLASS_BLOB_SEQUENCE: int

class Event(Message):
    wall_time: float
    step: int
    file_version: str
    graph_def: bytes
    @property
    def summary(self) -> Summary: ...
    @property
    def log_message(self) -> LogMessage: ...
    @property
    def session_log(self) -> SessionLog: ...
    @property
    def tagged_run_metadata(self) -> TaggedRunMetadata: ...
    meta_graph_def: bytes
    @property
    def source_metadata(self) -> SourceMetadata: ...
    def __init__(self, *, wall_time: float | None = ..., step: int | None = ..., file_version: str | None = ..., graph_def: bytes | None = ..., summary: Summary | Mapping[str, Any] | None = ..., log_message: LogMessage | Mapping[str, Any] | None = ..., session_log: SessionLog | Mapping[str, Any] | None = ..., tagged_run_metadata: TaggedRunMetadata | Mapping[str, Any] | None = ..., meta_graph_def: bytes | None = ..., source_metadata: SourceMetadata | Mapping[str, Any] | None = ...) -> None: ...

class LogMessage(Message):
    Level: EnumTypeWrapper
    UNKNOWN: int
    DEBUGGING: int
    INFO: int
    WARN: int
    ERROR: int
    FATAL: int
    level: int
    message: str
    def __init__(self, *, level: int | None = ..., message: str | None = ...) -> None: ...

class SessionLog(Message):
    SessionStatus: EnumTypeWrapper
    STATUS_UNSPECIFIED: int
    START: int
    STOP: int
    CHECKPOINT: int
    status: int
    checkpoint_path: str
    msg: str
    def __init__(self, *, status: int | None = ..., checkpoint_path: str | None = ..., msg: str | None = ...) -> None: ...

class TaggedRunMetadata(Message):
    tag: str
    run_metadata: bytes
    def __init__(self, *, tag: str | None = ..., run_metadata: bytes | None = ...) -> None: ...

class SourceMetadata(Message):
    writer: str
    def __init__(self, *, writer: str | None = ...) -> None: ...

class Summary(Message):
    class Image(Message):
        height: int
        width: int
        colorspace: int
        encoded_image_string: bytes
        def __init__(self, *, height: int | None = ..., width: int | None = ..., colorspace: int | None = ..., encoded_image_string: bytes | None = ...) -> None: ...
    class Audio(Message):
        sample_rate: float
        num_channels: int
        length_frames: int
        encoded_audio_string: bytes
        content_type: str
        def __init__(self, *, sample_rate: float | None = ..., num_channels: int | None = ..., length_frames: int | None = ..., encoded_audio_string: bytes | None = ..., content_type: str | None = ...) -> None: ...
    class Value(Message):
        tag: str
        simple_value: float
        obsolete_old_style_histogram: bytes
        @property
        def image(self) -> Summary.Image: ...
        @property
        def histo(self) -> HistogramProto: ...
        @property
        def audio(self) -> Summary.Audio: ...
        @property
        def tensor(self) -> TensorProto: ...
        node_name: str
        @property
        def metadata(self) -> SummaryMetadata: ...
        def __init__(self, *, tag: str | None = ..., simple_value: float | None = ..., obsolete_old_style_histogram: bytes | None = ..., image: Summary.Image | Mapping[str, Any] | None = ..., histo: HistogramProto | Mapping[str, Any] | None = ..., audio: Summary.Audio | Mapping[str, Any] | None = ..., tensor: TensorProto | Mapping[str, Any] | None = ..., node_name: str | None = ..., metadata: SummaryMetadata | Mapping[str, Any] | None = ...) -> None: ...
    @property
    def value(self) -> RepeatedCompositeFieldContainer[Summary.Value]: ...
    def __init__(self, *, value: Iterable[Summary.Value | Mapping[str, Any]] | None = ...) -> None: ...

class SummaryMetadata(Message):
    class PluginData(Message):
        plugin_name: str
        content: bytes
        def __init__(self, *, plugin_name: str | None = ..., content: bytes | None = ...) -> None: ...
    @property
    def plugin_data(self) -> SummaryMetadata.PluginData: ...
    display_name: str
    summary_description: str
    data_class: int
    def __init__(self, *, plugin_data: SummaryMetadata.PluginData | Mapping[str, Any] | None = ..., display_name: str | None = ..., summary_description: str | None = ..., data_class: int | None = ...) -> None: ...

class HistogramProto(Message):
    min: float
    max: float
    num: float
    sum: float
    sum_squares: float
    @property
    def bucket_limit(self) -> RepeatedScalarFieldContainer[float]: ...
    @property
    def bucket(self) -> RepeatedScalarFieldContainer[float]: ...
    def __init__(self, *, min: float | None = ..., max: float | None = ..., num: float | None = ..., sum: float | None = ..., sum_squares: float | None = ..., bucket_limit: Iterable[float] | None = ..., bucket: Iterable[float] | None = ...) -> None: ...
RandomAlgorithm: EnumTypeWrapper
RNG_DEFAULT: int
RNG_THREE_FRY: int
RNG_PHILOX: int

class ConvolutionDimensionNumbers(Message):
    kernel_input_feature_dimension: int
    kernel_output_feature_dimension: int
    @property
    def kernel_spatial_dimensions(self) -> RepeatedScalarFieldContainer[int]: ...
    input_batch_dimension: int
    input_feature_dimension: int
    output_batch_dimension: int
    output_feature_dimension: int
    @property
    def input_spatial_dimensions(self) -> RepeatedScalarFieldContainer[int]: ...
    @property
    def output_spatial_dimensions(self) -> RepeatedScalarFieldContainer[int]: ...
    def __init__(self, *, kernel_input_feature_dimension: int | None = ..., kernel_output_feature_dimension: int | None = ..., kernel_spatial_dimensions: Iterable[int] | None = ..., input_batch_dimension: int | None = ..., input_feature_dimension: int | None = ..., output_batch_dimension: int | None = ..., output_feature_dimension: int | None = ..., input_spatial_dimensions: Iterable[int] | None = ..., output_spatial_dimensions: Iterable[int] | None = ...) -> None: ...

class DotDimensionNumbers(Message):
    @property
    def lhs_contracting_dimensions(self) -> RepeatedScalarFieldContainer[int]: ...
    @property
    def rhs_contracting_dimensions(self) -> RepeatedScalarFieldContainer[int]: ...
    @property
    def lhs_batch_dimensions(self) -> RepeatedScalarFieldContainer[int]: ...
    @property
    def rhs_batch_dimensions(self) -> RepeatedScalarFieldContainer[int]: ...
    def __init__(self, *, lhs_contracting_dimensions: Iterable[int] | None = ..., rhs_contracting_dimensions: Iterable[int] | None = ..., lhs_batch_dimensions: Iterable[int] | None = ..., rhs_batch_dimensions: Iterable[int] | None = ...) -> None: ...

class GatherDimensionNumbers(Message):
    @property
    def offset_dims(self) -> RepeatedScalarFieldContainer[int]: ...
    @property
    def collapsed_slice_dims(self) -> RepeatedScalarFieldContainer[int]: ...
    @property
    def start_index_map(self) -> RepeatedScalarFieldContainer[int]: ...
    index_vector_dim: int
    @property
    def operand_batching_dims(self) -> RepeatedScalarFieldContainer[int]: ...
    @property
    def start_indices_batching_dims(self) -> RepeatedScalarFieldContainer[int]: ...
    def __init__(self, *, offset_dims: Iterable[int] | None = ..., collapsed_slice_dims: Iterable[int] | None = ..., start_index_map: Iterable[int] | None = ..., index_vector_dim: int | None = ..., operand_batching_dims: Iterable[int] | None = ..., start_indices_batching_dims: Iterable[int] | None = ...) -> None: ...

class ScatterDimensionNumbers(Message):
    @property
    def update_window_dims(self) -> RepeatedScalarFieldContainer[int]: ...
    @property
    def inserted_window_dims(self) -> RepeatedScalarFieldContainer[int]: ...
    @property
    def scatter_dims_to_operand_dims(self) -> RepeatedScalarFieldContainer[int]: ...
    index_vector_dim: int
    @property
    def input_batching_dims(self) -> RepeatedScalarFieldContainer[int]: ...
    @property
    def scatter_indices_batching_dims(self) -> RepeatedScalarFieldContainer[int]: ...
    def __init__(self, *, update_window_dims: Iterable[int] | None = ..., inserted_window_dims: Iterable[int] | None = ..., scatter_dims_to_operand_dims: Iterable[int] | None = ..., index_vector_dim: int | None = ..., input_batching_dims: Iterable[int] | None = ..., scatter_indices_batching_dims: Iterable[int] | None = ...) -> None: ...

class PrecisionConfig(Message):
    Precision: EnumTypeWrapper
    DEFAULT: int
    HIGH: int
    HIGHEST: int
    Algorithm: EnumTypeWrapper
    ALG_UNSET: int
    ALG_DOT_ANY_F8_ANY_F8_F32: int
    ALG_DOT_ANY_F8_ANY_F8_F32_FAST_ACCUM: int
    ALG_DOT_F16_F16_F16: int
    ALG_DOT_F16_F16_F32: int
    ALG_DOT_BF16_BF16_BF16: int
    ALG_DOT_BF16_BF16_F32: int
    ALG_DOT_BF16_BF16_F32_X3: int
    ALG_DOT_BF16_BF16_F32_X6: int
    ALG_DOT_TF32_TF32_F32: int
    ALG_DOT_TF32_TF32_F32_X3: int
    ALG_DOT_F32_F32_F32: int
    ALG_DOT_F64_F64_F64: int
    ALG_DOT_BF16_BF16_F32_X9: int
    @property
    def operand_precision(self) -> RepeatedScalarFieldContainer[int]: ...
    algorithm: int
    def __init__(self, *, operand_precision: Iterable[int] | None = ..., algorithm: int | None = ...) -> None: ...
