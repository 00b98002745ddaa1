"""TensorFlow's way of differentiating, on NumPy: `import gradtape as tf`."""

from gradtape._autodiff.tape import GradientTape as GradientTape
from gradtape._autodiff.tape import UnconnectedGradients as UnconnectedGradients
from gradtape._core.dtypes import DType as DType
from gradtape._core.dtypes import as_dtype as as_dtype
from gradtape._core.dtypes import bfloat16 as bfloat16
from gradtape._core.dtypes import bool_ as bool
from gradtape._core.dtypes import complex64 as complex64
from gradtape._core.dtypes import complex128 as complex128
from gradtape._core.dtypes import double as double
from gradtape._core.dtypes import float16 as float16
from gradtape._core.dtypes import float32 as float32
from gradtape._core.dtypes import float64 as float64
from gradtape._core.dtypes import half as half
from gradtape._core.dtypes import int8 as int8
from gradtape._core.dtypes import int16 as int16
from gradtape._core.dtypes import int32 as int32
from gradtape._core.dtypes import int64 as int64
from gradtape._core.dtypes import qint8 as qint8
from gradtape._core.dtypes import qint16 as qint16
from gradtape._core.dtypes import qint32 as qint32
from gradtape._core.dtypes import quint8 as quint8
from gradtape._core.dtypes import quint16 as quint16
from gradtape._core.dtypes import resource as resource
from gradtape._core.dtypes import string as string
from gradtape._core.dtypes import uint8 as uint8
from gradtape._core.dtypes import uint16 as uint16
from gradtape._core.dtypes import uint32 as uint32
from gradtape._core.dtypes import uint64 as uint64
from gradtape._core.dtypes import variant as variant
from gradtape._core.indexed_slices import IndexedSlices as IndexedSlices
from gradtape._core.shapes import TensorShape as TensorShape
from gradtape._core.tensor import Tensor as Tensor
from gradtape._core.variable import Variable as Variable
from gradtape._core.variable import VariableAggregation as VariableAggregation
from gradtape._core.variable import VariableSynchronization as VariableSynchronization

from gradtape._ops import operators as _operators  # noqa: F401  (puts the operators on tensors)

newaxis = None
