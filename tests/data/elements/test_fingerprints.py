"""Fingerprints of datasets: equal for those that are made alike, and different for others."""

import functools
import subprocess
import sys

import numpy as np
import pytest

import gradtape as tf

Dataset = tf.data.Dataset
FACTOR = 3


def add(x, step):
    return x + step


def pipelines(step, dataset):
    """Datasets of all kinds, made again in each call."""
    held = np.arange(3) * step
    return [
        dataset.map(lambda x: x + step),
        dataset.map(lambda x: x + held[0] + FACTOR),
        dataset.map(functools.partial(add, step=step)),
        dataset.filter(lambda x: x > step),
        dataset.batch(step + 1),
        dataset.batch(2).unbatch().take(step),
        dataset.shuffle(3, seed=step),
        dataset.interleave(lambda x: Dataset.range(x + step)),
        dataset.scan(tf.constant(step, tf.int64), lambda s, x: (s + x, s)),
        Dataset.zip((dataset, dataset.skip(step))),
        Dataset.from_tensor_slices({"a": held, "b": ["x", "y", str(step)]}),
        Dataset.from_tensors(tf.ragged.constant([[step]]).flat_values),
        Dataset.from_generator(lambda: iter([step]), output_signature=tf.TensorSpec([], tf.int32)),
    ]


def numbers(*args):
    return [int(x.fingerprint()) for x in pipelines(*args)]


def test_datasets_that_are_made_alike_have_one_fingerprint():
    assert numbers(1, Dataset.range(5)) == numbers(1, Dataset.range(5))


def test_arguments_functions_and_what_these_hold_are_told_apart():
    first, second = numbers(1, Dataset.range(5)), numbers(2, Dataset.range(5))
    assert len({*first, *second}) == len(first) + len(second)
    longer = numbers(1, Dataset.range(6))
    assert [a == b for a, b in zip(first, longer, strict=True)].count(True) == 3  # without a range


def test_it_does_not_change_with_iteration():
    dataset = Dataset.range(5).map(lambda x: x * 2).cache().batch(2)
    before = int(dataset.fingerprint())
    assert len(list(dataset)) == 3
    assert int(dataset.fingerprint()) == before


@pytest.mark.slow
def test_it_is_the_same_in_another_process():
    program = (
        "import gradtape as tf\n"
        "print(int(tf.data.Dataset.range(3).map(lambda x: x + 1).batch(2).fingerprint()))"
    )
    run = functools.partial(subprocess.run, capture_output=True, text=True, check=True)
    found = {run([sys.executable, "-c", program]).stdout for _ in range(2)}
    assert len(found) == 1


@pytest.mark.parametrize("shards", [1, 2])
def test_snapshots_are_read_instead_of_made(tmp_path, shards):
    made = []

    def note(x):
        made.append(int(x))
        return x

    dataset = Dataset.range(4).map(lambda x: tf.numpy_function(note, [x], tf.int64))
    kept = dataset.snapshot(tmp_path, shard_func=lambda x: x % shards)
    assert [int(x) for x in kept] == [0, 1, 2, 3]
    made.clear()
    assert sorted(int(x) for x in kept) == [0, 1, 2, 3]
    assert not made


def test_a_snapshot_that_was_left_early_is_not_used(tmp_path):
    kept = Dataset.range(4).snapshot(tmp_path)
    next(iter(kept))
    assert [int(x) for x in kept] == [0, 1, 2, 3]
    assert [int(x) for x in Dataset.range(2).snapshot(tmp_path)] == [0, 1]


def test_sizes_of_batches_are_checked():
    batches = Dataset.range(4).batch(2)
    for wrong in (-1, [0, 0], [2, -1]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="must not be negative"):
            batches.rebatch(wrong)
    with pytest.raises(ValueError, match="rank 2"):
        batches.rebatch([[1]])
