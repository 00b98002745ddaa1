"""The exceptions for wrong arguments: eagerly, inside of functions, and compiled.

Each call is made with one argument after another that does not fit: with another dtype, with an
axis more or less, with other lengths, and with other constants in place of those in the expression.
A function gets the arguments with known shapes, with unknown lengths and with unknown ranks.
"""

from __future__ import annotations

import ast
import contextlib
import io
import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

_RNG = np.random.default_rng(5)
SQUARE = (np.arange(9).reshape(3, 3) % 5 / 4 + np.eye(3)).astype(np.float32)
VECTOR = np.array([0.5, 0.25, 0.75], np.float32)
IMAGES = _RNG.random((1, 4, 4, 2)).astype(np.float32)
# By their names in the expressions.
INPUTS: dict[str, np.ndarray[Any, Any]] = {
    "x": SQUARE,
    "y": SQUARE + 1,
    "v": VECTOR,
    "u": VECTOR * 2,
    "a": np.array(0.5, np.float32),
    "i": np.array([0, 1, 1], np.int32),
    "j": np.array([[0], [2]], np.int32),
    "n": np.array(2, np.int32),
    "b": np.array([True, False, True]),
    "p": np.array([[True, False, True]] * 3),
    "c": np.array(True),
    "m": IMAGES,
    "f": _RNG.random((2, 2, 2, 3)).astype(np.float32),
    "g": _RNG.random((2, 2, 2)).astype(np.float32),
    "s": _RNG.random((1, 8, 2)).astype(np.float32),
    "k": _RNG.random((3, 2, 3)).astype(np.float32),
    "r": _RNG.random((4, 4, 3)).astype(np.float32),
    "z": np.array([1 + 1j, 2, 3, 4], np.complex64),
    "w": np.array(["ab", "c", "1.5"]),
    "q": np.array([3, 2], np.int32),
}
CALLS = """
    x+y x-y x*y x/y x//y x%y x**y x@y x<y x>=y -x abs(x) x==y i+1 i//2 ~b b&b b|b b^b
    add(x,y) subtract(x,y) multiply(x,y) divide(x,y) maximum(x,y) minimum(x,y) pow(x,y) equal(x,y)
    less(x,y) atan2(x,y) math.squared_difference(x,y) not_equal(x,y) truediv(i,i) math.floordiv(i,i)
    math.divide_no_nan(x,y) math.xlogy(x,y) math.igamma(x,y) math.zeta(y,x) math.nextafter(x,y)
    math.multiply_no_nan(x,y) logical_and(b,b) logical_or(b,b) logical_not(b) complex(x,y)
    bitwise.bitwise_and(i,i) bitwise.left_shift(i,i) bitwise.invert(i) add_n([x,y])
    exp(x) sqrt(x) square(x) sin(x) tanh(x) sigmoid(x) sign(x) floor(x) negative(x) abs(x)
    math.log(x) math.erf(x) math.lgamma(x) math.real(z) math.imag(z) math.conj(z) math.angle(z)
    math.is_nan(x) math.reciprocal(x) math.rsqrt(x) math.softplus(x) math.digamma(x) round(x)
    identity(x) stop_gradient(x) zeros_like(x) ones_like(x) shape(x) size(x) rank(x) cast(x,'int32')
    bitcast(x,'int32') saturate_cast(x,'uint8') ensure_shape(x,[3,3])
    clip_by_value(x,0.0,1.0) clip_by_norm(x,1.0) clip_by_value(x,a,a) clip_by_global_norm([x,y],1.0)
    reduce_sum(x,0) reduce_mean(x,1,keepdims=True) reduce_max(x,-1) reduce_prod(x,[0,1])
    reduce_all(p,0) reduce_any(p,1) reduce_logsumexp(x,0) math.reduce_std(x,0)
    math.reduce_euclidean_norm(x,1) argmax(x,0) argmin(x,1) math.count_nonzero(x,0) norm(x,axis=0)
    cumsum(x,0) math.cumprod(x,1) math.cumulative_logsumexp(x,0) math.top_k(x,2) sort(x,0)
    argsort(x,1) math.in_top_k(i,x,2) searchsorted(x,y) unique(v) unique_with_counts(v)
    concat([x,y],0) concat([x,y],1) stack([x,y],0) stack([v,u],1) unstack(x,3,0) split(x,3,0)
    split(x,[1,2],1) reshape(x,[9]) reshape(x,[-1,3]) reshape(m,[2,16]) transpose(x,[1,0])
    transpose(x) expand_dims(x,1) squeeze(m,[0]) tile(x,[1,2]) pad(x,[[1,1],[0,0]])
    pad(x,[[1,1],[0,0]],'REFLECT') pad(x,[[1,1],[0,0]],constant_values=1.0) reverse(x,[0])
    roll(x,1,0) broadcast_to(v,[3,3]) slice(x,[0,1],[2,2]) strided_slice(x,[0,0],[2,2],[1,1])
    x[0] x[1:] x[:,0] x[...,1] x[0,1] x[:,None] repeat(x,2,0) repeat(x,i,axis=0) fill([2,3],a)
    zeros([2,3]) ones([2,3],'int32') range(0,5,2) range(n) linspace(a,2.0,4) eye(3) one_hot(i,3)
    one_hot(i,3,axis=0) meshgrid(v,u) sequence_mask(i,3) where(p,x,y) where(b,v,u) where(p)
    boolean_mask(x,b) boolean_mask(x,[True,False,True]) gather(x,i) gather(x,i,axis=1)
    gather(x,j,batch_dims=0) gather_nd(x,j) scatter_nd(j,x[:2],[4,3])
    tensor_scatter_nd_update(x,j,x[:2]) tensor_scatter_nd_add(v,j,v[:2]) dynamic_partition(x,i,2)
    dynamic_stitch([[0,1,2]],[x]) math.segment_sum(x,i) math.segment_max(x,i)
    math.unsorted_segment_sum(x,i,2) math.unsorted_segment_mean(x,i,2) math.bincount(i)
    math.confusion_matrix(i,i) histogram_fixed_width(v,[0.0,1.0]) math.invert_permutation([1,0])
    space_to_batch(m,[2,2],[[0,0],[0,0]]) nn.depth_to_space(tf.concat([m,m],3),2)
    nn.space_to_depth(m,2) einsum('ij,jk->ik',x,y) einsum('ij->ji',x) tensordot(x,y,1)
    tensordot(x,y,[[1],[0]]) matmul(x,y) matmul(x,y,transpose_a=True) linalg.matvec(x,v)
    linalg.cholesky(x) linalg.det(x) linalg.inv(x) linalg.solve(x,y) linalg.triangular_solve(x,y)
    linalg.lstsq(x,y) linalg.qr(x) linalg.svd(x) linalg.eigh(x) linalg.eigvals(x) linalg.trace(x)
    linalg.diag(v) linalg.diag_part(x) linalg.set_diag(x,v) linalg.band_part(x,1,1)
    linalg.cross(x,y) linalg.adjoint(x) linalg.expm(x) linalg.logdet(x) linalg.slogdet(x)
    linalg.normalize(x,axis=0) linalg.tensor_diag(v) linalg.tensor_diag_part(x) linalg.lu(x)
    linalg.cholesky_solve(x,y) linalg.matrix_transpose(x) linalg.pinv(x) linalg.matrix_rank(x)
    linalg.tridiagonal_solve(x,v) linalg.global_norm([x,y])
    nn.relu(x) nn.elu(x) nn.selu(x) nn.gelu(x) nn.leaky_relu(x,0.1) nn.softmax(x,0)
    nn.log_softmax(x,-1) nn.l2_loss(x) nn.l2_normalize(x,0) nn.bias_add(x,v) nn.bias_add(m,u[:2])
    nn.moments(x,[0]) nn.dropout(x,0.5) nn.batch_normalization(x,v,v,v,v,0.1) nn.crelu(x)
    nn.softmax_cross_entropy_with_logits(x,y) nn.sparse_softmax_cross_entropy_with_logits(i,x)
    nn.sigmoid_cross_entropy_with_logits(x,y) nn.weighted_cross_entropy_with_logits(x,y,2.0)
    nn.log_poisson_loss(x,y) nn.embedding_lookup(x,i) nn.local_response_normalization(m,2)
    nn.conv2d(m,f,1,'SAME') nn.conv2d(m,f,[1,2,2,1],'VALID') nn.conv1d(s,k,1,'SAME')
    nn.conv3d(m[None],f[None],[1,1,1,1,1],'SAME') nn.depthwise_conv2d(m,f,[1,1,1,1],'SAME')
    nn.conv2d_transpose(m,f[:,:,:,:2],[1,4,4,2],1) nn.max_pool2d(m,2,1,'SAME')
    nn.avg_pool2d(m,2,2,'VALID') nn.max_pool(m,[1,2,2,1],1,'SAME') nn.avg_pool1d(s,2,1,'SAME')
    nn.max_pool_with_argmax(m,2,1,'SAME') nn.dilation2d(m,g,[1,1,1,1],'SAME','NHWC',[1,1,1,1])
    nn.compute_average_loss(v) nn.pool(m,[2,2],'AVG')
    nn.ctc_greedy_decoder(tf.transpose(s,[1,0,2]),[8])
    signal.fft(z) signal.ifft(z) signal.rfft(v) signal.irfft(z) signal.stft(v,2,1) signal.dct(v)
    signal.frame(v,2,1) signal.fft2d(tf.stack([z,z])) image.resize(m,[2,2]) image.rot90(r)
    image.resize(m,[2,2],'nearest') image.flip_left_right(r) image.adjust_contrast(r,2.0)
    image.adjust_brightness(r,0.1) image.adjust_hue(r,0.1) image.rgb_to_grayscale(r)
    image.rgb_to_hsv(r) image.grayscale_to_rgb(r[...,:1]) image.central_crop(r,0.5)
    image.crop_to_bounding_box(r,0,0,2,2) image.pad_to_bounding_box(r,0,0,5,5)
    image.extract_patches(m,[1,2,2,1],[1,1,1,1],[1,1,1,1],'SAME') image.psnr(r,r,1.0)
    image.crop_and_resize(m,[[0.,0.,1.,1.]],[0],[2,2]) image.per_image_standardization(r)
    image.total_variation(m) image.sobel_edges(m) image.transpose(r)
    random.normal([2,3]) random.uniform([2],0,5,'int32') random.categorical(x,2) random.shuffle(x)
    random.stateless_normal([2],[1,2]) random.stateless_uniform([2],[1,2],0.0,1.0)
    random.truncated_normal([2]) random.gamma([2],v) random.poisson([2],v)
    strings.length(w) strings.join([w,w],'-') strings.split(w) strings.lower(w)
    strings.substr(w,0,1) strings.to_number(w[2:]) strings.as_string(x) strings.reduce_join(w,0)
    strings.regex_replace(w,'a','b') strings.to_hash_bucket_fast(w,5) strings.strip(w)
    cond(c,lambda:x,lambda:y) cond(x[0,0]>0,lambda:v,lambda:u) case([(c,lambda:x)],lambda:y)
    switch_case(n,[lambda:x,lambda:y,lambda:x]) while_loop(lambda_n:n<5,lambda_n:[n+1],[n])
    while_loop(lambda_n,v:n<5,lambda_n,v:[n+1,v*2.0],[n,v]) map_fn(lambda_v:v*2.0,x)
    map_fn(lambda_v:tf.reduce_sum(v),x) scan(lambda_v,u:v+u,x) foldl(lambda_v,u:v+u,x)
    vectorized_map(lambda_v:v*2.0,x) py_function(lambda_v:v*2.0,[v],'float32')
    numpy_function(lambda_v:v*2,[v],'float32') custom_gradient(lambda_v:(v*2.0,lambda_u:u*2.0))(x)
    debugging.check_numerics(x,'x') debugging.assert_equal(x,x) debugging.assert_rank(x,2)
    debugging.assert_shapes([(x,('n','n'))]) debugging.assert_type(x,'float32')
    debugging.assert_positive(y) debugging.assert_less(x,y) debugging.assert_rank_at_least(x,1)
    sparse.to_dense(tf.sparse.from_dense(x)) sparse.sparse_dense_matmul(tf.sparse.from_dense(x),y)
    sparse.reduce_sum(tf.sparse.from_dense(x),0) sparse.reorder(tf.sparse.from_dense(x))
    SparseTensor([[0,1]],v[:1],[3,3]) RaggedTensor.from_row_lengths(v,[1,2])
    RaggedTensor.from_row_splits(v,[0,1,3]).to_tensor() RaggedTensor.from_tensor(x)
    ragged.stack([v,u]) ragged.range(i) TensorArray('float32',3).unstack(x).stack()
    TensorArray('float32',3).write(0,a).read(0) quantization.fake_quant_with_min_max_args(x)
    nest.map_structure(lambda_v,u:v+u,[x],[y]) convert_to_tensor(x,'float32')
    constant(1.0,shape=[2]) gradient(lambda_x,y:x@y,x,y) gradient(lambda_x:x[0],x)
    gradient(lambda_x,i:tf.gather(x,i),x,i) gradient(lambda_x,y:x*y,x,y)
    sort(x,direction='ASCENDING') image.resize_with_pad(r,3,3)
    nn.isotonic_regression(v) compat.v1.nn.fused_batch_norm(m,v[:2],v[:2])
"""
NUMBERS: tuple[Any, ...] = (7, -7, 1.5, "a", None)
OTHER_DTYPES = {
    "float32": ("int32", "float64", "string"),
    "int32": ("int64", "float32", "string"),
    "bool": ("int32", "string"),
    "complex64": ("float32", "int32"),
    "string": ("float32", "int32"),
}
WAYS = ("eager", "known", "lengths", "ranks", "jit")


COMPILED = 4  # one of so many cases is also compiled
ENDING = frozenset(
    [
        "meshgrid(v,u) u:empty known",
        "meshgrid(v,u) v:empty known",
        "math.bincount(i) i:string jit",
        "nn.conv2d(m,f,1,'SAME') m:flatter eager",
        "nn.conv2d(m,f,1,'SAME') m:flatter ranks",
        "nn.conv2d(m,f,[1,2,2,1],'VALID') m:flatter eager",
        "nn.conv2d(m,f,[1,2,2,1],'VALID') m:flatter ranks",
        "nn.conv1d(s,k,1,'SAME') s:flatter eager",
        "nn.conv1d(s,k,1,'SAME') s:flatter ranks",
        "nn.depthwise_conv2d(m,f,[1,1,1,1],'SAME') m:flatter eager",
        "nn.depthwise_conv2d(m,f,[1,1,1,1],'SAME') m:flatter ranks",
        "nn.conv2d_transpose(m,f[:,:,:,:2],[1,4,4,2],1) 4@37=-7 eager",
        "nn.conv2d_transpose(m,f[:,:,:,:2],[1,4,4,2],1) 4@39=-7 eager",
        "signal.irfft(z) z:empty lengths",
        "strings.to_number(w[2:]) w:empty jit",
        "switch_case(n,[lambda:x,lambda:y,lambda:x]) x:flatter jit",
        "switch_case(n,[lambda:x,lambda:y,lambda:x]) y:flatter jit",
    ]
)
"""Questions that end TensorFlow's process."""


class _Names(dict[str, Any]):
    """The names in an expression: those of the library, if nothing else is called so."""

    def __init__(self, tf: Any, others: dict[str, Any]) -> None:
        super().__init__(others)
        self.tf = tf

    def __missing__(self, name: str) -> Any:
        try:
            return getattr(self.tf, name)
        except AttributeError:
            raise KeyError(name) from None


def _helpers(tf: Any) -> dict[str, Any]:
    """Functions that expressions call beside the library's."""

    def tape(function: Any, *args: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(args)
            result = function(*args)
        return tape.gradient(result, args)

    return {"tf": tf, "gradient": tape}


def changed_inputs(name: str) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    """Values that do not fit in place of one, with what was done to them."""
    value = INPUTS[name]
    kind = "string" if value.dtype.kind == "U" else value.dtype.name
    for dtype in OTHER_DTYPES[kind]:
        if kind == "string":
            yield dtype, np.zeros(value.shape, dtype)
        else:
            yield dtype, value.real.astype("U5" if dtype == "string" else dtype)
    yield "deeper", value[None]
    if value.ndim:
        yield "flatter", value[0]
        yield "shorter", value[:-1]
        yield "narrower", value[..., :-1]
        yield "empty", value[:0]


def changed_constants(text: str) -> Iterator[tuple[str, str]]:
    """Expressions with one constant that does not fit, with what was done to it."""
    constants = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Constant)]
    for n in sorted(constants, key=lambda n: n.col_offset):
        others = ("nonsense", 7, None) if isinstance(n.value, str) else NUMBERS
        for other in others:
            if n.value not in (True, False, None) or other is None:
                yield (
                    f"{n.value}@{n.col_offset}={other}",
                    f"{text[: n.col_offset]}({other!r}){text[n.end_col_offset :]}",
                )


def cases() -> Iterator[tuple[str, str, dict[str, np.ndarray[Any, Any]]]]:
    """Names, expressions and inputs."""
    for name in CALLS.split():
        text = name.replace("lambda_", "lambda ")
        tree = ast.parse(text, mode="eval")
        used = sorted({n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} & INPUTS.keys())
        inputs = {key: INPUTS[key] for key in used}
        yield f"{name} right", text, inputs
        for key in used:
            for change, value in changed_inputs(key):
                yield f"{name} {key}:{change}", text, {**inputs, key: value}
        for change, other in changed_constants(text):
            yield f"{name} {change}", other, inputs


def _specs(tf: Any, way: str, tensors: list[Any]) -> list[Any]:
    shapes = {"lengths": lambda t: [None] * len(t.shape), "ranks": lambda t: None}
    shape = shapes.get(way, lambda t: t.shape)
    return [tf.TensorSpec(shape(t), t.dtype) for t in tensors]


def answer(tf: Any, text: str, inputs: dict[str, np.ndarray[Any, Any]], way: str) -> str:
    """Returns the name of the exception that a call raises, or "runs"."""
    tensors = [tf.constant(value) for value in inputs.values()]

    def run(*args: Any) -> Any:
        given = {**_helpers(tf), **dict(zip(inputs, args, strict=True))}
        result = eval(text, given, _Names(tf, given))
        return None if isinstance(result, tf.Operation) else result

    function = run
    try:
        if way != "eager":
            signature = _specs(tf, way, tensors)
            function = tf.function(
                run, input_signature=signature, jit_compile=way == "jit" or None, autograph=False
            )
        with contextlib.redirect_stdout(io.StringIO()):
            function(*tensors)
    except Exception as error:  # noqa: BLE001 (any is an answer)
        return type(error).__name__
    return "runs"


def answers(tf: Any) -> dict[str, str]:
    """The exceptions by expression, change and way."""
    return {
        f"{name} {way}": answer(tf, text, inputs, way)
        for i, (name, text, inputs) in enumerate(cases())
        for way in WAYS
        if f"{name} {way}" not in ENDING and (way != "jit" or not i % COMPILED)
    }


def _known() -> dict[str, str]:
    """The differences in wrong_arguments.txt as patterns, with their reasons.

    A reason is followed by pairs of TensorFlow's exception and ours, and these by calls with ways
    and what was done to the arguments.
    """
    found, reason, pair = {}, "", ["", ""]
    for line in Path(__file__).with_suffix(".txt").read_text().splitlines():
        if line.startswith("## "):
            reason = line.removeprefix("## ")
        elif line.startswith(" "):
            asked, changes = line.split(": ", 1)
            call, ways = asked.split()
            for change, way in itertools.product(changes.split(" "), ways.split(",")):
                question = f"{call} {change} {way}: {pair[0]}, ours: {pair[1]}"
                found[re.escape(question)] = reason
        else:
            pair = line.split()
    return found


DIFFERENCES = _known()
