"""Pipelines of data: generators, windows, structures and options."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import gradtape as tf


def samples() -> Iterator[tuple[np.ndarray, int]]:
    for i in range(10):
        yield np.full(3, i, np.float32), i % 2


def parse(x: tf.Tensor, label: tf.Tensor) -> dict[str, tf.Tensor]:
    return {"x": tf.math.l2_normalize(x + 1.0), "label": tf.one_hot(label, 2)}


def main() -> None:
    signature = (tf.TensorSpec([3], tf.float32), tf.TensorSpec([], tf.int32))
    data = tf.data.Dataset.from_generator(samples, output_signature=signature)
    prepared = (
        data.map(parse, num_parallel_calls=tf.data.AUTOTUNE)
        .shuffle(10, seed=1, reshuffle_each_iteration=False)
        .batch(4, drop_remainder=True)
        .prefetch(tf.data.AUTOTUNE)
    )
    options = tf.data.Options()
    options.deterministic = True
    prepared = prepared.with_options(options)
    for batch in prepared.take(2):
        print({key: value.shape.as_list() for key, value in batch.items()})
    print(int(prepared.cardinality()), prepared.element_spec["x"].dtype.name)

    windows = tf.data.Dataset.range(6).window(3, shift=1, drop_remainder=True)
    rows = windows.flat_map(lambda window: window.batch(3))
    print([row.numpy().tolist() for row in rows])
    total = tf.data.Dataset.range(5).reduce(tf.constant(0, tf.int64), lambda s, i: s + i)
    print(int(total))
    numbered = tf.data.Dataset.from_tensor_slices(np.arange(4)).enumerate(start=1)
    for number, x in numbered:
        print(int(number), int(x), end=" ")
    pairs = tf.data.Dataset.zip((tf.data.Dataset.range(3), tf.data.Dataset.range(3, 6)))
    print(list(pairs.as_numpy_iterator()))
    mixed = tf.data.Dataset.sample_from_datasets(
        [tf.data.Dataset.range(5), tf.data.Dataset.range(5, 10)], weights=[0.5, 0.5], seed=1
    )
    print(len(list(mixed)))
    iterator = iter(prepared)
    first = next(iterator)
    print(sorted(first), iterator.get_next_as_optional().has_value().numpy())


main()
