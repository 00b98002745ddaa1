"""Working arguments of functions that read bytes, and of methods of datasets and specs."""

from __future__ import annotations

from comparison.values import Spec, array, dtype_of, function, made_by, mapping, plain, sequence

BMP = plain(
    b"BMF\0\0\0\0\0\0\x006\0\0\0(\0\0\0\2\0\0\0\2\0\0\0\1\0\x18\0\0\0\0\0\x10\0\0\0\xc4\x0e\0\0\xc4\x0e"
    b"\0\0\0\0\0\0\0\0\0\0\xa0\x8cx\xdc\xc8\xb4\0\0(\x14\0dP<\0\0"
)
GIF = plain(
    b"GIF87a\2\0\2\0\x81\0\0\xb4\xc8\xdcx\x8c\xa0<Pd\0\x14(,\0\0\0\0\2\0\2\0\0\b\7\0\7\b\b\0  \0;"
)
WEBP = plain(
    b"RIFF(\0\0\0WEBPVP8L\x1b\0\0\0/\1@\0\0\x1fp\n\x9e\xe19\n\xcf\xfc\7\xde\x1d\xc8\6(S\x85YD\xffc\7\0"
)
SOUND = made_by("audio.encode_wav", array(shape=(4, 2)), plain(8000))
FLOATS = {"a": made_by("io.FixedLenFeature", plain([2]), dtype_of("float32"))}
WORDS = {"b": made_by("io.VarLenFeature", dtype_of("string"))}
STEPS = {"c": made_by("io.FixedLenSequenceFeature", plain([1]), dtype_of("int64"))}
EXAMPLE = plain(b"\n\x20\n\x11\n\1a\x12\x0c\x12\n\n\x08\0\0\x80?\0\0\0@\n\x0b\n\1b\x12\6\n\4\n\2xy")
SEQUENCE_EXAMPLE = plain(
    b"\n\x13\n\x11\n\1a\x12\x0c\x12\n\n\x08\0\0\x80?\0\0\0@"
    b"\x12\x15\n\x13\n\1c\x12\x0e\n\5\x1a\3\n\1\1\n\5\x1a\3\n\1\2"
)
NUMBERS = made_by("data.Dataset.range", plain(5))
SLICES = made_by("data.Dataset.from_tensor_slices", array(shape=(4, 2)))
SPEC = made_by("TensorSpec", plain([2, None]), plain("float32"))
RAGGED_SPEC = made_by("RaggedTensorSpec", plain([2, None]), plain("float32"))
SPARSE_SPEC = made_by("SparseTensorSpec", plain([2, None]), plain("float32"))
RAGGED_SHAPE = made_by("experimental.DynamicRaggedShape.from_lengths", plain([2, (1, 2)]))
PARTITION = made_by("experimental.RowPartition.from_row_lengths", plain([1, 2]))
TABLE = made_by(
    "lookup.KeyValueTensorInitializer",
    plain(["a", "b"]),
    plain([0, 1]),
    value_dtype=dtype_of("int64"),
)

IMAGES = array(shape=(2, 6, 6, 3), fill="positive")
STEPPED = {"strides": plain([1, 1, 1, 1]), "padding": plain("SAME")}
QUANTIZED = made_by("bitcast", array("uint8", (2, 3), "counting"), dtype_of("quint8"))
QUANTIZED_PARTS = {
    "concat_dim": plain(0),
    "values": sequence([QUANTIZED, QUANTIZED]),
    "input_mins": plain([-1.0, -2.0]),
    "input_maxes": plain([1.0, 2.0]),
}

DATA_RECIPES: dict[str, list[dict[str, Spec]]] = {
    "audio.decode_wav": [{"contents": SOUND}],
    "image.decode_bmp": [{"contents": BMP}],
    "image.decode_gif": [{"contents": GIF}],
    "image.decode_webp": [{"contents": WEBP}],
    "io.decode_json_example": [
        {
            "json_examples": plain(
                '{"features": {"feature": {"a": {"int64List": {"value": ["1"]}}}}}'
            )
        }
    ],
    "io.parse_example": [
        {"serialized": sequence([EXAMPLE]), "features": mapping({**FLOATS, **WORDS})}
    ],
    "io.parse_single_example": [{"serialized": EXAMPLE, "features": mapping({**FLOATS, **WORDS})}],
    "io.parse_sequence_example": [
        {
            "serialized": sequence([SEQUENCE_EXAMPLE]),
            "context_features": mapping(FLOATS),
            "sequence_features": mapping(STEPS),
        }
    ],
    "io.parse_single_sequence_example": [
        {
            "serialized": SEQUENCE_EXAMPLE,
            "context_features": mapping(FLOATS),
            "sequence_features": mapping(STEPS),
        }
    ],
    "data.Dataset.apply": [{"(self)": NUMBERS, "transformation_func": function("same")}],
    "data.Dataset.bucket_by_sequence_length": [
        {
            "(self)": SLICES,
            "element_length_func": function("length"),
            "bucket_boundaries": plain([2, 3]),
            "bucket_batch_sizes": plain([2, 2, 2]),
        }
    ],
    "data.Dataset.choose_from_datasets": [
        {
            "datasets": sequence([NUMBERS, NUMBERS]),
            "choice_dataset": made_by("data.Dataset.range", plain(2)),
        }
    ],
    "data.Dataset.from_generator": [
        {"generator": function("three"), "output_types": dtype_of("float32")},
        {
            "generator": function("three"),
            "output_signature": made_by("TensorSpec", plain([2]), dtype_of("float32")),
        },
    ],
    "data.Dataset.group_by_window": [
        {
            "(self)": NUMBERS,
            "key_func": function("parity"),
            "reduce_func": function("batches"),
            "window_size": plain(2),
        }
    ],
    "data.Dataset.rejection_resample": [
        {
            "(self)": NUMBERS,
            "class_func": function("parity_32"),
            "target_dist": plain([0.5, 0.5]),
            "initial_dist": plain([0.5, 0.5]),
            "seed": plain(3),
        }
    ],
    "TensorSpec.from_tensors": [{"(self)": SPEC, "tensors": sequence([array()], "iterator")}],
    "RaggedTensorSpec.from_tensors": [
        {
            "(self)": RAGGED_SPEC,
            "tensors": sequence([array(shape=(3,)), plain([0, 1, 3])], "iterator"),
        }
    ],
    "SparseTensor.set_shape": [
        {"(self)": array(shape=(3, 3), form="sparse"), "shape": plain([3, None])}
    ],
    "SparseTensorSpec.from_tensors": [
        {
            "(self)": SPARSE_SPEC,
            "tensors": sequence(
                [array("int64", (2, 2), "counting"), array(shape=(2,)), plain([3, 4])], "iterator"
            ),
        }
    ],
    "lookup.StaticVocabularyTable": [{"initializer": TABLE, "num_oov_buckets": plain(2)}],
    "random.Generator": [{"state": array("int64", (3,), "counting"), "alg": plain(1)}],
    "experimental.DynamicRaggedShape": [
        {"row_partitions": sequence([PARTITION]), "inner_shape": plain([3])}
    ],
    **{
        f"experimental.DynamicRaggedShape.{name}": [{"(self)": RAGGED_SHAPE, **more}]
        for name, more in {
            "is_uniform": {"axis": plain(0)},
            "static_lengths": {},
            "with_dtype": {"dtype": dtype_of("int32")},
        }.items()
    },
    "experimental.DynamicRaggedShape.from_row_partitions": [
        {"row_partitions": sequence([PARTITION])}
    ],
    "experimental.dlpack.from_dlpack": [
        {"dlcapsule": made_by("experimental.dlpack.to_dlpack", array())}
    ],
    "compat.dimension_at_index": [
        {"shape": made_by("TensorShape", plain([2, None])), "index": plain(1)}
    ],
    "case": [
        {
            "pred_fn_pairs": sequence(
                [sequence([array("bool", ()), function("constant")], "tuple")]
            ),
            "default": function("constant"),
        }
    ],
    "switch_case": [
        {
            "branch_index": array("int32", (), "index"),
            "branch_fns": sequence([function("constant"), function("constant")]),
        }
    ],
    "TensorArray": [{"dtype": dtype_of("float32"), "size": plain(2), "element_shape": plain([])}],
    "TensorArray.concat": [
        {
            "(self)": made_by(
                "TensorArray.split",
                made_by("TensorArray", plain("float32"), size=plain(3)),
                array(shape=(3,)),
                plain([1, 1, 1]),
            )
        }
    ],
    "Variable.count_up_to": [
        {"(self)": array("int32", (), "counting", "variable"), "limit": plain(3)}
    ],
    "xla.experimental.compile": [
        {"computation": function("double"), "inputs": sequence([array()])}
    ],
    "nn.depthwise_conv2d_backprop_filter": [
        {
            "input": IMAGES,
            "filter_sizes": plain([2, 2, 3, 1]),
            "out_backprop": array(shape=(2, 6, 6, 3), seed=2),
            **STEPPED,
        }
    ],
    "nn.depthwise_conv2d_backprop_input": [
        {
            "input_sizes": plain([2, 6, 6, 3]),
            "filter": array(shape=(2, 2, 3, 1), seed=1),
            "out_backprop": array(shape=(2, 6, 6, 3), seed=2),
            **STEPPED,
        }
    ],
    "nn.fixed_unigram_candidate_sampler": [
        {
            "true_classes": array("int64", (2, 1), "index"),
            "num_true": plain(1),
            "num_sampled": plain(2),
            "unique": plain(True),
            "range_max": plain(4),
            "unigrams": plain((1.0, 2.0, 3.0, 4.0)),
        }
    ],
    "nn.fractional_avg_pool": [
        {"value": IMAGES, "pooling_ratio": plain([1.0, 1.5, 1.5, 1.0]), "seed": plain(3)}
    ],
    "quantization.quantize": [
        {
            "input": array(),
            "min_range": plain(-2.0),
            "max_range": plain(2.0),
            "T": dtype_of(name),
        }
        for name in ("quint8", "qint8")
    ],
    "quantization.dequantize": [
        {"input": QUANTIZED, "min_range": plain(-2.0), "max_range": plain(2.0)}
    ],
    "quantization.quantized_concat": [QUANTIZED_PARTS],
    "io.parse_tensor": [
        {
            "serialized": made_by("io.serialize_tensor", array()),
            "out_type": dtype_of("float32"),
        }
    ],
    "random_index_shuffle": [{"index": plain(1), "seed": plain([1, 2, 3]), "max_index": plain(5)}],
    **{
        f"linalg.LinearOperator{kind}.assert_positive_definite": [
            {"(self)": made_by(f"linalg.LinearOperator{kind}", matrix, is_self_adjoint=plain(True))}
        ]
        for kind, matrix in {
            "FullMatrix": array(shape=(3, 3), fill="spd"),
            "Diag": array(shape=(3,), fill="positive"),
        }.items()
    },
    "linalg.LinearOperatorFullMatrix.eigvals": [
        {
            "(self)": made_by(
                "linalg.LinearOperatorFullMatrix",
                array(shape=(3, 3), fill="spd"),
                is_self_adjoint=plain(True),
            )
        }
    ],
}
