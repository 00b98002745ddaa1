"""`tf.compat.v1`: the names of TensorFlow 1 that programs for TensorFlow 2 still use."""

import sys as _sys
import typing as _typing

from gradtape._src.base.shapes import Dimension as Dimension
from gradtape._src.compat.compat import dimension_at_index as dimension_at_index
from gradtape._src.compat.compat import dimension_value as dimension_value
from gradtape._src.compat.compat import (
    forward_compatibility_horizon as forward_compatibility_horizon,
)
from gradtape._src.compat.compat import forward_compatible as forward_compatible
from gradtape._src.compat.compat import v1_name_scope as _name_scope
from gradtape._src.compat.contexts import executing_eagerly as executing_eagerly
from gradtape._src.compat.contexts import (
    executing_eagerly_outside_functions as executing_eagerly_outside_functions,
)
from gradtape._src.compat.v1_namespaces import shared as _shared
from gradtape._src.compat.v1_scatter import scatter_add as scatter_add
from gradtape._src.compat.v1_scatter import scatter_div as scatter_div
from gradtape._src.compat.v1_scatter import scatter_max as scatter_max
from gradtape._src.compat.v1_scatter import scatter_min as scatter_min
from gradtape._src.compat.v1_scatter import scatter_mul as scatter_mul
from gradtape._src.compat.v1_scatter import scatter_nd_add as scatter_nd_add
from gradtape._src.compat.v1_scatter import scatter_nd_sub as scatter_nd_sub
from gradtape._src.compat.v1_scatter import scatter_nd_update as scatter_nd_update
from gradtape._src.compat.v1_scatter import scatter_sub as scatter_sub
from gradtape._src.compat.v1_scatter import scatter_update as scatter_update
from gradtape._src.compute.device_spec import DeviceSpecV1 as _DeviceSpec
from gradtape._src.core.variable_creators import variable_creator_scope as variable_creator_scope
from gradtape._src.graphdef.graph_import import import_graph_def as import_graph_def
from gradtape._src.messages import protos as _protos
from gradtape._src.ops.elementwise.selection import where_v1 as _where
from gradtape._src.sessions.default_graph import disable_eager_execution as disable_eager_execution
from gradtape._src.sessions.default_graph import enable_eager_execution as enable_eager_execution
from gradtape._src.sessions.default_graph import get_default_graph as get_default_graph
from gradtape._src.sessions.default_graph import reset_default_graph as reset_default_graph
from gradtape._src.sessions.fetches import SparseTensorValue as SparseTensorValue
from gradtape._src.sessions.keys import GraphKeys as GraphKeys
from gradtape._src.sessions.monitored.readers import (
    FixedLengthRecordReader as FixedLengthRecordReader,
)
from gradtape._src.sessions.monitored.readers import IdentityReader as IdentityReader
from gradtape._src.sessions.monitored.readers import ReaderBase as ReaderBase
from gradtape._src.sessions.monitored.readers import TextLineReader as TextLineReader
from gradtape._src.sessions.monitored.readers import TFRecordReader as TFRecordReader
from gradtape._src.sessions.monitored.readers import WholeFileReader as WholeFileReader
from gradtape._src.sessions.older.arrays import batch_gather as batch_gather
from gradtape._src.sessions.older.arrays import batch_to_space as batch_to_space
from gradtape._src.sessions.older.arrays import batch_to_space_nd as batch_to_space_nd
from gradtape._src.sessions.older.arrays import boolean_mask as boolean_mask
from gradtape._src.sessions.older.arrays import constant as constant
from gradtape._src.sessions.older.arrays import convert_to_tensor as convert_to_tensor
from gradtape._src.sessions.older.arrays import (
    convert_to_tensor_or_indexed_slices as convert_to_tensor_or_indexed_slices,
)
from gradtape._src.sessions.older.arrays import (
    convert_to_tensor_or_sparse_tensor as convert_to_tensor_or_sparse_tensor,
)
from gradtape._src.sessions.older.arrays import depth_to_space as depth_to_space
from gradtape._src.sessions.older.arrays import gather as gather
from gradtape._src.sessions.older.arrays import gather_nd as gather_nd
from gradtape._src.sessions.older.arrays import ones_like as ones_like
from gradtape._src.sessions.older.arrays import pad as pad
from gradtape._src.sessions.older.arrays import reverse_sequence as reverse_sequence
from gradtape._src.sessions.older.arrays import setdiff1d as setdiff1d
from gradtape._src.sessions.older.arrays import shape as shape
from gradtape._src.sessions.older.arrays import size as size
from gradtape._src.sessions.older.arrays import space_to_batch as space_to_batch
from gradtape._src.sessions.older.arrays import space_to_depth as space_to_depth
from gradtape._src.sessions.older.arrays import transpose as transpose
from gradtape._src.sessions.older.arrays import zeros_like as zeros_like
from gradtape._src.sessions.older.assertions import assert_equal as assert_equal
from gradtape._src.sessions.older.assertions import assert_greater as assert_greater
from gradtape._src.sessions.older.assertions import assert_greater_equal as assert_greater_equal
from gradtape._src.sessions.older.assertions import assert_less as assert_less
from gradtape._src.sessions.older.assertions import assert_less_equal as assert_less_equal
from gradtape._src.sessions.older.assertions import assert_negative as assert_negative
from gradtape._src.sessions.older.assertions import assert_non_negative as assert_non_negative
from gradtape._src.sessions.older.assertions import assert_non_positive as assert_non_positive
from gradtape._src.sessions.older.assertions import assert_none_equal as assert_none_equal
from gradtape._src.sessions.older.assertions import assert_positive as assert_positive
from gradtape._src.sessions.older.control import Print as Print
from gradtape._src.sessions.older.control import case as case
from gradtape._src.sessions.older.control import colocate_with as colocate_with
from gradtape._src.sessions.older.control import container as container
from gradtape._src.sessions.older.control import device as device
from gradtape._src.sessions.older.control import foldl as foldl
from gradtape._src.sessions.older.control import foldr as foldr
from gradtape._src.sessions.older.control import map_fn as map_fn
from gradtape._src.sessions.older.control import py_func as py_func
from gradtape._src.sessions.older.control import scan as scan
from gradtape._src.sessions.older.control import tuple_ as _tuple
from gradtape._src.sessions.older.control import (
    verify_tensor_all_finite as verify_tensor_all_finite,
)
from gradtape._src.sessions.older.derivatives import gradients as gradients
from gradtape._src.sessions.older.derivatives import hessians as hessians
from gradtape._src.sessions.older.images import extract_image_patches as extract_image_patches
from gradtape._src.sessions.older.numbers import arg_max as arg_max
from gradtape._src.sessions.older.numbers import arg_min as arg_min
from gradtape._src.sessions.older.numbers import bincount as bincount
from gradtape._src.sessions.older.numbers import confusion_matrix as confusion_matrix
from gradtape._src.sessions.older.numbers import count_nonzero as count_nonzero
from gradtape._src.sessions.older.numbers import floor_div as floor_div
from gradtape._src.sessions.older.numbers import multinomial as multinomial
from gradtape._src.sessions.older.numbers import norm as norm
from gradtape._src.sessions.older.numbers import random_poisson as random_poisson
from gradtape._src.sessions.older.numbers import scalar_mul as scalar_mul
from gradtape._src.sessions.older.operations import clip_by_average_norm as clip_by_average_norm
from gradtape._src.sessions.older.operations import cond as cond
from gradtape._src.sessions.older.operations import div as div
from gradtape._src.sessions.older.operations import expand_dims as expand_dims
from gradtape._src.sessions.older.operations import get_seed as get_seed
from gradtape._src.sessions.older.operations import old_truncated_normal as _truncated_normal
from gradtape._src.sessions.older.operations import random_normal as random_normal
from gradtape._src.sessions.older.operations import random_uniform as random_uniform
from gradtape._src.sessions.older.operations import set_random_seed as set_random_seed
from gradtape._src.sessions.older.operations import sparse_placeholder as sparse_placeholder
from gradtape._src.sessions.older.operations import sparse_to_dense as sparse_to_dense
from gradtape._src.sessions.older.operations import squeeze as squeeze
from gradtape._src.sessions.older.operations import to_bfloat16 as to_bfloat16
from gradtape._src.sessions.older.operations import to_complex64 as to_complex64
from gradtape._src.sessions.older.operations import to_complex128 as to_complex128
from gradtape._src.sessions.older.operations import to_double as to_double
from gradtape._src.sessions.older.operations import to_float as to_float
from gradtape._src.sessions.older.operations import to_int32 as to_int32
from gradtape._src.sessions.older.operations import to_int64 as to_int64
from gradtape._src.sessions.older.operations import while_loop as while_loop
from gradtape._src.sessions.older.ranks import add_check_numerics_ops as add_check_numerics_ops
from gradtape._src.sessions.older.ranks import assert_integer as assert_integer
from gradtape._src.sessions.older.ranks import assert_near as assert_near
from gradtape._src.sessions.older.ranks import assert_rank as assert_rank
from gradtape._src.sessions.older.ranks import assert_rank_at_least as assert_rank_at_least
from gradtape._src.sessions.older.ranks import assert_rank_in as assert_rank_in
from gradtape._src.sessions.older.ranks import assert_scalar as assert_scalar
from gradtape._src.sessions.older.ranks import assert_type as assert_type
from gradtape._src.sessions.older.reductions import argmax as argmax
from gradtape._src.sessions.older.reductions import argmin as argmin
from gradtape._src.sessions.older.reductions import reduce_all as reduce_all
from gradtape._src.sessions.older.reductions import reduce_any as reduce_any
from gradtape._src.sessions.older.reductions import reduce_logsumexp as reduce_logsumexp
from gradtape._src.sessions.older.reductions import reduce_max as reduce_max
from gradtape._src.sessions.older.reductions import reduce_mean as reduce_mean
from gradtape._src.sessions.older.reductions import reduce_min as reduce_min
from gradtape._src.sessions.older.reductions import reduce_prod as reduce_prod
from gradtape._src.sessions.older.reductions import reduce_sum as reduce_sum
from gradtape._src.sessions.older.sparse import serialize_many_sparse as serialize_many_sparse
from gradtape._src.sessions.older.sparse import serialize_sparse as serialize_sparse
from gradtape._src.sessions.older.sparse import sparse_add as sparse_add
from gradtape._src.sessions.older.sparse import sparse_concat as sparse_concat
from gradtape._src.sessions.older.sparse import sparse_reduce_max as sparse_reduce_max
from gradtape._src.sessions.older.sparse import sparse_reduce_max_sparse as sparse_reduce_max_sparse
from gradtape._src.sessions.older.sparse import sparse_reduce_sum as sparse_reduce_sum
from gradtape._src.sessions.older.sparse import sparse_reduce_sum_sparse as sparse_reduce_sum_sparse
from gradtape._src.sessions.older.sparse import sparse_segment_mean as sparse_segment_mean
from gradtape._src.sessions.older.sparse import sparse_segment_sqrt_n as sparse_segment_sqrt_n
from gradtape._src.sessions.older.sparse import sparse_segment_sum as sparse_segment_sum
from gradtape._src.sessions.older.sparse import sparse_split as sparse_split
from gradtape._src.sessions.older.strings import decode_csv as decode_csv
from gradtape._src.sessions.older.strings import decode_raw as decode_raw
from gradtape._src.sessions.older.strings import parse_example as parse_example
from gradtape._src.sessions.older.strings import parse_single_example as parse_single_example
from gradtape._src.sessions.older.strings import reduce_join as reduce_join
from gradtape._src.sessions.older.strings import string_split as string_split
from gradtape._src.sessions.older.strings import string_to_hash_bucket as string_to_hash_bucket
from gradtape._src.sessions.older.strings import string_to_number as string_to_number
from gradtape._src.sessions.older.strings import substr as substr
from gradtape._src.sessions.older.switches import control_flow_v2_enabled as control_flow_v2_enabled
from gradtape._src.sessions.older.switches import disable_control_flow_v2 as disable_control_flow_v2
from gradtape._src.sessions.older.switches import (
    disable_resource_variables as disable_resource_variables,
)
from gradtape._src.sessions.older.switches import disable_tensor_equality as disable_tensor_equality
from gradtape._src.sessions.older.switches import disable_v2_behavior as disable_v2_behavior
from gradtape._src.sessions.older.switches import disable_v2_tensorshape as disable_v2_tensorshape
from gradtape._src.sessions.older.switches import enable_control_flow_v2 as enable_control_flow_v2
from gradtape._src.sessions.older.switches import (
    enable_resource_variables as enable_resource_variables,
)
from gradtape._src.sessions.older.switches import enable_tensor_equality as enable_tensor_equality
from gradtape._src.sessions.older.switches import enable_v2_behavior as enable_v2_behavior
from gradtape._src.sessions.older.switches import enable_v2_tensorshape as enable_v2_tensorshape
from gradtape._src.sessions.older.switches import (
    resource_variables_enabled as resource_variables_enabled,
)
from gradtape._src.sessions.placeholders import placeholder as placeholder
from gradtape._src.sessions.placeholders import placeholder_with_default as placeholder_with_default
from gradtape._src.sessions.session import InteractiveSession as InteractiveSession
from gradtape._src.sessions.session import Session as Session
from gradtape._src.sessions.session import get_default_session as get_default_session
from gradtape._src.sessions.training.get_variable import (
    create_partitioned_variables as create_partitioned_variables,
)
from gradtape._src.sessions.training.get_variable import get_local_variable as get_local_variable
from gradtape._src.sessions.training.get_variable import get_variable as get_variable
from gradtape._src.sessions.training.get_variable import make_template as make_template
from gradtape._src.sessions.training.get_variable import no_regularizer as no_regularizer
from gradtape._src.sessions.training.initializers import Constant as _constant_initializer
from gradtape._src.sessions.training.initializers import GlorotNormal as _glorot_normal_initializer
from gradtape._src.sessions.training.initializers import (
    GlorotUniform as _glorot_uniform_initializer,
)
from gradtape._src.sessions.training.initializers import Ones as _ones_initializer
from gradtape._src.sessions.training.initializers import Orthogonal as _orthogonal_initializer
from gradtape._src.sessions.training.initializers import RandomNormal as _random_normal_initializer
from gradtape._src.sessions.training.initializers import (
    RandomUniform as _random_uniform_initializer,
)
from gradtape._src.sessions.training.initializers import (
    TruncatedNormal as _truncated_normal_initializer,
)
from gradtape._src.sessions.training.initializers import (
    UniformUnitScaling as _uniform_unit_scaling_initializer,
)
from gradtape._src.sessions.training.initializers import (
    VarianceScaling as _variance_scaling_initializer,
)
from gradtape._src.sessions.training.initializers import Zeros as _zeros_initializer
from gradtape._src.sessions.training.partitioned_variables import (
    fixed_size_partitioner as fixed_size_partitioner,
)
from gradtape._src.sessions.training.partitioned_variables import (
    min_max_variable_partitioner as min_max_variable_partitioner,
)
from gradtape._src.sessions.training.partitioned_variables import (
    variable_axis_size_partitioner as variable_axis_size_partitioner,
)
from gradtape._src.sessions.training.variable_scopes import AUTO_REUSE as AUTO_REUSE
from gradtape._src.sessions.training.variable_scopes import VariableScope as VariableScope
from gradtape._src.sessions.training.variable_scopes import get_variable_scope as get_variable_scope
from gradtape._src.sessions.training.variable_scopes import variable_scope as variable_scope
from gradtape._src.sessions.training.variables import VariableV1 as _Variable
from gradtape._src.sessions.training.variables import add_to_collection as add_to_collection
from gradtape._src.sessions.training.variables import add_to_collections as add_to_collections
from gradtape._src.sessions.training.variables import all_variables as all_variables
from gradtape._src.sessions.training.variables import (
    assert_variables_initialized as assert_variables_initialized,
)
from gradtape._src.sessions.training.variables import assign as assign
from gradtape._src.sessions.training.variables import assign_add as assign_add
from gradtape._src.sessions.training.variables import assign_sub as assign_sub
from gradtape._src.sessions.training.variables import count_up_to as count_up_to
from gradtape._src.sessions.training.variables import get_collection as get_collection
from gradtape._src.sessions.training.variables import get_collection_ref as get_collection_ref
from gradtape._src.sessions.training.variables import global_variables as global_variables
from gradtape._src.sessions.training.variables import (
    global_variables_initializer as _initialize_all_variables,
)
from gradtape._src.sessions.training.variables import (
    global_variables_initializer as global_variables_initializer,
)
from gradtape._src.sessions.training.variables import initialize_all_tables as initialize_all_tables
from gradtape._src.sessions.training.variables import (
    is_variable_initialized as is_variable_initialized,
)
from gradtape._src.sessions.training.variables import local_variables as local_variables
from gradtape._src.sessions.training.variables import (
    local_variables_initializer as _initialize_local_variables,
)
from gradtape._src.sessions.training.variables import (
    local_variables_initializer as local_variables_initializer,
)
from gradtape._src.sessions.training.variables import model_variables as model_variables
from gradtape._src.sessions.training.variables import (
    moving_average_variables as moving_average_variables,
)
from gradtape._src.sessions.training.variables import (
    report_uninitialized_variables as report_uninitialized_variables,
)
from gradtape._src.sessions.training.variables import tables_initializer as tables_initializer
from gradtape._src.sessions.training.variables import trainable_variables as trainable_variables
from gradtape._src.sessions.training.variables import variables_initializer as _initialize_variables
from gradtape._src.sessions.training.variables import variables_initializer as variables_initializer
from gradtape._src.sessions.wrapped.wrapped_function import wrap_function as wrap_function
from gradtape.compat.v1 import app as app
from gradtape.compat.v1 import data as data
from gradtape.compat.v1 import debugging as debugging
from gradtape.compat.v1 import errors as errors
from gradtape.compat.v1 import flags as flags
from gradtape.compat.v1 import gfile as gfile
from gradtape.compat.v1 import graph_util as graph_util
from gradtape.compat.v1 import image as image
from gradtape.compat.v1 import initializers as initializers
from gradtape.compat.v1 import io as io
from gradtape.compat.v1 import logging as logging
from gradtape.compat.v1 import lookup as lookup
from gradtape.compat.v1 import losses as losses
from gradtape.compat.v1 import metrics as metrics
from gradtape.compat.v1 import nn as nn
from gradtape.compat.v1 import ragged as ragged
from gradtape.compat.v1 import random as random
from gradtape.compat.v1 import saved_model as saved_model
from gradtape.compat.v1 import sparse as sparse
from gradtape.compat.v1 import strings as strings
from gradtape.compat.v1 import summary as summary
from gradtape.compat.v1 import test as test
from gradtape.compat.v1 import train as train

DeviceSpec = _DeviceSpec
Variable = _Variable
constant_initializer = _constant_initializer
glorot_normal_initializer = _glorot_normal_initializer
glorot_uniform_initializer = _glorot_uniform_initializer
initialize_all_variables = _initialize_all_variables
initialize_local_variables = _initialize_local_variables
initialize_variables = _initialize_variables
name_scope = _name_scope
ones_initializer = _ones_initializer
orthogonal_initializer = _orthogonal_initializer
random_normal_initializer = _random_normal_initializer
random_uniform_initializer = _random_uniform_initializer
truncated_normal = _truncated_normal
truncated_normal_initializer = _truncated_normal_initializer
tuple = _tuple
uniform_unit_scaling_initializer = _uniform_unit_scaling_initializer
variance_scaling_initializer = _variance_scaling_initializer
where = _where
zeros_initializer = _zeros_initializer

_MESSAGES = frozenset(
    [
        "AttrValue",
        "ConfigProto",
        "Event",
        "GPUOptions",
        "GraphDef",
        "GraphOptions",
        "HistogramProto",
        "LogMessage",
        "MetaGraphDef",
        "NameAttrList",
        "NodeDef",
        "OptimizerOptions",
        "RunMetadata",
        "RunOptions",
        "SessionLog",
        "Summary",
        "SummaryMetadata",
        "TensorInfo",
    ]
)

_VERSION = frozenset(
    [
        "COMPILER_VERSION",
        "GIT_VERSION",
        "GRAPH_DEF_VERSION",
        "GRAPH_DEF_VERSION_MIN_CONSUMER",
        "GRAPH_DEF_VERSION_MIN_PRODUCER",
        "VERSION",
        "__version__",
    ]
)

if _typing.TYPE_CHECKING:  # made on first use, see __getattr__
    from gradtape._src.messages.protos import AttrValue as AttrValue
    from gradtape._src.messages.protos import ConfigProto as ConfigProto
    from gradtape._src.messages.protos import Event as Event
    from gradtape._src.messages.protos import GPUOptions as GPUOptions
    from gradtape._src.messages.protos import GraphDef as GraphDef
    from gradtape._src.messages.protos import GraphOptions as GraphOptions
    from gradtape._src.messages.protos import HistogramProto as HistogramProto
    from gradtape._src.messages.protos import LogMessage as LogMessage
    from gradtape._src.messages.protos import MetaGraphDef as MetaGraphDef
    from gradtape._src.messages.protos import NameAttrList as NameAttrList
    from gradtape._src.messages.protos import NodeDef as NodeDef
    from gradtape._src.messages.protos import OptimizerOptions as OptimizerOptions
    from gradtape._src.messages.protos import RunMetadata as RunMetadata
    from gradtape._src.messages.protos import RunOptions as RunOptions
    from gradtape._src.messages.protos import SessionLog as SessionLog
    from gradtape._src.messages.protos import Summary as Summary
    from gradtape._src.messages.protos import SummaryMetadata as SummaryMetadata
    from gradtape._src.messages.protos import TensorInfo as TensorInfo


def __getattr__(name: str) -> _typing.Any:
    if name in _MESSAGES:
        globals()[name] = found = getattr(_protos, name)
        return found
    if name == "keras":
        return _sys.modules["gradtape"].keras
    if name in _VERSION:
        return getattr(
            _sys.modules["gradtape"].version, name.strip("_").replace("version", "VERSION")
        )
    return _shared("", name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_MESSAGES, *_VERSION})
