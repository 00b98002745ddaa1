"""Datasets whose functions use strings, tables and lengths that depend on values."""


def show(tf, ds):
    print(ds.element_spec)
    print([x.to_list() if isinstance(x, tf.RaggedTensor) else x.numpy().tolist() for x in ds])


def split_words(tf):
    words = tf.data.Dataset.from_tensor_slices(["a b", "c", "d e f"])
    print(words.map(tf.strings.split).element_spec)
    show(tf, words.map(tf.strings.split).padded_batch(2))
    show(tf, words.map(lambda x: tf.strings.length(tf.strings.split(x))).padded_batch(3))
    show(tf, words.batch(2).map(tf.strings.split))
    show(tf, words.batch(2).map(lambda x: tf.strings.split(x).to_tensor("?")))
    show(tf, words.batch(2).map(lambda x: tf.strings.split(x).row_lengths()))
    show(tf, words.flat_map(lambda x: tf.data.Dataset.from_tensor_slices(tf.strings.split(x))))


def strings_of_known_shapes(tf):
    pairs = tf.data.Dataset.from_tensor_slices([["a b", "c"], ["", "d"]])
    show(tf, pairs.map(tf.strings.split))
    show(tf, pairs.map(lambda x: tf.strings.join([x, "!"])))
    show(tf, pairs.map(lambda x: tf.strings.regex_replace(x, "[a-c]", "Z")))
    show(tf, pairs.map(lambda x: tf.strings.unicode_decode(x, "UTF-8")))
    show(tf, pairs.map(lambda x: tf.strings.upper(x)).batch(2))
    show(tf, pairs.map(lambda x: tf.strings.to_hash_bucket_fast(x, 10)))
    show(tf, pairs.map(lambda x: tf.strings.bytes_split(x).row_lengths()))


def lengths_by_values(tf):
    numbers = tf.data.Dataset.range(5)
    show(tf, numbers.map(lambda x: tf.boolean_mask(tf.range(x), tf.range(x) > 1)).padded_batch(3))
    show(tf, numbers.map(lambda x: tf.where(tf.range(x) > 1)).padded_batch(3))
    show(tf, numbers.map(lambda x: tf.reduce_sum(tf.range(x))))
    show(tf, numbers.map(lambda x: tf.repeat([x], x)).padded_batch(5))
    rows = tf.data.Dataset.from_tensor_slices([[1, 2, 1], [3, 3, 3]])
    show(tf, rows.map(lambda x: tf.unique(x).y).padded_batch(2))
    show(tf, rows.map(lambda x: tf.unique_with_counts(x).count).padded_batch(2))
    show(tf, rows.map(lambda x: tf.sequence_mask(x)).padded_batch(2))
    show(tf, rows.map(lambda x: tf.sequence_mask(x, 4)))


def buckets_by_length(tf):
    numbers = tf.data.Dataset.range(1, 7).map(lambda x: tf.range(x))
    show(
        tf,
        numbers.bucket_by_sequence_length(lambda x: tf.shape(x)[0], [3, 5], [2, 2, 2]),
    )
    show(tf, numbers.filter(lambda x: tf.size(x) % 2 == 0).padded_batch(3))
    show(tf, numbers.map(lambda x: x[:2]).padded_batch(6))
    show(tf, numbers.map(lambda x: tf.reverse(x, [0])).padded_batch(3, padded_shapes=[6]))


def records_and_bytes(tf):
    data = tf.data.Dataset.from_tensor_slices([b"\x01\x02", b"\x03\x04"])
    show(tf, data.map(lambda x: tf.io.decode_raw(x, tf.uint8)))
    show(tf, data.map(lambda x: tf.io.decode_raw(x, tf.uint8)).batch(2))
    show(tf, data.map(lambda x: tf.io.decode_base64(tf.io.encode_base64(x))))
    lines = tf.data.Dataset.from_tensor_slices(["1,2.5,a", "3,4.5,b"])
    print(lines.map(lambda x: tf.io.decode_csv(x, [0, 0.0, ""])).element_spec)
    show(tf, lines.map(lambda x: tf.strings.to_number(tf.strings.split(x, ",")[:2])))


def tables_and_state(tf):
    keys = tf.data.Dataset.from_tensor_slices(["a", "z", "b"])
    pairs = tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2])
    table = tf.lookup.StaticHashTable(pairs, -1)
    show(tf, keys.map(table.lookup))
    show(tf, keys.batch(2).map(lambda x: table.lookup(x) * 2))
    show(tf, keys.batch(2).map(lambda x: table[x]))
    v = tf.Variable(0, dtype=tf.int64)
    show(tf, tf.data.Dataset.range(1, 5).map(lambda x: v.assign_add(x)).padded_batch(2))
    print(v.numpy())


def failures_of_elements(tf):
    numbers = tf.data.Dataset.from_tensor_slices([0, 1, 2])
    show(tf, numbers.map(lambda x: 10 // x).ignore_errors().batch(2))
    texts = tf.data.Dataset.from_tensor_slices(["1", "x", "3"])
    show(tf, texts.map(lambda x: tf.strings.to_number(x)).ignore_errors())


def specs_of_vectorized_texts(tf):
    texts = tf.data.Dataset.from_tensor_slices(["a b", "c d e f g"])
    for options in (
        {"output_sequence_length": 4},
        {},
        {"output_mode": "multi_hot"},
        {"output_mode": "count"},
        {"ragged": True},
    ):
        layer = tf.keras.layers.TextVectorization(max_tokens=20, **options)
        layer.adapt(["a b c", "d e"])
        if "ragged" not in options:
            print(texts.map(layer).element_spec)
        print(texts.batch(2).map(layer).element_spec)
        for x in texts.batch(2).map(layer):
            print(x.numpy().tolist() if isinstance(x, tf.Tensor) else x.to_list())
