"""The arguments to try for a parameter, by the parameter's name."""

from __future__ import annotations

from comparison.values import (
    Spec,
    array,
    dtype_of,
    function,
    made_by,
    plain,
    sequence,
)

MATRIX = array()
OTHER = array(seed=3)
VECTOR = array(shape=(3,))
SCALAR = array(shape=())
SQUARE = array(shape=(3, 3), fill="spd")
IMAGES = array(shape=(2, 6, 6, 3), fill="positive")
COUNTS = array("int32", (2, 3), "index")
INDICES = array("int32", (2,), "index")
POSITIVE = array(fill="positive")
TRUTHS = array("bool")
WORDS = array("string", (3,))
WAVES = array("complex64", (2, 4))
RAGGED = array(shape=(3, 3), form="ragged")
SPARSE = array(shape=(3, 3), form="sparse")
NUMBERS = [plain(n) for n in (1, 2, 0, 3, -1)]
SHAPES = [plain(s) for s in ([2, 3], [3, 2], [6], [3], [], [1, 2, 2, 1])]
DATASET = made_by("data.Dataset.range", plain(5))
DENSE = [MATRIX, SQUARE, VECTOR, IMAGES, COUNTS, TRUTHS, WORDS, WAVES, SCALAR, POSITIVE]
TENSOR = [*DENSE, sequence([MATRIX, OTHER]), RAGGED, SPARSE]
ANYTHING = [
    MATRIX,
    *NUMBERS[:2],
    COUNTS,
    SQUARE,
    SHAPES[0],
    dtype_of("float32"),
    VECTOR,
    IMAGES,
    plain("a"),
    WORDS,
    function("double"),
    plain(True),
    WAVES,
    SCALAR,
]
AXES = [plain(a) for a in (0, -1, 1, None, [0], [0, 1], [-1, 0], [], 7)]
TRUTH = [plain(True), plain(False)]
DTYPES = [dtype_of(n) for n in ("float64", "float32", "int32", "bfloat16", "complex64", "string")]
DTYPES += [plain("float32")]
INTEGER_TYPES = [dtype_of(n) for n in ("int64", "int32", "float32")]
SEEDS = [plain([1, 2]), plain(3)]
FUNCTIONS = [function(name) for name in ("double", "add", "constant", "true", "below")]
WINDOWS = [plain(w) for w in (2, [1, 2, 2, 1], [2, 2], [1, 1], 1, [1, 2, 2, 2, 1], [1, 1, 1, 1])]
FILTERS = [
    array(shape=(2, 2, 3, 2)),
    array(shape=(2, 3, 2)),
    array(shape=(2, 2, 3)),
    array(shape=(2, 2, 2, 3, 2)),
    array(shape=(2, 2, 2, 3)),
]


def _each(names: tuple[str, ...], specs: list[Spec]) -> dict[str, list[Spec]]:
    return dict.fromkeys(names, specs)


BY_NAME: dict[str, list[Spec]] = {
    **_each(
        ("x", "y", "a", "b", "input", "tensor", "value", "input_tensor", "t", "inputs"), TENSOR
    ),
    **_each(("axis", "axes", "dim", "batch_dims", "batch_axis"), AXES),
    **_each(("keepdims", "exclusive", "reverse", "adjoint", "half_pixel_centers"), TRUTH),
    **_each(("transpose_a", "transpose_b", "adjoint_a", "adjoint_b", "full_matrices"), TRUTH),
    **_each(("dtype", "T", "Tout", "Tidx", "DstT", "type"), DTYPES),
    **_each(("out_type", "output_type", "out_idx", "row_splits_dtype"), INTEGER_TYPES),
    **_each(("shape", "output_shape", "dense_shape", "dims", "output_shapes"), SHAPES),
    **_each(("matrix", "tril", "operator", "chol", "matrices"), [SQUARE, MATRIX, SPARSE]),
    **_each(("rhs", "other"), [SQUARE, MATRIX, array(shape=(3, 1)), VECTOR]),
    **_each(("images", "image", "contents"), [IMAGES, array(shape=(6, 6, 3)), WORDS]),
    **_each(("signals", "signal", "samples", "frames"), [array(shape=(2, 8)), WAVES]),
    **_each(("stfts", "spectrogram"), [array("complex64", (2, 3, 5))]),
    **_each(("indices", "idx", "ids", "sp_ids"), [INDICES, array("int32", (2, 1), "index")]),
    **_each(("segment_ids",), [array("int32", (2,), "sorted"), INDICES]),
    **_each(
        ("num_segments", "depth", "num", "k", "n", "num_rows", "num_columns", "maxlen", "bins"),
        NUMBERS[1:],
    ),
    **_each(
        ("minval", "maxval", "mean", "stddev", "alpha", "beta", "lam", "rate", "epsilon"),
        [plain(0.5), plain(2), plain(0)],
    ),
    **_each(("labels",), [array("int32", (2,), "index"), POSITIVE, MATRIX]),
    **_each(("targets",), [array("int32", (2,), "index"), POSITIVE]),
    **_each(("filters", "filter", "depthwise_filter"), FILTERS),
    **_each(("ksize", "strides", "dilations", "sizes", "rates"), WINDOWS),
    **_each(("padding",), [plain("SAME"), plain("VALID"), plain("valid"), plain("FULL")]),
    **_each(("data_format",), [plain("NHWC"), plain("NCHW"), plain("NWC"), plain("X")]),
    **_each(("seed", "seeds"), SEEDS),
    **_each(("fn", "elems_fn", "func", "f", "true_fn", "cond", "map_func"), FUNCTIONS),
    **_each(("elems",), [MATRIX, VECTOR, sequence([MATRIX, OTHER], "tuple")]),
    **_each(("structure", "nest"), [plain([1, (2, {"a": 3})]), sequence([MATRIX, OTHER])]),
    **_each(("flat_sequence",), [plain([1, 2, 3]), sequence([MATRIX, OTHER])]),
    **_each(("sp_input", "sp_a", "sp_b", "st", "sp_tensor", "sparse_tensor"), [SPARSE]),
    **_each(("rt_input", "ragged", "rt"), [RAGGED]),
    **_each(("string", "strings", "source", "pattern"), [WORDS, plain("a b"), plain("a")]),
    **_each(("rewrite", "separator", "sep", "delimiter"), [plain(","), plain("")]),
    **_each(("len", "pos", "start", "limit", "delta", "stop"), [plain(1), plain(3), SCALAR]),
    **_each(("repeats", "multiples"), [plain(2), plain([2, 1]), plain([1, 2, 1])]),
    **_each(("paddings",), [plain([[1, 1], [0, 2]]), plain([[1, 0]])]),
    **_each(("begin", "size"), [plain([0, 1]), plain([1, 2]), plain([2, 2]), plain(2)]),
    **_each(("mode",), [plain("CONSTANT"), plain("REFLECT"), plain("SYMMETRIC")]),
    **_each(("perm", "permutation"), [plain([1, 0]), array("int32", (3,), "counting")]),
    **_each(("mask", "condition", "pred", "cond_v2"), [TRUTHS, plain(True), plain([True, False])]),
    **_each(("updates",), [VECTOR, MATRIX, array(shape=(2,))]),
    **_each(("equation",), [plain("ij,kj->ik"), plain("ij->ji"), plain("ij")]),
    **_each(("method",), [plain("bilinear"), plain("nearest")]),
    **_each(("name", "message"), [plain("some_name")]),
    **_each(("ord",), [plain(o) for o in ("euclidean", 1, 2, "fro")]),
    **_each(("side",), [plain("right"), plain("left"), plain("up")]),
    **_each(("direction",), [plain("DESCENDING"), plain("ASCENDING"), plain("up")]),
    **_each(("num_or_size_splits",), [plain(1), plain([1, 1]), plain(3), plain([1, 2])]),
    **_each(("frame_length", "fft_length", "window_length", "frame_step"), NUMBERS[1:]),
    **_each(("clip_value_min", "clip_norm", "lower"), [plain(-0.5), plain(0.5)]),
    **_each(("clip_value_max", "upper"), [plain(0.5), plain(1)]),
    **_each(("sequence_lengths", "lengths", "seq_lengths"), [plain([1, 2]), INDICES]),
    **_each(("values", "tensors", "arrays"), [sequence([MATRIX, OTHER]), MATRIX, VECTOR]),
    **_each(("dataset", "input_dataset"), [DATASET]),
    **_each(("target_height", "target_width", "offset_height"), NUMBERS[:3]),
    **_each(("boxes",), [array(shape=(2, 4), fill="positive")]),
    **_each(("box_indices",), [plain([0, 1])]),
    **_each(("crop_size", "new_size", "target_size"), [plain([3, 4]), plain([2])]),
    **_each(("params",), [MATRIX, SQUARE, VECTOR, RAGGED]),
    **_each(("weights", "logits", "pos_weight"), [MATRIX, POSITIVE, VECTOR, plain(2.0), SCALAR]),
    **_each(("scale", "offset", "variance", "bias"), [VECTOR, array(shape=(2,)), SCALAR]),
    **_each(("value_range",), [plain([-1.0, 1.0])]),
    **_each(("nbins", "num_classes", "top_k", "block_size"), NUMBERS[1:]),
    **_each(("summarize", "parallel_iterations"), NUMBERS[:1]),
    **_each(("validate_indices", "swap_memory", "infer_shape", "back_prop"), TRUTH),
}


def for_parameter(name: str, default: object = None) -> list[Spec]:
    """Returns the arguments to try for a parameter."""
    if name in BY_NAME:
        return BY_NAME[name]
    if isinstance(default, bool):
        return TRUTH
    if isinstance(default, int):
        return NUMBERS
    if isinstance(default, float):
        return [plain(0.5), plain(2.0), plain(-1.0), plain(1)]
    return ANYTHING
