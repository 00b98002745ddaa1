"""Saved functions depend on their arguments, whatever they call."""

import logging

import pytest
from saving.saved_calls import equal, fault, is_random, leaves, paths, working

import gradtape as tf

KNOWN = {
    "constant": "needs a length that is known",  # in TensorFlow, too
    "linalg.eigh_tridiagonal": "is not exported",  # TensorFlow refuses unknown lengths, too
    "sparse.sampled_addmm": "is not exported",  # likewise
    "xla.experimental.compile": "is not exported",  # XLA compiles for lengths that are known
}
"""What is not saved, if lengths other than those of last axes are not known, and why."""

MATRIX, NUMBERS = tf.TensorSpec([None, None], tf.int32), tf.TensorSpec([None], tf.int32)
NUMBER, VECTOR = tf.TensorSpec([], tf.int32), tf.TensorSpec([None])
SETS = tf.SparseTensorSpec([None, None], tf.int32)
ROWS, OTHER_ROWS = [[1, 2, 0], [3, 4, 4]], [[1, 5, 5], [4, 7, 3]]
SIGNAL, LENGTHS = tf.signal, [[1], [2], [5], [8]]


def sparse(rows):
    return tf.sparse.from_dense(rows)


def lists(x):
    return tf.histogram_fixed_width([x, x + 0.25], [0.0, 1.0], 5)


CALLS = {
    "hann": (SIGNAL.hann_window, [NUMBER], LENGTHS),
    "hamming": (lambda n: SIGNAL.hamming_window(n, False), [NUMBER], LENGTHS),
    "vorbis": (SIGNAL.vorbis_window, [NUMBER], LENGTHS),
    "lists": (lists, [VECTOR], [[[0.1, 0.3]], [[0.7, 0.2, 0.9]]]),
    "set of constants": (
        lambda a: tf.sets.difference(a, ROWS),
        [MATRIX],
        [[ROWS], [OTHER_ROWS]],
    ),
    "sparse and dense": (
        tf.sets.difference,
        [SETS, MATRIX],
        [[sparse(ROWS), OTHER_ROWS], [sparse(OTHER_ROWS), ROWS]],
    ),
    "dense and sparse": (
        tf.sets.difference,
        [MATRIX, SETS],
        [[ROWS, sparse(OTHER_ROWS)], [OTHER_ROWS, sparse(ROWS)]],
    ),
    "sparse sets": (tf.sets.union, [SETS, SETS], [[sparse(ROWS), sparse(OTHER_ROWS)]]),
    "sizes": (tf.sets.size, [SETS], [[sparse(ROWS)], [sparse([[1, 1, 2], [0, 0, 0]])]]),
    "slices": (
        lambda x, first: tf.strided_slice(x, first, [5], [2]),
        [VECTOR, tf.TensorSpec([1], tf.int32)],
        [[[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [n]] for n in (0, 1, 3)],
    ),
    "parts of sparse": (
        lambda x: tf.sparse.split(x, 2, axis=1),
        [SETS],
        [[sparse(ROWS)], [sparse(OTHER_ROWS)]],
    ),
    "ragged to sparse": (
        lambda x: x.to_sparse(),
        [tf.RaggedTensorSpec([None, None], tf.int32)],
        [[tf.ragged.constant([[1, 2], [], [3]])], [tf.ragged.constant([[1], [2, 3, 4]])]],
    ),
    "sparse to ragged": (
        tf.RaggedTensor.from_sparse,
        [SETS],
        [[sparse([[1, 2], [0, 0]])], [sparse([[3, 0], [4, 0], [5, 6]])]],
    ),
}


@pytest.mark.parametrize("what", CALLS)
def test_values_of_saved_functions(what, tmp_path):
    function, specs, examples = CALLS[what]
    module = tf.Module()
    module.f = tf.function(function, input_signature=specs)
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    for example in examples:
        given = [
            x if not isinstance(x, (int, list)) else tf.constant(x, spec.dtype)
            for x, spec in zip(example, specs, strict=True)
        ]
        assert equal(leaves(loaded.f(*given)), leaves(function(*given)))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_saved_functions_depend_on_their_arguments(tmp_path, caplog):
    caplog.set_level(logging.CRITICAL)
    found = {}
    for i, path in enumerate(paths()):
        saved = working(path)
        if saved is None or is_random(path):
            continue
        wrong = fault(saved, tmp_path / str(i))
        if wrong is not None:
            found[path] = wrong
    assert {path: why for path, why in found.items() if KNOWN.get(path) != why} == {}
