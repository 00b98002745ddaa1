"""`tf.quantization`: rounding to few levels, with gradients that pass straight through."""

from gradtape._src.ops.quantization.fake_quantization import (
    fake_quant_with_min_max_args as fake_quant_with_min_max_args,
)
from gradtape._src.ops.quantization.fake_quantization import (
    fake_quant_with_min_max_args_gradient as fake_quant_with_min_max_args_gradient,
)
from gradtape._src.ops.quantization.fake_quantization import (
    fake_quant_with_min_max_vars as fake_quant_with_min_max_vars,
)
from gradtape._src.ops.quantization.fake_quantization import (
    fake_quant_with_min_max_vars_gradient as fake_quant_with_min_max_vars_gradient,
)
from gradtape._src.ops.quantization.fake_quantization import (
    fake_quant_with_min_max_vars_per_channel as fake_quant_with_min_max_vars_per_channel,
)
from gradtape._src.ops.quantization.fake_quantization import (
    fake_quant_with_min_max_vars_per_channel_gradient as fake_quant_with_min_max_vars_per_channel_gradient,
)
from gradtape._src.ops.quantization.quantize import dequantize as dequantize
from gradtape._src.ops.quantization.quantize import quantize as quantize
from gradtape._src.ops.quantization.quantize import quantized_concat as quantized_concat
from gradtape._src.ops.quantization.quantize_and_dequantize import (
    quantize_and_dequantize as quantize_and_dequantize,
)
from gradtape._src.ops.quantization.quantize_and_dequantize import (
    quantize_and_dequantize_v2 as quantize_and_dequantize_v2,
)
