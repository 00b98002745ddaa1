"""`tf.__internal__`: what Keras uses of TensorFlow beyond its public face."""

from gradtape.__internal__ import autograph as autograph
from gradtape.__internal__ import decorator as decorator
from gradtape.__internal__ import dispatch as dispatch
from gradtape.__internal__ import distribute as distribute
from gradtape.__internal__ import eager_context as eager_context
from gradtape.__internal__ import function as function
from gradtape.__internal__ import graph_util as graph_util
from gradtape.__internal__ import monitoring as monitoring
from gradtape.__internal__ import nest as nest
from gradtape.__internal__ import ops as ops
from gradtape.__internal__ import smart_cond as smart_cond
from gradtape.__internal__ import test as test
from gradtape.__internal__ import tf2 as tf2
from gradtape.__internal__ import tracking as tracking
from gradtape.__internal__ import train as train
from gradtape.__internal__ import types as types
from gradtape._src.base.composite_tensor import AnyCompositeTensor as _CompositeTensor
from gradtape._src.base.name_scope import get_name_scope as get_name_scope
from gradtape._src.compat.python.framework_ops import SymbolicTensor as SymbolicTensor
from gradtape._src.core.tensor import Tensor as _EagerTensor
from gradtape._src.graph.named.func_graph import FuncGraph as FuncGraph

CompositeTensor = _CompositeTensor
EagerTensor = _EagerTensor
