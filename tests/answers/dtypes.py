"""The dtypes of results and gradients for each input dtype of an operation, or the exception."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

DTYPES = (
    *("float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64"),
    *("uint8", "uint16", "uint32", "uint64", "bool", "complex64", "complex128", "string"),
)
SQUARE = [[4, 1, 0], [1, 3, 1], [0, 1, 5]]
VECTOR = [3, 1, 2]
IMAGE = np.arange(48).reshape(4, 4, 3) % 7
BATCH = np.arange(32).reshape(1, 4, 4, 2) % 5
SIGNAL = np.arange(16) % 5

# Functions of one tensor, by the input that suits them.
ONE = {
    "SQUARE": """
        abs acos acosh add_n argmax argmin asin asinh atan atanh cos cosh cumsum exp floor identity
        negative ones_like rank reduce_all reduce_any reduce_logsumexp reduce_max reduce_mean
        reduce_min reduce_prod reduce_sum round shape sigmoid sign sin sinh size sqrt square stack
        tan tanh transpose unstack zeros_like reverse(x,[0]) split(x,3) tile(x,[1,2])
        where(x>0,x,x) roll(x,1,0) one_hot(x,3) repeat(x,2) sort(x) argsort(x) gather(x,[0,1])
        expand_dims(x,0) squeeze(x) pad(x,[[1,1],[0,0]]) reshape(x,[-1]) boolean_mask(x,x>1)
        broadcast_to(x,[2,3,3]) concat([x,x],0) eye(3,dtype=x.dtype) norm(x) cast(x,tf.float32)
        cast(x,tf.complex64) cast(x,tf.int32) cast(x,tf.float16) cast(x,tf.bool)
        saturate_cast(x,tf.int8) clip_by_value(x,1,2) clip_by_norm(x,1.0) clip_by_norm(x,2)
        clip_by_global_norm([x],1.0)[0][0] linspace(x[0],x[1],3) range(x[0,0])
        scatter_nd([[0]],x[:1],[3,3]) tensor_scatter_nd_add(x,[[0]],x[:1])
        tensor_scatter_nd_update(x,[[0]],x[:1]) tensor_scatter_nd_max(x,[[0]],x[:1]) unique(x[0])
        unique_with_counts(x[0]) searchsorted(x,x) bitcast(x,tf.uint8) fill([2],x[0,0])
        meshgrid(x[0],x[1]) dynamic_partition(x,[0,1,0],2) dynamic_stitch([[0,1,2]],[x])
        einsum('ij,jk->ik',x,x) einsum('ij->i',x) tensordot(x,x,1) matmul(x,x)
        linalg.matmul(x,x,transpose_a=True) zeros_like(x,dtype=tf.float32) sequence_mask(x)
        sequence_mask(x,dtype=x.dtype) strings.as_string(x)
        histogram_fixed_width(x[0],[x[2,0],x[0,0]]) grad_pass_through(tf.identity)(x)
        stop_gradient(x) math.angle math.bessel_i0 math.bessel_i0e math.bessel_i1 math.bessel_i1e
        math.ceil math.conj math.count_nonzero math.cumprod math.cumulative_logsumexp math.digamma
        math.erf math.erfc math.erfcinv math.erfinv math.expm1 math.imag
        math.invert_permutation(x[0]) math.is_finite math.is_inf math.is_nan math.is_non_decreasing
        math.is_strictly_increasing math.l2_normalize math.lbeta math.lgamma math.log math.log1p
        math.log_sigmoid math.log_softmax math.logical_not math.ndtri math.real math.reciprocal
        math.reciprocal_no_nan math.reduce_euclidean_norm math.reduce_std math.reduce_variance
        math.rint math.rsqrt math.softmax math.softplus math.softsign
        math.sobol_sample(2,3,dtype=x.dtype) math.top_k(x,2) math.zero_fraction
        math.in_top_k([0,1,2],x,1) math.approx_max_k(x,2) math.special.dawsn math.special.expint
        math.special.fresnel_cos math.special.fresnel_sin math.special.spence
        math.special.bessel_j0 math.special.bessel_j1 math.special.bessel_k0
        math.special.bessel_k0e math.special.bessel_y0 math.segment_sum(x,[0,0,1])
        math.segment_mean(x,[0,0,1]) math.segment_max(x,[0,0,1]) math.segment_min(x,[0,0,1])
        math.segment_prod(x,[0,0,1]) math.unsorted_segment_sum(x,[0,0,1],2)
        math.unsorted_segment_mean(x,[0,0,1],2) math.unsorted_segment_max(x,[0,0,1],2)
        math.unsorted_segment_min(x,[0,0,1],2) math.unsorted_segment_prod(x,[0,0,1],2)
        math.unsorted_segment_sqrt_n(x,[0,0,1],2) sparse.segment_sum(x,[0,1],[0,0])
        sparse.segment_mean(x,[0,1],[0,0]) sparse.segment_sqrt_n(x,[0,1],[0,0]) math.bincount(x)
        math.confusion_matrix(x[0],x[1]) math.polyval([x,x],x) math.accumulate_n([x,x])
        math.top_k(x[0],1) linalg.adjoint linalg.band_part(x,1,1) linalg.cholesky
        linalg.cholesky_solve(x,x) linalg.cross(x,x) linalg.det linalg.diag linalg.diag_part
        linalg.eig linalg.eigh linalg.eigvals linalg.eigvalsh linalg.expm linalg.global_norm([x])
        linalg.inv linalg.logdet linalg.logm linalg.lstsq(x,x) linalg.lu linalg.matrix_rank
        linalg.matrix_transpose linalg.matvec(x,x[0]) linalg.normalize linalg.pinv linalg.qr
        linalg.set_diag(x,x[0]) linalg.slogdet linalg.solve(x,x) linalg.sqrtm linalg.svd
        linalg.svd(x,compute_uv=False) linalg.tensor_diag linalg.tensor_diag_part linalg.trace
        linalg.triangular_solve(x,x) linalg.tridiagonal_matmul(x,x) linalg.tridiagonal_solve(x,x)
        linalg.norm(x,1) linalg.norm(x,axis=0) nn.relu nn.relu6 nn.elu nn.selu nn.gelu
        nn.gelu(x,approximate=True) nn.silu nn.softmax nn.leaky_relu nn.crelu nn.log_softmax
        nn.softplus nn.softsign nn.l2_loss nn.l2_normalize nn.bias_add(x,x[0]) nn.moments(x,[0])
        nn.weighted_moments(x,[0],x) nn.dropout(x,0.5) nn.zero_fraction
        nn.sufficient_statistics(x,[0]) nn.softmax_cross_entropy_with_logits(x,x)
        nn.sparse_softmax_cross_entropy_with_logits([0,1,2],x)
        nn.sigmoid_cross_entropy_with_logits(x,x) nn.weighted_cross_entropy_with_logits(x,x,2.0)
        nn.log_poisson_loss(x,x) nn.batch_normalization(x,x[0],x[0],x[0],x[0],0.1)
        nn.normalize_moments(x[0],x[0],x[0],None) nn.embedding_lookup(x,[0,1])
        nn.in_top_k([0,1,2],x,1) nn.scale_regularization_loss(x)
        nn.nce_loss(x,x[0],[[0],[1],[2]],x,1,3) nn.isotonic_regression signal.fft signal.ifft
        signal.rfft signal.irfft signal.fft2d signal.rfft2d signal.dct signal.idct signal.fftshift
        signal.hann_window(3,dtype=x.dtype) signal.frame(x,2,1) signal.overlap_and_add(x,1)
        bitwise.invert bitwise.bitwise_and(x,x) bitwise.left_shift(x,x) random.shuffle
        random.gamma([2],x) random.poisson([2],x) random.categorical(x,2)
        quantization.fake_quant_with_min_max_args quantization.quantize_and_dequantize_v2(x,0,3)
        sparse.to_dense(tf.sparse.from_dense(x)) sparse.reduce_sum(tf.sparse.from_dense(x))
        sparse.sparse_dense_matmul(tf.sparse.from_dense(x),x)
        sparse.softmax(tf.sparse.from_dense(x)) debugging.check_numerics(x,'a')
        ensure_shape(x,[3,3]) ragged.constant([[1],[2,3]],dtype=x.dtype).to_tensor()
        keras.activations.hard_sigmoid keras.activations.hard_silu nn.swish(x,2.0)
        nn.leaky_relu(x,0.1) math.multiply_no_nan(x,x) truncatediv(x,x) truncatemod(x,x)
        """,
    "BATCH": """
        nn.max_pool2d(x,2,1,'SAME') nn.avg_pool2d(x,2,1,'SAME')
        nn.max_pool_with_argmax(x,2,1,'SAME') nn.conv2d(x,x[0,:2,:2,:,None],1,'SAME')
        nn.depthwise_conv2d(x,x[0,:2,:2,:,None],[1,1,1,1],'SAME')
        nn.conv2d_transpose(x,x[0,:2,:2,None],[1,4,4,1],1) nn.conv1d(x[0],x[0,:2],1,'SAME')
        nn.local_response_normalization nn.fused_batch_norm(x,x[0,0,0],x[0,0,0])
        nn.depth_to_space(tf.concat([x,x],3),2) nn.space_to_depth(x,2)
        nn.dilation2d(x,x[0,:2,:2],[1,1,1,1],'SAME','NHWC',[1,1,1,1])
        nn.erosion2d(x,x[0,:2,:2],[1,1,1,1],'SAME','NHWC',[1,1,1,1])
        nn.fractional_max_pool(x,[1,1.5,1.5,1],seed=1) nn.space_to_batch(x,[2,2],[[0,0],[0,0]])
        image.extract_patches(x,[1,2,2,1],[1,1,1,1],[1,1,1,1],'SAME') image.resize(x,[2,2])
        image.resize(x,[2,2],'nearest') image.resize(x,[2,2],'bicubic')
        image.resize(x,[2,2],'area') image.resize(x,[4,4]) image.resize(x,[2,2],antialias=True)
        image.crop_and_resize(x,[[0.,0.,1.,1.]],[0],[2,2]) image.sobel_edges image.image_gradients
        image.total_variation image.flip_left_right image.rot90 image.central_crop(x,0.5)
        image.resize_with_pad(x,3,3) image.resize_with_crop_or_pad(x,3,3)
        image.pad_to_bounding_box(x,0,0,5,5) image.transpose nn.avg_pool3d(x[None],2,1,'SAME')
        nn.max_pool3d(x[None],2,1,'SAME') nn.moments(x,[0,1,2]) nn.pool(x,[2,2],'AVG')
        """,
    "IMAGE": """
        image.adjust_brightness(x,0.1) image.adjust_contrast(x,2.0) image.adjust_hue(x,0.1)
        image.adjust_saturation(x,2.0) image.adjust_gamma(x,1.0)
        image.convert_image_dtype(x,tf.float32) image.convert_image_dtype(x,tf.uint8)
        image.convert_image_dtype(x,tf.float64) image.grayscale_to_rgb(x[...,:1]) image.hsv_to_rgb
        image.rgb_to_hsv image.rgb_to_grayscale image.rgb_to_yiq image.rgb_to_yuv image.yiq_to_rgb
        image.yuv_to_rgb image.per_image_standardization image.psnr(x,x,5)
        image.random_flip_up_down(x,1) image.stateless_random_brightness(x,0.1,[1,2])
        image.stateless_random_contrast(x,1.0,2.0,[1,2]) image.stateless_random_hue(x,0.1,[1,2])
        image.stateless_random_saturation(x,1.0,2.0,[1,2]) image.encode_png
        """,
    "SIGNAL": """
        signal.stft(x,8,4) signal.inverse_stft(x[None],8,4) signal.mdct(x,8)
        signal.inverse_mdct(x[None])
        signal.linear_to_mel_weight_matrix(4,5,100,2.0,40.0,dtype=x.dtype)
        signal.mfccs_from_log_mel_spectrograms signal.vorbis_window(8,dtype=x.dtype)
        signal.kaiser_window(8,dtype=x.dtype)
        """,
}
TWO = """
    add subtract multiply divide truediv floordiv math.mod pow maximum minimum equal less
    greater_equal atan2 not_equal squared_difference math.divide_no_nan math.floormod math.igamma
    math.igammac math.xlogy math.xdivy math.xlog1py math.zeta math.polygamma math.nextafter
    math.logical_and math.logical_xor complex bitwise.bitwise_or bitwise.right_shift
"""


def questions() -> list[tuple[str, str, Any]]:
    """Expressions in `tf` and `x`, with their names and the values of `x`."""
    found = []
    for kind, names in ONE.items():
        for name in names.split():
            call = f"tf.{name}" if "(" in name else f"tf.{name}(x)"
            found.append((name, call, globals()[kind]))
    found += [(f"{name}(x,x)", f"tf.{name}(x,x)", VECTOR) for name in TWO.split()]
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_", "lt", "eq"):
        found.append((f"operator.{name}", f"operator.{name}(x,x)", VECTOR))
    found += [(f"operator.{name}", f"operator.{name}(x)", VECTOR) for name in ("neg", "invert")]
    return found


def outputs(tf: Any, y: Any) -> list[Any]:
    """The tensors of a result."""
    leaves = tf.nest.flatten(y, expand_composites=True)
    return [leaf for leaf in leaves if isinstance(leaf, tf.Tensor)]


def answer(tf: Any, call: str, value: Any, dtype: str) -> str:
    """The dtypes of the results, and that of the gradient."""
    x = tf.constant(np.asarray(value).astype(str)) if dtype == "string" else None
    x = tf.cast(tf.constant(value), dtype) if x is None else x
    try:
        with tf.GradientTape(persistent=True) as tape:
            if x.dtype.is_floating or x.dtype.is_complex:
                tape.watch(x)
            made = outputs(tf, eval(call, {"tf": tf, "x": x, "operator": operator}))
        shown = ",".join(y.dtype.name for y in made)
    except Exception as error:  # noqa: BLE001 (any is an answer)
        return f"raises {type(error).__name__}"
    if not (x.dtype.is_floating or x.dtype.is_complex):
        return shown
    try:
        inexact = [y for y in made if y.dtype.is_floating or y.dtype.is_complex]
        gradient = tape.gradient(inexact, x)
    except Exception as error:  # noqa: BLE001
        return f"{shown} gradient raises {type(error).__name__}"
    return f"{shown} gradient {gradient.dtype.name if gradient is not None else None}"


def answers(tf: Any) -> dict[str, str]:
    """Answers by expression and dtype."""
    found = {}
    for name, call, value in questions():
        for dtype in DTYPES:
            found[f"{name} {dtype}"] = answer(tf, call, value, dtype)
    return found


# Where ours differs, by a pattern of "question: theirs, ours: ours"; and why.
DIFFERENCES = {
    r".*: raises \w+, ours: raises \w+": "not accepted by either; the type varies by operation",
    r".*: raises (NotFoundError|UnimplementedError), ours: .*": "TensorFlow has no kernel on CPU",
    r".*: raises (InvalidArgumentError|TypeError|ValueError|AttributeError|AssertionError"
    r"|UnboundLocalError), ours: .*": "ours takes what TensorFlow does not",
    r".*: .* gradient raises \w+, ours: .*": "ours has the gradient, or None",
    r"image.resize\(x,\[2,2\],'bicubic'\) b?float16: .*": "TensorFlow's gradient is None",
    r"nn.conv2d.* int32: .*": "ours convolves no integers",
    r"linalg.(inv|qr) float16: .*": "NumPy has no decompositions of halves",
    r"quantization.quantize_and_dequantize_v2.*": "ours has no such function",
}
