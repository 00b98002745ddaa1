"""`tf.quantization`: rounding to few levels, with gradients that pass straight through."""

from gradtape._src.ops.nn.quantization import (
    fake_quant_with_min_max_args as fake_quant_with_min_max_args,
)
from gradtape._src.ops.nn.quantization import (
    fake_quant_with_min_max_args_gradient as fake_quant_with_min_max_args_gradient,
)
from gradtape._src.ops.nn.quantization import (
    fake_quant_with_min_max_vars as fake_quant_with_min_max_vars,
)
from gradtape._src.ops.nn.quantization import (
    fake_quant_with_min_max_vars_gradient as fake_quant_with_min_max_vars_gradient,
)
from gradtape._src.ops.nn.quantization import (
    fake_quant_with_min_max_vars_per_channel as fake_quant_with_min_max_vars_per_channel,
)
from gradtape._src.ops.nn.quantization import (
    fake_quant_with_min_max_vars_per_channel_gradient as fake_quant_with_min_max_vars_per_channel_gradient,
)
