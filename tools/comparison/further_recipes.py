"""Working arguments of public functions that the names of their parameters do not determine."""

from __future__ import annotations

from comparison.values import Spec, array, dtype_of, made_by, plain, sequence

IMAGES = array(shape=(2, 6, 6, 3), fill="positive")
PICTURE = array("uint8", (4, 5, 3), "counting")
SPD = array(shape=(3, 3), fill="spd")
SPARSE = array(shape=(3, 3), form="sparse")
TEXT = array("string", (3,))
SAME = plain("SAME")
DATASET = made_by("data.Dataset.range", plain(5))
BOXES = array(shape=(2, 4), fill="positive")
OPERATOR = made_by("linalg.LinearOperatorFullMatrix", SPD)
DIAGONAL = made_by("linalg.LinearOperatorDiag", array(shape=(3,), fill="positive"))
CLASSES = array("int64", (2, 1), "index")
TABLE = made_by("lookup.KeyValueTensorInitializer", plain(["a", "b"]), plain([1, 2]))
SPEC = made_by("TensorSpec", plain([2, None]), plain("float32"))
RAGGED_SPEC = made_by("RaggedTensorSpec", plain([2, None]), plain("float32"))
SPARSE_SPEC = made_by("SparseTensorSpec", plain([2, None]), plain("float32"))

_LOSS = {
    "weights": array(shape=(4, 3)),
    "biases": array(shape=(4,)),
    "labels": CLASSES,
    "inputs": array(shape=(2, 3)),
    "num_sampled": plain(2),
    "num_classes": plain(4),
}
_SAMPLER = {
    "true_classes": CLASSES,
    "num_true": plain(1),
    "num_sampled": plain(2),
    "unique": plain(True),
    "range_max": plain(4),
}

FURTHER_RECIPES: dict[str, list[dict[str, Spec]]] = {
    "IndexedSlices": [{"values": array(), "indices": plain([0, 2]), "dense_shape": plain([4, 3])}],
    "TensorArray": [{"dtype": dtype_of("float32"), "size": plain(2)}],
    "RaggedTensorSpec": [{"shape": plain([2, None]), "dtype": dtype_of("float32")}],
    "UnconnectedGradients": [{"value": plain("none")}],
    "VariableAggregation": [{"value": plain(1)}],
    "VariableSynchronization": [{"value": plain(2)}],
    "random.Algorithm": [{"value": plain(1)}],
    "edit_distance": [
        {
            "hypothesis": array("int64", (2, 3), "index", "sparse"),
            "truth": array("int64", (2, 3), "counting", "sparse"),
        }
    ],
    "space_to_batch_nd": [
        {"input": IMAGES, "block_shape": plain([2, 2]), "paddings": plain([[0, 0], [0, 0]])}
    ],
    "debugging.assert_shapes": [
        {"shapes": sequence([sequence([array(), plain([2, "n"])], "tuple")])}
    ],
    "image.combined_non_max_suppression": [
        {
            "boxes": array(shape=(1, 2, 1, 4), fill="positive"),
            "scores": array(shape=(1, 2, 1), fill="positive"),
            "max_output_size_per_class": plain(2),
            "max_total_size": plain(2),
        }
    ],
    "image.decode_and_crop_jpeg": [
        {"contents": made_by("io.encode_jpeg", PICTURE), "crop_window": plain([0, 0, 2, 3])}
    ],
    "image.encode_jpeg": [{"image": PICTURE}],
    "image.adjust_jpeg_quality": [{"image": PICTURE, "jpeg_quality": plain(90)}],
    "image.random_jpeg_quality": [
        {"image": PICTURE, "min_jpeg_quality": plain(90), "max_jpeg_quality": plain(95)}
    ],
    "image.stateless_random_jpeg_quality": [
        {
            "image": PICTURE,
            "min_jpeg_quality": plain(90),
            "max_jpeg_quality": plain(95),
            "seed": plain([1, 2]),
        }
    ],
    "image.non_max_suppression_overlaps": [
        {
            "overlaps": array(shape=(2, 2), fill="positive"),
            "scores": array(shape=(2,), fill="positive"),
            "max_output_size": plain(2),
        }
    ],
    **{
        f"image.{what}sample_distorted_bounding_box": [
            {
                "image_size": plain([10, 12, 3]),
                "bounding_boxes": plain([[[0.1, 0.1, 0.8, 0.9]]]),
                "seed": seed,
                "min_object_covered": plain(0.3),
            }
        ]
        for what, seed in (("", plain(0)), ("stateless_", plain([1, 2])))
    },
    "image.ssim_multiscale": [
        {
            "img1": array(shape=(1, 32, 32, 1), fill="positive"),
            "img2": array(shape=(1, 32, 32, 1), fill="positive", seed=4),
            "max_val": plain(1.0),
            "power_factors": plain([0.5, 0.5]),
            "filter_size": plain(3),
        }
    ],
    "image.stateless_random_hue": [
        {"image": IMAGES, "max_delta": plain(0.2), "seed": plain([1, 2])}
    ],
    "image.stateless_random_saturation": [
        {"image": IMAGES, "lower": plain(0.5), "upper": plain(1.5), "seed": plain([1, 2])}
    ],
    "io.deserialize_many_sparse": [
        {
            "serialized_sparse": made_by("io.serialize_many_sparse", SPARSE),
            "dtype": dtype_of("float32"),
        }
    ],
    "linalg.LinearOperatorAdjoint": [{"operator": OPERATOR}],
    "linalg.LinearOperatorInversion": [{"operator": OPERATOR}],
    "linalg.LinearOperatorBlockDiag": [{"operators": sequence([OPERATOR, DIAGONAL])}],
    "linalg.LinearOperatorComposition": [{"operators": sequence([OPERATOR, DIAGONAL])}],
    "linalg.LinearOperatorKronecker": [{"operators": sequence([OPERATOR, DIAGONAL])}],
    "linalg.LinearOperatorBlockLowerTriangular": [
        {"operators": sequence([sequence([OPERATOR]), sequence([OPERATOR, DIAGONAL])])}
    ],
    "linalg.LinearOperatorLowRankUpdate": [{"base_operator": DIAGONAL, "u": array(shape=(3, 1))}],
    "linalg.experimental.conjugate_gradient": [
        {
            "operator": made_by(
                "linalg.LinearOperatorFullMatrix",
                SPD,
                is_self_adjoint=plain(True),
                is_positive_definite=plain(True),
            ),
            "rhs": array(shape=(3,)),
        }
    ],
    "lookup.StaticHashTable": [{"initializer": TABLE, "default_value": plain(0)}],
    "lookup.experimental.DenseHashTable": [
        {
            "key_dtype": dtype_of("int64"),
            "value_dtype": dtype_of("float32"),
            "default_value": plain(0.0),
            "empty_key": plain(-1),
            "deleted_key": plain(-2),
        }
    ],
    "lookup.experimental.MutableHashTable": [
        {
            "key_dtype": dtype_of("string"),
            "value_dtype": dtype_of("float32"),
            "default_value": plain(0.0),
        }
    ],
    "nn.all_candidate_sampler": [
        {
            "true_classes": CLASSES,
            "num_true": plain(1),
            "num_sampled": plain(2),
            "unique": plain(True),
        }
    ],
    "nn.fixed_unigram_candidate_sampler": [{**_SAMPLER, "unigrams": plain([0.1, 0.2, 0.3, 0.4])}],
    "random.log_uniform_candidate_sampler": [_SAMPLER],
    "random.uniform_candidate_sampler": [_SAMPLER],
    "nn.nce_loss": [_LOSS],
    "nn.sampled_softmax_loss": [_LOSS],
    "nn.compute_accidental_hits": [
        {
            "true_classes": CLASSES,
            "sampled_candidates": array("int64", (3,), "index"),
            "num_true": plain(1),
        }
    ],
    "nn.atrous_conv2d_transpose": [
        {
            "value": array(shape=(1, 4, 4, 2)),
            "filters": array(shape=(2, 2, 3, 2)),
            "output_shape": plain([1, 4, 4, 3]),
            "rate": plain(2),
            "padding": SAME,
        }
    ],
    "nn.conv3d_transpose": [
        {
            "input": array(shape=(1, 2, 2, 2, 2)),
            "filters": array(shape=(2, 2, 2, 3, 2)),
            "output_shape": plain([1, 4, 4, 4, 3]),
            "strides": plain(2),
            "padding": SAME,
        }
    ],
    "nn.conv_transpose": [
        {
            "input": array(shape=(1, 3, 3, 2)),
            "filters": array(shape=(2, 2, 3, 2)),
            "output_shape": plain([1, 6, 6, 3]),
            "strides": plain(2),
            "padding": SAME,
        }
    ],
    "nn.ctc_beam_search_decoder": [
        {"inputs": array(shape=(4, 1, 3)), "sequence_length": plain([4])}
    ],
    "nn.erosion2d": [
        {
            "value": IMAGES,
            "filters": array(shape=(2, 2, 3)),
            "strides": plain([1, 1, 1, 1]),
            "padding": SAME,
            "data_format": plain("NHWC"),
            "dilations": plain([1, 1, 1, 1]),
        }
    ],
    "nn.fractional_avg_pool": [
        {"value": IMAGES, "pooling_ratio": plain([1.0, 1.4, 1.4, 1.0]), "seed": plain(1)}
    ],
    "quantization.fake_quant_with_min_max_vars_per_channel": [
        {"inputs": array(), "min": plain([-1.0, -1.0, -1.0]), "max": plain([1.0, 2.0, 3.0])}
    ],
    "quantization.fake_quant_with_min_max_vars_per_channel_gradient": [
        {
            "gradients": array(seed=3),
            "inputs": array(),
            "min": plain([-1.0, -1.0, -1.0]),
            "max": plain([1.0, 2.0, 3.0]),
        }
    ],
    **{
        f"ragged.cross{end}": [
            {"inputs": sequence([made_by("ragged.constant", plain([["a"], ["b", "c"]]))])}
        ]
        for end in ("", "_hashed")
    },
    **{
        f"signal.{name}": [{"input_tensor": array("complex64", (2, 4))}]
        for name in ("fftnd", "ifftnd", "irfftnd")
    },
    "sparse.mask": [
        {
            "a": made_by("IndexedSlices", array(), plain([0, 2]), plain([4, 3])),
            "mask_indices": plain([2]),
        }
    ],
    "sparse.retain": [
        {
            "sp_input": made_by(
                "SparseTensor", plain([[0, 1], [2, 0]]), plain([1.0, 2.0]), plain([3, 3])
            ),
            "to_retain": plain([True, False]),
        }
    ],
    "sparse.to_indicator": [
        {"sp_input": array("int64", (2, 2), "index", "sparse"), "vocab_size": plain(3)}
    ],
    "strings.to_hash_bucket": [{"input": TEXT, "num_buckets": plain(5)}],
    "strings.to_hash_bucket_fast": [{"input": TEXT, "num_buckets": plain(5)}],
    "strings.to_hash_bucket_strong": [
        {"input": TEXT, "num_buckets": plain(5), "key": plain([1, 2])}
    ],
    "strings.unicode_decode_with_offsets": [{"input": TEXT, "input_encoding": plain("UTF-8")}],
    "strings.unicode_split_with_offsets": [{"input": TEXT, "input_encoding": plain("UTF-8")}],
    "Variable.batch_scatter_update": [
        {
            "(self)": array(form="variable"),
            "sparse_delta": made_by("IndexedSlices", array(shape=(2, 1)), plain([[0], [1]])),
        }
    ],
    "RaggedTensor.from_nested_value_rowids": [
        {
            "flat_values": array(shape=(3,)),
            "nested_value_rowids": sequence([plain([0, 0]), plain([0, 1, 1])]),
        }
    ],
    "RaggedTensor.from_sparse": [{"st_input": SPARSE}],
    "SparseTensor.from_value": [{"sparse_tensor_value": SPARSE}],
    "TensorShape.assert_is_fully_defined": [{"(self)": made_by("TensorShape", plain([2, 3]))}],
    "TensorShape.assert_same_rank": [
        {"(self)": made_by("TensorShape", plain([2, None])), "other": plain([1, 2])}
    ],
    "TensorShape.most_specific_compatible_shape": [
        {"(self)": made_by("TensorShape", plain([2, None])), "other": plain([2, 3])}
    ],
    "TensorSpec.from_spec": [{"spec": SPEC}],
    "RaggedTensorSpec.most_specific_compatible_type": [
        {"(self)": RAGGED_SPEC, "other": RAGGED_SPEC}
    ],
    "RaggedTensorSpec.to_tensors": [
        {"(self)": RAGGED_SPEC, "value": made_by("ragged.constant", plain([[1.0], [2.0, 3.0]]))}
    ],
    "SparseTensorSpec.most_specific_compatible_type": [
        {"(self)": SPARSE_SPEC, "other": SPARSE_SPEC}
    ],
    "data.Dataset.choose_from_datasets": [
        {"datasets": sequence([DATASET, DATASET]), "choice_dataset": DATASET}
    ],
    "data.Dataset.get_single_element": [{"(self)": made_by("data.Dataset.from_tensors", array())}],
    "data.Dataset.unique": [
        {"(self)": made_by("data.Dataset.from_tensor_slices", plain([1, 2, 1]))}
    ],
    "data.Dataset.with_options": [{"(self)": DATASET, "options": made_by("data.Options")}],
    "data.Dataset.zip": [{"datasets": sequence([DATASET, DATASET], "tuple")}],
    "linalg.LinearOperatorFullMatrix.cholesky": [
        {
            "(self)": made_by(
                "linalg.LinearOperatorFullMatrix",
                SPD,
                is_self_adjoint=plain(True),
                is_positive_definite=plain(True),
            )
        }
    ],
    "linalg.LinearOperatorDiag.cholesky": [
        {
            "(self)": made_by(
                "linalg.LinearOperatorDiag",
                array(shape=(3,), fill="positive"),
                is_self_adjoint=plain(True),
                is_positive_definite=plain(True),
            )
        }
    ],
    "experimental.RowPartition.from_row_splits": [{"row_splits": plain([0, 1, 3])}],
    "experimental.RowPartition.from_row_starts": [{"row_starts": plain([0, 1]), "nvals": plain(3)}],
    "experimental.RowPartition.from_uniform_row_length": [
        {"uniform_row_length": plain(2), "nvals": plain(4)}
    ],
    "experimental.DynamicRaggedShape.from_tensor": [{"t": array(shape=(3, 3), form="ragged")}],
    "experimental.DynamicRaggedShape.from_lengths": [{"lengths": plain([2, (1, 2)])}],
    "__operators__.getitem": [{"tensor": array(), "slice_spec": plain(0)}],
    "__operators__.ragged_getitem": [
        {"rt_input": array(shape=(3, 3), form="ragged"), "key": plain(0)}
    ],
    "__operators__.eq": [{"self": array(), "other": array(seed=3)}],
    "__operators__.ne": [{"self": array(), "other": array(seed=3)}],
}
