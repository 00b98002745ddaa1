"""`tf.distribute.experimental.partitioners`: TensorFlow 2.21's numbers of parts."""

import pytest

import gradtape as tf

PARTS = tf.distribute.experimental.partitioners


@pytest.mark.parametrize(
    ("partitioner", "shape", "dtype", "parts"),
    [
        (PARTS.FixedShardsPartitioner(4), [10, 2], tf.float32, [4, 1]),
        (PARTS.FixedShardsPartitioner(4), [3, 3], tf.float32, [3, 1]),
        (PARTS.MinSizePartitioner(16, 4), [10], tf.float32, [3]),
        (PARTS.MinSizePartitioner(), [1000, 100], tf.float32, [1, 1]),
        (PARTS.MaxSizePartitioner(16), [10, 2], tf.string, [10, 1]),
        (PARTS.MaxSizePartitioner(16, max_shards=2), [1000, 100], tf.float32, [2, 1]),
    ],
)
def test_numbers_of_parts(partitioner, shape, dtype, parts):
    assert partitioner(tf.TensorShape(shape), dtype) == parts


def test_another_axis():
    shape = tf.TensorShape([4, 6])
    assert PARTS.FixedShardsPartitioner(2)(shape, tf.float32, axis=1) == [1, 2]
    assert PARTS.MinSizePartitioner(16, 4)(shape, tf.float32, axis=1) == [1, 4]


def test_malformed_arguments_are_refused():
    with pytest.raises(ValueError, match="min_shard_bytes"):
        PARTS.MinSizePartitioner(min_shard_bytes=0)
    with pytest.raises(ValueError, match="max_shard_bytes"):
        PARTS.MaxSizePartitioner(0)
    with pytest.raises(ValueError, match="not a TensorShape"):
        PARTS.MaxSizePartitioner(16)([4, 6], tf.float32)
    with pytest.raises(ValueError, match="along axis 0"):
        PARTS.MinSizePartitioner()(tf.TensorShape([]), tf.float32)
    with pytest.raises(NotImplementedError):
        PARTS.Partitioner()(tf.TensorShape([1]), tf.float32)
