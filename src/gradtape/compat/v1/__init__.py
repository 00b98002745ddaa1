"""`tf.compat.v1`: the names of TensorFlow 1 that programs for TensorFlow 2 still use."""

import sys as _sys
import typing as _typing

from gradtape._src.compat.compat import Dimension as Dimension
from gradtape._src.compat.compat import dimension_value as dimension_value
from gradtape._src.compat.compat import enable_eager_execution as enable_eager_execution
from gradtape._src.compat.compat import enable_v2_behavior as enable_v2_behavior
from gradtape._src.compat.compat import reset_default_graph as reset_default_graph
from gradtape._src.compat.compat import v1_name_scope as _name_scope
from gradtape._src.compat.contexts import executing_eagerly as executing_eagerly
from gradtape._src.compat.contexts import (
    executing_eagerly_outside_functions as executing_eagerly_outside_functions,
)
from gradtape._src.compat.names import missing as _missing
from gradtape._src.compat.v1_graphs import get_default_graph as get_default_graph
from gradtape._src.compat.v1_graphs import get_variable_scope as get_variable_scope
from gradtape._src.compat.v1_graphs import variable_scope as variable_scope
from gradtape._src.compat.v1_names import SAME as _SAME
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
from gradtape._src.graph.symbolic_gradients import gradients as gradients
from gradtape._src.messages import protos as _protos
from gradtape.compat.v1 import losses as losses
from gradtape.compat.v1 import train as train

name_scope = _name_scope

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
    if name in _SAME or name == "keras":
        return getattr(_sys.modules["gradtape"], name)
    raise _missing(name, _sys.modules[__name__])


def __dir__() -> list[str]:
    return sorted({*globals(), *_MESSAGES})
