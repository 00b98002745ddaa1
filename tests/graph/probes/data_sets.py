"""Datasets: what an element is, which elements come, and what becomes of failures."""

import numpy as np


def from_tensor_slices(tf):
    ds = tf.data.Dataset.from_tensor_slices({"a": [1, 2], "b": ([1.0, 2.0], [[3], [4]])})
    print(ds.element_spec)
    print([(e["a"].numpy(), e["b"][0].numpy(), e["b"][1].numpy()) for e in ds])
    print(ds.cardinality().numpy(), len(ds))
    print(ds)


def printed_data_sets(tf):
    ds = tf.data.Dataset.range(3)
    for other in (ds, ds.map(lambda x: x), ds.batch(2), ds.shuffle(2), ds.repeat(), ds.take(1)):
        print(repr(other))
    print(
        repr(ds.filter(lambda x: x > 0)), repr(ds.prefetch(1)), repr(tf.data.Dataset.zip((ds, ds)))
    )


def element_specs(tf):
    ds = tf.data.Dataset.range(6)
    print(ds.batch(4).element_spec, ds.batch(4, drop_remainder=True).element_spec)
    print(ds.map(lambda x: (x, {"double": x * 2})).element_spec)
    print(ds.window(2).element_spec)
    print(ds.map(lambda x: tf.fill([x], 1)).element_spec)
    print(ds.map(lambda x: None if x is None else [x, x]).element_spec)
    print(ds.enumerate().element_spec, ds.ragged_batch(2).element_spec)


def map_is_traced_once(tf):
    def double(x):
        print("trace", tf.is_symbolic_tensor(x), x.shape, x.dtype)
        return x * 2

    ds = tf.data.Dataset.range(4).map(double)
    print("made")
    print([x.numpy() for x in ds], [x.numpy() for x in ds])


def map_unpacks_tuples_not_dictionaries(tf):
    a = tf.data.Dataset.from_tensor_slices(([1, 2], [3, 4])).map(lambda x, y: x * y)
    b = tf.data.Dataset.from_tensor_slices({"x": [1, 2]}).map(lambda d: d["x"] + 1)
    c = tf.data.Dataset.from_tensor_slices((([1], [2]), [3])).map(lambda p, z: p[0] + p[1] + z)
    print(list(a.as_numpy_iterator()), list(b.as_numpy_iterator()), list(c.as_numpy_iterator()))


def map_with_the_wrong_number_of_arguments(tf, raises):
    ds = tf.data.Dataset.from_tensor_slices(([1, 2], [3, 4]))
    raises(lambda: ds.map(lambda x: x))
    raises(lambda: tf.data.Dataset.range(2).map(lambda x, y: x))


def lists_in_maps_are_tuples_or_tensors(tf):
    ds = tf.data.Dataset.range(2)
    print(ds.map(lambda x: [x, x + 1]).element_spec)
    print(ds.map(lambda x: (x, x + 1)).element_spec)
    print(ds.map(lambda x: ([x, x], {"k": [x]})).element_spec)
    print([(a.numpy(), b.numpy()) for a, b in ds.map(lambda x: [x, x + 1])])


def python_values_in_maps(tf, raises):
    ds = tf.data.Dataset.range(2)
    print(ds.map(lambda x: 5).element_spec, ds.map(lambda x: "s").element_spec)
    print(ds.map(lambda x: (x, None)).element_spec)
    print(list(ds.map(lambda x: (x, None)).as_numpy_iterator()))
    raises(lambda: ds.map(lambda x: object()))
    raises(lambda: print(ds.map(lambda x: None).element_spec))


def autograph_in_maps(tf):
    def f(x):
        if x % 2 == 0:
            return x * 10
        return -x

    print(list(tf.data.Dataset.range(4).map(f).as_numpy_iterator()))


def loops_in_maps(tf):
    def triangle(n):
        total = tf.constant(0, tf.int64)
        for i in tf.range(n):
            total += i
        return total

    print(list(tf.data.Dataset.range(5).map(triangle).as_numpy_iterator()))


def parallel_maps(tf):
    traced = []

    def f(x):
        traced.append(1)
        return x * x

    ds = tf.data.Dataset.range(8).map(f, num_parallel_calls=4)
    print(list(ds.as_numpy_iterator()), len(traced))
    ds = tf.data.Dataset.range(8).map(f, num_parallel_calls=tf.data.AUTOTUNE, deterministic=False)
    print(sorted(ds.as_numpy_iterator()))


def an_error_while_a_map_is_traced(tf, raises):
    def bad(x):
        raise KeyError("while tracing")

    raises(lambda: tf.data.Dataset.range(2).map(bad), "while tracing")
    raises(lambda: tf.data.Dataset.range(2).map(lambda x: x @ x))
    raises(lambda: tf.data.Dataset.range(2).map(lambda x: x + "a"))


def an_error_for_an_element(tf, raises):
    ds = tf.data.Dataset.from_tensor_slices([1, 0, 2]).map(lambda x: 10 // x)
    it = iter(ds)
    print(next(it).numpy())
    raises(lambda: next(it))
    print(next(it).numpy())
    raises(lambda: next(it))


def an_error_for_the_first_element(tf, raises):
    ds = tf.data.Dataset.from_tensor_slices([0, 1]).map(lambda x: 10 // x)
    print(ds.element_spec)
    raises(lambda: list(ds))


def errors_are_ignored(tf):
    ds = tf.data.Dataset.from_tensor_slices([0.0, 1.0, 2.0]).map(
        lambda x: tf.debugging.check_numerics(1.0 / x, "bad")
    )
    print(list(ds.ignore_errors().as_numpy_iterator()))
    print(list(ds.apply(tf.data.experimental.ignore_errors()).as_numpy_iterator()))
    print(ds.ignore_errors().cardinality().numpy())


def errors_of_python_are_ignored(tf):
    def odd(x):
        if x % 2 == 0:
            raise ValueError("even")
        return x

    ds = tf.data.Dataset.range(5).map(lambda x: tf.py_function(odd, [x], tf.int64))
    print(list(ds.ignore_errors().as_numpy_iterator()))


def variables_in_maps(tf):
    v = tf.Variable(0, dtype=tf.int64)
    ds = tf.data.Dataset.range(1, 5).map(lambda x: v.assign_add(x)).padded_batch(2)
    print(ds.element_spec)
    print([e.numpy().tolist() for e in ds], v.numpy())
    print([e.numpy().tolist() for e in ds], v.numpy())


def a_captured_variable_is_read_when_iterating(tf):
    v = tf.Variable(10, dtype=tf.int64)
    ds = tf.data.Dataset.range(3).map(lambda x: x + v)
    print(list(ds.as_numpy_iterator()))
    v.assign(100)
    print(list(ds.as_numpy_iterator()))


def a_captured_tensor_is_kept(tf):
    k = tf.constant(10, tf.int64)
    ds = tf.data.Dataset.range(3).map(lambda x: x + k)
    k = tf.constant(100, tf.int64)
    print(list(ds.as_numpy_iterator()), k.numpy())


def python_state_in_maps(tf):
    calls = []

    def f(x):
        calls.append(1)
        return x + len(calls)

    ds = tf.data.Dataset.range(3).map(f)
    print(list(ds.as_numpy_iterator()), len(calls))


def random_numbers_in_maps(tf):
    tf.random.set_seed(1)
    ds = tf.data.Dataset.range(4).map(lambda x: tf.random.uniform([], maxval=10**6, dtype=tf.int32))
    first, second = list(ds.as_numpy_iterator()), list(ds.as_numpy_iterator())
    print(len(set(first)), first == second)
    ds = tf.data.Dataset.range(4).map(lambda x: tf.random.uniform([], 0, 10**6, tf.int32, seed=3))
    first, second = list(ds.as_numpy_iterator()), list(ds.as_numpy_iterator())
    print(len(set(first)), first == second)


def prints_in_maps(tf):
    def f(x):
        print("python")
        tf.print("tensorflow", x)
        return x

    list(tf.data.Dataset.range(3).map(f))


def filters(tf, raises):
    def odd(x):
        print("trace")
        return x % 2 == 1

    ds = tf.data.Dataset.range(6)
    print(list(ds.filter(odd).as_numpy_iterator()), ds.filter(odd).cardinality().numpy())
    raises(lambda: ds.filter(lambda x: x))
    raises(lambda: ds.filter(lambda x: [x > 1, x > 2]))
    raises(lambda: len(ds.filter(odd)))


def filters_of_structures(tf):
    ds = tf.data.Dataset.from_tensor_slices(({"n": [1, 2, 3]}, ["a", "b", "c"]))
    kept = ds.filter(lambda d, s: d["n"] != 2)
    print([(d["n"].numpy(), s.numpy()) for d, s in kept])


def flat_maps(tf, raises):
    ds = tf.data.Dataset.range(1, 4)
    nested = ds.flat_map(lambda n: tf.data.Dataset.range(n))
    print(list(nested.as_numpy_iterator()), nested.cardinality().numpy(), nested.element_spec)
    repeated = ds.flat_map(lambda n: tf.data.Dataset.from_tensors(n).repeat(2))
    print(list(repeated.as_numpy_iterator()))
    raises(lambda: ds.flat_map(lambda n: n))


def interleaves(tf):
    ds = tf.data.Dataset.range(1, 4)
    f = lambda n: tf.data.Dataset.from_tensors(n).repeat(3)
    print(list(ds.interleave(f, cycle_length=2, block_length=2).as_numpy_iterator()))
    print(list(ds.interleave(f, cycle_length=3).as_numpy_iterator()))
    print(list(ds.interleave(f, cycle_length=2, num_parallel_calls=2).as_numpy_iterator()))
    print(list(ds.interleave(f, cycle_length=1, block_length=2).as_numpy_iterator()))


def scans(tf, raises):
    ds = tf.data.Dataset.range(5)
    sums = ds.scan(tf.constant(0, tf.int64), lambda s, x: (s + x, s * x))
    print(list(sums.as_numpy_iterator()), sums.element_spec)
    raises(lambda: ds.scan(0, lambda s, x: (s + x, x)))
    grown = ds.scan(tf.zeros([0], tf.int64), lambda s, x: (tf.concat([s, [x]], 0), tf.size(s)))
    print(list(grown.as_numpy_iterator()), grown.element_spec)


def reductions(tf, raises):
    ds = tf.data.Dataset.range(5)
    print(ds.reduce(tf.constant(0, tf.int64), lambda s, x: s + x).numpy())
    total, count = ds.reduce(
        (tf.constant(0, tf.int64), 0), lambda state, x: (state[0] + x, state[1] + 1)
    )
    print(total.numpy(), count.numpy())
    raises(lambda: print(ds.reduce(0, lambda s, x: s + x)))
    print(ds.reduce(np.int64(0), lambda s, _: s + 1).numpy())


def take_while_and_unique(tf):
    ds = tf.data.Dataset.from_tensor_slices([1, 2, 2, 3, 1, 9, 1])
    print(list(ds.take_while(lambda x: x < 5).as_numpy_iterator()))
    print(list(ds.unique().as_numpy_iterator()), ds.unique().element_spec)
    words = tf.data.Dataset.from_tensor_slices(["b", "a", "b"]).unique()
    print(list(words.as_numpy_iterator()), words.cardinality().numpy())


def unique_of_what_it_cannot_compare(tf, raises):
    ds = tf.data.Dataset.from_tensor_slices(([1, 1], [2, 2]))
    raises(lambda: print(list(ds.unique().as_numpy_iterator())))
    floats = tf.data.Dataset.from_tensor_slices([1.0, 1.0])
    raises(lambda: print(list(floats.unique().as_numpy_iterator())))


def boolean_masks(tf):
    ds = tf.data.Dataset.from_tensor_slices([[1, 0, 3], [0, 0, 2]])
    kept = ds.map(lambda x: tf.boolean_mask(x, x > 0))
    print(kept.element_spec, [e.numpy().tolist() for e in kept])
    print([e.numpy().tolist() for e in kept.padded_batch(2)])


def padded_batches(tf, raises):
    ds = tf.data.Dataset.range(1, 6).map(lambda n: tf.fill([n], n))
    batches = ds.padded_batch(2)
    print(batches.element_spec, [b.numpy().tolist() for b in batches])
    fixed = ds.padded_batch(2, padded_shapes=[6], padding_values=tf.constant(-1, tf.int64))
    print(fixed.element_spec, next(iter(fixed)).numpy().tolist())
    raises(lambda: list(ds.padded_batch(3, padded_shapes=[2])))
    raises(lambda: list(ds.batch(2)))
    print(ds.padded_batch(2, drop_remainder=True).element_spec)


def padded_batches_of_structures(tf):
    ds = tf.data.Dataset.range(1, 4).map(
        lambda n: {"n": n, "s": tf.repeat(["x"], n), "f": tf.ones([n, 2])}
    )
    for batch in ds.padded_batch(3, padding_values={"n": None, "s": "-", "f": 0.5}):
        print(batch["n"].numpy(), batch["s"].numpy().tolist(), batch["f"].shape)


def batches_of_different_shapes(tf, raises):
    ds = tf.data.Dataset.range(1, 3).map(lambda n: tf.ones([n]))
    print(ds.element_spec, ds.batch(1).element_spec)
    print([b.shape for b in ds.batch(1)])
    raises(lambda: list(ds.batch(2)))


def ragged_batches(tf):
    ds = tf.data.Dataset.range(4).map(lambda n: tf.range(n))
    for batch in ds.ragged_batch(3):
        print(type(batch).__name__, batch.to_list(), batch.shape)
    print(ds.ragged_batch(2, drop_remainder=True).element_spec)
    dense = ds.ragged_batch(3).map(lambda r: r.to_tensor(-1))
    print(dense.element_spec, [d.numpy().tolist() for d in dense])


def ragged_and_sparse_elements(tf):
    ragged = tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[1], [2, 3], []]))
    print(ragged.element_spec, [e.numpy().tolist() for e in ragged])
    print([type(b).__name__ for b in ragged.batch(2)])
    sparse = tf.data.Dataset.from_tensor_slices(tf.sparse.from_dense([[0, 1], [2, 0]]))
    print(sparse.element_spec, [tf.sparse.to_dense(e).numpy().tolist() for e in sparse])
    print([tf.sparse.to_dense(b).numpy().tolist() for b in sparse.batch(2)])


def unbatches(tf, raises):
    ds = tf.data.Dataset.range(5).batch(2).unbatch()
    print(list(ds.as_numpy_iterator()), ds.element_spec, ds.cardinality().numpy())
    pairs = tf.data.Dataset.from_tensors(([1, 2], [[3], [4]])).unbatch()
    print([(a.numpy(), b.numpy()) for a, b in pairs])
    raises(lambda: tf.data.Dataset.range(2).unbatch())
    print(list(tf.data.Dataset.range(5).batch(2).rebatch(3).as_numpy_iterator()))


def windows(tf):
    ds = tf.data.Dataset.range(5).window(3, shift=1, drop_remainder=True)
    print(ds.element_spec)
    print([list(w.as_numpy_iterator()) for w in ds])
    print([w.numpy().tolist() for w in ds.flat_map(lambda w: w.batch(3))])
    pairs = tf.data.Dataset.from_tensor_slices(([1, 2, 3], [4, 5, 6])).window(2)
    print([[list(part.as_numpy_iterator()) for part in w] for w in pairs])


def groups_by_window(tf):
    seen = []

    def reduce(key, window):
        seen.append(tf.is_symbolic_tensor(key))
        return window.batch(10)

    ds = tf.data.Dataset.range(10).group_by_window(lambda x: x % 3, reduce, window_size=2)
    print([b.numpy().tolist() for b in ds], seen, ds.element_spec)


def groups_by_window_of_their_own_size(tf):
    ds = tf.data.Dataset.range(8).group_by_window(
        key_func=lambda x: x % 2,
        reduce_func=lambda key, window: window.batch(4),
        window_size_func=lambda key: key + 1,
    )
    print([b.numpy().tolist() for b in ds])


def buckets_by_length(tf):
    ds = tf.data.Dataset.from_generator(
        lambda: iter([[1], [1, 2], [1, 2, 3], [1, 2, 3, 4], [5]]),
        output_signature=tf.TensorSpec([None], tf.int32),
    )
    buckets = ds.bucket_by_sequence_length(
        element_length_func=lambda e: tf.shape(e)[0],
        bucket_boundaries=[2, 4],
        bucket_batch_sizes=[2, 2, 2],
    )
    print(buckets.element_spec)
    print([b.numpy().tolist() for b in buckets])


def buckets_with_padding_to_the_boundary(tf):
    def make(lengths, **options):
        ds = tf.data.Dataset.from_tensor_slices(lengths).map(lambda n: tf.ones([n], tf.int32))
        return ds.bucket_by_sequence_length(lambda e: tf.shape(e)[0], [3, 5], [2, 2, 2], **options)

    print([b.numpy().tolist() for b in make([1, 2, 3, 4], pad_to_bucket_boundary=True)])
    print([b.numpy().tolist() for b in make([1, 2, 3], drop_remainder=True)])
    print([b.shape for b in make([1, 2, 3], no_padding=False, padding_values=9)])


def from_generator_with_a_signature(tf, raises):
    def numbers():
        print("started")
        yield 1, [1.0]
        yield 2, [1.0, 2.0]

    ds = tf.data.Dataset.from_generator(
        numbers,
        output_signature=(tf.TensorSpec([], tf.int32), tf.TensorSpec([None], tf.float32)),
    )
    print(ds.element_spec, ds.cardinality().numpy())
    print([(a.numpy(), b.numpy().tolist()) for a, b in ds])
    print([(a.numpy(), b.numpy().tolist()) for a, b in ds.take(1)])


def from_generator_with_arguments(tf):
    def count(n, step):
        print(type(n).__name__, n, step)
        for i in range(0, n, step):
            yield i

    ds = tf.data.Dataset.from_generator(
        count, args=(5, 2), output_signature=tf.TensorSpec([], tf.int64)
    )
    print(list(ds.as_numpy_iterator()))
    nested = tf.data.Dataset.range(1, 3).flat_map(
        lambda n: tf.data.Dataset.from_generator(
            count, args=(n, 1), output_signature=tf.TensorSpec([], tf.int64)
        )
    )
    print(list(nested.as_numpy_iterator()))


def from_generator_with_wrong_elements(tf, raises):
    spec = tf.TensorSpec([2], tf.int32)
    raises(lambda: list(tf.data.Dataset.from_generator(lambda: iter([[1]]), output_signature=spec)))
    raises(
        lambda: list(
            tf.data.Dataset.from_generator(lambda: iter([["a", "b"]]), output_signature=spec)
        )
    )
    raises(
        lambda: list(
            tf.data.Dataset.from_generator(lambda: iter([(1, 2, 3)]), output_signature=spec)
        )
    )
    raises(lambda: tf.data.Dataset.from_generator(iter([1]), output_signature=spec))

    def broken():
        yield [1, 2]
        raise RuntimeError("inside the generator")

    it = iter(tf.data.Dataset.from_generator(broken, output_signature=spec))
    print(next(it).numpy())
    raises(lambda: next(it), "inside the generator")


def generators_of_dictionaries(tf):
    def rows():
        yield {"x": 1, "y": "a"}
        yield {"y": "b", "x": 2}

    ds = tf.data.Dataset.from_generator(
        rows,
        output_signature={"x": tf.TensorSpec([], tf.int32), "y": tf.TensorSpec([], tf.string)},
    )
    print([(row["x"].numpy(), row["y"].numpy()) for row in ds])


def from_generator_with_types(tf):
    ds = tf.data.Dataset.from_generator(lambda: iter([[1, 2], [3]]), output_types=tf.int64)
    print(ds.element_spec, [e.numpy().tolist() for e in ds])


def from_generator_of_ragged(tf):
    ds = tf.data.Dataset.from_generator(
        lambda: iter([tf.ragged.constant([[1], [2, 3]])]),
        output_signature=tf.RaggedTensorSpec([2, None], tf.int32),
    )
    print(ds.element_spec, [e.to_list() for e in ds])


def words_of_lines(tf):
    lines = tf.data.Dataset.from_tensor_slices(["the cat", "the dog sat"])
    words = lines.map(tf.strings.split)
    print(words.element_spec, [w.numpy().tolist() for w in words])
    print(
        list(
            lines.flat_map(
                lambda s: tf.data.Dataset.from_tensor_slices(tf.strings.split(s))
            ).as_numpy_iterator()
        )
    )
    batches = lines.batch(2).map(tf.strings.split)
    print(batches.element_spec, [type(b).__name__ for b in batches])


def a_vocabulary_as_a_table(tf):
    table = tf.lookup.StaticVocabularyTable(
        tf.lookup.KeyValueTensorInitializer(
            ["the", "cat"], tf.constant([0, 1], tf.int64), tf.string, tf.int64
        ),
        num_oov_buckets=1,
    )
    ds = tf.data.Dataset.from_tensor_slices(["The CAT", "the dog sat"])
    ids = ds.map(lambda s: table.lookup(tf.strings.split(tf.strings.lower(s))))
    print(ids.element_spec, [b.numpy().tolist() for b in ids.padded_batch(2)])


def words_are_counted(tf):
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, default_value=0)

    def count(word):
        n = table.lookup(word) + 1
        table.insert(word, n)
        return word, n

    ds = tf.data.Dataset.from_tensor_slices(["a", "b", "a"]).map(count)
    print([(w, n) for w, n in ds.as_numpy_iterator()], table.size().numpy())


def n_grams_and_regular_expressions(tf):
    ds = tf.data.Dataset.from_tensor_slices(["Ab-cd, ef!", "x"])
    clean = ds.map(lambda s: tf.strings.regex_replace(tf.strings.lower(s), "[^a-z ]", ""))
    print(list(clean.as_numpy_iterator()))
    chars = clean.map(lambda s: tf.strings.unicode_split(s, "UTF-8"))
    print(chars.element_spec, [c.numpy().tolist() for c in chars])


def numbers_from_strings(tf, raises):
    ds = tf.data.Dataset.from_tensor_slices(["1.5", "x", "3"])
    numbers = ds.map(lambda s: tf.strings.to_number(s))
    print(numbers.element_spec, list(numbers.ignore_errors().as_numpy_iterator()))
    raises(lambda: list(numbers))


def csv_lines(tf):
    ds = tf.data.Dataset.from_tensor_slices(["1,a,2.5", "2,,"])
    rows = ds.map(lambda line: tf.io.decode_csv(line, [0, "none", 0.5]))
    print(rows.element_spec)
    print([[part.numpy() for part in row] for row in rows])


def raw_bytes(tf):
    ds = tf.data.Dataset.from_tensor_slices([b"\x01\x02\x03\x04", b"\x05\x06\x07\x08"])
    numbers = ds.map(lambda b: tf.io.decode_raw(b, tf.uint8))
    print(numbers.element_spec, [n.numpy().tolist() for n in numbers])
    pixels = numbers.map(lambda n: tf.reshape(n, [2, 2]))
    print(pixels.element_spec, pixels.batch(2).element_spec)
    shorts = ds.map(lambda b: tf.io.decode_raw(b, tf.int16, little_endian=False))
    print([n.numpy().tolist() for n in shorts])


def png_images(tf):
    image = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
    files = tf.data.Dataset.from_tensors(tf.io.encode_png(image))
    decoded = files.map(tf.io.decode_png)
    print(decoded.element_spec, next(iter(decoded)).numpy().tolist())
    gray = files.map(lambda f: tf.io.decode_png(f, channels=1))
    print(gray.element_spec, next(iter(gray)).shape)
    floats = decoded.map(lambda i: tf.image.convert_image_dtype(i, tf.float32))
    print(floats.element_spec, round(float(tf.reduce_max(next(iter(floats)))), 4))


def images_of_any_kind(tf, raises):
    image = np.zeros([2, 3, 3], np.uint8)
    files = tf.data.Dataset.from_tensor_slices([tf.io.encode_png(image).numpy(), b"no image"])
    decoded = files.map(lambda f: tf.io.decode_image(f, expand_animations=False))
    print(decoded.element_spec)
    it = iter(decoded)
    print(next(it).shape)
    raises(lambda: next(it))
    resized = files.take(1).map(lambda f: tf.image.resize(tf.io.decode_png(f, channels=3), [4, 4]))
    print(resized.element_spec, next(iter(resized)).shape)


def records(tf):
    import os
    import tempfile

    def example(n, words):
        return tf.train.Example(
            features=tf.train.Features(
                feature={
                    "n": tf.train.Feature(int64_list=tf.train.Int64List(value=[n])),
                    "w": tf.train.Feature(bytes_list=tf.train.BytesList(value=words)),
                }
            )
        ).SerializeToString()

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "data.tfrecord")
        with tf.io.TFRecordWriter(path) as writer:
            writer.write(example(1, [b"a"]))
            writer.write(example(2, [b"b", b"c"]))
        features = {
            "n": tf.io.FixedLenFeature([], tf.int64),
            "w": tf.io.VarLenFeature(tf.string),
            "missing": tf.io.FixedLenFeature([], tf.float32, default_value=0.5),
        }
        ds = tf.data.TFRecordDataset(path)
        print(ds.element_spec)
        parsed = ds.map(lambda r: tf.io.parse_single_example(r, features))
        print(sorted(parsed.element_spec.items()))
        for row in parsed:
            print(
                row["n"].numpy(),
                tf.sparse.to_dense(row["w"]).numpy().tolist(),
                row["missing"].numpy(),
            )
        batches = ds.batch(2).map(lambda r: tf.io.parse_example(r, features))
        print(sorted(batches.element_spec.items()))


def lines_of_files(tf):
    import os
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        for name in ("a", "b"):
            with open(os.path.join(folder, name), "w") as file:
                file.write(f"{name}1\n{name}2\n")
        ds = tf.data.Dataset.list_files(os.path.join(folder, "*"), shuffle=False)
        lines = ds.interleave(tf.data.TextLineDataset, cycle_length=2)
        print(list(lines.as_numpy_iterator()), lines.element_spec)
        whole = ds.map(tf.io.read_file)
        print(list(whole.as_numpy_iterator()))


def shuffles(tf):
    ds = tf.data.Dataset.range(20)
    fixed = ds.shuffle(20, seed=3, reshuffle_each_iteration=False)
    a, b = list(fixed.as_numpy_iterator()), list(fixed.as_numpy_iterator())
    print(a == b, sorted(a) == list(range(20)), a != list(range(20)))
    again = ds.shuffle(20, seed=3)
    a, b = list(again.as_numpy_iterator()), list(again.as_numpy_iterator())
    print(a == b)
    small = list(ds.shuffle(2).as_numpy_iterator())
    print(all(value <= place + 1 for place, value in enumerate(small)))


def shuffles_under_the_global_seed(tf):
    def orders():
        tf.random.set_seed(5)
        ds = tf.data.Dataset.range(20).shuffle(20)
        return [list(ds.as_numpy_iterator()) for _ in range(2)]

    first, second = orders(), orders()
    print(first == second, first[0] == first[1])


def repeats_and_shuffles(tf):
    ds = tf.data.Dataset.range(3)
    a = list(ds.shuffle(3).repeat(2).as_numpy_iterator())
    print(sorted(a[:3]), sorted(a[3:]))
    print(
        list(ds.repeat(2).batch(4).as_numpy_iterator()),
        list(ds.batch(2).repeat(2).as_numpy_iterator()),
    )
    print(
        ds.repeat().cardinality().numpy(),
        ds.repeat(2).cardinality().numpy(),
        tf.data.INFINITE_CARDINALITY,
    )


def zip_and_concatenate(tf, raises):
    a, b = tf.data.Dataset.range(3), tf.data.Dataset.range(10, 15)
    print(list(tf.data.Dataset.zip(a, b).as_numpy_iterator()))
    print(list(tf.data.Dataset.zip({"a": a, "b": (a, b)}).as_numpy_iterator())[0])
    print(list(a.concatenate(b).as_numpy_iterator()))
    raises(lambda: a.concatenate(tf.data.Dataset.from_tensors(1.0)))
    mixed = a.batch(3).concatenate(b.batch(5))
    print(mixed.element_spec)


def choices_and_samples(tf):
    a, b = tf.data.Dataset.from_tensors("a").repeat(), tf.data.Dataset.from_tensors("b").repeat(2)
    choice = tf.data.Dataset.from_tensor_slices(tf.constant([0, 1, 0, 1, 1, 0], tf.int64))
    ds = tf.data.Dataset.choose_from_datasets([a, b], choice)
    print(list(ds.as_numpy_iterator()))
    ds = tf.data.Dataset.sample_from_datasets([a, b], [1.0, 0.0], seed=1).take(3)
    print(list(ds.as_numpy_iterator()))


def shards_and_skips(tf, raises):
    ds = tf.data.Dataset.range(7)
    print([list(ds.shard(3, i).as_numpy_iterator()) for i in range(3)])
    print(
        list(ds.skip(5).as_numpy_iterator()),
        list(ds.skip(-1).as_numpy_iterator()),
        list(ds.take(-1).as_numpy_iterator()),
    )
    raises(lambda: ds.shard(3, 3))
    print(ds.shard(3, 0).cardinality().numpy(), ds.skip(9).cardinality().numpy())


def caches(tf):
    runs = tf.Variable(0)

    def f(x):
        runs.assign_add(1)
        return x

    ds = tf.data.Dataset.range(3).map(f).cache()
    list(ds)
    list(ds)
    print(runs.numpy())
    partial = tf.data.Dataset.range(3).map(f).cache()
    list(partial.take(1))
    print(runs.numpy())


def prefetching_runs_ahead(tf):
    seen = tf.Variable(0)

    def f(x):
        seen.assign_add(1)
        return x

    list(tf.data.Dataset.range(4).map(f).prefetch(2))
    print(seen.numpy())


def iterators(tf, raises):
    ds = tf.data.Dataset.range(2)
    it = iter(ds)
    print(it.element_spec, next(it).numpy(), it.get_next().numpy())
    raises(lambda: next(it))
    raises(lambda: it.get_next())
    optional = it.get_next_as_optional()
    print(optional.has_value().numpy())
    raises(lambda: optional.get_value())


def numpy_iterators(tf):
    ds = tf.data.Dataset.from_tensor_slices({"x": [1, 2], "r": ["a", "b"]})
    print(list(ds.as_numpy_iterator()))
    print([type(e["x"]).__name__ for e in ds.as_numpy_iterator()])


def cardinalities(tf, raises):
    ds = tf.data.Dataset.range(10)
    for other in (
        ds.batch(3),
        ds.batch(3, drop_remainder=True),
        ds.map(lambda x: x),
        ds.filter(lambda x: x > 1),
        ds.flat_map(lambda x: tf.data.Dataset.range(2)),
        ds.window(4),
        ds.take(3),
        ds.apply(tf.data.experimental.assert_cardinality(10)),
    ):
        print(other.cardinality().numpy(), end=" ")
    print(tf.data.UNKNOWN_CARDINALITY)
    raises(lambda: list(ds.apply(tf.data.experimental.assert_cardinality(11))))
    raises(lambda: bool(ds.filter(lambda x: x > 1)))
    print(bool(ds), len(ds))


def data_sets_in_functions(tf):
    @tf.function
    def f(n):
        ds = tf.data.Dataset.range(n).map(lambda x: x * n)
        print(type(ds).__name__ != "", ds.element_spec)
        return ds.reduce(tf.constant(0, tf.int64), lambda s, x: s + x)

    print(f(tf.constant(4, tf.int64)).numpy(), f(tf.constant(5, tf.int64)).numpy())


def functions_in_data_sets(tf):
    @tf.function
    def f(x):
        print("trace", x.shape)
        return x + 1

    ds = tf.data.Dataset.range(3)
    print(list(ds.map(f).as_numpy_iterator()), list(ds.batch(2).map(f).as_numpy_iterator())[0])
    print(f(tf.constant(5, tf.int64)).numpy(), f.experimental_get_tracing_count())


def layers_in_maps(tf):
    layer = tf.keras.layers.Rescaling(0.5)
    ds = tf.data.Dataset.from_tensor_slices([[2.0], [4.0]]).map(layer)
    print(ds.element_spec, [e.numpy().tolist() for e in ds])


def text_vectorization_in_maps(tf):
    layer = tf.keras.layers.TextVectorization(max_tokens=6, output_sequence_length=3)
    layer.adapt(tf.data.Dataset.from_tensor_slices(["the cat", "the dog"]))
    ds = tf.data.Dataset.from_tensor_slices(["the bird sat here"]).batch(1).map(layer)
    print(ds.element_spec, next(iter(ds)).numpy().tolist(), layer.get_vocabulary())


def gradients_over_data_sets(tf):
    w = tf.Variable(1.0)

    @tf.function
    def epoch(ds):
        total = 0.0
        for x, y in ds:
            with tf.GradientTape() as tape:
                loss = (w * x - y) ** 2
            w.assign_sub(0.25 * tape.gradient(loss, w))
            total += loss
        return total

    ds = tf.data.Dataset.from_tensor_slices(([1.0, 1.0], [3.0, 3.0]))
    print(epoch(ds).numpy(), w.numpy())


def unknown_shapes(tf, raises):
    ds = tf.data.Dataset.from_generator(
        lambda: iter([np.ones([2, 3]), np.ones([4])]), output_types=tf.float64
    )
    print(ds.element_spec, [e.shape for e in ds])
    print(
        ds.map(lambda x: tf.shape(x)).element_spec, ds.map(lambda x: tf.reduce_sum(x)).element_spec
    )
    fixed = ds.take(1).map(lambda x: tf.ensure_shape(x, [None, 3]))
    print(fixed.element_spec)
    raises(lambda: list(ds.map(lambda x: tf.ensure_shape(x, [2, 3]))))


def numpy_functions_in_maps(tf):
    def python(x):
        return np.arange(x)

    ds = tf.data.Dataset.range(1, 3).map(lambda x: tf.numpy_function(python, [x], tf.int64))
    print(ds.element_spec, [e.numpy().tolist() for e in ds])

    def shaped(x):
        y = tf.numpy_function(python, [x], tf.int64)
        y.set_shape([None])
        return y

    ds = tf.data.Dataset.range(1, 3).map(shaped)
    print(ds.element_spec, [e.numpy().tolist() for e in ds.padded_batch(2)])


def numpy_of_an_element_in_a_map(tf, raises):
    raises(lambda: tf.data.Dataset.range(2).map(lambda x: x.numpy()), "numpy")
    raises(lambda: tf.data.Dataset.range(2).map(lambda x: int(x)).element_spec)
    raises(lambda: tf.data.Dataset.range(2).map(lambda x: list(range(x))))


def named_tuples_as_elements(tf, raises):
    import collections

    Pair = collections.namedtuple("Pair", "a b")
    ds = tf.data.Dataset.range(2).map(lambda x: Pair(x, x + 1))
    print(type(ds.element_spec).__name__, type(next(iter(ds))).__name__, next(iter(ds)).b.numpy())
    raises(lambda: ds.map(lambda a, b: a + b))
    print(list(ds.map(lambda pair: pair.a + pair.b).as_numpy_iterator()))


def options_and_names(tf):
    ds = tf.data.Dataset.range(3, name="numbers").map(lambda x: x, name="same")
    options = tf.data.Options()
    options.deterministic = True
    options.autotune.enabled = False
    ds = ds.with_options(options)
    print(ds.options().deterministic, ds.options().autotune.enabled, ds.element_spec)


def snapshots_of_iterators(tf):
    it = iter(tf.data.Dataset.range(5))
    next(it), next(it)
    import os
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = tf.train.Checkpoint(it=it).save(os.path.join(folder, "state"))
        next(it)
        tf.train.Checkpoint(it=it).restore(path)
        print(next(it).numpy())


def group_and_histogram(tf):
    counts = tf.data.Dataset.from_tensor_slices([1, 2, 2, 3]).reduce(
        tf.zeros([4], tf.int32), lambda s, x: s + tf.one_hot(x, 4, dtype=tf.int32)
    )
    print(counts.numpy())


def counters(tf):
    ds = tf.data.Dataset.counter(2, 3)
    print(list(ds.take(3).as_numpy_iterator()), ds.element_spec, ds.cardinality().numpy())


def get_single_element(tf, raises):
    print(tf.data.Dataset.from_tensors(5).get_single_element().numpy())
    raises(lambda: tf.data.Dataset.range(2).get_single_element())
    raises(lambda: tf.data.Dataset.range(0).get_single_element())


def random_and_ranges(tf, raises):
    ds = tf.data.Dataset.random(seed=4).take(3)
    print(ds.element_spec, list(ds.as_numpy_iterator()) == list(ds.as_numpy_iterator()))
    print(list(tf.data.Dataset.range(5, 0, -2).as_numpy_iterator()))
    print(tf.data.Dataset.range(3, output_type=tf.int32).element_spec)


def batches_in_parallel(tf):
    ds = tf.data.Dataset.range(7).map(lambda x: x * x, num_parallel_calls=3)
    print(
        [b.numpy().tolist() for b in ds.batch(3, num_parallel_calls=2).prefetch(tf.data.AUTOTUNE)]
    )


def assertions_in_maps(tf, raises):
    def f(x):
        tf.debugging.assert_less(x, tf.constant(2, tf.int64), "too large")
        return x

    it = iter(tf.data.Dataset.range(4).map(f))
    print(next(it).numpy(), next(it).numpy())
    raises(lambda: next(it), "too large")


def unused_errors_in_maps(tf, raises):
    def f(x):
        tf.gather([1, 2], x)
        return x

    raises(lambda: print(list(tf.data.Dataset.range(4).map(f).as_numpy_iterator())))


def a_py_function_in_a_map(tf):
    def python(x):
        print("python", x.numpy())
        return x * 2

    ds = tf.data.Dataset.range(2).map(lambda x: tf.py_function(python, [x], tf.int64))
    print(ds.element_spec)
    print([e.numpy() for e in ds])


def empty_data_sets(tf):
    ds = tf.data.Dataset.range(0)
    calls = []

    def f(x):
        calls.append(1)
        return tf.cast(x, tf.float32)

    mapped = ds.map(f)
    print(mapped.element_spec, list(mapped), calls, list(mapped.batch(2)))
    print(ds.reduce(np.int64(7), lambda s, x: s + x).numpy())
