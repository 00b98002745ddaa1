"""Each operation with a sample can be exported, with its gradient."""

from collections.abc import Callable
from typing import Any

import pytest
from graphdef_export.exporting import exported
from samples import SAMPLES, Sample

import gradtape as tf

# Graphs have the elementary operations in place of these.
OUTSIDE_OF_GRAPHS = {"GeluByTanh", "Moments", "Normalization", "SiluAndSigmoid"}


def forward(sample: Sample) -> Callable[..., Any]:
    return lambda *xs: tf.nest.flatten(sample.call(*xs))


def gradient(sample: Sample) -> Callable[..., Any]:
    def run(*xs: tf.Tensor) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(xs)
            out = tf.nest.flatten(sample.call(*xs))
        return tape.gradient([y for y in out if y.dtype.is_floating or y.dtype.is_complex], xs)

    return run


def is_exported(function: Callable[..., Any], sample: Sample) -> bool:
    specs = [tf.TensorSpec(x.shape, x.dtype) for x in sample.inputs]
    try:
        exported(function, *specs)
    except tf.errors.UnimplementedError:
        return False
    return True


@pytest.mark.slow
@pytest.mark.parametrize("of", [forward, gradient])
def test_operations_have_a_rule(of: Callable[[Sample], Callable[..., Any]]) -> None:
    lacking = {s.op for s in SAMPLES if not is_exported(of(s), s)}
    assert not lacking - OUTSIDE_OF_GRAPHS


VECTOR, ROWS = tf.TensorSpec([None]), tf.TensorSpec([None, 3])
NUMBERS, TEXTS = tf.TensorSpec([None], tf.int32), tf.TensorSpec([None], tf.string)
PICTURES = tf.TensorSpec([None, None, None, 3])
RAGGED, SETS = tf.RaggedTensorSpec([None, None]), tf.TensorSpec([None, 3], tf.int32)
SPARSE = tf.SparseTensorSpec([None, 3])
STRINGS = tf.strings

FUNCTIONS: list[tuple[str, Callable[..., Any], list[Any]]] = [
    ("StringNGrams", lambda x: STRINGS.ngrams(STRINGS.split(x), 2, pad_values="-"), [TEXTS]),
    ("StringNGrams", lambda x: STRINGS.ngrams(x, [1, 2]), [TEXTS]),
    ("StringFormat", lambda x: STRINGS.format("{} and {}", [x, x[0]]), [ROWS]),
    ("DenseBincount", tf.math.bincount, [NUMBERS]),
    ("DenseBincount", lambda x, w: tf.math.bincount(x, w, minlength=3), [NUMBERS, VECTOR]),
    ("UnsortedSegmentSum", lambda x, i: tf.math.unsorted_segment_mean(x, i, 4), [ROWS, NUMBERS]),
    ("Split", lambda x: tf.split(x, 2), [ROWS]),
    ("Einsum", lambda x, y: tf.einsum("ai,bi,ab->i", x, x, y), [ROWS, tf.TensorSpec([4, 4])]),
    ("Range", lambda x: tf.image.resize(x, [4, 5]), [PICTURES]),
    ("RFFT", lambda x: tf.signal.stft(x, 8, 4), [tf.TensorSpec([None, None])]),
    ("Equal", lambda n: tf.eye(n[0]), [NUMBERS]),
    ("PadV2", lambda x, n: tf.pad(x, [[n[0], 0], [0, 1]]), [ROWS, NUMBERS]),
    ("Maximum", lambda x: tf.clip_by_norm(x, 1.0, [1]), [ROWS]),
    ("Mul", lambda x: x * x + 1.0, [RAGGED]),
    ("DenseToDenseSetOperation", lambda a, b: tf.sets.difference(a, b), [SETS, SETS]),
    ("Where", lambda x: tf.sparse.retain(x, x.values > 0.0), [SPARSE]),
    ("EditDistance", lambda a, b: tf.edit_distance(a, b), [tf.SparseTensorSpec([2, 3])] * 2),
    ("Svd", tf.linalg.pinv, [tf.TensorSpec([None, 3, 3])]),
    ("BiasAdd", lambda x, b: tf.nn.bias_add(x, b, "NCW"), [tf.TensorSpec([None, 2, 5]), VECTOR]),
]


@pytest.mark.parametrize(
    ("operation", "function", "specs"), FUNCTIONS, ids=lambda x: x if isinstance(x, str) else ""
)
def test_functions_of_unknown_lengths(
    operation: str, function: Callable[..., Any], specs: list[Any]
) -> None:
    made = exported(function, *specs)
    assert operation in {node.op for part in made for node in part.node_def}
