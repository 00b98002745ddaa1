"""Arguments that a parameter's name does not determine, and objects with methods to call."""

from __future__ import annotations

from comparison.data_recipes import DATA_RECIPES
from comparison.further_recipes import FURTHER_RECIPES
from comparison.quantized_recipes import QUANTIZED_RECIPES
from comparison.raw_recipes import RAW_RECIPES
from comparison.resource_recipes import RESOURCE_RECIPES
from comparison.values import Spec, array, function, made_by, plain, sequence

M = array()
V = array(shape=(3,))
RAGGED = array(shape=(3, 3), form="ragged")
SPARSE = array(shape=(3, 3), form="sparse")
SPD = array(shape=(3, 3), fill="spd")
TEXT = array("string", (3,))

IMAGES = array(shape=(2, 6, 6, 3), fill="positive")
IMAGE = array(shape=(6, 6, 3), fill="positive")
PICTURE = array("uint8", (4, 5, 3), "counting")
VOLUMES = array(shape=(1, 3, 3, 3, 2))
SIGNALS = array(shape=(2, 8, 3))
FILTER_1D = array(shape=(2, 3, 2), seed=1)
FILTER_2D = array(shape=(2, 2, 3, 2), seed=1)
FILTER_3D = array(shape=(2, 2, 2, 2, 2), seed=1)
ROWS = array("int32", (2,), "sorted")
SAME = plain("SAME")
PNG = made_by("io.encode_png", PICTURE)
JPEG = made_by("io.encode_jpeg", PICTURE)
EQUAL_SHAPE_SPARSE = array(shape=(3, 3), form="sparse", seed=5)
WHOLE = array("int64", (3, 3), "counting", "sparse")
ROW_IDS = plain([0, 0, 1])
LENGTHS = plain([1, 2])
DATASET = made_by("data.Dataset.range", plain(5))
LOOP = sequence([V])

RECIPES: dict[str, list[dict[str, Spec]]] = {
    "einsum": [{"equation": plain("ij,kj->ik"), "inputs": M, "more": array(seed=3)}],
    "experimental.numpy.einsum": [{"subscripts": plain("ij,kj->ik"), "a": M, "b": M}],
    "clip_by_global_norm": [{"t_list": sequence([M, V]), "clip_norm": plain(1.5)}],
    "linalg.global_norm": [{"t_list": sequence([M, V])}],
    "cond": [
        {"pred": plain(True), "true_fn": function("constant"), "false_fn": function("constant")},
        {
            "pred": array("bool", ()),
            "true_fn": function("constant"),
            "false_fn": function("constant"),
        },
    ],
    "case": [{"pred_fn_pairs": plain([]), "default": function("constant")}],
    "switch_case": [
        {
            "branch_index": plain(1),
            "branch_fns": sequence([function("constant"), function("constant")]),
        }
    ],
    "while_loop": [{"cond": function("below"), "body": function("double_list"), "loop_vars": LOOP}],
    "nest.map_structure": [{"func": function("double"), "structure": sequence([M, V])}],
    "ragged.map_flat_values": [{"op": function("double"), "args": RAGGED}],
    "sparse.map_values": [{"op": function("double"), "args": SPARSE}],
    "broadcast_static_shape": [
        {
            "shape_x": made_by("TensorShape", plain([2, 1])),
            "shape_y": made_by("TensorShape", plain([1, 3])),
        }
    ],
    "reverse_sequence": [{"input": M, "seq_lengths": plain([1, 2]), "seq_axis": plain(1)}],
    "batch_to_space": [
        {
            "input": array(shape=(4, 1, 1, 1)),
            "block_shape": plain([2, 2]),
            "crops": plain([[0, 0], [0, 0]]),
        }
    ],
    "space_to_batch": [
        {"input": IMAGES, "block_shape": plain([2, 2]), "paddings": plain([[0, 0], [0, 0]])}
    ],
    "extract_volume_patches": [
        {
            "input": VOLUMES,
            "ksizes": plain([1, 2, 2, 2, 1]),
            "strides": plain([1, 1, 1, 1, 1]),
            "padding": SAME,
        }
    ],
    "make_ndarray": [{"tensor": made_by("make_tensor_proto", M)}],
    "Variable": [{"initial_value": M}],
    "IndexedSlices": [{"values": M, "indices": plain([0, 2])}],
    "SparseTensor": [
        {
            "indices": plain([[0, 1], [1, 0]]),
            "values": array(shape=(2,)),
            "dense_shape": plain([2, 3]),
        }
    ],
    "TensorArray": [{"dtype": {"k": "dtype", "v": "float32"}, "size": plain(2)}],
    "image.grayscale_to_rgb": [{"images": array(shape=(2, 4, 4, 1), fill="positive")}],
    "image.pad_to_bounding_box": [
        {
            "image": IMAGE,
            "offset_height": plain(1),
            "offset_width": plain(2),
            "target_height": plain(9),
            "target_width": plain(10),
        }
    ],
    "image.ssim": [
        {"img1": IMAGES, "img2": IMAGES, "max_val": plain(1.0), "filter_size": plain(3)}
    ],
    "image.draw_bounding_boxes": [
        {
            "images": IMAGES,
            "boxes": array(shape=(2, 1, 4), fill="positive"),
            "colors": array(shape=(1, 3), fill="positive"),
        }
    ],
    "image.extract_glimpse": [
        {"input": IMAGES, "size": plain([3, 3]), "offsets": array(shape=(2, 2), fill="positive")}
    ],
    "image.random_hue": [{"image": IMAGE, "max_delta": plain(0.25)}],
    "image.decode_png": [{"contents": PNG}],
    "image.decode_image": [{"contents": PNG}, {"contents": JPEG}],
    "image.decode_jpeg": [{"contents": JPEG}],
    "image.extract_jpeg_shape": [{"contents": JPEG}],
    "image.encode_png": [{"image": PICTURE}],
    "image.non_max_suppression_padded": [
        {
            "boxes": array(shape=(3, 4), fill="positive"),
            "scores": array(shape=(3,), fill="positive"),
            "max_output_size": plain(2),
        }
    ],
    "io.decode_raw": [
        {"input_bytes": plain(b"abcdefgh"), "out_type": {"k": "dtype", "v": "int32"}}
    ],
    "io.parse_tensor": [
        {
            "serialized": made_by("io.serialize_tensor", M),
            "out_type": {"k": "dtype", "v": "float32"},
        }
    ],
    "io.decode_base64": [{"input": plain("YWJj")}],
    "linalg.logm": [{"input": array("complex64", (3, 3), "spd")}],
    "linalg.eigh_tridiagonal": [{"alpha": V, "beta": array(shape=(2,))}],
    "math.invert_permutation": [{"x": plain([2, 0, 1])}],
    "math.approx_min_k": [{"operand": M, "k": plain(2)}],
    "nn.conv1d_transpose": [
        {
            "input": SIGNALS,
            "filters": array(shape=(2, 2, 3)),
            "output_shape": plain([2, 16, 2]),
            "strides": plain(2),
        }
    ],
    "nn.conv2d_transpose": [
        {
            "input": IMAGES,
            "filters": array(shape=(2, 2, 2, 3)),
            "output_shape": plain([2, 12, 12, 2]),
            "strides": plain(2),
        }
    ],
    "nn.conv3d": [
        {
            "input": VOLUMES,
            "filters": FILTER_3D,
            "strides": plain([1, 1, 1, 1, 1]),
            "padding": SAME,
        }
    ],
    "nn.avg_pool1d": [{"input": SIGNALS, "ksize": plain(2), "strides": plain(2), "padding": SAME}],
    "nn.max_pool1d": [{"input": SIGNALS, "ksize": plain(2), "strides": plain(2), "padding": SAME}],
    "nn.avg_pool3d": [{"input": VOLUMES, "ksize": plain(2), "strides": plain(2), "padding": SAME}],
    "nn.max_pool3d": [{"input": VOLUMES, "ksize": plain(2), "strides": plain(2), "padding": SAME}],
    "nn.pool": [{"input": IMAGES, "window_shape": plain([2, 2]), "pooling_type": plain("MAX")}],
    "nn.depth_to_space": [{"input": array(shape=(2, 2, 2, 4)), "block_size": plain(2)}],
    "nn.dilation2d": [
        {
            "input": IMAGES,
            "filters": array(shape=(2, 2, 3)),
            "strides": plain([1, 1, 1, 1]),
            "padding": SAME,
            "data_format": plain("NHWC"),
            "dilations": plain([1, 1, 1, 1]),
        }
    ],
    "nn.separable_conv2d": [
        {
            "input": IMAGES,
            "depthwise_filter": array(shape=(2, 2, 3, 1)),
            "pointwise_filter": array(shape=(1, 1, 3, 2)),
            "strides": plain([1, 1, 1, 1]),
            "padding": SAME,
        }
    ],
    "nn.ctc_loss": [
        {
            "labels": plain([[1, 2]]),
            "logits": array(shape=(4, 1, 3)),
            "label_length": plain([2]),
            "logit_length": plain([4]),
        }
    ],
    "nn.ctc_greedy_decoder": [{"inputs": array(shape=(4, 1, 3)), "sequence_length": plain([4])}],
    "nn.embedding_lookup_sparse": [
        {
            "params": SPD,
            "sp_ids": array("int64", (3, 2), "index", "sparse"),
            "sp_weights": plain(None),
        }
    ],
    "nn.safe_embedding_lookup_sparse": [
        {"embedding_weights": SPD, "sparse_ids": array("int64", (3, 2), "index", "sparse")}
    ],
    "nn.sigmoid_cross_entropy_with_logits": [{"labels": array(fill="positive"), "logits": M}],
    "sets.size": [{"a": WHOLE}],
    "signal.mdct": [{"signals": array(shape=(16,)), "frame_length": plain(8)}],
    "signal.inverse_mdct": [{"mdcts": array(shape=(3, 4))}],
    "sparse.bincount": [{"values": array("int64", (3,), "index")}],
    "sparse.concat": [{"axis": plain(0), "sp_inputs": sequence([SPARSE, EQUAL_SHAPE_SPARSE])}],
    "sparse.reshape": [{"sp_input": SPARSE, "shape": plain([9])}],
    "sparse.slice": [{"sp_input": SPARSE, "start": plain([0, 1]), "size": plain([2, 2])}],
    "sparse.split": [{"sp_input": SPARSE, "num_split": plain(3), "axis": plain(0)}],
    "strings.format": [{"template": plain("a {} b"), "inputs": M}],
    "strings.substr": [{"input": TEXT, "pos": plain(0), "len": plain(1)}],
    "strings.to_number": [{"input": plain(["1.5", "2"])}],
    "strings.unicode_decode": [{"input": TEXT, "input_encoding": plain("UTF-8")}],
    "strings.unicode_split": [{"input": TEXT, "input_encoding": plain("UTF-8")}],
    "strings.unicode_encode": [{"input": plain([97, 98]), "output_encoding": plain("UTF-8")}],
    "strings.unicode_transcode": [
        {"input": TEXT, "input_encoding": plain("UTF-8"), "output_encoding": plain("UTF-16-BE")}
    ],
    "strings.unsorted_segment_join": [
        {"inputs": TEXT, "segment_ids": ROW_IDS, "num_segments": plain(2)}
    ],
    "experimental.numpy.around": [{"a": M, "decimals": plain(1)}],
    "experimental.numpy.moveaxis": [{"a": M, "source": plain(0), "destination": plain(1)}],
    "experimental.numpy.pad": [
        {"array": M, "pad_width": plain([[1, 1], [0, 2]]), "mode": plain("constant")}
    ],
    "RaggedTensor.from_row_lengths": [{"values": V, "row_lengths": LENGTHS}],
    "RaggedTensor.from_row_splits": [{"values": V, "row_splits": plain([0, 1, 3])}],
    "RaggedTensor.from_row_starts": [{"values": V, "row_starts": plain([0, 1])}],
    "RaggedTensor.from_nested_row_splits": [
        {"flat_values": V, "nested_row_splits": plain([[0, 2], [0, 1, 3]])}
    ],
    "RaggedTensor.from_nested_row_lengths": [
        {"flat_values": V, "nested_row_lengths": plain([[2], [1, 2]])}
    ],
    "data.Dataset.range": [{"args": plain(5)}],
    "data.Dataset.zip": [{"args": DATASET, "more": DATASET}],
}
_OF_OBJECTS: dict[str, dict[str, Spec]] = {
    "Variable.assign_add": {"delta": array(seed=2)},
    "Variable.assign_sub": {"delta": array(seed=2)},
    **{
        f"Variable.scatter_{what}": {
            "sparse_delta": made_by("IndexedSlices", array(shape=(2, 3)), plain([0, 1]))
        }
        for what in ("add", "sub", "max", "min", "mul", "div", "update")
    },
    "RaggedTensor.with_values": {"new_values": array(shape=(5,))},
    "RaggedTensor.with_flat_values": {"new_values": array(shape=(5,))},
    "SparseTensor.with_values": {"new_values": array(shape=(9,))},
    "TensorShape.concatenate": {"other": plain([4])},
    "TensorShape.is_compatible_with": {"other": plain([2, 5, 3])},
    "TensorShape.merge_with": {"other": plain([None, 5, 3])},
    "TensorShape.with_rank": {"rank": plain(3)},
    "TensorShape.with_rank_at_most": {"rank": plain(4)},
    "TensorShape.assert_has_rank": {"rank": plain(3)},
    "TensorShape.assert_is_compatible_with": {"other": plain([2, 5, 3])},
    "TensorSpec.most_specific_compatible_type": {
        "other": made_by("TensorSpec", plain([2, 4]), plain("float32"))
    },
    "DType.is_compatible_with": {"other": plain("float32")},
    "data.Dataset.concatenate": {
        "dataset": made_by("data.Dataset.from_tensor_slices", array(shape=(1, 2)))
    },
    "data.Dataset.filter": {"predicate": function("true")},
    "data.Dataset.take_while": {"predicate": function("true")},
    "data.Dataset.scan": {"initial_state": array(shape=(2,)), "scan_func": function("pair")},
    "data.Dataset.flat_map": {"map_func": function("slices")},
    "data.Dataset.interleave": {"map_func": function("slices")},
    "data.Dataset.unique": {},
    "TensorArray.split": {"value": V, "lengths": plain([1, 1, 1])},
}

OBJECTS: dict[str, Spec] = {
    "Tensor": M,
    "Variable": array(form="variable"),
    "RaggedTensor": RAGGED,
    "SparseTensor": SPARSE,
    "IndexedSlices": made_by("IndexedSlices", M, plain([0, 2]), plain([4, 3])),
    "TensorShape": made_by("TensorShape", plain([2, None, 3])),
    "TensorSpec": made_by("TensorSpec", plain([2, None]), plain("float32")),
    "RaggedTensorSpec": made_by("RaggedTensorSpec", plain([2, None]), plain("float32")),
    "SparseTensorSpec": made_by("SparseTensorSpec", plain([2, None]), plain("float32")),
    "DType": {"k": "dtype", "v": "float32"},
    "data.Dataset": made_by("data.Dataset.from_tensor_slices", array(shape=(4, 2))),
    "random.Generator": made_by("random.Generator.from_seed", plain(3)),
    "TensorArray": made_by("TensorArray", plain("float32"), size=plain(3), element_shape=plain([])),
    "linalg.LinearOperatorFullMatrix": made_by("linalg.LinearOperatorFullMatrix", SPD),
    "linalg.LinearOperatorDiag": made_by("linalg.LinearOperatorDiag", V),
    "experimental.DynamicRaggedShape": made_by(
        "experimental.DynamicRaggedShape.from_lengths", plain([2, (1, 2)])
    ),
    "experimental.RowPartition": made_by(
        "experimental.RowPartition.from_row_lengths", plain([1, 2])
    ),
}
RECIPES.update(
    {
        path: [{"(self)": OBJECTS[path.rpartition(".")[0]], **arguments}]
        for path, arguments in _OF_OBJECTS.items()
    }
)
RECIPES.update(FURTHER_RECIPES)
RECIPES.update(DATA_RECIPES)
RECIPES.update(
    {
        f"raw_ops.{name}": arguments
        for name, arguments in (RAW_RECIPES | RESOURCE_RECIPES | QUANTIZED_RECIPES).items()
    }
)
