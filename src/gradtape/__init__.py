"""TensorFlow's way of differentiating, on NumPy: `import gradtape as tf`."""

import sys as _sys
import typing as _typing
from importlib import import_module as _import_module

from gradtape._src.base import process_settings as _process_settings
from gradtape._src.compat import names as _names
from gradtape._src.compat.module_names import KERAS as _KERAS
from gradtape._src.first_use import loading as _loading
from gradtape._src.first_use.manifest import NAMES as _LATER
from gradtape._src.ops.operators import methods as _operators
from gradtape._src.ops.types import specs as _specs
from gradtape._version import tensorflow_version as _tensorflow_version

if _typing.TYPE_CHECKING:  # loaded on first use, see __getattr__
    from gradtape import __internal__ as __internal__
    from gradtape import __operators__ as __operators__
    from gradtape import audio as audio
    from gradtape import autodiff as autodiff
    from gradtape import autograph as autograph
    from gradtape import bitwise as bitwise
    from gradtape import compat as compat
    from gradtape import config as config
    from gradtape import data as data
    from gradtape import debugging as debugging
    from gradtape import distribute as distribute
    from gradtape import dtypes as dtypes
    from gradtape import errors as errors
    from gradtape import experimental as experimental
    from gradtape import graph_util as graph_util
    from gradtape import image as image
    from gradtape import io as io
    from gradtape import keras as keras
    from gradtape import linalg as linalg
    from gradtape import lookup as lookup
    from gradtape import math as math
    from gradtape import nest as nest
    from gradtape import nn as nn
    from gradtape import optimize as optimize
    from gradtape import profiler as profiler
    from gradtape import quantization as quantization
    from gradtape import queue as queue
    from gradtape import ragged as ragged
    from gradtape import random as random
    from gradtape import raw_ops as raw_ops
    from gradtape import saved_model as saved_model
    from gradtape import sets as sets
    from gradtape import signal as signal
    from gradtape import sparse as sparse
    from gradtape import strings as strings
    from gradtape import summary as summary
    from gradtape import sysconfig as sysconfig
    from gradtape import test as test
    from gradtape import train as train
    from gradtape import types as types
    from gradtape import version as version
    from gradtape import xla as xla
    from gradtape._src.autodiff.arguments import UnconnectedGradients as UnconnectedGradients
    from gradtape._src.autodiff.custom import custom_gradient as custom_gradient
    from gradtape._src.autodiff.custom import grad_pass_through as grad_pass_through
    from gradtape._src.autodiff.custom import recompute_grad as recompute_grad
    from gradtape._src.autodiff.tape import GradientTape as GradientTape
    from gradtape._src.autodiff.vectorized_map import vectorized_map as vectorized_map
    from gradtape._src.base.dtypes import DType as DType
    from gradtape._src.base.dtypes import as_dtype as as_dtype
    from gradtape._src.base.dtypes import bfloat16 as bfloat16
    from gradtape._src.base.dtypes import bool_ as _bool
    from gradtape._src.base.dtypes import complex64 as complex64
    from gradtape._src.base.dtypes import complex128 as complex128
    from gradtape._src.base.dtypes import double as double
    from gradtape._src.base.dtypes import float16 as float16
    from gradtape._src.base.dtypes import float32 as float32
    from gradtape._src.base.dtypes import float64 as float64
    from gradtape._src.base.dtypes import half as half
    from gradtape._src.base.dtypes import int8 as int8
    from gradtape._src.base.dtypes import int16 as int16
    from gradtape._src.base.dtypes import int32 as int32
    from gradtape._src.base.dtypes import int64 as int64
    from gradtape._src.base.dtypes import qint8 as qint8
    from gradtape._src.base.dtypes import qint16 as qint16
    from gradtape._src.base.dtypes import qint32 as qint32
    from gradtape._src.base.dtypes import quint8 as quint8
    from gradtape._src.base.dtypes import quint16 as quint16
    from gradtape._src.base.dtypes import resource as resource
    from gradtape._src.base.dtypes import string as string
    from gradtape._src.base.dtypes import uint8 as uint8
    from gradtape._src.base.dtypes import uint16 as uint16
    from gradtape._src.base.dtypes import uint32 as uint32
    from gradtape._src.base.dtypes import uint64 as uint64
    from gradtape._src.base.dtypes import variant as variant
    from gradtape._src.base.indexed_slices import IndexedSlices as IndexedSlices
    from gradtape._src.base.name_scope import get_current_name_scope as get_current_name_scope
    from gradtape._src.base.name_scope import name_scope as name_scope
    from gradtape._src.base.replication import VariableAggregation as VariableAggregation
    from gradtape._src.base.replication import VariableSynchronization as VariableSynchronization
    from gradtape._src.base.shapes import TensorShape as TensorShape
    from gradtape._src.base.shapes import broadcast_static_shape as broadcast_static_shape
    from gradtape._src.compat.alias import install as install
    from gradtape._src.compat.contexts import CriticalSection as CriticalSection
    from gradtape._src.compat.contexts import control_dependencies as control_dependencies
    from gradtape._src.compat.contexts import device as device
    from gradtape._src.compat.contexts import executing_eagerly as executing_eagerly
    from gradtape._src.compat.contexts import init_scope as init_scope
    from gradtape._src.compat.contexts import inside_function as inside_function
    from gradtape._src.compat.logs import get_logger as get_logger
    from gradtape._src.compat.module import Module as Module
    from gradtape._src.compute.device_spec import DeviceSpec as DeviceSpec
    from gradtape._src.core.tensor import Tensor as Tensor
    from gradtape._src.core.variable import Variable as Variable
    from gradtape._src.core.variable_creators import (
        variable_creator_scope as variable_creator_scope,
    )
    from gradtape._src.data.optional import OptionalSpec as OptionalSpec
    from gradtape._src.declare.registered import Operation as Operation
    from gradtape._src.declare.registered import RegisterGradient as RegisterGradient
    from gradtape._src.declare.registered import define_op as define_op
    from gradtape._src.declare.registered import no_gradient as no_gradient
    from gradtape._src.files.tensors import make_ndarray as make_ndarray
    from gradtape._src.files.tensors import make_tensor_proto as make_tensor_proto
    from gradtape._src.graph.function import function as function
    from gradtape._src.graph.symbolic_gradients import AggregationMethod as AggregationMethod
    from gradtape._src.graph.symbolic_gradients import gradients as gradients
    from gradtape._src.graphdef.graph_import import import_graph_def as import_graph_def
    from gradtape._src.inspect.ipython_extension import (
        load_ipython_extension as load_ipython_extension,
    )
    from gradtape._src.ops.array.creation import constant as constant
    from gradtape._src.ops.array.creation import convert_to_tensor as convert_to_tensor
    from gradtape._src.ops.array.creation import eye as eye
    from gradtape._src.ops.array.creation import fill as fill
    from gradtape._src.ops.array.creation import get_static_value as get_static_value
    from gradtape._src.ops.array.creation import is_symbolic_tensor as is_symbolic_tensor
    from gradtape._src.ops.array.creation import is_tensor as is_tensor
    from gradtape._src.ops.array.creation import linspace as linspace
    from gradtape._src.ops.array.creation import ones as ones
    from gradtape._src.ops.array.creation import ones_like as ones_like
    from gradtape._src.ops.array.creation import range as range
    from gradtape._src.ops.array.creation import zeros as zeros
    from gradtape._src.ops.array.creation import zeros_like as zeros_like
    from gradtape._src.ops.array.gather import gather as gather
    from gradtape._src.ops.array.grids_and_masks import meshgrid as meshgrid
    from gradtape._src.ops.array.grids_and_masks import one_hot as one_hot
    from gradtape._src.ops.array.grids_and_masks import sequence_mask as sequence_mask
    from gradtape._src.ops.array.joining import concat as concat
    from gradtape._src.ops.array.joining import split as split
    from gradtape._src.ops.array.joining import stack as stack
    from gradtape._src.ops.array.joining import unstack as unstack
    from gradtape._src.ops.array.packing import (
        register_tensor_conversion_function as register_tensor_conversion_function,
    )
    from gradtape._src.ops.array.padding import batch_to_space as batch_to_space
    from gradtape._src.ops.array.padding import pad as pad
    from gradtape._src.ops.array.padding import (
        required_space_to_batch_paddings as required_space_to_batch_paddings,
    )
    from gradtape._src.ops.array.padding import space_to_batch as space_to_batch
    from gradtape._src.ops.array.padding import space_to_batch_nd as space_to_batch_nd
    from gradtape._src.ops.array.partitions import dynamic_partition as dynamic_partition
    from gradtape._src.ops.array.partitions import dynamic_stitch as dynamic_stitch
    from gradtape._src.ops.array.roll_reverse import reverse as reverse
    from gradtape._src.ops.array.roll_reverse import reverse_sequence as reverse_sequence
    from gradtape._src.ops.array.roll_reverse import roll as roll
    from gradtape._src.ops.array.scatter import gather_nd as gather_nd
    from gradtape._src.ops.array.scatter import scatter_nd as scatter_nd
    from gradtape._src.ops.array.scatter import tensor_scatter_nd_add as tensor_scatter_nd_add
    from gradtape._src.ops.array.scatter import tensor_scatter_nd_max as tensor_scatter_nd_max
    from gradtape._src.ops.array.scatter import tensor_scatter_nd_min as tensor_scatter_nd_min
    from gradtape._src.ops.array.scatter import tensor_scatter_nd_sub as tensor_scatter_nd_sub
    from gradtape._src.ops.array.scatter import tensor_scatter_nd_update as tensor_scatter_nd_update
    from gradtape._src.ops.array.scatter import unravel_index as unravel_index
    from gradtape._src.ops.array.shaping import broadcast_to as broadcast_to
    from gradtape._src.ops.array.shaping import expand_dims as expand_dims
    from gradtape._src.ops.array.shaping import repeat as repeat
    from gradtape._src.ops.array.shaping import reshape as reshape
    from gradtape._src.ops.array.shaping import squeeze as squeeze
    from gradtape._src.ops.array.shaping import tile as tile
    from gradtape._src.ops.array.shaping import transpose as transpose
    from gradtape._src.ops.array.slicing import boolean_mask as boolean_mask
    from gradtape._src.ops.array.slicing import slice_ as _slice
    from gradtape._src.ops.array.slicing import strided_slice as strided_slice
    from gradtape._src.ops.array.sorting import approx_top_k as approx_top_k
    from gradtape._src.ops.array.sorting import argsort as argsort
    from gradtape._src.ops.array.sorting import searchsorted as searchsorted
    from gradtape._src.ops.array.sorting import sort as sort
    from gradtape._src.ops.array.tensor_shapes import (
        broadcast_dynamic_shape as broadcast_dynamic_shape,
    )
    from gradtape._src.ops.array.tensor_shapes import rank as rank
    from gradtape._src.ops.array.tensor_shapes import shape as shape
    from gradtape._src.ops.array.tensor_shapes import shape_n as shape_n
    from gradtape._src.ops.array.tensor_shapes import size as size
    from gradtape._src.ops.array.unique import unique as unique
    from gradtape._src.ops.array.unique import unique_with_counts as unique_with_counts
    from gradtape._src.ops.control.assertions import Assert as Assert
    from gradtape._src.ops.control.assertions import assert_equal as assert_equal
    from gradtape._src.ops.control.assertions import assert_greater as assert_greater
    from gradtape._src.ops.control.assertions import assert_less as assert_less
    from gradtape._src.ops.control.clock import timestamp as timestamp
    from gradtape._src.ops.control.control_flow import case as case
    from gradtape._src.ops.control.control_flow import cond as cond
    from gradtape._src.ops.control.control_flow import group as group
    from gradtape._src.ops.control.control_flow import no_op as no_op
    from gradtape._src.ops.control.control_flow import switch_case as switch_case
    from gradtape._src.ops.control.control_flow import tuple_ as _tuple
    from gradtape._src.ops.control.control_flow import while_loop as while_loop
    from gradtape._src.ops.control.loops_over_rows import foldl as foldl
    from gradtape._src.ops.control.loops_over_rows import foldr as foldr
    from gradtape._src.ops.control.loops_over_rows import map_fn as map_fn
    from gradtape._src.ops.control.loops_over_rows import scan as scan
    from gradtape._src.ops.control.printing import print_ as _print
    from gradtape._src.ops.control.python_functions import numpy_function as numpy_function
    from gradtape._src.ops.control.python_functions import py_function as py_function
    from gradtape._src.ops.control.rank_and_type_assertions import assert_rank as assert_rank
    from gradtape._src.ops.elementwise.arithmetic import abs as abs
    from gradtape._src.ops.elementwise.arithmetic import add as add
    from gradtape._src.ops.elementwise.arithmetic import add_n as add_n
    from gradtape._src.ops.elementwise.arithmetic import multiply as multiply
    from gradtape._src.ops.elementwise.arithmetic import negative as negative
    from gradtape._src.ops.elementwise.arithmetic import scalar_mul as scalar_mul
    from gradtape._src.ops.elementwise.arithmetic import sign as sign
    from gradtape._src.ops.elementwise.arithmetic import subtract as subtract
    from gradtape._src.ops.elementwise.casting import bitcast as bitcast
    from gradtape._src.ops.elementwise.casting import cast as cast
    from gradtape._src.ops.elementwise.clipping import clip_by_value as clip_by_value
    from gradtape._src.ops.elementwise.clipping import saturate_cast as saturate_cast
    from gradtape._src.ops.elementwise.comparison import equal as equal
    from gradtape._src.ops.elementwise.comparison import greater as greater
    from gradtape._src.ops.elementwise.comparison import greater_equal as greater_equal
    from gradtape._src.ops.elementwise.comparison import less as less
    from gradtape._src.ops.elementwise.comparison import less_equal as less_equal
    from gradtape._src.ops.elementwise.comparison import not_equal as not_equal
    from gradtape._src.ops.elementwise.complex_numbers import complex as complex
    from gradtape._src.ops.elementwise.division import divide as divide
    from gradtape._src.ops.elementwise.division import realdiv as realdiv
    from gradtape._src.ops.elementwise.division import truediv as truediv
    from gradtape._src.ops.elementwise.division import truncatediv as truncatediv
    from gradtape._src.ops.elementwise.division import truncatemod as truncatemod
    from gradtape._src.ops.elementwise.exponential import exp as exp
    from gradtape._src.ops.elementwise.exponential import sigmoid as sigmoid
    from gradtape._src.ops.elementwise.identities import ensure_shape as ensure_shape
    from gradtape._src.ops.elementwise.identities import guarantee_const as guarantee_const
    from gradtape._src.ops.elementwise.identities import identity as identity
    from gradtape._src.ops.elementwise.identities import identity_n as identity_n
    from gradtape._src.ops.elementwise.identities import stop_gradient as stop_gradient
    from gradtape._src.ops.elementwise.logical import logical_and as logical_and
    from gradtape._src.ops.elementwise.logical import logical_not as logical_not
    from gradtape._src.ops.elementwise.logical import logical_or as logical_or
    from gradtape._src.ops.elementwise.powers import pow as pow
    from gradtape._src.ops.elementwise.powers import sqrt as sqrt
    from gradtape._src.ops.elementwise.powers import square as square
    from gradtape._src.ops.elementwise.rounding import floor as floor
    from gradtape._src.ops.elementwise.rounding import round as round
    from gradtape._src.ops.elementwise.selection import maximum as maximum
    from gradtape._src.ops.elementwise.selection import minimum as minimum
    from gradtape._src.ops.elementwise.selection import where as where
    from gradtape._src.ops.elementwise.trigonometric import acos as acos
    from gradtape._src.ops.elementwise.trigonometric import acosh as acosh
    from gradtape._src.ops.elementwise.trigonometric import asin as asin
    from gradtape._src.ops.elementwise.trigonometric import asinh as asinh
    from gradtape._src.ops.elementwise.trigonometric import atan as atan
    from gradtape._src.ops.elementwise.trigonometric import atan2 as atan2
    from gradtape._src.ops.elementwise.trigonometric import atanh as atanh
    from gradtape._src.ops.elementwise.trigonometric import cos as cos
    from gradtape._src.ops.elementwise.trigonometric import cosh as cosh
    from gradtape._src.ops.elementwise.trigonometric import sin as sin
    from gradtape._src.ops.elementwise.trigonometric import sinh as sinh
    from gradtape._src.ops.elementwise.trigonometric import tan as tan
    from gradtape._src.ops.elementwise.trigonometric import tanh as tanh
    from gradtape._src.ops.linalg.decompositions import eig as eig
    from gradtape._src.ops.linalg.decompositions import eigvals as eigvals
    from gradtape._src.ops.linalg.einsum import einsum as einsum
    from gradtape._src.ops.linalg.matmul import matmul as matmul
    from gradtape._src.ops.linalg.matmul import tensordot as tensordot
    from gradtape._src.ops.linalg.matrix_functions import sqrtm as _matrix_square_root
    from gradtape._src.ops.linalg.norms import norm as norm
    from gradtape._src.ops.nn.clipping_by_norm import clip_by_global_norm as clip_by_global_norm
    from gradtape._src.ops.nn.clipping_by_norm import clip_by_norm as clip_by_norm
    from gradtape._src.ops.nn.image_patches import extract_volume_patches as extract_volume_patches
    from gradtape._src.ops.random.index_shuffle import random_index_shuffle as random_index_shuffle
    from gradtape._src.ops.random.initializers import constant_initializer as constant_initializer
    from gradtape._src.ops.random.initializers import ones_initializer as ones_initializer
    from gradtape._src.ops.random.initializers import (
        random_normal_initializer as random_normal_initializer,
    )
    from gradtape._src.ops.random.initializers import (
        random_uniform_initializer as random_uniform_initializer,
    )
    from gradtape._src.ops.random.initializers import zeros_initializer as zeros_initializer
    from gradtape._src.ops.raw.convolution_gradients import (
        conv2d_backprop_filter_v2 as conv2d_backprop_filter_v2,
    )
    from gradtape._src.ops.raw.convolution_gradients import (
        conv2d_backprop_input_v2 as conv2d_backprop_input_v2,
    )
    from gradtape._src.ops.reduce.counting import histogram_fixed_width as histogram_fixed_width
    from gradtape._src.ops.reduce.counting import (
        histogram_fixed_width_bins as histogram_fixed_width_bins,
    )
    from gradtape._src.ops.reduce.cumulative import cumsum as cumsum
    from gradtape._src.ops.reduce.extremes import argmax as argmax
    from gradtape._src.ops.reduce.extremes import argmin as argmin
    from gradtape._src.ops.reduce.extremes import reduce_max as reduce_max
    from gradtape._src.ops.reduce.extremes import reduce_min as reduce_min
    from gradtape._src.ops.reduce.log_sums import reduce_logsumexp as reduce_logsumexp
    from gradtape._src.ops.reduce.reductions import reduce_all as reduce_all
    from gradtape._src.ops.reduce.reductions import reduce_any as reduce_any
    from gradtape._src.ops.reduce.reductions import reduce_mean as reduce_mean
    from gradtape._src.ops.reduce.reductions import reduce_prod as reduce_prod
    from gradtape._src.ops.reduce.reductions import reduce_sum as reduce_sum
    from gradtape._src.ops.signal.fft_axes import fftnd_of_lengths as _fftnd
    from gradtape._src.ops.signal.fft_axes import ifftnd_of_lengths as _ifftnd
    from gradtape._src.ops.signal.fft_axes import irfftnd_of_lengths as _irfftnd
    from gradtape._src.ops.signal.fft_axes import rfftnd_of_lengths as _rfftnd
    from gradtape._src.ops.types.ragged_tensor import RaggedTensor as RaggedTensor
    from gradtape._src.ops.types.ragged_tensor import RaggedTensorSpec as RaggedTensorSpec
    from gradtape._src.ops.types.sparse_tensor import SparseTensor as SparseTensor
    from gradtape._src.ops.types.sparse_tensor import SparseTensorSpec as SparseTensorSpec
    from gradtape._src.ops.types.specs import IndexedSlicesSpec as IndexedSlicesSpec
    from gradtape._src.ops.types.specs import TensorSpec as TensorSpec
    from gradtape._src.ops.types.specs import type_spec_from_value as type_spec_from_value
    from gradtape._src.ops.types.tensor_array import TensorArray as TensorArray
    from gradtape._src.ops.types.tensor_array import TensorArraySpec as TensorArraySpec
    from gradtape._src.ops.types.type_spec import NoneTensorSpec as NoneTensorSpec
    from gradtape._src.ops.types.type_spec import TypeSpec as TypeSpec
    from gradtape._src.sessions.graph import Graph as Graph
    from gradtape._src.sessions.older.operations import hessians as hessians
    from gradtape._src.text.edit_distance import edit_distance as edit_distance
    from gradtape._src.text.numbers import as_string as as_string
    from gradtape._src.text.sparse_cross import fingerprint as fingerprint
    from gradtape.keras import initializers as initializers
    from gradtape.keras import losses as losses
    from gradtape.keras import metrics as metrics
    from gradtape.keras import optimizers as optimizers

    bool = _bool
    fftnd = _fftnd
    ifftnd = _ifftnd
    irfftnd = _irfftnd
    matrix_square_root = _matrix_square_root
    print = _print
    rfftnd = _rfftnd
    slice = _slice
    tuple = _tuple

_process_settings.keep_freed()

newaxis = None
__version__ = _tensorflow_version
__git_version__ = f"v{_tensorflow_version}"

_PUBLIC_DUNDERS = {"__git_version__", "__internal__", "__operators__", "__version__"}
_FILES = {"cli", "math_special"}  # modules that programs reach by other names
_KERAS_VIEWS = {"losses", "metrics", "optimizers", "initializers"}


if not _typing.TYPE_CHECKING:  # to checkers, a name that is not there is an error

    def __getattr__(name: str) -> _typing.Any:
        """Loads a module on first use, or raises the error for an unknown name."""
        if name == "keras" or name in _KERAS_VIEWS:
            keras = _import_module(_KERAS)
            globals()[name] = found = keras if name == "keras" else getattr(keras, name)
            return found
        if name in _LATER:
            globals()[name] = found = _loading.public_name(name)
            return found
        if name == "__all__":  # of `from gradtape import *`
            return sorted(_LATER)
        if name in _FILES:  # Python asks before it imports the module
            raise AttributeError(name)
        raise _names.missing(name, _sys.modules[__name__])


def __dir__() -> list[str]:
    """Returns the public names."""
    names = {*globals(), *_LATER, *_KERAS_VIEWS, "keras"} - _FILES
    return sorted(n for n in names if n[0] != "_" or n in _PUBLIC_DUNDERS)


_names.guard()
