"""Element types: `tf.dtypes`."""

from gradtape._src.base.dtypes import QUANTIZED_DTYPES as QUANTIZED_DTYPES
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
from gradtape._src.ops.elementwise.casting import cast as cast
from gradtape._src.ops.elementwise.clipping import saturate_cast as saturate_cast
from gradtape._src.ops.elementwise.complex_numbers import complex as complex
from gradtape.dtypes import experimental as experimental

bool = _bool
